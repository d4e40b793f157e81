/*
 * test_row_design.c - designs of rows: final order, dummy columns, classes, tiles, small budgets.
 */
#include "check.h"
#include "fit.h"

#include "core/rows/row_design.h"

#define ROWS 5000

/* A schema of: number, category, number, category; with classes where asked. */
static Model *schema_mixed(Env *env, bool classes)
{
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL, FIELD_NUMERIC,
                                      FIELD_CATEGORICAL};
    static const char *const names[] = {"size", "color", "age", "shape"};
    SchemaSpec spec = {.field_count = 4, .names = names, .kinds = kinds, .named = true,
                       .class_type = classes ? "text" : NULL};

    return schema_model(env, &spec);
}

static Model *add(Env *env, Model *schema, DictionaryKind kind, uint32_t field, const char *text)
{
    uint32_t position;

    return dictionary_add(env, schema, kind, field, text, (uint32_t)strlen(text), false, 0, &position);
}

/* Rows whose levels and classes came in an order other than their final one. */
static Rows *rows_mixed(Env *env, RowsPool *pool, bool classes, bool weights)
{
    Model *schema = schema_mixed(env, classes);
    Rows *rows;
    uint64_t seed = 1;

    schema = add(env, schema, DICTIONARY_LEVELS, 3, "square"); /* 0 */
    schema = add(env, schema, DICTIONARY_LEVELS, 1, "red");    /* 1 */
    schema = add(env, schema, DICTIONARY_LEVELS, 1, "amber");  /* 2: no row has it */
    schema = add(env, schema, DICTIONARY_LEVELS, 1, "blue");   /* 3 */
    schema = add(env, schema, DICTIONARY_LEVELS, 3, "round");  /* 4 */
    schema = add(env, schema, DICTIONARY_LEVELS, 1, "green");  /* 5 */
    if (classes) {
        schema = add(env, schema, DICTIONARY_CLASSES, 0, "yes");
        schema = add(env, schema, DICTIONARY_CLASSES, 0, "no");
        schema = add(env, schema, DICTIONARY_CLASSES, 0, "perhaps");
    }
    rows = rows_new(pool, schema, ROWS_TARGET | (weights ? ROWS_WEIGHT : 0));
    for (uint32_t i = 0; i < ROWS; i++) {
        static const double colors[] = {1, 3, 5}, shapes[] = {0, 4};
        double slots[4] = {i, colors[i % 3], random_normal(&seed), shapes[(i / 3) % 2]};

        rows_append(rows, slots, classes ? i % 3 : i * 0.5, weights ? 1 + i % 4 : 1, NULL, 0);
    }
    return rows;
}

/* final order: blue 1, green 2, red 3 after amber 0; round 4, square 5; no 0, perhaps 1, yes 2 */
static double expected(const char *term, uint32_t i)
{
    static const char *const colors[] = {"red", "blue", "green"};
    static const char *const shapes[] = {"square", "round"};

    if (strncmp(term, "color=", 6) == 0)
        return strcmp(term + 6, colors[i % 3]) == 0;
    if (strncmp(term, "shape=", 6) == 0)
        return strcmp(term + 6, shapes[(i / 3) % 2]) == 0;
    return i;
}

static void check_mode(Host *host, DesignMode mode, const char *terms, bool classes, bool weights,
                       size_t budget)
{
    Env *env = &host->env;
    RowsPool *pool;
    Rows *rows;
    RowDesign *design;
    DesignReader *reader;
    DesignBlock block;
    char names[8][64], list[512] = "";
    uint64_t seen = 0;

    env->memory_limit = budget;
    pool = rows_pool(env);
    rows = rows_mixed(env, pool, classes, weights);
    design = row_design(env, rows, mode, "test");
    for (uint32_t t = 0; t < design->terms; t++) {
        row_design_term_name(design, t, names[t], sizeof(names[t]));
        strcat(strcat(list, t > 0 ? " " : ""), names[t]);
    }
    CHECK_TEXT(list, terms);
    reader = design_reader(design);
    for (int pass = 0; pass < 2; pass++, design_rewind(reader)) {
        unsigned wrong = 0;

        seen = 0;
        while (design_next_block(reader, &block)) {
            CHECK(block.first == seen);
            for (uint32_t i = 0; i < block.count; i++) {
                uint32_t row = (uint32_t)block.first + i;

                for (uint32_t t = 0; t < design->terms; t++)
                    if (strcmp(names[t], "age") != 0)
                        wrong += block.x[(size_t)i * design->terms + t] != expected(names[t], row);
                if (classes)
                    wrong += block.classes[i] != (row % 3 == 0 ? 2u : row % 3 == 1 ? 0u : 1u);
                else
                    wrong += block.targets[i] != row * 0.5;
                wrong += weights ? block.weights[i] != 1 + row % 4 : block.weights != NULL;
            }
            seen += block.count;
        }
        CHECK_INT(wrong, 0);
        CHECK_INT(seen, ROWS);
    }
    design_reader_free(reader);
    rows_pool_free(pool);
    host_reset(host);
}

static void test_modes(Host *host)
{
    for (int budget = 0; budget < 2; budget++) {
        size_t bytes = budget == 0 ? 64u << 20 : 32u << 10;

        check_mode(host, DESIGN_LEVELS,
                   "size color=blue color=green color=red age shape=round shape=square", true, true,
                   bytes);
        check_mode(host, DESIGN_INTERCEPT, "size color=green color=red age shape=square", true, false,
                   bytes);
        check_mode(host, DESIGN_NO_INTERCEPT,
                   "size color=blue color=green color=red age shape=square", false, true, bytes);
    }
}

/* Slots as scoring sees them: final positions. */
static void test_slots(Host *host)
{
    Env *env = &host->env;
    RowsPool *pool = rows_pool(env);
    Rows *rows = rows_mixed(env, pool, true, true);
    RowDesign *design = row_design(env, rows, DESIGN_SLOTS, "test");
    DesignReader *reader = design_reader(design);
    DesignBlock block;
    uint64_t counts[3];
    double weights[3];

    CHECK_INT(design->terms, 4);
    while (design_next_block(reader, &block) && block.first < 12)
        for (uint32_t k = 0; k < block.count; k++) {
            uint32_t i = (uint32_t)block.first + k;

            CHECK_INT(block.x[k * 4 + 1], i % 3 == 0 ? 3 : i % 3 == 1 ? 1 : 2);
            CHECK_INT(block.x[k * 4 + 3], (i / 3) % 2 == 0 ? 5 : 4);
        }
    design_reader_free(reader);
    row_design_class_counts(design, counts, weights);
    CHECK_INT(counts[0] + counts[1] + counts[2], ROWS);
    CHECK_INT(counts[2], (ROWS + 2) / 3);
    CHECK(weights[0] + weights[1] + weights[2] == rows_schema(rows)->weight);
    rows_pool_free(pool);
    host_reset(host);
}

/* Tiles are the same whatever the budget, and padded with rows of weight 0. */
static void test_tiles(Host *host)
{
    Env *env = &host->env;
    double sums[2] = {0, 0};

    for (int budget = 0; budget < 2; budget++) {
        RowsPool *pool;
        Rows *rows;
        RowDesign *design;
        TileReader *reader;
        DesignTile tile;
        uint64_t seed = 7, seen = 0;

        env->memory_limit = budget == 0 ? 64u << 20 : 24u << 10;
        pool = rows_pool(env);
        rows = rows_new(pool, numeric_schema(env, 3), ROWS_TARGET | ROWS_WEIGHT);
        for (uint32_t i = 0; i < 1000; i++) {
            double slots[3] = {i, random_normal(&seed), random_normal(&seed)};

            rows_append(rows, slots, i, 2, NULL, 0);
        }
        design = row_design(env, rows, DESIGN_INTERCEPT, "test");
        CHECK(design->plain);
        reader = tile_reader(design);
        for (int pass = 0; pass < 2; pass++, tile_rewind(reader))
            for (seen = 0; tile_next(reader, &tile); seen += tile.count) {
                double sum = 0;

                CHECK(tile.first == seen && (uintptr_t)tile.x % 64 == 0);
                for (uint32_t i = 0; i < DESIGN_TILE; i++) {
                    bool row = i < tile.count;

                    CHECK(tile.x[i] == (row ? (double)(seen + i) : 0));
                    CHECK(tile.targets[i] == (row ? (double)(seen + i) : 0));
                    CHECK(tile.weights[i] == (row ? 2 : 0));
                    sum += tile.x[DESIGN_TILE + i] * tile.x[2 * DESIGN_TILE + i];
                }
                sums[budget] += sum;
            }
        CHECK_INT(seen, 1000);
        CHECK_INT(tile.count, 0);
        tile_rewind(reader);
        for (seen = 0;;) { /* every third tile by columns, the others by rows */
            DesignBlock lines;

            if (seen % DESIGN_TILE == 0 && seen / DESIGN_TILE % 3 == 1) {
                if (!tile_next(reader, &tile))
                    break;
                CHECK(tile.first == seen && tile.x[tile.count - 1] == (double)(seen + tile.count - 1));
                seen += tile.count;
                continue;
            }
            if (!tile_lines(reader, &lines))
                break;
            CHECK(lines.first == seen && lines.count > 0);
            CHECK(seen / DESIGN_TILE == (seen + lines.count - 1) / DESIGN_TILE);
            for (uint32_t i = 0; i < lines.count; i++, seen++) {
                CHECK(lines.x[(size_t)i * design->terms] == (double)seen);
                CHECK(lines.targets[i] == (double)seen && lines.weights[i] == 2);
            }
        }
        CHECK(seen == rows_count(design->rows));
            rows_pool_free(pool);
        host_reset(host);
    }
    CHECK(sums[0] == sums[1]);
}

/* A design has the means that replace NULLs. */
static void test_missing(Host *host)
{
    Env *env = &host->env;
    RowsPool *pool = rows_pool(env);
    Rows *rows = rows_new(pool, numeric_schema(env, 2), ROWS_MISSING);
    DesignBlock block;

    rows_append(rows, (double[]){1, NAN}, 0, 1, NULL, 0);
    rows_append(rows, (double[]){NAN, 4}, 0, 1, NULL, 0);
    rows_append(rows, (double[]){3, 8}, 0, 1, NULL, 0);
    CHECK(design_next_block(design_reader(row_design(env, rows, DESIGN_INTERCEPT, "test")), &block));
    CHECK(block.x[1] == 6 && block.x[2] == 2 && block.targets == NULL && block.classes == NULL);
    rows_pool_free(pool);
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();
    size_t limit = host->env.memory_limit;

    test_modes(host);
    host->env.memory_limit = limit;
    test_slots(host);
    host->env.memory_limit = limit;
    test_tiles(host);
    host->env.memory_limit = limit;
    test_missing(host);
    host_free(host);
    return check_report();
}
