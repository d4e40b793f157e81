/*
 * row_learner.c - reading, scaling and storing for methods that learn linear equations row by row.
 */
#include "core/classify/row_learner.h"

#include <string.h>

const OptionSpec options_row_learner[] = {
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether the equation has a constant: a feature that is always 1."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Learn from standardized features, less the mean and divided by the standard deviation (divisor n), not with start; the coefficients "
             "are in the original units either way."},
    {.name = "start",
     .types = OPTION_MODEL,
     .unset = "a new model",
     .help = "Continue from this model of the same method, features and options (model::jsonb)."},
    {.name = NULL}};

RowLearner row_learner(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                       ModelBuilder **builder)
{
    return (RowLearner){.env = env,
                        .rows = input->rows,
                        .method = estimator->name,
                        .intercept = options_boolean(options, "intercept"),
                        .standardize = options_boolean(options, "standardize"),
                        .rate = options_number(options, "learning_rate"),
                        .start = warm_start(env, estimator, input, options, builder)};
}

static void learn_scaling(RowLearner *learner)
{
    Env *env = learner->env;
    size_t terms = learner->terms;
    DesignReader *reader;
    DesignBlock block;
    RowScale scale;

    if (learner->start.model != NULL)
        env_fail(env, ERROR_PARAMETER, "Standardize the features in the query, by means and scales that stay the same.",
                 "%s cannot standardize the rows when it continues from a model", learner->method);
    env_require_memory(env, 3 * terms * sizeof(double), learner->method);
    scale = row_scale_new(env, learner->terms);
    learner->scaled = env_array(env, terms + 1, sizeof(double));
    reader = design_reader(learner->design);
    while (design_next_block(reader, &block))
        row_scale_add(&scale, block.x, block.weights, block.count);
    design_reader_free(reader);
    row_scale_ready(env, &scale, 0);
    if (!learner->intercept)
        memset(scale.center, 0, terms * sizeof(double));
    learner->means = scale.center;
    learner->scales = scale.scale;
}

void row_learner_open(RowLearner *learner)
{
    DesignMode mode = learner->start.model != NULL ? DESIGN_LEVELS /* its reference levels are frozen */
                      : learner->intercept         ? DESIGN_INTERCEPT
                                                   : DESIGN_NO_INTERCEPT;

    learner->design = row_design(learner->env, learner->rows, mode, learner->method);
    learner->terms = learner->design->terms;
    learner->frozen = warm_start_frozen(&learner->start, learner->design);
    if (learner->standardize)
        learn_scaling(learner);
    learner->reader = design_reader(learner->design);
    learner->w = env_array(learner->env, (size_t)learner->terms + 1, sizeof(double));
}

void row_learner_reset(RowLearner *learner, uint32_t equation)
{
    memset(learner->w, 0, learner->terms * sizeof(double));
    learner->w0 = 0;
    if (learner->start.model != NULL)
        learner->w0 = warm_start_terms(&learner->start, equation, learner->design, learner->w);
}

LinearEquations row_learner_equations(const RowLearner *learner, uint32_t equations)
{
    LinearEquations out = linear_equations(learner->env, rows_schema(learner->rows), FIT_TERMS(learner->design), equations,
                                           learner->intercept ? learner->means : NULL);

    if (learner->intercept && out.offset == NULL)
        out.offset = env_array(learner->env, equations, sizeof(double));
    return out;
}

void row_learner_store(const RowLearner *learner, uint32_t equation, LinearEquations *out)
{
    if (learner->start.model != NULL)
        warm_start_columns(&learner->start, equation, out);
    if (learner->intercept)
        out->offset[equation] = learner->w0;
    for (uint32_t t = 0; t < learner->terms; t++)
        linear_equations_set(out, equation, t, learner->scales != NULL ? learner->w[t] * learner->scales[t] : learner->w[t]);
}

Model *row_learner_finish(RowLearner *learner, const LinearEquations *equations, ModelBuilder *builder)
{
    Model *model;

    linear_equations_add(builder, equations);
    model = model_build(builder);
    warm_start_end(&learner->start, learner->rows);
    return model;
}
