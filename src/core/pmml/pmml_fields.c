/*
 * pmml_fields.c - the fields of a PMML document, what it derives from them, and the columns of the row that a model reads.
 */
#include "core/pmml/pmml_import.h"

#define DERIVED_DEPTH 32 /* derived fields of derived fields */
#define MOST_FIELDS SCHEMA_MAX_SLOTS

/* ---- names ---- */

/* Returns the number of a field, or that of a derived one after all fields; HASH_NONE: there is no such name. */
static uint32_t find_name(const PmmlImport *import, const char *name)
{
    uint32_t hash = hash_bytes(name, (uint32_t)strlen(name)), place = hash_start(&import->table, hash), entry;

    while ((entry = hash_next(&import->table, hash, &place)) != HASH_NONE) {
        const char *other = entry < import->fields ? import->field[entry].name : pmml_attribute(import->derived[entry - import->fields], "name");

        if (strcmp(name, other) == 0)
            break;
    }
    return entry;
}

static void add_name(PmmlImport *import, const char *name)
{
    if (find_name(import, name) != HASH_NONE)
        pmml_fail(import->env, "has two fields with the name \"%.60s\"", name);
    hash_add(import->env, &import->table, hash_bytes(name, (uint32_t)strlen(name)));
}

/* ---- levels ---- */

uint32_t pmml_find_level(const PmmlField *field, const char *value)
{
    uint32_t hash = hash_bytes(value, (uint32_t)strlen(value)), place = hash_start(&field->table, hash), entry;

    while ((entry = hash_next(&field->table, hash, &place)) != HASH_NONE)
        if (strcmp(field->level[entry], value) == 0)
            break;
    return entry;
}

uint32_t pmml_level(PmmlImport *import, PmmlField *field, const char *value)
{
    uint32_t level = pmml_find_level(field, value);

    if (level != HASH_NONE)
        return level;
    if (field->table.count >= IMPORT_MOST_LEVELS)
        env_fail(import->env, ERROR_LIMIT, NULL, "field \"%.60s\" of the pmml document has more than %d levels", field->name, IMPORT_MOST_LEVELS);
    field->level = env_grow(import->env, field->level, field->table.count, &field->room, sizeof(char *));
    level = hash_add(import->env, &field->table, hash_bytes(value, (uint32_t)strlen(value)));
    field->level[level] = env_text(import->env, value, strlen(value));
    return level;
}

/* ---- the data dictionary and the mining schema ---- */

static bool is_one_of(const char *text, const char *const *texts)
{
    for (; *texts != NULL; texts++)
        if (strcmp(text, *texts) == 0)
            return true;
    return false;
}

static void read_field(PmmlImport *import, const XmlNode *node, PmmlField *field)
{
    static const char *const numbers[] = {"double", "float", "integer", NULL}, *const texts[] = {"string", "boolean", NULL};
    Env *env = import->env;
    const char *type = pmml_attribute(node, "dataType"), *optype = pmml_required(env, node, "optype");

    *field = (PmmlField){.name = pmml_required(env, node, "name"), .node = node, .table = hash_table(env, 1), .replacement = NAN};
    type = type != NULL ? type : "double";
    field->category = strcmp(optype, "continuous") != 0 || !is_one_of(type, numbers);
    field->single = strcmp(type, "float") == 0;
    field->bounded = pmml_first(node, "Interval") != NULL || pmml_first(node, "Value") != NULL;
    for (const XmlNode *value = pmml_first(node, "Value"); field->category && value != NULL; value = pmml_next(value, "Value")) {
        if (pmml_says(value, "property", "valid", true))
            pmml_level(import, field, pmml_required(env, value, "value"));
        env->poll(env);
    }
    if (field->category && strcmp(type, "boolean") == 0 && field->table.count == 0) {
        pmml_level(import, field, "false");
        pmml_level(import, field, "true");
        field->bounded = true;
    }
    if (!is_one_of(type, numbers) && !is_one_of(type, texts))
        field->node = NULL; /* refused where it is used */
}

static void read_dictionary(PmmlImport *import)
{
    const XmlNode *dictionary = pmml_child(import->env, import->root, "DataDictionary");
    uint32_t count = pmml_count(dictionary, "DataField"), i = 0;

    if (count > MOST_FIELDS)
        pmml_fail(import->env, "has %u fields; at most %u are read", count, MOST_FIELDS);
    import->field = env_array(import->env, (size_t)count + 1, sizeof(PmmlField));
    for (const XmlNode *node = pmml_first(dictionary, "DataField"); node != NULL; node = pmml_next(node, "DataField"), i++) {
        read_field(import, node, &import->field[i]);
        import->fields = i;
        add_name(import, import->field[i].name);
        env_poll_every(import->env, i + 1, 256);
    }
    import->fields = count;
}

static void read_treatment(PmmlImport *import, const XmlNode *node, PmmlField *field)
{
    Env *env = import->env;
    const char *invalid = pmml_attribute(node, "invalidValueTreatment"), *missing = pmml_attribute(node, "missingValueReplacement");

    if (field->active)
        pmml_fail(env, "has two MiningFields \"%.60s\" in a mining schema", field->name);
    field->active = true;
    field->treatment = node;
    field->invalid = invalid == NULL || strcmp(invalid, "returnInvalid") == 0 ? PMML_RETURN_INVALID : strcmp(invalid, "asIs") == 0 ? PMML_AS_IS : PMML_AS_MISSING;
    if (invalid != NULL && field->invalid == PMML_AS_MISSING && strcmp(invalid, "asMissing") != 0)
        pmml_fail(env, "has the invalidValueTreatment %.40s of field \"%.60s\", which is not read", invalid, field->name);
    field->required = pmml_says(node, "missingValueTreatment", "returnInvalid", false);
    if (field->required)
        missing = NULL;
    if (missing != NULL && field->category)
        pmml_fail(env, "replaces missing values of the category \"%.60s\", which is not read", field->name);
    if (missing != NULL)
        field->replacement = pmml_number_of(env, missing, "missingValueReplacement");
    if (!pmml_says(node, "outliers", "asIs", true))
        pmml_fail(env, "treats outliers of field \"%.60s\" by %.40s, which is not read", field->name, pmml_attribute(node, "outliers"));
}

static void read_mining_schema(PmmlImport *import)
{
    static const char *const targets[] = {"target", "predicted", NULL};
    Env *env = import->env;
    const XmlNode *schema = pmml_child(env, import->model, "MiningSchema");

    for (const XmlNode *node = pmml_first(schema, "MiningField"); node != NULL; node = pmml_next(node, "MiningField")) {
        const char *name = pmml_required(env, node, "name"), *usage = pmml_attribute(node, "usageType");
        uint32_t number = find_name(import, name);

        if (number == HASH_NONE || number >= import->fields)
            pmml_fail(env, "has no DataField for the MiningField \"%.60s\"", name);
        if (usage == NULL || strcmp(usage, "active") == 0)
            read_treatment(import, node, &import->field[number]);
        else if (is_one_of(usage, targets) && import->target != NULL)
            pmml_fail(env, "has two targets, \"%.60s\" and \"%.60s\"; one is read", import->target->name, name);
        else if (is_one_of(usage, targets))
            import->target = &import->field[number];
    }
}

/* Fails unless a MiningField of a segment has an attribute of that of the whole model, or the value that changes nothing. */
static void require_treatment(PmmlImport *import, const XmlNode *node, const char *attribute, const char *neutral, const char *missing)
{
    uint32_t number = find_name(import, pmml_required(import->env, node, "name"));
    const XmlNode *whole = number < import->fields ? import->field[number].treatment : NULL;
    const char *own = pmml_attribute(node, attribute), *other = whole != NULL ? pmml_attribute(whole, attribute) : NULL;

    other = other != NULL ? other : missing;
    if (own != NULL && strcmp(own, neutral) != 0 && strcmp(own, other) != 0)
        pmml_fail(import->env, "has the %s \"%.40s\" of field \"%.60s\" in a segment alone, which is not read", attribute, own, pmml_attribute(node, "name"));
}

void pmml_require_plain_segment(PmmlImport *import, const XmlNode *model)
{
    const XmlNode *schema = pmml_first(model, "MiningSchema"), *transformations = pmml_first(model, "LocalTransformations");
    uint32_t seen = 0;

    if (transformations != NULL && pmml_first(transformations, NULL) != NULL)
        pmml_fail(import->env, "derives fields within a segment, which is not read");
    for (const XmlNode *node = schema != NULL ? pmml_first(schema, "MiningField") : NULL; node != NULL; node = pmml_next(node, "MiningField")) {
        env_poll_every(import->env, ++seen, 1024);
        require_treatment(import, node, "missingValueReplacement", "", "");
        if (pmml_says(node, "missingValueTreatment", "returnInvalid", false))
            require_treatment(import, node, "missingValueTreatment", "asIs", "asIs");
        require_treatment(import, node, "invalidValueTreatment", "asIs", "returnInvalid");
        require_treatment(import, node, "outliers", "asIs", "asIs");
    }
}

static void add_derived(PmmlImport *import, const XmlNode *within)
{
    if (within == NULL)
        return;
    if (pmml_first(within, "DefineFunction") != NULL)
        pmml_fail(import->env, "defines functions, which are not read");
    for (const XmlNode *node = pmml_first(within, "DerivedField"); node != NULL; node = pmml_next(node, "DerivedField")) {
        import->derived = env_grow(import->env, import->derived, import->derivations, &import->room, sizeof(XmlNode *));
        import->derived[import->derivations] = node;
        add_name(import, pmml_required(import->env, node, "name"));
        import->derivations++;
        env_poll_every(import->env, import->derivations, 256);
    }
}

void pmml_fields(PmmlImport *import)
{
    import->table = hash_table(import->env, 4);
    read_dictionary(import);
    read_mining_schema(import);
    add_derived(import, pmml_first(import->root, "TransformationDictionary"));
    add_derived(import, pmml_first(import->model, "LocalTransformations"));
}

/* ---- columns ---- */

static ImportColumn derive(PmmlImport *import, const XmlNode *expression, uint32_t depth);

/* Returns the column of a name. */
static ImportColumn column_of(PmmlImport *import, const char *name, uint32_t depth)
{
    Env *env = import->env;
    uint32_t number = find_name(import, name);
    PmmlField *field;

    if (number == HASH_NONE)
        pmml_fail(env, "has no field \"%.60s\", which its model uses", name);
    if (depth > DERIVED_DEPTH)
        pmml_fail(env, "derives field \"%.60s\" from others more than %d deep", name, DERIVED_DEPTH);
    if (number >= import->fields) {
        const XmlNode *node = import->derived[number - import->fields], *expression = pmml_first(node, NULL);

        while (expression != NULL && pmml_is(expression, "Value"))
            expression = pmml_next(expression, NULL);
        if (expression == NULL)
            pmml_fail(env, "has the derived field \"%.60s\" without an expression", name);
        if (pmml_says(node, "dataType", "float", false) || pmml_says(node, "dataType", "integer", false))
            pmml_fail(env, "rounds the derived field \"%.60s\" to type %.40s, which is not read", name, pmml_attribute(node, "dataType"));
        return derive(import, expression, depth);
    }
    field = &import->field[number];
    if (!field->active)
        pmml_fail(env, "has a model that uses field \"%.60s\", which its mining schema does not make active", name);
    if (field->node == NULL)
        pmml_fail(env, "has field \"%.60s\" of a type other than numbers, texts and booleans, which is not read", name);
    for (const XmlNode *value = pmml_first(field->node, "Value"); !field->used && value != NULL; value = pmml_next(value, "Value"))
        if (!pmml_says(value, "property", "valid", true))
            pmml_fail(env, "has values of field \"%.60s\" that count as %.20s, which is not read", name, pmml_attribute(value, "property"));
    field->used = true;
    return (ImportColumn){.kind = field->category ? IMPORT_COLUMN_TEXT : IMPORT_COLUMN_NUMBER, .feature = number, .scale = 1};
}

/* Returns (column - shift) / scale of a column of numbers. */
static ImportColumn scaled(PmmlImport *import, ImportColumn column, double shift, double scale)
{
    if (column.kind == IMPORT_COLUMN_TEXT)
        pmml_fail(import->env, "computes with the category \"%.60s\", which is not read", import->field[column.feature].name);
    column.shift += shift * column.scale;
    column.scale *= scale;
    column.scaled = true;
    if (!(column.scale > 0) || !isfinite(column.scale) || !isfinite(1 / column.scale) || !isfinite(column.shift))
        pmml_fail(import->env, "scales field \"%.60s\" by %g, which is not read", import->field[column.feature].name, 1 / column.scale);
    return column;
}

/* Returns a line through two points. */
static ImportColumn normed(PmmlImport *import, const XmlNode *node, uint32_t depth)
{
    Env *env = import->env;
    ImportColumn column = column_of(import, pmml_required(env, node, "field"), depth + 1);
    const XmlNode *first = pmml_first(node, "LinearNorm"), *second = first != NULL ? pmml_next(first, "LinearNorm") : NULL;
    double orig[2], norm[2], scale;

    if (second == NULL || pmml_next(second, "LinearNorm") != NULL)
        pmml_fail(env, "has a NormContinuous of %u points; two are read", pmml_count(node, "LinearNorm"));
    if (!pmml_says(node, "outliers", "asIs", true) || pmml_attribute(node, "mapMissingTo") != NULL)
        pmml_fail(env, "has a NormContinuous that treats outliers or missing values, which is not read");
    orig[0] = pmml_number(env, first, "orig", NAN);
    orig[1] = pmml_number(env, second, "orig", NAN);
    norm[0] = pmml_number(env, first, "norm", NAN);
    norm[1] = pmml_number(env, second, "norm", NAN);
    if (!(orig[1] > orig[0]) || !(norm[1] > norm[0]))
        pmml_fail(env, "has a NormContinuous that does not rise, which is not read");
    scale = (orig[1] - orig[0]) / (norm[1] - norm[0]);
    return scaled(import, column, norm[0] == 0 ? orig[0] : norm[1] == 0 ? orig[1] : orig[0] - norm[0] * scale, scale);
}

static ImportColumn leveled(PmmlImport *import, const XmlNode *node)
{
    if (pmml_attribute(node, "mapMissingTo") != NULL)
        pmml_fail(import->env, "has a NormDiscrete that treats missing values, which is not read");
    return pmml_level_column(import, pmml_required(import->env, node, "field"), pmml_required(import->env, node, "value"));
}

/* Returns a difference or a quotient whose second part is a constant. */
static ImportColumn applied(PmmlImport *import, const XmlNode *node, uint32_t depth)
{
    Env *env = import->env;
    const char *function = pmml_required(env, node, "function");
    const XmlNode *left = pmml_first(node, NULL), *right = left != NULL ? pmml_next(left, NULL) : NULL;
    ImportColumn column;
    double number;

    if (right == NULL || pmml_next(right, NULL) != NULL || !pmml_is(right, "Constant") || (strcmp(function, "-") != 0 && strcmp(function, "/") != 0) ||
        pmml_attribute(node, "mapMissingTo") != NULL || pmml_attribute(node, "defaultValue") != NULL)
        pmml_fail(env, "applies function %.40s, which is not read: differences and quotients with a constant are", function);
    column = derive(import, left, depth + 1);
    number = pmml_number_of(env, right->text, "a constant");
    if (strcmp(function, "/") == 0)
        return scaled(import, column, 0, number);
    if (column.scale != 1)
        pmml_fail(env, "subtracts from a quotient, which is not read");
    return scaled(import, column, number, 1);
}

/* Returns the column that an expression makes. */
static ImportColumn derive(PmmlImport *import, const XmlNode *expression, uint32_t depth)
{
    Env *env = import->env;

    if (depth > DERIVED_DEPTH)
        pmml_fail(env, "has expressions within each other more than %d deep", DERIVED_DEPTH);
    if (pmml_is(expression, "FieldRef") && pmml_attribute(expression, "mapMissingTo") == NULL)
        return column_of(import, pmml_required(env, expression, "field"), depth + 1);
    if (pmml_is(expression, "NormContinuous"))
        return normed(import, expression, depth);
    if (pmml_is(expression, "NormDiscrete"))
        return leveled(import, expression);
    if (pmml_is(expression, "Apply"))
        return applied(import, expression, depth);
    pmml_fail(env, "derives a field by %.40s, which is not read", expression->name);
}

ImportColumn pmml_column(PmmlImport *import, const char *name)
{
    return column_of(import, name, 0);
}

ImportColumn pmml_number_column(PmmlImport *import, const char *name, const char *what)
{
    ImportColumn column = pmml_column(import, name);

    if (column.kind == IMPORT_COLUMN_TEXT)
        pmml_fail(import->env, "has %s of the category \"%.60s\"", what, name);
    return column;
}

ImportColumn pmml_level_column(PmmlImport *import, const char *name, const char *value)
{
    ImportColumn column = pmml_column(import, name);

    if (column.kind != IMPORT_COLUMN_TEXT)
        pmml_fail(import->env, "compares the number \"%.60s\" with the text \"%.40s\", which is not read", name, value);
    column.kind = IMPORT_COLUMN_LEVEL;
    column.level = pmml_level(import, &import->field[column.feature], value);
    return column;
}

static bool same_column(const ImportColumn *a, const ImportColumn *b)
{
    return a->kind == b->kind && a->feature == b->feature && a->level == b->level && a->shift == b->shift && a->scale == b->scale;
}

uint32_t pmml_put_column(PmmlImport *import, ImportColumn column)
{
    uint32_t hash = hash_32(column.feature * 65599u + column.level), place = hash_start(&import->column_table, hash), entry;

    while ((entry = hash_next(&import->column_table, hash, &place)) != HASH_NONE)
        if (same_column(&import->column[entry], &column))
            return entry;
    import->column = env_grow(import->env, import->column, import->columns, &import->columns_room, sizeof(ImportColumn));
    import->column[import->columns] = column;
    hash_add(import->env, &import->column_table, hash);
    if (import->columns == MOST_FIELDS)
        pmml_fail(import->env, "has a model of more than %u columns", MOST_FIELDS);
    return import->columns++;
}

/* ---- the row ---- */

/* Tells whether an unknown level of a category has no score. */
static bool is_strict(const PmmlImport *import, const PmmlField *field)
{
    return field->bounded && (field->invalid == PMML_RETURN_INVALID || (field->invalid == PMML_AS_MISSING && !import->levels_may_lack));
}

/* Fails where numbers are replaced but a missing category has no score: what replaces numbers gives it that of no level. */
static void require_scored_categories(const PmmlImport *import)
{
    bool replaced = false;

    for (uint32_t f = 0; f < import->row.features; f++)
        replaced = replaced || !isnan(import->used[f]->replacement);
    for (uint32_t f = 0; replaced && f < import->row.features; f++)
        if (import->used[f]->category && (import->used[f]->required || !import->levels_may_lack))
            pmml_fail(import->env, "replaces missing numbers, and gives rows that lack the category \"%.60s\" no score, which is not read", import->used[f]->name);
}

/* Fills in the features, and decides about unknown levels. */
static void set_features(PmmlImport *import)
{
    ImportRow *row = &import->row;
    uint32_t strict = 0, lax = 0;

    row->feature = env_array(import->env, (size_t)import->fields + 1, sizeof(ImportFeature));
    import->used = env_array(import->env, (size_t)import->fields + 1, sizeof(PmmlField *));
    for (const XmlNode *node = pmml_first(pmml_first(import->model, "MiningSchema"), "MiningField"); node != NULL; node = pmml_next(node, "MiningField")) {
        PmmlField *field = &import->field[find_name(import, pmml_attribute(node, "name"))];

        if (!field->used || field->placed)
            continue;
        field->placed = true;
        field->feature = row->features++;
        import->used[field->feature] = field;
        row->feature[field->feature] = (ImportFeature){.name = field->name,
                                                       .category = field->category,
                                                       .levels = field->category ? field->table.count : 0,
                                                       .level = field->level,
                                                       .mean = field->replacement};
        import->skips_nulls = import->skips_nulls || field->required;
        strict += field->category && is_strict(import, field);
        lax += field->category && !is_strict(import, field);
    }
    require_scored_categories(import);
    import->refuses_levels = import->refuses_levels || (strict > 0 && lax > 0);
    row->strict = strict > 0 || import->refuses_levels;
}

/* Makes features of all active fields where the model uses none, as a tree of one leaf does, so that it has rows to score. */
static void use_active_fields(PmmlImport *import)
{
    for (uint32_t f = 0; f < import->fields; f++)
        if (import->field[f].used)
            return;
    for (uint32_t f = 0; f < import->fields; f++)
        if (import->field[f].active && import->field[f].node != NULL)
            column_of(import, import->field[f].name, 0);
}

static int compare_columns(const void *a, const void *b)
{
    const ImportColumn *const *left = a, *const *right = b;

    if ((*left)->feature != (*right)->feature)
        return (*left)->feature < (*right)->feature ? -1 : 1;
    if ((*left)->level != (*right)->level)
        return (*left)->level < (*right)->level ? -1 : 1;
    return *left < *right ? -1 : *left > *right;
}

void pmml_row(PmmlImport *import, bool natural)
{
    Env *env = import->env;
    ImportRow *row = &import->row;
    ImportColumn **sorted = env_array(env, (size_t)import->columns + 1, sizeof(ImportColumn *));
    ImportColumn *mapped = env_array(env, (size_t)import->columns + 1, sizeof(ImportColumn));

    if (natural)
        use_active_fields(import);
    set_features(import);
    if (row->features == 0)
        pmml_fail(env, "has a model that uses no field, which is not read");
    row->columns = natural ? row->features : import->columns;
    row->column = env_array(env, (size_t)row->columns + 1, sizeof(ImportColumn));
    import->place = env_array(env, (size_t)import->columns + 1, sizeof(uint32_t));
    for (uint32_t f = 0; natural && f < row->features; f++)
        row->column[f] = (ImportColumn){.kind = row->feature[f].category ? IMPORT_COLUMN_TEXT : IMPORT_COLUMN_NUMBER, .feature = f, .scale = 1};
    for (uint32_t c = 0; c < import->columns; c++) {
        mapped[c] = import->column[c];
        mapped[c].feature = import->field[mapped[c].feature].feature;
        sorted[c] = &mapped[c];
    }
    if (natural)
        return;
    sort_polled(env, sorted, import->columns, sizeof(ImportColumn *), compare_columns);
    for (uint32_t c = 0; c < import->columns; c++) {
        row->column[c] = *sorted[c];
        import->place[sorted[c] - mapped] = c;
    }
}

void pmml_require_doubles(PmmlImport *import)
{
    for (uint32_t f = 0; f < import->fields; f++)
        if (import->field[f].used && import->field[f].single)
            pmml_fail(import->env, "rounds field \"%.60s\" to type float, which is read for trees alone", import->field[f].name);
}

/* ---- the target ---- */

PmmlField *pmml_target(PmmlImport *import)
{
    if (import->target == NULL)
        pmml_fail(import->env, "has a classification without a target in its mining schema");
    if (!import->target->category)
        pmml_fail(import->env, "has a classification of the continuous target \"%.60s\"", import->target->name);
    return import->target;
}

uint32_t pmml_class(PmmlImport *import, const char *label)
{
    PmmlField *target = pmml_target(import);
    uint32_t class = import->settled ? pmml_find_level(target, label) : pmml_level(import, target, label);

    if (class == HASH_NONE)
        pmml_fail(import->env, "has the class \"%.60s\" that is none of its target", label);
    return class;
}

void pmml_targets(PmmlImport *import, const XmlNode *model, double *factor, double *constant)
{
    Env *env = import->env;
    const XmlNode *targets = pmml_first(model, "Targets"), *target = targets != NULL ? pmml_first(targets, "Target") : NULL;

    *factor = 1;
    *constant = 0;
    if (target == NULL)
        return;
    if (pmml_next(target, "Target") != NULL)
        pmml_fail(env, "has several targets; one is read");
    *factor = pmml_number(env, target, "rescaleFactor", 1);
    *constant = pmml_number(env, target, "rescaleConstant", 0);
    if (pmml_attribute(target, "castInteger") != NULL || pmml_attribute(target, "min") != NULL || pmml_attribute(target, "max") != NULL)
        pmml_fail(env, "rounds or limits its target, which is not read");
    for (const XmlNode *value = pmml_first(target, "TargetValue"); value != NULL; value = pmml_next(value, "TargetValue"))
        if (pmml_attribute(value, "priorProbability") != NULL || pmml_attribute(value, "defaultValue") != NULL)
            import->skips_nulls = true;
}
