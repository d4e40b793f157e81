/*
 * margins.c - sums of predictions and of their derivatives by the coefficients.
 */
#include "core/linear_equations/margins.h"

#include "core/formula/formula_bars.h"
#include "core/linalg/qr_factor.h"
#include "core/math/special_functions.h"

#define NEAR 1e-4 /* a change of a score that is that of a derivative */
#define JUMP 1e3 /* times the change of a term on the other side of a number: it is a step, as of cut() at a break */
#define LEARNED 64 /* rows of a block */
#define MOST_LEARNED 1000 /* coefficients: the time per row grows with their square */
#define MOST_WORK 5e9 /* rows times the square of the coefficients: seconds */
#define DETERMINED 1e-9 /* of a term's norm: less than this beside the terms before it is rounding */
#define TOLD 1e-7 /* of its norm, or of an average: what rounding may leave of a term that others tell */

/* ---- the columns of a model ---- */

/* Lists the levels of a field, the reference first. */
static void set_levels(Env *env, const Model *rows, uint32_t field, MarginVariable *variable)
{
    uint32_t all = dictionary_size(rows, DICTIONARY_LEVELS), length;
    const char **levels;

    variable->kind = MARGIN_CATEGORY;
    variable->levels = levels = env_array(env, (size_t)all + 1, sizeof(char *));
    variable->level_count = 0; /* a boolean in factor() had two */
    for (uint32_t i = 0; i < all; i++) {
        const char *text;

        if (dictionary_field(rows, i) != field)
            continue;
        text = dictionary_text(rows, DICTIONARY_LEVELS, i, &length);
        levels[variable->level_count++] = isinf(dictionary_key(rows, DICTIONARY_LEVELS, i)) ? NULL : env_message(env, "%.*s", (int)length, text);
        if (i % 256 == 0)
            env->poll(env);
    }
}

static void set_kind(FieldKind kind, uint32_t width, MarginVariable *variable)
{
    static const char *const booleans[] = {"false", "true"};

    variable->kind = kind == FIELD_NUMERIC && width == 1 ? MARGIN_NUMBER : MARGIN_OTHER;
    if (kind == FIELD_BOOLEAN)
        *variable = (MarginVariable){variable->name, MARGIN_BOOLEAN, 2, booleans};
}

/* Marks columns that are groups of random effects and nothing else. */
static void mark_groups(Env *env, const Model *model, const Formula *formula, MarginVariable *list, uint32_t count)
{
    const FormulaBars *bars = formula_bars(env, model);
    char name[SCHEMA_NAME_SIZE];

    for (uint32_t i = 0; bars != NULL && i < count; i++) {
        uint32_t inputs = 0;

        for (uint32_t k = 0; k < formula_input_count(formula); k++)
            inputs += formula_input(formula, k)->variable == i;
        for (uint32_t b = 0; inputs == 1 && list[i].kind == MARGIN_CATEGORY && list[i].level_count > 0 && b < bars->count; b++)
            for (uint32_t g = 0; g < bars->bars[b].group_count; g++) {
                uint32_t field = bars->bars[b].groups[g];

                schema_field_name(model, field, name, sizeof(name));
                list[i].random = list[i].random || (!bars->fixed[field] && (strcmp(name, list[i].name) == 0 ||
                                                                           strcmp(name, env_message(env, "factor(%s)", list[i].name)) == 0));
            }
        env->poll(env);
    }
}

/* Merges columns that a formula reads in several ways, such as g + I(g == 'a'); returns how many are left. Their levels are those of the category. */
static uint32_t merge_columns(Env *env, MarginVariable *list, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t same = 0;

        while (same < kept && strcmp(list[same].name, list[i].name) != 0)
            same++;
        if (same == kept || list[i].kind == MARGIN_CATEGORY)
            list[same] = list[i];
        kept += same == kept;
        env->poll(env);
    }
    return kept;
}

MarginVariable *margin_variables(Env *env, const Model *model, const char *function, uint32_t *count)
{
    const Model *rows = formula_row_schema(env, model);
    const char *text, *wrong = NULL, *name;
    uint32_t length;
    const Formula *formula = NULL;
    MarginVariable *list;
    bool differs;

    text = schema_formula(rows, &length);
    if (text != NULL)
        formula = formula_of_schema(env, text, length, rows, &wrong);
    if (formula == NULL && schema_named_fields(rows) < rows->field_count)
        env_fail(env, ERROR_KIND, "Fit the model to a row, as in linear_regression(price, d, 'carat + cut') FROM diamonds AS d.",
                 "%s needs the names of the columns, and this model of %.31s was fitted to numbers without names", function, model->estimator);
    *count = formula != NULL ? formula_variable_count(formula) : rows->field_count;
    list = env_array(env, (size_t)*count + 1, sizeof *list);
    for (uint32_t i = 0; i < *count; i++) {
        char *field = env_array(env, 4 * SCHEMA_NAME_SIZE, 1);

        if (formula == NULL) {
            schema_field_name(rows, i, field, 4 * SCHEMA_NAME_SIZE);
            list[i].name = field;
            if (schema_field_kind(rows, i) == FIELD_CATEGORICAL)
                set_levels(env, rows, i, &list[i]);
            else
                set_kind(schema_field_kind(rows, i), schema_field_width(rows, i), &list[i]);
            continue;
        }
        name = formula_variable(formula, i, &length);
        list[i].name = env_message(env, "%.*s", (int)length, name);
        set_kind(formula_variable_kind(formula, i), 1, &list[i]);
        if (formula_variable_level(formula, i, &differs) != NULL)
            list[i].kind = MARGIN_OTHER;
        for (uint32_t k = 0; k < formula_input_count(formula); k++) {
            const FormulaInput *input = formula_input(formula, k);

            if ((input->kind == FORMULA_COLUMN || input->kind == FORMULA_CATEGORY) && input->variable == i) {
                if (input->field_kind == FIELD_CATEGORICAL && list[i].kind != MARGIN_CATEGORY)
                    set_levels(env, rows, k, &list[i]);
                else if (input->width > 1)
                    list[i].kind = MARGIN_OTHER;
            }
        }
    }
    if (formula != NULL) {
        mark_groups(env, model, formula, list, *count);
        *count = merge_columns(env, list, *count);
    }
    return list;
}

/* ---- dropped terms ---- */

/* How the dropped terms follow from the others, in the rows of the fit. */
typedef struct DroppedTerms {
    uint32_t kept, count; /* coefficients, and all of them */
    uint32_t *order;      /* [count] the kept coefficients, then the dropped ones */
    double *packed;       /* the factor of their columns */
    double *norms;        /* [count] of the columns */
    double *block;        /* [count x LEARNED] */
    uint32_t filled;      /* rows of the block */
    double work;          /* of all blocks */
    bool known;           /* the rows determine the shares */
    double *shares;       /* [dropped x kept] what the kept terms are multiplied by */
    bool *told;           /* [coefficients] a dropped term that the others tell */
} DroppedTerms;

static DroppedTerms *dropped_terms(const LinearInference *inference)
{
    Env *env = inference->env;
    DroppedTerms *terms = env_array(env, 1, sizeof *terms);
    uint32_t count = inference->count;
    void *memory;

    terms->count = count;
    terms->order = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    terms->told = env_array(env, (size_t)count + 1, sizeof(bool));
    for (uint32_t k = 0; k < count; k++)
        if (!isnan(inference->list[k].estimate))
            terms->order[terms->kept++] = k;
    for (uint32_t k = 0, at = terms->kept; k < count; k++)
        if (isnan(inference->list[k].estimate))
            terms->order[at++] = k;
    if (terms->kept == count || count > MOST_LEARNED)
        return terms;
    env_require_memory(env, (factor_packed(count) + (size_t)count * (LEARNED + terms->kept)) * sizeof(double), "how dropped terms depend on others");
    terms->packed = env_array(env, factor_packed(count), sizeof(double));
    terms->norms = env_array(env, count, sizeof(double));
    terms->block = env_aligned(env, (size_t)count * LEARNED, &memory);
    terms->shares = env_array(env, (size_t)(count - terms->kept) * terms->kept + 1, sizeof(double));
    return terms;
}

/* Returns the norm of a column of the factor from row `first` on. */
static double factor_norm(const double *packed, uint32_t first, uint32_t column)
{
    double sum = 0;

    for (uint32_t i = first; i <= column; i++)
        sum = hypot(sum, packed[factor_packed(column) + i]);
    return sum;
}

/* Adds the rows of the block, and sets the shares if the rows determine them. */
static void learn_block(DroppedTerms *terms, Env *env)
{
    uint32_t kept = terms->kept;
    const double *packed = terms->packed;

    factor_update(env, terms->packed, terms->count, terms->block, LEARNED, terms->filled, false);
    terms->work += (double)terms->filled * terms->count * terms->count;
    memset(terms->block, 0, (size_t)terms->count * LEARNED * sizeof(double));
    terms->filled = 0;
    for (uint32_t k = 0; k < terms->count; k++) {
        terms->norms[k] = factor_norm(packed, 0, k);
        if (k < kept && !(fabs(packed[factor_packed(k) + k]) > DETERMINED * terms->norms[k]))
            return;
    }
    for (uint32_t column = kept; column < terms->count; column++) {
        const double *right = packed + factor_packed(column);
        double *shares = terms->shares + (size_t)(column - kept) * kept;

        terms->told[terms->order[column]] = factor_norm(packed, kept, column) <= TOLD * terms->norms[column];
        for (uint32_t i = kept; i-- > 0;) {
            shares[i] = right[i];
            for (uint32_t k = i + 1; k < kept; k++)
                shares[i] -= packed[factor_packed(k) + i] * shares[k];
            shares[i] /= packed[factor_packed(i) + i];
            if (fabs(shares[i]) * terms->norms[i] <= DETERMINED * terms->norms[column])
                shares[i] = 0;
        }
        env->poll(env);
    }
    terms->known = true;
}

/* Tells whether a sum of terms times these weights, differences of numbers of these sizes, depends on dropped terms that others tell. */
static bool depends_on_dropped(const DroppedTerms *terms, const double *weights, const double *sizes)
{
    for (uint32_t column = terms->kept; column < terms->count; column++) {
        double rest = weights[terms->order[column]], size = sizes[terms->order[column]];
        const double *shares;

        if (!terms->told[terms->order[column]])
            continue;
        shares = terms->shares + (size_t)(column - terms->kept) * terms->kept;
        for (uint32_t k = 0; k < terms->kept; k++) {
            rest -= shares[k] * weights[terms->order[k]];
            size += fabs(shares[k]) * sizes[terms->order[k]];
        }
        if (fabs(rest) > TOLD * size)
            return true;
    }
    return false;
}

/* ---- sums ---- */

Margins *margins_begin(Env *env, const Model *model, const char *function, uint32_t count, bool response)
{
    Margins *margins = env_array(env, 1, sizeof *margins);
    size_t numbers;

    margins->inference = linear_inference(env, model, function);
    linear_view(model, &margins->view);
    if (estimator_classifies(estimator_of(model)) && margins->view.link == LINK_NONE)
        env_fail(env, ERROR_KIND, "Read them with partial_dependence, whose option \"class\" names one of them; wald_test and linear_combinations are about the score.",
                 "%s has no averages of %u probabilities, which a model of %.31s predicts", function, dictionary_size(model, DICTIONARY_CLASSES), model->estimator);
    margins->terms = linear_terms(env, model, &margins->term_count);
    margins->probability = response && margins->view.link != LINK_NONE;
    margins->link = response ? link_of_model(model) : (Link){NULL, 0};
    margins->count = count;
    numbers = (size_t)count * ((size_t)margins->inference.count + 3) + 3 * (size_t)margins->inference.count;
    env_require_memory(env, numbers * sizeof(double), "the derivatives of the averages");
    margins->weight = env_array(env, (size_t)count + 1, sizeof(double));
    margins->response = env_array(env, (size_t)count + 1, sizeof(double));
    margins->gradient = env_array(env, (size_t)count * margins->inference.count + 1, sizeof(double));
    margins->lost = env_array(env, (size_t)count + 1, sizeof(bool));
    margins->spare = env_array(env, 3 * (size_t)margins->inference.count + 1, sizeof(double));
    margins->dropped = dropped_terms(&margins->inference);
    return margins;
}

/* Returns the score of a row, by what its coefficients are multiplied by. */
static double score_of(const LinearInference *inference, const MarginRow *row, const double *x)
{
    double score = row->offset;

    for (uint32_t k = 0; k < inference->count; k++)
        if (!isnan(inference->list[k].estimate))
            score += inference->list[k].estimate * x[k];
    return score;
}

/* Writes what the coefficients of a row are multiplied by; returns its score. */
static double expand_row(const Margins *margins, const MarginRow *row, double *x)
{
    uint32_t first = margins->view.intercept != NULL;

    x[0] = 1;
    for (uint32_t t = 0; t < margins->term_count; t++) {
        const LinearTerm *term = &margins->terms[t];

        x[t + first] = term->level < 0 ? row->slots[term->slot] : row->slots[term->slot] == (double)term->level;
    }
    return score_of(&margins->inference, row, x);
}

/* Replaces a step of a term between the rows of low and high by what the term changes on the other side of the row between them. */
static void take_out_steps(const Margins *margins, const MarginRow *between, double *high, double *low)
{
    uint32_t count = margins->inference.count;
    double *x = margins->spare + 2 * (size_t)count;

    (void)expand_row(margins, between, x);
    for (uint32_t k = 0; k < count; k++) {
        double above = high[k] - x[k], below = x[k] - low[k];

        if (fabs(above) > JUMP * fabs(below))
            high[k] = x[k] + below;
        else if (fabs(below) > JUMP * fabs(above))
            low[k] = x[k] - above;
    }
}

bool margins_learn(Margins *margins, const MarginRow *row)
{
    DroppedTerms *terms = margins->dropped;

    if (terms->packed == NULL || terms->known || terms->work >= MOST_WORK)
        return false;
    if (row != NULL) {
        (void)expand_row(margins, row, margins->spare);
        for (uint32_t k = 0; k < terms->count; k++)
            terms->block[(size_t)k * LEARNED + terms->filled] = margins->spare[terms->order[k]];
        terms->filled++;
    }
    if (terms->filled == LEARNED || (row == NULL && terms->filled > 0))
        learn_block(terms, margins->inference.env);
    return !terms->known && terms->work < MOST_WORK;
}

static double probability_of(double score)
{
    double small = exp(-fabs(score));

    return (score < 0 ? small : 1) / (1 + small);
}

/* Returns by how much the mean changes with a score. *slope: at `before`; *less: what the slope at the other score is above it. */
static double mean_change(const Link *link, double before, double change, double *slope, double *less)
{
    *slope = link_slope(link, before);
    *less = link_slope(link, before + change) - *slope;
    /* the difference of means nearby would lose the digits that the slope between them has */
    return fabs(change) < NEAR ? change * link_slope(link, before + change / 2) : link_mean(link, before + change) - link_mean(link, before);
}

void margins_add(Margins *margins, uint32_t i, const MarginRow *high, const MarginRow *low, const MarginRow *between, double weight, double width)
{
    const LinearInference *inference = &margins->inference;
    uint32_t count = inference->count;
    double *x = margins->spare, *y = x + count, *gradient = margins->gradient + (size_t)i * count, share = weight / width;
    double score = expand_row(margins, high, x), before = low != NULL ? expand_row(margins, low, y) : 0, p, slope = 1, less = 0, change;

    if (low == NULL)
        memset(y, 0, count * sizeof(double));
    if (between != NULL) {
        take_out_steps(margins, between, x, y);
        score = score_of(inference, high, x);
        before = score_of(inference, low, y);
    }
    p = probability_of(score);
    change = score;
    if (margins->probability) {
        slope = p * probability_of(-score);
        change = p;
    } else if (margins->link.function != NULL) {
        slope = link_slope(&margins->link, score);
        change = link_mean(&margins->link, score);
    }
    if (low != NULL) {
        double q = probability_of(before);

        /* the score changes by what the terms change by, of which a difference of scores would lose the digits */
        change = high->offset - low->offset;
        for (uint32_t k = 0; k < count; k++)
            change += isnan(inference->list[k].estimate) ? 0 : inference->list[k].estimate * (x[k] - y[k]);
        if (margins->probability) { /* p(s + d) - p(s) = p(s) (1 - p(s + d)) (exp(d) - 1) */
            change = fabs(change) < 1 ? q * probability_of(-score) * expm1(change) : p - q;
            less = change * (1 - p - q); /* the slope at x less that at y */
            slope = q * probability_of(-before);
        } else if (margins->link.function != NULL) {
            change = mean_change(&margins->link, before, change, &slope, &less);
        }
    }
    margins->weight[i] += weight;
    margins->response[i] += share * change;
    for (uint32_t k = 0; k < count; k++) {
        gradient[k] += share * (slope * (x[k] - y[k]) + less * x[k]);
        if (isnan(inference->list[k].estimate) && !margins->dropped->told[k] && x[k] != y[k])
            margins->lost[i] = true;
    }
}

/* Sets the weights [2 x coefficients, the second half scratch] of average i, or of its difference from j. Returns false if the coefficients do not determine it. */
static bool average_weights(const Margins *margins, uint32_t i, uint32_t j, double *weights)
{
    uint32_t count = margins->inference.count;
    double *sizes = weights + count;

    if (margins->lost[i] || !(margins->weight[i] > 0) || (j != NO_MARGIN && (margins->lost[j] || !(margins->weight[j] > 0))))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        double own = margins->gradient[(size_t)i * count + k] / margins->weight[i];
        double other = j != NO_MARGIN ? margins->gradient[(size_t)j * count + k] / margins->weight[j] : 0;

        weights[k] = own - other;
        sizes[k] = fabs(own) + fabs(other);
    }
    if (depends_on_dropped(margins->dropped, weights, sizes))
        return false;
    for (uint32_t k = margins->dropped->kept; k < count; k++)
        weights[margins->dropped->order[k]] = 0;
    return true;
}

void margins_finish(const Margins *margins, uint32_t i, uint32_t j, Coefficient *out, double *df)
{
    const LinearInference *inference = &margins->inference;
    double *weights = margins->spare;

    *out = (Coefficient){NULL, NULL, NAN, NAN, NAN, NAN, NAN, NAN};
    *df = NAN;
    if (!average_weights(margins, i, j, weights))
        return;
    out->estimate = margins->response[i] / margins->weight[i] - (j != NO_MARGIN ? margins->response[j] / margins->weight[j] : 0);
    if (!isfinite(out->estimate))
        env_fail(inference->env, ERROR_RANGE, NULL, "an average of predictions exceeds the range of double precision");
    *df = linear_combination_df(inference, weights);
    linear_combination_test(inference, weights, out);
}

/* Replaces limits of a score by those of the mean. Scores on both sides of a pole have means without limits; those around a least mean include it. */
static void limits_to_response(const Link *link, Coefficient *out)
{
    double low = link_mean(link, out->conf_low), high = link_mean(link, out->conf_high);
    bool around = out->conf_low < 0 && out->conf_high > 0;

    if (around && !isfinite(link_mean(link, 0)))
        low = high = NAN;
    else if (around && link_slope(link, out->conf_low) < 0 && link_slope(link, out->conf_high) > 0) {
        high = fmax(low, high);
        low = link_mean(link, 0);
    }
    out->conf_low = low < high ? low : high;
    out->conf_high = low < high ? high : low;
}

void margins_to_response(const Model *model, Coefficient *out)
{
    Link link = link_of_model(model);
    double p = probability_of(out->estimate);

    if (link.function != NULL) {
        limits_to_response(&link, out);
        out->std_error *= fabs(link_slope(&link, out->estimate));
        out->estimate = link_mean(&link, out->estimate);
        out->statistic = out->p_value = NAN;
        return;
    }

    out->std_error *= p * probability_of(-out->estimate);
    out->estimate = p;
    out->conf_low = isnan(out->conf_low) ? NAN : probability_of(out->conf_low);
    out->conf_high = isnan(out->conf_high) ? NAN : probability_of(out->conf_high);
    out->statistic = out->p_value = NAN;
}

/* Lists the terms that were dropped from the fit, at most ten of them. */
static const char *dropped_names(const LinearInference *inference)
{
    TextBuffer names = {.env = inference->env};
    uint32_t dropped = 0;

    for (uint32_t k = 0; k < inference->count; k++)
        if (isnan(inference->list[k].estimate) && ++dropped <= 10)
            text_print(&names, "%s%s", dropped > 1 ? ", " : "", inference->list[k].term);
    text_add(&names, dropped > 10 ? ", ..." : "");
    return text_finish(&names, NULL);
}

void margins_warn(const Margins *margins)
{
    const LinearInference *inference = &margins->inference;
    uint32_t lost = 0, averages = 0;

    for (uint32_t i = 0; i < margins->count; i++) {
        averages += margins->weight[i] > 0;
        lost += margins->weight[i] > 0 && !average_weights(margins, i, NO_MARGIN, margins->spare);
    }
    if (lost > 0)
        env_warn(inference->env, ERROR_DATA, "Fit the model again without them, or with rows that determine them.",
                 "%u of %u averages are NULL, because they depend on terms that were dropped from the fit: %s", lost, margins->count, dropped_names(inference));
    if (lost < averages && margins->dropped->packed != NULL && !margins->dropped->known)
        env_warn(inference->env, ERROR_DATA, "Pass the rows of the fit.",
                 "these rows do not tell which averages depend on terms that were dropped from the fit, and count as 0 here: %s", dropped_names(inference));
}
