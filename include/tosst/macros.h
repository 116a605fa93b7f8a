/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Version and linkage of the library.
 */
#pragma once

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

TOSST_END_DECLS
