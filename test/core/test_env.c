/*
 * test_env.c - memory, messages and base64: sizes around the steps of copies and the blocks of an arena, texts cut within a
 * character, the examples of RFC 4648.
 */
#include "check.h"

#include "core/base/arena.h"
#include "core/base/base64.h"

static void test_sizes(void)
{
    char text[ENV_SIZE_TEXT];

    CHECK_TEXT(env_size_text(0, text), "0 kB");
    CHECK_TEXT(env_size_text(1, text), "1 kB");
    CHECK_TEXT(env_size_text(1024, text), "1 kB");
    CHECK_TEXT(env_size_text(1025, text), "2 kB");
    CHECK_TEXT(env_size_text(52428, text), "52 kB");
    CHECK_TEXT(env_size_text(52429, text), "0.1 MB");
    CHECK_TEXT(env_size_text((size_t)5 << 19, text), "2.5 MB");
}

/* Copies and zeros of more than a step poll between steps, and leave what is behind them. */
static void test_memory(Host *host)
{
    enum { STEP = 1 << 20 };
    static const size_t sizes[] = {0, 1, STEP - 1, STEP, STEP + 1, 2 * STEP, 3 * STEP + 5};
    Env *env = &host->env;
    uint32_t room = 0;
    uint32_t *grown = NULL;
    void *block;

    for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
        size_t size = sizes[s], steps = size > 0 ? (size - 1) / STEP : 0;
        char *from = env_array_raw(env, size + 1, 1), *to = env_array_raw(env, size + 1, 1);
        bool same = true;

        for (size_t i = 0; i <= size; i++) {
            from[i] = (char)(i % 251 + 1);
            to[i] = 'x';
        }
        host->polls = 0;
        env_copy(env, to, from, size);
        CHECK_INT(host->polls, steps);
        CHECK(memcmp(to, from, size) == 0 && to[size] == 'x');
        env_zero(env, to, size);
        CHECK_INT(host->polls, 2 * steps);
        for (size_t i = 0; i < size; i++)
            same = same && to[i] == 0;
        CHECK(same && to[size] == 'x');
    }
    for (uint32_t count = 0; count < 1000; count++) {
        grown = env_grow(env, grown, count, &room, sizeof(uint32_t));
        CHECK(room > count && room <= 64 + 2 * count);
        grown[count] = count;
        CHECK(grown[count / 2] == count / 2);
    }
    for (size_t count = 1; count < 20; count++) {
        double *aligned = env_aligned(env, count, &block);

        CHECK((uintptr_t)aligned % ENV_ALIGN == 0 && aligned[0] == 0 && aligned[count - 1] == 0);
        memset(aligned, 1, count * sizeof(double)); /* the guard behind the block is checked with the block */
    }
    CHECK_TEXT(env_text(env, "abcdef", 3), "abc");
    CHECK_FAILS(host, ERROR_LIMIT, "array of 4611686018427387904 elements of 4 bytes", env_array(env, (size_t)1 << 62, 4));
    CHECK_FAILS(host, ERROR_LIMIT, "array of 4611686018427387904 elements of 1 bytes", env_array(env, (size_t)1 << 62, 1));
    room = UINT32_MAX / 2 + 1;
    CHECK_FAILS(host, ERROR_LIMIT, "more than 2147483648 elements", env_grow(env, NULL, room, &room, 1));
    host->byte_limit = (size_t)1 << 30;
    room = UINT32_MAX / 2;
    CHECK_FAILS(host, ERROR_LIMIT, "out of memory", env_grow(env, NULL, room, &room, 1));
    host->byte_limit = 0;
    env->memory_limit = 3 << 20;
    CHECK_WORKS(host, env_require_memory(env, 3 << 20, "this"));
    CHECK_FAILS(host, ERROR_LIMIT, "this would need 3.5 MB, and pgfit.fit_mem allows 3.0 MB", env_require_memory(env, 7 << 19, "this"));
    env->memory_limit = (size_t)64 << 20;
    host_reset(host);
}

/* What is cut in a character loses the whole of it; a warning has the context before it. */
static void test_messages(Host *host)
{
    Env *env = &host->env;
    const char *message = env_message(env, "%.5s|", "ab\xc3\xa9\xe2\x82\xac");

    CHECK_TEXT(message, "ab\xc3\xa9|");
    CHECK_TEXT(env_message(env, "%.4s|%d", "ab\xc3\xa9", 7), "ab\xc3\xa9|7");
    CHECK_INT(strlen(env_message(env, "%0500d", 1)), 199);
    env->foreign_text = true;
    CHECK_TEXT(env_message(env, "%.3s|", "ab\xc3\xa9"), "ab\xc3|");
    env->foreign_text = false;
    env->context = "while fold 3 was held out";
    env_warn(env, ERROR_DATA, NULL, "%d rows", 5);
    CHECK_TEXT(host->warning, "while fold 3 was held out: 5 rows");
    env_warn(env, ERROR_DATA, NULL, "%02000d", 5);
    CHECK(strlen(host->warning) == 1023 && strncmp(host->warning, "while fold 3 was held out: 000", 30) == 0);
    CHECK_FAILS(host, ERROR_DATA, "while fold 3 was held out: no rows", env_fail(env, ERROR_DATA, NULL, "no rows"));
    env->context = NULL;
    host_reset(host);
}

/* Pieces of an arena are zeroed, aligned and apart, and large ones get a block of their own. */
static void test_arena(Host *host)
{
    enum { PIECES = 3000 };
    static unsigned char *pieces[PIECES];
    static size_t sizes[PIECES];
    Arena arena = {.env = &host->env};
    bool fine = true;
    size_t before;

    arena_take(&arena, 8);
    before = arena.bytes;
    CHECK(arena.left % 8 == 0 && arena.left > 60000);
    arena_take(&arena, arena.left - 16);
    arena_take(&arena, 9); /* 16, which is what is left */
    CHECK(arena.bytes == before && arena.left == 0);
    arena_clear(&arena);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < PIECES; i++) {
            sizes[i] = i == 1000 ? 200000 : 1 + i % 97;
            pieces[i] = arena_take(&arena, sizes[i]);
            fine = fine && (uintptr_t)pieces[i] % 8 == 0;
            for (size_t k = 0; k < sizes[i]; k++)
                fine = fine && pieces[i][k] == 0;
            memset(pieces[i], 1 + (int)(i % 255), sizes[i]);
        }
        for (uint32_t i = 0; i < PIECES; i++)
            for (size_t k = 0; k < sizes[i]; k++)
                fine = fine && pieces[i][k] == 1 + i % 255;
        CHECK(fine && arena.bytes == host->bytes && arena.bytes > 200000 && arena.bytes < 700000);
        arena_clear(&arena);
        CHECK(arena.bytes == 0 && arena.block == NULL);
        CHECK_INT(host->bytes, 0);
    }
}

static void test_base64(void)
{
    static const char *const examples[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    uint8_t bytes[64], back[66];
    char text[96];
    size_t count;

    for (int i = 0; i < 7; i++) {
        memset(text, 0, sizeof(text));
        base64_encode((const uint8_t *)examples[i][0], strlen(examples[i][0]), text);
        CHECK_TEXT(text, examples[i][1]);
    }
    for (size_t length = 0; length <= 64; length++) {
        size_t digits = (length + 2) / 3 * 4;

        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)(i * 37 + length * 101);
        memset(text, '~', sizeof(text));
        base64_encode(bytes, length, text);
        CHECK(text[digits] == '~');
        CHECK(base64_decode(text, digits, back, &count) && count == length && memcmp(back, bytes, length) == 0);
        for (size_t cut = 1; cut < 4 && digits > 0; cut++)
            CHECK(!base64_decode(text, digits - cut, back, &count));
    }
    for (int c = 0; c < 256; c++) { /* the alphabet, and nothing else */
        const char one[4] = {'A', (char)c, 'A', 'A'};
        const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", *at = c > 0 ? strchr(digits, c) : NULL;

        CHECK(base64_decode(one, 4, back, &count) == (at != NULL));
        CHECK(at == NULL || (count == 3 && back[0] == (at - digits) >> 4 && back[1] == ((at - digits) & 15) << 4 && back[2] == 0));
    }
    CHECK(!base64_decode("Zh==", 4, back, &count) && !base64_decode("Zm9=", 4, back, &count) && !base64_decode("Z===", 4, back, &count));
    CHECK(!base64_decode("Zg==Zg==", 8, back, &count));
}

int main(void)
{
    Host *host = host_new();

    test_sizes();
    test_memory(host);
    test_messages(host);
    test_arena(host);
    test_base64();
    host_free(host);
    return check_report();
}
