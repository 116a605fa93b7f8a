/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/inspect/inspect-view.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/formula-view.h"
#include "studio/widgets/picture-view.h"
#include "studio/widgets/wrap.h"

/* The reconstruction of a slice: problem (3), and equation (5). */

G_DEFINE_FINAL_TYPE (StudioCodePanel, studio_code_panel, ADW_TYPE_BIN)

char *
studio_code_facts (const StudioCode *code)
{
  g_autofree char *lambda = studio_format_setting (code->lambda), *gamma = studio_format_setting (code->gamma);
  g_autofree char *some = studio_format_count (code->n_atoms);
  g_autofree char *all = studio_format_count (code->atoms->dictionary->K);
  g_autofree char *error = studio_format_percent (100 * code->error, 1);

  return g_strdup_printf (code->tied ? _ ("λ = %s · γ = %s · %s of %s atoms · error by the code %s · %zu non-zeros · "
                                          "TRank %d, rebuilt %d, bound %d")
                                     : _ ("λ = %s · γ = %s · %s of %s atoms · error by slices %s · %zu non-zeros · "
                                          "TRank %d, rebuilt %d, bound %d"),
                          lambda, gamma, some, all, error, code->state.nonzeros, code->rank, code->rank_reconstructed,
                          code->bound);
}

/* Pictures. */

static void
show_slices (StudioCodePanel *self)
{
  const StudioCode *code = self->code;
  StudioDrawing maps = { STUDIO_DRAWING_SLICES, .slices = studio_code_slices (code, self->slice, self->groups) };
  StudioDrawing strip
      = { STUDIO_DRAWING_STRIP, .strip = { code->tensor, code->planes, code->rows, code->columns, self->slice },
          .groups = self->groups };

  studio_picture_view_show (self->maps, &maps);
  studio_picture_view_show (self->strip, &strip);
}

static void
show_stems (StudioCodePanel *self)
{
  StudioDrawing stems
      = { STUDIO_DRAWING_STEMS, .stems = { self->code->code, self->code->atoms->dictionary->K, self->stem },
          .ranks = self->code->atoms->ranks };

  studio_picture_view_show (self->stems, &stems);
}

static void
show_slice_title (StudioCodePanel *self)
{
  const StudioCode *code = self->code;
  g_autofree char *name = tosst_feature_group_label (self->groups, self->slice);
  g_autofree char *symbol = studio_symbol_markup (name);
  g_autofree char *title = g_strdup_printf (_ ("Slice %s"), symbol);
  g_autofree char *place = studio_code_place (code);
  gboolean matrix = code->planes == 1; /* has a single slice */

  gtk_label_set_markup (GTK_LABEL (self->slice_title), matrix ? _ ("Matrix") : title);
  studio_label_take (self->slice_detail,
                     matrix ? g_steal_pointer (&place)
                            : g_strdup_printf (_ ("%d of %d · %s"), self->slice + 1, code->planes, place));
  gtk_widget_set_tooltip_text (self->slice_detail, gtk_label_get_label (GTK_LABEL (self->slice_detail)));
}

static void
choose_slice (int slice, StudioCodePanel *self)
{
  if (slice == self->slice)
    return;
  self->slice = slice;
  show_slice_title (self);
  show_slices (self);
}

static void
open_stem (int atom, StudioCodePanel *self)
{
  g_signal_emit_by_name (self, "atom-chosen", atom);
}

/* The next atom of the support in that direction; the present one if there is none. */
static int
next_stem (StudioCodePanel *self, int from, int step)
{
  for (int k = from + step; k >= 0 && k < self->code->atoms->dictionary->K; k += step)
    if (self->code->code[k] != 0)
      return k;
  return self->stem;
}

static gboolean
key_stem (guint key, const StudioPicturePoint *size, StudioCodePanel *self)
{
  int K = self->code->atoms->dictionary->K;

  if (key == GDK_KEY_Return && self->stem >= 0)
    {
      g_signal_emit_by_name (self, "atom-chosen", self->stem);
      return TRUE;
    }
  if (key == GDK_KEY_Left)
    self->stem = next_stem (self, self->stem >= 0 ? self->stem : K, -1);
  else if (key == GDK_KEY_Right)
    self->stem = next_stem (self, self->stem, 1);
  else if (key == GDK_KEY_Home)
    self->stem = next_stem (self, -1, 1);
  else if (key == GDK_KEY_End)
    self->stem = next_stem (self, K, -1);
  else
    return FALSE;
  show_stems (self);
  return TRUE;
}

static char *
describe_maps (StudioCodePanel *self)
{
  g_autofree char *name = tosst_feature_group_label (self->groups, self->slice), *facts = NULL;

  facts = studio_code_facts (self->code);
  return g_strdup_printf (_ ("Slice %s. %s"), name, facts);
}

static char *
describe_strip (StudioCodePanel *self)
{
  g_autofree char *name = tosst_feature_group_label (self->groups, self->slice);

  return g_strdup_printf (_ ("Slice %s chosen, %d of %d"), name, self->slice + 1, self->code->planes);
}

static char *
describe_stems (StudioCodePanel *self)
{
  if (self->stem < 0 || self->code->code[self->stem] == 0)
    return g_strdup (gtk_label_get_label (GTK_LABEL (self->support)));
  g_autofree char *value = studio_format_real (self->code->code[self->stem], 3);
  return g_strdup_printf (_ ("Atom %d: %s, rank %d"), self->stem + 1, value, self->code->atoms->ranks[self->stem]);
}

static const StudioPictureFuncs maps_funcs = { .describe = G_CALLBACK (describe_maps) };
static const StudioPictureFuncs strip_funcs
    = { .choose = G_CALLBACK (choose_slice), .describe = G_CALLBACK (describe_strip) };
static const StudioPictureFuncs stems_funcs
    = { .choose = G_CALLBACK (open_stem), .key = G_CALLBACK (key_stem), .describe = G_CALLBACK (describe_stems) };

/* Figures. */

#define MOST_NAMED 40

static void
show_numbers (StudioCodePanel *self)
{
  const StudioCode *code = self->code;
  g_autofree char *rank_sum = g_strdup_printf (
      _ ("Theorem 2: at most the sum of the ranks of the atoms in Supp(α), %'ld, and at most the side of a slice, %d"),
      code->rank_sum, code->rank_limit);
  g_autoptr (GString) text = g_string_new (NULL);
  int named = 0;

  studio_label_take (self->error, studio_format_percent (100 * code->error, 1));
  studio_label_take (self->nonzeros, studio_format_count (code->state.nonzeros));
  studio_label_take (self->objective, studio_format_real (code->state.objective, 2));
  studio_label_take (self->rank, g_strdup_printf ("%d", code->rank));
  studio_label_take (self->rank_reconstructed, g_strdup_printf ("%d", code->rank_reconstructed));
  studio_label_take (self->bound, g_strdup_printf ("%d", code->bound));
  gtk_widget_set_visible (self->by_code, code->tied);
  gtk_widget_set_visible (self->by_slices, !code->tied);
  gtk_widget_set_tooltip_text (gtk_widget_get_parent (self->bound), rank_sum);
  for (int k = 0; k < self->code->atoms->dictionary->K && named <= MOST_NAMED; k++)
    if (self->code->code[k] != 0 && named++ < MOST_NAMED)
      g_string_append_printf (text, "%s%d", text->len > 0 ? ", " : "", k + 1);
  if (named > MOST_NAMED)
    g_string_append (text, "…");
  studio_label_take (self->support,
                     named > 0 ? g_strdup_printf (_ ("Supp(α) = {%s}"), text->str) : g_strdup (_ ("Supp(α) = ∅")));
  gtk_widget_set_tooltip_text (self->support, gtk_label_get_label (GTK_LABEL (self->support)));
}

STUDIO_DEFINE_DISPOSE (StudioCodePanel, studio_code_panel, (code, studio_code_unref), (groups, g_array_unref))

static void
studio_code_panel_class_init (StudioCodePanelClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_FORMULA, STUDIO_TYPE_PICTURE_VIEW, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_code_panel_dispose;
  studio_add_signal (klass, "atom-chosen", 1, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioCodePanel, "code-panel", by_code, by_slices, slice_title, slice_detail, maps, strip,
                       stems, support, error, nonzeros, rank, rank_reconstructed, bound, objective);
}

static void
studio_code_panel_init (StudioCodePanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->stem = -1;
  studio_picture_view_set_funcs (self->maps, &maps_funcs, self);
  studio_picture_view_set_funcs (self->strip, &strip_funcs, self);
  studio_picture_view_set_funcs (self->stems, &stems_funcs, self);
}

void
studio_code_panel_set_groups (StudioCodePanel *self, GArray *groups)
{
  g_clear_pointer (&self->groups, g_array_unref);
  self->groups = groups != NULL ? g_array_ref (groups) : NULL;
}

void
studio_code_panel_set_code (StudioCodePanel *self, StudioCode *code)
{
  if (code == NULL)
    {
      GtkWidget *const labels[]
          = { self->error, self->nonzeros, self->rank, self->rank_reconstructed, self->bound, self->objective };

      /* Without a code: dashes, and no pictures. */
      studio_picture_view_show (self->maps, NULL);
      studio_picture_view_show (self->strip, NULL);
      studio_picture_view_show (self->stems, NULL);
      gtk_widget_set_visible (self->by_code, FALSE);
      gtk_widget_set_visible (self->by_slices, FALSE);
      for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
        gtk_label_set_label (GTK_LABEL (labels[i]), "–");
      gtk_label_set_label (GTK_LABEL (self->slice_title), "");
      gtk_label_set_label (GTK_LABEL (self->slice_detail), "");
      gtk_label_set_label (GTK_LABEL (self->support), "");
    }
  else
    studio_code_ref (code);
  g_clear_pointer (&self->code, studio_code_unref);
  self->code = code;
  if (code == NULL)
    return;
  self->slice = CLAMP (self->slice, 0, code->planes - 1);
  if (self->stem >= code->atoms->dictionary->K)
    self->stem = -1;
  show_slices (self);
  show_stems (self);
  gtk_widget_set_visible (GTK_WIDGET (self->strip), code->planes > 1);
  show_slice_title (self);
  show_numbers (self);
}
