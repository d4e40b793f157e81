/*
 * rank_limits.c - the values of a coefficient that a rank-score test does not reject (Gutenbrunner, Jureckova, Koenker & Portnoy 1993), found
 * by parametric programming along the coefficient (Koenker 1994, Proceedings of the 5th Prague Symposium on Asymptotic Statistics).
 *
 * With the coefficient held at b, the other coefficients solve a quantile regression, whose equation passes through all but one of the rows that a
 * vertex has. As b grows, the equation turns about these rows until it meets another row. There the sum of the column times the
 * rank scores, which is minus the slope of the least loss as a function of b, jumps: it falls until the score of one row, which the
 * equation then leaves, is at an end of its range. So the statistic is a function of b in steps, and the walk sees each of them.
 *
 * Ties: targets are moved by a random grain, far below what limits show, so that no two rows are met at once and the walk cannot
 * circle. Values of b are computed from targets as they are, and jumps at the same b count as one: the order of the rows does not matter.
 */
#include "core/robust/rank_limits.h"
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/math/weighted_median.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define GRAIN 1e-10       /* of the median size of a residual: how far targets move */
#define GRAIN_TARGET 1e-13 /* the same of a target, whose rounding residuals have */
#define PERFECT 1e-12     /* of its target: a residual that is rounding */
#define DEPENDENT 1e-9    /* a row that is this near to a combination of others is one */
#define FLAT 1e-11        /* of a direction: a score that does not change along it */
#define OUT_OF_RANGE 1e-8 /* a rank score that is outside its range by more than rounding */
#define NO_JUMP 1e-9      /* of the statistic: a change that is rounding */
#define REFRESH 64        /* steps between computing residuals and the inverse anew */

/* An equation through `columns` rows. */
typedef struct Vertex {
    uint64_t *row;    /* [columns] the rows it passes through */
    double *inverse;  /* [columns x columns], column i: how theta moves for the score of row i to grow by 1, the others kept */
    double *score;    /* [columns] rank scores of the rows, less 1 - quantile */
    double *residual; /* [rows] times weight, of the moved targets */
    int8_t *side;     /* [rows] 1 above the equation, -1 below, 0 on it */
} Vertex;

/* A row that a direction meets, and when. */
typedef struct Meeting {
    double step;
    uint64_t row;
} Meeting;

struct RankWalk {
    Env *env;
    const QuantileSolver *solver;
    uint64_t rows;
    uint32_t columns;
    double quantile;
    const double *theta;
    double *base, *moved; /* [rows] residuals of theta times weight; and moved by the grain */
    double grain;
    double *scores;       /* [rows] along a direction */
    double *line, *sums;  /* [columns] */
    bool *filled;         /* [columns] */
    Meeting *met;         /* [rows] */
    Vertex start, now;
};

/* Returns the least or the greatest rank score, less 1 - quantile. */
static double score_bound(const RankWalk *walk, bool above)
{
    return above ? walk->quantile : walk->quantile - 1;
}

/* ---- vertices ---- */

static Vertex vertex_new(const RankWalk *walk)
{
    size_t k = walk->columns;

    return (Vertex){.row = env_array(walk->env, k, sizeof(uint64_t)), .inverse = env_array(walk->env, k * k, sizeof(double)),
                    .score = env_array(walk->env, k, sizeof(double)), .residual = env_array_raw(walk->env, walk->rows, sizeof(double)),
                    .side = env_array(walk->env, walk->rows, sizeof(int8_t))};
}

static void vertex_copy(const RankWalk *walk, Vertex *to, const Vertex *from)
{
    size_t k = walk->columns;

    memcpy(to->row, from->row, k * sizeof(uint64_t));
    memcpy(to->inverse, from->inverse, k * k * sizeof(double));
    memcpy(to->score, from->score, k * sizeof(double));
    memcpy(to->residual, from->residual, walk->rows * sizeof(double));
    memcpy(to->side, from->side, walk->rows * sizeof(int8_t));
}

/* Sets walk->sums to the row as a combination of the rows of the vertex. */
static void combine(const RankWalk *walk, const Vertex *vertex, uint64_t row)
{
    uint32_t k = walk->columns;

    quantile_row(walk->solver, row, walk->line);
    for (uint32_t i = 0; i < k; i++) {
        walk->sums[i] = 0;
        for (uint32_t j = 0; j < k; j++)
            walk->sums[i] += walk->line[j] * vertex->inverse[(size_t)i * k + j];
    }
}

/* Replaces row `at` of the vertex in its inverse by the row that combine was called for. */
static void replace(const RankWalk *walk, Vertex *vertex, uint32_t at, uint64_t row)
{
    uint32_t k = walk->columns;
    double *own = vertex->inverse + (size_t)at * k;

    for (uint32_t j = 0; j < k; j++)
        own[j] /= walk->sums[at];
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; i != at && j < k; j++)
            vertex->inverse[(size_t)i * k + j] -= walk->sums[i] * own[j];
    vertex->row[at] = row;
}

static void set_identity(const RankWalk *walk, Vertex *vertex)
{
    uint32_t k = walk->columns;

    memset(vertex->inverse, 0, (size_t)k * k * sizeof(double));
    memset(walk->filled, 0, k * sizeof(bool));
    for (uint32_t j = 0; j < k; j++)
        vertex->inverse[(size_t)j * k + j] = 1;
}

/* Adds a row to those of the vertex. Returns its place, or the number of columns if the row depends on those it has. */
static uint32_t add_row(const RankWalk *walk, Vertex *vertex, uint64_t row)
{
    uint32_t k = walk->columns, at = k;
    double most = 0, all = 0;

    combine(walk, vertex, row);
    for (uint32_t i = 0; i < k; i++) {
        all = fmax(all, fabs(walk->sums[i]));
        if (!walk->filled[i] && fabs(walk->sums[i]) > most) {
            most = fabs(walk->sums[i]);
            at = i;
        }
    }
    if (at == k || !(most > DEPENDENT * all))
        return k;
    walk->filled[at] = true;
    replace(walk, vertex, at, row);
    return at;
}

/* Computes the residuals from those of the rows of the vertex. */
static void set_residuals(const RankWalk *walk, Vertex *vertex)
{
    uint32_t k = walk->columns;

    memset(walk->line, 0, k * sizeof(double));
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < k; j++)
            walk->line[j] += vertex->inverse[(size_t)i * k + j] * walk->moved[vertex->row[i]];
    quantile_scores(walk->solver, walk->line, true, walk->scores);
    for (uint64_t i = 0; i < walk->rows; i++) {
        vertex->residual[i] = walk->moved[i] - walk->scores[i];
        env_poll_rows(walk->env, i);
    }
    for (uint32_t i = 0; i < k; i++)
        vertex->residual[vertex->row[i]] = 0;
}

/* Computes the inverse and the residuals anew. Returns false if its rows have become dependent. */
static bool refresh(const RankWalk *walk, Vertex *vertex)
{
    uint32_t k = walk->columns;
    uint64_t *rows = env_array(walk->env, k, sizeof(uint64_t));
    double *scores = env_array(walk->env, k, sizeof(double));
    bool whole = true;

    memcpy(rows, vertex->row, k * sizeof(uint64_t));
    memcpy(scores, vertex->score, k * sizeof(double));
    set_identity(walk, vertex);
    for (uint32_t i = 0; i < k && whole; i++) {
        uint32_t at = add_row(walk, vertex, rows[i]);

        whole = at < k;
        if (whole)
            vertex->score[at] = scores[i];
    }
    if (whole)
        set_residuals(walk, vertex);
    walk->env->release(walk->env, rows);
    walk->env->release(walk->env, scores);
    return whole;
}

/* Sets walk->line to column `at` of the inverse times factor, and walk->scores to how scores change along it. Returns what is no change. */
static double set_direction(const RankWalk *walk, const Vertex *vertex, uint32_t at, double factor)
{
    double size = 0;

    for (uint32_t j = 0; j < walk->columns; j++) {
        walk->line[j] = vertex->inverse[(size_t)at * walk->columns + j] * factor;
        size += fabs(walk->line[j]);
    }
    quantile_scores(walk->solver, walk->line, true, walk->scores);
    return FLAT * size;
}

/* Returns when the direction meets row i, INFINITY: never. */
static inline double meets(const RankWalk *walk, const Vertex *vertex, uint64_t i, double flat)
{
    double toward = vertex->side[i] * walk->scores[i];

    return toward > flat * quantile_row_weight(walk->solver, i) ? fmax(0, vertex->side[i] * vertex->residual[i] / toward) : INFINITY;
}

/* Goes `step` along the direction, to `row`, which replaces the one at `at`; that one is now on `side`. */
static void go(const RankWalk *walk, Vertex *vertex, uint32_t at, int8_t side, double step, uint64_t row)
{
    for (uint64_t i = 0; i < walk->rows; i++) {
        vertex->residual[i] -= step * walk->scores[i];
        env_poll_rows(walk->env, i);
    }
    vertex->side[vertex->row[at]] = side;
    vertex->side[row] = 0;
    combine(walk, vertex, row);
    replace(walk, vertex, at, row);
    for (uint32_t i = 0; i < walk->columns; i++)
        vertex->residual[vertex->row[i]] = 0;
}

/* ---- the vertex of the solution ---- */

static int compare_meetings(const void *left, const void *right)
{
    const Meeting *a = left, *b = right;

    return a->step != b->step ? (a->step < b->step ? -1 : 1) : (a->row > b->row) - (a->row < b->row);
}

/* Sets the residuals of theta, moved ones, and the grain. */
static void set_base(RankWalk *walk)
{
    Env *env = walk->env;
    double *targets = walk->scores, *rounding = walk->moved, total = 0;
    uint64_t seed = 0;

    memset(walk->line, 0, walk->columns * sizeof(double));
    quantile_residuals(walk->solver, walk->line, true, targets);
    quantile_residuals(walk->solver, walk->theta, true, walk->base);
    for (uint64_t i = 0; i < walk->rows; i++) {
        rounding[i] = fabs(walk->base[i]) > PERFECT * fabs(targets[i]);
        total += rounding[i];
        env_poll_rows(walk->env, i);
    }
    walk->grain = GRAIN_TARGET * median_of_sizes(env, targets, NULL, walk->rows, (double)walk->rows).lower;
    if (total > 0)
        walk->grain = fmax(walk->grain, GRAIN * median_of_sizes(env, walk->base, rounding, walk->rows, total).lower);
    if (!(walk->grain > 0))
        walk->grain = DBL_MIN;
    for (uint64_t i = 0; i < walk->rows; i++) {
        walk->moved[i] = walk->base[i] + walk->grain * (2 * random_unit(&seed) - 1);
        env_poll_rows(walk->env, i);
    }
}

/* Sets the vertex to the rows nearest to the equation that do not depend on each other. Returns false if there are too few. */
static bool nearest_vertex(const RankWalk *walk, Vertex *vertex)
{
    uint32_t found = 0;

    for (uint64_t i = 0; i < walk->rows; i++)
        walk->met[i] = (Meeting){fabs(walk->moved[i]), i};
    sort_polled(walk->env, walk->met, walk->rows, sizeof(Meeting), compare_meetings);
    set_identity(walk, vertex);
    for (uint64_t i = 0; i < walk->rows && found < walk->columns; i++) {
        found += add_row(walk, vertex, walk->met[i].row) < walk->columns;
        walk->env->poll(walk->env); /* a row takes columns^2 */
    }
    if (found < walk->columns)
        return false;
    set_residuals(walk, vertex);
    for (uint64_t i = 0; i < walk->rows; i++)
        vertex->side[i] = vertex->residual[i] < 0 ? -1 : 1;
    for (uint32_t i = 0; i < walk->columns; i++)
        vertex->side[vertex->row[i]] = 0;
    return true;
}

/* Computes the rank scores of the rows of the vertex from the sides of the others. */
static void set_scores(const RankWalk *walk, Vertex *vertex)
{
    uint32_t k = walk->columns;

    for (uint64_t i = 0; i < walk->rows; i++)
        walk->scores[i] = vertex->side[i] == 0 ? 0 : score_bound(walk, vertex->side[i] > 0);
    quantile_products(walk->solver, walk->scores, walk->sums);
    for (uint32_t i = 0; i < k; i++) {
        vertex->score[i] = 0;
        for (uint32_t j = 0; j < k; j++)
            vertex->score[i] -= vertex->inverse[(size_t)i * k + j] * walk->sums[j];
    }
}

/*
 * Leaves row `at`, whose score is beyond its range by `gain`, to the least loss along that edge (Barrodale & Roberts 1974): each row that is passed
 * takes the change of its score from the gain. Returns false if the loss falls without end, which rounding alone can do.
 */
static bool follow_edge(const RankWalk *walk, Vertex *vertex, uint32_t at, double gain)
{
    int8_t side = vertex->score[at] > 0 ? 1 : -1;
    double flat = set_direction(walk, vertex, at, -side);
    uint64_t count = 0, last = 0;

    for (uint64_t i = 0; i < walk->rows; i++) {
        double step = vertex->side[i] != 0 ? meets(walk, vertex, i, flat) : INFINITY;

        if (step < INFINITY)
            walk->met[count++] = (Meeting){step, i};
        env_poll_rows(walk->env, i);
    }
    sort_polled(walk->env, walk->met, count, sizeof(Meeting), compare_meetings);
    for (; last < count; last++) {
        gain -= fabs(walk->scores[walk->met[last].row]);
        if (gain <= 0)
            break;
    }
    if (last == count)
        return false;
    for (uint64_t i = 0; i < last; i++)
        vertex->side[walk->met[i].row] = -vertex->side[walk->met[i].row];
    go(walk, vertex, at, side, walk->met[last].step, walk->met[last].row);
    return true;
}

/* Goes from the vertex to one of least loss. */
static bool descend(const RankWalk *walk, Vertex *vertex)
{
    uint64_t most = 1000 + 10 * walk->rows;

    for (uint64_t step = 1; step < most; step++) {
        double worst = 0;
        uint32_t at = 0;

        if (step % REFRESH == 0 && !refresh(walk, vertex))
            return false;
        set_scores(walk, vertex);
        for (uint32_t i = 0; i < walk->columns; i++) {
            double beyond = fmax(vertex->score[i] - walk->quantile, walk->quantile - 1 - vertex->score[i]);

            if (beyond > worst) {
                worst = beyond;
                at = i;
            }
        }
        if (worst <= OUT_OF_RANGE)
            return true;
        if (!follow_edge(walk, vertex, at, worst))
            return false;
    }
    return false;
}

RankWalk *rank_walk(const QuantileSolver *solver, const double *theta, double quantile)
{
    Env *env = quantile_env(solver);
    RankWalk *walk = env_array(env, 1, sizeof(RankWalk));
    uint64_t n = quantile_rows(solver);
    size_t k = quantile_columns(solver);

    env_require_memory(env, n * (5 * sizeof(double) + 2 * sizeof(int8_t) + 2 * sizeof(Meeting)) + 2 * k * k * sizeof(double), "the limits by ranks of quantile regression");
    *walk = (RankWalk){.env = env, .solver = solver, .rows = n, .columns = (uint32_t)k, .quantile = quantile, .theta = theta};
    walk->base = env_array_raw(env, n, sizeof(double));
    walk->moved = env_array_raw(env, n, sizeof(double));
    walk->scores = env_array_raw(env, n, sizeof(double));
    walk->met = env_array_raw(env, n, sizeof(Meeting));
    walk->line = env_array(env, k, sizeof(double));
    walk->sums = env_array(env, k, sizeof(double));
    walk->filled = env_array(env, k, sizeof(bool));
    walk->start = vertex_new(walk);
    walk->now = vertex_new(walk);
    set_base(walk);
    return nearest_vertex(walk, &walk->start) && descend(walk, &walk->start) ? walk : NULL;
}

/* ---- along a coefficient ---- */

/* A value where the statistic jumps, and what it is beyond. */
typedef struct Jump {
    double value, statistic;
} Jump;

/* One limit, on its way. */
typedef struct Search {
    const double *direction; /* [columns] */
    int8_t way;              /* 1: up, -1: down */
    double *weights;         /* [columns] how the rows of the vertex move direction'theta */
    double sum;              /* of column times rank scores, which is 0 at the start, so far */
    Jump before, last;
    uint64_t jumps;
} Search;

/* Sets the weights. Returns direction'theta at the vertex less that of walk->theta, by targets as they are; *grain: what is no difference. */
static double value_at(const RankWalk *walk, Search *search, double *grain)
{
    uint32_t k = walk->columns;
    double value = 0, size = 0;

    for (uint32_t i = 0; i < k; i++) {
        search->weights[i] = 0;
        for (uint32_t j = 0; j < k; j++)
            search->weights[i] += search->direction[j] * walk->now.inverse[(size_t)i * k + j];
        value += search->weights[i] * walk->base[walk->now.row[i]];
        size += fabs(search->weights[i]);
    }
    *grain = 2 * walk->grain * size;
    return value;
}

/* Lets the sum change until a score is at an end of its range. Returns the row, which the equation leaves to `side`; columns: none. */
static uint32_t change_scores(RankWalk *walk, Search *search, int8_t *side)
{
    double *score = walk->now.score, least = INFINITY, most = 0;
    uint32_t k = walk->columns, at = k;

    for (uint32_t i = 0; i < k; i++)
        most = fmax(most, fabs(search->weights[i]));
    for (uint32_t i = 0; i < k; i++) {
        double rate = -search->way * search->weights[i], change = fmax(0, (score_bound(walk, rate > 0) - score[i]) / rate);

        if (fabs(rate) > FLAT * most && change < least) {
            least = change;
            at = i;
        }
    }
    if (at == k)
        return k;
    *side = search->way * search->weights[at] < 0 ? 1 : -1;
    for (uint32_t i = 0; i < k; i++)
        score[i] -= search->way * least * search->weights[i];
    search->sum += least;
    return at;
}

/*
 * Adds a jump, or more of the last one; to meet a row need not be a jump. Returns false, and adds nothing, if the last one is where the test
 * rejects.
 */
static bool add_jump(Search *search, double value, double grain, double statistic, double critical)
{
    if (search->jumps == 0 || fabs(value - search->last.value) > grain) {
        if (search->last.statistic >= critical)
            return false;
        if (statistic <= search->last.statistic + NO_JUMP)
            return true;
        search->before = search->last;
        search->last.value = value;
        search->jumps++;
    }
    search->last.statistic = statistic;
    return true;
}

/* Goes to the next row that the equation meets. Returns false if there is none. */
static bool meet_next(RankWalk *walk, Search *search, uint32_t at, int8_t side)
{
    Vertex *now = &walk->now;
    double flat = set_direction(walk, now, at, search->way / search->weights[at]), least = INFINITY;
    uint64_t next = 0;

    for (uint64_t i = 0; i < walk->rows; i++) {
        double step = now->side[i] != 0 ? meets(walk, now, i, flat) : INFINITY;

        if (step < least) {
            least = step;
            next = i;
        }
        env_poll_rows(walk->env, i);
    }
    if (least == INFINITY)
        return false;
    now->score[at] = score_bound(walk, now->side[next] > 0);
    go(walk, now, at, side, least, next);
    return true;
}

/* Sets *limit to the limit on one side, less direction'theta. */
static bool find_limit(RankWalk *walk, Search *search, double deviation, double critical, double *limit)
{
    uint64_t most = 1000 + 10 * walk->rows;

    vertex_copy(walk, &walk->now, &walk->start);
    for (uint64_t step = 1; step < most; step++) {
        double grain, value;
        int8_t side;
        uint32_t at;

        if (step % REFRESH == 0 && !refresh(walk, &walk->now))
            return false;
        value = value_at(walk, search, &grain);
        at = change_scores(walk, search, &side);
        if (at == walk->columns)
            return false;
        if (!add_jump(search, value, grain, search->sum / deviation, critical) || !meet_next(walk, search, at, side)) {
            double share = (critical - search->before.statistic) / (search->last.statistic - search->before.statistic);

            *limit = search->last.statistic < critical ? search->way * INFINITY
                     : search->jumps == 1              ? search->last.value
                                                       : search->before.value + share * (search->last.value - search->before.value);
            return true;
        }
    }
    return false;
}

bool rank_limits(RankWalk *walk, const double *direction, double variance, double critical, double *limits)
{
    double deviation = sqrt(walk->quantile * (1 - walk->quantile) / variance), start = 0;
    bool found = true;

    for (uint32_t j = 0; j < walk->columns; j++)
        start += direction[j] * walk->theta[j];
    for (int way = 0; way < 2 && found; way++) {
        Search search = {.direction = direction, .way = way == 0 ? -1 : 1, .weights = env_array(walk->env, walk->columns, sizeof(double))};

        found = find_limit(walk, &search, deviation, critical, &limits[way]);
        limits[way] += start;
        walk->env->release(walk->env, search.weights);
    }
    return found;
}
