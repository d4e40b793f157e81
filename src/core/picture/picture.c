/*
 * picture.c - finds the figure for a model or for rows, and draws it.
 */
#include "core/picture/picture.h"
#include "core/picture/figures.h"
#include "core/inspection/model_tables.h"
#include "core/kernel_methods/kernel_model.h"

#include <string.h>

/* In the order in which a model that was given without a figure is tried. */
static const Figure *const figures[] = {
    &dendrogram_figure,  &tree_figure,       &importance_figure,      &elbow_figure,       &scree_figure,   &coefficients_figure, &path_figure,
    &lambda_figure,      &loadings_figure,   &permutation_figure,     &explain_figure,     &drift_figure,   &roc_figure,          &precision_recall_figure,
    &calibration_figure, &gain_figure,       &survival_figure,        &dependence_figure,  &effects_figure, &confusion_figure,    &scores_figure,
    &silhouette_figure,  &residuals_figure,  &decision_figure,        &ellipses_figure,    &voronoi_figure, &rows_figure};
#define FIGURES (sizeof(figures) / sizeof(figures[0]))

static const char *const names_of_rows[] = {
    "accumulated_effects", "calibration", "coefficients", "confusion", "decision", "dendrogram", "drift", "elbow", "ellipses", "explain", "gain", "importance",
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
    {.name = "y", .types = OPTION_STRING | OPTION_STRING_LIST, .unset = "none", .help = "Of rows: the column along the y axis, or several."},
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

/* Copies a cell, which is valid until the next row, to the last row of the data. */
static void take_cell(PictureData *data, uint32_t column, const Cell *cell)
{
    Env *env = data->env;
    double *numbers;

    switch (cell->kind) {
    case CELL_NULL:
        break;
    case CELL_INTEGER:
        picture_data_number(data, column, (double)cell->integer);
        break;
    case CELL_NUMBER:
        picture_data_number(data, column, cell->number);
        break;
    case CELL_TEXT:
        picture_data_copy(data, column, cell->text.bytes, cell->text.length);
        break;
    case CELL_NUMBERS:
        numbers = env_array_raw(env, (size_t)cell->numbers.columns + 1, sizeof(double));
        for (uint32_t i = 0; i < cell->numbers.columns; i++)
            numbers[i] = cell->numbers.data[i];
        picture_data_list(data, column, (PictureList){numbers, cell->numbers.columns});
        break;
    }
}

static uint32_t column_count(const Figure *figure)
{
    uint32_t count = 0;

    while (figure->columns[count] != NULL)
        count++;
    return count;
}

PictureData *figure_table(Env *env, const Model *model, const Figure *figure, const Table *table)
{
    uint32_t count = column_count(figure);
    PictureData *data = picture_data_new(env, figure->columns, count);
    Cell cells[TABLE_MAX_COLUMNS];
    uint64_t rows;
    void *reader = table->open(env, model, &rows);

    for (uint64_t i = 0; i < rows; i++) {
        env_poll_every(env, i, 1024);
        for (uint32_t c = 0; c < TABLE_MAX_COLUMNS; c++)
            cells[c].kind = CELL_NULL;
        if (!table->row(env, model, reader, i, cells))
            continue;
        picture_data_row(data);
        for (uint32_t c = 0; c < count && c < TABLE_MAX_COLUMNS; c++)
            take_cell(data, c, &cells[c]);
    }
    return data;
}

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
    bool path = figure == &path_figure || figure == &lambda_figure, errors = figure != &lambda_figure, equation = figure == &coefficients_figure;
    const PictureData *data;

    if (table == NULL || table->open == NULL || !is_natural(model, figure) || (path && model_find(model, "path_facts") == NULL) || (equation && !is_equation(model)))
        return NULL;
    data = figure_table(env, model, figure, table);
    for (uint64_t i = 0; i < data->rows && !errors; i++)
        errors = !isnan(picture_data_column(data, "mean_error")->numbers[i]);
    return data->rows > 0 && errors ? data : NULL;
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
                         : has_columns(data, figures[i]) && (found == NULL || column_count(figures[i]) > column_count(found)))
            found = figures[i];
    if (found == NULL)
        found = &rows_figure;
    if (found == &rows_figure && !(options_given(options, "x") && options_given(options, "y")))
        env_fail(env, ERROR_PARAMETER, "Name columns by options \"x\" and \"y\", or pass the rows of a function of pgfit as they are.", "plot does not know what these rows are");
    return found;
}

char *picture_of_rows(Env *env, const PictureData *data, const Options *options)
{
    return draw(env, figure_of_rows(env, data, options), data, NULL, options);
}
