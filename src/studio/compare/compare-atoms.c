/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/compare/compare-parts.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/dictionary/common-atoms.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/wrap.h"

static const TosstDictionary *
studio_match_dictionary (const StudioMatch *self, guint i)
{
  return self->report[i]->run->dictionary;
}

StudioMatch *
studio_match_new (StudioCompareSet *set)
{
  guint n = set->runs->len;
  StudioMatch *self = g_atomic_rc_box_new0 (StudioMatch);

  self->report = g_new0 (StudioRunReport *, n);
  self->color = g_new0 (guint, n);
  self->name = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const StudioComparedRun *run = studio_compare_set_at (set, i);

      if (run->report == NULL || run->report->run->dictionary == NULL)
        continue;
      self->color[self->n] = run->color;
      self->name[self->n] = studio_run_row_get_heading (run->row);
      self->report[self->n++] = g_atomic_rc_box_acquire (run->report);
    }
  self->atom = g_new0 (int *, n);
  self->similarity = g_new0 (double *, n);
  self->agreement = g_new0 (double, n);
  if (self->n > 0)
    return self;
  studio_match_unref (self);
  return NULL;
}

static void
match_clear (StudioMatch *self)
{
  for (guint i = 0; i < self->n; i++)
    {
      studio_run_report_unref (self->report[i]);
      g_free (self->atom[i]);
      g_free (self->similarity[i]);
    }
  g_free (self->report);
  g_free (self->color);
  g_strfreev (self->name);
  g_free (self->atom);
  g_free (self->similarity);
  g_free (self->energy);
  g_free (self->mean);
  g_free (self->agreement);
}

void
studio_match_unref (StudioMatch *self)
{
  g_atomic_rc_box_release_full (self, (GDestroyNotify)match_clear);
}

static void
match_one (StudioMatch *self, guint i)
{
  const TosstDictionary *first = studio_match_dictionary (self, 0), *other = studio_match_dictionary (self, i);
  g_autofree double *all = NULL;
  double sum = 0;
  int matched = 0;

  self->agreement[i] = NAN;
  if (first->D != other->D || first->shape.d1 != other->shape.d1 || first->shape.d2 != other->shape.d2
      || (all = g_try_new (double, (gsize)first->K *(gsize)other->K)) == NULL)
    return;
  g_autofree int *atom = g_new (int, first->K);
  if (tosst_dictionary_similarity (first, other, all) != TOSST_OK || !tosst_match (all, first->K, other->K, atom))
    return;
  self->similarity[i] = g_new (double, first->K);
  for (int k = 0; k < first->K; k++)
    {
      self->similarity[i][k] = atom[k] >= 0 ? all[(gsize)k * (gsize)other->K + (gsize)atom[k]] : NAN;
      sum += atom[k] >= 0 ? self->similarity[i][k] : 0;
      matched += atom[k] >= 0;
    }
  self->agreement[i] = sum / matched;
  self->atom[i] = g_steal_pointer (&atom);
}

static double
mean_similarity (const StudioMatch *self, int k)
{
  double sum = 0;
  int n = 0;

  for (guint i = 1; i < self->n; i++)
    if (self->atom[i] != NULL && self->atom[i][k] >= 0)
      {
        sum += self->similarity[i][k];
        n++;
      }
  return n > 0 ? sum / n : NAN;
}

void
studio_match_run (StudioMatch *self)
{
  const TosstDictionary *first = studio_match_dictionary (self, 0);

  self->agreement[0] = NAN;
  for (guint i = 1; i < self->n; i++)
    match_one (self, i);
  self->energy = g_new0 (double, first->K);
  self->mean = g_new0 (double, first->K);
  for (int k = 0; k < first->K; k++)
    {
      for (int j = 0; j < first->D; j++)
        self->energy[k]
            += first->V[(gsize)k * (gsize)first->D + (gsize)j] * first->V[(gsize)k * (gsize)first->D + (gsize)j];
      self->mean[k] = mean_similarity (self, k);
    }
}

typedef struct
{
  const double *keys;
  double sign; /* -1: largest first */
} Sorting;

/* Atoms without a key sort last. */
static int
compare_atoms (gconstpointer a, gconstpointer b, const Sorting *sorting)
{
  int i = *(const int *)a, j = *(const int *)b;
  double x = sorting->keys[i], y = sorting->keys[j];

  if (isnan (x) || isnan (y))
    return isnan (x) != isnan (y) ? isnan (x) - isnan (y) : i - j;
  return x != y ? (sorting->sign * x < sorting->sign * y ? -1 : 1) : i - j;
}

int *
studio_match_sorted (const StudioMatch *self, StudioMatchOrder order)
{
  int K = studio_match_dictionary (self, 0)->K, *atoms = g_new (int, K);
  Sorting sorting
      = { order == STUDIO_MATCH_BY_ENERGY ? self->energy : self->mean, order == STUDIO_MATCH_LEAST_ALIKE ? 1 : -1 };

  for (int k = 0; k < K; k++)
    atoms[k] = k;
  g_qsort_with_data (atoms, K, sizeof *atoms, (GCompareDataFunc)compare_atoms, &sorting);
  return atoms;
}

#define THUMBNAIL 56

struct _StudioCompareAtoms
{
  AdwBin parent_instance;
  StudioCompareSet *set;
  StudioMatch *match;  /* NULL: none yet */
  StudioMatch *wanted; /* the latest that is being matched, borrowed; NULL: none */
  GListStore *rows;    /* of an atom of the first run, the data "atom" */

  GtkWidget *stack, *grid, *orders, *summary;
};

G_DEFINE_FINAL_TYPE (StudioCompareAtoms, studio_compare_atoms, ADW_TYPE_BIN)

/* Tiles. */

static GtkWidget *
thumbnail_of (StudioCompareAtoms *self, const TosstDictionary *dictionary, int atom)
{
  int rows = dictionary->shape.d1, columns = dictionary->shape.d2;
  int zoom = MAX (1, (THUMBNAIL + MAX (rows, columns) / 2) / MAX (rows, columns));
  g_autofree double *matrix = g_new (double, (gsize)rows *(gsize)columns);

  tosst_dictionary_matrix (dictionary, atom, matrix);
  g_autoptr (GdkTexture) texture = studio_matrix_texture (GTK_WIDGET (self), matrix, rows, columns, zoom);
  GtkWidget *picture = gtk_picture_new_for_paintable (GDK_PAINTABLE (texture));
  gtk_picture_set_can_shrink (GTK_PICTURE (picture), FALSE);
  return picture;
}

/* "17" of the first, "0.93" of the others. */
static GtkWidget *
caption_of (StudioMatch *match, guint i, int atom)
{
  g_autofree char *text
      = i == 0 ? g_strdup_printf ("%d", atom + 1) : g_strdup_printf ("%.2f", match->similarity[i][atom]);

  return g_object_new (GTK_TYPE_LABEL, "label", text, "css-classes",
                       (const char *const[]){ "caption", "numeric", i == 0 ? "dim-label" : NULL, NULL }, NULL);
}

static char *
describe (StudioMatch *match, guint i, int atom)
{
  if (i == 0)
    return g_strdup_printf (_ ("%s, atom %d"), match->name[0], atom + 1);
  return g_strdup_printf (_ ("%s, atom %d: similarity %.3f"), match->name[i], match->atom[i][atom] + 1,
                          match->similarity[i][atom]);
}

/* The picture of run i; empty if it has no match of this atom. */
static GtkWidget *
part_of (StudioCompareAtoms *self, guint i, int atom)
{
  StudioMatch *match = self->match;
  GtkWidget *part = studio_column (2, NULL);
  int other = i == 0 ? atom : match->atom[i] != NULL ? match->atom[i][atom] : -1;

  gtk_widget_set_size_request (part, THUMBNAIL, -1);
  if (other < 0)
    return part;
  g_autofree char *text = describe (match, i, atom);
  gtk_widget_set_tooltip_text (part, text);
  gtk_box_append (GTK_BOX (part), thumbnail_of (self, studio_match_dictionary (match, i), other));
  gtk_box_append (GTK_BOX (part), caption_of (match, i, atom));
  return part;
}

static void
on_bind (StudioCompareAtoms *self, GtkListItem *item)
{
  int atom = GPOINTER_TO_INT (g_object_get_data (gtk_list_item_get_item (item), "atom"));
  GtkWidget *tile = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  g_autoptr (GString) words = g_string_new (NULL);

  gtk_widget_set_halign (tile, GTK_ALIGN_START);
  for (guint i = 0; i < self->match->n; i++)
    {
      GtkWidget *part = part_of (self, i, atom);

      gtk_box_append (GTK_BOX (tile), part);
      if (gtk_widget_get_tooltip_text (part) != NULL)
        g_string_append_printf (words, "%s%s", words->len > 0 ? "; " : "", gtk_widget_get_tooltip_text (part));
    }
  studio_set_name (tile, words->str);
  gtk_list_item_set_child (item, tile);
}

static void
on_unbind (StudioCompareAtoms *self, GtkListItem *item)
{
  gtk_list_item_set_child (item, NULL);
}

static void
show_rows (StudioCompareAtoms *self)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  guint chosen = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->orders));

  if (self->match == NULL)
    {
      g_list_store_remove_all (self->rows);
      return;
    }
  int K = studio_match_dictionary (self->match, 0)->K;
  g_autofree int *atoms
      = studio_match_sorted (self->match, chosen < 3 ? (StudioMatchOrder)chosen : STUDIO_MATCH_BY_ENERGY);
  for (int k = 0; k < K; k++)
    {
      GObject *row = g_object_new (G_TYPE_OBJECT, NULL);

      g_object_set_data (row, "atom", GINT_TO_POINTER (atoms[k]));
      g_ptr_array_add (rows, row);
    }
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)), rows->pdata, rows->len);
}

static void
show_match (StudioCompareAtoms *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->summary)) != NULL)
    gtk_flow_box_remove (GTK_FLOW_BOX (self->summary), child);
  show_rows (self);
  for (guint i = 0; self->match != NULL && i < self->match->n; i++)
    {
      StudioMatch *match = self->match;
      int K = studio_match_dictionary (match, i)->K;
      g_autofree char *text = NULL;

      /* The runs in the order of the thumbnails, with their similarity to the first. */
      if (i == 0)
        text = g_strdup_printf (ngettext ("%s: %d atom", "%s: %d atoms", K), match->name[i], K);
      else if (match->atom[i] == NULL)
        text = g_strdup_printf (_ ("%s: atoms of another size"), match->name[i]);
      else
        /* Translators: a run, its number of atoms, and the mean of similarities between 0 and 1. */
        text = g_strdup_printf (ngettext ("%s: %d atom, mean similarity %.2f", "%s: %d atoms, mean similarity %.2f", K),
                                match->name[i], K, match->agreement[i]);
      gtk_flow_box_append (GTK_FLOW_BOX (self->summary),
                           studio_run_caption_new ((int)match->color[i], text, "numeric"));
      gtk_widget_set_focusable (GTK_WIDGET (gtk_flow_box_get_child_at_index (GTK_FLOW_BOX (self->summary), (int)i)),
                                FALSE);
    }
}

/* Matching. */

static gboolean
match_work (gpointer match, GError **error)
{
  studio_match_run (match);
  return TRUE;
}

static void
on_matched (StudioCompareAtoms *self, gpointer match, const GError *error)
{
  if (self->rows == NULL || self->wanted != match)
    return;
  self->wanted = NULL;
  g_clear_pointer (&self->match, studio_match_unref);
  self->match = g_atomic_rc_box_acquire (match);
  show_match (self);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "atoms");
}

static gboolean
is_reading (StudioCompareAtoms *self)
{
  for (guint i = 0; i < self->set->runs->len; i++)
    if (studio_compare_set_at (self->set, i)->report == NULL && studio_compare_set_at (self->set, i)->problem == NULL)
      return TRUE;
  return FALSE;
}

/* Matches all at once, when all are read. */
static void
on_set_changed (StudioCompareAtoms *self)
{
  self->wanted = NULL;
  if (is_reading (self))
    return;
  self->wanted = studio_match_new (self->set);
  if (self->wanted != NULL)
    studio_task_run (self, match_work, self->wanted, (GDestroyNotify)studio_match_unref, on_matched);
  else
    {
      g_clear_pointer (&self->match, studio_match_unref);
      show_match (self);
      gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "none");
    }
}

STUDIO_DEFINE_DISPOSE_WITH (StudioCompareAtoms, studio_compare_atoms,
                            studio_follow (self, &self->set, NULL, NULL, NULL), (match, studio_match_unref))

static void
studio_compare_atoms_class_init (StudioCompareAtomsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_compare_atoms_dispose;
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_TAB_STOP, STUDIO_TYPE_WRAP);
  STUDIO_SET_TEMPLATE (klass, StudioCompareAtoms, "compare-atoms", stack, grid, orders, summary, rows);
  STUDIO_BIND_CALLBACKS (klass, show_rows, on_bind, on_unbind);
}

static void
refresh (GtkWidget *widget)
{
  StudioCompareAtoms *self = STUDIO_COMPARE_ATOMS (widget);

  if (self->rows != NULL)
    show_rows (self);
}

static void
studio_compare_atoms_init (StudioCompareAtoms *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  studio_watch_style (GTK_WIDGET (self), refresh);
}

void
studio_compare_atoms_set_set (StudioCompareAtoms *self, StudioCompareSet *set)
{
  studio_follow (self, &self->set, set, "changed", G_CALLBACK (on_set_changed));
  if (set != NULL)
    on_set_changed (self);
}

gboolean
studio_compare_atoms_is_matching (StudioCompareAtoms *self)
{
  return self->wanted != NULL || (self->set != NULL && is_reading (self));
}
