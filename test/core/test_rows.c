/*
 * test_rows.c - rows against a plain copy in memory: budgets, interleaving, reuse, readers, ids.
 */
#include "check.h"
#include "fit.h"

#include "core/base/random.h"
#include "core/base/shared_work.h"
#include "core/rows/rows.h"

#include <stdlib.h>

#define FEW 40

/* A generator of its own, so that a failure can be repeated. */
static uint64_t random_state;
static uint64_t random_next(void)
{
    return random_bits(&random_state);
}
static uint32_t below(uint32_t bound)
{
    return (uint32_t)(random_next() % bound);
}
static double random_number(void)
{
    return (double)(int64_t)random_next() / 1e15;
}

/* What a Rows should hold. */
typedef struct Copy {
    Rows *rows;
    uint32_t slots;
    unsigned contents;
    uint64_t count, capacity;
    double *numbers; /* slots, target, weight */
    char **ids;
    uint32_t *id_lengths;
} Copy;

static void copy_append(Copy *copy, uint32_t id_most)
{
    uint32_t width = copy->slots + 2;
    uint32_t length = id_most ? below(id_most + 1) : 0;
    double *row;
    char *id;

    if (copy->count == copy->capacity) {
        copy->capacity = copy->capacity ? copy->capacity * 2 : 4;
        copy->numbers = realloc(copy->numbers, copy->capacity * width * sizeof(double));
        copy->ids = realloc(copy->ids, copy->capacity * sizeof(char *));
        copy->id_lengths = realloc(copy->id_lengths, copy->capacity * sizeof(uint32_t));
    }
    row = copy->numbers + copy->count * width;
    for (uint32_t i = 0; i < width; i++)
        row[i] = random_number();
    id = malloc(length + 1);
    for (uint32_t i = 0; i < length; i++)
        id[i] = (char)random_next();
    copy->ids[copy->count] = id;
    copy->id_lengths[copy->count] = length;
    copy->count++;
    rows_append(copy->rows, row, row[copy->slots], row[copy->slots + 1], id, length);
}

static void copy_free(Copy *copy)
{
    for (uint64_t i = 0; i < copy->count; i++)
        free(copy->ids[i]);
    free(copy->numbers);
    free(copy->ids);
    free(copy->id_lengths);
    *copy = (Copy){0};
}

/* Does a block hold what the copy has at its place? */
static bool block_agrees(const Copy *copy, const RowsBlock *block)
{
    uint32_t width = copy->slots + 2;

    if (block->count == 0 || block->first + block->count > copy->count ||
        !block->targets != !(copy->contents & ROWS_TARGET) ||
        !block->weights != !(copy->contents & ROWS_WEIGHT) ||
        !block->ids != !(copy->contents & ROWS_ID))
        return false;
    for (uint32_t i = 0; i < block->count; i++) {
        const double *row = copy->numbers + (block->first + i) * width;
        uint64_t n = block->first + i;

        if (memcmp(row, block->slots + (size_t)i * copy->slots, copy->slots * sizeof(double)) != 0)
            return false;
        if (block->targets && block->targets[i] != row[copy->slots])
            return false;
        if (block->weights && block->weights[i] != row[copy->slots + 1])
            return false;
        if (block->ids && (block->id_lengths[i] != copy->id_lengths[n] ||
                           memcmp(block->ids[i], copy->ids[n], copy->id_lengths[n]) != 0))
            return false;
    }
    return true;
}

/* Two passes by each of two readers, one of which runs ahead. */
static bool copy_agrees(Env *env, const Copy *copy)
{
    RowsReader *first = rows_reader(env, copy->rows), *second = rows_reader(env, copy->rows);
    RowsBlock a, b;
    bool agrees = rows_count(copy->rows) == copy->count;

    for (int pass = 0; pass < 2; pass++) {
        uint64_t seen_a = 0, seen_b = 0;

        rows_rewind(first);
        rows_rewind(second);
        while (rows_next_block(first, &a)) {
            agrees = agrees && a.first == seen_a && block_agrees(copy, &a);
            seen_a += a.count;
            if (below(2) && rows_next_block(second, &b)) {
                agrees = agrees && b.first == seen_b && block_agrees(copy, &b);
                seen_b += b.count;
                agrees = agrees && block_agrees(copy, &a); /* still valid */
            }
        }
        while (rows_next_block(second, &b)) {
            agrees = agrees && b.first == seen_b && block_agrees(copy, &b);
            seen_b += b.count;
        }
        agrees = agrees && seen_a == copy->count && seen_b == copy->count;
        agrees = agrees && !rows_next_block(first, &a);
    }
    rows_reader_free(first);
    rows_reader_free(second);
    return agrees;
}

/* Rows that another process would open hold the same. */
static bool packed_agrees(Env *env, const Copy *copy)
{
    Pack pack = {.env = env, .mode = PACK_MEASURE};
    Copy opened = *copy;
    void *block;
    bool agrees;

    rows_pack(&pack, &opened.rows);
    pack = (Pack){.env = env, .mode = PACK_WRITE, .bytes = (uint8_t *)env_aligned(env, pack.size / sizeof(double), &block)};
    rows_pack(&pack, &opened.rows);
    pack = (Pack){.env = env, .mode = PACK_OPEN, .bytes = pack.bytes, .pool = rows_pool(env)};
    opened.rows = NULL;
    rows_pack(&pack, &opened.rows);
    agrees = rows_contents(opened.rows) == copy->contents && rows_id_bytes(opened.rows) == rows_id_bytes(copy->rows) && copy_agrees(env, &opened);
    rows_pool_free(pack.pool);
    env->release(env, block);
    return agrees;
}

/* Random appends, frees and reads over many Rows of one pool. */
static void test_interleaved(Host *host, size_t budget, uint32_t slots, uint32_t id_most, int steps)
{
    Env *env = &host->env;
    Copy copies[FEW] = {{0}};
    RowsPool *pool;
    size_t most = 0;

    host_reset(host);
    env->memory_limit = budget;
    pool = rows_pool(env);
    for (int step = 0; step < steps; step++) {
        /* one of them takes half of the rows */
        Copy *copy = &copies[below(2) ? 0 : below(FEW)];
        uint32_t burst = below(100) == 0 ? below(300) : below(4);

        if (!copy->rows) {
            copy->slots = slots;
            copy->contents = below(4) | (id_most ? ROWS_ID : 0);
            copy->rows = rows_new(pool, numeric_schema(env, slots), copy->contents);
        }
        while (burst-- > 0)
            copy_append(copy, id_most);
        if (rows_pool_memory(pool) > most)
            most = rows_pool_memory(pool);
        if (below(200) == 0)
            CHECK(copy_agrees(env, copy));
        if (below(300) == 0) {
            rows_free(copy->rows);
            copy_free(copy);
        }
    }
    for (int i = 0; i < FEW; i++)
        if (copies[i].rows)
            CHECK(copy_agrees(env, &copies[i]) && packed_agrees(env, &copies[i]));
    /* bounded by the budget, or by what each Rows needs at least: its extents and one chunk */
    CHECK(budget == SIZE_MAX ||
          most <= budget + FEW * (2048 + 4 * ((size_t)slots + 2) * 8 + 4 * id_most) + 32768);
    for (int i = 0; i < FEW; i++) {
        if (copies[i].rows)
            rows_free(copies[i].rows);
        copy_free(&copies[i]);
    }
    CHECK_INT(rows_pool_spilled(pool), 0);
    CHECK_INT(rows_pool_file(pool), 0);
    rows_pool_free(pool);
}

/* A small group stays small. */
static void test_small_group(Host *host)
{
    Env *env = &host->env;
    RowsPool *pool;
    Model *schema;
    size_t before;
    double row[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    Rows *rows;

    host_reset(host);
    env->memory_limit = 1 << 20;
    pool = rows_pool(env);
    schema = numeric_schema(env, 10);
    before = rows_pool_memory(pool);
    rows = rows_new(pool, schema, 0);
    for (int i = 0; i < 3; i++)
        rows_append(rows, row, 0, 1, NULL, 0);
    CHECK(rows_pool_memory(pool) - before < 900);
    CHECK_INT(rows_count(rows), 3);
    CHECK_INT(rows_bytes(rows), 240);
    CHECK_INT(schema->rows, 3);
    CHECK_NEAR(schema->weight, 3, 0);
    rows_pool_free(pool);
}

/* Freed places of the file are used again: many generations do not lengthen it. */
static void test_file_reuse(Host *host)
{
    Env *env = &host->env;
    RowsPool *pool;
    double row[4] = {0};
    uint64_t longest = 0, first = 0;
    Rows *keep;

    host_reset(host);
    env->memory_limit = 16 * 1024;
    pool = rows_pool(env);
    keep = rows_new(pool, numeric_schema(env, 4), 0); /* so that the file is never empty */
    for (int i = 0; i < 2000; i++)
        rows_append(keep, row, 0, 1, NULL, 0);
    for (int generation = 0; generation < 50; generation++) {
        Rows *rows[5];

        for (int i = 0; i < 5; i++)
            rows[i] = rows_new(pool, numeric_schema(env, 4), 0);
        for (int i = 0; i < 10000; i++)
            rows_append(rows[i % 5], row, 0, 1, NULL, 0);
        for (int i = 0; i < 5; i++)
            rows_free(rows[i]);
        longest = rows_pool_file(pool);
        if (generation == 4)
            first = longest;
    }
    CHECK(longest <= first + first / 4);
    CHECK(rows_pool_spilled(pool) > 0);
    rows_pool_free(pool);
}

/* A pass over spilled rows keeps to the budget, with one buffer. */
static void test_streaming(Host *host)
{
    Env *env = &host->env;
    RowsPool *pool;
    Rows *rows;
    RowsReader *reader;
    RowsBlock block;
    double row[10], sum = 0;
    size_t start;

    host_reset(host);
    env->memory_limit = 1 << 20;
    pool = rows_pool(env);
    rows = rows_new(pool, numeric_schema(env, 10), ROWS_TARGET);
    start = host->bytes;
    for (int i = 0; i < 100000; i++) {
        for (int j = 0; j < 10; j++)
            row[j] = i + j;
        rows_append(rows, row, i, 1, NULL, 0);
    }
    CHECK(rows_pool_spilled(pool) > 7000000);
    reader = rows_reader(env, rows);
    for (int pass = 0; pass < 3; pass++) {
        sum = 0;
        rows_rewind(reader);
        while (rows_next_block(reader, &block))
            for (uint32_t i = 0; i < block.count; i++)
                sum += block.targets[i] + block.slots[i * 10 + 9];
    }
    CHECK_NEAR(sum, 2 * 99999.0 * 100000 / 2 + 900000, 1e-12);
    rows_reader_free(reader);
    CHECK(host->peak - start < (1 << 20) + 65536);
    rows_pool_free(pool);
}

/* Many Rows that take turns, far past the budget: memory stays within it, the file near the size of the rows. */
static void test_many_groups(Host *host)
{
    enum { GROUPS = 500, EACH = 1000 };
    static Rows *groups[GROUPS];
    Env *env = &host->env;
    RowsPool *pool;
    double row[5] = {0}, sum = 0;
    size_t most = 0;

    host_reset(host);
    env->memory_limit = 512 * 1024;
    pool = rows_pool(env);
    for (int g = 0; g < GROUPS; g++)
        groups[g] = rows_new(pool, numeric_schema(env, 5), 0);
    for (int i = 0; i < GROUPS * EACH; i++) {
        row[0] = i / GROUPS;
        rows_append(groups[i % GROUPS], row, 0, 1, NULL, 0);
        if (rows_pool_memory(pool) > most)
            most = rows_pool_memory(pool);
    }
    CHECK(most <= env->memory_limit + 65536);
    CHECK(rows_pool_file(pool) < 2.5 * GROUPS * EACH * sizeof(row));
    for (int g = 0; g < GROUPS; g += 50) {
        RowsReader *reader = rows_reader(env, groups[g]);
        RowsBlock block;

        while (rows_next_block(reader, &block))
            for (uint32_t i = 0; i < block.count; i++)
                sum += block.slots[5 * i] == block.first + i;
        rows_reader_free(reader);
    }
    CHECK_NEAR(sum, GROUPS / 50 * EACH, 0);
    rows_pool_free(pool);
}

static void test_matrix(Host *host)
{
    Env *env = &host->env;
    RowsPool *pool;
    Rows *rows;
    double row[3], *matrix, *targets, *weights;
    bool same = true;

    host_reset(host);
    env->memory_limit = 100000;
    pool = rows_pool(env);
    rows = rows_new(pool, numeric_schema(env, 3), ROWS_TARGET);
    for (int i = 0; i < 3000; i++) {
        row[0] = i;
        row[1] = -i;
        row[2] = 0.5;
        rows_append(rows, row, 2.0 * i, 1, NULL, 0);
    }
    matrix = rows_matrix(env, rows, &targets, &weights, "medoid");
    for (int i = 0; i < 3000; i++)
        same = same && matrix[3 * i] == i && matrix[3 * i + 1] == -i && targets[i] == 2.0 * i;
    CHECK(same);
    CHECK(weights == NULL);
    for (int i = 0; i < 1000; i++)
        rows_append(rows, row, 0, 1, NULL, 0);
    CHECK_FAILS(host, ERROR_LIMIT, "medoid", rows_matrix(env, rows, NULL, NULL, "medoid"));
    CHECK_HOLDS(host->message, "would need 0.1 MB, and pgfit.fit_mem allows 0.1 MB");
    CHECK_HOLDS(host->hint, "fit_mem");
    rows_pool_free(pool);
}

/* NULLs come back as the mean of the slot, from memory and from the file. */
static void test_missing(Host *host)
{
    Env *env = &host->env;

    for (int budget = 0; budget <= 1000000; budget += 1000000) {
        RowsPool *pool;
        Rows *rows;
        RowsReader *reader;
        RowsBlock block;
        double row[2], sum = 0;
        uint32_t nans = 0;

        host_reset(host);
        env->memory_limit = (size_t)budget;
        pool = rows_pool(env);
        rows = rows_new(pool, numeric_schema(env, 2), ROWS_MISSING | ROWS_WEIGHT);
        for (int i = 0; i < 500; i++) {
            row[0] = i % 2 ? NAN : 1e300;
            row[1] = i % 5 ? 10 + i % 5 : NAN;
            rows_append(rows, row, 0, i % 5 == 1 ? 3 : 1, NULL, 0);
        }
        reader = rows_reader(env, rows);
        while (rows_next_block(reader, &block))
            for (uint32_t i = 0; i < block.count; i++) {
                nans += isnan(block.slots[2 * i]) || isnan(block.slots[2 * i + 1]);
                sum += block.slots[2 * i + 1];
            }
        CHECK_INT(nans, 0);
        CHECK_NEAR(rows_impute_means(env, rows)[0], 1e300, 1e-14);
        CHECK_NEAR(rows_impute_means(env, rows)[1], (3 * 11 + 12 + 13 + 14) / 6.0, 1e-14);
        CHECK_NEAR(sum, 100 * (11 + 12 + 13 + 14 + 12.0), 1e-12);
        rows_reader_free(reader);
        rows_pool_free(pool);
    }
    {
        RowsPool *pool;
        Rows *rows;
        double row[2] = {1, NAN};

        host_reset(host);
        env->memory_limit = 1000;
        pool = rows_pool(env);
        rows = rows_new(pool, numeric_schema(env, 2), ROWS_MISSING);
        rows_append(rows, row, 0, 1, NULL, 0);
        CHECK_FAILS(host, ERROR_DATA, "f2", rows_reader(env, rows));
    }
}

/* A cancel in the middle of a read or a spill takes effect at a poll. */
static void test_cancel(Host *host)
{
    Env *env = &host->env;
    RowsPool *pool;
    Rows *rows;
    double row[4] = {1, 2, 3, 4};

    host_reset(host);
    env->memory_limit = 4096;
    pool = rows_pool(env);
    rows = rows_new(pool, numeric_schema(env, 4), 0);
    host->cancel_at = host->polls + 20;
    CHECK_FAILS(host, ERROR_INTERNAL, "cancel",
                for (int i = 0; i < 100000; i++) rows_append(rows, row, 0, 1, NULL, 0));
    host->cancel_at = 0;
    host_reset(host);
}

static void test_hash(void)
{
    double a[2] = {0.0, 1.5}, b[2] = {-0.0, 1.5}, c[2] = {1.5, 0.0};

    CHECK(rows_hash(7, a, 2) == rows_hash(7, b, 2));
    CHECK(rows_hash(7, a, 2) != rows_hash(8, a, 2));
    CHECK(rows_hash(7, a, 2) != rows_hash(7, c, 2));
    CHECK(rows_hash(7, a, 1) != rows_hash(7, a, 2));
    /* the same on every platform and in every release: folds and samples depend on it */
    CHECK(rows_hash(7, a, 2) == 0xb969b53d579d227du);
}

/* Rows of many megabytes stay within the budget when they spill to the file, come in blocks that fit into a cache, and give back all memory. */
static void test_large(Host *host)
{
    static const size_t budgets[] = {SIZE_MAX, 64u << 20, 24u << 20};
    enum { SLOTS = 100, ROWS = 45000 }; /* 36 MB */
    Env *env = &host->env;
    double row[SLOTS];
    char id[16];

    for (size_t b = 0; b < sizeof(budgets) / sizeof(budgets[0]); b++) {
        RowsPool *pool;
        Rows *rows, *other;
        RowsReader *reader;
        RowsBlock block;
        uint64_t seen = 0, wrong = 0;
        size_t most = 0, empty;

        host_reset(host);
        env->memory_limit = budgets[b];
        pool = rows_pool(env);
        other = rows_new(pool, numeric_schema(env, 2), 0);
        empty = rows_pool_memory(pool);
        rows = rows_new(pool, numeric_schema(env, SLOTS), ROWS_WEIGHT | ROWS_ID);
        for (uint32_t i = 0; i < ROWS; i++) {
            for (uint32_t j = 0; j < SLOTS; j++)
                row[j] = (double)i * SLOTS + j;
            rows_append(rows, row, 0, i, id, (uint32_t)snprintf(id, sizeof id, "%u", i));
            if (i % 100 == 0)
                rows_append(other, row, 0, 1, NULL, 0);
            if (rows_pool_memory(pool) > most)
                most = rows_pool_memory(pool);
        }
        CHECK(most <= budgets[b] && (rows_pool_spilled(pool) > 0) == (budgets[b] < 36u << 20));
        reader = rows_reader(env, rows);
        while (rows_next_block(reader, &block))
            for (uint32_t i = 0; i < block.count; i++, seen++) {
                uint32_t length = (uint32_t)snprintf(id, sizeof id, "%llu", (unsigned long long)seen);

                wrong += block.count > 1 + (256u << 10) / sizeof row || block.weights[i] != (double)seen;
                wrong += block.id_lengths[i] != length || memcmp(block.ids[i], id, length) != 0;
                for (uint32_t j = 0; j < SLOTS; j++)
                    wrong += block.slots[(size_t)i * SLOTS + j] != (double)seen * SLOTS + j;
            }
        CHECK_INT(seen, ROWS);
        CHECK_INT(wrong, 0);
        rows_reader_free(reader);
        rows_free(rows);
        CHECK(rows_pool_memory(pool) <= empty + (1u << 20));
        rows_pool_free(pool);
    }
}

int main(void)
{
    Host *host = host_new();

    random_state = 42;
    test_small_group(host);
    test_interleaved(host, 0, 3, 0, 1500);
    test_interleaved(host, 4096, 3, 0, 3000);
    test_interleaved(host, 65536, 10, 0, 6000);
    test_interleaved(host, 65536, 1, 30, 6000);
    test_interleaved(host, 20000, 2, 3000, 1500);
    test_interleaved(host, 0, 1, 5, 1500);
    test_interleaved(host, 1 << 20, 2000, 0, 1500);
    test_interleaved(host, SIZE_MAX, 7, 10, 4000);
    test_file_reuse(host);
    test_large(host);
    test_streaming(host);
    test_many_groups(host);
    test_matrix(host);
    test_missing(host);
    test_cancel(host);
    test_hash();
    host_free(host);
    return check_report();
}
