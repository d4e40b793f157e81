/*
 * pmml_linear.c - RegressionModel and GeneralRegressionModel: linear equations with a link.
 */
#include "core/linear_equations/link_function.h"
#include "core/linear_equations/linear_equations.h"
#include "core/pmml/pmml_import.h"

typedef struct LinearTermRead {
    uint32_t equation, column;
    double coefficient;
} LinearTermRead;

/* The equations of a model. */
typedef struct LinearRead {
    PmmlImport *import;
    const char *method;   /* the estimator */
    const char *link;     /* of a generalized linear model */
    double power;
    LinearLink classes_by; /* of a classifier */
    uint32_t equations, first; /* first: of two classes with one equation, the one that it is of */
    double *intercept;
    LinearTermRead *term;
    uint32_t terms, room;
    bool natural;         /* columns are features and levels as they come */
} LinearRead;

static void add_term(LinearRead *read, uint32_t equation, ImportColumn column, double coefficient)
{
    Env *env = read->import->env;

    read->term = env_grow(env, read->term, read->terms, &read->room, sizeof(LinearTermRead));
    read->natural = read->natural && !column.scaled;
    read->term[read->terms++] = (LinearTermRead){equation, pmml_put_column(read->import, column), coefficient};
    env_poll_every(env, read->terms, 1024);
}

/* ---- the model ---- */

/* Returns the place of a term among `width` coefficients of an equation. */
static uint32_t place_of(const LinearRead *read, const LinearTermRead *term)
{
    const ImportRow *row = &read->import->row;
    const ImportColumn *column = &read->import->column[term->column];
    uint32_t place = row->features, feature = read->import->field[column->feature].feature;

    if (!read->natural)
        return read->import->place[term->column];
    if (column->kind != IMPORT_COLUMN_LEVEL)
        return feature;
    for (uint32_t f = 0; f < feature; f++)
        place += row->feature[f].levels;
    return place + column->level;
}

static void add_coefficients(const LinearRead *read, ModelBuilder *builder)
{
    Env *env = read->import->env;
    const ImportRow *row = &read->import->row;
    uint32_t levels = 0, categories = 0, width;
    int64_t *slots = env_array(env, (size_t)row->features + 1, sizeof(int64_t));
    uint8_t *reference;
    double *coef;

    for (uint32_t f = 0; read->natural && f < row->features; f++) {
        levels += row->feature[f].levels;
        if (row->feature[f].category)
            slots[categories++] = f;
    }
    width = row->columns + levels;
    env_require_memory(env, (size_t)read->equations * width * sizeof(double), "the coefficients of the pmml document");
    coef = env_array(env, (size_t)read->equations * width + 1, sizeof(double));
    reference = env_array(env, (size_t)levels + 1, 1);
    memset(reference, 1, levels);
    for (uint32_t t = 0; t < read->terms; t++) {
        uint32_t place = place_of(read, &read->term[t]);

        env_poll_every(env, t + 1, 64);
        coef[(size_t)read->term[t].equation * width + place] += read->term[t].coefficient;
        if (place >= row->columns)
            reference[place - row->columns] = 0;
    }
    if (width == 0)
        pmml_fail(env, "has a model without terms, which is not read");
    if (read->equations > 1)
        builder_f64_matrix(builder, SECTION_ARRAYS, "coef", coef, read->equations, width);
    else
        builder_f64(builder, SECTION_ARRAYS, "coef", coef, width);
    builder_f64(builder, SECTION_ARRAYS, "intercept", read->intercept, read->equations);
    if (categories > 0)
        builder_i64(builder, SECTION_ARRAYS, "level_slots", slots, categories);
    if (levels > 0)
        builder_bool(builder, SECTION_ARRAYS, "reference", reference, levels);
}

static Model *build(void *context)
{
    LinearRead *read = context;
    PmmlImport *import = read->import;
    Env *env = import->env;
    bool classifier = read->classes_by != LINK_NONE;
    int64_t *position = env_array(env, 1, sizeof(int64_t));
    double *rule = env_array(env, 3, sizeof(double));
    const Model *rows;
    ModelBuilder *builder = import_row_begin(env, &import->row, read->method, classifier ? import->target->table.count : 0,
                                             classifier ? import->target->level : NULL, &rows);

    add_coefficients(read, builder);
    if (read->link != NULL) {
        Link link = link_find(read->link, read->power);

        link_add(builder, &link, position);
    }
    if (classifier) {
        *position = read->classes_by;
        builder_i64(builder, SECTION_ARRAYS, "link", position, 1);
    }
    if (classifier && read->equations == 1 && read->first == 0) {
        rule[2] = 0.5; /* the first class is the positive one; ties are negative */
        builder_f64(builder, SECTION_ARRAYS, "class_rule", rule, 3);
    }
    return model_build(builder);
}

static Model *finish(LinearRead *read)
{
    PmmlImport *import = read->import;
    bool classifier = read->classes_by != LINK_NONE;
    uint32_t classes = classifier ? import->target->table.count : 0;

    pmml_require_doubles(import);
    if (classifier && (read->equations == 1 ? classes != 2 : classes != read->equations))
        pmml_fail(import->env, "has %u equations for %u classes", read->equations, classes);
    for (uint32_t e = 0; e < read->equations; e++)
        if (!isfinite(read->intercept[e]))
            pmml_fail(import->env, "has an intercept that is not finite");
    for (uint32_t c = 0; c < import->columns; c++) /* of which PMML says that a missing value is none of the levels */
        import->skips_nulls = import->skips_nulls || import->column[c].kind == IMPORT_COLUMN_LEVEL;
    pmml_row(import, read->natural);
    return import_row_model(import->env, &import->row, build, read);
}

/* Applies what Targets do to the one equation of a regression without a link. */
static void rescale(LinearRead *read)
{
    double factor, constant;

    pmml_targets(read->import, read->import->model, &factor, &constant);
    if (factor == 1 && constant == 0)
        return;
    if (read->classes_by != LINK_NONE || read->link != NULL)
        pmml_fail(read->import->env, "scales its target after a link function, which is not read");
    for (uint32_t t = 0; t < read->terms; t++)
        read->term[t].coefficient *= factor;
    read->intercept[0] = read->intercept[0] * factor + constant;
}

/* ---- RegressionModel ---- */

static void read_table(LinearRead *read, const XmlNode *table, uint32_t equation)
{
    PmmlImport *import = read->import;
    Env *env = import->env;

    read->intercept[equation] = pmml_number(env, table, "intercept", NAN);
    for (const XmlNode *node = pmml_first(table, NULL); node != NULL; node = pmml_next(node, NULL)) {
        const char *name = pmml_attribute(node, "name");
        double coefficient = pmml_number(env, node, "coefficient", NAN);
        ImportColumn column;

        if (pmml_is(node, "CategoricalPredictor")) {
            add_term(read, equation, pmml_level_column(import, pmml_required(env, node, "name"), pmml_required(env, node, "value")), coefficient);
            continue;
        }
        if (!pmml_is(node, "NumericPredictor") || name == NULL)
            pmml_fail(env, "has a %.40s in a RegressionTable, which is not read", node->name);
        if (pmml_number(env, node, "exponent", 1) != 1)
            pmml_fail(env, "has the exponent %.40s of field \"%.60s\"; 1 is read", pmml_attribute(node, "exponent"), name);
        column = pmml_number_column(import, name, "a NumericPredictor");
        import->levels_may_lack = import->levels_may_lack && column.kind != IMPORT_COLUMN_LEVEL; /* of which a missing one is missing */
        add_term(read, equation, column, coefficient);
    }
}

/* The links of regressions by normalizationMethod. */
static const struct {
    const char *method, *link;
} normalizations[] = {{"softmax", "logit"}, {"logit", "logit"}, {"exp", "log"}, {"probit", "probit"}, {"cloglog", "cloglog"}, {"cauchit", "cauchit"}};

static void read_classes(LinearRead *read, const char *method)
{
    PmmlImport *import = read->import;
    Env *env = import->env;
    const XmlNode *table = pmml_first(import->model, "RegressionTable");
    uint32_t count = pmml_count(import->model, "RegressionTable");
    const XmlNode *second = table != NULL ? pmml_next(table, "RegressionTable") : NULL;
    bool softmax = strcmp(method, "softmax") == 0;

    if (!softmax && (strcmp(method, "logit") != 0 || count != 2))
        pmml_fail(env, "normalizes the scores of %u classes by %.40s, which is not read: softmax is, and of two classes logit", count, method);
    if (count < 2)
        pmml_fail(env, "has a classification of %u equations", count);
    read->method = "logistic_regression";
    read->intercept = env_array(env, count, sizeof(double));
    for (const XmlNode *t = table; t != NULL; t = pmml_next(t, "RegressionTable"))
        pmml_class(import, pmml_required(env, t, "targetCategory"));
    if (import->target->table.count > count) /* a table is of a class that the target does not list */
        pmml_fail(env, "has %u equations for %u classes", count, import->target->table.count);
    if (count == 2 && pmml_first(second, NULL) == NULL && pmml_number(env, second, "intercept", NAN) == 0) {
        read->classes_by = LINK_LOGISTIC;
        read->equations = 1;
        read->first = pmml_class(import, pmml_attribute(table, "targetCategory"));
        read_table(read, table, 0);
        return;
    }
    if (!softmax)
        pmml_fail(env, "has two equations of two classes that it normalizes by logit; one with an empty second table is read");
    read->classes_by = LINK_SOFTMAX;
    read->equations = count;
    for (; table != NULL; table = pmml_next(table, "RegressionTable"))
        read_table(read, table, pmml_class(import, pmml_attribute(table, "targetCategory")));
}

/* Fails if a class has two tables. */
static void require_tables(const LinearRead *read)
{
    const PmmlImport *import = read->import;
    bool *seen = env_array(import->env, (size_t)import->target->table.count + 1, sizeof(bool));

    for (const XmlNode *t = pmml_first(import->model, "RegressionTable"); t != NULL; t = pmml_next(t, "RegressionTable")) {
        uint32_t class = pmml_find_level(import->target, pmml_attribute(t, "targetCategory"));

        if (class == HASH_NONE || seen[class])
            pmml_fail(import->env, "has two RegressionTables of class \"%.60s\"", pmml_attribute(t, "targetCategory"));
        seen[class] = true;
    }
}

Model *pmml_read_regression(PmmlImport *import)
{
    Env *env = import->env;
    const char *method = pmml_attribute(import->model, "normalizationMethod");
    LinearRead read = {.import = import, .natural = true, .method = "linear_regression", .equations = 1};

    method = method != NULL ? method : "none";
    import->levels_may_lack = true;
    if (pmml_says(import->model, "functionName", "classification", false)) {
        uint32_t tables = pmml_count(import->model, "RegressionTable");

        pmml_target(import);
        if (import->target->table.count > 0 && import->target->table.count != tables)
            pmml_fail(env, "has %u equations for %u classes", tables, import->target->table.count);
        read_classes(&read, method);
        require_tables(&read);
        rescale(&read);
        return finish(&read);
    }
    for (size_t i = 0; i < sizeof(normalizations) / sizeof(normalizations[0]); i++)
        if (strcmp(method, normalizations[i].method) == 0)
            read.link = normalizations[i].link;
    if (read.link == NULL && strcmp(method, "none") != 0)
        pmml_fail(env, "has the normalizationMethod %.40s of a regression, which is not read", method);
    if (read.link != NULL)
        read.method = "glm";
    read.intercept = env_array(env, 1, sizeof(double));
    read_table(&read, pmml_child(env, import->model, "RegressionTable"), 0);
    rescale(&read);
    return finish(&read);
}

/* ---- GeneralRegressionModel ---- */

/* Tells whether a list of predictors has this one. */
static bool lists(const XmlNode *list, const char *name)
{
    const XmlNode *node = list != NULL ? pmml_first(list, "Predictor") : NULL;

    while (node != NULL && !pmml_says(node, "name", name, false))
        node = pmml_next(node, "Predictor");
    return node != NULL;
}

/* Adds a coefficient to the column of its parameter. */
static void read_parameter(LinearRead *read, const XmlNode *coefficient, uint32_t equation)
{
    PmmlImport *import = read->import;
    Env *env = import->env;
    const char *parameter = pmml_required(env, coefficient, "parameterName"), *name;
    double beta = pmml_number(env, coefficient, "beta", NAN);
    const XmlNode *matrix = pmml_first(import->model, "PPMatrix"), *cell = NULL;
    uint32_t seen = 0;

    for (const XmlNode *node = matrix != NULL ? pmml_first(matrix, "PPCell") : NULL; node != NULL; node = pmml_next(node, "PPCell")) {
        env_poll_every(env, ++seen, 4096);
        if (!pmml_says(node, "parameterName", parameter, false))
            continue;
        if (cell != NULL)
            pmml_fail(env, "has the parameter \"%.60s\" of several fields, an interaction, which is not read", parameter);
        cell = node;
    }
    if (cell == NULL) {
        read->intercept[equation] += beta;
        return;
    }
    name = pmml_required(env, cell, "predictorName");
    if (lists(pmml_first(import->model, "FactorList"), name)) {
        add_term(read, equation, pmml_level_column(import, name, pmml_required(env, cell, "value")), beta);
        return;
    }
    if (pmml_number(env, cell, "value", NAN) != 1)
        pmml_fail(env, "has the exponent %.40s of field \"%.60s\"; 1 is read", pmml_attribute(cell, "value"), name);
    add_term(read, equation, pmml_number_column(import, name, "a covariate"), beta);
}

/* Chooses the estimator and the link. */
static void choose_link(LinearRead *read, const char *type, bool classifier)
{
    static const char *const links[] = {"cauchit", "cloglog", "identity", "log", "logit", "power", "probit", NULL};
    PmmlImport *import = read->import;
    Env *env = import->env;
    const char *link = pmml_attribute(import->model, "linkFunction");
    uint32_t i = 0;

    if (strcmp(type, "generalizedLinear") != 0 || link == NULL)
        link = classifier ? "logit" : "identity";
    while (links[i] != NULL && strcmp(links[i], link) != 0)
        i++;
    if (links[i] == NULL || (classifier && strcmp(link, "logit") != 0))
        pmml_fail(env, "has the link function %.40s of a %s, which is not read", link, classifier ? "classification" : "regression");
    if (classifier) {
        read->method = "logistic_regression";
        return;
    }
    if (strcmp(link, "identity") == 0)
        return;
    read->method = "glm";
    read->link = link;
    if (strcmp(link, "power") == 0)
        read->power = pmml_number(env, import->model, "linkParameter", NAN);
    if (strcmp(link, "power") == 0 && read->power == 0)
        read->link = "log";
}

/* Reads the coefficients of the classes: one equation of two classes, or one per class, of which the reference has none. */
static void read_class_parameters(LinearRead *read, const XmlNode *matrix)
{
    PmmlImport *import = read->import;
    Env *env = import->env;
    const char *only = NULL;
    bool several = false;

    for (const XmlNode *node = pmml_first(matrix, "PCell"); node != NULL; node = pmml_next(node, "PCell")) {
        const char *category = pmml_required(env, node, "targetCategory");

        pmml_class(import, category);
        several = several || (only != NULL && strcmp(only, category) != 0);
        only = category;
    }
    if (only == NULL)
        pmml_fail(env, "has a model without parameters");
    if (pmml_attribute(import->model, "targetReferenceCategory") != NULL)
        pmml_class(import, pmml_attribute(import->model, "targetReferenceCategory"));
    read->equations = several ? import->target->table.count : 1;
    read->classes_by = several ? LINK_SOFTMAX : LINK_LOGISTIC;
    read->first = pmml_class(import, only);
    read->intercept = env_array(env, read->equations, sizeof(double));
    for (const XmlNode *node = pmml_first(matrix, "PCell"); node != NULL; node = pmml_next(node, "PCell"))
        read_parameter(read, node, several ? pmml_class(import, pmml_attribute(node, "targetCategory")) : 0);
}

Model *pmml_read_general(PmmlImport *import)
{
    static const char *const refused[] = {"offsetVariable", "trialsValue", "trialsVariable", "cumulativeLink", "baselineStrataVariable", NULL};
    Env *env = import->env;
    const char *type = pmml_required(env, import->model, "modelType");
    bool classifier = pmml_says(import->model, "functionName", "classification", false), multinomial = strcmp(type, "multinomialLogistic") == 0;
    const XmlNode *matrix = pmml_child(env, import->model, "ParamMatrix"), *factors = pmml_first(import->model, "FactorList");
    LinearRead read = {.import = import, .natural = true, .method = "linear_regression", .equations = 1};

    if (!multinomial && strcmp(type, "generalizedLinear") != 0 && strcmp(type, "generalLinear") != 0 && strcmp(type, "regression") != 0)
        pmml_fail(env, "has a GeneralRegressionModel of type %.40s, which is not read", type);
    for (uint32_t i = 0; refused[i] != NULL; i++)
        if (pmml_attribute(import->model, refused[i]) != NULL)
            pmml_fail(env, "has a GeneralRegressionModel with the attribute %s, which is not read", refused[i]);
    for (const XmlNode *node = factors != NULL ? pmml_first(factors, "Predictor") : NULL; node != NULL; node = pmml_next(node, "Predictor"))
        if (pmml_first(node, NULL) != NULL || pmml_attribute(node, "contrastMatrixType") != NULL)
            pmml_fail(env, "has contrasts of the factor \"%.60s\", which are not read", pmml_required(env, node, "name"));
    choose_link(&read, type, classifier || multinomial);
    if (classifier || multinomial) {
        pmml_target(import);
        read_class_parameters(&read, matrix);
    } else {
        read.intercept = env_array(env, 1, sizeof(double));
        for (const XmlNode *node = pmml_first(matrix, "PCell"); node != NULL; node = pmml_next(node, "PCell"))
            read_parameter(&read, node, 0);
    }
    if (read.equations > 1 && pmml_number(env, import->model, "offsetValue", 0) != 0)
        pmml_fail(env, "has an offset of several classes, which is not read");
    for (uint32_t e = 0; e < read.equations; e++)
        read.intercept[e] += pmml_number(env, import->model, "offsetValue", 0);
    rescale(&read);
    return finish(&read);
}
