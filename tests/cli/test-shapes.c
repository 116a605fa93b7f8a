/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arrays of other shapes through the commands: what tosst reports is computed again by NumPy, from the files alone and
 * with full arrays.
 */
#include <string.h>

#include "core/format/npy.h"
#include "harness.h"

/* check (tensors as (N, cells, slices), dictionary, codes, report, lambda, gamma, signed). beta is minimised out by
 * least squares; the conditions on alpha are those of the derivative. */
static const char prelude[]
    = "import numpy as np, json, itertools, sys\n"
      "def unpack(T):\n"
      "    m = T.shape[1]; d = next(d for d in range(1, 99) if d * (d + 1) * (d + 2) // 6 == m)\n"
      "    X = np.zeros((len(T), d, d, d))\n"
      "    for c, (i, j, k) in enumerate(itertools.combinations_with_replacement(range(d), 3)):\n"
      "        for p in itertools.permutations((i, j, k)): X[(slice(None),) + p] = T[:, c]\n"
      "    return X\n"
      "def check(X, D, A, report, lam, gamma, signed):\n"
      "    D, A, R = np.load(D), np.load(A), json.load(open(report))\n"
      "    B, b = D['B'].reshape(len(D['B']), -1).astype(float), D['b'].astype(float)\n"
      "    X = X.astype(float) / D['scale']; K = len(B)\n"
      "    worst = 0\n"
      "    for x, a, told in zip(X, A, R['objective']):\n"
      "        c = b.T * a\n"
      "        beta = np.linalg.solve(B @ B.T + gamma * np.eye(K), B @ x + gamma * c.T).T if np.isfinite(gamma) else "
      "c\n"
      "        r = x - B.T @ beta.T; g = -2 * np.sum(b * (B @ r), 1)\n"
      "        value = np.sum(r * r) + lam * np.sum(np.abs(a))\n"
      "        if np.isfinite(gamma): value += gamma * np.sum((beta - c) ** 2)\n"
      "        if np.isfinite(gamma): g = 2 * gamma * np.sum(b.T * (c - beta), 0)\n"
      "        assert abs(value - told) <= 1e-9 * (1 + value), (value, told)\n"
      "        v = np.where(a != 0, np.abs(g + lam * np.sign(a)), np.maximum((np.abs(g) if signed else -g) - lam, 0))\n"
      "        worst = max(worst, v.max())\n"
      "        assert signed or (a >= 0).all()\n"
      "    assert worst < 1e-7, worst\n"
      "    return D, A\n"
      "rng = np.random.default_rng(5)\n";

static gboolean
python (Shell *shell, const char *script)
{
  g_autofree char *whole = g_strconcat (prelude, script, NULL), *errors = NULL;
  const char *argv[] = { "/usr/bin/python3", "-c", whole, NULL };
  int status = -1;

  if (!g_spawn_sync (shell->folder, (char **)argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &errors, &status,
                     NULL))
    return FALSE;
  if (status)
    g_test_message ("%s", errors);
  return status == 0;
}

/* Whether NumPy is available; else the test is skipped. */
static gboolean
make (Shell *shell, const char *script)
{
  if (!python (shell, ""))
    {
      g_test_skip ("NumPy is not installed");
      return FALSE;
    }
  g_assert_true (python (shell, script));
  return TRUE;
}

#define FEW " --set dictionary.atoms=6 --set dictionary.iterations=8 --set dictionary.lambda=0.01 "
#define FREE FEW "--set dictionary.scheme=free --set dictionary.signed-b=true "

/* General tensors, including degenerate ones; exchanging modes 1 and 2 keeps the objective. */
static void
test_general (Shell *shell, gconstpointer data)
{
  if (!make (shell,
             "X = rng.normal(size=(60, 3, 1, 1, 1)) * rng.normal(size=(60, 3, 3, 1, 1)) * rng.normal(size=(60, 3, "
             "1, 5, 1)) * rng.normal(size=(60, 3, 1, 1, 4))\n"
             "X = X.sum(1)\n"
             "np.save('X.npy', X); np.save('Xt.npy', X.transpose(0, 2, 1, 3).copy())\n"
             "np.save('row.npy', X[:, :1].copy()); np.save('one.npy', X[..., :1].copy())\n"
             "np.save('number.npy', X[:, :1, :1, :1].astype('f4'))\n"))
    return;
  shell_expect_failure (shell, "learn X.npy -o D.npz" FEW, 1, "set dictionary.scheme=free");
  shell_expect_failure (shell, "learn X.npy -o D.npz --set dictionary.scheme=full" FEW, 1, "super-symmetric");
  g_assert_false (shell_exists (shell, "D.npz"));
  shell_expect_done (shell, "learn X.npy -o D.npz" FREE);
  shell_expect_done (shell, "code X.npy -d D.npz -o A.npy --set coding.signed-alpha=true --report r.json");
  shell_expect_done (shell, "code X.npy -d D.npz -o P.npy --set coding.gamma=inf --report p.json");
  g_assert_true (python (shell, "X = np.load('X.npy').reshape(60, 15, 4)\n"
                                "D, A = check(X, 'D.npz', 'A.npy', 'r.json', 0.01, 1, True)\n"
                                "assert D['B'].shape == (6, 3, 5) and D['b'].shape == (6, 4) and D['symmetric'] == 0\n"
                                "assert (A < 0).any() and (D['b'] < 0).any()\n"
                                "assert (np.sqrt((D['B'] ** 2).sum((1, 2))) <= 1 + 1e-12).all()\n"
                                "assert (np.abs(D['b']).sum(1) <= 1 + 1e-12).all()\n"
                                "check(X, 'D.npz', 'P.npy', 'p.json', 0.01, np.inf, False)\n"
                                "np.savez('Dt.npz', B=D['B'].transpose(0, 2, 1).copy(), b=D['b'], scale=D['scale'], "
                                "symmetric=np.array(0.0))\n"));
  shell_expect_done (shell, "code Xt.npy -d Dt.npz -o At.npy --set coding.signed-alpha=true --set coding.lambda=0.01 "
                            "--report t.json");
  g_assert_true (python (shell, "a, b = (np.array(json.load(open(f))['objective']) for f in ('r.json', 't.json'))\n"
                                "assert np.allclose(a, b, rtol=1e-9)\n"));
  shell_expect_failure (shell, "code Xt.npy -d D.npz -o B.npy", 1, "side");
  shell_expect_failure (shell, "code row.npy -d D.npz -o B.npy", 1, "side");
  shell_expect_failure (shell, "code one.npy -d D.npz -o B.npy", 1, "another shape");
  g_assert_false (shell_exists (shell, "B.npy"));
  shell_expect_done (shell, "learn row.npy -o R.npz" FREE);
  shell_expect_done (shell, "code row.npy -d R.npz -o R.npy --report r.json");
  shell_expect_done (shell, "learn one.npy -o O.npz" FREE);
  shell_expect_done (shell, "code one.npy -d O.npz -o O.npy --report o.json");
  shell_expect_done (shell, "learn number.npy -o N.npz" FREE);
  shell_expect_done (shell, "code number.npy -d N.npz -o N.npy");
  g_assert_true (python (shell,
                         "check(np.load('row.npy').reshape(60, 5, 4), 'R.npz', 'R.npy', 'r.json', 0.01, 1, False)\n"
                         "check(np.load('one.npy').reshape(60, 15, 1), 'O.npz', 'O.npy', 'o.json', 0.01, 1, "
                         "False)\n"));
}

/* Symmetric matrices, with each of their schemes. */
static void
test_matrices (Shell *shell, gconstpointer data)
{
  static const char *const schemes[] = { "psd", "low-rank", "free" };

  if (!make (shell, "F = rng.normal(size=(70, 8, 5)); np.save('C.npy', F.transpose(0, 2, 1) @ F / 8)\n"
                    "np.save('torn.npy', rng.normal(size=(4, 5, 5))); np.save('oblong.npy', np.ones((4, 5, 6)))\n"))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    {
      g_autofree char *line
          = g_strdup_printf ("learn C.npy -o D.npz --set dictionary.scheme=%s --set dictionary.rank=2" FEW, schemes[i]);
      g_autofree char *script = g_strdup_printf (
          "D, A = check(np.load('C.npy').reshape(70, 25, 1), 'D.npz', 'A.npy', 'r.json', 0.01, 1, "
          "False)\n"
          "mu = np.linalg.eigvalsh(D['B']); assert D['B'].shape == (6, 5, 5) and (D['b'] == 1).all()\n"
          "assert '%s' == 'free' or (mu.min() > -1e-12 and mu.sum(1).max() <= 1 + 1e-12)\n"
          "assert '%s' != 'low-rank' or np.abs(mu[:, :3]).max() < 1e-12\n",
          schemes[i], schemes[i]);

      shell_expect_done (shell, line);
      shell_expect_done (shell, "code C.npy -d D.npz -o A.npy --report r.json");
      g_assert_true (python (shell, script));
    }
  shell_expect_failure (shell, "learn C.npy -o E.npz --set dictionary.scheme=full" FEW, 1, "super-symmetric");
  shell_expect_failure (shell, "learn torn.npy -o E.npz" FEW, 1, "symmetric");
  shell_expect_failure (shell, "learn oblong.npy -o E.npz" FEW, 1, "5 × 6");
}

#define WHOLE "--set dictionary.scheme=full --set descriptor.kind=linear "

/* Problem (2): whole-tensor atoms, from data to accuracy. */
static void
test_whole (Shell *shell, gconstpointer data)
{
  if (!make (shell,
             "u = np.abs(rng.normal(size=(60, 5, 4))); X = np.einsum('npi,npj,npk->nijk', u, u, u) / 5\n"
             "np.save('T.npy', np.array([[x[p] for p in itertools.combinations_with_replacement(range(4), 3)] for "
             "x in X]))\n"
             "np.save('big.npy', rng.random((9, 286)))\n"))
    return;
  shell_expect_done (shell,
                     "learn T.npy -o D.npz --trace t.csv --set dictionary.gamma=0.5 --set dictionary.scheme=full" FEW);
  shell_expect_done (shell, "code T.npy -d D.npz -o A.npy --report r.json");
  g_assert_true (python (shell,
                         "D, A = check(unpack(np.load('T.npy')).reshape(60, 64, 1), 'D.npz', 'A.npy', 'r.json', "
                         "0.01, np.inf, False)\n"
                         "B = D['B']; assert B.shape == (6, 4, 4, 4) and (D['b'] == 1).all()\n"
                         "for p in itertools.permutations((1, 2, 3)): assert (B == B.transpose((0,) + p)).all()\n"
                         "mu = np.linalg.eigvalsh(B)\n"
                         "assert mu.min() > -1e-12 and mu.sum(-1).max() <= 1 + 1e-12\n"
                         "t = np.genfromtxt('t.csv', delimiter=',', names=True)\n"
                         "assert (np.diff(t['objective']) <= 0).all() and (t['proximity'] == 0).all()\n"));
  shell_expect_failure (shell, "learn big.npy -o E.npz --set dictionary.scheme=full" FEW, 1, "up to 10");
  shell_expect_failure (shell, "classify --set dictionary.scheme=full --set descriptor.kind=rbf", 1, "up to 10");
  shell_expect_done (shell, "textures textures --grey -q");
  shell_expect_done (shell,
                     "classify --set dataset.kind=folders --set dataset.path=textures --set dataset.splits=1 --set "
                     "dataset.train-per-class=2 --set descriptor.patch=24 --set descriptor.step=24 --set "
                     "descriptor.luminance=false --set dictionary.atoms=12 --set dictionary.iterations=3 " WHOLE
                     "--dictionary C.npz --model M.npz");
  g_assert_true (python (shell, "B = np.load('C.npz')['B']; assert B.shape == (12, 6, 6, 6)\n"));
}

/* Export for other programs: the format follows from the name of the output; an impossible one is an error. */
static void
test_export (Shell *shell, gconstpointer data)
{
  if (!make (shell, "np.savez('D.npz', B=np.array([np.eye(3), np.ones((3, 3))]), b=np.ones((2, 3)) / 3)\n"
                    "open('bad.npz', 'w').write('nothing')\n"))
    return;
  shell_expect_done (shell, "export D.npz -o D.mat");
  shell_expect_done (shell, "export D.npz -o D.CSV -q");
  shell_expect_done (shell, "export D.npz -o atoms/ --json");
  g_assert_nonnull (strstr (shell->output, "\"K\":2"));
  g_assert_true (shell_exists (shell, "D.mat") && shell_exists (shell, "D.CSV"));
  g_assert_true (shell_exists (shell, "atoms/atom-0002.png") && !shell_exists (shell, "atoms/atom-0003.png"));
  g_assert_true (python (shell, "rows = open('D.CSV').read().split('\\n')\n"
                                "assert rows[0].startswith('atom,scale,b_1,b_2,b_3,B_1_1,B_1_2') and len(rows) == 4\n"
                                "assert rows[1].endswith(',1,0,0,0,1,0,0,0,1')\n"));
  shell_expect_done (shell, "export D.npz -o atoms");
  shell_expect_failure (shell, "export D.npz -o D.txt", 2, ".mat or .csv");
  shell_expect_failure (shell, "export D.npz -o /dev/full", 2, ".mat or .csv");
  shell_expect_failure (shell, "export D.npz", 2, "output");
  shell_expect_failure (shell, "export D.npz -o missing/D.mat", 1, "missing");
  shell_expect_failure (shell, "export D.npz -o missing/atoms/", 1, "missing");
  shell_expect_failure (shell, "export D.npz -o D.mat/", 1, "D.mat");
  shell_expect_failure (shell, "export bad.npz -o E.mat", 1, "bad.npz");
  g_assert_false (shell_exists (shell, "E.mat"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/shapes/general", Shell, NULL, shell_set_up, test_general, shell_tear_down);
  g_test_add ("/shapes/matrices", Shell, NULL, shell_set_up, test_matrices, shell_tear_down);
  g_test_add ("/shapes/whole", Shell, NULL, shell_set_up, test_whole, shell_tear_down);
  g_test_add ("/shapes/export", Shell, NULL, shell_set_up, test_export, shell_tear_down);
  return g_test_run ();
}
