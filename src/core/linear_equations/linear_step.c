/*
 * linear_step.c - the state of a step of a linear model, its pending rows, and its parameters.
 */
#include "core/estimator/conformal.h"
#include "core/linear_equations/linear_step.h"
#include "core/linalg/penalized_quadratic.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

const double *linear_step_numbers(const Model *model, const char *name)
{
    uint32_t length;

    return model_f64(model, name, &length);
}

/* ---- shapes ---- */

LinearShape linear_shape(Env *env, const Model *model, const uint8_t *dropped, bool constants)
{
    LinearShape shape = {.env = env, .model = model, .classes = dictionary_size(model, DICTIONARY_CLASSES)};
    uint32_t kept = 0;

    linear_view(model, &shape.view);
    shape.intercept = model_find(model, "intercept") != NULL;
    shape.equations = shape.view.equations;
    shape.deviation = linear_step_numbers(model, "step_deviation");
    shape.factor = linear_step_numbers(model, "step_factor");
    shape.terms = linear_terms(env, model, &shape.term_count);
    constants = constants && shape.intercept && shape.deviation != NULL;
    for (uint32_t t = 0; t < shape.term_count; t++) {
        uint32_t column = shape.terms[t].column;

        if ((dropped == NULL || !dropped[column]) && !(constants && !(shape.deviation[column] > 0)))
            shape.terms[kept++] = shape.terms[t];
    }
    shape.term_count = kept;
    shape.count = kept + shape.intercept;
    return shape;
}

void linear_shape_free(const LinearShape *shape)
{
    shape->env->release(shape->env, shape->terms);
}

/* Tells whether the array is missing or has this length. */
static bool length_is(const Model *model, const char *name, size_t length)
{
    const ModelEntry *entry = model_find(model, name);

    return entry == NULL || entry->rows == length;
}

bool linear_step_from_fits(const LinearShape *shape)
{
    return length_is(shape->model, "step_from", (size_t)shape->equations * shape->count);
}

/* Tells whether pending rows from outside are safe to use: their number, their weights and, if there are any, their classes. */
static bool pending_sound(const LinearShape *shape, double pending)
{
    const double *rows = linear_step_numbers(shape->model, "sum_rows");
    const double *class = pending_targets(rows, shape->model->slot_count), *weight = pending_weights(rows, shape->model->slot_count);

    if (!(pending >= 0 && pending < DESIGN_TILE && pending == floor(pending)))
        return false;
    for (uint32_t i = 0; i < DESIGN_TILE; i++)
        if (!(weight[i] >= 0) || (shape->classes > 0 && !(class[i] >= 0 && class[i] < shape->classes && class[i] == floor(class[i]))))
            return false;
    return true;
}

bool linear_step_sums_fit(const LinearShape *shape, LinearSums sums)
{
    uint32_t length;
    const double *totals = model_f64(shape->model, "sum_totals", &length);

    return length_is(shape->model, "sum_gradient", sums.gradients * shape->equations * shape->count) &&
           length_is(shape->model, "sum_curvature", sums.blocks * factor_packed(shape->count)) &&
           (totals == NULL || (length == sums.totals && pending_sound(shape, totals[length - 1])));
}

/* ---- states ---- */

bool linear_step_is_no_sum(const ModelEntry *entry)
{
    return strncmp(entry->name, "sum_", 4) != 0 && strcmp(entry->name, "step_of") != 0;
}

bool linear_step_keeps(const ModelEntry *entry)
{
    static const char *const replaced[] = {
        "coef", "coef_error", "center", "covariance" MODEL_PACKED, "intercept", "level_slots", "link", "offset", "reference",
        "step_done", "step_from", "step_objective", "step_promise", "bounded", "converged", "gap", "iterations",
        "log_likelihood", "margin", "nonzero", "objective", "penalty", "separated", "support_vectors", NULL};

    return linear_step_is_no_sum(entry) && !model_entry_is_any(entry, replaced);
}

Model *linear_step_begin(const LinearShape *shape, LinearSums sums, bool (*kept)(const ModelEntry *entry), const char *extra, const double *numbers,
                         uint32_t length, const char *name)
{
    Env *env = shape->env;
    const Model *model = shape->model;
    size_t curvature = sums.blocks * factor_packed(shape->count), gradient = sums.gradients * shape->equations * shape->count;
    size_t rows = ((size_t)model->slot_count + 3) * DESIGN_TILE, most = curvature > rows ? curvature : rows;
    ModelBuilder *builder;
    Model *state, *header;
    double *zeros;

    env_require_memory(env, 3 * most * sizeof(double), name);
    zeros = env_array(env, most + gradient + 1, sizeof(double));
    builder = builder_from(env, conformal_strip(env, model), kept);
    header = builder_header(builder);
    header->rows = header->skipped = 0;
    header->weight = 0;
    builder_fact_i64(builder, "step_of", (int64_t)model->fingerprint);
    if (extra != NULL)
        builder_f64(builder, SECTION_ARRAYS, extra, numbers, length);
    builder_f64(builder, SECTION_ARRAYS, "sum_gradient", zeros, (uint32_t)gradient);
    builder_f64(builder, SECTION_ARRAYS, "sum_curvature", zeros, (uint32_t)curvature);
    builder_f64_matrix(builder, SECTION_ARRAYS, "sum_rows", zeros, model->slot_count + 3, DESIGN_TILE);
    builder_f64(builder, SECTION_ARRAYS, "sum_totals", zeros, sums.totals);
    state = model_build(builder);
    state->fingerprint = 0;
    env->release(env, zeros);
    return state;
}

void linear_step_add(Env *env, Model *state, const double *slots, double target, double weight, double offset, ModelStepHints *hints, LinearSum sum)
{
    const ModelEntry *totals = model_step_find(state, "sum_totals", &hints->sums);
    double *pending = (double *)model_data_mutable(state, (ModelEntry *)totals) + totals->rows - 1;
    double *rows = model_data_mutable(state, (ModelEntry *)model_step_find(state, "sum_rows", &hints->arrays[0]));
    uint32_t at = (uint32_t)*pending, width = state->slot_count;

    for (uint32_t s = 0; s < width; s++)
        rows[(size_t)s * DESIGN_TILE + at] = slots[s];
    rows[(size_t)width * DESIGN_TILE + at] = target;
    rows[((size_t)width + 1) * DESIGN_TILE + at] = weight;
    rows[((size_t)width + 2) * DESIGN_TILE + at] = offset;
    state->rows++;
    state->weight += weight;
    *pending = (at + 1) % DESIGN_TILE;
    if (at + 1 == DESIGN_TILE)
        sum(env, state, rows, DESIGN_TILE);
}

void linear_step_merge(Env *env, const ModelStep *step, Model *a, const Model *b, LinearSum sum)
{
    static const char *const names[] = {"sum_gradient", "sum_curvature", "sum_totals"};
    uint32_t length;
    const double *totals = model_f64(b, "sum_totals", &length);

    model_step_require_same(env, step, a, b);
    model_step_add_sums(env, step, a, b, names, 3, 1);
    if (totals[length - 1] > 0)
        sum(env, a, linear_step_numbers(b, "sum_rows"), (uint32_t)totals[length - 1]);
}

Model *linear_step_finish(Env *env, const Model *state, LinearSum sum, Model *(*next)(Env *env, const Model *state))
{
    uint32_t length;
    const double *totals = model_f64(state, "sum_totals", &length);
    Model *copy;

    if (state->rows == 0)
        return NULL;
    if (totals[length - 1] == 0)
        return next(env, state);
    copy = memcpy(env->alloc(env, state->size), state, state->size);
    sum(env, copy, linear_step_numbers(state, "sum_rows"), (uint32_t)totals[length - 1]);
    return next(env, copy);
}

void pending_columns(const LinearShape *shape, const double *rows, double *memory, const double **columns)
{
    double *next = memory;
    uint32_t at = 0;

    if (shape->intercept) {
        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            next[i] = 1;
        columns[at++] = next;
        next += DESIGN_TILE;
    }
    for (uint32_t t = 0; t < shape->term_count; t++, next += DESIGN_TILE) {
        const LinearTerm *term = &shape->terms[t];
        const double *slot = rows + (size_t)term->slot * DESIGN_TILE;
        double center = shape->view.center != NULL && term->level < 0 ? shape->view.center[term->slot] : 0;

        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            next[i] = term->level < 0 ? slot[i] - center : slot[i] == (double)term->level;
        columns[at++] = next;
    }
    memset(next, 0, DESIGN_TILE * sizeof(double));
    for (uint32_t p = 0; p < TILE_PADDING; p++)
        columns[at++] = next;
}

/* ---- parameters ---- */

void linear_step_theta(const LinearShape *shape, uint32_t equation, double *theta)
{
    const double *coef = shape->view.coef + (size_t)(equation + shape->fixed) * shape->view.columns;

    if (shape->intercept)
        theta[0] = shape->view.offset[equation + shape->fixed];
    for (uint32_t t = 0; t < shape->term_count; t++)
        theta[t + shape->intercept] = coef[shape->terms[t].column];
}

LinearEquations linear_step_equations(const LinearShape *shape, const double *theta)
{
    LinearEquations out = linear_equations(shape->env, shape->model, (FitTerms){0}, shape->view.equations, NULL);

    if (shape->intercept)
        out.offset = env_array(shape->env, out.equations, sizeof(double));
    if (out.levels > 0)
        memcpy(out.reference, model_data(shape->model, model_find(shape->model, "reference")), out.levels);
    out.link = shape->view.link;
    out.center = (double *)shape->view.center;
    for (uint32_t e = 0; e < shape->equations; e++, theta += shape->count) {
        double *coef = out.coef + (size_t)(e + shape->fixed) * shape->view.columns;

        if (shape->intercept)
            out.offset[e + shape->fixed] = theta[0];
        for (uint32_t t = 0; t < shape->term_count; t++)
            coef[shape->terms[t].column] = theta[t + shape->intercept];
    }
    return out;
}

/* Converts a covariance with the intercept at the center of the features to one with the intercept at 0. shift: scratch. */
static void move_to_origin(double *packed, uint32_t terms, const LinearTerm *list, const double *center, double *shift)
{
    memset(shift, 0, ((size_t)terms + 1) * sizeof(double)); /* V c */
    for (uint32_t i = 0; i <= terms; i++)
        for (uint32_t t = 0; t < terms; t++) {
            uint32_t j = t + 1, high = i > j ? i : j, low = i > j ? j : i;

            if (list[t].level < 0)
                shift[i] += packed[factor_packed(high) + low] * center[list[t].slot];
        }
    packed[0] -= 2 * shift[0];
    for (uint32_t t = 0; t < terms; t++) {
        if (list[t].level < 0)
            packed[0] += shift[t + 1] * center[list[t].slot];
        packed[factor_packed(t + 1)] -= shift[t + 1];
    }
}

double *linear_step_covariance(const LinearShape *shape, const double *inverse, size_t stride)
{
    Env *env = shape->env;
    uint32_t all, first = shape->intercept;
    LinearTerm *terms = linear_terms(env, shape->model, &all);
    uint32_t *place = env_array(env, (size_t)all + 2, sizeof(uint32_t)); /* of each parameter among intercept and terms */
    double *packed = env_array(env, factor_packed((size_t)all + first) + 1, sizeof(double));

    for (uint32_t t = 0, kept = 0; t < all && kept < shape->term_count; t++)
        if (terms[t].column == shape->terms[kept].column)
            place[first + kept++] = t + first;
    for (uint32_t i = 0; i < shape->count; i++)
        for (uint32_t j = 0; j <= i; j++)
            packed[factor_packed(place[i]) + place[j]] = inverse[i * stride + j];
    if (shape->intercept && shape->view.center != NULL)
        move_to_origin(packed, all, terms, shape->view.center, env_array(env, (size_t)all + 1, sizeof(double)));
    return packed;
}

bool linear_step_worse(double objective, double before, double wanted)
{
    return objective > before - wanted + NEWTON_ROUNDING * fabs(before);
}

/* ---- the first model ---- */

double pooled_weight(const ScatterDesign *design, const double *factors, uint32_t class)
{
    return design->weight[class] * (factors != NULL ? factors[class] : 1);
}

PooledClasses pooled_classes(Env *env, const ScatterDesign *design, const double *factors)
{
    uint32_t terms = design->terms;
    size_t size = factor_packed(terms);
    PooledClasses pooled = {.mean = env_array(env, 2 * (size_t)terms + 1, sizeof(double)), .products = env_array(env, size + 1, sizeof(double))};

    pooled.deviation = pooled.mean + terms;
    for (uint32_t c = 0; c < design->classes; c++) {
        double own = pooled_weight(design, factors, c);

        pooled.weight += own;
        for (uint32_t t = 0; own > 0 && t < terms; t++)
            pooled.mean[t] += (design->means[(size_t)c * terms + t] - pooled.mean[t]) * (own / pooled.weight);
    }
    for (uint32_t c = 0; c < design->classes; c++) {
        const double *own = design->means + (size_t)c * terms, *scatter = design->scatter + c * size;
        double factor = factors != NULL ? factors[c] : 1, weight = pooled_weight(design, factors, c), *out = pooled.products;

        env->poll(env);
        for (uint32_t t = 0; t < terms; t++)
            for (uint32_t u = 0; u <= t; u++)
                *out++ += factor * *scatter++ + weight * (own[t] - pooled.mean[t]) * (own[u] - pooled.mean[u]);
    }
    for (uint32_t t = 0; t < terms; t++)
        pooled.deviation[t] = pooled.weight > 0 ? sqrt(fmax(0, pooled.products[factor_packed(t) + t] / pooled.weight)) : 0;
    return pooled;
}

void linear_start_drop(LinearEquations *out, double weight, const double *mean, double *products, const char *hint, ModelBuilder *builder)
{
    Env *env = out->env;
    uint32_t terms = out->terms.count;
    uint8_t *dependent = env_array(env, (size_t)terms + 1, 1);
    double *scale = env_array(env, (size_t)terms + 1, sizeof(double));

    for (uint32_t t = 0; t < terms; t++) {
        double size = sqrt(fmax(0, products[factor_packed(t) + t] / weight));

        scale[t] = size > 1e-13 * fabs(mean[t]) ? size : INFINITY; /* a constant term: scaled to 0 */
    }
    for (uint32_t t = 0; t < terms; t++)
        for (uint32_t u = 0; u <= t; u++)
            products[factor_packed(t) + u] = products[factor_packed(t) + u] / scale[t] / scale[u];
    gram_dependent(env, products, terms, weight, dependent);
    linear_equations_drop(out, dependent, NULL, hint, builder);
}

void linear_start_add(ModelBuilder *builder, const LinearEquations *equations, const double *deviation,
                      const double *factors, uint32_t classes)
{
    uint32_t width = equations->slots + equations->levels;
    double *columns = env_array(equations->env, (size_t)width + 1, sizeof(double));

    for (uint32_t t = 0; deviation != NULL && t < equations->terms.count; t++)
        columns[linear_column(equations->slots, equations->terms, t)] = deviation[t];
    if (deviation != NULL)
        builder_f64(builder, SECTION_ARRAYS, "step_deviation", columns, width);
    if (factors != NULL)
        builder_f64(builder, SECTION_ARRAYS, "step_factor", factors, classes);
}
