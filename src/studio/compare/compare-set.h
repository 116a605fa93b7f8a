/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/report/run.h"
#include "studio/runs/run-list.h"

/* The compared runs: chosen from a list, read in threads. Main thread. Signals: "changed", the runs or their
 * data changed; "chosen", before it, runs were added, removed or put first by a function below. */
#define STUDIO_TYPE_COMPARE_SET (studio_compare_set_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareSet, studio_compare_set, STUDIO, COMPARE_SET, GObject)

/* Other files only read the members. */
struct _StudioCompareSet
{
  GObject parent_instance;
  StudioRunList *list;
  GPtrArray *runs; /* StudioComparedRun * */
  guint last_serial;
};

/* All data of a run in the store: reference-counted (g_atomic_rc_box_acquire()), immutable, any thread. */
typedef struct
{
  TosstReportRun *run;
} StudioRunReport;

void studio_run_report_unref (StudioRunReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioRunReport, studio_run_report_unref)

typedef struct
{
  guint slot;  /* index of its series, constant while the run is chosen */
  guint color; /* number of its colour in all pictures, from the number of the run: always the same */
  StudioRunRow *row;
  StudioRunReport *report; /* NULL: being read, or unreadable */
  char *problem;           /* reason of a failure, or NULL */
  guint serial;            /* number of the latest read request */
  TosstRunState state;     /* of the row when it started */
  int splits_done;
  char *name; /* its heading when "changed" was last emitted */
} StudioComparedRun;

StudioCompareSet *studio_compare_set_new (StudioRunList *list);
void studio_compare_set_add (StudioCompareSet *self, StudioRunRow *row);
void studio_compare_set_remove (StudioCompareSet *self, StudioRunRow *row);
void studio_compare_set_choose (StudioCompareSet *self, StudioRunRow *row, gboolean chosen); /* toggles the run */
void studio_compare_set_clear (StudioCompareSet *self);
void studio_compare_set_make_first (StudioCompareSet *self, StudioRunRow *row);
const StudioComparedRun *studio_compare_set_find (StudioCompareSet *self, StudioRunRow *row); /* NULL: not chosen */
/* In the order of choice; the others are compared with the first. */
const StudioComparedRun *studio_compare_set_at (StudioCompareSet *self, guint i);
guint studio_compare_set_slots (StudioCompareSet *self); /* slots are below this */

/* What all runs have in common; a run that is not read yet counts as like the first one. */
typedef enum
{
  STUDIO_ALIKE_NOTHING,
  STUDIO_ALIKE_IMAGES,
  STUDIO_ALIKE_TESTS,     /* splits of one number test the same images */
  STUDIO_ALIKE_OBJECTIVE, /* the same tensors, lambda and gamma */
} StudioAlike;

StudioAlike studio_compare_set_alike (StudioCompareSet *self);

/* "Accuracy", "Mean average precision" of runs with several labels, or both: translated. */
const char *studio_compare_set_score_label (StudioCompareSet *self);

/* A dot in the colour of a run in all charts. */
GtkWidget *studio_run_swatch_new (int color);
void studio_run_swatch_set_color (GtkWidget *swatch, int color); /* -1: none, keeping its space */
/* A dot and a text beside it, which takes another line where it has to; with a CSS class. */
GtkWidget *studio_run_caption_new (int color, const char *text, const char *css_class);
