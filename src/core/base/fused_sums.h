/*
 * fused_sums.h - lets the rest of a file use fused multiply-adds; everything else is compiled with -ffp-contract=off. Only for fits, whose
 * results are the same on one machine, but may differ in the last bits between machines. Include it after other headers.
 */
#if defined(__clang__)
#pragma clang fp contract(fast)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast,no-trapping-math,no-math-errno")
#endif
