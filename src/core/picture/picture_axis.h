/*
 * picture_axis.h - ticks of axes at round numbers, powers of ten, or round times, and how they are written.
 */
#ifndef PGFIT_PICTURE_AXIS_H
#define PGFIT_PICTURE_AXIS_H

#include "core/picture/scene.h"

#define TICK_TEXT 40
#define TICKS_MOST 64

typedef struct Tick {
    double at;
    char text[TICK_TEXT];
} Tick;

typedef struct Ticks {
    uint32_t count;
    Tick ticks[TICKS_MOST];
} Ticks;

/* Sets the ticks of a scale of any kind but bands: about so many, 1 at least. */
void scale_ticks(const Scale *scale, uint32_t about, Ticks *ticks);
/* Widens the range of a scale, so that marks do not touch its ends and a single value has a range. */
void scale_finish(Scale *scale);
/* Returns the place of a value on a scale, from 0 at its low end to 1. */
double scale_place(const Scale *scale, double value);
/* Writes seconds since 2000-01-01 as a date, and where it is not midnight a time. Returns buffer. */
const char *time_text(double seconds, char buffer[TICK_TEXT]);
/* Writes a number with so many significant digits at most, as short as it can be: 1,234.5, 1.2e-7. Returns buffer. */
const char *number_text(double number, int digits, char buffer[TICK_TEXT]);

#endif
