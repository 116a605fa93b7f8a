/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "cli/call.h"
#include "core/base/base.h"
#include "core/ranks/processes.h"

#define BAR_WIDTH 24
#define PAINT_EVERY (G_USEC_PER_SEC / 10)

struct CliProgress
{
  gboolean shown;
  char *what, *unit;
  gsize total;
  double low, high;
  gint64 start, painted;
  TosstContext *context; /* context that reports here, or NULL */
};

CliProgress *
cli_progress_new (CliCall *call, const char *what, gsize total, const char *unit)
{
  CliProgress *self = g_new0 (CliProgress, 1);

  self->shown = isatty (STDERR_FILENO) && tosst_launched_rank () == 0 && !cli_call_flag (call, "quiet");
  self->what = g_strdup (what);
  self->unit = g_strdup (unit);
  self->total = total;
  self->high = 1;
  self->start = g_get_monotonic_time ();
  return self;
}

void
cli_progress_wipe (CliProgress *self)
{
  if (self->painted)
    fputs ("\r\033[K", stderr);
  self->painted = 0;
}

void
cli_progress_free (CliProgress *self)
{
  if (self->context)
    tosst_context_set_progress (self->context, NULL, NULL);
  cli_progress_wipe (self);
  g_free (self->what);
  g_free (self->unit);
  g_free (self);
}

static void
paint (CliProgress *self, double fraction, double elapsed, double left)
{
  g_autoptr (GString) line = g_string_new ("\r");
  int full = (int)(fraction * BAR_WIDTH);

  g_string_append_printf (line, "%s [", self->what);
  for (int i = 0; i < BAR_WIDTH; i++)
    g_string_append_c (line, i < full ? '#' : '.');
  g_string_append_printf (line, "] %3.0f %%", 100 * fraction);
  if (self->total && elapsed > 0.2)
    {
      double rate = fraction * self->total / elapsed;

      g_string_append_printf (line, rate < 10 ? "  %.2f %s/s" : "  %.0f %s/s", rate, self->unit);
    }
  if (left >= 0)
    {
      g_string_append (line, "  ");

      guint s = (guint)(left + 0.5);

      if (s >= 3600)
        g_string_append_printf (line, _ ("%u h %02u min left"), s / 3600, s / 60 % 60);
      else if (s >= 60)
        g_string_append_printf (line, _ ("%u min %02u s left"), s / 60, s % 60);
      else
        g_string_append_printf (line, _ ("%u s left"), s);
    }
  g_string_append (line, "\033[K");
  fputs (line->str, stderr);
  fflush (stderr);
}

void
cli_progress_set_left (CliProgress *self, double fraction, double seconds_left)
{
  if (!self->shown)
    return;
  gint64 now = g_get_monotonic_time ();
  if (now - self->painted < PAINT_EVERY)
    return;
  self->painted = now;
  paint (self, CLAMP (fraction, 0, 1), (now - self->start) / (double)G_USEC_PER_SEC, seconds_left);
}

void
cli_progress_set (CliProgress *self, double fraction)
{
  double elapsed = (g_get_monotonic_time () - self->start) / (double)G_USEC_PER_SEC;

  cli_progress_set_left (self, fraction, fraction > 0.02 && elapsed > 1 ? elapsed * (1 - fraction) / fraction : -1);
}

static void
on_progress (double fraction, void *data)
{
  CliProgress *self = data;

  cli_progress_set (self, self->low + (self->high - self->low) * fraction);
}

void
cli_progress_span (CliProgress *self, TosstContext *context, double low, double high)
{
  self->low = low;
  self->high = high;
  self->context = context;
  tosst_context_set_progress (context, on_progress, self);
}

void
cli_progress_set_what (CliProgress *self, const char *what)
{
  g_free (self->what);
  self->what = tosst_clean_line (what);
}
