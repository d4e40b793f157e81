/*
 * choice_table.c - the table "elbow": what is known of each k from which a fit chose.
 */
#include "core/kmeans/kmeans_choice.h"
#include "core/options/options.h"

#include <math.h>

typedef struct ChoiceReader {
    uint32_t count, lengths[5];
    const double *arrays[5]; /* k, objective, criterion, gap, error; NULL: the model has none */
    const char *criterion;
    double chosen; /* k of the model */
} ChoiceReader;

enum { TRIED, OBJECTIVE, CRITERION, GAP, ERROR_OF_GAP };

static bool has_choice(const Model *model)
{
    return model_find(model, "k_tried") != NULL;
}

static void *open_choice(Env *env, const Model *model, uint64_t *rows)
{
    ChoiceReader *reader = env_array(env, 1, sizeof(ChoiceReader));
    const Estimator *estimator = estimator_of(model);
    const ModelEntry *centers = model_find(model, "centroids");
    const char *const names[] = {"k_tried", centers != NULL ? "k_inertia" : "k_log_likelihood", "k_criterion", "k_gap", "k_error"};

    for (int i = 0; i < 5; i++)
        reader->arrays[i] = model_f64(model, names[i], &reader->lengths[i]);
    if (centers == NULL)
        centers = model_find(model, "means");
    reader->criterion = options_string(estimator_options(env, estimator, model), "select");
    reader->chosen = centers->rows;
    *rows = reader->arrays[TRIED] != NULL ? reader->lengths[TRIED] : 0;
    return reader;
}

/* Returns number i of an array; NaN where it ends before. */
static double number_at(const ChoiceReader *reader, int array, uint64_t i)
{
    return reader->arrays[array] != NULL && i < reader->lengths[array] ? reader->arrays[array][i] : NAN;
}

static bool choice_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const ChoiceReader *reader = data;
    double k = reader->arrays[TRIED][i];

    if (!(k >= 1 && k <= 1e9)) /* of a value that was typed in */
        return false;
    cell_integer(&cells[0], (int64_t)k);
    cell_number(&cells[1], number_at(reader, OBJECTIVE, i));
    cell_string(&cells[2], reader->criterion);
    cell_number(&cells[3], number_at(reader, CRITERION, i));
    cell_number(&cells[4], number_at(reader, GAP, i));
    cell_number(&cells[5], number_at(reader, ERROR_OF_GAP, i));
    cells[6].null = false;
    cells[6].integer = k == reader->chosen;
    return true;
}

const Table elbow_table = {.name = "elbow",
                           .columns = {{"k", CELL_INTEGER},
                                       {"objective", CELL_NUMBER},
                                       {"criterion", CELL_TEXT},
                                       {"value", CELL_NUMBER},
                                       {"gap", CELL_NUMBER},
                                       {"gap_error", CELL_NUMBER},
                                       {"chosen", CELL_BOOLEAN}},
                           .has = has_choice,
                           .open = open_choice,
                           .row = choice_row};
