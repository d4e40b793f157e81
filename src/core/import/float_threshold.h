/*
 * float_threshold.h - comparisons in single precision as comparisons of doubles that go the same way for every double.
 */
#ifndef PGFIT_FLOAT_THRESHOLD_H
#define PGFIT_FLOAT_THRESHOLD_H

#include <stdbool.h>

/* Returns the smallest float above a number. */
float float_above(double number);
/*
 * Returns the largest double that is below a float once it is rounded to one, ties to even: half way from the float before, or the
 * double before that. -Infinity where no finite number is below.
 */
double double_below_float(float limit);
/* Returns the threshold of "at most this number", or with `less` of "below it". single: numbers are compared as floats, of which it is one. */
double threshold_at(double number, bool less, bool single);

#endif
