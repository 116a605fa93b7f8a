/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"
#include "core/plot/draw-code.h"
#include "core/plot/draw-slices.h"
#include "studio/widgets/drawing.h"

/* Shows a drawing of core, painted once per change of data, size or style, with a bubble that names the element under
 * the pointer and its value. Its owner implements other bubbles, clicks and arrow keys. Other classes may extend it. */
#define STUDIO_TYPE_PICTURE_VIEW (studio_picture_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioPictureView, studio_picture_view, STUDIO, PICTURE_VIEW, GtkWidget)

typedef enum
{
  STUDIO_DRAWING_NONE,
  STUDIO_DRAWING_MATRIX,
  STUDIO_DRAWING_BARS,
  STUDIO_DRAWING_STRIP,
  STUDIO_DRAWING_SLICES,
  STUDIO_DRAWING_STEMS,
  STUDIO_DRAWING_OWN, /* by StudioPictureFuncs.draw */
} StudioDrawingKind;

typedef struct
{
  StudioDrawingKind kind;
  union
  {
    TosstMatrixDrawing matrix;
    TosstBarsDrawing bars;
    TosstStripDrawing strip;
    TosstSlicesDrawing slices;
    TosstStemsDrawing stems;
  };
  const GArray *groups; /* of a strip: names of its slices, or NULL */
  const int *ranks;     /* of stems: ranks of the atoms */
  gboolean plain;       /* labels name no features; else the bubble typesets them like formulas */
} StudioDrawing;

/* The position of the pointer in a picture, and the parameters of the drawing. */
typedef struct
{
  double x, y, width, height;
  TosstChartStyle style;
} StudioPicturePoint;

/* Called while something is shown, with the data, in the type that it has, last. All may be NULL. */
typedef struct
{
  GCallback draw; /* of STUDIO_DRAWING_OWN: TosstDrawFunc */
  /* char *(*) (StudioPicturePoint *point, Data *): describes the element under the pointer: new string for the bubble, at
   * point->x, y, which it may change; NULL: none. */
  GCallback label;
  GCallback pressed; /* void (*) (const StudioPicturePoint *point, Data *) */
  /* void (*) (int element, Data *): an element of a strip or of stems under the pointer, or another one of a strip, to which
   * an arrow key, Home or End leads. */
  GCallback choose;
  /* gboolean (*) (guint key, const StudioPicturePoint *size, Data *): an arrow key, Home, End or Return. TRUE: it was
   * handled. */
  GCallback key;
  GCallback describe; /* char *(*) (Data *): accessible description, new string */
  /* gboolean (*) (const StudioPicturePoint *size, graphene_rect_t *area, Data *): the element that is framed, and labelled
   * while the view has visible focus and the pointer is elsewhere; FALSE: none. */
  GCallback frame;
} StudioPictureFuncs;

/* Of this file and of classes that extend it. */
struct _StudioPictureView
{
  GtkWidget parent_instance;
  StudioDrawing drawing;
  const StudioPictureFuncs *funcs; /* NULL: none */
  gpointer data;
  StudioPicture picture;
  StudioPointer pointer;
  guint describe_source;
  int shape[4]; /* of the last drawing: kind, planes, rows, columns */
  int wanted;   /* height, of the last drawing */
};

/* funcs: static, or NULL. data is borrowed. */
void studio_picture_view_set_funcs (StudioPictureView *self, const StudioPictureFuncs *funcs, gpointer data);
/* After data changed. drawing is copied and borrows its data; NULL, before that is freed: nothing is shown. */
void studio_picture_view_show (StudioPictureView *self, const StudioDrawing *drawing);
void studio_picture_view_show_own (StudioPictureView *self, gboolean any); /* STUDIO_DRAWING_OWN, or NULL */
