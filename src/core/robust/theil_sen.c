/*
 * theil_sen.c - a straight line whose slope is the median of the slopes of all pairs of rows (Theil 1950; Sen 1968), with Sen's limits, which invert
 * Kendall's test of the residuals against the feature.
 *
 * The number of slopes below s is the number of pairs that target - s x feature puts in another order than the feature does, counted while they are
 * merged. So a slope of any rank is found by bisection over the floating-point numbers, in at most 64 sorts and memory for the rows alone. Rounding
 * leaves it next to a slope of two rows, which are neighbors in that order: the result is theirs.
 */
#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_model.h"
#include "core/math/special_functions.h"
#include "core/robust/coefficient_limits.h"

#include <float.h>
#include <math.h>

static const OptionSpec theil_sen_options[] = {
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     BETWEEN_ZERO_AND_ONE,
     .help = "Confidence level of the limits of the slope in coefficients()."},
    {.name = NULL}};

/* How many slopes are below the number of this key. */
typedef struct Counted {
    uint64_t key, below;
} Counted;

typedef struct Slopes {
    Env *env;
    const NumberPair *points;   /* [count] sorted by x, then y */
    uint64_t count, pairs; /* pairs: of different x */
    double *x, *y;         /* [count] less the median, times a power of 2: at most 1 in size */
    double *z, *merged;    /* [count] */
    NumberPair *order;          /* [count] x: z, y: the place of the point */
    Counted known[4 * 64];
    uint32_t known_count;
} Slopes;

/* ---- slopes by rank ---- */

/* Returns the number of slopes below s. */
static uint64_t count_below(Slopes *slopes, double s)
{
    for (uint64_t i = 0; i < slopes->count; i++) {
        slopes->z[i] = slopes->y[i] - s * slopes->x[i];
        env_poll_rows(slopes->env, i);
    }
    return sort_exchanges(slopes->env, slopes->z, slopes->merged, slopes->count);
}

/*
 * Returns the slope of two rows from low to high, or if rounding leaves none there, nearest to them. They are neighbors in the order at low, if no
 * other slope is from low to high.
 */
static double slope_between(Slopes *slopes, double low, double high)
{
    double least = INFINITY, nearest = NAN;

    for (uint64_t i = 0; i < slopes->count; i++) {
        slopes->order[i] = (NumberPair){slopes->y[i] - low * slopes->x[i], (double)i};
        env_poll_rows(slopes->env, i);
    }
    sort_numbers(slopes->env, slopes->order, slopes->count, sizeof(NumberPair));
    sort_ties(slopes->env, slopes->order, slopes->count, sizeof(NumberPair), compare_pairs);
    for (uint64_t i = 1; i < slopes->count; i++) {
        uint64_t a = (uint64_t)slopes->order[i - 1].y, b = (uint64_t)slopes->order[i].y;
        const NumberPair *p = slopes->points + a, *q = slopes->points + b;
        double slope = (slopes->y[b] - slopes->y[a]) / (slopes->x[b] - slopes->x[a]), off = fmax(0, fmax(low - slope, slope - high));

        if (p->x != q->x && off < least) {
            least = off;
            nearest = (q->y - p->y) / (q->x - p->x);
        }
        env_poll_rows(slopes->env, i);
    }
    return nearest;
}

/* Returns the slope of this rank, from 0. */
static double slope_of_rank(Slopes *slopes, uint64_t rank)
{
    Counted low = {number_key(-DBL_MAX), 0}, high = {number_key(DBL_MAX), slopes->pairs};

    for (uint32_t i = 0; i < slopes->known_count; i++) {
        const Counted *known = &slopes->known[i];

        if (known->below <= rank && known->key > low.key)
            low = *known;
        if (known->below > rank && known->key < high.key)
            high = *known;
    }
    while (high.key - low.key > 1 && high.below - low.below > 1) {
        Counted middle = {low.key + (high.key - low.key) / 2};

        middle.below = count_below(slopes, number_of_key(middle.key));
        slopes->known[slopes->known_count++] = middle;
        if (middle.below <= rank)
            low = middle;
        else
            high = middle;
        slopes->env->progress(slopes->env, "slopes by rank", slopes->known_count, 0, NAN);
    }
    return slope_between(slopes, number_of_key(low.key), number_of_key(high.key));
}

/* ---- Kendall's test ---- */

/* Returns the sum of kendall_term over runs of equal numbers in a sorted array. */
static double tie_sum(const double *sorted, uint64_t count)
{
    double sum = 0;

    for (uint64_t first = 0, last; first < count; first = last) {
        for (last = first; last < count && sorted[last] == sorted[first];)
            last++;
        sum += kendall_term((double)(last - first));
    }
    return sum;
}

/* Sets the ranks of the limits of the slope. x, y: sorted. Returns false without limits: ties leave no variance. */
static bool limit_ranks(const Slopes *slopes, const double *x, const double *y, double level, uint64_t *ranks)
{
    double n = (double)slopes->count, pairs = (double)slopes->pairs;
    double variance = (kendall_term(n) - tie_sum(x, slopes->count) - tie_sum(y, slopes->count)) / 18;
    double reach = normal_quantile((1 + level) / 2) * sqrt(variance);

    if (!(variance >= 0))
        return false;
    ranks[0] = (uint64_t)fmax(rint((pairs - reach) / 2) - 1, 0);
    ranks[1] = (uint64_t)fmin(rint((pairs + reach) / 2), pairs - 1);
    return true;
}

/* ---- the fit ---- */

/* Subtracts the median from numbers [count], and multiplies them by a power of 2. */
static void scale(const Slopes *slopes, const double *sorted, double median, double *numbers)
{
    double size = fmax(sorted[slopes->count - 1] - median, median - sorted[0]);
    int exponent = 0;

    if (!isfinite(size))
        env_fail(slopes->env, ERROR_RANGE, "Divide the numbers by a power of ten.", "the numbers of theil_sen are too far apart: %g and %g", sorted[0], sorted[slopes->count - 1]);
    frexp(size, &exponent);
    for (uint64_t i = 0; i < slopes->count; i++) {
        numbers[i] = ldexp(numbers[i] - median, -exponent);
        env_poll_rows(slopes->env, i);
    }
}

/* Reads the rows: points in order, and their sorted numbers. Returns false if all x are equal. */
static bool read_points(Slopes *slopes, Rows *rows, double *x, double *y)
{
    Env *env = slopes->env;
    double *targets, *features = rows_matrix(env, rows, &targets, NULL, "theil_sen");
    NumberPair *points = env_array_raw(env, slopes->count, sizeof(NumberPair));
    uint64_t same = 0;

    for (uint64_t i = 0; i < slopes->count; i++) {
        points[i] = (NumberPair){features[i] + 0.0, targets[i] + 0.0};
        env_poll_rows(slopes->env, i);
    }
    sort_numbers(env, points, slopes->count, sizeof(NumberPair));
    sort_ties(env, points, slopes->count, sizeof(NumberPair), compare_pairs);
    for (uint64_t first = 0, last; first < slopes->count; first = last) {
        for (last = first; last < slopes->count && points[last].x == points[first].x; last++) {
            x[last] = slopes->x[last] = points[last].x;
            y[last] = slopes->y[last] = points[last].y;
        }
        same += (last - first) * (last - first - 1) / 2;
    }
    sort_numbers(env, y, slopes->count, sizeof(double));
    slopes->points = points;
    slopes->pairs = slopes->count * (slopes->count - 1) / 2 - same;
    env->release(env, features);
    return slopes->pairs > 0;
}

static double median_slope(Slopes *slopes)
{
    double low = slope_of_rank(slopes, (slopes->pairs - 1) / 2), high = slopes->pairs % 2 == 1 ? low : slope_of_rank(slopes, slopes->pairs / 2);

    return low == high ? low : 0.5 * low + 0.5 * high;
}

static void require_one_feature(Env *env, const Model *schema, Rows *rows)
{
    if (rows_slots(rows) != 1)
        env_fail(env, ERROR_DATA, "Use pgfit.mm_regression for several features.", "theil_sen needs one feature, not %u", rows_slots(rows));
    if ((schema->flags & MODEL_WEIGHTED) != 0)
        env_fail(env, ERROR_PARAMETER, "Leave the weight out, or pass each row as often as its weight says.", "theil_sen takes no weights");
}

static Model *theil_sen_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    static const uint32_t slot[] = {0};
    static const int32_t level[] = {-1};
    const Model *schema = rows_schema(input->rows);
    Slopes slopes = {.env = env, .count = rows_count(input->rows)};
    double *x, *y, center, middle, slope, limits[2][2] = {{NAN, NAN}, {NAN, NAN}};
    uint64_t n = slopes.count, ranks[2];
    LinearEquations out;
    bool limited;

    require_one_feature(env, schema, input->rows);
    env_require_memory(env, n * (6 * sizeof(double) + 2 * sizeof(NumberPair) + 2 * sizeof(double)), "theil_sen");
    x = env_array_raw(env, n, sizeof(double));
    y = env_array_raw(env, n, sizeof(double));
    slopes.x = env_array_raw(env, n, sizeof(double));
    slopes.y = env_array_raw(env, n, sizeof(double));
    slopes.z = env_array_raw(env, n, sizeof(double));
    slopes.merged = env_array_raw(env, n, sizeof(double));
    slopes.order = env_array_raw(env, n, sizeof(NumberPair));
    if (!read_points(&slopes, input->rows, x, y)) {
        if (input->frame)
            return NULL;
        env_fail(env, ERROR_DATA, "Use rows of at least two different values of the feature.", "theil_sen finds no slope: the feature is %g in every row", x[0]);
    }
    center = median_of_sorted(x, n);
    middle = median_of_sorted(y, n);
    scale(&slopes, x, center, slopes.x);
    scale(&slopes, y, middle, slopes.y);
    slope = median_slope(&slopes);
    limited = limit_ranks(&slopes, x, y, options_number(options, "level"), ranks);
    for (int i = 0; limited && i < 2; i++)
        limits[i][1] = slope_of_rank(&slopes, ranks[i]);
    if (!isfinite(slope))
        env_fail(env, ERROR_RANGE, "Multiply the feature by a large number.", "the slope of theil_sen exceeds the range of double precision");
    out = linear_equations(env, schema, (FitTerms){1, slot, level}, 1, &center);
    out.offset[0] = middle;
    linear_equations_set(&out, 0, 0, slope);
    builder_fact_i64(builder, "pairs", (int64_t)slopes.pairs);
    limits_add(builder, limits[0], limits[1], 1);
    linear_equations_add(builder, &out);
    return model_build(builder);
}

/* ---- reports ---- */

static const ArraySpec theil_sen_facts[] = {FACT("pairs", ARRAY_I64)};

static const ArrayTable theil_sen_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(limit_arrays), FACT_TABLE(theil_sen_facts));

static char *theil_sen_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    Coefficient *list;
    uint32_t count = limits_coefficients(env, model, &list);

    text_print(&out, "theil_sen: ");
    report_formula(&out, model, true);
    linear_put_equations(&out, list, count, count, "t");
    text_print(&out, "\n");
    report_rows(&out, model);
    text_print(&out, "slopes of pairs: %.0f", model_fact(model, "pairs", NAN));
    return out.text;
}

static const Scoring theil_sen_scoring = {.predict = linear_equation_score, .explain = linear_classifier_explain};

const Estimator estimator_theil_sen = {
    .name = "theil_sen",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .numeric = true,
    .takes_offset = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, theil_sen_options),
    .help = "A straight line whose slope is the median of the slopes of all pairs of rows: up to 29 % of the rows may be outliers.",
    .source = "Theil 1950, Proc. KNAW 53; Sen 1968, JASA 63(324)",
    .fit = theil_sen_fit,
    .arrays = theil_sen_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &theil_sen_scoring,
    .coefficients = limits_coefficients,
    .to_sql = linear_to_sql,
    .summary = theil_sen_summary,
};
