/*
 * interior_point_simd.h - the arithmetic of interior_point.c for one tile of constraints, compiled once per instruction set.
 *
 * a, e, s and x stand for alpha, C - alpha, slack and excess of interior_point.h; without an upper bound (hard) e and x are not
 * read. d: how much a constraint weighs in the Newton matrix; q: what its residuals ask of the score, apart from the target.
 */

/* What follows from the state of constraint i. */
#define CONSTRAINT                                                                                                      \
    double a = t->alpha[i], s = t->slack[i], used = t->used[i], sign = t->sign[i];                                      \
    double e = hard ? 1 : t->room[i], x = hard ? 0 : t->excess[i];                                                      \
    double d = used / (hard ? s / a : x / e + s / a), q = x - s - shift;

SIMD_TARGET static inline __attribute__((always_inline)) void
SIMD(begin_any)(const MarginTile *t, const bool hard, double shift, double *restrict d_sums, double *restrict q_sums,
                double *restrict a_sums, double *restrict products, double *restrict duals, double *restrict losses)
{
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        CONSTRAINT
        double loss = x - s - shift;

        d_sums[i] += d;
        q_sums[i] += sign * d * q;
        a_sums[i] += sign * a;
        products[i] += used * (a * s + (hard ? 0 : e * x));
        duals[i] += used * a * t->bound[i];
        losses[i] += used * (hard ? 0 : a + e) * (loss > 0 ? loss : 0);
    }
}

SIMD_TARGET static void SIMD(begin)(const MarginTile *t, double shift, double *d_sums, double *q_sums, double *a_sums,
                                    double *products, double *duals, double *losses)
{
    if (t->hard)
        SIMD(begin_any)(t, true, shift, d_sums, q_sums, a_sums, products, duals, losses);
    else
        SIMD(begin_any)(t, false, shift, d_sums, q_sums, a_sums, products, duals, losses);
}

/* The predictor's change of alpha, and what it adds to the corrector's q. */
#define PREDICTOR                                                                                                       \
    double na = d * (q - sign * t->predicted[i]), ra = na / a, re = hard ? 0 : na / e;                                  \
    double ds = -s - s * ra, dx = hard ? 0 : -x + x * re;                                                               \
    double second = q - ds * ra - (hard ? 0 : dx * re);

SIMD_TARGET static inline __attribute__((always_inline)) void
SIMD(predict_any)(const MarginTile *t, const bool hard, double shift, double *restrict fixed, double *restrict centered,
                  double *restrict ratios, double *restrict squares)
{
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        CONSTRAINT
        PREDICTOR
        double low = -ra > 1 + ra ? -ra : 1 + ra, high = hard ? 0 : re > 1 - re ? re : 1 - re, most = low > high ? low : high;

        fixed[i] += sign * d * second;
        centered[i] += sign * d * (1 / a - (hard ? 0 : 1 / e));
        ratios[i] = most * used > ratios[i] ? most * used : ratios[i];
        squares[i] += used * na * (ds - dx);
    }
}

SIMD_TARGET static void SIMD(predict)(const MarginTile *t, double shift, double *fixed, double *centered, double *ratios,
                                      double *squares)
{
    if (t->hard)
        SIMD(predict_any)(t, true, shift, fixed, centered, ratios, squares);
    else
        SIMD(predict_any)(t, false, shift, fixed, centered, ratios, squares);
}

/* The corrector's changes. */
#define CORRECTOR                                                                                                       \
    double m1 = target - na * ds - a * s, m2 = hard ? 0 : target + na * dx - e * x;                                     \
    double goal = second + target * (1 / a - (hard ? 0 : 1 / e)), to_a = d * (goal - sign * t->corrected[i]);           \
    double to_s = (m1 - s * to_a) / a, to_x = hard ? 0 : (m2 + x * to_a) / e;

SIMD_TARGET static inline __attribute__((always_inline)) void
SIMD(correct_any)(const MarginTile *t, const bool hard, double shift, double target, double *restrict ratios)
{
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        CONSTRAINT
        PREDICTOR
        CORRECTOR
        double low = -to_a / a > -to_s / s ? -to_a / a : -to_s / s;
        double high = hard ? 0 : to_a / e > -to_x / x ? to_a / e : -to_x / x, most = low > high ? low : high;

        ratios[i] = most * used > ratios[i] ? most * used : ratios[i];
    }
}

SIMD_TARGET static void SIMD(correct)(const MarginTile *t, double shift, double target, double *ratios)
{
    if (t->hard)
        SIMD(correct_any)(t, true, shift, target, ratios);
    else
        SIMD(correct_any)(t, false, shift, target, ratios);
}

SIMD_TARGET static inline __attribute__((always_inline)) void
SIMD(advance_any)(const MarginTile *t, const bool hard, double shift, double target, double length)
{
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        CONSTRAINT
        PREDICTOR
        CORRECTOR

        t->alpha[i] = a + length * used * to_a;
        t->slack[i] = s + length * used * to_s;
        if (hard)
            continue;
        t->room[i] = e - length * used * to_a;
        t->excess[i] = x + length * used * to_x;
    }
}

SIMD_TARGET static void SIMD(advance)(const MarginTile *t, double shift, double target, double length)
{
    if (t->hard)
        SIMD(advance_any)(t, true, shift, target, length);
    else
        SIMD(advance_any)(t, false, shift, target, length);
}

#undef CONSTRAINT
#undef PREDICTOR
#undef CORRECTOR
