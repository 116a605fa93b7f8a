/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every pair of values that two keys of the recipe may take, in whole runs on a tiny data set: a run either ends with
 * numbers that make sense, or is refused beforehand with a sentence.
 */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/image/probe.h"
#include "core/run/run.h"

/* The values tested for each key. Choices and booleans use all their words; a key without a row here is an error, so
 * that new keys are covered. Keys of locations and sizes have a single value, which makes runs tiny. */
static const struct
{
  const char *name, *values; /* separated by | */
} values[] = {
  { "dataset.kind", "folders" },
  { "dataset.hard", "false" },
  { "dataset.path", "" },
  { "dataset.block", "0|12" },
  { "dataset.block-step", "12" },
  { "dataset.train-per-class", "2|3|" },
  { "dataset.train-share", "0.5" },
  { "dataset.splits", "1|2" },
  { "dataset.within", "0|1" },
  { "dataset.validate", "1" },
  { "dataset.copies", "0|1" },
  { "dataset.seed", "1" },
  { "dataset.exclude", "" },
  { "dataset.additions", "" },
  { "descriptor.kind", "linear|rbf|covariance|autocorrelation|sift|lbp|image-covariance|invariant-covariance" },
  { "descriptor.parts", "" },
  { "descriptor.weights", "" },
  { "descriptor.patch", "6|2" },
  { "descriptor.step", "6|12" },
  { "descriptor.pivots", "2|3" },
  { "descriptor.sigma-position", "0.25" },
  { "descriptor.sigma-luminance", "0.25" },
  { "descriptor.sigma-opponent", "0.25" },
  { "descriptor.sigma-first", "0.1" },
  { "descriptor.sigma-second", "0.15" },
  { "descriptor.range-first", "0.25" },
  { "descriptor.range-second", "0.5" },
  { "descriptor.range-opponent", "0.7" },
  { "descriptor.gamma-eigen", "1|0.5" },
  { "descriptor.gamma-coefficient", "1|0.5" },
  { "descriptor.most", "2000|9" },
  { "descriptor.finest", "1.6|0.7" },
  { "descriptor.order", "3|2" },
  { "descriptor.radii", "4" },
  { "descriptor.strides", "4|3" },
  { "descriptor.flat", "0" },
  { "descriptor.longest-side", "500|0" },
  { "descriptor.folder", "" },
  { "descriptor.length", "4" },
  { "descriptor.pca", "3|4" },
  { "descriptor.pca-sample", "400|3" },
  { "descriptor.spatial-weight", "0.25" },
  { "dictionary.atoms", "5|1" },
  { "dictionary.rank", "|1" },
  { "dictionary.lambda", "2e-3|0|1" },
  { "dictionary.gamma", "1|1e-3|inf" },
  { "dictionary.iterations", "2" },
  { "dictionary.tolerance", "0|1e-2" },
  { "dictionary.sample", "40" },
  { "dictionary.eta", "|1e-2" },
  { "dictionary.minibatch", "0|9" },
  { "dictionary.forgetting", "10|1" },
  { "dictionary.seed", "1" },
  { "coding.lambda", "|1e-2" },
  { "coding.gamma", "|3|inf" },
  { "coding.gaussians", "2|3" },
  { "coding.gaussian-sample", "60|20" },
  { "pooling.order", "1|2" },
  { "pooling.code-power", "1|0.5" },
  { "pooling.parameter", "|1" },
  { "pooling.power", "0.4|1" },
  { "classifier.beside", "|image-covariance" },
  { "classifier.c", "100" },
  { "classifier.width", "|1" },
  { "classifier.sharpness", "1|10" },
};

typedef struct
{
  guint n;       /* keys */
  char ***value; /* n lists of words */
  guint *count;  /* n */
  guint *first;  /* n: number of the first (key, value) of a key among all */
  guint total;   /* (key, value)s */
  guint8 *seen;  /* total x total: pairs that a row had */
} Table;

static char **
words_of (const TosstParameter *p)
{
  g_autofree char *name = g_strdup_printf ("%s.%s", p->group, p->key);

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    if (strcmp (values[i].name, name) == 0)
      return values[i].values[0] == '\0' ? g_strsplit ("|", "|", 1) : g_strsplit (values[i].values, "|", -1);
  if (p->type == TOSST_PARAMETER_BOOLEAN)
    return g_strsplit ("false|true", "|", -1);
  if (p->type == TOSST_PARAMETER_CHOICE)
    return g_strdupv ((char **)p->choices);
  g_error ("the table of this test has no values for %s", name);
}

static Table *
table_new (void)
{
  Table *self = g_new0 (Table, 1);
  const TosstParameter *p = tosst_parameters (&self->n);

  self->value = g_new0 (char **, self->n);
  self->count = g_new0 (guint, self->n);
  self->first = g_new0 (guint, self->n);
  for (guint i = 0; i < self->n; i++)
    {
      self->value[i] = words_of (&p[i]);
      if (strcmp (self->value[i][0], "|") == 0)
        self->value[i][0][0] = '\0';
      self->count[i] = g_strv_length (self->value[i]);
      self->first[i] = self->total;
      self->total += self->count[i];
    }
  self->seen = g_new0 (guint8, (gsize)self->total * self->total);
  return self;
}

static void
table_free (Table *self)
{
  for (guint i = 0; i < self->n; i++)
    g_strfreev (self->value[i]);
  g_free (self->value);
  g_free (self->count);
  g_free (self->first);
  g_free (self->seen);
  g_free (self);
}

static gboolean
is_seen (const Table *self, guint a, guint b)
{
  return self->seen[(gsize)a * self->total + b];
}

/* The number of new pairs that a value would add with the keys already set. */
static guint
gain (const Table *self, const int *row, guint key, guint value)
{
  guint pairs = 0, a = self->first[key] + value;

  for (guint i = 0; i < self->n; i++)
    pairs += i != key && row[i] >= 0 && !is_seen (self, a, self->first[i] + (guint)row[i]);
  return pairs;
}

/* A row with the pair (key, value), (other, word) and, key by key in an order that rotates from row to row, the value
 * that adds the most pairs. */
static void
fill_row (const Table *self, guint number, int *row)
{
  for (guint step = 0; step < self->n; step++)
    {
      guint key = (step * 7 + number) % self->n, best = 0, most = 0;

      for (guint k = key;; k = (k + 1) % self->n)
        if (row[k] < 0)
          {
            key = k;
            break;
          }
        else if ((k + 1) % self->n == key)
          return;
      for (guint v = 0; v < self->count[key]; v++)
        {
          guint w = (v + number) % self->count[key], pairs = gain (self, row, key, w);
          if (pairs > most || v == 0)
            {
              best = w;
              most = pairs;
            }
        }
      row[key] = (int)best;
    }
}

static gboolean
first_missing (const Table *self, int *row)
{
  for (guint i = 0; i < self->n; i++)
    for (guint j = i + 1; j < self->n; j++)
      for (guint v = 0; v < self->count[i]; v++)
        for (guint w = 0; w < self->count[j]; w++)
          if (!is_seen (self, self->first[i] + v, self->first[j] + w))
            {
              row[i] = (int)v;
              row[j] = (int)w;
              return TRUE;
            }
  return FALSE;
}

static void
mark_pair (Table *self, guint key, guint other, const int *row)
{
  guint a = self->first[key] + (guint)row[key], b = self->first[other] + (guint)row[other];

  self->seen[(gsize)a * self->total + b] = self->seen[(gsize)b * self->total + a] = 1;
}

/* All pairs of keys that mattered. */
static void
mark (Table *self, const int *row, const TosstRecipe *recipe)
{
  const TosstParameter *p = tosst_parameters (NULL);

  for (guint i = 0; i < self->n; i++)
    for (guint j = 0; j < i; j++)
      if (tosst_recipe_why_inactive (recipe, &p[i]) == NULL && tosst_recipe_why_inactive (recipe, &p[j]) == NULL)
        mark_pair (self, i, j, row);
}

/* Recipes that run, as differences to the first value of every key. */
static const char *const contexts[][3] = {
  { NULL },
  { "descriptor.kind=linear" },
  { "descriptor.kind=covariance" },
  { "descriptor.kind=covariance", "coding.method=log-euclidean" },
  { "descriptor.kind=covariance", "descriptor.features=rbf" },
  { "coding.method=span" },
  { "coding.method=raw" },
  { "coding.method=projection" },
  { "coding.method=pca", "dictionary.sample=60" },
  { "dictionary.scheme=full", "descriptor.kind=linear" },
  { "dictionary.scheme=low-rank" },
  { "dictionary.solver=gradient" },
  { "descriptor.opponent=true" },
  { "dataset.block=12" },
  { "pooling.kind=maxexp" },
  { "descriptor.kind=sift" },
  { "descriptor.kind=sift", "coding.method=span", "dictionary.scheme=free" },
  { "descriptor.kind=sift", "coding.method=raw" },
  { "descriptor.kind=sift", "coding.method=fisher" },
  { "descriptor.kind=sift", "coding.method=log-euclidean", "descriptor.order=2" },
};

static void
set_word (const Table *self, int *row, const char *setting)
{
  g_auto (GStrv) parts = g_strsplit (setting, "=", 2);
  const TosstParameter *p = tosst_parameter_find (parts[0]);
  guint key = (guint)(p - tosst_parameters (NULL));

  for (guint v = 0; v < self->count[key]; v++)
    if (strcmp (self->value[key][v], parts[1]) == 0)
      row[key] = (int)v;
}

static void
fill_from_context (const Table *self, gsize context, int *row)
{
  g_autofree int *pair = g_memdup2 (row, sizeof *row * self->n);

  for (guint i = 0; i < self->n; i++)
    row[i] = 0;
  for (int i = 0; i < 3 && contexts[context][i] != NULL; i++)
    set_word (self, row, contexts[context][i]);
  for (guint i = 0; i < self->n; i++)
    if (pair[i] >= 0)
      row[i] = pair[i];
}

static void
put_image (const char *folder, int class_index, int number)
{
  g_autofree char *name = g_strdup_printf ("%s/class%d/%d.png", folder, class_index, number);
  g_autofree char *parent = g_path_get_dirname (name);
  g_autoptr (GFile) file = g_file_new_for_path (name);
  g_autoptr (TosstImage) image = tosst_image_new (32, 32, 3);
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32)(class_index * 100 + number));
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  for (int i = 0; i < 32 * 32 * 3; i++)
    image->data[i] = (float)(0.5 + 0.3 * sin ((i % 32) * (0.5 + class_index)) + g_rand_double_range (random, 0, 0.2));
  tosst_image_write_png (image, file, &error);
  g_assert_no_error (error);
}

static void
remove_images (const char *folder)
{
  for (int c = 0; c < 2; c++)
    {
      g_autofree char *parent = g_strdup_printf ("%s/class%d", folder, c);
      for (int i = 0; i < 4; i++)
        {
          g_autofree char *name = g_strdup_printf ("%s/%d.png", parent, i);
          g_unlink (name);
        }
      g_rmdir (parent);
    }
  g_rmdir (folder);
}

static TosstRecipe *
recipe_of (const Table *table, const int *row, const char *folder)
{
  TosstRecipe *recipe = tosst_recipe_new ();
  const TosstParameter *p = tosst_parameters (NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < table->n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.%s", p[i].group, p[i].key);
      tosst_recipe_set (recipe, name, strcmp (name, "dataset.path") == 0 ? folder : table->value[i][row[i]], &error);
      g_assert_no_error (error);
    }
  return recipe;
}

static void
assert_sentence (const GError *error)
{
  g_assert_nonnull (error);
  g_assert_true (error->domain == TOSST_ERROR);
  g_assert_cmpuint (strlen (error->message), >, 15);
  g_assert_null (strchr (error->message, '\n'));
}

static void
assert_sound (const TosstRecipe *recipe, const TosstRunResult *result)
{
  g_assert_cmpint (result->splits, >=, 1);
  g_assert_true (result->accuracy_mean >= 0 && result->accuracy_mean <= 100);
  for (int s = 0; s < result->splits; s++)
    if (tosst_recipe_coding (recipe) == TOSST_CODING_SPARSE)
      {
        g_assert_true (isfinite (result->split[s].objective));
        g_assert_cmpfloat (result->split[s].worst_kkt, <, 1e-5);
        g_assert_cmpfloat (result->split[s].mean_nonzeros, >=, 0);
      }
}

/* TRUE if it ran, FALSE if it was refused. */
static gboolean
try_row (Table *table, const int *row, const char *folder)
{
  g_autoptr (TosstRecipe) recipe = recipe_of (table, row, folder);
  g_autofree char *command = tosst_recipe_command (recipe);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  TosstContext *context;

  g_test_message ("%s", command);
  if (!tosst_recipe_check (recipe, &error))
    {
      g_test_message ("refused: %s", error->message);
      assert_sentence (error);
      return FALSE;
    }
  dataset = tosst_dataset_open (recipe, NULL, &error);
  if (dataset == NULL)
    {
      assert_sentence (error);
      return FALSE;
    }
  context = tosst_context_new (1);
  result = tosst_run_execute (recipe, dataset, context, NULL, NULL, &error);
  tosst_context_free (context);
  if (result == NULL)
    g_test_message ("failed: %s", error->message);
  /* Too few training images for the atoms: known once the data set is. */
  if (g_error_matches (error, TOSST_ERROR, TOSST_FAILED_RECIPE))
    {
      assert_sentence (error);
      return FALSE;
    }
  g_assert_no_error (error);
  assert_sound (recipe, result);
  mark (table, row, recipe);
  return TRUE;
}

/* Whether a row is a valid recipe in which one of two keys has no effect. */
static gboolean
is_idle (const Table *table, const int *row, guint key, guint other, const char *folder)
{
  g_autoptr (TosstRecipe) recipe = recipe_of (table, row, folder);
  const TosstParameter *p = tosst_parameters (NULL);

  return tosst_recipe_check (recipe, NULL)
         && (tosst_recipe_why_inactive (recipe, &p[key]) != NULL
             || tosst_recipe_why_inactive (recipe, &p[other]) != NULL);
}

/* Covers the first uncovered pair: with a row of many new pairs, else with recipes known to run. FALSE if all were
 * refused. */
static gboolean
try_pair (Table *table, const int *pair, guint key, guint other, guint number, const char *folder, guint *runs)
{
  g_autofree int *row = g_new (int, table->n);
  guint a = table->first[key] + (guint)pair[key], b = table->first[other] + (guint)pair[other];
  gboolean ran = FALSE;

  for (gsize attempt = 0; attempt <= G_N_ELEMENTS (contexts) && !is_seen (table, a, b); attempt++)
    {
      memcpy (row, pair, sizeof *row * table->n);
      if (attempt == 0)
        fill_row (table, number, row);
      else
        fill_from_context (table, attempt - 1, row);
      if (attempt > 0 && is_idle (table, row, key, other, folder))
        ran = TRUE;
      else if (try_row (table, row, folder))
        {
          ran = TRUE;
          ++*runs;
        }
    }
  mark_pair (table, key, other, pair);
  return ran;
}

static void
test_pairs (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-pairwise-XXXXXX", NULL);
  Table *table = table_new ();
  guint pairs = 0, refused = 0, runs = 0;

  for (int c = 0; c < 2; c++)
    for (int i = 0; i < 4; i++)
      put_image (folder, c, i);
  for (;; pairs++)
    {
      g_autofree int *pair = g_new (int, table->n);
      guint key = 0, other;

      for (guint i = 0; i < table->n; i++)
        pair[i] = -1;
      if (!first_missing (table, pair))
        break;
      while (pair[key] < 0)
        key++;
      other = key + 1;
      while (pair[other] < 0)
        other++;
      if (!try_pair (table, pair, key, other, pairs, folder, &runs))
        {
          g_test_message ("no recipe runs with %s=%s and %s=%s", tosst_parameters (NULL)[key].key,
                          table->value[key][pair[key]], tosst_parameters (NULL)[other].key,
                          table->value[other][pair[other]]);
          refused++;
        }
    }
  g_test_message ("%u pairs looked for, %u runs, %u pairs refused", pairs, runs, refused);
  /* Otherwise a check that refuses too much would pass. */
  g_assert_cmpuint (refused, <, 60);
  table_free (table);
  remove_images (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/pairs", test_pairs);
  return g_test_run ();
}
