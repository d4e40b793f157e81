/*
 * xgboost_categories.c - reads the categories of a frame. Format: "Categories" of XGBoost's "Introduction to Model IO", and
 * CatContainer::Save in its src/data/cat_container.cc.
 *
 * Of each feature there are texts, as bytes and where each begins ("values" and "offsets"), or numbers and their type. A feature that is
 * no category has neither. UBJSON writes unsigned numbers as signed ones of the same width.
 */
#include "core/exchange/xgboost_categories.h"
#include "core/base/json.h"
#include "core/import/import_schema.h"

#include <math.h>
#include <string.h>

#define EXACT 9007199254740992.0 /* whole doubles below it are exact */

/* Types of numbers: 7 and 8 are floats, then come signed and unsigned numbers of 1, 2, 4 and 8 bytes in turn. */
enum { TYPE_FLOAT = 7, TYPE_FIRST_WHOLE = 9, TYPE_LAST_WHOLE = 16 };

typedef struct Numbers {
    double *values;
    uint32_t count, room;
} Numbers;

/* What the document says of one feature. */
typedef struct Encoding {
    Numbers offsets, values;
    int64_t type; /* 0: not said */
} Encoding;

static void read_numbers(Document *document, Numbers *numbers)
{
    DocumentList list;

    for (document_enter(document, DOCUMENT_ARRAY, &list); document_next(document, &list);) {
        if (numbers->count == UINT32_MAX / 2)
            document_fail(document, "has too many categories");
        numbers->values = env_grow(document->env, numbers->values, numbers->count, &numbers->room, sizeof(double));
        numbers->values[numbers->count++] = document_number(document);
    }
}

static void read_encoding(Document *document, Encoding *encoding)
{
    char key[DOCUMENT_KEY];
    DocumentList list;

    encoding->offsets.count = encoding->values.count = 0;
    encoding->type = 0;
    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);)
        if (strcmp(key, "offsets") == 0)
            read_numbers(document, &encoding->offsets);
        else if (strcmp(key, "values") == 0)
            read_numbers(document, &encoding->values);
        else if (strcmp(key, "type") == 0)
            encoding->type = document_integer(document, TYPE_FLOAT, TYPE_LAST_WHOLE, "the type of categories");
        else
            document_skip(document);
}

/* Returns the place of an offset, which is not before the one before it. */
static uint32_t offset_at(const Document *document, const Encoding *encoding, uint32_t i, uint32_t least)
{
    double offset = encoding->offsets.values[i];

    if (!(offset >= least && offset <= encoding->values.count) || offset != floor(offset))
        document_fail(document, "has a category with offset %g among %u bytes", offset, encoding->values.count);
    return (uint32_t)offset;
}

/* Returns a text of bytes begin to end, which may be signed. */
static char *category_text(const Document *document, const Encoding *encoding, uint32_t begin, uint32_t end)
{
    char *text = document->env->alloc(document->env, (size_t)(end - begin) + 1);

    for (uint32_t i = begin; i < end; i++) {
        double byte = encoding->values.values[i];

        if (!(byte >= INT8_MIN && byte <= UINT8_MAX) || byte != floor(byte))
            document_fail(document, "has a byte of %g in a category", byte);
        text[i - begin] = (char)(uint8_t)(int)byte;
    }
    text[end - begin] = 0;
    if (!text_is_valid(document->env, text, end - begin))
        document_fail(document, "has a category that is no valid text");
    return text;
}

/* Returns the texts of categories that are texts. */
static const char **text_categories(const Document *document, const Encoding *encoding, uint32_t count)
{
    const char **texts = env_array(document->env, (size_t)count + 1, sizeof(char *));
    uint32_t begin = offset_at(document, encoding, 0, 0);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = offset_at(document, encoding, i + 1, begin);

        env_poll_rows(document->env, i);
        texts[i] = category_text(document, encoding, begin, end);
        begin = end;
    }
    return texts;
}

/* Returns the texts of categories that are whole numbers; NULL if one has more digits than a double. */
static const char **number_categories(const Document *document, const Encoding *encoding)
{
    const char **texts = env_array(document->env, (size_t)encoding->values.count + 1, sizeof(char *));
    uint32_t bits = 8u << (encoding->type - TYPE_FIRST_WHOLE) / 2;
    bool is_unsigned = (encoding->type - TYPE_FIRST_WHOLE) % 2 == 1;

    for (uint32_t i = 0; i < encoding->values.count; i++) {
        double value = encoding->values.values[i];

        env_poll_rows(document->env, i);
        if (value != floor(value))
            document_fail(document, "has category %g among whole numbers", value);
        value += is_unsigned && value < 0 ? ldexp(1, (int)bits) : 0;
        if (!(fabs(value) < EXACT))
            return NULL;
        texts[i] = env_message(document->env, "%lld", (long long)value);
    }
    return texts;
}

/* Sets what a feature has. */
static void put_feature(const Document *document, const Encoding *encoding, uint32_t *count, const char *const **texts)
{
    *count = encoding->type != 0 ? encoding->values.count : encoding->offsets.count > 0 ? encoding->offsets.count - 1 : 0;
    *texts = NULL;
    if (*count > IMPORT_MOST_LEVELS)
        env_fail(document->env, ERROR_LIMIT, NULL, "a feature of the xgboost document has %u categories; at most %u are read", *count,
                 IMPORT_MOST_LEVELS);
    if (*count == 0)
        return;
    if (encoding->type == 0)
        *texts = text_categories(document, encoding, *count);
    else if (encoding->type >= TYPE_FIRST_WHOLE)
        *texts = number_categories(document, encoding);
    if (*texts == NULL)
        *count = 0;
}

void xgboost_categories(Document *document, XgboostCategories *categories)
{
    char key[DOCUMENT_KEY];
    DocumentList list, features;
    Encoding encoding = {0};
    uint32_t count_room = 0, text_room = 0;

    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);) {
        if (strcmp(key, "enc") != 0) {
            document_skip(document);
            continue;
        }
        categories->features = 0;
        for (document_enter(document, DOCUMENT_ARRAY, &features); document_next(document, &features); categories->features++) {
            if (categories->features == SCHEMA_MAX_SLOTS)
                document_fail(document, "has categories of more than %u features", SCHEMA_MAX_SLOTS);
            read_encoding(document, &encoding);
            categories->counts = env_grow(document->env, categories->counts, categories->features, &count_room, sizeof(uint32_t));
            categories->texts = env_grow(document->env, categories->texts, categories->features, &text_room, sizeof(char **));
            put_feature(document, &encoding, &categories->counts[categories->features], &categories->texts[categories->features]);
        }
    }
}
