/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Objects of the engine that are freed at the end of their block, and calls that must not fail.
 */
#pragma once

#include <glib.h>

#include "tosst/code.h"
#include "tosst/context.h"
#include "tosst/dictionary.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstCoder, tosst_coder_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstDictionary, tosst_dictionary_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstLayout, tosst_layout_free)

#define assert_ok(call) g_assert_cmpint (call, ==, TOSST_OK)
