/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-editor.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "studio/recipe/value-text.h"
#include "studio/sweep/sweep-axis-row.h"
#include "studio/widgets/build.h"
#include "studio/widgets/wrap.h"

#define MOST_SEED (1ull << 53) /* a whole number in a spin button */

#define LARGEST_HEIGHT 150 /* of the rows at least, pixels: those of one parameter in a narrow window */

struct _StudioSweepEditor
{
  AdwBin parent_instance;
  StudioRecipeModel *model;
  GPtrArray *rows; /* StudioSweepAxisRow, as shown */
  GtkSizeGroup *kinds;
  gboolean filling;
  guint fit_source;

  GtkWidget *scroller, *axes, *add_button, *search, *parameters, *grid_button, *random_button, *random_box, *runs,
      *seed, *jobs;
};

G_DEFINE_FINAL_TYPE (StudioSweepEditor, studio_sweep_editor, ADW_TYPE_BIN)

/* A scrolled window asks for the height of unwrapped rows. In a narrow window theirs is known after the layout. */

static int
wrapped_height (StudioSweepEditor *self)
{
  int height;

  gtk_widget_measure (self->axes, GTK_ORIENTATION_VERTICAL, gtk_widget_get_width (self->scroller), NULL, &height, NULL,
                      NULL);
  return MIN (height, LARGEST_HEIGHT);
}

static gboolean
fit (gpointer data)
{
  StudioSweepEditor *self = data;

  self->fit_source = 0;
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (self->scroller), wrapped_height (self));
  return G_SOURCE_REMOVE;
}

static void
fit_soon (StudioSweepEditor *self)
{
  if (self->fit_source == 0
      && gtk_scrolled_window_get_min_content_height (GTK_SCROLLED_WINDOW (self->scroller)) != wrapped_height (self))
    self->fit_source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fit, self, NULL);
}

static void
announce (StudioSweepEditor *self)
{
  fit_soon (self);
  if (!self->filling)
    g_signal_emit_by_name (self, "changed");
}

static gboolean
is_random (StudioSweepEditor *self)
{
  return gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->random_button));
}

static StudioSweepAxisRow *
row_at (StudioSweepEditor *self, guint i)
{
  return g_ptr_array_index (self->rows, i);
}

static StudioSweepAxisRow *
find_row (StudioSweepEditor *self, const TosstParameter *parameter)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (studio_sweep_axis_row_has_parameter (row_at (self, i), parameter))
      return row_at (self, i);
  return NULL;
}

static void
show_places (StudioSweepEditor *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    studio_sweep_axis_row_set_place (row_at (self, i), i == 0, i + 1 == self->rows->len);
  gtk_widget_set_visible (self->axes, self->rows->len > 0);
  gtk_list_box_invalidate_filter (GTK_LIST_BOX (self->parameters));
}

static void
remove_row (StudioSweepEditor *self, StudioSweepAxisRow *row)
{
  gtk_list_box_remove (GTK_LIST_BOX (self->axes), GTK_WIDGET (row));
  g_ptr_array_remove (self->rows, row);
}

static void
on_row_remove (StudioSweepAxisRow *row, StudioSweepEditor *self)
{
  remove_row (self, row);
  show_places (self);
  announce (self);
  gtk_widget_grab_focus (self->add_button);
}

static void
on_row_move (StudioSweepAxisRow *row, int steps, StudioSweepEditor *self)
{
  guint index;
  int to;

  if (!g_ptr_array_find (self->rows, row, &index))
    return;
  to = CLAMP ((int)index + steps, 0, (int)self->rows->len - 1);
  g_ptr_array_remove_index (self->rows, index);
  g_ptr_array_insert (self->rows, to, row);
  g_object_ref (row);
  gtk_list_box_remove (GTK_LIST_BOX (self->axes), GTK_WIDGET (row));
  gtk_list_box_insert (GTK_LIST_BOX (self->axes), GTK_WIDGET (row), to);
  g_object_unref (row);
  show_places (self);
  announce (self);
}

/* given: random search draws from what the text says, and not from the whole of a range. */
static void
insert_row (StudioSweepEditor *self, const TosstParameter *parameter, const GPtrArray *tied, const char *text,
            gboolean given)
{
  StudioSweepAxisRow *row = studio_sweep_axis_row_new (parameter, tied, text, given && is_random (self));
  StudioSweepAxisRow *old = find_row (self, parameter);
  guint index = self->rows->len;

  if (old != NULL && g_ptr_array_find (self->rows, old, &index))
    remove_row (self, old);
  studio_sweep_axis_row_set_random (row, is_random (self));
  studio_sweep_axis_row_align (row, self->kinds);
  g_ptr_array_insert (self->rows, (int)index, row);
  gtk_list_box_insert (GTK_LIST_BOX (self->axes), GTK_WIDGET (row), (int)index);
  g_signal_connect_swapped (row, "changed", G_CALLBACK (announce), self);
  g_signal_connect (row, "remove", G_CALLBACK (on_row_remove), self);
  g_signal_connect (row, "move", G_CALLBACK (on_row_move), self);
}

static char *
number_text (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (text, sizeof text, "%.4g", value));
}

static char *
range_text (const char *word, double low, double high, int n)
{
  g_autofree char *from = number_text (low), *to = number_text (high);

  return g_strdup_printf ("%s:%s:%s:%d", word, from, to, n);
}

static char *
default_real (const TosstParameter *p, double value)
{
  if (p->logarithmic)
    {
      double middle = isfinite (value) && value > 0 ? value : 0.01;
      double low = MAX (middle / 10, p->minimum > 0 ? p->minimum : 1e-12), high = MIN (middle * 10, p->maximum);

      return range_text ("log", low, MAX (high, low * 2), 5);
    }
  if (!isfinite (value))
    value = isfinite (p->maximum) ? 0.5 * (p->minimum + p->maximum) : 1;
  return range_text ("lin", CLAMP (0.5 * value, p->minimum, p->maximum),
                     CLAMP (value != 0 ? 1.5 * value : 1, p->minimum, p->maximum), 3);
}

static char *
default_integer (const TosstParameter *p, double value)
{
  double middle = isfinite (value) && value >= 1 ? value : MAX (p->minimum, 1);
  g_autofree char *low = number_text (CLAMP (round (middle / 2), p->minimum, p->maximum));
  g_autofree char *same = number_text (middle), *high = number_text (CLAMP (2 * middle, p->minimum, p->maximum));

  return g_strdup_printf ("%s;%s;%s", low, same, high);
}

/* Values that an axis begins with, about that of the recipe, as core/sweep/sweep.h reads axes; new. */
static char *
default_text (const TosstParameter *parameter, const TosstRecipe *recipe)
{
  g_autofree char *value = tosst_recipe_get (recipe, parameter);
  double number = *value != 0 ? g_ascii_strtod (value, NULL) : NAN;

  switch (parameter->type)
    {
    case TOSST_PARAMETER_BOOLEAN:
      return g_strdup ("false;true");
    case TOSST_PARAMETER_SEED:
      return g_strdup ("1;2;3");
    case TOSST_PARAMETER_INTEGER:
      return default_integer (parameter, number);
    case TOSST_PARAMETER_REAL:
      return default_real (parameter, number);
    case TOSST_PARAMETER_CHOICE:
      return g_strjoinv (";", (char **)parameter->choices);
    case TOSST_PARAMETER_TEXT:
    default:
      return g_strdup (value);
    }
}

void
studio_sweep_editor_add (StudioSweepEditor *self, const char *name, const char *text)
{
  const TosstParameter *parameter = tosst_parameter_find (name);
  g_autofree char *values = NULL;

  g_return_if_fail (parameter != NULL);
  values = text != NULL ? g_strdup (text) : default_text (parameter, studio_recipe_model_peek (self->model));
  insert_row (self, parameter, NULL, values, text != NULL);
  show_places (self);
  announce (self);
}

void
studio_sweep_editor_clear (StudioSweepEditor *self)
{
  while (self->rows->len > 0)
    remove_row (self, row_at (self, self->rows->len - 1));
  show_places (self);
  announce (self);
}

/* Choosing a parameter. */

static const TosstParameter *
parameter_of (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "parameter");
}

static gboolean
contains (const char *text, const char *part)
{
  g_autofree char *folded = text != NULL ? g_utf8_casefold (text, -1) : g_strdup ("");

  return strstr (folded, part) != NULL;
}

/* Parameters without influence are not there, but for a search: another axis may give them one. */
static gboolean
matches (GtkListBoxRow *row, gpointer data)
{
  StudioSweepEditor *self = data;
  const TosstParameter *p = parameter_of (row);
  g_autofree char *wanted = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  const char *key = p->name;

  g_strstrip (wanted);
  return find_row (self, p) == NULL
         && (!tosst_recipe_why_inactive (studio_recipe_model_peek (self->model), p) || (*wanted && self->rows->len > 0))
         && (contains (_ (p->label), wanted) || contains (key, wanted) || contains (p->symbol, wanted)
             || contains (_ (tosst_parameter_group_label (p->group)), wanted));
}

static GtkWidget *
parameter_row_new (const TosstParameter *p)
{
  g_autofree char *markup = studio_parameter_markup (p);
  const char *key = p->name;
  GtkWidget *row = gtk_list_box_row_new (), *label = studio_label (NULL, NULL);
  GtkWidget *box = studio_row (12, label, studio_label (key, "dim-label", "caption", NULL), NULL);

  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_widget_set_hexpand (label, TRUE);
  g_object_set (box, "margin-start", 6, "margin-end", 6, "margin-top", 3, "margin-bottom", 3, NULL);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_widget_set_tooltip_text (row, p->help != NULL ? _ (p->help) : NULL);
  studio_set_name (row, _ (p->label));
  g_object_set_data (G_OBJECT (row), "parameter", (gpointer)p);
  return row;
}

static void
show_group (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  const char *group = parameter_of (row)->group;
  GtkWidget *label = NULL;

  if (before == NULL || strcmp (group, parameter_of (before)->group) != 0)
    {
      label = studio_label (_ (tosst_parameter_group_label (group)), "caption-heading", NULL);
      g_object_set (label, "margin-start", 8, "margin-top", 8, NULL);
    }
  gtk_list_box_row_set_header (row, label);
}

static void
fill_parameters (StudioSweepEditor *self)
{
  guint n;
  const TosstParameter *parameters = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    gtk_list_box_append (GTK_LIST_BOX (self->parameters), parameter_row_new (&parameters[i]));
  gtk_list_box_set_filter_func (GTK_LIST_BOX (self->parameters), matches, self, NULL);
  gtk_list_box_set_header_func (GTK_LIST_BOX (self->parameters), show_group, NULL, NULL);
}

static void
choose (StudioSweepEditor *self, const TosstParameter *parameter)
{
  const char *name = parameter->name;

  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->add_button));
  studio_sweep_editor_add (self, name, NULL);
}

static void
on_parameter (StudioSweepEditor *self, GtkListBoxRow *row)
{
  choose (self, parameter_of (row));
}

static void
on_search (StudioSweepEditor *self)
{
  gtk_list_box_invalidate_filter (GTK_LIST_BOX (self->parameters));
}

/* Return takes the first that is shown. The list follows the words with a delay, and Return may come before. */
static void
on_search_activate (StudioSweepEditor *self)
{
  GtkWidget *row = gtk_widget_get_first_child (self->parameters);

  on_search (self);
  for (; row != NULL; row = gtk_widget_get_next_sibling (row))
    if (GTK_IS_LIST_BOX_ROW (row) && gtk_widget_get_child_visible (row))
      {
        choose (self, parameter_of (GTK_LIST_BOX_ROW (row)));
        return;
      }
}

static void
on_popover (StudioSweepEditor *self)
{
  if (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->parameters), 0) == NULL)
    fill_parameters (self);
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  gtk_list_box_invalidate_filter (GTK_LIST_BOX (self->parameters));
  gtk_widget_grab_focus (self->search);
}

/* Grid or random, and numbers. */

static void
on_method (StudioSweepEditor *self)
{
  gtk_widget_set_visible (self->random_box, is_random (self));
  for (guint i = 0; i < self->rows->len; i++)
    studio_sweep_axis_row_set_random (row_at (self, i), is_random (self));
  announce (self);
}

static void
on_number (StudioSweepEditor *self)
{
  announce (self);
}

static void
on_recipe (StudioSweepEditor *self)
{
  if (self->rows->len > 0)
    announce (self);
}

static void
studio_sweep_editor_dispose (GObject *object)
{
  StudioSweepEditor *self = STUDIO_SWEEP_EDITOR (object);

  g_clear_handle_id (&self->fit_source, g_source_remove);
  if (self->rows != NULL)
    g_ptr_array_set_size (self->rows, 0);
  g_clear_object (&self->model);
  g_clear_object (&self->kinds);
  G_OBJECT_CLASS (studio_sweep_editor_parent_class)->dispose (object);
}

static void
studio_sweep_editor_finalize (GObject *object)
{
  g_clear_pointer (&STUDIO_SWEEP_EDITOR (object)->rows, g_ptr_array_unref);
  G_OBJECT_CLASS (studio_sweep_editor_parent_class)->finalize (object);
}

static void
studio_sweep_editor_class_init (StudioSweepEditorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_sweep_editor_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_sweep_editor_finalize;
  studio_add_signal (klass, "changed", 0);
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_TAB_STOP, STUDIO_TYPE_WRAP);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tosst/Studio/sweep-editor.ui");
  STUDIO_BIND_CHILDREN (widget_class, StudioSweepEditor, scroller, axes, add_button, search, parameters, grid_button,
                        random_button, random_box, runs, seed, jobs);
  STUDIO_BIND_CALLBACKS (widget_class, on_popover, on_search, on_search_activate, on_parameter, on_method, on_number);
}

static void
studio_sweep_editor_init (StudioSweepEditor *self)
{
  self->rows = g_ptr_array_new ();
  self->kinds = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  self->filling = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (self->scroller)), "changed",
                           G_CALLBACK (fit_soon), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller)), "changed",
                           G_CALLBACK (fit_soon), self, G_CONNECT_SWAPPED);
  gtk_spin_button_set_range (GTK_SPIN_BUTTON (self->jobs), 1, MAX (2, g_get_num_processors ()));
  self->filling = FALSE;
}

void
studio_sweep_editor_set_model (StudioSweepEditor *self, StudioRecipeModel *model)
{
  g_return_if_fail (self->model == NULL);

  self->model = g_object_ref (model);
  g_signal_connect_object (model, "changed", G_CALLBACK (on_recipe), self, G_CONNECT_SWAPPED);
}

guint
studio_sweep_editor_n_axes (StudioSweepEditor *self)
{
  return self->rows->len;
}

TosstSweep *
studio_sweep_editor_dup_edited (StudioSweepEditor *self)
{
  g_autoptr (TosstSweep) sweep = tosst_sweep_new (studio_recipe_model_peek (self->model));

  sweep->method = is_random (self) ? TOSST_SWEEP_RANDOM : TOSST_SWEEP_GRID;
  sweep->runs = gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->runs));
  sweep->seed = (guint64)gtk_spin_button_get_value (GTK_SPIN_BUTTON (self->seed));
  for (guint i = 0; i < self->rows->len; i++)
    {
      TosstSweepAxis *axis = studio_sweep_axis_row_get_axis (row_at (self, i));

      if (axis == NULL)
        return NULL;
      g_ptr_array_add (sweep->axes, tosst_sweep_axis_ref (axis));
    }
  return g_steal_pointer (&sweep);
}

TosstSweep *
studio_sweep_editor_dup_sweep (StudioSweepEditor *self)
{
  return self->rows->len > 0 ? studio_sweep_editor_dup_edited (self) : NULL;
}

gboolean
studio_sweep_editor_can_show (const TosstSweep *sweep, GError **error)
{
  return sweep->seed <= MOST_SEED
         || tosst_fail (error, TOSST_FAILED_RECIPE, _ ("a sweep.seed above %.0f cannot be shown in the window"),
                        (double)MOST_SEED);
}

/* One announcement for all. */
void
studio_sweep_editor_take (StudioSweepEditor *self, const TosstSweep *sweep)
{
  self->filling = TRUE;
  if (!tosst_recipe_equal (sweep->base, studio_recipe_model_peek (self->model)))
    studio_recipe_model_take (self->model, tosst_recipe_copy (sweep->base));
  studio_sweep_editor_clear (self);
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (sweep->method == TOSST_SWEEP_RANDOM ? self->random_button : self->grid_button), TRUE);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->runs), sweep->runs);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->seed), sweep->seed);
  for (guint i = 0; i < sweep->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (sweep->axes, i);
      insert_row (self, axis->parameter, axis->tied, axis->text, TRUE);
    }
  show_places (self);
  self->filling = FALSE;
  announce (self);
}

int
studio_sweep_editor_get_jobs (StudioSweepEditor *self)
{
  return gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->jobs));
}

void
studio_sweep_editor_set_jobs (StudioSweepEditor *self, int jobs)
{
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->jobs), jobs);
}
