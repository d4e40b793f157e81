/*
 * check.h - assertions for the unit tests of the core. Each is counted; one that fails prints, and the test continues.
 * End main with `return check_report();`.
 */
#ifndef PGFIT_CHECK_H
#define PGFIT_CHECK_H

#include "host.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static unsigned checks_passed, checks_failed;

/* Counts one check, and prints what is wrong if it failed. */
__attribute__((format(printf, 4, 5))) static inline bool check_that(bool fine, const char *file,
                                                                    int line, const char *format,
                                                                    ...)
{
    if (fine) {
        checks_passed++;
        return true;
    }
    checks_failed++;
    printf("%s:%d: ", file, line);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    return false;
}

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, "not true: %s", #condition)

#define CHECK_INT(found, expected)                                                                 \
    do {                                                                                           \
        long long found_ = (long long)(found), expected_ = (long long)(expected);                  \
        check_that(found_ == expected_, __FILE__, __LINE__, "%s is %lld, not %lld", #found,        \
                   found_, expected_);                                                             \
    } while (0)

/* Checks that two numbers are within a tolerance, relative to the expected one if that is above 1. */
#define CHECK_NEAR(found, expected, tolerance)                                                     \
    do {                                                                                           \
        double found_ = (found), expected_ = (expected);                                           \
        double scale_ = fabs(expected_) > 1 ? fabs(expected_) : 1;                                 \
        check_that(fabs(found_ - expected_) <= (tolerance)*scale_, __FILE__, __LINE__,             \
                   "%s is %.17g, not %.17g", #found, found_, expected_);                           \
    } while (0)

#define CHECK_TEXT(found, expected)                                                                \
    do {                                                                                           \
        const char *found_ = (found), *expected_ = (expected);                                     \
        check_that(found_ != NULL && strcmp(found_, expected_) == 0, __FILE__, __LINE__,           \
                   "%s is\n    %s\nnot\n    %s", #found, found_ ? found_ : "(null)", expected_);   \
    } while (0)

/* Checks that a message contains these words. */
#define CHECK_HOLDS(found, words)                                                                  \
    do {                                                                                           \
        const char *found_ = (found);                                                              \
        check_that(found_ != NULL && strstr(found_, (words)) != NULL, __FILE__, __LINE__,          \
                   "%s is\n    %s\nwithout\n    %s", #found, found_ ? found_ : "(null)", (words)); \
    } while (0)

/* Checks that a statement fails with this code and with a message that contains these words. */
#define CHECK_FAILS(host, error_code, words, ...)                                                  \
    do {                                                                                           \
        if (TRY(host)) {                                                                           \
            __VA_ARGS__;                                                                           \
            TRY_END(host);                                                                         \
            check_that(false, __FILE__, __LINE__, "no error from %s", #__VA_ARGS__);               \
        } else if (check_that((host)->code == (error_code), __FILE__, __LINE__,                    \
                              "error code %d, not %s: %s", (int)(host)->code, #error_code,         \
                              (host)->message)) {                                                  \
            CHECK_HOLDS((host)->message, words);                                                   \
        }                                                                                          \
    } while (0)

/* The same for any code; frees what the statement left. */
#define CHECK_REFUSED(host, words, ...)                                                            \
    do {                                                                                           \
        if (TRY(host)) {                                                                           \
            __VA_ARGS__;                                                                           \
            check_that(false, __FILE__, __LINE__, "no error from %s", #__VA_ARGS__);               \
        } else {                                                                                   \
            CHECK_HOLDS((host)->message, words);                                                   \
        }                                                                                          \
        TRY_END(host);                                                                             \
        host_reset(host);                                                                          \
    } while (0)

/*
 * Cancels a statement at polls 1, 1 + step ... below most, and checks that it does not poll again. Each time it resets the
 * host, which frees all that was allocated before: the statement makes what it needs.
 */
#define CHECK_CANCELS(host, most, step, ...)                                                       \
    do {                                                                                           \
        for (uint64_t at_ = 1; at_ < (most); at_ += (step)) {                                      \
            (host)->polls = 0;                                                                     \
            (host)->cancel_at = at_;                                                               \
            if (TRY(host))                                                                         \
                __VA_ARGS__;                                                                       \
            TRY_END(host);                                                                         \
            CHECK((host)->polls <= at_);                                                           \
            host_reset(host);                                                                      \
        }                                                                                          \
        (host)->cancel_at = 0;                                                                     \
    } while (0)

/* Checks that a statement does not fail. */
#define CHECK_WORKS(host, ...)                                                                     \
    do {                                                                                           \
        if (TRY(host)) {                                                                           \
            __VA_ARGS__;                                                                           \
            TRY_END(host);                                                                         \
        } else {                                                                                   \
            check_that(false, __FILE__, __LINE__, "%s: %s", #__VA_ARGS__, (host)->message);        \
        }                                                                                          \
    } while (0)

static inline int check_report(void)
{
    printf("%u passed, %u failed\n", checks_passed, checks_failed);
    return checks_failed > 0;
}

#endif
