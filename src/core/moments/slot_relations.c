/*
 * slot_relations.c - finds features that tell the target or number the rows, and the deviations of features.
 */
#include "core/moments/slot_relations.h"
#include "core/base/number_order.h"

#include "core/base/hash_table.h"
#include "core/base/sort.h"
#include "core/moments/moments_internal.h"
#include "core/rows/row_scale.h"

#include <math.h>
#include <string.h>

#define SURE 20.0        /* chance must be less likely than e^-20 */
#define FEWEST_ROWS 5    /* so few equal numbers say nothing */
#define LINE_ROWS 20     /* rows that an affine function of the target must have */
#define NUMBERED_ROWS 100 /* and rows that are numbered */
#define MOST_VALUES 1000 /* of a number that determines a numeric target, at most one in VALUE_ROWS rows */
#define VALUE_ROWS 10
#define FIRST_VALUES 4096 /* of a number that numbers the rows: most others repeat one among so many */
#define LINE_SLACK 1e-9  /* of an affine function, by which texts of numbers are rounded */

/* ---- chance ---- */

/* The groups of rows that share a value, with the target that each has throughout. */
typedef struct Groups {
    double *targets, *rows; /* [count] */
    uint32_t count;
} Groups;

/*
 * Tells whether so many groups each have one target for another reason than chance. Of the ways to give the target of the largest group to as
 * many of the n rows as have it, at most 2^groups let every group have it wholly or not at all.
 */
static bool groups_are_sure(const Groups *groups, double n)
{
    double same = 0, logarithm, part;
    uint32_t largest = 0;

    for (uint32_t i = 1; i < groups->count; i++)
        if (groups->rows[i] > groups->rows[largest])
            largest = i;
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->targets[i] == groups->targets[largest])
            same += groups->rows[i];
    if (groups->count < 2 || 2.0 * groups->count > n)
        return false;
    part = floor(fmin(same, n - same) + 0.5);
    logarithm = -(groups->count * log(2));
    for (double i = 1; i <= part && logarithm < SURE; i++)
        logarithm += log((n - part + i) / i);
    return logarithm >= SURE;
}

/* Tells whether n different whole numbers from such a range number the rows: by chance some would come twice. */
static bool range_is_dense(double n, double range)
{
    return n >= NUMBERED_ROWS && n * n >= 2 * SURE * range;
}

/* ---- rows ---- */

/* The values of a number so far, each with the target of its first row. */
typedef struct Values {
    HashTable table;
    double *numbers;
    Groups groups;
    uint32_t room;
} Values;

typedef struct Column {
    uint8_t open; /* SlotRelation and LINE that the rows so far allow */
    bool category;
    bool sloped;  /* two numbers were seen */
    uint32_t seen; /* numbers of FIRST_VALUES */
    double first, first_target, slope, low, high;
    Values *values;
} Column;
#define LINE 8

typedef struct Search {
    Env *env;
    double rows;
    uint32_t columns, most; /* most: values of a number that determines the target */
    Column *column;         /* [columns] */
    Groups levels;          /* by position in the dictionary; 0 rows: not seen */
} Search;

/* Returns a flag per slot: it has positions in the dictionary; NULL: none has. texts: also texts, which are no levels. */
static bool *category_slots(Env *env, const Model *schema, bool texts)
{
    bool *category;
    uint32_t slot = 0;

    if (schema_all_numeric(schema) && !schema_has_kinds(schema))
        return NULL;
    category = env_array(env, (size_t)schema->slot_count + 1, sizeof(bool));
    for (uint32_t f = 0; f < schema->field_count; f++) {
        FieldKind kind = schema_field_kind(schema, f);

        for (uint32_t i = 0; i < schema_field_width(schema, f); i++)
            category[slot++] = kind == FIELD_CATEGORICAL || (texts && kind == FIELD_TEXT);
    }
    return category;
}

static Search search_begin(Env *env, Rows *rows)
{
    const Model *schema = rows_schema(rows);
    bool classes = dictionary_size(schema, DICTIONARY_CLASSES) > 0, told = (rows_contents(rows) & ROWS_TARGET) != 0;
    bool *category = category_slots(env, schema, false), *place = category_slots(env, schema, true);
    double n = (double)rows_count(rows);
    size_t levels = dictionary_size(schema, DICTIONARY_LEVELS);
    Search search = {.env = env, .rows = n, .columns = rows_slots(rows)};

    search.most = classes ? dictionary_size(schema, DICTIONARY_CLASSES) : (uint32_t)fmin(MOST_VALUES, n / VALUE_ROWS);
    search.column = env_array(env, (size_t)search.columns + 1, sizeof(Column));
    for (uint32_t s = 0; s < search.columns; s++) {
        Column *column = &search.column[s];

        column->category = category != NULL && category[s];
        column->low = INFINITY;
        column->high = -INFINITY;
        if (column->category)
            column->open = SLOT_DETERMINES_TARGET;
        else if (place == NULL || !place[s])
            column->open = (uint8_t)(SLOT_DETERMINES_TARGET | (n >= NUMBERED_ROWS ? SLOT_NUMBERS_ROWS : 0) |
                                     (classes ? 0 : SLOT_EQUALS_TARGET | (n >= LINE_ROWS ? LINE : 0)));
        if (!told)
            column->open &= SLOT_NUMBERS_ROWS;
    }
    if (category != NULL)
        search.levels = (Groups){env_array(env, levels + 1, sizeof(double)), env_array(env, levels + 1, sizeof(double)), (uint32_t)levels};
    return search;
}

static void close_values(Search *search, Column *column)
{
    Values *values = column->values;

    if (values == NULL)
        return;
    search->env->release(search->env, values->numbers);
    search->env->release(search->env, values->groups.targets);
    search->env->release(search->env, values->groups.rows);
    search->env->release(search->env, values->table.slots);
    search->env->release(search->env, values);
    column->values = NULL;
}

/* Makes room for one more value. So many that they take too much memory determine nothing. */
static void reserve_value(Search *search, Column *column)
{
    Env *env = search->env;
    Values *values = column->values;

    if (values == NULL) {
        values = column->values = env_array(env, 1, sizeof(Values));
        values->table = hash_table(env, 6);
    }
    if (values->groups.count < values->room)
        return;
    values->room = values->room == 0 ? 32 : 2 * values->room;
    if ((size_t)values->room * (3 * sizeof(double) + 4 * sizeof(HashSlot)) > env->memory_limit / 16)
        column->open &= (uint8_t)~SLOT_DETERMINES_TARGET;
    values->numbers = env->resize(env, values->numbers, values->room * sizeof(double));
    values->groups.targets = env->resize(env, values->groups.targets, values->room * sizeof(double));
    values->groups.rows = env->resize(env, values->groups.rows, values->room * sizeof(double));
}

/* Looks a number up among those so far, for what depends on whether it came before. */
static void see_value(Search *search, Column *column, double x, double y)
{
    Values *values;
    uint32_t hash, place, entry;
    uint64_t bits;

    x += 0.0; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    hash = hash_64(bits);
    reserve_value(search, column);
    values = column->values;
    place = hash_start(&values->table, hash);
    while ((entry = hash_next(&values->table, hash, &place)) != HASH_NONE && values->numbers[entry] != x)
        ;
    if (entry != HASH_NONE) {
        column->open &= (uint8_t)~SLOT_NUMBERS_ROWS;
        if (values->groups.targets[entry] != y)
            column->open &= (uint8_t)~SLOT_DETERMINES_TARGET;
        values->groups.rows[entry]++;
        return;
    }
    entry = hash_add(search->env, &values->table, hash);
    values->numbers[entry] = x;
    values->groups.targets[entry] = y;
    values->groups.rows[entry] = 1;
    values->groups.count++;
    if (values->groups.count > search->most)
        column->open &= (uint8_t)~SLOT_DETERMINES_TARGET;
}

static void see_number(Search *search, Column *column, double x, double y)
{
    if (isnan(x)) {
        column->open = 0;
        return;
    }
    if (x != y)
        column->open &= (uint8_t)~SLOT_EQUALS_TARGET;
    if (column->low > column->high) {
        column->first = x;
        column->first_target = y;
    }
    column->low = fmin(column->low, x);
    column->high = fmax(column->high, x);
    if (column->open & LINE) {
        if (!column->sloped && x != column->first) {
            column->slope = (y - column->first_target) / (x - column->first);
            column->sloped = column->slope != 0 && isfinite(column->slope);
            if (!column->sloped)
                column->open &= (uint8_t)~LINE;
        }
        if (!(fabs(column->first_target + column->slope * (x - column->first) - y) <=
              LINE_SLACK * (fabs(y - column->first_target) + DBL_EPSILON * fabs(y))))
            column->open &= (uint8_t)~LINE;
    }
    if ((column->open & SLOT_NUMBERS_ROWS) && x != floor(x))
        column->open &= (uint8_t)~SLOT_NUMBERS_ROWS;
    if ((column->open & SLOT_DETERMINES_TARGET) || ((column->open & SLOT_NUMBERS_ROWS) && column->seen++ < FIRST_VALUES))
        see_value(search, column, x, y);
    else
        close_values(search, column);
}

static void see_level(Search *search, Column *column, double level, double y)
{
    uint32_t place = (uint32_t)level;

    if (isnan(level) || (search->levels.rows[place] > 0 && search->levels.targets[place] != y)) {
        column->open = 0;
        return;
    }
    search->levels.targets[place] = y;
    search->levels.rows[place]++;
}

/* Reads rows until no relation is left. */
static void see_rows(Search *search, Rows *rows)
{
    RowsReader *reader = rows_reader(search->env, rows);
    uint32_t open = search->columns;
    RowsBlock block;

    while (open > 0 && rows_next_block(reader, &block)) {
        open = 0;
        for (uint32_t s = 0; s < search->columns; s++) {
            Column *column = &search->column[s];
            const double *x = block.slots + s;

            for (uint32_t i = 0; i < block.count && column->open != 0; i++, x += search->columns)
                (column->category ? see_level : see_number)(search, column, *x, block.targets != NULL ? block.targets[i] : 0);
            if (column->open == 0)
                close_values(search, column);
            open += column->open != 0;
        }
    }
    rows_reader_free(reader);
}

/* Returns the groups of the levels of one field; slots of one field share them. */
static Groups field_levels(Search *search, const Model *schema, uint32_t field)
{
    uint32_t room = schema_field_levels(schema, field);
    Groups groups = {env_array(search->env, (size_t)room + 1, sizeof(double)), env_array(search->env, (size_t)room + 1, sizeof(double)), 0};

    for (uint32_t l = 0; l < search->levels.count; l++)
        if (search->levels.rows[l] > 0 && dictionary_field(schema, l) == field) {
            groups.targets[groups.count] = search->levels.targets[l];
            groups.rows[groups.count++] = search->levels.rows[l];
        }
    return groups;
}

/* Tells whether whole numbers of this range are all different, by a bit for each, in another pass. */
static bool numbers_differ(Search *search, Rows *rows, uint32_t slot)
{
    Env *env = search->env;
    const Column *column = &search->column[slot];
    double range = column->high - column->low + 1;
    RowsReader *reader;
    uint8_t *bits;
    bool differ = true;
    RowsBlock block;

    if (!range_is_dense(search->rows, range) || range / 8 > (double)(env->memory_limit / 16))
        return false;
    bits = env_array(env, (size_t)(range / 8) + 1, 1);
    reader = rows_reader(env, rows);
    while (differ && rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count && differ; i++) {
            size_t place = (size_t)(block.slots[(size_t)i * search->columns + slot] - column->low);

            differ = (bits[place / 8] & (1 << place % 8)) == 0;
            bits[place / 8] |= (uint8_t)(1 << place % 8);
        }
    rows_reader_free(reader);
    env->release(env, bits);
    return differ;
}

uint8_t *slot_relations_of_rows(Env *env, Rows *rows)
{
    const Model *schema = rows_schema(rows);
    uint8_t *relations = env_array(env, (size_t)rows_slots(rows) + 1, 1);
    Search search;

    if (rows_count(rows) < FEWEST_ROWS || rows_objects(rows) != NULL)
        return relations;
    search = search_begin(env, rows);
    see_rows(&search, rows);
    for (uint32_t s = 0; s < search.columns; s++) {
        Column *column = &search.column[s];

        if (column->open & SLOT_DETERMINES_TARGET) {
            uint32_t field = schema_slot_field(schema, s);
            Groups groups = column->category ? field_levels(&search, schema, field) : column->values->groups;

            if (schema_field_width(schema, field) == 1 && groups_are_sure(&groups, search.rows))
                relations[s] |= SLOT_DETERMINES_TARGET;
        }
        if ((column->open & LINE) && column->sloped)
            relations[s] |= SLOT_DETERMINES_TARGET;
        if ((column->open & SLOT_EQUALS_TARGET) && column->low < column->high)
            relations[s] = SLOT_EQUALS_TARGET;
        if ((column->open & SLOT_NUMBERS_ROWS) && numbers_differ(&search, rows, s))
            relations[s] |= SLOT_NUMBERS_ROWS;
        close_values(&search, column);
    }
    return relations;
}

/* ---- moments ---- */

/* Returns the slot of a column, and whether it holds its numbers, which are never NULL. Levels: level >= 0; the target: -1. */
static int64_t column_slot(const MomentsView *view, uint32_t column, bool *numbers, int64_t *level)
{
    int64_t slot = view->column_slot != NULL ? view_i64(view, view->column_slot)[column] : (int64_t)column;

    if (view->column_slot == NULL && column == view->state->slot_count)
        slot = -1;
    *level = view->column_level != NULL ? view_i64(view, view->column_level)[column] : COLUMN_NUMBER;
    *numbers = slot >= 0 && *level == COLUMN_NUMBER && ((view->state->flags & MODEL_IMPUTE) == 0 || moments_missing_column(view, slot) == NO_TERM_COLUMN);
    return slot;
}

/* Tells whether numbers with this sum of squares about their mean are whole numbers in equal steps, up to 1000. */
static bool steps_are_equal(double n, double squares)
{
    double step = sqrt(squares / (n * (n * n - 1) / 12)), whole = floor(step + 0.5);

    return n >= NUMBERED_ROWS && whole >= 1 && whole <= 1000 && fabs(step - whole) <= 1e-10 * whole;
}

/* The product of two columns of a packed factor: their centered cross-product. */
static double column_product(const double *factor, uint32_t a, uint32_t b)
{
    const double *x = factor + factor_packed(a), *y = factor + factor_packed(b);
    uint32_t rows = a < b ? a : b;
    double sum = 0;

    for (uint32_t i = 0; i <= rows; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Returns the relation of a number to a numeric target. */
static uint8_t number_relation(const MomentsPart *part, const double *origins, uint32_t x, uint32_t y)
{
    const double *a = part->factor + factor_packed(x), *b = part->factor + factor_packed(y);
    double squares = column_product(part->factor, x, x), slope, residual = 0, difference = 0, norm = sqrt(column_product(part->factor, y, y));
    double mean_x = part->means[x] + (origins != NULL ? origins[x] : 0), mean_y = part->means[y] + (origins != NULL ? origins[y] : 0);

    if (!(squares > 0) || !(norm > 1e-12 * sqrt(part->weight) * fabs(mean_y)))
        return 0;
    slope = column_product(part->factor, x, y) / squares;
    for (uint32_t i = 0; i <= x || i <= y; i++) {
        double own = i <= x ? a[i] : 0, wanted = i <= y ? b[i] : 0;

        difference = fmax(difference, fabs(own - wanted));
        residual = fmax(residual, fabs(slope * own - wanted));
    }
    if (difference <= 1e-13 * norm && fabs(mean_x - mean_y) <= 1e-14 * fabs(mean_y))
        return SLOT_EQUALS_TARGET;
    return residual <= 1e-12 * norm && part->rows >= LINE_ROWS ? SLOT_DETERMINES_TARGET : 0;
}

/* The levels of each categorical slot, whose rows so far have one target each. */
typedef struct SlotGroups {
    Groups *groups;  /* [slots] */
    double *between; /* [slots] sum of squares between the levels; NaN: a level has several targets */
} SlotGroups;

static SlotGroups slot_groups(Env *env, const MomentsView *view)
{
    size_t slots = view->state->slot_count + (size_t)1;
    SlotGroups all = {env_array(env, slots, sizeof(Groups)), env_array(env, slots, sizeof(double))};

    for (uint32_t j = 0; j < view->columns; j++) {
        bool numbers;
        int64_t level, slot = column_slot(view, j, &numbers, &level);

        all.groups[slot >= 0 && level >= 0 ? slot : (int64_t)slots - 1].count++;
    }
    for (size_t s = 0; s + 1 < slots; s++) {
        if (all.groups[s].count == 0)
            continue;
        all.groups[s].targets = env_array(env, (size_t)all.groups[s].count + 1, sizeof(double));
        all.groups[s].rows = env_array(env, (size_t)all.groups[s].count + 1, sizeof(double));
        all.groups[s].count = 0;
    }
    return all;
}

static void add_group(Groups *groups, double target, double rows)
{
    groups->targets[groups->count] = target;
    groups->rows[groups->count++] = rows;
}

static void relations_to_number(Env *env, const MomentsView *view, uint8_t *relations)
{
    MomentsPart part = view->folded ? moments_part_whole(env, view) : moments_part(view, 0);
    uint32_t y = moments_target_column(view);
    double total = column_product(part.factor, y, y);
    SlotGroups all = slot_groups(env, view);

    for (uint32_t j = 0; j < view->columns; j++) {
        bool numbers;
        int64_t level, slot = column_slot(view, j, &numbers, &level);

        if (numbers) {
            relations[slot] = number_relation(&part, view_origins(view, 0), j, y);
            if (!view->weighted && steps_are_equal(part.rows, column_product(part.factor, j, j)))
                relations[slot] |= SLOT_NUMBERS_ROWS;
        } else if (slot >= 0 && level >= 0 && part.means[j] > 0) {
            double weight = part.means[j] * part.weight, product = column_product(part.factor, j, y);

            all.between[slot] += product * product / weight;
            /* rounded, so that equal means of two levels are equal */
            add_group(&all.groups[slot], floor(product / weight / sqrt(total / part.weight) * 1e6 + 0.5), part.means[j] * part.rows);
        }
        env->poll(env);
    }
    for (uint32_t s = 0; s < view->state->slot_count; s++)
        if (all.groups[s].count > 0 && total > 0 && all.between[s] >= total * (1 - 1e-10) && groups_are_sure(&all.groups[s], part.rows))
            relations[s] = SLOT_DETERMINES_TARGET;
}

/* Tells whether each class has one value of a column, and no two the same. sorted: room for [classes]. */
static bool value_per_class(Env *env, const MomentsView *view, uint32_t column, double *sorted)
{
    double largest = 0, within = 0;

    for (uint32_t g = 0; g < view->classes; g++) {
        const double *origins = view_origins(view, g);

        sorted[g] = view_f64(view, view->means)[(size_t)g * view->columns + column] + (origins != NULL ? origins[column] : 0);
        largest = fmax(largest, fabs(sorted[g]));
        within += view_f64(view, view->scatter)[g * scatter_size(view, view->columns) + scatter_square(view, column)];
    }
    if (within > view->state->weight * 1e-28 * largest * largest)
        return false;
    sort_numbers(env, sorted, view->classes, sizeof(double));
    for (uint32_t g = 1; g < view->classes; g++)
        if (!(sorted[g] - sorted[g - 1] > 1e-12 * largest))
            return false;
    return true;
}

/* Returns the sum of squares of a column about the mean of all classes. */
static double total_squares(const MomentsView *view, uint32_t column)
{
    const double *counts = view_f64(view, view->counts), *means = view_f64(view, view->means);
    double weight = 0, mean = 0, squares = 0;

    for (uint32_t g = 0; g < view->classes; g++) {
        const double *origins = view_origins(view, g);
        double own = means[(size_t)g * view->columns + column] + (origins != NULL ? origins[column] : 0), more = counts[2 * (size_t)g + 1];
        double step = own - mean;

        squares += view_f64(view, view->scatter)[g * scatter_size(view, view->columns) + scatter_square(view, column)];
        if (!(more > 0))
            continue;
        squares += step * step * weight * (more / (weight + more));
        weight += more;
        mean += step * (more / weight);
    }
    return squares;
}

/* Adds a level to the groups of its slot; spoils them if it has rows of several classes. */
static void add_level_of_classes(const MomentsView *view, uint32_t column, Groups *groups, double *between)
{
    const double *counts = view_f64(view, view->counts), *means = view_f64(view, view->means);
    uint32_t classes = 0, class = 0;

    for (uint32_t g = 0; g < view->classes; g++)
        if (means[(size_t)g * view->columns + column] > 0) {
            classes++;
            class = g;
        }
    if (classes > 1)
        *between = NAN;
    if (classes == 1)
        add_group(groups, class, means[(size_t)class * view->columns + column] * counts[2 * (size_t)class]);
}

static void relations_to_classes(Env *env, const MomentsView *view, uint8_t *relations)
{
    const double *counts = view_f64(view, view->counts);
    Groups classes = {env_array(env, view->classes, sizeof(double)), env_array(env, view->classes, sizeof(double)), 0};
    double *sorted = env_array(env, view->classes, sizeof(double)), n = 0;
    SlotGroups all = slot_groups(env, view);

    for (uint32_t g = 0; g < view->classes; g++) {
        add_group(&classes, g, counts[2 * (size_t)g]);
        n += counts[2 * (size_t)g];
    }
    for (uint32_t j = 0; j < view->columns; j++) {
        bool numbers;
        int64_t level, slot = column_slot(view, j, &numbers, &level);

        if (numbers) {
            if (value_per_class(env, view, j, sorted) && groups_are_sure(&classes, n))
                relations[slot] = SLOT_DETERMINES_TARGET;
            if (!view->weighted && steps_are_equal(n, total_squares(view, j)))
                relations[slot] |= SLOT_NUMBERS_ROWS;
        } else if (slot >= 0 && level >= 0) {
            add_level_of_classes(view, j, &all.groups[slot], &all.between[slot]);
        }
        env->poll(env);
    }
    for (uint32_t s = 0; s < view->state->slot_count; s++)
        if (all.groups[s].count > 0 && !isnan(all.between[s]) && groups_are_sure(&all.groups[s], n))
            relations[s] = SLOT_DETERMINES_TARGET;
}

uint8_t *slot_relations_of_moments(Env *env, const Model *moments)
{
    uint8_t *relations = env_array(env, (size_t)moments->slot_count + 1, 1);
    MomentsView view;

    if (moments->rows < FEWEST_ROWS || moments->kind == MODEL_FEATURE_MOMENTS)
        return relations;
    moments_read(env, moments, &view);
    if (moments->kind == MODEL_MOMENTS)
        relations_to_number(env, &view, relations);
    else
        relations_to_classes(env, &view, relations);
    return relations;
}

/* ---- deviations ---- */

/* Writes the weighted means of the rows of a block to zeros; leaves these if no row has a weight. */
static void block_means(const RowsBlock *block, uint32_t slots, double *means)
{
    double weight = 0;

    for (uint32_t i = 0; i < block->count; i++) {
        double own = row_weight(block->weights, i);

        weight += own;
        for (uint32_t s = 0; s < slots && own > 0; s++)
            means[s] += (block->slots[(size_t)i * slots + s] - means[s]) * (own / weight);
    }
}

/* Sums about the means of the first rows that have a weight: three digits are enough. */
double *slot_deviations_of_rows(Env *env, Rows *rows)
{
    uint32_t slots = rows_slots(rows);
    bool *category = category_slots(env, rows_schema(rows), true);
    double *shift = env_array(env, (size_t)slots + 1, 4 * sizeof(double)), *sums = shift + slots, *squares = sums + slots;
    double *deviations = squares + slots, weight = 0, weights[SQUARES_TOGETHER];
    const double *few[SQUARES_TOGETHER];
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block)) {
        if (weight == 0)
            block_means(&block, slots, shift);
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t place = i % SQUARES_TOGETHER;

            few[place] = block.slots + (size_t)i * slots;
            weights[place] = row_weight(block.weights, i);
            weight += weights[place];
            if (place == SQUARES_TOGETHER - 1 || i == block.count - 1)
                moments_add_squares(few, weights, place + 1, slots, shift, sums, squares);
        }
    }
    rows_reader_free(reader);
    for (uint32_t s = 0; s < slots; s++) {
        double variance = (squares[s] - sums[s] * (sums[s] / weight)) / weight;

        deviations[s] = category != NULL && category[s] ? 0 : isfinite(variance) ? sqrt(fmax(0, variance)) : INFINITY;
    }
    return deviations;
}

double *slot_deviations_of_moments(Env *env, const Model *moments)
{
    double *deviations = env_array(env, (size_t)moments->slot_count + 1, sizeof(double));
    MomentsView view;

    moments_read(env, moments, &view);
    for (uint32_t j = 0; j < view.columns && view.scatter != NULL; j++) {
        bool numbers;
        int64_t level, slot = column_slot(&view, j, &numbers, &level);

        if (slot >= 0 && numbers)
            deviations[slot] = sqrt(total_squares(&view, j) / moments->weight);
    }
    return deviations;
}
