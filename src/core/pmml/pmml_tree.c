/*
 * pmml_tree.c - makes trees of two-way splits of a TreeModel.
 *
 * A node of PMML tries the predicates of its children in turn, each of which is true, false or, of a missing value, unknown. Where to go is a
 * "goal": a node, its children from one on, a test with a goal for each outcome, a score, or none. Growing follows the goals from the root and
 * keeps what the path has told of each slot, its "domain", by which most tests have one outcome and need no split. What would have no score
 * because of a missing value or an unknown level is not built: such rows get none at all (PmmlImport.skips_nulls, refuses_levels).
 */
#include "core/pmml/pmml_tree.h"

#include <stdlib.h>

#define COPIES_MOST 16 /* nodes of the model for each predicate or node of the document */

typedef enum GoalKind { GOAL_NODE, GOAL_CHILDREN, GOAL_SCORE, GOAL_NONE, GOAL_TEST } GoalKind;

typedef struct Goal Goal;
struct Goal {
    GoalKind kind;
    const XmlNode *node;  /* of a node, its children, a score */
    const XmlNode *child; /* the first one to try */
    const PmmlPredicate *test;
    const Goal *yes, *no, *unknown; /* unknown, of children: where all but the strategy "none" send such rows; NULL: not looked up yet */
    const Goal *after; /* what `step` made of it, which goals are kept by: many paths come here */
};

/* What a path has told of a slot. */
typedef struct Domain Domain;
struct Domain {
    const Domain *before; /* of other slots, or of this one earlier on the path */
    uint32_t slot;
    bool missing, other;  /* it may be missing; a level that the document does not name */
    double above, most;   /* a number above the one and at most the other; none if they are equal */
    const uint8_t *set;   /* of a category: a bit per level */
};

/* The parts of a domain in which a test has an outcome. */
typedef struct Outcomes {
    Domain yes, no, unknown;
} Outcomes;

typedef struct Growth {
    PmmlTrees *trees;
    const XmlNode *model;
    double factor;
    enum { MISSING_NONE, MISSING_DEFAULT, MISSING_LAST, MISSING_NULL } strategy;
    bool returns_last; /* where no child is true */
} Growth;

/* ---- domains ---- */

static bool is_category(PmmlTrees *trees, uint32_t slot)
{
    return trees->natural && trees->import->row.feature[slot].category;
}

/* Returns what is known of a slot. */
static Domain domain_of(PmmlTrees *trees, const Domain *path, uint32_t slot)
{
    const PmmlImport *import = trees->import;
    Domain out = {.slot = slot, .above = -INFINITY, .most = INFINITY};
    const Domain *found = path;

    while (found != NULL && found->slot != slot)
        found = found->before;
    if (found != NULL)
        return *found;
    out.missing = !import->skips_nulls && trees->natural && isnan(import->row.feature[slot].mean);
    if (is_category(trees, slot)) {
        uint32_t levels = trees->levels->count[slot], bytes = tree_set_bytes(levels);
        uint8_t *set = pmml_tree_take(trees, bytes + 1);

        for (uint32_t l = 0; l < levels; l++)
            set[l / 8] |= (uint8_t)(1u << l % 8);
        out.set = set;
        out.other = !import->refuses_levels && !import->row.strict && (import->used[slot]->invalid == PMML_AS_IS || !import->used[slot]->bounded);
    }
    return out;
}

static bool has_levels(PmmlTrees *trees, const Domain *domain)
{
    for (uint32_t i = 0; i < tree_set_bytes(trees->levels->count[domain->slot]); i++)
        if (domain->set[i] != 0)
            return true;
    return false;
}

/* Tells whether a domain has numbers or levels. */
static bool has_values(PmmlTrees *trees, const Domain *domain)
{
    if (!is_category(trees, domain->slot))
        return domain->above < domain->most;
    return domain->other || has_levels(trees, domain);
}

static bool is_empty(PmmlTrees *trees, const Domain *domain)
{
    return !domain->missing && !has_values(trees, domain);
}

/* Returns the levels of a domain that are in a set, or are not. */
static const uint8_t *part_of(PmmlTrees *trees, const Domain *domain, const uint8_t *set, bool in)
{
    uint32_t bytes = tree_set_bytes(trees->levels->count[domain->slot]);
    uint8_t *out = pmml_tree_take(trees, bytes + 1);

    for (uint32_t i = 0; i < bytes; i++)
        out[i] = domain->set[i] & (in ? set[i] : (uint8_t)~set[i]);
    return out;
}

/* Splits the domain of a slot by the outcome of a comparison, or of a test for a missing value. */
static Outcomes outcomes_of(PmmlTrees *trees, const Domain *domain, const PmmlPredicate *test)
{
    Outcomes out = {*domain, *domain, *domain};
    Domain *yes = test->negated ? &out.no : &out.yes, *no = test->negated ? &out.yes : &out.no;

    out.unknown.above = out.unknown.most = 0;
    out.unknown.other = false;
    yes->missing = no->missing = false;
    if (is_category(trees, domain->slot))
        out.unknown.set = part_of(trees, domain, domain->set, false);
    if (test->kind == PREDICATE_MISSING) {
        *yes = out.unknown;
        yes->missing = domain->missing;
        out.unknown.missing = false;
    } else if (test->kind == PREDICATE_IN) {
        yes->set = part_of(trees, domain, test->set, true);
        no->set = part_of(trees, domain, test->set, false);
        yes->other = false;
    } else {
        yes->most = fmin(domain->most, test->threshold);
        no->above = fmax(domain->above, test->threshold);
        if (!(yes->above < yes->most))
            yes->above = yes->most = 0;
        if (!(no->above < no->most))
            no->above = no->most = 0;
    }
    return out;
}

static const Domain *keep_domain(PmmlTrees *trees, Domain domain, const Domain *path)
{
    Domain *out = pmml_tree_take(trees, sizeof(Domain));

    *out = domain;
    out->before = path;
    return out;
}

/* ---- goals ---- */

static const Goal *new_goal(Growth *growth, Goal goal)
{
    Goal *out = pmml_tree_take(growth->trees, sizeof(Goal));

    *out = goal;
    return out;
}

static const Goal *test_goal(Growth *growth, const PmmlPredicate *test, const Goal *yes, const Goal *no, const Goal *unknown)
{
    return new_goal(growth, (Goal){.kind = GOAL_TEST, .test = test, .yes = yes, .no = no, .unknown = unknown});
}

/* Returns where a node sends rows for which the predicate of a child is unknown, unless they try the next child. */
static const Goal *unknown_goal(Growth *growth, const XmlNode *node)
{
    Env *env = growth->trees->import->env;
    const char *name;
    uint32_t seen = 0;

    switch (growth->strategy) {
    case MISSING_LAST:
        return new_goal(growth, (Goal){.kind = GOAL_SCORE, .node = node});
    case MISSING_NULL:
        return new_goal(growth, (Goal){.kind = GOAL_NONE});
    default:
        name = pmml_attribute(node, "defaultChild");
        if (name == NULL)
            return new_goal(growth, (Goal){.kind = GOAL_NONE});
        for (const XmlNode *child = pmml_first(node, "Node"); child != NULL; child = pmml_next(child, "Node")) {
            env_poll_every(env, ++seen, 4096);
            if (pmml_says(child, "id", name, false))
                return new_goal(growth, (Goal){.kind = GOAL_NODE, .node = child});
        }
        pmml_fail(env, "has a node whose default child \"%.40s\" is none of its children", name);
    }
}

/* Returns a compound without its first part. */
static const PmmlPredicate *rest_of(Growth *growth, const PmmlPredicate *test)
{
    PmmlPredicate *out = pmml_tree_take(growth->trees, sizeof(PmmlPredicate));

    *out = *test;
    out->part = test->part->next;
    return out;
}

/* Returns what comes of a goal without a test: of compounds the first part's. */
static const Goal *step(Growth *growth, const Goal *goal)
{
    const PmmlPredicate *test = goal->test;
    const XmlNode *next;
    const Goal *no, *rest, *unknown;

    if (goal->kind == GOAL_CHILDREN && goal->child == NULL)
        return new_goal(growth, (Goal){.kind = growth->returns_last ? GOAL_SCORE : GOAL_NONE, .node = goal->node});
    if (goal->kind == GOAL_CHILDREN) {
        next = pmml_next(goal->child, "Node");
        unknown = goal->unknown != NULL || growth->strategy == MISSING_NONE ? goal->unknown : unknown_goal(growth, goal->node);
        no = new_goal(growth, (Goal){.kind = GOAL_CHILDREN, .node = goal->node, .child = next, .unknown = unknown});
        return test_goal(growth, pmml_predicate(growth->trees, pmml_predicate_of(growth->trees->import->env, goal->child)),
                         new_goal(growth, (Goal){.kind = GOAL_NODE, .node = goal->child}), no, unknown != NULL ? unknown : no);
    }
    if (test->kind == PREDICATE_TRUE || test->kind == PREDICATE_FALSE)
        return test->kind == PREDICATE_TRUE ? goal->yes : goal->no;
    if (test->part->next == NULL)
        return test_goal(growth, test->part, goal->yes, goal->no, goal->unknown);
    rest = test_goal(growth, rest_of(growth, test), goal->yes, goal->no, goal->unknown);
    if (test->kind == PREDICATE_AND)
        return test_goal(growth, test->part, rest, goal->no,
                         goal->no == goal->unknown ? goal->no : test_goal(growth, rest->test, goal->unknown, goal->no, goal->unknown));
    if (test->kind == PREDICATE_OR)
        return test_goal(growth, test->part, goal->yes, rest,
                         goal->no == goal->unknown ? rest : test_goal(growth, rest->test, goal->yes, goal->unknown, goal->unknown));
    return test_goal(growth, test->part, goal->yes, goal->no, rest);
}

static bool is_simple(const PmmlPredicate *test)
{
    return test->kind == PREDICATE_AT_MOST || test->kind == PREDICATE_IN || test->kind == PREDICATE_MISSING;
}

/*
 * Follows a goal as far as what is known decides: to a node, a score, none, or a test that goes several ways, whose domain and outcomes it sets.
 */
static const Goal *follow(Growth *growth, const Goal *goal, const Domain *path, Domain *domain, Outcomes *outcomes)
{
    PmmlTrees *trees = growth->trees;

    for (uint32_t steps = 0;; steps++) {
        bool yes, no, unknown;

        env_poll_every(trees->import->env, steps + 1, 1024);
        if (goal->kind == GOAL_NODE || goal->kind == GOAL_SCORE || goal->kind == GOAL_NONE)
            return goal;
        if (goal->kind == GOAL_CHILDREN || !is_simple(goal->test)) {
            if (goal->after == NULL)
                *(const Goal **)&goal->after = step(growth, goal);
            goal = goal->after;
            continue;
        }
        *domain = domain_of(trees, path, goal->test->slot);
        if (domain->missing && !has_values(trees, domain)) { /* a path to many tests: it takes no memory */
            goal = goal->test->kind != PREDICATE_MISSING ? goal->unknown : goal->test->negated ? goal->no : goal->yes;
            continue;
        }
        *outcomes = outcomes_of(trees, domain, goal->test);
        yes = !is_empty(trees, &outcomes->yes);
        no = !is_empty(trees, &outcomes->no);
        unknown = !is_empty(trees, &outcomes->unknown);
        if (yes + no + unknown != 1)
            return goal;
        goal = yes ? goal->yes : no ? goal->no : goal->unknown;
    }
}

/* Tells whether two goals that were followed lead to the same place. */
static bool same_goal(const Goal *a, const Goal *b)
{
    return a == b || (a->kind == b->kind && a->kind != GOAL_TEST && a->node == b->node);
}

/* ---- leaves ---- */

/* Makes a leaf a vote for a class. */
static void vote(PmmlTrees *trees, uint32_t number, uint32_t class)
{
    uint32_t classes = trees->import->target->table.count;

    memset(trees->shares, 0, classes * sizeof(double));
    trees->shares[class] = 1;
    grown_tree_classes(trees->tree, number, trees->shares, classes);
}

/* Returns the class with the largest share, the first of equals. */
static uint32_t largest(const double *shares, uint32_t classes)
{
    uint32_t best = 0;

    for (uint32_t k = 1; k < classes; k++)
        if (shares[k] > shares[best])
            best = k;
    return best;
}

/* Reads the distribution of a node into trees->shares. Returns false if it has none. */
static bool read_distribution(PmmlTrees *trees, const XmlNode *node)
{
    PmmlImport *import = trees->import;
    uint32_t classes = import->target->table.count, given = 0, probabilities = 0;
    double total = 0;

    memset(trees->shares, 0, classes * sizeof(double));
    for (const XmlNode *d = pmml_first(node, "ScoreDistribution"); d != NULL; d = pmml_next(d, "ScoreDistribution"), given++) {
        bool probability = pmml_attribute(d, "probability") != NULL;
        double weight = pmml_number(import->env, d, probability ? "probability" : "recordCount", NAN);
        uint32_t class = pmml_class(import, pmml_required(import->env, d, "value"));

        probabilities += probability;
        if (!(weight >= 0) || trees->shares[class] != 0)
            pmml_fail(import->env, "has a leaf with two numbers of class \"%.40s\", or one below 0", pmml_attribute(d, "value"));
        trees->shares[class] = weight;
        total += weight;
    }
    if (given == 0)
        return false;
    if (probabilities != 0 && (probabilities != given || !(fabs(total - 1) < 1e-6)))
        pmml_fail(import->env, "has a leaf whose probabilities add up to %g", total);
    return total > 0;
}

/* Notes the class of a leaf where both are equally likely. Fails if another such leaf has the other one. */
static void note_tie(PmmlTrees *trees, uint32_t class)
{
    trees->ties |= 1U << class;
    if (trees->ties == 3)
        pmml_fail(trees->import->env, "has leaves of equally likely classes with the scores \"%.60s\" and \"%.60s\", which is not read", trees->import->target->level[0],
                  trees->import->target->level[1]);
}

/* Sets what a leaf holds. Returns false if the node has no score. */
static bool put_leaf(Growth *growth, uint32_t number, const XmlNode *node)
{
    PmmlTrees *trees = growth->trees;
    Env *env = trees->import->env;
    const char *score = pmml_attribute(node, "score");
    uint32_t classes, best;

    if (trees->leaves == PMML_NUMBERS) {
        double cover = pmml_number(env, node, "recordCount", 1), value;

        if (score == NULL)
            return false;
        value = pmml_number_of(env, score, "a score");
        trees->tree->nodes[number].value = growth->factor * (pmml_is_single(growth->model) ? strtof(score, NULL) : value);
        trees->tree->nodes[number].cover = cover > 0 ? cover : 1;
        if (!isfinite(trees->tree->nodes[number].value))
            pmml_fail(env, "has a score of %.40s times %g, which is out of range", score, growth->factor);
        return true;
    }
    classes = trees->import->target->table.count;
    if (!read_distribution(trees, node)) {
        if (score == NULL)
            return false;
        vote(trees, number, pmml_class(trees->import, score));
        return true;
    }
    best = largest(trees->shares, classes);
    if (trees->leaves == PMML_VOTES) {
        vote(trees, number, score != NULL ? pmml_class(trees->import, score) : best);
        return true;
    }
    if (score != NULL && trees->decides && classes == 2 && trees->shares[0] == trees->shares[1])
        note_tie(trees, pmml_class(trees->import, score));
    else if (score != NULL && trees->decides && pmml_class(trees->import, score) != best)
        pmml_fail(env, "has a leaf with the score \"%.60s\", though class \"%.60s\" is more likely, or as likely and before it, which is not read", score,
                  trees->import->target->level[best]);
    grown_tree_classes(trees->tree, number, trees->shares, classes);
    return true;
}

/* Decides what rows that end without a score mean: those with NULLs, or with unknown levels, get none anywhere. */
static void put_none(Growth *growth, const Domain *path)
{
    PmmlTrees *trees = growth->trees;
    PmmlImport *import = trees->import;
    bool missing = false, other = false;

    for (const Domain *d = path; d != NULL; d = d->before) {
        missing = missing || (d->missing && !has_values(trees, d));
        other = other || (is_category(trees, d->slot) && d->other && !has_levels(trees, d));
    }
    if (!missing && !other)
        pmml_fail(import->env, "has a tree that gives some rows no score though they lack no value, which is not read");
    import->skips_nulls = import->skips_nulls || missing;
    import->refuses_levels = import->refuses_levels || (!missing && other);
    trees->again = true;
}

/* ---- splits ---- */

typedef struct Growing {
    const Goal *goal;
    const Domain *path;
    uint32_t parent;
    bool left;
} Growing;

typedef struct GrowingStack {
    Growing *items;
    uint32_t count, room;
} GrowingStack;

static void push(Env *env, GrowingStack *stack, Growing item)
{
    stack->items = env_grow(env, stack->items, stack->count, &stack->room, sizeof(Growing));
    stack->items[stack->count++] = item;
}

/* What a split is to be: which way each part of the domain goes. */
typedef struct Split {
    const Goal *left_goal, *right_goal;
    Domain left, right;
    double threshold;    /* of a number */
    bool missing_left;
} Split;

static void put_split(Growth *growth, GrowingStack *stack, uint32_t number, const Growing *at, const Split *split)
{
    PmmlTrees *trees = growth->trees;
    Env *env = trees->import->env;
    uint32_t slot = split->left.slot;

    if (is_category(trees, slot)) {
        uint32_t levels = trees->levels->count[slot], set = grown_tree_set(trees->tree, levels);

        memcpy(trees->tree->sets + set, split->left.set, tree_set_bytes(levels));
        trees->tree->nodes[number].category = true;
        trees->tree->nodes[number].set = set;
    } else {
        grown_tree_threshold(&trees->tree->nodes[number], split->threshold, split->threshold, split->threshold);
        trees->tree->nodes[number].near = NAN;
    }
    trees->tree->nodes[number].slot = slot;
    trees->tree->nodes[number].missing_left = split->missing_left;
    push(env, stack, (Growing){split->right_goal, keep_domain(trees, split->right, at->path), number, false});
    push(env, stack, (Growing){split->left_goal, keep_domain(trees, split->left, at->path), number, true});
}

/* Parts missing values from the others, which go on with the goal. Unknown levels would follow the missing ones, so they get no score. */
static void part_missing(Growth *growth, GrowingStack *stack, uint32_t number, const Growing *at, const Goal *goal, const Goal *missing_goal,
                         const Domain *domain)
{
    Split split = {.left_goal = goal, .right_goal = missing_goal, .left = *domain, .right = *domain, .threshold = INFINITY};

    if (domain->other) {
        growth->trees->import->refuses_levels = true;
        growth->trees->again = true;
    }
    split.left.missing = false;
    split.right.above = split.right.most = 0;
    split.right.other = false;
    if (is_category(growth->trees, domain->slot))
        split.right.set = part_of(growth->trees, domain, domain->set, false);
    put_split(growth, stack, number, at, &split);
}

/* Writes a test that goes several ways. */
static void put_test(Growth *growth, GrowingStack *stack, uint32_t number, const Growing *at, const Goal *goal, const Domain *domain, Outcomes *o)
{
    PmmlTrees *trees = growth->trees;
    const PmmlPredicate *test = goal->test;
    bool negated = test->negated, other = domain->other;
    Split split;

    if (test->kind == PREDICATE_MISSING) {
        part_missing(growth, stack, number, at, negated ? goal->yes : goal->no, negated ? goal->no : goal->yes, domain);
        return;
    }
    split = (Split){.left_goal = negated ? goal->no : goal->yes,
                    .right_goal = negated ? goal->yes : goal->no,
                    .left = negated ? o->no : o->yes,
                    .right = negated ? o->yes : o->no,
                    .threshold = test->threshold};
    if (domain->missing) { /* they go with one of the sides, if that leads to the same place */
        Domain unused;
        Outcomes none;
        const Goal *missing = follow(growth, goal->unknown, keep_domain(trees, o->unknown, at->path), &unused, &none);
        bool has_left = has_values(trees, &split.left), has_right = has_values(trees, &split.right), left, right;
        const Goal *to_left = has_left ? follow(growth, split.left_goal, keep_domain(trees, split.left, at->path), &unused, &none) : NULL;
        const Goal *to_right = has_right ? follow(growth, split.right_goal, keep_domain(trees, split.right, at->path), &unused, &none) : NULL;

        left = has_left && (goal->unknown == split.left_goal || same_goal(missing, to_left));
        right = has_right && (goal->unknown == split.right_goal || same_goal(missing, to_right));
        if (!has_left || !has_right || !(left || right)) {
            part_missing(growth, stack, number, at, goal, goal->unknown, domain);
            return;
        }
        split.missing_left = left && !(right && other); /* unknown levels are on the right */
        if (split.missing_left) {
            split.left.missing = true;
            split.left_goal = goal->unknown == split.left_goal ? split.left_goal : to_left;
        } else {
            split.right.missing = true;
            split.right_goal = goal->unknown == split.right_goal ? split.right_goal : to_right;
        }
        if (other && split.missing_left) { /* and those would follow the missing ones */
            trees->import->refuses_levels = true;
            trees->again = true;
        }
    }
    put_split(growth, stack, number, at, &split);
}

/* ---- growing ---- */

static void open_growth(Growth *growth)
{
    Env *env = growth->trees->import->env;
    const char *missing = pmml_attribute(growth->model, "missingValueStrategy"), *none = pmml_attribute(growth->model, "noTrueChildStrategy");

    if (missing == NULL || strcmp(missing, "none") == 0)
        growth->strategy = MISSING_NONE;
    else if (strcmp(missing, "defaultChild") == 0)
        growth->strategy = MISSING_DEFAULT;
    else if (strcmp(missing, "lastPrediction") == 0)
        growth->strategy = MISSING_LAST;
    else if (strcmp(missing, "nullPrediction") == 0)
        growth->strategy = MISSING_NULL;
    else
        pmml_fail(env, "has the missingValueStrategy %.40s, which is not read", missing);
    if (growth->strategy == MISSING_DEFAULT && pmml_number(env, growth->model, "missingValuePenalty", 1) != 1)
        pmml_fail(env, "has a missingValuePenalty, which is not read");
    growth->returns_last = none != NULL && strcmp(none, "returnLastPrediction") == 0;
}

void pmml_tree_grow(PmmlTrees *trees, const XmlNode *model, double factor)
{
    Env *env = trees->import->env;
    Growth growth = {.trees = trees, .model = model, .factor = factor};
    const XmlNode *root = pmml_child(env, model, "Node");
    GrowingStack stack = {0};
    const Goal *none = new_goal(&growth, (Goal){.kind = GOAL_NONE});

    open_growth(&growth);
    grown_tree_clear(trees->tree);
    push(env, &stack,
         (Growing){test_goal(&growth, pmml_predicate(trees, pmml_predicate_of(env, root)), new_goal(&growth, (Goal){.kind = GOAL_NODE, .node = root}), none, none),
                   NULL, TREE_NONE, false});
    while (stack.count > 0) {
        Growing at = stack.items[--stack.count];
        uint32_t number = grown_tree_node(trees->tree);
        GrownNode *node = &trees->tree->nodes[number];
        const Goal *goal = at.goal;
        Domain domain;
        Outcomes outcomes;

        node->left = node->right = TREE_NONE;
        node->cover = 1;
        if (at.parent != TREE_NONE)
            *(at.left ? &trees->tree->nodes[at.parent].left : &trees->tree->nodes[at.parent].right) = number;
        if (++trees->made > trees->most * COPIES_MOST + 1000)
            pmml_fail(env, "has trees whose predicates need more than %d splits each", COPIES_MOST);
        env_poll_every(env, trees->made, 256);
        goal = follow(&growth, goal, at.path, &domain, &outcomes);
        while (goal->kind == GOAL_NODE && pmml_first(goal->node, "Node") != NULL)
            goal = follow(&growth, new_goal(&growth, (Goal){.kind = GOAL_CHILDREN, .node = goal->node, .child = pmml_first(goal->node, "Node")}), at.path, &domain,
                          &outcomes);
        if (goal->kind == GOAL_TEST)
            put_test(&growth, &stack, number, &at, goal, &domain, &outcomes);
        else if (goal->kind == GOAL_NONE || !put_leaf(&growth, number, goal->node))
            put_none(&growth, at.path);
    }
    if (stack.items != NULL)
        env->release(env, stack.items);
    arena_clear(&trees->memory);
}
