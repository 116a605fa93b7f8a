/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/tab-stop.h"

/* GTK's lists move the focus from row to row with the Tab key. GTK 4.12 has a property against it; with 4.8 only a
 * container can move the focus to the next widget. */

struct _StudioTabStop
{
  AdwBin parent_instance;
};

G_DEFINE_FINAL_TYPE (StudioTabStop, studio_tab_stop, ADW_TYPE_BIN)

static gboolean
has_focus_inside (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  return focus != NULL && gtk_widget_is_ancestor (focus, widget);
}

static gboolean
studio_tab_stop_focus (GtkWidget *widget, GtkDirectionType direction)
{
  gboolean tab = direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_TAB_BACKWARD;

  if (tab && has_focus_inside (widget))
    return FALSE;
  return GTK_WIDGET_CLASS (studio_tab_stop_parent_class)->focus (widget, direction);
}

static void
studio_tab_stop_class_init (StudioTabStopClass *klass)
{
  GTK_WIDGET_CLASS (klass)->focus = studio_tab_stop_focus;
}

static void
studio_tab_stop_init (StudioTabStop *self)
{
}
