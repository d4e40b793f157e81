/*
 * registry_access.h - reading the tables of the registry directly, with the rights of the current user.
 */
#ifndef PGFIT_REGISTRY_ACCESS_H
#define PGFIT_REGISTRY_ACCESS_H

#include "pg/backend/compat.h"

#include "access/genam.h"
#include "access/htup.h"
#include "utils/relcache.h"

/* Columns, as src/sql/81-registry.sql declares them. */
enum { NAMES_NAME = 1, NAMES_OWNER = 2, NAMES_READERS = 3, NAMES_ACTIVE = 4 };
enum { REGISTRY_NAME = 1, REGISTRY_VERSION = 2, REGISTRY_MODEL = 3 };

typedef enum RegistryTable { REGISTRY_NAMES, REGISTRY_VERSIONS } RegistryTable;

typedef struct RegistryScan {
    Relation table;
    SysScanDesc scan;
} RegistryScan;

/*
 * Begins a scan, in the active snapshot, of the one row of a name, or of a version of it. Fails with insufficient_privilege if the user
 * may not read the table.
 */
RegistryScan registry_scan(RegistryTable table, const char *name, int32 version);
/* Returns the row, or NULL. */
HeapTuple registry_next(RegistryScan *scan);
void registry_scan_end(RegistryScan *scan);
/*
 * Tells whether row level security shows the user the row of a name, or, if it shows that, of a version (0: of the name alone). Sets *lasting to false
 * if anything but rows of tables and catalogs decides about that, such as a policy that somebody has added.
 */
bool registry_visible(const RegistryScan *scan, const char *name, int32 version, HeapTuple tuple, bool *lasting);

/* Which rows a query on the registry sees: those of the query that calls it, or those that are committed now. */
typedef enum RegistryMoment { REGISTRY_AS_CALLER, REGISTRY_NOW } RegistryMoment;
/* Asks by a query, to which all policies apply, whether there is a name, or a version of it (0: the name alone). */
bool registry_exists(const char *name, int32 version, RegistryMoment moment);

void __attribute__((noreturn)) registry_fail_name(const char *name);
void __attribute__((noreturn)) registry_fail_version(const char *name, int32 version);

#endif
