/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Iterations of learning on several ranks, stage by stage and rank by rank: under mpirun each process is a rank, of
 * --threads T threads (default 1), else one process learns on T. N = 4000, d = 35, K = 1000; --tensors N, --atoms K,
 * --iterations I and --lambda x change one number each. Without mpirun and without --threads it starts itself in both
 * ways in turn, --rounds R times (default 3): P ranks of one thread (--ranks P, default 2), and P threads of one
 * process. With --processor stages are seconds of the processor, of all threads, which other work hardly changes.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/ranks/processes.h"

/* Iterations that are not counted: the first codes have everything to find. */
#define SKIPPED 1
#define MOST 100

static const char *const stage_names[TOSST_LEARN_STAGES]
    = { "set-up", "Q", "Lassos", "Y", "P", "sums", "B", "W", "b", "rest" };

/* What a rank measures of an iteration. */
enum
{
  SECONDS = TOSST_LEARN_STAGES,
  PROCESSOR, /* seconds of the processor, all threads */
  EXCHANGE,  /* seconds in transfers, waiting included */
  SPENT,     /* of the processor's, in transfers */
  MESSAGES,
  BYTES,
  MEASURED,
};

static const char *const measured_names[MEASURED - SECONDS]
    = { "whole", "processor", "exchange", "spent", "messages", "bytes" };

typedef struct
{
  TosstRanks *ranks; /* or NULL */
  TosstRanks real;   /* before transfers were timed */
  double spent;
  double value[MEASURED][MOST];
  double last[MEASURED]; /* counters at the end of the last iteration */
  double objective;
  int n;
} Trace;

/* The linker calls this one for tosst_context_seconds(), and that one for the next. */
double __wrap_tosst_context_seconds (TosstContext *context);
double __real_tosst_context_seconds (TosstContext *context);

static gboolean of_processor;

double
__wrap_tosst_context_seconds (TosstContext *context)
{
  return of_processor ? bench_processor_seconds () : __real_tosst_context_seconds (context);
}

static double
thread_seconds (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static TosstStatus
transfer (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *data)
{
  Trace *trace = data;
  double start = thread_seconds ();
  TosstStatus status = trace->real.transfer (out, outs, in, ins, trace->real.user_data);

  trace->spent += thread_seconds () - start;
  return status;
}

static TosstStatus
begin (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *data)
{
  Trace *trace = data;
  double start = thread_seconds ();
  TosstStatus status = trace->real.begin (out, outs, in, ins, trace->real.user_data);

  trace->spent += thread_seconds () - start;
  return status;
}

static TosstStatus
end (void *data)
{
  Trace *trace = data;
  double start = thread_seconds ();
  TosstStatus status = trace->real.end (trace->real.user_data);

  trace->spent += thread_seconds () - start;
  return status;
}

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Trace *trace = data;
  TosstRanks *ranks = trace->ranks;
  double now[MEASURED] = { [SECONDS] = iteration->seconds,
                           [PROCESSOR] = bench_processor_seconds (),
                           [EXCHANGE] = ranks ? ranks->seconds : 0,
                           [SPENT] = trace->spent,
                           [MESSAGES] = ranks ? (double)ranks->messages : 0,
                           [BYTES] = ranks ? (double)ranks->bytes : 0 };

  if (iteration->iteration > SKIPPED && trace->n < MOST)
    {
      for (int i = 0; i < MEASURED; i++)
        trace->value[i][trace->n] = i < SECONDS ? iteration->stage[i] : now[i] - trace->last[i];
      trace->n++;
    }
  memcpy (trace->last, now, sizeof now);
  trace->objective = iteration->objective;
}

/* Medians of all ranks, on rank 0. */
static void
print_trace (Trace *trace, TosstRanks *ranks)
{
  int size = ranks ? ranks->size : 1, rank = ranks ? ranks->rank : 0;
  g_autofree double *all = g_new0 (double, size *MEASURED);

  for (int i = 0; i < MEASURED; i++)
    all[rank * MEASURED + i] = bench_median (trace->value[i], trace->n);
  tosst_ranks_start (ranks);
  if (tosst_ranks_gather (ranks, TOSST_OK, all, sizeof *all * MEASURED, 1, size) != TOSST_OK || rank > 0)
    return;
  for (int i = 0; i < MEASURED; i++)
    {
      g_print ("  %-9s", i < SECONDS ? stage_names[i] : measured_names[i - SECONDS]);
      for (int r = 0; r < size; r++)
        g_print (i < MESSAGES ? " %9.3f" : " %9.0f", all[r * MEASURED + i]);
      g_print ("\n");
    }
  g_print ("objective %.9g, seconds of an iteration: %.4f\n", trace->objective, all[SECONDS]);
}

static double
argument (int argc, char *argv[], const char *name, double otherwise)
{
  for (int i = 1; i + 1 < argc; i++)
    if (g_str_equal (argv[i], name))
      return g_ascii_strtod (argv[i + 1], NULL);
  return otherwise;
}

static void
learn (TosstContext *context, TosstRanks *ranks, int argc, char *argv[])
{
  TosstFeatureOptions features;
  TosstLearnOptions options;
  TosstLearnRun run = { .ranks = ranks };
  TosstLayout *layout;
  TosstDictionary *dictionary;
  g_autofree Trace *trace = g_new0 (Trace, 1);
  size_t n = argument (argc, argv, "--tensors", 4000), size = ranks ? ranks->size : 1, rank = ranks ? ranks->rank : 0,
         first = n * rank / size;

  tosst_feature_options_default (&features);
  g_autofree float *tensors = bench_tensors (context, &features, 20, n, &layout);
  n = n * (rank + 1) / size - first;
  memmove (tensors, tensors + first * layout->m, sizeof *tensors * n * layout->m);
  tensors = g_renew (float, tensors, n * layout->m);
  tosst_learn_options_default (&options);
  options.atoms = argument (argc, argv, "--atoms", 1000);
  options.problem.lambda = argument (argc, argv, "--lambda", 3e-4);
  options.iterations = argument (argc, argv, "--iterations", SKIPPED + 5);
  options.tolerance = 0;
  trace->ranks = ranks;
  if (ranks)
    {
      trace->real = *ranks;
      ranks->transfer = transfer;
      ranks->begin = ranks->begin ? begin : NULL;
      ranks->end = end;
      ranks->user_data = trace;
    }
  TosstStatus status = tosst_learn (context, layout, tensors, n, &options, &run, on_iteration, trace, &dictionary);
  if (status != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  print_trace (trace, ranks);
  if (ranks)
    {
      ranks->transfer = trace->real.transfer;
      ranks->begin = trace->real.begin;
      ranks->end = trace->real.end;
      ranks->user_data = trace->real.user_data;
    }
  tosst_dictionary_free (dictionary);
  tosst_layout_free (layout);
}

/* Runs this program with words before and after its arguments; returns the seconds of an iteration that it prints. */
static double
start (int argc, char *argv[], const char *before, const char *after)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *out = NULL, *rest = g_strjoinv (" ", argv + 1);
  g_autofree char *line = g_strdup_printf ("%s %s %s %s", before, argv[0], rest, after);

  if (!g_spawn_command_line_sync (line, &out, NULL, NULL, &error))
    g_error ("%s", error->message);
  const char *found = strrchr (out, ':');
  g_print ("%s\n%s", line, out);
  return found ? g_ascii_strtod (found + 1, NULL) : NAN;
}

static void
compare (int argc, char *argv[])
{
  int rounds = argument (argc, argv, "--rounds", 3), ranks = argument (argc, argv, "--ranks", 2);
  g_autofree double *alone = g_new (double, rounds), *divided = g_new (double, rounds), *ratio = g_new (double, rounds);
  g_autofree char *launch = g_strdup_printf ("mpirun --oversubscribe --bind-to none -n %d", ranks),
                  *threads = g_strdup_printf ("--threads %d", ranks);

  for (int i = 0; i < rounds; i++)
    {
      alone[i] = start (argc, argv, "", threads);
      divided[i] = start (argc, argv, launch, "--threads 1");
      ratio[i] = alone[i] / divided[i];
    }
  g_print ("medians: %d threads %.3f s, %d ranks %.3f s, the speed of ranks is %.3f of that of threads\n", ranks,
           bench_median (alone, rounds), ranks, bench_median (divided, rounds), bench_median (ratio, rounds));
}

static bool
is_cancelled (void)
{
  return false;
}

int
main (int argc, char *argv[])
{
  g_autoptr (GError) error = NULL;
  gboolean launched = tosst_launched_tasks () > 1;

  for (int i = 1; i < argc; i++)
    of_processor = of_processor || g_str_equal (argv[i], "--processor");

  if (!launched && argument (argc, argv, "--threads", 0) == 0)
    {
      compare (argc, argv);
      return 0;
    }
  TosstProcesses *processes = tosst_processes_join (is_cancelled, &error);
  if (error)
    g_error ("%s", error->message);
  TosstContext *context = bench_start (&argc, &argv);
  learn (context, processes ? &processes->ranks : NULL, argc, argv);
  tosst_context_free (context);
  tosst_processes_leave (processes);
  return 0;
}
