/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/inspect/code-session.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/image-loader.h"
#include "studio/widgets/image-view.h"
#include "studio/widgets/picture-view.h"

/* A code and its reconstruction of the tensor: slices side by side, a film strip of all of them, numbers, stems.
 * Signal: "atom-chosen" (int atom) when a stem is clicked. */
#define STUDIO_TYPE_CODE_PANEL (studio_code_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioCodePanel, studio_code_panel, STUDIO, CODE_PANEL, AdwBin)

/* Other files only read the members. */
struct _StudioCodePanel
{
  AdwBin parent_instance;
  StudioCode *code; /* NULL: none */
  GArray *groups;   /* names of features, or NULL */
  int slice;
  int stem; /* atom chosen with the keys, -1: none */

  GtkWidget *by_code, *by_slices, *slice_title, *slice_detail, *support;
  StudioPictureView *maps, *strip, *stems;
  GtkWidget *error, *nonzeros, *rank, *rank_reconstructed, *bound, *objective;
};

void studio_code_panel_set_code (StudioCodePanel *self, StudioCode *code); /* NULL: none */
void studio_code_panel_set_groups (StudioCodePanel *self, GArray *groups); /* of TosstFeatureGroup, or NULL */
/* Its figures in one line, translated: new. */
char *studio_code_facts (const StudioCode *code);

/* One patch of an image: its tensor, reconstruction and residual, its code, and their changes while lambda, gamma and
 * the number of atoms are dragged. Signals: "atom-chosen" (int atom), "values-chosen" (double lambda, double gamma,
 * int atoms; NaN, NaN, 0: unchanged) for the recipe; "changed" when the exports changed, "selected" when another
 * patch is chosen. */
#define STUDIO_TYPE_INSPECT_VIEW (studio_inspect_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioInspectView, studio_inspect_view, STUDIO, INSPECT_VIEW, AdwBin)

/* Other files only read the members. */
struct _StudioInspectView
{
  AdwBin parent_instance;
  TosstDataset *dataset;
  guint image;
  TosstPoint point;
  gboolean has_point;
  TosstRecipe *given;  /* copy of the window's recipe */
  TosstRecipe *recipe; /* recipe of patches; NULL: no atoms */
  StudioAtomSet *atoms;
  double initial[3]; /* lambda, gamma and atoms of the sliders for the values of the recipe */
  gboolean waiting, asked, updating;
  StudioWorker *worker; /* NULL before the first request */

  StudioImageLoader *loader;
  StudioImageItem *large;

  GtkWidget *fold, *stack, *mismatch, *image_title, *previous, *next, *problem, *region;
  GtkWidget *lambda_scale, *gamma_scale, *atoms_scale, *lambda_value, *gamma_value, *atoms_value;
  GtkWidget *alpha_button, *use, *reset;
  GtkStringList *regions;
  StudioImageView *image_view;
  StudioCodePanel *panel;
};

void studio_inspect_view_set_dataset (StudioInspectView *self, TosstDataset *dataset); /* NULL: none */
void studio_inspect_view_set_image (StudioInspectView *self, guint image);
void studio_inspect_view_choose_patch (StudioInspectView *self, int x, int y);
gboolean studio_inspect_view_get_patch (StudioInspectView *self, guint *image, int *x, int *y); /* FALSE: none */
/* The descriptor of patches if the dictionary has none. */
void studio_inspect_view_set_recipe (StudioInspectView *self, const TosstRecipe *recipe);
void studio_inspect_view_set_atoms (StudioInspectView *self, StudioAtomSet *atoms); /* NULL: none */
void studio_inspect_view_set_waiting (StudioInspectView *self, gboolean waiting);   /* a run will provide atoms */
/* Name of the patch and slice, for a sheet: new. */
char *studio_inspect_view_title (StudioInspectView *self);
