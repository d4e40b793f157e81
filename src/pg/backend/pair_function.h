/*
 * pair_function.h - SQL functions of two values that the core calls as metrics (Env.pair_function).
 */
#ifndef PGFIT_PAIR_FUNCTION_H
#define PGFIT_PAIR_FUNCTION_H

#include "core/base/env.h"

/* The Env.pair_function of a backend. */
PairFunction *host_pair_function(Env *env, const char *signature, bool stored);

#endif
