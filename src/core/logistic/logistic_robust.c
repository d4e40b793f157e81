/*
 * logistic_robust.c - robust standard errors of logistic regression: standardized rows and their residuals, for core/inference.
 */
#include "core/logistic/logistic_robust.h"

#include "core/base/all_finite.h"
#include "core/inference/robust_model.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

#define BLOCK 64 /* rows that update the factor together */

typedef struct Pass {
    Env *env;
    const LogisticRobust *robust;
    const StandardizedRows *rows;
    uint32_t count;
    double *factor, *center, *scale, *x; /* [count x count], [count] */
    double *packed, *block;              /* of the factor; [count x BLOCK] rows that it lacks yet */
    uint32_t filled;
    Sandwich *sandwich;
} Pass;

/* Sets x to the standardized columns of a row and returns its score. */
static double read_row(const Pass *pass, const double *row)
{
    const StandardizedRows *rows = pass->rows;
    const double *theta = pass->robust->solution->theta;
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

/* Calls visit for each row, with its columns in x. */
static void walk_rows(Pass *pass, void (*visit)(Pass *pass, const SandwichRow *row))
{
    const StandardizedRows *rows = pass->rows;
    DesignReader *reader = design_reader(rows->design);
    uint32_t tag_bytes = (pass->robust->plan->kind == VCOV_NW ? 1 : 2 * pass->robust->plan->clusters) * sizeof(double);
    DesignBlock block;

    while (design_next_block(reader, &block)) {
        pass->env->progress(pass->env, "standard errors", block.first, rows_count(rows->design->rows), NAN);
        for (uint32_t i = 0; i < block.count; i++) {
            double score = read_row(pass, block.x + (size_t)i * rows->design->terms), tags[ROW_TAGS_MAX], small = exp(-fabs(score));
            bool positive = pass->robust->problem->signs[block.classes[i]] > 0;
            SandwichRow row = {.weight = row_weight(block.weights, i), .variance = small / ((1 + small) * (1 + small)), .tags = tags};

            /* 1 / (1 + exp(s)) of the class that the row has, without cancellation */
            row.residual = (positive ? 1 : -1) * ((positive ? score : -score) >= 0 ? small : 1) / (1 + small);
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

    for (uint32_t j = 0; j < pass->count; j++)
        pass->block[(size_t)j * BLOCK + pass->filled] = root * pass->x[j];
    if (++pass->filled == BLOCK)
        update_factor(pass);
}

static void add_to_sandwich(Pass *pass, const SandwichRow *row)
{
    sandwich_add(pass->sandwich, pass->x, row);
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

double *logistic_robust(const LogisticRobust *robust, ModelBuilder *builder)
{
    const StandardizedRows *rows = robust->problem->rows;
    Env *env = rows->env;
    const Model *schema = rows_schema(rows->design->rows);
    bool frequency = (schema->flags & MODEL_FREQUENCY) != 0;
    size_t count = rows->count, all = (size_t)rows->design->terms + rows->intercept;
    Pass pass = {.env = env, .robust = robust, .rows = rows, .count = rows->count};
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
    pass.sandwich = sandwich_begin(env, robust->plan, &fit);
    walk_rows(&pass, add_to_sandwich);
    result = sandwich_finish(pass.sandwich);
    spread(&pass, &result, packed, df);
    robust_add(env, builder, robust->plan->kind, &result, result.df != NULL ? df : NULL, (uint32_t)all);
    return all_finite_polled(env, packed, factor_packed(all)) ? packed : NULL;
}
