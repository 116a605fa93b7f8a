/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coding of many tensors: correlations Q = A~' X by blocks of tensors in one product each, then a Lasso for every
 * tensor, all with the same H. A worker solves a batch of Lassos round by round, so that the residuals of a batch
 * read H once.
 */
#include "engine/base/base.h"
#include "engine/coding/coder-private.h"
#include "engine/coding/lasso.h"
#include "engine/coding/tuning.h"
#include "engine/simd/tuning.h"

/* Statistics of one worker, summed in the order of workers; the distribution of work affects only the last bit of a
 * mean. */
typedef struct
{
  TosstLassoWork *work;
  void *Q;         /* block x K, if atoms are stored */
  void *product;   /* workspace of correlations, if atoms are stored */
  void *residuals; /* TOSST_CODING_ROWS x K */
  double *row;     /* K: scratch */
  TosstMemory memory;
  double worst_kkt;
  size_t nonzeros;
  double seconds_products;
} Worker;

typedef struct
{
  const TosstCoder *coder;
  TosstContext *context;
  bool wide;                  /* double precision */
  const void *H, *atoms;      /* K x K; or NULL: computed on demand */
  int *order;                 /* K: order of atoms in H; NULL: original order */
  TosstMemory memory;         /* of what is converted or ordered here */
  const void *tensors;        /* n x m */
  void *codes;                /* n x K */
  size_t n, block, from, end; /* range of gathered tensors; without gathering, all */
  void *Q;                    /* correlations of the gathered tensors */
  bool warm;
  double *certificate; /* n: KKT residuals of the codes as they are, which are not solved for; or NULL */
  Worker *worker;
} Job;

static size_t
element_size (const Job *job)
{
  return job->wide ? sizeof (double) : sizeof (float);
}

/* Returns the correlations of a block: those of gathered tensors, or the worker's own. */
static char *
block_correlations (const Job *job, Worker *worker, size_t first, size_t count)
{
  size_t K = job->coder->K, m = job->coder->m, element = element_size (job);
  if (job->Q)
    return (char *)job->Q + (first - job->from) * K * element;
  double start = tosst_context_seconds (job->context);
  tosst_correlate (job->coder, job->wide, job->atoms, (const char *)job->tensors + first * m * element, count,
                   worker->Q, worker->product);
  worker->seconds_products += tosst_context_seconds (job->context) - start;
  return worker->Q;
}

/* Refines a code whose residual in float exceeds the tolerance. */
static bool
refine_float (const Job *job, const float *q, bool is_signed, double tolerance, float *alpha, double *kkt)
{
  return tosst_lasso_refine (job->H, job->coder->K, q, job->coder->options.problem.lambda / 2, is_signed, tolerance,
                             alpha, kkt);
}

/* Double has no refinement. */
static bool
refine_double (const Job *job, const double *q, bool is_signed, double tolerance, double *alpha, double *kkt)
{
  return true;
}

/* A worker solves a batch of Lassos, as many as there is room for residuals. SUFFIX names the precision. */
#define DEFINE_SOLVE(SUFFIX, TYPE, FLOOR, ROUNDS)                                                                      \
  /* Initial alpha and tolerance; non-finite values are detected by 0 times their sum. */                              \
  static bool begin_##SUFFIX (const Job *job, const TYPE *q, TYPE *alpha, TYPE *largest)                               \
  {                                                                                                                    \
    const TosstCoder *coder = job->coder;                                                                              \
    size_t K = coder->K;                                                                                               \
    TYPE most = 0, zero = 0;                                                                                           \
    _Pragma ("omp simd reduction(max : most) reduction(+ : zero)") for (size_t k = 0; k < K; k++)                      \
    {                                                                                                                  \
      TYPE size = q[k] < 0 ? -q[k] : q[k];                                                                             \
      most = size > most ? size : most;                                                                                \
      zero += size * 0;                                                                                                \
    }                                                                                                                  \
    if (!job->warm)                                                                                                    \
      memset (alpha, 0, sizeof *alpha *K);                                                                             \
    for (size_t k = 0; coder->sign && k < K; k++)                                                                      \
      alpha[k] = coder->sign[k] * alpha[k] > 0 ? coder->sign[k] * alpha[k] : 0;                                        \
    *largest = most;                                                                                                   \
    return zero == 0 && isfinite (most);                                                                               \
  }                                                                                                                    \
                                                                                                                       \
  /* Comparisons with a NaN residual are false: violations do not reveal it. */                                        \
  static bool is_finite_##SUFFIX (const TYPE *alpha, size_t K)                                                         \
  {                                                                                                                    \
    TYPE zero = 0;                                                                                                     \
    _Pragma ("omp simd reduction(+ : zero)") for (size_t k = 0; k < K; k++) zero += alpha[k] * 0;                      \
    return zero == 0;                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  static void finish_##SUFFIX (const Job *job, Worker *worker, size_t n, TYPE *alpha, double largest, double kkt)      \
  {                                                                                                                    \
    const TosstCoder *coder = job->coder;                                                                              \
    size_t K = coder->K;                                                                                               \
    int nonzeros = 0;                                                                                                  \
    for (size_t k = 0; coder->sign && k < K; k++)                                                                      \
      alpha[k] = alpha[k] > 0 ? coder->sign[k] * alpha[k] : 0;                                                         \
    _Pragma ("omp simd reduction(+ : nonzeros)") for (size_t k = 0; k < K; k++) nonzeros += alpha[k] != 0;             \
    worker->nonzeros += nonzeros;                                                                                      \
    kkt = largest > 0 ? kkt / largest : 0;                                                                             \
    worker->worst_kkt = fmax (worker->worst_kkt, kkt);                                                                 \
    if (job->certificate)                                                                                              \
      job->certificate[n] = kkt;                                                                                       \
  }                                                                                                                    \
                                                                                                                       \
  /* Lassos of tensors n .. n + count - 1. */                                                                          \
  static TosstStatus solve_##SUFFIX (const Job *job, Worker *worker, size_t n, const TYPE *q, int count)               \
  {                                                                                                                    \
    const TosstKernels *kernels = tosst_kernels ();                                                                    \
    const TosstCoder *coder = job->coder;                                                                              \
    size_t K = coder->K;                                                                                               \
    bool is_signed = coder->options.problem.signed_alpha && !coder->sign;                                              \
    TYPE *codes = (TYPE *)job->codes + n * K, *residuals = worker->residuals, largest[TOSST_CODING_ROWS];              \
    int row[TOSST_CODING_ROWS];                                                                                        \
    for (int i = 0; i < count; i++)                                                                                    \
      {                                                                                                                \
        row[i] = i;                                                                                                    \
        if (!begin_##SUFFIX (job, q + i * K, codes + i * K, largest + i))                                              \
          return tosst_context_fail (job->context, TOSST_ERROR_NUMERIC, TOSST_CODING_NOT_FINITE, n + i);               \
      }                                                                                                                \
    for (int round = 0; count > 0; round++)                                                                            \
      {                                                                                                                \
        int left = 0;                                                                                                  \
        kernels->lasso_residuals_##SUFFIX (job->H, K, q, codes, row, count, residuals, worker->work);                  \
        for (int j = 0; j < count; j++)                                                                                \
          {                                                                                                            \
            int i = row[j];                                                                                            \
            double wanted = job->certificate ? INFINITY : fmax (coder->options.tolerance, FLOOR) * largest[i],         \
                   tolerance = round < ROUNDS ? wanted : (double)INFINITY;                                             \
            if (tosst_context_checkpoint (job->context))                                                               \
              return TOSST_CANCELLED;                                                                                  \
            double kkt                                                                                                 \
                = kernels->lasso_round_##SUFFIX (job->H, K, residuals + i * K, coder->options.problem.lambda / 2,      \
                                                 is_signed, tolerance, codes + i * K, worker->work);                   \
            if (kkt > tolerance)                                                                                       \
              {                                                                                                        \
                row[left++] = i;                                                                                       \
                continue;                                                                                              \
              }                                                                                                        \
            if (!is_finite_##SUFFIX (codes + i * K, K))                                                                \
              kkt = INFINITY;                                                                                          \
            if (kkt > wanted && !refine_##SUFFIX (job, q + i * K, is_signed, wanted, codes + i * K, &kkt))             \
              return tosst_coding_no_memory (job->context);                                                            \
            finish_##SUFFIX (job, worker, n + i, codes + i * K, largest[i], kkt);                                      \
          }                                                                                                            \
        count = left;                                                                                                  \
      }                                                                                                                \
    return TOSST_OK;                                                                                                   \
  }

DEFINE_SOLVE (float, float, TOSST_FLOOR_FLOAT, ROUNDS_FLOAT)
DEFINE_SOLVE (double, double, TOSST_FLOOR_DOUBLE, TOSST_LASSO_ROUNDS)

/* Solves for tensors first .. first + count - 1, whose correlations are q. */
static TosstStatus
solve_block (const Job *job, Worker *worker, size_t first, size_t count, const char *q)
{
  size_t row = job->coder->K * element_size (job);
  TosstStatus status = TOSST_OK;
  if (job->coder->options.span)
    return tosst_span_solve (job->context, job->coder->K, job->wide, job->H, first, count, q, worker->residuals,
                             (char *)job->codes + first * row);
  for (size_t i = 0; i < count && status == TOSST_OK; i += TOSST_CODING_ROWS)
    {
      int rows = count - i < TOSST_CODING_ROWS ? count - i : TOSST_CODING_ROWS;
      status = job->wide ? solve_double (job, worker, first + i, (const double *)(q + i * row), rows)
                         : solve_float (job, worker, first + i, (const float *)(q + i * row), rows);
    }
  return status;
}

static TosstStatus
code_block (size_t item, int index, void *data)
{
  Job *job = data;
  Worker *worker = &job->worker[index];
  size_t first = job->from + item * job->block, K = job->coder->K;
  size_t count = job->end - first < job->block ? job->end - first : job->block;
  char *q = block_correlations (job, worker, first, count),
       *codes = (char *)job->codes + first * K * element_size (job);

  if (!job->order)
    return solve_block (job, worker, first, count, q);
  tosst_order_rows (q, job->wide, count, K, job->order, false, worker->row);
  tosst_order_rows (codes, job->wide, count, K, job->order, false, worker->row);
  TosstStatus status = solve_block (job, worker, first, count, q);
  tosst_order_rows (codes, job->wide, count, K, job->order, true, worker->row);
  return status;
}

static void
report_job (const Job *job, int threads, double seconds, TosstCodingReport *report)
{
  *report = (TosstCodingReport){ .seconds = seconds };
  size_t nonzeros = 0;
  for (int i = 0; i < threads; i++)
    {
      report->worst_kkt = fmax (report->worst_kkt, job->worker[i].worst_kkt);
      report->seconds_products += job->worker[i].seconds_products / threads;
      nonzeros += job->worker[i].nonzeros;
    }
  report->mean_nonzeros = job->n ? (double)nonzeros / job->n : 0;
  if (job->coder->options.span)
    report->worst_kkt = report->mean_nonzeros = NAN;
}

/* Codes in blocks of `gathered` tensors. */
static TosstStatus
code_gathered (Job *job)
{
  TosstContext *context = job->context;
  size_t m = job->coder->m, K = job->coder->K, threads = tosst_context_threads (context), element = element_size (job);
  size_t step = job->coder->gathered / job->block * job->block;
  step = step > 0 && step < job->n ? step : job->n;
  job->Q = tosst_alloc_aligned (step * K, element);
  TosstStatus status = job->Q ? TOSST_OK : tosst_coding_no_memory (context);
  for (job->from = 0; job->from < job->n && status == TOSST_OK; job->from = job->end)
    {
      size_t count = job->n - job->from < step ? job->n - job->from : step;
      const char *tensors = (const char *)job->tensors + job->from * m * element;
      double start = tosst_context_seconds (context);
      job->end = job->from + count;
      status = tosst_correlate_streamed (job->coder, context, job->wide, tensors, count, job->block, job->Q);
      job->worker[0].seconds_products += threads * (tosst_context_seconds (context) - start);
      TOSST_THEN (status, tosst_parallel (context, (count + job->block - 1) / job->block, code_block, job,
                                          (double)job->from / job->n, (double)job->end / job->n));
    }
  free (job->Q);
  return status;
}

static bool
allocate_worker (const Job *job, Worker *self)
{
  size_t K = job->coder->K, element = element_size (job);
  bool span = job->coder->options.span;
  self->work = span ? NULL : tosst_lasso_work_new (K, TOSST_CODING_ROWS, element);
  self->residuals = tosst_keep (&self->memory, tosst_alloc_aligned (TOSST_CODING_ROWS * K, element));
  self->row = tosst_keep (&self->memory, malloc (K * sizeof *self->row));
  if (!job->atoms)
    return (span || self->work) && !self->memory.failed;
  self->Q = tosst_keep (&self->memory, tosst_alloc_aligned (job->block * K, element));
  self->product = tosst_keep (&self->memory, tosst_alloc_aligned (tosst_correlate_bytes (job->coder->m, job->wide), 1));
  return (span || self->work) && !self->memory.failed;
}

static TosstStatus
run_job (Job *job, TosstCodingReport *report)
{
  TosstContext *context = job->context;
  int threads = tosst_context_threads (context);
  double start = tosst_context_seconds (context);
  TosstStatus status = TOSST_OK;

  /* Block length: long enough to amortise packing, short enough to occupy all threads. */
  size_t block = job->n / 8;
  job->block = block < 16 ? 16 : block > TOSST_CODING_BLOCK ? TOSST_CODING_BLOCK : block;
  job->worker = calloc (threads, sizeof *job->worker);
  if (!job->worker)
    return tosst_coding_no_memory (context);
  for (int i = 0; status == TOSST_OK && i < threads; i++)
    if (!allocate_worker (job, &job->worker[i]))
      status = tosst_coding_no_memory (context);
  if (status == TOSST_OK)
    {
      job->end = job->n;
      status = job->atoms ? tosst_parallel (context, (job->n + job->block - 1) / job->block, code_block, job, 0, 1)
                          : code_gathered (job);
    }
  if (report)
    report_job (job, threads, tosst_context_seconds (context) - start, report);
  for (int i = 0; i < threads; i++)
    {
      tosst_lasso_work_free (job->worker[i].work);
      tosst_release (&job->worker[i].memory);
    }
  free (job->worker);
  return status;
}

/* The coder stores one precision; the other one is converted here. */
static TosstStatus
find_matrices (Job *job)
{
  const TosstCoder *coder = job->coder;
  size_t K = coder->K, element = element_size (job);
  job->H = coder->H;
  job->atoms = coder->atoms;
  if (job->wide == coder->options.wide)
    return TOSST_OK;
  job->atoms = NULL;
  bool keeps = coder->atoms != NULL && !job->certificate; /* a second copy is not worth its memory for few codes */
  void *H = tosst_keep (&job->memory, tosst_alloc_aligned (K * K, element)), *atoms = NULL;
  if (keeps)
    atoms = tosst_keep (&job->memory, tosst_alloc_aligned (tosst_atoms_numbers (K, coder->m, job->wide), element));
  if (job->memory.failed)
    return tosst_coding_no_memory (job->context);
  job->H = H;
  job->atoms = atoms;
  TosstStatus status = coder->options.span ? tosst_span_factor (coder, job->context, job->wide, H)
                                           : tosst_reduction_gram (&coder->reduction, job->context, coder->dictionary,
                                                                   NULL, coder->sign, job->wide, H);
  if (status == TOSST_OK && keeps)
    status = tosst_transform_atoms (coder, job->context, 0, K, job->wide, atoms);
  return status;
}

/* Whether to reorder: only for many existing codes, because copying H costs as much as it saves for some hundred
 * codes. A small H is in the cache anyway, and where H is borrowed there is no room for another. */
static TosstStatus
order_atoms (Job *job)
{
  size_t K = job->coder->K;
  if (!job->warm || K < ORDERED_FROM || job->n < K || job->coder->sign || job->coder->borrows
      || job->coder->options.span)
    return TOSST_OK;
  job->order = tosst_keep (&job->memory, malloc (sizeof *job->order * K));
  void *H = tosst_keep (&job->memory, tosst_alloc_aligned (K * K, element_size (job)));
  if (job->memory.failed || !tosst_order_by_use (job->codes, job->wide, job->n, K, job->order))
    return tosst_coding_no_memory (job->context);
  TosstStatus status = tosst_order_gram (job->context, job->H, job->wide, K, job->order, H);
  job->H = H;
  return status;
}

static TosstStatus
code (TosstContext *context, const TosstCoder *coder, bool wide, const void *tensors, size_t n, bool warm, void *codes,
      TosstCodingReport *report)
{
  TOSST_REQUIRE (context, context && coder && (n == 0 || (tensors && codes)));
  if (coder->nonnegative)
    return tosst_code_nonnegative (context, coder, wide, tensors, n, warm, codes, NULL, report);
  Job job
      = { .coder = coder, .context = context, .wide = wide, .tensors = tensors, .codes = codes, .n = n, .warm = warm };
  TosstStatus status = find_matrices (&job) ?: order_atoms (&job) ?: run_job (&job, report);
  tosst_release (&job.memory);
  return status;
}

TosstStatus
tosst_code_certificate (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n,
                        const double *codes, double *kkt)
{
  TOSST_REQUIRE (context, context && coder && (n == 0 || (tensors && codes && kkt)));
  size_t K = coder->K;
  for (size_t i = 0; coder->nonnegative && i < n; i++)
    kkt[i] = NAN;
  if (coder->nonnegative)
    return TOSST_OK;
  double *copy = malloc (sizeof *copy * (n * K + 1));
  if (!copy)
    return tosst_coding_no_memory (context);
  memcpy (copy, codes, sizeof *copy * n * K);
  Job job = { .coder = coder,
              .context = context,
              .wide = true,
              .tensors = tensors,
              .codes = copy,
              .n = n,
              .warm = true,
              .certificate = kkt };
  TosstStatus status = find_matrices (&job) ?: run_job (&job, NULL);
  tosst_release (&job.memory);
  free (copy);
  return status;
}

TosstStatus
tosst_code (TosstContext *context, const TosstCoder *coder, const float *tensors, size_t n, bool warm, float *codes,
            TosstCodingReport *report)
{
  return code (context, coder, false, tensors, n, warm, codes, report);
}

TosstStatus
tosst_code_double (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n, bool warm,
                   double *codes, TosstCodingReport *report)
{
  return code (context, coder, true, tensors, n, warm, codes, report);
}

typedef struct
{
  int atom;
  size_t use;
} Use;

static int
more_used (const void *a, const void *b)
{
  const Use *x = a, *y = b;
  return x->use != y->use ? (x->use < y->use) - (x->use > y->use) : x->atom - y->atom;
}

typedef struct
{
  const void *H;
  bool wide;
  size_t K;
  const int *order;
  void *out;
} Gram;

/* SUFFIX names the precision. */
#define DEFINE_ORDER(SUFFIX, TYPE)                                                                                     \
  static void count_##SUFFIX (const TYPE *code, size_t K, Use *use)                                                    \
  {                                                                                                                    \
    for (size_t k = 0; k < K; k++)                                                                                     \
      use[k].use += code[k] != 0;                                                                                      \
  }                                                                                                                    \
                                                                                                                       \
  static void pick_##SUFFIX (const TYPE *restrict row, size_t K, const int *order, TYPE *restrict out)                 \
  {                                                                                                                    \
    for (size_t k = 0; k < K; k++)                                                                                     \
      out[k] = row[order[k]];                                                                                          \
  }                                                                                                                    \
                                                                                                                       \
  static void place_##SUFFIX (const TYPE *restrict row, size_t K, const int *order, TYPE *restrict out)                \
  {                                                                                                                    \
    for (size_t k = 0; k < K; k++)                                                                                     \
      out[order[k]] = row[k];                                                                                          \
  }                                                                                                                    \
                                                                                                                       \
  static void rows_##SUFFIX (TYPE *rows, size_t count, size_t K, const int *order, bool back, TYPE *work)              \
  {                                                                                                                    \
    for (TYPE *row = rows; row < rows + count * K; row += K)                                                           \
      {                                                                                                                \
        memcpy (work, row, sizeof *row *K);                                                                            \
        if (back)                                                                                                      \
          place_##SUFFIX (work, K, order, row);                                                                        \
        else                                                                                                           \
          pick_##SUFFIX (work, K, order, row);                                                                         \
      }                                                                                                                \
  }

DEFINE_ORDER (float, float)
DEFINE_ORDER (double, double)

bool
tosst_order_by_use (const void *codes, bool wide, size_t n, size_t K, int *order)
{
  Use *use = malloc (sizeof *use * K);
  size_t step = n / USE_SAMPLE + 1;
  if (!use)
    return false;
  for (size_t k = 0; k < K; k++)
    use[k] = (Use){ k, 0 };
  for (size_t i = 0; i < n; i += step)
    if (wide)
      count_double ((const double *)codes + i * K, K, use);
    else
      count_float ((const float *)codes + i * K, K, use);
  qsort (use, K, sizeof *use, more_used);
  for (size_t k = 0; k < K; k++)
    order[k] = use[k].atom;
  free (use);
  return true;
}

static TosstStatus
gram_task (size_t item, int worker, void *data)
{
  Gram *self = data;
  size_t K = self->K, first = item * ORDERED_ROWS, end = first + ORDERED_ROWS < K ? first + ORDERED_ROWS : K;
  for (size_t i = first; i < end; i++)
    if (self->wide)
      pick_double ((const double *)self->H + self->order[i] * K, K, self->order, (double *)self->out + i * K);
    else
      pick_float ((const float *)self->H + self->order[i] * K, K, self->order, (float *)self->out + i * K);
  return TOSST_OK;
}

TosstStatus
tosst_order_gram (TosstContext *context, const void *H, bool wide, size_t K, const int *order, void *out)
{
  Gram gram = { H, wide, K, order, out };
  return tosst_parallel_work (context, (K + ORDERED_ROWS - 1) / ORDERED_ROWS, (double)K * K, gram_task, &gram);
}

void
tosst_order_rows (void *rows, bool wide, size_t count, size_t K, const int *order, bool back, void *work)
{
  if (wide)
    rows_double (rows, count, K, order, back, work);
  else
    rows_float (rows, count, K, order, back, work);
}
