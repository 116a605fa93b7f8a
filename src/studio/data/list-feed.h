/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Feeds two list stores a few items at a time while the main loop is idle, the first store first: the rows of a long list
 * would take longer than a frame. Main thread. */
typedef struct StudioListFeed StudioListFeed;

StudioListFeed *studio_list_feed_new (GListStore *first, GListStore *second); /* holds both */
void studio_list_feed_free (StudioListFeed *self);
/* Replaces the contents of store 0 or 1 by items (GObject), taken. */
void studio_list_feed_set (StudioListFeed *self, int store, GPtrArray *items);
gboolean studio_list_feed_some (StudioListFeed *self, int store); /* a few items at once; FALSE: none is left */
void studio_list_feed_stop (StudioListFeed *self);                /* forgets the items that are not in the stores yet */
