/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers are sent with all their bits. Predictions and scores have the form of the store.
 */
#include "core/run/transfer.h"

#include <sys/stat.h>

#include "core/base/base.h"
#include "core/dictionary/model.h"
#include "core/run/hash.h"
#include "core/run/private.h"
#include "core/run/scores.h"

#define SPLIT "(iayayayaya(sdd)ay)"
#define START "(aayimayta{is})"
#define END "(addddbis)"

static GVariant *
variant_of (GBytes *bytes)
{
  gsize n = 0;
  gconstpointer data = bytes ? g_bytes_get_data (bytes, &n) : NULL;

  return tosst_checkpoint_raw (data, n);
}

static GBytes *
finish (GVariant *variant)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (variant);

  return g_variant_get_data_as_bytes (owned);
}

/* New; NULL if the bytes do not have this form. */
static GVariant *
open_variant (GBytes *bytes, const char *type)
{
  GVariant *variant = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (type), bytes, FALSE));

  if (g_variant_is_normal_form (variant))
    return variant;
  g_variant_unref (variant);
  return NULL;
}

static GVariant *
pack_numbers (const TosstSplitResult *split)
{
  double values[TOSST_SPLIT_NUMBERS];

  for (gsize i = 0; i < TOSST_SPLIT_NUMBERS; i++)
    values[i] = G_STRUCT_MEMBER (double, split, tosst_split_numbers[i].offset);
  return tosst_checkpoint_raw (values, sizeof values);
}

static GVariant *
pack_parts (const GArray *parts)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a(sdd)"));

  for (guint i = 0; parts && i < parts->len; i++)
    {
      const TosstPartResult *one = &g_array_index (parts, TosstPartResult, i);

      g_variant_builder_add (&builder, "(sdd)", one->name, one->weight, one->accuracy);
    }
  return g_variant_builder_end (&builder);
}

GBytes *
tosst_run_pack_split (const TosstSplitResult *split, int classes)
{
  g_autoptr (GBytes) model = split->model ? tosst_model_to_bytes (split->model, "model.npz", NULL) : NULL;
  g_autoptr (GBytes) predictions = split->predictions ? tosst_predictions_to_csv (split->predictions) : NULL;
  g_autoptr (GBytes) scores = split->scores ? tosst_scores_to_csv (split->scores) : NULL;

  return finish (g_variant_new ("(i@ay@ay@ay@ay@a(sdd)@ay)", split->split, pack_numbers (split),
                                tosst_checkpoint_raw (split->confusion, sizeof (int) * (gsize)classes * (gsize)classes),
                                variant_of (predictions), variant_of (scores), pack_parts (split->parts),
                                variant_of (model)));
}

/* The bytes of an array, or NULL if it has none. */
static GBytes *
bytes_of (GVariant *array)
{
  return g_variant_n_children (array) > 0 ? g_variant_get_data_as_bytes (array) : NULL;
}

static gboolean
unpack_numbers (GVariant *array, TosstSplitResult *split)
{
  double values[TOSST_SPLIT_NUMBERS];

  if (!tosst_checkpoint_get_raw (array, values, sizeof values))
    return FALSE;
  for (gsize i = 0; i < TOSST_SPLIT_NUMBERS; i++)
    G_STRUCT_MEMBER (double, split, tosst_split_numbers[i].offset) = values[i];
  return TRUE;
}

static GArray *
unpack_parts (GVariant *weights)
{
  GArray *made = g_variant_n_children (weights) > 0 ? g_array_new (FALSE, FALSE, sizeof (TosstPartResult)) : NULL;
  GVariantIter at;
  const char *name;
  double weight, accuracy;

  g_variant_iter_init (&at, weights);
  while (made && g_variant_iter_next (&at, "(&sdd)", &name, &weight, &accuracy))
    {
      const TosstPartResult one = { g_intern_string (name), weight, accuracy };

      g_array_append_val (made, one);
    }
  return made;
}

gboolean
tosst_run_unpack_split (GBytes *bytes, int classes, TosstSplitResult *split, TosstModel **model)
{
  g_autoptr (GVariant) variant = open_variant (bytes, SPLIT);
  g_autoptr (GVariant) values = NULL, confusion = NULL, csv = NULL, table = NULL, weights = NULL, file = NULL;
  gsize size = sizeof (int) * (gsize)classes * (gsize)classes;

  *split = (TosstSplitResult){ 0 };
  *model = NULL;
  if (!variant)
    return FALSE;
  g_variant_get (variant, "(i@ay@ay@ay@ay@a(sdd)@ay)", &split->split, &values, &confusion, &csv, &table, &weights,
                 &file);
  split->confusion = g_malloc0 (size);
  if (!unpack_numbers (values, split) || !tosst_checkpoint_get_raw (confusion, split->confusion, size))
    return FALSE;
  g_autoptr (GBytes) predictions = bytes_of (csv);
  g_autoptr (GBytes) scores = bytes_of (table);
  g_autoptr (GBytes) content = bytes_of (file);
  split->predictions = predictions ? tosst_predictions_from_csv (predictions, split->confusion, classes) : NULL;
  split->scores = scores ? tosst_scores_from_csv (scores, classes) : NULL;
  split->parts = unpack_parts (weights);
  *model = content ? tosst_model_from_bytes (content, "model.npz", NULL) : NULL;
  split->model = *model;
  return TRUE;
}

/* --- what a run starts from --- */

static guint64
folder_number (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  struct stat info;

  return stat (folder, &info) == 0 ? (guint64)info.st_ino : 0;
}

/* *folder: the number of their folder in its file system, which is the same on all machines that share it. */
static GVariant *
pack_files (const TosstRecipe *recipe, TosstDataset *dataset, const TosstRunOptions *options, guint64 *folder)
{
  g_auto (GVariantBuilder) files = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a{is}"));

  *folder = 0;
  for (int split = options->n_done; options->place && split < (int)tosst_dataset_splits (dataset, recipe); split++)
    {
      g_autoptr (GFile) file = options->place (split, options->data);
      const char *path = file ? g_file_peek_path (file) : NULL;

      if (!path)
        continue;
      *folder = folder_number (path);
      g_variant_builder_add (&files, "{is}", split, path);
    }
  return g_variant_builder_end (&files);
}

GBytes *
tosst_run_pack_start (const TosstRecipe *recipe, TosstDataset *dataset, const TosstRunOptions *options)
{
  g_auto (GVariantBuilder) splits = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("aay"));
  g_autoptr (GBytes) checkpoint = options->load ? options->load (options->n_done, options->data) : NULL;
  int classes = (int)dataset->classes->len;
  guint64 folder;
  GVariant *files = pack_files (recipe, dataset, options, &folder);

  for (int i = 0; i < options->n_done; i++)
    {
      TosstSplitResult split = options->done[i];

      split.model = NULL;
      g_autoptr (GBytes) bytes = tosst_run_pack_split (&split, classes);
      g_variant_builder_add_value (&splits, variant_of (bytes));
    }
  return finish (g_variant_new (
      "(@aayi@mayt@a{is})", g_variant_builder_end (&splits), options->n_done,
      g_variant_new_maybe (G_VARIANT_TYPE ("ay"), checkpoint ? variant_of (checkpoint) : NULL), folder, files));
}

static gboolean
unpack_done (TosstRunStart *self, GVariant *splits, int classes)
{
  for (gsize i = 0; i < g_variant_n_children (splits); i++)
    {
      g_autoptr (GVariant) one = g_variant_get_child_value (splits, i);
      g_autoptr (GBytes) bytes = g_variant_get_data_as_bytes (one);
      g_autoptr (TosstModel) model = NULL;
      TosstSplitResult split;
      gboolean fine = tosst_run_unpack_split (bytes, classes, &split, &model);

      split.model = NULL;
      g_array_append_val (self->done, split);
      if (!fine)
        return FALSE;
    }
  return TRUE;
}

TosstRunStart *
tosst_run_unpack_start (GBytes *bytes, int classes)
{
  g_autoptr (GVariant) variant = open_variant (bytes, START);
  g_autoptr (GVariant) splits = NULL, checkpoint = NULL, files = NULL, array = NULL;
  g_autoptr (TosstRunStart) self = g_new0 (TosstRunStart, 1);
  GVariantIter at;
  const char *path;
  guint64 folder;
  int split;

  self->done = g_array_new (FALSE, FALSE, sizeof (TosstSplitResult));
  g_array_set_clear_func (self->done, tosst_run_split_clear);
  self->files = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  if (!variant)
    return NULL;
  g_variant_get (variant, "(@aayi@mayt@a{is})", &splits, &self->split, &checkpoint, &folder, &files);
  if (!unpack_done (self, splits, classes))
    return NULL;
  array = g_variant_get_maybe (checkpoint);
  self->checkpoint = array ? g_variant_get_data_as_bytes (array) : NULL;
  g_variant_iter_init (&at, files);
  while (g_variant_iter_next (&at, "{i&s}", &split, &path))
    if (folder != 0 && folder_number (path) == folder)
      g_hash_table_insert (self->files, GINT_TO_POINTER (split), g_strdup (path));
  return g_steal_pointer (&self);
}

TOSST_DEFINE_PUBLIC_FREE (TosstRunStart, tosst_run_start_free, TosstRunStart *, (done, g_array_unref),
                          (files, g_hash_table_unref), (checkpoint, g_bytes_unref))

GFile *
tosst_run_start_file (const TosstRunStart *self, int split)
{
  const char *path = g_hash_table_lookup (self->files, GINT_TO_POINTER (split));

  return path ? g_file_new_for_path (path) : NULL;
}

/* --- how it ended --- */

GBytes *
tosst_run_pack_end (const TosstRunResult *result, const GError *cause)
{
  static const double none[TOSST_N_STAGES];
  gboolean known = g_error_matches (cause, TOSST_ERROR, cause ? cause->code : 0);

  return finish (g_variant_new ("(@addddbis)",
                                g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, result ? result->seconds : none,
                                                           TOSST_N_STAGES, sizeof (double)),
                                result ? result->seconds_total : 0.0, result ? result->seconds_shared : 0.0,
                                result ? result->peak_memory_mb : 0.0, cause != NULL,
                                known ? cause->code : TOSST_FAILED_INPUT, cause ? cause->message : ""));
}

void
tosst_run_unpack_end (GBytes *bytes, TosstRunResult *result, GError **cause)
{
  g_autoptr (GVariant) variant = open_variant (bytes, END), seconds = NULL;
  const char *message;
  gboolean failed;
  int code;
  gsize n;

  if (!variant)
    return;
  g_variant_get (variant, "(@addddbi&s)", &seconds, &result->seconds_total, &result->seconds_shared,
                 &result->peak_memory_mb, &failed, &code, &message);
  const double *values = g_variant_get_fixed_array (seconds, &n, sizeof *values);

  if (n == TOSST_N_STAGES)
    memcpy (result->seconds, values, sizeof result->seconds);
  if (failed)
    g_set_error_literal (cause, TOSST_ERROR, code, message);
}

/* Results that runs of several processes share, as bytes. Tensors are sent as they are in memory, where they stay; those
 * that do not fit into memory each process describes for itself. Numbers keep all their bits, so that it does not matter
 * where a result was made. */

static gboolean
is_sent (const TosstRun *run, TosstRunPart part)
{
  const TosstRecipe *recipe = run->recipe;

  return tosst_recipe_has_tensors (recipe) && !tosst_recipe_is_combined (recipe) && !tosst_recipe_is_fisher (recipe)
         && (part != TOSST_PART_TENSORS
             || (!tosst_recipe_has_split_tensors (recipe) && tosst_run_tensors_may_stay (recipe, run->dataset)));
}

static GBytes *
pack_tensors (TosstShared *shared)
{
  const TosstTensors *self = shared->data;

  if (self->tensors == NULL)
    return g_bytes_new (NULL, 0);
  return g_bytes_new_with_free_func (self->tensors, (self->end - self->begin) * self->layout->m * sizeof (float),
                                     (GDestroyNotify)tosst_shared_unref, tosst_shared_ref (shared));
}

/* As a checkpoint after learning, with the use of the atoms in place of shares. */
static GBytes *
pack_learned (const TosstLearned *self)
{
  const TosstCheckpoint form = { .dictionary = self->dictionary,
                                 .learned = TRUE,
                                 .trace = self->trace,
                                 .shares = self->usage,
                                 .n_shares = self->usage != NULL ? (gsize)self->dictionary->K : 0 };

  return tosst_checkpoint_to_bytes (&form);
}

static TosstShared *
unpack_learned (const TosstRun *run, GBytes *content)
{
  int atoms = run->recipe->dictionary.atoms;
  g_autoptr (TosstCheckpoint) form = tosst_checkpoint_from_bytes (content, run->layout->shape, atoms, 0);

  if (form == NULL || !form->learned || (form->n_shares != 0 && form->n_shares != (gsize)atoms))
    return NULL;
  TosstLearned *made = g_new0 (TosstLearned, 1);
  *made = (TosstLearned){ g_steal_pointer (&form->dictionary), g_steal_pointer (&form->trace),
                          g_steal_pointer (&form->shares) };
  return tosst_shared_new (made, tosst_learned_free, g_bytes_get_size (content));
}

/* The certificate and the mean number of non-zeros of codes, before the codes or signatures themselves. */
typedef double Quality[2];

static GBytes *
pack_with (const Quality quality, gconstpointer data, gsize bytes)
{
  char *all = g_try_malloc (sizeof (Quality) + bytes);

  if (all == NULL)
    return NULL;
  memcpy (all, quality, sizeof (Quality));
  if (bytes > 0)
    memcpy (all + sizeof (Quality), data, bytes);
  return g_bytes_new_take (all, sizeof (Quality) + bytes);
}

static GBytes *
pack_codes (const TosstCachedCodes *self)
{
  g_autoptr (GBytes) codes = tosst_codes_to_bytes (self->codes);

  return pack_with ((Quality){ self->worst_kkt, self->mean_nonzeros }, g_bytes_get_data (codes, NULL),
                    g_bytes_get_size (codes));
}

static TosstShared *
unpack_codes (const TosstRun *run, const Quality quality, const char *data, gsize bytes)
{
  TosstCachedCodes made = { tosst_codes_from_bytes (data, bytes, run->codes), quality[0], quality[1] };

  if (made.codes != NULL && tosst_codes_rows (made.codes) == tosst_run_count_codes (run))
    return tosst_shared_new (g_memdup2 (&made, sizeof made), tosst_cached_codes_free, tosst_codes_bytes (made.codes));
  tosst_codes_free (made.codes);
  return NULL;
}

static TosstShared *
unpack_signatures (const TosstRun *run, const Quality quality, const char *data, gsize bytes)
{
  TosstSignatures made = { .bytes = bytes, .worst_kkt = quality[0], .mean_nonzeros = quality[1] };

  made.values = bytes == run->patches->samples * run->length * sizeof (float) ? g_try_malloc (MAX (bytes, 1)) : NULL;
  if (made.values == NULL)
    return NULL;
  memcpy (made.values, data, bytes);
  return tosst_shared_new (g_memdup2 (&made, sizeof made), tosst_signatures_free, bytes);
}

static GBytes *
pack (TosstShared *self, TosstRunPart part)
{
  const TosstSignatures *signatures = self->data;

  switch (part)
    {
    case TOSST_PART_TENSORS:
      return pack_tensors (self);
    case TOSST_PART_DICTIONARY:
      return pack_learned (self->data);
    case TOSST_PART_CODES:
      return pack_codes (self->data);
    case TOSST_PART_SIGNATURES:
      return pack_with ((Quality){ signatures->worst_kkt, signatures->mean_nonzeros }, signatures->values,
                        signatures->bytes);
    default:
      return NULL;
    }
}

static TosstShared *
unpack (TosstRun *run, GBytes *content, TosstRunPart part, int split)
{
  gsize bytes;
  const char *data = g_bytes_get_data (content, &bytes);
  Quality quality;

  if (part == TOSST_PART_TENSORS)
    return bytes > 0 ? tosst_run_tensors_received (run, split, content) : NULL;
  if (part == TOSST_PART_DICTIONARY)
    return unpack_learned (run, content);
  if (bytes < sizeof quality)
    return NULL;
  memcpy (quality, data, sizeof quality);
  return (part == TOSST_PART_CODES ? unpack_codes : unpack_signatures) (run, quality, data + sizeof quality,
                                                                        bytes - sizeof quality);
}

const struct TosstStageForm *
tosst_stage_form (void)
{
  static const struct TosstStageForm form = { is_sent, pack, unpack };

  return &form;
}
