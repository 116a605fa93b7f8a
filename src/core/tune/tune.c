/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Successive halving over methods, then over variations of the best one.
 */
#include "core/tune/tune.h"

#include "core/base/base.h"
#include "core/method/methods.h"
#include "core/run/private.h"
#include "core/store/record.h"
#include "core/sweep/sweep.h"
#include "core/tune/private.h"

/* What is tried: methods, and variations of their values. */

/* Methods by their accuracy on photographs of textures for the time that they take, the highest first. */
static const char *const promising[]
    = { "fisher", "fisher-covariance", "image-covariance", "combined", "fisher-affine", "tensor", "fisher-dense",
        "lbp",    "log-covariance",    "tosst-rbf" };

/* Values to try instead of the present one: factors of numbers, or words. */
static const struct
{
  const char *key, *values; /* separated by spaces; "*2" is a factor */
} variations[] = {
  { "classifier.c", "*0.1 *10" },
  { "coding.gaussians", "*2 *0.5" },
  { "descriptor.pca", "*1.5 *0.6" },
  { "pooling.power", "*0.6 *1.6" },
  { "dictionary.atoms", "*2 *4" },
  { "descriptor.longest-side", "*1.5" },
  { "classifier.width", "3 10" },
  { "descriptor.patch", "*0.7 *1.5" },
  { "descriptor.detector", "hessian dog" },
  { "descriptor.shape", "affine similarity" },
  { "descriptor.radii", "8;12;16;24 16;24;32;48" },
  { "descriptor.gamma-eigen", "*0.5 1" },
  { "descriptor.features", "linear" },
  { "dictionary.lambda", "*0.3 *3" },
};

TOSST_DEFINE_FREE (TosstCandidate, tosst_candidate_free, (name, g_free), (recipe, tosst_recipe_free))

static void
add (GPtrArray *all, char *name, TosstRecipe *recipe)
{
  TosstCandidate *candidate = g_new (TosstCandidate, 1);

  *candidate = (TosstCandidate){ name, recipe };
  g_ptr_array_add (all, candidate);
}

GPtrArray *
tosst_tune_methods (const TosstRecipe *base)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (tosst_candidate_free);

  for (gsize i = 0; i < G_N_ELEMENTS (promising); i++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (base);

      if (tosst_method_apply (tosst_method_find (promising[i], NULL), base, recipe))
        add (all, g_strdup (promising[i]), g_steal_pointer (&recipe));
    }
  return all;
}

/* The value that a word of the table stands for, in the form of files. New; NULL: none. */
static char *
varied_value (const TosstRecipe *recipe, const TosstParameter *p, const char *word)
{
  g_autofree char *now = tosst_recipe_get (recipe, p);

  if (word[0] != '*')
    return strcmp (word, now) == 0 ? NULL : g_strdup (word);
  double value = g_ascii_strtod (now, NULL) * g_ascii_strtod (word + 1, NULL);
  if (*now == '\0' || value == 0)
    return NULL;
  value = CLAMP (value, p->minimum, p->maximum);
  return p->type == TOSST_PARAMETER_INTEGER ? g_strdup_printf ("%.0f", round (value)) : g_strdup_printf ("%.4g", value);
}

static void
vary (GPtrArray *all, const TosstRecipe *base, const TosstCandidate *best, const TosstParameter *p, const char *word)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (best->recipe);
  g_autofree char *value = varied_value (best->recipe, p, word);

  if (value && tosst_method_set (recipe, base, p->name, value) && !tosst_recipe_equal (recipe, best->recipe)
      && tosst_recipe_check (recipe, NULL))
    add (all, g_strdup_printf ("%s %s=%s", best->name, p->name, value), g_steal_pointer (&recipe));
}

/* Variations of one value of a recipe that has an effect and its default in base. */
static GPtrArray *
tosst_tune_variations (const TosstRecipe *base, const TosstCandidate *best)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (tosst_candidate_free);

  for (gsize i = 0; i < G_N_ELEMENTS (variations); i++)
    {
      const TosstParameter *p = tosst_parameter_find (variations[i].key);
      g_auto (GStrv) words = g_strsplit (variations[i].values, " ", -1);

      for (char **word = words; p && !tosst_recipe_why_inactive (best->recipe, p) && *word; word++)
        vary (all, base, best, p, *word);
    }
  return all;
}

/* How long the final run takes, by the time of a trial. The trial has the same stages with fewer images, so that each
 * stage takes its time in the trial times the ratio of the expected work of both. */

/* Part of a run that is not expected to grow, relative to its time. */
static double
ratio_of (double final, double trial)
{
  return trial > 0 && final > trial ? final / trial : 1;
}

/* Expected work of a recipe, of which only ratios matter. */
static double
tosst_tune_work (const TosstRecipe *recipe, TosstDataset *dataset)
{
  double work[TOSST_N_STAGES], sum = 0;

  tosst_run_work (recipe, dataset, work);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    sum += work[stage];
  return sum;
}

double
tosst_tune_final_ratio (const TosstRecipe *final, const TosstRecipe *trial, TosstDataset *dataset)
{
  return ratio_of (tosst_tune_work (final, dataset), tosst_tune_work (trial, dataset));
}

double
tosst_tune_final_seconds (const TosstRecipe *final, const TosstRecipe *trial, TosstDataset *dataset,
                          const TosstRunResult *result)
{
  double more[TOSST_N_STAGES], less[TOSST_N_STAGES], seconds, staged = 0;

  tosst_run_work (final, dataset, more);
  tosst_run_work (trial, dataset, less);
  /* The final run shares nothing with the trials, since it has other images. */
  seconds = result->seconds_shared * ratio_of (more[TOSST_STAGE_DESCRIBE], less[TOSST_STAGE_DESCRIBE]);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    {
      seconds += result->seconds[stage] * ratio_of (more[stage], less[stage]);
      staged += result->seconds[stage];
    }
  /* Time outside of stages: of the weights of a combination, and of what is compared for them. */
  return seconds
         + MAX (result->seconds_total - staged, 0) * ratio_of (more[TOSST_STAGE_TRAIN], less[TOSST_STAGE_TRAIN]);
}

/* The final run may take this times its expected time, which is kept free. */
#define FINAL 1.3
/* Largest share of the time of trials that one trial may take, once there is a best one. */
#define ONE_TRIAL 0.5
/* No trial begins in this last share of the time of trials. */
#define LAST_TRIAL 0.05

/* Nested splits of the last rung. */
#define MOST_SPLITS 4

/* A candidate and what is known of it. */
typedef struct
{
  const TosstCandidate *candidate; /* owned by Tuning.lists */
  TosstRunResult *result;          /* of the nested splits so far, or NULL */
  double final;                    /* expected seconds of the final run with it; of its first trial */
  gboolean out;                    /* failed, or without time */
} Entry;

typedef struct
{
  const TosstTuneWorld *world;
  const TosstRecipe *base;
  TosstDataset *dataset;
  TosstContext *context;
  const TosstTuneOptions *options;
  const TosstTuneObserver *observer;
  TosstStageCache *cache;
  GPtrArray *lists;              /* of candidates, GPtrArray */
  GPtrArray *tried;              /* Entry, all of them */
  Entry *best;                   /* or NULL */
  TosstTrial trial;              /* the current one */
  const TosstRunResult *earlier; /* of its entry, with fewer splits; or NULL */
  double start, deadline;        /* of all trials, of the current one */
  gboolean late;                 /* the current trial was cancelled at its deadline */
} Tuning;

TOSST_DEFINE_FREE (Entry, free_entry, (result, tosst_run_result_free))

static double
elapsed (Tuning *self)
{
  return self->world->seconds (self->world->data) - self->start;
}

/* Until the final run of the best one must begin. */
static double
time_for_trials (const Tuning *self)
{
  return self->options->seconds - (self->best ? FINAL * self->best->final : 0);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  Tuning *self = data;
  double now = elapsed (self), all = time_for_trials (self);

  if (self->observer && self->observer->progress)
    self->observer->progress (all > 0 ? MIN (now / all, 1) : 1, MAX (all - now, 0), self->observer->data);
  if (now <= self->deadline || tosst_context_is_cancelled (self->context))
    return;
  self->late = TRUE;
  tosst_context_cancel (self->context);
}

/* The recipe of a trial: the nested splits of the first split. */
static TosstRecipe *
trial_recipe (const Tuning *self, const TosstRecipe *recipe, int splits)
{
  TosstRecipe *trial = tosst_recipe_copy (recipe);
  int train = tosst_recipe_train_per_class (recipe);

  trial->dataset.within = 1;
  trial->dataset.splits = splits;
  if (train > 1 && tosst_recipe_validate (recipe) >= train)
    trial->dataset.validate = MAX (1, train / 3);
  return trial;
}

/* Adds the run of a trial to the store, if there is one. */
static gboolean
add_run (Tuning *self, const TosstRecipe *recipe, gint64 *run, GError **error)
{
  g_autofree char *title = g_strdup_printf (_ ("trial %u: %s"), self->trial.number, self->trial.name);
  TosstRunOrigin made;

  if (!self->options->store)
    return TRUE;
  tosst_run_origin_init (&made, recipe, self->dataset, tosst_context_threads (self->context));
  made.origin.title = title;
  *run = tosst_store_add (self->options->store, recipe, &made.origin, TOSST_RUN_RUNNING, error);
  tosst_run_origin_clear (&made);
  return *run > 0;
}

/* The result of an earlier command, from the store; NULL if there is none. */
static TosstRunResult *
find_earlier (Tuning *self, const TosstRecipe *recipe)
{
  g_autofree char *hash = tosst_run_hash (recipe, self->dataset->key, -1);
  gint64 run = 0;

  if (!self->options->store || !tosst_store_renew_hashes (self->options->store, self->dataset, NULL)
      || !tosst_store_find (self->options->store, hash, &run, NULL) || run == 0)
    return NULL;
  return tosst_run_restore (self->options->store, run, recipe, self->dataset, NULL, NULL);
}

/* For TosstRecorded: the observer has the splits of the earlier rungs first. */
static TosstRunResult *
execute_trial (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
               const TosstRunObserver *observer, const TosstRunOptions *options, gpointer executor,
               TosstRunResult **partial, GError **error)
{
  const Tuning *self = executor;
  TosstRunOptions own = *options;

  own.done = self->earlier ? self->earlier->split : NULL;
  own.n_done = self->earlier ? self->earlier->splits : 0;
  for (int i = 0; observer->split && i < own.n_done; i++)
    observer->split (&own.done[i], observer->data);
  return self->world->execute (recipe, dataset, context, observer, &own, self->world->data, error);
}

static TosstRunResult *
execute (Tuning *self, const TosstRecipe *recipe, GError **error)
{
  const TosstRunObserver observer = { .progress = on_progress, .data = self };
  const TosstRunOptions options = { .cache = self->cache };
  TosstRecorded recorded
      = { .store = self->options->store, .cache = self->cache, .execute = execute_trial, .executor = self };
  g_autoptr (GError) unread = NULL;

  if (!tosst_recipe_check (recipe, error) || !add_run (self, recipe, &recorded.run, error))
    return NULL;
  tosst_stage_cache_keep (self->cache, recipe, self->dataset);
  if (!recorded.store)
    return execute_trial (recipe, self->dataset, self->context, &observer, &options, self, NULL, error);
  TosstRunResult *result
      = tosst_run_execute_recorded (recipe, self->dataset, self->context, &observer, &recorded, NULL, &unread, error);
  if (!result && !*error)
    g_propagate_error (error, g_steal_pointer (&unread));
  return result;
}

static int
splits_of (const Entry *entry)
{
  return entry->result ? entry->result->splits : 0;
}

/* Mean over the first `splits` nested splits. */
static double
score_at (const Entry *entry, int splits)
{
  double sum = 0;

  if (entry->out || splits_of (entry) < splits)
    return -INFINITY;
  for (int i = 0; i < splits; i++)
    sum += entry->result->split[i].accuracy;
  return sum / splits;
}

static double
score_of (const Entry *entry)
{
  return score_at (entry, MAX (splits_of (entry), 1));
}

/* More nested splits count more: those of a later rung have beaten others. */
static gboolean
is_better (const Entry *entry, const Entry *other)
{
  if (!other || splits_of (entry) != splits_of (other))
    return !other || splits_of (entry) > splits_of (other);
  return score_of (entry) > score_of (other);
}

static void
end_trial (Tuning *self, Entry *entry, const char *reason)
{
  if (!reason && is_better (entry, self->best))
    self->best = entry;
  self->trial.score = reason ? NAN : score_of (entry);
  self->trial.splits = splits_of (entry);
  self->trial.best = self->best == entry;
  self->trial.reason = reason;
  if (self->observer && self->observer->ended)
    self->observer->ended (&self->trial, self->observer->data);
}

/* The recipe of the final run with an entry. */
static TosstRecipe *
final_recipe (const Entry *entry)
{
  TosstRecipe *recipe = tosst_recipe_copy (entry->candidate->recipe);

  recipe->dataset.within = 0;
  recipe->dataset.splits = 1;
  return recipe;
}

/* When a trial that begins now must have ended: the final run of what is best after it, this or another one, must fit into
 * the rest. The time of its own is known from its first trial on. */
static double
find_deadline (Tuning *self, const Entry *entry, const TosstRecipe *final, const TosstRecipe *trial)
{
  double start = elapsed (self), left = time_for_trials (self) - start, own = self->options->seconds - start;

  if (entry->result)
    own -= FINAL * entry->final;
  else
    own /= 1 + FINAL * tosst_tune_final_ratio (final, trial, self->dataset);
  return start + MIN ((self->best && self->best != entry ? ONE_TRIAL : 1) * left, own);
}

/* Tries an entry on this number of nested splits. FALSE with error after an interrupt; any other failure ends the trial
 * only. */
static gboolean
try_entry (Tuning *self, Entry *entry, int splits, GError **error)
{
  g_autoptr (TosstRecipe) recipe = trial_recipe (self, entry->candidate->recipe, splits), final = final_recipe (entry);
  g_autoptr (GError) cause = NULL;
  double start = elapsed (self);

  self->trial = (TosstTrial){ .number = self->trial.number + 1, .name = entry->candidate->name, .recipe = recipe };
  self->deadline = find_deadline (self, entry, final, recipe);
  self->late = FALSE;
  if (self->observer && self->observer->begins)
    self->observer->begins (&self->trial, self->observer->data);
  TosstRunResult *result = find_earlier (self, recipe);
  self->trial.earlier = result != NULL;
  if (!result)
    {
      self->earlier = entry->result;
      result = execute (self, recipe, &cause);
    }
  self->trial.seconds = elapsed (self) - start;
  if (self->late)
    tosst_context_reset (self->context);
  else if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return tosst_pass_error (error, &cause);
  if (result)
    {
      if (!entry->result)
        entry->final = tosst_tune_final_seconds (final, recipe, self->dataset, result);
      tosst_run_result_free (entry->result);
      entry->result = result;
    }
  /* The final run of an entry must fit into the rest of the time. */
  entry->out = result == NULL || !(elapsed (self) + FINAL * entry->final <= self->options->seconds);
  end_trial (self, entry,
             !entry->out  ? NULL
             : result     ? _ ("its run on all training images would not fit into the time")
             : self->late ? _ ("more than its share of the time")
                          : cause->message);
  return TRUE;
}

/* data: the number of splits. */
static int
compare_entries (gconstpointer a, gconstpointer b, gpointer data)
{
  int splits = *(const int *)data;
  double p = score_at (*(const Entry *const *)a, splits), q = score_at (*(const Entry *const *)b, splits);

  return (p < q) - (p > q);
}

static gboolean
has_time (Tuning *self)
{
  return elapsed (self) < (1 - LAST_TRIAL) * time_for_trials (self);
}

/* data: Tuning. The least expected work first. */
static int
compare_work (gconstpointer a, gconstpointer b, gpointer data)
{
  const Tuning *self = data;
  double p = tosst_tune_work ((*(const Entry *const *)a)->candidate->recipe, self->dataset);
  double q = tosst_tune_work ((*(const Entry *const *)b)->candidate->recipe, self->dataset);

  return (p > q) - (p < q);
}

/* Halves the entries (borrowed) until one is left or the last rung is done. */
static gboolean
halve (Tuning *self, GPtrArray *entries, GError **error)
{
  /* Lists of images have one division only. */
  int most = self->dataset->labels != NULL ? 1 : MOST_SPLITS;

  for (int splits = 1; splits <= most && entries->len > 0; splits *= 2)
    {
      for (guint i = 0; i < entries->len && has_time (self); i++)
        {
          Entry *entry = g_ptr_array_index (entries, i);

          if (splits_of (entry) < splits && !try_entry (self, entry, splits, error))
            return FALSE;
          /* Where there is too little time for the most promising entries, the cheapest ones go first: one of them is
           * better than none. */
          if (self->late && !self->best && i + 1 < entries->len)
            g_qsort_with_data (entries->pdata + i + 1, (int)(entries->len - i - 1), sizeof (gpointer), compare_work,
                               self);
        }
      /* Stable: the more promising of equals remains. */
      g_ptr_array_sort_with_data (entries, compare_entries, &splits);
      while (entries->len > 0 && score_at (g_ptr_array_index (entries, entries->len - 1), splits) == -INFINITY)
        g_ptr_array_remove_index (entries, entries->len - 1);
      if (entries->len > 1)
        g_ptr_array_set_size (entries, (int)(entries->len + 1) / 2);
    }
  return TRUE;
}

/* Whether a candidate has been tried. */
static gboolean
is_tried (const Tuning *self, const TosstCandidate *candidate)
{
  for (guint i = 0; i < self->tried->len; i++)
    if (tosst_recipe_equal (((const Entry *)g_ptr_array_index (self->tried, i))->candidate->recipe, candidate->recipe))
      return TRUE;
  return FALSE;
}

/* New entries of a list of candidates, which is kept. New array. */
static GPtrArray *
take_new (Tuning *self, GPtrArray *candidates)
{
  GPtrArray *entries = g_ptr_array_new ();

  g_ptr_array_add (self->lists, candidates);
  for (guint i = 0; i < candidates->len; i++)
    if (!is_tried (self, g_ptr_array_index (candidates, i)))
      {
        Entry *entry = g_new0 (Entry, 1);

        entry->candidate = g_ptr_array_index (candidates, i);
        g_ptr_array_add (self->tried, entry);
        g_ptr_array_add (entries, entry);
      }
  return entries;
}

static gboolean
search (Tuning *self, GError **error)
{
  g_autoptr (GPtrArray) methods = take_new (self, tosst_tune_methods (self->base));

  if (!halve (self, methods, error))
    return FALSE;
  while (self->best && has_time (self))
    {
      g_autoptr (GPtrArray) varied = take_new (self, tosst_tune_variations (self->base, self->best->candidate));

      if (varied->len == 0)
        break;
      /* The best so far is one of them, and remains where none is better. */
      g_ptr_array_insert (varied, 0, self->best);
      if (!halve (self, varied, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tosst_tune_in (const TosstTuneWorld *world, const TosstRecipe *base, TosstDataset *dataset, TosstContext *context,
               const TosstTuneOptions *options, const TosstTuneObserver *observer, TosstRecipe **winner,
               double *seconds, GError **error)
{
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  g_autoptr (GPtrArray) tried = g_ptr_array_new_with_free_func (free_entry);
  g_autoptr (TosstStageCache) cache = tosst_sweep_cache_new (1);
  Tuning self = { .world = world,
                  .base = base,
                  .dataset = dataset,
                  .context = context,
                  .options = options,
                  .observer = observer,
                  .cache = cache,
                  .lists = lists,
                  .tried = tried,
                  .start = world->seconds (world->data) };

  *winner = NULL;
  if (base->dataset.protocol == TOSST_PROTOCOL_LEAVE_ONE_OUT)
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("dataset.protocol leave-one-out leaves no images to choose by: set random or fixed"));
  gboolean ok = search (&self, error);

  if (self.best)
    {
      *winner = final_recipe (self.best);
      *seconds = self.best->final;
    }
  return ok
         && (self.best
             || tosst_fail (error, TOSST_FAILED_INPUT,
                            _ ("no trial was finished: give more minutes, or smaller images")));
}

/* Without pauses, so that a paused trial does not lose its time. */
static double
seconds_of_context (gpointer data)
{
  return tosst_context_seconds (data);
}

static TosstRunResult *
execute_run (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context, const TosstRunObserver *observer,
             const TosstRunOptions *options, gpointer data, GError **error)
{
  return tosst_run_execute_with (recipe, dataset, context, observer, options, NULL, error);
}

gboolean
tosst_tune (const TosstRecipe *base, TosstDataset *dataset, TosstContext *context, const TosstTuneOptions *options,
            const TosstTuneObserver *observer, TosstRecipe **winner, double *seconds, GError **error)
{
  const TosstTuneWorld world = { seconds_of_context, execute_run, context };

  return tosst_tune_in (&world, base, dataset, context, options, observer, winner, seconds, error);
}
