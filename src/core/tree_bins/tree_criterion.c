/*
 * tree_criterion.c - the criteria by name, impurities, and the order of the levels of a category.
 */
#include "core/tree_bins/tree_criterion.h"
#include "core/base/number_order.h"
#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

#define COMPONENT_STEPS 30
#define COMPONENT_CHANGE 1e-6

static const char *const names[] = {"gini", "entropy", "sqrt_gini", "minority", "mse", "mae", "poisson"};

const char *const tree_class_criteria[] = {"gini", "entropy", "sqrt_gini", "minority", NULL};
const char *const tree_number_criteria[] = {"mse", "mae", "poisson", NULL};

int tree_criterion_of(const char *name)
{
    for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

const char *tree_criterion_name(TreeCriterion criterion)
{
    return names[criterion];
}

static double gini(const double *weights, uint32_t count, double weight)
{
    double sum = 0;

    for (uint32_t k = 0; k < count; k++)
        sum += weights[k] / weight * ((weight - weights[k]) / weight);
    return sum;
}

double tree_class_impurity(TreeCriterion criterion, const double *weights, uint32_t count, double weight)
{
    double most = 0, sum = 0;

    if (!(weight > 0))
        return 0;
    switch (criterion) {
    case TREE_GINI:
        return gini(weights, count, weight);
    case TREE_SQRT_GINI:
        return sqrt(gini(weights, count, weight));
    case TREE_ENTROPY:
        for (uint32_t k = 0; k < count; k++)
            if (weights[k] > 0)
                sum -= weights[k] / weight * log2(weights[k] / weight);
        return sum > 0 ? sum : 0;
    default:
        for (uint32_t k = 0; k < count; k++)
            most = weights[k] > most ? weights[k] : most;
        return most < weight ? 1 - most / weight : 0;
    }
}

double tree_class_badness(TreeCriterion criterion, const double *weights, uint32_t count, double weight)
{
    double squares = 0, logs = 0, most = 0;

    switch (criterion) {
    case TREE_ENTROPY:
        for (uint32_t k = 0; k < count; k++)
            logs += x_log_x(weights[k]);
        return x_log_x(weight) - logs;
    case TREE_MINORITY:
        for (uint32_t k = 0; k < count; k++)
            most = weights[k] > most ? weights[k] : most;
        return weight - most;
    default:
        for (uint32_t k = 0; k < count; k++)
            squares += weights[k] * weights[k];
        return criterion == TREE_SQRT_GINI ? sqrt(fmax(0, weight * weight - squares)) : weight - squares / weight;
    }
}

double tree_number_impurity(TreeCriterion criterion, double *numbers, uint32_t count)
{
    double mean = 0, sum = 0, median;

    qsort(numbers, count, sizeof(double), compare_numbers);
    median = median_of_sorted(numbers, count);
    for (uint32_t i = 0; i < count; i++)
        mean += (numbers[i] - mean) / (i + 1);
    for (uint32_t i = 0; i < count; i++) {
        double y = numbers[i];

        if (criterion == TREE_MSE)
            sum += (y - mean) * (y - mean);
        else if (criterion == TREE_MAE)
            sum += fabs(y - median);
        else if (y > 0)
            sum += y * log(y / mean);
    }
    return sum / count;
}

/* ---- the order of levels ---- */

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
