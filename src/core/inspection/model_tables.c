/*
 * model_tables.c - tables that models of several methods have: coefficients, features, levels, centroids, exemplars; finds those of a model.
 */
#include "core/inspection/model_tables.h"
#include "core/inspection/model_info.h"
#include "core/inspection/outputs.h"
#include "core/formula/formula_model.h"
#include "core/moments/model_terms.h"

#include <math.h>

/* ---- coefficients ---- */

static bool has_coefficients(const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    return estimator != NULL && estimator->coefficients != NULL;
}

static void *open_coefficients(Env *env, const Model *model, uint64_t *rows)
{
    Coefficient *lines;

    *rows = estimator_of(model)->coefficients(env, model, &lines);
    return lines;
}

static bool coefficient_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const Coefficient *line = (const Coefficient *)reader + i;

    cell_string(&cells[0], line->class_name);
    cell_string(&cells[1], line->term);
    cell_number(&cells[2], line->estimate);
    cell_number(&cells[3], line->std_error);
    cell_number(&cells[4], line->statistic);
    cell_number(&cells[5], line->p_value);
    cell_number(&cells[6], line->conf_low);
    cell_number(&cells[7], line->conf_high);
    return true;
}

static const Table coefficients = {.name = "coefficients", .has = has_coefficients, .open = open_coefficients, .row = coefficient_row};

/* ---- glance: the statistics of a regression or a fit that has a likelihood, in one row ---- */

static bool has_statistics(const Model *model)
{
    return has_coefficients(model) && (model_find(model, "rss") != NULL || model_find(model, "log_likelihood") != NULL || model_find(model, "df_model") != NULL);
}

static void *open_glance(Env *env, const Model *model, uint64_t *rows)
{
    *rows = 1;
    return (void *)(uintptr_t)estimator_statistics(env, model);
}

static bool glance_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    static const char *const facts[] = {"r_squared", "adjusted_r_squared", "sigma", "f_statistic", "df_model",   "f_p_value",
                                        "log_likelihood", "aic",           "bic",   "deviance",    "df_residual"};

    (void)env;
    (void)i;
    for (size_t c = 0; c < sizeof(facts) / sizeof(facts[0]); c++)
        cell_number(&cells[c], model_fact(reader, facts[c], NAN));
    if (cells[2].kind == CELL_NULL) /* of robust regressions */
        cell_number(&cells[2], model_fact(reader, "scale", NAN));
    if (cells[9].kind == CELL_NULL) /* of least squares */
        cell_number(&cells[9], model_fact(reader, "rss", NAN));
    cell_integer(&cells[11], (int64_t)model->rows);
    return true;
}

static const Table glance = {.name = "glance", .has = has_statistics, .open = open_glance, .row = glance_row};

/* ---- features: what is read from a row; the number of levels of each is counted once ---- */

typedef struct FeatureTable {
    const Model *schema; /* of the rows: where a formula has learned terms, that of its inputs */
    uint32_t *levels;    /* [fields] how many; of the table of levels: [levels] in final order */
} FeatureTable;

static void *open_features(Env *env, const Model *model, uint64_t *rows)
{
    FeatureTable *reader = env_array(env, 1, sizeof *reader);
    uint32_t levels;

    reader->schema = formula_row_schema(env, model);
    levels = dictionary_size(reader->schema, DICTIONARY_LEVELS);
    *rows = schema_field_count(reader->schema);
    reader->levels = env_array(env, *rows + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < levels; i++)
        reader->levels[dictionary_field(reader->schema, i)]++;
    return reader;
}

static bool feature_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const FeatureTable *table = reader;
    uint32_t field = (uint32_t)i, length;
    FieldKind kind = schema_field_kind(model = table->schema, field);
    const char *name = describe_field_name(model, field, env_array(env, 16, 1), &length);

    cell_integer(&cells[0], (int64_t)i + 1);
    cell_text(&cells[1], name, length);
    cell_string(&cells[2], field_kind_name(kind));
    cell_integer(&cells[3], schema_field_width(model, field));
    if (kind == FIELD_CATEGORICAL)
        cell_integer(&cells[4], table->levels[field]);
    return true;
}

static const Table features = {.name = "features", .open = open_features, .row = feature_row};

/* ---- levels, in final order ---- */

static void *open_levels(Env *env, const Model *model, uint64_t *rows)
{
    FeatureTable *reader = env_array(env, 1, sizeof *reader);

    reader->schema = formula_row_schema(env, model);
    *rows = dictionary_size(reader->schema, DICTIONARY_LEVELS);
    reader->levels = env_array_raw(env, *rows + 1, sizeof(uint32_t));
    dictionary_final_order(env, reader->schema, DICTIONARY_LEVELS, reader->levels);
    return reader;
}

static bool level_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const FeatureTable *table = reader;
    uint32_t position = table->levels[i], length;
    const char *text;

    model = table->schema;
    text = describe_field_name(model, dictionary_field(model, position), env_array(env, 16, 1), &length);
    cell_text(&cells[0], text, length);
    cell_of_dictionary(&cells[1], model, DICTIONARY_LEVELS, position);
    return true;
}

static const Table levels = {.name = "levels", .open = open_levels, .row = level_row};

/* ---- centroids: one row per centroid and term ---- */

/* The array "centroids" of any estimator, one row per centroid and one column per term. */
typedef struct CentroidReader {
    Terms terms;
    uint32_t count;
    const double *numbers; /* NULL: the model has none */
    bool classes;          /* the centroids are those of classes */
} CentroidReader;

static CentroidReader read_centroids(const Model *model)
{
    static const ArraySpec centroids[] = {{.name = "centroids",
                                           .data_at = VIEW_AT(CentroidReader, numbers),
                                           .rows_at = VIEW_AT(CentroidReader, count),
                                           .columns_at = VIEW_AT(CentroidReader, terms.count)}};
    static const ArrayTable tables[] =
        ARRAY_TABLES(ARRAY_TABLE(centroids), ARRAY_TABLE_AT(term_arrays, CentroidReader, terms));
    CentroidReader reader = {.numbers = NULL};

    view_arrays(model, tables, &reader);
    reader.classes = dictionary_size(model, DICTIONARY_CLASSES) == reader.count;
    return reader;
}

static bool has_centroids(const Model *model)
{
    return model->kind == MODEL_FITTED && read_centroids(model).numbers != NULL;
}

static void *open_centroids(Env *env, const Model *model, uint64_t *rows)
{
    CentroidReader *reader = env_array(env, 1, sizeof *reader);

    *reader = read_centroids(model);
    *rows = (uint64_t)reader->count * reader->terms.count;
    return reader;
}

static bool centroid_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const CentroidReader *reader = data;
    uint32_t centroid = (uint32_t)(i / reader->terms.count);
    char *name = env_array(env, 2 * SCHEMA_NAME_SIZE, 1);

    terms_name(model, &reader->terms, (uint32_t)(i % reader->terms.count), name, 2 * SCHEMA_NAME_SIZE);
    cell_integer(&cells[0], (int64_t)centroid + 1);
    if (reader->classes)
        cell_of_dictionary(&cells[1], model, DICTIONARY_CLASSES, centroid);
    cell_string(&cells[2], name);
    cell_number(&cells[3], reader->numbers[i]);
    return true;
}

static const Table centroids = {.name = "centroids", .has = has_centroids, .open = open_centroids, .row = centroid_row};

/* ---- exemplars: points that stand for many rows, as objects that can be features themselves ---- */

/*
 * Returns one number per slot for each exemplar, from "center" or "medoids"; NULL: the model has none. Models of a kernel have a
 * center beside a scale, of their points.
 */
static const double *exemplar_numbers(const Model *model, uint32_t *count)
{
    const ModelEntry *medoids = model_find(model, "medoids");
    uint32_t length;
    const double *center = model_f64(model, "center", &length);

    *count = 1;
    if (center != NULL && length == model->slot_count && model_find(model, "scale") == NULL)
        return center;
    if (medoids == NULL || medoids->type != ARRAY_F64 || medoids->dimensions != 2 ||
        medoids->columns != model->slot_count)
        return NULL;
    *count = medoids->rows;
    return model_data(model, medoids);
}

static bool has_exemplars(const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    uint32_t count;

    /* supervised methods may keep a center of their features, which stands for no rows */
    return estimator != NULL && !estimator->supervised && model->field_count > 0 &&
           exemplar_numbers(model, &count) != NULL;
}

static void *open_exemplars(Env *env, const Model *model, uint64_t *rows)
{
    uint32_t count;
    double *const numbers = (double *)(uintptr_t)exemplar_numbers(model, &count);

    *rows = count;
    return numbers;
}

static bool exemplar_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    TextBuffer out = {.env = env};
    const char *json;
    size_t size;

    output_row(&out, model, (const double *)reader + i * model->slot_count);
    json = text_finish(&out, &size);
    cell_integer(&cells[0], (int64_t)i + 1);
    cell_text(&cells[1], json, (uint32_t)size);
    return true;
}

static const Table exemplars = {.name = "exemplars", .has = has_exemplars, .open = open_exemplars, .row = exemplar_row};

const Table *const general_tables[] = {&coefficients, &centroids, &exemplars, &features, &glance, &levels, NULL};

/* ---- finding ---- */

static const Table *const none[] = {NULL};

/* Returns the tables of the model's estimator, which come before the general ones, so that a method can replace these. */
static const Table *const *own_tables(const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    return estimator != NULL && estimator->tables != NULL ? estimator->tables : none;
}

static bool has_table(const Table *table, const Model *model)
{
    return table->has == NULL || table->has(model);
}

static const Table *find_table(const Table *const *tables, const Model *model, const char *name)
{
    for (; *tables != NULL; tables++)
        if (strcmp((*tables)->name, name) == 0 && has_table(*tables, model))
            return *tables;
    return NULL;
}

const Table *table_of(const Model *model, const char *name)
{
    const Table *table = find_table(own_tables(model), model, name);

    return table != NULL ? table : find_table(general_tables, model, name);
}

static void list_tables(TextBuffer *out, const Table *const *tables, const Model *model)
{
    for (; *tables != NULL; tables++)
        if (has_table(*tables, model)) {
            text_add(out, out->length > 0 ? ", " : "");
            text_add(out, (*tables)->name);
        }
}

char *table_names(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};

    list_tables(&out, own_tables(model), model);
    list_tables(&out, general_tables, model);
    return text_finish(&out, NULL);
}
