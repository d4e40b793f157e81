/*
 * linear_path.c - penalized fits over a path of lambdas: walking it, choosing a lambda, building the model.
 */
#include "core/estimator/shared_options.h"
#include "core/linear/linear_path.h"
#include "core/base/all_finite.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A path while it is computed; arrays have one row per lambda. */
typedef struct Path {
    Env *env;
    LambdaPlan plan;
    uint32_t count, slots, columns;
    double *lambdas, *nonzero, *facts, *criterion, *intercepts;
    double *coef; /* [count x columns]; NULL: not kept */
    PathFolds folds;
    uint32_t unconverged;   /* lambdas that did not converge */
    double widest;          /* the largest of their duality gaps, as a share of the target's sum of squares */
} Path;

void path_reset(LinearFit *fit)
{
    Env *env = fit->env;

    if (fit->covariance != NULL)
        env->release(env, fit->covariance);
    fit->covariance = NULL;
    memset(fit->coef, 0, fit->design->terms * sizeof(double));
    memset(fit->dropped, 0, fit->design->terms);
    fit->kept = fit->design->terms;
}

void path_least_squares(PathSolver *solver)
{
    path_reset(solver->fit);
    linear_least_squares(solver->fit);
    solver->df = solver->fit->df_model;
}

double path_loss_weight(const LinearFit *fit, const Options *options)
{
    return options_is(options, "reduction", "mean") ? fit->design->weight : 1;
}

double *path_scales(const LinearFit *fit, const Options *options)
{
    uint32_t terms = fit->design->terms;
    double *scales = env_array(fit->env, (size_t)terms + 1, sizeof(double));
    bool standardize = options_boolean(options, "standardize");

    for (uint32_t t = 0; t < terms; t++) {
        scales[t] = standardize && linear_norm(fit, t) > 0 ? linear_deviation(fit, t) : 1;
        if (!(scales[t] > 0))
            scales[t] = 1;
    }
    return scales;
}

/* ---- walking ---- */

static void note_convergence(Path *path, const PathSolver *solver)
{
    if (solver->converged)
        return;
    path->unconverged++;
    path->widest = fmax(path->widest, solver->gap / solver->fit->tss);
}

/*
 * Returns Akaike's or Schwarz's criterion for normal errors, or generalized cross-validation (Golub, Heath & Wahba
 * 1979); always finite, because models store it.
 */
static double criterion_of(LambdaRule rule, double rows, double rss, double df)
{
    if (rule == LAMBDA_GCV)
        return df < rows ? fmin(rss / rows / ((1 - df / rows) * (1 - df / rows)), DBL_MAX) : DBL_MAX;
    return rows * log(fmax(rss / rows, DBL_MIN)) + (rule == LAMBDA_AIC ? 2 : log(rows)) * df;
}

static void walk(Path *path, PathSolver *solver)
{
    const LinearFit *fit = solver->fit;

    for (uint32_t l = 0; l < path->count; l++) {
        double *facts = path->facts + (size_t)l * PATH_FACTS;
        solver->solve(solver, path->lambdas[l]);
        note_convergence(path, solver);
        path->env->progress(path->env, "path", l + 1, path->count, fit->rss);
        facts[0] = fit->rss;
        facts[1] = solver->penalty;
        facts[2] = solver->df;
        facts[3] = solver->gap;
        for (uint32_t t = 0; t < fit->design->terms; t++) {
            path->nonzero[l] += fit->coef[t] != 0;
            if (path->coef != NULL)
                path->coef[(size_t)l * path->columns + linear_column(path->slots, FIT_TERMS(fit->design), t)] =
                    fit->coef[t];
        }
        path->intercepts[l] = fit->intercept;
        if (path->plan.rule != LAMBDA_LOO)
            path->criterion[l] =
                criterion_of(path->plan.rule, fit->rows, facts[0], facts[2] + fit->with_intercept);
        path->env->poll(path->env);
    }
}

/*
 * Fits the path to the rows outside each fold and measures its errors on the rows of the fold. Returns false if there
 * are too few rows and such fits are NULL.
 */
static bool cross_validate(Path *path, const FitInput *input, bool intercept, const Options *options, PathOpen open)
{
    Env *env = path->env;
    PathFolds *folds = &path->folds;
    Splits *splits = splits_open(env, input->moments, intercept, too_few_rows_are_null(input, options));

    if (splits == NULL)
        return false;
    folds->count = splits_count(splits);
    folds->errors = env_array(env, ((size_t)path->count + 2) * folds->count, sizeof(double));
    folds->labels = folds->errors + (size_t)path->count * folds->count;
    folds->weights = folds->labels + folds->count;
    for (uint32_t k = 0; k < folds->count; k++) {
        LinearFit *fit = linear_begin(env, splits_training(splits, k), intercept);
        PathSolver *solver = open(fit, options);

        folds->labels[k] = splits_fold(splits, k);
        folds->weights[k] = splits_weight(splits, k);
        for (uint32_t l = 0; l < path->count; l++) {
            solver->solve(solver, path->lambdas[l]);
            note_convergence(path, solver);
            folds->errors[(size_t)l * folds->count + k] = splits_error(splits, k, fit->coef, fit->intercept) / folds->weights[k];
            env->progress(env, "cross-validation", (uint64_t)k * path->count + l + 1, (uint64_t)folds->count * path->count, NAN);
            env->poll(env);
        }
        solver->free(solver);
        linear_free(fit);
    }
    for (size_t i = 0; i < (size_t)path->count * folds->count; i++)
        if (!isfinite(folds->errors[i]))
            env_fail(env, ERROR_RANGE, "Divide large features or the target by a power of ten.",
                     "an error of the cross-validation exceeds the range of double precision");
    path_folds_choose(folds, path->lambdas, path->count);
    return true;
}

static void path_begin(Path *path, Env *env, const Options *options, const PathSolver *solver)
{
    const Model *schema = solver->fit->design->schema;
    size_t count;

    *path = (Path){.env = env, .plan = lambda_plan_read(env, options), .folds = {.minimum = NAN, .one_se = NAN}};
    path->slots = schema->slot_count;
    path->columns = path->slots + dictionary_size(schema, DICTIONARY_LEVELS);
    /* with a constant target any lambda gives the same fit */
    path->lambdas = lambda_grid(env, &path->plan, solver->greatest > 0 ? solver->greatest : 1, &path->count);
    count = path->count;
    path->facts = env_array(env, count * (PATH_FACTS + 3), sizeof(double));
    path->nonzero = path->facts + count * PATH_FACTS;
    path->criterion = path->nonzero + count;
    path->intercepts = path->criterion + count;
    if (path->plan.keep) {
        env_require_memory(env, count * path->columns * sizeof(double), "the coefficients of a path");
        path->coef = env_array(env, count * path->columns, sizeof(double));
    }
}

/* Returns the lambda of the model: of those with equal criteria the greatest. */
static double choose(const Path *path)
{
    uint32_t best = 0;

    switch (path->plan.rule) {
    case LAMBDA_GIVEN:
    case LAMBDA_BUDGET:
        return path->plan.given;
    case LAMBDA_LEAST:
        return path->lambdas[path->count - 1];
    case LAMBDA_MINIMUM:
        return path->folds.minimum;
    case LAMBDA_ONE_SE:
        return path->folds.one_se;
    case LAMBDA_AIC:
    case LAMBDA_BIC:
    case LAMBDA_GCV:
    case LAMBDA_LOO:
        for (uint32_t l = 1; l < path->count; l++)
            if (path->criterion[l] < path->criterion[best])
                best = l;
        break;
    }
    return path->lambdas[best];
}

static void warn_unconverged(const Path *path)
{
    if (path->unconverged > 0)
        env_warn(path->env, ERROR_DATA,
                 "Raise option \"max_iter\" or \"tolerance\"; a duality gap of 1e-4 is often enough.",
                 "%u lambdas have not converged: the duality gap is up to %.2g of the target's sum of squares",
                 path->unconverged, path->widest);
}

/* Fails with ERROR_RANGE if a number of the path is not finite: a model cannot store it. */
static void require_finite(const Path *path, bool intercept)
{
    if (!all_finite(path->lambdas, path->count) ||
        !all_finite(path->facts, (size_t)path->count * PATH_FACTS) ||
        (path->coef != NULL && !all_finite(path->coef, (size_t)path->count * path->columns)) ||
        (path->coef != NULL && intercept && !all_finite(path->intercepts, path->count)))
        env_fail(path->env, ERROR_RANGE, "Divide large features or the target by a power of ten.",
                 "the coefficients or the sums of squares of a path exceed the range of double precision");
}

/* Adds what is known of the lambda and of the path. */
static void add_results(const Path *path, const PathSolver *solver, bool several, double lambda, ModelBuilder *builder)
{
    const LinearFit *fit = solver->fit;

    if (several || path->plan.rule == LAMBDA_BUDGET)
        builder_fact_finite(builder, "lambda", lambda);
    builder_fact_finite(builder, "penalty", solver->penalty);
    builder_fact_finite(builder, "objective", fit->rss + lambda * solver->weight * solver->penalty);
    if (solver->iterative) {
        builder_fact_finite(builder, "duality_gap", solver->gap);
        builder_fact_i64(builder, "iterations", solver->iterations);
        builder_fact_bool(builder, "converged", path->unconverged == 0);
    }
    if (path->plan.count > 0 && path->plan.list == NULL)
        builder_fact_finite(builder, "lambda_max", solver->greatest);
    path_folds_add(builder, &path->folds, path->count);
    if (several) {
        builder_f64(builder, SECTION_ARRAYS, "path_lambda", path->lambdas, path->count);
        builder_f64(builder, SECTION_ARRAYS, "path_nonzero", path->nonzero, path->count);
        if (path->plan.rule >= LAMBDA_AIC)
            builder_f64(builder, SECTION_ARRAYS, "path_criterion", path->criterion, path->count);
    }
    if (path->coef != NULL) {
        builder_f64_matrix(builder, SECTION_ARRAYS, "path_coef", path->coef, path->count, path->columns);
        if (fit->with_intercept)
            builder_f64(builder, SECTION_ARRAYS, "path_intercept", path->intercepts, path->count);
        builder_f64_matrix(builder, SECTION_ARRAYS, "path_facts", path->facts, path->count, PATH_FACTS);
    }
}

Model *linear_path_fit(Env *env, const FitInput *input, const Options *options, ModelBuilder *builder, PathOpen open)
{
    bool intercept = options_boolean(options, "intercept");
    LinearFit *fit = linear_begin(env, moments_design(env, input->moments, intercept), intercept);
    PathSolver *solver;
    Path path;
    double lambda;
    bool several;

    solver = open(fit, options);
    path_begin(&path, env, options, solver);
    several = path.plan.count > 0 || path.plan.folded;
    if (path.plan.rule == LAMBDA_LOO) {
        if (fit->rows < 2 && too_few_rows_are_null(input, options))
            return NULL;
        solver->leave_out(solver, input->kept, path.lambdas, path.count, path.criterion);
    }
    if (path.plan.folded && !cross_validate(&path, input, fit->with_intercept, options, open))
        return NULL;
    if (several) {
        walk(&path, solver);
        require_finite(&path, fit->with_intercept);
    }
    if (path.plan.rule == LAMBDA_BUDGET)
        path.plan.given = lambda_of_budget(solver, path.plan.budget);
    lambda = choose(&path);
    solver->finish(solver, lambda);
    note_convergence(&path, solver);
    warn_unconverged(&path);

    add_results(&path, solver, several, lambda, builder);
    solver->free(solver);
    return linear_finish(fit, builder);
}
