/*
 * logistic_step.c - one Newton step of a logistic model as an aggregate.
 *
 * Only the next pass can tell that a step made the objective worse; that pass then halves it.
 */
#include "core/logistic/logistic_step.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_step.h"
#include "core/logistic/logistic_tile.h"
#include "core/linear_equations/penalty_plan.h"
#include "core/logistic/logistic_quadratic.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

#define STEP_MOST 800 /* most parameters of a model */

enum { TOTAL_LOSS, TOTAL_WEIGHT, TOTAL_ROWS, TOTALS };

/* The shape of a model's parameters, derived from the model for each use. */
typedef struct Shape {
    LinearShape linear; /* fixed: 1 for softmax without a penalty */
    uint32_t positive;
    bool softmax, penalized;
    uint32_t size, pairs; /* parameters; pairs of free equations e <= f */
    LossPenalty penalty;
} Shape;

/* Returns the penalty: the stored step_penalty, or else that of the options. */
static LossPenalty penalty_of(Env *env, const Model *model)
{
    const double *stored = linear_step_numbers(model, "step_penalty");

    if (stored == NULL) {
        LossPenalty unit = loss_penalty_unit(estimator_options(env, estimator_of(model), model));

        return loss_penalty_at(&unit, penalty_lambda(env, model));
    }
    return (LossPenalty){.l1 = stored[0], .l2 = stored[1]};
}

static Shape shape_of(Env *env, const Model *model)
{
    Shape shape = {.linear = linear_shape(env, model, linear_dropped(model), false), .penalty = penalty_of(env, model)};
    LinearShape *linear = &shape.linear;

    shape.penalized = loss_penalized(&shape.penalty);
    shape.softmax = linear->view.equations > 1;
    shape.positive = linear->classes == 2 ? class_rule_of(model).positive : 0;
    linear->fixed = shape.softmax && !shape.penalized;
    linear->equations -= linear->fixed;
    shape.size = linear->equations * linear->count;
    shape.pairs = linear->equations * (linear->equations + 1) / 2;
    return shape;
}

/* ---- checks ---- */

/* Tells whether the model consists of binary problems. */
static bool is_coded(const Model *model)
{
    uint32_t length;

    return multiclass_coded(model) || (dictionary_size(model, DICTIONARY_CLASSES) > 2 &&
                                       *model_i64(model, "link", &length) != LINK_SOFTMAX);
}

const ArraySpec logistic_step_arrays[8] = {
    {.name = "step_deviation",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .other = "step_penalty",
     .rows = {SIZE_SLOTS, .other = SIZE_LEVELS}},
    {.name = "step_factor",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .other = "step_penalty",
     .rows = {SIZE_CLASSES}},
    {.name = "step_from", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .other = "step_penalty", .rows = {SIZE_FREE}},
    {.name = "step_penalty",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_NONNEGATIVE,
     .rows = {SIZE_NUMBER, .plus = 2}},
    LINEAR_SUM_SPECS,
    {.name = "sum_totals",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .other = "step_penalty",
     .rows = {SIZE_NUMBER, .plus = TOTALS}}};

const char *logistic_step_check(Env *env, const Model *model)
{
    Shape shape;

    if (model_find(model, "step_penalty") == NULL)
        return NULL;
    if (is_coded(model))
        return "a logistic model of binary problems has arrays of logistic_step";
    shape = shape_of(env, model);
    if (shape.size > STEP_MOST)
        return "a logistic model with arrays of logistic_step has too many parameters";
    if (!linear_step_from_fits(&shape.linear))
        return "\"step_from\" does not fit the model";
    if (!linear_step_sums_fit(&shape.linear, (LinearSums){1, shape.pairs, TOTALS}))
        return "the sums of a step of logistic_regression do not fit its model";
    return NULL;
}

/* ---- the state ---- */

static Model *step_begin(Env *env, const Model *model)
{
    Shape shape;
    bool given = model_find(model, "step_penalty") != NULL;
    double penalty[2];
    Model *state;

    if (is_coded(model))
        env_fail(env, ERROR_KIND, "Begin from logistic_start, or from a multinomial fit.",
                 "logistic_step needs a model of two classes or a multinomial one, not one of binary problems");
    shape = shape_of(env, model);
    if (shape.size > STEP_MOST)
        env_fail(env, ERROR_LIMIT, "Fit fewer features or classes, or use logistic_regression.",
                 "logistic_step supports at most %d parameters, but the model has %u", STEP_MOST, shape.size);
    penalty[0] = shape.penalty.l1;
    penalty[1] = shape.penalty.l2;
    state = linear_step_begin(&shape.linear, (LinearSums){1, shape.pairs, TOTALS}, linear_step_is_no_sum, given ? NULL : "step_penalty", penalty, 2, "logistic_step");
    linear_shape_free(&shape.linear);
    return state;
}

/* ---- sums ---- */

/* Returns a tile of the pending rows, allocated; release its columns and *memory. */
static TileModel fill_tile(const Shape *shape, const double *rows, uint32_t pending, void **memory)
{
    const double *classes = pending_targets(rows, shape->linear.model->slot_count), *weights = pending_weights(rows, shape->linear.model->slot_count);
    TileModel tile = {.count = shape->linear.count, .equations = shape->linear.equations, .classes = shape->linear.view.equations};
    const double **columns = env_array(shape->linear.env, (size_t)shape->linear.count + TILE_PADDING, sizeof(double *));
    double *next = env_aligned(shape->linear.env, PENDING_NUMBERS(shape->linear.count) + ((size_t)shape->linear.view.equations + 8) * DESIGN_TILE, memory);

    tile.columns = columns;
    pending_columns(&shape->linear, rows, next, columns);
    tile.eta = next + PENDING_NUMBERS(shape->linear.count);
    tile.y = tile.eta + (size_t)shape->linear.view.equations * DESIGN_TILE;
    tile.w = tile.y + DESIGN_TILE;
    tile.room = tile.w + DESIGN_TILE;
    tile.scratch = tile.room + 2 * DESIGN_TILE;
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        uint32_t class = (uint32_t)classes[i];

        if (class >= shape->linear.classes) /* an edited state that has fewer classes than the model */
            model_step_fail_other(shape->linear.env, "logistic_step");
        tile.y[i] = shape->softmax ? class : class == shape->positive;
        tile.w[i] = i < pending ? weights[i] * (shape->linear.factor != NULL ? shape->linear.factor[class] : 1) : 0;
    }
    return tile;
}

/* Writes the model's parameters, equation by equation. */
static void read_theta(const Shape *shape, double *theta)
{
    for (uint32_t e = 0; e < shape->linear.equations; e++)
        linear_step_theta(&shape->linear, e, theta + (size_t)e * shape->linear.count);
}

/* Adds pending rows, of this state or another one of the same model, to the sums. */
static void sum_tile(Env *env, Model *state, const double *rows, uint32_t pending)
{
    Shape shape = shape_of(env, state);
    double *totals = model_step_array(state, "sum_totals");
    double *theta = env_array(env, (size_t)shape.size + 1, sizeof(double));
    void *memory;
    TileModel tile = fill_tile(&shape, rows, pending, &memory);

    read_theta(&shape, theta);
    totals[TOTAL_LOSS] += tile_derivatives(env, &tile, theta, model_step_array(state, "sum_gradient"),
                                           model_step_array(state, "sum_curvature"));
    for (uint32_t i = 0; i < pending; i++)
        totals[TOTAL_WEIGHT] += tile.w[i];
    env->release(env, theta);
    env->release(env, (void *)tile.columns);
    env->release(env, memory);
    linear_shape_free(&shape.linear);
}

static void step_add(Env *env, Model *state, const void *prepared, const double *slots, double class, double weight, double offset,
                     ModelStepHints *hints)
{
    linear_step_add(env, state, slots, class, weight, offset, hints, sum_tile);
}

static void step_merge(Env *env, Model *a, const Model *b)
{
    linear_step_merge(env, &logistic_step, a, b, sum_tile);
}

/* ---- the next model ---- */

typedef struct Step {
    Shape shape;
    const Model *state;
    double *theta, *next, *matrix, *gradient, *l1, *l2;
    double loss, penalty, objective, weight, rows;
    double promise, before;   /* decrease promised by this step and by the last one; before NaN: there is none */
    bool taken_back, converged, separated;
} Step;

static void fill_penalties(Step *step)
{
    const Shape *shape = &step->shape;

    for (uint32_t i = 0; i < shape->size; i++) {
        uint32_t t = i % shape->linear.count - shape->linear.intercept;
        double factor = 1;

        if (shape->linear.intercept && i % shape->linear.count == 0)
            continue;
        if (shape->linear.deviation != NULL)
            factor = shape->linear.deviation[shape->linear.terms[t].column];
        step->l1[i] = shape->penalty.l1 * factor;
        step->l2[i] = shape->penalty.l2 * factor * factor;
    }
}

/* Writes the Hessian of the objective, dense. */
static void fill_matrix(Step *step)
{
    const Shape *shape = &step->shape;
    bool all = shape->softmax && shape->linear.fixed == 0 && shape->linear.intercept;

    blocks_to_hessian(linear_step_numbers(step->state, "sum_curvature"), shape->linear.equations, shape->linear.count, step->l2,
                      all ? step->weight / shape->linear.classes / shape->linear.classes : 0, step->matrix);
}

/* Halves the last step if it made the objective worse; returns whether it did. */
static bool take_back(Step *step)
{
    const double *from = linear_step_numbers(step->state, "step_from");
    double objective = model_fact(step->state, "step_objective", NAN);
    double promise = model_fact(step->state, "step_promise", NAN);

    if (from == NULL || !linear_step_worse(step->objective, objective, NEWTON_ENOUGH * promise))
        return false;
    for (uint32_t i = 0; i < step->shape.size; i++)
        step->next[i] = (from[i] + step->theta[i]) / 2;
    step->taken_back = true;
    return true;
}

/* Computes the next parameters, and whether they are the solution. */
static void take_step(Step *step, double tolerance)
{
    uint32_t size = step->shape.size;
    double *change = env_array(step->shape.linear.env, (size_t)size + 1, sizeof(double));
    double goal = tolerance * step->weight / step->rows, rate = 1;

    step->before = model_fact(step->state, "step_promise", NAN);
    step->promise = quadratic_step_scaled(step->shape.linear.env, size, step->matrix, step->gradient, step->theta,
                                          step->shape.penalty.l1 > 0 ? step->l1 : NULL, 1e-3 * goal, change);
    if (step->promise < step->before)
        rate = step->promise / step->before;
    step->converged = step->promise * rate <= goal || step->promise <= NEWTON_ROUNDING * step->objective;
    step->separated = step->converged && !step->shape.penalized && rate > NEWTON_SEPARATED_RATE &&
                      step->promise > 0 && isfinite(step->before);
    step->converged = step->converged && !step->separated;
    for (uint32_t i = 0; i < size; i++)
        step->next[i] = step->theta[i] + change[i];
}

/* Sets the loss and the objective at the end of a last step, where the quadratic model is as accurate as a pass. */
static void foresee(Step *step, const double *gradient)
{
    uint32_t size = step->shape.size;
    double change = 0;

    for (uint32_t i = 0; i < size; i++) {
        double d = step->next[i] - step->theta[i], along = 0;

        for (uint32_t j = 0; j < size; j++)
            along += step->matrix[(size_t)i * size + j] * (step->next[j] - step->theta[j]);
        change += d * (gradient[i] + along / 2 - step->l2[i] * d);
    }
    step->loss += change;
    step->penalty = penalty_sum(size, step->l1, step->l2, step->next);
    step->objective = step->loss + step->penalty;
}

/* Adds the covariance (one equation) or the standard errors, from the curvature: for all terms, 0 for dropped ones. */
static void add_errors(const Step *step, LinearEquations *out)
{
    const LinearShape *linear = &step->shape.linear;
    uint32_t size = step->shape.size, all, columns = linear->view.columns;
    double *inverse = logistic_inverse(linear->env, step->matrix, size);
    LinearTerm *terms = linear_terms(linear->env, step->state, &all);

    if (inverse == NULL)
        return;
    if (step->shape.softmax)
        out->errors = env_array(linear->env, out->equations, ((size_t)columns + 1) * sizeof(double));
    for (uint32_t e = 0; e < linear->equations; e++) {
        double *packed = linear_step_covariance(linear, inverse + (size_t)e * linear->count * (size + 1), size);
        double *errors = out->errors + (size_t)(e + linear->fixed) * (columns + 1);

        if (!step->shape.softmax) {
            out->covariance = packed;
            continue;
        }
        if (linear->intercept)
            errors[0] = sqrt(fmax(0, packed[0]));
        for (uint32_t t = 0; t < all; t++)
            errors[1 + terms[t].column] = sqrt(fmax(0, packed[factor_packed((size_t)t + linear->intercept) + t + linear->intercept]));
    }
}

static void add_facts(const Step *step, ModelBuilder *builder)
{
    const Shape *shape = &step->shape;
    double lambda = penalty_lambda(shape->linear.env, step->state);
    int64_t nonzero = 0;

    builder_fact_i64(builder, "iterations", model_step_iterations(step->state) + 1);
    builder_fact_bool(builder, "converged", step->converged);
    if (step->separated)
        builder_fact_bool(builder, "separated", true);
    builder_fact(builder, "log_likelihood", -step->loss);
    if (shape->penalized) {
        builder_fact(builder, "objective", step->objective);
        if (lambda > 0) /* not so where a typed model says otherwise */
            builder_fact(builder, "penalty", step->penalty / lambda);
    }
    if (shape->penalty.l1 > 0) {
        for (uint32_t i = 0; i < shape->size; i++)
            nonzero += step->next[i] != 0 && !(shape->linear.intercept && i % shape->linear.count == 0);
        builder_fact_i64(builder, "nonzero", nonzero);
    }
    if (step->taken_back) {
        builder_fact(builder, "step_objective", model_fact(step->state, "step_objective", 0));
        builder_fact(builder, "step_promise", model_fact(step->state, "step_promise", 0) / 2);
    } else if (!step->converged && !step->separated) {
        builder_fact(builder, "step_objective", step->objective);
        builder_fact(builder, "step_promise", step->promise);
    }
}

static Model *next_model(Step *step)
{
    const Shape *shape = &step->shape;
    ModelBuilder *builder = builder_from(shape->linear.env, step->state, linear_step_keeps);
    LinearEquations out = linear_step_equations(&shape->linear, step->next);

    if (step->converged && !shape->penalized && shape->linear.factor == NULL)
        add_errors(step, &out);
    if (shape->softmax && shape->linear.fixed == 0 && shape->linear.intercept && step->converged)
        center_numbers(out.offset, out.equations, 1); /* no class is the reference */
    add_facts(step, builder);
    linear_equations_add(builder, &out);
    if (step->taken_back)
        builder_f64(builder, SECTION_ARRAYS, "step_from", linear_step_numbers(step->state, "step_from"), shape->size);
    else if (!step->converged && !step->separated)
        builder_f64(builder, SECTION_ARRAYS, "step_from", step->theta, shape->size);
    return model_require_readable(shape->linear.env, model_build(builder));
}

/* Returns the next model of a state that has no pending rows. */
static Model *finish_summed(Env *env, const Model *state)
{
    Step step = {.shape = shape_of(env, state), .state = state, .rows = (double)state->rows};
    const double *totals = linear_step_numbers(state, "sum_totals"), *gradient = linear_step_numbers(state, "sum_gradient");
    const Options *options = estimator_options(env, estimator_of(state), state);
    uint32_t size = step.shape.size;

    env_require_memory(env, (size_t)size * size * 4 * sizeof(double), "logistic_step");
    step.loss = totals[TOTAL_LOSS];
    step.weight = totals[TOTAL_WEIGHT];
    step.theta = env_array(env, (size_t)size + 1, sizeof(double));
    step.next = env_array(env, (size_t)size + 1, sizeof(double));
    step.gradient = env_array(env, (size_t)size + 1, sizeof(double));
    step.l1 = env_array(env, (size_t)size + 1, sizeof(double));
    step.l2 = env_array(env, (size_t)size + 1, sizeof(double));
    step.matrix = env_array(env, (size_t)size * size + 1, sizeof(double));
    read_theta(&step.shape, step.theta);
    fill_penalties(&step);
    step.penalty = penalty_sum(size, step.l1, step.l2, step.theta);
    step.objective = step.loss + step.penalty;
    if (!isfinite(step.weight))
        env_fail(env, ERROR_RANGE, "Divide the weights by a power of ten.", "the sum of the weights is out of range");
    if (!isfinite(step.objective))
        env_fail(env, ERROR_RANGE, "Begin from logistic_start, and divide large features by a power of ten.",
                 "the loss of the model exceeds the range of double precision");
    if (!take_back(&step)) {
        for (uint32_t i = 0; i < size; i++)
            step.gradient[i] = gradient[i] + 2 * step.l2[i] * step.theta[i];
        fill_matrix(&step);
        take_step(&step, options_number(options, "tolerance"));
        if (step.converged) {
            fill_matrix(&step); /* unscaled again */
            foresee(&step, gradient);
        }
    }
    for (uint32_t i = 0; i < size; i++)
        if (!isfinite(step.next[i]))
            env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                     "the coefficients of logistic_step exceed the range of double precision");
    return next_model(&step);
}

static Model *step_finish(Env *env, const Model *state)
{
    return linear_step_finish(env, state, sum_tile, finish_summed);
}

const ModelStep logistic_step = {
    .name = "logistic_step",
    .estimator = "logistic_regression",
    .begin_hint = "Begin from logistic_start over class_moments of all rows.",
    .sums = "sum_totals",
    .begin = step_begin,
    .add_labeled = step_add,
    .merge = step_merge,
    .finish = step_finish,
};
