/*
 * onnx_import.c - follows the graph of a document, and makes a model of it.
 */
#include "core/exchange/onnx_import.h"
#include "core/base/hash_table.h"
#include "core/exchange/onnx.h"
#include "core/onnx/onnx_export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum ValueKind { VALUE_COLUMNS, VALUE_LABEL, VALUE_NUMBERS } ValueKind;

/* What a name stands for. */
typedef struct Value {
    const char *name;
    ValueKind kind;
    uint32_t columns;
    ImportColumn *column;
    bool single;
} Value;

typedef struct Walk {
    OnnxImport import;
    Value *value;
    uint32_t values, room;
    size_t columns; /* of all values */
    HashTable table;
} Walk;

/* ---- names ---- */

static Value *find_value(Walk *walk, const char *name)
{
    uint32_t hash = hash_bytes(name, (uint32_t)strlen(name)), place = hash_start(&walk->table, hash), entry;

    while ((entry = hash_next(&walk->table, hash, &place)) != HASH_NONE)
        if (strcmp(walk->value[entry].name, name) == 0)
            return &walk->value[entry];
    return NULL;
}

/* Adds a value of this name. Fails if there is one. */
static Value *add_value(Walk *walk, const char *name, ValueKind kind, uint32_t columns)
{
    Env *env = walk->import.env;

    if (find_value(walk, name) != NULL)
        onnx_fail(env, "is damaged: two values are named \"%.60s\"", name);
    walk->value = env_grow(env, walk->value, walk->values, &walk->room, sizeof(Value));
    walk->columns += columns; /* at each node those of its input again, so that few bytes of a document may ask for much */
    env_require_memory(env, walk->columns * sizeof(ImportColumn), "the columns of the onnx document");
    walk->value[walk->values] = (Value){.name = name, .kind = kind, .columns = columns, .column = env_array(env, (size_t)columns + 1, sizeof(ImportColumn))};
    hash_add(env, &walk->table, hash_bytes(name, (uint32_t)strlen(name)));
    return &walk->value[walk->values++];
}

/* Returns input i of a node by value: adding values moves them. */
static Value input_of(Walk *walk, const OnnxNode *node, uint32_t i)
{
    const Value *value = i < node->inputs ? find_value(walk, node->input[i]) : NULL;

    if (value == NULL)
        onnx_fail(walk->import.env, "has a node %.40s whose input \"%.60s\" no input or node before it gives", node->operator,
                  i < node->inputs ? node->input[i] : "");
    return *value;
}

static Value columns_of(Walk *walk, const OnnxNode *node, uint32_t i)
{
    Value value = input_of(walk, node, i);

    if (value.kind != VALUE_COLUMNS)
        onnx_fail(walk->import.env, "has a node %.40s after the one that scores, which is not read", node->operator);
    return value;
}

static const OnnxTensor *constant_of(Walk *walk, const OnnxNode *node, uint32_t i)
{
    const OnnxDocument *document = walk->import.document;

    for (uint32_t c = 0; i < node->inputs && c < document->constants; c++)
        if (strcmp(document->constant[c].name, node->input[i]) == 0)
            return &document->constant[c];
    onnx_fail(walk->import.env, "has a node %.40s whose input %u is no constant, which is not read", node->operator, i + 1);
}

/* Adds the result of a node, with so many columns. */
static Value *result_of(Walk *walk, const OnnxNode *node, ValueKind kind, uint32_t columns)
{
    if (node->outputs != 1)
        onnx_fail(walk->import.env, "has a node %.40s with %u outputs", node->operator, node->outputs);
    return add_value(walk, node->output[0], kind, columns);
}

/* ---- inputs ---- */

static bool is_constant(const OnnxDocument *document, const char *name)
{
    for (uint32_t c = 0; c < document->constants; c++) {
        env_poll_rows(document->env, c);
        if (strcmp(document->constant[c].name, name) == 0)
            return true;
    }
    return false;
}

/* Returns how many columns an input has. */
static uint32_t port_columns(Walk *walk, const OnnxPort *port, uint32_t ports)
{
    const ImportNames *names = walk->import.row.names;

    if (port->columns > 0)
        return port->columns;
    if (ports > 1)
        return 1;
    if (names->features == NULL || names->feature_count == 0)
        env_fail(walk->import.env, ERROR_DATA, "Name them by option \"features\".", "the onnx document does not say how many columns its input \"%.60s\" has",
                 port->name);
    return names->feature_count;
}

/* Sets the names of the features of an input: its own, numbered where it has several columns; none where it is the only one and has several. */
static void name_features(Walk *walk, const OnnxPort *port, uint32_t ports, uint32_t first, uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++) {
        ImportFeature *feature = &walk->import.row.feature[first + i];

        *feature = (ImportFeature){.mean = NAN, .missing = NAN};
        if (columns == 1)
            feature->name = port->name;
        else if (ports > 1)
            feature->name = env_message(walk->import.env, "%.150s_%u", port->name, i + 1);
    }
}

#define COLUMNS_MOST 100000 /* of all inputs */

static void read_inputs(Walk *walk)
{
    OnnxImport *import = &walk->import;
    const OnnxDocument *document = import->document;
    uint32_t ports = 0;
    uint64_t total = 0;

    for (uint32_t i = 0; i < document->inputs; i++)
        ports += !is_constant(document, document->input[i].name);
    for (uint32_t i = 0; i < document->inputs; i++)
        if (!is_constant(document, document->input[i].name))
            total += port_columns(walk, &document->input[i], ports);
    if (total == 0 || total > COLUMNS_MOST)
        onnx_fail(import->env, "has inputs of %llu columns", (unsigned long long)total);
    import->row.feature = env_array(import->env, total, sizeof(ImportFeature));
    for (uint32_t i = 0; i < document->inputs; i++) {
        const OnnxPort *port = &document->input[i];
        uint32_t columns;
        Value *value;

        if (is_constant(document, port->name))
            continue;
        if (port->type != ONNX_FLOAT && port->type != ONNX_DOUBLE && port->type != ONNX_INT64 && port->type != ONNX_INT32 && port->type != ONNX_BOOL &&
            port->type != ONNX_STRING)
            onnx_fail(import->env, "has the input \"%.60s\" of type %lld, which is not read", port->name, (long long)port->type);
        columns = port_columns(walk, port, ports);
        name_features(walk, port, ports, import->row.features, columns);
        value = add_value(walk, port->name, VALUE_COLUMNS, columns);
        value->single = port->type == ONNX_FLOAT;
        for (uint32_t c = 0; c < columns; c++)
            value->column[c] = (ImportColumn){.kind = port->type == ONNX_STRING ? IMPORT_COLUMN_TEXT : IMPORT_COLUMN_NUMBER, .feature = import->row.features + c, .scale = 1};
        import->row.features += columns;
    }
}

/* ---- operators that make columns of columns ---- */

static void read_same(Walk *walk, const OnnxNode *node)
{
    Value from = input_of(walk, node, 0), *to = result_of(walk, node, from.kind, from.columns);

    memcpy(to->column, from.column, from.columns * sizeof(ImportColumn));
    to->single = from.single;
}

static void read_cast(Walk *walk, const OnnxNode *node)
{
    double to = onnx_value(walk->import.env, node, "to", NAN);
    Value from = input_of(walk, node, 0);

    if (from.kind == VALUE_COLUMNS && to != ONNX_FLOAT && to != ONNX_DOUBLE)
        onnx_fail(walk->import.env, "has a Cast of columns to type %g, which is not read", to);
    for (uint32_t c = 0; c < from.columns; c++)
        if (from.column[c].kind == IMPORT_COLUMN_TEXT)
            onnx_fail(walk->import.env, "has a Cast of texts, which is not read");
    read_same(walk, node);
    walk->value[walk->values - 1].single = from.single || to == ONNX_FLOAT;
}

/* Reshape, Flatten, Squeeze, Unsqueeze: of columns only to the same matrix. */
static void read_shape(Walk *walk, const OnnxNode *node)
{
    Value from = input_of(walk, node, 0);

    if (from.kind == VALUE_COLUMNS && strcmp(node->operator, "Flatten") != 0) {
        const OnnxTensor *shape = constant_of(walk, node, 1);

        if (strcmp(node->operator, "Reshape") != 0 || shape->count != 2 || shape->numbers == NULL ||
            (shape->numbers[1] != from.columns && !(shape->numbers[1] == -1 && shape->numbers[0] == 0)))
            onnx_fail(walk->import.env, "has a %.40s of columns, which is not read", node->operator);
    }
    read_same(walk, node);
}

static void read_concat(Walk *walk, const OnnxNode *node)
{
    double axis = onnx_value(walk->import.env, node, "axis", 1);
    uint64_t columns = 0, at = 0;
    bool single = false;
    Value *to;

    if (axis != 1 && axis != -1)
        onnx_fail(walk->import.env, "has a Concat along axis %g, which is not read", axis);
    for (uint32_t i = 0; i < node->inputs; i++) {
        Value from = columns_of(walk, node, i);

        columns += from.columns;
        single = single || from.single;
    }
    if (columns == 0 || columns > COLUMNS_MOST)
        onnx_fail(walk->import.env, "has a %.40s of %llu columns", node->operator, (unsigned long long)columns);
    to = result_of(walk, node, VALUE_COLUMNS, (uint32_t)columns);
    to->single = single;
    for (uint32_t i = 0; i < node->inputs; i++) {
        Value from = columns_of(walk, node, i);

        memcpy(to->column + at, from.column, from.columns * sizeof(ImportColumn));
        at += from.columns;
    }
}

/* ArrayFeatureExtractor, and Gather along axis 1. */
static void read_choice(Walk *walk, const OnnxNode *node)
{
    Env *env = walk->import.env;
    Value from = columns_of(walk, node, 0), *to;
    const OnnxTensor *chosen = constant_of(walk, node, 1);

    if (strcmp(node->operator, "Gather") == 0 && onnx_value(env, node, "axis", 0) != 1)
        onnx_fail(env, "has a Gather of rows, which is not read");
    if (chosen->numbers == NULL || chosen->count == 0)
        onnx_fail(env, "has a %.40s without numbers of columns", node->operator);
    to = result_of(walk, node, VALUE_COLUMNS, chosen->count);
    to->single = from.single;
    for (uint32_t i = 0; i < chosen->count; i++) {
        double at = chosen->numbers[i];

        if (!(at >= 0 && at < from.columns) || at != floor(at))
            onnx_fail(env, "has a %.40s of column %g of %u", node->operator, at, from.columns);
        to->column[i] = from.column[(uint32_t)at];
    }
}

static void require_numbers(Walk *walk, const OnnxNode *node, const Value *from)
{
    for (uint32_t c = 0; c < from->columns; c++)
        if (from->column[c].kind == IMPORT_COLUMN_TEXT)
            onnx_fail(walk->import.env, "has a %.40s of texts", node->operator);
}

/* A list of a node that has one number for all columns or one for each. */
typedef struct ColumnNumbers {
    const double *numbers;
    uint32_t count; /* 0: the list is not there */
    double fallback;
} ColumnNumbers;

static ColumnNumbers column_numbers(Walk *walk, const OnnxNode *node, const char *name, uint32_t columns, double fallback)
{
    Env *env = walk->import.env;
    ColumnNumbers list = {.fallback = fallback};

    list.numbers = onnx_values(env, node, name, &list.count, NULL);
    if (list.count > 1 && list.count != columns)
        onnx_fail(env, "has a %.40s with %u numbers in \"%s\" for %u columns", node->operator, list.count, name, columns);
    for (uint32_t i = 0; i < list.count; i++) {
        if (!isfinite(list.numbers[i]))
            onnx_fail(env, "has a %.40s with a number in \"%s\" that is not finite", node->operator, name);
        env_poll_rows(env, i);
    }
    return list;
}

static double column_number(const ColumnNumbers *list, uint32_t column)
{
    return list->count == 0 ? list->fallback : list->numbers[list->count == 1 ? 0 : column];
}

static void read_scaler(Walk *walk, const OnnxNode *node)
{
    Value from = columns_of(walk, node, 0), *to;
    ColumnNumbers offsets = column_numbers(walk, node, "offset", from.columns, 0), factors = column_numbers(walk, node, "scale", from.columns, 1);

    require_numbers(walk, node, &from);
    to = result_of(walk, node, VALUE_COLUMNS, from.columns);
    to->single = true;
    for (uint32_t c = 0; c < from.columns; c++) {
        double offset = column_number(&offsets, c), factor = column_number(&factors, c);
        ImportColumn *column = &to->column[c];

        if (!(factor > 0) || !isfinite(1 / factor))
            onnx_fail(walk->import.env, "has a Scaler with the factor %g, which is not read", factor);
        *column = from.column[c];
        column->shift += offset * column->scale;
        column->scale /= factor;
        column->scaled = true;
        if (!(column->scale > 0) || !isfinite(column->scale) || !isfinite(column->shift))
            onnx_fail(walk->import.env, "has scalers whose product is out of range");
    }
}

static void read_imputer(Walk *walk, const OnnxNode *node)
{
    Env *env = walk->import.env;
    Value from = columns_of(walk, node, 0), *to;
    ColumnNumbers means = column_numbers(walk, node, "imputed_value_floats", from.columns, NAN);

    if (!isnan(onnx_value(env, node, "replaced_value_float", 0)) || onnx_attribute(node, "imputed_value_int64s") != NULL)
        onnx_fail(env, "has an Imputer of other values than NaN, which is not read");
    to = result_of(walk, node, VALUE_COLUMNS, from.columns);
    to->single = from.single;
    for (uint32_t c = 0; c < from.columns; c++) {
        double mean = column_number(&means, c);
        ImportFeature *feature = &walk->import.row.feature[from.column[c].feature];

        if (from.column[c].kind != IMPORT_COLUMN_NUMBER || from.column[c].scaled || isnan(mean) || (!isnan(feature->mean) && feature->mean != mean))
            onnx_fail(env, "has an Imputer of columns that are not those of the row, which is not read");
        feature->mean = mean;
        to->column[c] = from.column[c];
    }
}

/* ---- categories ---- */

/* Declares that a feature is a category, and sets its levels. Fails if it already has different ones. */
static void set_levels(Walk *walk, const OnnxNode *node, const ImportColumn *column, const char *const *levels, uint32_t count)
{
    ImportFeature *feature = &walk->import.row.feature[column->feature];
    bool same = feature->levels == count;

    if (column->kind == IMPORT_COLUMN_LEVEL || column->kind == IMPORT_COLUMN_CODE || column->scaled || !isnan(feature->mean))
        onnx_fail(walk->import.env, "has a %.40s of columns that are not those of the row, which is not read", node->operator);
    for (uint32_t l = 0; feature->category && same && l < count; l++)
        same = strcmp(feature->level[l], levels[l]) == 0;
    if (count == 0 || (feature->category && !same))
        onnx_fail(walk->import.env, "has a %.40s without levels, or two with other levels of the same column", node->operator);
    feature->category = true;
    feature->levels = count;
    feature->level = levels;
}

static void read_one_hot(Walk *walk, const OnnxNode *node)
{
    OnnxImport *import = &walk->import;
    Value from = columns_of(walk, node, 0), *to;
    uint32_t texts, integers;
    const char *const *levels = onnx_texts(import->env, node, "cats_strings", &texts);
    const double *numbers = onnx_values(import->env, node, "cats_int64s", &integers, NULL);

    if (from.columns != 1)
        onnx_fail(import->env, "has a OneHotEncoder of %u columns; one is read", from.columns);
    if ((texts > 0) == (integers > 0) || (texts > 0) != (from.column[0].kind == IMPORT_COLUMN_TEXT))
        onnx_fail(import->env, "has a OneHotEncoder whose levels are not of the type of its column");
    if (levels == NULL)
        levels = onnx_integer_texts(import->env, numbers, integers);
    set_levels(walk, node, &from.column[0], levels, texts + integers);
    import->row.strict = import->row.strict || onnx_value(import->env, node, "zeros", 1) == 0;
    to = result_of(walk, node, VALUE_COLUMNS, texts + integers);
    to->single = true;
    for (uint32_t l = 0; l < texts + integers; l++)
        to->column[l] = (ImportColumn){.kind = IMPORT_COLUMN_LEVEL, .feature = from.column[0].feature, .level = l, .scale = 1};
}

static void read_label_encoder(Walk *walk, const OnnxNode *node)
{
    OnnxImport *import = &walk->import;
    Value from = columns_of(walk, node, 0), *to;
    uint32_t texts, floats, integers;
    const char *const *levels = onnx_texts(import->env, node, "keys_strings", &texts);
    const double *codes = onnx_values(import->env, node, "values_floats", &floats, NULL);
    const double *whole = onnx_values(import->env, node, "values_int64s", &integers, NULL);
    ImportFeature *feature;

    if (from.columns != 1 || from.column[0].kind != IMPORT_COLUMN_TEXT || texts == 0 || floats + integers != texts)
        onnx_fail(import->env, "has a LabelEncoder that does not turn the texts of one column to numbers, which is not read");
    feature = &import->row.feature[from.column[0].feature];
    if (feature->category)
        onnx_fail(import->env, "encodes a column twice, which is not read");
    set_levels(walk, node, &from.column[0], levels, texts);
    feature->code = codes != NULL ? codes : whole;
    feature->missing = codes != NULL ? onnx_value(import->env, node, "default_float", 0) : onnx_value(import->env, node, "default_int64", -1);
    for (uint32_t l = 0; l <= texts; l++)
        if (!isfinite(l < texts ? feature->code[l] : feature->missing))
            onnx_fail(import->env, "has a LabelEncoder with a number that is not finite, which is not read");
    to = result_of(walk, node, VALUE_COLUMNS, 1);
    to->single = codes != NULL;
    to->column[0] = (ImportColumn){.kind = IMPORT_COLUMN_CODE, .feature = from.column[0].feature, .scale = 1};
}

/* ---- the node that scores, and those after it ---- */

static void read_scorer(Walk *walk, const OnnxNode *node)
{
    OnnxImport *import = &walk->import;
    Value from = columns_of(walk, node, 0);

    if (import->scorer != NULL)
        onnx_fail(import->env, "has two nodes that score, %.40s and %.40s, which is not read", import->scorer->operator, node->operator);
    require_numbers(walk, node, &from);
    import->scorer = node;
    import->row.columns = from.columns;
    import->row.column = from.column;
    import->single = from.single;
    if (node->outputs == 0 || node->outputs > 2)
        onnx_fail(import->env, "has a node %.40s with %u outputs", node->operator, node->outputs);
    for (uint32_t i = 0; i < node->outputs; i++)
        if (node->output[i][0] != 0)
            add_value(walk, node->output[i], node->outputs == 2 && i == 0 ? VALUE_LABEL : VALUE_NUMBERS, 0);
}

static void read_normalizer(Walk *walk, const OnnxNode *node)
{
    Value from = input_of(walk, node, 0);

    if (from.kind != VALUE_NUMBERS || strcmp(onnx_text(walk->import.env, node, "norm", "MAX"), "L1") != 0)
        onnx_fail(walk->import.env, "has a Normalizer of something other than probabilities, which is not read");
    walk->import.normalized = true;
    read_same(walk, node);
}

static void read_zip_map(Walk *walk, const OnnxNode *node)
{
    if (input_of(walk, node, 0).kind != VALUE_NUMBERS)
        onnx_fail(walk->import.env, "has a ZipMap of something other than probabilities");
    read_same(walk, node);
}

typedef struct Operator {
    const char *name;
    void (*read)(Walk *walk, const OnnxNode *node);
    Model *(*score)(OnnxImport *import); /* NULL: it does not score */
} Operator;

static const Operator operators[] = {{"ArrayFeatureExtractor", read_choice, NULL},
                                     {"Cast", read_cast, NULL},
                                     {"Concat", read_concat, NULL},
                                     {"FeatureVectorizer", read_concat, NULL},
                                     {"Flatten", read_shape, NULL},
                                     {"Gather", read_choice, NULL},
                                     {"Identity", read_same, NULL},
                                     {"Imputer", read_imputer, NULL},
                                     {"LabelEncoder", read_label_encoder, NULL},
                                     {"LinearClassifier", read_scorer, onnx_import_linear_classifier},
                                     {"LinearRegressor", read_scorer, onnx_import_linear_regressor},
                                     {"Normalizer", read_normalizer, NULL},
                                     {"OneHotEncoder", read_one_hot, NULL},
                                     {"Reshape", read_shape, NULL},
                                     {"SVMClassifier", read_scorer, onnx_import_svm_classifier},
                                     {"SVMRegressor", read_scorer, onnx_import_svm_regressor},
                                     {"Scaler", read_scaler, NULL},
                                     {"Squeeze", read_shape, NULL},
                                     {"TreeEnsembleClassifier", read_scorer, onnx_import_tree_classifier},
                                     {"TreeEnsembleRegressor", read_scorer, onnx_import_tree_regressor},
                                     {"Unsqueeze", read_shape, NULL},
                                     {"ZipMap", read_zip_map, NULL}};

static const Operator *find_operator(const OnnxNode *node)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (strcmp(operators[i].name, node->operator) == 0 && (node->domain[0] == 0 || strcmp(node->domain, "ai.onnx") == 0 || strcmp(node->domain, ONNX_ML_DOMAIN) == 0))
            return &operators[i];
    return NULL;
}

/* ---- the model ---- */

/* Returns the model of the node that scores. */
static Model *score_of(void *context)
{
    OnnxImport *import = context;

    return find_operator(import->scorer)->score(import);
}

/* Takes the columns that the document returns, where no node scores. */
static void take_outputs(Walk *walk)
{
    OnnxImport *import = &walk->import;
    const OnnxDocument *document = import->document;

    for (uint32_t i = 0; i < document->outputs; i++) {
        const Value *value = find_value(walk, document->output[i].name);

        if (value == NULL)
            onnx_fail(import->env, "is damaged: no node gives its output \"%.60s\"", document->output[i].name);
        if (import->scorer != NULL && value->kind == VALUE_COLUMNS)
            onnx_fail(import->env, "returns columns beside scores, which is not read");
        if (import->scorer == NULL) {
            if (document->outputs > 1)
                onnx_fail(import->env, "returns %u values, and none is a score", document->outputs);
            import->row.columns = value->columns;
            import->row.column = value->column;
        }
    }
    if (document->outputs == 0)
        onnx_fail(import->env, "has no outputs");
}

static Model *read_onnx(Env *env, const uint8_t *bytes, size_t length, const ImportNames *names)
{
    Walk walk = {.import = {.env = env, .row = {.names = names, .program = "onnx"}, .document = onnx_document(env, bytes, length)}, .table = hash_table(env, 6)};
    const OnnxDocument *document = walk.import.document;

    walk.import.row.origin = document->producer[0] != 0 ? env_message(env, "onnx by %s", document->producer) : "onnx";
    read_inputs(&walk);
    for (uint32_t i = 0; i < document->nodes; i++) {
        const Operator *operator = find_operator(&document->node[i]);

        env->poll(env);
        if (operator == NULL)
            onnx_fail(env, "has the operator %.60s%s%.60s, which is not read", document->node[i].domain, document->node[i].domain[0] != 0 ? " " : "",
                      document->node[i].operator);
        operator->read(&walk, &document->node[i]);
    }
    take_outputs(&walk);
    return import_row_model(env, &walk.import.row, walk.import.scorer != NULL ? score_of : NULL, &walk.import);
}

const ExportFormat export_onnx = {.name = "onnx", .binary = true, .write = onnx_export};
const ImportFormat import_onnx = {.name = "onnx", .recognize = onnx_recognize, .read = read_onnx};
