/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Names of the files of local features; core/local/features.h describes their contents. */

/* Whether a file has features by its name: .npz or .npy, but not .xy.npy, the positions of another file. */
gboolean tosst_feature_files_has_suffix (const char *name);
/* The name without the suffix of a file of images or features; subfolders are kept. New. */
char *tosst_feature_files_id (const char *name);
/* The file of an image's features: ID.npz, else ID.npy, in the folder. New, or NULL if there is none. */
GFile *tosst_feature_files_find (GFile *folder, const char *id);
/* The file of the positions of ID.npy: ID.xy.npy, which need not exist; NULL for .npz files. New. */
GFile *tosst_feature_files_positions (GFile *file);
/* Files of features in a folder and its subfolders, as tosst_image_files_list(). New array of GFile. */
GPtrArray *tosst_feature_files_list (GFile *folder, GError **error);
