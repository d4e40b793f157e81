/*
 * trusted_functions.h - which functions and types may run because data name them: values, options and the types of rows come from others.
 *
 * A function that data name runs with the rights of the current user, who did not choose it. So it must be IMMUTABLE and owned by the current
 * user or a superuser, or be listed in pgfit.trusted_functions by the current user or a superuser. That of a cast need not be IMMUTABLE.
 */
#ifndef PGFIT_TRUSTED_FUNCTIONS_H
#define PGFIT_TRUSTED_FUNCTIONS_H

#include "pg/server/compat.h"

/* Defines the setting, and watches for what changes an answer. */
void trusted_functions_init(void);

/*
 * Grows whenever the functions below may answer otherwise than before to the same user. Whoever keeps a function beyond one call asks again for a new
 * number, and for another user.
 */
uint64 trust_generation(void);

/*
 * Returns the function of a signature that has its schema, InvalidOid: there is none. The names of its types are looked up in pg_catalog alone, not
 * along a search path that the author of the signature, or of the setting, does not know.
 */
Oid find_qualified_function(const char *signature);

/*
 * Fails with insufficient_privilege unless the current user may call a function and trusts it. what: "metric function", for the message. immutable: it must be,
 * unless it is listed; for functions that data name freely, so that they cannot choose one of a superuser's that does more than compute.
 */
void require_trusted_function(Oid function, const char *what, bool immutable);

/*
 * Fails with insufficient_privilege unless the input function of a type runs only code that the current user trusts: no check of a domain, in no column,
 * element or bound, and no row type or range of somebody else, who could change it. function: whose arguments are of this type, and trusted: its owner may
 * own types of them as well. Returns whether values are rows or contain some: then their type may change whenever a relation does.
 */
bool require_trusted_input(Oid type, Oid function);

/* Tells whether a type belongs to the current user or a superuser. The owner of another one may make casts of it at any time. */
bool is_trusted_type(Oid type);

/* Tells whether a type and all that it consists of belongs to the current user or superusers. */
bool is_trusted_throughout(Oid type);

/*
 * Fails with insufficient_privilege unless a type that ids or labels are to have, and all that it consists of, belongs to the current user or a superuser:
 * it may be that of a column, and making a value of it runs the checks of domains.
 */
void require_trusted_result(Oid type);

#endif
