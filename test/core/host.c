/*
 * host.c - see host.h.
 */
#define _GNU_SOURCE
#include "host.h"
#include "core/base/shared_work.h"
#include "core/base/team.h"
#include "core/rows/rows.h"

#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
extern struct {
    unsigned vendor, type, subtype, features;
} __cpu_model; /* what __builtin_cpu_supports reads */

/* Hides wider vectors than SIMD_BITS of the environment, 128 or 256, from core/base/cpu_dispatch.h. */
__attribute__((constructor)) static void narrow_vectors(void)
{
    const char *text = getenv("SIMD_BITS");
    int bits = text != NULL ? atoi(text) : 512;

    __builtin_cpu_init();
    __cpu_model.features &= ~((bits < 512) * (1u << 15) | (bits < 256) * (1u << 10)); /* AVX-512F is 15, AVX2 10 */
}
#endif

static Host *host_of(Env *env)
{
    return env->host;
}

static void link_block(Host *host, HostBlock *block, size_t size)
{
    block->size = size;
    block->previous = &host->blocks;
    block->next = host->blocks.next;
    block->next->previous = block;
    host->blocks.next = block;
    host->bytes += size;
    if (host->bytes > host->peak)
        host->peak = host->bytes;
}

static void unlink_block(Host *host, HostBlock *block)
{
    block->previous->next = block->next;
    block->next->previous = block->previous;
    host->bytes -= block->size;
}

static void require_room(Host *host, size_t size)
{
    if (host->byte_limit > 0 && (size > host->byte_limit || host->bytes > host->byte_limit - size))
        env_fail(&host->env, ERROR_LIMIT, NULL, "out of memory: %zu bytes more than %zu", size,
                 host->bytes);
}

/* Behind each block, so that a write past its end is noticed without a sanitizer, which looks closer. */
#ifdef __SANITIZE_ADDRESS__
#define GUARD_BYTES 0
static void set_guard(HostBlock *block)
{
    (void)block;
}
static void require_guard(const HostBlock *block)
{
    (void)block;
}
#else
#define GUARD_BYTES 32
static void set_guard(HostBlock *block)
{
    memset((char *)(block + 1) + block->size, 0xA5, GUARD_BYTES);
}

static void require_guard(const HostBlock *block)
{
    const unsigned char *end = (const unsigned char *)(block + 1) + block->size;

    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (end[i] != 0xA5) {
            fprintf(stderr, "something was written behind a block of %zu bytes\n", block->size);
            abort();
        }
    }
}
#endif

static void *host_alloc(Env *env, size_t size)
{
    Host *host = host_of(env);
    HostBlock *block;

    require_room(host, size);
    block = size < SIZE_MAX / 2 ? malloc(sizeof *block + size + GUARD_BYTES) : NULL;
    if (block == NULL)
        env_fail(env, ERROR_LIMIT, NULL, "out of memory: %zu bytes", size);
    link_block(host, block, size);
    memset(block + 1, 0xA5, size < 4096 ? size : 4096); /* so that nothing relies on zeros */
    set_guard(block);
    return block + 1;
}

static void host_release(Env *env, void *data)
{
    HostBlock *block;

    if (data == NULL)
        return;
    block = (HostBlock *)data - 1;
    require_guard(block);
    unlink_block(host_of(env), block);
    free(block);
}

static void *host_resize(Env *env, void *data, size_t size)
{
    void *moved;
    size_t old;

    if (data == NULL)
        return host_alloc(env, size);
    old = ((HostBlock *)data - 1)->size;
    moved = host_alloc(env, size);
    memcpy(moved, data, old < size ? old : size);
    host_release(env, data);
    return moved;
}

static void __attribute__((noreturn)) host_fail(Env *env, ErrorCode code, const char *message,
                                                const char *hint)
{
    Host *host = host_of(env);

    host->code = code;
    snprintf(host->message, sizeof host->message, "%s", message);
    snprintf(host->hint, sizeof host->hint, "%s", hint != NULL ? hint : "");
    if (!host->catching) {
        fprintf(stderr, "error that nobody expected: %s\n", message);
        abort();
    }
    host->catching = false;
    longjmp(host->catcher, 1);
}

static void host_warn(Env *env, ErrorCode code, const char *family, const char *message, const char *hint)
{
    Host *host = host_of(env);

    (void)hint;
    if (code == ERROR_NONE)
        return; /* a notice */
    host->warnings++;
    snprintf(host->warning, sizeof host->warning, "%s", message);
}

static void host_poll(Env *env)
{
    Host *host = host_of(env);

    if (++host->polls == host->cancel_at)
        env_fail(env, ERROR_INTERNAL, NULL, "canceled");
}

static void host_progress(Env *env, const char *phase, uint64_t done, uint64_t total, double loss)
{
    (void)env;
    (void)phase;
    (void)done;
    (void)total;
    (void)loss;
}

static void host_spill_write(Env *env, uint64_t position, const void *data, size_t size)
{
    Host *host = host_of(env);

    if (host->spill == NULL)
        host->spill = tmpfile();
    if (host->spill == NULL || fseeko(host->spill, (off_t)position, SEEK_SET) != 0 ||
        fwrite(data, 1, size, host->spill) != size)
        env_fail(env, ERROR_INTERNAL, NULL, "could not write %zu bytes of a temporary file", size);
    if (position + size > host->spilled)
        host->spilled = position + size;
}

static void host_spill_read(Env *env, uint64_t position, void *data, size_t size)
{
    Host *host = host_of(env);

    if (host->spill == NULL || fseeko(host->spill, (off_t)position, SEEK_SET) != 0 ||
        fread(data, 1, size, host->spill) != size)
        env_fail(env, ERROR_INTERNAL, NULL, "could not read %zu bytes of a temporary file", size);
}

/* Moves something to another place, as to another process. Returns the bytes. */
static uint8_t *host_pack(Env *env, void (*visit)(Pack *pack, void *data), void *data, void **block)
{
    Pack pack = {.env = env, .mode = PACK_MEASURE};

    visit(&pack, data);
    pack = (Pack){.env = env, .mode = PACK_WRITE, .bytes = (uint8_t *)env_aligned(env, pack.size / sizeof(double), block)};
    visit(&pack, data);
    return pack.bytes;
}

/* Does every other task as another process would. */
static void host_share(Env *env, const SharedWork *work)
{
    const SharedKind *kind = work->kind;
    void *other = NULL, *data, *result;
    Pack pack = {.env = env, .mode = PACK_OPEN, .pool = kind->has_rows ? rows_pool(env) : NULL};

    if (work->packs && work->process_room < work->spare / 2 && work->end - work->first > 1) {
        pack.bytes = host_pack(env, kind->pack, work->data, &data);
        other = env_array(env, 1, kind->data_size);
        kind->pack(&pack, other);
        kind->begin(env, other);
    }
    for (uint32_t task = work->first; task < work->end; task++) {
        if (other == NULL || task % 2 == 0) {
            kind->run(work->data, task);
            shared_receive(work, task);
            continue;
        }
        kind->run(other, task);
        pack = (Pack){.env = env, .mode = PACK_OPEN, .bytes = host_pack(env, kind->pack_result, other, &result)};
        kind->pack_result(&pack, work->data);
        env->release(env, result);
        shared_receive(work, task);
    }
}

/* A team of this process and what another one would have. */
typedef struct HostTeam {
    Team team;
    const TeamWork *work;
    void *other;
} HostTeam;

/* Does every other block as another process would. */
static void host_run(Team *team, uint32_t phase, uint32_t blocks)
{
    HostTeam *own = (HostTeam *)team;

    for (uint32_t block = 0; block < blocks; block++)
        own->work->kind->run(block % 2 == 0 ? own->work->data : own->other, block % 2, phase, block);
}

/* Visits what changes, for two processes. */
static void share_changing(Pack *pack, void *data)
{
    const TeamWork *work = data;

    work->kind->share(pack, work->data, 2);
}

/* Does the steps but the first with two processes. */
static void host_team(Env *env, const TeamWork *work)
{
    HostTeam host = {.team.run = host_run, .work = work};
    Pack open = {.env = env, .mode = PACK_OPEN};
    void *fixed = NULL, *changing = NULL;
    uint32_t step = work->first;

    while (step < work->end && work->step(work->owner, host.other != NULL ? &host.team : NULL, step)) {
        step++;
        if (host.other != NULL || !work->pays || step == work->end)
            continue;
        host.other = env_array(env, 1, work->kind->data_size);
        open.bytes = host_pack(env, work->kind->pack, work->data, &fixed);
        work->kind->pack(&open, host.other);
        open = (Pack){.env = env, .mode = PACK_OPEN, .bytes = host_pack(env, share_changing, (void *)work, &changing)};
        work->kind->share(&open, host.other, 2);
        open.size = 0;
        work->kind->share(&open, work->data, 2);
    }
    work->finish(work->owner);
}

Host *host_new(void)
{
    Host *host = calloc(1, sizeof *host);

    if (host == NULL)
        abort();
    host->blocks.previous = host->blocks.next = &host->blocks;
    host->env = (Env){.host = host,
                      .alloc = host_alloc,
                      .resize = host_resize,
                      .release = host_release,
                      .fail = host_fail,
                      .warn = host_warn,
                      .poll = host_poll,
                      .progress = host_progress,
                      .spill_write = host_spill_write,
                      .spill_read = host_spill_read,
                      .share = host_share,
                      .team = host_team,
                      .memory_limit = (size_t)64 << 20};
    return host;
}

void host_reset(Host *host)
{
    HostBlock *block = host->blocks.next;

    while (block != &host->blocks) {
        HostBlock *next = block->next;

        require_guard(block);
        free(block);
        block = next;
    }
    host->blocks.previous = host->blocks.next = &host->blocks;
    host->bytes = host->peak = 0;
    host->catching = false;
    host->message[0] = host->hint[0] = host->warning[0] = '\0';
    host->warnings = 0;
    host->polls = 0;
    if (host->spill != NULL)
        fclose(host->spill);
    host->spill = NULL;
    host->spilled = 0;
}

void host_free(Host *host)
{
    host_reset(host);
    free(host);
}
