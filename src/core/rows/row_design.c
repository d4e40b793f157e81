/*
 * row_design.c - recodes rows to final positions and dummy columns, block by block.
 */
#include "core/rows/row_design.h"
#include "core/rows/row_tile.h"

#include <string.h>

#define BLOCK_BYTES (256 * 1024) /* of columns computed at a time, but at least one row */

struct DesignReader {
    RowDesign *design;
    RowsReader *reader;
    RowsBlock rows;     /* the block that was read last */
    uint32_t at;        /* its first row that was not returned yet */
    uint32_t most;      /* rows of a block, at most */
    double *x;          /* [most x terms]; NULL: read in place */
    uint32_t *classes;  /* [most] */
};

/* ---- the plan of the columns ---- */

/* Lists the categorical slots. */
static void find_level_slots(RowDesign *design, const Model *schema)
{
    uint32_t slot = 0;

    design->level_slots =
        env_array_raw(design->env, (size_t)schema->slot_count + 1, sizeof(uint32_t));
    for (uint32_t f = 0; f < schema->field_count; f++) {
        if (schema_field_kind(schema, f) == FIELD_CATEGORICAL)
            design->level_slots[design->level_count++] = slot;
        slot += schema_field_width(schema, f);
    }
}

/* Tells whether a dictionary is in final order. */
static bool is_in_order(const uint32_t *positions, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (positions[i] != i)
            return false;
    return true;
}

/* Returns for each level, by final position, whether any row has it. */
static bool *levels_in_use(const RowDesign *design)
{
    Env *env = design->env;
    uint32_t slots = rows_slots(design->rows), count = design->level_count;
    const uint32_t *list = design->level_slots;
    bool *used = env_array(env, (size_t)design->levels + 1, sizeof(bool));
    RowsReader *reader = rows_reader(env, design->rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            for (uint32_t k = 0; k < count; k++)
                used[design->level_final[(uint32_t)block.slots[(size_t)i * slots + list[k]]]] = true;
    rows_reader_free(reader);
    return used;
}

/* Finds the levels [*first, *end) of a field in final order. *end: of the field before. */
static void field_levels(const Model *schema, const uint32_t *running, uint32_t levels, uint32_t field,
                         uint32_t *first, uint32_t *end)
{
    uint32_t at = *end; /* fields come in order */

    while (at < levels && dictionary_field(schema, running[at]) < field)
        at++;
    *first = at;
    while (at < levels && dictionary_field(schema, running[at]) == field)
        at++;
    *end = at;
}

/* Adds a term, or only counts it if the lists are not allocated yet. */
static void add_term(RowDesign *design, uint32_t slot, int32_t level)
{
    if (design->term_slot) {
        design->term_slot[design->terms] = slot;
        design->term_level[design->terms] = level;
    }
    design->terms++;
}

/* Counts the terms, and lists them if the lists are allocated. running: the running position of each final one. */
static void plan_terms(RowDesign *design, const bool *used, const uint32_t *running)
{
    const Model *schema = rows_schema(design->rows);
    uint32_t slot = 0, first = 0, end = 0;
    bool reference = design->mode == DESIGN_INTERCEPT;

    design->terms = 0;
    for (uint32_t f = 0; f < schema->field_count; f++) {
        uint32_t width = schema_field_width(schema, f);
        bool categorical = schema_field_kind(schema, f) == FIELD_CATEGORICAL;

        if (categorical)
            field_levels(schema, running, design->levels, f, &first, &end);
        for (uint32_t i = 0; i < width; i++, slot++) {
            bool skip = reference;

            if (!categorical || design->mode == DESIGN_SLOTS) {
                add_term(design, slot, -1);
                continue;
            }
            for (uint32_t level = first; level < end; level++) {
                if (!used[level])
                    continue;
                if (!skip)
                    add_term(design, slot, (int32_t)level);
                skip = false;
            }
            reference = design->mode != DESIGN_LEVELS;
        }
    }
}

/* Lists the terms, and the term of each level. */
static void plan(RowDesign *design, const char *method)
{
    Env *env = design->env;
    uint32_t *running = env_array_raw(env, (size_t)design->levels + 1, sizeof(uint32_t));
    bool *used = NULL;

    for (uint32_t l = 0; l < design->levels; l++)
        running[design->level_final[l]] = l;
    if (design->mode != DESIGN_SLOTS && design->levels > 0)
        used = levels_in_use(design);
    plan_terms(design, used, running);
    if (design->terms > DESIGN_MAX_TERMS)
        env_fail(env, ERROR_LIMIT, "Drop features with many levels.",
                 "%s would have %u columns, but at most %u are allowed", method, design->terms, DESIGN_MAX_TERMS);
    design->term_slot = env_array_raw(env, (size_t)design->terms + 1, sizeof(uint32_t));
    design->term_level = env_array_raw(env, (size_t)design->terms + 1, sizeof(int32_t));
    plan_terms(design, used, running);
    design->level_term = env_array_raw(env, (size_t)design->levels + 1, sizeof(uint32_t));
    memset(design->level_term, 0xff, ((size_t)design->levels + 1) * sizeof(uint32_t));
    design->plain_terms = env_array_raw(env, (size_t)design->terms + 1, sizeof(uint32_t));
    for (uint32_t t = 0; t < design->terms; t++)
        if (design->term_level[t] >= 0)
            design->level_term[running[design->term_level[t]]] = t;
        else
            design->plain_terms[design->plain_count++] = t;
}

RowDesign *row_design(Env *env, Rows *rows, DesignMode mode, const char *method)
{
    RowDesign *design = env_array(env, 1, sizeof(RowDesign));
    const Model *schema = rows_schema(rows);

    design->env = env;
    design->rows = rows;
    design->mode = mode;
    find_level_slots(design, schema);
    design->levels = dictionary_size(schema, DICTIONARY_LEVELS);
    design->level_final = dictionary_final_positions(env, schema, DICTIONARY_LEVELS);
    design->classes = dictionary_size(schema, DICTIONARY_CLASSES);
    design->class_final = dictionary_final_positions(env, schema, DICTIONARY_CLASSES);
    design->plain = design->level_count == 0 || (mode == DESIGN_SLOTS && is_in_order(design->level_final, design->levels));
    plan(design, method);
    return design;
}

void row_design_term_name(const RowDesign *design, uint32_t term, char *buffer, size_t size)
{
    const Model *schema = rows_schema(design->rows);
    uint32_t running = 0;

    while (design->term_level[term] >= 0 &&
           design->level_final[running] != (uint32_t)design->term_level[term])
        running++;
    schema_term_name(schema, design->term_slot[term],
                     design->term_level[term] < 0 ? -1 : (int64_t)running, buffer, size);
}

void row_design_class_counts(const RowDesign *design, uint64_t *rows, double *weights)
{
    RowsReader *reader = rows_reader(design->env, design->rows);
    RowsBlock block;

    memset(rows, 0, design->classes * sizeof(uint64_t));
    memset(weights, 0, design->classes * sizeof(double));
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t class = design->class_final[(uint32_t)block.targets[i]];

            rows[class]++;
            weights[class] += row_weight(block.weights, i);
        }
    rows_reader_free(reader);
}

/* ---- blocks ---- */

DesignReader *design_reader(RowDesign *design)
{
    Env *env = design->env;
    DesignReader *reader = env_array(env, 1, sizeof(DesignReader));
    size_t most = BLOCK_BYTES / sizeof(double) / (design->terms > 0 ? design->terms : 1);

    most = most < 1 ? 1 : most > 65536 ? 65536 : most;
    reader->design = design;
    reader->most = (uint32_t)most;
    if (!design->plain)
        reader->x = env_array_raw(env, most, (size_t)design->terms * sizeof(double));
    if (design->classes > 0)
        reader->classes = env_array_raw(env, most, sizeof(uint32_t));
    reader->reader = rows_reader(env, design->rows);
    return reader;
}

/* Writes the columns of `count` rows of slots. */
static void recode(const RowDesign *design, const double *slots, uint32_t count, double *x)
{
    uint32_t width = rows_slots(design->rows), terms = design->terms;
    bool dummies = design->mode != DESIGN_SLOTS;

    if (dummies)
        memset(x, 0, (size_t)count * terms * sizeof(double));
    for (uint32_t i = 0; i < count; i++, slots += width, x += terms) {
        for (uint32_t k = 0; k < design->plain_count; k++) {
            uint32_t t = design->plain_terms[k];

            x[t] = slots[design->term_slot[t]];
        }
        for (uint32_t k = 0; k < design->level_count; k++) {
            uint32_t slot = design->level_slots[k], level = (uint32_t)slots[slot];

            if (!dummies)
                x[slot] = design->level_final[level];
            else if (design->level_term[level] != DESIGN_NO_TERM)
                x[design->level_term[level]] = 1;
        }
    }
}

bool design_next_block(DesignReader *reader, DesignBlock *block)
{
    const RowDesign *design = reader->design;
    const RowsBlock *rows = &reader->rows;
    uint32_t at, count;

    while (reader->at == rows->count) {
        reader->at = 0;
        reader->rows.count = 0;
        if (!rows_next_block(reader->reader, &reader->rows))
            return false;
    }
    at = reader->at;
    count = rows->count - at < reader->most ? rows->count - at : reader->most;
    reader->at += count;
    *block = (DesignBlock){.first = rows->first + at, .count = count};
    block->x = rows->slots + (size_t)at * rows_slots(design->rows);
    if (!design->plain) {
        design->env->poll(design->env);
        recode(design, block->x, count, reader->x);
        block->x = reader->x;
    }
    if (design->classes > 0) {
        for (uint32_t i = 0; i < count; i++)
            reader->classes[i] = design->class_final[(uint32_t)rows->targets[at + i]];
        block->classes = reader->classes;
    } else if (rows->targets) {
        block->targets = rows->targets + at;
    }
    if (rows->weights)
        block->weights = rows->weights + at;
    if (rows->ids) {
        block->ids = rows->ids + at;
        block->id_lengths = rows->id_lengths + at;
    }
    return true;
}

void design_rewind(DesignReader *reader)
{
    reader->at = reader->rows.count = 0;
    rows_rewind(reader->reader);
}

void design_reader_free(DesignReader *reader)
{
    rows_reader_free(reader->reader);
}

/* ---- tiles ---- */

struct TileReader {
    DesignReader *reader;
    DesignBlock block;
    uint32_t at;    /* its first row that was not returned yet */
    uint64_t given; /* rows returned so far */
    DesignTile tile;
};

TileReader *tile_reader(RowDesign *design)
{
    Env *env = design->env;
    TileReader *reader = env_array(env, 1, sizeof(TileReader));
    void *memory;

    env_require_memory(env, (size_t)design->terms * DESIGN_TILE * sizeof(double), "a block of rows");
    reader->tile.weights = env_aligned(env, ((size_t)design->terms + 1) * DESIGN_TILE, &memory);
    reader->tile.x = reader->tile.weights + DESIGN_TILE;
    if (design->classes > 0)
        reader->tile.classes = env_array(env, DESIGN_TILE, sizeof(uint32_t));
    else if (rows_contents(design->rows) & ROWS_TARGET)
        reader->tile.targets = env_array(env, DESIGN_TILE, sizeof(double));
    reader->reader = design_reader(design);
    return reader;
}

/* Pads a tile with rows of zeros that have weight 0. */
static void tile_pad(DesignTile *tile, uint32_t terms)
{
    size_t rest = DESIGN_TILE - tile->count;

    for (uint32_t t = 0; t < terms; t++)
        memset(tile->x + (size_t)t * DESIGN_TILE + tile->count, 0, rest * sizeof(double));
    memset(tile->weights + tile->count, 0, rest * sizeof(double));
    if (tile->classes)
        memset(tile->classes + tile->count, 0, rest * sizeof(uint32_t));
    if (tile->targets)
        memset(tile->targets + tile->count, 0, rest * sizeof(double));
}

/* Reads the next block if the current one is used up. Returns false after the last row. */
static bool fill_block(TileReader *reader)
{
    while (reader->at == reader->block.count) {
        reader->at = 0;
        reader->block.count = 0;
        if (!design_next_block(reader->reader, &reader->block))
            return false;
    }
    return true;
}

bool tile_lines(TileReader *reader, DesignBlock *lines)
{
    const DesignBlock *block = &reader->block;
    uint32_t left = DESIGN_TILE - (uint32_t)(reader->given % DESIGN_TILE), at, count;

    if (!fill_block(reader))
        return false;
    at = reader->at;
    count = block->count - at < left ? block->count - at : left;
    *lines = (DesignBlock){.first = reader->given, .count = count};
    lines->x = block->x + (size_t)at * reader->reader->design->terms;
    if (block->classes)
        lines->classes = block->classes + at;
    if (block->targets)
        lines->targets = block->targets + at;
    if (block->weights)
        lines->weights = block->weights + at;
    reader->at += count;
    reader->given += count;
    return true;
}

/* Copies weights from row `at` on; 1 where the rows have none. */
static void take_weights(const double *weights, uint32_t at, uint32_t count, double *restrict to)
{
    if (weights != NULL)
        memcpy(to, weights + at, count * sizeof(double));
    for (uint32_t i = 0; weights == NULL && i < count; i++)
        to[i] = 1;
}

/* Reads the next tile, with its columns or without them. */
static bool read_tile(TileReader *reader, DesignTile *tile, bool columns)
{
    DesignTile *own = &reader->tile;
    uint32_t terms = reader->reader->design->terms;

    own->first = reader->given;
    own->count = 0;
    while (own->count < DESIGN_TILE && fill_block(reader)) {
        const DesignBlock *block = &reader->block;
        uint32_t at = reader->at, count = block->count - at;

        if (count > DESIGN_TILE - own->count)
            count = DESIGN_TILE - own->count;
        if (columns)
            tile_transpose(block->x + (size_t)at * terms, terms, count, own->x + own->count);
        take_weights(block->weights, at, count, own->weights + own->count);
        if (own->classes)
            memcpy(own->classes + own->count, block->classes + at, count * sizeof(uint32_t));
        if (own->targets)
            memcpy(own->targets + own->count, block->targets + at, count * sizeof(double));
        own->count += count;
        reader->at += count;
        reader->given += count;
    }
    if (own->count > 0 && own->count < DESIGN_TILE)
        tile_pad(own, columns ? terms : 0);
    *tile = *own;
    return own->count > 0;
}

bool tile_next(TileReader *reader, DesignTile *tile)
{
    return read_tile(reader, tile, true);
}

bool tile_next_targets(TileReader *reader, DesignTile *tile)
{
    return read_tile(reader, tile, false);
}

void tile_rewind(TileReader *reader)
{
    design_rewind(reader->reader);
    reader->at = reader->block.count = 0;
    reader->given = 0;
}
