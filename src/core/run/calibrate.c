/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slope s of the probabilities of a model,
 *     p_c = exp (s f_c) / sum_k exp (s f_k),   f: margins of the classes.
 * It is the one with the largest likelihood of the classes of training samples by margins of classifiers that were trained
 * without them. The order of the classes stays that of the margins.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/run/private.h"

#define FOLDS 5
#define HALVINGS 60 /* of the interval of the slope: 2^-60 of it is beyond the precision of a double */
#define LARGEST 1e4

/* A fold for each training sample, -1: it always trains. As in a split, units are in one fold as a whole; those of each class are
 * divided evenly. Copies of a sample (dataset.copies) are in its fold, and are not held out themselves. */
static void
divide (const TosstEvidence *self, gsize n, const int *labels, int *fold)
{
  TosstDataset *dataset = self->run->dataset;
  g_autofree int *units = g_new0 (int, self->run->result->classes);
  g_autoptr (GHashTable) units_seen = g_hash_table_new (NULL, NULL); /* their numbers in their classes, from 1 */
  g_autoptr (GHashTable) number = g_hash_table_new (NULL, NULL);     /* that of the unit of an original sample */

  for (gsize i = 0; i < n; i++)
    {
      guint sample = g_array_index (self->train, guint, i);
      gpointer unit = GUINT_TO_POINTER (tosst_dataset_unit (dataset, sample)), known;

      known = g_hash_table_lookup (units_seen, unit);
      if (known == NULL)
        g_hash_table_insert (units_seen, unit, known = GINT_TO_POINTER (++units[labels[i]]));
      g_hash_table_insert (number, GUINT_TO_POINTER (tosst_dataset_origin (dataset, sample)), known);
    }
  for (gsize i = 0; i < self->train->len; i++)
    {
      guint original = tosst_dataset_origin (dataset, g_array_index (self->train, guint, i));
      int unit = GPOINTER_TO_INT (g_hash_table_lookup (number, GUINT_TO_POINTER (original)));

      fold[i] = units[labels[i]] > 1 ? unit % MIN (FOLDS, units[labels[i]]) : -1;
    }
}

/* The training samples without a fold, and those of it that are held out. */
typedef struct
{
  gsize *in, *out, n_in, n_out;
  int *labels; /* of in */
} Part;

static void
part_init (Part *part, const TosstEvidence *self, gsize n, const int *labels, const int *fold, int held)
{
  gsize all = self->train->len;

  *part = (Part){ g_new (gsize, all), g_new (gsize, all), 0, 0, g_new (int, all) };
  for (gsize i = 0; i < all; i++)
    if (fold[i] == held && i < n)
      part->out[part->n_out++] = i;
    else if (fold[i] != held)
      {
        part->labels[part->n_in] = labels[i];
        part->in[part->n_in++] = i;
      }
}

static void
part_clear (Part *part)
{
  g_free (part->in);
  g_free (part->out);
  g_free (part->labels);
}

/* On the Gram matrix of all training samples, or with landmarks on their similarities to these. */
static TosstStatus
hold_out_of_gram (const TosstEvidence *self, const Part *part, const TosstSvmOptions *options, double *margins)
{
  const double *rows = self->similar != NULL ? self->similar : self->gram;
  gsize columns = self->similar != NULL ? self->n : part->n_in;
  g_autofree double *in = g_try_malloc_n (part->n_in + 1, columns * sizeof *in);
  g_autofree double *out = g_try_malloc_n (part->n_out + 1, columns * sizeof *out);
  TosstKernelMachine *machine = NULL;
  TosstStatus status;

  if (in == NULL || out == NULL)
    return tosst_context_fail (self->run->context, TOSST_ERROR_MEMORY, "not enough memory to calibrate the classifier");
  for (gsize i = 0; i < part->n_in + part->n_out; i++)
    {
      const double *row = rows + (i < part->n_in ? part->in[i] : part->out[i - part->n_in]) * self->n;
      double *to = i < part->n_in ? in + i * columns : out + (i - part->n_in) * columns;

      for (gsize j = 0; j < columns; j++)
        to[j] = row[self->similar != NULL ? j : part->in[j]];
    }
  status = tosst_evidence_train_on (self, in, part->n_in, part->labels, options, &machine);
  if (status == TOSST_OK)
    tosst_kernel_margins (machine, out, part->n_out, margins);
  tosst_kernel_machine_free (machine);
  return status;
}

static TosstStatus
hold_out_of_rows (const TosstEvidence *self, const Part *part, const TosstSvmOptions *options, double *margins)
{
  gsize p = self->run->length;
  g_autofree float *in = g_try_malloc_n (part->n_in + 1, p * sizeof *in);
  TosstSvm *svm = NULL;
  TosstStatus status;

  if (in == NULL)
    return tosst_context_fail (self->run->context, TOSST_ERROR_MEMORY, "not enough memory to calibrate the classifier");
  for (gsize i = 0; i < part->n_in; i++)
    memcpy (in + i * p, self->rows + part->in[i] * p, p * sizeof *in);
  status = tosst_svm_train (self->run->context, in, part->n_in, (int)p, part->labels, self->run->result->classes,
                            options, NULL, &svm);
  for (gsize i = 0; status == TOSST_OK && i < part->n_out; i++)
    tosst_svm_margins (svm, self->rows + part->out[i] * p, 1, margins + i * (gsize)svm->classes);
  tosst_svm_free (svm);
  return status;
}

/* d/ds of the log-likelihood of n samples: it falls with s. A share of 1 / (n + 2) of each sample is of the other classes, as in
 * Platt's method: without it, n samples that are all right would have an infinite slope. */
static double
derivative (const double *margins, const int *labels, gsize n, int classes, double s)
{
  double sum = 0, wrong = 1 / (double)(n + 2) / (classes - 1);

  for (gsize i = 0; i < n; i++)
    {
      const double *f = margins + i * (gsize)classes;
      double largest = -INFINITY, total = 0, mean = 0;

      for (int c = 0; c < classes; c++)
        largest = fmax (largest, f[c]);
      for (int c = 0; c < classes; c++)
        {
          double weight = exp (s * (f[c] - largest));

          total += weight;
          mean += weight * f[c];
          sum += f[c] * (c == labels[i] ? 1 - wrong * (classes - 1) : wrong);
        }
      sum -= mean / total;
    }
  return sum;
}

double
tosst_run_fit_slope (const double *margins, const int *labels, gsize n, int classes)
{
  double low = 0, high = LARGEST;

  if (n == 0 || classes < 2)
    return NAN;
  for (int i = 0; i < HALVINGS; i++)
    {
      double middle = 0.5 * (low + high);

      *(derivative (margins, labels, n, classes, middle) > 0 ? &low : &high) = middle;
    }
  return 0.5 * (low + high);
}

gboolean
tosst_run_calibrate (const TosstEvidence *self, const int *labels, const TosstSvmOptions *options, double *slope,
                     GError **error)
{
  gsize n = tosst_run_choosing (self->run, self->train), classes = (gsize)self->run->result->classes, known = 0;
  g_autofree int *fold = g_new (int, self->train->len), *truth = g_new (int, self->train->len);
  g_autofree double *margins = g_try_malloc_n (n + 1, classes * sizeof *margins);

  *slope = NAN;
  if (margins == NULL)
    return TRUE;
  tosst_run_part (self->run, 1, 1);
  divide (self, n, labels, fold);
  for (int held = 0; held < FOLDS; held++)
    {
      TosstStatus status = TOSST_OK;
      Part part;

      part_init (&part, self, n, labels, fold, held);
      if (part.n_out > 0)
        status = self->gram != NULL ? hold_out_of_gram (self, &part, options, margins + known * classes)
                                    : hold_out_of_rows (self, &part, options, margins + known * classes);
      for (gsize i = 0; i < part.n_out; i++)
        truth[known++] = labels[part.out[i]];
      part_clear (&part);
      if (status == TOSST_CANCELLED)
        return tosst_error_from_status (status, self->run->context, _ ("Calibrating the classifier"), error);
      if (status != TOSST_OK)
        return TRUE; /* the model has no probabilities */
    }
  *slope = tosst_run_fit_slope (margins, truth, known, (int)classes);
  return TRUE;
}
