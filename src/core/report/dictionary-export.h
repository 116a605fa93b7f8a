/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/file.h"

/* Export of dictionaries of all shapes for other programs. */

/* Writes a MATLAB level 5 file, uncompressed: B d x d x K (general: d1 x d2 x K, whole: d x d x d x K), b S x K,
 * scale, and a structure meta with the fields of meta (may be NULL). */
gboolean tosst_dictionary_export_mat (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta, GFile *file,
                                      GError **error);

/* Writes CSV: a header line, then a line per atom: its number from 1, the dictionary's scale, b_1 .. b_S and all
 * entries of B (B_1_1, B_1_2 ..; whole: B_1_1_1 ..) in C order. Numbers are in the C locale and read back without
 * loss. */
gboolean tosst_dictionary_export_csv (const TosstDictionary *dictionary, GFile *file, GError **error);

/* Draws B of atom k as a heat map with diverging colours about 0 to atom-0001.png and so on in the folder; of a
 * whole atom, its slices side by side. */
gboolean tosst_dictionary_export_picture (const TosstDictionary *dictionary, int k, GFile *folder, GError **error);
