/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/predict/predict-export.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "studio/tasks/background-write.h"

static const StudioSaveKind exports[] = { { "map", N_ ("Export Map"), "map.png", "png svg pdf" },
                                          { "predictions", N_ ("Export Predictions"), "predictions.csv", "csv" } };

gboolean
studio_predict_can_export (const StudioMapPicture *picture, GListModel *items, const char *kind)
{
  return strcmp (kind, "map") == 0 ? picture->map != NULL : studio_predict_items_count (items, STUDIO_PREDICT_DONE) > 0;
}

static void
on_written (GObject *object, GFile *file, const char *problem)
{
  g_autofree char *base = g_file_get_basename (file), *name = g_filename_display_name (base);

  g_signal_emit_by_name (object, "exported", name, problem);
}

static gboolean
write_text (gpointer text, GFile *file, GError **error)
{
  return tosst_atomic_write (file, text, strlen (text), error);
}

void
studio_predict_export (GObject *view, const StudioMapPicture *picture, GListModel *items, const TosstModel *model,
                       const char *kind, GFile *file)
{
  if (strcmp (kind, "map") == 0)
    studio_write_in_background (file, studio_map_picture_write, studio_map_picture_copy (picture),
                                studio_map_picture_free, view, on_written);
  else
    studio_write_in_background (file, write_text, studio_predict_items_to_csv (items, model), g_free, view, on_written);
}

void
studio_predict_export_dialog (GtkWidget *view, const char *kind, StudioSaveChosen chosen)
{
  studio_save_dialog (view, exports, G_N_ELEMENTS (exports), kind, chosen);
}
