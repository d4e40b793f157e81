/*
 * moments_folds.c - moments in folds: which fold a row is in, folds put together, and one held out.
 */
#include "core/linalg/column_loops.h"
#include "core/linalg/qr_factor.h"
#include "core/moments/moments_internal.h"

#include <math.h>
#include <string.h>

#define LOCAL_SLOTS 256

FoldPlan moments_fold_plan(const Model *state)
{
    uint32_t length = 0;
    const int64_t *plan = model_i64(state, "fold_plan", &length);

    return length == 2 ? (FoldPlan){plan[0], plan[1]} : (FoldPlan){0, 0};
}

/* ---- the fold of a row ---- */

/* FNV-1a of a level's text, as a whole number that a double holds. */
static double level_number(const Model *state, double position)
{
    uint64_t hash = 14695981039346656037u;
    uint32_t length;
    const char *text;

    if (!(position >= 0 && position < dictionary_size(state, DICTIONARY_LEVELS)))
        return position;
    if (isinf(dictionary_key(state, DICTIONARY_LEVELS, (uint32_t)position)))
        return -1;
    text = dictionary_text(state, DICTIONARY_LEVELS, (uint32_t)position, &length);
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return (double)(hash >> 12);
}

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t bits_of(double value)
{
    uint64_t bits;

    value += 0.0; /* -0 as 0 */
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/*
 * A hash of a row's numbers and its target, the same on every platform: multiplications folded to 64 bits, in four
 * lanes, since it stands in the way of every row.
 */
static uint64_t content_hash(uint64_t seed, const double *numbers, uint32_t count, double target)
{
    const uint64_t odd[4] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 0xd6e8feb86659fd93u};
    uint64_t lanes[4] = {seed ^ odd[3], seed ^ odd[2], seed ^ odd[1], seed ^ odd[0]};
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (int l = 0; l < 4; l++)
            lanes[l] = mix(lanes[l] ^ bits_of(numbers[i + l]), odd[l]);
    for (; i < count; i++)
        lanes[i % 4] = mix(lanes[i % 4] ^ bits_of(numbers[i]), odd[i % 4]);
    lanes[0] = mix(lanes[0] ^ bits_of(target), odd[1] ^ count);
    return mix(mix(lanes[0] ^ odd[2], lanes[1] ^ odd[0]) ^ odd[1], mix(lanes[2] ^ odd[3], lanes[3] ^ odd[1]) ^ odd[3]);
}

double moments_content_fold(Env *env, const Model *state, const double *slots, const bool *nulls,
                            double target)
{
    FoldPlan plan = moments_fold_plan(state);
    uint32_t count = state->slot_count, slot = 0;
    double local[LOCAL_SLOTS], *content = local;
    SchemaView view;
    uint64_t hash;

    if (plan.folds < 1)
        env_fail(env, ERROR_DATA, "Merge moments instead.",
                 "moments whose folds are a column takes no row without its fold");
    if (nulls == NULL && !schema_has_kinds(state))
        return (double)(content_hash((uint64_t)plan.seed, slots, count, target) % (uint64_t)plan.folds);
    schema_view(state, &view);
    if (count > LOCAL_SLOTS)
        content = env_array_raw(env, count, sizeof(double));
    memcpy(content, slots, count * sizeof(double));
    /* positions in the dictionary depend on the order of the rows, their text does not */
    for (uint32_t f = 0; view.field_kinds != NULL && f < state->field_count; f++) {
        uint32_t width = schema_view_width(state, &view, f);
        if (schema_view_kind(state, &view, f) == FIELD_CATEGORICAL)
            for (uint32_t i = 0; i < width && slot + i < count; i++)
                content[slot + i] = level_number(state, slots[slot + i]);
        slot += width;
    }
    for (uint32_t s = 0; nulls != NULL && s < count; s++)
        if (nulls[s])
            content[s] = NULL_MARK;
    hash = content_hash((uint64_t)plan.seed, content, count, target);
    if (content != local)
        env->release(env, content);
    return (double)(hash % (uint64_t)plan.folds);
}

uint32_t moments_find_fold(const MomentsView *view, double label)
{
    const double *labels = view_f64(view, view->fold_labels);
    uint32_t fold = 0;

    while (fold < view->classes && labels[fold] != label)
        fold++;
    return fold;
}

Model *moments_add_folds(Env *env, const Model *original, Model *state, MomentsView *view, uint32_t count)
{
    if (count > FOLDS_MAX - view->classes)
        env_fail(env, ERROR_LIMIT, "A column of folds has one number for many rows.", "more than %d folds",
                 FOLDS_MAX);
    return moments_reshape(env, original, state, view, view->columns, view->classes + count);
}

/* ---- parts ---- */

MomentsPart moments_part(const MomentsView *view, uint32_t fold)
{
    const double *counts = view_f64(view, view->counts) + 2 * (size_t)fold;

    return (MomentsPart){.means = view_f64(view, view->means) + (size_t)fold * view->columns,
                         .factor = view_f64(view, view->factor) + fold * factor_packed(view->columns),
                         .rows = counts[0],
                         .weight = counts[1]};
}

MomentsPart moments_part_new(Env *env, uint32_t columns, void **memory)
{
    double *numbers = env_array(env, columns + factor_packed(columns) + 1, sizeof(double));

    *memory = numbers;
    return (MomentsPart){.means = numbers, .factor = numbers + columns};
}

void moments_part_add(Env *env, uint32_t columns, MomentsPart *a, const MomentsPart *b)
{
    size_t ld = factor_padded((size_t)columns + 1);
    double all = a->weight + b->weight, share = b->weight / all, scale = sqrt(a->weight * share);
    const double *from = b->factor;
    double *block;
    void *memory;

    if (b->weight == 0)
        return;
    a->rows += b->rows;
    if (a->weight == 0) {
        memcpy(a->means, b->means, columns * sizeof(double));
        memcpy(a->factor, b->factor, factor_packed(columns) * sizeof(double));
        a->weight = all;
        return;
    }
    block = env_aligned(env, ld * columns, &memory);
    for (uint32_t j = 0; j < columns; j++) {
        double difference = b->means[j] - a->means[j];
        block[j * ld] = scale * difference;
        a->means[j] += share * difference;
        memcpy(block + j * ld + 1, from, (j + 1) * sizeof(double));
        from += j + 1;
    }
    factor_update(env, a->factor, columns, block, ld, columns + 1, true);
    a->weight = all;
    env->release(env, memory);
}

uint32_t *moments_fold_order(Env *env, const MomentsView *view)
{
    const double *labels = view_f64(view, view->fold_labels);
    uint32_t *order = env_array(env, (size_t)view->classes + 1, sizeof(uint32_t));

    for (uint32_t g = 0; g < view->classes; g++) {
        uint32_t i = g;
        for (; i > 0 && labels[order[i - 1]] > labels[g]; i--)
            order[i] = order[i - 1];
        order[i] = g;
    }
    return order;
}

MomentsPart moments_part_whole(Env *env, const MomentsView *view, void **memory)
{
    uint32_t *order = moments_fold_order(env, view);
    MomentsPart whole = moments_part_new(env, view->columns, memory);

    for (uint32_t g = 0; g < view->classes; g++) {
        MomentsPart part = moments_part(view, order[g]);
        moments_part_add(env, view->columns, &whole, &part);
    }
    env->release(env, order);
    return whole;
}

/* ---- one fold held out ---- */

struct Splits {
    Env *env;
    Model *folded; /* a copy without pending rows; NULL: there are none */
    MomentsView view;
    uint32_t *order;
    bool intercept;
    TermPlan *plans;
    uint32_t terms;
    MomentsPart *behind; /* [count + 1]: of the folds from the k-th on */
    void **behind_memory;
    double *centers;    /* means of the last training rows, a column each */
    double *term_means; /* and of their terms and target */
    MomentsPart before; /* of the folds before `done` */
    void *before_memory;
    uint32_t done;
};

/*
 * Checks that there are two folds at least; false: there are not, and such rows are passed
 * over. Folds that a hash left without rows are not there
 * at all, and do not count: few rows leave some empty by chance.
 */
static bool require_folds(Env *env, const MomentsView *view, const Model *state, bool passed_over)
{
    FoldPlan plan = moments_fold_plan(state);

    if (view->classes >= 2)
        return true;
    if (passed_over)
        return false;
    if (plan.folds > 0)
        env_fail(env, ERROR_DATA,
                 "Equal rows share a fold: fit groups with at least two different rows, try another \"seed\", or name "
                 "a \"fold_column\"; with option \"too_few_rows\": \"null\" such a group has no model.",
                 "all rows (%lld) are in one of %lld folds: nothing is left to fit while it is held out",
                 (long long)state->rows, (long long)plan.folds);
    env_fail(env, ERROR_DATA, "Name a column with at least two different numbers; with option \"too_few_rows\": \"null\" such a group has no model.",
             "all rows are in one fold: nothing is left to fit while it is held out");
}

Splits *splits_open(Env *env, const Model *state, bool intercept, bool passed_over)
{
    Splits *splits = env_array(env, 1, sizeof(Splits));
    uint32_t count;

    if (!(state->flags & MODEL_FOLDED))
        env_fail(env, ERROR_PARAMETER,
                 "Gather it with pgfit.moments(target, features, '{\"folds\": 10}'), or fit from the rows.",
                 "cross-validation needs moments in folds, and this has none");
    splits->env = env;
    splits->intercept = intercept;
    if (state->pending_rows > 0)
        splits->folded = moments_folded(env, state);
    moments_open(env, splits->folded != NULL ? splits->folded : (Model *)state, &splits->view); /* read only */
    if (!require_folds(env, &splits->view, state, passed_over))
        return NULL;
    count = splits->view.classes;
    splits->order = moments_fold_order(env, &splits->view);
    splits->plans = env_array(env, splits->view.columns + 1, sizeof(TermPlan));
    splits->terms = moments_plan_terms(env, &splits->view, intercept ? CODING_REFERENCE : CODING_FIRST_FULL,
                                       splits->plans);
    env_require_memory(env, (size_t)(count + 4) * factor_packed(splits->view.columns) * sizeof(double),
                       "the factors of all but one fold");
    splits->centers = env_array(env, splits->view.columns + (size_t)splits->terms + 2, sizeof(double));
    splits->term_means = splits->centers + splits->view.columns;
    splits->before = moments_part_new(env, splits->view.columns, &splits->before_memory);
    splits->behind = env_array(env, (size_t)count + 1, sizeof(MomentsPart));
    splits->behind_memory = env_array(env, (size_t)count + 1, sizeof(void *));
    splits->behind[count] = moments_part_new(env, splits->view.columns, &splits->behind_memory[count]);
    for (uint32_t k = count; k-- > 1;) {
        MomentsPart own = moments_part(&splits->view, splits->order[k]);
        splits->behind[k] = moments_part_new(env, splits->view.columns, &splits->behind_memory[k]);
        moments_part_add(env, splits->view.columns, &splits->behind[k], &splits->behind[k + 1]);
        moments_part_add(env, splits->view.columns, &splits->behind[k], &own);
    }
    return splits;
}

uint32_t splits_count(const Splits *splits)
{
    return splits->view.classes;
}

double splits_fold(const Splits *splits, uint32_t k)
{
    return view_f64(&splits->view, splits->view.fold_labels)[splits->order[k]];
}

double splits_weight(const Splits *splits, uint32_t k)
{
    return moments_part(&splits->view, splits->order[k]).weight;
}

Design *splits_training(Splits *splits, uint32_t k)
{
    Env *env = splits->env;
    uint32_t columns = splits->view.columns;
    void *memory;
    MomentsPart training;
    Design *design;

    if (k < splits->done) { /* from the front again */
        memset(splits->before_memory, 0, (columns + factor_packed(columns)) * sizeof(double));
        splits->before.rows = splits->before.weight = 0;
        splits->done = 0;
    }
    for (; splits->done < k; splits->done++) {
        MomentsPart own = moments_part(&splits->view, splits->order[splits->done]);
        moments_part_add(env, columns, &splits->before, &own);
    }
    training = moments_part_new(env, columns, &memory);
    moments_part_add(env, columns, &training, &splits->before);
    moments_part_add(env, columns, &training, &splits->behind[k + 1]);
    design = moments_part_design(env, &splits->view, &training, splits->intercept, splits->plans, splits->terms);
    memcpy(splits->centers, training.means, columns * sizeof(double));
    memcpy(splits->term_means, design->means, (splits->terms + 1) * sizeof(double));
    env->release(env, memory);
    return design;
}

double splits_error(Splits *splits, uint32_t k, const double *coef, double intercept)
{
    uint32_t columns = splits->view.columns, target = moments_target_column(&splits->view);
    MomentsPart part = moments_part(&splits->view, splits->order[k]);
    double *along = env_array(splits->env, 2 * (size_t)columns + 1, sizeof(double)), *left = along + columns;
    double mean = splits->term_means[splits->terms], sum = 0;

    /* means are compared with those of the training rows, which an intercept takes up: nothing cancels */
    for (uint32_t t = 0; t < splits->terms; t++)
        mean -= coef[t] * splits->term_means[t];
    mean -= intercept;

    /* target minus terms as a combination of columns */
    along[target] = 1;
    for (uint32_t t = 0; t < splits->terms; t++) {
        const TermPlan *plan = &splits->plans[t];
        along[plan->column] -= coef[t];
        if (plan->indicator != NO_TERM_COLUMN)
            along[plan->indicator] -= coef[t] * plan->imputed;
    }
    for (uint32_t j = 0; j < columns; j++) {
        const double *column = part.factor + factor_packed(j);
        mean += along[j] * (part.means[j] - splits->centers[j]);
        if (along[j] != 0)
            column_subtract(left, column, -along[j], j + 1);
    }
    for (uint32_t i = 0; i < columns; i++)
        sum += left[i] * left[i];
    splits->env->release(splits->env, along);
    return sum + part.weight * mean * mean;
}

void splits_free(Splits *splits)
{
    Env *env = splits->env;

    for (uint32_t k = 1; k <= splits->view.classes; k++)
        env->release(env, splits->behind_memory[k]);
    env->release(env, splits->behind_memory);
    env->release(env, splits->behind);
    env->release(env, splits->before_memory);
    env->release(env, splits->centers);
    env->release(env, splits->plans);
    env->release(env, splits->order);
    if (splits->folded != NULL)
        env->release(env, splits->folded);
    env->release(env, splits);
}
