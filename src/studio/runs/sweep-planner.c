/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/sweep-planner.h"

#include "core/base/error.h"
#include "studio/runs/sweep-row.h"
#include "studio/tasks/worker.h"

typedef struct
{
  guint number;
  TosstSweep *sweep; /* NULL: the request is cancelled */
  GFile *workspace;
  int jobs;
} Question;

struct StudioSweepPlanner
{
  StudioWorker *worker;
  guint newest; /* question */
};

StudioSweepPlan *
studio_sweep_plan_ref (StudioSweepPlan *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
studio_sweep_plan_unref (StudioSweepPlan *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  tosst_sweep_plan_free (self->plan);
  g_free (self);
}

void
studio_sweep_answer_free (StudioSweepAnswer *self)
{
  g_clear_pointer (&self->plan, studio_sweep_plan_unref);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_free (self->problem);
  g_free (self);
}

static void
question_free (gpointer data)
{
  Question *question = data;

  g_clear_pointer (&question->sweep, tosst_sweep_free);
  g_clear_object (&question->workspace);
  g_free (question);
}

static void
answer_free (gpointer answer)
{
  studio_sweep_answer_free (answer);
}

/* Worker. */

static StudioSweepAnswer *
answer_new (const Question *question)
{
  StudioSweepAnswer *answer = g_new0 (StudioSweepAnswer, 1);

  answer->question = question->number;
  return answer;
}

static GPtrArray *
make_rows (StudioSweepPlan *plan, const TosstSweepResult *found)
{
  GPtrArray *rows = g_ptr_array_new_full (found->runs, g_object_unref);

  for (guint i = 0; i < found->runs; i++)
    g_ptr_array_add (rows, studio_sweep_row_new (plan, i, &found->outcome[i]));
  return rows;
}

/* The plan, also referenced by the worker; NULL: none. */
static StudioSweepPlan *
answer_plan (StudioWorker *worker, TosstContext *context, const Question *question)
{
  StudioSweepAnswer *answer = answer_new (question);
  g_autoptr (StudioSweepPlan) shared = NULL;
  g_autoptr (TosstSweepResult) found = NULL;
  g_autoptr (GError) error = NULL;
  TosstSweepPlan *plan = tosst_sweep_plan_new (question->sweep, &error);

  if (plan != NULL && tosst_sweep_read_status (plan, question->workspace, context, &found, &error))
    {
      shared = g_new0 (StudioSweepPlan, 1);
      g_atomic_ref_count_init (&shared->references);
      shared->plan = g_steal_pointer (&plan);
      answer->plan = studio_sweep_plan_ref (shared);
      answer->rows = make_rows (shared, found);
    }
  g_clear_pointer (&plan, tosst_sweep_plan_free);
  answer->problem = error != NULL ? g_strdup (error->message) : NULL;
  studio_worker_put (worker, answer);
  return g_steal_pointer (&shared);
}

static void
answer_estimate (StudioWorker *worker, TosstContext *context, const Question *question, StudioSweepPlan *plan)
{
  const TosstSweepOptions options = { .workspace = question->workspace, .jobs = question->jobs };
  StudioSweepAnswer *answer = answer_new (question);
  g_autoptr (GError) error = NULL;

  answer->estimated = tosst_sweep_estimate (plan->plan, &options, context, &answer->estimate, &error);
  if (error != NULL && !g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    answer->problem = g_strdup (error->message);
  answer->plan = studio_sweep_plan_ref (plan);
  studio_worker_put (worker, answer);
}

static void
work (StudioWorker *worker, TosstContext *context, gpointer data, gpointer *session)
{
  const Question *question = data;
  g_autoptr (StudioSweepPlan) plan = NULL;

  if (question->sweep != NULL)
    plan = answer_plan (worker, context, question);
  if (plan != NULL)
    answer_estimate (worker, context, question, plan);
}

/* Main thread. */

StudioSweepPlanner *
studio_sweep_planner_new (StudioWakeFunc wake, gpointer data)
{
  static const StudioWork planning = {
    .work = work, .free_question = question_free, .free_answer = answer_free, .interrupts = TRUE, .parallel = TRUE
  };
  StudioSweepPlanner *self = g_new0 (StudioSweepPlanner, 1);

  self->worker = studio_worker_new (&planning, wake, data);
  return self;
}

void
studio_sweep_planner_free (StudioSweepPlanner *self)
{
  studio_worker_free (self->worker);
  g_free (self);
}

guint
studio_sweep_planner_ask (StudioSweepPlanner *self, TosstSweep *sweep, GFile *workspace, int jobs)
{
  Question *question = g_new0 (Question, 1);

  question->number = ++self->newest;
  question->sweep = sweep;
  question->workspace = workspace != NULL ? g_object_ref (workspace) : NULL;
  question->jobs = jobs;
  studio_worker_ask (self->worker, question);
  return self->newest;
}

/* Answers to an older request are dropped. */
StudioSweepAnswer *
studio_sweep_planner_take (StudioSweepPlanner *self)
{
  StudioSweepAnswer *answer;

  while ((answer = studio_worker_take (self->worker)) != NULL && answer->question != self->newest)
    studio_sweep_answer_free (answer);
  return answer;
}
