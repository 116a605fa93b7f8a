/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

/* Text forms common to lists of runs and of a sweep's runs. NaN: unknown. */

/* "93.24 ± 0.51", without the deviation if that is unknown, or empty; new. */
char *cli_accuracy_text (double accuracy, double deviation);
/* JSON cannot represent non-finite numbers: sets null. */
void cli_set_number (JsonObject *object, const char *name, double value);
