/*
 * mapped_rows.h - the rows of a fit as features of a map, which linear methods read like any other rows: one numeric feature per
 * feature of the map, the classes in final order.
 *
 * Features are computed anew in each pass, except of the first rows, as many as fit into `room` bytes, which are kept.
 */
#ifndef PGFIT_MAPPED_ROWS_H
#define PGFIT_MAPPED_ROWS_H

#include "core/kernel_methods/feature_map.h"

/* Makes the rows of the map's sample rows of its features. room: bytes of features to keep. rows_free them before the map goes. */
Rows *mapped_rows(FeatureMap *map, size_t room);
/* Returns how many bytes mapped_rows may keep: what the budget leaves beside the map and `other` bytes. */
size_t mapped_room(const FeatureMap *map, size_t other);

/* A matrix of sums of z z', while it is summed. */
typedef struct MappedGram {
    Env *env;
    uint32_t features, ld; /* ld: features in whole panels */
    double *lower;         /* [features x ld], row major; above the diagonal only parts are set */
    double *panel;
} MappedGram;
MappedGram *mapped_gram(Env *env, uint32_t features);
void mapped_gram_clear(MappedGram *gram);
/* Adds at most MAP_ROWS rows z [rows x features]. Polls. */
void mapped_gram_add(MappedGram *gram, const double *z, uint32_t rows);
/* Writes the whole matrix to out [features x features]. */
void mapped_gram_read(const MappedGram *gram, double *out);

/*
 * Sums over all rows, with their weights, of products of features, of a feature and the target, and of features alone. Centered sums are
 * up to the caller.
 */
typedef struct MappedSums {
    uint32_t features;
    double *gram;     /* [features x features] */
    double *products; /* [features] with target minus mean; 0 without targets */
    double *sums;     /* [features] */
    double target, square; /* of target minus mean, and of its square */
    double weight;
} MappedSums;
/* Sums up mapped rows in one pass. mean: is subtracted from the targets. Fails with ERROR_LIMIT past the budget. */
MappedSums *mapped_sums(Env *env, Rows *rows, double mean, const char *method);

#endif
