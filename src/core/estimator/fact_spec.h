/*
 * fact_spec.h - the facts of a method, for methods whose statistics are derived from stored facts: others are refused.
 */
#ifndef PGFIT_FACT_SPEC_H
#define PGFIT_FACT_SPEC_H

#include "core/model/model.h"

typedef struct FactSpec {
    char name[MODEL_NAME_SIZE];
    uint8_t type; /* ElementType: of one value, or a list of texts */
} FactSpec;

/* Checks that a model has no facts but these, each of its type. Returns NULL, or what is wrong. */
const char *facts_check(Env *env, const Model *model, const FactSpec *facts, uint32_t count);

#endif
