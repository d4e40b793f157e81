/*
 * output_settings.h - the text of values as output functions write it, under settings that are the same in every session.
 */
#ifndef PGFIT_OUTPUT_SETTINGS_H
#define PGFIT_OUTPUT_SETTINGS_H

#include "pg/host/backend_env.h"

/* The settings that the text of a type's values may depend on. */
typedef enum OutputSettings {
    OUTPUT_FIXED = 0, /* none: integers, strings, addresses, bits, and arrays of them */
    OUTPUT_DIGITS,    /* extra_float_digits alone */
    OUTPUT_ANY
} OutputSettings;

OutputSettings output_settings_of(Oid type);
/* Makes the settings those of every session, if they are others. Returns what output_settings_end takes. */
int output_settings_begin(OutputSettings settings);
void output_settings_end(int level);

#endif
