/*
 * model_info.h - what a model tells about itself: info() as JSON, summary() as text for a terminal.
 *
 * Both work for any model: they read schema, options and facts. A method with coefficients shows them in a summary of its own.
 */
#ifndef PGFIT_MODEL_INFO_H
#define PGFIT_MODEL_INFO_H

#include "core/estimator/estimator.h"

/*
 * Returns a JSON object, zero-terminated. NaN becomes null; infinities and numbers outside 1e-30 .. 1e30 become strings that
 * read as numbers ("Infinity", "1e-300").
 */
char *describe_info(Env *env, const Model *model);
/* Returns lines of text without a newline at the end: the estimator's own summary or a general one, and the options that
 * differ from their defaults. */
char *describe_summary(Env *env, const Model *model);

/* Returns the full name of a field, not zero-terminated: as given, else "f3" written into buffer. */
const char *describe_field_name(const Model *model, uint32_t field, char buffer[16],
                                uint32_t *length);

#endif
