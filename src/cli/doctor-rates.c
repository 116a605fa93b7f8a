/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "cli/doctor-rates.h"

#include <cblas.h>
#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/data/textures.h"
#include "core/image/io.h"
#include "engine/base/blas.h"
#include "tosst/code.h"
#include "tosst/describe.h"
#include "tosst/learn.h"

#define SIDE 1280 /* side of the matrices */
#define PIECES 8
#define REPEATS 5
/* Seconds after which a product is not repeated, for slow kernels. */
#define LONG_ENOUGH 0.25
#define PATCH 20
#define TEXTURES 4
#define PATCHES (DOCTOR_TENSORS / TEXTURES)
#define ROW 20 /* patches per row */

/* After the start of a program threads of OpenBLAS spin for a while, which would disturb the measurement. */
#define QUIET (G_USEC_PER_SEC / 5)

typedef struct
{
  TosstContext *context;
  TosstLayout *layout;
  TosstDictionary *dictionary;
  float *tensors;   /* DOCTOR_TENSORS x m */
  double iteration; /* seconds of the last one */
} Sample;

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

typedef struct
{
  const float *a, *b;
  float *c;
} Product;

static TosstStatus
product_task (size_t item, int worker, void *data)
{
  Product *self = data;
  gsize first = item * SIDE / PIECES * SIDE;

  cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, SIDE, SIDE / PIECES, SIDE, 1, self->a, SIDE, self->b + first,
               SIDE, 0, self->c + first, SIDE);
  return TOSST_OK;
}

/* Median rate of C = A' B in 10^9 operations per second, divided among threads as in the engine. */
static double
measure_product (TosstContext *context, gboolean is_double)
{
  gsize size = is_double ? sizeof (double) : sizeof (float), n = (gsize)SIDE * SIDE;
  g_autofree gpointer a = g_malloc_n (n, size), b = g_malloc_n (n, size), c = g_malloc0_n (n, size);
  Product product = { a, b, c };
  double rates[REPEATS], spent = 0;
  int done = 0;

  for (gsize i = 0; i < n; i++)
    if (is_double)
      ((double *)a)[i] = ((double *)b)[i] = (double)(i % 17) / 17;
    else
      ((float *)a)[i] = ((float *)b)[i] = (float)(i % 17) / 17;
  for (int r = -1; r < REPEATS && spent < LONG_ENOUGH; r++) /* the first one is a warm-up */
    {
      double start = tosst_context_seconds (context), seconds;

      if (is_double)
        tosst_dgemm (context, CblasTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE);
      else
        tosst_parallel (context, PIECES, product_task, &product, 0, 0);
      seconds = tosst_context_seconds (context) - start;
      if (r < 0)
        continue;
      spent += seconds;
      rates[done++] = 2e-9 * n * SIDE / seconds;
    }
  qsort (rates, done, sizeof *rates, compare_doubles);
  return rates[done / 2];
}

void
doctor_measure_products (TosstContext *context, double *sgemm, double *dgemm)
{
  g_usleep (QUIET);
  *sgemm = measure_product (context, FALSE);
  *dgemm = measure_product (context, TRUE);
}

/* Describes tensors of sample textures; median of the textures' times. */
static TosstStatus
describe (Sample *self, DoctorRates *rates)
{
  TosstFeatureOptions options;
  TosstPoint points[PATCHES];
  double seconds[TEXTURES];
  TosstStatus status = TOSST_OK;
  int step = (tosst_textures_size () - PATCH) / ROW;

  tosst_feature_options_default (&options);
  for (int i = 0; i < PATCHES; i++)
    points[i] = (TosstPoint){ i % ROW * step, i / ROW * step };
  self->layout = tosst_layout_new (tosst_feature_dimension (&options));
  self->tensors = g_new (float, DOCTOR_TENSORS * self->layout->m);
  for (int i = 0; i < TEXTURES && status == TOSST_OK; i++)
    {
      g_autoptr (TosstImage) image = tosst_textures_render (i, 0, TRUE);
      double start = tosst_context_seconds (self->context);

      status = tosst_describe (self->context, image, &options, PATCH, points, PATCHES,
                               self->tensors + (gsize)i * PATCHES * self->layout->m);
      seconds[i] = tosst_context_seconds (self->context) - start;
    }
  qsort (seconds, TEXTURES, sizeof *seconds, compare_doubles);
  rates->describe_us = 1e6 * seconds[TEXTURES / 2] / PATCHES;
  rates->describe_ratio = rates->describe_us / (2e-3 * PATCH * PATCH * self->layout->m / rates->sgemm);
  return status;
}

static void
note_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Sample *self = data;

  self->iteration = 0;
  for (int i = 0; i < TOSST_LEARN_STAGES; i++)
    self->iteration += iteration->stage[i];
}

static TosstStatus
learn (Sample *self, DoctorRates *rates)
{
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  options.atoms = DOCTOR_ATOMS;
  options.iterations = 2;
  TosstStatus status = tosst_learn (self->context, self->layout, self->tensors, DOCTOR_TENSORS, &options,
                                    note_iteration, self, &self->dictionary);
  rates->learn_ms = 1e3 * self->iteration;
  rates->learn_ratio = rates->learn_ms / (4e-6 * DOCTOR_ATOMS * self->layout->m * DOCTOR_TENSORS / rates->sgemm);
  return status;
}

static TosstStatus
code (Sample *self, DoctorRates *rates)
{
  g_autofree float *codes = g_new (float, DOCTOR_TENSORS *DOCTOR_ATOMS);
  TosstCodingOptions options;
  TosstCodingReport report;
  TosstCoder *coder = NULL;
  double seconds[REPEATS];

  tosst_coding_options_default (&options);
  TosstStatus status = tosst_coder_new (self->context, self->dictionary, self->layout, &options, &coder);
  for (int i = 0; i < REPEATS && status == TOSST_OK; i++)
    {
      status = tosst_code (self->context, coder, self->tensors, DOCTOR_TENSORS, false, codes, &report);
      seconds[i] = report.seconds;
    }
  tosst_coder_free (coder);
  if (status != TOSST_OK)
    return status;
  qsort (seconds, REPEATS, sizeof *seconds, compare_doubles);
  rates->code_us = 1e6 * seconds[REPEATS / 2] / DOCTOR_TENSORS;
  rates->code_ratio = rates->code_us / (2e-3 * DOCTOR_ATOMS * self->layout->m / rates->sgemm);
  return status;
}

gboolean
doctor_measure (TosstContext *context, DoctorRates *rates, GError **error)
{
  Sample sample = { .context = context };

  *rates = (DoctorRates){ 0 };
  doctor_measure_products (context, &rates->sgemm, &rates->dgemm);
  TosstStatus status = describe (&sample, rates);
  if (status == TOSST_OK)
    status = learn (&sample, rates);
  if (status == TOSST_OK)
    status = code (&sample, rates);
  tosst_dictionary_free (sample.dictionary);
  tosst_layout_free (sample.layout);
  g_free (sample.tensors);
  return tosst_error_from_status (status, context, _ ("measuring"), error);
}
