/*
 * model_array.h - arrays of models as arguments of SQL functions.
 */
#ifndef PGFIT_MODEL_ARRAY_H
#define PGFIT_MODEL_ARRAY_H

#include "pg/host/backend_env.h"

#include "utils/array.h"

/*
 * Returns the checked models of an array after `first` (NULL: none), and their number. Fails with ERROR_PARAMETER, "<what> 2<of> is
 * null", if one is NULL.
 */
const Model **model_array(ArrayType *array, const Model *first, const char *what, const char *of, const char *hint,
                          uint32_t *number);

#endif
