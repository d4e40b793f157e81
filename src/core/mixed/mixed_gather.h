/*
 * mixed_gather.h - reads the rows of a mixed model: least squares of the fixed effects alone, then the cross-products of their residuals.
 */
#ifndef PGFIT_MIXED_GATHER_H
#define PGFIT_MIXED_GATHER_H

#include "core/mixed/mixed_system.h"

/* The fixed effects without random ones. */
typedef struct MixedStart {
    uint32_t count;   /* of columns that are kept */
    uint32_t *kept;   /* [count] places among the fixed columns of the design */
    uint8_t *dropped; /* [fixed columns] constant, or dependent on those before */
    double *beta;     /* [count] */
    double squares;   /* of the target around its center, weighted */
} MixedStart;

/* Finds dependent columns and least squares in one pass, and sets the scales of random slopes. */
MixedStart mixed_start(MixedDesign *design);
/* Sets the cross-products of a system in one pass, for the residuals of the start. */
void mixed_gather(MixedSystem *system, const MixedDesign *design, const MixedStart *start);
/*
 * Returns the first block with a random effect that the fixed effects explain in every group, as those of a factor do beside (1 | factor): the rows
 * say nothing about its variance. Returns system->count if there is none.
 */
uint32_t mixed_explained(const MixedSystem *system);

#endif
