/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formulas as a tree of nodes, which is read as text or as words. Their outlines are typeset when the sources are written
 * (scripts/typeset). */
#include "config.h"

#include "core/base/base.h"
#include "core/formula/formula.h"

/* Class of an atom: which neighbours have a space beside them. */
typedef enum
{
  ATOM_ORD,
  ATOM_OP,
  ATOM_BIN,
  ATOM_REL,
  ATOM_PUNCT,
} AtomClass;

typedef struct
{
  const char *name;  /* without its backslash */
  const char *text;  /* printed text; "" for nothing */
  const char *words; /* spoken form, "is at most", to be translated; NULL: text; "": a space */
  AtomClass atom;
  gboolean limits; /* indices are a range: "sum over k" */
} Symbol;

typedef enum
{
  NODE_ROW,      /* children */
  NODE_LINES,    /* children, stacked */
  NODE_SYMBOL,   /* text */
  NODE_SPACE,    /* text */
  NODE_SCRIPTS,  /* base, sub, sup */
  NODE_FRACTION, /* base over sub */
  NODE_ROOT,     /* base */
  NODE_ACCENT,   /* text, combining, over base */
  NODE_FENCE,    /* base between open and close */
} NodeKind;

typedef struct TosstFormula Node;
struct TosstFormula
{
  NodeKind kind;
  AtomClass atom;
  gboolean limits;
  char *text;
  const char *words; /* spoken form of its symbol */
  gunichar open, close;
  Node *base, *sub, *sup;
  GPtrArray *children; /* Node *, owned; or NULL */
};

static const Symbol symbols[] = {
  { "Sigma", "Σ" },
  { "partial", "∂", N_ ("partial") },
  { "empty", "∅", N_ ("the empty set") },
  { "T", "⊤", N_ ("transposed") },
  { "prime", "′", N_ ("prime") },
  { "dots", "…", N_ ("and so on") },
  { "plus", "+", N_ ("plus"), ATOM_BIN },
  { "minus", "−", N_ ("minus"), ATOM_BIN },
  { "pm", "±", N_ ("plus or minus"), ATOM_BIN },
  { "times", "×", N_ ("times"), ATOM_BIN },
  { "cdot", "·", N_ ("times"), ATOM_BIN },
  { "otimes", "⊗", N_ ("outer product with"), ATOM_BIN },
  { "circ", "∘", N_ ("entry by entry with"), ATOM_BIN },
  { "cup", "∪", N_ ("united with"), ATOM_BIN },
  { "cap", "∩", N_ ("common with"), ATOM_BIN },
  { "eq", "=", N_ ("equals"), ATOM_REL },
  { "lt", "<", N_ ("is below"), ATOM_REL },
  { "gt", ">", N_ ("is above"), ATOM_REL },
  { "le", "≤", N_ ("is at most"), ATOM_REL },
  { "ge", "≥", N_ ("is at least"), ATOM_REL },
  { "approx", "≈", N_ ("is about"), ATOM_REL },
  { "succeq", "⪰", N_ ("is semi-definite above"), ATOM_REL },
  { "in", "∈", N_ ("in"), ATOM_REL },
  { "sim", "∼", N_ ("is drawn from"), ATOM_REL },
  { "leftarrow", "←", N_ ("becomes"), ATOM_REL },
  { "mid", "|", N_ ("such that"), ATOM_REL },
  { "comma", ",", ",", ATOM_PUNCT },
  { "semicolon", ";", ";", ATOM_PUNCT },
  { "slash", "/", N_ ("divided by") },
  { "sum", "Σ", N_ ("sum"), ATOM_OP, TRUE },
  { "prod", "Π", N_ ("product"), ATOM_OP, TRUE },
  { "min", "min", N_ ("minimum"), ATOM_OP, TRUE },
  { "max", "max", N_ ("maximum"), ATOM_OP, TRUE },
  { "argmin", "arg min", N_ ("the minimiser"), ATOM_OP, TRUE },
  { "tr", "tr", N_ ("trace of"), ATOM_OP },
  { "rank", "rank", N_ ("rank of"), ATOM_OP },
  { "TRank", "TRank", N_ ("T-rank of"), ATOM_OP },
  { "Supp", "Supp", N_ ("support of"), ATOM_OP },
  { "Pro", "Pro", N_ ("projection of"), ATOM_OP },
  { "diag", "diag", N_ ("diagonal of"), ATOM_OP },
  { "sgn", "sgn", N_ ("sign of"), ATOM_OP },
  { "exp", "exp", N_ ("exponential of"), ATOM_OP },
  { "log", "log", N_ ("logarithm of"), ATOM_OP },
  { "vec", "vec", N_ ("vector of"), ATOM_OP },
  { ",", "", "" },
  { ";", "", "" },
  { "!", "", "" },
  { "quad", "  ", "" },
};

static const Symbol *
symbol_by_name (const char *name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (strlen (symbols[i].name) == length && strncmp (symbols[i].name, name, length) == 0)
      return &symbols[i];
  return NULL;
}

static const Symbol *
symbol_by_text (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (strcmp (symbols[i].text, text) == 0)
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

static Node *parse_row (Parser *self);

/* Nodes. */

static Node *
node_new (NodeKind kind)
{
  Node *node = g_new0 (Node, 1);

  node->kind = kind;
  return node;
}

TOSST_DEFINE_PUBLIC_FREE (TosstFormula, tosst_formula_free, TosstFormula *, (text, g_free), (base, tosst_formula_free),
                          (sub, tosst_formula_free), (sup, tosst_formula_free), (children, g_ptr_array_unref))

static Node *
list_new (NodeKind kind)
{
  Node *node = node_new (kind);

  node->children = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_formula_free);
  return node;
}

static Node *
symbol_new (const char *text)
{
  Node *node = node_new (NODE_SYMBOL);

  node->text = g_strdup (text);
  return node;
}

static Node *
node_of_symbol (const Symbol *symbol)
{
  Node *node = symbol_new (symbol->text);

  node->atom = symbol->atom;
  node->limits = symbol->limits;
  node->words = symbol->words;
  if (symbol->words != NULL && symbol->words[0] == 0)
    node->kind = NODE_SPACE;
  return node;
}

/* Reading. */

static Node *
fail (Parser *self, const char *what, const char *detail)
{
  if (self->error == NULL)
    tosst_fail (&self->error, TOSST_FAILED_INPUT, _ ("Formula, character %ld: %s%s"),
                g_utf8_pointer_to_offset (self->source, self->at) + 1, what, detail);
  self->at = self->source + strlen (self->source);
  return list_new (NODE_ROW);
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

static Node *
parse_group (Parser *self)
{
  skip_space (self);
  if (*self->at != '{')
    return fail (self, _ ("a group in braces is missing"), "");
  self->at++;
  Node *row = parse_row (self);
  if (self->error == NULL && *self->at != '}')
    {
      tosst_formula_free (row);
      return fail (self, _ ("a brace is not closed"), "");
    }
  if (self->error == NULL)
    self->at++;
  return row;
}

/* Returns the text of a group, unparsed. */
static Node *
parse_text (Parser *self)
{
  skip_space (self);
  const char *end = *self->at == '{' ? strchr (self->at, '}') : NULL;
  if (end == NULL)
    return fail (self, _ ("a group in braces is missing"), "");
  g_autofree char *text = g_strndup (self->at + 1, end - self->at - 1);
  self->at = end + 1;
  return symbol_new (text);
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

static Node *
fence_new (Node *inside, gunichar open, gunichar close)
{
  Node *node = node_new (NODE_FENCE);

  node->base = inside;
  node->open = open;
  node->close = close;
  return node;
}

static Node *
parse_fence (Parser *self, guint i)
{
  self->at += strlen (fences[i].open);
  Node *inside = parse_row (self);
  if (self->error == NULL && !looking_at (self, fences[i].close))
    {
      tosst_formula_free (inside);
      return fail (self, _ ("a bracket is not closed: "), fences[i].open);
    }
  if (self->error == NULL)
    self->at += strlen (fences[i].close);
  return fence_new (inside, fences[i].open_shape, fences[i].close_shape);
}

static Node *
parse_fraction (Parser *self)
{
  Node *node = node_new (NODE_FRACTION);

  node->base = parse_group (self);
  node->sub = parse_group (self);
  return node;
}

static Node *
parse_over (Parser *self, NodeKind kind, const char *accent)
{
  Node *node = node_new (kind);

  node->text = g_strdup (accent);
  node->base = parse_group (self);
  return node;
}

static Node *
parse_command (Parser *self)
{
  const char *name = self->at + 1;
  gsize length = 0;

  while (g_ascii_isalpha (name[length]))
    length++;
  if (length == 0 && *name != 0)
    length = 1;
  g_autofree char *copy = g_strndup (name, length);
  const Symbol *symbol = symbol_by_name (name, length);
  if (symbol != NULL)
    {
      self->at = name + length;
      return node_of_symbol (symbol);
    }
#define IS(word) (strcmp (copy, word) == 0 && (self->at = name + length))
  if (IS ("frac"))
    return parse_fraction (self);
  if (IS ("sqrt"))
    return parse_over (self, NODE_ROOT, NULL);
  if (IS ("inline"))
    return parse_group (self);
  if (IS ("bar"))
    return parse_over (self, NODE_ACCENT, "\u0304");
  if (IS ("hat"))
    return parse_over (self, NODE_ACCENT, "\u0302");
  if (IS ("norm"))
    return fence_new (parse_group (self), 0x2016, 0x2016);
  if (IS ("abs"))
    return fence_new (parse_group (self), '|', '|');
  if (IS ("text") || IS ("cal"))
    return parse_text (self);
#undef IS
  return fail (self, _ ("an unknown command: \\"), copy);
}

static Node *
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

      while (g_ascii_isdigit (self->at[length]) || (self->at[length] == '.' && g_ascii_isdigit (self->at[length + 1])))
        length++;
      g_autofree char *digits = g_strndup (self->at, length);
      self->at += length;
      return symbol_new (digits);
    }

  if (*self->at == 0 || strchr ("^_'", *self->at) != NULL)
    return fail (self, _ ("an argument is missing"), "");

  gunichar c = g_utf8_get_char (self->at);
  char text[8] = { 0 };

  g_unichar_to_utf8 (c == '-' ? 0x2212 : c == '*' ? 0xb7 : c, text);
  self->at = g_utf8_next_char (self->at);
  const Symbol *symbol = symbol_by_text (text);
  return symbol != NULL ? node_of_symbol (symbol) : symbol_new (text);
}

/* Indices. */

static Node *
prime_new (Parser *self)
{
  Node *row = list_new (NODE_ROW);

  for (; *self->at == '\''; self->at++)
    g_ptr_array_add (row->children, node_of_symbol (symbol_by_text ("′")));
  return row;
}

static Node *
parse_scripts (Parser *self, Node *base)
{
  Node *node = NULL;

  for (skip_space (self); *self->at != 0 && strchr ("^_'", *self->at) != NULL; skip_space (self))
    {
      gboolean prime = *self->at == '\'';

      if (node == NULL)
        {
          node = node_new (NODE_SCRIPTS);
          node->base = base;
        }
      Node **place = *self->at == '_' ? &node->sub : &node->sup;
      if (*place != NULL)
        {
          tosst_formula_free (fail (self, _ ("two indices at the same place"), ""));
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

static Node *
parse_row (Parser *self)
{
  if (++self->depth > MAX_NESTED)
    return fail (self, _ ("nested too deeply"), "");
  Node *row = list_new (NODE_ROW);
  while (!at_end_of_row (self))
    g_ptr_array_add (row->children, parse_scripts (self, parse_atom (self)));
  self->depth--;
  return row;
}

TosstFormula *
tosst_formula_new (const char *source, GError **error)
{
  Parser self = { source, source, 0, NULL };
  Node *lines = list_new (NODE_LINES);

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
    tosst_formula_free (fail (&self, _ ("a closing bracket without an opening one: "), self.at));
  if (self.error == NULL)
    return lines;
  tosst_formula_free (lines);
  g_propagate_error (error, self.error);
  return NULL;
}

/* A formula as one line of text: Unicode superscript and subscript letters where they exist, else ^ and _. */
static void print (GString *out, const Node *node);

static char *
printed (const Node *node)
{
  GString *out = g_string_new (NULL);

  print (out, node);
  return g_string_free (out, FALSE);
}

static const char *const raised[] = { "0⁰", "1¹", "2²", "3³", "4⁴", "5⁵", "6⁶", "7⁷", "8⁸", "9⁹", "+⁺",
                                      "−⁻", "nⁿ", "sˢ", "pᵖ", "TT", "⊤ᵀ", "′′", "xˣ", "kᵏ", "tᵗ", "mᵐ" };
static const char *const lowered[] = { "0₀", "1₁", "2₂", "3₃", "4₄", "5₅", "6₆", "7₇", "8₈", "9₉", "+₊", "−₋",
                                       "nₙ", "kₖ", "iᵢ", "jⱼ", "sₛ", "pₚ", "xₓ", "tₜ", "mₘ", "rᵣ", "eₑ", "aₐ" };

static const char *
moved (gunichar c, const char *const *table, guint n)
{
  for (guint i = 0; i < n; i++)
    if (g_utf8_get_char (table[i]) == c)
      return g_utf8_next_char (table[i]);
  return NULL;
}

static void
print_script (GString *out, const Node *node, gboolean up)
{
  g_autofree char *text = printed (node);
  const char *const *table = up ? raised : lowered;
  guint n = up ? G_N_ELEMENTS (raised) : G_N_ELEMENTS (lowered);
  g_autoptr (GString) script = g_string_new (NULL);

  for (const char *c = text; *c != 0; c = g_utf8_next_char (c))
    {
      const char *other = moved (g_utf8_get_char (c), table, n);

      if (other == NULL)
        {
          g_string_append_printf (out, g_utf8_strlen (text, -1) > 1 ? "%c(%s)" : "%c%s", up ? '^' : '_', text);
          return;
        }
      g_string_append (script, other);
    }
  g_string_append (out, script->str);
}

/* Adds brackets to a sum in a fraction that is written with a slash. */
static void
print_part (GString *out, const Node *node)
{
  g_autofree char *text = printed (node);

  g_string_append_printf (out, strchr (text, ' ') != NULL ? "(%s)" : "%s", text);
}

static gboolean
is_spaced (const Node *node)
{
  if (node->kind == NODE_SCRIPTS)
    return is_spaced (node->base);
  return node->kind == NODE_SYMBOL
         && (node->atom == ATOM_REL || (node->atom == ATOM_BIN && strcmp (node->text, "∘") != 0));
}

static gboolean
is_word (const Node *node)
{
  if (node->kind == NODE_SCRIPTS)
    return is_word (node->base);
  return node->kind == NODE_SYMBOL && node->atom == ATOM_OP;
}

static void
print_row (GString *out, const Node *row)
{
  for (guint i = 0; i < row->children->len; i++)
    {
      const Node *node = row->children->pdata[i];
      const Node *next = i + 1 < row->children->len ? row->children->pdata[i + 1] : NULL;
      gboolean sign = is_spaced (node) && i == 0; /* a unary sign */

      if (is_spaced (node) && !sign && out->len > 0 && out->str[out->len - 1] != ' ')
        g_string_append_c (out, ' ');
      print (out, node);
      if ((is_spaced (node) && !sign) || (is_word (node) && next != NULL && next->kind != NODE_FENCE)
          || (node->kind == NODE_SYMBOL && node->atom == ATOM_PUNCT))
        g_string_append_c (out, ' ');
    }
}

static void
print (GString *out, const Node *node)
{
  switch (node->kind)
    {
    case NODE_ROW:
      print_row (out, node);
      break;
    case NODE_LINES:
      for (guint i = 0; i < node->children->len; i++)
        {
          g_string_append (out, i > 0 ? ";  " : "");
          print (out, node->children->pdata[i]);
        }
      break;
    case NODE_SYMBOL:
    case NODE_SPACE:
      g_string_append (out, node->text);
      break;
    case NODE_SCRIPTS:
      print (out, node->base);
      if (node->sub != NULL)
        print_script (out, node->sub, FALSE);
      if (node->sup != NULL)
        print_script (out, node->sup, TRUE);
      break;
    case NODE_FRACTION:
      print_part (out, node->base);
      g_string_append_c (out, '/');
      print_part (out, node->sub);
      break;
    case NODE_ROOT:
      g_string_append (out, "√");
      print_part (out, node->base);
      break;
    case NODE_ACCENT:
      print (out, node->base);
      g_string_append (out, node->text);
      break;
    case NODE_FENCE:
      g_string_append_unichar (out, node->open);
      print (out, node->base);
      g_string_append_unichar (out, node->close);
      break;
    }
}

char *
tosst_formula_text (const TosstFormula *self)
{
  return printed (self);
}

/* A formula as spoken text: positions of TeX's notation become words. */

static void say (GString *out, const Node *node);

static char *
said (const Node *node)
{
  GString *out = g_string_new (NULL);

  if (node != NULL)
    say (out, node);
  return g_string_free (out, FALSE);
}

/* No space before a comma. */
static void
add (GString *out, const char *text)
{
  if (*text == 0)
    return;
  if (out->len > 0 && *text != ',' && *text != ';')
    g_string_append_c (out, ' ');
  g_string_append (out, text);
}

static void
add_printed (GString *out, char *text)
{
  add (out, text);
  g_free (text);
}

static gboolean
is_text (const Node *node, const char *text)
{
  while (node != NULL && node->kind == NODE_ROW && node->children->len == 1)
    node = node->children->pdata[0];
  return node != NULL && node->kind == NODE_SYMBOL && strcmp (node->text, text) == 0;
}

static void
say_limits (GString *out, const Node *node)
{
  g_autofree char *base = said (node->base), *sub = said (node->sub), *sup = said (node->sup);

  if (node->sub != NULL && node->sup != NULL)
    add_printed (out, g_strdup_printf (_ ("%s for %s up to %s of"), base, sub, sup));
  else
    add_printed (out, g_strdup_printf (_ ("%s over %s of"), base, node->sub != NULL ? sub : sup));
}

static void
say_scripts (GString *out, const Node *node)
{
  g_autofree char *sub = said (node->sub), *sup = said (node->sup);

  if (node->base->limits)
    {
      say_limits (out, node);
      return;
    }
  say (out, node->base);
  if (node->sub != NULL)
    add_printed (out, g_strdup_printf (_ ("sub %s"), sub));
  if (node->sup == NULL)
    return;
  if (is_text (node->sup, "2"))
    add (out, _ ("squared"));
  else if (is_text (node->sup, "⊤") || is_text (node->sup, "′"))
    add (out, sup);
  else
    add_printed (out, g_strdup_printf (_ ("superscript %s"), sup));
}

static void
say_fence (GString *out, const Node *node)
{
  g_autofree char *inside = said (node->base);

  if (node->open == 0x2016)
    add_printed (out, g_strdup_printf (_ ("norm of %s, end of norm"), inside));
  else if (node->open == '|')
    add_printed (out, g_strdup_printf (_ ("absolute value of %s, end"), inside));
  else
    add_printed (out, g_strdup_printf (_ ("open %s close"), inside));
}

static void
say_accent (GString *out, const Node *node)
{
  g_autofree char *inside = said (node->base);

  add_printed (out, g_strdup_printf (strcmp (node->text, "\u0302") == 0 ? _ ("%s hat") : _ ("%s bar"), inside));
}

static void
say_fraction (GString *out, const Node *node)
{
  g_autofree char *above = said (node->base), *below = said (node->sub);

  add_printed (out, g_strdup_printf (_ ("%s over %s"), above, below));
}

static void
say (GString *out, const Node *node)
{
  switch (node->kind)
    {
    case NODE_ROW:
    case NODE_LINES:
      for (guint i = 0; i < node->children->len; i++)
        {
          if (i > 0 && node->kind == NODE_LINES)
            add (out, ";");
          say (out, node->children->pdata[i]);
        }
      break;
    case NODE_SYMBOL:
      add (out, node->words != NULL && node->words[0] != 0 ? _ (node->words) : node->text);
      break;
    case NODE_SPACE:
      break;
    case NODE_SCRIPTS:
      say_scripts (out, node);
      break;
    case NODE_FRACTION:
      say_fraction (out, node);
      break;
    case NODE_ROOT:
      add (out, _ ("square root of"));
      say (out, node->base);
      break;
    case NODE_ACCENT:
      say_accent (out, node);
      break;
    case NODE_FENCE:
      say_fence (out, node);
      break;
    }
}

char *
tosst_formula_words (const TosstFormula *self)
{
  return said (self);
}
