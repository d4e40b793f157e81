/*
 * shared_work.c - packs data for another process; does tasks in this one.
 */
#include "core/base/shared_work.h"

#include <string.h>

/* Returns where the next `size` bytes are, on a boundary; NULL while measuring. */
static uint8_t *next_bytes(Pack *pack, size_t size)
{
    uint8_t *bytes = pack->bytes == NULL ? NULL : pack->bytes + pack->size;

    pack->size += (size + ENV_ALIGN - 1) / ENV_ALIGN * ENV_ALIGN;
    return bytes;
}

void pack_value(Pack *pack, void *value, size_t size)
{
    uint8_t *bytes = next_bytes(pack, size);

    if (pack->mode == PACK_WRITE)
        memcpy(bytes, value, size);
    else if (pack->mode == PACK_OPEN)
        memcpy(value, bytes, size);
}

void pack_array(Pack *pack, void *place, size_t count, size_t size)
{
    void *array;
    uint8_t *bytes;

    memcpy(&array, place, sizeof array);
    if (array == NULL)
        return;
    bytes = next_bytes(pack, count * size);
    if (pack->mode == PACK_WRITE)
        env_copy(pack->env, bytes, array, count * size);
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
    memcpy(own, array, count * size);
    memcpy(place, &own, sizeof own);
}

void shared_work_here(const SharedWork *work, uint32_t task)
{
    work->kind->run(work->data, task);
    work->receive(work->receiver, task);
}

void shared_work(Env *env, const SharedWork *work)
{
    if (env->share != NULL) {
        env->share(env, work);
        return;
    }
    for (uint32_t task = work->first; task < work->end; task++)
        shared_work_here(work, task);
}
