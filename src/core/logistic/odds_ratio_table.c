/*
 * odds_ratio_table.c - the table odds_ratios of logistic regression: exponentials of its coefficients.
 */
#include "core/linear_equations/linear_classifier.h"
#include "core/estimator/table.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/linear_equations/variance_inflation.h"
#include "core/logistic/logistic_model.h"
#include "core/logistic/logistic_path.h"

#include <math.h>

static void *open_ratios(Env *env, const Model *model, uint64_t *rows)
{
    Coefficient *lines;

    *rows = linear_classifier_coefficients(env, model, &lines);
    return lines;
}

static bool ratio_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const Coefficient *line = (const Coefficient *)reader + i;

    if (strcmp(line->term, "(intercept)") == 0)
        return false;
    cell_string(&cells[0], line->class_name);
    cell_string(&cells[1], line->term);
    cell_number(&cells[2], exp(line->estimate)); /* may be infinite: classes that the features separate */
    cell_number(&cells[3], exp(line->conf_low));
    cell_number(&cells[4], exp(line->conf_high));
    cell_number(&cells[5], line->p_value);
    return true;
}

static const Table odds_ratios = {.name = "odds_ratios", .open = open_ratios, .row = ratio_row};

const Table *const logistic_tables[] = {&odds_ratios, &lambda_path_table, &coefficient_path_table, &variance_inflation_table, NULL};
