/*
 * hypothesis_result.h - what every test returns, and the options that tests share.
 */
#ifndef PGFIT_HYPOTHESIS_RESULT_H
#define PGFIT_HYPOTHESIS_RESULT_H

#include "core/estimator/shared_options.h"

/* NaN and NULL: the test has no such thing. */
typedef struct HypothesisResult {
    const char *test; /* what was computed: "Welch two-sample t test" */
    double statistic, df, df_2, p_value;
    const char *estimated; /* what the estimate is of: "mean of a - mean of b" */
    double estimate, std_error, conf_low, conf_high;
    const char *effect; /* which effect size: "Cohen's d" */
    double effect_size;
    const char *alternative;
    double rows;
    struct VariantComparison *comparison; /* of ab_test alone */
    const struct LogRankGroups *log_rank; /* of log_rank_test alone */
    const char *failure, *failure_hint; /* the rows do not define the test; nothing else is set */
} HypothesisResult;

typedef enum Alternative { TWO_SIDED, LESS, GREATER } Alternative;

extern const OptionSpec hypothesis_options[];  /* on_failure, of every test */
extern const OptionSpec alternative_options[]; /* alternative */

Alternative hypothesis_alternative(const Options *options);
/* Begins a result: everything unset but the name of the test, the alternative and the rows. */
void hypothesis_begin(HypothesisResult *result, const char *test, const char *alternative, double rows);
/* Ends a test that its rows do not define. Returns false. hint: a sentence or NULL. */
bool hypothesis_fails(Env *env, HypothesisResult *result, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns Welch's degrees of freedom of the difference of two means, from the variances of both and their rows. */
static inline double welch_df(double a, double a_rows, double b, double b_rows)
{
    double part = a / (a + b); /* squares of variances leave the range of double precision */

    return 1 / (part * part / (a_rows - 1) + (1 - part) * (1 - part) / (b_rows - 1));
}
/* Sets p and the limits of an estimate whose distance from `null`, in standard errors, is t with df degrees of freedom. */
void hypothesis_t(HypothesisResult *result, double null, double df, Alternative alternative, double level);
/* Returns the p-value of a statistic that is normal. */
double normal_p_value(double z, Alternative alternative);
/*
 * Returns the points of the normal distribution at both ends of limits at this level: -1.96 and 1.96; for one-sided alternatives one is
 * infinite.
 */
void normal_ends(double level, Alternative alternative, double *low, double *high);

extern const char *const alternative_names[];

#endif
