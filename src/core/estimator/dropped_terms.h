/*
 * dropped_terms.h - terms that a fit leaves out because they depend linearly on others: the warning, and the fact
 * "dropped_terms" TEXT[n] with their names.
 */
#ifndef PGFIT_DROPPED_TERMS_H
#define PGFIT_DROPPED_TERMS_H

#include "core/model/model.h"

/* {.env = env} is an empty list. */
typedef struct DroppedTerms {
    Env *env;
    const char **names; /* [count] */
    uint32_t *lengths;  /* [count] */
    uint32_t count, room;
} DroppedTerms;

/* Adds a copy of the name. */
void dropped_note(DroppedTerms *dropped, const char *name);
/* Warns if there are any, and names the first ten. terms: how many there were; where: "" or " in some pair of classes". */
void dropped_warn(const DroppedTerms *dropped, uint32_t terms, const char *where, const char *hint);
/* Adds the fact, if there are any; the list must live until model_build. */
void dropped_add(ModelBuilder *builder, const DroppedTerms *dropped);

#endif
