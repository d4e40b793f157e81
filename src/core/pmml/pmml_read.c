/*
 * pmml_read.c - finds the model in a PMML document (Data Mining Group, https://dmg.org/pmml), and says what the model lacks of it.
 */
#include "core/pmml/pmml_read.h"
#include "core/pmml/pmml_import.h"

#define HEAD_BYTES 4096 /* of which some must begin the element PMML */

static const struct {
    const char *name;
    Model *(*read)(PmmlImport *import);
} models[] = {{"ClusteringModel", pmml_read_clusters},     {"GeneralRegressionModel", pmml_read_general},     {"MiningModel", pmml_read_trees},
              {"NaiveBayesModel", pmml_read_bayes},        {"RegressionModel", pmml_read_regression},         {"SupportVectorMachineModel", pmml_read_vectors},
              {"TreeModel", pmml_read_trees}};

bool pmml_recognize(const uint8_t *bytes, size_t length)
{
    size_t head = length < HEAD_BYTES ? length : HEAD_BYTES, at = 0;

    while (at < head && strchr(" \t\r\n\xEF\xBB\xBF", bytes[at]) != NULL && bytes[at] != 0)
        at++;
    if (at == head || bytes[at] != '<')
        return false;
    for (; at + 5 <= head; at++)
        if (memcmp(bytes + at, "PMML", 4) == 0 && (bytes[at - 1] == '<' || bytes[at - 1] == ':'))
            return true;
    return false;
}

/* Returns the only model element. */
static const XmlNode *find_model(Env *env, const XmlNode *root)
{
    static const char *const others[] = {"Header", "DataDictionary", "TransformationDictionary", "MiningBuildTask"};
    const XmlNode *model = NULL;

    for (const XmlNode *node = pmml_first(root, NULL); node != NULL; node = pmml_next(node, NULL)) {
        bool other = false;

        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
            other = other || pmml_is(node, others[i]);
        if (!other && model != NULL)
            pmml_fail(env, "has two models, %.40s and %.40s; one is read", model->name, node->name);
        model = other ? model : node;
    }
    if (model == NULL)
        pmml_fail(env, "has no model");
    if (pmml_says(model, "isScorable", "false", false))
        pmml_fail(env, "says that its model is not to be used for scores");
    return model;
}

static const char *origin_of(Env *env, const XmlNode *root)
{
    const XmlNode *header = pmml_first(root, "Header"), *application = header != NULL ? pmml_first(header, "Application") : NULL;
    const char *name = application != NULL ? pmml_attribute(application, "name") : NULL;

    if (name == NULL || name[0] == 0)
        return env_message(env, "pmml %.10s", pmml_required(env, root, "version"));
    return env_message(env, "pmml %.10s by %s", pmml_required(env, root, "version"), name);
}

/* Says what the document gives a score and the model does not. */
static void tell(const PmmlImport *import, const Model *model)
{
    bool bounded = false, replaced = false, optional = false;

    for (uint32_t f = 0; f < import->row.features; f++) {
        const PmmlField *field = import->used[f];

        if (!field->category && field->bounded && field->invalid == PMML_AS_MISSING && (model_nulls_are_values(model->flags) || !isnan(field->replacement)))
            pmml_fail(import->env, "counts numbers of field \"%.60s\" outside its limits as missing, and gives them a score, which is not read", field->name);
        bounded = bounded || (!field->category && field->bounded && field->invalid != PMML_AS_IS);
        replaced = replaced || !isnan(field->replacement);
        optional = optional || !field->required;
    }
    if (import->skips_nulls && optional && !replaced)
        env_warn(import->env, ERROR_NONE, NULL, "rows with a NULL in a feature have no score, though the pmml document may give them one");
    if (import->refuses_levels)
        env_warn(import->env, ERROR_NONE, NULL, "unknown levels are an error, though the pmml document may give such rows a score");
    if (bounded)
        env_warn(import->env, ERROR_NONE, NULL, "numbers outside the limits that the pmml document sets are scored like others");
}

Model *pmml_read(Env *env, const uint8_t *bytes, size_t length, const ImportNames *names)
{
    PmmlImport import = {.env = env, .names = names, .row = {.names = names, .program = "pmml"}};
    XmlTree tree = xml_tree(env);
    Model *model;

    if (env->read_xml == NULL)
        env_fail(env, ERROR_KIND, "Build pgfit with libxml2-dev for a server that has libxml2.", "PMML documents cannot be read: pgfit was built without libxml2");
    env->read_xml(env, bytes, length, &tree);
    import.root = tree.root;
    if (tree.root == NULL || !pmml_is(tree.root, "PMML"))
        pmml_fail(env, "is none: its element is %.40s", tree.root != NULL ? tree.root->name : "missing");
    if (strncmp(pmml_required(env, tree.root, "version"), "4.", 2) != 0)
        pmml_fail(env, "is of version %.20s; versions 4.0 to 4.4 are read", pmml_attribute(tree.root, "version"));
    import.model = find_model(env, tree.root);
    import.row.origin = origin_of(env, tree.root);
    import.column_table = hash_table(env, 4);
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (pmml_is(import.model, models[i].name)) {
            pmml_fields(&import);
            model = models[i].read(&import);
            tell(&import, model);
            return model;
        }
    pmml_fail(env, "has a %.60s, which is not read", import.model->name);
}
