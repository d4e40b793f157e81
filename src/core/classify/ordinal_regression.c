/*
 * ordinal_regression.c - cumulative models of ordered classes: proportional odds, or ordered probit (McCullagh 1980).
 *
 * P(class <= k) = F(cut_k - score), as polr of R's MASS has it, so that a coefficient above 0 raises the class. Scores are those of
 * linear_view.h, which are 0 at the means of the training rows, plus the offset; cuts are stored on that scale, and shown where all features are 0. The
 * covariance is that of minus the first cut and of the coefficients.
 */
#include "core/classify/ordinal_solver.h"
#include "core/estimator/shared_options.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_influence.h"
#include "core/linear_equations/linear_model.h"
#include "core/linear_equations/variance_inflation.h"

#include <math.h>
#include <string.h>

static const char *const link_choices[] = {"logit", "probit", NULL};

static const OptionSpec ordinal_options[] = {
    {.name = "levels",
     .types = OPTION_STRING_LIST,
     .unset = "the order of numbers, booleans and enums",
     .help = "The labels from the lowest to the highest class; those that no row has are left out."},
    {.name = "link",
     .types = OPTION_STRING,
     .fallback = "\"logit\"",
     .choices = link_choices,
     .help = "The distribution behind the classes: logistic, so that odds are proportional (logit), or normal (probit)."},
    OPTION_MAX_ITER("100", 1e6, "steps"),
    OPTION_TOLERANCE("1e-12", "A step is the last if it promises at most this share of the deviance."),
    {.name = NULL}};

/* ---- the order of the classes ---- */

/* Fails if the classes have no order of their own: texts. */
static void require_order(const ClassSet *classes)
{
    const Model *source = classes->source;
    double least = dictionary_key(source, DICTIONARY_CLASSES, classes->order[0]);

    if (class_keys_are_values(source) || dictionary_key(source, DICTIONARY_CLASSES, classes->order[classes->count - 1]) != least)
        return;
    env_fail(classes->env, ERROR_PARAMETER,
             env_message(classes->env, "List them from low to high with option \"levels\", or pass an enum or a number. They are: %s.", class_list(classes)),
             "the %u classes of ordinal_regression are texts, which have no order", classes->count);
}

/* Returns the place of each class in the order. */
static uint32_t *class_ranks(const ClassSet *classes, const Options *options)
{
    Env *env = classes->env;
    uint32_t *rank = env_array(env, classes->count, sizeof(uint32_t)), count, next = 0;
    const char *const *names = options_strings(options, "levels", &count);
    bool *ranked = env_array(env, classes->count, sizeof(bool));

    if (count == 0) {
        require_order(classes);
        for (uint32_t c = 0; c < classes->count; c++)
            rank[c] = c;
        return rank;
    }
    for (uint32_t i = 0; i < count; i++) {
        env->poll(env);
        for (uint32_t c = 0; c < classes->count; c++) {
            if (strcmp(class_label(classes, c), names[i]) != 0)
                continue;
            if (ranked[c])
                env_fail(env, ERROR_PARAMETER, "Name it once.", "option \"levels\" names \"%.60s\" twice", names[i]);
            ranked[c] = true;
            rank[c] = next++;
        }
    }
    for (uint32_t c = 0; c < classes->count; c++)
        if (!ranked[c])
            env_fail(env, ERROR_DATA, "List all labels of the rows, from low to high.", "option \"levels\" does not have the label \"%.60s\"", class_label(classes, c));
    return rank;
}

/* ---- the fit ---- */

/* Returns the variance of a cut as it is shown: cut + sum of center / scale x theta. */
static double cut_variance(const StandardizedRows *rows, const OrdinalSolution *solution, uint32_t cuts, uint32_t k)
{
    size_t size = solution->size;
    double variance = solution->covariance[k * size + k];

    for (uint32_t t = 0; t < rows->terms; t++) {
        const double *column = solution->covariance + (cuts + t) * size;
        double shift = rows->center[rows->term[t]] / rows->scale[rows->term[t]], sum = 2 * column[k];

        for (uint32_t u = 0; u < rows->terms; u++)
            sum += column[cuts + u] * (rows->center[rows->term[u]] / rows->scale[rows->term[u]]);
        variance += shift * sum;
    }
    return variance;
}

/* Sets the covariance of the coefficients, and of minus the first cut, which is the constant of the odds of all higher classes. */
static void set_covariance(LinearEquations *out, const StandardizedRows *rows, const OrdinalSolution *solution, uint32_t cuts)
{
    Env *env = rows->env;
    size_t size = solution->size, own = (size_t)rows->terms + 1;
    double *covariance = env_array(env, own * own, sizeof(double)), *packed = env_array(env, factor_packed((size_t)rows->design->terms + 1), sizeof(double));

    for (size_t j = 0; j < own; j++)
        for (size_t i = 0; i < own; i++) {
            double number = solution->covariance[(j > 0 ? cuts + j - 1 : 0) * size + (i > 0 ? cuts + i - 1 : 0)];

            covariance[j * own + i] = (i > 0) == (j > 0) ? number : -number;
        }
    if (linear_rows_covariance(rows, covariance, own, packed))
        out->covariance = packed;
}

/* Adds the cuts and their standard errors, and sets the covariance. */
static void add_cuts(ModelBuilder *builder, LinearEquations *out, const StandardizedRows *rows, const OrdinalSolution *solution, uint32_t cuts)
{
    Env *env = rows->env;
    double *errors = env_array(env, cuts, sizeof(double)), *at = env_array(env, cuts, sizeof(double));
    bool finite = true;

    for (uint32_t k = 0; k < cuts; k++)
        at[k] = solution->cuts[k] + rows->offset_center;
    builder_f64(builder, SECTION_ARRAYS, "cuts", at, cuts);
    if (solution->covariance == NULL)
        return;
    for (uint32_t k = 0; k < cuts; k++) {
        errors[k] = sqrt(fmax(0, cut_variance(rows, solution, cuts, k)));
        finite = finite && isfinite(errors[k]);
        env->poll(env);
    }
    if (!finite)
        return;
    builder_f64(builder, SECTION_ARRAYS, "cut_error", errors, cuts);
    set_covariance(out, rows, solution, cuts);
}

static void add_facts(ModelBuilder *builder, const StandardizedRows *rows, const OrdinalSolution *solution)
{
    builder_fact_bool(builder, "converged", solution->converged);
    builder_fact_i64(builder, "iterations", solution->iterations);
    builder_fact(builder, "log_likelihood", solution->log_likelihood);
    builder_fact(builder, "null_deviance", -2 * solution->null_log_likelihood);
    builder_fact_i64(builder, "parameters", solution->size);
    if (solution->unbounded)
        env_warn(rows->env, ERROR_DATA, "Drop the features that separate the classes.",
                 "the features tell the classes of some or all rows for certain: the likelihood has no maximum, and the coefficients of ordinal_regression grow without bound");
    else if (!solution->converged)
        env_warn(rows->env, ERROR_DATA, "Raise \"max_iter\"; if the features tell the classes apart without error, leave some out, because the coefficients have no bound.",
                 "ordinal_regression stopped after %lld step%s without convergence", (long long)solution->iterations, solution->iterations == 1 ? "" : "s");
}

static Model *ordinal_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    ClassSet classes = class_set(env, rows_schema(input->rows));
    OrdinalLink link = options_is(options, "link", "probit") ? ORDINAL_PROBIT : ORDINAL_LOGIT;
    OrdinalSolution solution;
    StandardizedRows *rows;
    LinearEquations out;
    uint32_t *rank;
    int64_t *ranks;
    double *theta;

    if (!class_require_several(&classes, self->name, input->frame))
        return NULL;
    rank = class_ranks(&classes, options);
    rows = standardized_rows(env, row_design(env, input->rows, DESIGN_INTERCEPT, self->name), true, NULL, ROWS_INDEPENDENT, self->name);
    if (input->offsets != NULL)
        standardized_offsets(rows, row_design(env, input->offsets, DESIGN_SLOTS, self->name), true);
    out = linear_rows_equations(rows, 1);
    linear_equations_drop(&out, rows->dropped, NULL, "Leave them out, or add rows.", builder);
    solution = ordinal_solve(rows, rank, classes.count, link, options_number(options, "tolerance"), options_integer(options, "max_iter"));
    theta = env_array(env, (size_t)rows->terms + 1, sizeof(double));
    memcpy(theta + 1, solution.theta, rows->terms * sizeof(double));
    linear_rows_set(&out, rows, 0, theta, self->name, "Multiply the features by a large number.");
    ranks = env_array(env, classes.count, sizeof(int64_t));
    for (uint32_t c = 0; c < classes.count; c++)
        ranks[c] = rank[c];
    builder_i64(builder, SECTION_ARRAYS, "class_rank", ranks, classes.count);
    if (link == ORDINAL_PROBIT)
        builder_bool(builder, SECTION_ARRAYS, "probit", memset(env_array(env, 1, 1), 1, 1), 1);
    add_cuts(builder, &out, rows, &solution, classes.count - 1);
    add_facts(builder, rows, &solution);
    linear_equations_add(builder, &out);
    return model_build(builder);
}

/* ---- the model ---- */

static const ArraySpec ordinal_arrays[] = {
    {.name = "class_rank", .type = ARRAY_I64, .values = VALUES_INDEX, .below = SIZE_CLASSES, .rows = {SIZE_CLASSES}},
    {.name = "cut_error", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_NONNEGATIVE, .rows = {SIZE_CLASSES, .plus = -1}},
    {.name = "cuts", .type = ARRAY_F64, .rows = {SIZE_CLASSES, .plus = -1}},
    {.name = "probit", .type = ARRAY_BOOL, .presence = ARRAY_OPTIONAL, .rows = {SIZE_NUMBER, .plus = 1}}};

static const ArraySpec ordinal_facts[] = {FACT("converged", ARRAY_BOOL),     FACT_LIST("dropped_terms", ARRAY_TEXT), FACT("iterations", ARRAY_I64),
                                          FACT("log_likelihood", ARRAY_F64), FACT("null_deviance", ARRAY_F64),       FACT("parameters", ARRAY_I64)};

static const ArrayTable ordinal_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(ordinal_arrays), FACT_TABLE(ordinal_facts));

static const char *ordinal_check(Env *env, const Model *model)
{
    uint32_t count, cuts;
    const int64_t *rank = model_i64(model, "class_rank", &count);
    const double *cut = model_f64(model, "cuts", &cuts);
    bool *seen = env_array(env, (size_t)count + 1, sizeof(bool));

    if (count < 2)
        return "a model of ordinal_regression has fewer than two classes";
    for (uint32_t c = 0; c < count; c++) {
        if (seen[rank[c]])
            return env_message(env, "\"class_rank\" of ordinal_regression has %lld twice", (long long)rank[c]);
        seen[rank[c]] = true;
    }
    for (uint32_t k = 1; k < cuts; k++)
        if (!(cut[k] > cut[k - 1]))
            return env_message(env, "cut %u of ordinal_regression is not above the one before", k + 1);
    return linear_equation_check(env, model);
}

/* ---- scores ---- */

typedef struct Prepared {
    LinearView view;
    const double *cuts;
    const int64_t *rank; /* [classes] */
    uint32_t classes;
    OrdinalLink link;
} Prepared;

static void *ordinal_prepare(Env *env, const Model *model, size_t *bytes)
{
    Prepared *prepared = env_array(env, 1, sizeof *prepared);
    uint32_t length;

    linear_view(model, &prepared->view);
    prepared->cuts = model_f64(model, "cuts", &length);
    prepared->rank = model_i64(model, "class_rank", &prepared->classes);
    prepared->link = model_find(model, "probit") != NULL ? ORDINAL_PROBIT : ORDINAL_LOGIT;
    *bytes = sizeof *prepared;
    return prepared;
}

/* Returns the probability of the class of a rank. */
static double share_of(const Prepared *prepared, double score, int64_t rank)
{
    return ordinal_between(prepared->link, rank > 0 ? prepared->cuts[rank - 1] - score : -INFINITY,
                           rank + 1 < prepared->classes ? prepared->cuts[rank] - score : INFINITY);
}

static void ordinal_probabilities_offset(const Model *model, const void *prepared, const double *slots, double offset, double *out)
{
    const Prepared *own = prepared;
    double score = linear_view_score(&own->view, 0, slots) + offset;

    (void)model;
    for (uint32_t c = 0; c < own->classes; c++)
        out[c] = share_of(own, score, own->rank[c]);
}

static void ordinal_probabilities(const Model *model, const void *prepared, const double *slots, double *out)
{
    ordinal_probabilities_offset(model, prepared, slots, 0, out);
}

/* Returns the rank of the most probable class, of equal ones the lowest. */
static int64_t rank_at(const Prepared *prepared, double score)
{
    double best = -1;
    int64_t found = 0;

    for (int64_t rank = 0; rank < prepared->classes; rank++) {
        double share = share_of(prepared, score, rank);

        if (share > best) {
            best = share;
            found = rank;
        }
    }
    return found;
}

static uint32_t ordinal_classify_offset(const Model *model, const void *prepared, const double *slots, double offset)
{
    const Prepared *own = prepared;
    double score = linear_view_score(&own->view, 0, slots) + offset;
    uint32_t class = 0;
    int64_t rank;

    (void)model;
    if (isnan(score)) /* numbers whose sum is out of range */
        return CLASS_NONE;
    rank = rank_at(own, score);
    while (own->rank[class] != rank)
        class++;
    return class;
}

static uint32_t ordinal_classify(const Model *model, const void *prepared, const double *slots)
{
    return ordinal_classify_offset(model, prepared, slots, 0);
}

/*
 * Sets the probability of the row's class, the probability-scale residual, which is that of a lower class less that of a higher one (Li & Shepherd 2012), and the
 * deviance residual.
 */
static void ordinal_influence(Env *env, const Model *model, const double *slots, const InfluenceRow *row, Influence *out)
{
    size_t bytes;
    const Prepared *own = ordinal_prepare(env, model, &bytes);
    double score = linear_view_score(&own->view, 0, slots) + row->offset, weight = influence_weight(model, row);
    int64_t rank;

    if (isnan(score) || row->class == CLASS_NONE)
        return;
    rank = own->rank[row->class];
    out->fitted = share_of(own, score, rank);
    if (!(weight > 0))
        return;
    out->residual = (rank > 0 ? ordinal_between(own->link, -INFINITY, own->cuts[rank - 1] - score) : 0) -
                    (rank + 1 < own->classes ? ordinal_between(own->link, own->cuts[rank] - score, INFINITY) : 0);
    out->deviance_residual = copysign(sqrt(-2 * weight * log(fmin(1, out->fitted))), out->residual);
}

static const Scoring ordinal_scoring = {
    .partial = true, .prepare = ordinal_prepare, .classify = ordinal_classify, .probabilities = ordinal_probabilities,
    .classify_offset = ordinal_classify_offset, .probabilities_offset = ordinal_probabilities_offset, .influence = ordinal_influence, .explain = linear_classifier_explain};

/* ---- reports ---- */

/* Returns the classes from the lowest to the highest. */
static uint32_t *classes_in_order(Env *env, const Model *model, uint32_t *count)
{
    const int64_t *rank = model_i64(model, "class_rank", count);
    uint32_t *order = env_array(env, *count, sizeof(uint32_t));

    for (uint32_t c = 0; c < *count; c++)
        order[rank[c]] = c;
    return order;
}

/* Returns the length of the list: the terms, then the cuts, named by the classes on both sides: "low|high". */
static uint32_t ordinal_coefficients(Env *env, const Model *model, Coefficient **out)
{
    double level = estimator_level(env, estimator_of(model), model), critical = linear_critical(level, INFINITY);
    uint32_t count, length, cuts;
    LinearTerm *terms = linear_terms(env, model, &count);
    const char **names = linear_term_names(env, model, terms, count);
    const double *coef = model_f64(model, "coef", &length), *cut = model_f64(model, "cuts", &cuts), *covariance = model_f64(model, "covariance" MODEL_PACKED, &length);
    const double *cut_error = model_f64(model, "cut_error", &length), *intercept = model_f64(model, "intercept", &length);
    const uint32_t *order = classes_in_order(env, model, &length);
    const uint8_t *dropped = linear_dropped(model);

    *out = env_array(env, (size_t)count + cuts, sizeof(Coefficient));
    for (uint32_t t = 0; t < count + cuts; t++) {
        Coefficient *own = &(*out)[t];
        double error;

        *own = (Coefficient){NULL, NULL, NAN, NAN, NAN, NAN, NAN, NAN};
        if (t < count) {
            own->term = names[t];
            own->estimate = dropped != NULL && dropped[terms[t].column] ? NAN : coef[terms[t].column];
            error = covariance != NULL && !isnan(own->estimate) ? sqrt(covariance[factor_packed((size_t)t + 1) + t + 1]) : NAN;
        } else {
            own->term = env_message(env, "%s|%s", class_string(env, model, order[t - count]), class_string(env, model, order[t - count + 1]));
            own->estimate = cut[t - count] - (intercept != NULL ? *intercept : 0);
            error = cut_error != NULL ? cut_error[t - count] : NAN;
        }
        if (error >= 0)
            linear_set_tests(own, error, INFINITY, critical);
    }
    return count + cuts;
}

/* Returns the least score whose class has a rank above `rank`, which that at `low` has not and that at `high` has. */
static double rank_begins(Env *env, const Prepared *prepared, int64_t rank, double low, double high)
{
    double middle;

    while ((middle = low / 2 + high / 2) > low && middle < high) {
        env->poll(env);
        if (rank_at(prepared, middle) > rank)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Writes the most probable class by where it begins on the scale of the score: densities whose logarithm is concave never let it fall as the score rises. */
static char *ordinal_to_sql(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    uint32_t count;
    size_t bytes;
    const uint32_t *order = classes_in_order(env, model, &count);
    const Prepared *prepared = ordinal_prepare(env, model, &bytes);
    double low = prepared->cuts[0] - fmax(1, fabs(prepared->cuts[0])), high = prepared->cuts[count - 2] + fmax(1, fabs(prepared->cuts[count - 2]));

    text_print(&out, "(ARRAY[");
    for (uint32_t k = 0; k < count; k++) {
        uint32_t length;
        const char *label = dictionary_text(model, DICTIONARY_CLASSES, order[k], &length);

        text_print(&out, k > 0 ? ", " : "");
        sql_literal(&out, label, length);
    }
    text_print(&out, "])[1 + width_bucket((");
    linear_put_score(&out, model, &prepared->view, 0);
    if (env->sql_offset != NULL) {
        text_print(&out, " + ");
        text_add(&out, env->sql_offset);
    }
    text_print(&out, ")::float8, ARRAY[");
    for (uint32_t k = 0; k + 1 < count; k++) {
        low = rank_begins(env, prepared, k, low, high);
        text_print(&out, k > 0 ? ", " : "");
        sql_number(&out, low);
    }
    text_print(&out, "]::float8[])]");
    return out.text;
}

static Model *ordinal_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    double deviance = -2 * model_fact(model, "log_likelihood", NAN), null = model_fact(model, "null_deviance", NAN), numbers = model_fact(model, "parameters", NAN);

    builder_facts_from(builder, model);
    builder_fact_finite(builder, "deviance", deviance);
    builder_fact_finite(builder, "aic", deviance + 2 * numbers);
    builder_fact_finite(builder, "bic", deviance + log(model_counted_rows(model)) * numbers);
    if (null > 0)
        builder_fact_finite(builder, "mcfadden_r_squared", 1 - deviance / null);
    return model_build(builder);
}

static char *ordinal_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    const Model *facts = estimator_statistics(env, model);
    Coefficient *list;
    uint32_t count = ordinal_coefficients(env, model, &list), length;
    const uint32_t *order = classes_in_order(env, model, &length);

    text_print(&out, "ordinal_regression: ");
    report_formula(&out, model, true);
    text_print(&out, "classes: ");
    for (uint32_t k = 0; k < length; k++)
        text_print(&out, "%s%s", k > 0 ? " < " : "", class_string(env, model, order[k]));
    text_print(&out, "\n");
    linear_put_equations(&out, list, count, count, "z");
    text_print(&out, "\n");
    report_rows(&out, model);
    text_print(&out, "deviance: %.6g, null deviance: %.6g\nAIC: %.6g, BIC: %.6g", model_fact(facts, "deviance", NAN), model_fact(facts, "null_deviance", NAN),
               model_fact(facts, "aic", NAN), model_fact(facts, "bic", NAN));
    if (model_fact(facts, "converged", 1) == 0)
        text_print(&out, "\nnote: the fit has not converged");
    return out.text;
}

static const Table *const ordinal_tables[] = {&variance_inflation_table, NULL};

const Estimator estimator_ordinal_regression = {
    .name = "ordinal_regression",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .takes_offset = true,
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_level, ordinal_options),
    .help = "Probabilities of ordered classes, such as ratings, from one linear score and cuts between the classes: proportional odds or ordered probit.",
    .source = "McCullagh 1980, JRSS B 42(2)",
    .fit = ordinal_fit,
    .arrays = ordinal_array_tables,
    .check = ordinal_check,
    .accept = linear_accept,
    .scoring = &ordinal_scoring,
    .coefficients = ordinal_coefficients,
    .tables = ordinal_tables,
    .to_sql = ordinal_to_sql,
    .summary = ordinal_summary,
    .statistics = ordinal_statistics,
};
