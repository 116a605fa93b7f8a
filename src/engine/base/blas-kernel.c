/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each kernel has a level of instructions. The processor's level is reported by CPUID (or the auxiliary vector) and
 * the operating system; if OpenBLAS's own choice is of a lower level, the kernel of the processor's level replaces
 * it.
 *
 * OpenBLAS has no public call that changes the kernel. It reads OPENBLAS_CORETYPE in gotoblas_dynamic_init(), which
 * every build with several kernels (DYNAMIC_ARCH) exports; gotoblas_dynamic_quit() resets the selection. The
 * references are weak: without these functions the selection is not changed.
 */
#define _GNU_SOURCE
#include "tosst/context.h"

#include <cblas.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>

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
