/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "studio/atoms/atom-grid.h"
#include "studio/atoms/atom-panel.h"
#include "studio/help/lesson-widgets.h"
#include "studio/widgets/build.h"

#define TILE 48 /* pixels */

typedef struct
{
  StudioLessonState base;
  GtkWidget *browser, *panel;
} Lesson;

static void
on_chosen (Lesson *self, int number)
{
  g_autoptr (GArray) groups = studio_atom_set_groups (self->base.atoms->atoms, NULL);
  g_autoptr (StudioAtom) atom = studio_atom_new (self->base.atoms->atoms, number, groups);

  studio_atom_panel_set_atom (STUDIO_ATOM_PANEL (self->panel), atom);
}

static void
ready (Lesson *self)
{
  StudioAtomGrid *browser = STUDIO_ATOM_GRID (self->browser);

  studio_atom_grid_set_dictionary (browser, self->base.atoms->atoms);
  studio_atom_grid_set_tiles (browser, TRUE, TILE, 1);
  studio_atom_grid_choose (browser, browser->sorted[0]);
  on_chosen (self, browser->sorted[0]);
}

static GtkWidget *
build (Lesson *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->browser = g_object_new (STUDIO_TYPE_ATOM_GRID, "margin-start", 18, "margin-end", 18, "margin-top", 5, NULL);
  studio_set_name (self->browser, _ ("Atoms"));
  self->panel = g_object_new (STUDIO_TYPE_ATOM_PANEL, "vexpand", TRUE, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->browser);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request (scroller, -1, 164);
  g_signal_connect_swapped (self->browser, "chosen", G_CALLBACK (on_chosen), self);
  return studio_column (0, scroller, self->panel, NULL);
}

STUDIO_LESSON_KIND (atoms, Lesson, build, NULL, ready, NULL, NULL, NULL);
