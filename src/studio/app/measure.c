/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/measure.h"

#include <sys/resource.h>
#include <time.h>

#include "core/base/atomic-file.h"

#define TICK_US 5000

static struct
{
  const char *file; /* NULL: off */
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

void
studio_measure_begin (void)
{
  measure.file = g_getenv ("TOSST_STUDIO_MEASURE");
  if (measure.file != NULL && *measure.file == 0)
    measure.file = NULL;
}

/* Frames. */

gboolean
studio_measure_is_on (void)
{
  return measure.file != NULL;
}

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

void
studio_measure_window (GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);

  if (measure.file == NULL)
    return;
  g_signal_connect (clock, "after-paint", G_CALLBACK (first_frame_painted), NULL);
  g_signal_connect (clock, "before-paint", G_CALLBACK (frame_begins), NULL);
  g_signal_connect (clock, "after-paint", G_CALLBACK (frame_ends), NULL);
}

static void
stop_painted (GdkFrameClock *clock, gpointer data)
{
  g_signal_handlers_disconnect_by_func (clock, stop_painted, data);
  measure.stop_acknowledged = g_get_monotonic_time ();
}

void
studio_measure_stop_requested (GtkWidget *window)
{
  if (measure.file == NULL)
    return;
  measure.stop_requested = g_get_monotonic_time ();
  measure.stop_acknowledged = measure.stop_effective = 0;
  g_signal_connect (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (stop_painted), NULL);
}

void
studio_measure_stop_effective (void)
{
  if (measure.stop_requested != 0 && measure.stop_effective == 0)
    measure.stop_effective = g_get_monotonic_time ();
}

static void
append_milliseconds (GString *json, const char *name, gint64 microseconds)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (json, "%s\"%s\": %s", json->len > 1 ? ", " : "", name,
                          microseconds > 0 ? g_ascii_formatd (number, sizeof number, "%.2f", microseconds / 1000.0)
                                           : "null");
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
studio_measure_widgets (void)
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

static gint64
peak_memory_mb (void)
{
  struct rusage usage;

  return getrusage (RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss / 1024 : 0;
}

/* A closing window need not be responsive. */
void
studio_measure_window_closed (void)
{
  if (measure.ticker != NULL)
    g_source_destroy (measure.ticker);
  g_clear_pointer (&measure.ticker, g_source_unref);
}

void
studio_measure_end (void)
{
  g_autoptr (GString) json = g_string_new ("{");
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = NULL;

  if (measure.file == NULL)
    return;
  studio_measure_window_closed ();
  append_milliseconds (json, "longest_work_ms", measure.longest_work);
  append_milliseconds (json, "longest_work_at_ms", measure.longest_work_at);
  append_milliseconds (json, "longest_frame_ms", measure.longest_frame);
  g_string_append_printf (json, ", \"peak_memory_mb\": %d", (int)peak_memory_mb ());
  append_milliseconds (json, "first_frame_at_ms", measure.first_frame);
  append_milliseconds (json, "stop_acknowledged_ms",
                       measure.stop_acknowledged - (measure.stop_acknowledged ? measure.stop_requested : 0));
  append_milliseconds (json, "stop_effective_ms",
                       measure.stop_effective - (measure.stop_effective ? measure.stop_requested : 0));
  g_string_append (json, "}\n");
  file = g_file_new_for_commandline_arg (measure.file);
  if (!tosst_atomic_write (file, json->str, json->len, &error))
    g_warning ("%s", error->message);
}
