/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/file.h"
#include "core/store/store.h"

/* All values of a run in a store, and values computed from them. Immutable and thread-safe after loading. */
typedef struct
{
  gint64 id;
  JsonObject *json;    /* tosst_store_run_json() */
  TosstRecipe *recipe; /* NULL: parameters of another version of the program */
  char *title, *dataset;
  TosstRunState state;
  double started, finished, seconds; /* seconds since 1970; duration in seconds; NAN: unknown */
  int splits;                        /* requested */
  GArray *done;                      /* TosstSplitResult, with numbers of their own alone */
  TosstScore score;                  /* that "accuracy" is here and in the splits */
  double accuracy, deviation;        /* percent; deviation is NAN with fewer than two completed splits */
  TosstDictionary *dictionary;       /* NULL: not stored */
  int dictionary_split;
  guint classes;
  char **class_names;  /* NULL-terminated */
  int *confusion;      /* classes x classes, summed over splits; NULL: unknown */
  gint64 tests;        /* number of tests in it */
  GPtrArray *scores;   /* TosstScores *, of the splits that have them */
  GArray *predictions; /* TosstPrediction, of the first split; NULL: not stored */
  char *trouble;       /* a sentence about unreadable parts, or NULL */
} TosstReportRun;

TosstReportRun *tosst_report_run_load (TosstStore *store, gint64 run, GError **error);
void tosst_report_run_free (TosstReportRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstReportRun, tosst_report_run_free)

const char *tosst_report_run_text (const TosstReportRun *self, const char *member); /* "" if missing */
/* Value of a parameter as stored; NULL: missing. */
const char *tosst_report_run_parameter (const TosstReportRun *self, const char *name);
/* Values of iterations 1, 2, ...; new, NULL if there are none. */
double *tosst_report_run_series (const TosstReportRun *self, int split, const char *name, guint *n);
/* A number of a split, of a part with TOSST_STORE_WEIGHT or TOSST_STORE_ACCURACY; NAN: none. */
double tosst_report_run_number (const TosstReportRun *self, int split, const char *prefix, const char *name);
/* Mean over splits of a number of TosstSplitResult, at its offset; NAN without splits. */
double tosst_report_mean (const TosstReportRun *self, gsize offset);
double tosst_report_run_seconds (const TosstReportRun *self, const char *stage); /* NAN: unknown */

/* Formatted for display; new. */
char *tosst_report_percent (double accuracy, double deviation); /* "95.5 ± 0.6 %" */
char *tosst_report_number (double value, int digits);           /* "–" for NAN */
char *tosst_report_time (double time);
char *tosst_report_duration (double seconds);
/* Value of a parameter for display: "–" if empty. */
const char *tosst_report_value (const char *text);
/* "Atoms (K)" */
char *tosst_report_label (const TosstParameter *parameter);
