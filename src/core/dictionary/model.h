/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/file.h"
#include "tosst/classify.h"
#include "tosst/code.h"
#include "tosst/local.h"

/* A kernel machine with what it compares new samples to: its training signatures. */
typedef struct
{
  TosstKernel kernel;
  double width;
  gsize length; /* of a signature */
  float *rows;  /* machine->n x length; NULL: the caller provides Gram matrices */
  TosstKernelMachine *machine;
} TosstKernelModel;

void tosst_kernel_model_free (TosstKernelModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstKernelModel, tosst_kernel_model_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstKernelMachine, tosst_kernel_machine_free)

/* Margins of n signatures: n x classes. The margins of a signature do not depend on the others. */
TosstStatus tosst_kernel_model_margins (const TosstKernelModel *self, TosstContext *context, const float *signatures,
                                        gsize n, double *margins);

/* What the classifier of a run was trained on, to train it again with more. */
typedef struct
{
  gsize n;         /* samples */
  int *labels;     /* n */
  double c;        /* C */
  double *weights; /* of the parts; NULL: none */
  GPtrArray *rows; /* float *, signatures: n x length, of the model or of each part; NULL: those of its kernel */
} TosstTraining;

void tosst_training_free (TosstTraining *self);

/* A trained model: recipe (descriptor, coding, pooling), dictionary, classifier, class names. Stored as one .npz
 * that is also a valid dictionary file (members B, b, scale, w (classes, K + 1), meta.json). Without a dictionary
 * (coding.method other than sparse and span) the members are w, (classes, descriptor length + 1), and meta.json; with
 * coding.method=pca w is (classes, K + 1) and components (m, K) float32. Principal
 * components of local features are pca_mean (D), pca_values (D) and pca_basis (D, q). Of coding.method=fisher the mixture of G Gaussians is gaussian_weights (G),
 * gaussian_means and gaussian_variances (G, q). With several labels an image, which
 * dataset.kind of the recipe tells, the margin of each class decides on its own; a class without training images has
 * w = 0. With descriptor.kind=combined the members part1.npz, part2.npz ... are the models of the parts, whose margins
 * are added; there is no w then. slope (1) and sigmoids (classes, 2) are those of tosst_model_probabilities(). empty (classes) of a part are its margins of an image that it finds nothing in. With a classifier.kernel other than linear the members of tosst_kernel_model_to_npz() stand for w. */
typedef struct TosstModel
{
  TosstRecipe *recipe;
  TosstDictionary *dictionary; /* NULL if the recipe has none */
  TosstPca *pca;               /* NULL if the recipe has no principal components */
  TosstMixture *mixture;       /* of coding.method=fisher, or NULL */
  TosstLinear *components;     /* of coding.method=pca, or NULL */
  TosstSvm *svm;               /* NULL: */
  TosstKernelModel *kernel;    /* of a classifier.kernel other than linear */
  double slope;     /* of probabilities; NAN: none, as in files of earlier versions, with several labels and of parts */
  double *sigmoids; /* classes x 2: a and b of probabilities with several labels an image; NULL: none */
  double *empty;    /* of a part: margins of an image without anything to describe; or NULL */
  /* TosstModel *, of descriptor.kind=combined: each has the recipe of a part and a classifier whose margins are the
   * terms of a sum. NULL otherwise. */
  GPtrArray *parts;
  TosstTraining *training; /* NULL: not kept, as in files */
  char **class_names;
  int sample_side; /* median shorter side of the training samples in pixels; 0: unknown */
  gint shares;     /* holders but one; atomic, 0 of a new model */
} TosstModel;

#define TOSST_MODEL_PARTS 8 /* parts of a model at most */

/* A model that is complete is immutable: any thread may hold it. tosst_model_free() frees it for the last holder. */
TosstModel *tosst_model_share (TosstModel *self);
void tosst_model_free (TosstModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstModel, tosst_model_free)
gboolean tosst_model_save (const TosstModel *self, GFile *file, GError **error);
TosstModel *tosst_model_load (GFile *file, GError **error);
/* Serialises the model as such a file; name is used in messages. New. */
GBytes *tosst_model_to_bytes (const TosstModel *self, const char *name, GError **error);
TosstModel *tosst_model_from_bytes (GBytes *bytes, const char *name, GError **error);

int tosst_model_code_length (const TosstModel *self);
int tosst_model_signature_length (const TosstModel *self);
gsize tosst_model_all_lengths (const TosstModel *self); /* of the signatures of all parts, or of the only one */
int tosst_model_classes (const TosstModel *self);
/* Whether the model describes patches on a grid, and not at frames or whole images. */
gboolean tosst_model_has_grid (const TosstModel *self);
/* Whether a signature is zero: there was nothing to describe. */
gboolean tosst_signature_is_empty (const float *signature, int length);
/* Probabilities of one image by its margins f: p_c = exp (s f_c) / sum_k exp (s f_k), s being the slope that cross-validation on
 * the training samples found, or with several labels an image p_c = 1 / (1 + exp (-a_c f_c - b_c)). probabilities: classes.
 * FALSE: the model has none. */
gboolean tosst_model_probabilities (const TosstModel *self, const double *margins, double *probabilities);
/* Whether an image with several labels shows a class: with a probability of a half at least or, without probabilities, with a
 * positive margin. */
gboolean tosst_model_shows (const TosstModel *self, const double *margins, int class_index);
/* Margins of n signatures: n x classes. */
TosstStatus tosst_model_margins (const TosstModel *self, TosstContext *context, const float *signatures, gsize n,
                                 double *margins);
