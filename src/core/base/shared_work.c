/*
 * shared_work.c - packs data for another process; does tasks and steps in this one.
 */
#include "core/base/shared_work.h"
#include "core/base/team.h"

#include <string.h>

uint8_t *pack_bytes(Pack *pack, size_t size)
{
    uint8_t *bytes = pack->bytes == NULL ? NULL : pack->bytes + pack->size;

    pack->size += (size + ENV_ALIGN - 1) / ENV_ALIGN * ENV_ALIGN;
    return bytes;
}

void pack_value(Pack *pack, void *value, size_t size)
{
    uint8_t *bytes = pack_bytes(pack, size);

    if (size == 0)
        return;
    if (pack->mode == PACK_WRITE)
        memcpy(bytes, value, size);
    else if (pack->mode == PACK_OPEN)
        memcpy(value, bytes, size);
}

void pack_array_if(Pack *pack, bool there, void *place, size_t count, size_t size)
{
    uint8_t *bytes = there ? pack_bytes(pack, count * size) : NULL;
    void *array;

    memcpy(&array, place, sizeof array);
    if (there && count * size > 0 && pack->mode == PACK_WRITE)
        env_copy(pack->env, bytes, array, count * size);
    else if (pack->mode == PACK_OPEN)
        memcpy(place, &bytes, sizeof bytes);
}

void pack_array(Pack *pack, void *place, size_t count, size_t size)
{
    void *array;

    memcpy(&array, place, sizeof array);
    pack_array_if(pack, array != NULL, place, count, size);
}

void pack_zeros(Pack *pack, void *place, size_t count, size_t size)
{
    uint8_t *bytes = pack_bytes(pack, count * size);

    if (pack->mode == PACK_WRITE)
        env_zero(pack->env, bytes, count * size);
    else if (pack->mode == PACK_OPEN)
        memcpy(place, &bytes, sizeof bytes);
}

void pack_structures(Pack *pack, void *place, size_t count, size_t size)
{
    void *array, *own;

    pack_array(pack, place, count, size);
    if (pack->mode != PACK_OPEN)
        return;
    memcpy(&array, place, sizeof array);
    if (array == NULL)
        return;
    own = env_array(pack->env, count, size);
    if (count > 0)
        memcpy(own, array, count * size);
    memcpy(place, &own, sizeof own);
}

void shared_work(Env *env, const SharedWork *work)
{
    if (env->share != NULL) {
        env->share(env, work);
        return;
    }
    for (uint32_t task = work->first; task < work->end; task++) {
        work->kind->run(work->data, task);
        shared_receive(work, task);
    }
}

void team_work(Env *env, const TeamWork *work)
{
    if (env->team != NULL) {
        env->team(env, work);
        return;
    }
    for (uint32_t step = work->first; step < work->end && work->step(work->owner, NULL, step);)
        step++;
    work->finish(work->owner);
}
