/*
 * svm_regression.c - support vector regression: errors up to epsilon cost nothing, larger ones count from there.
 *
 * Drucker, Burges, Kaufman, Smola & Vapnik (1997); Smola & Scholkopf (2004). With a linear kernel the model is a linear equation.
 */
#include "core/linear_equations/linear_classifier.h"
#include "core/kernel_methods/support_vector_table.h"
#include "core/estimator/shared_options.h"
#include "core/svm/svm_kernel.h"
#include "core/svm/svm_linear.h"
#include "core/svm/svm_model.h"

#include <math.h>

static const char *const losses[] = {"epsilon_insensitive", "squared_epsilon_insensitive", NULL};

static const OptionSpec regression_options[] = {
    {.name = "epsilon",
     .types = OPTION_NUMBER,
     .fallback = "0.1",
     FROM_ZERO,
     .help = "Errors up to this cost nothing, in units of the target."},
    {.name = "loss",
     .types = OPTION_STRING,
     .fallback = "\"epsilon_insensitive\"",
     .choices = losses,
     .help = "The loss of a row: max(0, |y - f| - epsilon), or its square; only with a linear kernel."},
    {.name = NULL}};

static void fit_linear(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    SvmPlan plan = svm_plan(env, self->name, options, "squared_epsilon_insensitive");
    LinearSvm *svm;

    plan.epsilon = options_number(options, "epsilon");
    svm = linear_svm(env, input->rows, &plan, 1, NULL);
    linear_svm_solve(svm, 0, NULL);
    linear_svm_finish(svm, builder);
}

static Model *regression_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                             ModelBuilder *builder)
{
    bool linear = options_is(options, "kernel", "linear");

    if (isinf(svm_c(options)))
        env_fail(env, ERROR_PARAMETER, "Give a number.", "\"C\": \"hard\" is for classifiers, not for %s", self->name);
    if (linear)
        kernel_of_options(env, options, NULL);
    else
        svm_require_kernel_options(env, self->name, options);
    if (linear && !kernel_svm_linear_nu(env, options, self->name)) {
        fit_linear(env, self, input, options, builder);
    } else if (kernel_svm_approximate(env, options, self->name, "epsilon")) {
        MappedSvm *svm = svm_mapped(env, input->rows, options, 1, NULL, self->name);

        svm->problem.C = options_number(options, "C");
        svm->problem.epsilon = options_number(options, "epsilon");
        svm_mapped_solve(svm, 0, NULL);
        svm_mapped_finish(svm, builder);
    } else {
        KernelSvm *svm = kernel_svm(env, input->rows, options, linear, 1, NULL, self->name);

        svm->C = options_number(options, "C");
        svm->epsilon = options_number(options, "epsilon");
        kernel_svm_regress(svm);
        if (!isnan(svm->nu))
            builder_fact(builder, "epsilon", svm->epsilon);
        kernel_svm_finish(svm, builder, linear && options_boolean(options, "keep_support"));
    }
    return model_build(builder);
}

static const Table *const regression_shown[] = {&support_vector_table, NULL};

const Estimator estimator_svm_regression = {
    .name = "svm_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, options_number_kernel, options_kernel, options_approximation, option_seed, options_svm,
                             options_kernel_svm_regression, options_svm_equation, regression_options),
    .help = "Support vector regression: errors up to epsilon cost nothing, larger ones count from there; in the space of the "
            "features or of a kernel.",
    .source = "Drucker, Burges, Kaufman, Smola & Vapnik 1997, NIPS 9; Smola & Scholkopf 2004, Stat. Comput. 14(3)",
    .fit = regression_fit,
    .arrays = svm_regression_tables,
    .check = svm_regression_check,
    .accept = linear_classifier_accept,
    .scoring = &svm_regression_scoring,
    .coefficients = linear_classifier_coefficients,
    .tables = regression_shown,
    .to_sql = linear_classifier_to_sql,
    .summary = svm_summary,
};
