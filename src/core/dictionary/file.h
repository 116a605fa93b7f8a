/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/format/npz.h"
#include "core/recipe/recipe.h"
#include "tosst/dictionary.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstDictionary, tosst_dictionary_free)

/* Metadata of a dictionary file (member meta.json). */
typedef struct
{
  char *recipe;      /* recipe text, or NULL */
  double objective;  /* final value; NAN if unknown */
  int iterations;    /* number of completed iterations */
  gsize batches;     /* total number of completed batches; 0 if not learned from batches */
  char *fingerprint; /* hash of the data in hex, or NULL */
  char *version;     /* version of the program that wrote it, or NULL */
} TosstDictionaryMeta;

void tosst_dictionary_meta_clear (TosstDictionaryMeta *meta);

gboolean tosst_dictionary_save (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta, GFile *file,
                                GError **error);
/* Reads a dictionary. B (K, d, d) and b (K, d) are required, must match and be finite; scale and meta.json are
 * optional. meta may be NULL. Other shapes: b (K, 1) for second order; B (K, d1, d2), b (K, d3) and a member
 * symmetric = 0 for general tensors; B (K, d, d, d), b (K, 1) for whole atoms. Returns a new dictionary, or NULL
 * with error. */
TosstDictionary *tosst_dictionary_load (GFile *file, TosstDictionaryMeta *meta, GError **error);
/* As tosst_dictionary_load(), from bytes; name is used in messages. */
TosstDictionary *tosst_dictionary_from_bytes (GBytes *bytes, const char *name, TosstDictionaryMeta *meta,
                                              GError **error);

/* Members of dictionary, model and checkpoint files. */

/* Members B, b and scale. */
void tosst_dictionary_to_npz (const TosstDictionary *dictionary, TosstNpz *npz);
/* Members of a whole dictionary file; meta may be NULL. _make_npz() returns a new archive. npz NULL: error is
 * already set and NULL is returned. */
TosstNpz *tosst_dictionary_make_npz (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta);
TosstDictionary *tosst_dictionary_read_npz (TosstNpz *npz, const char *name, TosstDictionaryMeta *meta, GError **error);

/* With dictionary.source=random, replaces the learned *dictionary by one drawn at random from the distribution of its
 * atoms (tosst/dictionary.h). */
gboolean tosst_dictionary_randomize (const TosstRecipe *recipe, TosstContext *context, TosstDictionary **dictionary,
                                     GError **error);
