/*
 * boosting_start.c - continues from a fitted model (option "start"): its trees, and the scores of the rows by them.
 *
 * Scores are added up tree by tree, as the fit did it, and random choices go by the number of the iteration. So the same rows give
 * the model that one fit of all iterations gives, bit by bit.
 */
#include "core/math/carried_sum.h"
#include "core/rows/row_design.h"
#include "core/boosting/boosting.h"

#include <math.h>
#include <string.h>

#define POLL_STEPS 65536u

uint32_t boosting_begun(const Model *model)
{
    return model_fact(model, "best_iteration", 1) == 0 ? 0 : model_find(model, "tree_nodes")->rows / boosting_outputs(model);
}

/* Sums of the losses of the held rows, before the first and after each iteration. */
typedef struct HeldLosses {
    CarriedSum *sum, weight;
} HeldLosses;

/* Adds the trees to the scores of a row, and its losses on the way if it is held out. */
static void score_row(Boosting *boosting, const TreeScorer *trees, const double *slots, uint32_t row, HeldLosses *losses)
{
    double weight = boosting->weights != NULL ? boosting->weights[row] : 1;
    size_t rows = boosting->rows;
    uint32_t outputs = boosting->outputs;
    bool held = boosting->patience > 0 && !boosting->drawn[row];

    for (uint32_t k = 0; k < outputs; k++)
        boosting->scores[k * rows + row] = boosting->baseline[k];
    if (held) {
        carried_add(&losses->weight, weight);
        carried_add(&losses->sum[0], weight * boosting_row_loss(boosting, row));
    }
    for (uint32_t t = 0; t < boosting->start.begun * outputs; t++) {
        boosting->scores[t % outputs * rows + row] += tree_find_leaf(trees, t, slots)->of.value / boosting_score_unit(boosting);
        if (held && t % outputs == outputs - 1)
            carried_add(&losses->sum[t / outputs + 1], weight * boosting_row_loss(boosting, row));
    }
}

/* Adds the trees to the scores of all rows. */
static void score_rows(Boosting *boosting, Rows *rows, HeldLosses *losses)
{
    Env *env = boosting->env;
    const TreeScorer *trees = tree_scorer(env, boosting->start.model);
    RowDesign *design = row_design(env, rows, DESIGN_SLOTS, boosting->method);
    uint32_t slots = rows_slots(rows), work = 0;
    double *row = env_array(env, (size_t)slots + 1, sizeof(double));
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            memcpy(row, block.slots + (size_t)i * slots, slots * sizeof(double));
            for (uint32_t s = 0; s < slots; s++)
                if (trees->levels[s] > 0 && row[s] == row[s])
                    row[s] = design->level_final[(uint32_t)row[s]];
            score_row(boosting, trees, row, (uint32_t)(block.first + i), losses);
            work += boosting->start.begun * boosting->outputs + 1;
            if (work >= POLL_STEPS) {
                env->poll(env);
                work = 0;
            }
        }
    rows_reader_free(reader);
}

void boosting_continue(Boosting *boosting, Rows *rows)
{
    Env *env = boosting->env;
    HeldLosses losses = {env_array(env, (size_t)boosting->iterations + 1, sizeof(CarriedSum)), {0, 0}};
    const double *baseline = model_f64(boosting->start.model, "baseline", NULL);
    const ModelEntry *importance = model_find(boosting->start.model, "importance");

    boosting->baseline = env_array(env, boosting->outputs, sizeof(double));
    for (uint32_t k = 0; k < boosting->outputs; k++)
        boosting->baseline[k] = boosting->loss == LOSS_POISSON ? baseline[k] - log(boosting->unit) : baseline[k] / boosting->unit;
    boosting->done = boosting->best = boosting->start.begun;
    score_rows(boosting, rows, &losses);
    for (uint32_t i = 0; boosting->patience > 0 && i <= boosting->start.begun; i++)
        boosting->curve[i] = carried_value(&losses.sum[i]) / carried_value(&losses.weight);
    if (boosting->start.begun == 0)
        return;
    tree_store_append_model(boosting->store, boosting->start.model);
    for (uint32_t j = 0; importance != NULL && j < importance->rows; j++)
        boosting->importance[j] = model_number(boosting->start.model, importance, j);
}
