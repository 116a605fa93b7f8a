/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The readers that are fuzzed. Each takes any bytes; what it finds wrong, it aborts on.
 */
#pragma once

#include <gio/gio.h>

#define FUZZ_TARGETS(X)                                                                                                \
  X (npy)                                                                                                              \
  X (npz)                                                                                                              \
  X (dictionary)                                                                                                       \
  X (model)                                                                                                            \
  X (features)                                                                                                         \
  X (checkpoint)                                                                                                       \
  X (predictions)                                                                                                      \
  X (labels)                                                                                                           \
  X (additions)                                                                                                        \
  X (lists)                                                                                                            \
  X (scores)                                                                                                           \
  X (recipe)                                                                                                           \
  X (sweep)                                                                                                            \
  X (formula)                                                                                                          \
  X (filter)                                                                                                           \
  X (png)                                                                                                              \
  X (pnm)                                                                                                              \
  X (tiff)                                                                                                             \
  X (pixbuf)                                                                                                           \
  X (exif)                                                                                                             \
  X (store_bytes)                                                                                                      \
  X (store_cells)

#define DECLARE(name) void fuzz_##name (const guint8 *data, gsize size);
FUZZ_TARGETS (DECLARE)
#undef DECLARE

/* A file in memory that holds these bytes, until the next call. Borrowed. */
GFile *fuzz_file (const guint8 *data, gsize size);
/* A folder in memory, if the machine has such a place, that goes with the process. Borrowed. */
const char *fuzz_folder (void);
/* Its files. */
void fuzz_empty_folder (void);
/* The text up to the first zero; new. */
char *fuzz_text (const guint8 *data, gsize size);
/* Aborts unless it is so; also in builds without assertions. */
#define FUZZ_ASSERT(condition)                                                                                         \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    if (!(condition))                                                                                                  \
      g_error ("%s:%d: not so: %s", __FILE__, __LINE__, #condition);                                                   \
  }                                                                                                                    \
  G_STMT_END
