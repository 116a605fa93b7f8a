/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/describer.h"

#include "cli/ranks.h"
#include "core/base/base.h"
#include "core/data/feature-files.h"
#include "core/data/frames.h"
#include "core/data/lists.h"
#include "core/dictionary/patch-coder.h"
#include "core/image/files.h"
#include "core/image/probe.h"
#include "core/local/texture-vectors.h"

TOSST_DEFINE_CLEAR (CliImage, image_clear, (file, g_object_unref), (id, g_free))

GArray *
cli_images_new (void)
{
  GArray *images = g_array_new (FALSE, FALSE, sizeof (CliImage));

  g_array_set_clear_func (images, image_clear);
  return images;
}

static gboolean
is_folder (GFile *file)
{
  return g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY;
}

/* The folder of the images of an operand; NULL: it is a file. New. */
static GFile *
find_folder (GFile *operand)
{
  g_autofree char *name = g_file_get_basename (operand);
  g_autoptr (GFile) folder = is_folder (operand)                               ? (GFile *)g_object_ref (operand)
                             : name != NULL && g_str_has_suffix (name, ".csv") ? g_file_get_parent (operand)
                                                                               : NULL;
  g_autoptr (GFile) root = folder != NULL ? tosst_voc_find (folder) : NULL;
  g_autoptr (GFile) images = folder != NULL ? g_file_get_child (root != NULL ? root : folder, "JPEGImages") : NULL;
  gboolean several = folder != NULL && tosst_dataset_guess_kind (operand) != TOSST_DATASET_FOLDERS;

  return several && is_folder (images) ? g_steal_pointer (&images) : g_steal_pointer (&folder);
}

static void
add (GArray *images, GFile *file, const char *name)
{
  CliImage image = { g_object_ref (file), tosst_feature_files_id (name) };

  g_array_append_val (images, image);
}

gboolean
cli_images_add (GArray *images, GFile *operand, gboolean features, GError **error)
{
  g_autoptr (GFile) folder = find_folder (operand);
  g_autoptr (GPtrArray) files
      = folder != NULL ? tosst_image_files_list (folder, tosst_image_files_is_any, error) : NULL;

  if (folder == NULL)
    {
      g_autofree char *name = g_file_get_basename (operand);

      add (images, operand, name);
      return TRUE;
    }
  if (files != NULL && files->len == 0 && features)
    {
      g_ptr_array_unref (files);
      files = tosst_feature_files_list (folder, error);
    }
  for (guint i = 0; files != NULL && i < files->len; i++)
    {
      g_autofree char *name = g_file_get_relative_path (folder, files->pdata[i]);

      add (images, files->pdata[i], name);
    }
  return files != NULL;
}

char *
cli_images_unfound (guint n)
{
  return n > 0 ? g_strdup_printf (
             ngettext ("no frame was found in %u image: it is described by one patch in its middle\n",
                       "no frame was found in %u images: each is described by one patch in its middle\n", n),
             n)
               : NULL;
}

/* Bytes of tensors per piece. */
#define CHUNK_BYTES (128u << 20)

typedef struct
{
  GFile *file;
  char *name;
  int width, height;
  gsize first, n, bytes; /* first tensor and number of patches; memory of image and patches */
  GBytes *frames;        /* n TosstFrame; NULL: on a grid */
} Source;

TOSST_DEFINE_CLEAR (Source, source_clear, (file, g_object_unref), (frames, g_bytes_unref), (name, g_free))

/* Patches on a grid. */
static TosstPoint *
place_patches (const Source *source, const CliDescriber *self)
{
  TosstPoint *points = g_new0 (TosstPoint, source->n);

  if (self->at.x >= 0)
    points[0] = self->at;
  else if (tosst_recipe_has_patches (self->recipe))
    tosst_patch_grid (source->width, source->height, self->recipe->descriptor.patch, self->recipe->descriptor.step,
                      points);
  return points;
}

/* The first image, often the only one, is read at once, for its pixels are the next that are needed. */
static gboolean
read_size (Source *source, CliDescriber *self, GError **error)
{
  int side = tosst_recipe_longest (self->recipe), n;
  TosstImageProbe probe;

  if (self->sources->len == 0)
    {
      self->image = tosst_image_read_for (source->file, side, 0, error);
      if (!self->image)
        return FALSE;
      source->width = self->image->width;
      source->height = self->image->height;
      source->bytes = (gsize)source->width * (gsize)source->height * (gsize)self->image->channels * sizeof (float);
      return TRUE;
    }
  if (!tosst_image_probe (source->file, &probe, error))
    return FALSE;
  n = tosst_image_probe_divisor (&probe, side, 0);
  source->width = (probe.width + n - 1) / n;
  source->height = (probe.height + n - 1) / n;
  source->bytes = tosst_image_probe_bytes (&probe, n);
  return tosst_image_probe_fits (&probe, source->name, n, 0, error);
}

static gboolean
measure_source (Source *source, CliDescriber *self, GError **error)
{
  if (!read_size (source, self, error))
    return FALSE;

  /* Kinds lbp, image-covariance and invariant-covariance describe an image by one vector. */
  source->n = 1;
  if (!tosst_recipe_has_patches (self->recipe))
    return TRUE;

  const TosstPoint *at = &self->at;
  int patch = self->recipe->descriptor.patch, step = self->recipe->descriptor.step;

  if (tosst_recipe_has_frames (self->recipe))
    {
      source->bytes += tosst_frames_bytes (self->recipe, source->width, source->height);
      return (at->x < source->width && at->y < source->height)
             || tosst_fail (error, TOSST_FAILED_INPUT, _ ("%d,%d is outside of %s, which is %d × %d pixels"), at->x,
                            at->y, source->name, source->width, source->height);
    }
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

/* Patches first, first + 1 ... of an image. */
static gboolean
describe_patches (const CliDescriber *self, TosstContext *context, const Source *source, gsize first, gsize n,
                  float *tensors, GError **error)
{
  if (!tosst_recipe_has_patches (self->recipe))
    return tosst_describe_texture (self->recipe, self->image, NULL, n, source->name, tensors, error);
  g_autofree TosstPoint *points = source->frames ? NULL : place_patches (source, self);
  const TosstFrame *frames = source->frames ? g_bytes_get_data (source->frames, NULL) : NULL;
  TosstStatus status = frames ? tosst_describe_frames (self->recipe, context, self->image, frames + first, n, tensors)
                              : tosst_describe_patches (self->recipe, context, self->image, points + first, n, tensors);

  return cli_check_status (context, source->name, status, error);
}

/* New; NULL with error. */
static TosstImage *
read_image (const CliDescriber *self, const Source *source, GError **error)
{
  g_autoptr (TosstImage) image = tosst_image_read_for (source->file, tosst_recipe_longest (self->recipe), 0, error);

  if (!image || (image->width == source->width && image->height == source->height))
    return g_steal_pointer (&image);
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s changed while it was read"), source->name), NULL;
}

static TosstFeatures *
read_features (guint image, gpointer data, GError **error)
{
  const CliDescriber *self = data;
  const CliImage *source = &g_array_index (self->images, CliImage, image);

  return tosst_local_features_of_file (self->recipe, source->file, source->id, error);
}

/* The name of an image that an operand names, or of one in a folder that it names. */
static char *
name_of (const CliImage *image, const char *operand)
{
  g_autoptr (GFile) folder = g_file_new_for_commandline_arg (operand);
  g_autofree char *path = g_file_get_relative_path (folder, image->file);

  if (g_file_equal (folder, image->file))
    return g_strdup (operand);
  return path ? g_build_filename (operand, path, NULL) : g_file_get_parse_name (image->file);
}

/* Lists all images first, so that errors occur before any computation. */
static gboolean
list_images (CliDescriber *self, CliCall *call, GError **error)
{
  gboolean features = self->recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES;

  for (guint i = 0; i < call->operands; i++)
    {
      const char *operand = call->operand[i];
      g_autoptr (GFile) file = g_file_new_for_commandline_arg (operand);
      guint before = self->images->len;

      if (!cli_images_add (self->images, file, features, error))
        return FALSE;
      if (self->images->len == before)
        return tosst_fail_input (error, operand, _ ("has no images"));
      for (guint k = before; k < self->images->len && !self->is_local; k++)
        {
          const CliImage *image = &g_array_index (self->images, CliImage, k);
          Source source = { .file = g_object_ref (image->file), .name = name_of (image, operand) };
          gboolean ok = measure_source (&source, self, error);

          g_array_append_val (self->sources, source);
          if (!ok)
            return FALSE;
        }
    }
  return TRUE;
}

static gsize
most_bytes (const CliDescriber *self)
{
  gsize most = 0;

  for (guint i = 0; i < self->sources->len; i++)
    most = MAX (most, g_array_index (self->sources, Source, i).bytes);
  return most;
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

/* Finding the frames of images. */
typedef struct
{
  const CliDescriber *describer;
  GBytes **frames;     /* of each image */
  gsize first, stride; /* numbers of images */
  gint unfound;        /* atomic */
  GError *error;       /* atomic: of the first image that failed */
} Finding;

static TosstStatus
find_frames (size_t item, int worker, void *data)
{
  Finding *self = data;
  const CliDescriber *describer = self->describer;
  gsize number = self->first + item * self->stride, n = 0;
  const Source *source = &g_array_index (describer->sources, Source, number);
  g_autoptr (GError) error = NULL;
  /* The first image is there already. */
  g_autoptr (TosstImage) own = number > 0 ? read_image (describer, source, &error) : NULL;
  const TosstImage *image = number > 0 ? own : describer->image;
  gboolean found = TRUE;
  TosstFrame *frames
      = image ? tosst_frames_of_image (describer->recipe, image, &n, &found, source->name, &error) : NULL;

  if (!frames)
    return tosst_local_end_task (&self->error, g_steal_pointer (&error));
  if (!found)
    g_atomic_int_inc (&self->unfound);
  if (describer->at.x >= 0)
    {
      frames[0] = frames[tosst_frames_nearest (frames, n, describer->at.x, describer->at.y)];
      n = 1;
    }
  self->frames[number] = g_bytes_new_take (frames, n * sizeof *frames);
  return TOSST_OK;
}

/* Those of every image of this process, side by side as far as there is memory for them. */
static gboolean
find_own (Finding *self, CliCall *call, gsize most, GError **error)
{
  TosstContext *context = cli_call_context (call);
  gsize images = self->describer->sources->len;
  gsize own = self->first < images ? (images - self->first - 1) / self->stride + 1 : 0;
  gsize threads = (gsize)call->threads, some = threads * most < tosst_memory_available () / 2 ? own : 1;
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Finding frames"), own, _ ("images"));
  TosstStatus status = TOSST_OK;

  for (gsize i = 0; i < own && status == TOSST_OK; i += some, self->first += some * self->stride)
    {
      cli_progress_span (progress, context, (double)i / (double)own, (double)(i + some) / (double)own);
      status = tosst_parallel (context, some, find_frames, self, 0, 1);
    }
  return end (tosst_local_end_parallel (status, context, &self->error, _ ("Finding frames"), error), error);
}

static gboolean
find_all (CliDescriber *self, CliCall *call, GError **error)
{
  TosstRanks *ranks = cli_ranks ();
  guint images = self->sources->len;
  g_autofree GBytes **frames = g_new0 (GBytes *, images + 1);
  Finding finding = { self, frames, ranks ? (gsize)ranks->rank : 0, ranks ? (gsize)ranks->size : 1, 0, NULL };
  gboolean ok = cli_ranks_spread (frames, images, find_own (&finding, call, most_bytes (self), error), error);

  for (guint i = 0; i < images; i++)
    {
      Source *source = &g_array_index (self->sources, Source, i);

      source->frames = frames[i];
      source->n = ok ? g_bytes_get_size (frames[i]) / sizeof (TosstFrame) : 0;
      source->bytes += source->n * sizeof (TosstFrame);
    }
  double unfound = finding.unfound;
  ok = ok && cli_ranks_sum (&unfound, 1, error);
  self->unfound = (guint)unfound;
  return ok;
}

/* Finds out how many tensors there are. */
static gboolean
count_tensors (CliDescriber *self, CliCall *call, GError **error)
{
  if (self->is_local)
    {
      self->total = self->images->len;
      return TRUE;
    }
  if (tosst_recipe_has_frames (self->recipe) && !find_all (self, call, error))
    return FALSE;
  TOSST_FOR_EACH (Source, source, self->sources)
    {
      source->first = self->total;
      self->total += source->n;
    }
  if (self->unfound > 0 && cli_is_writer () && !cli_call_flag (call, "quiet") && !cli_call_flag (call, "json"))
    {
      g_autofree char *text = cli_images_unfound (self->unfound);

      cli_print (stdout, "%s", text);
    }
  return TRUE;
}

/* Completes the recipe by what the first image tells. */
static gboolean
complete (CliDescriber *self, TosstRecipe *recipe, GError **error)
{
  TosstSiftOptions sift;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT)
    return tosst_recipe_sift_options (recipe, &sift, error);
  if (recipe->descriptor.length > 0)
    return TRUE;
  g_autoptr (TosstFeatures) features = read_features (0, self, error);
  if (features)
    recipe->descriptor.length = features->D;
  return features != NULL;
}

gboolean
cli_describer_find_components (CliDescriber *self, CliCall *call, GError **error)
{
  if (!self->is_local || self->pca)
    return TRUE;

  TosstContext *context = cli_call_context (call);
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Principal components"), 0, NULL);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < self->images->len; i++)
    g_array_append_val (all, i);
  cli_progress_span (progress, context, 0, 1);
  if (!end (tosst_local_components (self->recipe, context, NULL, all, NULL, read_features, self, &self->own_pca, error),
            error))
    return FALSE;
  self->pca = self->own_pca;
  return TRUE;
}

static gboolean
check_recipe (const TosstRecipe *recipe, GError **error)
{
  TosstFeatureOptions features;

  if (tosst_recipe_is_combined (recipe))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("descriptor.kind combined has several descriptors, and no tensors"));
  if (tosst_recipe_is_local (recipe))
    return TRUE;
  tosst_recipe_feature_options (recipe, &features);
  const char *why = tosst_recipe_has_patches (recipe) ? tosst_feature_options_check (&features) : NULL;
  return !why || tosst_fail (error, TOSST_FAILED_INPUT, "%s", why);
}

static gboolean
set_shape (CliDescriber *self, GError **error)
{
  TosstShape shape = tosst_recipe_shape (self->recipe);

  self->d = tosst_recipe_dimension (self->recipe);
  self->matrices = shape.kind == TOSST_SHAPE_SYMMETRIC;
  self->m = tosst_shape_numbers (shape);
  if (!self->is_local || self->m <= CHUNK_BYTES / sizeof (float))
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_RECIPE,
                     _ ("tensors of side %d would be too large: set descriptor.pca to a small number"), self->d);
}

CliDescriber *
cli_describer_new (CliCall *call, TosstRecipe *recipe, const TosstPca *pca, const TosstPoint *at, GError **error)
{
  g_autoptr (CliDescriber) self = g_new0 (CliDescriber, 1);

  self->recipe = recipe;
  self->pca = pca;
  self->at = at ? *at : (TosstPoint){ -1, -1 };
  self->is_local = tosst_recipe_is_local (recipe);
  self->images = cli_images_new ();
  self->sources = g_array_new (FALSE, FALSE, sizeof (Source));
  g_array_set_clear_func (self->sources, source_clear);
  if (!check_recipe (recipe, error) || !list_images (self, call, error)
      || (self->is_local && !complete (self, recipe, error)) || !set_shape (self, error)
      || !count_tensors (self, call, error))
    return NULL;
  return g_steal_pointer (&self);
}

TOSST_DEFINE_PUBLIC_FREE (CliDescriber, cli_describer_free, CliDescriber *, (images, g_array_unref),
                          (sources, g_array_unref), (image, tosst_image_free), (own_pca, tosst_pca_free))

gsize
cli_describer_memory (const CliDescriber *self)
{
  gsize chunk = MIN (CHUNK_BYTES, self->total * self->m * sizeof (float));

  return most_bytes (self) + (self->matrices ? 3 : 1) * chunk + ((gsize)100 << 20);
}

gboolean
cli_describer_next (const CliDescriber *self, CliPiece *piece)
{
  gsize ranks = cli_ranks () ? (gsize)cli_ranks ()->size : 1,
        most = (cli_ranks () ? CLI_RANKS_BYTES : CHUNK_BYTES) / (self->m * sizeof (float));

  piece->first += piece->n;
  if (piece->first >= self->total)
    return FALSE;
  if (self->is_local)
    {
      piece->n = MIN (CLAMP (most, 1, (self->total + ranks - 1) / ranks), self->total - piece->first);
      return TRUE;
    }
  const Source *source = &g_array_index (self->sources, Source, piece->image);

  if (piece->first == source->first + source->n)
    source = &g_array_index (self->sources, Source, ++piece->image);
  piece->n = MIN (MAX (1, most), source->first + source->n - piece->first);
  return TRUE;
}

/* Tensors of whole images, by their numbers. */
static gboolean
describe_images (CliDescriber *self, TosstContext *context, const gsize *number, gsize first, gsize n, float *tensors,
                 GError **error)
{
  g_autofree TosstLocalPart *parts = g_new0 (TosstLocalPart, n);

  for (gsize i = 0; i < n; i++)
    parts[i].image = (guint)(number ? number[first + i] : first + i);
  return end (tosst_local_describe (self->recipe, self->pca, context, parts, n, read_features, self, tensors, error),
              error);
}

gboolean
cli_describer_compute (CliDescriber *self, TosstContext *context, const CliPiece *piece, float *tensors, GError **error)
{
  if (self->is_local)
    return describe_images (self, context, NULL, piece->first, piece->n, tensors, error);

  const Source *source = &g_array_index (self->sources, Source, piece->image);

  /* The image of the last piece is kept for the next one. */
  if (!self->image || self->loaded != piece->image)
    {
      g_clear_pointer (&self->image, tosst_image_free);
      self->image = read_image (self, source, error);
      self->loaded = piece->image;
    }
  return self->image != NULL
         && describe_patches (self, context, source, piece->first - source->first, piece->n, tensors, error);
}

static gsize
row_of (const gsize *number, gsize i)
{
  return number ? number[i] : i;
}

gboolean
cli_describer_rows (CliDescriber *self, CliCall *call, const gsize *number, gsize first, gsize n, float *out,
                    GError **error)
{
  TosstContext *context = cli_call_context (call);
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Describing"), n, _ ("tensors"));
  CliPiece piece = { 0 };
  gsize m = self->m;

  cli_progress_span (progress, context, 0, 1);
  if (self->is_local)
    return describe_images (self, context, number, first, n, out, error);
  /* As the tensors of a piece depend on each other in their last bits, whole pieces are computed. */
  for (gsize done = 0, end = 0; done < n && cli_describer_next (self, &piece);)
    {
      while (end < n && row_of (number, first + end) < piece.first + piece.n)
        end++;
      if (end == done)
        continue;
      g_autofree float *tensors = g_new (float, piece.n *m);
      cli_progress_span (progress, context, (double)done / n, (double)end / n);
      if (!cli_describer_compute (self, context, &piece, tensors, error))
        return FALSE;
      for (; done < end; done++)
        memcpy (out + done * m, tensors + (row_of (number, first + done) - piece.first) * m, sizeof *out * m);
    }
  return TRUE;
}
