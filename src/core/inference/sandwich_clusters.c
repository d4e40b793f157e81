/*
 * sandwich_clusters.c - sums of scores per cluster, and the meat of clusters of one or several columns: those of each column, minus those of each
 * pair, plus those of each triple (Cameron, Gelbach & Miller 2011).
 */
#include "core/inference/sandwich_internal.h"

#include <math.h>
#include <string.h>

#define FIRST_ROOM 64 /* clusters */

void clusters_begin(Sandwich *sandwich)
{
    Env *env = sandwich->env;
    unsigned columns = sandwich->plan.clusters;

    sandwich->clustering_count = (1u << columns) - 1;
    sandwich->clusterings = env_array(env, sandwich->clustering_count, sizeof(Clustering));
    for (unsigned c = 0; c < sandwich->clustering_count; c++) {
        Clustering *clustering = &sandwich->clusterings[c];

        clustering->columns = c + 1;
        clustering->tags = tag_table(env, 2 * (unsigned)__builtin_popcount(c + 1));
    }
    if (sandwich->plan.kind == VCOV_CR2)
        adjusted_begin(sandwich);
}

/* Makes an array of `width` bytes per cluster longer, with zeros. */
static void *grow(Env *env, void *array, uint32_t before, uint32_t after, size_t width)
{
    array = env->resize(env, array, after * width);
    memset((char *)array + before * width, 0, (after - before) * width);
    return array;
}

/* Compares the sums, tags and index of all clusterings with the memory budget. numbers: of the sums of a cluster. */
static void require_room(const Sandwich *sandwich, size_t numbers)
{
    double bytes = 0;

    for (uint32_t c = 0; c < sandwich->clustering_count; c++)
        bytes += (double)sandwich->clusterings[c].room * (double)(numbers + sandwich->clusterings[c].tags.width + 2) * sizeof(double);
    env_require_memory(sandwich->env, bytes < 1e18 ? (size_t)bytes : SIZE_MAX / 4, "the table of all clusters");
}

static void make_room(const Sandwich *sandwich, Clustering *clustering)
{
    Env *env = sandwich->env;
    uint32_t before = clustering->room, after = before == 0 ? FIRST_ROOM : 2 * before;
    size_t k = sandwich->fit.count, waits = sandwich->waits;

    clustering->room = after;
    require_room(sandwich, waits > 0 ? k + (k + waits) * k + 1 : k);
    clustering->scores = grow(env, clustering->scores, before, after, k * sizeof(double));
    if (waits == 0)
        return;
    clustering->hats = grow(env, clustering->hats, before, after, k * k * sizeof(double));
    clustering->waiting = grow(env, clustering->waiting, before, after, waits * k * sizeof(double));
    clustering->waited = grow(env, clustering->waited, before, after, 1);
}

/* Writes the tags of a row that belong to a clustering. */
static void take_key(const Clustering *clustering, const double *tags, double *key)
{
    for (unsigned c = 0; clustering->columns >> c != 0; c++)
        if (clustering->columns >> c & 1) {
            *key++ = tags[2 * c];
            *key++ = tags[2 * c + 1];
        }
}

/* Returns the number of the row's cluster. */
static uint32_t find_cluster(const Sandwich *sandwich, Clustering *clustering, const double *tags)
{
    double key[ROW_TAGS_MAX];
    uint32_t place;

    take_key(clustering, tags, key);
    place = tag_table_place(sandwich->env, &clustering->tags, key);
    if (place == clustering->room)
        make_room(sandwich, clustering);
    return place;
}

/* Keeps a row whose adjustment depends on the other rows of its cluster. */
static void keep_row(Sandwich *sandwich, const double *q, const SandwichRow *row, uint32_t cluster)
{
    uint32_t k = sandwich->fit.count;
    double *kept = sandwich_keep(sandwich);

    memcpy(kept, q, k * sizeof(double));
    kept[k] = row->weight;
    kept[k + 1] = row->variance;
    kept[k + 2] = row->residual;
    kept[k + 3] = cluster;
    kept[k + 4] = row->ratio;
    for (uint32_t j = 0; sandwich->squares != NULL && j < k; j++)
        for (uint32_t i = 0; i <= j; i++)
            sandwich->squares[(size_t)j * k + i] += row->weight * row->weight * q[i] * q[j];
}

/* Adds a row to its cluster. q: [count]. */
static void add_row(Sandwich *sandwich, Clustering *clustering, uint32_t cluster, const double *q, const SandwichRow *row)
{
    uint32_t k = sandwich->fit.count;
    double score = row->weight * row->residual, *sums = clustering->scores + (size_t)cluster * k;

    for (uint32_t j = 0; j < k; j++)
        sums[j] += score * q[j];
    if (sandwich->waits > 0)
        adjusted_add(sandwich, clustering, cluster, q, row->weight);
    if (sandwich->kept.width > 0)
        keep_row(sandwich, q, row, cluster);
}

void clusters_add(Sandwich *sandwich)
{
    uint32_t k = sandwich->fit.count, rows = sandwich->filled, places[SANDWICH_BLOCK];

    for (uint32_t c = 0; c < sandwich->clustering_count; c++) {
        Clustering *clustering = &sandwich->clusterings[c];

        for (uint32_t i = 0; i < rows; i++) { /* all first, so that nothing waits for the memory of one cluster after the other */
            places[i] = find_cluster(sandwich, clustering, sandwich->block[i].tags);
            __builtin_prefetch(clustering->scores + (size_t)places[i] * k, 1);
            if (sandwich->waits > 0)
                __builtin_prefetch(clustering->waiting + ((size_t)places[i] * sandwich->waits + clustering->waited[places[i]]) * k, 1);
        }
        for (uint32_t i = 0; i < rows; i++)
            add_row(sandwich, clustering, places[i], sandwich->q + (size_t)i * k, &sandwich->block[i]);
    }
}

static void require_clusters(const Sandwich *sandwich, SandwichResult *result)
{
    for (unsigned c = 0; c < sandwich->plan.clusters; c++) {
        uint32_t clusters = sandwich->clusterings[(1u << c) - 1].tags.table.count;

        if (clusters < 2)
            env_fail(sandwich->env, ERROR_DATA, "Name another column of clusters, or use \"HC1\".",
                     "\"vcov\": \"%s\" needs at least two clusters, and all %.0f rows are in one", vcov_name(sandwich->plan.kind), sandwich->fit.rows);
        result->clusters[c] = clusters;
    }
    result->clusterings = sandwich->plan.clusters;
}

void clusters_finish(Sandwich *sandwich, SandwichResult *result)
{
    double n = sandwich->fit.rows, least = INFINITY;
    uint32_t k = sandwich->fit.count;

    require_clusters(sandwich, result);
    if (sandwich->plan.kind == VCOV_CR2) {
        adjusted_finish(sandwich);
        return;
    }
    for (uint32_t c = 0; c < sandwich->clustering_count; c++) {
        const Clustering *clustering = &sandwich->clusterings[c];
        double clusters = clustering->tags.table.count, times = __builtin_popcount(clustering->columns) % 2 == 1 ? 1 : -1;

        if (sandwich->plan.kind != VCOV_CR0)
            times *= clusters / (clusters - 1);
        if (sandwich->plan.kind == VCOV_CR1S)
            times *= (n - 1) / (n - k - sandwich->fit.absorbed);
        least = fmin(least, clusters);
        sandwich_add_products(sandwich, times, clustering->scores, clustering->tags.table.count);
    }
    sandwich->df = env_array(sandwich->env, k, sizeof(double));
    for (uint32_t j = 0; j < k; j++)
        sandwich->df[j] = least - 1;
}
