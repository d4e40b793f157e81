/*
 * robust_equation.c - robust standard errors of logistic regression and generalized linear models: standardized rows and their residuals, for
 * core/inference.
 */
#include "core/linear/robust_equation.h"

#include "core/base/all_finite.h"
#include "core/inference/robust_model.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

#define BLOCK 64 /* rows that update the factor together */

typedef struct Pass {
    Env *env;
    const RobustEquation *equation;
    const StandardizedRows *rows;
    DesignReader *offsets;
    DesignBlock offset; /* the current block of offsets */
    uint32_t count;
    double *factor, *center, *scale, *x; /* [count x count], [count] */
    double *packed, *block;              /* of the factor; [count x BLOCK] rows that it lacks yet */
    uint32_t filled;
    double unit; /* of the response: the root of the mean of its variances, or 1 */
    Sandwich *sandwich;
} Pass;

/* Sets x to the standardized columns of a row and returns its score. */
static double read_row(const Pass *pass, const double *row)
{
    const StandardizedRows *rows = pass->rows;
    const double *theta = pass->equation->theta;
    double score = 0;

    if (rows->intercept) {
        pass->x[0] = 1;
        score = theta[0];
    }
    for (uint32_t t = 0; t < rows->terms; t++) {
        uint32_t term = rows->term[t], j = t + rows->intercept;

        pass->x[j] = (row[term] - rows->center[term]) / rows->scale[term];
        score += theta[j] * pass->x[j];
    }
    return score;
}

/* Returns the offset of row i; rows are asked for in order. */
static double read_offset(Pass *pass, uint64_t i)
{
    if (pass->offsets == NULL)
        return 0;
    if (i == 0 || i >= pass->offset.first + pass->offset.count)
        if (!design_next_block(pass->offsets, &pass->offset))
            env_fail(pass->env, ERROR_INTERNAL, NULL, "a row lacks its offset");
    return pass->offset.x[i - pass->offset.first];
}

/* Calls visit for each row, with its columns in x. */
static void walk_rows(Pass *pass, void (*visit)(Pass *pass, const SandwichRow *row))
{
    const RobustEquation *equation = pass->equation;
    RowDesign *design = pass->rows->design;
    DesignReader *reader = design_reader(design);
    uint32_t tag_bytes = (equation->plan->kind == VCOV_NW ? 1 : 2 * equation->plan->clusters) * sizeof(double);
    DesignBlock block;

    if (equation->offsets != NULL)
        pass->offsets = design_reader(equation->offsets);
    while (design_next_block(reader, &block)) {
        pass->env->progress(pass->env, "standard errors", block.first, rows_count(design->rows), NAN);
        for (uint32_t i = 0; i < block.count; i++) {
            double score = read_row(pass, block.x + (size_t)i * design->terms) + read_offset(pass, block.first + i), tags[ROW_TAGS_MAX];
            SandwichRow row = {.weight = row_weight(block.weights, i), .tags = tags};

            equation->model(equation->of, &block, i, score, &row);
            if (tag_bytes > 0) {
                if (block.ids == NULL || block.id_lengths[i] != tag_bytes)
                    env_fail(pass->env, ERROR_INTERNAL, NULL, "a row lacks its cluster");
                memcpy(tags, block.ids[i], tag_bytes);
            }
            visit(pass, &row);
            if (i % 256 == 255)
                pass->env->poll(pass->env);
        }
    }
    design_reader_free(reader);
    if (pass->offsets != NULL)
        design_reader_free(pass->offsets);
}

static void update_factor(Pass *pass)
{
    factor_update(pass->env, pass->packed, pass->count, pass->block, BLOCK, pass->filled, false);
    memset(pass->block, 0, (size_t)BLOCK * pass->count * sizeof(double));
    pass->filled = 0;
}

static void add_to_factor(Pass *pass, const SandwichRow *row)
{
    double root = sqrt(row->weight * row->variance);

    pass->unit += row->weight / pass->rows->weight * (row->variance / row->ratio / row->ratio);
    for (uint32_t j = 0; j < pass->count; j++)
        pass->block[(size_t)j * BLOCK + pass->filled] = root * pass->x[j];
    if (++pass->filled == BLOCK)
        update_factor(pass);
}

static void add_to_sandwich(Pass *pass, const SandwichRow *row)
{
    SandwichRow own = *row;

    own.ratio *= pass->unit;
    sandwich_add(pass->sandwich, pass->x, &own);
}

/*
 * Sets the factor of the curvature; returns false if it is singular. The solver's curvature is that before its last step, whose error of the
 * ninth digit is too much for the eigenvalues of 0 that CR2 leaves out.
 */
static bool set_factor(Pass *pass)
{
    const StandardizedRows *rows = pass->rows;
    uint32_t count = pass->count;
    void *memory;

    for (uint32_t t = 0; t < rows->terms; t++) {
        pass->center[t + rows->intercept] = rows->center[rows->term[t]];
        pass->scale[t + rows->intercept] = rows->scale[rows->term[t]];
    }
    if (rows->intercept)
        pass->scale[0] = 1;
    pass->packed = env_array(pass->env, factor_packed(count) + 1, sizeof(double));
    pass->block = env_aligned(pass->env, (size_t)BLOCK * count, &memory);
    memset(pass->block, 0, (size_t)BLOCK * count * sizeof(double));
    walk_rows(pass, add_to_factor);
    update_factor(pass);
    for (uint32_t j = 0; j < count; j++) {
        double square = 0, *column = pass->factor + (size_t)j * count;

        memcpy(column, pass->packed + factor_packed(j), (j + 1) * sizeof(double));
        for (uint32_t i = 0; i <= j; i++)
            square += column[i] * column[i];
        if (!(column[j] * column[j] > CHOLESKY_TOLERANCE(count) * square))
            return false;
    }
    pass->env->release(pass->env, memory);
    pass->env->release(pass->env, pass->packed);
    return true;
}

/* Spreads numbers of the kept columns over all terms of the design. */
static void spread(const Pass *pass, const SandwichResult *result, double *packed, double *df)
{
    const StandardizedRows *rows = pass->rows;
    uint32_t first = rows->intercept, all = rows->design->terms + first;

    for (uint32_t i = 0; i < all; i++)
        df[i] = 1;
    for (uint32_t j = 0; j < pass->count; j++) {
        uint32_t column = j < first ? 0 : rows->term[j - first] + first;

        for (uint32_t i = 0; i <= j; i++)
            packed[factor_packed(column) + (i < first ? 0 : rows->term[i - first] + first)] = result->covariance[(size_t)j * pass->count + i];
        if (result->df != NULL)
            df[column] = result->df[j];
    }
}

double *robust_equation(const RobustEquation *equation, ModelBuilder *builder)
{
    const StandardizedRows *rows = equation->rows;
    Env *env = rows->env;
    const Model *schema = rows_schema(rows->design->rows);
    bool frequency = (schema->flags & MODEL_FREQUENCY) != 0;
    size_t count = rows->count, all = (size_t)rows->design->terms + rows->intercept;
    Pass pass = {.env = env, .equation = equation, .rows = rows, .count = rows->count};
    double *packed = env_array(env, factor_packed(all) + 1, sizeof(double)), *df = env_array(env, all + 1, sizeof(double));
    SandwichFit fit = {.count = rows->count, .intercept = rows->intercept, .ld = rows->count, .rows = model_counted_rows(schema), .weight = rows->weight,
                       .weighted = (schema->flags & MODEL_WEIGHTED) != 0, .frequency = frequency, .varying = true};
    SandwichResult result;

    pass.factor = env_array(env, count * (count + 3) + 1, sizeof(double));
    pass.center = pass.factor + count * count;
    pass.scale = pass.center + count;
    pass.x = pass.scale + count;
    if (count == 0 || !set_factor(&pass))
        return NULL;
    fit.factor = pass.factor;
    fit.center = pass.center;
    fit.scale = pass.scale;
    pass.unit = equation->bounded ? 1 : sqrt(pass.unit);
    pass.sandwich = sandwich_begin(env, equation->plan, &fit);
    walk_rows(&pass, add_to_sandwich);
    result = sandwich_finish(pass.sandwich);
    spread(&pass, &result, packed, df);
    robust_add(env, builder, equation->plan->kind, &result, result.df != NULL ? df : NULL, (uint32_t)all);
    return all_finite_polled(env, packed, factor_packed(all)) ? packed : NULL;
}
