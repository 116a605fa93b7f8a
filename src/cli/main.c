/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <locale.h>
#include <unistd.h>

#include "cli/ranks.h"
#include "core/base/base.h"
#include "tosst/context.h"

const CliCommand *const cli_commands[] = {
  &cli_describe, &cli_features,  &cli_learn,    &cli_code,       &cli_classify, &cli_cluster, &cli_compare,
  &cli_predict,  &cli_export,    &cli_rank,     &cli_sparsify,   &cli_recipe,   &cli_runs,    &cli_report,
  &cli_sweep,    &cli_reproduce, &cli_textures, &cli_completion, &cli_doctor,   NULL,
};

const CliCommand *
cli_command_find (const char *name)
{
  for (const CliCommand *const *command = cli_commands; *command; command++)
    if (strcmp ((*command)->name, name) == 0)
      return *command;
  return NULL;
}

/* GLib aborts without memory or threads with a message for developers. */
static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  if ((level & G_LOG_LEVEL_ERROR) == 0)
    return g_log_writer_default (level, fields, n_fields, data);
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].key, "MESSAGE") == 0)
      cli_interrupt_fail (strstr (fields[i].value, "allocate") ? _ ("not enough memory") : fields[i].value);
  return G_LOG_WRITER_UNHANDLED;
}

/* If the caller closed a standard stream, its descriptor would be reused by the next opened file, which would
 * receive the output. Opened for reading, so that printing to it still fails. */
static void
hold_standard_streams (void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", O_RDONLY) != fd)
      _exit (1);
}

/* Buffered output may still fail, for example on a full disk. */
static int
finish (const char *what)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return 0;
  cli_print_problem (what, _ ("standard output could not be written"));
  return 1;
}

static int
run_command (const CliCommand *command, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  gboolean ok, prints;

  cli_interrupt_name (command->name);
  g_autoptr (CliCall) call = cli_call_parse (command, argc, argv, &error);

  if (call && cli_call_flag (call, "help"))
    {
      cli_help_command (command);
      return finish (command->name);
    }
  ok = cli_ranks_finish (call && cli_ranks_join (call, command, &error) && command->run (call, &error), &prints);
  /* The launcher ends all processes when the first has left with an error: what this one says is out by then. */
  if (ok)
    {
      int status = finish (command->name);

      cli_ranks_leave ();
      return status;
    }
  fflush (stdout);
  if (error && prints)
    cli_print_problem (command->name, error->message);
  cli_ranks_leave ();
  if (!error)
    return 1; /* of another rank */
  if (error->domain == CLI_USAGE_ERROR || g_error_matches (error, TOSST_ERROR, TOSST_FAILED_NAME))
    return 2;
  return g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED) ? 130 : 1;
}

static int
help (int argc, char **argv)
{
  const CliCommand *command = argc > 0 ? cli_command_find (argv[0]) : NULL;

  if (argc > 0 && !command)
    {
      cli_print_problem (argv[0], _ ("unknown command; see tosst help"));
      return 2;
    }
  if (command)
    cli_help_command (command);
  else
    cli_help_program (cli_commands);
  return finish ("help");
}

/* Common options may be before the command: moves the command to argv[1]. */
static void
bring_command_forward (int argc, char **argv)
{
  int i = 1;

  while (i < argc && argv[i][0] == '-')
    {
      const CliOption *option = cli_option_find (NULL, argv[i]);

      if (!option || strcmp (option->name, "help") == 0)
        return;
      i += option->argument && !strchr (argv[i], '=') ? 2 : 1;
    }
  if (i >= argc)
    return;
  char *command = argv[i];
  memmove (argv + 2, argv + 1, (i - 1) * sizeof *argv);
  argv[1] = command;
}

static int
run_program (int argc, char **argv)
{
  hold_standard_streams ();
  g_log_set_writer_func (write_log, NULL, NULL);
  tosst_blas_select_kernel (getenv (TOSST_BLAS_VARIABLE)); /* doctor warns if another kernel is used */
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  if (tosst_launched_tasks () > 1)
    cli_interrupt_launched ();
  cli_interrupt_install ();
  if (argc < 2)
    {
      cli_print_problem ("usage", _ ("missing command; see tosst help"));
      return 2;
    }
  bring_command_forward (argc, argv);
  if (strcmp (argv[1], "--version") == 0)
    {
      printf ("tosst %s\n", PACKAGE_VERSION);
      return finish ("--version");
    }
  if (strcmp (argv[1], "__complete") == 0)
    {
      cli_complete (argc - 2, argv + 2);
      return finish (argv[1]);
    }
  if (strcmp (argv[1], "help") == 0 || strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0)
    return help (argc - 2, argv + 2);
  const CliCommand *command = cli_command_find (argv[1]);
  if (!command)
    {
      cli_print_problem (argv[1], _ ("unknown command; see tosst help"));
      return 2;
    }
  return run_command (command, argc - 2, argv + 2);
}

int
main (int argc, char **argv)
{
  tosst_leave (run_program (argc, argv));
}
