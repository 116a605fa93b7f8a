/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* Two parts of a view side by side, or, where its width does not suffice, one of them at a time: the first is a page, the
 * last another one with a button back. Properties: "child", the box or paned that has the parts as its first and last
 * children; "share", the part of the width that the first one has in a paned before the user moves the handle. */
#define STUDIO_TYPE_FOLD (studio_fold_get_type ())
G_DECLARE_FINAL_TYPE (StudioFold, studio_fold, STUDIO, FOLD, GtkWidget)

void studio_fold_show_last (StudioFold *self, gboolean last); /* no effect while both have room, but remembered */
void studio_fold_open (StudioFold *self);                     /* the same with TRUE, for templates */
