/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The first page of a window needs neither recipe nor views. They are made after its first frame, one in each iteration of
 * the main loop and before all events that the window could receive, or at once by what needs them earlier. */

#include "studio/app/window-private.h"

static GHashTable *actions; /* of all windows: name to GtkWidgetActionActivateFunc */

void
studio_window_complete (StudioWindow *self)
{
  g_clear_handle_id (&self->making, g_source_remove);
  while (self->make_next != NULL)
    self->make_next (self);
}

static void
activate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWidgetActionActivateFunc function = (GtkWidgetActionActivateFunc)g_hash_table_lookup (actions, name);

  studio_window_complete ((StudioWindow *)widget);
  function (widget, name, parameter);
}

void
studio_window_install_action (GtkWidgetClass *widget_class, const char *name, const char *type,
                              GtkWidgetActionActivateFunc function)
{
  if (actions == NULL)
    actions = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (actions, (gpointer)g_intern_string (name), (gpointer)function);
  gtk_widget_class_install_action (widget_class, name, type, activate);
}

/* When the window becomes active or inactive, fills the screen or leaves it, or presenter mode changes, GTK computes the
 * style of every visible widget before the next frame. More than half of them are in views that are not shown, and in the
 * recipe where it is hidden; these are left out of that frame, and follow one by one, or at once where one is to be shown.
 * The layout stays as it is: the stack of views asks for the size of the shown one only and expands by its own property,
 * and the place of the recipe keeps its width.
 */

#define N_PARTS 9

typedef GtkWidget *Parts[N_PARTS]; /* NULL: not yet made */

static void
list_parts (StudioWindow *self, Parts parts)
{
  const Parts all = { self->data_view,  self->learn_view,   self->atoms_view,   self->inspect_view, self->results_view,
                      self->sweep_view, self->compare_view, self->predict_view, self->panel };

  memcpy (parts, all, sizeof all);
}

static void
set_shown (StudioWindow *self, GtkWidget *part, gboolean shown)
{
  int width = -1;

  if (part == self->panel && !shown)
    gtk_widget_measure (self->recipe_place, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  if (part == self->panel)
    gtk_widget_set_size_request (self->recipe_place, width, -1);
  gtk_widget_set_visible (part, shown);
}

void
studio_window_show_part (StudioWindow *self, GtkWidget *place)
{
  GtkWidget *part = adw_bin_get_child (ADW_BIN (place));

  if (part != NULL && !gtk_widget_get_visible (part))
    set_shown (self, part, TRUE);
}

static gboolean
show_one (GtkWidget *widget, GdkFrameClock *clock, StudioWindow *self)
{
  Parts parts;

  if (self->restyle_at == gdk_frame_clock_get_frame_counter (clock)) /* of what is shown */
    return G_SOURCE_CONTINUE;
  list_parts (self, parts);
  for (guint i = 0; i < N_PARTS; i++)
    if (parts[i] != NULL && !gtk_widget_get_visible (parts[i]))
      {
        set_shown (self, parts[i], TRUE);
        return G_SOURCE_CONTINUE;
      }
  self->restyling = 0;
  return G_SOURCE_REMOVE;
}

void
studio_window_will_restyle (StudioWindow *self)
{
  Parts parts;

  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  list_parts (self, parts);
  for (guint i = 0; i < N_PARTS; i++)
    if (parts[i] != NULL && gtk_widget_get_visible (parts[i]) && !gtk_widget_get_mapped (parts[i]))
      set_shown (self, parts[i], FALSE);
  self->restyle_at = gdk_frame_clock_get_frame_counter (gtk_widget_get_frame_clock (GTK_WIDGET (self))) + 1;
  if (self->restyling == 0)
    self->restyling = gtk_widget_add_tick_callback (GTK_WIDGET (self), (GtkTickCallback)show_one, self, NULL);
}
