/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rotated and rescaled tests of the sample textures, made by tests/data/transform-blocks: recognised with
 * dataset.copies, or at keypoints, and not without.
 */
#include <string.h>

#include "harness.h"

/* Ten textures of eight classes, five of which train. */
static void
make (Shell *shell)
{
  g_assert_cmpint (shell_script (shell, "$T textures textures --grey"
                                        " && rm -rf textures/*/*-[12]?.png textures/[m-z]* && " TRANSFORM
                                        " textures blocks --block 128 --train 5"),
                   ==, 0);
  g_assert_true (shell_exists (shell, "blocks/train/grass"));
}

/* Accuracies in percent of tests as they are and transformed. */
static void
classify (Shell *shell, const char *settings, double *plain, double *transformed)
{
  g_autofree char *script = g_strdup_printf (
      "$T classify blocks --set dataset.protocol=fixed --scores s.csv %s && " TRANSFORM " --scores s.csv", settings);
  const char *line;

  g_assert_cmpint (shell_script (shell, script), ==, 0);
  line = strstr (shell->output, "untransformed: ");
  g_assert_nonnull (line);
  *plain = g_ascii_strtod (strstr (line, "right, ") + 7, NULL);
  line = strstr (line, "\ntransformed: ");
  g_assert_nonnull (line);
  *transformed = g_ascii_strtod (strstr (line, "right, ") + 7, NULL);
}

#define COVARIANCE "--set descriptor.kind=image-covariance --set classifier.choose-c=true"
#define INVARIANT "--set descriptor.kind=invariant-covariance"

static void
test_copies (Shell *shell, gconstpointer data)
{
  double plain, transformed, plain_before, before;

  make (shell);
  classify (shell, COVARIANCE, &plain_before, &before);
  g_assert_cmpfloat (plain_before, >, 95);
  g_assert_cmpfloat (before, <, 80);
  classify (shell, COVARIANCE " --set dataset.copies=4", &plain, &transformed);
  g_assert_cmpfloat (plain, >, 95);
  g_assert_cmpfloat (transformed, >, plain - 3);
}

/* Channels that do not change when the image turns need copies for its scale only, and lead without any. */
static void
test_invariant (Shell *shell, gconstpointer data)
{
  double plain, transformed, upright;

  make (shell);
  classify (shell, COVARIANCE, &plain, &upright);
  classify (shell, INVARIANT, &plain, &transformed);
  g_assert_cmpfloat (plain, >, 95);
  g_assert_cmpfloat (transformed, >, upright + 5);
  classify (shell, INVARIANT " --set dataset.copies=4", &plain, &transformed);
  g_assert_cmpfloat (plain, >, 95);
  g_assert_cmpfloat (transformed, >, plain - 3);
}

/* Keypoints move with the texture. Time and memory of such a run on folders train and test are estimated first. */
static void
test_keypoints (Shell *shell, gconstpointer data)
{
  double plain, transformed;

  make (shell);
  classify (shell,
            "--set descriptor.kind=sift --set descriptor.frames=keypoints --set descriptor.detector=dog "
            "--set descriptor.most=300 --set coding.method=fisher --set descriptor.pca=32 --set coding.gaussians=8 "
            "--set descriptor.root=true",
            &plain, &transformed);
  g_assert_cmpfloat (plain, >, 95);
  g_assert_cmpfloat (transformed, >, 90);
  g_assert_nonnull (strstr (shell->errors, "takes about"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/transformed/copies", Shell, NULL, shell_set_up, test_copies, shell_tear_down);
  g_test_add ("/transformed/invariant", Shell, NULL, shell_set_up, test_invariant, shell_tear_down);
  g_test_add ("/transformed/keypoints", Shell, NULL, shell_set_up, test_keypoints, shell_tear_down);
  return g_test_run ();
}
