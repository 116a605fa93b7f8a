/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/report/dictionary-export.h"

#include <matio.h>

#include "core/base/base.h"
#include "core/plot/draw-slices.h"

/* Size of a cell in units of the drawing, and bounds of the total size, which includes labels and colours. */
#define CELL 16.0
#define MIN_SIDE 160.0
#define MAX_SIDE 900.0
#define ROOM_RIGHT 100.0
#define ROOM_BELOW 30.0

static void
append_header (GString *text, const TosstDictionary *dictionary)
{
  TosstShape shape = dictionary->shape;
  int third = shape.kind == TOSST_SHAPE_WHOLE ? shape.d3 : 1;

  g_string_append (text, "atom,scale");
  for (int s = 1; s <= dictionary->S; s++)
    g_string_append_printf (text, ",b_%d", s);
  for (int i = 1; i <= shape.d1; i++)
    for (int j = 1; j <= shape.d2; j++)
      for (int k = 1; k <= third; k++)
        if (shape.kind == TOSST_SHAPE_WHOLE)
          g_string_append_printf (text, ",B_%d_%d_%d", i, j, k);
        else
          g_string_append_printf (text, ",B_%d_%d", i, j);
  g_string_append_c (text, '\n');
}

gboolean
tosst_dictionary_export_csv (const TosstDictionary *dictionary, GFile *file, GError **error)
{
  gsize numbers = tosst_shape_atom_numbers (dictionary->shape);
  g_autoptr (TosstAtomicFile) output = tosst_atomic_file_open (file, error);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree double *B = g_new (double, numbers);

  append_header (text, dictionary);
  for (int k = 0; output && k < dictionary->K; k++)
    {
      tosst_atom_to_array (dictionary->shape, dictionary->V + (gsize)k * dictionary->D, B);
      g_string_append_printf (text, "%d", k + 1);
      tosst_csv_next_real (text, dictionary->scale);
      for (int s = 0; s < dictionary->S; s++)
        tosst_csv_next_real (text, dictionary->b[(gsize)k * dictionary->S + s]);
      for (gsize i = 0; i < numbers; i++)
        tosst_csv_next_real (text, B[i]);
      g_string_append_c (text, '\n');
      if (!tosst_atomic_file_write (output, text->str, text->len, error))
        return FALSE;
      g_string_truncate (text, 0);
    }
  return output && tosst_atomic_file_commit (output, error);
}

static void
draw_picture (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_named_matrix (cr, width, height, style, data);
}

gboolean
tosst_dictionary_export_picture (const TosstDictionary *dictionary, int k, GFile *folder, GError **error)
{
  TosstShape shape = dictionary->shape;
  gboolean whole = shape.kind == TOSST_SHAPE_WHOLE;
  gsize numbers = tosst_shape_atom_numbers (shape);
  g_autofree double *B = g_new (double, numbers), *slices = whole ? g_new (double, numbers) : NULL;
  g_autofree char *name = g_strdup_printf ("atom-%04d.png", k + 1);
  g_autoptr (GFile) file = g_file_get_child (folder, name);
  TosstMatrixDrawing picture = { whole ? slices : B, shape.d1, whole ? shape.d1 * shape.d1 : shape.d2 };

  tosst_atom_to_array (shape, dictionary->V + (gsize)k * dictionary->D, B);
  /* The slices X[:,:,s] of a whole atom from left to right. */
  for (gsize i = 0, at = 0, d = (gsize)shape.d1; whole && i < d; i++)
    for (gsize j = 0; j < d; j++)
      for (gsize s = 0; s < d; s++)
        slices[(i * d + s) * d + j] = B[at++];
  return tosst_draw_save (draw_picture, &picture, CLAMP (CELL * picture.columns, MIN_SIDE, MAX_SIDE) + ROOM_RIGHT,
                          CLAMP (CELL * picture.rows, MIN_SIDE, MAX_SIDE) + ROOM_BELOW, file, error);
}

/* MATLAB files, written with MAT File I/O to a temporary file. The library does not report a full disk: the file is
 * read back and compared before it replaces the target. */

/* Maximum size of a variable: offsets of level 5 have 32 bits. */
#define MAX_BYTES 0x7fffffff

/* Bytes of the file header. */
#define HEADER 128

typedef matvar_t Variable;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Variable, Mat_VarFree)

static gboolean
fail (GFile *file, const char *why, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);

  return tosst_fail (error, TOSST_FAILED_OUTPUT, "%s %s", name, why);
}

/* Creates a variable with a copy of values. */
static Variable *
array_new (const char *name, int rank, size_t *dims, const double *values)
{
  return Mat_VarCreate (name, MAT_C_DOUBLE, MAT_T_DOUBLE, rank, dims, (gpointer)values, 0);
}

static Variable *
number_new (const char *name, double value)
{
  return array_new (name, 2, (size_t[]){ 1, 1 }, &value);
}

/* B of all atoms with the first index fastest, as in MATLAB. Symmetric atoms need no transposition. */
static Variable *
atoms_new (const TosstDictionary *dictionary)
{
  TosstShape shape = dictionary->shape;
  gsize numbers = tosst_shape_atom_numbers (shape), rows = shape.d1, columns = shape.d2, K = dictionary->K;
  gboolean whole = shape.kind == TOSST_SHAPE_WHOLE;
  g_autofree double *B = g_new (double, numbers *K), *one = g_new (double, numbers);

  for (gsize k = 0; k < K; k++)
    {
      double *out = B + k * numbers;

      tosst_atom_to_array (shape, dictionary->V + k * dictionary->D, one);
      if (whole)
        memcpy (out, one, sizeof *out * numbers);
      else
        for (gsize i = 0; i < rows; i++)
          for (gsize j = 0; j < columns; j++)
            out[j * rows + i] = one[i * columns + j];
    }
  return whole ? array_new ("B", 4, (size_t[]){ rows, rows, rows, K }, B)
               : array_new ("B", 3, (size_t[]){ rows, columns, K }, B);
}

static const char *
shape_name (TosstShapeKind kind)
{
  switch (kind)
    {
    case TOSST_SHAPE_WHOLE:
      return "whole";
    case TOSST_SHAPE_SYMMETRIC:
      return "symmetric";
    case TOSST_SHAPE_GENERAL:
      return "general";
    case TOSST_SHAPE_SUPER_SYMMETRIC:
    default:
      return "super-symmetric";
    }
}

static void
set_text (Variable *meta, const char *field, const char *text)
{
  size_t dims[2] = { 1 };

  if (!text)
    return;
  /* Only ASCII text is read by all readers of level 5. */
  g_autofree char *ascii = g_str_to_ascii (text, "C");
  dims[1] = strlen (ascii);
  Mat_VarSetStructFieldByName (meta, field, 0, Mat_VarCreate (NULL, MAT_C_CHAR, MAT_T_UTF8, 2, dims, ascii, 0));
}

static Variable *
meta_new (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta)
{
  static const char *fields[] = { "program", "shape", "version", "recipe", "fingerprint", "objective", "iterations" };
  Variable *self = Mat_VarCreateStruct ("meta", 2, (size_t[]){ 1, 1 }, fields, G_N_ELEMENTS (fields));

  if (!self)
    return NULL;
  set_text (self, "program", "TOSST Studio");
  set_text (self, "shape", shape_name (dictionary->shape.kind));
  if (!meta)
    return self;
  set_text (self, "version", meta->version);
  set_text (self, "recipe", meta->recipe);
  set_text (self, "fingerprint", meta->fingerprint);
  Mat_VarSetStructFieldByName (self, "objective", 0, number_new (NULL, meta->objective));
  Mat_VarSetStructFieldByName (self, "iterations", 0, number_new (NULL, meta->iterations));
  return self;
}

static gboolean
is_same (Variable *a, Variable *b)
{
  if (!a || !b || a->class_type != b->class_type)
    return FALSE;
  if (a->class_type != MAT_C_STRUCT)
    return a->nbytes == b->nbytes && (a->nbytes == 0 || memcmp (a->data, b->data, a->nbytes) == 0);
  if (Mat_VarGetNumberOfFields (a) != Mat_VarGetNumberOfFields (b))
    return FALSE;
  for (unsigned i = 0; i < Mat_VarGetNumberOfFields (a); i++)
    {
      Variable *p = Mat_VarGetStructFieldByIndex (a, i, 0), *q = Mat_VarGetStructFieldByIndex (b, i, 0);

      /* An unset field is written as an empty one. */
      if ((p || (q && q->nbytes > 0)) && !is_same (p, q))
        return FALSE;
    }
  return TRUE;
}

/* For a truncated file the library returns variables with uninitialised memory in place of the missing data. The
 * check walks the headers: each variable starts with its type and length, the first one after the file header. */
static gboolean
ends_with_variable (const char *path)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, NULL);
  gsize length = file ? g_mapped_file_get_length (file) : 0, at = HEADER;
  guint32 tag[2];

  for (; at + sizeof tag <= length; at += sizeof tag + tag[1])
    memcpy (tag, g_mapped_file_get_contents (file) + at, sizeof tag);
  return at == length;
}

static gboolean
write_variables (const char *path, Variable **variables, guint n)
{
  mat_t *mat = Mat_CreateVer (path, NULL, MAT_FT_MAT5);
  gboolean good = mat != NULL;

  for (guint i = 0; good && i < n; i++)
    good = Mat_VarWrite (mat, variables[i], MAT_COMPRESSION_NONE) == 0;
  if (mat && Mat_Close (mat) != 0)
    good = FALSE;
  if (!good || !ends_with_variable (path))
    return FALSE;
  mat = Mat_Open (path, MAT_ACC_RDONLY);
  good = mat != NULL;
  for (guint i = 0; good && i < n; i++)

    {
      /* Whether the file contains an identical copy of the variable. */
      g_autoptr (Variable) read = Mat_VarRead (mat, variables[i]->name);

      good = is_same (variables[i], read);
    }

  if (mat)
    Mat_Close (mat);
  return good;
}

gboolean
tosst_dictionary_export_mat (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta, GFile *file,
                             GError **error)
{
  if ((double)tosst_shape_atom_numbers (dictionary->shape) * dictionary->K * sizeof (double) > MAX_BYTES)
    return fail (file, _ ("cannot hold the atoms: a MATLAB file of level 5 is limited to 2 GB"), error);
  g_autoptr (TosstAtomicFile) output = tosst_atomic_file_open_named (file, error);
  if (!output)
    return FALSE;
  g_autoptr (Variable) B = atoms_new (dictionary);
  g_autoptr (Variable) b = array_new ("b", 2, (size_t[]){ dictionary->S, dictionary->K }, dictionary->b);
  g_autoptr (Variable) scale = number_new ("scale", dictionary->scale);
  g_autoptr (Variable) about = meta_new (dictionary, meta);
  if (!B || !b || !scale || !about)
    return fail (file, _ ("could not be written: not enough memory"), error);
  /* meta is last: if it can be read back, everything before it has been written. */
  if (!write_variables (tosst_atomic_file_temporary_path (output), (Variable *[]){ B, b, scale, about }, 4))
    return fail (file, _ ("could not be written; is the disk full?"), error);
  return tosst_atomic_file_commit (output, error);
}
