/*
 * registry_statements.h - statements on the tables of the registry. All need SPI.
 *
 * They run as the owner of the tables, who alone may write to them, and not a line of code of others with them: registry_open has checked
 * the tables. So whoever runs one asks for the caller's right first.
 */
#ifndef PGFIT_REGISTRY_STATEMENTS_H
#define PGFIT_REGISTRY_STATEMENTS_H

#include "pg/score/registry_access.h"

/* Runs a statement of these values; types: their OIDs, and nulls as SPI takes them. Returns how many rows it found or changed. */
uint64 registry_run(const char *sql, int count, Oid *types, Datum *values, const char *nulls);
/* Runs a statement of a name, or of a name and a version. */
uint64 registry_run_name(const char *sql, const char *name);
/* Returns an int4 of the first row of the last statement; 0: NULL. */
int32 registry_number(int column);

/* Looks the row of a name up and locks it. lock: "FOR UPDATE" and the like, or "". Returns false if there is none. Sets *right to that of the user. */
bool registry_find(const char *name, const char *lock, RegistryRight *right);
/* Locks the row of a name, which is then the row of the last statement. Fails as there is no such name if the user does not see it, and if he does not own it. */
void registry_own(const char *name, const char *lock);
void __attribute__((noreturn)) registry_fail_owner(const char *name);
/* Lets a version serve. Fails as promote(name, version) does. */
void registry_promote(const char *name, int32 version);

#endif
