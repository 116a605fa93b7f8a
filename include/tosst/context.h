/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Version and linkage of the library; state of a computation, random numbers and the BLAS library.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of these headers; that of the library in use is tosst_version(). */
#define TOSST_MAJOR_VERSION 0
#define TOSST_MINOR_VERSION 1
#define TOSST_MICRO_VERSION 0

/* Around the declarations of a header: functions are C functions, also in C++, and the only ones that the shared library
 * exports. */
#ifdef __cplusplus
#define TOSST_EXTERN_C_BEGIN                                                                                           \
  extern "C"                                                                                                           \
  {
#define TOSST_EXTERN_C_END }
#else
#define TOSST_EXTERN_C_BEGIN
#define TOSST_EXTERN_C_END
#endif
#ifdef __GNUC__
#define TOSST_BEGIN_DECLS TOSST_EXTERN_C_BEGIN _Pragma ("GCC visibility push(default)")
#define TOSST_END_DECLS _Pragma ("GCC visibility pop") TOSST_EXTERN_C_END
#define TOSST_PRINTF(text, first) __attribute__ ((__format__ (__printf__, text, first)))
#else
#define TOSST_BEGIN_DECLS TOSST_EXTERN_C_BEGIN
#define TOSST_END_DECLS TOSST_EXTERN_C_END
#define TOSST_PRINTF(text, first)
#endif

TOSST_BEGIN_DECLS

/* Returns the version of the library in use, "MAJOR.MINOR.MICRO". Static string. */
const char *tosst_version (void);

/* Status of a public engine call. A failure stores an English message in the context (tosst_context_message()); a
 * cancelled call is not a failure. */
typedef enum
{
  TOSST_OK = 0,
  TOSST_CANCELLED,      /* cancelled by the caller; partial results as documented by each call */
  TOSST_ERROR_ARGUMENT, /* invalid value or shape */
  TOSST_ERROR_MEMORY,   /* an allocation failed */
  TOSST_ERROR_NUMERIC,  /* NaN or infinity where values must be finite, or a failed factorisation */
} TosstStatus;

/* State of a computation: number of threads, progress callback, and pause and cancel flags. A context serves one
 * computation at a time; functions documented as "any thread" may be called while it runs. */
typedef struct TosstContext TosstContext;

/* Called on the thread that made the engine call, never concurrently. fraction is in [0, 1]. */
typedef void (*TosstProgressFunc) (double fraction, void *user_data);

/* Allocates a context with exactly `threads` >= 1 threads: threads - 1 workers are started here and joined by
 * tosst_context_free(). OpenBLAS is set to one thread per caller; the engine splits its products itself. Returns
 * NULL if out of memory. */
TosstContext *tosst_context_new (int threads);
void tosst_context_free (TosstContext *context);

/* Returns the number of threads. */
int tosst_context_threads (const TosstContext *context);
/* Sets the function that progress is reported to, or NULL, and its user_data. */
void tosst_context_set_progress (TosstContext *context, TosstProgressFunc func, void *user_data);

/* Any thread. A cancelled computation returns TOSST_CANCELLED within milliseconds; a paused one sleeps at its
 * next checkpoint until resumed or cancelled. tosst_context_reset() clears both before the context is used again. */
void tosst_context_cancel (TosstContext *context);
void tosst_context_pause (TosstContext *context);
void tosst_context_resume (TosstContext *context);
void tosst_context_reset (TosstContext *context);
bool tosst_context_is_cancelled (TosstContext *context);
bool tosst_context_is_paused (TosstContext *context);

/* Returns the message of the last failure; "" if there was none. Owned by the context. */
const char *tosst_context_message (const TosstContext *context);

/* Maps the progress 0 .. 1 of nested calls to [low, high] of the current range. Returns the previous range for
 * tosst_context_set_range(). */
typedef struct
{
  double low, high;
} TosstRange;
TosstRange tosst_context_narrow (TosstContext *context, double low, double high);
void tosst_context_set_range (TosstContext *context, TosstRange range);

/* To be called regularly inside a computation: sleeps while paused; returns true after a cancellation. */
bool tosst_context_checkpoint (TosstContext *context);

/* Seconds on a monotonic clock, excluding pauses; only differences are meaningful. */
double tosst_context_seconds (TosstContext *context);

/* Reports progress; only from the thread that made the engine call. */
void tosst_context_progress (TosstContext *context, double fraction);

/* Stores a printf-style message and returns status, for use as: return tosst_context_fail (...). */
TosstStatus tosst_context_fail (TosstContext *context, TosstStatus status, const char *format, ...) TOSST_PRINTF (3, 4);

/* Calls task (item, worker, data) for item = 0 .. items - 1 on all threads, in any order, and waits. worker is in
 * [0, threads): the index of a per-worker buffer. After a cancellation (checked before each item; sleeps there while
 * paused) no further items are started, and TOSST_CANCELLED is returned. The first status other than TOSST_OK ends
 * the loop and is returned. Progress is reported between fraction0 and fraction1; equal values disable it. */
typedef TosstStatus (*TosstTaskFunc) (size_t item, int worker, void *data);
TosstStatus tosst_parallel (TosstContext *context, size_t items, TosstTaskFunc task, void *data, double fraction0,
                            double fraction1);

/* tosst_parallel() without progress. work: approximate total number of multiply-adds; small loops run on the calling
 * thread alone, because waking a worker takes longer. */
TosstStatus tosst_parallel_work (TosstContext *context, size_t items, double work, TosstTaskFunc task, void *data);

/* Generator xoshiro256++ seeded by splitmix64: the same stream on every machine. */
typedef struct
{
  uint64_t s[4];
} TosstRandom;

/* Seeds the generator; stream separates independent uses of one seed (splits, initialisation, ...). */
void tosst_random_init (TosstRandom *random, uint64_t seed, uint64_t stream);
uint64_t tosst_random_next (TosstRandom *random);
/* Uniform in [0, bound), unbiased; 0 for bound 0 or without a generator. */
uint64_t tosst_random_below (TosstRandom *random, uint64_t bound);
/* Uniform in [0, 1), 53 bits. */
double tosst_random_uniform (TosstRandom *random);
/* Standard normal. */
double tosst_random_normal (TosstRandom *random);
/* Fisher-Yates shuffle of n indices. */
void tosst_random_shuffle (TosstRandom *random, size_t *index, size_t n);

/* Detection of the BLAS library of the process, and selection of OpenBLAS's kernel.
 *
 * OpenBLAS selects a kernel when it is loaded, from a list of the processors known at its release. A processor
 * released later gets a kernel of 2004, at a quarter or a fifth of the speed. tosst_blas_select_kernel() repeats the
 * selection by the instructions that processor and operating system support. Programs that use the engine call it
 * once at startup:
 *
 *     tosst_blas_select_kernel (getenv (TOSST_BLAS_VARIABLE)); */

/* Environment variable that names a kernel; OpenBLAS reads it when it is loaded. */
#define TOSST_BLAS_VARIABLE "OPENBLAS_CORETYPE"

/* The BLAS library of the process. */
typedef struct
{
  const char *name;    /* "OpenBLAS", "BLIS", "MKL", "ATLAS", "FlexiBLAS" or "reference BLAS" */
  const char *version; /* version and build options, "" if unknown; owned by the library */
  const char *kernel;  /* OpenBLAS's current kernel; NULL for other libraries */
  bool is_dynamic;     /* the library contains kernels for several processors */
  char file[4096];     /* shared library that defines cblas_sgemm(), links resolved; "" if not found */
  char other[4096];    /* file behind libblas.so.3 if that is a library other than OpenBLAS, else "" */
} TosstBlasLibrary;

/* Fills in *library. May be called on any thread. */
void tosst_blas_describe (TosstBlasLibrary *library);

/* Selects the fastest of OpenBLAS's kernels supported by this processor if OpenBLAS has selected one for older
 * instructions.
 *
 * wanted: the kernel requested by the user, from the environment at the time OpenBLAS was loaded; it is used if
 * OpenBLAS contains it and this processor supports it. NULL or "" for none. Libraries other than OpenBLAS are not
 * changed.
 *
 * The environment variable is set to wanted afterwards. Must be called before other threads use BLAS or the
 * environment.
 *
 * Returns TOSST_OK, or TOSST_ERROR_ARGUMENT with a usable kernel selected if this processor does not support the
 * wanted kernel or OpenBLAS does not contain it. */
TosstStatus tosst_blas_select_kernel (const char *wanted);

/* Lets OpenBLAS allocate the buffers for products on the given number of threads. With limited memory (ulimit -v)
 * OpenBLAS retries a failed allocation without end; to be called once, before any product. Returns
 * TOSST_ERROR_MEMORY if the buffers do not fit. */
TosstStatus tosst_blas_reserve (int threads);

/* Returns the i-th of OpenBLAS's kernels that this processor supports and that differ in speed, from the oldest to
 * the newest instructions; NULL after the last one. Static strings. */
const char *tosst_blas_kernel (size_t i);

/* Measures large matrix products on the threads of the context: *rate is the median of a few, in 10^9 floating-point
 * operations per second, of float64 or float32. Takes 30 MB (float64) and at most some tenths of a second. */
TosstStatus tosst_blas_measure (TosstContext *context, bool is_double, double *rate);

/* Returns the name of the instruction set of the engine's own loops: "baseline", "AVX2" or "AVX-512", the widest that
 * processor and operating system support. Static string. */
const char *tosst_instruction_set (void);

TOSST_END_DECLS
