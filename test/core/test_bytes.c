/* test_bytes.c - equality and hashes of short strings, and levels found by their last bytes. */
#include "check.h"
#include "fit.h"
#include "core/base/arena.h"
#include "core/model/schema.h"

#define LONGEST 40

/* Strings of every length at every alignment: the bytes before and after them make no difference. */
static void test_strings(Host *host)
{
    char a[8 + 8 + LONGEST], b[8 + 8 + LONGEST];

    (void)host;
    for (uint32_t length = 0; length <= LONGEST; length++) {
        for (uint32_t shift = 0; shift < 8; shift++) {
            char *left = a + 8 + shift, *right = b + 8 + 7 - shift;

            memset(a, 'p', sizeof a);
            memset(b, 'q', sizeof b);
            for (uint32_t i = 0; i < length; i++)
                left[i] = right[i] = (char)(i * 37 + length);
            CHECK(bytes_same(left, right, length));
            CHECK(bytes_tail(left, length) == bytes_tail(right, length));
            CHECK(bytes_place(left, length, 9) == bytes_place(right, length, 9));
            CHECK(bytes_place(left, length, 9) < 512);
            for (uint32_t i = 0; i < length; i++) {
                right[i] ^= 1;
                CHECK(!bytes_same(left, right, length));
                CHECK((bytes_tail(left, length) == bytes_tail(right, length)) == (i + 8 < length));
                right[i] ^= 1;
            }
        }
    }
}

/* Levels that share their last bytes, their length or nothing: each is found only at its own position. */
static void test_levels(Host *host)
{
    static const FieldKind kinds[] = {FIELD_CATEGORICAL, FIELD_CATEGORICAL};
    static const char *const levels[] = {"", "a", "b", "ab", "12345678", "x12345678", "y12345678", "xx12345678", "0123456789abcdef", "1123456789abcdef"};
    const uint32_t count = sizeof levels / sizeof *levels;
    SchemaSpec spec = {.field_count = 2, .kinds = kinds};
    Env *env = &host->env;
    Dictionary dictionary;
    SchemaView view;
    Model *state;
    uint32_t position;

    state = schema_model(env, &spec);
    for (uint32_t i = 0; i < 2 * count; i++) {
        Model *before = state;

        state = dictionary_add(env, state, DICTIONARY_LEVELS, i % 2, levels[i / 2], (uint32_t)strlen(levels[i / 2]), false,
                               0, &position);
        CHECK_INT(position, i);
        if (state != before)
            env->release(env, before);
    }
    state = dictionary_add(env, state, DICTIONARY_LEVELS, 0, "", 0, true, 0, &position);
    schema_view(state, &view);
    dictionary_open(state, &view, DICTIONARY_LEVELS, &dictionary);
    for (uint32_t i = 0; i < 2 * count; i++) {
        char copy[32] = "........";
        char *bytes = copy + 8;
        uint32_t length = (uint32_t)strlen(levels[i / 2]);

        memcpy(bytes, levels[i / 2], length);
        for (uint32_t at = 0; at < 2 * count + 3; at++) {
            CHECK(dictionary_matches(&dictionary, at, i % 2, bytes, length, bytes_tail(bytes, length)) == (at == i));
        }
    }
}

/* Messages that show the first bytes of a text show no half of a character: clients refuse those. */
static void test_messages_without_half_characters(Host *host)
{
    static char context[2000];
    Env *env = &host->env;

    CHECK_TEXT(env_message(env, "\"%.4s\" is unknown", "caf\u00e9"), "\"caf\" is unknown");
    CHECK_TEXT(env_message(env, "\"%.5s\" is unknown", "caf\u00e9"), "\"caf\u00e9\" is unknown");
    CHECK_TEXT(env_message(env, "\"%.3s\", \"%.2s\"", "\U0001f600", "\u20ac"), "\"\", \"\"");
    env->foreign_text = true;
    CHECK_TEXT(env_message(env, "\"%s\"", "caf\xe9"), "\"caf\xe9\"");
    env->foreign_text = false;
    /* a context that fills the message leaves no room for more */
    memset(context, 'c', sizeof context - 1);
    env->context = context;
    CHECK_FAILS(host, ERROR_DATA, "ccc", env_fail(env, ERROR_DATA, NULL, "problem"));
    CHECK(strlen(host->message) == sizeof host->message - 1 && strchr(host->message, 'p') == NULL);
    env->context = NULL;
}

/* Memory of an arena is zero and apart, also where a piece is larger than a block. */
static void test_arena(Host *host)
{
    static const size_t sizes[] = {1, 100, 65536, 65537, 8, 200000, 8};
    Arena arena = {.env = &host->env};
    size_t before = host->bytes;
    char *pieces[sizeof sizes / sizeof *sizes];

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pieces[i] = arena_take(&arena, sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++)
            if (!CHECK(pieces[i][k] == 0))
                break;
        memset(pieces[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        CHECK(pieces[i][0] == (char)(i + 1) && pieces[i][sizes[i] - 1] == (char)(i + 1));
    arena_clear(&arena);
    CHECK(host->bytes == before && arena.bytes == 0);
}

int main(void)
{
    Host *host = host_new();

    CHECK_WORKS(host, test_strings(host));
    CHECK_WORKS(host, test_levels(host));
    CHECK_WORKS(host, test_messages_without_half_characters(host));
    CHECK_WORKS(host, test_arena(host));
    host_free(host);
    return check_report();
}
