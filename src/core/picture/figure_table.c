/*
 * figure_table.c - what figures take from a model: its tables as data, and which columns it reads.
 */
#include "core/picture/figures.h"
#include "core/inspection/model_tables.h"
#include "core/prepare/scorer.h"

#include <ctype.h>
#include <string.h>

/* Copies a cell, which is valid until the next row, to the last row of the data. */
static void take_cell(PictureData *data, uint32_t column, const Cell *cell)
{
    Env *env = data->env;
    double *numbers;

    switch (cell->kind) {
    case CELL_NULL:
        break;
    case CELL_INTEGER:
        picture_data_number(data, column, (double)cell->integer);
        break;
    case CELL_NUMBER:
        picture_data_number(data, column, cell->number);
        break;
    case CELL_TEXT:
        picture_data_copy(data, column, cell->text.bytes, cell->text.length);
        break;
    case CELL_NUMBERS:
        numbers = env_array_raw(env, (size_t)cell->numbers.columns + 1, sizeof(double));
        for (uint32_t i = 0; i < cell->numbers.columns; i++)
            numbers[i] = cell->numbers.data[i];
        picture_data_list(data, column, (PictureList){numbers, cell->numbers.columns});
        break;
    }
}

uint32_t figure_columns(const Figure *figure)
{
    uint32_t count = 0;

    while (figure->columns[count] != NULL)
        count++;
    return count;
}

PictureData *figure_table(Env *env, const Model *model, const Figure *figure, const Table *table)
{
    uint32_t count = figure_columns(figure);
    PictureData *data = picture_data_new(env, figure->columns, count);
    Cell cells[TABLE_MAX_COLUMNS];
    uint64_t rows;
    void *reader = table->open(env, model, &rows);

    for (uint64_t i = 0; i < rows; i++) {
        env_poll_every(env, i, 1024);
        for (uint32_t c = 0; c < TABLE_MAX_COLUMNS; c++)
            cells[c].kind = CELL_NULL;
        if (!table->row(env, model, reader, i, cells))
            continue;
        picture_data_row(data);
        for (uint32_t c = 0; c < count && c < TABLE_MAX_COLUMNS; c++)
            take_cell(data, c, &cells[c]);
    }
    return data;
}

/* Tells whether a formula has a name as a word. */
static bool mentions(const char *formula, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(formula, name); at != NULL && length > 0; at = strstr(at + 1, name)) {
        bool begins = at == formula || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'), ends = !(isalnum((unsigned char)at[length]) || at[length] == '_');

        if (begins && ends)
            return true;
    }
    return false;
}

bool figure_reads(Env *env, const Scorer *scorer, const char *column)
{
    const Model *first = scorer->pipeline != NULL ? scorer->pipeline->stages[0].model : scorer->model;
    const char *formula = schema_formula_text(env, first);

    return schema_find_field(scorer_reads(scorer), column, strlen(column)) >= 0 || (formula != NULL && mentions(formula, column));
}

const PictureColumn **figure_inputs(const PictureData *data, uint32_t *count)
{
    const PictureColumn **inputs = env_array(data->env, (size_t)data->column_count + 1, sizeof *inputs);

    *count = 0;
    for (uint32_t c = 0; c < data->scored; c++)
        if (!data->columns[c].unused && figure_reads(data->env, data->scorer, data->columns[c].name))
            inputs[(*count)++] = &data->columns[c];
    return inputs;
}
