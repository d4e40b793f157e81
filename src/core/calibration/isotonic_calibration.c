/*
 * isotonic_calibration.c - probabilities from scores by a monotone step function.
 *
 * Pool adjacent violators (Ayer et al. 1955) gives blocks of scores with rising shares of positive rows. They are the
 * segments of the convex hull of the ROC curve (Fawcett & Niculescu-Mizil 2007).
 */
#include "core/calibration/calibration_model.h"
#include "core/calibration/pool_adjacent.h"
#include "core/metrics/ranking_metrics.h"
#include "core/metrics/score_sort.h"

#include <math.h>
#include <string.h>

static const char *const direction_choices[] = {"increasing", "decreasing", "auto", NULL};
static const char *const interpolation_choices[] = {"step", "linear", NULL};

static const OptionSpec isotonic_options[] = {
    {.name = "direction",
     .types = OPTION_STRING,
     .fallback = "\"increasing\"",
     .choices = direction_choices,
     .help = "Whether the probability rises or falls with the score; auto: falls if the area under the ROC curve is "
             "below one half."},
    {.name = "interpolation",
     .types = OPTION_STRING,
     .fallback = "\"step\"",
     .choices = interpolation_choices,
     .help = "Between two blocks: the probability of the lower one (step), or a straight line to the next (linear)."},
    {.name = NULL}};

/* Blocks of scores; their sums are the weights of the rows of the class whose share rises with the score. */
typedef struct Pooling {
    PooledBlocks pooled;
    double positive, total; /* weight of the positive rows, and of all rows */
    bool decreasing;
} Pooling;

/* Adds the rows of a score as a block; a visitor of score_order. */
static void pool_visit(void *context, const ScoreGroup *group)
{
    Pooling *pooling = context;
    PooledBlock block = {group->score, group->score, pooling->decreasing ? group->negative : group->positive,
                         group->positive + group->negative};

    pooling->positive += group->positive;
    pooling->total += block.weight;
    pool_add(&pooling->pooled, block);
}

/*
 * Fails if weights are so large or small that their products, by which shares are compared, overflow or underflow.
 */
static void require_weights(Env *env, const Model *schema)
{
    if (!(schema->weight < 1e150 && schema->weight > 1e-150))
        env_fail(env, ERROR_RANGE, "Multiply the weights by a constant.", "the weights add up to %g", schema->weight);
}

/* Returns the map (calibration_map.h): the method, the count of the numbers that follow, and low, high and p of each block. */
static double *map_of(Env *env, const Pooling *pooling, bool linear)
{
    uint64_t count = pooling->pooled.count;
    double *map = env_array_raw(env, CALIBRATION_HEAD + count * CALIBRATION_BLOCK_SIZE, sizeof(double));
    double *out = map + CALIBRATION_HEAD;

    map[0] = linear ? CALIBRATION_LINEAR : CALIBRATION_STEP;
    map[1] = (double)(count * CALIBRATION_BLOCK_SIZE);
    for (uint64_t i = 0; i < count; i++) {
        const PooledBlock *block = &pooling->pooled.blocks[i];
        double rest = fmax(0, block->weight - block->sum);

        *out++ = block->low;
        *out++ = block->high;
        *out++ = fmin(1, (pooling->decreasing ? rest : block->sum) / block->weight);
    }
    return map;
}

static Model *isotonic_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                           ModelBuilder *builder)
{
    const Model *schema = rows_schema(input->rows);
    Pooling pooling = {.pooled = {.env = env, .method = "isotonic_calibration"}};
    ClassSet classes;
    ClassRule rule;
    double positive;

    classes = calibration_classes(env, schema, "isotonic_calibration", input->frame);
    if (classes.count < 2)
        return NULL;
    require_weights(env, schema);
    rule = class_rule_read(&classes, options);
    positive = classes.order[rule.positive];
    pooling.decreasing = options_is(options, "direction", "decreasing") ||
                         (options_is(options, "direction", "auto") && ranking_auc(env, input->rows, positive) < 0.5);
    score_order(env, input->rows, positive, false, pool_visit, &pooling);
    builder_fact_i64(builder, "blocks", (int64_t)pooling.pooled.count);
    return calibration_finish(env, builder, &rule, map_of(env, &pooling, options_is(options, "interpolation", "linear")),
                              pooling.positive / pooling.total);
}

const Estimator estimator_isotonic_calibration = {
    .name = "isotonic_calibration",
    CALIBRATION_ESTIMATOR,
    .input = INPUT_ROWS,
    .options = OPTION_TABLES(options_common, option_positive, option_threshold, isotonic_options),
    .help = "Maps scores to probabilities by a monotone step function, whose steps are the segments of the ROC "
            "curve's convex hull.",
    .source = "Ayer et al. 1955; Fawcett & Niculescu-Mizil 2007",
    .fit = isotonic_fit,
};
