/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/document.h"
#include "core/store/store.h"

G_BEGIN_DECLS

/* What is known of runs of a store, as a document to read, print and send: for each run its result, recipe, curves,
 * atoms, confusions, times and the command that repeats it; of several first what differs between them. A run that
 * failed, was stopped or has no dictionary has the parts that it came to. Errors are those of the store; no runs at all
 * are TOSST_FAILED_INPUT. */
TosstDocument *tosst_report_new (TosstStore *store, const gint64 *runs, gsize n, GError **error);

/* The same as a file (tosst_document_save()), dated by the end of the last run. */
gboolean tosst_report_save (TosstStore *store, const gint64 *runs, gsize n, GFile *file, GError **error);

G_END_DECLS
