/*
 * svm_kernel_fit.c - svm_classifier and svm_regression with kernels that are not linear or with nu, from options to models.
 */
#include "core/svm/svm_kernel.h"
#include "core/svm/svm_mapped.h"

#include <math.h>

/* Fails if options are given together that exclude each other, or that only linear kernels have. */
static void require_options(Env *env, const Options *options, const char *method, const char *replaced)
{
    if (options_given(options, "nu") && options_given(options, replaced))
        env_fail(env, ERROR_PARAMETER, "Give one of them.", "options \"nu\" and \"%s\" of %s are both given", replaced, method);
    if (options_is(options, "kernel", "linear")) {
        static const char *const others[] = {"alpha", "loss", "penalty", NULL};

        for (unsigned i = 0; others[i] != NULL; i++)
            if (options_given(options, others[i]))
                env_fail(env, ERROR_PARAMETER, "Give one of them.", "options \"nu\" and \"%s\" of %s are both given", others[i], method);
        if (!options_boolean(options, "intercept"))
            env_fail(env, ERROR_PARAMETER, "Leave one of them out.", "\"intercept\": false of %s does not go with \"nu\"", method);
        return;
    }
    if (!options_boolean(options, "intercept"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or set \"kernel\": \"linear\".",
                 "\"intercept\": false of %s is for linear kernels, not for \"kernel\": \"%s\"", method, options_string(options, "kernel"));
}

bool kernel_svm_linear_nu(Env *env, const Options *options, const char *method)
{
    bool nu = options_given(options, "nu");

    if (!nu && options_given(options, "shrinking"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or give \"nu\" or another \"kernel\".",
                 "option \"shrinking\" of %s is not for \"kernel\": \"linear\"", method);
    svm_refuse_approximation(env, options, method);
    return nu;
}

static double given_nu(const Options *options)
{
    return options_given(options, "nu") ? options_number(options, "nu") : NAN;
}

Model *kernel_svm_fit_classifier(Env *env, const FitInput *input, const Options *options, const double *factors, const char *method,
                                 ModelBuilder *builder)
{
    ClassSet classes = class_set(env, rows_schema(input->rows));
    bool linear = options_is(options, "kernel", "linear");
    double stored_rule[3];
    ClassRule rule;
    CodeBook *book;
    KernelSvm *svm;

    if (svm_is_approximate(env, options))
        return svm_mapped_classifier(env, input, options, factors, method, builder);
    require_options(env, options, method, "C");
    rule = class_rule_read(&classes, options);
    book = multiclass_book_or(&classes, options, rule.positive, MULTICLASS_OVO);
    svm = kernel_svm(env, input->rows, options, linear, book->problems, factors, method);
    svm->nu = given_nu(options);
    if (isnan(svm->nu))
        svm->C = options_is(options, "C", "hard") ? INFINITY : options_number(options, "C");
    for (uint32_t p = 0; p < book->problems; p++)
        kernel_svm_classify(svm, p, multiclass_problem(env, book, method, p));
    kernel_svm_finish(svm, builder, linear && options_boolean(options, "keep_support"));
    class_rule_add(builder, &rule, classes.count, stored_rule);
    multiclass_add(env, builder, book);
    return model_build(builder);
}

Model *kernel_svm_fit_regression(Env *env, const FitInput *input, const Options *options, const char *method, ModelBuilder *builder)
{
    bool linear = options_is(options, "kernel", "linear");
    KernelSvm *svm;

    if (svm_is_approximate(env, options))
        return svm_mapped_regression(env, input, options, method, builder);
    require_options(env, options, method, "epsilon");
    svm = kernel_svm(env, input->rows, options, linear, 1, NULL, method);
    svm->nu = given_nu(options);
    svm->C = options_number(options, "C");
    svm->epsilon = options_number(options, "epsilon");
    kernel_svm_regress(svm);
    if (!isnan(svm->nu))
        builder_fact(builder, "epsilon", svm->epsilon);
    kernel_svm_finish(svm, builder, linear && options_boolean(options, "keep_support"));
    return model_build(builder);
}
