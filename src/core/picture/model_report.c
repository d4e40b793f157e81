/*
 * model_report.c - reports about models: reads what `info` says, and what figures draw.
 */
#include "core/picture/model_report.h"
#include "core/picture/figures.h"
#include "core/picture/page.h"
#include "core/picture/picture.h"
#include "core/base/json.h"
#include "core/drift/feature_summary.h"
#include "core/inspection/model_info.h"
#include "core/plot/feature_ranges.h"
#include "core/prepare/pipeline.h"

#include <string.h>

#define MOST 40           /* features, levels and rows of tables */
#define FEW_ROWS 10       /* per coefficient: P. Peduzzi et al., J. Clin. Epidemiol. 49, 1996 */
#define COLLINEAR 30      /* D. A. Belsley, E. Kuh & R. E. Welsch, "Regression Diagnostics", 1980 */

typedef struct Report {
    Env *env;
    Page page;
    const Model *model, *last; /* last: that scores; of a pipeline the last stage */
    const Json *info, *of_last;
} Report;

static const Json *read_info(Env *env, const Model *model)
{
    const char *text = describe_info(env, model);

    return json_parse(env, text, strlen(text), ERROR_INTERNAL, "info");
}

/* Returns a string, or another value as it is written; bytes NULL: there is none. */
static PictureText written(Env *env, const Json *value)
{
    TextBuffer out = {.env = env};

    if (value == NULL || value->type == JSON_NULL)
        return (PictureText){NULL, 0};
    if (value->type == JSON_STRING)
        return (PictureText){value->text, value->length};
    json_canonical(&out, value);
    return picture_string(text_finish(&out, NULL));
}

/* Returns strings joined by commas, MOST at most. */
static PictureText joined(Env *env, const Json *list)
{
    TextBuffer out = {.env = env};
    uint32_t count = 0;

    for (const Json *item = json_first(list); item != NULL; item = json_next(list, item), count++) {
        PictureText text = item->type == JSON_NULL ? picture_string("NULL") : written(env, item->type == JSON_OBJECT ? json_get(item, "estimator") : item);

        if (count >= MOST)
            continue;
        text_add(&out, count > 0 ? ", " : "");
        text_bytes(&out, text.bytes, text.length);
    }
    if (count > MOST)
        text_print(&out, " and %u more", count - MOST);
    return picture_string(text_finish(&out, NULL));
}

static void add_fact(Report *report, const char *name, PictureText text)
{
    if (text.bytes != NULL && text.length > 0)
        page_fact(&report->page, name, text);
}

/* ---- what the model is ---- */

static void put_model(Report *report, const ReportInput *input)
{
    const Estimator *estimator = estimator_of(report->last);
    const Json *stages = json_get(report->info, "stages"), *classes = json_get(report->of_last, "classes");
    char number[TICK_TEXT], skipped[TICK_TEXT];

    page_section(&report->page, "Model");
    add_fact(report, "Method", scene_text(report->env, "%s%s%s", estimator->name, report->last->estimator[0] != '\0' ? ", " : "", task_name(estimator->task)));
    if (stages != NULL && report->model != report->last)
        add_fact(report, "Steps", joined(report->env, stages));
    for (uint32_t i = 0; i < input->origin_count; i++)
        add_fact(report, input->origin[i].name, picture_string(input->origin[i].value));
    add_fact(report, "Target", written(report->env, json_get(report->of_last, "target")));
    add_fact(report, "Formula", written(report->env, json_get(report->of_last, "formula")));
    if (classes != NULL)
        add_fact(report, "Classes", joined(report->env, classes));
    add_fact(report, "Training rows",
             scene_text(report->env, "%s used, %s skipped%s", number_text((double)report->last->rows, 15, number), number_text((double)report->model->skipped, 15, skipped),
                        report->last->flags & MODEL_WEIGHTED ? ", weighted" : ""));
    add_fact(report, "Iterations", written(report->env, json_get(report->of_last, "iterations")));
}

/* ---- its features ---- */

/* Returns the range that the model, or else the summary of its training rows, knows of a feature of numbers; bytes NULL: neither does. */
static PictureText range_of(Report *report, const PictureData *ranges, const RowSummary *summary, PictureText name)
{
    char low[TICK_TEXT], high[TICK_TEXT];

    for (uint32_t i = 0; summary != NULL && i < summary->count; i++) {
        const FeatureSummary *feature = &summary->features[i];

        if (!feature->levels && feature->used > 0 && picture_text_equal(picture_string(feature->name), name))
            return scene_text(report->env, "%s to %s", number_text(summary_edge(feature, 0), 4, low), number_text(summary_edge(feature, feature->used - 1), 4, high));
    }
    for (uint64_t i = 0; i < ranges->rows; i++) {
        if (!picture_text_equal(picture_text_of(&ranges->columns[0], i), name) || isnan(ranges->columns[1].numbers[i]))
            continue;
        return scene_text(report->env, "%s to %s (%s)", number_text(ranges->columns[1].numbers[i], 4, low), number_text(ranges->columns[2].numbers[i], 4, high),
                          figure_string(report->env, picture_text_of(&ranges->columns[4], i)));
    }
    return (PictureText){NULL, 0};
}

static const PictureData *read_ranges(Report *report)
{
    static const Figure columns = {.columns = {"feature", "low", "high", "typical", "source"}};

    return figure_table(report->env, report->model, &columns, &feature_range_table);
}

/* Adds the table of features. Returns whether a range is known. */
static bool put_features(Report *report)
{
    static const char *const names[] = {"feature", "kind", "values"};
    const Json *features = json_get(report->info, "features");
    const PictureData *ranges = read_ranges(report);
    const RowSummary *summary = model_has_summary(report->model) ? model_summary(report->env, report->model) : NULL;
    PictureData *data = picture_data_new(report->env, names, 3);
    bool known = false;

    for (const Json *feature = json_first(features); feature != NULL; feature = json_next(features, feature)) {
        const Json *levels = json_get(feature, "levels");
        PictureText values = levels != NULL ? joined(report->env, levels) : range_of(report, ranges, summary, written(report->env, json_get(feature, "name")));

        known = known || (levels == NULL && values.bytes != NULL);
        picture_data_row(data);
        picture_data_text(data, 0, written(report->env, json_get(feature, "name")));
        picture_data_text(data, 1, written(report->env, json_get(feature, "kind")));
        picture_data_text(data, 2, values);
    }
    page_section(&report->page, "Features");
    page_table(&report->page, data, MOST);
    if (data->rows > MOST)
        page_paragraph(&report->page, env_message(report->env, "The first %d of %llu features.", MOST, (unsigned long long)data->rows));
    return known;
}

/* ---- how good it is ---- */

static void put_metrics(Report *report, const ReportInput *input)
{
    page_section(&report->page, "Evaluation");
    page_paragraph(&report->page, input->evaluated != NULL ? input->evaluated : "This model was evaluated over no rows. The numbers of the fit below are over its training rows, and look better than new rows would.");
    for (uint32_t i = 0; i < input->metric_count; i++)
        add_fact(report, input->metrics[i].name, picture_string(input->metrics[i].value));
    for (uint32_t i = 0; i < input->picture_count; i++)
        if (input->pictures[i] != NULL)
            page_picture(&report->page, input->pictures[i]);
}

/* ---- what to beware of ---- */

/* Adds what the numbers of coefficients and rows say. */
static void put_doubts(Report *report, uint64_t coefficients)
{
    const Json *statistics = json_get(report->of_last, "statistics"), *condition = json_get(statistics, "condition_number"), *dropped = json_get(statistics, "dropped_terms");
    char number[TICK_TEXT];

    if (dropped != NULL && dropped->type == JSON_ARRAY && dropped->length > 0)
        page_item(&report->page, scene_text(report->env, "Terms that add no information were dropped: %s.", figure_string(report->env, joined(report->env, dropped))));
    if (condition != NULL && condition->type == JSON_NUMBER && json_number(report->env, condition) > COLLINEAR)
        page_item(&report->page, scene_text(report->env, "Terms are nearly collinear (condition number %s, above %d): single coefficients are uncertain, even where predictions are good.",
                                            number_text(json_number(report->env, condition), 3, number), COLLINEAR));
    if (coefficients > 0 && report->last->rows < FEW_ROWS * coefficients)
        page_item(&report->page, scene_text(report->env, "There are %llu coefficients for %llu rows, fewer than %d rows for each.", (unsigned long long)coefficients,
                                            (unsigned long long)report->last->rows, FEW_ROWS));
}

/* Adds what becomes of NULLs, of levels that are new, and of values far from the training rows. */
static void put_values(Report *report, bool ranges)
{
    const Json *options = json_get(report->info, "options"), *features = json_get(report->info, "features");
    const Json *unseen = options != NULL ? json_get(options, "unseen") : NULL;
    unsigned nulls = report->model->flags & MODEL_NULL_VALUES;
    uint32_t levels = 0, numbers = 0;

    for (const Json *feature = json_first(features); feature != NULL; feature = json_next(features, feature)) {
        levels += json_get(feature, "levels") != NULL;
        numbers += json_get(feature, "levels") == NULL;
    }
    if (nulls == MODEL_IMPUTE)
        page_item(&report->page, picture_string("NULLs are replaced by the means of the training rows, in the fit and in scores."));
    else if (nulls == 0)
        page_item(&report->page, picture_string("A row with a NULL among its features gets no score."));
    if (levels > 0 && unseen != NULL && (json_is(unseen, "reference") || json_is(unseen, "missing")))
        page_item(&report->page, scene_text(report->env, "A level that no training row had is scored as %s.", json_is(unseen, "reference") ? "the reference level" : "a missing value"));
    if (numbers > 0)
        page_item(&report->page, picture_string(ranges ? "Values outside of the ranges among the features are unlike the training rows; the model scores them without a warning."
                                                       : "The model does not keep the ranges of its features, and scores values unlike those of the training rows without a warning."));
}

static void put_caveats(Report *report, const ReportInput *input, uint64_t coefficients, bool ranges)
{
    const Json *converged = json_get(report->of_last, "converged");

    page_section(&report->page, "Caveats");
    if (converged != NULL && converged->type == JSON_FALSE)
        page_item(&report->page, picture_string("The fit stopped at its limit of iterations before it had converged."));
    if (report->model->skipped > 0)
        page_item(&report->page, scene_text(report->env, "%llu of %llu training rows were skipped, because a value that the model needs was NULL.",
                                            (unsigned long long)report->model->skipped, (unsigned long long)(report->model->skipped + report->last->rows)));
    put_doubts(report, coefficients);
    put_values(report, ranges);
    for (uint32_t i = 0; i < input->caveat_count; i++)
        page_item(&report->page, picture_string(input->caveats[i]));
}

/* ---- pictures and tables ---- */

static void put_pictures(Report *report)
{
    uint32_t count;
    const char *left_out, **pictures = pictures_of_model(report->env, report->last, &count, &left_out);

    if (count > 0 || left_out != NULL)
        page_section(&report->page, "Pictures");
    for (uint32_t i = 0; i < count; i++)
        page_picture(&report->page, pictures[i]);
    if (left_out != NULL)
        page_paragraph(&report->page, left_out);
}

static void put_table(Report *report, const char *heading, const PictureData *data)
{
    if (data == NULL || data->rows == 0)
        return;
    page_section(&report->page, heading);
    page_table(&report->page, data, MOST);
    if (data->rows > MOST)
        page_paragraph(&report->page, env_message(report->env, "The first %d of %llu rows.", MOST, (unsigned long long)data->rows));
}

char *report_of_model(Env *env, const Model *model, const ReportInput *input)
{
    Report report = {.env = env, .model = model, .last = pipeline_last(env, model)};
    const char *method = estimator_of(report.last)->name;
    const PictureData *coefficients = figure_for_page(env, report.last, &coefficients_figure);
    bool ranges;

    report.info = read_info(env, model);
    report.of_last = report.last == model ? report.info : read_info(env, report.last);
    report.page = page_begin(env, input->title != NULL ? input->title : method, env_message(env, "Report on a model of %s", method));
    put_model(&report, input);
    put_metrics(&report, input);
    ranges = put_features(&report);
    put_caveats(&report, input, coefficients != NULL ? coefficients->rows : 0, ranges);
    put_pictures(&report);
    put_table(&report, "Coefficients", coefficients);
    put_table(&report, "Importance", figure_for_page(env, report.last, &importance_figure));
    page_section(&report.page, "Summary of the fit");
    page_lines(&report.page, describe_summary(env, report.last));
    page_section(&report.page, "Version");
    page_fact(&report.page, "pgfit", picture_string(input->version));
    page_fact(&report.page, "Format", scene_text(env, "%u, %llu bytes", (unsigned)model->format, (unsigned long long)model->size));
    page_fact(&report.page, "Fingerprint", scene_text(env, "%016llx", (unsigned long long)model->fingerprint));
    return page_end(&report.page);
}
