/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/recipe/recipe-panel.h"

#include <glib/gi18n.h>
#include <string.h>

#include "studio/recipe/parameter-row.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

/* The rows of a section are made when it is first seen open: those of all sections are an eighth of the instructions until the
 * first frame. */
typedef struct
{
  const TosstParameter *parameter;
  GtkWidget *section;
  gboolean listed; /* whether it is there when its section is open */
} Line;

enum
{
  PROP_ADVANCED = 1
};

G_DEFINE_FINAL_TYPE (StudioRecipePanel, studio_recipe_panel, ADW_TYPE_BIN)

static Line *
line_at (StudioRecipePanel *self, guint i)
{
  return &g_array_index (self->lines, Line, i);
}

/* Rows of a section are made in their order. */
static void
make_row (StudioRecipePanel *self, guint i)
{
  Line *line = line_at (self, i);
  GtkWidget *row = studio_parameter_row_new (line->parameter, self->model);

  gtk_widget_set_visible (row, line->listed && adw_expander_row_get_expanded (ADW_EXPANDER_ROW (line->section)));
  studio_tooltips_leave_menus (row);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (line->section), row);
  self->rows->pdata[i] = row;
}

/* Each word is in the name, key or description. */
static gboolean
matches (const TosstParameter *p, char **words)
{
  g_autofree char *text = g_strdup_printf ("%s %s.%s %s %s", _ (p->label), p->group, p->key,
                                           p->symbol != NULL ? p->symbol : "", p->help != NULL ? _ (p->help) : "");
  g_autofree char *folded = g_utf8_casefold (text, -1);

  for (; *words != NULL; words++)
    if (strstr (folded, *words) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
is_searching (StudioRecipePanel *self)
{
  return *gtk_editable_get_text (GTK_EDITABLE (self->search)) != 0;
}

/* The advanced ones are shown where the user has changed them, unless all are asked for: no change is out of sight. */
static gboolean
is_of_level (StudioRecipePanel *self, const TosstParameter *p)
{
  return self->advanced || p->basic || studio_recipe_model_is_changed (self->model, p);
}

static gboolean
is_active (StudioRecipePanel *self, const TosstParameter *p)
{
  return tosst_recipe_why_inactive (self->model->recipe, p) == NULL;
}

/* Which rows are there when their sections are open: those of parameters with an influence. A search reaches all, and says
 * of the others why they have none. */
static void
list_rows (StudioRecipePanel *self)
{
  g_autofree char *wanted = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  g_auto (GStrv) words = g_strsplit (g_strstrip (wanted), " ", -1);
  gboolean searching = is_searching (self);

  for (guint i = 0; i < self->lines->len; i++)
    {
      Line *line = line_at (self, i);

      line->listed = searching ? matches (line->parameter, words)
                               : is_of_level (self, line->parameter) && is_active (self, line->parameter);
    }
}

/* A window that shows something else has time to make the rows of open sections one by one. */
static gboolean
is_awaited (StudioRecipePanel *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  return root == NULL || !gtk_widget_get_mapped (GTK_WIDGET (root)) || gtk_widget_get_mapped (GTK_WIDGET (self));
}

/* What a closed section hides costs nothing before it is opened for the first time. Returns whether the section has a row
 * that is listed: without one it is not there. */
static gboolean
show_rows (StudioRecipePanel *self, GtkWidget *section)
{
  gboolean expanded = adw_expander_row_get_expanded (ADW_EXPANDER_ROW (section)), any = FALSE;

  for (guint i = 0; i < self->lines->len; i++)
    {
      Line *line = line_at (self, i);

      if (line->section != section)
        continue;
      any = any || line->listed;
      if (expanded && self->rows->pdata[i] == NULL && is_awaited (self))
        make_row (self, i);
      if (self->rows->pdata[i] != NULL && (expanded || !line->listed))
        gtk_widget_set_visible (self->rows->pdata[i], line->listed);
    }
  gtk_widget_set_visible (gtk_widget_get_parent (section), any);
  return any;
}

static void
show_sections (StudioRecipePanel *self)
{
  list_rows (self);
  for (guint i = 0; i < self->sections->len; i++)
    show_rows (self, self->sections->pdata[i]);
}

static void
show_model (StudioRecipePanel *self)
{
  gboolean any = FALSE;

  /* "3 changed" under a section's name, so that a collapsed one hides nothing. */
  for (guint s = 0; s < self->sections->len; s++)
    {
      GtkWidget *section = self->sections->pdata[s];
      guint changed = 0;

      for (guint i = 0; i < self->lines->len; i++)
        changed += line_at (self, i)->section == section
                   && studio_recipe_model_is_changed (self->model, line_at (self, i)->parameter);
      g_autofree char *text
          = changed > 0 ? g_strdup_printf (ngettext ("%u changed", "%u changed", changed), changed) : g_strdup ("");
      adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (section), text);
    }
  /* A parameter is listed as soon as it has an influence, and an advanced one as soon as it is changed. One that is
   * reset stays under the pointer until the rows are listed anew. */
  for (guint i = 0; i < self->lines->len && !is_searching (self); i++)
    {
      Line *line = line_at (self, i);
      gboolean listed = (line->listed || is_of_level (self, line->parameter)) && is_active (self, line->parameter);

      any = any || listed != line->listed;
      line->listed = listed;
    }
  for (guint i = 0; any && i < self->sections->len; i++)
    show_rows (self, self->sections->pdata[i]);
}

static void
on_expanded (GtkWidget *section, GParamSpec *pspec, StudioRecipePanel *self)
{
  if (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (section)))
    show_rows (self, section);
}

/* Sections with results are open during a search, and as they were before it afterwards. */
static void
on_search (StudioRecipePanel *self)
{
  gboolean searching = is_searching (self), any, found = FALSE;

  list_rows (self);
  for (guint i = 0; i < self->sections->len; i++)
    {
      GObject *section = self->sections->pdata[i];
      gboolean expanded = adw_expander_row_get_expanded (ADW_EXPANDER_ROW (section));

      if (searching && !self->searching)
        g_object_set_data (section, "expanded", GINT_TO_POINTER (expanded));
      any = show_rows (self, GTK_WIDGET (section));
      found |= any;
      adw_expander_row_set_expanded (ADW_EXPANDER_ROW (section),
                                     searching ? any : GPOINTER_TO_INT (g_object_get_data (section, "expanded")));
      show_rows (self, GTK_WIDGET (section));
    }
  gtk_widget_set_visible (self->nothing, searching && !found);
  self->searching = searching;
}

static GtkWidget *
section_new (StudioRecipePanel *self, const char *group)
{
  GtkWidget *list = g_object_new (GTK_TYPE_LIST_BOX, "selection-mode", GTK_SELECTION_NONE, NULL);
  GtkWidget *section = g_object_new (ADW_TYPE_EXPANDER_ROW, "title", _ (tosst_parameter_group_label (group)),
                                     "expanded", strcmp (group, "dictionary") == 0, NULL);

  gtk_widget_add_css_class (list, "boxed-list");
  gtk_widget_add_css_class (section, "recipe-section");
  studio_set_name (section, _ (tosst_parameter_group_label (group)));
  g_object_set_data (G_OBJECT (section), "group", (gpointer)group);
  g_signal_connect (section, "notify::expanded", G_CALLBACK (on_expanded), self);
  gtk_list_box_append (GTK_LIST_BOX (list), section);
  gtk_box_append (GTK_BOX (self->groups), list);
  g_ptr_array_add (self->sections, section);
  return section;
}

/* A row that is missing, of an open section if there is one; -1: none. */
static int
find_missing (StudioRecipePanel *self)
{
  int missing = -1;

  for (guint i = 0; i < self->rows->len; i++)
    if (self->rows->pdata[i] == NULL)
      {
        if (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (line_at (self, i)->section)))
          return (int)i;
        missing = missing < 0 ? (int)i : missing;
      }
  return missing;
}

/* One row at a time while nothing else is to be done: a search that opens all sections finds them ready. */
static gboolean
make_next (StudioRecipePanel *self)
{
  int i = find_missing (self);

  if (i >= 0)
    {
      make_row (self, (guint)i);
      return G_SOURCE_CONTINUE;
    }
  self->making = 0;
  return G_SOURCE_REMOVE;
}

static void
on_map (StudioRecipePanel *self)
{
  for (guint i = 0; i < self->sections->len; i++)
    show_rows (self, self->sections->pdata[i]);
}

static void
studio_recipe_panel_dispose (GObject *object)
{
  StudioRecipePanel *self = STUDIO_RECIPE_PANEL (object);

  g_clear_handle_id (&self->making, g_source_remove);
  g_array_set_size (self->lines, 0);
  g_ptr_array_set_size (self->rows, 0);
  g_ptr_array_set_size (self->sections, 0);
  g_clear_object (&self->model);
  G_OBJECT_CLASS (studio_recipe_panel_parent_class)->dispose (object);
}

STUDIO_DEFINE_FINALIZE (StudioRecipePanel, studio_recipe_panel, (rows, g_ptr_array_unref),
                        (sections, g_ptr_array_unref), (lines, g_array_unref))

static void
studio_recipe_panel_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, STUDIO_RECIPE_PANEL (object)->advanced);
}

static void
studio_recipe_panel_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  StudioRecipePanel *self = STUDIO_RECIPE_PANEL (object);

  if (self->advanced == g_value_get_boolean (value))
    return;
  self->advanced = !self->advanced;
  if (self->model != NULL)
    show_sections (self);
  g_object_notify (object, "advanced");
}

static void
studio_recipe_panel_class_init (StudioRecipePanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_recipe_panel_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_recipe_panel_finalize;
  G_OBJECT_CLASS (klass)->get_property = studio_recipe_panel_get_property;
  G_OBJECT_CLASS (klass)->set_property = studio_recipe_panel_set_property;
  g_object_class_install_property (
      G_OBJECT_CLASS (klass), PROP_ADVANCED,
      g_param_spec_boolean ("advanced", NULL, NULL, FALSE,
                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY));
  STUDIO_SET_TEMPLATE (klass, StudioRecipePanel, "recipe-panel", presets, search, groups, undo_button, redo_button,
                       said, nothing);
  g_type_ensure (STUDIO_TYPE_PRESET_CHOOSER);
  STUDIO_BIND_CALLBACKS (klass, on_search);
}

static void
studio_recipe_panel_init (StudioRecipePanel *self)
{
  self->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  self->rows = g_ptr_array_new ();
  self->sections = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
}

void
studio_recipe_panel_set_model (StudioRecipePanel *self, StudioRecipeModel *model)
{
  GtkWidget *section = NULL;
  guint n;
  const TosstParameter *parameters = tosst_parameters (&n);

  self->model = g_object_ref (model);
  g_ptr_array_set_size (self->rows, (int)n);
  for (guint i = 0; i < n; i++)
    {
      if (section == NULL || strcmp (g_object_get_data (G_OBJECT (section), "group"), parameters[i].group) != 0)
        section = section_new (self, parameters[i].group);
      g_array_append_val (self->lines, ((Line){ .parameter = &parameters[i], .section = section }));
    }
  show_sections (self);
  self->making = g_idle_add_full (G_PRIORITY_LOW, G_SOURCE_FUNC (make_next), self, NULL);
  studio_connect (model, "changed", show_model, self);
  show_model (self);
}

GPtrArray *
studio_recipe_panel_get_rows (StudioRecipePanel *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (self->rows->pdata[i] == NULL)
      make_row (self, i);
  return self->rows;
}

void
studio_recipe_panel_name_history (StudioRecipePanel *self, const char *undo, const char *redo)
{
  g_autofree char *back
      = undo != NULL ? g_strdup_printf (_ ("Undo %s (Ctrl+Z)"), undo) : g_strdup (_ ("Undo (Ctrl+Z)"));
  g_autofree char *forth
      = redo != NULL ? g_strdup_printf (_ ("Redo %s (Ctrl+Shift+Z)"), redo) : g_strdup (_ ("Redo (Ctrl+Shift+Z)"));

  gtk_widget_set_tooltip_text (self->undo_button, back);
  gtk_widget_set_tooltip_text (self->redo_button, forth);
}

void
studio_recipe_panel_say (StudioRecipePanel *self, const char *text, gboolean wrong)
{
  g_autofree char *sentence = text != NULL && wrong ? studio_format_problem (text) : g_strdup (text);

  studio_label_show_problem (self->said, sentence);
  studio_set_class (self->said, "error", wrong);
  studio_set_class (self->said, "dim-label", !wrong);
}
