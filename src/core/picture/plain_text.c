/*
 * plain_text.c - writes a scene as lines of characters, for psql: marks in cells of a grid, the series as different characters.
 */
#include "core/picture/picture_axis.h"
#include "core/picture/picture_label.h"
#include "core/options/options.h"
#include "core/base/bytes.h"

#include <string.h>

#define CELL_WIDTH 8 /* pixels */
#define CELL_HEIGHT 16
#define LABEL_MOST 28
#define CELLS_POLL 1000000

static const char series[] = "*o+x#@%&";

/* The cells of a panel. */
typedef struct Canvas {
    Env *env;
    uint64_t work; /* cells since the last poll */
    const Panel *panel;
    int width, height;
    char *cells; /* [height x width] */
} Canvas;

static int column_of(const Canvas *canvas, double x)
{
    double place = scale_place(&canvas->panel->x, x) * canvas->width;

    return (int)fmin(fmax(place, 0), canvas->width - 1);
}

static int line_of(const Canvas *canvas, double y)
{
    double place = scale_place(&canvas->panel->y, y);

    place = (canvas->panel->y.kind == SCALE_BANDS ? place : 1 - place) * canvas->height;
    return (int)fmin(fmax(place, 0), canvas->height - 1);
}

static void put_cell(Canvas *canvas, int column, int line, char c)
{
    if (column >= 0 && column < canvas->width && line >= 0 && line < canvas->height)
        canvas->cells[(size_t)line * (size_t)canvas->width + (size_t)column] = c;
}

/* Draws a segment between two cells. */
static void put_segment(Canvas *canvas, int column, int line, int column2, int line2, char c)
{
    int steps = column2 > column ? column2 - column : column - column2, lines = line2 > line ? line2 - line : line - line2;

    steps = steps > lines ? steps : lines;
    env_poll_after(canvas->env, &canvas->work, (uint64_t)steps, CELLS_POLL);
    for (int i = 0; i <= steps; i++)
        put_cell(canvas, column + (steps > 0 ? (int)lround((double)(column2 - column) * i / steps) : 0),
                 line + (steps > 0 ? (int)lround((double)(line2 - line) * i / steps) : 0), c);
}

static void put_bar(Canvas *canvas, const MarkItem *item, char c)
{
    static const char shades[] = " .:-=+*#";
    int left = column_of(canvas, fmin(item->x, item->x2)), right = column_of(canvas, fmax(item->x, item->x2));
    int top = line_of(canvas, item->y), bottom = line_of(canvas, item->y2);

    if (item->shade < 1 && c == series[0])
        c = shades[(int)(item->shade * 7.99)];
    if (canvas->panel->y.kind == SCALE_BANDS && item->x == item->x2)
        return;
    for (int line = top < bottom ? top : bottom; line <= (top < bottom ? bottom : top); line++) {
        env_poll_after(canvas->env, &canvas->work, (uint64_t)(right - left) + 1, CELLS_POLL);
        for (int column = left; column <= right; column++)
            put_cell(canvas, column, line, c);
    }
}

static void put_layer(Canvas *canvas, const Layer *layer)
{
    char c = layer->color == COLOR_INK ? '|' : layer->color < 0 ? '.' : series[layer->color % 8];

    layer->env->poll(layer->env); /* there may be a layer per row */
    for (uint64_t i = 0; i < layer->count; i++) {
        const MarkItem *item = &layer->items[i];
        int column = column_of(canvas, item->x), line = line_of(canvas, item->y);

        env_poll_rows(layer->env, i);
        switch (layer->mark) {
        case MARK_POINTS:
            put_cell(canvas, column, line, c);
            break;
        case MARK_LINE:
        case MARK_STEPS:
            if (i > 0 && layer->mark == MARK_STEPS)
                put_segment(canvas, column_of(canvas, item[-1].x), line_of(canvas, item[-1].y), column, line_of(canvas, item[-1].y), c);
            put_segment(canvas, i > 0 && layer->mark == MARK_LINE ? column_of(canvas, item[-1].x) : column, i > 0 ? line_of(canvas, item[-1].y) : line, column, line, c);
            break;
        case MARK_AREA:
            put_segment(canvas, column, line, column, line_of(canvas, item->y2), ':');
            break;
        case MARK_BARS:
            put_bar(canvas, item, c);
            break;
        case MARK_RULES:
            put_segment(canvas, column, line, column_of(canvas, item->x2), line_of(canvas, item->y2), layer->color < 0 ? '.' : '-');
            break;
        case MARK_TEXTS:
            for (uint32_t b = 0; b < item->text.length && (unsigned char)item->text.bytes[b] >= 0x20 && (unsigned char)item->text.bytes[b] < 0x7F; b++)
                put_cell(canvas, column + (int)b - (layer->anchor == ANCHOR_MIDDLE ? (int)item->text.length / 2 : -1), line, item->text.bytes[b]);
            break;
        }
    }
}

/* Adds a byte of a text, a control character as a space: a terminal would obey it. */
static void put_character(TextBuffer *out, char byte)
{
    text_character(out, (unsigned char)byte < 0x20 || byte == 0x7F ? ' ' : byte);
}

/* Returns how many cells of a terminal the character that begins at a byte takes: two of East Asian scripts and of pictures, none where none begins. */
static uint32_t cells_at(const Env *env, PictureText text, uint32_t at)
{
    static const uint32_t wide[][2] = {{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0xA4CF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},
                                       {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    const unsigned char *c = (const unsigned char *)text.bytes + at;
    size_t size = env->foreign_text ? 1 : utf8_sequence(c, text.length - at);
    uint32_t code = size == 4 ? c[0] & 0x07 : size == 3 ? c[0] & 0x0F : 0;

    if (!env->foreign_text && (*c & 0xC0) == 0x80)
        return 0;
    for (size_t i = 1; size >= 3 && i < size; i++)
        code = code << 6 | (c[i] & 0x3F);
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (code >= wide[i][0] && code <= wide[i][1])
            return 2;
    return 1;
}

/* Adds a text as it stands, cut to so many cells, and blanks up to a width: on the left with right set. */
static void put_padded(TextBuffer *out, PictureText text, uint32_t width, bool right)
{
    uint32_t cells = 0, cut = 0;

    for (; cut < text.length; cut++) {
        uint32_t more = cells_at(out->env, text, cut);

        if (cells + more > width)
            break;
        cells += more;
    }
    for (uint32_t b = cells; right && b < width; b++)
        text_character(out, ' ');
    for (uint32_t b = 0; b < cut; b++)
        put_character(out, text.bytes[b]);
    for (uint32_t b = cells; !right && b < width; b++)
        text_character(out, ' ');
}

/* Adds a text as a line of its own. */
static void put_text(TextBuffer *out, PictureText text)
{
    for (uint32_t i = 0; i < text.length; i++)
        put_character(out, text.bytes[i]);
    text_character(out, '\n');
}

/* Returns the labels of the lines of the canvas, of the first tick or band where several are on one line. */
static PictureText *line_labels(const Canvas *canvas, const Ticks *ticks)
{
    const Scale *scale = &canvas->panel->y;
    PictureText *labels = env_array(canvas->env, (size_t)canvas->height, sizeof(PictureText));

    for (uint32_t i = scale->kind == SCALE_BANDS && scale->bands != NULL ? scale->band_count : 0; i-- > 0;) {
        env_poll_rows(canvas->env, i);
        labels[line_of(canvas, i)] = scale->bands[i];
    }
    for (uint32_t i = ticks->count; i-- > 0;)
        labels[line_of(canvas, ticks->ticks[i].at)] = picture_string(ticks->ticks[i].text);
    return labels;
}

/* Writes the labels of the x axis below their places, as many as fit. */
static void put_x_labels(TextBuffer *out, const Canvas *canvas, uint32_t margin)
{
    const Scale *scale = &canvas->panel->x;
    Ticks ticks = {0};
    uint32_t count;
    int at = 0;

    if (scale->hidden)
        return;
    scale_ticks(scale, (uint32_t)canvas->width / 12 + 1, &ticks);
    count = scale->kind == SCALE_BANDS ? scale->band_count : ticks.count;
    put_padded(out, picture_string(""), margin + 2, false);
    for (uint32_t n = 0; n < count; n++) { /* from the left */
        uint32_t i = scale->reversed ? count - 1 - n : n;
        PictureText text = scale->kind == SCALE_BANDS ? scale->bands[i] : picture_string(ticks.ticks[i].text);
        int most = scale->kind == SCALE_BANDS ? canvas->width / (int)scale->band_count - 1 : (int)text.length;
        int length = (int)text.length < most ? (int)text.length : most, start = column_of(canvas, scale->kind == SCALE_BANDS ? i : ticks.ticks[i].at) - length / 2;

        if (length <= 0 || start < at)
            continue;
        put_padded(out, picture_string(""), (uint32_t)(start - at), false);
        put_padded(out, text, (uint32_t)length, false);
        text_character(out, ' ');
        at = start + length + 1;
    }
    while (out->length > 0 && out->text[out->length - 1] == ' ')
        out->text[--out->length] = '\0';
    text_character(out, '\n');
}

static void put_panel(TextBuffer *out, const Scene *scene, const Panel *panel)
{
    Canvas canvas = {.env = out->env, .panel = panel};
    PictureText *labels;
    uint32_t margin = 0;
    Ticks y = {0};
    int bands = panel->y.kind == SCALE_BANDS ? (int)panel->y.band_count : 0;

    canvas.height = (int)((options_given(scene->options, "height") ? scene->height : 320) / CELL_HEIGHT);
    canvas.height = bands > 0 && panel->y.bands != NULL && !scene->given_height ? bands : canvas.height;
    scale_ticks(&panel->y, (uint32_t)canvas.height / 4 + 1, &y);
    for (uint32_t i = 0; i < y.count; i++)
        margin = (uint32_t)fmax(margin, (double)strlen(y.ticks[i].text));
    for (uint32_t i = 0; panel->y.bands != NULL && i < panel->y.band_count; i++)
        margin = panel->y.bands[i].length > margin ? panel->y.bands[i].length : margin;
    margin = margin > LABEL_MOST ? LABEL_MOST : margin;
    canvas.width = (int)((options_given(scene->options, "width") ? scene->width : 640) / CELL_WIDTH) - (int)margin - 3;
    canvas.width = canvas.width < 10 ? 10 : canvas.width;
    env_require_memory(out->env, (size_t)canvas.width * (size_t)canvas.height, "plot");
    canvas.cells = env_array(out->env, (size_t)canvas.width * (size_t)canvas.height, 1);
    memset(canvas.cells, ' ', (size_t)canvas.width * (size_t)canvas.height);
    for (uint32_t l = 0; l < panel->layer_count; l++)
        put_layer(&canvas, panel->layers[l]);
    labels = line_labels(&canvas, &y);
    if (panel->title != NULL)
        put_text(out, picture_string(panel->title));
    if (panel->y.title != NULL)
        put_text(out, picture_string(panel->y.title));
    for (int line = 0; line < canvas.height; line++) {
        int end = canvas.width;

        env_poll_rows(out->env, (uint64_t)line);
        put_padded(out, labels[line], margin, panel->y.kind != SCALE_BANDS);
        while (end > 0 && canvas.cells[(size_t)line * (size_t)canvas.width + (size_t)end - 1] == ' ')
            end--;
        text_print(out, end > 0 ? " |%.*s\n" : " |\n", end, canvas.cells + (size_t)line * (size_t)canvas.width);
    }
    put_x_labels(out, &canvas, margin);
    if (panel->x.title != NULL) {
        int before = (int)margin + 2 + canvas.width / 2 - (int)(strlen(panel->x.title) + 1) / 2;

        put_padded(out, picture_string(""), before > 0 ? (uint32_t)before : 0, false);
        put_text(out, picture_string(panel->x.title));
    }
}

char *scene_plain(Scene *scene)
{
    TextBuffer out = {.env = scene->env};

    if (scene->title[0] != '\0')
        put_text(&out, picture_string(scene->title));
    for (uint32_t p = 0; p < scene->panel_count; p++)
        for (uint32_t l = 0; l < scene->panels[p]->layer_count; l++) {
            const Layer *layer = scene->panels[p]->layers[l];

            env_poll_rows(scene->env, l);
            if (layer->name == NULL)
                continue;
            text_print(&out, "%c ", layer->color < 0 ? '.' : series[layer->color % 8]);
            put_text(&out, picture_string(layer->name));
        }
    for (uint32_t p = 0; p < scene->panel_count; p++)
        put_panel(&out, scene, scene->panels[p]);
    text_add(&out, text_finish(&scene->note, NULL));
    while (out.length > 0 && out.text[out.length - 1] == '\n')
        out.text[--out.length] = '\0';
    return text_finish(&out, NULL);
}
