/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/stepper.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/local/image-tensors.h"
#include "core/store/store.h"
#include "studio/runs/workspace.h"
#include "studio/tasks/computing.h"
#include "studio/widgets/build.h"

/* A learning state and its inputs: plain data, owned by one task at a time and by the object between tasks. */
typedef struct StudioSteppedWork Work;
struct StudioSteppedWork
{
  gatomicrefcount references;
  TosstRecipe *recipe;
  TosstDataset *dataset;
  GFile *store;
  gint64 run;
  GCancellable *cancellable;
  TosstStepLearning *learning; /* NULL before it is open */
  StudioComputing computing;
};

typedef enum
{
  TASK_STEP, /* opens the session if necessary */
  TASK_BACK,
  TASK_LOOK, /* determines the next block */
} TaskKind;

typedef struct
{
  Work *work;
  TaskKind kind;
  gboolean single;
  TosstStep step;
  StudioAtoms *atoms;
  StudioAtomSet *set;
  TosstStep next;
  int kept;
  gboolean done, forgot, open;
} Task;

G_DEFINE_FINAL_TYPE (StudioStepper, studio_stepper, G_TYPE_OBJECT)

static void
work_unref (Work *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  tosst_step_learning_free (self->learning);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  tosst_recipe_free (self->recipe);
  g_clear_object (&self->store);
  g_object_unref (self->cancellable);
  studio_computing_clear (&self->computing);
  g_free (self);
}

TOSST_DEFINE_FREE (Task, task_free, (work, work_unref), (atoms, studio_atoms_unref), (set, studio_atom_set_unref))

/* Closes the session; a task that uses it ends soon, and its result is dropped. */
static void
let_go (StudioStepper *self)
{
  if (self->work != NULL)
    {
      g_cancellable_cancel (self->work->cancellable); /* of opening, which restarts after this */
      studio_computing_cancel (&self->work->computing);
    }
  g_clear_pointer (&self->work, work_unref);
  g_clear_pointer (&self->atoms, studio_atoms_unref);
  g_clear_pointer (&self->set, studio_atom_set_unref);
  g_clear_pointer (&self->problem, g_free);
  g_array_set_size (self->steps, 0);
  self->busy = self->has_next = self->forgot = FALSE;
  self->kept = 0;
}

STUDIO_DEFINE_FINALIZE_WITH (StudioStepper, studio_stepper, let_go (self), (steps, g_array_unref))

static void
studio_stepper_class_init (StudioStepperClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_stepper_finalize;
  studio_add_signal (klass, "changed", 0);
}

static void
studio_stepper_init (StudioStepper *self)
{
  self->steps = g_array_new (FALSE, FALSE, sizeof (TosstStep));
}

/* The task's thread. */

static gboolean
open_learning (Work *work, TosstContext *context, GError **error)
{
  g_autoptr (TosstStore) store = work->store != NULL && work->run != 0
                                     ? studio_workspace_open_store (work->store, TOSST_STORE_READ, NULL)
                                     : NULL;
  g_autoptr (GBytes) checkpoint
      = store != NULL ? tosst_store_artifact (store, work->run, 0, TOSST_STORE_CHECKPOINT, NULL) : NULL;

  if (!tosst_local_open_once (work->recipe, &work->dataset, work->cancellable, error))
    return FALSE;
  work->learning
      = tosst_step_learning_new (work->recipe, work->dataset, 0, checkpoint, STUDIO_STEPPER_HISTORY, context, error);
  return work->learning != NULL;
}

static void
choose_blocks (Task *task)
{
  tosst_stepper_set_single (tosst_step_learning_stepper (task->work->learning), task->single);
}

static gboolean
do_step (Task *task, GError **error)
{
  Work *work = task->work;
  TosstContext *context = studio_computing_begin (&work->computing, (int)g_get_num_processors ());
  gboolean fine = work->learning != NULL || open_learning (work, context, error);

  if (fine)
    {
      choose_blocks (task);
      fine = tosst_step_learning_step (work->learning, context, &task->step, error);
    }
  studio_computing_end (&work->computing);
  return fine;
}

static gboolean
do_task (Task *task, GError **error)
{
  if (task->kind == TASK_STEP)
    task->done = do_step (task, error);
  else
    choose_blocks (task);
  if (task->kind == TASK_BACK)
    task->done = tosst_stepper_back (tosst_step_learning_stepper (task->work->learning), &task->step);
  if (task->work->learning != NULL)
    {
      TosstStepper *stepper = tosst_step_learning_stepper (task->work->learning);
      const TosstDictionary *dictionary = tosst_stepper_dictionary (stepper);
      g_autofree double *usage = g_new (double, (gsize)dictionary->K);

      tosst_stepper_usage (stepper, usage);
      tosst_stepper_peek (stepper, &task->next);
      task->atoms = studio_atoms_new (dictionary, usage, 0, task->next.iteration);
      task->set = studio_atom_set_new (tosst_dictionary_copy (dictionary), task->work->recipe, NULL, NULL,
                                       (int)g_get_num_processors (), NULL);
      if (task->set != NULL)
        task->set->file = g_strdup_printf (_ ("steps of learning, iteration %d"), task->next.iteration);
      task->kept = tosst_stepper_undo_depth (stepper);
      task->forgot = tosst_stepper_is_truncated (stepper);
      task->open = TRUE;
    }
  return task->done;
}

/* Main thread. */

static void start (StudioStepper *self, TaskKind kind);

static void
on_done (StudioStepper *self, Task *task, const GError *error)
{
  if (self->work != task->work)
    return;
  self->busy = FALSE;
  if (task->done && task->kind == TASK_STEP)
    g_array_append_val (self->steps, task->step);
  else if (task->done && self->steps->len > 0)
    g_array_set_size (self->steps, self->steps->len - 1);
  if (error != NULL && !g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED)
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    self->problem = g_strdup (error->message);
  if (task->open)
    {
      g_clear_pointer (&self->atoms, studio_atoms_unref);
      self->atoms = g_steal_pointer (&task->atoms);
      g_clear_pointer (&self->set, studio_atom_set_unref);
      self->set = g_steal_pointer (&task->set);
      self->next = task->next;
      self->has_next = TRUE;
      self->kept = task->kept;
      self->forgot = task->forgot;
    }
  else
    g_clear_pointer (&self->work, work_unref); /* it could not be opened */
  if (self->work != NULL && task->single != self->single)
    start (self, TASK_LOOK); /* changed by the user meanwhile */
  else
    g_signal_emit_by_name (self, "changed");
}

static void
start (StudioStepper *self, TaskKind kind)
{
  Task *task = g_new0 (Task, 1);

  task->kind = kind;
  task->single = self->single;
  task->work = self->work;
  g_atomic_ref_count_inc (&self->work->references);
  self->work->computing.cancelled = FALSE; /* no task is running */
  self->busy = TRUE;
  g_clear_pointer (&self->problem, g_free);
  studio_task_run (self, do_task, task, task_free, on_done);
  g_signal_emit_by_name (self, "changed");
}

void
studio_stepper_begin (StudioStepper *self, const TosstRecipe *recipe, TosstDataset *dataset, GFile *store, gint64 run)
{
  let_go (self);
  self->work = g_new0 (Work, 1);
  g_atomic_ref_count_init (&self->work->references);
  studio_computing_init (&self->work->computing);
  self->work->recipe = tosst_recipe_copy (recipe);
  self->work->dataset = dataset != NULL ? tosst_dataset_ref (dataset) : NULL;
  self->work->store = store != NULL ? g_object_ref (store) : NULL;
  self->work->run = run;
  self->work->cancellable = g_cancellable_new ();
  start (self, TASK_STEP);
}

void
studio_stepper_step (StudioStepper *self)
{
  if (self->work != NULL && !self->busy)
    start (self, TASK_STEP);
}

void
studio_stepper_set_single (StudioStepper *self, gboolean single)
{
  self->single = single;
  if (self->work != NULL && !self->busy)
    start (self, TASK_LOOK);
}

void
studio_stepper_back (StudioStepper *self)
{
  if (studio_stepper_can_back (self))
    start (self, TASK_BACK);
}

void
studio_stepper_end (StudioStepper *self)
{
  if (self->work == NULL)
    return;
  let_go (self);
  g_signal_emit_by_name (self, "changed");
}

gboolean
studio_stepper_can_back (StudioStepper *self)
{
  return self->work != NULL && !self->busy && self->kept > 0;
}

static const char *
block_name (const TosstStep *step)
{
  switch (step->kind)
    {
    case TOSST_STEP_CODES:
      return _ ("codes");
    case TOSST_STEP_B:
      return step->atom > 0 ? _ ("the other B") : _ ("all B");
    case TOSST_STEP_b:
      return _ ("all b");
    case TOSST_STEP_BOTH:
      return step->atom > 0 ? _ ("the other B and all b") : _ ("all B and b");
    case TOSST_STEP_BETA:
      return "β";
    case TOSST_STEP_UNUSED:
    default:
      return _ ("unused atoms");
    }
}

char *
studio_step_describe (const TosstStep *step)
{
  return step->kind == TOSST_STEP_ONE_B ? g_strdup_printf (_ ("B of atom %d"), step->atom)
                                        : g_strdup (block_name (step));
}

char *
studio_stepper_describe_next (StudioStepper *self)
{
  return self->work != NULL && self->has_next ? studio_step_describe (&self->next) : NULL;
}
