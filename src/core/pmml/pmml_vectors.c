/*
 * pmml_vectors.c - SupportVectorMachineModel with support vectors.
 */
#include "core/estimator/multiclass.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/pmml/pmml_import.h"

#define MOST_MACHINES (1 << 24)

typedef struct Machine {
    const XmlNode *node;
    uint32_t target, alternate; /* classes */
    double threshold;
} Machine;

typedef struct Vectors {
    PmmlImport *import;
    Kernel kernel;
    HashTable table;     /* of the ids of vectors */
    const char **id;
    double *rows;        /* [count x columns] */
    uint32_t count, dims;
    const uint32_t *column; /* [dims] of the row, in the order of the document */
    Machine *machine;
    uint32_t machines;
    double factor, constant; /* of the result of a regression */
    bool classifier, pairs, largest; /* pairs: one machine per pair of classes; largest: otherwise the largest result wins, not the smallest */
} Vectors;

/* ---- kernel ---- */

static void read_kernel(Vectors *vectors)
{
    static const struct {
        const char *name;
        KernelKind kind;
    } kernels[] = {{"LinearKernelType", KERNEL_LINEAR}, {"PolynomialKernelType", KERNEL_POLYNOMIAL}, {"RadialBasisKernelType", KERNEL_RBF}, {"SigmoidKernelType", KERNEL_SIGMOID}};
    PmmlImport *import = vectors->import;
    Env *env = import->env;
    Kernel *kernel = &vectors->kernel;
    const XmlNode *node = NULL;
    double degree;

    *kernel = (Kernel){.gamma = 1, .degree = 1};
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]) && node == NULL; i++) {
        node = pmml_first(import->model, kernels[i].name);
        kernel->kind = kernels[i].kind;
    }
    if (node == NULL)
        pmml_fail(env, "has support vectors without a kernel that is read");
    if (kernel->kind == KERNEL_LINEAR)
        return;
    kernel->gamma = pmml_number(env, node, "gamma", 1);
    kernel->coef0 = kernel->kind == KERNEL_RBF ? 0 : pmml_number(env, node, "coef0", 1);
    degree = kernel->kind == KERNEL_POLYNOMIAL ? pmml_number(env, node, "degree", 1) : 1;
    if (!(kernel->gamma > 0) || !(degree >= 1 && degree <= KERNEL_MAX_DEGREE && degree == floor(degree)))
        pmml_fail(env, "has a kernel with gamma %g and degree %g, which is not read", kernel->gamma, degree);
    kernel->degree = (uint32_t)degree;
}

/* ---- vectors ---- */

static uint32_t find_id(const Vectors *vectors, const char *id)
{
    uint32_t hash = hash_bytes(id, (uint32_t)strlen(id)), place = hash_start(&vectors->table, hash), entry;

    while ((entry = hash_next(&vectors->table, hash, &place)) != HASH_NONE)
        if (strcmp(vectors->id[entry], id) == 0)
            break;
    return entry;
}

/* Notes the columns of the vectors. */
static void read_fields(Vectors *vectors, const XmlNode *fields)
{
    PmmlImport *import = vectors->import;
    Env *env = import->env;
    uint32_t *columns = env_array(env, (size_t)pmml_count(fields, NULL) + 1, sizeof(uint32_t));

    for (const XmlNode *node = pmml_first(fields, NULL); node != NULL; node = pmml_next(node, NULL)) {
        ImportColumn column;

        if (pmml_is(node, "FieldRef")) {
            column = pmml_number_column(import, pmml_required(env, node, "field"), "a vector field");
        } else if (pmml_is(node, "CategoricalPredictor") && pmml_number(env, node, "coefficient", 1) == 1) {
            const char *name = pmml_attribute(node, "field");

            column = pmml_level_column(import, name != NULL ? name : pmml_required(env, node, "name"), pmml_required(env, node, "value"));
        } else {
            pmml_fail(env, "has a %.40s among the fields of vectors, which is not read", node->name);
        }
        columns[vectors->dims] = pmml_put_column(import, column);
        if (columns[vectors->dims] != vectors->dims)
            pmml_fail(env, "has vectors with the same field twice, which is not read");
        vectors->dims++;
        env_poll_every(env, vectors->dims, 256);
    }
    if (vectors->dims == 0)
        pmml_fail(env, "has vectors without fields");
    vectors->column = columns;
}

/* Writes the numbers of a vector to a row in the order of the document. */
static void read_vector(const Vectors *vectors, const XmlNode *node, double *row)
{
    Env *env = vectors->import->env;
    const XmlNode *array = pmml_first(node, "Array"), *sparse = pmml_first(node, "REAL-SparseArray"), *indices, *entries;
    uint32_t count, places;
    double *numbers, *place;

    if (array != NULL) {
        numbers = pmml_numbers(env, array, &count);
        if (count != vectors->dims)
            pmml_fail(env, "has a vector of %u numbers for %u fields", count, vectors->dims);
        memcpy(row, numbers, count * sizeof(double));
        env->release(env, numbers);
        return;
    }
    if (sparse == NULL)
        pmml_fail(env, "has a VectorInstance without an Array or a REAL-SparseArray");
    if (pmml_number(env, sparse, "defaultValue", 0) != 0)
        pmml_fail(env, "has a REAL-SparseArray with the default value %.40s; 0 is read", pmml_attribute(sparse, "defaultValue"));
    indices = pmml_first(sparse, "Indices");
    entries = pmml_first(sparse, "REAL-Entries");
    if (indices == NULL && entries == NULL)
        return;
    if (indices == NULL || entries == NULL)
        pmml_fail(env, "has a REAL-SparseArray with Indices or REAL-Entries alone");
    place = pmml_numbers(env, indices, &places);
    numbers = pmml_numbers(env, entries, &count);
    if (places != count)
        pmml_fail(env, "has a REAL-SparseArray of %u Indices and %u REAL-Entries", places, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!(place[i] >= 1 && place[i] <= vectors->dims) || place[i] != floor(place[i]))
            pmml_fail(env, "has a REAL-SparseArray with the index %g of %u", place[i], vectors->dims);
        row[(uint32_t)place[i] - 1] = numbers[i];
    }
    if (count > 0) {
        env->release(env, place);
        env->release(env, numbers);
    }
}

static void read_dictionary(Vectors *vectors)
{
    PmmlImport *import = vectors->import;
    Env *env = import->env;
    const XmlNode *dictionary = pmml_child(env, import->model, "VectorDictionary");
    uint32_t room = 0;

    read_fields(vectors, pmml_child(env, dictionary, "VectorFields"));
    vectors->count = pmml_count(dictionary, "VectorInstance");
    if (vectors->count == 0)
        pmml_fail(env, "has no support vectors");
    env_require_memory(env, (size_t)vectors->count * vectors->dims * sizeof(double), "the support vectors of the pmml document");
    vectors->rows = env_array(env, (size_t)vectors->count * vectors->dims, sizeof(double));
    vectors->table = hash_table(env, 4);
    for (const XmlNode *node = pmml_first(dictionary, "VectorInstance"); node != NULL; node = pmml_next(node, "VectorInstance")) {
        const char *id = pmml_required(env, node, "id");
        uint32_t number = vectors->table.count;

        if (find_id(vectors, id) != HASH_NONE)
            pmml_fail(env, "has two vectors \"%.40s\"", id);
        vectors->id = env_grow(env, vectors->id, number, &room, sizeof(char *));
        vectors->id[number] = id;
        hash_add(env, &vectors->table, hash_bytes(id, (uint32_t)strlen(id)));
        read_vector(vectors, node, vectors->rows + (size_t)number * vectors->dims);
        env->poll(env);
    }
}

/* ---- machines ---- */

static void read_machines(Vectors *vectors)
{
    PmmlImport *import = vectors->import;
    Env *env = import->env;
    double threshold = pmml_number(env, import->model, "threshold", 0);
    uint32_t count = pmml_count(import->model, "SupportVectorMachine"), i = 0;
    bool one = count == 1;

    vectors->machine = env_array(env, (size_t)count + 1, sizeof(Machine));
    vectors->machines = count;
    if (count == 0)
        pmml_fail(env, "has a SupportVectorMachineModel without machines");
    vectors->pairs = pmml_says(import->model, "classificationMethod", "OneAgainstOne", false) || one;
    if (count > 0 && pmml_attribute(import->model, "classificationMethod") == NULL && /* as writers of version 4.1 had it */
        pmml_attribute(pmml_first(import->model, "SupportVectorMachine"), "alternateTargetCategory") != NULL)
        vectors->pairs = true;
    vectors->largest = pmml_says(import->model, "maxWins", "true", false);
    if (!vectors->classifier && count != 1)
        pmml_fail(env, "has a regression of %u machines", count);
    for (const XmlNode *node = pmml_first(import->model, "SupportVectorMachine"); node != NULL; node = pmml_next(node, "SupportVectorMachine"), i++) {
        Machine *machine = &vectors->machine[i];

        machine->node = node;
        if (!vectors->classifier)
            continue;
        machine->threshold = pmml_number(env, node, "threshold", threshold);
        machine->target = pmml_class(import, pmml_required(env, node, "targetCategory"));
        if (vectors->pairs)
            machine->alternate = pmml_class(import, pmml_required(env, node, "alternateTargetCategory"));
        if (vectors->pairs && machine->alternate == machine->target)
            pmml_fail(env, "has a machine for class \"%.60s\" against itself", pmml_attribute(node, "targetCategory"));
        env_poll_every(env, i + 1, 256);
    }
}

/* Adds sign x the multipliers of a machine to a problem's [count]; returns sign x its intercept less the threshold. */
static double read_multipliers(const Vectors *vectors, const Machine *machine, double sign, double *out)
{
    Env *env = vectors->import->env;
    const XmlNode *coefficients = pmml_child(env, machine->node, "Coefficients"), *list = pmml_child(env, machine->node, "SupportVectors");
    const XmlNode *vector = pmml_first(list, "SupportVector"), *coefficient = pmml_first(coefficients, "Coefficient");
    uint32_t count = 0;

    for (; vector != NULL && coefficient != NULL; vector = pmml_next(vector, "SupportVector"), coefficient = pmml_next(coefficient, "Coefficient")) {
        uint32_t number = find_id(vectors, pmml_required(env, vector, "vectorId"));

        if (number == HASH_NONE)
            pmml_fail(env, "has no vector \"%.40s\", which a machine uses", pmml_attribute(vector, "vectorId"));
        out[number] += sign * pmml_number(env, coefficient, "value", 0);
        env_poll_every(env, ++count, 1024);
    }
    if (vector != NULL || coefficient != NULL)
        pmml_fail(env, "has a machine with more %s than %s", vector != NULL ? "support vectors" : "coefficients", vector != NULL ? "coefficients" : "support vectors");
    return sign * (pmml_number(env, coefficients, "absoluteValue", 0) - machine->threshold);
}

/* ---- the model ---- */

/* Returns the problem of a machine, and its sign. */
static uint32_t problem_of(const Vectors *vectors, uint32_t i, uint32_t classes, double *sign)
{
    const Machine *machine = &vectors->machine[i];
    uint32_t low = machine->target < machine->alternate ? machine->target : machine->alternate, high = machine->target + machine->alternate - low;

    *sign = vectors->factor;
    if (!vectors->classifier)
        return 0;
    if (!vectors->pairs) {
        *sign = vectors->largest ? 1 : -1;
        return machine->target;
    }
    *sign = machine->target == low ? 1 : -1; /* results below the threshold are of the target */
    return vectors->machines == 1 ? 0 : low * (2 * classes - low - 1) / 2 + high - low - 1;
}

static double *arrange_rows(const Vectors *vectors)
{
    Env *env = vectors->import->env;
    double *out = env_array(env, (size_t)vectors->count * vectors->dims, sizeof(double));

    for (uint32_t i = 0; i < vectors->count; i++) {
        for (uint32_t d = 0; d < vectors->dims; d++)
            out[(size_t)i * vectors->dims + vectors->import->place[vectors->column[d]]] = vectors->rows[(size_t)i * vectors->dims + d];
        env->poll(env);
    }
    return out;
}

static Model *build(void *context)
{
    Vectors *vectors = context;
    PmmlImport *import = vectors->import;
    Env *env = import->env;
    uint32_t classes = vectors->classifier ? import->target->table.count : 0, problems = vectors->machines;
    double *multipliers, *intercept = env_array(env, problems, sizeof(double)), *rule = env_array(env, 3, sizeof(double));
    bool *seen = env_array(env, problems, sizeof(bool));
    int64_t *kind = env_array(env, 1, sizeof(int64_t));
    const Model *rows;
    ModelBuilder *builder = import_row_begin(env, &import->row, vectors->classifier ? "svm_classifier" : "svm_regression", classes,
                                             vectors->classifier ? import->target->level : NULL, &rows);

    env_require_memory(env, (size_t)problems * vectors->count * sizeof(double), "the multipliers of the pmml document");
    multipliers = env_array(env, (size_t)problems * vectors->count, sizeof(double));
    for (uint32_t i = 0; i < problems; i++) {
        double sign;
        uint32_t p = problem_of(vectors, i, classes, &sign);

        if (p >= problems || seen[p])
            pmml_fail(env, "has two machines for the same classes");
        seen[p] = true;
        intercept[p] = read_multipliers(vectors, &vectors->machine[i], sign, multipliers + (size_t)p * vectors->count) + vectors->constant;
        env->poll(env);
    }
    kernel_write(env, &vectors->kernel, builder);
    builder_f64_matrix(builder, SECTION_ARRAYS, "rows", arrange_rows(vectors), vectors->count, vectors->dims);
    kernel_support_add(builder, problems, vectors->count, NULL, multipliers, NULL);
    builder_f64(builder, SECTION_ARRAYS, "intercept", intercept, problems);
    if (vectors->kernel.kind != KERNEL_LINEAR)
        builder_fact(builder, "gamma", vectors->kernel.gamma);
    if (vectors->classifier && problems == 1) {
        const Machine *machine = &vectors->machine[0];
        ClassRule of_two = {.positive = 1, .tie = machine->target < machine->alternate ? TIE_POSITIVE : TIE_NEGATIVE, .threshold = 0.5};

        class_rule_add(builder, &of_two, 2, rule);
    }
    *kind = MULTICLASS_OVO;
    if (vectors->classifier && vectors->pairs && problems > 1)
        builder_i64(builder, SECTION_ARRAYS, "multiclass", kind, 1);
    return model_build(builder);
}

Model *pmml_read_vectors(PmmlImport *import)
{
    Env *env = import->env;
    Vectors vectors = {.import = import, .classifier = pmml_says(import->model, "functionName", "classification", false)};
    uint64_t classes, expected;

    if (!pmml_says(import->model, "svmRepresentation", "SupportVectors", true))
        pmml_fail(env, "has a machine without support vectors, by %.40s, which is not read", pmml_attribute(import->model, "svmRepresentation"));
    if (pmml_attribute(import->model, "alternateBinaryTargetCategory") != NULL)
        pmml_fail(env, "rounds results of machines to 0 and 1 (alternateBinaryTargetCategory), which is not read");
    if (vectors.classifier)
        pmml_target(import);
    pmml_targets(import, import->model, &vectors.factor, &vectors.constant);
    if (vectors.classifier && (vectors.factor != 1 || vectors.constant != 0))
        pmml_fail(env, "scales the result of a machine of classes, which is not read");
    read_kernel(&vectors);
    read_dictionary(&vectors);
    read_machines(&vectors);
    classes = vectors.classifier ? import->target->table.count : 0;
    expected = !vectors.classifier ? 1 : vectors.pairs ? classes * (classes - (classes > 0)) / 2 : classes;
    if (vectors.machines != expected || vectors.machines > MOST_MACHINES || (vectors.classifier && !vectors.pairs && classes == 2))
        pmml_fail(env, "has %u machines for %u classes, which is not read", vectors.machines, (uint32_t)classes);
    pmml_require_doubles(import);
    import->settled = true;
    pmml_row(import, false);
    return import_row_model(env, &import->row, build, &vectors);
}
