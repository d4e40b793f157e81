/*
 * forest_block.c - sorting the rows of nodes by bitmaps of places.
 */
#include "core/tree/forest_block.h"

#include <math.h>
#include <string.h>

size_t block_bytes_per_row(uint32_t slots)
{
    return (3 * (size_t)slots + 2) * sizeof(uint32_t);
}

BlockScratch block_scratch(Env *env, uint32_t rows)
{
    return (BlockScratch){.bits = env_array(env, (size_t)rows / 64 + 1, sizeof(uint64_t)),
                          .own = env_array_raw(env, (size_t)rows + 1, sizeof(uint32_t))};
}

/* Sorts all rows by the rank of a feature, equal ranks by row (a counting sort). */
static void sort_all(Env *env, const TreeColumn *column, uint32_t rows, BlockColumn *out)
{
    uint32_t *start = env_array(env, (size_t)column->ranks + 2, sizeof(uint32_t));

    for (uint32_t i = 0; i < rows; i++)
        start[(column->rank[i] == TREE_MISSING ? column->ranks : column->rank[i]) + 1]++;
    env->poll(env);
    for (uint32_t r = 0; r <= column->ranks; r++)
        start[r + 1] += start[r];
    env->poll(env);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t rank = column->rank[i] == TREE_MISSING ? column->ranks : column->rank[i], place = start[rank]++;

        out->place[i] = place;
        out->row_at[place] = i;
        out->rank[place] = rank;
    }
    out->known = rows - column->missing;
    out->ready = true;
    env->release(env, start);
    env->poll(env);
}

/* Gives the columns of numbers memory. */
static void allocate(Env *env, ForestBlock *block, uint32_t slot)
{
    uint32_t *numbers = env_array_raw(env, (size_t)block->capacity + 1, 3 * sizeof(uint32_t));

    block->columns[slot] = (BlockColumn){
        .place = numbers, .row_at = numbers + block->capacity, .rank = numbers + 2 * (size_t)block->capacity};
}

ForestBlock *block_of_all(Env *env, const TreeColumns *columns)
{
    ForestBlock *block = env_array(env, 1, sizeof(ForestBlock));

    block->rows = block->capacity = columns->rows;
    block->slots = columns->slots;
    block->columns = env_array(env, (size_t)columns->slots + 1, sizeof(BlockColumn));
    for (uint32_t j = 0; j < columns->slots; j++)
        if (!columns->columns[j].category) {
            allocate(env, block, j);
            sort_all(env, columns->columns + j, columns->rows, block->columns + j);
        }
    return block;
}

ForestBlock *block_of_values(Env *env, const TreeColumns *columns)
{
    ForestBlock *block = env_array(env, 1, sizeof(ForestBlock));

    block->rows = block->capacity = columns->rows;
    block->slots = columns->slots;
    block->columns = env_array(env, (size_t)columns->slots + 1, sizeof(BlockColumn));
    for (uint32_t j = 0; j < columns->slots; j++) {
        const TreeColumn *column = columns->columns + j;
        double *x;

        if (column->category)
            continue;
        x = env_array_raw(env, columns->rows, sizeof(double));
        for (uint32_t i = 0; i < columns->rows; i++)
            x[i] = column->rank[i] == TREE_MISSING ? NAN : column->values[column->rank[i]];
        block->columns[j] = (BlockColumn){.x = x, .ready = true};
        env->poll(env);
    }
    return block;
}

ForestBlock *block_inside(Env *env, ForestBlock *parent, uint32_t capacity)
{
    ForestBlock *block = env_array(env, 1, sizeof(ForestBlock));

    block->parent = parent;
    block->capacity = capacity;
    block->slots = parent->slots;
    block->in_parent = env_array_raw(env, capacity, sizeof(uint32_t));
    block->columns = env_array(env, (size_t)block->slots + 1, sizeof(BlockColumn));
    for (uint32_t j = 0; j < block->slots; j++)
        if (parent->columns[j].place != NULL)
            allocate(env, block, j);
        else if (parent->columns[j].x != NULL)
            block->columns[j].x = env_array_raw(env, capacity, sizeof(double));
    return block;
}

void block_fill(ForestBlock *block, ForestBlock *parent, const uint32_t *rows, uint32_t count)
{
    block->parent = parent;
    block->rows = count;
    memcpy(block->in_parent, rows, count * sizeof(uint32_t));
    for (uint32_t j = 0; j < block->slots; j++)
        block->columns[j].ready = false;
}

/* Sorts the rows of the block by a feature, by their places in the parent. */
static void make_ready(ForestBlock *block, BlockScratch *scratch, uint32_t slot)
{
    BlockColumn *column = block->columns + slot;
    const BlockColumn *above = block->parent->columns + slot;
    uint32_t *own = scratch->own, number = 0, previous = 0;

    block_sort(block->parent, scratch, slot, block->in_parent, block->rows, column->rank);
    for (uint32_t i = 0; i < block->rows; i++)
        own[block->in_parent[i]] = i;
    column->known = 0;
    for (uint32_t i = 0; i < block->rows; i++) {
        uint32_t place = column->rank[i], row = own[above->row_at[place]], rank = above->rank[place];

        number += i > 0 && rank != previous;
        previous = rank;
        column->known += place < above->known;
        column->row_at[i] = row;
        column->place[row] = i;
        column->rank[i] = number;
    }
    column->ready = true;
}

void block_sort(ForestBlock *block, BlockScratch *scratch, uint32_t slot, const uint32_t *rows, uint32_t count,
                uint32_t *places)
{
    const BlockColumn *column = block->columns + slot;
    uint64_t *bits = scratch->bits;
    uint32_t found = 0;

    if (!column->ready)
        make_ready(block, scratch, slot);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = column->place[rows[i]];

        bits[place >> 6] |= (uint64_t)1 << (place & 63);
    }
    for (uint32_t w = 0; found < count; w++) {
        uint64_t word = bits[w];

        if (word == 0)
            continue;
        bits[w] = 0;
        for (; word != 0; word &= word - 1)
            places[found++] = w * 64 + (uint32_t)__builtin_ctzll(word);
    }
}

const double *block_values(ForestBlock *block, uint32_t slot)
{
    BlockColumn *column = block->columns + slot;
    const uint32_t *restrict in_parent = block->in_parent;
    const double *restrict above;
    double *restrict x = column->x;

    if (column->ready)
        return x;
    above = block_values(block->parent, slot);
    for (uint32_t i = 0; i < block->rows; i++)
        x[i] = above[in_parent[i]];
    column->ready = true;
    return column->x;
}

uint32_t block_row(const ForestBlock *block, uint32_t row)
{
    for (; block->in_parent != NULL; block = block->parent)
        row = block->in_parent[row];
    return row;
}
