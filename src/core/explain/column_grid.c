/*
 * column_grid.c - chooses the values that a column is set to.
 */
#include "core/explain/column_grid.h"

#include "core/base/json.h"
#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/base/text_buffer.h"
#include "core/options/options.h"

#include <math.h>
#include <string.h>

/* ---- what the rows have ---- */

static void __attribute__((noreturn)) fail_all_null(const ModelRows *model, const ModelColumn *column)
{
    env_fail(model->env, ERROR_DATA, "Pass the values to set it to with option \"values\", or rows that have some.", "column \"%.60s\" has no value in any row that the model knows",
             column->name);
}

double *column_numbers(const ModelRows *model, Rows *rows, const ModelColumn *column, uint64_t *count)
{
    Env *env = model->env;
    RowsReader *reader;
    RowsBlock block;
    double *numbers;

    env_require_memory(env, 2 * rows_count(rows) * sizeof(double), "sorting a column");
    numbers = env_array_raw(env, rows_count(rows) + 1, sizeof(double));
    reader = rows_reader(env, rows);
    *count = 0;
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double value = model_column_value(model, column, block.slots + (size_t)i * model->width);

            if (!isnan(value))
                numbers[(*count)++] = value;
        }
    rows_reader_free(reader);
    if (*count == 0)
        fail_all_null(model, column);
    sort_numbers(env, numbers, *count, sizeof(double));
    return numbers;
}

ColumnGrid column_levels(const ModelRows *model, Rows *rows, const ModelColumn *column)
{
    uint32_t levels = dictionary_size(model->reads, DICTIONARY_LEVELS);
    ColumnGrid grid = {.column = column, .values = env_array(model->env, (size_t)levels + 1, sizeof(double))};
    bool *seen = env_array(model->env, (size_t)levels + 1, sizeof(bool));
    RowsReader *reader = rows_reader(model->env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double value = model_column_value(model, column, block.slots + (size_t)i * model->width);

            if (value >= 0 && value < levels)
                seen[(uint32_t)value] = true;
        }
    rows_reader_free(reader);
    for (uint32_t l = 0; l < levels; l++)
        if (seen[l])
            grid.values[grid.count++] = l;
    if (grid.count == 0)
        fail_all_null(model, column);
    return grid;
}

/* Returns a quantile of sorted numbers as mquantiles of scipy does (alphap = betap = 0.4), and so partial_dependence of scikit-learn. */
static double quantile(const double *sorted, uint64_t n, double p)
{
    double place = (double)n * p + 0.4 + p * 0.2, k = floor(fmin(fmax(place, 1), (double)n - 1)), share = fmin(fmax(place - k, 0), 1);

    if (n == 1)
        return sorted[0];
    return (1 - share) * sorted[(uint64_t)k - 1] + share * sorted[(uint64_t)k];
}

/* Chooses numbers between two quantiles, or all different ones if they are few. */
static ColumnGrid number_grid(const ModelRows *model, Rows *rows, const ModelColumn *column, const Options *options)
{
    uint32_t most = (uint32_t)options_integer(options, "grid"), given;
    const double *percentiles = options_numbers(options, "percentiles", &given);
    ColumnGrid grid = {.column = column, .values = env_array(model->env, (size_t)most + 1, sizeof(double))};
    uint64_t n, different = 0;
    double *sorted, low, high;

    if (given > 0 && (given != 2 || !(percentiles[0] < percentiles[1])))
        env_fail(model->env, ERROR_PARAMETER, "Pass two shares, such as [0.05, 0.95].", "option \"percentiles\" must be two rising numbers");
    sorted = column_numbers(model, rows, column, &n);
    for (uint64_t i = 0; i < n && different < most; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            grid.values[different++] = sorted[i];
    if (different < most) {
        grid.count = (uint32_t)different;
        return grid;
    }
    low = quantile(sorted, n, given > 0 ? percentiles[0] : 0.05);
    high = quantile(sorted, n, given > 0 ? percentiles[1] : 0.95);
    if (!(low < high)) { /* most rows have one value */
        low = sorted[0];
        high = sorted[n - 1];
    }
    grid.count = most;
    for (uint32_t i = 0; i < most; i++)
        grid.values[i] = i == most - 1 ? high : low + i * ((high - low) / (most - 1));
    model->env->release(model->env, sorted);
    return grid;
}

/* ---- what options say ---- */

double level_of_column(const ModelRows *model, const ModelColumn *column, const char *option, const char *level)
{
    uint32_t count = dictionary_size(model->reads, DICTIONARY_LEVELS), listed = 0, length;
    int found = dictionary_find(model->reads, DICTIONARY_LEVELS, (uint32_t)column->field, level, (uint32_t)strlen(level), false);
    TextBuffer list = {.env = model->env};

    if (found >= 0)
        return found;
    for (uint32_t l = 0; l < count; l++) {
        const char *text = dictionary_text(model->reads, DICTIONARY_LEVELS, l, &length);

        if (dictionary_field(model->reads, l) != (uint32_t)column->field || isinf(dictionary_key(model->reads, DICTIONARY_LEVELS, l)))
            continue;
        if (listed++ < 20)
            text_print(&list, "%s%.*s", listed > 1 ? ", " : "", (int)length, text);
    }
    env_fail(model->env, ERROR_PARAMETER, env_message(model->env, "Its levels are %s%s.", text_finish(&list, NULL), listed > 20 ? ", ..." : ""),
             "option \"%s\" has \"%.60s\", a level of \"%.60s\" that the model does not know", option, level, column->name);
}

/* Returns a given number as a value of the column. */
static double number_of_column(const ModelRows *model, const ModelColumn *column, const char *option, double number)
{
    TextBuffer text = {.env = model->env};

    if (column->field >= 0) { /* a number that the formula reads as a category */
        json_double(&text, number);
        return level_of_column(model, column, option, text_finish(&text, NULL));
    }
    if (column->kind == FIELD_BOOLEAN && number != 0 && number != 1)
        env_fail(model->env, ERROR_PARAMETER, "Pass 0 and 1.", "option \"%s\" has %g, but column \"%.60s\" is boolean", option, number, column->name);
    return number;
}

static ColumnGrid given_grid(const ModelRows *model, const ModelColumn *column, const Options *options, const char *name)
{
    ColumnGrid grid = {.column = column};
    const double *numbers = options_numbers(options, name, &grid.count);
    const char *const *strings = NULL;

    if (options_type(options, name) == OPTION_STRING_LIST) {
        strings = options_strings(options, name, &grid.count);
        if (column->field < 0)
            env_fail(model->env, ERROR_PARAMETER, "Pass numbers; dates are days, times and timestamps seconds since 2000-01-01.",
                     "option \"%s\" has strings, but column \"%.60s\" is a number", name, column->name);
    }
    grid.values = env_array(model->env, grid.count, sizeof(double));
    for (uint32_t i = 0; i < grid.count; i++)
        grid.values[i] = strings != NULL ? level_of_column(model, column, name, strings[i]) : number_of_column(model, column, name, numbers[i]);
    return grid;
}

ColumnGrid column_grid(const ModelRows *model, Rows *rows, const ModelColumn *column, const Options *options, const char *name)
{
    if (options_type(options, name) != 0)
        return given_grid(model, column, options, name);
    return column->field >= 0 ? column_levels(model, rows, column) : number_grid(model, rows, column, options);
}

GridValue grid_value(const ModelRows *model, const ModelColumn *column, double value)
{
    GridValue shown = {.number = value};

    if (column->field < 0)
        return shown;
    shown.number = NAN;
    shown.level = dictionary_text(model->reads, DICTIONARY_LEVELS, (uint32_t)value, &shown.length);
    return shown;
}

void fail_no_scores(Env *env, Rows *rows, const char *function)
{
    if (rows_count(rows) == 0)
        env_fail(env, ERROR_DATA, "Pass a source with rows whose weight is above 0.", "%s got no row", function);
    env_fail(env, ERROR_DATA, "A row has a score where no column that the model reads is NULL: exclude such rows, or fit with \"nulls\": \"impute\".",
             "the model has a score for none of the %llu rows of the source", (unsigned long long)rows_count(rows));
}

void fail_sums(Env *env, const char *function)
{
    env_fail(env, ERROR_RANGE, "Divide the weights, or the target of the model, by a power of ten.", "the sums of %s exceed the range of double precision", function);
}
