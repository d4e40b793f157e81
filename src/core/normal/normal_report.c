/*
 * normal_report.c - coefficients, SQL, statistics and summary of the classifiers with normal densities.
 */
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/normal/normal_model.h"
#include "core/model/report_text.h"

#include <math.h>
#include <string.h>

#define CLASSES_SHOWN 20
#define TERMS_SHOWN 12
#define LEVELS_SHOWN 40
#define LEVEL_CLASSES_SHOWN 8

/* ---- coefficients of lda: Sigma^-1 mean, and log prior - mean' Sigma^-1 mean / 2 ---- */

uint32_t normal_coefficients(Env *env, const Model *model, Coefficient **out)
{
    NormalScorer *scorer = normal_prepare(env, model);
    uint32_t terms = scorer->terms, each = terms + 1;
    Coefficient *list = env_array(env, (size_t)scorer->classes * each, sizeof(Coefficient));
    const char *const *names = terms_names(env, model, &scorer->map);
    double *coef = env_array(env, each, sizeof(double));

    *out = list;
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

/* Prints the score of a class of naive_bayes: the constant, a square per number, and a CASE per category. */
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

/*
 * Prints the log density of a class of qda: the constant, and one square per row of its whitening or of the inverse of its
 * Cholesky factor.
 */
static void put_own(TextBuffer *out, const Model *model, const NormalScorer *scorer, uint32_t class)
{
    Env *env = out->env;
    uint32_t terms = scorer->terms;
    const double *whitening = scorer->class_whitening != NULL ? scorer->class_whitening[class] : NULL;
    uint32_t rows = whitening != NULL ? scorer->class_rank[class] : terms;
    double *inverse = env_array(env, (size_t)terms * terms + 1, sizeof(double)); /* of the factor, by columns */
    double *coef = env_array(env, (size_t)terms + 1, sizeof(double));

    for (uint32_t j = 0; j < terms && whitening == NULL; j++) {
        inverse[(size_t)j * terms + j] = 1;
        triangle_solve(scorer->triangle + class * factor_packed(terms), terms, inverse + (size_t)j * terms);
    }
    sql_number(out, scorer->constant[class]);
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < terms; j++)
            coef[j] = whitening != NULL ? whitening[(size_t)i * terms + j] : inverse[(size_t)j * terms + i];
        text_print(out, "\n - 0.5 * (");
        terms_sql(out, model, &scorer->map, 0, scorer->means + (size_t)class * terms, coef);
        text_print(out, ") ^ 2");
        env->poll(env);
    }
}

typedef struct NormalSql {
    const Model *model;
    const NormalScorer *scorer;
} NormalSql;

static void put_score(TextBuffer *out, void *context, uint32_t class)
{
    const NormalSql *sql = context;
    const NormalScorer *scorer = sql->scorer;

    if (scorer->kind == NORMAL_DIAGONAL)
        put_diagonal(out, sql->model, scorer, class);
    else if (scorer->kind == NORMAL_POOLED)
        terms_sql(out, sql->model, &scorer->map, scorer->offset[class], scorer->center,
                  scorer->coef + (size_t)class * scorer->terms);
    else
        put_own(out, sql->model, scorer, class);
}

char *normal_to_sql(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};

    sql_best_class(&out, model, put_score, &(NormalSql){model, normal_prepare(env, model)});
    return out.text;
}

/* ---- facts and summary ---- */

Model *normal_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    NormalScorer *scorer = normal_prepare(env, model);
    NormalArrays arrays = normal_arrays(model);
    uint32_t count = arrays.directions;
    double *shares, sum = 0;

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
    builder_facts_from(builder, model);
    return model_build(builder);
}

/* Prints a table with one line per class: the weight of its rows, its prior, and the means of the first terms. */
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

/* Prints the probability of each level of the categorical features in each class, where the model has some. */
static void put_categories(TextBuffer *out, Env *env, const Model *model, const NormalArrays *arrays)
{
    uint32_t levels = arrays->level_probabilities != NULL ? arrays->levels : 0, width = 8;
    uint32_t classes = arrays->classes < LEVEL_CLASSES_SHOWN ? arrays->classes : LEVEL_CLASSES_SHOWN;
    char *names[LEVELS_SHOWN], field[SCHEMA_NAME_SIZE];

    for (uint32_t l = 0; l < levels && l < LEVELS_SHOWN; l++) {
        uint32_t length;
        const char *level = dictionary_text(model, DICTIONARY_LEVELS, l, &length);
        TextBuffer name = {.env = env};

        schema_field_name(model, dictionary_field(model, l), field, sizeof(field));
        text_print(&name, "%s=%.*s", field, (int)length, level);
        names[l] = text_finish(&name, NULL);
        width = (uint32_t)report_characters(names[l]) > width ? (uint32_t)report_characters(names[l]) : width;
    }
    if (levels == 0)
        return;
    text_add(out, "\nprobability of a level in a class\n");
    report_padded(out, "", (int)width);
    for (uint32_t c = 0; c < classes; c++)
        text_print(out, " %11.11s", class_string(env, model, c));
    text_print(out, "%s\n", classes < arrays->classes ? " ..." : "");
    for (uint32_t l = 0; l < levels && l < LEVELS_SHOWN; l++) {
        report_padded(out, names[l], (int)width);
        for (uint32_t c = 0; c < classes; c++)
            report_cell(out, arrays->level_probabilities[(size_t)c * levels + l], 12, 4);
        text_print(out, "\n");
    }
    if (levels > LEVELS_SHOWN)
        text_print(out, "... and %u more levels: see parameter(model, 'level_probabilities')\n", levels - LEVELS_SHOWN);
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
    uint32_t directions;
    const double *shares = model_f64(facts, "explained_ratio", &directions);
    double added = model_fact(facts, "added_variance", NAN);
    NormalArrays arrays = normal_arrays(model);

    text_print(&out, "%s: ", model->estimator);
    report_formula(&out, model, true);
    text_print(&out, "\n");
    put_classes(&out, env, model, &arrays);
    put_categories(&out, env, model, &arrays);
    text_print(&out, "\n");
    if (shares != NULL) {
        text_print(&out, "between-class scatter explained by the directions:");
        for (uint32_t i = 0; i < directions && i < TERMS_SHOWN; i++)
            text_print(&out, " %.4f", shares[i]);
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
