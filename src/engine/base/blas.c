/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "engine/base/blas.h"

#include <dlfcn.h>
#include <lapacke.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "engine/base/memory.h"
#include "engine/base/tuning.h"
#include "engine/base/vector.h"

typedef struct
{
  CBLAS_TRANSPOSE ta, tb;
  int M, N, K, lda, ldb, ldc;
  double alpha, beta;
  const double *A;
  const double *B;
  double *C;
  const float *A_float, *B_float; /* used instead of A, B and C in a product of floats */
  float *C_float;
  int columns; /* columns per task */
  bool lower;  /* the lower triangle alone */
} Product;

/* Returns an even number of tasks of about equal size. */
static int
split (int N)
{
  int tasks = 2 * ((N + 2 * PRODUCT_COLUMNS - 1) / (2 * PRODUCT_COLUMNS));
  return ((N + tasks - 1) / tasks + 15) / 16 * 16;
}

static size_t
tasks_of (const Product *self)
{
  return (self->N + self->columns - 1) / self->columns;
}

static int
width (const Product *self, size_t item)
{
  int left = self->N - (int)item * self->columns;
  return left < self->columns ? left : self->columns;
}

/* Computes some columns of a product, in either precision, or of a symmetric one from the diagonal down. */
static TosstStatus
gemm_block (size_t item, int worker, void *data)
{
  Product *self = data;
  size_t first = item * self->columns, first_row = self->lower ? first : 0;
  int rows = self->M - (int)first_row, columns = width (self, item);
  size_t a = self->ta == CblasNoTrans ? first_row : first_row * self->lda,
         b = self->tb == CblasNoTrans ? first * self->ldb : first, c = first * self->ldc + first_row;
  if (self->C_float)
    cblas_sgemm (CblasColMajor, self->ta, self->tb, rows, columns, self->K, self->alpha, self->A_float + a, self->lda,
                 self->B_float + b, self->ldb, self->beta, self->C_float + c, self->ldc);
  else
    cblas_dgemm (CblasColMajor, self->ta, self->tb, rows, columns, self->K, self->alpha, self->A + a, self->lda,
                 self->B + b, self->ldb, self->beta, self->C + c, self->ldc);
  return TOSST_OK;
}

TosstStatus
tosst_dgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K, double alpha,
             const double *A, int lda, const double *B, int ldb, double beta, double *C, int ldc)
{
  Product self = { ta, tb, M, N, K, lda, ldb, ldc, alpha, beta, A, B, C, .columns = split (N) };
  return tosst_parallel_work (context, tasks_of (&self), (double)M * N * K, gemm_block, &self);
}

TosstStatus
tosst_sgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K, float alpha,
             const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc)
{
  Product self
      = { ta, tb, M, N, K, lda, ldb, ldc, alpha, beta, .A_float = A, .B_float = B, .C_float = C, .columns = split (N) };
  return tosst_parallel_work (context, tasks_of (&self), (double)M * N * K, gemm_block, &self);
}

typedef struct
{
  const double *from;
  double *to;
  size_t n;
} Copy;

static TosstStatus
copy_block (size_t item, int worker, void *data)
{
  Copy *self = data;
  size_t first = item * COPIED, count = self->n - first < COPIED ? self->n - first : COPIED;
  memcpy (self->to + first, self->from + first, sizeof *self->to * count);
  return TOSST_OK;
}

TosstStatus
tosst_copy (TosstContext *context, size_t n, const double *from, double *to)
{
  Copy self = { from, to, n };
  return tosst_parallel_work (context, (n + COPIED - 1) / COPIED, n, copy_block, &self);
}

/* Copies rows of the upper triangle from columns of the lower one. */
static TosstStatus
mirror_block (size_t item, int worker, void *data)
{
  Product *self = data;
  size_t ld = self->ldc, n = self->N, first = item * MIRROR_TILE,
         last = first + MIRROR_TILE < n ? first + MIRROR_TILE : n;
  for (size_t j0 = first; j0 < n; j0 += MIRROR_TILE)
    for (size_t i = first; i < last; i++)
      for (size_t j = j0 > i ? j0 : i + 1; j < j0 + MIRROR_TILE && j < n; j++)
        self->C[j * ld + i] = self->C[i * ld + j];
  return TOSST_OK;
}

TosstStatus
tosst_dgemm_lower (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int N, int K, double alpha,
                   const double *A, int lda, const double *B, int ldb, double beta, double *C, int ldc)
{
  Product self = { ta, tb, N, N, K, lda, ldb, ldc, alpha, beta, A, B, C, .columns = split (N) / 2, .lower = true };
  return tosst_parallel_work (context, tasks_of (&self), .5 * N * N * K, gemm_block, &self);
}

TosstStatus
tosst_mirror (TosstContext *context, int N, double *C, int ldc)
{
  Product self = { .N = N, .C = C, .ldc = ldc };
  return tosst_parallel_work (context, (N + MIRROR_TILE - 1) / MIRROR_TILE, (double)N * N, mirror_block, &self);
}

static TosstStatus
trsm_block (size_t item, int worker, void *data)
{
  Product *self = data;
  cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, self->ta, CblasNonUnit, self->M, width (self, item), 1, self->A,
               self->lda, self->C + item * self->columns * self->ldc, self->ldc);
  return TOSST_OK;
}

TosstStatus
tosst_dtrsm (TosstContext *context, CBLAS_TRANSPOSE tl, int M, int N, const double *L, int ldl, double *B, int ldb)
{
  Product self = { .ta = tl, .M = M, .N = N, .A = L, .lda = ldl, .C = B, .ldc = ldb, .columns = split (N) };
  return tosst_parallel_work (context, tasks_of (&self), .5 * M * M * N, trsm_block, &self);
}

/* A = L L' by blocks of columns, where the panel P consists of the diagonal block and the rows below it:
 *     P11 = L11 L11',   L21 = P21 L11'^{-1},   A22 <- A22 - L21 L21'.
 * The task that updates the columns of the next panel also factorises it, while other tasks update the remaining
 * columns, so that no thread waits for a panel. The result does not depend on the number of threads. */

typedef struct
{
  TosstContext *context;
  double *A;
  size_t n;
  size_t first, next; /* first column of the factorised panel, and of the next one */
} Step;

/* Factorises the panel that starts at this column. */
static TosstStatus
factor_panel (const Step *self, size_t first)
{
  size_t n = self->n, width = tosst_smaller (CHOLESKY_BLOCK, n - first), below = n - first - width;
  double *P = self->A + first * n + first;
  if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', width, P, n) != 0)
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "a matrix is not positive definite");
  if (below > 0)
    cblas_dtrsm (CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, below, width, 1, P, n, P + width, n);
  return TOSST_OK;
}

/* Updates A22, a block of columns from the diagonal down; the first block is the next panel. */
static TosstStatus
update_columns (size_t item, int worker, void *data)
{
  const Step *self = data;
  size_t n = self->n, column = self->next + item * CHOLESKY_BLOCK;
  const double *rows = self->A + self->first * n + column;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, n - column, tosst_smaller (CHOLESKY_BLOCK, n - column),
               self->next - self->first, -1, rows, n, rows, n, 1, self->A + column * n + column, n);
  return item == 0 ? factor_panel (self, column) : TOSST_OK;
}

TosstStatus
tosst_cholesky (TosstContext *context, int n, double *A)
{
  Step step = { context, A, n };
  TosstStatus status = n > 0 ? factor_panel (&step, 0) : TOSST_OK;
  for (step.next = CHOLESKY_BLOCK; status == TOSST_OK && step.next < step.n;
       step.first = step.next, step.next += CHOLESKY_BLOCK)
    {
      double below = step.n - step.next;
      status = tosst_parallel_work (context, (step.n - step.next + CHOLESKY_BLOCK - 1) / CHOLESKY_BLOCK,
                                    .5 * CHOLESKY_BLOCK * below * below, update_columns, &step);
    }
  return status;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* C = A' B with matrices of MEASURED_SIDE, in either precision. */
static TosstStatus
multiply (TosstContext *context, bool is_double, const void *A, const void *B, void *C)
{
  const int n = MEASURED_SIDE;
  return is_double ? tosst_dgemm (context, CblasTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n)
                   : tosst_sgemm (context, CblasTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
}

static void
fill (bool is_double, void *matrix)
{
  for (size_t i = 0; i < (size_t)MEASURED_SIDE * MEASURED_SIDE; i++)
    if (is_double)
      ((double *)matrix)[i] = (double)(i % 17) / 17;
    else
      ((float *)matrix)[i] = (float)(i % 17) / 17;
}

/* The first product is a warm-up; slow kernels get fewer. */
static TosstStatus
measure (TosstContext *context, bool is_double, const void *A, const void *B, void *C, double *rate)
{
  double rates[MEASUREMENTS], spent = 0, side = MEASURED_SIDE;
  int done = 0;
  for (int r = -1; r < MEASUREMENTS && spent < MEASURED_SECONDS; r++)
    {
      double start = tosst_context_seconds (context);
      TosstStatus status = multiply (context, is_double, A, B, C);
      double seconds = tosst_context_seconds (context) - start;
      if (status != TOSST_OK)
        return status;
      if (r < 0)
        continue;
      spent += seconds;
      rates[done++] = 2e-9 * side * side * side / seconds;
    }
  qsort (rates, done, sizeof *rates, compare);
  *rate = rates[done / 2];
  return TOSST_OK;
}

TosstStatus
tosst_blas_measure (TosstContext *context, bool is_double, double *rate)
{
  TOSST_REQUIRE (context, context && rate);
  size_t size = is_double ? sizeof (double) : sizeof (float), n = (size_t)MEASURED_SIDE * MEASURED_SIDE;
  void *A = tosst_alloc_aligned (n, size), *B = tosst_alloc_aligned (n, size), *C = tosst_alloc_aligned (n, size);
  TosstStatus status = A && B && C
                           ? TOSST_OK
                           : tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to measure products");
  if (status == TOSST_OK)
    {
      fill (is_double, A);
      fill (is_double, B);
      status = measure (context, is_double, A, B, C, rate);
    }
  free (A);
  free (B);
  free (C);
  return status;
}

/* Each kernel has a level of instructions. The processor's level is reported by CPUID (or the auxiliary vector) and
 * the operating system; if OpenBLAS's own choice is of a lower level, the kernel of the processor's level replaces
 * it.
 *
 * OpenBLAS has no public call that changes the kernel. It reads OPENBLAS_CORETYPE in gotoblas_dynamic_init(), which
 * every build with several kernels (DYNAMIC_ARCH) exports; gotoblas_dynamic_quit() resets the selection. The
 * references are weak: without these functions the selection is not changed. */

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "engine/base/tuning.h"

#pragma weak openblas_get_config
#pragma weak openblas_get_corename
extern void gotoblas_dynamic_init (void) __attribute__ ((weak));
extern void gotoblas_dynamic_quit (void) __attribute__ ((weak));
extern void *blas_memory_alloc (int position) __attribute__ ((weak));
extern void blas_memory_free (void *buffer) __attribute__ ((weak));

/* Levels of instructions. Kernels that are not in the table below have LEVEL_UNKNOWN and are not replaced. */
enum
{
  LEVEL_UNKNOWN,
  LEVEL_BASE,   /* SSE2 or ARMv8.0, the baseline of all 64-bit processors */
  LEVEL_SSE4,   /* SSE4.2 */
  LEVEL_AVX,    /* or ARMv8.2 */
  LEVEL_AVX2,   /* with FMA */
  LEVEL_AVX512, /* of Skylake servers: F, CD, BW, DQ, VL */
  LEVEL_BF16,   /* AVX-512 with bfloat16, without benefit for products of floats */
};

typedef struct
{
  const char *name;
  int level;
  bool is_measured; /* one of the kernels that differ in speed */
} Kernel;

static const Kernel kernels[] = {
#if defined(__aarch64__)
  { "ARMV8", LEVEL_BASE, true },
  { "CORTEXA53", LEVEL_BASE, true },
  { "CORTEXA57", LEVEL_BASE, true },
  { "NEOVERSEN1", LEVEL_AVX, true },
#else
  { "Prescott", LEVEL_BASE, true },    { "Core2", LEVEL_BASE, false },        { "Penryn", LEVEL_BASE, false },
  { "Dunnington", LEVEL_BASE, false }, { "Atom", LEVEL_BASE, false },         { "Nano", LEVEL_BASE, false },
  { "Opteron", LEVEL_BASE, false },    { "Opteron_SSE3", LEVEL_BASE, false }, { "Barcelona", LEVEL_BASE, false },
  { "Bobcat", LEVEL_BASE, false },     { "Nehalem", LEVEL_SSE4, true },       { "Sandybridge", LEVEL_AVX, true },
  { "Haswell", LEVEL_AVX2, true },     { "Zen", LEVEL_AVX2, true },           { "SkylakeX", LEVEL_AVX512, true },
  { "Cooperlake", LEVEL_BF16, true },
#endif
};

#define N_KERNELS (sizeof kernels / sizeof *kernels)

static int
processor_level (void)
{
#if defined(__x86_64__)
  /* GCC and clang take the operating system into account: wide registers count if XGETBV reports that they are
   * saved. */
  __builtin_cpu_init ();
  if (!__builtin_cpu_supports ("sse4.2"))
    return LEVEL_BASE;
  if (!__builtin_cpu_supports ("avx"))
    return LEVEL_SSE4;
  if (!__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma") || !__builtin_cpu_supports ("bmi")
      || !__builtin_cpu_supports ("bmi2"))
    return LEVEL_AVX;
  if (!__builtin_cpu_supports ("avx512f") || !__builtin_cpu_supports ("avx512cd")
      || !__builtin_cpu_supports ("avx512bw") || !__builtin_cpu_supports ("avx512dq")
      || !__builtin_cpu_supports ("avx512vl"))
    return LEVEL_AVX2;
  return __builtin_cpu_supports ("avx512bf16") ? LEVEL_BF16 : LEVEL_AVX512;
#elif defined(__aarch64__)
  unsigned long wanted = HWCAP_ATOMICS | HWCAP_ASIMDRDM | HWCAP_ASIMDHP | HWCAP_ASIMDDP;
  return (getauxval (AT_HWCAP) & wanted) == wanted ? LEVEL_AVX : LEVEL_BASE;
#else
  return LEVEL_UNKNOWN;
#endif
}

/* Returns the fastest kernel for a processor of this level. */
static const char *
fastest (int level)
{
#if defined(__x86_64__)
  if (level >= LEVEL_AVX512)
    return "SkylakeX";
  if (level == LEVEL_AVX2)
    return __builtin_cpu_is ("amd") ? "Zen" : "Haswell";
  return level == LEVEL_AVX ? "Sandybridge" : level == LEVEL_SSE4 ? "Nehalem" : "Prescott";
#elif defined(__aarch64__)
  return level >= LEVEL_AVX ? "NEOVERSEN1" : "ARMV8";
#else
  return NULL;
#endif
}

static int
level_of (const char *name)
{
  for (size_t i = 0; i < N_KERNELS; i++)
    if (strcasecmp (kernels[i].name, name) == 0)
      return kernels[i].level;
  return LEVEL_UNKNOWN;
}

const char *
tosst_blas_kernel (size_t i)
{
  int level = processor_level ();
  for (size_t k = 0; k < N_KERNELS; k++)
    if (kernels[k].is_measured && kernels[k].level <= level && i-- == 0)
      return kernels[k].name;
  return NULL;
}

/* Finds the file of the shared library that defines this function, links resolved. */
static void
file_of (void *function, char *file, size_t size)
{
  Dl_info info;
  char path[PATH_MAX];
  file[0] = '\0';
  if (!function || dladdr (function, &info) == 0 || !info.dli_fname)
    return;
  const char *name = realpath (info.dli_fname, path) ? path : info.dli_fname;
  if (strlen (name) < size)
    strcpy (file, name);
}

/* Identifies the library in this file by a function exported by it or by a library it depends on, or by its path:
 * Debian's BLIS exports the functions of BLAS alone. */
static const char *
name_of (const char *file)
{
  static const struct
  {
    const char *function, *word, *name;
  } marks[] = {
    { "flexiblas_get_version", "flexiblas", "FlexiBLAS" },
    { "bli_info_get_version_str", "blis", "BLIS" },
    { "mkl_get_version_string", "mkl", "MKL" },
    { "ATL_buildinfo", "atlas", "ATLAS" },
    { "openblas_get_config", "openblas", "OpenBLAS" },
  };
  const char *name = NULL;
  void *handle = dlopen (file, RTLD_LAZY | RTLD_NOLOAD);
  for (size_t i = 0; handle && !name && i < sizeof marks / sizeof *marks; i++)
    if (dlsym (handle, marks[i].function) || strstr (file, marks[i].word))
      name = marks[i].name;
  if (handle)
    dlclose (handle);
  else if (openblas_get_config)
    name = "OpenBLAS"; /* statically linked program */
  return name ? name : "reference BLAS";
}

static bool
is_openblas (const char *name)
{
  return strcmp (name, "OpenBLAS") == 0;
}

void
tosst_blas_describe (TosstBlasLibrary *library)
{
  *library = (TosstBlasLibrary){ .version = "", .name = "OpenBLAS" };
  file_of ((void *)cblas_sgemm, library->file, sizeof library->file);
  if (library->file[0] != '\0')
    library->name = name_of (library->file);
  /* The default library of this system; LAPACKE brings it into the process. */
  void *handle = dlopen ("libblas.so.3", RTLD_LAZY | RTLD_NOLOAD);
  if (handle)
    {
      file_of (dlsym (handle, "dgemm_"), library->other, sizeof library->other);
      dlclose (handle);
      if (is_openblas (name_of (library->other)))
        library->other[0] = '\0';
    }
  if (!is_openblas (library->name) || !openblas_get_config || !openblas_get_corename)
    return;
  library->version = openblas_get_config ();
  library->kernel = openblas_get_corename ();
  library->is_dynamic = strstr (library->version, "DYNAMIC_ARCH") != NULL;
}

static void
set_variable (const char *value)
{
  if (value)
    setenv (TOSST_BLAS_VARIABLE, value, 1);
  else
    unsetenv (TOSST_BLAS_VARIABLE);
}

/* Makes OpenBLAS select this kernel, or its own choice if name is NULL. Returns its kernel afterwards. */
static const char *
choose (const char *name)
{
  set_variable (name);
  gotoblas_dynamic_quit ();
  gotoblas_dynamic_init ();
  return openblas_get_corename ();
}

/* Caps a level at the highest one that speeds up products of floats. */
static int
capped_level (int level)
{
  return level < LEVEL_AVX512 ? level : LEVEL_AVX512;
}

TosstStatus
tosst_blas_select_kernel (const char *wanted)
{
  TosstBlasLibrary library;
  tosst_blas_describe (&library);
  int level = processor_level ();
  if (!library.is_dynamic || !gotoblas_dynamic_init || !gotoblas_dynamic_quit || level == LEVEL_UNKNOWN)
    return TOSST_OK;
  bool is_wanted = wanted && wanted[0] != '\0', is_followed = is_wanted && strcasecmp (library.kernel, wanted) == 0;
  if (is_followed && level_of (library.kernel) <= level)
    return TOSST_OK;
  char *kept = wanted ? strdup (wanted) : NULL; /* copied because it may point into the environment */
  choose (NULL);
  /* Replaces OpenBLAS's own choice if that is of a lower level than the processor's. */
  char own[64];
  snprintf (own, sizeof own, "%s", openblas_get_corename ());
  int chosen = level_of (own);
  if (chosen != LEVEL_UNKNOWN && capped_level (chosen) < capped_level (level)
      && strcasecmp (choose (fastest (level)), fastest (level)) != 0)
    choose (own);
  set_variable (kept);
  free (kept);
  return is_wanted ? TOSST_ERROR_ARGUMENT : TOSST_OK;
}

TosstStatus
tosst_blas_reserve (int threads)
{
  struct rlimit limit;
  size_t size = (size_t)threads * BLAS_BUFFER + PROGRAM_MARGIN;
  if (!blas_memory_alloc || !blas_memory_free || getrlimit (RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return TOSST_OK;
  void **buffer = malloc ((size_t)threads * sizeof *buffer);
  void *room = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room != MAP_FAILED)
    munmap (room, size);
  bool fits = buffer && room != MAP_FAILED;
  for (int i = 0; fits && i < threads; i++)
    buffer[i] = blas_memory_alloc (1);
  for (int i = 0; fits && i < threads; i++)
    blas_memory_free (buffer[i]);
  free (buffer);
  return fits ? TOSST_OK : TOSST_ERROR_MEMORY;
}
