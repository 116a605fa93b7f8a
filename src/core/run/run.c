/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parts of a run (core/method/parts.h): each is a run of its own up to its signatures, with the same data set, split,
 * context and cache. Of a recipe with methods beside it the first part is that recipe: iterations, atoms, checkpoints are
 * those of its dictionary. Its signatures become a Gram matrix, centred in the feature space by the training samples and divided by
 * its mean diagonal, and are released; the classifier is trained on the weighted sum of these matrices.
 */
#include "core/run/run.h"

#include "core/base/base.h"
#include "core/base/disk-cache.h"
#include "core/method/parts.h"
#include "core/run/private.h"
#include "core/run/scores.h"

/* Share of the available memory in which signatures that all splits share are kept. */
#define CACHE_SHARE 8

typedef struct
{
  TosstRun run;
  TosstRunOptions options;
  TosstRunObserver observer;
  struct TosstCombined *whole;
  double work, fraction; /* expected work; done part of it */
  TosstPartKernel own;   /* of the current split: the base */
  double *test;          /* of the current split: others x base */
  TosstModel *model;     /* of the first split, without a classifier; else NULL */
} Part;

struct TosstCombined
{
  TosstRun *run;
  TosstParts *parts;
  Part *part;
  double work;
  TosstStageCache *cache; /* own, if the run has none */

  /* Samples of the current split, guint: those that all are compared with, the training samples or landmarks among them; and
   * the others, the tests or the training samples and the tests. */
  GArray *base, *others;
  gboolean has_landmarks;
};

/* --- progress --- */

static double
fraction_done (const struct TosstCombined *self)
{
  double done = 0;

  for (guint i = 0; i < self->parts->n; i++)
    done += self->part[i].work * self->part[i].fraction;
  return done / self->work;
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  Part *part = data;
  TosstRun *run = part->whole->run;

  part->fraction = fraction;
  tosst_run_announce_whole (run, fraction_done (part->whole));
}

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  const TosstRunObserver *observer = ((Part *)data)->whole->run->observer;

  if (observer != NULL && observer->stage != NULL)
    observer->stage (stage, split, fraction, observer->data);
}

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  const TosstRunObserver *observer = ((Part *)data)->whole->run->observer;

  if (observer != NULL && observer->iteration != NULL)
    observer->iteration (split, iteration, dictionary, usage, observer->data);
}

/* --- parts --- */

static void
drop_matrices (Part *part)
{
  tosst_part_kernel_clear (&part->own);
  g_clear_pointer (&part->test, g_free);
  g_clear_pointer (&part->model, tosst_model_free);
}

static void
tosst_combined_free (struct TosstCombined *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; self->part != NULL && i < self->parts->n; i++)
    {
      drop_matrices (&self->part[i]);
      tosst_run_release (&self->part[i].run);
      if (self->cache != NULL)
        tosst_stage_cache_release (self->cache, self->parts->recipe[i], self->run->dataset);
    }
  tosst_stage_cache_free (self->cache);
  tosst_parts_free (self->parts);
  g_free (self->part);
  g_free (self);
}

/* Whether a part is the recipe that the others stand beside. */
static gboolean
is_own (const struct TosstCombined *self, guint i)
{
  return self->parts->method[i] == NULL;
}

static void
init_part (struct TosstCombined *self, guint i)
{
  TosstRun *whole = self->run;
  Part *part = &self->part[i];
  const TosstRecipe *recipe = self->parts->recipe[i];
  double work[TOSST_N_STAGES];

  part->whole = self;
  part->observer = (TosstRunObserver){ .stage = on_stage, .progress = on_progress, .data = part };
  if (is_own (self, i))
    {
      part->observer.iteration = on_iteration;
      part->options = *whole->options;
    }
  part->options.cache = whole->options->cache != NULL ? whole->options->cache : self->cache;
  part->options.ranks = whole->options->ranks;
  /* Only the dictionary of a divided run has checkpoints. */
  part->options.interval = is_own (self, i) || whole->options->ranks == NULL ? whole->options->interval : 0;
  part->options.data = whole->options->data;
  part->run = (TosstRun){ .recipe = recipe,
                          .dataset = whole->dataset,
                          .context = whole->context,
                          .observer = &part->observer,
                          .options = &part->options,
                          .result = whole->result,
                          .splits = whole->splits,
                          .first = whole->first,
                          .codes = (gsize)tosst_recipe_code_length (recipe),
                          .length = (gsize)tosst_recipe_signature_length (recipe),
                          .start = whole->start,
                          .saved = whole->saved };
  tosst_run_work (recipe, whole->dataset, work);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    part->work += work[stage];
  self->work += part->work;
  if (self->cache != NULL)
    tosst_stage_cache_reserve (self->cache, recipe, whole->dataset);
}

/* The parts of descriptor.kind=combined. NULL with error if they are invalid. */
static struct TosstCombined *
tosst_combined_new (TosstRun *run, GError **error)
{
  TosstParts *parts = tosst_parts_new (run->recipe, error);
  struct TosstCombined *self = parts != NULL ? g_new0 (struct TosstCombined, 1) : NULL;

  if (self == NULL)
    return NULL;
  self->run = run;
  self->parts = parts;
  self->part = g_new0 (Part, parts->n);
  if (run->options->cache == NULL)
    self->cache = tosst_stage_cache_new (tosst_memory_available () / CACHE_SHARE);
  for (guint i = 0; i < parts->n; i++)
    init_part (self, i);
  return self;
}

/* Similarities of the base, and of the others to it, by the signatures of a part. */
static gboolean
compare_samples (Part *part, const TosstSignatures *signatures, GError **error)
{
  TosstRun *run = &part->run;
  const GArray *others = part->whole->others;
  gsize n = part->whole->base->len;
  g_autofree gboolean *empty = g_new (gboolean, others->len + 1);
  TosstStatus status = TOSST_ERROR_MEMORY;

  part->own = (TosstPartKernel){ .kernel = run->recipe->classifier.kernel,
                                 .width = run->recipe->classifier.width,
                                 .n = n,
                                 .length = run->length,
                                 .rows = tosst_run_select_rows (run, signatures, part->whole->base, 0, n) };
  part->test = g_try_malloc_n (others->len + 1, n * sizeof (double));
  if (part->own.rows == NULL || part->test == NULL)
    return tosst_error_from_status (status, NULL, _ ("Comparing signatures"), error);
  status = tosst_part_kernel_compare (&part->own, run->context, run->recipe, TRUE);
  if (status == TOSST_OK)
    status = tosst_run_compare (run, part->own.width, signatures, others, part->own.rows, n, part->own.diagonal,
                                part->test, empty);
  if (status != TOSST_OK)
    return tosst_error_from_status (status, run->context, _ ("Comparing signatures"), error);
  tosst_part_kernel_centre (&part->own);
  for (gsize i = 0; i < others->len; i++)
    tosst_part_kernel_centre_row (&part->own, part->test + i * n, empty[i]);
  return TRUE;
}

static void
keep_learning (const TosstRun *self, TosstSplitResult *outcome)
{
  outcome->objective = self->objective;
  outcome->relative_residual = self->residual;
}

static gboolean
run_part (Part *part, guint split, const GArray *train, TosstSplitResult *outcome, GError **error)
{
  TosstRun *run = &part->run;
  g_autoptr (TosstShared) learned = NULL, shared = NULL;

  tosst_context_set_progress (run->context, tosst_run_on_progress, run);
  /* Tensors of all splits are opened before the first one. */
  if (run->source == NULL && !tosst_recipe_has_split_tensors (run->recipe) && !tosst_run_tensors_open (run, -1, error))
    return FALSE;
  shared = tosst_run_sign (run, train, split, &learned, error);
  if (shared == NULL)
    return FALSE;
  const TosstSignatures *signatures = shared->data;
  tosst_run_count_empty (run, signatures);
  if (!compare_samples (part, signatures, error))
    return FALSE;
  if (!isnan (signatures->worst_kkt) && !(outcome->worst_kkt >= signatures->worst_kkt))
    outcome->worst_kkt = signatures->worst_kkt;
  const TosstDictionary *dictionary = tosst_run_dictionary (run, learned != NULL ? learned->data : NULL);
  /* No method beside a dictionary replaces its numbers. */
  if (learned != NULL && (part->observer.iteration != NULL || !is_own (part->whole, 0)))
    keep_learning (run, outcome);
  if (part->observer.iteration != NULL)
    {
      outcome->mean_nonzeros = signatures->mean_nonzeros;
      part->whole->run->atom_usage = g_steal_pointer (&run->atom_usage);
      tosst_run_keep_dictionary (part->whole->run, dictionary, outcome);
    }
  if (split == 0)
    part->model = tosst_run_model_new (run, dictionary, signatures);
  else
    g_clear_pointer (&part->own.rows, g_free);
  return TRUE;
}

/* --- weights --- */

/* Ridges of the regression that judges a part, for a mean diagonal of 1. */
static const double ridges[] = { 1e-3, 1e-2, 0.1, 0.3 };

/* w ~ 1 / (e + 1 / n), e the share of training samples that the part alone errs on when they are left out one at a time;
 * beside a dictionary the cube of it, which leaves less to a part that does not suit the images.
 * With few training samples a poor part then spoils the sum less than with equal weights, and n samples cannot tell
 * errors below 1 / n. A search for the weights of the smallest error of the sum has no such effect: too few errors are
 * left to choose by. */
static TosstStatus
weigh_by_errors (const struct TosstCombined *self, const double *const *grams, gsize n, const int *labels,
                 const signed char *targets, double *weights)
{
  TosstContext *context = self->run->context;
  int count = G_N_ELEMENTS (ridges), classes = self->run->result->classes;
  guint parts = self->parts->n;
  double sum = 0;

  for (guint k = 0; k < parts; k++)
    {
      TosstLeaveOneOut result[G_N_ELEMENTS (ridges)];
      TosstStatus status
          = self->has_landmarks
                ? tosst_kernel_train_landmarks (context, grams[k], self->base->len, self->part[k].test, n, labels,
                                                targets, classes, ridges, count, result, NULL)
                : tosst_kernel_leave_one_out (context, grams[k], n, labels, targets, classes, ridges, count, result);
      double accuracy = 0;

      if (status != TOSST_OK)
        return status;
      for (gsize i = 0; i < G_N_ELEMENTS (ridges); i++)
        accuracy = MAX (accuracy, result[i].accuracy);
      weights[k] = 1 / (1 - accuracy + 1.0 / (double)n);
      weights[k] *= is_own (self, 0) ? weights[k] * weights[k] : 1;
      sum += weights[k];
    }
  for (guint k = 0; k < parts; k++)
    weights[k] /= sum;
  return TOSST_OK;
}

static gboolean
choose_weights (struct TosstCombined *self, const GArray *train, double *weights, GError **error)
{
  TosstRun *run = self->run;
  guint parts = self->parts->n;
  /* The landmarks alone take part in a search. */
  const GArray *samples = self->has_landmarks && self->parts->search ? self->base : train;
  gsize n = tosst_run_choosing (run, samples), classes = (gsize)run->result->classes;
  gboolean several = tosst_recipe_has_several_labels (run->recipe);
  g_autofree const double **grams = g_new (const double *, parts);
  g_autoptr (GPtrArray) own = g_ptr_array_new_with_free_func (g_free);
  g_autofree int *labels = g_new (int, n);
  g_autofree signed char *targets = several ? g_new (signed char, classes *n) : NULL;

  if (self->parts->weights != NULL)
    {
      memcpy (weights, self->parts->weights, parts * sizeof *weights);
      return TRUE;
    }
  for (guint i = 0; i < parts; i++)
    {
      double *block;

      grams[i] = tosst_run_first_block (self->part[i].own.gram, self->base->len, MIN (n, self->base->len), &block);
      g_ptr_array_add (own, block);
      if (grams[i] == NULL)
        return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Choosing the weights of the parts"), error);
    }
  for (gsize i = 0; i < n; i++)
    {
      guint sample = g_array_index (samples, guint, i);

      labels[i] = tosst_dataset_sample (run->dataset, sample)->class_index;
      for (gsize c = 0; several && c < classes; c++)
        targets[c * n + i] = (signed char)tosst_dataset_label (run->dataset, sample, (guint)c);
    }
  TosstStatus status = self->parts->search
                           ? tosst_kernel_choose_weights (run->context, grams, (int)parts, n, several ? NULL : labels,
                                                          targets, (int)classes, weights, NULL, NULL)
                           : weigh_by_errors (self, grams, n, several ? NULL : labels, targets, weights);
  return tosst_error_from_status (status, run->context, _ ("Choosing the weights of the parts"), error);
}

/* The matrices of a part as those of training samples and tests. */
static TosstSimilar
similar_of (const struct TosstCombined *self, const Part *part, const GArray *train)
{
  gsize landmarks = self->has_landmarks ? self->base->len : 0;

  return (TosstSimilar){ part->own.gram, part->test + landmarks * train->len, landmarks > 0 ? part->test : NULL,
                         landmarks, self->base };
}

/* Classifies by one part alone; returns its accuracy or, with several labels, its average precision. */
static gboolean
classify_alone (struct TosstCombined *self, const Part *part, const GArray *train, const GArray *test, int split,
                double *accuracy, GError **error)
{
  TosstSimilar similar = similar_of (self, part, train);
  TosstSplitResult outcome = { .split = split };
  TosstTrained trained = { 0 };

  similar.alone = TRUE;
  gboolean ok = tosst_run_classify (self->run, NULL, NULL, &similar, train, test, &outcome, &trained, error);

  *accuracy = outcome.accuracy;
  tosst_trained_clear (&trained);
  tosst_run_split_clear (&outcome);
  return ok;
}

/* sum = weights[0] first + ..., in the matrix of the first part. */
static void
add_up (const struct TosstCombined *self, const double *weights, gsize train, gsize test)
{
  const Part *first = &self->part[0];

  for (guint k = 0; k < self->parts->n; k++)
    {
      const Part *part = &self->part[k];

      for (gsize i = 0; i < train; i++)
        first->own.gram[i] = (k > 0 ? first->own.gram[i] : 0) + weights[k] * part->own.gram[i];
      for (gsize i = 0; i < test; i++)
        first->test[i] = (k > 0 ? first->test[i] : 0) + weights[k] * part->test[i];
    }
}

/* Weights of the parts, and their accuracies alone; NULL with error. */
static GArray *
list_parts (struct TosstCombined *self, const double *weights, const GArray *train, const GArray *test, int split,
            GError **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (TosstPartResult));

  for (guint i = 0; i < self->parts->n; i++)
    {
      TosstPartResult one = { tosst_parts_name (self->parts, i), weights[i], NAN };

      if (!classify_alone (self, &self->part[i], train, test, split, &one.accuracy, error))
        return NULL;
      g_array_append_val (list, one);
    }
  return g_steal_pointer (&list);
}

/* --- the model --- */

static void
store_model (struct TosstCombined *self, TosstTrained *trained, const double *weights, const GArray *train, double c)
{
  TosstRun *run = self->run;
  TosstModel *model = g_new0 (TosstModel, 1);
  gsize length = 0;

  model->recipe = tosst_recipe_copy (run->recipe);
  model->class_names = g_strdupv (run->result->class_names);
  model->sample_side = self->part[0].model->sample_side;
  model->dictionary = run->result->dictionary != NULL ? tosst_dictionary_copy (run->result->dictionary) : NULL;
  model->slope = trained->slope;
  model->sigmoids = g_steal_pointer (&trained->sigmoids);
  model->parts = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_model_free);
  for (guint i = 0; i < self->parts->n; i++)
    length += self->part[i].run.length;
  if (!self->has_landmarks && tosst_run_keeps_training (run, train->len, length))
    {
      model->training = tosst_run_training_new (run, train, c);
      model->training->weights = g_memdup2 (weights, self->parts->n * sizeof *weights);
    }
  for (guint i = 0; i < self->parts->n; i++)
    {
      tosst_part_kernel_finish (&self->part[i].own, trained->kernel->machine, weights[i], self->part[i].model);
      g_ptr_array_add (model->parts, g_steal_pointer (&self->part[i].model));
      if (model->training != NULL)
        g_ptr_array_add (model->training->rows, g_steal_pointer (&self->part[i].own.rows));
    }
  run->result->model = model;
  run->result->split[0].model = model;
}

/* --- a split --- */

static gboolean
classify_combined (struct TosstCombined *self, const GArray *train, const GArray *test, TosstSplitResult *outcome,
                   GError **error)
{
  TosstRun *run = self->run;
  g_autofree double *weights = g_new (double, self->parts->n);
  TosstTrained trained = { 0 };

  run->done = fraction_done (self);
  run->total = 1;
  if (!choose_weights (self, train, weights, error))
    return FALSE;
  outcome->parts = list_parts (self, weights, train, test, outcome->split, error);
  if (outcome->parts == NULL)
    return FALSE;
  add_up (self, weights, (gsize)self->base->len * self->base->len, (gsize)self->others->len * self->base->len);
  const TosstSimilar similar = similar_of (self, &self->part[0], train);
  if (!tosst_run_classify (run, NULL, NULL, &similar, train, test, outcome, &trained, error))
    return FALSE;
  if (outcome->split == 0)
    store_model (self, &trained, weights, train, outcome->c);
  tosst_trained_clear (&trained);
  return TRUE;
}

/* Executes a split of all parts. */
static gboolean
tosst_combined_split (struct TosstCombined *self, const GArray *train, const GArray *test, TosstSplitResult *outcome,
                      GError **error)
{
  TosstRun *run = self->run;
  gboolean ok = TRUE;

  outcome->worst_kkt = outcome->mean_nonzeros = NAN;
  run->result->tensors = 0;
  self->base = tosst_run_landmarks (run, train, test, self->parts->n);
  self->has_landmarks = self->base != NULL;
  self->others = g_array_new (FALSE, FALSE, sizeof (guint));
  if (self->has_landmarks)
    g_array_append_vals (self->others, train->data, train->len);
  else
    self->base = g_array_copy ((GArray *)train);
  g_array_append_vals (self->others, test->data, test->len);
  for (guint i = 0; i < self->parts->n && ok; i++)
    {
      ok = run_part (&self->part[i], (guint)outcome->split, train, outcome, error);
      if (ok && self->part[i].run.patches != NULL && (is_own (self, i) || !is_own (self, 0)))
        run->result->tensors += self->part[i].run.patches->count;
      if (ok && is_own (self, i) && self->part[i].run.layout != NULL)
        run->result->d = self->part[i].run.layout->d;
    }
  tosst_context_set_progress (run->context, tosst_run_on_progress, run);
  ok = ok && classify_combined (self, train, test, outcome, error);
  for (guint i = 0; i < self->parts->n; i++)
    drop_matrices (&self->part[i]);
  g_clear_pointer (&self->base, g_array_unref);
  g_clear_pointer (&self->others, g_array_unref);
  return ok;
}

/* One split: tensors of the sample, dictionary, codes and signatures, classifier, accuracy. With plain descriptors
 * there is no dictionary, and learning is skipped. */

/* Trains the classifier and tests it. */
static gboolean
classify (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures, const GArray *train,
          const GArray *test, TosstSplitResult *outcome, GError **error)
{
  TosstTrained trained = { 0 };

  outcome->worst_kkt = signatures->worst_kkt;
  outcome->mean_nonzeros = signatures->mean_nonzeros;
  if (learned != NULL)
    keep_learning (self, outcome);
  if (!tosst_run_classify (self, learned, signatures, NULL, train, test, outcome, &trained, error))
    return FALSE;
  tosst_run_keep_dictionary (self, tosst_run_dictionary (self, learned), outcome);
  if (outcome->split == 0)
    {
      TosstModel *model = tosst_run_model_new (self, self->result->dictionary, signatures);

      model->svm = g_steal_pointer (&trained.svm);
      model->kernel = g_steal_pointer (&trained.kernel);
      model->slope = trained.slope;
      model->sigmoids = g_steal_pointer (&trained.sigmoids);
      if (trained.rows != NULL)
        {
          model->training = tosst_run_training_new (self, train, outcome->c);
          g_ptr_array_add (model->training->rows, g_steal_pointer (&trained.rows));
        }
      self->result->model = model;
      outcome->model = model;
    }
  tosst_trained_clear (&trained);
  return TRUE;
}

/* A split of one descriptor. */
static gboolean
sign_and_classify (TosstRun *self, const GArray *train, const GArray *test, TosstSplitResult *outcome, GError **error)
{
  g_autoptr (TosstShared) learned = NULL, signatures = NULL;

  signatures = tosst_run_sign (self, train, (guint)outcome->split, &learned, error);
  if (signatures == NULL)
    return FALSE;
  self->result->tensors = tosst_recipe_has_tensors (self->recipe) ? self->patches->count : 0;
  self->result->d = self->layout->d;
  tosst_run_count_empty (self, signatures->data);
  return classify (self, learned != NULL ? learned->data : NULL, signatures->data, train, test, outcome, error);
}

static gboolean
tosst_run_one_split (TosstRun *self, guint split, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  TosstSplitResult *outcome = &self->result->split[split];

  *outcome = (TosstSplitResult){ .split = (int)split, .objective = NAN, .relative_residual = NAN };
  if (!tosst_dataset_split (self->dataset, self->recipe, split, &train, &test, error)
      || !(self->combined != NULL ? tosst_combined_split (self->combined, train, test, outcome, error)
                                  : sign_and_classify (self, train, test, outcome, error)))
    return FALSE;
  /* Predictions name samples of the whole data set. */
  for (guint i = 0; outcome->predictions != NULL && i < outcome->predictions->len; i++)
    {
      TosstPrediction *prediction = &g_array_index (outcome->predictions, TosstPrediction, i);
      int *nearest = &prediction->nearest[0][0];

      prediction->sample = tosst_dataset_origin (self->dataset, prediction->sample);
      for (int k = 0; k < 2 * TOSST_NEAREST; k++)
        nearest[k] = nearest[k] < 0 ? nearest[k] : (int)tosst_dataset_origin (self->dataset, (guint)nearest[k]);
    }
  outcome->tensors = (double)self->result->tensors;
  outcome->d = self->result->d;
  self->result->splits = (int)split + 1;
  if (self->observer != NULL && self->observer->split != NULL)
    self->observer->split (outcome, self->observer->data);
  return TRUE;
}

/* Execution of a run, from images to accuracy. */

/* Means over the splits of the average precision of each class, where it is defined. */
static void
average_scores (TosstRunResult *result)
{
  g_autofree double *one = g_new (double, result->classes);
  g_autofree int *n = g_new0 (int, result->classes);
  double mean;

  for (int s = 0; s < result->splits; s++)
    if (result->split[s].scores != NULL && tosst_scores_mean (result->split[s].scores, result->score, one, &mean, NULL))
      for (int i = 0; i < result->classes; i++)
        if (!isnan (one[i]))
          {
            result->per_class[i] += one[i];
            n[i]++;
          }
  for (int i = 0; i < result->classes; i++)
    result->per_class[i] = n[i] > 0 ? result->per_class[i] / n[i] : NAN;
}

#define NUMBER(member)                                                                                                 \
  {                                                                                                                    \
#member, G_STRUCT_OFFSET(TosstSplitResult, member)                                                                 \
  }

const TosstNumber tosst_split_numbers[TOSST_SPLIT_NUMBERS]
    = { NUMBER (accuracy),  NUMBER (objective), NUMBER (relative_residual), NUMBER (mean_nonzeros),
        NUMBER (worst_kkt), NUMBER (c),         NUMBER (tensors),           NUMBER (d) };

double
tosst_split_mean (const TosstSplitResult *split, guint n, gsize offset, double *deviation)
{
  double sum = 0, squares = 0, mean;

  for (guint i = 0; i < n; i++)
    sum += G_STRUCT_MEMBER (double, &split[i], offset);
  mean = n > 0 ? sum / n : NAN;
  for (guint i = 0; i < n; i++)
    squares += pow (G_STRUCT_MEMBER (double, &split[i], offset) - mean, 2);
  *deviation = n > 1 ? sqrt (squares / (n - 1)) : NAN;
  return mean;
}

static void
summarise (TosstRunResult *result)
{
  int classes = result->classes;

  for (int i = 0; i < classes; i++)
    result->per_class[i] = 0;
  memset (result->confusion, 0, sizeof *result->confusion * (gsize)(classes * classes));
  for (int s = 0; s < result->splits; s++)
    for (int i = 0; i < classes * classes; i++)
      result->confusion[i] += result->split[s].confusion[i];
  result->accuracy_mean = tosst_split_mean (result->split, (guint)result->splits,
                                            G_STRUCT_OFFSET (TosstSplitResult, accuracy), &result->accuracy_std);
  if (result->score != TOSST_SCORE_ACCURACY)
    {
      average_scores (result);
      return;
    }
  for (int i = 0; i < classes; i++)
    {
      int all = 0;
      for (int j = 0; j < classes; j++)
        all += result->confusion[i * classes + j];
      result->per_class[i] = all > 0 ? 100.0 * result->confusion[i * classes + i] / all : NAN;
    }
}

double
tosst_run_part_accuracy (const TosstSplitResult *split, const char *name)
{
  for (guint i = 0; split->parts != NULL && i < split->parts->len; i++)
    if (g_str_equal (g_array_index (split->parts, TosstPartResult, i).name, name))
      return g_array_index (split->parts, TosstPartResult, i).accuracy;
  return NAN;
}

static TosstRunResult *
result_new (TosstDataset *dataset, guint splits)
{
  TosstRunResult *result = g_new0 (TosstRunResult, 1);
  guint classes = dataset->classes->len;

  result->classes = (int)classes;
  result->class_names = g_new0 (char *, classes + 1);
  for (guint i = 0; i < classes; i++)
    result->class_names[i] = g_strdup (tosst_dataset_class_name (dataset, i));
  result->split = g_new0 (TosstSplitResult, splits);
  result->allocated_splits = (int)splits;
  result->per_class = g_new0 (double, classes);
  result->confusion = g_new0 (int, classes *classes);
  return result;
}

void
tosst_run_result_free (TosstRunResult *result)
{
  if (result == NULL)
    return;
  g_strfreev (result->class_names);
  for (int s = 0; s < result->allocated_splits; s++)
    tosst_run_split_clear (&result->split[s]);
  TOSST_CLEAR_MEMBERS (result, (split, g_free), (per_class, g_free), (confusion, g_free), (empty_name, g_free),
                       (duplicates, g_strfreev), (dictionary, tosst_dictionary_free), (model, tosst_model_free),
                       (usage, tosst_atom_usage_unref));
  g_free (result);
}

/* Any number may be in a file. */
static double
valid_count (double value)
{
  return value >= 0 && value <= G_MAXINT ? value : 0;
}

/* Copies earlier splits into the result. */
static void
load_splits (TosstRun *self)
{
  TosstRunResult *result = self->result;
  gsize size = (gsize)(result->classes * result->classes);

  self->first = MIN ((guint)self->options->n_done, self->splits);
  for (guint i = 0; i < self->first; i++)
    {
      result->split[i] = self->options->done[i];
      result->split[i].confusion = g_memdup2 (self->options->done[i].confusion, sizeof (int) * size);
      if (result->split[i].predictions != NULL)
        g_array_ref (result->split[i].predictions);
      if (result->split[i].scores != NULL)
        tosst_scores_ref (result->split[i].scores);
      if (result->split[i].parts != NULL)
        g_array_ref (result->split[i].parts);
      if (result->split[i].margins != NULL)
        tosst_scores_ref (result->split[i].margins);
      result->split[i].model = NULL;
      result->split[i].usage = NULL;
      result->split[i].dictionary = NULL;
    }
  result->splits = (int)self->first;
  /* Nothing is described again if no split is left. */
  if (self->first > 0)
    {
      result->tensors = (gsize)valid_count (self->options->done[self->first - 1].tensors);
      result->d = (int)valid_count (self->options->done[self->first - 1].d);
    }
}

static gboolean
execute (TosstRun *self, GError **error)
{
  if (self->first == self->splits)
    return TRUE;
  if (tosst_recipe_has_parts (self->recipe))
    {
      self->combined = tosst_combined_new (self, error);
      if (self->combined == NULL)
        return FALSE;
    }
  else if (!tosst_recipe_has_split_tensors (self->recipe) && !tosst_run_tensors_open (self, -1, error))
    return FALSE;
  for (guint split = self->first; split < self->splits; split++)
    if (!tosst_run_one_split (self, split, error))
      return FALSE;
  return TRUE;
}

TosstRunResult *
tosst_run_execute (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                   const TosstRunObserver *observer, TosstRunResult **partial, GError **error)
{
  const TosstRunOptions options = { 0 };

  return tosst_run_execute_with (recipe, dataset, context, observer, &options, partial, error);
}

TosstRunResult *
tosst_run_execute_with (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                        const TosstRunObserver *observer, const TosstRunOptions *options, TosstRunResult **partial,
                        GError **error)
{
  g_autoptr (TosstDataset) used = NULL;
  TosstRun self = {
    .recipe = recipe, .context = context, .observer = observer, .options = options, .saved = g_get_monotonic_time ()
  };

  if (partial != NULL)
    *partial = NULL;
  if (!tosst_recipe_check (recipe, error))
    return NULL;
  self.dataset = used = tosst_dataset_of_run (dataset, recipe, error);
  if (used == NULL)
    return NULL;
  tosst_disk_cache_begin ();
  self.start = tosst_context_seconds (context);
  self.splits = tosst_dataset_splits (used, recipe);
  self.codes = (gsize)tosst_recipe_code_length (recipe);
  self.length = (gsize)tosst_recipe_signature_length (recipe);
  self.result = result_new (dataset, self.splits);
  self.result->score = tosst_recipe_score (recipe);
  load_splits (&self);
  tosst_context_set_progress (context, tosst_run_on_progress, &self);

  gboolean fine = execute (&self, error);

  tosst_context_set_progress (context, NULL, NULL);
  self.result->seconds_total = tosst_context_seconds (context) - self.start;
  self.result->peak_memory_mb = tosst_memory_peak_mb ();
  summarise (self.result);
  self.result->duplicates = tosst_dataset_find_duplicates (used, recipe, (guint)self.result->splits, context);
  tosst_combined_free (self.combined);
  tosst_run_release (&self);
  if (fine)
    return self.result;
  if (partial != NULL)
    *partial = self.result;
  else
    tosst_run_result_free (self.result);
  return NULL;
}

TosstRunResult *
tosst_run_sum_up (const TosstRecipe *recipe, TosstDataset *dataset, const GArray *done, GError **error)
{
  const TosstRunOptions options
      = { .done = (const TosstSplitResult *)(const void *)done->data, .n_done = (int)done->len };
  TosstContext *context = tosst_context_new (1);
  TosstRunResult *partial = NULL, *result;
  g_autoptr (GError) cause = NULL;

  if (context == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, "", error), NULL;
  /* The missing splits of a stopped run must not be executed here. */
  if (done->len < tosst_dataset_splits (dataset, recipe))
    tosst_context_cancel (context);
  result = tosst_run_execute_with (recipe, dataset, context, NULL, &options, &partial, &cause);
  tosst_context_free (context);
  if (result == NULL && partial == NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return result != NULL ? result : partial;
}
