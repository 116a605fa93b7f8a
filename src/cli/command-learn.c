/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "cli/describer.h"
#include "cli/ranks.h"
#include "cli/tensors.h"
#include "core/base/base.h"
#include "core/dictionary/file.h"
#include "core/format/tensor-array.h"
#include "core/format/trace-csv.h"
#include "core/image/probe.h"
#include "core/run/checkpoint.h"
#include "tosst/learn.h"

/* Tensors to learn a dictionary from: of a file, all in memory or read in blocks, or of images. Of more than
 * dictionary.sample tensors that many are drawn by dictionary.seed, the same ones in all cases. */
typedef struct
{
  char *name; /* for messages */
  TosstShape shape;
  gsize n;                 /* tensors drawn */
  CliDescriber *describer; /* of images, or NULL */
  TosstNpy *array;         /* all in memory, of images those of this rank; or NULL */
  TosstNpyRows *rows;      /* read in blocks, or NULL */
  gsize *number; /* tensors of the file or the images that were drawn, ascending; NULL: all, or those of array */
  GChecksum *checksum;
  gsize hashed;  /* number of tensors in the checksum, in order */
  GError *error; /* error of reading during learning */
} CliLearnInput;

TOSST_DEFINE_FREE (CliLearnInput, cli_learn_input_free, (describer, cli_describer_free), (array, tosst_npy_free),
                   (rows, tosst_npy_rows_free), (checksum, g_checksum_free), (error, g_error_free), (number, g_free),
                   (name, g_free))

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliLearnInput, cli_learn_input_free)

/* Operands that messages repeat. */
#define MAX_NAMED 4

static gboolean
open_array (CliLearnInput *self, GFile *file, const TosstRecipe *recipe, GError **error)
{
  self->array = tosst_npy_read (file, error);
  if (!self->array || !tosst_tensor_array_prepare (self->array, self->name, &self->shape, error))
    return FALSE;
  cli_draw_rows (self->array, (gsize)recipe->dictionary.sample, recipe->dictionary.seed);
  self->n = self->array->shape[0];
  return TRUE;
}

/* All rows have the shape of the first one. */
static gboolean
open_rows (CliLearnInput *self, GFile *file, const TosstRecipe *recipe, GError **error)
{
  self->rows = tosst_npy_rows_open (file, error);
  if (!self->rows)
    return FALSE;
  gsize count = tosst_npy_rows_count (self->rows);
  g_autoptr (TosstNpy) first = tosst_npy_rows_read (self->rows, 0, MIN (count, 1), error);
  if (!first || !tosst_tensor_array_prepare (first, self->name, &self->shape, error))
    return FALSE;
  self->n = MIN (count, (gsize)recipe->dictionary.sample);
  if (self->n < count)
    self->number = cli_draw_numbers (count, self->n, recipe->dictionary.seed);
  return TRUE;
}

static gboolean
open_images (CliLearnInput *self, CliCall *call, TosstRecipe *recipe, GError **error)
{
  if (recipe->dictionary.minibatch > 0)
    return tosst_fail (error, TOSST_FAILED_RECIPE, "%s: %s", call->operand[0],
                       _ ("dictionary.minibatch needs a file of tensors: write one with tosst describe"));
  if (!tosst_recipe_is_local (recipe) && !tosst_recipe_has_patches (recipe))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("descriptor.kind describes images by vectors, from which no dictionary is learned"));
  self->describer = cli_describer_new (call, recipe, NULL, NULL, error);
  if (!self->describer)
    return FALSE;
  self->n = MIN (self->describer->total, (gsize)recipe->dictionary.sample);
  if (self->n < self->describer->total)
    self->number = cli_draw_numbers (self->describer->total, self->n, recipe->dictionary.seed);

  /* As tensors are read from a file. */
  self->shape = tosst_shape (self->describer->matrices && self->describer->d > 1 ? TOSST_SHAPE_SYMMETRIC
                                                                                 : TOSST_SHAPE_SUPER_SYMMETRIC,
                             self->describer->d);
  return TRUE;
}

/* Several files, a folder, and a file that is an image or has features of one. */
static gboolean
has_images (CliCall *call, const TosstRecipe *recipe)
{
  const char *path = call->operand[0];
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  TosstImageProbe probe;

  return call->operands > 1 || g_file_test (path, G_FILE_TEST_IS_DIR)
         || (!g_str_has_suffix (path, ".npy")
             && (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES || tosst_image_probe (file, &probe, NULL)));
}

/* Opens what the operands name. in_blocks: a file also without dictionary.minibatch. recipe: borrowed. */
static CliLearnInput *
cli_learn_input_open (CliCall *call, TosstRecipe *recipe, gboolean in_blocks, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (call->operand[0]);
  g_autoptr (CliLearnInput) self = g_new0 (CliLearnInput, 1);

  for (guint i = call->operands; i-- > 0 && call->operands > 1;)
    if (g_str_has_suffix (call->operand[i], ".npy"))
      return cli_usage_error (error, _ ("unexpected %s: give one file of tensors, or images"), call->operand[i]), NULL;
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (guint i = 0; i < call->operands; i++)
    g_strv_builder_add (names, call->operand[i]);
  g_auto (GStrv) list = g_strv_builder_end (names);
  self->name = g_strv_length (list) <= MAX_NAMED ? g_strjoinv (" ", list) : g_strdup ("IMAGE...");
  if (!(has_images (call, recipe)                       ? open_images (self, call, recipe, error)
        : in_blocks || recipe->dictionary.minibatch > 0 ? open_rows (self, file, recipe, error)
                                                        : open_array (self, file, recipe, error)))
    return NULL;

  /* The recipe's scheme decides whether super-symmetric tensors get atoms that are whole tensors. */
  if (recipe->dictionary.scheme == TOSST_SCHEME_FULL && self->shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC)
    self->shape.kind = TOSST_SHAPE_WHOLE;
  return g_steal_pointer (&self);
}

/* Describes the images: the tensors of this rank. Nothing for a file. */
static gboolean
cli_learn_input_describe (CliLearnInput *self, CliCall *call, GError **error)
{
  gsize first, n = cli_ranks_share (self->n, &first);

  if (!self->describer)
    return TRUE;
  self->array = tosst_npy_new (TOSST_NPY_FLOAT32, 2, (gsize[2]){ n, self->describer->m });
  if (!self->array)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("learning the dictionary"), error);

  /* As of a file of matrices, for the fingerprint. */
  if (self->describer->matrices)
    self->array->shape[2] = (gsize)self->describer->d;
  return cli_describer_find_components (self->describer, call, error)
         && cli_describer_rows (self->describer, call, self->number, first, n, self->array->data, error);
}

/* Adds tensors to the checksum if they follow the last ones in it. */
static void
hash (CliLearnInput *self, gsize first, const TosstNpy *piece)
{
  if (first != self->hashed || self->hashed == self->n)
    return;
  if (first == 0)
    {
      TosstNpy whole = *piece;

      whole.shape[0] = self->n;
      g_clear_pointer (&self->checksum, g_checksum_free);
      self->checksum = cli_fingerprint_start (&whole);
    }
  cli_fingerprint_add (self->checksum, piece);
  self->hashed += piece->shape[0];
}

/* Reads consecutive rows of the file to tensors first, first + 1 ... */
static gboolean
read_neighbours (CliLearnInput *self, gsize row, gsize first, gsize count, float *out)
{
  g_autoptr (TosstNpy) piece = tosst_npy_rows_read (self->rows, row, count, &self->error);
  g_autofree float *converted = NULL;
  TosstShape shape;

  if (!piece || !tosst_tensor_array_prepare (piece, self->name, &shape, &self->error))
    return FALSE;
  hash (self, first, piece);
  memcpy (out, cli_rows_float (piece, 0, count, &converted), sizeof *out * piece->count);
  return TRUE;
}

static TosstStatus
read_tensors (size_t first, size_t count, float *out, void *data)
{
  CliLearnInput *self = data;
  gsize m = tosst_shape_numbers (self->shape);

  for (gsize i = 0, n; i < count; i += n)
    {
      gsize row = self->number ? self->number[first + i] : first + i;

      for (n = 1; i + n < count && (!self->number || self->number[first + i + n] == row + n); n++)
        ;
      if (!read_neighbours (self, row, first + i, n, out + i * m))
        return TOSST_ERROR_ARGUMENT;
    }
  return TOSST_OK;
}

static TosstStream
cli_learn_input_stream (CliLearnInput *self)
{
  return (TosstStream){ read_tensors, self, self->n };
}

/* Hash of shape and numbers of the tensors drawn; new. For tensors read in blocks it is available after all have
 * been read in order, as in the pass that measures the scale, and NULL before; and for a part of the images. */
static char *
cli_learn_input_fingerprint (CliLearnInput *self)
{
  if (self->array)
    return self->array->shape[0] == self->n ? cli_fingerprint (self->array) : NULL;
  return self->hashed == self->n ? cli_fingerprint_text (self->checksum) : NULL;
}

/* The dictionary to resume learning from. */
typedef struct
{
  GFile *file;
  TosstDictionary *dictionary;
  TosstDictionaryMeta meta;
  TosstCheckpoint *state; /* NULL: the dictionary only */
} CliResumed;

/* Default of --checkpoint, seconds. */
#define CHECKPOINT_SECONDS 30

/* Checks options and run for n tensors of the shape. */
static gboolean
check_options (const TosstLearnOptions *options, const TosstLearnRun *run, gsize n, TosstShape shape, GError **error)
{
  const char *why = tosst_learn_options_check (options, n, shape);

  if (!why)
    why = tosst_learn_run_check (run, options, n, shape);
  if (!why)
    return TRUE;
  if ((gsize)options->atoms > n * (gsize)tosst_shape_slices (shape))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("dictionary.atoms is %d, more than the slices of the tensors to learn from, %zu"),
                       options->atoms, n * (gsize)tosst_shape_slices (shape));
  return tosst_fail (error, TOSST_FAILED_RECIPE, "%s", why);
}

/* Checks the memory, before the first allocation; the error states what is required. minibatch: NULL to learn from
 * all tensors at once. *bytes: of this process, without the tensors that a process alone has read. */
static gboolean
check_memory (CliCall *call, const CliLearnInput *input, const TosstLearnOptions *options,
              const TosstMinibatchOptions *minibatch, double *bytes, GError **error)
{
  TosstLayout *layout = tosst_layout_new_shape (input->shape);
  int threads = call->threads, ranks = cli_ranks () ? cli_ranks ()->size : 0;
  gsize first, n = cli_ranks_share (input->n, &first);
  double needed, there = (double)tosst_memory_available ();

  *bytes = (double)(minibatch ? tosst_minibatch_memory (layout, options, minibatch, ranks, threads)
                              : tosst_learn_memory (layout, n, options, ranks, threads));
  if (input->describer)
    *bytes = MAX (*bytes, (double)cli_describer_memory (input->describer));
  if (input->describer || (cli_ranks () && !minibatch))
    *bytes += (double)n * (double)layout->m * sizeof (float);
  needed = *bytes * (cli_processes () ? cli_processes ()->node_size : 1);
  tosst_layout_free (layout);
  if (needed < there)
    return TRUE;
  return tosst_fail (
      error, TOSST_FAILED_MEMORY,
      _ ("learning needs %.1f GB of memory and %.1f GB are available; lower dictionary.atoms or dictionary.sample"),
      needed / 1e9, there / 1e9);
}

/* Seconds between checkpoints, of --checkpoint or by default; 0: none. */
static gboolean
parse_interval (CliCall *call, double *interval, GError **error)
{
  const char *text = cli_call_value (call, "checkpoint");
  char *end;

  *interval = CHECKPOINT_SECONDS;
  if (!text)
    return TRUE;
  *interval = g_ascii_strtod (text, &end);
  if (end != text && !*end && *interval >= 0 && isfinite (*interval))
    return TRUE;
  return cli_usage_error (error, _ ("--checkpoint must be a number of seconds, not “%s”"), text);
}

/* Learning on several ranks: tensors and states of each. */

/* Bytes read at a time, and length of a fingerprint with its end. */
#define READ_BYTES ((gsize)64 << 20)
#define FINGERPRINT 17

/* out: count rows, or NULL to read and forget them. */
static gboolean
read_rows (CliLearnInput *input, gsize first, gsize count, float *out)
{
  TosstStream stream = cli_learn_input_stream (input);
  gsize m = tosst_shape_numbers (input->shape), piece = READ_BYTES / (m * sizeof *out) + 1;
  g_autofree float *scratch = out ? NULL : g_new (float, MIN (piece, MAX (count, 1)) * m);

  for (gsize i = 0; i < count; i += piece)
    if (cli_interrupted ()
        || stream.read (first + i, MIN (piece, count - i), out ? out + i * m : scratch, stream.user_data) != TOSST_OK)
      return FALSE;
  return TRUE;
}

/* The tensors of this rank: *n x m, new; NULL with an error in the input. */
static float *
ranks_read (CliLearnInput *input, gsize *n)
{
  gsize first;
  g_autofree float *rows = NULL;

  if (input->describer)
    {
      *n = input->array->shape[0];
      return g_steal_pointer (&input->array->data);
    }
  *n = cli_ranks_share (input->n, &first);
  rows = g_try_malloc_n (MAX (*n, 1), sizeof *rows * tosst_shape_numbers (input->shape));
  if (!rows)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("learning the dictionary"), &input->error), NULL;
  return read_rows (input, first, *n, rows) ? g_steal_pointer (&rows) : NULL;
}

/* The tensors of images of all ranks, one rank after the other, pass through rank 0. */
static char *
fingerprint_described (CliLearnInput *input)
{
  TosstRanks *ranks = cli_ranks ();
  const TosstNpy *own = input->array;
  gsize bytes = sizeof (float) * own->shape[1], rows = READ_BYTES / bytes + 1;
  TosstNpy whole = *own;

  whole.shape[0] = input->n;
  g_autoptr (GChecksum) checksum = cli_fingerprint_start (&whole);
  tosst_ranks_start (ranks);
  for (int r = 0; r < ranks->size; r++)
    {
      gsize total = input->n * (gsize)(r + 1) / (gsize)ranks->size - input->n * (gsize)r / (gsize)ranks->size;

      for (gsize i = 0, n; i < total; i += n)
        {
          n = MIN (rows, total - i);
          g_autoptr (GBytes) piece = r == ranks->rank
                                         ? g_bytes_new_static ((const char *)own->data + i * bytes, n * bytes)
                                         : g_bytes_new (NULL, 0);
          TosstStatus status;
          g_autoptr (GPtrArray) parts = tosst_processes_collect (ranks, piece, &status);

          if (status != TOSST_OK)
            return NULL;
          if (!parts)
            continue;
          TosstNpy part = { .type = TOSST_NPY_FLOAT32, .count = n * own->shape[1] };

          part.data = (gpointer)g_bytes_get_data (g_ptr_array_index (parts, r), NULL);
          cli_fingerprint_add (checksum, &part);
        }
    }
  return cli_fingerprint_text (checksum);
}

/* The fingerprint of all tensors, read by rank 0. Collective; NULL after a failure, with an error on the rank that
 * failed. */
static char *
ranks_fingerprint (CliLearnInput *input)
{
  if (input->describer)
    return fingerprint_described (input);

  TosstRanks *ranks = cli_ranks ();
  char text[FINGERPRINT] = "";
  TosstStatus status = TOSST_OK;

  tosst_ranks_start (ranks);
  if (ranks->rank == 0)
    {
      g_autofree char *own = NULL;

      if (read_rows (input, input->hashed, input->n - input->hashed, NULL))
        own = cli_learn_input_fingerprint (input);
      if (own)
        g_strlcpy (text, own, sizeof text);
      else
        status = TOSST_ERROR_ARGUMENT;
    }
  return tosst_ranks_broadcast (ranks, status, 0, text, sizeof text) == TOSST_OK ? g_strdup (text) : NULL;
}

static void
resumed_clear (CliResumed *self)
{
  TOSST_CLEAR_MEMBERS (self, (file, g_object_unref), (dictionary, tosst_dictionary_free),
                       (state, tosst_checkpoint_free));
  tosst_dictionary_meta_clear (&self->meta);
  *self = (CliResumed){ .meta.objective = NAN };
}

static gboolean
load (CliResumed *self, GFile *file, GError **error)
{
  *self = (CliResumed){ .file = g_object_ref (file), .meta.objective = NAN };
  self->dictionary = tosst_learning_file_load (file, &self->meta, &self->state, error);
  return self->dictionary != NULL;
}

static char *
text_to_compare (const TosstRecipe *recipe)
{
  g_autoptr (TosstRecipe) copy = tosst_recipe_copy (recipe);

  copy->dictionary.iterations = 1;
  copy->dictionary.tolerance = 0;
  return tosst_recipe_to_text (copy, FALSE);
}

/* Whether both recipes learn in the same way, regardless of their stopping criteria. */
static gboolean
learns_alike (const TosstRecipe *a, const TosstRecipe *b)
{
  g_autofree char *one = text_to_compare (a), *other = text_to_compare (b);

  return strcmp (one, other) == 0;
}

static gboolean
is_ahead (const CliResumed *checkpoint, const CliResumed *named)
{
  const TosstDictionaryMeta *a = &checkpoint->meta, *b = &named->meta;

  if (a->iterations != b->iterations || a->batches != b->batches)
    return a->iterations > b->iterations || (a->iterations == b->iterations && a->batches > b->batches);
  return checkpoint->state && !named->state;
}

/* Chooses one of two existing files and clears the other. A program killed after writing the dictionary leaves a
 * checkpoint with the same state: that file is deleted. */
static void
choose (CliResumed *checkpoint, CliResumed *named)
{
  g_autofree char *name = g_file_get_parse_name (named->file);

  g_autoptr (TosstRecipe) one = checkpoint->meta.recipe ? tosst_recipe_parse (checkpoint->meta.recipe, "", NULL) : NULL;
  g_autoptr (TosstRecipe) other = named->meta.recipe ? tosst_recipe_parse (named->meta.recipe, "", NULL) : NULL;
  gboolean same = one && other && g_strcmp0 (checkpoint->meta.fingerprint, named->meta.fingerprint) == 0
                  && learns_alike (one, other);

  if (same && !is_ahead (checkpoint, named))
    {
      g_file_delete (checkpoint->file, NULL, NULL);
      resumed_clear (checkpoint);
      return;
    }
  if (!same)
    cli_print (stderr, _ ("tosst: learn: resuming from %s.checkpoint, which belongs to another run than %s\n"), name,
               name);
  resumed_clear (named);
  *named = *checkpoint;
}

/* Opens the file of --resume, or its checkpoint, FILE.checkpoint. For the same learning problem, the one with more
 * iterations is used, as file times are unreliable; for different ones, the checkpoint, which is deleted when its
 * learning writes the file. */
static gboolean
resumed_open (CliResumed *self, const char *path, GError **error)
{
  g_autoptr (GFile) named = g_file_new_for_commandline_arg (path), sibling = NULL;
  g_autofree char *whole = g_file_get_path (named), *other = whole ? g_strconcat (whole, ".checkpoint", NULL) : NULL;
  g_autoptr (GError) cause = NULL;
  CliResumed checkpoint = { 0 };

  if (!other || !g_file_test (other, G_FILE_TEST_EXISTS))
    return load (self, named, error);
  sibling = g_file_new_for_path (other);
  if (!g_file_test (whole, G_FILE_TEST_EXISTS))
    return load (self, sibling, error);
  if (!load (self, named, NULL))
    {
      resumed_clear (self);
      return load (self, sibling, error);
    }
  if (load (&checkpoint, sibling, &cause))
    choose (&checkpoint, self);
  else
    {
      cli_print (stderr, _ ("tosst: learn: resuming from %s: %s\n"), path, cause->message);
      resumed_clear (&checkpoint);
    }
  return TRUE;
}

/* Maximum size of the solver's state (of codes, the non-zeros), in bytes and as a divisor of the available memory. A
 * larger state is not saved, and resuming without it causes rounding differences. */
#define MOST_HELD ((gsize)256 << 20)
#define PART_HELD 8

/* The first checkpoint is earlier. */
#define FIRST_SECONDS 3.0

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

/* Whether the dictionary to resume from has all iterations. */
static gboolean
is_learned (const Learning *self)
{
  return self->from.dictionary && self->from.meta.iterations == self->recipe->dictionary.iterations;
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
  g_autofree char *why = g_strdup_printf (_ ("more than %.0f MB"), (double)(self->most_held >> 20));
  drop_state (self, why);
}

/* On several ranks rank 0 decides and writes, and has the codes of all then. */
static gboolean
is_to_save (Learning *self, double now)
{
  double interval = self->took > 0 ? self->interval : MIN (self->interval, FIRST_SECONDS);
  gboolean due = self->interval > 0 && now - self->last >= MAX (interval, self->took / SAVING);

  if (!cli_ranks () || self->in_batches)
    return due && cli_is_writer ();
  if (tosst_ranks_broadcast (cli_ranks (), TOSST_OK, 0, &due, sizeof due) != TOSST_OK || !due)
    return FALSE;
  self->whole = tosst_checkpoint_collect (cli_ranks (), self->held);
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

  JsonObject *object = TOSST_JSON (("K", dictionary->K), ("d", dictionary->d), ("N", self->input->n),
                                   ("iterations", iterations_done (self)), ("objective", objective),
                                   ("mean_nonzeros", last ? last->mean_nonzeros : 0),
                                   ("worst_kkt", last ? last->worst_kkt : 0), ("seconds", last ? last->seconds : 0),
                                   ("threads", call->threads), ("memory_stated_mb", self->needed / 1e6));
  cli_ranks_report (object);
  if (!cli_is_writer ())
    {
      json_object_unref (object);
      return TRUE;
    }
  gboolean kept = !file || cli_write_json (json_object_ref (object), file, error);
  cli_call_result (call, object,
                   _ ("%d atoms of side %d from %zu tensors: objective %.6g at iteration %d in "
                      "%.2f s, written to %s"),
                   dictionary->K, dictionary->d, self->input->n, objective, iterations_done (self),
                   last ? last->seconds : 0, cli_call_value (call, "output"));
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
  const float *rows = cli_ranks () ? (converted = ranks_read (self->input, &n))
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

/* Reads tensors in blocks completely, which also detects invalid ones. Collective. */
static gboolean
find_fingerprint (Learning *self, GError **error)
{
  if (cli_ranks ())
    self->fingerprint = ranks_fingerprint (self->input);
  else if (!self->in_batches || read_rows (self->input, 0, self->input->n, NULL))
    self->fingerprint = cli_learn_input_fingerprint (self->input);
  if (self->fingerprint)
    return TRUE;
  /* A rank that could not describe its images has left already. */
  return cli_interrupted () ? fail_interrupted (self, NULL, error) : check_status (self, TOSST_ERROR_ARGUMENT, error);
}

static gboolean
learn (Learning *self, GError **error)
{
  g_autoptr (TosstDictionary) dictionary = NULL;
  g_autofree float *codes = NULL;
  TosstLearnState state;
  double objective = NAN;
  TosstStatus status;

  /* For gigabytes this takes seconds, too long for saving after an interrupt. */
  if (!self->fingerprint && (cli_ranks () || !self->in_batches) && !find_fingerprint (self, error))
    return FALSE;
  TosstLayout *layout = tosst_layout_new_shape (self->input->shape);
  self->progress = cli_progress_new (self->call, _ ("Learning"), (gsize)(self->options.iterations - self->run.done),
                                     _ ("iterations"));
  self->last = 1e-6 * (double)g_get_monotonic_time ();
  keep_states (self, &state, &codes);
  cli_interrupt_hold (TRUE);
  gboolean made = make_dictionary (self, layout, &status, &dictionary, &objective, error);
  if (made && status == TOSST_CANCELLED && cli_ranks ())
    {
      tosst_ranks_start (cli_ranks ());
      self->whole = tosst_checkpoint_collect (cli_ranks (), self->held);
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
  if (!resumed_open (&self->from, cli_call_value (self->call, "resume"), error))
    return NULL;
  g_autofree char *name = g_file_get_parse_name (self->from.file);
  g_autoptr (TosstRecipe) base
      = self->from.meta.recipe ? tosst_recipe_parse (self->from.meta.recipe, name, error) : tosst_recipe_new ();
  if (!base)
    return NULL;
  if (!self->from.meta.recipe)
    base->dictionary.atoms = self->from.dictionary->K;
  g_autoptr (TosstRecipe) recipe = cli_call_recipe (self->call, NULL, base, error);
  if (!recipe)
    return NULL;
  if (recipe->dictionary.atoms != self->from.dictionary->K)
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("%s has %d atoms, so learning cannot be resumed with dictionary.atoms=%d"), name,
                       self->from.dictionary->K, recipe->dictionary.atoms),
           NULL;
  if (self->from.meta.iterations > recipe->dictionary.iterations)
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("%s was learned in %d iterations, and dictionary.iterations is %d; raise it with --set "
                          "dictionary.iterations=N"),
                       name, self->from.meta.iterations, recipe->dictionary.iterations),
           NULL;
  self->run.done = self->from.meta.iterations;
  if (!learns_alike (recipe, base))
    g_clear_pointer (&self->from.state, tosst_checkpoint_free);
  /* With another batch size the number of batches follows from the completed iterations. */
  if (recipe->dictionary.minibatch == base->dictionary.minibatch)
    self->batches = self->from.meta.batches;
  return g_steal_pointer (&recipe);
}

static gboolean
check_same_tensors (Learning *self, GError **error)
{
  if (!find_fingerprint (self, error))
    return FALSE;
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
copy_resumed (GFile *file, gpointer data, GError **error)
{
  const Learning *self = data;

  return g_file_copy (self->from.file, file, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, error);
}

/* Reports a dictionary, or a checkpoint, that has all iterations already. Its state stays with it, for more iterations.
 * A job that a cluster queues again after the last iteration has done its work. */
static gboolean
finish_learned (Learning *self, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (self->call, "output");
  gboolean there = cli_is_same_file (file, self->from.file);

  if (cli_is_writer ())
    {
      if (!there && !tosst_atomic_keep (file, copy_resumed, self, error))
        return FALSE;
      g_file_delete (self->checkpoint, NULL, NULL);
    }
  return report_result (self, self->from.dictionary, self->from.meta.objective, error);
}

static gboolean
prepare_options (Learning *self, GError **error)
{
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
  if (!is_learned (self) && !check_options (&self->options, &self->run, self->input->n, self->input->shape, error))
    return FALSE;
  const char *why
      = self->in_batches ? tosst_minibatch_check (&self->minibatch, &self->options, self->input->shape) : NULL;
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
  if (!parse_interval (self->call, &self->interval, error))
    return FALSE;
  /* The checkpoint is deleted at the end: no other file may have its name. */
  g_autoptr (GFile) trace = cli_call_file (self->call, "trace");
  const char *taken = trace && cli_is_same_file (trace, self->checkpoint) ? cli_call_value (self->call, "trace") : NULL;

  for (guint i = 0; i < self->call->operands; i++)
    {
      g_autoptr (GFile) input = g_file_new_for_commandline_arg (self->call->operand[i]);

      if (cli_is_same_file (input, self->checkpoint))
        taken = self->call->operand[i];
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
         && check_memory (self->call, self->input, &self->options, self->in_batches ? &self->minibatch : NULL,
                          &self->needed, error)
         && cli_learn_input_describe (self->input, self->call, error)
         && (!self->from.dictionary || check_same_tensors (self, error))
         && (is_learned (self) ? finish_learned (self, error) : learn (self, error));
}

static gboolean
run (CliCall *call, GError **error)
{
  Learning self = { .call = call, .from.meta.objective = NAN };

  self.trace = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  gboolean ok = run_learning (&self, error);
  TOSST_CLEAR_MEMBERS (&self, (trace, g_array_unref), (recipe, tosst_recipe_free), (input, cli_learn_input_free),
                       (checkpoint, g_object_unref), (held, tosst_checkpoint_free), (whole, tosst_checkpoint_free),
                       (fingerprint, g_free));
  resumed_clear (&self.from);
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
