/*
 * hypothesis_tests.c - the tests by name, with their options.
 */
#include "core/hypothesis/ab_test.h"
#include "core/hypothesis/log_rank_test.h"
#include "core/hypothesis/rank_tests.h"
#include "core/hypothesis/table_tests.h"

#include <string.h>

static const HypothesisTest tests[] = {
    {"one_sample_t_test", SHAPE_NUMBERS, KEEP_SUMS,
     OPTION_TABLES(hypothesis_options, alternative_options, option_level, mu_options), one_sample_t_test,
     OPTION_TABLES(hypothesis_options, alternative_options, option_level, mu_options, feature_options)},
    {"t_test", SHAPE_GROUPS, KEEP_SUMS,
     OPTION_TABLES(hypothesis_options, alternative_options, option_level, mu_options, equal_variance_options), t_test,
     OPTION_TABLES(hypothesis_options, alternative_options, option_level, mu_options, equal_variance_options, feature_options)},
    {"variance_test", SHAPE_GROUPS, KEEP_SUMS, OPTION_TABLES(hypothesis_options, alternative_options, option_level), variance_test,
     OPTION_TABLES(hypothesis_options, alternative_options, option_level, feature_options)},
    {"oneway_test", SHAPE_GROUPS, KEEP_SUMS, OPTION_TABLES(hypothesis_options, equal_variance_options), oneway_test,
     OPTION_TABLES(hypothesis_options, equal_variance_options, feature_options)},
    {"correlation_test", SHAPE_PAIRS, KEEP_SUMS, OPTION_TABLES(hypothesis_options, alternative_options, option_level, correlation_options),
     correlation_test, OPTION_TABLES(hypothesis_options, alternative_options, option_level, pair_options)},
    {"ab_test", SHAPE_VARIANTS, KEEP_SUMS, OPTION_TABLES(hypothesis_options, alternative_options, option_level, ab_test_options), ab_test,
     OPTION_TABLES(hypothesis_options, alternative_options, option_level, ab_test_options, variant_options)},
    {"sample_ratio_test", SHAPE_LABELS, KEEP_SUMS, OPTION_TABLES(hypothesis_options, sample_ratio_options), sample_ratio_test},
    {"kruskal_test", SHAPE_GROUPS, KEEP_VALUES, OPTION_TABLES(hypothesis_options), kruskal_test},
    {"mann_whitney_test", SHAPE_GROUPS, KEEP_VALUES, OPTION_TABLES(hypothesis_options, alternative_options, option_level, rank_options),
     mann_whitney_test},
    {"signed_rank_test", SHAPE_NUMBERS, KEEP_VALUES,
     OPTION_TABLES(hypothesis_options, alternative_options, option_level, mu_options, rank_options), signed_rank_test},
    {"ks_test", SHAPE_GROUPS, KEEP_VALUES, OPTION_TABLES(hypothesis_options, alternative_options, smirnov_options), ks_test},
    {"log_rank_test", SHAPE_TIMES, KEEP_VALUES, OPTION_TABLES(hypothesis_options), log_rank_test},
    {"jarque_bera_test", SHAPE_NUMBERS, KEEP_FOURTH, OPTION_TABLES(hypothesis_options), jarque_bera_test},
    {"shapiro_test", SHAPE_NUMBERS, KEEP_VALUES, OPTION_TABLES(hypothesis_options), shapiro_test},
    {"ljung_box_test", SHAPE_NUMBERS, KEEP_VALUES, OPTION_TABLES(hypothesis_options, lag_options), ljung_box_test},
    {"durbin_watson_test", SHAPE_NUMBERS, KEEP_VALUES, OPTION_TABLES(hypothesis_options), durbin_watson_test},
};

static const TableTest table_tests[] = {
    {"chi_square_test", OPTION_TABLES(hypothesis_options, correct_options), chi_square_test},
    {"fisher_test", OPTION_TABLES(hypothesis_options, alternative_options, option_level, fisher_options), fisher_test},
    {"mcnemar_test", OPTION_TABLES(hypothesis_options, correct_options, mcnemar_options), mcnemar_test},
    {"proportion_test", OPTION_TABLES(hypothesis_options, alternative_options, option_level, correct_options), proportion_test},
};

const HypothesisTest *hypothesis_test_find(const char *name)
{
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        if (strcmp(tests[i].name, name) == 0)
            return &tests[i];
    return NULL;
}

uint32_t hypothesis_test_place(const HypothesisTest *test)
{
    return (uint32_t)(test - tests);
}

const HypothesisTest *hypothesis_test_at(uint32_t place)
{
    return place < sizeof(tests) / sizeof(tests[0]) ? &tests[place] : NULL;
}

const TableTest *table_test_find(const char *name)
{
    for (size_t i = 0; i < sizeof(table_tests) / sizeof(table_tests[0]); i++)
        if (strcmp(table_tests[i].name, name) == 0)
            return &table_tests[i];
    return NULL;
}

SampleKeeps hypothesis_keeps(const HypothesisTest *test, const Options *options)
{
    bool ranks = options_has(options, "method") && !options_is(options, "method", "pearson");

    return ranks ? KEEP_VALUES : test->keeps;
}

const OptionSpec *const *hypothesis_test_options(const char *name)
{
    const HypothesisTest *test = hypothesis_test_find(name);
    const TableTest *other = table_test_find(name);

    return test != NULL ? test->options : other != NULL ? other->options : NULL;
}
