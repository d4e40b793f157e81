/*
 * formula_coding.c - how the categories of each term are coded: by contrasts, or by all their levels.
 *
 * The rule of R (Chambers and Hastie, Statistical Models in S, 1992): a factor of a term is coded by contrasts where the rest of the
 * term is part of an earlier term, or empty. Without an intercept, the first category of the first term that has one has all levels.
 */
#include "core/base/hash_table.h"
#include "core/formula/formula_terms_internal.h"

#include <string.h>

typedef struct Coding {
    Env *env;
    const Formula *formula;
    HashTable table;      /* of the terms, by atoms */
    uint32_t *list_first; /* [atoms + 1]: the terms that have an atom, in order */
    uint32_t *lists;
} Coding;

static uint32_t term_size(const Formula *formula, uint32_t term)
{
    return formula->term_first[term + 1] - formula->term_first[term];
}

bool formula_part_of(const Formula *formula, uint32_t term, const uint32_t *atoms, uint32_t count)
{
    const uint32_t *own = formula->term_atoms + formula->term_first[term], size = term_size(formula, term);
    uint32_t found = 0;

    for (uint32_t i = 0; i < size && found < count; i++)
        found += own[i] == atoms[found];
    return found == count;
}

/* Tells whether these atoms are part of a term before this one. Most often they are a term of their own. */
static bool part_of_earlier(Coding *coding, uint32_t term, const uint32_t *atoms, uint32_t count)
{
    const Formula *formula = coding->formula;
    uint32_t hash = hash_bytes((const char *)atoms, count * (uint32_t)sizeof(*atoms)), place = hash_start(&coding->table, hash), i;
    uint32_t rarest = atoms[0];

    while ((i = hash_next(&coding->table, hash, &place)) != HASH_NONE)
        if (i < term && term_size(formula, i) == count && formula_part_of(formula, i, atoms, count))
            return true;
    for (i = 1; i < count; i++)
        if (coding->list_first[atoms[i] + 1] - coding->list_first[atoms[i]] < coding->list_first[rarest + 1] - coding->list_first[rarest])
            rarest = atoms[i];
    for (i = coding->list_first[rarest]; i < coding->list_first[rarest + 1] && coding->lists[i] < term; i++) {
        if (formula_part_of(formula, coding->lists[i], atoms, count))
            return true;
        env_poll_every(coding->env, i, 4096);
    }
    return false;
}

/* Indexes the terms by what they consist of. */
static void index_terms(Coding *coding)
{
    const Formula *formula = coding->formula;
    uint32_t total = formula->term_first[formula->term_count], *next;

    coding->table = hash_table(coding->env, 6);
    coding->list_first = env_array(coding->env, (size_t)formula->atom_count + 1, sizeof(uint32_t));
    coding->lists = env_array_raw(coding->env, total, sizeof(uint32_t));
    next = env_array_raw(coding->env, formula->atom_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < total; i++)
        coding->list_first[formula->term_atoms[i] + 1]++;
    for (uint32_t a = 0; a < formula->atom_count; a++) {
        coding->list_first[a + 1] += coding->list_first[a];
        next[a] = coding->list_first[a];
    }
    for (uint32_t t = 0; t < formula->term_count; t++) {
        const uint32_t *atoms = formula->term_atoms + formula->term_first[t];

        hash_add(coding->env, &coding->table, hash_bytes((const char *)atoms, term_size(formula, t) * (uint32_t)sizeof(*atoms)));
        for (uint32_t i = 0; i < term_size(formula, t); i++)
            coding->lists[next[atoms[i]]++] = t;
    }
}

uint32_t formula_code_categories(Env *env, const Formula *formula, bool intercept, TermFactor *factors)
{
    Coding coding = {.env = env, .formula = formula};
    uint32_t full = FORMULA_NONE;

    index_terms(&coding);
    for (uint32_t t = 0; t < formula->term_count; t++) {
        const uint32_t *atoms = formula->term_atoms + formula->term_first[t];
        uint32_t size = term_size(formula, t), rest[256];

        for (uint32_t v = 0; v < size; v++) {
            TermFactor *factor = &factors[formula->term_first[t] + v];

            if (!formula->atoms[atoms[v]].categorical)
                continue;
            memcpy(rest, atoms, v * sizeof(*rest));
            memcpy(rest + v, atoms + v + 1, (size - v - 1) * sizeof(*rest));
            factor->contrasts = size == 1 || part_of_earlier(&coding, t, rest, size - 1);
            if (!intercept && full == FORMULA_NONE) {
                full = atoms[v];
                factor->contrasts = false;
            }
        }
    }
    return full;
}
