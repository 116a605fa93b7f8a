/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <glib/gi18n.h>

#include "cli/call.h"
#include "core/data/textures.h"

static gboolean
run (CliCall *call, GError **error)
{
  const char *path = call->operand[0];
  g_autoptr (GFile) folder = g_file_new_for_commandline_arg (path);

  if (!tosst_textures_write (folder, cli_call_flag (call, "grey"), error))
    return FALSE;
  JsonObject *object
      = TOSST_JSON (("folder", path), ("classes", TOSST_TEXTURES), ("images", TOSST_TEXTURES * TOSST_TEXTURE_IMAGES));
  cli_call_result (call, object, _ ("%u classes of %u textures, %d × %d pixels each, written to %s"), TOSST_TEXTURES,
                   TOSST_TEXTURE_IMAGES, TOSST_TEXTURE_SIZE, TOSST_TEXTURE_SIZE, path);
  return TRUE;
}

static const CliOption options[] = {
  { "grey", 0, NULL, N_ ("Write grey images instead of coloured ones") },
  { NULL },
};

const CliCommand cli_textures
    = { "textures", "FOLDER", N_ ("Write the procedural sample textures"), options, NULL, 1, 1, run };
