/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/base/context.h"
#include "studio/inspect/code.h"

G_BEGIN_DECLS

/* What the thread of a StudioRecoder does: answers one question after the other and keeps what the next may need again:
 * the pixels of the image, the tensor of the patch, the atoms in use and their codes. One thread at a time. */
typedef struct StudioCodeSession StudioCodeSession;

StudioCodeSession *studio_code_session_new (TosstContext *context); /* the context outlives it */
void studio_code_session_free (StudioCodeSession *self);
/* NULL when the context was cancelled. */
StudioCode *studio_code_session_answer (StudioCodeSession *self, const StudioCodeQuestion *question);

G_END_DECLS
