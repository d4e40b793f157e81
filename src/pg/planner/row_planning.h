/*
 * row_planning.h - whole rows in calls of aggregates become rows of the columns that a formula names, and rows are passed as columns.
 */
#ifndef PGFIT_ROW_PLANNING_H
#define PGFIT_ROW_PLANNING_H

/* Installs the planner hook. Called as the library is loaded. */
void row_planning_init(void);

#endif
