# SPDX-License-Identifier: MIT
# The runtime's own tests: one program a module, named runtime.<module>. They link the runtime
# statically, so that they see what libtek.so hides; with TEK_SANITIZE both are sanitized.
find_package(PkgConfig REQUIRED)
pkg_check_modules(TEK_CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_package(Threads REQUIRED)

string(COMPARE EQUAL "${TEK_SANITIZE}" thread runtime_tsan)
if(TEK_SANITIZE)
	list(TRANSFORM TEK_RUNTIME_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/runtime/ OUTPUT_VARIABLE
		runtime_sources)
	add_library(runtime_tested STATIC ${runtime_sources} ${PROJECT_SOURCE_DIR}/runtime/wrap.c
		${PROJECT_SOURCE_DIR}/runtime/real.c ${PROJECT_SOURCE_DIR}/runtime/${TEK_ARCH_SOURCE})
	target_include_directories(runtime_tested PRIVATE ${PROJECT_SOURCE_DIR}/runtime
		PUBLIC ${PROJECT_SOURCE_DIR}/include)
	target_compile_definitions(runtime_tested PRIVATE _GNU_SOURCE)
	target_compile_options(runtime_tested PRIVATE
		$<$<COMPILE_LANGUAGE:C>:${TEK_RUNTIME_OPTIONS}>)
	target_compile_options(runtime_tested PUBLIC -fsanitize=${TEK_SANITIZE}
		-fno-sanitize-recover=all
		# ThreadSanitizer does not model fences; the fields that they order are atomics.
		$<$<BOOL:${runtime_tsan}>:-Wno-tsan>)
	target_link_options(runtime_tested PUBLIC -fsanitize=${TEK_SANITIZE})
else()
	add_library(runtime_tested INTERFACE)
	target_link_libraries(runtime_tested INTERFACE tek_static)
endif()

# runtime_program(<target> <source>...): linked as the static form of the runtime wants it.
function(runtime_program target)
	add_executable(${target} ${ARGN})
	target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
	target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/runtime
		${PROJECT_SOURCE_DIR}/include)
	target_link_libraries(${target} PRIVATE runtime_tested PkgConfig::TEK_CMOCKA
		Threads::Threads tek_warnings)
	target_link_options(${target} PRIVATE -Wl,-u,__tek_pthread_create
		-Wl,--wrap=pthread_create -Wl,--wrap=thrd_create)
endfunction()

set(runtime_out ${CMAKE_CURRENT_BINARY_DIR}/runtime-out)
file(MAKE_DIRECTORY ${runtime_out})
foreach(module config create fork message name stack table zone)
	runtime_program(runtime_test_${module} runtime_${module}.c)
	add_test(NAME runtime.${module} COMMAND runtime_test_${module})
	set_tests_properties(runtime.${module} PROPERTIES TIMEOUT 120
		ENVIRONMENT "TEK_OUT=${runtime_out};TEK_CONFIG=/dev/null;TSAN_OPTIONS=die_after_fork=0")
endforeach()
# The same creations in plain mode.
add_test(NAME runtime.create-plain COMMAND runtime_test_create)
set_tests_properties(runtime.create-plain PROPERTIES TIMEOUT 120 ENVIRONMENT "TEK_CONFIG=/dev/null")
