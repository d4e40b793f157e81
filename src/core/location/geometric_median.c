/*
 * geometric_median.c - the point with the least sum of weighted distances to the rows.
 *
 * Minimizes f(y) = sum w |x - y|. Weiszfeld's step y - g / sum(w / |x - y|) never increases f (Weiszfeld 1937). On a data point
 * the step of Vardi & Zhang (2000), "The multivariate L1-median and associated data depth", replaces it, and their condition
 * |g| <= weight of the point proves that the point is optimal. Weiszfeld's steps converge slowly if the rows are stretched or a
 * row is near the optimum. So they only scale the directions of L-BFGS (Nocedal 1980) and serve as the fallback, and the nearest
 * row is tried as the answer when the gradient points at it. Rows on one line, where the minimum need not be unique, are solved
 * exactly: by a weighted median along the line, found by radix selection.
 *
 * An evaluation takes one pass over the rows and keeps only a few vectors. Each coordinate of the iterate is the
 * unevaluated sum of two doubles, so an offset of 1e9 costs no digits.
 */
#include "core/linalg/vector_loops.h"
#include "core/estimator/shared_options.h"
#include "core/math/weighted_median.h"
#include "core/location/exemplars.h"
#include "core/location/location_model.h"
#include "core/rows/row_sample.h"
#include "core/rows/row_scale.h"
#include "core/rows/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MEMORY_PAIRS 10 /* most steps that L-BFGS remembers */

/* The objective and its derivatives at one point. */
typedef struct Evaluation {
    double *high, *low;  /* the point, scaled: high + low */
    double *gradient;    /* of the other rows */
    double norm;         /* of the gradient */
    double objective;    /* scaled */
    double inverse;      /* sum of w / distance */
    double on;           /* weight of the rows that coincide with the point */
    double nearest;      /* distance of the nearest other row; infinite: there is none */
    double nearest_weight;
    double *nearest_row; /* scaled */
    double farthest;     /* distance of the farthest row */
} Evaluation;

typedef struct Median {
    Env *env;
    Rows *rows;
    RowsReader *reader;
    uint32_t slots;
    double scale;        /* power of two by which coordinates are multiplied */
    double weight_scale; /* the same for weights */
    double weight;       /* sum of the scaled weights */
    uint64_t passes;     /* evaluations so far */
    Evaluation current, trial;
    double *difference, *block_gradient, *direction, *rejected, *farthest_row;
    bool has_rejected;   /* rejected: the row tried last as the answer */
    double tolerance;
    uint32_t pairs, pair_count, pair_next; /* of L-BFGS: most, remembered, place of the next */
    double *steps, *changes;               /* [pairs x slots] */
    double rho[MEMORY_PAIRS], alpha[MEMORY_PAIRS]; /* 1 / (step' change), and the first loop's coefficients */
} Median;

static inline double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline double block_weight(const Median *median, const RowsBlock *block, uint32_t i)
{
    return row_weight(block->weights, i) * median->weight_scale;
}

static inline void copy_scaled(double *to, const double *from, double scale, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[i] * scale;
}

/* ---- a pass ---- */

#define COINCIDENT 1e-290 /* rows nearer than this, scaled, coincide with the point */

/* Sets difference to row x scale - (high + low), and returns its norm. */
static double row_distance(const double *row, double scale, const double *high, const double *low,
                           uint32_t count, double *difference)
{
    double sums[4] = {0, 0, 0, 0};
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++) {
            double d = (row[i + lane] * scale - high[i + lane]) - low[i + lane];

            difference[i + lane] = d;
            sums[lane] += d * d;
        }
    for (; i < count; i++) {
        double d = (row[i] * scale - high[i]) - low[i];

        difference[i] = d;
        sums[0] += d * d;
    }
    return loop_norm_of((sums[0] + sums[1]) + (sums[2] + sums[3]), difference, NULL, count);
}

/* Tells whether `scaled` is the row times scale. */
static bool same_scaled(const double *scaled, const double *row, double scale, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (scaled[i] != row[i] * scale)
            return false;
    return true;
}

/* Adds the sums of one block; summing block by block keeps the rounding of long sums small. */
static void evaluate_block(Median *median, Evaluation *at, const RowsBlock *block)
{
    uint32_t slots = median->slots;
    double objective = 0, inverse = 0;

    memset(median->block_gradient, 0, slots * sizeof(double));
    for (uint32_t i = 0; i < block->count; i++) {
        const double *row = block->slots + (size_t)i * slots;
        double weight = block_weight(median, block, i), weight_by_distance;
        double distance =
            row_distance(row, median->scale, at->high, at->low, slots, median->difference);

        if (distance <= COINCIDENT) {
            at->on += weight;
            continue;
        }
        weight_by_distance = weight / distance;
        objective += weight * distance;
        inverse += weight_by_distance;
        for (uint32_t j = 0; j < slots; j++)
            median->block_gradient[j] += weight_by_distance * median->difference[j];
        if (distance < at->nearest) {
            at->nearest = distance;
            at->nearest_weight = weight;
            copy_scaled(at->nearest_row, row, median->scale, slots);
        } else if (distance == at->nearest &&
                   same_scaled(at->nearest_row, row, median->scale, slots)) {
            at->nearest_weight += weight;
        }
        if (distance > at->farthest) {
            at->farthest = distance;
            if (median->passes == 0)
                copy_scaled(median->farthest_row, row, median->scale, slots);
        }
    }
    at->objective += objective;
    at->inverse += inverse;
    for (uint32_t j = 0; j < slots; j++)
        at->gradient[j] -= median->block_gradient[j];
}

/* Fills an evaluation at its point (high + low), in one pass over the rows. */
static void median_evaluate(Median *median, Evaluation *at)
{
    RowsBlock block;

    at->objective = at->inverse = at->on = at->farthest = at->nearest_weight = 0;
    at->nearest = INFINITY;
    memset(at->gradient, 0, median->slots * sizeof(double));
    rows_rewind(median->reader);
    while (rows_next_block(median->reader, &block))
        evaluate_block(median, at, &block);
    at->norm = loop_norm_of(dot(at->gradient, at->gradient, median->slots), at->gradient, NULL, median->slots);
    median->passes++;
}

/* ---- rows on a line ---- */

/* Returns the position of a row along the line from `origin` in `direction`. */
static double line_position(const Median *median, const double *row, const double *origin,
                            const double *direction)
{
    double sum = 0;

    if (median->slots == 1)
        return row[0] * median->scale;
    for (uint32_t j = 0; j < median->slots; j++)
        sum += (row[j] * median->scale - origin[j]) * direction[j];
    return sum;
}

/*
 * Tells whether all rows are within rounding of the line through `origin`, the nearest row of the first pass, and the farthest one.
 * Writes the unit vector of the line to direction.
 */
static bool median_on_line(Median *median, const double *origin, double *direction)
{
    uint32_t slots = median->slots;
    const double *far = median->farthest_row;
    RowsBlock block;
    double length;

    for (uint32_t j = 0; j < slots; j++)
        direction[j] = far[j] - origin[j];
    length = loop_norm_of(dot(direction, direction, slots), direction, NULL, slots);
    if (slots == 1)
        return true;
    if (length == 0)
        return false;
    for (uint32_t j = 0; j < slots; j++)
        direction[j] /= length;
    rows_rewind(median->reader);
    while (rows_next_block(median->reader, &block)) {
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * slots;
            double position = line_position(median, row, origin, direction);

            for (uint32_t j = 0; j < slots; j++) {
                double x = row[j] * median->scale;
                double off = (x - origin[j]) - position * direction[j];

                double rounding = fabs(x) + fabs(origin[j]) +
                                  fabs(position) * ((fabs(origin[j]) + fabs(far[j])) / length);

                if (!(fabs(off) <= 2 * DBL_EPSILON * rounding))
                    return false;
            }
        }
    }
    return true;
}

/* The positions of the rows along the line, for weighted_median. */
typedef struct LineReader {
    const Median *median;
    const double *origin, *direction;
    RowsBlock block;
    uint32_t next; /* row of the block */
} LineReader;

/* Reads the next positions and weights, at most WEIGHTED_BLOCK. Returns 0 at the end, and starts over. */
static uint32_t next_positions(void *source, double *positions, double *weights)
{
    LineReader *line = source;
    const Median *median = line->median;
    uint32_t count = 0;

    while (count < WEIGHTED_BLOCK) {
        if (line->next == line->block.count) {
            line->next = line->block.count = 0;
            if (count > 0)
                break;
            if (!rows_next_block(median->reader, &line->block)) {
                line->block.count = 0;
                rows_rewind(median->reader);
                return 0;
            }
            continue;
        }
        positions[count] = line_position(median, line->block.slots + (size_t)line->next * median->slots,
                                         line->origin, line->direction);
        weights[count++] = block_weight(median, &line->block, line->next++);
    }
    return count;
}

/* Moves the current point to the middle between the lower and the upper median row along the line, which is optimal. */
static void median_of_line(Median *median, const double *origin, const double *direction)
{
    double slack = rows_contents(median->rows) & ROWS_WEIGHT ? 1e-14 * median->weight : 0;
    double *low_row = median->direction, *high_row = median->trial.nearest_row;
    LineReader line = {.median = median, .origin = origin, .direction = direction};
    WeightedNumbers positions = {&line, next_positions};
    bool found = false;
    WeightedMedian ends;
    RowsBlock block;

    rows_rewind(median->reader);
    ends = weighted_median(&positions, median->weight, slack);
    while (rows_next_block(median->reader, &block)) {
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * median->slots;
            double position = line_position(median, row, origin, direction);

            if (position == ends.lower)
                copy_scaled(low_row, row, median->scale, median->slots);
            if (position == ends.upper && !found) {
                copy_scaled(high_row, row, median->scale, median->slots);
                found = true;
            }
        }
    }
    if (ends.lower == ends.upper)
        high_row = low_row;
    for (uint32_t j = 0; j < median->slots; j++) {
        median->current.high[j] = low_row[j] / 2 + high_row[j] / 2;
        median->current.low[j] = 0;
    }
}

#define SAMPLE_ROWS 31    /* sampled for the starting point */
#define TRIALS 4          /* step lengths tried along a direction */
#define POINT_SLACK 1e-13 /* of |g| / sum of weights: smaller values are rounding */

static const OptionSpec geometric_median_options[] = {
    OPTION_MAX_ITER("1000", 1e9, "steps"),
    {.name = "tolerance",
     .types = OPTION_NUMBER,
     .fallback = "1e-10",
     FROM_ZERO_TO_ONE,
     .help = "Stop when the norm of the mean unit vector toward the rows is at most this; the objective is then "
             "within a relative error of twice this of its minimum."},
    {.name = NULL}};

/* ---- the start ---- */

/* Returns the weighted median of one coordinate of a sample, of rows with their weights at the end. */
static double sample_median(const RowSample *sample, uint32_t slot, double scale)
{
    double values[SAMPLE_ROWS], weights[SAMPLE_ROWS], total = 0, sum = 0;
    uint32_t i;

    for (uint32_t row = 0; row < sample->count; row++) { /* insertion sort */
        double value = sample->rows[row].row[slot] * scale;

        for (i = row; i > 0 && values[i - 1] > value; i--) {
            values[i] = values[i - 1];
            weights[i] = weights[i - 1];
        }
        values[i] = value;
        weights[i] = sample->rows[row].row[sample->width - 1];
        total += weights[i];
    }
    for (i = 0; i + 1 < sample->count; i++) {
        sum += weights[i];
        if (sum * 2 == total)
            return values[i] / 2 + values[i + 1] / 2;
        if (sum * 2 > total)
            break;
    }
    return values[i];
}

/* Returns a factor that keeps numbers up to `largest` in range through sums of distances. */
static double range_scale(double largest)
{
    if (largest > 0x1p900)
        return 0x1p-128;
    if (largest > 0 && largest < 0x1p-900)
        return 0x1p500;
    return 1.0;
}

/* Sets the scales and the sum of weights, and starts from the coordinatewise median of a sample, which is robust. */
static void median_start(Median *median)
{
    uint32_t slots = median->slots, most = SAMPLE_ROWS;
    RowSample *sample;
    double largest = 0, heaviest = 0;
    RowsBlock block;

    while (most > 3 && (size_t)most * slots * sizeof(double) > 256 * 1024)
        most -= 2;
    sample = row_sample_new(median->env, most, slots + 1, false);
    rows_rewind(median->reader);
    while (rows_next_block(median->reader, &block)) {
        for (size_t i = 0; i < (size_t)block.count * slots; i++)
            largest = fabs(block.slots[i]) > largest ? fabs(block.slots[i]) : largest;
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * slots;
            double weight = row_weight(block.weights, i), *kept = row_sample_add(sample, rows_hash(0, row, slots));

            heaviest = fmax(heaviest, weight);
            if (kept == NULL)
                continue;
            memcpy(kept, row, slots * sizeof(double));
            kept[slots] = weight;
        }
    }
    median->scale = range_scale(largest);
    median->weight_scale = 1.0;
    if (rows_contents(median->rows) & ROWS_WEIGHT) /* the heaviest row weighs between 1/2 and 1 */
        median->weight_scale = ldexp(1.0, (int)fmax(-1022, fmin(1022, -1 - logb(heaviest))));
    for (uint32_t i = 0; i < sample->count; i++)
        sample->rows[i].row[slots] *= median->weight_scale;
    for (uint32_t j = 0; j < slots; j++) {
        median->current.high[j] = sample_median(sample, j, median->scale);
        median->current.low[j] = 0;
    }
    median->weight = 0;
    rows_rewind(median->reader);
    while (rows_next_block(median->reader, &block)) {
        double sum = 0;

        for (uint32_t i = 0; i < block.count; i++)
            sum += block_weight(median, &block, i);
        median->weight += sum;
    }
}

/* ---- steps ---- */

/* Moves the trial point to current + length x direction. */
static void move(Median *median, const double *direction, double length)
{
    const Evaluation *from = &median->current;
    Evaluation *to = &median->trial;

    for (uint32_t j = 0; j < median->slots; j++) {
        double step = from->low[j] + length * direction[j];
        double high = from->high[j] + step;
        double back = high - from->high[j];

        to->high[j] = high;
        to->low[j] = (from->high[j] - (high - back)) + (step - back);
    }
}

static void swap_evaluations(Median *median)
{
    Evaluation swap = median->current;

    median->current = median->trial;
    median->trial = swap;
}

/* Sets the direction to Weiszfeld's step, shortened on a data point after Vardi and Zhang. */
static void weiszfeld_direction(Median *median)
{
    const Evaluation *at = &median->current;
    double length = 1 / at->inverse;

    if (at->on > 0)
        length *= 1 - at->on / at->norm;
    for (uint32_t j = 0; j < median->slots; j++)
        median->direction[j] = -length * at->gradient[j];
}

/* Sets the direction to that of L-BFGS from the remembered steps, or to Weiszfeld's if there are none. */
static void lbfgs_direction(Median *median)
{
    uint32_t slots = median->slots, m = median->pairs, newest;
    double *d = median->direction, gamma, *change, *step;

    if (median->pair_count == 0) {
        weiszfeld_direction(median);
        return;
    }
    newest = (median->pair_next + m - 1) % m;
    memcpy(d, median->current.gradient, slots * sizeof(double));
    for (uint32_t k = 0; k < median->pair_count; k++) {
        uint32_t i = (newest + m - k) % m;

        step = median->steps + (size_t)i * slots;
        change = median->changes + (size_t)i * slots;
        median->alpha[i] = median->rho[i] * dot(step, d, slots);
        for (uint32_t j = 0; j < slots; j++)
            d[j] -= median->alpha[i] * change[j];
    }
    change = median->changes + (size_t)newest * slots;
    gamma = 1 / (median->rho[newest] * dot(change, change, slots));
    if (!(gamma > 1 / median->current.inverse))
        gamma = 1 / median->current.inverse;
    for (uint32_t j = 0; j < slots; j++)
        d[j] *= gamma;
    for (uint32_t k = median->pair_count; k > 0; k--) {
        uint32_t i = (newest + m - (k - 1)) % m;
        double beta;

        step = median->steps + (size_t)i * slots;
        change = median->changes + (size_t)i * slots;
        beta = median->rho[i] * dot(change, d, slots);
        for (uint32_t j = 0; j < slots; j++)
            d[j] += (median->alpha[i] - beta) * step[j];
    }
    for (uint32_t j = 0; j < slots; j++)
        d[j] = -d[j];
}

/* Remembers the step just tried if the objective curves upward along it; else forgets all steps. */
static void remember_step(Median *median, double length)
{
    uint32_t slots = median->slots;
    double *step, *change, curvature;

    if (median->pairs == 0 || median->current.on > 0 || median->trial.on > 0) {
        median->pair_count = 0;
        return;
    }
    step = median->steps + (size_t)median->pair_next * slots;
    change = median->changes + (size_t)median->pair_next * slots;
    for (uint32_t j = 0; j < slots; j++) {
        step[j] = length * median->direction[j];
        change[j] = median->trial.gradient[j] - median->current.gradient[j];
    }
    curvature = dot(step, change, slots);
    if (!(curvature > 0) || !isfinite(1 / curvature)) {
        median->pair_count = 0;
        return;
    }
    median->rho[median->pair_next] = 1 / curvature;
    median->pair_next = (median->pair_next + 1) % median->pairs;
    if (median->pair_count < median->pairs)
        median->pair_count++;
}

/* Returns the slope of the objective at the trial point, along the direction that led to it. */
static double trial_slope(const Median *median)
{
    return dot(median->trial.gradient, median->direction, median->slots);
}

/* Tells whether the objective rose by no more than rounding, which is coarse if there is an outlier of 1e300. */
static bool trial_not_higher(const Median *median)
{
    return median->trial.objective <= median->current.objective * (1 + 1e-13);
}

/* Tells whether the objective fell enough (Armijo) or, where rounding hides that, the slope became flat enough. */
static bool step_accepted(const Median *median, double slope, double length)
{
    if (median->trial.objective <= median->current.objective + 1e-4 * length * slope)
        return true;
    return trial_not_higher(median) && trial_slope(median) <= -0.9 * slope;
}

/* Tries lengths along the direction. Returns true if one was accepted: the point is then the trial, the length *length. */
static bool search_line(Median *median, double *length)
{
    double slope = dot(median->current.gradient, median->direction, median->slots);

    *length = 1;
    if (!(slope < 0))
        return false;
    for (int i = 0; i < TRIALS; i++) {
        double rise, shorter;

        move(median, median->direction, *length);
        median_evaluate(median, &median->trial);
        if (step_accepted(median, slope, *length))
            return true;
        rise = median->trial.objective - median->current.objective - *length * slope;
        shorter = -slope * *length * *length / (2 * rise); /* minimum of the parabola */
        *length = isfinite(shorter) ? fmin(fmax(shorter, 0.1 * *length), 0.5 * *length)
                                    : 0.1 * *length;
    }
    return false;
}

/* Takes one step to a better point. Returns false if rounding allows none. */
static bool improve(Median *median)
{
    double length = 1;

    if (median->current.on == 0) {
        lbfgs_direction(median);
        if (search_line(median, &length)) {
            remember_step(median, length);
            swap_evaluations(median);
            return true;
        }
    }
    median->pair_count = 0;
    weiszfeld_direction(median);
    move(median, median->direction, 1);
    median_evaluate(median, &median->trial);
    /* f is convex: if it still falls at the end of the step, the step did not lead upward */
    if (!(median->trial.objective < median->current.objective ||
          (trial_not_higher(median) && trial_slope(median) <= 0)))
        return false;
    remember_step(median, 1);
    swap_evaluations(median);
    return true;
}

/* ---- the answer ---- */

/* Tells whether a point is optimal within the tolerance. */
static bool optimal(const Median *median, const Evaluation *at)
{
    return at->norm <= at->on + fmax(median->tolerance, POINT_SLACK) * median->weight;
}

/* Tells whether the nearest row may be the answer: the gradient of the other rows is no longer than its weight. */
static bool nearest_is_candidate(const Median *median)
{
    const Evaluation *at = &median->current;
    double squares = 0;

    if (!isfinite(at->nearest))
        return false;
    if (median->has_rejected && memcmp(median->rejected, at->nearest_row,
                                       median->slots * sizeof(double)) == 0)
        return false;
    for (uint32_t j = 0; j < median->slots; j++) {
        double unit = ((at->nearest_row[j] - at->high[j]) - at->low[j]) / at->nearest;
        double rest = at->gradient[j] + at->nearest_weight * unit;

        squares += rest * rest;
    }
    return sqrt(squares) <= at->nearest_weight;
}

/* Evaluates the nearest row, and moves there if it is the answer or at least better than the current point. */
static bool try_nearest(Median *median)
{
    Evaluation *to = &median->trial;

    memcpy(median->rejected, median->current.nearest_row, median->slots * sizeof(double));
    median->has_rejected = true;
    memcpy(to->high, median->rejected, median->slots * sizeof(double));
    memset(to->low, 0, median->slots * sizeof(double));
    median_evaluate(median, to);
    if (!optimal(median, to) && !(to->objective < median->current.objective))
        return false;
    swap_evaluations(median);
    median->pair_count = 0;
    return true;
}

/* Iterates until the current point is optimal. Returns false at max_iter, or if rounding allows no better point. */
static bool median_solve(Median *median, int64_t max_iter, int64_t *iterations)
{
    Env *env = median->env;

    for (*iterations = 0; *iterations < max_iter; ++*iterations) {
        if (optimal(median, &median->current))
            return true;
        env->progress(env, "geometric median", *iterations, max_iter,
                      median->current.objective / median->weight_scale / median->scale);
        if (median->current.on == 0 && nearest_is_candidate(median) && try_nearest(median))
            continue;
        if (!improve(median))
            break;
    }
    return optimal(median, &median->current);
}

static void evaluation_alloc(Env *env, Evaluation *at, uint32_t slots)
{
    at->high = env_array(env, slots, sizeof(double));
    at->low = env_array(env, slots, sizeof(double));
    at->gradient = env_array(env, slots, sizeof(double));
    at->nearest_row = env_array(env, slots, sizeof(double));
}

/* Allocates the vectors, with as many L-BFGS pairs as a quarter of the memory allows. */
static void median_alloc(Median *median)
{
    Env *env = median->env;
    uint32_t slots = median->slots;
    size_t pair_bytes = (size_t)slots * 2 * sizeof(double);

    env_require_memory(env, 13 * (size_t)slots * sizeof(double), "geometric_median");
    evaluation_alloc(env, &median->current, slots);
    evaluation_alloc(env, &median->trial, slots);
    median->difference = env_array(env, slots, sizeof(double));
    median->block_gradient = env_array(env, slots, sizeof(double));
    median->direction = env_array(env, slots, sizeof(double));
    median->rejected = env_array(env, slots, sizeof(double));
    median->farthest_row = env_array(env, slots, sizeof(double));
    median->pairs = MEMORY_PAIRS;
    if (median->pairs > env->memory_limit / 4 / pair_bytes)
        median->pairs = (uint32_t)(env->memory_limit / 4 / pair_bytes);
    if (median->pairs > 0) {
        median->steps = env_array(env, (size_t)median->pairs * slots, sizeof(double));
        median->changes = env_array(env, (size_t)median->pairs * slots, sizeof(double));
    }
}

MedianOutcome geometric_median_of(Env *env, Rows *rows, double tolerance, int64_t max_iter, double *center)
{
    Median median = {.env = env, .rows = rows, .slots = rows_slots(rows), .tolerance = tolerance};
    MedianOutcome outcome = {.iterations = 0};

    median_alloc(&median);
    median.reader = rows_reader(env, rows);
    median_start(&median);
    median_evaluate(&median, &median.current);
    if (median.current.farthest > 0 &&
        median_on_line(&median, median.current.nearest_row, median.direction)) {
        double *origin = median.trial.gradient; /* free at this point */
        double *along = median.trial.high;

        memcpy(origin, median.current.nearest_row, median.slots * sizeof(double));
        memcpy(along, median.direction, median.slots * sizeof(double));
        median_of_line(&median, origin, along);
        median_evaluate(&median, &median.current);
        outcome.converged = true;
    } else {
        outcome.converged = median_solve(&median, max_iter, &outcome.iterations);
    }

    for (uint32_t j = 0; j < median.slots; j++)
        center[j] = (median.current.high[j] + median.current.low[j]) / median.scale;
    outcome.objective = median.current.objective / median.weight_scale / median.scale;
    outcome.gradient = median.current.norm / median.weight;
    outcome.evaluations = median.passes * rows_count(rows);
    return outcome;
}

static Model *geometric_median_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                   ModelBuilder *builder)
{
    Rows *rows = input->rows;
    const RowScale *scale = rows_standardize(env, rows, options);
    double *center = env_array_raw(env, rows_slots(rows), sizeof(double)), tolerance = options_number(options, "tolerance");
    MedianOutcome outcome = geometric_median_of(env, rows, tolerance, options_integer(options, "max_iter"), center);

    if (scale != NULL)
        row_scale_undo(scale, center, center);
    if (!outcome.converged)
        env_warn(env, ERROR_DATA,
                 "Raise \"max_iter\" or \"tolerance\"; info() shows the objective reached.",
                 "geometric_median stopped after %lld step%s with a gradient of %g, more than %g",
                 (long long)outcome.iterations, outcome.iterations == 1 ? "" : "s", outcome.gradient, tolerance);
    if (isinf(outcome.objective))
        env_warn(env, ERROR_RANGE, "Divide the features by a large number.",
                 "the sum of distances of geometric_median is out of range");
    builder_f64(builder, SECTION_ARRAYS, "center", center, rows_slots(rows));
    row_scale_write(builder, scale);
    builder_fact(builder, "objective", outcome.objective);
    builder_fact_i64(builder, "iterations", outcome.iterations);
    builder_fact_bool(builder, "converged", outcome.converged);
    builder_fact_i64(builder, "distance_evaluations", (int64_t)outcome.evaluations);
    return model_build(builder);
}

/* Returns the distance of a row from the median, in standard deviations if the rows were standardized. */
static double median_distance(const Model *model, const void *prepared, const double *slots)
{
    uint32_t count, scales = 0;
    const double *center = model_f64(model, "center", &count), *scale = model_f64(model, "feature_scale", &scales);
    double largest = 0, sum = 0;

    if (scale == NULL)
        return center_scoring.distance(model, prepared, slots);
    for (uint32_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((slots[i] - center[i]) * scale[i]));
    for (uint32_t i = 0; i < count && largest > 0; i++) {
        double part = (slots[i] - center[i]) * scale[i] / largest;

        sum += part * part;
    }
    return largest * sqrt(sum);
}

static const Scoring median_scoring = {.distance = median_distance};

/* Without a table of facts, so that the tests of the value format can put facts of every type into its models. */
static const ArrayTable median_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(center_arrays), ARRAY_TABLE(scale_arrays));

const Estimator estimator_geometric_median = {
    .name = "geometric_median",
    .task = TASK_DESCRIPTION,
    .input = INPUT_ROWS,
    .numeric = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, option_standardize, geometric_median_options),
    .help = "The point with the least sum of distances to the rows, which outliers hardly move.",
    .source = "Weiszfeld (1937); Vardi & Zhang (2000)",
    .fit = geometric_median_fit,
    .arrays = median_array_tables,
    .scoring = &median_scoring,
};
