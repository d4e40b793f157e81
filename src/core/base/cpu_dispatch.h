/*
 * cpu_dispatch.h - compiles loops once per instruction set and calls the version with the widest vectors that the processor has.
 *
 *     #define SIMD_FILE "core/linalg/gemm_simd.h"
 *     #include "core/base/cpu_dispatch.h"
 *     ...
 *     SIMD_CALL(block, a, rows, packed, columns, width, out, ld);
 *
 * SIMD_FILE holds static functions named SIMD(name), each with the attribute SIMD_TARGET, in plain C over vectors of LANES
 * doubles. It is included three times: for AVX-512, for AVX2 with FMA, and for the base instruction set of the compiler, which
 * is all there is on other machines. SIMD_FUSES is defined where the target makes a * b + c one instruction.
 *
 * Without SIMD_FILE, the header only defines the macros of its first part.
 */
#ifndef PGFIT_CPU_DISPATCH_H
#define PGFIT_CPU_DISPATCH_H

#if defined(__x86_64__) && defined(__GNUC__)
#define CPU_AVX512                                                                                 \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&                    \
     __builtin_cpu_supports("avx512vl"))
#define CPU_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))

/* Calls the version with the widest vectors of at most `bits` bits. */
#define SIMD_CALL_WITHIN(bits, name, ...)                                                          \
    ((bits) >= 512 && CPU_AVX512 ? name##_avx512(__VA_ARGS__)                                      \
     : CPU_AVX2                  ? name##_avx2(__VA_ARGS__)                                        \
                                 : name##_base(__VA_ARGS__))
#else
#define SIMD_CALL_WITHIN(bits, name, ...) name##_base(__VA_ARGS__)
#endif
#define SIMD_CALL(name, ...) SIMD_CALL_WITHIN(512, name, __VA_ARGS__)

/*
 * Permutes lanes with the builtin of the compiler in use: lane i of the result is the lane that the i-th number names, counting
 * the lanes of a from 0 and then those of b. places: a vector type of as many integers, of the same size as the lanes.
 */
#ifdef __clang__
#define SHUFFLE(places, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(places, a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif

#endif

#ifdef SIMD_FILE

#ifdef CPU_AVX2
#define SIMD_FUSES 1

#define LANES 8
#define SIMD(name) name##_avx512
#define SIMD_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#include SIMD_FILE
#undef LANES
#undef SIMD
#undef SIMD_TARGET

#define LANES 4
#define SIMD(name) name##_avx2
#define SIMD_TARGET __attribute__((target("avx2,fma")))
#include SIMD_FILE
#undef LANES
#undef SIMD
#undef SIMD_TARGET
#undef SIMD_FUSES
#endif

#define LANES 2
#define SIMD(name) name##_base
#define SIMD_TARGET
#include SIMD_FILE
#undef LANES
#undef SIMD
#undef SIMD_TARGET

#undef SIMD_FILE
#endif
