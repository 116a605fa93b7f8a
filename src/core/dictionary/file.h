/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/recipe/recipe.h"
#include "engine/dictionary/dictionary.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstDictionary, tosst_dictionary_free)

/* What a dictionary file says about itself (member meta.json). */
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

G_END_DECLS
