/*
 * lightgbm_parts.c - what the readers of LightGBM's text and JSON share: the parts of a document, and what a split does.
 */
#include "core/exchange/lightgbm_parts.h"

#include <math.h>
#include <string.h>

#define ZERO ((double)1e-35f) /* LightGBM's kZeroThreshold */

uint32_t lightgbm_part(LightgbmDocument *lightgbm, Document *document, const char *key, size_t length)
{
    static const struct {
        const char *key;
        uint32_t part;
    } parts[] = {{"version", LIGHTGBM_VERSION},         {"num_class", LIGHTGBM_CLASSES},   {"num_tree_per_iteration", LIGHTGBM_PER_ITERATION},
                 {"max_feature_idx", LIGHTGBM_FEATURES}, {"objective", LIGHTGBM_OBJECTIVE}, {"average_output", LIGHTGBM_AVERAGED},
                 {"feature_names", LIGHTGBM_NAMES},     {"feature_infos", LIGHTGBM_INFOS}, {"tree_info", LIGHTGBM_TREES},
                 {"tree_sizes", LIGHTGBM_SIZES},        {"pandas_categorical", LIGHTGBM_LEVELS}};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strlen(parts[i].key) == length && memcmp(key, parts[i].key, length) == 0) {
            if (lightgbm->seen & parts[i].part)
                document_fail(document, "says \"%s\" twice", parts[i].key);
            lightgbm->seen |= parts[i].part;
            return parts[i].part;
        }
    return 0;
}

void lightgbm_add_name(LightgbmDocument *lightgbm, char *name)
{
    lightgbm->names = env_grow(lightgbm->env, lightgbm->names, lightgbm->named, &lightgbm->name_room, sizeof(char *));
    lightgbm->names[lightgbm->named++] = name;
}

void lightgbm_add_kind(LightgbmDocument *lightgbm, LightgbmKind kind)
{
    lightgbm->kind = env_grow(lightgbm->env, lightgbm->kind, lightgbm->described, &lightgbm->kind_room, sizeof(uint8_t));
    lightgbm->kind[lightgbm->described++] = (uint8_t)kind;
}

void lightgbm_add_place(LightgbmDocument *lightgbm, Document *document)
{
    if (lightgbm->trees == LIGHTGBM_MOST_TREES)
        document_fail(document, "has more than %d trees", LIGHTGBM_MOST_TREES);
    lightgbm->places = env_grow(lightgbm->env, lightgbm->places, lightgbm->trees, &lightgbm->place_room, sizeof(uint8_t *));
    lightgbm->places[lightgbm->trees++] = document->at;
}

void lightgbm_refuse_linear(Env *env)
{
    env_fail(env, ERROR_DATA, "Train the model with linear_tree=false.", "lightgbm trees with linear models in their leaves have no equal here");
}

/*
 * A missing number is 0 to a split that knows none, and goes with the numbers that are 0. To one that takes 0 for missing, 0 goes the
 * default way, which is held where it is the way of the threshold: one split here cannot take numbers out of the middle of its range.
 */
void lightgbm_finish_split(const Document *document, ImportNode *node)
{
    uint32_t missing = node->category >> LIGHTGBM_MISSING_SHIFT;
    bool default_left = node->category & LIGHTGBM_DEFAULT_LEFT, zero_left = node->number >= 0, near = fabs(node->number) <= ZERO;

    node->category &= LIGHTGBM_CATEGORY;
    if (node->category) { /* missing and unknown categories are in no set */
        node->missing_left = 0;
        return;
    }
    if (missing > LIGHTGBM_MISSING_NAN)
        document_fail(document, "has a tree that ends here, with the missing type %u", missing);
    if (missing == LIGHTGBM_MISSING_ZERO) {
        if (default_left != zero_left && !near)
            env_fail(document->env, ERROR_DATA, "Train the model with zero_as_missing=false.",
                     "a split of the lightgbm document at %g sends zeros, which it takes for missing, to the %s: it has no equal here", node->number,
                     default_left ? "left" : "right");
        zero_left = default_left;
    }
    if (near)
        node->number = zero_left ? ZERO : nextafter(-ZERO, -INFINITY);
    node->missing_left = missing == LIGHTGBM_MISSING_NAN ? default_left : zero_left;
}
