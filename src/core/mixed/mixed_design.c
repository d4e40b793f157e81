/*
 * mixed_design.c - finds the columns and the groups of a mixed model in the rows of a fit.
 */
#include "core/mixed/mixed_design.h"

#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/base/text_buffer.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-14 /* of a number: what means and sums of squares of equal numbers differ by */

/* ---- columns ---- */

static uint32_t field_slot(const Model *schema, uint32_t field)
{
    uint32_t slot = 0;

    for (uint32_t f = 0; f < field; f++)
        slot += schema_field_width(schema, f);
    return slot;
}

/* Returns the dictionary position of the first level of a field. */
static uint32_t first_level(const Model *schema, uint32_t field)
{
    uint32_t level = 0, levels = dictionary_size(schema, DICTIONARY_LEVELS);

    while (level < levels && dictionary_field(schema, level) < field)
        level++;
    return level;
}

/* Adds the columns of a field, [*count]; skipped: levels that have none. */
static void add_field(const Model *schema, uint32_t field, uint32_t skipped, MixedColumn *columns, uint32_t *count)
{
    uint32_t slot = field_slot(schema, field), first = first_level(schema, field);

    if (schema_field_kind(schema, field) == FIELD_CATEGORICAL)
        for (uint32_t l = skipped; l < schema_field_levels(schema, field); l++)
            columns[(*count)++] = (MixedColumn){.slot = slot, .level = (int32_t)(first + l), .scale = 1};
    else
        for (uint32_t i = 0; i < schema_field_width(schema, field); i++)
            columns[(*count)++] = (MixedColumn){.slot = slot + i, .level = -1, .scale = 1};
}

static uint32_t most_columns(const Model *schema)
{
    return schema->slot_count + dictionary_size(schema, DICTIONARY_LEVELS) + 1;
}

static void list_fixed(MixedDesign *design, const FormulaBars *bars)
{
    bool full = !design->intercept; /* the first category has all levels */

    design->fixed = env_array(design->env, most_columns(design->schema), sizeof(MixedColumn));
    if (design->intercept)
        design->fixed[design->fixed_count++] = (MixedColumn){.slot = MIXED_ONE, .level = -1, .scale = 1};
    for (uint32_t f = 0; f < design->schema->field_count; f++) {
        bool category = schema_field_kind(design->schema, f) == FIELD_CATEGORICAL;

        if (!bars->fixed[f])
            continue;
        add_field(design->schema, f, category && !full, design->fixed, &design->fixed_count);
        full = full && !category;
    }
    design->constant = env_array(design->env, (size_t)design->fixed_count + 1, 1);
}

/* ---- grouping factors ---- */

static void begin_factor(MixedDesign *design, MixedFactor *factor, const FormulaBar *bar)
{
    Env *env = design->env;
    int64_t keys = 1;

    factor->slot_count = bar->group_count;
    factor->slots = env_array(env, bar->group_count, sizeof(uint32_t));
    factor->first = env_array(env, bar->group_count, sizeof(int64_t));
    factor->size = env_array(env, bar->group_count, sizeof(int64_t));
    factor->table = hash_table(env, 6);
    for (uint32_t i = 0; i < bar->group_count; i++) {
        factor->slots[i] = field_slot(design->schema, bar->groups[i]);
        factor->first[i] = first_level(design->schema, bar->groups[i]);
        factor->size[i] = schema_field_levels(design->schema, bar->groups[i]);
        if (factor->size[i] > MIXED_MOST_KEYS / keys)
            env_fail(env, ERROR_LIMIT, "Name fewer columns as groups.", "the grouping factor of %u columns has too many combinations of levels",
                     bar->group_count);
        keys *= factor->size[i];
    }
}

/* Returns the factor of the groups of a bar, added if it is new. */
static MixedFactor *factor_of(MixedDesign *design, const FormulaBar *bar)
{
    for (uint32_t f = 0; f < design->factor_count; f++) {
        MixedFactor *factor = &design->factors[f];
        uint32_t same = 0;

        for (uint32_t i = 0; factor->slot_count == bar->group_count && i < bar->group_count; i++)
            same += factor->slots[i] == field_slot(design->schema, bar->groups[i]);
        if (same == bar->group_count)
            return factor;
    }
    begin_factor(design, &design->factors[design->factor_count], bar);
    return &design->factors[design->factor_count++];
}

static void add_bar(MixedDesign *design, const FormulaBar *bar, uint32_t number)
{
    Env *env = design->env;
    MixedFactor *factor = factor_of(design, bar);
    MixedColumn *columns = env_array(env, (size_t)factor->columns + most_columns(design->schema) + 1, sizeof(MixedColumn));
    uint32_t before = factor->columns, *bars;
    bool full = !bar->intercept;

    env_copy(env, columns, factor->column, before * sizeof(MixedColumn));
    if (bar->intercept)
        columns[factor->columns++] = (MixedColumn){.slot = MIXED_ONE, .level = -1, .scale = 1};
    for (uint32_t i = 0; i < bar->effect_count; i++) {
        bool category = schema_field_kind(design->schema, bar->effects[i]) == FIELD_CATEGORICAL;

        add_field(design->schema, bar->effects[i], category && !full, columns, &factor->columns);
        full = full && !category;
    }
    if (factor->columns > MIXED_MAX_COLUMNS)
        env_fail(env, ERROR_LIMIT, "Use fewer random slopes.", "a grouping factor has %u random effects per group, more than %d", factor->columns,
                 MIXED_MAX_COLUMNS);
    bars = env_array(env, (size_t)factor->columns + 1, sizeof(uint32_t));
    env_copy(env, bars, factor->bar, before * sizeof(uint32_t));
    for (uint32_t i = before; i < factor->columns; i++)
        bars[i] = number;
    factor->column = columns;
    factor->bar = bars;
}

int64_t mixed_key(const uint32_t *slots, const int64_t *first, const int64_t *size, uint32_t count, const double *row)
{
    int64_t key = 0;

    for (uint32_t i = 0; i < count; i++) {
        double level = row[slots[i]] - (double)first[i];

        if (!(level >= 0) || level >= (double)size[i])
            return -1;
        key = key * size[i] + (int64_t)level;
    }
    return key;
}

uint32_t mixed_find_level(const int64_t *keys, uint32_t levels, int64_t key)
{
    uint32_t low = 0, high = levels;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < levels && keys[low] == key ? low : MIXED_NO_LEVEL;
}

static uint32_t find_key(const MixedFactor *factor, int64_t key, uint32_t hash)
{
    uint32_t place = hash_start(&factor->table, hash), i;

    while ((i = hash_next(&factor->table, hash, &place)) != HASH_NONE)
        if (factor->seen[i] == key)
            return i;
    return HASH_NONE;
}

uint32_t mixed_level(const MixedFactor *factor, const double *slots)
{
    int64_t key = mixed_key(factor->slots, factor->first, factor->size, factor->slot_count, slots);

    return factor->place[find_key(factor, key, hash_64((uint64_t)key))];
}

static void note_level(Env *env, MixedFactor *factor, const double *slots)
{
    int64_t key = mixed_key(factor->slots, factor->first, factor->size, factor->slot_count, slots);
    uint32_t hash = hash_64((uint64_t)key);

    if (find_key(factor, key, hash) != HASH_NONE)
        return;
    if (factor->levels == factor->room) {
        int64_t *more;

        env_require_memory(env, 8 * (size_t)factor->room * sizeof(int64_t), "the groups of mixed_regression"); /* keys, and the table */
        more = env_array_raw(env, factor->room > 0 ? 2 * (size_t)factor->room : 64, sizeof(int64_t));
        env_copy(env, more, factor->seen, factor->levels * sizeof(int64_t));
        if (factor->seen != NULL)
            env->release(env, factor->seen);
        factor->seen = more;
        factor->room = factor->room > 0 ? 2 * factor->room : 64;
    }
    factor->seen[hash_add(env, &factor->table, hash)] = key;
    factor->levels++;
}

/* Puts the groups in order, so that results do not depend on the order of the rows. */
static void sort_levels(Env *env, MixedFactor *factor)
{
    factor->keys = env_array_raw(env, factor->levels, sizeof(int64_t));
    factor->place = env_array_raw(env, factor->levels, sizeof(uint32_t));
    memcpy(factor->keys, factor->seen, factor->levels * sizeof(int64_t));
    sort_polled(env, factor->keys, factor->levels, sizeof(int64_t), compare_keys); /* none is negative */
    for (uint32_t i = 0; i < factor->levels; i++)
        factor->place[i] = mixed_find_level(factor->keys, factor->levels, factor->seen[i]);
}

const char *mixed_factor_name(Env *env, const Model *schema, const uint32_t *slots, uint32_t count)
{
    TextBuffer out = {.env = env};
    char name[SCHEMA_NAME_SIZE];

    for (uint32_t i = 0; i < count; i++) {
        schema_slot_name(schema, slots[i], name, sizeof name);
        text_print(&out, "%s%s", i > 0 ? ":" : "", name);
    }
    return text_finish(&out, NULL);
}

/* ---- measuring ---- */

/* What a pass finds about a column. */
typedef struct Measure {
    double first, low, high, sum; /* sum: weighted, of the differences from the first number */
} Measure;

static void take(Measure *measure, double x, double weight, bool first)
{
    if (first)
        *measure = (Measure){x, x, x, 0};
    measure->low = fmin(measure->low, x);
    measure->high = fmax(measure->high, x);
    measure->sum += weight * (x - measure->first);
}

/* Sets center and scale. Returns false if the column does not vary around its center. */
static bool finish(Env *env, const Measure *measure, double weight, bool centered, double *center, double *scale)
{
    double mean = measure->first + measure->sum / weight;

    *center = centered ? fmin(fmax(mean, measure->low), measure->high) : 0;
    *scale = fmax(measure->high - *center, *center - measure->low);
    if (!centered)
        *scale = fmax(fabs(measure->low), fabs(measure->high));
    if (!isfinite(mean) || !isfinite(*scale))
        env_fail(env, ERROR_RANGE, "Divide large columns by a power of ten.", "the numbers of mixed_regression exceed the range of double precision");
    if (*scale > 0)
        return true;
    *scale = 1;
    return false;
}

static void measure_row(MixedDesign *design, Measure *fixed, Measure **effects, const double *slots, double weight, bool first)
{
    for (uint32_t j = 0; j < design->fixed_count; j++)
        take(&fixed[j], mixed_number(&design->fixed[j], slots), weight, first);
    for (uint32_t f = 0; f < design->factor_count; f++) {
        MixedFactor *factor = &design->factors[f];

        for (uint32_t j = 0; j < factor->columns; j++)
            take(&effects[f][j], mixed_number(&factor->column[j], slots), weight, first);
        note_level(design->env, factor, slots);
    }
}

/* Sets centers and scales of all columns. Random slopes are centered where they may be correlated with an intercept. */
static void finish_columns(MixedDesign *design, const Measure *fixed, Measure *const *effects)
{
    for (uint32_t j = 0; j < design->fixed_count; j++) {
        MixedColumn *column = &design->fixed[j];

        if (column->slot != MIXED_ONE)
            design->constant[j] = !finish(design->env, &fixed[j], design->weight, design->intercept, &column->center, &column->scale);
    }
    for (uint32_t f = 0; f < design->factor_count; f++) {
        MixedFactor *factor = &design->factors[f];
        bool intercept = false;

        for (uint32_t j = 0; j < factor->columns; j++) {
            MixedColumn *column = &factor->column[j];

            intercept = column->slot == MIXED_ONE || (intercept && factor->bar[j] == factor->bar[j - 1]);
            if (column->slot != MIXED_ONE && !finish(design->env, &effects[f][j], design->weight, intercept, &column->center, &column->scale))
                column->center = 0;
        }
    }
}

/* Sets the unit of the weights, after their sum. */
static void set_unit(MixedDesign *design)
{
    design->unit = 1;
    if (design->frequency || design->count == 0)
        return;
    design->unit = (double)design->count / design->weight;
    if (!(design->unit > 0) || !isfinite(design->unit))
        env_fail(design->env, ERROR_RANGE, "Multiply all weights by the same number.", "the sum of the weights of mixed_regression, %g, is out of range", design->weight);
    design->weight = (double)design->count;
    design->log_weights += (double)design->count * log(design->unit);
}

static void measure_rows(MixedDesign *design, Measure *fixed, Measure **effects, Measure *target)
{
    Env *env = design->env;
    DesignReader *reader = design_reader(design->rows);
    DesignBlock block;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double weight = row_weight(block.weights, i);

            measure_row(design, fixed, effects, block.x + (size_t)i * design->rows->terms, weight, design->count == 0);
            take(target, block.targets[i], weight, design->count == 0);
            design->weight += weight;
            design->log_weights += log(weight);
            if (design->count++ % 256 == 0)
                env->poll(env);
        }
    design_reader_free(reader);
}

/* ---- moments ---- */

/* Returns the mean of a column in a group, as the fit has it. */
static double group_mean(const MixedDesign *design, uint32_t group, const MixedColumn *column)
{
    const ScatterDesign *sums = design->moments->sums;
    double mean = column->slot == MIXED_ONE ? 1 : column->term == MIXED_NO_TERM ? 0 : sums->means[(size_t)group * sums->terms + column->term];

    return (mean - column->center) / column->scale;
}

double mixed_product(const MixedDesign *design, uint32_t group, const MixedColumn *a, const MixedColumn *b)
{
    const ScatterDesign *sums = design->moments->sums;
    const double *scatter = sums->scatter + group * factor_packed(sums->terms);
    double within = 0;

    if (a->term != MIXED_NO_TERM && b->term != MIXED_NO_TERM)
        within = (a->term < b->term ? scatter[factor_packed(b->term) + a->term] : scatter[factor_packed(a->term) + b->term]) / a->scale / b->scale;
    return design->unit * (within + sums->weight[group] * group_mean(design, group, a) * group_mean(design, group, b));
}

MixedColumn mixed_target(const MixedDesign *design)
{
    return (MixedColumn){.level = -1, .term = design->moments->target, .center = design->target_center, .scale = design->target_scale};
}

static void find_terms(const MixedDesign *design, MixedColumn *columns, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++)
        columns[j].term = columns[j].slot == MIXED_ONE ? MIXED_NO_TERM : mixed_term(design->moments, columns[j].slot, columns[j].level);
}

/* Takes a group as if its rows were a standard deviation above the mean, or below. Columns are not yet centered and scaled. */
static void take_group(const MixedDesign *design, Measure *measure, uint32_t group, const MixedColumn *column)
{
    const ScatterDesign *sums = design->moments->sums;
    double weight = sums->weight[group], mean = group_mean(design, group, column), deviation = 0;

    if (column->term != MIXED_NO_TERM)
        deviation = sqrt(sums->scatter[group * factor_packed(sums->terms) + factor_packed(column->term) + column->term] / weight);
    if (deviation <= ROUNDING * fabs(mean))
        deviation = 0;
    take(measure, mean, weight, group == 0);
    measure->low = fmin(measure->low, mean - deviation);
    measure->high = fmax(measure->high, mean + deviation);
}

/* Leaves nothing of a column that varies by rounding alone. */
static void round_off(Measure *measure)
{
    if (measure->high - measure->low <= ROUNDING * fmax(fabs(measure->low), fabs(measure->high)))
        *measure = (Measure){measure->first, measure->first, measure->first, 0};
}

static void measure_groups(MixedDesign *design, Measure *fixed, Measure **effects, Measure *target)
{
    const ScatterDesign *sums = design->moments->sums;
    MixedFactor *factor = &design->factors[0];
    MixedColumn column = mixed_target(design);

    find_terms(design, design->fixed, design->fixed_count);
    find_terms(design, factor->column, factor->columns);
    column.scale = 1;
    for (uint32_t g = 0; g < sums->classes; g++) {
        for (uint32_t j = 0; j < design->fixed_count; j++)
            take_group(design, &fixed[j], g, &design->fixed[j]);
        for (uint32_t j = 0; j < factor->columns; j++)
            take_group(design, &effects[0][j], g, &factor->column[j]);
        take_group(design, target, g, &column);
        design->weight += sums->weight[g];
        design->env->poll(design->env);
    }
    for (uint32_t j = 0; j < design->fixed_count; j++)
        round_off(&fixed[j]);
    for (uint32_t j = 0; j < factor->columns; j++)
        round_off(&effects[0][j]);
    round_off(target);
    design->count = design->moments->moments->rows;
    design->log_weights = design->moments->log_weights;
    factor->levels = sums->classes;
    factor->keys = env_array_raw(design->env, factor->levels, sizeof(int64_t));
    for (uint32_t g = 0; g < factor->levels; g++)
        factor->keys[g] = g;
}

/* ---- both ---- */

static void measure(MixedDesign *design)
{
    Env *env = design->env;
    Measure *fixed = env_array(env, (size_t)design->fixed_count + 1, sizeof(Measure)), target = {0, 0, 0, 0};
    Measure **effects = env_array(env, design->factor_count, sizeof(Measure *));

    for (uint32_t f = 0; f < design->factor_count; f++)
        effects[f] = env_array(env, design->factors[f].columns, sizeof(Measure));
    if (design->moments != NULL) {
        measure_groups(design, fixed, effects, &target);
    } else {
        measure_rows(design, fixed, effects, &target);
        for (uint32_t f = 0; f < design->factor_count; f++)
            sort_levels(env, &design->factors[f]);
    }
    finish_columns(design, fixed, effects);
    finish(env, &target, design->weight, design->intercept, &design->target_center, &design->target_scale);
    set_unit(design);
}

/* Returns how many random effects of a factor may be correlated. */
static uint32_t widest_bar(const MixedFactor *factor)
{
    uint32_t most = 0;

    for (uint32_t j = 0, from = 0; j < factor->columns; j++) {
        from = j > 0 && factor->bar[j] == factor->bar[j - 1] ? from : j;
        most = j - from + 1 > most ? j - from + 1 : most;
    }
    return most;
}

const char *mixed_lacks(const MixedDesign *design, double rows)
{
    for (uint32_t f = 0; f < design->factor_count; f++) {
        const MixedFactor *factor = &design->factors[f];
        const char *name = mixed_factor_name(design->env, design->schema, factor->slots, factor->slot_count);

        if (factor->levels < 2)
            return env_message(design->env, "mixed_regression needs at least two groups of %s: there is %u", name, factor->levels);
        if ((double)factor->levels * widest_bar(factor) >= rows)
            return env_message(design->env, "mixed_regression needs more rows than random effects of %s: %.0f rows, %u groups of %u random effects", name,
                               rows, factor->levels, widest_bar(factor));
    }
    return NULL;
}

static void largest_first(MixedDesign *design)
{
    uint32_t largest = 0;
    MixedFactor first;

    for (uint32_t f = 1; f < design->factor_count; f++)
        if ((uint64_t)design->factors[f].levels * design->factors[f].columns >
            (uint64_t)design->factors[largest].levels * design->factors[largest].columns)
            largest = f;
    first = design->factors[largest];
    design->factors[largest] = design->factors[0];
    design->factors[0] = first;
}

MixedDesign *mixed_design(Env *env, Rows *rows, const MixedMoments *moments, bool intercept, const char *name)
{
    MixedDesign *design = env_array(env, 1, sizeof(MixedDesign));
    const FormulaBars *bars;

    design->env = env;
    design->schema = schema_final(env, rows_schema(rows));
    design->intercept = intercept;
    bars = formula_bars(env, design->schema);
    if (bars == NULL)
        env_fail(env, ERROR_PARAMETER, "Add them to a formula, such as y ~ x + (1 | subject), or use linear_regression.",
                 "%s needs a formula with random effects", name);
    design->frequency = (rows_schema(rows)->flags & MODEL_FREQUENCY) != 0;
    design->moments = moments;
    if (moments == NULL)
        design->rows = row_design(env, rows, DESIGN_SLOTS, name);
    list_fixed(design, bars);
    design->factors = env_array(env, bars->count, sizeof(MixedFactor));
    for (uint32_t b = 0; b < bars->count; b++)
        add_bar(design, &bars->bars[b], b);
    measure(design);
    largest_first(design);
    return design;
}
