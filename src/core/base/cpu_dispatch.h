/*
 * cpu_dispatch.h - kernels compiled once an instruction set, the widest chosen at run time.
 *
 * The includer defines SIMD_FILE, a header of static functions SIMD(name) with the attribute SIMD_TARGET
 * over vectors of LANES doubles, and SIMD_WIDEST, the bits of the widest vectors that may be used (tests
 * force narrower ones). SIMD_CALL(name, arguments) then calls the widest that the processor has;
 * SIMD_CALL_WITHIN(bits, name, arguments) one that is no wider.
 */
#if defined(__x86_64__) && defined(__GNUC__)

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

#define SIMD_CALL_WITHIN(bits, name, ...)                                                        \
    (SIMD_WIDEST >= 512 && (bits) >= 512 && __builtin_cpu_supports("avx512f") &&                 \
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")              \
         ? name##_avx512(__VA_ARGS__)                                                              \
     : SIMD_WIDEST >= 256 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")     \
         ? name##_avx2(__VA_ARGS__)                                                                \
         : name##_base(__VA_ARGS__))
#else
#define SIMD_CALL_WITHIN(bits, name, ...) name##_base(__VA_ARGS__)
#endif
#define SIMD_CALL(name, ...) SIMD_CALL_WITHIN(512, name, __VA_ARGS__)

#define LANES 2
#define SIMD(name) name##_base
#define SIMD_TARGET
#include SIMD_FILE
#undef LANES
#undef SIMD
#undef SIMD_TARGET
