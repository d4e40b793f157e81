/*
 * term_search.c - subsets of the terms of a least squares fit, by steps as R's step() takes them, or all of them.
 *
 * With S the covariance of the coefficients b divided by the residual variance, S^-1 are the cross-products of the terms and S^-1 b those with the
 * target. Sweeps (Goodnight 1979) through the columns of a subset leave its residual sum of squares, and what each term would add or take away.
 */
#include "core/linear_equations/term_search.h"

#include "core/formula/formula_model.h"
#include "core/inference/robust_model.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_model.h"

#include <math.h>
#include <string.h>

#define MOST_TERMS_OF_ALL 20 /* a million subsets */
#define NO_BETTER 1e-7       /* of a criterion, as in R */
#define PERFECT 1e-24        /* of the sum of squares: what rounding leaves of residuals */

static const char *const criteria[] = {"aic", "bic", NULL};
static const char *const directions[] = {"both", "backward", "forward", "all", NULL};

static const OptionSpec own_options[] = {
    {.name = "direction",
     .types = OPTION_STRING,
     .fallback = "\"both\"",
     .choices = directions,
     .help = "backward leaves terms out of the model, forward adds them to one without terms, both leaves out and takes back, all tries all subsets of up to 20 "
             "terms."},
    {.name = "select", .types = OPTION_STRING, .fallback = "\"aic\"", .choices = criteria, .help = "The criterion, of which the smallest value is chosen."},
    {.name = NULL}};

const OptionSpec *const term_search_options[] = {own_options, NULL};

/* A row of the table. */
typedef struct Step {
    const char *action;
    uint32_t term; /* that was added or left out; the number of terms: none */
    uint32_t size;
    double rss, criterion;
    bool chosen;
    bool *kept; /* [terms] */
} Step;

typedef struct Search {
    Env *env;
    const Model *model;
    const char *const *names;  /* [terms] */
    uint32_t terms, columns;   /* of the formula; coefficients without the intercept */
    uint32_t *first;           /* [terms + 1] columns */
    const bool *margins;       /* [terms x terms] whether the first is part of the second */
    double *products, *swept;  /* [(columns + 1)^2] scaled cross-products, the target's last */
    double *small;             /* [columns x (columns + 1)] scratch */
    double rows, rss, full, penalty; /* rows as counted; of the model: its sum of squares and criterion; of a coefficient */
    Step *steps;
    uint32_t count, room;
} Search;

/* ---- cross-products ---- */

/* Lists the coefficients that are not dropped by terms. Returns their places in the covariance. */
static uint32_t *list_columns(Search *search)
{
    Env *env = search->env;
    const Model *model = search->model;
    uint32_t count, fields, first = model_find(model, "intercept") != NULL;
    const LinearTerm *list = linear_terms(env, model, &count);
    const uint8_t *dropped = linear_dropped(model);
    const uint32_t *slot_terms = formula_slot_terms(env, model, &search->names, &fields);
    uint32_t *places = env_array(env, (size_t)count + 1, sizeof(uint32_t));

    search->terms = fields;
    search->first = env_array(env, (size_t)fields + 2, sizeof(uint32_t));
    for (uint32_t term = 0; term < fields; term++) {
        for (uint32_t t = 0; t < count; t++) {
            if (slot_terms[list[t].slot] != term || (dropped != NULL && dropped[list[t].column]))
                continue;
            places[search->columns++] = t + first;
        }
        search->first[term + 1] = search->columns;
        env->poll(env);
    }
    return places;
}

/* Sets the coefficients at these places of the covariance. */
static void set_estimates(const Search *search, const uint32_t *places, double *estimates)
{
    Coefficient *list;

    estimator_of(search->model)->coefficients(search->env, search->model, &list);
    for (uint32_t i = 0; i < search->columns; i++)
        estimates[i] = list[places[i]].estimate;
}

/* Sets products and their last column from the covariance, and scales all columns to norm 1. */
static void set_products(Search *search, const uint32_t *places, double variance, double tss)
{
    Env *env = search->env;
    uint32_t k = search->columns, all = k + 1, length;
    const double *packed = model_f64(search->model, "covariance" MODEL_PACKED, &length);
    double *factor, *inverse, *estimates, *products;

    env_require_memory(env, ((size_t)4 * all * all + 2 * all) * sizeof(double), "the cross-products of the terms");
    search->products = products = env_array(env, (size_t)4 * all * all + 2 * all, sizeof(double));
    search->swept = products + (size_t)all * all;
    factor = search->small = search->swept + (size_t)all * all;
    inverse = factor + (size_t)all * all;
    estimates = inverse + (size_t)all * all;
    set_estimates(search, places, estimates);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < k; i++) {
            uint32_t low = i < j ? places[i] : places[j], high = i < j ? places[j] : places[i];

            factor[(size_t)j * k + i] = packed[factor_packed(high) + low] / variance;
        }
    if (cholesky_factor(env, factor, k, 0) < k)
        env_fail(env, ERROR_DATA, "Leave terms out that nearly depend on others.", "the covariance of the %u coefficients is singular", k);
    for (uint32_t j = 0; j < k; j++)
        inverse[(size_t)j * k + j] = 1;
    cholesky_solve(env, factor, k, inverse, k);
    cholesky_solve_transposed(env, factor, k, inverse, k);
    products[(size_t)k * all + k] = tss;
    for (uint32_t j = 0; j < k; j++) {
        double own = sqrt(inverse[(size_t)j * k + j]), sum = 0;

        for (uint32_t i = 0; i < k; i++) {
            products[(size_t)j * all + i] = inverse[(size_t)j * k + i] / own / sqrt(inverse[(size_t)i * k + i]);
            sum += inverse[(size_t)j * k + i] * estimates[i];
        }
        products[(size_t)j * all + k] = products[(size_t)k * all + j] = sum / own;
        env->poll(env);
    }
}

/* Sweeps a column in, or out again. */
static void sweep(const Search *search, uint32_t column)
{
    uint32_t all = search->columns + 1;
    double *a = search->swept, *own = a + (size_t)column * all, pivot = own[column];

    for (uint32_t j = 0; j < all; j++)
        own[j] /= pivot;
    for (uint32_t i = 0; i < all; i++) {
        double *row = a + (size_t)i * all, times = row[column];

        if (i == column)
            continue;
        for (uint32_t j = 0; j < all; j++)
            row[j] -= times * own[j];
        row[column] = -times / pivot;
    }
    own[column] = 1 / pivot;
}

static void sweep_term(const Search *search, uint32_t term)
{
    for (uint32_t i = search->first[term]; i < search->first[term + 1]; i++)
        sweep(search, i);
}

/* Sweeps the columns of a subset. Returns its residual sum of squares. */
static double sweep_subset(const Search *search, const bool *kept)
{
    uint32_t all = search->columns + 1;

    memcpy(search->swept, search->products, (size_t)all * all * sizeof(double));
    for (uint32_t term = 0; term < search->terms; term++)
        if (kept[term])
            sweep_term(search, term);
    search->env->poll(search->env);
    return search->swept[(size_t)all * all - 1];
}

/* Returns by how much the residual sum of squares changes if a term is left out of the swept subset, or added to it. */
static double change_of(const Search *search, uint32_t term)
{
    uint32_t all = search->columns + 1, size = search->first[term + 1] - search->first[term];
    double *block = search->small, *right = block + (size_t)size * size, sum = 0;

    for (uint32_t j = 0; j < size; j++) {
        for (uint32_t i = 0; i < size; i++)
            block[(size_t)j * size + i] = search->swept[(size_t)(search->first[term] + j) * all + search->first[term] + i];
        right[j] = search->swept[(size_t)(search->first[term] + j) * all + search->columns];
    }
    if (size == 0 || cholesky_factor(search->env, block, size, 0) < size)
        return NAN;
    cholesky_solve(search->env, block, size, right, 1);
    for (uint32_t j = 0; j < size; j++)
        sum += right[j] * right[j];
    return sum;
}

/* ---- subsets ---- */

static uint32_t columns_of(const Search *search, const bool *kept)
{
    uint32_t columns = 0;

    for (uint32_t term = 0; term < search->terms; term++)
        columns += kept[term] ? search->first[term + 1] - search->first[term] : 0;
    return columns;
}

/* Returns the criterion of a fit with so many coefficients. */
static double criterion_of(const Search *search, double rss, uint32_t columns)
{
    return search->full + search->rows * log(rss / search->rss) - search->penalty * (search->columns - columns);
}

/* Tells whether a term may be left out: no term that is kept contains it. */
static bool may_leave(const Search *search, const bool *kept, uint32_t term)
{
    for (uint32_t other = 0; other < search->terms; other++)
        if (kept[other] && search->margins[(size_t)term * search->terms + other])
            return false;
    return true;
}

/* Tells whether a term may be added: all terms that it contains are kept. */
static bool may_add(const Search *search, const bool *kept, uint32_t term)
{
    for (uint32_t other = 0; other < search->terms; other++)
        if (!kept[other] && search->first[other] < search->first[other + 1] && search->margins[(size_t)other * search->terms + term])
            return false;
    return true;
}

static void add_step(Search *search, const char *action, uint32_t term, const bool *kept, double rss)
{
    Env *env = search->env;
    Step *step;

    if (search->count == search->room) {
        search->room = search->room == 0 ? 16 : 2 * search->room;
        search->steps = env->resize(env, search->steps, search->room * sizeof(Step));
    }
    step = &search->steps[search->count++];
    *step = (Step){.action = action, .term = term, .size = columns_of(search, kept), .rss = rss};
    step->criterion = criterion_of(search, rss, step->size);
    step->kept = env_array(env, (size_t)search->terms + 1, 1);
    memcpy(step->kept, kept, search->terms);
}

/* Goes from one model to the best of its neighbors until none is better. */
static void go_by_steps(Search *search, bool *kept, bool leave, bool add)
{
    double rss = sweep_subset(search, kept);

    add_step(search, "start", search->terms, kept, rss);
    for (;;) {
        double best = search->steps[search->count - 1].criterion - NO_BETTER, best_rss = rss;
        uint32_t columns = columns_of(search, kept), chosen = search->terms;

        for (uint32_t term = 0; term < search->terms; term++) {
            uint32_t size = search->first[term + 1] - search->first[term];
            double change, value;

            if (size == 0 || !(kept[term] ? leave && may_leave(search, kept, term) : add && may_add(search, kept, term)))
                continue;
            change = change_of(search, term);
            value = kept[term] ? criterion_of(search, rss + change, columns - size) : criterion_of(search, rss - change, columns + size);
            if (value < best) {
                best = value;
                best_rss = kept[term] ? rss + change : rss - change;
                chosen = term;
            }
        }
        if (chosen == search->terms)
            break;
        kept[chosen] = !kept[chosen];
        rss = sweep_subset(search, kept);
        add_step(search, kept[chosen] ? "add" : "remove", chosen, kept, best_rss);
    }
    search->steps[search->count - 1].chosen = true;
}

/* Tells whether a subset contains all terms that its terms contain. */
static bool is_closed(const Search *search, const bool *kept)
{
    for (uint32_t term = 0; term < search->terms; term++)
        if (kept[term] && !may_add(search, kept, term))
            return false;
    return true;
}

/* Goes through all subsets, each one term from the one before (Gray 1953), and keeps the best of each size. */
static void try_all(Search *search, bool *kept)
{
    uint32_t terms = search->terms, best = 0;
    Step *by_size = env_array(search->env, (size_t)search->columns + 1, sizeof(Step));

    for (uint32_t code = 0; code < UINT32_C(1) << terms; code++) {
        uint32_t size = columns_of(search, kept);
        double rss = code % 1024 == 0 ? sweep_subset(search, kept) : search->swept[(size_t)(search->columns + 1) * (search->columns + 1) - 1];

        if (is_closed(search, kept) && (by_size[size].kept == NULL || rss < by_size[size].rss)) {
            if (by_size[size].kept == NULL)
                by_size[size].kept = env_array(search->env, (size_t)terms + 1, 1);
            memcpy(by_size[size].kept, kept, terms);
            by_size[size].rss = rss;
        }
        if (code + 1 < UINT32_C(1) << terms) {
            uint32_t term = (uint32_t)__builtin_ctz(code + 1);

            sweep_term(search, term);
            kept[term] = !kept[term];
        }
    }
    for (uint32_t size = 0; size <= search->columns; size++)
        if (by_size[size].kept != NULL) {
            add_step(search, "best of its size", terms, by_size[size].kept, sweep_subset(search, by_size[size].kept));
            best = search->steps[search->count - 1].criterion < search->steps[best].criterion ? search->count - 1 : best;
        }
    search->steps[best].chosen = true;
}

/* ---- the table ---- */

static bool has_search(const Model *model)
{
    return model_find(model, "covariance" MODEL_PACKED) != NULL;
}

static Search *begin(Env *env, const Model *model, bool bic, bool all)
{
    Search *search = env_array(env, 1, sizeof *search);
    const Model *facts = estimator_statistics(env, model);
    double df = model_fact(facts, "df_residual", NAN), tss = model_fact(model, "within_tss", model_fact(model, "tss", NAN));
    uint32_t *places;

    if (robust_is(model))
        env_fail(env, ERROR_KIND, "Fit the model again without \"vcov\".", "step needs classical standard errors, and this model of %.31s has robust ones",
                 model->estimator);
    *search = (Search){.env = env, .model = model, .rows = model_counted_rows(model), .rss = model_fact(model, "rss", NAN)};
    search->full = model_fact(facts, bic ? "bic" : "aic", NAN);
    search->penalty = bic ? log(search->rows) : 2;
    if (!(search->rss > PERFECT * tss && df > 0 && tss > 0 && isfinite(search->full)))
        env_fail(env, ERROR_DATA, "Use more rows.", "a model that fits its %.0f rows perfectly cannot be compared with smaller ones", search->rows);
    places = list_columns(search);
    if (all && search->terms > MOST_TERMS_OF_ALL)
        env_fail(env, ERROR_LIMIT, "Use \"direction\": \"both\".", "all subsets of %u terms are too many: at most %d terms are possible", search->terms,
                 MOST_TERMS_OF_ALL);
    search->margins = formula_margins(env, model, search->terms);
    set_products(search, places, search->rss / df, tss);
    return search;
}

static void *open_search(Env *env, const Model *model, const Options *options, uint64_t *rows)
{
    bool forward = options_is(options, "direction", "forward"), all = options_is(options, "direction", "all");
    Search *search = begin(env, model, options_is(options, "select", "bic"), all);
    bool *kept = env_array(env, (size_t)search->terms + 1, 1);

    for (uint32_t term = 0; term < search->terms; term++)
        kept[term] = !forward && !all && search->first[term] < search->first[term + 1];
    if (all)
        try_all(search, kept);
    else
        go_by_steps(search, kept, !forward, !options_is(options, "direction", "backward"));
    *rows = search->count;
    return search;
}

static bool search_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const Search *search = reader;
    const Step *step = &search->steps[i];

    cell_integer(&cells[0], (int64_t)i);
    cell_string(&cells[1], step->action);
    if (step->term < search->terms)
        cell_string(&cells[2], search->names[step->term]);
    cell_integer(&cells[3], step->size);
    cell_number(&cells[4], step->rss);
    cell_number(&cells[5], step->criterion);
    cell_integer(&cells[6], step->chosen);
    cell_string(&cells[7], formula_of_terms(env, model, search->names, search->terms, step->kept));
    return true;
}

const Table term_search_table = {.name = "step",
                                 .options = term_search_options,
                                 .has = has_search,
                                 .open_with = open_search,
                                 .row = search_row};
