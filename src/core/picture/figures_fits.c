/*
 * figures_fits.c - rows beside what a model says about each: a regression with the limits of its predictions, and the scores of rows on two
 * components with the loadings of these.
 */
#include "core/picture/figures.h"
#include "core/inspection/model_tables.h"
#include "core/prepare/scorer.h"

#include <string.h>

/* Returns the column of a number that the model gives each row. */
static const PictureColumn *scored(const PictureData *data, uint32_t number)
{
    return &data->columns[data->scored + number];
}

/* Returns the colors of rows by the column of option "color"; without it, all are of one, which has no name. */
static PictureGroups colors_of(const Scene *scene, const PictureData *data)
{
    const PictureColumn *color = figure_column(scene, data, "color");

    return color != NULL ? picture_groups_sorted(data, color) : (PictureGroups){.count = 1, .group = env_array(scene->env, data->rows + 1, sizeof(uint32_t))};
}

/* Returns the name of a color for the legend, or else. */
static const char *color_name(const Scene *scene, const PictureGroups *colors, uint32_t color, const char *otherwise)
{
    return colors->names != NULL ? figure_group(scene->env, colors->names[color]) : otherwise;
}

/* Adds a row's text: what option "label" names. */
static void tell(const Scene *scene, MarkItem *item, const PictureColumn *label, uint64_t row)
{
    if (item != NULL && label != NULL)
        item->text = picture_written(scene->env, label, row);
}

/* ---- fit ---- */

/* What is drawn of a regression. */
typedef struct Fit {
    const PictureColumn *x, *label;
    const double *y, *prediction, *low, *high;
    PictureGroups colors;
    FigureOrder order;
    bool line; /* rows of one color and x have one prediction */
} Fit;

/* Returns the x axis: what option "x" names, the one column that the model reads, or the predictions. */
static const PictureColumn *fit_axis(const Scene *scene, const PictureData *data, const PictureColumn *const *inputs, uint32_t count)
{
    const PictureColumn *x = figure_column(scene, data, "x");

    x = x != NULL ? x : count == 1 && inputs[0]->texts == NULL ? inputs[0] : scored(data, 0);
    if (x->texts != NULL)
        env_fail(scene->env, ERROR_PARAMETER, "Name it by option \"color\", and leave \"x\" out or name a number.", "column \"%.63s\" of plot has texts, and a fit is drawn over numbers", x->name);
    return x;
}

static Fit read_fit(Scene *scene, const PictureData *data)
{
    uint32_t count;
    const PictureColumn *const *inputs = figure_inputs(data, &count), *color = figure_column(scene, data, "color");
    Fit fit = {.line = true, .label = figure_column(scene, data, "label"), .prediction = scored(data, 0)->numbers, .low = scored(data, 1)->numbers, .high = scored(data, 2)->numbers};

    if (!options_given(scene->options, "y"))
        env_fail(scene->env, ERROR_PARAMETER, "Name the column that the model predicts: {\"y\": \"price\"}.", "plot needs option \"y\" for the fit of a model");
    fit.y = figure_column(scene, data, "y")->numbers;
    fit.x = fit_axis(scene, data, inputs, count);
    fit.colors = colors_of(scene, data);
    fit.order = figure_order(scene->env, fit.x->numbers, fit.colors.group, data->rows, fit.colors.count);
    for (uint32_t i = 0; i < count && fit.x != scored(data, 0); i++)
        fit.line = fit.line && (inputs[i] == fit.x || inputs[i] == color);
    return fit;
}

/* Adds the rows of a color. */
static void put_observed(const Scene *scene, Panel *panel, const Fit *fit, uint32_t color)
{
    Layer *points = panel_layer(panel, MARK_POINTS, (int)color, color_name(scene, &fit->colors, color, "rows"));

    for (uint64_t i = fit->order.begin[color]; i < fit->order.begin[color + 1]; i++) {
        uint64_t row = fit->order.row[i];

        env_poll_rows(scene->env, i);
        tell(scene, layer_add(points, fit->x->numbers[row], fit->y[row]), fit->label, row);
    }
}

/* Adds the limits of a color: a band, or, where one x has several, a rule per row. */
static void put_limits(const Scene *scene, Panel *panel, const Fit *fit, uint32_t color)
{
    Layer *limits = panel_layer(panel, fit->line ? MARK_AREA : MARK_RULES, fit->colors.names == NULL ? 1 : (int)color, NULL);

    limits->faint = !fit->line;
    for (uint64_t i = fit->order.begin[color]; i < fit->order.begin[color + 1]; i++) {
        uint64_t row = fit->order.row[i];
        double x = fit->x->numbers[row];

        env_poll_rows(scene->env, i);
        layer_add_span(limits, x, fit->low[row], x, fit->high[row]);
    }
}

/* Adds the predictions of a color: a line, or, where one x has several, points. */
static void put_predictions(const Scene *scene, Panel *panel, const Fit *fit, uint32_t color)
{
    bool alone = fit->colors.names == NULL;
    const char *name = fit->x->numbers == fit->prediction ? "prediction, where it is right" : "prediction";
    Layer *line = panel_layer(panel, fit->line ? MARK_LINE : MARK_POINTS, alone ? 1 : (int)color, alone ? name : NULL);

    line->thick = fit->line;
    for (uint64_t i = fit->order.begin[color]; i < fit->order.begin[color + 1]; i++) {
        uint64_t row = fit->order.row[i];

        env_poll_rows(scene->env, i);
        layer_add(line, fit->x->numbers[row], fit->prediction[row]);
    }
}

/* Says how many of the rows lie within the limits. */
static void say_coverage(Scene *scene, const PictureData *data, const Fit *fit)
{
    double level = options_given(scene->options, "level") ? options_number(scene->options, "level") : estimator_level(scene->env, data->scorer->estimator, data->scorer->model);
    uint64_t within = 0, all = 0, missing = 0;

    for (uint64_t i = 0; i < data->rows; i++) {
        bool limits = isfinite(fit->low[i]) && isfinite(fit->high[i]);

        env_poll_rows(scene->env, i);
        missing += !isfinite(fit->y[i]) || !isfinite(fit->x->numbers[i]) || !isfinite(fit->prediction[i]);
        all += limits && !isnan(fit->y[i]);
        within += limits && fit->y[i] >= fit->low[i] && fit->y[i] <= fit->high[i];
    }
    if (all > 0)
        scene_note(scene, "%llu of %llu rows (%.1f%%) lie within the %.4g%% limits of their predictions.", (unsigned long long)within, (unsigned long long)all,
                   100.0 * (double)within / (double)all, 100 * level);
    else
        scene_note(scene, "The model has no limits of its predictions.");
    scene_missing(scene, missing);
}

static void draw_fit(Scene *scene, const PictureData *data, const Model *model)
{
    Fit fit = read_fit(scene, data);
    Panel *panel = scene_panel(scene, NULL);

    panel->x.kind = fit.x->time ? SCALE_TIME : options_boolean(scene->options, "log_x") ? SCALE_LOG : SCALE_LINEAR;
    panel->y.kind = options_boolean(scene->options, "log_y") ? SCALE_LOG : SCALE_LINEAR;
    panel->x.title = fit.x->name;
    panel->y.title = figure_column(scene, data, "y")->name;
    for (uint32_t color = 0; color < fit.colors.count; color++)
        put_limits(scene, panel, &fit, color);
    for (uint32_t color = 0; color < fit.colors.count; color++)
        put_observed(scene, panel, &fit, color);
    for (uint32_t color = 0; color < fit.colors.count; color++)
        put_predictions(scene, panel, &fit, color);
    scene_say(scene, "The predictions of a model of %s for %llu rows, beside what was observed.", model->estimator, (unsigned long long)data->rows);
    say_coverage(scene, data, &fit);
}

static bool fit_applies(const Scorer *scorer)
{
    return scorer->estimator->task == TASK_REGRESSION && scorer->estimator->scoring->predict != NULL;
}
static PictureScore fit_score(const Scorer *scorer)
{
    return PICTURE_INTERVAL;
}

const Figure fit_figure = {.name = "fit", .title = "Fit", .columns = {NULL}, .draw = draw_fit, .applies = fit_applies, .score = fit_score};

/* ---- biplot ---- */

/* Returns the greatest size among finite numbers. */
static double greatest_size(Env *env, const double *numbers, uint64_t count)
{
    double most = 0;

    for (uint64_t i = 0; i < count; i++) {
        env_poll_rows(env, i);
        most = isfinite(numbers[i]) ? fmax(most, fabs(numbers[i])) : most;
    }
    return most;
}

/* Adds the loadings as arrows, so long that the longest reaches four fifths of the way to the farthest score. */
static void put_arrows(Scene *scene, Panel *panel, const PictureData *loadings, const PictureData *data)
{
    PictureGroups terms = picture_groups(loadings, picture_data_column(loadings, "term"));
    double *x = env_array(scene->env, terms.count + 1, sizeof(double)), *y = env_array(scene->env, terms.count + 1, sizeof(double));
    double *sizes = env_array(scene->env, terms.count + 1, sizeof(double)), most[2], scale = INFINITY;
    uint32_t count, *order;
    Layer *arrows = panel_layer(panel, MARK_RULES, COLOR_INK, NULL), *heads = panel_layer(panel, MARK_POINTS, COLOR_INK, NULL), *texts = panel_layer(panel, MARK_TEXTS, COLOR_INK, NULL);

    figure_loadings(loadings, &terms, x, y);
    for (uint32_t t = 0; t < terms.count; t++)
        sizes[t] = hypot(x[t], y[t]);
    order = figure_greatest(scene, sizes, terms.count, "terms, by the length of their loadings", &count);
    most[0] = greatest_size(scene->env, x, terms.count);
    most[1] = greatest_size(scene->env, y, terms.count);
    for (uint32_t c = 0; c < 2; c++) {
        double reach = greatest_size(scene->env, scored(data, c)->numbers, data->rows);

        if (reach > 0 && most[c] > 0)
            scale = fmin(scale, 0.8 * reach / most[c]);
    }
    scale = isfinite(scale) ? scale : 1;
    texts->haloed = texts->thinned = true;
    arrows->thick = true;
    for (uint32_t i = 0; i < count; i++) {
        double to_x = scale * x[order[i]], to_y = scale * y[order[i]];
        MarkItem *item = layer_add(texts, 1.06 * to_x, 1.06 * to_y);

        layer_add_span(arrows, 0, 0, to_x, to_y);
        layer_add(heads, to_x, to_y);
        if (item != NULL)
            item->text = terms.names[order[i]];
    }
    scene_note(scene, "Arrows are the loadings of the terms, times %.3g.", scale);
}

/* Returns "component 1 (68.6% of the variance)". */
static const char *component_title(Scene *scene, const PictureData *loadings, double component)
{
    const double *number = picture_data_column(loadings, "component")->numbers, *share = picture_data_column(loadings, "share")->numbers;

    for (uint64_t i = 0; i < loadings->rows; i++)
        if (number[i] == component && !isnan(share[i]))
            return env_message(scene->env, "component %.0f (%.1f%% of the variance)", component, 100 * share[i]);
    return env_message(scene->env, "component %.0f", component);
}

static void draw_biplot(Scene *scene, const PictureData *data, const Model *model)
{
    const PictureData *loadings = figure_table(scene->env, model, &loadings_figure, table_of(model, "components"));
    const PictureColumn *label = figure_column(scene, data, "label");
    const double *x = scored(data, 0)->numbers, *y = scored(data, 1)->numbers;
    PictureGroups colors = colors_of(scene, data);
    FigureOrder order = figure_order(scene->env, x, colors.group, data->rows, colors.count);
    Panel *panel = scene_panel(scene, NULL);
    uint64_t missing = 0;

    panel->x.title = component_title(scene, loadings, 1);
    panel->y.title = component_title(scene, loadings, 2);
    for (uint32_t color = 0; color < colors.count; color++) {
        Layer *points = panel_layer(panel, MARK_POINTS, (int)color, color_name(scene, &colors, color, NULL));

        for (uint64_t i = order.begin[color]; i < order.begin[color + 1]; i++) {
            env_poll_rows(scene->env, i);
            tell(scene, layer_add(points, x[order.row[i]], y[order.row[i]]), label, order.row[i]);
        }
        missing += points->missing;
    }
    figure_rule_x(panel, 0);
    figure_rule_y(panel, 0);
    put_arrows(scene, panel, loadings, data);
    scene_say(scene, "The scores of %llu rows on two components, and the loadings of these.", (unsigned long long)data->rows);
    scene_missing(scene, missing);
}

static bool biplot_applies(const Scorer *scorer)
{
    return scorer->estimator->scoring->transform != NULL && scoring_outputs(scorer->estimator->scoring, scorer->model) >= 2 && table_of(scorer->model, "components") != NULL;
}
static PictureScore biplot_score(const Scorer *scorer)
{
    return PICTURE_COMPONENTS;
}

const Figure biplot_figure = {.name = "biplot", .title = "Scores and loadings", .columns = {NULL}, .draw = draw_biplot, .applies = biplot_applies, .score = biplot_score};
