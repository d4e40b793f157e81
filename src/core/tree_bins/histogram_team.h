/*
 * histogram_team.h - a node with many rows, whose rows several processes divide and add to histograms.
 *
 * A block is a part of the node's rows in the list of all rows. Division takes two phases: each block is divided in another array, then moves to where
 * the blocks before it end, so that rows stay in order. With the second phase each process adds the rows of one child to a histogram of its own.
 */
#ifndef PGFIT_HISTOGRAM_TEAM_H
#define PGFIT_HISTOGRAM_TEAM_H

#include "core/base/team.h"
#include "core/tree_bins/histogram_split.h"

#define TEAM_ROWS 4096u  /* a node with fewer rows is left to the process of the fit: a phase takes it some microseconds, as 1,000 rows do */
#define NODE_BLOCKS 128u /* of a node, at most */

/* The phases. Others of the same team have numbers from NODE_PHASES on. */
enum { NODE_DIVIDE, NODE_MOVE, NODE_ADD, NODE_PHASES };

/* What all processes know of the node. */
typedef struct NodeTask {
    uint32_t number;       /* of histograms so far */
    uint32_t first, count; /* its part of the list */
    uint32_t block_rows;
    uint32_t lefts;        /* rows that go left */
    bool add_left, add_right; /* which child is added to histograms */
    unsigned count_bits;
    HistogramSplit split;
    uint32_t left[NODE_BLOCKS], before[NODE_BLOCKS]; /* rows of a block that go left; of the blocks before it */
} NodeTask;

/* What a process has. */
typedef struct NodeTeam {
    const BinnedColumns *binned;
    const HistogramRow *rows;  /* [rows] */
    const uint32_t *sizes;     /* [rows] NULL: one each */
    uint32_t *order, *divided; /* [rows] the list, and its blocks while they are divided */
    NodeTask *task;
    HistogramSum *sums;        /* [processes x stride] */
    uint32_t *added;           /* [processes] the number of the histogram that a process has added to last */
    HistogramSum *target;      /* in the process of the fit: the histogram */
    uint32_t processes;
    Team *team;                /* in the process of the fit */
} NodeTeam;

/* Visits what changes. rows, order and divided of the process of the fit are there. */
void node_team_share(Pack *pack, NodeTeam *nodes, uint32_t processes);
/* Does a block of one of these phases. */
void node_team_run(NodeTeam *nodes, uint32_t process, uint32_t phase, uint32_t block);
/* Divides the rows of a node up to their blocks. Returns how many go left. */
uint32_t node_team_divide(NodeTeam *nodes, uint32_t first, uint32_t count, const HistogramSplit *split);
/* Ends the division. sums: a histogram, which becomes that of the child; NULL: none. */
void node_team_move(NodeTeam *nodes, bool left, unsigned count_bits, HistogramSum *sums);
/* Makes the histogram that of a node. */
void node_team_add(NodeTeam *nodes, uint32_t first, uint32_t count, unsigned count_bits, HistogramSum *sums);

#endif
