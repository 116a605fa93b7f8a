/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson-widgets.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "studio/inspect/code-session.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

typedef struct
{
  StudioLessonState base;
  StudioWorker *coder;
  StudioCode *code; /* NULL: none yet */
  GArray *groups;
  gboolean waiting;
  int slice;

  GtkWidget *picker, *lambda, *lambda_value, *maps, *stems;
  GtkWidget *sparsity_stats, *rank_stats, *error, *nonzeros, *objective, *rank, *rebuilt, *bound;
} Lesson;

/* Pictures. */

static char *
describe (Lesson *self)
{
  g_autofree char *error = studio_format_percent (100 * self->code->error, 1);

  return g_strdup_printf (_ ("%zu of %d atoms in use, error %s"), self->code->state.nonzeros,
                          self->code->atoms->dictionary->K, error);
}

static void
show_slice (Lesson *self)
{
  StudioDrawing maps = { STUDIO_DRAWING_SLICES, .slices = studio_code_slices (self->code, self->slice, self->groups) };

  studio_picture_view_show (STUDIO_PICTURE_VIEW (self->maps), &maps);
}

static gboolean
key_maps (guint key, const StudioPicturePoint *size, Lesson *self)
{
  int to = key == GDK_KEY_Left ? self->slice - 1 : key == GDK_KEY_Right ? self->slice + 1 : -1;

  if (to < 0 || to >= self->code->planes)
    return FALSE;
  self->slice = to;
  show_slice (self);
  return TRUE;
}

static const StudioPictureFuncs maps_funcs = { .key = G_CALLBACK (key_maps), .describe = G_CALLBACK (describe) };
static const StudioPictureFuncs stems_funcs = { .describe = G_CALLBACK (describe) };

static void
show_code (Lesson *self)
{
  const StudioCode *code = self->code;
  StudioDrawing stems = { STUDIO_DRAWING_STEMS };

  if (code == NULL || code->problem != NULL)
    {
      studio_picture_view_show (STUDIO_PICTURE_VIEW (self->maps), NULL);
      studio_picture_view_show (STUDIO_PICTURE_VIEW (self->stems), NULL);
      return;
    }
  studio_label_take (self->error, studio_format_percent (100 * code->error, 1));
  studio_label_take (self->nonzeros, studio_format_count (code->state.nonzeros));
  studio_label_take (self->objective, studio_format_real (code->state.objective, 2));
  studio_label_take (self->rank, g_strdup_printf ("%d", code->rank));
  studio_label_take (self->rebuilt, g_strdup_printf ("%d", code->rank_reconstructed));
  studio_label_take (self->bound, g_strdup_printf ("%ld", code->rank_sum));
  show_slice (self);
  stems.stems = (TosstStemsDrawing){ code->code, code->atoms->dictionary->K, -1 };
  stems.ranks = code->atoms->ranks;
  studio_picture_view_show (STUDIO_PICTURE_VIEW (self->stems), &stems);
}

/* Requests. */

static void
on_code (Lesson *self)
{
  StudioCode *code = studio_code_worker_take (self->coder);

  if (code == NULL)
    return;
  self->waiting = code->lambda != pow (10, gtk_range_get_value (GTK_RANGE (self->lambda)));
  g_clear_pointer (&self->code, studio_code_unref);
  self->code = code;
  show_code (self);
}

/* The image of the data set shown in the picker. */
static guint
first_image (Lesson *self)
{
  TosstDataset *dataset = self->base.atoms->dataset;
  const char *name = tosst_textures_name (studio_lesson_picker_get_texture (STUDIO_LESSON_PICKER (self->picker)));

  for (guint i = 0; i < dataset->entries->len; i++)
    if (strcmp (tosst_dataset_class_name (dataset, tosst_dataset_image (dataset, i)->class_index), name) == 0)
      return i;
  return 0;
}

static void
ask (Lesson *self)
{
  StudioCodeQuestion question = { 0 };
  double lambda = pow (10, gtk_range_get_value (GTK_RANGE (self->lambda)));

  studio_label_take (self->lambda_value, studio_format_setting (lambda));
  if (self->base.atoms == NULL || self->base.atoms->problem != NULL)
    return;
  question.atoms = self->base.atoms->atoms;
  question.recipe = self->base.atoms->atoms->recipe;
  question.dataset = self->base.atoms->dataset;
  question.image = first_image (self);
  question.point = studio_lesson_picker_get_point (STUDIO_LESSON_PICKER (self->picker));
  question.lambda = lambda;
  question.gamma = INFINITY;
  question.n_atoms = question.atoms->dictionary->K;
  question.tied = TRUE;
  if (self->coder == NULL)
    self->coder = studio_code_worker_new ((StudioNotifyFunc)on_code, self);
  self->waiting = TRUE;
  studio_code_worker_ask (self->coder, &question);
}

static void
ready (Lesson *self)
{
  self->groups = studio_atom_set_groups (self->base.atoms->atoms, NULL);
  ask (self);
}

/* The widget. */

static void
clear (Lesson *self)
{
  g_clear_pointer (&self->coder, studio_worker_free);
  g_clear_pointer (&self->code, studio_code_unref);
  show_code (self);
  g_clear_pointer (&self->groups, g_array_unref);
}

static GtkWidget *
build (Lesson *self)
{
  GtkWidget *maps_box = studio_lesson_picture (NULL, _ ("Slice, its reconstruction and residual"), &self->maps);
  GtkWidget *stems_box = studio_lesson_picture (_ ("The Code α"), _ ("Code"), &self->stems), *row;
  GtkWidget *slider = studio_lesson_slider (_ ("Sparsity λ"), -3, 0, 0.02, &self->lambda, &self->lambda_value);

  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->maps), &maps_funcs, self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->stems), &stems_funcs, self);
  self->picker = studio_lesson_picker_new (32);
  gtk_range_set_value (GTK_RANGE (self->lambda), -1);
  row = studio_lesson_line (180, self->picker, stems_box, NULL);
  gtk_widget_set_size_request (self->stems, -1, 140);
  gtk_widget_set_size_request (self->maps, -1, 200);
  self->sparsity_stats = studio_lesson_stats (studio_lesson_stat (_ ("error"), &self->error),
                                              studio_lesson_stat (_ ("non-zeros"), &self->nonzeros),
                                              studio_lesson_stat (_ ("objective"), &self->objective), NULL);
  self->rank_stats = studio_lesson_stats (studio_lesson_stat (_ ("TRank of the patch"), &self->rank),
                                          studio_lesson_stat (_ ("TRank of the reconstruction"), &self->rebuilt),
                                          studio_lesson_stat (_ ("ranks of the atoms, added"), &self->bound), NULL);
  g_signal_connect_swapped (self->picker, "changed", G_CALLBACK (ask), self);
  g_signal_connect_swapped (self->lambda, "value-changed", G_CALLBACK (ask), self);
  return studio_column (12, slider, row, maps_box, studio_column (0, self->sparsity_stats, self->rank_stats, NULL),
                        NULL);
}

static void
set_mode (Lesson *self, const char *mode)
{
  gboolean ranks = g_strcmp0 (mode, "ranks") == 0;

  gtk_widget_set_visible (self->sparsity_stats, !ranks);
  gtk_widget_set_visible (self->rank_stats, ranks);
}

static gboolean
is_ready (const Lesson *self)
{
  return self->code != NULL && !self->waiting;
}

STUDIO_LESSON_KIND (code, Lesson, build, NULL, ready, clear, set_mode, is_ready);
