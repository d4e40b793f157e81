/*
 * group_states.c - the states of many groups as expanded objects in large blocks.
 *
 * With a hundred thousand groups and more, a row's state is in no cache, and often its page's address is in none either. So
 * - states lie beside each other, apart from the entries of the hash table, which the executor reads first;
 * - large blocks ask for huge pages;
 * - a row is not added at once: its state is asked for, and the rows before it are added meanwhile.
 */
#include "group_states.h"

#include <sys/mman.h>

#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#define LINE 64       /* bytes of a line of the cache */
#define QUEUE 32      /* places for waiting rows: a power of two */
#define DEPTH 16      /* rows that wait */
#define PLACE_DEPTH 8 /* behind so many others a row's place in its state is asked for */
#define FIRST_BLOCK ((Size)8192)
#define LARGEST_BLOCK ((Size)8 << 20)
#define HUGE_PAGE ((Size)2 << 20)

struct TableGroup {
    ExpandedObjectHeader header;
    MomentsGroup evidence; /* ends the first line */
};

typedef struct Block {
    const char *start, *end;
} Block;

struct GroupStates {
    ExpandedObjectMethods methods; /* first: a group's methods are its GroupStates */
    MemoryContext context;
    MemoryContextCallback forget;
    GroupStates **place;
    MomentsShape *shape;
    Size group_size; /* a multiple of LINE */
    /* blocks in the order of their addresses */
    Block *blocks;
    uint32 block_count, block_room;
    char *unused; /* in the last block taken */
    Size unused_size, next_block, largest_block;
    /* rows first .. last - 1 wait, each at its number modulo QUEUE */
    uint64 first, last;
    TableGroup *groups[QUEUE];
    double *rows; /* [QUEUE x width] */
};

/* ---- waiting rows ---- */

static pg_noinline void group_fold(GroupStates *states, TableGroup *group)
{
    MemoryContext caller = MemoryContextSwitchTo(states->context);

    moments_group_fold(host_env(), states->shape, &group->evidence);
    MemoryContextSwitchTo(caller);
}

static inline void add_first(GroupStates *states)
{
    uint32 i = states->first++ % QUEUE;
    TableGroup *group = states->groups[i];

    if (unlikely(group->evidence.pending_rows >= group->evidence.pending_capacity))
        group_fold(states, group);
    moments_group_add(states->shape, &group->evidence, states->rows + (Size)i * states->shape->width);
}

static void add_waiting(GroupStates *states)
{
    while (states->first < states->last)
        add_first(states);
}

/* Asks for the memory that this row will go to; all of the group's, where it is to be folded. */
static inline void ask_for_place(const GroupStates *states, uint64 row)
{
    const TableGroup *group = states->groups[row % QUEUE];
    const MomentsGroup *evidence = &group->evidence;
    Size bytes = states->shape->width * sizeof(double);

    if (unlikely(evidence->pending_rows >= evidence->pending_capacity)) {
        for (Size line = LINE; line < states->group_size; line += LINE)
            __builtin_prefetch((const char *)group + line, 1);
        return;
    }
    for (Size byte = 0; byte < bytes + LINE - 1; byte += LINE)
        __builtin_prefetch((const char *)(evidence->pending + (Size)evidence->pending_rows * states->shape->width) +
                               Min(byte, bytes - 1),
                           1);
}

void group_add(GroupStates *states, TableGroup *group, const double *slots, double target, double weight)
{
    uint64 row = states->last++;

    __builtin_prefetch(group, 1);
    states->groups[row % QUEUE] = group;
    moments_group_row(states->shape, slots, target, weight, states->rows + row % QUEUE * states->shape->width);
    if (row >= PLACE_DEPTH + states->first)
        ask_for_place(states, row - PLACE_DEPTH);
    if (row >= DEPTH + states->first)
        add_first(states);
}

void group_skip(GroupStates *states, TableGroup *group)
{
    moments_group_sums(states->shape, &group->evidence)->skipped++;
}

/* ---- expanded objects ---- */

static GroupStates *states_of(ExpandedObjectHeader *header)
{
    return (GroupStates *)header->eoh_methods;
}

static Size group_flat_size(ExpandedObjectHeader *header)
{
    GroupStates *states = states_of(header);

    add_waiting(states);
    return moments_group_bytes(states->shape, &((TableGroup *)header)->evidence);
}

static void group_flatten(ExpandedObjectHeader *header, void *place, Size size)
{
    GroupStates *states = states_of(header);

    moments_group_write(states->shape, &((TableGroup *)header)->evidence, place);
    SET_VARSIZE(place, size);
}

/* ---- memory ---- */

static void states_forget(void *argument)
{
    GroupStates *states = argument;

    *states->place = NULL;
}

bool group_states_context(FunctionCallInfo fcinfo, MemoryContext *context)
{
    AggState *aggregate = (AggState *)fcinfo->context;

    if (!IsA(aggregate, AggState) || aggregate->hashcontext == NULL ||
        aggregate->curaggcontext != aggregate->hashcontext)
        return false;
    *context = aggregate->hashcontext->ecxt_per_tuple_memory;
    return true;
}

GroupStates *group_states_begin(MemoryContext context, const Model *state, GroupStates **place)
{
    MemoryContext own = AllocSetContextCreate(context, "pgfit groups", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(own);
    MomentsShape *shape = moments_shape(host_env(), state);
    GroupStates *states;

    if (shape == NULL) {
        MemoryContextSwitchTo(caller);
        MemoryContextDelete(own);
        return NULL;
    }
    states = palloc0(sizeof(GroupStates));
    states->methods.get_flat_size = group_flat_size;
    states->methods.flatten_into = group_flatten;
    states->context = own;
    states->shape = shape;
    states->group_size = TYPEALIGN(LINE, offsetof(TableGroup, evidence) + shape->size);
    states->next_block = Max(FIRST_BLOCK, 2 * states->group_size);
    /* as the executor has it for the table's entries */
    states->largest_block = Min(LARGEST_BLOCK, Max(states->next_block, (Size)work_mem * 1024 / 16));
    states->rows = palloc0((Size)QUEUE * shape->width * sizeof(double));
    states->place = place;
    states->forget.func = states_forget;
    states->forget.arg = states;
    MemoryContextRegisterResetCallback(own, &states->forget);
    MemoryContextSwitchTo(caller);
    return states;
}

const MomentsShape *group_states_shape(const GroupStates *states)
{
    return states->shape;
}

static void ask_for_huge_pages(char *start, Size size)
{
#ifdef MADV_HUGEPAGE
    char *first = (char *)TYPEALIGN(HUGE_PAGE, start), *end = (char *)TYPEALIGN_DOWN(HUGE_PAGE, start + size);

    if (first < end)
        (void)madvise(first, end - first, MADV_HUGEPAGE); /* a wish */
#endif
}

static void block_new(GroupStates *states)
{
    Size size = states->next_block;
    char *start = (char *)TYPEALIGN(LINE, MemoryContextAlloc(states->context, size + LINE));
    uint32 at = states->block_count;

    ask_for_huge_pages(start, size);
    if (states->block_count == states->block_room) {
        uint32 room = states->block_room * 2 + 16;
        Block *blocks = MemoryContextAlloc(states->context, room * sizeof(Block));

        memcpy(blocks, states->blocks ? states->blocks : blocks, states->block_count * sizeof(Block));
        if (states->blocks)
            pfree(states->blocks);
        states->blocks = blocks;
        states->block_room = room;
    }
    for (; at > 0 && states->blocks[at - 1].start > start; at--)
        states->blocks[at] = states->blocks[at - 1];
    states->blocks[at] = (Block){start, start + size};
    states->block_count++;
    states->unused = start;
    states->unused_size = size;
    states->next_block = Min(size * 2, states->largest_block);
}

TableGroup *group_new(GroupStates *states, int64_t skipped)
{
    TableGroup *group;

    if (states->unused_size < states->group_size)
        block_new(states);
    group = (TableGroup *)states->unused;
    states->unused += states->group_size;
    states->unused_size -= states->group_size;
    memset(group, 0, states->group_size);
    EOH_init_header(&group->header, &states->methods, states->context);
    moments_group_begin(states->shape, &group->evidence);
    moments_group_sums(states->shape, &group->evidence)->skipped = skipped;
    return group;
}

Datum group_datum(TableGroup *group)
{
    return EOHPGetRWDatum(&group->header);
}

TableGroup *group_of(const GroupStates *states, Datum datum)
{
    const char *start = (const char *)DatumGetPointer(datum) - offsetof(ExpandedObjectHeader, eoh_rw_ptr);
    const Block *block = states->blocks;

    if ((uintptr_t)start % LINE != 0)
        return NULL;
    for (uint32 count = states->block_count; count > 1;) { /* the last block that begins at or before it */
        uint32 half = count / 2;

        block += block[half].start <= start ? half : 0;
        count -= half;
    }
    return states->block_count > 0 && start >= block->start && start < block->end ? (TableGroup *)start : NULL;
}
