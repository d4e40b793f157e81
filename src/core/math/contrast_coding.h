/*
 * contrast_coding.h - the numbers by which levels of a category are coded.
 */
#ifndef PGFIT_CONTRAST_CODING_H
#define PGFIT_CONTRAST_CODING_H

#include "core/base/env.h"

/* How a category is coded where its coding is not by all levels. */
typedef enum Contrast { CONTRAST_TREATMENT, CONTRAST_SUM, CONTRAST_HELMERT, CONTRAST_POLY } Contrast;

/* Finds the contrasts of a name such as sum or contr.sum, in any case. */
bool contrast_find(const char *name, uint32_t length, Contrast *contrast);
/* Returns "sum". */
const char *contrast_name(Contrast contrast);
/* Returns the numbers of each level, [levels x (levels - 1)]; levels is at least 1. */
double *contrast_rows(Env *env, Contrast contrast, uint32_t levels);

#endif
