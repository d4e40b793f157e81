/*
 * instruction_sets.h - kernels compiled once an instruction set, the widest chosen at run time.
 *
 * The includer defines KERNEL_FILE, a header of static functions KERNEL(name) with the attribute KERNEL_TARGET
 * over vectors of LANES doubles, and KERNEL_WIDEST, the bits of the widest vectors that may be used (tests
 * force narrower ones). KERNEL_CALL(name, arguments) then calls the widest that the processor has;
 * KERNEL_CALL_WITHIN(bits, name, arguments) one that is no wider.
 */
#if defined(__x86_64__) && defined(__GNUC__)

#define LANES 8
#define KERNEL(name) name##_avx512
#define KERNEL_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#include KERNEL_FILE
#undef LANES
#undef KERNEL
#undef KERNEL_TARGET

#define LANES 4
#define KERNEL(name) name##_avx2
#define KERNEL_TARGET __attribute__((target("avx2,fma")))
#include KERNEL_FILE
#undef LANES
#undef KERNEL
#undef KERNEL_TARGET

#define KERNEL_CALL_WITHIN(bits, name, ...)                                                        \
    (KERNEL_WIDEST >= 512 && (bits) >= 512 && __builtin_cpu_supports("avx512f") &&                 \
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")              \
         ? name##_avx512(__VA_ARGS__)                                                              \
     : KERNEL_WIDEST >= 256 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")     \
         ? name##_avx2(__VA_ARGS__)                                                                \
         : name##_base(__VA_ARGS__))
#else
#define KERNEL_CALL_WITHIN(bits, name, ...) name##_base(__VA_ARGS__)
#endif
#define KERNEL_CALL(name, ...) KERNEL_CALL_WITHIN(512, name, __VA_ARGS__)

#define LANES 2
#define KERNEL(name) name##_base
#define KERNEL_TARGET
#include KERNEL_FILE
#undef LANES
#undef KERNEL
#undef KERNEL_TARGET
