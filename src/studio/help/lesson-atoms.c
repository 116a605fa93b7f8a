/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "studio/atoms/atom-browser.h"
#include "studio/atoms/atom-panel.h"
#include "studio/help/lesson-parts.h"
#include "studio/help/lesson-widgets.h"
#include "studio/widgets/build.h"

#define TILE 48 /* pixels */

struct _StudioLessonAtomsView
{
  AdwBin parent_instance;
  StudioWorker *worker;     /* NULL: not yet */
  StudioLessonAtoms *atoms; /* NULL: not yet */
  GtkWidget *stack, *browser, *panel;
};

G_DEFINE_FINAL_TYPE (StudioLessonAtomsView, studio_lesson_atoms_view, ADW_TYPE_BIN)

static void
on_chosen (StudioLessonAtomsView *self, int number)
{
  g_autoptr (GArray) groups = studio_atom_set_groups (self->atoms->atoms, NULL);
  g_autoptr (StudioAtom) atom = studio_atom_new (self->atoms->atoms, number, groups);

  studio_atom_panel_set_atom (STUDIO_ATOM_PANEL (self->panel), atom);
}

static void
on_atoms (gpointer data)
{
  StudioLessonAtomsView *self = data;
  StudioAtomBrowser *browser = STUDIO_ATOM_BROWSER (self->browser);

  if (!studio_lesson_atoms_take (self->worker, self->stack, &self->atoms))
    return;
  studio_atom_browser_set_atoms (browser, self->atoms->atoms);
  studio_atom_browser_set_tiles (browser, TRUE, TILE, 1);
  studio_atom_browser_choose (browser, studio_atom_browser_get_atom (browser, 0));
  on_chosen (self, studio_atom_browser_get_atom (browser, 0));
}

static void
on_map (StudioLessonAtomsView *self)
{
  if (self->worker == NULL)
    self->worker = studio_lesson_atoms_learn (on_atoms, self);
}

static void
studio_lesson_atoms_view_dispose (GObject *object)
{
  StudioLessonAtomsView *self = STUDIO_LESSON_ATOMS_VIEW (object);

  g_clear_pointer (&self->worker, studio_worker_free);
  g_clear_pointer (&self->atoms, studio_lesson_atoms_free);
  G_OBJECT_CLASS (studio_lesson_atoms_view_parent_class)->dispose (object);
}

static void
studio_lesson_atoms_view_class_init (StudioLessonAtomsViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_lesson_atoms_view_dispose;
}

static void
studio_lesson_atoms_view_init (StudioLessonAtomsView *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->browser = g_object_new (STUDIO_TYPE_ATOM_BROWSER, NULL);
  studio_set_name (self->browser, _ ("Atoms"));
  self->panel = g_object_new (STUDIO_TYPE_ATOM_PANEL, "vexpand", TRUE, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->browser);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request (scroller, -1, 164);
  g_signal_connect_swapped (self->browser, "chosen", G_CALLBACK (on_chosen), self);
  self->stack = studio_lesson_atoms_stack (studio_column (0, scroller, self->panel, NULL));
  adw_bin_set_child (ADW_BIN (self), self->stack);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
}

gboolean
studio_lesson_atoms_view_is_ready (GtkWidget *widget)
{
  return STUDIO_LESSON_ATOMS_VIEW (widget)->atoms != NULL;
}
