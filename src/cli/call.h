/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdio.h>

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "core/recipe/recipe.h"
#include "engine/base/context.h"

/* A command line taken apart, and what commands share: recipe, context, output. */

/* Wrong usage, exit status 2; any other error is 1, or 130 when the user interrupted. */
#define CLI_USAGE_ERROR (cli_usage_error_quark ())
GQuark cli_usage_error_quark (void);

typedef struct
{
  const char *name;     /* without dashes */
  char letter;          /* or 0 */
  const char *argument; /* what help calls it: "FILE"; NULL for a flag */
  const char *help;     /* N_() */
  gboolean required;
} CliOption;

/* The store of runs where none is named, in the folder at hand. */
#define CLI_DEFAULT_STORE "runs.sqlite"

typedef struct CliCall CliCall;

typedef struct
{
  const char *name, *operands; /* "IMAGE..." */
  const char *summary;         /* N_() */
  const CliOption *options;    /* ends with a NULL name */
  const char *const *groups;   /* of parameters that --set may be useful for; NULL-terminated, or NULL */
  guint minimum, maximum;      /* operands */
  gboolean (*run) (CliCall *call, GError **error);
} CliCommand;

extern const CliOption cli_common_options[];
/* The one that a word of the command line ("--threads=2", "-q") means, or NULL. */
const CliOption *cli_common_option (const char *word);

/* Options may stand before, between and after operands. */
CliCall *cli_call_parse (const CliCommand *command, int argc, char **argv, GError **error);
void cli_call_free (CliCall *call);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliCall, cli_call_free)

const CliCommand *cli_call_command (CliCall *call);
gboolean cli_call_flag (CliCall *call, const char *name);
const char *cli_call_value (CliCall *call, const char *name); /* NULL when not given */
GFile *cli_call_file (CliCall *call, const char *name);       /* new; NULL when not given */
guint cli_call_operands (CliCall *call);
const char *cli_call_operand (CliCall *call, guint i);
gboolean cli_call_quiet (CliCall *call);
gboolean cli_call_has_settings (CliCall *call);
/* Whether --set names this key. */
gboolean cli_call_sets (CliCall *call, const char *key);

/* Hands what --set says to set, in order. A key or value that cannot be is wrong usage. */
typedef gboolean (*CliSetter) (gpointer target, const char *name, const char *value, GError **error);
gboolean cli_call_apply_settings (CliCall *call, CliSetter set, gpointer target, GError **error);

/* A copy of base (NULL: the defaults), or the recipe file at path if that is not NULL; then --set in order, then
 * --seed. */
TosstRecipe *cli_call_recipe (CliCall *call, const char *path, const TosstRecipe *base, GError **error);

/* Made when first asked for, with --threads; cancelled by an interrupt. Owned by the call. */
TosstContext *cli_call_context (CliCall *call);
int cli_call_threads (CliCall *call);

/* Fails unless every output that was named can be written and is neither another output nor what the command reads:
 * options, NULL-terminated, are all of its outputs. */
gboolean cli_call_check_outputs (CliCall *call, const char *const *options, GError **error);
/* By whatever names: a link and what it points to are one file. */
gboolean cli_is_same_file (GFile *a, GFile *b);

/* Prints what may hold texts of files: control characters, which a terminal obeys, as U+FFFD. */
void cli_print (FILE *stream, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* One line of standard error, "tosst: what: why", whatever the two hold. */
void cli_print_problem (const char *what, const char *why);

/* With --json the object on one line, else text unless --quiet. Takes the object. */
void cli_call_result (CliCall *call, JsonObject *object, const char *text);

char *cli_json_text (JsonObject *object, gboolean pretty);
/* Writes the object to file as tosst_atomic_keep() does. Takes it. */
gboolean cli_write_json (JsonObject *object, GFile *file, GError **error);
/* The same with a text, to the file that the option names, if it was given. */
gboolean cli_keep_text (CliCall *call, const char *option, const char *text, GError **error);

/* What --at says: "X,Y", both at least 0. */
gboolean cli_parse_at (const char *text, int *x, int *y, GError **error);

gboolean cli_usage_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* For what a word of the command line brought about: wrong usage where the cause is a key, a value or a name that cannot
 * be, else the cause. Takes it. */
gboolean cli_usage_from (GError **error, GError *cause);
/* For what was interrupted before anything could be kept. */
gboolean cli_fail_interrupted (GError **error);
