/*
 * formula_terms.c - computes the terms of a row, and describes them.
 */
#include "core/formula/formula_terms_internal.h"

#include <math.h>
#include <string.h>

/* ---- what was learned, at a row ---- */

void formula_poly_values(const double *parameters, uint32_t degree, double x, double *values)
{
    double before = 0, last = 1 / parameters[0];

    for (uint32_t j = 0; j < degree; j++) {
        double next = ((x - parameters[1 + 2 * j]) * last - (j > 0 ? parameters[2 * j] * before : 0)) / parameters[2 + 2 * j];

        before = last;
        values[j] = last = next;
    }
}

/* Computes the numbers of an atom from its input. */
static void learned_values(const TermAtom *atom, double x, double *values)
{
    switch (atom->atom->kind) {
    case ATOM_SCALE:
        values[0] = (x - atom->parameters[0]) / atom->parameters[1];
        break;
    case ATOM_CENTER:
        values[0] = x - atom->parameters[0];
        break;
    case ATOM_POLY:
        if (!atom->atom->raw) {
            formula_poly_values(atom->parameters, atom->atom->size, x, values);
            break;
        }
        values[0] = x;
        for (uint32_t i = 1; i < atom->atom->size; i++)
            values[i] = values[i - 1] * x;
        break;
    case ATOM_CUT:
        values[0] = isnan(x) ? NAN : formula_cut_interval(atom->parameters, atom->atom->size, x);
        break;
    default:
        spline_values(&atom->spline, x, values);
    }
}

/* ---- terms ---- */

/*
 * Returns the column of a category in a factor, or its row of contrasts; -1 where the reference level has none, -2 where the value is NaN. Levels
 * that are not known count as the reference.
 */
static int64_t category_column(const FormulaTerms *terms, const TermFactor *factor, const double *inputs, const double *learned)
{
    const TermAtom *atom = &terms->atoms[factor->atom];
    double value = atom->value != FORMULA_NONE ? learned[atom->value] : inputs[atom->slot];
    double level = value - atom->first_level;
    uint32_t index;

    if (isnan(value))
        return -2;
    index = level >= 0 && level < atom->columns ? (uint32_t)level : atom->reference;
    if (!factor->contrasts || atom->contrasts != NULL)
        return atom->columns > 0 ? (int64_t)index : -1;
    return index == atom->reference ? -1 : (int64_t)index - (index > atom->reference);
}

/* Factors of a term with several columns that are numbers. */
typedef struct WideFactor {
    const double *values;
    uint32_t columns, stride, at;
} WideFactor;

/* Writes all products of the wide factors, times a number. */
static void write_products(double *slots, double scale, WideFactor *wide, uint32_t count)
{
    for (;;) {
        double product = scale;
        uint32_t column = 0, i;

        for (i = 0; i < count; i++) {
            product *= wide[i].values[wide[i].at];
            column += wide[i].at * wide[i].stride;
        }
        slots[column] = product;
        for (i = 0; i < count && ++wide[i].at == wide[i].columns; i++)
            wide[i].at = 0;
        if (i == count)
            return;
    }
}

static void fill(double *slots, uint32_t count, double value)
{
    for (uint32_t i = 0; i < count; i++)
        slots[i] = value;
}

/* Computes a term of several factors, or of one category. */
static void expand_product(const FormulaTerms *terms, const TermPlan *plan, const double *inputs, const double *learned, double *slots)
{
    WideFactor wide[128];
    uint32_t wide_count = 0, base = 0;
    bool sparse = false, none = false;
    double scale = 1;

    for (uint32_t i = plan->first; i < plan->first + plan->count; i++) {
        const TermFactor *factor = &terms->factors[i];
        const TermAtom *atom = &terms->atoms[factor->atom];
        const double *values = atom->value != FORMULA_NONE ? learned + atom->value : inputs + atom->slot;

        if (atom->atom->categorical) {
            int64_t column = category_column(terms, factor, inputs, learned);

            if (column >= 0 && factor->contrasts && atom->contrasts != NULL) {
                wide[wide_count++] = (WideFactor){atom->contrasts + (size_t)column * factor->columns, factor->columns, factor->stride, 0};
                continue;
            }
            sparse = true;
            none = none || column == -1;
            if (column == -2)
                scale = NAN;
            else if (column >= 0)
                base += (uint32_t)column * factor->stride;
        } else if (factor->columns == 1) {
            scale *= values[0];
        } else {
            wide[wide_count++] = (WideFactor){values, factor->columns, factor->stride, 0};
        }
    }
    if (isnan(scale)) {
        fill(slots, plan->columns, NAN);
        return;
    }
    if (sparse)
        fill(slots, plan->columns, 0);
    if (!none)
        write_products(slots + base, scale, wide, wide_count);
}

static void expand_term(const FormulaTerms *terms, const TermPlan *plan, const double *inputs, const double *learned, double *slots)
{
    const TermAtom *atom = &terms->atoms[terms->factors[plan->first].atom];

    if (plan->product != FORMULA_NONE) {
        slots[0] = inputs[terms->input_slots[plan->product]];
    } else if (plan->category) {
        double level = inputs[atom->slot];

        slots[0] = level >= 0 ? level + plan->shift : level;
    } else if (plan->count > 1 || atom->atom->categorical) {
        if (plan->columns > 0)
            expand_product(terms, plan, inputs, learned, slots);
    } else {
        memcpy(slots, atom->value != FORMULA_NONE ? learned + atom->value : inputs + atom->slot, plan->columns * sizeof(double));
    }
}

void formula_expand(const FormulaTerms *terms, const double *inputs, double *slots)
{
    double learned[FORMULA_MAX_LEARNED];

    for (uint32_t i = 0; i < terms->formula->atom_count; i++)
        if (terms->atoms[i].atom->input != FORMULA_NONE && terms->atoms[i].value != FORMULA_NONE)
            learned_values(&terms->atoms[i], inputs[terms->atoms[i].slot], learned + terms->atoms[i].value);
    for (uint32_t t = 0; t < terms->formula->term_count; t++)
        expand_term(terms, &terms->plans[t], inputs, learned, slots + terms->plans[t].slot);
}

double formula_offset(const FormulaTerms *terms, const double *inputs)
{
    double sum = 0;

    for (uint32_t i = 0; i < terms->offset_count; i++)
        sum += inputs[terms->offsets[i]];
    return sum;
}

/* ---- description ---- */

uint32_t formula_terms_slots(const FormulaTerms *terms)
{
    return terms->slots;
}

const SchemaSpec *formula_terms_spec(const FormulaTerms *terms)
{
    return &terms->spec;
}

int formula_terms_source(const FormulaTerms *terms, uint32_t field)
{
    return terms->sources[field];
}

const double *formula_parameters(const FormulaTerms *terms, uint32_t *count)
{
    *count = terms->parameter_count;
    return terms->parameters;
}

FormulaTerms *formula_terms_from(Env *env, const Formula *formula, const Model *inputs, const double *parameters, uint32_t count,
                                 const char **wrong)
{
    FormulaProblem problem = {.env = env};
    uint32_t needed = 1;
    FormulaTerms *terms;
    double *copy;

    for (uint32_t i = 0; i < formula->atom_count; i++)
        needed += formula->atoms[i].input != FORMULA_NONE ? formula_atom_parameters(&formula->atoms[i]) : 0;
    *wrong = NULL;
    if (!formula->learns)
        *wrong = "a formula that learns nothing has numbers";
    else if (count != needed)
        *wrong = env_message(env, "%u numbers for a formula that learns %u", count, needed);
    else if (parameters[0] != 0 && parameters[0] != 1)
        *wrong = "the intercept of a formula is neither 0 nor 1";
    else if (inputs->field_count != formula->input_count)
        *wrong = env_message(env, "%u features for a formula of %u", inputs->field_count, formula->input_count);
    if (*wrong != NULL)
        return NULL;
    copy = env_array_raw(env, count, sizeof(double));
    memcpy(copy, parameters, count * sizeof(double));
    terms = formula_plan(env, formula, inputs, copy, count, &problem);
    *wrong = terms == NULL ? problem.message : NULL;
    return terms;
}

/* Copies classes, target and id of a schema. */
static void copy_rest(ModelBuilder *builder, const Model *inputs)
{
    static const char *const copied[] = {"class_key", "class_sorted", "class_text", "class_type", "id_type", "target_name"};

    for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++)
        if (model_find(inputs, copied[i]) != NULL)
            builder_entry_from(builder, inputs, model_find(inputs, copied[i]));
}

Model *formula_terms_schema(Env *env, const FormulaTerms *terms, const Model *inputs)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "schema");
    SchemaSpec spec = terms->spec;
    uint32_t position;
    Model *schema;

    spec.named = spec.field_count > 0; /* no names of no features: only a formula has such */
    schema_add(env, builder, &spec);
    copy_rest(builder, inputs);
    schema = model_build(builder);
    for (uint32_t t = 0; t < terms->formula->term_count; t++) {
        const TermPlan *plan = &terms->plans[t];
        const TermAtom *atom = &terms->atoms[terms->factors[plan->first].atom];

        for (uint32_t i = 0; plan->category && i < atom->columns; i++) {
            uint32_t level = atom->first_level + i, length;
            const char *text = dictionary_text(inputs, DICTIONARY_LEVELS, level, &length);
            double key = dictionary_key(inputs, DICTIONARY_LEVELS, level);

            schema = dictionary_add(env, schema, DICTIONARY_LEVELS, plan->field, text, length, isinf(key), isinf(key) ? 0 : key, &position);
        }
    }
    model_seal(env, schema); /* the levels are in the final order of the inputs */
    return schema_final(env, schema);
}
