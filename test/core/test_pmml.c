/*
 * test_pmml.c - trees of XML and the PMML documents in them: limits of the tree, sound documents, and damaged ones, which either fail or become
 * sound models that score and can be written.
 */
#include "check.h"
#include "fit.h"
#include "core/estimator/estimator.h"
#include "core/exchange/exchange.h"
#include "core/base/text_buffer.h"
#include "core/pmml/xml_tree.h"
#include "core/prepare/pipeline.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- a parser of the XML of this file: elements, attributes in double quotes, text ---- */

/* What damages a document while it is read, at places by chance or at a certain one; rate 0 and at 0: nothing does. */
typedef struct Damage {
    uint64_t seed;
    double rate;
    uint32_t at, passed; /* the place, 1 for the first, and how many were passed */
    uint32_t pick;       /* what takes its place there */
    const char *words[256]; /* names and values seen so far */
    uint32_t count;
} Damage;

static Damage damage;
#define PLAIN 12      /* words that take the place of each other */
#define SYSTEMATIC 16 /* beyond PLAIN: early words of the document */

static bool strikes(void)
{
    if (damage.at > 0)
        return ++damage.passed == damage.at;
    return damage.rate > 0 && random_uniform(&damage.seed) < damage.rate;
}

/* Returns a word, or what takes its place. */
static const char *spoil(Env *env, const char *word)
{
    static const char *const odd[] = {"", "-1", "0", "1e308", "NaN", "4294967296", "0.5", "true", "Node", "missing", "isMissing", "lastPrediction",
                                      /* what readers know, by chance alone */
                                      "false", "none", "1", "2", "1e-320", "x", "exp", "logit", "softmax", "probit", "cloglog", "sum", "average", "weightedAverage", "majorityVote", "modelChain", "selectFirst",
                                      "classification", "regression", "clustering", "predictedValue", "probability", "transformedValue", "asIs", "asMissing", "returnInvalid", "asMean", "target", "supplementary",
                                      "active", "categorical", "continuous", "ordinal", "integer", "string", "boolean", "double", "float", "defaultChild", "nullPrediction", "returnNullPrediction", "or", "and",
                                      "surrogate", "xor", "isIn", "isNotIn", "equal", "notEqual", "lessThan", "greaterThan", "lessOrEqual", "greaterOrEqual", "isNotMissing", "OneAgainstOne", "OneAgainstAll", "real",
                                      "True", "False", "Segment", "Output", "OutputField", "Targets", "Target", "TargetValue", "Value", "Interval", "MiningField", "DerivedField", "RegressionTable",
                                      "NumericPredictor", "CategoricalPredictor", "PredictorTerm", "SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "Extension", "ScoreDistribution", "TreeModel",
                                      "RegressionModel", "MiningModel", "ClusteringModel", "SupportVectorMachineModel", "GeneralRegressionModel", "NaiveBayesModel", "NearestNeighborModel", "Constant", "FieldRef",
                                      "NormDiscrete", "NormContinuous", "LinearNorm", "Discretize", "MapValues", "Apply", "Array", "REAL-SparseArray", "LocalTransformations", "score", "recordCount", "value",
                                      "rescaleConstant", "rescaleFactor", "missingValueReplacement", "missingValueTreatment", "invalidValueTreatment", "multipleModelMethod", "normalizationMethod", "operator"};
    uint32_t known = damage.at > 0 && damage.pick < SYSTEMATIC ? PLAIN : sizeof odd / sizeof *odd;
    uint32_t choices = damage.count + known, pick;

    if ((damage.rate > 0 || damage.at > 0) && damage.count < 256)
        damage.words[damage.count++] = word;
    if (!strikes())
        return word;
    pick = damage.at > 0 ? damage.pick % choices : (uint32_t)(random_uniform(&damage.seed) * choices);
    return pick < known ? odd[pick] : damage.words[pick - known];
}

static const char *take_word(Env *env, const char **at, const char *ends)
{
    const char *begin = *at;

    while (**at != 0 && strchr(ends, **at) == NULL)
        (*at)++;
    return env_text(env, begin, (size_t)(*at - begin));
}

/* Replaces references to characters by number. */
static const char *decode(Env *env, const char *text)
{
    char *out = env_text(env, text, strlen(text)), *to = out;

    for (; *text != 0; text++) {
        if (strncmp(text, "&#", 2) == 0) {
            *to++ = (char)strtol(text + 2, (char **)&text, 10);
            continue;
        }
        *to++ = *text;
    }
    *to = 0;
    return out;
}

static void read_attributes(Env *env, XmlTree *tree, const char **at, bool dropped)
{
    for (;;) {
        const char *name, *value;

        while (**at == ' ')
            (*at)++;
        if (**at == '>' || **at == '/' || **at == 0)
            return;
        name = take_word(env, at, "=");
        *at += 2;
        value = decode(env, take_word(env, at, "\""));
        (*at)++;
        if (dropped || strikes())
            continue;
        value = spoil(env, value);
        xml_tree_attribute(tree, spoil(env, name), value, strlen(value));
    }
}

static void read_document(Env *env, const uint8_t *bytes, size_t length, XmlTree *tree)
{
    const char *at = env_text(env, (const char *)bytes, length);
    uint32_t dropped = 0; /* open elements that are left out */

    damage.count = damage.passed = 0;
    while (*at != 0) {
        const char *text = decode(env, take_word(env, &at, "<"));

        if (text[0] != 0 && dropped == 0 && tree->open != NULL)
            xml_tree_text(tree, text, strlen(text));
        if (*at == 0)
            break;
        at++;
        if (*at == '?') {
            take_word(env, &at, ">");
        } else if (*at == '/') {
            take_word(env, &at, ">");
            dropped > 0 ? (void)dropped-- : xml_tree_end(tree);
        } else {
            const char *name = take_word(env, &at, " />");
            bool drop = dropped > 0 || (tree->open != NULL && (damage.at > 0 ? strikes() : random_uniform(&damage.seed) < damage.rate / 4));

            if (!drop)
                xml_tree_begin(tree, spoil(env, name));
            read_attributes(env, tree, &at, drop);
            if (*at == '/') {
                at++;
                if (!drop)
                    xml_tree_end(tree);
            } else {
                dropped += drop;
            }
        }
        at += *at == '>';
    }
}

/* ---- documents ---- */

#define HEAD "<PMML version=\"4.4\"><DataDictionary><DataField name=\"x\" optype=\"continuous\" dataType=\"double\"/><DataField name=\"c\" optype=\"categorical\" dataType=\"string\"><Value value=\"u\"/><Value value=\"v\"/></DataField>" \
             "<DataField name=\"y\" optype=\"continuous\" dataType=\"double\"/><DataField name=\"k\" optype=\"categorical\" dataType=\"string\"><Value value=\"no\"/><Value value=\"yes\"/></DataField></DataDictionary>"
#define SCHEMA(target) "<MiningSchema><MiningField name=\"x\"/><MiningField name=\"c\" invalidValueTreatment=\"asIs\"/><MiningField name=\"" target "\" usageType=\"target\"/></MiningSchema>"
#define DERIVED "<Apply function=\"/\"><Apply function=\"-\"><FieldRef field=\"x\"/><Constant>1</Constant></Apply><Constant>4</Constant></Apply>"
#define TREE "<TreeModel functionName=\"regression\" missingValueStrategy=\"defaultChild\">" SCHEMA("y") "<Node id=\"0\" defaultChild=\"2\"><True/>" \
             "<Node id=\"1\" score=\"1\"><SimplePredicate field=\"x\" operator=\"lessOrEqual\" value=\"0.5\"/></Node>" \
             "<Node id=\"2\" defaultChild=\"4\"><SimplePredicate field=\"x\" operator=\"greaterThan\" value=\"0.5\"/>" \
             "<Node id=\"3\" score=\"2\"><SimpleSetPredicate field=\"c\" booleanOperator=\"isIn\"><Array n=\"1\" type=\"string\">v</Array></SimpleSetPredicate></Node>" \
             "<Node id=\"4\" score=\"3\"><CompoundPredicate booleanOperator=\"or\"><SimplePredicate field=\"c\" operator=\"equal\" value=\"u\"/><True/></CompoundPredicate></Node></Node></Node></TreeModel>"

static const char *const documents[] = {
    HEAD "<RegressionModel functionName=\"regression\" normalizationMethod=\"exp\">" SCHEMA("y")
         "<LocalTransformations><DerivedField name=\"d\" optype=\"continuous\" dataType=\"double\">" DERIVED "</DerivedField></LocalTransformations>"
         "<RegressionTable intercept=\"1\"><NumericPredictor name=\"d\" coefficient=\"2\"/><CategoricalPredictor name=\"c\" value=\"v\" coefficient=\"3\"/></RegressionTable></RegressionModel></PMML>",
    HEAD "<RegressionModel functionName=\"classification\" normalizationMethod=\"logit\">" SCHEMA("k")
         "<RegressionTable intercept=\"1\" targetCategory=\"yes\"><NumericPredictor name=\"x\" coefficient=\"2\"/></RegressionTable><RegressionTable intercept=\"0\" targetCategory=\"no\"/></RegressionModel></PMML>",
    HEAD "<GeneralRegressionModel modelType=\"generalizedLinear\" functionName=\"regression\" linkFunction=\"log\">" SCHEMA("y")
         "<FactorList><Predictor name=\"c\"/></FactorList><CovariateList><Predictor name=\"x\"/></CovariateList><PPMatrix><PPCell value=\"1\" predictorName=\"x\" parameterName=\"p1\"/><PPCell value=\"v\" predictorName=\"c\" parameterName=\"p2\"/></PPMatrix>"
         "<ParamMatrix><PCell parameterName=\"p0\" beta=\"1\"/><PCell parameterName=\"p1\" beta=\"2\"/><PCell parameterName=\"p2\" beta=\"-1\"/></ParamMatrix></GeneralRegressionModel></PMML>",
    HEAD TREE "</PMML>",
    HEAD "<MiningModel functionName=\"regression\">" SCHEMA("y") "<Targets><Target rescaleConstant=\"0.5\"/></Targets><Segmentation multipleModelMethod=\"sum\"><Segment><True/>" TREE "</Segment><Segment><True/>" TREE "</Segment></Segmentation></MiningModel></PMML>",
    HEAD "<MiningModel functionName=\"classification\">" SCHEMA("k") "<Segmentation multipleModelMethod=\"modelChain\"><Segment><True/><MiningModel functionName=\"regression\"><Output><OutputField name=\"s\" feature=\"predictedValue\"/></Output><Segmentation multipleModelMethod=\"sum\"><Segment><True/>" TREE
         "</Segment></Segmentation></MiningModel></Segment><Segment><True/><RegressionModel functionName=\"classification\" normalizationMethod=\"logit\"><RegressionTable intercept=\"0\" targetCategory=\"yes\"><NumericPredictor name=\"s\" coefficient=\"1\"/></RegressionTable><RegressionTable intercept=\"0\" targetCategory=\"no\"/></RegressionModel></Segment></Segmentation></MiningModel></PMML>",
    HEAD "<ClusteringModel modelClass=\"centerBased\" functionName=\"clustering\">" SCHEMA("y") "<ComparisonMeasure kind=\"distance\"><squaredEuclidean/></ComparisonMeasure><ClusteringField field=\"x\"/><Cluster><Array n=\"1\" type=\"real\">0</Array></Cluster><Cluster><Array n=\"1\" type=\"real\">5</Array></Cluster></ClusteringModel></PMML>",
    HEAD "<NaiveBayesModel functionName=\"classification\" threshold=\"0\">" SCHEMA("k") "<BayesInputs><BayesInput fieldName=\"c\"><PairCounts value=\"u\"><TargetValueCounts><TargetValueCount value=\"no\" count=\"5\"/><TargetValueCount value=\"yes\" count=\"1\"/></TargetValueCounts></PairCounts><PairCounts value=\"v\"><TargetValueCounts><TargetValueCount value=\"no\" count=\"5\"/><TargetValueCount value=\"yes\" count=\"3\"/></TargetValueCounts></PairCounts></BayesInput>"
         "<BayesInput fieldName=\"x\"><TargetValueStats><TargetValueStat value=\"no\"><GaussianDistribution mean=\"0\" variance=\"1\"/></TargetValueStat><TargetValueStat value=\"yes\"><GaussianDistribution mean=\"2\" variance=\"4\"/></TargetValueStat></TargetValueStats></BayesInput></BayesInputs>"
         "<BayesOutput fieldName=\"k\"><TargetValueCounts><TargetValueCount value=\"no\" count=\"3\"/><TargetValueCount value=\"yes\" count=\"1\"/></TargetValueCounts></BayesOutput></NaiveBayesModel></PMML>",
    HEAD "<SupportVectorMachineModel functionName=\"classification\" classificationMethod=\"OneAgainstOne\">" SCHEMA("k") "<RadialBasisKernelType gamma=\"0.5\"/><VectorDictionary><VectorFields><FieldRef field=\"x\"/><CategoricalPredictor name=\"c\" value=\"v\" coefficient=\"1\"/></VectorFields>"
         "<VectorInstance id=\"1\"><Array n=\"2\" type=\"real\">1 0</Array></VectorInstance><VectorInstance id=\"2\"><REAL-SparseArray n=\"2\"><Indices>2</Indices><REAL-Entries>3</REAL-Entries></REAL-SparseArray></VectorInstance></VectorDictionary>"
         "<SupportVectorMachine targetCategory=\"no\" alternateTargetCategory=\"yes\"><SupportVectors><SupportVector vectorId=\"1\"/><SupportVector vectorId=\"2\"/></SupportVectors><Coefficients absoluteValue=\"0.5\"><Coefficient value=\"1\"/><Coefficient value=\"-1\"/></Coefficients></SupportVectorMachine></SupportVectorMachineModel></PMML>"};
#define DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

static Model *import_text(Env *env, const char *text)
{
    ImportNames names = {0};

    env->read_xml = read_document;
    return model_import(env, (const uint8_t *)text, strlen(text), "pmml", &names);
}

/* Scores rows of the first stage, by whatever function the last has. */
static double score(Env *env, const Model *model, double x, double c)
{
    double slots[8], row[8], out[64];
    const Model *last = pipeline_last(env, model);
    const Scoring *scoring;
    const void *prepared;
    size_t bytes = 0;

    if (model->slot_count > 8 || last->slot_count > 8)
        return 0;
    for (uint32_t s = 0; s < model->slot_count; s++)
        slots[s] = row[s] = schema_field_kind(model, schema_slot_field(model, s)) == FIELD_CATEGORICAL ? c : x;
    if (pipeline_is(model) && !pipeline_run(env, pipeline_prepare(env, model), slots, row))
        return NAN;
    scoring = estimator_of(last)->scoring;
    prepared = scoring->prepare != NULL ? scoring->prepare(env, last, &bytes) : NULL;
    if (scoring->predict != NULL)
        return scoring->predict(last, prepared, row);
    if (scoring->classify != NULL)
        return scoring->classify(last, prepared, row);
    if (scoring->cluster != NULL)
        return scoring->cluster(last, prepared, row);
    scoring->transform(last, prepared, row, out);
    return out[0];
}

/* ---- tests ---- */

/* Each document is read, and what it becomes is written and read again: the same scores. */
static void check_sound(Host *host)
{
    Env *env = &host->env;

    for (size_t d = 0; d < DOCUMENTS; d++) {
        Model *model = import_text(env, documents[d]), *again;
        size_t length;

        again = import_text(env, model_export(env, model, "pmml", false, &length));
        for (int k = 0; k < 12; k++)
            CHECK_NEAR(score(env, again, k / 4.0 - 1, k % 2), score(env, model, k / 4.0 - 1, k % 2), 1e-14);
    }
}

static void check_scores(Host *host)
{
    Env *env = &host->env;
    Model *tree = import_text(env, documents[3]);

    CHECK_NEAR(score(env, tree, 0.5, 1), 1, 0);
    CHECK_NEAR(score(env, tree, 0.75, 1), 2, 0);
    CHECK_NEAR(score(env, tree, 0.75, 0), 3, 0);
    CHECK_NEAR(score(env, tree, 0.75, -1), 3, 0);
    CHECK_NEAR(score(env, tree, NAN, 1), 2, 0);
    CHECK_NEAR(score(env, import_text(env, documents[0]), 3, 1), exp(1 + 2 * 0.5 + 3), 1e-12);
    CHECK_NEAR(score(env, import_text(env, documents[4]), 0, 1), 2.5, 0);
}

static void nest(Env *env, uint32_t depth)
{
    XmlTree tree = xml_tree(env);

    for (uint32_t i = 0; i < depth; i++)
        xml_tree_begin(&tree, "a");
    for (uint32_t i = 0; i < depth; i++)
        xml_tree_end(&tree);
    CHECK(tree.open == NULL && tree.depth == 0);
}

static void fill(Env *env)
{
    XmlTree tree = xml_tree(env);

    xml_tree_begin(&tree, "a");
    for (;;)
        xml_tree_attribute(&tree, "b", "c", 1);
}

static void check_limits(Host *host)
{
    Env *env = &host->env;

    CHECK_WORKS(host, nest(env, XML_DEPTH));
    CHECK_FAILS(host, ERROR_LIMIT, "within each other", nest(env, XML_DEPTH + 1));
    env->memory_limit = 1 << 20;
    CHECK_FAILS(host, ERROR_LIMIT, "the elements of the XML document", fill(env));
    env->read_xml = NULL;
}

/* A table of a class that the target does not list, beside as many tables as it lists classes. */
static void check_unlisted_class(Host *host)
{
    static const char document[] =
        HEAD "<RegressionModel functionName=\"classification\" normalizationMethod=\"softmax\">" SCHEMA("k")
             "<RegressionTable intercept=\"1\" targetCategory=\"yes\"/><RegressionTable intercept=\"0\" targetCategory=\"other\"/></RegressionModel></PMML>";

    CHECK_FAILS(host, ERROR_DATA, "has 2 equations for 3 classes", import_text(&host->env, document));
}

/* Returns a document with one part replaced. */
static const char *altered(Env *env, const char *document, const char *from, const char *to)
{
    const char *at = strstr(document, from);
    TextBuffer out = {.env = env};

    CHECK(at != NULL);
    if (at == NULL)
        return document;
    text_bytes(&out, document, (size_t)(at - document));
    text_add(&out, to);
    text_add(&out, at + strlen(from));
    return text_finish(&out, NULL);
}

/* One part of a sound document that is not read says so. */
static void check_refusals(Host *host)
{
    static const struct {
        uint32_t document;
        const char *from, *to, *words;
    } cases[] = {
        {0, "dataType=\"double\"><Apply", "dataType=\"float\"><Apply", "rounds the derived field \"d\" to type float"},
        {0, "dataType=\"double\"><Apply", "dataType=\"integer\"><Apply", "rounds the derived field \"d\" to type integer"},
        {0, "<Constant>4<", "<Constant>-4<", "scales field \"x\" by -0.25"},
        {0, "<Constant>4<", "<Constant>0<", "scales field \"x\" by inf"},
        {0, "<Constant>4<", "<Constant>1e-320<", "scales field \"x\" by inf"},
        {0, "<Constant>1<", "<Constant>1 2<", "has \"1 2\" as a constant, which is no finite number"},
        {0, "<FieldRef field=\"x\"/>", "<FieldRef field=\"x\" mapMissingTo=\"1\"/>", "derives a field by FieldRef"},
        {0, DERIVED, "<Apply function=\"-\"><Apply function=\"/\"><FieldRef field=\"x\"/><Constant>2</Constant></Apply><Constant>4</Constant></Apply>", "subtracts from a quotient"},
        {0, "<Apply function=\"/\">", "<Apply function=\"/\" defaultValue=\"1\">", "applies function /, which is not read"},
        {0, "<Apply function=\"/\">", "<Apply function=\"/\" mapMissingTo=\"1\">", "applies function /, which is not read"},
        {0, "<Apply function=\"/\">", "<Apply function=\"*\">", "applies function *, which is not read"},
        {0, DERIVED, "<NormContinuous field=\"x\"><LinearNorm orig=\"1\" norm=\"0\"/></NormContinuous>", "has a NormContinuous of 1 points; two are read"},
        {0, DERIVED, "<NormContinuous field=\"x\"><LinearNorm orig=\"1\" norm=\"0\"/><LinearNorm orig=\"2\" norm=\"1\"/><LinearNorm orig=\"3\" norm=\"2\"/></NormContinuous>", "has a NormContinuous of 3 points; two are read"},
        {0, DERIVED, "<NormContinuous field=\"x\"/>", "has a NormContinuous of 0 points; two are read"},
        {0, DERIVED, "<NormContinuous field=\"x\" outliers=\"asMissingValues\"><LinearNorm orig=\"1\" norm=\"0\"/><LinearNorm orig=\"2\" norm=\"1\"/></NormContinuous>", "has a NormContinuous that treats outliers or missing values"},
        {0, DERIVED, "<NormContinuous field=\"x\" mapMissingTo=\"0\"><LinearNorm orig=\"1\" norm=\"0\"/><LinearNorm orig=\"2\" norm=\"1\"/></NormContinuous>", "has a NormContinuous that treats outliers or missing values"},
        {0, DERIVED, "<NormContinuous field=\"x\"><LinearNorm orig=\"2\" norm=\"0\"/><LinearNorm orig=\"2\" norm=\"1\"/></NormContinuous>", "has a NormContinuous that does not rise"},
        {0, DERIVED, "<NormContinuous field=\"x\"><LinearNorm orig=\"1\" norm=\"1\"/><LinearNorm orig=\"2\" norm=\"1\"/></NormContinuous>", "has a NormContinuous that does not rise"},
        {0, DERIVED, "<NormDiscrete field=\"c\" value=\"v\" mapMissingTo=\"0\"/>", "has a NormDiscrete that treats missing values"},
        {0, "<LocalTransformations>", "<LocalTransformations><DefineFunction name=\"f\"/>", "defines functions"},
        {0, "<MiningField name=\"y\" usageType=\"target\"/>", "<MiningField name=\"y\" usageType=\"target\"/><MiningField name=\"k\" usageType=\"predicted\"/>", "has two targets, \"y\" and \"k\"; one is read"},
        {0, "<Value value=\"u\"/>", "<Value value=\"u\" property=\"missing\"/>", "has values of field \"c\" that count as missing"},
        {1, "targetCategory=\"no\"", "targetCategory=\"yes\"", "has two RegressionTables of class \"yes\""},
        {1, "<RegressionTable intercept=\"0\" targetCategory=\"no\"/>", "", "has 1 equations for 2 classes"},
        {1, "<RegressionTable intercept=\"0\" targetCategory=\"no\"/>", "<RegressionTable intercept=\"3\" targetCategory=\"no\"/>", "has two equations of two classes that it normalizes by logit; one with an empty second table is read"},
        {1, "normalizationMethod=\"logit\"", "normalizationMethod=\"probit\"", "normalizes the scores of 2 classes by probit, which is not read"},
        {2, "predictorName=\"c\" parameterName=\"p2\"", "predictorName=\"c\" parameterName=\"p1\"", "has the parameter \"p1\" of several fields, an interaction"},
        {2, "<PPCell value=\"1\" predictorName=\"x\"", "<PPCell value=\"2\" predictorName=\"x\"", "has the exponent 2 of field \"x\"; 1 is read"},
        {2, "linkFunction=\"log\"", "linkFunction=\"oddspower\"", "has the link function oddspower of a regression"},
        {2, "linkFunction=\"log\"", "linkFunction=\"power\"", "has a GeneralRegressionModel without the attribute \"linkParameter\""},
        {2, "modelType=\"generalizedLinear\"", "modelType=\"CoxRegression\"", "has a GeneralRegressionModel of type CoxRegression"},
        {2, "linkFunction=\"log\"", "linkFunction=\"log\" offsetVariable=\"x\"", "has a GeneralRegressionModel with the attribute offsetVariable"},
        {2, "<Predictor name=\"c\"/>", "<Predictor name=\"c\" contrastMatrixType=\"Helmert\"/>", "has contrasts of the factor \"c\""},
        {2, "<Predictor name=\"c\"/>", "<Predictor name=\"c\"><Categories/></Predictor>", "has contrasts of the factor \"c\""},
        {3, "operator=\"lessOrEqual\" value=\"0.5\"", "operator=\"lessOrEqual\" value=\"half\"", "has \"half\" as the value of a predicate, which is no finite number"},
        {3, "<True/><Node id=\"1\"", "<Node id=\"1\"", "has a Node without a predicate"},
        {3, "score=\"3\"", "score=\"three\"", "has \"three\" as a score, which is no finite number"},
        {3, "score=\"1\"", "", "has a tree that gives some rows no score though they lack no value"},
        {3, "missingValueStrategy=\"defaultChild\"", "missingValueStrategy=\"aggregateNodes\"", "has the missingValueStrategy aggregateNodes"},
        {3, "missingValueStrategy=\"defaultChild\"", "missingValueStrategy=\"defaultChild\" missingValuePenalty=\"0.8\"", "has a missingValuePenalty"},
        {3, "functionName=\"regression\"", "functionName=\"classification\"", "has a classification of the continuous target \"y\""},
        {3, "<Node id=\"3\" score=\"2\">", "<Node id=\"3\" score=\"2\"><EmbeddedModel/>", "has a EmbeddedModel in a tree"},
        {3, "<Node id=\"3\" score=\"2\">", "<Node id=\"3\" score=\"2\"><DecisionTree/>", "has a DecisionTree in a tree"},
        {3, "<Node id=\"3\" score=\"2\">", "<Node id=\"3\" score=\"2\"><Regression/>", "has a Regression in a tree"},
        {4, "<Target rescaleConstant=\"0.5\"/>", "<Target rescaleConstant=\"0.5\"/><Target field=\"k\"/>", "has several targets; one is read"},
        {4, "<Target rescaleConstant=\"0.5\"/>", "<Target castInteger=\"round\"/>", "rounds or limits its target"},
        {4, "<Target rescaleConstant=\"0.5\"/>", "<Target min=\"0\"/>", "rounds or limits its target"},
        {4, "<Target rescaleConstant=\"0.5\"/>", "<Target max=\"0\"/>", "rounds or limits its target"},
        {4, "multipleModelMethod=\"sum\"", "multipleModelMethod=\"max\"", "has trees that it combines by max"},
        {4, "<Segment><True/><TreeModel", "<Segment><False/><TreeModel", "has a Segment that takes some rows alone"},
        {4, "multipleModelMethod=\"sum\"><Segment>", "multipleModelMethod=\"weightedAverage\"><Segment weight=\"0\">", "has a Segment with the weight 0"},
        {5, "feature=\"predictedValue\"", "feature=\"probability\"", "transforms the result \"s\" of a model in a chain"},
        {5, "name=\"s\" coefficient=\"1\"", "name=\"t\" coefficient=\"1\"", "has a chain whose RegressionModel reads \"t\", which none of its models gives"},
        {5, "name=\"s\" coefficient=\"1\"", "name=\"s\" exponent=\"2\" coefficient=\"1\"", "has a chain whose RegressionModel does more than multiply a sum of trees"},
        {5, "normalizationMethod=\"logit\"", "normalizationMethod=\"none\"", "normalizes the sums of trees of 2 classes by none, which is not read"},
        {5, "<RegressionTable intercept=\"0\" targetCategory=\"no\"/>", "", "normalizes the sums of trees of 1 classes by logit, which is not read"},
        {5, "<Value value=\"yes\"/>", "<Value value=\"yes\"/><Value value=\"maybe\"/>", "has sums of trees for 2 of 3 classes"},
        {6, "<ClusteringField field=\"x\"/>", "<ClusteringField field=\"x\"/><ClusteringField field=\"x\"/>", "has the clustering field \"x\" twice"},
        {6, "<ClusteringField field=\"x\"/>", "<ClusteringField field=\"x\" compareFunction=\"delta\"/>", "compares field \"x\" by delta"},
        {6, "kind=\"distance\"", "kind=\"distance\" compareFunction=\"gaussSim\"", "compares field \"x\" by gaussSim"},
        {6, "<ClusteringField field=\"x\"/>", "<ClusteringField field=\"x\" fieldWeight=\"2\"/>", "gives field \"x\" the weight 2; 1 is read"},
        {6, "<Array n=\"1\" type=\"real\">5</Array>", "<Array n=\"2\" type=\"real\">5 6</Array>", "has a cluster of 2 numbers for 1 fields"},
        {6, "<Array n=\"1\" type=\"real\">5</Array>", "<Array n=\"2\" type=\"real\">5</Array>", "has an Array of 1 numbers that says it has 2"},
        {6, "<Cluster><Array n=\"1\" type=\"real\">0</Array></Cluster><Cluster><Array n=\"1\" type=\"real\">5</Array></Cluster>", "", "has no clusters"},
        {6, "<squaredEuclidean/>", "<cityBlock/>", "compares rows with clusters by a measure other than the Euclidean distance"},
        {6, "<squaredEuclidean/>", "", "compares rows with clusters by a measure other than the Euclidean distance"},
        {6, "kind=\"distance\"", "kind=\"similarity\"", "compares rows with clusters by a measure other than the Euclidean distance"},
        {7, "variance=\"1\"", "variance=\"0\"", "has a variance of 0 of field \"x\""},
        {7, "value=\"yes\"><GaussianDistribution", "value=\"no\"><GaussianDistribution", "has two densities of field \"x\" for a class"},
        {7, "count=\"5\"", "count=\"-5\"", "has a count of -5 of field \"c\", or two of the same value and class"},
        {7, "<TargetValueCount value=\"yes\" count=\"1\"/></TargetValueCounts></PairCounts>", "<TargetValueCount value=\"no\" count=\"1\"/></TargetValueCounts></PairCounts>", "has a count of 1 of field \"c\", or two of the same value and class"},
        {7, "threshold=\"0\"", "threshold=\"-1\"", "has the threshold -1"},
        {7, "<TargetValueCount value=\"yes\" count=\"1\"/></TargetValueCounts></BayesOutput>", "<TargetValueCount value=\"no\" count=\"1\"/></TargetValueCounts></BayesOutput>", "has two counts of class \"no\""},
        {7, "<BayesInput fieldName=\"x\">", "<BayesInput fieldName=\"x\"><DerivedField name=\"d\"/>", "derives the input \"x\" of naive Bayes"},
        {7, "<BayesInput fieldName=\"x\">", "<BayesInput fieldName=\"c\">", "has naive Bayes with densities of the category \"c\""},
        {8, "gamma=\"0.5\"", "gamma=\"-0.5\"", "has a kernel with gamma -0.5 and degree 1"},
        {8, "<RadialBasisKernelType gamma=\"0.5\"/>", "<PolynomialKernelType gamma=\"1\" degree=\"1.5\"/>", "has a kernel with gamma 1 and degree 1.5"},
        {8, "<RadialBasisKernelType gamma=\"0.5\"/>", "<PolynomialKernelType gamma=\"1\" degree=\"0\"/>", "has a kernel with gamma 1 and degree 0"},
        {8, "<RadialBasisKernelType gamma=\"0.5\"/>", "<PolynomialKernelType gamma=\"1\" degree=\"1e9\"/>", "has a kernel with gamma 1 and degree 1e+09"},
        {8, "id=\"2\"", "id=\"1\"", "has two vectors \"1\""},
        {8, "vectorId=\"2\"", "vectorId=\"9\"", "has no vector \"9\", which a machine uses"},
        {8, "<Coefficient value=\"-1\"/>", "", "has a machine with more support vectors than coefficients"},
        {8, "<Array n=\"2\" type=\"real\">1 0</Array>", "<Array n=\"1\" type=\"real\">1</Array>", "has a vector of 1 numbers for 2 fields"},
        {8, "<Array n=\"2\" type=\"real\">1 0</Array>", "", "has a VectorInstance without an Array or a REAL-SparseArray"},
        {8, "<Indices>2</Indices>", "<Indices>3</Indices>", "has a REAL-SparseArray with the index 3 of 2"},
        {8, "<Indices>2</Indices>", "<Indices>0</Indices>", "has a REAL-SparseArray with the index 0 of 2"},
        {8, "<Indices>2</Indices>", "<Indices>1.5</Indices>", "has a REAL-SparseArray with the index 1.5 of 2"},
        {8, "<Indices>2</Indices>", "<Indices>1 2</Indices>", "has a REAL-SparseArray of 2 Indices and 1 REAL-Entries"},
        {8, "<Indices>2</Indices>", "", "has a REAL-SparseArray with Indices or REAL-Entries alone"},
        {8, "<REAL-Entries>3</REAL-Entries>", "", "has a REAL-SparseArray with Indices or REAL-Entries alone"},
        {8, "<REAL-SparseArray n=\"2\">", "<REAL-SparseArray n=\"2\" defaultValue=\"1\">", "has a REAL-SparseArray with the default value 1; 0 is read"},
        {8, "alternateTargetCategory=\"yes\"", "alternateTargetCategory=\"no\"", "has a machine for class \"no\" against itself"},
        {8, "classificationMethod=\"OneAgainstOne\"", "classificationMethod=\"OneAgainstOne\" svmRepresentation=\"Coefficients\"", "has a machine without support vectors, by Coefficients"},
        {8, "classificationMethod=\"OneAgainstOne\"", "classificationMethod=\"OneAgainstOne\" alternateBinaryTargetCategory=\"no\"", "rounds results of machines to 0 and 1 (alternateBinaryTargetCategory)"},
        {8, "<FieldRef field=\"x\"/><CategoricalPredictor", "<FieldRef field=\"x\"/><FieldRef field=\"x\"/><CategoricalPredictor", "has vectors with the same field twice"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Env *env = &host->env;
        const char *text = altered(env, documents[cases[i].document], cases[i].from, cases[i].to);

        CHECK_FAILS(host, ERROR_DATA, cases[i].words, import_text(env, text));
        host_reset(host);
    }
}

/* Whatever becomes of a document, it fails with a code of data, or its model scores and can be written, unless it is refused. */
static void try_damaged(Host *host, const char *document, uint32_t *sound, uint32_t *written)
{
    if (TRY(host)) {
        Model *model = import_text(&host->env, document);
        size_t length;

        for (int k = 0; k < 6; k++)
            score(&host->env, model, k % 3 ? k - 2.5 : k ? 1e300 : NAN, k - 2);
        ++*sound;
        model_export(&host->env, model, "pmml", false, &length);
        ++*written;
    } else {
        CHECK(host->code == ERROR_DATA || host->code == ERROR_PARAMETER || host->code == ERROR_LIMIT || host->code == ERROR_KIND || host->code == ERROR_RANGE);
    }
    TRY_END(host);
    host_reset(host);
}

static void check_damage(Host *host)
{
    uint32_t sound = 0, written = 0;

    damage.seed = 11;
    for (uint32_t i = 0; i < 9000; i++) {
        damage.rate = 0.002 + 0.03 * (i % 3);
        try_damaged(host, documents[i % DOCUMENTS], &sound, &written);
    }
    damage.rate = 0;
    CHECK(sound > 500 && sound < 8500);
    CHECK(written > 300);
    /* each name and value in turn, and each element and attribute left out */
    for (uint32_t d = 0; d < DOCUMENTS; d++)
        for (damage.pick = 0; damage.pick < SYSTEMATIC; damage.pick++)
            for (damage.at = 1, damage.passed = 1; damage.passed >= damage.at; damage.at++)
                try_damaged(host, documents[d], &sound, &written);
    damage.at = 0;
}

/* Damages a document in one place at a time, by chance. */
static void damage_places(Host *host, const char *document, uint32_t tries, uint32_t *sound, uint32_t *written)
{
    uint32_t places;

    damage.at = UINT32_MAX;
    try_damaged(host, document, sound, written);
    places = damage.passed;
    for (uint32_t i = 0; i < tries; i++) {
        damage.at = 1 + (uint32_t)(random_uniform(&damage.seed) * places);
        damage.pick = SYSTEMATIC + (uint32_t)(random_uniform(&damage.seed) * 1e6);
        try_damaged(host, document, sound, written);
    }
    damage.at = 0;
}

/* Returns the document that a stored value becomes, or NULL. The line of COPY is a name, features and text. */
static char *document_of(Host *host, char *line)
{
    char *text = strchr(strchr(line, '\t') + 1, '\t') + 1, *to = text;
    char *volatile document = NULL;
    size_t length;

    for (const char *from = text; *from != '\n'; from++) { /* COPY writes a backslash twice */
        from += from[0] == '\\' && from[1] == '\\';
        *to++ = *from;
    }
    *to = 0;
    if (TRY(host))
        document = strdup(model_export(&host->env, model_from_text(&host->env, text, strlen(text)), "pmml", false, &length));
    TRY_END(host);
    host_reset(host);
    return document;
}

/* Documents of stored values of all estimators. */
static void check_exported(Host *host)
{
    uint32_t sound = 0, written = 0, documents_tried = 0;
    FILE *file = fopen("test/corpus/0.1.0/values.tsv", "rb");
    char *line = NULL;
    size_t room = 0;

    damage.seed = 5;
    while (file != NULL && getline(&line, &room, file) > 0) {
        char *document = document_of(host, line);

        documents_tried += document != NULL;
        if (document != NULL)
            damage_places(host, document, 400, &sound, &written);
        free(document);
    }
    fclose(file);
    free(line);
    CHECK(documents_tried > 30 && sound > 5 * documents_tried);
}

int main(void)
{
    Host *host = host_new();

    CHECK_WORKS(host, check_sound(host));
    host_reset(host);
    CHECK_WORKS(host, check_scores(host));
    host_reset(host);
    check_unlisted_class(host);
    host_reset(host);
    check_refusals(host);
    check_damage(host);
    check_exported(host);
    for (size_t d = 0; d < DOCUMENTS; d++)
        damage_places(host, documents[d], 3000, &(uint32_t){0}, &(uint32_t){0});
    host->env.read_xml = NULL;
    check_limits(host);
    host_free(host);
    return check_report();
}
