/*
 * test_moments_grouped.c - groups of one shape hold what states on their own hold, to the last bit, at any number of rows.
 */
#include "check.h"
#include "fit.h"

#include "core/moments/moments_grouped.h"

/* Allocates a group in its own block, so that sanitizers watch its end. */
static MomentsGroup *group_new(Env *env, const MomentsShape *shape)
{
    MomentsGroup *group = env_array(env, 1, shape->size);

    moments_group_begin(shape, group);
    return group;
}

static void group_add(Env *env, const MomentsShape *shape, MomentsGroup *group, const double *slots, double y, double w)
{
    double row[64];

    moments_group_row(shape, slots, y, w, row);
    if (group->pending_rows >= group->pending_capacity)
        moments_group_flush(env, shape, group);
    moments_group_add(shape, group, row);
}

static Model *group_state(Env *env, const MomentsShape *shape, const MomentsGroup *group)
{
    Model *state = env->alloc(env, moments_group_bytes(shape, group));

    moments_group_write(shape, group, state);
    CHECK_INT(state->size, moments_group_bytes(shape, group));
    return state;
}

/* Compares three groups of one shape with three states. */
static void test_same(Host *host, ModelKind kind, uint32_t d, uint8_t flags)
{
    Env *env = &host->env;
    bool weighted = (flags & MODEL_WEIGHTED) != 0;
    Model *states[3], *first = state_new(env, kind, d, flags);
    MomentsShape *shape = moments_shape(env, first);
    MomentsGroup *groups[3];
    uint64_t seed = d + flags;
    double x[32];

    CHECK(shape != NULL);
    CHECK_INT(shape->size % 8, 0);
    for (int g = 0; g < 3; g++) {
        states[g] = state_new(env, kind, d, flags);
        groups[g] = group_new(env, shape);
    }
    for (int i = 0; i < 4000; i++) {
        int g = i % 7 == 0 ? 0 : i % 5 == 0 ? 1 : 2;
        double y = random_normal(&seed), w = weighted ? 0.5 + random_uniform(&seed) : 1;
        for (uint32_t j = 0; j < d; j++)
            x[j] = random_normal(&seed) * (j + 1) + 1000;
        states[g] = state_add(env, states[g], x, NULL, y, w);
        group_add(env, shape, groups[g], x, y, w);
        if (i % 97 == 0 || i < 40) {
            Model *state = group_state(env, shape, groups[g]);
            CHECK(model_check(env, state, state->size) == NULL);
            CHECK_INT(model_compare(state, states[g]), 0);
            CHECK_INT(model_compare(moments_finish(env, state), moments_finish(env, states[g])), 0);
            CHECK_INT(model_compare(model_again(env, state), model_again(env, states[g])), 0);
        }
    }
    /* a state made from a group continues, and merges with others */
    for (int g = 0; g < 3; g++) {
        Model *state = group_state(env, shape, groups[g]), *other = states[(g + 1) % 3];
        CHECK_INT(model_compare(moments_merge(env, state, other, true), moments_merge(env, states[g], other, true)), 0);
        CHECK_INT(model_compare(moments_merge(env, other, state, true), moments_merge(env, other, states[g], true)), 0);
        state = state_add(env, state, x, NULL, 1, 1);
        CHECK(model_check(env, state, state->size) == NULL);
        CHECK_INT(state->rows, states[g]->rows + 1);
    }
    host_reset(host);
}

/* Groups without rows, or with skipped rows. */
static void test_empty(Host *host)
{
    Env *env = &host->env;
    Model *first = state_new(env, MODEL_MOMENTS, 3, 0), *state;
    MomentsShape *shape = moments_shape(env, first);
    MomentsGroup *group = group_new(env, shape);

    moments_group_sums(shape, group)->skipped = 5;
    state = group_state(env, shape, group);
    CHECK(model_check(env, state, state->size) == NULL);
    CHECK_INT(state->rows, 0);
    CHECK_INT(state->skipped, 5);
    host_reset(host);
}

/* 100,000 groups are in memory at once, so the size of one is limited. */
static void test_size(Host *host)
{
    Env *env = &host->env;

    CHECK(moments_shape(env, state_new(env, MODEL_MOMENTS, 3, 0))->size <= 688);
    CHECK(moments_shape(env, state_new(env, MODEL_MOMENTS, 10, 0))->size <= 2160);
    host_reset(host);
}

/* Features that are not plain numbers, or many columns, need a state each. */
static void test_refused(Host *host)
{
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL};
    Env *env = &host->env;
    SchemaSpec spec = {.field_count = 2, .kinds = kinds};
    FoldPlan folds = {.folds = 3};

    CHECK(moments_shape(env, moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS})) == NULL);
    CHECK(moments_shape(env, state_new(env, MODEL_MOMENTS, 2, MODEL_IMPUTE)) == NULL);
    CHECK(moments_shape(env, state_new(env, MODEL_MOMENTS, 50, 0)) == NULL);
    CHECK(moments_shape(env, state_new(env, MODEL_CLASS_MOMENTS, 2, 0)) == NULL);
    spec.kinds = NULL;
    CHECK(moments_shape(env, moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .flags = MODEL_FOLDED, .folds = folds})) == NULL);
    CHECK(moments_shape(env, moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .keep_rows = true})) == NULL);
    spec.field_count = 0;
    CHECK(moments_shape(env, moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS})) == NULL);
    host_reset(host);
}

/* Compares the features of the first row of a group with the shape. */
static void test_fits(Host *host)
{
    static const FieldKind dates[] = {FIELD_NUMERIC, FIELD_DATE}, numbers[] = {FIELD_NUMERIC, FIELD_NUMERIC};
    static const char *const names[] = {"a", "b"}, *const others[] = {"a", "c"};
    static const uint32_t widths[] = {1, 2}, ones[] = {1, 1};
    Env *env = &host->env;
    SchemaSpec plain = {.field_count = 2}, three = {.field_count = 3}, full = {.field_count = 2, .kinds = numbers, .widths = ones};
    SchemaSpec named = {.field_count = 2, .names = names, .named = true};
    SchemaSpec renamed = {.field_count = 2, .names = others, .named = true}, unnamed = {.field_count = 2, .names = names};
    SchemaSpec dated = {.field_count = 2, .kinds = dates}, wide = {.field_count = 2, .widths = widths};
    const SchemaSpec *all[] = {&plain, &three, &named, &renamed, &unnamed, &dated, &wide};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        MomentsShape *shape = moments_shape(env, moments_new(env, all[i], &(MomentsPlan){.kind = MODEL_MOMENTS}));
        for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
            CHECK_INT(moments_shape_fits(shape, all[k]), i == k);
        CHECK_INT(moments_shape_fits(shape, &full), i == 0);
    }
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    for (uint32_t d = 1; d <= 17; d += d < 4 ? 1 : 6)
        for (int weighted = 0; weighted < 2; weighted++) {
            test_same(host, MODEL_MOMENTS, d, weighted ? MODEL_WEIGHTED : 0);
            test_same(host, MODEL_FEATURE_MOMENTS, d, weighted ? MODEL_WEIGHTED | MODEL_FREQUENCY : 0);
        }
    test_empty(host);
    test_size(host);
    test_refused(host);
    test_fits(host);
    host_free(host);
    return check_report();
}
