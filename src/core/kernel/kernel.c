/*
 * kernel.c - values of kernels between points: one by one, many at a time, and as a matrix.
 */
#include "core/kernel/kernel_internal.h"
#include "core/linalg/gemm.h"
#include "core/linalg/vector_loops.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"linear",   "polynomial",  "rbf", "sigmoid", "precomputed",
                                    "spectrum", "subsequence", "sum", "product"};

KernelKind kernel_find(const char *name)
{
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return (KernelKind)(i + 1);
    return 0;
}

const char *kernel_name(KernelKind kind)
{
    return names[kind - 1];
}

/* ---- what a kernel is ---- */

bool kernel_is_simple(const Kernel *kernel)
{
    return kind_is_simple(kernel->kind);
}

bool kernel_uses_texts(const Kernel *kernel)
{
    bool texts = kind_is_text(kernel->kind);

    for (uint32_t i = 0; i < kernel->part_count; i++)
        texts |= kind_is_text(kernel->parts[i].kind);
    return texts;
}

bool kernel_lacks_gamma(const Kernel *kernel)
{
    bool lacks = kernel->kind == KERNEL_RBF && kernel->gamma == 0;

    for (uint32_t i = 0; i < kernel->part_count; i++)
        lacks |= kernel->parts[i].kind == KERNEL_RBF && kernel->parts[i].gamma == 0;
    return lacks;
}

static bool part_same(const KernelPart *a, const KernelPart *b)
{
    return a->kind == b->kind && a->weight == b->weight && a->gamma == b->gamma && a->coef0 == b->coef0 &&
           a->degree == b->degree && a->length == b->length && a->decay == b->decay && a->normalized == b->normalized &&
           a->parts == b->parts;
}

bool kernel_same(const Kernel *a, const Kernel *b)
{
    KernelPart whole_a = kernel_whole(a), whole_b = kernel_whole(b);
    bool same = a->part_count == b->part_count && part_same(&whole_a, &whole_b);

    for (uint32_t i = 0; same && i < a->part_count; i++)
        same = part_same(&a->parts[i], &b->parts[i]);
    return same;
}

static bool part_is_definite(KernelKind kind, double coef0)
{
    return kind != KERNEL_SIGMOID && !(kind == KERNEL_POLYNOMIAL && coef0 < 0);
}

bool kernel_is_definite(const Kernel *kernel)
{
    bool definite = part_is_definite(kernel->kind, kernel->coef0);

    for (uint32_t i = 0; i < kernel->part_count; i++)
        definite &= part_is_definite(kernel->parts[i].kind, kernel->parts[i].coef0);
    return definite;
}

void kernel_require_simple(Env *env, const Kernel *kernel, const char *user)
{
    if (!kernel_is_simple(kernel))
        env_fail(env, ERROR_PARAMETER, "Use one of linear, polynomial, rbf, sigmoid.", "%s does not take kernel %s", user,
                 kernel_name(kernel->kind));
}

void kernel_require_numbers(Env *env, const Kernel *kernel, const char *option)
{
    if (kernel->kind == KERNEL_PRECOMPUTED || kernel_uses_texts(kernel))
        env_fail(env, ERROR_PARAMETER, "Leave the option out, or use a kernel of numbers.",
                 "option \"%s\" does not apply to kernel %s", option, kernel_name(kernel->kind));
}

/* ---- from products to values ---- */

static double power_of(double base, uint32_t power)
{
    double result = 1;

    for (; power > 0; power >>= 1) {
        if (power & 1)
            result *= base;
        base *= base;
    }
    return result;
}

#define SIMD_FILE "core/kernel/kernel_simd.h"
#include "core/base/cpu_dispatch.h"

static double part_of_product(const KernelPart *part, double product)
{
    switch (part->kind) {
    case KERNEL_LINEAR:
        return product;
    case KERNEL_POLYNOMIAL:
        return power_of(part->gamma * product + part->coef0, part->degree);
    case KERNEL_RBF:
        return part->c_library ? exp(-part->gamma * product) : exponential(-part->gamma * product);
    case KERNEL_SIGMOID:
        return part->c_library ? tanh(part->gamma * product + part->coef0)
                               : hyperbolic_tangent(part->gamma * product + part->coef0);
    default:
        return NAN;
    }
}

double kernel_of_product(const Kernel *kernel, double product)
{
    KernelPart part = kernel_whole(kernel);

    return part_of_product(&part, product);
}

/* Replaces products by values, with the bits of part_of_product. */
static void parts_of_products(const KernelPart *part, double *values, uint32_t count)
{
    if (part->kind == KERNEL_LINEAR)
        return;
    if (part->kind == KERNEL_POLYNOMIAL)
        SIMD_CALL(powers, part->gamma, part->coef0, part->degree, values, count);
    else if (part->kind == KERNEL_RBF && !part->c_library)
        SIMD_CALL(exponentials, -part->gamma, values, count);
    else if (part->kind == KERNEL_SIGMOID && !part->c_library)
        SIMD_CALL(tangents, part->gamma, part->coef0, values, count);
    else
        for (uint32_t i = 0; i < count; i++)
            values[i] = part_of_product(part, values[i]);
}

/* ---- one point against many ---- */

#define CHUNK 256 /* points at a time of kernels with parts; a multiple of KERNEL_PANEL */

/* Points to compare with a query, row by row or in panels. */
typedef struct Points {
    const double *data;
    uint32_t dims;
    bool panels;
} Points;

static Points points_from(Points points, uint32_t first)
{
    points.data += (size_t)first * points.dims; /* panels too: first is a multiple of KERNEL_PANEL */
    return points;
}

static Loop loop_of(KernelKind kind)
{
    return kind == KERNEL_RBF ? LOOP_SQUARES : LOOP_PRODUCTS;
}

/* Writes the sums over columns from .. from + width - 1. */
static void sum_columns(Loop loop, const double *query, Points points, uint32_t from, uint32_t width, uint32_t count, double *out)
{
    if (points.panels)
        loop_panels(loop, 0, query + from, points.data + (size_t)from * KERNEL_PANEL, count / KERNEL_PANEL, width, points.dims,
                    out);
    else
        loop_rows(loop, 0, query + from, points.data + from, count, width, points.dims, out);
}

/* Writes products or squared distances, without the text column if there is one. count: of panels, a multiple of KERNEL_PANEL. */
static void sum_numbers(Loop loop, uint32_t text_at, const double *query, Points points, uint32_t count, double *out)
{
    double right[CHUNK];

    if (text_at == 0) {
        sum_columns(loop, query, points, 0, points.dims, count, out);
        return;
    }
    for (uint32_t first = 0; first < count; first += CHUNK) {
        uint32_t inside = count - first < CHUNK ? count - first : CHUNK;
        Points here = points_from(points, first);

        sum_columns(loop, query, here, 0, text_at - 1, inside, out + first);
        sum_columns(loop, query, here, text_at, points.dims - text_at, inside, right);
        for (uint32_t i = 0; i < inside; i++)
            out[first + i] += right[i];
    }
}

/* Returns a number as an index below size; size if it is none. */
static uint32_t index_of(double number, uint32_t size)
{
    return number >= 0 && number < size ? (uint32_t)number : size;
}

/* Writes the values of kernel precomputed: of a row of the Gram matrix in a fit, or of a row that is scored. */
static void find_precomputed(const Kernel *kernel, const double *query, Points points, uint32_t count, double *out)
{
    uint32_t size = kernel->gram_size;
    const double *row = query;

    if (kernel->gram != NULL) {
        uint32_t i = index_of(query[0], size);

        row = i < size ? kernel->gram + (size_t)i * size : NULL;
    }
    for (uint32_t i = 0; i < count; i++) { /* points of one number lie alike in rows and panels */
        uint32_t j = index_of(points.data[i], size);

        out[i] = row != NULL && j < size ? row[j] : NAN;
    }
}

static void leaf_values(const Kernel *kernel, const KernelPart *part, const double *query, Points points, uint32_t count,
                        double *out)
{
    if (kind_is_simple(part->kind)) {
        sum_numbers(loop_of(part->kind), kernel->text_at, query, points, count, out);
        parts_of_products(part, out, count);
    } else if (kind_is_text(part->kind) && kernel->texts != NULL && kernel->text_at > 0) {
        uint32_t column = kernel->text_at - 1;

        if (points.panels)
            kernel_texts_rows(kernel->texts, part, query[column], points.data + (size_t)column * KERNEL_PANEL, 0,
                              (size_t)points.dims * KERNEL_PANEL, count, out);
        else
            kernel_texts_rows(kernel->texts, part, query[column], points.data + column, points.dims, 0, count, out);
    } else if (part->kind == KERNEL_PRECOMPUTED) {
        find_precomputed(kernel, query, points, count, out);
    } else {
        for (uint32_t i = 0; i < count; i++)
            out[i] = NAN;
    }
}

/* Writes the values of parts[*next], with its weight, for at most CHUNK points; moves *next past it and its own parts. */
static void part_values(const Kernel *kernel, uint32_t *next, const double *query, Points points, uint32_t count, double *out)
{
    const KernelPart *part = &kernel->parts[(*next)++];

    if (!kind_is_sum(part->kind)) {
        leaf_values(kernel, part, query, points, count, out);
    } else {
        double values[CHUNK];

        part_values(kernel, next, query, points, count, out);
        for (uint32_t p = 1; p < part->parts; p++) {
            part_values(kernel, next, query, points, count, values);
            for (uint32_t i = 0; i < count; i++)
                out[i] = part->kind == KERNEL_SUM ? out[i] + values[i] : out[i] * values[i];
        }
    }
    for (uint32_t i = 0; part->weight != 1 && i < count; i++)
        out[i] *= part->weight;
}

static void all_values(const Kernel *kernel, const double *query, Points points, uint32_t count, double *out)
{
    if (kernel->part_count == 0) {
        KernelPart whole = kernel_whole(kernel);

        leaf_values(kernel, &whole, query, points, count, out);
        return;
    }
    for (uint32_t first = 0; first < count; first += CHUNK) {
        uint32_t next = 0;

        part_values(kernel, &next, query, points_from(points, first), count - first < CHUNK ? count - first : CHUNK, out + first);
    }
}

void kernel_rows(const Kernel *kernel, const double *query, const double *rows, uint32_t count,
                 uint32_t slots, double *out)
{
    all_values(kernel, query, (Points){rows, slots, false}, count, out);
}

void kernel_panels(const Kernel *kernel, const double *query, const double *panels, uint32_t panel_count, uint32_t slots,
                   double *out)
{
    all_values(kernel, query, (Points){panels, slots, true}, panel_count * KERNEL_PANEL, out);
}

/* ---- single pairs ---- */

double kernel_value(const Kernel *kernel, const double *a, const double *b, uint32_t count)
{
    double value;

    if (kernel_is_simple(kernel) && kernel->text_at == 0)
        return kernel_of_product(kernel, loop_pair(loop_of(kernel->kind), 0, a, b, count));
    all_values(kernel, a, (Points){b, count, false}, 1, &value);
    return value;
}

double kernel_self(const Kernel *kernel, const double *a, uint32_t count)
{
    if (kernel->kind == KERNEL_PRECOMPUTED && kernel->gram == NULL)
        return NAN;
    return kernel_value(kernel, a, a, count);
}

double kernel_distance(const Kernel *kernel, const double *a, const double *b, uint32_t count)
{
    double squared;

    if (kernel->kind == KERNEL_LINEAR)
        return loop_norm(a, b, count);
    if (kernel->kind == KERNEL_RBF)
        return sqrt(-2 * expm1(-kernel->gamma * loop_pair(LOOP_SQUARES, 0, a, b, count)));
    squared = kernel_value(kernel, a, a, count) - 2 * kernel_value(kernel, a, b, count) +
              kernel_value(kernel, b, b, count);
    return squared <= 0 ? 0 : sqrt(squared);
}

double kernel_cosine(Env *env, const Kernel *kernel, const double *a, const double *b, uint32_t count)
{
    double aa = kernel_value(kernel, a, a, count), bb = kernel_value(kernel, b, b, count);

    if (!(aa > 0) || !(bb > 0))
        env_fail(env, ERROR_DATA, NULL, "kernel %s of a row with itself is %g: it has no direction",
                 kernel_name(kernel->kind), aa > 0 ? bb : aa);
    return fmax(-1, fmin(1, kernel_value(kernel, a, b, count) / sqrt(aa) / sqrt(bb)));
}

/* ---- many points against many ---- */

/* Takes products and squared distances of simple kernels from product_distances, which handles cancellation. */
void kernel_matrix(Env *env, const Kernel *kernel, const double *a, uint32_t count_a,
                   const double *b, uint32_t count_b, uint32_t slots, double *out)
{
    KernelPart whole = kernel_whole(kernel);
    bool simple = kernel_is_simple(kernel);

    if (simple)
        product_distances(env, kernel->kind == KERNEL_RBF, a, count_a, b, count_b, slots, slots, out);
    for (uint32_t i = 0; i < count_a; i++) {
        double *row = out + (size_t)i * count_b;

        if (simple)
            parts_of_products(&whole, row, count_b);
        else
            kernel_rows(kernel, a + (size_t)i * slots, b, count_b, slots, row);
        if (i % 16 == 0 || !simple)
            env->poll(env);
    }
}

#define GRAM_ROWS 64 /* rows of a Gram matrix that are computed together */

void kernel_gram(Env *env, const Kernel *kernel, const double *points, uint32_t n, uint32_t dims, double *gram)
{
    double *block = env_array_raw(env, (size_t)GRAM_ROWS * n, sizeof(double));

    for (uint32_t first = 0; first < n; first += GRAM_ROWS) {
        uint32_t rows = n - first < GRAM_ROWS ? n - first : GRAM_ROWS, columns = n - first;
        const double *from = points + (size_t)first * dims;

        kernel_matrix(env, kernel, from, rows, from, columns, dims, block);
        for (uint32_t i = 0; i < rows; i++) {
            const double *values = block + (size_t)i * columns;

            memcpy(gram + (size_t)(first + i) * n + first + i, values + i, (columns - i) * sizeof(double));
        }
        for (uint32_t j = 0; j < columns; j++) /* mirrored: above the diagonal of the block is what counts */
            for (uint32_t i = 0; i < rows && i < j; i++)
                gram[(size_t)(first + j) * n + first + i] = block[(size_t)i * columns + j];
        env->poll(env);
    }
    env->release(env, block);
}

void kernel_center(Env *env, double *gram, uint32_t n)
{
    double *rows = env_array(env, n, sizeof(double)), *columns = env_array(env, n, sizeof(double));
    double mean = 0;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            rows[i] += gram[(size_t)i * n + j] / n;
            columns[j] += gram[(size_t)i * n + j] / n;
        }
        env_poll_every(env, i, 64);
    }
    for (uint32_t i = 0; i < n; i++)
        mean += rows[i] / n;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            gram[(size_t)i * n + j] += mean - (rows[i] + columns[j]);
        env_poll_every(env, i, 64);
    }
}
