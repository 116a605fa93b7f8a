/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>
#include <stdbool.h>

#include "core/base/each.h"

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

/* A number, null where it is not finite, which JSON cannot represent. */
void tosst_json_set_number (JsonObject *object, const char *name, double value);
void tosst_json_add_number (JsonArray *array, double value);

/* Sets members of an object, each given as (name, value): a number, a text (NULL: null), a truth value of the type bool,
 * or an array or an object, which the object takes. */
#define TOSST_JSON_SET(object, ...)                                                                                    \
  do                                                                                                                   \
    {                                                                                                                  \
      TOSST_EACH (TOSST_JSON_PAIR, object, , __VA_ARGS__);                                                             \
    }                                                                                                                  \
  while (0)
/* A new object with such members. */
#define TOSST_JSON(...)                                                                                                \
  ({                                                                                                                   \
    JsonObject *made = json_object_new ();                                                                             \
                                                                                                                       \
    TOSST_JSON_SET (made, __VA_ARGS__);                                                                                \
    made;                                                                                                              \
  })
#define TOSST_JSON_PAIR(object, none, pair) TOSST_JSON_MEMBER (object, TOSST_UNWRAP pair)
#define TOSST_JSON_MEMBER(object, ...) TOSST_JSON_ONE (object, __VA_ARGS__)
#define TOSST_JSON_ONE(object, name, value)                                                                            \
  _Generic ((value),                                                                                                   \
      double: tosst_json_set_number,                                                                                   \
      float: tosst_json_set_number,                                                                                    \
      char *: json_object_set_string_member,                                                                           \
      const char *: json_object_set_string_member,                                                                     \
      bool: json_object_set_boolean_member,                                                                            \
      JsonArray *: json_object_set_array_member,                                                                       \
      JsonObject *: json_object_set_object_member,                                                                     \
      default: json_object_set_int_member) (object, name, value)
