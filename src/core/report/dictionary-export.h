/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/file.h"

G_BEGIN_DECLS

/* Dictionaries for other programs, of all shapes. */

/* MATLAB level 5, uncompressed: B d x d x K (general: d1 x d2 x K, whole: d x d x d x K), b S x K, scale, and the
 * structure meta of what meta holds (may be NULL). */
gboolean tosst_dictionary_export_mat (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta, GFile *file,
                                      GError **error);

/* A header line, then a line per atom: its number from 1, the dictionary's scale, b_1 .. b_S and all entries of B
 * (B_1_1, B_1_2 ..; whole: B_1_1_1 ..) in C order. Numbers are those of the C locale and read back without loss. */
gboolean tosst_dictionary_export_csv (const TosstDictionary *dictionary, GFile *file, GError **error);

/* B of atom k as a heat map in colours about zero: atom-0001.png and so on in the folder; of a whole atom its slices
 * side by side. */
gboolean tosst_dictionary_export_picture (const TosstDictionary *dictionary, int k, GFile *folder, GError **error);

G_END_DECLS
