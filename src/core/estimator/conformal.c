/*
 * conformal.c - conformal scores as models keep them, limits and sets.
 */
#include "core/estimator/conformal.h"
#include "core/base/random.h"
#include "core/estimator/classifier_output.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const conformal_score_names[] = {"absolute", "normalized", "lac", "aps"};

/* ---- reading ---- */

#define ONE {SIZE_NUMBER, .plus = 1}
#define ARRAY(own_name, own_type, own_presence, own_values, own_other, ...)                                             \
    {.name = own_name, .type = own_type, .presence = own_presence, .values = own_values, .other = own_other, .rows = __VA_ARGS__}

static const ArraySpec conformal_arrays[] = {
    ARRAY("conformal_by_class", ARRAY_BOOL, ARRAY_REQUIRED, VALUES_ANY, NULL, ONE),
    ARRAY("conformal_bytes", ARRAY_I64, ARRAY_OPTIONAL, VALUES_POSITIVE, NULL, {SIZE_FREE}),
    ARRAY("conformal_ends", ARRAY_I64, ARRAY_REQUIRED, VALUES_NONNEGATIVE, NULL, {SIZE_FREE}),
    ARRAY("conformal_floor", ARRAY_F64, ARRAY_OPTIONAL, VALUES_POSITIVE, NULL, ONE),
    ARRAY("conformal_group", ARRAY_TEXT, ARRAY_OPTIONAL, VALUES_ANY, NULL, ONE),
    ARRAY("conformal_levels", ARRAY_TEXT, ARRAY_WITH, VALUES_ANY, "conformal_group", {SIZE_FREE}),
    ARRAY("conformal_models", ARRAY_U8, ARRAY_WITH, VALUES_ANY, "conformal_bytes", {SIZE_FREE}),
    ARRAY("conformal_score", ARRAY_I64, ARRAY_REQUIRED, VALUES_NONNEGATIVE, NULL, ONE),
    ARRAY("conformal_scores", ARRAY_F64, ARRAY_REQUIRED, VALUES_NONNEGATIVE, NULL, {SIZE_FREE}),
};
static const ArrayTable conformal_tables[] = ARRAY_TABLES(ARRAY_TABLE(conformal_arrays));

static bool is_conformal(const ModelEntry *entry)
{
    for (size_t i = 0; i < sizeof(conformal_arrays) / sizeof(conformal_arrays[0]); i++)
        if (entry->section == SECTION_ARRAYS && strcmp(entry->name, conformal_arrays[i].name) == 0)
            return true;
    return false;
}

static bool is_own(const ModelEntry *entry)
{
    return !is_conformal(entry);
}

static bool is_not_own(const ModelEntry *entry)
{
    return entry->section < SECTION_FACTS || is_conformal(entry);
}

/* Any model without such scores: their models inside may not have them either, so values cannot nest without end. */
static bool may_be_inside(Env *env, const Model *model)
{
    (void)env;
    return !conformal_any(model);
}

const Nesting conformal_nesting = {.owner = "conformal model",
                                   .part = "model",
                                   .forms = "conformal_models",
                                   .lengths = "conformal_bytes",
                                   .most = CONFORMAL_PARTS,
                                   .allows = may_be_inside};

Conformal conformal_of(Env *env, const Model *model)
{
    Conformal conformal = {.model = model, .parts = 1, .groups = 1, .classes = 1};
    const ModelEntry *bytes = model_find(model, "conformal_bytes");
    const double *floor = model_f64(model, "conformal_floor", NULL);

    conformal.score = (ConformalScore)*model_i64(model, "conformal_score", NULL);
    conformal.by_class = *(const uint8_t *)model_data(model, model_find(model, "conformal_by_class")) != 0;
    conformal.scores = model_f64(model, "conformal_scores", NULL);
    conformal.ends = model_i64(model, "conformal_ends", NULL);
    conformal.group = model_string(env, model, model_find(model, "conformal_group"));
    conformal.levels = model_find(model, "conformal_levels");
    conformal.floor = floor != NULL ? *floor : 0;
    if (conformal.levels != NULL)
        conformal.groups = conformal.levels->rows;
    conformal.folds = bytes != NULL && conformal.score != CONFORMAL_NORMALIZED;
    if (conformal.folds)
        conformal.parts = bytes->rows;
    if (conformal.by_class)
        conformal.classes = dictionary_size(conformal_scored(env, model), DICTIONARY_CLASSES);
    return conformal;
}

const Model *conformal_scored(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Model *const *parts;
    uint32_t count;

    if (estimator == NULL || estimator->parts == NULL)
        return model;
    parts = estimator->parts(env, model, &count);
    return parts[count - 1];
}

uint32_t conformal_group(const Conformal *conformal, const char *text, uint32_t length)
{
    return model_text_find(conformal->model, conformal->levels, text, length);
}

uint32_t conformal_cell(const Conformal *conformal, uint32_t part, uint32_t group, uint32_t class, const double **scores)
{
    size_t cell = ((size_t)part * conformal->groups + group) * conformal->classes + class;
    int64_t begin;

    if (group == CONFORMAL_NO_GROUP)
        return 0;
    begin = cell == 0 ? 0 : conformal->ends[cell - 1];
    *scores = conformal->scores + begin;
    return (uint32_t)(conformal->ends[cell] - begin);
}

/* ---- limits ---- */

uint64_t conformal_rank(uint64_t n, double level)
{
    double product = (double)(n + 1) * level, near = round(product);

    if (fabs(product - near) <= 4 * DBL_EPSILON * product) /* 0.07 of 100 is 7, although the product is a little more */
        return (uint64_t)near;
    return (uint64_t)ceil(product);
}

/* Returns how many of rising scores are below a number, or at most this number. */
static uint32_t count_below(const double *scores, uint32_t count, double center, double number, bool at_most)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        double value = center + scores[middle];

        if (value < number || (at_most && value == number))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Numbers as integers of the same order, and back. */
static uint64_t ordered_bits(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double ordered_number(uint64_t ordered)
{
    uint64_t bits = ordered >> 63 ? ordered & ~(UINT64_C(1) << 63) : ~ordered;
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

/*
 * Returns the sum of this rank among all sums of a center, times sign, and a score of its part: bisection over the numbers of double precision, which takes
 * 64 steps whatever the number of scores.
 */
static double ranked_sum(const Conformal *conformal, uint32_t group, const double *centers, double sign, uint64_t rank)
{
    uint64_t low = ordered_bits(-INFINITY), high = ordered_bits(INFINITY);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2, count = 0;
        double number = ordered_number(middle);

        for (uint32_t part = 0; part < conformal->parts; part++) {
            const double *scores = NULL;
            uint32_t length = conformal_cell(conformal, part, group, 0, &scores);

            count += count_below(scores, length, sign * centers[part], number, true);
        }
        if (count >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return ordered_number(low) + 0.0;
}

void conformal_limits(const Conformal *conformal, uint32_t group, const double *centers, double scale, double level, double *lower, double *upper)
{
    const double *scores = NULL;
    uint64_t n = 0, rank;

    *lower = *upper = NAN;
    for (uint32_t part = 0; part < conformal->parts; part++) {
        if (isnan(centers[part]))
            return;
        n += conformal_cell(conformal, part, group, 0, &scores);
    }
    rank = conformal_rank(n, level);
    if (rank > n) {
        *lower = -INFINITY;
        *upper = INFINITY;
    } else if (conformal->parts == 1) {
        *lower = centers[0] - scale * scores[rank - 1];
        *upper = centers[0] + scale * scores[rank - 1];
    } else {
        *lower = -ranked_sum(conformal, group, centers, -1, rank);
        *upper = ranked_sum(conformal, group, centers, 1, rank);
    }
}

/* ---- sets ---- */

double conformal_row_unit(const double *slots, uint32_t count)
{
    uint64_t hash = 0;

    for (uint32_t s = 0; s < count; s++) {
        double number = slots[s] == 0 ? 0 : slots[s]; /* -0 is 0 */
        uint64_t bits;

        memcpy(&bits, &number, sizeof bits);
        hash = mix64((hash + RANDOM_STEP) ^ (isnan(number) ? 0 : bits));
    }
    return (double)(hash >> 11) * 0x1p-53;
}

double conformal_class_score(ConformalScore score, const double *probabilities, uint32_t classes, uint32_t class, double unit)
{
    double before = 0;

    if (class == UINT32_MAX)
        return 1;
    if (score == CONFORMAL_LAC)
        return fmax(1 - probabilities[class], 0);
    for (uint32_t k = 0; k < classes; k++)
        if (probabilities[k] > probabilities[class] || (probabilities[k] == probabilities[class] && k < class))
            before += probabilities[k];
    return before + unit * probabilities[class];
}

void conformal_set(const Conformal *conformal, uint32_t group, const double *scores, uint32_t classes, uint32_t top, double level, bool *in)
{
    for (uint32_t k = 0; k < classes; k++) {
        uint64_t n = 0, below = 0, rank;

        for (uint32_t part = 0; part < conformal->parts; part++) {
            const double *cell = NULL;
            uint32_t length = conformal_cell(conformal, part, group, conformal->by_class ? k : 0, &cell);

            n += length;
            below += count_below(cell, length, 0, scores[(size_t)part * classes + k], false);
        }
        rank = conformal_rank(n, level);
        in[k] = rank > n || below < rank || (conformal->score == CONFORMAL_APS && k == top);
    }
}

const Model *conformal_strip(Env *env, const Model *model)
{
    ModelBuilder *builder;

    if (!conformal_any(model))
        return model;
    builder = builder_from(env, model, is_own);
    builder_header(builder)->fingerprint = 0;
    return model_build(builder);
}

/* ---- checking ---- */

bool conformal_gives_scores(Env *env, const Model *model, bool of_classes)
{
    const Model *scored = conformal_scored(env, model);
    const Estimator *estimator = estimator_of(scored);
    const Scoring *scoring = estimator != NULL ? estimator->scoring : NULL;

    if (scoring == NULL)
        return false;
    if (!of_classes)
        return estimator->task == TASK_REGRESSION && scoring->predict != NULL;
    return estimator->task == TASK_CLASSIFICATION && classifier_output_has_probabilities(scoring, scored) &&
           dictionary_size(scored, DICTIONARY_CLASSES) > 0;
}

static const char *check_models(Env *env, const Model *model, ConformalScore score, const Model *const *models, uint32_t count)
{
    if ((score == CONFORMAL_NORMALIZED) != (model_find(model, "conformal_floor") != NULL))
        return "\"conformal_floor\" does not belong to the conformal score";
    if ((count == 1) != (score == CONFORMAL_NORMALIZED))
        return "there is neither one model of residuals nor one of each of several folds";
    for (uint32_t i = 0; i < count; i++)
        if (!conformal_gives_scores(env, models[i], score >= CONFORMAL_LAC))
            return env_message(env, "model %u beside the conformal scores gives no such scores", i + 1);
    return NULL;
}

/* Checks that levels are in order, and that the column has a name. */
static const char *check_levels(Env *env, const Model *model)
{
    const ModelEntry *levels = model_find(model, "conformal_levels"), *group = model_find(model, "conformal_group");
    uint32_t length;

    if (levels == NULL)
        return NULL;
    if (levels->rows == 0 || levels->rows > CONFORMAL_GROUPS)
        return env_message(env, "there are %u conformal groups", levels->rows);
    (void)model_text(model, group, 0, &length);
    if (length == 0)
        return "the column of the conformal groups has no name";
    if (!model_texts_in_order(model, levels))
        return "the conformal groups are not in order";
    return NULL;
}

/* Checks that the cells follow each other, and that scores rise within each. */
static const char *check_cells(Env *env, const Conformal *conformal, uint32_t cells, uint32_t count)
{
    int64_t begin = 0;

    if (cells != (uint64_t)conformal->parts * conformal->groups * conformal->classes)
        return env_message(env, "there are %u cells of conformal scores for %u parts, %u groups and %u classes", cells, conformal->parts, conformal->groups,
                           conformal->classes);
    for (uint32_t cell = 0; cell < cells; cell++) {
        int64_t end = conformal->ends[cell];

        if (end < begin || end > count)
            return "the cells of the conformal scores do not follow each other";
        for (int64_t i = begin + 1; i < end; i++) {
            if (i % 65536 == 0)
                env->poll(env);
            if (!(conformal->scores[i - 1] <= conformal->scores[i]))
                return "conformal scores do not rise";
        }
        begin = end;
    }
    return begin == count ? NULL : "conformal scores are left over";
}

const char *conformal_check_arrays(Env *env, const Model *model)
{
    return arrays_check(env, model_build(builder_from(env, model, is_not_own)), conformal_tables);
}

const char *conformal_check(Env *env, const Model *model, const Model *const *models, uint32_t count)
{
    int64_t score = *model_i64(model, "conformal_score", NULL);
    uint32_t cells, scores;
    Conformal conformal;
    const char *wrong;

    if (score > CONFORMAL_APS)
        return env_message(env, "there is no conformal score %lld", (long long)score);
    if (!conformal_gives_scores(env, model, score >= CONFORMAL_LAC))
        return "the model gives no scores of the kind that its conformal scores are";
    wrong = check_models(env, model, (ConformalScore)score, models, count);
    if (wrong == NULL)
        wrong = check_levels(env, model);
    if (wrong != NULL)
        return wrong;
    conformal = conformal_of(env, model);
    if (conformal.by_class && score < CONFORMAL_LAC)
        return "conformal scores are by class, but the model has no classes";
    (void)model_i64(model, "conformal_ends", &cells);
    (void)model_f64(model, "conformal_scores", &scores);
    return check_cells(env, &conformal, cells, scores);
}
