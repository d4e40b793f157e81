/*
 * formula_fit.c - turns rows of the inputs of a formula into rows or moments of its terms.
 *
 * Aggregates over rows have them in a pool; aggregates over moments keep them pending (moments_deferred). Both are read as they came, with
 * levels and classes in order of appearance; terms are computed from levels in final order, and so are the new rows.
 */
#include "core/estimator/formula_fit.h"

#include "core/formula/formula_bars.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define POLL_NUMBERS 65536 /* computed between two polls */

typedef struct TermFit {
    const Model *state;    /* schema, flags and counts of the rows, levels and classes in order of appearance */
    Rows *rows;            /* of the inputs */
    const double *pending; /* of deferred moments: the same rows, whose last numbers may be a fold, tags or targets; else NULL */
    uint32_t width;        /* of a pending row */
    const FormulaTerms *terms;
    bool offsets, branch;  /* offsets: they are subtracted from the targets; branch: NaN is a value */
    Rows *kept_offsets;    /* FitInput.offsets, or NULL */
    uint32_t *level_final, *class_final; /* running positions -> final ones; NULL: none */
    uint32_t *categories, category_count; /* slots whose levels are in order of appearance */
    double *inputs, *slots; /* of the row that was encoded last */
    uint32_t slot_count;    /* of the terms */
    RowsReader *reader;     /* what next_terms reads */
    RowsBlock block;
    uint32_t at, unpolled;  /* at: the row in the block */
} TermFit;

/* ---- the rows of the inputs ---- */

static void list_categories(Env *env, TermFit *fit)
{
    uint32_t slot = 0;

    fit->categories = env_array_raw(env, (size_t)fit->state->slot_count + 1, sizeof(uint32_t));
    for (uint32_t f = 0; f < fit->state->field_count; f++) {
        for (uint32_t i = 0; i < schema_field_width(fit->state, f); i++, slot++)
            if (schema_field_kind(fit->state, f) == FIELD_CATEGORICAL)
                fit->categories[fit->category_count++] = slot;
    }
}

/* Turns the levels of the row in fit->inputs into their final positions. */
static void final_levels(TermFit *fit)
{
    for (uint32_t i = 0; i < fit->category_count; i++) {
        double *level = &fit->inputs[fit->categories[i]];

        if (*level == *level)
            *level = fit->level_final[(uint32_t)*level];
    }
}

/*
 * Makes rows of the pending rows of deferred moments, with levels and classes in final order, in memory without a limit: the moments were
 * compared with it.
 */
static void take_pending(Env *env, TermFit *fit, const Model *final)
{
    size_t limit = env->memory_limit;
    const Model *state = fit->state;
    uint32_t slots = state->slot_count;
    bool target = state->kind != MODEL_FEATURE_MOMENTS, weighted = (state->flags & MODEL_WEIGHTED) != 0;
    bool impute = (state->flags & MODEL_NULL_VALUES) == MODEL_IMPUTE;
    unsigned contents = (target ? ROWS_TARGET : 0) | (weighted ? ROWS_WEIGHT : 0) | (impute ? ROWS_MISSING : 0);
    const double *pending = fit->pending;
    Model *schema = env->alloc(env, final->size);

    env_copy(env, schema, final, final->size);
    env->memory_limit = SIZE_MAX / 4; /* nothing is written to a file, which moments do not have */
    fit->rows = rows_new(rows_pool(env), schema, contents);
    for (uint32_t i = 0; i < state->pending_rows; i++, pending += fit->width) {
        double class = target && fit->class_final != NULL ? fit->class_final[(uint32_t)pending[slots]] : NAN;

        for (uint32_t s = 0; s < slots; s++)
            fit->inputs[s] = isinf(pending[s]) ? NAN : pending[s];
        final_levels(fit);
        rows_append(fit->rows, fit->inputs, !target ? 0 : class == class ? class : pending[slots], weighted ? pending[slots + target] : 1,
                    NULL, 0);
        if (i % 1024 == 0)
            env->poll(env);
    }
    env->memory_limit = limit;
    fit->category_count = 0;
    fit->class_final = NULL;
}

/* ---- the terms of a row ---- */

/* Fails because a term is out of range. */
static void __attribute__((noreturn)) fail_term(Env *env, const TermFit *fit, uint32_t slot)
{
    const SchemaSpec *spec = formula_terms_spec(fit->terms);
    uint32_t field = 0, end = spec->widths != NULL ? spec->widths[0] : 1;

    while (slot >= end) {
        field++;
        end += spec->widths != NULL ? spec->widths[field] : 1;
    }
    env_fail(env, ERROR_RANGE, "Divide large columns by a power of ten.", "the term %s exceeds the range of double precision",
             spec->names[field]);
}

/* Computes the terms of a row into fit->slots. */
static void expand_row(Env *env, TermFit *fit, const double *row)
{
    memcpy(fit->inputs, row, fit->state->slot_count * sizeof(double));
    final_levels(fit);
    formula_expand(fit->terms, fit->inputs, fit->slots);
    for (uint32_t s = 0; s < fit->slot_count; s++)
        if (!isfinite(fit->slots[s]) && !(fit->branch && isnan(fit->slots[s])))
            fail_term(env, fit, s);
}

/* Reads the next row and computes its terms into fit->slots; returns false after the last one. */
static bool next_terms(Env *env, TermFit *fit)
{
    if (fit->reader == NULL)
        fit->reader = rows_reader(env, fit->rows);
    else
        fit->at++;
    while (fit->at >= fit->block.count) {
        if (!rows_next_block(fit->reader, &fit->block)) {
            rows_reader_free(fit->reader);
            return false;
        }
        fit->at = 0;
        env->progress(env, "terms", fit->block.first, rows_count(fit->rows), NAN);
    }
    if ((fit->unpolled += fit->slot_count + 1) > POLL_NUMBERS) {
        env->poll(env);
        fit->unpolled = 0;
    }
    expand_row(env, fit, fit->block.slots + (size_t)fit->at * fit->state->slot_count);
    return true;
}

/* Returns the target of the row in the terms of the fit: a class in final order, or a number minus the offsets; 0: there is none. */
static double row_target(const TermFit *fit)
{
    double target = fit->block.targets != NULL ? fit->block.targets[fit->at] : 0;

    if (fit->block.targets != NULL && fit->class_final != NULL)
        return fit->class_final[(uint32_t)target];
    return fit->block.targets != NULL && fit->offsets ? target - formula_offset(fit->terms, fit->inputs) : target;
}

/* Adds the levels or classes of a value, in its order, to a state that has none. */
static Model *add_dictionary(Env *env, Model *state, const Model *from, DictionaryKind kind)
{
    for (uint32_t i = 0; i < dictionary_size(from, kind); i++) {
        uint32_t length, position;
        const char *text = dictionary_text(from, kind, i, &length);
        double key = dictionary_key(from, kind, i);

        state = dictionary_add(env, state, kind, kind == DICTIONARY_LEVELS ? dictionary_field(from, i) : 0, text, length, isinf(key),
                               isinf(key) ? 0 : key, &position);
        if (i % 256 == 0)
            env->poll(env);
    }
    return state;
}

/* Sets what the header of a state of terms takes from the state of the inputs. */
static uint8_t term_flags(const TermFit *fit)
{
    uint8_t flags = fit->state->flags & (uint8_t)~MODEL_NAMED;

    /* the means that replace NULLs are those of the inputs */
    return fit->branch ? flags : flags & (uint8_t)~MODEL_IMPUTE;
}

/* ---- moments of the terms ---- */

static Model *term_moments(Env *env, TermFit *fit, const SchemaSpec *spec, const Model *terms)
{
    const Model *from = fit->state;
    MomentsPlan plan = {.kind = (ModelKind)from->kind,
                        .flags = term_flags(fit),
                        .folds = moments_fold_plan(from),
                        .keep_rows = moments_keeps_rows(from),
                        .diagonal = moments_diagonal(from),
                        .tags = moments_tags(from),
                        .targets = moments_further_targets(from),
                        .fourth_moments = moments_has_fourth_moments(from)};
    bool given_folds = (plan.flags & MODEL_FOLDED) && plan.folds.folds == 0;
    uint32_t tags = given_folds ? 1 : plan.tags + plan.targets;
    const double *pending = fit->pending;
    Model *state;

    plan.options = model_options(from, &plan.options_length);
    state = add_dictionary(env, moments_new(env, spec, &plan), terms, DICTIONARY_LEVELS);
    state = add_dictionary(env, state, terms, DICTIONARY_CLASSES);
    for (; next_terms(env, fit); pending += fit->width) {
        double weight = row_weight(fit->block.weights, fit->at), target = row_target(fit);
        Model *next = tags > 0 ? moments_add_tagged(env, state, fit->slots, NULL, target, weight, pending + fit->width - tags, tags)
                               : moments_add(env, state, fit->slots, NULL, target, weight);

        if (next != state)
            env->release(env, state);
        state = next;
    }
    state->skipped = from->skipped;
    return state;
}

/* ---- rows of the terms ---- */

/* Makes empty rows for the offsets, in the pool of the others. */
static Rows *offset_rows(Env *env, const TermFit *fit)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, fit->state->estimator);
    SchemaSpec spec = {.field_count = 1};
    Model *schema;

    schema_add(env, builder, &spec);
    schema = model_build(builder);
    schema->fingerprint = 0;
    return rows_new(rows_pool_of(fit->rows), schema, 0);
}

void formula_require_offset(Env *env, double offset)
{
    if (!isfinite(offset))
        env_fail(env, ERROR_RANGE, "Leave the row out, as log(0) has no number.", "the offset of a row is %g", offset);
}

/* Keeps the offset of the row in fit->inputs. */
static void append_offset(Env *env, const TermFit *fit)
{
    double offset = formula_offset(fit->terms, fit->inputs);

    formula_require_offset(env, offset);
    rows_append(fit->kept_offsets, &offset, 0, 1, NULL, 0);
}

/* Returns a fitted value that has the schema of the terms and the options of what was read. */
static Model *term_schema(Env *env, const Model *from, uint8_t flags, const SchemaSpec *spec, const Model *terms)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, from->estimator);
    uint32_t length;
    const char *options = model_options(from, &length);
    Model *schema;

    schema_add(env, builder, spec);
    builder_options(builder, options, length);
    builder_header(builder)->flags |= flags;
    schema = add_dictionary(env, model_build(builder), terms, DICTIONARY_LEVELS);
    schema = add_dictionary(env, schema, terms, DICTIONARY_CLASSES);
    schema->fingerprint = 0;
    schema->skipped = from->skipped;
    return schema;
}

static Rows *term_rows(Env *env, TermFit *fit, const SchemaSpec *spec, const Model *terms)
{
    const RowsBlock *block = &fit->block;
    Rows *rows = rows_new(rows_pool_of(fit->rows), term_schema(env, fit->state, term_flags(fit), spec, terms), rows_contents(fit->rows) & (unsigned)~ROWS_MISSING);

    while (next_terms(env, fit)) {
        if (fit->kept_offsets != NULL)
            append_offset(env, fit);
        rows_append(rows, fit->slots, row_target(fit), row_weight(block->weights, fit->at), block->ids != NULL ? block->ids[fit->at] : NULL,
                    block->ids != NULL ? block->id_lengths[fit->at] : 0);
    }
    return rows;
}

/* ---- both ---- */

/* Returns the formula of a state or its final schema; NULL: it has none. Fails if it is another's. */
static const Formula *formula_of_state(Env *env, const Model *state)
{
    uint32_t length;
    const char *text = schema_formula(state, &length), *wrong = NULL;
    const Formula *formula = text != NULL ? formula_of_schema(env, text, length, state, &wrong) : NULL;

    if (text != NULL && formula == NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "the formula does not fit the rows: %s", wrong);
    return formula;
}

/* Tells whether moments sum offsets among the inputs of their formula. A formula that does not mention one, however it is written, is not resolved. */
static bool sums_offsets(Env *env, const Model *moments)
{
    static const char function[] = "offset";
    const char *text = schema_formula_text(env, moments);

    if (text == NULL || moments_deferred(moments))
        return false;
    while (*text != 0 && strncasecmp(text, function, sizeof function - 1) != 0)
        text++;
    return *text != 0 && formula_has_offset(formula_of_state(env, moments));
}

bool formula_fit_learns(Env *env, const FitInput *input)
{
    const Model *state = input_schema(input);
    const Formula *formula;

    if (input->kind == INPUT_ROWS) {
        formula = formula_of_state(env, state);
        return formula != NULL && formula_learns(formula);
    }
    return moments_deferred(state);
}

const Model *formula_fit_terms(Env *env, const Model *moments, bool intercept)
{
    double parameter = intercept;
    const char *wrong = NULL;
    const Model *final, *inputs;
    const FormulaTerms *terms;
    SchemaSpec spec;
    Model *schema;

    if (!sums_offsets(env, moments))
        return moments;
    final = schema_final(env, moments);
    inputs = formula_inputs_schema(env, moments, schema_require_means(env, moments, moments_impute_means(env, moments)));
    terms = formula_terms_from(env, formula_of_state(env, final), inputs, &parameter, 1, &wrong);
    if (terms == NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "the formula does not fit the moments: %s", wrong);
    spec = formula_state_spec(env, terms, inputs, final);
    schema = term_schema(env, moments, moments->flags & (uint8_t)~(MODEL_NAMED | MODEL_IMPUTE | MODEL_FOLDED), &spec, formula_terms_schema(env, terms, final));
    schema->rows = moments->rows;
    schema->weight = moments->weight;
    return schema;
}

/* Fails if the formula has offsets and the estimator takes none. */
static bool require_offset(Env *env, const Estimator *estimator, const Formula *formula)
{
    bool offsets = formula_has_offset(formula);

    if (offsets && !estimator->takes_offset)
        env_fail(env, ERROR_PARAMETER,
                 estimator->task == TASK_REGRESSION
                     ? "Use glm, linear_regression, bayesian_regression, quantile_regression, ridge_regression, lasso_regression or elastic_net, or subtract the offset from the target."
                     : "Leave offset(...) out, or write what is in it as a term of its own.",
                 "%s does not take offset(...)", estimator->name);
    return offsets;
}

void formula_fit_refuse_offsets(Env *env, const Estimator *estimator, const Model *moments)
{
    if (!sums_offsets(env, moments))
        return;
    require_offset(env, estimator, formula_of_state(env, moments));
    env_fail(env, ERROR_PARAMETER, "Fit the model from the rows, or keep them in the moments with option \"keep_rows\": true.",
             "%s cannot be fitted from moments that sum offset(...)", estimator->name);
}

/* Fails if the formula has random effects and the estimator takes none. */
static void require_no_bars(Env *env, const Estimator *estimator, const Formula *formula)
{
    if (formula_has_bars(formula) && !estimator->takes_bars)
        env_fail(env, ERROR_PARAMETER, estimator->task == TASK_REGRESSION ? "Use mixed_regression." : "Leave the random effects out.",
                 "%s does not take random effects, such as (1 | subject)", estimator->name);
}

FitInput formula_fit_input(Env *env, const Estimator *estimator, const FitInput *input, const Options *options)
{
    FitInput result = *input;
    TermFit fit = {.state = input_schema(input), .rows = input->rows};
    const Model *final = schema_final(env, fit.state), *inputs, *terms;
    bool intercept = !options_has(options, "intercept") || options_boolean(options, "intercept");
    const Formula *formula = formula_of_state(env, final);
    SchemaSpec spec;

    require_no_bars(env, estimator, formula);
    fit.offsets = require_offset(env, estimator, formula);
    if (fit.offsets && scoring_takes_offset(estimator->scoring)) {
        fit.kept_offsets = result.offsets = offset_rows(env, &fit);
        fit.offsets = false;
    }
    fit.branch = model_nulls_are_values(fit.state->flags);
    fit.level_final = dictionary_final_positions(env, fit.state, DICTIONARY_LEVELS);
    if (input->kind == INPUT_ROWS || input->kind == INPUT_CLASS_MOMENTS)
        fit.class_final = dictionary_final_positions(env, fit.state, DICTIONARY_CLASSES);
    fit.inputs = env_array(env, (size_t)fit.state->slot_count + 1, sizeof(double));
    list_categories(env, &fit);
    if (input->kind != INPUT_ROWS) {
        const ModelEntry *pending = model_find(fit.state, "pending");

        fit.pending = model_data(fit.state, pending);
        fit.width = pending->columns;
        take_pending(env, &fit, final);
    }
    inputs = formula_inputs_schema(env, fit.state, schema_require_means(env, fit.state, rows_impute_means(env, fit.rows)));
    fit.terms = formula_learn(env, formula, inputs, fit.rows, intercept && formula_intercept(formula));
    rows_end_readers(fit.rows);
    fit.slot_count = formula_terms_slots(fit.terms);
    fit.slots = env_array(env, (size_t)fit.slot_count + 1, sizeof(double));
    spec = formula_state_spec(env, fit.terms, inputs, final);
    terms = formula_terms_schema(env, fit.terms, final);
    if (input->kind == INPUT_ROWS)
        result.rows = term_rows(env, &fit, &spec, terms);
    else
        result.moments = term_moments(env, &fit, &spec, terms);
    return result;
}

void formula_fit_end(const FitInput *input)
{
    if (input->kind == INPUT_ROWS)
        rows_free(input->rows);
    if (input->offsets != NULL)
        rows_free(input->offsets);
}
