/*
 * inspect.h - what functions that read a whole model share.
 */
#ifndef PGFIT_INSPECT_H
#define PGFIT_INSPECT_H

#include "pg/backend/result_rows.h"
#include "core/estimator/estimator.h"

/*
 * A row a coefficient of the model: class, term, and what row puts into the columns behind them; rows for which it
 * is false are left out.
 */
typedef bool (*CoefficientRow)(const Coefficient *line, Datum *values, bool *nulls);
Datum coefficient_rows(FunctionCallInfo fcinfo, const Model *model, CoefficientRow row);

#endif
