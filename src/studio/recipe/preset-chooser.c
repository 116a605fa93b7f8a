/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/recipe/preset-chooser.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

typedef enum
{
  METHOD,
  EFFORT,
  N_CHOICES
} Choice;

struct _StudioPresetChooser
{
  AdwBin parent_instance;
  TosstPreset preset; /* TOSST_N_PRESETS: none */
  GtkWidget *button[N_CHOICES], *name[N_CHOICES], *list[N_CHOICES];
  GtkWidget *time[TOSST_N_EFFORTS], *sentence;
};

G_DEFINE_FINAL_TYPE (StudioPresetChooser, studio_preset_chooser, ADW_TYPE_BIN)

static void
studio_preset_chooser_class_init (StudioPresetChooserClass *klass)
{
  studio_add_signal (klass, "chosen", 1, G_TYPE_UINT);
  studio_add_signal (klass, "opened", 0);
}

/* Without a preset: the first method, and the balanced effort. */
static guint
chosen (StudioPresetChooser *self, Choice choice)
{
  TosstPreset preset = self->preset < TOSST_N_PRESETS ? self->preset : TOSST_PRESET_BALANCED;

  return choice == METHOD ? preset / TOSST_N_EFFORTS : preset % TOSST_N_EFFORTS;
}

static void
on_row (GtkListBox *list, GtkListBoxRow *row, StudioPresetChooser *self)
{
  guint index = (guint)gtk_list_box_row_get_index (row);
  gboolean method = GTK_WIDGET (list) == self->list[METHOD];

  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->button[method ? METHOD : EFFORT]));
  g_signal_emit_by_name (self, "chosen",
                         (method ? index : chosen (self, METHOD)) * TOSST_N_EFFORTS
                             + (method ? chosen (self, EFFORT) : index));
}

static void
on_popover (GtkMenuButton *button, gpointer list)
{
  studio_hold_size (list);
}

/* Times of before may be of other images. */
static void
on_show_efforts (StudioPresetChooser *self)
{
  for (int i = 0; i < TOSST_N_EFFORTS; i++)
    gtk_label_set_label (GTK_LABEL (self->time[i]), _ ("estimating…"));
  g_signal_emit_by_name (self, "opened");
}

/* The sentence is a tooltip of a method for comparison. time: a label beside the title; or NULL. */
static GtkWidget *
row_new (const char *label, const char *sentence, gboolean brief, GtkWidget *time)
{
  GtkWidget *row = gtk_list_box_row_new (), *mark = gtk_image_new_from_icon_name ("object-select-symbolic");
  GtkWidget *title = studio_label (label, brief ? NULL : "heading", NULL);
  GtkWidget *help = studio_label (sentence, "caption", "dim-label", NULL), *column;

  g_object_set (title, "wrap", TRUE, "max-width-chars", 44, NULL);
  g_object_set (help, "wrap", TRUE, "max-width-chars", 52, NULL);
  if (brief)
    gtk_widget_set_tooltip_text (row, sentence);
  gtk_widget_set_visible (help, !brief);
  column = studio_column (2, studio_row (8, title, mark, time, NULL), help, NULL);
  g_object_set (column, "margin-start", 8, "margin-end", 8, "margin-top", 6, "margin-bottom", 6, NULL);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), column);
  studio_set_name (row, label);
  studio_set_description (row, sentence);
  g_object_set_data (G_OBJECT (row), "mark", mark);
  return row;
}

static GtkWidget *
choice_new (StudioPresetChooser *self, Choice choice, const char *title, const char *tooltip)
{
  GtkWidget *popover = gtk_popover_new (), *list = gtk_list_box_new (), *button = gtk_menu_button_new ();
  GtkWidget *name = studio_label (NULL, NULL), *arrow = gtk_image_new_from_icon_name ("pan-down-symbolic");

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  g_signal_connect (list, "row-activated", G_CALLBACK (on_row), self);
  gtk_popover_set_child (GTK_POPOVER (popover), list);
  g_object_set (name, "ellipsize", PANGO_ELLIPSIZE_END, "hexpand", TRUE, "xalign", 1.0, NULL);
  gtk_menu_button_set_child (GTK_MENU_BUTTON (button),
                             studio_row (8, studio_label (title, "dim-label", NULL), name, arrow, NULL));
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (button), on_popover, list, NULL);
  gtk_widget_set_tooltip_text (button, tooltip);
  self->list[choice] = list;
  self->name[choice] = name;
  self->button[choice] = button;
  return button;
}

static void
studio_preset_chooser_init (StudioPresetChooser *self)
{
  GtkWidget *method = choice_new (self, METHOD, _ ("Method"), _ ("From an image to its class"));
  GtkWidget *effort = choice_new (self, EFFORT, _ ("Effort"), _ ("Values for the images at hand"));
  const char *label, *help;

  for (int i = 0; i < TOSST_N_PRESET_METHODS; i++)
    {
      label = tosst_preset_method (i, &help);
      gtk_list_box_append (GTK_LIST_BOX (self->list[METHOD]), row_new (_ (label), _ (help), i > 1, NULL));
    }
  for (int i = 0; i < TOSST_N_EFFORTS; i++)
    {
      self->time[i] = studio_label (NULL, "dim-label", "numeric", NULL);
      g_object_set (self->time[i], "hexpand", TRUE, "halign", GTK_ALIGN_END, NULL);
      label = tosst_preset_effort (i, &help);
      gtk_list_box_append (GTK_LIST_BOX (self->list[EFFORT]), row_new (_ (label), _ (help), FALSE, self->time[i]));
    }
  g_signal_connect_swapped (gtk_menu_button_get_popover (GTK_MENU_BUTTON (effort)), "show",
                            G_CALLBACK (on_show_efforts), self);
  self->sentence = studio_label (NULL, "caption", "dim-label", NULL);
  /* Beside the view it does not make the column wider, and before it neither. */
  g_object_set (self->sentence, "wrap", TRUE, "max-width-chars", 44, "margin-start", 6, "margin-end", 6, NULL);
  adw_bin_set_child (ADW_BIN (self), studio_column (4, method, effort, self->sentence, NULL));
}

static void
show_choice (StudioPresetChooser *self, Choice choice, const char *label, const char *accessible)
{
  GtkListBoxRow *row;
  g_autofree char *name = g_strdup_printf (accessible, label);

  gtk_label_set_label (GTK_LABEL (self->name[choice]), label);
  gtk_widget_set_tooltip_text (self->name[choice], label); /* if cut short */
  studio_set_name (self->button[choice], name);
  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list[choice]), i)) != NULL; i++)
    gtk_widget_set_visible (g_object_get_data (G_OBJECT (row), "mark"),
                            self->preset < TOSST_N_PRESETS && chosen (self, choice) == (guint)i);
}

void
studio_preset_chooser_show (StudioPresetChooser *self, TosstPreset preset, gboolean changed, gboolean learns,
                            const char *sentence)
{
  gboolean none = preset >= TOSST_N_PRESETS;
  const char *help, *method, *effort;
  g_autofree char *with_changes = NULL;

  self->preset = preset;
  method = none && !learns ? _ ("Own values") : _ (tosst_preset_method ((int)chosen (self, METHOD), &help));
  effort = none ? _ ("Own values") : _ (tosst_preset_effort ((int)chosen (self, EFFORT), &help));
  if (changed && !none)
    effort = with_changes = g_strdup_printf (_ ("%s, with your changes"), effort);
  show_choice (self, METHOD, method, _ ("Method: %s"));
  show_choice (self, EFFORT, effort, _ ("Effort: %s"));
  studio_label_show_problem (self->sentence, sentence);
}

void
studio_preset_chooser_set_time (StudioPresetChooser *self, TosstPreset preset, double seconds)
{
  g_autofree char *text = isfinite (seconds) ? studio_format_rough_duration (seconds) : NULL;

  if (preset / TOSST_N_EFFORTS != chosen (self, METHOD))
    return;
  /* Translators: a duration */
  studio_label_take (self->time[preset % TOSST_N_EFFORTS],
                     text != NULL ? g_strdup_printf (_ ("about %s"), text) : g_strdup (""));
}

const char *
studio_preset_chooser_get_time (StudioPresetChooser *self, int effort)
{
  return gtk_label_get_label (GTK_LABEL (self->time[effort]));
}
