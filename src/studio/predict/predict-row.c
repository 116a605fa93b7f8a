/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/predict/predict-row.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "studio/predict/predict-item.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

#define SIDE 40
#define MOST_LINES 3 /* of a name, and of why there is no prediction */

static void
let_wrap (GtkWidget *label)
{
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (label), MOST_LINES);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *name = studio_label (NULL, NULL), *detail = studio_label (NULL, "caption", "dim-label", "numeric", NULL);
  GtkWidget *texts = studio_column (2, name, detail, NULL), *picture = studio_thumbnail (SIDE);
  GtkWidget *clamp = g_object_new (ADW_TYPE_CLAMP, "maximum-size", SIDE, "child", picture, NULL);
  GtkWidget *row = studio_row (12, clamp, texts, NULL);

  let_wrap (name);
  let_wrap (detail);
  gtk_widget_set_valign (texts, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (clamp, GTK_ALIGN_CENTER); /* a square, also beside several lines */
  gtk_widget_set_margin_top (row, 3);
  gtk_widget_set_margin_bottom (row, 3);
  gtk_widget_set_hexpand (texts, TRUE);
  g_object_set_data (G_OBJECT (row), "picture", picture);
  g_object_set_data (G_OBJECT (row), "name", name);
  g_object_set_data (G_OBJECT (row), "detail", detail);
  gtk_list_item_set_child (item, row);
}

/* "linen 0.42", "corduroy, not linen" of a correction, or why there is none */
static char *
describe (StudioPredictItem *item)
{
  g_autofree char *text = studio_predict_item_describe (item), *margin = NULL;

  if (item->state == STUDIO_PREDICT_FAILED) /* the name is above */
    return g_str_has_prefix (item->problem, item->name) && g_str_has_prefix (item->problem + strlen (item->name), ": ")
               ? g_strdup (item->problem + strlen (item->name) + 2)
               : g_strdup (item->problem);
  if (item->state != STUDIO_PREDICT_DONE)
    return g_steal_pointer (&text);
  if (item->truth != NULL && g_strcmp0 (item->truth, text) != 0)
    return g_strdup_printf (_ ("%s, not %s"), item->truth, text);
  margin = studio_format_decimals (item->margins[item->class_index], 2);
  return g_strdup_printf ("%s %s", text, margin);
}

static void
show (GtkListItem *list_item, StudioPredictItem *item)
{
  GtkWidget *row = gtk_list_item_get_child (list_item), *detail = g_object_get_data (G_OBJECT (row), "detail");
  g_autofree char *text = describe (item), *both = g_strconcat (item->name, ": ", text, NULL);

  gtk_picture_set_paintable (g_object_get_data (G_OBJECT (row), "picture"),
                             item->texture != NULL ? GDK_PAINTABLE (item->texture) : NULL);
  gtk_label_set_label (g_object_get_data (G_OBJECT (row), "name"), item->name);
  gtk_label_set_label (GTK_LABEL (detail), text);
  studio_set_class (detail, "error", item->state == STUDIO_PREDICT_FAILED);
  studio_set_class (detail, "dim-label", item->state != STUDIO_PREDICT_FAILED);
  gtk_widget_set_tooltip_text (row, item->state == STUDIO_PREDICT_FAILED ? text : NULL);
  studio_name_list_item (list_item, both);
}

static void
on_changed (StudioPredictItem *item, GtkListItem *list_item)
{
  show (list_item, item);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  StudioPredictItem *item = gtk_list_item_get_item (list_item);

  g_signal_connect (item, "changed", G_CALLBACK (on_changed), list_item);
  on_changed (item, list_item);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (list_item), on_changed, list_item);
}

static void
add_delete_key (GtkWidget *list)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();

  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Delete, 0), gtk_named_action_new ("predict.remove")));
  gtk_widget_add_controller (list, keys);
}

void
studio_predict_row_set_up (GtkListView *list)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
  gtk_list_view_set_factory (list, factory);
  add_delete_key (GTK_WIDGET (list));
}
