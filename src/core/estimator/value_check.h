/*
 * value_check.h - the complete check of a value from outside, and the readers that end with it.
 */
#ifndef PGFIT_VALUE_CHECK_H
#define PGFIT_VALUE_CHECK_H

#include "core/model/model.h"

/*
 * Checks that `size` bytes are a whole value: layout and options (model_layout.c), schema and dictionary
 * (schema_check), the arrays of moments (moments_check) or of the estimator (its own check); a training summary is checked by readers and by
 * whoever uses it. Returns NULL, or what is
 * wrong (a static or env-allocated message). Reads nothing outside [value, value + size).
 */
const char *model_check(Env *env, const void *value, size_t size);
/*
 * Checks the rest, for checked values from outside: what would fail at the first score, such as a covariance that is not
 * positive definite. Returns NULL, or what is wrong.
 */
const char *model_accept(Env *env, const Model *model);
/*
 * Returns a value just built, after making sure that it can be read back. All that hands values to the user ends here or
 * in model_require_finite. Fails with ERROR_RANGE if a number has overflowed.
 */
Model *model_require_readable(Env *env, Model *model);
/*
 * The same, but checks what the arrays mean only if one holds an infinity or a NaN: for values by the hundred thousand,
 * where the complete check would take a third of the time (estimator_fit).
 */
Model *model_require_finite(Env *env, Model *model);

/* Reads a model from text; the result passed model_check and is sealed. Fails with ERROR_TEXT naming the place. */
Model *model_from_text(Env *env, const char *text, size_t length);
/* Reads a model from network byte order; the same with ERROR_BINARY. */
Model *model_from_binary(Env *env, const uint8_t *bytes, size_t length);

#endif
