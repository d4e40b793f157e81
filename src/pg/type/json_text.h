/*
 * json_text.h - the text of a jsonb value of any size.
 */
#ifndef PGFIT_JSON_TEXT_H
#define PGFIT_JSON_TEXT_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

/* Returns what JsonbToCString does, but answers a cancel while it writes a long string, such as a model of many megabytes. */
char *json_text(Jsonb *json);

#endif
