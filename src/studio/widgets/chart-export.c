/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Copies and files of a chart. */

#include "config.h"

#include "studio/widgets/chart-view-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "studio/tasks/background-write.h"
#include "studio/widgets/build.h"
#include "studio/widgets/save-dialog.h"

#define SAVED_WIDTH 900
#define SAVED_HEIGHT 560

void
studio_chart_draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_chart_draw (data, cr, width, height, style);
}

static void
copy_picture (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioChartView *self = (StudioChartView *)widget;
  g_autoptr (TosstChart) copy = self->chart != NULL ? tosst_chart_copy (self->chart) : NULL;

  if (copy != NULL)
    studio_copy_drawing (widget, studio_chart_draw, copy);
}

static void
copy_numbers (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioChartView *self = (StudioChartView *)widget;
  g_autofree char *csv = self->chart != NULL ? tosst_chart_to_csv (self->chart) : NULL;

  if (csv != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), csv);
}

static gboolean
write_chart (gpointer data, GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_basename (file), *lower = g_ascii_strdown (name, -1), *csv = NULL;

  if (!g_str_has_suffix (lower, ".csv"))
    return tosst_chart_save (data, SAVED_WIDTH, SAVED_HEIGHT, file, error);
  csv = tosst_chart_to_csv (data);
  return tosst_atomic_write (file, csv, strlen (csv), error);
}

static void
on_written (GObject *object, GFile *file, const char *problem)
{
  GtkWidget *toasts = gtk_widget_get_ancestor (GTK_WIDGET (object), ADW_TYPE_TOAST_OVERLAY);
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *text = problem != NULL ? g_strdup (problem) : g_strdup_printf (_ ("Exported “%s”"), name);

  if (toasts != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (toasts), studio_toast_new (text));
}

static void
free_chart (gpointer chart)
{
  tosst_chart_free (chart);
}

static void
on_file_chosen (GtkWidget *widget, const char *kind, GFile *file)
{
  StudioChartView *self = (StudioChartView *)widget;

  if (self->chart != NULL)
    studio_write_in_background (file, write_chart, tosst_chart_copy (self->chart), free_chart, G_OBJECT (self),
                                on_written);
}

static void
save_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  static const StudioSaveKind kinds[] = {
    { "chart", N_ ("Export Chart (SVG, PDF, PNG or CSV)"), "chart.svg", "svg pdf png csv" },
  };

  studio_save_dialog (widget, kinds, G_N_ELEMENTS (kinds), "chart", on_file_chosen);
}

void
studio_chart_install_exports (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "chart.copy-picture", NULL, copy_picture);
  gtk_widget_class_install_action (widget_class, "chart.copy-numbers", NULL, copy_numbers);
  gtk_widget_class_install_action (widget_class, "chart.save-as", NULL, save_as);
}
