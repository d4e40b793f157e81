/*
 * pair_function.h - SQL functions of two values that the core calls as metrics (Env.pair_function).
 */
#ifndef PGFIT_PAIR_FUNCTION_H
#define PGFIT_PAIR_FUNCTION_H

#include "core/base/env.h"

/* Lets the core call SQL functions. */
void pair_functions_init(void);

#endif
