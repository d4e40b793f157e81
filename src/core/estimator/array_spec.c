/*
 * array_spec.c - checks and views of models by the tables that their methods declare.
 */
#include "core/estimator/array_spec.h"

#include "core/base/all_finite.h"
#include "core/model/report_text.h"
#include "core/model/schema.h"
#include "core/moments/model_terms.h"
#include "core/rows/row_scale.h"

#include <math.h>
#include <string.h>

#define UNKNOWN UINT64_MAX /* a length whose defining array is missing */
#define POLL_NUMBERS 65536 /* between two polls */

const ArraySpec term_arrays[2] = {
    {.name = "column_level",
     .type = ARRAY_I64,
     .rows = {SIZE_TERMS},
     .presence = ARRAY_WITH,
     .other = "column_slot",
     .values = VALUES_INDEX,
     .least = -1,
     .below = SIZE_LEVELS,
     .data_at = VIEW_AT(Terms, level)},
    {.name = "column_slot",
     .type = ARRAY_I64,
     .rows = {SIZE_TERMS},
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_INDEX,
     .below = SIZE_SLOTS,
     .data_at = VIEW_AT(Terms, slot)}};

const ArraySpec scale_arrays[2] = {
    {.name = "feature_center",
     .type = ARRAY_F64,
     .rows = {SIZE_SLOTS},
     .presence = ARRAY_OPTIONAL,
     .data_at = VIEW_AT(RowScale, center)},
    {.name = "feature_scale",
     .type = ARRAY_F64,
     .rows = {SIZE_SLOTS},
     .presence = ARRAY_WITH,
     .other = "feature_center",
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(RowScale, scale),
     .rows_at = VIEW_AT(RowScale, columns)}};

/* ---- names ---- */

/*
 * Returns the order of two names of MODEL_NAME_SIZE bytes, padded with zeros. By words, because calls of memcmp took
 * a third of the time in which a view is filled.
 */
static inline int compare_names(const char *a, const char *b)
{
    uint64_t x = 0, y = 0;

    for (size_t at = 0; x == y && at < MODEL_NAME_SIZE; at += sizeof(x)) {
        size_t from = at + sizeof(x) <= MODEL_NAME_SIZE ? at : MODEL_NAME_SIZE - sizeof(x);

        memcpy(&x, a + from, sizeof(x));
        memcpy(&y, b + from, sizeof(y));
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
    y = __builtin_bswap64(y);
#endif
    return x == y ? 0 : x < y ? -1 : 1;
}

static const char *const symbol_names[SIZE_SYMBOLS] = {
    [SIZE_FREE] = "any",             [SIZE_SLOTS] = "slots",           [SIZE_LEVELS] = "levels",
    [SIZE_CLASSES] = "classes",      [SIZE_CATEGORICAL] = "categorical slots",
    [SIZE_TERMS] = "terms",          [SIZE_CLUSTERS] = "clusters",
    [SIZE_COMPONENTS] = "components", [SIZE_DIRECTIONS] = "directions", [SIZE_EQUATIONS] = "equations",
    [SIZE_FOLDS] = "folds",          [SIZE_LAMBDAS] = "lambdas",       [SIZE_ROWS] = "rows",
    [SIZE_BINS] = "bins"};

/* Prints a length: a sum in parentheses if it is a factor. */
static void put_size(TextBuffer *report, const ArraySize *size, bool factor)
{
    const char *separator = "";
    bool sum = size->other != SIZE_NONE || (size->symbol != SIZE_NUMBER && size->plus != 0);

    if (size->packed)
        text_print(report, "triangle of ");
    if (sum && (factor || size->packed))
        text_print(report, "(");
    if (size->symbol != SIZE_NUMBER) {
        text_print(report, "%s", symbol_names[size->symbol]);
        separator = " + ";
    }
    if (size->other != SIZE_NONE) {
        text_print(report, "%s%s", separator, symbol_names[size->other]);
        separator = " + ";
    }
    if (size->plus < 0)
        text_print(report, " - %d", -size->plus);
    else if (size->plus > 0)
        text_print(report, "%s%d", separator, size->plus);
    if (sum && (factor || size->packed))
        text_print(report, ")");
}

const char *array_spec_shape(Env *env, const ArraySpec *spec)
{
    TextBuffer report = {.env = env};
    bool matrix = spec->columns.symbol != SIZE_NONE;

    put_size(&report, &spec->rows, matrix);
    if (matrix) {
        text_print(&report, " x ");
        put_size(&report, &spec->columns, true);
    }
    return report.text;
}

const char *array_spec_presence(Env *env, const ArrayTable *table, const ArraySpec *spec)
{
    TextBuffer report = {.env = env};

    if (table->where != NULL)
        text_print(&report, "%s %s: ", table->lacking ? "without" : "where", table->where);

    if (spec->presence == ARRAY_WITH)
        text_print(&report, "with %s", spec->other);
    else if (spec->presence == ARRAY_OPTIONAL)
        text_print(&report, spec->other != NULL ? "sometimes, with %s" : "sometimes", spec->other);
    else
        text_print(&report, "always");
    if (spec->sized)
        text_print(&report, ", unless empty");
    return report.text;
}

static const char *singular(unsigned symbol)
{
    switch (symbol) {
    case SIZE_SLOTS:
        return "slot";
    case SIZE_LEVELS:
        return "level";
    case SIZE_CLASSES:
        return "class";
    default:
        return "cluster";
    }
}

/* Returns what an element must be, for messages: "a positive finite number". */
static const char *values_text(Env *env, const ArraySpec *spec)
{
    switch ((ArrayValues)spec->values) {
    case VALUES_NONNEGATIVE:
    case VALUES_SHARES:
        return "a finite number from 0 up";
    case VALUES_POSITIVE:
        return "a positive finite number";
    case VALUES_PROBABILITY:
        return "between 0 and 1";
    case VALUES_SIGN:
        return "1 or -1";
    case VALUES_INDEX:
        return env_message(env, "the number of a %s%s", singular(spec->below), spec->least < 0 ? " or -1" : "");
    case VALUES_FINITE:
        return "finite";
    default: /* VALUES_ANY */
        return "any";
    }
}

const char *array_spec_values(Env *env, const ArraySpec *spec)
{
    if (spec->type == ARRAY_TEXT)
        return "any";
    return env_message(env, "%s%s", values_text(env, spec), spec->values == VALUES_SHARES ? ", not all 0" : "");
}

/* ---- matching ---- */

/* Entries of a model in the order of their names. */
typedef struct Section {
    const ModelEntry *first, *end;
} Section;

/* Returns the entries of a section that ends before `end`. */
static inline Section section_before(const Model *model, const ModelEntry *end, ModelSection section)
{
    const ModelEntry *first = end;

    while (first > model_entries(model) && first[-1].section == section)
        first--;
    return (Section){first, end};
}

/* Returns the arrays of a model, its last section. */
static inline Section arrays_of(const Model *model)
{
    return section_before(model, model_entries(model) + model->entry_count, SECTION_ARRAYS);
}

/* Returns the facts of a model, the section before. */
static Section facts_of(const Model *model)
{
    return section_before(model, arrays_of(model).first, SECTION_FACTS);
}

/* Returns the entry of this name, or NULL. The section then begins after it, or at the next name: ask in their order. */
static inline const ModelEntry *next_entry(Section *section, const char *name)
{
    int order = 1;

    while (section->first < section->end && (order = compare_names(section->first->name, name)) < 0)
        section->first++;
    return order == 0 ? section->first++ : NULL;
}

typedef struct ArrayCheck {
    Env *env;
    const Model *model;
    bool facts;     /* there is a table of facts */
    uint32_t count; /* of specs */
    const ArraySpec *specs[ARRAY_SPECS_MAX];
    const ModelEntry *found[ARRAY_SPECS_MAX]; /* NULL: not there */
    uint64_t sizes[SIZE_SYMBOLS];
    bool known[SIZE_SYMBOLS];
} ArrayCheck;

/* Tells whether models such as this one have the arrays of a table. */
static bool applies(const Model *model, const ArrayTable *table)
{
    return table->where == NULL || (model_find(model, table->where) != NULL) != table->lacking;
}

static void match(ArrayCheck *check, const ArrayTable *tables)
{
    for (; tables->specs != NULL; tables++) {
        Section entries = tables->facts ? facts_of(check->model) : arrays_of(check->model);

        check->facts |= tables->facts;
        if (!applies(check->model, tables))
            continue;
        for (uint32_t i = 0; i < tables->count; i++) {
            if (check->count == ARRAY_SPECS_MAX)
                env_fail(check->env, ERROR_INTERNAL, NULL, "%.31s declares more than %d arrays",
                         check->model->estimator, ARRAY_SPECS_MAX);
            check->specs[check->count] = &tables->specs[i];
            check->found[check->count++] = next_entry(&entries, tables->specs[i].name);
        }
    }
}

static const ModelEntry *found_array(const ArrayCheck *check, const char *name)
{
    for (uint32_t i = 0; i < check->count; i++)
        if (check->found[i] != NULL && strcmp(check->specs[i]->name, name) == 0)
            return check->found[i];
    return NULL;
}

/* Tells whether this is the fact that models of every method may have: which program's document a model was made from. */
static bool is_origin(const ModelEntry *entry)
{
    return entry->section == SECTION_FACTS && entry->type == ARRAY_TEXT && entry->rows == 1 && strcmp(entry->name, "imported") == 0;
}

/* Returns the first array, or fact if any are declared, that no table declares; else NULL. */
static const ModelEntry *undeclared(const ArrayCheck *check)
{
    Section arrays = arrays_of(check->model);

    for (const ModelEntry *entry = check->facts ? facts_of(check->model).first : arrays.first; entry < arrays.end; entry++) {
        uint32_t i = 0;

        while (i < check->count && check->found[i] != entry)
            i++;
        if (i == check->count && !is_origin(entry))
            return entry;
    }
    return NULL;
}

/* Returns "fact" or "array", for messages. */
static const char *noun(const ModelEntry *entry)
{
    return entry->section == SECTION_FACTS ? "fact" : "array";
}

/* ---- lengths ---- */

static uint32_t categorical_slots(const Model *model)
{
    uint32_t count = 0;

    for (uint32_t f = 0; f < model->field_count; f++)
        if (schema_field_kind(model, f) == FIELD_CATEGORICAL)
            count += schema_field_width(model, f);
    return count;
}

static uint64_t find_size(const ArrayCheck *check, SizeSymbol symbol)
{
    const Model *model = check->model;
    const ModelEntry *entry;

    switch (symbol) {
    case SIZE_NONE:
    case SIZE_NUMBER:
        return 0;
    case SIZE_SLOTS:
        return model->slot_count;
    case SIZE_LEVELS:
        return dictionary_size(model, DICTIONARY_LEVELS);
    case SIZE_CLASSES:
        return dictionary_size(model, DICTIONARY_CLASSES);
    case SIZE_CATEGORICAL:
        return categorical_slots(model);
    case SIZE_TERMS:
        entry = found_array(check, "column_slot");
        return entry != NULL ? entry->rows : model->slot_count;
    default:
        return UNKNOWN;
    }
}

static uint64_t symbol_size(ArrayCheck *check, unsigned symbol)
{
    if (!check->known[symbol]) {
        check->sizes[symbol] = find_size(check, (SizeSymbol)symbol);
        check->known[symbol] = true;
    }
    return check->sizes[symbol];
}

/* Returns a length in this model, or UNKNOWN. size: not SIZE_FREE. */
static uint64_t size_of(ArrayCheck *check, const ArraySize *size)
{
    uint64_t a = symbol_size(check, size->symbol), b = symbol_size(check, size->other), n;

    if (a == UNKNOWN || b == UNKNOWN)
        return UNKNOWN;
    n = a + b + (uint64_t)(int64_t)size->plus;
    return size->packed ? n * (n + 1) / 2 : n;
}

/* Return rows and columns as specs count them: a vector is the one row of a flat matrix. */
static uint32_t rows_of(const ArraySpec *spec, const ModelEntry *entry)
{
    return spec->flat && entry->dimensions == 1 ? 1 : entry->rows;
}
static uint32_t columns_of(const ArraySpec *spec, const ModelEntry *entry)
{
    return spec->flat && entry->dimensions == 1 ? entry->rows : entry->columns;
}

/* Sets the symbols to the lengths of the arrays that define them. */
static void define_sizes(ArrayCheck *check)
{
    for (uint32_t i = 0; i < check->count; i++) {
        const ArraySpec *spec = check->specs[i];

        if (check->found[i] == NULL)
            continue;
        if (spec->rows.defines) {
            check->sizes[spec->rows.symbol] = rows_of(spec, check->found[i]) - (uint64_t)(int64_t)spec->rows.plus;
            check->known[spec->rows.symbol] = true;
        }
        if (spec->columns.defines) {
            check->sizes[spec->columns.symbol] =
                columns_of(spec, check->found[i]) - (uint64_t)(int64_t)spec->columns.plus;
            check->known[spec->columns.symbol] = true;
        }
    }
}

/* ---- one array ---- */

static void put_length(TextBuffer *report, ArrayCheck *check, const ArraySize *size)
{
    if (size->symbol == SIZE_FREE || size_of(check, size) == UNKNOWN || (size->defines && size_of(check, size) == 0))
        text_print(report, "any");
    else
        text_print(report, "%llu", (unsigned long long)size_of(check, size));
}

/* Returns what the array must be in this model: "f64[3 x 2]". */
static const char *wanted_shape(ArrayCheck *check, const ArraySpec *spec)
{
    TextBuffer report = {.env = check->env};

    text_print(&report, "%s[", array_type_name(spec->type));
    if (!spec->flat || size_of(check, &spec->rows) != 1) {
        put_length(&report, check, &spec->rows);
        if (spec->columns.symbol != SIZE_NONE)
            text_print(&report, " x ");
    }
    if (spec->columns.symbol != SIZE_NONE)
        put_length(&report, check, &spec->columns);
    text_print(&report, "]");
    return report.text;
}

static const char *wrong_shape(ArrayCheck *check, const ArraySpec *spec, const ModelEntry *entry)
{
    const char *estimator = check->model->estimator, *wanted = wanted_shape(check, spec);

    if (entry->dimensions == 1)
        return env_message(check->env, "%s \"%s\" of %.31s is %s[%u], not %s", noun(entry), spec->name, estimator,
                           array_type_name(entry->type), entry->rows, wanted);
    return env_message(check->env, "%s \"%s\" of %.31s is %s[%u x %u], not %s", noun(entry), spec->name, estimator,
                       array_type_name(entry->type), entry->rows, entry->columns, wanted);
}

static bool fits(ArrayCheck *check, const ArraySize *size, uint32_t length)
{
    if (size->defines && symbol_size(check, size->symbol) == 0 && !size->zero)
        return false;
    return size->symbol == SIZE_FREE || size_of(check, size) == length;
}

/* Tells whether a numeric type may stand for a wider one, F64 or I32. */
static bool is_narrower(unsigned type, unsigned wide)
{
    return type == ARRAY_U8 || (wide == ARRAY_F64 && (type == ARRAY_F32 || type == ARRAY_I32));
}

static bool shape_fits(ArrayCheck *check, const ArraySpec *spec, const ModelEntry *entry)
{
    bool matrix = spec->columns.symbol != SIZE_NONE;

    if (entry->type != spec->type && !(spec->narrow && is_narrower(entry->type, spec->type)))
        return false;
    if (spec->flat ? entry->dimensions == 2 && entry->rows < 2 : entry->dimensions != (matrix ? 2 : 1))
        return false;
    if (spec->sized && entry->rows == 0)
        return false;
    return fits(check, &spec->rows, rows_of(spec, entry)) &&
           (!matrix || fits(check, &spec->columns, columns_of(spec, entry)));
}

static bool value_allowed(const ArraySpec *spec, double below, double x)
{
    switch ((ArrayValues)spec->values) {
    case VALUES_NONNEGATIVE:
    case VALUES_SHARES:
        return x >= 0 && isfinite(x);
    case VALUES_POSITIVE:
        return x > 0 && isfinite(x);
    case VALUES_PROBABILITY:
        return x >= 0 && x <= 1;
    case VALUES_SIGN:
        return x == 1 || x == -1;
    case VALUES_INDEX:
        return x >= spec->least && x < below && x == floor(x);
    default: /* VALUES_FINITE */
        return isfinite(x);
    }
}

static const char *check_values(ArrayCheck *check, const ArraySpec *spec, const ModelEntry *entry)
{
    const Model *model = check->model;
    size_t count = (size_t)entry->rows * entry->columns, bad = 0;
    double below = 0;
    bool some = false;

    if (spec->values == VALUES_ANY || entry->type == ARRAY_TEXT)
        return NULL;
    if (spec->values == VALUES_FINITE && entry->type != ARRAY_F32 &&
        (entry->type != ARRAY_F64 || all_finite_polled(check->env, model_data(model, entry), count)))
        return NULL;
    if (spec->values == VALUES_INDEX)
        below = (double)symbol_size(check, spec->below);
    for (; bad < count; bad++) {
        double x = model_number(model, entry, bad);

        if (!value_allowed(spec, below, x))
            break;
        some = some || x > 0;
        if (bad % POLL_NUMBERS == POLL_NUMBERS - 1)
            check->env->poll(check->env);
    }
    if (bad < count)
        return env_message(check->env, "element %zu of \"%s\" of %.31s is %g, not %s", bad + 1, spec->name,
                           model->estimator, model_number(model, entry, bad), values_text(check->env, spec));
    if (spec->values == VALUES_SHARES && !some)
        return env_message(check->env, "array \"%s\" of %.31s is all 0", spec->name, model->estimator);
    return NULL;
}

/* Checks that an array that was not found is not needed, and not in another section. */
static const char *check_missing(ArrayCheck *check, const ArraySpec *spec, bool wanted)
{
    if (model_find(check->model, spec->name) != NULL)
        return env_message(check->env, "\"%s\" of %.31s is in the wrong section", spec->name,
                           check->model->estimator);
    if (!wanted)
        return NULL;
    return env_message(check->env, "%.31s needs the array \"%s\" of %s", check->model->estimator, spec->name,
                       wanted_shape(check, spec));
}

static const char *check_array(ArrayCheck *check, const ArraySpec *spec, const ModelEntry *entry)
{
    const Model *model = check->model;
    bool free = spec->rows.symbol == SIZE_FREE || spec->columns.symbol == SIZE_FREE;
    bool beside = spec->other == NULL || found_array(check, spec->other) != NULL;
    uint64_t rows = size_of(check, &spec->rows), columns = size_of(check, &spec->columns);
    bool unknown = (spec->rows.symbol != SIZE_FREE && rows == UNKNOWN) ||
                   (spec->columns.symbol != SIZE_FREE && columns == UNKNOWN);
    bool empty = spec->sized && !free &&
                 (rows == 0 || (spec->columns.symbol != SIZE_NONE && columns == 0));

    if (entry == NULL) {
        unknown = unknown && !spec->rows.defines && !spec->columns.defines;
        return check_missing(check, spec, beside && spec->presence != ARRAY_OPTIONAL && !unknown && !empty);
    }
    if (!beside)
        return env_message(check->env, "array \"%s\" of %.31s needs array \"%s\"", spec->name, model->estimator,
                           spec->other);
    if (unknown)
        return env_message(check->env, "array \"%s\" of %.31s needs the array that gives its shape, %s[%s]", spec->name,
                           model->estimator, array_type_name(spec->type), array_spec_shape(check->env, spec));
    if (empty)
        return env_message(check->env, "array \"%s\" of %.31s must be left out: its shape is %s", spec->name,
                           model->estimator, wanted_shape(check, spec));
    if (!shape_fits(check, spec, entry))
        return wrong_shape(check, spec, entry);
    return check_values(check, spec, entry);
}

const char *arrays_check(Env *env, const Model *model, const ArrayTable *tables)
{
    ArrayCheck check = {.env = env, .model = model};
    const ModelEntry *entry;
    const char *wrong = NULL;
    uint32_t most = TERMS_MAX;

    match(&check, tables);
    if ((entry = undeclared(&check)) != NULL)
        return env_message(env, "%s \"%s\" does not belong to a model of %.31s", noun(entry), entry->name,
                           model->estimator);
    define_sizes(&check);
    /* missing arrays first: the shapes of others depend on them */
    for (uint32_t i = 0; i < 2 * check.count && wrong == NULL; i++) {
        uint32_t at = i % check.count;

        if ((check.found[at] != NULL) == (i >= check.count))
            wrong = check_array(&check, check.specs[at], check.found[at]);
    }
    for (uint32_t i = 0; i < check.count; i++)
        if (check.found[i] != NULL && check.specs[i]->many_terms)
            most = SCHEMA_MAX_SLOTS;
    if (wrong == NULL && check.known[SIZE_TERMS] && check.sizes[SIZE_TERMS] > most)
        wrong = env_message(env, "a model of %.31s of %llu terms: at most %u fit a score", model->estimator,
                            (unsigned long long)check.sizes[SIZE_TERMS], most);
    return wrong;
}

const char *check_numeric(Env *env, const Model *model)
{
    return schema_all_numeric(model)
               ? NULL
               : env_message(env, "a model of %.31s has no categorical features", model->estimator);
}

/* ---- views ---- */

/* Fills the places of one table. Arrays and specs are both in the order of their names. */
static inline void fill(const Model *model, Section arrays, const ArrayTable *table, char *view)
{
    const ArraySpec *specs = table->specs, *end = specs + table->count;

    for (; specs < end && arrays.first < arrays.end; specs++) {
        const ModelEntry *entry;

        if ((specs->data_at | specs->rows_at | specs->columns_at) == 0 ||
            (entry = next_entry(&arrays, specs->name)) == NULL)
            continue;
        if (specs->data_at != 0) {
            const void *data = (const char *)model + entry->offset;
            memcpy(view + specs->data_at - 1, &data, sizeof(data));
        }
        if (specs->rows_at != 0) {
            uint32_t rows = rows_of(specs, entry);
            memcpy(view + specs->rows_at - 1, &rows, sizeof(rows));
        }
        if (specs->columns_at != 0) {
            uint32_t columns = columns_of(specs, entry);
            memcpy(view + specs->columns_at - 1, &columns, sizeof(columns));
        }
    }
}

void view_arrays(const Model *model, const ArrayTable *tables, void *view)
{
    Section arrays = arrays_of(model);

    for (; tables->specs != NULL; tables++)
        if (!tables->facts)
            fill(model, arrays, tables, (char *)view + tables->view);
}
