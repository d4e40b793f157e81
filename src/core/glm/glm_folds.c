/*
 * glm_folds.c - fits without each fold, and their errors.
 */
#include "core/glm/glm_folds.h"

#include "core/estimator/fold_rows.h"

#include <math.h>

typedef struct Folds {
    Env *env;
    const GlmProblem *problem; /* of all rows */
    PenaltyPlan listed;        /* at the lambdas of the path */
    FoldRows rows;
    uint32_t *columns;         /* [terms] the place of each term of all rows among the coefficients */
    double *offsets;           /* [rows] NULL: none */
    PathFolds out;
} Folds;

/* The solutions without a fold. */
typedef struct Outside {
    LinearEquations out;
    PenaltyPath path;
} Outside;

static void give_back(Rows *rows)
{
    if (rows == NULL)
        return;
    rows_end_readers(rows);
    rows_free(rows);
}

static Outside fit_outside(const Folds *folds, uint32_t k, GlmOutside fit)
{
    Env *env = folds->env;
    const GlmProblem *all = folds->problem;
    Rows *rows = fold_rows_outside(env, &folds->rows, all->rows->design->rows, k), *offsets = NULL;
    RowDesign *design = row_design(env, rows, all->rows->design->mode, all->method);
    GlmProblem problem = {.env = env,
                          .rows = standardized_rows(env, design, all->rows->intercept, NULL, ROWS_SCALES, all->method),
                          .family = all->family,
                          .link = all->link,
                          .parameter = all->parameter,
                          .frequency = all->frequency,
                          .method = all->method,
                          .tolerance = all->tolerance,
                          .max_iter = all->max_iter};
    Outside outside = {.out = linear_rows_equations(problem.rows, 1)};

    if (all->offset_rows != NULL) {
        offsets = fold_rows_outside(env, &folds->rows, all->offset_rows, k);
        standardized_offsets(problem.rows, row_design(env, offsets, DESIGN_SLOTS, all->method), false);
    }
    fit(&problem, &folds->listed, &outside.out, &outside.path);
    give_back(offsets);
    give_back(rows);
    return outside;
}

/* Returns half the deviance of a row of weight 1 at a score. */
static double row_loss(const Folds *folds, uint32_t k, double score, double target)
{
    const GlmProblem *problem = folds->problem;
    double mean, slope, variance, deviance;

    glm_means(&problem->link, &score, 1, &mean, &slope);
    if (!(mean > problem->family->lowest && mean < problem->family->highest))
        env_fail(folds->env, ERROR_DATA, "Choose another \"link\", or use larger lambdas.", "a row of fold %.15g has a mean of %.6g by the fit to the others, outside the domain of family %s",
                 folds->out.labels[k], mean, problem->family->name);
    problem->family->tile(&target, &mean, 1, problem->parameter, &variance, &deviance);
    return deviance / 2;
}

/* Adds a row to the errors of all lambdas. x: [terms] centered. */
static void add_row(const Folds *folds, const Outside *outside, uint32_t k, const double *x, double offset, double target, double weight, double *errors)
{
    uint32_t terms = folds->problem->rows->design->terms;

    for (uint32_t l = 0; l < outside->path.count; l++) {
        const double *coef = outside->path.coef + l * outside->path.width;
        double score = offset + (outside->out.offset != NULL ? outside->path.offset[l] : 0);

        for (uint32_t t = 0; t < terms; t++)
            score += coef[folds->columns[t]] * x[t];
        errors[l] += weight * row_loss(folds, k, score, target);
    }
    folds->out.weights[k] += weight;
}

/* Measures all lambdas on the rows of fold k. */
static void measure(const Folds *folds, const Outside *outside, uint32_t k)
{
    Env *env = folds->env;
    RowDesign *design = folds->problem->rows->design;
    const double *center = outside->out.center;
    double *errors = env_array(env, outside->path.count, sizeof(double)), *x = env_array(env, (size_t)design->terms + 1, sizeof(double));
    DesignReader *reader = design_reader(design);
    DesignBlock block;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint64_t row = block.first + i;

            if (folds->rows.fold[row] != k)
                continue;
            for (uint32_t t = 0; t < design->terms; t++)
                x[t] = block.x[(size_t)i * design->terms + t] - (center != NULL && design->term_level[t] < 0 ? center[design->term_slot[t]] : 0);
            add_row(folds, outside, k, x, folds->offsets != NULL ? folds->offsets[row] : 0, block.targets[i], row_weight(block.weights, i), errors);
            env->poll(env);
        }
    design_reader_free(reader);
    for (uint32_t l = 0; l < outside->path.count; l++) {
        double error = errors[l] / folds->out.weights[k];

        if (!isfinite(error))
            env_fail(env, ERROR_RANGE, "Use larger lambdas, or divide large features by a power of ten.",
                     "an error of the cross-validation exceeds the range of double precision");
        folds->out.errors[(size_t)l * folds->out.count + k] = error;
    }
    env->release(env, errors);
}

static double *read_offsets(Env *env, Rows *rows)
{
    double *offsets;
    RowsReader *reader;
    RowsBlock block;

    env_require_memory(env, rows_count(rows) * sizeof(double), "the offsets of the rows");
    offsets = env_array(env, rows_count(rows), sizeof(double));
    reader = rows_reader(env, rows);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            offsets[block.first + i] = block.slots[i];
    rows_reader_free(reader);
    return offsets;
}

PathFolds glm_cross_validate(const GlmProblem *problem, const PenaltyPlan *plan, double *lambdas, uint32_t count, GlmOutside fit)
{
    Env *env = problem->env;
    const RowDesign *design = problem->rows->design;
    LinearEquations all = linear_rows_equations(problem->rows, 1);
    Folds folds = {.env = env, .problem = problem, .listed = *plan, .rows = fold_rows(env, design->rows, plan->options)};

    folds.listed.path.list = lambdas;
    folds.listed.path.count = count;
    folds.listed.path.folded = false;
    folds.columns = env_array(env, (size_t)design->terms + 1, sizeof(uint32_t));
    for (uint32_t t = 0; t < design->terms; t++)
        folds.columns[t] = linear_column(all.slots, all.terms, t);
    folds.offsets = problem->offset_rows != NULL ? read_offsets(env, problem->offset_rows) : NULL;
    folds.out = (PathFolds){.count = folds.rows.count, .labels = folds.rows.labels};
    folds.out.errors = env_array(env, (size_t)count + 1, folds.out.count * sizeof(double));
    folds.out.weights = env_array(env, folds.out.count, sizeof(double));
    for (uint32_t k = 0; k < folds.out.count; k++) {
        Outside outside = fit_outside(&folds, k, fit);

        measure(&folds, &outside, k);
        env->release(env, outside.path.coef);
        env->progress(env, "cross-validation", k + 1, folds.out.count, NAN);
    }
    path_folds_choose(&folds.out, lambdas, count);
    return folds.out;
}
