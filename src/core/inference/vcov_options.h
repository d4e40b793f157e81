/*
 * vcov_options.h - option "vcov": which standard errors a fit gives, and the options that go with it.
 */
#ifndef PGFIT_VCOV_OPTIONS_H
#define PGFIT_VCOV_OPTIONS_H

#include "core/options/options.h"

typedef enum VcovKind { VCOV_CLASSICAL, VCOV_HC0, VCOV_HC1, VCOV_HC2, VCOV_HC3, VCOV_CR0, VCOV_CR1, VCOV_CR1S, VCOV_CR2, VCOV_NW } VcovKind;

#define VCOV_AUTOMATIC (-1) /* a lag that the rows decide */

typedef struct VcovPlan {
    VcovKind kind;
    uint32_t clusters; /* columns of clusters */
    int64_t lag;
} VcovPlan;

/* For OPTION_TABLES: vcov, cluster, order, lag. */
extern const OptionSpec options_vcov[];

/* Tells whether the options ask for other than classical standard errors, which need the rows; false without such options. */
bool options_robust(const Options *options);
/* Reads them. Fails with ERROR_PARAMETER where one lacks another, or does not go with it. */
VcovPlan vcov_plan(Env *env, const Options *options);
/* Returns the name of a kind, "CR2". */
const char *vcov_name(VcovKind kind);
static inline bool vcov_clustered(VcovKind kind)
{
    return kind >= VCOV_CR0 && kind <= VCOV_CR2;
}

#endif
