/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run will need, from sizes alone.
 */
#include "config.h"

#include <glib/gi18n.h>

#include "error.h"
#include "memory.h"
#include "run-private.h"

/* Part of the available memory that a run may claim. */
#define MEMORY_SHARE 0.85

gsize
tosst_run_largest_image (const TosstPatches *patches)
{
  gsize most = 0;

  for (guint i = 0; i < patches->images; i++)
    most = MAX (most, patches->first[i + 1] - patches->first[i]);
  return most;
}

static gsize
base_bytes (const TosstRecipe *recipe, TosstDataset *dataset, const TosstPatches *patches, const TosstLayout *layout,
            int threads)
{
  TosstLearnOptions options;
  gsize m = layout->m, K = (gsize)recipe->dictionary.atoms, D = (gsize)layout->D;
  gsize sample = MIN ((gsize)recipe->dictionary.sample, patches->count), most = tosst_run_largest_image (patches);

  tosst_recipe_learn_options (recipe, &options);
  gsize learning = sample * m * 4 + tosst_learn_memory (layout, sample, &options, threads);
  gsize coding = K * m * 4 + K * K * 20 + 2 * D * K * 8 + most * K * 4 + patches->samples * K * 8
                 + (gsize)threads * (512 * K * 4 + 2 * K * K * 4);
  /* Lists of patches, the pixels of one image and what describing it takes, the program itself. */
  gsize lists = patches->count * sizeof (TosstPoint) + patches->offset[patches->samples] * sizeof (gsize);
  gsize image = tosst_dataset_largest_bytes (dataset) + most * 2 * sizeof (gsize);
  return MAX (learning, coding) + lists + image + ((gsize)200 << 20);
}

static gboolean
is_resident (const TosstPatches *patches, const TosstLayout *layout, gsize base, gsize available)
{
  return (double)(patches->count * layout->m * 4 + base) < 0.5 * (double)available;
}

void
tosst_run_measure (const TosstRecipe *recipe, TosstDataset *dataset, const TosstPatches *patches,
                   const TosstLayout *layout, int threads, TosstRunEstimate *out)
{
  gsize base = base_bytes (recipe, dataset, patches, layout, threads);

  out->tensors = patches->count;
  out->samples = patches->samples;
  out->d = layout->d;
  out->available = tosst_memory_available ();
  out->resident = is_resident (patches, layout, base, out->available);
  out->bytes = base + (out->resident ? patches->count : tosst_run_largest_image (patches)) * layout->m * 4;
}

static gboolean
is_affordable (const TosstRunEstimate *needs)
{
  return (double)needs->bytes <= MEMORY_SHARE * (double)needs->available;
}

/* What the lists of patches alone need; FALSE if that is too much already. */
gboolean
tosst_run_measure_lists (const TosstRecipe *recipe, TosstDataset *dataset, TosstRunEstimate *out)
{
  *out = (TosstRunEstimate){ .samples = tosst_dataset_samples (dataset),
                             .d = tosst_recipe_dimension (recipe),
                             .available = tosst_memory_available () };
  out->bytes = tosst_patches_bytes (dataset, recipe->descriptor.patch, recipe->descriptor.step, &out->tensors);
  return is_affordable (out) && out->tensors <= G_MAXINT;
}

void
tosst_run_estimate (const TosstRecipe *recipe, TosstDataset *dataset, int threads, TosstRunEstimate *out)
{
  g_autoptr (TosstPatches) patches = NULL;
  TosstLayout *layout;

  if (!tosst_run_measure_lists (recipe, dataset, out))
    return;
  patches = tosst_patches_new (dataset, recipe->descriptor.patch, recipe->descriptor.step);
  layout = tosst_layout_new (tosst_recipe_dimension (recipe));
  tosst_run_measure (recipe, dataset, patches, layout, threads, out);
  tosst_layout_free (layout);
}

gboolean
tosst_run_fits (const TosstRunEstimate *needs, GError **error)
{
  if (is_affordable (needs) && needs->tensors <= G_MAXINT)
    return TRUE;
  g_autofree char *needed = g_format_size (needs->bytes), *available = g_format_size (needs->available);
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY,
               _ ("this run needs %s of memory and %s are available: lower dictionary.atoms, dictionary.sample or "
                  "descriptor.pivots, or raise descriptor.step"),
               needed, available);
  return FALSE;
}
