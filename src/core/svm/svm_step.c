/*
 * svm_step.c - one Newton step of the equations of a linear support vector machine as an aggregate.
 */
#include "core/svm/svm_step.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/linalg/penalized_quadratic.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_step.h"
#include "core/svm/squared_margin.h"
#include "core/svm/svm_linear.h"

#include <math.h>
#include <string.h>

#define SVM_STEP_NUMBERS 4000000 /* most numbers of the curvatures of all equations: 32 MB */
#define FORESEEN 1e-13 /* of the objective: gains below it are rounding */

/* The shape of a model's parameters, derived from the model for each use. classes 0: a regression. */
typedef struct Shape {
    LinearShape linear;
    CodeBook book;
    const uint8_t *done; /* [equations], or NULL: none */
} Shape;

/* Fills in how the classes are split into problems; of a checked model. */
static void read_book(Shape *shape)
{
    uint32_t length, positive;
    const int64_t *kind = model_i64(shape->linear.model, "multiclass", &length), *codes = model_i64(shape->linear.model, "code_book", &length);
    CodeBook *book = &shape->book;

    book->kind = kind != NULL && shape->linear.classes > 2 ? (MulticlassKind)*kind : MULTICLASS_SCORES;
    book->classes = shape->linear.classes;
    book->problems = shape->linear.equations;
    book->signs = env_array(shape->linear.env, (size_t)shape->linear.classes + 1, 1);
    if (shape->linear.classes == 2) {
        positive = class_rule_of(shape->linear.model).positive;
        book->codes = env_array(shape->linear.env, 2, 1);
        book->codes[positive] = 1;
        book->codes[1 - positive] = -1;
    } else if (book->kind == MULTICLASS_ECOC && codes != NULL) {
        book->codes = env_array(shape->linear.env, (size_t)shape->linear.classes * shape->linear.equations, 1);
        for (uint32_t e = 0; e < shape->linear.equations; e++)
            for (uint32_t c = 0; c < shape->linear.classes; c++)
                book->codes[(size_t)e * shape->linear.classes + c] = (int8_t)codes[(size_t)c * shape->linear.equations + e];
    }
}

static Shape shape_of(Env *env, const Model *model)
{
    const ModelEntry *done = model_find(model, "step_done");
    Shape shape = {.linear = linear_shape(env, model, NULL, true), .done = done != NULL ? model_data(model, done) : NULL};

    if (shape.linear.classes > 0)
        read_book(&shape);
    return shape;
}

static void shape_free(const Shape *shape)
{
    linear_shape_free(&shape->linear);
    if (shape->book.codes != NULL)
        shape->linear.env->release(shape->linear.env, shape->book.codes);
    if (shape->book.signs != NULL)
        shape->linear.env->release(shape->linear.env, shape->book.signs);
}

static bool is_done(const Shape *shape, uint32_t equation)
{
    return shape->done != NULL && shape->done[equation];
}

/* ---- checks ---- */

const ArraySpec svm_step_arrays[11] = {
    {.name = "step_deviation",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_NONNEGATIVE,
     .rows = {SIZE_SLOTS, .other = SIZE_LEVELS}},
    {.name = "step_done",
     .type = ARRAY_U8,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_PROBABILITY, /* 0 or 1: bytes are whole numbers */
     .rows = {SIZE_EQUATIONS}},
    {.name = "step_epsilon", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_NONNEGATIVE, .rows = {SIZE_NUMBER, .plus = 1}},
    {.name = "step_factor", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_NONNEGATIVE, .rows = {SIZE_CLASSES}},
    {.name = "step_from", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "step_done", .rows = {SIZE_FREE}},
    {.name = "step_objective", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "step_done", .rows = {SIZE_EQUATIONS}},
    {.name = "step_promise", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "step_done", .rows = {SIZE_EQUATIONS}},
    LINEAR_SUM_SPECS,
    {.name = "sum_totals", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .rows = {SIZE_EQUATIONS, .plus = 2}}};

static LinearSums sums_of(const Shape *shape)
{
    return (LinearSums){1, shape->linear.equations, shape->linear.equations + 2};
}

const char *svm_step_check(Env *env, const Model *model)
{
    const double *totals = linear_step_numbers(model, "sum_totals");
    bool stepped = model_find(model, "step_done") != NULL;
    Shape shape;

    if (totals == NULL && !stepped)
        return NULL;
    shape = shape_of(env, model);
    if (shape.linear.classes == 2 && shape.linear.equations != 1)
        return "a support vector machine of two classes with arrays of svm_step has more than one equation";
    if (!linear_step_from_fits(&shape.linear))
        return "\"step_from\" does not fit the model";
    if (totals == NULL)
        return NULL;
    if (!linear_step_sums_fit(&shape.linear, sums_of(&shape)) || (shape.linear.classes == 0 && model_find(model, "step_epsilon") == NULL))
        return "the sums of svm_step do not fit their model";
    return NULL;
}

/* ---- the state ---- */

/* Tells whether an entry belongs to the model, not to the running sums or to the support vectors of a fit. */
static bool is_of_model(const ModelEntry *entry)
{
    static const char *const left[] = {"step_epsilon", "row_numbers", "multipliers", "at_bound", "dropped", NULL};

    return !model_entry_is_any(entry, left) && linear_step_is_no_sum(entry);
}

/* Fails if the model is none that steps can go on from. */
static void require_model(Env *env, const Shape *shape, const Options *options)
{
    if (shape->linear.classes == 2 && shape->linear.equations != 1)
        env_fail(env, ERROR_KIND, "Begin from svm_start.", "svm_step needs a model of two classes with one equation, not with %u", shape->linear.equations);
    if (shape->linear.deviation == NULL && options_boolean(options, "standardize"))
        env_fail(env, ERROR_KIND, "Begin from svm_start.", "the model does not say how its features were standardized");
    if (shape->linear.classes > 0 && shape->linear.factor == NULL && !options_is(options, "class_weight", "none"))
        env_fail(env, ERROR_KIND, "Begin from svm_start.", "the model does not say the weights of its classes");
    if (shape->linear.count > 0 && shape->linear.equations > SVM_STEP_NUMBERS / factor_packed(shape->linear.count))
        env_fail(env, ERROR_LIMIT, "Fit fewer features or classes, or fit the rows at once.",
                 "svm_step sums at most %d numbers, but %u equations of %u coefficients take %.0f", SVM_STEP_NUMBERS, shape->linear.equations,
                 shape->linear.count, (double)shape->linear.equations * (double)factor_packed(shape->linear.count));
}

static Model *step_begin(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Options *options;
    double epsilon = 0;
    Model *state;
    Shape shape;

    if (kernel_model_is(model))
        env_fail(env, ERROR_KIND, "Begin from svm_start.", "svm_step needs a linear model, not one of another kernel");
    options = estimator_options(env, estimator, model);
    svm_step_require(env, estimator, options);
    if (isinf(svm_c(options)))
        env_fail(env, ERROR_PARAMETER, "Begin from svm_start with a number.", "svm_step does not support \"C\": \"hard\"");
    shape = shape_of(env, model);
    require_model(env, &shape, options);
    if (shape.linear.classes == 0)
        epsilon = options_number(options, "epsilon");
    state = linear_step_begin(&shape.linear, sums_of(&shape), is_of_model, shape.linear.classes == 0 ? "step_epsilon" : NULL, &epsilon, 1, "svm_step");
    shape_free(&shape);
    return state;
}

/* ---- sums ---- */

/* The pending rows, and scratch of a tile. */
typedef struct Pending {
    const double **columns;
    const double *targets, *weights; /* classes or numbers; as they came */
    uint32_t rows;
    double *score, *sign, *bound, *C, *slopes, *curvatures, *losses, *active, *scratch; /* [DESIGN_TILE], scratch [4 x DESIGN_TILE] */
    double epsilon;
} Pending;

/* Sets sign, bound and C = weight of one side of the rows. side: 0, or of a regression 1 too. */
static void set_side(const Shape *shape, const Pending *tile, const int8_t *signs, uint32_t side)
{
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        double weight = i < tile->rows ? tile->weights[i] : 0;

        if (signs == NULL) {
            tile->sign[i] = side > 0 ? -1 : 1;
            tile->bound[i] = tile->sign[i] * tile->targets[i] - tile->epsilon;
        } else {
            uint32_t class = (uint32_t)tile->targets[i];

            if (class >= shape->linear.classes) /* an edited state that has fewer classes than the model */
                model_step_fail_other(shape->linear.env, "svm_step");
            tile->sign[i] = signs[class];
            tile->bound[i] = 1;
            weight = signs[class] != 0 ? weight * (shape->linear.factor != NULL ? shape->linear.factor[class] : 1) : 0;
        }
        tile->C[i] = weight;
    }
}

/* Adds an equation's losses and derivatives. theta: scratch. */
static void sum_equation(const Shape *shape, Model *state, Pending *tile, uint32_t equation, double *theta)
{
    const int8_t *signs = shape->linear.classes > 0 ? book_signs(&shape->book, equation) : NULL;

    linear_step_theta(&shape->linear, equation, theta);
    tile_scores(tile->columns, shape->linear.count, theta, tile->score);
    memset(tile->slopes, 0, (size_t)3 * DESIGN_TILE * sizeof(double)); /* curvatures and losses too */
    for (uint32_t side = 0; side < (signs == NULL ? 2 : 1); side++) {
        set_side(shape, tile, signs, side);
        squared_losses(tile->score, tile->sign, tile->bound, tile->C, DESIGN_TILE, tile->slopes, tile->curvatures, tile->losses);
    }
    for (uint32_t i = 0; i < DESIGN_TILE; i++)
        tile->active[i] = tile->curvatures[i] > 0 ? 1 : tile->active[i];
    if (is_done(shape, equation))
        return;
    model_step_array(state, "sum_totals")[equation] += tile_sum(tile->losses);
    tile_products(tile->columns, shape->linear.count, tile->slopes, model_step_array(state, "sum_gradient") + (size_t)equation * shape->linear.count);
    tile_gram(shape->linear.env, tile->columns, shape->linear.count, tile->curvatures, tile->scratch,
              model_step_array(state, "sum_curvature") + equation * factor_packed(shape->linear.count));
}

/* Adds pending rows, of this state or another one of the same model, to the sums. */
static void sum_tile(Env *env, Model *state, const double *rows, uint32_t pending)
{
    Shape shape = shape_of(env, state);
    uint32_t slots = state->slot_count;
    Pending tile = {.targets = pending_targets(rows, slots), .weights = pending_weights(rows, slots), .rows = pending};
    double *theta = env_array(env, (size_t)shape.linear.count + 1, sizeof(double)), *next;
    void *memory;

    tile.columns = env_array(env, (size_t)shape.linear.count + 1 + TILE_PADDING, sizeof(double *));
    next = env_aligned(env, PENDING_NUMBERS(shape.linear.count) + (size_t)12 * DESIGN_TILE, &memory);
    pending_columns(&shape.linear, rows, next, tile.columns);
    tile.score = next + PENDING_NUMBERS(shape.linear.count);
    tile.sign = tile.score + DESIGN_TILE;
    tile.bound = tile.sign + DESIGN_TILE;
    tile.C = tile.bound + DESIGN_TILE;
    tile.slopes = tile.C + DESIGN_TILE;
    tile.curvatures = tile.slopes + DESIGN_TILE;
    tile.losses = tile.curvatures + DESIGN_TILE;
    tile.active = tile.losses + DESIGN_TILE;
    tile.scratch = tile.active + DESIGN_TILE;
    memset(tile.active, 0, DESIGN_TILE * sizeof(double));
    if (shape.linear.classes == 0)
        tile.epsilon = *linear_step_numbers(state, "step_epsilon");
    for (uint32_t e = 0; e < shape.linear.equations; e++)
        sum_equation(&shape, state, &tile, e, theta);
    model_step_array(state, "sum_totals")[shape.linear.equations] += tile_sum(tile.active);
    env->release(env, theta);
    env->release(env, tile.columns);
    env->release(env, memory);
    shape_free(&shape);
}

static void step_add(Env *env, Model *state, const void *prepared, const double *slots, double target, double weight, double offset, ModelStepHints *hints)
{
    linear_step_add(env, state, slots, target, weight, offset, hints, sum_tile);
}

static void step_merge(Env *env, Model *a, const Model *b)
{
    linear_step_merge(env, dictionary_size(a, DICTIONARY_CLASSES) > 0 ? &svm_classifier_step : &svm_regression_step, a, b, sum_tile);
}

/* ---- the next model ---- */

typedef struct Step {
    Shape shape;
    SvmPlan plan;
    const Model *state;
    double *penalty, *l1;      /* [count] */
    double *matrix, *gradient; /* of an equation, for C = 1 times C */
    double *theta, *change;    /* [count] */
    double *next, *from;       /* [equations x count] */
    double *objective, *promise;
    uint8_t *done;
    uint32_t left; /* equations that have not converged */
} Step;

static Step step_open(Env *env, const Model *state)
{
    const Options *options = estimator_options(env, estimator_of(state), state);
    Step step = {.shape = shape_of(env, state), .state = state};
    const Shape *shape = &step.shape;
    size_t n = shape->linear.count, all = n * shape->linear.equations;

    step.plan = svm_plan_read(state->estimator, options, shape->linear.classes > 0 ? "squared_hinge" : "squared_epsilon_insensitive");
    env_require_memory(env, (n * n + QUADRATIC_ROOM(n) + 2 * all) * sizeof(double), "svm_step");
    step.penalty = env_array(env, 5 * n + 1, sizeof(double));
    step.l1 = step.penalty + n;
    step.gradient = step.l1 + n;
    step.theta = step.gradient + n;
    step.change = step.theta + n;
    step.matrix = env_array(env, n * n + 1, sizeof(double));
    step.next = env_array(env, all + 1, sizeof(double));
    step.from = env_array(env, all + 1, sizeof(double));
    step.objective = env_array(env, (size_t)shape->linear.equations * 2, sizeof(double));
    step.promise = step.objective + shape->linear.equations;
    step.done = env_array(env, shape->linear.equations, 1);
    for (uint32_t t = 0; t < shape->linear.term_count; t++) {
        double factor = step.plan.standardize ? shape->linear.deviation[shape->linear.terms[t].column] : 1;

        step.penalty[t + shape->linear.intercept] = step.plan.l2 * factor * factor;
        step.l1[t + shape->linear.intercept] = step.plan.l1 * factor;
    }
    return step;
}

static double penalty_of(const Step *step, const double *theta)
{
    double sum = 0;

    for (uint32_t j = 0; j < step->shape.linear.count; j++)
        sum += step->penalty[j] / 2 * theta[j] * theta[j] + step->l1[j] * fabs(theta[j]);
    return sum;
}

/* Sets matrix and gradient of the losses and the squares of the coefficients. */
static void fill_derivatives(Step *step, uint32_t equation)
{
    uint32_t n = step->shape.linear.count;
    const double *packed = linear_step_numbers(step->state, "sum_curvature") + equation * factor_packed(n);
    const double *gradient = linear_step_numbers(step->state, "sum_gradient") + (size_t)equation * n;

    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i <= j; i++)
            step->matrix[(size_t)j * n + i] = step->matrix[(size_t)i * n + j] = step->plan.C * *packed++;
        step->matrix[(size_t)j * n + j] += step->penalty[j];
        step->gradient[j] = step->plan.C * gradient[j] + step->penalty[j] * step->theta[j];
    }
}

/* Halves the last step of an equation if it made the objective worse; returns whether it did. */
static bool take_back(Step *step, uint32_t equation, double objective)
{
    const double *from = linear_step_numbers(step->state, "step_from"), *before = linear_step_numbers(step->state, "step_objective");
    const double *promise = linear_step_numbers(step->state, "step_promise");
    size_t first = (size_t)equation * step->shape.linear.count;

    if (from == NULL || !linear_step_worse(objective, before[equation], NEWTON_SUFFICIENT * promise[equation]))
        return false;
    for (uint32_t j = 0; j < step->shape.linear.count; j++) {
        step->from[first + j] = from[first + j];
        step->next[first + j] = (from[first + j] + step->theta[j]) / 2;
    }
    step->objective[equation] = before[equation];
    step->promise[equation] = promise[equation] / 2;
    return true;
}

/* Returns how much the last step changes the objective, by the quadratic model, which is exact where the support vectors stay the same. */
static double foreseen(const Step *step)
{
    uint32_t n = step->shape.linear.count;
    double sum = 0;

    for (uint32_t j = 0; j < n; j++) {
        double along = 0;

        for (uint32_t i = 0; i < n; i++)
            along += step->matrix[(size_t)j * n + i] * step->change[i];
        sum += step->change[j] * (step->gradient[j] + along / 2) + step->l1[j] * (fabs(step->theta[j] + step->change[j]) - fabs(step->theta[j]));
    }
    return sum;
}

/* Computes the next parameters of an equation, and whether they are the solution. */
static void solve_equation(Step *step, uint32_t equation)
{
    uint32_t n = step->shape.linear.count;
    size_t first = (size_t)equation * n;
    double loss, objective, goal;

    linear_step_theta(&step->shape.linear, equation, step->theta);
    if (is_done(&step->shape, equation)) {
        memcpy(step->next + first, step->theta, n * sizeof(double));
        step->objective[equation] = linear_step_numbers(step->state, "step_objective")[equation];
        step->promise[equation] = linear_step_numbers(step->state, "step_promise")[equation];
        step->done[equation] = 1;
        return;
    }
    loss = step->plan.C * linear_step_numbers(step->state, "sum_totals")[equation];
    objective = loss + penalty_of(step, step->theta);
    if (!isfinite(objective))
        env_fail(step->shape.linear.env, ERROR_RANGE, "Give a smaller \"C\" or smaller weights, or divide large features or targets by a power of ten.",
                 "the losses of svm_step exceed the range of double precision");
    step->left++;
    if (take_back(step, equation, objective))
        return;
    memcpy(step->from + first, step->theta, n * sizeof(double));
    fill_derivatives(step, equation);
    goal = fmax(step->plan.tolerance, FORESEEN) * objective;
    step->promise[equation] = quadratic_step_scaled(step->shape.linear.env, n, step->matrix, step->gradient, step->theta, step->plan.l1 > 0 ? step->l1 : NULL,
                                                    1e-6 * goal, step->change);
    step->objective[equation] = objective;
    for (uint32_t j = 0; j < n; j++)
        step->next[first + j] = step->theta[j] + step->change[j];
    if (!(step->promise[equation] <= goal))
        return;
    step->done[equation] = 1;
    step->left--;
    fill_derivatives(step, equation); /* unscaled again */
    step->objective[equation] += fmin(0, foreseen(step));
}

/* Tells whether the next model keeps an array or fact of the state. */
static bool is_kept(const ModelEntry *entry)
{
    return is_of_model(entry) && linear_step_keeps(entry);
}

static void add_facts(const Step *step, ModelBuilder *builder)
{
    const Shape *shape = &step->shape;
    double objective = 0, gap = 0, norm = 0;
    int64_t nonzero = 0;

    for (uint32_t e = 0; e < shape->linear.equations; e++) {
        const double *theta = step->next + (size_t)e * shape->linear.count;

        objective += step->objective[e];
        gap += fmax(step->promise[e], 0) / 2;
        for (uint32_t j = shape->linear.intercept; j < shape->linear.count; j++) {
            nonzero += theta[j] != 0;
            norm += step->penalty[j] * theta[j] * theta[j];
        }
    }
    builder_fact_i64(builder, "iterations", model_step_iterations(step->state) + 1);
    builder_fact_bool(builder, "converged", step->left == 0);
    builder_fact(builder, "objective", objective);
    builder_fact(builder, "gap", gap);
    if (step->plan.l1 > 0)
        builder_fact_i64(builder, "nonzero", nonzero);
    else if (shape->linear.equations == 1 && norm > 0 && shape->linear.classes > 0)
        builder_fact(builder, "margin", 1 / sqrt(norm));
    builder_fact_i64(builder, "support_vectors", (int64_t)fmin(linear_step_numbers(step->state, "sum_totals")[shape->linear.equations], MODEL_MAX_ROWS));
    builder_fact_i64(builder, "bounded", 0);
}

/* Returns the next model of a state that has no pending rows. */
static Model *finish_summed(Env *env, const Model *state)
{
    Step step = step_open(env, state);
    const Shape *shape = &step.shape;
    ModelBuilder *builder;
    LinearEquations out;

    if (!isfinite(state->weight))
        env_fail(env, ERROR_RANGE, "Divide the weights by a power of ten.", "the sum of the weights is out of range");
    for (uint32_t e = 0; e < shape->linear.equations; e++)
        solve_equation(&step, e);
    for (size_t i = 0; i < (size_t)shape->linear.equations * shape->linear.count; i++)
        if (!isfinite(step.next[i]))
            env_fail(env, ERROR_RANGE, "Scale the features, or give a \"C\" and weights nearer to 1.",
                     "the coefficients of svm_step exceed the range of double precision");
    builder = builder_from(env, state, is_kept);
    out = linear_step_equations(&shape->linear, step.next);
    out.link = LINK_NONE;
    add_facts(&step, builder);
    linear_equations_add(builder, &out);
    svm_progress_add(builder, &(SvmProgress){step.from, step.objective, step.promise, step.done, step.left == 0}, shape->linear.equations, shape->linear.count);
    return model_require_readable(env, model_build(builder));
}

static Model *step_finish(Env *env, const Model *state)
{
    return linear_step_finish(env, state, sum_tile, finish_summed);
}

#define SVM_STEP                                                                                                                                   \
    .name = "svm_step", .begin_hint = "Begin from svm_start over moments of all rows.", .sums = "sum_totals", .begin = step_begin,                \
    .add_labeled = step_add, .merge = step_merge, .finish = step_finish

const ModelStep svm_classifier_step = {.estimator = "svm_classifier", SVM_STEP};
const ModelStep svm_regression_step = {.estimator = "svm_regression", .numbers = true, SVM_STEP};
