/*
 * s_search.c - the fast S-algorithm of Salibian-Barrera & Yohai (2006, Journal of Computational and Graphical Statistics 15(2)), with subsamples
 * that are never singular (Koller & Stahel 2017, Computational Statistics 32).
 *
 * The paper splits a large sample into segments; here one sample serves, because 2,000 rows already tell good candidates from bad ones.
 */
#include "core/robust/s_search.h"
#include "core/base/all_finite.h"
#include "core/base/number_order.h"
#include "core/base/random.h"

#include <stdlib.h>
#include <string.h>

#define BEST 5              /* candidates that are refined over the sample */
#define FULL 2              /* of them over all rows, if the sample is smaller */
#define ROWS_PER_COLUMN 20  /* of a sample */
#define SAME 1e-6           /* refined scales that differ less are of one equation */
#define DEPENDENT 1e-7      /* of a row's largest number: what is left of it is rounding */

typedef struct Candidate {
    double scale, *theta; /* [width] */
    bool converged;
} Candidate;

typedef struct Search {
    MSolver *sample;
    double k;
    Candidate best[BEST]; /* the least scale first */
    uint32_t kept;
    uint32_t *order;      /* [count] permuted places of rows */
    double *lines;        /* [width x (width + 1)] rows without what the rows before tell, and the target */
    uint32_t *pivot;      /* [width] column of each line that is 1 there, and 0 in the lines after it */
    double *theta;        /* [width] */
} Search;

/* ---- equations through rows ---- */

/* Writes a row of the sample and its target. */
static void read_row(const MSolver *sample, uint32_t place, double *line)
{
    const StandardizedRows *rows = sample->rows;
    const double *x = sample->sample + (size_t)(place / DESIGN_TILE) * (rows->terms + 2) * DESIGN_TILE + place % DESIGN_TILE;

    if (rows->intercept)
        *line++ = 1;
    for (uint32_t t = 0; t < rows->terms; t++, x += DESIGN_TILE)
        *line++ = *x;
    *line = *x / sample->unit;
}

/* Subtracts from a row what the first `rank` lines tell. Returns false if nothing is left, else makes it a line. */
static bool add_line(Search *search, uint32_t rank)
{
    uint32_t k = search->sample->width, pivot = 0;
    double *line = search->lines + (size_t)rank * (k + 1), size = 0;

    for (uint32_t j = 0; j < k; j++)
        size = fmax(size, fabs(line[j]));
    for (uint32_t p = 0; p < rank; p++) {
        const double *before = search->lines + (size_t)p * (k + 1);
        double share = line[search->pivot[p]];

        for (uint32_t j = 0; j <= k; j++)
            line[j] -= share * before[j];
        line[search->pivot[p]] = 0;
    }
    for (uint32_t j = 1; j < k; j++)
        if (fabs(line[j]) > fabs(line[pivot]))
            pivot = j;
    if (!(fabs(line[pivot]) > DEPENDENT * size))
        return false;
    size = line[pivot];
    for (uint32_t j = 0; j <= k; j++)
        line[j] /= size;
    search->pivot[rank] = pivot;
    return true;
}

/*
 * Sets theta to the equation through `width` random rows, passing over those that depend on the ones before. Coefficients that no row of the
 * sample determines are 0.
 */
static void draw_equation(Search *search, uint64_t random)
{
    MSolver *sample = search->sample;
    uint32_t k = sample->width, count = (uint32_t)sample->count, rank = 0;

    for (uint32_t i = 0; i < count; i++)
        search->order[i] = i;
    for (uint32_t i = 0; i < count && rank < k; i++) {
        uint32_t other = i + random_below(&random, count - i), place = search->order[other];

        search->order[other] = search->order[i];
        read_row(sample, place, search->lines + (size_t)rank * (k + 1));
        rank += add_line(search, rank);
        sample->env->poll(sample->env);
    }
    memset(search->theta, 0, k * sizeof(double));
    for (uint32_t p = rank; p-- > 0;) {
        const double *line = search->lines + (size_t)p * (k + 1);
        double value = line[k];

        for (uint32_t q = p + 1; q < rank; q++)
            value -= line[search->pivot[q]] * search->theta[search->pivot[q]];
        search->theta[search->pivot[p]] = value;
    }
}

/* ---- candidates ---- */

/* Keeps theta of the sample if its scale is among the least. */
static void keep(Search *search, double scale)
{
    uint32_t k = search->sample->width, at = search->kept < BEST ? search->kept++ : BEST - 1;
    Candidate own = search->best[at];

    own.scale = scale;
    memcpy(own.theta, search->sample->theta, k * sizeof(double));
    for (; at > 0 && search->best[at - 1].scale > scale; at--)
        search->best[at] = search->best[at - 1];
    search->best[at] = own;
}

/* Returns what stands for the scale 0 of an exact equation: below any other scale, and less where more rows lie on the equation. */
static double exact_scale(const MSolver *solver)
{
    return solver->least * m_off_share(solver);
}

/* Improves an equation by one step, and keeps it if it is good. */
static void try_equation(Search *search)
{
    MSolver *sample = search->sample;
    MLoss loss = {.bisquare = true, .k = search->k};
    double scale;

    m_set_theta(sample, search->theta);
    scale = m_start_scale(sample);
    if (scale > 0) {
        sample->scale = scale * sqrt(2 * m_s_mean(sample, search->k, scale));
        (void)m_step(sample, loss); /* singular where rows of this sample do not suffice: the equation stays as it is */
        if (!all_finite(sample->theta, sample->width))
            return;
        if (search->kept == BEST && m_s_mean(sample, search->k, search->best[BEST - 1].scale) >= 0.5)
            return;
        scale = m_s_scale(sample, search->k, m_start_scale(sample));
    }
    keep(search, scale > 0 ? scale : exact_scale(sample));
}

/* Moves a candidate to the least scale nearby, over the rows of the solver. */
static void refine(MSolver *solver, Candidate *candidate, double k, double tolerance, int64_t max_iter)
{
    m_set_theta(solver, candidate->theta);
    solver->scale = m_s_scale(solver, k, m_start_scale(solver));
    m_solve(solver, (MLoss){.bisquare = true, .k = k}, SCALE_S, tolerance, max_iter);
    memcpy(candidate->theta, solver->theta, solver->width * sizeof(double));
    candidate->scale = solver->scale > 0 ? solver->scale : exact_scale(solver);
    candidate->converged = solver->converged;
}

/* Sorts candidates by their scales and drops those that are others again; returns how many are left. */
static uint32_t sort_distinct(Candidate *list, uint32_t count)
{
    uint32_t kept = 1;

    qsort(list, count, sizeof(Candidate), compare_numbers);
    for (uint32_t i = 1; i < count; i++)
        if (list[i].scale > list[kept - 1].scale * (1 + SAME))
            list[kept++] = list[i];
    return kept;
}

static Search *begin(MSolver *solver, double k, uint64_t seed)
{
    Env *env = solver->env;
    Search *search = env_array(env, 1, sizeof(Search));
    size_t width = solver->width;
    uint32_t most = S_SAMPLE > ROWS_PER_COLUMN * solver->width ? S_SAMPLE : ROWS_PER_COLUMN * solver->width;

    search->sample = m_sample(solver, most, seed);
    search->k = k;
    env_require_memory(env, (width * (width + BEST + 3) + search->sample->count / 2) * sizeof(double), solver->method);
    search->order = env_array(env, search->sample->count, sizeof(uint32_t));
    search->lines = env_array(env, width * (width + 1), sizeof(double));
    search->pivot = env_array(env, width + 1, sizeof(uint32_t));
    search->theta = env_array(env, width + 1, sizeof(double));
    for (uint32_t i = 0; i < BEST; i++)
        search->best[i].theta = env_array(env, width + 1, sizeof(double));
    return search;
}

bool s_search(MSolver *solver, double k, uint32_t candidates, uint64_t seed, double tolerance, int64_t max_iter)
{
    Env *env = solver->env;
    Search *search = begin(solver, k, seed);
    Candidate *best = search->best;
    uint32_t full;

    for (uint32_t i = 0; i < candidates && !(search->kept > 0 && best[0].scale == 0); i++) {
        draw_equation(search, mix64(seed) + i * RANDOM_STEP);
        try_equation(search);
        env->progress(env, "subsamples", i + 1, candidates, best[0].scale * solver->unit);
    }
    for (uint32_t i = 0; i < search->kept; i++)
        refine(search->sample, &best[i], k, tolerance, max_iter);
    search->kept = sort_distinct(best, search->kept);
    full = search->sample->count == solver->count ? 1 : search->kept < FULL ? search->kept : FULL;
    for (uint32_t i = 0; i < full; i++)
        refine(solver, &best[i], k, tolerance, max_iter);
    (void)sort_distinct(best, full);
    m_set_theta(solver, best[0].theta);
    solver->scale = best[0].scale;
    return best[0].converged;
}
