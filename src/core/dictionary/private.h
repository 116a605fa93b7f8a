/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/dictionary/file.h"
#include "core/format/npz.h"

/* What dictionary files and model files share. */

/* Members B, b and scale. */
void tosst_dictionary_to_npz (const TosstDictionary *dictionary, TosstNpz *npz);
/* name is used in messages. */
TosstDictionary *tosst_dictionary_from_npz (TosstNpz *npz, const char *name, GError **error);
/* The same with meta, which may be NULL: of whole dictionary files. npz: NULL if the error says already why there is
 * none. */
TosstNpz *tosst_dictionary_make_npz (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta);
TosstDictionary *tosst_dictionary_read_npz (TosstNpz *npz, const char *name, TosstDictionaryMeta *meta, GError **error);

/* The object of member meta.json: NULL without error if there is none. */
gboolean tosst_npz_read_meta (TosstNpz *npz, const char *name, JsonObject **object, GError **error);
/* Takes the object. */
void tosst_npz_write_meta (TosstNpz *npz, JsonObject *object);
/* A seed as a number; as a string where a signed 64-bit number, the largest of JSON-GLib, cannot hold it. */
void tosst_json_set_seed (JsonObject *object, guint64 seed);
/* A member of the object of meta.json: a text, new and NULL where there is none, or a number, as it was where there is
 * none. FALSE with an error that begins with name where it is something else. */
gboolean tosst_meta_text (JsonObject *object, const char *member, const char *name, char **text, GError **error);
gboolean tosst_meta_number (JsonObject *object, const char *member, const char *name, double *number, GError **error);
