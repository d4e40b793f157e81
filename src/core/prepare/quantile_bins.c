/*
 * quantile_bins.c - numbers as the bin that they are in, with about as many training rows in each bin.
 *
 * Arrays:
 *   bins    I64[slots]               bins of each feature
 *   edges   F64[sum of (bins + 1)]   of all features, ascending; equal quantiles make one edge
 *   onehot  BOOL[1]                  one column per bin instead of its number
 */
#include "core/estimator/table.h"
#include "core/model/report_text.h"
#include "core/prepare/affine_scaler.h"
#include "core/prepare/column_quantiles.h"

#include <string.h>

#define BINS_MOST 10000

static const char *const output_choices[] = {"ordinal", "onehot", NULL};

static const OptionSpec bin_options[] = {
    {.name = "bins", .types = OPTION_INTEGER, .fallback = "5", .minimum = 2, .maximum = BINS_MOST, .help = "Bins per feature."},
    {.name = "output",
     .types = OPTION_STRING,
     .fallback = "\"ordinal\"",
     .choices = output_choices,
     .help = "The number of the bin from 0, or one column of zeros and ones per bin."},
    {.name = NULL}};

typedef struct Bins {
    uint32_t slots, edge_count;
    const int64_t *bins;
    const double *edges;
    const uint8_t *onehot;
} Bins;

static const ArraySpec bin_arrays[] = {
    {.name = "bins",
     .type = ARRAY_I64,
     .rows = {SIZE_SLOTS},
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(Bins, bins),
     .rows_at = VIEW_AT(Bins, slots)},
    {.name = "edges", .type = ARRAY_F64, .rows = {SIZE_FREE}, .data_at = VIEW_AT(Bins, edges), .rows_at = VIEW_AT(Bins, edge_count)},
    {.name = "onehot", .type = ARRAY_BOOL, .rows = {SIZE_NUMBER, .plus = 1}, .data_at = VIEW_AT(Bins, onehot)}};
static const ArrayTable bin_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(bin_arrays), NO_FACTS);

static Bins bins_view(const Model *model)
{
    Bins view = {0};

    view_arrays(model, bin_array_tables, &view);
    return view;
}

static const char *bins_check(Env *env, const Model *model)
{
    Bins view = bins_view(model);
    uint64_t at = 0;

    for (uint32_t s = 0; s < view.slots; s++) {
        if (view.bins[s] > BINS_MOST || at + (uint64_t)view.bins[s] + 1 > view.edge_count)
            return env_message(env, "feature %u of quantile_bins has %lld bins", s + 1, (long long)view.bins[s]);
        for (int64_t b = 0; b < view.bins[s]; b++)
            if (!(view.edges[at + b] <= view.edges[at + b + 1]))
                return env_message(env, "the edges of feature %u of quantile_bins do not ascend", s + 1);
        at += (uint64_t)view.bins[s] + 1;
    }
    return at == view.edge_count ? NULL : env_message(env, "quantile_bins has %u edges, not %llu", view.edge_count, (unsigned long long)at);
}

/* ---- fit ---- */

/* Warns that features have fewer bins than were asked for. */
static void warn_of_fewer(Env *env, const Model *schema, uint32_t first, uint32_t count, int64_t bins, uint32_t asked)
{
    TextBuffer name = {.env = env};

    output_slot_name(&name, schema, first);
    env_warn(env, ERROR_DATA, "Give fewer bins, or leave out constant features.",
             "%u feature%s of quantile_bins %s fewer than %u bins, because quantiles are equal: \"%.60s\" has %lld", count,
             count == 1 ? "" : "s", count == 1 ? "has" : "have", asked, text_finish(&name, NULL), (long long)bins);
}

static Model *bins_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    uint32_t slots = rows_slots(input->rows), asked = (uint32_t)options_integer(options, "bins"), fewer = 0, first = 0, used = 0;
    double *shares = env_array(env, (size_t)asked + 1, sizeof(double)), *quantiles, *edges;
    int64_t *bins = env_array(env, (size_t)slots + 1, sizeof(int64_t));
    uint8_t *onehot = env_array(env, 1, 1);

    for (uint32_t i = 0; i <= asked; i++)
        shares[i] = (double)i / asked;
    quantiles = column_quantiles(env, input->rows, shares, asked + 1, self->name);
    edges = env_array(env, (size_t)slots * (asked + 1) + 1, sizeof(double));
    for (uint32_t s = 0; s < slots; s++) {
        const double *q = quantiles + (size_t)s * (asked + 1);
        uint32_t begin = used;

        edges[used++] = q[0];
        for (uint32_t i = 1; i <= asked; i++)
            if (q[i] > edges[used - 1])
                edges[used++] = q[i];
        if (used == begin + 1) /* a constant feature: one bin for all numbers */
            edges[used++] = q[0];
        bins[s] = used - begin - 1;
        if (bins[s] < asked && fewer++ == 0)
            first = s;
    }
    if (fewer > 0)
        warn_of_fewer(env, rows_schema(input->rows), first, fewer, bins[first], asked);
    *onehot = options_is(options, "output", "onehot");
    builder_i64(builder, SECTION_ARRAYS, "bins", bins, slots);
    builder_f64(builder, SECTION_ARRAYS, "edges", edges, used);
    builder_bool(builder, SECTION_ARRAYS, "onehot", onehot, 1);
    return model_build(builder);
}

/* ---- scores ---- */

/* Returns the number of inner edges up to x. */
static uint32_t bin_of(const double *edges, uint32_t bins, double x)
{
    uint32_t low = 0, high = bins - 1; /* inner edges 1 .. bins - 1 */

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (edges[middle + 1] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void bins_transform(const Model *model, const void *prepared, const double *slots, double *out)
{
    Bins view = bins_view(model);
    const double *edges = view.edges;

    for (uint32_t s = 0; s < view.slots; s++) {
        uint32_t bins = (uint32_t)view.bins[s], bin = bin_of(edges, bins, slots[s]);

        edges += bins + 1;
        if (!*view.onehot) {
            *out++ = bin;
            continue;
        }
        memset(out, 0, bins * sizeof(double));
        out[bin] = 1;
        out += bins;
    }
}

static uint32_t bins_width(const Model *model)
{
    Bins view = bins_view(model);

    return *view.onehot ? view.edge_count - view.slots : view.slots;
}

static const Scoring bins_scoring = {.transform = bins_transform, .width = bins_width};

/* ---- reports ---- */

/* Returns the feature of an output, and sets *bin and *edge, the first edge of the feature. */
static uint32_t find_bin(const Bins *view, uint32_t output, uint32_t *bin, uint32_t *edge)
{
    uint32_t s = 0;

    *edge = 0;
    *bin = output;
    for (; *view->onehot ? *bin >= (uint32_t)view->bins[s] : s < output; s++) {
        *bin -= *view->onehot ? (uint32_t)view->bins[s] : 1;
        *edge += (uint32_t)view->bins[s] + 1;
    }
    return s;
}

static void bins_output_name(TextBuffer *out, const Model *model, uint32_t output)
{
    Bins view = bins_view(model);
    uint32_t bin, edge, slot = find_bin(&view, output, &bin, &edge);

    output_slot_name(out, model, slot);
    if (*view.onehot)
        text_print(out, "=%u", bin);
}

static void bins_output_sql(TextBuffer *out, const Model *model, uint32_t output)
{
    Bins view = bins_view(model);
    uint32_t bin, edge, slot = find_bin(&view, output, &bin, &edge), bins = (uint32_t)view.bins[slot];

    text_add(out, *view.onehot ? "(" : "");
    if (bins == 1) {
        text_add(out, "(CASE WHEN ");
        sql_slot(out, model, slot, 0);
        text_add(out, " IS NOT NULL THEN 0 END)");
    } else {
        text_add(out, "width_bucket(");
        sql_slot(out, model, slot, 0);
        text_add(out, ", ARRAY[");
        for (uint32_t b = 1; b < bins; b++) {
            text_add(out, b > 1 ? ", " : "");
            sql_number(out, view.edges[edge + b]);
        }
        text_add(out, "])");
    }
    if (*view.onehot)
        text_print(out, " = %u)::int::float8", bin);
    else
        text_add(out, "::float8");
}

typedef struct BinReader {
    Bins view;
    uint32_t slot, bin, edge;
} BinReader;

static void *open_bins(Env *env, const Model *model, uint64_t *rows)
{
    BinReader *reader = env_array(env, 1, sizeof *reader);

    reader->view = bins_view(model);
    *rows = reader->view.edge_count - reader->view.slots;
    return reader;
}

static bool bin_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    BinReader *reader = data;
    TextBuffer name = {.env = env};

    output_slot_name(&name, model, reader->slot);
    cell_buffer(&cells[0], &name);
    cell_integer(&cells[1], reader->bin);
    cell_number(&cells[2], reader->view.edges[reader->edge]);
    cell_number(&cells[3], reader->view.edges[reader->edge + 1]);
    reader->edge++;
    if (++reader->bin == (uint32_t)reader->view.bins[reader->slot]) {
        reader->bin = 0;
        reader->slot++;
        reader->edge++;
    }
    return true;
}

static const Table bin_edges = {.name = "bin_edges", .open = open_bins, .row = bin_row};
static const Table *const bin_tables[] = {&bin_edges, NULL};

const Estimator estimator_quantile_bins = {
    .name = "quantile_bins",
    .task = TASK_PREPARATION,
    .input = INPUT_ROWS,
    .numeric = true,
    .supervised = false,
    .options = OPTION_TABLES(options_common, bin_options),
    .help = "Turns each number into the bin that it is in; bins hold about as many rows each.",
    .source = "scikit-learn's KBinsDiscretizer; Hyndman & Fan 1996",
    .fit = bins_fit,
    .arrays = bin_array_tables,
    .check = bins_check,
    .scoring = &bins_scoring,
    .output_name = bins_output_name,
    .output_sql = bins_output_sql,
    .tables = bin_tables,
    .to_sql = outputs_to_sql,
};
