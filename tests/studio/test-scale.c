/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <png.h>
#include <string.h>
#include <time.h>

#include "measure.h"
#include "studio-test.h"
#include "studio/atoms/atom-grid.h"
#include "studio/atoms/atoms-view.h"
#include "studio/data/data-view.h"
#include "studio/inspect/inspect-view.h"
#include "studio/sweep/sweep-view.h"
#include "studio/widgets/image-view.h"

/* Large data in the window: the memory of the process and the work of its main loop. Each case is a separate process,
 * since peak memory counts to the end: `test-studio-scale -p /scale/NAME`. As a test it checks the memory. With `-m
 * perf`, as a benchmark, it also checks the work, whose time depends on the processor and on other processes. */

#define N_IMAGES 10000
#define IMAGES_MB 420 /* 80 of them for the small run of the forecast; all thumbnails would take 400 more */
#define LARGE_SIDE 10000
#define LARGE_MB 350   /* a window takes half of it */
#define INSPECT_MB 700 /* while it is decoded, besides its display; a byte per pixel is kept */
#define N_ATOMS 25000
#define ATOMS_MB 400
#define SWEEP_MB 500
#define SWEEP_WORK_MS 150 /* the first frame of a view; of 100,000 rows that come at once, 40 */
#define WORK_MS 50        /* of processor time between two checks for events */

static char *folder, *measures; /* measures: the file of them */

/* A grey PGM with a different stripe pattern for each image. */
static void
write_image (const char *class_name, int index, int width, int height)
{
  g_autofree char *path = g_strdup_printf ("%s/%s", folder, class_name), *file = NULL;
  g_autofree char *header = g_strdup_printf ("P5 %d %d 255\n", width, height);
  gsize length = strlen (header), size = length + (gsize)width * height;
  g_autofree char *bytes = g_malloc (size);

  g_mkdir_with_parents (path, 0700);
  file = g_strdup_printf ("%s/%05d.pgm", path, index);
  memcpy (bytes, header, length);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      bytes[length + (gsize)y * width + x] = (char)((x * (1 + index % 7) + y * (index % 11)) * 5);
  memcpy (bytes + length, (char[]){ (char)index, (char)(index >> 8), *class_name }, 3); /* no two are the same */
  g_assert_true (g_file_set_contents (file, bytes, (gssize)size, NULL));
}

static StudioWindow *
open_folder (void)
{
  StudioWindow *window = studio_test_window ();
  g_autoptr (GFile) file = g_file_new_for_path (folder);

  studio_test_set (window, "dataset.train-per-class", "1");
  studio_test_set (window, "dataset.splits", "1");
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_dataset, window, 120);
  return window;
}

/* One step per frame, like a wheel. */
static void
scroll_through (GtkAdjustment *adjustment, int steps)
{
  double last = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);

  for (int i = 0; i <= steps; i++)
    {
      gtk_adjustment_set_value (adjustment, last * i / steps);
      studio_test_spin (0.016);
    }
}

/* The measurements of the program, written at its end. */
static double
measured (const char *name)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  measure_end (measures);
  json_parser_load_from_file (parser, measures, &error);
  g_assert_no_error (error);
  return json_object_get_double_member (json_node_get_object (json_parser_get_root (parser)), name);
}

static void
check (double megabytes, double work_ms)
{
  double frame = measured ("longest_frame_ms"), work = measured ("longest_work_ms");
  double memory = measured ("peak_memory_mb");

  g_test_message ("longest frame %.1f ms, longest work %.1f ms, at most %.0f MB", frame, work, memory);
  g_assert_cmpfloat (memory, <, megabytes);
  if (g_test_perf ())
    g_assert_cmpfloat (work, <, work_ms);
}

static gboolean
has_all_images (gpointer list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (list))) == N_IMAGES;
}

static void
test_thumbnails (void)
{
  StudioWindow *window;
  GtkWidget *view, *list;

  for (int i = 0; i < N_IMAGES; i++)
    write_image ("many", i, 24, 24);
  write_image ("other", 0, 24, 24);
  write_image ("other", 1, 24, 24);
  window = open_folder ();
  view = studio_test_find (GTK_WIDGET (window), STUDIO_TYPE_DATA_VIEW);
  list = GTK_WIDGET (gtk_widget_get_template_child (view, STUDIO_TYPE_DATA_VIEW, "image_list"));
  studio_test_wait (has_all_images, list, 60);
  scroll_through (gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (list)), 300);
  studio_test_spin (0.5);
  check (IMAGES_MB, WORK_MS);
  studio_test_close (window);
}

static gboolean
has_large_image (gpointer view)
{
  return studio_image_view_get_texture (view) != NULL;
}

/* Row by row: the whole image would dominate the measurement. */
static void
write_large_png (const char *path)
{
  g_autofree guint8 *row = g_malloc (LARGE_SIDE);
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);
  FILE *stream = g_fopen (path, "wb");

  g_assert_nonnull (stream);
  png_init_io (png, stream);
  png_set_compression_level (png, 1);
  png_set_IHDR (png, info, LARGE_SIDE, LARGE_SIDE, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (png, info);
  for (int y = 0; y < LARGE_SIDE; y++)
    {
      for (int x = 0; x < LARGE_SIDE; x++)
        row[x] = (guint8)(x / 40 * 13 + y / 60 * 29);
      png_write_row (png, row);
    }
  png_write_end (png, info);
  png_destroy_write_struct (&png, &info);
  fclose (stream);
}

static void
write_large_folder (void)
{
  g_autofree char *path = g_build_filename (folder, "large", "0.png", NULL);

  write_image ("large", 1, 64, 64);
  write_large_png (path);
  write_image ("other", 0, 64, 64);
  write_image ("other", 1, 64, 64);
}

/* Shown reduced, with its grid, under a pointer that moves. */
static void
test_large_image (void)
{
  StudioWindow *window;
  GtkWidget *image;

  write_large_folder ();
  window = open_folder ();
  image = studio_test_find (GTK_WIDGET (window), STUDIO_TYPE_IMAGE_VIEW);
  studio_test_wait (has_large_image, image, 120);
  for (int i = 0; i < 60; i++)
    {
      gtk_widget_queue_draw (image);
      studio_test_spin (0.016);
    }
  check (LARGE_MB, WORK_MS);
  studio_test_close (window);
}

static void
test_atoms (void)
{
  g_autofree char *path = g_build_filename (folder, "many.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  TosstDictionary *many = tosst_dictionary_new (12, N_ATOMS);
  StudioWindow *window;
  GtkWidget *view;

  for (gsize i = 0; i < (gsize)many->D * many->K; i++)
    many->V[i] = (i * 7919 % 1000) / 1000.0;
  for (gsize i = 0; i < (gsize)many->S * many->K; i++)
    many->b[i] = 1.0 / many->S;
  g_assert_true (tosst_dictionary_save (many, NULL, file, NULL));
  tosst_dictionary_free (many);
  window = studio_test_window ();
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_atoms, window, 120);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "atoms");
  studio_test_spin (0.3);
  view = studio_test_child (window, STUDIO_TYPE_WINDOW, "atoms_view");
  scroll_through (STUDIO_ATOM_GRID (STUDIO_ATOMS_VIEW (view)->browser)->scroll, 300);
  check (ATOMS_MB, WORK_MS);
  studio_test_close (window);
}

typedef struct
{
  GtkWidget *panel;
  int x;
} Wanted;

static gboolean
has_code (gpointer data)
{
  const Wanted *wanted = data;
  const StudioCode *code = STUDIO_CODE_PANEL (wanted->panel)->code;

  return code != NULL && code->point.x == wanted->x;
}

/* Coding of its patches on a grid: it is decoded once, and nothing is computed outside of the patches. */
static void
test_inspect (void)
{
  g_autofree char *path = g_build_filename (folder, "some.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  StudioWindow *window;
  StudioInspectView *inspect;
  TosstDictionary *some;
  Wanted wanted;
  gint64 start;
  int d;

  write_large_folder ();
  window = open_folder ();
  studio_test_set (window, "classifier.beside", "");
  studio_test_set (window, "descriptor.frames", "grid");
  d = tosst_recipe_dimension (studio_window_get_project (window)->model->recipe);
  some = tosst_dictionary_new (d, 40);
  for (gsize i = 0; i < (gsize)some->D * some->K; i++)
    some->V[i] = (i * 7919 % 1000) / 1000.0;
  for (gsize i = 0; i < (gsize)some->S * some->K; i++)
    some->b[i] = 1.0 / some->S;
  g_assert_true (tosst_dictionary_save (some, NULL, file, NULL));
  tosst_dictionary_free (some);
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_atoms, window, 60);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "inspect");
  inspect = STUDIO_INSPECT_VIEW (studio_test_find (GTK_WIDGET (window), STUDIO_TYPE_INSPECT_VIEW));
  wanted.panel = studio_test_find (GTK_WIDGET (window), STUDIO_TYPE_CODE_PANEL);
  start = g_get_monotonic_time ();
  for (int i = 0; i < 40; i++)
    {
      wanted.x = 200 * (i + 1);
      studio_inspect_view_choose_patch (inspect, wanted.x, 9000 - wanted.x);
      studio_test_wait (has_code, &wanted, 120);
      if (i == 0)
        g_test_message ("first patch after %.0f ms", (double)(g_get_monotonic_time () - start) / 1e3);
    }
  g_test_message ("all after %.0f ms", (double)(g_get_monotonic_time () - start) / 1e3);
  check (INSPECT_MB, WORK_MS);
  studio_test_close (window);
}

static gboolean
is_planned (gpointer window)
{
  return studio_window_get_project (window)->sweep->planned;
}

static double
seconds_of_thread (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The largest sweep: its values are read, and its runs become rows of the table. */
static void
test_sweep (void)
{
  g_autofree char *range = g_strdup_printf ("log:0.001:1000:%d", TOSST_SWEEP_MAX_RUNS);
  StudioWindow *window = studio_test_window ();
  GtkWidget *view = studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view");
  double start, reading;

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "sweep");
  studio_test_spin (0.3);
  start = seconds_of_thread ();
  studio_sweep_editor_add (STUDIO_SWEEP_EDITOR (STUDIO_SWEEP_VIEW (view)->editor), "classifier.c", range);
  reading = 1e3 * (seconds_of_thread () - start);
  g_test_message ("values read in %.1f ms", reading);
  studio_test_wait (is_planned, window, 300);
  g_assert_cmpuint (g_list_model_get_n_items (studio_window_get_project (window)->sweep->rows), >,
                    TOSST_SWEEP_MAX_RUNS * 9 / 10);
  studio_test_spin (2);
  if (g_test_perf ())
    g_assert_cmpfloat (reading, <, WORK_MS);
  check (SWEEP_MB, SWEEP_WORK_MS);
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  int status;

  folder = g_dir_make_tmp ("tosst-scale-XXXXXX", NULL);
  measures = g_strconcat (folder, "-measures.json", NULL);
  if (!studio_test_init (&argc, &argv))
    return 0;
  measure_begin (g_application_get_default ());
  g_test_add_func ("/scale/thumbnails", test_thumbnails);
  g_test_add_func ("/scale/large-image", test_large_image);
  g_test_add_func ("/scale/inspect", test_inspect);
  g_test_add_func ("/scale/atoms", test_atoms);
  g_test_add_func ("/scale/sweep", test_sweep);
  status = g_test_run ();
  tosst_remove_tree (folder);
  g_remove (measures);
  g_free (measures);
  return status;
}
