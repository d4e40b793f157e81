/*
 * table_tests.c - tests of contingency tables: chi-square, McNemar, proportions.
 *
 * Conventions are those of R's chisq.test, mcnemar.test and prop.test.
 */
#include "core/hypothesis/table_tests.h"
#include "core/base/bytes.h"
#include "core/math/special_functions.h"

#include <math.h>
#include <string.h>

const OptionSpec correct_options[] = {
    {.name = "correct",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether a statistic of whole numbers is corrected for continuity (Yates) before it is compared with a continuous distribution."},
    {.name = NULL}};

const OptionSpec mcnemar_options[] = {
    {.name = "exact",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether the p-value of two labels is that of the binomial distribution instead of chi-square."},
    {.name = NULL}};

const char *table_label(Env *env, const ConfusionTable *table, uint32_t label)
{
    size_t length = bytes_cut(table->labels[label], table->lengths[label], 60);

    return env_message(env, "%.*s", (int)length, table->labels[label]);
}

/* Numbers the labels with a positive total; returns how many. labels, places: [count] each. */
static uint32_t used_labels(const ConfusionTable *table, const double *totals, uint32_t *labels, uint32_t *places)
{
    uint32_t used = 0;

    for (uint32_t k = 0; k < table->count; k++) {
        places[k] = used;
        if (totals[k] > 0)
            labels[used++] = k;
    }
    return used;
}

CountTable count_table(Env *env, const ConfusionTable *table, const char *test)
{
    size_t count = (size_t)table->count + 1;
    uint32_t *row_places = env_array(env, count, sizeof(uint32_t)), *column_places = env_array(env, count, sizeof(uint32_t));
    CountTable counts = {.row_labels = env_array(env, count, sizeof(uint32_t)), .column_labels = env_array(env, count, sizeof(uint32_t)),
                         .row_totals = env_array(env, count, sizeof(double)), .column_totals = env_array(env, count, sizeof(double)),
                         .total = table->total};

    counts.rows = used_labels(table, table->actual, counts.row_labels, row_places);
    counts.columns = used_labels(table, table->predicted, counts.column_labels, column_places);
    env_require_memory(env, (size_t)counts.rows * counts.columns * sizeof(double), env_message(env, "the table of %s", test));
    counts.cells = env_array(env, (size_t)counts.rows * counts.columns + 1, sizeof(double));
    for (uint64_t i = 0; i < table->cell_count; i++) {
        const ContingencyCell *cell = &table->cells[i];

        counts.cells[(size_t)row_places[cell->actual] * counts.columns + column_places[cell->predicted]] = cell->weight;
    }
    for (uint32_t i = 0; i < counts.rows; i++)
        counts.row_totals[i] = table->actual[counts.row_labels[i]];
    for (uint32_t j = 0; j < counts.columns; j++)
        counts.column_totals[j] = table->predicted[counts.column_labels[j]];
    return counts;
}

bool table_varies(Env *env, const CountTable *counts, const char *test, HypothesisResult *result)
{
    if (counts->rows > 1 && counts->columns > 1)
        return true;
    return hypothesis_fails(env, result, "Check that both columns vary in these rows.",
                            "%s needs two labels on either side, but the table of %.0f rows has %u and %u", test, counts->total, counts->rows,
                            counts->columns);
}

bool counts_are_whole(Env *env, const ConfusionTable *table, const char *test, HypothesisResult *result)
{
    if (table->total > 0x1p53)
        return hypothesis_fails(env, result, "Use chi_square_test.", "%s counts up to 2^53 rows, and the table has %g", test, table->total);
    for (uint64_t i = 0; i < table->cell_count; i++)
        if (table->cells[i].weight != floor(table->cells[i].weight))
            return hypothesis_fails(env, result, "Pass whole counts as weights, or use chi_square_test.", "%s counts rows, but a count is %.17g", test,
                                    table->cells[i].weight);
    return true;
}

/* Returns Pearson's chi-square; yates: subtracted from each difference. */
static double chi_square(Env *env, const CountTable *counts, double yates)
{
    double sum = 0;

    for (uint32_t i = 0; i < counts->rows; i++) {
        env->poll(env);
        for (uint32_t j = 0; j < counts->columns; j++) {
            double expected = counts->row_totals[i] * (counts->column_totals[j] / counts->total);
            double d = fabs(counts->cells[(size_t)i * counts->columns + j] - expected) - yates;

            sum += d * (d / expected);
        }
    }
    return sum;
}

/* Returns Yates' correction of a 2 x 2 table: 1/2, but no more than its differences. */
static double yates(const CountTable *counts)
{
    return fmin(0.5, fabs(counts->cells[0] - counts->row_totals[0] * (counts->column_totals[0] / counts->total)));
}

double cramers_v(Env *env, const CountTable *counts)
{
    double least = counts->rows < counts->columns ? counts->rows : counts->columns;

    return sqrt(chi_square(env, counts, 0) / (counts->total * (least - 1)));
}

void chi_square_test(Env *env, const ConfusionTable *table, const Options *options, HypothesisResult *result)
{
    CountTable counts = count_table(env, table, "chi_square_test");
    bool correct = options_boolean(options, "correct") && counts.rows == 2 && counts.columns == 2;

    hypothesis_begin(result, correct ? "Pearson's chi-square test with continuity correction" : "Pearson's chi-square test", NULL, counts.total);
    if (!table_varies(env, &counts, "chi_square_test", result))
        return;
    result->statistic = chi_square(env, &counts, correct ? yates(&counts) : 0);
    result->df = (counts.rows - 1.0) * (counts.columns - 1.0);
    result->p_value = chi_square_upper(result->statistic, result->df);
    result->effect = "Cramer's V";
    result->effect_size = cramers_v(env, &counts);
}

/* Sums (b - c)^2 / (b + c) over the pairs of labels; Bowker (1948). Ends the test at a pair that never differs. */
static bool discordance(Env *env, const ConfusionTable *table, const double *cells, double correction, HypothesisResult *result)
{
    result->statistic = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        env->poll(env);
        for (uint32_t j = i + 1; j < table->count; j++) {
            double b = cells[(size_t)i * table->count + j], c = cells[(size_t)j * table->count + i];
            double d = fabs(b - c) - (b == c ? 0 : correction);

            if (b + c == 0)
                return hypothesis_fails(env, result, "Check that the labels of both columns are the same, or leave this pair out.",
                                        "mcnemar_test compares changes, but none of %.0f rows changed between \"%s\" and \"%s\"", table->total,
                                        table_label(env, table, i), table_label(env, table, j));
            result->statistic += d * (d / (b + c));
        }
    }
    return true;
}

void mcnemar_test(Env *env, const ConfusionTable *table, const Options *options, HypothesisResult *result)
{
    bool two = table->count == 2, exact = options_boolean(options, "exact") && two, correct = options_boolean(options, "correct") && two && !exact;
    double *cells, b, c, upper;

    hypothesis_begin(result, exact ? "Exact McNemar test" : correct ? "McNemar test with continuity correction" : two ? "McNemar test" : "McNemar-Bowker test",
                     NULL, table->total);
    if (table->count < 2) {
        hypothesis_fails(env, result, "Check that both columns vary in these rows.", "mcnemar_test needs two labels, but the %.0f rows have %u", table->total,
                         table->count);
        return;
    }
    if (options_boolean(options, "exact") && (!counts_are_whole(env, table, "mcnemar_test", result)))
        return;
    env_require_memory(env, (size_t)table->count * table->count * sizeof(double), "the table of mcnemar_test");
    cells = env_array(env, (size_t)table->count * table->count, sizeof(double));
    for (uint64_t i = 0; i < table->cell_count; i++)
        cells[(size_t)table->cells[i].actual * table->count + table->cells[i].predicted] = table->cells[i].weight;
    if (!discordance(env, table, cells, correct ? 1 : 0, result))
        return;
    result->df = table->count * (table->count - 1.0) / 2;
    result->p_value = chi_square_upper(result->statistic, result->df);
    if (!two)
        return;
    b = cells[1];
    c = cells[2];
    if (exact) {
        result->statistic = b;
        result->df = NAN;
        result->p_value = b == c ? 1 : fmin(1, 2 * beta_tails(fmax(b, c), fmin(b, c) + 1, 0.5, 0.5, &upper));
    }
    result->estimate = b / c;
    result->estimated = env_message(env, "changes from %s to %s / changes back", table_label(env, table, 0), table_label(env, table, 1));
    result->effect = "Cohen's g";
    result->effect_size = b / (b + c) - 0.5;
}

/* ---- proportions ---- */

/* Sets the difference of two shares of successes, with limits, and p for a direction. */
static void two_proportions(Env *env, const ConfusionTable *table, const CountTable *counts, const double *shares, double correction,
                            const Options *options, HypothesisResult *result)
{
    Alternative alternative = hypothesis_alternative(options);
    const double *n = counts->column_totals;
    double low, high, inverse = 1 / n[0] + 1 / n[1], d = shares[0] - shares[1];

    result->estimate = d;
    result->estimated = env_message(env, "share of %s - share of %s", table_label(env, table, counts->column_labels[0]),
                                    table_label(env, table, counts->column_labels[1]));
    result->std_error = sqrt(shares[0] * (1 - shares[0]) / n[0] + shares[1] * (1 - shares[1]) / n[1]);
    normal_ends(options_number(options, "level"), alternative, &low, &high);
    result->conf_low = fmax(-1, d + low * result->std_error - correction * inverse);
    result->conf_high = fmin(1, d + high * result->std_error + correction * inverse);
    result->alternative = alternative_names[alternative];
    if (alternative != TWO_SIDED)
        result->p_value = normal_p_value(copysign(sqrt(result->statistic), d), alternative);
    result->effect = "Cohen's h";
    result->effect_size = 2 * asin(sqrt(shares[0])) - 2 * asin(sqrt(shares[1]));
}

/* The table is of success (true, false) and group; Newcombe's names, R's correction. */
void proportion_test(Env *env, const ConfusionTable *table, const Options *options, HypothesisResult *result)
{
    CountTable counts = count_table(env, table, "proportion_test");
    bool correct = options_boolean(options, "correct") && counts.columns == 2;
    double correction = 0, *shares = env_array(env, (size_t)counts.columns + 1, sizeof(double));

    hypothesis_begin(result, correct ? "Test of equal proportions with continuity correction" : "Test of equal proportions", NULL, counts.total);
    if (!table_varies(env, &counts, "proportion_test", result))
        return;
    for (uint32_t j = 0; j < counts.columns; j++) /* false is the first label, true the second */
        shares[j] = counts.cells[counts.columns + j] / counts.column_totals[j];
    if (correct)
        correction = fmin(0.5, fabs(shares[0] - shares[1]) / (1 / counts.column_totals[0] + 1 / counts.column_totals[1]));
    result->statistic = chi_square(env, &counts, correction);
    result->df = counts.columns - 1.0;
    result->p_value = chi_square_upper(result->statistic, result->df);
    if (counts.columns == 2)
        two_proportions(env, table, &counts, shares, correction, options, result);
}
