/*
 * figures_models.c - figures of what models hold: coefficients, paths, importance, components, numbers of clusters, terms of a score; drift.
 */
#include "core/picture/figures.h"
#include "core/picture/picture_label.h"
#include "core/base/sort.h"

#include <string.h>

/* ---- what figures share ---- */

const char *figure_string(Env *env, PictureText text)
{
    return text.bytes != NULL ? env_text(env, text.bytes, text.length) : "";
}

const char *figure_group(Env *env, PictureText name)
{
    return name.bytes != NULL ? figure_string(env, name) : "NULL";
}

const char *figure_title(Scene *scene, const char *option, const char *otherwise)
{
    const char *given = options_given(scene->options, option) ? options_string(scene->options, option) : NULL;

    return given != NULL ? given : otherwise;
}

typedef struct Sized {
    double size;
    uint32_t row;
} Sized;

static int compare_sizes(const void *left, const void *right)
{
    const Sized *a = left, *b = right;

    return a->size != b->size ? (a->size > b->size ? -1 : 1) : (a->row > b->row) - (a->row < b->row);
}

uint32_t *figure_greatest(Scene *scene, const double *sizes, uint64_t rows, const char *what, uint32_t *count)
{
    uint64_t top = (uint64_t)options_integer(scene->options, "top"), kept = rows < top ? rows : top;
    Sized *sized = env_array_raw(scene->env, rows + 1, sizeof(Sized));
    uint32_t *places = env_array_raw(scene->env, kept + 1, sizeof(uint32_t));

    for (uint64_t i = 0; i < rows; i++) {
        env_poll_rows(scene->env, i);
        sized[i] = (Sized){isnan(sizes[i]) ? -1 : fabs(sizes[i]), (uint32_t)i};
    }
    sort_polled(scene->env, sized, rows, sizeof(Sized), compare_sizes);
    for (uint64_t i = 0; i < kept; i++)
        places[i] = sized[i].row;
    if (kept < rows && what != NULL)
        scene_note(scene, "The %llu greatest of %llu %s; option \"top\" shows more.", (unsigned long long)kept, (unsigned long long)rows, what);
    *count = (uint32_t)kept;
    return places;
}

void figure_rule_x(Panel *panel, double x)
{
    Layer *rule;

    if (!(panel->y.low <= panel->y.high))
        return;
    scale_include(&panel->x, x);
    rule = panel_layer(panel, MARK_RULES, COLOR_MUTED, NULL);
    rule->dashed = true;
    layer_add_span(rule, x, panel->y.low, x, panel->y.high);
}

void figure_rule_y(Panel *panel, double y)
{
    Layer *rule;

    if (!(panel->x.low <= panel->x.high))
        return;
    scale_include(&panel->y, y);
    rule = panel_layer(panel, MARK_RULES, COLOR_MUTED, NULL);
    rule->dashed = true;
    layer_add_span(rule, panel->x.low, y, panel->x.high, y);
}

static int compare_places(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static bool any_number(const PictureColumn *column, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++)
        if (!isnan(column->numbers[i]))
            return true;
    return false;
}

/* ---- coefficients ---- */

/* Adds the coefficients of a class to the bands of their terms, a little apart from those of other classes; returns how many are missing. */
static uint64_t put_coefficients(Panel *panel, const PictureData *data, const PictureGroups *classes, uint32_t class, const uint32_t *band,
                             const PictureText *names)
{
    const PictureColumn *estimate = picture_data_column(data, "estimate"), *low = picture_data_column(data, "conf_low"),
                        *high = picture_data_column(data, "conf_high");
    const char *name = classes->count > 1 ? figure_string(data->env, classes->names[class]) : NULL;
    Layer *limits = panel_layer(panel, MARK_RULES, (int)class, NULL), *points;

    limits->thick = true;
    for (uint64_t i = 0; i < data->rows; i++) {
        double y = band[i] + (classes->count > 1 ? ((class + 0.5) / classes->count - 0.5) * 0.7 : 0);

        if (classes->group[i] == class && band[i] != UINT32_MAX)
            layer_add_span(limits, low->numbers[i], y, high->numbers[i], y);
    }
    points = panel_layer(panel, MARK_POINTS, (int)class, name);
    for (uint64_t i = 0; i < data->rows; i++) {
        double y = band[i] + (classes->count > 1 ? ((class + 0.5) / classes->count - 0.5) * 0.7 : 0);
        MarkItem *item = classes->group[i] == class && band[i] != UINT32_MAX ? layer_add(points, estimate->numbers[i], y) : NULL;

        if (item != NULL && isfinite(low->numbers[i]) && isfinite(high->numbers[i]))
            item->text = scene_text(data->env, "%s: %.4g (%.4g to %.4g)", figure_string(data->env, names[band[i]]), estimate->numbers[i],
                                    low->numbers[i], high->numbers[i]);
        else if (item != NULL)
            item->text = scene_text(data->env, "%s: %.4g", figure_string(data->env, names[band[i]]), estimate->numbers[i]);
    }
    return points->missing;
}

static void draw_coefficients(Scene *scene, const PictureData *data, const Model *model)
{
    const PictureColumn *term = picture_data_column(data, "term"), *estimate = picture_data_column(data, "estimate"),
                        *statistic = picture_data_column(data, "statistic");
    PictureGroups classes = picture_groups(data, picture_data_column(data, "class")), terms = picture_groups(data, term);
    Panel *panel = scene_panel(scene, NULL);
    uint32_t *band = env_array_raw(scene->env, data->rows + 1, sizeof(uint32_t)), *bands = env_array_raw(scene->env, terms.count + 1, sizeof(uint32_t)), *shown, count,
             *kept = env_array_raw(scene->env, terms.count + 1, sizeof(uint32_t)), others = 0;
    double *sizes = env_array(scene->env, terms.count + 1, sizeof(double));
    PictureText *names = env_array(scene->env, terms.count + 1, sizeof(PictureText));
    uint64_t missing = 0;

    for (uint64_t i = 0; i < data->rows; i++) {
        double size = fabs(isnan(statistic->numbers[i]) ? estimate->numbers[i] : statistic->numbers[i]);

        env_poll_rows(scene->env, i);
        if (picture_text_equal(terms.names[terms.group[i]], picture_string("(intercept)")) && terms.count > 1)
            sizes[terms.group[i]] = NAN;
        else
            sizes[terms.group[i]] = fmax(sizes[terms.group[i]], size);
    }
    for (uint32_t t = 0; t < terms.count; t++)
        if (!isnan(sizes[t])) {
            sizes[others] = sizes[t];
            kept[others++] = t;
        }
    shown = figure_greatest(scene, sizes, others, "terms, by the size of their statistic", &count);
    for (uint32_t b = 0; b < count; b++)
        shown[b] = kept[shown[b]];
    sort_polled(scene->env, shown, count, sizeof *shown, compare_places);
    for (uint32_t t = 0; t < terms.count; t++)
        bands[t] = UINT32_MAX;
    for (uint32_t b = 0; b < count; b++) {
        names[b] = terms.names[shown[b]];
        bands[shown[b]] = b;
    }
    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(scene->env, i);
        band[i] = bands[terms.group[i]];
    }
    scale_bands(&panel->y, names, count);
    panel->x.title = any_number(picture_data_column(data, "conf_low"), data->rows) ? "estimate and its confidence interval" : "estimate";
    figure_rule_x(panel, 0);
    for (uint32_t class = 0; class < classes.count; class++)
        missing += put_coefficients(panel, data, &classes, class, band, names);
    scene_missing(scene, missing);
    scene_room(scene, count);
    scene_say(scene, "The coefficients of %u terms.%s", count, others < terms.count ? " The intercept is left out." : "");
}

const Figure coefficients_figure = {.name = "coefficients",
                                    .title = "Coefficients",
                                    .table = "coefficients",
                                    .columns = {"class", "term", "estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high"},
                                    .draw = draw_coefficients};

/* ---- path of penalized coefficients ---- */

/* Writes the names of lines at their ends, the longest coefficients first. */
static void name_lines(Scene *scene, Panel *panel, const PictureText *names, const double *at, const double *last, uint32_t lines)
{
    uint32_t count, *order = figure_greatest(scene, last, lines, "labels", &count);
    Layer *texts = panel_layer(panel, MARK_TEXTS, COLOR_INK, NULL);

    texts->anchor = ANCHOR_START;
    texts->thinned = true;
    for (uint32_t i = 0; i < count; i++) {
        MarkItem *item = at[order[i]] > 0 ? layer_add(texts, at[order[i]], last[order[i]]) : NULL;

        if (item != NULL) {
            item->text = names[order[i]];
            panel->room_right = fmax(panel->room_right, fmin(label_width(item->text, 11), 150) + 8);
        }
    }
}

static void draw_path(Scene *scene, const PictureData *data, const Model *model)
{
    const PictureColumn *lambda = picture_data_column(data, "lambda"), *estimate = picture_data_column(data, "estimate");
    PictureGroups terms = picture_groups(data, picture_data_column(data, "term")), classes = picture_groups(data, picture_data_column(data, "class"));
    Panel *panel = scene_panel(scene, NULL);
    uint32_t lines, *lines_of = picture_pairs(data, &terms, &classes, &lines);
    double *last = env_array(scene->env, lines + 1, sizeof(double)), *at = env_array(scene->env, lines + 1, sizeof(double));
    PictureText *names = env_array(scene->env, lines + 1, sizeof(PictureText));
    Layer **layers = env_array(scene->env, lines + 1, sizeof(Layer *));
    bool zero = false;

    panel->x.kind = SCALE_LOG;
    panel->x.reversed = true;
    panel->x.title = "lambda (the penalty falls to the right)";
    panel->y.title = "estimate";
    for (uint64_t i = 0; i < data->rows; i++) {
        uint32_t line = lines_of[i];

        if (picture_text_equal(terms.names[terms.group[i]], picture_string("(intercept)")))
            continue;
        zero = zero || !(lambda->numbers[i] > 0);
        if (layers[line] == NULL) {
            layers[line] = panel_layer(panel, MARK_LINE, (int)line, NULL);
            names[line] = classes.count == 1 ? terms.names[terms.group[i]]
                                             : scene_text(scene->env, "%s: %s", figure_string(scene->env, classes.names[classes.group[i]]),
                                                          figure_string(scene->env, terms.names[terms.group[i]]));
        }
        if (layer_add(layers[line], lambda->numbers[i], estimate->numbers[i]) != NULL) {
            last[line] = estimate->numbers[i];
            at[line] = lambda->numbers[i];
        }
    }
    figure_rule_y(panel, 0);
    name_lines(scene, panel, names, at, last, lines);
    if (zero)
        scene_note(scene, "lambda 0 has no place on the logarithmic scale.");
    scene_say(scene, "The coefficients of %u terms for falling lambda.", terms.count);
}

const Figure path_figure = {
    .name = "path", .title = "Coefficients along the path", .table = "coefficient_path", .columns = {"lambda", "term", "estimate", "class"}, .draw = draw_path};

/* ---- errors of cross-validation, or a criterion, over lambda ---- */

const PictureColumn *figure_lambda_errors(const PictureData *data)
{
    static const char *const names[] = {"mean_error", "criterion"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (any_number(picture_data_column(data, names[i]), data->rows))
            return picture_data_column(data, names[i]);
    return NULL;
}

static void draw_lambdas(Scene *scene, const PictureData *data, const Model *model)
{
    const PictureColumn *lambda = picture_data_column(data, "lambda"), *error = figure_lambda_errors(data), *deviation = picture_data_column(data, "std_error"),
                        *chosen = picture_data_column(data, "chosen");
    Panel *panel = scene_panel(scene, NULL);
    Layer *limits = panel_layer(panel, MARK_RULES, COLOR_MUTED, NULL), *points;
    bool folds = error == picture_data_column(data, "mean_error");
    char number[TICK_TEXT];

    if (error == NULL)
        env_fail(scene->env, ERROR_KIND, "Fit with \"lambda\": \"cv\", or with option \"select\"; figure path draws the coefficients.", "these lambdas were not compared: they have neither errors nor a criterion");
    panel->x.kind = SCALE_LOG;
    panel->x.reversed = true;
    panel->x.title = "lambda (the penalty falls to the right)";
    panel->y.title = folds ? "cross-validated error" : error->name;
    for (uint64_t i = 0; i < data->rows && folds; i++)
        layer_add_span(limits, lambda->numbers[i], error->numbers[i] - deviation->numbers[i], lambda->numbers[i], error->numbers[i] + deviation->numbers[i]);
    points = panel_layer(panel, MARK_POINTS, 0, NULL);
    for (uint64_t i = 0; i < data->rows; i++)
        layer_add(points, lambda->numbers[i], error->numbers[i]);
    for (uint64_t i = 0; i < data->rows; i++)
        if (chosen->numbers[i] == 1) {
            figure_rule_x(panel, lambda->numbers[i]);
            scene_note(scene, "The model has lambda %s.", number_text(lambda->numbers[i], 5, number));
        }
    scene_say(scene, folds ? "The mean error of the folds for %llu lambdas, with one standard error to both sides." : "The criterion for %llu lambdas.", (unsigned long long)points->count);
}

const Figure lambda_figure = {.name = "lambda",
                              .title = "Choice of lambda",
                              .table = "lambda_path",
                              .columns = {"lambda", "chosen", "nonzero", "mean_error", "std_error", "pooled_error", "fold_errors", "criterion", "penalty"},
                              .draw = draw_lambdas};

/* ---- importance ---- */

static void draw_importance(Scene *scene, const PictureData *data, const Model *model)
{
    const PictureColumn *feature = picture_data_column(data, "feature"), *importance = picture_data_column(data, "importance"),
                        *deviation = picture_data_find(data, "std_error");
    Panel *panel = scene_panel(scene, NULL);
    Layer *bars = panel_layer(panel, MARK_BARS, 0, NULL), *limits;
    uint32_t count, *order = figure_greatest(scene, importance->numbers, data->rows, "features", &count);
    PictureText *names = env_array(scene->env, count + 1, sizeof(PictureText));

    for (uint32_t b = 0; b < count; b++)
        names[b] = picture_text_of(feature, order[b]);
    scale_bands(&panel->y, names, count);
    scale_root(&panel->x);
    panel->x.title = "importance";
    for (uint32_t b = 0; b < count; b++) {
        MarkItem *item = layer_add_span(bars, 0, b - 0.35, importance->numbers[order[b]], b + 0.35);

        if (item != NULL)
            item->text = scene_text(scene->env, "%s: %.4g", figure_string(scene->env, names[b]), importance->numbers[order[b]]);
    }
    limits = panel_layer(panel, MARK_RULES, COLOR_INK, NULL);
    for (uint32_t b = 0; deviation != NULL && b < count; b++)
        layer_add_span(limits, importance->numbers[order[b]] - deviation->numbers[order[b]], b, importance->numbers[order[b]] + deviation->numbers[order[b]], b);
    scene_room(scene, count);
    scene_say(scene, "The importance of %u features, the greatest first%s.", count, deviation != NULL ? ", with one standard error to both sides" : "");
}

const Figure importance_figure = {
    .name = "importance", .title = "Importance of the features", .table = "importance", .columns = {"feature", "importance"}, .draw = draw_importance};
const Figure permutation_figure = {
    .name = "permutation_importance", .title = "Permutation importance", .columns = {"feature", "importance", "std_error"}, .draw = draw_importance};

/* ---- components ---- */

static void draw_scree(Scene *scene, const PictureData *data, const Model *model)
{
    const PictureColumn *component = picture_data_column(data, "component"), *share = picture_data_column(data, "share"),
                        *cumulative = picture_data_column(data, "cumulative");
    Panel *panel = scene_panel(scene, NULL);
    Layer *bars = panel_layer(panel, MARK_BARS, 0, "share of the variance"), *line = panel_layer(panel, MARK_LINE, 1, "all components so far"),
          *points = panel_layer(panel, MARK_POINTS, 1, NULL);
    double before = NAN;

    panel->x.title = "component";
    panel->y.title = "share of the variance";
    panel->x.whole = true;
    scale_root(&panel->y);
    for (uint64_t i = 0; i < data->rows; i++) {
        double at = component->numbers[i];

        if (at == before)
            continue;
        layer_add_span(bars, at - 0.35, 0, at + 0.35, share->numbers[i]);
        layer_add(line, at, cumulative->numbers[i]);
        layer_add(points, at, cumulative->numbers[i]);
        before = at;
    }
    scene_say(scene, "The shares of %llu components in the variance, and their sums.", (unsigned long long)bars->count);
}

#define COMPONENT_COLUMNS {"component", "variance", "share", "cumulative", "term", "loading"}
const Figure scree_figure = {.name = "scree", .title = "Variance of the components", .table = "components", .columns = COMPONENT_COLUMNS, .draw = draw_scree};

void figure_loadings(const PictureData *data, const PictureGroups *terms, double *x, double *y)
{
    const double *component = picture_data_column(data, "component")->numbers, *loading = picture_data_column(data, "loading")->numbers;

    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(data->env, i);
        if (component[i] == 1)
            x[terms->group[i]] = loading[i];
        else if (component[i] == 2)
            y[terms->group[i]] = loading[i];
    }
}

static void draw_loadings(Scene *scene, const PictureData *data, const Model *model)
{
    PictureGroups terms = picture_groups(data, picture_data_column(data, "term"));
    Panel *panel = scene_panel(scene, NULL);
    double *x = env_array(scene->env, terms.count + 1, sizeof(double)), *y = env_array(scene->env, terms.count + 1, sizeof(double));
    double *sizes = env_array(scene->env, terms.count + 1, sizeof(double));
    uint32_t count, *order;
    Layer *arrows, *heads, *texts;

    figure_loadings(data, &terms, x, y);
    for (uint32_t t = 0; t < terms.count; t++) {
        env_poll_rows(scene->env, t);
        sizes[t] = hypot(x[t], y[t]);
    }
    order = figure_greatest(scene, sizes, terms.count, "terms, by the length of their loadings", &count);
    arrows = panel_layer(panel, MARK_RULES, 0, NULL);
    heads = panel_layer(panel, MARK_POINTS, 0, NULL);
    texts = panel_layer(panel, MARK_TEXTS, COLOR_INK, NULL);
    texts->thinned = true;
    texts->haloed = true;
    texts->lift = 0.8;
    panel->x.title = "loading on component 1";
    panel->y.title = "loading on component 2";
    panel->room_right = 30;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t t = order[i];
        MarkItem *item;

        layer_add_span(arrows, 0, 0, x[t], y[t]);
        if ((item = layer_add(heads, x[t], y[t])) != NULL)
            item->text = scene_text(scene->env, "%s: %.4g, %.4g", figure_string(scene->env, terms.names[t]), x[t], y[t]);
        if ((item = layer_add(texts, x[t], y[t])) != NULL)
            item->text = terms.names[t];
    }
    figure_rule_x(panel, 0);
    figure_rule_y(panel, 0);
    scene_say(scene, "The loadings of %u terms on the first two components.", count);
}

const Figure loadings_figure = {
    .name = "loadings", .title = "Loadings of two components", .table = "components", .columns = COMPONENT_COLUMNS, .draw = draw_loadings};

/* ---- number of clusters ---- */

static void elbow_panel(Scene *scene, const PictureData *data, const char *title, const double *numbers, const double *deviation)
{
    const PictureColumn *k = picture_data_column(data, "k"), *chosen = picture_data_column(data, "chosen");
    Panel *panel = scene_panel(scene, NULL);
    Layer *line = panel_layer(panel, MARK_LINE, 0, NULL), *points = panel_layer(panel, MARK_POINTS, 0, NULL), *limits;

    panel->x.whole = true;
    panel->x.title = "clusters (k)";
    panel->y.title = title;
    limits = panel_layer(panel, MARK_RULES, 0, NULL);
    for (uint64_t i = 0; i < data->rows; i++) {
        layer_add(line, k->numbers[i], numbers[i]);
        layer_add(points, k->numbers[i], numbers[i]);
        if (deviation != NULL)
            layer_add_span(limits, k->numbers[i], numbers[i] - deviation[i], k->numbers[i], numbers[i] + deviation[i]);
    }
    for (uint64_t i = 0; i < data->rows; i++)
        if (chosen->numbers[i] == 1)
            figure_rule_x(panel, k->numbers[i]);
}

static void draw_elbow(Scene *scene, const PictureData *data, const Model *model)
{
    const PictureColumn *objective = picture_data_column(data, "objective"), *criterion = picture_data_column(data, "criterion"),
                        *value = picture_data_column(data, "value"), *gap = picture_data_column(data, "gap"), *chosen = picture_data_column(data, "chosen");
    const char *name = data->rows > 0 ? figure_string(scene->env, picture_text_of(criterion, 0)) : "";

    elbow_panel(scene, data, "objective", objective->numbers, NULL);
    if (strcmp(name, "gap") == 0)
        elbow_panel(scene, data, "gap, one standard error", gap->numbers, picture_data_column(data, "gap_error")->numbers);
    else if (any_number(value, data->rows))
        elbow_panel(scene, data, name[0] != '\0' ? name : "criterion", value->numbers, NULL);
    scene->columns = scene->panel_count;
    for (uint64_t i = 0; i < data->rows; i++)
        if (chosen->numbers[i] == 1)
            scene_note(scene, "The model has %.0f clusters.", picture_data_column(data, "k")->numbers[i]);
    scene_say(scene, "The objective%s for %llu numbers of clusters.", scene->panel_count > 1 ? " and the criterion" : "", (unsigned long long)data->rows);
}

const Figure elbow_figure = {.name = "elbow",
                             .title = "Number of clusters",
                             .table = "elbow",
                             .columns = {"k", "objective", "criterion", "value", "gap", "gap_error", "chosen"},
                             .draw = draw_elbow};

/* ---- the terms of a score ---- */

/* The bands of a waterfall. */
typedef struct Waterfall {
    Panel *panel;
    Layer *up, *down, *whole, *joints;
    PictureText *names;
    uint32_t bands;
    double sum;
} Waterfall;

/* Adds a band that changes the sum. */
static void put_change(Waterfall *fall, PictureText name, double change)
{
    MarkItem *item = layer_add_span(change < 0 ? fall->down : fall->up, fall->sum, fall->bands - 0.35, fall->sum + change, fall->bands + 0.35);

    layer_add_span(fall->joints, fall->sum, fall->bands - 1, fall->sum, fall->bands);
    if (item != NULL)
        item->text = scene_text(fall->panel->env, "%s: %+.4g", figure_string(fall->panel->env, name), change);
    fall->names[fall->bands++] = name;
    fall->sum += change;
}

/* Adds a band that shows the sum. */
static void put_sum(Waterfall *fall, const char *name)
{
    MarkItem *item = layer_add(fall->whole, fall->sum, fall->bands);

    if (fall->bands > 0)
        layer_add_span(fall->joints, fall->sum, fall->bands - 1, fall->sum, fall->bands);
    if (item != NULL)
        item->text = scene_text(fall->panel->env, "%s: %.6g", name, fall->sum);
    fall->names[fall->bands++] = picture_string(name);
}

static void explain_panel(Scene *scene, const PictureData *data, const PictureGroups *classes, uint32_t class)
{
    const PictureColumn *term = picture_data_column(data, "term"), *contribution = picture_data_column(data, "contribution");
    Panel *panel = scene_panel(scene, classes->count > 1 ? figure_string(scene->env, classes->names[class]) : NULL);
    double *sizes = env_array(scene->env, data->rows + 1, sizeof(double)), rest = 0;
    uint32_t count, *order, *rows = env_array(scene->env, data->rows + 1, sizeof(uint32_t)), terms = 0;
    Waterfall fall = {.panel = panel};

    fall.joints = panel_layer(panel, MARK_RULES, COLOR_MUTED, NULL);
    fall.up = panel_layer(panel, MARK_BARS, 0, class == 0 ? "raises the score" : NULL);
    fall.down = panel_layer(panel, MARK_BARS, 1, class == 0 ? "lowers it" : NULL);
    fall.whole = panel_layer(panel, MARK_POINTS, COLOR_INK, NULL);
    for (uint64_t i = 0; i < data->rows; i++) {
        double change = contribution->numbers[i];

        env_poll_rows(scene->env, i);
        if (classes->group[i] != class || isnan(change))
            continue;
        if (picture_text_equal(picture_text_of(term, i), picture_string("(base)"))) {
            fall.sum += change;
        } else {
            rows[terms] = (uint32_t)i;
            sizes[terms++] = change;
            rest += change;
        }
    }
    order = figure_greatest(scene, sizes, terms, class == 0 ? "terms" : NULL, &count);
    fall.names = env_array(scene->env, count + 3, sizeof(PictureText));
    put_sum(&fall, "(base)");
    for (uint32_t i = 0; i < count; i++) {
        put_change(&fall, picture_text_of(term, rows[order[i]]), sizes[order[i]]);
        rest -= sizes[order[i]];
    }
    if (count < terms)
        put_change(&fall, scene_text(scene->env, "%u further terms", terms - count), rest);
    put_sum(&fall, "score");
    scale_bands(&panel->y, fall.names, fall.bands);
    panel->x.title = "score";
    scene_room(scene, fall.bands);
}

static void draw_explain(Scene *scene, const PictureData *data, const Model *model)
{
    PictureGroups classes = picture_groups(data, picture_data_column(data, "class"));
    uint32_t shown = classes.count < 6 ? classes.count : 6;

    for (uint32_t class = 0; class < shown; class++)
        explain_panel(scene, data, &classes, class);
    scene->columns = shown > 3 ? 3 : shown > 1 ? shown : 1;
    scene->width = options_given(scene->options, "width") ? scene->width : 640 + 160 * (scene->columns - 1);
    if (shown < classes.count)
        scene_note(scene, "%u of %u classes.", shown, classes.count);
    scene_say(scene, "From the base to the score of a row, term by term, the greatest first.");
}

const Figure explain_figure = {.name = "explain", .title = "Terms of a score", .columns = {"class", "term", "contribution"}, .draw = draw_explain};

/* ---- drift ---- */

static void draw_drift(Scene *scene, const PictureData *data, const Model *model)
{
    static const char *const verdicts[] = {"stable", "moderate", "large"};
    static const int colors[] = {2, 4, 1};
    const PictureColumn *feature = picture_data_column(data, "feature"), *verdict = picture_data_column(data, "verdict"), *psi = picture_data_column(data, "psi");
    PictureGroups kinds = picture_groups(data, verdict);
    Panel *panel = scene_panel(scene, NULL);
    uint32_t count, *order = figure_greatest(scene, psi->numbers, data->rows, "features", &count);
    PictureText *names = env_array(scene->env, count + 1, sizeof(PictureText));
    uint64_t missing = 0;

    for (uint32_t b = 0; b < count; b++)
        names[b] = picture_text_of(feature, order[b]);
    scale_bands(&panel->y, names, count);
    scale_root(&panel->x);
    panel->x.title = "population stability index";
    for (uint32_t kind = 0; kind < kinds.count; kind++) {
        int color = 3;
        Layer *bars;

        for (int v = 0; v < 3; v++)
            color = picture_text_equal(kinds.names[kind], picture_string(verdicts[v])) ? colors[v] : color;
        bars = panel_layer(panel, MARK_BARS, color, figure_string(scene->env, kinds.names[kind]));
        for (uint32_t b = 0; b < count; b++) {
            MarkItem *item = kinds.group[order[b]] == kind ? layer_add_span(bars, 0, b - 0.35, psi->numbers[order[b]], b + 0.35) : NULL;

            if (item != NULL)
                item->text = scene_text(scene->env, "%s: %.4g", figure_string(scene->env, names[b]), psi->numbers[order[b]]);
        }
        missing += bars->missing;
    }
    scene_missing(scene, missing);
    scene_room(scene, count);
    scene_say(scene, "The population stability index of %u features, the greatest first.", count);
}

const Figure drift_figure = {.name = "drift",
                             .title = "Drift",
                             .columns = {"feature", "verdict", "psi", "ks", "ks_error", "unseen", "unseen_share", "unseen_examples", "null_share_then", "null_share_now",
                                         "mean_then", "mean_now"},
                             .draw = draw_drift};
