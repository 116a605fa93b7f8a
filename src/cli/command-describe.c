/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/describer.h"
#include "cli/ranks.h"
#include "core/base/base.h"
#include "core/dictionary/model.h"
#include "core/format/tensor-array.h"

/* A higher memory use is announced before the start. */
#define MUCH_BYTES ((gsize)512 << 20)
/* Share of the available memory that may be used. */
#define MEMORY_SHARE 0.85

typedef struct
{
  CliDescriber *describer;
  gsize pieces;   /* so far, each described by one of the ranks in turn */
  float *pending; /* the own piece of this round, or NULL */
  gsize waiting;  /* number of its tensors */
} Job;

/* Checks memory and disk space, and announces a high memory use, before any allocation. */
static gboolean
check_needs (CliCall *call, const CliDescriber *describer, GFile *output, GError **error)
{
  gsize memory = cli_describer_memory (describer), available = tosst_memory_available ();
  double numbers = describer->matrices ? (double)describer->d * describer->d : (double)describer->m;
  double disk = (double)describer->total * numbers * sizeof (float);
  g_autofree char *needed = g_format_size (memory), *there = g_format_size (available);
  gboolean framed = tosst_recipe_has_frames (describer->recipe);
  guint64 left = tosst_disk_free (output);

  if ((double)memory > MEMORY_SHARE * (double)available)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       describer->is_local ? _ ("needs %s of memory and %s are available: lower descriptor.pca")
                       : framed            ? _ ("needs %s of memory and %s are available: lower descriptor.most")
                                           : _ ("needs %s of memory and %s are available: raise descriptor.step"),
                       needed, there);
  if (left > 0 && disk > (double)left)
    {
      g_autofree char *wanted = g_format_size ((guint64)disk), *free_space = g_format_size (left);

      return tosst_fail (error, TOSST_FAILED_INPUT,
                         describer->is_local ? _ ("%zu tensors need %s in %s, where %s are free: lower descriptor.pca")
                         : framed            ? _ ("%zu tensors need %s in %s, where %s are free: lower descriptor.most")
                                  : _ ("%zu tensors need %s in %s, where %s are free: raise descriptor.step"),
                         describer->total, wanted, cli_call_value (call, "output"), free_space);
    }
  if (memory > MUCH_BYTES && !cli_call_flag (call, "quiet") && !cli_call_flag (call, "json"))
    cli_print (stdout, _ ("%zu tensors of side %d, at most %s of memory\n"), describer->total, describer->d, needed);
  return TRUE;
}

static gboolean
write_tensors (const CliDescriber *describer, const float *tensors, gsize n, TosstNpyWriter *writer, GError **error)
{
  gsize numbers = describer->matrices ? (gsize)describer->d * describer->d : describer->m;

  if (!describer->matrices)
    return cli_ranks_write (writer, tensors, n, sizeof *tensors * numbers, error);
  g_autofree float *matrices = g_new (float, n *numbers);
  tosst_tensor_array_unpack (tensors, n, describer->d, matrices);
  return cli_ranks_write (writer, matrices, n, sizeof *matrices * numbers, error);
}

/* Writes the pieces of a round after its last one. tensors: of the own piece, which is taken, or NULL. */
static gboolean
end_piece (Job *job, float *tensors, gsize n, gboolean is_last, TosstNpyWriter *writer, GError **error)
{
  if (tensors)
    {
      job->pending = tensors;
      job->waiting = n;
    }
  job->pieces++;
  if (cli_ranks () && job->pieces % (gsize)cli_ranks ()->size != 0 && !is_last)
    return TRUE;
  gboolean ok = write_tensors (job->describer, job->pending, job->waiting, writer, error);
  g_clear_pointer (&job->pending, g_free);
  job->waiting = 0;
  return ok;
}

static gboolean
describe_all (CliCall *call, Job *job, GFile *output, GError **error)
{
  CliDescriber *describer = job->describer;
  TosstContext *context = cli_call_context (call);
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Describing"), describer->total, _ ("tensors"));
  gsize shape[3] = { describer->total, describer->matrices ? (gsize)describer->d : describer->m, (gsize)describer->d };
  g_autoptr (TosstNpyWriter) writer = NULL;
  CliPiece piece = { 0 };

  if (!cli_ranks_open (output, TOSST_NPY_FLOAT32, describer->matrices ? 3 : 2, shape, &writer, error))
    return FALSE;
  while (cli_describer_next (describer, &piece))
    {
      gsize end = piece.first + piece.n;
      gboolean own = !cli_ranks () || job->pieces % (gsize)cli_ranks ()->size == (gsize)cli_ranks ()->rank;
      g_autofree float *tensors = own ? g_new (float, piece.n * describer->m) : NULL;

      cli_progress_span (progress, context, (double)piece.first / describer->total, (double)end / describer->total);
      if ((tensors && !cli_describer_compute (describer, context, &piece, tensors, error))
          || !end_piece (job, g_steal_pointer (&tensors), piece.n, end == describer->total, writer, error))
        return FALSE;
    }
  return cli_ranks_keep (writer, error);
}

static void
print_result (CliCall *call, const CliDescriber *describer, double seconds)
{
  JsonObject *object
      = TOSST_JSON (("N", describer->total), ("m", describer->m), ("d", describer->d),
                    ("images_without_frames", describer->unfound), ("seconds", seconds), ("threads", call->threads));
  cli_call_result (call, object,
                   ngettext ("%zu tensor of side %d (%zu numbers) in %.2f s, written to %s",
                             "%zu tensors of side %d (%zu numbers each) in %.2f s, written to %s", describer->total),
                   describer->total, describer->d, describer->m, seconds, cli_call_value (call, "output"));
}

/* The only patch; FALSE with error. */
static gboolean
parse_at (CliCall *call, const TosstRecipe *recipe, TosstPoint *at, GError **error)
{
  const char *text = cli_call_value (call, "at");

  if (text && tosst_recipe_is_local (recipe))
    return cli_usage_error (error, _ ("--at needs a descriptor of patches; local features describe whole images"));
  if (text && !tosst_recipe_has_patches (recipe))
    return cli_usage_error (error, _ ("--at needs a descriptor of patches; this one describes whole images"));
  return !text || cli_parse_at (text, &at->x, &at->y, error);
}

/* The recipe of the model, or else of --recipe and --set. */
static TosstRecipe *
find_recipe (CliCall *call, TosstModel **model, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "model");

  if (!file)
    return cli_call_recipe (call, cli_call_value (call, "recipe"), NULL, error);
  if (cli_call_value (call, "recipe") || call->settings->len > 0)
    return cli_usage_error (error, _ ("--model has a recipe: leave out --recipe and --set")), NULL;
  *model = tosst_model_load (file, error);
  return *model ? tosst_recipe_copy ((*model)->recipe) : NULL;
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "output", NULL };
  g_autoptr (TosstModel) model = NULL;
  g_autoptr (TosstRecipe) recipe = find_recipe (call, &model, error);
  g_autoptr (GFile) output = cli_call_file (call, "output");
  g_autoptr (CliDescriber) describer = NULL;
  TosstPoint at;
  gint64 start = g_get_monotonic_time ();

  if (!recipe || !cli_call_check_outputs (call, outputs, error) || !parse_at (call, recipe, &at, error))
    return FALSE;
  describer
      = cli_describer_new (call, recipe, model ? model->pca : NULL, cli_call_value (call, "at") ? &at : NULL, error);
  Job job = { .describer = describer };

  if (!describer || !check_needs (call, describer, output, error)
      || !cli_describer_find_components (describer, call, error) || !describe_all (call, &job, output, error))
    return FALSE;
  print_result (call, describer, (g_get_monotonic_time () - start) / (double)G_USEC_PER_SEC);
  return TRUE;
}

static const CliOption options[] = {
  { "output", 'o', "T.npy", N_ ("Output file of tensors: float32, one row each; matrices as (N, d, d)"), TRUE },
  { "recipe", 0, "FILE", N_ ("Recipe for describing") },
  { "model", 'm', "M.npz",
    N_ ("Describe by the recipe and the principal components of this model; without it the components of local "
        "features are those of the given images") },
  { "at", 0, "X,Y", N_ ("Only the patch with this top left pixel, or of frames the one with the nearest centre") },
  { NULL },
};
static const char *const groups[] = { "descriptor", NULL };

const CliCommand cli_describe
    = { "describe",
        "IMAGE...",
        N_ ("Write the tensors or matrices of all patches of images, or of whole images of local features"),
        options,
        groups,
        1,
        G_MAXUINT,
        run,
        TRUE };
