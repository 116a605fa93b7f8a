/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Saves a dictionary to a file that the programs and NumPy read, and loads it again. The library opens no files; a
 * dictionary is a zip file of arrays, B.npy (K x d x d), b.npy (K x d) and scale.npy:
 *
 *     cc dictionary.c $(pkg-config --cflags --libs tosst libzip) -lm -o dictionary
 *     ./dictionary D.npz
 *     tosst code T.npy --dictionary D.npz -o A.npy
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tosst/tosst.h>
#include <zip.h>

enum
{
  HEADER = 128 /* bytes before the numbers of an array */
};

/* Adds an array of float64 to the file; ndim 0 is a number. */
static bool
add_array (zip_t *file, const char *name, int ndim, const int *shape, const double *numbers)
{
  char sides[64] = "", text[HEADER + 1];
  size_t count = 1;
  for (int i = 0; i < ndim; i++)
    {
      snprintf (sides + strlen (sides), sizeof sides - strlen (sides), "%d, ", shape[i]);
      count *= (size_t)shape[i];
    }
  snprintf (text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", sides);
  char *bytes = malloc (HEADER + sizeof *numbers * count);
  if (!bytes)
    return false;
  memcpy (bytes, "\x93NUMPY\x01\x00\x76\x00", 10); /* 0x76 = 118 bytes of text follow */
  memset (bytes + 10, ' ', HEADER - 11);
  memcpy (bytes + 10, text, strlen (text));
  bytes[HEADER - 1] = '\n';
  memcpy (bytes + HEADER, numbers, sizeof *numbers * count);
  zip_source_t *source = zip_source_buffer (file, bytes, HEADER + sizeof *numbers * count, 1); /* frees bytes */
  return source && zip_file_add (file, name, source, ZIP_FL_OVERWRITE) >= 0;
}

static bool
save (const TosstDictionary *dictionary, const char *path)
{
  int K = dictionary->K, d = dictionary->d, B_shape[] = { K, d, d }, b_shape[] = { K, dictionary->S };
  double *B = malloc (sizeof *B * K * d * d), *b = malloc (sizeof *b * K * dictionary->S);
  zip_t *file = B && b ? zip_open (path, ZIP_CREATE | ZIP_TRUNCATE, NULL) : NULL;
  bool fine = file != NULL;
  if (fine)
    {
      tosst_dictionary_get (dictionary, B, b);
      fine = add_array (file, "B.npy", 3, B_shape, B) && add_array (file, "b.npy", 2, b_shape, b)
             && add_array (file, "scale.npy", 0, NULL, &dictionary->scale);
      if (!fine || zip_close (file) != 0)
        {
          zip_discard (file);
          fine = false;
        }
    }
  free (B);
  free (b);
  return fine;
}

/* Returns the numbers of an array of float64 in C order, which the caller frees, and its sides; NULL if it is another. */
static double *
read_array (zip_t *file, const char *name, int ndim, int *shape)
{
  unsigned char start[10];
  char text[65536] = "";
  double *numbers = NULL;
  size_t bytes = sizeof *numbers;
  zip_file_t *member = zip_fopen (file, name, 0);
  if (member && zip_fread (member, start, sizeof start) == sizeof start && memcmp (start, "\x93NUMPY\x01", 7) == 0)
    {
      zip_fread (member, text, start[8] + 256u * start[9]);
      char *at = strchr (text, '(');
      bool fine = at && strstr (text, "'<f8'") && strstr (text, "False");
      for (int i = 0; i < ndim && fine; i++)
        {
          shape[i] = (int)strtol (at + 1, &at, 10);
          fine = shape[i] > 0 && bytes < ((size_t)1 << 40) / (size_t)shape[i];
          bytes *= (size_t)shape[i];
        }
      numbers = fine ? malloc (bytes) : NULL;
      if (numbers && zip_fread (member, numbers, bytes) != (zip_int64_t)bytes)
        {
          free (numbers);
          numbers = NULL;
        }
    }
  if (member)
    zip_fclose (member);
  return numbers;
}

static TosstDictionary *
load (const char *path)
{
  zip_t *file = zip_open (path, ZIP_RDONLY, NULL);
  int B_shape[3] = { 0 }, b_shape[2] = { 0 };
  double *B = file ? read_array (file, "B.npy", 3, B_shape) : NULL,
         *b = file ? read_array (file, "b.npy", 2, b_shape) : NULL,
         *scale = file ? read_array (file, "scale.npy", 0, NULL) : NULL;
  TosstDictionary *dictionary = NULL;
  if (B && b && B_shape[1] == B_shape[2] && b_shape[0] == B_shape[0] && b_shape[1] == B_shape[1])
    dictionary = tosst_dictionary_new (B_shape[1], B_shape[0]);
  if (dictionary)
    {
      tosst_dictionary_set (dictionary, B, b);
      dictionary->scale = scale ? *scale : 1;
    }
  free (B);
  free (b);
  free (scale);
  if (file)
    zip_discard (file);
  return dictionary;
}

int
main (int argc, char **argv)
{
  const char *path = argc > 1 ? argv[1] : "D.npz";
  TosstAtomSet set = { tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 6), TOSST_SCHEME_PSD, 0 };
  TosstDictionary *dictionary = tosst_dictionary_new (6, 10), *found;
  TosstRandom random;
  double *work = malloc (sizeof *work * tosst_atom_set_work (&set));
  tosst_random_init (&random, 1, 0);
  for (int k = 0; k < dictionary->K; k++) /* in place of learning */
    tosst_random_atom (&set, false, &random, dictionary->V + k * dictionary->D, dictionary->b + k * dictionary->S,
                       work);
  dictionary->scale = 2.5;

  found = save (dictionary, path) ? load (path) : NULL;
  bool same = found && found->K == dictionary->K && found->scale == dictionary->scale
              && memcmp (found->b, dictionary->b, sizeof *found->b * found->K * found->S) == 0;
  printf ("%s %s\n", path, same ? "has the atoms that were written" : "could not be written or read");
  tosst_dictionary_free (found);
  tosst_dictionary_free (dictionary);
  free (work);
  return same ? 0 : 1;
}
