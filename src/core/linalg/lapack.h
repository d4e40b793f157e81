/*
 * lapack.h - the Fortran entry points of OpenBLAS that the core calls, and nothing else of it.
 *
 * Integers have 32 bits, arguments are passed by reference, hidden lengths of strings come last. Callers cut level-3 calls to
 * 2e8 flops and poll between them. xerbla_ is our own (lapack.c).
 */
#ifndef PGFIT_LAPACK_H
#define PGFIT_LAPACK_H

#include <stddef.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc, size_t,
            size_t);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b,
            const int *ldb, size_t, size_t, size_t, size_t);

/* Singular values of a bidiagonal matrix (svd.c). */
void dbdsdc_(const char *uplo, const char *compq, const int *n, double *d, double *e, double *u,
             const int *ldu, double *vt, const int *ldvt, double *q, int *iq, double *work, int *iwork,
             int *info, size_t, size_t);

/* Symmetric eigenproblems (eigen.c). */
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
             const double *a, const int *lda, const double *b, const int *ldb, const double *beta,
             double *c, const int *ldc, size_t, size_t);
void dlatrd_(const char *uplo, const int *n, const int *nb, double *a, const int *lda, double *e,
             double *tau, double *w, const int *ldw, size_t);
void dsytd2_(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e,
             double *tau, int *info, size_t);
void dlarft_(const char *direct, const char *storev, const int *n, const int *k, const double *v,
             const int *ldv, const double *tau, double *t, const int *ldt, size_t, size_t);
void dlarfb_(const char *side, const char *trans, const char *direct, const char *storev, const int *m,
             const int *n, const int *k, const double *v, const int *ldv, const double *t,
             const int *ldt, double *c, const int *ldc, double *work, const int *ldwork, size_t,
             size_t, size_t, size_t);
void dsterf_(const int *n, double *d, double *e, int *info);
void dstedc_(const char *compz, const int *n, double *d, double *e, double *z, const int *ldz,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t);
void dstemr_(const char *jobz, const char *range, const int *n, double *d, double *e,
             const double *vl, const double *vu, const int *il, const int *iu, int *m, double *w,
             double *z, const int *ldz, const int *nzc, int *isuppz, int *tryrac, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);

#endif
