/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/formula-view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/formula/formula.h"
#include "studio/widgets/build.h"
#include "studio/widgets/drawing.h"

#define SMALLEST 0.6 /* smallest scale when space is short */
#define EM 1000.0    /* of outlines */
#define TEXT 840.0   /* of outlines, for the size of text: letters of STIX are smaller than those of a sans serif */

struct _StudioFormula
{
  GtkWidget parent_instance;
  char *source;
  double scale;
  const char *outline; /* width, ascent and descent, a tab, glyphs and rules; NULL: text */
  char *text;          /* for a formula that has no outline */
};

enum
{
  PROP_SOURCE = 1,
  PROP_SCALE,
  N_PROPS,
};
static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (StudioFormula, studio_formula, GTK_TYPE_WIDGET)

/* What the file of scripts/typeset has of a formula or of a glyph; NULL: nothing. */
static const char *
find (const char *name)
{
  static GHashTable *found; /* what follows a name in its line */

  if (found == NULL)
    {
      g_autoptr (GBytes) file = g_resources_lookup_data ("/io/github/tosst/Studio/formulas.txt", 0, NULL);
      g_autofree char **lines = g_strsplit (g_bytes_get_data (file, NULL), "\n", -1);

      found = g_hash_table_new (g_str_hash, g_str_equal);
      for (char **line = lines; *line != NULL; line++)
        {
          char *tab = strchr (*line, '\t');

          if (tab != NULL)
            *tab++ = 0;
          g_hash_table_insert (found, *line, tab);
        }
    }
  return g_hash_table_lookup (found, name);
}

static double
read_number (const char **text)
{
  char *end;
  double value = strtol (*text, &end, 10);

  *text = end;
  return value;
}

static void
path_glyph (cairo_t *cr, const char *path)
{
  while (*path != 0)
    {
      char kind = *path++;
      double v[6];

      for (int i = 0, n = kind == 'c' ? 6 : kind == 'z' ? 0 : 2; i < n; i++)
        v[i] = read_number (&path);
      if (kind == 'm')
        cairo_rel_move_to (cr, v[0], v[1]);
      else if (kind == 'l')
        cairo_rel_line_to (cr, v[0], v[1]);
      else if (kind == 'c')
        cairo_rel_curve_to (cr, v[0], v[1], v[2], v[3], v[4], v[5]);
      else
        cairo_close_path (cr);
    }
}

/* With the left end of the baseline at the origin, at one unit per em. */
static void
draw_outline (cairo_t *cr, const char *items)
{
  cairo_scale (cr, 1 / TEXT, -1 / TEXT);
  while (*items != 0)
    {
      g_autofree char *name = g_strndup (items, strcspn (items, " "));
      double v[4];

      items += strlen (name);
      for (int i = 0, n = *name == '=' ? 4 : 3; i < n; i++)
        v[i] = read_number (&items);
      items += *items == ' ';
      if (*name == '=')
        cairo_rectangle (cr, v[0], v[1], v[2], v[3]);
      else
        {
          cairo_save (cr);
          cairo_translate (cr, v[0], v[1]);
          cairo_scale (cr, v[2] / EM, v[2] / EM);
          cairo_move_to (cr, 0, 0);
          path_glyph (cr, find (name));
          cairo_restore (cr);
        }
      cairo_fill (cr);
    }
}

static PangoLayout *
text_layout (StudioFormula *self)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), self->text);
  PangoFontDescription *font = pango_font_description_copy (
      pango_context_get_font_description (gtk_widget_get_pango_context (GTK_WIDGET (self))));

  pango_font_description_set_absolute_size (font, studio_font_size (GTK_WIDGET (self)) * self->scale * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  return layout;
}

/* In pixels; FALSE: there is no formula. */
static gboolean
get_extent (StudioFormula *self, double *width, double *ascent, double *descent)
{
  const char *at = self->outline;
  double em = studio_font_size (GTK_WIDGET (self)) * self->scale / TEXT;

  if (at != NULL)
    {
      *width = read_number (&at) * em;
      *ascent = read_number (&at) * em;
      *descent = read_number (&at) * em;
    }
  else if (self->text != NULL)
    {
      g_autoptr (PangoLayout) layout = text_layout (self);
      int w, h;

      pango_layout_get_pixel_size (layout, &w, &h);
      *width = w;
      *ascent = pango_layout_get_baseline (layout) / (double)PANGO_SCALE;
      *descent = h - *ascent;
    }
  return self->text != NULL;
}

static void
studio_formula_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                        int *minimum_baseline, int *natural_baseline)
{
  double width = 0, ascent = 0, descent = 0;

  get_extent (STUDIO_FORMULA (widget), &width, &ascent, &descent);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *natural = (int)ceil (width) + 2;
      *minimum = (int)ceil (width * SMALLEST) + 2;
      return;
    }
  *minimum = *natural = (int)ceil (ascent) + (int)ceil (descent) + 2;
  *minimum_baseline = *natural_baseline = (int)ceil (ascent) + 1;
}

static void
studio_formula_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioFormula *self = STUDIO_FORMULA (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  int baseline = gtk_widget_get_allocated_baseline (widget);
  double wide, ascent, descent, size = studio_font_size (widget) * self->scale;
  GdkRGBA color;

  if (width <= 0 || height <= 0 || !get_extent (self, &wide, &ascent, &descent))
    return;
  double fit = MIN (1, (width - 2) / wide);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (-2, -2, width + 4, height + 4));
  gdk_cairo_set_source_rgba (cr, &color);
  /* Among labels the formula is as high as the row, and stands on their line. */
  cairo_translate (cr, 1, baseline >= 0 ? baseline : 1 + ceil (ascent) * (1 + fit) / 2);
  cairo_scale (cr, fit, fit);
  if (self->outline != NULL)
    {
      cairo_scale (cr, size, size);
      draw_outline (cr, strchr (self->outline, '\t') + 1);
    }
  else
    {
      g_autoptr (PangoLayout) layout = text_layout (self);

      cairo_move_to (cr, 0, -ascent);
      pango_cairo_show_layout (cr, layout);
    }
  cairo_destroy (cr);
}

STUDIO_DEFINE_FINALIZE (StudioFormula, studio_formula, (source, g_free), (text, g_free))

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
  g_autoptr (TosstFormula) formula = NULL;

  if (g_strcmp0 (self->source, source) == 0)
    return;
  g_free (self->source);
  self->source = g_strdup (source);
  if (source != NULL && *source != 0)
    formula = tosst_formula_new (source, &error);
  if (error != NULL)
    g_warning ("%s: %s", source, error->message);
  g_free (self->text);
  self->text = formula != NULL ? tosst_formula_text (formula) : NULL;
  self->outline = formula != NULL ? find (source) : NULL;
  g_autofree char *words = formula != NULL ? tosst_formula_words (formula) : g_strdup ("");
  studio_set_name (self, words);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SOURCE]);
}
