/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* Rows of a list of StudioPredictItem: picture, name and class. Delete removes the selected one. */
void studio_predict_row_set_up (GtkListView *list);
