/*
 * test_moments_scatter.c - terms, cross-products and fourth moments of class and feature moments against sums over the
 * rows: classes out of order, categories, NULLs imputed, pending rows, merged parts.
 */
#include "check.h"
#include "fit.h"

#include <stdlib.h>

#define ROWS 200
#define LEVELS 3

/* A row: a number, another that may be NULL, a level, a class. */
typedef struct Row {
    double x, z;
    bool missing;
    uint32_t level, class;
    double weight;
} Row;

static Row rows[ROWS];
static bool diagonal; /* states keep sums of squares alone */
static double offset; /* of z; a power of two, so that subtracting it is exact */
static const char *const level_names[LEVELS] = {"c", "a", "b"}; /* as they appear */
static const char *const class_names[2] = {"yes", "no"};

static void make_rows(void)
{
    uint64_t seed = 7;

    for (int i = 0; i < ROWS; i++)
        rows[i] = (Row){.x = 1e6 + random_normal(&seed),
                        .z = offset + random_normal(&seed),
                        .missing = i % 7 == 3 || (i >= 150 && i < 160),
                        .level = (uint32_t)(i % LEVELS),
                        .class = (uint32_t)(i < 2 ? i : random_uniform(&seed) < 0.3),
                        .weight = 0.5 + random_uniform(&seed)};
}

/* The state of rows [first, last). */
static Model *state_of(Env *env, ModelKind kind, int first, int last)
{
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL, FIELD_NUMERIC};
    SchemaSpec spec = {.field_count = 3,
                       .kinds = kinds,
                       .class_type = kind == MODEL_CLASS_MOMENTS ? "text" : NULL};
    Model *state = moments_new(env, &spec, &(MomentsPlan){.kind = kind, .flags = MODEL_WEIGHTED | MODEL_IMPUTE, .fourth_moments = !diagonal, .diagonal = diagonal});

    for (int i = first; i < last; i++) {
        const Row *row = &rows[i];
        bool nulls[3] = {false, false, row->missing};
        double slots[3] = {row->x, 0, row->missing ? 0 : row->z}, class = 0;
        uint32_t position;
        int found = dictionary_find(state, DICTIONARY_LEVELS, 1, level_names[row->level], 1, false);

        if (found < 0) {
            state = dictionary_add(env, state, DICTIONARY_LEVELS, 1, level_names[row->level], 1,
                                   false, 0, &position);
            found = (int)position;
        }
        slots[1] = found;
        if (kind == MODEL_CLASS_MOMENTS) {
            const char *name = class_names[row->class];

            found = dictionary_find(state, DICTIONARY_CLASSES, 0, name, (uint32_t)strlen(name), false);
            if (found < 0) {
                state = dictionary_add(env, state, DICTIONARY_CLASSES, 0, name,
                                       (uint32_t)strlen(name), false, 0, &position);
                found = (int)position;
            }
            class = found;
        }
        state = state_add(env, state, slots, nulls, class, row->weight);
    }
    return state;
}

/* Returns term t of a row in final order: x, (level=a), level=b, level=c, z minus its offset, or its mean for NULL. */
static double term_of(const Row *row, uint32_t t, bool all_levels, double z_mean)
{
    const char *level = level_names[row->level];

    if (t == 0)
        return row->x;
    if (!all_levels)
        t++;
    if (t <= 3)
        return level[0] == "abc"[t - 1];
    return row->missing ? z_mean : row->z - offset;
}

/* Compares with sums over the rows of each class ("no" before "yes"), or of all. */
static void check_design(Env *env, const Model *state, TermCoding coding)
{
    const Model *moments = moments_for_fit(env, state);
    bool all_levels = coding != CODING_REFERENCE, several = state->kind == MODEL_CLASS_MOMENTS;
    ScatterDesign *design = moments_scatter(env, moments, coding);
    uint32_t terms = design->terms;
    double tolerance = offset > 0 ? 1e-5 : 1e-8; /* of an imputed mean the last digit is 1e-7 */
    double z_mean = 0, z_weight = 0, *impute = moments_impute_means(env, moments);

    CHECK_INT(terms, all_levels ? 5 : 4);
    CHECK_INT(design->classes, several ? 2 : 1);
    CHECK_INT(design->term_slot[terms - 1], 2);
    CHECK_INT(design->term_level[1], all_levels ? 0 : 1);
    for (int i = 0; i < ROWS; i++) {
        z_mean += rows[i].missing ? 0 : rows[i].weight * (rows[i].z - offset);
        z_weight += rows[i].missing ? 0 : rows[i].weight;
    }
    z_mean /= z_weight;
    CHECK_NEAR(impute[2], offset + z_mean, 1e-12);
    for (uint32_t c = 0; c < design->classes; c++) {
        double weight = 0, mean[5] = {0}, product, fourth;
        int count = 0;

        for (int i = 0; i < ROWS; i++) {
            if (several && rows[i].class == c)
                continue; /* "yes" is class 0 of the rows and 1 of the design */
            count++;
            weight += rows[i].weight;
            for (uint32_t t = 0; t < terms; t++)
                mean[t] += rows[i].weight * term_of(&rows[i], t, all_levels, z_mean);
        }
        CHECK_INT(design->rows[c], count);
        CHECK_NEAR(design->weight[c], weight, 1e-12);
        for (uint32_t t = 0; t < terms; t++) {
            mean[t] /= weight;
            CHECK_NEAR(design->means[c * terms + t], mean[t] + (t + 1 == terms ? offset : 0), 1e-12);
            for (uint32_t u = 0; u <= t; u++) {
                product = fourth = 0;
                for (int i = 0; i < ROWS; i++)
                    if (!several || rows[i].class != c) {
                        double both = (term_of(&rows[i], t, all_levels, z_mean) - mean[t]) *
                                      (term_of(&rows[i], u, all_levels, z_mean) - mean[u]);
                        product += rows[i].weight * both;
                        fourth += rows[i].weight * both * both;
                    }
                CHECK_NEAR(design->scatter[c * (terms * (terms + 1) / 2) + t * (t + 1) / 2 + u],
                           product, tolerance);
                CHECK_NEAR(design->fourth_moments[c * (terms * (terms + 1) / 2) + t * (t + 1) / 2 + u], fourth, tolerance);
            }
        }
    }
}

/* Merged from parts in another order, the first with only NULLs. */
static Model *in_parts(Env *env, ModelKind kind)
{
    static const int ends[][2] = {{150, 160}, {3, 60}, {160, ROWS}, {60, 150}, {0, 3}};
    Model *merged = NULL;

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        Model *part = model_again(env, moments_finish(env, state_of(env, kind, ends[i][0], ends[i][1])));
        merged = merged == NULL ? part : state_merge(env, merged, part);
    }
    return merged;
}

/* Compares the squares of diagonal moments, and of moments with all cross-products, with the diagonals of the latter. */
static void check_squares(Env *env, Model *(*make)(Env *env, ModelKind kind), ModelKind kind, TermCoding coding)
{
    const Model *full = moments_for_fit(env, make(env, kind)), *few;
    ScatterDesign *all = moments_scatter(env, full, coding), *squares[2];

    diagonal = true;
    few = moments_for_fit(env, make(env, kind));
    diagonal = false;
    CHECK(model_check(env, few, few->size) == NULL);
    squares[0] = moments_squares(env, full, coding);
    squares[1] = moments_squares(env, few, coding);
    for (int i = 0; i < 2; i++) {
        CHECK(squares[i]->diagonal && squares[i]->fourth_moments == NULL);
        CHECK_INT(squares[i]->terms, all->terms);
        CHECK_INT(squares[i]->classes, all->classes);
        for (uint32_t c = 0; c < all->classes; c++) {
            CHECK(squares[i]->rows[c] == all->rows[c]);
            CHECK_NEAR(squares[i]->weight[c], all->weight[c], 1e-14);
            for (uint32_t t = 0; t < all->terms; t++) {
                double square = all->scatter[c * all->terms * (all->terms + 1) / 2 + t * (t + 3) / 2];
                CHECK_NEAR(squares[i]->means[c * all->terms + t], all->means[c * all->terms + t], 1e-12);
                CHECK_NEAR(squares[i]->scatter[c * all->terms + t], square, i == 0 ? 0 : 1e-9);
            }
        }
    }
}

static Model *at_once(Env *env, ModelKind kind)
{
    return state_of(env, kind, 0, ROWS);
}

/* A state for fits that read no products of two columns grows by a few numbers per level, not by one per pair of levels. */
static void test_many_levels(Host *host)
{
    Env *env = &host->env;
    static const FieldKind kinds[] = {FIELD_CATEGORICAL};
    SchemaSpec spec = {.field_count = 1, .kinds = kinds, .class_type = "text"};
    Model *state = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_CLASS_MOMENTS, .diagonal = true});
    uint32_t position;
    double level;

    state = dictionary_add(env, state, DICTIONARY_CLASSES, 0, "k", 1, false, 0, &position);
    for (uint32_t i = 0; i < 1000; i++) {
        char name[8];
        snprintf(name, sizeof name, "l%u", i);
        state = dictionary_add(env, state, DICTIONARY_LEVELS, 0, name, (uint32_t)strlen(name), false, 0, &position);
        level = position;
        state = state_add(env, state, &level, NULL, 0, 1);
    }
    state = moments_finish(env, state);
    CHECK_INT(model_find(state, "scatter")->columns, 1000);
    CHECK(state->size < 100 * 1000);
    CHECK_FAILS(host, ERROR_KIND, "no products of two features", moments_scatter(env, state, CODING_FULL));
    diagonal = true;
    CHECK_FAILS(host, ERROR_DATA, "cannot merge", moments_merge(env, state_of(env, MODEL_CLASS_MOMENTS, 0, ROWS), state, true));
    state = state_of(env, MODEL_CLASS_MOMENTS, 0, ROWS);
    diagonal = false;
    CHECK_FAILS(host, ERROR_PARAMETER, "without products of columns",
                moments_merge(env, state, state_of(env, MODEL_CLASS_MOMENTS, 0, ROWS), true));
}

/* Checks moments in which somebody replaced one number of an array. */
static void check_forged(Env *env, const char *name, uint32_t place, double number, const char *expected)
{
    Model *state = moments_finish(env, state_of(env, MODEL_CLASS_MOMENTS, 0, ROWS));
    ModelEntry *entry = model_entry_mutable(state, name);
    const char *found;

    CHECK(model_check(env, state, state->size) == NULL);
    CHECK(place < entry->rows * entry->columns);
    ((double *)model_data_mutable(state, entry))[place] = number;
    model_seal(env, state);
    found = model_check(env, state, state->size);
    CHECK_TEXT(found != NULL ? found : "sound", expected);
}

static void test_forged(Env *env)
{
    static const char *const no_sums = "the fourth moments do not fit the moments";
    Model *state = moments_finish(env, state_of(env, MODEL_CLASS_MOMENTS, 0, ROWS));

    check_forged(env, "origins", 0, NAN, "an origin of the moments is not finite");
    check_forged(env, "origins", 2, 5, "a column of the moments that holds no numbers has an origin");
    check_forged(env, "thirds", 7, INFINITY, "a sum of third or fourth order is not finite");
    check_forged(env, "fourths", 3, NAN, "a sum of third or fourth order is not finite");
    check_forged(env, "fourths", 2, -1, "a sum of fourth powers is negative");
    strcpy(model_entry_mutable(state, "thirds")->name, "origins");
    CHECK(model_check(env, state, state->size) != NULL);
    state = moments_finish(env, state_of(env, MODEL_CLASS_MOMENTS, 0, ROWS));
    model_entry_mutable(state, "fourths")->columns--;
    model_seal(env, state);
    CHECK_TEXT(model_check(env, state, state->size), no_sums);
}

int main(void)
{
    Host *host = host_new();
    Env *env = &host->env;
    const Model *moments;
    Model *state;

    for (int far = 0; far < 2; far++) {
        offset = far ? 1073741824 : 0;
        make_rows();
        for (int coding = CODING_REFERENCE; coding <= CODING_FULL; coding++) {
            check_design(env, state_of(env, MODEL_CLASS_MOMENTS, 0, ROWS), (TermCoding)coding);
            check_design(env, state_of(env, MODEL_FEATURE_MOMENTS, 0, ROWS), (TermCoding)coding);
            check_design(env,
                         state_merge(env, state_of(env, MODEL_CLASS_MOMENTS, 101, ROWS),
                                     state_of(env, MODEL_CLASS_MOMENTS, 0, 101)),
                         (TermCoding)coding);
            /* parts that begin with NULLs, have nothing else, or few rows, stored and read again */
            check_design(env, in_parts(env, MODEL_CLASS_MOMENTS), (TermCoding)coding);
            check_design(env, in_parts(env, MODEL_FEATURE_MOMENTS), (TermCoding)coding);
            for (int kind = MODEL_CLASS_MOMENTS; kind <= MODEL_FEATURE_MOMENTS; kind++) {
                check_squares(env, at_once, (ModelKind)kind, (TermCoding)coding);
                check_squares(env, in_parts, (ModelKind)kind, (TermCoding)coding);
            }
        }
    }

    test_many_levels(host);
    test_forged(env);
    state = state_new(env, MODEL_MOMENTS, 1, 0);
    CHECK_FAILS(host, ERROR_KIND, "no cross-products", moments_scatter(env, state, CODING_FULL));
    moments = moments_for_fit(env, state_of(env, MODEL_CLASS_MOMENTS, 0, ROWS));
    env->memory_limit = 300;
    CHECK_FAILS(host, ERROR_LIMIT, "this fit",
                moments_scatter(env, moments, CODING_FULL));
    host_free(host);
    return check_report();
}
