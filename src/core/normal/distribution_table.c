/*
 * distribution_table.c - the table "distributions": one row per normal distribution of a model.
 */
#include "core/normal/distribution_table.h"

void *distribution_reader(Env *env, Distributions distributions, uint64_t *rows)
{
    Distributions *reader = env_array(env, 1, sizeof *reader);

    *reader = distributions;
    *rows = distributions.count;
    return reader;
}

bool distribution_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const Distributions *list = reader;

    cell_integer(&cells[0], (int64_t)i + 1);
    cell_number(&cells[1], list->weights[i]);
    cell_numbers(&cells[2], list->means + i * list->dims, 0, list->dims);
    cell_numbers(&cells[3], list->covariances + i * list->dims * list->dims, list->dims, list->dims);
    return true;
}
