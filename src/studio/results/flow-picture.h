/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/widgets/image-loader.h"

/* Pictures of images in rows that wrap. */

GtkWidget *studio_flow_new (const char *name); /* a GtkFlowBox; name: for screen readers */
/* text: tooltip and accessible name; caption: below the picture, or NULL. The item is loaded. */
void studio_flow_add_picture (GtkFlowBox *box, StudioImageLoader *loader, StudioImageItem *item, const char *text,
                              const char *caption);
StudioImageItem *studio_flow_child_get_item (GtkFlowBoxChild *child);
void studio_flow_clear (GtkFlowBox *box, StudioImageLoader *loader);

/* Side of a picture in pixels of the window, and distance of two. */
#define STUDIO_FLOW_SIDE 56
#define STUDIO_FLOW_GAP 6
