/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <json-glib/json-glib.h>

#include "core/base/base.h"
#include "core/base/json-text.h"
#include "core/run/scores.h"

char *
tosst_run_sentence (const TosstRecipe *recipe, const double *accuracy, guint splits, guint classes)
{
  gboolean blocks = tosst_recipe_block (recipe) > 0;
  double low = INFINITY, high = -INFINITY, mean = 0, of, chance;
  g_autoptr (GString) text = g_string_new (NULL);

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
  g_autofree char *guesses = g_strdup_printf (chance < 1 ? "%.1g" : "%.0f", chance);
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

/* --- several labels a sample --- */

static void
add_class_scores (JsonObject *object, const TosstRunResult *result, const TosstClassScore *mean,
                  const TosstClassScore *classes)
{
  JsonObject *all = json_object_new ();

  for (int i = 0; i < result->classes; i++)
    json_object_set_object_member (all, result->class_names[i],
                                   TOSST_JSON (("ap11", classes[i].ap11), ("area", classes[i].area),
                                               ("positives", classes[i].positives),
                                               ("negatives", classes[i].negatives)));
  TOSST_JSON_SET (object, ("map11", mean->ap11), ("map_area", mean->area), ("average_precision", all));
}

/* The average precision of one split. */
static void
add_split_scores (JsonObject *object, const TosstRunResult *result, TosstScores *scores)
{
  g_autofree TosstClassScore *classes = g_new0 (TosstClassScore, result->classes);
  TosstClassScore mean;

  if (scores && tosst_scores_summarise (&scores, 1, classes, &mean, NULL))
    add_class_scores (object, result, &mean, classes);
}

/* The curves of one split, of the classes with positives. */
static JsonObject *
curves_to_json (const TosstRunResult *result, const TosstScores *scores)
{
  JsonObject *curves = json_object_new ();

  for (int i = 0; i < result->classes; i++)
    {
      gsize n;
      g_autofree TosstRecallPoint *curve = tosst_scores_curve (scores, i, &n, NULL);

      if (n == 0)
        continue;

      JsonArray *recall = json_array_new (), *precision = json_array_new ();

      for (gsize k = 0; k < n; k++)
        {
          tosst_json_add_number (recall, curve[k].recall);
          tosst_json_add_number (precision, curve[k].precision);
        }
      json_object_set_object_member (curves, result->class_names[i],
                                     TOSST_JSON (("recall", recall), ("precision", precision)));
    }
  return curves;
}

static void
add_scores (JsonObject *object, const TosstRunResult *result)
{
  TosstClassScore mean;
  g_autofree TosstClassScore *classes = tosst_run_result_class_scores (result, &mean, NULL);

  if (classes == NULL)
    return;
  add_class_scores (object, result, &mean, classes);
  if (result->splits > 0 && result->split[0].scores != NULL)
    json_object_set_object_member (object, "curves", curves_to_json (result, result->split[0].scores));
}

/* --- all results --- */

/* The accuracy of each part alone, one number per split. */
static void
add_parts (JsonObject *object, const TosstRunResult *result)
{
  const GArray *first = result->splits > 0 ? result->split[0].parts : NULL;
  JsonObject *parts = first ? json_object_new () : NULL;

  for (guint i = 0; first && i < first->len; i++)
    {
      const char *name = g_array_index (first, TosstPartResult, i).name;
      JsonArray *accuracy = json_array_new ();

      for (int s = 0; s < result->splits; s++)
        tosst_json_add_number (accuracy, tosst_run_part_accuracy (&result->split[s], name));
      json_object_set_array_member (parts, name, accuracy);
    }
  if (parts)
    json_object_set_object_member (object, "accuracy_parts", parts);
}

static JsonArray *
splits_to_json (const TosstRunResult *result)
{
  JsonArray *splits = json_array_new ();

  for (int s = 0; s < result->splits; s++)
    {
      const TosstSplitResult *split = &result->split[s];
      JsonObject *one = json_object_new (), *weights = split->parts ? json_object_new () : NULL;

      for (guint i = 0; i < TOSST_SPLIT_OWN_NUMBERS; i++)
        tosst_json_set_number (one, tosst_split_numbers[i].name,
                               G_STRUCT_MEMBER (double, split, tosst_split_numbers[i].offset));
      for (guint k = 0; weights && k < split->parts->len; k++)
        tosst_json_set_number (weights, g_array_index (split->parts, TosstPartResult, k).name,
                               g_array_index (split->parts, TosstPartResult, k).weight);
      if (weights)
        json_object_set_object_member (one, "weights", weights);
      if (result->score != TOSST_SCORE_ACCURACY)
        add_split_scores (one, result, split->scores);
      json_array_add_object_element (splits, one);
    }
  return splits;
}

JsonNode *
tosst_run_result_to_node (const TosstRunResult *result, const TosstRecipe *recipe)
{
  g_autofree char *text = tosst_recipe_to_text (recipe, FALSE);
  JsonObject *object = json_object_new (), *per_class = json_object_new (), *seconds = json_object_new ();
  JsonArray *duplicates = json_array_new (), *accuracy = json_array_new ();
  JsonNode *root = json_node_new (JSON_NODE_OBJECT);

  TOSST_JSON_SET (object, ("score", tosst_score_name (result->score)), ("accuracy_mean", result->accuracy_mean),
                  ("accuracy_std", result->accuracy_std));
  if (result->score == TOSST_SCORE_ACCURACY)
    json_object_set_double_member (object, "chance", 100.0 / result->classes);
  for (char **pair = result->duplicates; pair != NULL && *pair != NULL; pair += 2)
    {
      JsonArray *both = json_array_new ();

      json_array_add_string_element (both, pair[0]);
      json_array_add_string_element (both, pair[1]);
      json_array_add_array_element (duplicates, both);
    }
  for (int s = 0; s < result->splits; s++)
    tosst_json_add_number (accuracy, result->split[s].accuracy);
  for (int i = 0; i < result->classes; i++)
    tosst_json_set_number (per_class, result->class_names[i], result->per_class[i]);
  for (int i = 0; i < TOSST_N_STAGES; i++)
    tosst_json_set_number (seconds, tosst_stage_name (i), result->seconds[i]);
  tosst_json_set_number (seconds, "total", result->seconds_total);
  TOSST_JSON_SET (object, ("duplicates", duplicates), ("accuracy", accuracy));
  add_parts (object, result);
  TOSST_JSON_SET (object, ("splits", splits_to_json (result)), ("per_class", per_class));
  if (result->score != TOSST_SCORE_ACCURACY)
    add_scores (object, result);
  TOSST_JSON_SET (object, ("seconds", seconds), ("peak_memory_mb", result->peak_memory_mb),
                  ("tensors", result->tensors), ("images_without_frames", result->unfound), ("d", result->d),
                  ("version", PACKAGE_VERSION), ("recipe", text));
  json_node_take_object (root, object);
  return root;
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
