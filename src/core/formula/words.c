/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A formula as spoken text: positions of TeX's notation become words. */

#include "config.h"

#include "core/formula/private.h"

#include <glib/gi18n.h>
#include <string.h>

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
  else if (node->base->kind == TOSST_NODE_MATRIX)
    add (out, inside);
  else
    add_printed (out, g_strdup_printf (_ ("open %s close"), inside));
}

static void
say_accent (GString *out, const TosstNode *node)
{
  g_autofree char *inside = said (node->base);

  add_printed (out, g_strdup_printf (node->text[0] == '^'   ? _ ("%s hat")
                                     : node->text[0] == '~' ? _ ("%s tilde")
                                                            : _ ("%s bar"),
                                     inside));
}

static void
say_fraction (GString *out, const TosstNode *node)
{
  g_autofree char *above = said (node->base), *below = said (node->sub);

  add_printed (out, g_strdup_printf (_ ("%s over %s"), above, below));
}

static void
say_matrix (GString *out, const TosstNode *node)
{
  add_printed (out, g_strdup_printf (_ ("matrix of %d columns:"), node->columns));
  for (guint i = 0; i < node->children->len; i++)
    {
      if (i > 0)
        add (out, (int)i % node->columns == 0 ? ";" : ",");
      say (out, node->children->pdata[i]);
    }
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
    case TOSST_NODE_MATRIX:
      say_matrix (out, node);
      break;
    }
}

char *
tosst_formula_words (const TosstFormula *self)
{
  return said (self->root);
}
