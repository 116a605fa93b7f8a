/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson-widgets.h"
#include "studio/help/lesson.h"

static const struct
{
  const char *name;
  GType (*type) (void);
  void (*set_mode) (GtkWidget *self, const char *mode); /* NULL: there are no modes */
  gboolean (*is_ready) (GtkWidget *self);
} widgets[] = {
  { "patch", studio_lesson_patch_get_type, studio_lesson_patch_set_mode, studio_lesson_patch_is_ready },
  { "steps", studio_lesson_steps_get_type, studio_lesson_steps_set_mode, studio_lesson_steps_is_ready },
  { "code", studio_lesson_code_get_type, studio_lesson_code_set_mode, studio_lesson_code_is_ready },
  { "rank", studio_lesson_rank_get_type, NULL, studio_lesson_rank_is_ready },
  { "atoms", studio_lesson_atoms_view_get_type, NULL, studio_lesson_atoms_view_is_ready },
  { "overfit", studio_lesson_overfit_get_type, studio_lesson_overfit_set_mode, studio_lesson_overfit_is_ready },
};

GtkWidget *
studio_lesson_widget_new (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (widgets); i++)
    if (g_strcmp0 (widgets[i].name, name) == 0)
      return g_object_new (widgets[i].type (), NULL);
  return NULL;
}

void
studio_lesson_widget_set_mode (GtkWidget *widget, const char *mode)
{
  for (guint i = 0; i < G_N_ELEMENTS (widgets); i++)
    if (G_OBJECT_TYPE (widget) == widgets[i].type () && widgets[i].set_mode != NULL)
      widgets[i].set_mode (widget, mode);
}

gboolean
studio_lesson_widget_is_ready (GtkWidget *widget)
{
  for (guint i = 0; i < G_N_ELEMENTS (widgets); i++)
    if (G_OBJECT_TYPE (widget) == widgets[i].type ())
      return widgets[i].is_ready (widget);
  return FALSE;
}
