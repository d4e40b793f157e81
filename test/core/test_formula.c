/*
 * test_formula.c - formulas: designs against those of R (test/golden/formula_designs.json), texts, errors, stored parameters, sizes.
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

/* Sets the position of a level, added if it is new; the reference comes first. */
static Model *add_level(Env *env, Model *schema, uint32_t field, const char *text, const char *reference, double *slot)
{
    int found = dictionary_find(schema, DICTIONARY_LEVELS, field, text, (uint32_t)strlen(text), false);
    uint32_t position = (uint32_t)found;
    char *end;
    double key = strtod(text, &end);

    key = reference != NULL && strcmp(text, reference) == 0 ? LEVEL_KEY_REFERENCE : *end == '\0' ? key + 1000 : 0;
    if (found < 0)
        schema = dictionary_add(env, schema, DICTIONARY_LEVELS, field, text, (uint32_t)strlen(text), false, key, &position);
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
    double *values = env_array(env, (size_t)variables + 1, sizeof(double)), *slots = env_array(env, (size_t)table->rows * count + 1, sizeof(double));
    FormulaDomain wrong;
    Model *schema;

    for (uint32_t i = 0; i < count; i++) {
        names[i] = formula_input(formula, i)->name;
        kinds[i] = formula_input(formula, i)->field_kind;
    }
    schema = schema_model(env, &spec);
    for (uint32_t r = 0; r < table->rows; r++) {
        for (uint32_t v = 0; v < variables; v++) {
            const char *cell = table->cells[r + 1][column_named(table, formula, v)], *level;
            bool differs;

            level = formula_variable_level(formula, v, &differs);
            values[v] = level != NULL ? (strcmp(cell, level) == 0) != differs : strtod(cell, NULL);
        }
        for (uint32_t i = 0; i < count; i++) {
            const FormulaInput *input = formula_input(formula, i);
            double *slot = &slots[r * count + i];

            if (input->field_kind == FIELD_CATEGORICAL)
                schema = add_level(env, schema, i, table->cells[r + 1][column_named(table, formula, input->variable)],
                                   input->reference, slot);
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

/* Writes a row of D as a design has it: categories as 0 and 1 without their first level, or the first category with all. */
static uint32_t design_row(const Model *schema, const double *slots, bool intercept, double *out)
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
        for (uint32_t l = all ? 0 : 1; l < levels; l++)
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

/* Reads a design by R, [columns][rows], as [rows][MOST_SLOTS]. Returns the number of columns. */
static uint32_t read_design(Env *env, const Json *expected, double design[MOST_ROWS][MOST_SLOTS])
{
    uint32_t column = 0;

    for (const Json *list = json_first(expected); list != NULL; list = json_next(expected, list), column++) {
        uint32_t row = 0;

        for (const Json *cell = json_first(list); cell != NULL && row < MOST_ROWS; cell = json_next(list, cell))
            design[row++][column] = json_number(env, cell);
    }
    return column;
}

/* Compares a formula with its design by R, which begins with the intercept. */
static void check_design(Env *env, const Table *table, const char *text, const Json *expected, double tolerance)
{
    static double design[MOST_ROWS][MOST_SLOTS];
    uint32_t columns = read_design(env, expected, design), count = 0;
    Formula *formula = resolve(env, table, text);
    Inputs inputs = read_inputs(env, table, formula);
    bool intercept = formula_intercept(formula);
    FormulaTerms *terms = NULL, *again = NULL;
    Model *schema = inputs.schema;

    if (formula_learns(formula)) {
        terms = formula_learn(env, formula, inputs.schema, inputs.rows, intercept);
        again = stored_again(env, formula, terms, inputs.schema);
        schema = formula_terms_schema(env, terms, inputs.schema);
        CHECK_INT(schema->slot_count, formula_terms_slots(terms));
    } else {
        const char *wrong;

        CHECK(formula_of_schema(env, formula_text(formula), strlen(formula_text(formula)), schema, &wrong) != NULL);
    }
    for (uint32_t r = 0; r < table->rows; r++) {
        double slots[MOST_SLOTS], copy[MOST_SLOTS], found[MOST_SLOTS] = {1};
        const double *of_inputs = inputs.values + (size_t)r * inputs.width;

        if (terms != NULL) {
            formula_expand(terms, of_inputs, slots);
            formula_expand(again, of_inputs, copy);
            CHECK(memcmp(slots, copy, schema->slot_count * sizeof(double)) == 0);
        }
        count = intercept + design_row(schema, terms != NULL ? slots : of_inputs, intercept, found + intercept);
        for (uint32_t c = 0; c < columns && c < count; c++) {
            double want = design[r][c], scale = fabs(want) > 1 ? fabs(want) : 1;

            if (!check_that(fabs(found[c] - want) <= tolerance * scale, __FILE__, __LINE__, "%s: row %u, column %u is %.17g, not %.17g", text,
                            r + 1, c + 1, found[c], want))
                return;
        }
    }
    check_that(columns == count, __FILE__, __LINE__, "%s has %u columns, not %u", text, count, columns);
}

static void test_designs(Host *host)
{
    char *data = read_file("test/golden/data/formula_designs.csv"), *text = read_file("test/golden/formula_designs.json");
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

        CHECK_WORKS(host, check_design(env, table, formula, json_get(json_get(item, "expected"), "columns"),
                                       json_number(env, json_get(json_get(item, "tolerance"), "rtol"))));
    }
    CHECK(cases >= 120);
    host_reset(host);
    free(table);
    free(data);
    free(text);
}

/* ---- texts ---- */

static const FormulaVariable columns[] = {{"y", 1, FIELD_NUMERIC, 1},           {"carat", 5, FIELD_NUMERIC, 1},
                                          {"depth", 5, FIELD_NUMERIC, 1},       {"cut", 3, FIELD_CATEGORICAL, 1},
                                          {"color", 5, FIELD_CATEGORICAL, 1},   {"b", 1, FIELD_BOOLEAN, 1},
                                          {"Sepal.Length", 12, FIELD_NUMERIC, 1}, {"emb", 3, FIELD_NUMERIC, 3},
                                          {"note", 4, FIELD_TEXT, 1}};
static const char *const others[] = {"carat", "depth", "cut", "b"};

static Formula *resolved(Env *env, const char *text)
{
    return formula_resolve(env, formula_parse(env, text, strlen(text)), columns, sizeof(columns) / sizeof(*columns), others, 4);
}

/* Every text is written in one way, which parses back to itself. */
static void test_texts(Host *host)
{
    static const char *const texts[][2] = {
        {"carat+Depth", "carat + depth"},
        {"~ carat", "carat"},
        {" `Sepal.Length`*LOG( carat+1 ) ", "Sepal.Length * log(carat + 1)"},
        {".", "carat + depth + cut + b"},
        {"(.)^2 - cut", "(carat + depth + cut + b)^2 - cut"},
        {". * color", "(carat + depth + cut + b) * color"},
        {"-1 + carat", "-1 + carat"},
        {"carat - 1", "carat - 1"},
        {"carat + 0", "carat + 0"},
        {"((carat))", "carat"},
        {"(carat + depth):cut", "(carat + depth):cut"},
        {"carat + (depth - cut)", "carat + (depth - cut)"},
        {"carat + depth - (cut - b)", "carat + depth - (cut - b)"},
        {"carat**2", "carat^2"},
        {"I(-carat ** 2 / 3 - (depth - 1))", "I(-carat^2 / 3 - (depth - 1))"},
        {"I((carat + 1) * (depth / 2) ^ -2)", "I((carat + 1) * (depth / 2)^-2)"},
        {"I(2^3^carat)", "I(2^3^carat)"},
        {"I((2^3)^carat)", "I((2^3)^carat)"},
        {"I(carat<=.5)", "I(carat <= 0.5)"},
        {"I((carat > 1) * depth)", "I((carat > 1) * depth)"},
        {"ln(carat) + ceiling(depth)", "log(carat) + ceil(depth)"},
        {"I(log(carat))", "log(carat)"},
        {"poly(carat, degree = 2, raw = true)", "poly(carat, 2, raw = TRUE)"},
        {"poly(carat + 1, 2)", "poly(carat + 1, 2)"},
        {"bs(carat, df=6, degree=2) + bs(depth, 4) + ns(depth, df = 3)", "bs(carat, 6, 2) + bs(depth, 4) + ns(depth, 3)"},
        {"cut(carat, breaks = 4)", "cut(carat, 4)"},
        {"c(CUT, ref = \"it's\") + factor(carat)", "C(cut, ref = 'it''s') + factor(carat)"},
        {"C(cut) + C(carat, ref = 4)", "factor(cut) + C(carat, ref = '4')"},
        {"carat + offset(log(depth))", "carat + offset(log(depth))"},
        {"cut/carat + cut %in% depth", "cut / carat + cut %in% depth"},
        {"carat + - depth", "carat - depth"},
        {"I(Cut=='a''b')", "I(cut == 'a''b')"},
        {"I(\"cut\" <> 'x' & !(carat>1 | b == 1))", "I(cut != 'x' & !(carat > 1 | b == 1))"},
        {"I((cut == 'x') + 2 * (note != 'y'))", "I((cut == 'x') + 2 * (note != 'y'))"},
        {"I(!(!(carat)) | (carat & depth) | carat)", "I(!!carat | carat & depth | carat)"},
        {"I((carat | depth) & !(carat == depth))", "I((carat | depth) & !carat == depth)"},
        {"I(-(carat & depth))", "I(-(carat & depth))"},
        {"sin(2*pi*carat)", "sin(2 * pi * carat)"},
        {"log(carat + 1, base=2) + log(depth,10)", "log(carat + 1, 2) + log(depth, 10)"},
        {"I(log(carat, 3) ^ 2)", "I(log(carat, 3)^2)"},
        {"bs(carat, knots=3) + bs(depth, knots = c(1, 2.5), degree=2)", "bs(carat, knots = c(3)) + bs(depth, knots = c(1, 2.5), 2)"},
        {"ns(carat, knots = c(-1,+2))", "ns(carat, knots = c(-1, 2))"},
        {"cut(carat, breaks = c(-Inf, 0, 1e3, inf))", "cut(carat, c(-Inf, 0, 1000, Inf))"},
        {"1", "1"},
        {"carat - carat", "carat - carat"},
        {"offset(carat)", "offset(carat)"},
        {"carat + offset(depth) - 1", "carat + offset(depth) - 1"},
    };
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        CHECK_WORKS(host, {
            CHECK_TEXT(formula_text(resolved(env, texts[i][0])), texts[i][1]);
            CHECK_TEXT(formula_text(resolved(env, texts[i][1])), texts[i][1]);
        });
        host_reset(host);
    }
}

static void test_inputs(Host *host)
{
    Env *env = &host->env;
    Formula *formula = resolved(env, "carat + Carat + carat:depth + factor(b) + C(cut, ref = 'Fair') - 1");

    CHECK(!formula_learns(formula));
    CHECK(formula_says_intercept(formula));
    CHECK_INT(formula_intercept(formula), 0);
    CHECK_INT(formula_input_count(formula), 4);
    CHECK_TEXT(formula_input(formula, 0)->name, "carat");
    CHECK_TEXT(formula_input(formula, 1)->name, "factor(b)");
    CHECK_TEXT(formula_input(formula, 2)->reference, "Fair");
    CHECK_TEXT(formula_input(formula, 3)->name, "carat:depth");
    CHECK_INT(formula_input(formula, 3)->kind, FORMULA_NUMBER);
    formula = resolved(env, "poly(log(carat), 2) * cut + depth + offset(depth)");
    CHECK(formula_learns(formula) && !formula_says_intercept(formula) && formula_intercept(formula) == 1);
    CHECK_INT(formula_input_count(formula), 4);
    CHECK_TEXT(formula_input(formula, 0)->name, "log(carat)");
    CHECK_TEXT(formula_input(formula, 1)->name, "cut");
    CHECK_TEXT(formula_input(formula, 3)->name, "offset(depth)");
    CHECK(formula_variable_is_number(formula, 0) && !formula_variable_is_number(formula, 1) && formula_variable_is_number(formula, 2));
    formula = resolved(env, "poly(carat, 2) + I(depth + 1)"); /* poly reads the column itself */
    CHECK(!formula_variable_is_number(formula, 0) && formula_variable_is_number(formula, 1));
    CHECK(!formula_learns(resolved(env, "b * carat")) && formula_learns(resolved(env, "b:carat")) && formula_learns(resolved(env, "emb:carat")));
    CHECK(formula_has_dot(formula_parse(env, ".", 1)) && !formula_has_dot(formula));
    host_reset(host);
}

/* ---- the name of the target ---- */

static void test_targets(Host *host)
{
    static const char *const texts[][3] = {
        {"y ~ carat", "y", "carat"},
        {" \"y\"~-1 + carat", "y", "-1 + carat"},
        {"`a ~ b` ~ .", "\"a ~ b\"", "carat + depth + cut + b"},
        {"ln( price )/1000 ~ carat", "log(price) / 1000", "carat"},
        {"cut == 'I~d' ~ carat", "cut == 'I~d'", "carat"},
        {"I(y > 3) & y < 5 ~ carat", "y > 3 & y < 5", "carat"},
    };
    Env *env = &host->env;
    size_t length, left_length;
    const char *left;

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const Formula *parsed = formula_parse(env, texts[i][0], strlen(texts[i][0])), *target = formula_target(parsed);
        const char *again = env_message(env, "%s ~ 1", texts[i][1]);

        CHECK(target != NULL);
        CHECK_TEXT(formula_text(target), texts[i][1]);
        CHECK_TEXT(formula_text(formula_target(formula_parse(env, again, strlen(again)))), texts[i][1]);
        CHECK_TEXT(formula_text(resolved(env, texts[i][0])), texts[i][2]);
        CHECK_INT(formula_is_name(target), i < 3);
        CHECK_INT(formula_variable_count(target), 1);
    }
    CHECK(formula_target(formula_parse(env, "~ carat", 7)) == NULL && formula_target(formula_parse(env, "carat", 5)) == NULL);
    CHECK(formula_variable_is_quoted(formula_target(formula_parse(env, "\"y\" ~ 1", 7)), 0) && !formula_variable_is_quoted(formula_parse(env, "y", 1), 0));
    CHECK_TEXT(formula_name(env, "pi"), "\"pi\"");
    CHECK_TEXT(formula_name(env, "a\"b"), "\"a\"\"b\"");
    length = strlen("  ~ '~' ");
    CHECK(strncmp(formula_sides("  ~ '~' ", &length, &left, &left_length), "'~'", 3) == 0 && length == 3 && left != NULL && left_length == 0);
    length = 2;
    CHECK(strncmp(formula_sides(" a", &length, &left, &left_length), "a", 1) == 0 && length == 1 && left == NULL);
    host_reset(host);
}

/* ---- errors ---- */

static void test_syntax_errors(Host *host)
{
    static const char *const wrong[][2] = {
        {"", "the formula is empty"},
        {"carat + ", "ends at position 9"},
        {"log(carat + ", "ends at position 13, where a column, a number or a function was expected"},
        {"log(carat", "ends at position 10, where an operator or \")\" was expected"},
        {"carat $ depth", "\"$\" at position 7, where an operator was expected"},
        {"carat depth", "has depth at position 7, where an operator was expected"},
        {"\xC3\xA9\xC3\xA9 + $", "\"$\" at position 6"},
        {"y ~ carat ~ depth", "another ~ at position 11"},
        {"carat + b ~ y ~", "another ~ at position 15"},
        {"y +~ carat", "ends at position 4, where a column"},
        {"y z ~ carat", "\"z\" at position 3, where a ~ was expected"},
        {"y::int ~ carat", "\":\" at position 2, where a ~ was expected"},
        {"poly(y, 2) ~ carat", "poly() stands inside of an expression"},
        {"\xC3\xA9 ~ + $", "\"$\" at position 7"},
        {"2 + pi(1) ~ carat", "no function \"pi\""},
        {"1 ~ carat", "names no column left of the ~"},
        {". ~ carat", "has . at position 1"},
        {"y ~", "the formula is empty"},
        {"lgo(carat)", "no function \"lgo\" (position 1)"},
        {"\"carat", "a quote at position 1 that is not closed"},
        {"\"\"", "an empty name at position 1"},
        {"2 * carat", "has 2 at position 1"},
        {"carat * 1", "the intercept of a formula"},
        {"carat:0", "the intercept of a formula"},
        {"carat^carat", "has carat at position 7, where a power was expected"},
        {"carat^1.5", "has 1.5 at position 7, where a power from 1 to 100"},
        {"poly(carat)", "\")\" at position 11, where \",\" and a degree"},
        {"poly(carat, 0)", "where a degree from 1 to 100"},
        {"poly(carat, two)", "has two at position 13, where a degree was expected"},
        {"poly(carat, 2, orthogonal = TRUE)", "where raw = TRUE was expected"},
        {"bs(carat, 2)", "bs with 2 degrees of freedom at position 11, but degree 3"},
        {"bs(carat, 5, knots = 3)", "where degree = ... was expected"},
        {"bs(carat, knots = c(3, 3))", "the knots of the formula at position 19 do not rise: 3 follows 3"},
        {"ns(carat, knots = c(3, 4)", "ends at position 26, where \")\" was expected"},
        {"ns(carat, knots = c(Inf))", "has Inf at position 21, where a number was expected"},
        {"ns(carat, knots = c())", "where a number was expected"},
        {"cut(carat, c(1))", "has 1 of 2 to 1001 breaks at position 12"},
        {"cut(carat, labels = c(1, 2))", "where breaks = ... was expected"},
        {"log(carat, 1)", "has the base 1 of a logarithm at position 12"},
        {"log(carat, 0)", "has the base 0 of a logarithm"},
        {"log(carat, depth)", "has depth at position 12, where a number as the base of the logarithm was expected"},
        {"sqrt(carat, 2)", "has \",\" at position 11, where an operator"},
        {"C(cut, contr.sdif)", "has the contrast contr.sdif at position 8, which is not known"},
        {"C(cut, 'contr.none')", "has the contrast 'contr.none' at position 8"},
        {"C(cut, Treatment('a'))", "has the contrast Treatment at position 8"},
        {"C(cut, contr = sdif)", "has the contrast sdif at position 16"},
        {"I('a' == cut)", "has 'a' at position 3, where a column, a number or a function was expected"},
        {"I(cut < 'a')", "has a text at position 9, where a number was expected"},
        {"I(carat & )", "where a column, a number or a function was expected"},
        {"I(carat && depth)", "where a column, a number or a function was expected"},
        {"cut(carat, 1)", "a number of intervals from 2 to 1000"},
        {"scale(poly(carat, 2))", "poly() stands inside of an expression (position 7)"},
        {"log(carat) + log(., 2)", "where a column, a number or a function"},
        {"carat * offset(depth)", "can only be added"},
        {"carat - offset(depth)", "can only be added"},
        {"C(log(carat))", "where the name of a column was expected"},
        {"C(cut, 'a', 'b')", "\",\" at position 11"},
        {"I(1e999)", "which is not a number"},
        {"I(1.2.3)", "which is not a number"},
        {"I(3x)", "which is not a number"},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        CHECK_REFUSED(host, wrong[i][1], formula_parse(&host->env, wrong[i][0], strlen(wrong[i][0])));
    CHECK_REFUSED(host, "zero byte", formula_parse(&host->env, "a\0b", 3));
}

static void test_resolve_errors(Host *host)
{
    static const char *const wrong[][2] = {
        {"carot", "no column \"carot\""},
        {"\"Carat\"", "no column \"Carat\""},
        {"log(cut)", "computes log(cut), but \"cut\" is categorical"},
        {"poly(cut, 2)", "but \"cut\" is categorical"},
        {"log(emb)", "but \"emb\" is an array"},
        {"sqrt(note)", "but \"note\" is a text"},
        {"note:carat", "multiplies \"note\", which is a text"},
        {"0", "neither terms nor an intercept"},
        {"carat - carat - 1", "neither terms nor an intercept"},
        {"pi", "no column \"pi\""},
        {"carat:pi", "no column \"pi\""},
        {"log(\"pi\")", "no column \"pi\""},
        {"log(cut == 'a' + cut)", "an operator or"},
        {"I(cut == \"a\")", "no column \"a\""},
    };
    FormulaVariable clash[] = {{"carat", 5, FIELD_NUMERIC, 1}, {"log(carat)", 10, FIELD_NUMERIC, 1}};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        CHECK_REFUSED(host, wrong[i][1], resolved(&host->env, wrong[i][0]));
    if (TRY(host))
        resolved(&host->env, "carot");
    CHECK_HOLDS(host->hint, "Did you mean \"carat\"?");
    TRY_END(host);
    CHECK_REFUSED(host, "is a column and an expression",
                  formula_resolve(&host->env, formula_parse(&host->env, "log(carat) + \"log(carat)\"", 25), clash, 2, NULL, 0));
    CHECK_REFUSED(host, "stands for no column", formula_resolve(&host->env, formula_parse(&host->env, ".", 1), columns, 1, NULL, 0));
}

/* Logic gives 0 and 1, and NaN wherever an operand is NaN; breaks make NULL of what is outside. */
static void test_logic(Host *host)
{
    static const struct {
        const char *text;
        double x, value;
        bool null;
    } cases[] = {{"I(carat > 1 & carat < 3)", 2, 1, false},       {"I(carat > 1 & carat < 3)", 3, 0, false},
                 {"I(carat < 1 | carat > 3)", 4, 1, false},       {"I(!(carat < 1 | carat > 3))", 2, 1, false},
                 {"I(!carat)", 0, 1, false},                      {"I(carat > 1 | 1)", NAN, NAN, false},
                 {"I(carat & 0)", NAN, NAN, false},               {"I(!carat)", NAN, NAN, false},
                 {"I(carat * pi)", 2, 6.283185307179586, false},  {"log(carat, 2)", 8, 3, false},
                 {"log(carat, 10)", 1000, 3, false},              {"log(carat, 4)", 2, 0.5, false},
                 {"cut(carat, c(0, 1, 2))", 1, 1, false},         {"cut(carat, c(0, 1, 2))", 2, 2, false},
                 {"cut(carat, c(0, 1, 2))", 0, NAN, true},        {"cut(carat, c(0, 1, 2))", 2.5, NAN, true},
                 {"cut(carat, c(0, 1, 2))", NAN, NAN, false},     {"cut(carat, c(-Inf, 1, 2))", -1e300, -1e300, false},
                 {"cut(carat, c(-Inf, 1, 2))", 3, NAN, true}};
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        FormulaDomain wrong;
        double value = formula_number(resolved(env, cases[i].text), 0, &cases[i].x, &wrong);

        check_that(isnan(cases[i].value) ? isnan(value) : fabs(value - cases[i].value) <= 1e-15, __FILE__, __LINE__, "%s of %g is %.17g", cases[i].text,
                   cases[i].x, value);
        CHECK(wrong.null == cases[i].null && wrong.text[0] == '\0');
    }
    host_reset(host);
}

static void test_domains(Host *host)
{
    static const struct {
        const char *text, *wrong;
        double x;
    } cases[] = {{"log(carat)", "log of -3", -3},         {"log(carat)", "log of 0", 0},
                 {"sqrt(carat)", "sqrt of -1", -1},       {"I(1 / carat)", "division of 1 by 0", 0},
                 {"exp(carat)", "exp of 1000", 1000},     {"I(carat * 1e300)", "1e+300 * 1e+300", 1e300},
                 {"I(carat^0.5)", "-4 ^ 0.5", -4},        {"log(carat)", "", 1},
                 {"log(carat, 2)", "log of -3", -3}};
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        Formula *formula = resolved(env, cases[i].text);
        FormulaDomain wrong;
        double value = formula_number(formula, 0, &cases[i].x, &wrong);

        CHECK(isnan(value) == (cases[i].wrong[0] != '\0'));
        CHECK_TEXT(wrong.text, cases[i].wrong);
    }
    {
        double missing = NAN;
        FormulaDomain wrong;

        CHECK(isnan(formula_number(resolved(env, "I(log(carat) > 1)"), 0, &missing, &wrong)) && wrong.text[0] == '\0');
    }
    host_reset(host);
}

/* ---- sizes ---- */

static char *repeated(const char *first, const char *piece, uint32_t times, const char *last)
{
    size_t length = strlen(piece);
    char *text = malloc(strlen(first) + times * length + strlen(last) + 1), *at = text + strlen(first);

    strcpy(text, first);
    for (uint32_t i = 0; i < times; i++, at += length)
        memcpy(at, piece, length);
    strcpy(at, last);
    return text;
}

static void test_sizes(Host *host)
{
    static FormulaVariable many[2000];
    static const char *names[2000];
    static char texts[2000][8];
    Env *env = &host->env;
    char *text;

    for (uint32_t i = 0; i < 2000; i++) {
        snprintf(texts[i], sizeof(texts[i]), "x%u", i);
        names[i] = texts[i];
        many[i] = (FormulaVariable){texts[i], (uint32_t)strlen(texts[i]), FIELD_NUMERIC, 1};
    }
    CHECK_REFUSED(host, "the formula has 2001000 terms, more than 1000000",
                  formula_resolve(env, formula_parse(env, "(.)^2", 5), many, 2000, names, 2000));
    CHECK_REFUSED(host, "terms, more than 1000000", formula_resolve(env, formula_parse(env, "(.)^30", 6), many, 40, names, 40));
    CHECK_WORKS(host, CHECK_INT(formula_input_count(formula_resolve(env, formula_parse(env, "(.)^2", 5), many, 300, names, 300)), 45150));
    host_reset(host);
    CHECK_REFUSED(host, "the formula has 100000000 columns, more than 1000000",
                  resolved(env, "poly(carat, 100):poly(depth, 100):poly(b, 100):bs(y, 100)"));
    text = repeated("carat", " + carat - depth", 60000, "");
    CHECK_WORKS(host, CHECK_INT(formula_input_count(resolved(env, text)), 1));
    host_reset(host);
    free(text);
    text = repeated("carat", " + carat", 200000, "");
    CHECK_REFUSED(host, "the formula has 1600005 bytes, more than 1048576", formula_parse(env, text, strlen(text)));
    free(text);
    text = repeated("", "(", 101, "carat");
    CHECK_REFUSED(host, "nested deeper than 100", formula_parse(env, text, strlen(text)));
    free(text);
    text = repeated("I(1", "^1", 101, ")");
    CHECK_REFUSED(host, "nested deeper than 100", formula_parse(env, text, strlen(text)));
    free(text);
    text = repeated("I(carat", " + 1", 500, ")");
    CHECK_REFUSED(host, "more than 1000 parts", formula_parse(env, text, strlen(text)));
    free(text);
}

/* ---- what is learned ---- */

/* Rows of x, z = x^2 and a category g (a, b, c in turn), with NaN as it comes. */
typedef struct Fitted {
    Formula *formula;
    Model *inputs;
    FormulaTerms *terms;
} Fitted;

static Fitted learn(Env *env, const char *text, const double *x, uint32_t n)
{
    static const FormulaVariable own[] = {{"x", 1, FIELD_NUMERIC, 1}, {"g", 1, FIELD_CATEGORICAL, 1}, {"e", 1, FIELD_NUMERIC, 2}};
    Formula *formula = formula_resolve(env, formula_parse(env, text, strlen(text)), own, 3, NULL, 0);
    uint32_t count = formula_input_count(formula), width = 0;
    const char *names[8];
    FieldKind kinds[8];
    uint32_t widths[8];
    SchemaSpec spec = {.field_count = count, .names = names, .kinds = kinds, .widths = widths, .named = true};
    Model *schema;
    Rows *rows;

    for (uint32_t i = 0; i < count; i++) {
        names[i] = formula_input(formula, i)->name;
        kinds[i] = formula_input(formula, i)->field_kind;
        widths[i] = formula_input(formula, i)->width;
        width += widths[i];
    }
    schema = schema_model(env, &spec);
    rows = rows_new(rows_pool(env), schema, 0);
    for (uint32_t r = 0; r < n; r++) {
        double slots[8];
        uint32_t at = 0;

        for (uint32_t i = 0; i < count; i++) {
            char level[2] = {(char)('a' + (r + 2) % 3), '\0'};
            FormulaDomain wrong;

            if (kinds[i] == FIELD_CATEGORICAL)
                schema = add_level(env, schema, i, level, NULL, &slots[at]);
            else
                slots[at] = formula_input(formula, i)->kind == FORMULA_COLUMN ? x[r] : formula_number(formula, i, &x[r], &wrong);
            for (uint32_t w = 1; w < widths[i]; w++)
                slots[at + w] = x[r] * (w + 1);
            at += widths[i];
        }
        rows_set_schema(rows, schema);
        rows_append(rows, slots, 0, 1, NULL, 0);
    }
    schema = schema_final(env, schema);
    return (Fitted){formula, schema, formula_learn(env, formula, schema, rows, formula_intercept(formula))};
}

static const double ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12};

static void check_values(const Fitted *fitted, const double *inputs, const double *expected, uint32_t count)
{
    double slots[64];

    CHECK_INT(formula_terms_slots(fitted->terms), count);
    formula_expand(fitted->terms, inputs, slots);
    for (uint32_t i = 0; i < count; i++)
        if (isnan(expected[i]))
            CHECK(isnan(slots[i]));
        else
            CHECK_NEAR(slots[i], expected[i], 1e-12);
}

/* Beyond the rows that were learned from, as predict() of R. */
static void test_outside(Host *host)
{
    static const double bs_low[] = {-4.51851851851852, 0.929292929292929, -0.0404040404040404, 0, 0};
    static const double bs_high[] = {0, -0.0181818181818182, 0.383181818181818, -2.109, 2.744};
    static const double ns_low[] = {0.196874807739539, -0.511874500122803, 0.314999692383263};
    static const double ns_high[] = {-0.643410852713178, 0.472868217054264, 1.17054263565891};
    static const double poly_low[] = {-0.656673420192796, 1.2013999399524}, poly_high[] = {0.813490953373165, 1.3881715111437};
    static const double missing[] = {NAN, NAN, NAN, NAN, NAN};
    double low = -1, high = 14, nothing = NAN;
    Env *env = &host->env;
    Fitted fitted = learn(env, "bs(x, 5)", ten, 10);

    check_values(&fitted, &low, bs_low, 5);
    check_values(&fitted, &high, bs_high, 5);
    check_values(&fitted, &nothing, missing, 5);
    fitted = learn(env, "ns(x, 3)", ten, 10);
    check_values(&fitted, &low, ns_low, 3);
    check_values(&fitted, &high, ns_high, 3);
    check_values(&fitted, &nothing, missing, 3);
    fitted = learn(env, "poly(x, 2)", ten, 10);
    check_values(&fitted, &low, poly_low, 2);
    check_values(&fitted, &high, poly_high, 2);
    fitted = learn(env, "cut(x, 4) - 1", ten, 10);
    check_values(&fitted, &low, (double[]){1, 0, 0, 0}, 4);
    check_values(&fitted, &high, (double[]){0, 0, 0, 1}, 4);
    check_values(&fitted, (double[]){3.75}, (double[]){1, 0, 0, 0}, 4);
    check_values(&fitted, &nothing, missing, 4);
    CHECK_TEXT(formula_terms_spec(fitted.terms)->names[0], "cut(x, 4)=(0.989,3.75]");
    CHECK_TEXT(formula_terms_spec(fitted.terms)->names[3], "cut(x, 4)=(9.25,12]");
    host_reset(host);
}

static void test_categories(Host *host)
{
    Env *env = &host->env;
    Fitted fitted = learn(env, "x + g + g:x", ten, 10);

    /* fields: x, g, g=b:x, g=c:x; the inputs are x and g */
    CHECK_INT(formula_terms_spec(fitted.terms)->field_count, 4);
    CHECK_TEXT(formula_terms_spec(fitted.terms)->names[2], "x:g=b");
    CHECK_INT(formula_terms_spec(fitted.terms)->kinds[1], FIELD_CATEGORICAL);
    CHECK_INT(formula_terms_source(fitted.terms, 1), 1);
    CHECK_INT(formula_terms_source(fitted.terms, 2), -1);
    check_values(&fitted, (double[]){5, 2}, (double[]){5, 2, 0, 5}, 4);
    check_values(&fitted, (double[]){5, SLOT_UNSEEN}, (double[]){5, SLOT_UNSEEN, 0, 0}, 4);
    check_values(&fitted, (double[]){NAN, 1}, (double[]){NAN, 1, NAN, NAN}, 4);
    fitted = learn(env, "x:g", ten, 10); /* all levels: the reference has a column */
    check_values(&fitted, (double[]){5, SLOT_UNSEEN}, (double[]){5, 0, 0}, 3);
    fitted = learn(env, "x:g + C(g, ref = 'c')", ten, 10);
    CHECK_TEXT(formula_terms_spec(fitted.terms)->names[1], "C(g, ref = 'c')=b");
    check_values(&fitted, (double[]){5, 1, 5}, (double[]){0, 0, 0, 5, 0}, 5);
    check_values(&fitted, (double[]){5, 1, SLOT_UNSEEN}, (double[]){0, 0, 0, 5, 0}, 5);
    check_values(&fitted, (double[]){5, 1, 4}, (double[]){0, 1, 0, 5, 0}, 5);
    fitted = learn(env, "g:e", ten, 10);
    CHECK_TEXT(formula_terms_spec(fitted.terms)->names[3], "g=a:e[2]");
    check_values(&fitted, (double[]){1, 5, 7}, (double[]){0, 5, 0, 0, 7, 0}, 6);
    fitted = learn(env, "offset(x) + offset(log(x)) + x", ten, 10);
    CHECK_NEAR(formula_offset(fitted.terms, (double[]){2, 3, 4}), 7, 0); /* terms come first */
    fitted = learn(env, "x:log(x) + x + offset(x)", ten, 10);            /* beside offsets alone, products of numbers are inputs */
    CHECK(formula_summable(fitted.formula));
    CHECK_TEXT(formula_terms_spec(fitted.terms)->names[1], "x:log(x)");
    CHECK_INT(formula_terms_source(fitted.terms, 1), 1);
    check_values(&fitted, (double[]){2, 3, 4}, (double[]){2, 3}, 2);
    CHECK_NEAR(formula_offset(fitted.terms, (double[]){2, 3, 4}), 4, 0);
    host_reset(host);
}

static void test_learning_errors(Host *host)
{
    static const double equal[] = {5, 5, 5, 5, 5, 5}, two[] = {1, 2, 1, 2, 1, 2}, zeros[] = {0, 0, 0, 0, 0, 0, 1, 2}, none[] = {NAN, NAN};
    Env *env = &host->env;
    size_t limit = env->memory_limit;

    CHECK_REFUSED(host, "scale(x) needs values that differ", learn(env, "scale(x)", equal, 6));
    CHECK_REFUSED(host, "bs(x, 4) needs values that differ", learn(env, "bs(x, 4)", equal, 6));
    CHECK_REFUSED(host, "poly(x, 3) needs more than 2 distinct values", learn(env, "poly(x, 3)", two, 6));
    CHECK_REFUSED(host, "ns(x, 3) needs 2 knots that differ: quantile 1 of 2 is 0, as the least value is", learn(env, "ns(x, 3)", zeros, 8));
    CHECK_REFUSED(host, "center(x) needs values: all rows have NULL", learn(env, "center(x)", none, 2));
    CHECK_REFUSED(host, "no row has the reference level of C(g, ref = 'bb')", learn(env, "x:g + C(g, ref = 'bb')", ten, 10));
    if (TRY(host))
        learn(env, "x:g + C(g, ref = 'bb')", ten, 10);
    CHECK_TEXT(host->hint, "Levels are a, b, c.");
    TRY_END(host);
    env->memory_limit = 80;
    CHECK_REFUSED(host, "a spline of the formula", learn(env, "bs(x, 4)", ten, 10));
    env->memory_limit = limit;
    CHECK_REFUSED(host, "the formula has 2700000 columns, more than 1000000", learn(env, "g:poly(x, 3, raw = TRUE):bs(x, 3):poly(x, 100, raw = TRUE):cut(x, 1000)", ten, 10));
}

static void test_stored(Host *host)
{
    static const struct {
        const char *formula;
        uint32_t at;
        double value;
        const char *wrong;
    } cases[] = {{"scale(x)", 2, 0, "a scale of the formula is not positive"},
                 {"scale(x)", 1, NAN, "not finite"},
                 {"scale(x)", 0, 2, "neither 0 nor 1"},
                 {"poly(x, 2)", 1, -1, "a norm of poly is not positive"},
                 {"poly(x, 2)", 5, 0, "a norm of poly is not positive"},
                 {"bs(x, 5)", 2, 1, "do not rise"},
                 {"bs(x, 5)", 3, 11.5, "the knots of a spline do not rise"},
                 {"ns(x, 2)", 3, 12, "the knots of a spline do not rise"},
                 {"cut(x, 3)", 2, 100, "the breaks of cut do not rise"}};
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        Fitted fitted = learn(env, cases[i].formula, ten, 10);
        const char *wrong = NULL;
        uint32_t count;
        const double *parameters = formula_parameters(fitted.terms, &count);
        double *forged = env_array(env, count, sizeof(double));

        CHECK(formula_terms_from(env, fitted.formula, fitted.inputs, parameters, count, &wrong) != NULL && wrong == NULL);
        CHECK(formula_terms_from(env, fitted.formula, fitted.inputs, parameters, count - 1, &wrong) == NULL);
        CHECK_HOLDS(wrong, "numbers for a formula that learns");
        memcpy(forged, parameters, count * sizeof(double));
        forged[cases[i].at] = cases[i].value;
        CHECK(formula_terms_from(env, fitted.formula, fitted.inputs, forged, count, &wrong) == NULL);
        CHECK_HOLDS(wrong, cases[i].wrong);
        CHECK(formula_of_schema(env, "g + x", 5, fitted.inputs, &wrong) == NULL && wrong != NULL);
        CHECK(formula_of_schema(env, "x + x:", 6, fitted.inputs, &wrong) == NULL);
        CHECK_HOLDS(wrong, "the formula ends at position 7");
        host_reset(host);
    }
}

int main(void)
{
    Host *host = host_new();

    test_texts(host);
    test_inputs(host);
    test_targets(host);
    test_syntax_errors(host);
    test_resolve_errors(host);
    test_logic(host);
    test_domains(host);
    test_sizes(host);
    test_designs(host);
    test_outside(host);
    test_categories(host);
    test_learning_errors(host);
    test_stored(host);
    host_free(host);
    return check_report();
}
