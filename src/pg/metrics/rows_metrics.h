/*
 * rows_metrics.h - results of metrics over kept rows; rows_metrics.c lists all of them.
 */
#ifndef PGFIT_ROWS_METRICS_H
#define PGFIT_ROWS_METRICS_H

#include "pg/aggregate/aggregate.h"

/* Return metrics of clusterings, each a RowsResult. */
Datum silhouette_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller);
Datum silhouettes_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller);
Datum calinski_harabasz_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller);
Datum davies_bouldin_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller);

#endif
