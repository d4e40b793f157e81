/*
 * formula_sql.c - writes inputs and terms as SQL expressions over the columns of the row.
 *
 * Polynomials are written in the distance from the mean, splines as a CASE of polynomials in the distance from the knot to the left:
 * the same numbers up to the last digits. NULLs stay NULL.
 */
#include "core/formula/formula_terms_internal.h"
#include "core/model/report_text.h"

#include <string.h>

static void add_input(TextBuffer *out, const Formula *formula, uint32_t i)
{
    const FormulaInput *input = &formula->inputs[i];
    const FormulaName *name = input->kind <= FORMULA_CATEGORY ? &formula->variables[input->variable] : NULL;

    if (input->kind == FORMULA_COLUMN)
        formula_column_sql(out, name);
    else if (input->kind == FORMULA_CATEGORY)
        formula_name_sql(out, name->text, name->length);
    else
        formula_expression_sql(out, formula, formula->input_expressions[i]);
}

char *formula_input_sql(Env *env, const Formula *formula, uint32_t input)
{
    TextBuffer out = {.env = env};

    if (formula->inputs[input].width != 1)
        return NULL;
    add_input(&out, formula, input);
    return text_finish(&out, NULL);
}

/* ---- polynomials ---- */

/* Adds (input - origin), or the input alone. */
static void add_distance(TextBuffer *out, const char *input, double origin)
{
    if (origin == 0) {
        text_add(out, input);
        return;
    }
    text_print(out, "(%s - ", input);
    sql_number(out, origin);
    text_character(out, ')');
}

/* Adds a polynomial by rising power, as Horner computes it. */
static void add_polynomial(TextBuffer *out, const double *coefs, uint32_t degree, const char *distance)
{
    while (degree > 0 && coefs[degree] == 0)
        degree--;
    for (uint32_t k = 0; k < degree; k++)
        text_character(out, '(');
    sql_number(out, coefs[degree]);
    for (uint32_t k = degree; k > 0; k--) {
        text_print(out, " * %s + ", distance);
        sql_number(out, coefs[k - 1]);
        text_character(out, ')');
    }
}

/* Adds an orthogonal polynomial: the recurrence, carried out on coefficients of powers of the distance from the mean. */
static void add_poly(TextBuffer *out, const double *parameters, uint32_t degree, const char *input)
{
    double polynomials[3][FORMULA_MAX_ATOM + 2] = {{0}};
    double *before = polynomials[0], *last = polynomials[1], *next = polynomials[2], *spare;
    TextBuffer distance = {.env = out->env};

    last[0] = 1 / parameters[0];
    for (uint32_t j = 0; j < degree; j++) {
        double shift = parameters[1] - parameters[1 + 2 * j];

        for (uint32_t k = 0; k <= j + 1; k++)
            next[k] = ((k > 0 ? last[k - 1] : 0) + shift * last[k] - (j > 0 ? parameters[2 * j] * before[k] : 0)) / parameters[2 + 2 * j];
        spare = before;
        before = last;
        last = next;
        next = spare;
    }
    add_distance(&distance, input, parameters[1]);
    add_polynomial(out, last, degree, distance.text);
}

/* Adds a column of a spline as a CASE. */
static void add_spline(TextBuffer *out, const Spline *spline, uint32_t column, const char *input)
{
    static const double zero[1];

    text_add(out, "CASE");
    for (uint32_t p = 0; p < spline->pieces; p++) {
        bool there = column >= spline->first[p] && column < spline->first[p] + spline->count[p];
        const double *coefs = spline->coefs + ((size_t)p * spline->columns + (there ? column - spline->first[p] : 0)) * (spline->degree + 1);
        TextBuffer distance = {.env = out->env};

        if (p + 1 < spline->pieces) {
            text_print(out, " WHEN %s < ", input);
            sql_number(out, spline->breaks[p]);
            text_add(out, " THEN ");
        } else { /* of NULL there is none */
            text_print(out, " WHEN %s IS NOT NULL THEN ", input);
        }
        add_distance(&distance, input, spline->origins[p]);
        add_polynomial(out, there ? coefs : zero, there ? spline->degree : 0, distance.text);
    }
    text_add(out, " END");
}

/* ---- factors ---- */

/* Adds the number of an atom: 0 or 1 for a level. */
static void add_atom(TextBuffer *out, const FormulaTerms *terms, const TermFactor *factor, uint32_t column)
{
    const TermAtom *atom = &terms->atoms[factor->atom];
    const FormulaAtom *source = atom->atom;
    TextBuffer value = {.env = out->env};

    add_input(&value, terms->formula, source->input);
    switch (source->kind) {
    case ATOM_SCALE:
        text_character(out, '(');
        add_distance(out, value.text, atom->parameters[0]);
        text_add(out, " / ");
        sql_number(out, atom->parameters[1]);
        text_character(out, ')');
        break;
    case ATOM_CENTER:
        add_distance(out, value.text, atom->parameters[0]);
        break;
    case ATOM_POLY:
        if (!source->raw) {
            add_poly(out, atom->parameters, column + 1, value.text);
            break;
        }
        for (uint32_t i = 0; i <= column; i++)
            text_print(out, "%s%s", i > 0 ? " * " : "(", value.text);
        text_character(out, ')');
        break;
    case ATOM_BS:
    case ATOM_NS:
        add_spline(out, &atom->spline, column, value.text);
        break;
    default:
        if (source->kind == ATOM_COLUMN && source->width > 1) {
            formula_name_sql(out, terms->formula->variables[source->variable].text, terms->formula->variables[source->variable].length);
            text_print(out, "[%u]::float8", column + 1);
        } else {
            text_add(out, value.text);
        }
    }
}

/* Adds a condition: the value is in interval `column` of cut. */
static void add_interval(TextBuffer *out, const TermAtom *atom, const char *input, uint32_t column)
{
    const char *and = "";

    if (column > 0) {
        text_print(out, "%s > ", input);
        sql_number(out, atom->parameters[column]);
        and = " AND ";
    }
    if (column + 1 < atom->atom->size) {
        text_print(out, "%s%s <= ", and, input);
        sql_number(out, atom->parameters[column + 1]);
    }
}

/* Adds that a value is a level: as text, but what factor(x) reads as it is, because its text may depend on settings. */
static void add_equal(TextBuffer *out, const FormulaTerms *terms, const TermAtom *atom, const char *input, uint32_t place)
{
    const char *level = terms->level_texts[atom->first_level + place];

    text_print(out, "%s%s", input, level == NULL ? " IS NULL" : atom->atom->kind == ATOM_CATEGORY ? " = " : "::text = ");
    if (level != NULL)
        sql_literal(out, level, (uint32_t)strlen(level));
}

/* Adds a condition: the value is this level; unknown levels count as the reference. */
static void add_level(TextBuffer *out, const FormulaTerms *terms, const TermAtom *atom, const char *input, uint32_t column)
{
    bool others = column == atom->reference;

    text_add(out, others ? "NOT (" : "");
    for (uint32_t i = 0, listed = 0; i < atom->columns; i++) {
        if (others ? i == column : i != column)
            continue;
        text_add(out, listed++ > 0 ? " OR " : "");
        add_equal(out, terms, atom, input, i);
    }
    text_add(out, others ? (atom->columns > 1 ? ")" : "false)") : "");
}

/* Tells whether NULL is a level of a category. */
static bool has_null_level(const FormulaTerms *terms, const TermAtom *atom)
{
    for (uint32_t i = 0; i < atom->columns; i++)
        if (terms->level_texts[atom->first_level + i] == NULL)
            return true;
    return false;
}

/* Adds the numbers of a category that has contrasts; unknown levels count as the reference. */
static void add_contrasts(TextBuffer *out, const FormulaTerms *terms, const TermAtom *atom, const char *input, uint32_t column)
{
    for (uint32_t i = 0; i < atom->columns; i++) {
        if (i == atom->reference)
            continue;
        text_add(out, " WHEN ");
        add_equal(out, terms, atom, input, i);
        text_add(out, " THEN ");
        sql_number(out, atom->contrasts[(size_t)i * (atom->columns - 1) + column]);
    }
    text_add(out, " ELSE ");
    sql_number(out, atom->contrasts[(size_t)atom->reference * (atom->columns - 1) + column]);
    text_add(out, " END");
}

/* Adds a factor that is a category, as 0 or 1, or as the number of its contrasts. */
static void add_category(TextBuffer *out, const FormulaTerms *terms, const TermFactor *factor, uint32_t column)
{
    const TermAtom *atom = &terms->atoms[factor->atom];
    TextBuffer value = {.env = out->env};

    if (factor->contrasts && atom->contrasts == NULL && column >= atom->reference)
        column++;
    add_input(&value, terms->formula, atom->atom->input);
    if (atom->atom->kind != ATOM_CUT && atom->atom->kind != ATOM_CATEGORY) { /* a column as it is */
        value = (TextBuffer){.env = out->env};
        formula_name_sql(&value, terms->formula->variables[atom->atom->variable].text,
                         terms->formula->variables[atom->atom->variable].length);
    }
    text_add(out, "CASE");
    if (atom->atom->kind == ATOM_CUT || !has_null_level(terms, atom))
        text_print(out, " WHEN %s IS NULL THEN NULL", value.text);
    if (factor->contrasts && atom->contrasts != NULL) {
        add_contrasts(out, terms, atom, value.text, column);
        return;
    }
    text_add(out, " WHEN ");
    if (atom->atom->kind == ATOM_CUT)
        add_interval(out, atom, value.text, column);
    else
        add_level(out, terms, atom, value.text, column);
    text_add(out, " THEN '1'::float8 ELSE '0'::float8 END");
}

char *formula_term_sql(Env *env, const FormulaTerms *terms, uint32_t field)
{
    const TermPlan *plan = &terms->plans[terms->field_plan[field]];
    uint32_t column = field - plan->field;
    TextBuffer out = {.env = env};

    if (terms->spec.widths[field] != 1)
        return NULL;
    if (plan->category) {
        const TermAtom *atom = &terms->atoms[terms->factors[plan->first].atom];

        add_input(&out, terms->formula, atom->atom->input);
        return text_finish(&out, NULL);
    }
    if (plan->count > 1)
        text_character(&out, '(');
    for (uint32_t i = plan->first; i < plan->first + plan->count; i++) {
        const TermFactor *factor = &terms->factors[i];
        uint32_t at = column / factor->stride % factor->columns;

        text_add(&out, i > plan->first ? " * " : "");
        if (terms->atoms[factor->atom].atom->categorical)
            add_category(&out, terms, factor, at);
        else
            add_atom(&out, terms, factor, at);
    }
    if (plan->count > 1)
        text_character(&out, ')');
    return text_finish(&out, NULL);
}
