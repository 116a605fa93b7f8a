/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recording of a run in a store. A failed write to the store never stops the run.
 */
#include "config.h"

#include "core/store/record.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/model.h"
#include "core/run/hash.h"

/* Interval of writes, and after a failed one, s. */
#define EVERY 0.5
#define AGAIN 30

struct TosstRunRecord
{
  TosstStore *store;
  gboolean borrowed; /* the store */
  gint64 run;
  int classes;
  GArray *iterations; /* TosstStoreIteration, not written yet */
  GPtrArray *splits;  /* const TosstSplitResult *, not written yet */
  gint64 due;         /* monotonic time of the next write */
  char *failure;      /* error of the last write; or NULL */
  TosstStage stage;
  gint64 stage_start, start; /* monotonic */
  double seconds[TOSST_N_STAGES];
  double earlier[TOSST_N_STAGES], earlier_total; /* before the run was resumed */
};

void
tosst_run_origin_init (TosstRunOrigin *self, const TosstRecipe *recipe, TosstDataset *dataset, int threads)
{
  self->hash = tosst_run_hash (recipe, dataset ? tosst_dataset_key (dataset) : "", -1);
  self->cpu = tosst_machine_cpu ();
  self->blas = tosst_machine_blas ();
  self->names = g_ptr_array_new ();
  for (guint i = 0; dataset && i < tosst_dataset_classes (dataset); i++)
    g_ptr_array_add (self->names, (gpointer)tosst_dataset_class_name (dataset, i));
  g_ptr_array_add (self->names, NULL);
  self->origin = (TosstStoreOrigin){ .hash = self->hash,
                                     .version = PACKAGE_VERSION,
                                     .numerics = TOSST_NUMERICS,
                                     .cpu = self->cpu,
                                     .blas = self->blas,
                                     .threads = threads,
                                     .data = dataset ? tosst_dataset_fingerprint (dataset) : "",
                                     .dataset = dataset ? tosst_dataset_title (dataset) : "",
                                     .class_names = (const char *const *)self->names->pdata,
                                     .splits = dataset ? (int)tosst_dataset_splits (dataset, recipe) : 0,
                                     .split = -1 };
}

void
tosst_run_origin_clear (TosstRunOrigin *self)
{
  g_free (self->hash);
  g_free (self->cpu);
  g_free (self->blas);
  g_ptr_array_unref (self->names);
}

static TosstRunRecord *
record_new (TosstDataset *dataset)
{
  TosstRunRecord *self = g_new0 (TosstRunRecord, 1);

  self->classes = (int)tosst_dataset_classes (dataset);
  self->iterations = g_array_new (FALSE, FALSE, sizeof (TosstStoreIteration));
  self->splits = g_ptr_array_new ();
  self->stage = TOSST_N_STAGES;
  self->start = g_get_monotonic_time ();
  return self;
}

TosstRunRecord *
tosst_run_record_new (GFile *file, const TosstRecipe *recipe, TosstDataset *dataset, int threads, GError **error)
{
  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (recipe != NULL, NULL);
  g_return_val_if_fail (dataset != NULL, NULL);

  g_autoptr (TosstRunRecord) self = record_new (dataset);
  TosstRunOrigin made;

  self->store = tosst_store_open (file, TOSST_STORE_WRITE, error);
  if (!self->store)
    return NULL;
  tosst_run_origin_init (&made, recipe, dataset, threads);
  self->run = tosst_store_add (self->store, recipe, &made.origin, TOSST_RUN_RUNNING, error);
  tosst_run_origin_clear (&made);
  return self->run > 0 ? g_steal_pointer (&self) : NULL;
}

TosstRunRecord *
tosst_run_record_continue (TosstStore *store, gint64 run, TosstDataset *dataset, GError **error)
{
  g_return_val_if_fail (store != NULL, NULL);
  g_return_val_if_fail (dataset != NULL, NULL);

  g_autoptr (TosstRunRecord) self = record_new (dataset);

  self->store = store;
  self->borrowed = TRUE;
  self->run = run;
  if (!tosst_store_seconds (store, run, self->earlier, &self->earlier_total, NULL, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
tosst_run_record_free (TosstRunRecord *self)
{
  if (!self)
    return;
  if (!self->borrowed)
    tosst_store_free (self->store);
  g_array_unref (self->iterations);
  g_ptr_array_unref (self->splits);
  g_free (self->failure);
  g_free (self);
}

gint64
tosst_run_record_id (TosstRunRecord *self)
{
  return self->run;
}

const char *
tosst_run_record_error (TosstRunRecord *self)
{
  return self->failure;
}

/* The dictionary of the first split is in its model. */
static gboolean
write_dictionary (TosstRunRecord *self, const TosstSplitResult *split, GError **error)
{
  g_autoptr (TosstNpz) npz = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (split->dictionary == NULL)
    return TRUE;
  npz = tosst_dictionary_make_npz (split->dictionary, NULL);
  bytes = tosst_npz_to_bytes (npz, TOSST_STORE_DICTIONARY, error);
  return bytes != NULL
         && tosst_store_add_artifact (self->store, self->run, split->split, TOSST_STORE_DICTIONARY, bytes, error);
}

static gboolean
write_usage (TosstRunRecord *self, const TosstSplitResult *split, GError **error)
{
  g_autoptr (GBytes) bytes = split->usage != NULL ? tosst_atom_usage_to_bytes (split->usage) : NULL;

  return bytes == NULL
         || tosst_store_add_artifact (self->store, self->run, split->split, TOSST_STORE_USAGE, bytes, error);
}

static gboolean
write_all (TosstRunRecord *self, GError **error)
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
write_some (TosstRunRecord *self, gboolean at_once)
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
write_seconds (TosstRunRecord *self, const double *now, double total, GError **error)
{
  double seconds[TOSST_N_STAGES];

  for (int i = 0; i < TOSST_N_STAGES; i++)
    seconds[i] = self->earlier[i] + now[i];
  return tosst_store_set_seconds (self->store, self->run, seconds, self->earlier_total + total, error);
}

static void
end_stage (TosstRunRecord *self)
{
  gint64 now = g_get_monotonic_time ();

  if (self->stage < TOSST_N_STAGES)
    self->seconds[self->stage] += 1e-6 * (double)(now - self->stage_start);
  self->stage_start = now;
}

void
tosst_run_record_stage (TosstRunRecord *self, TosstStage stage)
{
  if (stage == self->stage)
    return;
  end_stage (self);
  self->stage = stage;
}

void
tosst_run_record_iteration (TosstRunRecord *self, int split, const TosstIteration *iteration)
{
  TosstStoreIteration row = { split, *iteration };

  g_array_append_val (self->iterations, row);
  write_some (self, FALSE);
}

void
tosst_run_record_split (TosstRunRecord *self, const TosstSplitResult *result)
{
  gboolean behind = self->splits->len > 0; /* an earlier split could not be written */

  g_ptr_array_add (self->splits, (gpointer)result);
  write_some (self, !behind);
  end_stage (self);
  if (!behind)
    write_seconds (self, self->seconds, 1e-6 * (double)(g_get_monotonic_time () - self->start), NULL);
}

static gboolean
write_result (TosstRunRecord *self, const TosstRunResult *result, GError **error)
{
  g_autofree char *csv = tosst_run_result_confusion_csv (result);
  g_autoptr (GBytes) bytes = g_bytes_new (csv, strlen (csv));

  return write_seconds (self, result->seconds, result->seconds_total, error)
         && tosst_store_set_shared (self->store, self->run, result->seconds_shared, error)
         && (result->splits == 0 || result->score != TOSST_SCORE_ACCURACY
             || tosst_store_add_artifact (self->store, self->run, -1, "confusion.csv", bytes, error));
}

gboolean
tosst_run_record_finish (TosstRunRecord *self, const TosstRunResult *result, const GError *cause, GError **error)
{
  gboolean cancelled = g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  TosstRunState state = !cause ? TOSST_RUN_DONE : cancelled ? TOSST_RUN_STOPPED : TOSST_RUN_FAILED;
  const char *reason = !cause ? NULL : cancelled ? _ ("interrupted") : cause->message;

  GError *failure = NULL;
  gboolean written = write_all (self, &failure) && (!result || write_result (self, result, &failure))
                     && tosst_store_finish (self->store, self->run, state, reason, &failure);

  if (!self->borrowed && tosst_store_has_moved (self->store))
    {
      g_clear_error (&failure);
      return tosst_store_keep (self->store, error);
    }
  if (written)
    return TRUE;
  g_propagate_prefixed_error (error, failure, _ ("the run could not be recorded: "));
  return FALSE;
}
