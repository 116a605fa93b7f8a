/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Makes rows of a list of StudioPredictItem: picture, name and class. New. */
GtkListItemFactory *studio_predict_row_factory_new (void);

G_END_DECLS
