# SPDX-License-Identifier: MIT
# A user's Makefile, as the README shows it: three switches to compile, one form to link.
CFLAGS = -O2 -Wall
TEK = -fplugin=$(shell pkg-config --variable=plugin tek) -D__TEK__ -include tek_stack_sizes.h
TEK_LIBS = $(shell pkg-config --libs tek) -Wl,-rpath,$(shell pkg-config --variable=libdir tek)

subject: program.o other.o
	$(CC) $(LDFLAGS) $^ -pthread $(TEK_LIBS) -o $@

program.o: program.c tek_stack_sizes.h
	$(CC) $(CFLAGS) $(TEK) -c $< -o $@

other.o: other.c
	$(CC) $(CFLAGS) -c $< -o $@

tek_stack_sizes.h:
	touch $@
