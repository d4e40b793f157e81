/*
 * mixed_gather.c - cross-products of the rows of a mixed model, or of moments per group.
 *
 * Sums run over tiles of rows that do not depend on the memory budget. The target of the system is the residual of least squares: a large
 * share that fixed effects explain then takes no digits of the sums of squares.
 */
#include "core/mixed/mixed_gather.h"

#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/lapack.h"

#include <math.h>
#include <string.h>

#define TILE 256 /* rows */
#define EXPLAINED 1e-10 /* of the squares of a random effect: what fixed effects that explain it leave is rounding */

/* Sums over tiles of x x', [width x width]. */
typedef struct Gram {
    Env *env;
    uint32_t width, count;
    double *tile; /* [TILE] rows of width */
    double *sums; /* lower triangle */
} Gram;

static Gram gram_begin(Env *env, uint32_t width)
{
    Gram gram = {.env = env, .width = width};

    env_require_memory(env, ((size_t)width * width * 3 + (size_t)TILE * width) * sizeof(double),
                       env_message(env, "the cross-products of %u fixed effects", width - 1));
    gram.tile = env_array_raw(env, (size_t)TILE * width, sizeof(double));
    gram.sums = env_array(env, (size_t)width * width, sizeof(double));
    return gram;
}

static void gram_flush(Gram *gram)
{
    int n = (int)gram->width, k = (int)gram->count;
    double one = 1;

    if (k > 0)
        dsyrk_("L", "N", &n, &k, &one, gram->tile, &n, &one, gram->sums, &n, 1, 1);
    gram->count = 0;
    gram->env->poll(gram->env);
}

/* Returns where the next row goes. */
static double *gram_row(Gram *gram)
{
    if (gram->count == TILE)
        gram_flush(gram);
    return gram->tile + (size_t)gram->count++ * gram->width;
}

/* Writes the kept fixed columns of a row; kept NULL: all. */
static void fixed_numbers(const MixedDesign *design, const uint32_t *kept, uint32_t count, const double *slots, double weight, double *out)
{
    for (uint32_t j = 0; j < count; j++)
        out[j] = weight * mixed_number(&design->fixed[kept != NULL ? kept[j] : j], slots);
}

static double target_number(const MixedDesign *design, double target)
{
    return (target - design->target_center) / design->target_scale;
}

/* Copies the columns that are left of a lower triangle with leading dimension ld. */
static void copy_kept(const double *sums, uint32_t ld, const uint32_t *kept, uint32_t count, double *out)
{
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t i = j; i < count; i++)
            out[(size_t)j * count + i] = sums[(size_t)kept[j] * ld + kept[i]];
}

/* Factors the cross-products, and drops columns until none depends on those before. */
static double *keep_independent(const MixedDesign *design, const double *sums, uint32_t width, MixedStart *start)
{
    Env *env = design->env;
    uint32_t all = design->fixed_count, bad;
    double *triangle = env_array(env, (size_t)all * all + 1, sizeof(double));

    start->kept = env_array(env, (size_t)all + 1, sizeof(uint32_t));
    start->dropped = env_array(env, (size_t)all + 1, 1);
    for (uint32_t j = 0; j < all; j++) {
        start->dropped[j] = design->constant[j] || !(sums[(size_t)j * width + j] > 0);
        if (!start->dropped[j])
            start->kept[start->count++] = j;
    }
    for (;;) {
        copy_kept(sums, width, start->kept, start->count, triangle);
        bad = start->count > 0 ? cholesky_factor(env, triangle, start->count, CHOLESKY_TOLERANCE(start->count)) : 0;
        if (bad == start->count)
            return triangle;
        start->dropped[start->kept[bad]] = 1;
        memmove(start->kept + bad, start->kept + bad + 1, (start->count - bad - 1) * sizeof(uint32_t));
        start->count--;
    }
}

/* Scales random slopes to a mean square of 1. squares: weighted, per factor. */
static void scale_slopes(MixedDesign *design, double *const *squares)
{
    for (uint32_t f = 0; f < design->factor_count; f++)
        for (uint32_t j = 0; j < design->factors[f].columns; j++) {
            MixedColumn *column = &design->factors[f].column[j];
            double root = sqrt(squares[f][j] / design->weight);

            if (column->slot != MIXED_ONE && root > 0)
                column->scale *= root;
        }
}

/* Adds the cross-products of the fixed effects and the target, and the squares of random effects. */
static void start_rows(const MixedDesign *design, Gram *gram, double *const *squares)
{
    DesignReader *reader = design_reader(design->rows);
    DesignBlock block;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *slots = block.x + (size_t)i * design->rows->terms;
            double weight = design->unit * row_weight(block.weights, i), *row = gram_row(gram);

            fixed_numbers(design, NULL, design->fixed_count, slots, sqrt(weight), row);
            row[gram->width - 1] = sqrt(weight) * target_number(design, block.targets[i]);
            for (uint32_t f = 0; f < design->factor_count; f++)
                for (uint32_t j = 0; j < design->factors[f].columns; j++) {
                    double z = mixed_number(&design->factors[f].column[j], slots);

                    squares[f][j] += weight * z * z;
                }
        }
    design_reader_free(reader);
    gram_flush(gram);
}

/* Does the same from moments. */
static void start_groups(const MixedDesign *design, double *sums, double *const *squares)
{
    uint32_t all = design->fixed_count;
    const MixedFactor *factor = &design->factors[0];
    MixedColumn target = mixed_target(design);

    for (uint32_t g = 0; g < factor->levels; g++) {
        for (uint32_t j = 0; j <= all; j++) {
            for (uint32_t i = j; i <= all; i++)
                sums[(size_t)j * (all + 1) + i] += mixed_product(design, g, j < all ? &design->fixed[j] : &target, i < all ? &design->fixed[i] : &target);
            design->env->poll(design->env);
        }
        for (uint32_t j = 0; j < factor->columns; j++)
            squares[0][j] += mixed_product(design, g, &factor->column[j], &factor->column[j]);
    }
}

MixedStart mixed_start(MixedDesign *design)
{
    Env *env = design->env;
    uint32_t width = design->fixed_count + 1;
    MixedStart start = {0};
    Gram gram = gram_begin(env, width);
    double **squares = env_array(env, design->factor_count, sizeof(double *)), *triangle;

    for (uint32_t f = 0; f < design->factor_count; f++)
        squares[f] = env_array(env, design->factors[f].columns, sizeof(double));
    if (design->moments != NULL)
        start_groups(design, gram.sums, squares);
    else
        start_rows(design, &gram, squares);
    scale_slopes(design, squares);
    triangle = keep_independent(design, gram.sums, width, &start);
    start.beta = env_array(env, (size_t)start.count + 1, sizeof(double));
    for (uint32_t j = 0; j < start.count; j++)
        start.beta[j] = gram.sums[(size_t)start.kept[j] * width + width - 1];
    if (start.count > 0) {
        cholesky_solve(env, triangle, start.count, start.beta, 1);
        cholesky_solve_transposed(env, triangle, start.count, start.beta, 1);
    }
    start.squares = gram.sums[(size_t)width * width - 1];
    return start;
}

/* ---- the system ---- */

typedef struct Gatherer {
    MixedSystem *system;
    const MixedDesign *design;
    HashTable table; /* of the pairs */
    uint32_t *level, *column; /* [pairs] of block 0; of the dense system */
    uint32_t count, room;
    double *x; /* [fixed + 1] of a row: fixed effects and target */
    double **z; /* [factors] random effects of a row */
    uint32_t *at; /* [factors] its groups */
} Gatherer;

static void *double_array(Env *env, void *array, uint32_t count, size_t size)
{
    size_t room = count > 0 ? 2 * (size_t)count : 64;
    char *more = env_array(env, room, size);

    if (count > 0) {
        memcpy(more, array, (size_t)count * size);
        env->release(env, array);
    }
    return more;
}

/* Returns the cross-products of a level of block 0 with a level of another block, which begins at this column. */
static double *pair_of(Gatherer *gatherer, uint32_t level, uint32_t column)
{
    MixedSystem *system = gatherer->system;
    size_t size = (size_t)system->blocks[0].columns * system->stride;
    uint32_t hash = hash_64((uint64_t)level << 32 | column), place = hash_start(&gatherer->table, hash), i;

    while ((i = hash_next(&gatherer->table, hash, &place)) != HASH_NONE)
        if (gatherer->level[i] == level && gatherer->column[i] == column)
            return system->pairs + i * size;
    if (gatherer->count == gatherer->room) {
        env_require_memory(system->env, (size_t)gatherer->room * (size * 6 + 16) * sizeof(double), "the pairs of groups that have rows in common");
        gatherer->level = double_array(system->env, gatherer->level, gatherer->room, sizeof(uint32_t));
        gatherer->column = double_array(system->env, gatherer->column, gatherer->room, sizeof(uint32_t));
        system->pairs = double_array(system->env, system->pairs, gatherer->room, size * sizeof(double));
        gatherer->room = gatherer->room > 0 ? 2 * gatherer->room : 64;
    }
    i = hash_add(system->env, &gatherer->table, hash);
    gatherer->level[i] = level;
    gatherer->column[i] = column;
    gatherer->count++;
    return system->pairs + i * size;
}

/* Adds a b' to out [rows x columns], by columns. */
static void add_outer(double *out, const double *a, uint32_t rows, const double *b, uint32_t columns)
{
    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i < rows; i++)
            out[(size_t)j * rows + i] += a[i] * b[j];
}

/* Adds a b' to the dense system at row and column. */
static void add_dense(MixedSystem *system, uint32_t row, const double *a, uint32_t rows, uint32_t column, const double *b, uint32_t columns)
{
    size_t n = (size_t)system->random + system->fixed;

    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i < rows; i++)
            system->dense[(column + j) * n + row + i] += a[i] * b[j];
}

/* Adds the products of the random effects of other blocks. */
static void add_others(Gatherer *gatherer)
{
    MixedSystem *system = gatherer->system;
    const MixedBlock *own = &system->blocks[0];
    double target = gatherer->x[system->fixed];

    for (uint32_t f = 1; f < system->count; f++) {
        const MixedBlock *block = &system->blocks[f];
        uint32_t column = block->first + gatherer->at[f] * block->columns;
        const double *z = gatherer->z[f];

        add_outer(pair_of(gatherer, gatherer->at[0], column), gatherer->z[0], own->columns, z, block->columns);
        for (uint32_t other = f; other < system->count; other++)
            add_dense(system, system->blocks[other].first + gatherer->at[other] * system->blocks[other].columns, gatherer->z[other],
                      system->blocks[other].columns, column, z, block->columns);
        add_dense(system, system->random, gatherer->x, system->fixed, column, z, block->columns);
        for (uint32_t j = 0; j < block->columns; j++)
            system->dense_target[column + j] += z[j] * target;
    }
}

static void add_row(Gatherer *gatherer)
{
    MixedSystem *system = gatherer->system;
    uint32_t q = system->blocks[0].columns, p = system->fixed;
    size_t level = gatherer->at[0];
    const double *z = gatherer->z[0];

    add_outer(system->own + level * q * q, z, q, z, q);
    add_outer(system->with_fixed + level * q * p, z, q, gatherer->x, p);
    for (uint32_t j = 0; j < q; j++)
        system->with_target[level * q + j] += z[j] * gatherer->x[p];
    if (system->count > 1)
        add_others(gatherer);
}

/* Sets the numbers of a row, times the root of its weight; the target less what the start explains. */
static void read_row(Gatherer *gatherer, const MixedStart *start, const double *slots, double target, double weight)
{
    const MixedDesign *design = gatherer->design;
    double root = sqrt(weight);

    fixed_numbers(design, start->kept, start->count, slots, root, gatherer->x);
    target = root * target_number(design, target);
    for (uint32_t j = 0; j < start->count; j++)
        target -= gatherer->x[j] * start->beta[j];
    gatherer->x[start->count] = target;
    for (uint32_t f = 0; f < design->factor_count; f++) {
        const MixedFactor *factor = &design->factors[f];

        for (uint32_t j = 0; j < factor->columns; j++)
            gatherer->z[f][j] = root * mixed_number(&factor->column[j], slots);
        gatherer->at[f] = mixed_level(factor, slots);
    }
}

/* Orders the pairs by level and column. */
static void sort_pairs(Gatherer *gatherer)
{
    MixedSystem *system = gatherer->system;
    Env *env = system->env;
    uint32_t levels = system->blocks[0].levels, count = gatherer->count;
    uint64_t *keys = env_array_raw(env, 2 * (size_t)count + 1, sizeof(uint64_t));

    for (uint32_t i = 0; i < count; i++) {
        keys[2 * i] = (uint64_t)gatherer->level[i] << 32 | gatherer->column[i];
        keys[2 * i + 1] = i;
    }
    sort_polled(env, keys, count, 2 * sizeof(uint64_t), compare_keys);
    system->pair_first = env_array(env, (size_t)levels + 1, sizeof(uint32_t));
    system->pair_at = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    system->pair_columns = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        system->pair_first[(keys[2 * i] >> 32) + 1]++;
        system->pair_columns[i] = (uint32_t)keys[2 * i];
        system->pair_at[i] = (uint32_t)keys[2 * i + 1];
    }
    for (uint32_t g = 0; g < levels; g++)
        system->pair_first[g + 1] += system->pair_first[g];
    system->solved_pairs = env_array(env, (size_t)count * system->blocks[0].columns * system->stride + 1, sizeof(double));
}

/* Moves the sums of the fixed effects and the target into the dense system. */
static void take_fixed(MixedSystem *system, const Gram *gram)
{
    size_t n = (size_t)system->random + system->fixed, p = system->fixed;

    for (uint32_t j = 0; j < p; j++) {
        for (uint32_t i = j; i < p; i++)
            system->dense[(system->random + j) * n + system->random + i] = gram->sums[j * (p + 1) + i];
        system->dense_target[system->random + j] = gram->sums[j * (p + 1) + p];
    }
    system->target = gram->sums[p * (p + 1) + p];
}

static void gather_rows(Gatherer *gatherer, const MixedStart *start, Gram *gram)
{
    MixedSystem *system = gatherer->system;
    Env *env = system->env;
    const MixedDesign *design = gatherer->design;
    DesignReader *reader = design_reader(design->rows);
    DesignBlock block;

    gatherer->z = env_array(env, system->count, sizeof(double *));
    gatherer->at = env_array(env, system->count, sizeof(uint32_t));
    for (uint32_t f = 0; f < system->count; f++)
        gatherer->z[f] = env_array(env, system->blocks[f].columns, sizeof(double));
    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            gatherer->x = gram_row(gram);
            read_row(gatherer, start, block.x + (size_t)i * design->rows->terms, block.targets[i], design->unit * row_weight(block.weights, i));
            add_row(gatherer);
        }
    design_reader_free(reader);
    gram_flush(gram);
}

/* Returns the cross-product of a column and the target less what the start explains. products: [fixed] of the column and the fixed effects. */
static double residual_product(const MixedDesign *design, const MixedStart *start, uint32_t group, const MixedColumn *column, const double *products)
{
    MixedColumn target = mixed_target(design);
    double sum = mixed_product(design, group, column, &target);

    for (uint32_t j = 0; j < start->count; j++)
        sum -= start->beta[j] * products[j];
    return sum;
}

/* Sets the cross-products of a group, and adds those of the fixed effects. scratch: [fixed x 2]. */
static void gather_group(MixedSystem *system, const MixedDesign *design, const MixedStart *start, uint32_t group, double *sums, double *scratch)
{
    const MixedFactor *factor = &design->factors[0];
    size_t p = system->fixed, q = factor->columns;
    double *products = scratch, *residuals = scratch + p;
    MixedColumn target = mixed_target(design);

    for (size_t j = 0; j < q; j++) {
        const MixedColumn *column = &factor->column[j];

        for (size_t i = 0; i < q; i++)
            system->own[(group * q + j) * q + i] = mixed_product(design, group, column, &factor->column[i]);
        for (size_t k = 0; k < p; k++)
            system->with_fixed[(group * p + k) * q + j] = products[k] = mixed_product(design, group, column, &design->fixed[start->kept[k]]);
        system->with_target[group * q + j] = residual_product(design, start, group, column, products);
    }
    for (size_t j = 0; j < p; j++) {
        const MixedColumn *column = &design->fixed[start->kept[j]];

        for (size_t k = 0; k < p; k++)
            products[k] = mixed_product(design, group, column, &design->fixed[start->kept[k]]);
        for (size_t k = j; k < p; k++)
            sums[j * (p + 1) + k] += products[k];
        residuals[j] = residual_product(design, start, group, column, products);
        sums[j * (p + 1) + p] += residuals[j];
        system->env->poll(system->env);
    }
    for (size_t j = 0; j < p; j++)
        products[j] = mixed_product(design, group, &target, &design->fixed[start->kept[j]]);
    sums[p * (p + 1) + p] += residual_product(design, start, group, &target, products);
    for (size_t j = 0; j < p; j++)
        sums[p * (p + 1) + p] -= start->beta[j] * residuals[j];
}

void mixed_gather(MixedSystem *system, const MixedDesign *design, const MixedStart *start)
{
    Env *env = system->env;
    Gatherer gatherer = {.system = system, .design = design, .table = hash_table(env, 6)};
    Gram gram = gram_begin(env, system->fixed + 1);
    double *scratch = env_array(env, 2 * (size_t)system->fixed + 1, sizeof(double));

    if (design->moments == NULL)
        gather_rows(&gatherer, start, &gram);
    for (uint32_t g = 0; design->moments != NULL && g < system->blocks[0].levels; g++) {
        gather_group(system, design, start, g, gram.sums, scratch);
        env->poll(env);
    }
    take_fixed(system, &gram);
    sort_pairs(&gatherer);
}

/* ---- random effects beside fixed ones ---- */

/* Sets products [fixed x columns of the block] to those of the fixed and random effects of a group, and adds the squares of the latter. */
static void group_products(const MixedSystem *system, uint32_t f, uint32_t group, double *products, double *squares)
{
    const MixedBlock *block = &system->blocks[f];
    size_t n = (size_t)system->random + system->fixed, p = system->fixed, q = block->columns;

    for (size_t j = 0; j < q; j++) {
        const double *dense = f > 0 ? system->dense + (block->first + group * q + j) * n : NULL;

        for (size_t k = 0; k < p; k++)
            products[j * p + k] = f > 0 ? dense[system->random + k] : system->with_fixed[(group * p + k) * q + j];
        squares[j] += f > 0 ? dense[block->first + group * q + j] : system->own[group * q * q + j * q + j];
    }
}

uint32_t mixed_explained(const MixedSystem *system)
{
    Env *env = system->env;
    size_t n = (size_t)system->random + system->fixed, p = system->fixed;
    double *triangle = env_array(env, p * p + 1, sizeof(double)), *products = env_array(env, p * MIXED_MAX_COLUMNS + 1, sizeof(double));

    for (size_t j = 0; j < p; j++)
        memcpy(triangle + j * p, system->dense + (system->random + j) * n + system->random, p * sizeof(double));
    if (p == 0 || cholesky_factor(env, triangle, (uint32_t)p, 0) < p)
        return system->count;
    for (uint32_t f = 0; f < system->count; f++) {
        const MixedBlock *block = &system->blocks[f];
        double squares[MIXED_MAX_COLUMNS] = {0}, explained[MIXED_MAX_COLUMNS] = {0};

        for (uint32_t g = 0; g < block->levels; g++) {
            group_products(system, f, g, products, squares);
            cholesky_solve(env, triangle, (uint32_t)p, products, block->columns);
            for (uint32_t j = 0; j < block->columns; j++)
                for (size_t k = 0; k < p; k++)
                    explained[j] += products[j * p + k] * products[j * p + k];
        }
        for (uint32_t j = 0; j < block->columns; j++)
            if (squares[j] > 0 && squares[j] - explained[j] <= EXPLAINED * squares[j])
                return f;
    }
    return system->count;
}
