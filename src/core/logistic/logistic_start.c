/*
 * logistic_start.c - the first model for logistic_step: intercepts from the class shares of class_moments.
 */
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_step.h"
#include "core/linear_equations/penalty_plan.h"
#include "core/logistic/logistic_quadratic.h"
#include "core/logistic/logistic_step.h"

#include <math.h>
#include <string.h>

typedef struct Start {
    Env *env;
    const Model *input;
    ScatterDesign *design;
    ClassSet classes;
    ClassRule rule;
    double *factors;         /* [classes] class weights, or NULL */
    PooledClasses pooled;
    double *shares;          /* [classes] of the weight */
    bool intercept, softmax, penalized;
    LinearEquations out;
} Start;

/* Drops constant and dependent terms. The products are destroyed. */
static void drop_dependent(Start *start, ModelBuilder *builder)
{
    const PooledClasses *pooled = &start->pooled;

    for (uint32_t t = 0; !start->intercept && t < start->design->terms; t++)
        for (uint32_t u = 0; u <= t; u++)
            pooled->products[factor_packed(t) + u] += pooled->weight * pooled->mean[t] * pooled->mean[u];
    linear_start_drop(&start->out, pooled->weight, pooled->mean, pooled->products, LINEAR_DROPPED_HINT, builder);
}

/* Sets the equations to the null model. */
static void fill_classifier(Start *start)
{
    LinearEquations *out = &start->out;
    double mean = 0;

    out->link = start->softmax ? LINK_SOFTMAX : LINK_LOGISTIC;
    if (!start->intercept)
        return;
    if (!start->softmax) {
        out->offset[0] = log(start->shares[start->rule.positive]) - log(start->shares[1 - start->rule.positive]);
        return;
    }
    for (uint32_t c = 0; c < start->classes.count; c++)
        mean += log(start->shares[c]) / start->classes.count;
    for (uint32_t c = 0; c < start->classes.count; c++)
        out->offset[c] = log(start->shares[c]) - (start->penalized ? mean : log(start->shares[0]));
}

static void add_facts(const Start *start, ModelBuilder *builder, uint32_t dropped)
{
    uint32_t free = !start->softmax ? 1 : start->classes.count - !start->penalized;
    double loss = 0;

    for (uint32_t c = 0; c < start->classes.count; c++)
        loss -= start->pooled.weight * start->shares[c] *
                log(start->intercept ? start->shares[c] : 1.0 / start->classes.count);
    builder_fact_i64(builder, "iterations", 0);
    builder_fact_bool(builder, "converged", false);
    builder_fact(builder, "log_likelihood", -loss);
    builder_fact(builder, "null_deviance", 2 * loss);
    if (start->penalized)
        builder_fact(builder, "objective", loss);
    if (start->factors == NULL)
        builder_fact_i64(builder, "parameters",
                         (int64_t)free * (start->design->terms - dropped + start->intercept));
}

/* Fails if the options ask for binary problems or another start, which steps do not support. */
static void refuse_strategies(Env *env, const Options *options, uint32_t classes)
{
    if (classes > 2 && !options_is(options, "multiclass", "multinomial"))
        env_fail(env, ERROR_PARAMETER, "Omit \"multiclass\" for a multinomial model.",
                 "logistic_start does not support \"multiclass\": \"%s\"",
                 options_string(options, "multiclass"));
    if (options_given(options, "start"))
        env_fail(env, ERROR_PARAMETER, "Pass that model to logistic_step.",
                 "logistic_start does not support option \"start\"");
}

/* Fails for options that choose lambda, which takes the rows. */
static void refuse_paths(Env *env, const Options *options)
{
    static const char *const names[] = {"path", "path_ratio", "select", "folds", "fold_column"};

    if (options_type(options, "lambda") != OPTION_NUMBER || options_is(options, "reduction", "mean"))
        env_fail(env, ERROR_PARAMETER, "Give \"lambda\" as one number, for the sum of the losses.",
                 "logistic_start fits one lambda and does not choose it");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (options_given(options, names[i]))
            env_fail(env, ERROR_PARAMETER, "Choose lambda with logistic_regression.", "logistic_start does not support option \"%s\"",
                     names[i]);
}

Model *logistic_start(Env *env, const Estimator *estimator, const Model *given, const Options *options)
{
    const Model *input = moments_for_fit(env, given);
    PenaltyPlan plan = (refuse_paths(env, options), penalty_plan_read(env, options, "logistic_regression"));
    LossPenalty penalty = plan.penalty;
    Start start = {.env = env, .input = input, .intercept = plan.intercept};
    FitInput moments = {.kind = INPUT_CLASS_MOMENTS, .moments = input};
    double stored_rule[3], factors_of_penalty[2] = {penalty.l1, penalty.l2};
    uint32_t lost = 0;
    ModelBuilder *builder;

    if (input->rows == 0)
        return NULL;
    start.classes = class_set(env, input);
    class_require_several(&start.classes, "logistic_start", false);
    refuse_strategies(env, options, start.classes.count);
    start.rule = class_rule_read(&start.classes, options);
    start.penalized = loss_penalized(&penalty);
    start.softmax = start.classes.count > 2 ||
                    (options_given(options, "multiclass") && options_is(options, "multiclass", "multinomial"));
    start.design = moments_scatter(env, input, start.intercept ? CODING_REFERENCE : CODING_FIRST_FULL);
    start.factors = class_weights(&start.classes, options, start.design->weight);
    class_require_weights(&start.classes, start.factors);
    start.pooled = pooled_classes(env, start.design, start.factors);
    start.shares = env_array(env, start.classes.count, sizeof(double));
    for (uint32_t c = 0; c < start.classes.count; c++)
        start.shares[c] = pooled_weight(start.design, start.factors, c) / start.pooled.weight;
    start.out = linear_equations(env, input, FIT_TERMS(start.design), start.softmax ? start.classes.count : 1, start.intercept ? start.pooled.mean : NULL);
    fill_classifier(&start);
    builder = fit_begin(env, estimator, &moments, options);
    if (!start.penalized)
        drop_dependent(&start, builder);
    for (uint32_t t = 0; start.out.dropped != NULL && t < start.design->terms; t++)
        lost += start.out.dropped[linear_column(start.out.slots, start.out.terms, t)];

    add_facts(&start, builder, lost);
    linear_equations_add(builder, &start.out);
    class_rule_add(builder, &start.rule, start.classes.count, stored_rule);
    builder_f64(builder, SECTION_ARRAYS, "priors", start.shares, start.classes.count);
    builder_f64(builder, SECTION_ARRAYS, "step_penalty", factors_of_penalty, 2);
    linear_start_add(builder, &start.out, start.penalized && penalty.standardize ? start.pooled.deviation : NULL,
                     start.factors, start.classes.count);
    return model_require_readable(env, model_build(builder));
}
