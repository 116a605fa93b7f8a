/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"

/* Recipes for a folder of images of which nothing else is known. A preset is a set of values of a recipe as a function
 * of the numbers and sizes of the images; labels of test images and pixels are not used. The recipe is an ordinary
 * one. */
typedef enum
{
  TOSST_PRESET_QUICK,
  TOSST_PRESET_BALANCED,
  TOSST_PRESET_BEST,
  TOSST_PRESET_TENSORS = 4, /* dictionaries alone, balanced */
  TOSST_N_PRESETS = 30
} TosstPreset;

/* A preset is an effort of a method: preset = method * TOSST_N_EFFORTS + effort. */
#define TOSST_N_EFFORTS 3
#define TOSST_N_PRESET_METHODS (TOSST_N_PRESETS / TOSST_N_EFFORTS)

const char *tosst_preset_name (TosstPreset preset); /* in commands: "quick"; NULL: it has none */
/* "Quick", or of another method than the first "Local Binary Patterns, Quick". Translated, new. */
char *tosst_preset_title (TosstPreset preset);
/* To be translated: the label and one sentence of an effort, and of a method. */
const char *tosst_preset_effort (int effort, const char **help);
const char *tosst_preset_method (int method, const char **help);
/* Preset of a name; TOSST_FAILED_RECIPE if there is none. */
gboolean tosst_preset_find (const char *name, TosstPreset *preset, GError **error);

/* Facts of a data set. */
typedef struct
{
  guint images, classes;
  guint smallest;    /* number of images of the smallest class */
  int width, height; /* medians */
} TosstFacts;

void tosst_facts_init (TosstFacts *facts, TosstDataset *dataset);

/* Sets path and kind of a folder, or of a table of labels; the kind by tosst_dataset_guess_kind(). */
gboolean tosst_preset_set_folder (TosstRecipe *recipe, GFile *folder, GError **error);
/* Whether the recipe names a method itself: a preset would add values of another one. */
gboolean tosst_preset_is_unfit (const TosstRecipe *recipe);
/* Sets size and distance of patches, about TOSST_PRESET_PATCHES of an image. */
void tosst_preset_set_patches (TosstRecipe *recipe, const TosstFacts *facts);
/* Sets all values of the preset; TOSST_N_PRESETS: those of patches on a grid alone. */
void tosst_preset_apply (TosstPreset preset, TosstRecipe *recipe, const TosstFacts *facts);
/* The recipe of a preset for the data set of source, all else by default. New. */
TosstRecipe *tosst_preset_recipe (TosstPreset preset, const TosstRecipe *source, const TosstFacts *facts);
/* The preset that gives this recipe; TOSST_N_PRESETS: none. */
TosstPreset tosst_preset_of (const TosstRecipe *recipe, const TosstFacts *facts);

#define TOSST_PRESET_PATCHES 500

/* One sentence about the values chosen by sizes and numbers, such as "half of each class trains; ...". New. */
char *tosst_preset_sentence (const TosstRecipe *recipe, const TosstFacts *facts);
