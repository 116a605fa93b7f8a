/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* The export menu follows the visible view: what its picture and its numbers are, and who writes them. */

typedef struct
{
  const char *view, *picture, *numbers;
} ViewExports;

static const ViewExports exports[] = {
  { "data", "image", "images" },         { "learn", "chart", "curve" },        { "atoms", "atom", "atoms" },
  { "inspect", "patch", "code" },        { "results", "confusion", "counts" }, { "sweep", "picture", "table" },
  { "compare", "objective", "numbers" },
};

/* Who writes it, and under which name. */
typedef struct
{
  GtkWidget *view;  /* the Sweep or the Compare view; NULL: the window */
  const char *kind; /* NULL: nothing of the kind is there */
} Target;

static Target
find_target (StudioWindow *self, const char *kind)
{
  const char *shown = studio_window_get_topic (self);
  const ViewExports *of = NULL;
  gboolean picture = strcmp (kind, "picture") == 0, numbers = strcmp (kind, "numbers") == 0;

  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    if (g_strcmp0 (exports[i].view, shown) == 0)
      of = &exports[i];
  if (picture || numbers)
    kind = of == NULL ? NULL : picture ? of->picture : of->numbers;
  if (g_strcmp0 (shown, "sweep") == 0
      && (picture || numbers
          || (strcmp (kind, "recipe") == 0
              && studio_sweep_view_can_export (STUDIO_SWEEP_VIEW (self->sweep_view), kind))))
    return (Target){ self->sweep_view, kind };
  if (g_strcmp0 (shown, "compare") == 0 && (picture || numbers || strcmp (kind, "report") == 0))
    return (Target){ self->compare_view, kind };
  return (Target){ NULL, kind };
}

gboolean
studio_window_can_export (StudioWindow *self, const char *kind)
{
  Target target = find_target (self, kind);
  StudioCompareSet *set;

  if (target.kind == NULL)
    return FALSE;
  if (target.view == NULL)
    return studio_window_can_write (self, target.kind);
  if (target.view == self->sweep_view)
    return studio_sweep_view_can_export (STUDIO_SWEEP_VIEW (self->sweep_view), target.kind);
  set = studio_compare_view_get_set (STUDIO_COMPARE_VIEW (self->compare_view));
  return set != NULL && studio_compare_set_length (set) > 0;
}

void
studio_window_export (StudioWindow *self, const char *kind, GFile *file)
{
  Target target = find_target (self, kind);

  if (target.kind == NULL)
    studio_window_toast (self, _ ("There is nothing to export yet"));
  else if (target.view == NULL)
    studio_window_write (self, target.kind, file);
  else if (target.view == self->sweep_view)
    studio_sweep_view_export (STUDIO_SWEEP_VIEW (self->sweep_view), target.kind, file);
  else
    studio_compare_view_export (STUDIO_COMPARE_VIEW (self->compare_view), target.kind, file);
}

void
studio_window_export_dialog (StudioWindow *self, const char *kind)
{
  Target target = find_target (self, kind);

  if (target.kind == NULL)
    return;
  if (target.view == NULL)
    studio_window_write_dialog (self, target.kind);
  else if (target.view == self->sweep_view)
    studio_sweep_view_export_dialog (STUDIO_SWEEP_VIEW (self->sweep_view), target.kind);
  else
    gtk_widget_activate_action (target.view, "compare.export", "s", target.kind);
}

void
studio_window_copy_command (StudioWindow *self)
{
  g_autofree char *command = NULL;

  if (find_target (self, "recipe").view != NULL)
    {
      gtk_widget_activate_action (self->sweep_view, "sweep.copy-command", NULL);
      return;
    }
  command = tosst_recipe_command (studio_recipe_model_peek (self->project->model));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), command);
  studio_window_toast (self, _ ("Command copied"));
}

void
studio_window_update_exports (StudioWindow *self)
{
  static const char *const kinds[]
      = { "picture", "numbers", "dictionary", "report", "curve", "chart", "confusion", "atom", "atoms", "patch" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *action = g_strdup_printf ("win.export-%s-as", kinds[i]);
      gtk_widget_action_set_enabled (GTK_WIDGET (self), action, studio_window_can_export (self, kinds[i]));
    }
}

void
studio_window_exports_init (StudioWindow *self)
{
  StudioSweepRunner *sweep = self->project->sweep;
  GtkPopover *menu = gtk_menu_button_get_popover (GTK_MENU_BUTTON (self->menu_button));
  const struct
  {
    gpointer object;
    const char *signal;
  } changes[] = {
    { self->views, "notify::visible-child" }, { menu, "show" }, { sweep, "planned" }, { sweep, "run" },
    { self->compare_view, "changed" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    g_signal_connect_object (changes[i].object, changes[i].signal, G_CALLBACK (studio_window_update_exports), self,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  studio_window_update_exports (self);
}
