/*
 * svm_start.c - the first model for svm_step, from moments of the rows: a Newton step from coefficients of 0, where every row of a classifier
 * has an excess, and least squares for a regression.
 */
#include "core/estimator/formula_fit.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_step.h"
#include "core/linalg/penalized_quadratic.h"
#include "core/linalg/qr_factor.h"
#include "core/svm/svm_model.h"
#include "core/svm/svm_linear.h"
#include "core/svm/svm_step.h"

#include <math.h>
#include <string.h>

#define SETTLED 1e-10        /* of the losses: smaller gains do not matter to a start */
#define CONSTANT_SHARE 1e-13 /* a standard deviation below this share of the mean is rounding */

typedef struct Start {
    Env *env;
    SvmPlan plan;
    FitTerms terms;
    double *mean, *deviation; /* [terms] */
    uint32_t count;           /* parameters: the intercept first, then all terms, centered if there is an intercept */
    double *matrix, *gradient, *l1, *theta, *step; /* [count x count], [count] */
    LinearEquations out;
    double *from, *objective, *promise; /* of a classifier */
    uint8_t *done;
} Start;

void svm_step_require(Env *env, const Estimator *estimator, const Options *options)
{
    bool classifier = estimator->task == TASK_CLASSIFICATION;
    const char *squared = classifier ? "squared_hinge" : "squared_epsilon_insensitive";

    if (!options_is(options, "kernel", "linear"))
        env_fail(env, ERROR_PARAMETER, "Leave \"kernel\" out, or fit the rows at once.", "svm_step fits linear kernels, not \"kernel\": \"%s\"",
                 options_string(options, "kernel"));
    if (options_given(options, "nu"))
        env_fail(env, ERROR_PARAMETER, "Give \"C\" instead, or fit the rows at once.", "svm_step does not support option \"nu\"");
    if (!options_is(options, "loss", squared))
        env_fail(env, ERROR_PARAMETER,
                 classifier ? "Set \"loss\": \"squared_hinge\", or fit the rows at once: steps of Newton's method need a smooth loss."
                            : "Set \"loss\": \"squared_epsilon_insensitive\", or fit the rows at once: steps of Newton's method need a smooth loss.",
                 "svm_step fits \"loss\": \"%s\", not \"%s\"", squared, options_string(options, "loss"));
    if (options_boolean(options, "keep_support"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or fit the rows at once.", "svm_step does not support \"keep_support\": true, because it keeps no rows");
}

/* ---- the quadratic model ---- */

static double penalty_factor(const Start *start, uint32_t term)
{
    return start->plan.standardize ? start->deviation[term] : 1;
}

static bool is_constant(const Start *start, uint32_t term)
{
    return start->plan.intercept && start->deviation[term] == 0;
}

static void allocate(Start *start)
{
    Env *env = start->env;
    size_t n = start->count = start->terms.count + start->plan.intercept;

    env_require_memory(env, (n * n + QUADRATIC_ROOM(n)) * sizeof(double), "svm_start");
    start->matrix = env_array(env, n * n + 1, sizeof(double));
    start->gradient = env_array(env, 4 * n + 1, sizeof(double));
    start->l1 = start->gradient + n;
    start->theta = start->l1 + n;
    start->step = start->theta + n;
    for (uint32_t t = 0; t < start->terms.count; t++)
        start->l1[t + start->plan.intercept] = start->plan.l1 * penalty_factor(start, t);
}

/*
 * Steps from theta to the minimum of the model of matrix and gradient, of the losses alone, and the penalty. loss: at theta. Returns the promised
 * decrease.
 */
static double step_to_minimum(Start *start, double loss)
{
    uint32_t n = start->count, first = start->plan.intercept;
    double promise;

    for (uint32_t t = 0; t < start->terms.count; t++) {
        size_t j = t + first;
        double factor = penalty_factor(start, t);

        start->matrix[j * n + j] += start->plan.l2 * factor * factor;
        start->gradient[j] += start->plan.l2 * factor * factor * start->theta[j];
        for (uint32_t i = 0; i < n && is_constant(start, t); i++)
            start->matrix[j * n + i] = start->matrix[i * (size_t)n + j] = start->gradient[j] = 0;
    }
    promise = quadratic_step_scaled(start->env, n, start->matrix, start->gradient, start->theta, start->plan.l1 > 0 ? start->l1 : NULL, SETTLED * loss, start->step);
    for (uint32_t j = 0; j < n; j++)
        start->theta[j] += start->step[j];
    return promise;
}

/* Copies theta to the model's columns. */
static void store(Start *start, uint32_t equation)
{
    LinearEquations *out = &start->out;

    if (start->plan.intercept)
        out->offset[equation] = start->theta[0];
    for (uint32_t t = 0; t < start->terms.count; t++) {
        double w = is_constant(start, t) ? 0 : start->theta[t + start->plan.intercept];

        if (!isfinite(w))
            env_fail(start->env, ERROR_RANGE, "Scale the features, or give a \"C\" and weights nearer to 1.",
                     "the coefficients of svm_start exceed the range of double precision");
        linear_equations_set(out, equation, t, w);
    }
}

/* ---- classes ---- */

typedef struct Classes {
    ScatterDesign *design;
    ClassSet set;
    ClassRule rule;
    CodeBook *book;
    double *factors; /* [classes], or NULL */
} Classes;

/* Sets the means and standard deviations of the terms. */
static void describe_classes(Start *start, const Classes *classes)
{
    PooledClasses pooled = pooled_classes(start->env, classes->design, classes->factors);

    start->mean = pooled.mean;
    start->deviation = pooled.deviation;
    for (uint32_t t = 0; t < classes->design->terms; t++)
        if (start->deviation[t] <= CONSTANT_SHARE * fabs(start->mean[t]))
            start->deviation[t] = 0;
}

/* Sets matrix and gradient of a problem at 0, where the excess of each of its rows is 1; returns the losses there. */
static double sum_classes(Start *start, const Classes *classes, const int8_t *signs)
{
    const ScatterDesign *design = classes->design;
    uint32_t n = start->count, first = start->plan.intercept;
    double *off = env_array(start->env, (size_t)n + 1, sizeof(double)), loss = 0;

    memset(start->matrix, 0, (size_t)n * n * sizeof(double));
    memset(start->gradient, 0, n * sizeof(double));
    memset(start->theta, 0, n * sizeof(double));
    for (uint32_t c = 0; c < design->classes; c++) {
        double factor = signs[c] != 0 ? 2 * start->plan.C * (classes->factors != NULL ? classes->factors[c] : 1) : 0;
        const double *scatter = design->scatter + c * factor_packed(design->terms);

        start->env->poll(start->env);
        off[0] = 1;
        for (uint32_t t = 0; t < design->terms; t++)
            off[t + first] = design->means[(size_t)c * design->terms + t] - (first ? start->mean[t] : 0);
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t i = 0; i <= j; i++)
                start->matrix[(size_t)j * n + i] +=
                    factor * (design->weight[c] * off[i] * off[j] + (i >= first ? scatter[factor_packed(j - first) + i - first] : 0));
            start->gradient[j] -= factor * design->weight[c] * signs[c] * off[j];
        }
        loss += factor / 2 * design->weight[c];
    }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < j; i++)
            start->matrix[(size_t)i * n + j] = start->matrix[(size_t)j * n + i];
    return loss;
}

/* Takes the first step of every problem. */
static void start_classes(Start *start, const Model *input, const Options *options, Classes *classes)
{
    Env *env = start->env;
    uint32_t problems;

    classes->set = class_set(env, input);
    class_require_several(&classes->set, "svm_start", false);
    classes->rule = class_rule_read(&classes->set, options);
    classes->book = multiclass_book(&classes->set, options, classes->rule.positive);
    classes->design = moments_scatter(env, input, start->plan.intercept ? CODING_REFERENCE : CODING_FIRST_FULL);
    classes->factors = options_is(options, "class_weight", "none") ? NULL : class_weights(&classes->set, options, classes->design->weight);
    class_require_weights(&classes->set, classes->factors);
    start->terms = FIT_TERMS(classes->design);
    describe_classes(start, classes);
    problems = classes->book->problems;
    allocate(start);
    start->out = linear_equations(env, input, start->terms, problems, start->plan.intercept ? start->mean : NULL);
    start->from = env_array(env, (size_t)problems * start->count + 1, sizeof(double));
    start->objective = env_array(env, problems, sizeof(double));
    start->promise = env_array(env, problems, sizeof(double));
    start->done = env_array(env, problems, 1);
    for (uint32_t p = 0; p < problems; p++) {
        start->objective[p] = sum_classes(start, classes, book_signs(classes->book, p));
        start->promise[p] = step_to_minimum(start, start->objective[p]);
        store(start, p);
    }
}

/* ---- numbers ---- */

/* Starts from the minimum of C times the squared errors. */
static void start_numbers(Start *start, const Model *input)
{
    Env *env = start->env;
    bool intercept = start->plan.intercept;
    Design *design = moments_design(env, input, intercept);
    uint32_t terms = design->terms, n;
    size_t ld = (size_t)terms + 1;
    double loss = 0;

    start->terms = FIT_TERMS(design);
    start->mean = design->means;
    start->deviation = env_array(env, (size_t)terms + 1, sizeof(double));
    for (uint32_t t = 0; t < terms; t++) {
        double square = 0, mean = design->means[t];

        for (uint32_t i = 0; i <= t; i++)
            square += design->factor[t * ld + i] * design->factor[t * ld + i] / design->weight;
        start->deviation[t] = sqrt(fmax(0, square - (intercept ? 0 : mean * mean)));
        if (start->deviation[t] <= CONSTANT_SHARE * fabs(mean))
            start->deviation[t] = 0;
    }
    allocate(start);
    n = start->count;
    for (uint32_t t = 0; t <= terms; t++) {
        env->poll(env);
        for (uint32_t u = 0; u <= t && u < terms; u++) {
            double sum = 0;

            for (uint32_t i = 0; i <= u; i++)
                sum += design->factor[t * ld + i] * design->factor[u * ld + i];
            sum *= 2 * start->plan.C;
            if (t < terms)
                start->matrix[(size_t)(t + intercept) * n + u + intercept] = start->matrix[(size_t)(u + intercept) * n + t + intercept] = sum;
            else
                start->gradient[u + intercept] = -sum;
        }
    }
    if (intercept) {
        start->matrix[0] = 2 * start->plan.C * design->weight;
        start->theta[0] = design->target_mean;
    }
    for (uint32_t i = 0; i <= terms; i++)
        loss += start->plan.C * design->factor[terms * ld + i] * design->factor[terms * ld + i];
    step_to_minimum(start, loss);
    start->out = linear_equations(env, input, start->terms, 1, intercept ? start->mean : NULL);
    store(start, 0);
}

/* ---- the model ---- */

void svm_progress_add(ModelBuilder *builder, const SvmProgress *progress, uint32_t equations, uint32_t count)
{
    if (progress->from == NULL || progress->finished)
        return;
    builder_numbers(builder, SECTION_ARRAYS, "step_done", ARRAY_U8, progress->done, 1, equations, 1);
    builder_f64(builder, SECTION_ARRAYS, "step_from", progress->from, equations * count);
    builder_f64(builder, SECTION_ARRAYS, "step_objective", progress->objective, equations);
    builder_f64(builder, SECTION_ARRAYS, "step_promise", progress->promise, equations);
}

/* Returns the parameters of the kept terms, as svm_step counts them, all 0. */
static uint32_t kept_parameters(const Start *start)
{
    uint32_t count = start->plan.intercept;

    for (uint32_t t = 0; t < start->terms.count; t++)
        count += !is_constant(start, t);
    return count;
}

Model *svm_start(Env *env, const Estimator *estimator, const Model *given, const Options *options)
{
    bool classifier = estimator->task == TASK_CLASSIFICATION;
    const Model *input = moments_for_fit(env, given);
    FitInput moments = {.kind = classifier ? INPUT_CLASS_MOMENTS : INPUT_MOMENTS, .moments = input};
    Classes classes = {0};
    Start start = {.env = env};
    double stored_rule[3];
    ModelBuilder *builder;

    svm_step_require(env, estimator, options);
    if (!classifier)
        formula_fit_refuse_offsets(env, estimator, input);
    start.plan = svm_plan(env, estimator->name, options, classifier ? "squared_hinge" : "squared_epsilon_insensitive");
    if (isinf(start.plan.C)) /* of a regression, too */
        env_fail(env, ERROR_PARAMETER, "Give a number.", "svm_step does not support \"C\": \"hard\"");
    if (input->rows == 0)
        return NULL;
    if (classifier)
        start_classes(&start, input, options, &classes);
    else
        start_numbers(&start, input);
    builder = fit_begin(env, estimator, &moments, options);
    builder_fact_i64(builder, "iterations", 0);
    builder_fact_bool(builder, "converged", false);
    if (classifier) {
        class_rule_add(builder, &classes.rule, classes.set.count, stored_rule);
        multiclass_add(env, builder, classes.book);
        svm_progress_add(builder, &(SvmProgress){start.from, start.objective, start.promise, start.done, false}, start.out.equations,
                         kept_parameters(&start));
    }
    linear_start_add(builder, &start.out, start.deviation, classes.factors, classes.set.count);
    linear_equations_add(builder, &start.out);
    return model_require_readable(env, model_build(builder));
}
