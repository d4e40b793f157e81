/*
 * pmml_clusters.c - ClusteringModel of centers: k-means. Clusters are numbered in the order of the document.
 */
#include "core/pmml/pmml_import.h"

typedef struct Clusters {
    PmmlImport *import;
    uint32_t count, dims;
    const uint32_t *column; /* [dims] */
    double *center;         /* [count x dims] in the order of the document */
    double *sizes;          /* [count] of rows; 0: not known */
} Clusters;

static void read_fields(Clusters *clusters)
{
    PmmlImport *import = clusters->import;
    Env *env = import->env;
    const XmlNode *measure = pmml_child(env, import->model, "ComparisonMeasure");
    uint32_t *columns = env_array(env, (size_t)pmml_count(import->model, "ClusteringField") + 1, sizeof(uint32_t));

    if (!pmml_says(measure, "kind", "distance", false) || (pmml_first(measure, "squaredEuclidean") == NULL && pmml_first(measure, "euclidean") == NULL))
        pmml_fail(env, "compares rows with clusters by a measure other than the Euclidean distance, which is not read");
    for (const XmlNode *node = pmml_first(import->model, "ClusteringField"); node != NULL; node = pmml_next(node, "ClusteringField")) {
        const char *name = pmml_required(env, node, "field"), *function = pmml_attribute(node, "compareFunction");

        if (pmml_says(node, "isCenterField", "false", false))
            continue;
        function = function != NULL ? function : pmml_attribute(measure, "compareFunction");
        if (function != NULL && strcmp(function, "absDiff") != 0)
            pmml_fail(env, "compares field \"%.60s\" by %.40s, which is not read", name, function);
        if (pmml_number(env, node, "fieldWeight", 1) != 1)
            pmml_fail(env, "gives field \"%.60s\" the weight %.40s; 1 is read", name, pmml_attribute(node, "fieldWeight"));
        columns[clusters->dims] = pmml_put_column(import, pmml_number_column(import, name, "a ClusteringField"));
        if (columns[clusters->dims] != clusters->dims)
            pmml_fail(env, "has the clustering field \"%.60s\" twice", name);
        clusters->dims++;
        env_poll_every(env, clusters->dims, 256);
    }
    if (clusters->dims == 0)
        pmml_fail(env, "has clusters without fields");
    clusters->column = columns;
}

static void read_centers(Clusters *clusters)
{
    PmmlImport *import = clusters->import;
    Env *env = import->env;
    uint32_t i = 0;

    clusters->count = pmml_count(import->model, "Cluster");
    if (clusters->count == 0)
        pmml_fail(env, "has no clusters");
    env_require_memory(env, (size_t)clusters->count * clusters->dims * sizeof(double), "the centers of the pmml document");
    clusters->sizes = env_array(env, clusters->count, sizeof(double));
    clusters->center = env_array(env, (size_t)clusters->count * clusters->dims, sizeof(double));
    for (const XmlNode *node = pmml_first(import->model, "Cluster"); node != NULL; node = pmml_next(node, "Cluster"), i++) {
        uint32_t count;
        double *numbers = pmml_numbers(env, pmml_child(env, node, "Array"), &count);

        if (count != clusters->dims)
            pmml_fail(env, "has a cluster of %u numbers for %u fields", count, clusters->dims);
        clusters->sizes[i] = fmax(pmml_number(env, node, "size", 0), 0);
        memcpy(clusters->center + (size_t)i * clusters->dims, numbers, count * sizeof(double));
        env->release(env, numbers);
        env->poll(env);
    }
}

static Model *build(void *context)
{
    Clusters *clusters = context;
    PmmlImport *import = clusters->import;
    Env *env = import->env;
    double *centroids = env_array(env, (size_t)clusters->count * clusters->dims, sizeof(double));
    const Model *rows;
    ModelBuilder *builder = import_row_begin(env, &import->row, "kmeans", 0, NULL, &rows);

    for (uint32_t i = 0; i < clusters->count; i++) {
        for (uint32_t d = 0; d < clusters->dims; d++)
            centroids[(size_t)i * clusters->dims + import->place[clusters->column[d]]] = clusters->center[(size_t)i * clusters->dims + d];
        env->poll(env);
    }
    builder_f64_matrix(builder, SECTION_ARRAYS, "centroids", centroids, clusters->count, clusters->dims);
    builder_f64(builder, SECTION_ARRAYS, "sizes", clusters->sizes, clusters->count);
    builder_f64(builder, SECTION_ARRAYS, "within", env_array(env, clusters->count, sizeof(double)), clusters->count);
    builder_fact_i64(builder, "k", clusters->count);
    return model_build(builder);
}

Model *pmml_read_clusters(PmmlImport *import)
{
    Clusters clusters = {.import = import};

    if (!pmml_says(import->model, "modelClass", "centerBased", false))
        pmml_fail(import->env, "has clusters that are not by their centers, which is not read");
    read_fields(&clusters);
    read_centers(&clusters);
    pmml_require_doubles(import);
    import->skips_nulls = true;
    pmml_row(import, false);
    return import_row_model(import->env, &import->row, build, &clusters);
}
