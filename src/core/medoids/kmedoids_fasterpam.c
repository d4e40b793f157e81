/*
 * kmedoids_fasterpam.c - starts, swaps and alternation of medoids.
 *
 * After Schubert & Rousseeuw (2021), "Fast and eager k-medoids clustering": one pass over the distances of a point evaluates its
 * swaps with all k medoids, because the cost of removing each medoid is computed beforehand.
 */
#include "core/medoids/kmedoids.h"
#include "core/base/random.h"

#include <math.h>
#include <string.h>

#define PANEL_NUMBERS 32768 /* of panels that stay in the cache for several points */
#define LEAST_GAIN 1e-12 /* relative to the cost: smaller gains may be rounding */

/* ---- points and their medoids ---- */

Medoids *medoids_new(Env *env, const Metric *metric, const double *coordinates, const double *weights, uint32_t n,
                     uint32_t k)
{
    Medoids *medoids = env_array(env, 1, sizeof(Medoids));
    size_t panels = metric_panel_count(n);

    *medoids = (Medoids){.env = env, .metric = metric, .coordinates = coordinates, .weights = weights, .n = n, .k = k};
    medoids->panels = env_array(env, panels * METRIC_PANEL, (size_t)metric->width * sizeof(double) + 1);
    medoids->now.medoids = env_array(env, k, sizeof(uint32_t));
    medoids->best.medoids = env_array(env, k, sizeof(uint32_t));
    medoids->nearest = env_array(env, n, sizeof(uint32_t));
    medoids->second = env_array(env, n, sizeof(uint32_t));
    medoids->first_distance = env_array(env, n, sizeof(double));
    medoids->second_distance = env_array(env, n, sizeof(double));
    medoids->row = medoids->own = env_array(env, panels * METRIC_PANEL, sizeof(double));
    if (metric->width >= MEDOIDS_AHEAD_WIDTH)
        medoids->ahead = env_array_raw(env, MEDOIDS_AHEAD * panels * METRIC_PANEL, sizeof(double));
    medoids->members = env_array(env, n, sizeof(uint32_t));
    medoids->bounds = env_array(env, n, sizeof(double));
    medoids->evaluated_for = env_array(env, n, sizeof(uint32_t));
    medoids->losses = env_array(env, k, sizeof(double));
    medoids->changes = env_array(env, k, sizeof(double));
    medoids_read(medoids);
    return medoids;
}

void medoids_read(Medoids *medoids)
{
    metric_fill_panels(medoids->metric, medoids->coordinates, medoids->n, medoids->panels);
    medoids->turn = medoids->turn_end = 0;
}

/* Sets medoids->row to the distances of a point from all points. Polls. */
static void medoids_distances(Medoids *medoids, const double *point)
{
    const uint32_t step = 2048; /* panels between two polls */
    uint32_t panels = (uint32_t)metric_panel_count(medoids->n);

    medoids->row = medoids->own;
    for (uint32_t p = 0; p < panels; p += step) {
        uint32_t count = panels - p < step ? panels - p : step;
        size_t at = (size_t)p * METRIC_PANEL;

        metric_reduced_panels(medoids->metric, point, medoids->panels + at * medoids->metric->width, count,
                              medoids->row + at);
        medoids->env->poll(medoids->env);
    }
    metric_of_reduced_all(medoids->metric, medoids->row, medoids->n);
    medoids->evaluations += medoids->n;
}

/*
 * Sets medoids->row to the distances of a point from all points, where all points are asked for in turn: those of the next ones are computed while panels are
 * in the cache.
 */
static void distances_in_turn(Medoids *medoids, uint32_t point)
{
    const Metric *metric = medoids->metric;
    uint32_t panels = (uint32_t)metric_panel_count(medoids->n), most = 1 + PANEL_NUMBERS / (METRIC_PANEL * (metric->width + 1));
    size_t room = (size_t)panels * METRIC_PANEL;

    if (medoids->ahead == NULL) {
        medoids_distances(medoids, medoids_point(medoids, point));
        return;
    }
    if (point < medoids->turn || point >= medoids->turn_end) {
        medoids->turn = point;
        medoids->turn_end = medoids->n - point < MEDOIDS_AHEAD ? medoids->n : point + MEDOIDS_AHEAD;
        for (uint32_t p = 0; p < panels; p += most) {
            size_t at = (size_t)p * METRIC_PANEL;

            for (uint32_t i = point; i < medoids->turn_end; i++)
                metric_reduced_panels(metric, medoids_point(medoids, i), medoids->panels + at * metric->width, panels - p < most ? panels - p : most,
                                      medoids->ahead + (i - point) * room + at);
            medoids->env->poll(medoids->env);
        }
        for (uint32_t i = point; i < medoids->turn_end; i++)
            metric_of_reduced_all(metric, medoids->ahead + (i - point) * room, medoids->n);
    }
    medoids->row = medoids->ahead + (point - medoids->turn) * room;
    medoids->evaluations += medoids->n;
}

/* Updates the two nearest medoids of each point by medoid m, whose distances are in row. The earlier of equal ones stays. */
static void add_medoid(Medoids *medoids, uint32_t m)
{
    for (uint32_t i = 0; i < medoids->n; i++) {
        double distance = medoids->row[i];

        if (distance < medoids->first_distance[i]) {
            medoids->second_distance[i] = medoids->first_distance[i];
            medoids->second[i] = medoids->nearest[i];
            medoids->first_distance[i] = distance;
            medoids->nearest[i] = m;
        } else if (distance < medoids->second_distance[i]) {
            medoids->second_distance[i] = distance;
            medoids->second[i] = m;
        }
    }
}

static void clear_nearest(Medoids *medoids)
{
    for (uint32_t i = 0; i < medoids->n; i++) {
        medoids->first_distance[i] = medoids->second_distance[i] = INFINITY;
        medoids->nearest[i] = medoids->second[i] = 0;
    }
}

static void sum_cost(Medoids *medoids)
{
    double cost = 0;

    for (uint32_t i = 0; i < medoids->n; i++)
        cost += row_weight(medoids->weights, i) * medoids->first_distance[i];
    medoids->now.cost = cost;
    if (!isfinite(cost) && medoids->metric->form == FORM_OBJECTS)
        env_fail(medoids->env, ERROR_DATA, "Ask for more clusters: each part of the rows that are connected needs a medoid.",
                 "a row is infinitely far from all medoids");
    if (!isfinite(cost))
        env_fail(medoids->env, ERROR_RANGE, "Divide the features by a power of ten.",
                 "the sum of distances of kmedoids is out of range");
}

void medoids_assign(Medoids *medoids)
{
    clear_nearest(medoids);
    for (uint32_t m = 0; m < medoids->k; m++) {
        medoids_distances(medoids, medoids_point(medoids, medoids->now.medoids[m]));
        add_medoid(medoids, m);
    }
    sum_cost(medoids);
}

/* Adds the cost to the history if keep_history. */
static void medoids_record_cost(Medoids *medoids)
{
    MedoidsResult *now = &medoids->now;

    if (!medoids->keep_history)
        return;
    if (now->history_count == now->history_room) {
        now->history_room = now->history_room > 0 ? 2 * now->history_room : 64;
        now->history = medoids->env->resize(medoids->env, now->history, now->history_room * sizeof(double));
    }
    now->history[now->history_count++] = now->cost;
}

/* ---- starts ---- */

/* Returns by how much the point whose distances are in row would lower the cost; minus its cost if there is no medoid yet. */
static double gain_of(const Medoids *medoids, uint32_t chosen)
{
    const double *row = medoids->row, *first = medoids->first_distance;
    double gain = 0;

    for (uint32_t i = 0; i < medoids->n && chosen == 0; i++)
        gain -= row_weight(medoids->weights, i) * row[i];
    for (uint32_t i = 0; i < medoids->n && chosen > 0; i++) /* without a branch, which nobody could predict */
        gain += row_weight(medoids->weights, i) * (row[i] < first[i] ? first[i] - row[i] : 0);
    return gain;
}

/* Makes a point medoid m. */
static void choose(Medoids *medoids, uint32_t m, uint32_t point)
{
    medoids->now.medoids[m] = point;
    medoids_distances(medoids, medoids_point(medoids, point));
    add_medoid(medoids, m);
    medoids->env->progress(medoids->env, "choosing medoids", m, medoids->k, NAN);
}

/*
 * Returns the point with the largest bound among those not yet evaluated for medoid m, the first of equal ones; UINT32_MAX: none.
 * More medoids never make a gain larger (Minoux 1978), rounding included, so the gain as last computed is an upper bound. By it a fit of 10
 * medoids to 2,000 rows takes 0.12 instead of 0.26 s, and one of 5 to 5,000 rows 0.75 instead of 1.1 s.
 */
static uint32_t most_promising(const Medoids *medoids, uint32_t m)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t c = 0; c < medoids->n; c++)
        if (medoids->evaluated_for[c] != m + 1 && (best == UINT32_MAX || medoids->bounds[c] > medoids->bounds[best]))
            best = c;
    return best;
}

/* Returns the point that lowers the cost most as medoid m, the first of equal ones. */
static uint32_t best_addition(Medoids *medoids, uint32_t m)
{
    double most = -INFINITY;
    uint32_t best = 0, evaluated = 0, c;

    while ((c = most_promising(medoids, m)) != UINT32_MAX && !(medoids->bounds[c] < most)) {
        medoids->env->poll(medoids->env);
        medoids->evaluated_for[c] = m + 1;
        if (m > 0 && medoids->first_distance[c] == 0) {
            medoids->bounds[c] = 0; /* a medoid, or equal to one */
            continue;
        }
        if (evaluated++ % 64 == 0)
            medoids->env->progress(medoids->env, "choosing medoids", m, medoids->k, NAN);
        if (m < 2) /* all bounds are infinite */
            distances_in_turn(medoids, c);
        else
            medoids_distances(medoids, medoids_point(medoids, c));
        medoids->bounds[c] = gain_of(medoids, m);
        if (medoids->bounds[c] > most || (medoids->bounds[c] == most && c < best)) {
            most = medoids->bounds[c];
            best = c;
        }
    }
    return best;
}

void medoids_build(Medoids *medoids)
{
    clear_nearest(medoids);
    memset(medoids->evaluated_for, 0, medoids->n * sizeof(uint32_t));
    for (uint32_t m = 0; m < medoids->k; m++) {
        if (m < 2) /* gains of the first medoid are costs, which do not bound those of the second */
            for (uint32_t c = 0; c < medoids->n; c++)
                medoids->bounds[c] = INFINITY;
        choose(medoids, m, best_addition(medoids, m));
    }
}

void medoids_build_sampled(Medoids *medoids, uint64_t seed)
{
    uint32_t candidates = 10 + (uint32_t)sqrt(medoids->n);

    clear_nearest(medoids);
    for (uint32_t m = 0; m < medoids->k; m++) {
        double most = -INFINITY;
        uint32_t best = 0;

        for (uint32_t c = 0; c < candidates; c++) {
            uint32_t point = (uint32_t)(random_unit(&seed) * medoids->n);
            double gain;

            medoids_distances(medoids, medoids_point(medoids, point));
            gain = gain_of(medoids, m);
            if (gain > most) {
                most = gain;
                best = point;
            }
        }
        choose(medoids, m, best);
    }
}

void medoids_random(Medoids *medoids, uint64_t seed)
{
    clear_nearest(medoids);
    for (uint32_t m = 0; m < medoids->k; m++) {
        uint32_t from = (uint32_t)(random_unit(&seed) * medoids->n), point = from;

        while (m > 0 && medoids->first_distance[point] == 0) { /* goes on to a point that equals no medoid */
            point = point + 1 < medoids->n ? point + 1 : 0;
            if (point == from)
                break;
        }
        choose(medoids, m, point);
    }
}

void medoids_given(Medoids *medoids, const double *given)
{
    for (uint32_t m = 0; m < medoids->k; m++) {
        uint32_t best = 0;

        medoids_distances(medoids, given + (size_t)m * medoids->metric->width);
        for (uint32_t i = 1; i < medoids->n; i++)
            if (medoids->row[i] < medoids->row[best])
                best = i;
        medoids->now.medoids[m] = best;
    }
}

/* ---- swaps ---- */

/* Sets the losses: what removing each medoid would add to the cost. */
static void removal_losses(Medoids *medoids)
{
    memset(medoids->losses, 0, medoids->k * sizeof(double));
    for (uint32_t i = 0; i < medoids->n; i++)
        medoids->losses[medoids->nearest[i]] +=
            row_weight(medoids->weights, i) * (medoids->second_distance[i] - medoids->first_distance[i]);
}

/* Returns the change of the cost by the best swap with the point whose distances are in row, and sets the medoid to replace. */
static double best_swap(Medoids *medoids, uint32_t *medoid)
{
    double shared = 0, *changes = medoids->changes;
    uint32_t best = 0;

    memcpy(changes, medoids->losses, medoids->k * sizeof(double));
    for (uint32_t i = 0; i < medoids->n; i++) {
        double distance = medoids->row[i], first = medoids->first_distance[i], second = medoids->second_distance[i];

        if (distance < first) {
            shared += row_weight(medoids->weights, i) * (distance - first);
            changes[medoids->nearest[i]] += row_weight(medoids->weights, i) * (first - second);
        } else if (distance < second) {
            changes[medoids->nearest[i]] += row_weight(medoids->weights, i) * (distance - second);
        }
    }
    for (uint32_t m = 1; m < medoids->k; m++)
        if (changes[m] < changes[best])
            best = m;
    *medoid = best;
    return shared + changes[best];
}

/* Returns the change of the cost by a swap if k is 1, so that no point has a second medoid. */
static double single_swap(const Medoids *medoids)
{
    double cost = 0;

    for (uint32_t i = 0; i < medoids->n; i++)
        cost += row_weight(medoids->weights, i) * medoids->row[i];
    return cost - medoids->now.cost;
}

static void swap(Medoids *medoids, uint32_t medoid, uint32_t point)
{
    medoids->now.medoids[medoid] = point;
    medoids->now.swaps++;
    medoids_assign(medoids);
    medoids_record_cost(medoids);
}

/* Computes the distances of a point. Returns the change of the cost by the best swap with it, and sets the medoid to replace. */
static double swap_change(Medoids *medoids, uint32_t point, uint32_t *medoid)
{
    distances_in_turn(medoids, point);
    *medoid = 0;
    return medoids->k == 1 ? single_swap(medoids) : best_swap(medoids, medoid);
}

/* Makes every swap that lowers the cost as soon as it is found, until all points have been evaluated without a swap. */
static void swap_eagerly(Medoids *medoids)
{
    uint32_t without_swap = 0, point = 0;

    removal_losses(medoids);
    for (uint64_t evaluated = 0; without_swap < medoids->n; evaluated++) {
        uint32_t medoid;

        if (evaluated % medoids->n == 0) {
            if (medoids->now.iterations == medoids->max_iter)
                return;
            medoids->now.iterations++;
            medoids->env->progress(medoids->env, "kmedoids", (uint64_t)medoids->now.iterations,
                                   (uint64_t)medoids->max_iter, medoids->now.cost);
        }
        without_swap++;
        if (medoids->first_distance[point] > 0 &&
            swap_change(medoids, point, &medoid) < -LEAST_GAIN * medoids->now.cost) {
            swap(medoids, medoid, point);
            removal_losses(medoids);
            without_swap = 0;
        }
        point = point + 1 < medoids->n ? point + 1 : 0;
    }
    medoids->now.converged = true;
}

/* Makes the best of all swaps in each round, until none lowers the cost. */
static void swap_best(Medoids *medoids)
{
    while (medoids->now.iterations < medoids->max_iter) {
        double least = -LEAST_GAIN * medoids->now.cost;
        uint32_t medoid = 0, best = UINT32_MAX;

        medoids->now.iterations++;
        medoids->env->progress(medoids->env, "kmedoids", (uint64_t)medoids->now.iterations, (uint64_t)medoids->max_iter,
                               medoids->now.cost);
        removal_losses(medoids);
        for (uint32_t c = 0; c < medoids->n; c++) {
            uint32_t here;
            double change;

            if (medoids->first_distance[c] == 0)
                continue;
            change = swap_change(medoids, c, &here);
            if (change < least) {
                least = change;
                medoid = here;
                best = c;
            }
        }
        if (best == UINT32_MAX) {
            medoids->now.converged = true;
            return;
        }
        swap(medoids, medoid, best);
    }
}

void medoids_swap(Medoids *medoids, bool eager)
{
    medoids->now.iterations = medoids->now.swaps = 0;
    medoids->now.converged = false;
    medoids_assign(medoids);
    medoids_record_cost(medoids);
    if (eager)
        swap_eagerly(medoids);
    else
        swap_best(medoids);
}

/* ---- alternation ---- */

/* Tells whether a comes before b by coordinates, to break ties independently of the order of the rows. */
static bool comes_first(const Medoids *medoids, uint32_t a, uint32_t b)
{
    const double *x = medoids_point(medoids, a), *y = medoids_point(medoids, b);

    for (uint32_t j = 0; j < medoids->metric->width; j++)
        if (x[j] != y[j])
            return x[j] < y[j];
    return false;
}

/* Returns the sum of distances from a point to those of its cluster. */
static double cluster_cost(Medoids *medoids, uint32_t point, const uint32_t *members, uint32_t count)
{
    double cost = 0;

    for (uint32_t i = 0; i < count; i++) {
        cost += row_weight(medoids->weights, members[i]) *
                metric_distance(medoids->metric, medoids_point(medoids, point), medoids_point(medoids, members[i]));
        env_poll_every(medoids->env, i, 4096);
    }
    medoids->evaluations += count;
    return cost;
}

/* Makes the member with the least sum of distances the medoid. Returns whether its coordinates changed. */
static bool update_medoid(Medoids *medoids, uint32_t m, const uint32_t *members, uint32_t count)
{
    uint32_t before = medoids->now.medoids[m], best = before;
    double least = INFINITY;

    for (uint32_t i = 0; i < count; i++) {
        double cost = cluster_cost(medoids, members[i], members, count);

        if (cost < least || (cost == least && comes_first(medoids, members[i], best))) {
            least = cost;
            best = members[i];
        }
    }
    medoids->now.medoids[m] = best;
    return comes_first(medoids, best, before) || comes_first(medoids, before, best);
}

void medoids_alternate(Medoids *medoids)
{
    Env *env = medoids->env;
    uint32_t *members = medoids->members;

    medoids->now.iterations = medoids->now.swaps = 0;
    medoids->now.converged = false;
    for (;;) {
        bool changed = false;

        medoids_assign(medoids);
        medoids_record_cost(medoids);
        if (medoids->now.iterations == medoids->max_iter)
            break;
        medoids->now.iterations++;
        env->progress(env, "kmedoids", (uint64_t)medoids->now.iterations, (uint64_t)medoids->max_iter, medoids->now.cost);
        for (uint32_t m = 0; m < medoids->k; m++) {
            uint32_t count = 0;

            for (uint32_t i = 0; i < medoids->n; i++)
                if (medoids->nearest[i] == m)
                    members[count++] = i;
            changed |= update_medoid(medoids, m, members, count);
        }
        if (!changed) {
            medoids->now.converged = true;
            break;
        }
    }
}
