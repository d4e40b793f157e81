/*
 * kmeans_pass.h - a pass over all rows: the nearest centroid of each, and what the next centroids are computed from.
 *
 * Sums are over blocks of rows of a fixed size, and those of blocks are added up in their order. So they have the same bits for any number of
 * processes, and whether rows are in memory or in the file.
 */
#ifndef PGFIT_KMEANS_PASS_H
#define PGFIT_KMEANS_PASS_H

#include "core/base/team.h"
#include "core/distance/centroid_distance.h"
#include "core/rows/rows.h"

extern const TeamKind kmeans_pass_kind;

/* The sums of a pass, or of a block of rows. */
typedef struct PassSums {
    double *weights; /* [k] of the rows of each cluster */
    double *within;  /* [k] sums of squared distances */
    double *sums;    /* [k x dims] of weight times (row - centroid) */
    uint64_t checksum; /* of the assignment */
} PassSums;

/* What a process has for passes. */
typedef struct KmeansPass {
    Env *env;
    Rows *rows;         /* of the fit; NULL in other processes */
    RowsReader *reader; /* the same */
    uint64_t n;
    uint32_t k, dims;
    uint32_t block_rows, blocks;
    bool weighted;
    CentroidLanes *lanes; /* of this process */
    uint64_t lanes_of;    /* the number of the pass whose centroids they are */
    uint64_t cells;       /* since the last poll */
    double *block;        /* room for the sums of a block, [2 k + k x dims] */
    /* in the memory of a team */
    uint64_t *number;    /* of the pass */
    double *centroids;   /* [k x dims] */
    double *matrix;      /* [n x dims] the rows; NULL: there is no team */
    double *row_weights; /* [n] if weighted */
    double *sums;        /* [blocks] rooms for the sums of a block */
    uint64_t *checksums; /* [blocks] */
} KmeansPass;

/* Prepares passes over rows. lanes: for so many centroids as there are clusters. */
KmeansPass *kmeans_pass_new(Env *env, Rows *rows, RowsReader *reader, CentroidLanes *lanes);
void kmeans_pass_free(KmeansPass *pass);
/* Assigns all rows to their nearest centroids [k x dims], and writes the sums. team NULL: alone. Polls. */
void kmeans_pass_run(KmeansPass *pass, Team *team, const double *centroids, PassSums *sums);

#endif
