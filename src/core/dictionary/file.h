/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/format/npz.h"
#include "core/recipe/recipe.h"
#include "engine/dictionary/dictionary.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstDictionary, tosst_dictionary_free)

/* Metadata of a dictionary file (member meta.json). */
typedef struct
{
  char *recipe;      /* recipe text, or NULL */
  double objective;  /* final, NAN if unknown */
  int iterations;    /* done */
  gsize batches;     /* done in all, when learned from batches; else 0 */
  char *fingerprint; /* of the data, hex, or NULL */
  char *version;     /* of the program that wrote it, or NULL */
} TosstDictionaryMeta;

void tosst_dictionary_meta_clear (TosstDictionaryMeta *meta);

gboolean tosst_dictionary_save (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta, GFile *file,
                                GError **error);
/* B (K, d, d) and b (K, d) are needed and must fit each other and be finite; scale and meta.json may be missing. meta
 * may be NULL. Other shapes: b (K, 1) for second order; B (K, d1, d2), b (K, d3) and a member symmetric = 0 for general
 * tensors; B (K, d, d, d), b (K, 1) for whole atoms. */
TosstDictionary *tosst_dictionary_load (GFile *file, TosstDictionaryMeta *meta, GError **error);
/* The same of the bytes of such a file; name is used in messages. */
TosstDictionary *tosst_dictionary_from_bytes (GBytes *bytes, const char *name, TosstDictionaryMeta *meta,
                                              GError **error);

/* Members of dictionary, model and checkpoint files. */

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

G_END_DECLS
