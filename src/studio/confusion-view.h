/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "run.h"

G_BEGIN_DECLS

/* The confusion matrix; a cell under the pointer is read out: "true D3, said D7: 4". */
#define STUDIO_TYPE_CONFUSION_VIEW (studio_confusion_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioConfusionView, studio_confusion_view, STUDIO, CONFUSION_VIEW, GtkWidget)

void studio_confusion_view_set_result (StudioConfusionView *self,
                                       const TosstRunResult *result); /* borrowed; NULL before it goes */

G_END_DECLS
