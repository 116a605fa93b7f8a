/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The principal components and the mixture of the current split, which an interrupted run does not learn again. They are
 * kept beside the local features, in a file of each part of a combination; it is valid for the version that wrote it.
 */
#include "config.h"

#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/input-file.h"
#include "core/run/private.h"

/* Incremented when the format below changes. */
#define FORMAT "tosst mixture 1 " PACKAGE_VERSION

/* format, hash of contents; D, q, mean, values, basis of the components (D = 0: none); D, K, weights, means, variances */
#define TYPE "(ss(iiayayay)(iiayayay))"
#define MOST_BYTES ((gsize)1 << 30)

/* The file of all splits; NULL where nothing is kept. */
static GFile *
find_file (const TosstRun *self, gboolean creates, char **contents, int split)
{
  g_autofree char *hash = tosst_run_part_hash (self->recipe, tosst_dataset_key (self->dataset), TOSST_PART_CODES);

  if (self->options->keep == NULL || !(self->options->interval > 0))
    return NULL;
  *contents = tosst_run_split_hash (hash, split);
  return self->options->keep (hash, creates, self->options->data);
}

static GVariant *
numbers (const double *data, gsize n)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, data != NULL ? n * sizeof *data : 0, 1);
}

static GBytes *
to_bytes (const TosstPca *pca, const TosstMixture *mixture, const char *contents)
{
  gsize D = pca != NULL ? (gsize)pca->D : 0, q = pca != NULL ? (gsize)pca->q : 0;
  gsize d = (gsize)mixture->D, K = (gsize)mixture->K;
  g_autoptr (GVariant) variant = g_variant_ref_sink (g_variant_new (
      "(ss(ii@ay@ay@ay)(ii@ay@ay@ay))", FORMAT, contents, (int)D, (int)q, numbers (pca != NULL ? pca->mean : NULL, D),
      numbers (pca != NULL ? pca->values : NULL, D), numbers (pca != NULL ? pca->basis : NULL, D * q), (int)d, (int)K,
      numbers (mixture->weights, K), numbers (mixture->means, K * d), numbers (mixture->variances, K * d)));

  return g_variant_get_data_as_bytes (variant);
}

void
tosst_run_save_mixture (TosstRun *self, int split, const TosstPca *pca, const TosstMixture *mixture)
{
  g_autofree char *contents = NULL;
  g_autoptr (GFile) file = find_file (self, TRUE, &contents, split);
  g_autoptr (GBytes) bytes = file != NULL ? to_bytes (pca, mixture, contents) : NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  if (bytes == NULL)
    return;
  const void *data = g_bytes_get_data (bytes, &size);
  /* A failure costs time if the run is interrupted, and no results. */
  if (!tosst_atomic_write (file, data, size, &error))
    g_debug ("%s", error->message);
}

/* Copies n numbers; FALSE if there are not as many. */
static gboolean
get_numbers (GVariant *array, double *to, gsize n)
{
  gsize size;
  gconstpointer data = g_variant_get_fixed_array (array, &size, 1);

  if (size != n * sizeof *to)
    return FALSE;
  if (n > 0)
    memcpy (to, data, size);
  return TRUE;
}

/* *pca remains NULL where there are no components. FALSE without either. */
static gboolean
from_bytes (GBytes *bytes, const char *contents, TosstPca **pca, TosstMixture **mixture)
{
  g_autoptr (GVariant) variant = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (TYPE), bytes, FALSE));
  g_autoptr (GVariant) mean = NULL, values = NULL, basis = NULL, weights = NULL, means = NULL, variances = NULL;
  const char *format, *of;
  int D, q, d, K;

  if (!g_variant_is_normal_form (variant))
    return FALSE;
  g_variant_get (variant, "(&s&s(ii@ay@ay@ay)(ii@ay@ay@ay))", &format, &of, &D, &q, &mean, &values, &basis, &d, &K,
                 &weights, &means, &variances);
  if (strcmp (format, FORMAT) != 0 || strcmp (of, contents) != 0)
    return FALSE;
  *pca = D > 0 ? tosst_pca_new (D, q) : NULL;
  *mixture = tosst_mixture_new (d, K);
  if ((D > 0 && *pca == NULL) || *mixture == NULL)
    return FALSE;
  gsize entries = (gsize)d * (gsize)K;

  return (D == 0
          || (get_numbers (mean, (*pca)->mean, (gsize)D) && get_numbers (values, (*pca)->values, (gsize)D)
              && get_numbers (basis, (*pca)->basis, (gsize)D * (gsize)q)))
         && get_numbers (weights, (*mixture)->weights, (gsize)K) && get_numbers (means, (*mixture)->means, entries)
         && get_numbers (variances, (*mixture)->variances, entries);
}

gboolean
tosst_run_load_mixture (TosstRun *self, int split, TosstPca **pca, TosstMixture **mixture)
{
  g_autofree char *contents = NULL;
  g_autoptr (GFile) file = find_file (self, FALSE, &contents, split);
  g_autoptr (GBytes) bytes = file != NULL ? tosst_input_load (file, MOST_BYTES, NULL) : NULL;

  *pca = NULL;
  *mixture = NULL;
  if (bytes != NULL && from_bytes (bytes, contents, pca, mixture))
    return TRUE;
  g_clear_pointer (pca, tosst_pca_free);
  g_clear_pointer (mixture, tosst_mixture_free);
  return FALSE;
}
