/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sanitizers make numerical loops ten times slower. What they look for shows in fewer cases and iterations; every case is in
 * the ordinary build.
 */
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
