/*
 * figures_curves.c - figures of curves: how scores rank and how probabilities hold, survival, and how predictions change with a column.
 */
#include "core/picture/figures.h"

#include <stdlib.h>
#include <string.h>

/* Adds a curve of two columns. */
static Layer *put_curve(Panel *panel, Mark mark, int color, const char *name, const PictureData *data, const char *x, const char *y)
{
    const double *across = picture_data_column(data, x)->numbers, *up = picture_data_column(data, y)->numbers;
    Layer *layer = panel_layer(panel, mark, color, name);

    for (uint64_t i = 0; i < data->rows; i++)
        layer_add(layer, across[i], up[i]);
    return layer;
}

/* Adds the line from (0, 0) to (1, 1). */
static void put_diagonal(Panel *panel)
{
    Layer *rule = panel_layer(panel, MARK_RULES, COLOR_MUTED, NULL);

    rule->dashed = true;
    layer_add_span(rule, 0, 0, 1, 1);
}

/* Returns which curve each row is of, by the column of option "color"; without it, all rows are of one, which has no name. */
static PictureGroups curves_of(const Scene *scene, const PictureData *data)
{
    if (options_given(scene->options, "color"))
        return picture_groups_sorted(data, picture_data_column(data, options_string(scene->options, "color")));
    return (PictureGroups){.count = 1, .group = env_array(scene->env, data->rows + 1, sizeof(uint32_t))};
}

/* Fails if the rows of a curve do not go one way, as those of several curves do not. */
static void require_order(const PictureData *data, const double *numbers, const char *column, uint64_t last, uint64_t row)
{
    if (numbers[row] < numbers[last])
        env_fail(data->env, ERROR_PARAMETER, "If there are several curves, name the column that tells them apart: {\"color\": \"column\"}.",
                 "\"%s\" falls from %g to %g within one curve", column, numbers[last], numbers[row]);
}

/* ---- ROC ---- */

/* Marks the point of least cost, where option "cost" asks for one. */
static void put_operating_point(Scene *scene, Panel *panel, const PictureData *data)
{
    const double *fpr = picture_data_column(data, "fpr")->numbers, *tpr = picture_data_column(data, "tpr")->numbers, *threshold = picture_data_column(data, "threshold")->numbers;
    const double *negatives = picture_data_column(data, "false_positives")->numbers, *positives = picture_data_column(data, "true_positives")->numbers;
    double each = options_object_number(scene->options, "cost", "false_positive", 1), missed = options_object_number(scene->options, "cost", "false_negative", 1);
    uint64_t best = 0;
    MarkItem *item;
    Layer *point;

    if (!options_given(scene->options, "cost") || data->rows == 0)
        return;
    for (uint64_t i = 1; i < data->rows; i++) {
        env_poll_rows(scene->env, i);
        if (each * negatives[i] - missed * positives[i] < each * negatives[best] - missed * positives[best])
            best = i;
    }
    point = panel_layer(panel, MARK_POINTS, 1, "least cost");
    point->thick = true;
    item = layer_add(point, fpr[best], tpr[best]);
    if (item != NULL)
        item->text = scene_text(scene->env, "threshold %.6g", threshold[best]);
    scene_note(scene, "The least cost is at threshold %.4g: true positive rate %.3f, false positive rate %.3f.", threshold[best], tpr[best], fpr[best]);
}

/* Draws one ROC curve with its hull and, if asked for, the point of least cost. */
static void put_roc(Scene *scene, Panel *panel, const PictureData *data)
{
    const double *fpr = picture_data_column(data, "fpr")->numbers, *tpr = picture_data_column(data, "tpr")->numbers, *hull = picture_data_column(data, "on_hull")->numbers;
    Layer *corners;
    double area = 0;
    uint64_t on = 0;

    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(scene->env, i);
        on += hull[i] == 1;
    }
    corners = panel_layer(panel, MARK_LINE, 4, on < data->rows ? "convex hull" : NULL);
    corners->dashed = true;
    for (uint64_t i = 0; on < data->rows && i < data->rows; i++)
        if (hull[i] == 1)
            layer_add(corners, fpr[i], tpr[i]);
    put_curve(panel, MARK_LINE, 0, on < data->rows ? "ROC curve" : NULL, data, "fpr", "tpr")->thick = true;
    for (uint64_t i = 1; i < data->rows; i++) {
        env_poll_rows(scene->env, i);
        require_order(data, fpr, "fpr", i - 1, i);
        area += (fpr[i] - fpr[i - 1]) * (tpr[i] + tpr[i - 1]) / 2;
    }
    put_operating_point(scene, panel, data);
    scene_note(scene, "The area under the curve is %.3f.", area);
}

/* Draws several ROC curves, with their areas in the legend. */
static void put_rocs(Scene *scene, Panel *panel, const PictureData *data, const PictureGroups *curves)
{
    const double *fpr = picture_data_column(data, "fpr")->numbers, *tpr = picture_data_column(data, "tpr")->numbers;
    Layer **lines = env_array(scene->env, (size_t)curves->count + 1, sizeof(Layer *));
    uint64_t *last = env_array(scene->env, (size_t)curves->count + 1, sizeof(uint64_t)); /* the row before of each curve, plus 1; 0: none */
    double *area = env_array(scene->env, (size_t)curves->count + 1, sizeof(double));

    for (uint64_t i = 0; i < data->rows; i++) {
        uint32_t c = curves->group[i];
        uint64_t before = last[c] - 1;

        env_poll_rows(scene->env, i);
        if (last[c] > 0) {
            require_order(data, fpr, "fpr", before, i);
            area[c] += (fpr[i] - fpr[before]) * (tpr[i] + tpr[before]) / 2;
        }
        last[c] = i + 1;
    }
    for (uint32_t c = 0; c < curves->count; c++) {
        PictureText name = scene_text(scene->env, "%s, area %.3f", figure_string(scene->env, curves->names[c]), area[c]);

        lines[c] = panel_layer(panel, MARK_LINE, (int)c, figure_string(scene->env, name));
        lines[c]->thick = true;
    }
    for (uint64_t i = 0; i < data->rows; i++)
        layer_add(lines[curves->group[i]], fpr[i], tpr[i]);
}

static void draw_roc(Scene *scene, const PictureData *data, const Model *model)
{
    PictureGroups curves = curves_of(scene, data);
    Panel *panel = scene_panel(scene, NULL);

    put_diagonal(panel);
    panel->x.title = "false positive rate";
    panel->y.title = "true positive rate";
    if (curves.names != NULL)
        put_rocs(scene, panel, data, &curves);
    else
        put_roc(scene, panel, data);
    scene_say(scene, "The ROC curve of %llu thresholds.", (unsigned long long)data->rows);
}

const Figure roc_figure = {
    .name = "roc", .title = "ROC curve", .columns = {"threshold", "fpr", "tpr", "false_positives", "true_positives", "on_hull"}, .draw = draw_roc};

/* ---- precision and recall ---- */

static void draw_precision_recall(Scene *scene, const PictureData *data, const Model *model)
{
    const double *precision = picture_data_column(data, "precision")->numbers;
    Panel *panel = scene_panel(scene, NULL);

    put_curve(panel, MARK_LINE, 0, NULL, data, "recall", "precision")->thick = true;
    scale_include(&panel->x, 0);
    scale_include(&panel->x, 1);
    scale_include(&panel->y, 0);
    scale_include(&panel->y, 1);
    panel->x.title = "recall";
    panel->y.title = "precision";
    if (data->rows > 0) {
        figure_rule_y(panel, precision[data->rows - 1]);
        scene_note(scene, "The dashed line is the share of positive rows, %.3f.", precision[data->rows - 1]);
    }
    scene_say(scene, "Precision and recall at %llu thresholds.", (unsigned long long)data->rows);
}

const Figure precision_recall_figure = {.name = "precision_recall",
                                        .title = "Precision and recall",
                                        .columns = {"threshold", "precision", "recall", "false_positives", "true_positives"},
                                        .draw = draw_precision_recall};

/* ---- calibration ---- */

static void draw_calibration(Scene *scene, const PictureData *data, const Model *model)
{
    const double *lower = picture_data_column(data, "lower")->numbers, *upper = picture_data_column(data, "upper")->numbers, *rows = picture_data_column(data, "rows")->numbers;
    const double *predicted = picture_data_column(data, "mean_predicted")->numbers, *share = picture_data_column(data, "positive_share")->numbers;
    Panel *panel = scene_panel(scene, NULL), *below = scene_panel(scene, NULL);
    Layer *points, *bars = panel_layer(below, MARK_BARS, 0, NULL);

    put_diagonal(panel);
    put_curve(panel, MARK_LINE, 0, NULL, data, "mean_predicted", "positive_share");
    points = panel_layer(panel, MARK_POINTS, 0, NULL);
    bars->outlined = true;
    for (uint64_t i = 0; i < data->rows; i++) {
        MarkItem *item = layer_add(points, predicted[i], share[i]);

        if (item != NULL)
            item->text = scene_text(scene->env, "%.3f predicted, %.3f positive, %.0f rows", predicted[i], share[i], rows[i]);
        layer_add_span(bars, lower[i], 0, upper[i], rows[i]);
    }
    panel->x.title = below->x.title = "predicted probability";
    panel->y.title = "share of positive rows";
    below->y.title = "rows";
    below->y.whole = true;
    scale_root(&below->y);
    scale_include(&below->x, 0);
    scale_include(&below->x, 1);
    scene->columns = 2;
    scene_say(scene, "Predicted probabilities beside the share of positive rows in %llu bins, and the rows of each bin.", (unsigned long long)data->rows);
}

const Figure calibration_figure = {.name = "calibration",
                                   .title = "Calibration",
                                   .columns = {"lower", "upper", "rows", "weight", "mean_predicted", "positive_share"},
                                   .draw = draw_calibration};

/* ---- gain ---- */

static void draw_gain(Scene *scene, const PictureData *data, const Model *model)
{
    Panel *panel = scene_panel(scene, NULL);
    const double *share = picture_data_column(data, "share")->numbers, *gain = picture_data_column(data, "gain")->numbers;
    Layer *line, *points;

    put_diagonal(panel);
    line = panel_layer(panel, MARK_LINE, 0, NULL);
    points = panel_layer(panel, MARK_POINTS, 0, NULL);
    layer_add(line, 0, 0);
    for (uint64_t i = 0; i < data->rows; i++) {
        layer_add(line, share[i], gain[i]);
        layer_add(points, share[i], gain[i]);
    }
    panel->x.title = "share of the rows, the highest scores first";
    panel->y.title = "share of the positive rows";
    scene_say(scene, "The share of the positive rows among the highest scores, for %llu bins.", (unsigned long long)data->rows);
}

const Figure gain_figure = {
    .name = "gain", .title = "Gain", .columns = {"bin", "threshold", "rows", "weight", "positive_share", "share", "gain", "lift"}, .draw = draw_gain};

/* ---- survival ---- */

static void draw_survival(Scene *scene, const PictureData *data, const Model *model)
{
    const double *time = picture_data_column(data, "time")->numbers, *survival = picture_data_column(data, "survival")->numbers;
    const double *low = picture_data_column(data, "conf_low")->numbers, *high = picture_data_column(data, "conf_high")->numbers;
    PictureGroups curves = curves_of(scene, data);
    Panel *panel = scene_panel(scene, NULL);
    Layer **bands = env_array(scene->env, (size_t)curves.count + 1, sizeof(Layer *)), **steps = env_array(scene->env, (size_t)curves.count + 1, sizeof(Layer *));
    uint64_t *last = env_array(scene->env, (size_t)curves.count + 1, sizeof(uint64_t)); /* the row before of each curve, plus 1; 0: none */

    for (uint32_t c = 0; c < curves.count; c++)
        bands[c] = panel_layer(panel, MARK_AREA, (int)c, NULL);
    for (uint32_t c = 0; c < curves.count; c++) {
        steps[c] = panel_layer(panel, MARK_STEPS, (int)c, curves.names != NULL ? figure_string(scene->env, curves.names[c]) : NULL);
        steps[c]->thick = true;
        layer_add(steps[c], 0, 1);
    }
    for (uint64_t i = 0; i < data->rows; i++) {
        uint32_t c = curves.group[i];

        if (last[c] > 0) { /* the band has steps, too */
            require_order(data, time, "time", last[c] - 1, i);
            layer_add_span(bands[c], time[i], low[last[c] - 1], time[i], high[last[c] - 1]);
        }
        layer_add_span(bands[c], time[i], low[i], time[i], high[i]);
        layer_add(steps[c], time[i], survival[i]);
        last[c] = i + 1;
    }
    scale_include(&panel->y, 0);
    panel->x.title = "time";
    panel->y.title = "share that survives";
    scene_say(scene, "The Kaplan-Meier estimate at %llu times, with its confidence limits.", (unsigned long long)data->rows);
}

const Figure survival_figure = {.name = "survival",
                                .title = "Survival",
                                .columns = {"time", "at_risk", "events", "censored", "survival", "std_error", "conf_low", "conf_high"},
                                .draw = draw_survival};

/* ---- how predictions change with a column ---- */

/* Draws levels as bands, with a point per class. */
static void put_levels(Scene *scene, Panel *panel, const PictureData *data, const PictureGroups *classes, const char *estimate)
{
    const PictureColumn *numbers = picture_data_column(data, estimate);
    PictureGroups levels = picture_groups(data, picture_data_column(data, "level"));

    scale_bands(&panel->y, levels.names, levels.count);
    panel->x.title = estimate;
    scene_room(scene, levels.count);
    for (uint32_t class = 0; class < classes->count; class++) {
        Layer *points = panel_layer(panel, MARK_POINTS, (int)class, classes->count > 1 ? figure_string(scene->env, classes->names[class]) : NULL);

        for (uint64_t i = 0; i < data->rows; i++) {
            MarkItem *item = classes->group[i] == class ? layer_add(points, numbers->numbers[i], levels.group[i]) : NULL;

            if (item != NULL)
                item->text = scene_text(scene->env, "%s: %.4g", figure_string(scene->env, levels.names[levels.group[i]]), numbers->numbers[i]);
        }
    }
}

/* Adds the mean of the lines of all rows, which have the same places. */
static void put_mean(Panel *panel, const PictureData *data, const PictureGroups *rows, const double *value, const double *numbers)
{
    uint64_t places = data->rows / rows->count, *seen = env_array(data->env, rows->count, sizeof(uint64_t));
    double *sum = env_array(data->env, places + 1, sizeof(double)), *count = env_array(data->env, places + 1, sizeof(double)), *at = env_array(data->env, places + 1, sizeof(double));
    Layer *mean = panel_layer(panel, MARK_LINE, 0, "mean");

    mean->thick = true;
    for (uint64_t i = 0; i < data->rows; i++) {
        uint64_t place = seen[rows->group[i]]++;

        env_poll_rows(data->env, i);
        if (place < places && !isnan(numbers[i])) {
            sum[place] += numbers[i];
            count[place]++;
            at[place] = value[i];
        }
    }
    for (uint64_t p = 0; p < places; p++)
        layer_add(mean, at[p], sum[p] / count[p]);
}

/* Draws a line per class, or a faint one per row where rows have ids. */
static void put_values(Scene *scene, Panel *panel, const PictureData *data, const PictureGroups *classes, const char *estimate)
{
    const PictureColumn *id = picture_data_find(data, "id");
    PictureGroups rows = {0};
    const double *value = picture_data_column(data, "value")->numbers, *numbers = picture_data_column(data, estimate)->numbers;
    uint32_t lines = classes->count, *line = classes->group;
    bool each = id != NULL && id->texts != NULL;
    Layer **layers;

    if (each) {
        rows = picture_groups(data, id);
        line = picture_pairs(data, &rows, classes, &lines);
    }
    layers = env_array(scene->env, (size_t)lines + 1, sizeof(Layer *));
    for (uint64_t i = 0; i < data->rows; i++) {
        uint32_t class = classes->group[i], place = line[i];

        if (layers[place] == NULL)
            layers[place] = panel_layer(panel, MARK_LINE, each && classes->count == 1 ? COLOR_MUTED : (int)class,
                                        classes->count > 1 && (!each || rows.group[i] == 0) ? figure_string(scene->env, classes->names[class]) : NULL);
        layers[place]->faint = each;
        layer_add(layers[place], value[i], numbers[i]);
    }
    panel->x.title = figure_title(scene, "x", "value");
    panel->y.title = figure_title(scene, "y", estimate);
    if (each && classes->count == 1)
        put_mean(panel, data, &rows, value, numbers);
    if (each)
        scene_say(scene, "One line for each of %u rows.", rows.count);
}

/* Returns the values of a column as groups, numbers in few digits. */
static PictureGroups grid_groups(const PictureData *data, const char *level, const char *value)
{
    const PictureColumn *levels = picture_data_column(data, level);
    PictureGroups groups = picture_groups(data, levels->texts != NULL ? levels : picture_data_column(data, value));
    char number[TICK_TEXT];

    for (uint32_t i = 0; levels->texts == NULL && i < groups.count; i++) {
        env_poll_rows(data->env, i);
        groups.names[i] = scene_text(data->env, "%s", number_text(atof(figure_string(data->env, groups.names[i])), 4, number));
    }
    return groups;
}

/* Draws what depends on two columns as colored cells. */
static void put_surface(Scene *scene, Panel *panel, const PictureData *data)
{
    const PictureColumn *estimate = picture_data_column(data, "estimate");
    PictureGroups across = grid_groups(data, "level", "value"), up = grid_groups(data, "by_level", "by_value");
    PictureText *turned = env_array(data->env, up.count + 1, sizeof(PictureText));
    Layer *cells = panel_layer(panel, MARK_BARS, 0, NULL);
    double low = INFINITY, high = -INFINITY;

    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(scene->env, i);
        low = fmin(low, estimate->numbers[i]);
        high = fmax(high, estimate->numbers[i]);
    }
    for (uint32_t i = 0; i < up.count; i++) /* from below */
        turned[up.count - 1 - i] = up.names[i];
    scale_bands(&panel->x, across.names, across.count);
    scale_bands(&panel->y, turned, up.count);
    panel->x.title = figure_title(scene, "x", NULL);
    panel->y.title = figure_title(scene, "y", NULL);
    for (uint64_t i = 0; i < data->rows; i++) {
        MarkItem *item = isnan(estimate->numbers[i]) ? NULL : layer_add_span(cells, across.group[i] - 0.5, up.count - up.group[i] - 1.5, across.group[i] + 0.5, up.count - up.group[i] - 0.5);

        if (item == NULL)
            continue;
        item->shade = high > low ? 0.08 + 0.92 * (estimate->numbers[i] - low) / (high - low) : 0.5;
        item->text = scene_text(scene->env, "%.4g", estimate->numbers[i]);
    }
    scene_note(scene, "The stronger the color, the higher: from %.4g to %.4g.", low, high);
}

static void draw_effects(Scene *scene, const PictureData *data, const Model *model)
{
    bool effects = picture_data_find(data, "effect") != NULL;
    const char *estimate = effects ? "effect" : "estimate";
    PictureGroups classes = picture_groups(data, picture_data_column(data, "class"));
    Panel *panel = scene_panel(scene, NULL);
    bool two = data->rows > 0 && !effects &&
               (picture_data_column(data, "by_level")->texts != NULL || !isnan(picture_data_column(data, "by_value")->numbers[0]));

    if (two && classes.count > 1)
        env_fail(scene->env, ERROR_PARAMETER, "Set option \"class\" of partial_dependence.", "plot draws two columns of one class, not of %u", classes.count);
    if (two)
        put_surface(scene, panel, data);
    else if (picture_data_column(data, "level")->texts != NULL)
        put_levels(scene, panel, data, &classes, estimate);
    else
        put_values(scene, panel, data, &classes, estimate);
    if (effects && !two && panel->y.kind != SCALE_BANDS)
        figure_rule_y(panel, 0);
    scene_say(scene, "What the model says on average with a column at each of its values.");
}

const Figure dependence_figure = {.name = "partial_dependence",
                                  .title = "Partial dependence",
                                  .columns = {"id", "value", "level", "by_value", "by_level", "class", "estimate"},
                                  .draw = draw_effects};
const Figure effects_figure = {
    .name = "accumulated_effects", .title = "Accumulated local effects", .columns = {"value", "level", "class", "effect"}, .draw = draw_effects};
