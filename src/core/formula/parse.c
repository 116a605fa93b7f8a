/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/formula/private.h"

#define ORD(name, text, words)                                                                                         \
  {                                                                                                                    \
    name, text, TOSST_ATOM_ORD, TOSST_FACE_UPRIGHT, FALSE, 0, words                                                    \
  }
#define BIN(name, text, words)                                                                                         \
  {                                                                                                                    \
    name, text, TOSST_ATOM_BIN, TOSST_FACE_UPRIGHT, FALSE, 0, words                                                    \
  }
#define REL(name, text, words)                                                                                         \
  {                                                                                                                    \
    name, text, TOSST_ATOM_REL, TOSST_FACE_UPRIGHT, FALSE, 0, words                                                    \
  }
#define PUNCT(name, text, words)                                                                                       \
  {                                                                                                                    \
    name, text, TOSST_ATOM_PUNCT, TOSST_FACE_UPRIGHT, FALSE, 0, words                                                  \
  }
#define FUNCTION(name, text, limits, words)                                                                            \
  {                                                                                                                    \
    name, text, TOSST_ATOM_OP, TOSST_FACE_UPRIGHT, limits, 0, words                                                    \
  }
#define LARGE(name, text, words)                                                                                       \
  {                                                                                                                    \
    name, text, TOSST_ATOM_OP, TOSST_FACE_LARGE, TRUE, 0, words                                                        \
  }
#define SPACE(name, width)                                                                                             \
  {                                                                                                                    \
    name, "", TOSST_ATOM_ORD, TOSST_FACE_UPRIGHT, FALSE, width, ""                                                     \
  }

static const TosstSymbol symbols[] = {
  ORD ("Sigma", "Σ", NULL),
  ORD ("partial", "∂", N_ ("partial")),
  ORD ("empty", "∅", N_ ("the empty set")),
  ORD ("T", "⊤", N_ ("transposed")),
  ORD ("prime", "′", N_ ("prime")),
  { "dots", "…", TOSST_ATOM_INNER, TOSST_FACE_UPRIGHT, FALSE, 0, N_ ("and so on") },
  BIN ("plus", "+", N_ ("plus")),
  BIN ("minus", "−", N_ ("minus")),
  BIN ("pm", "±", N_ ("plus or minus")),
  BIN ("times", "×", N_ ("times")),
  BIN ("cdot", "·", N_ ("times")),
  BIN ("otimes", "⊗", N_ ("outer product with")),
  BIN ("circ", "∘", N_ ("entry by entry with")),
  BIN ("cup", "∪", N_ ("united with")),
  BIN ("cap", "∩", N_ ("common with")),
  REL ("eq", "=", N_ ("equals")),
  REL ("lt", "<", N_ ("is below")),
  REL ("gt", ">", N_ ("is above")),
  REL ("le", "≤", N_ ("is at most")),
  REL ("ge", "≥", N_ ("is at least")),
  REL ("approx", "≈", N_ ("is about")),
  REL ("succeq", "⪰", N_ ("is semi-definite above")),
  REL ("in", "∈", N_ ("in")),
  REL ("sim", "∼", N_ ("is drawn from")),
  REL ("leftarrow", "←", N_ ("becomes")),
  REL ("mid", "|", N_ ("such that")),
  PUNCT ("comma", ",", ","),
  PUNCT ("semicolon", ";", ";"),
  ORD ("slash", "/", N_ ("divided by")),
  LARGE ("sum", "∑", N_ ("sum")),
  LARGE ("prod", "∏", N_ ("product")),
  FUNCTION ("min", "min", TRUE, N_ ("minimum")),
  FUNCTION ("max", "max", TRUE, N_ ("maximum")),
  FUNCTION ("argmin", "arg min", TRUE, N_ ("the minimiser")),
  FUNCTION ("tr", "tr", FALSE, N_ ("trace of")),
  FUNCTION ("rank", "rank", FALSE, N_ ("rank of")),
  FUNCTION ("TRank", "TRank", FALSE, N_ ("T-rank of")),
  FUNCTION ("Supp", "Supp", FALSE, N_ ("support of")),
  FUNCTION ("Pro", "Pro", FALSE, N_ ("projection of")),
  FUNCTION ("diag", "diag", FALSE, N_ ("diagonal of")),
  FUNCTION ("sgn", "sgn", FALSE, N_ ("sign of")),
  FUNCTION ("exp", "exp", FALSE, N_ ("exponential of")),
  FUNCTION ("log", "log", FALSE, N_ ("logarithm of")),
  FUNCTION ("vec", "vec", FALSE, N_ ("vector of")),
  SPACE (",", 3 / 18.0),
  SPACE (";", 5 / 18.0),
  SPACE ("!", -3 / 18.0),
  SPACE ("quad", 1.0),
};

static const TosstSymbol *
tosst_symbol_by_name (const char *name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (strlen (symbols[i].name) == length && strncmp (symbols[i].name, name, length) == 0)
      return &symbols[i];
  return NULL;
}

static const TosstSymbol *
tosst_symbol_by_text (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (symbols[i].text[0] != 0 && strcmp (symbols[i].text, text) == 0)
      return &symbols[i];
  return NULL;
}

/* Recursive descent parser: a row is a list of atoms up to a terminator, an atom may have indices, a command reads
 * its arguments. */

#define MAX_NESTED 24

typedef struct
{
  const char *source, *at;
  int depth;
  GError *error; /* the first error; it ends parsing */
} Parser;

static TosstNode *parse_row (Parser *self);

/* Nodes. */

static TosstNode *
node_new (TosstNodeKind kind, TosstAtomClass atom)
{
  TosstNode *node = g_new0 (TosstNode, 1);

  node->kind = kind;
  node->atom = atom;
  return node;
}

static void
tosst_node_free (TosstNode *node)
{
  if (node == NULL)
    return;
  g_free (node->text);
  tosst_node_free (node->base);
  tosst_node_free (node->sub);
  tosst_node_free (node->sup);
  g_clear_pointer (&node->children, g_ptr_array_unref);
  g_free (node);
}

static TosstNode *
list_new (TosstNodeKind kind, TosstAtomClass atom)
{
  TosstNode *node = node_new (kind, atom);

  node->children = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_node_free);
  return node;
}

static TosstNode *
symbol_new (const char *text, TosstAtomClass atom, TosstFace face)
{
  TosstNode *node = node_new (TOSST_NODE_SYMBOL, atom);

  node->text = g_strdup (text);
  node->face = face;
  return node;
}

static TosstNode *
node_of_symbol (const TosstSymbol *symbol)
{
  TosstNode *node = symbol_new (symbol->text, symbol->atom, symbol->face);

  node->limits = symbol->limits;
  node->words = symbol->words;
  if (symbol->space != 0)
    {
      node->kind = TOSST_NODE_SPACE;
      node->width = symbol->space;
    }
  return node;
}

/* Reading. */

static TosstNode *
fail (Parser *self, const char *what, const char *detail)
{
  if (self->error == NULL)
    tosst_fail (&self->error, TOSST_FAILED_INPUT, _ ("Formula, character %ld: %s%s"),
                g_utf8_pointer_to_offset (self->source, self->at) + 1, what, detail);
  self->at = self->source + strlen (self->source);
  return list_new (TOSST_NODE_ROW, TOSST_ATOM_ORD);
}

static void
skip_space (Parser *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
looking_at (Parser *self, const char *text)
{
  return strncmp (self->at, text, strlen (text)) == 0;
}

static TosstNode *
parse_group (Parser *self)
{
  TosstNode *row;

  skip_space (self);
  if (*self->at != '{')
    return fail (self, _ ("a group in braces is missing"), "");
  self->at++;
  row = parse_row (self);
  if (self->error == NULL && *self->at != '}')
    {
      tosst_node_free (row);
      return fail (self, _ ("a brace is not closed"), "");
    }
  if (self->error == NULL)
    self->at++;
  return row;
}

/* Returns the text of a group, unparsed. */
static char *
parse_words (Parser *self)
{
  const char *end;
  char *text;

  skip_space (self);
  end = *self->at == '{' ? strchr (self->at, '}') : NULL;
  if (end == NULL)
    {
      tosst_node_free (fail (self, _ ("a group in braces is missing"), ""));
      return g_strdup ("");
    }
  text = g_strndup (self->at + 1, end - self->at - 1);
  self->at = end + 1;
  return text;
}

static TosstNode *
parse_faced (Parser *self, TosstFace face)
{
  g_autofree char *text = parse_words (self);

  return symbol_new (text, TOSST_ATOM_ORD, face);
}

static const struct
{
  const char *open, *close;
  gunichar open_shape, close_shape;
} fences[] = {
  { "(", ")", '(', ')' },
  { "[", "]", '[', ']' },
  { "\\{", "\\}", '{', '}' },
};

static TosstNode *
fence_new (TosstNode *inside, gunichar open, gunichar close)
{
  TosstNode *node = node_new (TOSST_NODE_FENCE, TOSST_ATOM_INNER);

  node->base = inside;
  node->open = open;
  node->close = close;
  return node;
}

static TosstNode *
parse_fence (Parser *self, guint i)
{
  TosstNode *inside;

  self->at += strlen (fences[i].open);
  inside = parse_row (self);
  if (self->error == NULL && !looking_at (self, fences[i].close))
    {
      tosst_node_free (inside);
      return fail (self, _ ("a bracket is not closed: "), fences[i].open);
    }
  if (self->error == NULL)
    self->at += strlen (fences[i].close);
  return fence_new (inside, fences[i].open_shape, fences[i].close_shape);
}

static TosstNode *
parse_fraction (Parser *self)
{
  TosstNode *node = node_new (TOSST_NODE_FRACTION, TOSST_ATOM_INNER);

  node->base = parse_group (self);
  node->sub = parse_group (self);
  return node;
}

static TosstNode *
parse_over (Parser *self, TosstNodeKind kind, const char *accent)
{
  TosstNode *node = node_new (kind, TOSST_ATOM_ORD);

  node->text = g_strdup (accent);
  node->base = parse_group (self);
  return node;
}

static TosstNode *
parse_inline (Parser *self)
{
  TosstNode *node = parse_group (self);

  node->in_line = TRUE;
  return node;
}

static TosstNode *
parse_command (Parser *self)
{
  const char *name = self->at + 1;
  gsize length = 0;
  const TosstSymbol *symbol;
  g_autofree char *copy = NULL;

  while (g_ascii_isalpha (name[length]))
    length++;
  if (length == 0 && *name != 0)
    length = 1;
  copy = g_strndup (name, length);
  symbol = tosst_symbol_by_name (name, length);
  if (symbol != NULL)
    {
      self->at = name + length;
      return node_of_symbol (symbol);
    }
#define IS(word) (strcmp (copy, word) == 0 && (self->at = name + length))
  if (IS ("frac"))
    return parse_fraction (self);
  if (IS ("sqrt"))
    return parse_over (self, TOSST_NODE_ROOT, NULL);
  if (IS ("inline"))
    return parse_inline (self);
  if (IS ("bar"))
    return parse_over (self, TOSST_NODE_ACCENT, "¯");
  if (IS ("hat"))
    return parse_over (self, TOSST_NODE_ACCENT, "^");
  if (IS ("norm"))
    return fence_new (parse_group (self), 0x2016, 0x2016);
  if (IS ("abs"))
    return fence_new (parse_group (self), '|', '|');
  if (IS ("text"))
    return parse_faced (self, TOSST_FACE_UPRIGHT);
  if (IS ("cal"))
    return parse_faced (self, TOSST_FACE_CALLIGRAPHIC);
#undef IS
  return fail (self, _ ("an unknown command: \\"), copy);
}

static TosstNode *
parse_atom (Parser *self)
{
  skip_space (self);
  for (guint i = 0; i < G_N_ELEMENTS (fences); i++)
    if (looking_at (self, fences[i].open))
      return parse_fence (self, i);
  if (*self->at == '{')
    return parse_group (self);
  if (*self->at == '\\')
    return parse_command (self);
  if (g_ascii_isdigit (*self->at))
    {
      /* A number is one symbol, as its digits have no space between them. */
      gsize length = 0;
      g_autofree char *digits = NULL;

      while (g_ascii_isdigit (self->at[length]) || (self->at[length] == '.' && g_ascii_isdigit (self->at[length + 1])))
        length++;
      digits = g_strndup (self->at, length);
      self->at += length;
      return symbol_new (digits, TOSST_ATOM_ORD, TOSST_FACE_UPRIGHT);
    }

  if (*self->at == 0 || strchr ("^_'", *self->at) != NULL)
    return fail (self, _ ("an argument is missing"), "");

  gunichar c = g_utf8_get_char (self->at);
  char text[8] = { 0 };
  const TosstSymbol *symbol;

  g_unichar_to_utf8 (c == '-' ? 0x2212 : c == '*' ? 0xb7 : c, text);
  self->at = g_utf8_next_char (self->at);
  symbol = tosst_symbol_by_text (text);
  return symbol != NULL
             ? node_of_symbol (symbol)
             : symbol_new (text, TOSST_ATOM_ORD, g_unichar_isalpha (c) ? TOSST_FACE_ITALIC : TOSST_FACE_UPRIGHT);
}

/* Indices. */

static TosstNode *
prime_new (Parser *self)
{
  TosstNode *row = list_new (TOSST_NODE_ROW, TOSST_ATOM_ORD);

  for (; *self->at == '\''; self->at++)
    g_ptr_array_add (row->children, node_of_symbol (tosst_symbol_by_text ("′")));
  return row;
}

static TosstNode *
parse_scripts (Parser *self, TosstNode *base)
{
  TosstNode *node = NULL;

  for (skip_space (self); *self->at != 0 && strchr ("^_'", *self->at) != NULL; skip_space (self))
    {
      TosstNode **place;
      gboolean prime = *self->at == '\'';

      if (node == NULL)
        {
          node = node_new (TOSST_NODE_SCRIPTS, base->atom);
          node->base = base;
        }
      place = *self->at == '_' ? &node->sub : &node->sup;
      if (*place != NULL)
        {
          tosst_node_free (fail (self, _ ("two indices at the same place"), ""));
          break;
        }
      if (!prime)
        self->at++;
      *place = prime ? prime_new (self) : parse_atom (self);
    }
  return node != NULL ? node : base;
}

static gboolean
at_end_of_row (Parser *self)
{
  skip_space (self);
  if (*self->at == 0 || *self->at == '}' || looking_at (self, "\\\\"))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (fences); i++)
    if (looking_at (self, fences[i].close))
      return TRUE;
  return FALSE;
}

static TosstNode *
parse_row (Parser *self)
{
  TosstNode *row;

  if (++self->depth > MAX_NESTED)
    return fail (self, _ ("nested too deeply"), "");
  row = list_new (TOSST_NODE_ROW, TOSST_ATOM_ORD);
  while (!at_end_of_row (self))
    g_ptr_array_add (row->children, parse_scripts (self, parse_atom (self)));
  self->depth--;
  return row;
}

static TosstNode *
tosst_node_parse (const char *source, GError **error)
{
  Parser self = { source, source, 0, NULL };
  TosstNode *lines = list_new (TOSST_NODE_LINES, TOSST_ATOM_ORD);

  if (!g_utf8_validate (source, -1, NULL))
    tosst_fail (&self.error, TOSST_FAILED_INPUT, _ ("A formula is not valid UTF-8"));
  else
    for (;;)
      {
        g_ptr_array_add (lines->children, parse_row (&self));
        if (self.error != NULL || !looking_at (&self, "\\\\"))
          break;
        self.at += 2;
      }
  if (self.error == NULL && *self.at != 0)
    tosst_node_free (fail (&self, _ ("a closing bracket without an opening one: "), self.at));
  if (self.error == NULL)
    return lines;
  tosst_node_free (lines);
  g_propagate_error (error, self.error);
  return NULL;
}

TosstFormula *
tosst_formula_new (const char *source, GError **error)
{
  TosstNode *root = tosst_node_parse (source, error);
  TosstFormula *self;

  if (root == NULL)
    return NULL;
  self = g_new0 (TosstFormula, 1);
  self->root = root;
  return self;
}

void
tosst_formula_free (TosstFormula *self)
{
  if (self == NULL)
    return;
  tosst_node_free (self->root);
  tosst_box_free (self->box);
  g_free (self);
}

static void
ensure_box (TosstFormula *self, double size)
{
  if (self->box != NULL && self->size == size)
    return;
  tosst_box_free (self->box);
  self->box = tosst_box_layout (self->root, size);
  self->size = size;
}

void
tosst_formula_measure (TosstFormula *self, double size, TosstFormulaExtent *extent)
{
  ensure_box (self, size);
  extent->width = self->box->width;
  extent->ascent = self->box->ascent;
  extent->descent = self->box->descent;
}

void
tosst_formula_draw (TosstFormula *self, cairo_t *cr, double x, double y, double size)
{
  ensure_box (self, size);
  tosst_box_draw (self->box, cr, x, y);
}
