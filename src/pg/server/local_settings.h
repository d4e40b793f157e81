/*
 * local_settings.h - settings that hold while a function runs.
 */
#ifndef PGFIT_LOCAL_SETTINGS_H
#define PGFIT_LOCAL_SETTINGS_H

#include "pg/server/compat.h"

/* Sets settings, each a name and a value, until local_settings_end, which takes what is returned, or until an error. */
int local_settings_begin(const char *const (*settings)[2], size_t count);
/* Puts back all settings, also those that code in between has changed. */
void local_settings_end(int level);

#endif
