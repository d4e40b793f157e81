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
 * Tells whether row level security shows the row of a name to the user. *lasting: only rows of tables and catalogs decide about that, no policy that
 * somebody has added.
 */
bool registry_name_visible(const RegistryScan *scan, HeapTuple tuple, bool *lasting);

void __attribute__((noreturn)) registry_fail_name(const char *name);
void __attribute__((noreturn)) registry_fail_version(const char *name, int32 version);

#endif
