/*
 * host.h - an Env for tests of the core without a server.
 *
 * Every block comes from malloc, so that sanitizers watch its edges, and host_reset frees them all.
 * Errors jump back to the innermost TRY:
 *
 *     Host *host = host_new();
 *     if (TRY(host))
 *         model = model_from_text(&host->env, text, length);
 *     else
 *         puts(host->message);
 */
#ifndef PGFIT_HOST_H
#define PGFIT_HOST_H

#include "core/base/env.h"

#include <setjmp.h>
#include <stdio.h>

typedef struct HostBlock {
    struct HostBlock *previous, *next;
    size_t size;
    size_t padding; /* aligns the memory after it to 16 bytes */
} HostBlock;

typedef struct Host {
    Env env; /* first, so that an Env can be cast to its Host */
    HostBlock blocks;
    size_t bytes;      /* allocated now */
    size_t peak;       /* most since host_reset */
    size_t byte_limit; /* allocating more fails with ERROR_LIMIT; 0: no limit */

    jmp_buf catcher;
    bool catching; /* false: an error ends the program */
    ErrorCode code;
    char message[1024];
    char hint[1024];

    unsigned warnings;
    char warning[1024];
    uint64_t polls;
    uint64_t cancel_at; /* number of the poll that fails like a cancel; 0: none */
    FILE *spill;
    uint64_t spilled; /* end of the temporary file */
} Host;

Host *host_new(void);
/* Frees all blocks and forgets errors and warnings. */
void host_reset(Host *host);
void host_free(Host *host);

/* gcc warns about variables changed between TRY and a failure. Tests do not read them then, or make them volatile. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

/* True at first; false after a failure of what follows. Locals that change in between must be volatile. */
#define TRY(host) ((host)->catching = true, setjmp((host)->catcher) == 0)
#define TRY_END(host) ((void)((host)->catching = false))

#endif
