/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <pango/pangocairo.h>

#include "core/formula/formula.h"

/* Stages: formula.c builds a tree of nodes, then boxes from it, and paints them; text.c reads the tree. */

/* Class of an atom, which determines the space between neighbours. */
typedef enum
{
  TOSST_ATOM_ORD,
  TOSST_ATOM_OP,
  TOSST_ATOM_BIN,
  TOSST_ATOM_REL,
  TOSST_ATOM_OPEN,
  TOSST_ATOM_CLOSE,
  TOSST_ATOM_PUNCT,
  TOSST_ATOM_INNER,
} TosstAtomClass;

typedef enum
{
  TOSST_FACE_UPRIGHT,
  TOSST_FACE_ITALIC,
  TOSST_FACE_CALLIGRAPHIC,
  TOSST_FACE_LARGE, /* operators that are larger in display style */
} TosstFace;

typedef struct
{
  const char *name; /* without its backslash; NULL: only accessible as a character */
  const char *text; /* drawn text; "" for nothing */
  TosstAtomClass atom;
  TosstFace face;
  gboolean limits;   /* in display style indices are set below and above it */
  double space;      /* width of a space, in em */
  const char *words; /* spoken form, "is at most", to be translated; NULL: text */
} TosstSymbol;

typedef enum
{
  TOSST_NODE_ROW,      /* children */
  TOSST_NODE_LINES,    /* children, stacked */
  TOSST_NODE_SYMBOL,   /* text */
  TOSST_NODE_SPACE,    /* width */
  TOSST_NODE_SCRIPTS,  /* base, sub, sup */
  TOSST_NODE_FRACTION, /* base over sub */
  TOSST_NODE_ROOT,     /* base */
  TOSST_NODE_ACCENT,   /* text over base */
  TOSST_NODE_FENCE,    /* base between open and close */
} TosstNodeKind;

typedef struct TosstNode TosstNode;
struct TosstNode
{
  TosstNodeKind kind;
  TosstAtomClass atom;
  TosstFace face;
  gboolean limits;
  gboolean in_line; /* set in text style */
  char *text;
  const char *words; /* spoken form of its symbol */
  double width;
  gunichar open, close;
  TosstNode *base, *sub, *sup;
  GPtrArray *children; /* TosstNode *, owned; or NULL */
};

/* Boxes. The origin of a box is the left end of its baseline; x and y (downwards) are relative to its parent's
 * origin. Ink lies within width, ascent and descent except for the slant of italic letters. */
typedef enum
{
  TOSST_BOX_LIST,
  TOSST_BOX_GLYPHS,
  TOSST_BOX_RULE,
  TOSST_BOX_DELIMITER,
  TOSST_BOX_RADICAL,
  TOSST_BOX_ACCENT,
} TosstBoxKind;

typedef struct TosstBox TosstBox;
struct TosstBox
{
  TosstBoxKind kind;
  double x, y, width, ascent, descent;
  double slant;     /* overhang of the ink at the top right */
  double free;      /* of a letter: width to the right of its ink, where an index may begin */
  double thickness; /* of lines */
  gunichar shape;   /* of a delimiter or an accent */
  gboolean single;  /* one glyph, whose indices have fixed heights */
  PangoLayout *layout;
  double baseline;     /* of the layout, from its top */
  double left;         /* of the layout, from its left end to the origin */
  GPtrArray *children; /* TosstBox *, owned; or NULL */
};

/* Height above the baseline of the axis of fractions, minus signs and brackets. */
double tosst_formula_axis (double size);

struct TosstFormula
{
  TosstNode *root;
  TosstBox *box; /* laid out for size; NULL: not yet */
  double size;
};
