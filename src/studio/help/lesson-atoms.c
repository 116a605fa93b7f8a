/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/help/lesson-atoms.h"

#include "core/base/error.h"
#include "studio/help/lesson-parts.h"

#include <glib/gi18n.h>

#define ATOMS 40
#define IMAGES 2
#define ITERATIONS 15

void
studio_lesson_atoms_free (gpointer data)
{
  StudioLessonAtoms *self = data;

  g_free (self->problem);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  g_free (self);
}

static TosstDictionary *
learn (TosstContext *context, const TosstRecipe *recipe, GError **error)
{
  TosstLayout *layout = tosst_layout_new_shape (tosst_recipe_shape (recipe));
  TosstDictionary *dictionary = NULL;
  TosstLearnOptions options;
  gsize n;
  float *tensors = studio_lesson_tensors (context, recipe, tosst_textures_count (), 0, IMAGES, &n, NULL);
  TosstStatus status = TOSST_ERROR_MEMORY;

  tosst_recipe_learn_options (recipe, &options);
  if (tensors != NULL && layout != NULL)
    status = tosst_learn (context, layout, tensors, n, &options, NULL, NULL, NULL, &dictionary);
  tosst_layout_free (layout);
  g_free (tensors);
  if (tosst_error_from_status (status, context, _ ("Learning"), error))
    return dictionary;
  tosst_dictionary_free (dictionary);
  return NULL;
}

static void
work (StudioWorker *worker, TosstContext *context, gpointer question, gpointer *session)
{
  StudioLessonAtoms *self = g_new0 (StudioLessonAtoms, 1);
  g_autoptr (TosstRecipe) recipe = studio_lesson_recipe (TRUE, FALSE);
  g_autoptr (GError) error = NULL;
  TosstDictionary *dictionary;

  recipe->dictionary.atoms = ATOMS;
  recipe->dictionary.iterations = ITERATIONS;
  self->dataset = tosst_dataset_open (recipe, NULL, &error);
  dictionary = self->dataset != NULL ? learn (context, recipe, &error) : NULL;
  if (dictionary != NULL)
    self->atoms = studio_atom_set_new (dictionary, recipe, NULL, NULL, 1, &error);
  if (error != NULL)
    self->problem = g_strdup (error->message);
  studio_worker_put (worker, self);
}

/* Any request is answered with a StudioLessonAtoms. */
static const StudioWork atoms_work = { work, g_free, studio_lesson_atoms_free, NULL, FALSE };

StudioWorker *
studio_lesson_atoms_learn (void (*ready) (gpointer data), gpointer data)
{
  StudioWorker *worker = studio_worker_new (&atoms_work, ready, data);

  studio_worker_ask (worker, g_malloc (1));
  return worker;
}

GtkWidget *
studio_lesson_atoms_stack (GtkWidget *work)
{
  GtkWidget *stack = gtk_stack_new (), *problem = gtk_label_new ("");

  gtk_widget_add_css_class (problem, "error");
  gtk_stack_add_named (GTK_STACK (stack), studio_lesson_waiting (_ ("Learning forty atoms…")), "waiting");
  gtk_stack_add_named (GTK_STACK (stack), work, "work");
  gtk_stack_add_named (GTK_STACK (stack), problem, "problem");
  gtk_stack_set_visible_child_name (GTK_STACK (stack), "waiting");
  return stack;
}

gboolean
studio_lesson_atoms_take (StudioWorker *worker, GtkWidget *stack, StudioLessonAtoms **atoms)
{
  StudioLessonAtoms *taken = studio_worker_take (worker);

  if (taken == NULL)
    return FALSE;
  g_clear_pointer (atoms, studio_lesson_atoms_free);
  *atoms = taken;
  if (taken->problem != NULL)
    gtk_label_set_label (GTK_LABEL (gtk_stack_get_child_by_name (GTK_STACK (stack), "problem")), taken->problem);
  gtk_stack_set_visible_child_name (GTK_STACK (stack), taken->problem != NULL ? "problem" : "work");
  return taken->problem == NULL;
}
