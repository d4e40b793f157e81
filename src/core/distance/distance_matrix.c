/*
 * distance_matrix.c - tables of given distances: built from pairs, checked, and fitted.
 */
#include "core/distance/distance_matrix.h"
#include "core/base/bytes.h"
#include "core/base/sort.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POLL_PAIRS 65536
#define UPPER_ROWS 8
#define FAR_BEYOND 64 /* the diagonal: blocks of rows of a triangle reach less far */
#define SAME 1e-9 /* relative: distances of both orders that differ by less differ by rounding */

static const char *const missing_choices[] = {"error", "infinity", NULL};

static const OptionSpec matrix_options[] = {
    {.name = "missing_pairs",
     .formerly = "missing",
     .types = OPTION_STRING,
     .fallback = "\"error\"",
     .choices = missing_choices,
     .help = "What a pair without a distance is: an error, or infinitely far apart (infinity)."},
    {.name = NULL}};

/* ---- building ---- */

/* Returns the number of pairs of different ids. */
static size_t matrix_places(uint32_t count)
{
    return (size_t)count * (count - 1) / 2;
}

#define SEEN_DOWN 1 /* the pair was given with the later id first */
#define SEEN_UP 2

typedef struct MatrixBuild {
    Env *env;
    uint32_t count;
    uint32_t *rank;  /* [count] of each id in the order of their bytes */
    uint32_t *order; /* [count] the other way round */
    double *distances;
    uint8_t *seen;   /* [pairs] */
    uint8_t *itself; /* [count] the distance of the id from itself was given */
    const ObjectIds *ids;
} MatrixBuild;

typedef struct NamedObject {
    const char *text;
    uint32_t length, number;
} NamedObject;

static int compare_objects(const void *left, const void *right)
{
    const NamedObject *a = left, *b = right;

    return bytes_compare(a->text, a->length, b->text, b->length);
}

#define ID_SHOWN 60 /* bytes of an id in a message */

/* Returns an id for a message, cut if it is long. */
static const char *id_text(Env *env, const char *text, uint32_t length)
{
    uint32_t shown = length > ID_SHOWN ? ID_SHOWN : length;
    char *out = env_array(env, ID_SHOWN + 4, 1);

    while (shown < length && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80) /* not within a character of UTF-8 */
        shown--;
    memcpy(out, text, shown);
    if (shown < length)
        strcpy(out + shown, "...");
    return out;
}

static const char *object_text(const MatrixBuild *build, uint32_t rank)
{
    uint32_t number = build->order[rank];

    return id_text(build->env, build->ids->texts[number], build->ids->lengths[number]);
}

void distance_require(Env *env, const Options *options, double distance, const char *a, uint32_t a_length, const char *b,
                      uint32_t b_length)
{
    const char *hint = distance < 0 ? "Distances are at least 0."
                       : isinf(distance)
                           ? "With \"missing_pairs\": \"infinity\", pairs may be infinitely far apart."
                           : "Leave out such rows, or replace NaN by NULL, which skips them.";

    if (distance >= 0 && (isfinite(distance) || options_is(options, "missing_pairs", "infinity")))
        return;
    env_fail(env, ERROR_DATA, hint, "the distance of \"%s\" and \"%s\" is %g", id_text(env, a, a_length), id_text(env, b, b_length),
             distance);
}

/* Sorts the ids, so that nothing depends on the order of arrival. */
static void rank_ids(MatrixBuild *build)
{
    Env *env = build->env;
    NamedObject *named = env_array_raw(env, build->count, sizeof(NamedObject));

    build->rank = env_array_raw(env, build->count, sizeof(uint32_t));
    build->order = env_array_raw(env, build->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < build->count; i++)
        named[i] = (NamedObject){build->ids->texts[i], build->ids->lengths[i], i};
    sort_polled(env, named, build->count, sizeof(NamedObject), compare_objects);
    for (uint32_t i = 0; i < build->count; i++) {
        build->order[i] = named[i].number;
        build->rank[named[i].number] = i;
    }
}

/* Takes the distance of an object from itself. */
static void add_itself(MatrixBuild *build, uint32_t rank, double distance)
{
    if (distance != 0)
        env_fail(build->env, ERROR_DATA, "An object is at distance 0 from itself; leave such rows out.",
                 "the distance of \"%s\" from itself is %g", object_text(build, rank), distance);
    if (build->itself[rank])
        env_fail(build->env, ERROR_DATA, "Give each pair once, or once in each order.", "the pair of \"%s\" and itself is given twice",
                 object_text(build, rank));
    build->itself[rank] = 1;
}

static void add_pair(MatrixBuild *build, uint32_t a, uint32_t b, double distance)
{
    uint32_t high = a > b ? a : b, low = a > b ? b : a;
    size_t place = distance_place(high, low);
    uint8_t way = a > b ? SEEN_DOWN : SEEN_UP;
    double other = build->distances[place];

    if (build->seen[place] & way)
        env_fail(build->env, ERROR_DATA, "Give each pair once, or once in each order with the same distance.",
                 "the pair (\"%s\", \"%s\") is given twice", object_text(build, a), object_text(build, b));
    if (build->seen[place] != 0 && distance != other && !(fabs(distance - other) <= SAME * fmin(distance, other)))
        env_fail(build->env, ERROR_DATA, "Give each pair once, for example the mean of both, grouped by least(a, b) and greatest(a, b).",
                 "the distance from \"%s\" to \"%s\" is %g, but the other way round it is %g", object_text(build, low),
                 object_text(build, high), way == SEEN_UP ? distance : other, way == SEEN_UP ? other : distance);
    build->distances[place] = build->seen[place] != 0 && other < distance ? other : distance;
    build->seen[place] |= way;
}

static void add_pairs(MatrixBuild *build, Rows *pairs)
{
    RowsReader *reader = rows_reader(build->env, pairs);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t r = 0; r < block.count; r++) {
            const double *row = block.slots + (size_t)r * 3;
            uint32_t a = build->rank[(uint32_t)row[0]], b = build->rank[(uint32_t)row[1]];

            if (a == b)
                add_itself(build, a, row[2]);
            else
                add_pair(build, a, b, row[2]);
        }
    rows_reader_free(reader);
}

/* Fails if an id has no other, or if a pair is missing and must not. Returns how many are missing; they become infinite. */
static uint64_t fill_missing(MatrixBuild *build, bool allowed)
{
    Env *env = build->env;
    uint8_t *partners = env_array(env, build->count, 1);
    uint64_t missing = 0;
    uint32_t first[2] = {0, 0};

    for (uint32_t i = 1; i < build->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            size_t place = distance_place(i, j);

            if (build->seen[place] != 0) {
                partners[i] = partners[j] = 1;
                continue;
            }
            build->distances[place] = INFINITY;
            if (missing++ == 0) {
                first[0] = j;
                first[1] = i;
            }
        }
        env->poll(env);
    }
    for (uint32_t i = 0; build->count > 1 && i < build->count; i++)
        if (!partners[i])
            env_fail(env, ERROR_DATA, "Leave it out, or give its distances from the others.",
                     "\"%s\" has no distance from any other", object_text(build, i));
    if (missing > 0 && !allowed)
        env_fail(env, ERROR_DATA, "Give every pair at least once, or use \"missing_pairs\": \"infinity\" if such pairs are infinitely far apart.",
                 "%llu of %llu pairs have no distance, the first of them \"%s\" and \"%s\"", (unsigned long long)missing,
                 (unsigned long long)matrix_places(build->count), object_text(build, first[0]), object_text(build, first[1]));
    return missing;
}

static void require_matrix_memory(Env *env, uint64_t n)
{
    if (n > INT32_MAX)
        env_fail(env, ERROR_LIMIT, NULL, "distance_matrix compares at most %d ids, not %llu", INT32_MAX, (unsigned long long)n);
    env_require_memory(env, n * (n - 1) / 2 * (sizeof(double) + 1) + n * 64, "distance_matrix");
}

Model *distance_matrix_build(Env *env, Rows *pairs, const Options *options, const ObjectIds *ids, uint64_t skipped)
{
    MatrixBuild build = {.env = env, .count = ids->count, .ids = ids};
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "distance_matrix");
    SchemaSpec spec = {.id_type = ids->type};
    size_t places = matrix_places(ids->count);
    const char **texts = env_array_raw(env, ids->count, sizeof(char *)), *json;
    uint32_t *lengths = env_array_raw(env, ids->count, sizeof(uint32_t)), json_length;
    uint64_t missing, infinite = 0;

    require_matrix_memory(env, ids->count);
    rank_ids(&build);
    build.distances = env_array(env, places + 1, sizeof(double));
    build.seen = env_array(env, places + 1, 1);
    build.itself = env_array(env, ids->count, 1);
    add_pairs(&build, pairs);
    missing = fill_missing(&build, options_is(options, "missing_pairs", "infinity"));
    env->release(env, build.seen);
    for (size_t i = 0; i < places; i++)
        infinite += isinf(build.distances[i]) != 0;
    for (uint32_t i = 0; i < ids->count; i++) {
        texts[i] = ids->texts[build.order[i]];
        lengths[i] = ids->lengths[build.order[i]];
    }
    schema_add(env, builder, &spec);
    builder_header(builder)->rows = rows_count(pairs);
    builder_header(builder)->weight = (double)rows_count(pairs);
    builder_header(builder)->skipped = skipped;
    json = options_used_json(options, &json_length);
    builder_options(builder, json, json_length);
    builder_text(builder, SECTION_ARRAYS, "ids", texts, lengths, ids->count);
    if (places > 0)
        builder_f64(builder, SECTION_ARRAYS, "distances", build.distances, (uint32_t)places);
    builder_fact_i64(builder, "infinite_pairs", (int64_t)infinite);
    builder_fact_i64(builder, "missing_pairs", (int64_t)missing);
    builder_fact_i64(builder, "objects", ids->count);
    return model_require_readable(env, model_build(builder));
}

/* ---- reading ---- */

static const ArraySpec matrix_arrays[] = {
    {.name = "distances",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS, .packed = true, .plus = -1},
     .sized = true,
     .values = VALUES_ANY,
     .data_at = VIEW_AT(DistanceMatrix, distances)},
    {.name = "ids", .type = ARRAY_TEXT, .rows = {SIZE_ROWS, .defines = true}, .rows_at = VIEW_AT(DistanceMatrix, count)}};
static const ArraySpec matrix_facts[] = {FACT("infinite_pairs", ARRAY_I64), FACT("missing_pairs", ARRAY_I64),
                                         FACT("objects", ARRAY_I64)};
static const ArrayTable matrix_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(matrix_arrays), FACT_TABLE(matrix_facts));

/* Distances are at least 0, and ids in order, each once. */
static const char *matrix_check(Env *env, const Model *model)
{
    DistanceMatrix view = {0};
    const ModelEntry *ids = model_find(model, "ids");
    size_t places;
    uint64_t wrong = 0, infinite = 0;

    view_arrays(model, matrix_array_tables, &view);
    places = matrix_places(view.count);
    for (size_t begin = 0; begin < places; begin += POLL_PAIRS) {
        size_t end = places - begin < POLL_PAIRS ? places : begin + POLL_PAIRS;

        for (size_t i = begin; i < end; i++) {
            wrong += !(view.distances[i] >= 0);
            infinite += view.distances[i] > DBL_MAX;
        }
        env->poll(env);
    }
    if (wrong > 0)
        return "a distance is negative or NaN";
    if ((double)infinite != model_fact(model, "infinite_pairs", 0))
        return "fact \"infinite_pairs\" is not the number of infinite distances";
    if (!model_texts_in_order(model, ids))
        return "the ids are not in order, each once";
    return NULL;
}

/* Is it the number of an object? */
static inline bool is_object(const DistanceMatrix *matrix, double number)
{
    return number >= 0 && number < matrix->count;
}

/* Do the numbers follow each other, from an object on and as far as there are objects? */
static bool is_run(const DistanceMatrix *matrix, const double *numbers, uint32_t count)
{
    double first = numbers[0];
    bool run = is_object(matrix, first) && first == (uint32_t)first && count <= matrix->count - (uint32_t)first;

    for (uint32_t c = 0; run && c < count; c += 64) {
        uint32_t end = count - c < 64 ? count : c + 64;
        int others = 0;

        for (uint32_t k = c; k < end; k++)
            others += numbers[k] != first + (double)(int32_t)k;
        run = others == 0;
    }
    return run;
}

void distance_matrix_complete(DistanceMatrix *matrix)
{
    uint32_t n = matrix->count;
    size_t places = matrix_places(n) + n;

    if (matrix->upper != NULL || places * sizeof(double) > matrix->env->memory_limit / 4)
        return;
    matrix->upper = env_array_raw(matrix->env, places, sizeof(double));
    for (uint32_t top = 0, bottom = n % UPPER_ROWS; top < n; top = bottom, bottom += UPPER_ROWS) { /* some rows at a time, each in order */
        const double *from[UPPER_ROWS];

        for (uint32_t k = 0; k < UPPER_ROWS && top > 0; k++)
            from[k] = matrix->distances + distance_place(top + k, 0);
        for (uint32_t j = 0; j < top; j++)
            for (uint32_t k = 0; k < UPPER_ROWS; k++)
                upper_row(matrix, j)[top + k] = from[k][j];
        for (uint32_t i = top; i < bottom; i++)
            for (uint32_t j = top; j <= i; j++)
                upper_row(matrix, j)[i] = i == j ? 0 : matrix->distances[distance_place(i, j)];
        matrix->env->poll(matrix->env);
    }
}

/* Looks up distances. The first row that reads far beyond the diagonal, where memory is strided, completes the matrix. */
static void given_distances(const MetricObjects *objects, double a, const double *others, uint32_t count, double *out)
{
    DistanceMatrix *matrix = objects->context;
    bool known = is_object(matrix, a);
    uint32_t i = known ? (uint32_t)a : 0;
    const double *lower = matrix->distances + distance_place(i, 0), *upper;

    if (count == 0)
        return;
    if (known && others[count - 1] > a + FAR_BEYOND)
        distance_matrix_complete(matrix);
    upper = matrix->upper != NULL ? upper_row(matrix, i) : NULL;
    if (known && upper != NULL && is_run(matrix, others, count)) {
        uint32_t first = (uint32_t)others[0], before = i <= first ? 0 : i - first < count ? i - first : count;

        memcpy(out, lower + first, (size_t)before * sizeof(double));
        memcpy(out + before, upper + first + before, (size_t)(count - before) * sizeof(double));
    } else
        for (uint32_t c = 0; c < count; c++) {
            uint32_t j = is_object(matrix, others[c]) ? (uint32_t)others[c] : UINT32_MAX;

            if (!known || j == UINT32_MAX)
                out[c] = NAN;
            else if (upper != NULL)
                out[c] = (j < i ? lower : upper)[j];
            else
                out[c] = j < i ? lower[j] : j > i ? matrix->distances[distance_place(j, i)] : 0;
            env_poll_every(matrix->env, c + 1, POLL_PAIRS);
        }
    for (uint32_t c = 0; matrix->infinite > 0 && c < count; c++)
        out[c] = isinf(out[c]) ? matrix->replacement : out[c];
    matrix->env->poll(matrix->env);
}

double distance_matrix_largest(const DistanceMatrix *matrix)
{
    double largest = 0;

    for (size_t i = 0; i < matrix_places(matrix->count); i++) {
        largest = matrix->distances[i] <= DBL_MAX && matrix->distances[i] > largest ? matrix->distances[i] : largest;
        env_poll_every(matrix->env, i, POLL_PAIRS);
    }
    return largest;
}

void distance_matrix_open(Env *env, const Model *model, const char *function, DistanceMatrix *matrix)
{
    if (model->kind != MODEL_FITTED || strcmp(model->estimator, "distance_matrix") != 0)
        env_fail(env, ERROR_KIND, "Make one of rows (id, id, distance) by pgfit.distance_matrix(a, b, distance).",
                 "%s needs a matrix of distances, not %s%.31s", function, model->kind == MODEL_FITTED ? "a model of " : "",
                 model->estimator);
    *matrix = (DistanceMatrix){.objects = {.distances = given_distances, .context = matrix},
                               .env = env,
                               .ids = model_find(model, "ids"),
                               .infinite = (uint64_t)model_fact(model, "infinite_pairs", 0),
                               .replacement = INFINITY};
    view_arrays(model, matrix_array_tables, matrix);
}

DistanceMatrix *distance_matrix_of(const Rows *rows)
{
    const MetricObjects *objects = rows_objects(rows);

    return objects != NULL ? objects->context : NULL;
}

/* ---- fitting methods to it ---- */

/* Returns the schema of rows that number the objects. */
static Model *object_schema(Env *env, const Model *model, const char *method, bool labeled)
{
    static const char *const names[] = {"object"};
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, method);
    const ModelEntry *type = model_find(model, "id_type");
    SchemaSpec spec = {.field_count = 1, .names = names, .class_type = labeled ? "text" : NULL};
    uint32_t length;

    if (type != NULL) {
        const char *text = model_text(model, type, 0, &length);
        char *id_type = env_array(env, (size_t)length + 1, 1);

        memcpy(id_type, text, length);
        spec.id_type = id_type;
    }
    schema_add(env, builder, &spec);
    return model_build(builder);
}

/* Returns rows that number the objects, with their ids. */
static Rows *object_rows(Env *env, const Model *model, const DistanceMatrix *matrix, const Estimator *estimator)
{
    Rows *rows = rows_new(rows_pool(env), object_schema(env, model, estimator->name, false), ROWS_ID);

    for (uint32_t i = 0; i < matrix->count; i++) {
        uint32_t length;
        const char *id = model_text(model, matrix->ids, i, &length);
        double number = i;

        rows_append(rows, &number, 0, 1, id, length);
    }
    rows_set_objects(rows, &matrix->objects);
    return rows;
}

Rows *distance_matrix_labeled(Env *env, const Model *model, DistanceMatrix *matrix, const TextList *labels)
{
    Model *schema = object_schema(env, model, "silhouettes", true);
    uint32_t *classes = env_array_raw(env, matrix->count, sizeof(uint32_t));
    ClassHint hint = {0};
    Rows *rows;

    for (uint32_t i = 0; i < matrix->count; i++) {
        int found;

        if (labels->bytes[i] == NULL)
            continue;
        found = dictionary_find_class(schema, &hint, labels->bytes[i], labels->lengths[i]);
        classes[i] = (uint32_t)found;
        if (found < 0)
            schema = dictionary_add(env, schema, DICTIONARY_CLASSES, 0, labels->bytes[i], labels->lengths[i], false, 0, &classes[i]);
        env_poll_every(env, i, 4096);
    }
    rows = rows_new(rows_pool(env), schema, ROWS_ID | ROWS_TARGET);
    for (uint32_t i = 0; i < matrix->count; i++) {
        uint32_t length;
        const char *id = model_text(model, matrix->ids, i, &length);
        double number = i;

        if (labels->bytes[i] != NULL)
            rows_append(rows, &number, classes[i], 1, id, length);
    }
    rows_set_objects(rows, &matrix->objects);
    return rows;
}

/* Fails if some distances are infinite and the method cannot do with that. */
static void require_finite(Env *env, const DistanceMatrix *matrix, const Estimator *estimator)
{
    if (matrix->infinite > 0 && !estimator->infinite_distances)
        env_fail(env, ERROR_DATA, "Use dbscan, hierarchical or kmedoids, or fit the parts that are connected one by one.",
                 "%s needs finite distances, but %llu pair%s of ids have none", estimator->name, (unsigned long long)matrix->infinite,
                 matrix->infinite == 1 ? "" : "s");
}

Model *distance_matrix_fit(Env *env, const Model *model, const Estimator *estimator, const Options *options)
{
    DistanceMatrix matrix;
    size_t bytes;
    FitInput input = {.kind = INPUT_ROWS};

    distance_matrix_open(env, model, estimator->name, &matrix);
    require_finite(env, &matrix, estimator);
    bytes = model->size - matrix_places(matrix.count) * sizeof(double) + (size_t)matrix.count * 64;
    env_require_memory(env, bytes, estimator->name);
    input.rows = object_rows(env, model, &matrix, estimator);
    return estimator_fit(env, estimator, &input, options, true);
}

const Estimator estimator_distance_matrix = {
    .name = "distance_matrix",
    .task = TASK_DESCRIPTION,
    .input = INPUT_ROWS,
    .options = OPTION_TABLES(matrix_options),
    .help = "The distances of all pairs of objects, as given, which methods that compare rows can be fitted to.",
    .arrays = matrix_array_tables,
    .check = matrix_check,
};
