/*
 * metric_sphere.c - coordinates on spheres: places on the earth for haversine, and rows less their mean for correlation.
 *
 * Great-circle distances grow with the chord between two points in space, so a place becomes such a point, and everything that
 * works for squared distances, trees above all, works for places too, across the poles and the date line. The name is that of
 * the formula by which sailors computed the same distance (Inman 1835).
 */
#include "core/distance/metric_internal.h"

#include <math.h>

const char *sphere_slots(Metric *metric, uint32_t *number_slots)
{
    if (metric->slots != 2)
        return "metric haversine needs two numbers, latitude and longitude";
    number_slots[2] = number_slots[1]; /* room for the third coordinate */
    metric->numbers = 3;
    return NULL;
}

bool sphere_place(const Metric *metric, double *x)
{
    double latitude = x[0] * metric->angle, longitude = x[1] * metric->angle, radius;

    if (!(fabs(latitude) <= M_PI / 2 * (1 + 1e-15)) || !(fabs(longitude) <= 2 * M_PI * (1 + 1e-15)))
        return false;
    radius = cos(latitude);
    x[0] = radius * cos(longitude);
    x[1] = radius * sin(longitude);
    x[2] = sin(latitude);
    return true;
}

bool numbers_center(double *x, uint32_t count)
{
    double largest = 0, mean = 0, least = INFINITY, most = -INFINITY;
    int exponent;

    for (uint32_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(x[i]));
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    if (!(least < most))
        return false;
    frexp(largest, &exponent);
    for (uint32_t i = 0; i < count; i++) { /* brought near 1, where nothing overflows */
        x[i] = ldexp(x[i], -exponent);
        mean += x[i] / count;
    }
    for (uint32_t i = 0; i < count; i++)
        x[i] -= mean;
    return true;
}
