/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The recipe's rows: the table of parameters, editing and undoing, reasons, marks, and what comes from elsewhere.
 */
#include "config.h"

#include <string.h>

#include "studio-test.h"
#include "studio/recipe/parameter-row.h"
#include "studio/recipe/value-text.h"
#include "studio/settings/state.h"

static gboolean
is_laid_out (gpointer popover)
{
  return gtk_widget_get_mapped (popover) && gtk_widget_get_height (popover) > 100;
}

static gboolean
is_in_sight (GtkWidget *widget)
{
  GtkWidget *window = GTK_WIDGET (gtk_widget_get_root (widget));
  graphene_rect_t bounds;

  return gtk_widget_get_mapped (widget) && gtk_widget_compute_bounds (widget, window, &bounds)
         && bounds.origin.y + bounds.size.height < gtk_widget_get_height (window);
}

/* The popover of a parameter shows its whole text without scrolling. */
static void
test_popovers_hold_their_text (void)
{
  StudioWindow *window = studio_test_window ();
  GPtrArray *rows;
  guint shown = 0;

  studio_test_tiny (window);
  rows = studio_recipe_panel_get_rows (studio_test_panel (window));
  for (guint i = 0; i < rows->len; i++)
    {
      GtkWidget *button = studio_test_find (rows->pdata[i], GTK_TYPE_MENU_BUTTON);
      GtkPopover *popover = gtk_menu_button_get_popover (GTK_MENU_BUTTON (button));
      GtkAdjustment *scrolled
          = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (gtk_popover_get_child (popover)));

      if (!is_in_sight (button))
        continue;
      shown++;
      g_assert_true (gtk_widget_get_has_tooltip (button));
      gtk_menu_button_popup (GTK_MENU_BUTTON (button));
      studio_test_wait (is_laid_out, popover, 5);
      g_test_message ("%s: %g of %g", STUDIO_PARAMETER_ROW (rows->pdata[i])->parameter->key,
                      gtk_adjustment_get_page_size (scrolled), gtk_adjustment_get_upper (scrolled));
      g_assert_cmpfloat (gtk_adjustment_get_page_size (scrolled), >=, gtk_adjustment_get_upper (scrolled));
      g_assert_false (gtk_widget_get_has_tooltip (button)); /* it would cover the text */
      gtk_menu_button_popdown (GTK_MENU_BUTTON (button));
    }
  g_assert_cmpuint (shown, >=, 5);
  studio_test_close (window);
}

static void
assert_rows_equal_table (StudioWindow *window)
{
  GPtrArray *rows = studio_recipe_panel_get_rows (studio_test_panel (window));
  guint n;
  const TosstParameter *parameters = tosst_parameters (&n);

  g_assert_cmpuint (rows->len, ==, n);
  g_assert_cmpuint (n, >, 20);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *editor = STUDIO_PARAMETER_ROW (rows->pdata[i])->editor;

      g_assert_true (STUDIO_PARAMETER_ROW (rows->pdata[i])->parameter == &parameters[i]);
      g_assert_true (gtk_widget_get_root (editor) == GTK_ROOT (window));
      gtk_test_accessible_assert_property (editor, GTK_ACCESSIBLE_PROPERTY_LABEL, parameters[i].label);
    }
}

static void
test_rows_equal_table (void)
{
  StudioWindow *window = studio_test_window ();

  assert_rows_equal_table (window);
  studio_test_close (window);
}

static guint
count_rows_below (GtkWidget *widget)
{
  guint n = G_OBJECT_TYPE (widget) == STUDIO_TYPE_PARAMETER_ROW;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_rows_below (child);
  return n;
}

/* The first frame does not wait for rows that nobody sees; a search that opens their sections has them all. */
static void
test_rows_made_when_opened (void)
{
  StudioWindow *shown = studio_test_window (),
               *window = studio_window_new (gtk_window_get_application (GTK_WINDOW (shown)));
  GtkWidget *panel = GTK_WIDGET (studio_test_panel (window)), *search = studio_test_find (panel, GTK_TYPE_SEARCH_ENTRY);
  guint n, of_dictionary = 0;
  const TosstParameter *parameters = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    of_dictionary += strcmp (parameters[i].group, "dictionary") == 0;
  g_assert_cmpuint (count_rows_below (panel), ==, of_dictionary);
  gtk_editable_set_text (GTK_EDITABLE (search), "."); /* of each key, behind its group */
  g_signal_emit_by_name (search, "search-changed");
  g_assert_cmpuint (count_rows_below (panel), ==, n);
  assert_rows_equal_table (window);
  gtk_window_present (GTK_WINDOW (window));
  studio_test_close (window);
  studio_test_close (shown);
}

/* The window has a label for each word of recipe files. */
static void
test_choices_have_labels (void)
{
  guint n;
  const TosstParameter *parameters = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    for (guint c = 0; parameters[i].choices != NULL && parameters[i].choices[c] != NULL; c++)
      g_assert_cmpstr (tosst_choice_label (parameters[i].choices[c]), !=, parameters[i].choices[c]);
}

static StudioParameterRow *
find_row (StudioWindow *window, const char *key)
{
  GPtrArray *rows = studio_recipe_panel_get_rows (studio_test_panel (window));

  for (guint i = 0; i < rows->len; i++)
    {
      const TosstParameter *p = STUDIO_PARAMETER_ROW (rows->pdata[i])->parameter;
      g_autofree char *name = g_strconcat (p->group, ".", p->key, NULL);

      if (strcmp (name, key) == 0)
        return rows->pdata[i];
    }
  g_assert_not_reached ();
}

static void
type_into (StudioWindow *window, const char *key, const char *text)
{
  GtkWidget *editor = find_row (window, key)->editor;

  gtk_editable_set_text (GTK_EDITABLE (editor), text);
  g_signal_emit_by_name (editor, "activate");
}

static void
test_edit_and_undo (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_project (window)->model;
  GtkWidget *lambda = GTK_WIDGET (find_row (window, "dictionary.lambda")), *note;
  double before = model->recipe->dictionary.lambda;

  type_into (window, "dictionary.lambda", "0.02");
  g_assert_cmpfloat (model->recipe->dictionary.lambda, ==, 0.02);
  g_assert_true (gtk_widget_has_css_class (lambda, "changed"));

  type_into (window, "dictionary.lambda", "much");
  g_assert_cmpfloat (model->recipe->dictionary.lambda, ==, 0.02);
  g_assert_true (gtk_widget_has_css_class (STUDIO_PARAMETER_ROW (lambda)->editor, "error"));

  /* It is said with the name that the row has, not that of recipe files. */
  note = GTK_WIDGET (gtk_widget_get_template_child (lambda, STUDIO_TYPE_PARAMETER_ROW, "note"));
  type_into (window, "dictionary.lambda", "-3");
  g_assert_true (g_str_has_prefix (gtk_label_get_label (GTK_LABEL (note)), "Sparsity "));
  g_assert_false (gtk_widget_has_css_class (note, "dim-label"));

  type_into (window, "dictionary.gamma", "∞");
  g_assert_true (model->recipe->dictionary.gamma > G_MAXDOUBLE);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  g_assert_cmpfloat (model->recipe->dictionary.lambda, ==, before);
  g_assert_false (gtk_widget_has_css_class (lambda, "changed"));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (STUDIO_PARAMETER_ROW (lambda)->editor)), !=, "much");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.redo", NULL);
  g_assert_cmpfloat (model->recipe->dictionary.lambda, ==, 0.02);
  studio_test_close (window);
}

static gboolean
shows_note (GtkWidget *row)
{
  return gtk_widget_get_visible (GTK_WIDGET (gtk_widget_get_template_child (row, STUDIO_TYPE_PARAMETER_ROW, "note")));
}

static void
search_for (StudioWindow *window, const char *text)
{
  GtkWidget *search = studio_test_find (GTK_WIDGET (studio_test_panel (window)), GTK_TYPE_SEARCH_ENTRY);

  gtk_editable_set_text (GTK_EDITABLE (search), text);
  g_signal_emit_by_name (search, "search-changed");
}

static gboolean
has_section (GtkWidget *row)
{
  return gtk_widget_get_visible (gtk_widget_get_parent (gtk_widget_get_ancestor (row, ADW_TYPE_EXPANDER_ROW)));
}

static gboolean
is_there (GtkWidget *row)
{
  return gtk_widget_get_visible (row) && has_section (row)
         && adw_expander_row_get_expanded (ADW_EXPANDER_ROW (gtk_widget_get_ancestor (row, ADW_TYPE_EXPANDER_ROW)));
}

/* A parameter without influence is not there, nor is a section of such; a search finds it, and says why it has none. */
static void
test_inactive_rows (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *rank = GTK_WIDGET (find_row (window, "dictionary.rank")),
            *lambda = GTK_WIDGET (find_row (window, "dictionary.lambda"));

  g_settings_set_boolean (studio_settings_get (), "advanced-parameters", TRUE);
  g_assert_false (is_there (rank));
  g_assert_true (is_there (lambda));
  search_for (window, "rank");
  g_assert_true (is_there (rank));
  g_assert_true (shows_note (rank));
  g_assert_false (gtk_widget_is_sensitive (STUDIO_PARAMETER_ROW (rank)->editor));
  search_for (window, "");
  g_assert_false (is_there (rank));

  studio_test_set (window, "dictionary.scheme", "low-rank");
  g_assert_true (is_there (rank));
  g_assert_true (gtk_widget_is_sensitive (STUDIO_PARAMETER_ROW (rank)->editor));
  g_assert_false (shows_note (rank));

  studio_test_set (window, "coding.method", "raw");
  g_assert_false (has_section (lambda));
  search_for (window, "dictionary.lambda");
  g_assert_true (is_there (lambda));
  g_assert_true (shows_note (lambda));
  search_for (window, "");
  g_assert_false (has_section (lambda));
  studio_test_set (window, "coding.method", "sparse");
  g_assert_true (is_there (lambda));
  g_settings_reset (studio_settings_get (), "advanced-parameters");
  studio_test_close (window);
}

/* Another value of a parameter without influence is no change of a preset or of a recipe. */
static void
test_inactive_is_no_change (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_project (window)->model;
  const TosstParameter *atoms = tosst_parameter_find ("dictionary.atoms");

  studio_test_set (window, "dictionary.atoms", "77");
  g_assert_true (studio_recipe_model_is_changed (model, atoms));
  studio_test_set (window, "coding.method", "raw");
  g_assert_false (studio_recipe_model_is_changed (model, atoms));
  studio_test_set (window, "coding.method", "sparse");
  g_assert_true (studio_recipe_model_is_changed (model, atoms));
  studio_test_close (window);
}

/* A value that leaves most codes zero is accepted, but not in silence. */
static void
test_doubtful_value (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *learning = GTK_WIDGET (find_row (window, "dictionary.lambda")),
            *coding = GTK_WIDGET (find_row (window, "coding.lambda"));

  g_assert_false (shows_note (learning));
  studio_test_set (window, "dictionary.lambda", "5000");
  g_assert_true (shows_note (learning));
  g_assert_false (shows_note (coding)); /* empty */
  studio_test_set (window, "coding.lambda", "3");
  g_assert_true (shows_note (coding));
  studio_test_set (window, "coding.lambda", "0.1");
  studio_test_set (window, "dictionary.lambda", "1");
  g_assert_false (shows_note (learning));
  g_assert_false (shows_note (coding));
  studio_test_close (window);
}

/* A number too long for its entry is rounded there, and keeps its value when the entry loses the focus. */
static void
test_long_number_keeps_its_digits (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_project (window)->model;
  GtkWidget *editor = find_row (window, "descriptor.range-opponent")->editor;
  double before = model->recipe->descriptor.range_opponent;

  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (editor)), ==, "0.707107");
  g_signal_emit_by_name (editor, "activate");
  g_assert_cmpfloat (model->recipe->descriptor.range_opponent, ==, before);
  studio_test_close (window);
}

static void
assert_no_wheel (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        g_assert_cmpint (gtk_event_controller_get_propagation_phase (controller), ==, GTK_PHASE_NONE);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (!GTK_IS_POPOVER (child))
      assert_no_wheel (child);
}

/* Scrolling the panel changes no value under the pointer. */
static void
test_wheel_changes_nothing (void)
{
  StudioWindow *window = studio_test_window ();
  GPtrArray *rows = studio_recipe_panel_get_rows (studio_test_panel (window));

  for (guint i = 0; i < rows->len; i++)
    assert_no_wheel (rows->pdata[i]);
  studio_test_close (window);
}

static GtkWidget *
find_button (GtkWidget *widget, const char *icon)
{
  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (widget)), icon) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_button (child, icon);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* A value other than the default is marked; the button of the row resets the value and the mark. */
static void
test_marks_and_reset (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_project (window)->model;
  GtkWidget *row = GTK_WIDGET (find_row (window, "dictionary.atoms")), *reset = find_button (row, "edit-undo-symbolic");
  int before = model->recipe->dictionary.atoms;

  g_assert_nonnull (reset);
  g_assert_false (gtk_widget_has_css_class (row, "changed"));
  g_assert_false (gtk_widget_is_sensitive (reset));
  studio_test_set (window, "dictionary.atoms", "31");
  g_assert_true (gtk_widget_has_css_class (row, "changed"));
  g_assert_true (gtk_widget_is_sensitive (reset));
  g_signal_emit_by_name (reset, "clicked");
  g_assert_cmpint (model->recipe->dictionary.atoms, ==, before);
  g_assert_false (gtk_widget_has_css_class (row, "changed"));
  g_assert_false (gtk_widget_is_sensitive (reset));
  studio_test_close (window);
}

static void
spin_to (StudioWindow *window, const char *key, const char *text)
{
  GtkWidget *spin = find_row (window, key)->editor;

  gtk_editable_set_text (GTK_EDITABLE (spin), text);
  gtk_spin_button_update (GTK_SPIN_BUTTON (spin));
}

static void
assert_text (StudioWindow *window, const char *key, const char *text)
{
  GtkWidget *editor = find_row (window, key)->editor;

  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (editor)), ==, text);
}

/* An automatic value is shown as a word, not as a number. */
static void
test_taken_from_elsewhere (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_project (window)->model;

  assert_text (window, "dataset.block", "auto");
  assert_text (window, "dictionary.rank", "auto");
  spin_to (window, "dataset.block", "80");
  g_assert_cmpint (model->recipe->dataset.block, ==, 80);
  spin_to (window, "dataset.block", "0");
  g_assert_cmpint (model->recipe->dataset.block, ==, 0);
  spin_to (window, "dataset.block", "");
  assert_text (window, "dataset.block", "auto");
  g_assert_true (tosst_recipe_is_default (model->recipe, tosst_parameter_find ("dataset.block")));

  studio_test_set (window, "dataset.block", "96");
  assert_text (window, "dataset.block", "96");
  studio_recipe_model_reset (model, tosst_parameter_find ("dataset.block"));
  assert_text (window, "dataset.block", "auto");
  studio_test_close (window);
}

static guint
count_shown (StudioWindow *window)
{
  GPtrArray *rows = studio_recipe_panel_get_rows (studio_test_panel (window));
  guint shown = 0;

  for (guint i = 0; i < rows->len; i++)
    shown += gtk_widget_get_visible (rows->pdata[i]);
  return shown;
}

/* Rows are found by name, key and words of the description; sections are then as before. */
static void
test_search (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipePanel *panel = studio_test_panel (window);
  GtkWidget *search = studio_test_find (GTK_WIDGET (panel), GTK_TYPE_SEARCH_ENTRY),
            *nothing = studio_test_child (panel, STUDIO_TYPE_RECIPE_PANEL, "nothing");
  guint before;

  studio_test_tiny (window);
  before = count_shown (window);
  gtk_editable_set_text (GTK_EDITABLE (search), "dataset.splits");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (find_row (window, "dataset.splits"))));
  g_assert_cmpuint (count_shown (window), ==, 1);
  gtk_editable_set_text (GTK_EDITABLE (search), "random DRAWS training");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (find_row (window, "dataset.splits"))));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (find_row (window, "dictionary.atoms"))));
  g_assert_false (gtk_widget_get_visible (nothing));
  gtk_editable_set_text (GTK_EDITABLE (search), "no such parameter");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_true (gtk_widget_get_visible (nothing) && count_shown (window) == 0);
  gtk_editable_set_text (GTK_EDITABLE (search), "");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_false (gtk_widget_get_visible (nothing));
  g_assert_cmpuint (count_shown (window), >=, before);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (find_row (window, "dictionary.atoms"))));
  studio_test_close (window);
}

static gboolean
is_shown (StudioWindow *window, const char *key)
{
  return gtk_widget_get_visible (GTK_WIDGET (find_row (window, key)));
}

static GtkWidget *
find_labelled (GtkWidget *widget, const char *label)
{
  if (GTK_IS_TOGGLE_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_labelled (child, label);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static GtkToggleButton *
level_of (StudioWindow *window)
{
  return GTK_TOGGLE_BUTTON (find_labelled (GTK_WIDGET (studio_test_panel (window)), "Advanced"));
}

/* Basic rows only, unless all are asked for, searched for or changed; for all windows. */
static void
test_levels (void)
{
  StudioWindow *window = studio_test_window (), *other;
  GtkWidget *search = studio_test_find (GTK_WIDGET (studio_test_panel (window)), GTK_TYPE_SEARCH_ENTRY);

  studio_test_tiny (window);
  g_assert_true (is_shown (window, "dictionary.lambda"));
  g_assert_false (is_shown (window, "dictionary.solver"));
  g_assert_false (is_shown (window, "dictionary.init"));
  gtk_editable_set_text (GTK_EDITABLE (search), "dictionary.solver");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_true (is_shown (window, "dictionary.solver"));
  gtk_editable_set_text (GTK_EDITABLE (search), "");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_false (is_shown (window, "dictionary.solver"));

  /* A change is never out of sight, and does not vanish when it is reset. */
  studio_test_set (window, "dictionary.seed", "17");
  g_assert_true (is_shown (window, "dictionary.seed"));
  studio_recipe_model_reset (studio_window_get_project (window)->model, tosst_parameter_find ("dictionary.seed"));
  g_assert_true (is_shown (window, "dictionary.seed"));

  gtk_toggle_button_set_active (level_of (window), TRUE);
  g_assert_true (is_shown (window, "dictionary.solver"));
  g_assert_false (is_shown (window, "coding.signed-alpha")); /* of a closed section */
  other = studio_test_another_window ();
  g_assert_true (gtk_toggle_button_get_active (level_of (other)));
  g_assert_true (is_shown (other, "dictionary.solver"));
  gtk_toggle_button_set_active (level_of (other), FALSE);
  g_assert_false (is_shown (window, "dictionary.solver"));
  g_assert_false (is_shown (window, "dictionary.seed"));
  studio_test_close (other);
  studio_test_close (window);
}

/* Kind and folder say which data set: they are no changes of the user. */
static void
test_source_is_no_change (void)
{
  StudioWindow *window = studio_test_window ();
  gboolean changed = TRUE;

  studio_test_set (window, "dataset.kind", "folders");
  studio_test_set (window, "dataset.path", "/nowhere");
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (find_row (window, "dataset.kind")), "changed"));
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (find_row (window, "dataset.path")), "changed"));
  studio_project_get_preset (studio_window_get_project (window), &changed);
  g_assert_false (changed);
  studio_test_set (window, "dataset.splits", "4");
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (find_row (window, "dataset.splits")), "changed"));
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/popovers-hold-their-text", test_popovers_hold_their_text);
  g_test_add_func ("/studio/rows-equal-table", test_rows_equal_table);
  g_test_add_func ("/studio/rows-made-when-opened", test_rows_made_when_opened);
  g_test_add_func ("/studio/choices-have-labels", test_choices_have_labels);
  g_test_add_func ("/studio/edit-and-undo", test_edit_and_undo);
  g_test_add_func ("/studio/inactive-rows", test_inactive_rows);
  g_test_add_func ("/studio/inactive-is-no-change", test_inactive_is_no_change);
  g_test_add_func ("/studio/doubtful-value", test_doubtful_value);
  g_test_add_func ("/studio/wheel", test_wheel_changes_nothing);
  g_test_add_func ("/studio/long-number", test_long_number_keeps_its_digits);
  g_test_add_func ("/studio/marks-and-reset", test_marks_and_reset);
  g_test_add_func ("/studio/taken-from-elsewhere", test_taken_from_elsewhere);
  g_test_add_func ("/recipe-rows/search", test_search);
  g_test_add_func ("/recipe-rows/levels", test_levels);
  g_test_add_func ("/recipe-rows/source", test_source_is_no_change);
  return g_test_run ();
}
