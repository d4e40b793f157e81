/*
 * normal_report.c - what people read of the classifiers by normal densities.
 */
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/normal/normal_model.h"
#include "core/model/report_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CLASSES_SHOWN 20
#define TERMS_SHOWN 12

/* ---- coefficients of lda: Sigma^-1 mean, and log prior - mean' Sigma^-1 mean / 2 ---- */

uint32_t normal_coefficients(Env *env, const Model *model, Coefficient **out)
{
    size_t bytes;
    NormalScorer *scorer = normal_prepare(env, model, &bytes);
    uint32_t terms = scorer->terms, each = terms + 1;
    Coefficient *list = env_array(env, (size_t)scorer->classes * each, sizeof(Coefficient));
    char **names = env_array(env, each, sizeof(char *));
    double *coef;

    for (uint32_t t = 0; t < terms; t++) {
        names[t] = env_array(env, 2 * SCHEMA_NAME_SIZE, 1);
        terms_name(model, &scorer->map, t, names[t], 2 * SCHEMA_NAME_SIZE);
    }
    *out = list;
    coef = env_array(env, each, sizeof(double));
    for (uint32_t c = 0; c < scorer->classes; c++) {
        const double *mean = scorer->means + (size_t)c * terms;
        char *label = class_string(env, model, c);
        double intercept = scorer->log_priors[c];

        normal_solve(scorer, c, mean, coef);
        for (uint32_t t = 0; t < terms; t++)
            intercept -= 0.5 * coef[t] * mean[t];
        for (uint32_t i = 0; i < each; i++, list++)
            *list = (Coefficient){label, i == 0 ? "(intercept)" : names[i - 1],
                                  i == 0 ? intercept : coef[i - 1], NAN, NAN, NAN, NAN, NAN};
    }
    return scorer->classes * each;
}

/* ---- SQL ---- */

/* A sum over terms as sql_linear wants it. */
typedef struct SqlSum {
    double base, *center, *coef, *levels;
} SqlSum;

static SqlSum sum_new(Env *env, const Model *model)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS);

    return (SqlSum){.center = env_array(env, (size_t)model->slot_count + 1, sizeof(double)),
                    .coef = env_array(env, (size_t)model->slot_count + 1, sizeof(double)),
                    .levels = env_array(env, (size_t)levels + 1, sizeof(double))};
}

/* Adds factor times (term - center). */
static void sum_add(SqlSum *sum, const NormalScorer *scorer, uint32_t term, double center, double factor)
{
    uint32_t slot;

    if (scorer->map.slot != NULL && scorer->map.level[term] >= 0) {
        sum->levels[scorer->map.level[term]] += factor;
        sum->base -= factor * center;
        return;
    }
    slot = scorer->map.slot != NULL ? (uint32_t)scorer->map.slot[term] : term;
    sum->center[slot] = center;
    sum->coef[slot] += factor;
}

static void put_sum(TextBuffer *out, const Model *model, const SqlSum *sum)
{
    sql_linear(out, model, sum->base, sum->center, sum->coef, sum->levels);
}

static void put_diagonal(TextBuffer *out, const Model *model, const NormalScorer *scorer, uint32_t class)
{
    const double *mean = scorer->means + (size_t)class * scorer->terms;
    const double *inverse = scorer->inverse + (size_t)class * scorer->terms;

    sql_number(out, scorer->constant[class]);
    for (uint32_t t = 0; t < scorer->terms; t++) {
        text_print(out, "\n  - 0.5 * (");
        sql_slot(out, model, scorer->map.slot != NULL ? (uint32_t)scorer->map.slot[t] : t, mean[t]);
        text_print(out, " * ");
        sql_number(out, inverse[t]);
        text_print(out, ") ^ 2");
    }
    for (uint32_t i = 0; i < scorer->categories; i++) {
        text_print(out, "\n  + ");
        sql_levels(out, model, scorer->category[i], scorer->log_level + (size_t)class * scorer->levels);
    }
}

static void put_pooled(Env *env, TextBuffer *out, const Model *model, const NormalScorer *scorer, uint32_t class)
{
    SqlSum sum = sum_new(env, model);

    sum.base = scorer->offset[class];
    for (uint32_t t = 0; t < scorer->terms; t++)
        sum_add(&sum, scorer, t, scorer->center[t], scorer->coef[(size_t)class * scorer->terms + t]);
    put_sum(out, model, &sum);
}

/* Writes the sum of the squares of the whitened terms: one per row that whitens, or per row of the inverse of the factor. */
static void put_own(Env *env, TextBuffer *out, const Model *model, const NormalScorer *scorer, uint32_t class)
{
    uint32_t terms = scorer->terms;
    const double *triangle = scorer->triangle + class * factor_packed(terms);
    const double *mean = scorer->means + (size_t)class * terms;
    const double *whitening = scorer->class_whitening != NULL ? scorer->class_whitening[class] : NULL;
    uint32_t rows = whitening != NULL ? scorer->class_rank[class] : terms;
    double *inverse = env_array(env, (size_t)terms * terms + 1, sizeof(double));

    for (uint32_t j = 0; j < terms && whitening == NULL; j++) {
        inverse[(size_t)j * terms + j] = 1;
        triangle_solve(triangle, terms, inverse + (size_t)j * terms);
    }
    sql_number(out, scorer->constant[class]);
    for (uint32_t i = 0; i < rows; i++) {
        SqlSum sum = sum_new(env, model);
        for (uint32_t j = 0; j < (whitening != NULL ? terms : i + 1); j++)
            sum_add(&sum, scorer, j, mean[j],
                    whitening != NULL ? whitening[(size_t)i * terms + j] : inverse[(size_t)j * terms + i]);
        text_print(out, "\n - 0.5 * (");
        put_sum(out, model, &sum);
        text_print(out, ") ^ 2");
        env->poll(env);
    }
    env->release(env, inverse);
}

static void put_score(Env *env, TextBuffer *out, const Model *model, const NormalScorer *scorer, uint32_t class)
{
    env->poll(env);
    if (scorer->kind == NORMAL_DIAGONAL)
        put_diagonal(out, model, scorer, class);
    else if (scorer->kind == NORMAL_POOLED)
        put_pooled(env, out, model, scorer, class);
    else
        put_own(env, out, model, scorer, class);
}

/* The class with the largest score. */
char *normal_to_sql(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    size_t bytes;
    NormalScorer *scorer = normal_prepare(env, model, &bytes);

    text_print(&out, "(SELECT label FROM (VALUES");
    for (uint32_t c = 0; c < scorer->classes; c++) {
        uint32_t length;
        const char *label = dictionary_text(model, DICTIONARY_CLASSES, c, &length);

        text_print(&out, "%s\n (%u, ", c > 0 ? "," : "", c);
        sql_literal(&out, label, length);
        text_print(&out, ", ");
        put_score(env, &out, model, scorer, c);
        text_print(&out, ")");
    }
    text_print(&out, ") AS class (place, label, score)\n"
                     " WHERE score IS NOT NULL ORDER BY score DESC, place LIMIT 1)");
    return out.text;
}

/* ---- facts and summary ---- */

Model *normal_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    size_t bytes;
    NormalScorer *scorer = normal_prepare(env, model, &bytes);
    NormalArrays arrays = normal_arrays(model);
    uint32_t count = arrays.directions;
    double *shares, sum = 0;

    builder_facts_from(builder, model);
    if (normal_is_definite(scorer))
        builder_f64(builder, SECTION_FACTS, "log_determinant", scorer->log_determinant,
                    scorer->kind == NORMAL_POOLED ? 1 : scorer->classes);
    if (count > 0) {
        shares = env_array(env, count, sizeof(double));
        for (uint32_t i = 0; i < count; i++)
            sum += arrays.eigenvalues[i];
        for (uint32_t i = 0; i < count; i++)
            shares[i] = sum > 0 ? arrays.eigenvalues[i] / sum : 0;
        builder_f64(builder, SECTION_FACTS, "explained_ratio", shares, count);
        builder_fact_i64(builder, "rank", scorer->rank);
    }
    if (scorer->class_rank != NULL) {
        int64_t *ranks = env_array(env, scorer->classes, sizeof(int64_t));
        for (uint32_t c = 0; c < scorer->classes; c++)
            ranks[c] = scorer->class_rank[c];
        builder_i64(builder, SECTION_FACTS, "rank", ranks, scorer->classes);
    }
    return model_build(builder);
}

/* Of each class: the weight of its rows, its prior, and the means of the first terms. */
static void put_classes(TextBuffer *out, Env *env, const Model *model, const NormalArrays *arrays)
{
    uint32_t classes = arrays->classes, terms = arrays->terms.count, length, width = 5;
    char name[2 * SCHEMA_NAME_SIZE];

    for (uint32_t c = 0; c < classes; c++) {
        dictionary_text(model, DICTIONARY_CLASSES, c, &length);
        width = length > width ? length : width;
    }
    width = width > 30 ? 30 : width;
    report_padded(out, "class", (int)width);
    text_print(out, "%12s%10s", model->flags & MODEL_WEIGHTED ? "weight" : "rows", "prior");
    for (uint32_t t = 0; t < terms && t < TERMS_SHOWN; t++) {
        terms_name(model, &arrays->terms, t, name, sizeof(name));
        text_print(out, " %13.13s", name);
    }
    text_print(out, "%s\n", terms > TERMS_SHOWN ? " ..." : "");
    for (uint32_t c = 0; c < classes && c < CLASSES_SHOWN; c++) {
        char *label = class_string(env, model, c);

        report_padded(out, label, (int)width);
        text_print(out, "%12.6g%10.4f", arrays->counts[c], arrays->priors[c]);
        for (uint32_t t = 0; t < terms && t < TERMS_SHOWN; t++)
            report_cell(out, arrays->means[(size_t)c * terms + t], 14, 5);
        text_print(out, "\n");
    }
    if (classes > CLASSES_SHOWN)
        text_print(out, "... and %u more classes\n", classes - CLASSES_SHOWN);
}

/* Names the classes of a qda whose covariances are singular. */
static void put_ranks(TextBuffer *out, Env *env, const Model *model, const NormalArrays *arrays)
{
    uint32_t shown = 0, singular = 0, terms = arrays->terms.count;
    const int64_t *rows = arrays->whitening_rows;

    for (uint32_t c = 0; rows != NULL && c < arrays->classes; c++) {
        if (rows[c] == 0)
            continue;
        if (singular++ < CLASSES_SHOWN)
            text_print(out, "%s%s (rank %lld of %u)", shown++ == 0 ? "singular covariances: " : ", ",
                       class_string(env, model, c), (long long)rows[c], terms);
    }
    if (singular > shown)
        text_print(out, " and %u more", singular - shown);
    if (singular > 0)
        text_print(out, "\n");
}

char *normal_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    const Model *facts = estimator_statistics(env, model);
    const ModelEntry *shares = model_find(facts, "explained_ratio");
    double added = model_fact(facts, "added_variance", NAN);
    NormalArrays arrays = normal_arrays(model);

    text_print(&out, "%s: ", model->estimator);
    report_formula(&out, model, true);
    text_print(&out, "\n");
    put_classes(&out, env, model, &arrays);
    text_print(&out, "\n");
    if (shares != NULL) {
        const double *share = model_data(facts, shares);
        text_print(&out, "between-class scatter explained by the directions:");
        for (uint32_t i = 0; i < shares->rows && i < TERMS_SHOWN; i++)
            text_print(&out, " %.4f", share[i]);
        text_print(&out, "\n");
    }
    put_ranks(&out, env, model, &arrays);
    if (added > 0)
        text_print(&out, "added to every variance: %.4g\n", added);
    report_rows(&out, model);
    if (out.length > 0 && out.text[out.length - 1] == '\n') /* psql ends the line itself */
        out.text[out.length - 1] = 0;
    return out.text;
}
