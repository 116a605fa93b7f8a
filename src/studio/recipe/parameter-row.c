/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/recipe/parameter-row.h"

#include <glib/gi18n.h>
#include <string.h>

#include "studio/recipe/parameter-editor.h"
#include "studio/recipe/value-text.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/formula-view.h"

struct _StudioParameterRow
{
  AdwPreferencesRow parent_instance;
  const TosstParameter *parameter;
  StudioParameterEditor editor;
  char *problem; /* what is wrong with what was typed, or NULL */

  GtkWidget *line, *title, *symbol, *editor_bin, *scale_bin, *note, *reset, *info, *popover_box;
  GtkWidget *default_label; /* in the popover; NULL before it is first opened */
};

G_DEFINE_FINAL_TYPE (StudioParameterRow, studio_parameter_row, ADW_TYPE_PREFERENCES_ROW)

static void
show_note (StudioParameterRow *self, const char *why_inactive)
{
  const char *doubt = tosst_recipe_doubt (studio_recipe_model_peek (self->editor.model), self->parameter);
  const char *note = self->problem != NULL ? self->problem : doubt != NULL ? _ (doubt) : why_inactive;

  studio_label_show_problem (self->note, note);
  gtk_widget_set_tooltip_text (self->line, why_inactive);
  studio_set_class (self->note, "error", self->problem != NULL);
  studio_set_class (self->note, "warning", self->problem == NULL && doubt != NULL);
  studio_set_class (self->note, "dim-label", self->problem == NULL && doubt == NULL);
  studio_set_class (self->editor.editor, "error", self->problem != NULL);
}

static void
show_model (StudioParameterRow *self)
{
  const TosstRecipe *recipe = studio_recipe_model_peek (self->editor.model);
  const char *why = tosst_recipe_why_inactive (recipe, self->parameter);
  gboolean changed = studio_recipe_model_is_changed (self->editor.model, self->parameter);

  studio_parameter_editor_show (&self->editor);
  gtk_widget_set_sensitive (self->title, why == NULL);
  gtk_widget_set_sensitive (self->editor_bin, why == NULL);
  gtk_widget_set_visible (self->scale_bin, why == NULL && self->editor.scale != NULL);
  gtk_widget_set_opacity (self->reset, changed ? 1 : 0);
  gtk_widget_set_sensitive (self->reset, changed);
  studio_set_class (GTK_WIDGET (self), "changed", changed);
  show_note (self, why != NULL ? _ (why) : NULL);
}

static void
on_model_changed (StudioRecipeModel *model, const char *name, StudioParameterRow *self)
{
  if (name == NULL || g_strcmp0 (name, self->editor.name) == 0)
    g_clear_pointer (&self->problem, g_free);
  show_model (self);
}

/* "Sparsity must be between…" of "dictionary.lambda must be between…", the name that files have. New; NULL for NULL. */
static char *
name_parameter (StudioParameterRow *self, const char *problem)
{
  return problem != NULL && g_str_has_prefix (problem, self->editor.name)
             ? g_strconcat (_ (self->parameter->label), problem + strlen (self->editor.name), NULL)
             : g_strdup (problem);
}

static void
on_report (const char *problem, gpointer data)
{
  StudioParameterRow *self = data;

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
  studio_recipe_model_reset (self->editor.model, self->parameter);
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

static void
add_formula (StudioParameterRow *self, const char *source)
{
  GtkWidget *plate = adw_bin_new (), *formula = studio_formula_new (source);

  gtk_widget_set_halign (formula, GTK_ALIGN_START);
  adw_bin_set_child (ADW_BIN (plate), formula);
  gtk_widget_add_css_class (plate, "formula");
  gtk_box_append (GTK_BOX (self->popover_box), plate);
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
  g_autofree char *text
      = tosst_recipe_base_text (studio_recipe_model_peek (self->editor.model), self->editor.model->base, p);

  if (*text == 0)
    return g_strdup (studio_unset_label (p));
  if (p->type == TOSST_PARAMETER_CHOICE)
    return g_strdup (studio_choice_label (text));
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
    add_formula (self, p->formula);
  /* A number has more and less, a switch on and off; what has no order can be changed or left. */
  add_fact (self, number ? _ ("More") : onoff ? C_ ("switch", "On") : _ ("Change"), translated (p->more));
  add_fact (self, number ? _ ("Less") : onoff ? C_ ("switch", "Off") : _ ("Keep"), translated (p->less));
  add_fact (self, _ ("Typical"), translated (p->typical));
  add_fact (self, _ ("Try"), translated (p->attempt));
  self->default_label = add_fact (self, _ ("Default"), default_text);
  add_fact (self, _ ("Where"), equation);
  add_fact (self, _ ("Key"), self->editor.name);
}

static void
on_popover (GtkMenuButton *button, gpointer data)
{
  fill_popover (data);
  studio_hold_size (STUDIO_PARAMETER_ROW (data)->popover_box);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioParameterRow, studio_parameter_row, studio_parameter_editor_clear (&self->editor),
                            (problem, g_free))

static void
studio_parameter_row_class_init (StudioParameterRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_parameter_row_dispose;
  STUDIO_SET_TEMPLATE (klass, StudioParameterRow, "parameter-row", line, title, symbol, editor_bin, scale_bin, note,
                       reset, info, popover_box);
  STUDIO_BIND_CALLBACKS (klass, on_reset);
}

static void
studio_parameter_row_init (StudioParameterRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

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
  studio_set_name (self->editor.editor, label);
  if (translated (self->parameter->help) != NULL)
    studio_set_description (self->editor.editor, _ (self->parameter->help));
  if (self->editor.scale != NULL)
    studio_set_name (self->editor.scale, scale);
}

GtkWidget *
studio_parameter_row_new (const TosstParameter *parameter, StudioRecipeModel *model)
{
  StudioParameterRow *self = g_object_new (STUDIO_TYPE_PARAMETER_ROW, "title", _ (parameter->label), NULL);
  const char *symbol = parameter->symbol != NULL ? parameter->symbol : "",
             *unit = parameter->unit != NULL ? _ (parameter->unit) : "";
  g_autofree char *both = g_strconcat (symbol, *symbol != 0 && *unit != 0 ? " · " : "", unit, NULL);
  g_autofree char *markup = studio_symbol_markup (both);

  self->parameter = parameter;
  studio_parameter_editor_init (&self->editor, parameter, model);
  self->editor.report = on_report;
  self->editor.report_data = self;
  adw_bin_set_child (ADW_BIN (self->editor_bin), self->editor.editor);
  if (self->editor.scale != NULL)
    adw_bin_set_child (ADW_BIN (self->scale_bin), self->editor.scale);
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

const TosstParameter *
studio_parameter_row_get_parameter (StudioParameterRow *self)
{
  return self->parameter;
}

GtkWidget *
studio_parameter_row_get_editor (StudioParameterRow *self)
{
  return self->editor.editor;
}
