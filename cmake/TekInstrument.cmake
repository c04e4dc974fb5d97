# SPDX-License-Identifier: MIT
#[=[
tek_instrument(<target> [SIZES <header>] [PROBE none|frames|all] [SHARED|STATIC] [M32])

  Compiles the C and C++ units of <target> with the TEK plugin, force-includes <header> and links
  the runtime. The target may be an executable or a static, shared, module or object library.

  SIZES   the stack sizes, relative to the current source directory; tek_stack_sizes.h if not
          given. Created without a size in it if there is none. A changed header rebuilds the
          target's units.
  PROBE   which functions carry the stack probe; the plugin's own default (frames) if not given.
  SHARED  link libtek.so (the default; TEK_RUNTIME=STATIC in the cache changes it).
  STATIC  link libtek.a. Not for shared and module libraries: two runtimes in one process would
          know half of the threads each.
  M32     the target is a 32-bit one. Found without the keyword where -m32 stands in the flags
          or already among the target's compile options.

  With a compiler other than GCC the target is left as it is, and a status message says so.

tek_add_tuning(<name> TARGET <target> [COMMAND <program> [<argument>...]] [RUNS <n>] [SIZES <header>])

  A build target that runs the program n times (once if not given) under measurement and then
  regenerates the header that <target> was instrumented with. COMMAND is the target itself if
  not given. Build it, then build <target> again.

Both work in the source tree (add_subdirectory, FetchContent) and after find_package(tek).
]=]

include_guard(GLOBAL)
include(CheckCompilerFlag)

# How a linker keeps a runtime that no strong reference wants (docs/decisions.md, "Two forms of the
# runtime"). In the cache, because CMake looks for them in the directory of the target that links.
set(CMAKE_LINK_LIBRARY_USING_TEK_SHARED_SUPPORTED TRUE CACHE INTERNAL "")
set(CMAKE_LINK_LIBRARY_USING_TEK_SHARED
	"-Wl,--push-state,--no-as-needed" "<LINK_ITEM>" "-Wl,--pop-state" CACHE INTERNAL "")
set(CMAKE_LINK_LIBRARY_USING_TEK_STATIC_SUPPORTED TRUE CACHE INTERNAL "")
set(CMAKE_LINK_LIBRARY_USING_TEK_STATIC
	"-Wl,-u,__tek_pthread_create,--wrap=pthread_create,--export-dynamic-symbol=__tek_*" "<LINK_ITEM>"
	"-Wl,--wrap=thrd_create"
	CACHE INTERNAL "")

set(TEK_RUNTIME SHARED CACHE STRING "Which libtek tek_instrument() links: SHARED or STATIC")
set_property(CACHE TEK_RUNTIME PROPERTY STRINGS SHARED STATIC)

# The real file that tek.so stands for, and the plugins beside it: what a rebuild depends on. In the
# source tree a stamp stands for them, since Makefiles know no file of another directory.
function(_tek_plugin_files variable)
	if(TARGET tek_plugin_ready)
		get_target_property(stamp tek_plugin_ready TEK_STAMP)
		set(files "${stamp}")
	else()
		get_target_property(loader tek::plugin IMPORTED_LOCATION)
		get_filename_component(folder "${loader}" DIRECTORY)
		file(GLOB files "${folder}/tek*.so")
	endif()
	set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# At the end of the directory, when all sources are known: a changed plugin rebuilds them.
function(_tek_depend_on_plugin target)
	get_target_property(precompiled ${target} PRECOMPILE_HEADERS)
	if(precompiled)
		message(STATUS "tek_instrument(${target}): GCC takes a precompiled header only as the first "
			"-include, and that is the sizes'; the headers are compiled with each unit")
	endif()
	_tek_plugin_files(files)
	get_target_property(sources ${target} SOURCES)
	foreach(source IN LISTS sources)
		if(NOT source MATCHES "\\$<")
			set_property(SOURCE "${source}" TARGET_DIRECTORY ${target}
				APPEND PROPERTY OBJECT_DEPENDS "${files}")
		endif()
	endforeach()
endfunction()

function(_tek_is_32bit target variable)
	get_target_property(options ${target} COMPILE_OPTIONS)
	set(flags "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS} ${options}")
	if(CMAKE_SIZEOF_VOID_P EQUAL 4 OR flags MATCHES "(^|[ ;])-m32($|[ ;])")
		set(${variable} TRUE PARENT_SCOPE)
	else()
		set(${variable} FALSE PARENT_SCOPE)
	endif()
endfunction()

function(_tek_create_header header)
	if(EXISTS "${header}")
		return()
	endif()
	file(WRITE "${header}"
		"/* Stack sizes of threads. No run has been measured yet: see tek-sizes(1). */\n")
endfunction()

# The languages of the project that GCC compiles.
function(_tek_gnu_languages variable)
	get_property(enabled GLOBAL PROPERTY ENABLED_LANGUAGES)
	set(languages "")
	foreach(language IN ITEMS C CXX)
		if(language IN_LIST enabled AND CMAKE_${language}_COMPILER_ID STREQUAL "GNU")
			list(APPEND languages ${language})
		endif()
	endforeach()
	set(${variable} "${languages}" PARENT_SCOPE)
endfunction()

function(_tek_compile_options target language plugin header probe)
	set(when "COMPILE_LANG_AND_ID:${language},GNU")
	# SHELL: keeps -include and its argument together where CMake removes repeated options; a
	# blank or a quote in the path is then ours to escape.
	string(REGEX REPLACE "([\\\\\" ])" "\\\\\\1" quoted "${header}")
	target_compile_options(${target} PRIVATE
		"$<$<${when}>:-fplugin=${plugin}>"
		"$<$<${when}>:-D__TEK__>"
		"$<$<${when}>:SHELL:-include ${quoted}>")
	if(probe)
		target_compile_options(${target} PRIVATE
			"$<$<${when}>:-fplugin-arg-tek-probe=${probe}>")
	endif()
	# A frame larger than a page then touches every page it reserves, so that an overflow meets
	# the guard page and a reading sees what was reserved.
	check_compiler_flag(${language} -fstack-clash-protection TEK_${language}_STACK_CLASH_PROTECTION)
	if(TEK_${language}_STACK_CLASH_PROTECTION)
		target_compile_options(${target} PRIVATE "$<$<${when}>:-fstack-clash-protection>")
	endif()
endfunction()

# With -flto the probes come at the link. Without it the driver has no use for the option. What a
# static or object library needs at the link is needed by whoever links it.
function(_tek_link_options target type language plugin probe)
	set(when "LINK_LANG_AND_ID:${language},GNU")
	set(scope PRIVATE)
	if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
		set(scope INTERFACE)
	endif()
	target_link_options(${target} ${scope} "$<$<${when}>:-fplugin=${plugin}>")
	if(probe)
		target_link_options(${target} ${scope}
			"$<$<${when}>:-fplugin-arg-tek-probe=${probe}>")
	endif()
endfunction()

function(tek_instrument target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED;STATIC;M32" "SIZES;PROBE" "")
	if(arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "tek_instrument(${target}): unknown: ${arg_UNPARSED_ARGUMENTS}")
	endif()
	if(arg_KEYWORDS_MISSING_VALUES)
		message(FATAL_ERROR
			"tek_instrument(${target}): no value for ${arg_KEYWORDS_MISSING_VALUES}")
	endif()
	if(NOT TARGET ${target})
		message(FATAL_ERROR "tek_instrument(${target}): there is no such target")
	endif()
	if(arg_PROBE AND NOT arg_PROBE MATCHES "^(none|frames|all)$")
		message(FATAL_ERROR
			"tek_instrument(${target}): PROBE ${arg_PROBE}: give none, frames or all")
	endif()
	if(arg_SHARED AND arg_STATIC)
		message(FATAL_ERROR "tek_instrument(${target}): give SHARED or STATIC, not both")
	endif()
	get_target_property(type ${target} TYPE)
	if(NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
		message(FATAL_ERROR "tek_instrument(${target}): nothing is compiled for a ${type}")
	endif()
	set(runtime ${TEK_RUNTIME})
	if(arg_SHARED)
		set(runtime SHARED)
	elseif(arg_STATIC)
		set(runtime STATIC)
	endif()
	if(runtime STREQUAL "STATIC" AND type MATCHES "^(SHARED|MODULE)_LIBRARY$")
		message(FATAL_ERROR
			"tek_instrument(${target}): a shared library takes the shared runtime; "
			"STATIC would give it one of its own")
	endif()

	_tek_gnu_languages(languages)
	if(NOT languages)
		message(STATUS "tek_instrument(${target}): the compiler is not GCC, "
			"the target stays as it is")
		return()
	endif()

	set(header "${arg_SIZES}")
	if(NOT header)
		set(header tek_stack_sizes.h)
	endif()
	get_filename_component(header "${header}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
	_tek_create_header("${header}")
	set_property(TARGET ${target} PROPERTY TEK_SIZES "${header}")

	foreach(language IN LISTS languages)
		_tek_compile_options(${target} ${language} "$<TARGET_FILE:tek::plugin>" "${header}"
			"${arg_PROBE}")
		_tek_link_options(${target} ${type} ${language} "$<TARGET_FILE:tek::plugin>"
			"${arg_PROBE}")
	endforeach()
	if(TARGET tek_plugin_ready)
		add_dependencies(${target} tek_plugin_ready)
	endif()
	cmake_language(EVAL CODE "cmake_language(DEFER CALL _tek_depend_on_plugin [[${target}]])")

	set(library tek::tek)
	if(runtime STREQUAL "STATIC")
		set(library tek::tek_static)
	endif()
	if(NOT arg_M32)
		_tek_is_32bit(${target} arg_M32)
	endif()
	if(arg_M32)
		string(APPEND library 32)
	endif()
	if(NOT TARGET ${library})
		message(FATAL_ERROR "tek_instrument(${target}): this TEK has no ${library}; the 32-bit "
			"runtime is built where the compiler takes -m32 and TEK_MULTILIB is ON")
	endif()
	# By property: target_link_libraries() would bind the project to either its plain or its keyword
	# form. Whoever links a static or object library links the runtime, and of its own kind if it is
	# instrumented too: never both kinds in one program.
	set_property(TARGET ${target} PROPERTY TEK_LIBRARY ${library})
	set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${library})
	if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
		set(own "$<TARGET_PROPERTY:TEK_LIBRARY>")
		set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES
			"$<LINK_ONLY:$<IF:$<BOOL:${own}>,${own},${library}>>")
	endif()
endfunction()

function(tek_add_tuning name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET;RUNS;SIZES" "COMMAND")
	if(arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "tek_add_tuning(${name}): unknown: ${arg_UNPARSED_ARGUMENTS}")
	endif()
	if(NOT arg_TARGET OR NOT TARGET ${arg_TARGET})
		message(FATAL_ERROR "tek_add_tuning(${name}): TARGET names no target: ${arg_TARGET}")
	endif()
	if(NOT DEFINED arg_RUNS)
		set(arg_RUNS 1)
	elseif(NOT arg_RUNS MATCHES "^[1-9][0-9]*$")
		message(FATAL_ERROR "tek_add_tuning(${name}): RUNS ${arg_RUNS}: give a number from 1")
	endif()
	_tek_gnu_languages(languages)
	if(NOT languages)
		message(STATUS "tek_add_tuning(${name}): the compiler is not GCC, nothing to tune")
		return()
	endif()
	set(header "${arg_SIZES}")
	if(NOT header)
		get_target_property(header ${arg_TARGET} TEK_SIZES)
	endif()
	if(NOT header)
		message(FATAL_ERROR "tek_add_tuning(${name}): ${arg_TARGET} has no sizes header; call "
			"tek_instrument(${arg_TARGET}) before or give SIZES")
	endif()
	get_filename_component(header "${header}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
	if(NOT arg_COMMAND)
		set(arg_COMMAND ${arg_TARGET})
	endif()
	list(POP_FRONT arg_COMMAND program)
	if(TARGET ${program})
		set(program "$<TARGET_FILE:${program}>")
	endif()

	set(runs "${CMAKE_CURRENT_BINARY_DIR}/tek-out/${name}")
	set(measure COMMAND "$<TARGET_FILE:tek::tool>" run -o "${runs}" -- "${program}" ${arg_COMMAND})
	set(commands "")
	foreach(run RANGE 1 ${arg_RUNS})
		list(APPEND commands ${measure})
	endforeach()
	# The evidence is kept beside the header, so the runs themselves need not be.
	add_custom_target(${name}
		COMMAND "${CMAKE_COMMAND}" -E rm -rf "${runs}"
		COMMAND "${CMAKE_COMMAND}" -E make_directory "${runs}"
		${commands}
		COMMAND "$<TARGET_FILE:tek::tool>" sizes -o "${header}" "${runs}"
		COMMENT "Measuring ${arg_TARGET}, ${arg_RUNS} run(s), for ${header}"
		USES_TERMINAL VERBATIM)
	add_dependencies(${name} ${arg_TARGET})
	if(TARGET tek_tool)
		add_dependencies(${name} tek_tool)
	endif()
endfunction()
