/*
 * logistic_path_model.c - the path that a logistic model keeps: its coefficients as a table, and the model of one lambda.
 */
#include "core/estimator/table.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/logistic/logistic_path.h"

#include <string.h>

/* A path as stored. */
typedef struct StoredPath {
    const double *lambdas, *coef, *offsets, *facts, *center; /* offsets and center NULL: without an intercept */
    uint32_t count, equations, columns, slots;
} StoredPath;

static StoredPath stored_path(Env *env, const Model *model)
{
    StoredPath path = {.slots = model->slot_count};
    const ModelEntry *coef = model_find(model, "coef");
    uint32_t length;

    linear_path_require(env, model);
    path.lambdas = model_f64(model, "path_lambda", &path.count);
    path.coef = model_f64(model, "path_coef", &length);
    path.offsets = model_f64(model, "path_offset", &length);
    path.facts = model_f64(model, "path_facts", &length);
    path.center = model_f64(model, "center", &length);
    path.equations = coef->dimensions == 2 ? coef->rows : 1;
    path.columns = coef->dimensions == 2 ? coef->columns : coef->rows;
    return path;
}

/* ---- coefficient_path: for each lambda and class the intercept, then the terms ---- */

typedef struct PathReader {
    StoredPath path;
    const LinearTerm *terms;
    const char **names;    /* of the terms */
    char **classes;        /* [equations]; NULL: one equation */
    uint32_t first, lines; /* intercepts of an equation, and all its lines */
} PathReader;

static void *open_path(Env *env, const Model *model, uint64_t *rows)
{
    PathReader *reader = env_array(env, 1, sizeof *reader);
    uint32_t terms;

    reader->path = stored_path(env, model);
    reader->terms = linear_terms(env, model, &terms);
    reader->names = linear_term_names(env, model, reader->terms, terms);
    reader->first = reader->path.offsets != NULL;
    reader->lines = reader->first + terms;
    if (reader->path.equations > 1)
        reader->classes = env_array(env, reader->path.equations, sizeof(char *));
    for (uint32_t e = 0; reader->classes != NULL && e < reader->path.equations; e++)
        reader->classes[e] = class_string(env, model, e);
    *rows = (uint64_t)reader->path.count * reader->path.equations * reader->lines;
    return reader;
}

static bool path_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const PathReader *reader = data;
    const StoredPath *path = &reader->path;
    uint64_t equation = i / reader->lines; /* counted over all lambdas */
    uint32_t line = (uint32_t)(i % reader->lines), term = line - reader->first;
    const double *coef = path->coef + equation * path->columns;

    cell_number(&cells[0], path->lambdas[equation / path->equations]);
    cell_string(&cells[1], line < reader->first ? "(intercept)" : reader->names[term]);
    cell_number(&cells[2], line < reader->first ? linear_intercept(path->offsets[equation], path->center, coef, path->slots)
                                                : coef[reader->terms[term].column]);
    if (reader->classes != NULL)
        cell_string(&cells[3], reader->classes[equation % path->equations]);
    return true;
}

const Table logistic_coefficient_path = {
    .name = "coefficient_path", .columns = COEFFICIENT_PATH_COLUMNS, .open = open_path, .row = path_row};

/* ---- the model of one lambda ---- */

/* Tells whether the model of one lambda has this entry as it is. */
static bool stays(const ModelEntry *entry)
{
    static const char *const gone[] = {"coef", "intercept", "offset", "cv_error", "cv_fold", "cv_weight", "path_coef", "path_facts",
                                       "path_lambda", "path_nonzero", "path_offset"};

    if (entry->section == SECTION_FACTS)
        return strcmp(entry->name, "null_deviance") == 0 || strcmp(entry->name, "parameters") == 0;
    for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]) && entry->section == SECTION_ARRAYS; i++)
        if (strcmp(entry->name, gone[i]) == 0)
            return false;
    return entry->section != SECTION_OPTIONS;
}

Model *logistic_path_at(Env *env, const Model *model, double lambda)
{
    uint32_t at = path_find_lambda(env, model, lambda);
    StoredPath path = stored_path(env, model);
    ModelBuilder *builder = builder_from(env, model, stays);
    const double *coef = path.coef + (size_t)at * path.equations * path.columns;
    const double *offsets = path.offsets != NULL ? path.offsets + (size_t)at * path.equations : NULL;
    const double *facts = path.facts + (size_t)at * LOGISTIC_PATH_FACTS;
    double *intercepts = env_array(env, path.equations, sizeof(double));
    size_t size;
    char *json = path_options_of_one(env, model, path.lambdas[at], &size);
    uint32_t nonzero = 0;

    builder_options(builder, json, (uint32_t)size);
    for (size_t i = 0; i < (size_t)path.equations * path.columns; i++)
        nonzero += coef[i] != 0;
    builder_fact(builder, "log_likelihood", -facts[0]);
    builder_fact(builder, "objective", facts[2]);
    builder_fact(builder, "penalty", facts[PATH_PENALTY]);
    builder_fact_i64(builder, "nonzero", nonzero);
    if (path.equations > 1)
        builder_f64_matrix(builder, SECTION_ARRAYS, "coef", coef, path.equations, path.columns);
    else
        builder_f64(builder, SECTION_ARRAYS, "coef", coef, path.columns);
    for (uint32_t e = 0; e < path.equations && path.offsets != NULL; e++)
        intercepts[e] = linear_intercept(offsets[e], path.center, coef + (size_t)e * path.columns, path.slots);
    if (path.offsets != NULL) {
        builder_f64(builder, SECTION_ARRAYS, "intercept", intercepts, path.equations);
        builder_f64(builder, SECTION_ARRAYS, "offset", offsets, path.equations);
    }
    return model_require_readable(env, model_build(builder));
}
