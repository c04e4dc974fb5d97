# SPDX-License-Identifier: MIT
#
# The names that tek_instrument() uses, for the source tree; tek-config.cmake.in has the same for an
# installed TEK. And what is installed of the CMake and pkg-config integration.

add_library(tek::plugin ALIAS tek_plugin_loader)
add_executable(tek::tool ALIAS tek_tool)

# Touched when a plugin has changed; there from the start, so that a target which shares a source
# with an instrumented one need not wait for it.
set(stamp "${PROJECT_BINARY_DIR}/tek-plugin.stamp")
if(NOT EXISTS "${stamp}")
	file(TOUCH "${stamp}")
endif()
add_custom_command(OUTPUT "${stamp}"
	COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
	DEPENDS tek_plugin_loader tek_plugin_gcc
	COMMENT "The plugin is ready" VERBATIM)
add_custom_target(tek_plugin_ready DEPENDS "${stamp}")
set_property(TARGET tek_plugin_ready PROPERTY TEK_STAMP "${stamp}")

# tek_runtime_target(NAME KIND BITS): tek::NAME, which links libtek in the form that keeps it.
function(tek_runtime_target name kind library)
	if(TARGET ${library})
		add_library(tek_link_${name} INTERFACE)
		add_library(tek::${name} ALIAS tek_link_${name})
		target_link_libraries(tek_link_${name}
			INTERFACE "$<LINK_LIBRARY:TEK_${kind},${library}>")
		target_include_directories(tek_link_${name} INTERFACE "${PROJECT_SOURCE_DIR}/include")
	endif()
endfunction()
tek_runtime_target(tek SHARED tek_shared)
tek_runtime_target(tek_static STATIC tek_static)
tek_runtime_target(tek32 SHARED tek_shared32)
tek_runtime_target(tek_static32 STATIC tek_static32)

include(CMakePackageConfigHelpers)
get_target_property(soversion tek_shared SOVERSION)
set(TEK_SONAME "libtek.so")
if(NOT soversion MATCHES "NOTFOUND$")
	string(APPEND TEK_SONAME ".${soversion}")
endif()
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tek")
# Where the runtime puts its 32-bit form.
set(TEK_LIB32DIR lib32)
configure_package_config_file(cmake/tek-config.cmake.in "${PROJECT_BINARY_DIR}/tek-config.cmake"
	INSTALL_DESTINATION "${package_dir}"
	PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
		TEK_LIB32DIR
	NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# One installation serves 64- and 32-bit projects.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tek-config-version.cmake"
	COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/tek-config.cmake"
	"${PROJECT_BINARY_DIR}/tek-config-version.cmake" cmake/TekInstrument.cmake
	DESTINATION "${package_dir}")

# Written at install time: `cmake --install --prefix` may change the prefix, and the plugin's path
# in tek.pc is absolute.
set(pc_in "${PROJECT_SOURCE_DIR}/cmake/tek.pc.in")
set(pc_out "${PROJECT_BINARY_DIR}/tek.pc")
install(CODE "
	set(PROJECT_VERSION [[${PROJECT_VERSION}]])
	cmake_path(APPEND bindir \"\${CMAKE_INSTALL_PREFIX}\" [[${CMAKE_INSTALL_BINDIR}]])
	cmake_path(APPEND libdir \"\${CMAKE_INSTALL_PREFIX}\" [[${CMAKE_INSTALL_LIBDIR}]])
	cmake_path(APPEND includedir \"\${CMAKE_INSTALL_PREFIX}\" [[${CMAKE_INSTALL_INCLUDEDIR}]])
	configure_file([[${pc_in}]] [[${pc_out}]] @ONLY)
	file(INSTALL [[${pc_out}]] DESTINATION \"\${libdir}/pkgconfig\")
")
