/*
 * formula_learn.c - learns the parameters of terms from rows, as R does: without weights.
 *
 * scale, center    the mean, and the standard deviation with n - 1
 * poly             the recurrence of the orthogonal polynomials (Stieltjes 1884; Gautschi 2004), one pass per degree
 * bs, ns           boundaries, and quantiles of type 7 (Hyndman and Fan 1996) as knots, unless the formula gives the knots
 * cut              intervals of equal width; the ends are moved out by a thousandth of the range; unless the formula gives the breaks
 */
#include "core/base/sort.h"
#include "core/base/number_order.h"
#include "core/formula/formula_terms_internal.h"

#include <math.h>
#include <string.h>

/* A sum with the error that rounding left out of it (Neumaier 1974). */
typedef struct Sum {
    double sum, error;
} Sum;

static void add_to(Sum *sum, double x)
{
    double next = sum->sum + x;

    sum->error += fabs(sum->sum) >= fabs(x) ? sum->sum - next + x : x - next + sum->sum;
    sum->sum = next;
}

static double sum_of(const Sum *sum)
{
    return sum->sum + sum->error;
}

typedef struct Learner {
    const FormulaAtom *atom;
    double *parameters;
    uint32_t slot;
    uint64_t count;
    double low, high;
    Sum first, second;
    double *distinct; /* of poly: the first degree + 1 values that differ */
    uint32_t distinct_count;
    double *values; /* of splines */
} Learner;

static bool keeps_values(const FormulaAtom *atom)
{
    return (atom->kind == ATOM_BS || atom->kind == ATOM_NS) && atom->points == NULL;
}

/* Returns how many passes an atom takes. */
static uint32_t passes_of(const FormulaAtom *atom)
{
    switch (atom->kind) {
    case ATOM_SCALE:
        return 2;
    case ATOM_POLY:
        return atom->raw ? 0 : 1 + atom->size;
    default:
        return formula_atom_learns(atom);
    }
}

static void note_distinct(Learner *learner, double x)
{
    if (learner->distinct == NULL || learner->distinct_count > learner->atom->size)
        return;
    for (uint32_t i = 0; i < learner->distinct_count; i++)
        if (learner->distinct[i] == x)
            return;
    learner->distinct[learner->distinct_count++] = x;
}

/* Takes a value in a pass. */
static void take(Learner *learner, uint32_t pass, double x)
{
    if (isnan(x))
        return;
    if (pass == 0) {
        if (learner->values != NULL)
            learner->values[learner->count] = x;
        learner->low = x < learner->low ? x : learner->low;
        learner->high = x > learner->high ? x : learner->high;
        learner->count++;
        add_to(&learner->first, x);
        note_distinct(learner, x);
    } else if (learner->atom->kind == ATOM_SCALE) {
        double distance = x - learner->parameters[0];

        add_to(&learner->first, distance * distance);
    } else {
        double values[FORMULA_MAX_ATOM + 1], square;

        formula_poly_values(learner->parameters, pass, x, values); /* its last norm is still 1 */
        square = values[pass - 1] * values[pass - 1];
        add_to(&learner->first, square);
        add_to(&learner->second, (x - learner->parameters[1]) * square);
    }
}

/* Returns the quantile of type 7 of sorted values. */
static double quantile(const double *sorted, uint64_t count, double probability)
{
    double index = (double)(count - 1) * probability, low = floor(index), share = index - low;
    uint64_t at = (uint64_t)low, next = at + 1 < count ? at + 1 : at;

    if (share == 0 || sorted[at] == sorted[next])
        return sorted[at];
    return (1 - share) * sorted[at] + share * sorted[next];
}

static bool few_values(Learner *learner, FormulaProblem *problem, const char *needs)
{
    const char *hint = keeps_values(learner->atom)        ? "Use fewer degrees of freedom."
                       : learner->atom->points != NULL    ? "Choose knots between the least and the largest value."
                       : learner->atom->kind == ATOM_POLY ? "Use a lower degree."
                                                          : NULL;

    return formula_problem(problem, ERROR_DATA, hint, "%.*s needs %s", (int)bytes_cut(learner->atom->text, strlen(learner->atom->text), 80),
                           learner->atom->text, needs);
}

static bool learn_knots(Env *env, Learner *learner, FormulaProblem *problem)
{
    uint32_t knots = formula_atom_parameters(learner->atom) - 2;
    const double *p = learner->parameters, *points = learner->atom->points;

    learner->parameters[0] = learner->low;
    learner->parameters[1] = learner->high;
    if (points != NULL) {
        memcpy(learner->parameters + 2, points, knots * sizeof(double));
        return (points[0] > p[0] && points[knots - 1] < p[1]) ||
               few_values(learner, problem,
                          env_message(env, "knots between %.6g and %.6g, the least and the largest value", p[0] + 0, p[1] + 0)); /* -0 as 0 */
    }
    sort_numbers(env, learner->values, learner->count, sizeof(double));
    for (uint32_t k = 0; k < knots; k++)
        learner->parameters[2 + k] = quantile(learner->values, learner->count, (double)(k + 1) / (knots + 1));
    for (uint32_t k = 0; k < knots; k++)
        if (!(p[2 + k] > (k == 0 ? p[0] : p[1 + k])) || !(p[2 + k] < p[1]))
            return few_values(learner, problem,
                              env_message(env, "%u knots that differ: quantile %u of %u is %.6g, as %s is", knots,
                                          k + 1, knots, p[2 + k] + 0, k == 0 && p[2] == p[0] ? "the least value" : p[2 + k] == p[1] ? "the largest value" : "the one before"));
    return true;
}

static void learn_breaks(Learner *learner)
{
    uint32_t intervals = learner->atom->size;
    bool equal = learner->low == learner->high;
    double edge = (equal ? fabs(learner->low) : learner->high - learner->low) / 1000;
    double low = equal ? learner->low - edge : learner->low, high = equal ? learner->high + edge : learner->high;
    double *breaks = learner->parameters;

    for (uint32_t i = 0; i <= intervals; i++)
        breaks[i] = low + i * ((high - low) / intervals);
    breaks[0] = learner->low - edge;
    breaks[intervals] = learner->high + edge;
}

/* Finishes the first pass of an atom. */
static bool finish_first(Env *env, Learner *learner, FormulaProblem *problem)
{
    double mean = learner->count > 0 ? sum_of(&learner->first) / (double)learner->count : 0;

    if (learner->count == 0)
        return few_values(learner, problem, "values: all rows have NULL");
    learner->parameters[0] = mean;
    switch (learner->atom->kind) {
    case ATOM_SCALE:
        return learner->low < learner->high || few_values(learner, problem, "values that differ");
    case ATOM_POLY:
        if (learner->distinct_count <= learner->atom->size)
            return few_values(learner, problem, env_message(env, "more than %u distinct value%s", learner->distinct_count, learner->distinct_count == 1 ? "" : "s"));
        learner->parameters[0] = sqrt((double)learner->count);
        learner->parameters[1] = mean;
        learner->parameters[2] = 1;
        return true;
    case ATOM_BS:
    case ATOM_NS:
        if (!(learner->low < learner->high))
            return few_values(learner, problem, "values that differ");
        return learn_knots(env, learner, problem);
    case ATOM_CUT:
        learn_breaks(learner);
        return true;
    default:
        return true;
    }
}

/* Finishes a later pass of scale or poly. */
static bool finish_later(Learner *learner, uint32_t pass, FormulaProblem *problem)
{
    double first = sum_of(&learner->first), second = sum_of(&learner->second);

    if (learner->atom->kind == ATOM_SCALE) {
        learner->parameters[1] = sqrt(first / (double)(learner->count - 1));
        return learner->parameters[1] > 0 || few_values(learner, problem, "values that differ");
    }
    if (!(first > 0) || !isfinite(first))
        return few_values(learner, problem, "values that differ more");
    learner->parameters[2 * pass] = sqrt(first);
    if (pass < learner->atom->size) {
        learner->parameters[2 * pass + 1] = learner->parameters[1] + second / first;
        learner->parameters[2 * pass + 2] = 1;
    }
    return true;
}

/* Prepares the learners. Returns how many passes they take. */
static uint32_t prepare(Env *env, const Formula *formula, Rows *rows, double *parameters, Learner *learners, uint32_t *count)
{
    uint32_t *slots = env_array(env, (size_t)formula->input_count + 1, sizeof(uint32_t)), passes = 0, next = 1, sorted = 0;
    uint64_t n = rows_count(rows);

    for (uint32_t i = 0; i < formula->input_count; i++)
        slots[i + 1] = slots[i] + formula->inputs[i].width;
    for (uint32_t i = 0; i < formula->atom_count; i++)
        sorted += formula->atoms[i].input != FORMULA_NONE && keeps_values(&formula->atoms[i]);
    if (sorted > 0) /* one more for the sort */
        env_require_memory(env, (size_t)(sorted + 1) * n * sizeof(double), "a spline of the formula");
    for (uint32_t i = 0; i < formula->atom_count; i++) {
        const FormulaAtom *atom = &formula->atoms[i];
        Learner *learner = &learners[*count];

        if (atom->input == FORMULA_NONE)
            continue;
        if (formula_atom_learns(atom)) {
            *learner = (Learner){.atom = atom, .parameters = parameters + next, .slot = slots[atom->input], .low = INFINITY, .high = -INFINITY};
            if (keeps_values(atom))
                learner->values = env_array_raw(env, n, sizeof(double));
            if (atom->kind == ATOM_POLY)
                learner->distinct = env_array_raw(env, atom->size + 1, sizeof(double));
            passes = passes_of(atom) > passes ? passes_of(atom) : passes;
            (*count)++;
        }
        next += formula_atom_parameters(atom);
    }
    return passes;
}

static bool learn(Env *env, const Formula *formula, Rows *rows, double *parameters, FormulaProblem *problem)
{
    Learner *learners = env_array(env, (size_t)formula->atom_count + 1, sizeof(Learner));
    uint32_t count = 0, passes = prepare(env, formula, rows, parameters, learners, &count), slots = rows_slots(rows);
    RowsReader *reader = passes > 0 ? rows_reader(env, rows) : NULL;
    RowsBlock block;

    for (uint32_t pass = 0; pass < passes; pass++) {
        for (uint32_t i = 0; i < count; i++)
            learners[i].first = learners[i].second = (Sum){0, 0};
        rows_rewind(reader);
        while (rows_next_block(reader, &block))
            for (uint32_t i = 0; i < count; i++)
                for (uint32_t r = 0; r < block.count && pass < passes_of(learners[i].atom); r++)
                    take(&learners[i], pass, block.slots[(size_t)r * slots + learners[i].slot]);
        for (uint32_t i = 0; i < count; i++)
            if (pass < passes_of(learners[i].atom) &&
                !(pass == 0 ? finish_first(env, &learners[i], problem) : finish_later(&learners[i], pass, problem)))
                return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (learners[i].values != NULL)
            env->release(env, learners[i].values);
    if (reader != NULL)
        rows_reader_free(reader);
    return true;
}

FormulaTerms *formula_learn(Env *env, const Formula *formula, const Model *inputs, Rows *rows, bool intercept)
{
    FormulaProblem problem = {.env = env};
    uint32_t count = 1;
    FormulaTerms *terms = NULL;
    double *parameters;

    if (!formula->learns || inputs->field_count != formula->input_count || inputs->slot_count != rows_slots(rows))
        env_fail(env, ERROR_INTERNAL, NULL, "%u inputs for a formula of %u", inputs->field_count, formula->input_count);
    for (uint32_t i = 0; i < formula->atom_count; i++)
        count += formula->atoms[i].input != FORMULA_NONE ? formula_atom_parameters(&formula->atoms[i]) : 0;
    parameters = env_array(env, count, sizeof(double));
    parameters[0] = intercept;
    if (learn(env, formula, rows, parameters, &problem))
        terms = formula_plan(env, formula, inputs, parameters, count, &problem);
    if (problem.found && problem.code == ERROR_CORRUPT)
        problem.code = ERROR_DATA;
    formula_fail(&problem);
    return terms;
}
