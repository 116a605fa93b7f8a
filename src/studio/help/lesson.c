/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson.h"

/* In teaching order. */
static const char *const names[] = { "tensor", "slices", "step", "sparsity", "rank", "overfitting" };

static void
add_child (GtkBuildable *buildable, GtkBuilder *builder, GObject *child, const char *type)
{
  g_ptr_array_add (STUDIO_LESSON (buildable)->pages, g_object_ref (child));
}

static void
buildable_init (GtkBuildableIface *iface)
{
  iface->add_child = add_child;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (StudioLesson, studio_lesson, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_BUILDABLE, buildable_init))

static void
studio_lesson_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  StudioLesson *self = STUDIO_LESSON (object);

  g_free (self->fields[id]);
  self->fields[id] = g_value_dup_string (value);
}

static void
studio_lesson_finalize (GObject *object)
{
  StudioLesson *self = STUDIO_LESSON (object);

  for (guint i = 0; i < STUDIO_N_LESSON_FIELDS; i++)
    g_free (self->fields[i]);
  g_ptr_array_unref (self->pages);
  G_OBJECT_CLASS (studio_lesson_parent_class)->finalize (object);
}

static void
studio_lesson_class_init (StudioLessonClass *klass)
{
  static const char *const fields[]
      = { NULL, "title", "text", "formula", "widget", "mode", "question", "answer", "subtitle" };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  G_STATIC_ASSERT (G_N_ELEMENTS (fields) == STUDIO_N_LESSON_FIELDS);
  object_class->set_property = studio_lesson_set_property;
  object_class->finalize = studio_lesson_finalize;
  for (guint i = 1; i < STUDIO_N_LESSON_FIELDS; i++)
    g_object_class_install_property (
        object_class, i, g_param_spec_string (fields[i], NULL, NULL, NULL, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
}

static void
studio_lesson_init (StudioLesson *self)
{
  self->pages = g_ptr_array_new_with_free_func (g_object_unref);
}

const char *
studio_lesson_get (StudioLesson *self, StudioLessonField field)
{
  return self->fields[field] != NULL ? self->fields[field] : "";
}

guint
studio_lessons_count (void)
{
  return G_N_ELEMENTS (names);
}

StudioLesson *
studio_lesson_load (guint index)
{
  g_autofree char *path = g_strdup_printf ("/io/github/tosst/Studio/lessons/%s.ui", names[index]);

  g_type_ensure (STUDIO_TYPE_LESSON);
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource (path);
  StudioLesson *self = g_object_ref (STUDIO_LESSON (gtk_builder_get_object (builder, "lesson")));
  self->name = names[index];
  return self;
}
