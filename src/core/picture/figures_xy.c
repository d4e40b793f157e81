/*
 * figures_xy.c - any rows by columns that the options name: points, lines over time, bands, bars, in one or several colors.
 */
#include "core/picture/figures.h"
#include "core/base/sort.h"

#include <string.h>

typedef struct Place {
    uint32_t color;
    double x;
    uint64_t row;
} Place;

static int compare_places(const void *left, const void *right)
{
    const Place *a = left, *b = right;

    if (a->color != b->color)
        return a->color < b->color ? -1 : 1;
    return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : (a->row > b->row) - (a->row < b->row);
}

FigureOrder figure_order(Env *env, const double *x, const uint32_t *colors, uint64_t rows, uint32_t count)
{
    Place *places = env_array_raw(env, rows + 1, sizeof(Place));
    uint64_t *row = env_array_raw(env, rows + 1, sizeof(uint64_t)), *begin = env_array(env, (size_t)count + 1, sizeof(uint64_t));

    for (uint64_t i = 0; i < rows; i++) {
        env_poll_rows(env, i);
        places[i] = (Place){colors != NULL ? colors[i] : 0, isnan(x[i]) ? INFINITY : x[i], i};
    }
    sort_polled(env, places, rows, sizeof(Place), compare_places);
    for (uint64_t i = 0; i < rows; i++) {
        env_poll_rows(env, i);
        row[i] = places[i].row;
        begin[places[i].color + 1] = i + 1;
    }
    env->release(env, places);
    return (FigureOrder){row, begin};
}

/* What the options say. */
typedef struct Mapping {
    const PictureColumn *x, *low, *high, *color, *label;
    const char *const *y;
    uint32_t y_count;
    Mark mark;
    bool bars;
    const double *across;  /* x, or the bands of its texts */
    FigureOrder order;
    PictureGroups colors;
} Mapping;

const PictureColumn *figure_column(const Scene *scene, const PictureData *data, const char *option)
{
    uint32_t count;
    const char *const *names = options_strings(scene->options, option, &count);

    if (count > 1)
        env_fail(scene->env, ERROR_PARAMETER, NULL, "option \"%s\" of plot names %u columns, and this figure takes one", option, count);
    return count > 0 ? picture_data_column(data, names[0]) : NULL;
}

/* Reads the options, and makes bands of an x axis of texts. */
static Mapping read_mapping(Scene *scene, const PictureData *data, Panel *panel)
{
    const Options *options = scene->options;
    Mapping map = {.x = picture_data_column(data, options_string(options, "x")), .colors.count = 1};
    bool line;

    map.low = figure_column(scene, data, "low");
    map.high = figure_column(scene, data, "high");
    map.color = figure_column(scene, data, "color");
    map.label = figure_column(scene, data, "label");
    map.y = options_strings(options, "y", &map.y_count);
    map.across = map.x->numbers;
    if (map.x->texts != NULL) {
        PictureGroups bands = picture_groups(data, map.x);
        double *places = env_array_raw(scene->env, data->rows + 1, sizeof(double));

        for (uint64_t i = 0; i < data->rows; i++) {
            env_poll_rows(scene->env, i);
            places[i] = bands.group[i];
        }
        for (uint32_t b = 0; b < bands.count; b++)
            bands.names[b] = bands.names[b].bytes != NULL ? bands.names[b] : picture_string("NULL");
        scale_bands(&panel->x, bands.names, bands.count);
        map.across = places;
    } else if (map.x->time) {
        panel->x.kind = SCALE_TIME;
    }
    if (map.color != NULL)
        map.colors = picture_groups_sorted(data, map.color);
    map.order = figure_order(scene->env, map.across, map.colors.group, data->rows, map.colors.count);
    line = options_given(options, "mark") ? options_is(options, "mark", "line") : map.x->time || map.low != NULL;
    map.mark = line ? MARK_LINE : MARK_POINTS;
    map.bars = options_is(options, "mark", "bar");
    return map;
}

/* Adds one column of y in one color. */
static void put_series(Scene *scene, Panel *panel, const PictureData *data, const Mapping *map, uint32_t column, uint32_t color)
{
    const PictureColumn *y = picture_data_column(data, map->y[column]);
    uint32_t series = column * map->colors.count + color, all = map->y_count * map->colors.count;
    const char *name = map->color != NULL ? figure_group(scene->env, map->colors.names[color]) : map->y[column];
    Layer *layer;

    if (map->color != NULL && map->y_count > 1)
        name = figure_string(scene->env, scene_text(scene->env, "%s, %s", map->y[column], name));
    layer = panel_layer(panel, map->bars ? MARK_BARS : map->mark, (int)series, all > 1 ? name : NULL);
    for (uint64_t i = map->order.begin[color]; i < map->order.begin[color + 1]; i++) {
        uint64_t row = map->order.row[i];
        double x = map->across[row], left = ((double)series / all - 0.5) * 0.8;
        MarkItem *item;

        env_poll_rows(scene->env, i);
        item = map->bars ? layer_add_span(layer, x + left, 0, x + left + 0.8 / all, y->numbers[row]) : layer_add(layer, x, y->numbers[row]);
        if (item != NULL && map->label != NULL)
            item->text = picture_written(scene->env, map->label, row);
    }
}

/* Adds the band between the columns low and high, per color. */
static void put_band(Panel *panel, const Mapping *map)
{
    for (uint32_t color = 0; color < map->colors.count; color++) {
        Layer *band = panel_layer(panel, MARK_AREA, (int)color, NULL);

        for (uint64_t i = map->order.begin[color]; i < map->order.begin[color + 1]; i++) {
            uint64_t row = map->order.row[i];

            layer_add_span(band, map->across[row], map->low->numbers[row], map->across[row], map->high->numbers[row]);
        }
    }
}

/* Returns "a, b by x". */
static const char *title_of(Scene *scene, const Mapping *map)
{
    TextBuffer title = {.env = scene->env};

    for (uint32_t i = 0; i < map->y_count; i++)
        text_print(&title, "%s%s", i > 0 ? ", " : "", map->y[i]);
    text_print(&title, " by %s", map->x->name);
    return text_finish(&title, NULL);
}

static void draw_rows(Scene *scene, const PictureData *data, const Model *model)
{
    Panel *panel = scene_panel(scene, NULL);
    Mapping map = read_mapping(scene, data, panel);
    uint64_t missing = 0;

    if ((map.low == NULL) != (map.high == NULL))
        env_fail(scene->env, ERROR_PARAMETER, "Name the columns of both ends of the band.", "plot needs both options \"low\" and \"high\", or neither");
    if (options_boolean(scene->options, "log_x") && panel->x.kind == SCALE_LINEAR)
        panel->x.kind = SCALE_LOG;
    if (options_boolean(scene->options, "log_y"))
        panel->y.kind = SCALE_LOG;
    panel->x.title = map.x->name;
    panel->y.title = map.y_count == 1 ? map.y[0] : NULL;
    if (map.low != NULL)
        put_band(panel, &map);
    for (uint32_t column = 0; column < map.y_count; column++)
        for (uint32_t color = 0; color < map.colors.count; color++)
            put_series(scene, panel, data, &map, column, color);
    for (uint32_t l = 0; l < panel->layer_count; l++)
        missing += panel->layers[l]->missing;
    scene_missing(scene, missing);
    if (scene->title[0] == '\0')
        scene->title = title_of(scene, &map);
    scene_say(scene, "Rows: %llu.", (unsigned long long)data->rows);
}

const Figure rows_figure = {.name = "rows", .title = "", .columns = {NULL}, .draw = draw_rows};
