/*
 * tree_component.c - the first principal component of the class shares of levels.
 */
#include "core/tree_bins/tree_component.h"

#include <math.h>
#include <string.h>

#define COMPONENT_STEPS 30
#define COMPONENT_CHANGE 1e-6

/* Returns how far the share of class k in a level is above the node's. */
static inline double deviation(const LevelClasses *of, uint32_t level, uint32_t k)
{
    return of->weights[(size_t)level * of->classes + k] / of->sums[level] - of->total[k] / of->weight;
}

/* Returns the component of a level's class shares, minus the node's, along a direction. */
static double along(const LevelClasses *of, uint32_t level, const double *direction)
{
    double sum = 0;

    for (uint32_t k = 0; k < of->classes; k++)
        sum += deviation(of, level, k) * direction[k];
    return sum;
}

/* Makes the direction one of length 1. Returns the former length. */
static double normalize(double *direction, uint32_t count)
{
    double squares = 0, length;

    for (uint32_t k = 0; k < count; k++)
        squares += direction[k] * direction[k];
    length = sqrt(squares);
    for (uint32_t k = 0; length > 0 && k < count; k++)
        direction[k] /= length;
    return length;
}

/* Sets the direction to the level whose shares deviate most, by weight. */
static void start_direction(const LevelClasses *of, double *direction, double *next)
{
    double most = -1;

    for (uint32_t l = 0; l < of->levels; l++) {
        double squares = 0;

        for (uint32_t k = 0; k < of->classes; k++) {
            next[k] = deviation(of, l, k);
            squares += next[k] * next[k];
        }
        if (squares * of->sums[l] > most) {
            most = squares * of->sums[l];
            memcpy(direction, next, of->classes * sizeof(double));
        }
    }
    normalize(direction, of->classes);
}

void tree_component_keys(Env *env, const LevelClasses *of, double *room, double *keys)
{
    double *direction = room, *next = room + of->classes, former = 0;

    start_direction(of, direction, next);
    for (int step = 0; step < COMPONENT_STEPS; step++) {
        double length;

        memset(next, 0, of->classes * sizeof(double));
        for (uint32_t l = 0; l < of->levels; l++) {
            double factor = of->sums[l] * along(of, l, direction);

            for (uint32_t k = 0; k < of->classes; k++)
                next[k] += factor * deviation(of, l, k);
        }
        env->poll(env);
        length = normalize(next, of->classes);
        if (length == 0)
            break;
        memcpy(direction, next, of->classes * sizeof(double));
        if (fabs(length - former) <= COMPONENT_CHANGE * length)
            break;
        former = length;
    }
    for (uint32_t l = 0; l < of->levels; l++)
        keys[l] = along(of, l, direction);
}
