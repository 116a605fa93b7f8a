/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/checkpoint.h"

G_BEGIN_DECLS

/* A dictionary file of a learning under way. It holds what the next iteration starts from, too, so that going on from it
 * comes to the same bits as never having stopped; for all else it is a dictionary file like any other. state may be
 * NULL. */
gboolean tosst_learning_file_save (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta,
                                   const TosstCheckpoint *state, GFile *file, GError **error);

/* *state is NULL if the file has none, or one of another version of the program or of other atoms than its own. */
TosstDictionary *tosst_learning_file_load (GFile *file, TosstDictionaryMeta *meta, TosstCheckpoint **state,
                                           GError **error);

G_END_DECLS
