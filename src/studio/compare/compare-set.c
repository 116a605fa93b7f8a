/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/compare/compare-set.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/report/against.h"
#include "studio/tasks/shared.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/drawing.h"

#define SIZE 12

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  int color = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (area), "color"));
  TosstChartStyle style;
  double rgb[3];

  if (color < 0)
    return;
  studio_chart_style (GTK_WIDGET (area), &style);
  tosst_chart_color (&style, (guint)color, rgb);
  cairo_set_source_rgb (cr, rgb[0], rgb[1], rgb[2]);
  cairo_arc (cr, width / 2.0, height / 2.0, SIZE / 2.0, 0, 2 * G_PI);
  cairo_fill (cr);
}

GtkWidget *
studio_run_swatch_new (int color)
{
  GtkWidget *swatch = g_object_new (GTK_TYPE_DRAWING_AREA, "valign", GTK_ALIGN_CENTER, "content-width", SIZE,
                                    "content-height", SIZE, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (swatch), draw, NULL, NULL);
  studio_run_swatch_set_color (swatch, color);
  studio_watch_style (swatch, gtk_widget_queue_draw);
  return swatch;
}

void
studio_run_swatch_set_color (GtkWidget *swatch, int color)
{
  g_object_set_data (G_OBJECT (swatch), "color", GINT_TO_POINTER (color));
  gtk_widget_queue_draw (swatch);
}

GtkWidget *
studio_run_caption_new (int color, const char *text, const char *css_class)
{
  GtkWidget *label = studio_label (text, css_class, NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  return studio_row (6, studio_run_swatch_new (color), label, NULL);
}

G_DEFINE_FINAL_TYPE (StudioCompareSet, studio_compare_set, G_TYPE_OBJECT)

/* Reports. */

STUDIO_DEFINE_UNREF (StudioRunReport, studio_run_report_unref, (run, tosst_report_run_free))

/* Reading. */

typedef struct
{
  GFile *file;
  gint64 run;
  guint serial;
  StudioRunReport *report; /* the result */
} Reading;

TOSST_DEFINE_FREE (Reading, reading_free, (file, g_object_unref), (report, studio_run_report_unref))

static gboolean
read_work (Reading *reading, GError **error)
{
  g_autoptr (TosstStore) store = tosst_store_open (reading->file, TOSST_STORE_READ, error);
  TosstReportRun *run = store != NULL ? tosst_report_run_load (store, reading->run, error) : NULL;

  if (run == NULL)
    return FALSE;
  reading->report = g_atomic_rc_box_new0 (StudioRunReport);
  reading->report->run = run;
  return TRUE;
}

static void
on_read (StudioCompareSet *self, Reading *reading, const GError *error)
{
  for (guint i = 0; i < self->runs->len; i++)
    {
      StudioComparedRun *run = self->runs->pdata[i];

      if (run->serial != reading->serial)
        continue;
      g_clear_pointer (&run->report, studio_run_report_unref);
      g_clear_pointer (&run->problem, g_free);
      run->report = g_steal_pointer (&reading->report);
      run->problem = error != NULL ? g_strdup (error->message) : NULL;
      g_signal_emit_by_name (self, "changed");
      return;
    }
}

/* The previous data are kept until these are read. */
static void
read_run (StudioCompareSet *self, StudioComparedRun *run)
{
  const TosstStoreRun *now = run->row->run;
  Reading *reading = g_new0 (Reading, 1);

  reading->serial = run->serial = ++self->last_serial;
  run->state = now->state;
  run->splits_done = now->splits_done;
  reading->file = g_object_ref (self->list->file);
  reading->run = now->id;
  studio_task_run (self, read_work, reading, reading_free, on_read);
}

/* Runs. */

TOSST_DEFINE_FREE (StudioComparedRun, run_free, (row, g_object_unref), (report, studio_run_report_unref),
                   (problem, g_free), (name, g_free))

static guint
free_slot (StudioCompareSet *self)
{
  for (guint slot = 0;; slot++)
    {
      gboolean taken = FALSE;

      for (guint i = 0; i < self->runs->len; i++)
        taken |= ((StudioComparedRun *)self->runs->pdata[i])->slot == slot;
      if (!taken)
        return slot;
    }
}

static int
index_of (StudioCompareSet *self, StudioRunRow *row)
{
  for (guint i = 0; i < self->runs->len; i++)
    if (((StudioComparedRun *)self->runs->pdata[i])->row == row)
      return (int)i;
  return -1;
}

/* Whether the run was renamed. */
static gboolean
update_name (StudioComparedRun *run)
{
  g_autofree char *before = run->name;

  run->name = studio_run_row_get_heading (run->row);
  return g_strcmp0 (before, run->name) != 0;
}

/* Deleted runs are removed from the comparison, changed ones are read again. */
static void
on_list_changed (StudioCompareSet *self)
{
  gboolean changed = FALSE;

  for (guint i = self->runs->len; i-- > 0;)
    {
      StudioComparedRun *run = self->runs->pdata[i];
      const TosstStoreRun *now = run->row->run;

      if (studio_run_list_find (self->list, now->id) != run->row)
        {
          g_ptr_array_remove_index (self->runs, i);
          changed = TRUE;
          continue;
        }
      changed |= update_name (run);
      if (now->state != run->state || now->splits_done != run->splits_done)
        read_run (self, run);
    }
  if (changed)
    g_signal_emit_by_name (self, "changed");
}

STUDIO_DEFINE_FINALIZE_WITH (StudioCompareSet, studio_compare_set,
                             g_signal_handlers_disconnect_by_data (self->list, self), (runs, g_ptr_array_unref),
                             (list, g_object_unref))

static void
studio_compare_set_class_init (StudioCompareSetClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_compare_set_finalize;
  studio_add_signal (klass, "changed", 0);
  studio_add_signal (klass, "chosen", 0);
}

static void
studio_compare_set_init (StudioCompareSet *self)
{
  self->runs = g_ptr_array_new_with_free_func (run_free);
}

StudioCompareSet *
studio_compare_set_new (StudioRunList *list)
{
  StudioCompareSet *self = g_object_new (STUDIO_TYPE_COMPARE_SET, NULL);

  self->list = g_object_ref (list);
  g_signal_connect_swapped (list, "changed", G_CALLBACK (on_list_changed), self);
  return self;
}

static void
say_chosen (StudioCompareSet *self)
{
  g_signal_emit_by_name (self, "chosen");
  g_signal_emit_by_name (self, "changed");
}

void
studio_compare_set_add (StudioCompareSet *self, StudioRunRow *row)
{
  if (index_of (self, row) >= 0)
    return;
  StudioComparedRun *run = g_new0 (StudioComparedRun, 1);
  run->slot = free_slot (self);
  run->color = (guint)(row->run->id - 1);
  run->row = g_object_ref (row);
  run->name = studio_run_row_get_heading (row);
  g_ptr_array_add (self->runs, run);
  read_run (self, run);
  say_chosen (self);
}

void
studio_compare_set_remove (StudioCompareSet *self, StudioRunRow *row)
{
  int i = index_of (self, row);

  if (i < 0)
    return;
  g_ptr_array_remove_index (self->runs, (guint)i);
  say_chosen (self);
}

void
studio_compare_set_choose (StudioCompareSet *self, StudioRunRow *row, gboolean chosen)
{
  if (chosen)
    studio_compare_set_add (self, row);
  else
    studio_compare_set_remove (self, row);
}

void
studio_compare_set_clear (StudioCompareSet *self)
{
  g_ptr_array_set_size (self->runs, 0);
  say_chosen (self);
}

void
studio_compare_set_make_first (StudioCompareSet *self, StudioRunRow *row)
{
  int i = index_of (self, row);

  if (i <= 0)
    return;
  g_ptr_array_insert (self->runs, 0, g_ptr_array_steal_index (self->runs, (guint)i));
  say_chosen (self);
}

const StudioComparedRun *
studio_compare_set_find (StudioCompareSet *self, StudioRunRow *row)
{
  int i = index_of (self, row);

  return i >= 0 ? self->runs->pdata[i] : NULL;
}

const StudioComparedRun *
studio_compare_set_at (StudioCompareSet *self, guint i)
{
  return self->runs->pdata[i];
}

guint
studio_compare_set_slots (StudioCompareSet *self)
{
  guint slots = 0;

  for (guint i = 0; i < self->runs->len; i++)
    slots = MAX (slots, ((StudioComparedRun *)self->runs->pdata[i])->slot + 1);
  return slots;
}

StudioAlike
studio_compare_set_alike (StudioCompareSet *self)
{
  StudioAlike alike = STUDIO_ALIKE_OBJECTIVE;

  for (guint i = 1; i < self->runs->len; i++)
    {
      const StudioComparedRun *first = studio_compare_set_at (self, 0), *run = studio_compare_set_at (self, i);
      const TosstRecipe *a = first->report != NULL ? first->report->run->recipe : NULL,
                        *b = run->report != NULL ? run->report->run->recipe : NULL;

      if (g_strcmp0 (first->row->run->data, run->row->run->data) != 0)
        return STUDIO_ALIKE_NOTHING;
      if (a != NULL && b != NULL && !tosst_recipes_are_alike (a, b, FALSE))
        alike = STUDIO_ALIKE_IMAGES;
      else if (a != NULL && b != NULL && !tosst_recipes_are_alike (a, b, TRUE))
        alike = MIN (alike, STUDIO_ALIKE_TESTS);
    }
  return alike;
}

const char *
studio_compare_set_score_label (StudioCompareSet *self)
{
  const char *label = NULL;

  for (guint i = 0; i < self->runs->len; i++)
    {
      const char *next = studio_run_row_get_score_label (studio_compare_set_at (self, i)->row);

      if (label != NULL && strcmp (label, next) != 0)
        return _ ("Accuracy, or mean average precision");
      label = next;
    }
  return label != NULL ? label : tosst_score_label (TOSST_SCORE_ACCURACY);
}
