/*
 * interior_point_simd.h - the arithmetic of interior_point.c for one tile of constraints, compiled once per instruction set.
 *
 * a, e, s and x stand for alpha, C - alpha, slack and excess of interior_point.h; of a hard margin, which has no upper bound, e is 1 and x is 0,
 * and `soft`, 0 instead of 1, takes out the rest. d: how much a constraint weighs in the Newton matrix; q: what its residuals ask of the score, apart from the target.
 */

/* What follows from the state of constraint i. */
#define CONSTRAINT                                                                                                      \
    double a = t->alpha[i], s = t->slack[i], used = t->used[i], sign = t->sign[i];                                      \
    double e = t->room[i], x = t->excess[i], d = used / (x / e + s / a), q = x - s - shift;

SIMD_TARGET static void SIMD(begin)(const MarginTile *t, double shift, double *restrict d_sums, double *restrict q_sums,
                                    double *restrict a_sums, double *restrict products, double *restrict duals,
                                    double *restrict losses)
{
    const double soft = t->hard ? 0 : 1;

    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        CONSTRAINT
        double loss = x - s - shift;

        d_sums[i] += d;
        q_sums[i] += sign * d * q;
        a_sums[i] += sign * a;
        products[i] += used * (a * s + e * x);
        duals[i] += used * a * t->bound[i];
        losses[i] += used * (soft * (a + e)) * (loss > 0 ? loss : 0);
    }
}

/* The predictor's change of alpha, and what it adds to the corrector's q. */
#define PREDICTOR                                                                                                       \
    double na = d * (q - sign * t->predicted[i]), ra = na / a, re = soft * (na / e);                                    \
    double ds = -s - s * ra, dx = -x + x * re, second = q - ds * ra - dx * re;

SIMD_TARGET static void SIMD(predict)(const MarginTile *t, double shift, double *restrict fixed, double *restrict centered,
                                      double *restrict ratios, double *restrict squares)
{
    const double soft = t->hard ? 0 : 1;

    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        CONSTRAINT
        PREDICTOR
        double low = -ra > 1 + ra ? -ra : 1 + ra, high = soft * (re > 1 - re ? re : 1 - re), most = low > high ? low : high;

        fixed[i] += sign * d * second;
        centered[i] += sign * d * (1 / a - soft / e);
        ratios[i] = most * used > ratios[i] ? most * used : ratios[i];
        squares[i] += used * na * (ds - dx);
    }
}

/* The corrector's changes. */
#define CORRECTOR                                                                                                       \
    double m1 = target - na * ds - a * s, m2 = target + na * dx - e * x;                                                \
    double goal = second + target * (1 / a - soft / e), to_a = d * (goal - sign * t->corrected[i]);           \
    double to_s = (m1 - s * to_a) / a, to_x = (m2 + x * to_a) / e;

SIMD_TARGET static void SIMD(correct)(const MarginTile *t, double shift, double target, double *restrict ratios)
{
    const double soft = t->hard ? 0 : 1;

    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        CONSTRAINT
        PREDICTOR
        CORRECTOR
        double low = -to_a / a > -to_s / s ? -to_a / a : -to_s / s;
        double high = to_a / e > -to_x / x ? to_a / e : -to_x / x, most = low > high || soft == 0 ? low : high;

        ratios[i] = most * used > ratios[i] ? most * used : ratios[i];
    }
}

SIMD_TARGET static void SIMD(advance)(const MarginTile *t, double shift, double target, double length)
{
    const double soft = t->hard ? 0 : 1;

    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        CONSTRAINT
        PREDICTOR
        CORRECTOR

        t->alpha[i] = a + length * used * to_a;
        t->slack[i] = s + length * used * to_s;
        t->room[i] = e - soft * length * used * to_a;
        t->excess[i] = x + soft * length * used * to_x;
    }
}

#undef CONSTRAINT
#undef PREDICTOR
#undef CORRECTOR
