/*
 * pmml_predicate.c - the predicates of nodes: comparisons of numbers become "at most a threshold", comparisons of categories sets of levels.
 */
#include "core/import/float_threshold.h"
#include "core/pmml/pmml_tree.h"

#include <stdlib.h>

#define PREDICATE_PARTS 4096

const XmlNode *pmml_predicate_of(Env *env, const XmlNode *node)
{
    static const char *const names[] = {"True", "False", "SimplePredicate", "SimpleSetPredicate", "CompoundPredicate"};

    for (const XmlNode *child = pmml_first(node, NULL); child != NULL; child = pmml_next(child, NULL))
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            if (pmml_is(child, names[i]))
                return child;
    pmml_fail(env, "has a %.40s without a predicate", node->name);
}

bool pmml_is_single(const XmlNode *model)
{
    return pmml_says(model, "x-mathContext", "float", false);
}

void *pmml_tree_take(PmmlTrees *trees, size_t bytes)
{
    env_require_memory(trees->import->env, trees->memory.bytes + bytes, "a tree of the pmml document");
    return arena_take(&trees->memory, bytes);
}

/* ---- fields and levels ---- */

typedef struct LevelSet {
    PmmlTrees *trees;
    PmmlField *field;
    uint8_t *bits; /* NULL: levels are only noted */
} LevelSet;

/* Adds a level to a set. */
static void take_level(void *context, const char *text)
{
    LevelSet *set = context;
    uint32_t level = set->bits == NULL ? pmml_level(set->trees->import, set->field, text) : pmml_find_level(set->field, text);

    if (set->bits != NULL && level != HASH_NONE)
        set->bits[level / 8] |= (uint8_t)(1u << level % 8);
}

/* Notes what a predicate uses. */
static void survey(PmmlTrees *trees, const XmlNode *node, uint32_t *parts)
{
    PmmlImport *import = trees->import;
    Env *env = import->env;
    ImportColumn column;
    LevelSet set = {.trees = trees};

    if (++*parts > PREDICATE_PARTS)
        pmml_fail(env, "has a predicate of more than %d parts", PREDICATE_PARTS);
    if (pmml_is(node, "CompoundPredicate"))
        for (const XmlNode *part = pmml_first(node, NULL); part != NULL; part = pmml_next(part, NULL))
            survey(trees, part, parts);
    if (!pmml_is(node, "SimplePredicate") && !pmml_is(node, "SimpleSetPredicate"))
        return;
    column = pmml_column(import, pmml_required(env, node, "field"));
    trees->natural = trees->natural && column.kind != IMPORT_COLUMN_LEVEL && !column.scaled;
    pmml_put_column(import, column);
    if (column.kind != IMPORT_COLUMN_TEXT)
        return;
    set.field = &import->field[column.feature];
    if (pmml_is(node, "SimpleSetPredicate"))
        pmml_texts(env, pmml_child(env, node, "Array"), take_level, &set);
    else if (pmml_attribute(node, "value") != NULL)
        take_level(&set, pmml_attribute(node, "value"));
}

static uint64_t survey_node(PmmlTrees *trees, const XmlNode *node)
{
    PmmlImport *import = trees->import;
    uint32_t parts = 0;
    uint64_t nodes = 1;

    import->env->poll(import->env);
    survey(trees, pmml_predicate_of(import->env, node), &parts);
    if (trees->leaves != PMML_NUMBERS && pmml_attribute(node, "score") != NULL)
        pmml_class(import, pmml_attribute(node, "score"));
    for (const XmlNode *child = pmml_first(node, NULL); child != NULL; child = pmml_next(child, NULL)) {
        if (pmml_is(child, "Node"))
            nodes += survey_node(trees, child);
        else if (pmml_is(child, "ScoreDistribution") && trees->leaves == PMML_SHARES)
            pmml_class(import, pmml_required(import->env, child, "value"));
        else if (pmml_is(child, "EmbeddedModel") || pmml_is(child, "Regression") || pmml_is(child, "DecisionTree"))
            pmml_fail(import->env, "has a %.40s in a tree, which is not read", child->name);
    }
    return nodes + parts;
}

void pmml_tree_survey(PmmlTrees *trees, const XmlNode *model)
{
    PmmlImport *import = trees->import;

    if (pmml_says(model, "functionName", "classification", false) != (trees->leaves != PMML_NUMBERS))
        pmml_fail(import->env, "has trees of different functions, or of %.40s where others are expected", pmml_required(import->env, model, "functionName"));
    trees->most += survey_node(trees, pmml_child(import->env, model, "Node"));
}

/* ---- predicates ---- */

static PmmlPredicate *new_predicate(PmmlTrees *trees, PredicateKind kind, bool negated, uint32_t slot)
{
    PmmlPredicate *out = pmml_tree_take(trees, sizeof(PmmlPredicate));

    *out = (PmmlPredicate){.kind = kind, .negated = negated, .slot = slot};
    return out;
}

static PmmlPredicate *at_most(PmmlTrees *trees, uint32_t slot, double threshold, bool negated)
{
    PmmlPredicate *out = new_predicate(trees, PREDICATE_AT_MOST, negated, slot);

    out->threshold = threshold;
    return out;
}

/* Returns a comparison of a number. */
static PmmlPredicate *compare_number(PmmlTrees *trees, const XmlNode *node, uint32_t slot, bool single)
{
    Env *env = trees->import->env;
    const char *operator = pmml_required(env, node, "operator"), *text = pmml_required(env, node, "value");
    double value = pmml_number_of(env, text, "the value of a predicate");
    PmmlPredicate *out, *part;

    if (single)
        value = strtof(text, NULL);
    if (strcmp(operator, "lessOrEqual") == 0 || strcmp(operator, "greaterThan") == 0)
        return at_most(trees, slot, threshold_at(value, false, single), operator[0] == 'g');
    if (strcmp(operator, "lessThan") == 0 || strcmp(operator, "greaterOrEqual") == 0)
        return at_most(trees, slot, threshold_at(value, true, single), operator[0] == 'g');
    if (strcmp(operator, "equal") != 0 && strcmp(operator, "notEqual") != 0)
        pmml_fail(env, "has a predicate with the operator %.40s, which is not read", operator);
    out = new_predicate(trees, operator[0] == 'e' ? PREDICATE_AND : PREDICATE_OR, false, slot);
    part = at_most(trees, slot, threshold_at(value, false, single), operator[0] == 'n');
    part->next = at_most(trees, slot, threshold_at(value, true, single), operator[0] == 'e');
    out->part = part;
    return out;
}

static PmmlPredicate *compare_level(PmmlTrees *trees, const XmlNode *node, uint32_t slot, PmmlField *field)
{
    Env *env = trees->import->env;
    LevelSet set = {trees, field, pmml_tree_take(trees, tree_set_bytes(field->table.count) + 1)};
    PmmlPredicate *out = new_predicate(trees, PREDICATE_IN, false, slot);

    out->set = set.bits;
    if (pmml_is(node, "SimpleSetPredicate")) {
        const char *operator = pmml_required(env, node, "booleanOperator");

        out->negated = strcmp(operator, "isNotIn") == 0;
        if (!out->negated && strcmp(operator, "isIn") != 0)
            pmml_fail(env, "has a SimpleSetPredicate with the operator %.40s", operator);
        pmml_texts(env, pmml_child(env, node, "Array"), take_level, &set);
        return out;
    }
    out->negated = pmml_says(node, "operator", "notEqual", false);
    if (!out->negated && !pmml_says(node, "operator", "equal", false))
        pmml_fail(env, "compares the category \"%.60s\" by the operator %.40s, which is not read", field->name, pmml_required(env, node, "operator"));
    take_level(&set, pmml_required(env, node, "value"));
    return out;
}

static PmmlPredicate *compare(PmmlTrees *trees, const XmlNode *node)
{
    PmmlImport *import = trees->import;
    Env *env = import->env;
    ImportColumn column = pmml_column(import, pmml_required(env, node, "field"));
    PmmlField *field = &import->field[column.feature];
    const char *operator = pmml_attribute(node, "operator");
    uint32_t slot = trees->natural ? field->feature : import->place[pmml_put_column(import, column)];

    if (pmml_is(node, "SimplePredicate") && operator != NULL && (strcmp(operator, "isMissing") == 0 || strcmp(operator, "isNotMissing") == 0))
        return new_predicate(trees, PREDICATE_MISSING, operator[2] == 'N', slot);
    if (column.kind == IMPORT_COLUMN_TEXT)
        return compare_level(trees, node, slot, field);
    if (pmml_is(node, "SimpleSetPredicate"))
        pmml_fail(env, "has a set of numbers of the continuous field \"%.60s\", which is not read", field->name);
    if (field->single && column.scaled)
        pmml_fail(env, "scales field \"%.60s\" of type float, which is not read", field->name);
    return compare_number(trees, node, slot, field->single && column.kind == IMPORT_COLUMN_NUMBER);
}

static PmmlPredicate *read(PmmlTrees *trees, const XmlNode *node)
{
    Env *env = trees->import->env;
    const char *operator;
    PmmlPredicate *out, *last = NULL;

    if (pmml_is(node, "True") || pmml_is(node, "False"))
        return new_predicate(trees, pmml_is(node, "True") ? PREDICATE_TRUE : PREDICATE_FALSE, false, 0);
    if (!pmml_is(node, "CompoundPredicate"))
        return compare(trees, node);
    operator = pmml_required(env, node, "booleanOperator");
    out = new_predicate(trees,
                        strcmp(operator, "and") == 0  ? PREDICATE_AND
                        : strcmp(operator, "or") == 0 ? PREDICATE_OR
                                                      : PREDICATE_SURROGATE,
                        false, 0);
    if (out->kind == PREDICATE_SURROGATE && strcmp(operator, "surrogate") != 0)
        pmml_fail(env, "has a CompoundPredicate with the operator %.40s, which is not read", operator);
    for (const XmlNode *child = pmml_first(node, NULL); child != NULL; child = pmml_next(child, NULL)) {
        PmmlPredicate *part = read(trees, child);

        if (last == NULL)
            out->part = part;
        else
            last->next = part;
        last = part;
    }
    if (out->part == NULL)
        pmml_fail(env, "has a CompoundPredicate without parts");
    return out;
}

const PmmlPredicate *pmml_predicate(PmmlTrees *trees, const XmlNode *node)
{
    return read(trees, node);
}
