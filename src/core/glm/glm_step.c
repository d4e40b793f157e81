/*
 * glm_step.c - one step of Fisher scoring of a generalized linear model as an aggregate.
 */
#include "core/glm/glm_step.h"

#include "core/glm/glm_choice.h"
#include "core/glm/glm_solver.h"
#include "core/glm/glm_theta.h"
#include "core/glm/glm_zero_sums.h"
#include "core/glm/glm_zeros.h"
#include "core/estimator/formula_fit.h"
#include "core/linalg/penalized_quadratic.h"
#include "core/linear_equations/linear_equations.h"
#include "core/linear_equations/linear_step.h"

#include <math.h>
#include <string.h>

enum {
    TOTAL_DEVIANCE,
    TOTAL_PEARSON,
    TOTAL_CONSTANT,
    TOTAL_OUTSIDE,
    TOTAL_EXTREME,
    TOTAL_SCORE,
    TOTAL_INFORMATION,
    TOTAL_NULL,
    TOTAL_NULL_GRADIENT,
    TOTAL_NULL_CURVATURE,
    TOTAL_ZEROS,
    TOTAL_EXPECTED_ZEROS,
    TOTAL_ZEROS_VARIANCE,
    TOTAL_ZEROS_THETA,
    TOTAL_ROWS,
    TOTALS
};

static const LinearSums sums_of_step = {2, 1, TOTALS};

static LinearShape shape_of(Env *env, const Model *model)
{
    return linear_shape(env, model, linear_dropped(model), false);
}

static bool is_start(const Model *model)
{
    return model_fact(model, "step_start", 0) != 0;
}

/* Returns the problem of a state, without rows. room: [GLM_ROOM x DESIGN_TILE], or NULL. */
static GlmProblem problem_of(Env *env, const Model *state, double *room)
{
    const double *family = linear_step_numbers(state, "step_family");

    return (GlmProblem){.env = env,
                        .family = &glm_families[(size_t)family[0]],
                        .link = link_of_model(state),
                        .parameter = family[1],
                        .frequency = (state->flags & MODEL_FREQUENCY) != 0,
                        .method = state->estimator,
                        .mean = model_fact(state, "step_mean", 1),
                        .room = room};
}

/* ---- checks ---- */

const ArraySpec glm_step_arrays[6] = {
    {.name = "step_family", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "sum_totals", .values = VALUES_NONNEGATIVE, .rows = {SIZE_NUMBER, .plus = 3}},
    {.name = "step_from", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .rows = {SIZE_FREE}},
    LINEAR_SUM_SPECS,
    {.name = "sum_totals", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_NUMBER, .plus = TOTALS}}};

const char *glm_step_check(Env *env, const Model *model)
{
    const double *family = linear_step_numbers(model, "step_family");
    LinearShape shape;

    if (family == NULL && model_find(model, "step_from") == NULL)
        return NULL;
    if (family != NULL && !(family[0] < GLM_FAMILIES && family[0] == floor(family[0])))
        return "\"step_family\" names no family";
    shape = shape_of(env, model);
    if (!linear_step_from_fits(&shape))
        return "\"step_from\" does not fit the model";
    return linear_step_sums_fit(&shape, sums_of_step) ? NULL : "the sums of glm_step do not fit their model";
}

/* ---- the state ---- */

/* Tells whether an entry belongs to the model, not to the running sums. */
static bool is_of_model(const ModelEntry *entry)
{
    return linear_step_is_no_sum(entry) && strcmp(entry->name, "step_family") != 0;
}

static Model *step_begin(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Options *options = estimator_options(env, estimator, model);
    double parameter, family[3];
    LinearShape shape;
    Model *state;

    glm_step_require(env, estimator, options);
    family[2] = glm_estimates_theta(env, estimator, options);
    parameter = family[2] != 0 ? model_fact(model, "theta", NAN) : glm_parameter_of(env, estimator, options);
    if (family[2] != 0 && !(parameter > 0 && isfinite(parameter)))
        env_fail(env, ERROR_KIND, "Begin from glm_start over moments of all rows.", "the model of glm_step has no \"theta\" above 0");
    family[0] = (double)(glm_family_of(estimator, options) - glm_families);
    family[1] = isnan(parameter) ? 0 : parameter;
    shape = shape_of(env, model);
    state = linear_step_begin(&shape, sums_of_step, is_of_model, "step_family", family, 3, "glm_step");
    linear_shape_free(&shape);
    return state;
}

/* ---- sums ---- */

/* Adds up what the likelihood lacks; sets gradient and curvature of the start where that is what is summed. */
static void sum_rows(GlmProblem *problem, const GlmTile *tile, const double *offsets, bool start)
{
    glm_count_rows(problem, tile->targets, tile->weights, offsets, tile->count);
    for (uint32_t i = 0; start && i < tile->count; i++)
        glm_start_row(problem, tile->targets[i], tile->weights[i], offsets[i], &tile->gradient[i], &tile->curvature[i]);
}

/* Adds up what depends on theta: the likelihood and its derivatives. */
static void sum_theta(const GlmProblem *problem, const GlmTile *tile, double *totals)
{
    GlmThetaSums sums = {0, 0, 0};

    glm_theta_add(problem->env, problem->parameter, tile, &sums);
    totals[TOTAL_CONSTANT] += sums.likelihood;
    totals[TOTAL_SCORE] += sums.score;
    totals[TOTAL_INFORMATION] += sums.information;
}

/* Adds up how many counts are 0, and how many the model expects. Overwrites the gradient of the tile. */
static void sum_zeros(const GlmProblem *problem, Model *state, const double *const *columns, uint32_t count, const GlmTile *tile)
{
    double *totals = model_step_array(state, "sum_totals");
    GlmZeroSums sums = {.observed = 0};

    glm_zeros_add(problem, columns, count, tile, &sums, model_step_array(state, "sum_gradient") + count);
    totals[TOTAL_ZEROS] += sums.observed;
    totals[TOTAL_EXPECTED_ZEROS] += sums.expected;
    totals[TOTAL_ZEROS_VARIANCE] += sums.variance;
    totals[TOTAL_ZEROS_THETA] += sums.theta;
}

/* Adds up the deviance without coefficients and its slope, where it is not that of a constant mean. Overwrites the tile. */
static void sum_null(const GlmProblem *problem, const Model *state, const double *const *columns, const DesignTile *rows, const double *offsets, double *totals)
{
    double score = model_fact(state, "step_null", NAN);
    GlmPoint point = {.deviance = 0};
    GlmTile tile;

    if (isnan(score))
        return;
    tile = glm_tile_at(problem, columns, model_find(state, "intercept") != NULL, &score, rows, offsets);
    totals[TOTAL_NULL] += glm_add_rows(problem, &tile, &point) ? point.deviance : NAN;
    for (uint32_t i = 0; i < tile.count; i++) {
        totals[TOTAL_NULL_GRADIENT] += tile.gradient[i];
        totals[TOTAL_NULL_CURVATURE] += tile.curvature[i];
    }
}

/* Adds pending rows, of this state or another one of the same model, to the sums. Of a tile with a mean outside its domain only the start is summed. */
static void sum_tile(Env *env, Model *state, const double *rows, uint32_t pending)
{
    LinearShape shape = shape_of(env, state);
    double *totals = model_step_array(state, "sum_totals"), *theta = env_array(env, (size_t)shape.count + 1, sizeof(double)), *room;
    const double **columns = env_array(env, (size_t)shape.count + 1 + TILE_PADDING, sizeof(double *));
    DesignTile given = {.count = pending, .targets = (double *)pending_targets(rows, state->slot_count), .weights = (double *)pending_weights(rows, state->slot_count)};
    const double *offsets = pending_offsets(rows, state->slot_count);
    GlmPoint point = {.count = shape.count};
    bool start = is_start(state);
    GlmProblem problem;
    GlmTile tile;
    void *memory;

    room = env_aligned(env, PENDING_NUMBERS(shape.count) + (GLM_ROOM + 4) * DESIGN_TILE, &memory);
    pending_columns(&shape, rows, room + (GLM_ROOM + 4) * DESIGN_TILE, columns);
    problem = problem_of(env, state, room);
    linear_step_theta(&shape, 0, theta);
    tile = glm_tile_at(&problem, columns, shape.count, theta, &given, offsets);
    point.valid = glm_add_rows(&problem, &tile, &point);
    sum_rows(&problem, &tile, offsets, start);
    totals[TOTAL_CONSTANT] += problem.constant;
    if (point.valid && strcmp(problem.family->name, "negative_binomial") == 0)
        sum_theta(&problem, &tile, totals);
    totals[TOTAL_EXTREME] += point.extreme;
    totals[TOTAL_OUTSIDE] += point.valid ? 0 : pending;
    totals[TOTAL_DEVIANCE] += point.valid ? point.deviance : 0;
    totals[TOTAL_PEARSON] += point.valid ? point.pearson : 0;
    if (point.valid || start) {
        tile_products(columns, shape.count, tile.gradient, model_step_array(state, "sum_gradient"));
        tile_gram(env, columns, shape.count, tile.curvature, room + GLM_ROOM * DESIGN_TILE, model_step_array(state, "sum_curvature"));
    }
    if (point.valid && !start && glm_zeros_counted(problem.family))
        sum_zeros(&problem, state, columns, shape.count, &tile);
    sum_null(&problem, state, columns, &given, offsets, totals);
    env->release(env, theta);
    env->release(env, (void *)columns);
    env->release(env, memory);
    linear_shape_free(&shape);
}

static void step_add(Env *env, Model *state, const void *prepared, const double *slots, double target, double weight, double offset, ModelStepHints *hints)
{
    formula_require_offset(env, offset);
    linear_step_add(env, state, slots, target, weight, offset, hints, sum_tile);
}

/* Returns the step of the models of an estimator, which is one of them. */
static const ModelStep *step_for(const Model *state)
{
    const ModelStep *step = glm_steps;

    while (step < glm_steps + GLM_STEPS - 1 && strcmp(step->estimator, state->estimator) != 0)
        step++;
    return step;
}

static void step_merge(Env *env, Model *a, const Model *b)
{
    linear_step_merge(env, step_for(a), a, b, sum_tile);
}

/* ---- the next model ---- */

/* The score without coefficients, where its deviance is not that of a constant mean: steps find it beside the others. NaN: unknown. */
typedef struct NullScore {
    double from, deviance; /* a score and its deviance, of which */
    double next;           /* is the next one */
    double now;            /* the deviance of the score that was summed */
    bool settled;          /* it is the one that is looked for, or there is none */
} NullScore;

typedef struct Step {
    Env *env;
    const Model *state;
    LinearShape shape;
    GlmProblem problem;
    GlmPoint at;
    const double *totals, *from; /* from: NULL: there was no step */
    double *next, *step, *factor;
    double objective;   /* what steps lower */
    double first, gain; /* gain NaN: the step of the start */
    double theta;       /* the next one, */
    bool estimated;     /* if it is estimated */
    GlmThetaSums sums;
    NullScore null;
    bool taken_back, singular, converged;
} Step;

static Step step_open(Env *env, const Model *state)
{
    Step step = {.env = env, .state = state, .shape = shape_of(env, state), .problem = problem_of(env, state, NULL)};
    size_t n = step.shape.count;

    env_require_memory(env, 3 * n * n * sizeof(double), "glm_step");
    step.totals = linear_step_numbers(state, "sum_totals");
    step.from = linear_step_numbers(state, "step_from");
    step.at = (GlmPoint){.count = step.shape.count,
                         .theta = env_array(env, n + 1, sizeof(double)),
                         .gradient = (double *)linear_step_numbers(state, "sum_gradient"),
                         .gram = (double *)linear_step_numbers(state, "sum_curvature"),
                         .deviance = fmax(0, step.totals[TOTAL_DEVIANCE]), /* rounding of a perfect fit */
                         .pearson = step.totals[TOTAL_PEARSON],
                         .valid = step.totals[TOTAL_OUTSIDE] == 0 && isfinite(step.totals[TOTAL_DEVIANCE]),
                         .extreme = step.totals[TOTAL_EXTREME] > 0};
    step.estimated = linear_step_numbers(state, "step_family")[2] != 0;
    step.theta = step.problem.parameter;
    step.sums = (GlmThetaSums){step.totals[TOTAL_CONSTANT], step.totals[TOTAL_SCORE], step.totals[TOTAL_INFORMATION]};
    step.objective = step.estimated ? -2 * step.sums.likelihood : step.at.deviance;
    step.next = env_array(env, n + 1, sizeof(double));
    step.step = env_array(env, n + 1, sizeof(double));
    step.factor = env_array(env, n * n + 1, sizeof(double));
    step.first = fmax(model_fact(state, "step_first", step.at.deviance), model_fact(state, "null_deviance", 0));
    step.gain = NAN;
    linear_step_theta(&step.shape, 0, step.at.theta);
    memcpy(step.next, step.at.theta, n * sizeof(double));
    if (!isfinite(state->weight))
        env_fail(env, ERROR_RANGE, "Divide the weights by a power of ten.", "the sum of the weights is out of range");
    return step;
}

/* Takes the next step of the score without coefficients, or halves the last one. */
static NullScore null_step(const Step *step)
{
    const double *totals = step->totals, score = model_fact(step->state, "step_null", NAN);
    double gradient = totals[TOTAL_NULL_GRADIENT], curvature = totals[TOTAL_NULL_CURVATURE];
    NullScore null = {.from = model_fact(step->state, "step_null_from", NAN), .deviance = model_fact(step->state, "step_null_deviance", NAN), .next = NAN, .now = NAN};
    /* deviances at another theta cannot be compared */
    bool worse = !isfinite(totals[TOTAL_NULL]) || (!step->estimated && totals[TOTAL_NULL] > null.deviance + NEWTON_ROUNDING * fabs(null.deviance));

    null.settled = isnan(score) || (worse && isnan(null.from));
    if (!null.settled && worse)
        null.next = (null.from + score) / 2;
    if (null.settled || worse)
        return null;
    null.now = null.deviance = fmax(0, totals[TOTAL_NULL]);
    null.from = score;
    null.settled = !step->shape.intercept || !(gradient * gradient > GLM_ROUNDED * curvature * (null.now + GLM_START_SHARE * step->first));
    null.next = !step->shape.intercept || !(curvature > 0) ? score : score + gradient / curvature;
    return null;
}

/* Goes to the usual start of the coefficients, if there is one. */
static void take_start(Step *step)
{
    step->singular = !glm_solve_step(&step->problem, &step->at, step->factor, step->step);
    if (!step->singular)
        memcpy(step->next, step->step, step->at.count * sizeof(double));
    else if (!step->at.valid)
        glm_fail_start(&step->problem);
}

/* Halves the last step, or takes it back whole if it was to the start, if it was too long; returns whether it did. */
static bool take_back(Step *step)
{
    double before = model_fact(step->state, "step_objective", NAN), promise = model_fact(step->state, "step_promise", NAN);
    double theta = model_fact(step->state, "step_theta", NAN);
    double wanted = isnan(promise) || step->estimated ? 0 : NEWTON_ENOUGH * promise; /* objectives at another theta cannot be compared */
    bool rounding = promise <= GLM_ROUNDED * (before + GLM_START_SHARE * step->first);

    if (step->at.valid && (step->from == NULL || rounding || !(step->objective > before - wanted + NEWTON_ROUNDING * fabs(before))))
        return false;
    if (step->from == NULL)
        glm_fail_start(&step->problem);
    for (uint32_t j = 0; j < step->at.count; j++)
        step->next[j] = isnan(promise) ? step->from[j] : (step->from[j] + step->at.theta[j]) / 2;
    if (step->estimated && theta > 0)
        step->theta = isnan(promise) ? theta : sqrt(theta * step->theta);
    step->taken_back = true;
    return true;
}

/* Takes the next step, and tells whether it is the last one: as glm_solve does. */
static void take_step(Step *step, double tolerance)
{
    double scale = step->at.deviance + GLM_START_SHARE * step->first, before = model_fact(step->state, "step_promise", INFINITY), gain = 0, length = 0, gain_of_theta;

    step->singular = !glm_solve_step(&step->problem, &step->at, step->factor, step->step);
    if (step->singular)
        return;
    for (uint32_t j = 0; !(scale <= 0) && j < step->at.count; j++) /* no deviance is below 0 */
        gain += step->step[j] * step->at.gradient[j];
    if (step->estimated && step->problem.mean != 0) { /* unless no row has a count: any theta will do */
        length = glm_theta_step(step->theta, &step->sums, &gain_of_theta);
        gain += gain_of_theta;
    }
    step->gain = gain;
    step->converged = step->null.settled && (gain <= tolerance * tolerance * scale || (gain <= GLM_ROUNDED * scale && gain >= before));
    if (step->converged)
        glm_judge_extreme(&step->problem, &step->at, step->step);
    if (step->converged && gain > GLM_ROUNDED * scale)
        return;
    for (uint32_t j = 0; j < step->at.count; j++)
        step->next[j] += step->step[j];
    step->theta = step->estimated ? glm_theta_after(step->theta, length) : step->theta;
}

/* Adds the covariance, as a fit of the rows does. */
static void add_errors(const Step *step, LinearEquations *out)
{
    uint32_t n = step->at.count;
    double rows = model_counted_rows(step->state), *inverse;

    if (n == 0 || !(rows > n || step->problem.family->fixed))
        return;
    inverse = glm_inverse(step->env, step->factor, n, step->problem.family->fixed ? 1 : step->at.pearson / (rows - n));
    for (size_t i = 0; i < (size_t)n * n; i++)
        if (!isfinite(inverse[i]))
            return;
    out->covariance = linear_step_covariance(&step->shape, inverse, n);
}

/* Tells whether the next model keeps an array or fact of the state. */
static bool is_kept(const ModelEntry *entry)
{
    static const char *const replaced[] = {"deviance",       "expected_zeros", "null_deviance", "pearson",         "step_first", "step_mean", "step_null", "step_null_deviance",
                                           "step_null_from", "step_start",     "step_theta",    "theta",           "theta_std_error", "zeros", "zeros_z", NULL};

    return is_of_model(entry) && linear_step_keeps(entry) && !model_entry_is_any(entry, replaced);
}

/* Adds what the next pass needs of this one: nothing where no step is behind it. */
static void add_progress(const Step *step, ModelBuilder *builder)
{
    double promise = model_fact(step->state, "step_promise", NAN);

    if (step->taken_back ? isnan(promise) : is_start(step->state) && (step->singular || !step->at.valid))
        return;
    if (!is_start(step->state))
        builder_fact(builder, "step_first", step->first);
    builder_fact(builder, "step_objective", step->taken_back ? model_fact(step->state, "step_objective", 0) : step->objective);
    if (step->estimated)
        builder_fact_finite(builder, "step_theta", step->taken_back ? model_fact(step->state, "step_theta", NAN) : step->problem.parameter);
    builder_fact_finite(builder, "step_promise", step->taken_back ? promise / 2 : step->gain);
    builder_f64(builder, SECTION_ARRAYS, "step_from", step->taken_back ? step->from : step->at.theta, step->at.count);
}

/* Adds theta and, where it is estimated, what depends on it. last: no pass follows. */
static void add_theta(const Step *step, bool last, ModelBuilder *builder)
{
    if (strcmp(step->problem.family->name, "negative_binomial") == 0)
        builder_fact(builder, "theta", step->theta);
    if (!step->estimated)
        return;
    if (step->at.valid)
        builder_fact_finite(builder, "theta_std_error", glm_theta_error(&step->sums));
    if (last)
        glm_theta_warn(step->env, step->problem.method, step->theta);
}

/* Adds the deviance without coefficients and, unless no pass follows, what the next one needs to find it. */
static void add_null(const Step *step, bool last, ModelBuilder *builder)
{
    const NullScore *null = &step->null;

    if (model_find(step->state, "step_null") == NULL) {
        builder_fact_finite(builder, "null_deviance", is_start(step->state) && step->at.valid ? step->at.deviance : model_fact(step->state, "null_deviance", NAN));
        return;
    }
    builder_fact_finite(builder, "null_deviance", last && !null->settled ? NAN : null->now);
    if (last)
        return;
    builder_fact_finite(builder, "step_null", null->next);
    builder_fact_finite(builder, "step_null_deviance", null->deviance);
    builder_fact_finite(builder, "step_null_from", null->from);
}

/* Adds how many counts are 0, and warns, where rows count as they are: as a fit of the rows does. */
static void add_zeros(const Step *step, ModelBuilder *builder)
{
    const Model *state = step->state;
    const double *totals = step->totals;
    uint32_t count = step->at.count;
    GlmZeroSums sums = {totals[TOTAL_ZEROS], totals[TOTAL_EXPECTED_ZEROS], totals[TOTAL_ZEROS_VARIANCE], totals[TOTAL_ZEROS_THETA]};
    double *slope;
    GlmZeros zeros;

    if (!glm_zeros_counted(step->problem.family) || (!step->problem.frequency && ((state->flags & MODEL_WEIGHTED) != 0 || state->weight != (double)state->rows)))
        return;
    slope = env_array(step->env, (size_t)count + 1, sizeof(double));
    memcpy(slope, step->at.gradient + count, count * sizeof(double));
    zeros = glm_zeros_of(step->env, &sums, slope, step->factor, count, step->estimated ? glm_theta_error(&step->sums) : NAN);
    glm_zeros_facts(&zeros, builder);
    glm_zeros_warn(step->env, step->problem.family, step->problem.method, &zeros);
}

static void add_facts(const Step *step, ModelBuilder *builder)
{
    GlmSums sums = {model_counted_rows(step->state), step->state->weight, step->totals[TOTAL_CONSTANT], step->at.deviance};
    const GlmFamily *family = step->problem.family;
    bool last = step->converged || (step->singular && !is_start(step->state)), unbounded = last && (step->singular || step->at.extreme);

    builder_fact_i64(builder, "iterations", model_step_iterations(step->state) + 1);
    builder_fact_bool(builder, "converged", step->converged && !unbounded);
    if (unbounded)
        builder_fact_bool(builder, "separated", true);
    if (!last) {
        add_progress(step, builder);
        builder_fact(builder, "step_mean", step->problem.mean);
    }
    add_theta(step, last, builder);
    add_null(step, last, builder);
    if (step->converged && !unbounded)
        add_zeros(step, builder);
    if (!step->at.valid)
        return;
    builder_fact(builder, "deviance", step->at.deviance);
    builder_fact_finite(builder, "pearson", step->at.pearson);
    if (family->likelihood != NULL)
        builder_fact_finite(builder, "log_likelihood", family->likelihood(&sums));
    else if (strcmp(family->name, "negative_binomial") == 0)
        builder_fact_finite(builder, "log_likelihood", sums.constant);
}

/* Returns the next model of a state that has no pending rows. */
static Model *finish_summed(Env *env, const Model *state)
{
    Step step = step_open(env, state);
    ModelBuilder *builder = builder_from(env, state, is_kept);
    LinearEquations out;

    step.null = null_step(&step);
    if (is_start(state))
        take_start(&step);
    else if (!take_back(&step))
        take_step(&step, options_number(estimator_options(env, estimator_of(state), state), "tolerance"));
    for (uint32_t j = 0; j < step.at.count; j++)
        if (!isfinite(step.next[j]))
            env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.", "the coefficients of glm_step exceed the range of double precision");
    out = linear_step_equations(&step.shape, step.next);
    if (step.converged)
        add_errors(&step, &out);
    add_facts(&step, builder);
    linear_equations_add(builder, &out);
    return model_require_readable(env, model_build(builder));
}

static Model *step_finish(Env *env, const Model *state)
{
    return linear_step_finish(env, state, sum_tile, finish_summed);
}

#define GLM_STEP(of)                                                                                                                      \
    {.name = "glm_step", .estimator = of, .begin_hint = "Begin from glm_start over moments of all rows.", .sums = "sum_totals",           \
     .begin = step_begin, .add_labeled = step_add, .numbers = true, .merge = step_merge, .finish = step_finish}

const ModelStep glm_steps[GLM_STEPS] = {GLM_STEP("gamma_regression"), GLM_STEP("glm"), GLM_STEP("negative_binomial_regression"), GLM_STEP("poisson_regression"),
                                        GLM_STEP("tweedie_regression")};
