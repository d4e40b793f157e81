/*
 * fourth_moments.c - moves sums of products of third and fourth order to other centers.
 */
#include "core/moments/fourth_moments.h"
#include "core/linalg/qr_factor.h"
#include "core/base/all_finite.h"

#include <math.h>

#define POLL_COLUMNS 64

/* Returns element (i, j) of a packed symmetric matrix. */
static inline double packed_at(const double *packed, size_t i, size_t j)
{
    return i <= j ? packed[factor_packed(j) + i] : packed[factor_packed(i) + j];
}

/* The sums of all orders over one pair of columns: jjl is that of c_j^2 c_l. */
typedef struct PairSums {
    double weight;
    double j, l, jj, jl, ll, jjl, llj, jjll;
} PairSums;

/* Returns the sum of (c_j + a)^2 (c_l + b). */
static inline double shifted_third(const PairSums *s, double a, double b)
{
    return s->jjl + b * s->jj + 2 * a * (s->jl + b * s->j) + a * a * (s->l + s->weight * b);
}

/* Returns the sum of (c_j + a)^2 (c_l + b)^2. */
static inline double shifted_fourth(const PairSums *s, double a, double b)
{
    double of_j = b * (2 * s->jjl + b * s->jj), of_l = a * (2 * s->llj + a * s->ll);

    return s->jjll + of_j + of_l + 4 * a * b * s->jl + 2 * a * b * (b * s->j + a * s->l) +
           s->weight * (a * b) * (a * b);
}

static inline PairSums swapped(const PairSums *s)
{
    return (PairSums){s->weight, s->l, s->j, s->ll, s->jl, s->jj, s->llj, s->jjl, s->jjll};
}

static inline PairSums pair_of(const PowerSums *from, uint32_t j, uint32_t l)
{
    return (PairSums){.weight = from->weight,
                      .j = from->first != NULL ? from->first[j] : 0,
                      .l = from->first != NULL ? from->first[l] : 0,
                      .jj = packed_at(from->second, j, j),
                      .jl = packed_at(from->second, j, l),
                      .ll = packed_at(from->second, l, l),
                      .jjl = from->thirds[thirds_at(j, l)],
                      .llj = from->thirds[thirds_at(l, j)],
                      .jjll = packed_at(from->fourth_moments, j, l)};
}

void fourth_moments_shift(Env *env, uint32_t columns, const PowerSums *from, const double *shift, double *thirds, double *fourth_moments,
                          bool add)
{
    for (uint32_t l = 0; l < columns; l++) {
        for (uint32_t j = 0; j <= l; j++) {
            PairSums s = pair_of(from, j, l), t = swapped(&s);
            double jjl = shifted_third(&s, shift[j], shift[l]), llj = shifted_third(&t, shift[l], shift[j]);
            double jjll = shifted_fourth(&s, shift[j], shift[l]);
            double *to = fourth_moments + factor_packed(l) + j;
            /* if j = l, both thirds are the same element */
            thirds[thirds_at(j, l)] = jjl + (add ? thirds[thirds_at(j, l)] : 0);
            if (j != l)
                thirds[thirds_at(l, j)] = llj + (add ? thirds[thirds_at(l, j)] : 0);
            *to = jjll + (add ? *to : 0);
            if (j == l && *to < 0)
                *to = 0;
        }
        env_poll_every(env, l + 1, POLL_COLUMNS);
    }
}

void fourth_moments_spread(uint32_t count, const PowerSums *from, const uint32_t *columns, double *second, double *thirds,
                           double *fourth_moments)
{
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t j = 0; j <= l; j++) {
            uint32_t low = columns[j] < columns[l] ? columns[j] : columns[l];
            uint32_t high = columns[j] < columns[l] ? columns[l] : columns[j];
            second[factor_packed(high) + low] = from->second[factor_packed(l) + j];
            fourth_moments[factor_packed(high) + low] = from->fourth_moments[factor_packed(l) + j];
            thirds[thirds_at(columns[j], columns[l])] = from->thirds[thirds_at(j, l)];
            thirds[thirds_at(columns[l], columns[j])] = from->thirds[thirds_at(l, j)];
        }
}

/* Return sums of columns a and b about 0 instead of the means; 0 if a or b is NO_TERM_COLUMN. */
static double raw_third(const PowerSums *from, const double *means, uint32_t a, uint32_t b)
{
    PairSums s;

    if (a == NO_TERM_COLUMN || b == NO_TERM_COLUMN)
        return 0;
    s = pair_of(from, a, b);
    return shifted_third(&s, means[a], means[b]);
}

static double raw_fourth(const PowerSums *from, const double *means, uint32_t a, uint32_t b)
{
    PairSums s;

    if (a == NO_TERM_COLUMN || b == NO_TERM_COLUMN)
        return 0;
    s = pair_of(from, a, b);
    return shifted_fourth(&s, means[a], means[b]);
}

/*
 * Return the sums of x_j^2 x_l and of x_j^2 x_l^2 over terms x = column + imputed * indicator. A column is 0 where its
 * indicator is 1, so that x^2 = column^2 + imputed^2 * indicator.
 */
static double term_third(const PowerSums *from, const double *means, const TermPlan *j, const TermPlan *l)
{
    return raw_third(from, means, j->column, l->column) + l->imputed * raw_third(from, means, j->column, l->indicator) +
           j->imputed * j->imputed *
               (raw_third(from, means, j->indicator, l->column) + l->imputed * raw_third(from, means, j->indicator, l->indicator));
}

static double term_fourth(const PowerSums *from, const double *means, const TermPlan *j, const TermPlan *l)
{
    double of_l = l->imputed * l->imputed;

    return raw_fourth(from, means, j->column, l->column) + of_l * raw_fourth(from, means, j->column, l->indicator) +
           j->imputed * j->imputed *
               (raw_fourth(from, means, j->indicator, l->column) + of_l * raw_fourth(from, means, j->indicator, l->indicator));
}

void fourth_moments_of_terms(Env *env, const PowerSums *from, const double *means, const TermPlan *plans, uint32_t terms,
                             const double *term_means, const double *term_second, double *thirds, double *fourth_moments)
{
    double n = from->weight;

    for (uint32_t l = 0; l < terms; l++) {
        for (uint32_t j = 0; j <= l; j++) {
            const TermPlan *p = &plans[j], *q = &plans[l];
            double a = term_means[j], b = term_means[l];
            PairSums s = pair_of(from, p->column, q->column), t;
            if (p->indicator != NO_TERM_COLUMN || q->indicator != NO_TERM_COLUMN) {
                s = (PairSums){.weight = n,
                               .j = n * a,
                               .l = n * b,
                               .jj = term_second[factor_packed(j) + j] + n * a * a,
                               .jl = term_second[factor_packed(l) + j] + n * a * b,
                               .ll = term_second[factor_packed(l) + l] + n * b * b,
                               .jjl = term_third(from, means, p, q),
                               .llj = term_third(from, means, q, p),
                               .jjll = term_fourth(from, means, p, q)};
                t = swapped(&s);
                s.jjll = shifted_fourth(&s, -a, -b);
                s.jjl = shifted_third(&s, -a, -b);
                s.llj = shifted_third(&t, -b, -a);
            }
            fourth_moments[factor_packed(l) + j] = s.jjll;
            if (thirds != NULL) {
                thirds[thirds_at(j, l)] = s.jjl;
                thirds[thirds_at(l, j)] = s.llj;
            }
        }
        env_poll_every(env, l + 1, POLL_COLUMNS);
    }
}

void fourth_moments_require_finite(Env *env, const MomentsView *view, uint32_t class)
{
    const double *thirds = view_f64(view, view->thirds) + class * thirds_size(view->columns);
    const double *fourth_moments = view_f64(view, view->fourth_moments) + class * factor_packed(view->columns);
    char name[SCHEMA_NAME_SIZE];

    if (all_finite(thirds, thirds_size(view->columns)) && all_finite(fourth_moments, factor_packed(view->columns)))
        return;
    for (uint32_t j = 0; j < view->columns; j++) {
        if (isfinite(fourth_moments[factor_packed(j) + j]) && j + 1 < view->columns)
            continue;
        moments_column_name(view, j, name, sizeof(name));
        env_fail(env, ERROR_RANGE, "Divide the values by a power of ten.",
                 "fourth powers of %s are too large to be summed", name);
    }
}
