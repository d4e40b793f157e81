/*
 * fuzz_formula.c - the parser of formulas, and what is done with one: resolve, write, parse again, learn, store, compute, write as SQL.
 *
 * The first byte chooses numbers that are changed among those that were learned; the rest is the text.
 */
#include "fuzz.h"
#include "core/formula/formula_terms.h"

#define FUZZ_FORMULA_ROWS 12
#define FUZZ_FORMULA_SLOTS 20000 /* rather than many times 1000000 */

static const FormulaVariable fuzz_columns[] = {{"x", 1, FIELD_NUMERIC, 1},  {"z", 1, FIELD_NUMERIC, 1},     {"b", 1, FIELD_BOOLEAN, 1},
                                               {"g", 1, FIELD_CATEGORICAL, 1}, {"h", 1, FIELD_CATEGORICAL, 1}, {"e", 1, FIELD_NUMERIC, 3},
                                               {"t", 1, FIELD_TEXT, 1},     {"Big.Name", 8, FIELD_DATE, 1}};
#define FUZZ_COLUMNS (sizeof(fuzz_columns) / sizeof(*fuzz_columns))

/* Adds row r of the inputs to the rows; returns the schema, which may have grown. */
static Model *fuzz_add_row(Env *env, const Formula *formula, Model *schema, Rows *rows, unsigned r)
{
    static const double numbers[] = {1.5, 0.25, 3, -2, 7, 1e3, 12, 0, 5.5, 6, 2, 8};
    double *variables = env_array(env, (size_t)formula_variable_count(formula) + 1, sizeof *variables);
    double *slots = env_array(env, (size_t)schema->slot_count + 1, sizeof *slots);
    uint32_t at = 0, position;
    FormulaDomain wrong;

    for (uint32_t v = 0; v < formula_variable_count(formula); v++)
        variables[v] = numbers[(r + 3 * v) % 12];
    for (uint32_t i = 0; i < formula_input_count(formula); i++) {
        const FormulaInput *input = formula_input(formula, i);
        char level[2] = {(char)('a' + (r + i) % 3), 0};
        int found;

        if (input->field_kind == FIELD_CATEGORICAL) {
            found = dictionary_find(schema, DICTIONARY_LEVELS, i, level, 1, false);
            position = (uint32_t)found;
            if (found < 0)
                schema = dictionary_add(env, schema, DICTIONARY_LEVELS, i, level, 1, false, 0, &position);
            slots[at++] = position;
            continue;
        }
        for (uint32_t w = 0; w < input->width; w++)
            slots[at++] = input->kind == FORMULA_COLUMN ? numbers[(r * 5 + i + w) % 12] : formula_number(formula, i, variables, &wrong);
    }
    rows_set_schema(rows, schema);
    for (uint32_t s = 0; s < at; s++)
        if (isnan(slots[s]))
            slots[s] = 1;
    rows_append(rows, slots, 0, 1, NULL, 0);
    return schema;
}

static void fuzz_terms(Env *env, const FormulaTerms *terms, const Model *inputs)
{
    uint32_t slots = formula_terms_slots(terms), fields = formula_terms_spec(terms)->field_count;
    double *row = env_array(env, (size_t)inputs->slot_count + 1, sizeof *row), *out = env_array_raw(env, slots, sizeof *out);
    uint32_t levels = dictionary_size(inputs, DICTIONARY_LEVELS);
    const char *wrong;
    Model *schema;
    static const double values[] = {0, 1, -1, 2, 1e300, -5.5, NAN, 3};

    for (unsigned r = 0; r < 8; r++) {
        for (uint32_t s = 0; s < inputs->slot_count; s++)
            row[s] = r < 7 ? values[(r + s) % 8] : levels;
        formula_expand(terms, row, out);
        formula_offset(terms, row);
    }
    for (uint32_t f = 0; f < fields && f < 50; f++) {
        char *sql = formula_term_sql(env, terms, f);

        FUZZ_ASSERT((sql == NULL) == (formula_terms_spec(terms)->widths[f] != 1), "field %u has no SQL", f);
        FUZZ_ASSERT(formula_terms_source(terms, f) < (int)inputs->field_count, "field %u of no input", f);
    }
    schema = formula_terms_schema(env, terms, inputs);
    wrong = model_check_layout(env, schema, schema->size);
    FUZZ_ASSERT(wrong == NULL && (wrong = schema_check(env, schema)) == NULL, "the schema of the terms: %s", wrong);
    FUZZ_ASSERT(schema->slot_count == slots && schema->field_count == fields, "a schema of %u slots", schema->slot_count);
}

static void fuzz_learn(Env *env, const Formula *formula, uint8_t change)
{
    uint32_t count = formula_input_count(formula), learned;
    const char **names = env_array(env, (size_t)count + 1, sizeof *names), *wrong;
    FieldKind *kinds = env_array(env, (size_t)count + 1, sizeof *kinds);
    uint32_t *widths = env_array(env, (size_t)count + 1, sizeof *widths);
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "schema");
    FormulaTerms *terms;
    Formula *again;
    Model *schema;
    Rows *rows;
    double *parameters;

    for (uint32_t i = 0; i < count; i++) {
        names[i] = formula_input(formula, i)->name;
        kinds[i] = formula_input(formula, i)->field_kind;
        widths[i] = formula_input(formula, i)->width;
    }
    schema_add(env, builder, &(SchemaSpec){.field_count = count, .names = names, .kinds = kinds, .widths = widths, .named = true});
    schema = model_build(builder);
    rows = rows_new(rows_pool(env), schema, 0);
    for (unsigned r = 0; r < FUZZ_FORMULA_ROWS; r++)
        schema = fuzz_add_row(env, formula, schema, rows, r);
    schema = schema_final(env, schema);
    again = formula_of_schema(env, formula_text(formula), strlen(formula_text(formula)), schema, &wrong);
    FUZZ_ASSERT(again != NULL, "a stored formula is refused: %s", wrong);
    if (!formula_learns(formula))
        return;
    terms = formula_learn(env, formula, schema, rows, formula_intercept(formula));
    if (formula_terms_slots(terms) > FUZZ_FORMULA_SLOTS)
        return;
    fuzz_terms(env, terms, schema);
    parameters = env_array(env, 1, sizeof(double) * (formula_parameters(terms, &learned), learned));
    memcpy(parameters, formula_parameters(terms, &learned), learned * sizeof(double));
    FUZZ_ASSERT(formula_terms_from(env, again, schema, parameters, learned, &wrong) != NULL, "stored terms are refused: %s", wrong);
    parameters[change % learned] *= change % 3 == 0 ? -1 : change % 3 == 1 ? 1e-300 : NAN;
    terms = formula_terms_from(env, again, schema, parameters, learned, &wrong);
    if (terms != NULL)
        fuzz_terms(env, terms, schema);
}

/* What is left of the ~ parses back to itself as well. */
static void fuzz_target(Env *env, const Formula *target)
{
    const char *text = formula_text(target);
    TextBuffer whole = {.env = env};
    const Formula *again;

    text_add(&whole, text);
    text_add(&whole, " ~ x");
    again = formula_target(formula_parse(env, whole.text, whole.length));
    FUZZ_ASSERT(again != NULL && strcmp(formula_text(again), text) == 0 && formula_is_name(again) == formula_is_name(target), "another target: %s", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const others[] = {"x", "z", "g", "Big.Name"};
    Env *env = fuzz_begin();
    uint8_t change = size > 0 ? data[0] : 0;
    char *text = env->alloc(env, size + 1);

    size -= size > 0;
    memcpy(text, data + 1, size);
    if (!text_is_valid(env, text, size)) /* as no text of a server */
        return 0;
    if (TRY(fuzz_host)) {
        const Formula *parsed = formula_parse(env, text, size);
        Formula *formula = formula_resolve(env, parsed, fuzz_columns, FUZZ_COLUMNS, others, 4);
        const char *canonical = formula_text(formula);
        Formula *again = formula_resolve(env, formula_parse(env, canonical, strlen(canonical)), fuzz_columns, FUZZ_COLUMNS, NULL, 0);

        FUZZ_ASSERT(strcmp(formula_text(again), canonical) == 0, "another text: %s", canonical);
        if (formula_target(parsed) != NULL)
            fuzz_target(env, formula_target(parsed));
        FUZZ_ASSERT(formula_input_count(again) == formula_input_count(formula) && formula_learns(again) == formula_learns(formula) &&
                        formula_intercept(again) == formula_intercept(formula),
                    "another formula: %s", canonical);
        for (uint32_t i = 0; i < formula_input_count(formula); i++) {
            FUZZ_ASSERT(strcmp(formula_input(again, i)->name, formula_input(formula, i)->name) == 0, "another input: %s", canonical);
            formula_input_sql(env, formula, i);
        }
        if (formula_input_count(formula) < 1000)
            fuzz_learn(env, formula, change);
    } else {
        FUZZ_ASSERT(fuzz_host->code == ERROR_PARAMETER || fuzz_host->code == ERROR_DATA || fuzz_host->code == ERROR_LIMIT,
                    "error %d: %s", (int)fuzz_host->code, fuzz_host->message);
    }
    TRY_END(fuzz_host);
    return 0;
}
