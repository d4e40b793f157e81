/*
 * pca_table.c - the table "components" of pca: one row per component and term.
 */
#include "core/estimator/table.h"
#include "core/reduce/pca_model.h"

#include <math.h>

typedef struct ComponentReader {
    Components list;
    double *cumulative; /* [count] sums of the variances so far */
} ComponentReader;

static void *open_components(Env *env, const Model *model, uint64_t *rows)
{
    ComponentReader *reader = env_array(env, 1, sizeof *reader);
    double sum = 0;

    pca_components(env, model, &reader->list);
    reader->cumulative = env_array(env, (size_t)reader->list.count + 1, sizeof(double));
    for (uint32_t i = 0; i < reader->list.count; i++)
        reader->cumulative[i] = sum += reader->list.variances[i];
    *rows = (uint64_t)reader->list.count * reader->list.terms;
    return reader;
}

static bool component_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const ComponentReader *reader = data;
    const Components *list = &reader->list;
    uint64_t component = i / list->terms;

    cell_integer(&cells[0], (int64_t)component + 1);
    cell_number(&cells[1], list->variances[component]);
    if (list->total > 0) { /* else the shares are not known */
        cell_number(&cells[2], list->variances[component] / list->total);
        cell_number(&cells[3], fmin(reader->cumulative[component] / list->total, 1));
    }
    cell_string(&cells[4], list->term_names[i % list->terms]);
    cell_number(&cells[5], list->loadings[i]);
    return true;
}

static const Table components = {.name = "components",
                                 .columns = {{"component", CELL_INTEGER},
                                             {"variance", CELL_NUMBER},
                                             {"share", CELL_NUMBER},
                                             {"cumulative", CELL_NUMBER},
                                             {"term", CELL_TEXT},
                                             {"loading", CELL_NUMBER}},
                                 .open = open_components,
                                 .row = component_row};

const Table *const pca_tables[] = {&components, NULL};
