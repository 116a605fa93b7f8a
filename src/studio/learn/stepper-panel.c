/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/learn/stepper-panel.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

struct _StudioStepperPanel
{
  AdwBin parent_instance;
  StudioStepper *stepper;
  guint rows; /* number of steps in the list */

  GtkWidget *list, *scroller, *next_button, *back_button, *spinner, *note, *single;
};

G_DEFINE_FINAL_TYPE (StudioStepperPanel, studio_stepper_panel, ADW_TYPE_BIN)

/* "−1.25", with a typographic minus. */
static char *
format_change (double before, double after)
{
  g_autofree char *size = studio_format_real (fabs (after - before), 3);

  if (!isfinite (after - before))
    return g_strdup ("–");
  return g_strconcat (after < before ? "−" : after > before ? "+" : "", size, NULL);
}

static char *
describe_parts (const TosstStep *step)
{
  g_autofree char *fit = format_change (step->before.fit, step->after.fit),
                  *proximity = format_change (step->before.proximity, step->after.proximity),
                  *sparsity = format_change (step->before.sparsity, step->after.sparsity);

  return g_strdup_printf (_ ("fit %s · proximity %s · sparsity %s"), fit, proximity, sparsity);
}

static char *
describe_block (const TosstStep *step)
{
  g_autofree char *block = studio_step_describe (step);

  if (step->rounds > 1)
    return g_strdup_printf (_ ("Iteration %d: %s, round %d of %d"), step->iteration, block, step->round, step->rounds);
  return g_strdup_printf (_ ("Iteration %d: %s"), step->iteration, block);
}

static char *
describe_change (const TosstStep *step)
{
  return format_change (step->before.objective, step->after.objective);
}

/* Description in words: "Iteration 1: codes: objective −64.1; fit −34.4 · ...". */
static char *
describe_step (const TosstStep *step)
{
  g_autofree char *block = describe_block (step), *change = describe_change (step), *parts = describe_parts (step);

  return g_strdup_printf (_ ("%s: objective %s; %s"), block, change, parts);
}

static GtkWidget *
make_row (const TosstStep *step)
{
  g_autofree char *block = describe_block (step), *change = describe_change (step), *what = describe_parts (step),
                  *spoken = describe_step (step);
  GtkWidget *grid = gtk_grid_new (), *row = gtk_list_box_row_new (), *name = studio_label (block, "numeric", NULL);
  GtkWidget *parts = studio_label (what, "dim-label", "numeric", "caption", NULL);

  g_object_set (name, "hexpand", TRUE, "ellipsize", PANGO_ELLIPSIZE_END, "tooltip-text", block, NULL);
  g_object_set (parts, "ellipsize", PANGO_ELLIPSIZE_END, "tooltip-text", what, NULL);
  gtk_grid_attach (GTK_GRID (grid), name, 0, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), studio_label (change, "numeric", NULL), 1, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), parts, 0, 1, 2, 1);
  g_object_set (grid, "column-spacing", 12, "margin-start", 12, "margin-end", 12, "margin-top", 6, "margin-bottom", 6,
                NULL);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), grid);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  studio_set_name (row, spoken);
  return row;
}

/* Newest first, visible without scrolling. */
static void
show_steps (StudioStepperPanel *self)
{
  const GArray *steps = self->stepper->steps;

  while (self->rows > steps->len)
    {
      gtk_list_box_remove (GTK_LIST_BOX (self->list),
                           GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), 0)));
      self->rows--;
    }
  for (; self->rows < steps->len; self->rows++)
    gtk_list_box_prepend (GTK_LIST_BOX (self->list), make_row (&g_array_index (steps, TosstStep, self->rows)));
  gtk_widget_set_visible (self->scroller, self->rows > 0);
}

/* For screen readers the description of the focused button is the last block, and its label the next one. */
static void
show_buttons (StudioStepperPanel *self)
{
  const GArray *steps = self->stepper->steps;
  g_autofree char *next = studio_stepper_describe_next (self->stepper);
  g_autofree char *label = next != NULL ? g_strdup_printf (_ ("_Step: %s"), next) : g_strdup (_ ("_Step"));
  g_autofree char *done
      = steps->len > 0 ? describe_step (&g_array_index (steps, TosstStep, steps->len - 1)) : g_strdup ("");

  gtk_button_set_label (GTK_BUTTON (self->next_button), label);
  for (int i = 0; i < 2; i++)
    studio_set_description (i == 0 ? self->next_button : self->back_button, done);
  if (gtk_widget_has_focus (self->back_button) && !self->stepper->busy && !studio_stepper_can_back (self->stepper))
    gtk_widget_grab_focus (self->next_button); /* the other one becomes insensitive */
}

static void
on_changed (StudioStepperPanel *self)
{
  gboolean busy = self->stepper->busy;
  g_autofree char *limit = g_format_size_full (STUDIO_STEPPER_HISTORY, G_FORMAT_SIZE_IEC_UNITS), *note = NULL;

  show_steps (self);
  if (self->stepper->forgot)
    note = g_strdup_printf (_ ("%s of steps are kept: the first ones can no longer be undone"), limit);
  studio_label_show_problem (self->note, note);
  show_buttons (self);
  gtk_widget_set_visible (self->spinner, busy);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), busy);
}

static void
on_single (StudioStepperPanel *self)
{
  if (self->stepper != NULL)
    studio_stepper_set_single (self->stepper, gtk_check_button_get_active (GTK_CHECK_BUTTON (self->single)));
}

static void
studio_stepper_panel_dispose (GObject *object)
{
  StudioStepperPanel *self = STUDIO_STEPPER_PANEL (object);

  g_clear_object (&self->stepper);
  G_OBJECT_CLASS (studio_stepper_panel_parent_class)->dispose (object);
}

static void
studio_stepper_panel_class_init (StudioStepperPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_stepper_panel_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tosst/Studio/stepper-panel.ui");
  STUDIO_BIND_CHILDREN (widget_class, StudioStepperPanel, list, scroller, next_button, back_button, spinner, note,
                        single);
  gtk_widget_class_bind_template_callback (widget_class, on_single);
}

static void
studio_stepper_panel_init (StudioStepperPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
studio_stepper_panel_set_stepper (StudioStepperPanel *self, StudioStepper *stepper)
{
  self->stepper = g_object_ref (stepper);
  g_signal_connect_object (stepper, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  on_changed (self);
}
