/*
 * linear_bounded.c - least squares, ridge, lasso and elastic net under bounds for the coefficients.
 *
 * One exact solver serves all (bounded_solver.h), from the triangular factor: columns and target are divided by their norms, and a squared
 * penalty adds a row per term.
 */
#include "core/linear/linear_bounded.h"

#include "core/linear/bounded_solver.h"
#include "core/linalg/column_loops.h"
#include "core/model/dictionary.h"
#include "core/model/schema.h"

#include <math.h>
#include <string.h>

const OptionSpec options_bounds[] = {
    {.name = "lower",
     .types = OPTION_NUMBER | OPTION_OBJECT,
     .unset = "none",
     .help = "The least that coefficients may be: a number for all of them, or {\"term\": number}; the intercept has no bounds."},
    {.name = "upper",
     .types = OPTION_NUMBER | OPTION_OBJECT,
     .unset = "none",
     .help = "The most that they may be, in the same form."},
    {.name = NULL}};

/* ---- options ---- */

bool bounds_given(const Options *options)
{
    return options_given(options, "lower") || options_given(options, "upper");
}

/* Returns the names of the terms of a design, as coefficients() has them. */
static const char **term_names(Env *env, const Design *design)
{
    const char **names = env_array(env, (size_t)design->terms + 1, sizeof(char *));
    uint32_t levels = dictionary_size(design->schema, DICTIONARY_LEVELS), *order = env_array(env, (size_t)levels + 1, sizeof(uint32_t));

    if (levels > 0)
        dictionary_final_order(env, design->schema, DICTIONARY_LEVELS, order);
    for (uint32_t t = 0; t < design->terms; t++) {
        char *name = env_array(env, 2 * SCHEMA_NAME_SIZE, 1);
        int32_t level = design->term_level[t];

        schema_term_name(design->schema, design->term_slot[t], level < 0 ? -1 : (int64_t)order[level], name, 2 * SCHEMA_NAME_SIZE);
        names[t] = name;
    }
    return names;
}

/* Tells whether a name is that of a level, which these rows may lack: "feature=level". */
static bool names_level(const Model *schema, const char *name)
{
    for (uint32_t f = 0; f < schema->field_count; f++) {
        char field[SCHEMA_NAME_SIZE];

        if (schema_field_kind(schema, f) != FIELD_CATEGORICAL)
            continue;
        schema_field_name(schema, f, field, sizeof(field));
        if (strncmp(name, field, strlen(field)) == 0 && name[strlen(field)] == '=')
            return true;
    }
    return false;
}

/* Fails if an option names what is no term; warns if it may be one of other rows. */
static void require_terms(Env *env, const Design *design, const Options *options, const char *option, const char *const *names)
{
    uint32_t count;
    const char *const *keys = options_keys(options, option, &count);

    for (uint32_t k = 0; k < count; k++) {
        const char *near;
        bool found = false;

        for (uint32_t t = 0; t < design->terms && !found; t++)
            found = strcmp(names[t], keys[k]) == 0;
        if (found)
            continue;
        near = nearest_name(keys[k], strlen(keys[k]), names, design->terms);
        if (names_level(design->schema, keys[k])) {
            env_warn(env, ERROR_PARAMETER, near != NULL ? env_message(env, "Did you mean \"%s\"?", near) : "Name a level that the rows have, other than the reference.",
                     "option \"%s\" names \"%s\", which is no term of these rows and bounds nothing", option, keys[k]);
            continue;
        }
        env_fail(env, ERROR_PARAMETER,
                 near != NULL ? env_message(env, "Did you mean \"%s\"?", near) : "Name terms as coefficients() does, such as {\"carat\": 0, \"cut=Ideal\": 0}.",
                 "option \"%s\" names \"%s\", which is no term", option, keys[k]);
    }
}

/* Sets the bounds of each term, [terms] each. */
static void read_bounds(const LinearFit *fit, const Options *options, double *lower, double *upper)
{
    Env *env = fit->env;
    const char **names = term_names(env, fit->design);

    for (int side = 0; side < 2; side++) {
        const char *option = side == 0 ? "lower" : "upper";
        double none = side == 0 ? -INFINITY : INFINITY, *bounds = side == 0 ? lower : upper;
        bool each = options_given(options, option) && options_type(options, option) == OPTION_OBJECT;

        if (each)
            require_terms(env, fit->design, options, option, names);
        for (uint32_t t = 0; t < fit->design->terms; t++)
            bounds[t] = each ? options_object_number(options, option, names[t], none) : options_given(options, option) ? options_number(options, option) : none;
    }
    for (uint32_t t = 0; t < fit->design->terms; t++)
        if (lower[t] > upper[t])
            env_fail(env, ERROR_PARAMETER, "Exchange them.", "the lower bound of \"%s\", %g, is above the upper one, %g", names[t], lower[t], upper[t]);
}

/* ---- the fit ---- */

/* A fit as the solver has it: terms that vary, divided by their norms. */
typedef struct Bounded {
    LinearFit *fit;
    uint32_t count, *terms;  /* those that vary */
    double *least, *most;    /* [terms of the design] the bounds as given */
    double *norms, target;   /* of their columns, and of the target */
    double *lower, *upper;   /* [count] of the coefficients of the divided columns */
    double *l1, *l2;         /* [count] penalties of these */
    double *coef;            /* [count] */
    uint8_t *free, *dependent; /* [count] */
    double df;
    BoundedResult result;
} Bounded;

/* Returns a bound of a coefficient that is multiplied by ratio, within range. */
static double scaled_bound(double bound, double ratio)
{
    return isinf(bound) || bound == 0 ? bound : fmax(-1e300, fmin(1e300, bound * ratio));
}

static Bounded *bounded_open(LinearFit *fit, const Options *options)
{
    Env *env = fit->env;
    uint32_t terms = fit->design->terms;
    Bounded *bounded = env_array(env, 1, sizeof(Bounded));

    bounded->fit = fit;
    bounded->least = env_array(env, 2 * (size_t)terms + 1, sizeof(double));
    bounded->most = bounded->least + terms;
    read_bounds(fit, options, bounded->least, bounded->most);
    bounded->target = linear_norm(fit, terms) > 0 ? linear_norm(fit, terms) : 1;
    bounded->terms = env_array(env, (size_t)terms + 1, sizeof(uint32_t));
    bounded->norms = env_array(env, 6 * (size_t)terms + 1, sizeof(double));
    bounded->lower = bounded->norms + terms;
    bounded->upper = bounded->lower + terms;
    bounded->l1 = bounded->upper + terms;
    bounded->l2 = bounded->l1 + terms;
    bounded->coef = bounded->l2 + terms;
    bounded->free = env_array(env, 2 * (size_t)terms + 1, 1);
    bounded->dependent = bounded->free + terms;
    for (uint32_t t = 0; t < terms; t++) {
        double norm = linear_norm(fit, t);

        if (norm == 0)
            continue;
        bounded->terms[bounded->count] = t;
        bounded->norms[bounded->count] = norm;
        bounded->lower[bounded->count] = scaled_bound(bounded->least[t], norm / bounded->target);
        bounded->upper[bounded->count] = scaled_bound(bounded->most[t], norm / bounded->target);
        bounded->count++;
    }
    return bounded;
}

static void bounded_close(Bounded *bounded)
{
    Env *env = bounded->fit->env;

    env->release(env, bounded->free);
    env->release(env, bounded->norms);
    env->release(env, bounded->terms);
    env->release(env, bounded->least);
    env->release(env, bounded);
}

/*
 * Returns the trace of the hat matrix of the free coefficients: their number less the sum of l2_j times the diagonal of (A'A)^-1. columns: after the
 * solution, in which those of free coefficients are a triangle in an order that their ends tell.
 */
static double degrees_of_freedom(const Bounded *bounded, const double *columns, uint32_t rows, bool squared)
{
    Env *env = bounded->fit->env;
    uint32_t *order = env_array(env, (size_t)bounded->count + 1, sizeof(uint32_t)), free = 0;
    double *x = env_array(env, (size_t)bounded->count + 1, sizeof(double)), df = 0;

    for (uint32_t j = 0; j < bounded->count; j++)
        df += bounded->free[j];
    for (uint32_t j = 0; j < bounded->count && squared; j++) {
        uint32_t end = rows;

        if (!bounded->free[j])
            continue;
        while (columns[(size_t)j * rows + end - 1] == 0)
            end--;
        order[end - 1] = j;
        free++;
    }
    for (uint32_t i = 0; i < free; i++) { /* row i of the inverse of the triangle, from the left */
        for (uint32_t k = i; k < free; k++) {
            const double *r = columns + (size_t)order[k] * rows;

            x[k] = ((k == i) - column_dot(r + i, x + i, k - i)) / r[k];
            df -= bounded->l2[order[i]] * x[k] * x[k];
        }
        env->poll(env);
    }
    env->release(env, x);
    env->release(env, order);
    return df;
}

/* Solves with the penalties of the divided columns, and sets coefficients, intercept and residual of the fit. */
static void bounded_fit(Bounded *bounded, bool squared)
{
    LinearFit *fit = bounded->fit;
    Env *env = fit->env;
    uint32_t terms = fit->design->terms, all = terms + 1, rows = terms + (squared ? bounded->count : 0);
    const double *y = fit->design->factor + (size_t)terms * all;
    double *columns;
    BoundedProblem problem = {.env = env,
                              .rows = rows,
                              .count = bounded->count,
                              .lower = bounded->lower,
                              .upper = bounded->upper,
                              .l1 = bounded->l1,
                              .coef = bounded->coef,
                              .free = bounded->free,
                              .dependent = bounded->dependent};

    env_require_memory(env, (size_t)rows * (bounded->count + 1) * sizeof(double), "a fit with bounds");
    problem.columns = columns = env_array(env, (size_t)rows * (bounded->count + 1) + 1, sizeof(double));
    for (uint32_t j = 0; j < bounded->count; j++) {
        const double *from = fit->design->factor + (size_t)bounded->terms[j] * all;
        double *to = columns + (size_t)j * rows;

        for (uint32_t i = 0; i <= bounded->terms[j]; i++)
            to[i] = from[i] / bounded->norms[j];
        if (squared)
            to[terms + j] = sqrt(bounded->l2[j]);
        if (j % 256 == 255)
            env->poll(env);
    }
    for (uint32_t i = 0; i < terms; i++)
        columns[(size_t)bounded->count * rows + i] = y[i] / bounded->target;
    bounded->result = bounded_solve(&problem);
    bounded->df = degrees_of_freedom(bounded, columns, rows, squared);
    env->release(env, columns);
    path_reset(fit);
    for (uint32_t t = 0; t < terms; t++) /* constant ones are as near to 0 as they may be: the intercept makes up for them */
        fit->coef[t] = fmin(bounded->most[t], fmax(bounded->least[t], 0));
    for (uint32_t j = 0; j < bounded->count; j++) {
        uint32_t t = bounded->terms[j];
        double scaled = bounded->coef[j];

        fit->coef[t] = scaled == bounded->lower[j]   ? bounded->least[t]
                       : scaled == bounded->upper[j] ? bounded->most[t]
                                                     : fmin(bounded->most[t], fmax(bounded->least[t], scaled * (bounded->target / bounded->norms[j])));
    }
    linear_set_intercept(fit);
    fit->rss = linear_residual(fit);
}

void linear_bounded(LinearFit *fit, const Options *options)
{
    Bounded *bounded = bounded_open(fit, options);

    bounded_fit(bounded, false);
    for (uint32_t t = 0; t < fit->design->terms; t++)
        fit->dropped[t] = fit->coef[t] == 0;
    for (uint32_t j = 0; j < bounded->count; j++)
        if (!bounded->dependent[j] || bounded->coef[j] == bounded->lower[j] || bounded->coef[j] == bounded->upper[j])
            fit->dropped[bounded->terms[j]] = 0;
    fit->kept = 0;
    for (uint32_t t = 0; t < fit->design->terms; t++)
        fit->kept += !fit->dropped[t];
    fit->df_model = NAN; /* how many coefficients a bound holds depends on the target */
    if (!bounded->result.converged)
        env_warn(fit->env, ERROR_DATA, "Leave out terms that nearly depend on others.", "the bounds have not been met exactly after %u steps", bounded->result.steps);
    bounded_close(bounded);
}

/* ---- paths of lambda ---- */

typedef struct BoundedPath {
    PathSolver base;
    Bounded *bounded;
    double alpha;
    double *scales; /* [terms] of the penalty */
} BoundedPath;

static void bounded_path_solve(PathSolver *base, double lambda)
{
    BoundedPath *path = (BoundedPath *)base;
    Bounded *bounded = path->bounded;
    LinearFit *fit = base->fit;
    double added = lambda * base->weight;

    for (uint32_t j = 0; j < bounded->count; j++) {
        double share = path->scales[bounded->terms[j]] / bounded->norms[j];

        bounded->l1[j] = fmin(added * path->alpha * share / bounded->target, 1e150);
        bounded->l2[j] = fmin(added * (1 - path->alpha) * share * share, 1e150);
    }
    bounded_fit(bounded, lambda > 0 && path->alpha < 1);
    base->penalty = 0;
    for (uint32_t t = 0; t < fit->design->terms; t++) {
        double scaled = fabs(fit->coef[t]) * path->scales[t];

        base->penalty += path->alpha * scaled + (1 - path->alpha) * scaled * scaled;
    }
    base->df = fit->df_model = bounded->df;
    base->converged = bounded->result.converged;
}

static void bounded_path_free(PathSolver *base)
{
    BoundedPath *path = (BoundedPath *)base;
    Env *env = base->fit->env;

    bounded_close(path->bounded);
    env->release(env, path->scales);
    env->release(env, path);
}

/* Fails for what bounds do not go with. */
static void require_bounded(Env *env, const Options *options)
{
    if (options_has(options, "penalize_intercept") && options_boolean(options, "penalize_intercept"))
        env_fail(env, ERROR_PARAMETER, "Leave one of the two out.", "\"penalize_intercept\" does not go with \"lower\" and \"upper\"");
    if (options_is(options, "lambda", "loo") || (options_given(options, "select") && options_is(options, "select", "loo")))
        env_fail(env, ERROR_PARAMETER, "Use \"lambda\": \"cv\".", "leave-one-out errors have no closed form under \"lower\" and \"upper\"");
}

PathSolver *bounded_path_open(LinearFit *fit, const Options *options, double alpha)
{
    Env *env = fit->env;
    BoundedPath *path = env_array(env, 1, sizeof(BoundedPath));
    PathSolver *plain;

    require_bounded(env, options);
    plain = alpha > 0 ? lasso_path_open(fit, options, alpha) : ridge_path_open(fit, options);
    path->base = (PathSolver){.fit = fit,
                              .weight = plain->weight,
                              .greatest = plain->greatest,
                              .solve = bounded_path_solve,
                              .finish = bounded_path_solve,
                              .free = bounded_path_free,
                              .converged = true};
    plain->free(plain);
    path->alpha = alpha;
    path->scales = path_scales(fit, options);
    path->bounded = bounded_open(fit, options);
    return &path->base;
}
