/*
 * one_class_svm.c - the support vector machine of one class: a region that holds most of the rows, to detect novel ones.
 *
 * Scholkopf, Platt, Shawe-Taylor, Smola & Williamson (2001), Neural Computation 13. Separates the rows from the origin of the
 * kernel's feature space; at most a share nu of them is left outside, and at least a share nu are support vectors.
 */
#include "core/kernel_methods/support_vector_table.h"
#include "core/estimator/shared_options.h"
#include "core/svm/svm_kernel.h"
#include "core/svm/svm_model.h"

static const OptionSpec one_class_options[] = {
    {.name = "max_iter",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1000000000000,
     .unset = "10 million, or 100 per row if that is more",
     .help = "Maximum number of steps; reaching it gives a WARNING."},
    {.name = "nu",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     ABOVE_ZERO_TO_ONE,
     .help = "The largest share of the rows that may be outside the region, and the smallest share that are support vectors."},
    OPTION_TOLERANCE("0.001", "When to stop: when no two multipliers violate the optimality conditions by more."),
    {.name = NULL}};

static Model *one_class_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    if (svm_is_approximate(env, options)) {
        MappedSvm *svm = svm_mapped(env, input->rows, options, 1, NULL, self->name);

        svm->problem.nu = options_number(options, "nu");
        svm_mapped_solve(svm, 0, NULL);
        svm_mapped_finish(svm, builder);
    } else {
        KernelSvm *svm = kernel_svm(env, input->rows, options, false, 1, NULL, self->name);

        svm->nu = options_number(options, "nu");
        kernel_svm_one_class(svm);
        kernel_svm_finish(svm, builder, false);
    }
    return model_build(builder);
}

/* ---- scores ---- */

static uint32_t one_class_classify(const Model *model, const void *prepared, const double *slots)
{
    return kernel_model_predict(model, prepared, slots) >= 0;
}

static const Scoring one_class_scoring = {.prepare = kernel_model_prepare,
                                          .labels = outlier_labels,
                                          .classify = one_class_classify,
                                          .decisions = kernel_model_decisions,
                                          .width = kernel_model_problems};

static const char *one_class_check(Env *env, const Model *model)
{
    const char *wrong = kernel_model_check(env, model);

    if (wrong == NULL && kernel_model_problems(model) != 1)
        wrong = "\"multipliers\" of one_class_svm belong to one problem";
    return wrong;
}

static const ArraySpec one_class_facts[] = {FACT_APPROXIMATION, KERNEL_SVM_FACTS};
static const ArrayTable one_class_tables[] = ARRAY_TABLES(KERNEL_MODEL_TABLES, FACT_TABLE(one_class_facts));
static const Table *const one_class_shown[] = {&support_vector_table, NULL};

const Estimator estimator_one_class_svm = {
    .name = "one_class_svm",
    .task = TASK_OUTLIERS,
    .input = INPUT_ROWS,
    .supervised = false,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, options_number_kernel, options_kernel, option_standardize, options_approximation, option_seed,
                             options_kernel_svm, one_class_options),
    .help = "The support vector machine of one class: learns a region that holds most of the rows, to detect novel ones.",
    .source = "Schölkopf et al. 2001, Neural Computation 13",
    .fit = one_class_fit,
    .arrays = one_class_tables,
    .check = one_class_check,
    .scoring = &one_class_scoring,
    .tables = one_class_shown,
    .summary = svm_summary,
};
