/*
 * value_check.h - the whole check of a value from outside, and the readers that end with it.
 */
#ifndef PGFIT_VALUE_CHECK_H
#define PGFIT_VALUE_CHECK_H

#include "core/model/model.h"

/*
 * Checks that `size` bytes are a whole value: layout and options (model_layout.c), schema and dictionary
 * (schema_check), the arrays of moments (moments_check) or of the estimator (its own check). Returns NULL where
 * sound, else what is wrong (a static or env-allocated message). Reads nothing outside [value, value + size).
 */
const char *model_check(Env *env, const void *value, size_t size);
/*
 * The rest, for sound values from outside: what would fail at the first score, such as a covariance that is not
 * positive definite. NULL, or what is wrong.
 */
const char *model_accept(Env *env, const Model *model);
/*
 * Returns a value just built, once its readers are known to take it. Whatever hands a value to the user ends here or
 * in model_require_finite. Fails with ERROR_RANGE where a number passed double precision.
 */
Model *model_require_readable(Env *env, Model *model);
/*
 * The same, but looks at the meaning of the arrays only where one holds an infinity or a NaN: for values by the
 * hundred thousand, of which the whole check would take a third of the time (estimator_fit).
 */
Model *model_require_finite(Env *env, Model *model);

/* Reads a model from text; the result passed model_check and is sealed. Fails with ERROR_TEXT naming the place. */
Model *model_from_text(Env *env, const char *text, size_t length);
/* Reads a model from network byte order; the same with ERROR_BINARY. */
Model *model_from_binary(Env *env, const uint8_t *bytes, size_t length);

#endif
