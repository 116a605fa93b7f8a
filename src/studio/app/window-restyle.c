/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When the window becomes active or inactive, fills the screen or leaves it, or presenter mode changes, GTK computes the
 * style of every visible widget before the next frame. More than half of them are in views that are not shown; these are
 * left out of that frame, and follow one by one. The stack of views asks for the size of the shown one only, and expands
 * by its own property, so that the layout stays as it is.
 */
#include "config.h"

#include "studio/app/window-private.h"

#define N_VIEWS 8

typedef GtkWidget *Views[N_VIEWS]; /* NULL: not yet made */

static void
list_views (StudioWindow *self, Views views)
{
  const Views all = { self->data_view,    self->learn_view, self->atoms_view,   self->inspect_view,
                      self->results_view, self->sweep_view, self->compare_view, self->predict_view };

  memcpy (views, all, sizeof all);
}

/* The view of the page that is shown now goes first. */
static gboolean
show_one (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  StudioWindow *self = data;
  GtkWidget *next = NULL;
  Views views;

  if (self->restyle_at == gdk_frame_clock_get_frame_counter (clock)) /* of what is shown */
    return G_SOURCE_CONTINUE;
  list_views (self, views);
  for (guint i = 0; i < N_VIEWS; i++)
    if (views[i] != NULL && !gtk_widget_get_visible (views[i])
        && (next == NULL || gtk_widget_get_mapped (gtk_widget_get_parent (views[i]))))
      next = views[i];
  if (next == NULL)
    {
      self->restyling = 0;
      return G_SOURCE_REMOVE;
    }
  gtk_widget_set_visible (next, TRUE);
  return G_SOURCE_CONTINUE;
}

void
studio_window_will_restyle (StudioWindow *self)
{
  Views views;

  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  list_views (self, views);
  for (guint i = 0; i < N_VIEWS; i++)
    if (views[i] != NULL && gtk_widget_get_visible (views[i]) && !gtk_widget_get_mapped (views[i]))
      gtk_widget_set_visible (views[i], FALSE);
  self->restyle_at = gdk_frame_clock_get_frame_counter (gtk_widget_get_frame_clock (GTK_WIDGET (self))) + 1;
  if (self->restyling == 0)
    self->restyling = gtk_widget_add_tick_callback (GTK_WIDGET (self), show_one, self, NULL);
}
