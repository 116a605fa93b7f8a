/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson.h"

#include "studio/widgets/build.h"

/* In teaching order. */
static const char *const names[] = { "tensor", "slices", "step", "sparsity", "rank", "overfitting" };

/* Pages. */

struct _StudioLessonPage
{
  GObject parent_instance;
  char *fields[STUDIO_N_PAGE_FIELDS];
};

G_DEFINE_FINAL_TYPE (StudioLessonPage, studio_lesson_page, G_TYPE_OBJECT)

static void
studio_lesson_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  StudioLessonPage *self = STUDIO_LESSON_PAGE (object);

  g_free (self->fields[id]);
  self->fields[id] = g_value_dup_string (value);
}

static void
studio_lesson_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_string (value, STUDIO_LESSON_PAGE (object)->fields[id]);
}

static void
studio_lesson_page_finalize (GObject *object)
{
  StudioLessonPage *self = STUDIO_LESSON_PAGE (object);

  for (guint i = 0; i < STUDIO_N_PAGE_FIELDS; i++)
    g_free (self->fields[i]);
  G_OBJECT_CLASS (studio_lesson_page_parent_class)->finalize (object);
}

static void
studio_lesson_page_class_init (StudioLessonPageClass *klass)
{
  static const char *const fields[] = { NULL, "title", "text", "formula", "widget", "mode", "question", "answer" };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  G_STATIC_ASSERT (G_N_ELEMENTS (fields) == STUDIO_N_PAGE_FIELDS);
  object_class->set_property = studio_lesson_page_set_property;
  object_class->get_property = studio_lesson_page_get_property;
  object_class->finalize = studio_lesson_page_finalize;
  for (guint i = 1; i < STUDIO_N_PAGE_FIELDS; i++)
    g_object_class_install_property (
        object_class, i, g_param_spec_string (fields[i], NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
}

static void
studio_lesson_page_init (StudioLessonPage *self)
{
}

const char *
studio_lesson_page_get (StudioLessonPage *self, StudioPageField field)
{
  return self->fields[field] != NULL ? self->fields[field] : "";
}

/* Lessons. */

enum
{
  PROP_TITLE = 1,
  PROP_SUBTITLE,
};

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
  char **field = id == PROP_TITLE ? &self->title : &self->subtitle;

  g_free (*field);
  *field = g_value_dup_string (value);
}

static void
studio_lesson_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  StudioLesson *self = STUDIO_LESSON (object);

  g_value_set_string (value, id == PROP_TITLE ? self->title : self->subtitle);
}

STUDIO_DEFINE_FINALIZE (StudioLesson, studio_lesson, (title, g_free), (subtitle, g_free), (pages, g_ptr_array_unref))

static void
studio_lesson_class_init (StudioLessonClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  object_class->set_property = studio_lesson_set_property;
  object_class->get_property = studio_lesson_get_property;
  object_class->finalize = studio_lesson_finalize;
  g_object_class_install_property (object_class, PROP_TITLE, g_param_spec_string ("title", NULL, NULL, NULL, flags));
  g_object_class_install_property (object_class, PROP_SUBTITLE,
                                   g_param_spec_string ("subtitle", NULL, NULL, NULL, flags));
}

static void
studio_lesson_init (StudioLesson *self)
{
  self->pages = g_ptr_array_new_with_free_func (g_object_unref);
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
  g_autoptr (GtkBuilder) builder = NULL;
  StudioLesson *self;

  g_type_ensure (STUDIO_TYPE_LESSON);
  g_type_ensure (STUDIO_TYPE_LESSON_PAGE);
  builder = gtk_builder_new_from_resource (path);
  self = g_object_ref (STUDIO_LESSON (gtk_builder_get_object (builder, "lesson")));
  self->name = names[index];
  return self;
}
