/*
 * scene_thin.c - draws less where a picture cannot show more: cells by density instead of thousands of points, and of long lines what each
 * column of pixels needs. The description says what was done.
 */
#include "core/picture/picture_axis.h"
#include "core/base/hash_table.h"

#define POINTS_MOST 2000 /* of a layer, drawn one by one */
#define CELL 4.0         /* pixels */
#define LINE_MOST 4000   /* points of a line, drawn as they are */

typedef struct DensityCell {
    int32_t x, y;
    uint64_t rows;
} DensityCell;

/* Returns a value of a scale that is so many pixels from its low end. */
static double value_at(const Scale *scale, double pixels, double length)
{
    double share = scale->reversed ? 1 - pixels / length : pixels / length;

    if (scale->kind == SCALE_LOG)
        return exp(log(scale->low) * (1 - share) + log(scale->high) * share);
    return scale->low * (1 - share) + scale->high * share;
}

/* Returns the cell of a value; one beyond the ends of the scale, which are below the greatest doubles, is in the last cell. */
static int32_t cell_of(const Scale *scale, double value, double length)
{
    return (int32_t)(fmin(fmax(scale_place(scale, value), 0), 1) * length / CELL);
}

/* Replaces the points of a layer by cells, in order of first appearance; shades follow the logarithm of the count. Returns how many points there were. */
static uint64_t thin_points(Scene *scene, Layer *layer, double width, double height)
{
    const Scale *x = &layer->panel->x, *y = &layer->panel->y;
    HashTable table = hash_table(layer->env, 10);
    DensityCell *cells = NULL;
    uint32_t count = 0, room = 0;
    uint64_t most = 1, points = layer->count;

    for (uint64_t i = 0; i < points; i++) {
        DensityCell cell = {cell_of(x, layer->items[i].x, width), cell_of(y, layer->items[i].y, height), 0};
        uint32_t hash = hash_64((uint64_t)(uint32_t)cell.x << 32 | (uint32_t)cell.y), place = hash_start(&table, hash), entry;

        env_poll_rows(layer->env, i);
        while ((entry = hash_next(&table, hash, &place)) != HASH_NONE && (cells[entry].x != cell.x || cells[entry].y != cell.y))
            ;
        if (entry == HASH_NONE) {
            entry = hash_add(layer->env, &table, hash);
            cells = env_grow(layer->env, cells, count, &room, sizeof(DensityCell));
            cells[count++] = cell;
        }
        most = ++cells[entry].rows > most ? cells[entry].rows : most;
    }
    for (uint32_t i = 0; i < count; i++)
        layer->items[i] = (MarkItem){value_at(x, cells[i].x * CELL, width), value_at(y, cells[i].y * CELL, height),
                                     value_at(x, (cells[i].x + 1) * CELL, width), value_at(y, (cells[i].y + 1) * CELL, height),
                                     0.25 + 0.75 * log((double)cells[i].rows) / fmax(log((double)most), 1e-9), {NULL, 0}};
    layer->count = count;
    layer->mark = MARK_BARS;
    scene_say(scene, "%s%s%llu points drawn as %u cells, of 1 to %llu points.", layer->name != NULL ? layer->name : "", layer->name != NULL ? ": " : "",
              (unsigned long long)points, count, (unsigned long long)most);
    return points;
}

/* Leaves rings out that would cover everything. */
static void leave_out(Scene *scene, Layer *layer)
{
    scene_note(scene, "%llu rings are too many to draw.", (unsigned long long)layer->count);
    layer->count = 0;
    layer->name = NULL;
}

/* Keeps of each column of pixels the first, the least, the greatest and the last point of a line that goes right. */
static void thin_line(Scene *scene, Layer *layer, double width)
{
    const Scale *x = &layer->panel->x;
    uint64_t points = layer->count, kept = 0;

    for (uint64_t i = 1; i < points; i++)
        if (layer->items[i].x < layer->items[i - 1].x)
            return;
    for (uint64_t i = 0; i < points;) {
        int64_t column = (int64_t)(scale_place(x, layer->items[i].x) * width);
        uint64_t low = i, high = i, end = i;
        uint64_t picks[4];

        for (; end < points && (int64_t)(scale_place(x, layer->items[end].x) * width) == column; end++) {
            low = layer->items[end].y < layer->items[low].y ? end : low;
            high = layer->items[end].y > layer->items[high].y ? end : high;
        }
        env_poll_rows(layer->env, i);
        picks[0] = i, picks[1] = low < high ? low : high, picks[2] = low < high ? high : low, picks[3] = end - 1;
        for (int p = 0; p < 4; p++)
            if (p == 0 || picks[p] != picks[p - 1])
                layer->items[kept++] = layer->items[picks[p]];
        i = end;
    }
    layer->count = kept;
    scene_say(scene, "%s%s%llu points of a line drawn with %llu, the first, least, greatest and last of each column of pixels.", layer->name != NULL ? layer->name : "",
              layer->name != NULL ? ": " : "", (unsigned long long)points, (unsigned long long)kept);
}

void scene_thin(Scene *scene)
{
    uint32_t rows = (scene->panel_count + scene->columns - 1) / scene->columns;
    double width = fmax(scene->width / scene->columns - 80, 40), height = fmax((scene->height - 60) / (rows > 0 ? rows : 1) - 50, 40);

    uint64_t points = 0;

    for (uint32_t p = 0; p < scene->panel_count; p++) {
        Panel *panel = scene->panels[p];

        scale_finish(&panel->x);
        scale_finish(&panel->y);
        for (uint32_t l = 0; l < panel->layer_count; l++) {
            Layer *layer = panel->layers[l];

            if (layer->hollow && layer->count > POINTS_MOST)
                leave_out(scene, layer);
            else if (layer->mark == MARK_POINTS && layer->count > POINTS_MOST)
                points += thin_points(scene, layer, width, height);
            else if ((layer->mark == MARK_LINE || layer->mark == MARK_STEPS) && layer->count > LINE_MOST)
                thin_line(scene, layer, width);
        }
    }
    if (points > 0)
        scene_note(scene, "%llu points drawn as cells of %.0f x %.0f pixels, stronger where there are more.", (unsigned long long)points, CELL, CELL);
}
