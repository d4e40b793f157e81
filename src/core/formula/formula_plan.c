/*
 * formula_plan.c - plans the terms of a resolved formula from what it learned: columns, names, coding.
 */
#include "core/formula/formula_terms_internal.h"
#include "core/options/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ---- */

uint32_t formula_atom_parameters(const FormulaAtom *atom)
{
    switch (atom->kind) {
    case ATOM_SCALE:
        return 2;
    case ATOM_CENTER:
        return 1;
    case ATOM_POLY:
        return atom->raw ? 0 : 1 + 2 * atom->size;
    case ATOM_BS:
        return 2 + atom->size - atom->degree;
    case ATOM_NS:
        return 1 + atom->size;
    case ATOM_CUT:
        return atom->points != NULL ? 0 : atom->size + 1;
    default:
        return 0;
    }
}

/* Returns what is wrong with the parameters of an atom, or NULL. */
static const char *formula_check_parameters(const FormulaAtom *atom, const double *parameters)
{
    uint32_t count = formula_atom_parameters(atom);

    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(parameters[i]))
            return "a number of the formula is not finite";
    switch (atom->kind) {
    case ATOM_SCALE:
        return parameters[1] > 0 ? NULL : "a scale of the formula is not positive";
    case ATOM_POLY:
        for (uint32_t i = 0; i < count; i += 2)
            if (!(parameters[i] > 0))
                return "a norm of poly is not positive";
        return NULL;
    case ATOM_BS:
    case ATOM_NS:
        if (!(parameters[0] < parameters[1]))
            return "the boundaries of a spline do not rise";
        for (uint32_t i = 2; i < count; i++)
            if (!(parameters[i] > (i == 2 ? parameters[0] : parameters[i - 1])) || !(parameters[i] < parameters[1]))
                return "the knots of a spline do not rise";
        return atom->points == NULL || memcmp(parameters + 2, atom->points, (count - 2) * sizeof(double)) == 0
                   ? NULL
                   : "the knots of a spline are not those of the formula";
    case ATOM_CUT:
        for (uint32_t i = 1; i < count; i++)
            if (!(parameters[i] > parameters[i - 1]))
                return "the breaks of cut do not rise";
        return NULL;
    default:
        return NULL;
    }
}

/* ---- cut ---- */

uint32_t formula_cut_interval(const double *breaks, uint32_t intervals, double x)
{
    uint32_t low = 0, high = intervals - 1;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (x <= breaks[middle + 1])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Writes a break with this many digits. */
static void break_text(char text[32], double at, int digits)
{
    snprintf(text, 32, isfinite(at) ? "%.*g" : at < 0 ? "-Inf" : "Inf", digits, at + 0.0);
}

/* Returns the name of an interval, "(0.5,1]". */
static const char *formula_cut_name(Env *env, const double *breaks, uint32_t intervals, uint32_t i)
{
    TextBuffer out = {.env = env};
    char low[32], high[32];
    int digits = 3;

    /* as many digits as make all breaks differ */
    for (bool differ = false; !differ && digits < 17; digits += !differ) {
        char last[32] = "", text[32];

        differ = true;
        for (uint32_t b = 0; b <= intervals && differ; b++) {
            break_text(text, breaks[b], digits);
            differ = strcmp(text, last) != 0;
            memcpy(last, text, sizeof(last));
        }
    }
    break_text(low, breaks[i], digits);
    break_text(high, breaks[i + 1], digits);
    text_print(&out, "(%s,%s]", low, high);
    return text_finish(&out, NULL);
}

/* ---- atoms ---- */

/* Finds the levels of all fields of S: [fields] each. Returns false where those of a field are not together. */
static bool find_levels(const Model *inputs, uint32_t *first, uint32_t *count)
{
    uint32_t levels = dictionary_size(inputs, DICTIONARY_LEVELS);

    for (uint32_t i = 0; i < levels; i++) {
        uint32_t field = dictionary_field(inputs, i);

        if (field >= inputs->field_count || (count[field] > 0 && first[field] + count[field] != i))
            return false;
        if (count[field]++ == 0)
            first[field] = i;
    }
    return true;
}

/* Copies the texts of the levels. */
static void copy_levels(Env *env, FormulaTerms *terms, const Model *inputs)
{
    uint32_t levels = dictionary_size(inputs, DICTIONARY_LEVELS);

    terms->level_names = env_array(env, (size_t)levels + 1, sizeof(char *));
    terms->level_texts = env_array(env, (size_t)levels + 1, sizeof(char *));
    for (uint32_t i = 0; i < levels; i++) {
        uint32_t length;
        const char *text = dictionary_text(inputs, DICTIONARY_LEVELS, i, &length);
        char *copy;

        terms->level_names[i] = " IS NULL";
        if (isinf(dictionary_key(inputs, DICTIONARY_LEVELS, i)))
            continue;
        copy = env_array(env, (size_t)length + 2, 1);
        copy[0] = '=';
        memcpy(copy + 1, text, length);
        terms->level_names[i] = copy;
        terms->level_texts[i] = copy + 1;
    }
}

/* Sets the reference level of a category. */
static bool find_reference(FormulaTerms *terms, TermAtom *atom, FormulaProblem *problem)
{
    const char *const *texts = terms->level_texts + atom->first_level, *near;
    TextBuffer hint = {.env = problem->env};
    const char **names;
    uint32_t named = 0;

    if (atom->atom->reference == NULL)
        return true;
    for (uint32_t i = 0; i < atom->columns; i++)
        if (texts[i] != NULL && strcmp(texts[i], atom->atom->reference) == 0) {
            atom->reference = i;
            return true;
        }
    names = env_array(problem->env, (size_t)atom->columns + 1, sizeof(char *));
    for (uint32_t i = 0; i < atom->columns; i++)
        if (texts[i] != NULL)
            names[named++] = texts[i];
    near = nearest_name(atom->atom->reference, strlen(atom->atom->reference), names, named);
    if (near != NULL)
        text_print(&hint, "Did you mean \"%s\"? ", near);
    text_add(&hint, "Levels are ");
    for (uint32_t i = 0; i < named && i < 20; i++)
        text_print(&hint, "%s%s", i > 0 ? ", " : "", names[i]);
    text_add(&hint, named > 20 ? " and others." : ".");
    return formula_problem(problem, ERROR_DATA, text_finish(&hint, NULL), "no row has the reference level of %.*s",
                           (int)bytes_cut(atom->atom->text, strlen(atom->atom->text), 2 * FORMULA_SHOWN), atom->atom->text);
}

/* Sets the numbers of the levels of a category that has contrasts. */
static bool set_contrasts(Env *env, TermAtom *atom, FormulaProblem *problem)
{
    Contrast contrast = (Contrast)atom->atom->contrast;
    uint32_t most = contrast == CONTRAST_POLY ? 95 : FORMULA_MAX_CONTRASTS;

    if (contrast == CONTRAST_TREATMENT || atom->columns == 0)
        return true;
    if (atom->columns > most)
        return formula_problem(problem, ERROR_LIMIT, "Use treatment contrasts: C(x).", "%.*s has %u levels, more than the %u that %s contrasts are possible for",
                               (int)bytes_cut(atom->atom->text, strlen(atom->atom->text), FORMULA_SHOWN), atom->atom->text, atom->columns, most,
                               contrast_name(contrast));
    atom->contrasts = contrast_rows(env, contrast, atom->columns);
    return true;
}

/* Makes what an atom needs to compute its columns; *learned counts the numbers that it computes per row. */
static bool plan_atom(Env *env, FormulaTerms *terms, TermAtom *atom, uint32_t *learned, FormulaProblem *problem)
{
    const char *wrong = formula_check_parameters(atom->atom, atom->parameters);

    if (wrong != NULL)
        return formula_problem(problem, ERROR_CORRUPT, NULL, "%s", wrong);
    atom->value = FORMULA_NONE;
    if (atom->atom->kind >= ATOM_SCALE && atom->atom->kind <= ATOM_CUT) {
        atom->value = *learned;
        *learned += atom->atom->kind == ATOM_CUT ? 1 : atom->atom->width;
        if (*learned > FORMULA_MAX_LEARNED)
            return formula_problem(problem, ERROR_LIMIT, NULL, "the functions of the formula that learn from the rows have more than %d columns",
                                   FORMULA_MAX_LEARNED);
    }
    if (atom->atom->kind == ATOM_BS)
        spline_bs(env, &atom->spline, atom->parameters, atom->atom->size, atom->atom->degree);
    else if (atom->atom->kind == ATOM_NS)
        spline_ns(env, &atom->spline, atom->parameters, atom->atom->size);
    return find_reference(terms, atom, problem) && set_contrasts(env, atom, problem);
}

static bool plan_atoms(Env *env, FormulaTerms *terms, const Model *inputs, FormulaProblem *problem)
{
    const Formula *formula = terms->formula;
    uint32_t *slots = env_array(env, (size_t)formula->input_count + 1, sizeof(uint32_t)), learned = 0, next = 1;
    uint32_t *first = env_array(env, (size_t)inputs->field_count + 1, sizeof(uint32_t));
    uint32_t *count = env_array(env, (size_t)inputs->field_count + 1, sizeof(uint32_t));

    if (!find_levels(inputs, first, count))
        return formula_problem(problem, ERROR_CORRUPT, NULL, "the levels of a formula are not in order");
    copy_levels(env, terms, inputs);
    for (uint32_t i = 0; i < formula->input_count; i++)
        slots[i + 1] = slots[i] + formula->inputs[i].width;
    terms->input_slots = slots;
    terms->atoms = env_array(env, (size_t)formula->atom_count + 1, sizeof(TermAtom));
    terms->offsets = env_array(env, (size_t)formula->atom_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < formula->atom_count; i++) {
        const FormulaAtom *source = &formula->atoms[i];
        TermAtom *atom = &terms->atoms[i];

        atom->atom = source;
        if (source->input == FORMULA_NONE)
            continue;
        atom->slot = slots[source->input];
        atom->columns = source->kind == ATOM_CUT ? source->size : source->categorical ? count[source->input] : source->width;
        atom->first_level = source->categorical ? first[source->input] : 0;
        atom->parameters = source->kind == ATOM_CUT && source->points != NULL ? source->points : terms->parameters + next;
        atom->parameter_count = formula_atom_parameters(source);
        next += atom->parameter_count;
        if (source->kind == ATOM_OFFSET)
            terms->offsets[terms->offset_count++] = atom->slot;
        if (!plan_atom(env, terms, atom, &learned, problem))
            return false;
    }
    return true;
}

/* ---- terms ---- */

/* Tells whether categories of single terms can stay categorical: designs then code them as the formula does. */
static bool keeps_categories(const FormulaTerms *terms, uint32_t full)
{
    const FormulaAtom *atom = full != FORMULA_NONE ? &terms->formula->atoms[full] : NULL;
    bool alone = false;

    if (atom == NULL)
        return true;
    for (uint32_t t = 0; t < terms->formula->term_count; t++)
        alone = alone || (terms->plans[t].count == 1 && terms->formula->term_atoms[terms->plans[t].first] == full);
    return alone && atom->kind != ATOM_CUT && atom->contrast == CONTRAST_TREATMENT && terms->atoms[full].reference == 0;
}

/* Sets the columns of the factors of a term. Returns how many there are together, at most UINT32_MAX. */
static uint64_t count_columns(FormulaTerms *terms, const TermPlan *plan)
{
    uint64_t columns = 1;

    for (uint32_t i = plan->first; i < plan->first + plan->count; i++) {
        TermFactor *factor = &terms->factors[i];
        const TermAtom *atom = &terms->atoms[terms->formula->term_atoms[i]];

        factor->atom = terms->formula->term_atoms[i];
        factor->columns = atom->columns - (factor->contrasts && atom->columns > 0);
        factor->stride = (uint32_t)columns;
        columns *= factor->columns;
        if (columns > UINT32_MAX)
            columns = UINT32_MAX;
    }
    return columns;
}

/* Sets columns of factors and terms, and counts fields and slots. */
static bool plan_terms(Env *env, FormulaTerms *terms, FormulaProblem *problem)
{
    const Formula *formula = terms->formula;
    uint64_t slots = 0, fields = 0;
    uint32_t full;
    bool keep;

    terms->plans = env_array(env, (size_t)formula->term_count + 1, sizeof(TermPlan));
    terms->factors = env_array(env, (size_t)formula->term_first[formula->term_count] + 1, sizeof(TermFactor));
    for (uint32_t t = 0; t < formula->term_count; t++) {
        terms->plans[t].first = formula->term_first[t];
        terms->plans[t].count = formula->term_first[t + 1] - formula->term_first[t];
        terms->plans[t].product = formula->term_products[t];
    }
    full = formula_code_categories(env, formula, terms->intercept, terms->factors);
    keep = keeps_categories(terms, full);
    for (uint32_t t = 0; t < formula->term_count; t++) {
        TermPlan *plan = &terms->plans[t];
        const TermAtom *only = &terms->atoms[formula->term_atoms[plan->first]];
        uint64_t columns = count_columns(terms, plan);
        bool column = plan->count == 1 && only->atom->kind == ATOM_COLUMN && !only->atom->categorical;

        plan->category = (keep || t >= formula->fixed_count) && plan->count == 1 && only->atom->categorical && only->atom->kind != ATOM_CUT &&
                         only->atom->contrast == CONTRAST_TREATMENT && only->reference == 0;
        plan->slot = (uint32_t)slots;
        plan->columns = plan->category || plan->product != FORMULA_NONE ? 1 : (uint32_t)columns;
        plan->field = (uint32_t)fields;
        slots += plan->columns;
        fields += plan->category || column ? 1 : plan->columns;
    }
    terms->slots = (uint32_t)slots;
    terms->fields = (uint32_t)fields;
    if (slots > FORMULA_MAX_COLUMNS)
        return formula_problem(problem, ERROR_LIMIT, NULL, "the formula has %s%llu columns, more than %u",
                               slots >= UINT32_MAX ? "at least " : "", (unsigned long long)slots, FORMULA_MAX_COLUMNS);
    return true;
}

/* Checks that categories in bars are fields: without an intercept, other terms may turn those of fixed effects into columns that lack a level. */
static bool check_categories(const FormulaTerms *terms, const uint32_t *list, uint32_t count, FormulaProblem *problem)
{
    for (uint32_t i = 0; i < count; i++) {
        const FormulaAtom *only = &terms->formula->atoms[terms->formula->term_atoms[terms->plans[list[i]].first]];

        if (only->categorical && !terms->plans[list[i]].category)
            return formula_problem(problem, ERROR_PARAMETER, "Keep the intercept, or write this category first, as in 0 + machine + x + (1 | machine).",
                                   "%.*s is a random effect or a group, and in a formula without an intercept it follows another category",
                                   (int)bytes_cut(only->text, strlen(only->text), FORMULA_SHOWN), only->text);
    }
    return true;
}

static bool check_bars(const FormulaTerms *terms, FormulaProblem *problem)
{
    for (uint32_t b = 0; b < terms->formula->bar_count; b++) {
        const BarTerms *bar = &terms->formula->bars[b];

        if (!check_categories(terms, bar->effects, bar->effect_count, problem) || !check_categories(terms, bar->groups, bar->group_count, problem))
            return false;
    }
    return true;
}

/* ---- fields ---- */

/* Adds the part of a column's name that is a factor's: "cut=Ideal", "poly(depth, 2)1", "carat". */
static void factor_name(TextBuffer *out, const FormulaTerms *terms, const TermFactor *factor, uint32_t column, bool alone)
{
    const TermAtom *atom = &terms->atoms[factor->atom];
    const FormulaAtom *source = atom->atom;

    text_add(out, alone && source->kind == ATOM_COLUMN ? terms->formula->variables[source->variable].text : source->text);
    if (source->categorical && factor->contrasts && source->contrast == CONTRAST_TREATMENT && column >= atom->reference)
        column++;
    if (factor->contrasts && (source->contrast == CONTRAST_HELMERT || source->contrast == CONTRAST_POLY)) {
        text_print(out, "%u", column + 1);
    } else if (source->kind == ATOM_CUT) {
        text_character(out, '=');
        text_add(out, formula_cut_name(out->env, atom->parameters, source->size, column));
    } else if (source->categorical) {
        text_add(out, terms->level_names[atom->first_level + column]);
    } else if (source->kind == ATOM_COLUMN && source->width > 1) {
        text_print(out, "[%u]", column + 1);
    } else if (source->kind >= ATOM_POLY && source->kind <= ATOM_NS) {
        text_print(out, "%u", column + 1);
    }
}

static void name_fields(Env *env, FormulaTerms *terms)
{
    const Formula *formula = terms->formula;
    const char **names = env_array(env, (size_t)terms->fields + 1, sizeof(char *));
    FieldKind *kinds = env_array(env, (size_t)terms->fields + 1, sizeof(FieldKind));
    uint32_t *widths = env_array(env, (size_t)terms->fields + 1, sizeof(uint32_t));

    terms->sources = env_array(env, (size_t)terms->fields + 1, sizeof(int));
    terms->field_plan = env_array(env, (size_t)terms->fields + 1, sizeof(uint32_t));
    for (uint32_t t = 0; t < formula->term_count; t++) {
        TermPlan *plan = &terms->plans[t];
        const FormulaAtom *only = &formula->atoms[formula->term_atoms[plan->first]];
        bool column = plan->count == 1 && (plan->category || (only->kind == ATOM_COLUMN && !only->categorical)), copied = column || plan->product != FORMULA_NONE;
        uint32_t count = copied ? 1 : plan->columns, input = column ? only->input : plan->product;

        for (uint32_t c = 0; c < count; c++) {
            TextBuffer name = {.env = env};
            uint32_t field = plan->field + c;

            kinds[field] = copied ? formula->inputs[input].field_kind : FIELD_NUMERIC;
            widths[field] = copied ? formula->inputs[input].width : 1;
            terms->sources[field] = copied ? (int)input : -1;
            terms->field_plan[field] = t;
            if (copied) {
                names[field] = formula->inputs[input].name;
                continue;
            }
            for (uint32_t i = plan->first; i < plan->first + plan->count; i++) {
                const TermFactor *factor = &terms->factors[i];

                text_add(&name, i > plan->first ? ":" : "");
                factor_name(&name, terms, factor, c / factor->stride % factor->columns, plan->count == 1);
            }
            names[field] = text_finish(&name, NULL);
            env_poll_every(env, field, 1024);
        }
    }
    terms->spec = (SchemaSpec){.field_count = terms->fields, .names = names, .kinds = kinds, .widths = widths, .named = true};
}

/* Sets by how much the levels of kept categories move from S to D. */
static void shift_levels(FormulaTerms *terms)
{
    uint32_t next = 0;

    for (uint32_t t = 0; t < terms->formula->term_count; t++) {
        TermPlan *plan = &terms->plans[t];
        const TermAtom *atom = &terms->atoms[terms->formula->term_atoms[plan->first]];

        if (!plan->category)
            continue;
        plan->shift = (double)next - (double)atom->first_level;
        next += atom->columns;
    }
}

FormulaTerms *formula_plan(Env *env, const Formula *formula, const Model *inputs, double *parameters, uint32_t count,
                           FormulaProblem *problem)
{
    FormulaTerms *terms = env_array(env, 1, sizeof(*terms));

    terms->formula = formula;
    terms->parameters = parameters;
    terms->parameter_count = count;
    terms->intercept = parameters[0] != 0;
    if (!plan_atoms(env, terms, inputs, problem) || !plan_terms(env, terms, problem) || !check_bars(terms, problem))
        return NULL;
    name_fields(env, terms);
    shift_levels(terms);
    return terms;
}
