/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arrays, and the files that consist of them. What can be read can be written, and is then read as the same.
 */
#include <string.h>

#include "core/dictionary/model.h"
#include "core/format/npz.h"
#include "core/local/features.h"
#include "core/run/checkpoint.h"
#include "core/run/scores.h"
#include "targets.h"

static void
compare (const TosstNpy *a, const TosstNpy *b)
{
  gsize bytes = a->count * (a->type == TOSST_NPY_FLOAT32 ? sizeof (float) : sizeof (double));

  FUZZ_ASSERT (b->type == a->type && b->ndim == a->ndim && b->count == a->count);
  FUZZ_ASSERT (memcmp (a->shape, b->shape, sizeof *a->shape * (gsize)a->ndim) == 0);
  FUZZ_ASSERT (bytes == 0 || memcmp (a->data, b->data, bytes) == 0);
}

void
fuzz_npy (const guint8 *data, gsize size)
{
  g_autoptr (TosstNpy) array = tosst_npy_parse (data, size, "a.npy", NULL), again = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (!array)
    return;
  bytes = tosst_npy_serialise (array);
  again = tosst_npy_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "again.npy", NULL);
  FUZZ_ASSERT (again != NULL);
  compare (array, again);
}

void
fuzz_npz (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (TosstNpz) npz = tosst_npz_from_bytes (bytes, NULL, "a.npz", NULL), again = NULL;
  g_autoptr (GBytes) written = npz ? tosst_npz_to_bytes (npz, "again.npz", NULL) : NULL;
  const TosstNpy *array;

  if (!written)
    return;
  again = tosst_npz_from_bytes (written, NULL, "again.npz", NULL);
  FUZZ_ASSERT (again != NULL);
  array = tosst_npz_array (npz, "B");
  if (array)
    compare (array, tosst_npz_array (again, "B"));
}

void
fuzz_dictionary (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  TosstDictionaryMeta meta;
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_from_bytes (bytes, "d.npz", &meta, NULL);

  if (dictionary)
    tosst_dictionary_meta_clear (&meta);
}

void
fuzz_model (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size), written = NULL;
  g_autoptr (TosstModel) model = tosst_model_from_bytes (bytes, "m.npz", NULL), again = NULL;

  if (!model)
    return;
  written = tosst_model_to_bytes (model, "again.npz", NULL);
  again = written ? tosst_model_from_bytes (written, "again.npz", NULL) : NULL;
  FUZZ_ASSERT (again != NULL);
  FUZZ_ASSERT (tosst_recipe_equal (model->recipe, again->recipe));
}

void
fuzz_features (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size), written = NULL;
  g_autoptr (TosstFeatures) features = tosst_features_from_bytes (bytes, "f.npz", NULL), again = NULL;

  if (!features)
    return;
  written = tosst_features_to_bytes (features, "again.npz", NULL);
  again = written ? tosst_features_from_bytes (written, "again.npz", NULL) : NULL;
  FUZZ_ASSERT (again != NULL && again->n == features->n && again->D == features->D);
  FUZZ_ASSERT (memcmp (again->xy, features->xy, 2 * features->n * sizeof *features->xy) == 0);
}

/* Those of the seeds: with atoms, and without. */
void
fuzz_checkpoint (const guint8 *data, gsize size)
{
  TosstShape shape = tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 3);
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  GFile *file = fuzz_file (data, size);

  for (int atoms = 0; atoms <= 4; atoms += 4)
    {
      g_autoptr (TosstCheckpoint) a = tosst_checkpoint_from_bytes (bytes, shape, atoms, 8);
      g_autoptr (TosstCheckpoint) b = tosst_checkpoint_read (file, shape, atoms, 8);
      g_autoptr (GBytes) written = a ? tosst_checkpoint_to_bytes (a) : NULL;
      g_autoptr (TosstCheckpoint) again = a ? tosst_checkpoint_from_bytes (written, shape, atoms, 8) : NULL;

      FUZZ_ASSERT (!a || again != NULL);
      if (a && a->codes && tosst_codes_rows (a->codes) > 0)
        {
          float row[4];

          tosst_codes_expand (a->codes, tosst_codes_rows (a->codes) - 1, 1, row);
        }
    }
}

void
fuzz_predictions (const guint8 *data, gsize size)
{
  static const int confusion[] = { 2, 1, 0, 3 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size), written = NULL;
  g_autoptr (GArray) predictions = tosst_predictions_from_csv (bytes, confusion, 2), again = NULL;

  if (!predictions)
    return;
  FUZZ_ASSERT (predictions->len == 6);
  written = tosst_predictions_to_csv (predictions);
  again = tosst_predictions_from_csv (written, confusion, 2);
  FUZZ_ASSERT (again != NULL && again->len == predictions->len);
}

void
fuzz_scores (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size), written = NULL, once_more = NULL;
  g_autoptr (TosstScores) scores = tosst_scores_from_csv (bytes, 2), again = NULL;
  TosstClassScore classes[2], mean;

  if (!scores)
    return;
  FUZZ_ASSERT (tosst_scores_summarise (&scores, 1, classes, &mean, NULL));
  for (int c = 0; c < 2; c++)
    {
      gsize n;
      g_autofree TosstRecallPoint *curve = tosst_scores_curve (scores, c, &n, NULL);

      FUZZ_ASSERT (curve != NULL && n <= scores->samples);
    }
  written = tosst_scores_to_csv (scores);
  again = tosst_scores_from_csv (written, 2);
  FUZZ_ASSERT (again != NULL && again->samples == scores->samples);
  once_more = tosst_scores_to_csv (again);
  FUZZ_ASSERT (g_bytes_equal (written, once_more));
}
