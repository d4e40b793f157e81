/*
 * model_info.h - what a model says about itself: info as JSON, summary as text for a terminal.
 *
 * Both read the value generically: schema, options, facts, and what the estimator's coefficients
 * give.
 */
#ifndef PGFIT_MODEL_INFO_H
#define PGFIT_MODEL_INFO_H

#include "core/estimator/estimator.h"

/*
 * A JSON object, zero-terminated. NaN is null; infinities and numbers outside 1e-30 .. 1e30 are
 * strings that read as numbers ("Infinity", "1e-300").
 */
char *describe_info(Env *env, const Model *model);
/* Lines of text without a closing newline: the estimator's own or what any model has, and the
 * options that are not the default. */
char *describe_summary(Env *env, const Model *model);

/* The name of a field in full, not zero-terminated: as given, else "f3" written into buffer. */
const char *describe_field_name(const Model *model, uint32_t field, char buffer[16],
                                uint32_t *length);

#endif
