/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/fold.h"

#include <glib/gi18n.h>

#include "studio/tasks/task.h"
#include "studio/widgets/build.h"

struct _StudioFold
{
  GtkWidget parent_instance;
  GtkWidget *child, *bar;
  gboolean folded, last; /* last: it is the page on show while folded */
  gboolean expands;      /* the first part beside the other */
  double share;          /* of the width, for the first part of a paned; 0: as the paned divides it */
  int shared;            /* the width that was divided so */
  gboolean moved;        /* the handle, by the user: the share no longer counts */
  gboolean allocating;
  int both; /* smallest width of both parts */
  guint source;
};

enum
{
  PROP_CHILD = 1,
  PROP_SHARE,
};

G_DEFINE_FINAL_TYPE (StudioFold, studio_fold, GTK_TYPE_WIDGET)

static GtkWidget *
first_part (StudioFold *self)
{
  return self->child != NULL ? gtk_widget_get_first_child (self->child) : NULL;
}

static GtkWidget *
last_part (StudioFold *self)
{
  return self->child != NULL ? gtk_widget_get_last_child (self->child) : NULL;
}

/* Shows the parts of the present state. */
static void
show_parts (StudioFold *self)
{
  if (first_part (self) == NULL)
    return;
  gtk_widget_set_visible (first_part (self), !self->folded || !self->last);
  gtk_widget_set_hexpand (first_part (self), self->folded || self->expands);
  gtk_widget_set_visible (last_part (self), !self->folded || self->last);
  if (!GTK_IS_PANED (self->child)) /* what is between the parts of a box; a paned sees to its handle */
    for (GtkWidget *part = gtk_widget_get_next_sibling (first_part (self)); part != NULL && part != last_part (self);
         part = gtk_widget_get_next_sibling (part))
      gtk_widget_set_visible (part, !self->folded);
  gtk_widget_set_visible (self->bar, self->folded && self->last);
}

static void
fold (StudioFold *self)
{
  self->folded = gtk_widget_get_width (GTK_WIDGET (self)) < self->both;
  show_parts (self);
}

static int
least_width (GtkWidget *widget)
{
  int minimum = 0;

  if (widget != NULL)
    gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  return minimum;
}

static void
studio_fold_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                     int *minimum_baseline, int *natural_baseline)
{
  StudioFold *self = STUDIO_FOLD (widget);
  int bar;

  *minimum = *natural = 0;
  if (self->child == NULL)
    return;
  gtk_widget_measure (self->child, orientation, -1, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      gtk_widget_measure (self->bar, orientation, -1, &bar, NULL, NULL, NULL);
      *minimum += bar;
      *natural += bar;
      return;
    }
  if (!self->folded)
    self->both = *minimum;
  /* Each part by itself. */
  *minimum = MAX (least_width (first_part (self)), least_width (last_part (self)));
  *natural = MAX (*natural, *minimum);
}

/* The parts change outside of the layout. */
static void
studio_fold_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  StudioFold *self = STUDIO_FOLD (widget);
  int bar = 0, least;

  if (self->child == NULL)
    return;
  if ((width < self->both) != self->folded)
    studio_later_at (&self->source, G_PRIORITY_HIGH_IDLE, 0, G_CALLBACK (fold), self);
  if (gtk_widget_should_layout (self->bar))
    {
      gtk_widget_measure (self->bar, GTK_ORIENTATION_VERTICAL, width, &bar, NULL, NULL, NULL);
      gtk_widget_size_allocate (self->bar, &(GtkAllocation){ 0, 0, width, bar }, -1);
    }
  least = least_width (self->child);
  GtkAllocation place = (GtkAllocation){ 0, bar, MAX (width, least), MAX (height - bar, 0) };
  self->allocating = TRUE;
  gtk_widget_size_allocate (self->child, &place, -1);
  if (self->share > 0 && !self->moved && !self->folded && width >= self->both && width != self->shared)
    {
      self->shared = width;
      gtk_paned_set_position (GTK_PANED (self->child), (int)(self->share * width));
      gtk_widget_size_allocate (self->child, &place, -1); /* the first one scaled the former position */
    }
  self->allocating = FALSE;
}

static void
on_handle (StudioFold *self)
{
  self->moved = self->moved || !self->allocating;
}

static void
on_back (StudioFold *self)
{
  studio_fold_show_last (self, FALSE);
}

static void
studio_fold_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  StudioFold *self = STUDIO_FOLD (object);

  if (id == PROP_SHARE)
    {
      self->share = g_value_get_double (value);
      return;
    }
  self->child = g_value_get_object (value);
  if (self->child != NULL)
    gtk_widget_set_parent (self->child, GTK_WIDGET (self));
  if (GTK_IS_PANED (self->child))
    studio_connect (self->child, "notify::position", on_handle, self);
  self->expands = first_part (self) != NULL && gtk_widget_get_hexpand (first_part (self));
}

STUDIO_DEFINE_DISPOSE (StudioFold, studio_fold, (source, g_source_remove), (bar, gtk_widget_unparent),
                       (child, gtk_widget_unparent))

static void
studio_fold_class_init (StudioFoldClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_fold_dispose;
  G_OBJECT_CLASS (klass)->set_property = studio_fold_set_property;
  g_object_class_install_property (
      G_OBJECT_CLASS (klass), PROP_CHILD,
      g_param_spec_object ("child", NULL, NULL, GTK_TYPE_WIDGET, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (
      G_OBJECT_CLASS (klass), PROP_SHARE,
      g_param_spec_double ("share", NULL, NULL, 0, 1, 0, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  widget_class->measure = studio_fold_measure;
  widget_class->size_allocate = studio_fold_size_allocate;
}

static void
studio_fold_init (StudioFold *self)
{
  GtkWidget *button = studio_icon_button ("go-previous-symbolic", _ ("Back"));

  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  studio_add_classes (button, "flat", NULL);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_back), self);
  self->bar = studio_row (0, button, NULL);
  studio_add_classes (self->bar, "toolbar", NULL);
  gtk_widget_set_visible (self->bar, FALSE);
  gtk_widget_set_parent (self->bar, GTK_WIDGET (self));
}

void
studio_fold_show_last (StudioFold *self, gboolean last)
{
  self->last = last;
  if (self->folded)
    show_parts (self);
}

void
studio_fold_open (StudioFold *self)
{
  studio_fold_show_last (self, TRUE);
}
