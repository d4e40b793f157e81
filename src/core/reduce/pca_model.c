/*
 * pca_model.c - the arrays of a pca, and their view.
 */
#include "core/reduce/pca_model.h"

#include <string.h>

static const ArraySpec pca_arrays[] = {
    {.name = "components",
     .type = ARRAY_F64,
     .rows = {SIZE_COMPONENTS, .defines = true, .zero = true},
     .columns = {SIZE_TERMS},
     .data_at = VIEW_AT(PcaModel, components),
     .rows_at = VIEW_AT(PcaModel, k),
     .columns_at = VIEW_AT(PcaModel, terms.count)},
    {.name = "means", .type = ARRAY_F64, .rows = {SIZE_TERMS}, .data_at = VIEW_AT(PcaModel, means)},
    {.name = "scale",
     .type = ARRAY_F64,
     .rows = {SIZE_TERMS},
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(PcaModel, scale)},
    {.name = "variances", .type = ARRAY_F64, .rows = {SIZE_COMPONENTS}, .data_at = VIEW_AT(PcaModel, variances)},
    {.name = "whitening",
     .type = ARRAY_F64,
     .rows = {SIZE_COMPONENTS},
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(PcaModel, whitening)}};
static const ArraySpec pca_facts[] = {FACT("rank", ARRAY_I64), FACT("total_variance", ARRAY_F64)};
const ArrayTable pca_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(pca_arrays), ARRAY_TABLE_AT(term_arrays, PcaModel, terms), FACT_TABLE(pca_facts));

void pca_open(const Model *model, PcaModel *pca)
{
    memset(pca, 0, sizeof(*pca));
    view_arrays(model, pca_array_tables, pca);
}
