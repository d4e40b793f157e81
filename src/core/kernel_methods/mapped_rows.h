/*
 * mapped_rows.h - the rows of a fit as features of a map, tile by tile: for linear methods on approximated kernels.
 *
 *     MappedRows *rows = mapped_rows(map, mapped_room(map, 0));
 *     while (mapped_next(rows, &tile)) ... tile.x[j * DESIGN_TILE + i] is feature j of row i ...
 *     mapped_rewind(rows);
 *
 * The tiles are those of row_design.h. As many as fit into `room` bytes are kept, so that a second pass need not compute them again;
 * they hold the same bits either way.
 */
#ifndef PGFIT_MAPPED_ROWS_H
#define PGFIT_MAPPED_ROWS_H

#include "core/kernel_methods/feature_map.h"

typedef struct MappedRows MappedRows;

/* Opens the rows of the map's design. room: bytes for tiles to keep; 0: keeps none. */
MappedRows *mapped_rows(FeatureMap *map, size_t room);
FeatureMap *mapped_rows_map(const MappedRows *rows);
/* Returns how many bytes mapped_rows may keep: what the budget leaves beside the map and `other` bytes. */
size_t mapped_room(const FeatureMap *map, size_t other);
/* Reads the next tile; false after the last. Valid until the next call. Polls. */
bool mapped_next(MappedRows *rows, DesignTile *tile);
/* The same without the features: tile->x is NULL. */
bool mapped_next_plain(MappedRows *rows, DesignTile *tile);
void mapped_rewind(MappedRows *rows);
void mapped_rows_free(MappedRows *rows); /* see rows_reader_free */

/* Writes out[p x MAP_TILE + i] = weights_p . z(row i of the tile) for weights [problems x features]. Sums depend on the machine. */
void mapped_products(MappedRows *rows, const DesignTile *tile, const double *weights, uint32_t problems, double *out);

/* A matrix of sums of weight times z z', while it is summed. */
typedef struct MappedGram {
    Env *env;
    uint32_t features, ld; /* ld: features in whole panels */
    double *lower;         /* [features x ld], row major; above the diagonal only parts are set */
    double *panel;         /* [MAP_TILE x MAP_PANEL] features times weights */
    double flops;          /* since the last poll */
} MappedGram;
MappedGram *mapped_gram(Env *env, uint32_t features);
void mapped_gram_clear(MappedGram *gram);
/* Adds MAP_TILE rows x [features x MAP_TILE] with their weights. Polls. */
void mapped_gram_add(MappedGram *gram, const double *x, const double *weights);
/* Writes element (i, j) to out[j x ld + i] for all i and j. */
void mapped_gram_read(const MappedGram *gram, double *out, size_t ld);

/*
 * Sums over all rows, with their weights: gram [features x features] of products of features, of a
 * feature and each of `outputs` targets, and of features and targets alone. Centered sums are up to the caller.
 */
typedef struct MappedSums {
    uint32_t features, outputs;
    double *gram;     /* [features x features] */
    double *products; /* [outputs x features] */
    double *sums;     /* [features] */
    double *targets;  /* [outputs] */
    double *squares;  /* [outputs] of targets */
    double weight;
} MappedSums;
/* Writes the targets [outputs x DESIGN_TILE] of a tile. */
typedef void (*MappedTargets)(void *context, const DesignTile *tile, double *targets);
/*
 * Sums up all rows in one pass. targets NULL: those of the rows, if they have some (outputs 1 or 0). Fails with ERROR_LIMIT past the
 * budget.
 */
MappedSums *mapped_sums(MappedRows *rows, uint32_t outputs, MappedTargets targets, void *context, const char *method);

#endif
