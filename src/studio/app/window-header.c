/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the header bar shows in a window of this width, and where the switcher of views is. */

#include "studio/app/window-private.h"

#include <glib/gi18n.h>

#define WIDE_WINDOW 1500   /* pixels: width with space for progress, and perhaps for names beside icons */
#define NAMES_MARGIN 24    /* around the names of views, pixels */
#define NAME_PADDING 12    /* and within the button of each */
#define RECIPE_WINDOW 1080 /* pixels: below it the recipe covers the view instead of standing beside it */
#define BOTTOM_SIZE 0.75   /* of the letters at the bottom relative to others */
#define BOTTOM_PADDING 20  /* pixels around a name there */
#define NAME_SIZE 0.45     /* of a name at the bottom of a compact window relative to a usual bold one */
#define NAME_GAP 6         /* pixels between names there */
#define COMPACT_WINDOW 640 /* pixels: below it buttons of the header bar have icons only */
#define NARROW_STAGE 16    /* characters for the stage of a run in a window below that width, and from it on */
#define WIDE_STAGE 26

/* A narrow window has its view switcher at the bottom; a window without views has none. */
void
studio_window_show_switcher (StudioWindow *self)
{
  AdwViewSwitcherTitle *title = ADW_VIEW_SWITCHER_TITLE (self->view_title);

  if (self->bottom_switcher == NULL || gtk_widget_in_destruction (GTK_WIDGET (self)))
    return;
  adw_view_switcher_bar_set_reveal (
      ADW_VIEW_SWITCHER_BAR (self->bottom_switcher),
      adw_view_switcher_title_get_view_switcher_enabled (title)
          && (adw_view_switcher_title_get_title_visible (title) || !gtk_widget_get_visible (self->view_title)));
}

static GtkWidget *
find_below (GtkWidget *widget, GType type)
{
  GtkWidget *found = g_type_is_a (G_OBJECT_TYPE (widget), type) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_below (child, type);
  return found;
}

static int
natural_width (GtkWidget *widget)
{
  int width;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  return width;
}

/* The widest box of icon and name: "narrow", in which the name is below the icon, or "wide", in which it is beside it. */
static int
widest_name (GtkWidget *widget, const char *kind)
{
  int widest = GTK_IS_BOX (widget) && gtk_widget_has_css_class (widget, kind) ? natural_width (widget) : 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    widest = MAX (widest, widest_name (child, kind));
  return widest;
}

/* Whether the names, of that kind, have space between the buttons of the header bar. */
static gboolean
names_fit (StudioWindow *self, GtkWidget *switcher, const char *kind)
{
  GtkWidget *bar = gtk_widget_get_ancestor (self->view_title, ADW_TYPE_HEADER_BAR);
  int n = 0, space = gtk_widget_get_width (bar) - natural_width (gtk_widget_get_parent (self->run_button))
                     - natural_width (gtk_widget_get_parent (self->menu_button)) - NAMES_MARGIN;

  for (GtkWidget *child = gtk_widget_get_first_child (switcher); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += gtk_widget_get_visible (child);
  return space >= n * (widest_name (switcher, kind) + NAME_PADDING);
}

/* The sum over all views of the widest name at the bottom: of size relative to usual bold letters, whichever it has now,
 * and with so many pixels around it. */
static gboolean
bottom_names_fit (StudioWindow *self, double size, int padding)
{
  g_autoptr (GtkSelectionModel) pages = adw_view_stack_get_pages (ADW_VIEW_STACK (self->views));
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), NULL);
  PangoFontDescription *font
      = pango_font_description_copy (pango_context_get_font_description (pango_layout_get_context (layout)));
  int n = 0, widest = 0;

  pango_font_description_set_weight (font, PANGO_WEIGHT_BOLD);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  STUDIO_EACH (AdwViewStackPage, page, pages)
    {
      const char *name = adw_view_stack_page_get_title (page);
      int width;

      pango_layout_set_text (layout, name != NULL ? name : "", -1);
      pango_layout_get_pixel_size (layout, &width, NULL);
      widest = MAX (widest, width);
      n += adw_view_stack_page_get_visible (page);
    }
  return gtk_widget_get_width (GTK_WIDGET (self)) >= n * (size * widest + padding);
}

/* Names at the bottom are smaller where they need it. Long ones would touch each other still, if the margins that
 * libadwaita leaves beside them were not theirs. */
static void
fit_bottom (StudioWindow *self, gboolean compact)
{
  GtkWidget *switcher = find_below (self->bottom_switcher, ADW_TYPE_VIEW_SWITCHER);

  studio_set_class (self->bottom_switcher, "compact", compact || !bottom_names_fit (self, BOTTOM_SIZE, BOTTOM_PADDING));
  studio_set_class (self->bottom_switcher, "dense", !bottom_names_fit (self, NAME_SIZE, NAME_GAP));
  if (switcher == NULL)
    return;
  gtk_widget_set_margin_start (switcher, 0);
  gtk_widget_set_margin_end (switcher, 0);
}

/* Icons instead of words, and the ring alone: the header bar then needs less than 360 pixels. */
static void
set_compact (StudioWindow *self, gboolean compact)
{
  GtkMenuButton *open = GTK_MENU_BUTTON (self->open_button);
  AdwButtonContent *start = ADW_BUTTON_CONTENT (self->start_content);
  gboolean available = gtk_widget_get_visible (self->run_button);

  gtk_widget_set_visible (self->progress_text, !compact);
  studio_set_class (GTK_WIDGET (self), "compact", compact);
  if (self->compare_offer != NULL) /* Results, which the message offers too, has the same button */
    gtk_widget_set_visible (self->compare_offer, !compact);
  fit_bottom (self, compact);
  /* The name of the program is in the list of windows; the bar at the bottom has the views. */
  gtk_widget_set_visible (self->view_title, !compact);
  gtk_widget_set_visible (self->step_button, available && !compact);
  if (compact == (gtk_menu_button_get_icon_name (open) != NULL))
    return;
  studio_window_show_switcher (self);
  adw_header_bar_set_decoration_layout (ADW_HEADER_BAR (self->header_bar), compact ? ":close" : NULL);
  gtk_menu_button_set_always_show_arrow (open, !compact);
  adw_button_content_set_label (start, compact ? "" : _ ("Start"));
  if (compact)
    gtk_menu_button_set_icon_name (open, "folder-open-symbolic");
  else
    gtk_menu_button_set_label (open, _ ("_Open"));
}

/* The header bar has space for the names of views beside their icons only in a wide window; else they are below. Where
 * they do not fit there either, the switcher is at the bottom: libadwaita would hide it later, and cut the names off
 * until then. */
void
studio_window_fit_switcher (StudioWindow *self)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (self));
  gboolean narrow = surface == NULL || gdk_surface_get_width (surface) < WIDE_WINDOW, beside;
  GtkWidget *switcher = find_below (self->view_title, ADW_TYPE_VIEW_SWITCHER),
            *squeezer = find_below (self->view_title, ADW_TYPE_SQUEEZER);

  if (surface != NULL && gdk_surface_get_width (surface) > 0)
    {
      set_compact (self, gdk_surface_get_width (surface) < COMPACT_WINDOW);
      adw_flap_set_fold_policy (ADW_FLAP (self->flap), gdk_surface_get_width (surface) < RECIPE_WINDOW
                                                           ? ADW_FLAP_FOLD_POLICY_ALWAYS
                                                           : ADW_FLAP_FOLD_POLICY_AUTO);
    }
  gtk_label_set_width_chars (GTK_LABEL (self->progress_stage), narrow ? NARROW_STAGE : WIDE_STAGE);
  gtk_label_set_max_width_chars (GTK_LABEL (self->progress_stage), narrow ? NARROW_STAGE : WIDE_STAGE);
  if (switcher == NULL || squeezer == NULL
      || !adw_view_switcher_title_get_view_switcher_enabled (ADW_VIEW_SWITCHER_TITLE (self->view_title)))
    return; /* when it is enabled, this function is called again */
  beside = !narrow && names_fit (self, switcher, "wide");
  adw_view_switcher_set_policy (ADW_VIEW_SWITCHER (switcher),
                                beside ? ADW_VIEW_SWITCHER_POLICY_WIDE : ADW_VIEW_SWITCHER_POLICY_NARROW);
  adw_squeezer_set_switch_threshold_policy (ADW_SQUEEZER (squeezer), beside || names_fit (self, switcher, "narrow")
                                                                         ? ADW_FOLD_THRESHOLD_POLICY_MINIMUM
                                                                         : ADW_FOLD_THRESHOLD_POLICY_NATURAL);
}
