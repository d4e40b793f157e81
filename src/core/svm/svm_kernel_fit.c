/*
 * svm_kernel_fit.c - svm_classifier and svm_regression with kernels that are not linear, from options to models.
 */
#include "core/svm/svm_kernel.h"
#include "core/svm/svm_mapped.h"

#include <math.h>

/* Fails if options are given together that exclude each other, or that only linear kernels have. */
static void require_options(Env *env, const Options *options, const char *method, const char *replaced)
{
    if (options_given(options, "nu") && options_given(options, replaced))
        env_fail(env, ERROR_PARAMETER, "Give one of them.", "options \"nu\" and \"%s\" of %s are both given", replaced, method);
    if (!options_boolean(options, "intercept"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or set \"kernel\": \"linear\".",
                 "\"intercept\": false of %s is for linear kernels, not for \"kernel\": \"%s\"", method, options_string(options, "kernel"));
}

void kernel_svm_refuse(Env *env, const Options *options, const char *method)
{
    static const char *const names[] = {"nu", "shrinking", NULL};

    for (unsigned i = 0; names[i] != NULL; i++)
        if (options_given(options, names[i]))
            env_fail(env, ERROR_PARAMETER, "Leave it out, or give another \"kernel\".",
                     "option \"%s\" of %s is not for \"kernel\": \"linear\"", names[i], method);
    svm_refuse_approximation(env, options, method);
}

static double given_nu(const Options *options)
{
    return options_given(options, "nu") ? options_number(options, "nu") : NAN;
}

static void solve(void *svm, uint32_t problem, const int8_t *signs)
{
    kernel_svm_classify(svm, problem, signs);
}

Model *kernel_svm_fit_classifier(Env *env, const FitInput *input, const Options *options, const double *factors, const char *method,
                                 ModelBuilder *builder)
{
    ClassSet classes = class_set(env, rows_schema(input->rows));
    double stored_rule[3];
    ClassRule rule;
    CodeBook *book;
    KernelSvm *svm;

    if (svm_is_approximate(env, options))
        return svm_mapped_classifier(env, input, options, factors, method, builder);
    require_options(env, options, method, "C");
    rule = class_rule_read(&classes, options);
    book = multiclass_book_or(&classes, options, rule.positive, MULTICLASS_OVO);
    svm = kernel_svm(env, input->rows, options, book->problems, factors, method);
    svm->nu = given_nu(options);
    if (isnan(svm->nu))
        svm->C = options_is(options, "C", "hard") ? INFINITY : options_number(options, "C");
    multiclass_fit(env, book, method, solve, svm);
    kernel_svm_finish(svm, builder);
    class_rule_add(builder, &rule, classes.count, stored_rule);
    multiclass_add(env, builder, book);
    return model_build(builder);
}

Model *kernel_svm_fit_regression(Env *env, const FitInput *input, const Options *options, const char *method, ModelBuilder *builder)
{
    KernelSvm *svm;

    if (svm_is_approximate(env, options))
        return svm_mapped_regression(env, input, options, method, builder);
    require_options(env, options, method, "epsilon");
    svm = kernel_svm(env, input->rows, options, 1, NULL, method);
    svm->nu = given_nu(options);
    svm->C = options_number(options, "C");
    svm->epsilon = options_number(options, "epsilon");
    kernel_svm_regress(svm);
    if (!isnan(svm->nu))
        builder_fact(builder, "epsilon", svm->epsilon);
    kernel_svm_finish(svm, builder);
    return model_build(builder);
}
