/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

/* Larger texts are rejected: parsed JSON takes up to 50 bytes of memory per byte of text. */
#define TOSST_JSON_MAX_BYTES (4 * 1024 * 1024)
/* Maximum nesting of arrays and objects. JSON-GLib reads and frees them by recursion, which would overflow the
 * stack. */
#define TOSST_JSON_MOST_NESTED 64

/* Parses JSON. Returns a new node; NULL if the text is invalid, too large or nested too deeply. The only JSON parser
 * in the program. */
JsonNode *tosst_json_read (const char *text, gsize size);

/* Writes JSON. Returns a new string. The only JSON writer in the program. */
char *tosst_json_write (JsonNode *root, gboolean pretty);
