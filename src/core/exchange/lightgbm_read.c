/*
 * lightgbm_read.c - models of LightGBM, from the text of save_model and the JSON of dump_model (model versions v3 and v4).
 *
 * LightGBM compares doubles, x <= threshold, and adds the leaves as doubles, tree after tree, from 0 on; so does the model, and its scores
 * have the same bits. Numbers within 1e-35f of 0 are 0 to LightGBM before they meet a tree. The document is walked three times, as one of
 * XGBoost is: for what it says, for what its trees use, and for the trees; no more than one tree is in memory beside the model.
 */
#include "core/boosting/boosting_scores.h"
#include "core/exchange/lightgbm.h"
#include "core/exchange/lightgbm_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Objective {
    const char *name;
    bool classes;
    BoostLink link;
} Objective;

static const Objective objectives[] = {{"regression", false, BOOST_IDENTITY}, {"regression_l1", false, BOOST_IDENTITY}, {"huber", false, BOOST_IDENTITY},
                                       {"fair", false, BOOST_IDENTITY},       {"quantile", false, BOOST_IDENTITY},      {"mape", false, BOOST_IDENTITY},
                                       {"lambdarank", false, BOOST_IDENTITY}, {"rank_xendcg", false, BOOST_IDENTITY},   {"poisson", false, BOOST_LOG},
                                       {"gamma", false, BOOST_LOG},           {"tweedie", false, BOOST_LOG},            {"cross_entropy", false, BOOST_LOGISTIC},
                                       {"binary", true, BOOST_LOGISTIC},      {"multiclass", true, BOOST_SOFTMAX}};
static const Objective no_objective = {"no objective", false, BOOST_IDENTITY}; /* the user's own, whose link nobody knows: scores */

/* ---- what the model is ---- */

/* Returns the objective, by its name; *sigmoid: what stretches its scores. Fails if a word behind the name changes predictions in another way. */
static const Objective *find_objective(const LightgbmDocument *lightgbm, double *sigmoid)
{
    Env *env = lightgbm->env;
    const Objective *objective = NULL;
    const char *text = lightgbm->objective, *word;
    size_t length;
    char *end;

    *sigmoid = 1;
    if (text == NULL)
        return &no_objective;
    length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof(objectives) / sizeof(objectives[0]); i++)
        if (strlen(objectives[i].name) == length && memcmp(text, objectives[i].name, length) == 0)
            objective = &objectives[i];
    if (objective == NULL)
        env_fail(env, ERROR_DATA,
                 strncmp(text, "multiclassova", 13) == 0 ? "Train it with objective multiclass, whose probabilities add up to 1."
                                                         : "Objectives of regressions, of classes, of counts and of ranks are read.",
                 "the lightgbm objective \"%.60s\" has no equal here", text);
    for (word = text + length; *word != 0; word += length) {
        length = strcspn(++word, " ");
        if (length == 0 || strncmp(word, "num_class:", 10) == 0)
            continue;
        if (strncmp(word, "sigmoid:", 8) == 0 && strcmp(objective->name, "binary") == 0) {
            *sigmoid = strtod(word + 8, &end);
            if (end == word + length && *sigmoid > 0 && isfinite(*sigmoid))
                continue;
        }
        env_fail(env, ERROR_DATA, strncmp(word, "sqrt", 4) == 0 ? "Train it with reg_sqrt=false." : NULL,
                 "the lightgbm objective \"%.60s\" has no equal here, because of \"%.*s\"", text, (int)(length < 60 ? length : 60), word);
    }
    return objective;
}

/* Fails unless the document says all that a model needs, and its parts fit together. */
static void require_parts(LightgbmDocument *lightgbm, const Objective *objective)
{
    static const uint32_t needed = LIGHTGBM_VERSION | LIGHTGBM_CLASSES | LIGHTGBM_FEATURES | LIGHTGBM_NAMES | LIGHTGBM_INFOS | LIGHTGBM_TREES;
    const Document *document = &lightgbm->document;
    bool many = objective->link == BOOST_SOFTMAX;

    if ((lightgbm->seen & needed) != needed)
        document_fail(document, "lacks version, num_class, max_feature_idx, feature_names, feature_infos or its trees when it ends");
    if (strcmp(lightgbm->version, "v3") != 0 && strcmp(lightgbm->version, "v4") != 0)
        env_fail(lightgbm->env, ERROR_DATA, "Load the model with LightGBM 4 and save it again.", "lightgbm models of version \"%.20s\" are not read, but v3 and v4",
                 lightgbm->version);
    if (!(lightgbm->seen & LIGHTGBM_PER_ITERATION))
        lightgbm->per_iteration = lightgbm->classes;
    if (lightgbm->named != lightgbm->features || lightgbm->described != lightgbm->features)
        document_fail(document, "has %u features, %u names and %u infos of them when it ends", lightgbm->features, lightgbm->named, lightgbm->described);
    if (objective == &no_objective && lightgbm->per_iteration > 1)
        env_fail(lightgbm->env, ERROR_DATA, "Train one model per score.", "a lightgbm model of %u scores without an objective has no equal here",
                 lightgbm->per_iteration);
    if (lightgbm->per_iteration != lightgbm->classes || (many ? lightgbm->classes < 2 : lightgbm->classes != 1))
        document_fail(document, "has %u classes and %u trees of an iteration for objective %s when it ends", lightgbm->classes, lightgbm->per_iteration,
                      objective->name);
    if (lightgbm->trees == 0 || lightgbm->trees % lightgbm->per_iteration != 0)
        document_fail(document, "has %u trees, and %u of an iteration, when it ends", lightgbm->trees, lightgbm->per_iteration);
}

/* ---- levels ---- */

/* Returns a level of pandas as text: a string, or a number or truth as it is written. */
static const char *read_level(Document *document)
{
    DocumentType type = document_type(document); /* passes blanks */
    const char *begin = (const char *)document->at;

    if (type == DOCUMENT_STRING)
        return document_string(document);
    if (type != DOCUMENT_NUMBER && type != DOCUMENT_TRUE && type != DOCUMENT_FALSE)
        document_fail(document, "has a level that is no text, number or truth");
    document_skip(document);
    return env_text(document->env, begin, (size_t)((const char *)document->at - begin));
}

static uint32_t count_lists(Document document)
{
    uint32_t count = 0;
    DocumentList list;

    if (document.at == NULL || document_type(&document) != DOCUMENT_ARRAY)
        return 0;
    for (document_enter(&document, DOCUMENT_ARRAY, &list); document_next(&document, &list); count++)
        document_skip(&document);
    return count;
}

/* Sets the levels of the categories: those of pandas, one list per category in the order of the features. */
static void read_levels(const LightgbmDocument *lightgbm, ImportUses *uses, const char *const **texts)
{
    Document document = lightgbm->levels;
    DocumentList list, levels;
    uint32_t feature = 0;

    for (document_enter(&document, DOCUMENT_ARRAY, &list); document_next(&document, &list); feature++) {
        const char **text = NULL;
        uint32_t count = 0, room = 0;

        while (!uses->category[feature])
            feature++;
        for (document_enter(&document, DOCUMENT_ARRAY, &levels); document_next(&document, &levels); count++) {
            text = env_grow(document.env, text, count, &room, sizeof(char *));
            text[count] = read_level(&document);
        }
        if (count < uses->codes[feature])
            document_fail(&document, "has %u levels of feature %u, of which it uses code %u,", count, feature + 1, uses->codes[feature] - 1);
        uses->codes[feature] = count;
        texts[feature] = text;
    }
}

/* Sets the codes as levels: LightGBM was trained with these numbers. */
static void number_levels(const LightgbmDocument *lightgbm, ImportUses *uses, const char *const **texts)
{
    for (uint32_t i = 0; i < uses->features; i++) {
        const char **text = env_array(lightgbm->env, (size_t)uses->codes[i] + 1, sizeof(char *));

        for (uint32_t code = 0; uses->category[i] && code < uses->codes[i]; code++) {
            env_poll_rows(lightgbm->env, code);
            text[code] = env_message(lightgbm->env, "%u", code);
        }
        texts[i] = text;
    }
}

/* Returns the texts of each category's codes; NULL of a feature: the user must give them, as nothing tells which list of pandas is whose. */
static const char *const *const *level_names(const LightgbmDocument *lightgbm, ImportUses *uses)
{
    const char *const **texts = env_array(lightgbm->env, uses->features, sizeof(char **));
    uint32_t lists = count_lists(lightgbm->levels), categories = 0;

    for (uint32_t i = 0; i < uses->features; i++)
        categories += uses->category[i];
    if (lists == 0)
        number_levels(lightgbm, uses, texts);
    else if (lists == categories)
        read_levels(lightgbm, uses, texts);
    return (const char *const *const *)texts;
}

/* ---- the model ---- */

static Document tree_place(const LightgbmDocument *lightgbm, uint32_t tree)
{
    Document place = lightgbm->document;

    place.at = lightgbm->places[tree];
    return place;
}

static ImportUses survey_trees(LightgbmDocument *lightgbm, ImportTree *tree)
{
    ImportUses uses = import_uses(lightgbm->env, lightgbm->features);

    for (uint32_t i = 0; i < lightgbm->features; i++)
        uses.category[i] = lightgbm->kind[i] == LIGHTGBM_CODES;
    for (uint32_t t = 0; t < lightgbm->trees; t++) {
        Document place = tree_place(lightgbm, t);

        lightgbm->env->poll(lightgbm->env);
        lightgbm->read_tree(lightgbm, &place, tree);
        import_tree_survey(&place, tree, &uses);
    }
    import_uses_require(&lightgbm->document, &uses, lightgbm->names);
    return uses;
}

static Model *build_model(LightgbmDocument *lightgbm, const Objective *objective, double sigmoid, const ImportNames *names)
{
    Env *env = lightgbm->env;
    ImportTree tree = {0};
    ImportUses uses = survey_trees(lightgbm, &tree);
    uint32_t outputs = lightgbm->per_iteration, iterations = lightgbm->trees / outputs;
    ImportSchema schema = {.program = "lightgbm", .features = lightgbm->features, .names = lightgbm->names, .categories = uses.category, .levels = uses.codes};
    GrownTree *grown = grown_tree(env);
    ModelBuilder *builder;
    TreeStore *store;
    TreeLevels levels;

    schema.origin = env_message(env, "lightgbm %s, %s", lightgbm->version, lightgbm->objective != NULL ? lightgbm->objective : no_objective.name);
    schema.level_names = level_names(lightgbm, &uses);
    schema.classes = !objective->classes ? 0 : outputs > 1 ? outputs : 2;
    builder = import_begin(env, objective->classes ? "boosted_trees_classifier" : "boosted_trees_regression", &schema, names);
    store = tree_store(env, schema.rows, false);
    levels = tree_levels(env, schema.rows);
    for (uint32_t t = 0; t < lightgbm->trees; t++) {
        Document place = tree_place(lightgbm, t);

        env->poll(env);
        lightgbm->read_tree(lightgbm, &place, &tree); /* which survey_trees has found sound */
        import_tree_make(&place, &tree, &levels, &uses, grown);
        tree_store_append(store, grown);
    }
    boosting_add_scores(env, builder, env_array(env, outputs, sizeof(double)), outputs, objective->link, false);
    if (lightgbm->averaged || sigmoid != 1)
        boosting_add_scale(env, builder, lightgbm->averaged ? iterations : 1, sigmoid);
    builder_f64(builder, SECTION_ARRAYS, "importance", uses.gains, uses.features);
    tree_store_add(store, builder);
    builder_fact_i64(builder, "iterations", iterations);
    builder_fact_i64(builder, "trees", lightgbm->trees);
    return model_build(builder);
}

/* Tells whether a text begins as LightGBM's does: "tree", then the version. */
static bool is_text(const uint8_t *bytes, size_t length)
{
    return length > 13 && (memcmp(bytes, "tree\nversion=", 13) == 0 || (length > 14 && memcmp(bytes, "tree\r\nversion=", 14) == 0));
}

static bool lightgbm_recognize(const uint8_t *bytes, size_t length)
{
    static const char *const begin[] = {"{", "\"name\"", ":", "\"tree\""};
    size_t at = 0;

    for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++, at += strlen(begin[i - 1])) {
        while (at < length && memchr(" \t\r\n", bytes[at], 4) != NULL)
            at++;
        if (length - at < strlen(begin[i]) || memcmp(bytes + at, begin[i], strlen(begin[i])) != 0)
            return is_text(bytes, length);
    }
    return true;
}

static Model *lightgbm_read(Env *env, const uint8_t *bytes, size_t length, const ImportNames *names)
{
    static const char hint[] = "Save the model again, by save_model or dump_model.";
    LightgbmDocument lightgbm = {.env = env};
    const Objective *objective;
    double sigmoid;

    if (is_text(bytes, length)) {
        lightgbm.document = (Document){.env = env, .what = "lightgbm", .hint = hint, .bytes = bytes, .at = bytes, .end = bytes + length};
        lightgbm_read_text(&lightgbm);
    } else {
        lightgbm.document = document_open(env, bytes, length, "lightgbm", hint);
        lightgbm_read_json(&lightgbm);
    }
    objective = find_objective(&lightgbm, &sigmoid);
    require_parts(&lightgbm, objective);
    return build_model(&lightgbm, objective, sigmoid, names);
}

const ImportFormat import_lightgbm = {.name = "lightgbm", .recognize = lightgbm_recognize, .read = lightgbm_read};
