/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "sweep-planner.h"

#include "computing.h"
#include "error.h"

typedef struct
{
  guint number;
  TosstSweep *sweep;
  GFile *workspace;
  int jobs;
} Question;

struct StudioSweepPlanner
{
  gatomicrefcount references;
  int threads;
  StudioWaker *waker;

  GMutex lock; /* guards what follows */
  GCond asked;
  gboolean quit;
  guint newest;          /* question */
  Question *question;    /* NULL: none waits */
  GQueue answers;        /* StudioSweepAnswer, at most the two of one question */
  TosstContext *context; /* the worker's while it estimates, else NULL */
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
  g_clear_pointer (&self->found, tosst_sweep_result_free);
  g_free (self->problem);
  g_free (self);
}

static void
question_free (Question *question)
{
  tosst_sweep_free (question->sweep);
  g_object_unref (question->workspace);
  g_free (question);
}

static void
forget_answers (StudioSweepPlanner *self)
{
  g_queue_clear_full (&self->answers, (GDestroyNotify)studio_sweep_answer_free);
}

static void
planner_unref (StudioSweepPlanner *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->question, question_free);
  forget_answers (self);
  studio_waker_unref (self->waker);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->asked);
  g_free (self);
}

/* Worker. FALSE, and nothing is put, where the question is no longer the newest. */
static gboolean
put_answer (StudioSweepPlanner *self, StudioSweepAnswer *answer)
{
  gboolean current;

  g_mutex_lock (&self->lock);
  current = !self->quit && answer->question == self->newest;
  if (current)
    g_queue_push_tail (&self->answers, answer);
  g_mutex_unlock (&self->lock);
  if (current)
    studio_waker_ring (self->waker, 0);
  else
    studio_sweep_answer_free (answer);
  return current;
}

/* Worker: sleeps until there is a question; NULL when it is time to go. */
static Question *
next_question (StudioSweepPlanner *self)
{
  Question *question;

  g_mutex_lock (&self->lock);
  while (self->question == NULL && !self->quit)
    g_cond_wait (&self->asked, &self->lock);
  question = self->quit ? NULL : g_steal_pointer (&self->question);
  g_mutex_unlock (&self->lock);
  return question;
}

static StudioSweepAnswer *
answer_new (const Question *question)
{
  StudioSweepAnswer *answer = g_new0 (StudioSweepAnswer, 1);

  answer->question = question->number;
  return answer;
}

/* The plan, held by the worker too; NULL where there is none, or nobody wants it any longer. */
static StudioSweepPlan *
answer_plan (StudioSweepPlanner *self, const Question *question)
{
  StudioSweepAnswer *answer = answer_new (question);
  g_autoptr (StudioSweepPlan) shared = NULL;
  g_autoptr (GError) error = NULL;
  TosstSweepPlan *plan = tosst_sweep_plan_new (question->sweep, &error);

  if (plan != NULL && tosst_sweep_look (plan, question->workspace, &answer->found, &error))
    {
      shared = g_new0 (StudioSweepPlan, 1);
      g_atomic_ref_count_init (&shared->references);
      shared->plan = g_steal_pointer (&plan);
      answer->plan = studio_sweep_plan_ref (shared);
    }
  g_clear_pointer (&plan, tosst_sweep_plan_free);
  answer->problem = error != NULL ? g_strdup (error->message) : NULL;
  return put_answer (self, answer) ? g_steal_pointer (&shared) : NULL;
}

/* FALSE: nobody wants the answer any longer. */
static gboolean
set_context (StudioSweepPlanner *self, const Question *question, TosstContext *context)
{
  gboolean current;

  g_mutex_lock (&self->lock);
  current = !self->quit && question->number == self->newest;
  self->context = context;
  g_mutex_unlock (&self->lock);
  return current;
}

static void
answer_estimate (StudioSweepPlanner *self, const Question *question, StudioSweepPlan *plan)
{
  const TosstSweepOptions options = { .workspace = question->workspace, .jobs = question->jobs };
  TosstContext *context = tosst_context_new (self->threads);
  StudioSweepAnswer *answer = answer_new (question);
  g_autoptr (GError) error = NULL;

  if (context == NULL)
    g_error ("out of memory");
  if (set_context (self, question, context))
    answer->estimated = tosst_sweep_estimate (plan->plan, &options, context, &answer->estimate, &error);
  set_context (self, question, NULL);
  tosst_context_free (context);
  if (error != NULL && !g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    answer->problem = g_strdup (error->message);
  answer->plan = studio_sweep_plan_ref (plan);
  put_answer (self, answer);
}

static gpointer
work (gpointer data)
{
  StudioSweepPlanner *self = data;
  Question *question;

  studio_computing_yield ();
  while ((question = next_question (self)) != NULL)
    {
      g_autoptr (StudioSweepPlan) plan = answer_plan (self, question);

      if (plan != NULL)
        answer_estimate (self, question, plan);
      question_free (question);
    }
  planner_unref (self);
  return NULL;
}

StudioSweepPlanner *
studio_sweep_planner_new (int threads, StudioWakeFunc wake, gpointer data)
{
  StudioSweepPlanner *self = g_new0 (StudioSweepPlanner, 1);

  g_atomic_ref_count_init (&self->references);
  g_atomic_ref_count_inc (&self->references); /* the worker's */
  g_mutex_init (&self->lock);
  g_cond_init (&self->asked);
  g_queue_init (&self->answers);
  self->threads = threads;
  self->waker = studio_waker_new (wake, data);
  g_thread_unref (g_thread_new ("sweep-plan", work, self));
  return self;
}

void
studio_sweep_planner_free (StudioSweepPlanner *self)
{
  studio_waker_silence (self->waker);
  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  if (self->context != NULL)
    tosst_context_cancel (self->context);
  g_cond_signal (&self->asked);
  g_mutex_unlock (&self->lock);
  planner_unref (self);
}

guint
studio_sweep_planner_ask (StudioSweepPlanner *self, TosstSweep *sweep, GFile *workspace, int jobs)
{
  Question *question = NULL, *old;
  guint number;

  if (sweep != NULL)
    {
      question = g_new0 (Question, 1);
      question->sweep = sweep;
      question->workspace = g_object_ref (workspace);
      question->jobs = jobs;
    }
  g_mutex_lock (&self->lock);
  number = ++self->newest;
  if (question != NULL)
    question->number = number;
  old = self->question;
  self->question = question;
  forget_answers (self);
  if (self->context != NULL)
    tosst_context_cancel (self->context);
  g_cond_signal (&self->asked);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&old, question_free);
  return number;
}

StudioSweepAnswer *
studio_sweep_planner_take (StudioSweepPlanner *self)
{
  StudioSweepAnswer *answer;

  g_mutex_lock (&self->lock);
  answer = g_queue_pop_head (&self->answers);
  g_mutex_unlock (&self->lock);
  return answer;
}
