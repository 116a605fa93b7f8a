/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signatures from tensors: the codes of each image are computed, pooled immediately and, for runs with different
 * pooling, cached without zeros. Fisher vectors are signatures at once.
 */
#include <sys/mman.h>

#include "core/base/base.h"
#include "core/dictionary/patch-coder.h"
#include "core/run/private.h"

/* Codes of a split whose certificates are evaluated in float64, the first ones: for all of them it would take a
 * quarter of the time of coding. */
#define CERTIFIED_CODES 1024

/* State of coding a data set. */
typedef struct
{
  TosstRun *run;
  const TosstLearned *learned; /* NULL without a dictionary */
  TosstSignatures *signatures;
  TosstFisher *fisher;    /* of Fisher vectors, which have no codes; or NULL */
  float *codes, *scratch; /* of one image: codes, and tensors if they are not in memory */
  TosstCodes *kept;       /* codes for the cache, or NULL */
  guint saved;            /* number of images in the last checkpoint */
  double *shares;         /* of each image in the mean of non-zeros; TOSST_NOT_CODED */
  gboolean ended;         /* all processes have all signatures */
} Coding;

/* Number of the first code of an image among all. */
static gsize
first_code (const TosstRun *self, guint image)
{
  return tosst_recipe_is_local (self->recipe) ? image : self->patches->first[image];
}

gsize
tosst_run_count_codes (const TosstRun *self)
{
  return first_code (self, self->patches->images);
}

/* Codes of images that are pooled together. */
#define PAIRED_BYTES ((gsize)32 << 20)

/* Codes that are in memory at once, of one image at least. */
static gsize
most_codes (const TosstRun *self)
{
  if (tosst_recipe_is_local (self->recipe))
    return tosst_run_images_together (self->recipe);
  return MAX (tosst_run_largest_image (self->patches),
              tosst_recipe_pools_pairs (self->recipe) ? PAIRED_BYTES / (self->codes * sizeof (float)) : 1);
}

/* Images coded together, from `image` to `end` at most: several of local features, which have one code each, and of pairs
 * of atoms, whose eigenvalue problems are solved side by side. shares: those of coded images end a group; or NULL. */
static guint
images_at_a_time (const TosstRun *self, guint image, guint end, const double *shares)
{
  gsize most = most_codes (self);
  guint next = image + 1;

  if (!tosst_recipe_is_local (self->recipe) && !tosst_recipe_pools_pairs (self->recipe))
    return 1;
  while (next < end && first_code (self, next + 1) - first_code (self, image) <= most
         && (shares == NULL || !tosst_is_coded (shares[next])))
    next++;
  return next - image;
}

/* Codes one image, or several of local features. */
static gboolean
code_images (TosstRun *self, const TosstPatchCoder *coder, guint image, guint images, float *scratch, float *codes,
             TosstCodingReport *report, GError **error)
{
  gsize first = first_code (self, image), n = first_code (self, image + images) - first,
        all = tosst_run_count_codes (self);

  tosst_run_part (self, (double)first / all, (double)(first + n) / all);
  const float *tensors = tosst_run_tensors_of_images (self, image, images, scratch, error);
  if (tensors == NULL)
    return FALSE;
  TosstStatus status = tosst_patch_coder_code (coder, self->context, tensors, n, codes, report);
  if (status == TOSST_OK && first < CERTIFIED_CODES)
    status = tosst_patch_coder_certify (coder, self->context, tensors, MIN (n, CERTIFIED_CODES - first), codes, report);
  return tosst_error_from_status (status, self->context, _ ("Coding"), error);
}

/* Usage of atoms by sparse codes in the first split; requires that all of its codes are computed or expanded here. */
static void
begin_usage (Coding *self, gboolean restored)
{
  TosstRun *run = self->run;

  g_clear_pointer (&run->atom_usage, tosst_atom_usage_unref);
  if (run->split == 0 && tosst_recipe_coding (run->recipe) == TOSST_CODING_SPARSE && !restored
      && run->options->ranks == NULL)
    run->atom_usage = tosst_atom_usage_new (self->learned->dictionary->K, (int)run->dataset->classes->len);
}

/* Sums in the order of images, which does not depend on where and when they were coded. */
static void
sum_shares (Coding *self)
{
  self->signatures->mean_nonzeros = 0;
  for (guint i = 0; i < self->run->patches->images; i++)
    if (tosst_is_coded (self->shares[i]))
      self->signatures->mean_nonzeros += self->shares[i];
}

/* Saves a checkpoint after a number of images; immediately after cancelling. */
static void
save (Coding *self, guint images, gboolean at_once)
{
  TosstRun *run = self->run;

  if (!(at_once ? tosst_run_has_checkpoints (run) : tosst_run_checkpoint_is_due (run)))
    return;
  sum_shares (self);
  tosst_run_save_coded (run, self->learned, self->signatures, images, self->shares, NULL);
  self->saved = images;
}

/* The images that an earlier run has coded; returns the number of the first other one. Their shares are all in that of
 * the first one where only the sum is known. */
static guint
restore (Coding *self)
{
  TosstRun *run = self->run;
  const TosstCheckpoint *checkpoint = run->checkpoint;
  guint images = run->patches->images, coded = 0;

  if (checkpoint != NULL && checkpoint->images <= images)
    coded = checkpoint->images;
  if (coded > 0)
    {
      memcpy (self->signatures->values, checkpoint->signatures, checkpoint->numbers * sizeof (float));
      self->signatures->worst_kkt = checkpoint->worst_kkt;
      self->signatures->mean_nonzeros = checkpoint->nonzeros;
    }
  for (guint i = 0; i < images; i++)
    self->shares[i] = i < coded ? 0 : TOSST_NOT_CODED;
  if (coded > 0 && checkpoint->n_shares == images)
    memcpy (self->shares, checkpoint->shares, sizeof *self->shares * images);
  else if (coded > 0)
    self->shares[0] = self->signatures->mean_nonzeros;
  if (run->options->ranks != NULL)
    tosst_run_keep_own (run, self->signatures, self->shares);
  for (coded = 0; coded < images && tosst_is_coded (self->shares[coded]);)
    coded++;
  return coded;
}

/* Images to pool, and the codes of the first of them. */
typedef struct
{
  Coding *coding;
  guint image;
} Pooling;

static const float *
codes_of (const Coding *self, guint from, guint image)
{
  return self->codes + (first_code (self->run, image) - first_code (self->run, from)) * self->run->codes;
}

/* Pools the codes of one image's patches for each of its samples. */
static TosstStatus
pool_one (size_t i, int worker, void *data)
{
  const Pooling *pooling = data;
  const TosstRun *self = pooling->coding->run;
  const TosstSignatures *signatures = pooling->coding->signatures;
  guint image = pooling->image + (guint)i;
  const float *codes = codes_of (pooling->coding, pooling->image, image);
  const TosstPatches *patches = self->patches;
  TosstStatus status = TOSST_OK;

  for (gsize s = patches->by_image[image]; s < patches->by_image[image + 1] && status == TOSST_OK; s++)
    {
      guint sample = patches->sample[s];
      gsize n = patches->offset[sample + 1] - patches->offset[sample];
      g_autofree gsize *rows = g_new (gsize, n);
      float *out = signatures->values + sample * self->length;

      /* Nothing was found in the sample. */
      if (n == 0)
        {
          memset (out, 0, self->length * sizeof *out);
          continue;
        }
      for (gsize k = 0; k < n; k++)
        rows[k] = patches->member[patches->offset[sample] + k] - patches->first[image];
      status = tosst_recipe_pool_codes (self->recipe, codes, (int)self->codes, rows, n, out);
      tosst_signatures_release (signatures, self->length, sample, 1);
    }
  return status;
}

/* Pools the codes of some images, and counts the use of atoms in them. */
static gboolean
pool_images (Coding *self, guint image, guint images, GError **error)
{
  Pooling pooling = { self, image };
  TosstRun *run = self->run;
  double work = tosst_recipe_pools_pairs (run->recipe) ? images * pow ((double)run->codes, 3) : 0;

  if (!tosst_error_from_status (tosst_parallel_work (run->context, images, work, pool_one, &pooling), run->context,
                                _ ("Pooling"), error))
    return FALSE;
  /* The patches that use an atom most are shown in the images of the data set. */
  for (guint i = image; i < image + images; i++)
    if (run->atom_usage != NULL && run->split == 0 && i < tosst_dataset_own_images (run->dataset))
      tosst_atom_usage_add (run->atom_usage, codes_of (self, image, i), tosst_run_coded_patches (run, i),
                            run->patches->points + run->patches->first[i], i,
                            tosst_dataset_image (run->dataset, i)->class_index);
  return TRUE;
}

/* Codes images i .. i + images - 1. */
static gboolean
code_some (Coding *self, const TosstPatchCoder *coder, guint i, guint images, GError **error)
{
  TosstRun *run = self->run;
  TosstSignatures *sum = self->signatures;
  gsize first = first_code (run, i), n = first_code (run, i + images) - first;
  guint together = tosst_recipe_is_local (run->recipe) ? images : 1;

  if (self->fisher != NULL)
    {
      tosst_run_part (run, (double)i / run->patches->images, (double)(i + images) / run->patches->images);
      for (guint k = i; k < i + images; k++)
        self->shares[k] = NAN; /* they have no non-zeros */
      return tosst_run_fisher_images (run, sum, self->fisher, i, images, error);
    }
  for (guint k = i; k < i + images; k += together)
    {
      TosstCodingReport report = { 0 };
      gsize count = first_code (run, k + together) - first_code (run, k);

      if (count > 0
          && !code_images (run, coder, k, together, self->scratch,
                           self->codes + (first_code (run, k) - first) * run->codes, &report, error))
        return FALSE;
      /* NaN, the value without any solved problem, is kept. */
      if (!(sum->worst_kkt > report.worst_kkt))
        sum->worst_kkt = report.worst_kkt;
      for (guint image = k; image < k + together; image++)
        self->shares[image]
            = image > k ? 0 : report.mean_nonzeros * (double)count / (double)tosst_run_count_codes (run);
    }
  if (n > 0 && !pool_images (self, i, images, error))
    return FALSE;
  if (self->kept != NULL && n > 0)
    tosst_codes_append (self->kept, self->codes, n);
  return TRUE;
}

/* All processes have the signatures of all: once at the end or, with checkpoints, whenever one of them has coded for the
 * interval. Process 0 saves. Those that have coded their images wait here. */
static gboolean
meet (Coding *self, GError **error)
{
  TosstRun *run = self->run;
  gint64 start = g_get_monotonic_time ();

  if (!tosst_run_share_signatures (run, self->signatures, self->shares, &self->ended, error))
    return FALSE;
  if (self->ended)
    return TRUE;
  sum_shares (self);
  tosst_run_save_coded (run, self->learned, self->signatures, run->patches->images, self->shares, NULL);
  tosst_run_saved (run, start);
  tosst_run_keep_own (run, self->signatures, self->shares);
  return TRUE;
}

/* After images of this process; last: it has no more. They may have met after the last image of all: then the signatures
 * are sums already. */
static gboolean
go_on (Coding *self, guint images, gboolean last, GError **error)
{
  TosstRun *run = self->run;

  if (run->options->ranks == NULL)
    {
      if (!last)
        save (self, images, FALSE);
      return TRUE;
    }
  if (!last)
    return !tosst_run_checkpoint_is_due (run) || meet (self, error);
  while (!self->ended)
    if (!meet (self, error))
      return FALSE;
  return TRUE;
}

static gboolean
code_all (Coding *self, GError **error)
{
  TosstRun *run = self->run;
  g_autoptr (TosstPatchCoder) coder = NULL;
  TosstStatus status = self->fisher != NULL ? TOSST_OK
                                            : tosst_patch_coder_new (run->recipe, run->context,
                                                                     tosst_run_dictionary (run, self->learned), &coder);
  g_autofree double *shares = self->shares = g_new (double, run->patches->images);
  guint first = self->saved = restore (self), end = run->source->image + run->source->images;
  gboolean restored = run->checkpoint != NULL && run->checkpoint->images > 0;
  gboolean fine = tosst_error_from_status (status, run->context, _ ("Coding"), error);

  self->ended = FALSE;
  if (!fine)
    {
      if (run->options->ranks == NULL)
        save (self, first, TRUE);
      return FALSE;
    }
  if (coder != NULL)
    tosst_patch_coder_set_components (coder, run->components);
  /* The codes of the restored images are not available. */
  begin_usage (self, restored);
  if (restored)
    g_clear_pointer (&self->kept, tosst_codes_free);
  for (guint i = MAX (first, run->source->image), images; i < end; i += images)
    {
      images = 1;
      if (tosst_is_coded (shares[i]))
        continue;
      images = images_at_a_time (run, i, end, shares);
      fine = code_some (self, coder, i, images, error);
      if (!fine && run->options->ranks == NULL)
        save (self, i, TRUE);
      if (!fine || !go_on (self, i + images, FALSE, error))
        return FALSE;
    }
  if (!go_on (self, end, TRUE, error))
    return FALSE;
  sum_shares (self);
  /* Training may take long, too: the codes of a long stage are saved before it. */
  if (self->saved != run->patches->images
      && tosst_context_seconds (run->context) - run->stage_start >= run->options->interval)
    save (self, run->patches->images, TRUE);
  return TRUE;
}

TOSST_DEFINE_PUBLIC_FREE (TosstCachedCodes, tosst_cached_codes_free, gpointer, (codes, tosst_codes_free))

static gboolean
pool_all (Coding *self, const TosstCachedCodes *kept, GError **error)
{
  TosstRun *run = self->run;

  self->signatures->worst_kkt = kept->worst_kkt;
  self->signatures->mean_nonzeros = kept->mean_nonzeros;
  begin_usage (self, FALSE);
  for (guint i = 0, images; i < run->patches->images; i += images)
    {
      if (tosst_context_checkpoint (run->context))
        return tosst_error_from_status (TOSST_CANCELLED, run->context, _ ("Pooling"), error);
      images = images_at_a_time (run, i, run->patches->images, NULL);
      tosst_codes_expand (kept->codes, first_code (run, i), first_code (run, i + images) - first_code (run, i),
                          self->codes);
      if (!pool_images (self, i, images, error))
        return FALSE;
    }
  return TRUE;
}

/* Computes the codes or gets them from the cache. */
static gboolean
find_codes (Coding *self, int split, GError **error)
{
  TosstRun *run = self->run;
  TosstCacheRequest request;
  g_autoptr (TosstShared) codes = NULL;

  /* Other codes than sparse ones are large and fast to compute; of a divided run each process has a part of them. */
  if (tosst_recipe_coding (run->recipe) != TOSST_CODING_SPARSE || run->options->ranks != NULL)
    return code_all (self, error);
  if (!tosst_run_cache_get (run, &request, TOSST_PART_CODES, split, &codes, error))
    return FALSE;
  if (codes != NULL)
    return pool_all (self, codes->data, error);
  self->kept = request.key != NULL ? tosst_codes_new (run->codes) : NULL;
  gboolean ok = code_all (self, error);
  if (ok && self->kept != NULL)
    {
      TosstCachedCodes made
          = { g_steal_pointer (&self->kept), self->signatures->worst_kkt, self->signatures->mean_nonzeros };

      codes
          = tosst_shared_new (g_memdup2 (&made, sizeof made), tosst_cached_codes_free, tosst_codes_bytes (made.codes));
    }
  g_clear_pointer (&self->kept, tosst_codes_free);
  tosst_run_cache_put (run, &request, codes);
  return ok;
}

void
tosst_signatures_free (gpointer data)
{
  TosstSignatures *self = data;

  g_clear_pointer (&self->usage, tosst_atom_usage_unref);
  tosst_pca_free (self->pca);
  tosst_mixture_free (self->mixture);
  if (self->mapped)
    munmap (self->values, self->bytes);
  else
    g_free (self->values);
  g_free (self);
}

/* Signatures of zeros, large ones in a file if there is room for one; NULL if they do not fit into memory. */
static TosstShared *
new_signatures (const TosstRun *self, GError **error)
{
  gsize bytes = self->patches->samples * sizeof (float) * self->length;
  TosstSignatures *signatures = g_new0 (TosstSignatures, 1);

  signatures->values = bytes > tosst_run_resident_signatures () ? tosst_row_file_map (bytes) : NULL;
  signatures->mapped = signatures->values != NULL;
  if (!signatures->mapped)
    signatures->values = g_try_malloc0 (bytes);
  signatures->bytes = bytes;
  g_autoptr (TosstShared) made = tosst_shared_new (signatures, tosst_signatures_free, signatures->mapped ? 0 : bytes);
  return tosst_error_from_status (signatures->values != NULL ? TOSST_OK : TOSST_ERROR_MEMORY, NULL, _ ("Coding"), error)
             ? g_steal_pointer (&made)
             : NULL;
}

static gboolean
allocate (Coding *self, GError **error)
{
  const TosstRun *run = self->run;
  gboolean local = tosst_recipe_is_local (run->recipe), describes = run->source->tensors == NULL || local;
  gsize most = most_codes (run), described = local ? most : tosst_run_largest_image (run->patches);

  self->codes = g_try_malloc_n (most, sizeof (float) * run->codes);
  self->scratch = describes ? g_try_malloc_n (described, sizeof (float) * run->layout->m) : NULL;
  return (self->codes != NULL && (!describes || self->scratch != NULL))
         || tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Coding"), error);
}

static TosstShared *
code_samples (TosstRun *self, const TosstLearned *learned, int split, GError **error)
{
  gboolean fisher = tosst_recipe_is_fisher (self->recipe);
  g_autoptr (TosstShared) made = new_signatures (self, error);
  TosstSignatures *signatures = made != NULL ? made->data : NULL;
  Coding coding = { .run = self, .learned = learned, .signatures = signatures };

  if (made == NULL)
    return NULL;
  if (fisher)
    coding.fisher = tosst_run_fisher_new (self, signatures, split, error);
  gboolean ok = (fisher ? coding.fisher != NULL : allocate (&coding, error)) && find_codes (&coding, split, error);
  TOSST_CLEAR_MEMBERS (&coding, (codes, g_free), (scratch, g_free), (fisher, tosst_fisher_free));
  if (!ok)
    return NULL;
  if (split == 0 && self->atom_usage != NULL)
    {
      signatures->usage = tosst_atom_usage_ref (self->atom_usage);
      made->bytes += tosst_atom_usage_bytes (self->atom_usage->K, self->atom_usage->classes);
    }
  return g_steal_pointer (&made);
}

TosstShared *
tosst_run_code (TosstRun *self, const TosstLearned *learned, int split, GError **error)
{
  gboolean own = learned != NULL || self->components != NULL || tosst_recipe_is_fisher (self->recipe)
                 || tosst_recipe_has_split_tensors (self->recipe);
  TosstCacheRequest request;
  TosstShared *signatures;

  tosst_run_enter (self, TOSST_STAGE_CODE, split);
  if (!tosst_run_cache_get (self, &request, TOSST_PART_SIGNATURES, own ? split : -1, &signatures, error))
    return NULL;
  if (signatures == NULL)
    {
      signatures = code_samples (self, learned, split, error);
      tosst_run_cache_put (self, &request, signatures);
    }
  else if (split == 0 && ((TosstSignatures *)signatures->data)->usage != NULL)
    self->atom_usage = tosst_atom_usage_ref (((TosstSignatures *)signatures->data)->usage);
  if (signatures != NULL)
    tosst_run_leave (self);
  return signatures;
}
