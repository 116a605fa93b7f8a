/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/wrap.h"

#include <math.h>

#include "studio/widgets/build.h"

struct _StudioWrap
{
  GtkWidget parent_instance;
  int spacing;
  gboolean by_minimum, in_columns;
};

enum
{
  PROP_SPACING = 1,
  PROP_BY_MINIMUM,
  PROP_IN_COLUMNS,
};

G_DEFINE_FINAL_TYPE (StudioWrap, studio_wrap, GTK_TYPE_WIDGET)

/* The width that a child needs in a line. */
static int
width_of (StudioWrap *self, GtkWidget *child, int available)
{
  int minimum, natural;

  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  return self->by_minimum ? minimum : MAX (minimum, MIN (natural, available));
}

static int
height_of (GtkWidget *child, int width)
{
  int natural;

  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, NULL, &natural, NULL, NULL);
  return natural;
}

static GtkWidget *
next_shown (GtkWidget *child)
{
  while (child != NULL && !gtk_widget_should_layout (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

/* A line from first on: the child after it, the width left, and how many of its children expand. column: the width of
 * each child of lines in columns, 0: each has its own. */
typedef struct
{
  GtkWidget *end;
  int left, expanding, column;
} Line;

static Line
filled_line (StudioWrap *self, GtkWidget *first, int width)
{
  Line line = { .left = width };

  for (line.end = first; line.end != NULL; line.end = next_shown (gtk_widget_get_next_sibling (line.end)))
    {
      int needed = width_of (self, line.end, width) + (line.end != first ? self->spacing : 0);

      if (needed > line.left && line.end != first)
        break;
      line.left -= needed;
      line.expanding += gtk_widget_compute_expand (line.end, GTK_ORIENTATION_HORIZONTAL);
    }
  line.left = MAX (line.left, 0);
  return line;
}

static GtkWidget *
first_shown (StudioWrap *self)
{
  return next_shown (gtk_widget_get_first_child (GTK_WIDGET (self)));
}

static gboolean
is_one_line (StudioWrap *self, int width)
{
  return filled_line (self, first_shown (self), width).end == NULL;
}

/* As few lines as possible, and as many children in each: six of which four fit into a line are three and three. 0: the
 * lines have no columns. */
static int
columns_for (StudioWrap *self, int width)
{
  int n = 0, widest = 1, most, lines;

  if (!self->in_columns || is_one_line (self, width))
    return 0;
  for (GtkWidget *child = first_shown (self); child != NULL; child = next_shown (gtk_widget_get_next_sibling (child)))
    {
      int minimum;

      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
      widest = MAX (widest, minimum);
      n++;
    }
  most = CLAMP ((width + self->spacing) / (widest + self->spacing), 1, n);
  lines = (n + most - 1) / most;
  return (n + lines - 1) / lines;
}

static Line
line_from (StudioWrap *self, GtkWidget *first, int width)
{
  int columns = columns_for (self, width);
  Line line = { .end = first };

  if (columns == 0)
    return filled_line (self, first, width);
  line.column = (width + self->spacing) / columns - self->spacing;
  for (int i = 0; i < columns && line.end != NULL; i++)
    line.end = next_shown (gtk_widget_get_next_sibling (line.end));
  return line;
}

/* What children want beyond their minimum, in one line by minimum. */
static int
wanted_more (StudioWrap *self)
{
  int more = 0, minimum, natural;

  for (GtkWidget *child = first_shown (self); child != NULL; child = next_shown (gtk_widget_get_next_sibling (child)))
    {
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
      more += natural - minimum;
    }
  return more;
}

/* The share of a child of what is left of its line: up to its natural width first, as in a box. */
static int
share_of (StudioWrap *self, GtkWidget *child, const Line *line, gboolean alone)
{
  int more = self->by_minimum && alone ? wanted_more (self) : 0, left = MAX (line->left - more, 0), minimum, natural;
  int share = gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL) ? left / MAX (line->expanding, 1) : 0;

  if (more == 0)
    return self->by_minimum && line->expanding == 0 ? line->left : share;
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  return share + (int)((double)(natural - minimum) * MIN (line->left, more) / more);
}

/* The width of a child in its line. */
static int
width_in (StudioWrap *self, GtkWidget *child, const Line *line, int width, gboolean alone)
{
  return line->column > 0 ? line->column : width_of (self, child, width) + share_of (self, child, line, alone);
}

/* The height of a line whose children have the widths that they get in it. */
static int
height_of_line (StudioWrap *self, GtkWidget *first, const Line *line, int width, gboolean alone)
{
  int height = 0;

  for (GtkWidget *child = first; child != line->end; child = next_shown (gtk_widget_get_next_sibling (child)))
    height = MAX (height, height_of (child, width_in (self, child, line, width, alone)));
  return height;
}

static int
height_for (StudioWrap *self, int width)
{
  GtkWidget *child = first_shown (self);
  int height = 0;

  while (child != NULL)
    {
      Line line = line_from (self, child, width);

      height += height_of_line (self, child, &line, width, height == 0 && line.end == NULL)
                + (height > 0 ? self->spacing : 0);
      child = line.end;
    }
  return height;
}

/* The height of a single line. */
static int
least_height (StudioWrap *self, int width)
{
  Line line = line_from (self, first_shown (self), width);
  int height = 0, minimum;

  for (GtkWidget *child = first_shown (self); child != NULL; child = next_shown (gtk_widget_get_next_sibling (child)))
    {
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL,
                          width_of (self, child, width) + share_of (self, child, &line, TRUE), &minimum, NULL, NULL,
                          NULL);
      height = MAX (height, minimum);
    }
  return height;
}

static void
studio_wrap_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                     int *minimum_baseline, int *natural_baseline)
{
  StudioWrap *self = STUDIO_WRAP (widget);

  *minimum = *natural = 0;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      int width = for_size;

      if (width < 0)
        studio_wrap_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, minimum, &width, NULL, NULL);
      *minimum = *natural = height_for (self, width);
      if (self->by_minimum && is_one_line (self, width)) /* as in a box */
        *minimum = MIN (*natural, least_height (self, width));
      return;
    }
  for (GtkWidget *child = next_shown (gtk_widget_get_first_child (widget)); child != NULL;
       child = next_shown (gtk_widget_get_next_sibling (child)))
    {
      int least, wanted;

      gtk_widget_measure (child, orientation, -1, &least, &wanted, NULL, NULL);
      *minimum = MAX (*minimum, least);
      *natural += wanted + (*natural > 0 ? self->spacing : 0);
    }
}

static void
studio_wrap_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  StudioWrap *self = STUDIO_WRAP (widget);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int y = 0;

  for (GtkWidget *child = first_shown (self); child != NULL;)
    {
      Line line = line_from (self, child, width);
      int x = 0;
      gboolean alone = y == 0 && line.end == NULL;
      int tall = alone ? height : height_of_line (self, child, &line, width, FALSE);

      for (; child != line.end; child = next_shown (gtk_widget_get_next_sibling (child)))
        {
          int w = width_in (self, child, &line, width, alone);

          w = MIN (w, MAX (width - x, width_of (self, child, width)));
          gtk_widget_size_allocate (child, &(GtkAllocation){ mirrored ? width - x - w : x, y, w, tall }, -1);
          x += w + self->spacing;
        }
      y += tall + self->spacing;
    }
}

/* Hairlines between figures. */
static void
studio_wrap_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioWrap *self = STUDIO_WRAP (widget);
  GtkWidget *before = NULL;
  GdkRGBA color;
  gboolean lines = gtk_widget_has_css_class (widget, "stats");

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  color.alpha *= 0.12f;
  for (GtkWidget *child = lines ? first_shown (self) : NULL; child != NULL;
       child = next_shown (gtk_widget_get_next_sibling (child)))
    {
      graphene_rect_t box, last;
      float x;

      if (before != NULL && gtk_widget_compute_bounds (child, widget, &box)
          && gtk_widget_compute_bounds (before, widget, &last) && box.origin.y == last.origin.y)
        {
          x = MAX (box.origin.x, last.origin.x) - 0.5f * self->spacing;
          gtk_snapshot_append_color (snapshot, &color,
                                     &GRAPHENE_RECT_INIT (floorf (x), box.origin.y, 1, box.size.height));
        }
      before = child;
    }
  GTK_WIDGET_CLASS (studio_wrap_parent_class)->snapshot (widget, snapshot);
}

static void
studio_wrap_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  StudioWrap *self = STUDIO_WRAP (object);

  if (id == PROP_SPACING)
    self->spacing = g_value_get_int (value);
  else if (id == PROP_BY_MINIMUM)
    self->by_minimum = g_value_get_boolean (value);
  else
    self->in_columns = g_value_get_boolean (value);
  gtk_widget_queue_resize (GTK_WIDGET (object));
}

static void
studio_wrap_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (studio_wrap_parent_class)->dispose (object);
}

static void
studio_wrap_class_init (StudioWrapClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS;

  object_class->dispose = studio_wrap_dispose;
  object_class->set_property = studio_wrap_set_property;
  g_object_class_install_property (object_class, PROP_SPACING,
                                   g_param_spec_int ("spacing", NULL, NULL, 0, 100, 0, flags));
  g_object_class_install_property (object_class, PROP_BY_MINIMUM,
                                   g_param_spec_boolean ("by-minimum", NULL, NULL, FALSE, flags));
  g_object_class_install_property (object_class, PROP_IN_COLUMNS,
                                   g_param_spec_boolean ("in-columns", NULL, NULL, FALSE, flags));
  widget_class->get_request_mode = studio_height_for_width;
  widget_class->measure = studio_wrap_measure;
  widget_class->size_allocate = studio_wrap_size_allocate;
  widget_class->snapshot = studio_wrap_snapshot;
}

STUDIO_DEFINE_INIT (StudioWrap, studio_wrap)

/* GTK's lists move the focus from row to row with the Tab key. GTK 4.12 has a property against it; with 4.8 only a
 * container can move the focus to the next widget. */

struct _StudioTabStop
{
  AdwBin parent_instance;
};

G_DEFINE_FINAL_TYPE (StudioTabStop, studio_tab_stop, ADW_TYPE_BIN)

static gboolean
has_focus_inside (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  return focus != NULL && gtk_widget_is_ancestor (focus, widget);
}

static gboolean
studio_tab_stop_focus (GtkWidget *widget, GtkDirectionType direction)
{
  gboolean tab = direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_TAB_BACKWARD;

  if (tab && has_focus_inside (widget))
    return FALSE;
  return GTK_WIDGET_CLASS (studio_tab_stop_parent_class)->focus (widget, direction);
}

static void
studio_tab_stop_class_init (StudioTabStopClass *klass)
{
  GTK_WIDGET_CLASS (klass)->focus = studio_tab_stop_focus;
}

STUDIO_DEFINE_INIT (StudioTabStop, studio_tab_stop)
