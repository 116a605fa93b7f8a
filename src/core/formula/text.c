/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A formula as one line of text: Unicode superscript and subscript letters where they exist, else ^ and _. */
#include "core/base/base.h"
#include "core/formula/private.h"

static void print (GString *out, const TosstNode *node);

static char *
printed (const TosstNode *node)
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
print_script (GString *out, const TosstNode *node, gboolean up)
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
print_part (GString *out, const TosstNode *node)
{
  g_autofree char *text = printed (node);

  g_string_append_printf (out, strchr (text, ' ') != NULL ? "(%s)" : "%s", text);
}

static gboolean
is_spaced (const TosstNode *node)
{
  if (node->kind == TOSST_NODE_SCRIPTS)
    return is_spaced (node->base);
  return node->kind == TOSST_NODE_SYMBOL
         && (node->atom == TOSST_ATOM_REL || (node->atom == TOSST_ATOM_BIN && strcmp (node->text, "∘") != 0));
}

static gboolean
is_word (const TosstNode *node)
{
  if (node->kind == TOSST_NODE_SCRIPTS)
    return is_word (node->base);
  return node->kind == TOSST_NODE_SYMBOL && node->atom == TOSST_ATOM_OP;
}

static void
print_row (GString *out, const TosstNode *row)
{
  for (guint i = 0; i < row->children->len; i++)
    {
      const TosstNode *node = row->children->pdata[i];
      const TosstNode *next = i + 1 < row->children->len ? row->children->pdata[i + 1] : NULL;
      gboolean sign = is_spaced (node) && i == 0; /* a unary sign */

      if (is_spaced (node) && !sign && out->len > 0 && out->str[out->len - 1] != ' ')
        g_string_append_c (out, ' ');
      print (out, node);
      if ((is_spaced (node) && !sign) || (is_word (node) && next != NULL && next->kind != TOSST_NODE_FENCE)
          || (node->kind == TOSST_NODE_SYMBOL && node->atom == TOSST_ATOM_PUNCT))
        g_string_append_c (out, ' ');
    }
}

static void
print (GString *out, const TosstNode *node)
{
  switch (node->kind)
    {
    case TOSST_NODE_ROW:
      print_row (out, node);
      break;
    case TOSST_NODE_LINES:
      for (guint i = 0; i < node->children->len; i++)
        {
          g_string_append (out, i > 0 ? ";  " : "");
          print (out, node->children->pdata[i]);
        }
      break;
    case TOSST_NODE_SYMBOL:
      g_string_append (out, strcmp (node->text, "∑") == 0 ? "Σ" : strcmp (node->text, "∏") == 0 ? "Π" : node->text);
      break;
    case TOSST_NODE_SPACE:
      g_string_append (out, node->width >= 0.9 ? "  " : "");
      break;
    case TOSST_NODE_SCRIPTS:
      print (out, node->base);
      if (node->sub != NULL)
        print_script (out, node->sub, FALSE);
      if (node->sup != NULL)
        print_script (out, node->sup, TRUE);
      break;
    case TOSST_NODE_FRACTION:
      print_part (out, node->base);
      g_string_append_c (out, '/');
      print_part (out, node->sub);
      break;
    case TOSST_NODE_ROOT:
      g_string_append (out, "√");
      print_part (out, node->base);
      break;
    case TOSST_NODE_ACCENT:
      print (out, node->base);
      g_string_append (out, node->text[0] == '^' ? "\u0302" : "\u0304");
      break;
    case TOSST_NODE_FENCE:
      g_string_append_unichar (out, node->open);
      print (out, node->base);
      g_string_append_unichar (out, node->close);
      break;
    }
}

char *
tosst_formula_text (const TosstFormula *self)
{
  return printed (self->root);
}

/* A formula as spoken text: positions of TeX's notation become words. */

static void say (GString *out, const TosstNode *node);

static char *
said (const TosstNode *node)
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
is_text (const TosstNode *node, const char *text)
{
  while (node != NULL && node->kind == TOSST_NODE_ROW && node->children->len == 1)
    node = node->children->pdata[0];
  return node != NULL && node->kind == TOSST_NODE_SYMBOL && strcmp (node->text, text) == 0;
}

static void
say_limits (GString *out, const TosstNode *node)
{
  g_autofree char *base = said (node->base), *sub = said (node->sub), *sup = said (node->sup);

  if (node->sub != NULL && node->sup != NULL)
    add_printed (out, g_strdup_printf (_ ("%s for %s up to %s of"), base, sub, sup));
  else
    add_printed (out, g_strdup_printf (_ ("%s over %s of"), base, node->sub != NULL ? sub : sup));
}

static void
say_scripts (GString *out, const TosstNode *node)
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
say_fence (GString *out, const TosstNode *node)
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
say_accent (GString *out, const TosstNode *node)
{
  g_autofree char *inside = said (node->base);

  add_printed (out, g_strdup_printf (node->text[0] == '^' ? _ ("%s hat") : _ ("%s bar"), inside));
}

static void
say_fraction (GString *out, const TosstNode *node)
{
  g_autofree char *above = said (node->base), *below = said (node->sub);

  add_printed (out, g_strdup_printf (_ ("%s over %s"), above, below));
}

static void
say (GString *out, const TosstNode *node)
{
  switch (node->kind)
    {
    case TOSST_NODE_ROW:
    case TOSST_NODE_LINES:
      for (guint i = 0; i < node->children->len; i++)
        {
          if (i > 0 && node->kind == TOSST_NODE_LINES)
            add (out, ";");
          say (out, node->children->pdata[i]);
        }
      break;
    case TOSST_NODE_SYMBOL:
      add (out, node->words != NULL && node->words[0] != 0 ? _ (node->words) : node->text);
      break;
    case TOSST_NODE_SPACE:
      break;
    case TOSST_NODE_SCRIPTS:
      say_scripts (out, node);
      break;
    case TOSST_NODE_FRACTION:
      say_fraction (out, node);
      break;
    case TOSST_NODE_ROOT:
      add (out, _ ("square root of"));
      say (out, node->base);
      break;
    case TOSST_NODE_ACCENT:
      say_accent (out, node);
      break;
    case TOSST_NODE_FENCE:
      say_fence (out, node);
      break;
    }
}

char *
tosst_formula_words (const TosstFormula *self)
{
  return said (self->root);
}
