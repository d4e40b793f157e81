/*
 * conformal_scores.c - sorts the scores of held-out rows into cells, and joins those of several folds.
 */
#include "core/calibration/conformal_scores.h"

#include "core/base/sort.h"
#include "core/model/schema.h"

#include <math.h>
#include <string.h>

#define ROWS_AT_FIRST 1024
#define FLOOR_SHARE 0.01      /* of the mean absolute residual */
#define NOTICE_LEVEL 0.95

static const char *const score_choices[] = {"lac", "aps", NULL};
static const char *const method_choices[] = {"split", "cv+", NULL};

const OptionSpec conformal_options[] = {
    {.name = "by_class",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether the share of sets with the true class holds for the rows of each class, and not only for all rows together."},
    {.name = "group",
     .types = OPTION_STRING,
     .unset = "no groups",
     .help = "A column of the row: the share of limits or sets that are right holds for the rows of each of its values."},
    {.name = "score",
     .types = OPTION_STRING,
     .fallback = "\"lac\"",
     .choices = score_choices,
     .help = "Of classifiers: 1 - the probability of the true class (lac, the smallest sets), or the sum of the probabilities down to it (aps, sets that "
             "widen where the model is unsure)."},
    {.name = NULL}};

const OptionSpec conformal_fit_options[] = {
    {.name = "folds",
     .types = OPTION_INTEGER,
     .fallback = "5",
     .minimum = 2,
     .maximum = CONFORMAL_PARTS,
     .help = "The number of folds of cv+."},
    {.name = "key",
     .types = OPTION_STRING,
     .unset = "the whole row",
     .help = "A column of the source whose hash chooses rows: rows of one value stay together."},
    {.name = "method",
     .types = OPTION_STRING,
     .fallback = "\"split\"",
     .choices = method_choices,
     .help = "Hold out a share of the rows (split), or fit a model without each fold, too (cv+)."},
    {.name = "normalize",
     .types = OPTION_STRING | OPTION_NESTED,
     .unset = "limits equally wide",
     .help = "A regression that predicts the absolute residual, to which widths are proportional: its name, or {\"name\": {options}}. Half of the "
             "rows that are held out fit it."},
    {.name = "seed",
     .types = OPTION_INTEGER,
     .minimum = -1e15,
     .maximum = 1e15,
     .fallback = "271828",
     .help = "Deals the rows."},
    {.name = "share",
     .types = OPTION_NUMBER,
     BETWEEN_ZERO_AND_ONE,
     .fallback = "0.2",
     .help = "The share of the rows that split holds out."},
    {.name = NULL}};

/* ---- models ---- */

/* What is stored. */
typedef struct ConformalArrays {
    ConformalScore score;
    bool by_class;
    const double *scores;
    uint32_t count;
    const int64_t *ends;
    uint32_t cells;
    const char *group; /* NULL: no groups */
    const char *const *levels;
    const uint32_t *level_lengths;
    uint32_t groups;
    const Model *const *models;
    uint32_t model_count;
    double floor;
} ConformalArrays;

/* Returns a copy of a model with these arrays in place of those that it has. */
static Model *with_arrays(Env *env, const Model *model, const ConformalArrays *arrays)
{
    ModelBuilder *builder = builder_from(env, conformal_strip(env, model), NULL);
    int64_t score = arrays->score;
    uint8_t by_class = arrays->by_class;

    builder_header(builder)->fingerprint = 0;
    builder_i64(builder, SECTION_ARRAYS, "conformal_score", &score, 1);
    builder_f64(builder, SECTION_ARRAYS, "conformal_scores", arrays->scores, arrays->count);
    builder_i64(builder, SECTION_ARRAYS, "conformal_ends", arrays->ends, arrays->cells);
    builder_bool(builder, SECTION_ARRAYS, "conformal_by_class", &by_class, 1);
    if (arrays->group != NULL) {
        builder_text(builder, SECTION_ARRAYS, "conformal_group", &arrays->group, NULL, 1);
        builder_text(builder, SECTION_ARRAYS, "conformal_levels", arrays->levels, arrays->level_lengths, arrays->groups);
    }
    if (arrays->model_count > 0)
        nested_models_add(env, builder, &conformal_nesting, arrays->models, arrays->model_count);
    if (arrays->score == CONFORMAL_NORMALIZED)
        builder_f64(builder, SECTION_ARRAYS, "conformal_floor", &arrays->floor, 1);
    return model_require_readable(env, model_build(builder));
}

const Model *const *conformal_models(Env *env, const Conformal *conformal, uint32_t *count)
{
    const Model **models = NULL;
    const char *wrong;

    *count = 0;
    if (!conformal_has_models(conformal->model))
        return NULL;
    wrong = nested_models_read(env, conformal->model, &conformal_nesting, &models, count);
    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "%s", wrong);
    return models;
}

/* ---- rows ---- */

ConformalState *conformal_begin(Env *env, const Model *model, const Options *options)
{
    ConformalState *state = env_array(env, 1, sizeof(ConformalState));
    const Model *scored = conformal_scored(env, model);
    const Estimator *estimator = estimator_of(scored);
    bool classes = estimator != NULL && estimator->task == TASK_CLASSIFICATION;

    if (!conformal_gives_scores(env, model, classes))
        env_fail(env, ERROR_KIND, "Pass a regression, or a classifier with probabilities.", "conformal scores are not of %s%.31s",
                 scored->kind == MODEL_FITTED ? "a model of " : "moments: ", scored->estimator);
    for (size_t i = 0; !classes && i < 2; i++)
        if (options_given(options, i == 0 ? "score" : "by_class"))
            env_fail(env, ERROR_PARAMETER, "Leave it out.", "option \"%s\" is for classifiers, and a model of %s predicts numbers",
                     i == 0 ? "score" : "by_class", estimator->name);
    state->score = !classes ? CONFORMAL_ABSOLUTE : options_is(options, "score", "aps") ? CONFORMAL_APS : CONFORMAL_LAC;
    if (conformal_any(model) && conformal_of(env, model).score == CONFORMAL_NORMALIZED)
        state->score = CONFORMAL_NORMALIZED;
    state->by_class = options_boolean(options, "by_class");
    if (options_given(options, "group")) {
        const char *name = options_string(options, "group");

        state->group = memcpy(env_array(env, strlen(name) + 1, 1), name, strlen(name));
        state->table = hash_table(env, 6);
    }
    return state;
}

/* Returns the number of a group, which may be new. */
static uint32_t find_level(Env *env, ConformalState *state, const char *level, uint32_t length)
{
    uint32_t hash = hash_bytes(level, length), place = hash_start(&state->table, hash), found;

    while ((found = hash_next(&state->table, hash, &place)) != HASH_NONE &&
           (state->lengths[found] != length || memcmp(state->levels[found], level, length) != 0))
        ;
    if (found != HASH_NONE)
        return found;
    if (state->table.count == CONFORMAL_GROUPS)
        env_fail(env, ERROR_LIMIT, "Name a column of fewer values: each group needs rows of its own.", "column \"%s\" of option \"group\" has more than %d values",
                 state->group, CONFORMAL_GROUPS);
    if (state->table.count == state->level_room) {
        state->level_room = state->level_room == 0 ? 64 : 2 * state->level_room;
        state->levels = env->resize(env, state->levels, state->level_room * sizeof(char *));
        state->lengths = env->resize(env, state->lengths, state->level_room * sizeof(uint32_t));
    }
    found = hash_add(env, &state->table, hash);
    state->levels[found] = memcpy(env_array(env, (size_t)length + 1, 1), level, length);
    state->lengths[found] = length;
    return found;
}

void conformal_add(Env *env, ConformalState *state, double score, const char *level, uint32_t length, uint32_t class)
{
    if (!isfinite(score))
        env_fail(env, ERROR_RANGE, "Divide the target by a power of ten.", "a residual exceeds the range of double precision");
    if (state->by_class && class == UINT32_MAX) /* it is in the cell of no class */
        return;
    if (state->count == state->room) {
        state->room = state->room == 0 ? ROWS_AT_FIRST : 2 * state->room;
        env_require_memory(env, state->room * sizeof(ConformalRow), "the conformal scores of the rows");
        state->rows = env->resize(env, state->rows, state->room * sizeof(ConformalRow));
    }
    state->rows[state->count++] = (ConformalRow){score, state->group != NULL ? find_level(env, state, level, length) : 0, class};
}

/* ---- cells ---- */

typedef struct Level {
    const char *text;
    uint32_t length, number;
} Level;

static int compare_levels(const void *left, const void *right)
{
    const Level *a = left, *b = right;
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);

    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* Sorts levels, and sets them in the arrays. place: [count] receives where each one is. */
static void put_levels(Env *env, ConformalArrays *arrays, Level *levels, uint32_t count, uint32_t *place)
{
    const char **texts = env_array(env, (size_t)count + 1, sizeof(char *));
    uint32_t *lengths = env_array(env, (size_t)count + 1, sizeof(uint32_t));

    sort_polled(env, levels, count, sizeof(Level), compare_levels);
    for (uint32_t i = 0; i < count; i++) {
        texts[i] = levels[i].text;
        lengths[i] = levels[i].length;
        place[levels[i].number] = i;
    }
    arrays->levels = texts;
    arrays->level_lengths = lengths;
    arrays->groups = count;
}

/* Sorts the scores of each cell. ends: of a model's arrays. */
static void sort_cells(Env *env, double *scores, const int64_t *ends, uint32_t cells)
{
    for (uint32_t cell = 0; cell < cells; cell++) {
        int64_t begin = cell == 0 ? 0 : ends[cell - 1];

        sort_numbers(env, scores + begin, (size_t)(ends[cell] - begin), sizeof(double));
    }
}

/* Returns the number of cells; fails for more than a model can keep the ends of. */
static uint32_t count_cells(Env *env, uint32_t groups, uint32_t classes)
{
    uint64_t cells = (uint64_t)groups * classes;

    if (cells > MODEL_MAX_SIZE / sizeof(int64_t))
        env_fail(env, ERROR_LIMIT, "Name a column of fewer values, or leave \"by_class\" out.", "a model cannot keep the conformal scores of %u groups and %u classes", groups,
                 classes);
    env_require_memory(env, 2 * cells * sizeof(int64_t), "the conformal scores of groups and classes");
    return (uint32_t)cells;
}

/* Deals the rows into cells. Sets the scores and their ends. */
static void put_rows(Env *env, ConformalArrays *arrays, const ConformalState *state, const uint32_t *place, uint32_t classes)
{
    uint32_t cells = count_cells(env, arrays->groups, classes);
    int64_t *ends = env_array(env, cells, sizeof(int64_t)), *next = env_array(env, cells, sizeof(int64_t)), total = 0;
    double *scores = env_array_raw(env, state->count, sizeof(double));
    uint32_t *cell = env_array_raw(env, state->count, sizeof(uint32_t));

    for (uint64_t i = 0; i < state->count; i++) {
        const ConformalRow *row = &state->rows[i];

        env_poll_every(env, i, 65536);
        if (state->by_class && row->class >= classes)
            env_fail(env, ERROR_PARAMETER, "Group the rows by the model.", "a row has class %u of a model of %u classes", row->class + 1, classes);
        cell[i] = (state->group != NULL ? place[row->group] : 0) * classes + (state->by_class ? row->class : 0);
        ends[cell[i]]++;
    }
    for (uint32_t c = 0; c < cells; c++) {
        next[c] = total;
        ends[c] = total += ends[c];
    }
    for (uint64_t i = 0; i < state->count; i++)
        scores[next[cell[i]]++] = state->rows[i].score;
    sort_cells(env, scores, ends, cells);
    arrays->scores = scores;
    arrays->count = (uint32_t)state->count;
    arrays->ends = ends;
    arrays->cells = cells;
}

Model *conformal_finish(Env *env, const ConformalState *state, const Model *model)
{
    ConformalArrays arrays = {.score = state->score, .by_class = state->by_class, .group = state->group, .groups = 1};
    uint32_t *place = NULL, classes = state->by_class ? dictionary_size(conformal_scored(env, model), DICTIONARY_CLASSES) : 1;

    if (state->count == 0)
        env_fail(env, ERROR_DATA, "Hold out more rows; those with a NULL have no score.", "no row that was held out has a conformal score");
    if (state->count > MODEL_MAX_SIZE / sizeof(double))
        env_fail(env, ERROR_LIMIT, "Hold out fewer rows.", "a model cannot keep the conformal scores of %llu rows", (unsigned long long)state->count);
    if (state->group != NULL) {
        Level *levels = env_array(env, state->table.count, sizeof(Level));

        for (uint32_t i = 0; i < state->table.count; i++)
            levels[i] = (Level){state->levels[i], state->lengths[i], i};
        place = env_array(env, state->table.count, sizeof(uint32_t));
        put_levels(env, &arrays, levels, state->table.count, place);
    }
    put_rows(env, &arrays, state, place, classes);
    if (state->score == CONFORMAL_NORMALIZED) {
        Conformal before = conformal_of(env, model);

        arrays.models = conformal_models(env, &before, &arrays.model_count);
        arrays.floor = before.floor;
    }
    return with_arrays(env, model, &arrays);
}

Model *conformal_with_size(Env *env, const Model *model, const Model *size, double mean)
{
    const int64_t end = 0;
    ConformalArrays arrays = {.score = CONFORMAL_NORMALIZED, .scores = &mean, .ends = &end, .cells = 1, .groups = 1, .models = &size, .model_count = 1};

    arrays.floor = mean > 0 && FLOOR_SHARE * mean > 0 ? FLOOR_SHARE * mean : 1;
    return with_arrays(env, model, &arrays);
}

/* ---- folds ---- */

/* The scores of folds, on their way into one model. */
typedef struct FoldJoin {
    Env *env;
    uint32_t count;
    Conformal *folds;      /* [count] */
    ConformalArrays arrays;
    uint32_t classes;      /* cells per group */
    const Model *scored;   /* has the classes in their order */
} FoldJoin;

static void require_alike(const FoldJoin *join, const Model *const *folds)
{
    const Conformal *first = join->folds;

    for (uint32_t i = 0; i < join->count; i++) {
        if (!conformal_any(folds[i]))
            env_fail(join->env, ERROR_PARAMETER, "Give each the scores of its fold: conformalize(model, target, features).", "model %u has no conformal scores", i + 1);
        join->folds[i] = conformal_of(join->env, folds[i]);
        if (join->folds[i].parts > 1 || join->folds[i].score == CONFORMAL_NORMALIZED)
            env_fail(join->env, ERROR_PARAMETER, "Pass models with scores of conformalize(model, target, features), which are neither normalized nor of folds.",
                     "the conformal scores of model %u are %s", i + 1, join->folds[i].parts > 1 ? "of folds" : "normalized");
        if (join->folds[i].score != first->score || join->folds[i].by_class != first->by_class || (join->folds[i].group == NULL) != (first->group == NULL) ||
            (first->group != NULL && strcmp(first->group, join->folds[i].group) != 0))
            env_fail(join->env, ERROR_PARAMETER, "Give conformalize the same options for all folds.", "the conformal scores of models 1 and %u are of different kinds", i + 1);
    }
}

/* Sets the groups of all folds. */
static void join_levels(FoldJoin *join)
{
    Env *env = join->env;
    Level *levels;
    uint32_t total = 0, used = 0, *place;

    for (uint32_t i = 0; i < join->count; i++)
        total += join->folds[i].groups;
    levels = env_array(env, total, sizeof(Level));
    place = env_array(env, total, sizeof(uint32_t));
    total = 0;
    for (uint32_t i = 0; i < join->count; i++)
        for (uint32_t g = 0; g < join->folds[i].groups; g++, total++) {
            levels[total].text = model_text(join->folds[i].model, join->folds[i].levels, g, &levels[total].length);
            levels[total].number = 0;
        }
    sort_polled(env, levels, total, sizeof(Level), compare_levels);
    for (uint32_t i = 0; i < total; i++)
        if (i == 0 || compare_levels(&levels[used - 1], &levels[i]) != 0)
            levels[used++] = levels[i];
    if (used > CONFORMAL_GROUPS)
        env_fail(env, ERROR_LIMIT, "Name a column of fewer values.", "column \"%s\" has more than %d values", join->folds->group, CONFORMAL_GROUPS);
    put_levels(env, &join->arrays, levels, used, place);
}

/* Finds the scores of a fold for a group and a class of the joined model. Returns their number. */
static uint32_t fold_cell(const FoldJoin *join, uint32_t part, uint32_t group, uint32_t class, const double **scores)
{
    const Conformal *fold = &join->folds[part];
    uint32_t own = 0;
    int position = 0;

    if (fold->group != NULL)
        own = conformal_group(fold, join->arrays.levels[group], join->arrays.level_lengths[group]);
    if (fold->by_class) {
        uint32_t length;
        const char *label = dictionary_text(join->scored, DICTIONARY_CLASSES, class, &length);

        position = dictionary_find(conformal_scored(join->env, fold->model), DICTIONARY_CLASSES, 0, label, length, false);
    }
    return position < 0 ? 0 : conformal_cell(fold, 0, own, (uint32_t)position, scores);
}

/* Copies the scores of all folds into cells. */
static void join_scores(FoldJoin *join)
{
    Env *env = join->env;
    uint32_t per_part = count_cells(env, join->arrays.groups, join->classes), cells = count_cells(env, join->count, per_part);
    int64_t *ends = env_array(env, cells, sizeof(int64_t)), total = 0;
    double *all;

    for (uint32_t cell = 0; cell < cells; cell++) {
        const double *scores;
        uint32_t within = cell % per_part, length = fold_cell(join, cell / per_part, within / join->classes, within % join->classes, &scores);

        env_poll_every(env, cell, 1024);
        ends[cell] = total += length;
    }
    if (total == 0)
        env_fail(env, ERROR_DATA, "Hold out more rows.", "no fold has a conformal score of a class of the model");
    all = env_array_raw(env, (size_t)total, sizeof(double));
    for (uint32_t cell = 0; cell < cells; cell++) {
        const double *scores = NULL;
        uint32_t within = cell % per_part, length = fold_cell(join, cell / per_part, within / join->classes, within % join->classes, &scores);

        if (length > 0)
            env_copy(env, all + ends[cell] - length, scores, length * sizeof(double));
    }
    join->arrays.scores = all;
    join->arrays.count = (uint32_t)total;
    join->arrays.ends = ends;
    join->arrays.cells = cells;
}

Model *conformal_join(Env *env, const Model *model, const Model *const *folds, uint32_t count)
{
    FoldJoin join = {.env = env, .count = count, .folds = env_array(env, (size_t)count + 1, sizeof(Conformal)), .classes = 1};

    if (count < 2 || count > CONFORMAL_PARTS)
        env_fail(env, ERROR_PARAMETER, "Pass a model per fold, fitted without it.", "cv+ takes the models of 2 to %d folds, not %u", CONFORMAL_PARTS, count);
    require_alike(&join, folds);
    join.scored = conformal_scored(env, model);
    if (!conformal_gives_scores(env, model, join.folds->score >= CONFORMAL_LAC))
        env_fail(env, ERROR_KIND, "Pass the model of all rows, of the method of the folds.", "%.31s gives no scores of the kind that those of the folds are", join.scored->estimator);
    join.arrays = (ConformalArrays){.score = join.folds->score, .by_class = join.folds->by_class, .group = join.folds->group, .groups = 1,
                                    .models = folds, .model_count = count};
    if (join.arrays.by_class)
        join.classes = dictionary_size(join.scored, DICTIONARY_CLASSES);
    if (join.arrays.group != NULL)
        join_levels(&join);
    join_scores(&join);
    return with_arrays(env, model, &join.arrays);
}

/* ---- what to say of it ---- */

void conformal_warn_of_few(Env *env, const Model *model)
{
    Conformal conformal = conformal_of(env, model);
    uint32_t small = 0, need = 0, cells = conformal.groups * conformal.classes;
    uint64_t fewest = UINT64_MAX;

    while (conformal_rank(need, NOTICE_LEVEL) > need)
        need++;
    for (uint32_t cell = 0; cell < cells; cell++) {
        const double *scores;
        uint64_t rows = 0;

        for (uint32_t part = 0; part < conformal.parts; part++)
            rows += conformal_cell(&conformal, part, cell / conformal.classes, cell % conformal.classes, &scores);
        small += rows < need;
        fewest = rows < fewest ? rows : fewest;
    }
    if (small > 0 && cells == 1)
        env_warn(env, ERROR_NONE, "Hold out more rows.", "level %g needs %u rows that were held out, and there are %llu: it has infinite limits, or all classes",
                 NOTICE_LEVEL, need, (unsigned long long)fewest);
    else if (small > 0)
        env_warn(env, ERROR_NONE, "Hold out more rows, or make fewer groups.",
                 "level %g needs %u rows of a group or class that were held out: %u of %u have fewer, and infinite limits, or all classes", NOTICE_LEVEL, need, small,
                 cells);
}
