/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/formula-view.h"

#include <math.h>

#include "core/formula/formula.h"
#include "studio/widgets/build.h"
#include "studio/widgets/drawing.h"

#define SMALLEST 0.6 /* smallest scale when space is short */

struct _StudioFormula
{
  GtkWidget parent_instance;
  char *source;
  double scale;
  TosstFormula *formula; /* NULL: none */
};

enum
{
  PROP_SOURCE = 1,
  PROP_SCALE,
  N_PROPS,
};
static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (StudioFormula, studio_formula, GTK_TYPE_WIDGET)

static double
size_of (StudioFormula *self)
{
  return studio_font_size (GTK_WIDGET (self)) * self->scale;
}

static void
studio_formula_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                        int *minimum_baseline, int *natural_baseline)
{
  StudioFormula *self = STUDIO_FORMULA (widget);
  TosstFormulaExtent extent = { 0 };

  if (self->formula != NULL)
    tosst_formula_measure (self->formula, size_of (self), &extent);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *natural = (int)ceil (extent.width) + 2;
      *minimum = (int)ceil (extent.width * SMALLEST) + 2;
      return;
    }
  *minimum = *natural = (int)ceil (extent.ascent) + (int)ceil (extent.descent) + 2;
  *minimum_baseline = *natural_baseline = (int)ceil (extent.ascent) + 1;
}

static void
studio_formula_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioFormula *self = STUDIO_FORMULA (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  int baseline = gtk_widget_get_allocated_baseline (widget);
  double size = size_of (self), fit;
  TosstFormulaExtent extent;
  GdkRGBA color;

  if (self->formula == NULL || width <= 0 || height <= 0)
    return;
  tosst_formula_measure (self->formula, size, &extent);
  fit = MIN (1, (width - 2) / extent.width);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (-2, -2, width + 4, height + 4));
  gdk_cairo_set_source_rgba (cr, &color);
  /* Among labels the formula is as high as the row, and stands on their line. */
  cairo_translate (cr, 1, baseline >= 0 ? baseline : 1 + ceil (extent.ascent) * (1 + fit) / 2);
  cairo_scale (cr, fit, fit);
  tosst_formula_draw (self->formula, cr, 0, 0, size);
  cairo_destroy (cr);
}

STUDIO_DEFINE_FINALIZE (StudioFormula, studio_formula, (source, g_free), (formula, tosst_formula_free))

static void
studio_formula_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  StudioFormula *self = STUDIO_FORMULA (object);

  if (id == PROP_SOURCE)
    g_value_set_string (value, self->source);
  else
    g_value_set_double (value, self->scale);
}

static void
studio_formula_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  StudioFormula *self = STUDIO_FORMULA (object);

  if (id == PROP_SOURCE)
    studio_formula_set_source (self, g_value_get_string (value));
  else if (self->scale != g_value_get_double (value))
    {
      self->scale = g_value_get_double (value);
      gtk_widget_queue_resize (GTK_WIDGET (self));
      g_object_notify_by_pspec (object, pspec);
    }
}

static void
studio_formula_class_init (StudioFormulaClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = studio_formula_finalize;
  object_class->get_property = studio_formula_get_property;
  object_class->set_property = studio_formula_set_property;
  widget_class->measure = studio_formula_measure;
  widget_class->snapshot = studio_formula_snapshot;
  properties[PROP_SOURCE] = g_param_spec_string ("source", NULL, NULL, NULL, flags);
  properties[PROP_SCALE] = g_param_spec_double ("scale", NULL, NULL, 0.1, 10, 1, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_css_name (widget_class, "formula");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_formula_init (StudioFormula *self)
{
  self->scale = 1;
}

GtkWidget *
studio_formula_new (const char *source)
{
  return g_object_new (STUDIO_TYPE_FORMULA, "source", source, NULL);
}

void
studio_formula_set_source (StudioFormula *self, const char *source)
{
  g_autoptr (GError) error = NULL;

  if (g_strcmp0 (self->source, source) == 0)
    return;
  g_free (self->source);
  self->source = g_strdup (source);
  g_clear_pointer (&self->formula, tosst_formula_free);
  if (source != NULL && *source != 0)
    self->formula = tosst_formula_new (source, &error);
  if (error != NULL)
    g_warning ("%s: %s", source, error->message);
  g_autofree char *words = self->formula != NULL ? tosst_formula_words (self->formula) : g_strdup ("");
  studio_set_name (self, words);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SOURCE]);
}
