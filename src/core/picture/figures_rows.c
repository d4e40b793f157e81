/*
 * figures_rows.c - figures of rows that functions return about predictions and clusters: confusion, distributions of scores, silhouettes,
 * residuals, regions.
 */
#include "core/picture/figures.h"
#include "core/base/sort.h"
#include "core/math/special_functions.h"

/* ---- confusion ---- */

/* Returns the groups of two columns numbered together; *second: those of the other column. */
static PictureGroups joint_groups(const PictureData *data, const PictureColumn *a, const PictureColumn *b, uint32_t **second)
{
    PictureColumn both = {.name = "label", .numbers = env_array_raw(data->env, 2 * data->rows + 1, sizeof(double))};
    PictureData twice = {.env = data->env, .column_count = 1, .columns = &both, .rows = 2 * data->rows};
    PictureGroups groups;

    both.texts = env_array(data->env, 2 * data->rows + 1, sizeof(PictureText));
    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(data->env, i);
        both.numbers[i] = both.numbers[data->rows + i] = NAN;
        both.texts[i] = picture_written(data->env, a, i);
        both.texts[data->rows + i] = picture_written(data->env, b, i);
    }
    groups = picture_groups(&twice, &both);
    *second = groups.group + data->rows;
    return groups;
}

static void draw_confusion(Scene *scene, const PictureData *data, const Model *model)
{
    const double *weight = picture_data_column(data, "weight")->numbers;
    uint32_t *predicted;
    PictureGroups labels = joint_groups(data, picture_data_column(data, "label"), picture_data_column(data, "predicted"), &predicted);
    Panel *panel = scene_panel(scene, NULL);
    Layer *cells = panel_layer(panel, MARK_BARS, 0, NULL), *counts = panel_layer(panel, MARK_TEXTS, COLOR_INK, NULL);
    double *sums = env_array(scene->env, labels.count + 1, sizeof(double)), right = 0, all = 0;

    scale_bands(&panel->x, labels.names, labels.count);
    scale_bands(&panel->y, labels.names, labels.count);
    panel->x.title = "predicted";
    panel->y.title = "label";
    cells->outlined = true;
    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(scene->env, i);
        sums[labels.group[i]] += weight[i];
        all += weight[i];
        right += labels.group[i] == predicted[i] ? weight[i] : 0;
    }
    for (uint64_t i = 0; i < data->rows; i++) {
        double x = predicted[i], y = labels.group[i], share = weight[i] / sums[labels.group[i]];
        MarkItem *item = layer_add_span(cells, x - 0.5, y - 0.5, x + 0.5, y + 0.5);
        char number[TICK_TEXT];

        item->shade = 0.05 + 0.6 * fmin(fmax(share, 0), 1);
        item->text = scene_text(scene->env, "%s, predicted as %s: %.6g (%.1f%% of the label)", figure_string(scene->env, labels.names[labels.group[i]]),
                                figure_string(scene->env, labels.names[predicted[i]]), weight[i], 100 * share);
        if (labels.count > 25)
            continue;
        item = layer_add_span(counts, x, y, x + 0.5, y);
        item->text = scene_text(scene->env, "%s", number_text(weight[i], 6, number));
    }
    scene_room(scene, labels.count);
    scene_note(scene, "%.4g of %.4g rows are predicted correctly (%.1f%%).", right, all, all > 0 ? 100 * right / all : 0);
    scene_say(scene, "Each cell counts the rows of a label and a prediction; shades are shares of the label.");
}

const Figure confusion_figure = {.name = "confusion", .title = "Confusion matrix", .columns = {"label", "predicted", "rows", "weight"}, .draw = draw_confusion};

/* ---- distributions of scores ---- */

static void draw_scores(Scene *scene, const PictureData *data, const Model *model)
{
    const double *low = picture_data_column(data, "low")->numbers, *high = picture_data_column(data, "high")->numbers, *share = picture_data_column(data, "share")->numbers,
                 *rows = picture_data_column(data, "rows")->numbers;
    PictureGroups classes = picture_groups(data, picture_data_column(data, "class"));
    Panel *panel = scene_panel(scene, NULL);
    Layer **layers;
    double outside = 0;

    panel->x.title = "score";
    panel->y.title = "share of the class";
    scale_root(&panel->y);
    layers = env_array(scene->env, 2 * (size_t)classes.count + 1, sizeof(Layer *));
    for (uint32_t class = 0; class < classes.count; class++) {
        layers[2 * class] = panel_layer(panel, MARK_BARS, (int)class, figure_string(scene->env, classes.names[class]));
        layers[2 * class + 1] = panel_layer(panel, MARK_STEPS, (int)class, NULL);
    }
    for (uint64_t i = 0; i < data->rows; i++) {
        Layer *line = layers[2 * (size_t)classes.group[i] + 1];
        MarkItem *item = layer_add_span(layers[2 * (size_t)classes.group[i]], low[i], 0, high[i], share[i]);

        env_poll_rows(scene->env, i);
        if (item == NULL) {
            outside += rows[i];
            continue;
        }
        item->shade = 0.35;
        item->text = scene_text(scene->env, "%.4g to %.4g: %.0f rows", low[i], high[i], rows[i]);
        if (line->count == 0)
            layer_add(line, low[i], 0);
        layer_add(line, low[i], share[i]);
        layer_add(line, high[i], share[i]);
    }
    if (outside > 0)
        scene_note(scene, "%.0f rows lie outside the range.", outside);
    scene_say(scene, "How the scores of %u classes are distributed.", classes.count);
}

const Figure scores_figure = {
    .name = "scores", .title = "Distribution of the scores", .columns = {"class", "bin", "low", "high", "rows", "weight", "share"}, .draw = draw_scores};

/* ---- silhouettes ---- */

static int compare_falling(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a < *b) - (*a > *b);
}

#define SILHOUETTE_BARS 400 /* of a picture */

/* Adds the bars of a cluster from band `from` on, means of several rows where there are too many; returns how many bands it takes. */
static double put_silhouettes(Scene *scene, Panel *panel, const double *sorted, uint64_t count, uint64_t each, double from, uint32_t cluster)
{
    Layer *bars = panel_layer(panel, MARK_BARS, (int)cluster, NULL);
    double at = from;

    for (uint64_t i = 0; i < count; i += each, at++) {
        uint64_t end = i + each < count ? i + each : count;
        double sum = 0;

        for (uint64_t j = i; j < end; j++)
            sum += sorted[j];
        env_poll_rows(scene->env, i);
        layer_add_span(bars, 0, at - 0.5, sum / (double)(end - i), at + 0.5);
    }
    return at - from;
}

static void draw_silhouette(Scene *scene, const PictureData *data, const Model *model)
{
    const double *silhouette = picture_data_column(data, "silhouette")->numbers;
    PictureGroups clusters = picture_groups_sorted(data, picture_data_column(data, "cluster"));
    FigureOrder order = figure_order(scene->env, silhouette, clusters.group, data->rows, clusters.count);
    double *sorted = env_array_raw(scene->env, data->rows + 1, sizeof(double)), bands = 0, sum = 0;
    uint64_t each = (data->rows + SILHOUETTE_BARS - 1) / SILHOUETTE_BARS, known = 0;
    Panel *panel = scene_panel(scene, NULL);
    double *middle = env_array(scene->env, clusters.count + 1, sizeof(double));
    PictureText *names;

    each = each > 0 ? each : 1;
    for (uint32_t cluster = 0; cluster < clusters.count; cluster++) {
        uint64_t count = 0;
        double taken;

        for (uint64_t i = order.begin[cluster + 1]; i-- > order.begin[cluster];) { /* the greatest first */
            env_poll_rows(scene->env, i);
            if (!isnan(silhouette[order.row[i]]))
                sum += sorted[count++] = silhouette[order.row[i]];
        }
        known += count;
        taken = put_silhouettes(scene, panel, sorted, count, each, bands, cluster);
        middle[cluster] = bands + taken / 2;
        bands += taken + 4;
    }
    names = env_array(scene->env, (uint64_t)bands + 1, sizeof(PictureText));
    for (uint32_t cluster = 0; cluster < clusters.count; cluster++)
        names[(uint64_t)middle[cluster]] = clusters.names[cluster];
    scale_bands(&panel->y, names, (uint32_t)bands);
    panel->x.title = "silhouette";
    panel->y.title = "cluster";
    if (known > 0) {
        figure_rule_x(panel, sum / (double)known);
        scene_note(scene, "The dashed line is the mean, %.3f.", sum / (double)known);
    }
    if (each > 1)
        scene_note(scene, "A bar is the mean of %llu rows.", (unsigned long long)each);
    scene_say(scene, "The silhouettes of %llu row%s in %u cluster%s, sorted within each.", (unsigned long long)known, known == 1 ? "" : "s", clusters.count,
              clusters.count == 1 ? "" : "s");
}

const Figure silhouette_figure = {
    .name = "silhouette", .title = "Silhouettes", .columns = {"number", "cluster", "own", "other", "silhouette", "id"}, .draw = draw_silhouette};

/* ---- residuals ---- */

static void residual_panel(Scene *scene, const PictureData *data, const char *title, const char *x, const char *y, const double *across, const double *up, bool about_zero)
{
    Panel *panel = scene_panel(scene, title);
    Layer *points = panel_layer(panel, MARK_POINTS, 0, NULL);

    panel->x.title = x;
    panel->y.title = y;
    for (uint64_t i = 0; i < data->rows; i++)
        layer_add(points, across[i], up[i]);
    if (about_zero)
        figure_rule_y(panel, 0);
}

/* Compares the residuals with those of a normal distribution, at the places (i - 1/2) / n. */
static void normal_panel(Scene *scene, const double *residuals, uint64_t rows, const char *what)
{
    double *sorted = env_array_raw(scene->env, rows + 1, sizeof(double));
    uint64_t count = 0;
    Panel *panel = scene_panel(scene, "Normal quantiles");
    Layer *points, *line = panel_layer(panel, MARK_RULES, COLOR_MUTED, NULL);

    for (uint64_t i = 0; i < rows; i++) {
        env_poll_rows(scene->env, i);
        if (!isnan(residuals[i]))
            sorted[count++] = residuals[i];
    }
    sort_polled(scene->env, sorted, count, sizeof(double), compare_falling);
    points = panel_layer(panel, MARK_POINTS, 0, NULL);
    for (uint64_t i = 0; i < count; i++)
        layer_add(points, -normal_quantile(((double)i + 0.5) / (double)count), sorted[i]);
    line->dashed = true;
    if (count > 3) { /* through the quartiles */
        double low = sorted[(count - 1) - (count - 1) / 4], high = sorted[(count - 1) / 4], slope = (high - low) / (2 * normal_quantile(0.75)), middle = (low + high) / 2;

        layer_add_span(line, panel->x.low, middle + slope * panel->x.low, panel->x.high, middle + slope * panel->x.high);
    }
    panel->x.title = "normal quantile";
    panel->y.title = what;
}

static bool all_missing(Env *env, const double *numbers, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++) {
        env_poll_rows(env, i);
        if (!isnan(numbers[i]))
            return false;
    }
    return true;
}

static void draw_residuals(Scene *scene, const PictureData *data, const Model *model)
{
    const double *fitted = picture_data_column(data, "fitted")->numbers, *residual = picture_data_column(data, "residual")->numbers,
                 *standardized = picture_data_column(data, "standardized")->numbers, *leverage = picture_data_column(data, "leverage")->numbers;
    bool plain = all_missing(scene->env, standardized, data->rows);
    double *roots = env_array(scene->env, data->rows + 1, sizeof(double));

    residual_panel(scene, data, "Residuals", "fitted", "residual", fitted, residual, true);
    normal_panel(scene, plain ? residual : standardized, data->rows, plain ? "residual" : "standardized residual");
    if (!plain) {
        for (uint64_t i = 0; i < data->rows; i++) {
            env_poll_rows(scene->env, i);
            roots[i] = sqrt(fabs(standardized[i]));
        }
        residual_panel(scene, data, "Scale", "fitted", "root of |standardized|", fitted, roots, false);
        residual_panel(scene, data, "Leverage", "leverage", "standardized residual", leverage, standardized, true);
    }
    scene->columns = 2;
    if (!scene->given_height)
        scene->height = plain ? 360 : 600;
    if (!options_given(scene->options, "width"))
        scene->width = 760;
    scene_say(scene, "Residuals of %llu rows, against the fitted values and against normal quantiles%s.", (unsigned long long)data->rows,
              plain ? "" : ", their scale, and against the leverage");
}

const Figure residuals_figure = {.name = "residuals",
                                 .title = "Residuals",
                                 .columns = {"data", "fitted", "residual", "standardized", "studentized", "deviance_residual", "leverage", "cooks_distance", "dffits"},
                                 .draw = draw_residuals};

/* ---- regions ---- */

/* Returns the least distance of two different numbers; 1 if there is none. */
static double least_step(Env *env, const double *numbers, uint64_t rows)
{
    double *sorted = env_array_raw(env, rows + 1, sizeof(double)), step = INFINITY;
    uint32_t count;

    for (uint64_t i = 0; i < rows; i++) {
        env_poll_rows(env, i);
        sorted[i] = numbers[i];
    }
    count = sort_falling(sorted, (uint32_t)rows);
    for (uint32_t i = 1; i < count; i++)
        step = fmin(step, sorted[i - 1] - sorted[i]);
    return isfinite(step) && step > 0 ? step : 1;
}

static void draw_decision(Scene *scene, const PictureData *data, const Model *model)
{
    const double *x = picture_data_column(data, "x")->numbers, *y = picture_data_column(data, "y")->numbers, *score = picture_data_column(data, "score")->numbers;
    PictureGroups labels = picture_groups_sorted(data, picture_data_column(data, "label"));
    bool regression = picture_data_column(data, "label")->texts == NULL;
    double wide = least_step(scene->env, x, data->rows) / 2, high = least_step(scene->env, y, data->rows) / 2, least = INFINITY, most = -INFINITY;
    Panel *panel = scene_panel(scene, NULL);
    Layer **cells;

    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(scene->env, i);
        least = fmin(least, score[i]);
        most = fmax(most, score[i]);
    }
    cells = env_array(scene->env, (size_t)labels.count + 1, sizeof(Layer *));
    for (uint32_t label = 0; label < labels.count; label++)
        cells[label] = panel_layer(panel, MARK_BARS, (int)label, regression ? NULL : figure_string(scene->env, labels.names[label]));
    for (uint64_t i = 0; i < data->rows; i++) {
        MarkItem *item = layer_add_span(cells[labels.group[i]], x[i] - wide, y[i] - high, x[i] + wide, y[i] + high);

        env_poll_rows(scene->env, i);
        if (item != NULL)
            item->shade = !regression ? 0.55 : most > least && !isnan(score[i]) ? 0.06 + 0.9 * (score[i] - least) / (most - least) : 0.5;
    }
    panel->x.tight = panel->y.tight = true;
    panel->x.title = figure_title(scene, "x", "x");
    panel->y.title = figure_title(scene, "y", "y");
    if (regression)
        scene_note(scene, "The stronger the color, the higher: from %.4g to %.4g.", least, most);
    scene_say(scene, "What a model says at %llu points of a grid.", (unsigned long long)data->rows);
}

const Figure decision_figure = {.name = "decision", .title = "Regions of a model", .columns = {"x", "y", "label", "score"}, .draw = draw_decision};

/* Returns the name of a class, or of a cluster by its number. */
static const char *region_name(const PictureData *data, uint64_t row)
{
    PictureText class = picture_text_of(picture_data_column(data, "class"), row);

    if (class.bytes != NULL)
        return figure_string(data->env, class);
    return env_message(data->env, "cluster %.0f", picture_data_column(data, "cluster")->numbers[row]);
}

#define ELLIPSE_POINTS 72

static void draw_ellipses(Scene *scene, const PictureData *data, const Model *model)
{
    const double *x = picture_data_column(data, "x")->numbers, *y = picture_data_column(data, "y")->numbers, *major = picture_data_column(data, "semi_major")->numbers,
                 *minor = picture_data_column(data, "semi_minor")->numbers, *angle = picture_data_column(data, "angle")->numbers;
    const double turn = acos(-1) / 180;
    Panel *panel = scene_panel(scene, NULL);

    for (uint64_t i = 0; i < data->rows; i++) {
        Layer *line = panel_layer(panel, MARK_LINE, (int)i, region_name(data, i));

        for (int p = 0; p <= ELLIPSE_POINTS; p++) {
            double at = 2 * acos(-1) * p / ELLIPSE_POINTS, along = major[i] * cos(at), across = minor[i] * sin(at);

            layer_add(line, x[i] + along * cos(angle[i] * turn) - across * sin(angle[i] * turn), y[i] + along * sin(angle[i] * turn) + across * cos(angle[i] * turn));
        }
        layer_add(panel_layer(panel, MARK_POINTS, (int)i, NULL), x[i], y[i]);
    }
    panel->x.title = figure_title(scene, "x", "x");
    panel->y.title = figure_title(scene, "y", "y");
    scene_say(scene, "The ellipses of %llu classes or clusters, and their centers.", (unsigned long long)data->rows);
}

const Figure ellipses_figure = {
    .name = "ellipses", .title = "Normal distributions", .columns = {"class", "cluster", "x", "y", "semi_major", "semi_minor", "angle"}, .draw = draw_ellipses};

static void draw_voronoi(Scene *scene, const PictureData *data, const Model *model)
{
    const double *x = picture_data_column(data, "x")->numbers, *y = picture_data_column(data, "y")->numbers, *cluster = picture_data_column(data, "cluster")->numbers;
    Panel *panel = scene_panel(scene, NULL);
    uint64_t first = 0, cells = 0;

    for (uint64_t i = 0; i < data->rows; i++) {
        bool last = i + 1 == data->rows || cluster[i + 1] != cluster[i];
        Layer *line;

        if (!last)
            continue;
        line = panel_layer(panel, MARK_LINE, (int)cells, region_name(data, i));
        for (uint64_t v = first; v <= i; v++)
            layer_add(line, x[v], y[v]);
        layer_add(line, x[first], y[first]);
        first = i + 1;
        cells++;
    }
    panel->x.tight = panel->y.tight = true;
    panel->x.title = figure_title(scene, "x", "x");
    panel->y.title = figure_title(scene, "y", "y");
    scene_say(scene, "The Voronoi cells of %llu centers.", (unsigned long long)cells);
}

const Figure voronoi_figure = {.name = "voronoi", .title = "Voronoi cells", .columns = {"cluster", "class", "vertex", "x", "y"}, .draw = draw_voronoi};
