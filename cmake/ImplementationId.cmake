# SPDX-License-Identifier: MIT
# cmake -DOUTPUT=header "-DFILES=a;b" -P: a header with one hash over the plugin's implementations.
set(all)
foreach(file IN LISTS FILES)
	file(SHA256 ${file} hash)
	string(APPEND all ${hash})
endforeach()
string(SHA256 id "${all}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define TEK_IMPLEMENTATION_ID \"${id}\"\n")
