/*
 * scene.h - what a picture shows, independent of how it is written: panels with two scales, and layers of marks in units of the data.
 *
 *     Panel *panel = scene_panel(scene, NULL);
 *     Layer *line = panel_layer(panel, MARK_LINE, 0, "forest");
 *
 *     panel->x.title = "lambda";
 *     for (...)
 *         layer_add(line, x[i], y[i]);
 *
 * Layers grow the ranges of the scales. A scale with bands shows texts at 0, 1, 2 ...; those of y run from top to bottom.
 */
#ifndef PGFIT_SCENE_H
#define PGFIT_SCENE_H

#include "core/picture/picture_data.h"
#include "core/base/text_buffer.h"

typedef enum ScaleKind { SCALE_LINEAR, SCALE_LOG, SCALE_TIME, SCALE_BANDS } ScaleKind;

typedef struct Scale {
    ScaleKind kind;
    const char *title; /* NULL: none */
    double low, high;
    bool hidden;       /* no ticks */
    bool tight;        /* the range ends where the data end */
    bool reversed;     /* high values come first */
    bool whole;        /* ticks are whole numbers */
    bool rooted;       /* bars begin at its low end, 0 */
    uint32_t band_count;
    const PictureText *bands;
} Scale;

typedef enum Mark {
    MARK_POINTS,
    MARK_LINE,
    MARK_STEPS, /* a line that goes right before it rises or falls */
    MARK_AREA,  /* between y and y2 */
    MARK_BARS,  /* rectangles from (x, y) to (x2, y2) */
    MARK_RULES, /* segments from (x, y) to (x2, y2) */
    MARK_TEXTS  /* at (x, y) */
} Mark;

/* Colors beside the series 0, 1, 2 ... */
#define COLOR_INK (-1)
#define COLOR_MUTED (-2)

typedef enum Anchor { ANCHOR_MIDDLE, ANCHOR_START, ANCHOR_END } Anchor;

typedef struct MarkItem {
    double x, y, x2, y2;
    double shade;     /* of bars and points: 0 (faint) to 1 (full) */
    PictureText text; /* of texts; else what a reader learns who points at the mark */
} MarkItem;

typedef struct Layer {
    Env *env;
    struct Panel *panel;
    Mark mark;
    int color;
    const char *name;   /* in the legend; NULL: not there */
    bool dashed, thick; /* lines; thick points are larger */
    bool faint;         /* lines and rules: one of many */
    bool hollow;        /* points: rings around others */
    bool haloed;        /* texts: with an edge of the background's color, over lines */
    bool outlined;      /* bars: with an edge of the background's color */
    bool thinned;       /* texts: those that would cover earlier ones are left out */
    Anchor anchor;      /* texts */
    double lift;        /* texts: lines of text above the place */
    uint64_t count, room;
    uint64_t missing;   /* marks that were left out */
    MarkItem *items;
} Layer;

typedef struct Panel {
    Env *env;
    const char *title; /* NULL: none */
    Scale x, y;
    double room_right; /* pixels for texts beyond the right end */
    uint32_t layer_count;
    uint32_t layer_room;
    Layer **layers;
    size_t bytes; /* of layers and their marks */
} Panel;

typedef struct Scene {
    Env *env;
    const char *title;
    TextBuffer description; /* sentences for readers who do not see the picture */
    TextBuffer note;        /* a line below the picture */
    double width, height;   /* pixels */
    bool given_height;
    uint32_t columns;       /* of panels */
    uint32_t panel_count;
    Panel *panels[6];
    const struct Options *options;
} Scene;

Scene *scene_new(Env *env, const struct Options *options);
/* Adds a panel, of which a scene has 6 at most. */
Panel *scene_panel(Scene *scene, const char *title);
/* Adds a layer, drawn over the earlier ones. name: for the legend, or NULL. */
Layer *panel_layer(Panel *panel, Mark mark, int color, const char *name);
/* Add a mark; places that are no finite numbers are left out. Return the mark, valid until the next one; NULL: left out. */
MarkItem *layer_add(Layer *layer, double x, double y);
MarkItem *layer_add_span(Layer *layer, double x, double y, double x2, double y2);
/* Grows a scale so that it has this value. */
void scale_include(Scale *scale, double value);
/* Makes bars begin at 0. */
void scale_root(Scale *scale);
/* Makes a scale one of bands. The texts must outlive the scene. */
void scale_bands(Scale *scale, const PictureText *texts, uint32_t count);
/* Returns a text of a printf format, of any length. */
PictureText scene_text(Env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a sentence to the description. */
void scene_say(Scene *scene, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a sentence to the description and to the note below the picture. */
void scene_note(Scene *scene, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a note about what is not drawn because a number is missing, or not finite; none about 0. */
void scene_missing(Scene *scene, uint64_t missing);
/* Grows a picture whose height was not given, so that so many bands have room. */
void scene_room(Scene *scene, uint32_t bands);

/* ---- scene_thin.c ---- */

/* Draws layers of thousands of points as cells by density, and long lines with fewer points, and says so. */
void scene_thin(Scene *scene);

/* ---- svg.c, vega.c, plain_text.c ---- */

char *scene_svg(Scene *scene);
char *scene_vega(Scene *scene);
char *scene_plain(Scene *scene);

#endif
