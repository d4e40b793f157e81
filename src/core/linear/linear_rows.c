/*
 * linear_rows.c - rows as terms of a fit, with and without the effects of absorbed columns.
 */
#include "core/linear/linear_rows.h"

#include "core/inference/tag_table.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POLL_ROWS 262144
#define BLOCK 256            /* rows that update the factor together */
#define CONVERGED 1e-13      /* a sweep changes no more than this share of a column's norm */
#define SWEEPS 20000         /* at most, for one column of terms; 10 to 300 are usual */
#define DETERMINED 1e-10     /* the share of a norm below which a remainder is rounding */

const OptionSpec option_absorb[] = {
    {.name = "absorb",
     .types = OPTION_STRING | OPTION_STRING_LIST,
     .unset = "no fixed effects",
     .help = "Fixed effects: a column of the feature row, or an array of up to four, whose levels, compared as text, each have an effect of their own that is "
             "taken out of the rows and not kept; \".\" of a formula leaves them out."},
    {.name = NULL}};

/* Fails if an option is given that means nothing without the coefficients of the levels. */
static void require_alone(Env *env, const Options *options, VcovKind vcov)
{
    static const char *const switches[] = {"decompose", "standardize", NULL};

    for (size_t i = 0; switches[i] != NULL; i++)
        if (options_boolean(options, switches[i]))
            env_fail(env, ERROR_PARAMETER, "Leave one of the two out.", "option \"%s\" does not go with \"absorb\"", switches[i]);
    if (!options_boolean(options, "intercept"))
        env_fail(env, ERROR_PARAMETER, "Leave \"intercept\" out.", "the effects of the absorbed columns contain the intercept, which \"intercept\": false leaves out");
    if (vcov == VCOV_HC2 || vcov == VCOV_HC3 || vcov == VCOV_CR2 || vcov == VCOV_NW)
        env_fail(env, ERROR_PARAMETER, vcov == VCOV_CR2 ? "Use \"CR1\"." : vcov == VCOV_NW ? "Use \"CR1\" with clusters of the levels." : "Use \"HC1\".",
                 "\"vcov\": \"%s\" does not go with \"absorb\"%s", vcov_name(vcov),
                 vcov == VCOV_NW ? "" : ": it needs the leverages of the absorbed columns");
}

uint32_t absorbed_columns(Env *env, const Options *options, VcovKind vcov)
{
    uint32_t columns = 1;

    if (!options_given(options, "absorb"))
        return 0;
    if (options_type(options, "absorb") == OPTION_STRING_LIST)
        (void)options_strings(options, "absorb", &columns);
    if (columns == 0 || columns > ABSORBED_COLUMNS_MAX)
        env_fail(env, ERROR_PARAMETER, "Combine columns, such as firm || ' ' || year.", "option \"absorb\" names %u columns, and 1 to %d are possible", columns,
                 ABSORBED_COLUMNS_MAX);
    require_alone(env, options, vcov);
    return columns;
}

LinearRows linear_rows(Env *env, const Design *design, const KeptRows *kept)
{
    LinearRows rows = {.slot = design->term_slot, .level = design->term_level};

    if (kept == NULL)
        return rows;
    rows.kept = *kept;
    rows.level_final = dictionary_final_positions(env, design->schema, DICTIONARY_LEVELS);
    return rows;
}

/* ---- levels ---- */

typedef struct Effect {
    uint32_t *place;  /* [rows] level of each row */
    uint32_t levels;
    double *weight;   /* [levels] */
    double *mean;     /* [levels] scratch */
} Effect;

typedef struct Absorber {
    Env *env;
    const LinearRows *rows;
    size_t count;       /* of rows */
    double *weights;    /* [count]; NULL: all are 1 */
    Effect effects[ABSORBED_COLUMNS_MAX];
    uint32_t columns;
    double *column, *change, *direction, *product, *swept; /* [count] */
    uint64_t done;      /* columns of terms */
} Absorber;

/* Returns row i of both parts. */
static const double *row_at(const KeptRows *kept, size_t i)
{
    return i < kept->counts[0] ? kept->rows[0] + i * kept->width : kept->rows[1] + (i - kept->counts[0]) * kept->width;
}

static void number_levels(Absorber *absorber, Effect *effect, uint32_t column)
{
    Env *env = absorber->env;
    const KeptRows *kept = &absorber->rows->kept;
    TagTable tags = tag_table(env, 2);

    effect->place = env_array_raw(env, absorber->count + 1, sizeof(uint32_t));
    for (size_t i = 0; i < absorber->count; i++) {
        effect->place[i] = tag_table_place(env, &tags, row_at(kept, i) + kept->width - kept->tags + 2 * (size_t)column);
        if (i % 4096 == 0)
            env->poll(env);
    }
    effect->levels = tags.table.count;
    effect->weight = env_array(env, (size_t)effect->levels + 1, sizeof(double));
    effect->mean = env_array(env, (size_t)effect->levels + 1, sizeof(double));
    for (size_t i = 0; i < absorber->count; i++)
        effect->weight[effect->place[i]] += absorber->weights != NULL ? absorber->weights[i] : 1;
}

/* Returns the root of a node of a forest, and shortens the way to it. */
static uint32_t find_root(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Returns in how many parts the levels of two columns fall, of which no row connects two: as many of their 0/1 columns depend on the others. */
static uint32_t count_parts(const Absorber *absorber, const Effect *a, const Effect *b)
{
    Env *env = absorber->env;
    uint32_t nodes = a->levels + b->levels, parts = nodes, *parent = env_array_raw(env, (size_t)nodes + 1, sizeof(uint32_t));

    for (uint32_t node = 0; node < nodes; node++)
        parent[node] = node;
    for (size_t i = 0; i < absorber->count; i++) {
        uint32_t one = find_root(parent, a->place[i]), other = find_root(parent, a->levels + b->place[i]);

        if (one != other) {
            parent[one] = other;
            parts--;
        }
        if (i % 4096 == 0)
            env->poll(env);
    }
    env->release(env, parent);
    return parts;
}

/*
 * Returns the coefficients of the levels beyond the intercept. Exact for one and two columns; a third or fourth may depend on several others together,
 * which is not seen, so that standard errors are never too small.
 */
static double count_coefficients(const Absorber *absorber)
{
    double df = -1;

    for (uint32_t c = 0; c < absorber->columns; c++) {
        uint32_t parts = 0;

        for (uint32_t other = 0; other < c; other++) {
            uint32_t now = count_parts(absorber, &absorber->effects[other], &absorber->effects[c]);

            parts = now > parts ? now : parts;
        }
        df += (double)absorber->effects[c].levels - parts;
    }
    return df;
}

/* ---- projections ---- */

static double dot(const Absorber *absorber, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = 0; i < absorber->count; i++)
        sum += (absorber->weights != NULL ? absorber->weights[i] : 1) * a[i] * b[i];
    return sum;
}

static void subtract_means(const Absorber *absorber, const Effect *effect, double *x)
{
    memset(effect->mean, 0, effect->levels * sizeof(double));
    for (size_t i = 0; i < absorber->count; i++) {
        effect->mean[effect->place[i]] += (absorber->weights != NULL ? absorber->weights[i] : 1) * x[i];
        if (i % POLL_ROWS == 0)
            absorber->env->poll(absorber->env);
    }
    for (uint32_t level = 0; level < effect->levels; level++)
        effect->mean[level] /= effect->weight[level];
    for (size_t i = 0; i < absorber->count; i++)
        x[i] -= effect->mean[effect->place[i]];
}

/* Subtracts the means of the levels of all columns, forth and back. */
static void sweep(const Absorber *absorber, double *x)
{
    for (uint32_t c = 0; c < absorber->columns; c++)
        subtract_means(absorber, &absorber->effects[c], x);
    for (uint32_t c = absorber->columns - 1; c-- > 0;)
        subtract_means(absorber, &absorber->effects[c], x);
}

/* Sets change to what a sweep takes away from x, and returns its norm. */
static double set_change(Absorber *absorber, const double *x, double *change)
{
    size_t count = absorber->count;

    memcpy(absorber->swept, x, count * sizeof(double));
    sweep(absorber, absorber->swept);
    for (size_t i = 0; i < count; i++)
        change[i] = x[i] - absorber->swept[i];
    return sqrt(dot(absorber, change, change));
}

/*
 * Subtracts from the column its projection on the levels: conjugate gradients solve (I - sweep) u = (I - sweep) column, whose solution in the span
 * of the levels is the projection. Begins again from what is left until a sweep takes nothing away.
 */
static void project(Absorber *absorber)
{
    size_t count = absorber->count;
    double *x = absorber->column, *r = absorber->change, *p = absorber->direction, *q = absorber->product;
    double norm = sqrt(dot(absorber, x, x)), size = set_change(absorber, x, r);

    for (uint32_t sweeps = 1; size > CONVERGED * norm; size = set_change(absorber, x, r)) {
        double square = size * size;

        memcpy(p, r, count * sizeof(double));
        do {
            double curvature, step, before = square;

            if (++sweeps > SWEEPS)
                env_fail(absorber->env, ERROR_DATA, "Absorb fewer columns, or leave out levels that share few rows with others.",
                         "the effects of the absorbed columns are not found after %d sweeps: the last changed %.2g of the norm", SWEEPS, sqrt(square) / norm);
            set_change(absorber, p, q);
            curvature = dot(absorber, p, q);
            if (!(curvature > 0))
                break;
            step = square / curvature;
            for (size_t i = 0; i < count; i++) {
                x[i] -= step * p[i];
                r[i] -= step * q[i];
            }
            square = dot(absorber, r, r);
            for (size_t i = 0; i < count; i++)
                p[i] = r[i] + square / before * p[i];
        } while (sqrt(square) > 0.1 * CONVERGED * norm);
        sweeps++;
    }
    sweep(absorber, x);
}

/* Multiplies the column by a power of two. */
static void scale_column(Absorber *absorber, int exponent)
{
    for (size_t i = 0; exponent != 0 && i < absorber->count; i++)
        absorber->column[i] = ldexp(absorber->column[i], exponent);
}

/* Returns the binary exponent of the column's greatest number where squares of it would overflow or vanish, else 0. */
static int extreme_exponent(const Absorber *absorber)
{
    double largest = 0;
    int exponent = 0;

    for (size_t i = 0; i < absorber->count; i++)
        largest = fmax(largest, fabs(absorber->column[i]));
    if (largest > 0 && isfinite(largest))
        (void)frexp(largest, &exponent);
    return abs(exponent) > 300 ? exponent : 0;
}

/* Takes the levels' effects out of the column; sets it to 0 where only rounding is left. */
static void clear_column(Absorber *absorber)
{
    int exponent = extreme_exponent(absorber);
    double norm;

    scale_column(absorber, -exponent);
    norm = sqrt(dot(absorber, absorber->column, absorber->column));
    if (absorber->columns > 1)
        project(absorber);
    else
        for (int i = 0; i < 2; i++) /* the second takes away the rounding of the first */
            sweep(absorber, absorber->column);
    if (sqrt(dot(absorber, absorber->column, absorber->column)) <= DETERMINED * norm)
        memset(absorber->column, 0, absorber->count * sizeof(double));
    scale_column(absorber, exponent);
    absorber->done++;
}

/* ---- the fit's rows and factor ---- */

/* Allocates the rows without effects: terms, target, weight, and the tags of clusters. */
static KeptRows make_rows(Absorber *absorber, const Design *design, double **numbers)
{
    const KeptRows *kept = &absorber->rows->kept;
    KeptRows rows = {.target = design->terms, .tags = kept->tags - 2 * absorber->columns};
    size_t bytes;

    rows.weight = kept->weight > 0 ? design->terms + 1 : 0;
    rows.width = design->terms + 1 + (kept->weight > 0) + rows.tags;
    rows.counts[0] = (uint32_t)absorber->count;
    bytes = absorber->count * ((rows.width + 6) * sizeof(double) + absorber->columns * sizeof(uint32_t));
    env_require_memory(absorber->env, bytes, "a copy of the rows without the effects of the absorbed columns");
    rows.rows[0] = *numbers = env_array_raw(absorber->env, absorber->count + 1, rows.width * sizeof(double));
    return rows;
}

static void begin(Absorber *absorber, Env *env, const LinearRows *rows, uint32_t columns)
{
    size_t count = (size_t)rows->kept.counts[0] + rows->kept.counts[1];

    *absorber = (Absorber){.env = env, .rows = rows, .count = count, .columns = columns};
    if (count > UINT32_MAX)
        env_fail(env, ERROR_LIMIT, "Fit fewer rows.", "%zu rows are too many for \"absorb\": at most %u are possible", count, UINT32_MAX);
}

/* Sets what the projections need. */
static void prepare(Absorber *absorber)
{
    Env *env = absorber->env;
    const KeptRows *kept = &absorber->rows->kept;

    if (kept->weight > 0) {
        absorber->weights = env_array_raw(env, absorber->count + 1, sizeof(double));
        for (size_t i = 0; i < absorber->count; i++)
            absorber->weights[i] = row_at(kept, i)[kept->weight];
    }
    absorber->column = env_array_raw(env, 5 * absorber->count + 1, sizeof(double));
    absorber->change = absorber->column + absorber->count;
    absorber->direction = absorber->change + absorber->count;
    absorber->product = absorber->direction + absorber->count;
    absorber->swept = absorber->product + absorber->count;
    for (uint32_t c = 0; c < absorber->columns; c++)
        number_levels(absorber, &absorber->effects[c], c);
}

/* Writes column `term` (the target: `terms`) of all rows, without effects, about its mean. */
static void fill_column(Absorber *absorber, const Design *design, uint32_t term, const KeptRows *to, double *numbers)
{
    const LinearRows *from = absorber->rows;
    double mean = term < design->terms ? design->means[term] : design->target_mean;

    for (size_t i = 0; i < absorber->count; i++) {
        const double *row = row_at(&from->kept, i);

        absorber->column[i] = (term < design->terms ? linear_rows_term(from, design, row, term) : row[from->kept.target]) - mean;
    }
    clear_column(absorber);
    for (size_t i = 0; i < absorber->count; i++)
        numbers[i * to->width + term] = absorber->column[i] + mean;
    absorber->env->progress(absorber->env, "absorbed columns", absorber->done, design->terms + 1, NAN);
}

/* Copies weights and the tags of clusters. */
static void copy_rest(const Absorber *absorber, const KeptRows *to, double *numbers)
{
    const KeptRows *from = &absorber->rows->kept;

    for (size_t i = 0; i < absorber->count; i++) {
        const double *row = row_at(from, i);
        double *own = numbers + i * to->width;

        if (to->weight > 0)
            own[to->weight] = row[from->weight];
        memcpy(own + to->width - to->tags, row + from->width - to->tags, to->tags * sizeof(double));
    }
}

/* Replaces the design's factor by that of the rows about their means. */
static void set_factor(Env *env, Design *design, const KeptRows *rows)
{
    uint32_t all = design->terms + 1;
    double *packed = env_array(env, factor_packed(all), sizeof(double)), *block;
    void *memory;

    block = env_aligned(env, (size_t)BLOCK * all, &memory);
    for (uint32_t first = 0; first < rows->counts[0]; first += BLOCK) {
        uint32_t count = rows->counts[0] - first < BLOCK ? rows->counts[0] - first : BLOCK;

        memset(block, 0, (size_t)BLOCK * all * sizeof(double));
        for (uint32_t i = 0; i < count; i++) {
            const double *row = rows->rows[0] + (size_t)(first + i) * rows->width;
            double root = rows->weight > 0 ? sqrt(row[rows->weight]) : 1;

            for (uint32_t t = 0; t < all; t++)
                block[(size_t)t * BLOCK + i] = root * (row[t] - (t < design->terms ? design->means[t] : design->target_mean));
        }
        factor_update(env, packed, all, block, BLOCK, count, false);
    }
    for (uint32_t j = 0; j < all; j++)
        memcpy(design->factor + (size_t)j * all, packed + factor_packed(j), (j + 1) * sizeof(double));
    env->release(env, memory);
    env->release(env, packed);
}

/* Returns positions 0, 1, ... and levels -1 of rows that hold terms. */
static LinearRows rows_of_terms(Env *env, const KeptRows *kept, uint32_t terms)
{
    uint32_t *slot = env_array(env, (size_t)terms + 1, sizeof *slot);
    int32_t *level = env_array(env, (size_t)terms + 1, sizeof *level);

    for (uint32_t t = 0; t < terms; t++) {
        slot[t] = t;
        level[t] = -1;
    }
    return (LinearRows){.kept = *kept, .slot = slot, .level = level};
}

Absorbed linear_absorb(Env *env, uint32_t columns, Design *design, LinearRows *rows)
{
    Absorbed absorbed = {.columns = columns};
    uint32_t terms = design->terms;
    double *numbers;
    Absorber absorber;
    KeptRows kept;

    if (columns == 0)
        return absorbed;
    if (rows->kept.tags < 2 * columns)
        env_fail(env, ERROR_PARAMETER, "Fit from the rows.", "option \"absorb\" needs the rows, and these moments keep none");
    begin(&absorber, env, rows, columns);
    kept = make_rows(&absorber, design, &numbers);
    prepare(&absorber);
    for (uint32_t c = 0; c < columns; c++)
        absorbed.levels[c] = absorber.effects[c].levels;
    absorbed.df = count_coefficients(&absorber);
    for (uint32_t i = 0; i <= terms; i++)
        absorbed.tss += design->factor[(size_t)terms * (terms + 1) + i] * design->factor[(size_t)terms * (terms + 1) + i];
    for (uint32_t t = 0; t <= terms; t++)
        fill_column(&absorber, design, t, &kept, numbers);
    copy_rest(&absorber, &kept, numbers);
    set_factor(env, design, &kept);
    *rows = rows_of_terms(env, &kept, terms);
    return absorbed;
}

void linear_absorbed_add(ModelBuilder *builder, LinearFit *fit, const Absorbed *absorbed)
{
    int64_t *levels;

    if (absorbed->columns == 0)
        return;
    levels = env_array(fit->env, absorbed->columns, sizeof *levels);
    memcpy(levels, absorbed->levels, absorbed->columns * sizeof *levels);
    builder_i64(builder, SECTION_FACTS, "absorbed_levels", levels, absorbed->columns);
    builder_fact_finite(builder, "absorbed_df", absorbed->df);
    builder_fact_finite(builder, "within_tss", fit->tss);
    fit->tss = absorbed->tss;
    fit->df_model += absorbed->df;
}
