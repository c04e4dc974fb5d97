/* SPDX-License-Identifier: MIT */
#pragma tek stack("first", 4096) /* tek-note: the first is here */
#pragma tek stack("first", 4096)
#pragma tek stack("first", 8192) /* tek-error: tek: role 'first' has two different sizes; keep one line */
#pragma tek stack("a" 4096) /* tek-error: tek: there is no ',' behind the role; use '#pragma tek stack("ROLE", BYTES[, override])' */
#pragma tek stack "a", 4096 /* tek-error: tek: there is no '(' where one is due; use '#pragma tek stack("ROLE", BYTES[, override])' */
#pragma tek stack(a, 4096) /* tek-error: tek: the role is no string; use '#pragma tek stack("ROLE", BYTES[, override])' */
#pragma tek stack("", 4096) /* tek-error: tek: the role is empty; use '#pragma tek stack("ROLE", BYTES[, override])' */
#pragma tek stack("a", 4.5) /* tek-error: tek: the size is no whole number; use '#pragma tek stack("ROLE", BYTES[, override])' */
#pragma tek stack("a", -1) /* tek-error: tek: the size is no whole number; use '#pragma tek stack("ROLE", BYTES[, override])' */
#pragma tek stack("a", 0) /* tek-error: tek: the size is out of range; use '#pragma tek stack("ROLE", BYTES[, override])' */
#pragma tek stack("a", 4096, always) /* tek-error: tek: the third word is not 'override'; use '#pragma tek stack("ROLE", BYTES[, override])' */
#pragma tek stack("a", 4096, override /* tek-error: tek: there is no ')' where one is due; use '#pragma tek stack("ROLE", BYTES[, override])' */
#pragma tek stack("a", 4096) x /* tek-error: tek: there is something behind the ')'; use '#pragma tek stack("ROLE", BYTES[, override])' */
