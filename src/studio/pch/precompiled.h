/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled once for all files of the window: reading it takes two thirds of the time of each. */
#include <adwaita.h>
