/*
 * standardized_table.c - the table standardized_coefficients of linear_regression: coefficients of terms and a target that are
 * divided by their standard deviations.
 *
 * Array: deviations F64[1 + columns], of option standardize: the standard deviation (divisor n) of the target, then those of the
 * columns that have a term (linear_view.h), 0 for other columns.
 */
#include "core/linear/standardized_table.h"
#include "core/estimator/table.h"
#include "core/linear_equations/term_search.h"
#include "core/linear_equations/variance_inflation.h"

#include <math.h>

const ArraySpec deviation_arrays[1] = {{.name = "deviations",
                                        .type = ARRAY_F64,
                                        .presence = ARRAY_OPTIONAL,
                                        .values = VALUES_NONNEGATIVE,
                                        .rows = {SIZE_SLOTS, .other = SIZE_LEVELS, .plus = 1}}};

void linear_deviations_add(ModelBuilder *builder, const LinearFit *fit)
{
    const Design *design = fit->design;
    uint32_t slots = design->schema->slot_count, columns = slots + dictionary_size(design->schema, DICTIONARY_LEVELS);
    double *deviations = env_array(fit->env, (size_t)columns + 1, sizeof(double));

    deviations[0] = linear_deviation(fit, design->terms);
    for (uint32_t t = 0; t < design->terms; t++)
        deviations[1 + linear_column(slots, FIT_TERMS(design), t)] = linear_deviation(fit, t);
    builder_f64(builder, SECTION_ARRAYS, "deviations", deviations, columns + 1);
}

/* A row of the table: a coefficient and what it is multiplied by. */
typedef struct StandardizedTerm {
    Coefficient coefficient;
    double factor; /* NaN: the target does not vary */
} StandardizedTerm;

static bool has_deviations(const Model *model)
{
    return model_find(model, "deviations") != NULL;
}

static void *open_standardized(Env *env, const Model *model, uint64_t *rows)
{
    uint32_t length = 0, count, terms_count, first;
    const double *deviations = model_f64(model, "deviations", &length);
    const LinearTerm *terms = linear_terms(env, model, &terms_count);
    StandardizedTerm *list;
    Coefficient *lines;

    count = linear_coefficients(env, model, &lines);
    first = count - terms_count; /* the intercept */
    list = env_array(env, (size_t)terms_count + 1, sizeof(StandardizedTerm));
    for (uint32_t t = 0; t < terms_count; t++)
        list[t] = (StandardizedTerm){lines[t + first], deviations[0] > 0 ? deviations[1 + terms[t].column] / deviations[0] : NAN};
    *rows = terms_count;
    return list;
}

static bool standardized_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const StandardizedTerm *term = (const StandardizedTerm *)reader + i;

    cell_string(&cells[0], term->coefficient.term);
    cell_number(&cells[1], term->coefficient.estimate * term->factor);
    cell_number(&cells[2], term->coefficient.std_error * term->factor);
    cell_number(&cells[3], term->coefficient.conf_low * term->factor);
    cell_number(&cells[4], term->coefficient.conf_high * term->factor);
    return true;
}

static const Table standardized_coefficients = {.name = "standardized_coefficients",
                                                .columns = {{"term", CELL_TEXT},
                                                            {"estimate", CELL_NUMBER},
                                                            {"std_error", CELL_NUMBER},
                                                            {"conf_low", CELL_NUMBER},
                                                            {"conf_high", CELL_NUMBER}},
                                                .has = has_deviations,
                                                .open = open_standardized,
                                                .row = standardized_row};

const Table *const standardized_tables[] = {&standardized_coefficients, &term_search_table, &variance_inflation_table, NULL};
