/*
 * pca_table.c - the table "components" of pca: one row per component and term.
 */
#include "core/reduce/component_report.h"
#include "core/reduce/pca_model.h"

typedef struct ComponentReader {
    Components list;
    ComponentVariances variances;
} ComponentReader;

static void *open_components(Env *env, const Model *model, uint64_t *rows)
{
    ComponentReader *reader = env_array(env, 1, sizeof *reader);
    const Components *list = &reader->list;

    pca_components(env, model, &reader->list);
    reader->variances = component_variances(env, list->variances, list->count, list->total);
    *rows = (uint64_t)list->count * list->terms;
    return reader;
}

static bool component_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const ComponentReader *reader = data;

    component_cells(&reader->variances, i / reader->list.terms, cells);
    cell_string(&cells[4], reader->list.term_names[i % reader->list.terms]);
    cell_number(&cells[5], reader->list.loadings[i]);
    return true;
}

static const Table components = {.name = "components", .open = open_components, .row = component_row};

const Table *const pca_tables[] = {&components, NULL};
