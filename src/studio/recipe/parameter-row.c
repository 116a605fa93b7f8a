/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/recipe/parameter-row.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "studio/recipe/value-text.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/formula-view.h"
#include "studio/widgets/save-dialog.h"
#include "studio/widgets/table-columns.h"

#define LONGEST_CHOICE 14 /* characters of a word that the button of a list shows */

G_DEFINE_FINAL_TYPE (StudioParameterRow, studio_parameter_row, ADW_TYPE_PREFERENCES_ROW)

static void on_report (StudioParameterRow *self, const char *problem);

/* Editing. */

static void
commit (StudioParameterRow *self, const char *text)
{
  g_autoptr (GError) error = NULL;

  if (self->updating || self->model == NULL)
    return;
  if (studio_recipe_model_set (self->model, self->name, text, &error))
    on_report (self, NULL);
  else
    on_report (self, error->message);
}

/* Entries: text, seeds and real numbers. */

/* A number with more digits than an entry has room for is rounded on the screen alone. */
static char *
entry_text (StudioParameterRow *self, const char *value)
{
  char rounded[G_ASCII_DTOSTR_BUF_SIZE];

  if (self->parameter->type == TOSST_PARAMETER_TEXT)
    return g_strdup (value);
  if (self->parameter->type == TOSST_PARAMETER_REAL && strlen (value) > 9)
    value = g_ascii_formatd (rounded, sizeof rounded, "%.6g", g_ascii_strtod (value, NULL));
  return studio_number_from_c (value);
}

static void
commit_entry (StudioParameterRow *self)
{
  if (self->model == NULL) /* focus leaves while the row goes */
    return;
  const char *typed = gtk_editable_get_text (GTK_EDITABLE (self->editor));
  g_autofree char *text = self->parameter->type == TOSST_PARAMETER_TEXT ? g_strdup (typed) : studio_number_to_c (typed);
  g_autofree char *now = tosst_recipe_get (self->model->recipe, self->parameter);
  g_autofree char *shown = entry_text (self, now);

  if (strcmp (text, now) == 0 || strcmp (typed, shown) == 0)
    {
      on_report (self, NULL);
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

static GtkWidget *
entry_new (StudioParameterRow *self)
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
    {
      gtk_entry_set_icon_from_icon_name (GTK_ENTRY (entry), GTK_ENTRY_ICON_SECONDARY, "folder-open-symbolic");
      gtk_entry_set_icon_tooltip_text (GTK_ENTRY (entry), GTK_ENTRY_ICON_SECONDARY, _ ("Choose a folder"));
      g_signal_connect (entry, "icon-press", G_CALLBACK (choose_folder), NULL);
    }
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (commit_entry), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (commit_entry), self);
  gtk_widget_add_controller (entry, focus);
  return entry;
}

static void
show_entry (StudioParameterRow *self, const char *text)
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
on_scale (GtkRange *range, StudioParameterRow *self)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (self->updating)
    return;
  /* Two significant digits: a slider is not where more of them are chosen. */
  double value = pow (10, gtk_range_get_value (range));
  g_ascii_formatd (number, sizeof number, "%.2g", CLAMP (value, self->parameter->minimum, self->parameter->maximum));
  commit (self, number);
}

static GtkWidget *
scale_new (StudioParameterRow *self)
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
unset_value (StudioParameterRow *self)
{
  const TosstRecipe *recipe = self->model->recipe;

  if (strcmp (self->name, "coding.lambda") == 0)
    return recipe->dictionary.lambda;
  return strcmp (self->name, "coding.gamma") == 0 ? recipe->dictionary.gamma : NAN;
}

static void
show_scale (StudioParameterRow *self, const char *text)
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
is_auto (StudioParameterRow *self, double value)
{
  return can_be_auto (self->parameter) && value < self->parameter->minimum;
}

static void
on_spin (GtkSpinButton *spin, StudioParameterRow *self)
{
  int value = gtk_spin_button_get_value_as_int (spin);
  g_autofree char *text = is_auto (self, value) ? g_strdup ("") : g_strdup_printf ("%d", value);

  commit (self, text);
}

static gboolean
on_spin_output (GtkSpinButton *spin, StudioParameterRow *self)
{
  const char *word = studio_unset_label (self->parameter);

  if (!is_auto (self, gtk_spin_button_get_value (spin)))
    return FALSE;
  if (strcmp (gtk_editable_get_text (GTK_EDITABLE (spin)), word) != 0)
    gtk_editable_set_text (GTK_EDITABLE (spin), word);
  return TRUE;
}

static int
on_spin_input (GtkSpinButton *spin, double *value, StudioParameterRow *self)
{
  g_autofree char *typed = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (spin))));

  if (*typed != 0 && strcmp (typed, studio_unset_label (self->parameter)) != 0)
    return FALSE; /* a number, read as usual */
  *value = spin_low (self->parameter);
  return TRUE;
}

static GtkWidget *
spin_new (StudioParameterRow *self)
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
on_switch (GtkSwitch *toggle, GParamSpec *pspec, StudioParameterRow *self)
{
  commit (self, gtk_switch_get_active (toggle) ? "true" : "false");
}

static void
on_choice (GtkDropDown *drop_down, GParamSpec *pspec, StudioParameterRow *self)
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

static GtkWidget *
choice_new (StudioParameterRow *self)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  static const StudioCells cells = { set_up_choice, show_choice };
  g_autoptr (GtkListItemFactory) short_factory = studio_list_factory_new (&cells, NULL, NULL);

  for (guint i = 0; self->parameter->choices[i] != NULL; i++)
    g_ptr_array_add (labels, (gpointer)_ (tosst_choice_label (self->parameter->choices[i])));
  g_ptr_array_add (labels, NULL);
  GtkWidget *drop_down = gtk_drop_down_new_from_strings ((const char *const *)labels->pdata);
  /* The button leaves space for the title of its row; the list has the whole words. */
  gtk_drop_down_set_list_factory (GTK_DROP_DOWN (drop_down), gtk_drop_down_get_factory (GTK_DROP_DOWN (drop_down)));
  gtk_drop_down_set_factory (GTK_DROP_DOWN (drop_down), short_factory);
  g_signal_connect (drop_down, "notify::selected", G_CALLBACK (on_choice), self);
  return drop_down;
}

/* The wheel scrolls the panel; it must not change what happens to be under the pointer then. */
static void
leave_wheel_alone (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  STUDIO_EACH (GtkEventController, controller, controllers)
    if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
      gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_NONE);
}

static void
make_editor (StudioParameterRow *self, const TosstParameter *parameter, StudioRecipeModel *model)
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

static void
show_value (StudioParameterRow *self)
{
  g_autofree char *text = tosst_recipe_get (self->model->recipe, self->parameter);

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

/* The row. */

static void
show_note (StudioParameterRow *self, const char *why_inactive)
{
  const char *caution = tosst_recipe_caution (self->model->recipe, self->parameter);
  const char *note = self->problem != NULL ? self->problem : caution != NULL ? _ (caution) : why_inactive;

  studio_label_show_problem (self->note, note);
  gtk_widget_set_tooltip_text (self->line, why_inactive);
  studio_set_class (self->note, "error", self->problem != NULL);
  studio_set_class (self->note, "warning", self->problem == NULL && caution != NULL);
  studio_set_class (self->note, "dim-label", self->problem == NULL && caution == NULL);
  studio_set_class (self->editor, "error", self->problem != NULL);
}

static void
show_model (StudioParameterRow *self)
{
  const TosstRecipe *recipe = self->model->recipe;
  const char *why = tosst_recipe_why_inactive (recipe, self->parameter);
  gboolean changed = studio_recipe_model_is_changed (self->model, self->parameter);

  show_value (self);
  gtk_widget_set_sensitive (self->title, why == NULL);
  gtk_widget_set_sensitive (self->editor_bin, why == NULL);
  gtk_widget_set_visible (self->scale_bin, why == NULL && self->scale != NULL);
  gtk_widget_set_opacity (self->reset, changed ? 1 : 0);
  gtk_widget_set_sensitive (self->reset, changed);
  studio_set_class (GTK_WIDGET (self), "changed", changed);
  show_note (self, why != NULL ? _ (why) : NULL);
}

static void
on_model_changed (StudioRecipeModel *model, const char *name, StudioParameterRow *self)
{
  if (name == NULL || g_strcmp0 (name, self->name) == 0)
    g_clear_pointer (&self->problem, g_free);
  show_model (self);
}

/* "Sparsity must be between…" of "dictionary.lambda must be between…", the name that files have. New; NULL for NULL. */
static char *
name_parameter (StudioParameterRow *self, const char *problem)
{
  return problem != NULL && g_str_has_prefix (problem, self->name)
             ? g_strconcat (_ (self->parameter->label), problem + strlen (self->name), NULL)
             : g_strdup (problem);
}

static void
on_report (StudioParameterRow *self, const char *problem)
{
  g_free (self->problem);
  self->problem = name_parameter (self, problem);
  if (problem == NULL)
    show_model (self);
  else
    show_note (self, NULL);
}

static void
on_reset (StudioParameterRow *self)
{
  g_clear_pointer (&self->problem, g_free);
  studio_recipe_model_reset (self->model, self->parameter);
}

/* The popover that teaches. */

static GtkWidget *
wrapped_label (const char *text, const char *css_class)
{
  GtkWidget *label = studio_label (text, css_class, NULL);

  g_object_set (label, "wrap", TRUE, "max-width-chars", 44, NULL);
  return label;
}

/* Returns the label of the text, or NULL if there is none. */
static GtkWidget *
add_fact (StudioParameterRow *self, const char *name, const char *text)
{
  GtkWidget *title, *label;

  if (text == NULL || *text == 0)
    return NULL;
  title = wrapped_label (name, "dim-label");
  label = wrapped_label (text, NULL);
  g_object_set (title, "width-chars", 8, "valign", GTK_ALIGN_START, NULL);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (self->popover_box), studio_row (12, title, label, NULL));
  return label;
}

static const char *
translated (const char *text)
{
  return text != NULL && *text != 0 ? _ (text) : NULL;
}

/* With the data set, the kind of descriptor and the method of coding of the recipe. */
static char *
default_of (StudioParameterRow *self)
{
  const TosstParameter *p = self->parameter;
  g_autofree char *text = tosst_recipe_base_text (self->model->recipe, self->model->base, p);

  if (*text == 0)
    return g_strdup (studio_unset_label (p));
  if (p->type == TOSST_PARAMETER_CHOICE)
    return g_strdup (_ (tosst_choice_label (text)));
  if (p->type == TOSST_PARAMETER_BOOLEAN)
    return g_strdup (strcmp (text, "true") == 0 ? _ ("on") : _ ("off"));
  if (p->type == TOSST_PARAMETER_REAL) /* the table has "2e-3", the field beside it 0.002 */
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      return studio_number_from_c (g_ascii_formatd (number, sizeof number, "%.6g", g_ascii_strtod (text, NULL)));
    }
  return g_strdup (text);
}

static void
fill_popover (StudioParameterRow *self)
{
  const TosstParameter *p = self->parameter;
  gboolean number = p->type == TOSST_PARAMETER_INTEGER || p->type == TOSST_PARAMETER_REAL;
  gboolean onoff = p->type == TOSST_PARAMETER_BOOLEAN;
  g_autofree char *heading_markup = studio_parameter_markup (p);
  GtkWidget *title = wrapped_label (NULL, "heading");
  g_autofree char *equation
      = p->equation != NULL ? g_strdup_printf (_ ("equation %s of the paper"), p->equation) : NULL;
  g_autofree char *default_text = default_of (self);

  if (self->default_label != NULL)
    {
      gtk_label_set_label (GTK_LABEL (self->default_label), default_text);
      return;
    }
  gtk_label_set_markup (GTK_LABEL (title), heading_markup);
  gtk_box_append (GTK_BOX (self->popover_box), title);
  if (translated (p->help) != NULL)
    gtk_box_append (GTK_BOX (self->popover_box), wrapped_label (_ (p->help), NULL));
  if (p->formula != NULL)
    {
      GtkWidget *plate = adw_bin_new (), *formula = studio_formula_new (p->formula);

      gtk_widget_set_halign (formula, GTK_ALIGN_START);
      adw_bin_set_child (ADW_BIN (plate), formula);
      gtk_widget_add_css_class (plate, "formula");
      gtk_box_append (GTK_BOX (self->popover_box), plate);
    }
  /* A number has more and less, a switch on and off; what has no order can be changed or left. */
  add_fact (self, number ? _ ("More") : onoff ? C_ ("switch", "On") : _ ("Change"), translated (p->more));
  add_fact (self, number ? _ ("Less") : onoff ? C_ ("switch", "Off") : _ ("Keep"), translated (p->less));
  add_fact (self, _ ("Typical"), translated (p->typical));
  add_fact (self, _ ("Try"), translated (p->trial));
  self->default_label = add_fact (self, _ ("Default"), default_text);
  add_fact (self, _ ("Where"), equation);
  add_fact (self, _ ("Key"), self->name);
}

static void
on_popover (GtkMenuButton *button, gpointer data)
{
  fill_popover (data);
  studio_hold_size (STUDIO_PARAMETER_ROW (data)->popover_box);
}

STUDIO_DEFINE_DISPOSE (StudioParameterRow, studio_parameter_row, (name, g_free), (model, g_object_unref),
                       (problem, g_free))

static void
studio_parameter_row_class_init (StudioParameterRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_parameter_row_dispose;
  STUDIO_SET_TEMPLATE (klass, StudioParameterRow, "parameter-row", line, title, symbol, editor_bin, scale_bin, note,
                       reset, info, popover_box);
  STUDIO_BIND_CALLBACKS (klass, on_reset);
}

STUDIO_DEFINE_INIT (StudioParameterRow, studio_parameter_row, gtk_widget_init_template (GTK_WIDGET (self)))

static void
name_controls (StudioParameterRow *self)
{
  const char *label = _ (self->parameter->label);
  g_autofree char *reset = g_strdup_printf (_ ("Reset “%s” to its default"), label);
  g_autofree char *info = g_strdup_printf (_ ("About “%s”"), label);
  g_autofree char *scale = g_strdup_printf (_ ("%s, logarithmic"), label);

  gtk_widget_set_tooltip_text (self->reset, reset);
  studio_set_name (self->reset, reset);
  gtk_widget_set_tooltip_text (self->info, info);
  studio_set_name (self->info, info);
  studio_set_name (self->editor, label);
  if (translated (self->parameter->help) != NULL)
    studio_set_description (self->editor, _ (self->parameter->help));
  if (self->scale != NULL)
    studio_set_name (self->scale, scale);
}

GtkWidget *
studio_parameter_row_new (const TosstParameter *parameter, StudioRecipeModel *model)
{
  StudioParameterRow *self = g_object_new (STUDIO_TYPE_PARAMETER_ROW, "title", _ (parameter->label), NULL);
  const char *symbol = parameter->symbol != NULL ? parameter->symbol : "",
             *unit = parameter->unit != NULL ? _ (parameter->unit) : "";
  g_autofree char *both = g_strconcat (symbol, *symbol != 0 && *unit != 0 ? " · " : "", unit, NULL);
  g_autofree char *markup = studio_symbol_markup (both);

  make_editor (self, parameter, model);
  adw_bin_set_child (ADW_BIN (self->editor_bin), self->editor);
  if (self->scale != NULL)
    adw_bin_set_child (ADW_BIN (self->scale_bin), self->scale);
  gtk_label_set_label (GTK_LABEL (self->title), _ (parameter->label));
  gtk_label_set_markup (GTK_LABEL (self->symbol), markup);
  gtk_widget_set_visible (self->symbol, *markup != 0);
  /* Filled when first opened: a window has dozens of these. */
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (self->info), on_popover, self, NULL);
  name_controls (self);
  g_signal_connect_object (model, "changed", G_CALLBACK (on_model_changed), self, 0);
  show_model (self);
  return GTK_WIDGET (self);
}
