/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recording of operations, shared by the files of the preloaded library.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* The function of this name that the library replaces. */
#define NEXT(name) ((__typeof__ (&name))attack_next_symbol (#name))
void *attack_next_symbol (const char *name);

/* The path in full, or an empty one if it is none of the folder. Its last part is followed where it is opened. */
const char *attack_inside (const char *path, int follow, char *whole);
int attack_is_watched (int fd);

/* Takes the lock; dies before an operation if it is the last one. */
void attack_begin (void);
void attack_end (void);
/* With the lock. */
void attack_record (char kind, char fresh, int fd, int64_t place, const void *data, size_t size, const void *more,
                    size_t more_size);
void attack_record_paths (char kind, char fresh, int fd, const char *a, const char *b);

/* How many of so many bytes there is room for. */
size_t attack_take_space (size_t size);
/* Bytes to write now; half of them are written where it is the last operation. *full: none. */
size_t attack_begin_write (size_t size, int *last, int *full);
ssize_t attack_end_write (int fd, int64_t place, const void *data, ssize_t done, int last, int full);

#pragma GCC visibility pop
