/*
 * svg.c - writes a scene as SVG that stands alone: no script, font, image or reference; colors by a style of its own, for light and dark pages.
 *
 * Series differ by color (M. Okabe & K. Ito, "Color Universal Design", 2008), by the shape of points and by the dashes of lines.
 */
#include "core/picture/picture_axis.h"
#include "core/picture/picture_label.h"

#include <stdio.h>
#include <string.h>

#define COLORS 7
#define FONT 12.0
#define SMALL 11.0
#define LINE_HEIGHT 17.0
#define LEGEND_MOST 24
#define TEXTS_POLL 64 /* each is compared with those that have a place */
#define RING "a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0z"
#define PIECE (1 << 20) /* bytes between polls */
#define BOLD 1.15     /* times as wide */
#define AXIS_MOST 0.38 /* of the width, for labels of the y axis */

static const char style[] =
    "<style>"
    ".pgfit{font:12px system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color-scheme:light dark}"
    ".pgfit .bg{fill:#fff}.pgfit text{fill:#222}.pgfit .h{font-size:15px;font-weight:600}.pgfit .b{font-weight:600}"
    ".pgfit .s{font-size:11px;fill:#555}.pgfit .g{stroke:#e3e3e3;fill:none}.pgfit .a{stroke:#888;fill:none}"
    ".pgfit .i{color:#222}.pgfit .m{color:#8a8a8a}"
    ".pgfit .c0{color:#0072b2}.pgfit .c1{color:#d55e00}.pgfit .c2{color:#009e73}.pgfit .c3{color:#cc79a7}"
    ".pgfit .c4{color:#e69f00}.pgfit .c5{color:#56b4e9}.pgfit .c6{color:#666}"
    ".pgfit .l{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linejoin:round}.pgfit .k{stroke-width:2.4}.pgfit .d{stroke-dasharray:5 4}"
    ".pgfit .d1{stroke-dasharray:9 3}.pgfit .d2{stroke-dasharray:2 3}.pgfit .o{stroke-linecap:round;stroke-width:6}"
    ".pgfit .n{stroke-opacity:.25;stroke-width:1}.pgfit .r{shape-rendering:crispEdges}.pgfit .f{fill:currentColor;stroke:none}.pgfit .e{stroke:#fff;stroke-width:1}.pgfit .w{paint-order:stroke;stroke:#fff;stroke-width:3px}"
    "@media (prefers-color-scheme:dark){"
    ".pgfit .bg{fill:#16181d}.pgfit text{fill:#e8e8e8}.pgfit .s{fill:#a8adb5}.pgfit .g{stroke:#30343c}.pgfit .a{stroke:#7d838c}"
    ".pgfit .i{color:#e8e8e8}.pgfit .m{color:#8d939c}"
    ".pgfit .c0{color:#4da6e0}.pgfit .c1{color:#f0803c}.pgfit .c2{color:#2fc79b}.pgfit .c3{color:#de9dc4}"
    ".pgfit .c4{color:#f2b63d}.pgfit .c5{color:#9ad4f5}.pgfit .c6{color:#b4b4b4}"
    ".pgfit .e{stroke:#16181d}.pgfit .w{stroke:#16181d}}"
    "</style>";

/* Where a panel's plot lies. */
typedef struct Frame {
    const Panel *panel;
    double left, top, width, height;
} Frame;

/* Taken places of texts, so that later ones do not cover them. */
typedef struct Taken {
    uint32_t count, room;
    struct Box {
        double left, top, right, bottom;
    } *boxes;
} Taken;

static double pixel_x(const Frame *frame, double x)
{
    return frame->left + fmin(fmax(scale_place(&frame->panel->x, x), -1), 2) * frame->width;
}

static double pixel_y(const Frame *frame, double y)
{
    double place = fmin(fmax(scale_place(&frame->panel->y, y), -1), 2);

    return frame->top + (frame->panel->y.kind == SCALE_BANDS ? place : 1 - place) * frame->height;
}

/* Writes the class of a color. */
static const char *color_class(int color, char buffer[8])
{
    snprintf(buffer, 8, color == COLOR_INK ? "i" : color < 0 ? "m" : "c%d", color % COLORS);
    return buffer;
}

/* ---- text ---- */

/* Writes a text that is cut to a width; what was cut can be read by pointing at it. extra: further attributes. */
static void put_text(TextBuffer *out, double x, double y, const char *anchor, const char *class, PictureText text, double size, double most, const char *extra)
{
    bool cut;

    text_print(out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
    if (strcmp(anchor, "start") != 0)
        text_print(out, " text-anchor=\"%s\"", anchor);
    if (class[0] != '\0')
        text_print(out, " class=\"%s\"", class);
    text_print(out, "%s>", extra);
    cut = label_xml_cut(out, out->env, text, size, most);
    if (cut) {
        text_add(out, "<title>");
        label_xml(out, out->env, text);
        text_add(out, "</title>");
    }
    text_add(out, "</text>\n");
}

static void put_tooltip(TextBuffer *out, PictureText text)
{
    text_add(out, "<title>");
    label_xml(out, out->env, text);
    text_add(out, "</title>");
}

/* Takes a place; false: something is there already. */
static bool take(Env *env, Taken *taken, double left, double top, double right, double bottom)
{
    for (uint32_t i = 0; i < taken->count; i++)
        if (left < taken->boxes[i].right && right > taken->boxes[i].left && top < taken->boxes[i].bottom && bottom > taken->boxes[i].top)
            return false;
    taken->boxes = env_grow(env, taken->boxes, taken->count, &taken->room, sizeof(struct Box));
    taken->boxes[taken->count++] = (struct Box){left, top, right, bottom};
    return true;
}

/* Takes a place for a text at *y, or around a point on the line below or above, which sets *y; false: something is there. */
static bool take_near(Env *env, Taken *taken, const Frame *frame, bool around, double left, double *y, double right)
{
    static const double lines[] = {0, 13, -13};

    for (int i = 0; i < (around ? 3 : 1); i++) {
        double at = *y + lines[i];

        if ((i > 0 && (at < frame->top + 10 || at > frame->top + frame->height)) || !take(env, taken, left, at - 10, right, at + 3))
            continue;
        *y = at;
        return true;
    }
    return false;
}

/* ---- marks ---- */

/* Adds one point to a path; the shape tells the series. */
static void point_path(TextBuffer *out, int color, bool thick, double x, double y)
{
    if (thick) {
        text_print(out, "M%.1f %.1fl6 10.4h-12z", x, y - 6);
        return;
    }
    switch (color < 0 ? 0 : color % 4) {
    case 1:
        text_print(out, "M%.1f %.1fl3.6 6.2h-7.2z", x, y - 3.8);
        break;
    case 2:
        text_print(out, "M%.1f %.1fh5.6v5.6h-5.6z", x - 2.8, y - 2.8);
        break;
    case 3:
        text_print(out, "M%.1f %.1fl3.9 3.9l-3.9 3.9l-3.9 -3.9z", x, y - 3.9);
        break;
    default:
        text_print(out, "M%.1f %.1fa3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", x - 3, y);
    }
}

static void put_points(TextBuffer *out, const Frame *frame, const Layer *layer)
{
    char color[8];
    double opacity = layer->count > 300 ? 0.55 : 0.8;
    bool told = layer->count <= 300; /* each point has a text */

    if (!told)
        text_print(out, "<path class=\"f %s\" fill-opacity=\"%.2f\" d=\"", color_class(layer->color, color), opacity);
    for (uint64_t i = 0; i < layer->count; i++) {
        const MarkItem *item = &layer->items[i];

        env_poll_rows(out->env, i);
        if (told)
            text_print(out, "<path class=\"f %s\" fill-opacity=\"%.2f\" d=\"", color_class(layer->color, color), opacity);
        point_path(out, layer->color, layer->thick, pixel_x(frame, item->x), pixel_y(frame, item->y));
        if (told) {
            text_add(out, "\">");
            if (item->text.bytes != NULL)
                put_tooltip(out, item->text);
            text_add(out, "</path>\n");
        }
    }
    if (!told)
        text_add(out, "\"/>\n");
}

static void put_line(TextBuffer *out, const Frame *frame, const Layer *layer)
{
    static const char *const dashes[] = {"", " d1", " d2"};
    char color[8];

    if (layer->count == 1) { /* a dot, since a line needs two */
        text_print(out, "<path class=\"l o %s\" d=\"M%.1f %.1fh0\"/>\n", color_class(layer->color, color), pixel_x(frame, layer->items[0].x),
                   pixel_y(frame, layer->items[0].y));
        return;
    }
    text_print(out, "<path class=\"l %s%s%s%s\" d=\"", color_class(layer->color, color), layer->thick ? " k" : "", layer->faint ? " n" : "",
               layer->dashed ? " d" : dashes[layer->color < 0 ? 0 : layer->color / COLORS % 3]);
    for (uint64_t i = 0; i < layer->count; i++) {
        double x = pixel_x(frame, layer->items[i].x), y = pixel_y(frame, layer->items[i].y);

        env_poll_rows(out->env, i);
        if (i > 0 && layer->mark == MARK_STEPS)
            text_print(out, "H%.1fV%.1f", x, y);
        else
            text_print(out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', x, y);
    }
    text_add(out, "\"/>\n");
}

static void put_area(TextBuffer *out, const Frame *frame, const Layer *layer)
{
    char color[8];

    if (layer->count == 1) { /* which has no area */
        text_print(out, "<path class=\"l o %s\" stroke-opacity=\".3\" d=\"M%.1f %.1fV%.1f\"/>\n", color_class(layer->color, color), pixel_x(frame, layer->items[0].x),
                   pixel_y(frame, layer->items[0].y), pixel_y(frame, layer->items[0].y2));
        return;
    }
    text_print(out, "<path class=\"f %s\" fill-opacity=\".18\" d=\"", color_class(layer->color, color));
    for (uint64_t i = 0; i < layer->count; i++) {
        env_poll_rows(out->env, i);
        text_print(out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', pixel_x(frame, layer->items[i].x), pixel_y(frame, layer->items[i].y));
    }
    for (uint64_t i = layer->count; i-- > 0;) {
        env_poll_rows(out->env, i);
        text_print(out, "L%.1f %.1f", pixel_x(frame, layer->items[i].x2), pixel_y(frame, layer->items[i].y2));
    }
    text_add(out, "z\"/>\n");
}

/* Writes points as rings, which leave room for the points that they are about. */
static void put_rings(TextBuffer *out, const Frame *frame, const Layer *layer)
{
    char color[8];

    text_print(out, "<path class=\"l %s\" d=\"", color_class(layer->color, color));
    for (uint64_t i = 0; i < layer->count; i++) {
        env_poll_rows(out->env, i);
        text_print(out, "M%.1f %.1f" RING, pixel_x(frame, layer->items[i].x) - 5.5, pixel_y(frame, layer->items[i].y));
    }
    text_add(out, "\"/>\n");
}

/* Writes rectangles by their corners, not by width and height: so neighbors have the very same edge, and no gap shows between them. */
static void put_bars(TextBuffer *out, const Frame *frame, const Layer *layer)
{
    char color[8];

    text_print(out, "<g class=\"f %s%s\">\n", color_class(layer->color, color), layer->outlined ? " e" : layer->count > 60 ? " r" : "");
    for (uint64_t i = 0; i < layer->count; i++) {
        const MarkItem *item = &layer->items[i];
        double x = pixel_x(frame, item->x), x2 = pixel_x(frame, item->x2), y = pixel_y(frame, item->y), y2 = pixel_y(frame, item->y2);

        env_poll_rows(out->env, i);
        text_print(out, "<path d=\"M%.1f %.1fH%.1fV%.1fH%.1fz\"", x, y, x2, y2, x);
        if (item->shade < 1)
            text_print(out, " fill-opacity=\"%.2f\"", item->shade);
        if (item->text.bytes != NULL) {
            text_add(out, ">");
            put_tooltip(out, item->text);
            text_add(out, "</path>\n");
        } else {
            text_add(out, "/>\n");
        }
    }
    text_add(out, "</g>\n");
}

static void put_rules(TextBuffer *out, const Frame *frame, const Layer *layer)
{
    char color[8];

    text_print(out, "<path class=\"l %s%s%s%s\" d=\"", color_class(layer->color, color), layer->thick ? " k" : "", layer->faint ? " n" : "", layer->dashed ? " d" : "");
    for (uint64_t i = 0; i < layer->count; i++) {
        env_poll_rows(out->env, i);
        text_print(out, "M%.1f %.1fL%.1f %.1f", pixel_x(frame, layer->items[i].x), pixel_y(frame, layer->items[i].y), pixel_x(frame, layer->items[i].x2),
                   pixel_y(frame, layer->items[i].y2));
    }
    text_add(out, "\"/>\n");
}

/* Writes the texts of a layer at their places; returns how many had no room. */
static uint64_t put_texts(TextBuffer *out, const Frame *frame, const Layer *layer, double limit, Taken *taken)
{
    static const char *const anchors[] = {"middle", "start", "end"};
    uint64_t left_out = 0;

    for (uint64_t i = 0; i < layer->count; i++) {
        const MarkItem *item = &layer->items[i];
        double x = pixel_x(frame, item->x), y = pixel_y(frame, item->y) + 4 - layer->lift * 14, most = limit, width, left;

        if (item->x2 != item->x) /* the text has this room */
            most = fabs(pixel_x(frame, item->x2) - x) * (layer->anchor == ANCHOR_MIDDLE ? 2 : 1) - 6;
        else if (layer->anchor == ANCHOR_START)
            most = limit - x - 5;
        env_poll_every(out->env, i + 1, TEXTS_POLL);
        width = fmin(label_width(item->text, SMALL), most);
        x += layer->anchor == ANCHOR_START ? 5 : layer->anchor == ANCHOR_END ? -5 : 0;
        if (layer->anchor == ANCHOR_MIDDLE && item->x2 == item->x)
            x = fmax(fmin(x, limit - width / 2), frame->left + width / 2 + 2);
        left = layer->anchor == ANCHOR_START ? x : layer->anchor == ANCHOR_END ? x - width : x - width / 2;
        if (most < 12 || (layer->thinned && !take_near(out->env, taken, frame, layer->anchor == ANCHOR_MIDDLE, left - 2, &y, left + width + 2))) {
            left_out++;
            continue;
        }
        put_text(out, x, y, anchors[layer->anchor], layer->haloed ? "w" : layer->color == COLOR_MUTED ? "s" : "", item->text, SMALL, most, " font-size=\"11\"");
    }
    return left_out;
}

static uint64_t put_layer(TextBuffer *out, const Frame *frame, const Layer *layer, double limit, Taken *taken)
{
    out->env->poll(out->env); /* there may be a layer per row */
    if (layer->count == 0)
        return 0;
    switch (layer->mark) {
    case MARK_POINTS:
        if (layer->hollow)
            put_rings(out, frame, layer);
        else
            put_points(out, frame, layer);
        break;
    case MARK_LINE:
    case MARK_STEPS:
        put_line(out, frame, layer);
        break;
    case MARK_AREA:
        put_area(out, frame, layer);
        break;
    case MARK_BARS:
        put_bars(out, frame, layer);
        break;
    case MARK_RULES:
        put_rules(out, frame, layer);
        break;
    case MARK_TEXTS:
        return put_texts(out, frame, layer, limit, taken);
    }
    return 0;
}

/* ---- axes ---- */

/* Returns the width of the widest label of a scale. */
static double widest(Env *env, const Scale *scale, const Ticks *ticks)
{
    double most = 0;

    for (uint32_t i = 0; scale->kind == SCALE_BANDS && i < scale->band_count; i++) {
        env_poll_rows(env, i);
        most = fmax(most, label_width(scale->bands[i], SMALL));
    }
    for (uint32_t i = 0; i < ticks->count; i++)
        most = fmax(most, label_width(picture_string(ticks->ticks[i].text), SMALL));
    return most;
}

/* Sets ticks of the x axis that do not touch each other. */
static void fitting_ticks(Env *env, const Scale *scale, double width, Ticks *ticks)
{
    uint32_t about = (uint32_t)fmax(width / 70, 2);

    for (;; about--) {
        scale_ticks(scale, about, ticks);
        if (about <= 1 || ticks->count < 2 || (widest(env, scale, ticks) + 14) * ticks->count <= width * 1.05)
            return;
    }
}

static void put_y_axis(TextBuffer *out, const Frame *frame, const Ticks *ticks, double room)
{
    const Scale *scale = &frame->panel->y;
    double before = -INFINITY;

    for (uint32_t i = 0; i < ticks->count; i++) {
        double y = pixel_y(frame, ticks->ticks[i].at);

        text_print(out, "<path class=\"g\" d=\"M%.1f %.1fh%.1f\"/>", frame->left, y, frame->width);
        put_text(out, frame->left - 6, y + 4, "end", "s", picture_string(ticks->ticks[i].text), SMALL, room, "");
    }
    for (uint32_t i = 0; scale->kind == SCALE_BANDS && !scale->hidden && i < scale->band_count; i++) {
        double y = pixel_y(frame, i);

        env_poll_rows(out->env, i);
        if (y - before < 11 || scale->bands[i].length == 0)
            continue;
        put_text(out, frame->left - 6, y + 4, "end", "s", scale->bands[i], SMALL, room, "");
        before = y;
    }
}

static void put_x_axis(TextBuffer *out, const Frame *frame, const Ticks *ticks)
{
    const Scale *scale = &frame->panel->x;
    double bottom = frame->top + frame->height, band = frame->width / fmax(scale->band_count, 1);
    bool grid = frame->panel->y.kind == SCALE_BANDS;
    uint32_t every = (uint32_t)ceil(fmin(widest(out->env, scale, ticks) + 8, 80) / band); /* labels of which more can be read, fewer of them */

    for (uint32_t i = 0; i < ticks->count; i++) {
        double x = pixel_x(frame, ticks->ticks[i].at);
        PictureText text;

        if (grid)
            text_print(out, "<path class=\"g\" d=\"M%.1f %.1fv%.1f\"/>", x, frame->top, frame->height);
        else
            text_print(out, "<path class=\"a\" d=\"M%.1f %.1fv4\"/>", x, bottom);
        text = picture_string(ticks->ticks[i].text);
        x = fmin(x, frame->left + frame->width + frame->panel->room_right + 10 - label_width(text, SMALL) / 2); /* the picture ends there */
        put_text(out, x, bottom + 16, "middle", "s", text, SMALL, 200, "");
    }
    for (uint32_t i = 0; scale->kind == SCALE_BANDS && !scale->hidden && i < scale->band_count; i += every)
        put_text(out, pixel_x(frame, i), bottom + 16, "middle", "s", scale->bands[i], SMALL, band * every - 6, "");
}

/* Writes the titles of a panel whose part of the picture goes from left to right. */
static void put_titles(TextBuffer *out, const Frame *frame, double left, double right)
{
    const Panel *panel = frame->panel;
    char turn[80];

    if (panel->title != NULL)
        put_text(out, frame->left, frame->top - 8, "start", "b", picture_string(panel->title), FONT * BOLD, frame->width, "");
    if (panel->x.title != NULL) {
        PictureText title = picture_string(panel->x.title);
        bool fits = label_width(title, FONT) <= frame->width; /* else it may go below the labels of the y axis */

        put_text(out, fits ? frame->left + frame->width / 2 : (left + right) / 2, frame->top + frame->height + (panel->x.hidden ? 16 : 34), "middle", "", title, FONT,
                 fits ? frame->width : right - left, "");
    }
    if (panel->y.title != NULL) {
        double y = frame->top + frame->height / 2;

        snprintf(turn, sizeof turn, " transform=\"rotate(-90 %.1f %.1f)\"", left + 13, y);
        put_text(out, left + 13, y, "middle", "", picture_string(panel->y.title), FONT, frame->height, turn);
    }
}

/* Writes a panel in a part of the picture; returns how many texts had no room. */
static uint64_t put_panel(TextBuffer *out, const Panel *panel, double left, double top, double width, double height)
{
    Frame frame = {panel, 0, top + (panel->title != NULL ? 22 : 8), 0, 0};
    Ticks x = {0}, y = {0};
    Taken taken = {0};
    uint64_t left_out = 0;
    double labels, limit = left + width - 4;

    frame.height = fmax(top + height - frame.top - (panel->x.hidden ? 8 : 24) - (panel->x.title != NULL ? 18 : 0), 10);
    if (!panel->y.hidden)
        scale_ticks(&panel->y, (uint32_t)fmax(frame.height / 45, 2), &y);
    labels = panel->y.hidden ? 0 : fmin(widest(out->env, &panel->y, &y), width * AXIS_MOST);
    frame.left = left + labels + (panel->y.title != NULL ? 30 : 12);
    frame.width = fmax(limit - 8 - panel->room_right - frame.left, 10);
    if (!panel->x.hidden)
        fitting_ticks(out->env, &panel->x, frame.width, &x);
    put_y_axis(out, &frame, &y, labels + 1);
    put_x_axis(out, &frame, &x);
    if (panel->y.kind != SCALE_BANDS && !panel->x.hidden)
        text_print(out, "<path class=\"a\" d=\"M%.1f %.1fh%.1f\"/>\n", frame.left, frame.top + frame.height, frame.width);
    put_titles(out, &frame, left, limit);
    for (uint32_t i = 0; i < panel->layer_count; i++)
        left_out += put_layer(out, &frame, panel->layers[i], limit, &taken);
    return left_out;
}

/* ---- the picture ---- */

static void put_swatch(TextBuffer *out, const Layer *layer, double x, double y)
{
    char color[8];
    const char *class = color_class(layer->color, color);

    if (layer->mark == MARK_POINTS && layer->hollow) {
        text_print(out, "<path class=\"l %s\" d=\"M%.1f %.1f" RING "\"/>", class, x + 0.5, y - 4);
    } else if (layer->mark == MARK_POINTS) {
        text_print(out, "<path class=\"f %s\" d=\"", class);
        point_path(out, layer->color, layer->thick, x + 6, y - 4);
        text_add(out, "\"/>");
    } else if (layer->mark == MARK_BARS || layer->mark == MARK_AREA) {
        text_print(out, "<rect class=\"f %s\" x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"10\"%s/>", class, x, y - 9, layer->mark == MARK_AREA ? " fill-opacity=\".3\"" : "");
    } else {
        text_print(out, "<path class=\"l %s%s%s\" d=\"M%.1f %.1fh14\"/>", class, layer->thick ? " k" : "",
                   layer->dashed ? " d" : layer->color >= COLORS ? layer->color / COLORS % 3 == 1 ? " d1" : " d2" : "", x, y - 4);
    }
}

/* Writes the legend in lines from y on; returns its height. */
static double put_legend(TextBuffer *out, const Scene *scene, double y)
{
    double x = 14, begin = y;
    uint32_t shown = 0, left_out = 0;

    for (uint32_t p = 0; p < scene->panel_count; p++)
        for (uint32_t l = 0; l < scene->panels[p]->layer_count; l++) {
            const Layer *layer = scene->panels[p]->layers[l];
            double width = layer->name != NULL ? fmin(label_width(picture_string(layer->name), FONT), 220) + 36 : 0;

            env_poll_rows(out->env, l);
            if (layer->name == NULL)
                continue;
            if (shown >= LEGEND_MOST) {
                left_out++;
                continue;
            }
            if (x + width > scene->width && shown > 0) {
                x = 14;
                y += LINE_HEIGHT;
            }
            put_swatch(out, layer, x, y + 12);
            put_text(out, x + 19, y + 12, "start", "", picture_string(layer->name), FONT, fmin(220, scene->width - x - 22), "");
            x += width;
            shown++;
        }
    if (left_out > 0 && x + 100 > scene->width) {
        x = 14;
        y += LINE_HEIGHT;
    }
    if (left_out > 0)
        put_text(out, x, y + 12, "start", "s", scene_text(out->env, "and %u more", left_out), SMALL, 100, "");
    return shown > 0 ? y - begin + LINE_HEIGHT + 3 : 0;
}

static void put_head(TextBuffer *out, const Scene *scene)
{
    PictureText title = picture_string(scene->title);

    text_print(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pgfit\" role=\"img\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" aria-label=\"", scene->width,
               scene->height, scene->width, scene->height);
    label_xml(out, out->env, title);
    text_add(out, "\">\n<title>");
    label_xml(out, out->env, title);
    text_add(out, "</title>\n");
}

/* Writes the note in lines that end above `bottom`, or only counts them; returns how many there are. */
static uint32_t put_note(TextBuffer *out, const Scene *scene, double bottom, bool write)
{
    PictureText rest = {scene->note.text, (uint32_t)scene->note.length};
    uint32_t lines = 0, all = write ? put_note(out, scene, bottom, false) : 0;

    while (rest.length > 0) {
        uint32_t fits = label_cut(out->env, rest, SMALL, scene->width - 28), end = fits;

        while (end > 0 && fits < rest.length && rest.bytes[end] != ' ')
            end--;
        end = end > 0 ? end : fits > 0 ? fits : rest.length;
        if (write)
            put_text(out, 14, bottom - 14.0 * (all - 1 - lines), "start", "s", (PictureText){rest.bytes, end}, SMALL, INFINITY, "");
        for (; end < rest.length && rest.bytes[end] == ' '; end++)
            ;
        rest.bytes += end;
        rest.length -= end;
        lines++;
    }
    return lines;
}

/* Adds what a buffer holds, which may take longer than a cancel waits. */
static void put_all(TextBuffer *out, TextBuffer *from)
{
    const char *text = text_finish(from, NULL);

    for (size_t at = 0; at < from->length; at += PIECE) {
        out->env->poll(out->env);
        text_bytes(out, text + at, from->length - at < PIECE ? from->length - at : PIECE);
    }
}

char *scene_svg(Scene *scene)
{
    TextBuffer head = {.env = scene->env}, out = {.env = scene->env};
    uint32_t columns = scene->columns, rows = (scene->panel_count + columns - 1) / columns;
    double top, bottom, width = scene->width / columns, height, legend;
    uint64_t left_out = 0;

    text_print(&out, "%s\n<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n", style);
    top = scene->title[0] != '\0' ? 34 : 12;
    put_text(&out, 14, 24, "start", "h", picture_string(scene->title), 15 * BOLD, scene->width - 28, "");
    legend = put_legend(&out, scene, top);
    top += legend;
    if (!scene->given_height) /* that of a picture whose legend has two lines */
        scene->height += fmax(legend - 2 * LINE_HEIGHT - 3, 0);
    bottom = scene->height - 6 - 15.0 * put_note(&out, scene, 0, false);
    height = fmax((bottom - top) / (rows > 0 ? rows : 1), 20);
    for (uint32_t i = 0; i < scene->panel_count; i++)
        left_out += put_panel(&out, scene->panels[i], i % columns * width + 4, top + i / columns * height, width - 4, height);
    if (left_out > 0)
        scene_say(scene, "%llu labels are left out for lack of room.", (unsigned long long)left_out);
    put_note(&out, scene, scene->height - 8, true);
    put_head(&head, scene);
    text_add(&head, "<desc>");
    label_xml(&head, scene->env, picture_string(text_finish(&scene->description, NULL)));
    text_add(&head, "</desc>\n");
    put_all(&head, &out);
    text_add(&head, "</svg>\n");
    return text_finish(&head, NULL);
}
