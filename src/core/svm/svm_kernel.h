/*
 * svm_kernel.h - support vector machines with kernels, for classes, numbers and novelty: options, problems solved by SMO (smo.h),
 * and results stored as kernel expansions (kernel_model.h).
 */
#ifndef PGFIT_SVM_KERNEL_H
#define PGFIT_SVM_KERNEL_H

#include "core/base/shared_work.h"
#include "core/estimator/multiclass.h"
#include "core/kernel_methods/feature_map.h"
#include "core/svm/mapped_margin.h"
#include "core/svm/smo.h"

/* The option shrinking; and nu with it, of classifiers and of regressions. */
extern const OptionSpec options_kernel_svm[], options_kernel_svm_classifier[], options_kernel_svm_regression[];
/* The facts that kernel_svm_finish adds beside gamma. */
#define KERNEL_SVM_FACTS                                                                                                        \
    FACT("bounded", ARRAY_I64), FACT("converged", ARRAY_BOOL), FACT_FREQUENCIES, FACT("gap", ARRAY_F64),                        \
        FACT("iterations", ARRAY_I64), FACT("kernel_evaluations", ARRAY_I64), FACT_LANDMARKS, FACT("margin", ARRAY_F64), FACT("objective", ARRAY_F64),                         \
        FACT("support_vectors", ARRAY_I64)

#define KERNEL_SVM_TOLERANCE 1e-3 /* LIBSVM's */

/* What a problem adds to the sums over all of them, beside its multipliers. */
typedef struct KernelSvmSolution {
    double intercept, objective, gap, square;
    uint64_t iterations, evaluations;
    bool converged, stalled;
} KernelSvmSolution;

typedef struct KernelSvm {
    Env *env;
    const char *method;
    KernelSample *sample;
    const double *factors; /* of the classes, [classes]; NULL: all 1 */
    uint32_t problems;
    double C;       /* infinite: hard margin; of nu machines: 1 */
    double nu;      /* NaN: not a nu machine */
    double epsilon; /* of regressions */
    double tolerance;
    uint64_t max_iter;
    bool shrinking;
    bool linear;    /* the result is a linear equation per problem */
    size_t cache_bytes;
    double *multipliers; /* [problems x sample->count] */
    uint8_t *at_bound;   /* the same */
    double *intercepts;  /* [problems] */
    /* of the problem that this process solved last */
    KernelSvmSolution last;
    double *last_multipliers; /* [sample->count] */
    uint8_t *last_at_bound;   /* the same */
    const CodeBook *book;     /* of classes */
    /* over all problems */
    double objective, gap, square;
    uint64_t iterations, evaluations;
    uint32_t unfinished;
    bool stalled; /* some of them, as steps no longer changed the multipliers */
} KernelSvm;

/*
 * Loads the rows. options: those of kernels, `standardize`, `tolerance`, `max_iter` and `shrinking`. C (1), nu (none, or as given) and epsilon
 * are left to the caller, which sets them before it solves. factors: class weights, or NULL; must outlive it. Fails with ERROR_LIMIT if not even
 * the minimum fits into the budget. linear: the kernel is, and the result shall be linear equations: categories lack a reference
 * level, as in linear machines.
 */
KernelSvm *kernel_svm(Env *env, Rows *rows, const Options *options, bool linear, uint32_t problems, const double *factors,
                      const char *method);
/*
 * Solves the binary problems of a book, which processes share if each can keep its whole Gram matrix: on two busy processors, the 55 pairs of 11
 * classes of 4,000 rows take 2.9 s with no worker and 1.5 s with two; 11 classes of 1,500 rows, each against the rest, 25 and 11 s. Fails with ERROR_DATA without a hard margin or if nu is infeasible.
 */
void kernel_svm_classify(KernelSvm *svm, const CodeBook *book);
extern const SharedKind kernel_svm_kind;
/* Solves a regression: with epsilon, or with nu, which then sets epsilon. */
void kernel_svm_regress(KernelSvm *svm);
/* Solves the one-class machine of Scholkopf et al. (2001). */
void kernel_svm_one_class(KernelSvm *svm);
/* Warns if a problem did not converge, and adds arrays and facts. keep_support: whether linear equations keep their support vectors. */
void kernel_svm_finish(KernelSvm *svm, ModelBuilder *builder, bool keep_support);

/*
 * Tells whether a linear kernel is fitted by the functions here, because nu is given. Fails with ERROR_PARAMETER if an option is given that a linear
 * kernel does not have.
 */
bool kernel_svm_linear_nu(Env *env, const Options *options, const char *method);
/*
 * Tells whether the options ask for an approximation of the kernel (svm_mapped), of machines whose kernel is not linear or that have nu. Fails with
 * ERROR_PARAMETER if options contradict each other, or do not go with the kernel or the approximation. replaced: the option that nu takes the place of.
 */
bool kernel_svm_approximate(Env *env, const Options *options, const char *method, const char *replaced);
/* Tells whether the options ask for an approximation, without these checks. */
bool svm_is_approximate(Env *env, const Options *options);

/* ---- approximated kernels: kernel expansions over landmarks or frequencies, without support vectors ---- */

typedef struct MappedSvm {
    Env *env;
    FeatureMap *map;
    MappedMargin problem; /* C and the like are set by the caller before it solves */
    uint32_t problems;
    double *weights;    /* [problems x features] */
    double *intercepts; /* [problems] */
    double objective, gap;
    int64_t iterations;
    uint32_t unfinished;
} MappedSvm;
/* Maps the rows. factors: class weights, or NULL. */
MappedSvm *svm_mapped(Env *env, Rows *rows, const Options *options, uint32_t problems, const double *factors, const char *method);
/* Solves a problem. signs: of the classes; NULL: numbers, or one class. */
void svm_mapped_solve(MappedSvm *svm, uint32_t problem, const int8_t *signs);
/* Warns if a problem did not converge, and adds arrays and facts. */
void svm_mapped_finish(MappedSvm *svm, ModelBuilder *builder);

#endif
