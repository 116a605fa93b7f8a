/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/recipe/parameter-editor.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "studio/recipe/value-text.h"
#include "studio/widgets/format.h"
#include "studio/widgets/save-dialog.h"
#include "studio/widgets/table-columns.h"

#define LONGEST_CHOICE 14 /* characters of a word that the button of a list shows */

static void
commit (StudioParameterEditor *self, const char *text)
{
  g_autoptr (GError) error = NULL;

  if (self->updating || self->model == NULL)
    return;
  if (studio_recipe_model_set (self->model, self->name, text, &error))
    self->report (NULL, self->report_data);
  else
    self->report (error->message, self->report_data);
}

/* Entries: text, seeds and real numbers. */

/* A number with more digits than an entry has room for is rounded on the screen alone. */
static char *
entry_text (StudioParameterEditor *self, const char *value)
{
  char rounded[G_ASCII_DTOSTR_BUF_SIZE];

  if (self->parameter->type == TOSST_PARAMETER_TEXT)
    return g_strdup (value);
  if (self->parameter->type == TOSST_PARAMETER_REAL && strlen (value) > 9)
    value = g_ascii_formatd (rounded, sizeof rounded, "%.6g", g_ascii_strtod (value, NULL));
  return studio_number_from_c (value);
}

static void
commit_entry (StudioParameterEditor *self)
{
  g_autofree char *text = NULL, *now = NULL, *shown = NULL;
  const char *typed;

  if (self->model == NULL) /* focus leaves while the row goes */
    return;
  typed = gtk_editable_get_text (GTK_EDITABLE (self->editor));
  text = self->parameter->type == TOSST_PARAMETER_TEXT ? g_strdup (typed) : studio_number_to_c (typed);
  now = tosst_recipe_get (studio_recipe_model_peek (self->model), self->parameter);
  shown = entry_text (self, now);

  if (strcmp (text, now) == 0 || strcmp (typed, shown) == 0)
    {
      self->report (NULL, self->report_data);
      return;
    }
  commit (self, text);
}

/* Text that names a folder can be chosen. */

static gboolean
names_folder (const TosstParameter *p)
{
  return p->type == TOSST_PARAMETER_TEXT
         && (strcmp (p->key, "folder") == 0 || (strcmp (p->group, "dataset") == 0 && strcmp (p->key, "path") == 0));
}

static void
on_folder (GtkWidget *entry, GFile *file)
{
  g_autofree char *path = g_file_get_path (file);

  if (path == NULL)
    return;
  gtk_editable_set_text (GTK_EDITABLE (entry), path);
  g_signal_emit_by_name (entry, "activate");
}

static void
choose_folder (GtkWidget *entry)
{
  GtkFileChooser *dialog = studio_file_dialog_new (entry, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _ ("Choose Folder"),
                                                   _ ("_Open"), NULL, NULL, on_folder);
  const char *path = gtk_editable_get_text (GTK_EDITABLE (entry));
  g_autoptr (GFile) folder = *path != 0 ? g_file_new_for_path (path) : NULL;

  if (folder != NULL)
    gtk_file_chooser_set_file (dialog, folder, NULL);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
add_folder_button (GtkWidget *entry)
{
  gtk_entry_set_icon_from_icon_name (GTK_ENTRY (entry), GTK_ENTRY_ICON_SECONDARY, "folder-open-symbolic");
  gtk_entry_set_icon_tooltip_text (GTK_ENTRY (entry), GTK_ENTRY_ICON_SECONDARY, _ ("Choose a folder"));
  g_signal_connect (entry, "icon-press", G_CALLBACK (choose_folder), NULL);
}

static GtkWidget *
entry_new (StudioParameterEditor *self)
{
  GtkWidget *entry = gtk_entry_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();
  gboolean text = self->parameter->type == TOSST_PARAMETER_TEXT;
  gboolean wide = text || strcmp (self->parameter->group, "coding") == 0; /* for a name, or "from dictionary" */

  gtk_editable_set_width_chars (GTK_EDITABLE (entry), wide ? 14 : 9);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), wide ? 14 : 9);
  if (!text)
    {
      gtk_editable_set_alignment (GTK_EDITABLE (entry), 1);
      gtk_widget_add_css_class (entry, "numeric");
      gtk_entry_set_input_purpose (GTK_ENTRY (entry), GTK_INPUT_PURPOSE_NUMBER);
    }
  if (*self->parameter->default_text == 0 && !text)
    gtk_entry_set_placeholder_text (GTK_ENTRY (entry), studio_unset_label (self->parameter));
  if (names_folder (self->parameter))
    add_folder_button (entry);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (commit_entry), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (commit_entry), self);
  gtk_widget_add_controller (entry, focus);
  return entry;
}

static void
show_entry (StudioParameterEditor *self, const char *text)
{
  g_autofree char *shown = entry_text (self, text);

  if (strcmp (shown, gtk_editable_get_text (GTK_EDITABLE (self->editor))) != 0)
    gtk_editable_set_text (GTK_EDITABLE (self->editor), shown);
}

/* The scale under an entry runs over decades. */

static double
scale_low (const TosstParameter *p)
{
  return log10 (p->minimum > 0 ? MAX (p->minimum, 1e-9) : 1e-6);
}

static double
scale_high (const TosstParameter *p)
{
  return log10 (isfinite (p->maximum) && p->maximum > 0 ? MIN (p->maximum, 1e6) : 1e3);
}

static void
on_scale (GtkRange *range, StudioParameterEditor *self)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  double value;

  if (self->updating)
    return;
  /* Two significant digits: a slider is not where more of them are chosen. */
  value = pow (10, gtk_range_get_value (range));
  g_ascii_formatd (number, sizeof number, "%.2g", CLAMP (value, self->parameter->minimum, self->parameter->maximum));
  commit (self, number);
}

static GtkWidget *
scale_new (StudioParameterEditor *self)
{
  double low = scale_low (self->parameter), high = scale_high (self->parameter);
  GtkWidget *scale = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, low, high, 0.05);

  gtk_scale_set_draw_value (GTK_SCALE (scale), FALSE);
  gtk_range_set_increments (GTK_RANGE (scale), 0.05, 1);
  gtk_widget_set_hexpand (scale, TRUE);
  g_signal_connect (scale, "value-changed", G_CALLBACK (on_scale), self);
  return scale;
}

/* What a value left empty stands for, where the recipe says it. */
static double
unset_value (StudioParameterEditor *self)
{
  const TosstRecipe *recipe = studio_recipe_model_peek (self->model);

  if (strcmp (self->name, "coding.lambda") == 0)
    return recipe->dictionary.lambda;
  return strcmp (self->name, "coding.gamma") == 0 ? recipe->dictionary.gamma : NAN;
}

static void
show_scale (StudioParameterEditor *self, const char *text)
{
  double value = *text != 0 ? g_ascii_strtod (text, NULL) : unset_value (self), at;

  gtk_widget_set_opacity (self->scale, *text != 0 ? 1 : 0.5);
  if (isnan (value))
    return;
  at = isinf (value) ? scale_high (self->parameter) : value > 0 ? log10 (value) : scale_low (self->parameter);
  if (fabs (at - gtk_range_get_value (GTK_RANGE (self->scale))) > 0.03)
    gtk_range_set_value (GTK_RANGE (self->scale), at);
}

/* The other kinds. */

/* A whole number that may be taken from elsewhere has one step more, below its smallest value, that reads as a word. */

static gboolean
can_be_auto (const TosstParameter *p)
{
  return p->type == TOSST_PARAMETER_INTEGER && *p->default_text == 0;
}

static double
spin_low (const TosstParameter *p)
{
  return MAX (p->minimum, -G_MAXINT) - (can_be_auto (p) ? 1 : 0);
}

static gboolean
is_auto (StudioParameterEditor *self, double value)
{
  return can_be_auto (self->parameter) && value < self->parameter->minimum;
}

static void
on_spin (GtkSpinButton *spin, StudioParameterEditor *self)
{
  int value = gtk_spin_button_get_value_as_int (spin);
  g_autofree char *text = is_auto (self, value) ? g_strdup ("") : g_strdup_printf ("%d", value);

  commit (self, text);
}

static gboolean
on_spin_output (GtkSpinButton *spin, StudioParameterEditor *self)
{
  const char *word = studio_unset_label (self->parameter);

  if (!is_auto (self, gtk_spin_button_get_value (spin)))
    return FALSE;
  if (strcmp (gtk_editable_get_text (GTK_EDITABLE (spin)), word) != 0)
    gtk_editable_set_text (GTK_EDITABLE (spin), word);
  return TRUE;
}

static int
on_spin_input (GtkSpinButton *spin, double *value, StudioParameterEditor *self)
{
  g_autofree char *typed = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (spin))));

  if (*typed != 0 && strcmp (typed, studio_unset_label (self->parameter)) != 0)
    return FALSE; /* a number, read as usual */
  *value = spin_low (self->parameter);
  return TRUE;
}

static GtkWidget *
spin_new (StudioParameterEditor *self)
{
  double high = MIN (self->parameter->maximum, G_MAXINT);
  GtkWidget *spin = gtk_spin_button_new_with_range (spin_low (self->parameter), high, 1);

  gtk_spin_button_set_increments (GTK_SPIN_BUTTON (spin), 1, 10);
  gtk_spin_button_set_numeric (GTK_SPIN_BUTTON (spin), !can_be_auto (self->parameter));
  gtk_editable_set_width_chars (GTK_EDITABLE (spin), high > 99999 ? 7 : 5);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (spin), high > 99999 ? 7 : 5);
  if (can_be_auto (self->parameter))
    {
      g_signal_connect (spin, "output", G_CALLBACK (on_spin_output), self);
      g_signal_connect (spin, "input", G_CALLBACK (on_spin_input), self);
      gtk_spin_button_update (GTK_SPIN_BUTTON (spin));
      on_spin_output (GTK_SPIN_BUTTON (spin), self);
    }
  g_signal_connect (spin, "value-changed", G_CALLBACK (on_spin), self);
  return spin;
}

static void
on_switch (GtkSwitch *toggle, GParamSpec *pspec, StudioParameterEditor *self)
{
  commit (self, gtk_switch_get_active (toggle) ? "true" : "false");
}

static void
on_choice (GtkDropDown *drop_down, GParamSpec *pspec, StudioParameterEditor *self)
{
  guint i = gtk_drop_down_get_selected (drop_down);

  if (i != GTK_INVALID_LIST_POSITION)
    commit (self, self->parameter->choices[i]);
}

static void
set_up_choice (gconstpointer data, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), LONGEST_CHOICE);
  gtk_list_item_set_child (item, label);
}

static void
show_choice (gconstpointer data, GtkListItem *item)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  const char *text = gtk_string_object_get_string (gtk_list_item_get_item (item));

  gtk_label_set_label (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, g_utf8_strlen (text, -1) > LONGEST_CHOICE ? text : NULL);
}

/* The button leaves space for the title of its row; the list has the whole words. */
static void
shorten_chosen (GtkDropDown *drop_down)
{
  static const StudioCells cells = { set_up_choice, show_choice };
  g_autoptr (GtkListItemFactory) short_factory = studio_list_factory_new (&cells, NULL, NULL);
  GtkListItemFactory *whole = gtk_drop_down_get_factory (drop_down);

  gtk_drop_down_set_list_factory (drop_down, whole);
  gtk_drop_down_set_factory (drop_down, short_factory);
}

static GtkWidget *
choice_new (StudioParameterEditor *self)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  GtkWidget *drop_down;

  for (guint i = 0; self->parameter->choices[i] != NULL; i++)
    g_ptr_array_add (labels, (gpointer)studio_choice_label (self->parameter->choices[i]));
  g_ptr_array_add (labels, NULL);
  drop_down = gtk_drop_down_new_from_strings ((const char *const *)labels->pdata);
  shorten_chosen (GTK_DROP_DOWN (drop_down));
  g_signal_connect (drop_down, "notify::selected", G_CALLBACK (on_choice), self);
  return drop_down;
}

/* The wheel scrolls the panel; it must not change what happens to be under the pointer then. */
static void
leave_wheel_alone (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_NONE);
    }
}

void
studio_parameter_editor_init (StudioParameterEditor *self, const TosstParameter *parameter, StudioRecipeModel *model)
{
  self->parameter = parameter;
  self->name = g_strconcat (parameter->group, ".", parameter->key, NULL);
  self->model = g_object_ref (model);
  self->updating = TRUE;
  switch (parameter->type)
    {
    case TOSST_PARAMETER_BOOLEAN:
      self->editor = gtk_switch_new ();
      g_signal_connect (self->editor, "notify::active", G_CALLBACK (on_switch), self);
      break;
    case TOSST_PARAMETER_INTEGER:
      self->editor = spin_new (self);
      break;
    case TOSST_PARAMETER_CHOICE:
      self->editor = choice_new (self);
      break;
    case TOSST_PARAMETER_SEED:
    case TOSST_PARAMETER_REAL:
    case TOSST_PARAMETER_TEXT:
      self->editor = entry_new (self);
      break;
    }
  if (parameter->type == TOSST_PARAMETER_REAL && parameter->logarithmic)
    {
      self->scale = scale_new (self);
      leave_wheel_alone (self->scale);
    }
  leave_wheel_alone (self->editor);
  gtk_widget_set_valign (self->editor, GTK_ALIGN_CENTER);
  self->updating = FALSE;
}

void
studio_parameter_editor_clear (StudioParameterEditor *self)
{
  g_clear_pointer (&self->name, g_free);
  g_clear_object (&self->model);
}

void
studio_parameter_editor_show (StudioParameterEditor *self)
{
  g_autofree char *text = tosst_recipe_get (studio_recipe_model_peek (self->model), self->parameter);

  self->updating = TRUE;
  switch (self->parameter->type)
    {
    case TOSST_PARAMETER_BOOLEAN:
      gtk_switch_set_active (GTK_SWITCH (self->editor), strcmp (text, "true") == 0);
      break;
    case TOSST_PARAMETER_INTEGER:
      gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->editor),
                                 *text != 0 ? g_ascii_strtod (text, NULL) : spin_low (self->parameter));
      break;
    case TOSST_PARAMETER_CHOICE:
      for (guint i = 0; self->parameter->choices[i] != NULL; i++)
        if (strcmp (self->parameter->choices[i], text) == 0)
          gtk_drop_down_set_selected (GTK_DROP_DOWN (self->editor), i);
      break;
    case TOSST_PARAMETER_SEED:
    case TOSST_PARAMETER_REAL:
    case TOSST_PARAMETER_TEXT:
      show_entry (self, text);
      break;
    }
  if (self->scale != NULL)
    show_scale (self, text);
  self->updating = FALSE;
}
