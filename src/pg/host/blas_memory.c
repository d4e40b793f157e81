/*
 * blas_memory.c - what OpenBLAS asks of the system, and an error where it gets nothing.
 *
 * OpenBLAS has no error for that: its kernels for small products write to the address 0, and it asks for its buffer again for ever (0.3.21). Both
 * happen where memory is limited, as with vm.overcommit_memory=2. The linker (--wrap, see Makefile) leads its calls here. An error leaves its frames,
 * which hold at most the claim on a buffer that it did not get. test/server/faults.sh lets each call fail.
 */
#include "pg/server/compat.h"

#include <sys/mman.h>

void *__real_malloc(size_t size);
void *__real_mmap(void *place, size_t size, int protection, int flags, int file, off_t at);

void *__wrap_malloc(size_t size);
void *__wrap_mmap(void *place, size_t size, int protection, int flags, int file, off_t at);

static void __attribute__((noreturn)) out_of_memory(size_t size)
{
    ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"), errdetail("OpenBLAS asked for %zu bytes.", size)));
}

void *__wrap_malloc(size_t size)
{
    void *block = __real_malloc(size);

    if (block == NULL)
        out_of_memory(size);
    return block;
}

void *__wrap_mmap(void *place, size_t size, int protection, int flags, int file, off_t at)
{
    void *block = __real_mmap(place, size, protection, flags, file, at);

    if (block == MAP_FAILED)
        out_of_memory(size);
    return block;
}
