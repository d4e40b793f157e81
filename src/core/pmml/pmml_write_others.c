/*
 * pmml_write_others.c - k-means, naive Bayes and support vector machines.
 */
#include "core/estimator/multiclass.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/kmeans/kmeans.h"
#include "core/linear_equations/linear_equations.h"
#include "core/normal/normal_model.h"
#include "core/pmml/pmml_write.h"

#include <math.h>

static void put_array(TextBuffer *out, const double *numbers, uint32_t count)
{
    text_print(out, "<Array n=\"%u\" type=\"real\">", count);
    for (uint32_t i = 0; i < count; i++)
        text_print(out, i > 0 ? " %.17g" : "%.17g", numbers[i]);
    text_add(out, "</Array>");
}

/* ---- k-means ---- */

static void kmeans(PmmlWriter *writer)
{
    TextBuffer *out = writer->out;
    KmeansModel view = kmeans_view(writer->model);
    double *point = env_array(writer->env, (size_t)view.dims + 1, sizeof(double));
    const char **names = env_array(writer->env, (size_t)view.dims + 1, sizeof(char *));

    for (uint32_t d = 0; d < view.dims; d++)
        names[d] = view.scale.columns > 0 ? pmml_derive_scaled(writer, writer->slot[d].name, view.scale.center[d], 1 / view.scale.scale[d]) : writer->slot[d].name;
    pmml_begin_model(writer, "ClusteringModel", "clustering", env_message(writer->env, " modelClass=\"centerBased\" numberOfClusters=\"%u\"", view.k));
    text_add(out, "<ComparisonMeasure kind=\"distance\" compareFunction=\"absDiff\"><squaredEuclidean/></ComparisonMeasure>\n");
    for (uint32_t d = 0; d < view.dims; d++) {
        text_add(out, "<ClusteringField");
        pmml_put_text(out, "field", names[d]);
        text_add(out, "/>\n");
    }
    for (uint32_t c = 0; c < view.k; c++) {
        writer->env->poll(writer->env);
        memcpy(point, view.centroids + (size_t)c * view.dims, view.dims * sizeof(double));
        if (view.scale.columns > 0)
            row_scale_apply(&view.scale, point, point);
        text_print(out, "<Cluster id=\"%u\">", c + 1);
        put_array(out, point, view.dims);
        text_add(out, "</Cluster>\n");
    }
    text_add(out, "  </ClusteringModel>\n");
}

/* ---- naive Bayes ---- */

static void put_density(PmmlWriter *writer, const NormalArrays *arrays, uint32_t term)
{
    TextBuffer *out = writer->out;

    text_add(out, "<TargetValueStats>");
    for (uint32_t c = 0; c < arrays->classes; c++) {
        const double *row = arrays->variances + (arrays->variance_rows > 1 ? (size_t)c * arrays->variance_columns : 0);

        text_add(out, "<TargetValueStat");
        pmml_put_text(out, "value", pmml_dictionary_text(writer, DICTIONARY_CLASSES, c));
        text_add(out, "><GaussianDistribution");
        pmml_put_number(out, "mean", arrays->means[(size_t)c * arrays->terms.count + term]);
        pmml_put_number(out, "variance", row[arrays->variance_columns > 1 ? term : 0]);
        text_add(out, "/></TargetValueStat>");
    }
    text_add(out, "</TargetValueStats>");
}

/* Adds the shares of a field's levels, times the weight of the class. */
static void put_counts(PmmlWriter *writer, const NormalArrays *arrays, uint32_t field)
{
    TextBuffer *out = writer->out;
    double *sum = env_array(writer->env, arrays->classes, sizeof(double));

    for (uint32_t l = 0; l < arrays->levels; l++) {
        if (dictionary_field(writer->model, l) != field)
            continue;
        writer->env->poll(writer->env);
        text_add(out, "<PairCounts");
        pmml_put_text(out, "value", pmml_dictionary_text(writer, DICTIONARY_LEVELS, l));
        text_add(out, "><TargetValueCounts>");
        for (uint32_t c = 0; c < arrays->classes; c++) {
            double share = arrays->level_probabilities[(size_t)c * arrays->levels + l];

            sum[c] += share;
            text_add(out, "<TargetValueCount");
            pmml_put_text(out, "value", pmml_dictionary_text(writer, DICTIONARY_CLASSES, c));
            pmml_put_number(out, "count", share * arrays->counts[c]);
            text_add(out, "/>");
        }
        text_add(out, "</TargetValueCounts></PairCounts>\n");
    }
    for (uint32_t c = 0; c < arrays->classes; c++)
        if (!(fabs(sum[c] - 1) < 1e-9))
            pmml_refuse(writer->env, writer->model, env_message(writer->env, "the probabilities of the levels of %.60s add up to %g", writer->slot[field].name, sum[c]));
}

static void naive_bayes(PmmlWriter *writer)
{
    TextBuffer *out = writer->out;
    NormalArrays arrays = normal_arrays(writer->model);
    double total = 0;

    if (writer->schema != writer->model)
        pmml_refuse(writer->env, writer->model, "it reads what other stages make");
    pmml_require_rule(writer);
    pmml_begin_model(writer, "NaiveBayesModel", "classification", " threshold=\"0\"");
    text_add(out, "<BayesInputs>\n");
    for (uint32_t s = 0, term = 0; s < writer->model->slot_count; s++) {
        text_add(out, "<BayesInput");
        pmml_put_text(out, "fieldName", writer->slot[s].name);
        text_add(out, ">");
        if (writer->slot[s].category)
            put_counts(writer, &arrays, s);
        else
            put_density(writer, &arrays, term++);
        text_add(out, "</BayesInput>\n");
    }
    text_add(out, "</BayesInputs>\n<BayesOutput");
    pmml_put_text(out, "fieldName", writer->target);
    text_add(out, "><TargetValueCounts>");
    for (uint32_t c = 0; c < arrays.classes; c++)
        total += arrays.counts[c];
    for (uint32_t c = 0; c < arrays.classes; c++) {
        text_add(out, "<TargetValueCount");
        pmml_put_text(out, "value", pmml_dictionary_text(writer, DICTIONARY_CLASSES, c));
        pmml_put_number(out, "count", arrays.priors[c] * total);
        text_add(out, "/>");
    }
    text_add(out, "</TargetValueCounts></BayesOutput>\n  </NaiveBayesModel>\n");
}

/* ---- support vector machines ---- */

/* An expansion over a kernel; a linear equation is one over a single vector per problem. */
typedef struct Machines {
    Kernel kernel;
    uint32_t problems, count, dims;
    const double *rows, *multipliers, *intercept;
    const double *center, *scale; /* NULL: none */
    Terms terms;
} Machines;

/* Makes an expansion of linear equations. */
static Machines linear_machines(PmmlWriter *writer)
{
    Env *env = writer->env;
    LinearView view;
    Machines out = {.kernel = {.kind = KERNEL_LINEAR}};
    double *multipliers, *rows;
    int64_t *slot, *level;

    linear_view(writer->model, &view);
    out.problems = out.count = view.equations;
    rows = env_array(env, (size_t)view.equations * view.columns + 1, sizeof(double));
    multipliers = env_array(env, (size_t)view.equations * view.equations, sizeof(double));
    slot = env_array(env, (size_t)view.columns + 1, sizeof(int64_t));
    level = env_array(env, (size_t)view.columns + 1, sizeof(int64_t));
    for (uint32_t c = 0; c < view.columns; c++) {
        if (c < view.slots ? writer->slot[c].category : false)
            continue;
        slot[out.dims] = c;
        level[out.dims] = -1;
        if (c >= view.slots) {
            level[out.dims] = c - view.slots;
            slot[out.dims] = dictionary_field(writer->model, c - view.slots);
        }
        for (uint32_t e = 0; e < view.equations; e++)
            rows[(size_t)e * view.columns + out.dims] = view.coef[(size_t)e * view.columns + c];
        out.dims++;
    }
    for (uint32_t e = 0; e < view.equations; e++) {
        memmove(rows + (size_t)e * out.dims, rows + (size_t)e * view.columns, out.dims * sizeof(double));
        multipliers[(size_t)e * view.equations + e] = 1;
    }
    out.rows = rows;
    out.multipliers = multipliers;
    out.intercept = view.intercept;
    out.terms = (Terms){.count = out.dims, .slot = slot, .level = level};
    return out;
}

static Machines kernel_machines(PmmlWriter *writer)
{
    KernelView view;

    kernel_view(writer->model, &view);
    if (view.phases != NULL || !kernel_is_simple(&view.kernel))
        pmml_refuse(writer->env, writer->model, "its kernel is not one of rbf, polynomial, sigmoid and linear");
    return (Machines){.kernel = view.kernel,
                      .problems = view.problems,
                      .count = view.count,
                      .dims = view.dims,
                      .rows = view.rows,
                      .multipliers = view.multipliers,
                      .intercept = view.intercept,
                      .center = view.center,
                      .scale = view.scale,
                      .terms = view.terms};
}

static void put_kernel(TextBuffer *out, const Kernel *kernel)
{
    static const char *const names[] = {[KERNEL_LINEAR] = "Linear", [KERNEL_POLYNOMIAL] = "Polynomial", [KERNEL_RBF] = "RadialBasis", [KERNEL_SIGMOID] = "Sigmoid"};

    text_print(out, "<%sKernelType", names[kernel->kind]);
    if (kernel->kind != KERNEL_LINEAR)
        pmml_put_number(out, "gamma", kernel->gamma);
    if (kernel->kind == KERNEL_POLYNOMIAL || kernel->kind == KERNEL_SIGMOID)
        pmml_put_number(out, "coef0", kernel->coef0);
    if (kernel->kind == KERNEL_POLYNOMIAL)
        pmml_put_number(out, "degree", kernel->degree);
    text_add(out, "/>\n");
}

/* Returns the name of the field that a term of the vectors is; of an unscaled level NULL. */
static const char *term_name(PmmlWriter *writer, const Machines *machines, uint32_t term)
{
    uint32_t slot = machines->terms.slot != NULL ? (uint32_t)machines->terms.slot[term] : term;
    bool level = machines->terms.level != NULL && machines->terms.level[term] >= 0;
    const char *name = writer->slot[slot].name;

    if (machines->center == NULL && machines->scale == NULL)
        return level ? NULL : name;
    if (level)
        name = pmml_derive_level(writer, name, (uint32_t)machines->terms.level[term]);
    return pmml_derive_scaled(writer, name, machines->center != NULL ? machines->center[term] : 0, machines->scale != NULL ? 1 / machines->scale[term] : 1);
}

static void put_dictionary(PmmlWriter *writer, const Machines *machines, const char *const *names)
{
    TextBuffer *out = writer->out;

    text_print(out, "<VectorDictionary numberOfVectors=\"%u\">\n<VectorFields numberOfFields=\"%u\">\n", machines->count, machines->dims);
    for (uint32_t d = 0; d < machines->dims; d++) {
        text_add(out, names[d] != NULL ? "<FieldRef" : "<CategoricalPredictor");
        pmml_put_text(out, names[d] != NULL ? "field" : "name", names[d] != NULL ? names[d] : writer->slot[machines->terms.slot[d]].name);
        if (names[d] == NULL) {
            pmml_put_text(out, "value", pmml_dictionary_text(writer, DICTIONARY_LEVELS, (uint32_t)machines->terms.level[d]));
            text_add(out, " coefficient=\"1\"");
        }
        text_add(out, "/>\n");
    }
    text_add(out, "</VectorFields>\n");
    for (uint32_t i = 0; i < machines->count; i++) {
        writer->env->poll(writer->env);
        text_print(out, "<VectorInstance id=\"%u\">", i + 1);
        put_array(out, machines->rows + (size_t)i * machines->dims, machines->dims);
        text_add(out, "</VectorInstance>\n");
    }
    text_add(out, "</VectorDictionary>\n");
}

/* Adds a machine, whose results are sign times those of the model: those below 0 are of one class, others of the other; NULL: there is none. */
static void put_machine(PmmlWriter *writer, const Machines *machines, uint32_t problem, double sign, const char *below, const char *above)
{
    TextBuffer *out = writer->out, coefficients = {.env = writer->env};
    const double *multipliers = machines->multipliers + (size_t)problem * machines->count;

    text_add(out, "<SupportVectorMachine");
    if (below != NULL)
        pmml_put_text(out, "targetCategory", below);
    if (above != NULL)
        pmml_put_text(out, "alternateTargetCategory", above);
    text_add(out, "><SupportVectors>\n");
    for (uint32_t i = 0; i < machines->count; i++) {
        if (multipliers[i] == 0)
            continue;
        text_print(out, "<SupportVector vectorId=\"%u\"/>\n", i + 1);
        text_print(&coefficients, "<Coefficient value=\"%.17g\"/>\n", sign * multipliers[i]);
        env_poll_every(writer->env, i + 1, 1024);
    }
    text_add(out, "</SupportVectors><Coefficients");
    pmml_put_number(out, "absoluteValue", machines->intercept != NULL ? sign * machines->intercept[problem] : 0);
    text_print(out, ">\n%s</Coefficients></SupportVectorMachine>\n", text_finish(&coefficients, NULL));
}

static void put_machines(PmmlWriter *writer, const Machines *machines)
{
    const Model *model = writer->model;
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES), p = 0;
    ClassRule rule = class_rule_of(model);
    size_t bytes;
    bool coded = classes > 2 && multiclass_coded(model), pairs = coded && multiclass_prepare(writer->env, model, &bytes)->kind == MULTICLASS_OVO;
    const char **names = env_array(writer->env, (size_t)machines->dims + 1, sizeof(char *));
#define LABEL(c) pmml_dictionary_text(writer, DICTIONARY_CLASSES, c)

    if (coded && !pairs)
        pmml_refuse(writer->env, model, "it decodes output codes");
    pmml_require_rule(writer);
    for (uint32_t d = 0; d < machines->dims; d++)
        names[d] = term_name(writer, machines, d);
    pmml_begin_model(writer, "SupportVectorMachineModel", classes > 0 ? "classification" : "regression",
                     classes == 0           ? " svmRepresentation=\"SupportVectors\""
                     : classes == 2 || pairs ? " svmRepresentation=\"SupportVectors\" classificationMethod=\"OneAgainstOne\""
                                             : " svmRepresentation=\"SupportVectors\" classificationMethod=\"OneAgainstAll\" maxWins=\"true\"");
    put_kernel(writer->out, &machines->kernel);
    put_dictionary(writer, machines, names);
    if (classes == 0)
        put_machine(writer, machines, 0, 1, NULL, NULL);
    else if (classes == 2 && rule.tie == TIE_POSITIVE)
        put_machine(writer, machines, 0, 1, LABEL(1 - rule.positive), LABEL(rule.positive));
    else if (classes == 2) /* a result of 0 is of the other class */
        put_machine(writer, machines, 0, -1, LABEL(rule.positive), LABEL(1 - rule.positive));
    for (uint32_t i = 0; classes > 2 && i < classes; i++) {
        if (!pairs)
            put_machine(writer, machines, i, 1, LABEL(i), NULL);
        for (uint32_t j = i + 1; pairs && j < classes; j++)
            put_machine(writer, machines, p++, -1, LABEL(j), LABEL(i));
    }
    text_add(writer->out, "  </SupportVectorMachineModel>\n");
}

static void support_vectors(PmmlWriter *writer)
{
    Machines machines = kernel_model_is(writer->model) ? kernel_machines(writer) : linear_machines(writer);

    put_machines(writer, &machines);
}

const PmmlMethod pmml_other_methods[] = {{"kernel_ridge", support_vectors},
                                         {"kmeans", kmeans},
                                         {"naive_bayes", naive_bayes},
                                         {"svm_classifier", support_vectors},
                                         {"svm_regression", support_vectors},
                                         {NULL, NULL}};
