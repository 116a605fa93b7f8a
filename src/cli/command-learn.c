/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "atomic-file.h"
#include "commands.h"
#include "dictionary-file.h"
#include "error.h"
#include "memory.h"
#include "npy.h"
#include "progress.h"
#include "tensor/layout.h"
#include "tensors.h"
#include "trace.h"

typedef struct
{
  GArray *trace; /* of TosstIteration */
  CliProgress *progress;
  int iterations;
} Course;

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Course *course = data;

  g_array_append_val (course->trace, *iteration);
  cli_progress_set (course->progress, (double)iteration->iteration / course->iterations);
}

static const TosstIteration *
last_iteration (GArray *trace)
{
  return trace->len ? &g_array_index (trace, TosstIteration, trace->len - 1) : NULL;
}

static TosstNpy *
read_tensors (CliCall *call, int *d, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (cli_call_operand (call, 0));
  g_autoptr (TosstNpy) tensors = tosst_npy_read (file, error);

  if (!tensors || !tosst_npy_check_tensors (tensors, cli_call_operand (call, 0), d, error))
    return NULL;
  return g_steal_pointer (&tensors);
}

static gboolean
check_options (const TosstLearnOptions *options, gsize n, int d, GError **error)
{
  const char *why = tosst_learn_options_check (options, n, tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, d));

  if (!why)
    return TRUE;
  if ((gsize)options->atoms > n)
    g_set_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE,
                 _ ("dictionary.atoms is %d, more than the %zu tensors to learn from"), options->atoms, n);
  else
    g_set_error_literal (error, TOSST_ERROR, TOSST_FAILED_RECIPE, why);
  return FALSE;
}

/* Before the first allocation: what would not fit is refused with its number. */
static gboolean
check_memory (CliCall *call, const TosstLearnOptions *options, gsize n, int d, GError **error)
{
  TosstLayout *layout = tosst_layout_new (d);
  double needed = (double)tosst_learn_memory (layout, n, options, cli_call_threads (call));
  double there = (double)tosst_memory_available ();

  tosst_layout_free (layout);
  if (needed < there)
    return TRUE;
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY,
               _ ("learning would need %.1f GB of memory and %.1f GB are available; lower dictionary.atoms or "
                  "dictionary.sample"),
               needed / 1e9, there / 1e9);
  return FALSE;
}

static gboolean
save_trace (CliCall *call, GArray *trace, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "trace");
  g_autofree char *csv = NULL;

  if (!file)
    return TRUE;
  csv = tosst_trace_to_csv ((const TosstIteration *)trace->data, trace->len);
  return tosst_atomic_write (file, csv, strlen (csv), error);
}

static gboolean
save (CliCall *call, const TosstRecipe *recipe, const TosstNpy *tensors, const TosstDictionary *dictionary,
      GArray *trace, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "output");
  const TosstIteration *last = last_iteration (trace);
  TosstDictionaryMeta meta = { .recipe = tosst_recipe_to_text (recipe, FALSE),
                               .objective = last ? last->objective : NAN,
                               .iterations = last ? last->iteration : 0,
                               .fingerprint = cli_fingerprint (tensors),
                               .version = g_strdup (PACKAGE_VERSION) };
  gboolean ok = tosst_dictionary_save (dictionary, &meta, file, error) && save_trace (call, trace, error);

  tosst_dictionary_meta_clear (&meta);
  return ok;
}

static void
print_result (CliCall *call, const TosstDictionary *dictionary, const TosstNpy *tensors, GArray *trace)
{
  const TosstIteration *last = last_iteration (trace);
  JsonObject *object = json_object_new ();
  g_autofree char *text = NULL;

  json_object_set_int_member (object, "K", dictionary->K);
  json_object_set_int_member (object, "d", dictionary->d);
  json_object_set_int_member (object, "N", tensors->shape[0]);
  json_object_set_int_member (object, "iterations", last ? last->iteration : 0);
  json_object_set_double_member (object, "objective", last ? last->objective : 0);
  json_object_set_double_member (object, "mean_nonzeros", last ? last->mean_nonzeros : 0);
  json_object_set_double_member (object, "worst_kkt", last ? last->worst_kkt : 0);
  json_object_set_double_member (object, "seconds", last ? last->seconds : 0);
  json_object_set_int_member (object, "threads", cli_call_threads (call));
  text = g_strdup_printf (_ ("%d atoms of side %d from %zu tensors: objective %.6g after %d iterations in "
                             "%.2f s, written to %s"),
                          dictionary->K, dictionary->d, tensors->shape[0], last ? last->objective : 0,
                          last ? last->iteration : 0, last ? last->seconds : 0, cli_call_value (call, "output"));
  cli_call_result (call, object, text);
}

static gboolean
fail_interrupted (CliCall *call, GArray *trace, GError **error)
{
  if (trace->len == 0)
    return cli_fail_interrupted (error);
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED,
               _ ("interrupted; %s holds the dictionary of iteration %u and can be used as it is; for all iterations "
                  "start the same command again"),
               cli_call_value (call, "output"), trace->len);
  return FALSE;
}

static gboolean
learn (CliCall *call, const TosstRecipe *recipe, const TosstNpy *tensors, int d, const TosstLearnOptions *learn_options,
       GError **error)
{
  g_autoptr (GArray) trace = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  g_autoptr (CliProgress) progress
      = cli_progress_new (call, _ ("Learning"), learn_options->iterations, _ ("iterations"));
  g_autoptr (TosstDictionary) dictionary = NULL;
  g_autofree float *converted = NULL;
  const float *rows = cli_rows_float (tensors, 0, tensors->shape[0], &converted);
  TosstLayout *layout = tosst_layout_new (d);
  TosstContext *context = cli_call_context (call);
  Course course = { trace, progress, learn_options->iterations };
  TosstStatus status;

  status = tosst_learn (context, layout, rows, tensors->shape[0], learn_options, on_iteration, &course, &dictionary);
  tosst_layout_free (layout);
  g_clear_pointer (&progress, cli_progress_free);
  if (status != TOSST_CANCELLED && !tosst_error_from_status (status, context, _ ("learning the dictionary"), error))
    return FALSE;
  if (dictionary && !save (call, recipe, tensors, dictionary, trace, error))
    return FALSE;
  if (status == TOSST_CANCELLED)
    return fail_interrupted (call, trace, error);
  print_result (call, dictionary, tensors, trace);
  return TRUE;
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "output", "trace", NULL };
  g_autoptr (TosstRecipe) recipe = cli_call_recipe (call, cli_call_value (call, "recipe"), NULL, error);
  g_autoptr (TosstNpy) tensors = NULL;
  TosstLearnOptions learn_options;
  int d = 0;

  if (!recipe || !cli_call_check_outputs (call, outputs, error))
    return FALSE;
  tensors = read_tensors (call, &d, error);
  if (!tensors)
    return FALSE;
  cli_draw_rows (tensors, recipe->dictionary.sample, recipe->dictionary.seed);
  tosst_recipe_learn_options (recipe, &learn_options);
  if (recipe->dictionary.rank <= 0)
    learn_options.rank = MAX (1, d / 2);
  return check_options (&learn_options, tensors->shape[0], d, error)
         && check_memory (call, &learn_options, tensors->shape[0], d, error)
         && learn (call, recipe, tensors, d, &learn_options, error);
}

static const CliOption options[] = {
  { "output", 'o', "D.npz", N_ ("Where the dictionary goes"), TRUE },
  { "recipe", 0, "FILE", N_ ("Recipe that says how to learn") },
  { "trace", 0, "FILE.csv", N_ ("Where the course of the objective goes") },
  { NULL },
};
static const char *const groups[] = { "dictionary", NULL };

const CliCommand cli_learn = { "learn", "T.npy", N_ ("Learn a dictionary from tensors"), options, groups, 1, 1, run };
