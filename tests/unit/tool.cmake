# SPDX-License-Identifier: MIT
# The tool's parts that need no process: one program a module, named tool.<module>.
pkg_check_modules(TEK_CMOCKA REQUIRED IMPORTED_TARGET cmocka)

add_library(tool_fixture STATIC tool_caller.c tool_fixture.c tool_runs.c)
target_include_directories(tool_fixture PUBLIC "${PROJECT_SOURCE_DIR}/include"
	"${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(tool_fixture PRIVATE tek_tool_core PkgConfig::TEK_CMOCKA tek_warnings)

foreach(module emit evidence header policy profile runfile sizes text verbs)
	add_executable(tool_test_${module} tool_${module}.c)
	target_link_libraries(tool_test_${module} PRIVATE tool_fixture tek_tool_core
		PkgConfig::TEK_CMOCKA tek_warnings)
	add_test(NAME tool.${module} COMMAND tool_test_${module})
endforeach()
