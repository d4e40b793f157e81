/*
 * mapped_rows.c - computes the features of rows while they are read, and sums their products.
 */
#include "core/kernel_methods/mapped_rows.h"
#include "core/linalg/column_loops.h"

#include <math.h>
#include <string.h>

/* The features of rows that are kept. */
typedef struct Piece {
    uint64_t first;
    uint32_t count;
    double *features;
} Piece;

typedef struct Mapped {
    FeatureMap *map;
    size_t room;   /* bytes left for features to keep */
    uint64_t most; /* places for pieces */
    Piece *kept;   /* [most] the first pieces; features NULL: not kept */
    uint64_t seen; /* rows whose kernel values were counted */
    RowsSource source;
} Mapped;

typedef struct MappedReader {
    Mapped *mapped;
    DesignReader *reader;
    DesignBlock block;
    uint32_t at;      /* first row of the block that was not read yet */
    uint64_t piece;   /* number of the next piece */
    double *points;   /* [MAP_ROWS x terms] */
    double *features; /* [MAP_ROWS x features] of rows that are not kept */
    double *targets;  /* [MAP_ROWS] */
} MappedReader;

static size_t piece_bytes(const FeatureMap *map)
{
    return (size_t)map->features * MAP_ROWS * sizeof(double);
}

size_t mapped_room(const FeatureMap *map, size_t other)
{
    size_t limit = map->env->memory_limit, used = other + (size_t)map->features * map->features * 3 * sizeof(double) + piece_bytes(map) * 2;

    return used < limit / 2 ? limit / 2 - used : 0;
}

/* ---- a reader ---- */

static void *mapped_open(void *context)
{
    Mapped *mapped = context;
    const FeatureMap *map = mapped->map;
    Env *env = map->env;
    MappedReader *reader = env_array(env, 1, sizeof(MappedReader));

    reader->mapped = mapped;
    reader->points = env_array_raw(env, MAP_ROWS, (size_t)map->terms * sizeof(double));
    reader->features = env_array_raw(env, MAP_ROWS, (size_t)map->features * sizeof(double));
    reader->targets = env_array_raw(env, MAP_ROWS, sizeof(double));
    reader->reader = design_reader(map->sample->design);
    return reader;
}

/* Returns the features of rows of the block, from `at` on. */
static const double *features_of(MappedReader *reader, uint64_t first, uint32_t count)
{
    Mapped *mapped = reader->mapped;
    FeatureMap *map = mapped->map;
    double *features = reader->features;
    size_t bytes = (size_t)count * map->features * sizeof(double) + ENV_ALIGN;

    if (reader->piece < mapped->most) {
        Piece *piece = &mapped->kept[reader->piece];

        if (piece->features != NULL && piece->first == first && piece->count == count)
            return piece->features;
        if (piece->features == NULL && bytes <= mapped->room) {
            mapped->room -= bytes;
            *piece = (Piece){first, count, env_array_raw(map->env, count, (size_t)map->features * sizeof(double))};
            features = piece->features;
        }
    }
    memcpy(reader->points, reader->block.x + (size_t)reader->at * map->terms, (size_t)count * map->terms * sizeof(double));
    if (map->approximation == APPROXIMATION_NYSTROEM && first + count > mapped->seen) {
        map->evaluations += (first + count - mapped->seen) * map->basis;
        mapped->seen = first + count;
    }
    feature_map_points(map, reader->points, count);
    feature_map_rows(map, reader->points, count, features);
    return features;
}

static bool mapped_next(void *context, RowsBlock *out)
{
    MappedReader *reader = context;
    const DesignBlock *block = &reader->block;
    uint32_t count;

    while (reader->at == block->count) {
        reader->at = reader->block.count = 0;
        if (!design_next_block(reader->reader, &reader->block))
            return false;
    }
    count = block->count - reader->at < MAP_ROWS ? block->count - reader->at : MAP_ROWS;
    *out = (RowsBlock){.first = block->first + reader->at, .count = count};
    out->slots = features_of(reader, out->first, count);
    for (uint32_t i = 0; block->classes != NULL && i < count; i++)
        reader->targets[i] = block->classes[reader->at + i];
    out->targets = block->classes != NULL ? reader->targets : block->targets != NULL ? block->targets + reader->at : NULL;
    out->weights = block->weights != NULL ? block->weights + reader->at : NULL;
    reader->at += count;
    reader->piece++;
    return true;
}

static void mapped_rewind(void *context)
{
    MappedReader *reader = context;

    reader->at = reader->block.count = 0;
    reader->piece = 0;
    design_rewind(reader->reader);
}

static void mapped_close(void *context)
{
    MappedReader *reader = context;

    design_reader_free(reader->reader);
}

/* ---- the rows ---- */

/* Returns the schema of the features, with the classes of the rows in final order. */
static Model *mapped_schema(const FeatureMap *map)
{
    Env *env = map->env;
    const Model *source = rows_schema(map->sample->design->rows), *final = schema_final(env, source);
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, source->estimator);
    Model *header = builder_header(builder);

    for (uint32_t i = 0; i < final->entry_count; i++) {
        const ModelEntry *entry = &model_entries(final)[i];

        if (entry->section == SECTION_SCHEMA && strncmp(entry->name, "class_", strlen("class_")) == 0)
            builder_entry_from(builder, final, entry);
    }
    header->flags |= source->flags & (MODEL_WEIGHTED | MODEL_FREQUENCY);
    header->field_count = header->slot_count = map->features;
    header->rows = source->rows;
    header->weight = source->weight;
    return model_build(builder);
}

Rows *mapped_rows(FeatureMap *map, size_t room)
{
    Env *env = map->env;
    Rows *of = map->sample->design->rows;
    Mapped *mapped = env_array(env, 1, sizeof(Mapped));

    mapped->map = map;
    mapped->room = room;
    mapped->most = room > 0 ? rows_count(of) / (MAP_ROWS / 4) + 64 : 0; /* blocks end within pieces */
    mapped->kept = env_array(env, mapped->most + 1, sizeof(Piece));
    mapped->source = (RowsSource){mapped, mapped_open, mapped_next, mapped_rewind, mapped_close};
    return rows_computed(rows_pool_of(of), mapped_schema(map), rows_contents(of) & (ROWS_TARGET | ROWS_WEIGHT), &mapped->source);
}

/* ---- sums ---- */

#define PRODUCT_ROWS 96 /* rows of one product */

MappedGram *mapped_gram(Env *env, uint32_t features)
{
    MappedGram *gram = env_array(env, 1, sizeof(MappedGram));

    gram->env = env;
    gram->features = features;
    gram->ld = (features + MAP_PANEL - 1) / MAP_PANEL * MAP_PANEL;
    gram->lower = env_array(env, features, gram->ld * sizeof(double));
    gram->panel = env_array(env, MAP_ROWS, MAP_PANEL * sizeof(double));
    return gram;
}

void mapped_gram_clear(MappedGram *gram)
{
    env_zero(gram->env, gram->lower, (size_t)gram->features * gram->ld * sizeof(double));
}

void mapped_gram_add(MappedGram *gram, const double *z, uint32_t rows)
{
    uint32_t m = gram->features;

    for (uint32_t column = 0; column < m; column += MAP_PANEL) {
        uint32_t width = m - column < MAP_PANEL ? m - column : MAP_PANEL;

        for (uint32_t i = 0; i < rows; i++)
            memcpy(gram->panel + (size_t)i * MAP_PANEL, z + (size_t)i * m + column, width * sizeof(double));
        for (uint32_t i = column; i < m; i += PRODUCT_ROWS)
            map_product(z + i, 1, m, m - i < PRODUCT_ROWS ? m - i : PRODUCT_ROWS, gram->panel, rows,
                        gram->lower + (size_t)i * gram->ld + column, gram->ld, true);
        env_poll_every(gram->env, column / MAP_PANEL + 1, 16);
    }
}

void mapped_gram_read(const MappedGram *gram, double *out)
{
    size_t m = gram->features;

    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j <= i; j++)
            out[i * m + j] = out[j * m + i] = gram->lower[i * gram->ld + j];
        env_poll_every(gram->env, i, 128);
    }
}

/* Adds the sums of a block. scaled: scratch [MAP_ROWS x features]. */
static void add_block(MappedGram *gram, MappedSums *sums, const RowsBlock *block, double mean, double *scaled)
{
    uint32_t m = sums->features;
    const double *x = block->slots;

    for (uint32_t i = 0; i < block->count; i++) {
        double weight = row_weight(block->weights, i), y = block->targets != NULL ? block->targets[i] - mean : 0, weighted = weight * y;

        sums->target += weighted;
        sums->square += weighted * y;
        sums->weight += weight;
        column_subtract(sums->sums, x + (size_t)i * m, -weight, m);
        if (block->targets != NULL)
            column_subtract(sums->products, x + (size_t)i * m, -weighted, m);
        for (uint32_t j = 0; block->weights != NULL && j < m; j++)
            scaled[(size_t)i * m + j] = sqrt(weight) * x[(size_t)i * m + j];
    }
    mapped_gram_add(gram, block->weights != NULL ? scaled : x, block->count);
}

MappedSums *mapped_sums(Env *env, Rows *rows, double mean, const char *method)
{
    uint32_t m = rows_slots(rows);
    MappedSums *sums = env_array(env, 1, sizeof(MappedSums));
    MappedGram *gram;
    double *scaled;
    RowsReader *reader;
    RowsBlock block;

    env_require_memory(env, (size_t)m * (2 * (size_t)m + MAP_ROWS) * sizeof(double), method);
    gram = mapped_gram(env, m);
    scaled = env_array_raw(env, MAP_ROWS, m * sizeof(double));
    *sums = (MappedSums){.features = m, .products = env_array(env, 2 * (size_t)m, sizeof(double))};
    sums->sums = sums->products + m;
    reader = rows_reader(env, rows);
    while (rows_next_block(reader, &block)) {
        add_block(gram, sums, &block, mean, scaled);
        env->progress(env, method, block.first, rows_count(rows), NAN);
    }
    rows_reader_free(reader);
    sums->gram = env_array_raw(env, (size_t)m * m, sizeof(double));
    mapped_gram_read(gram, sums->gram);
    env->release(env, gram->lower);
    env->release(env, scaled);
    return sums;
}
