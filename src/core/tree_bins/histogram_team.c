/*
 * histogram_team.c - phases of a node that several processes do.
 */
#include "core/tree_bins/histogram_team.h"

#include <string.h>

#define BLOCK_ROWS 2048u /* of a block, at least */

/* Returns the sums from one process to the next: whole lines of the cache. */
static size_t sums_stride(const NodeTeam *nodes)
{
    return ((size_t)nodes->binned->bins + 3) / 4 * 4;
}

void node_team_share(Pack *pack, NodeTeam *nodes, uint32_t processes)
{
    uint32_t rows = nodes->binned->rows;

    nodes->processes = processes;
    pack_zeros(pack, &nodes->order, rows, sizeof(uint32_t));
    pack_zeros(pack, &nodes->divided, rows, sizeof(uint32_t));
    pack_zeros(pack, &nodes->task, 1, sizeof(NodeTask));
    pack_zeros(pack, &nodes->sums, processes * sums_stride(nodes), sizeof(HistogramSum));
    pack_zeros(pack, &nodes->added, processes, sizeof(uint32_t));
}

/* ---- blocks ---- */

/* Divides a block: rows that go left come first, the others from the end on, in reverse. */
static void divide_block(NodeTeam *nodes, uint32_t block)
{
    NodeTask *task = nodes->task;
    const BinnedFeature *feature = &nodes->binned->feature[task->split.feature];
    const uint8_t *column = nodes->binned->columns + (size_t)task->split.feature * nodes->binned->rows;
    uint32_t start = block * task->block_rows, end = start + task->block_rows, left = 0, right;
    const uint32_t *order = nodes->order + task->first;
    uint32_t *divided = nodes->divided + task->first + start;
    uint8_t goes_left[BINS_MAX + 1];

    end = end < task->count ? end : task->count;
    right = end - start - 1;
    for (uint32_t code = 0; code <= BINS_MAX; code++)
        goes_left[code] = histogram_goes_left(feature, &task->split, code);
    for (uint32_t i = start; i < end; i++) {
        uint32_t row = order[i], goes = goes_left[column[row]];

        divided[left] = row;
        divided[right] = row;
        left += goes;
        right -= 1 - goes;
    }
    task->left[block] = left;
}

/* Returns the histogram to which this process adds, with zeros before its first block of a task. */
static HistogramSum *own_sums(NodeTeam *nodes, uint32_t process)
{
    HistogramSum *sums = process == 0 ? nodes->target : nodes->sums + process * sums_stride(nodes);

    if (nodes->added[process] == nodes->task->number)
        return sums;
    nodes->added[process] = nodes->task->number;
    memset(sums, 0, nodes->binned->bins * sizeof(HistogramSum));
    return sums;
}

static void add_rows(NodeTeam *nodes, uint32_t process, const uint32_t *order, uint32_t count)
{
    if (count > 0)
        histogram_add(nodes->binned, nodes->rows, nodes->sizes, order, count, nodes->task->count_bits, own_sums(nodes, process));
}

/* Moves a divided block to where it belongs, and adds the rows of a child. */
static void move_block(NodeTeam *nodes, uint32_t process, uint32_t block)
{
    const NodeTask *task = nodes->task;
    uint32_t start = block * task->block_rows, left = task->left[block];
    uint32_t count = task->count - start < task->block_rows ? task->count - start : task->block_rows;
    const uint32_t *divided = nodes->divided + task->first + start;
    uint32_t *lefts = nodes->order + task->first + task->before[block];
    uint32_t *rights = nodes->order + task->first + task->lefts + (start - task->before[block]);

    memcpy(lefts, divided, left * sizeof(uint32_t));
    for (uint32_t i = 0; i < count - left; i++)
        rights[i] = divided[count - 1 - i];
    if (task->add_left)
        add_rows(nodes, process, lefts, left);
    if (task->add_right)
        add_rows(nodes, process, rights, count - left);
}

static void add_block(NodeTeam *nodes, uint32_t process, uint32_t block)
{
    const NodeTask *task = nodes->task;
    uint32_t start = block * task->block_rows;
    uint32_t count = task->count - start < task->block_rows ? task->count - start : task->block_rows;

    add_rows(nodes, process, nodes->order + task->first + start, count);
}

void node_team_run(NodeTeam *nodes, uint32_t process, uint32_t phase, uint32_t block)
{
    nodes->binned->env->poll(nodes->binned->env);
    if (phase == NODE_DIVIDE)
        divide_block(nodes, block);
    else if (phase == NODE_MOVE)
        move_block(nodes, process, block);
    else
        add_block(nodes, process, block);
}

/* ---- the process of the fit ---- */

/* Cuts a node into blocks. Returns how many. */
static uint32_t begin_task(NodeTeam *nodes, uint32_t first, uint32_t count)
{
    NodeTask *task = nodes->task;

    task->first = first;
    task->count = count;
    task->block_rows = count / NODE_BLOCKS + 1 > BLOCK_ROWS ? count / NODE_BLOCKS + 1 : BLOCK_ROWS;
    return (count + task->block_rows - 1) / task->block_rows;
}

uint32_t node_team_divide(NodeTeam *nodes, uint32_t first, uint32_t count, const HistogramSplit *split)
{
    NodeTask *task = nodes->task;
    uint32_t blocks = begin_task(nodes, first, count);

    task->split = *split;
    nodes->team->run(nodes->team, NODE_DIVIDE, blocks);
    task->lefts = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        task->before[b] = task->lefts;
        task->lefts += task->left[b];
    }
    return task->lefts;
}

/* Does a phase that adds rows to histograms, and adds up those of all processes. */
static void add_up(NodeTeam *nodes, uint32_t phase, uint32_t blocks, unsigned count_bits, HistogramSum *sums)
{
    nodes->task->count_bits = count_bits;
    nodes->task->number++;
    nodes->target = sums;
    own_sums(nodes, 0);
    nodes->team->run(nodes->team, phase, blocks);
    for (uint32_t p = 1; p < nodes->processes; p++) {
        const HistogramSum *other = nodes->sums + p * sums_stride(nodes);

        for (uint32_t b = 0; nodes->added[p] == nodes->task->number && b < nodes->binned->bins; b++) {
            sums[b].gradient += other[b].gradient;
            sums[b].packed += other[b].packed;
        }
    }
}

void node_team_move(NodeTeam *nodes, bool left, unsigned count_bits, HistogramSum *sums)
{
    NodeTask *task = nodes->task;
    uint32_t blocks = (task->count + task->block_rows - 1) / task->block_rows;

    task->add_left = sums != NULL && left;
    task->add_right = sums != NULL && !left;
    if (sums != NULL)
        add_up(nodes, NODE_MOVE, blocks, count_bits, sums);
    else
        nodes->team->run(nodes->team, NODE_MOVE, blocks);
}

void node_team_add(NodeTeam *nodes, uint32_t first, uint32_t count, unsigned count_bits, HistogramSum *sums)
{
    add_up(nodes, NODE_ADD, begin_task(nodes, first, count), count_bits, sums);
}
