/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/document.h"
#include "core/sweep/sweep.h"

/* The paper's experiments as sweeps, compared with the paper's numbers, and the same comparison on textures that the
 * paper does not use. An experiment has parts, each with its own sweep; its runs are in a store, and finished ones are
 * not repeated. */

typedef enum
{
  TOSST_REPRODUCE_QUICK = 1 << 0, /* smaller sizes: minutes instead of hours */
  TOSST_REPRODUCE_CHOOSE
  = 1 << 1, /* choose parameters that the paper leaves open, on training samples of a split only */
} TosstReproduceFlags;

/* Measured quantities. */
typedef enum
{
  TOSST_MEASURE_ACCURACY = 1 << 0,
  TOSST_MEASURE_OBJECTIVE = 1 << 1,
} TosstMeasure;

/* A number of the paper at a value of the parameter across. */
typedef struct
{
  double x, value;
} TosstExperimentPoint;

typedef struct
{
  const char *label;                 /* "(i)"; "" where an experiment has one part */
  const char *values;                /* of a recipe, for tosst_values_set() */
  double accuracy, deviation;        /* of the paper, percent; NAN: none */
  const TosstExperimentPoint *paper; /* of methods; the last one has x 0, and is for all x if its value is not 0 */
} TosstExperimentPart;

typedef struct
{
  const char *name;      /* "fig1a" */
  const char *title;     /* N_() */
  TosstDatasetKind data; /* of its samples; results on other data (by --set) are not compared with the paper */
  const char *needs;     /* N_(): required contents of the data folder */
  TosstMeasure measures;
  const char *across; /* the parameter on the x axis; NULL: the parts are */
  const char *curves; /* the parameter that distinguishes curves; NULL: one curve */
  const TosstExperimentPart *parts;
  guint n_parts;
  gboolean methods; /* the parts are methods, compared at each value of across: columns of the table, and curves */
  const char *values, *axes;                   /* of all parts: values of a recipe and of [sweep]; or NULL */
  const char *quick_values, *quick_axes;       /* used instead of these in quick mode */
  const char *official_values, *official_axes; /* the same on the whole of the official data */
  const char *open_axes;                       /* search ranges of parameters that the paper leaves open */
  const char *remarks;                         /* N_(): details that the paper leaves open */
} TosstExperiment;

const TosstExperiment *tosst_experiments (guint *n);
/* The experiment of this name; NULL with error if it is unknown. */
const TosstExperiment *tosst_experiment_find (const char *name, GError **error);

/* The part with the paper's accuracy for this recipe on data of this number of classes; NULL if there is none.
 * Parameters that the paper leaves open and the number of splits are ignored. */
const TosstExperimentPart *tosst_experiment_of_recipe (const TosstRecipe *recipe, guint classes);

typedef struct TosstReproduction TosstReproduction;

/* Returns a new reproduction. data: the folder of the data set, or NULL. */
TosstReproduction *tosst_reproduction_new (const TosstExperiment *experiment, TosstReproduceFlags flags,
                                           const char *data, GError **error);
void tosst_reproduction_free (TosstReproduction *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstReproduction, tosst_reproduction_free)

/* Sets a value in all parts; key may be one of [sweep] with the prefix "sweep.". */
gboolean tosst_reproduction_set (TosstReproduction *self, const char *key, const char *value, GError **error);

/* Opens the data and makes the plans. FALSE with error if data are missing.
 *
 * With several labels an image: the official data set, whole, has sizes of its own; classes with fewer than
 * TOSST_REPRODUCE_POSITIVES test images are left out where others have more; there are at most as many principal
 * components as training images. Values set by tosst_reproduction_set() remain. */
#define TOSST_REPRODUCE_POSITIVES 30
gboolean tosst_reproduction_plan (TosstReproduction *self, GError **error);
/* The plan of a part, borrowed. Requires tosst_reproduction_plan(). */
const TosstSweepPlan *tosst_reproduction_part (TosstReproduction *self, guint part);
/* Executes the missing runs, part by part (tosst_sweep_execute()), after tosst_reproduction_plan(). The observer
 * receives the runs of the current part. part, if not NULL, is called before each part with its number from 0, the
 * number of parts and its plan. A failed run does not stop the others. */
typedef void (*TosstReproducePart) (guint part, guint parts, const TosstSweepPlan *plan, gpointer data);
gboolean tosst_reproduction_execute (TosstReproduction *self, const TosstSweepOptions *options, TosstContext *context,
                                     const TosstSweepObserver *observer, TosstReproducePart part, GError **error);

/* Whether all runs have finished; FALSE with the error of the first failed run. */
gboolean tosst_reproduction_is_whole (TosstReproduction *self, GError **error);

/* A line per run with varying values, results and the paper's numbers, after tosst_reproduction_execute(). New. */
TosstTable *tosst_reproduction_table (TosstReproduction *self);
/* The same values for programs: keys as titles, numbers with all digits in the C locale; empty if missing. New. */
TosstTable *tosst_reproduction_numbers (TosstReproduction *self);
/* One or two sentences on where numbers differ, and why. New. */
char *tosst_reproduction_remarks (TosstReproduction *self);
/* Creates the folder and checks that files can be written to it; called before long work. */
gboolean tosst_reproduction_check (TosstReproduction *self, GFile *folder, GError **error);
/* Writes NAME.txt, .csv, .md, .html, and plots as .svg, .pdf, .png; with NAME-quick and NAME-choose for these modes. */
gboolean tosst_reproduction_save (TosstReproduction *self, GFile *folder, GError **error);
