/*
 * perceptron_mapped.c - passes of the perceptron over mapped rows, in their order of arrival.
 */
#include "core/classify/perceptron_mapped.h"

#include "core/base/all_finite.h"
#include "core/estimator/class_options.h"
#include "core/estimator/multiclass.h"
#include "core/kernel_methods/mapped_rows.h"
#include "core/linalg/column_loops.h"

#include <string.h>

typedef struct MappedPerceptron {
    Env *env;
    FeatureMap *map;
    MappedRows *rows;
    double rate;
    double *class_factors; /* NULL: 1 */
    int64_t max_iter;
    bool average;
    double *lines;   /* [MAP_TILE x features] a tile, row by row */
    double *sums;    /* [features] average: sum of steps, each times the rows seen before it */
    double seen;     /* rows so far, in all passes */
    double *weights; /* [problems x features] */
    int64_t updates, all_updates, iterations; /* updates: in the last pass */
    uint32_t unfinished;
} MappedPerceptron;

static void require_options(Env *env, const Options *options, const char *approximation)
{
    if (options_is(options, "averaged", "voted"))
        env_fail(env, ERROR_PARAMETER, "Give \"averaged\": true, or set \"approximation\": \"none\".",
                 "\"averaged\": \"voted\" of perceptron keeps the rows of mistakes, which approximation \"%s\" does not", approximation);
    if (options_boolean(options, "mistakes"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or set \"approximation\": \"none\".",
                 "\"mistakes\": true of perceptron is not for approximation \"%s\"", approximation);
}

/* Writes a tile row by row. */
static void transpose(MappedPerceptron *p, const DesignTile *tile)
{
    uint32_t m = p->map->features;

    for (uint32_t first = 0; first < m; first += 8) {
        uint32_t end = m - first < 8 ? m : first + 8;

        for (uint32_t i = 0; i < tile->count; i++)
            for (uint32_t j = first; j < end; j++)
                p->lines[(size_t)i * m + j] = tile->x[(size_t)j * MAP_TILE + i];
    }
}

/* Makes one pass over the rows; p->updates counts its mistakes. */
static void pass(MappedPerceptron *p, const int8_t *signs, double *weights)
{
    uint32_t m = p->map->features;
    DesignTile tile;

    p->updates = 0;
    mapped_rewind(p->rows);
    while (mapped_next(p->rows, &tile)) {
        transpose(p, &tile);
        for (uint32_t i = 0; i < tile.count; i++) {
            const double *z = p->lines + (size_t)i * m;
            double sign = signs[tile.classes[i]], factor = p->class_factors != NULL ? p->class_factors[tile.classes[i]] : 1, step;

            if (sign == 0 || factor == 0)
                continue;
            if (sign * column_dot(weights, z, m) <= 0) {
                step = p->rate * sign * tile.weights[i] * factor;
                column_subtract(weights, z, -step, m);
                if (p->sums != NULL)
                    column_subtract(p->sums, z, -p->seen * step, m);
                p->updates++;
            }
            p->seen++;
        }
        p->env->poll(p->env);
    }
}

static void fit_problem(void *context, uint32_t problem, const int8_t *signs)
{
    MappedPerceptron *p = context;
    uint32_t m = p->map->features;
    double *weights = p->weights + (size_t)problem * m;
    int64_t iterations = 0;

    if (p->sums != NULL)
        memset(p->sums, 0, m * sizeof(double));
    p->seen = 0;
    do {
        pass(p, signs, weights);
        p->all_updates += p->updates;
        p->env->progress(p->env, "perceptron", (uint64_t)++iterations, (uint64_t)p->max_iter, (double)p->updates);
    } while (p->updates > 0 && iterations < p->max_iter);
    p->unfinished += p->updates > 0;
    if (iterations > p->iterations)
        p->iterations = iterations;
    for (uint32_t j = 0; p->sums != NULL && j < m; j++)
        weights[j] -= p->sums[j] / p->seen;
    if (!all_finite(weights, m))
        env_fail(p->env, ERROR_RANGE, "Divide large features by a power of ten, or give another learning_rate.",
                 "the weights of perceptron exceed the range of double precision");
}

static void warn_unfinished(const MappedPerceptron *p, uint32_t problems)
{
    if (p->unfinished == 0 || p->max_iter == 1)
        return;
    env_warn(p->env, ERROR_DATA,
             "Raise \"max_iter\", \"landmarks\" or \"frequencies\", or use \"averaged\": true for classes that overlap.",
             "perceptron stopped after %lld passes over the rows%s", (long long)p->iterations,
             problems > 1 ? " in some binary problems" : "");
}

static void weigh_classes(MappedPerceptron *p, const ClassSet *classes, const Options *options)
{
    uint64_t *counts = env_array(p->env, classes->count, sizeof(uint64_t));
    double *weights = env_array(p->env, classes->count, sizeof(double));

    if (options_is(options, "class_weight", "none"))
        return;
    row_design_class_counts(p->map->sample->design, counts, weights);
    p->class_factors = class_weights(classes, options, weights);
}

Model *perceptron_mapped_fit(Env *env, const FitInput *input, const Options *options, Approximation approximation,
                             const Kernel *kernel, ModelBuilder *builder)
{
    MappedPerceptron p = {.env = env,
                          .rate = options_number(options, "learning_rate"),
                          .max_iter = options_integer(options, "max_iter"),
                          .average = options_boolean(options, "averaged")};
    ClassSet classes = class_set(env, rows_schema(input->rows));
    double stored_rule[3];
    ClassRule rule;
    CodeBook *book;
    uint32_t m;

    require_options(env, options, approximation_name(approximation));
    rule = class_rule_read(&classes, options);
    book = multiclass_book(&classes, options, rule.positive);
    p.map = feature_map(feature_map_sample(env, input->rows, kernel, options, "perceptron"), approximation, options);
    m = p.map->features;
    p.rows = mapped_rows(p.map, mapped_room(p.map, (size_t)book->problems * m * sizeof(double)));
    p.lines = env_array(env, MAP_TILE, m * sizeof(double));
    p.weights = env_array(env, book->problems, m * sizeof(double));
    if (p.average)
        p.sums = env_array(env, m, sizeof(double));
    weigh_classes(&p, &classes, options);
    multiclass_fit(env, book, "perceptron", fit_problem, &p);
    warn_unfinished(&p, book->problems);
    builder_fact_i64(builder, "iterations", p.iterations);
    builder_fact_bool(builder, "converged", p.unfinished == 0);
    builder_fact_i64(builder, "updates", p.all_updates);
    feature_map_add(env, p.map, book->problems, p.weights, NULL, builder);
    class_rule_add(builder, &rule, classes.count, stored_rule);
    multiclass_add(env, builder, book);
    return model_build(builder);
}
