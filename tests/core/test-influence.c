/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which parameters have an influence, by the bits of tiny runs of every method: where tosst_recipe_why_inactive() says
 * that a parameter has one, some other value gives other numbers; where it says why not, none does, nor another hash.
 */
#include <string.h>

#include "../few-textures.h"
#include "../sanitized.h"
#include "../small-images.h"
#include "core/data/dataset.h"
#include "core/method/methods.h"
#include "core/run/hash.h"
#include "core/run/run.h"
#include "core/run/scores.h"

/* What makes a run tiny, where a method uses it. */
static const char tiny[] = "dataset.splits=1 dataset.train-per-class=4 dataset.exclude=wide," ALL_BUT_FIVE_TEXTURES
                           " dictionary.atoms=6 dictionary.iterations=3 "
                           "dictionary.sample=40 dictionary.tolerance=0 descriptor.patch=16 descriptor.step=24 "
                           "descriptor.pivots=2 coding.gaussians=2 coding.gaussian-sample=200";
/* Where a method has its own value, and for kinds that have the key. */
static const char tiny_frames[] = "descriptor.most=12", tiny_local[] = "descriptor.pca=8 descriptor.longest-side=64";

/* Values besides those of choices and switches, separated by |. Those of data elsewhere are not tried. */
static const struct
{
  const char *name, *values;
} others[] = {
  { "dataset.block", "32" },
  { "dataset.block-step", "16" },
  { "dataset.train-per-class", "3" },
  { "dataset.train-share", "0.3" },
  { "dataset.splits", "2" },
  { "dataset.within", "1" },
  { "dataset.validate", "1|2" },
  { "dataset.copies", "1" },
  { "dataset.seed", "9" },
  { "dataset.exclude", "" },
  { "descriptor.weights", "1;2|1;2;3|1;2;3;4|choose" },
  { "descriptor.patch", "12" },
  { "descriptor.step", "12" },
  { "descriptor.pivots", "3" },
  { "descriptor.sigma-position", "0.3" },
  { "descriptor.sigma-luminance", "0.3" },
  { "descriptor.sigma-opponent", "0.3" },
  { "descriptor.sigma-first", "0.3" },
  { "descriptor.sigma-second", "0.3" },
  { "descriptor.range-first", "0.3" },
  { "descriptor.range-second", "0.3" },
  { "descriptor.range-opponent", "0.3" },
  { "descriptor.gamma-eigen", "0.7" },
  { "descriptor.gamma-coefficient", "0.7" },
  { "descriptor.most", "6" },
  { "descriptor.finest", "2" },
  { "descriptor.order", "2" },
  { "descriptor.radii", "5" },
  { "descriptor.strides", "5;6;7;8|5" },
  { "descriptor.flat", "0.5" },
  { "descriptor.longest-side", "40" },
  { "descriptor.length", "5" },
  { "descriptor.pca", "6" },
  { "descriptor.pca-sample", "5" },
  { "descriptor.spatial-weight", "0.5" },
  { "dictionary.atoms", "5" },
  { "dictionary.rank", "1" },
  { "dictionary.lambda", "0.3" },
  { "dictionary.gamma", "0.01" },
  { "dictionary.iterations", "2" },
  { "dictionary.tolerance", "0.9" },
  { "dictionary.sample", "30|7" },
  { "dictionary.eta", "1e-4" },
  { "dictionary.minibatch", "16" },
  { "dictionary.forgetting", "1" },
  { "dictionary.seed", "5" },
  { "coding.lambda", "0.2" },
  { "coding.gamma", "0.02" },
  { "coding.gaussians", "3" },
  { "coding.gaussian-sample", "50" },
  { "pooling.order", "1|2" },
  { "pooling.code-power", "0.8" },
  { "pooling.parameter", "0.7|3" },
  { "pooling.power", "0.8" },
  { "classifier.beside", "lbp" },
  { "classifier.c", "0.01|1e-4" },
  { "classifier.width", "3" },
  { "classifier.sharpness", "3" },
};

/* Recipes beyond those of the methods: values that switch others on. */
static const char *const more[] = {
  "",
  "dictionary.scheme=low-rank",
  "dictionary.scheme=full descriptor.kind=linear",
  "dictionary.solver=gradient",
  "dictionary.minibatch=16",
  "coding.method=span",
  "coding.method=projection",
  "coding.method=pca dictionary.sample=60",
  "pooling.kind=maxexp",
  "pooling.kind=at-n",
  "pooling.order=2",
  "descriptor.opponent=true",
  "descriptor.kind=autocorrelation",
  "descriptor.frames=dense-scales",
  "dataset.block=32",
  "dataset.within=1 dataset.validate=2",
  "dataset.protocol=leave-one-out",
  "classifier.kernel=rbf",
  "classifier.kernel=chi2 classifier.choose-c=true",
  "classifier.beside=log-covariance;image-covariance",
  "coding.method=raw classifier.beside=lbp",
  "descriptor.kind=sift descriptor.radii=4;6 descriptor.strides=4;6",
  "descriptor.kind=sift coding.method=span descriptor.spatial=spm",
  "descriptor.kind=lbp classifier.beside=image-covariance",
};

static void
set_all (TosstRecipe *recipe, const char *values, gboolean must)
{
  g_auto (GStrv) words = g_strsplit (values, " ", -1);

  for (int pass = 0; pass < 2; pass++)
    for (char **word = words; *word; word++)
      {
        g_auto (GStrv) sides = g_strsplit (*word, "=", 2);
        g_autoptr (GError) error = NULL;

        if (sides[0] && tosst_parameter_sets_defaults (sides[0]) == (pass == 0))
          {
            tosst_recipe_set (recipe, sides[0], sides[1], &error);
            if (must)
              g_assert_no_error (error);
          }
      }
}

static TosstRecipe *
base_new (const char *values, const TosstMethod *method, const char *folder)
{
  TosstRecipe *recipe = tosst_recipe_new ();

  set_all (recipe, "dataset.kind=folders", TRUE);
  set_all (recipe, values, TRUE);
  if (method)
    tosst_method_apply (method, NULL, recipe);
  set_all (recipe, tiny, TRUE);
  if (recipe->descriptor.frames != TOSST_FRAMES_GRID)
    set_all (recipe, tiny_frames, TRUE);
  if (tosst_recipe_is_local (recipe))
    set_all (recipe, tiny_local, TRUE);
  g_assert_true (tosst_recipe_set (recipe, "dataset.path", folder, NULL));
  return recipe;
}

static void
add_numbers (GChecksum *sum, const void *numbers, gsize bytes)
{
  if (numbers)
    g_checksum_update (sum, numbers, (gssize)bytes);
}

/* What a run finds, as a checksum; NULL with a message where it is refused. */
static char *
result_of (const TosstRecipe *recipe, char **refused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;

  if (tosst_recipe_check (recipe, &error) && (dataset = tosst_dataset_open (recipe, NULL, &error)))
    {
      TosstContext *context = tosst_context_new (1);

      result = tosst_run_execute (recipe, dataset, context, NULL, NULL, &error);
      tosst_context_free (context);
    }
  if (!result)
    {
      if (refused)
        *refused = g_strdup (error->message);
      return NULL;
    }
  for (int s = 0; s < result->splits; s++)
    {
      const TosstSplitResult *split = &result->split[s];
      const TosstScores *margins = split->margins;
      gsize samples = margins->samples;

      add_numbers (sum, margins->sample, samples * sizeof *margins->sample);
      add_numbers (sum, margins->margin, samples * (gsize)margins->classes * sizeof *margins->margin);
      add_numbers (sum, &split->objective, sizeof split->objective);
      for (guint i = 0; split->parts && i < split->parts->len; i++)
        add_numbers (sum, &g_array_index (split->parts, TosstPartResult, i).weight, sizeof (double));
    }
  return g_strdup (g_checksum_get_string (sum));
}

/* Other values of a parameter, new. */
static char **
values_of (const TosstRecipe *recipe, const TosstParameter *p)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *own = tosst_recipe_get (recipe, p), *name = g_strdup_printf ("%s.%s", p->group, p->key);

  for (const char *const *word = p->choices; word && *word; word++)
    if (strcmp (*word, own) != 0)
      g_strv_builder_add (builder, *word);
  if (p->type == TOSST_PARAMETER_BOOLEAN)
    g_strv_builder_add (builder, strcmp (own, "true") == 0 ? "false" : "true");
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (strcmp (others[i].name, name) == 0)
      {
        g_auto (GStrv) words = g_strsplit (others[i].values, "|", -1);

        for (char **word = words; *word; word++)
          if (strcmp (*word, own) != 0)
            g_strv_builder_add (builder, *word);
      }
  return g_strv_builder_end (builder);
}

typedef struct
{
  const char *title;
  const TosstRecipe *base;
  char *result, *hash;
  guint wrong, active, inactive;
} Walk;

/* What a run of a changed recipe has that the base has not; NULL: nothing. */
static const char *
difference (Walk *self, const TosstRecipe *changed)
{
  g_autofree char *hash = tosst_run_hash (changed, "f", -1), *result = result_of (changed, NULL);

  return !result                              ? "no result"
         : strcmp (result, self->result) != 0 ? "other numbers"
         : strcmp (hash, self->hash) != 0     ? "another hash"
                                              : NULL;
}

/* Sets one of the values in a copy of the base if the parameter has no influence there, either. */
static gboolean
set_inactive (const TosstRecipe *base, const TosstParameter *p, const char *value, TosstRecipe *changed)
{
  g_autoptr (TosstRecipe) alone = tosst_recipe_copy (base);

  return tosst_recipe_set_parameter (alone, p, value, NULL) && tosst_recipe_why_inactive (alone, p)
         && tosst_recipe_check (alone, NULL) && tosst_recipe_set_parameter (changed, p, value, NULL);
}

/* Other values where parameters have no influence: bits and hash stay. All are changed at once, and if that is another
 * run, one after the other. */
static void
check_inactive (Walk *self)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint turn = 0, any = TRUE; any; turn++)
    {
      g_autoptr (TosstRecipe) all = tosst_recipe_copy (self->base);

      any = FALSE;
      for (guint i = 0; i < n; i++)
        {
          g_auto (GStrv) values = values_of (self->base, &p[i]);

          if (turn < g_strv_length (values) && tosst_recipe_why_inactive (self->base, &p[i])
              && set_inactive (self->base, &p[i], values[turn], all))
            {
              any = TRUE;
              self->inactive++;
            }
        }
      if (!any || !difference (self, all))
        continue;
      self->wrong++;
      for (guint i = 0; i < n; i++)
        {
          g_autoptr (TosstRecipe) one = tosst_recipe_copy (self->base);
          g_auto (GStrv) values = values_of (self->base, &p[i]);

          if (turn < g_strv_length (values) && tosst_recipe_why_inactive (self->base, &p[i])
              && set_inactive (self->base, &p[i], values[turn], one) && difference (self, one))
            g_test_message ("%s: %s.%s=%s has %s, though: %s", self->title, p[i].group, p[i].key, values[turn],
                            difference (self, one), tosst_recipe_why_inactive (self->base, &p[i]));
        }
    }
}

/* Whether some value gives other numbers than a base with a result, or every one is refused. */
static gboolean
has_influence (const TosstRecipe *base, const char *before, const TosstParameter *p, char **values)
{
  gboolean tried = FALSE;

  for (char **value = values; *value; value++)
    {
      g_autoptr (TosstRecipe) changed = tosst_recipe_copy (base);
      g_autofree char *result = NULL;

      if (!tosst_recipe_set_parameter (changed, p, *value, NULL))
        continue;
      result = result_of (changed, NULL);
      if (result && strcmp (result, before) != 0)
        return TRUE;
      tried = tried || result;
    }
  return !tried;
}

/* Numbers that let values with a threshold act on data as small as these: signs of codes and atoms that are positive anyway,
 * a choice that ends at the default. */
static const char *const helpers[] = { "classifier.c=1e-3", "coding.lambda=1e-6", "dictionary.lambda=1e-5",
                                       "descriptor.most=200", "pooling.power=0.7" };

static void
check_active (Walk *self, const TosstParameter *p, char **values)
{
  gboolean active = has_influence (self->base, self->result, p, values);

  /* An atom of matrices has one b, whose sign is in doubt only where the atom does harm. */
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.signed_b)
      && tosst_recipe_moment (self->base) != TOSST_MOMENT_THIRD_ORDER)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (helpers) && !active; i++)
    {
      g_autoptr (TosstRecipe) base = tosst_recipe_copy (self->base);
      g_autofree char *result = NULL;

      set_all (base, helpers[i], TRUE);
      result = tosst_recipe_why_inactive (base, p) ? NULL : result_of (base, NULL);
      active = result && has_influence (base, result, p, values);
      if (active)
        g_test_message ("%s: %s.%s with %s", self->title, p->group, p->key, helpers[i]);
    }
  self->active += active;
  if (active)
    return;
  g_test_message ("%s: %s.%s has no influence", self->title, p->group, p->key);
  self->wrong++;
}

static void
walk (const char *title, const TosstRecipe *base, guint *wrong)
{
  g_autofree char *refused = NULL;
  Walk self = { .title = title, .base = base };
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  self.result = result_of (base, &refused);
  if (!self.result)
    g_error ("%s: %s", title, refused);
  self.hash = tosst_run_hash (base, "f", -1);
  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) values = values_of (base, &p[i]);

      if (!tosst_recipe_why_inactive (base, &p[i]))
        check_active (&self, &p[i], values);
    }
  check_inactive (&self);
  g_test_message ("%s: %u have an influence, %u values have none, %u wrong", title, self.active, self.inactive,
                  self.wrong);
  g_assert_cmpuint (self.active, >, 3);
  *wrong += self.wrong;
  g_free (self.result);
  g_free (self.hash);
}

static void
test_influence (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-influence-XXXXXX", NULL);
  guint n, wrong = 0;
  const TosstMethod *methods = tosst_methods (&n);

  write_small_images (folder);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TosstRecipe) base = base_new ("", &methods[i], folder);

      /* Four parts take their time, and fisher-covariance is a combination, too. */
      if (!SANITIZED && !g_str_equal (methods[i].name, "combined"))
        walk (methods[i].name, base, &wrong);
    }
  for (gsize i = 0; i < (SANITIZED ? 2 : G_N_ELEMENTS (more)); i++)
    {
      g_autoptr (TosstRecipe) base = base_new (more[i], NULL, folder);

      walk (more[i], base, &wrong);
    }
  remove_small_images (folder);
  g_assert_cmpuint (wrong, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/influence", test_influence);
  return g_test_run ();
}
