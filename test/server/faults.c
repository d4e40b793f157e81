/*
 * faults.c - makes one call of the system fail: the n-th that asks for memory, or that writes to or reads from a temporary
 * file of the server.
 *
 * The server starts with the library in LD_PRELOAD, so its functions stand before those of the C library; the test calls the SQL functions of the
 * same library. Memory contexts ask for blocks, not for each piece, so a statement has as many such calls as it has blocks.
 */
#define _GNU_SOURCE
#include "postgres.h"

#include "fmgr.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

PG_MODULE_MAGIC;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static enum { NOTHING, MEMORY, WRITES, READS, MAPS } kind;
static int64 left; /* calls until the one that fails */
static bool failed;

static bool fails_now(int of)
{
    if (likely(kind != of) || --left > 0)
        return false;
    kind = NOTHING;
    failed = true;
    return true;
}

void *malloc(size_t size)
{
    return fails_now(MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails_now(MEMORY) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return fails_now(MEMORY) ? NULL : __libc_realloc(block, size);
}

/* OpenBLAS maps its buffers. */
void *mmap(void *place, size_t size, int protection, int flags, int file, off_t at)
{
    failed = failed || (file < 0 && kind == MAPS);
    if (file < 0 && (kind == MAPS || fails_now(MEMORY))) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, place, size, protection, flags, file, at);
}

static bool is_temporary(int file)
{
    char link[64], path[1024];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = 0;
    return strstr(path, "pgsql_tmp") != NULL;
}

/* Tells whether this call on a file fails, and sets errno. */
static bool file_fails(int file, int of)
{
    if (likely(kind != of) || !is_temporary(file) || !fails_now(of))
        return false;
    errno = of == WRITES ? ENOSPC : EIO;
    return true;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    return file_fails(file, WRITES) ? -1 : syscall(SYS_pwrite64, file, bytes, size, at);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at)
{
    return file_fails(file, WRITES) ? -1 : syscall(SYS_pwritev, file, parts, count, at, 0);
}

ssize_t pread(int file, void *bytes, size_t size, off_t at)
{
    return file_fails(file, READS) ? -1 : syscall(SYS_pread64, file, bytes, size, at);
}

ssize_t preadv(int file, const struct iovec *parts, int count, off_t at)
{
    return file_fails(file, READS) ? -1 : syscall(SYS_preadv, file, parts, count, at, 0);
}

PG_FUNCTION_INFO_V1(fault_begin);
/* fault_begin(kind int, n bigint): the n-th call from now on fails. 1: for memory, 2: writes, 3: reads, 4: every
 * map from now on. */
Datum fault_begin(PG_FUNCTION_ARGS)
{
    failed = false;
    left = PG_GETARG_INT64(1);
    kind = PG_GETARG_INT32(0);
    PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(fault_end);
/* fault_end(): tells whether it failed, and lets all calls work again. */
Datum fault_end(PG_FUNCTION_ARGS)
{
    kind = NOTHING;
    PG_RETURN_BOOL(failed);
}
