/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/sweep/sweep-choice.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"

#define MOST_CURVES 8 /* that are chosen unasked: colours and marks tell no more apart */

/* Of samples with several labels the first one is an average precision. */
void
studio_sweep_choice_fill_metrics (GtkWidget *drop_down, const TosstSweep *sweep)
{
  guint chosen = gtk_drop_down_get_selected (GTK_DROP_DOWN (drop_down));
  g_autoptr (GtkStringList) metrics = gtk_string_list_new (NULL);

  for (guint m = 0; m < STUDIO_SWEEP_N_METRICS; m++)
    gtk_string_list_append (metrics, studio_sweep_metric_label (m, sweep));
  gtk_drop_down_set_model (GTK_DROP_DOWN (drop_down), G_LIST_MODEL (metrics));
  if (chosen < STUDIO_SWEEP_N_METRICS)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (drop_down), chosen);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = studio_label (NULL, NULL);

  g_object_set (label, "ellipsize", PANGO_ELLIPSIZE_MIDDLE, "max-width-chars", 18, NULL);
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  const char *text = gtk_string_object_get_string (gtk_list_item_get_item (item));

  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), text);
  gtk_widget_set_tooltip_text (gtk_list_item_get_child (item), text);
}

void
studio_sweep_choice_shorten (GtkWidget *drop_down)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  g_object_set (drop_down, "list-factory", gtk_drop_down_get_factory (GTK_DROP_DOWN (drop_down)), NULL);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  gtk_drop_down_set_factory (GTK_DROP_DOWN (drop_down), factory);
}

void
studio_sweep_choice_fill (GtkWidget *x, GtkWidget *by, const GPtrArray *varying, const GPtrArray *axes)
{
  g_autoptr (GtkStringList) first = gtk_string_list_new (NULL), second = gtk_string_list_new (NULL);

  gtk_string_list_append (second, _ ("Nothing"));
  for (guint i = 0; i < varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (varying, i);
      gboolean tied = ((const TosstSweepAxis *)axes->pdata[i])->tied != NULL;
      g_autofree char *label = tied ? studio_sweep_label (axes, p, TRUE) : g_strdup (_ (p->label));

      gtk_string_list_append (first, label);
      gtk_string_list_append (second, label);
    }
  gtk_drop_down_set_model (GTK_DROP_DOWN (x), G_LIST_MODEL (first));
  gtk_drop_down_set_model (GTK_DROP_DOWN (by), G_LIST_MODEL (second));
}

void
studio_sweep_choice_suggest (GtkWidget *x, GtkWidget *by, const GPtrArray *varying, const StudioSweepPlan *plan)
{
  guint first = 0, second = 0;

  while (first < varying->len
         && ((const TosstParameter *)g_ptr_array_index (varying, first))->type != TOSST_PARAMETER_REAL
         && ((const TosstParameter *)g_ptr_array_index (varying, first))->type != TOSST_PARAMETER_INTEGER)
    first++;
  if (first == varying->len)
    first = 0;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (x), first);
  while (second < varying->len && (second == first || plan->values[second].n > MOST_CURVES))
    second++;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (by), second < varying->len ? second + 1 : 0);
}
