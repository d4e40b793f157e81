/*
 * standardized_rows.c - the first pass of a fit: means, scales, dependent columns, sums per class.
 */
#include "core/rows/standardized_rows.h"
#include "core/linalg/penalized_quadratic.h"
#include "core/linalg/qr_factor.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONSTANT_SHARE 1e-13 /* a standard deviation below this share of the numbers' size is rounding */
#define SAMPLE_ROWS 16       /* rows per column that a sample for the preconditioner needs */

/* Weighted sums of the first pass: of 1 and of all design terms minus `shift`. */
typedef struct FirstPass {
    uint32_t count;        /* 1 + terms */
    double *shift;         /* [terms] weighted means of the first tile */
    double *gram;          /* packed cross-products; NULL: too many columns */
    double *squares, *sums, *class_sums; /* [count], [count], [classes x count] */
    double *target_sums;   /* [count] products with the targets */
    double *class_weights; /* [DESIGN_TILE] weights of the rows of one class, 0 for other rows; or weights times targets */
    uint64_t stride;       /* one tile in `stride` is in gram */
    uint64_t sampled;      /* rows in gram */
    double *part;          /* [count] squares of the current tile */
} FirstPass;

/* Multiplies the tile's weights by the class weights. */
static void apply_factors(const StandardizedRows *rows, DesignTile *tile)
{
    if (rows->factors != NULL)
        for (uint32_t i = 0; i < tile->count; i++)
            tile->weights[i] *= rows->factors[tile->classes[i]];
}

void standardized_offsets(StandardizedRows *rows, RowDesign *offsets, bool centered)
{
    DesignTile tile;
    uint64_t count = 0;

    rows->offsets = tile_reader(offsets);
    while (centered && tile_next(rows->offsets, &tile)) {
        rows->env->poll(rows->env);
        for (uint32_t i = 0; i < tile.count; i++)
            rows->offset_center += (tile.x[i] - rows->offset_center) / (double)++count;
    }
    tile_rewind(rows->offsets);
}

/* Reads the offsets of the current tile. */
static void next_offsets(StandardizedRows *rows)
{
    DesignTile tile;

    if (!tile_next(rows->offsets, &tile) || tile.count != rows->tile.count)
        env_fail(rows->env, ERROR_INTERNAL, NULL, "a row lacks its offset");
    for (uint32_t i = 0; i < tile.count; i++)
        tile.x[i] -= rows->offset_center;
    rows->offset = tile.x;
}

/* Takes the tile that the reader returned, if it did, with weights times class weights and offsets; else rewinds. */
static bool take_tile(StandardizedRows *rows, bool read)
{
    if (!read) {
        tile_rewind(rows->reader);
        if (rows->offsets != NULL)
            tile_rewind(rows->offsets);
        return false;
    }
    if (rows->offsets != NULL)
        next_offsets(rows);
    apply_factors(rows, &rows->tile);
    return true;
}

bool standardized_next_targets(StandardizedRows *rows)
{
    return take_tile(rows, tile_next_targets(rows->reader, &rows->tile));
}

bool standardized_next_tile(StandardizedRows *rows)
{
    if (!take_tile(rows, tile_next(rows->reader, &rows->tile)))
        return false;
    standardized_columns(rows, rows->tile.x, rows->columns);
    return true;
}

void standardized_columns(const StandardizedRows *rows, double *x, const double **columns)
{
    for (uint32_t t = 0; t < rows->terms; t++) {
        uint32_t own = rows->term[t];
        double *column = x + (size_t)own * DESIGN_TILE;

        tile_standardize(column, rows->center[own], 1 / rows->scale[own]);
        columns[t + rows->intercept] = column;
    }
}

void standardized_slopes(const StandardizedRows *rows, const double *theta, double *slopes)
{
    for (uint32_t t = 0; t < rows->terms; t++)
        slopes[rows->term[t]] = theta[t + rows->intercept] / rows->scale[rows->term[t]];
}

void standardized_products(const StandardizedRows *rows, const double *sums, double *products)
{
    if (rows->intercept)
        products[0] = sums[0];
    for (uint32_t t = 0; t < rows->terms; t++)
        products[t + rows->intercept] = sums[1 + rows->term[t]] / rows->scale[rows->term[t]];
}

bool standardized_next_lines(StandardizedRows *rows, DesignBlock *lines)
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

/* Computes the weighted means of the first tile, by which all rows are shifted. */
static void first_shift(const StandardizedRows *rows, const DesignTile *tile, double *shift)
{
    for (uint32_t t = 0; t < rows->design->terms; t++) {
        const double *x = tile->x + (size_t)t * DESIGN_TILE;
        double mean = 0, weight = 0;

        for (uint32_t i = 0; i < tile->count; i++) {
            weight += tile->weights[i];
            mean += weight > 0 ? (x[i] - mean) * (tile->weights[i] / weight) : 0; /* a class may have no weight */
        }
        shift[t] = isfinite(mean) ? mean : 0;
    }
}

/* Adds a tile to all sums. */
static void add_tile(StandardizedRows *rows, FirstPass *pass, const DesignTile *tile)
{
    uint32_t count = pass->count;

    for (uint32_t t = 0; t + 1 < count; t++) {
        double *column = tile->x + (size_t)t * DESIGN_TILE;

        tile_standardize(column, pass->shift[t], 1);
        rows->columns[t + 1] = column;
    }
    pass->sampled += tile->count;
    if (pass->gram != NULL)
        tile_gram(rows->env, rows->columns, count, tile->weights, rows->scratch, pass->gram);
    else
        tile_squares(rows->columns, count, tile->weights, pass->squares);
    if (tile->classes == NULL)
        tile_products(rows->columns, count, tile->weights, pass->class_sums);
    if (tile->targets != NULL) {
        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            pass->class_weights[i] = tile->weights[i] * tile->targets[i];
        tile_products(rows->columns, count, pass->class_weights, pass->target_sums);
    }
    for (uint32_t c = 0; tile->classes != NULL && c < rows->classes; c++) {
        bool any = false;

        for (uint32_t i = 0; i < DESIGN_TILE; i++) {
            bool own = tile->classes[i] == c;

            pass->class_weights[i] = own ? tile->weights[i] : 0;
            any = any || own;
        }
        if (any)
            tile_products(rows->columns, count, pass->class_weights,
                          pass->class_sums + (size_t)c * count);
    }
}

/* Adds the rows of a tile that is not in the sample to all sums but gram; false: no more rows, the reader is rewound. */
static bool add_lines(StandardizedRows *rows, FirstPass *pass)
{
    uint32_t terms = rows->design->terms;
    DesignBlock lines = {0};
    bool ended;

    memset(pass->part, 0, pass->count * sizeof(double));
    while (!(ended = !standardized_next_lines(rows, &lines))) {
        for (uint32_t i = 0; i < lines.count; i++) {
            double *own = pass->class_sums + (lines.classes != NULL ? (size_t)lines.classes[i] * pass->count : 0);

            own[0] += rows->line_weights[i];
            line_moments(lines.x + (size_t)i * terms, terms, pass->shift, rows->line_weights[i], own + 1,
                         pass->part + 1);
        }
        if ((lines.first + lines.count) % DESIGN_TILE == 0)
            break;
    }
    for (uint32_t j = 1; j < pass->count; j++)
        pass->squares[j] += pass->part[j];
    return !ended;
}

/* Computes the sums in one pass over the unscaled rows. */
static void run_first_pass(StandardizedRows *rows, FirstPass *pass)
{
    uint64_t at = 0;
    DesignTile tile;

    rows->columns[0] = rows->ones;
    for (uint32_t j = 0; j < TILE_PADDING; j++)
        rows->columns[pass->count + j] = rows->zeros;
    for (;; at++) {
        if (at % pass->stride != 0) {
            if (!add_lines(rows, pass))
                break;
            continue;
        }
        if (!tile_next(rows->reader, &tile))
            break;
        apply_factors(rows, &tile);
        if (at == 0)
            first_shift(rows, &tile, pass->shift);
        add_tile(rows, pass, &tile);
    }
    if (at % pass->stride == 0) /* else add_lines has rewound */
        tile_rewind(rows->reader);
    for (uint32_t c = 0; c < rows->classes; c++)
        for (uint32_t j = 0; j < pass->count; j++)
            pass->sums[j] += pass->class_sums[(size_t)c * pass->count + j];
    if (pass->gram != NULL)
        for (uint32_t j = 0; j < pass->count; j++)
            pass->squares[j] += pass->gram[factor_packed(j) + j];
}

/* Fails because the squares of a term are too large or too small. */
static void __attribute__((noreturn)) fail_square(const StandardizedRows *rows, uint32_t term, const char *size,
                                                  const char *remedy)
{
    char name[SCHEMA_NAME_SIZE], hint[64];

    row_design_term_name(rows->design, term, name, sizeof(name));
    snprintf(hint, sizeof(hint), "%s it by a large number.", remedy);
    env_fail(rows->env, ERROR_RANGE, hint, "the squares of feature \"%s\" are too %s for a number", name, size);
}

/* Sets the center and scale of each term; with an intercept, drops constant terms. */
static void find_scales(StandardizedRows *rows, const FirstPass *pass)
{
    for (uint32_t t = 0; t < rows->design->terms; t++) {
        double shifted = pass->sums[t + 1] / rows->weight, mean = pass->shift[t] + shifted;
        double variance = pass->squares[t + 1] / rows->weight - shifted * shifted;
        double size = fmax(fabs(pass->shift[t]), fabs(shifted));

        rows->deviation[t] = variance > 0 ? sqrt(variance) : 0;
        if (!isfinite(mean) || !isfinite(variance))
            fail_square(rows, t, "large", "Divide");
        if (pass->squares[t + 1] < DBL_MIN && shifted != 0)
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
static double standardized(const StandardizedRows *rows, const FirstPass *pass, uint32_t i, uint32_t j)
{
    double ti = i > 0 ? rows->center[i - 1] - pass->shift[i - 1] : 0;
    double tj = j > 0 ? rows->center[j - 1] - pass->shift[j - 1] : 0;
    double si = i > 0 ? rows->scale[i - 1] : 1, sj = j > 0 ? rows->scale[j - 1] : 1;
    const double *gram = pass->gram;
    double cross = gram[factor_packed(i > j ? i : j) + (i > j ? j : i)];

    return (cross - ti * gram[factor_packed(j)] - tj * gram[factor_packed(i)] + ti * tj * gram[0]) / (si * sj);
}

/* Lists the columns that are not dropped, 0 for the intercept and 1 + t for term t, in column; returns how many. */
static uint32_t kept_columns(const StandardizedRows *rows, uint32_t *column)
{
    uint32_t count = 0;

    if (rows->intercept)
        column[count++] = 0;
    for (uint32_t t = 0; t < rows->design->terms; t++)
        if (!rows->dropped[t])
            column[count++] = t + 1;
    return count;
}

/* Writes the packed cross-products of the listed columns, standardized. */
static void standardized_gram(const StandardizedRows *rows, const FirstPass *pass, const uint32_t *column, uint32_t count,
                              double *packed)
{
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t i = 0; i <= j; i++)
            *packed++ = standardized(rows, pass, column[i], column[j]);
}

/* Drops terms that depend linearly on earlier ones. */
static void drop_dependent(StandardizedRows *rows, const FirstPass *pass)
{
    Env *env = rows->env;
    double *packed = env_array(env, factor_packed(pass->count), sizeof(double));
    uint32_t *column = env_array(env, pass->count, sizeof(uint32_t)), count = kept_columns(rows, column);
    uint8_t *dependent = env_array(env, pass->count, 1);

    standardized_gram(rows, pass, column, count, packed);
    gram_dependent(env, packed, count, rows->weight, dependent);
    for (uint32_t j = 0; j < count; j++)
        if (dependent[j] && column[j] > 0)
            rows->dropped[column[j] - 1] = 1;
}

/*
 * Replaces the Gram matrix of a sample by one with the squares of all rows and with the sample's correlations, shrunk toward
 * 0 by the share of them that is noise (for normal columns: Chen, Wiesel, Eldar & Hero 2010). A column that is constant in the
 * sample counts as uncorrelated.
 */
static void shrink_correlations(StandardizedRows *rows, uint64_t sampled)
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

/* Writes the sums of the listed columns, standardized. */
static void standardized_sums(const StandardizedRows *rows, const FirstPass *pass, const uint32_t *column, uint32_t count, const double *sums, double *out)
{
    for (uint32_t j = 0; j < count; j++) {
        uint32_t t = column[j] - 1;

        out[j] = column[j] == 0 ? sums[0] : (sums[column[j]] + (pass->shift[t] - rows->center[t]) * sums[0]) / rows->scale[t];
    }
}

/* Lists the kept terms, and computes the sums and cross-products of their standardized columns. */
static void keep_terms(StandardizedRows *rows, const FirstPass *pass)
{
    Env *env = rows->env;
    uint32_t *column = env_array(env, pass->count, sizeof(uint32_t)), count = kept_columns(rows, column);

    for (uint32_t j = rows->intercept; j < count; j++)
        rows->term[rows->terms++] = column[j] - 1;
    rows->count = count;
    rows->class_sums = env_array(env, (size_t)rows->classes * count + 1, sizeof(double));
    for (uint32_t c = 0; c < rows->classes; c++)
        standardized_sums(rows, pass, column, count, pass->class_sums + (size_t)c * pass->count, rows->class_sums + (size_t)c * count);
    rows->target_sums = env_array(env, (size_t)count + 1, sizeof(double));
    standardized_sums(rows, pass, column, count, pass->target_sums, rows->target_sums);
    if (pass->gram != NULL) {
        rows->gram = env_array(env, factor_packed(count) + 1, sizeof(double));
        standardized_gram(rows, pass, column, count, rows->gram);
    }
    if (rows->sampled)
        shrink_correlations(rows, pass->sampled);
    if (rows->intercept)
        rows->columns[0] = rows->ones;
    for (uint32_t j = 0; j < TILE_PADDING; j++)
        rows->columns[count + j] = rows->zeros;
}

/*
 * Returns how many tiles there are per tile in the Gram matrix: 1 for Newton's method, which is faster for few columns and
 * needs all rows; more for a fit by gradients, which only needs a preconditioner.
 */
static uint64_t sample_stride(const RowDesign *design, uint32_t count, RowsUse use)
{
    uint64_t stride = rows_count(design->rows) / SAMPLE_ROWS / count;

    if (count > PRODUCTS_MOST || use == ROWS_SCALES)
        return UINT64_MAX;
    return use == ROWS_SAMPLE && stride > 1 ? stride : 1;
}

StandardizedRows *standardized_rows(Env *env, RowDesign *design, bool intercept, const double *factors, RowsUse use,
                                    const char *method)
{
    StandardizedRows *rows = env_array(env, 1, sizeof(StandardizedRows));
    uint32_t terms = design->terms, count = terms + 1;
    bool few = count <= PRODUCTS_MOST && use != ROWS_SCALES;
    FirstPass pass = {.count = count, .stride = sample_stride(design, count, use)};
    size_t needed = ((few ? factor_packed(count) * 3 : 0) + (size_t)count * (design->classes * 2 + 9)) *
                    sizeof(double);
    void *block;

    env_require_memory(env, needed, method);
    rows->env = env;
    rows->design = design;
    rows->intercept = intercept;
    rows->classes = design->classes > 0 ? design->classes : 1;
    rows->factors = factors;
    rows->sampled = few && pass.stride > 1;
    rows->zeros = env_aligned(env, 8 * DESIGN_TILE, &block);
    rows->ones = rows->zeros + DESIGN_TILE;
    rows->scratch = rows->ones + DESIGN_TILE;
    pass.class_weights = rows->scratch + 4 * DESIGN_TILE;
    rows->line_weights = pass.class_weights + DESIGN_TILE;
    for (uint32_t i = 0; i < DESIGN_TILE; i++)
        rows->ones[i] = 1;
    rows->columns = env_array(env, (size_t)count + TILE_PADDING, sizeof(double *));
    rows->term = env_array(env, (size_t)terms + 1, sizeof(uint32_t));
    rows->dropped = env_array(env, (size_t)terms + 1, 1);
    rows->center = env_array(env, (size_t)terms + 1, sizeof(double));
    rows->scale = env_array(env, (size_t)terms + 1, sizeof(double));
    rows->deviation = env_array(env, (size_t)terms + 1, sizeof(double));
    rows->class_weight = env_array(env, rows->classes, sizeof(double));
    pass.shift = env_array(env, count, sizeof(double));
    pass.squares = env_array(env, count, sizeof(double));
    pass.part = env_array(env, count, sizeof(double));
    pass.sums = env_array(env, count, sizeof(double));
    pass.class_sums = env_array(env, (size_t)rows->classes * count, sizeof(double));
    pass.target_sums = env_array(env, count, sizeof(double));
    if (few)
        pass.gram = env_array(env, factor_packed(count), sizeof(double));
    rows->reader = tile_reader(design);
    run_first_pass(rows, &pass);
    for (uint32_t c = 0; c < rows->classes; c++)
        rows->class_weight[c] = pass.class_sums[(size_t)c * count];
    rows->weight = pass.sums[0];
    find_scales(rows, &pass);
    if (use == ROWS_INDEPENDENT && few)
        drop_dependent(rows, &pass);
    keep_terms(rows, &pass);
    return rows;
}
