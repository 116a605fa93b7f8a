/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "cli/call.h"
#include "cli/interrupt.h"
#include "cli/learn-check.h"
#include "cli/learn-input.h"
#include "cli/learn-ranks.h"
#include "cli/learn-resume.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/tensors.h"
#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/dictionary/file.h"
#include "core/dictionary/random.h"
#include "core/format/trace-csv.h"

/* Maximum size of the solver's state (of codes, the non-zeros), in bytes and as a divisor of the available memory. A
 * larger state is not saved, and resuming without it causes rounding differences. */
#define MOST_HELD ((gsize)256 << 20)
#define PART_HELD 8

/* Maximum share of the time that checkpoints take. */
#define SAVING 0.1

/* State of the command. */
typedef struct
{
  CliCall *call;
  TosstRecipe *recipe;
  CliLearnInput *input;
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;
  TosstLearnRun run;
  gboolean in_batches;
  CliResumed from; /* of --resume; without a dictionary: start from the beginning */
  GArray *trace;   /* TosstIteration */
  CliProgress *progress;
  gsize batches;          /* total number of completed batches */
  char *fingerprint;      /* NULL until it is known */
  GFile *checkpoint;      /* beside the output */
  double interval, last;  /* interval of checkpoints and time of the last one, seconds; 0: none */
  double took;            /* duration of the last checkpoint, seconds */
  double start;           /* by the context's clock */
  double before;          /* seconds of learning before resuming */
  TosstCheckpoint *held;  /* state after the last iteration or batch, except the very last one; NULL: too large */
  TosstCheckpoint *whole; /* held, with the codes of all ranks; on rank 0, until it is written */
  gsize most_held;
  gboolean dropped; /* the state is too large */
  double needed;    /* bytes of memory of this process, without tensors of a process alone */
} Learning;

static const TosstIteration *
last_iteration (GArray *trace)
{
  return trace->len ? &g_array_index (trace, TosstIteration, trace->len - 1) : NULL;
}

static int
iterations_done (const Learning *self)
{
  const TosstIteration *last = last_iteration (self->trace);

  return last ? last->iteration : self->run.done;
}

static void
drop_state (Learning *self, const char *why)
{
  if (cli_is_writer ())
    cli_print (stderr,
               _ ("tosst: learn: checkpoints hold only atoms, without the state of the solver (%s): a resumed run will "
                  "give a slightly different result\n"),
               why);
  g_clear_pointer (&self->held, tosst_checkpoint_free);
  self->dropped = TRUE;
}

static gboolean
save_dictionary (Learning *self, const TosstDictionary *dictionary, double objective, GFile *file, GError **error)
{
  TosstDictionaryMeta meta = { .objective = objective, .iterations = iterations_done (self), .batches = self->batches };
  g_autofree char *recipe = tosst_recipe_to_text (self->recipe, FALSE), *version = g_strdup (PACKAGE_VERSION);

  /* The held state, if it belongs to the latest dictionary. */
  const TosstCheckpoint *last = cli_ranks () ? self->whole : self->held;
  gboolean current
      = last && (self->in_batches ? (gsize)last->done == self->batches : last->done == iterations_done (self));
  const TosstCheckpoint *state = current ? last : NULL;
  g_autoptr (GError) cause = NULL;

  if (!self->fingerprint)
    self->fingerprint = cli_learn_input_fingerprint (self->input);
  meta.recipe = recipe;
  meta.fingerprint = self->fingerprint;
  meta.version = version;
  if (!state || tosst_learning_file_save (dictionary, &meta, state, file, &cause))
    return state || tosst_dictionary_save (dictionary, &meta, file, error);
  /* The disk may have room for the atoms only. */
  if (!tosst_dictionary_save (dictionary, &meta, file, error))
    return FALSE;
  drop_state (self, cause->message);
  return TRUE;
}

/* The last reported objective, of this run or of the resumed one. */
static double
last_objective (const Learning *self)
{
  const TosstIteration *last = last_iteration (self->trace);

  return last ? last->objective : self->from.meta.objective;
}

/* Copies the state after each iteration: an interrupt during the next one loses nothing. */
static void
hold (Learning *self, const TosstLearnState *state)
{
  g_autofree char *why = NULL;

  gsize first;

  g_clear_pointer (&self->held, tosst_checkpoint_free);
  if (self->dropped || (cli_ranks () && self->in_batches))
    return;
  self->held = tosst_checkpoint_new (state, cli_ranks_share (self->input->n, &first), TRUE, self->most_held);
  if (self->held)
    {
      self->held->trace = g_array_ref (self->trace);
      self->held->seconds = self->before + tosst_context_seconds (cli_call_context (self->call)) - self->start;
      return;
    }
  why = g_strdup_printf (_ ("more than %.0f MB"), (double)(self->most_held >> 20));
  drop_state (self, why);
}

/* On several ranks rank 0 decides and writes, and has the codes of all then. */
static gboolean
is_to_save (Learning *self, double now)
{
  gboolean due = self->interval > 0 && now - self->last >= MAX (self->interval, self->took / SAVING);

  if (!cli_ranks () || self->in_batches)
    return due && cli_is_writer ();
  if (tosst_ranks_broadcast (cli_ranks (), TOSST_OK, 0, &due, sizeof due) != TOSST_OK || !due)
    return FALSE;
  self->whole = cli_learn_ranks_collect (self->held);
  return cli_is_writer ();
}

static void
on_state (const TosstLearnState *state, void *data)
{
  Learning *self = data;

  hold (self, state);

  /* A failed checkpoint does not stop learning; it is reported once. */
  double now = 1e-6 * (double)g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;

  if (!is_to_save (self, now))
    return;
  if (!save_dictionary (self, state->dictionary, last_objective (self), self->checkpoint, &error))
    {
      cli_print (stderr, _ ("tosst: learn: no checkpoints: %s\n"), error->message);
      self->interval = 0;
    }
  g_clear_pointer (&self->whole, tosst_checkpoint_free);
  self->last = 1e-6 * (double)g_get_monotonic_time ();
  self->took = self->last - now;
}

static void
show_progress (Learning *self, double done)
{
  double all = self->options.iterations - self->run.done;

  cli_progress_set (self->progress, CLAMP ((done - self->run.done) / all, 0, 1));
}

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Learning *self = data;
  TosstIteration own = *iteration;

  own.seconds += self->before;
  g_array_append_val (self->trace, own);
  show_progress (self, iteration->iteration);
}

static void
on_batch (size_t batches, const TosstDictionary *dictionary, void *data)
{
  Learning *self = data;

  self->batches = batches;
  show_progress (self, (double)batches * (double)self->minibatch.batch / (double)self->input->n);
}

typedef struct
{
  Learning *learning;
  const TosstDictionary *dictionary;
  double objective;
} Learned;

static gboolean
save_learned (GFile *file, gpointer data, GError **error)
{
  const Learned *learned = data;

  return save_dictionary (learned->learning, learned->dictionary, learned->objective, file, error);
}

static gboolean
save (Learning *self, const TosstDictionary *dictionary, double objective, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (self->call, "output");
  Learned learned = { self, dictionary, objective };
  gboolean kept = tosst_atomic_keep (file, save_learned, &learned, error);

  g_autofree char *csv = tosst_trace_to_csv ((const TosstIteration *)self->trace->data, self->trace->len);

  kept = cli_keep_text (self->call, "trace", csv, error) && kept;
  if (kept)
    g_file_delete (self->checkpoint, NULL, NULL);
  return kept;
}

/* Prints the result, and writes it to the file of --report. */
static gboolean
report_result (Learning *self, const TosstDictionary *dictionary, double objective, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (self->call, "report");
  const TosstIteration *last = last_iteration (self->trace);
  CliCall *call = self->call;
  JsonObject *object = json_object_new ();
  g_autofree char *text = NULL;
  gboolean kept;

  json_object_set_int_member (object, "K", dictionary->K);
  json_object_set_int_member (object, "d", dictionary->d);
  json_object_set_int_member (object, "N", (gint64)self->input->n);
  json_object_set_int_member (object, "iterations", last ? last->iteration : 0);
  json_object_set_double_member (object, "objective", objective);
  json_object_set_double_member (object, "mean_nonzeros", last ? last->mean_nonzeros : 0);
  json_object_set_double_member (object, "worst_kkt", last ? last->worst_kkt : 0);
  json_object_set_double_member (object, "seconds", last ? last->seconds : 0);
  json_object_set_int_member (object, "threads", cli_call_threads (call));
  json_object_set_double_member (object, "memory_stated_mb", self->needed / 1e6);
  cli_ranks_report (object);
  if (!cli_is_writer ())
    {
      json_object_unref (object);
      return TRUE;
    }
  text = g_strdup_printf (_ ("%d atoms of side %d from %zu tensors: objective %.6g at iteration %d in "
                             "%.2f s, written to %s"),
                          dictionary->K, dictionary->d, self->input->n, objective, last ? last->iteration : 0,
                          last ? last->seconds : 0, cli_call_value (call, "output"));
  kept = !file || cli_write_json (json_object_ref (object), file, error);
  cli_call_result (call, object, text);
  return kept;
}

static gboolean
fail_interrupted (Learning *self, const TosstDictionary *dictionary, GError **error)
{
  const char *output = cli_call_value (self->call, "output");

  if (!dictionary && self->from.dictionary)
    return tosst_fail (error, TOSST_FAILED_CANCELLED,
                       _ ("interrupted; nothing was written; run the same command again to resume"));
  if (!dictionary)
    return cli_fail_interrupted (error);
  return tosst_fail (
      error, TOSST_FAILED_CANCELLED,
      cli_ranks () && cli_ranks ()->lost
          ? _ ("another process of the job has ended; %s holds the usable dictionary of iteration %d; to resume: tosst "
               "learn %s -o %s --resume %s")
          : _ ("interrupted; %s holds the usable dictionary of iteration %d; to resume: tosst learn %s -o %s --resume "
               "%s"),
      output, iterations_done (self), self->input->name, output, output);
}

/* Errors of reading tensors keep the message of the reader. */
static gboolean
check_status (Learning *self, TosstStatus status, GError **error)
{
  if (status == TOSST_CANCELLED)
    return TRUE;
  if (self->input->error)
    {
      g_propagate_error (error, g_steal_pointer (&self->input->error));
      return FALSE;
    }
  return tosst_error_from_status (status, cli_call_context (self->call), _ ("learning the dictionary"), error);
}

static TosstStatus
learn_at_once (Learning *self, const TosstLayout *layout, TosstDictionary **dictionary)
{
  g_autofree float *converted = NULL;
  gsize n = self->input->n;
  const float *rows = cli_ranks () ? (converted = cli_learn_ranks_read (self->input, &n))
                                   : cli_rows_float (self->input->array, 0, n, &converted);

  if (!rows)
    return TOSST_ERROR_ARGUMENT;
  return tosst_learn (cli_call_context (self->call), layout, rows, n, &self->options, &self->run, on_iteration, self,
                      dictionary);
}

static TosstStatus
learn_in_batches (Learning *self, const TosstLayout *layout, TosstDictionary **dictionary)
{
  TosstStream stream = cli_learn_input_stream (self->input);

  return tosst_learn_minibatch (cli_call_context (self->call), layout, &stream, &self->options, &self->minibatch,
                                &self->run, on_iteration, self, dictionary);
}

/* Learning from batches reports estimates; with --evaluate the objective of the result is computed over all tensors. */
static TosstStatus
evaluate (Learning *self, const TosstLayout *layout, const TosstDictionary *dictionary, double *objective)
{
  TosstStream stream = cli_learn_input_stream (self->input);
  TosstIteration result;

  cli_progress_set_what (self->progress, _ ("Evaluating"));
  TosstStatus status = tosst_learn_evaluate (cli_call_context (self->call), layout, &stream, dictionary, &self->options,
                                             &self->minibatch, self->run.ranks, &result);
  if (status == TOSST_OK)
    *objective = result.objective;
  return status;
}

/* objective: of the written dictionary; NAN for a random one without --evaluate. */
static gboolean
make_dictionary (Learning *self, const TosstLayout *layout, TosstStatus *status, TosstDictionary **dictionary,
                 double *objective, GError **error)
{
  gboolean drawn = self->recipe->dictionary.source == TOSST_SOURCE_RANDOM;

  *status = (self->in_batches ? learn_in_batches : learn_at_once) (self, layout, dictionary);
  if (!check_status (self, *status, error))
    return FALSE;
  /* The atoms of interrupted learning have no meaningful distribution to draw from. */
  if (*status == TOSST_CANCELLED && drawn)
    return cli_fail_interrupted (error);
  if (!tosst_dictionary_randomize (self->recipe, cli_call_context (self->call), dictionary, error))
    return FALSE;
  *objective = drawn ? NAN : last_objective (self);
  if (*status == TOSST_OK && self->in_batches && cli_call_flag (self->call, "evaluate"))
    *status = evaluate (self, layout, *dictionary, objective);
  return check_status (self, *status, error);
}

/* Observes the states of learning, and resumes from the state in the dictionary's file, if there is one. */
static void
keep_states (Learning *self, TosstLearnState *state, float **codes)
{
  const TosstCheckpoint *from = self->from.state;

  self->most_held = MIN (tosst_checkpoint_max_ram (MOST_HELD), tosst_memory_available () / PART_HELD);
  self->start = tosst_context_seconds (cli_call_context (self->call));
  self->run.state = on_state;
  self->run.state_data = self;
  gsize first, n = cli_ranks_share (self->input->n, &first);

  if (!from || (cli_ranks () && self->in_batches)
      || !tosst_checkpoint_get_rows (from, self->input->n, first, n, state, codes))
    return;
  self->run.resume = state;
  self->before = from->seconds;
  g_array_append_vals (self->trace, from->trace->data, from->trace->len);
}

static gboolean
learn (Learning *self, GError **error)
{
  g_autoptr (TosstDictionary) dictionary = NULL;
  g_autofree float *codes = NULL;
  TosstLearnState state;
  TosstLayout *layout = tosst_layout_new_shape (self->input->shape);
  double objective = NAN;
  TosstStatus status;

  self->progress = cli_progress_new (self->call, _ ("Learning"), (gsize)(self->options.iterations - self->run.done),
                                     _ ("iterations"));
  self->last = 1e-6 * (double)g_get_monotonic_time ();
  /* For gigabytes this takes seconds, too long for saving after an interrupt. */
  if (!self->fingerprint && cli_ranks ())
    {
      self->fingerprint = cli_learn_ranks_fingerprint (self->input);
      /* A rank that could not describe its images has left already. */
      if (!self->fingerprint)
        {
          tosst_layout_free (layout);
          g_clear_pointer (&self->progress, cli_progress_free);
          return cli_interrupted () ? fail_interrupted (self, NULL, error)
                                    : check_status (self, TOSST_ERROR_ARGUMENT, error);
        }
    }
  else if (!self->in_batches && !self->fingerprint)
    self->fingerprint = cli_learn_input_fingerprint (self->input);
  keep_states (self, &state, &codes);
  cli_interrupt_hold (TRUE);
  gboolean made = make_dictionary (self, layout, &status, &dictionary, &objective, error);
  if (made && status == TOSST_CANCELLED && cli_ranks ())
    {
      tosst_ranks_start (cli_ranks ());
      self->whole = cli_learn_ranks_collect (self->held);
    }
  made = made && (!dictionary || !cli_is_writer () || save (self, dictionary, objective, error));
  cli_interrupt_hold (FALSE);
  tosst_layout_free (layout);
  g_clear_pointer (&self->progress, cli_progress_free);
  if (!made)
    return FALSE;
  if (status == TOSST_CANCELLED)
    return fail_interrupted (self, dictionary, error);
  return report_result (self, dictionary, isnan (objective) ? last_objective (self) : objective, error);
}

/* The recipe of the dictionary to resume from, with the changes of the command line. */
static TosstRecipe *
resume (Learning *self, GError **error)
{
  g_autofree char *name = NULL;
  g_autoptr (TosstRecipe) base = NULL, recipe = NULL;

  if (!cli_resumed_open (&self->from, cli_call_value (self->call, "resume"), error))
    return NULL;
  name = g_file_get_parse_name (self->from.file);
  base = self->from.meta.recipe ? tosst_recipe_parse (self->from.meta.recipe, name, error) : tosst_recipe_new ();
  if (!base)
    return NULL;
  if (!self->from.meta.recipe)
    base->dictionary.atoms = self->from.dictionary->K;
  recipe = cli_call_recipe (self->call, NULL, base, error);
  if (!recipe)
    return NULL;
  if (recipe->dictionary.atoms != self->from.dictionary->K)
    {
      tosst_fail (error, TOSST_FAILED_RECIPE,
                  _ ("%s has %d atoms, so learning cannot be resumed with dictionary.atoms=%d"), name,
                  self->from.dictionary->K, recipe->dictionary.atoms);
      return NULL;
    }
  if (self->from.meta.iterations >= recipe->dictionary.iterations)
    {
      tosst_fail (error, TOSST_FAILED_RECIPE,
                  _ ("%s was learned in %d iterations, and dictionary.iterations is %d; raise it with --set "
                     "dictionary.iterations=N"),
                  name, self->from.meta.iterations, recipe->dictionary.iterations);
      return NULL;
    }
  self->run.done = self->from.meta.iterations;
  if (!cli_learns_alike (recipe, base))
    g_clear_pointer (&self->from.state, tosst_checkpoint_free);
  /* With another batch size the number of batches follows from the completed iterations. */
  if (recipe->dictionary.minibatch == base->dictionary.minibatch)
    self->batches = self->from.meta.batches;
  return g_steal_pointer (&recipe);
}

/* Tensors in blocks are read completely for this, which also detects invalid ones. */
static gboolean
check_same_tensors (Learning *self, GError **error)
{
  if (cli_ranks ())
    self->fingerprint = cli_learn_ranks_fingerprint (self->input);
  else if (self->in_batches)
    {
      TosstLayout *layout = tosst_layout_new_shape (self->input->shape);
      TosstStream stream = cli_learn_input_stream (self->input);
      double scale;
      TosstStatus status = tosst_stream_scale (cli_call_context (self->call), layout, &stream, &scale);

      tosst_layout_free (layout);
      if (status == TOSST_CANCELLED)
        return fail_interrupted (self, NULL, error);
      if (!check_status (self, status, error))
        return FALSE;
    }
  if (!cli_ranks ())
    self->fingerprint = cli_learn_input_fingerprint (self->input);
  else if (!self->fingerprint)
    return check_status (self, TOSST_ERROR_ARGUMENT, error);
  if (g_strcmp0 (self->from.meta.fingerprint, self->fingerprint) != 0)
    g_clear_pointer (&self->from.state, tosst_checkpoint_free);
  if (!self->from.meta.fingerprint || cli_call_flag (self->call, "other-data")
      || g_strcmp0 (self->from.meta.fingerprint, self->fingerprint) == 0)
    return TRUE;
  return tosst_fail (
      error, TOSST_FAILED_INPUT,
      _ ("%s does not hold the tensors from which %s was learned; give those, or --other-data to resume with others"),
      self->input->name, cli_call_value (self->call, "resume"));
}

static gboolean
prepare_options (Learning *self, GError **error)
{
  const char *why;

  tosst_recipe_learn_options (self->recipe, &self->options);
  self->run.ranks = cli_ranks ();
  self->in_batches = tosst_recipe_minibatch_options (self->recipe, &self->minibatch);
  if (self->recipe->dictionary.rank <= 0)
    self->options.rank = MAX (1, self->input->shape.d1 / 2);
  self->run.initial = self->from.dictionary;
  self->run.batches_done = self->batches;
  self->run.batch = on_batch;
  if (self->from.dictionary && !tosst_shape_equal (self->from.dictionary->shape, self->input->shape))
    return tosst_fail_input (error, self->input->name, _ ("holds tensors of another shape than the atoms of %s"),
                             cli_call_value (self->call, "resume"));
  if (!cli_learn_check_options (&self->options, &self->run, self->input->n, self->input->shape, error))
    return FALSE;
  why = self->in_batches ? tosst_minibatch_check (&self->minibatch, &self->options, self->input->shape) : NULL;
  return !why || tosst_fail (error, TOSST_FAILED_RECIPE, "dictionary.minibatch: %s", why);
}

static gboolean
run_learning (Learning *self, GError **error)
{
  static const char *const outputs[] = { "output", "trace", "report", NULL };
  g_autofree char *checkpoint = g_strconcat (cli_call_value (self->call, "output"), ".checkpoint", NULL);

  if (cli_call_value (self->call, "resume") && cli_call_value (self->call, "recipe"))
    return cli_usage_error (error,
                            _ ("--resume uses the recipe of its dictionary; change it with --set, not --recipe"));
  self->checkpoint = g_file_new_for_commandline_arg (checkpoint);
  if (!cli_learn_parse_interval (self->call, &self->interval, error))
    return FALSE;
  /* The checkpoint is deleted at the end: no other file may have its name. */
  g_autoptr (GFile) trace = cli_call_file (self->call, "trace");
  const char *taken = trace && cli_is_same_file (trace, self->checkpoint) ? cli_call_value (self->call, "trace") : NULL;

  for (guint i = 0; i < cli_call_operands (self->call); i++)
    {
      g_autoptr (GFile) input = g_file_new_for_commandline_arg (cli_call_operand (self->call, i));

      if (cli_is_same_file (input, self->checkpoint))
        taken = cli_call_operand (self->call, i);
    }
  if (taken)
    return cli_usage_error (error, _ ("%s is the name of the checkpoint; choose another name"), taken);
  self->recipe = cli_call_value (self->call, "resume")
                     ? resume (self, error)
                     : cli_call_recipe (self->call, cli_call_value (self->call, "recipe"), NULL, error);
  if (!self->recipe || !cli_call_check_outputs (self->call, outputs, error))
    return FALSE;
  self->input = cli_learn_input_open (self->call, self->recipe, cli_ranks () != NULL, error);
  return self->input && cli_ranks_check_same (self->call, error) && prepare_options (self, error)
         && cli_learn_check_memory (self->call, self->input, &self->options, self->in_batches ? &self->minibatch : NULL,
                                    &self->needed, error)
         && cli_learn_input_describe (self->input, self->call, error)
         && (!self->from.dictionary || check_same_tensors (self, error)) && learn (self, error);
}

static gboolean
run (CliCall *call, GError **error)
{
  Learning self = { .call = call, .from.meta.objective = NAN };
  gboolean ok;

  self.trace = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  ok = run_learning (&self, error);
  g_array_unref (self.trace);
  g_clear_pointer (&self.recipe, tosst_recipe_free);
  g_clear_pointer (&self.input, cli_learn_input_free);
  g_clear_object (&self.checkpoint);
  cli_resumed_clear (&self.from);
  g_clear_pointer (&self.held, tosst_checkpoint_free);
  g_clear_pointer (&self.whole, tosst_checkpoint_free);
  g_free (self.fingerprint);
  return ok;
}

static const CliOption options[] = {
  { "output", 'o', "D.npz", N_ ("Output file of the dictionary"), TRUE },
  { "recipe", 0, "FILE", N_ ("Recipe for learning") },
  { "trace", 0, "FILE.csv", N_ ("Output file of the objective by iteration") },
  { "report", 0, "FILE.json", N_ ("Output file of objective, certificate and time") },
  { "resume", 0, "D.npz", N_ ("Resume learning from this dictionary, with its recipe and seed") },
  { "other-data", 0, NULL, N_ ("Allow --resume with other tensors than before") },
  { "checkpoint", 0, "SECONDS",
    N_ ("Seconds between checkpoints, written to OUTPUT.checkpoint (default: 30; 0: none)") },
  { "evaluate", 0, NULL, N_ ("After learning from batches, compute the objective over all tensors") },
  { NULL },
};
static const char *const groups[] = { "descriptor", "dictionary", "coding", NULL };

const CliCommand cli_learn
    = { "learn", "T.npy|IMAGE...", N_ ("Learn a dictionary from tensors or images"), options, groups, 1, G_MAXUINT, run,
        TRUE };
