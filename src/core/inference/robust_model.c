/*
 * robust_model.c - what models keep of robust standard errors.
 */
#include "core/inference/robust_model.h"

#include <math.h>
#include <string.h>

const ArraySpec robust_arrays[1] = {{.name = "coefficient_df",
                                     .type = ARRAY_F64,
                                     .presence = ARRAY_OPTIONAL,
                                     .other = "covariance" MODEL_PACKED,
                                     .values = VALUES_POSITIVE,
                                     .rows = {SIZE_FREE}}};

const ArraySpec robust_facts[3] = {FACT_LIST("clusters", ARRAY_I64), FACT("lag", ARRAY_I64), FACT("vcov", ARRAY_TEXT)};

void robust_add(Env *env, ModelBuilder *builder, VcovKind kind, const SandwichResult *result, const double *df, uint32_t count)
{
    const char **name = env_array(env, 1, sizeof *name);
    uint32_t *length = env_array(env, 1, sizeof *length), broken = 0;
    int64_t *clusters = env_array(env, CLUSTER_COLUMNS_MAX, sizeof *clusters);

    name[0] = vcov_name(kind);
    length[0] = (uint32_t)strlen(name[0]);
    builder_text(builder, SECTION_FACTS, "vcov", name, length, 1);
    for (uint32_t i = 0; i < result->clusterings; i++)
        clusters[i] = result->clusters[i];
    if (result->clusterings > 0)
        builder_i64(builder, SECTION_FACTS, "clusters", clusters, result->clusterings);
    if (kind == VCOV_NW)
        builder_fact_i64(builder, "lag", result->lag);
    for (uint32_t i = 0; df != NULL && i < count; i++)
        broken += !(df[i] > 0 && isfinite(df[i]));
    if (df != NULL && broken == 0)
        builder_f64(builder, SECTION_ARRAYS, "coefficient_df", df, count);
    if (broken > 0)
        env_warn(env, ERROR_DATA, "Use \"CR1\", or leave out terms that single clusters determine.",
                 "the degrees of freedom of %u of %u coefficients do not exist: their tests use those of the residuals", broken, count);
}

/* Returns the place of the fact among the kinds; VCOV_CLASSICAL: there is none, or an unknown one. */
static VcovKind model_kind(const Model *model)
{
    const ModelEntry *fact = model_find(model, "vcov");
    uint32_t length;
    const char *text;

    if (fact == NULL || fact->type != ARRAY_TEXT || fact->rows != 1)
        return VCOV_CLASSICAL;
    text = model_text(model, fact, 0, &length);
    for (int kind = VCOV_HC0; kind <= VCOV_NW; kind++)
        if (strlen(vcov_name((VcovKind)kind)) == length && memcmp(vcov_name((VcovKind)kind), text, length) == 0)
            return (VcovKind)kind;
    return VCOV_CLASSICAL;
}

const char *robust_check(Env *env, const Model *model, size_t count)
{
    VcovKind kind = model_kind(model);
    const ModelEntry *df = model_find(model, "coefficient_df"), *clusters = model_find(model, "clusters");
    uint32_t length = 0;
    const int64_t *counts = clusters != NULL ? model_i64(model, "clusters", &length) : NULL;

    if (model_find(model, "vcov") != NULL && kind == VCOV_CLASSICAL)
        return "\"vcov\" names no kind of standard errors";
    if (df != NULL && df->rows != count)
        return env_message(env, "\"coefficient_df\" has %u numbers, not the %zu of the coefficients", df->rows, count);
    if (vcov_clustered(kind) != (clusters != NULL) || (df != NULL && kind != VCOV_CLASSICAL && !vcov_clustered(kind)))
        return "\"clusters\" and \"coefficient_df\" belong to clustered standard errors";
    for (uint32_t i = 0; i < length; i++)
        if (counts[i] < 2 || length > CLUSTER_COLUMNS_MAX)
            return "\"clusters\" is no number of clusters, or has too many";
    return NULL;
}

bool robust_is(const Model *model)
{
    return model_kind(model) != VCOV_CLASSICAL;
}

const double *robust_df(const Model *model)
{
    uint32_t length;

    return model_find(model, "coefficient_df") != NULL ? model_f64(model, "coefficient_df", &length) : NULL;
}

double robust_f_df(const Model *model, double df)
{
    uint32_t length = 0;
    const int64_t *clusters = model_i64(model, "clusters", &length);

    if (isinf(df) && robust_df(model) == NULL) /* tests by the normal distribution, whatever the clusters */
        return df;
    for (uint32_t i = 0; i < length; i++)
        df = i == 0 || (double)clusters[i] - 1 < df ? (double)clusters[i] - 1 : df;
    return df;
}

void robust_put(TextBuffer *out, const Model *model)
{
    VcovKind kind = model_kind(model);
    uint32_t length = 0;
    const int64_t *clusters = model_i64(model, "clusters", &length);
    RowOptions options;

    if (kind == VCOV_CLASSICAL)
        return;
    options = state_row_options(out->env, model);
    text_print(out, "standard errors: %s", vcov_name(kind));
    for (uint32_t i = 0; i < length; i++) {
        text_print(out, "%s %lld clusters", i == 0 ? "," : " and", (long long)clusters[i]);
        uint32_t place = options.special.use == SPECIAL_CLUSTER ? options.special.absorbed + i : options.special.cluster;

        if (place < options.special.count && (options.special.use == SPECIAL_CLUSTER || place > 0)) {
            text_print(out, " of ");
            text_bytes(out, options.special.columns[place], strlen(options.special.columns[place]));
        }
    }
    if (kind == VCOV_NW)
        text_print(out, ", lag %lld", (long long)model_fact(model, "lag", 0));
    text_print(out, "\n");
}
