/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/recipe/preset-chooser.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

struct _StudioPresetChooser
{
  AdwBin parent_instance;
  GtkWidget *button, *name, *sentence, *list, *time[TOSST_N_PRESETS], *mark[TOSST_N_PRESETS];
};

G_DEFINE_FINAL_TYPE (StudioPresetChooser, studio_preset_chooser, ADW_TYPE_BIN)

static void
studio_preset_chooser_class_init (StudioPresetChooserClass *klass)
{
  studio_add_signal (klass, "chosen", 1, G_TYPE_UINT);
  studio_add_signal (klass, "opened", 0);
}

static void
on_row (StudioPresetChooser *self, GtkListBoxRow *row)
{
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->button));
  g_signal_emit_by_name (self, "chosen", (guint)gtk_list_box_row_get_index (row));
}

static void
on_popover (GtkMenuButton *button, gpointer data)
{
  studio_hold_size (((StudioPresetChooser *)data)->list);
}

/* Times of before may be of other images. */
static void
on_show (StudioPresetChooser *self)
{
  for (int i = 0; i < TOSST_N_PRESETS; i++)
    gtk_label_set_label (GTK_LABEL (self->time[i]), _ ("estimating…"));
  g_signal_emit_by_name (self, "opened");
}

static GtkWidget *
row_new (StudioPresetChooser *self, TosstPreset preset)
{
  GtkWidget *row = gtk_list_box_row_new (), *mark = gtk_image_new_from_icon_name ("object-select-symbolic");
  GtkWidget *title = studio_label (_ (tosst_preset_label (preset)), "heading", NULL);
  GtkWidget *time = studio_label (NULL, "dim-label", "numeric", NULL);
  GtkWidget *help = studio_label (_ (tosst_preset_help (preset)), "caption", "dim-label", NULL);
  GtkWidget *column;

  gtk_widget_set_hexpand (time, TRUE);
  gtk_widget_set_halign (time, GTK_ALIGN_END);
  g_object_set (help, "wrap", TRUE, "max-width-chars", 40, NULL);
  column = studio_column (2, studio_row (8, title, mark, time, NULL), help, NULL);
  g_object_set (column, "margin-start", 8, "margin-end", 8, "margin-top", 6, "margin-bottom", 6, NULL);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), column);
  studio_set_name (row, _ (tosst_preset_label (preset)));
  studio_set_description (row, _ (tosst_preset_help (preset)));
  self->time[preset] = time;
  self->mark[preset] = mark;
  return row;
}

static void
studio_preset_chooser_init (StudioPresetChooser *self)
{
  GtkWidget *popover = gtk_popover_new (), *title = studio_label (_ ("Preset"), NULL);
  GtkWidget *line, *arrow = gtk_image_new_from_icon_name ("pan-down-symbolic");

  self->list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->list), GTK_SELECTION_NONE);
  for (int i = 0; i < TOSST_N_PRESETS; i++)
    gtk_list_box_append (GTK_LIST_BOX (self->list), row_new (self, i));
  g_signal_connect_swapped (self->list, "row-activated", G_CALLBACK (on_row), self);
  gtk_popover_set_child (GTK_POPOVER (popover), self->list);
  g_signal_connect_swapped (popover, "show", G_CALLBACK (on_show), self);

  self->name = studio_label (NULL, NULL);
  g_object_set (self->name, "ellipsize", PANGO_ELLIPSIZE_END, "hexpand", TRUE, "xalign", 1.0, NULL);
  gtk_widget_add_css_class (title, "dim-label");
  self->button = gtk_menu_button_new ();
  line = studio_row (8, title, self->name, arrow, NULL);
  gtk_menu_button_set_child (GTK_MENU_BUTTON (self->button), line);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->button), popover);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (self->button), on_popover, self, NULL);
  gtk_widget_set_tooltip_text (self->button, _ ("Values for the images at hand"));
  self->sentence = studio_label (NULL, "caption", "dim-label", NULL);
  /* Beside the view it does not make the column wider, and before it neither. */
  g_object_set (self->sentence, "wrap", TRUE, "max-width-chars", 44, "margin-start", 6, "margin-end", 6, NULL);
  adw_bin_set_child (ADW_BIN (self), studio_column (4, self->button, self->sentence, NULL));
}

void
studio_preset_chooser_show (StudioPresetChooser *self, TosstPreset preset, gboolean changed, const char *sentence)
{
  const char *label = preset < TOSST_N_PRESETS ? _ (tosst_preset_label (preset)) : C_ ("preset", "None");
  g_autofree char *name
      = preset < TOSST_N_PRESETS && changed ? g_strdup_printf (_ ("%s, with your changes"), label) : g_strdup (label);
  g_autofree char *accessible = g_strdup_printf (_ ("Preset: %s"), name);

  gtk_label_set_label (GTK_LABEL (self->name), name);
  studio_set_name (self->button, accessible);
  studio_label_show_problem (self->sentence, sentence);
  for (TosstPreset i = 0; i < TOSST_N_PRESETS; i++)
    gtk_widget_set_visible (self->mark[i], i == preset);
}

void
studio_preset_chooser_set_time (StudioPresetChooser *self, TosstPreset preset, double seconds)
{
  g_autofree char *text = isfinite (seconds) ? studio_format_rough_duration (seconds) : NULL;

  /* Translators: a duration */
  studio_label_take (self->time[preset], text != NULL ? g_strdup_printf (_ ("about %s"), text) : g_strdup (""));
}

const char *
studio_preset_chooser_get_time (StudioPresetChooser *self, TosstPreset preset)
{
  return gtk_label_get_label (GTK_LABEL (self->time[preset]));
}
