/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lessons: every page of every lesson is shown and its live widget responds. TOSST_TEST_PICTURES=FOLDER keeps a picture
 * of each, TOSST_TEST_PRESENTER=1 in presenter mode. Presenter mode itself. */

#include "config.h"

#include "core/formula/formula.h"
#include "studio-test.h"
#include "studio/help/lesson-window.h"
#include "studio/settings/presenter.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/build.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/formula-view.h"

static gboolean
is_ready (gpointer data)
{
  return studio_lesson_widget_is_ready (gtk_stack_get_visible_child (GTK_STACK (STUDIO_LESSON_WINDOW (data)->widgets)));
}

/* Saves a screenshot of the window to $TOSST_TEST_PICTURES/NAME.png. */
static void
keep_picture (GtkWidget *window, const char *name)
{
  const char *folder = g_getenv ("TOSST_TEST_PICTURES");
  int width = gtk_widget_get_width (window), height = gtk_widget_get_height (window);
  GdkPaintable *paintable;
  GtkSnapshot *snapshot;
  GskRenderNode *node;

  if (folder == NULL)
    return;
  studio_test_spin (0.4);
  paintable = gtk_widget_paintable_new (window);
  snapshot = gtk_snapshot_new ();
  gdk_paintable_snapshot (paintable, snapshot, width, height);
  node = gtk_snapshot_free_to_node (snapshot);
  if (node != NULL)
    {
      g_autoptr (GdkTexture) texture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (window)), node,
                                                                    &GRAPHENE_RECT_INIT (0, 0, width, height));
      g_autofree char *path = g_strdup_printf ("%s/%s.png", folder, name);

      gdk_texture_save_to_png (texture, path);
      gsk_render_node_unref (node);
    }
  g_object_unref (paintable);
}

/* The formula's ink has the colour of text, and reaches from one side of its widget to the other. */
static void
check_ink (GtkWidget *formula)
{
  int width = gtk_widget_get_width (formula), height = gtk_widget_get_height (formula), left = width, right = 0;
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (formula);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (surface);
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (formula), &color);
  gdk_paintable_snapshot (paintable, snapshot, width, height);
  GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);
  g_assert_nonnull (node);
  gsk_render_node_draw (node, cr);
  gsk_render_node_unref (node);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        guint32 pixel = *(guint32 *)(cairo_image_surface_get_data (surface)
                                     + y * cairo_image_surface_get_stride (surface) + 4 * x);

        if (pixel >> 24 < 128)
          continue;
        left = MIN (left, x);
        right = MAX (right, x);
        g_assert_cmpfloat (ABS ((pixel & 0xff) / (double)(pixel >> 24) - color.blue), <=, 0.1);
      }
  cairo_surface_destroy (surface);
  g_assert_cmpint (left, <=, 5);
  g_assert_cmpint (right, >=, width - 10);
}

static StudioLessonWindow *
window_new (void)
{
  GtkWidget *window = studio_lesson_window_new (GTK_APPLICATION (g_application_get_default ()));

  gtk_window_present (GTK_WINDOW (window));
  studio_test_spin (0.05);
  return STUDIO_LESSON_WINDOW (window);
}

static gboolean
is_gone (gpointer pointer)
{
  return *(gpointer *)pointer == NULL;
}

static void
close_window (StudioLessonWindow *window)
{
  gpointer weak = window;

  g_object_add_weak_pointer (G_OBJECT (window), &weak);
  gtk_window_destroy (GTK_WINDOW (window));
  studio_test_wait (is_gone, &weak, 20);
}

/* Texts. */

static void
test_texts (void)
{
  for (guint i = 0; i < studio_lessons_count (); i++)
    {
      g_autoptr (StudioLesson) lesson = studio_lesson_load (i);

      g_assert_cmpstr (studio_lesson_get (lesson, STUDIO_FIELD_TITLE), !=, "");
      g_assert_cmpstr (studio_lesson_get (lesson, STUDIO_FIELD_SUBTITLE), !=, "");
      g_assert_cmpuint (lesson->pages->len, >=, 4);
      for (guint j = 0; j < lesson->pages->len; j++)
        {
          StudioLesson *page = lesson->pages->pdata[j];
          g_autoptr (TosstFormula) formula = NULL;

          for (StudioLessonField f = STUDIO_FIELD_TITLE; f < STUDIO_FIELD_SUBTITLE; f++)
            if (f != STUDIO_FIELD_MODE)
              g_assert_cmpstr (studio_lesson_get (page, f), !=, "");
          formula = tosst_formula_new (studio_lesson_get (page, STUDIO_FIELD_FORMULA), NULL);
          g_assert_nonnull (formula);
        }
    }
}

/* All pages forwards, then one back; the last page is followed by the list. Each fits in a narrow window. */
static void
go_through (guint lesson)
{
  StudioLessonWindow *window = window_new ();
  guint page = 0;
  int width;

  studio_lesson_window_open (window, lesson);
  g_assert_cmpuint (window->page, ==, 0);
  do
    {
      g_autofree char *name = g_strdup_printf ("lesson-%u-%u", lesson + 1, page + 1);

      g_assert_cmpuint (window->page, ==, page++);
      studio_test_wait (is_ready, window, 60);
      studio_test_spin (0.02);
      keep_picture (GTK_WIDGET (window), name);
      check_ink (window->formula);
      gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
      g_assert_cmpint (width, <=, 360);
    }
  while (studio_lesson_window_go (window, 1));
  g_assert_cmpuint (page, ==, window->lesson->pages->len);
  g_assert_true (studio_lesson_window_go (window, -1));
  g_assert_true (studio_lesson_window_go (window, 1));
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "lesson.next", NULL));
  g_assert_null (window->lesson);
  keep_picture (GTK_WIDGET (window), "lesson-list");
  close_window (window);
}

static void
test_lesson (gconstpointer lesson)
{
  go_through (GPOINTER_TO_UINT (lesson));
}

static void
test_position (void)
{
  StudioLessonWindow *window = window_new ();

  studio_lesson_window_open (window, 1);
  studio_lesson_window_go (window, 2);
  close_window (window);
  window = window_new ();
  studio_lesson_window_open (window, 1);
  g_assert_cmpuint (window->page, ==, 2);
  g_assert_false (studio_lesson_window_go (window, 50));
  g_assert_false (studio_lesson_window_go (window, -50));
  studio_lesson_window_go (window, -2);
  close_window (window);
}

/* The window may be closed while a worker is busy. */
static void
test_close_early (void)
{
  for (guint i = 0; i < studio_lessons_count (); i++)
    {
      StudioLessonWindow *window = window_new ();

      studio_lesson_window_open (window, i);
      studio_test_spin (0.03);
      close_window (window);
    }
  studio_test_spin (0.5);
}

/* Presenter mode. */

static int
height_of (GtkWidget *widget)
{
  int height;

  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, NULL, &height, NULL, NULL);
  return height;
}

/* Text, formulas and charts grow and shrink again; the action of the menu has the state. */
static void
test_presenter (void)
{
  GActionMap *actions = G_ACTION_MAP (g_application_get_default ());
  GtkWidget *window = gtk_window_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *label = gtk_label_new ("Ag"), *formula = studio_formula_new ("\\frac{1}{2}");
  TosstChartStyle usual, large, again;
  int text, high;

  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), formula);
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_present (GTK_WINDOW (window));
  studio_test_spin (0.05);
  studio_chart_style (formula, &usual);
  text = height_of (label);
  high = height_of (formula);
  g_action_change_state (g_action_map_lookup_action (actions, "presenter"), g_variant_new_boolean (TRUE));
  studio_test_spin (0.05);
  g_assert_true (studio_presenter_get ());
  studio_chart_style (formula, &large);
  g_assert_cmpfloat (large.font_size, >=, 1.2 * usual.font_size);
  g_assert_cmpfloat (large.boldness, >, usual.boldness);
  g_assert_cmpint (height_of (label), >, text);
  g_assert_cmpint (height_of (formula), >=, 12 * high / 10);
  g_action_change_state (g_action_map_lookup_action (actions, "presenter"), g_variant_new_boolean (FALSE));
  studio_test_spin (0.05);
  studio_chart_style (formula, &again);
  g_assert_cmpfloat (again.font_size, ==, usual.font_size);
  g_assert_cmpint (height_of (formula), ==, high);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* F11 and Escape: a window that is not shown needs no window manager for its state. */
static void
test_full_screen (void)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());
  g_auto (GStrv) full = gtk_application_get_accels_for_action (application, "app.full-screen"),
                 presenter = gtk_application_get_accels_for_action (application, "app.presenter");

  g_assert_cmpstr (full[0], ==, "F11");
  g_assert_cmpstr (presenter[0], ==, "<Shift>F11");
  studio_full_screen_leave_on_escape (window);
  g_assert_false (studio_test_press_key (GTK_WIDGET (window), GDK_KEY_Escape));
  studio_full_screen_toggle (window);
  g_assert_true (gtk_window_is_fullscreen (window));
  g_assert_false (studio_test_press_key (GTK_WIDGET (window), GDK_KEY_a));
  g_assert_true (studio_test_press_key (GTK_WIDGET (window), GDK_KEY_Escape));
  g_assert_false (gtk_window_is_fullscreen (window));
  gtk_window_destroy (window);
}

/* Other first atoms, and other patches. */

static GtkWidget *
find_button (GtkWidget *root, const char *tooltip)
{
  GtkWidget *found = g_strcmp0 (gtk_widget_get_tooltip_text (root), tooltip) == 0 ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, tooltip);
  return found;
}

static guint
lesson_with (const char *widget)
{
  for (guint i = 0; i < studio_lessons_count (); i++)
    {
      g_autoptr (StudioLesson) lesson = studio_lesson_load (i);

      if (strcmp (studio_lesson_get (lesson->pages->pdata[0], STUDIO_FIELD_WIDGET), widget) == 0)
        return i;
    }
  g_error ("no lesson begins with %s", widget);
}

static void
add_numbers (GtkWidget *widget, GString *numbers)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_has_css_class (widget, "stat-value"))
    g_string_append_printf (numbers, "%s ", gtk_label_get_label (GTK_LABEL (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    add_numbers (child, numbers);
}

typedef struct
{
  GtkWidget *widget;
  GString *numbers;
} Shown;

static gboolean
differ (gpointer data)
{
  const Shown *before = data;
  g_autoptr (GString) now = g_string_new (NULL);

  add_numbers (before->widget, now);
  return !g_string_equal (now, before->numbers);
}

static void
test_random (void)
{
  StudioLessonWindow *window = window_new ();
  g_autoptr (GString) before = g_string_new (NULL);
  GtkWidget *widget;

  studio_lesson_window_open (window, lesson_with ("steps"));
  studio_test_wait (is_ready, window, 60);
  widget = gtk_stack_get_visible_child (GTK_STACK (window->widgets));
  add_numbers (widget, before);
  g_signal_emit_by_name (find_button (widget, "Other random first atoms"), "clicked");
  g_assert_cmpuint (before->len, >, 8);
  studio_test_wait (differ, (&(Shown){ widget, before }), 60);
  studio_lesson_window_open (window, lesson_with ("patch"));
  studio_test_wait (is_ready, window, 60);
  for (int i = 0; i < 20; i++)
    g_signal_emit_by_name (
        find_button (gtk_stack_get_visible_child (GTK_STACK (window->widgets)), "Random texture and patch"), "clicked");
  studio_test_wait (is_ready, window, 60);
  close_window (window);
}

/* The worker. */

static void
work (StudioWorker *worker, TosstContext *context, gpointer question, gpointer *session)
{
  int *count = *session != NULL ? *session : (*session = g_new0 (int, 1));

  ++*count;
  for (int i = 0; i < 2; i++)
    studio_worker_put (worker, g_memdup2 ((int[]){ *(int *)question + i }, sizeof (int)));
}

static const StudioWork counting = { G_CALLBACK (work), g_free, g_free, g_free };

static void
on_wake (gpointer data)
{
}

static gboolean
is_idle (gpointer worker)
{
  return !studio_worker_is_busy (worker);
}

static void
test_worker (void)
{
  StudioWorker *worker = studio_worker_new (&counting, on_wake, NULL);

  for (int i = 0; i < 10; i += 10)
    {
      studio_worker_ask (worker, g_memdup2 (&i, sizeof i));
      studio_test_wait (is_idle, worker, 10);
      for (int j = 0; j < 2; j++)
        {
          g_autofree int *answer = studio_worker_take (worker);

          g_assert_nonnull (answer);
          g_assert_cmpint (*answer, ==, i + j);
        }
      g_assert_null (studio_worker_take (worker));
    }
  studio_worker_free (worker);
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  studio_presenter_set (g_getenv ("TOSST_TEST_PRESENTER") != NULL);
  g_test_add_func ("/lessons/texts", test_texts);
  g_test_add_func ("/lessons/worker", test_worker);
  for (guint i = 0; i < studio_lessons_count (); i++)
    {
      g_autofree char *name = g_strdup_printf ("/lessons/lesson-%u", i + 1);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_lesson);
    }
  g_test_add_func ("/lessons/random", test_random);
  g_test_add_func ("/lessons/full-screen", test_full_screen);
  g_test_add_func ("/lessons/position", test_position);
  g_test_add_func ("/lessons/close-early", test_close_early);
  if (!studio_presenter_get ())
    g_test_add_func ("/presenter", test_presenter);
  return g_test_run ();
}
