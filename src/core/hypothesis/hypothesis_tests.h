/*
 * hypothesis_tests.h - the tests by name: of samples, of stored moments and of contingency tables; their power, and adjusted p-values.
 *
 * A test sets a result, or ends it by hypothesis_fails where its rows do not define it.
 */
#ifndef PGFIT_HYPOTHESIS_TESTS_H
#define PGFIT_HYPOTHESIS_TESTS_H

#include "core/hypothesis/hypothesis_result.h"
#include "core/hypothesis/hypothesis_sample.h"
#include "core/metrics/contingency_table.h"
#include "core/model/model.h"
#include "core/options/options.h"

/* What the rows of a sample are. */
typedef enum SampleShape {
    SHAPE_NUMBERS, /* (x) */
    SHAPE_GROUPS,  /* (outcome, groups) */
    SHAPE_VARIANTS, /* (outcome, variant [, covariate or denominator]) */
    SHAPE_LABELS,  /* (groups) */
    SHAPE_PAIRS,   /* (x, y) */
    SHAPE_TIMES    /* (time, event, groups) */
} SampleShape;

typedef void SampleTestRun(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);
typedef void TableTestRun(Env *env, const ConfusionTable *table, const Options *options, HypothesisResult *result);

/* A test of a sample. Results last as long as env's memory. */
typedef struct HypothesisTest {
    const char *name;
    SampleShape shape;
    SampleKeeps keeps;
    const OptionSpec *const *options;
    SampleTestRun *run;
    const OptionSpec *const *moments_options; /* of stored moments; NULL: the test is not one of sums alone */
} HypothesisTest;

/* A test of a contingency table. */
typedef struct TableTest {
    const char *name;
    const OptionSpec *const *options;
    TableTestRun *run;
} TableTest;

/* Return the test of this name; NULL: there is none. */
const HypothesisTest *hypothesis_test_find(const char *name);
const TableTest *table_test_find(const char *name);
/* Return the place of a test in the list of them, and the test there; NULL: there is none. */
uint32_t hypothesis_test_place(const HypothesisTest *test);
const HypothesisTest *hypothesis_test_at(uint32_t place);
/* Returns the options of either; NULL: there is no such test. */
const OptionSpec *const *hypothesis_test_options(const char *name);
/* Returns what the rows of this call are kept as. */
SampleKeeps hypothesis_keeps(const HypothesisTest *test, const Options *options);

/*
 * Returns the sample that stored moments stand for: class_moments for a test of groups or variants, feature_moments for one of numbers or pairs.
 * Fails with ERROR_KIND for other values, and where the moments do not tell which features are meant or count rows by precision.
 */
Sample *sample_of_moments(Env *env, const HypothesisTest *test, const Model *moments, const Options *options);
extern const OptionSpec feature_options[], pair_options[], variant_options[]; /* of moments */

/* ---- mean_tests.c ---- */

extern const OptionSpec mu_options[], equal_variance_options[];

SampleTestRun one_sample_t_test, t_test, variance_test, oneway_test;
SampleTestRun pearson_test; /* from sums alone */

/* Returns the label of a group for messages, cut to 60 bytes. */
const char *group_text(Env *env, const SampleGroup *group);
/*
 * Finds the two groups of a test, in the order of their labels: [0] and [1]. Returns false, and ends the test, if there are not two.
 * order: their numbers.
 */
bool two_groups(Env *env, const Sample *sample, const char *test, const SampleGroup *groups[2], uint32_t **order,
                HypothesisResult *result);

/* ---- series_tests.c ---- */

extern const OptionSpec lag_options[];

SampleTestRun jarque_bera_test, shapiro_test, ljung_box_test, durbin_watson_test;

/* ---- power_analysis.c: the power of a test before it is made, and the rows or the effect that a power needs ---- */

extern const OptionSpec *const power_options[];  /* of power */
extern const OptionSpec *const sizing_options[]; /* of sample_size and detectable_effect: with the power */

/*
 * Returns the probability that the test finds this effect. rows: of the control, of the only sample, or pairs. Fails with ERROR_PARAMETER for
 * an effect that is not finite or impossible, and for fewer than 2 rows.
 */
double test_power(Env *env, double effect, double rows, const Options *options);
/* Returns the rows that the power needs, not rounded, at least 2. Also fails for an effect of 0. */
double test_sample_size(Env *env, double effect, const Options *options);
/* Returns the effect that has the power with so many rows: below 0 with alternative less, else above. Fails if a share would leave 0 to 1. */
double test_detectable_effect(Env *env, double rows, const Options *options);

/* ---- adjusted_p.c ---- */

/*
 * Adjusts p-values in place by a method: holm, hochberg, bonferroni, bh (also fdr) or by, as R's p.adjust. Fails with ERROR_PARAMETER for another
 * method and with ERROR_DATA for a number outside 0 .. 1.
 */
void adjust_p(Env *env, double *p, uint32_t count, const char *method);

#endif
