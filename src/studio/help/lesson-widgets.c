/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson-widgets.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/dictionary/atom-usage.h"
#include "studio/help/lesson.h"
#include "studio/widgets/build.h"
#include "tosst/learn.h"

/* The atoms. */

/* A page that shows work under way. */
static GtkWidget *
waiting_page_new (const char *text)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *spinner = gtk_spinner_new ();
  GtkWidget *label = gtk_label_new (text);

  /* Where it is not shown it would ask for frames all the time. */
  g_signal_connect (spinner, "map", G_CALLBACK (gtk_spinner_start), NULL);
  g_signal_connect (spinner, "unmap", G_CALLBACK (gtk_spinner_stop), NULL);
  gtk_widget_set_size_request (spinner, 32, 32);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), spinner);
  gtk_box_append (GTK_BOX (box), label);
  return box;
}

#define ATOMS 40
#define IMAGES 2
#define ITERATIONS 15

TOSST_DEFINE_FREE (StudioLessonAtoms, atoms_free, (problem, g_free), (atoms, studio_atom_set_unref),
                   (dataset, tosst_dataset_unref))

static TosstDictionary *
learn (TosstContext *context, const TosstRecipe *recipe, GError **error)
{
  TosstLayout *layout = tosst_layout_new_shape (tosst_recipe_shape (recipe));
  TosstDictionary *dictionary = NULL;
  TosstLearnOptions options;
  gsize n;
  float *tensors = studio_lesson_tensors (context, recipe, TOSST_TEXTURES, 0, IMAGES, &n, NULL);
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
learn_atoms (StudioWorker *worker, TosstContext *context, gpointer question, gpointer *session)
{
  StudioLessonAtoms *self = g_new0 (StudioLessonAtoms, 1);
  g_autoptr (TosstRecipe) recipe = studio_lesson_recipe (TRUE, FALSE);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstAtomUsage) usage = NULL;

  recipe->dictionary.atoms = ATOMS;
  recipe->dictionary.iterations = ITERATIONS;
  self->dataset = tosst_dataset_open (recipe, NULL, &error);
  TosstDictionary *dictionary = self->dataset != NULL ? learn (context, recipe, &error) : NULL;
  if (dictionary != NULL)
    usage = tosst_find_usage (recipe, context, dictionary, self->dataset, &error);
  if (usage != NULL)
    self->atoms = studio_atom_set_new (dictionary, recipe, usage, self->dataset, 1, &error);
  else
    tosst_dictionary_free (dictionary);
  if (error != NULL)
    self->problem = g_strdup (error->message);
  studio_worker_put (worker, self);
}

/* Shows a page about the learning until there are atoms, or a problem. */
static GtkWidget *
stack_new (GtkWidget *work)
{
  GtkWidget *stack = gtk_stack_new (), *problem = gtk_label_new ("");

  gtk_widget_add_css_class (problem, "error");
  gtk_stack_add_named (GTK_STACK (stack), waiting_page_new (_ ("Learning forty atoms…")), "waiting");
  gtk_stack_add_named (GTK_STACK (stack), work, "work");
  gtk_stack_add_named (GTK_STACK (stack), problem, "problem");
  gtk_stack_set_visible_child_name (GTK_STACK (stack), "waiting");
  return stack;
}

/* The widgets. */

static const StudioLessonKind *const kinds[] = { &studio_lesson_patch, &studio_lesson_steps, &studio_lesson_code,
                                                 &studio_lesson_rank,  &studio_lesson_atoms, &studio_lesson_overfit };

#define STUDIO_TYPE_LESSON_WIDGET (studio_lesson_widget_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonWidget, studio_lesson_widget, STUDIO, LESSON_WIDGET, AdwBin)

struct _StudioLessonWidget
{
  AdwBin parent_instance;
  const StudioLessonKind *kind; /* NULL: it was disposed of */
  StudioLessonState *state;
};

G_DEFINE_FINAL_TYPE (StudioLessonWidget, studio_lesson_widget, ADW_TYPE_BIN)

static void
on_atoms (StudioLessonWidget *self, StudioLessonAtoms *atoms)
{
  GtkStack *stack = GTK_STACK (self->state->stack);

  self->state->atoms = atoms;
  if (atoms->problem != NULL)
    gtk_label_set_label (GTK_LABEL (gtk_stack_get_child_by_name (stack, "problem")), atoms->problem);
  gtk_stack_set_visible_child_name (stack, atoms->problem != NULL ? "problem" : "work");
  if (atoms->problem == NULL)
    self->kind->ready (self->state);
}

/* Any request is answered so. */
static const StudioWork atoms_work
    = { G_CALLBACK (learn_atoms), g_free, atoms_free, NULL, G_CALLBACK (on_atoms), .keeps = TRUE };

static void
studio_lesson_widget_map (GtkWidget *widget)
{
  StudioLessonWidget *self = STUDIO_LESSON_WIDGET (widget);

  GTK_WIDGET_CLASS (studio_lesson_widget_parent_class)->map (widget);
  if (self->kind->ready == NULL)
    self->kind->map (self->state);
  else if (self->state->worker == NULL)
    studio_worker_ask_first (&self->state->worker, &atoms_work, NULL, self, g_malloc (1));
}

static void
studio_lesson_widget_dispose (GObject *object)
{
  StudioLessonWidget *self = STUDIO_LESSON_WIDGET (object);
  const StudioLessonKind *kind = g_steal_pointer (&self->kind);

  g_clear_pointer (&self->state->worker, studio_worker_free);
  if (kind != NULL && kind->clear != NULL)
    kind->clear (self->state);
  g_clear_pointer (&self->state->atoms, atoms_free);
  G_OBJECT_CLASS (studio_lesson_widget_parent_class)->dispose (object);
}

/* Children may tell their last changes until they are disposed of. */
STUDIO_DEFINE_FINALIZE (StudioLessonWidget, studio_lesson_widget, (state, g_free))

static void
studio_lesson_widget_class_init (StudioLessonWidgetClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_lesson_widget_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_lesson_widget_finalize;
  GTK_WIDGET_CLASS (klass)->map = studio_lesson_widget_map;
}

STUDIO_DEFINE_INIT (StudioLessonWidget, studio_lesson_widget)

static GtkWidget *
make (const StudioLessonKind *kind)
{
  StudioLessonWidget *self = g_object_new (STUDIO_TYPE_LESSON_WIDGET, NULL);

  self->kind = kind;
  self->state = g_malloc0 (kind->size);
  GtkWidget *child = kind->build (self->state);
  if (kind->ready != NULL)
    child = self->state->stack = stack_new (child);
  adw_bin_set_child (ADW_BIN (self), child);
  return GTK_WIDGET (self);
}

GtkWidget *
studio_lesson_widget_new (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (kinds[i]->name, name) == 0)
      return make (kinds[i]);
  return NULL;
}

void
studio_lesson_widget_set_mode (GtkWidget *widget, const char *mode)
{
  StudioLessonWidget *self = STUDIO_LESSON_WIDGET (widget);

  if (self->kind->set_mode != NULL)
    self->kind->set_mode (self->state, mode);
}

gboolean
studio_lesson_widget_is_ready (GtkWidget *widget)
{
  StudioLessonWidget *self = STUDIO_LESSON_WIDGET (widget);

  return self->kind->is_ready != NULL ? self->kind->is_ready (self->state) : self->state->atoms != NULL;
}
