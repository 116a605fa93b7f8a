/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimate of the memory and the disk space of a run, from sizes only.
 */
#include "core/base/base.h"
#include "core/base/row-file.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/patch-coder.h"
#include "core/method/parts.h"
#include "core/run/private.h"

/* Share of the available memory that a run may use. */
#define MEMORY_SHARE 0.85

/* Larger tensors are not kept in memory even if they fit: other programs share the machine, and reading or
 * describing them again takes little time compared with learning and coding. */
#define RESIDENT_BYTES ((gsize)2500 << 20)

/* Larger signatures are in a file. */
#define SIGNATURE_BYTES ((gsize)1 << 30)

/* The program itself (a run of small images and no products of matrices took 27 MB), and buffers of BLAS of a thread. */
#define PROGRAM_BYTES ((gsize)28 << 20)
#define BLAS_BYTES ((gsize)16 << 20)

/* Planes of float64 of which a texture is described. */
#define COVARIANCE_PLANES 8
#define LBP_PLANES 3

static gsize
program_bytes (const TosstRecipe *recipe, int threads)
{
  return PROGRAM_BYTES + (tosst_recipe_is_texture (recipe, NULL) ? 0 : (gsize)threads * BLAS_BYTES);
}

gsize
tosst_run_largest_image (const TosstPatches *patches)
{
  gsize most = 0;

  for (guint i = 0; i < patches->images; i++)
    most = MAX (most, patches->first[i + 1] - patches->first[i]);
  return most;
}

/* Memory of learning or of coding with a dictionary, the larger of both. */
static gsize
dictionary_bytes (const TosstRecipe *recipe, int classes, const TosstPatches *patches, const TosstLayout *layout,
                  int threads)
{
  TosstMinibatchOptions minibatch;
  TosstLearnOptions options;
  TosstCodingOptions codes;
  gsize m = layout->m, K = (gsize)recipe->dictionary.atoms;
  gsize sample = MIN ((gsize)recipe->dictionary.sample, patches->count);

  tosst_recipe_learn_options (recipe, &options);
  tosst_recipe_coding_options (recipe, &codes);
  codes.memory = tosst_memory_for_coding ();
  gboolean batches = tosst_recipe_minibatch_options (recipe, &minibatch);
  gsize learning = batches ? tosst_minibatch_memory (layout, &options, &minibatch, 0, threads)
                           : sample * m * 4 + tosst_learn_memory (layout, sample, &options, 0, threads);
  gsize coding = tosst_coder_memory (layout, recipe->dictionary.atoms, &codes, threads)
                 + tosst_run_largest_image (patches) * K * 4
                 + patches->samples * (gsize)tosst_recipe_signature_length (recipe) * 8
                 + tosst_atom_usage_bytes (recipe->dictionary.atoms, classes);
  return MAX (learning, coding);
}

/* Largest size of tensors, or of local features, in memory. The environment variable TOSST_RESIDENT_MB overrides it. */
static gsize
most_resident (void)
{
  const char *limit = g_getenv ("TOSST_RESIDENT_MB");

  return limit != NULL ? (gsize)g_ascii_strtoull (limit, NULL, 10) << 20 : RESIDENT_BYTES;
}

gsize
tosst_run_resident_signatures (void)
{
  return MIN (most_resident (), SIGNATURE_BYTES);
}

/* Signatures, copies of those that are compared with, and similarities. */
static gsize
classifier_bytes (const TosstRecipe *recipe, gsize samples, gsize length)
{
  gsize row = length * sizeof (float), most = MIN (samples, TOSST_RUN_EXACT);
  gboolean compares = recipe->classifier.loss == TOSST_LOSS_SQUARES || recipe->classifier.kernel != TOSST_KERNEL_LINEAR;

  return MIN (samples * row, tosst_run_resident_signatures ()) + (compares ? most + TOSST_RUN_ROWS : samples) * row
         + tosst_run_similar_bytes (samples, 1);
}

/* Memory of descriptors as vectors or of their linear maps: of one image, signatures, and the classifier's copies of
 * them; for principal components the training tensors, the components and a Gram matrix. */
static gsize
plain_bytes (const TosstRecipe *recipe, const TosstPatches *patches, const TosstLayout *layout, int threads)
{
  gsize length = (gsize)tosst_recipe_code_length (recipe), m = layout->m;
  gsize sample = MIN ((gsize)recipe->dictionary.sample, patches->count);
  gsize bytes
      = (tosst_run_images_together (recipe) + tosst_run_largest_image (patches) + 64 * (gsize)threads) * length * 4
        + classifier_bytes (recipe, patches->samples, length);

  if (tosst_recipe_coding (recipe) == TOSST_CODING_PROJECTION)
    return bytes + TOSST_PROJECTION_BYTES;
  return tosst_recipe_coding (recipe) == TOSST_CODING_PCA
             ? bytes + (sample + length) * m * 4 + sample * (sample * 8 + length * 4 + 8192)
             : bytes;
}

/* Memory of Fisher vectors: features of an image and vectors of each thread, signatures and the classifier's copies of
 * them, and learning, without the features that are kept. */
static gsize
fisher_bytes (const TosstRecipe *recipe, const TosstPatches *patches, gsize features, int threads)
{
  gsize length = (gsize)tosst_recipe_code_length (recipe), d = (gsize)tosst_recipe_dimension (recipe);
  gsize image = features / MAX (patches->images, 1);
  gsize coding = (gsize)threads * (4 * image + 3 * length * 8);
  gsize learning = (gsize)recipe->coding.gaussian_sample * (d * 4 + 8) + 20 * length * 8
                   + (gsize)recipe->descriptor.pca_sample * 64 * TOSST_SIFT_LENGTH * 4;

  return MAX (coding, learning) + classifier_bytes (recipe, patches->samples, length);
}

/* Decoded images of all threads, with the plane of float64 from which they are reduced. */
static gsize
images_bytes (const TosstRecipe *recipe, TosstDataset *dataset, int threads)
{
  int side = tosst_recipe_longest (recipe);

  return (gsize)threads
         * (tosst_dataset_largest_bytes (dataset, side) + tosst_dataset_largest_pixels (dataset, side) * 8);
}

/* Planes of filter responses of all threads; 0 if the recipe describes no textures. */
static gsize
texture_bytes (const TosstRecipe *recipe, TosstDataset *dataset, int threads)
{
  TosstTexture kind;

  if (!tosst_recipe_is_texture (recipe, &kind))
    return 0;
  gsize block = (gsize)tosst_recipe_block (recipe), longest = TOSST_TEXTURE_LONGEST;
  gsize pixels = block > 0 ? block * block : MIN (tosst_dataset_largest_pixels (dataset, 0), longest * longest);

  gsize planes = kind == TOSST_TEXTURE_LBP ? LBP_PLANES : COVARIANCE_PLANES;
  return (gsize)threads * planes * pixels * sizeof (double);
}

gsize
tosst_run_images_together (const TosstRecipe *recipe)
{
  gsize m = tosst_shape_numbers (tosst_recipe_shape (recipe));
  gsize bytes = m * (gsize)tosst_recipe_code_length (recipe) * sizeof (float);

  return tosst_recipe_coding (recipe) == TOSST_CODING_PROJECTION && bytes > TOSST_PROJECTION_BYTES
             ? 8 * TOSST_RUN_IMAGES
             : TOSST_RUN_IMAGES;
}

gboolean
tosst_run_tensors_may_stay (const TosstRecipe *recipe, TosstDataset *dataset)
{
  gsize patches;

  tosst_patches_bytes_of_recipe (recipe, dataset, &patches);
  return patches * tosst_shape_numbers (tosst_recipe_shape (recipe)) * sizeof (float) <= most_resident ();
}

gsize
tosst_run_features_room (gsize base, gsize available)
{
  return MIN (most_resident (), available / 2 > base ? available / 2 - base : 0);
}

/* The largest checkpoint: state of learning, or signatures. */
static gsize
checkpoint_bytes (const TosstRecipe *recipe, const TosstPatches *patches, const TosstLayout *layout)
{
  gsize K = (gsize)recipe->dictionary.atoms, D = (gsize)layout->D, S = (gsize)layout->S;
  gsize sample = MIN ((gsize)recipe->dictionary.sample, patches->count);
  gsize signatures = patches->samples * (gsize)tosst_recipe_signature_length (recipe) * sizeof (float);
  gsize state = sample * K * sizeof (float);

  if (!tosst_recipe_has_dictionary (recipe))
    return signatures;
  if (recipe->dictionary.solver != TOSST_SOLVER_EXACT)
    state = sample * K * (S + 1) * sizeof (double);
  else if (recipe->dictionary.minibatch > 0)
    state = (K * (layout->m + K) + D * D) * sizeof (double);
  return K * (D + S) * sizeof (double) + MAX (state, signatures);
}

static void
measure_fisher (const TosstRecipe *recipe, TosstDataset *dataset, const TosstPatches *patches, int threads,
                TosstRunEstimate *out)
{
  g_autoptr (GFile) folder = tosst_row_file_folder ();
  gsize features = tosst_local_features_bytes (recipe, dataset);
  gsize images = images_bytes (recipe, dataset, threads);
  gsize detector = (gsize)threads * tosst_local_detector_bytes (recipe, dataset);
  gsize base
      = fisher_bytes (recipe, patches, features, threads) + MAX (images, detector) + program_bytes (recipe, threads);

  out->images = images;
  out->samples = patches->samples;
  out->d = tosst_recipe_dimension (recipe);
  out->available = tosst_memory_available ();
  out->features = MIN (features, tosst_run_features_room (base, out->available));
  out->resident = out->features == features;
  out->bytes = base + out->features;
  /* Without room on the disk features are computed again by each use. */
  if (tosst_disk_has_room (folder, features - out->features))
    out->disk = features - out->features;
  out->files = 2 * patches->samples * (gsize)tosst_recipe_code_length (recipe) * sizeof (float) + out->disk;
}

void
tosst_run_measure (const TosstRecipe *recipe, TosstDataset *dataset, const TosstPatches *patches,
                   const TosstLayout *layout, int threads, TosstRunEstimate *out)
{
  gsize most = most_resident (), tensors = patches->count * layout->m * 4;

  if (!tosst_recipe_has_tensors (recipe))
    {
      measure_fisher (recipe, dataset, patches, threads, out);
      return;
    }
  gsize largest
      = tosst_recipe_is_local (recipe) ? tosst_run_images_together (recipe) : tosst_run_largest_image (patches);
  gsize coding = tosst_recipe_has_dictionary (recipe)
                     ? dictionary_bytes (recipe, (int)dataset->classes->len, patches, layout, threads)
                     : plain_bytes (recipe, patches, layout, threads);
  /* Lists of patches; pixels and description of one image; the program itself. */
  gsize lists = patches->count * sizeof (TosstPoint) + patches->offset[patches->samples] * sizeof (gsize);
  gsize image = largest * 2 * sizeof (gsize), base;

  /* Frames are found in the images of all threads. */
  out->images = tosst_recipe_has_patches (recipe) && !tosst_recipe_has_frames (recipe)
                    ? tosst_dataset_largest_bytes (dataset, 0)
                    : images_bytes (recipe, dataset, threads);
  /* Pixels are decoded before a texture has its planes. */
  base = coding + lists + image + MAX (out->images, texture_bytes (recipe, dataset, threads))
         + program_bytes (recipe, threads);

  out->tensors = patches->count;
  out->samples = patches->samples;
  out->d = layout->d;
  out->available = tosst_memory_available ();
  /* Plain tensors of one split are read once, but those that principal components are learned from. */
  gboolean once = tosst_recipe_is_local (recipe) && !tosst_recipe_has_dictionary (recipe)
                  && tosst_recipe_coding (recipe) != TOSST_CODING_PCA && tosst_dataset_splits (dataset, recipe) == 1;

  out->resident = !once && tensors <= most && (double)(tensors + base) < 0.5 * (double)out->available;
  out->disk = !out->resident && tosst_dataset_splits (dataset, recipe) > 1 ? tensors : 0;
  out->bytes = base + (out->resident ? tensors : largest * layout->m * 4);
  /* A new checkpoint is written before the last one is deleted. */
  out->files = out->disk + 2 * checkpoint_bytes (recipe, patches, layout);
}

static gboolean
is_affordable (const TosstRunEstimate *needs)
{
  return (double)needs->bytes <= MEMORY_SHARE * (double)needs->available;
}

/* Memory of the lists of patches only; FALSE if it exceeds the limit. */
gboolean
tosst_run_measure_lists (const TosstRecipe *recipe, TosstDataset *dataset, TosstRunEstimate *out)
{
  *out = (TosstRunEstimate){ .samples = dataset->samples->len,
                             .d = tosst_recipe_dimension (recipe),
                             .learns = tosst_recipe_has_dictionary (recipe),
                             .available = tosst_memory_available () };
  out->bytes = tosst_patches_bytes_of_recipe (recipe, dataset, &out->tensors);
  return is_affordable (out) && out->tensors <= G_MAXINT;
}

/* The parts of a combination are computed one after another, and each keeps its tensors for the next split. */
static void
estimate_parts (const TosstRecipe *recipe, TosstDataset *dataset, int threads, TosstRunEstimate *out)
{
  g_autoptr (TosstParts) parts = tosst_parts_new (recipe, NULL);
  gsize samples = dataset->samples->len, base = 0;

  *out = (TosstRunEstimate){ .samples = samples, .resident = TRUE, .available = tosst_memory_available () };
  for (guint i = 0; parts != NULL && i < parts->n; i++)
    {
      TosstRunEstimate one;

      tosst_run_estimate (parts->recipe[i], dataset, threads, &one);
      gsize numbers = tosst_shape_numbers (tosst_recipe_shape (parts->recipe[i]));
      gsize kept = one.features + (one.resident && one.features == 0 ? one.tensors * numbers * sizeof (float) : 0);
      out->tensors += one.tensors;
      out->d = MAX (out->d, parts->method[i] == NULL ? one.d : 0);
      out->disk += one.disk;
      out->learns = out->learns || one.learns;
      out->resident = out->resident && one.resident;
      out->images = MAX (out->images, one.images);
      out->bytes
          += kept
             + MIN (samples * samples / 2 * sizeof (double), tosst_run_similar_bytes (samples, parts->n) / parts->n);
      base = MAX (base, one.bytes > kept ? one.bytes - kept : one.bytes);
    }
  out->bytes += base;
}

void
tosst_run_estimate (const TosstRecipe *recipe, TosstDataset *whole, int threads, TosstRunEstimate *out)
{
  if (tosst_recipe_has_parts (recipe))
    {
      estimate_parts (recipe, whole, threads, out);
      return;
    }

  g_autoptr (TosstDataset) used = tosst_dataset_of_run (whole, recipe, NULL);
  TosstDataset *dataset = used != NULL ? used : whole;
  g_autoptr (GArray) train = NULL, test = NULL;

  if (!tosst_run_measure_lists (recipe, dataset, out))
    return;
  /* The regions of training images are tensors, too. */
  if (tosst_recipe_has_split_tensors (recipe))
    tosst_dataset_split (dataset, recipe, 0, &train, &test, NULL);
  g_autoptr (TosstPatches) patches = tosst_patches_of_recipe (recipe, dataset, train);
  TosstLayout *layout = tosst_layout_new_shape (tosst_recipe_shape (recipe));
  tosst_run_measure (recipe, dataset, patches, layout, threads, out);
  tosst_layout_free (layout);
}

gboolean
tosst_run_fits (const TosstRunEstimate *needs, GError **error)
{
  if (is_affordable (needs) && needs->tensors <= G_MAXINT)
    return TRUE;
  g_autofree char *needed = g_format_size (needs->bytes), *available = g_format_size (needs->available);
  g_autofree char *images = g_format_size (needs->images);

  if (needs->images > needs->bytes / 2)
    return tosst_fail (error, TOSST_FAILED_MEMORY,
                       _ ("this run needs %s of memory, %s of it for decoded images, and %s are available: use fewer "
                          "threads, or smaller images"),
                       needed, images, available);
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY,
               needs->learns ? _ (
                   "this run needs %s of memory and %s are available: lower dictionary.atoms, dictionary.sample or "
                   "descriptor.pivots, or raise descriptor.step")
                             : _ ("this run needs %s of memory and %s are available: lower descriptor.pivots, or raise "
                                  "descriptor.step"),
               needed, available);
  return FALSE;
}

gboolean
tosst_run_fits_disk (const TosstRunEstimate *needs, GFile *workspace, GError **error)
{
  g_autoptr (GFile) folder = workspace ? g_file_get_parent (workspace) : tosst_row_file_folder ();

  /* Where no file can be written, tensors are described again by each split. */
  if (needs->disk == 0 || tosst_disk_free (folder) == 0 || tosst_disk_has_room (folder, needs->disk))
    return TRUE;
  g_autofree char *free = g_format_size (tosst_disk_free (folder));
  g_autofree char *wanted = g_format_size (needs->disk), *place = g_file_get_parse_name (folder);

  return tosst_fail (error, TOSST_FAILED_OUTPUT,
                     _ ("this run would write %s of tensors to %s, where %s are free: raise descriptor.step, or set "
                        "dataset.splits to 1"),
                     wanted, place, free);
}
