/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/atoms/shared-atoms.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/dictionary/common-atoms.h"
#include "studio/atoms/atom-grid.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/build.h"

#define SHOWN 12

struct _StudioSharedAtoms
{
  AdwBin parent_instance;
  StudioWorker *worker; /* NULL before the first request */
  guint asked;          /* number of the pending request */

  GtkWidget *note, *grid;
};

G_DEFINE_FINAL_TYPE (StudioSharedAtoms, studio_shared_atoms, ADW_TYPE_BIN)

/* Requests and answers. */

typedef struct
{
  guint number;
  StudioAtomSet *atoms;
  TosstDataset *dataset;
  GArray *samples;
} Question;

typedef struct
{
  guint number;
  StudioAtoms *atoms; /* NULL: */
  char *problem;
} Answer;

/* Cached by the worker: preparing a coder takes longer than coding a block. */
typedef struct
{
  StudioAtomSet *atoms;
  TosstPatchCoder *coder;
} Session;

TOSST_DEFINE_FREE (Question, free_question, (atoms, studio_atom_set_unref), (dataset, tosst_dataset_unref),
                   (samples, g_array_unref))

TOSST_DEFINE_FREE (Answer, free_answer, (atoms, studio_atoms_unref), (problem, g_free))

TOSST_DEFINE_FREE (Session, free_session, (coder, tosst_patch_coder_free), (atoms, studio_atom_set_unref))

static gboolean
prepare (Session *self, StudioAtomSet *atoms, TosstContext *context, GError **error)
{
  if (self->coder != NULL && self->atoms == atoms)
    return TRUE;
  g_clear_pointer (&self->coder, tosst_patch_coder_free);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
  self->atoms = studio_atom_set_ref (atoms);
  return tosst_error_from_status (tosst_patch_coder_new (atoms->recipe, context, atoms->dictionary, &self->coder),
                                  context, _ ("Coding"), error);
}

static void
work (StudioWorker *worker, TosstContext *context, gpointer data, gpointer *session)
{
  const Question *question = data;
  const TosstDictionary *dictionary = question->atoms->dictionary;
  g_autoptr (GArray) common = NULL;
  g_autoptr (GError) error = NULL;
  Answer *answer;

  if (*session == NULL)
    *session = g_new0 (Session, 1);
  if (prepare (*session, question->atoms, context, &error))
    common = tosst_common_atoms (question->atoms->recipe, context, ((Session *)*session)->coder, dictionary->K,
                                 question->dataset, question->samples, SHOWN, &error);
  if (common == NULL && g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return;
  answer = g_new0 (Answer, 1);
  answer->number = question->number;
  if (common != NULL)
    answer->atoms = studio_atoms_new_common (dictionary, common);
  else
    answer->problem = g_strdup (error->message);
  studio_worker_put (worker, answer);
}

static const StudioWork shared_work = { work, free_question, free_answer, free_session, TRUE };

static void
on_wake (gpointer data)
{
  StudioSharedAtoms *self = data;
  Answer *answer;

  while ((answer = studio_worker_take (self->worker)) != NULL)
    {
      if (answer->number == self->asked)
        {
          gboolean some = answer->atoms != NULL && answer->atoms->n > 0;

          studio_atom_grid_set_atoms (STUDIO_ATOM_GRID (self->grid), some ? answer->atoms : NULL);
          gtk_widget_set_visible (self->grid, some);
          studio_label_show_problem (self->note, answer->problem != NULL ? answer->problem
                                                 : some                  ? NULL
                                                                         : _ ("Their codes use no atom at all."));
        }
      free_answer (answer);
    }
}

static void
on_activated (StudioSharedAtoms *self, int atom)
{
  g_signal_emit_by_name (self, "atom-chosen", atom);
}

void
studio_shared_atoms_show (StudioSharedAtoms *self, StudioAtomSet *atoms, TosstDataset *dataset, const GArray *samples)
{
  Question *question;
  gboolean some = atoms != NULL && atoms->recipe != NULL && samples->len > 0;

  self->asked++;
  gtk_widget_set_visible (GTK_WIDGET (self), some);
  gtk_widget_set_visible (self->grid, FALSE);
  studio_atom_grid_set_atoms (STUDIO_ATOM_GRID (self->grid), NULL);
  if (!some)
    return;
  studio_label_show_problem (self->note, _ ("Coding these blocks"));
  question = g_new0 (Question, 1);
  *question = (Question){ self->asked, studio_atom_set_ref (atoms), tosst_dataset_ref (dataset),
                          g_array_copy ((GArray *)samples) };
  studio_worker_ask_first (&self->worker, &shared_work, on_wake, self, question);
}

STUDIO_DEFINE_DISPOSE (StudioSharedAtoms, studio_shared_atoms, (worker, studio_worker_free))

static void
studio_shared_atoms_class_init (StudioSharedAtomsClass *klass)
{
  g_type_ensure (STUDIO_TYPE_ATOM_GRID);
  G_OBJECT_CLASS (klass)->dispose = studio_shared_atoms_dispose;
  studio_add_signal (klass, "atom-chosen", 1, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioSharedAtoms, "shared-atoms", note, grid);
  STUDIO_BIND_CALLBACKS (klass, on_activated);
}

static void
studio_shared_atoms_init (StudioSharedAtoms *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
