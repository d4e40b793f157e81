/*
 * linear_path.c - penalised fits over lambdas: choosing one, and the model with what it keeps of the path.
 */
#include "linear_path.h"

#include <math.h>
#include <string.h>

#define PATH_FACTS 4 /* rss, penalty, df_model, duality_gap */

/* A path as it is walked; a row a lambda. */
typedef struct Path {
    Env *env;
    LambdaPlan plan;
    uint32_t count, terms;
    double *lambdas, *nonzero, *facts, *criterion, *intercepts;
    double *coef; /* NULL: not kept */
    double minimum, one_se; /* lambdas that cross-validation chose; NaN: none */
    uint32_t unconverged;
    double widest; /* duality gap of those, as a share of the target's sum of squares */
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
    return options_is(options, "loss", "mean") ? fit->design->weight : 1;
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

/* Akaike's and Schwarz's criteria of a normal error, and Golub, Heath & Wahba's (1979). */
static double criterion_of(LambdaRule rule, double rows, double rss, double df)
{
    if (rule == LAMBDA_GCV)
        return df < rows ? rss / rows / ((1 - df / rows) * (1 - df / rows)) : INFINITY;
    return rows * log(rss / rows) + (rule == LAMBDA_AIC ? 2 : log(rows)) * df;
}

static void walk(Path *path, PathSolver *solver)
{
    const LinearFit *fit = solver->fit;

    for (uint32_t l = 0; l < path->count; l++) {
        double *facts = path->facts + (size_t)l * PATH_FACTS;
        solver->solve(solver, path->lambdas[l]);
        note_convergence(path, solver);
        facts[0] = fit->rss;
        facts[1] = solver->penalty;
        facts[2] = solver->df;
        facts[3] = solver->gap;
        for (uint32_t t = 0; t < path->terms; t++)
            path->nonzero[l] += fit->coef[t] != 0;
        path->intercepts[l] = fit->offset;
        path->criterion[l] =
            criterion_of(path->plan.rule, fit->rows, facts[0], facts[2] + fit->intercept);
        if (path->coef != NULL)
            memcpy(path->coef + (size_t)l * path->terms, fit->coef, path->terms * sizeof(double));
        path->env->poll(path->env);
    }
}

static void path_begin(Path *path, Env *env, const Options *options, const PathSolver *solver)
{
    size_t count;

    *path = (Path){.env = env, .plan = lambda_plan_read(env, options), .minimum = NAN, .one_se = NAN};
    path->terms = solver->fit->design->terms;
    path->lambdas = lambda_grid(env, &path->plan, solver->greatest, &path->count);
    count = path->count;
    path->facts = env_array(env, count * (PATH_FACTS + 3), sizeof(double));
    path->nonzero = path->facts + count * PATH_FACTS;
    path->criterion = path->nonzero + count;
    path->intercepts = path->criterion + count;
    if (path->plan.keep) {
        env_require_memory(env, count * path->terms * sizeof(double), "the coefficients of a path");
        path->coef = env_array(env, count * path->terms + 1, sizeof(double));
    }
}

/* The lambda of the model. Of equal criteria the greatest wins. */
static double choose(const Path *path)
{
    uint32_t best = 0;

    switch (path->plan.rule) {
    case LAMBDA_GIVEN:
        return path->plan.given;
    case LAMBDA_LEAST:
        return path->lambdas[path->count - 1];
    case LAMBDA_MINIMUM:
        return path->minimum;
    case LAMBDA_ONE_SE:
        return path->one_se;
    case LAMBDA_AIC:
    case LAMBDA_BIC:
    case LAMBDA_GCV:
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

Model *linear_path_fit(Env *env, const Estimator *estimator, const Evidence *evidence,
                       const Options *options, PathOpen open)
{
    LinearFit *fit = linear_begin(env, evidence->moments, options);
    LinearFact facts[8];
    LinearArray arrays[12];
    LinearExtras extras = {.facts = facts, .arrays = arrays};
    PathSolver *solver;
    Path path;
    double lambda;
    bool several;

    if (fit == NULL)
        return NULL;
    solver = open(fit, options);
    path_begin(&path, env, options, solver);
    several = path.plan.count > 0;
    if (several)
        walk(&path, solver);
    lambda = choose(&path);
    solver->finish(solver, lambda);
    note_convergence(&path, solver);
    warn_unconverged(&path);

#define ADD_FACT(name, value) facts[extras.fact_count++] = (LinearFact){name, value}
#define ADD_ARRAY(name, values, rows, columns)                                                     \
    arrays[extras.array_count++] = (LinearArray){name, values, rows, columns}
    if (several)
        ADD_FACT("lambda", lambda);
    ADD_FACT("penalty", solver->penalty);
    ADD_FACT("objective", fit->rss + lambda * solver->weight * solver->penalty);
    if (solver->iterative)
        ADD_FACT("duality_gap", solver->gap);
    if (several && path.plan.list == NULL)
        ADD_FACT("lambda_max", solver->greatest);
    if (several) {
        ADD_ARRAY("path_lambda", path.lambdas, path.count, 0);
        ADD_ARRAY("path_nonzero", path.nonzero, path.count, 0);
        if (path.plan.rule == LAMBDA_AIC || path.plan.rule == LAMBDA_BIC || path.plan.rule == LAMBDA_GCV)
            ADD_ARRAY("path_criterion", path.criterion, path.count, 0);
    }
    if (path.coef != NULL) {
        ADD_ARRAY("path_coef", path.coef, path.count, path.terms);
        if (fit->intercept)
            ADD_ARRAY("path_intercept", path.intercepts, path.count, 0);
        ADD_ARRAY("path_facts", path.facts, path.count, PATH_FACTS);
    }
#undef ADD_FACT
#undef ADD_ARRAY
    extras.iterative = solver->iterative;
    extras.iterations = solver->iterations;
    extras.converged = path.unconverged == 0;
    solver->free(solver);
    return linear_finish_with(fit, estimator, evidence, options, &extras);
}
