/*
 * pmml_bayes.c - NaiveBayesModel of normal densities and of shares of levels.
 */
#include "core/pmml/pmml_import.h"

typedef struct Bayes {
    PmmlImport *import;
    const XmlNode *inputs;
    double threshold; /* takes the place of a share of 0 */
    uint32_t classes;
} Bayes;

static const char *name_of(Env *env, const XmlNode *input)
{
    const char *name = pmml_attribute(input, "fieldName");

    return name != NULL ? name : pmml_required(env, input, "field");
}

/* ---- the first pass ---- */

static void survey_classes(PmmlImport *import, const XmlNode *list, const char *child)
{
    for (const XmlNode *node = pmml_first(list, child); node != NULL; node = pmml_next(node, child))
        pmml_class(import, pmml_required(import->env, node, "value"));
}

static void survey_input(Bayes *bayes, const XmlNode *input)
{
    PmmlImport *import = bayes->import;
    Env *env = import->env;
    const XmlNode *stats = pmml_first(input, "TargetValueStats");
    ImportColumn column;

    if (pmml_first(input, "DerivedField") != NULL)
        pmml_fail(env, "derives the input \"%.60s\" of naive Bayes, which is not read", name_of(env, input));
    column = pmml_column(import, name_of(env, input));
    if (column.kind == IMPORT_COLUMN_LEVEL || column.scaled)
        pmml_fail(env, "has naive Bayes of the derived field \"%.60s\", which is not read", name_of(env, input));
    if ((column.kind == IMPORT_COLUMN_NUMBER) != (stats != NULL))
        pmml_fail(env, "has naive Bayes with %s of the %s \"%.60s\", which is not read", stats != NULL ? "densities" : "counts",
                  stats != NULL ? "category" : "number", name_of(env, input));
    if (pmml_put_column(import, column) + 1 != import->columns || import->columns != ++bayes->classes) /* classes: counts the inputs so far */
        pmml_fail(env, "has the input \"%.60s\" of naive Bayes twice", name_of(env, input));
    if (stats != NULL) {
        survey_classes(import, stats, "TargetValueStat");
        if (bayes->threshold != 0)
            env_fail(env, ERROR_DATA, "Set the threshold of the NaiveBayesModel to 0 if no density of your rows is below it.",
                     "the pmml document raises densities below the threshold %g to it, which is not read", bayes->threshold);
        return;
    }
    for (const XmlNode *pair = pmml_first(input, "PairCounts"); pair != NULL; pair = pmml_next(pair, "PairCounts")) {
        pmml_level(import, &import->field[column.feature], pmml_required(env, pair, "value"));
        survey_classes(import, pmml_child(env, pair, "TargetValueCounts"), "TargetValueCount");
        env->poll(env);
    }
}

/* ---- the model ---- */

/* Writes the mean and the variance of each class to columns of [classes x numbers]. */
static void read_densities(const Bayes *bayes, const XmlNode *input, uint32_t term, uint32_t terms, double *means, double *variances)
{
    PmmlImport *import = bayes->import;
    Env *env = import->env;
    uint32_t given = 0;

    for (const XmlNode *node = pmml_first(pmml_first(input, "TargetValueStats"), "TargetValueStat"); node != NULL; node = pmml_next(node, "TargetValueStat"), given++) {
        const XmlNode *normal = pmml_first(node, "GaussianDistribution");
        size_t at = (size_t)pmml_class(import, pmml_required(env, node, "value")) * terms + term;

        if (normal == NULL)
            pmml_fail(env, "has a density of field \"%.60s\" that is not normal, which is not read", name_of(env, input));
        if (variances[at] != 0)
            pmml_fail(env, "has two densities of field \"%.60s\" for a class", name_of(env, input));
        means[at] = pmml_number(env, normal, "mean", NAN);
        variances[at] = pmml_number(env, normal, "variance", NAN);
        if (!(variances[at] > 0))
            pmml_fail(env, "has a variance of %g of field \"%.60s\"", variances[at], name_of(env, input));
    }
    if (given != bayes->classes)
        pmml_fail(env, "has densities of field \"%.60s\" for %u of %u classes", name_of(env, input), given, bayes->classes);
}

/* Writes the shares of levels from one on to [classes x levels]. A level without counts is ignored: it counts as 1 for all classes. */
static void read_shares(const Bayes *bayes, const XmlNode *input, const PmmlField *field, uint32_t first, uint32_t levels, double *shares)
{
    PmmlImport *import = bayes->import;
    Env *env = import->env;
    bool *counted = env_array(env, (size_t)field->table.count + 1, sizeof(bool));

    for (const XmlNode *pair = pmml_first(input, "PairCounts"); pair != NULL; pair = pmml_next(pair, "PairCounts")) {
        uint32_t level = first + pmml_find_level(field, pmml_attribute(pair, "value"));

        env->poll(env);
        counted[level - first] = true;
        for (const XmlNode *node = pmml_first(pmml_first(pair, "TargetValueCounts"), "TargetValueCount"); node != NULL; node = pmml_next(node, "TargetValueCount")) {
            double count = pmml_number(env, node, "count", NAN), *at = &shares[(size_t)pmml_class(import, pmml_attribute(node, "value")) * levels + level];

            if (!(count >= 0) || *at != 0)
                pmml_fail(env, "has a count of %g of field \"%.60s\", or two of the same value and class", count, field->name);
            *at = count;
        }
    }
    for (uint32_t c = 0; c < bayes->classes; c++) {
        double *own = shares + (size_t)c * levels + first, total = 0;

        for (uint32_t l = 0; l < field->table.count; l++)
            total += own[l];
        for (uint32_t l = 0; l < field->table.count; l++)
            own[l] = !counted[l] ? 1 : own[l] == 0 ? bayes->threshold : own[l] / total;
        for (uint32_t l = 0; l < field->table.count; l++)
            if (!(own[l] > 0))
                pmml_fail(env, "has a count of 0 of field \"%.60s\" and no threshold to take its place", field->name);
    }
}

static double *read_priors(const Bayes *bayes, double **counts)
{
    PmmlImport *import = bayes->import;
    Env *env = import->env;
    const XmlNode *list = pmml_child(env, pmml_child(env, import->model, "BayesOutput"), "TargetValueCounts");
    double *priors = env_array(env, bayes->classes, sizeof(double)), total = 0;

    *counts = env_array(env, bayes->classes, sizeof(double));
    for (const XmlNode *node = pmml_first(list, "TargetValueCount"); node != NULL; node = pmml_next(node, "TargetValueCount")) {
        uint32_t class = pmml_class(import, pmml_required(env, node, "value"));

        if ((*counts)[class] != 0)
            pmml_fail(env, "has two counts of class \"%.60s\"", pmml_attribute(node, "value"));
        (*counts)[class] = pmml_number(env, node, "count", NAN);
    }
    for (uint32_t c = 0; c < bayes->classes; c++) {
        if (!((*counts)[c] > 0))
            pmml_fail(env, "has a count of %g of class \"%.60s\"", (*counts)[c], import->target->level[c]);
        total += (*counts)[c];
    }
    for (uint32_t c = 0; c < bayes->classes; c++)
        priors[c] = (*counts)[c] / total;
    return priors;
}

static Model *build(void *context)
{
    Bayes *bayes = context;
    PmmlImport *import = bayes->import;
    Env *env = import->env;
    uint32_t terms = 0, levels = 0, features = import->row.features;
    uint32_t *place = env_array(env, (size_t)features + 1, sizeof(uint32_t)); /* among the numbers, or of the first level */
    double *means, *variances, *shares, *counts, *priors;
    int64_t *slots = env_array(env, (size_t)features + 1, sizeof(int64_t)), *none = env_array(env, (size_t)features + 1, sizeof(int64_t));
    const Model *rows;
    ModelBuilder *builder = import_row_begin(env, &import->row, "naive_bayes", bayes->classes, import->target->level, &rows);

    for (uint32_t f = 0; f < features; f++) {
        place[f] = import->row.feature[f].category ? levels : terms;
        levels += import->row.feature[f].levels;
        if (!import->row.feature[f].category) {
            none[terms] = -1;
            slots[terms++] = f;
        }
    }
    env_require_memory(env, (size_t)bayes->classes * (2 * (size_t)terms + levels) * sizeof(double), "the densities of the pmml document");
    means = env_array(env, (size_t)bayes->classes * terms + 1, sizeof(double));
    variances = env_array(env, (size_t)bayes->classes * terms + 1, sizeof(double));
    shares = env_array(env, (size_t)bayes->classes * levels + 1, sizeof(double));
    for (const XmlNode *input = pmml_first(bayes->inputs, "BayesInput"); input != NULL; input = pmml_next(input, "BayesInput")) {
        const PmmlField *field = &import->field[pmml_column(import, name_of(env, input)).feature];

        if (field->category)
            read_shares(bayes, input, field, place[field->feature], levels, shares);
        else
            read_densities(bayes, input, place[field->feature], terms, means, variances);
    }
    priors = read_priors(bayes, &counts);
    if (terms > 0) {
        builder_f64_matrix(builder, SECTION_ARRAYS, "means", means, bayes->classes, terms);
        builder_f64_matrix(builder, SECTION_ARRAYS, "variances", variances, bayes->classes, terms);
    }
    if (levels > 0)
        builder_f64_matrix(builder, SECTION_ARRAYS, "level_probabilities", shares, bayes->classes, levels);
    builder_f64(builder, SECTION_ARRAYS, "priors", priors, bayes->classes);
    builder_f64(builder, SECTION_ARRAYS, "counts", counts, bayes->classes);
    if (terms < features) {
        builder_i64(builder, SECTION_ARRAYS, "column_slot", slots, terms);
        builder_i64(builder, SECTION_ARRAYS, "column_level", none, terms);
    }
    return model_build(builder);
}

Model *pmml_read_bayes(PmmlImport *import)
{
    Env *env = import->env;
    Bayes bayes = {.import = import, .threshold = pmml_number(env, import->model, "threshold", NAN)};

    pmml_target(import);
    if (bayes.threshold < 0)
        pmml_fail(env, "has the threshold %g", bayes.threshold);
    bayes.inputs = pmml_child(env, import->model, "BayesInputs");
    for (const XmlNode *input = pmml_first(bayes.inputs, "BayesInput"); input != NULL; input = pmml_next(input, "BayesInput"))
        survey_input(&bayes, input);
    survey_classes(import, pmml_child(env, pmml_child(env, import->model, "BayesOutput"), "TargetValueCounts"), "TargetValueCount");
    bayes.classes = import->target->table.count;
    if (bayes.classes < 2 || import->columns == 0)
        pmml_fail(env, "has naive Bayes of %u classes and %u inputs", bayes.classes, import->columns);
    pmml_require_doubles(import);
    import->settled = true;
    import->skips_nulls = import->levels_may_lack = true;
    pmml_row(import, true);
    return import_row_model(env, &import->row, build, &bayes);
}
