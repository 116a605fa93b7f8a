/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning of a split: from the cache, resumed from a checkpoint, or from the sample.
 */
#include "core/base/base.h"
#include "core/dictionary/file.h"
#include "core/run/private.h"
#include "tosst/context.h"

/* First random stream of the dictionary's seed for drawing the sample of a split; the engine uses lower ones. */
#define SAMPLE_STREAM 1000

/* Draws up to dictionary.sample patches of the training samples, ascending. */
GArray *
tosst_run_select_sample (const TosstRun *self, const GArray *train, int split)
{
  g_autoptr (GArray) all = tosst_recipe_is_local (self->recipe)
                               ? tosst_patches_of_images (self->patches, self->dataset, train)
                               : tosst_patches_of_samples (self->patches, train);
  gsize wanted = MIN ((gsize)self->recipe->dictionary.sample, all->len);
  GArray *drawn = g_array_sized_new (FALSE, FALSE, sizeof (gsize), (guint)wanted);
  TosstRandom random;

  /* Selection sampling: each patch is selected with the probability wanted / (number of remaining patches). */
  tosst_random_init (&random, self->recipe->dictionary.seed, SAMPLE_STREAM + (guint64)split);
  for (gsize i = 0; i < all->len && wanted > 0; i++)
    if (tosst_random_below (&random, all->len - i) < wanted)
      {
        g_array_append_val (drawn, g_array_index (all, gsize, i));
        wanted--;
      }
  return drawn;
}

/* Tensors of sample[first] to sample[first + count - 1]. */
static gboolean
gather_sample (TosstRun *self, const GArray *sample, gsize first, gsize count, float *tensors, GError **error)
{
  return tosst_run_tensors_gather (self, (const gsize *)(const void *)sample->data + first, count, tensors, error);
}

/* n tensors of the sample from `first` on, new; NULL with error. */
static float *
read_tensors (TosstRun *self, const GArray *sample, gsize first, gsize n, GError **error)
{
  g_autofree float *tensors = g_try_malloc_n (MAX (n, 1), sizeof (float) * self->layout->m);

  if (tensors == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Learning"), error), NULL;
  return gather_sample (self, sample, first, n, tensors, error) ? g_steal_pointer (&tensors) : NULL;
}

gboolean
tosst_run_find_components (TosstRun *self, const GArray *train, int split, GError **error)
{
  TosstShape shape = self->layout->shape;
  TosstStatus status = TOSST_ERROR_MEMORY;

  g_clear_pointer (&self->components, tosst_linear_free);
  if (tosst_recipe_coding (self->recipe) != TOSST_CODING_PCA)
    return TRUE;
  tosst_run_enter (self, TOSST_STAGE_LEARN, split);
  g_autoptr (GArray) sample = tosst_run_select_sample (self, train, split);
  g_autofree float *tensors = read_tensors (self, sample, 0, sample->len, error);
  if (tensors == NULL)
    return FALSE;
  if (shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC)
    shape.kind = TOSST_SHAPE_WHOLE;
  TosstLayout *plain = tosst_layout_new_shape (shape);
  if (plain != NULL)
    status = tosst_plain_raw (self->context, plain, tensors, sample->len, tensors);
  tosst_layout_free (plain);
  if (status == TOSST_OK)
    status = tosst_linear_components (self->context, tensors, sample->len, self->layout->m,
                                      self->recipe->dictionary.atoms, &self->components);
  tosst_run_leave (self);
  return tosst_error_from_status (status, self->context, _ ("Principal components"), error);
}

static void
report_iteration (TosstRun *self, const TosstIteration *iteration, const TosstDictionary *dictionary,
                  const double *usage)
{
  self->objective = iteration->objective;
  if (self->observer != NULL && self->observer->iteration != NULL)
    self->observer->iteration (self->split, iteration, dictionary, usage, self->observer->data);
}

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  TosstRun *self = data;
  TosstIteration own = *iteration;

  own.seconds += self->before;
  g_array_append_val (self->trace, own);
  g_free (self->usage);
  self->usage = g_memdup2 (usage, sizeof *usage * (gsize)dictionary->K);
  report_iteration (self, &own, dictionary, usage);
}

/* Saves the held state with the trace so far; of a divided run process 0 saves that of all. */
static void
save_held (TosstRun *self)
{
  g_autoptr (TosstCheckpoint) own = g_steal_pointer (&self->held), all = NULL;
  TosstCheckpoint *held = own;

  if (self->options->ranks != NULL)
    held = all = tosst_checkpoint_collect (self->options->ranks, own);
  if (held == NULL)
    return;
  held->trace = g_array_ref (self->trace);
  tosst_run_save (self, held);
}

/* Keeps a copy of the state after each iteration, unless it is large, so that cancelling during the next one loses
 * nothing. The copy is fast compared with an iteration. */
static void
on_state (const TosstLearnState *state, void *data)
{
  TosstRun *self = data;
  gsize bytes = 0;

  g_clear_pointer (&self->held, tosst_checkpoint_free);
  if (!tosst_run_has_checkpoints (self))
    return;
  gboolean due = self->options->ranks != NULL ? tosst_run_agree_due (self) : tosst_run_checkpoint_is_due (self);

  for (int i = 0; i < TOSST_LEARN_PARTS; i++)
    bytes += state->part[i].bytes;
  gboolean large = bytes > tosst_run_max_checkpoint_ram ();
  if (large && (!due || self->options->place == NULL))
    return;
  self->held = tosst_checkpoint_new (state, self->sample, !due, G_MAXSIZE);
  if (self->held != NULL)
    self->held->seconds = self->before + tosst_context_seconds (self->context) - self->learning;
  if (due)
    save_held (self);
}

/* Reports the iterations before the checkpoint again, since the observer may not have recorded them. */
static void
replay (TosstRun *self, const GArray *trace, const TosstDictionary *dictionary, const double *usage)
{
  g_autofree double *none = usage != NULL ? NULL : g_new0 (double, (gsize)dictionary->K);

  for (guint i = 0; i < trace->len; i++)
    report_iteration (self, &g_array_index (trace, TosstIteration, i), dictionary, usage != NULL ? usage : none);
}

static gboolean
has_state (const TosstCheckpoint *checkpoint)
{
  gsize bytes = 0;

  for (guint i = 0; checkpoint->parts != NULL && i < checkpoint->parts->len; i++)
    bytes += g_bytes_get_size (g_ptr_array_index (checkpoint->parts, i));
  return checkpoint->codes != NULL || bytes > 0;
}

/* Observes learning from n of all tensors, from number first on, and resumes from the checkpoint of an earlier run of
 * this split if there is one. codes: n x K, filled in if the state has them. */
static void
observe_states (TosstRun *self, gsize all, gsize first, gsize n, TosstLearnRun *run, TosstLearnState *state,
                float **codes)
{
  const TosstCheckpoint *checkpoint = self->checkpoint;

  self->sample = n;
  run->state = on_state;
  run->state_data = self;
  if (checkpoint != NULL && !checkpoint->learned && checkpoint->done != 0
      && tosst_checkpoint_get_rows (checkpoint, all, first, n, state, codes))
    {
      g_array_append_vals (self->trace, checkpoint->trace->data, checkpoint->trace->len);
      self->before = checkpoint->seconds;
      replay (self, checkpoint->trace, checkpoint->dictionary, NULL);
      if (has_state (checkpoint))
        run->resume = state;
      else
        {
          /* Batches of a divided run have no state but their atoms: the sums are made again. */
          run->initial = checkpoint->dictionary;
          run->done = (int)checkpoint->trace->len;
          run->batches_done = (size_t)checkpoint->done;
        }
    }
  self->learning = tosst_context_seconds (self->context);
}

static void
end_states (TosstRun *self, TosstStatus status)
{
  if (status == TOSST_CANCELLED && tosst_run_has_checkpoints (self))
    {
      tosst_ranks_start (self->options->ranks);
      save_held (self);
    }
  g_clear_pointer (&self->held, tosst_checkpoint_free);
}

static gboolean
learn_at_once (TosstRun *self, const GArray *sample, const TosstLearnOptions *options, TosstDictionary **dictionary,
               GError **error)
{
  g_autofree float *tensors = NULL, *codes = NULL;
  TosstLearnRun run = { .ranks = self->options->ranks };
  TosstLearnState state;
  gsize first, n;

  tosst_run_part (self, 0, 0);
  tosst_run_share (self, sample->len, &first, &n);
  tensors = read_tensors (self, sample, first, n, error);
  if (tensors == NULL)
    return FALSE;
  tosst_run_part (self, 0, 1);
  observe_states (self, sample->len, first, n, &run, &state, &codes);
  TosstStatus status
      = tosst_learn (self->context, self->layout, tensors, n, options, &run, on_iteration, self, dictionary);
  end_states (self, status);
  return tosst_error_from_status (status, self->context, _ ("Learning"), error);
}

/* The sample as a stream of batches. */
typedef struct
{
  TosstRun *run;
  const GArray *sample;
  GError *error;
} SampleStream;

static TosstStatus
read_sample (size_t first, size_t count, float *tensors, void *data)
{
  SampleStream *self = data;

  return gather_sample (self->run, self->sample, first, count, tensors, &self->error) ? TOSST_OK
         : g_error_matches (self->error, TOSST_ERROR, TOSST_FAILED_CANCELLED)         ? TOSST_CANCELLED
                                                                                      : TOSST_ERROR_ARGUMENT;
}

static gboolean
learn_in_batches (TosstRun *self, const GArray *sample, const TosstLearnOptions *options,
                  const TosstMinibatchOptions *minibatch, TosstDictionary **dictionary, GError **error)
{
  SampleStream source = { .run = self, .sample = sample };
  TosstStream stream = { read_sample, &source, sample->len };
  TosstLearnRun run = { .ranks = self->options->ranks };
  TosstLearnState state;
  float *codes = NULL; /* not stored for batches */

  tosst_run_part (self, 0, 1);
  observe_states (self, sample->len, 0, sample->len, &run, &state, &codes);
  TosstStatus status = tosst_learn_minibatch (self->context, self->layout, &stream, options, minibatch, &run,
                                              on_iteration, self, dictionary);
  end_states (self, status);
  if (source.error == NULL)
    return tosst_error_from_status (status, self->context, _ ("Learning"), error);
  g_propagate_error (error, source.error);
  return FALSE;
}

static TosstDictionary *
learn (TosstRun *self, const GArray *sample, GError **error)
{
  g_autoptr (TosstDictionary) dictionary = NULL;
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;

  tosst_recipe_learn_options (self->recipe, &options);
  if (!(tosst_recipe_minibatch_options (self->recipe, &minibatch)
            ? learn_in_batches (self, sample, &options, &minibatch, &dictionary, error)
            : learn_at_once (self, sample, &options, &dictionary, error)))
    return NULL;
  return g_steal_pointer (&dictionary);
}

TOSST_DEFINE_PUBLIC_FREE (TosstLearned, tosst_learned_free, gpointer, (dictionary, tosst_dictionary_free),
                          (trace, g_array_unref), (usage, g_free))

/* Takes the dictionary, and the trace and usage of the run. */
static TosstShared *
new_learned (TosstRun *self, TosstDictionary *dictionary)
{
  TosstLearned *learned = g_new (TosstLearned, 1);
  gsize K = (gsize)dictionary->K, numbers = (gsize)(dictionary->D + dictionary->S + 1) * K;

  *learned = (TosstLearned){ dictionary, g_steal_pointer (&self->trace), g_steal_pointer (&self->usage) };
  return tosst_shared_new (learned, tosst_learned_free,
                           numbers * sizeof (double) + learned->trace->len * sizeof (TosstIteration));
}

static TosstShared *
learn_or_load (TosstRun *self, const GArray *sample, GError **error)
{
  const TosstCheckpoint *checkpoint = self->checkpoint;
  gint64 start = g_get_monotonic_time ();

  self->trace = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  self->before = 0;
  if (checkpoint != NULL && checkpoint->learned)
    {
      g_array_append_vals (self->trace, checkpoint->trace->data, checkpoint->trace->len);
      replay (self, checkpoint->trace, checkpoint->dictionary, NULL);
      return new_learned (self, tosst_dictionary_copy (checkpoint->dictionary));
    }
  TosstDictionary *dictionary = learn (self, sample, error);
  if (dictionary == NULL)
    {
      g_clear_pointer (&self->trace, g_array_unref);
      g_clear_pointer (&self->usage, g_free);
      return NULL;
    }
  TosstShared *made = new_learned (self, dictionary);
  /* Saved immediately: coding may take long and be interrupted. */
  if (tosst_run_has_checkpoints (self)
      && (1e-6 * (double)(g_get_monotonic_time () - start) >= self->options->interval || checkpoint != NULL))
    tosst_run_save (
        self,
        &(TosstCheckpoint){ .dictionary = dictionary, .learned = TRUE, .trace = ((TosstLearned *)made->data)->trace });
  return made;
}

const TosstDictionary *
tosst_run_dictionary (const TosstRun *self, const TosstLearned *learned)
{
  return self->drawn != NULL || learned == NULL ? self->drawn : learned->dictionary;
}

/* sqrt (sum ||X - reconstruction||^2 / sum ||X||^2) over the n tensors of the sample, by the last iteration. Their scale is
 * the root of their mean squared norm, so that the denominator is n. */
static double
relative_residual (const TosstLearned *learned, guint n)
{
  guint last = learned->trace->len;

  return last > 0 ? sqrt (fmax (g_array_index (learned->trace, TosstIteration, last - 1).fit, 0) / n) : NAN;
}

TosstShared *
tosst_run_learn (TosstRun *self, const GArray *train, int split, GError **error)
{
  g_autoptr (GArray) sample = tosst_run_select_sample (self, train, split);
  TosstCacheRequest request;
  TosstShared *learned;

  tosst_run_enter (self, TOSST_STAGE_LEARN, split);
  if (!tosst_run_cache_get (self, &request, TOSST_PART_DICTIONARY, split, &learned, error))
    return NULL;
  if (learned != NULL)
    {
      const TosstLearned *found = learned->data;

      replay (self, found->trace, found->dictionary, found->usage);
    }
  else
    {
      learned = learn_or_load (self, sample, error);
      tosst_run_cache_put (self, &request, learned);
    }
  if (learned == NULL)
    return NULL;
  tosst_run_leave (self);
  self->residual = relative_residual (learned->data, sample->len);
  /* Runs with dictionary.source=random have a random dictionary instead of the learned one that they share with others. */
  g_clear_pointer (&self->drawn, tosst_dictionary_free);
  if (self->recipe->dictionary.source != TOSST_SOURCE_RANDOM)
    return learned;
  self->residual = NAN;
  self->drawn = tosst_dictionary_copy (((const TosstLearned *)learned->data)->dictionary);
  if (!tosst_dictionary_randomize (self->recipe, self->context, &self->drawn, error))
    g_clear_pointer (&learned, tosst_shared_unref);
  return learned;
}
