/*
 * test_formula.c - formulas: designs against those of R (test/golden/formulas.json), texts, errors, stored parameters, sizes.
 */
#include "check.h"

#include "core/base/json.h"
#include "core/formula/formula_terms.h"
#include "fit.h"

#include <stdlib.h>

#define MOST_ROWS 100
#define MOST_COLUMNS 16
#define MOST_SLOTS 400

/* A table of texts, with a kind for each column. */
typedef struct Table {
    uint32_t rows, columns;
    char *cells[MOST_ROWS + 1][MOST_COLUMNS]; /* the first row: names */
    FieldKind kinds[MOST_COLUMNS];
} Table;

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text;
    size_t length;

    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    length = (size_t)ftell(file);
    rewind(file);
    text = malloc(length + 1);
    length = fread(text, 1, length, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static void read_table(Table *table, char *text)
{
    char *line, *cell, *lines, *cells;
    uint32_t row = 0;

    for (line = strtok_r(text, "\n", &lines); line != NULL && row <= MOST_ROWS; line = strtok_r(NULL, "\n", &lines), row++) {
        uint32_t column = 0;

        for (cell = strtok_r(line, ",", &cells); cell != NULL && column < MOST_COLUMNS; cell = strtok_r(NULL, ",", &cells))
            table->cells[row][column++] = cell;
        table->columns = column;
    }
    table->rows = row - 1;
    for (uint32_t c = 0; c < table->columns; c++) {
        char *end;

        strtod(table->cells[1][c], &end);
        table->kinds[c] = *end == '\0' ? FIELD_NUMERIC : FIELD_CATEGORICAL;
    }
}

static Formula *resolve(Env *env, const Table *table, const char *text)
{
    FormulaVariable columns[MOST_COLUMNS];
    const char *dot[MOST_COLUMNS];
    uint32_t dots = 0;

    for (uint32_t c = 0; c < table->columns; c++) {
        columns[c] = (FormulaVariable){table->cells[0][c], (uint32_t)strlen(table->cells[0][c]), table->kinds[c], 1};
        if (strcmp(table->cells[0][c], "id") != 0 && strcmp(table->cells[0][c], "y") != 0)
            dot[dots++] = table->cells[0][c];
    }
    return formula_resolve(env, formula_parse(env, text, strlen(text)), columns, table->columns, dot, dots);
}

static uint32_t column_named(const Table *table, const Formula *formula, uint32_t variable)
{
    uint32_t length;
    const char *name = formula_variable(formula, variable, &length);

    for (uint32_t c = 0; c < table->columns; c++)
        if (strlen(table->cells[0][c]) == length && memcmp(table->cells[0][c], name, length) == 0)
            return c;
    CHECK(false);
    return 0;
}

/* The inputs of a table: a schema, which has all levels, and rows. */
typedef struct Inputs {
    Model *schema; /* final */
    Rows *rows;
    double *values; /* [rows x inputs], final */
    uint32_t width;
} Inputs;

static Model *add_level(Env *env, Model *schema, uint32_t field, const char *text, double *slot)
{
    int found = dictionary_find(schema, DICTIONARY_LEVELS, field, text, (uint32_t)strlen(text), false);
    uint32_t position = (uint32_t)found;
    char *end;
    double key = strtod(text, &end);

    if (found < 0)
        schema = dictionary_add(env, schema, DICTIONARY_LEVELS, field, text, (uint32_t)strlen(text), false,
                                *end == '\0' ? key + 1000 : 0, &position);
    *slot = position;
    return schema;
}

static Inputs read_inputs(Env *env, const Table *table, const Formula *formula)
{
    uint32_t count = formula_input_count(formula), variables = formula_variable_count(formula);
    const char *names[MOST_COLUMNS * 4];
    FieldKind kinds[MOST_COLUMNS * 4];
    SchemaSpec spec = {.field_count = count, .names = names, .kinds = kinds, .named = true};
    Inputs inputs = {.width = count};
    double values[MOST_COLUMNS], *slots = env_array(env, (size_t)table->rows * count, sizeof(double));
    FormulaDomain wrong;
    Model *schema;

    for (uint32_t i = 0; i < count; i++) {
        names[i] = formula_input(formula, i)->name;
        kinds[i] = formula_input(formula, i)->field_kind;
    }
    schema = schema_model(env, &spec);
    for (uint32_t r = 0; r < table->rows; r++) {
        for (uint32_t v = 0; v < variables; v++)
            values[v] = strtod(table->cells[r + 1][column_named(table, formula, v)], NULL);
        for (uint32_t i = 0; i < count; i++) {
            const FormulaInput *input = formula_input(formula, i);
            double *slot = &slots[r * count + i];

            if (input->field_kind == FIELD_CATEGORICAL)
                schema = add_level(env, schema, i, table->cells[r + 1][column_named(table, formula, input->variable)], slot);
            else if (input->kind == FORMULA_COLUMN)
                *slot = values[input->variable];
            else
                *slot = formula_number(formula, i, values, &wrong);
        }
    }
    inputs.rows = rows_new(rows_pool(env), schema, 0);
    for (uint32_t r = 0; r < table->rows; r++)
        rows_append(inputs.rows, slots + (size_t)r * count, 0, 1, NULL, 0);
    inputs.schema = schema_final(env, schema);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t r = 0; r < table->rows && kinds[i] == FIELD_CATEGORICAL; r++) {
            uint32_t length;
            const char *text = dictionary_text(schema, DICTIONARY_LEVELS, (uint32_t)slots[r * count + i], &length);

            slots[r * count + i] = dictionary_find(inputs.schema, DICTIONARY_LEVELS, i, text, length, false);
        }
    inputs.values = slots;
    return inputs;
}

/* Returns the level of a field that has no column: the reference of the formula's input, else the first. */
static uint32_t reference_of(const Model *schema, const Formula *formula, uint32_t field, uint32_t first)
{
    const char *reference = formula_learns(formula) ? NULL : formula_input(formula, field)->reference;

    return reference == NULL ? 0
                             : (uint32_t)dictionary_find(schema, DICTIONARY_LEVELS, field, reference, (uint32_t)strlen(reference), false) - first;
}

/* Writes a row of D as a design has it: categories as 0 and 1 without their reference level, or the first category with all. */
static uint32_t design_row(const Model *schema, const Formula *formula, const double *slots, bool intercept, double *out)
{
    uint32_t count = 0, slot = 0, level = 0;
    bool all = !intercept;

    for (uint32_t f = 0; f < schema->field_count; f++) {
        uint32_t levels = schema_field_levels(schema, f);

        if (schema_field_kind(schema, f) != FIELD_CATEGORICAL) {
            for (uint32_t i = 0; i < schema_field_width(schema, f); i++)
                out[count++] = slots[slot++];
            continue;
        }
        for (uint32_t l = 0; l < levels; l++)
            if (all || l != reference_of(schema, formula, f, level))
                out[count++] = slots[slot] == level + l;
        level += levels;
        all = false;
        slot++;
    }
    return count;
}

/* The same terms from text, schema and parameters as they are stored. */
static FormulaTerms *stored_again(Env *env, const Formula *formula, const FormulaTerms *terms, const Model *inputs)
{
    const char *text = formula_text(formula), *wrong;
    Formula *again = formula_of_schema(env, text, strlen(text), inputs, &wrong);
    uint32_t count;
    const double *parameters = formula_parameters(terms, &count);
    FormulaTerms *result;

    CHECK(again != NULL && wrong == NULL);
    if (again == NULL)
        return NULL;
    CHECK_TEXT(formula_text(again), text);
    result = formula_terms_from(env, again, inputs, parameters, count, &wrong);
    CHECK(result != NULL && wrong == NULL);
    return result;
}

/* Compares a formula with its design by R, [rows][columns]. */
static void check_design(Env *env, const Table *table, const char *text, const Json *expected)
{
    Formula *formula = resolve(env, table, text);
    Inputs inputs = read_inputs(env, table, formula);
    bool intercept = formula_intercept(formula);
    FormulaTerms *terms = NULL, *again = NULL;
    Model *schema = inputs.schema;
    const Json *row = json_first(expected);

    if (formula_learns(formula)) {
        terms = formula_learn(env, formula, inputs.schema, inputs.rows, intercept);
        again = stored_again(env, formula, terms, inputs.schema);
        schema = formula_terms_schema(env, terms, inputs.schema);
        CHECK_INT(schema->slot_count, formula_terms_slots(terms));
    } else {
        const char *wrong;

        CHECK(formula_of_schema(env, formula_text(formula), strlen(formula_text(formula)), schema, &wrong) != NULL);
    }
    for (uint32_t r = 0; r < table->rows && row != NULL; r++, row = json_next(expected, row)) {
        double slots[MOST_SLOTS], copy[MOST_SLOTS], found[MOST_SLOTS];
        const double *of_inputs = inputs.values + (size_t)r * inputs.width;
        uint32_t count, column = 0;

        if (terms != NULL) {
            formula_expand(terms, of_inputs, slots);
            formula_expand(again, of_inputs, copy);
            CHECK(memcmp(slots, copy, schema->slot_count * sizeof(double)) == 0);
        }
        count = design_row(schema, formula, terms != NULL ? slots : of_inputs, intercept, found);
        for (const Json *cell = json_first(row); cell != NULL; cell = json_next(row, cell), column++) {
            double want = json_number(env, cell), scale = fabs(want) > 1 ? fabs(want) : 1;

            if (column < count && !check_that(fabs(found[column] - want) <= 1e-10 * scale, __FILE__, __LINE__,
                                              "%s: row %u, column %u is %.17g, not %.17g", text, r + 1, column + 1, found[column], want))
                return;
        }
        if (!check_that(column == count, __FILE__, __LINE__, "%s has %u columns, not %u", text, count, column))
            return;
    }
}

static void test_designs(Host *host)
{
    char *data = read_file("test/golden/data/formulas.csv"), *text = read_file("test/golden/formulas.json");
    Table *table = calloc(1, sizeof(*table));
    uint32_t cases = 0;
    Env *env = &host->env;
    const Json *file, *list;

    if (data == NULL || text == NULL) {
        CHECK(data != NULL && text != NULL);
        return;
    }
    read_table(table, data);
    file = json_parse(env, text, strlen(text), ERROR_TEXT, "the cases");
    list = json_get(file, "cases");
    for (const Json *item = json_first(list); item != NULL; item = json_next(list, item), cases++) {
        const char *formula = json_string(env, json_get(json_get(item, "params"), "formula"));

        CHECK_WORKS(host, check_design(env, table, formula, json_get(json_get(item, "expected"), "design")));
    }
    CHECK(cases >= 60);
    host_reset(host);
    free(table);
    free(data);
    free(text);
}

int main(void)
{
    Host *host = host_new();

    test_designs(host);
    host_free(host);
    return check_report();
}
