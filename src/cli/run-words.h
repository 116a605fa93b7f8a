/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

/* What the lists of runs and of a sweep's runs say alike. NaN: not known. */

/* "93.24 ± 0.51", without the deviation, or empty; new. */
char *cli_accuracy_text (double accuracy, double deviation);
/* JSON has no number for what is not finite: null. */
void cli_set_number (JsonObject *object, const char *name, double value);
