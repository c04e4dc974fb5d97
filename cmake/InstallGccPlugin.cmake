# SPDX-License-Identifier: MIT
# Runs at install time: makes -fplugin=tek work, which GCC looks up in its own plugin folder. A
# link to the installed tek.so, which finds the implementations beside itself.
# FOLDER: the compiler's plugin folder; LIBRARY: where tek.so is installed.
set(place "$ENV{DESTDIR}${FOLDER}")
if(NOT "$ENV{DESTDIR}" STREQUAL "")
	file(MAKE_DIRECTORY "${place}")
endif()
if(NOT IS_DIRECTORY "${place}")
	message(STATUS "tek: ${place}: no such folder; -fplugin=tek will not work, use -fplugin=${LIBRARY}")
	return()
endif()
execute_process(COMMAND test -w "${place}" RESULT_VARIABLE closed)
if(closed)
	message(STATUS "tek: ${place}: not writable; -fplugin=tek will not work, use -fplugin=${LIBRARY}")
	return()
endif()
message(STATUS "Installing: ${place}/tek.so -> ${LIBRARY}")
file(REMOVE "${place}/tek.so")
file(CREATE_LINK "${LIBRARY}" "${place}/tek.so" SYMBOLIC)
