/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/document.h"
#include "core/sweep/sweep.h"

G_BEGIN_DECLS

/* The paper's experiments as sweeps of this program, beside the paper's numbers, and the same comparison on textures that
 * the paper does not look at. An experiment has parts, each with a sweep of its own; its runs are in a store, so that what
 * is done is never done again. */

typedef enum
{
  TOSST_REPRODUCE_QUICK = 1 << 0, /* smaller, to see that all works: minutes instead of hours */
  TOSST_REPRODUCE_CHOOSE
  = 1 << 1, /* parameters that the paper leaves open, tried on training samples of a split alone */
} TosstReproduceFlags;

/* What is measured. */
typedef enum
{
  TOSST_MEASURE_ACCURACY = 1 << 0,
  TOSST_MEASURE_OBJECTIVE = 1 << 1,
} TosstMeasure;

typedef struct
{
  const char *key, *value; /* of a recipe, or of [sweep]; the last one has NULL */
} TosstExperimentValue;

typedef struct
{
  const char *label; /* "(i)"; "" where an experiment has one part */
  const TosstExperimentValue *values;
  double accuracy, deviation; /* the paper's, percent; NAN: none */
} TosstExperimentPart;

typedef struct
{
  const char *name;      /* "fig1a" */
  const char *title;     /* N_() */
  const char *absent;    /* N_(): why this program does not do it; then nothing below is there */
  TosstDatasetKind data; /* of its samples; others (by --set) are not beside the paper's numbers */
  const char *needs;     /* N_(): what must be in the folder of the data */
  TosstMeasure measures;
  const char *across; /* the parameter along the axis; NULL: the parts are */
  const char *curves; /* the parameter that tells curves apart; NULL: one curve */
  const TosstExperimentPart *parts;
  guint n_parts;
  const TosstExperimentValue *values, *axes;             /* of all parts */
  const TosstExperimentValue *quick_values, *quick_axes; /* instead of these */
  const TosstExperimentValue *open_axes;                 /* what is tried where parameters are chosen */
  const char *remarks;                                   /* N_(): what the paper leaves open */
} TosstExperiment;

const TosstExperiment *tosst_experiments (guint *n);
/* NULL with a sentence for a name that is none, and for what this program does not do. */
const TosstExperiment *tosst_experiment_find (const char *name, GError **error);

/* The part with the paper's accuracy of this recipe on data of so many classes; NULL if the paper has none. What the
 * paper leaves open may be anything, and so may the number of splits. */
const TosstExperimentPart *tosst_experiment_of_recipe (const TosstRecipe *recipe, guint classes);

typedef struct TosstReproduction TosstReproduction;

/* data: the folder of the data set, or NULL. */
TosstReproduction *tosst_reproduction_new (const TosstExperiment *experiment, TosstReproduceFlags flags,
                                           const char *data, GError **error);
void tosst_reproduction_free (TosstReproduction *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstReproduction, tosst_reproduction_free)

/* Of all parts; key may be one of [sweep] with "sweep." in front. */
gboolean tosst_reproduction_set (TosstReproduction *self, const char *key, const char *value, GError **error);

/* Opens the data: what is not there is an error of one sentence. */
gboolean tosst_reproduction_plan (TosstReproduction *self, GError **error);
/* After that: of a part, borrowed. */
const TosstSweepPlan *tosst_reproduction_part (TosstReproduction *self, guint part);
/* After that: does what is missing, part by part (tosst_sweep_execute()); the observer hears runs of the part at hand.
 * part, if not NULL, is told before each part: its number from 0, how many there are, and its plan. A run that fails
 * stops nothing. */
typedef void (*TosstReproducePart) (guint part, guint parts, const TosstSweepPlan *plan, gpointer data);
gboolean tosst_reproduction_execute (TosstReproduction *self, const TosstSweepOptions *options, TosstContext *context,
                                     const TosstSweepObserver *observer, TosstReproducePart part, GError **error);

/* Whether no run failed; else the first is the error. */
gboolean tosst_reproduction_is_whole (TosstReproduction *self, GError **error);

/* After that. A line per run: what it was, what came out, what the paper has. New. */
TosstTable *tosst_reproduction_table (TosstReproduction *self);
/* The same for programs: names of keys, numbers with all digits in the C locale; empty where there is none. New. */
TosstTable *tosst_reproduction_numbers (TosstReproduction *self);
/* One or two sentences on where numbers differ, and why. New. */
char *tosst_reproduction_remarks (TosstReproduction *self);
/* Makes the folder and fails with a sentence where files could not be written: before long work. */
gboolean tosst_reproduction_check (TosstReproduction *self, GFile *folder, GError **error);
/* NAME.txt, .csv, .md, .html, and plots as .svg, .pdf, .png; NAME-quick and NAME-choose likewise. */
gboolean tosst_reproduction_save (TosstReproduction *self, GFile *folder, GError **error);

G_END_DECLS
