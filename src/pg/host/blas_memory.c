/*
 * blas_memory.c - what OpenBLAS asks of the system, and an error where it gets nothing.
 *
 * OpenBLAS has no error for that: its kernels for small products write to the address 0, and it asks for its buffer again for ever (0.3.21). Both
 * happen where memory is limited, as with vm.overcommit_memory=2. The linker (--wrap, see Makefile) leads its calls here. An error leaves its frames.
 * It then counts the buffer that it did not get as in use, and has places for 128: so after a failure this file asks before OpenBLAS does.
 * test/server/faults.sh lets each call fail, and all of them a thousand times.
 */
#include "pg/server/compat.h"

#include <sys/mman.h>

void *__real_malloc(size_t size);
void *__real_mmap(void *place, size_t size, int protection, int flags, int file, off_t at);
void *__real_blas_memory_alloc(int place);

void *__wrap_malloc(size_t size);
void *__wrap_mmap(void *place, size_t size, int protection, int flags, int file, off_t at);
void *__wrap_blas_memory_alloc(int place);

/* Bytes of the buffer that OpenBLAS did not get last; 0: it got it. */
static size_t missing;

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

    missing = block == MAP_FAILED ? size : 0;
    if (missing > 0)
        out_of_memory(size);
    return block;
}

/* Returns a buffer of OpenBLAS. */
void *__wrap_blas_memory_alloc(int place)
{
    if (missing > 0) {
        void *room = __real_mmap(NULL, missing, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (room == MAP_FAILED)
            out_of_memory(missing);
        munmap(room, missing);
        missing = 0;
    }
    return __real_blas_memory_alloc(place);
}
