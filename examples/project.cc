// SPDX-License-Identifier: GPL-3.0-or-later
//
// The library from C++: a matrix is projected onto the set of atoms, B positive semi-definite with tr B <= 1.
//
//     c++ project.cc $(pkg-config --cflags --libs tosst) -o project
#include <cmath>
#include <cstdio>
#include <vector>

#include <tosst/tosst.h>

int
main ()
{
  const int d = 2;
  const double matrix[] = { 2, 1, 1, -1 };
  std::vector<double> v (d * (d + 1) / 2), work (tosst_project_atom_work (d)), projected (d * d);

  tosst_matrix_to_vec (d, matrix, v.data ());
  if (tosst_project_atom (TOSST_SCHEME_PSD, 0, d, v.data (), work.data ()) != TOSST_OK)
    return 1;
  tosst_vec_to_matrix (d, v.data (), projected.data ());
  std::printf ("libtosst %s: tr B = %.3f, |det B| = %.3f\n", tosst_version (), projected[0] + projected[3],
               std::fabs (projected[0] * projected[3] - projected[1] * projected[2]));
  return std::fabs (projected[0] + projected[3] - 1) < 1e-9 ? 0 : 1;
}
