/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson-widgets.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/plot/draw-code.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "tosst/dictionary.h"
#include "tosst/tensor.h"

typedef struct
{
  StudioLessonState base;
  GArray *groups;
  int d;
  double *maps[3];     /* d x d: the atom, its approximation, their difference */
  double *eigenvalues; /* d, largest first */
  double *kept;        /* d: the first R of them, then zeros */

  GtkWidget *atom, *rank, *atom_value, *rank_value, *views[3], *spectrum;
  GtkWidget *error, *numbers, *own_rank;
} Lesson;

/* Pictures. */

static void
draw_spectrum (cairo_t *cr, double width, double height, const TosstChartStyle *style, Lesson *self)
{
  TosstBarsDrawing all = { self->eigenvalues, self->d, NULL }, kept = { self->kept, self->d, NULL };

  cairo_push_group (cr);
  tosst_draw_bars (cr, width, height, style, &all);
  cairo_pop_group_to_source (cr);
  cairo_paint_with_alpha (cr, 0.3);
  tosst_draw_bars (cr, width, height, style, &kept);
}

static char *
describe (Lesson *self)
{
  return g_strdup_printf (
      _ ("Atom of rank %s kept to rank %s, error %s"), gtk_label_get_label (GTK_LABEL (self->own_rank)),
      gtk_label_get_label (GTK_LABEL (self->rank_value)), gtk_label_get_label (GTK_LABEL (self->error)));
}

static const StudioPictureFuncs map_funcs = { .describe = G_CALLBACK (describe) };
static const StudioPictureFuncs spectrum_funcs
    = { .draw = G_CALLBACK (draw_spectrum), .describe = G_CALLBACK (describe) };

static void
show_pictures (Lesson *self, gboolean any)
{
  for (int i = 0; i < 3; i++)
    {
      StudioDrawing map = { STUDIO_DRAWING_MATRIX, .matrix = { self->maps[i], self->d, self->d, self->groups } };

      studio_picture_view_show (STUDIO_PICTURE_VIEW (self->views[i]), any ? &map : NULL);
    }
  studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->spectrum), any);
}

/* One atom of side 21: tens of microseconds, on the main thread. The projection on {PSD, rank <= R, trace <= 1} of an
 * atom, which has trace <= 1, keeps its R largest eigenvalues. */
static void
show_rank (Lesson *self)
{
  const TosstDictionary *dictionary = self->base.atoms->atoms->dictionary;
  int k = self->base.atoms->atoms->order[(int)gtk_range_get_value (GTK_RANGE (self->atom)) - 1];
  int R = (int)gtk_range_get_value (GTK_RANGE (self->rank)), d = self->d;
  g_autofree double *v = g_memdup2 (dictionary->V + (gsize)k * dictionary->D, sizeof *v * dictionary->D);
  g_autofree double *work = g_new (double, tosst_project_atom_work (d));
  gpointer room = g_aligned_alloc (1, tosst_plane_work (dictionary->shape), 64);
  double whole = 0, left = 0;

  tosst_vec_to_matrix (d, v, self->maps[0]);
  if (tosst_project_atom (TOSST_SCHEME_LOW_RANK, R, d, v, work) != TOSST_OK
      || tosst_plane_spectrum (dictionary->shape, self->maps[0], room, self->eigenvalues) != TOSST_OK)
    g_warning ("atom %d has no eigenvalues", k + 1);
  g_aligned_free (room);
  tosst_vec_to_matrix (d, v, self->maps[1]);
  for (int i = 0; i < d * d; i++)
    {
      self->maps[2][i] = self->maps[0][i] - self->maps[1][i];
      whole += self->maps[0][i] * self->maps[0][i];
      left += self->maps[2][i] * self->maps[2][i];
    }
  for (int i = 0; i < d; i++)
    self->kept[i] = i < R ? self->eigenvalues[i] : 0;
  studio_label_take (self->atom_value, g_strdup_printf ("%d", k + 1));
  studio_label_take (self->rank_value, g_strdup_printf ("%d", R));
  studio_label_take (self->own_rank, g_strdup_printf ("%d", self->base.atoms->atoms->ranks[k]));
  studio_label_take (self->error, studio_format_percent (whole > 0 ? 100 * sqrt (left / whole) : 0, 1));
  studio_label_take (self->numbers, g_strdup_printf (_ ("%d of %d"), R * d - R * (R - 1) / 2, d * (d + 1) / 2));
  show_pictures (self, TRUE);
}

static void
on_slider (Lesson *self)
{
  if (self->base.atoms != NULL && self->base.atoms->problem == NULL)
    show_rank (self);
}

static void
ready (Lesson *self)
{
  self->d = self->base.atoms->atoms->dictionary->d;
  for (int i = 0; i < 3; i++)
    self->maps[i] = g_new0 (double, self->d * self->d);
  self->eigenvalues = g_new0 (double, self->d);
  self->kept = g_new0 (double, self->d);
  self->groups = studio_atom_set_groups (self->base.atoms->atoms, NULL);
  gtk_range_set_range (GTK_RANGE (self->atom), 1, self->base.atoms->atoms->dictionary->K);
  gtk_range_set_range (GTK_RANGE (self->rank), 1, self->d);
  gtk_range_set_value (GTK_RANGE (self->rank), 1);
  show_rank (self);
}

static void
clear (Lesson *self)
{
  show_pictures (self, FALSE);
  g_clear_pointer (&self->groups, g_array_unref);
  for (int i = 0; i < 3; i++)
    g_free (self->maps[i]);
  g_free (self->eigenvalues);
  g_free (self->kept);
}

static GtkWidget *
build (Lesson *self)
{
  const char *const headings[] = { _ ("The Atom B"), _ ("With R Eigenvalues"), _ ("Residual") };
  GtkWidget *atom = studio_lesson_slider (_ ("Atom"), 1, 40, 1, &self->atom, &self->atom_value);
  GtkWidget *rank = studio_lesson_slider (_ ("Rank R"), 1, 21, 1, &self->rank, &self->rank_value);
  GtkWidget *pictures[3], *spectrum, *stats;

  for (int i = 0; i < 3; i++)
    {
      pictures[i] = studio_lesson_picture (headings[i], headings[i], &self->views[i]);
      studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->views[i]), &map_funcs, self);
      gtk_widget_set_size_request (self->views[i], -1, 120);
    }
  spectrum
      = studio_lesson_picture (_ ("Its Eigenvalues, the Kept Ones in Full Colour"), _ ("Eigenvalues"), &self->spectrum);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->spectrum), &spectrum_funcs, self);
  gtk_widget_set_size_request (self->spectrum, -1, 150);
  stats = studio_lesson_stats (studio_lesson_stat (_ ("error"), &self->error),
                               studio_lesson_stat (_ ("rank of the atom"), &self->own_rank),
                               studio_lesson_stat (_ ("numbers needed"), &self->numbers), NULL);
  g_signal_connect_swapped (self->atom, "value-changed", G_CALLBACK (on_slider), self);
  g_signal_connect_swapped (self->rank, "value-changed", G_CALLBACK (on_slider), self);
  return studio_column (12, atom, rank, studio_lesson_line (150, pictures[0], pictures[1], pictures[2], NULL), spectrum,
                        stats, NULL);
}

STUDIO_LESSON_KIND (rank, Lesson, build, NULL, ready, clear, NULL, NULL);
