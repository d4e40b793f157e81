/*
 * spline_basis.c - bases of B-splines and of natural cubic splines, as the functions bs and ns of R have them.
 *
 * The recurrence of de Boor (1978) is carried out on polynomials in the distance from the knot to the left, once per piece, so that a row
 * takes a search and a few Horner sums, and SQL can say the same. Beyond the boundaries a B-spline goes on with its last
 * piece, a natural spline is linear.
 */
#include "core/math/spline_basis.h"

#include <math.h>
#include <string.h>

#define ORDER_MOST (SPLINE_MAX_DEGREE + 1)

static void allocate(Env *env, Spline *spline, uint32_t pieces, uint32_t degree, uint32_t columns)
{
    spline->pieces = pieces;
    spline->degree = degree;
    spline->columns = columns;
    spline->breaks = env_array(env, pieces, sizeof(double));
    spline->origins = env_array(env, pieces, sizeof(double));
    spline->first = env_array(env, pieces, sizeof(uint32_t));
    spline->count = env_array(env, pieces, sizeof(uint32_t));
    spline->coefs = env_array(env, (size_t)pieces * columns * (degree + 1), sizeof(double));
}

/* Returns the coefficients of column i (of those that are used) of a piece. */
static double *coefs_of(const Spline *spline, uint32_t piece, uint32_t i)
{
    return spline->coefs + ((size_t)piece * spline->columns + i) * (spline->degree + 1);
}

/* Adds (slope x + constant) times a polynomial of `degree` to one of the next degree. */
static void add_product(double *out, const double *polynomial, uint32_t degree, double constant, double slope)
{
    for (uint32_t k = 0; k <= degree; k++) {
        out[k] += constant * polynomial[k];
        out[k + 1] += slope * polynomial[k];
    }
}

/* Returns knot i of those with the boundaries repeated: lowest (degree + 1 times), knots, highest. */
static double knot_at(const double *parameters, uint32_t knots, uint32_t degree, uint32_t i)
{
    if (i <= degree)
        return parameters[0];
    return i > degree + knots ? parameters[1] : parameters[2 + i - degree - 1];
}

/*
 * Computes the B-splines of a piece, which are numbers piece .. piece + degree of all: coefs [degree + 1][degree + 1], by power of the
 * distance from the knot to the left.
 */
static void piece_polynomials(const double *parameters, uint32_t knots, uint32_t degree, uint32_t piece,
                              double coefs[ORDER_MOST][ORDER_MOST])
{
    uint32_t j = piece + degree; /* the knot to the left */
    double origin = knot_at(parameters, knots, degree, j);

    memset(coefs, 0, sizeof(double) * ORDER_MOST * ORDER_MOST);
    coefs[0][0] = 1;
    for (uint32_t r = 1; r <= degree; r++) {
        double next[ORDER_MOST][ORDER_MOST] = {{0}};

        for (uint32_t i = 0; i < r; i++) {
            /* spline i of degree r - 1 is number j - r + 1 + i; it is part of numbers i and i + 1 of degree r */
            double left = knot_at(parameters, knots, degree, j - r + 1 + i), right = knot_at(parameters, knots, degree, j + 1 + i);
            double span = right - left;

            add_product(next[i], coefs[i], r - 1, (right - origin) / span, -1 / span);
            add_product(next[i + 1], coefs[i], r - 1, (origin - left) / span, 1 / span);
        }
        memcpy(coefs, next, sizeof(next));
    }
}

void spline_bs(Env *env, Spline *spline, const double *parameters, uint32_t df, uint32_t degree)
{
    uint32_t knots = df - degree;

    allocate(env, spline, knots + 1, degree, df);
    for (uint32_t p = 0; p <= knots; p++) {
        double coefs[ORDER_MOST][ORDER_MOST];
        uint32_t skipped = p == 0; /* the first spline of all is left out, as it is the intercept's */

        piece_polynomials(parameters, knots, degree, p, coefs);
        spline->origins[p] = knot_at(parameters, knots, degree, p + degree);
        if (p < knots)
            spline->breaks[p] = parameters[2 + p];
        spline->first[p] = p == 0 ? 0 : p - 1;
        spline->count[p] = degree + 1 - skipped;
        for (uint32_t i = skipped; i <= degree; i++)
            memcpy(coefs_of(spline, p, i - skipped), coefs[i], (degree + 1) * sizeof(double));
    }
}

/* The two reflections that turn the constraints of a natural spline into triangular form, as LINPACK's dqrdc makes them. */
typedef struct Reflections {
    double vectors[2][SPLINE_MAX_COLUMNS + 3];
    uint32_t length;
} Reflections;

static void reflect(const double *vector, uint32_t from, uint32_t length, double *x)
{
    double sum = 0;

    if (vector[from] == 0)
        return;
    for (uint32_t i = from; i < length; i++)
        sum += vector[i] * x[i];
    sum = -sum / vector[from];
    for (uint32_t i = from; i < length; i++)
        x[i] += sum * vector[i];
}

static void make_reflections(Reflections *reflections)
{
    for (uint32_t l = 0; l < 2; l++) {
        double *vector = reflections->vectors[l], norm = 0;

        for (uint32_t i = l; i < reflections->length; i++)
            norm = hypot(norm, vector[i]);
        if (norm == 0) {
            memset(vector, 0, reflections->length * sizeof(double));
            continue;
        }
        norm = vector[l] < 0 ? -norm : norm;
        for (uint32_t i = l; i < reflections->length; i++)
            vector[i] /= norm;
        vector[l] += 1;
        if (l == 0)
            reflect(vector, 0, reflections->length, reflections->vectors[1]);
    }
}

/* Sets a piece that goes on linearly from the end of another one, `distance` from its origin. */
static void make_line(Spline *spline, uint32_t piece, uint32_t from, double distance)
{
    spline->origins[piece] = spline->origins[from] + distance;
    for (uint32_t c = 0; c < spline->columns; c++) {
        const double *a = coefs_of(spline, from, c);
        double *line = coefs_of(spline, piece, c);

        line[0] = a[0] + distance * (a[1] + distance * (a[2] + distance * a[3]));
        line[1] = a[1] + distance * (2 * a[2] + distance * 3 * a[3]);
    }
}

void spline_ns(Env *env, Spline *spline, const double *parameters, uint32_t df)
{
    uint32_t knots = df - 1, all = df + 2, last = knots + 2;
    Reflections reflections = {.length = all};
    double (*full)[4] = env_array(env, (size_t)(knots + 1) * (all + 1), sizeof(*full)); /* [pieces][splines] */
    double width = parameters[1] - (knots > 0 ? parameters[1 + knots] : parameters[0]);

    allocate(env, spline, knots + 3, 3, df);
    for (uint32_t p = 0; p <= knots; p++) {
        double coefs[ORDER_MOST][ORDER_MOST];

        piece_polynomials(parameters, knots, 3, p, coefs);
        for (uint32_t i = 0; i <= 3; i++)
            memcpy(full[(size_t)p * (all + 1) + p + i], coefs[i], sizeof(*full));
        spline->origins[p + 1] = knot_at(parameters, knots, 3, p + 3);
    }
    for (uint32_t i = 0; i < all; i++) {
        const double *end = full[(size_t)knots * (all + 1) + i + 1];

        reflections.vectors[0][i] = 2 * full[i + 1][2];
        reflections.vectors[1][i] = 2 * end[2] + 6 * end[3] * width;
    }
    if (knots > 0) /* the spline that ends there smoothly: rounding must not choose the sign of a reflection */
        reflections.vectors[1][knots - 1] = 0;
    make_reflections(&reflections);
    for (uint32_t p = 0; p <= knots; p++)
        for (uint32_t k = 0; k <= 3; k++) {
            double column[SPLINE_MAX_COLUMNS + 3];

            for (uint32_t i = 0; i < all; i++)
                column[i] = full[(size_t)p * (all + 1) + i + 1][k];
            reflect(reflections.vectors[0], 0, all, column);
            reflect(reflections.vectors[1], 1, all, column);
            for (uint32_t c = 0; c < df; c++)
                coefs_of(spline, p + 1, c)[k] = column[c + 2];
        }
    for (uint32_t p = 0; p <= last; p++)
        spline->count[p] = df;
    make_line(spline, 0, 1, 0);
    make_line(spline, last, knots + 1, width);
    spline->breaks[0] = parameters[0];
    for (uint32_t k = 0; k < knots; k++)
        spline->breaks[k + 1] = parameters[2 + k];
    spline->breaks[knots + 1] = parameters[1];
}

/* Returns the piece of x. */
static uint32_t piece_at(const Spline *spline, double x)
{
    uint32_t low = 0, high = spline->pieces - 1;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (x < spline->breaks[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void spline_values(const Spline *spline, double x, double *values)
{
    uint32_t piece = piece_at(spline, x);
    double distance = x - spline->origins[piece];

    for (uint32_t c = 0; c < spline->columns; c++)
        values[c] = x - x; /* NaN stays NaN */
    for (uint32_t c = 0; c < spline->count[piece]; c++) {
        const double *coefs = coefs_of(spline, piece, c);
        double sum = coefs[spline->degree];

        for (uint32_t k = spline->degree; k > 0; k--)
            sum = sum * distance + coefs[k - 1];
        values[spline->first[piece] + c] = sum;
    }
}
