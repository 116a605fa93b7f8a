/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-editor.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "studio/recipe/value-text.h"
#include "studio/runs/sweep-plan.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/wrap.h"

#define MOST_SEED (1ull << 53) /* a whole number in a spin button */

#define LARGEST_HEIGHT 150 /* of the rows at least, pixels: those of one parameter in a narrow window */

#define ANY 1           /* in the place of a number of values */
#define MAX_LISTED 1000 /* values of a range that become a list when lists are chosen */
#define SHOWN_VALUES 3
#define SAY_MS 500 /* without another letter before what is wrong is said */

/* As in the drop-down. */
typedef enum
{
  LIST,
  LINEAR,
  LOGARITHMIC,
} Kind;

/* One parameter that a sweep varies, or several tied together: a list of values, a linear or logarithmic range, or some of
 * the words that the parameter knows. */
#define STUDIO_TYPE_SWEEP_AXIS_ROW (studio_sweep_axis_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepAxisRow, studio_sweep_axis_row, STUDIO, SWEEP_AXIS_ROW, GtkListBoxRow)

struct _StudioSweepAxisRow
{
  GtkListBoxRow parent_instance;
  StudioSweepEditor *editor; /* to which it belongs; NULL while it is made */
  const TosstParameter *parameter;
  GPtrArray *all; /* const TosstParameter *: that one, and those tied to it */
  char *key;      /* "dictionary.lambda+coding.lambda" */
  gboolean random, filling;
  char *text; /* that was given; NULL: it was edited since */
  int values; /* of a grid, while random search draws from the whole range */
  char *problem;
  TosstSweepAxis *axis; /* what the text says; NULL: there is a problem */
  guint say_source;

  GtkWidget *name, *kind, *stack, *list, *low, *high, *number, *choices_button, *choices_label, *choices, *count, *up,
      *down, *error;
};

G_DEFINE_FINAL_TYPE (StudioSweepAxisRow, studio_sweep_axis_row, GTK_TYPE_LIST_BOX_ROW)

struct _StudioSweepEditor
{
  AdwBin parent_instance;
  StudioRecipeModel *model;
  GPtrArray *rows;     /* StudioSweepAxisRow, as shown */
  GtkSizeGroup *kinds; /* values below each other */
  gboolean filling;
  guint fit_source;

  GtkWidget *scroller, *axes, *add_button, *search, *parameters, *grid_button, *random_button, *random_box, *validates,
      *runs, *seed, *jobs;
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

static void
fit (StudioSweepEditor *self)
{
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (self->scroller), wrapped_height (self));
}

static void
fit_soon (StudioSweepEditor *self)
{
  if (gtk_scrolled_window_get_min_content_height (GTK_SCROLLED_WINDOW (self->scroller)) != wrapped_height (self))
    studio_later_at (&self->fit_source, G_PRIORITY_HIGH_IDLE, 0, G_CALLBACK (fit), self);
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
  return studio_is_on (self->random_button);
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
    if (g_ptr_array_find (row_at (self, i)->all, parameter, NULL))
      return row_at (self, i);
  return NULL;
}

static void
show_places (StudioSweepEditor *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      gtk_widget_set_sensitive (row_at (self, i)->up, i > 0);
      gtk_widget_set_sensitive (row_at (self, i)->down, i + 1 < self->rows->len);
    }
  gtk_widget_set_visible (self->axes, self->rows->len > 0);
  gtk_list_box_invalidate_filter (GTK_LIST_BOX (self->parameters));
}

static void
remove_row (StudioSweepEditor *self, StudioSweepAxisRow *row)
{
  gtk_list_box_remove (GTK_LIST_BOX (self->axes), GTK_WIDGET (row));
  g_ptr_array_remove (self->rows, row);
}

/* The text of a row, from its widgets. */

static gboolean
is_number (const TosstParameter *parameter)
{
  return parameter->type == TOSST_PARAMETER_INTEGER || parameter->type == TOSST_PARAMETER_REAL
         || parameter->type == TOSST_PARAMETER_SEED;
}

static gboolean
has_choices (StudioSweepAxisRow *self)
{
  return self->parameter->type == TOSST_PARAMETER_CHOICE || self->parameter->type == TOSST_PARAMETER_BOOLEAN;
}

static Kind
kind_of (StudioSweepAxisRow *self)
{
  return is_number (self->parameter) ? gtk_drop_down_get_selected (GTK_DROP_DOWN (self->kind)) : LIST;
}

/* A list with each of its parts in another form; new. */
static char *
convert_list (const char *list, char *(*convert) (const char *), const char *separator)
{
  g_auto (GStrv) parts = g_strsplit (list, ";", -1);

  for (char **part = parts; *part != NULL; part++)
    {
      g_autofree char *before = *part;

      *part = convert (g_strstrip (before));
    }
  return g_strjoinv (separator, parts);
}

static const char *
word_of (GtkWidget *check)
{
  return g_object_get_data (G_OBJECT (check), "word");
}

/* The chosen words, as recipes have them or as they are shown; new. */
static char *
chosen_words (StudioSweepAxisRow *self, const char *separator, gboolean shown)
{
  GString *text = g_string_new (NULL);

  for (GtkWidget *check = gtk_widget_get_first_child (self->choices); check != NULL;
       check = gtk_widget_get_next_sibling (check))
    if (gtk_check_button_get_active (GTK_CHECK_BUTTON (check)))
      {
        g_autofree char *word
            = shown ? studio_value_text (self->parameter, word_of (check)) : g_strdup (word_of (check));

        g_string_append_printf (text, "%s%s", text->len > 0 ? separator : "", word);
      }
  return g_string_free (text, FALSE);
}

/* New, in the C locale; to the letter what was given until it is edited. */
static char *
text_of (StudioSweepAxisRow *self)
{
  const char *word = kind_of (self) == LINEAR ? "lin" : "log";
  int n = gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->number));
  const char *list = gtk_editable_get_text (GTK_EDITABLE (self->list));

  if (self->text != NULL)
    return g_strdup (self->text);
  if (has_choices (self))
    return chosen_words (self, ";", FALSE);
  if (kind_of (self) == LIST)
    return is_number (self->parameter) ? convert_list (list, studio_number_to_c, ";") : g_strdup (list);
  g_autofree char *low = studio_number_to_c (gtk_editable_get_text (GTK_EDITABLE (self->low)));
  g_autofree char *high = studio_number_to_c (gtk_editable_get_text (GTK_EDITABLE (self->high)));
  if (n == ANY)
    return g_strdup_printf ("%s:%s:%s", word, low, high);
  return g_strdup_printf ("%s:%s:%s:%d", word, low, high, n);
}

/* Checking a row. */

static void
on_say (StudioSweepAxisRow *self)
{
  studio_label_show_problem (self->error, self->problem);
}

/* "5 values"; of a range, which: "0.0001, 0.001, 0.01, …" */
static char *
describe (StudioSweepAxisRow *self, const TosstSweepAxis *axis)
{
  guint n = axis->values != NULL ? g_strv_length (axis->values) : 0;
  GString *words = g_string_new (NULL);

  if (axis->values == NULL)
    g_string_append (words, _ ("any value between"));
  else if (kind_of (self) == LIST)
    g_string_append_printf (words, ngettext ("%u value", "%u values", n), n);
  else
    for (guint i = 0; i < MIN (n, SHOWN_VALUES); i++)
      {
        g_autofree char *value = studio_value_text (self->parameter, axis->values[i]);
        g_string_append_printf (words, "%s%s", i > 0 ? ", " : "", value);
      }
  if (kind_of (self) != LIST && n > SHOWN_VALUES)
    g_string_append (words, ", …");
  return g_string_free (words, FALSE);
}

static void
check (StudioSweepAxisRow *self)
{
  g_autofree char *text = text_of (self);
  g_autoptr (GError) error = NULL;

  if (self->axis != NULL && strcmp (self->axis->text, text) == 0)
    return;
  g_clear_pointer (&self->problem, g_free);
  g_clear_pointer (&self->axis, tosst_sweep_axis_unref);
  if (has_choices (self) && *text == 0)
    self->problem = g_strdup (_ ("Choose at least one value"));
  else if ((self->axis = tosst_sweep_axis_new (self->key, text, &error)) == NULL)
    self->problem = g_strdup (error->message);
  g_clear_handle_id (&self->say_source, g_source_remove);
  studio_label_take (self->count, self->axis != NULL ? describe (self, self->axis) : g_strdup (""));
  if (self->problem == NULL)
    studio_label_show_problem (self->error, NULL);
  else
    studio_later (&self->say_source, SAY_MS, on_say, self);
}

/* Editing a row. */

static void
on_values_changed (StudioSweepAxisRow *self)
{
  if (self->filling)
    return;
  g_clear_pointer (&self->text, g_free);
  check (self);
  announce (self->editor);
}

static void
show_chosen (StudioSweepAxisRow *self)
{
  g_autofree char *words = chosen_words (self, ", ", TRUE);

  gtk_label_set_label (GTK_LABEL (self->choices_label), *words != 0 ? words : _ ("none"));
}

static void
on_chosen (StudioSweepAxisRow *self)
{
  show_chosen (self);
  on_values_changed (self);
}

static void
show_kind (StudioSweepAxisRow *self)
{
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), has_choices (self)       ? "choices"
                                                             : kind_of (self) == LIST ? "list"
                                                                                      : "range");
}

/* The other kind begins where this one was: a list's ends become a range's, and a range its values. */
static void
on_kind (StudioSweepAxisRow *self)
{
  if (self->filling)
    return;
  show_kind (self);
  on_values_changed (self);
}

/* "any" where random search draws from the whole range. */
static gboolean
on_number_output (GtkSpinButton *spin)
{
  if (gtk_spin_button_get_value_as_int (spin) != ANY)
    return FALSE;
  gtk_editable_set_text (GTK_EDITABLE (spin), _ ("any"));
  return TRUE;
}

static int
on_number_input (GtkSpinButton *spin, double *value)
{
  if (strcmp (gtk_editable_get_text (GTK_EDITABLE (spin)), _ ("any")) != 0)
    return FALSE;
  *value = ANY;
  return TRUE;
}

static void
on_remove (StudioSweepAxisRow *row)
{
  StudioSweepEditor *self = row->editor;

  remove_row (self, row);
  show_places (self);
  announce (self);
  gtk_widget_grab_focus (self->add_button);
}

static void
on_move (GtkWidget *button, StudioSweepAxisRow *row)
{
  StudioSweepEditor *self = row->editor;
  guint index;

  if (!g_ptr_array_find (self->rows, row, &index))
    return;
  int to = CLAMP ((int)index + (button == row->up ? -1 : 1), 0, (int)self->rows->len - 1);
  g_ptr_array_remove_index (self->rows, index);
  g_ptr_array_insert (self->rows, to, row);
  g_object_ref (row);
  gtk_list_box_remove (GTK_LIST_BOX (self->axes), GTK_WIDGET (row));
  gtk_list_box_insert (GTK_LIST_BOX (self->axes), GTK_WIDGET (row), to);
  g_object_unref (row);
  show_places (self);
  announce (self);
}

STUDIO_DEFINE_DISPOSE (StudioSweepAxisRow, studio_sweep_axis_row, (say_source, g_source_remove), (problem, g_free),
                       (text, g_free), (key, g_free), (axis, tosst_sweep_axis_unref), (all, g_ptr_array_unref))

static void
studio_sweep_axis_row_class_init (StudioSweepAxisRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_sweep_axis_row_dispose;
  STUDIO_SET_TEMPLATE (klass, StudioSweepAxisRow, "sweep-axis-row", name, kind, stack, list, low, high, number,
                       choices_button, choices_label, choices, count, up, down, error);
  STUDIO_BIND_CALLBACKS (klass, on_values_changed, on_kind, on_number_output, on_number_input, on_move, on_remove);
}

static void
studio_sweep_axis_row_init (StudioSweepAxisRow *self)
{
  self->values = 5;
  self->filling = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_halign (gtk_widget_get_parent (self->choices_label), GTK_ALIGN_FILL); /* from the left, as entries */
}

/* From text to the widgets of a row. */

static void
fill_list (StudioSweepAxisRow *self, const char *text)
{
  /* A space belongs to a text. */
  g_autofree char *numbers = is_number (self->parameter) ? convert_list (text, studio_number_from_c, "; ") : NULL;

  gtk_editable_set_text (GTK_EDITABLE (self->list), numbers != NULL ? numbers : text);
}

static void
fill_range (StudioSweepAxisRow *self, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, ":", -1);
  guint n = g_strv_length (words);
  g_autofree char *low = studio_number_from_c (n > 1 ? g_strstrip (words[1]) : "");
  g_autofree char *high = studio_number_from_c (n > 2 ? g_strstrip (words[2]) : "");

  gtk_editable_set_text (GTK_EDITABLE (self->low), low);
  gtk_editable_set_text (GTK_EDITABLE (self->high), high);
  if (n > 3)
    {
      self->values = (int)g_ascii_strtod (words[3], NULL);
      gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->number), self->values);
    }
}

static void
fill (StudioSweepAxisRow *self, const char *text)
{
  gboolean linear = g_str_has_prefix (text, "lin:"), logarithmic = g_str_has_prefix (text, "log:");

  if (has_choices (self))
    {
      g_autoptr (TosstSweepAxis) axis = tosst_sweep_axis_new (self->parameter->name, text, NULL);

      /* By values, as there may be several words for one: true, 1. */
      for (GtkWidget *check = gtk_widget_get_first_child (self->choices); check != NULL;
           check = gtk_widget_get_next_sibling (check))
        gtk_check_button_set_active (GTK_CHECK_BUTTON (check),
                                     axis != NULL
                                         && g_strv_contains ((const char *const *)axis->values, word_of (check)));
      show_chosen (self);
    }
  else if (linear || logarithmic)
    fill_range (self, text);
  else
    fill_list (self, text);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->kind), linear ? LINEAR : logarithmic ? LOGARITHMIC : LIST);
}

/* What the other kind shows when it is chosen for the first time. */
static void
fill_other (StudioSweepAxisRow *self, const char *text)
{
  g_autoptr (TosstSweepAxis) axis = tosst_sweep_axis_new (self->parameter->name, text, NULL);
  g_autofree char *values = NULL;

  if (!is_number (self->parameter) || axis == NULL || axis->values == NULL)
    return;
  if (kind_of (self) == LIST)
    {
      values = g_strdup_printf ("lin:%s:%s", axis->values[0], axis->values[g_strv_length (axis->values) - 1]);
      fill_range (self, values);
    }
  else
    {
      /* More values are no list to be edited. */
      values = g_strv_length (axis->values) <= MAX_LISTED ? g_strjoinv (";", axis->values) : g_strdup (axis->values[0]);
      fill_list (self, values);
    }
}

static void
offer_numbers (StudioSweepAxisRow *self, gboolean random)
{
  self->random = random;
  gtk_spin_button_set_range (GTK_SPIN_BUTTON (self->number), random ? ANY : 2, TOSST_SWEEP_MAX_RUNS);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->number), random ? ANY : self->values);
}

/* Random search draws from the whole range of a row, until it is given a number of values. */
static void
set_random (StudioSweepAxisRow *self, gboolean random)
{
  if (self->random != random)
    {
      self->filling = TRUE;
      if (gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->number)) != ANY)
        self->values = gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->number));
      offer_numbers (self, random);
      self->filling = FALSE;
      if (kind_of (self) != LIST)
        g_clear_pointer (&self->text, g_free);
    }
  check (self);
}

static void
add_choices (StudioSweepAxisRow *self)
{
  static const char *const truths[] = { "false", "true", NULL };
  const char *const *words = self->parameter->type == TOSST_PARAMETER_BOOLEAN ? truths : self->parameter->choices;

  gtk_widget_set_visible (self->choices_button, has_choices (self));
  for (guint i = 0; has_choices (self) && words[i] != NULL; i++)
    {
      g_autofree char *label = studio_value_text (self->parameter, words[i]);
      GtkWidget *check = gtk_check_button_new_with_label (label);

      g_object_set_data (G_OBJECT (check), "word", (gpointer)words[i]);
      g_signal_connect_swapped (check, "toggled", G_CALLBACK (on_chosen), self);
      gtk_box_append (GTK_BOX (self->choices), check);
    }
}

static void
show_names (StudioSweepAxisRow *self, const GPtrArray *tied)
{
  g_autofree char *name = studio_tied_label (self->parameter, tied, FALSE), *markup = studio_symbol_markup (name);
  g_autoptr (GString) help = g_string_new (NULL);
  GString *key = g_string_new (NULL);
  gboolean several = self->all->len > 1;

  for (guint i = 0; i < self->all->len; i++)
    {
      const TosstParameter *p = self->all->pdata[i];

      g_string_append_printf (key, "%s%s", i > 0 ? "+" : "", p->name);
      g_string_append_printf (help, "%s%s: %s", i > 0 ? "\n" : "", p->name, p->help != NULL ? _ (p->help) : "");
    }
  self->key = g_string_free (key, FALSE);
  g_object_set (self->name, "label", markup, "wrap", several, "ellipsize",
                several ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END, "tooltip-text", help->str, NULL);
  studio_set_name (self, _ (self->parameter->label));
}

/* tied: const TosstParameter * that have the same value, or NULL. text: as core/sweep/sweep.h reads axes; random: of random
 * search. */
static StudioSweepAxisRow *
row_new (const TosstParameter *parameter, const GPtrArray *tied, const char *text, gboolean random)
{
  StudioSweepAxisRow *self = g_object_new (STUDIO_TYPE_SWEEP_AXIS_ROW, NULL);

  self->parameter = parameter;
  self->all = g_ptr_array_new ();
  g_ptr_array_add (self->all, (gpointer)parameter);
  for (guint i = 0; tied != NULL && i < tied->len; i++)
    g_ptr_array_add (self->all, tied->pdata[i]);
  show_names (self, tied);
  gtk_widget_set_visible (self->kind, is_number (parameter));
  add_choices (self);
  offer_numbers (self, random);
  fill (self, text);
  fill_other (self, text);
  self->text = g_strdup (text);
  self->filling = FALSE;
  show_kind (self);
  check (self);
  return self;
}

/* The rows. */

/* given: random search draws from what the text says, and not from the whole of a range. */
static void
insert_row (StudioSweepEditor *self, const TosstParameter *parameter, const GPtrArray *tied, const char *text,
            gboolean given)
{
  StudioSweepAxisRow *row = row_new (parameter, tied, text, given && is_random (self));
  StudioSweepAxisRow *old = find_row (self, parameter);
  guint index = self->rows->len;

  if (old != NULL && g_ptr_array_find (self->rows, old, &index))
    remove_row (self, old);
  row->editor = self;
  set_random (row, is_random (self));
  if (is_number (parameter))
    gtk_size_group_add_widget (self->kinds, row->kind);
  g_ptr_array_insert (self->rows, (int)index, row);
  gtk_list_box_insert (GTK_LIST_BOX (self->axes), GTK_WIDGET (row), (int)index);
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
  g_autofree char *values = text != NULL ? g_strdup (text) : default_text (parameter, self->model->recipe);

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

/* Parameters without influence are not there, but for a search: another axis may give them one. */
static gboolean
matches (GtkListBoxRow *row, StudioSweepEditor *self)
{
  const TosstParameter *p = parameter_of (row);
  g_autofree char *wanted = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);

  g_strstrip (wanted);
  return find_row (self, p) == NULL
         && (!tosst_recipe_why_inactive (self->model->recipe, p) || (*wanted && self->rows->len > 0))
         && (studio_text_contains (_ (p->label), wanted) || studio_text_contains (p->name, wanted)
             || studio_text_contains (p->symbol, wanted)
             || studio_text_contains (_ (tosst_parameter_group_label (p->group)), wanted));
}

static GtkWidget *
parameter_row_new (const TosstParameter *p)
{
  g_autofree char *markup = studio_parameter_markup (p);
  GtkWidget *row = gtk_list_box_row_new (), *label = studio_label (NULL, NULL);
  GtkWidget *box = studio_row (12, label, studio_label (p->name, "dim-label", "caption", NULL), NULL);

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
on_parameter (StudioSweepEditor *self, GtkListBoxRow *row)
{
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->add_button));
  studio_sweep_editor_add (self, parameter_of (row)->name, NULL);
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
        on_parameter (self, GTK_LIST_BOX_ROW (row));
        return;
      }
}

static void
on_popover (StudioSweepEditor *self)
{
  if (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->parameters), 0) == NULL)
    {
      guint n;
      const TosstParameter *parameters = tosst_parameters (&n);

      for (guint i = 0; i < n; i++)
        gtk_list_box_append (GTK_LIST_BOX (self->parameters), parameter_row_new (&parameters[i]));
      gtk_list_box_set_filter_func (GTK_LIST_BOX (self->parameters), (GtkListBoxFilterFunc)matches, self, NULL);
      gtk_list_box_set_header_func (GTK_LIST_BOX (self->parameters), show_group, NULL, NULL);
    }
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
    set_random (row_at (self, i), is_random (self));
  announce (self);
}

static void
on_recipe (StudioSweepEditor *self)
{
  if (self->rows->len > 0)
    announce (self);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioSweepEditor, studio_sweep_editor,
                            if (self->rows != NULL) g_ptr_array_set_size (self->rows, 0), (fit_source, g_source_remove),
                            (model, g_object_unref), (kinds, g_object_unref))

STUDIO_DEFINE_FINALIZE (StudioSweepEditor, studio_sweep_editor, (rows, g_ptr_array_unref))

static void
studio_sweep_editor_class_init (StudioSweepEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_sweep_editor_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_sweep_editor_finalize;
  studio_add_signal (klass, "changed", 0);
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_TAB_STOP, STUDIO_TYPE_WRAP);
  STUDIO_SET_TEMPLATE (klass, StudioSweepEditor, "sweep-editor", scroller, axes, add_button, search, parameters,
                       grid_button, random_button, random_box, runs, seed, validates, jobs);
  STUDIO_BIND_CALLBACKS (klass, on_popover, on_search, on_search_activate, on_parameter, on_method, announce, fit_soon);
}

static void
studio_sweep_editor_init (StudioSweepEditor *self)
{
  self->rows = g_ptr_array_new ();
  self->kinds = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  self->filling = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_spin_button_set_range (GTK_SPIN_BUTTON (self->jobs), 1, MAX (2, g_get_num_processors ()));
  self->filling = FALSE;
}

void
studio_sweep_editor_set_model (StudioSweepEditor *self, StudioRecipeModel *model)
{
  self->model = g_object_ref (model);
  studio_connect (model, "changed", on_recipe, self);
}

guint
studio_sweep_editor_n_axes (StudioSweepEditor *self)
{
  return self->rows->len;
}

/* Lists of a table may have no list val. */
static gboolean
can_validate (const TosstRecipe *recipe)
{
  return recipe->dataset.kind != TOSST_DATASET_LABELS;
}

TosstSweep *
studio_sweep_editor_dup_edited (StudioSweepEditor *self)
{
  g_autoptr (TosstSweep) sweep = tosst_sweep_new (self->model->recipe);

  sweep->divided = TRUE;
  if (sweep->base->dataset.within == 0 && can_validate (sweep->base)
      && gtk_check_button_get_active (GTK_CHECK_BUTTON (self->validates)))
    sweep->base->dataset.within = 1;
  sweep->method = is_random (self) ? TOSST_SWEEP_RANDOM : TOSST_SWEEP_GRID;
  sweep->runs = gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->runs));
  sweep->seed = (guint64)gtk_spin_button_get_value (GTK_SPIN_BUTTON (self->seed));
  for (guint i = 0; i < self->rows->len; i++)
    {
      if (row_at (self, i)->axis == NULL)
        return NULL;
      g_ptr_array_add (sweep->axes, tosst_sweep_axis_ref (row_at (self, i)->axis));
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
  g_autoptr (TosstRecipe) base = tosst_recipe_copy (sweep->base);
  gboolean validates = (base->dataset.within == 1 || !sweep->divided) && can_validate (base);

  self->filling = TRUE;
  gtk_check_button_set_active (GTK_CHECK_BUTTON (self->validates), validates);
  base->dataset.within = validates ? 0 : base->dataset.within;
  if (!tosst_recipe_equal (base, self->model->recipe))
    studio_recipe_model_take (self->model, g_steal_pointer (&base));
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
