/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/sweep/sweep-axis-row.h"

#include <glib/gi18n.h>
#include <string.h>

#include "studio/recipe/value-text.h"
#include "studio/runs/sweep-plan.h"
#include "studio/sweep/sweep-axis-values.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

#define SHOWN_VALUES 3
#define SAY_MS 500 /* without another letter before what is wrong is said */

struct _StudioSweepAxisRow
{
  GtkListBoxRow parent_instance;
  const TosstParameter *parameter;
  GPtrArray *all; /* const TosstParameter *: that one, and those tied to it */
  char *problem;
  TosstSweepAxis *axis; /* what the text says; NULL where there is a problem */
  guint say_source;

  StudioSweepAxisValues *values;
  GtkWidget *count, *error, *up, *down;
};

G_DEFINE_FINAL_TYPE (StudioSweepAxisRow, studio_sweep_axis_row, GTK_TYPE_LIST_BOX_ROW)

/* Checking. */

static gboolean
on_say (gpointer data)
{
  StudioSweepAxisRow *self = data;

  self->say_source = 0;
  studio_label_show_problem (self->error, self->problem);
  return G_SOURCE_REMOVE;
}

/* "5 values"; of a range, which: "0.0001, 0.001, 0.01, …" */
static char *
describe (StudioSweepAxisRow *self, const TosstSweepAxis *axis)
{
  guint n = axis->values != NULL ? g_strv_length (axis->values) : 0;
  GString *words = g_string_new (NULL);

  if (axis->values == NULL)
    g_string_append (words, _ ("any value between"));
  else if (studio_sweep_axis_values_is_list (self->values))
    g_string_append_printf (words, ngettext ("%u value", "%u values", n), n);
  else
    for (guint i = 0; i < MIN (n, SHOWN_VALUES); i++)
      {
        g_autofree char *value = studio_value_text (self->parameter, axis->values[i]);
        g_string_append_printf (words, "%s%s", i > 0 ? ", " : "", value);
      }
  if (!studio_sweep_axis_values_is_list (self->values) && n > SHOWN_VALUES)
    g_string_append (words, ", …");
  return g_string_free (words, FALSE);
}

/* "dictionary.lambda+coding.lambda" */
static char *
name_of (StudioSweepAxisRow *self)
{
  GString *name = g_string_new (NULL);

  for (guint i = 0; i < self->all->len; i++)
    {
      const TosstParameter *p = self->all->pdata[i];

      g_string_append_printf (name, "%s%s.%s", i > 0 ? "+" : "", p->group, p->key);
    }
  return g_string_free (name, FALSE);
}

static void
check (StudioSweepAxisRow *self)
{
  g_autofree char *text = studio_sweep_axis_values_get_text (self->values), *name = name_of (self);
  g_autoptr (GError) error = NULL;

  if (self->axis != NULL && strcmp (self->axis->text, text) == 0)
    return;
  g_clear_pointer (&self->problem, g_free);
  g_clear_pointer (&self->axis, tosst_sweep_axis_unref);
  if (studio_sweep_axis_values_is_choice (self->values) && *text == 0)
    self->problem = g_strdup (_ ("Choose at least one value"));
  else if ((self->axis = tosst_sweep_axis_new (name, text, &error)) == NULL)
    self->problem = g_strdup (error->message);
  g_clear_handle_id (&self->say_source, g_source_remove);
  studio_label_take (self->count, self->axis != NULL ? describe (self, self->axis) : g_strdup (""));
  if (self->problem == NULL)
    studio_label_show_problem (self->error, NULL);
  else
    self->say_source = g_timeout_add (SAY_MS, on_say, self);
}

static void
on_changed (StudioSweepAxisRow *self)
{
  check (self);
  g_signal_emit_by_name (self, "changed");
}

static void
on_up (StudioSweepAxisRow *self)
{
  g_signal_emit_by_name (self, "move", -1);
}

static void
on_down (StudioSweepAxisRow *self)
{
  g_signal_emit_by_name (self, "move", 1);
}

static void
on_remove (StudioSweepAxisRow *self)
{
  g_signal_emit_by_name (self, "remove");
}

static void
studio_sweep_axis_row_dispose (GObject *object)
{
  StudioSweepAxisRow *self = STUDIO_SWEEP_AXIS_ROW (object);

  g_clear_handle_id (&self->say_source, g_source_remove);
  g_clear_pointer (&self->problem, g_free);
  g_clear_pointer (&self->axis, tosst_sweep_axis_unref);
  g_clear_pointer (&self->all, g_ptr_array_unref);
  G_OBJECT_CLASS (studio_sweep_axis_row_parent_class)->dispose (object);
}

static void
studio_sweep_axis_row_class_init (StudioSweepAxisRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_sweep_axis_row_dispose;
  studio_add_signal (klass, "changed", 0);
  studio_add_signal (klass, "remove", 0);
  studio_add_signal (klass, "move", 1, G_TYPE_INT);
}

static void
studio_sweep_axis_row_init (StudioSweepAxisRow *self)
{
}

/* Building. */

static GtkWidget *
button_new (const char *icon, const char *tooltip, GCallback clicked, StudioSweepAxisRow *self)
{
  GtkWidget *button = studio_icon_button (icon, tooltip);

  studio_add_classes (button, "flat", "small", NULL);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  g_signal_connect_swapped (button, "clicked", clicked, self);
  return button;
}

static GtkWidget *
name_new (StudioSweepAxisRow *self, const GPtrArray *tied)
{
  g_autofree char *name = studio_tied_label (self->parameter, tied, FALSE), *markup = studio_symbol_markup (name);
  g_autoptr (GString) keys = g_string_new (NULL);
  gboolean several = self->all->len > 1;

  for (guint i = 0; i < self->all->len; i++)
    {
      const TosstParameter *p = self->all->pdata[i];

      g_string_append_printf (keys, "%s%s.%s: %s", i > 0 ? "\n" : "", p->group, p->key,
                              p->help != NULL ? _ (p->help) : "");
    }
  return g_object_new (GTK_TYPE_LABEL, "label", markup, "use-markup", TRUE, "xalign", 0.0, "width-chars", 18,
                       "max-width-chars", 18, "wrap", several, "ellipsize",
                       several ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END, "tooltip-text", keys->str, NULL);
}

static void
build (StudioSweepAxisRow *self, const GPtrArray *tied)
{
  GtkWidget *remove = button_new ("window-close-symbolic", _ ("Remove Parameter"), G_CALLBACK (on_remove), self);

  self->count = studio_label (NULL, "dim-label", "numeric", NULL);
  g_object_set (self->count, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", 18, "xalign", 1.0, "hexpand", TRUE, NULL);
  self->up = button_new ("go-up-symbolic", _ ("Varies more slowly"), G_CALLBACK (on_up), self);
  self->down = button_new ("go-down-symbolic", _ ("Varies faster"), G_CALLBACK (on_down), self);
  self->error = studio_label (NULL, "error", "caption", NULL);
  g_object_set (self->error, "wrap", TRUE, "visible", FALSE, NULL);
  studio_sweep_axis_values_surround (self->values, name_new (self, tied),
                                     studio_row (8, self->count, self->up, self->down, remove, NULL));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (self), studio_column (2, GTK_WIDGET (self->values), self->error, NULL));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self), "sweep-axis");
  studio_set_name (self, _ (self->parameter->label));
}

StudioSweepAxisRow *
studio_sweep_axis_row_new (const TosstParameter *parameter, const GPtrArray *tied, const char *text, gboolean random)
{
  StudioSweepAxisRow *self = g_object_new (STUDIO_TYPE_SWEEP_AXIS_ROW, NULL);

  self->parameter = parameter;
  self->all = g_ptr_array_new ();
  g_ptr_array_add (self->all, (gpointer)parameter);
  for (guint i = 0; tied != NULL && i < tied->len; i++)
    g_ptr_array_add (self->all, tied->pdata[i]);
  self->values = studio_sweep_axis_values_new (parameter, text, random);
  g_signal_connect_swapped (self->values, "changed", G_CALLBACK (on_changed), self);
  build (self, tied);
  check (self);
  return self;
}

void
studio_sweep_axis_row_align (StudioSweepAxisRow *self, GtkSizeGroup *kinds)
{
  studio_sweep_axis_values_align (self->values, kinds);
}

gboolean
studio_sweep_axis_row_has_parameter (StudioSweepAxisRow *self, const TosstParameter *parameter)
{
  return g_ptr_array_find (self->all, parameter, NULL);
}

TosstSweepAxis *
studio_sweep_axis_row_get_axis (StudioSweepAxisRow *self)
{
  return self->axis;
}

void
studio_sweep_axis_row_set_random (StudioSweepAxisRow *self, gboolean random)
{
  studio_sweep_axis_values_set_random (self->values, random);
  check (self);
}

void
studio_sweep_axis_row_set_place (StudioSweepAxisRow *self, gboolean first, gboolean last)
{
  gtk_widget_set_sensitive (self->up, !first);
  gtk_widget_set_sensitive (self->down, !last);
}
