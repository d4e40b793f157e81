/*
 * level_order.c - the order of levels by similarity, in which accumulated effects go from one to the next.
 */
#include "core/explain/accumulated.h"

#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/linalg/eigen.h"

#include <math.h>
#include <string.h>

#define CUTS 100 /* quantiles at which distributions of numbers are compared */

typedef struct Similarity {
    const ModelRows *model;
    Rows *rows;
    const ColumnGrid *levels;
    int32_t *of;       /* [levels of the model] place in the grid, or -1 */
    double *totals;    /* [count] rows of each level */
    double *distances; /* [count x count] */
} Similarity;

/* Returns the place in the grid of the level of a kept row, or -1. */
static int32_t level_of(const Similarity *similarity, const double *kept)
{
    double value = model_column_value(similarity->model, similarity->levels->column, kept);

    return value >= 0 ? similarity->of[(uint32_t)value] : -1;
}

static void count_levels(Similarity *similarity)
{
    RowsReader *reader = rows_reader(similarity->model->env, similarity->rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            int32_t level = level_of(similarity, block.slots + (size_t)i * similarity->model->width);

            if (level >= 0)
                similarity->totals[level]++;
        }
    rows_reader_free(reader);
}

/* Returns the place of a number among rising cuts: the first that is not below it. */
static uint32_t cut_of(const double *cuts, double number)
{
    uint32_t low = 0, high = CUTS - 1;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (cuts[middle] >= number)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Sets 100 quantiles of a number at equal steps, as quantile() of R does. Returns false if all are NULL. */
static bool find_cuts(const Similarity *similarity, uint32_t place, double cuts[CUTS])
{
    Env *env = similarity->model->env;
    double *numbers = env_array_raw(env, rows_count(similarity->rows) + 1, sizeof(double));
    RowsReader *reader = rows_reader(env, similarity->rows);
    uint64_t n = 0;
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double number = block.slots[(size_t)i * similarity->model->width + place];

            if (!isnan(number))
                numbers[n++] = number;
        }
    rows_reader_free(reader);
    sort_numbers(env, numbers, n, sizeof(double));
    for (uint32_t c = 0; c < CUTS && n > 0; c++) {
        double at = (double)(n - 1) * c / (CUTS - 1), low = floor(at);
        uint64_t k = (uint64_t)low;

        cuts[c] = k + 1 < n ? numbers[k] + (at - low) * (numbers[k + 1] - numbers[k]) : numbers[n - 1];
    }
    env->release(env, numbers);
    return n > 0;
}

/* Counts what the rows of each level have at a place: [count x bins]. cuts: of a number; NULL: bins are levels, the last one all that are not known. */
static void count_place(const Similarity *similarity, uint32_t place, const double *cuts, uint32_t bins, double *counts)
{
    RowsReader *reader = rows_reader(similarity->model->env, similarity->rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *kept = block.slots + (size_t)i * similarity->model->width;
            int32_t level = level_of(similarity, kept);
            double value = kept[place];
            uint32_t bin = bins - 1;

            if (level < 0 || (cuts != NULL && isnan(value)))
                continue;
            if (cuts != NULL)
                bin = cut_of(cuts, value);
            else if (value >= 0 && value < bins - 1)
                bin = (uint32_t)value;
            counts[(size_t)level * bins + bin]++;
        }
    rows_reader_free(reader);
}

/* Returns how far the rows of two levels differ at a place. */
static double difference(const double *a, const double *b, double a_total, double b_total, uint32_t bins, bool numbers)
{
    double a_sum = 0, b_sum = 0, most = 0, sum = 0;

    for (uint32_t k = 0; k < bins; k++) {
        a_sum += a[k];
        b_sum += b[k];
        most = fmax(most, fabs(a_sum / a_total - b_sum / b_total));
        sum += fabs(a[k] / a_total - b[k] / b_total);
    }
    return numbers ? most : sum / 2;
}

/* Adds the distances between levels that a place makes. */
static void add_place(Similarity *similarity, uint32_t place)
{
    const ModelRows *model = similarity->model;
    uint32_t count = similarity->levels->count;
    bool category = place < model->slots && schema_field_kind(model->reads, schema_slot_field(model->reads, place)) == FIELD_CATEGORICAL;
    uint32_t bins = category ? dictionary_size(model->reads, DICTIONARY_LEVELS) + 1 : CUTS;
    double cuts[CUTS], *counts = env_array(model->env, (size_t)count * bins, sizeof(double));

    if (category || find_cuts(similarity, place, cuts)) {
        count_place(similarity, place, category ? NULL : cuts, bins, counts);
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < i; j++) {
                double distance = difference(counts + (size_t)i * bins, counts + (size_t)j * bins, similarity->totals[i], similarity->totals[j], bins, !category);

                similarity->distances[(size_t)i * count + j] += distance;
                similarity->distances[(size_t)j * count + i] += distance;
            }
            model->env->poll(model->env);
        }
    }
    model->env->release(model->env, counts);
}

/*
 * Orders the levels by their first coordinate of classical scaling (Torgerson 1952). Levels that are equal but for rounding keep the order that they
 * have; of both directions, the one that begins with the earlier level is taken.
 */
static void order_by_distances(Env *env, const double *distances, ColumnGrid *levels)
{
    uint32_t n = levels->count;
    double *b = env_array(env, (size_t)n * n, sizeof(double)), *means = env_array(env, n, sizeof(double)), *vector = env_array(env, n, sizeof(double)), all = 0;
    NumberPair *scaled = env_array(env, n, sizeof *scaled);
    uint32_t last = n - 1;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            means[i] += distances[(size_t)i * n + j] * distances[(size_t)i * n + j] / n;
        all += means[i] / n;
    }
    if (!(all > 0)) /* nothing tells the levels apart */
        return;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            b[(size_t)i * n + j] = -0.5 * (distances[(size_t)i * n + j] * distances[(size_t)i * n + j] - means[i] - means[j] + all);
    eigen_vectors(eigen_begin(env, b, n), 1, vector);
    for (uint32_t i = 0; i < n; i++)
        scaled[i] = (NumberPair){round(vector[i] * 1e9), levels->values[i]};
    sort_polled(env, scaled, n, sizeof *scaled, compare_pairs);
    while (last > 0 && scaled[last - 1].x == scaled[n - 1].x)
        last--;
    if (scaled[last].y < scaled[0].y) {
        for (uint32_t i = 0; i < n; i++)
            scaled[i].x = -scaled[i].x;
        sort_polled(env, scaled, n, sizeof *scaled, compare_pairs);
    }
    for (uint32_t i = 0; i < n; i++)
        levels->values[i] = scaled[i].y;
}

void order_by_similarity(const ModelRows *model, Rows *rows, ColumnGrid *levels)
{
    Env *env = model->env;
    uint32_t known = dictionary_size(model->reads, DICTIONARY_LEVELS), count = levels->count;
    Similarity similarity = {.model = model, .rows = rows, .levels = levels};

    if (count < 3)
        return;
    env_require_memory(env, 2 * rows_count(rows) * sizeof(double) + ((size_t)count * (known + 1 + CUTS) + eigen_memory(count, 1)) * sizeof(double), "ordering levels");
    similarity.of = env_array(env, (size_t)known + 1, sizeof(int32_t));
    similarity.totals = env_array(env, count, sizeof(double));
    similarity.distances = env_array(env, (size_t)count * count, sizeof(double));
    memset(similarity.of, -1, known * sizeof(int32_t));
    for (uint32_t l = 0; l < count; l++)
        similarity.of[(uint32_t)levels->values[l]] = (int32_t)l;
    count_levels(&similarity);
    for (uint32_t c = 0; c < model->column_count; c++) {
        const ModelColumn *column = &model->columns[c];
        bool array = column->count > 1 && column->places[1] < model->slots &&
                     schema_slot_field(model->reads, column->places[0]) == schema_slot_field(model->reads, column->places[1]);

        for (uint32_t p = 0; strcmp(column->name, levels->column->name) != 0 && p < (array ? column->count : 1); p++)
            add_place(&similarity, column->places[p]);
    }
    order_by_distances(env, similarity.distances, levels);
}
