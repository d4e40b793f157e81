/*
 * mapped_rows.c - reads rows as features of a map, and sums their products.
 */
#include "core/kernel_methods/mapped_rows.h"
#include "core/kernel_methods/feature_map_internal.h"
#include "core/linalg/column_loops.h"

#include <string.h>

#define PRODUCT_ROWS 96 /* rows of one product */
#define POLL_FLOPS 1e8  /* of products between two polls */

struct MappedRows {
    Env *env;
    FeatureMap *map;
    DesignReader *reader;
    DesignBlock block;
    uint32_t at;          /* first row of the block that is in no tile yet */
    uint64_t next;        /* first row of the next tile */
    double *x;            /* [MAP_TILE x terms] rows of a tile, scaled */
    DesignTile tile;
    double *features;     /* [features x MAP_TILE] of a tile that is not kept */
    double **kept;        /* [most] tiles; NULL: not computed yet */
    void **blocks;        /* [most] their memory */
    double *panel;        /* [features x MAP_PANEL] */
    uint64_t most;        /* tiles that may be kept, the first ones */
};

static size_t tile_bytes(const FeatureMap *map)
{
    return (size_t)map->features * MAP_TILE * sizeof(double);
}

size_t mapped_room(const FeatureMap *map, size_t other)
{
    size_t limit = map->env->memory_limit, used = other + (size_t)map->features * map->features * 3 * sizeof(double) + tile_bytes(map) * 2;

    return used < limit / 2 ? limit / 2 - used : 0;
}

MappedRows *mapped_rows(FeatureMap *map, size_t room)
{
    Env *env = map->env;
    RowDesign *design = map->sample->design;
    MappedRows *rows = env_array(env, 1, sizeof(MappedRows));
    uint64_t tiles = (rows_count(design->rows) + MAP_TILE - 1) / MAP_TILE;
    void *memory;

    rows->env = env;
    rows->map = map;
    rows->most = room / (tile_bytes(map) + ENV_ALIGN);
    rows->most = rows->most < tiles ? rows->most : tiles;
    rows->kept = env_array(env, rows->most + 1, sizeof(double *));
    rows->blocks = env_array(env, rows->most + 1, sizeof(void *));
    rows->features = env_aligned(env, (size_t)map->features * MAP_TILE, &memory);
    rows->x = env_array(env, MAP_TILE, (size_t)map->terms * sizeof(double));
    rows->tile.weights = env_array(env, MAP_TILE, sizeof(double));
    if (design->classes > 0)
        rows->tile.classes = env_array(env, MAP_TILE, sizeof(uint32_t));
    else if (rows_contents(design->rows) & ROWS_TARGET)
        rows->tile.targets = env_array(env, MAP_TILE, sizeof(double));
    rows->reader = design_reader(design);
    return rows;
}

FeatureMap *mapped_rows_map(const MappedRows *rows)
{
    return rows->map;
}

/* Copies the next rows of the design to the tile, without features. Returns false after the last. */
static bool next_rows(MappedRows *rows)
{
    DesignTile *tile = &rows->tile;
    uint32_t terms = rows->map->terms;

    tile->first = rows->next;
    tile->count = 0;
    while (tile->count < MAP_TILE) {
        const DesignBlock *block = &rows->block;
        uint32_t at = rows->at, count = block->count - at, to = tile->count;

        if (count == 0) {
            rows->at = rows->block.count = 0;
            if (!design_next_block(rows->reader, &rows->block))
                break;
            continue;
        }
        count = count < MAP_TILE - to ? count : MAP_TILE - to;
        memcpy(rows->x + (size_t)to * terms, block->x + (size_t)at * terms, (size_t)count * terms * sizeof(double));
        for (uint32_t i = 0; i < count; i++)
            tile->weights[to + i] = row_weight(block->weights, at + i);
        if (tile->classes != NULL)
            memcpy(tile->classes + to, block->classes + at, count * sizeof(uint32_t));
        if (tile->targets != NULL)
            memcpy(tile->targets + to, block->targets + at, count * sizeof(double));
        tile->count += count;
        rows->at += count;
    }
    for (uint32_t i = tile->count; i < MAP_TILE; i++) {
        tile->weights[i] = 0;
        if (tile->classes != NULL)
            tile->classes[i] = 0;
        if (tile->targets != NULL)
            tile->targets[i] = 0;
    }
    rows->next += tile->count;
    return tile->count > 0;
}

bool mapped_next(MappedRows *rows, DesignTile *tile)
{
    uint64_t number = rows->next / MAP_TILE;

    if (!next_rows(rows))
        return false;
    rows->tile.x = rows->features;
    if (number < rows->most) {
        bool kept = rows->kept[number] != NULL;

        if (!kept)
            rows->kept[number] = env_aligned(rows->env, (size_t)rows->map->features * MAP_TILE, &rows->blocks[number]);
        rows->tile.x = rows->kept[number];
        *tile = rows->tile;
        if (kept) {
            rows->env->poll(rows->env);
            return true;
        }
    }
    feature_map_points(rows->map, rows->x, rows->tile.count);
    feature_map_tile(rows->map, rows->x, rows->tile.count, rows->tile.x);
    *tile = rows->tile;
    return true;
}

bool mapped_next_plain(MappedRows *rows, DesignTile *tile)
{
    bool more = next_rows(rows);

    *tile = rows->tile;
    tile->x = NULL;
    return more;
}

void mapped_rewind(MappedRows *rows)
{
    rows->at = rows->block.count = 0;
    rows->next = 0;
    design_rewind(rows->reader);
}

void mapped_rows_free(MappedRows *rows)
{
    for (uint64_t i = 0; i < rows->most; i++)
        if (rows->kept[i] != NULL)
            rows->env->release(rows->env, rows->blocks[i]);
    design_reader_free(rows->reader);
}

/* ---- products and sums ---- */

void mapped_products(MappedRows *rows, const DesignTile *tile, const double *weights, uint32_t problems, double *out)
{
    uint32_t features = rows->map->features;

    memset(out, 0, (size_t)problems * MAP_TILE * sizeof(double));
    if (problems < 3) { /* not worth a panel */
        for (uint32_t p = 0; p < problems; p++)
            for (uint32_t j = 0; j < features; j++)
                column_subtract(out + (size_t)p * MAP_TILE, tile->x + (size_t)j * MAP_TILE, -weights[(size_t)p * features + j],
                                tile->count);
        return;
    }
    if (rows->panel == NULL)
        rows->panel = env_array_raw(rows->env, features, MAP_PANEL * sizeof(double));
    for (uint32_t column = 0; column < MAP_TILE; column += MAP_PANEL) {
        for (uint32_t j = 0; j < features; j++)
            memcpy(rows->panel + (size_t)j * MAP_PANEL, tile->x + (size_t)j * MAP_TILE + column, MAP_PANEL * sizeof(double));
        for (uint32_t p = 0; p < problems; p += PRODUCT_ROWS) {
            uint32_t some = problems - p < PRODUCT_ROWS ? problems - p : PRODUCT_ROWS;

            map_add_product(weights + (size_t)p * features, features, some, rows->panel, features,
                            out + (size_t)p * MAP_TILE + column, MAP_TILE);
            if ((p / PRODUCT_ROWS) % 8 == 7)
                rows->env->poll(rows->env);
        }
    }
}

MappedGram *mapped_gram(Env *env, uint32_t features)
{
    MappedGram *gram = env_array(env, 1, sizeof(MappedGram));

    gram->env = env;
    gram->features = features;
    gram->ld = (features + MAP_PANEL - 1) / MAP_PANEL * MAP_PANEL;
    gram->lower = env_array(env, features, gram->ld * sizeof(double));
    gram->panel = env_array(env, MAP_TILE, MAP_PANEL * sizeof(double));
    return gram;
}

void mapped_gram_clear(MappedGram *gram)
{
    env_zero(gram->env, gram->lower, (size_t)gram->features * gram->ld * sizeof(double));
}

/* Adds the products to the lower triangle, panel by panel. */
void mapped_gram_add(MappedGram *gram, const double *x, const double *weights)
{
    uint32_t features = gram->features;

    for (uint32_t column = 0; column < features; column += MAP_PANEL) {
        uint32_t width = features - column < MAP_PANEL ? features - column : MAP_PANEL;

        for (uint32_t j = 0; j < width; j++)
            for (uint32_t i = 0; i < MAP_TILE; i++)
                gram->panel[i * MAP_PANEL + j] = weights[i] * x[(size_t)(column + j) * MAP_TILE + i];
        for (uint32_t i = column; i < features; i += PRODUCT_ROWS) {
            uint32_t rows = features - i < PRODUCT_ROWS ? features - i : PRODUCT_ROWS;

            map_add_product(x + (size_t)i * MAP_TILE, MAP_TILE, rows, gram->panel, MAP_TILE,
                            gram->lower + (size_t)i * gram->ld + column, gram->ld);
            gram->flops += 2.0 * rows * MAP_TILE * MAP_PANEL;
            if (gram->flops > POLL_FLOPS) {
                gram->flops = 0;
                gram->env->poll(gram->env);
            }
        }
    }
}

void mapped_gram_read(const MappedGram *gram, double *out, size_t ld)
{
    uint32_t features = gram->features;

    for (uint32_t j = 0; j < features; j++) {
        for (uint32_t i = j; i < features; i++)
            out[j * ld + i] = gram->lower[(size_t)i * gram->ld + j];
        for (uint32_t i = 0; i < j; i++)
            out[j * ld + i] = gram->lower[(size_t)j * gram->ld + i];
        if (j % 128 == 0)
            gram->env->poll(gram->env);
    }
}

/* Adds the sums of a tile that are linear in its features. */
static void add_products(MappedSums *sums, const DesignTile *tile, double *tile_targets)
{

    for (uint32_t p = 0; p < sums->outputs; p++) {
        double *targets = tile_targets + (size_t)p * MAP_TILE;

        for (uint32_t i = 0; i < MAP_TILE; i++) {
            double weighted = tile->weights[i] * targets[i];

            sums->targets[p] += weighted;
            sums->squares[p] += weighted * targets[i];
            targets[i] = weighted;
        }
    }
    for (uint32_t i = 0; i < MAP_TILE; i++)
        sums->weight += tile->weights[i];
    for (uint32_t j = 0; j < sums->features; j++) {
        const double *x = tile->x + (size_t)j * MAP_TILE;

        sums->sums[j] += column_dot(x, tile->weights, MAP_TILE);
        for (uint32_t p = 0; p < sums->outputs; p++)
            sums->products[(size_t)p * sums->features + j] += column_dot(x, tile_targets + (size_t)p * MAP_TILE, MAP_TILE);
    }
}

static MappedSums *sums_new(Env *env, uint32_t features, uint32_t outputs, const char *method)
{
    MappedSums *sums = env_array(env, 1, sizeof(MappedSums));

    env_require_memory(env, (size_t)features * (4 * (size_t)features + outputs + MAP_TILE) * sizeof(double), method);
    *sums = (MappedSums){.features = features, .outputs = outputs};
    sums->products = env_array(env, (size_t)outputs + 1, features * sizeof(double));
    sums->sums = env_array(env, features, sizeof(double));
    sums->targets = env_array(env, (size_t)outputs + 1, sizeof(double));
    sums->squares = env_array(env, (size_t)outputs + 1, sizeof(double));
    return sums;
}

MappedSums *mapped_sums(MappedRows *rows, uint32_t outputs, MappedTargets targets, void *context, const char *method)
{
    Env *env = rows->env;
    uint32_t features = rows->map->features;
    uint64_t total = rows->map->sample->count;
    MappedSums *sums = sums_new(env, features, outputs, method);
    MappedGram *gram = mapped_gram(env, features);
    double *tile_targets = env_array(env, (size_t)outputs + 1, MAP_TILE * sizeof(double));
    DesignTile tile;

    mapped_rewind(rows);
    while (mapped_next(rows, &tile)) {
        if (targets != NULL)
            targets(context, &tile, tile_targets);
        else if (outputs > 0)
            memcpy(tile_targets, tile.targets, MAP_TILE * sizeof(double));
        add_products(sums, &tile, tile_targets);
        mapped_gram_add(gram, tile.x, tile.weights);
        if (tile.first / MAP_TILE % 64 == 0)
            env->progress(env, method, tile.first, total, NAN);
    }
    sums->gram = env_array_raw(env, (size_t)features * features, sizeof(double));
    mapped_gram_read(gram, sums->gram, features);
    env->release(env, gram->lower);
    return sums;
}
