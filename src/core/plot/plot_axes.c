/*
 * plot_axes.c - the axes and the rows of a grid over two features.
 */
#include "core/plot/plot_axes.h"

#include "core/base/json.h"
#include "core/formula/formula_model.h"

#include <math.h>
#include <string.h>

static bool is_number(const Model *schema, uint32_t slot)
{
    return schema_field_kind(schema, schema_slot_field(schema, slot)) == FIELD_NUMERIC;
}

/* Returns the slot of a numeric feature by its name. Fails with ERROR_PARAMETER if there is none. */
static uint32_t plot_slot(Env *env, const Model *schema, const char *feature)
{
    TextBuffer names = {.env = env};
    uint32_t listed = 0;

    for (uint32_t s = 0; s < schema->slot_count; s++) {
        char name[2 * SCHEMA_NAME_SIZE];

        if (!is_number(schema, s))
            continue;
        schema_slot_name(schema, s, name, sizeof name);
        if (strcmp(name, feature) == 0)
            return s;
        if (listed++ < 20) {
            text_add(&names, listed > 1 ? ", " : "");
            text_add(&names, name);
        }
    }
    if (listed > 20)
        text_print(&names, " and %u more", listed - 20);
    env_fail(env, ERROR_PARAMETER, env_message(env, "Its numeric features are %s.", listed > 0 ? text_finish(&names, NULL) : "none"),
             "the model has no numeric feature \"%.100s\"", feature);
}

Axis plot_axis(Env *env, const FeatureRanges *ranges, uint32_t slot, const AxisGiven *given)
{
    Axis axis = {slot, ranges->ranges[slot].low, ranges->ranges[slot].high};
    char name[2 * SCHEMA_NAME_SIZE];

    schema_slot_name(ranges->schema, slot, name, sizeof name);
    if (given->given && given->count != 2)
        env_fail(env, ERROR_PARAMETER, "Pass its two ends: ARRAY[0, 10].", "the range of feature \"%.100s\" has %u numbers", name,
                 given->count);
    if (given->given) {
        axis.low = given->numbers[0];
        axis.high = given->numbers[1];
        if (!isfinite(axis.low) || !isfinite(axis.high) || !(axis.low < axis.high))
            env_fail(env, ERROR_PARAMETER, "Pass its two ends: ARRAY[0, 10].", "the range of feature \"%.100s\" is from %g to %g", name,
                     axis.low, axis.high);
        return axis;
    }
    if (!isfinite(axis.low) || !isfinite(axis.high))
        env_fail(env, ERROR_PARAMETER, "Pass the range of each axis, such as ARRAY[0, 10]; feature_ranges(model) lists what a model knows.",
                 "this model does not know where feature \"%.100s\" lies", name);
    if (!(axis.low < axis.high))
        env_fail(env, ERROR_PARAMETER, "Pass the range of each axis, such as ARRAY[0, 10].",
                 "feature \"%.100s\" is %g in all that the model keeps", name, axis.low);
    return axis;
}

/* ---- the other features ---- */

/* Returns the slot value of a level; json: a string, or null for the level of NULLs. */
static double level_value(Env *env, const Model *schema, uint32_t field, const char *name, const Json *json)
{
    int position = -1;

    if (json->type == JSON_STRING || json->type == JSON_NULL)
        position = dictionary_find(schema, DICTIONARY_LEVELS, field, json->type == JSON_STRING ? json->text : "",
                                   json->type == JSON_STRING ? json->length : 0, json->type == JSON_NULL);
    if (position < 0)
        env_fail(env, ERROR_PARAMETER, "pgfit.levels(model) lists the levels; write them as strings.",
                 "\"at\" sets feature \"%.100s\" to what is no level of the model", name);
    return position;
}

static double number_value(Env *env, const char *name, const Json *json)
{
    double number = NAN;

    if (json->type == JSON_NUMBER)
        number = json_number(env, json);
    if (json->type == JSON_TRUE || json->type == JSON_FALSE)
        number = json->type == JSON_TRUE;
    if (!isfinite(number))
        env_fail(env, ERROR_PARAMETER, "Pass a number; dates are days, times and timestamps seconds since 2000-01-01.",
                 "\"at\" sets feature \"%.100s\", a number, to a value of type %s", name, json_type_name(json));
    return number;
}

/* Reads a member of "at" into the slots of its field. */
static void read_field(Env *env, const Model *schema, uint32_t field, uint32_t first, const char *name, const Json *value, double *row)
{
    uint32_t width = schema_field_width(schema, field), s = 0;
    FieldKind kind = schema_field_kind(schema, field);

    if (kind == FIELD_TEXT)
        env_fail(env, ERROR_KIND, "Compute a number from the text, and fit to that.", "a grid cannot hold text, and \"%.100s\" is one", name);
    if (kind == FIELD_CATEGORICAL) {
        row[first] = level_value(env, schema, field, name, value);
    } else if (width == 1) {
        row[first] = number_value(env, name, value);
    } else {
        if (value->type != JSON_ARRAY || value->length != width)
            env_fail(env, ERROR_PARAMETER, NULL, "feature \"%.100s\" is an array of %u numbers", name, width);
        for (const Json *element = json_first(value); element != NULL; element = json_next(value, element))
            row[first + s++] = number_value(env, name, element);
    }
}

/* Reads "at" over the typical values in row. */
static void read_at(Env *env, const Model *schema, const Json *root, double *row)
{
    uint32_t first = 0, found = 0;

    if (root->type != JSON_OBJECT)
        env_fail(env, ERROR_PARAMETER, "Pass an object such as {\"age\": 40}.", "\"at\" is of type %s, not an object", json_type_name(root));
    for (uint32_t field = 0; field < schema_field_count(schema); field++) {
        char name[2 * SCHEMA_NAME_SIZE];
        const Json *value;

        schema_field_name(schema, field, name, sizeof name);
        value = json_get(root, name);
        if (value != NULL) {
            read_field(env, schema, field, first, name, value, row);
            found++;
        }
        first += schema_field_width(schema, field);
    }
    if (found == root->length)
        return;
    for (const Json *key = json_first(root); key != NULL; key = json_next(root, key))
        if (schema_find_field(schema, key->text, key->length) < 0)
            env_fail(env, ERROR_PARAMETER, "pgfit.features(model) lists the features.", "\"at\" names \"%.*s\", which the model has not",
                     (int)(key->length < 100 ? key->length : 100), key->text);
}

/* Returns the formula by which the rows of a model are read; NULL: it has none. */
static const Formula *formula_of(Env *env, const Model *model)
{
    const FormulaModel *learned = formula_model(env, model);
    const char *text, *wrong = NULL;
    uint32_t length;

    if (learned != NULL)
        return learned->formula;
    text = schema_formula(model, &length);
    return text != NULL ? formula_of_schema(env, text, length, model, &wrong) : NULL;
}

/* Tells whether an input is computed from a variable, or is its column. variables: [variables of the formula] ones. */
static bool reads(const Formula *formula, uint32_t input, uint32_t variable, double *variables)
{
    const FormulaInput *given = formula_input(formula, input);
    FormulaDomain wrong = {.text = ""};
    bool missing;

    if (given->kind != FORMULA_NUMBER && given->kind != FORMULA_OFFSET)
        return given->variable == variable;
    variables[variable] = NAN; /* which gives NaN where it is read */
    missing = isnan(formula_number(formula, input, variables, &wrong)) && wrong.text[0] == 0 && !wrong.null;
    variables[variable] = 1;
    return missing;
}

/* Fails if a feature would have to change with an axis: the product a:b keeps no value of its own where a varies. */
static void require_apart(Env *env, const Model *model, const PlotGrid *grid)
{
    const Formula *formula = formula_of(env, model);
    uint32_t axes[] = {schema_slot_field(grid->schema, grid->x.slot), schema_slot_field(grid->schema, grid->y.slot)};
    uint32_t variables = formula != NULL ? formula_variable_count(formula) : 0;
    double *ones = env_array(env, (size_t)variables + 1, sizeof(double));

    for (uint32_t v = 0; v < variables; v++)
        ones[v] = 1;
    for (uint32_t v = 0; v < variables; v++)
        for (uint32_t a = 0; a < 2; a++)
            for (uint32_t i = 0; reads(formula, axes[a], v, ones) && i < formula_input_count(formula); i++)
                if (i != axes[a] && reads(formula, i, v, ones))
                    env_fail(env, ERROR_PARAMETER, "plot(model, row, '{\"figure\": \"decision\"}') computes it at each point.",
                             "feature \"%.100s\" changes with \"%.100s\", and cannot keep its value along that axis",
                             formula_input(formula, i)->name, formula_input(formula, axes[a])->name);
}

PlotGrid plot_grid(Env *env, const Model *model, const char *x, const char *y, int64_t steps, const AxisGiven *x_range,
                   const AxisGiven *y_range, const char *at, size_t length)
{
    FeatureRanges ranges = feature_ranges(env, model);
    PlotGrid grid = {.schema = ranges.schema, .steps = (uint32_t)steps};

    if (steps < 2 || steps > PLOT_STEPS_MOST)
        env_fail(env, ERROR_PARAMETER, NULL, "a grid has 2 to %d steps along each axis, not %lld", PLOT_STEPS_MOST, (long long)steps);
    grid.x = plot_axis(env, &ranges, plot_slot(env, ranges.schema, x), x_range);
    grid.y = plot_axis(env, &ranges, plot_slot(env, ranges.schema, y), y_range);
    if (grid.x.slot == grid.y.slot)
        env_fail(env, ERROR_PARAMETER, "Name two features.", "feature \"%.100s\" is named twice", x);
    require_apart(env, model, &grid);
    grid.row = env_array(env, (size_t)ranges.count + 1, sizeof(double));
    for (uint32_t s = 0; s < ranges.count; s++)
        grid.row[s] = ranges.ranges[s].typical;
    grid.row[grid.x.slot] = grid.x.low;
    grid.row[grid.y.slot] = grid.y.low;
    if (length > 0)
        read_at(env, ranges.schema, json_parse(env, at, length, ERROR_PARAMETER, "at"), grid.row);
    for (uint32_t s = 0; s < ranges.count; s++) {
        char name[2 * SCHEMA_NAME_SIZE];

        if (isfinite(grid.row[s]))
            continue;
        schema_slot_name(ranges.schema, s, name, sizeof name);
        env_fail(env, ERROR_PARAMETER, "Set it in the last argument, at => '{\"feature\": value}'.",
                 "this model knows no typical value of feature \"%.100s\"", name);
    }
    return grid;
}
