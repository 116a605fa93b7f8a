/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include <glib/gstdio.h>

#include "cli/call.h"
#include "core/base/base.h"
#include "core/base/json-text.h"
#include "core/data/dataset.h"
#include "core/plot/chart.h"
#include "core/ranks/processes.h"

G_DEFINE_QUARK (cli - usage - error - quark, cli_usage_error)

#define MAX_THREADS 1024

const char *const cli_all_groups[] = { "dataset", "descriptor", "dictionary", "coding", "pooling", "classifier", NULL };
const CliOption cli_common_options[] = {
  { "set", 0, "KEY=VALUE", N_ ("Override a parameter of the recipe; may be repeated") },
  { "threads", 0, "N", N_ ("Number of threads (default: all processors)") },
  { "seed", 0, "N", N_ ("Seed of splits and of learning") },
  { "json", 0, NULL, N_ ("Print the result as JSON") },
  { "quiet", 'q', NULL, N_ ("Print nothing but errors") },
  { "help", 'h', NULL, N_ ("Show this help") },
  { NULL },
};

gboolean
cli_usage_error (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error)
    *error = g_error_new_valist (CLI_USAGE_ERROR, 0, format, args);
  va_end (args);
  return FALSE;
}

static const CliOption *
find_in (const CliOption *options, const char *word)
{
  gboolean is_long = word[0] == '-' && word[1] == '-';
  gsize length = is_long ? strcspn (word + 2, "=") : 0;

  for (const CliOption *o = options; word[0] == '-' && o && o->name; o++)
    if (is_long ? strlen (o->name) == length && strncmp (o->name, word + 2, length) == 0
                : o->letter && o->letter == word[1])
      return o;
  return NULL;
}

const CliOption *
cli_option_find (const CliCommand *command, const char *word)
{
  const CliOption *own = command ? find_in (command->options, word) : NULL;

  return own ? own : find_in (cli_common_options, word);
}

static void
store (CliCall *call, const CliOption *option, const char *value)
{
  if (strcmp (option->name, "set") == 0)
    g_ptr_array_add (call->settings, g_strdup (value));
  else
    g_hash_table_insert (call->values, (gpointer)option->name, g_strdup (value));
}

/* Parses one option at argv[i]; returns the number of words used, 0 on error. */
static int
parse_option (CliCall *call, int argc, char **argv, int i, GError **error)
{
  const char *word = argv[i], *attached = NULL;
  gboolean is_long = word[1] == '-';
  gsize length = strcspn (word + 2, "=");
  const CliOption *option = cli_option_find (call->command, word);

  if (!option)
    return cli_usage_error (error, _ ("unknown option %s; see tosst %s --help"), word, call->command->name), 0;
  if (is_long)
    attached = word[2 + length] ? word + 3 + length : NULL;
  else
    attached = word[2] ? word + 2 : NULL;
  if (!option->argument && attached)
    return cli_usage_error (error, _ ("option %s takes no value"), word), 0;
  if (!option->argument || attached)
    {
      store (call, option, attached ? attached : "");
      return 1;
    }
  if (i + 1 >= argc)
    return cli_usage_error (error, _ ("option %s needs a value, %s"), word, option->argument), 0;
  store (call, option, argv[i + 1]);
  return 2;
}

/* Most millimetres of a picture, and points of its letters. */
#define MAX_WIDTH 2000.0
#define MAX_FONT 200.0

/* A positive number, with a unit or without. */
static gboolean
parse_length (const char *text, const char *unit, double most, double *value)
{
  char *end;

  *value = g_ascii_strtod (text, &end);
  return end != text && (*end == '\0' || g_str_equal (end, unit)) && *value > 0 && *value <= most;
}

static gboolean
parse_figure (CliCall *call, GError **error)
{
  const char *width = cli_call_value (call, "figure-width"), *size = cli_call_value (call, "font-size");
  const char *font = cli_call_value (call, "font");
  TosstFigure figure = { .untitled = cli_call_flag (call, "no-title"), .font = font ? g_intern_string (font) : NULL };

  if (g_strcmp0 (width, "column") == 0)
    figure.width = TOSST_FIGURE_COLUMN;
  else if (g_strcmp0 (width, "page") == 0)
    figure.width = TOSST_FIGURE_PAGE;
  else if (width && (!parse_length (width, "mm", MAX_WIDTH, &figure.width) || figure.width < 20))
    return cli_usage_error (error, _ ("--figure-width must be 20 to %g mm, column or page, not “%s”"), MAX_WIDTH,
                            width);
  if (size && (!parse_length (size, "pt", MAX_FONT, &figure.font_size) || figure.font_size < 2))
    return cli_usage_error (error, _ ("--font-size must be 2 to %g points, not “%s”"), MAX_FONT, size);
  tosst_figure_set (&figure);
  return TRUE;
}

static gboolean
parse_common (CliCall *call, GError **error)
{
  const char *threads = cli_call_value (call, "threads"), *seed = cli_call_value (call, "seed");
  guint64 value = g_get_num_processors ();

  if (threads && !g_ascii_string_to_unsigned (threads, 10, 1, MAX_THREADS, &value, NULL))
    return cli_usage_error (error, _ ("--threads must be a whole number from 1 to %d, not “%s”"), MAX_THREADS, threads);
  call->threads = (int)value;
  if (seed && !g_ascii_string_to_unsigned (seed, 10, 0, G_MAXUINT64, &call->seed, NULL))
    return cli_usage_error (error, _ ("--seed must be a whole number, not “%s”"), seed);
  for (guint i = 0; i < call->settings->len; i++)
    if (!strchr (g_ptr_array_index (call->settings, i), '='))
      return cli_usage_error (error, _ ("--set needs group.key=value, not “%s”"),
                              (char *)g_ptr_array_index (call->settings, i));
  return parse_figure (call, error);
}

static gboolean
check_words (CliCall *call, GError **error)
{
  const CliCommand *command = call->command;

  if (call->operands < command->minimum)
    return cli_usage_error (error, _ ("needs %s; see tosst %s --help"), command->operands, command->name);
  if (call->operands > command->maximum)
    return cli_usage_error (error, _ ("unexpected argument “%s”; see tosst %s --help"), call->operand[command->maximum],
                            command->name);
  for (const CliOption *o = command->options; o && o->name; o++)
    if (o->required && !cli_call_value (call, o->name))
      return cli_usage_error (error, _ ("needs --%s %s; see tosst %s --help"), o->name, o->argument, command->name);

  /* An empty file name would mean the current folder. Options with texts may be empty. */
  static const char *const texts[] = { "note", "title", "filter", NULL };
  for (guint i = 0; i < call->operands; i++)
    if (!*call->operand[i])
      return cli_usage_error (error, _ ("needs %s, not an empty name; see tosst %s --help"), command->operands,
                              command->name);
  for (const CliOption *o = command->options; o && o->name; o++)
    if (o->argument && cli_call_value (call, o->name) && !*cli_call_value (call, o->name)
        && !g_strv_contains (texts, o->name))
      return cli_usage_error (error, _ ("--%s needs %s, which is empty"), o->name, o->argument);
  return TRUE;
}

/* A command without parameters rejects --set; an unknown key or invalid value is reported first. */
static gboolean
check_settings (CliCall *call, GError **error)
{
  if (call->command->groups || call->settings->len == 0)
    return TRUE;
  g_autoptr (TosstRecipe) recipe = cli_call_recipe (call, NULL, NULL, error);
  return recipe
         && cli_usage_error (error, _ ("no parameter affects this command: remove --set %s"),
                             (char *)g_ptr_array_index (call->settings, 0));
}

CliCall *
cli_call_parse (const CliCommand *command, int argc, char **argv, GError **error)
{
  g_autoptr (CliCall) call = g_new0 (CliCall, 1);

  call->command = command;
  call->values = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  call->settings = g_ptr_array_new_with_free_func (g_free);
  call->operand = g_new (const char *, argc + 1);
  gboolean options = TRUE;

  for (int i = 0; i < argc;)
    {
      int taken = 1;

      if (options && strcmp (argv[i], "--") == 0)
        options = FALSE;
      else if (options && argv[i][0] == '-' && argv[i][1])
        taken = parse_option (call, argc, argv, i, error);
      else
        call->operand[call->operands++] = argv[i];
      if (taken == 0)
        return NULL;
      i += taken;
    }
  if (!cli_call_flag (call, "help")
      && (!parse_common (call, error) || !check_words (call, error) || !check_settings (call, error)))
    return NULL;
  return g_steal_pointer (&call);
}

void
cli_call_free (CliCall *call)
{
  if (!call)
    return;
  if (call->context)
    {
      cli_interrupt_watch (NULL);
      tosst_context_free (call->context);
    }
  g_hash_table_unref (call->values);
  g_ptr_array_unref (call->settings);
  g_free (call->operand);
  g_free (call);
}

gboolean
cli_call_flag (CliCall *call, const char *name)
{
  return g_hash_table_contains (call->values, name);
}

const char *
cli_call_value (CliCall *call, const char *name)
{
  return g_hash_table_lookup (call->values, name);
}

GFile *
cli_call_file (CliCall *call, const char *name)
{
  const char *path = cli_call_value (call, name);

  return path ? g_file_new_for_commandline_arg (path) : NULL;
}

gboolean
cli_usage_from (GError **error, GError *cause)
{
  g_autoptr (GError) owned = cause;

  return g_error_matches (owned, TOSST_ERROR, TOSST_FAILED_RECIPE)
             ? cli_usage_error (error, "%s", owned->message)
             : (g_propagate_error (error, g_steal_pointer (&owned)), FALSE);
}

/* Applies the settings that determine defaults, or the others. */
static gboolean
apply_settings (CliCall *call, CliSetter set, gpointer target, gboolean defaults, GError **error)
{
  for (guint i = 0; i < call->settings->len; i++)
    {
      const char *setting = g_ptr_array_index (call->settings, i), *equals = strchr (setting, '=');
      g_autofree char *name = g_strstrip (g_strndup (setting, equals - setting));
      GError *cause = NULL;

      if (tosst_parameter_sets_defaults (name) == defaults && !set (target, name, equals + 1, &cause))
        return cli_usage_from (error, cause);
    }
  return TRUE;
}

gboolean
cli_call_apply_settings (CliCall *call, CliSetter set, gpointer target, GError **error)
{
  return apply_settings (call, set, target, TRUE, error) && apply_settings (call, set, target, FALSE, error);
}

static gboolean
set_in_recipe (gpointer recipe, const char *name, const char *value, GError **error)
{
  return tosst_recipe_set (recipe, name, value, error);
}

void
cli_call_imply_kind (CliCall *call, TosstRecipe *recipe)
{
  if (!tosst_dataset_imply_kind (recipe) || cli_call_flag (call, "quiet") || tosst_launched_rank () > 0)
    return;
  g_autofree char *path = tosst_clean_line (recipe->dataset.path);
  fprintf (stderr, _ ("tosst: dataset.kind is not given: %s is read as %s\n"), path,
           tosst_parameter_find ("dataset.kind")->choices[recipe->dataset.kind]);
}

TosstRecipe *
cli_call_recipe (CliCall *call, const char *path, const TosstRecipe *base, GError **error)
{
  g_autoptr (TosstRecipe) recipe = NULL;

  if (path)
    {
      g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);

      recipe = tosst_recipe_load (file, error);
      if (!recipe)
        return NULL;
    }
  else
    recipe = base ? tosst_recipe_copy (base) : tosst_recipe_new ();
  if (!cli_call_apply_settings (call, set_in_recipe, recipe, error))
    return NULL;
  cli_call_imply_kind (call, recipe);
  if (cli_call_value (call, "seed"))
    recipe->dataset.seed = recipe->dictionary.seed = call->seed;
  return g_steal_pointer (&recipe);
}

TosstContext *
cli_call_context (CliCall *call)
{
  if (!call->context)
    {
      if (tosst_blas_reserve (call->threads) != TOSST_OK)
        cli_interrupt_fail (
            _ ("the memory limit (ulimit -v) is too low for this number of threads; raise it or lower --threads"));
      call->context = tosst_context_new (call->threads);
      /* Nothing has been started yet, and every command needs a context. */
      if (!call->context)
        {
          fprintf (stderr, _ ("tosst: %s: %d threads could not be started; lower --threads\n"), call->command->name,
                   call->threads);
          tosst_leave (1);
        }
      cli_interrupt_watch (call->context);
    }
  return call->context;
}

gboolean
cli_is_same_file (GFile *a, GFile *b)
{
  const char *one = g_file_peek_path (a), *other = g_file_peek_path (b);
  GStatBuf of_one, of_other;

  if (g_file_equal (a, b))
    return TRUE;
  return one && other && g_stat (one, &of_one) == 0 && g_stat (other, &of_other) == 0
         && of_one.st_dev == of_other.st_dev && of_one.st_ino == of_other.st_ino;
}

/* Writing to an input would destroy it although the command succeeds. */
static gboolean
check_reads (CliCall *call, const char *output, GFile *file, const char *const *outputs, GError **error)
{
  static const char *const inputs[] = { "recipe", "tensors", "dictionary", "codes", "model", "workspace", NULL };

  for (guint i = 0; i < call->operands; i++)
    {
      g_autoptr (GFile) operand = g_file_new_for_commandline_arg (call->operand[i]);

      if (cli_is_same_file (operand, file))
        return cli_usage_error (error, _ ("--%s names %s, an input file; choose another name"), output,
                                call->operand[i]);
    }
  for (const char *const *input = inputs; *input; input++)
    {
      g_autoptr (GFile) other = g_strv_contains (outputs, *input) ? NULL : cli_call_file (call, *input);

      if (other && cli_is_same_file (other, file))
        return cli_usage_error (error, _ ("--%s and --%s name the same file"), output, *input);
    }
  return TRUE;
}

void
cli_call_share_processors (CliCall *call, int processes)
{
  if (!cli_call_value (call, "threads") && call->threads >= sysconf (_SC_NPROCESSORS_ONLN))
    call->threads = MAX (1, call->threads / processes);
}

gboolean
cli_call_check_outputs (CliCall *call, const char *const *options, GError **error)
{
  for (const char *const *option = options; *option; option++)
    {
      g_autoptr (GFile) file = cli_call_file (call, *option);

      if (!file)
        continue;
      if (!check_reads (call, *option, file, options, error))
        return FALSE;
      for (const char *const *earlier = options; earlier < option; earlier++)
        {
          g_autoptr (GFile) other = cli_call_file (call, *earlier);

          if (other && cli_is_same_file (other, file))
            return cli_usage_error (error, _ ("--%s and --%s name the same file"), *option, *earlier);
        }
      if (!tosst_atomic_check (file, error))
        return FALSE;
    }
  return TRUE;
}

static char *
json_text (JsonObject *object, gboolean pretty)
{
  g_autoptr (JsonNode) root = json_node_init_object (json_node_alloc (), object);

  return tosst_json_write (root, pretty);
}

gboolean
cli_write_json (JsonObject *object, GFile *file, GError **error)
{
  g_autoptr (JsonObject) owned = object;
  g_autofree char *text = json_text (owned, TRUE), *line = g_strconcat (text, "\n", NULL);

  return tosst_atomic_keep_text (file, line, error);
}

gboolean
cli_keep_text (CliCall *call, const char *option, const char *text, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, option);

  return tosst_atomic_keep_text (file, text, error);
}

void
cli_print (FILE *stream, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *clean = tosst_clean_text (text);
  fputs (clean, stream);
  fflush (stream);
}

void
cli_print_problem (const char *what, const char *why)
{
  g_autofree char *line = tosst_clean_line (why), *subject = tosst_clean_line (what);

  fprintf (stderr, "tosst: %s: %s\n", subject, line);
}

void
cli_call_result (CliCall *call, JsonObject *object, const char *format, ...)
{
  gboolean as_json = cli_call_flag (call, "json");
  g_autoptr (JsonObject) owned = object;
  va_list args;

  if (tosst_launched_rank () > 0 || (!as_json && cli_call_flag (call, "quiet")))
    return;
  va_start (args, format);
  g_autofree char *text = as_json ? json_text (owned, FALSE) : g_strdup_vprintf (format, args);
  va_end (args);
  if (as_json)
    puts (text);
  else
    cli_print (stdout, "%s\n", text);
}

gboolean
cli_fail_interrupted (GError **error)
{
  return tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("interrupted; nothing was written; run the same command again"));
}

gboolean
cli_check_status (TosstContext *context, const char *what, TosstStatus status, GError **error)
{
  return status == TOSST_CANCELLED ? cli_fail_interrupted (error)
                                   : tosst_error_from_status (status, context, what, error);
}

gboolean
cli_parse_at (const char *text, int *x, int *y, GError **error)
{
  char *end = NULL;
  gint64 column = g_ascii_strtoll (text, &end, 10), row = -1;

  if (end != text && *end == ',')
    {
      const char *rest = end + 1;

      row = g_ascii_strtoll (rest, &end, 10);
      row = end == rest || *end ? -1 : row;
    }
  if (column < 0 || column > G_MAXINT || row < 0 || row > G_MAXINT)
    return cli_usage_error (error, _ ("--at needs X,Y, the top left pixel of a patch, not “%s”"), text);
  *x = (int)column;
  *y = (int)row;
  return TRUE;
}
