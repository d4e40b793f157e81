/*
 * row_sampler.h - draws rows from a model that describes a distribution, or from a pipeline that ends in one, in the units of the
 * data.
 */
#ifndef PGFIT_ROW_SAMPLER_H
#define PGFIT_ROW_SAMPLER_H

#include "core/prepare/pipeline.h"

typedef struct RowSampler RowSampler;

/*
 * Prepares to draw from a checked model, which must outlive the sampler. label: draws only rows of this class, or of the component
 * with this number; NULL: all. Fails with ERROR_KIND if the model describes no distribution of rows of plain columns, and with
 * ERROR_PARAMETER if it has no such class.
 */
RowSampler *row_sampler(Env *env, const Model *model, int64_t seed, const char *label, uint32_t length);
/* Returns the model whose schema the rows have: the first stage of a pipeline. */
const Model *row_sampler_schema(const RowSampler *sampler);
/*
 * Returns row i, [slots] of the schema, the same for every number of rows that are drawn; valid until the next call, and in part in
 * memory of env. Fails with ERROR_RANGE if a number overflows.
 */
const double *row_sampler_draw(RowSampler *sampler, Env *env, uint64_t i);
/* Returns how many classes or components there are; 0: the distribution has none. And that of the last row, from 0 on. */
uint32_t row_sampler_parts(const RowSampler *sampler);
uint32_t row_sampler_part(const RowSampler *sampler);
/* Returns the class or the number of the component of the last row; NULL: the distribution is one. */
const char *row_sampler_label(RowSampler *sampler, uint32_t *length);

#endif
