/*
 * env.c - formatted errors, and memory with checks for overflow, on top of a host's Env.
 */
#include "core/base/env.h"
#include "core/base/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_SIZE 1024
#define MEGABYTE (1024.0 * 1024.0)

/* Removes what the precision of a %.60s left of a character that it cut, because clients refuse half of one. */
static void drop_half_characters(char *text)
{
    char *to = text, *end = text + strlen(text);

    while (text < end) {
        size_t length = utf8_sequence((const unsigned char *)text, (size_t)(end - text));

        for (size_t i = 0; i < length; i++)
            *to++ = text[i];
        text += length > 0 ? length : 1;
    }
    *to = '\0';
}

/* Formats a message into size bytes, after the context of the Env if `context`. A longer one is cut. */
static void __attribute__((format(printf, 5, 0)))
print_message(Env *env, bool context, char *message, size_t size, const char *format, va_list arguments)
{
    size_t used = context && env->context != NULL ? (size_t)snprintf(message, size, "%s: ", env->context) : 0;

    if (used < size)
        vsnprintf(message + used, size - used, format, arguments);
    if (!env->foreign_text)
        drop_half_characters(message);
}

const char *env_message(Env *env, const char *format, ...)
{
    const size_t size = 200;
    char *message = env->alloc(env, size);
    va_list arguments;

    va_start(arguments, format);
    print_message(env, false, message, size, format, arguments);
    va_end(arguments);
    return message;
}

void env_fail(Env *env, ErrorCode code, const char *hint, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    print_message(env, true, message, sizeof message, format, arguments);
    va_end(arguments);
    env->sql_columns = NULL;
    env->sql_offset = NULL;
    env->fail(env, code, message, hint);
}

void env_warn(Env *env, ErrorCode code, const char *hint, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    print_message(env, true, message, sizeof message, format, arguments);
    va_end(arguments);
    env->warn(env, code, format, message, hint);
}

void *env_array_raw(Env *env, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4)
        env_fail(env, ERROR_LIMIT, NULL, "an array of %zu elements of %zu bytes is too large",
                 count, size);
    return env->alloc(env, bytes > 0 ? bytes : 1);
}

void *env_grow(Env *env, void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    if (count > UINT32_MAX / 2)
        env_fail(env, ERROR_LIMIT, NULL, "an array of more than %u elements is too large", count);
    *room = count < 32 ? 64 : 2 * count;
    return env->resize(env, array, *room * size);
}

/* Polls in between, because first use of new memory takes longer than the copying. */
#define COPY_STEP ((size_t)1 << 20)

void env_copy(Env *env, void *to, const void *from, size_t size)
{
    for (size_t done = 0, step; done < size; done += step) {
        step = size - done < COPY_STEP ? size - done : COPY_STEP;
        if (done > 0)
            env->poll(env);
        memcpy((char *)to + done, (const char *)from + done, step);
    }
}

void env_zero(Env *env, void *to, size_t size)
{
    for (size_t done = 0, step; done < size; done += step) {
        step = size - done < COPY_STEP ? size - done : COPY_STEP;
        if (done > 0)
            env->poll(env);
        memset((char *)to + done, 0, step);
    }
}

void *env_array(Env *env, size_t count, size_t size)
{
    void *array = env_array_raw(env, count, size);

    env_zero(env, array, count * size);
    return array;
}

char *env_text(Env *env, const char *text, size_t length)
{
    char *copy = env_array_raw(env, length + 1, 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static double *align(void *memory)
{
    return (double *)((char *)memory + (ENV_ALIGN - (uintptr_t)memory % ENV_ALIGN) % ENV_ALIGN);
}

double *env_aligned(Env *env, size_t count, void **block)
{
    return align(*block = env_array(env, count + ENV_ALIGN / sizeof(double), sizeof(double)));
}

double *env_aligned_raw(Env *env, size_t count, void **block)
{
    return align(*block = env_array_raw(env, count + ENV_ALIGN / sizeof(double), sizeof(double)));
}

const char *env_size_text(size_t bytes, char buffer[ENV_SIZE_TEXT])
{
    if ((double)bytes < 0.05 * MEGABYTE) /* 0.0 MB would say nothing */
        snprintf(buffer, ENV_SIZE_TEXT, "%zu kB", (bytes + 1023) / 1024);
    else
        snprintf(buffer, ENV_SIZE_TEXT, "%.1f MB", (double)bytes / MEGABYTE);
    return buffer;
}

void env_require_memory(Env *env, size_t needed, const char *what)
{
    char need[ENV_SIZE_TEXT], limit[ENV_SIZE_TEXT];

    if (needed > env->memory_limit)
        env_fail(env, ERROR_LIMIT, "Set pgfit.fit_mem higher, or fit on fewer rows or features.",
                 "%s would need %s, and pgfit.fit_mem allows %s", what, env_size_text(needed, need),
                 env_size_text(env->memory_limit, limit));
}
