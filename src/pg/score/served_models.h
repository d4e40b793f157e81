/*
 * served_models.h - models by their names in the registry (src/sql/81-registry.sql), checked and prepared once per session.
 *
 * A name is looked up once per query: the rows of the registry that the query's snapshot sees decide which version serves, and whether
 * the user may use it. Between queries the session keeps prepared models, and reads the registry again as soon as any transaction that
 * has written something has ended.
 */
#ifndef PGFIT_SERVED_MODELS_H
#define PGFIT_SERVED_MODELS_H

#include "pg/score/scorer_cache.h"

/* The name of a call site, and the model that it serves; starts as zeros. */
typedef struct ServedSite ServedSite;

/* Makes the state of a call site. Its model is given back when the memory context is. */
ServedSite *served_site(MemoryContext context);
/*
 * Returns the model that serves under a name; valid until the next call for the site. name: text; constant: the same in every call. Fails
 * with undefined_object for a name that is not there or that the user may not score by, object_not_in_prerequisite_state for one without
 * a version that serves.
 */
const Scorer *served_scorer(ServedSite *site, Datum name, bool constant);
/* Fails with insufficient_privilege if the user may score by the name that the site was called with last, but not read its model. */
void served_require_read(const ServedSite *site);

#endif
