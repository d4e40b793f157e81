/*
 * test_onnx_import.c - graphs of ONNX operators, written line by line: what they score, and what a graph that is not read says.
 */
#include "check.h"
#include "fit.h"
#include "core/exchange/exchange.h"
#include "core/onnx/onnx_format.h"
#include "core/onnx/protobuf.h"
#include "core/prepare/pipeline.h"

#include <stdlib.h>

static Host *host;
#define ENV (&host->env)

/*
 * A graph has lines "in NAME TYPE COLUMNS", "const NAME TYPE NUMBERS", "out NAME" and "OPERATOR INPUTS > OUTPUTS ATTRIBUTES". Lists have commas; an
 * attribute is NAME=KIND:VALUE, where KIND is f or i (a number), F or I (numbers), s (a text) or S (texts). "const NAME 8 red,blue" has texts.
 */

static TextBuffer message(void)
{
    return (TextBuffer){.env = ENV};
}

/* Returns the next word of a line up to an end character, which it passes; NULL at the end. */
static char *word(char **at, const char *ends)
{
    char *begin = *at + strspn(*at, " "), *end = begin + strcspn(begin, ends);

    if (*begin == 0)
        return NULL;
    *at = *end == 0 ? end : end + 1;
    *end = 0;
    return begin;
}

static void put_attribute(TextBuffer *node, char *text)
{
    char *at = text, *name = word(&at, "="), kind = at[0], *item;
    TextBuffer out = message();

    at += 2;
    proto_string(&out, ONNX_ATTRIBUTE_NAME, name);
    if (kind == 's')
        proto_string(&out, ONNX_ATTRIBUTE_STRING, at);
    else if (kind == 'f') {
        proto_float(&out, ONNX_ATTRIBUTE_FLOAT, strtof(at, NULL));
        proto_varint(&out, ONNX_ATTRIBUTE_TYPE, ONNX_IS_FLOAT); /* of NaN, too */
    } else if (kind == 'i')
        proto_varint(&out, ONNX_ATTRIBUTE_INTEGER, (uint64_t)strtoll(at, NULL, 10));
    while (strchr("FIS", kind) != NULL && (item = word(&at, ",")) != NULL)
        if (kind == 'F')
            proto_float(&out, ONNX_ATTRIBUTE_FLOATS, strtof(item, NULL));
        else if (kind == 'I')
            proto_varint(&out, ONNX_ATTRIBUTE_INTEGERS, (uint64_t)strtoll(item, NULL, 10));
        else
            proto_string(&out, ONNX_ATTRIBUTE_STRINGS, item);
    proto_message(node, ONNX_NODE_ATTRIBUTE, &out);
}

static void put_port(TextBuffer *graph, uint32_t field, const char *name, uint64_t type, uint64_t columns)
{
    TextBuffer size = message(), shape = message(), tensor = message(), types = message(), out = message();

    proto_message(&shape, ONNX_SHAPE_DIMENSION, &size);
    proto_varint(&size, ONNX_DIMENSION_VALUE, columns);
    proto_message(&shape, ONNX_SHAPE_DIMENSION, &size);
    proto_varint(&tensor, ONNX_TYPE_ELEMENT, type);
    proto_message(&tensor, ONNX_TYPE_SHAPE, &shape);
    proto_message(&types, ONNX_TYPE_TENSOR, &tensor);
    proto_string(&out, ONNX_VALUE_NAME, name);
    proto_message(&out, ONNX_VALUE_TYPE, &types);
    proto_message(graph, field, &out);
}

static void put_constant(TextBuffer *graph, const char *name, uint64_t type, char *items)
{
    TextBuffer out = message();
    char *item;
    uint64_t count = 0;

    while ((item = word(&items, ",")) != NULL) {
        count++;
        if (type == ONNX_STRING)
            proto_string(&out, ONNX_TENSOR_STRINGS, item);
        else if (type == ONNX_INT64)
            proto_varint(&out, ONNX_TENSOR_INT64S, (uint64_t)strtoll(item, NULL, 10));
        else
            proto_float(&out, ONNX_TENSOR_FLOATS, strtof(item, NULL));
    }
    proto_string(&out, ONNX_TENSOR_NAME, name);
    proto_varint(&out, ONNX_TENSOR_TYPE, type);
    proto_varint(&out, ONNX_TENSOR_DIMENSION, count);
    proto_message(graph, ONNX_GRAPH_CONSTANT, &out);
}

static void put_node(TextBuffer *graph, const char *operator, char *at)
{
    char *inputs = word(&at, ">"), *outputs = word(&at, " "), *list, *item;
    TextBuffer out = message();

    for (list = inputs; (item = word(&list, ", ")) != NULL;)
        proto_string(&out, ONNX_NODE_INPUT, item);
    for (list = outputs; list != NULL && (item = word(&list, ",")) != NULL;)
        proto_string(&out, ONNX_NODE_OUTPUT, strcmp(item, "-") == 0 ? "" : item);
    proto_string(&out, ONNX_NODE_OPERATOR, operator);
    while ((item = word(&at, " ")) != NULL)
        put_attribute(&out, item);
    proto_message(graph, ONNX_GRAPH_NODE, &out);
}

static Model *import_graph(const char *lines, const ImportNames *names)
{
    char *at = env_text(ENV, lines, strlen(lines)), *line;
    TextBuffer graph = message(), out = message();
    uint64_t type;

    while ((line = word(&at, "\n")) != NULL) {
        char *first = word(&line, " "), *name;

        if (strcmp(first, "in") == 0) {
            name = word(&line, " ");
            type = strtoul(line, &line, 10);
            put_port(&graph, ONNX_GRAPH_INPUT, name, type, strtoul(line, NULL, 10));
        } else if (strcmp(first, "out") == 0) {
            put_port(&graph, ONNX_GRAPH_OUTPUT, word(&line, " "), ONNX_FLOAT, 1);
        } else if (strcmp(first, "const") == 0) {
            name = word(&line, " ");
            type = strtoul(line, &line, 10);
            put_constant(&graph, name, type, line);
        } else {
            put_node(&graph, first, line);
        }
    }
    proto_varint(&out, ONNX_MODEL_IR, ONNX_IR_VERSION);
    proto_message(&out, ONNX_MODEL_GRAPH, &graph);
    return model_import(ENV, (const uint8_t *)out.text, out.length, "onnx", names);
}

/* Returns a prediction for these inputs, categories by their positions. */
static double predicted(const Model *model, const double *slots)
{
    const Model *last = pipeline_last(ENV, model);
    const Scoring *scoring = estimator_of(last)->scoring;
    double row[8];
    size_t bytes;

    memcpy(row, slots, model->slot_count * sizeof(double));
    if (pipeline_is(model) && !pipeline_run(ENV, pipeline_prepare(ENV, model), slots, row))
        return NAN;
    return scoring->predict(last, scoring->prepare != NULL ? scoring->prepare(ENV, last, &bytes) : NULL, row);
}

#define LINE " coefficients=F:1,10,100 intercepts=F:0.5\n"

/* Each graph of x = (2, 3, 5), or of (2, 3) and a level, and its score. */
static void test_scores(void)
{
    static const struct {
        const char *graph;
        double slots[3], score;
        const char *level; /* of the last column */
    } cases[] = {
        {"in x 1 3\nLinearRegressor x > y" LINE "out y", {2, 3, 5}, 532.5},
        {"in x 11 3\nCast x > z to=i:1\nIdentity z > w\nLinearRegressor w > y" LINE "out y", {2, 3, 5}, 532.5},
        {"in x 1 3\nScaler x > z offset=F:1 scale=F:2\nLinearRegressor z > y" LINE "out y", {2, 3, 5}, 842.5},
        {"in x 1 3\nScaler x > z offset=F:1,2,3 scale=F:1,2,4\nScaler z > w\nLinearRegressor w > y" LINE "out y", {2, 3, 5}, 821.5},
        {"in x 1 3\nconst c 7 2,0,1\nArrayFeatureExtractor x,c > z\nLinearRegressor z > y" LINE "out y", {2, 3, 5}, 325.5},
        {"in x 1 3\nconst c 7 2,1,0\nGather x,c > z axis=i:1\nLinearRegressor z > y" LINE "out y", {2, 3, 5}, 235.5},
        {"in x 1 3\nconst c 7 0,3\nReshape x,c > z\nLinearRegressor z > v" LINE "const s 7 -1\nReshape v,s > y\nout y", {2, 3, 5}, 532.5},
        {"in x 1 3\nconst c 7 0,-1\nReshape x,c > z\nFlatten z > w\nLinearRegressor w > y" LINE "out y", {2, 3, 5}, 532.5},
        {"in a 1 2\nin b 1 1\nConcat a,b > z axis=i:-1\nLinearRegressor z > y" LINE "out y", {2, 3, 5}, 532.5},
        {"in a 1 1\nin b 1 1\nin c 1 1\nconst w 1 7\nin w 1 1\nFeatureVectorizer a,b,c > z\nLinearRegressor z > y" LINE "out y", {2, 3, 5}, 532.5},
        {"in x 1 3\nImputer x > z imputed_value_floats=F:7 replaced_value_float=f:nan\nImputer x > w imputed_value_floats=F:7 replaced_value_float=f:nan\nLinearRegressor w > y" LINE "out y",
         {2, 3, 5},
         532.5},
        {"in a 1 1\nin b 8 1\nOneHotEncoder b > h cats_strings=S:red,blue zeros=i:1\nConcat a,h > z\nLinearRegressor z > y" LINE "out y", {2}, 102.5, "blue"},
        {"in a 1 1\nin b 7 1\nOneHotEncoder b > h cats_int64s=I:7,9\nOneHotEncoder b > g cats_int64s=I:7,9\nConcat a,h > z\nLinearRegressor z > y" LINE "out y", {2}, 12.5, "7"},
        {"in a 1 2\nin b 8 1\nLabelEncoder b > c keys_strings=S:red,blue values_int64s=I:4,6\nConcat a,c > z\nLinearRegressor z > y" LINE "out y", {2, 3}, 432.5, "red"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ImportNames names = {0};
        volatile double score = NAN;

        if (TRY(host)) {
            Model *model = import_graph(cases[i].graph, &names);
            double slots[3];

            memcpy(slots, cases[i].slots, sizeof slots);
            if (cases[i].level != NULL)
                slots[model->slot_count - 1] = dictionary_find(model, DICTIONARY_LEVELS, model->field_count - 1, cases[i].level, (uint32_t)strlen(cases[i].level), false);
            score = predicted(model, slots);
        }
        check_that(fabs(score - cases[i].score) < 1e-5, __FILE__, __LINE__, "graph %zu is %g, not %g: %s", i, score, cases[i].score, host->message);
        TRY_END(host);
        host_reset(host);
    }
}

static void test_refusals(void)
{
    static const struct {
        const char *graph, *words;
    } cases[] = {
        {"in x 1 3\nLinearRegressor x > x" LINE "out y", "two values are named \"x\""},
        {"in x 1 3\nLinearRegressor z > y" LINE "out y", "whose input \"z\" no input or node before it gives"},
        {"in x 1 3\nLinearRegressor > y" LINE "out y", "no input or node before it gives"},
        {"in x 1 3\nLinearRegressor x > y" LINE "Scaler y > z\nout z", "has a node Scaler after the one that scores"},
        {"in x 1 3\nGather x > z axis=i:1\nLinearRegressor z > y" LINE "out y", "has a node Gather whose input 2 is no constant"},
        {"in x 1 3\nGather x,c > z axis=i:1\nLinearRegressor z > y" LINE "out y", "has a node Gather whose input 2 is no constant"},
        {"in x 1 3\nIdentity x > z,w\nLinearRegressor z > y" LINE "out y", "has a node Identity with 2 outputs"},
        {"in x 1 0\nLinearRegressor x > y" LINE "out y", "does not say how many columns its input \"x\" has"},
        {"out y", "has inputs of 0 columns"},
        {"in x 1 100001\nout x", "has inputs of 100001 columns"},
        {"in x 10 3\nout x", "has the input \"x\" of type 10"},
        {"in x 1 3\nCast x > z to=i:7\nLinearRegressor z > y" LINE "out y", "has a Cast of columns to type 7"},
        {"in x 8 3\nCast x > z to=i:1\nLinearRegressor z > y" LINE "out y", "has a Cast of texts"},
        {"in x 1 3\nconst c 7 3\nSqueeze x,c > z\nLinearRegressor z > y" LINE "out y", "has a Squeeze of columns"},
        {"in x 1 3\nconst c 7 3\nReshape x,c > z\nLinearRegressor z > y" LINE "out y", "has a Reshape of columns"},
        {"in x 1 3\nconst c 8 0,3\nReshape x,c > z\nLinearRegressor z > y" LINE "out y", "has a Reshape of columns"},
        {"in x 1 3\nconst c 7 0,4\nReshape x,c > z\nLinearRegressor z > y" LINE "out y", "has a Reshape of columns"},
        {"in x 1 3\nconst c 7 1,-1\nReshape x,c > z\nLinearRegressor z > y" LINE "out y", "has a Reshape of columns"},
        {"in x 1 3\nConcat x,x > z axis=i:0\nout z", "has a Concat along axis 0"},
        {"in x 1 3\nConcat > z\nout z", "has a Concat of 0 columns"},
        {"in x 1 60000\nConcat x,x > z\nout z", "has a Concat of 120000 columns"},
        {"in x 1 3\nconst c 7 0\nGather x,c > z\nout z", "has a Gather of rows"},
        {"in x 1 3\nconst c 8 red\nGather x,c > z axis=i:1\nout z", "has a Gather without numbers of columns"},
        {"in x 1 3\nconst c 7 \nGather x,c > z axis=i:1\nout z", "has a Gather without numbers of columns"},
        {"in x 1 3\nconst c 7 3\nGather x,c > z axis=i:1\nout z", "has a Gather of column 3 of 3"},
        {"in x 1 3\nconst c 7 -1\nGather x,c > z axis=i:1\nout z", "has a Gather of column -1 of 3"},
        {"in x 1 3\nconst c 1 0.5\nArrayFeatureExtractor x,c > z\nout z", "has a ArrayFeatureExtractor of column 0.5 of 3"},
        {"in x 8 3\nScaler x > z\nout z", "has a Scaler of texts"},
        {"in x 8 3\nLinearRegressor x > y" LINE "out y", "has a LinearRegressor of texts"},
        {"in x 1 3\nScaler x > z scale=F:1,2\nout z", "has a Scaler with 2 numbers in \"scale\" for 3 columns"},
        {"in x 1 3\nScaler x > z offset=F:inf\nout z", "has a Scaler with a number in \"offset\" that is not finite"},
        {"in x 1 3\nScaler x > z scale=F:-1\nout z", "has a Scaler with the factor -1"},
        {"in x 1 3\nImputer x > z imputed_value_floats=F:7 replaced_value_float=f:0\nout z", "has an Imputer of other values than NaN"},
        {"in x 7 3\nImputer x > z imputed_value_int64s=I:7 replaced_value_float=f:nan\nout z", "has an Imputer of other values than NaN"},
        {"in x 1 3\nImputer x > z replaced_value_float=f:nan\nout z", "has an Imputer of columns that are not those of the row"},
        {"in x 8 3\nImputer x > z imputed_value_floats=F:7 replaced_value_float=f:nan\nout z", "has an Imputer of columns that are not those of the row"},
        {"in x 1 3\nScaler x > w\nImputer w > z imputed_value_floats=F:7 replaced_value_float=f:nan\nout z", "has an Imputer of columns that are not those of the row"},
        {"in x 1 3\nImputer x > w imputed_value_floats=F:7 replaced_value_float=f:nan\nImputer x > z imputed_value_floats=F:8 replaced_value_float=f:nan\nout z",
         "has an Imputer of columns that are not those of the row"},
        {"in x 8 3\nOneHotEncoder x > z cats_strings=S:red\nout z", "has a OneHotEncoder of 3 columns"},
        {"in x 8 1\nOneHotEncoder x > z\nout z", "whose levels are not of the type of its column"},
        {"in x 8 1\nOneHotEncoder x > z cats_strings=S:red cats_int64s=I:1\nout z", "whose levels are not of the type of its column"},
        {"in x 7 1\nOneHotEncoder x > z cats_strings=S:red\nout z", "whose levels are not of the type of its column"},
        {"in x 8 1\nOneHotEncoder x > z cats_strings=S:red\nOneHotEncoder x > w cats_strings=S:blue\nout z", "or two with other levels of the same column"},
        {"in x 8 1\nOneHotEncoder x > z cats_strings=S:red\nOneHotEncoder x > w cats_strings=S:red,blue\nout z", "or two with other levels of the same column"},
        {"in x 7 1\nScaler x > w\nOneHotEncoder w > z cats_int64s=I:1\nout z", "has a OneHotEncoder of columns that are not those of the row"},
        {"in x 7 1\nOneHotEncoder x > w cats_int64s=I:1\nOneHotEncoder w > z cats_int64s=I:1\nout z", "has a OneHotEncoder of columns that are not those of the row"},
        {"in x 1 1\nImputer x > w imputed_value_floats=F:7 replaced_value_float=f:nan\nOneHotEncoder w > z cats_int64s=I:1\nout z",
         "has a OneHotEncoder of columns that are not those of the row"},
        {"in x 8 2\nLabelEncoder x > z keys_strings=S:a values_int64s=I:1\nout z", "has a LabelEncoder that does not turn"},
        {"in x 7 1\nLabelEncoder x > z keys_strings=S:a values_int64s=I:1\nout z", "has a LabelEncoder that does not turn"},
        {"in x 8 1\nLabelEncoder x > z\nout z", "has a LabelEncoder that does not turn"},
        {"in x 8 1\nLabelEncoder x > z keys_strings=S:a values_int64s=I:1,2\nout z", "has a LabelEncoder that does not turn"},
        {"in x 8 1\nLabelEncoder x > z keys_strings=S:a values_int64s=I:1\nLabelEncoder x > w keys_strings=S:a values_int64s=I:1\nout z", "encodes a column twice"},
        {"in x 8 1\nLabelEncoder x > z keys_strings=S:a values_floats=F:inf\nout z", "has a LabelEncoder with a number that is not finite"},
        {"in x 8 1\nLabelEncoder x > z keys_strings=S:a values_floats=F:1 default_float=f:nan\nout z", "has a LabelEncoder with a number that is not finite"},
        {"in x 1 3\nLinearRegressor x > y" LINE "LinearRegressor x > z" LINE "out y", "has two nodes that score, LinearRegressor and LinearRegressor"},
        {"in x 1 3\nLinearRegressor x > y,z,w" LINE "out y", "has a node LinearRegressor with 3 outputs"},
        {"in x 1 3\nNormalizer x > z norm=s:L1\nout z", "has a Normalizer of something other than probabilities"},
        {"in x 1 3\nLinearRegressor x > y" LINE "Normalizer y > z norm=s:L2\nout z", "has a Normalizer of something other than probabilities"},
        {"in x 1 3\nZipMap x > z\nout z", "has a ZipMap of something other than probabilities"},
        {"in x 1 3\nLinearRegressor x > y" LINE "out z", "no node gives its output \"z\""},
        {"in x 1 3\nLinearRegressor x > y" LINE "out y\nout x", "returns columns beside scores"},
        {"in x 1 3\nScaler x > y\nScaler x > z\nout y\nout z", "returns 2 values, and none is a score"},
        {"in x 1 3\nLinearRegressor x > y" LINE, "has no outputs"},
        {"in x 1 3\nLogSoftmax x > y\nout y", "has the operator LogSoftmax"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ImportNames names = {0};

        CHECK_FAILS(host, ERROR_DATA, cases[i].words, import_graph(cases[i].graph, &names));
        host_reset(host);
    }
}

/* The number of columns that a document does not say is that of the names that are given. */
static void test_names(void)
{
    static const char *const features[] = {"a", "b", "c"};
    ImportNames names = {.features = features, .feature_count = 3};
    static const double slots[] = {2, 3, 5};
    char name[SCHEMA_NAME_SIZE];
    Model *model = import_graph("in x 1 0\nLinearRegressor x > y" LINE "out y", &names);

    CHECK_NEAR(predicted(model, slots), 532.5, 1e-12);
    schema_field_name(model, 1, name, sizeof name);
    CHECK_TEXT(name, "b");
    model = import_graph("in x 1 0\nin z 1 2\nConcat x,z > w\nLinearRegressor w > y" LINE "out y", &(ImportNames){0}); /* one of several is one column */
    CHECK_INT(model->slot_count, 3);
    schema_field_name(model, 2, name, sizeof name);
    CHECK_TEXT(name, "z_2");
    host_reset(host);
}

/* Scores a graph with a word of it replaced, if it is still a model. */
static bool survives(const char *graph)
{
    static const double slots[8] = {2, 3, 5};
    volatile bool sound = false;

    if (TRY(host)) {
        Model *model = import_graph(graph, &(ImportNames){0});

        sound = true;
        if (model->slot_count <= 8 && estimator_of(pipeline_last(ENV, model))->scoring->predict != NULL)
            predicted(model, slots);
    } else {
        CHECK(host->code == ERROR_DATA || host->code == ERROR_PARAMETER || host->code == ERROR_LIMIT || host->code == ERROR_RANGE || host->code == ERROR_KIND);
    }
    TRY_END(host);
    host_reset(host);
    return sound;
}

#define TREE_NODES                                                                                                                                   \
    " nodes_treeids=I:0,0,0,0,0 nodes_nodeids=I:0,1,2,3,4 nodes_featureids=I:0,0,1,0,0 nodes_values=F:0.5,0,1.5,0,0 nodes_modes=S:BRANCH_LEQ,LEAF,BRANCH_LT,LEAF,LEAF" \
    " nodes_truenodeids=I:1,0,3,0,0 nodes_falsenodeids=I:2,0,4,0,0 nodes_missing_value_tracks_true=I:0,0,1,0,0"

/* Other words in place of each word of a graph, and none in place of one of a list: the import is refused, or its model scores. */
static void test_damage(void)
{
    static const char *const graphs[] = {
        "in x 1 3\nScaler x > z offset=F:1,2,3 scale=F:1,2,4\nconst c 7 2,0,1\nGather z,c > w axis=i:1\nLinearRegressor w > y" LINE "out y",
        "in a 1 1\nin b 8 1\nOneHotEncoder b > h cats_strings=S:red,blue zeros=i:1\nConcat a,h > z\nLinearRegressor z > y" LINE "out y",
        "in a 1 2\nin b 8 1\nLabelEncoder b > c keys_strings=S:red,blue values_int64s=I:4,6\nConcat a,c > z\nLinearRegressor z > y" LINE "out y",
        "in x 1 2\nLinearClassifier x > l,p coefficients=F:1,2,-1,-2 intercepts=F:0.5,-0.5 classlabels_ints=I:0,1 post_transform=s:LOGISTIC multi_class=i:0\nout l\nout p",
        "in x 1 2\nTreeEnsembleRegressor x > y" TREE_NODES " target_treeids=I:0,0,0 target_nodeids=I:1,3,4 target_ids=I:0,0,0 target_weights=F:1,2,3 n_targets=i:1 base_values=F:0.5\nout y",
        "in x 1 2\nTreeEnsembleClassifier x > l,p" TREE_NODES " class_treeids=I:0,0,0,0,0,0 class_nodeids=I:1,1,3,3,4,4 class_ids=I:0,1,0,1,0,1 class_weights=F:0.25,0.75,1,0,0.5,0.5"
        " classlabels_int64s=I:3,4 post_transform=s:NONE\nout l\nout p",
        "in x 1 2\nSVMRegressor x > y kernel_type=s:RBF kernel_params=F:0.5,0,3 support_vectors=F:1,2,3,4 coefficients=F:1,-1 rho=F:0.25 n_supports=i:2\nout y",
        "in x 1 2\nSVMClassifier x > l,p kernel_type=s:POLY kernel_params=F:0.5,1,3 support_vectors=F:1,2,3,4 coefficients=F:1,-1 rho=F:0.25 vectors_per_class=I:1,1 classlabels_ints=I:0,1\nout l\nout p"};
    static const char *const odd[] = {"", "-1", "0", "1", "7", "99999999999", "1e30", "nan", "red", "x", "BRANCH_GT", "LINEAR", "SOFTMAX"};
    uint32_t sound = 0, tried = 0;

    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
        CHECK(survives(graphs[g]));
        for (const char *at = strchr(graphs[g], ' '); *at != 0;) {
            size_t length = strcspn(++at, " ,:=>\n");
            bool kind = at[-1] == '\n' || at[-1] == '='; /* of a line or an attribute, which import_graph needs */

            for (size_t k = at[-1] == ' '; k < sizeof odd / sizeof *odd && !kind; k++) {
                char graph[1024];

                snprintf(graph, sizeof graph, "%.*s%s%s", (int)(at - graphs[g]), graphs[g], odd[k], at + length);
                sound += survives(graph);
                tried++;
            }
            at += length;
        }
    }
    CHECK(sound > 100 && sound < tried * 3 / 4);
}

int main(void)
{
    host = host_new();
    host->env.memory_limit = (size_t)1 << 30;
    test_scores();
    test_refusals();
    CHECK_WORKS(host, test_names());
    test_damage();
    host_free(host);
    return check_report();
}
