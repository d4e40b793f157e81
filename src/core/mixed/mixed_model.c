/*
 * mixed_model.c - arrays of mixed models: checks, names, and tables.
 */
#include "core/mixed/mixed_model.h"
#include "core/linear_equations/linear_model.h"
#include "core/mixed/mixed_system.h"

#include <math.h>

/* The most that a formula can have: 100 bars of 100 groups and MIXED_MAX_COLUMNS effects each. */
#define MOST_FACTORS 100
#define MOST_EFFECTS 10000 /* and slots of groups */

const ArraySpec mixed_arrays[13] = {
    {.name = "effect_bar", .type = ARRAY_I64, .rows = {SIZE_FREE}, .data_at = VIEW_AT(MixedView, effect_bar)},
    {.name = "effect_factor",
     .type = ARRAY_I64,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(MixedView, effect_factor),
     .rows_at = VIEW_AT(MixedView, effects)},
    {.name = "effect_level", .type = ARRAY_I64, .rows = {SIZE_FREE}, .data_at = VIEW_AT(MixedView, effect_level)},
    {.name = "effect_slot", .type = ARRAY_I64, .rows = {SIZE_FREE}, .data_at = VIEW_AT(MixedView, effect_slot)},
    {.name = "error_covariances",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(MixedView, joint),
     .rows_at = VIEW_AT(MixedView, joints)},
    {.name = "fixed", .type = ARRAY_BOOL, .rows = {SIZE_SLOTS}, .data_at = VIEW_AT(MixedView, fixed), .rows_at = VIEW_AT(MixedView, slots)},
    {.name = "group_factor", .type = ARRAY_I64, .rows = {SIZE_FREE}, .data_at = VIEW_AT(MixedView, group_factor)},
    {.name = "group_keys",
     .type = ARRAY_I64,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(MixedView, group_keys),
     .rows_at = VIEW_AT(MixedView, keys)},
    {.name = "group_levels",
     .type = ARRAY_I64,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(MixedView, group_levels),
     .rows_at = VIEW_AT(MixedView, factors)},
    {.name = "group_slot",
     .type = ARRAY_I64,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(MixedView, group_slot),
     .rows_at = VIEW_AT(MixedView, group_slots)},
    {.name = "random_covariance",
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(MixedView, covariance),
     .rows_at = VIEW_AT(MixedView, covariances)},
    {.name = "random_effects",
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(MixedView, predicted),
     .rows_at = VIEW_AT(MixedView, predictions)},
    {.name = "random_errors", .type = ARRAY_F64, .rows = {SIZE_FREE}, .values = VALUES_NONNEGATIVE, .data_at = VIEW_AT(MixedView, errors)}};

void mixed_view(const Model *model, MixedView *view)
{
    static const ArrayTable tables[] = ARRAY_TABLES(ARRAY_TABLE(mixed_arrays));

    *view = (MixedView){0};
    view_arrays(model, tables, view);
}

static uint32_t length_of(const Model *model, const char *name)
{
    return model_find(model, name)->rows;
}

MixedGroups *mixed_groups(Env *env, const Model *model, const MixedView *view)
{
    MixedGroups *groups = env_array(env, (size_t)view->factors + 1, sizeof(MixedGroups));
    size_t key = 0, predicted = 0, joint = 0, covariance = 0;
    uint32_t slot = 0, effect = 0, width = 0; /* of a bar so far */

    for (uint32_t f = 0; f < view->factors; f++) {
        MixedGroups *group = &groups[f];
        uint32_t count = 0;

        while (slot + count < view->group_slots && view->group_factor[slot + count] == f)
            count++;
        *group = (MixedGroups){.first_slot = slot, .first_effect = effect, .levels = (uint32_t)view->group_levels[f]};
        group->slots = env_array(env, (size_t)count + 1, sizeof(uint32_t));
        group->first = env_array(env, (size_t)count + 1, sizeof(int64_t));
        group->size = env_array(env, (size_t)count + 1, sizeof(int64_t));
        for (; group->slot_count < count; slot++, group->slot_count++) {
            uint32_t field = schema_slot_field(model, (uint32_t)view->group_slot[slot]), level = 0;

            while (level < dictionary_size(model, DICTIONARY_LEVELS) && dictionary_field(model, level) < field)
                level++;
            group->slots[group->slot_count] = (uint32_t)view->group_slot[slot];
            group->first[group->slot_count] = level;
            group->size[group->slot_count] = schema_field_levels(model, field);
            env->poll(env);
        }
        group->covariance = view->covariance + covariance;
        for (; effect < view->effects && view->effect_factor[effect] == f; effect++, group->columns++) {
            width = effect > 0 && view->effect_bar[effect] == view->effect_bar[effect - 1] ? width + 1 : 1;
            covariance += width;
        }
        group->joint = view->joint != NULL ? view->joint + joint : NULL;
        joint += group->levels * mixed_pairs(group->columns);
        group->keys = view->group_keys + key;
        group->predicted = view->predicted + predicted;
        group->errors = view->errors + predicted;
        key += group->levels;
        predicted += (size_t)group->levels * group->columns;
    }
    return groups;
}

/* Returns the bars of a checked model: the first effect of each, and after the last the number of effects. */
static uint32_t *mixed_bars(Env *env, const MixedView *view, uint32_t *count)
{
    uint32_t *first = env_array(env, (size_t)view->effects + 1, sizeof(uint32_t));

    *count = 0;
    for (uint32_t e = 0; e < view->effects; e++)
        if (e == 0 || view->effect_bar[e] != view->effect_bar[e - 1])
            first[(*count)++] = e;
    first[*count] = view->effects;
    return first;
}

/* ---- checks ---- */

/* Checks the random effects and the slots of the factors, so that mixed_groups and mixed_predict stay within their arrays. */
static const char *check_effects(const Model *model, const MixedView *view)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS);

    if (view->factors > MOST_FACTORS || view->group_slots > MOST_EFFECTS || view->effects > MOST_EFFECTS)
        return "the model has too many grouping factors, slots of groups or random effects";
    for (uint32_t e = 0; e < view->effects; e++) {
        int64_t slot = view->effect_slot[e], level = view->effect_level[e];
        bool next = e > 0 && view->effect_factor[e] != view->effect_factor[e - 1];

        if (view->effect_factor[e] != (e == 0 ? 0 : view->effect_factor[e - 1] + next) || view->effect_factor[e] >= view->factors)
            return "\"effect_factor\" does not number the factors";
        if (view->effect_bar[e] < 0 || (e > 0 && (view->effect_bar[e] < view->effect_bar[e - 1] || (next && view->effect_bar[e] == view->effect_bar[e - 1]))))
            return "\"effect_bar\" does not rise with the factors";
        if (slot < -1 || slot >= model->slot_count || level < -1 || level >= levels || (slot < 0 && level >= 0))
            return "\"effect_slot\" or \"effect_level\" is out of range";
    }
    for (uint32_t i = 0; i < view->group_slots; i++) {
        int64_t slot = view->group_slot[i];

        if (view->group_factor[i] != (i == 0 ? 0 : view->group_factor[i - 1] + (view->group_factor[i] != view->group_factor[i - 1])) ||
            view->group_factor[i] >= view->factors)
            return "\"group_factor\" does not number the factors";
        if (slot < 0 || slot >= model->slot_count ||
            schema_field_kind(model, schema_slot_field(model, (uint32_t)slot)) != FIELD_CATEGORICAL)
            return "\"group_slot\" names a slot that is not categorical";
        for (uint32_t j = i; j > 0 && view->group_factor[j - 1] == view->group_factor[i]; j--)
            if (view->group_slot[j - 1] == slot)
                return "\"group_slot\" names a slot twice";
    }
    if (view->effects == 0 || view->group_slots == 0 || view->effect_factor[view->effects - 1] + 1 != view->factors ||
        view->group_factor[view->group_slots - 1] + 1 != view->factors)
        return "a factor has no effects, or no slots";
    return NULL;
}

/* Checks that the groups of each factor rise and are combinations of levels. */
static const char *check_keys(Env *env, const Model *model, const MixedView *view)
{
    const MixedGroups *groups = mixed_groups(env, model, view);

    for (uint32_t f = 0; f < view->factors; f++) {
        int64_t keys = 1;

        for (uint32_t i = 0; i < groups[f].slot_count; i++) {
            if (groups[f].size[i] == 0 || groups[f].size[i] > MIXED_MOST_KEYS / keys)
                return "a grouping factor has no levels, or too many";
            keys *= groups[f].size[i];
        }
        for (uint32_t g = 0; g < groups[f].levels; g++) {
            if (groups[f].keys[g] < 0 || groups[f].keys[g] >= keys || (g > 0 && groups[f].keys[g] <= groups[f].keys[g - 1]))
                return "\"group_keys\" does not rise, or is out of range";
            if (g % 4096 == 4095)
                env->poll(env);
        }
    }
    return NULL;
}

static const char *check_lengths(Env *env, const MixedView *view)
{
    uint64_t keys = 0, predictions = 0, covariances = 0, joints = 0;
    uint32_t bars, *first = mixed_bars(env, view, &bars), effect = 0, place = 0;

    for (uint32_t f = 0; f < view->factors; f++) {
        uint32_t columns = 0;

        for (; effect < view->effects && view->effect_factor[effect] == f; effect++)
            columns++;
        if (view->group_levels[f] < 1 || view->group_levels[f] > view->keys)
            return "\"group_levels\" does not count \"group_keys\"";
        keys += (uint64_t)view->group_levels[f];
        predictions += (uint64_t)view->group_levels[f] * columns;
        joints += (uint64_t)view->group_levels[f] * mixed_pairs(columns);
    }
    for (uint32_t b = 0; b < bars; b++) {
        uint64_t size = first[b + 1] - first[b];

        covariances += size * (size + 1) / 2;
    }
    if (keys != view->keys || predictions != view->predictions || covariances != view->covariances || joints != view->joints)
        return "\"group_keys\", \"random_effects\", \"error_covariances\" and \"random_covariance\" do not have the lengths that the factors need";
    for (uint32_t b = 0; b < bars; b++)
        for (uint32_t size = first[b + 1] - first[b]; size > 0; place += size--)
            if (view->covariance[place] < 0)
                return "\"random_covariance\" has a variance below 0";
    return NULL;
}

const char *mixed_check(Env *env, const Model *model)
{
    const char *wrong = linear_equation_check(env, model);
    MixedView view;

    if (wrong != NULL)
        return wrong;
    mixed_view(model, &view);
    if (length_of(model, "effect_bar") != view.effects || length_of(model, "effect_slot") != view.effects ||
        length_of(model, "effect_level") != view.effects || length_of(model, "group_factor") != view.group_slots ||
        length_of(model, "random_errors") != view.predictions)
        return "the arrays of random effects differ in length";
    if ((wrong = check_effects(model, &view)) != NULL || (wrong = check_lengths(env, &view)) != NULL)
        return wrong;
    return check_keys(env, model, &view);
}

/* ---- names ---- */

const char *mixed_effect_name(Env *env, const Model *model, const MixedView *view, uint32_t effect)
{
    char name[SCHEMA_NAME_SIZE];

    if (view->effect_slot[effect] < 0)
        return "(intercept)";
    schema_term_name(model, (uint32_t)view->effect_slot[effect], view->effect_level[effect], name, sizeof name);
    return env_text(env, name, strlen(name));
}

/* ---- tables ---- */

typedef struct EffectReader {
    MixedView view;
    MixedGroups *groups;
    const char **factor_names, **effect_names;
    uint32_t factor, group, column;
} EffectReader;

static void *open_effects(Env *env, const Model *model, uint64_t *rows)
{
    EffectReader *reader = env_array(env, 1, sizeof(EffectReader));

    mixed_view(model, &reader->view);
    reader->groups = mixed_groups(env, model, &reader->view);
    reader->factor_names = env_array(env, reader->view.factors, sizeof(char *));
    reader->effect_names = env_array(env, reader->view.effects, sizeof(char *));
    for (uint32_t f = 0; f < reader->view.factors; f++)
        reader->factor_names[f] = mixed_factor_name(env, model, reader->groups[f].slots, reader->groups[f].slot_count);
    for (uint32_t e = 0; e < reader->view.effects; e++)
        reader->effect_names[e] = mixed_effect_name(env, model, &reader->view, e);
    *rows = reader->view.predictions;
    return reader;
}

void mixed_group_levels(const MixedGroups *groups, uint32_t group, uint32_t *level)
{
    int64_t key = groups->keys[group];

    for (uint32_t i = groups->slot_count; i-- > 0;) {
        level[i] = (uint32_t)(groups->first[i] + key % groups->size[i]);
        key /= groups->size[i];
    }
}

void mixed_put_group(TextBuffer *out, const Model *model, const MixedGroups *groups, uint32_t group)
{
    uint32_t *level = env_array(out->env, groups->slot_count, sizeof(uint32_t)), length;

    mixed_group_levels(groups, group, level);
    for (uint32_t i = 0; i < groups->slot_count; i++) {
        const char *text = dictionary_text(model, DICTIONARY_LEVELS, level[i], &length);
        bool null = isinf(dictionary_key(model, DICTIONARY_LEVELS, level[i]));

        text_add(out, i > 0 ? ":" : "");
        text_bytes(out, null ? "NULL" : text, null ? 4 : length);
    }
    out->env->release(out->env, level);
}

static bool effect_row(Env *env, const Model *model, void *context, uint64_t i, Cell *cells)
{
    EffectReader *reader = context;
    const MixedGroups *groups = &reader->groups[reader->factor];
    size_t at = (size_t)reader->group * groups->columns + reader->column;
    TextBuffer name = {.env = env};

    mixed_put_group(&name, model, groups, reader->group);
    cell_string(&cells[0], reader->factor_names[reader->factor]);
    cell_buffer(&cells[1], &name);
    cell_string(&cells[2], reader->effect_names[groups->first_effect + reader->column]);
    cell_number(&cells[3], groups->predicted[at]);
    cell_number(&cells[4], groups->errors[at]);
    if (++reader->column == groups->columns) {
        reader->column = 0;
        if (++reader->group == groups->levels) {
            reader->group = 0;
            reader->factor++;
        }
    }
    return true;
}

const Table mixed_effects_table = {.name = "random_effects", .open = open_effects, .row = effect_row};

/* The variances of a model: of bar b, effects i >= j. */
typedef struct VarianceReader {
    EffectReader *names;
    uint32_t bars, *first, bar, i, j;
    uint64_t place;
} VarianceReader;

static void *open_variances(Env *env, const Model *model, uint64_t *rows)
{
    VarianceReader *reader = env_array(env, 1, sizeof(VarianceReader));

    reader->names = open_effects(env, model, rows);
    reader->first = mixed_bars(env, &reader->names->view, &reader->bars);
    *rows = (uint64_t)reader->names->view.covariances + 1;
    return reader;
}

/* Returns the place of the variance of effect i in the lower triangle of a bar, by columns. */
static size_t variance_place(uint32_t size, uint32_t i)
{
    return (size_t)i * size - (size_t)i * (i - (size_t)1) / 2;
}

static bool variance_row(Env *env, const Model *model, void *context, uint64_t row, Cell *cells)
{
    VarianceReader *reader = context;
    const MixedView *view = &reader->names->view;
    uint32_t first, size;
    const double *bar;
    double variance;

    if (row == view->covariances) {
        double sigma = model_fact(model, "sigma", NAN);

        cell_string(&cells[0], "(residual)");
        cell_number(&cells[3], sigma * sigma);
        cell_number(&cells[4], sigma);
        return true;
    }
    first = reader->first[reader->bar];
    size = reader->first[reader->bar + 1] - first;
    bar = view->covariance + reader->place;
    variance = bar[variance_place(size, reader->j) + reader->i - reader->j];
    cell_string(&cells[0], reader->names->factor_names[view->effect_factor[first]]);
    cell_string(&cells[1], reader->names->effect_names[first + reader->j]);
    cell_number(&cells[3], variance);
    if (reader->i == reader->j) {
        cell_number(&cells[4], sqrt(variance));
    } else {
        double a = bar[variance_place(size, reader->i)], b = bar[variance_place(size, reader->j)];

        cell_string(&cells[2], reader->names->effect_names[first + reader->i]);
        cell_number(&cells[5], a > 0 && b > 0 ? variance / sqrt(a) / sqrt(b) : NAN); /* a b may be out of range */
    }
    if (++reader->i == size) {
        if (++reader->j == size) {
            reader->j = 0;
            reader->bar++;
            reader->place += (size_t)size * (size + 1) / 2;
        }
        reader->i = reader->j;
    }
    return true;
}

const Table mixed_variances_table = {.name = "random_variances", .open = open_variances, .row = variance_row};
