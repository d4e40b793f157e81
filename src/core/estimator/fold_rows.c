/*
 * fold_rows.c - assigns rows to folds, and copies those outside one.
 */
#include "core/estimator/fold_rows.h"

#include "core/moments/moments.h"

#include <string.h>

/* Adds a label to the rising labels if it is new. */
static void note_label(Env *env, FoldRows *folds, double label)
{
    double *labels = folds->labels;
    uint32_t at = 0;

    while (at < folds->count && labels[at] < label)
        at++;
    if (at < folds->count && labels[at] == label)
        return;
    if (folds->count == FOLDS_MAX)
        env_fail(env, ERROR_DATA, "Use a column with fewer values.", "the fold column has more than %d values", FOLDS_MAX);
    memmove(labels + at + 1, labels + at, (folds->count - at) * sizeof(double));
    labels[at] = label;
    folds->count++;
}

/* Returns the numbers of classes in a hash: those of their texts, because their places depend on the order of the rows. NULL: there are none. */
static double *class_numbers(Env *env, const Model *schema)
{
    uint32_t count = dictionary_size(schema, DICTIONARY_CLASSES);
    double *numbers = count > 0 ? env_array(env, count, sizeof(double)) : NULL;

    for (uint32_t c = 0; c < count; c++)
        numbers[c] = moments_class_number(schema, c);
    return numbers;
}

double fold_row_label(Env *env, const Model *schema, const FoldPlan *by_hash, const double *numbers, const RowsBlock *block, uint32_t i)
{
    double label, target = block->targets[i];

    if (by_hash->folds > 0)
        return (double)(moments_content_hash(env, schema, (uint64_t)by_hash->seed, block->slots + (size_t)i * schema->slot_count, NULL,
                                             numbers != NULL ? numbers[(uint32_t)target] : target) %
                        (uint64_t)by_hash->folds);
    memcpy(&label, block->ids[i], sizeof label);
    return label;
}

FoldRows fold_rows(Env *env, Rows *rows, const Options *options)
{
    const Model *schema = rows_schema(rows);
    FoldRows folds = {.labels = env_array(env, FOLDS_MAX + 1, sizeof(double))};
    FoldPlan by_hash = fold_plan(options);
    double *numbers = class_numbers(env, schema);
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    env_require_memory(env, rows_count(rows) * sizeof(uint16_t), "the folds of the rows");
    folds.fold = env_array(env, rows_count(rows), sizeof(uint16_t));
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            note_label(env, &folds, fold_row_label(env, schema, &by_hash, numbers, &block, i));
    if (folds.count < 2)
        env_fail(env, ERROR_DATA, "Ask for more folds, another \"seed\", or use a fold column with several values.",
                 "all rows are in one fold: nothing is left to fit while it is held out");
    rows_rewind(reader);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double label = fold_row_label(env, schema, &by_hash, numbers, &block, i);
            uint32_t at = 0;

            while (folds.labels[at] != label)
                at++;
            folds.fold[block.first + i] = (uint16_t)at;
        }
    rows_reader_free(reader);
    return folds;
}

Rows *fold_rows_outside(Env *env, const FoldRows *folds, Rows *all, uint32_t k)
{
    const Model *schema = rows_schema(all);
    unsigned contents = rows_contents(all) & (ROWS_TARGET | ROWS_WEIGHT);
    Model *copy = env->alloc(env, schema->size);
    RowsReader *reader;
    RowsBlock block;
    Rows *rows;

    memcpy(copy, schema, schema->size);
    copy->rows = 0;
    copy->weight = 0;
    rows = rows_new(rows_pool_of(all), copy, contents);
    reader = rows_reader(env, all);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            if (folds->fold[block.first + i] != k)
                rows_append(rows, block.slots + (size_t)i * schema->slot_count, contents & ROWS_TARGET ? block.targets[i] : 0,
                            row_weight(block.weights, i), NULL, 0);
    rows_reader_free(reader);
    return rows;
}
