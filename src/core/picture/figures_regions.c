/*
 * figures_regions.c - rows over what a model says across two of their features: the regions of its classes or clusters or the surface of a
 * regression, and of a support vector machine of two classes the boundary, the margins and the rows on or inside them.
 */
#include "core/picture/figures.h"
#include "core/estimator/classifier_output.h"
#include "core/prepare/scorer.h"

#include <string.h>

#define STEPS_X 120
#define STEPS_Y 90
#define SHADES 24       /* of a surface */
#define TOLD 6          /* values of other features in the note */
#define ON_MARGIN 1e-3  /* how far outside of the margin a row still counts as on it: fits are not exact */

/* An axis of the grid. */
typedef struct GridAxis {
    const PictureColumn *column;
    double low, high; /* in units of the feature */
} GridAxis;

/* What is drawn. */
typedef struct Regions {
    Scene *scene;
    const PictureData *data;
    const Scorer *scorer;
    Panel *panel;
    GridAxis x, y;
    double *row;       /* [columns] of a point */
    PictureText *text; /* [columns] */
    double *slots;     /* [slots of the model] */
    double *numbers;   /* [classes or scores] */
    double offset;
    uint32_t labels;   /* classes or clusters; 0: of a surface */
    PictureText *names;
    uint32_t *label;   /* [STEPS_Y x STEPS_X], CLASS_NONE: no class */
    double *score;     /* [STEPS_Y x STEPS_X] of a surface or with margins */
} Regions;

/* Returns the place of step i of an axis; the last one is its end. */
static double axis_at(const GridAxis *axis, uint32_t steps, uint32_t i)
{
    return axis->low + (axis->high - axis->low) * ((double)i / (steps - 1));
}

/* Returns how many units of a column are one of the feature: dates are seconds in a picture, days in a model. */
static double feature_unit(const PictureColumn *column)
{
    return column->date ? 86400 : 1;
}

/* ---- the row of a point ---- */

/* Returns the text that most rows have, of equals the first; bytes NULL: no row has one. */
static PictureText most_frequent(const PictureData *data, const PictureColumn *column)
{
    PictureGroups groups = picture_groups(data, column);
    uint64_t *rows = env_array(data->env, (size_t)groups.count + 1, sizeof(uint64_t)), most = 0;
    PictureText found = {NULL, 0};

    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(data->env, i);
        rows[groups.group[i]]++;
    }
    for (uint32_t g = 0; g < groups.count; g++)
        if (groups.names[g].bytes != NULL && rows[g] > most) {
            most = rows[g];
            found = groups.names[g];
        }
    return found;
}

/* Returns the mean of the finite numbers of a column; NaN: there is none. */
static double mean_of(const PictureData *data, const PictureColumn *column)
{
    double mean = 0, count = 0;

    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(data->env, i);
        if (isfinite(column->numbers[i]))
            mean += (column->numbers[i] - mean) / ++count;
    }
    return count > 0 ? mean : NAN;
}

/* Sets a column that is no axis to the mean or the most frequent text of the rows; returns what a reader is told of it. */
static const char *set_typical(Regions *regions, const PictureColumn *column)
{
    Env *env = regions->scene->env;
    size_t c = (size_t)(column - regions->data->columns);
    char number[TICK_TEXT];

    if (column->texts != NULL) {
        regions->text[c] = most_frequent(regions->data, column);
        return env_message(env, "%s at %s", column->name, figure_group(env, regions->text[c]));
    }
    regions->row[c] = mean_of(regions->data, column) / feature_unit(column);
    if (column->boolean && !isnan(regions->row[c])) {
        regions->row[c] = regions->row[c] >= 0.5;
        return env_message(env, "%s at %s", column->name, regions->row[c] == 1 ? "true" : "false");
    }
    if (column->date)
        regions->row[c] = floor(regions->row[c] + 0.5);
    if (column->time && !isnan(regions->row[c]))
        return env_message(env, "%s at %s", column->name, time_text(regions->row[c] * feature_unit(column), number));
    return env_message(env, "%s at %s", column->name, isnan(regions->row[c]) ? "NULL" : number_text(regions->row[c], 4, number));
}

/* Sets the other columns that the model reads, and says to what. */
static void set_others(Regions *regions, const PictureColumn *const *inputs, uint32_t count)
{
    TextBuffer told = {.env = regions->scene->env};
    uint32_t others = 0;

    for (uint32_t i = 0; i < count; i++) {
        const char *value;

        if (inputs[i] == regions->x.column || inputs[i] == regions->y.column)
            continue;
        value = set_typical(regions, inputs[i]);
        if (others++ < TOLD)
            text_print(&told, "%s%s", others > 1 ? ", " : "", value);
    }
    if (others > TOLD)
        text_print(&told, " and %u more at their mean or most frequent value", others - TOLD);
    if (others > 0)
        scene_note(regions->scene, "Regions with %s.", text_finish(&told, NULL));
}

/* ---- what the model says ---- */

/* Returns the score of the row in regions->slots that a surface or margins need; NaN: the model has none. */
static double score_of(Regions *regions)
{
    const Scorer *scorer = regions->scorer;
    const Scoring *scoring = scorer->estimator->scoring;

    if (regions->labels == 0)
        return scoring_predict(scoring, scorer->model, scorer->prepared, regions->slots, regions->offset);
    if (regions->data->score != PICTURE_DECISION)
        return NAN;
    scoring_write_scores(scoring, scorer->model, scorer->prepared, regions->slots, regions->numbers);
    return regions->numbers[0];
}

/* Returns the class or cluster of the row in regions->slots; CLASS_NONE: it has none. */
static uint32_t label_of(Regions *regions)
{
    const Scorer *scorer = regions->scorer;
    const Scoring *scoring = scorer->estimator->scoring;

    if (scoring->classify != NULL)
        return classifier_output_classify(scoring, scorer->model, scorer->prepared, regions->slots, regions->offset, regions->numbers);
    return scoring->cluster(scorer->model, scorer->prepared, regions->slots);
}

/* Asks the model about the middle of each cell. */
static void ask(Regions *regions)
{
    Env *env = regions->scene->env;

    for (uint32_t i = 0; i < STEPS_Y * STEPS_X; i++) {
        regions->row[regions->x.column - regions->data->columns] = axis_at(&regions->x, STEPS_X, i % STEPS_X) / feature_unit(regions->x.column);
        regions->row[regions->y.column - regions->data->columns] = axis_at(&regions->y, STEPS_Y, i / STEPS_X) / feature_unit(regions->y.column);
        env->poll(env);
        regions->label[i] = CLASS_NONE;
        regions->score[i] = NAN;
        if (!regions->data->encode(regions->data->host, regions->row, regions->text, regions->slots, &regions->offset))
            continue;
        regions->score[i] = score_of(regions);
        if (regions->scorer->estimator->scoring->classify != NULL || regions->scorer->estimator->scoring->cluster != NULL)
            regions->label[i] = label_of(regions);
    }
}

/* ---- what is drawn ---- */

/* Adds the cells of a row of the grid, neighbors that are alike as one. key: [STEPS_X], UINT32_MAX: not drawn. */
static void put_cells(Regions *regions, Layer *const *layers, uint32_t y, const uint32_t *key, bool surface)
{
    double wide = (regions->x.high - regions->x.low) / (STEPS_X - 1), high = (regions->y.high - regions->y.low) / (STEPS_Y - 1);
    double below = axis_at(&regions->y, STEPS_Y, y) - high / 2;

    for (uint32_t i = 0, end; i < STEPS_X; i = end) {
        double left = axis_at(&regions->x, STEPS_X, i) - wide / 2;
        MarkItem *item;

        for (end = i + 1; end < STEPS_X && key[end] == key[i];)
            end++;
        if (key[i] == UINT32_MAX)
            continue;
        item = layer_add_span(layers[surface ? 0 : key[i]], left, below, left + (end - i) * wide, below + high);
        if (item != NULL)
            item->shade = surface ? 0.05 + 0.7 * key[i] / (SHADES - 1) : 0.28;
    }
}

static void put_labels(Regions *regions)
{
    Layer **layers = env_array(regions->scene->env, (size_t)regions->labels + 1, sizeof(Layer *));

    for (uint32_t l = 0; l < regions->labels; l++)
        layers[l] = panel_layer(regions->panel, MARK_BARS, (int)l, figure_string(regions->scene->env, regions->names[l]));
    for (uint32_t y = 0; y < STEPS_Y; y++)
        put_cells(regions, layers, y, regions->label + (size_t)y * STEPS_X, false);
}

static void put_surface(Regions *regions)
{
    Layer *layer = panel_layer(regions->panel, MARK_BARS, 0, NULL);
    double least = INFINITY, most = -INFINITY;

    for (uint32_t i = 0; i < STEPS_Y * STEPS_X; i++) {
        least = isfinite(regions->score[i]) ? fmin(least, regions->score[i]) : least;
        most = isfinite(regions->score[i]) ? fmax(most, regions->score[i]) : most;
    }
    for (uint32_t i = 0; i < STEPS_Y * STEPS_X; i++)
        regions->label[i] = !isfinite(regions->score[i]) ? UINT32_MAX : most > least ? (uint32_t)(fmin((regions->score[i] / 2 - least / 2) / (most / 2 - least / 2), 1) * (SHADES - 1)) : 0;
    for (uint32_t y = 0; y < STEPS_Y; y++)
        put_cells(regions, &layer, y, regions->label + (size_t)y * STEPS_X, true);
    if (least <= most)
        scene_note(regions->scene, "The stronger the color, the higher the prediction: from %.4g to %.4g.", least, most);
}

/* Adds the part of a contour inside a triangle whose corners have these places and scores: a segment between two of its edges. */
static void put_segment(Layer *line, const double *x, const double *y, const double *score, double level)
{
    double at[4];
    int ends = 0;

    for (int a = 0; a < 3 && ends < 4; a++) {
        int b = (a + 1) % 3;

        if ((score[a] < level) == (score[b] < level))
            continue;
        at[ends++] = x[a] + (x[b] - x[a]) * (level - score[a]) / (score[b] - score[a]);
        at[ends++] = y[a] + (y[b] - y[a]) * (level - score[a]) / (score[b] - score[a]);
    }
    if (ends == 4)
        layer_add_span(line, at[0], at[1], at[2], at[3]);
}

/* Adds the line where the score has a value, by triangles of which each square of the grid has two. */
static void put_contour(Regions *regions, double level, const char *name)
{
    static const int corners[2][3] = {{0, 1, 3}, {0, 2, 3}};
    Layer *line = panel_layer(regions->panel, MARK_RULES, COLOR_INK, name);

    line->thick = level == 0;
    for (uint32_t i = 0; i < STEPS_X * (STEPS_Y - 1); i++)
        for (int t = 0; t < 2 && i % STEPS_X + 1 < STEPS_X; t++) {
            double x[3], y[3], score[3];

            for (int c = 0; c < 3; c++) {
                uint32_t right = i % STEPS_X + (uint32_t)corners[t][c] % 2, up = i / STEPS_X + (uint32_t)corners[t][c] / 2;

                x[c] = axis_at(&regions->x, STEPS_X, right);
                y[c] = axis_at(&regions->y, STEPS_Y, up);
                score[c] = regions->score[up * STEPS_X + right];
            }
            put_segment(line, x, y, score, level);
        }
}

/* Rings the rows of the two classes that are on the wrong side of their margin, or on it: the support vectors of a fit to them. */
static void put_support(Regions *regions, const PictureColumn *color, const double *x, const double *y)
{
    const Model *model = regions->scorer->model;
    const double *score = regions->data->columns[regions->data->scored].numbers;
    uint32_t positive = class_rule_of(model).positive;
    uint64_t scored = 0;
    Layer *rings = panel_layer(regions->panel, MARK_POINTS, COLOR_INK, "on or inside the margin");

    rings->hollow = true;
    for (uint64_t i = 0; i < regions->data->rows; i++) {
        PictureText label = picture_written(regions->scene->env, color, i);
        int class = label.bytes != NULL ? dictionary_find(model, DICTIONARY_CLASSES, 0, label.bytes, label.length, false) : -1;
        double sign = class == (int)positive ? 1 : -1;

        env_poll_rows(regions->scene->env, i);
        if (class < 0 || isnan(score[i]))
            continue;
        scored++;
        if (sign * score[i] <= 1 + ON_MARGIN)
            layer_add(rings, x[i], y[i]);
    }
    scene_note(regions->scene, "%llu of %llu rows are on or inside the margin: the support vectors, if the model was fitted to these rows.", (unsigned long long)rings->count,
               (unsigned long long)scored);
}

/* Adds the rows; those of a class in the color of its region. */
static void put_rows(Regions *regions, const PictureColumn *color, const double *x, const double *y)
{
    Env *env = regions->scene->env;
    const PictureColumn *told = figure_column(regions->scene, regions->data, "label");
    PictureGroups groups = {.count = 1, .group = env_array(env, regions->data->rows + 1, sizeof(uint32_t))};
    Layer **layers;
    uint32_t others = regions->labels;
    uint64_t missing = 0;

    if (color != NULL)
        groups = picture_groups_sorted(regions->data, color);
    layers = env_array(env, (size_t)groups.count + 1, sizeof(Layer *));
    for (uint32_t g = 0; g < groups.count; g++) {
        uint32_t class = 0;

        while (color != NULL && class < regions->labels && !picture_text_equal(groups.names[g], regions->names[class]))
            class++;
        if (color == NULL)
            layers[g] = panel_layer(regions->panel, MARK_POINTS, COLOR_INK, NULL);
        else if (class < regions->labels)
            layers[g] = panel_layer(regions->panel, MARK_POINTS, (int)class, NULL);
        else
            layers[g] = panel_layer(regions->panel, MARK_POINTS, (int)others++, figure_group(env, groups.names[g]));
    }
    for (uint64_t i = 0; i < regions->data->rows; i++) {
        MarkItem *item = layer_add(layers[groups.group[i]], x[i], y[i]);

        env_poll_rows(env, i);
        missing += item == NULL;
        if (item != NULL && told != NULL)
            item->text = picture_written(env, told, i);
    }
    scene_missing(regions->scene, missing);
}

/* ---- the figure ---- */

/* Finds an axis: what an option names, or one of the two columns that the model reads; over the range of the rows. */
static GridAxis read_axis(Regions *regions, const char *option, const PictureColumn *const *inputs, uint32_t count)
{
    Env *env = regions->scene->env;
    GridAxis axis = {.column = figure_column(regions->scene, regions->data, option)};
    Scale scale = {.low = INFINITY, .high = -INFINITY};
    bool read = false;

    if (axis.column == NULL && count != 2)
        env_fail(env, ERROR_PARAMETER, count < 2 ? "Fit a model to two columns of numbers or more." : "Name two columns of numbers that it reads by options \"x\" and \"y\".",
                 "the model reads %u column%s of these rows, and a picture shows two", count, count == 1 ? "" : "s");
    if (axis.column == NULL)
        axis.column = inputs[option[0] == 'y'];
    for (uint32_t i = 0; i < count; i++)
        read = read || inputs[i] == axis.column;
    if (!read || axis.column->texts != NULL)
        env_fail(env, ERROR_PARAMETER, "Name two columns of numbers that it reads by options \"x\" and \"y\".",
                 read ? "column \"%.63s\" of plot has texts, and regions are drawn over numbers" : "the model does not read column \"%.63s\"", axis.column->name);
    for (uint64_t i = 0; i < regions->data->rows; i++) {
        env_poll_rows(env, i);
        scale_include(&scale, axis.column->numbers[i]);
    }
    scale.kind = axis.column->time ? SCALE_TIME : SCALE_LINEAR;
    scale_finish(&scale);
    axis.low = scale.low;
    axis.high = scale.high;
    return axis;
}

/* Sets the names of classes or clusters. */
static void read_labels(Regions *regions)
{
    const Scorer *scorer = regions->scorer;
    const Scoring *scoring = scorer->estimator->scoring;
    Env *env = regions->scene->env;

    if (scoring->classify != NULL && scoring->labels == NULL)
        regions->labels = dictionary_size(scorer->model, DICTIONARY_CLASSES);
    else if (scoring->classify != NULL || scoring->cluster != NULL)
        for (uint32_t i = 0; i < STEPS_Y * STEPS_X; i++)
            regions->labels = regions->label[i] != CLASS_NONE && regions->label[i] >= regions->labels ? regions->label[i] + 1 : regions->labels;
    regions->names = env_array(env, (size_t)regions->labels + 1, sizeof(PictureText));
    for (uint32_t l = 0; l < regions->labels; l++) {
        if (scoring->classify == NULL)
            regions->names[l] = scene_text(env, "cluster %u", l + 1);
        else if (scoring->labels != NULL)
            regions->names[l] = picture_string(scoring->labels[l]);
        else
            regions->names[l].bytes = dictionary_text(scorer->model, DICTIONARY_CLASSES, l, &regions->names[l].length);
    }
}

static Regions read_regions(Scene *scene, const PictureData *data)
{
    Env *env = scene->env;
    const Scorer *scorer = data->scorer;
    const Scoring *scoring = scorer->estimator->scoring;
    Regions regions = {.scene = scene, .data = data, .scorer = scorer, .panel = scene_panel(scene, NULL)};
    uint32_t width = scoring->width != NULL ? scoring->width(scorer->model) : 1, classes = dictionary_size(scorer->model, DICTIONARY_CLASSES);

    regions.row = env_array(env, (size_t)data->column_count + 1, sizeof(double));
    regions.text = env_array(env, (size_t)data->column_count + 1, sizeof(PictureText));
    for (uint32_t c = 0; c < data->column_count; c++)
        regions.row[c] = NAN;
    regions.slots = env_array(env, (size_t)scorer->model->slot_count + 1, sizeof(double));
    regions.numbers = env_array(env, (size_t)(width > classes ? width : classes) + 1, sizeof(double));
    regions.label = env_array(env, STEPS_X * STEPS_Y, sizeof(uint32_t));
    regions.score = env_array(env, STEPS_X * STEPS_Y, sizeof(double));
    regions.labels = scoring->classify != NULL || scoring->cluster != NULL;
    return regions;
}

/* Fails if the model reads arrays, as a point of the picture is a row of single numbers and texts, or none of the columns by name. inputs: how many. */
static void require_columns(Env *env, const Model *reads, uint32_t inputs)
{
    uint32_t wide = 0;
    char name[SCHEMA_NAME_SIZE];

    if (inputs == 0 && reads->field_count > 0 && schema_named_fields(reads) == 0)
        env_fail(env, ERROR_PARAMETER, "Fit the model to a row with names, as in FROM ..., LATERAL (SELECT a, b) AS f.",
                 "plot draws regions over two columns, and the features of the model have no names");
    while (wide < reads->field_count && schema_field_width(reads, wide) == 1)
        wide++;
    if (wide == reads->field_count)
        return;
    schema_field_name(reads, wide, name, sizeof name);
    env_fail(env, ERROR_PARAMETER, "Fit a model to single numbers, as in FROM ..., LATERAL (SELECT a[1] AS a1, a[2] AS a2) AS f, and pass such rows.",
             "plot draws regions over columns of single numbers, and feature \"%s\" of the model is an array of %u", name, schema_field_width(reads, wide));
}

static void draw_regions(Scene *scene, const PictureData *data, const Model *model)
{
    Regions regions = read_regions(scene, data);
    const PictureColumn *color = figure_column(scene, data, "color");
    uint32_t count;
    const PictureColumn *const *inputs = figure_inputs(data, &count);

    require_columns(scene->env, scorer_reads(data->scorer), count);
    regions.x = read_axis(&regions, "x", inputs, count);
    regions.y = read_axis(&regions, "y", inputs, count);
    regions.panel->x.title = regions.x.column->name;
    regions.panel->y.title = regions.y.column->name;
    regions.panel->x.kind = regions.x.column->time ? SCALE_TIME : SCALE_LINEAR;
    regions.panel->y.kind = regions.y.column->time ? SCALE_TIME : SCALE_LINEAR;
    if (regions.x.column == regions.y.column)
        env_fail(scene->env, ERROR_PARAMETER, "Name two columns.", "options \"x\" and \"y\" of plot both name \"%.63s\"", regions.x.column->name);
    set_others(&regions, inputs, count);
    ask(&regions);
    regions.panel->x.tight = regions.panel->y.tight = true;
    if (regions.labels == 0)
        put_surface(&regions);
    read_labels(&regions);
    if (regions.labels > 0)
        put_labels(&regions);
    put_rows(&regions, color, regions.x.column->numbers, regions.y.column->numbers);
    if (data->score == PICTURE_DECISION) {
        put_contour(&regions, 0, "boundary");
        put_contour(&regions, -1, "margin");
        put_contour(&regions, 1, NULL);
        if (color != NULL)
            put_support(&regions, color, regions.x.column->numbers, regions.y.column->numbers);
    }
    scene_say(scene, "What a model of %s says across two features, and %llu rows.", model->estimator, (unsigned long long)data->rows);
}

static bool regions_apply(const Scorer *scorer)
{
    const Scoring *scoring = scorer->estimator->scoring;

    return scoring->classify != NULL || scoring->cluster != NULL || (scoring->predict != NULL && scorer->estimator->task == TASK_REGRESSION);
}

/* Margins are those of a support vector machine of two classes. */
static PictureScore regions_score(const Scorer *scorer)
{
    return strcmp(scorer->estimator->name, "svm_classifier") == 0 && scoring_scores(scorer->estimator->scoring, scorer->model) == 1 ? PICTURE_DECISION : PICTURE_NO_SCORE;
}

const Figure regions_figure = {.name = "decision", .title = "Regions of a model", .columns = {NULL}, .draw = draw_regions, .applies = regions_apply, .score = regions_score};
