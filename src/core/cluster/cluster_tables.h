/*
 * cluster_tables.h - the tables of hierarchical clustering (dendrogram_tables.c) and of k-medoids (medoid_table.c).
 */
#ifndef PGFIT_CLUSTER_TABLES_H
#define PGFIT_CLUSTER_TABLES_H

#include "core/estimator/table.h"

extern const Table *const hierarchy_tables[]; /* both are NULL-terminated */
extern const Table *const medoid_tables[];

#endif
