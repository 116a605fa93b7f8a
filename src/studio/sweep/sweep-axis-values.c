/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/sweep/sweep-axis-values.h"

#include <glib/gi18n.h>
#include <string.h>

#include "studio/recipe/value-text.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/wrap.h"

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

char *
studio_sweep_axis_values_get_text (StudioSweepAxisValues *self)
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
on_changed (StudioSweepAxisValues *self)
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
  on_changed (self);
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
  on_changed (self);
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
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (on_changed), self);
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
  g_signal_connect_swapped (self->number, "value-changed", G_CALLBACK (on_changed), self);
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
  g_autofree char *name = g_strdup_printf ("%s.%s", self->parameter->group, self->parameter->key);
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
  g_autofree char *name = g_strdup_printf ("%s.%s", self->parameter->group, self->parameter->key), *values = NULL;
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

StudioSweepAxisValues *
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

void
studio_sweep_axis_values_surround (StudioSweepAxisValues *self, GtkWidget *before, GtkWidget *after)
{
  gtk_widget_insert_after (before, self->line, NULL);
  gtk_widget_insert_before (after, self->line, NULL);
}

void
studio_sweep_axis_values_align (StudioSweepAxisValues *self, GtkSizeGroup *kinds)
{
  if (is_number (self->parameter))
    gtk_size_group_add_widget (kinds, self->kind);
}

gboolean
studio_sweep_axis_values_is_list (StudioSweepAxisValues *self)
{
  return kind_of (self) == LIST;
}

gboolean
studio_sweep_axis_values_is_choice (StudioSweepAxisValues *self)
{
  return self->choices != NULL;
}

void
studio_sweep_axis_values_set_random (StudioSweepAxisValues *self, gboolean random)
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
