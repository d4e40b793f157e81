/*
 * cluster_tables.h - the tables of hierarchical clustering (dendrogram_tables.c), of k-medoids (medoid_table.c), and of a choice of
 * k (choice_table.c).
 */
#ifndef PGFIT_CLUSTER_TABLES_H
#define PGFIT_CLUSTER_TABLES_H

#include "core/estimator/table.h"

extern const Table *const hierarchy_tables[]; /* both are NULL-terminated */
extern const Table *const medoid_tables[];
extern const Table elbow_table;

#endif
