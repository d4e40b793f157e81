/*
 * linear_path_tables.c - the tables of penalized linear models: the lambdas of a fit, and the coefficients at each.
 */
#include "core/estimator/table.h"
#include "core/linear_equations/linear_path_model.h"

/* ---- lambda_path: one row per lambda ---- */

static void *open_lambdas(Env *env, const Model *model, uint64_t *rows)
{
    *rows = linear_path_count(model);
    return NULL;
}

static bool lambda_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    LambdaLine line = linear_path_line(env, model, (uint32_t)i);

    cell_number(&cells[0], line.lambda);
    cell_integer(&cells[1], line.chosen);
    cell_integer(&cells[2], line.nonzero);
    cell_number(&cells[3], line.mean_error);
    cell_number(&cells[4], line.std_error);
    cell_number(&cells[5], line.pooled_error);
    if (line.folds > 0)
        cell_numbers(&cells[6], line.fold_errors, 0, line.folds);
    cell_number(&cells[7], line.criterion);
    cell_number(&cells[8], line.penalty);
    return true;
}

const Table lambda_path_table = {.name = "lambda_path",
                                 .columns = {{"lambda", CELL_NUMBER},
                                             {"chosen", CELL_BOOLEAN},
                                             {"nonzero", CELL_BIGINT},
                                             {"mean_error", CELL_NUMBER},
                                             {"std_error", CELL_NUMBER},
                                             {"pooled_error", CELL_NUMBER},
                                             {"fold_errors", CELL_NUMBERS},
                                             {"criterion", CELL_NUMBER},
                                             {"penalty", CELL_NUMBER}},
                                 .open = open_lambdas,
                                 .row = lambda_row};

/* ---- coefficient_path: for each lambda the intercept, then the terms ---- */

typedef struct PathReader {
    const double *lambdas, *coef, *intercepts; /* intercepts NULL: fitted without one */
    const LinearTerm *terms;
    const char **names;                        /* of the terms */
    uint32_t lines, first, columns;            /* lines of a lambda; intercepts among them; of coef */
} PathReader;

static void *open_path(Env *env, const Model *model, uint64_t *rows)
{
    PathReader *reader = env_array(env, 1, sizeof *reader);
    uint32_t lambdas, terms, length;

    linear_path_require(env, model);
    reader->terms = linear_terms(env, model, &terms);
    reader->names = linear_term_names(env, model, reader->terms, terms);
    reader->lambdas = model_f64(model, "path_lambda", &lambdas);
    reader->coef = model_f64(model, "path_coef", &length);
    reader->columns = model_find(model, "path_coef")->columns;
    reader->intercepts = model_f64(model, "path_intercept", &length);
    reader->first = reader->intercepts != NULL;
    reader->lines = reader->first + terms;
    *rows = (uint64_t)lambdas * reader->lines;
    return reader;
}

static bool path_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const PathReader *reader = data;
    uint64_t l = i / reader->lines;
    uint32_t line = (uint32_t)(i % reader->lines), term = line - reader->first;

    cell_number(&cells[0], reader->lambdas[l]);
    if (line < reader->first) {
        cell_string(&cells[1], "(intercept)");
        cell_number(&cells[2], reader->intercepts[l]);
    } else {
        cell_string(&cells[1], reader->names[term]);
        cell_number(&cells[2], reader->coef[l * reader->columns + reader->terms[term].column]);
    }
    return true;
}

static const Table coefficient_path = {
    .name = "coefficient_path",
    .columns = COEFFICIENT_PATH_COLUMNS,
    .open = open_path,
    .row = path_row};

const Table *const linear_path_tables[] = {&lambda_path_table, &coefficient_path, NULL};
