/*
 * penalty_path.c - keeps and checks the solutions at many lambdas.
 */
#include "core/linear_equations/penalty_path.h"

#include <string.h>

#define ABOVE_ROUNDING (1 + 1e-12) /* times the first lambda of a path, at which rounding is to bring in no coefficient */

const ArraySpec penalty_path_arrays[4] = {
    PATH_ARRAY("path_coef", ARRAY_WITH, "path_lambda", .columns = {SIZE_FREE}),
    PATH_ARRAY("path_facts", ARRAY_WITH, "path_lambda", .columns = {SIZE_NUMBER, .plus = PENALTY_PATH_FACTS}),
    {.name = "path_lambda", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_POSITIVE, .rows = {SIZE_LAMBDAS, .defines = true}},
    PATH_ARRAY("path_offset", ARRAY_OPTIONAL, "path_lambda", .columns = {SIZE_EQUATIONS})};

const char *penalty_path_check(Env *env, const Model *model)
{
    const ModelEntry *path = model_find(model, "path_coef"), *coef = model_find(model, "coef");
    uint32_t equations, width;

    if (path == NULL)
        return NULL;
    equations = coef->dimensions == 2 ? coef->rows : 1;
    width = coef->dimensions == 2 ? coef->columns : coef->rows;
    if (path->columns != (uint64_t)equations * width)
        return env_message(env, "\"path_coef\" of %.31s has %u columns, not %u for each of %u equations", model->estimator,
                           path->columns, width, equations);
    if ((model_find(model, "path_offset") != NULL) != (model_find(model, "center") != NULL))
        return env_message(env, "%.31s has intercepts of a path without those of its equations, or the reverse", model->estimator);
    return path_nonzero_check(env, model, path->columns);
}

PenaltyPath penalty_path_begin(const PenaltyPlan *plan, double greatest, const LinearEquations *out)
{
    Env *env = out->env;
    PenaltyPath path = {.width = (size_t)out->equations * (out->slots + out->levels), .greatest = greatest * ABOVE_ROUNDING};

    /* without a slope any lambda gives the same fit */
    path.lambdas = lambda_grid(env, &plan->path, greatest > 0 ? path.greatest : 1, &path.count);
    path.chosen = path.lambdas[path.count - 1];
    env_require_memory(env, path.count * path.width * sizeof(double), "the coefficients of a path");
    path.coef = env_array(env, path.count, (path.width + 1) * sizeof(double));
    path.offset = env_array(env, path.count, out->equations * sizeof(double));
    path.nonzero = env_array(env, path.count, sizeof(double));
    path.facts = env_array(env, path.count, PENALTY_PATH_FACTS * sizeof(double));
    return path;
}

void penalty_path_keep(PenaltyPath *path, uint32_t lambda, const LinearEquations *out, int64_t nonzero, double loss, double penalty, double objective)
{
    double *facts = path->facts + (size_t)lambda * PENALTY_PATH_FACTS;

    memcpy(path->coef + lambda * path->width, out->coef, path->width * sizeof(double));
    if (out->offset != NULL)
        memcpy(path->offset + (size_t)lambda * out->equations, out->offset, out->equations * sizeof(double));
    path->nonzero[lambda] = (double)nonzero;
    facts[0] = loss;
    facts[PATH_PENALTY] = penalty;
    facts[2] = objective;
}

void penalty_path_choose(PenaltyPath *path, LambdaRule rule, PathFolds folds)
{
    path->folds = folds;
    path->chosen = rule == LAMBDA_ONE_SE ? folds.one_se : folds.minimum;
}

void penalty_path_warn(Env *env, uint32_t unconverged)
{
    if (unconverged > 0)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".", "%u fits of the path stopped before they converged", unconverged);
}

void penalty_path_add(const PenaltyPath *path, const LinearEquations *out, ModelBuilder *builder)
{
    if (path->count == 0)
        return;
    builder_fact(builder, "lambda", path->chosen);
    if (path->greatest > 0)
        builder_fact(builder, "lambda_max", path->greatest);
    builder_f64(builder, SECTION_ARRAYS, "path_lambda", path->lambdas, path->count);
    builder_f64(builder, SECTION_ARRAYS, "path_nonzero", path->nonzero, path->count);
    builder_f64_matrix(builder, SECTION_ARRAYS, "path_coef", path->coef, path->count, (uint32_t)path->width);
    if (out->offset != NULL)
        builder_f64_matrix(builder, SECTION_ARRAYS, "path_offset", path->offset, path->count, out->equations);
    builder_f64_matrix(builder, SECTION_ARRAYS, "path_facts", path->facts, path->count, PENALTY_PATH_FACTS);
    path_folds_add(builder, &path->folds, path->count);
}
