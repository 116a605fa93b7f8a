/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Batch scripts for Slurm that run this program on several nodes: stopped at the end of its time, a job saves its state,
 * queues itself again and goes on.
 */
#pragma once

#include <gio/gio.h>

#include "core/recipe/recipe.h"

/* The command that the job runs. */
typedef enum
{
  TOSST_JOB_LEARN,    /* a dictionary of a file of tensors */
  TOSST_JOB_CLASSIFY, /* a run, recorded in a store */
  TOSST_JOB_SWEEP,    /* the missing runs of a sweep, recorded in a store */
} TosstJobKind;

/* Largest numbers of a job. */
#define TOSST_JOB_MAX_NODES 65536
#define TOSST_JOB_MAX_RANKS 1024 /* a node */
#define TOSST_JOB_MAX_THREADS 1024
#define TOSST_JOB_MAX_SECONDS ((guint64)366 * 24 * 3600)

/* Paths are as seen from the folder in which the job is submitted. Strings belong to the caller. */
typedef struct
{
  TosstJobKind kind;
  const char *program;             /* NULL: tosst, found on the PATH of the nodes */
  const char *recipe;              /* its file */
  const char *const *settings;     /* "group.key=value" of --set, NULL-terminated; or NULL */
  const char *tensors;             /* to learn from */
  const char *output;              /* dictionary that is learned, or store of runs */
  int nodes, ranks;                /* ranks: processes a node */
  int threads;                     /* of a rank; 0: all processors of a node, divided among its ranks */
  guint64 seconds;                 /* time limit */
  guint64 memory;                  /* bytes that a rank needs; 0: as the cluster gives */
  const char *partition, *account; /* NULL: those of the cluster */
} TosstJob;

/* Parses a time limit as Slurm does: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or
 * days-hours:minutes:seconds. */
gboolean tosst_job_parse_time (const char *text, guint64 *seconds, GError **error);
gboolean tosst_job_check (const TosstJob *job, GError **error);
/* The script of a valid job, new. */
char *tosst_job_script (const TosstJob *job);
/* Writes the script of a valid job and, beside it, the text of the recipe that it reads, named as the script but with the
 * suffix .tosst; job->recipe is not read. Another recipe of that name is never replaced: an error. */
gboolean tosst_job_save (const TosstJob *job, const char *recipe, GFile *script, GError **error);

/* Memory that a job asks for on each node, with a reserve; 0: unknown. */
guint64 tosst_job_node_memory (const TosstJob *job);

/* Memory of each process that learns from a file of tensors. Reads only the beginning of the file. threads: of a process. Fails as learning would: the recipe does not fit the
 * tensors, or its solver is not divided. */
gboolean tosst_job_learn_memory (const TosstRecipe *recipe, GFile *tensors, int processes, int threads, guint64 *bytes,
                                 GError **error);
