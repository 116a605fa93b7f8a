/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <sys/resource.h>
#include <time.h>

#include "studio/app/window.h"

/* main.c of tosst-studio-measured calls measured_run() instead. */
#undef g_application_run

#define TICK_US 5000

static struct
{
  gint64 first_frame;
  gint64 last_tick, last_work, longest_work, longest_work_at;
  gint64 frame_work, longest_frame;
  gint64 stop_requested, stop_acknowledged, stop_effective;
  GSource *ticker;
} measure;

/* Processor time of this thread: the load of the machine does not count. */
static gint64
worked (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static gboolean
tick (GSource *source, GSourceFunc callback, gpointer data)
{
  gint64 now = g_get_monotonic_time (), work = worked ();

  if (measure.last_tick != 0 && work - measure.last_work > measure.longest_work)
    {
      measure.longest_work = work - measure.last_work;
      measure.longest_work_at = measure.last_tick - measure.first_frame;
    }
  measure.last_work = work;
  measure.last_tick = now;
  g_source_set_ready_time (source, now + TICK_US);
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs ticker_funcs = { .dispatch = tick };

/* Frames. */

static void
frame_begins (GdkFrameClock *clock, gpointer data)
{
  measure.frame_work = worked ();
}

static void
frame_ends (GdkFrameClock *clock, gpointer data)
{
  measure.longest_frame = MAX (measure.longest_frame, worked () - measure.frame_work);
}

static void
first_frame_painted (GdkFrameClock *clock, gpointer data)
{
  g_signal_handlers_disconnect_by_func (clock, first_frame_painted, data);
  if (measure.first_frame != 0)
    return;
  measure.first_frame = g_get_monotonic_time ();
  measure.ticker = g_source_new (&ticker_funcs, sizeof (GSource));
  g_source_set_priority (measure.ticker, G_PRIORITY_HIGH);
  g_source_set_ready_time (measure.ticker, 0);
  g_source_attach (measure.ticker, NULL);
}

static void
stop_painted (GdkFrameClock *clock, gpointer data)
{
  g_signal_handlers_disconnect_by_func (clock, stop_painted, data);
  measure.stop_acknowledged = g_get_monotonic_time ();
}

/* A stop is acknowledged with the next painted frame. */
static void
on_state (StudioRunner *runner, GParamSpec *pspec, GtkWidget *window)
{
  if (runner->state == STUDIO_RUNNER_STOPPING)
    {
      measure.stop_requested = g_get_monotonic_time ();
      measure.stop_acknowledged = measure.stop_effective = 0;
      g_signal_connect (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (stop_painted), NULL);
    }
  else if (runner->state == STUDIO_RUNNER_IDLE && measure.stop_requested != 0 && measure.stop_effective == 0)
    measure.stop_effective = g_get_monotonic_time ();
}

static void
on_realize (GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);

  g_signal_connect (clock, "after-paint", G_CALLBACK (first_frame_painted), NULL);
  g_signal_connect (clock, "before-paint", G_CALLBACK (frame_begins), NULL);
  g_signal_connect (clock, "after-paint", G_CALLBACK (frame_ends), NULL);
  g_signal_connect_object (studio_window_get_project (STUDIO_WINDOW (window))->runner, "notify::state",
                           G_CALLBACK (on_state), window, 0);
}

static void
on_window (GtkApplication *application, GtkWindow *window)
{
  if (STUDIO_IS_WINDOW (window))
    g_signal_connect_after (window, "realize", G_CALLBACK (on_realize), NULL);
}

/* The last window need not be responsive while it closes. */
static void
on_window_removed (GtkApplication *application)
{
  if (gtk_application_get_windows (application) != NULL)
    return;
  if (measure.ticker != NULL)
    g_source_destroy (measure.ticker);
  g_clear_pointer (&measure.ticker, g_source_unref);
}

/* Widgets. */

static void (*finalize_widget) (GObject *object);
static GThread *main_thread;

static void
finalize_on_main_thread (GObject *object)
{
  if (g_thread_self () != main_thread)
    g_error ("a %s was finalised off the main thread", G_OBJECT_TYPE_NAME (object));
  finalize_widget (object);
}

void
measure_widgets (void)
{
  GObjectClass *klass = g_type_class_ref (GTK_TYPE_WIDGET);

  if (finalize_widget == NULL)
    {
      main_thread = g_thread_self ();
      finalize_widget = klass->finalize;
      klass->finalize = finalize_on_main_thread; /* inherited by classes created from now on */
    }
  g_type_class_unref (klass);
}

void
measure_begin (GApplication *application)
{
  measure_widgets ();
  g_signal_connect (application, "window-added", G_CALLBACK (on_window), NULL);
  g_signal_connect (application, "window-removed", G_CALLBACK (on_window_removed), NULL);
}

static void
append_milliseconds (GString *json, const char *name, gint64 microseconds)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (json, "%s\"%s\": %s", json->len > 1 ? ", " : "", name,
                          microseconds > 0 ? g_ascii_formatd (number, sizeof number, "%.2f", microseconds / 1000.0)
                                           : "null");
}

void
measure_end (const char *file)
{
  g_autoptr (GString) json = g_string_new ("{");
  g_autoptr (GError) error = NULL;
  struct rusage usage = { 0 };

  getrusage (RUSAGE_SELF, &usage);
  append_milliseconds (json, "longest_work_ms", measure.longest_work);
  append_milliseconds (json, "longest_work_at_ms", measure.longest_work_at);
  append_milliseconds (json, "longest_frame_ms", measure.longest_frame);
  g_string_append_printf (json, ", \"peak_memory_mb\": %ld", usage.ru_maxrss / 1024);
  append_milliseconds (json, "first_frame_at_ms", measure.first_frame);
  append_milliseconds (json, "stop_acknowledged_ms",
                       measure.stop_acknowledged - (measure.stop_acknowledged ? measure.stop_requested : 0));
  append_milliseconds (json, "stop_effective_ms",
                       measure.stop_effective - (measure.stop_effective ? measure.stop_requested : 0));
  g_string_append (json, "}\n");
  if (!g_file_set_contents (file, json->str, -1, &error))
    g_warning ("%s", error->message);
}

int
measured_run (GApplication *application, int argc, char *argv[])
{
  const char *file = g_getenv ("TOSST_STUDIO_MEASURE");
  gboolean on = file != NULL && *file != 0;
  int status;

  if (on)
    measure_begin (application);
  status = g_application_run (application, argc, argv);
  if (on)
    measure_end (file);
  return status;
}
