/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-axis-row.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "core/sweep/sweep.h"
#include "studio/recipe/value-text.h"
#include "studio/runs/sweep-plan.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/wrap.h"

/* The values that a sweep gives a parameter, edited: a list of numbers or texts, a linear or logarithmic range, or some
 * of the words that the parameter knows. Signal: "changed". */
#define STUDIO_TYPE_SWEEP_AXIS_VALUES (studio_sweep_axis_values_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepAxisValues, studio_sweep_axis_values, STUDIO, SWEEP_AXIS_VALUES, AdwBin)

#define ANY 1           /* in the place of a number of values */
#define MAX_LISTED 1000 /* values of a range that become a list when lists are chosen */

typedef enum
{
  LIST,
  LINEAR,
  LOGARITHMIC,
} Kind;

struct _StudioSweepAxisValues
{
  AdwBin parent_instance;
  const TosstParameter *parameter;
  gboolean random, filling;
  char *text; /* that was given; NULL: it was edited since */
  int values; /* of a grid, while random search draws from the whole range */

  GtkWidget *line, *kind, *stack, *list, *low, *high, *number;
  GtkWidget *choices_label;
  GPtrArray *choices; /* GtkCheckButton, as the values below; NULL: values are typed */
  GPtrArray *words;   /* char * of each */
};

G_DEFINE_FINAL_TYPE (StudioSweepAxisValues, studio_sweep_axis_values, ADW_TYPE_BIN)

static gboolean
is_number (const TosstParameter *parameter)
{
  return parameter->type == TOSST_PARAMETER_INTEGER || parameter->type == TOSST_PARAMETER_REAL
         || parameter->type == TOSST_PARAMETER_SEED;
}

static Kind
kind_of (StudioSweepAxisValues *self)
{
  return is_number (self->parameter) ? gtk_drop_down_get_selected (GTK_DROP_DOWN (self->kind)) : LIST;
}

/* From widgets to text. */

static char *
list_text (StudioSweepAxisValues *self)
{
  g_auto (GStrv) parts = g_strsplit (gtk_editable_get_text (GTK_EDITABLE (self->list)), ";", -1);

  for (char **part = parts; *part != NULL && is_number (self->parameter); part++)
    {
      g_autofree char *typed = *part;

      *part = studio_number_to_c (typed);
    }
  return g_strjoinv (";", parts);
}

static char *
chosen_text (StudioSweepAxisValues *self)
{
  g_autoptr (GStrvBuilder) chosen = g_strv_builder_new ();
  g_auto (GStrv) words = NULL;

  for (guint i = 0; i < self->choices->len; i++)
    if (gtk_check_button_get_active (g_ptr_array_index (self->choices, i)))
      g_strv_builder_add (chosen, g_ptr_array_index (self->words, i));
  words = g_strv_builder_end (chosen);
  return g_strjoinv (";", words);
}

/* New, in the C locale; to the letter what was given until it is edited. */
static char *
values_get_text (StudioSweepAxisValues *self)
{
  const char *word = kind_of (self) == LINEAR ? "lin" : "log";
  int n = gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->number));
  g_autofree char *low = NULL, *high = NULL;

  if (self->text != NULL)
    return g_strdup (self->text);
  if (self->choices != NULL)
    return chosen_text (self);
  if (kind_of (self) == LIST)
    return list_text (self);
  low = studio_number_to_c (gtk_editable_get_text (GTK_EDITABLE (self->low)));
  high = studio_number_to_c (gtk_editable_get_text (GTK_EDITABLE (self->high)));
  if (n == ANY)
    return g_strdup_printf ("%s:%s:%s", word, low, high);
  return g_strdup_printf ("%s:%s:%s:%d", word, low, high, n);
}

/* Editing. */

static void
on_values_changed (StudioSweepAxisValues *self)
{
  if (self->filling)
    return;
  g_clear_pointer (&self->text, g_free);
  g_signal_emit_by_name (self, "changed");
}

static void
show_chosen (StudioSweepAxisValues *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->choices->len; i++)
    if (gtk_check_button_get_active (g_ptr_array_index (self->choices, i)))
      {
        g_autofree char *word = studio_value_text (self->parameter, g_ptr_array_index (self->words, i));
        g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", word);
      }
  gtk_label_set_label (GTK_LABEL (self->choices_label), text->len > 0 ? text->str : _ ("none"));
  g_string_free (text, TRUE);
}

static void
on_chosen (StudioSweepAxisValues *self)
{
  show_chosen (self);
  on_values_changed (self);
}

static void
show_kind (StudioSweepAxisValues *self)
{
  if (self->choices == NULL)
    gtk_stack_set_visible_child_name (GTK_STACK (self->stack), kind_of (self) == LIST ? "list" : "range");
}

/* The other kind begins where this one was: a list's ends become a range's, and a range its values. */
static void
on_kind (StudioSweepAxisValues *self)
{
  if (self->filling)
    return;
  show_kind (self);
  on_values_changed (self);
}

static void
studio_sweep_axis_values_dispose (GObject *object)
{
  StudioSweepAxisValues *self = STUDIO_SWEEP_AXIS_VALUES (object);

  g_clear_pointer (&self->choices, g_ptr_array_unref);
  g_clear_pointer (&self->words, g_ptr_array_unref);
  g_clear_pointer (&self->text, g_free);
  G_OBJECT_CLASS (studio_sweep_axis_values_parent_class)->dispose (object);
}

static void
studio_sweep_axis_values_class_init (StudioSweepAxisValuesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_sweep_axis_values_dispose;
  studio_add_signal (klass, "changed", 0);
}

static void
studio_sweep_axis_values_init (StudioSweepAxisValues *self)
{
  self->line = g_object_new (STUDIO_TYPE_WRAP, "spacing", 8, NULL);
  adw_bin_set_child (ADW_BIN (self), self->line);
}

/* Building. */

static GtkWidget *
entry_new (StudioSweepAxisValues *self, const char *label, int width)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_editable_set_width_chars (GTK_EDITABLE (entry), width);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), width);
  studio_set_name (entry, label);
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (on_values_changed), self);
  return entry;
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

static GtkWidget *
range_new (StudioSweepAxisValues *self)
{
  self->low = entry_new (self, _ ("From"), 6);
  self->high = entry_new (self, _ ("To"), 6);
  self->number = gtk_spin_button_new_with_range (self->random ? ANY : 2, TOSST_SWEEP_MAX_RUNS, 1);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->number), 4);
  gtk_spin_button_set_numeric (GTK_SPIN_BUTTON (self->number), FALSE); /* a word is among them */
  g_signal_connect (self->number, "output", G_CALLBACK (on_number_output), NULL);
  g_signal_connect (self->number, "input", G_CALLBACK (on_number_input), NULL);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->number), self->random ? ANY : self->values);
  studio_set_name (self->number, _ ("Number of values"));
  g_signal_connect_swapped (self->number, "value-changed", G_CALLBACK (on_values_changed), self);
  return studio_row (6, self->low, studio_label ("–", "dim-label", NULL), self->high, self->number, NULL);
}

static void
add_choice (StudioSweepAxisValues *self, GtkWidget *box, const char *word)
{
  g_autofree char *label = studio_value_text (self->parameter, word);
  GtkWidget *check = gtk_check_button_new_with_label (label);

  g_ptr_array_add (self->choices, check);
  g_ptr_array_add (self->words, g_strdup (word));
  g_signal_connect_swapped (check, "toggled", G_CALLBACK (on_chosen), self);
  gtk_box_append (GTK_BOX (box), check);
}

static GtkWidget *
choices_new (StudioSweepAxisValues *self)
{
  GtkWidget *button = gtk_menu_button_new (), *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);

  self->choices = g_ptr_array_new ();
  self->words = g_ptr_array_new_with_free_func (g_free);
  if (self->parameter->type == TOSST_PARAMETER_BOOLEAN)
    {
      add_choice (self, box, "false");
      add_choice (self, box, "true");
    }
  else
    for (guint i = 0; self->parameter->choices[i] != NULL; i++)
      add_choice (self, box, self->parameter->choices[i]);
  self->choices_label = studio_label (NULL, NULL);
  g_object_set (self->choices_label, "ellipsize", PANGO_ELLIPSIZE_END, "hexpand", TRUE, NULL);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_child (GTK_MENU_BUTTON (button), self->choices_label);
  gtk_widget_set_halign (gtk_widget_get_parent (self->choices_label), GTK_ALIGN_FILL); /* from the left, as entries */
  gtk_menu_button_set_always_show_arrow (GTK_MENU_BUTTON (button), TRUE);
  studio_set_name (button, _ ("Values"));
  return button;
}

static GtkWidget *
values_new (StudioSweepAxisValues *self)
{
  gboolean typed = self->parameter->type != TOSST_PARAMETER_CHOICE && self->parameter->type != TOSST_PARAMETER_BOOLEAN;

  self->stack = gtk_stack_new ();
  gtk_stack_set_hhomogeneous (GTK_STACK (self->stack), FALSE);
  self->list = entry_new (self, _ ("Values, separated by ;"), 12);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->list), _ ("values, separated by ;"));
  gtk_stack_add_named (GTK_STACK (self->stack), self->list, "list");
  gtk_stack_add_named (GTK_STACK (self->stack), range_new (self), "range");
  if (!typed)
    {
      gtk_stack_add_named (GTK_STACK (self->stack), choices_new (self), "choices");
      gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "choices");
    }
  gtk_widget_set_hexpand (self->stack, TRUE);
  return self->stack;
}

static GtkWidget *
kind_new (StudioSweepAxisValues *self)
{
  const char *const names[] = { _ ("List"), _ ("Linear"), _ ("Log"), NULL };

  self->kind = gtk_drop_down_new_from_strings (names);
  gtk_widget_set_tooltip_text (self->kind, _ ("Spacing of the values: a list, even, or even in logarithms"));
  studio_set_name (self->kind, _ ("Kind of values"));
  gtk_widget_set_visible (self->kind, is_number (self->parameter));
  g_signal_connect_swapped (self->kind, "notify::selected", G_CALLBACK (on_kind), self);
  return self->kind;
}

/* From text to widgets. */

/* By values, as there may be several words for one: true, 1. */
static void
fill_choices (StudioSweepAxisValues *self, const char *text)
{
  const char *name = self->parameter->name;
  g_autoptr (TosstSweepAxis) axis = tosst_sweep_axis_new (name, text, NULL);
  const char *const none[] = { NULL };
  const char *const *words = axis != NULL ? (const char *const *)axis->values : none;

  for (guint i = 0; i < self->choices->len; i++)
    gtk_check_button_set_active (g_ptr_array_index (self->choices, i),
                                 g_strv_contains (words, g_ptr_array_index (self->words, i)));
  show_chosen (self);
}

static void
fill_list (StudioSweepAxisValues *self, const char *text)
{
  g_auto (GStrv) parts = is_number (self->parameter) ? g_strsplit (text, ";", -1) : NULL;
  g_autofree char *joined = NULL;

  if (parts == NULL) /* a space belongs to a text */
    {
      gtk_editable_set_text (GTK_EDITABLE (self->list), text);
      return;
    }
  for (char **part = parts; *part != NULL; part++)
    {
      g_autofree char *text_of_file = *part;

      *part = studio_number_from_c (g_strstrip (text_of_file));
    }
  joined = g_strjoinv ("; ", parts);
  gtk_editable_set_text (GTK_EDITABLE (self->list), joined);
}

static void
fill_range (StudioSweepAxisValues *self, const char *text)
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
fill (StudioSweepAxisValues *self, const char *text)
{
  gboolean linear = g_str_has_prefix (text, "lin:"), logarithmic = g_str_has_prefix (text, "log:");

  self->filling = TRUE;
  if (self->choices != NULL)
    fill_choices (self, text);
  else if (linear || logarithmic)
    fill_range (self, text);
  else
    fill_list (self, text);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->kind), linear ? LINEAR : logarithmic ? LOGARITHMIC : LIST);
  self->filling = FALSE;
}

/* What the other kind shows when it is chosen for the first time. */
static void
fill_other (StudioSweepAxisValues *self, const char *text)
{
  const char *name = self->parameter->name;
  g_autofree char *values = NULL;
  g_autoptr (TosstSweepAxis) axis = tosst_sweep_axis_new (name, text, NULL);

  if (!is_number (self->parameter) || axis == NULL || axis->values == NULL)
    return;
  self->filling = TRUE;
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
  self->filling = FALSE;
}

/* text: as core/sweep/sweep.h reads axes; random: of random search. */
static StudioSweepAxisValues *
studio_sweep_axis_values_new (const TosstParameter *parameter, const char *text, gboolean random)
{
  StudioSweepAxisValues *self = g_object_new (STUDIO_TYPE_SWEEP_AXIS_VALUES, NULL);

  self->parameter = parameter;
  self->random = random;
  self->values = 5;
  self->filling = TRUE;
  gtk_widget_insert_before (kind_new (self), self->line, NULL);
  gtk_widget_insert_before (values_new (self), self->line, NULL);
  fill (self, text);
  fill_other (self, text);
  self->text = g_strdup (text);
  show_kind (self);
  return self;
}

static gboolean
values_is_list (StudioSweepAxisValues *self)
{
  return kind_of (self) == LIST;
}

static void
values_set_random (StudioSweepAxisValues *self, gboolean random)
{
  if (self->random == random)
    return;
  self->filling = TRUE;
  self->random = random;
  if (gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->number)) != ANY)
    self->values = gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->number));
  gtk_spin_button_set_range (GTK_SPIN_BUTTON (self->number), random ? ANY : 2, TOSST_SWEEP_MAX_RUNS);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->number), random ? ANY : self->values);
  self->filling = FALSE;
  if (kind_of (self) != LIST)
    g_clear_pointer (&self->text, g_free);
}

#define SHOWN_VALUES 3
#define SAY_MS 500 /* without another letter before what is wrong is said */

struct _StudioSweepAxisRow
{
  GtkListBoxRow parent_instance;
  const TosstParameter *parameter;
  GPtrArray *all; /* const TosstParameter *: that one, and those tied to it */
  char *problem;
  TosstSweepAxis *axis; /* what the text says; NULL where there is a problem */
  guint say_source;

  StudioSweepAxisValues *values;
  GtkWidget *count, *error, *up, *down;
};

G_DEFINE_FINAL_TYPE (StudioSweepAxisRow, studio_sweep_axis_row, GTK_TYPE_LIST_BOX_ROW)

/* Checking. */

static gboolean
on_say (gpointer data)
{
  StudioSweepAxisRow *self = data;

  self->say_source = 0;
  studio_label_show_problem (self->error, self->problem);
  return G_SOURCE_REMOVE;
}

/* "5 values"; of a range, which: "0.0001, 0.001, 0.01, …" */
static char *
describe (StudioSweepAxisRow *self, const TosstSweepAxis *axis)
{
  guint n = axis->values != NULL ? g_strv_length (axis->values) : 0;
  GString *words = g_string_new (NULL);

  if (axis->values == NULL)
    g_string_append (words, _ ("any value between"));
  else if (values_is_list (self->values))
    g_string_append_printf (words, ngettext ("%u value", "%u values", n), n);
  else
    for (guint i = 0; i < MIN (n, SHOWN_VALUES); i++)
      {
        g_autofree char *value = studio_value_text (self->parameter, axis->values[i]);
        g_string_append_printf (words, "%s%s", i > 0 ? ", " : "", value);
      }
  if (!values_is_list (self->values) && n > SHOWN_VALUES)
    g_string_append (words, ", …");
  return g_string_free (words, FALSE);
}

/* "dictionary.lambda+coding.lambda" */
static char *
name_of (StudioSweepAxisRow *self)
{
  GString *name = g_string_new (NULL);

  for (guint i = 0; i < self->all->len; i++)
    {
      const TosstParameter *p = self->all->pdata[i];

      g_string_append_printf (name, "%s%s.%s", i > 0 ? "+" : "", p->group, p->key);
    }
  return g_string_free (name, FALSE);
}

static void
check (StudioSweepAxisRow *self)
{
  g_autofree char *text = values_get_text (self->values), *name = name_of (self);
  g_autoptr (GError) error = NULL;

  if (self->axis != NULL && strcmp (self->axis->text, text) == 0)
    return;
  g_clear_pointer (&self->problem, g_free);
  g_clear_pointer (&self->axis, tosst_sweep_axis_unref);
  if (self->values->choices != NULL && *text == 0)
    self->problem = g_strdup (_ ("Choose at least one value"));
  else if ((self->axis = tosst_sweep_axis_new (name, text, &error)) == NULL)
    self->problem = g_strdup (error->message);
  g_clear_handle_id (&self->say_source, g_source_remove);
  studio_label_take (self->count, self->axis != NULL ? describe (self, self->axis) : g_strdup (""));
  if (self->problem == NULL)
    studio_label_show_problem (self->error, NULL);
  else
    self->say_source = g_timeout_add (SAY_MS, on_say, self);
}

static void
on_changed (StudioSweepAxisRow *self)
{
  check (self);
  g_signal_emit_by_name (self, "changed");
}

static void
on_up (StudioSweepAxisRow *self)
{
  g_signal_emit_by_name (self, "move", -1);
}

static void
on_down (StudioSweepAxisRow *self)
{
  g_signal_emit_by_name (self, "move", 1);
}

static void
on_remove (StudioSweepAxisRow *self)
{
  g_signal_emit_by_name (self, "remove");
}

static void
studio_sweep_axis_row_dispose (GObject *object)
{
  StudioSweepAxisRow *self = STUDIO_SWEEP_AXIS_ROW (object);

  g_clear_handle_id (&self->say_source, g_source_remove);
  g_clear_pointer (&self->problem, g_free);
  g_clear_pointer (&self->axis, tosst_sweep_axis_unref);
  g_clear_pointer (&self->all, g_ptr_array_unref);
  G_OBJECT_CLASS (studio_sweep_axis_row_parent_class)->dispose (object);
}

static void
studio_sweep_axis_row_class_init (StudioSweepAxisRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_sweep_axis_row_dispose;
  studio_add_signal (klass, "changed", 0);
  studio_add_signal (klass, "remove", 0);
  studio_add_signal (klass, "move", 1, G_TYPE_INT);
}

static void
studio_sweep_axis_row_init (StudioSweepAxisRow *self)
{
}

/* Building. */

static GtkWidget *
button_new (const char *icon, const char *tooltip, GCallback clicked, StudioSweepAxisRow *self)
{
  GtkWidget *button = studio_icon_button (icon, tooltip);

  studio_add_classes (button, "flat", "small", NULL);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  g_signal_connect_swapped (button, "clicked", clicked, self);
  return button;
}

static GtkWidget *
name_new (StudioSweepAxisRow *self, const GPtrArray *tied)
{
  g_autofree char *name = studio_tied_label (self->parameter, tied, FALSE), *markup = studio_symbol_markup (name);
  g_autoptr (GString) keys = g_string_new (NULL);
  gboolean several = self->all->len > 1;

  for (guint i = 0; i < self->all->len; i++)
    {
      const TosstParameter *p = self->all->pdata[i];

      g_string_append_printf (keys, "%s%s.%s: %s", i > 0 ? "\n" : "", p->group, p->key,
                              p->help != NULL ? _ (p->help) : "");
    }
  return g_object_new (GTK_TYPE_LABEL, "label", markup, "use-markup", TRUE, "xalign", 0.0, "width-chars", 18,
                       "max-width-chars", 18, "wrap", several, "ellipsize",
                       several ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END, "tooltip-text", keys->str, NULL);
}

static void
build (StudioSweepAxisRow *self, const GPtrArray *tied)
{
  GtkWidget *remove = button_new ("window-close-symbolic", _ ("Remove Parameter"), G_CALLBACK (on_remove), self);

  self->count = studio_label (NULL, "dim-label", "numeric", NULL);
  g_object_set (self->count, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", 18, "xalign", 1.0, "hexpand", TRUE, NULL);
  self->up = button_new ("go-up-symbolic", _ ("Varies more slowly"), G_CALLBACK (on_up), self);
  self->down = button_new ("go-down-symbolic", _ ("Varies faster"), G_CALLBACK (on_down), self);
  self->error = studio_label (NULL, "error", "caption", NULL);
  g_object_set (self->error, "wrap", TRUE, "visible", FALSE, NULL);
  /* Other widgets of its row, before and after its own; all of them continue in further lines where one does not
   * suffice. */
  gtk_widget_insert_after (name_new (self, tied), self->values->line, NULL);
  gtk_widget_insert_before (studio_row (8, self->count, self->up, self->down, remove, NULL), self->values->line, NULL);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (self), studio_column (2, GTK_WIDGET (self->values), self->error, NULL));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self), "sweep-axis");
  studio_set_name (self, _ (self->parameter->label));
}

StudioSweepAxisRow *
studio_sweep_axis_row_new (const TosstParameter *parameter, const GPtrArray *tied, const char *text, gboolean random)
{
  StudioSweepAxisRow *self = g_object_new (STUDIO_TYPE_SWEEP_AXIS_ROW, NULL);

  self->parameter = parameter;
  self->all = g_ptr_array_new ();
  g_ptr_array_add (self->all, (gpointer)parameter);
  for (guint i = 0; tied != NULL && i < tied->len; i++)
    g_ptr_array_add (self->all, tied->pdata[i]);
  self->values = studio_sweep_axis_values_new (parameter, text, random);
  g_signal_connect_swapped (self->values, "changed", G_CALLBACK (on_changed), self);
  build (self, tied);
  check (self);
  return self;
}

void
studio_sweep_axis_row_align (StudioSweepAxisRow *self, GtkSizeGroup *kinds)
{
  if (is_number (self->values->parameter))
    gtk_size_group_add_widget (kinds, self->values->kind);
}

gboolean
studio_sweep_axis_row_has_parameter (StudioSweepAxisRow *self, const TosstParameter *parameter)
{
  return g_ptr_array_find (self->all, parameter, NULL);
}

TosstSweepAxis *
studio_sweep_axis_row_get_axis (StudioSweepAxisRow *self)
{
  return self->axis;
}

void
studio_sweep_axis_row_set_random (StudioSweepAxisRow *self, gboolean random)
{
  values_set_random (self->values, random);
  check (self);
}

void
studio_sweep_axis_row_set_place (StudioSweepAxisRow *self, gboolean first, gboolean last)
{
  gtk_widget_set_sensitive (self->up, !first);
  gtk_widget_set_sensitive (self->down, !last);
}
