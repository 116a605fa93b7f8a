/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/settings/presenter.h"

#include "studio/settings/state.h"

#define LARGER 1.3

static gboolean presenting;

/* The text of all widgets follows the resolution, and so do charts and formulas, which use the text size. */
static void
set_resolution (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  static int usual; /* 0: not yet known */

  if (usual == 0)
    {
      g_object_get (settings, "gtk-xft-dpi", &usual, NULL);
      usual = usual > 0 ? usual : 96 * 1024;
    }
  int dpi = presenting ? (int)(usual * LARGER) : usual;
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
}

void
studio_presenter_set (gboolean present)
{
  static GtkCssProvider *provider;
  GdkDisplay *display = gdk_display_get_default ();

  if (presenting == present)
    return;
  presenting = present;
  if (provider == NULL)
    {
      provider = gtk_css_provider_new ();
      gtk_css_provider_load_from_resource (provider, "/io/github/tosst/Studio/presenter.css");
    }
  if (presenting)
    gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (provider),
                                                GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
  else
    gtk_style_context_remove_provider_for_display (display, GTK_STYLE_PROVIDER (provider));
  set_resolution ();
  studio_state_set_flag (STUDIO_PRESENTER, present);
}

gboolean
studio_presenter_get (void)
{
  return presenting;
}
