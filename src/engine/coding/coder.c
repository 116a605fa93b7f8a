/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A dictionary prepared for coding: H and, if they fit the memory bound, the transformed atoms.
 */
#include "engine/base/base.h"
#include "engine/coding/coder-private.h"
#include "engine/coding/tuning.h"
#include "engine/simd/kernels.h"

static bool tosst_atoms_are_packed (bool wide);

/* Atoms per tile: a multiple of TOSST_PANEL, or all. */
static int
tosst_correlate_tile (size_t m, size_t K)
{
  size_t tile = TILE_NUMBERS / m / TILE_FEWEST_ATOMS * TILE_FEWEST_ATOMS;
  tile = tile < TILE_FEWEST_ATOMS ? TILE_FEWEST_ATOMS : tile > TILE_MOST_ATOMS ? TILE_MOST_ATOMS : tile;
  return tile < K ? tile : K;
}

size_t
tosst_correlate_bytes (size_t m, bool wide)
{
  return tosst_atoms_are_packed (wide) ? tosst_thread_stride (tosst_kernels ()->product_packed_work (m)) : 64;
}

/* Correlates with atoms first .. first + width - 1, stored at `atoms`. */
static void
correlate_tile (const TosstCoder *coder, bool wide, const void *atoms, size_t first, int width, const void *tensors,
                int count, void *Q, void *work)
{
  int K = coder->K, m = coder->m;
  if (wide)
    cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, width, count, m, 1, atoms, m, tensors, m, 0,
                 (double *)Q + first, K);
  else if (tosst_atoms_are_packed (wide))
    tosst_kernels ()->product_packed (atoms, width, m, tensors, count, (float *)Q + first, K, work);
  else
    cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, width, count, m, 1, atoms, m, tensors, m, 0,
                 (float *)Q + first, K);
}

static int
tile_width (const TosstCoder *coder, size_t first, size_t tile)
{
  return coder->K - first < tile ? coder->K - first : tile;
}

/* product_packed() gives the same bits for all atoms at once as for tiles of them. */
void
tosst_correlate (const TosstCoder *coder, bool wide, const void *atoms, const void *tensors, size_t count, void *Q,
                 void *work)
{
  size_t K = coder->K, m = coder->m, tile = tosst_atoms_are_packed (wide) ? K : (size_t)tosst_correlate_tile (m, K);
  size_t element = wide ? sizeof (double) : sizeof (float);
  for (size_t first = 0; first < K; first += tile)
    correlate_tile (coder, wide, (const char *)atoms + first * m * element, first, tile_width (coder, first, tile),
                    tensors, count, Q, work);
}

typedef struct
{
  const TosstCoder *coder;
  bool wide;
  const char *tensors;
  char *Q;
  void *atoms; /* a tile */
  char *work;  /* `bytes` per thread */
  size_t bytes, count, block, first;
  int width;
} Stream;

static TosstStatus
stream_task (size_t item, int worker, void *data)
{
  Stream *self = data;
  size_t element = self->wide ? sizeof (double) : sizeof (float), from = item * self->block;
  size_t count = self->count - from < self->block ? self->count - from : self->block;
  correlate_tile (self->coder, self->wide, self->atoms, self->first, self->width,
                  self->tensors + from * self->coder->m * element, count, self->Q + from * self->coder->K * element,
                  self->work + self->bytes * worker);
  return TOSST_OK;
}

TosstStatus
tosst_correlate_streamed (const TosstCoder *coder, TosstContext *context, bool wide, const void *tensors, size_t count,
                          size_t block, void *Q)
{
  size_t K = coder->K, tile = tosst_correlate_tile (coder->m, K), element = wide ? sizeof (double) : sizeof (float);
  Stream self = { .coder = coder, .wide = wide, .tensors = tensors, .Q = Q, .count = count, .block = block };
  self.bytes = tosst_correlate_bytes (coder->m, wide);
  self.atoms = tosst_alloc_aligned (tosst_atoms_numbers (tile, coder->m, wide), element);
  self.work = tosst_alloc_aligned (self.bytes * tosst_context_threads (context), 1);
  TosstStatus status = TOSST_OK;
  if (!self.atoms || !self.work)
    status = tosst_coding_no_memory (context);
  for (size_t first = 0; first < K && status == TOSST_OK; first += tile)
    {
      self.first = first;
      self.width = tile_width (coder, first, tile);
      status = tosst_transform_atoms (coder, context, first, self.width, wide, self.atoms);
      TOSST_THEN (status, tosst_parallel (context, (count + block - 1) / block, stream_task, &self, 0, 0));
    }
  free (self.atoms);
  free (self.work);
  return status;
}

/* Atoms of super-symmetric tensors are computed row by row of the packed simplex, with contiguous access; those of
 * other shapes by the layout's table. */

typedef struct
{
  const TosstCoder *coder;
  int first;
  size_t count, piece; /* piece: atoms per task */
  bool wide;
  void *atoms;  /* count x m */
  double *work; /* per worker: `size` */
  size_t size;
} Transform;

/* Workspace per worker in values: matrices and vectors of a panel of atoms, which exceed the full matrix of one, or
 * a whole atom. */
static size_t
work_size (TosstShape shape, size_t m)
{
  size_t d = shape.d1;
  return shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC ? TOSST_PANEL * d * (d + 3) / 2 : (m + 7) / 8 * 8;
}

/* Computes b_k / scale, with the sign of alpha_k. */
static double
slice_factor (const TosstCoder *coder, size_t k, int s)
{
  return coder->dictionary->b[k * coder->S + s] / coder->scale * (coder->sign ? coder->sign[k] : 1);
}

static void
transform_symmetric (const Transform *self, size_t k, double *work, void *out)
{
  const TosstCoder *coder = self->coder;
  int d = coder->S;
  const double *u = coder->reduction.WV + k * coder->D, *weight = coder->weight;
  double *C = work, *b = work + (size_t)d * d;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, u++, weight++)
      C[i * d + j] = C[j * d + i] = *weight * *u;
  for (int s = 0; s < d; s++)
    b[s] = slice_factor (coder, k, s);
  if (self->wide)
    tosst_kernels ()->symmetric_atom_double (C, b, d, out);
  else
    tosst_kernels ()->symmetric_atom_float (C, b, d, out);
}

/* out_t = sum of weight_p (W v)_p b_s / scale over the positions (s, p) of entry t in the slices. */
static void
transform_by_table (const TosstCoder *coder, size_t k, double *out)
{
  const double *u = coder->reduction.WV + k * coder->D;
  memset (out, 0, sizeof *out * coder->m);
  for (int s = 0; s < coder->S; s++)
    {
      const int32_t *index = coder->index + (size_t)s * coder->D;
      double factor = slice_factor (coder, k, s);
      for (int p = 0; factor != 0 && p < coder->D; p++)
        out[index[p]] += factor * coder->weight[p] * u[p];
    }
}

static void
transform_atom (const Transform *self, size_t i, double *work)
{
  const TosstCoder *coder = self->coder;
  size_t m = coder->m, k = self->first + i;
  double *wide = (double *)self->atoms + i * m;
  float *narrow = (float *)self->atoms + i * m;

  if (coder->dictionary->shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC)
    transform_symmetric (self, k, work, self->wide ? (void *)wide : narrow);
  else if (self->wide)
    transform_by_table (coder, k, wide);
  else
    {
      transform_by_table (coder, k, work);
      for (size_t t = 0; t < m; t++)
        narrow[t] = work[t];
    }
}

/* Computes atoms k .. k + count - 1, at most TOSST_PANEL; the rest of a panel is zero. */
static void
transform_panel_symmetric (const TosstCoder *coder, size_t k, int count, double *work, float *panel)
{
  const TosstKernels *kernels = tosst_kernels ();
  size_t D = coder->D, d = coder->S;
  double *C = work, *b = work + D * TOSST_PANEL;
  memset (b, 0, sizeof *b * d * TOSST_PANEL);
  for (int first = 0; first < TOSST_PANEL; first += TOSST_ABREAST, C += D * TOSST_ABREAST, b += d * TOSST_ABREAST)
    {
      int left = count - first, some = left < 0 ? 0 : left < TOSST_ABREAST ? left : TOSST_ABREAST;
      kernels->set_abreast (coder->reduction.WV + (k + first) * D, D, some, D, C);
      for (size_t p = 0; p < D; p++)
        for (int i = 0; i < TOSST_ABREAST; i++)
          C[p * TOSST_ABREAST + i] *= coder->weight[p];
      for (int i = 0; i < some; i++)
        for (size_t s = 0; s < d; s++)
          b[s * TOSST_ABREAST + i] = slice_factor (coder, k + first + i, s);
    }
  kernels->symmetric_atoms_panel (work, work + D * TOSST_PANEL, d, panel);
}

static void
transform_panel_by_table (const TosstCoder *coder, size_t k, int count, double *work, float *panel)
{
  memset (panel, 0, sizeof *panel * coder->m * TOSST_PANEL);
  for (int i = 0; i < count; i++)
    {
      transform_by_table (coder, k + i, work);
      for (size_t t = 0; t < coder->m; t++)
        panel[t * TOSST_PANEL + i] = work[t];
    }
}

static TosstStatus
transform_task (size_t item, int worker, void *data)
{
  Transform *self = data;
  size_t first = item * self->piece, last = first + self->piece < self->count ? first + self->piece : self->count;
  double *work = self->work + self->size * worker;
  if (tosst_atoms_are_packed (self->wide))
    for (size_t i = first; i < last; i += TOSST_PANEL)
      {
        const TosstCoder *coder = self->coder;
        size_t left = self->count - i;
        float *panel = (float *)self->atoms + i * coder->m;
        (coder->dictionary->shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC
             ? transform_panel_symmetric
             : transform_panel_by_table) (coder, self->first + i, left < TOSST_PANEL ? left : TOSST_PANEL, work, panel);
      }
  else
    for (size_t i = first; i < last; i++)
      transform_atom (self, i, work);
  return TOSST_OK;
}

/* Whether atoms are packed into the panels of TosstKernels.product_packed() (float only); otherwise they are
 * contiguous. tosst_atoms_numbers(): storage of K atoms in values. */
static bool
tosst_atoms_are_packed (bool wide)
{
  return !wide && tosst_kernels ()->product_packed;
}

size_t
tosst_atoms_numbers (size_t K, size_t m, bool wide)
{
  return (tosst_atoms_are_packed (wide) ? (K + TOSST_PANEL - 1) / TOSST_PANEL * TOSST_PANEL : K) * m;
}

TosstStatus
tosst_transform_atoms (const TosstCoder *coder, TosstContext *context, int first, int count, bool wide, void *atoms)
{
  size_t size = work_size (coder->dictionary->shape, coder->m);
  /* Atoms per task, so that every thread gets a few tasks. Panels are not split. */
  size_t most = count / (8 * tosst_context_threads (context)),
         piece = TASK_BYTES / (coder->m * (wide ? sizeof (double) : sizeof (float)));
  piece = piece < most ? piece : most;
  piece = tosst_atoms_are_packed (wide) ? (piece / TOSST_PANEL + 1) * TOSST_PANEL : piece > 0 ? piece : 1;
  Transform self = { coder, first, count, piece, wide, atoms, .size = size };
  self.work = tosst_alloc_aligned (size * tosst_context_threads (context), sizeof (double));
  if (!self.work)
    return tosst_coding_no_memory (context);
  TosstStatus status = tosst_parallel (context, (count + piece - 1) / piece, transform_task, &self, 0, 0);
  free (self.work);
  return status;
}

void
tosst_problem_default (TosstProblem *problem)
{
  *problem = TOSST_PROBLEM_DEFAULT;
}

const char *
tosst_problem_check (const TosstProblem *problem)
{
  if (!isfinite (problem->lambda) || problem->lambda < 0)
    return "lambda must be a number >= 0";
  if (!(problem->gamma > 0))
    return "gamma must be > 0";
  return NULL;
}

void
tosst_coding_options_default (TosstCodingOptions *options)
{
  *options = (TosstCodingOptions){ .problem = TOSST_PROBLEM_DEFAULT, .tolerance = 1e-6 };
}

const char *
tosst_coding_options_check (const TosstCodingOptions *options)
{
  if (!(options->tolerance > 0))
    return "the tolerance of coding must be > 0";
  return tosst_problem_check (&options->problem);
}

/* Whether codes are computed by coding/nonnegative.h. */
static bool
tosst_coding_is_joint (const TosstCodingOptions *options, TosstShape shape)
{
  return options->problem.nonnegative_beta && isfinite (options->problem.gamma) && shape.kind != TOSST_SHAPE_WHOLE;
}

/* Projections are codes of problem (3) without sparsity, in another basis. */
static TosstCodingOptions
solved_options (const TosstCodingOptions *options)
{
  TosstCodingOptions solved = *options;
  if (options->span)
    solved.problem = (TosstProblem){ .gamma = INFINITY, .signed_alpha = true };
  return solved;
}

/* Memory plan of a coder: transformed atoms are stored if they fit, else recomputed for each block of tensors. H is
 * stored in either case. */

typedef struct
{
  size_t gathered; /* tensors per block if atoms are recomputed; else 0 */
  size_t bytes;    /* upper bound of the memory used; exceeds options->memory if that is too low */
} TosstCodingPlan;

/* Bytes that are always needed: copy of the dictionary, layout, W V, factor, H. */
static size_t
kept_bytes (const TosstLayout *layout, size_t K, size_t element)
{
  size_t D = layout->D, S = layout->S;
  return ((2 * D + S) * K + (tosst_reduction_small (D, K) ? K * K : D * D) + D) * sizeof (double) + K * K * element
         + S * D * sizeof (int32_t);
}

static TosstCodingPlan
coding_plan (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads)
{
  bool joint = tosst_coding_is_joint (options, layout->shape);
  size_t k = K, m = layout->m, element = options->wide || joint ? sizeof (double) : sizeof (float);
  size_t kept = kept_bytes (layout, k, element),
         making = tosst_reduction_gram_bytes (K, threads) + (options->span ? tosst_span_bytes (k, options->wide) : 0);
  if (joint)
    return (TosstCodingPlan){
      0, kept + tosst_larger (making, tosst_code_nonnegative_bytes (layout->D, layout->S, K, threads))
    };
  size_t support
      = k < MOST_SUPPORT ? k : MOST_SUPPORT,
      solvers
      = threads * (tosst_lasso_work_bytes (K, TOSST_CODING_ROWS, support, element) + TOSST_CODING_ROWS * k * element);
  size_t transform = work_size (layout->shape, layout->m) * sizeof (double) * threads, row = k * element,
         wide = options->wide, product = threads * tosst_correlate_bytes (m, wide),
         work = product + solvers + transform;
  size_t resident = kept + tosst_atoms_numbers (k, m, wide) * element
                    + tosst_larger (making, threads * TOSST_CODING_BLOCK * row + work);
  size_t base
      = kept + tosst_larger (making, tosst_atoms_numbers (tosst_correlate_tile (m, k), m, wide) * element + work);
  if (options->memory == 0 || resident <= options->memory || resident <= base + TOSST_CODING_BLOCK * row)
    return (TosstCodingPlan){ 0, resident };
  size_t room = options->memory > base ? (options->memory - base) / row : 0;
  size_t gathered = room < TOSST_CODING_BLOCK ? TOSST_CODING_BLOCK : room < MOST_GATHERED ? room : MOST_GATHERED;
  return (TosstCodingPlan){ gathered, base + gathered * row };
}

size_t
tosst_coder_memory (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads)
{
  TosstCodingOptions solved = solved_options (options);
  return coding_plan (layout, K, &solved, threads).bytes;
}

static bool
allocate (TosstCoder *self, const TosstDictionary *dictionary, const TosstLayout *layout)
{
  bool joint = tosst_coding_is_joint (&self->options, layout->shape);
  size_t element = self->options.wide || joint ? sizeof (double) : sizeof (float);
  size_t K = dictionary->K, slots = (size_t)layout->S * layout->D;
  TosstMemory *memory = &self->memory;
  self->D = layout->D;
  self->S = layout->S;
  self->K = K;
  self->m = layout->m;
  if (!self->borrows)
    {
      self->dictionary = tosst_dictionary_new_undefined (dictionary->shape, dictionary->K);
      self->H = tosst_keep (memory, tosst_alloc_aligned (K * K, element));
    }
  self->index = tosst_keep (memory, malloc (sizeof *self->index * slots));
  self->weight = tosst_keep (memory, malloc (sizeof *self->weight * layout->D));
  bool keeps = !joint && self->gathered == 0;
  self->atoms
      = keeps
            ? tosst_keep (memory, tosst_alloc_aligned (tosst_atoms_numbers (K, layout->m, self->options.wide), element))
            : NULL;
  if (memory->failed
      || (!self->borrows && (!self->dictionary || !tosst_reduction_init (&self->reduction, self->D, self->K, false))))
    return false;
  memcpy (self->index, layout->index, sizeof *self->index * slots);
  memcpy (self->weight, layout->weight, sizeof *self->weight * layout->D);
  return true;
}

/* With beta >= 0 and gamma = infinity: the Lasso of |alpha|, with the atoms that may be used. */
static TosstStatus
restrict_signs (TosstCoder *self, TosstContext *context)
{
  if (!self->sign)
    self->sign = malloc (self->K);
  if (!self->sign)
    return tosst_coding_no_memory (context);
  for (int k = 0; k < self->K; k++)
    self->sign[k] = tosst_nonnegative_sign (self->dictionary->b + (size_t)k * self->S, self->S,
                                            self->options.problem.signed_alpha);
  return TOSST_OK;
}

static TosstStatus
copy_dictionary (TosstCoder *self, TosstContext *context, const TosstDictionary *dictionary,
                 const TosstReduction *reduction)
{
  size_t K = self->K;
  self->scale = dictionary->scale;
  if (self->borrows)
    {
      self->dictionary = (TosstDictionary *)dictionary;
      self->reduction = *reduction;
      return TOSST_OK;
    }
  self->dictionary->scale = dictionary->scale;
  memcpy (self->dictionary->b, dictionary->b, sizeof *dictionary->b * self->S * K);
  TOSST_TRY (tosst_copy (context, self->D * K, dictionary->V, self->dictionary->V));
  return reduction ? tosst_reduction_copy (&self->reduction, context, reduction)
                   : tosst_reduction_update (&self->reduction, context, self->dictionary, self->options.problem.gamma);
}

static TosstStatus
prepare (TosstCoder *self, TosstContext *context, const TosstDictionary *dictionary, const TosstReduction *reduction)
{
  bool joint = tosst_coding_is_joint (&self->options, dictionary->shape), wide = self->options.wide;
  TosstStatus status = copy_dictionary (self, context, dictionary, reduction);
  if (status == TOSST_OK && self->options.problem.nonnegative_beta && !joint)
    status = restrict_signs (self, context);
  if (status == TOSST_OK && self->options.span)
    status = tosst_span_factor (self, context, wide, self->H);
  else if (status == TOSST_OK && !self->borrows)
    status = tosst_reduction_gram (reduction ? reduction : &self->reduction, context, self->dictionary, NULL,
                                   self->sign, wide || joint, self->H);
  tosst_nonnegative_free (self->nonnegative);
  self->nonnegative = NULL;
  if (status == TOSST_OK && joint)
    return tosst_nonnegative_new (context, self->dictionary, self->S, self->H, &self->options, &self->nonnegative);
  if (status == TOSST_OK && self->atoms)
    status = tosst_transform_atoms (self, context, 0, self->K, wide, self->atoms);
  return status;
}

static TosstStatus
check_bound (TosstContext *context, const TosstCodingOptions *options, bool joint, size_t bytes)
{
  if (options->memory == 0 || bytes <= options->memory)
    return TOSST_OK;
  return tosst_context_fail (
      context, TOSST_ERROR_MEMORY,
      joint ? "coding with beta >= 0 needs %.2f GB of memory and may use %.2f GB: lower the number of atoms or of "
              "threads, or leave beta free"
            : "coding needs at least %.2f GB of memory and may use %.2f GB: lower the number of atoms or of threads",
      bytes / 1e9, options->memory / 1e9);
}

TosstStatus
tosst_coding_check_dictionary (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout)
{
  if (!tosst_shape_equal (dictionary->shape, layout->shape))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               dictionary->d == layout->d ? "the dictionary is for tensors of another shape"
                                                          : "the dictionary is for d = %d, the tensors have d = %d",
                               dictionary->d, layout->d);
  if (dictionary->K < 1)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the dictionary has no atoms");
  if (!(dictionary->scale >= 1 / TOSST_LARGEST && dictionary->scale <= TOSST_LARGEST))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               "the scale of the dictionary is %g, and not between %g and %g", dictionary->scale,
                               1 / TOSST_LARGEST, TOSST_LARGEST);
  bool is_finite = true;
  for (size_t i = 0; i < (size_t)dictionary->D * dictionary->K; i++)
    is_finite &= isfinite (dictionary->V[i]) != 0;
  for (size_t i = 0; i < (size_t)dictionary->S * dictionary->K; i++)
    is_finite &= isfinite (dictionary->b[i]) != 0;
  if (!is_finite)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "the dictionary holds NaN or infinity");
  return TOSST_OK;
}

TosstStatus
tosst_coder_new (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                 const TosstCodingOptions *options, TosstCoder **coder)
{
  TOSST_REQUIRE (context, context && dictionary && layout && options && coder);
  *coder = NULL;
  TOSST_TRY (tosst_coding_check_dictionary (context, dictionary, layout));
  return tosst_coder_new_reduced (context, dictionary, layout, options, NULL, NULL, coder);
}

TosstStatus
tosst_coder_new_reduced (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                         const TosstCodingOptions *options, const TosstReduction *reduction, float *H,
                         TosstCoder **coder)
{
  double start = tosst_context_seconds (context);
  *coder = NULL;
  TOSST_REFUSE (context, tosst_coding_options_check (options));
  TosstCoder *self = calloc (1, sizeof *self);
  if (!self)
    return tosst_coding_no_memory (context);
  self->options = solved_options (options);
  self->borrows = H != NULL;
  self->H = H;
  if (dictionary->shape.kind == TOSST_SHAPE_WHOLE)
    self->options.problem.gamma = INFINITY;
  TosstCodingPlan plan = coding_plan (layout, dictionary->K, &self->options, tosst_context_threads (context));
  self->gathered = plan.gathered;
  TosstStatus status
      = check_bound (context, &self->options, tosst_coding_is_joint (&self->options, dictionary->shape), plan.bytes);
  if (status == TOSST_OK && !allocate (self, dictionary, layout))
    status = tosst_coding_no_memory (context);
  TOSST_THEN (status, prepare (self, context, dictionary, reduction));
  if (status != TOSST_OK)
    {
      tosst_coder_free (self);
      return status;
    }
  self->seconds = tosst_context_seconds (context) - start;
  *coder = self;
  return TOSST_OK;
}

TosstStatus
tosst_coder_update (TosstCoder *self, TosstContext *context, const TosstDictionary *dictionary,
                    const TosstReduction *reduction)
{
  double start = tosst_context_seconds (context);
  TosstStatus status = prepare (self, context, dictionary, reduction);
  self->seconds = tosst_context_seconds (context) - start;
  return status;
}

void
tosst_coder_free (TosstCoder *coder)
{
  if (!coder)
    return;
  if (!coder->borrows)
    {
      tosst_dictionary_free (coder->dictionary);
      tosst_reduction_clear (&coder->reduction);
    }
  tosst_release (&coder->memory);
  tosst_nonnegative_free (coder->nonnegative);
  free (coder->sign);
  free (coder);
}

double
tosst_coder_setup_seconds (const TosstCoder *coder)
{
  return coder->seconds;
}
