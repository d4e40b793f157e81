/*
 * exchange.c - the formats, and what surrounds the reader or writer of one: its choice, the names that the user gives, the check of
 * what comes in.
 */
#include "core/exchange/exchange.h"
#include "core/estimator/classifier_output.h"
#include "core/exchange/lightgbm.h"
#include "core/exchange/onnx.h"
#include "core/exchange/pmml.h"
#include "core/exchange/python.h"
#include "core/exchange/xgboost.h"
#include "core/formula/formula_model.h"

#include <string.h>

/* ---- SQL ---- */

/* Fails unless a model has an SQL expression; returns its estimator. */
static const Estimator *require_sql(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    if (model->kind != MODEL_FITTED)
        env_fail(env, ERROR_KIND, "Fit a model from them first.", "moments cannot be written as an SQL expression");
    if (estimator == NULL || estimator->to_sql == NULL)
        env_fail(env, ERROR_KIND, NULL, "a model of %.31s cannot be written as an SQL expression", model->estimator);
    if (classifier_output_any(model))
        env_fail(env, ERROR_KIND, "Apply to_sql to the model without them; it writes the scores.",
                 "a calibration or a decision rule cannot be written as an SQL expression");
    return estimator;
}

char *model_sql(Env *env, const Model *model)
{
    const Estimator *estimator = require_sql(env, model);
    Env own = *env;
    TextBuffer out = {.env = env};
    char *offset, *sql;

    own.sql_columns = formula_model_sql(env, model, &offset); /* the terms of its formula in place of columns */
    if (scoring_takes_offset(estimator->scoring))
        own.sql_offset = offset;
    sql = estimator->to_sql(&own, model);
    if (offset == NULL || own.sql_offset != NULL)
        return sql;
    text_print(&out, "%s\n  + %s", sql, offset);
    return text_finish(&out, NULL);
}

static void write_sql(Env *env, const Model *model, TextBuffer *out)
{
    text_add(out, model_sql(env, model));
}

static const ExportFormat export_sql = {.name = "sql", .write = write_sql};

/* ---- the formats ---- */

static const ImportFormat *const import_formats[] = {&import_onnx, &import_pmml, &import_lightgbm, &import_xgboost, NULL};
static const ExportFormat *const export_formats[] = {&export_sql, &export_xgboost, &export_python, &export_onnx, &export_pmml, NULL};

/* ---- in ---- */

static const ImportFormat *import_format(Env *env, const uint8_t *bytes, size_t length, const char *name)
{
    TextBuffer known = {.env = env};

    for (const ImportFormat *const *f = import_formats; *f != NULL; f++) {
        if (name != NULL ? strcmp(name, (*f)->name) == 0 : (*f)->recognize(bytes, length))
            return *f;
        text_print(&known, "%s%s", known.length > 0 ? ", " : "", (*f)->name);
    }
    if (name != NULL)
        env_fail(env, ERROR_PARAMETER, env_message(env, "Formats are %s.", text_finish(&known, NULL)), "import_model knows no format \"%s\"", name);
    env_fail(env, ERROR_DATA, env_message(env, "Formats are %s.", text_finish(&known, NULL)),
             "import_model does not recognize the format of this document of %zu bytes", length);
}

Model *model_import(Env *env, const uint8_t *bytes, size_t length, const char *format, const ImportNames *names)
{
    const ImportFormat *read = import_format(env, bytes, length, format);
    Model *model = read->read(env, bytes, length, names);
    const char *wrong = model_check(env, model, model->size);

    if (wrong == NULL)
        wrong = model_accept(env, model);
    if (wrong != NULL)
        env_fail(env, ERROR_DATA, NULL, "the %s document makes no sound model: %s", read->name, wrong);
    return model;
}

/* ---- out ---- */

char *model_export(Env *env, const Model *model, const char *format, bool binary, size_t *length)
{
    TextBuffer known = {.env = env}, out = {.env = env};

    for (const ExportFormat *const *f = export_formats; *f != NULL; f++) {
        if ((*f)->binary == binary && strcmp((*f)->name, format) == 0) {
            (*f)->write(env, model, &out);
            return text_finish(&out, length);
        }
        if ((*f)->binary == binary)
            text_print(&known, "%s%s", known.length > 0 ? ", " : "", (*f)->name);
    }
    env_fail(env, ERROR_PARAMETER, env_message(env, "Formats are %s.", text_finish(&known, NULL)), "export_model knows no format \"%s\"", format);
}
