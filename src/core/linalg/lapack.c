/*
 * lapack.c - the two runtime symbols that a static LAPACK needs from its host program.
 *
 * OpenBLAS is linked as a static serial archive with hidden symbols. Its LAPACK half is Fortran and
 * needs one function of libgfortran, whose archive cannot be linked into a shared object; its
 * default xerbla_ prints and stops the process.
 */
#include "core/linalg/lapack.h"

#include <string.h>

void xerbla_(const char *name, const int *argument, size_t name_length);
void _gfortran_concat_string(size_t length, char *out, size_t length1, const char *s1,
                             size_t length2, const char *s2);

/* Prints nothing: an illegal argument is a bug in the caller, which gets it reported in info. */
void xerbla_(const char *name, const int *argument, size_t name_length)
{
    (void)name;
    (void)argument;
    (void)name_length;
}

/* Concatenates two strings as Fortran's `//` does, truncated or padded with blanks to length. */
void _gfortran_concat_string(size_t length, char *out, size_t length1, const char *s1,
                             size_t length2, const char *s2)
{
    size_t first = length1 < length ? length1 : length;
    size_t second = length2 < length - first ? length2 : length - first;

    memcpy(out, s1, first);
    memcpy(out + first, s2, second);
    memset(out + first + second, ' ', length - first - second);
}
