/*
 * support_vector_table.c - support_vectors(model).
 */
#include "core/kernel_methods/support_vector_table.h"
#include "core/estimator/multiclass.h"

#define NAME_SIZE (3 * SCHEMA_NAME_SIZE)

typedef struct SupportVectors {
    uint32_t count, problems;
    const int64_t *row_numbers;
    const double *multipliers;
    const uint8_t *at_bound; /* NULL: not known */
    bool coded;
    char name[NAME_SIZE]; /* of the current problem */
} SupportVectors;

static bool has_vectors(const Model *model)
{
    return (model_find(model, "row_numbers") != NULL && model_find(model, "multipliers") != NULL) ||
           model_fact(model, "support_vectors", -1) == 0;
}

static void *open_vectors(Env *env, const Model *model, uint64_t *rows)
{
    SupportVectors *reader = env_array(env, 1, sizeof(SupportVectors));
    const ModelEntry *multipliers = model_find(model, "multipliers");

    *rows = 0;
    if (multipliers == NULL || model_find(model, "row_numbers") == NULL) /* no row is one */
        return reader;
    reader->row_numbers = model_i64(model, "row_numbers", &reader->count);
    reader->multipliers = model_data(model, multipliers);
    reader->problems = multipliers->dimensions == 2 ? multipliers->rows : 1;
    reader->at_bound = model_u8(model, "at_bound", NULL);
    reader->coded = multiclass_coded(model);
    *rows = (uint64_t)reader->problems * reader->count;
    return reader;
}

/* Returns what a problem is about, NULL if there is only one. */
static const char *problem_name(Env *env, const Model *model, SupportVectors *reader, uint32_t problem)
{
    if (reader->problems == 1)
        return NULL;
    if (!reader->coded)
        return class_string(env, model, problem);
    multiclass_problem_name(model, problem, reader->name, NAME_SIZE);
    return reader->name;
}

static bool vector_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    SupportVectors *reader = data;
    double multiplier = reader->multipliers[i];

    if (multiplier == 0)
        return false;
    cell_string(&cells[0], problem_name(env, model, reader, (uint32_t)(i / reader->count)));
    cell_integer(&cells[1], reader->row_numbers[i % reader->count]);
    cell_number(&cells[2], multiplier);
    if (reader->at_bound != NULL)
        cell_integer(&cells[3], !reader->at_bound[i]);
    return true;
}

const Table support_vector_table = {.name = "support_vectors", .has = has_vectors, .open = open_vectors, .row = vector_row};
