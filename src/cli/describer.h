/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images of the command line to tensors, by the descriptor of a recipe: one for each patch, or of local features one for
 * each image.
 */
#pragma once

#include "cli/call.h"
#include "core/local/image-tensors.h"
#include "tosst/describe.h"

typedef struct
{
  const TosstRecipe *recipe; /* borrowed */
  int d;
  gboolean matrices;   /* second order: packed upper triangles */
  gboolean is_local;   /* local features */
  gsize m, total;      /* numbers of a tensor, and tensors */
  guint unfound;       /* images in which no frame was found: they have one in the middle */
  TosstPoint at;       /* x < 0: all patches */
  GArray *images;      /* CliImage */
  GArray *sources;     /* the same with their patches; empty for local features */
  const TosstPca *pca; /* of local features */
  TosstPca *own_pca;
  TosstImage *image; /* that was read last, or NULL */
  guint loaded;      /* its number */
} CliDescriber;

/* Lists the images that the operands name, files or folders, reads their sizes, and finds their frames, if patches are at
 * frames, which processes divide and tell each other. recipe: borrowed; the length of features is completed. pca: of a model,
 * or NULL. at: the only patch, of a grid by its corner, of frames by the nearest centre, or NULL. Collective. New; NULL with
 * error. */
CliDescriber *cli_describer_new (CliCall *call, TosstRecipe *recipe, const TosstPca *pca, const TosstPoint *at,
                                 GError **error);
void cli_describer_free (CliDescriber *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliDescriber, cli_describer_free)

/* Bytes that describing takes, one image at a time. */
gsize cli_describer_memory (const CliDescriber *self);
/* Principal components of local features, those of the images themselves unless a model has given them; to be called before
 * tensors are computed. */
gboolean cli_describer_find_components (CliDescriber *self, CliCall *call, GError **error);

/* Consecutive tensors that are computed together. */
typedef struct
{
  gsize first, n; /* their numbers among all */
  guint image;    /* of patches: that they are from */
} CliPiece;

/* The piece after this one; the first one after { 0 }. FALSE: there is none. */
gboolean cli_describer_next (const CliDescriber *self, CliPiece *piece);
/* tensors: n x m. */
gboolean cli_describer_compute (CliDescriber *self, TosstContext *context, const CliPiece *piece, float *tensors,
                                GError **error);
/* The same bits for n tensors from number[first] on, ascending, or where number is NULL from `first` on. */
gboolean cli_describer_rows (CliDescriber *self, CliCall *call, const gsize *number, gsize first, gsize n, float *out,
                             GError **error);

/* An image that an operand names, or a file of features of one. */
typedef struct
{
  GFile *file;
  char *id; /* name of its features: below the folder of the operand, without suffix */
} CliImage;

GArray *cli_images_new (void); /* of CliImage */

/* Adds a file, or the images of a folder and its subfolders; features: the files of features of a folder without
 * images. Images of a data set with several labels are those of its folder JPEGImages, where it has one, and such a folder
 * may be named by its labels.csv. Returns FALSE with error if a folder cannot be listed; one without images adds none. */
gboolean cli_images_add (GArray *images, GFile *operand, gboolean features, GError **error);

/* A line on n > 0 images in which no frame was found, or NULL for none. New. */
char *cli_images_unfound (guint n);
