/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cluster/memory.h"

#include "core/base/error.h"
#include "core/format/npy-rows.h"
#include "core/format/tensor-array.h"
#include "tosst/learn.h"

/* Shape of the tensors, and number of those that are learned from. */
static gboolean
look_at (GFile *file, const TosstRecipe *recipe, TosstShape *shape, gsize *n, GError **error)
{
  g_autoptr (TosstNpyRows) rows = tosst_npy_rows_open (file, error);
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (TosstNpy) first = NULL;

  if (rows == NULL)
    return FALSE;
  *n = tosst_npy_rows_count (rows);
  first = tosst_npy_rows_read (rows, 0, MIN (*n, 1), error);
  if (first == NULL || !tosst_tensor_array_prepare (first, name, shape, error))
    return FALSE;
  *n = MIN (*n, (gsize)recipe->dictionary.sample);
  if (recipe->dictionary.scheme == TOSST_SCHEME_FULL && shape->kind == TOSST_SHAPE_SUPER_SYMMETRIC)
    shape->kind = TOSST_SHAPE_WHOLE;
  return TRUE;
}

gboolean
tosst_job_learn_memory (const TosstRecipe *recipe, GFile *tensors, int processes, int threads, guint64 *bytes,
                        GError **error)
{
  TosstRanks ranks = { .size = processes };
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;
  TosstLayout *layout;
  TosstShape shape;
  const char *why;
  gsize n;

  if (!look_at (tensors, recipe, &shape, &n, error))
    return FALSE;
  tosst_recipe_learn_options (recipe, &options);
  if (recipe->dictionary.rank <= 0)
    options.rank = MAX (1, shape.d1 / 2);
  why = tosst_learn_options_check (&options, n, shape);
  if (why == NULL)
    why = tosst_learn_run_check (&(TosstLearnRun){ .ranks = processes > 1 ? &ranks : NULL }, &options, n, shape);
  if (why != NULL)
    return tosst_fail (error, TOSST_FAILED_RECIPE, "%s", why);
  layout = tosst_layout_new_shape (shape);
  n = (n + (gsize)processes - 1) / (gsize)processes;
  *bytes = tosst_recipe_minibatch_options (recipe, &minibatch)
               ? tosst_minibatch_memory (layout, &options, &minibatch, processes > 1 ? processes : 0, threads)
               : tosst_learn_memory (layout, n, &options, processes > 1 ? processes : 0, threads)
                     + n * layout->m * sizeof (float);
  tosst_layout_free (layout);
  return TRUE;
}
