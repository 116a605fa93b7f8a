/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include <gtk/gtk.h>

/* A row of children that continues in further lines where its width does not suffice, as words in a paragraph. Children
 * with hexpand share what is left of their line; a single line has the height of the row. For tool bars and parts of views
 * in narrow windows. Properties: "spacing"; "by-minimum", whether children need their minimal width instead of their
 * natural one; "in-columns": several lines have columns of equal width, as evenly filled as possible. With the CSS class
 * "stats" there are hairlines between children. */
#define STUDIO_TYPE_WRAP (studio_wrap_get_type ())
G_DECLARE_FINAL_TYPE (StudioWrap, studio_wrap, STUDIO, WRAP, GtkWidget)

/* A container of a list with a single stop of the Tab key, at the row that was focused last; arrow keys move between
 * rows. */
#define STUDIO_TYPE_TAB_STOP (studio_tab_stop_get_type ())
G_DECLARE_FINAL_TYPE (StudioTabStop, studio_tab_stop, STUDIO, TAB_STOP, AdwBin)
