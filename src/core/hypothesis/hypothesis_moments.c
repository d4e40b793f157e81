/*
 * hypothesis_moments.c - samples from stored moments, so that a test of last month comes from daily summaries.
 */
#include "core/hypothesis/hypothesis_tests.h"
#include "core/moments/moments.h"
#include "core/model/dictionary.h"

#include <string.h>

const OptionSpec feature_options[] = {
    {.name = "feature",
     .types = OPTION_STRING,
     .unset = "the only feature of the moments",
     .help = "The feature of the moments that is tested."},
    {.name = NULL}};

const OptionSpec pair_options[] = {
    {.name = "features",
     .types = OPTION_STRING_LIST,
     .unset = "the two features of the moments",
     .help = "The two features of the moments whose correlation is tested."},
    {.name = NULL}};

const OptionSpec variant_options[] = {
    {.name = "features",
     .types = OPTION_STRING_LIST,
     .unset = "the only feature of the moments",
     .help = "The outcome among the features of the moments, and if wanted the covariate or denominator."},
    {.name = NULL}};

/* The features of moments that are numbers. */
typedef struct NumberTerms {
    const Model *moments;
    const ScatterDesign *design;
    uint32_t count;
    uint32_t *terms; /* [count] */
} NumberTerms;

static NumberTerms number_terms(Env *env, const Model *moments, const ScatterDesign *design)
{
    NumberTerms numbers = {moments, design, 0, env_array(env, design->terms + 1, sizeof(uint32_t))};

    for (uint32_t t = 0; t < design->terms; t++)
        if (design->term_level[t] < 0)
            numbers.terms[numbers.count++] = t;
    return numbers;
}

static uint32_t number_slot(const NumberTerms *numbers, uint32_t i)
{
    return numbers->design->term_slot[numbers->terms[i]];
}

/* Returns a hint that names the features. */
static const char *feature_hint(Env *env, const NumberTerms *numbers)
{
    char names[2 * SCHEMA_NAME_SIZE] = "", name[SCHEMA_NAME_SIZE];

    if (numbers->count == 0)
        return "The moments have no feature that is a number.";
    for (uint32_t i = 0; i < numbers->count && strlen(names) + SCHEMA_NAME_SIZE + 2 < sizeof(names); i++) {
        schema_slot_name(numbers->moments, number_slot(numbers, i), name, sizeof(name));
        strcat(strcat(names, i > 0 ? ", " : ""), name);
    }
    return env_message(env, "Name features of the moments that are numbers: %s.", names);
}

static uint32_t find_feature(Env *env, const NumberTerms *numbers, const char *wanted)
{
    for (uint32_t i = 0; i < numbers->count; i++)
        if (strcmp(schema_term_text(env, numbers->moments, number_slot(numbers, i), -1), wanted) == 0)
            return numbers->terms[i];
    env_fail(env, ERROR_PARAMETER, feature_hint(env, numbers), "the moments have no feature \"%s\" that is a number", wanted);
}

/*
 * Sets the terms of the features that the options name, or of all, and returns how many: one; two of pairs; one or two of variants. Fails
 * for other numbers.
 */
static uint32_t find_features(Env *env, const NumberTerms *numbers, const Options *options, const HypothesisTest *test, uint32_t *terms)
{
    uint32_t least = test->shape == SHAPE_PAIRS ? 2 : 1, most = test->shape == SHAPE_PAIRS || test->shape == SHAPE_VARIANTS ? 2 : 1, given = 0;
    const char *option = most == 2 ? "features" : "feature", *one = NULL, *const *names = &one;

    if (most == 2)
        names = options_strings(options, option, &given);
    else
        given = (one = options_string(options, option)) != NULL;
    if (given == 0 && numbers->count == least) {
        memcpy(terms, numbers->terms, least * sizeof(uint32_t));
        return least;
    }
    if (given < least || given > most)
        env_fail(env, ERROR_PARAMETER, feature_hint(env, numbers), "%s needs %s of the moments' %u numeric features, but option \"%s\" names %u", test->name,
                 least == most ? env_message(env, "%u", least) : "1 or 2", numbers->count, option, given);
    for (uint32_t i = 0; i < given; i++)
        terms[i] = find_feature(env, numbers, names[i]);
    return given;
}

static double product(const ScatterDesign *design, uint32_t class, uint32_t a, uint32_t b)
{
    size_t i = a < b ? a : b, j = a < b ? b : a;

    return design->scatter[(size_t)class * design->terms * (design->terms + 1) / 2 + j * (j + 1) / 2 + i];
}

static void require_kind(Env *env, const HypothesisTest *test, const Model *moments)
{
    bool grouped = test->shape == SHAPE_GROUPS || test->shape == SHAPE_VARIANTS;

    if (moments->kind != (grouped ? MODEL_CLASS_MOMENTS : MODEL_FEATURE_MOMENTS))
        env_fail(env, ERROR_KIND,
                 grouped ? "Compute them with class_moments(groups, outcome)." : "Compute them with feature_moments(features).",
                 "%s needs %s", test->name, grouped ? "class_moments" : "feature_moments");
    if (moments_deferred(moments) || (moments->flags & MODEL_IMPUTE) || ((moments->flags & MODEL_WEIGHTED) && !(moments->flags & MODEL_FREQUENCY)))
        env_fail(env, ERROR_KIND, "Compute the moments without them; counts as weights need \"weight_kind\": \"frequency\".",
                 "%s takes no moments with weights, imputed values or a formula that learns from the rows", test->name);
}

Sample *sample_of_moments(Env *env, const HypothesisTest *test, const Model *stored, const Options *options)
{
    Sample *sample = env_array(env, 1, sizeof(Sample));
    const Model *moments;
    ScatterDesign *design;
    NumberTerms numbers;
    uint32_t *order = NULL, terms[2], count;

    require_kind(env, test, stored);
    moments = moments_for_fit(env, stored);
    design = moments_scatter(env, moments, CODING_FULL);
    numbers = number_terms(env, moments, design);
    count = find_features(env, &numbers, options, test, terms);
    if (moments->kind == MODEL_CLASS_MOMENTS) {
        order = env_array(env, (size_t)design->classes + 1, sizeof(uint32_t));
        dictionary_final_order(env, moments, DICTIONARY_CLASSES, order);
    }
    for (uint32_t k = 0; k < design->classes; k++) {
        const double *means = design->means + (size_t)k * design->terms;
        SampleGroup group = {.count = design->rows[k], .mean = means[terms[0]], .squares = product(design, k, terms[0], terms[0])};
        SampleExtra extra = {0};
        SampleLabel label = {.bytes = "", .key = k};

        if (group.count == 0)
            continue;
        if (order != NULL)
            label.bytes = dictionary_text(moments, DICTIONARY_CLASSES, order[k], &label.length);
        if (count == 2)
            extra = (SampleExtra){.mean = means[terms[1]], .squares = product(design, k, terms[1], terms[1]), .products = product(design, k, terms[0], terms[1])};
        sample_add_group(env, sample, &group, count == 2 ? &extra : NULL, label, order != NULL);
    }
    return sample;
}
