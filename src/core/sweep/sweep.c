/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of one parameter. All are parsed by the rules of recipes, so that they have the same form in a sweep and
 * in the recipe of a single run.
 */
#include "core/sweep/sweep.h"

#include "core/base/base.h"
#include "core/local/image-tensors.h"
#include "core/sweep/private.h"
#include "tosst/context.h"

#define fail(error, ...) tosst_fail (error, TOSST_FAILED_RECIPE, __VA_ARGS__)

TOSST_DEFINE_SHARED (TosstSweepAxis, tosst_sweep_axis, (text, g_free), (tied, g_ptr_array_unref), (values, g_strfreev))

char *
tosst_sweep_axis_name (const TosstSweepAxis *self)
{
  GString *name = g_string_new (self->parameter->name);

  for (guint i = 0; self->tied && i < self->tied->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (self->tied, i);

      g_string_append_printf (name, "+%s", p->name);
    }
  return g_string_free (name, FALSE);
}

static gboolean
tosst_sweep_axis_apply (const TosstSweepAxis *self, TosstRecipe *recipe, const char *value, GError **error)
{
  gboolean ok = tosst_recipe_set_parameter (recipe, self->parameter, value, error);

  for (guint i = 0; ok && self->tied && i < self->tied->len; i++)
    ok = tosst_recipe_set_parameter (recipe, g_ptr_array_index (self->tied, i), value, error);
  return ok;
}

/* Finds the parameters of a name, which are joined by +. An unknown one is reported with the most similar known one. */
static gboolean
find_parameters (TosstSweepAxis *self, TosstRecipe *recipe, const char *name, const char *text, GError **error)
{
  g_auto (GStrv) names = g_strsplit (name, "+", -1);

  for (char **one = names; *one; one++)
    {
      const TosstParameter *p = tosst_parameter_find (g_strstrip (*one));

      if (!p)
        {
          tosst_recipe_set (recipe, *one, text, error);
          return FALSE;
        }
      if (!self->parameter)
        {
          self->parameter = p;
          continue;
        }
      if (!self->tied)
        self->tied = g_ptr_array_new ();
      g_ptr_array_add (self->tied, (gpointer)p);
    }
  return TRUE;
}

static gboolean
is_number (const TosstParameter *p)
{
  return p->type == TOSST_PARAMETER_INTEGER || p->type == TOSST_PARAMETER_REAL || p->type == TOSST_PARAMETER_SEED;
}

/* Parses values of one parameter; shared by all values of an axis, as creating a recipe is expensive. */
typedef struct
{
  const TosstParameter *parameter;
  TosstRecipe *recipe;
} Reader;

/* Returns the value in the form of a recipe file. */
static char *
normalise (const Reader *reader, const char *text, GError **error)
{
  return tosst_recipe_set_parameter (reader->recipe, reader->parameter, text, error)
             ? tosst_recipe_get (reader->recipe, reader->parameter)
             : NULL;
}

static gboolean
add_value (const Reader *reader, GPtrArray *values, const char *text, GError **error)
{
  char *value = normalise (reader, text, error);

  if (!value)
    return FALSE;
  g_ptr_array_add (values, value);
  return TRUE;
}

/* Removes duplicates; takes the values and returns a NULL-terminated array. */
static char **
take_different (GPtrArray *values)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *different = g_ptr_array_new ();

  for (guint i = 0; i < values->len; i++)
    if (g_hash_table_add (known, values->pdata[i]))
      g_ptr_array_add (different, g_steal_pointer (&values->pdata[i]));
  g_ptr_array_add (different, NULL);
  return (char **)g_ptr_array_free (different, FALSE);
}

/* Splits at semicolons without a preceding backslash. */
static GPtrArray *
split_list (const char *text)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) part = g_string_new (NULL);

  for (const char *c = text;; c++)
    {
      if (*c == ';' || *c == '\0')
        {
          g_ptr_array_add (parts, g_strdup (part->str));
          g_string_truncate (part, 0);
          if (*c == '\0')
            break;
        }
      else if (*c == '\\' && c[1] == ';')
        g_string_append_c (part, *++c);
      else
        g_string_append_c (part, *c);
    }
  /* The list may end with a semicolon, as in key files. */
  if (parts->len > 1 && *g_strstrip (g_ptr_array_index (parts, parts->len - 1)) == '\0')
    g_ptr_array_set_size (parts, (int)parts->len - 1);
  return parts;
}

/* Explains an invalid part of a list: with commas instead of semicolons, a whole list is a single part. */
static gboolean
explain_part (const Reader *reader, const char *part, GError **error)
{
  const TosstParameter *p = reader->parameter;
  g_auto (GStrv) words = g_strsplit (part, ",", -1);
  g_autofree char *list = g_strjoinv (";", words);
  gboolean several = g_strv_length (words) > 1; /* an empty text gives an empty array */

  for (char **word = words; several && *word; word++)
    {
      g_autofree char *value = normalise (reader, *word, NULL);

      if (!value)
        return FALSE;
    }
  if (several)
    {
      g_clear_error (error);
      fail (error, _ ("%s.%s: values must be separated by ;, as in %s"), p->group, p->key, list);
    }
  return FALSE;
}

static gboolean
read_list (TosstSweepAxis *self, const Reader *reader, GPtrArray *values, GError **error)
{
  const TosstParameter *p = self->parameter;
  g_autoptr (GPtrArray) parts = split_list (self->text);

  if (parts->len > TOSST_SWEEP_MAX_RUNS)
    return fail (error, _ ("%s.%s has more than %d values"), p->group, p->key, TOSST_SWEEP_MAX_RUNS);
  for (guint i = 0; i < parts->len; i++)
    if (!add_value (reader, values, g_ptr_array_index (parts, i), error))
      return explain_part (reader, g_ptr_array_index (parts, i), error);
  return TRUE;
}

/* An end of a range must be a valid value of the parameter. */
static gboolean
read_end (const Reader *reader, const char *text, double *value, GError **error)
{
  const TosstParameter *p = reader->parameter;
  g_autofree char *normal = normalise (reader, text, error);

  if (!normal)
    return FALSE;
  *value = *normal ? g_ascii_strtod (normal, NULL) : NAN;
  return isfinite (*value) || fail (error, _ ("%s.%s: a range needs finite ends, not “%s”"), p->group, p->key, text);
}

static char *
tosst_sweep_axis_number (const TosstSweepAxis *self, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return self->parameter->type == TOSST_PARAMETER_REAL ? g_strdup (g_ascii_formatd (text, sizeof text, "%.6g", value))
                                                       : g_strdup_printf ("%.0f", round (value));
}

/* The number at fraction part in [0, 1] of a range; the text of a number. */
static double
tosst_sweep_axis_between (const TosstSweepAxis *self, double part)
{
  return self->logarithmic ? self->low * pow (self->high / self->low, part)
                           : self->low + (self->high - self->low) * part;
}

static gboolean
read_range (TosstSweepAxis *self, const Reader *reader, GPtrArray *values, gboolean *open, GError **error)
{
  const TosstParameter *p = self->parameter;
  g_auto (GStrv) words = g_strsplit (self->text, ":", -1);
  guint length = g_strv_length (words);
  gint64 n = 0;

  self->logarithmic = g_str_equal (words[0], "log");
  if (!is_number (p))
    return fail (error, _ ("%s.%s is not a number: list its values, separated by ;"), p->group, p->key);
  if (length != 3 && length != 4)
    return fail (error, _ ("%s.%s: a range is written %s:FROM:TO:N, not “%s”"), p->group, p->key, words[0], self->text);
  for (guint i = 1; i < length; i++)
    g_strstrip (words[i]);
  if (!read_end (reader, words[1], &self->low, error) || !read_end (reader, words[2], &self->high, error))
    return FALSE;
  if (self->logarithmic && !(self->low > 0 && self->high > 0))
    return fail (error, _ ("%s.%s: both ends of log: must be above 0"), p->group, p->key);
  *open = length == 3;
  if (*open)
    return self->low < self->high
           || fail (error, _ ("%s.%s: a range without a number of values needs FROM below TO"), p->group, p->key);
  if (!g_ascii_string_to_signed (words[3], 10, 2, TOSST_SWEEP_MAX_RUNS, &n, NULL))
    return fail (error, _ ("%s.%s: the number of values must be a whole number from 2 to %d, not “%s”"), p->group,
                 p->key, TOSST_SWEEP_MAX_RUNS, words[3]);
  for (int i = 0; i < (int)n; i++)
    {
      /* Ends are kept as written. */
      g_autofree char *text = i == 0 || i == (int)n - 1
                                  ? g_strdup (words[1 + (i > 0)])
                                  : tosst_sweep_axis_number (self, tosst_sweep_axis_between (self, i / ((int)n - 1.0)));

      if (!add_value (reader, values, text, error))
        return FALSE;
    }
  return TRUE;
}

TosstSweepAxis *
tosst_sweep_axis_new (const char *name, const char *text, GError **error)
{
  g_autoptr (TosstSweepAxis) self = g_atomic_rc_box_new0 (TosstSweepAxis);
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  gboolean open = FALSE;

  self->text = g_strstrip (g_strdup (text));
  if (!find_parameters (self, recipe, name, text, error))
    return NULL;

  const Reader reader = { self->parameter, recipe };

  if (!(g_str_has_prefix (self->text, "lin:") || g_str_has_prefix (self->text, "log:")
            ? read_range (self, &reader, values, &open, error)
            : read_list (self, &reader, values, error)))
    return NULL;
  if (!open)
    self->values = take_different (values);
  return g_steal_pointer (&self);
}

/* The runs of a sweep. Combinations that differ only in inactive parameters are one run, as their hashes are equal. */

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

TOSST_DEFINE_FREE (Opened, free_opened, (dataset, tosst_dataset_unref), (problem, g_free))

TOSST_DEFINE_FREE (TosstSweepRun, free_run, (recipe, tosst_recipe_free), (dataset, tosst_dataset_unref),
                   (title, g_free), (hash, g_free), (problem, g_free))

TOSST_DEFINE_PUBLIC_FREE (TosstSweepPlan, tosst_sweep_plan_free, TosstSweepPlan *, (runs, g_ptr_array_unref),
                          (varying, g_ptr_array_unref), (axes, g_ptr_array_unref), (text, g_free), (idle, g_free))

const TosstSweepRun *
tosst_sweep_plan_run (const TosstSweepPlan *self, guint run)
{
  return g_ptr_array_index (self->runs, run);
}

/* Key of the parameters that opening depends on: [dataset] without those of splits, the size of patches, if they have
 * one in the image, and the folder of files of features. */
static char *
dataset_key (const TosstRecipe *recipe)
{
  GString *key = g_string_new (NULL);

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    if ((g_str_equal (p->group, "dataset") && p->offset != G_STRUCT_OFFSET (TosstRecipe, dataset.splits)
         && p->offset != G_STRUCT_OFFSET (TosstRecipe, dataset.seed)
         && p->offset != G_STRUCT_OFFSET (TosstRecipe, dataset.within)
         && p->offset != G_STRUCT_OFFSET (TosstRecipe, dataset.validate))
        || p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.patch)
        || p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.folder))
      {
        g_autofree char *value = tosst_recipe_get (recipe, p);

        g_string_append_printf (key, "%s=%s\n", p->key, value);
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
  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES)
    return tosst_recipe_check (recipe, error);
  const Opened *opened = open_dataset (self, recipe);
  return opened->dataset == NULL
         || (tosst_local_complete_recipe (recipe, opened->dataset, error) && tosst_recipe_check (recipe, error));
}

/* Returns FALSE if the plan has this run already. */
static gboolean
add_run (Planner *self, const TosstRecipe *grid)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (grid);
  g_autoptr (GError) error = NULL;
  gboolean fine = check (self, recipe, &error);

  /* The data set of an invalid recipe is not opened. */
  const Opened *opened = fine ? open_dataset (self, recipe) : NULL;
  g_autofree char *hash = tosst_run_hash (recipe, opened && opened->dataset ? opened->dataset->key : "", -1);
  if (!g_hash_table_add (self->hashes, g_strdup (hash)))
    return FALSE;
  TosstSweepRun *run = run_new (recipe, opened ? opened->dataset : NULL, g_steal_pointer (&hash));
  run->problem = g_strdup (error ? error->message : opened->problem);
  g_ptr_array_add (self->plan->runs, run);
  return TRUE;
}

/* Adds all combinations of the axes from `axis` on. */
static gboolean
add_grid (Planner *self, TosstRecipe *recipe, guint axis, GError **error)
{
  if (axis == self->sweep->axes->len)
    {
      self->plan->points++;
      add_run (self, recipe);
      return TRUE;
    }
  const TosstSweepAxis *at = g_ptr_array_index (self->sweep->axes, axis);
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

  TOSST_FOR_EACH_POINTER (const TosstParameter, p, plan->varying)
    {
      g_autofree char *value = tosst_recipe_get (run->recipe, p);

      /* Inactive parameters are omitted from the title. */
      if (tosst_recipe_why_inactive (run->recipe, p))
        continue;
      g_string_append_printf (title, "%s%s=%s", title->len ? " " : "", p->name, value);
    }
  run->title = g_string_free (title, FALSE);
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
  TOSST_FOR_EACH_POINTER (const TosstSweepAxis, axis, sweep->axes)
    {
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
  for (guint i = 0; i < plan->runs->len; i++)
    if (!tosst_sweep_plan_run (plan, i)->problem)
      return g_steal_pointer (&plan);
  const char *first = tosst_sweep_plan_run (plan, 0)->problem;

  if (plan->runs->len == 1)
    tosst_fail (error, TOSST_FAILED_RECIPE, "%s", first);
  else
    tosst_fail (error, TOSST_FAILED_RECIPE, _ ("none of the %u runs is possible; the first: %s"), plan->runs->len,
                first);
  return NULL;
}

#define WITHIN "dataset.within"

static gboolean
chooses (const TosstSweep *self)
{
  gboolean varies = FALSE;

  for (guint i = 0; i < self->axes->len; i++)
    varies |= !g_str_equal (((TosstSweepAxis *)g_ptr_array_index (self->axes, i))->parameter->group, "dataset");
  return varies && !self->divided;
}

/* Whether a run leaves training images out. */
static gboolean
divides (const TosstSweepPlan *self)
{
  gboolean found = FALSE;

  for (guint i = 0; i < self->runs->len && !found; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (self, i);
      g_autoptr (GArray) train = NULL, test = NULL;

      found = run->dataset && tosst_dataset_split (run->dataset, run->recipe, 0, &train, &test, NULL);
    }
  return found;
}

TosstSweepPlan *
tosst_sweep_plan_new_choosing (const TosstSweep *sweep, GError **error)
{
  g_autoptr (TosstSweep) validated = tosst_sweep_copy (sweep);
  TosstSweepPlan *plan = NULL;

  if (chooses (sweep) && tosst_sweep_set (validated, WITHIN, "1", NULL))
    plan = tosst_sweep_plan_new (validated, NULL);
  if (plan && divides (plan))
    return plan;
  tosst_sweep_plan_free (plan);
  return tosst_sweep_plan_new (sweep, error);
}

TosstSweepPlan *
tosst_sweep_plan_new_run (const TosstRecipe *recipe, TosstDataset *dataset)
{
  g_autoptr (TosstSweep) sweep = tosst_sweep_new (recipe);
  TosstSweepPlan *plan = plan_new (sweep);

  g_ptr_array_add (plan->runs, run_new (recipe, dataset, tosst_run_hash (recipe, dataset->key, -1)));
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

/* The definition of a sweep, and its text form. */

#define fail(error, ...) tosst_fail (error, TOSST_FAILED_RECIPE, __VA_ARGS__)

static const char *const method_names[] = { "grid", "random", NULL };

TosstSweep *
tosst_sweep_new (const TosstRecipe *base)
{
  TosstSweep *self = g_new0 (TosstSweep, 1);

  self->base = tosst_recipe_copy (base);
  self->axes = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_sweep_axis_unref);
  self->runs = 20;
  self->seed = 1;
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (TosstSweep, tosst_sweep_free, TosstSweep *, (base, tosst_recipe_free),
                          (axes, g_ptr_array_unref))

TosstSweep *
tosst_sweep_copy (const TosstSweep *self)
{
  TosstSweep *copy = tosst_sweep_new (self->base);

  for (guint i = 0; i < self->axes->len; i++)
    g_ptr_array_add (copy->axes, tosst_sweep_axis_ref (g_ptr_array_index (self->axes, i)));
  copy->method = self->method;
  copy->runs = self->runs;
  copy->seed = self->seed;
  copy->divided = self->divided;
  return copy;
}

gboolean
tosst_sweep_set (TosstSweep *self, const char *name, const char *text, GError **error)
{
  return tosst_recipe_set (self->base, name, text, error) && tosst_sweep_set_axis (self, name, NULL, error);
}

gboolean
tosst_sweep_set_axis (TosstSweep *self, const char *name, const char *text, GError **error)
{
  TosstSweepAxis *axis = text ? tosst_sweep_axis_new (name, text, error) : NULL;
  g_autofree char *first = g_strstrip (g_strndup (name, strcspn (name, "+")));
  const TosstParameter *parameter = tosst_parameter_find (first);
  guint i = 0;

  if (text && !axis)
    return FALSE;
  self->divided |= parameter == tosst_parameter_find (WITHIN);
  while (i < self->axes->len && ((TosstSweepAxis *)g_ptr_array_index (self->axes, i))->parameter != parameter)
    i++;
  if (i < self->axes->len)
    g_ptr_array_remove_index (self->axes, i);
  if (axis)
    g_ptr_array_insert (self->axes, (int)i, axis);
  return TRUE;
}

gboolean
tosst_sweep_check (const TosstSweep *self, GError **error)
{
  double points = 1;

  if (self->method == TOSST_SWEEP_RANDOM)
    return TRUE;
  TOSST_FOR_EACH_POINTER (const TosstSweepAxis, axis, self->axes)
    {
      if (!axis->values)
        return fail (error, _ ("%s.%s=%s: a grid needs a number of values, as in %s:N; without one, set method=random"),
                     axis->parameter->group, axis->parameter->key, axis->text, axis->text);
      points *= g_strv_length (axis->values);
    }
  return points <= TOSST_SWEEP_MAX_RUNS
         || fail (error,
                  _ ("[sweep] has more than %d combinations: vary fewer parameters, or draw combinations with "
                     "method=random"),
                  TOSST_SWEEP_MAX_RUNS);
}

gboolean
tosst_sweep_set_line (TosstSweep *self, const char *key, const char *value, GError **error)
{
  gint64 runs;

  if (g_str_equal (key, "method"))
    {
      if (!g_strv_contains (method_names, value))
        return fail (error, _ ("sweep.method must be grid or random, not “%s”"), value);
      self->method = g_str_equal (value, method_names[TOSST_SWEEP_RANDOM]) ? TOSST_SWEEP_RANDOM : TOSST_SWEEP_GRID;
      return TRUE;
    }
  if (g_str_equal (key, "runs"))
    {
      if (!g_ascii_string_to_signed (value, 10, 1, TOSST_SWEEP_MAX_RUNS, &runs, NULL))
        return fail (error, _ ("sweep.runs must be a whole number from 1 to %d, not “%s”"), TOSST_SWEEP_MAX_RUNS,
                     value);
      self->runs = (int)runs;
      return TRUE;
    }
  if (g_str_equal (key, "seed"))
    return g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT64, &self->seed, NULL)
           || fail (error, _ ("sweep.seed must be a whole number, not “%s”"), value);
  if (!strchr (key, '.'))
    return fail (error, _ ("unknown key %s; [sweep] accepts group.key=VALUES, method, runs and seed"), key);
  return tosst_sweep_set_axis (self, key, value, error);
}

static gboolean
take_line (const char *key, guint line, const char *value, gpointer data, GError **error)
{
  return tosst_sweep_set_line (data, key, value, error);
}

TosstSweep *
tosst_sweep_parse (const char *text, const char *name, GError **error)
{
  g_autoptr (TosstRecipe) defaults = tosst_recipe_new ();
  g_autoptr (TosstSweep) self = tosst_sweep_new (defaults);
  g_autoptr (GKeyFile) values = g_key_file_new ();
  TosstRecipe *base = tosst_recipe_parse_sweep (text, name, take_line, self, error);

  if (!base)
    return NULL;
  tosst_recipe_free (self->base);
  self->base = base;
  g_key_file_load_from_data (values, text, strlen (text), G_KEY_FILE_NONE, NULL);
  self->divided |= g_key_file_has_key (values, "dataset", "within", NULL);
  return g_steal_pointer (&self);
}

TosstSweep *
tosst_sweep_load (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file), *text = tosst_recipe_read (file, error);

  return text ? tosst_sweep_parse (text, name, error) : NULL;
}

char *
tosst_sweep_to_text (const TosstSweep *self)
{
  g_autofree char *base = tosst_recipe_to_text (self->base, FALSE);
  GString *text = g_string_new (base);

  g_string_append_printf (text, "\n[" SWEEP_GROUP "]\nmethod=%s\n", method_names[self->method]);
  if (self->method == TOSST_SWEEP_RANDOM)
    g_string_append_printf (text, "runs=%d\nseed=%" G_GUINT64_FORMAT "\n", self->runs, self->seed);
  TOSST_FOR_EACH_POINTER (const TosstSweepAxis, axis, self->axes)
    {
      g_autofree char *name = tosst_sweep_axis_name (axis);

      g_string_append_printf (text, "%s=%s\n", name, axis->text);
    }
  return g_string_free (text, FALSE);
}

static void
append_setting (GString *text, const char *key, const char *value)
{
  g_autofree char *setting = g_strdup_printf ("sweep.%s=%s", key, value), *quoted = g_shell_quote (setting);

  g_string_append_printf (text, " --set %s", quoted);
}

/* The command of the base recipe with the axes added. */
char *
tosst_sweep_command (const TosstSweep *self)
{
  g_autofree char *base = tosst_recipe_command (self->base), *runs = g_strdup_printf ("%d", self->runs);
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, self->seed);
  GString *text = g_string_new ("tosst sweep");

  g_string_append (text, base + strlen ("tosst classify"));
  if (self->divided && self->base->dataset.within == 0)
    g_string_append (text, " --set " WITHIN "=0");
  TOSST_FOR_EACH_POINTER (const TosstSweepAxis, axis, self->axes)
    {
      g_autofree char *name = tosst_sweep_axis_name (axis);

      append_setting (text, name, axis->text);
    }
  if (self->method == TOSST_SWEEP_RANDOM)
    {
      append_setting (text, "method", method_names[self->method]);
      append_setting (text, "runs", runs);
      append_setting (text, "seed", seed);
    }
  return g_string_free (text, FALSE);
}
