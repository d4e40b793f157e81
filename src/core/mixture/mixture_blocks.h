/*
 * mixture_blocks.h - a pass of expectation-maximization over all rows, in blocks of tiles that several processes may do (core/base/team.h).
 *
 * Sums are over blocks of a fixed size, and those of blocks are added up in their order: the same bits for any number of processes.
 */
#ifndef PGFIT_MIXTURE_BLOCKS_H
#define PGFIT_MIXTURE_BLOCKS_H

#include "core/base/team.h"
#include "core/mixture/mixture.h"
#include "core/rows/row_design.h"

extern const TeamKind mixture_blocks_kind;

/* What a process has for passes. */
typedef struct MixtureBlocks {
    Env *env;
    TileReader *reader; /* of the process of the fit; NULL in others */
    uint32_t tiles;     /* of all rows */
    uint32_t block_tiles, blocks;
    uint32_t last;      /* rows of the last tile */
    Mixture mixture;    /* its form and size; in other processes with its means */
    MixturePlan *plan;  /* of this process */
    double *block;      /* room for the sums of a block */
    /* in the memory of a team */
    double *means, *factors, *constants;
    double *x;       /* [tiles] of [dims x MIXTURE_TILE] */
    double *weights; /* [tiles] of [MIXTURE_TILE] */
    double *sums;    /* [blocks] rooms for the sums of a block */
} MixtureBlocks;

/* Prepares passes over rows with mixtures of this form and size. */
MixtureBlocks *mixture_blocks_new(Env *env, uint64_t rows, TileReader *reader, const Mixture *mixture);
/* Writes the sums of all rows with the mixture of a plan. team NULL: alone, or if hard. Polls. */
void mixture_blocks_run(MixtureBlocks *blocks, Team *team, MixturePlan *plan, bool hard, MixtureSums *sums);

#endif
