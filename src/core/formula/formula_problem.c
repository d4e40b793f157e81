/*
 * formula_problem.c - keeps the first thing that is wrong with a formula, so that readers of stored ones can return it and others fail.
 */
#include "core/formula/formula_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool formula_problem(FormulaProblem *problem, ErrorCode code, const char *hint, const char *format, ...)
{
    char message[512];
    va_list arguments;

    if (problem->found)
        return false;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    problem->found = true;
    problem->code = code;
    problem->message = env_text(problem->env, message, strlen(message));
    problem->hint = hint;
    return false;
}

void formula_fail(const FormulaProblem *problem)
{
    if (problem->found)
        env_fail(problem->env, problem->code, problem->hint, "%s", problem->message);
}

void *formula_grow(Env *env, void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room > 0 ? 2 * *room : 8;
    return env->resize(env, array, *room * size);
}
