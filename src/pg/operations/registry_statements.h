/*
 * registry_statements.h - statements on the tables of the registry, with the rights of the caller. All need SPI.
 */
#ifndef PGFIT_REGISTRY_STATEMENTS_H
#define PGFIT_REGISTRY_STATEMENTS_H

#include "pg/score/registry_access.h"

/* Runs a statement of these values; types: their OIDs, and nulls as SPI takes them. Returns how many rows it found or changed. */
uint64 registry_run(const char *sql, int count, Oid *types, Datum *values, const char *nulls);
/* Runs a statement of a name, or of a name and a version. */
uint64 registry_run_name(const char *sql, const char *name);
uint64 registry_run_version(const char *sql, const char *name, int32 version);
/* Returns an int4 of the first row of the last statement; 0: NULL. */
int32 registry_number(int column);

void __attribute__((noreturn)) registry_fail_owner(const char *name);
/* Lets a version serve. Fails as promote(name, version) does. */
void registry_promote(const char *name, int32 version);

#endif
