/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Larger texts are refused: one byte becomes up to 50 in memory. */
#define TOSST_JSON_MAX_BYTES (4 * 1024 * 1024)
/* Arrays and objects within each other. JSON-GLib reads and frees them by recursion, and its stack ends. */
#define TOSST_JSON_MOST_NESTED 64

/* Parses JSON. New; NULL if it is invalid, too large or nested too deeply. The only reader of JSON in the program. */
JsonNode *tosst_json_read (const char *text, gsize size);

/* Writes JSON, new. The only writer of JSON in the program. */
char *tosst_json_write (JsonNode *root, gboolean pretty);

G_END_DECLS
