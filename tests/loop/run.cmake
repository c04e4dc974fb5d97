# SPDX-License-Identifier: MIT
#
# tek run, tek snapshot and tek gc: behaviour of the verbs that run on the device.

foreach(name IN ITEMS run_probe run_peek run_dropped)
	add_executable(${name} ${name}.c)
	target_link_libraries(${name} PRIVATE tek_warnings)
	target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
endforeach()

add_executable(run_dropped_static run_dropped.c)
target_link_libraries(run_dropped_static PRIVATE tek_warnings)
target_include_directories(run_dropped_static PRIVATE "${PROJECT_SOURCE_DIR}/include")
target_link_options(run_dropped_static PRIVATE -static)

find_package(Threads REQUIRED)
foreach(name IN ITEMS run_daemon run_measured run_truth)
	add_executable(${name} ${name}.c)
	target_link_libraries(${name} PRIVATE tek_warnings tek::tek Threads::Threads)
endforeach()

add_executable(run_cases
	run_cases.c run_cases_start.c run_cases_signals.c run_cases_files.c run_cases_truth.c)
target_link_libraries(run_cases PRIVATE tek_warnings util)
target_include_directories(run_cases PRIVATE "${PROJECT_SOURCE_DIR}/include")

foreach(name IN ITEMS status stdin same why reading period passes once alarm hangup terminal stop
		survives inside nobody snapshot gc truth locked foreign dirty cut leader)
	add_test(NAME run.${name}
		COMMAND run_cases $<TARGET_FILE:tek::tool> "${CMAKE_CURRENT_BINARY_DIR}" ${name})
	set_tests_properties(run.${name} PROPERTIES
		WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" SKIP_RETURN_CODE 77 TIMEOUT 120)
endforeach()
