/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recording of a run in a store. A failed write to the store never stops the run.
 */
#include "config.h"

#include "core/store/record.h"

#include "core/base/base.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/model.h"
#include "core/run/hash.h"
#include "core/store/private.h"

/* Interval of writes, and after a failed one, s. */
#define EVERY 0.5
#define AGAIN 30

/* What is recorded of a run: results are passed to the observer and to the store, after those that the store has already. */
typedef struct
{
  const TosstRecorded *recorded;
  const TosstRunObserver *observer; /* or NULL */
  TosstStore *store;
  gint64 run;
  int classes;
  GArray *iterations; /* TosstStoreIteration, not written yet */
  GPtrArray *splits;  /* const TosstSplitResult *, not written yet */
  gint64 due;         /* monotonic time of the next write */
  char *failure;      /* error of the last write; or NULL */
  gboolean reported;  /* a failed write has been */
  TosstStage stage;
  gint64 stage_start, start; /* monotonic */
  double seconds[TOSST_N_STAGES];
  double earlier[TOSST_N_STAGES], earlier_total; /* before the run was resumed */
} Record;

void
tosst_run_origin_init (TosstRunOrigin *self, const TosstRecipe *recipe, TosstDataset *dataset, int threads)
{
  self->hash = tosst_run_hash (recipe, dataset ? dataset->key : "", -1);
  self->cpu = tosst_machine_cpu ();
  self->blas = tosst_machine_blas ();
  self->names = g_ptr_array_new ();
  for (guint i = 0; dataset && i < dataset->classes->len; i++)
    g_ptr_array_add (self->names, (gpointer)tosst_dataset_class_name (dataset, i));
  g_ptr_array_add (self->names, NULL);
  self->origin = (TosstStoreOrigin){ .hash = self->hash,
                                     .version = PACKAGE_VERSION,
                                     .numerics = TOSST_NUMERICS,
                                     .cpu = self->cpu,
                                     .blas = self->blas,
                                     .threads = threads,
                                     .data = dataset ? dataset->fingerprint : "",
                                     .dataset = dataset ? dataset->title : "",
                                     .class_names = (const char *const *)self->names->pdata,
                                     .splits = dataset ? (int)tosst_dataset_splits (dataset, recipe) : 0,
                                     .split = -1 };
}

TOSST_DEFINE_PUBLIC_CLEAR (TosstRunOrigin, tosst_run_origin_clear, TosstRunOrigin *, (hash, g_free), (cpu, g_free),
                           (blas, g_free), (names, g_ptr_array_unref))

/* The dictionary of the first split is in its model. */
static gboolean
write_dictionary (Record *self, const TosstSplitResult *split, GError **error)
{
  if (split->dictionary == NULL)
    return TRUE;
  g_autoptr (TosstNpz) npz = tosst_dictionary_make_npz (split->dictionary, NULL);
  g_autoptr (GBytes) bytes = tosst_npz_to_bytes (npz, TOSST_STORE_DICTIONARY, error);
  return bytes != NULL
         && tosst_store_add_artifact (self->store, self->run, split->split, TOSST_STORE_DICTIONARY, bytes, error);
}

static gboolean
write_usage (Record *self, const TosstSplitResult *split, GError **error)
{
  /* Some hundred kilobytes, and not the same where several processes share a run. */
  g_autoptr (GBytes) bytes
      = self->recorded->dictionaries && split->usage != NULL ? tosst_atom_usage_to_bytes (split->usage) : NULL;

  return bytes == NULL
         || tosst_store_add_artifact (self->store, self->run, split->split, TOSST_STORE_USAGE, bytes, error);
}

static gboolean
write_all (Record *self, GError **error)
{
  const TosstStoreIteration *rows = (const TosstStoreIteration *)(const void *)self->iterations->data;

  if (self->iterations->len && !tosst_store_add_iterations (self->store, self->run, rows, self->iterations->len, error))
    return FALSE;
  g_array_set_size (self->iterations, 0);
  for (; self->splits->len; g_ptr_array_remove_index (self->splits, 0))
    {
      const TosstSplitResult *split = g_ptr_array_index (self->splits, 0);
      g_autoptr (GBytes) model = split->model ? tosst_model_to_bytes (split->model, "model.npz", error) : NULL;

      if ((split->model
           && (!model || !tosst_store_add_artifact (self->store, self->run, split->split, "model.npz", model, error)))
          || !write_dictionary (self, split, error) || !write_usage (self, split, error)
          || !tosst_store_add_split (self->store, self->run, split, self->classes, error))
        return FALSE;
    }
  return TRUE;
}

static void
write_some (Record *self, gboolean at_once)
{
  g_autoptr (GError) error = NULL;
  gint64 now = g_get_monotonic_time ();

  if (!at_once && now < self->due)
    return;
  gboolean ok = write_all (self, &error);
  g_free (self->failure);
  self->failure = error ? g_strdup (error->message) : NULL;
  self->due = g_get_monotonic_time () + (gint64)((ok ? EVERY : AGAIN) * G_USEC_PER_SEC);
}

/* Writes the seconds of the whole run, including its earlier executions. */
static gboolean
write_seconds (Record *self, const double *now, double total, GError **error)
{
  double seconds[TOSST_N_STAGES];

  for (int i = 0; i < TOSST_N_STAGES; i++)
    seconds[i] = self->earlier[i] + now[i];
  return tosst_store_set_seconds (self->store, self->run, seconds, self->earlier_total + total, error);
}

static void
end_stage (Record *self)
{
  gint64 now = g_get_monotonic_time ();

  if (self->stage < TOSST_N_STAGES)
    self->seconds[self->stage] += 1e-6 * (double)(now - self->stage_start);
  self->stage_start = now;
}

static gboolean
write_result (Record *self, const TosstRunResult *result, GError **error)
{
  g_autofree char *csv = tosst_run_result_confusion_csv (result);
  g_autoptr (GBytes) bytes = g_bytes_new (csv, strlen (csv));

  return write_seconds (self, result->seconds, result->seconds_total, error)
         && tosst_store_set_shared (self->store, self->run, result->seconds_shared, error)
         && (result->splits == 0 || result->score != TOSST_SCORE_ACCURACY
             || tosst_store_add_artifact (self->store, self->run, -1, "confusion.csv", bytes, error));
}

/* result: of the run, or its partial result before cause; either may be NULL. */
static gboolean
finish (Record *self, const TosstRunResult *result, const GError *cause, GError **error)
{
  gboolean cancelled = g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  TosstRunState state = !cause ? TOSST_RUN_DONE : cancelled ? TOSST_RUN_STOPPED : TOSST_RUN_FAILED;
  const char *reason = !cause ? NULL : cancelled ? _ ("interrupted") : cause->message;

  GError *failure = NULL;
  gboolean written = write_all (self, &failure) && (!result || write_result (self, result, &failure))
                     && tosst_store_finish (self->store, self->run, state, reason, &failure);

  if (written)
    return TRUE;
  g_propagate_prefixed_error (error, failure, _ ("the run could not be recorded: "));
  return FALSE;
}

static void
check_record (Record *self)
{
  if (self->failure == NULL || self->reported || self->recorded->write_failed == NULL)
    return;
  self->reported = TRUE;
  self->recorded->write_failed (self->failure, self->recorded->data);
}

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  Record *self = data;

  if (stage != self->stage)
    end_stage (self);
  self->stage = stage;
  if (self->observer != NULL && self->observer->stage != NULL)
    self->observer->stage (stage, split, fraction, self->observer->data);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  Record *self = data;

  if (self->observer != NULL && self->observer->progress != NULL)
    self->observer->progress (fraction, seconds_left, self->observer->data);
}

static void
report_iteration (const TosstRunObserver *observer, int split, const TosstIteration *iteration,
                  const TosstDictionary *dictionary, const double *usage)
{
  if (observer != NULL && observer->iteration != NULL)
    observer->iteration (split, iteration, dictionary, usage, observer->data);
}

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  Record *self = data;
  TosstStoreIteration row = { split, *iteration };

  g_array_append_val (self->iterations, row);
  write_some (self, FALSE);
  check_record (self);
  report_iteration (self->observer, split, iteration, dictionary, usage);
}

static void
report_split (const TosstRunObserver *observer, const TosstSplitResult *result)
{
  if (observer != NULL && observer->split != NULL)
    observer->split (result, observer->data);
}

static void
on_split (const TosstSplitResult *result, gpointer data)
{
  Record *self = data;
  gboolean behind = self->splits->len > 0; /* an earlier split could not be written */

  g_ptr_array_add (self->splits, (gpointer)result);
  write_some (self, !behind);
  end_stage (self);
  if (!behind)
    write_seconds (self, self->seconds, 1e-6 * (double)(g_get_monotonic_time () - self->start), NULL);
  check_record (self);
  report_split (self->observer, result);
}

static void
save_checkpoint (int split, GBytes *checkpoint, gpointer data)
{
  Record *self = data;
  g_autoptr (GError) error = NULL;

  /* A failure costs only time, and only if the program is killed. */
  if (!tosst_store_add_artifact (self->store, self->run, split, TOSST_STORE_CHECKPOINT, checkpoint, &error))
    g_debug ("%s", error->message);
  else
    tosst_store_drop_files (self->store, self->run, split);
}

static GFile *
place_checkpoint (int split, gpointer data)
{
  Record *self = data;

  return tosst_store_file (self->store, self->run, split);
}

static GBytes *
load_checkpoint (int split, gpointer data)
{
  Record *self = data;

  return tosst_store_artifact (self->store, self->run, split, TOSST_STORE_CHECKPOINT, NULL);
}

/* Reads the iterations of a split from the store. */
static GArray *
read_iterations (TosstStore *store, gint64 run, int split, GError **error)
{
  g_autoptr (GArray) iterations = g_array_new (FALSE, TRUE, sizeof (TosstIteration));

  for (gsize i = 0; i <= TOSST_STORE_ITERATION_NUMBERS; i++)
    {
      const TosstNumber *number = i < TOSST_STORE_ITERATION_NUMBERS ? &tosst_store_iteration_numbers[i] : NULL;
      g_autoptr (GError) cause = NULL;
      gsize n;
      g_autofree double *values
          = tosst_store_series (store, run, split, number ? number->name : "unused_atoms", &n, &cause);

      if (cause != NULL)
        return tosst_pass_error (error, &cause), NULL;
      if (iterations->len < n)
        g_array_set_size (iterations, (guint)n);
      for (gsize at = 0; at < n; at++)
        {
          TosstIteration *iteration = &g_array_index (iterations, TosstIteration, at);

          iteration->iteration = (int)at + 1;
          if (number)
            G_STRUCT_MEMBER (double, iteration, number->offset) = values[at];
          else
            iteration->unused_atoms = (int)values[at];
        }
    }
  return g_steal_pointer (&iterations);
}

/* Returns NULL if the model is missing or unreadable: the other results can be shown without it. */
static TosstModel *
read_model (TosstStore *store, gint64 run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = tosst_store_artifact (store, run, 0, "model.npz", &error);
  TosstModel *model = bytes != NULL ? tosst_model_from_bytes (bytes, "model.npz", &error) : NULL;

  if (model == NULL)
    g_debug ("%s", error->message);
  return model;
}

/* NULL where there is none, as in stores of earlier versions. */
static TosstAtomUsage *
read_usage (TosstStore *store, gint64 run, const TosstModel *model, TosstDataset *dataset)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = tosst_store_artifact (store, run, 0, TOSST_STORE_USAGE, &error);
  TosstAtomUsage *usage
      = bytes != NULL ? tosst_atom_usage_from_bytes (bytes, model->dictionary->K, dataset, &error) : NULL;

  if (usage == NULL)
    g_debug ("%s", error->message);
  return usage;
}

/* That of a later split. NULL if none was kept, or it is unreadable. */
static TosstDictionary *
read_dictionary (TosstStore *store, gint64 run, int split)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = tosst_store_artifact (store, run, split, TOSST_STORE_DICTIONARY, &error);
  TosstDictionary *dictionary
      = bytes != NULL ? tosst_dictionary_from_bytes (bytes, TOSST_STORE_DICTIONARY, NULL, &error) : NULL;

  if (dictionary == NULL)
    g_debug ("%s", error->message);
  return dictionary;
}

/* The last iteration is reported with its atoms, if they are known. */
static gboolean
replay_split (TosstStore *store, gint64 run, const TosstSplitResult *split, const TosstDictionary *dictionary,
              const TosstRunObserver *observer, GError **error)
{
  g_autoptr (GArray) iterations = read_iterations (store, run, split->split, error);
  g_autofree double *usage = dictionary != NULL ? g_new0 (double, (gsize)dictionary->K) : NULL;

  if (iterations == NULL)
    return FALSE;
  for (guint i = 0; i < iterations->len; i++)
    {
      gboolean last = i + 1 == iterations->len;

      report_iteration (observer, split->split, &g_array_index (iterations, TosstIteration, i),
                        last ? dictionary : NULL, last ? usage : NULL);
    }
  report_split (observer, split);
  return TRUE;
}

/* done: TosstSplitResult; the model and the use of its atoms are set in the first one, and the others have their
 * dictionaries while they are reported. */
static gboolean
replay_splits (TosstStore *store, gint64 run, GArray *done, const TosstModel *model, TosstAtomUsage *atoms,
               const TosstRunObserver *observer, GError **error)
{
  for (guint i = 0; i < done->len; i++)
    {
      TosstSplitResult *split = &g_array_index (done, TosstSplitResult, i);
      gboolean first = i == 0 && model != NULL, told;
      TosstDictionary *dictionary;

      split->model = first ? model : NULL;
      split->usage = first ? atoms : NULL;
      split->dictionary = dictionary = i > 0 ? read_dictionary (store, run, split->split) : NULL;
      told = replay_split (store, run, split, first ? model->dictionary : NULL, observer, error);
      split->dictionary = NULL;
      tosst_dictionary_free (dictionary);
      if (!told)
        return FALSE;
    }
  return TRUE;
}

/* Moves the model of the first split of an earlier execution to the result, and the use of its atoms, if it is known. */
static void
give_model (TosstRunResult *result, TosstModel **model, TosstAtomUsage *usage)
{
  if (result == NULL || *model == NULL || result->model != NULL || result->splits == 0)
    return;
  result->model = g_steal_pointer (model);
  result->split[0].model = result->model;
  if (result->model->dictionary != NULL)
    result->dictionary = tosst_dictionary_copy (result->model->dictionary);
  result->usage = usage != NULL ? tosst_atom_usage_ref (usage) : NULL;
  result->split[0].usage = result->usage;
}

TosstRunResult *
tosst_run_execute_recorded (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                            const TosstRunObserver *observer, const TosstRecorded *recorded, TosstRunResult **partial,
                            GError **store_error, GError **error)
{
  g_autoptr (GArray) iterations = g_array_new (FALSE, FALSE, sizeof (TosstStoreIteration));
  g_autoptr (GPtrArray) splits = g_ptr_array_new ();
  Record self = { .recorded = recorded,
                  .observer = observer,
                  .store = recorded->store,
                  .run = recorded->run,
                  .classes = (int)dataset->classes->len,
                  .iterations = iterations,
                  .splits = splits,
                  .stage = TOSST_N_STAGES,
                  .start = g_get_monotonic_time () };
  const TosstRunObserver both = { on_stage, on_progress, on_iteration, on_split, &self };
  TosstRunOptions options = { .cache = recorded->cache,
                              .dictionaries = recorded->dictionaries,
                              .training = recorded->dictionaries,
                              .interval = recorded->checkpoint,
                              .save = save_checkpoint,
                              .load = load_checkpoint,
                              .place = place_checkpoint,
                              .data = &self };
  g_autoptr (GArray) done = NULL;
  g_autoptr (TosstModel) model = NULL;
  g_autoptr (TosstAtomUsage) usage = NULL;
  g_autoptr (GError) cause = NULL;
  TosstRunResult *result, *some = NULL;

  if (partial != NULL)
    *partial = NULL;
  if (!tosst_store_seconds (recorded->store, recorded->run, self.earlier, &self.earlier_total, NULL, store_error)
      || !(done = tosst_store_splits (recorded->store, recorded->run, self.classes, store_error)))
    return NULL;
  if (observer != NULL && (observer->iteration != NULL || observer->split != NULL) && done->len > 0)
    {
      model = read_model (recorded->store, recorded->run);
      usage = model != NULL && model->dictionary != NULL ? read_usage (recorded->store, recorded->run, model, dataset)
                                                         : NULL;
      if (!replay_splits (recorded->store, recorded->run, done, model, usage, observer, store_error))
        return NULL;
    }
  options.done = (const TosstSplitResult *)(const void *)done->data;
  options.n_done = (int)done->len;
  result = recorded->execute
               ? recorded->execute (recipe, dataset, context, &both, &options, recorded->executor, &some, &cause)
               : tosst_run_execute_with (recipe, dataset, context, &both, &options, &some, &cause);
  finish (&self, result != NULL ? result : some, cause, store_error);
  g_free (self.failure);
  give_model (result != NULL ? result : some, &model, usage);
  if (partial != NULL)
    *partial = g_steal_pointer (&some);
  g_clear_pointer (&some, tosst_run_result_free);
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return result;
}

TosstRunResult *
tosst_run_restore (TosstStore *store, gint64 run, const TosstRecipe *recipe, TosstDataset *dataset,
                   const TosstRunObserver *observer, GError **error)
{
  g_autoptr (GArray) done = tosst_store_splits (store, run, (int)dataset->classes->len, error);

  if (done == NULL)
    return NULL;
  g_autoptr (TosstModel) model = read_model (store, run);
  g_autoptr (TosstAtomUsage) usage
      = model != NULL && model->dictionary != NULL ? read_usage (store, run, model, dataset) : NULL;
  TosstRunResult *result = replay_splits (store, run, done, model, usage, observer, error)
                               ? tosst_run_sum_up (recipe, dataset, done, error)
                               : NULL;
  if (result == NULL)
    return NULL;
  give_model (result, &model, usage);
  if (tosst_store_seconds (store, run, result->seconds, &result->seconds_total, &result->seconds_shared, error))
    return result;
  tosst_run_result_free (result);
  return NULL;
}
