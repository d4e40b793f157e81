/*
 * svm_classifier.c - support vector machines for classes: a hyperplane with the largest margin, in the space of the features or of a
 * kernel.
 *
 * Boser, Guyon & Vapnik (1992); Cortes & Vapnik (1995). With a linear kernel the model is a linear classifier (svm_linear.h).
 */
#include "core/linear_equations/linear_classifier.h"
#include "core/estimator/multiclass.h"
#include "core/kernel_methods/support_vector_table.h"
#include "core/estimator/shared_options.h"
#include "core/svm/svm_kernel.h"
#include "core/svm/svm_linear.h"
#include "core/svm/svm_model.h"

static const char *const losses[] = {"hinge", "squared_hinge", NULL};

static const OptionSpec classifier_options[] = {
    {.name = "loss",
     .types = OPTION_STRING,
     .fallback = "\"hinge\"",
     .choices = losses,
     .help = "The loss of a row with score f and class y, 1 or -1: max(0, 1 - y f), or its square; only with a linear kernel."},
    {.name = "multiclass",
     .types = OPTION_STRING,
     .choices = multiclass_choices,
     .unset = "ovr; other kernels, and nu: ovo",
     .help = "How several classes are split into binary problems: each class against the others (ovr), pairs of classes (ovo), or output codes "
             "(ecoc)."},
    {.name = NULL}};

/* Fits the problems of a book with a kernel that is not linear, or with nu. */
static void fit_kernel(Env *env, const FitInput *input, const Options *options, bool approximate, const double *factors, const CodeBook *book,
                       const char *method, ModelBuilder *builder)
{
    bool linear = options_is(options, "kernel", "linear");

    if (approximate) {
        MappedSvm *svm = svm_mapped(env, input->rows, options, book->problems, factors, method);

        svm->problem.C = svm_c(options);
        for (uint32_t p = 0; p < book->problems; p++)
            svm_mapped_solve(svm, p, multiclass_problem(env, book, method, p));
        svm_mapped_finish(svm, builder);
    } else {
        KernelSvm *svm = kernel_svm(env, input->rows, options, linear, book->problems, factors, method);

        if (!options_given(options, "nu"))
            svm->C = svm_c(options);
        kernel_svm_classify(svm, book);
        kernel_svm_finish(svm, builder, linear && options_boolean(options, "keep_support"));
    }
}

static void fit_linear(Env *env, const FitInput *input, const SvmPlan *plan, const double *factors, const CodeBook *book, ModelBuilder *builder)
{
    LinearSvm *svm = linear_svm(env, input->rows, plan, book->problems, factors);

    for (uint32_t p = 0; p < book->problems; p++)
        linear_svm_solve(svm, p, multiclass_problem(env, book, plan->method, p));
    linear_svm_finish(svm, builder);
}

static Model *classifier_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                             ModelBuilder *builder)
{
    ClassSet classes = class_set(env, rows_schema(input->rows));
    bool linear = options_is(options, "kernel", "linear"), approximate = false;
    double stored_rule[3], *factors;
    ClassRule rule;
    CodeBook *book;
    SvmPlan plan;

    if (!class_require_several(&classes, self->name, input->frame))
        return NULL;
    factors = class_weights_of_rows(&classes, options, row_design(env, input->rows, DESIGN_SLOTS, self->name));
    if (!linear)
        svm_require_kernel_options(env, self->name, options);
    linear = linear && !kernel_svm_linear_nu(env, options, self->name);
    if (linear) {
        plan = svm_plan(env, self->name, options, "squared_hinge");
        kernel_of_options(env, options, NULL);
    } else {
        approximate = kernel_svm_approximate(env, options, self->name, "C");
    }
    rule = class_rule_read(&classes, options);
    book = multiclass_book_or(&classes, options, rule.positive, linear ? MULTICLASS_SCORES : MULTICLASS_OVO);
    if (linear)
        fit_linear(env, input, &plan, factors, book, builder);
    else
        fit_kernel(env, input, options, approximate, factors, book, self->name, builder);
    class_rule_add(builder, &rule, classes.count, stored_rule);
    multiclass_add(env, builder, book);
    return model_build(builder);
}

static const Table *const classifier_shown[] = {&support_vector_table, NULL};

const Estimator estimator_svm_classifier = {
    .name = "svm_classifier",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .supervised = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, options_multiclass, option_positive, option_class_weight, option_tie,
                             options_number_kernel, options_kernel, options_approximation, option_seed, options_svm,
                             options_kernel_svm_classifier, options_svm_equation, classifier_options),
    .help = "A support vector machine: the hyperplane with the largest margin between classes, in the space of the features "
            "or of a kernel.",
    .source = "Boser, Guyon & Vapnik 1992, COLT; Cortes & Vapnik 1995, Machine Learning 20",
    .fit = classifier_fit,
    .arrays = svm_classifier_tables,
    .check = svm_classifier_check,
    .accept = linear_classifier_accept,
    .scoring = &svm_classifier_scoring,
    .coefficients = linear_classifier_coefficients,
    .tables = classifier_shown,
    .to_sql = linear_classifier_to_sql,
    .summary = svm_summary,
};
