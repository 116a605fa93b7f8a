/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <math.h>

#include "core/base/json-text.h"
#include "core/base/text.h"
#include "core/run/scores.h"

char *
tosst_run_sentence (const TosstRecipe *recipe, const double *accuracy, guint splits, guint classes)
{
  gboolean blocks = tosst_recipe_block (recipe) > 0;
  double low = INFINITY, high = -INFINITY, mean = 0, of, chance;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *guesses = NULL;

  if (tosst_recipe_score (recipe) != TOSST_SCORE_ACCURACY || splits == 0 || classes == 0)
    return NULL;
  for (guint i = 0; i < splits; i++)
    {
      low = fmin (low, accuracy[i]);
      high = fmax (high, accuracy[i]);
      mean += accuracy[i];
    }
  mean /= splits; /* at once: the mean of equal numbers is that number */
  of = mean > 99 && mean < 100 ? 1000 : 100;
  chance = of / classes;
  guesses = g_strdup_printf (chance < 1 ? "%.1g" : "%.0f", chance);
  /* Translators: 97 of 100 new images, and the number that guesses would give */
  g_string_append_printf (text,
                          blocks ? _ ("%.0f of %.0f new blocks of images are classified correctly (chance: %s).")
                                 : _ ("%.0f of %.0f new images are classified correctly (chance: %s)."),
                          mean < 100 ? fmin (rint (mean * of / 100), of - 1) : of, of, guesses);
  if (splits == 1)
    g_string_append_printf (text, " %s", _ ("Another split may give another number."));
  else if (recipe->dataset.protocol != TOSST_PROTOCOL_LEAVE_ONE_OUT)
    g_string_append_printf (
        text, ngettext (" Between %.1f and %.1f %% in %u split.", " Between %.1f and %.1f %% in %u splits.", splits),
        low, high, splits);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* JSON has no NaN or infinity: undefined numbers are null. */
static void
add_number (JsonBuilder *builder, const char *name, double value)
{
  if (name != NULL)
    json_builder_set_member_name (builder, name);
  if (isfinite (value))
    json_builder_add_double_value (builder, value);
  else
    json_builder_add_null_value (builder);
}

/* --- several labels a sample --- */

static void
add_class_scores (JsonBuilder *builder, const TosstRunResult *result, const TosstClassScore *classes)
{
  json_builder_set_member_name (builder, "average_precision");
  json_builder_begin_object (builder);
  for (int i = 0; i < result->classes; i++)
    {
      json_builder_set_member_name (builder, result->class_names[i]);
      json_builder_begin_object (builder);
      add_number (builder, "ap11", classes[i].ap11);
      add_number (builder, "area", classes[i].area);
      json_builder_set_member_name (builder, "positives");
      json_builder_add_int_value (builder, (gint64)classes[i].positives);
      json_builder_set_member_name (builder, "negatives");
      json_builder_add_int_value (builder, (gint64)classes[i].negatives);
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
}

static void
add_means (JsonBuilder *builder, const TosstClassScore *mean)
{
  add_number (builder, "map11", mean->ap11);
  add_number (builder, "map_area", mean->area);
}

/* The average precision of one split. */
static void
add_split_scores (JsonBuilder *builder, const TosstRunResult *result, TosstScores *scores)
{
  g_autofree TosstClassScore *classes = g_new0 (TosstClassScore, result->classes);
  TosstClassScore mean;

  if (scores == NULL || !tosst_scores_summarise (&scores, 1, classes, &mean, NULL))
    return;
  add_means (builder, &mean);
  add_class_scores (builder, result, classes);
}

static void
add_coordinates (JsonBuilder *builder, const char *name, const TosstRecallPoint *curve, gsize n, gsize offset)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (gsize i = 0; i < n; i++)
    add_number (builder, NULL, G_STRUCT_MEMBER (double, &curve[i], offset));
  json_builder_end_array (builder);
}

/* The curves of one split, of the classes with positives. */
static void
add_curves (JsonBuilder *builder, const TosstRunResult *result, const TosstScores *scores)
{
  json_builder_set_member_name (builder, "curves");
  json_builder_begin_object (builder);
  for (int i = 0; i < result->classes; i++)
    {
      gsize n;
      g_autofree TosstRecallPoint *curve = tosst_scores_curve (scores, i, &n, NULL);

      if (n == 0)
        continue;
      json_builder_set_member_name (builder, result->class_names[i]);
      json_builder_begin_object (builder);
      add_coordinates (builder, "recall", curve, n, G_STRUCT_OFFSET (TosstRecallPoint, recall));
      add_coordinates (builder, "precision", curve, n, G_STRUCT_OFFSET (TosstRecallPoint, precision));
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
}

static void
add_scores (JsonBuilder *builder, const TosstRunResult *result)
{
  TosstClassScore mean;
  g_autofree TosstClassScore *classes = tosst_run_result_class_scores (result, &mean, NULL);

  if (classes == NULL)
    return;
  add_means (builder, &mean);
  add_class_scores (builder, result, classes);
  if (result->splits > 0 && result->split[0].scores != NULL)
    add_curves (builder, result, result->split[0].scores);
}

/* --- all results --- */

/* Of each part the accuracy alone, one number per split. */
static void
add_parts (JsonBuilder *builder, const TosstRunResult *result)
{
  const GArray *first = result->splits > 0 ? result->split[0].parts : NULL;

  if (first == NULL)
    return;
  json_builder_set_member_name (builder, "accuracy_parts");
  json_builder_begin_object (builder);
  for (guint i = 0; i < first->len; i++)
    {
      json_builder_set_member_name (builder, g_array_index (first, TosstPartResult, i).name);
      json_builder_begin_array (builder);
      for (int s = 0; s < result->splits; s++)
        add_number (builder, NULL,
                    tosst_run_part_accuracy (&result->split[s], g_array_index (first, TosstPartResult, i).name));
      json_builder_end_array (builder);
    }
  json_builder_end_object (builder);
}

static void
add_splits (JsonBuilder *builder, const TosstRunResult *result)
{
  json_builder_set_member_name (builder, "accuracy");
  json_builder_begin_array (builder);
  for (int s = 0; s < result->splits; s++)
    add_number (builder, NULL, result->split[s].accuracy);
  json_builder_end_array (builder);
  add_parts (builder, result);
  json_builder_set_member_name (builder, "splits");
  json_builder_begin_array (builder);
  for (int s = 0; s < result->splits; s++)
    {
      const TosstSplitResult *split = &result->split[s];
      json_builder_begin_object (builder);
      for (guint i = 0; i < TOSST_SPLIT_OWN_NUMBERS; i++)
        add_number (builder, tosst_split_numbers[i].name,
                    G_STRUCT_MEMBER (double, split, tosst_split_numbers[i].offset));
      if (split->parts != NULL)
        {
          json_builder_set_member_name (builder, "weights");
          json_builder_begin_object (builder);
          for (guint k = 0; k < split->parts->len; k++)
            add_number (builder, g_array_index (split->parts, TosstPartResult, k).name,
                        g_array_index (split->parts, TosstPartResult, k).weight);
          json_builder_end_object (builder);
        }
      if (result->score != TOSST_SCORE_ACCURACY)
        add_split_scores (builder, result, split->scores);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

JsonNode *
tosst_run_result_to_node (const TosstRunResult *result, const TosstRecipe *recipe)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *text = tosst_recipe_to_text (recipe, FALSE);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "score");
  json_builder_add_string_value (builder, tosst_score_name (result->score));
  add_number (builder, "accuracy_mean", result->accuracy_mean);
  add_number (builder, "accuracy_std", result->accuracy_std);
  if (result->score == TOSST_SCORE_ACCURACY)
    add_number (builder, "chance", 100.0 / result->classes);
  json_builder_set_member_name (builder, "duplicates");
  json_builder_begin_array (builder);
  for (char **pair = result->duplicates; pair != NULL && *pair != NULL; pair += 2)
    {
      json_builder_begin_array (builder);
      json_builder_add_string_value (builder, pair[0]);
      json_builder_add_string_value (builder, pair[1]);
      json_builder_end_array (builder);
    }
  json_builder_end_array (builder);
  add_splits (builder, result);
  json_builder_set_member_name (builder, "per_class");
  json_builder_begin_object (builder);
  for (int i = 0; i < result->classes; i++)
    add_number (builder, result->class_names[i], result->per_class[i]);
  json_builder_end_object (builder);
  if (result->score != TOSST_SCORE_ACCURACY)
    add_scores (builder, result);
  json_builder_set_member_name (builder, "seconds");
  json_builder_begin_object (builder);
  for (int i = 0; i < TOSST_N_STAGES; i++)
    add_number (builder, tosst_stage_name (i), result->seconds[i]);
  add_number (builder, "total", result->seconds_total);
  json_builder_end_object (builder);
  add_number (builder, "peak_memory_mb", result->peak_memory_mb);
  json_builder_set_member_name (builder, "tensors");
  json_builder_add_int_value (builder, (gint64)result->tensors);
  json_builder_set_member_name (builder, "images_without_frames");
  json_builder_add_int_value (builder, result->unfound);
  json_builder_set_member_name (builder, "d");
  json_builder_add_int_value (builder, result->d);
  json_builder_set_member_name (builder, "version");
  json_builder_add_string_value (builder, PACKAGE_VERSION);
  json_builder_set_member_name (builder, "recipe");
  json_builder_add_string_value (builder, text);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

char *
tosst_run_result_to_json (const TosstRunResult *result, const TosstRecipe *recipe)
{
  g_autoptr (JsonNode) root = tosst_run_result_to_node (result, recipe);

  return tosst_json_write (root, TRUE);
}

char *
tosst_run_result_confusion_csv (const TosstRunResult *result)
{
  GString *csv = g_string_new ("true\\said");

  for (int i = 0; i < result->classes; i++)
    tosst_csv_next_field (csv, result->class_names[i]);
  g_string_append_c (csv, '\n');
  for (int i = 0; i < result->classes; i++)
    {
      tosst_csv_append_field (csv, result->class_names[i]);
      for (int j = 0; j < result->classes; j++)
        g_string_append_printf (csv, ",%d", result->confusion[i * result->classes + j]);
      g_string_append_c (csv, '\n');
    }
  return g_string_free (csv, FALSE);
}
