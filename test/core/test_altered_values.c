/*
 * test_altered_values.c - the stored values of test/corpus, of every estimator, altered in one place each: readers refuse them, or they can be scored, shown,
 * drawn, exported and written like any other value.
 *
 * Of each array: left out, of another type or shape, shorter, longer, empty; each of its first and last numbers negative, huge, not finite ...; texts
 * that are empty or repeat; each name and value inside options; each field of the header; arrays of other values beside its own. test_altered_values N does what every Nth of the sound ones can do.
 *
 * test/core/altered_values.tsv has how many alterations of each array are refused, so that no check is lost unnoticed: a new check or array changes
 * it, and ACCEPT=1 writes it again.
 */
#include "check.h"

#include <glob.h>
#include <setjmp.h>

static jmp_buf after_finding;
#define FUZZ_STOP() longjmp(after_finding, 1)
#include "../fuzz/fuzz.h"

#include "core/base/text_buffer.h"
#include "core/model/model_internal.h"

#include <stdlib.h>

#define CORPUS "test/corpus/*/values.tsv"
#define COUNTS "test/core/altered_values.tsv"
#define STRIDE 101 /* every so many values that are sound are tried as a server would */

static unsigned stride = STRIDE, tried, refused, sound;
static bool every; /* what is sound is tried, whatever the stride */

/* Checks a value. What is sound is used. */
static void check_and_use(Env *env, const Model *value)
{
    const char *volatile error = "";

    if (TRY(fuzz_host)) {
        error = model_check(env, value, value->size);
        if (error == NULL)
            error = model_accept(env, value);
        if (error == NULL && model_has_summary(value))
            error = model_summary_check(env, value);
    } else {
        FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL, "the check failed: %s", fuzz_host->message);
        error = fuzz_host->message;
    }
    TRY_END(fuzz_host);
    if (error != NULL) {
        FUZZ_ASSERT(error[0] != '\0', "refused without a reason");
        refused++;
    } else if (sound++ % stride == 0 || every) {
        fuzz_exercise(env, value);
    }
}

static void try_value(Env *env, const Model *value)
{
    tried++;
    if (setjmp(after_finding) == 0)
        check_and_use(env, value);
    else
        checks_failed++;
}

static Model *copy_of(Env *env, const Model *model)
{
    Model *copy = env->alloc(env, model->size);

    memcpy(copy, model, model->size);
    copy->fingerprint = 0;
    return copy;
}

/* ---- numbers ---- */

static void set_number(Model *model, const ModelEntry *entry, uint64_t i, double number)
{
    char *at = (char *)model + entry->offset + i * model_element_size(entry->type);
    int64_t whole = isfinite(number) && fabs(number) < 9e18 ? (int64_t)number : number < 0 ? INT64_MIN : INT64_MAX;

    switch (entry->type) {
    case ARRAY_F64:
        memcpy(at, &number, sizeof number);
        break;
    case ARRAY_F32:
        memcpy(at, &(float){(float)number}, sizeof(float));
        break;
    case ARRAY_I64:
        memcpy(at, &whole, sizeof whole);
        break;
    case ARRAY_I32:
        memcpy(at, &(int32_t){(int32_t)whole}, sizeof(int32_t));
        break;
    default:
        *at = (char)whole;
    }
}

/* One number: odd ones, and those next to it and beside it. */
static void alter_number(const Model *model, const ModelEntry *entry, uint64_t i, uint64_t count)
{
    double old = model_number(model, entry, i), next = model_number(model, entry, (i + 1) % count);
    const double odd[] = {-old, old + 1, old - 1, next, 0, 1, -1, 0.5, 2, NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-300, 1e9};

    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        Env *env = fuzz_begin();
        Model *copy = copy_of(env, model);

        set_number(copy, entry, i, odd[k]);
        if (memcmp((char *)copy + entry->offset, (const char *)model + entry->offset, entry->reserved) != 0)
            try_value(env, copy);
    }
}

/* All numbers of an array are the same one. */
static void alter_all(const Model *model, const ModelEntry *entry, uint64_t count)
{
    static const double odd[] = {0, 1, -1, 1e300, 1e-300};

    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        Env *env = fuzz_begin();
        Model *copy = copy_of(env, model);

        for (uint64_t i = 0; i < count; i++)
            set_number(copy, entry, i, odd[k]);
        try_value(env, copy);
    }
}

/* ---- arrays ---- */

static const char *kept_out;

static bool is_kept(const ModelEntry *entry)
{
    return strcmp(entry->name, kept_out) != 0;
}

/* Returns a builder of the value without an array. */
static ModelBuilder *without(Env *env, const Model *model, const ModelEntry *entry)
{
    ModelBuilder *builder;

    kept_out = entry->name;
    builder = builder_from(env, model, is_kept);
    builder_header(builder)->fingerprint = 0;
    return builder;
}

/* Tries what a builder has, if it is a value. */
static void try_built(Env *env, ModelBuilder *builder)
{
    if (builder_problem(builder, false) == NULL) {
        Model *built = model_build(builder);

        built->fingerprint = 0;
        try_value(env, built);
    }
}

/* Puts numbers of another type or shape in place of an array. */
static void try_numbers(const Model *model, const ModelEntry *entry, ElementType type, unsigned dimensions, uint32_t rows, uint32_t columns)
{
    Env *env = fuzz_begin();
    ModelBuilder *builder = without(env, model, entry);
    size_t bytes = ((size_t)rows * columns + 1) * 8;
    void *data = env->alloc(env, bytes);

    memset(data, 0, bytes);
    memcpy(data, model_data(model, entry), entry->reserved < bytes ? entry->reserved : bytes);
    builder_numbers(builder, entry->section, entry->name, type, data, dimensions, rows, columns);
    try_built(env, builder);
}

static void try_texts(const Model *model, const ModelEntry *entry, const char *const *texts, const uint32_t *lengths, uint32_t count)
{
    Env *env = fuzz_begin();
    ModelBuilder *builder = without(env, model, entry);

    builder_text(builder, entry->section, entry->name, texts, lengths, count);
    try_built(env, builder);
}

static void alter_shape(const Model *model, const ModelEntry *entry)
{
    uint32_t rows = model_rows(model, entry), columns = entry->columns;
    ElementType other = entry->type == ARRAY_F64 ? ARRAY_I64 : ARRAY_F64;

    try_numbers(model, entry, other, entry->dimensions, rows, columns);
    try_numbers(model, entry, ARRAY_F32, entry->dimensions, rows, columns);
    try_numbers(model, entry, entry->type, entry->dimensions, 0, columns);
    try_numbers(model, entry, entry->type, entry->dimensions, rows + 1, columns);
    if (rows > 1)
        try_numbers(model, entry, entry->type, entry->dimensions, rows - 1, columns);
    if (entry->type == ARRAY_BOOL)
        return;
    if (entry->dimensions == 1) {
        try_numbers(model, entry, entry->type, 2, rows, 1);
        try_numbers(model, entry, entry->type, 2, 1, rows > 0 ? rows : 1);
    } else {
        try_numbers(model, entry, entry->type, 1, rows * columns, 1);
        try_numbers(model, entry, entry->type, 2, rows, columns + 1);
        if (columns > 1)
            try_numbers(model, entry, entry->type, 2, rows, columns - 1);
    }
}

static void alter_texts(const Model *model, const ModelEntry *entry)
{
    static const char *const odd[] = {"", "x", "-1", "1e400", "{}", "[1, 2]", "f1"};
    uint32_t rows = entry->rows;
    const char **texts = calloc(rows + 1, sizeof *texts);
    uint32_t *lengths = calloc(rows + 1, sizeof *lengths);

    for (uint32_t i = 0; i < rows; i++)
        texts[i] = model_text(model, entry, i, &lengths[i]);
    texts[rows] = "more";
    lengths[rows] = 4;
    try_texts(model, entry, texts, lengths, rows + 1);
    try_texts(model, entry, texts, lengths, 0);
    if (rows > 1)
        try_texts(model, entry, texts, lengths, rows - 1);
    for (uint32_t i = 0; i < rows; i += i < 3 || rows < 6 ? 1 : rows - 4) {
        const char *text = texts[i];
        uint32_t length = lengths[i];

        for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
            texts[i] = odd[k];
            lengths[i] = (uint32_t)strlen(odd[k]);
            try_texts(model, entry, texts, lengths, rows);
        }
        texts[i] = texts[(i + 1) % rows];
        lengths[i] = lengths[(i + 1) % rows];
        if (rows > 1)
            try_texts(model, entry, texts, lengths, rows);
        texts[i] = text;
        lengths[i] = length;
    }
    free(texts);
    free(lengths);
    try_numbers(model, entry, ARRAY_F64, 1, rows > 0 ? rows : 1, 1);
}

/* ---- texts of JSON: options, summaries of training rows, documents ---- */

/* Returns the end of the word of JSON that begins here: a name, a string, a number, a constant. */
static const char *word_end(const char *at, const char *end)
{
    if (*at != '"') {
        while (at < end && strchr("{}[],:", *at) == NULL)
            at++;
        return at;
    }
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

/* Tries a text with each word in place of others, left out, and written twice. */
static void alter_words(const char *text, size_t length, void (*try_text)(const void *about, const char *text, uint32_t length), const void *about)
{
    static const char *const odd[] = {"null", "-1", "0", "1e+300", "0.5", "\"x\"", "true", "[]", "{}", "[1]", "\"\"", "3", ""};
    const char *end = text + length;

    for (const char *at = text; at < end; at++) {
        const char *after;

        if (strchr("{}[],: ", *at) != NULL)
            continue;
        after = word_end(at, end);
        for (size_t k = 0; k <= sizeof odd / sizeof odd[0]; k++) {
            bool twice = k == sizeof odd / sizeof odd[0], out = !twice && odd[k][0] == 0;
            const char *from = out && at[-1] == ',' ? at - 1 : at, *rest = out && at[-1] != ',' && after < end && *after == ',' ? after + 1 : after;
            size_t room = 2 * (size_t)(after - at) + length + 16;
            char *altered = malloc(room);
            int size = twice ? snprintf(altered, room, "%.*s,%.*s", (int)(after - text), text, (int)(end - at), at)
                             : snprintf(altered, room, "%.*s%s%.*s", (int)(from - text), text, odd[k], (int)(end - rest), rest);

            try_text(about, altered, (uint32_t)size);
            free(altered);
        }
        at = after - 1;
    }
}

typedef struct EntryOf {
    const Model *model;
    const ModelEntry *entry;
} EntryOf;

static void try_entry_text(const void *about, const char *text, uint32_t length)
{
    const EntryOf *of = about;

    try_texts(of->model, of->entry, &text, &length, 1);
}

/* Imports a document, which makes a sound model or is refused. */
static void import_document(const char *text, uint32_t length)
{
    Env *env = fuzz_begin();
    Model *volatile model = NULL;

    if (TRY(fuzz_host))
        model = model_import(env, (const uint8_t *)text, length, "xgboost", &(ImportNames){0});
    else
        FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT, "document: %s", fuzz_host->message);
    TRY_END(fuzz_host);
    if (model != NULL)
        check_and_use(env, model);
}

static void try_document(const void *about, const char *text, uint32_t length)
{
    (void)about;
    if (setjmp(after_finding) == 0)
        import_document(text, length);
    else
        checks_failed++;
}

/* The documents of XGBoost that a model becomes. */
static void alter_document(const Model *model)
{
    Env *env = fuzz_begin();
    char *volatile text = NULL;
    size_t length = 0;

    if (TRY(fuzz_host))
        text = strdup(model_export(env, model, "xgboost", false, &length));
    TRY_END(fuzz_host);
    if (text != NULL)
        alter_words(text, length, try_document, NULL);
    free(text);
}

/* A summary of training rows that a model keeps. */
static void alter_summary(const Model *model)
{
    static const char *const names[] = {"a", "c"};
    static const bool levels[] = {false, true};
    Env *env = fuzz_begin();
    RowSummary *summary = summary_new(env, 2, names, levels);
    Model *with, *copy;
    EntryOf of;

    for (int i = 0; i < 12; i++, summary->rows++) {
        summary_number(summary, 0, i * i % 7 - 1.5);
        i % 5 > 0 ? summary_level(summary, 1, i % 2 ? "x" : "yes", i % 2 ? 1 : 3) : summary_null(summary, 1);
    }
    with = model_with_summary(env, model, summary);
    copy = malloc(with->size);
    memcpy(copy, with, with->size);
    of = (EntryOf){copy, model_find(copy, SUMMARY_ARRAY)};
    snprintf(fuzz_about, sizeof fuzz_about, "summary: ");
    every = true;
    env = fuzz_begin();
    try_value(env, copy_of(env, copy));
    alter_words(model_text(copy, of.entry, 0, &(uint32_t){0}), of.entry->rows > 0 ? model_text_end(copy, of.entry, 0) : 0, try_entry_text, &of);
    every = false;
    free(copy);
}

static void alter_array(const Model *model, const ModelEntry *entry)
{
    uint64_t count = (uint64_t)model_rows(model, entry) * entry->columns;
    Env *env = fuzz_begin();
    uint32_t length;

    try_built(env, without(env, model, entry));
    if (entry->type == ARRAY_TEXT) {
        alter_texts(model, entry);
        if (entry->rows == 1 && model_text(model, entry, 0, &length)[0] == '{')
            alter_words(model_text(model, entry, 0, &length), length, try_entry_text, &(EntryOf){model, entry});
        return;
    }
    alter_shape(model, entry);
    for (uint64_t i = 0; i < count; i += i < 3 || count < 8 ? 1 : count - 5)
        alter_number(model, entry, i, count);
    alter_all(model, entry, count);
}

/* ---- how many are refused ---- */

static FILE *counted; /* a line for each array */
static bool counting;

/* Alters an array in all ways, and counts. */
static void alter_entry(const char *name, const Model *model, const ModelEntry *entry)
{
    unsigned tried_before = tried, refused_before = refused;

    snprintf(fuzz_about, sizeof fuzz_about, "%.150s, %s: ", name, entry->name);
    alter_array(model, entry);
    if (counting)
        fprintf(counted, "%s\t%s\t%u\t%u\n", name, entry->name, tried - tried_before, refused - refused_before);
}

/* Compares the lines with those of the file, and shows which differ, or writes them. */
static void check_counts(const char *counts, size_t counts_length)
{
    const char *const mode = getenv("ACCEPT") != NULL ? "w" : "r";
    FILE *file = fopen(COUNTS, mode);
    const char *at = counts;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    if (*mode == 'w') {
        fwrite(counts, 1, counts_length, file);
        fclose(file);
        return;
    }
    for (; (length = getline(&line, &room, file)) > 0; at = strchr(at, '\n') + 1)
        if (strncmp(at, line, (size_t)length) != 0) {
            check_that(false, __FILE__, __LINE__, "value, array, alterations and refused ones were: %.*s and are: %.*s", (int)length - 1, line, (int)strcspn(at, "\n"), at);
            break;
        }
    CHECK(length > 0 || *at == 0);
    free(line);
    fclose(file);
}

/* ---- arrays of other values ---- */

typedef struct Foreign {
    const Model *model;
    const ModelEntry *entry;
} Foreign;

static Foreign foreign[2048]; /* of each name and shape the first */
static uint32_t foreign_count;

/* Keeps arrays of a value with names or shapes that were not seen before. */
static void collect(const Model *model)
{
    for (uint32_t e = 0; e < model->entry_count; e++) {
        const ModelEntry *entry = &model_entries(model)[e];
        uint32_t f = 0;

        while (f < foreign_count && !(strcmp(foreign[f].entry->name, entry->name) == 0 && foreign[f].entry->type == entry->type && foreign[f].entry->dimensions == entry->dimensions &&
                                      foreign[f].entry->rows == entry->rows && foreign[f].entry->columns == entry->columns))
            f++;
        if (f == foreign_count && f < sizeof foreign / sizeof *foreign)
            foreign[foreign_count++] = (Foreign){model, entry};
    }
}

/* Adds arrays of other values, or puts them in place of those with the same name. */
static void add_foreign(const char *name, const Model *model)
{
    for (uint32_t f = 0; f < foreign_count; f++) {
        const ModelEntry *entry = foreign[f].entry;
        Env *env = fuzz_begin();
        ModelBuilder *builder = without(env, model, entry);

        if (foreign[f].model == model)
            continue;
        snprintf(fuzz_about, sizeof fuzz_about, "%.150s, %s of %s: ", name, entry->name, foreign[f].model->estimator);
        builder_entry_from(builder, foreign[f].model, entry);
        try_built(env, builder);
    }
}

/* ---- the header ---- */

static void alter_header(const char *name, const Model *model)
{
    static const double weights[] = {0, -1, NAN, INFINITY, 1e300, 1e-300, 0.5};
    static const int64_t counts[] = {0, 1, -1, 2, MODEL_MAX_ROWS, INT64_MAX};
    static const int steps[] = {-1, 1, 100};

    for (uint32_t i = 0; i < 64; i++) {
        Model *copy = copy_of(fuzz_begin(), model);
        uint32_t *sizes[] = {&copy->field_count, &copy->slot_count, &copy->column_count, &copy->entry_count, &copy->pending_rows, &copy->pending_capacity, &copy->flushes};

        snprintf(fuzz_about, sizeof fuzz_about, "%.150s, header %u: ", name, i);
        if (i < 7)
            copy->weight = weights[i];
        else if (i < 13)
            copy->rows = counts[i - 7];
        else if (i < 19)
            copy->skipped = counts[i - 13];
        else if (i < 27)
            copy->flags ^= (uint8_t)(1 << (i - 19));
        else if (i < 31)
            copy->kind = (uint8_t)(i - 26);
        else if (i < 52)
            *sizes[(i - 31) / 3] += (uint32_t)steps[(i - 31) % 3];
        else
            break;
        try_value(&fuzz_host->env, copy);
    }
}

/* A value that says it is of another method. */
static void alter_estimator(const char *name, const Model *model)
{
    for (const Estimator *const *other = estimators; *other != NULL; other++) {
        Model *copy = copy_of(fuzz_begin(), model);

        snprintf(fuzz_about, sizeof fuzz_about, "%.150s, as %s: ", name, (*other)->name);
        memset(copy->estimator, 0, sizeof copy->estimator);
        memcpy(copy->estimator, (*other)->name, strlen((*other)->name));
        try_value(&fuzz_host->env, copy);
    }
}

/* Alters a value in all ways, which is copied first. */
static void alter_value(const char *name, Env *env, const Model *read)
{
    Model *model = malloc(read->size);

    memcpy(model, read, read->size);
    snprintf(fuzz_about, sizeof fuzz_about, "%s: ", name);
    every = true;
    try_value(env, read);
    alter_header(name, model);
    alter_estimator(name, model);
    every = false;
    add_foreign(name, model);
    if (strcmp(model->estimator, "medoid") == 0)
        alter_summary(model);
    snprintf(fuzz_about, sizeof fuzz_about, "%.150s, document: ", name);
    alter_document(model);
    for (uint32_t i = 0; i < model->entry_count; i++)
        alter_entry(name, model, &model_entries(model)[i]);
    free(model);
}

/* Alters the state of a step for a value, after two rows. */
static void alter_state(const char *value, const char *text)
{
    Env *env = fuzz_begin();
    const Model *model = model_from_text(env, text, strlen(text));
    const ModelStep *step = fuzz_step_of(model);
    char name[256];

    if (step == NULL || model->kind != MODEL_FITTED || formula_model_any(model))
        return;
    snprintf(name, sizeof name, "%s of %.200s", step->name, value);
    if (TRY(fuzz_host)) {
        Model *state = step->begin(env, model);

        for (unsigned r = 0; r < 2; r++) {
            double *slots = fuzz_row(env, model, r);

            for (uint32_t s = 0; s < model->slot_count; s++)
                slots[s] = schema_field_kind(model, schema_slot_field(model, s)) == FIELD_CATEGORICAL ? slots[s] : s + r / 2.0;
            fuzz_step_add(env, step, model, state, slots, r);
        }
        TRY_END(fuzz_host);
        alter_value(name, env, state);
    } else {
        check_that(fuzz_host->code == ERROR_KIND || fuzz_host->code == ERROR_PARAMETER, __FILE__, __LINE__, "%s: %s", name, fuzz_host->message); /* the step does not take it */
    }
}

/* Keeps the arrays of a value. */
static void collect_value(const char *name, const char *text)
{
    const Model *model = model_from_text(fuzz_begin(), text, strlen(text));
    Model *kept = malloc(model->size);

    (void)name;
    memcpy(kept, model, model->size);
    collect(kept);
}

/* Alters a value, and the state of a step for it. */
static void alter_both(const char *name, const char *text)
{
    Env *env = fuzz_begin();

    counting = true;
    alter_value(name, env, model_from_text(env, text, strlen(text)));
    counting = false; /* the state of a step is computed */
    alter_state(name, text);
}

/* Does something for each value of a file of COPY, in which each line is a name, features and the text of a value. Returns how many there are. */
static unsigned each_value(FILE *file, void (*act)(const char *name, const char *text))
{
    char *line = NULL;
    size_t room = 0;
    unsigned values = 0;

    for (; getline(&line, &room, file) > 0; values++) {
        char *features = strchr(line, '\t'), *text = strchr(features + 1, '\t') + 1, *to = text;

        *features = 0;
        for (const char *from = text; *from != '\n'; from++) { /* COPY writes a backslash twice */
            from += from[0] == '\\' && from[1] == '\\';
            *to++ = *from;
        }
        *to = 0;
        act(line, text);
    }
    free(line);
    return values;
}

int main(int argc, char **argv)
{
    glob_t files = {0};
    unsigned values = 0;
    char *counts = NULL;
    size_t counts_length = 0;

    if (argc > 1)
        stride = (unsigned)atoi(argv[1]);
    counted = open_memstream(&counts, &counts_length);
    glob(CORPUS, 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "rb");

        each_value(file, collect_value);
        rewind(file);
        values += each_value(file, alter_both);
        fclose(file);
    }
    globfree(&files);
    fclose(counted);
    check_counts(counts, counts_length);
    free(counts);
    printf("%u values: %u alterations, %u refused, %u sound\n", values, tried, refused, sound);
    CHECK(values > 100 && refused > tried / 3 && sound > 1000);
    return check_report();
}
