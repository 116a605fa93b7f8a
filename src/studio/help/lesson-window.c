/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson-window.h"

#include <glib/gi18n.h>

#include "studio/settings/state.h"
#include "studio/widgets/build.h"
#include "studio/widgets/formula-view.h"
#include "studio/widgets/wrap.h"

G_DEFINE_FINAL_TYPE (StudioLessonWindow, studio_lesson_window, ADW_TYPE_WINDOW)

/* The list. */

/* Reading progress of a lesson, beside its row. */
static void
tell_place (GtkWidget *row)
{
  GtkWidget *place = g_object_get_data (G_OBJECT (row), "place");
  guint pages = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "pages"));
  guint page = studio_state_get_lesson_page (g_object_get_data (G_OBJECT (row), "name"));

  studio_label_take (place, page > 0 ? g_strdup_printf (_ ("page %u of %u"), page + 1, pages) : g_strdup (""));
}

static GtkWidget *
make_row (guint index)
{
  g_autoptr (StudioLesson) lesson = studio_lesson_load (index);
  g_autofree char *digits = g_strdup_printf ("%u", index + 1);
  GtkWidget *row
      = g_object_new (ADW_TYPE_ACTION_ROW, "title", studio_lesson_get (lesson, STUDIO_FIELD_TITLE), "subtitle",
                      studio_lesson_get (lesson, STUDIO_FIELD_SUBTITLE), "activatable", TRUE, NULL);
  GtkWidget *number = gtk_label_new (digits), *place = studio_label (NULL, "dim-label", NULL);

  gtk_widget_add_css_class (number, "lesson-number");
  gtk_widget_set_valign (number, GTK_ALIGN_CENTER);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), number);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), place);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), gtk_image_new_from_icon_name ("go-next-symbolic"));
  g_object_set_data (G_OBJECT (row), "place", place);
  g_object_set_data (G_OBJECT (row), "pages", GUINT_TO_POINTER (lesson->pages->len));
  g_object_set_data (G_OBJECT (row), "name", (gpointer)lesson->name);
  tell_place (row);
  return row;
}

/* A row takes some milliseconds to create, measure and draw: one per frame, so that the window stays responsive. */
static gboolean
add_row (GtkWidget *list, GdkFrameClock *clock, guint *rows)
{
  gtk_list_box_append (GTK_LIST_BOX (list), make_row ((*rows)++));
  if (*rows == 1)
    gtk_widget_grab_focus (gtk_widget_get_first_child (list)); /* Return opens it */
  return *rows < studio_lessons_count () ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
on_row (StudioLessonWindow *self, GtkListBoxRow *row)
{
  studio_lesson_window_open (self, (guint)gtk_list_box_row_get_index (row));
}

static void
studio_lesson_window_show_list (StudioLessonWindow *self)
{
  g_clear_object (&self->lesson);
  for (GtkWidget *row = gtk_widget_get_first_child (self->list); row != NULL; row = gtk_widget_get_next_sibling (row))
    if (GTK_IS_LIST_BOX_ROW (row))
      tell_place (row);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "list");
  gtk_widget_child_focus (self->list, GTK_DIR_TAB_FORWARD);
  gtk_widget_set_visible (self->list_button, FALSE);
  adw_window_title_set_title (ADW_WINDOW_TITLE (self->window_title), _ ("Lessons"));
  adw_window_title_set_subtitle (ADW_WINDOW_TITLE (self->window_title), "");
}

/* Pages. */

static const char *
field (StudioLessonWindow *self, StudioLessonField which)
{
  return studio_lesson_get (self->lesson->pages->pdata[self->page], which);
}

static void
on_dot (GtkWidget *dot, StudioLessonWindow *self)
{
  studio_lesson_window_go (self, GPOINTER_TO_INT (g_object_get_data (G_OBJECT (dot), "page")) - (int)self->page);
}

static void
show_dots (StudioLessonWindow *self)
{
  studio_remove_children (self->dots);
  for (guint i = 0; i < self->lesson->pages->len; i++)
    {
      GtkWidget *dot = gtk_button_new ();
      const char *title = studio_lesson_get (self->lesson->pages->pdata[i], STUDIO_FIELD_TITLE);

      gtk_widget_add_css_class (dot, "lesson-dot");
      if (i <= self->page)
        gtk_widget_add_css_class (dot, i == self->page ? "current" : "seen");
      gtk_widget_set_valign (dot, GTK_ALIGN_CENTER);
      gtk_widget_set_tooltip_text (dot, title);
      studio_set_name (dot, title);
      g_object_set_data (G_OBJECT (dot), "page", GINT_TO_POINTER (i));
      g_signal_connect (dot, "clicked", G_CALLBACK (on_dot), self);
      gtk_box_append (GTK_BOX (self->dots), dot);
    }
}

static void
show_page (StudioLessonWindow *self)
{
  guint n = self->lesson->pages->len;
  g_autofree char *place = g_strdup_printf (_ ("Page %u of %u"), self->page + 1, n);
  const char *formula = field (self, STUDIO_FIELD_FORMULA), *question = field (self, STUDIO_FIELD_QUESTION);

  adw_window_title_set_title (ADW_WINDOW_TITLE (self->window_title),
                              studio_lesson_get (self->lesson, STUDIO_FIELD_TITLE));
  adw_window_title_set_subtitle (ADW_WINDOW_TITLE (self->window_title), place);
  gtk_label_set_label (GTK_LABEL (self->page_title), field (self, STUDIO_FIELD_TITLE));
  gtk_label_set_label (GTK_LABEL (self->text), field (self, STUDIO_FIELD_TEXT));
  studio_formula_set_source (STUDIO_FORMULA (self->formula), formula);
  gtk_widget_set_visible (self->plate, *formula != 0);
  gtk_label_set_label (GTK_LABEL (self->question), question);
  gtk_label_set_label (GTK_LABEL (self->answer), field (self, STUDIO_FIELD_ANSWER));
  gtk_expander_set_expanded (GTK_EXPANDER (self->expander), FALSE);
  gtk_widget_set_visible (self->question_box, *question != 0);
  gtk_widget_set_sensitive (self->back, self->page > 0);
  gtk_button_set_label (GTK_BUTTON (self->next), self->page + 1 < n ? _ ("_Next") : _ ("_Finish"));
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller)), 0);
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->whole)), 0);
  show_dots (self);
  /* Pages of a lesson with the same widget share it and its state. */
  const char *name = field (self, STUDIO_FIELD_WIDGET);
  GtkWidget *widget = gtk_stack_get_child_by_name (GTK_STACK (self->widgets), name);
  if (widget == NULL)
    {
      widget = studio_lesson_widget_new (name);
      gtk_stack_add_named (GTK_STACK (self->widgets), widget, name);
    }
  studio_lesson_widget_set_mode (widget, field (self, STUDIO_FIELD_MODE));
  gtk_stack_set_visible_child (GTK_STACK (self->widgets), widget);
  studio_state_set_lesson_page (self->lesson->name, self->page);
}

void
studio_lesson_window_open (StudioLessonWindow *self, guint lesson)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->widgets)) != NULL)
    gtk_stack_remove (GTK_STACK (self->widgets), child);
  g_clear_object (&self->lesson);
  self->lesson = studio_lesson_load (lesson);
  self->page = studio_state_get_lesson_page (self->lesson->name);
  self->page = MIN (self->page, self->lesson->pages->len - 1);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "lesson");
  gtk_widget_set_visible (self->list_button, TRUE);
  show_page (self);
  gtk_widget_grab_focus (self->next);
}

gboolean
studio_lesson_window_go (StudioLessonWindow *self, int pages)
{
  int to = (int)self->page + pages;

  if (self->lesson == NULL || to < 0 || to >= (int)self->lesson->pages->len)
    return FALSE;
  self->page = (guint)to;
  show_page (self);
  return TRUE;
}

/* The last page is followed by the list, and the lesson restarts next time. */
static void
go_next (StudioLessonWindow *self)
{
  if (self->lesson == NULL || studio_lesson_window_go (self, 1))
    return;
  studio_state_set_lesson_page (self->lesson->name, 0);
  studio_lesson_window_show_list (self);
}

static void
go_back (StudioLessonWindow *self)
{
  studio_lesson_window_go (self, -1);
}

/* The full screen first, then the lesson. */
static void
leave (StudioLessonWindow *self)
{
  if (gtk_window_is_fullscreen (GTK_WINDOW (self)))
    gtk_window_unfullscreen (GTK_WINDOW (self));
  else
    studio_lesson_window_show_list (self);
}

static void
toggle_answer (StudioLessonWindow *self)
{
  GtkExpander *expander = GTK_EXPANDER (self->expander);

  gtk_expander_set_expanded (expander, !gtk_expander_get_expanded (expander));
}

/* The text beside the widget scrolls; above it, it has the height that it needs at the width of the window. A scrolled
 * window would ask for that at its natural width. */

static void
measure_reading (GtkWidget *reading, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                 int *minimum_baseline, int *natural_baseline)
{
  StudioLessonWindow *self = STUDIO_LESSON_WINDOW (gtk_widget_get_root (reading));
  int least;

  gtk_widget_measure (gtk_widget_get_first_child (reading), orientation, -1, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      gtk_widget_measure (self->reading_page, orientation, MAX (for_size - 1, -1), &least, natural, NULL, NULL);
      *natural = MAX (*natural, *minimum);
    }
}

static void
allocate_reading (GtkWidget *reading, int width, int height, int baseline)
{
  StudioLessonWindow *self = STUDIO_LESSON_WINDOW (gtk_widget_get_root (reading));

  /* A line between text and widget, not between the text above the widget and the edge of the window. */
  gtk_widget_set_child_visible (self->reading_edge, width < gtk_widget_get_width (gtk_widget_get_parent (reading)));
  gtk_widget_size_allocate (gtk_widget_get_first_child (reading), &(GtkAllocation){ 0, 0, width, height }, baseline);
}

/* The window. */

STUDIO_DEFINE_DISPOSE (StudioLessonWindow, studio_lesson_window, (lesson, g_object_unref))

static void
studio_lesson_window_class_init (StudioLessonWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  static const struct
  {
    guint key;
    GdkModifierType modifiers;
    const char *action;
  } keys[] = {
    { GDK_KEY_Right, GDK_ALT_MASK, "lesson.next" }, { GDK_KEY_Left, GDK_ALT_MASK, "lesson.back" },
    { GDK_KEY_Page_Down, 0, "lesson.next" },        { GDK_KEY_Page_Up, 0, "lesson.back" },
    { GDK_KEY_Escape, 0, "lesson.leave" },          { GDK_KEY_a, GDK_CONTROL_MASK, "lesson.answer" },
  };

  STUDIO_ENSURE_TYPES (STUDIO_TYPE_FORMULA, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_lesson_window_dispose;
  STUDIO_INSTALL_ACTIONS (klass, ("lesson.next", NULL, go_next), ("lesson.back", NULL, go_back),
                          ("lesson.list", NULL, studio_lesson_window_show_list), ("lesson.leave", NULL, leave),
                          ("lesson.answer", NULL, toggle_answer));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (widget_class, keys[i].key, keys[i].modifiers, keys[i].action, NULL);
  STUDIO_SET_TEMPLATE (klass, StudioLessonWindow, "lesson-window", pages, list, list_button, window_title, header_bar,
                       scroller, whole, reading, reading_page, reading_edge, page_title, text, plate, formula,
                       question_box, question, expander, answer, widgets, dots, back, next);
  STUDIO_BIND_CALLBACKS (klass, on_row);
}

static void
studio_lesson_window_init (StudioLessonWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  studio_fit_window_buttons (GTK_WINDOW (self), self->header_bar);
  gtk_widget_set_layout_manager (self->reading,
                                 gtk_custom_layout_new (studio_height_for_width, measure_reading, allocate_reading));
  gtk_widget_add_tick_callback (self->list, (GtkTickCallback)add_row, g_new0 (guint, 1), g_free);
  studio_lesson_window_show_list (self);
}

GtkWidget *
studio_lesson_window_new (GtkApplication *application)
{
  return g_object_new (STUDIO_TYPE_LESSON_WINDOW, "application", application, NULL);
}
