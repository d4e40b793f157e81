/*
 * registry_access.h - reading the tables of the registry directly, and what the current user may do with a name.
 */
#ifndef PGFIT_REGISTRY_ACCESS_H
#define PGFIT_REGISTRY_ACCESS_H

#include "pg/server/compat.h"

#include "access/genam.h"
#include "access/htup.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

/* Columns, as src/sql/81-registry.sql declares them. */
enum { NAMES_NAME = 1, NAMES_OWNER = 2, NAMES_SCORERS = 3, NAMES_READERS = 4, NAMES_ACTIVE = 5 };
enum { REGISTRY_NAME = 1, REGISTRY_VERSION = 2, REGISTRY_MODEL = 3 };

typedef enum RegistryTable { REGISTRY_NAMES, REGISTRY_VERSIONS } RegistryTable;

/*
 * Opens a table of the registry. Fails with undefined_table if it is gone, and with object_not_in_prerequisite_state if it is not as the
 * extension made it, so that its columns can be read by number and no code of others runs when it is written to.
 */
Relation registry_open(RegistryTable table, LOCKMODE lock);

typedef struct RegistryScan {
    Relation table;
    SysScanDesc scan;
} RegistryScan;

/* Begins a scan, in the active snapshot, of the one row of a name, or of a version of it. Whoever calls it asks for the user's right first. */
RegistryScan registry_scan(RegistryTable table, const char *name, int32 version);
/* Returns the row, or NULL. */
HeapTuple registry_next(RegistryScan *scan);
void registry_scan_end(RegistryScan *scan);

/* What a user may do with a name: score by it, read the models themselves, change it. Each includes those before. */
typedef enum RegistryRight { RIGHT_NONE, RIGHT_SCORE, RIGHT_READ, RIGHT_OWN } RegistryRight;
/* Returns what the current user may do with the name of this row of pgfit_internal.model_names. */
RegistryRight registry_right(HeapTuple row, TupleDesc columns);
/* Tells whether the current user has the privileges of a role, given by its name. */
bool registry_has_role(const char *name);
/* Tells whether the current user may change all rows of the registry. */
bool registry_administers(void);

/* A name without RIGHT_SCORE fails as one that is not there. */
void __attribute__((noreturn)) registry_fail_name(const char *name);
void __attribute__((noreturn)) registry_fail_version(const char *name, int32 version);

#endif
