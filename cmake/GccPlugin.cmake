# SPDX-License-Identifier: MIT
#
# tek_add_gcc_plugin(COMPILER): builds the plugin's implementation for one target compiler, with
# the host's g++ (GCC's headers want it, whatever CMAKE_CXX_COMPILER is). Appends the target's name
# to the global property TEK_PLUGIN_TARGETS. A compiler without headers is named with the package
# to install.

set(TEK_TARGET_COMPILERS "" CACHE STRING
	"C compilers (GCC) that the plugin shall serve, as a list; empty: the one in use")

# The compilers to serve: asked for, else CMAKE_C_COMPILER if it is GCC, else the host's gcc.
function(tek_target_compilers out)
	set(compilers ${TEK_TARGET_COMPILERS})
	if(NOT compilers)
		if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
			set(compilers ${CMAKE_C_COMPILER})
		else()
			find_program(TEK_HOST_GCC NAMES gcc gcc-12)
			if(NOT TEK_HOST_GCC)
				message(FATAL_ERROR "tek: no gcc to build the plugin for; "
					"install it (apt-get install gcc g++) or set TEK_TARGET_COMPILERS")
			endif()
			set(compilers ${TEK_HOST_GCC})
		endif()
	endif()
	set(${out} ${compilers} PARENT_SCOPE)
endfunction()

# The g++ that compiles the plugin: it runs on this machine, also when CMake cross-compiles.
function(tek_find_host_gxx)
	if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CROSSCOMPILING)
		set(TEK_HOST_CXX ${CMAKE_CXX_COMPILER} CACHE FILEPATH "The host's g++, which builds the plugin")
	else()
		find_program(TEK_HOST_CXX NAMES g++ g++-12 DOC "The host's g++, which builds the plugin")
	endif()
	if(NOT TEK_HOST_CXX)
		message(FATAL_ERROR "tek: no g++ on this machine to build the plugin with; "
			"install it (apt-get install g++) or set TEK_HOST_CXX")
	endif()
endfunction()

function(tek_ask_compiler compiler out)
	execute_process(COMMAND ${compiler} ${ARGN} OUTPUT_VARIABLE answer
		OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
	if(failed)
		message(FATAL_ERROR "tek: ${compiler}: cannot be run (${failed}); check TEK_TARGET_COMPILERS")
	endif()
	set(${out} "${answer}" PARENT_SCOPE)
endfunction()

# Debian's name of the package with the headers.
function(tek_plugin_package compiler major target out)
	set(package gcc-${major}-plugin-dev)
	execute_process(COMMAND dpkg-architecture -qDEB_HOST_GNU_TYPE OUTPUT_VARIABLE host
		OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
	if(failed)
		set(host ${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu)
	endif()
	if(NOT target STREQUAL host)
		string(APPEND package -${target})
	endif()
	set(${out} ${package} PARENT_SCOPE)
endfunction()

function(tek_add_gcc_plugin compiler)
	tek_ask_compiler(${compiler} version -dumpfullversion)
	tek_ask_compiler(${compiler} target -dumpmachine)
	tek_ask_compiler(${compiler} folder -print-file-name=plugin)
	string(REGEX MATCH "^[0-9]+" major "${version}")
	if(NOT EXISTS "${folder}/include/gcc-plugin.h")
		tek_plugin_package(${compiler} ${major} ${target} package)
		message(FATAL_ERROR "tek: ${compiler} (gcc ${version}, ${target}) has no plugin headers; "
			"install them: apt-get install ${package}")
	endif()
	if(NOT target MATCHES "^(x86_64|i[3-6]86)-")
		message(FATAL_ERROR "tek: ${compiler} makes code for ${target}; "
			"the plugin serves x86_64 and i386")
	endif()
	set(name tek-gcc${major}-${target})
	set(target_name tek_plugin_gcc)
	if(TARGET tek_plugin_gcc)
		set(target_name tek_plugin_${name})
	endif()

	# One shared object by custom commands: CMake knows one C++ compiler a project, and that may
	# be another one than g++.
	set(output ${CMAKE_BINARY_DIR}/lib/${name}.so)
	set(flags -O2 -g -fPIC -fno-rtti -fno-exceptions -fasynchronous-unwind-tables -fvisibility=hidden
		-Wall -Wextra -Wshadow $<$<BOOL:${TEK_WERROR}>:-Werror>
		-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
		-isystem ${folder}/include -I${PROJECT_SOURCE_DIR}/include "-DTEK_TARGET=\"${target}\"")
	set(objects)
	foreach(source IN LISTS TEK_PLUGIN_SOURCES)
		set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}/${source}.o)
		set(language c++)
		set(dialect)
		if(source MATCHES "\\.c$")
			set(language c)
			set(dialect -std=gnu11)
		endif()
		set(own ${flags})
		if(language STREQUAL "c")
			list(REMOVE_ITEM own -fno-rtti)
		endif()
		add_custom_command(OUTPUT ${object}
			COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${name}
			COMMAND ${TEK_HOST_CXX} -x ${language} ${dialect} ${own} -MD -MF ${object}.d -MT ${object}
				-c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
			DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} DEPFILE ${object}.d
			COMMENT "Building plugin object ${name}/${source}.o" VERBATIM COMMAND_EXPAND_LISTS)
		list(APPEND objects ${object})
	endforeach()
	# -nodefaultlibs: what is left open is found in the compiler itself, which has no libstdc++.so.
	add_custom_command(OUTPUT ${output}
		COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/lib
		COMMAND ${TEK_HOST_CXX} -shared -nodefaultlibs -Wl,-z,relro -Wl,-z,noexecstack
			-o ${output} ${objects} -lgcc -lc
		DEPENDS ${objects} COMMENT "Linking plugin ${name}.so" VERBATIM COMMAND_EXPAND_LISTS)
	add_custom_target(${target_name} ALL DEPENDS ${output})
	set_property(TARGET ${target_name} PROPERTY TEK_OUTPUT ${output})
	set_property(GLOBAL APPEND PROPERTY TEK_PLUGIN_TARGETS ${target_name})
	set_property(GLOBAL APPEND PROPERTY TEK_PLUGIN_OUTPUTS ${output})
	install(PROGRAMS ${output} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tek)
endfunction()
