/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <glib/gi18n.h>

#include "cli/call.h"
#include "cli/images.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/dictionary/describe-patches.h"
#include "core/dictionary/model.h"
#include "core/format/npy.h"
#include "core/format/tensor-array.h"
#include "core/image/io.h"
#include "core/image/probe.h"
#include "core/local/image-tensors.h"
#include "core/local/texture-vectors.h"

/* Bytes of tensors per block. */
#define CHUNK_BYTES (128u << 20)
/* A higher memory use is announced before the start. */
#define MUCH_BYTES ((gsize)512 << 20)
/* Share of the available memory that may be used. */
#define MEMORY_SHARE 0.85

typedef struct
{
  GFile *file;
  char *name;
  int width, height;
  gsize n, bytes; /* number of patches; memory of image and patches */
} Source;

typedef struct
{
  const TosstRecipe *recipe;
  int d;
  gboolean matrices; /* second order: written as (N, d, d) */
  gsize m, total, done;
  gsize pieces;   /* so far, each described by one of the ranks in turn */
  float *pending; /* the own piece of this round, or NULL */
  gsize waiting;  /* number of its tensors */
  GArray *sources;
  TosstPoint at; /* x < 0: all patches of the grid */

  /* Of local features: one tensor for each image. */
  GArray *images; /* CliImage; empty: patches */
  const TosstPca *pca;
} Job;

static void
source_clear (gpointer data)
{
  Source *source = data;

  g_clear_object (&source->file);
  g_free (source->name);
}

static TosstPoint *
place_patches (const Source *source, const Job *job)
{
  TosstPoint *points = g_new (TosstPoint, source->n);

  if (job->at.x >= 0)
    points[0] = job->at;
  else if (!tosst_recipe_has_patches (job->recipe))
    points[0] = (TosstPoint){ 0, 0 };
  else
    tosst_patch_grid (source->width, source->height, job->recipe->descriptor.patch, job->recipe->descriptor.step,
                      points);
  return points;
}

static gboolean
measure_source (Source *source, const Job *job, GError **error)
{
  TosstImageProbe probe;

  if (!tosst_image_probe (source->file, FALSE, &probe, error)
      || !tosst_image_probe_fits (&probe, source->name, 0, error))
    return FALSE;
  source->width = probe.width;
  source->height = probe.height;
  source->bytes = probe.bytes;

  /* Kinds lbp, image-covariance and invariant-covariance describe an image by one vector. */
  source->n = 1;
  if (!tosst_recipe_has_patches (job->recipe))
    return TRUE;

  const TosstPoint *at = &job->at;
  int patch = job->recipe->descriptor.patch, step = job->recipe->descriptor.step;

  if (source->width < patch || source->height < patch)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is %d × %d pixels, too small for a patch of %d"), source->name,
                       source->width, source->height, patch);
  if (at->x > source->width - patch || at->y > source->height - patch)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("a patch of %d at %d,%d does not fit into %s, which is %d × %d pixels"), patch, at->x, at->y,
                       source->name, source->width, source->height);
  source->n = at->x >= 0 ? 1 : tosst_patch_grid (source->width, source->height, patch, step, NULL);
  /* Twice: the descriptor sorts a copy of them. */
  source->bytes += 2 * source->n * sizeof (TosstPoint);
  return TRUE;
}

/* Reads the sizes of all images first, so that errors occur before any computation. */
static gboolean
list_sources (CliCall *call, Job *job, GError **error)
{
  const char *at_text = cli_call_value (call, "at");

  job->at.x = -1;
  if (at_text && !tosst_recipe_has_patches (job->recipe))
    return cli_usage_error (error, _ ("--at needs a descriptor of patches; this one describes whole images"));
  if (at_text && !cli_parse_at (at_text, &job->at.x, &job->at.y, error))
    return FALSE;
  for (guint i = 0; i < cli_call_operands (call); i++)
    {
      Source source = { .file = g_file_new_for_commandline_arg (cli_call_operand (call, i)),
                        .name = g_strdup (cli_call_operand (call, i)) };
      gboolean ok = measure_source (&source, job, error);

      g_array_append_val (job->sources, source);
      if (!ok)
        return FALSE;
      job->total += source.n;
    }
  return TRUE;
}

/* One image is in memory at a time. */
static gsize
needed_memory (const Job *job)
{
  gsize most = 0, chunk = MIN (CHUNK_BYTES, job->total * job->m * sizeof (float));

  for (guint i = 0; i < job->sources->len; i++)
    most = MAX (most, g_array_index (job->sources, Source, i).bytes);
  return most + (job->matrices ? 3 : 1) * chunk + ((gsize)100 << 20);
}

/* Checks memory and disk space, and announces a high memory use, before any allocation. */
static gboolean
check_needs (CliCall *call, const Job *job, GFile *output, GError **error)
{
  gsize memory = needed_memory (job), available = tosst_memory_available ();
  double numbers = job->matrices ? (double)job->d * job->d : (double)job->m;
  double disk = (double)job->total * numbers * sizeof (float);
  g_autofree char *needed = g_format_size (memory), *there = g_format_size (available);
  g_autoptr (GFile) folder = g_file_get_parent (output);
  g_autoptr (GFileInfo) info
      = folder ? g_file_query_filesystem_info (folder, G_FILE_ATTRIBUTE_FILESYSTEM_FREE, NULL, NULL) : NULL;
  guint64 left = info ? g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE) : 0;

  if ((double)memory > MEMORY_SHARE * (double)available)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       job->images->len > 0 ? _ ("needs %s of memory and %s are available: lower descriptor.pca")
                                            : _ ("needs %s of memory and %s are available: raise descriptor.step"),
                       needed, there);
  if (left > 0 && disk > (double)left)
    {
      g_autofree char *wanted = g_format_size ((guint64)disk), *free_space = g_format_size (left);

      return tosst_fail (error, TOSST_FAILED_INPUT,
                         job->images->len > 0
                             ? _ ("%zu tensors need %s in %s, where %s are free: lower descriptor.pca")
                             : _ ("%zu tensors need %s in %s, where %s are free: raise descriptor.step"),
                         job->total, wanted, cli_call_value (call, "output"), free_space);
    }
  if (memory > MUCH_BYTES && !cli_call_flag (call, "quiet") && !cli_call_flag (call, "json"))
    cli_print (stdout, _ ("%zu tensors of side %d, at most %s of memory\n"), job->total, job->d, needed);
  return TRUE;
}

static gboolean
write_tensors (const Job *job, const float *tensors, gsize n, TosstNpyWriter *writer, GError **error)
{
  g_autofree float *matrices = NULL;
  gsize numbers = job->matrices ? (gsize)job->d * job->d : job->m;

  if (!job->matrices)
    return cli_ranks_write (writer, tensors, n, sizeof *tensors * numbers, error);
  matrices = g_new (float, n *numbers);
  tosst_tensor_array_unpack (tensors, n, job->d, matrices);
  return cli_ranks_write (writer, matrices, n, sizeof *matrices * numbers, error);
}

/* Whether the next piece is described by this rank. */
static gboolean
takes_piece (const Job *job)
{
  return !cli_ranks () || job->pieces % (gsize)cli_ranks ()->size == (gsize)cli_ranks ()->rank;
}

/* Writes the pieces of a round after its last one. tensors: of the own piece, which is taken, or NULL. */
static gboolean
end_piece (Job *job, float *tensors, gsize n, gboolean is_last, TosstNpyWriter *writer, GError **error)
{
  gboolean ok;

  if (tensors)
    {
      job->pending = tensors;
      job->waiting = n;
    }
  job->pieces++;
  if (cli_ranks () && job->pieces % (gsize)cli_ranks ()->size != 0 && !is_last)
    return TRUE;
  ok = write_tensors (job, job->pending, job->waiting, writer, error);
  g_clear_pointer (&job->pending, g_free);
  job->waiting = 0;
  return ok;
}

static gboolean
describe_points (const Job *job, TosstContext *context, const Source *source, const TosstImage *image,
                 const TosstPoint *points, gsize n, float *tensors, GError **error)
{
  if (!tosst_recipe_has_patches (job->recipe))
    return tosst_describe_texture (job->recipe, image, NULL, n, source->name, tensors, error);
  TosstStatus status = tosst_describe_patches (job->recipe, context, image, points, n, tensors);

  if (status == TOSST_CANCELLED)
    return cli_fail_interrupted (error);
  return tosst_error_from_status (status, context, source->name, error);
}

static gsize
chunk_bytes (void)
{
  return cli_ranks () ? CLI_RANKS_BYTES : CHUNK_BYTES;
}

/* New; NULL with error. */
static TosstImage *
read_image (const Source *source, GError **error)
{
  g_autoptr (TosstImage) image = tosst_image_read (source->file, 0, error);

  if (!image || (image->width == source->width && image->height == source->height))
    return g_steal_pointer (&image);
  tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s changed while it was read"), source->name);
  return NULL;
}

static gboolean
describe_source (Job *job, TosstContext *context, const Source *source, TosstNpyWriter *writer, CliProgress *progress,
                 GError **error)
{
  g_autoptr (TosstImage) image = NULL;
  gsize chunk = MAX (1, MIN (source->n, chunk_bytes () / (job->m * sizeof (float))));
  g_autofree TosstPoint *points = place_patches (source, job);

  for (gsize from = 0; from < source->n; from += chunk)
    {
      gsize n = MIN (chunk, source->n - from);
      g_autofree float *tensors = takes_piece (job) ? g_new (float, n * job->m) : NULL;

      cli_progress_span (progress, context, (double)job->done / job->total, (double)(job->done + n) / job->total);
      if (tensors && !image && !(image = read_image (source, error)))
        return FALSE;
      if (tensors && !describe_points (job, context, source, image, points + from, n, tensors, error))
        return FALSE;
      job->done += n;
      if (!end_piece (job, g_steal_pointer (&tensors), n, job->done == job->total, writer, error))
        return FALSE;
    }
  return TRUE;
}

/* --- local features --- */

static TosstFeatures *
read_features (guint image, gpointer data, GError **error)
{
  const Job *job = data;
  const CliImage *source = &g_array_index (job->images, CliImage, image);

  return tosst_local_features_of_file (job->recipe, source->file, source->id, error);
}

static gboolean
list_images (CliCall *call, Job *job, GError **error)
{
  gboolean features = job->recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES;

  if (cli_call_value (call, "at"))
    return cli_usage_error (error, _ ("--at needs a descriptor of patches; local features describe whole images"));
  for (guint i = 0; i < cli_call_operands (call); i++)
    {
      g_autoptr (GFile) file = g_file_new_for_commandline_arg (cli_call_operand (call, i));
      guint before = job->images->len;

      if (!cli_images_add (job->images, file, features, error))
        return FALSE;
      if (job->images->len == before)
        return tosst_fail_input (error, cli_call_operand (call, i), _ ("has no images"));
    }
  job->total = job->images->len;
  return TRUE;
}

/* Completes the recipe by what the first image tells. */
static gboolean
complete (Job *job, TosstRecipe *recipe, GError **error)
{
  g_autoptr (TosstFeatures) features = NULL;
  TosstSiftOptions sift;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT)
    return tosst_recipe_sift_options (recipe, &sift, error);
  if (recipe->descriptor.length > 0)
    return TRUE;
  features = read_features (0, job, error);
  if (features)
    recipe->descriptor.length = features->D;
  return features != NULL;
}

/* Components of the images themselves, where there is no model. */
static gboolean
find_components (CliCall *call, Job *job, TosstPca **pca, GError **error)
{
  TosstContext *context = cli_call_context (call);
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Principal components"), 0, NULL);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < job->images->len; i++)
    g_array_append_val (all, i);
  cli_progress_span (progress, context, 0, 1);
  return tosst_local_components (job->recipe, context, all, read_features, job, pca, error);
}

static gboolean
describe_images (Job *job, TosstContext *context, TosstNpyWriter *writer, CliProgress *progress, GError **error)
{
  gsize ranks = cli_ranks () ? (gsize)cli_ranks ()->size : 1;
  gsize chunk = CLAMP (chunk_bytes () / (job->m * sizeof (float)), 1, (job->total + ranks - 1) / ranks);
  g_autofree TosstLocalPart *parts = g_new0 (TosstLocalPart, chunk);

  for (gsize n; job->done < job->total; job->done += n)
    {
      n = MIN (chunk, job->total - job->done);
      g_autofree float *tensors = takes_piece (job) ? g_new (float, n * job->m) : NULL;

      for (gsize i = 0; i < n; i++)
        parts[i].image = (guint)(job->done + i);
      cli_progress_span (progress, context, (double)job->done / job->total, (double)(job->done + n) / job->total);
      if ((tensors
           && !tosst_local_describe (job->recipe, job->pca, context, parts, n, read_features, job, tensors, error))
          || !end_piece (job, g_steal_pointer (&tensors), n, job->done + n == job->total, writer, error))
        return FALSE;
    }
  return TRUE;
}

/* A cancelled computation has no sentence of its own. */
static gboolean
end (gboolean ok, GError **error)
{
  if (ok || !g_error_matches (*error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return ok;
  g_clear_error (error);
  return cli_fail_interrupted (error);
}

static gboolean
describe_all (CliCall *call, Job *job, GFile *output, GError **error)
{
  TosstContext *context = cli_call_context (call);
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Describing"), job->total, _ ("tensors"));
  gsize shape[3] = { job->total, job->matrices ? (gsize)job->d : job->m, (gsize)job->d };
  g_autoptr (TosstNpyWriter) writer = NULL;

  if (!cli_ranks_open (output, TOSST_NPY_FLOAT32, job->matrices ? 3 : 2, shape, &writer, error))
    return FALSE;
  if (job->images->len > 0 && !describe_images (job, context, writer, progress, error))
    return FALSE;
  for (guint i = 0; i < job->sources->len; i++)
    if (!describe_source (job, context, &g_array_index (job->sources, Source, i), writer, progress, error))
      return FALSE;
  return cli_ranks_keep (writer, error);
}

static void
print_result (CliCall *call, const Job *job, double seconds)
{
  JsonObject *object = json_object_new ();
  g_autofree char *text
      = g_strdup_printf (ngettext ("%zu tensor of side %d (%zu numbers) in %.2f s, written to %s",
                                   "%zu tensors of side %d (%zu numbers each) in %.2f s, written to %s", job->total),
                         job->total, job->d, job->m, seconds, cli_call_value (call, "output"));

  json_object_set_int_member (object, "N", job->total);
  json_object_set_int_member (object, "m", job->m);
  json_object_set_int_member (object, "d", job->d);
  json_object_set_double_member (object, "seconds", seconds);
  json_object_set_int_member (object, "threads", cli_call_threads (call));
  cli_call_result (call, object, text);
}

static void
set_shape (Job *job)
{
  TosstShape shape = tosst_recipe_shape (job->recipe);

  job->d = tosst_recipe_dimension (job->recipe);
  job->matrices = shape.kind == TOSST_SHAPE_SYMMETRIC;
  job->m = tosst_shape_numbers (shape);
}

static gboolean
run_patches (CliCall *call, Job *job, GFile *output, GError **error)
{
  TosstFeatureOptions features;
  const char *why;

  tosst_recipe_feature_options (job->recipe, &features);
  why = tosst_feature_options_check (&features);
  if (why && tosst_recipe_has_patches (job->recipe))
    return tosst_fail (error, TOSST_FAILED_INPUT, "%s", why);
  set_shape (job);
  return list_sources (call, job, error) && check_needs (call, job, output, error)
         && describe_all (call, job, output, error);
}

/* pca: of a model, or NULL. */
static gboolean
run_images (CliCall *call, Job *job, TosstRecipe *recipe, const TosstPca *pca, GFile *output, GError **error)
{
  g_autoptr (TosstPca) own = NULL;

  if (!list_images (call, job, error) || !complete (job, recipe, error))
    return FALSE;
  set_shape (job);
  if (job->m > CHUNK_BYTES / sizeof (float))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("tensors of side %d would be too large: set descriptor.pca to a small number"), job->d);
  if (!check_needs (call, job, output, error) || (!pca && !end (find_components (call, job, &own, error), error)))
    return FALSE;
  job->pca = pca ? pca : own;
  return end (describe_all (call, job, output, error), error);
}

/* The recipe of the model, or else of --recipe and --set. */
static TosstRecipe *
find_recipe (CliCall *call, TosstModel **model, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "model");

  if (!file)
    return cli_call_recipe (call, cli_call_value (call, "recipe"), NULL, error);
  if (cli_call_value (call, "recipe") || cli_call_has_settings (call))
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
  g_autoptr (GArray) sources = g_array_new (FALSE, FALSE, sizeof (Source)), images = cli_images_new ();
  Job job = { .recipe = recipe, .sources = sources, .images = images };
  gint64 start = g_get_monotonic_time ();

  if (!recipe || !cli_call_check_outputs (call, outputs, error))
    return FALSE;
  if (tosst_recipe_is_combined (recipe))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("descriptor.kind combined has several descriptors, and no tensors"));
  if (tosst_recipe_has_frames (recipe) && !tosst_recipe_is_local (recipe))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("descriptor.frames must be grid: tosst describe takes patches on a grid"));
  g_array_set_clear_func (sources, source_clear);
  if (!(tosst_recipe_is_local (recipe) ? run_images (call, &job, recipe, model ? model->pca : NULL, output, error)
                                       : run_patches (call, &job, output, error)))
    return FALSE;
  print_result (call, &job, (g_get_monotonic_time () - start) / (double)G_USEC_PER_SEC);
  return TRUE;
}

static const CliOption options[] = {
  { "output", 'o', "T.npy", N_ ("Output file of tensors: float32, one row each; matrices as (N, d, d)"), TRUE },
  { "recipe", 0, "FILE", N_ ("Recipe for describing") },
  { "model", 'm', "M.npz",
    N_ ("Describe by the recipe and the principal components of this model; without it the components of local "
        "features are those of the given images") },
  { "at", 0, "X,Y", N_ ("Only the patch with this top left pixel") },
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
