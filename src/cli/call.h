/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <glib.h>
#include <stdio.h>

#include "core/base/json-text.h"
#include "core/recipe/recipe.h"
#include "tosst/context.h"

/* A parsed command line, and resources common to all commands: recipe, context, output. */

/* Wrong usage, exit status 2; other errors have status 1, or 130 after an interrupt. */
#define CLI_USAGE_ERROR (cli_usage_error_quark ())
GQuark cli_usage_error_quark (void);

typedef struct
{
  const char *name;     /* without dashes */
  char letter;          /* short option, or 0 */
  const char *argument; /* name of the argument in help: "FILE"; NULL for a flag */
  const char *help;     /* N_() */
  gboolean required;
} CliOption;

/* Options of commands that write pictures. */
#define CLI_FIGURE_OPTIONS                                                                                             \
  { "figure-width", 0, "MM", N_ ("Width of pictures, as 84mm, column (84) or page (174)") },                           \
      { "font-size", 0, "PT", N_ ("Size of letters in pictures (default: 8 in charts)") },                             \
      { "font", 0, "FAMILY", N_ ("Family of letters in pictures (default: Sans)") },                                   \
  {                                                                                                                    \
    "no-title", 0, NULL, N_ ("Leave out the titles of pictures")                                                       \
  }

/* Default store of runs, in the current folder. */
#define CLI_DEFAULT_STORE "runs.sqlite"

typedef struct
{
  const struct CliCommand *command;
  GHashTable *values;   /* option name to its text; "" for flags */
  GPtrArray *settings;  /* arguments of --set */
  const char **operand; /* words of the command line */
  guint operands;       /* number of them */
  int threads;
  guint64 seed;
  TosstContext *context; /* of cli_call_context() */
} CliCall;

typedef struct CliCommand
{
  const char *name, *operands; /* "IMAGE..." */
  const char *summary;         /* N_() */
  const CliOption *options;    /* ends with a NULL name */
  const char *const *groups;   /* groups of parameters that are useful with --set; NULL-terminated, or NULL */
  guint minimum, maximum;      /* number of operands */
  gboolean (*run) (CliCall *call, GError **error);
  gboolean in_ranks; /* can be divided over processes: ranks.h */
} CliCommand;

extern const CliCommand cli_describe, cli_features, cli_learn, cli_code, cli_classify, cli_cluster, cli_compare,
    cli_predict, cli_export, cli_rank, cli_sparsify, cli_recipe, cli_report, cli_reproduce, cli_runs, cli_sweep,
    cli_textures, cli_completion, cli_doctor;
/* All of them, NULL-terminated, in the order of help. */
extern const CliCommand *const cli_commands[];

const CliCommand *cli_command_find (const char *name); /* NULL: there is none */

extern const char *const cli_all_groups[]; /* of commands with runs: of CliCommand */
extern const CliOption cli_common_options[];
/* The option of the command (NULL: none of its own), or the common one, of a word of the command line ("--threads=2",
 * "-q"); else NULL. */
const CliOption *cli_option_find (const CliCommand *command, const char *word);
/* Prints what may stand at the end of a command line, whose last word is begun (command-completion.c). */
void cli_complete (int n, char **words);

/* Parses a command line. Options may be before, between and after operands. Returns a new call, or NULL with error. */
CliCall *cli_call_parse (const CliCommand *command, int argc, char **argv, GError **error);
void cli_call_free (CliCall *call);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliCall, cli_call_free)

gboolean cli_call_flag (CliCall *call, const char *name);
const char *cli_call_value (CliCall *call, const char *name); /* NULL if not given */
GFile *cli_call_file (CliCall *call, const char *name);       /* new; NULL if not given */

/* Passes the values of --set to the setter, in order. An invalid key or value is a usage error. */
typedef gboolean (*CliSetter) (gpointer target, const char *name, const char *value, GError **error);
gboolean cli_call_apply_settings (CliCall *call, CliSetter set, gpointer target, GError **error);

/* Returns a copy of base (NULL: the defaults), or the recipe file at path if that is not NULL, with --set applied in
 * order, then --seed, then an implied kind. NULL with error. */
TosstRecipe *cli_call_recipe (CliCall *call, const char *path, const TosstRecipe *base, GError **error);

/* A path without a kind implies one (tosst_dataset_imply_kind()), which is said on standard error unless --quiet. */
void cli_call_imply_kind (CliCall *call, TosstRecipe *recipe);

/* The context of the call, created on first use with --threads; cancelled by an interrupt. Owned by the call. */
TosstContext *cli_call_context (CliCall *call);
/* Without --threads: shares the processors among this many processes of the machine, unless their launcher does. */
void cli_call_share_processors (CliCall *call, int processes);

/* Fails unless every given output can be written and differs from the other outputs and from the inputs. options,
 * NULL-terminated: all output options of the command. */
gboolean cli_call_check_outputs (CliCall *call, const char *const *options, GError **error);
/* Whether both are the same file; a link and its target are. */
gboolean cli_is_same_file (GFile *a, GFile *b);

/* Prints text that may come from files: control characters, which affect a terminal, become U+FFFD. */
void cli_print (FILE *stream, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Prints one line to standard error, "tosst: what: why", with line ends in both replaced. */
void cli_print_problem (const char *what, const char *why);

/* Prints the object on one line with --json, else text unless --quiet. Takes the object. */
void cli_call_result (CliCall *call, JsonObject *object, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Writes the object to a file, as tosst_atomic_keep(). Takes the object. */
gboolean cli_write_json (JsonObject *object, GFile *file, GError **error);
/* Writes a text to the file of the option, if given, as tosst_atomic_keep(). */
gboolean cli_keep_text (CliCall *call, const char *option, const char *text, GError **error);

/* Parses the value of --at: "X,Y", both at least 0. */
gboolean cli_parse_at (const char *text, int *x, int *y, GError **error);

gboolean cli_usage_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Reports an error caused by the command line: a usage error for an invalid key, value or name, else cause itself.
 * Takes cause. */
gboolean cli_usage_from (GError **error, GError *cause);
/* Reports an interrupt before any result was saved. */
gboolean cli_fail_interrupted (GError **error);
/* As tosst_error_from_status(), with the sentence of cli_fail_interrupted(). */
gboolean cli_check_status (TosstContext *context, const char *what, TosstStatus status, GError **error);

/* Prints help to standard output, from the tables of commands and parameters. */
void cli_help_program (const CliCommand *const *commands); /* NULL-terminated */
void cli_help_command (const CliCommand *command);
void cli_help_parameter (const TosstParameter *parameter);

/* Handles SIGINT, SIGTERM, SIGHUP and SIGUSR1, which schedulers send before the end of a job's time and which never
 * insists: others may come with it. The first signal ends the program: immediately if nothing is being computed;
 * within half a second if a context is watched, which is cancelled; with cli_interrupt_hold(), after the finished
 * results are saved. The second signal ends it immediately, without partially written files. The exit status is 130. */
void cli_interrupt_install (void);
void cli_interrupt_name (const char *command); /* for the message; static string */
void cli_interrupt_launched (void); /* further signals of the launcher and its scheduler are the first one's copies */
void cli_interrupt_silence (gboolean silent);     /* no message of an interrupt: another process prints it */
void cli_interrupt_watch (TosstContext *context); /* NULL: none */
/* Sets whether the command saves its finished results after its context is cancelled. While it is set, the command
 * must check the context often. */
void cli_interrupt_hold (gboolean held);
/* Exits from any thread with an error message and without partially written files. */
void cli_interrupt_fail (const char *why) G_GNUC_NORETURN;
gboolean cli_interrupted (void);
gboolean cli_interrupt_is_urgent (void); /* by a signal that a launcher follows with SIGKILL: not SIGUSR1 alone */

/* A progress line on standard error with bar, rate and remaining time; only if that is a terminal. */
typedef struct CliProgress CliProgress;

/* total: number of items of the whole, called unit ("tensors"); 0: no rate is shown. */
CliProgress *cli_progress_new (CliCall *call, const char *what, gsize total, const char *unit);
void cli_progress_free (CliProgress *self); /* clears the line */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliProgress, cli_progress_free)

/* Maps the progress of the next engine calls on context to the range from low to high of the whole. */
void cli_progress_span (CliProgress *self, TosstContext *context, double low, double high);
void cli_progress_set (CliProgress *self, double fraction);
/* Sets the fraction, with the remaining seconds estimated by the caller; < 0: unknown. */
void cli_progress_set_left (CliProgress *self, double fraction, double seconds_left);
void cli_progress_set_what (CliProgress *self, const char *what);
/* Clears the line before other output; the next report draws it again. */
void cli_progress_wipe (CliProgress *self);

/* Commands that take a folder of images in place of a recipe. */

/* The row of --preset for the options of such a command. */
#define CLI_PRESET_OPTION                                                                                              \
  {                                                                                                                    \
    "preset", 0, "NAME",                                                                                               \
        N_ ("Values for the images at hand: quick, balanced (the default for a folder), best or tensors; --set "       \
            "changes them")                                                                                            \
  }

/* Whether an operand names a folder of images, or a table of labels, instead of a recipe. */
gboolean cli_is_folder (const char *operand);

/* The recipe of an operand (NULL: none): that of a file, or for a folder the preset of --preset and of its images, with
 * --set applied last. Says in one line on standard error what was chosen, unless --quiet. NULL with error. */
TosstRecipe *cli_folder_recipe (CliCall *call, const char *operand, GError **error);
