/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/predict/predict-item.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "core/predict/draw-map.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

G_DEFINE_FINAL_TYPE (StudioPredictItem, studio_predict_item, G_TYPE_OBJECT)

static void
forget_prediction (StudioPredictItem *self)
{
  g_clear_pointer (&self->model, tosst_model_free);
  g_clear_pointer (&self->margins, g_free);
  g_clear_pointer (&self->probabilities, g_free);
  g_clear_pointer (&self->problem, g_free);
  self->class_index = -1;
}

STUDIO_DEFINE_FINALIZE_WITH (StudioPredictItem, studio_predict_item, forget_prediction (self), (file, g_object_unref),
                             (texture, g_object_unref), (name, g_free), (truth, g_free))

static void
studio_predict_item_class_init (StudioPredictItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_predict_item_finalize;
  studio_add_signal (klass, "changed", 0);
}

static void
studio_predict_item_init (StudioPredictItem *self)
{
  self->class_index = -1;
}

StudioPredictItem *
studio_predict_item_new (GFile *file)
{
  static guint last;
  StudioPredictItem *self = g_object_new (STUDIO_TYPE_PREDICT_ITEM, NULL);
  g_autofree char *base = g_file_get_basename (file);

  self->id = ++last;
  self->file = g_object_ref (file);
  self->name = g_filename_display_name (base);
  return self;
}

static void
set_state (StudioPredictItem *self, StudioPredictState state)
{
  self->state = state;
  g_signal_emit_by_name (self, "changed");
}

void
studio_predict_item_wait (StudioPredictItem *self)
{
  forget_prediction (self);
  set_state (self, STUDIO_PREDICT_WAITING);
}

void
studio_predict_item_fail (StudioPredictItem *self, const char *problem)
{
  forget_prediction (self);
  self->problem = g_strdup (problem);
  set_state (self, STUDIO_PREDICT_FAILED);
}

void
studio_predict_item_set (StudioPredictItem *self, TosstModel *model, int class_index, double *margins, gboolean trained)
{
  forget_prediction (self);
  self->model = tosst_model_share (model);
  self->class_index = class_index;
  self->margins = margins;
  self->probabilities = g_new (double, tosst_model_classes (model));
  if (trained || !tosst_model_probabilities (model, margins, self->probabilities))
    g_clear_pointer (&self->probabilities, g_free);
  set_state (self, STUDIO_PREDICT_DONE);
}

void
studio_predict_item_set_texture (StudioPredictItem *self, GdkTexture *texture)
{
  g_set_object (&self->texture, texture);
  g_signal_emit_by_name (self, "changed");
}

/* The classes that it shows: "person, chair", or with their probabilities "person 94 %, chair 61 %". */
static char *
list_classes (const StudioPredictItem *self, gboolean probabilities)
{
  GString *list = g_string_new (NULL);

  for (int c = 0; c < tosst_model_classes (self->model); c++)
    if (tosst_model_shows (self->model, self->margins, c))
      {
        g_autofree char *value = probabilities ? studio_predict_item_format (self, c) : g_strdup ("");

        g_string_append_printf (list, "%s%s%s%s", list->len > 0 ? ", " : "", self->model->class_names[c],
                                *value != '\0' ? " " : "", value);
      }
  return g_string_free (list, FALSE);
}

static char *
class_of (const StudioPredictItem *self, gboolean probabilities)
{
  return tosst_recipe_has_several_labels (self->model->recipe)
             ? list_classes (self, probabilities && self->probabilities != NULL)
             : g_strdup (self->model->class_names[self->class_index]);
}

char *
studio_predict_item_format (const StudioPredictItem *self, int class_index)
{
  return self->probabilities != NULL ? tosst_probability_label (self->probabilities[class_index])
                                     : studio_format_decimals (self->margins[class_index], 2);
}

double
studio_predict_item_lead (const StudioPredictItem *self)
{
  const double *values = self->probabilities != NULL ? self->probabilities : self->margins;
  double least = INFINITY;

  for (int c = 0;
       self->state == STUDIO_PREDICT_DONE && self->model->sigmoids != NULL && c < tosst_model_classes (self->model);
       c++)
    least = fmin (least, fabs (values[c] - 0.5));
  if (isfinite (least))
    return least;
  if (self->state != STUDIO_PREDICT_DONE || tosst_model_classes (self->model) < 2)
    return INFINITY;
  g_autofree int *order = tosst_margins_order (values, tosst_model_classes (self->model));
  return values[order[0]] - values[order[1]];
}

char *
studio_predict_item_describe (StudioPredictItem *self)
{
  g_autofree char *classes = NULL;

  switch (self->state)
    {
    case STUDIO_PREDICT_DONE:
      classes = class_of (self, TRUE);
      return *classes != '\0' ? g_steal_pointer (&classes) : g_strdup (_ ("none of the classes"));
    case STUDIO_PREDICT_FAILED:
      return g_strdup (_ ("Not predicted"));
    case STUDIO_PREDICT_CANCELLED:
      return g_strdup (_ ("Cancelled"));
    case STUDIO_PREDICT_WAITING:
    default:
      return g_strdup (_ ("Waiting…"));
    }
}

guint
studio_predict_items_count (GListModel *items, StudioPredictState state)
{
  guint found = 0;

  STUDIO_EACH (StudioPredictItem, item, items)
    found += item->state == state;
  return found;
}

StudioPredictItem *
studio_predict_items_find (GListModel *items, guint id)
{
  STUDIO_EACH (StudioPredictItem, item, items)
    if (item->id == id)
      return item; /* held by the list */
  return NULL;
}

void
studio_predict_items_wait (GListModel *items)
{
  STUDIO_EACH (StudioPredictItem, item, items)
    studio_predict_item_wait (item);
}

void
studio_predict_items_cancel (GListModel *items)
{
  STUDIO_EACH (StudioPredictItem, item, items)
    if (item->state == STUDIO_PREDICT_WAITING)
      set_state (item, STUDIO_PREDICT_CANCELLED);
}

void
studio_predict_items_set_truth (GListModel *items, GFile *file, const char *class_name, guint from_run)
{
  STUDIO_EACH (StudioPredictItem, item, items)
    {
      if (!g_file_equal (item->file, file))
        continue;
      item->from_run = item->truth == NULL ? from_run : item->from_run;
      g_free (item->truth);
      item->truth = g_strdup (class_name);
      g_signal_emit_by_name (item, "changed");
    }
}

guint
studio_predict_items_add_corrections (GListModel *items, guint run, StudioPredictQuestion *question)
{
  STUDIO_EACH (StudioPredictItem, item, items)
    {
      char **names = question->model->class_names;

      for (int c = 0; item->truth != NULL && item->from_run > run && names[c] != NULL; c++)
        if (strcmp (names[c], item->truth) == 0)
          {
            g_array_append_val (question->corrections, ((StudioPredictFile){ 0, g_object_ref (item->file) }));
            g_array_append_val (question->labels, c);
          }
    }
  return question->corrections->len;
}

static void
append_number (GString *csv, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (csv, ",%s", g_ascii_formatd (text, sizeof text, "%.6g", value));
}

char *
studio_predict_items_to_csv (GListModel *items, const TosstModel *model)
{
  GString *csv = g_string_new ("image,class,margin,corrected");

  for (char **name = model->class_names; *name != NULL; name++)
    {
      g_string_append_c (csv, ',');
      tosst_csv_append_field (csv, *name);
    }
  g_string_append (csv, ",probability\n");
  STUDIO_EACH (StudioPredictItem, item, items)
    if (item->state == STUDIO_PREDICT_DONE && item->model == model)
      {
        g_autofree char *path = g_file_get_parse_name (item->file), *classes = class_of (item, FALSE);

        tosst_csv_append_field (csv, path);
        g_string_append_c (csv, ',');
        tosst_csv_append_field (csv, classes);
        append_number (csv, item->margins[item->class_index]);
        g_string_append_c (csv, ',');
        tosst_csv_append_field (csv, item->truth != NULL ? item->truth : "");
        for (int c = 0; c < tosst_model_classes (item->model); c++)
          append_number (csv, item->margins[c]);
        if (item->probabilities != NULL)
          append_number (csv, item->probabilities[item->class_index]);
        else
          g_string_append_c (csv, ',');
        g_string_append_c (csv, '\n');
      }
  return g_string_free (csv, FALSE);
}

char *
studio_predict_items_summarise (GListModel *items, const TosstModel *model)
{
  int classes = tosst_model_classes (model);
  g_autofree double *count = g_new0 (double, classes);
  g_autoptr (GString) text = g_string_new (NULL);

  STUDIO_EACH (StudioPredictItem, item, items)
    if (item->state == STUDIO_PREDICT_DONE && item->model == model)
      count[item->class_index]++;
  g_autofree int *order = tosst_margins_order (count, classes);
  for (int i = 0; i < classes && count[order[i]] > 0; i++)
    g_string_append_printf (text, "%s%s %.0f", i > 0 ? " · " : "", model->class_names[order[i]], count[order[i]]);
  return text->len > 0 && !tosst_recipe_has_several_labels (model->recipe)
             ? g_string_free (g_steal_pointer (&text), FALSE)
             : NULL;
}

void
studio_predict_items_add_waiting (GListModel *items, StudioPredictItem *first, StudioPredictQuestion *question)
{
  if (first != NULL && first->state == STUDIO_PREDICT_WAITING)
    studio_predict_question_add (question, first->id, first->file);
  STUDIO_EACH (StudioPredictItem, item, items)
    if (item != first && item->state == STUDIO_PREDICT_WAITING)
      studio_predict_question_add (question, item->id, item->file);
}
