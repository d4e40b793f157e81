/*
 * model_rows.c - what a model reads of a row, and how a changed row is scored.
 */
#include "core/explain/model_rows.h"

#include "core/base/text_buffer.h"
#include "core/estimator/class_options.h"
#include "core/estimator/classifier_output.h"

#include <math.h>
#include <string.h>

const OptionSpec model_rows_options[] = {
    {.name = "features",
     .types = OPTION_STRING | OPTION_STRING_LIST,
     .unset = "the row",
     .help = "The column that is the features argument, such as an array or jsonb, or the columns in the order of the fit, for a model without names."},
    {.name = "weight", .types = OPTION_STRING, .unset = "every row counts once", .help = "The column of the weights of rows."},
    {.name = NULL}};

const OptionSpec model_class_options[] = {
    {.name = "class",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "all classes; of two the positive one",
     .help = "The class whose probability is shown."},
    {.name = NULL}};

/* ---- opening ---- */

static void require_predictor(Env *env, const Scorer *scorer, const char *function)
{
    const Estimator *estimator = scorer->estimator;
    bool fitted = scorer->model->kind == MODEL_FITTED && estimator != NULL && estimator->scoring != NULL;

    if (fitted && estimator->task == TASK_REGRESSION && estimator->scoring->predict != NULL)
        return;
    if (fitted && estimator_classifies(estimator) && estimator->scoring->classify != NULL)
        return;
    env_fail(env, ERROR_KIND,
             fitted && estimator->task == TASK_CLUSTERING ? "Fit a classifier, such as tree_classifier, to the clusters of the rows, and pass that."
                                                          : "Pass a fitted regression or classifier.",
             "%s needs a model that predicts a target, not %s%.31s", function, scorer->model->kind == MODEL_FITTED ? "a model of " : "moments: ",
             scorer->model->estimator);
}

/* Sets what replaces NULLs, as the reader of rows does. */
static void set_replacement(ModelRows *model)
{
    const Model *reads = model->reads;
    const double *means = model_f64(reads, "impute", NULL);
    uint32_t slot = 0;

    if ((reads->flags & MODEL_NULL_VALUES) != MODEL_IMPUTE || means == NULL)
        return;
    model->replacement = env_array(model->env, (size_t)model->slots + 1, sizeof(double));
    for (uint32_t f = 0; f < reads->field_count; f++) {
        bool category = schema_field_kind(reads, f) == FIELD_CATEGORICAL;
        int level = category ? dictionary_find(reads, DICTIONARY_LEVELS, f, "", 0, true) : -1;

        for (uint32_t i = 0; i < schema_field_width(reads, f); i++, slot++)
            model->replacement[slot] = !category ? means[slot] : level >= 0 ? level : SLOT_UNSEEN;
    }
}

/* Returns the column of a name, added if there is none. */
static ModelColumn *column_named(ModelRows *model, const char *name, uint32_t length, uint32_t most)
{
    ModelColumn *column;

    for (uint32_t c = 0; c < model->column_count; c++)
        if (strlen(model->columns[c].name) == length && memcmp(model->columns[c].name, name, length) == 0)
            return &model->columns[c];
    column = &model->columns[model->column_count++];
    *column = (ModelColumn){.field = -1, .places = env_array(model->env, (size_t)most + 1, sizeof(uint32_t))};
    column->name = memcpy(env_array(model->env, (size_t)length + 1, 1), name, length);
    return column;
}

static void add_field(const ModelRows *model, ModelColumn *column, uint32_t field)
{
    FieldKind kind = schema_field_kind(model->reads, field);

    column->values = true;
    if (kind != FIELD_CATEGORICAL)
        column->kind = kind;
    else if (column->field < 0)
        column->field = (int)field;
    for (uint32_t i = 0; i < schema_field_width(model->reads, field); i++)
        column->places[column->count++] = model->first_slot[field] + i;
}

/* Sets the columns of a formula: each has the fields and the variables that are made of it. */
static void columns_of_formula(ModelRows *model, const Formula *formula)
{
    uint32_t most = model->slots + formula_variable_count(formula), length, kept = 0;
    bool differs;

    for (uint32_t v = 0; v < formula_variable_count(formula); v++) {
        const char *name = formula_variable(formula, v, &length);
        ModelColumn *column = column_named(model, name, length, most);
        bool number = formula_variable_is_number(formula, v);

        for (uint32_t f = 0; f < formula_input_count(formula); f++) {
            const FormulaInput *input = formula_input(formula, f);

            if ((input->kind == FORMULA_COLUMN || input->kind == FORMULA_CATEGORY) && input->variable == v)
                add_field(model, column, f);
        }
        if (model->variables == 0 || (!number && formula_variable_level(formula, v, &differs) == NULL))
            continue;
        if (number) {
            column->values = true;
            column->kind = formula_variable_kind(formula, v);
        }
        column->places[column->count++] = model->slots + v;
    }
    for (uint32_t c = 0; c < model->column_count; c++)
        if (model->columns[c].count > 0)
            model->columns[kept++] = model->columns[c];
    model->column_count = kept;
}

static void columns_of_fields(ModelRows *model)
{
    char name[SCHEMA_NAME_SIZE];

    for (uint32_t f = 0; f < model->reads->field_count; f++) {
        ModelColumn *column = &model->columns[model->column_count++];

        schema_field_name(model->reads, f, name, sizeof name);
        *column = (ModelColumn){.field = -1, .name = env_message(model->env, "%s", name)};
        column->places = env_array(model->env, (size_t)schema_field_width(model->reads, f) + 1, sizeof(uint32_t));
        add_field(model, column, f);
    }
}

static const Formula *formula_of(ModelRows *model, uint32_t *variables)
{
    uint32_t length;
    const char *text = schema_formula(model->reads, &length), *wrong = NULL;
    const Formula *formula = text != NULL ? formula_of_schema(model->env, text, length, model->reads, &wrong) : NULL;

    *variables = 0;
    if (text != NULL && formula == NULL)
        env_fail(model->env, ERROR_CORRUPT, "Fit it again.", "the formula of the model does not fit its features: %s", wrong);
    if (formula == NULL)
        return NULL;
    model->expressions = env_array(model->env, (size_t)formula_input_count(formula) + 1, sizeof(uint32_t));
    for (uint32_t f = 0; f < formula_input_count(formula); f++) {
        FormulaInputKind kind = formula_input(formula, f)->kind;

        if (kind == FORMULA_NUMBER || kind == FORMULA_OFFSET)
            model->expressions[model->expression_count++] = f;
    }
    if (model->expression_count > 0)
        *variables = formula_variable_count(formula);
    return formula;
}

ModelRows *model_rows_open(Env *env, const Scorer *scorer, const char *function)
{
    ModelRows *model = env_array(env, 1, sizeof *model);
    const Formula *formula;
    uint32_t slot = 0, most;

    require_predictor(env, scorer, function);
    *model = (ModelRows){.env = env, .scorer = scorer, .scoring = scorer->estimator->scoring, .reads = scorer_reads(scorer)};
    model->slots = model->reads->slot_count;
    model->first_slot = env_array(env, (size_t)model->reads->field_count + 1, sizeof(uint32_t));
    for (uint32_t f = 0; f < model->reads->field_count; f++) {
        char name[SCHEMA_NAME_SIZE];

        schema_field_name(model->reads, f, name, sizeof name);
        if (schema_field_kind(model->reads, f) == FIELD_TEXT)
            env_fail(env, ERROR_KIND, "Pass a model of numbers and categories.", "%s does not change texts, and feature \"%s\" is compared as one", function, name);
        model->first_slot[f] = slot;
        slot += schema_field_width(model->reads, f);
    }
    formula = formula_of(model, &model->variables);
    model->formula = model->expression_count > 0 ? formula : NULL;
    model->width = model->slots + model->variables;
    most = formula != NULL ? formula_variable_count(formula) : model->reads->field_count;
    model->columns = env_array(env, (size_t)most + 1, sizeof *model->columns);
    if (formula != NULL)
        columns_of_formula(model, formula);
    else
        columns_of_fields(model);
    set_replacement(model);
    model->row = env_array(env, (size_t)model->slots + 1, sizeof(double));
    return model;
}

Model *model_rows_schema(const ModelRows *model, const char *class_type)
{
    ModelBuilder *builder = model_builder(model->env, MODEL_FITTED, "rows");
    SchemaSpec spec = {.field_count = model->width, .class_type = class_type};
    const Model *from = model->scorer->model;
    Model *schema;

    schema_add(model->env, builder, &spec);
    schema = model_build(builder);
    for (uint32_t c = 0; class_type != NULL && c < dictionary_size(from, DICTIONARY_CLASSES); c++) {
        uint32_t length, position;
        const char *text = dictionary_text(from, DICTIONARY_CLASSES, c, &length);

        schema = dictionary_add(model->env, schema, DICTIONARY_CLASSES, 0, text, length, false, dictionary_key(from, DICTIONARY_CLASSES, c), &position);
    }
    return schema;
}

/* ---- columns ---- */

/* Returns a column of one number of an array inside rows; NULL: there is none of this name. */
static const ModelColumn *number_of_array(const ModelRows *model, const char *name)
{
    ModelColumn *column;

    for (uint32_t f = 0; f < model->reads->field_count; f++)
        for (uint32_t i = 0, width = schema_field_width(model->reads, f); width > 1 && i < width; i++) {
            uint32_t slot = model->first_slot[f] + i;
            char *slot_name = schema_term_text(model->env, model->reads, slot, -1);
            bool other = strcmp(slot_name, name) != 0;

            model->env->release(model->env, slot_name);
            if (other)
                continue;
            column = env_array(model->env, 1, sizeof *column);
            *column = (ModelColumn){.name = env_message(model->env, "%s", name), .count = 1, .field = -1, .values = true, .kind = schema_field_kind(model->reads, f)};
            column->places = env_array(model->env, 1, sizeof(uint32_t));
            column->places[0] = slot;
            return column;
        }
    return NULL;
}

const ModelColumn *model_rows_column(const ModelRows *model, const char *what, const char *name)
{
    const char **names = env_array(model->env, (size_t)model->column_count + 1, sizeof *names), *nearest;
    TextBuffer list = {.env = model->env};
    const ModelColumn *found;

    for (uint32_t c = 0; c < model->column_count; c++) {
        if (strcmp(model->columns[c].name, name) == 0)
            return &model->columns[c];
        names[c] = model->columns[c].name;
        if (c < 20)
            text_print(&list, "%s%s", c > 0 ? ", " : "", names[c]);
    }
    found = number_of_array(model, name);
    if (found != NULL)
        return found;
    if (model->column_count > 20)
        text_add(&list, ", ...");
    nearest = nearest_name(name, strlen(name), names, model->column_count);
    env_fail(model->env, ERROR_PARAMETER,
             nearest != NULL ? env_message(model->env, "Did you mean \"%.60s\"?", nearest) : env_message(model->env, "It reads %s.", model->column_count > 0 ? text_finish(&list, NULL) : "no column"),
             "%s names \"%.60s\", a column that the model does not read", what, name);
}

void model_column_require_values(const ModelRows *model, const ModelColumn *column, const char *function)
{
    const uint32_t *places = column->places;

    if (!column->values)
        env_fail(model->env, ERROR_KIND, "Fit the model with the column itself as a term.",
                 "%s cannot set column \"%.60s\", of which the formula only compares texts", function, column->name);
    if (column->count > 1 && places[1] < model->slots && schema_slot_field(model->reads, places[0]) == schema_slot_field(model->reads, places[1]))
        env_fail(model->env, ERROR_PARAMETER, env_message(model->env, "Name one of them: \"%.60s[1]\".", column->name),
                 "column \"%.60s\" is an array of %u numbers", column->name, column->count);
}

/* Returns the place that shows the value of a column: that of its levels, or a number. */
static uint32_t place_of_value(const ModelRows *model, const ModelColumn *column)
{
    bool differs;

    if (column->field >= 0)
        return model->first_slot[column->field];
    for (uint32_t i = 0; i < column->count; i++)
        if (column->places[i] < model->slots || formula_variable_level(model->formula, column->places[i] - model->slots, &differs) == NULL)
            return column->places[i];
    return column->places[0];
}

double model_column_value(const ModelRows *model, const ModelColumn *column, const double *kept)
{
    double value = kept[place_of_value(model, column)];

    return column->field >= 0 && !(value >= 0) ? NAN : value;
}

void model_column_set(const ModelRows *model, const ModelColumn *column, double value, double *kept)
{
    uint32_t length = 0;
    const char *text = column->field >= 0 ? dictionary_text(model->reads, DICTIONARY_LEVELS, (uint32_t)value, &length) : NULL, *level;
    bool differs;

    for (uint32_t i = 0; i < column->count; i++) {
        uint32_t place = column->places[i], field;

        if (text == NULL) {
            kept[place] = value;
        } else if (place >= model->slots) {
            level = formula_variable_level(model->formula, place - model->slots, &differs);
            if (level != NULL)
                kept[place] = (strlen(level) == length && memcmp(level, text, length) == 0) != differs;
            else
                kept[place] = dictionary_key(model->reads, DICTIONARY_LEVELS, (uint32_t)value);
        } else {
            field = schema_slot_field(model->reads, place);
            if (schema_field_kind(model->reads, field) != FIELD_CATEGORICAL)
                kept[place] = dictionary_key(model->reads, DICTIONARY_LEVELS, (uint32_t)value);
            else if ((int)field == column->field)
                kept[place] = value;
            else
                kept[place] = dictionary_find(model->reads, DICTIONARY_LEVELS, field, text, length, false); /* -1 is SLOT_UNSEEN */
        }
    }
}

/* ---- scoring ---- */

static void __attribute__((noreturn)) fail_domain(const ModelRows *model, uint32_t field, const FormulaDomain *wrong)
{
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(model->reads, field, name, sizeof name);
    env_fail(model->env, ERROR_DATA, "Set the column to values that the formula takes, permute columns that belong together as a group, or exclude rows.",
             "%s is undefined in a changed row: %s", name, wrong->text);
}

static void __attribute__((noreturn)) fail_null_level(const ModelRows *model, uint32_t slot)
{
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(model->reads, schema_slot_field(model->reads, slot), name, sizeof name);
    env_fail(model->env, ERROR_DATA, "Fit with option \"unseen\": \"reference\" to treat such levels as the reference level.",
             "level NULL of feature \"%s\" was not seen in training", name);
}

bool model_rows_encode(const ModelRows *model, const double *kept, double *slots, double *offset)
{
    bool branch = model_nulls_are_values(model->reads->flags);
    const double *variables = kept + model->slots;
    FormulaDomain wrong;
    double *row = model->row;

    memcpy(row, kept, model->slots * sizeof(double));
    for (uint32_t e = 0; e < model->expression_count; e++)
        row[model->first_slot[model->expressions[e]]] = 0;
    for (uint32_t s = 0; s < model->slots; s++) {
        if (!isnan(row[s]) || branch)
            continue;
        if (model->replacement == NULL)
            return false;
        row[s] = model->replacement[s];
        if (row[s] == SLOT_UNSEEN && (model->reads->flags & MODEL_UNSEEN_ERROR) && schema_field_kind(model->reads, schema_slot_field(model->reads, s)) == FIELD_CATEGORICAL)
            fail_null_level(model, s);
    }
    for (uint32_t e = 0; e < model->expression_count; e++) {
        uint32_t field = model->expressions[e], slot = model->first_slot[field];

        row[slot] = formula_number(model->formula, field, variables, &wrong);
        if (wrong.text[0] != '\0')
            fail_domain(model, field, &wrong);
        if (!isnan(row[slot]) || branch)
            continue;
        if (model->replacement == NULL)
            return false;
        row[slot] = model->replacement[slot];
    }
    return scorer_encode(model->env, model->scorer, row, slots, offset);
}

/* ---- what a model says ---- */

static void choose_classes(ModelOutcomes *outcomes, const Options *options, uint32_t classes, uint32_t positive)
{
    ClassSet set = class_set(outcomes->model->env, outcomes->model->scorer->model);
    bool named = options_type(options, "class") != 0;

    outcomes->classes = env_array(outcomes->model->env, (size_t)classes + 1, sizeof(uint32_t));
    outcomes->count = named || classes == 2 ? 1 : classes;
    outcomes->labels = env_array(outcomes->model->env, (size_t)outcomes->count + 1, sizeof(char *));
    for (uint32_t c = 0; c < outcomes->count; c++) {
        outcomes->classes[c] = named ? class_of_option(&set, options, "class") : classes == 2 ? positive : c;
        outcomes->labels[c] = class_string(outcomes->model->env, outcomes->model->scorer->model, outcomes->classes[c]);
    }
}

ModelOutcomes model_outcomes(const ModelRows *model, const Options *options, const char *function)
{
    const Model *last = model->scorer->model;
    ModelOutcomes outcomes = {.model = model, .count = 1};
    uint32_t classes = dictionary_size(last, DICTIONARY_CLASSES), width, positive;

    if (!estimator_classifies(model->scorer->estimator)) {
        if (options_type(options, "class") != 0)
            env_fail(model->env, ERROR_PARAMETER, "Leave it out.", "option \"class\" is for classifiers, not for a model of %s", model->scorer->estimator->name);
        outcomes.labels = env_array(model->env, 1, sizeof(char *));
        return outcomes;
    }
    positive = classes == 2 ? class_rule_of(last).positive : 0;
    outcomes.probabilities = classifier_output_has_probabilities(model->scoring, last);
    width = !outcomes.probabilities && model->scoring->decisions != NULL ? model->scoring->width(last) : 0;
    outcomes.signed_decision = classes == 2 && (width == 1 || (width == 2 && model->scoring->decision != NULL));
    if (!outcomes.probabilities && !outcomes.signed_decision && (width != classes || width == 0))
        env_fail(model->env, ERROR_KIND, "Calibrate the classifier, or fit one with probabilities.", "%s needs a number per class, and this model of %s has none",
                 function, model->scorer->estimator->name);
    choose_classes(&outcomes, options, classes, positive);
    outcomes.reversed = outcomes.signed_decision && outcomes.classes[0] != positive;
    outcomes.room = env_array(model->env, (size_t)(classes > width ? classes : width) + 1, sizeof(double));
    return outcomes;
}

bool model_outcomes_write(const ModelOutcomes *outcomes, const double *slots, double offset, double *out)
{
    const Scoring *scoring = outcomes->model->scoring;
    const Scorer *scorer = outcomes->model->scorer;

    if (outcomes->classes == NULL) {
        out[0] = scoring_predict(scoring, scorer->model, scorer->prepared, slots, offset);
    } else if (outcomes->signed_decision) {
        scoring_write_scores(scoring, scorer->model, scorer->prepared, slots, outcomes->room);
        out[0] = outcomes->reversed ? -outcomes->room[0] : outcomes->room[0];
    } else {
        if (outcomes->probabilities)
            classifier_output_probabilities(scoring, scorer->model, scorer->prepared, slots, offset, outcomes->room);
        else
            scoring->decisions(scorer->model, scorer->prepared, slots, outcomes->room);
        if (isnan(outcomes->room[0]) && scoring->partial)
            return false;
        for (uint32_t i = 0; i < outcomes->count; i++)
            out[i] = outcomes->room[outcomes->classes[i]];
    }
    if (isnan(out[0]) && scoring->partial)
        return false;
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (!isfinite(out[i]))
            env_fail(outcomes->model->env, ERROR_RANGE, NULL, "the score is out of range of double precision");
    return true;
}
