/*
 * formula_expand_tree.c - expands + - : * / %in% ^ into terms.
 *
 * A term is a set of atoms, kept once under a number (interned), so that sets of terms are arrays of numbers. A sum only
 * appends to its left operand, with a mark for what is removed; duplicates and removed terms go when a set is used or finished
 * (drop_duplicates). So a sum of n terms takes O(n), however it is written.
 *
 * A bar, (effects | groups), leaves no term in the set that it is part of: its terms are noted, one bar per term of the groups (and with ||
 * per effect), and follow the terms of the formula. So they do not change how categories of those are coded.
 */
#include "core/base/hash_table.h"
#include "core/formula/formula_internal.h"

#include <string.h>

#define REMOVED 0x80000000u /* in an element of a set */
#define MOST_FACTORS 100    /* atoms of one term */
#define MOST_BARS 100
#define MOST_EFFECTS 100    /* terms of one bar */
#define MOST_PRODUCTS (4 * (uint64_t)FORMULA_MAX_COLUMNS)

typedef struct Term {
    uint32_t first, count; /* in atoms */
    uint32_t stamp, place; /* of the last pass that met it */
} Term;

typedef struct TermSet {
    uint32_t *terms;
    uint32_t count, room;
    int intercept; /* -1: not said */
    bool distinct;
} TermSet;

typedef struct Bar {
    TermSet effects;
    uint32_t groups; /* one term */
} Bar;

typedef struct Expander {
    Env *env;
    FormulaProblem *problem;
    HashTable table;
    Term *terms;
    uint32_t term_count, term_room;
    uint32_t *atoms;
    uint32_t atom_count, atom_room;
    uint32_t stamp;
    Bar *bars;
    uint32_t bar_count, bar_room;
} Expander;

/* Returns the number of a term of these atoms, which rise. */
static uint32_t intern(Expander *expander, const uint32_t *atoms, uint32_t count)
{
    uint32_t hash = count > 0 ? hash_bytes((const char *)atoms, count * (uint32_t)sizeof(*atoms)) : 0;
    uint32_t place = hash_start(&expander->table, hash), i;

    while ((i = hash_next(&expander->table, hash, &place)) != HASH_NONE)
        if (expander->terms[i].count == count &&
            (count == 0 || memcmp(expander->atoms + expander->terms[i].first, atoms, count * sizeof(*atoms)) == 0))
            return i;
    expander->terms = formula_grow(expander->env, expander->terms, expander->term_count, &expander->term_room, sizeof(Term));
    expander->terms[expander->term_count++] = (Term){.first = expander->atom_count, .count = count};
    for (i = 0; i < count; i++) {
        expander->atoms = formula_grow(expander->env, expander->atoms, expander->atom_count, &expander->atom_room, sizeof(uint32_t));
        expander->atoms[expander->atom_count++] = atoms[i];
    }
    return hash_add(expander->env, &expander->table, hash);
}

/* Gives back the elements of a set. */
static void drop(Expander *expander, TermSet *set)
{
    if (set->terms != NULL)
        expander->env->release(expander->env, set->terms);
    set->terms = NULL;
}

static void push(Expander *expander, TermSet *set, uint32_t term)
{
    set->terms = formula_grow(expander->env, set->terms, set->count, &set->room, sizeof(uint32_t));
    set->terms[set->count++] = term;
    env_poll_every(expander->env, set->count, 65536);
}

/* Drops duplicates and what is removed. */
static void drop_duplicates(Expander *expander, TermSet *set)
{
    uint32_t kept = 0, count = 0;

    if (set->distinct)
        return;
    expander->stamp++;
    for (uint32_t i = 0; i < set->count; i++) {
        Term *term = &expander->terms[set->terms[i] & ~REMOVED];
        bool there = term->stamp == expander->stamp && term->place != FORMULA_NONE;

        if (set->terms[i] & REMOVED) {
            if (there) {
                set->terms[term->place] = FORMULA_NONE;
                term->place = FORMULA_NONE;
            }
        } else if (!there) {
            term->stamp = expander->stamp;
            term->place = kept;
            set->terms[kept++] = set->terms[i];
        }
    }
    for (uint32_t i = 0; i < kept; i++)
        if (set->terms[i] != FORMULA_NONE)
            set->terms[count++] = set->terms[i];
    set->count = count;
    set->distinct = true;
}

static bool too_many(Expander *expander, uint64_t terms)
{
    return formula_problem(expander->problem, ERROR_LIMIT, NULL, "the formula has %llu terms, more than %u",
                           (unsigned long long)terms, FORMULA_MAX_COLUMNS);
}

/* Appends a set without duplicates. */
static bool append(Expander *expander, TermSet *left, const TermSet *right, uint32_t mark)
{
    if ((uint64_t)left->count + right->count > MOST_PRODUCTS) {
        drop_duplicates(expander, left);
        if ((uint64_t)left->count + right->count > MOST_PRODUCTS)
            return too_many(expander, (uint64_t)left->count + right->count);
    }
    for (uint32_t i = 0; i < right->count; i++)
        push(expander, left, right->terms[i] | mark);
    left->distinct = left->distinct && right->count == 0;
    return true;
}

/* Returns the number of the union of two terms, or FORMULA_NONE on a problem. */
static uint32_t unite(Expander *expander, uint32_t a, uint32_t b)
{
    const Term *left = &expander->terms[a], *right = &expander->terms[b];
    const uint32_t *x = expander->atoms + left->first, *y = expander->atoms + right->first;
    uint32_t both[2 * MOST_FACTORS], count = 0, i = 0, j = 0;

    while (i < left->count || j < right->count) {
        bool from_left = j == right->count || (i < left->count && x[i] <= y[j]);
        uint32_t atom = from_left ? x[i] : y[j];

        i += i < left->count && x[i] == atom;
        j += j < right->count && y[j] == atom;
        both[count++] = atom;
    }
    if (count > MOST_FACTORS) {
        formula_problem(expander->problem, ERROR_LIMIT, NULL, "a term of the formula has more than %d factors", MOST_FACTORS);
        return FORMULA_NONE;
    }
    return intern(expander, both, count);
}

/* Makes an intercept that is written among factors a term without atoms. */
static void prepare_factor(Expander *expander, TermSet *set)
{
    drop_duplicates(expander, set);
    if (set->intercept == 1)
        push(expander, set, intern(expander, NULL, 0));
    set->intercept = -1;
}

/* Takes the term without atoms out again. */
static void finish_product(Expander *expander, TermSet *set)
{
    uint32_t kept = 0;

    drop_duplicates(expander, set);
    for (uint32_t i = 0; i < set->count; i++)
        if (expander->terms[set->terms[i]].count > 0)
            set->terms[kept++] = set->terms[i];
        else
            set->intercept = 1;
    set->count = kept;
}

/* Appends all unions of a term of left with one of right to a set. */
static bool multiply(Expander *expander, TermSet *out, const TermSet *left, const TermSet *right)
{
    uint64_t products = (uint64_t)left->count * right->count;

    if (products + out->count > MOST_PRODUCTS)
        return too_many(expander, products);
    for (uint32_t i = 0; i < left->count; i++)
        for (uint32_t j = 0; j < right->count; j++) {
            uint32_t term = unite(expander, left->terms[i], right->terms[j]);

            if (term == FORMULA_NONE)
                return false;
            push(expander, out, term);
        }
    out->distinct = false;
    return true;
}

/* Returns the set whose only term is the union of all terms of a set. */
static bool unite_all(Expander *expander, const TermSet *set, TermSet *out)
{
    uint32_t all = intern(expander, NULL, 0);

    for (uint32_t i = 0; i < set->count; i++)
        if ((all = unite(expander, all, set->terms[i])) == FORMULA_NONE)
            return false;
    *out = (TermSet){.intercept = -1};
    push(expander, out, all);
    return true;
}

static bool raise_to_power(Expander *expander, TermSet *set, uint32_t power)
{
    TermSet base = {.intercept = -1};

    prepare_factor(expander, set);
    append(expander, &base, set, 0);
    for (uint32_t i = 1; i < power; i++) {
        TermSet next = {.intercept = -1};

        if (!multiply(expander, &next, set, &base))
            return false;
        drop_duplicates(expander, &next);
        if (next.count > FORMULA_MAX_COLUMNS)
            return too_many(expander, next.count);
        if (next.count == set->count)
            break;
        drop(expander, set);
        *set = next;
    }
    finish_product(expander, set);
    return true;
}

/* ---- random effects ---- */

static bool add_bar(Expander *expander, TermSet effects, uint32_t groups)
{
    if (expander->bar_count >= MOST_BARS)
        return formula_problem(expander->problem, ERROR_LIMIT, NULL, "the formula has more than %d random effects in parentheses", MOST_BARS);
    expander->bars = formula_grow(expander->env, expander->bars, expander->bar_count, &expander->bar_room, sizeof(Bar));
    expander->bars[expander->bar_count++] = (Bar){effects, groups};
    return true;
}

/* Notes the bars of effects and groups, and leaves an empty set in effects. */
static bool apply_bar(Expander *expander, bool correlated, TermSet *effects, const TermSet *groups)
{
    TermSet none = {.intercept = -1, .distinct = true};

    drop_duplicates(expander, effects);
    if (groups->count == 0 || groups->intercept >= 0)
        return formula_problem(expander->problem, ERROR_PARAMETER, "Name the groups after the bar, as in (1 | school) or (1 | school / class).",
                               groups->count == 0 ? "random effects of the formula have no groups" : "groups of random effects of the formula have an intercept");
    if (effects->count == 0 && effects->intercept == 0)
        return formula_problem(expander->problem, ERROR_PARAMETER, "Write 1 for an intercept per group, as in (1 | subject).",
                               "random effects of the formula have neither terms nor an intercept");
    if (effects->count > MOST_EFFECTS)
        return formula_problem(expander->problem, ERROR_LIMIT, NULL, "random effects of the formula have %u terms, more than %d", effects->count,
                               MOST_EFFECTS);
    for (uint32_t g = 0; g < groups->count; g++) {
        TermSet alone = none;

        if (correlated || effects->count == 0) {
            if (!add_bar(expander, *effects, groups->terms[g]))
                return false;
            continue;
        }
        if (effects->intercept != 0 && !add_bar(expander, alone, groups->terms[g]))
            return false;
        for (uint32_t i = 0; i < effects->count; i++) {
            alone = (TermSet){.intercept = 0, .distinct = true};
            push(expander, &alone, effects->terms[i]);
            if (!add_bar(expander, alone, groups->terms[g]))
                return false;
        }
    }
    *effects = none;
    return true;
}

/* Returns the place of a term among those of the formula, to which it is added if it is new. */
static uint32_t place_of(Expander *expander, TermSet *set, uint32_t term)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->terms[i] == term)
            return i;
    push(expander, set, term);
    return set->count - 1;
}

/* Appends the terms of the bars to those of the formula, which are in order of degree. */
static void finish_bars(Expander *expander, Formula *formula, TermSet *set)
{
    formula->bar_count = expander->bar_count;
    formula->bars = env_array(expander->env, (size_t)expander->bar_count + 1, sizeof(BarTerms));
    for (uint32_t b = 0; b < expander->bar_count; b++) {
        Bar *bar = &expander->bars[b];
        BarTerms *out = &formula->bars[b];

        out->intercept = bar->effects.intercept != 0;
        out->effect_count = bar->effects.count;
        out->effects = env_array(expander->env, (size_t)out->effect_count + 1, sizeof(uint32_t));
        for (uint32_t i = 0; i < out->effect_count; i++)
            out->effects[i] = place_of(expander, set, bar->effects.terms[i]);
        out->group_count = expander->terms[bar->groups].count;
        out->groups = env_array(expander->env, (size_t)out->group_count + 1, sizeof(uint32_t));
        for (uint32_t i = 0; i < out->group_count; i++) {
            uint32_t atom = expander->atoms[expander->terms[bar->groups].first + i];

            out->groups[i] = place_of(expander, set, intern(expander, &atom, 1));
        }
    }
}

/* ---- the tree ---- */

/* Applies an operator to two sets; the result is in left. */
static bool apply(Expander *expander, uint8_t op, TermSet *left, TermSet *right)
{
    TermSet product = {.intercept = -1}, all;

    drop_duplicates(expander, right);
    if (op == TREE_BAR || op == TREE_BARS)
        return apply_bar(expander, op == TREE_BAR, left, right);
    if (op == TREE_ADD || op == TREE_REMOVE) {
        if (right->intercept >= 0)
            left->intercept = op == TREE_ADD ? right->intercept : 1 - right->intercept;
        return append(expander, left, right, op == TREE_ADD ? 0 : REMOVED);
    }
    prepare_factor(expander, left);
    prepare_factor(expander, right);
    if (op == TREE_CROSS && (!append(expander, &product, left, 0) || !append(expander, &product, right, 0)))
        return false;
    if (op == TREE_NEST && (!append(expander, &product, left, 0) || !unite_all(expander, left, &all) ||
                            !multiply(expander, &product, &all, right)))
        return false;
    if (op == TREE_WITHIN && (!unite_all(expander, right, &all) || !multiply(expander, &product, left, &all)))
        return false;
    if ((op == TREE_CROSS || op == TREE_INTERACT) && !multiply(expander, &product, left, right))
        return false;
    finish_product(expander, &product);
    drop(expander, left);
    *left = product;
    return true;
}

/* Orders terms by degree. */
static void order_terms(Expander *expander, TermSet *set)
{
    uint32_t starts[MOST_FACTORS + 2] = {0}, *order = env_array_raw(expander->env, set->count, sizeof(*order));

    for (uint32_t i = 0; i < set->count; i++)
        starts[expander->terms[set->terms[i]].count + 1]++;
    for (uint32_t i = 1; i <= MOST_FACTORS + 1; i++)
        starts[i] += starts[i - 1];
    for (uint32_t i = 0; i < set->count; i++)
        order[starts[expander->terms[set->terms[i]].count]++] = set->terms[i];
    set->terms = order;
    set->room = set->count;
}

/* Writes the terms into the formula, in order of degree, and then those of the bars. */
static void finish(Expander *expander, Formula *formula, TermSet *set)
{
    uint32_t total = 0;

    drop_duplicates(expander, set);
    order_terms(expander, set);
    formula->fixed_count = set->count;
    finish_bars(expander, formula, set);
    for (uint32_t i = 0; i < set->count; i++)
        total += expander->terms[set->terms[i]].count;
    formula->term_count = set->count;
    formula->term_first = env_array(expander->env, (size_t)set->count + 1, sizeof(uint32_t));
    formula->term_atoms = env_array_raw(expander->env, total, sizeof(uint32_t));
    total = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const Term *term = &expander->terms[set->terms[i]];

        memcpy(formula->term_atoms + total, expander->atoms + term->first, term->count * sizeof(uint32_t));
        total += term->count;
        formula->term_first[i + 1] = total;
    }
    formula->intercept = set->intercept != 0;
}

bool formula_expand_tree(Env *env, Formula *formula, const uint32_t *leaf_first, const uint32_t *leaf_atoms, FormulaProblem *problem)
{
    Expander expander = {.env = env, .problem = problem, .table = hash_table(env, 6)};
    TermSet *stack = env_array_raw(env, formula->leaf_count + 1, sizeof(TermSet));
    uint32_t depth = 0;

    for (uint32_t n = 0; n < formula->tree_count; n++) {
        const TreeNode *node = &formula->tree[n];

        if (node->op >= TREE_ADD && node->op != TREE_POWER) {
            depth--;
            if (!apply(&expander, node->op, &stack[depth - 1], &stack[depth]))
                return false;
            drop(&expander, &stack[depth]);
        } else if (node->op == TREE_POWER) {
            if (!raise_to_power(&expander, &stack[depth - 1], node->value))
                return false;
        } else {
            TermSet set = {.intercept = node->op == TREE_ONE ? 1 : node->op == TREE_ZERO ? 0 : -1};

            for (uint32_t i = leaf_first[node->first]; i < leaf_first[node->first + 1]; i++)
                push(&expander, &set, intern(&expander, &leaf_atoms[i], 1));
            stack[depth++] = set;
        }
    }
    drop_duplicates(&expander, &stack[0]);
    if (stack[0].count > FORMULA_MAX_COLUMNS)
        return too_many(&expander, stack[0].count);
    finish(&expander, formula, &stack[0]);
    return true;
}
