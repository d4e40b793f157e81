/*
 * special_functions.c - the incomplete beta and gamma functions, and the distributions computed from them.
 *
 * I_x(a, b) by its continued fraction (Lentz's method; Abramowitz & Stegun 26.5.8), with the factor in
 * front in the saddle-point form of Loader (2000), which does not cancel for large a and b. Each tail
 * is computed where it is small, so that small probabilities keep their digits. Quantiles by Newton's
 * method on the logarithm of the tail, inside a bracket.
 */
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>

#define NORMAL_DF 1e12 /* degrees of freedom from which t counts as normal */

double normal_cdf(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

/* Returns the upper point of a small tail q: Hastings' start (A&S 26.2.23), then Halley's steps on log q. */
static double normal_upper(double q)
{
    double t = sqrt(-2 * log(q));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));

    for (int i = 0; i < 4; i++) {
        double tail = 0.5 * erfc(x * M_SQRT1_2);
        double density = exp(-0.5 * x * x) / sqrt(2 * M_PI);
        double step;
        if (!(tail > 0) || !(density > 0))
            break;
        step = (tail - q) / density;
        x += step / (1 - 0.5 * x * step);
    }
    return x;
}

double normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (p == 0)
        return -INFINITY;
    if (p == 1)
        return INFINITY;
    if (p == 0.5)
        return 0;
    return p < 0.5 ? -normal_upper(p) : normal_upper(1 - p);
}

double stirling_error(double z)
{
    static const double c[] = {1.0 / 12,         -1.0 / 360,     1.0 / 1260,      -1.0 / 1680,
                               1.0 / 1188,       -691.0 / 360360, 1.0 / 156,      -3617.0 / 122400};
    static const double whole[] = {INFINITY,             0.081061466795327261,  0.041340695955409297,  0.027677925684998338,
                                   0.020790672103765093, 0.016644691189821193,  0.013876128823070748,  0.01189670994589177,
                                   0.010411265261972096, 0.0092554621827127329, 0.0083305634333628708, 0.0075736754879518406};
    double sum = 0, square;

    if (!(z > 0))
        return INFINITY;
    if (z < 12 && z == (int)z) /* counts: a tenth of the work of poisson_regression */
        return whole[(int)z];
    if (z < 12) {
        /* use gamma(z + 1) = z gamma(z) until the series converges */
        double shift = 0;
        while (z < 12) {
            /* error(z) = error(z + 1) + (z + 1/2) log(1 + 1/z) - 1 */
            shift += (z + 0.5) * log1p(1 / z) - 1;
            z += 1;
        }
        return shift + stirling_error(z);
    }
    square = 1 / (z * z);
    for (int i = 7; i >= 0; i--)
        sum = sum * square + c[i];
    return sum / z;
}

/* Returns x log(x / m) + m - x, given d = x - m, without cancellation if x is near m. */
static double deviance(double x, double m, double d)
{
    double ratio = d / (x + m);

    if (fabs(ratio) < 0.1) {
        double sum = d * ratio, term = 2 * x * ratio, square = ratio * ratio;
        for (int j = 1; j < 1000; j++) {
            double next;
            term *= square;
            next = sum + term / (2 * j + 1);
            if (next == sum)
                break;
            sum = next;
        }
        return sum;
    }
    return x * log(x / m) - d;
}

/* Returns a - (a + b) x, computed from the smaller one of x and y = 1 - x. */
static double beta_excess(double a, double b, double x, double y)
{
    return x < y ? a - (a + b) * x : (a + b) * y - b;
}

/* Returns x^a y^b / B(a, b). */
static double beta_front(double a, double b, double x, double y)
{
    double n = a + b, excess;

    if (x <= 0 || y <= 0)
        return 0;
    excess = beta_excess(a, b, x, y);
    return sqrt(a * (b / n) / (2 * M_PI)) *
           exp(stirling_error(n) - stirling_error(a) - stirling_error(b) -
               deviance(a, n * x, excess) - deviance(b, n * y, -excess));
}

/*
 * Returns the even part of the continued fraction of I_x(a, b), 1 / (B0 + A1 / (B1 + A2 / (B2 + ...))), with terms in
 * a - (a + b) x and y = 1 - x, so that x near 1 costs no digits.
 */
static double beta_fraction(double a, double b, double x, double y)
{
    const double tiny = 1e-300;
    double excess = beta_excess(a, b, x, y);
    double f = (1 + excess) / (a + 1), c, d = 0;

    f = fabs(f) < tiny ? tiny : f;
    c = f;
    for (int m = 1; m < 10000000; m++) {
        double u = a + m, w = a + 2.0 * m, next = m * (b - m) * x / ((w - 1) * w), change;
        double over = (u - 1) * (a + b + m - 1) * x / ((w - 2) * (w - 1)) * next;
        double under = (u * (2.0 * m + 1) + m * (m + 1.0) + u * (excess + m * y)) / (w * (w + 1)) + next;
        d = under + over * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = under + over / c;
        c = fabs(c) < tiny ? tiny : c;
        change = c * d;
        f *= change;
        if (!(fabs(change - 1) >= DBL_EPSILON)) /* also if it is NaN */
            break;
    }
    return 1 / f;
}

double beta_tails(double a, double b, double x, double y, double *upper)
{
    double front, lower;

    if (!(a > 0 && b > 0 && x >= 0 && y >= 0)) {
        *upper = NAN;
        return NAN;
    }
    if (x == 0 || y == 0) {
        *upper = x == 0;
        return x != 0;
    }
    front = beta_front(a, b, x, y);
    if (x < (a + 1) / (a + b + 2)) {
        lower = fmin(1, front * beta_fraction(a, b, x, y) / a);
        *upper = 1 - lower;
        return lower;
    }
    *upper = fmin(1, front * beta_fraction(b, a, y, x) / b);
    return 1 - *upper;
}

/* Returns x^a exp(-x) / gamma(a). */
static double gamma_front(double a, double x)
{
    return sqrt(a / (2 * M_PI)) * exp(-deviance(a, x, a - x) - stirling_error(a));
}

/* Sums the series if x < a + 1, and evaluates the continued fraction otherwise (Lentz's method; A&S 6.5.29, 6.5.31). */
double gamma_tails(double a, double x, double *upper)
{
    double front, lower;

    if (!(a > 0 && x >= 0)) {
        *upper = NAN;
        return NAN;
    }
    if (x == 0 || isinf(x)) {
        *upper = x == 0;
        return x != 0;
    }
    front = gamma_front(a, x);
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < 10000000 && term > sum * DBL_EPSILON / 4; n++) {
            term *= x / (a + n);
            sum += term;
        }
        lower = fmin(1, front * sum);
        *upper = 1 - lower;
        return lower;
    }
    {
        double b = x + 1 - a, c = 1e300, d = 1 / b, f = d;
        for (int n = 1; n < 10000000; n++) {
            double an = n * (a - n), change;
            b += 2;
            d = an * d + b;
            d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
            c = b + an / c;
            c = fabs(c) < 1e-300 ? 1e-300 : c;
            change = c * d;
            f *= change;
            if (!(fabs(change - 1) >= DBL_EPSILON))
                break;
        }
        *upper = fmin(1, front * f);
    }
    return 1 - *upper;
}

double chi_square_upper(double x, double df)
{
    double upper;

    if (!(df > 0) || isnan(x))
        return NAN;
    if (x <= 0)
        return 1;
    if (df == 2)
        return exp(-x / 2);
    gamma_tails(df / 2, x / 2, &upper);
    return upper;
}

double t_two_sided(double t, double df)
{
    double x, y, upper;

    if (!(df > 0) || isnan(t))
        return NAN;
    t = fabs(t);
    if (isinf(t))
        return 0;
    if (df > NORMAL_DF)
        return erfc(t * M_SQRT1_2);
    if (t > 1e100) /* t^2 might overflow; the tail is proportional to (df / t^2)^(df / 2) */
        return t > 1e150 ? 0 : beta_tails(df / 2, 0.5, df / t / t, 1, &upper);
    x = df / (df + t * t);
    y = t * t / (df + t * t);
    return beta_tails(df / 2, 0.5, x, y, &upper);
}

double f_upper(double f, double df1, double df2)
{
    double scaled, upper;

    if (!(df1 > 0 && df2 > 0) || isnan(f))
        return NAN;
    if (f <= 0)
        return 1;
    if (isinf(f))
        return 0;
    scaled = df1 * f / df2;
    return beta_tails(df2 / 2, df1 / 2, 1 / (1 + scaled), scaled / (1 + scaled), &upper);
}

/* Returns P(|T| >= t), and its slope. */
static double t_tail(double t, double df, double *slope)
{
    double x = df / (df + t * t), y = t * t / (df + t * t), upper;

    *slope = -2 * beta_front(df / 2, 0.5, x, y) / t;
    return beta_tails(df / 2, 0.5, x, y, &upper);
}

/* Returns the t whose tail is p, by Newton's method on logarithms from a start. */
static double t_point(double p, double df, double start)
{
    double low = 0, high = INFINITY, x = start > 0 && isfinite(start) ? start : 1;

    for (int i = 0; i < 400; i++) {
        double slope, value = t_tail(x, df, &slope), next;
        if (value == p || isnan(value))
            return value == p ? x : NAN;
        if (value > p)
            low = x;
        else
            high = x;
        next = x - (log(value) - log(p)) * value / slope;
        if (!(next > low && next < high))
            next = isinf(high) ? 2 * x : (low > 0 && high / low > 4 ? sqrt(low * high) : (low + high) / 2);
        if (fabs(next - x) <= 4 * DBL_EPSILON * fabs(x) || next > 1e300 || next < 1e-300)
            return next;
        x = next;
    }
    return x;
}

/* Returns the t with P(|T| >= t) = p. */
static double t_two_sided_point(double p, double df)
{
    double start, point;

    if (!(df > 0) || !(p > 0 && p <= 1))
        return NAN;
    if (p == 1)
        return 0;
    if (df < 1e-3) /* (2 / p)^(1 / df) is out of range */
        return INFINITY;
    start = normal_upper(fmin(p / 2, 0.4999));
    if (df > NORMAL_DF)
        return normal_upper(p / 2);
    start += (start * start * start + start) / (4 * df);
    point = t_point(p, df, start);
    return isnan(point) ? INFINITY : point;
}

double t_critical(double level, double df)
{
    return level >= 0 && level < 1 ? t_two_sided_point(1 - level, df) : NAN;
}

double t_quantile(double p, double df)
{
    return p < 0.5 ? -t_two_sided_point(2 * p, df) : t_two_sided_point(2 * (1 - p), df);
}

double f_critical(double tail, double df1, double df2)
{
    double low = -INFINITY, high = INFINITY, x = 0; /* logarithms of f */

    if (!(df1 > 0 && df2 > 0) || !(tail >= 0 && tail <= 1))
        return NAN;
    if (tail == 0 || tail == 1)
        return tail == 0 ? INFINITY : 0;
    if (tail > 0.5) /* the other tail is the small one, which keeps its digits */
        return 1 / f_critical(1 - tail, df2, df1);
    for (int i = 0; i < 2000; i++) {
        double scaled = df1 * exp(x) / df2, value = f_upper(exp(x), df1, df2), next;
        double slope = -beta_front(df2 / 2, df1 / 2, 1 / (1 + scaled), scaled / (1 + scaled));

        if (isnan(value))
            return NAN;
        if (value > tail)
            low = x;
        else
            high = x;
        next = x - (log(value) - log(tail)) * value / slope;
        if (!(next > low && next < high) || fabs(next - x) > 10)
            next = isinf(high) ? x + 1 : isinf(low) ? x - 1 : (low + high) / 2;
        if (fabs(next - x) <= DBL_EPSILON * fmax(1, fabs(x)) || fabs(next) > 700)
            return exp(next);
        x = next;
    }
    return exp(x);
}

/* ---- non-central t ---- */

/* Returns log P(X <= x) of a standard normal X. */
static double normal_log_cdf(double x)
{
    double y = 1 / (x * x);

    if (x > -30)
        return x > 0 ? log1p(-0.5 * erfc(x * M_SQRT1_2)) : log(0.5 * erfc(-x * M_SQRT1_2));
    return -0.5 * x * x - log(-x * sqrt(2 * M_PI)) + log1p(-y * (1 - y * (3 - y * (15 - 105 * y))));
}

/* Returns (exp(2 u) - 1) / 2 - u, without cancellation. */
static double chi_excess(double u)
{
    double term = 2 * u * u / 2, sum = 0;

    if (fabs(u) > 0.2)
        return expm1(2 * u) / 2 - u;
    for (int k = 3; fabs(term) > DBL_EPSILON / 8 * fabs(sum); k++) {
        sum += term;
        term *= 2 * u / k;
    }
    return sum;
}

/* Returns the logarithm of the integrand of noncentral_t_upper, without its constant factor. */
static double noncentral_log(double u, double t, double df, double shift)
{
    return -df * chi_excess(u) + normal_log_cdf(shift - t * exp(u));
}

/* Returns where it is largest; it has one maximum. */
static double noncentral_peak(double t, double df, double shift)
{
    double low = -50, high = 50;

    for (int i = 0; i < 60; i++) {
        double u = (low + high) / 2, s = exp(u), x = shift - t * s;
        double hazard = x < -1e5 ? -x : exp(-0.5 * x * x - normal_log_cdf(x)) / sqrt(2 * M_PI);

        if (-df * expm1(2 * u) - t * s * hazard > 0)
            low = u;
        else
            high = u;
    }
    return (low + high) / 2;
}

/*
 * Returns P(T >= t) where the normal probability falls from 1 to 0 within a small part of the chi distribution: that of s up to shift / t, and
 * the next term of the expansion in 1 / t^2. The one after it is below 1e-13.
 */
static double noncentral_edge(double t, double df, double shift)
{
    double s = shift / t, upper, front = gamma_front(df / 2, df / 2 * s * s);

    return gamma_tails(df / 2, df / 2 * s * s, &upper) + front / s * (df - 1 - df * s * s) / (s * t * t);
}

/*
 * P(Z >= t s - shift), averaged over s = exp(u) = sqrt(chi-square / df), by the trapezoidal rule, which converges exponentially for such integrands.
 * All terms are positive, so that small probabilities keep their digits.
 */
double noncentral_t_upper(double t, double df, double shift)
{
    const double narrow = 2000;
    double peak, top, edge, width, step, sum = 0;

    if (!(df > 0) || isnan(t) || isnan(shift))
        return NAN;
    if (isinf(t) || isinf(shift))
        return isinf(shift) ? shift > 0 : t < 0;
    if (df > NORMAL_DF)
        return normal_cdf(shift - t);
    if (fabs(shift) > narrow && fabs(t) > narrow * sqrt(2 * df) && t * shift > 0)
        return t > 0 ? noncentral_edge(t, df, shift) : 1 - noncentral_edge(-t, df, -shift);
    peak = noncentral_peak(t, df, shift);
    top = noncentral_log(peak, t, df, shift);
    if (!(top > -800))
        return 0;
    edge = shift / t; /* the s where the normal probability falls; past `width` it does not matter, because no s is that large */
    width = 1 + 9 / sqrt(df);
    step = fmin(0.1, 0.5 / (sqrt(2 * df + (edge > width ? 0 : t * t)) * fmax(exp(peak), fmin(edge, width))));
    for (int side = -1; side <= 1; side += 2)
        for (int i = side < 0; i < 1000000; i++) {
            double term = exp(noncentral_log(peak + side * i * step, t, df, shift) - top);

            sum += term;
            if (term < DBL_EPSILON / 1024)
                break;
        }
    return fmin(1, sum * step * sqrt(df / M_PI) * exp(top - stirling_error(df / 2)));
}

double binomial_log_density(double x, double n, double p, double q)
{
    if (x == 0 || x == n) {
        double rest = x == 0 ? q : p, other = x == 0 ? p : q;

        if (n == 0 || other == 0)
            return 0;
        return other < 0.1 ? -deviance(n, n * rest, n * other) - n * other : n * log(rest); /* log of rest^n */
    }
    if (x < 0 || x > n || p == 0 || q == 0)
        return -INFINITY;
    return stirling_error(n) - stirling_error(x) - stirling_error(n - x) - deviance(x, n * p, x - n * p) -
           deviance(n - x, n * q, n * p - x) + 0.5 * log(n / (2 * M_PI * x * (n - x)));
}
