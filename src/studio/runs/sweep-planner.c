/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/sweep-planner.h"

#include <string.h>

#include "core/base/error.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"

typedef struct
{
  guint number;
  TosstSweep *sweep;     /* NULL: the previous request is cancelled */
  TosstDataset *dataset; /* of a single run; NULL: opened by planning */
  GFile *workspace;
  int jobs;
  gsize kept; /* bytes that a single run frees or reuses */
} Question;

typedef struct
{
  guint number;
  gboolean first, last;  /* the plan; the estimate */
  StudioSweepPlan *plan; /* NULL: problem says why */
  GListStore *rows;      /* StudioSweepRow *, as found in the store; NULL: the store of a single run is unreadable */
  gsize count[TOSST_N_RUN_STATES]; /* of the rows */
  TosstRunEstimate needs;          /* of a single run */
  gboolean estimated;
  TosstSweepEstimate estimate;
  char *problem; /* a sentence, or NULL */
} Answer;

G_DEFINE_FINAL_TYPE (StudioSweepPlanner, studio_sweep_planner, G_TYPE_OBJECT)

STUDIO_DEFINE_DISPOSE (StudioSweepPlanner, studio_sweep_planner, (settle_source, g_source_remove),
                       (worker, studio_worker_free), (workspace, g_object_unref))

STUDIO_DEFINE_FINALIZE (StudioSweepPlanner, studio_sweep_planner, (sweep, tosst_sweep_free),
                        (dataset, tosst_dataset_unref), (plan, studio_sweep_plan_unref), (rows, g_object_unref),
                        (problem, g_free))

static void
studio_sweep_planner_class_init (StudioSweepPlannerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_sweep_planner_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_sweep_planner_finalize;
  studio_add_signal (klass, "planned", 0);
  studio_add_signal (klass, "estimated", 0);
  studio_add_signal (klass, "run", 1, STUDIO_TYPE_SWEEP_ROW);
  studio_add_signal (klass, "progress", 0);
  studio_add_signal (klass, "finished", 0);
  studio_add_signal (klass, "notice", 1, G_TYPE_STRING);
}

static void
studio_sweep_planner_init (StudioSweepPlanner *self)
{
  self->rows = G_LIST_MODEL (g_list_store_new (STUDIO_TYPE_SWEEP_ROW));
  self->jobs = 1;
}

StudioSweepPlanner *
studio_sweep_planner_new (StudioWorkspace *workspace, guint delay)
{
  StudioSweepPlanner *self = g_object_new (STUDIO_TYPE_SWEEP_PLANNER, NULL);

  self->workspace = g_object_ref (workspace);
  self->delay = delay;
  return self;
}

/* Worker. */

TOSST_DEFINE_FREE (Question, free_question, (sweep, tosst_sweep_free), (dataset, tosst_dataset_unref),
                   (workspace, g_object_unref))

TOSST_DEFINE_FREE (Answer, free_answer, (plan, studio_sweep_plan_unref), (rows, g_object_unref), (problem, g_free))

/* Memory and disk of a single run. Returns FALSE if it does not fit. */
static gboolean
fit_run (const TosstSweepPlan *plan, const Question *question, TosstRunEstimate *needs, GError **error)
{
  const TosstSweepRun *run = tosst_sweep_plan_run (plan, 0);

  tosst_run_estimate (run->recipe, run->dataset, g_get_num_processors (), needs);
  needs->available += question->kept;
  return tosst_run_fits (needs, error) && tosst_run_fits_disk (needs, question->workspace, error);
}

static GListStore *
make_rows (StudioSweepPlan *plan, const TosstSweepResult *found)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_full (found->runs, g_object_unref);
  GListStore *list = g_list_store_new (STUDIO_TYPE_SWEEP_ROW);

  for (guint i = 0; i < found->runs; i++)
    g_ptr_array_add (rows, studio_sweep_row_new (plan, i, &found->outcome[i]));
  g_list_store_splice (list, 0, 0, rows->pdata, rows->len);
  return list;
}

/* The plan, if an estimate is to follow; else NULL. */
static StudioSweepPlan *
answer_plan (StudioWorker *worker, TosstContext *context, const Question *question)
{
  Answer *answer = g_new0 (Answer, 1);
  g_autoptr (StudioSweepPlan) estimated = NULL;
  g_autoptr (TosstSweepResult) found = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstSweepPlan) plan = question->dataset != NULL
                                        ? tosst_sweep_plan_new_run (question->sweep->base, question->dataset)
                                        : tosst_sweep_plan_new (question->sweep, &error);

  if (plan != NULL && question->dataset != NULL)
    {
      tosst_sweep_read_status (plan, question->workspace, context, &found, NULL);
      answer->last
          = !fit_run (plan, question, &answer->needs, &error) || (found != NULL && found->count[TOSST_RUN_DONE] > 0);
    }
  else if (plan != NULL && !tosst_sweep_read_status (plan, question->workspace, context, &found, &error))
    g_clear_pointer (&plan, tosst_sweep_plan_free);
  answer->number = question->number;
  answer->first = TRUE;
  answer->last |= plan == NULL;
  answer->plan = plan != NULL ? studio_sweep_plan_new (g_steal_pointer (&plan)) : NULL;
  if (answer->plan != NULL && found != NULL)
    {
      answer->rows = make_rows (answer->plan, found);
      memcpy (answer->count, found->count, sizeof answer->count);
    }
  answer->problem = error != NULL ? g_strdup (error->message) : NULL;
  if (!answer->last)
    estimated = studio_sweep_plan_ref (answer->plan);
  studio_worker_put (worker, answer);
  return g_steal_pointer (&estimated);
}

static void
work (StudioWorker *worker, TosstContext *context, const Question *question, gpointer *session)
{
  const TosstSweepOptions options = { .workspace = question->workspace, .jobs = question->jobs };
  g_autoptr (StudioSweepPlan) plan = question->sweep != NULL ? answer_plan (worker, context, question) : NULL;
  g_autoptr (GError) error = NULL;

  if (plan == NULL)
    return;
  Answer *answer = g_new0 (Answer, 1);
  answer->number = question->number;
  answer->last = TRUE;
  answer->estimated = tosst_sweep_estimate (plan->plan, &options, context, &answer->estimate, &error);
  if (error != NULL && question->dataset == NULL && !g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    answer->problem = g_strdup (error->message);
  studio_worker_put (worker, answer);
}

/* Main thread. */

void
studio_sweep_planner_set_problem (StudioSweepPlanner *self, const char *problem)
{
  g_free (self->problem);
  self->problem = g_strdup (problem);
}

static void
free_rows (GTask *task, gpointer source, gpointer rows, GCancellable *cancellable)
{
  g_object_unref (rows);
}

/* answer: NULL: there is no plan any more. */
static void
take_plan (StudioSweepPlanner *self, const Answer *answer)
{
  StudioSweepPlan *plan = answer != NULL ? answer->plan : NULL;
  GListModel *old = self->rows;

  g_clear_pointer (&self->plan, studio_sweep_plan_unref);
  self->plan = plan != NULL ? studio_sweep_plan_ref (plan) : NULL;
  self->planned = plan != NULL;
  for (guint state = 0; state < TOSST_N_RUN_STATES; state++)
    self->count[state] = answer != NULL ? (guint)answer->count[state] : 0;
  self->rows = G_LIST_MODEL (answer != NULL && answer->rows != NULL ? g_object_ref (answer->rows)
                                                                    : g_list_store_new (STUDIO_TYPE_SWEEP_ROW));
  g_signal_emit_by_name (self, "planned");
  /* In a thread: 100,000 rows and their plan take a tenth of a second. */
  g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_task_data (task, old, NULL);
  g_task_run_in_thread (task, free_rows);
}

static void
take_answer (StudioSweepPlanner *owner, const Answer *answer)
{
  g_autoptr (StudioSweepPlanner) self = g_object_ref (owner);

  if (answer->number != self->pending)
    return;
  if (answer->last)
    self->pending = 0;
  if (answer->problem != NULL)
    studio_sweep_planner_set_problem (self, answer->problem);
  if (answer->first)
    {
      self->needs = answer->needs;
      take_plan (self, answer);
    }
  if (!answer->last)
    return;
  self->estimated = answer->estimated;
  self->estimate = answer->estimate;
  g_signal_emit_by_name (self, "estimated");
}

static void
ask (StudioSweepPlanner *self, const TosstSweep *sweep)
{
  Question *question = g_new0 (Question, 1);

  question->number = ++self->newest;
  question->sweep = sweep != NULL ? tosst_sweep_copy (sweep) : NULL;
  question->dataset = self->dataset != NULL ? tosst_dataset_ref (self->dataset) : NULL;
  question->workspace = g_object_ref (self->workspace->file);
  question->jobs = self->jobs;
  question->kept = self->kept;
  studio_worker_ask (self->worker, question);
}

static void
on_settled (StudioSweepPlanner *self)
{
  static const StudioWork planning = { .work = G_CALLBACK (work),
                                       .free_question = free_question,
                                       .free_answer = free_answer,
                                       .take = G_CALLBACK (take_answer),
                                       .interrupts = TRUE,
                                       .parallel = TRUE };

  if (self->worker == NULL)
    self->worker = studio_worker_new (&planning, NULL, self);
  ask (self, self->sweep);
  self->pending = self->newest;
}

static void
give_up_planning (StudioSweepPlanner *self)
{
  g_clear_handle_id (&self->settle_source, g_source_remove);
  if (self->pending != 0)
    ask (self, NULL);
  self->pending = 0;
  self->estimated = FALSE;
  studio_sweep_planner_set_problem (self, NULL);
}

/* Takes ownership of the sweep. */
static void
replace (StudioSweepPlanner *self, TosstSweep *sweep, TosstDataset *dataset, int jobs)
{
  give_up_planning (self);
  g_clear_pointer (&self->sweep, tosst_sweep_free);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  self->sweep = sweep;
  self->dataset = dataset != NULL ? tosst_dataset_ref (dataset) : NULL;
  self->jobs = jobs;
  self->planned = FALSE;
  if (sweep != NULL)
    studio_later (&self->settle_source, self->delay, on_settled, self);
  else
    take_plan (self, NULL);
}

void
studio_sweep_planner_set_sweep (StudioSweepPlanner *self, const TosstSweep *sweep, int jobs)
{
  replace (self, sweep != NULL ? tosst_sweep_copy (sweep) : NULL, NULL, jobs);
}

void
studio_sweep_planner_set_run (StudioSweepPlanner *self, const TosstRecipe *recipe, TosstDataset *dataset, gsize kept)
{
  self->kept = kept;
  replace (self, tosst_sweep_new (recipe), dataset, 1);
}

char *
studio_sweep_planner_begin (StudioSweepPlanner *self, StudioOrder *order)
{
  GString *title = g_string_new (NULL);

  for (guint i = 0; self->sweep != NULL && i < self->sweep->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (self->sweep->axes, i);
      g_autofree char *name = studio_sweep_label (self->sweep->axes, axis->parameter, TRUE);

      g_string_append_printf (title, "%s%s", i > 0 ? " × " : "", name);
    }
  give_up_planning (self);
  order->store = self->workspace->file;
  order->plan = self->planned ? self->plan : NULL;
  order->jobs = self->jobs;
  return g_string_free (title, FALSE);
}

void
studio_sweep_planner_update_run (StudioSweepPlanner *self, guint run, const TosstSweepOutcome *outcome)
{
  g_autoptr (StudioSweepRow) row = g_list_model_get_item (self->rows, run);

  self->count[row->outcome.state]--;
  self->count[outcome->state]++;
  studio_sweep_row_update (row, outcome);
  g_signal_emit_by_name (self, "run", row);
}

gboolean
studio_sweep_planner_is_planning (StudioSweepPlanner *self)
{
  return self->settle_source != 0 || self->pending != 0;
}

const TosstSweepEstimate *
studio_sweep_planner_get_estimate (StudioSweepPlanner *self)
{
  return self->estimated ? &self->estimate : NULL;
}
