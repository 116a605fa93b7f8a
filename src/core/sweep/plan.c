/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runs of a sweep. Combinations that differ only in inactive parameters are one run, as their hashes are equal.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/local/image-tensors.h"
#include "core/run/hash.h"
#include "core/sweep/private.h"
#include "tosst/context.h"

/* First random stream of a sweep's seed; each axis has its own, so that adding an axis does not change the draws of
 * the others. */
#define AXIS_STREAM 2000

/* Number of consecutive draws without a new run after which the search is exhausted. */
#define PATIENCE 1000

typedef struct
{
  const TosstSweep *sweep;
  TosstSweepPlan *plan;
  GHashTable *hashes;   /* of runs */
  GHashTable *datasets; /* key of a data set to Opened * */
} Planner;

/* A data set, or the reason why it cannot be opened. */
typedef struct
{
  TosstDataset *dataset;
  char *problem;
} Opened;

static void
free_opened (gpointer data)
{
  Opened *self = data;

  if (self->dataset)
    tosst_dataset_unref (self->dataset);
  g_free (self->problem);
  g_free (self);
}

static void
free_run (gpointer data)
{
  TosstSweepRun *run = data;

  tosst_recipe_free (run->recipe);
  if (run->dataset)
    tosst_dataset_unref (run->dataset);
  g_free (run->title);
  g_free (run->hash);
  g_free (run->problem);
  g_free (run);
}

void
tosst_sweep_plan_free (TosstSweepPlan *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->runs);
  g_ptr_array_unref (self->varying);
  g_ptr_array_unref (self->axes);
  g_free (self->text);
  g_free (self->idle);
  g_free (self);
}

const TosstSweepRun *
tosst_sweep_plan_run (const TosstSweepPlan *self, guint run)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (run < self->runs->len, NULL);

  return g_ptr_array_index (self->runs, run);
}

/* Key of the parameters that opening depends on: [dataset] without those of splits, the size of patches, if they have
 * one in the image, and the folder of files of features. */
static char *
dataset_key (const TosstRecipe *recipe)
{
  GString *key = g_string_new (NULL);
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    if ((g_str_equal (p[i].group, "dataset") && p[i].offset != G_STRUCT_OFFSET (TosstRecipe, dataset.splits)
         && p[i].offset != G_STRUCT_OFFSET (TosstRecipe, dataset.seed)
         && p[i].offset != G_STRUCT_OFFSET (TosstRecipe, dataset.within)
         && p[i].offset != G_STRUCT_OFFSET (TosstRecipe, dataset.validate))
        || p[i].offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.patch)
        || p[i].offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.folder))
      {
        g_autofree char *value = tosst_recipe_get (recipe, &p[i]);

        g_string_append_printf (key, "%s=%s\n", p[i].key, value);
      }
  g_string_append_printf (key, "%d %d %d %d\n", tosst_recipe_is_local (recipe), tosst_recipe_has_frames (recipe),
                          recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES,
                          tosst_recipe_has_patches (recipe) ? -1 : (int)recipe->descriptor.kind);
  return g_string_free (key, FALSE);
}

static const Opened *
open_dataset (Planner *self, const TosstRecipe *recipe)
{
  g_autofree char *key = dataset_key (recipe);
  Opened *opened = g_hash_table_lookup (self->datasets, key);
  g_autoptr (GError) error = NULL;

  if (opened)
    return opened;
  opened = g_new0 (Opened, 1);
  opened->dataset = tosst_dataset_open (recipe, NULL, &error);
  opened->problem = error ? g_strdup (error->message) : NULL;
  g_hash_table_insert (self->datasets, g_steal_pointer (&key), opened);
  return opened;
}

/* Takes hash; dataset may be NULL. */
static TosstSweepRun *
run_new (const TosstRecipe *recipe, TosstDataset *dataset, char *hash)
{
  TosstSweepRun *run = g_new0 (TosstSweepRun, 1);

  run->recipe = tosst_recipe_copy (recipe);
  run->dataset = dataset ? tosst_dataset_ref (dataset) : NULL;
  run->hash = hash;
  return run;
}

/* Checks a recipe, after the length of its features is read from the data set. */
static gboolean
check (Planner *self, TosstRecipe *recipe, GError **error)
{
  const Opened *opened;

  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES)
    return tosst_recipe_check (recipe, error);
  opened = open_dataset (self, recipe);
  return opened->dataset == NULL
         || (tosst_local_complete_recipe (recipe, opened->dataset, error) && tosst_recipe_check (recipe, error));
}

/* Returns FALSE if the plan has this run already. */
static gboolean
add_run (Planner *self, const TosstRecipe *grid)
{
  const Opened *opened;
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (grid);
  g_autofree char *hash = NULL;
  g_autoptr (GError) error = NULL;
  TosstSweepRun *run;
  gboolean fine = check (self, recipe, &error);

  /* The data set of an invalid recipe is not opened. */
  opened = fine ? open_dataset (self, recipe) : NULL;
  hash = tosst_run_hash (recipe, opened && opened->dataset ? tosst_dataset_key (opened->dataset) : "", -1);
  if (!g_hash_table_add (self->hashes, g_strdup (hash)))
    return FALSE;
  run = run_new (recipe, opened ? opened->dataset : NULL, g_steal_pointer (&hash));
  run->problem = g_strdup (error ? error->message : opened->problem);
  g_ptr_array_add (self->plan->runs, run);
  return TRUE;
}

/* Adds all combinations of the axes from `axis` on. */
static gboolean
add_grid (Planner *self, TosstRecipe *recipe, guint axis, GError **error)
{
  const TosstSweepAxis *at;

  if (axis == self->sweep->axes->len)
    {
      self->plan->points++;
      add_run (self, recipe);
      return TRUE;
    }
  at = g_ptr_array_index (self->sweep->axes, axis);
  for (char **value = at->values; *value; value++)
    if (!tosst_sweep_axis_apply (at, recipe, *value, error) || !add_grid (self, recipe, axis + 1, error))
      return FALSE;
  return TRUE;
}

static char *
draw_value (const TosstSweepAxis *axis, TosstRandom *random)
{
  gboolean whole = axis->parameter->type != TOSST_PARAMETER_REAL;

  if (axis->values)
    return g_strdup (axis->values[tosst_random_below (random, g_strv_length (axis->values))]);
  /* Uniform over the whole numbers of the range. */
  if (whole && !axis->logarithmic)
    return tosst_sweep_axis_number (
        axis, axis->low + (double)tosst_random_below (random, (guint64)(axis->high - axis->low) + 1));
  return tosst_sweep_axis_number (axis, tosst_sweep_axis_between (axis, tosst_random_uniform (random)));
}

static gboolean
add_random (Planner *self, TosstRecipe *recipe, GError **error)
{
  const GPtrArray *axes = self->sweep->axes;
  g_autofree TosstRandom *random = g_new (TosstRandom, axes->len + 1);

  for (guint i = 0; i < axes->len; i++)
    tosst_random_init (&random[i], self->sweep->seed, AXIS_STREAM + i);
  for (int drawn = 0, idle = 0; drawn < self->sweep->runs && idle < PATIENCE;)
    {
      for (guint i = 0; i < axes->len; i++)
        {
          const TosstSweepAxis *axis = g_ptr_array_index (axes, i);
          g_autofree char *value = draw_value (axis, &random[i]);

          if (!tosst_sweep_axis_apply (axis, recipe, value, error))
            return FALSE;
        }
      if (add_run (self, recipe))
        drawn++, idle = 0;
      else
        idle++;
      self->plan->points = (guint)drawn;
    }
  return TRUE;
}

/* Parameters of the axes with different values among the runs. */
static void
find_varying (Planner *self)
{
  for (guint i = 0; i < self->sweep->axes->len; i++)
    {
      TosstSweepAxis *axis = g_ptr_array_index (self->sweep->axes, i);
      const TosstParameter *p = axis->parameter;
      g_autofree char *first = tosst_recipe_get (tosst_sweep_plan_run (self->plan, 0)->recipe, p);
      gboolean same = TRUE;

      for (guint k = 1; same && k < self->plan->runs->len; k++)
        {
          g_autofree char *value = tosst_recipe_get (tosst_sweep_plan_run (self->plan, k)->recipe, p);

          same = strcmp (first, value) == 0;
        }
      if (same)
        continue;
      g_ptr_array_add (self->plan->varying, (gpointer)p);
      g_ptr_array_add (self->plan->axes, tosst_sweep_axis_ref (axis));
    }
}

static void
set_title (const TosstSweepPlan *plan, TosstSweepRun *run)
{
  GString *title = g_string_new (NULL);

  for (guint i = 0; i < plan->varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (plan->varying, i);
      g_autofree char *value = tosst_recipe_get (run->recipe, p);

      /* Inactive parameters are omitted from the title. */
      if (tosst_recipe_why_inactive (run->recipe, p))
        continue;
      g_string_append_printf (title, "%s%s.%s=%s", title->len ? " " : "", p->group, p->key, value);
    }
  run->title = g_string_free (title, FALSE);
}

static gboolean
check_any (const TosstSweepPlan *plan, GError **error)
{
  for (guint i = 0; i < plan->runs->len; i++)
    if (!tosst_sweep_plan_run (plan, i)->problem)
      return TRUE;
  return plan->runs->len == 1
             ? tosst_fail (error, TOSST_FAILED_RECIPE, "%s", tosst_sweep_plan_run (plan, 0)->problem)
             : tosst_fail (error, TOSST_FAILED_RECIPE, _ ("none of the %u runs is possible; the first: %s"),
                           plan->runs->len, tosst_sweep_plan_run (plan, 0)->problem);
}

/* Why no parameter of an axis has an influence on a run, or NULL. */
static const char *
why_idle (const TosstSweepAxis *axis, const TosstRecipe *recipe)
{
  const char *why = tosst_recipe_why_inactive (recipe, axis->parameter);

  for (guint i = 0; why && axis->tied && i < axis->tied->len; i++)
    why = tosst_recipe_why_inactive (recipe, axis->tied->pdata[i]) ? why : NULL;
  return why;
}

/* The first axis without influence on any run, new, or NULL. */
static char *
find_idle (const TosstSweepPlan *plan, const TosstSweep *sweep)
{
  for (guint i = 0; i < sweep->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (sweep->axes, i);
      const char *why = NULL;
      guint idle = 0;

      while (idle < plan->runs->len && (why = why_idle (axis, tosst_sweep_plan_run (plan, idle)->recipe)))
        idle++;
      if (idle == plan->runs->len)
        return g_strdup_printf (_ ("%s.%s has no influence in this sweep: %s"), axis->parameter->group,
                                axis->parameter->key, why);
    }
  return NULL;
}

static TosstSweepPlan *
plan_new (const TosstSweep *sweep)
{
  TosstSweepPlan *plan = g_new0 (TosstSweepPlan, 1);

  plan->runs = g_ptr_array_new_with_free_func (free_run);
  plan->varying = g_ptr_array_new ();
  plan->axes = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_sweep_axis_unref);
  plan->text = tosst_sweep_to_text (sweep);
  return plan;
}

TosstSweepPlan *
tosst_sweep_plan_new (const TosstSweep *sweep, GError **error)
{
  g_return_val_if_fail (sweep != NULL, NULL);
  g_return_val_if_fail (sweep->base != NULL, NULL);

  g_autoptr (TosstSweepPlan) plan = plan_new (sweep);
  g_autoptr (GHashTable) hashes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) datasets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_opened);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (sweep->base);
  Planner self = { .sweep = sweep, .plan = plan, .hashes = hashes, .datasets = datasets };

  if (!tosst_sweep_check (sweep, error)
      || !(sweep->method == TOSST_SWEEP_RANDOM ? add_random (&self, recipe, error)
                                               : add_grid (&self, recipe, 0, error)))
    return NULL;
  find_varying (&self);
  for (guint i = 0; i < plan->runs->len; i++)
    set_title (plan, g_ptr_array_index (plan->runs, i));
  plan->idle = find_idle (plan, sweep);
  return check_any (plan, error) ? g_steal_pointer (&plan) : NULL;
}

TosstSweepPlan *
tosst_sweep_plan_new_run (const TosstRecipe *recipe, TosstDataset *dataset)
{
  g_return_val_if_fail (recipe != NULL, NULL);
  g_return_val_if_fail (dataset != NULL, NULL);

  g_autoptr (TosstSweep) sweep = tosst_sweep_new (recipe);
  TosstSweepPlan *plan = plan_new (sweep);

  g_ptr_array_add (plan->runs, run_new (recipe, dataset, tosst_run_hash (recipe, tosst_dataset_key (dataset), -1)));
  plan->points = 1;
  set_title (plan, g_ptr_array_index (plan->runs, 0));
  return plan;
}

void
tosst_sweep_plan_set_title (TosstSweepPlan *self, const char *title)
{
  TosstSweepRun *run = g_ptr_array_index (self->runs, 0);

  g_free (run->title);
  run->title = g_strdup (title);
}
