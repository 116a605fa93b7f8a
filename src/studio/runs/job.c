/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/job.h"

#include <glib/gi18n.h>

#include "core/local/image-tensors.h"
#include "core/store/record.h"
#include "studio/runs/workspace.h"
#include "studio/tasks/computing.h"

#define NOTIFY_MS 16                  /* one update per frame at most */
#define SWEEP_NOTIFY_MS 50            /* a sweep of short runs has frequent news */
#define ATOMS_US (G_USEC_PER_SEC / 4) /* atoms are copied a few times a second */

struct StudioJob
{
  /* Set before the thread starts, then constant. */
  StudioOrder order; /* store, plan and title are owned; recipe and data set are those below */
  TosstRecipe *recipe;
  int threads;
  GCancellable *cancellable;
  GThread *thread;
  StudioNotifier *notifier;

  StudioComputing computing;

  /* Worker only. */
  TosstDataset *dataset;
  gint64 atoms_time;
  TosstStore *store;   /* or NULL */
  int next_dictionary; /* the later split whose dictionary is expected: they are counted */
  StudioAtoms *held;   /* of the last iteration, if it followed the last update too closely */

  GMutex lock; /* guards the members below */
  StudioJobUpdate update;
};

void
studio_job_update_clear (StudioJobUpdate *update)
{
  g_clear_pointer (&update->news, g_array_unref);
  g_clear_pointer (&update->iterations, g_array_unref);
  g_clear_pointer (&update->splits, g_array_unref);
  g_clear_pointer (&update->atoms, studio_atoms_unref);
  g_clear_pointer (&update->learned, studio_atom_set_unref);
  g_clear_pointer (&update->dictionaries, g_ptr_array_unref);
  g_clear_pointer (&update->model, tosst_model_free);
  g_clear_pointer (&update->notice, g_free);
  g_clear_pointer (&update->look, g_free);
  g_clear_pointer (&update->result, tosst_run_result_free);
  g_clear_pointer (&update->dataset, tosst_dataset_unref);
  g_clear_error (&update->error);
}

/* Worker, with the lock held: releases it and queues a notification. */
static void
unlock_and_notify (StudioJob *self)
{
  g_mutex_unlock (&self->lock);
  studio_notifier_queue (self->notifier, self->order.plan != NULL ? SWEEP_NOTIFY_MS : NOTIFY_MS);
}

/* Worker, with the lock held. Takes ownership of atoms; returns the replaced ones. */
static StudioAtoms *
swap_atoms (StudioJob *self, StudioAtoms *atoms)
{
  StudioAtoms *old = self->update.atoms;

  if (atoms == NULL)
    return NULL;
  self->update.atoms = atoms;
  return old;
}

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  StudioJob *self = data;
  g_autoptr (StudioAtoms) old = NULL;

  g_mutex_lock (&self->lock);
  self->update.status.stage = stage;
  self->update.status.stage_split = split;
  /* Learning has ended: from now on the final dictionary is shown. */
  if (stage != TOSST_STAGE_LEARN)
    old = swap_atoms (self, g_steal_pointer (&self->held));
  unlock_and_notify (self);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  StudioJob *self = data;

  g_mutex_lock (&self->lock);
  self->update.status.fraction = fraction;
  self->update.status.seconds_left = seconds_left;
  unlock_and_notify (self);
}

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  StudioJob *self = data;
  StudioIteration entry = { split, *iteration };
  gint64 now = g_get_monotonic_time ();
  g_autoptr (StudioAtoms) atoms = NULL, old = NULL;

  if (dictionary != NULL)
    atoms = studio_atoms_new (dictionary, usage, split, iteration->iteration);
  g_clear_pointer (&self->held, studio_atoms_unref);
  if (iteration->iteration > 1 && now - self->atoms_time <= ATOMS_US)
    self->held = g_steal_pointer (&atoms);
  else
    self->atoms_time = now;

  g_mutex_lock (&self->lock);
  if (self->update.iterations == NULL)
    self->update.iterations = g_array_new (FALSE, FALSE, sizeof (StudioIteration));
  g_array_append_val (self->update.iterations, entry);
  old = swap_atoms (self, g_steal_pointer (&atoms));
  unlock_and_notify (self);
}

/* A full copy, once per run. */
static StudioAtomSet *
atoms_of_split (StudioJob *self, const TosstSplitResult *split)
{
  g_autoptr (GError) error = NULL;

  if (split->model == NULL || split->model->dictionary == NULL)
    return NULL;
  StudioAtomSet *atoms
      = studio_atom_set_new (tosst_dictionary_copy (split->model->dictionary), self->recipe, split->usage,
                             split->usage != NULL ? self->dataset : NULL, self->threads, &error);
  if (atoms != NULL)
    studio_atom_set_set_components (atoms, split->model->pca);
  else
    g_message ("%s", error->message);
  return atoms;
}

/* The dictionary of a later split, new; NULL if it was not kept, or an earlier one was not. */
static TosstDictionary *
further_dictionary (StudioJob *self, const TosstSplitResult *split)
{
  if (split->dictionary == NULL || split->split != self->next_dictionary + 1)
    return NULL;
  self->next_dictionary++;
  return tosst_dictionary_copy (split->dictionary);
}

static void
on_split (const TosstSplitResult *result, gpointer data)
{
  StudioJob *self = data;
  StudioAtomSet *learned = atoms_of_split (self, result);
  TosstDictionary *further = further_dictionary (self, result);
  StudioSplit entry = { result->split, result->accuracy, result->mean_nonzeros, result->worst_kkt, result->objective };

  g_mutex_lock (&self->lock);
  if (self->update.splits == NULL)
    self->update.splits = g_array_new (FALSE, FALSE, sizeof (StudioSplit));
  g_array_append_val (self->update.splits, entry);
  if (result->model != NULL && self->update.model == NULL)
    self->update.model = tosst_model_share ((TosstModel *)result->model);
  if (learned != NULL)
    {
      g_clear_pointer (&self->update.learned, studio_atom_set_unref); /* those of a first look */
      self->update.learned = learned;
    }
  if (further != NULL && self->update.dictionaries == NULL)
    self->update.dictionaries = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_dictionary_free);
  if (further != NULL)
    g_ptr_array_add (self->update.dictionaries, further);
  unlock_and_notify (self);
}

/* Worker. A later notice replaces one that was not yet taken. */
static void
give_notice (StudioJob *self, char *text)
{
  g_mutex_lock (&self->lock);
  g_free (self->update.notice);
  self->update.notice = text;
  unlock_and_notify (self);
}

static void
on_write_failed (const char *sentence, gpointer data)
{
  give_notice (data, g_strdup_printf (_ ("The run continues, but is not recorded at the moment: %s"), sentence));
}

static void
say_not_recorded (StudioJob *self, const GError *error)
{
  give_notice (self, g_strdup_printf (_ ("This run is not recorded: %s"), error->message));
}

static gboolean
open_store (StudioJob *self, GError **error)
{
  self->store = studio_workspace_open_store (self->order.store, TOSST_STORE_WRITE, error);
  if (self->store != NULL && tosst_store_notice (self->store) != NULL)
    give_notice (self, g_strdup (tosst_store_notice (self->store)));
  return self->store != NULL;
}

/* The latest run in a state, new; NULL: none. */
static TosstStoreRun *
latest_of (GPtrArray *runs, TosstRunState state)
{
  for (guint i = 0; i < runs->len; i++)
    if (((TosstStoreRun *)runs->pdata[i])->state == state && !((TosstStoreRun *)runs->pdata[i])->stale)
      return g_ptr_array_steal_index (runs, i);
  return NULL;
}

/* Claims a stopped run for this process; FALSE: another process holds it, or the store is not writable. */
static gboolean
take_over (StudioJob *self, gint64 run)
{
  g_autoptr (GError) error = NULL;
  gboolean mine = FALSE;

  if (!tosst_store_requeue_run (self->store, run, &error)
      || !tosst_store_claim_run (self->store, run, self->threads, &mine, &error))
    g_debug ("%s", error->message);
  return mine;
}

/* Looks the run up in the store: *run is running and claimed by this process or, with *found, done. */
static gboolean
claim_run (StudioJob *self, gint64 *run, gboolean *found, gboolean *continued, GError **error)
{
  TosstRunOrigin made;
  gint64 earlier = self->order.wish == STUDIO_RUN_UNLESS_DONE ? self->order.run : 0;

  tosst_run_origin_init (&made, self->recipe, self->dataset, self->threads);
  *found = FALSE;
  *run = 0;
  if (self->order.wish == STUDIO_RUN_UNLESS_DONE && earlier == 0)
    {
      g_autofree char *filter = g_strdup_printf ("hash=%s", made.hash);
      g_autoptr (GPtrArray) runs = tosst_store_renew_hashes (self->store, self->dataset, error)
                                       ? tosst_store_list (self->store, "-id", filter, error)
                                       : NULL;
      g_autoptr (TosstStoreRun) done = runs != NULL ? latest_of (runs, TOSST_RUN_DONE) : NULL;
      g_autoptr (TosstStoreRun) stopped = runs != NULL && done == NULL ? latest_of (runs, TOSST_RUN_STOPPED) : NULL;

      *found = done != NULL;
      *run = runs == NULL ? -1 : done != NULL ? done->id : 0;
      earlier = stopped != NULL ? stopped->id : 0;
    }
  *continued = earlier != 0 && take_over (self, earlier);
  if (*continued)
    *run = earlier;
  else if (*run == 0)
    *run = tosst_store_add (self->store, self->recipe, &made.origin, TOSST_RUN_RUNNING, error);
  tosst_run_origin_clear (&made);
  return *run > 0;
}

static void
tell_run (StudioJob *self, gint64 run, gboolean found, gboolean continued)
{
  g_mutex_lock (&self->lock);
  self->update.status.run = run;
  self->update.status.found = found;
  self->update.status.continued = continued;
  unlock_and_notify (self);
}

static void
on_look_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
                   gpointer data)
{
  on_iteration (STUDIO_FIRST_LOOK, iteration, dictionary, usage, data);
}

/* The atoms of a first look with the patches of its images; NULL: none. */
static StudioAtomSet *
atoms_of_look (StudioJob *self, const TosstRunResult *result, const GArray *images)
{
  g_autoptr (TosstAtomUsage) usage
      = result->usage != NULL ? tosst_atom_usage_of_subset (result->usage, self->dataset, images) : NULL;

  if (result->dictionary == NULL || usage == NULL)
    return NULL;
  StudioAtomSet *atoms = studio_atom_set_new (tosst_dictionary_copy (result->dictionary), self->recipe, usage,
                                              self->dataset, self->threads, NULL);
  if (atoms != NULL)
    atoms->file
        = g_strdup_printf (ngettext ("first look at %u image", "first look at %u images", images->len), images->len);
  return atoms;
}

/* Worker. look: what it gave, and atoms, owned by the update; NULL: nothing (yet). */
static void
tell_look (StudioJob *self, gboolean looking, char *look, StudioAtomSet *atoms)
{
  g_mutex_lock (&self->lock);
  self->update.status.looking = looking;
  self->update.look = look;
  self->update.learned = atoms;
  unlock_and_notify (self);
}

/* A run of a few images shows atoms, objective and an accuracy within seconds. Nothing of it enters the run. */
static void
look_first (StudioJob *self, TosstContext *context)
{
  const TosstRunObserver observer = { .iteration = on_look_iteration, .data = self };
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) images = NULL;
  g_autofree char *sentence = NULL;

  tell_look (self, TRUE, NULL, NULL);
  g_autoptr (TosstRunResult) result
      = tosst_sweep_first_look (self->recipe, self->dataset, self->order.look, context, &observer, &images, &error);
  if (error != NULL)
    g_debug ("%s", error->message);
  if (result != NULL)
    sentence = tosst_run_sentence (self->recipe, &result->accuracy_mean, 1, (guint)result->classes);
  tell_look (self, FALSE,
             sentence == NULL
                 ? NULL
                 /* Translators: a number of images, and a sentence on how many of 100 are classified correctly */
                 : g_strdup_printf (_ ("First look, at %u of %u images: %s"), images->len,
                                    tosst_dataset_own_images (self->dataset), sentence),
             result != NULL ? atoms_of_look (self, result, images) : NULL);
}

/* Before a run is computed. */
static void
prepare (StudioJob *self, TosstContext *context)
{
  if (self->order.cache != NULL)
    tosst_stage_cache_keep (self->order.cache, self->recipe, self->dataset);
  if (self->order.look > 0 && !self->update.status.continued)
    look_first (self, context);
}

/* FALSE: it could not be recorded and was not run. */
static gboolean
execute_recorded (StudioJob *self, TosstContext *context, const TosstRunObserver *observer, TosstRunResult **result,
                  GError **error)
{
  TosstRecorded recorded = { .store = self->store,
                             .cache = self->order.cache,
                             .dictionaries = TRUE,
                             .checkpoint = self->order.checkpoint,
                             .write_failed = on_write_failed,
                             .data = self };
  g_autoptr (GError) store_error = NULL, cause = NULL, lost = NULL;
  TosstRunResult *partial = NULL;
  gboolean found, continued;

  if (!claim_run (self, &recorded.run, &found, &continued, &store_error))
    {
      say_not_recorded (self, store_error);
      return FALSE;
    }
  tell_run (self, recorded.run, found, continued);
  if (found)
    {
      *result = tosst_run_restore (self->store, recorded.run, self->recipe, self->dataset, observer, error);
      return TRUE;
    }
  prepare (self, context);
  *result = tosst_run_execute_recorded (self->recipe, self->dataset, context, observer, &recorded, &partial,
                                        &store_error, &cause);
  if (*result == NULL)
    *result = partial;
  if (!tosst_store_keep (self->store, &lost))
    give_notice (self, g_strdup (lost->message));
  else if (store_error != NULL)
    say_not_recorded (self, store_error);
  if (*result == NULL && cause == NULL)
    return FALSE;
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return TRUE;
}

/* Results in the store. */
static TosstRunResult *
restore (StudioJob *self, const TosstRunObserver *observer, GError **error)
{
  self->store = studio_workspace_open_store (self->order.store, TOSST_STORE_READ, error);
  if (self->store == NULL)
    return NULL;
  TosstRunResult *result
      = tosst_run_restore (self->store, self->order.run, self->recipe, self->dataset, observer, error);
  tell_run (self, self->order.run, FALSE, FALSE);
  return result;
}

static TosstRunResult *
do_run (StudioJob *self, TosstContext *context, GError **error)
{
  const TosstRunObserver observer = { on_stage, on_progress, on_iteration, on_split, self };
  const TosstRunOptions options = { .cache = self->order.cache, .dictionaries = TRUE, .training = TRUE };
  TosstRunResult *partial = NULL, *result = NULL;
  g_autoptr (GError) store_error = NULL;

  if (!tosst_local_open_once (self->recipe, &self->dataset, self->cancellable, error))
    return NULL;
  if (self->order.wish == STUDIO_RUN_OPEN)
    return restore (self, &observer, error);
  if (self->order.store != NULL && !open_store (self, &store_error))
    say_not_recorded (self, store_error);
  if (self->store != NULL && execute_recorded (self, context, &observer, &result, error))
    return result;
  tell_run (self, 0, FALSE, FALSE);
  prepare (self, context);
  result = tosst_run_execute_with (self->recipe, self->dataset, context, &observer, &options, &partial, error);
  return result != NULL ? result : partial;
}

static void
clear_news (gpointer data)
{
  g_free (((StudioSweepNews *)data)->outcome.reason);
}

static void
on_outcome (guint run, const TosstSweepOutcome *outcome, gpointer data)
{
  StudioJob *self = data;
  StudioSweepNews news = { run, *outcome };

  news.outcome.reason = g_strdup (outcome->reason);
  g_mutex_lock (&self->lock);
  if (self->update.news == NULL)
    {
      self->update.news = g_array_new (FALSE, FALSE, sizeof (StudioSweepNews));
      g_array_set_clear_func (self->update.news, clear_news);
    }
  g_array_append_val (self->update.news, news);
  unlock_and_notify (self);
}

static void
on_sweep_stage (guint run, TosstStage stage, int split, double fraction, gpointer data)
{
  StudioJob *self = data;

  g_mutex_lock (&self->lock);
  self->update.status.number = (int)run;
  g_mutex_unlock (&self->lock);
  on_stage (stage, split, fraction, data);
}

static void
on_notice (const char *sentence, gpointer data)
{
  give_notice (data, g_strdup (sentence));
}

static void
do_sweep (StudioJob *self, TosstContext *context, GError **error)
{
  const TosstSweepObserver observer = { on_outcome, on_sweep_stage, on_progress, on_notice, self };
  const TosstSweepOptions options = { .workspace = self->order.store,
                                      .title = self->order.title,
                                      .jobs = self->order.jobs,
                                      .retry_failed = self->order.retry_failed,
                                      .checkpoint = self->order.checkpoint };
  g_autoptr (TosstSweepResult) result = NULL;

  if (self->order.cache != NULL)
    tosst_stage_cache_keep (self->order.cache, NULL, NULL); /* a sweep has a cache and needs the memory */
  if (!open_store (self, error))
    return;
  g_clear_pointer (&self->store, tosst_store_free); /* it exists; each job of the sweep opens it */
  tosst_sweep_execute (self->order.plan->plan, &options, context, &observer, &result, error);
}

static gpointer
work (StudioJob *self)
{
  g_autoptr (GError) error = NULL;
  TosstRunResult *result = NULL;

  studio_lower_thread_priority ();
  TosstContext *context = studio_computing_begin (&self->computing, self->threads);
  if (self->order.plan != NULL)
    do_sweep (self, context, &error);
  else
    result = do_run (self, context, &error);
  studio_computing_end (&self->computing);
  g_clear_pointer (&self->store, tosst_store_free); /* before the window is notified of the end */

  g_mutex_lock (&self->lock);
  g_autoptr (StudioAtoms) old = swap_atoms (self, g_steal_pointer (&self->held));
  self->update.status.finished = TRUE;
  self->update.result = result;
  self->update.dataset = g_steal_pointer (&self->dataset);
  self->update.error = g_steal_pointer (&error);
  unlock_and_notify (self);
  return NULL;
}

StudioJob *
studio_job_start (const StudioOrder *order, int threads, StudioNotifyFunc notify, gpointer data)
{
  StudioJob *self = g_new0 (StudioJob, 1);

  g_mutex_init (&self->lock);
  studio_computing_init (&self->computing);
  self->update.status.number = -1;
  self->update.status.seconds_left = -1;
  self->order = *order;
  self->order.store = order->store != NULL ? g_object_ref (order->store) : NULL;
  self->order.plan = order->plan != NULL ? studio_sweep_plan_ref (order->plan) : NULL;
  self->order.title = g_strdup (order->title);
  self->recipe = order->recipe != NULL ? tosst_recipe_copy (order->recipe) : NULL;
  self->dataset = order->dataset != NULL ? tosst_dataset_ref (order->dataset) : NULL;
  self->threads = threads;
  self->cancellable = g_cancellable_new ();
  self->notifier = studio_notifier_new (notify, data);
  self->thread = g_thread_new ("job", (GThreadFunc)work, self);
  return self;
}

void
studio_job_take (StudioJob *self, StudioJobUpdate *update)
{
  g_mutex_lock (&self->lock);
  *update = self->update;
  self->update = (StudioJobUpdate){ .status = update->status };
  g_mutex_unlock (&self->lock);
}

void
studio_job_pause (StudioJob *self, gboolean pause)
{
  studio_computing_pause (&self->computing, pause);
}

void
studio_job_cancel (StudioJob *self)
{
  g_cancellable_cancel (self->cancellable);
  studio_computing_cancel (&self->computing);
}

void
studio_job_release (StudioJob *self)
{
  studio_notifier_disconnect (self->notifier);
  studio_job_cancel (self);
  g_thread_join (self->thread);
  studio_notifier_unref (self->notifier);
  studio_job_update_clear (&self->update);
  g_clear_pointer (&self->held, studio_atoms_unref);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_clear_object (&self->order.store);
  g_clear_pointer (&self->order.plan, studio_sweep_plan_unref);
  g_free ((char *)self->order.title);
  g_object_unref (self->cancellable);
  studio_computing_clear (&self->computing);
  g_mutex_clear (&self->lock);
  g_free (self);
}
