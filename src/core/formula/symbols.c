/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/formula/private.h"

#include <glib/gi18n.h>
#include <string.h>

#define ORD(name, text, words)                                                                                         \
  {                                                                                                                    \
    name, text, TOSST_ATOM_ORD, TOSST_FACE_UPRIGHT, FALSE, 0, words                                                    \
  }
#define LETTER(name, text)                                                                                             \
  {                                                                                                                    \
    name, text, TOSST_ATOM_ORD, TOSST_FACE_ITALIC, FALSE, 0, NULL                                                      \
  }
#define CAPITAL(name, text)                                                                                            \
  {                                                                                                                    \
    name, text, TOSST_ATOM_ORD, TOSST_FACE_UPRIGHT, FALSE, 0, NULL                                                     \
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
  LETTER ("alpha", "α"),
  LETTER ("beta", "β"),
  LETTER ("gamma", "γ"),
  LETTER ("delta", "δ"),
  LETTER ("epsilon", "ε"),
  LETTER ("zeta", "ζ"),
  LETTER ("eta", "η"),
  LETTER ("theta", "θ"),
  LETTER ("kappa", "κ"),
  LETTER ("lambda", "λ"),
  LETTER ("mu", "μ"),
  LETTER ("nu", "ν"),
  LETTER ("xi", "ξ"),
  LETTER ("pi", "π"),
  LETTER ("rho", "ρ"),
  LETTER ("sigma", "σ"),
  LETTER ("tau", "τ"),
  LETTER ("phi", "φ"),
  LETTER ("chi", "χ"),
  LETTER ("psi", "ψ"),
  LETTER ("omega", "ω"),
  CAPITAL ("Gamma", "Γ"),
  CAPITAL ("Delta", "Δ"),
  CAPITAL ("Theta", "Θ"),
  CAPITAL ("Lambda", "Λ"),
  CAPITAL ("Pi", "Π"),
  CAPITAL ("Sigma", "Σ"),
  CAPITAL ("Phi", "Φ"),
  CAPITAL ("Psi", "Ψ"),
  CAPITAL ("Omega", "Ω"),
  ORD ("infty", "∞", N_ ("infinity")),
  ORD ("partial", "∂", N_ ("partial")),
  ORD ("nabla", "∇", N_ ("gradient")),
  ORD ("empty", "∅", N_ ("the empty set")),
  ORD ("forall", "∀", N_ ("for all")),
  ORD ("T", "⊤", N_ ("transposed")),
  ORD ("prime", "′", N_ ("prime")),
  { "dots", "…", TOSST_ATOM_INNER, TOSST_FACE_UPRIGHT, FALSE, 0, N_ ("and so on") },
  { "cdots", "⋯", TOSST_ATOM_INNER, TOSST_FACE_UPRIGHT, FALSE, 0, N_ ("and so on") },
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
  REL ("ne", "≠", N_ ("differs from")),
  REL ("lt", "<", N_ ("is below")),
  REL ("gt", ">", N_ ("is above")),
  REL ("le", "≤", N_ ("is at most")),
  REL ("ge", "≥", N_ ("is at least")),
  REL ("approx", "≈", N_ ("is about")),
  REL ("succeq", "⪰", N_ ("is semi-definite above")),
  REL ("preceq", "⪯", N_ ("is semi-definite below")),
  REL ("in", "∈", N_ ("in")),
  REL ("subset", "⊂", N_ ("inside of")),
  REL ("propto", "∝", N_ ("is proportional to")),
  REL ("sim", "∼", N_ ("is drawn from")),
  REL ("leftarrow", "←", N_ ("becomes")),
  REL ("to", "→", N_ ("goes to")),
  REL ("mapsto", "↦", N_ ("is taken to")),
  REL ("mid", "|", N_ ("such that")),
  REL ("colon", ":", N_ ("with")),
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

const TosstSymbol *
tosst_symbol_by_name (const char *name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (strlen (symbols[i].name) == length && strncmp (symbols[i].name, name, length) == 0)
      return &symbols[i];
  return NULL;
}

const TosstSymbol *
tosst_symbol_by_text (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (symbols[i].text[0] != 0 && strcmp (symbols[i].text, text) == 0)
      return &symbols[i];
  return NULL;
}
