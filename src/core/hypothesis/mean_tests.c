/*
 * mean_tests.c - tests of means, variances and linear correlation, from sums alone: t, F, one-way, Pearson.
 *
 * Conventions are those of R's t.test, var.test, oneway.test and cor.test.
 */
#include "core/hypothesis/hypothesis_tests.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>

const OptionSpec mu_options[] = {
    {.name = "mu", .types = OPTION_NUMBER, .fallback = "0", .help = "The mean, or the difference, under the null hypothesis."},
    {.name = NULL}};

const OptionSpec equal_variance_options[] = {
    {.name = "equal_variance",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether all groups have the same variance, which is then pooled; else the test is Welch's."},
    {.name = NULL}};

static const char collect[] = "Collect more rows, or leave small groups out with FILTER.";
static const char use_null[] = "Check that the outcome varies; \"on_failure\": \"null\" returns NULL instead.";

const char *group_text(Env *env, const SampleGroup *group)
{
    size_t length = bytes_cut(group_label(group), group->length, 60);

    return env_message(env, "%.*s", (int)length, group_label(group));
}

bool two_groups(Env *env, const Sample *sample, const char *test, const SampleGroup *groups[2], uint32_t **order,
                HypothesisResult *result)
{
    if (sample->group_count != 2) {
        const char *hint = sample->group_count < 2 ? "Pass a column with two groups." : "Choose two groups with FILTER or WHERE, or use oneway_test or kruskal_test.";
        double rows = 0;

        for (uint32_t i = 0; i < sample->group_count; i++)
            rows += sample_groups(sample)[i].count;
        return hypothesis_fails(env, result, hint, "%s compares two groups, but the %.0f rows have %u", test, rows,
                                sample->group_count);
    }
    *order = sample_order(env, sample);
    groups[0] = &sample_groups(sample)[(*order)[0]];
    groups[1] = &sample_groups(sample)[(*order)[1]];
    return true;
}

static double variance(const SampleGroup *group)
{
    return group->squares / (group->count - 1);
}

/* Ends a test whose groups have too few rows. */
static bool has_rows(Env *env, const SampleGroup *group, double least, const char *test, bool named, HypothesisResult *result)
{
    sample_require_finite(env, group->squares);
    if (group->count >= least)
        return true;
    if (named)
        return hypothesis_fails(env, result, collect, "%s needs %.0f rows per group, but group \"%s\" has %.0f", test, least,
                                group_text(env, group), group->count);
    return hypothesis_fails(env, result, collect, "%s needs %.0f rows, but there are %.0f", test, least, group->count);
}

/* Ends a t test whose differences are rounding errors alone, as R does. */
static bool varies(Env *env, double std_error, double size, double rows, HypothesisResult *result)
{
    if (std_error > 10 * DBL_EPSILON * size)
        return true;
    return hypothesis_fails(env, result, use_null, "the outcome is essentially constant in %.0f rows: the standard error is %g", rows,
                            std_error);
}

void one_sample_t_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    const SampleGroup *all = &sample->first[0];
    double mu = options_number(options, "mu");

    hypothesis_begin(result, "One-sample t test", NULL, all->count);
    if (!has_rows(env, all, 2, "one_sample_t_test", false, result))
        return;
    result->estimate = group_mean(all);
    result->estimated = "mean";
    result->std_error = sqrt(variance(all) / all->count);
    if (!varies(env, result->std_error, fabs(group_mean(all)), all->count, result))
        return;
    hypothesis_t(result, mu, all->count - 1, hypothesis_alternative(options), options_number(options, "level"));
    result->effect = "Cohen's d";
    result->effect_size = (group_mean(all) - mu) / sqrt(variance(all));
}

void t_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    bool equal = options_boolean(options, "equal_variance");
    const SampleGroup *g[2];
    double mu = options_number(options, "mu"), df, pooled, a, b;
    uint32_t *order;

    hypothesis_begin(result, equal ? "Two-sample t test" : "Welch two-sample t test", NULL, 0);
    if (!two_groups(env, sample, "t_test", g, &order, result))
        return;
    result->rows = g[0]->count + g[1]->count;
    for (int i = 0; i < 2; i++)
        if (!has_rows(env, g[i], equal ? 1 : 2, "t_test", true, result))
            return;
    df = result->rows - 2;
    if (df < 1) {
        hypothesis_fails(env, result, collect, "t_test needs 3 rows, but there are %.0f", result->rows);
        return;
    }
    pooled = (g[0]->squares + g[1]->squares) / df;
    a = (equal ? pooled : variance(g[0])) / g[0]->count;
    b = (equal ? pooled : variance(g[1])) / g[1]->count;
    if (!equal)
        df = welch_df(a, g[0]->count, b, g[1]->count);
    result->estimate = group_mean(g[0]) - group_mean(g[1]);
    result->estimated = env_message(env, "mean of %s - mean of %s", group_text(env, g[0]), group_text(env, g[1]));
    result->std_error = sqrt(a + b);
    if (!varies(env, result->std_error, fmax(fabs(group_mean(g[0])), fabs(group_mean(g[1]))), result->rows, result))
        return;
    hypothesis_t(result, mu, df, hypothesis_alternative(options), options_number(options, "level"));
    result->effect = "Cohen's d";
    result->effect_size = (result->estimate - mu) / sqrt(pooled);
}

void variance_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    Alternative alternative = hypothesis_alternative(options);
    double level = options_number(options, "level"), tail, f, lower, upper;
    const SampleGroup *g[2];
    uint32_t *order;

    hypothesis_begin(result, "F test of two variances", alternative_names[alternative], 0);
    if (!two_groups(env, sample, "variance_test", g, &order, result))
        return;
    result->rows = g[0]->count + g[1]->count;
    for (int i = 0; i < 2; i++) {
        if (!has_rows(env, g[i], 2, "variance_test", true, result))
            return;
        if (!(g[i]->squares > 0)) {
            hypothesis_fails(env, result, use_null, "the outcome is constant in the %.0f rows of group \"%s\"", g[i]->count,
                             group_text(env, g[i]));
            return;
        }
    }
    f = result->statistic = result->estimate = variance(g[0]) / variance(g[1]);
    result->estimated = env_message(env, "variance of %s / variance of %s", group_text(env, g[0]), group_text(env, g[1]));
    result->df = g[0]->count - 1;
    result->df_2 = g[1]->count - 1;
    upper = f_upper(f, result->df, result->df_2);
    lower = f_upper(1 / f, result->df_2, result->df);
    result->p_value = alternative == TWO_SIDED ? fmin(1, 2 * fmin(lower, upper)) : alternative == LESS ? lower : upper;
    tail = alternative == TWO_SIDED ? (1 - level) / 2 : 1 - level;
    result->conf_low = alternative == LESS ? 0 : f / f_critical(tail, result->df, result->df_2);
    result->conf_high = alternative == GREATER ? INFINITY : f * f_critical(tail, result->df_2, result->df);
}

/* Welch (1951). */
static void welch_oneway(const Sample *sample, HypothesisResult *result)
{
    double k = sample->group_count, weight = 0, mean = 0, lack = 0, between = 0;

    for (uint32_t i = 0; i < sample->group_count; i++) {
        const SampleGroup *group = &sample_groups(sample)[i];
        double w = group->count / variance(group);

        weight += w;
        mean += (group_mean(group) - mean) * (w / weight);
    }
    for (uint32_t i = 0; i < sample->group_count; i++) {
        const SampleGroup *group = &sample_groups(sample)[i];
        double w = group->count / variance(group), d = group_mean(group) - mean, part = 1 - w / weight;

        between += w * d * d;
        lack += part * part / (group->count - 1);
    }
    lack /= k * k - 1;
    result->statistic = between / ((k - 1) * (1 + 2 * (k - 2) * lack));
    result->df_2 = 1 / (3 * lack);
}

/* Ends a one-way test whose groups have too few rows or do not vary, in the order of their labels; adds all rows to *all. */
static bool oneway_groups(Env *env, const Sample *sample, bool equal, SampleGroup *all, double *within, HypothesisResult *result)
{
    const uint32_t *order = sample_order(env, sample);

    for (uint32_t i = 0; i < sample->group_count; i++) {
        const SampleGroup *group = &sample_groups(sample)[order[i]];

        group_merge(all, group);
        *within += group->squares;
        if (!has_rows(env, group, equal ? 1 : 2, "oneway_test", true, result))
            return false;
        if (!equal && !(group->squares > 0))
            return hypothesis_fails(env, result, "Use \"equal_variance\": true, or leave such groups out.",
                                    "the outcome is constant in the %.0f rows of group \"%s\"", group->count, group_text(env, group));
    }
    if (sample->group_count < 2)
        return hypothesis_fails(env, result, "Pass a column with two groups or more.", "oneway_test compares groups, but the %.0f rows have %u",
                                all->count, sample->group_count);
    if (all->count <= sample->group_count)
        return hypothesis_fails(env, result, collect, "oneway_test needs more rows than groups, but there are %.0f rows of %u groups", all->count,
                                sample->group_count);
    if (!(*within > 0))
        return hypothesis_fails(env, result, use_null, "the outcome is constant in each of the %u groups of %.0f rows", sample->group_count, all->count);
    return true;
}

void oneway_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    bool equal = options_boolean(options, "equal_variance");
    double within = 0, between = 0;
    SampleGroup all = {0};

    hypothesis_begin(result, equal ? "One-way analysis of variance" : "Welch one-way analysis of variance", NULL, 0);
    if (!oneway_groups(env, sample, equal, &all, &within, result))
        return;
    result->rows = all.count;
    result->df = sample->group_count - 1.0;
    if (equal) {
        for (uint32_t i = 0; i < sample->group_count; i++) {
            const SampleGroup *group = &sample_groups(sample)[i];
            double d = group->origin - all.origin + (group->mean - all.mean);

            between += group->count * d * d;
        }
        result->df_2 = all.count - sample->group_count;
        result->statistic = between / result->df / (within / result->df_2);
    } else {
        welch_oneway(sample, result);
    }
    result->p_value = f_upper(result->statistic, result->df, result->df_2);
    result->effect = "eta squared";
    result->effect_size = 1 - within / all.squares;
}

/* Sets p and limits of a correlation; limits by Fisher's transformation, from four rows on. */
void pearson_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    Alternative alternative = hypothesis_alternative(options);
    const SampleGroup *first = &sample->first[0];
    const SampleExtra *second = sample_extra(sample, 0);
    double r, n = first->count, low, high;

    hypothesis_begin(result, "Pearson correlation", NULL, n);
    if (!has_rows(env, first, 3, "correlation_test", false, result))
        return;
    sample_require_finite(env, second->squares);
    if (!(first->squares > 0 && second->squares > 0)) {
        hypothesis_fails(env, result, use_null, "the %s number is constant in all %.0f rows", first->squares > 0 ? "second" : "first", n);
        return;
    }
    r = second->products / (sqrt(first->squares) * sqrt(second->squares));
    r = fmax(-1, fmin(1, r));
    result->estimate = r;
    result->estimated = "correlation";
    result->std_error = sqrt((1 - r * r) / (n - 2));
    hypothesis_t(result, 0, n - 2, alternative, options_number(options, "level"));
    normal_ends(options_number(options, "level"), alternative, &low, &high);
    result->conf_low = n > 3 ? tanh(atanh(r) + low / sqrt(n - 3)) : NAN;
    result->conf_high = n > 3 ? tanh(atanh(r) + high / sqrt(n - 3)) : NAN;
}
