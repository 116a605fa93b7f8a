/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/store/store.h"

/* A store with a row in every table. */
void fuzz_make_store (GFile *file);
