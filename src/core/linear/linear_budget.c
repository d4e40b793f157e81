/*
 * linear_budget.c - the constraint form of a penalty: the lambda whose coefficients have a given penalty.
 *
 * Minimizing the loss under Pen(w) <= c is minimizing the loss plus lambda Pen(w) for one lambda (Hastie, Tibshirani & Friedman 2009,
 * section 3.4). Pen(w(lambda)) falls continuously as lambda grows, so a bracket of powers and Brent's method (1973, chapter 4) find it.
 */
#include "core/linear/linear_path.h"

#include <float.h>
#include <math.h>

#define SPARSE_RATIO 2.5 /* of one lambda to the next on the way down: descents from farther away go through lambdas in between */
#define SMOOTH_RATIO 10.0
#define LEAST_SHARE 1e-15 /* of the greatest lambda: below it dependent terms are told apart by rounding errors alone */
#define ENOUGH 100        /* steps of Brent's method; about 10 are taken */

typedef struct Budget {
    PathSolver *solver;
    double penalty; /* the budget */
} Budget;

/* Returns by how much the solution at lambda exceeds the budget. */
static double excess(const Budget *budget, double lambda)
{
    LinearFit *fit = budget->solver->fit;

    budget->solver->solve(budget->solver, lambda);
    fit->env->poll(fit->env);
    return budget->solver->penalty - budget->penalty;
}

/* Returns the root between a and b, where the excess is above and not above 0 (Brent 1973, zeroin). */
static double root_between(const Budget *budget, double a, double above, double b, double below)
{
    double c = a, at_a = above, at_b = below, at_c = above, step = b - a, before = step;

    for (int i = 0; i < ENOUGH && at_b != 0; i++) {
        double tolerance, half, p, q;

        if ((at_b > 0) == (at_c > 0)) { /* the root is between b and c */
            c = a;
            at_c = at_a;
            before = step = b - a;
        }
        if (fabs(at_c) < fabs(at_b)) { /* b is the best so far */
            a = b, b = c, c = a;
            at_a = at_b, at_b = at_c, at_c = at_a;
        }
        tolerance = 2 * DBL_EPSILON * fabs(b);
        half = (c - b) / 2;
        if (fabs(half) <= tolerance)
            break;
        if (fabs(before) < tolerance || fabs(at_a) <= fabs(at_b)) {
            before = step = half;
        } else {
            double s = at_b / at_a;

            if (a == c) { /* secant */
                p = 2 * half * s;
                q = 1 - s;
            } else { /* inverse parabola */
                double r = at_b / at_c, t = at_a / at_c;

                p = s * (2 * half * t * (t - r) - (b - a) * (r - 1));
                q = (t - 1) * (r - 1) * (s - 1);
            }
            q = p > 0 ? -q : q;
            p = fabs(p);
            if (2 * p < fmin(3 * half * q - fabs(tolerance * q), fabs(before * q))) {
                before = step;
                step = p / q;
            } else {
                before = step = half;
            }
        }
        a = b;
        at_a = at_b;
        b += fabs(step) > tolerance ? step : copysign(tolerance, half);
        at_b = excess(budget, b);
    }
    return b;
}

double lambda_of_budget(PathSolver *solver, double penalty)
{
    Budget budget = {.solver = solver, .penalty = penalty};
    double ratio = solver->iterative ? SPARSE_RATIO : SMOOTH_RATIO, high = solver->greatest > 0 ? solver->greatest : 1;
    double low, above = excess(&budget, 0), below, least;

    if (!(above > 0))
        return 0;
    least = high * LEAST_SHARE * (solver->fit->kept == solver->fit->design->terms ? LEAST_SHARE : 1);
    if (solver->sharpen != NULL)
        solver->sharpen(solver);
    below = excess(&budget, high);
    while (below > 0) {
        if (!(high < 1e300))
            env_fail(solver->fit->env, ERROR_RANGE, "Divide the target, or multiply the features, by a power of ten.",
                     "no lambda up to 1e300 brings the penalty down to %g", penalty);
        high *= ratio;
        below = excess(&budget, high);
    }
    for (low = high / ratio; (above = excess(&budget, low)) <= 0; low /= ratio) {
        if (low <= least)
            return low; /* the terms are dependent */
        high = low;
        below = above;
    }
    return root_between(&budget, low, above, high, below);
}
