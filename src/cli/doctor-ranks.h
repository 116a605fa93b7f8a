/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"

/* Lines about the MPI library, the processes of the launcher and their places, and the same in the object; adds warnings
 * (char *). Collective. New; NULL with error if another process failed. */
char *doctor_describe_ranks (CliCall *call, JsonObject *object, GPtrArray *warnings, GError **error);
