/*
 * logistic_design.c - the first pass of a logistic fit: means, scales, dependent columns, sums per class.
 */
#include "core/linalg/qr_factor.h"
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_quadratic.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONSTANT_SHARE 1e-13   /* a standard deviation below this share of the numbers' size is rounding */
#define SAMPLE_ROWS 16         /* rows per column that a sample for the preconditioner needs */
#define SAMPLE_STRIDE 4        /* a sample of more than a quarter of the tiles saves too little */

/* What the pass gathers of all design terms, shifted by the first tile's means. */
typedef struct Gathered {
    uint32_t count; /* 1 + terms */
    double *shift;  /* [terms] */
    double *gram;   /* packed; NULL: too many */
    double *squares, *sums, *class_sums; /* [count], [count], [classes x count] */
    double *class_y;  /* [DESIGN_TILE] weights of the rows of one class */
    uint64_t stride;  /* every stride-th tile is in gram */
    uint64_t sampled; /* rows in gram */
    double *part;     /* [count] squares of the tile at hand */
} Gathered;

/* Multiplies the tile's weights by the class weights. */
static void weigh(const LogisticRows *rows, DesignTile *tile)
{
    if (rows->factors != NULL)
        for (uint32_t i = 0; i < tile->count; i++)
            tile->weights[i] *= rows->factors[tile->classes[i]];
}

bool logistic_next_tile(LogisticRows *rows)
{
    DesignTile *tile = &rows->tile;

    if (!tile_next(rows->reader, tile)) {
        tile_rewind(rows->reader);
        return false;
    }
    weigh(rows, tile);
    for (uint32_t t = 0; t < rows->terms; t++) {
        uint32_t own = rows->term[t];
        double *column = tile->x + (size_t)own * DESIGN_TILE;

        tile_standardize(column, rows->center[own], 1 / rows->scale[own]);
        rows->columns[t + rows->intercept] = column;
    }
    return true;
}

bool logistic_next_lines(LogisticRows *rows, DesignBlock *lines)
{
    if (!tile_lines(rows->reader, lines)) {
        tile_rewind(rows->reader);
        return false;
    }
    for (uint32_t i = 0; i < lines->count; i++)
        rows->line_weights[i] = (lines->weights != NULL ? lines->weights[i] : 1) *
                                (rows->factors != NULL ? rows->factors[lines->classes[i]] : 1);
    return true;
}

/* Computes the means of the first tile, by which all rows are shifted. */
static void first_shift(const LogisticRows *rows, const DesignTile *tile, double *shift)
{
    for (uint32_t t = 0; t < rows->design->terms; t++) {
        const double *x = tile->x + (size_t)t * DESIGN_TILE;
        double mean = 0;

        for (uint32_t i = 0; i < tile->count; i++)
            mean += (x[i] - mean) / (i + 1);
        shift[t] = isfinite(mean) ? mean : 0;
    }
}

static void gather_tile(LogisticRows *rows, Gathered *gathered, const DesignTile *tile)
{
    uint32_t count = gathered->count;

    for (uint32_t t = 0; t + 1 < count; t++) {
        double *column = tile->x + (size_t)t * DESIGN_TILE;

        tile_standardize(column, gathered->shift[t], 1);
        rows->columns[t + 1] = column;
    }
    gathered->sampled += tile->count;
    if (gathered->gram != NULL)
        tile_gram(rows->env, rows->columns, count, tile->weights, rows->scratch, gathered->gram);
    else
        tile_squares(rows->columns, count, tile->weights, gathered->squares);
    for (uint32_t c = 0; c < rows->classes; c++) {
        bool any = false;

        for (uint32_t i = 0; i < DESIGN_TILE; i++) {
            bool own = tile->classes[i] == c;

            gathered->class_y[i] = own ? tile->weights[i] : 0;
            any = any || own;
        }
        if (any)
            tile_products(rows->columns, count, gathered->class_y,
                          gathered->class_sums + (size_t)c * count);
    }
}

/* Skips a tile that is not in the sample; false: there are no more rows, and the reader is rewound. */
static bool gather_lines(LogisticRows *rows, Gathered *gathered)
{
    uint32_t terms = rows->design->terms;
    DesignBlock lines = {0};
    bool ended;

    memset(gathered->part, 0, gathered->count * sizeof(double));
    while (!(ended = !logistic_next_lines(rows, &lines))) {
        for (uint32_t i = 0; i < lines.count; i++) {
            double *own = gathered->class_sums + (size_t)lines.classes[i] * gathered->count;

            own[0] += rows->line_weights[i];
            line_moments(lines.x + (size_t)i * terms, terms, gathered->shift, rows->line_weights[i], own + 1,
                         gathered->part + 1);
        }
        if ((lines.first + lines.count) % DESIGN_TILE == 0)
            break;
    }
    for (uint32_t j = 1; j < gathered->count; j++)
        gathered->squares[j] += gathered->part[j];
    return !ended;
}

/* Makes one pass over the unscaled rows. */
static void gather(LogisticRows *rows, Gathered *gathered)
{
    uint64_t at = 0;
    DesignTile tile;

    rows->columns[0] = rows->ones;
    for (uint32_t j = 0; j < TILE_PADDING; j++)
        rows->columns[gathered->count + j] = rows->zeros;
    for (;; at++) {
        if (at % gathered->stride != 0) {
            if (!gather_lines(rows, gathered))
                break;
            continue;
        }
        if (!tile_next(rows->reader, &tile))
            break;
        weigh(rows, &tile);
        if (at == 0)
            first_shift(rows, &tile, gathered->shift);
        gather_tile(rows, gathered, &tile);
    }
    if (at % gathered->stride == 0) /* else gather_lines has rewound */
        tile_rewind(rows->reader);
    for (uint32_t c = 0; c < rows->classes; c++)
        for (uint32_t j = 0; j < gathered->count; j++)
            gathered->sums[j] += gathered->class_sums[(size_t)c * gathered->count + j];
    if (gathered->gram != NULL)
        for (uint32_t j = 0; j < gathered->count; j++)
            gathered->squares[j] += gathered->gram[factor_packed(j) + j];
}

static void __attribute__((noreturn)) fail_square(const LogisticRows *rows, uint32_t term, const char *size,
                                                  const char *remedy)
{
    char name[SCHEMA_NAME_SIZE], hint[64];

    row_design_term_name(rows->design, term, name, sizeof(name));
    snprintf(hint, sizeof(hint), "%s it by a large number.", remedy);
    env_fail(rows->env, ERROR_RANGE, hint, "the squares of feature \"%s\" are too %s for a number", name, size);
}

/* Sets the center and scale of each term; with an intercept, drops constant terms. */
static void find_scales(LogisticRows *rows, const Gathered *gathered)
{
    for (uint32_t t = 0; t < rows->design->terms; t++) {
        double shifted = gathered->sums[t + 1] / rows->weight, mean = gathered->shift[t] + shifted;
        double variance = gathered->squares[t + 1] / rows->weight - shifted * shifted;
        double size = fmax(fabs(gathered->shift[t]), fabs(shifted));

        rows->deviation[t] = variance > 0 ? sqrt(variance) : 0;
        if (!isfinite(mean) || !isfinite(variance))
            fail_square(rows, t, "large", "Divide");
        if (gathered->squares[t + 1] < DBL_MIN && shifted != 0)
            fail_square(rows, t, "small", "Multiply");
        if (rows->deviation[t] <= CONSTANT_SHARE * size)
            rows->deviation[t] = 0;
        rows->center[t] = rows->intercept ? mean : 0;
        rows->scale[t] = rows->intercept ? rows->deviation[t] : hypot(rows->deviation[t], mean);
        if (rows->scale[t] == 0) {
            rows->scale[t] = 1;
            rows->dropped[t] = 1;
        }
    }
}

/* Returns the weighted cross-product of two standardized terms; term 0 is the intercept. */
static double standardized(const LogisticRows *rows, const Gathered *gathered, uint32_t i, uint32_t j)
{
    double ti = i > 0 ? rows->center[i - 1] - gathered->shift[i - 1] : 0;
    double tj = j > 0 ? rows->center[j - 1] - gathered->shift[j - 1] : 0;
    double si = i > 0 ? rows->scale[i - 1] : 1, sj = j > 0 ? rows->scale[j - 1] : 1;
    const double *gram = gathered->gram;
    double cross = gram[factor_packed(i > j ? i : j) + (i > j ? j : i)];

    return (cross - ti * gram[factor_packed(j)] - tj * gram[factor_packed(i)] + ti * tj * gram[0]) / (si * sj);
}

/* Marks terms that depend linearly on those before them. */
static void drop_dependent(LogisticRows *rows, const Gathered *gathered)
{
    Env *env = rows->env;
    uint32_t terms = rows->design->terms, count = 0;
    double *packed = env_array(env, factor_packed((size_t)terms + 1), sizeof(double));
    uint32_t *column = env_array(env, (size_t)terms + 1, sizeof(uint32_t));
    uint8_t *dependent = env_array(env, (size_t)terms + 1, 1);

    if (rows->intercept)
        column[count++] = 0;
    for (uint32_t t = 0; t < terms; t++)
        if (!rows->dropped[t])
            column[count++] = t + 1;
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t i = 0; i <= j; i++)
            packed[factor_packed(j) + i] = standardized(rows, gathered, column[i], column[j]);
    gram_dependent(env, packed, count, rows->weight, dependent);
    for (uint32_t j = 0; j < count; j++)
        if (dependent[j] && column[j] > 0)
            rows->dropped[column[j] - 1] = 2;
}

/*
 * Of a sample: the columns' correlations, drawn toward 0 by as much as they are noise (of normal columns: Chen,
 * Wiesel, Eldar & Hero 2010), with the squares that all rows have. A column without a spread in the sample is uncorrelated.
 */
static void draw_together(LogisticRows *rows, uint64_t sampled)
{
    Env *env = rows->env;
    uint32_t first = rows->intercept, count = rows->count;
    double *deviation = env_array(env, (size_t)count + 1, sizeof(double)), squares = 0, own = count - first, share = 1;

    for (uint32_t j = first; j < count; j++)
        deviation[j] = sqrt(fmax(0, rows->gram[factor_packed(j) + j]));
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t i = 0; i < j; i++) {
            double *r = rows->gram + factor_packed(j) + i, both = deviation[i] * deviation[j];

            *r = both > 0 ? *r / both : 0;
            squares += 2 * *r * *r;
        }
    if (squares > 0)
        share = fmin(1, (own * own + own + squares) / (double)sampled / squares);
    for (uint32_t j = 0; j < count; j++) {
        for (uint32_t i = 0; i < j; i++)
            rows->gram[factor_packed(j) + i] *= (1 - share) * rows->weight;
        rows->gram[factor_packed(j) + j] = rows->weight;
    }
}

/* Lists the kept terms, with their moments in the scale of the columns. */
static void keep(LogisticRows *rows, const Gathered *gathered)
{
    Env *env = rows->env;
    uint32_t terms = rows->design->terms;
    uint32_t *column = env_array(env, (size_t)terms + 1, sizeof(uint32_t)), count = 0;

    if (rows->intercept)
        column[count++] = 0;
    for (uint32_t t = 0; t < terms; t++)
        if (!rows->dropped[t]) {
            rows->term[rows->terms++] = t;
            column[count++] = t + 1;
        }
    rows->count = count;
    rows->class_sums = env_array(env, (size_t)rows->classes * count + 1, sizeof(double));
    for (uint32_t c = 0; c < rows->classes; c++) {
        const double *sums = gathered->class_sums + (size_t)c * gathered->count;

        for (uint32_t j = 0; j < count; j++) {
            uint32_t t = column[j] - 1;

            rows->class_sums[(size_t)c * count + j] =
                column[j] == 0
                    ? sums[0]
                    : (sums[column[j]] + (gathered->shift[t] - rows->center[t]) * sums[0]) / rows->scale[t];
        }
    }
    if (gathered->gram != NULL)
        rows->gram = env_array(env, factor_packed(count) + 1, sizeof(double));
    for (uint32_t j = 0; j < count && rows->gram != NULL; j++)
        for (uint32_t i = 0; i <= j; i++)
            rows->gram[factor_packed(j) + i] = standardized(rows, gathered, column[i], column[j]);
    if (rows->sampled)
        draw_together(rows, gathered->sampled);
    if (rows->intercept)
        rows->columns[0] = rows->ones;
    for (uint32_t j = 0; j < TILE_PADDING; j++)
        rows->columns[count + j] = rows->zeros;
}

/*
 * Returns how many tiles there are per tile in the Gram matrix. A fit by gradients only needs a preconditioner;
 * Newton's method needs the whole matrix, and is quicker for few columns.
 */
static uint64_t sample_stride(const RowDesign *design, uint32_t count, LogisticUse use)
{
    uint64_t stride = rows_count(design->rows) / SAMPLE_ROWS / count;

    if (count > NEWTON_MOST)
        return UINT64_MAX;
    return use == LOGISTIC_BY_GRADIENTS && stride >= SAMPLE_STRIDE ? stride : 1;
}

LogisticRows *logistic_rows(Env *env, RowDesign *design, bool intercept, const double *factors, LogisticUse use)
{
    LogisticRows *rows = env_array(env, 1, sizeof(LogisticRows));
    uint32_t terms = design->terms, count = terms + 1;
    bool few = count <= NEWTON_MOST;
    Gathered gathered = {.count = count, .stride = sample_stride(design, count, use)};
    size_t needed = ((few ? factor_packed(count) * 3 : 0) + (size_t)count * (design->classes * 2 + 9)) *
                    sizeof(double);
    void *block;

    env_require_memory(env, needed, "a logistic fit");
    rows->env = env;
    rows->design = design;
    rows->intercept = intercept;
    rows->classes = design->classes;
    rows->factors = factors;
    rows->sampled = few && gathered.stride > 1;
    rows->zeros = env_aligned(env, 8 * DESIGN_TILE, &block);
    rows->ones = rows->zeros + DESIGN_TILE;
    rows->scratch = rows->ones + DESIGN_TILE;
    gathered.class_y = rows->scratch + 4 * DESIGN_TILE;
    rows->line_weights = gathered.class_y + DESIGN_TILE;
    for (uint32_t i = 0; i < DESIGN_TILE; i++)
        rows->ones[i] = 1;
    rows->columns = env_array(env, (size_t)count + TILE_PADDING, sizeof(double *));
    rows->term = env_array(env, (size_t)terms + 1, sizeof(uint32_t));
    rows->dropped = env_array(env, (size_t)terms + 1, 1);
    rows->center = env_array(env, (size_t)terms + 1, sizeof(double));
    rows->scale = env_array(env, (size_t)terms + 1, sizeof(double));
    rows->deviation = env_array(env, (size_t)terms + 1, sizeof(double));
    rows->class_weight = env_array(env, rows->classes, sizeof(double));
    gathered.shift = env_array(env, count, sizeof(double));
    gathered.squares = env_array(env, count, sizeof(double));
    gathered.part = env_array(env, count, sizeof(double));
    gathered.sums = env_array(env, count, sizeof(double));
    gathered.class_sums = env_array(env, (size_t)rows->classes * count, sizeof(double));
    if (few)
        gathered.gram = env_array(env, factor_packed(count), sizeof(double));
    rows->reader = tile_reader(design);
    gather(rows, &gathered);
    for (uint32_t c = 0; c < rows->classes; c++)
        rows->class_weight[c] = gathered.class_sums[(size_t)c * count];
    rows->weight = gathered.sums[0];
    find_scales(rows, &gathered);
    if (use == LOGISTIC_UNPENALIZED && few)
        drop_dependent(rows, &gathered);
    keep(rows, &gathered);
    return rows;
}
