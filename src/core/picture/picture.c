/*
 * picture.c - finds the figure for a model or for rows, and draws it.
 */
#include "core/picture/picture.h"
#include "core/picture/figures.h"
#include "core/inspection/model_tables.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/prepare/scorer.h"

#include <string.h>

/* In the order in which a model that was given without a figure is tried. */
static const Figure *const figures[] = {
    &dendrogram_figure,  &tree_figure,       &importance_figure,      &elbow_figure,       &scree_figure,   &coefficients_figure, &path_figure,
    &lambda_figure,      &loadings_figure,   &permutation_figure,     &explain_figure,     &drift_figure,   &roc_figure,          &precision_recall_figure,
    &calibration_figure, &gain_figure,       &survival_figure,        &dependence_figure,  &effects_figure, &confusion_figure,    &scores_figure,
    &silhouette_figure,  &residuals_figure,  &decision_figure,        &ellipses_figure,    &voronoi_figure, &rows_figure};
#define FIGURES (sizeof(figures) / sizeof(figures[0]))
/* Of a model and rows, in the order in which they are tried without a choice. */
static const Figure *const joint_figures[] = {&fit_figure, &regions_figure, &biplot_figure};
#define JOINT_FIGURES (sizeof(joint_figures) / sizeof(joint_figures[0]))

static const char *const names_of_rows[] = {
    "accumulated_effects", "biplot", "calibration", "coefficients", "confusion", "decision", "dendrogram", "drift", "elbow", "ellipses", "explain", "fit", "gain", "importance",
    "lambda", "loadings", "partial_dependence", "path", "permutation_importance", "precision_recall", "residuals", "roc", "rows", "scores", "scree", "silhouette",
    "survival", "voronoi", NULL};
static const char *const forms[] = {"svg", "vega", "text", NULL};
static const char *const marks[] = {"point", "line", "bar", NULL};

static const OptionSpec own_options[] = {
    {.name = "as", .types = OPTION_STRING, .fallback = "\"svg\"", .choices = forms, .help = "What is written: SVG, a specification of Vega-Lite, or plain text."},
    {.name = "color", .types = OPTION_STRING, .unset = "one color", .help = "Of rows: the column whose values have colors of their own; of survival and ROC curves, one curve per value."},
    {.name = "cost",
     .types = OPTION_OBJECT,
     .minimum = 0,
     .maximum = 1e100,
     .unset = "no point is marked",
     .help = "Of a ROC curve: marks the point of least cost, {\"false_positive\": c, \"false_negative\": c}, as operating_point does."},
    {.name = "figure", .types = OPTION_STRING, .unset = "what the columns say", .choices = names_of_rows, .help = "Of rows: which figure is drawn."},
    {.name = "height", .types = OPTION_INTEGER, .minimum = 100, .maximum = 20000, .unset = "400, or what the figure needs", .help = "Pixels; of plain text 16 are a line."},
    {.name = "high", .types = OPTION_STRING, .unset = "no band", .help = "Of rows: the column of the upper end of a band."},
    {.name = "label", .types = OPTION_STRING, .unset = "none", .help = "Of rows: the column with what is shown of the point under the mouse."},
    {.name = "log_x", .types = OPTION_BOOLEAN, .fallback = "false", .help = "Of rows: a logarithmic scale of x."},
    {.name = "log_y", .types = OPTION_BOOLEAN, .fallback = "false", .help = "Of rows: a logarithmic scale of y."},
    {.name = "level", .types = OPTION_NUMBER, BETWEEN_ZERO_AND_ONE, .unset = "that of the model", .help = "Of the fit of a model: the share of rows that its limits are to hold."},
    {.name = "low", .types = OPTION_STRING, .unset = "no band", .help = "Of rows: the column of the lower end of a band."},
    {.name = "mark", .types = OPTION_STRING, .unset = "line where x is a time or there is a band, else point", .choices = marks, .help = "Of rows: how they are drawn."},
    {.name = "title", .types = OPTION_STRING, .unset = "that of the figure", .help = "The title."},
    {.name = "top",
     .types = OPTION_INTEGER,
     .fallback = "40",
     .minimum = 2,
     .maximum = 10000,
     .help = "How many features, terms or clusters are drawn, the greatest first. The picture says what it leaves out."},
    {.name = "tree", .types = OPTION_INTEGER, .fallback = "1", .minimum = 1, .maximum = 1e9, .help = "Which tree of several."},
    {.name = "width", .types = OPTION_INTEGER, .minimum = 100, .maximum = 20000, .unset = "640, or what the figure needs", .help = "Pixels; of plain text 8 are a character."},
    {.name = "x", .types = OPTION_STRING, .unset = "none", .help = "Of rows: the column along the x axis."},
    {.name = "y", .types = OPTION_STRING | OPTION_STRING_LIST, .unset = "none", .help = "Of rows: the column along the y axis, or several; of the fit of a model the column that it predicts."},
    {.name = NULL}};

const OptionSpec *const plot_options[] = {own_options, NULL};

/* Draws data as a figure. */
static char *draw(Env *env, const Figure *figure, const PictureData *data, const Model *model, const Options *options)
{
    Scene *scene = scene_new(env, options);
    bool text = options_is(options, "as", "text");

    if (text && figure->in_text != NULL)
        env_fail(env, ERROR_PARAMETER, env_message(env, "Call %s(model).", figure->in_text), "figure %s is not drawn as text", figure->name);
    scene->title = options_given(options, "title") ? options_string(options, "title") : figure->title;
    figure->draw(scene, data, model);
    scene_thin(scene);
    return text ? scene_plain(scene) : options_is(options, "as", "vega") ? scene_vega(scene) : scene_svg(scene);
}

/* ---- models ---- */

/* Returns the names of the figures that a model has. */
static const char *figure_names(Env *env, const Model *model)
{
    TextBuffer names = {.env = env};

    for (size_t i = 0; i < FIGURES; i++)
        if (figures[i]->table != NULL && table_of(model, figures[i]->table) != NULL)
            text_print(&names, "%s%s", names.length > 0 ? ", " : "", figures[i]->name);
    return text_finish(&names, NULL);
}

/* Tells whether the rows of a figure are drawn as if it were for this model without a choice: trees of one tree alone. */
static bool is_natural(const Model *model, const Figure *figure)
{
    const ModelEntry *trees = model_find(model, "tree_nodes");

    return figure != &tree_figure || (trees != NULL && trees->rows == 1) || table_of(model, "importance") == NULL;
}

char *picture_of_model(Env *env, const Model *model, const char *name, const Options *options)
{
    const char *all;

    for (size_t i = 0; i < FIGURES; i++) {
        const Table *table = figures[i]->table != NULL ? table_of(model, figures[i]->table) : NULL;

        if (table != NULL && table->open != NULL && (name != NULL ? strcmp(name, figures[i]->name) == 0 : is_natural(model, figures[i])))
            return draw(env, figures[i], figure_table(env, model, figures[i], table), model, options);
    }
    if (name != NULL && name[0] == '{')
        env_fail(env, ERROR_PARAMETER, "Write plot(model, options => '{...}').", "the options of plot stand where the name of a figure does");
    all = figure_names(env, model);
    env_fail(env, ERROR_KIND, env_message(env, all[0] != '\0' ? "Figures of this model: %.150s; others are drawn from rows." : "Draw the rows of a function of the model instead.%.0s", all),
             name != NULL ? "this model has no figure \"%.63s\"" : "plot has no figure of its own for this model%.0s", name != NULL ? name : "");
}

#define NODES_MOST 127 /* of a tree among other pictures */

/* Tells whether coefficients are what the model scores by: kernels and votes have none, and those of centroids depend on the metric. */
static bool is_equation(const Model *model)
{
    return !kernel_model_is(model) && model_find(model, "survived") == NULL && strcmp(model->estimator, "nearest_centroid") != 0;
}

const PictureData *figure_for_page(Env *env, const Model *model, const Figure *figure)
{
    const Table *table = figure->table != NULL ? table_of(model, figure->table) : NULL;
    bool path = figure == &path_figure || figure == &lambda_figure, equation = figure == &coefficients_figure;
    const PictureData *data;

    if (table == NULL || table->open == NULL || !is_natural(model, figure) || (path && model_find(model, "path_facts") == NULL) || (equation && !is_equation(model)))
        return NULL;
    data = figure_table(env, model, figure, table);
    return data->rows > 0 && (figure != &lambda_figure || figure_lambda_errors(data) != NULL) ? data : NULL;
}

const char **pictures_of_model(Env *env, const Model *model, uint32_t *count, const char **left_out)
{
    const char **pictures = env_array(env, FIGURES, sizeof *pictures);
    const Options *options = options_parse(env, "plot", plot_options, NULL, 0, NULL, NULL, 0);

    *count = 0;
    *left_out = NULL;
    for (size_t i = 0; i < FIGURES; i++) {
        const PictureData *data = figure_for_page(env, model, figures[i]);

        if (data != NULL && figures[i] == &tree_figure && data->rows > NODES_MOST)
            *left_out = env_message(env, "The tree has %llu nodes, too many for this page; plot(model, 'tree') draws it.", (unsigned long long)data->rows);
        else if (data != NULL)
            pictures[(*count)++] = draw(env, figures[i], data, model, options);
    }
    return pictures;
}

/* ---- rows ---- */

/* Tells whether the data have all columns of a figure. */
static bool has_columns(const PictureData *data, const Figure *figure)
{
    for (uint32_t c = 0; figure->columns[c] != NULL; c++)
        if (figure == &tree_figure || picture_data_find(data, figure->columns[c]) == NULL)
            return false;
    return figure->columns[0] != NULL;
}

static const Figure *figure_of_rows(Env *env, const PictureData *data, const Options *options)
{
    const char *name = options_given(options, "figure") ? options_string(options, "figure") : NULL;
    const Figure *found = NULL;

    for (size_t i = 0; i < FIGURES; i++)
        if (name != NULL ? strcmp(name, figures[i]->name) == 0
                         : has_columns(data, figures[i]) && (found == NULL || figure_columns(figures[i]) > figure_columns(found)))
            found = figures[i];
    if (found == NULL && name != NULL)
        env_fail(env, ERROR_PARAMETER, "Pass the model before the rows: plot(model, row, options).", "figure %s is one of a model and rows", name);
    if (found == NULL)
        found = &rows_figure;
    if (found == &rows_figure && !(options_given(options, "x") && options_given(options, "y")))
        env_fail(env, ERROR_PARAMETER, "Name columns by options \"x\" and \"y\", or pass the rows of a function of pgfit as they are.", "plot does not know what these rows are");
    return found;
}

/* Returns the figure of a model and rows that options name, or that fits the model. */
static const Figure *figure_of_scorer(Env *env, const Scorer *scorer, const Options *options)
{
    const char *name = options_given(options, "figure") ? options_string(options, "figure") : NULL;
    TextBuffer names = {.env = env};

    for (size_t i = 0; i < JOINT_FIGURES; i++) {
        if (scorer->estimator->scoring == NULL || !joint_figures[i]->applies(scorer))
            continue;
        if (name == NULL || strcmp(name, joint_figures[i]->name) == 0)
            return joint_figures[i];
        text_print(&names, "%s%s", names.length > 0 ? ", " : "", joint_figures[i]->name);
    }
    env_fail(env, ERROR_KIND, env_message(env, names.length > 0 ? "Figures of this model and rows: %.60s." : "Draw the model alone, or rows with its scores as columns.%.0s", text_finish(&names, NULL)),
             name != NULL ? "a model of %.63s with rows has no figure \"%.63s\"" : "plot has no figure for a model of %.63s with rows%.0s", scorer->model->estimator,
             name != NULL ? name : "");
}

/* Tells whether an option that names a column, or several, names this one. */
static bool is_named(const Options *options, const char *column)
{
    static const char *const names[] = {"x", "y", "color", "label", "low", "high"};
    uint32_t count;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *const *list = options_strings(options, names[i], &count);

        for (uint32_t k = 0; k < count; k++)
            if (strcmp(list[k], column) == 0)
                return true;
    }
    return false;
}

/* Tells whether the figure of the rows reads a column: figures that are drawn alike may read each other's. */
static bool is_used(const PictureData *data, const Options *options, const char *column)
{
    if (is_named(options, column) || (data->scorer != NULL && figure_reads(data->env, data->scorer, column)))
        return true;
    for (size_t i = 0; i < FIGURES; i++)
        for (uint32_t c = 0; figures[i]->draw == data->figure->draw && figures[i]->columns[c] != NULL; c++)
            if (strcmp(figures[i]->columns[c], column) == 0)
                return true;
    return false;
}

PictureData *picture_rows(Env *env, const char *const *names, uint32_t count, const Scorer *scorer, const Options *options)
{
    static const char *const scored[] = {"prediction", "lower limit", "upper limit", "decision", "component 1", "component 2"};
    static const uint32_t first[] = {0, 0, 3, 4}, numbers[] = {0, 3, 1, 2}; /* by score */
    const char **all = env_array(env, (size_t)count + PICTURE_SCORES_MOST, sizeof *all);
    const Figure *figure = scorer != NULL ? figure_of_scorer(env, scorer, options) : NULL;
    PictureScore score = figure != NULL ? figure->score(scorer) : PICTURE_NO_SCORE;
    PictureData *data;

    for (uint32_t c = 0; c < count + numbers[score]; c++)
        all[c] = c < count ? names[c] : scored[first[score] + c - count];
    data = picture_data_new(env, all, count + numbers[score]);
    data->scorer = scorer;
    data->score = score;
    data->scored = count;
    data->figure = figure != NULL ? figure : figure_of_rows(env, data, options);
    for (uint32_t c = 0; c < count; c++)
        data->columns[c].unused = !is_used(data, options, names[c]);
    if (score == PICTURE_COMPONENTS || score == PICTURE_DECISION) {
        const Scoring *scoring = scorer->estimator->scoring;
        uint32_t width = score == PICTURE_COMPONENTS ? scoring_outputs(scoring, scorer->model) : scoring->width(scorer->model);
        data->room_of_scores = env_array(env, (size_t)width + 2, sizeof(double)); /* as long as the data: rows are scored in memory of their own */
    }
    return data;
}

void picture_score(PictureData *data, const double *slots)
{
    const Scorer *scorer = data->scorer;
    const Scoring *scoring = scorer->estimator->scoring;
    double *numbers = data->room_of_scores;

    if (data->score == PICTURE_COMPONENTS)
        scoring->transform(scorer->model, scorer->prepared, slots, numbers);
    else
        scoring_write_scores(scoring, scorer->model, scorer->prepared, slots, numbers);
    picture_data_number(data, data->scored, numbers[0]);
    if (data->score == PICTURE_COMPONENTS)
        picture_data_number(data, data->scored + 1, numbers[1]);
}

char *picture_of_rows(Env *env, const PictureData *data, const Options *options)
{
    return draw(env, data->figure, data, data->scorer != NULL ? data->scorer->model : NULL, options);
}
