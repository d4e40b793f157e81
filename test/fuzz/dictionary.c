/*
 * dictionary.c - writes the dictionary of the fuzzers: the names of estimators and of the arrays that they declare.
 */
#include "core/estimator/estimator.h"

#include <stdio.h>

int main(void)
{
    for (const Estimator *const *estimator = estimators; *estimator != NULL; estimator++) {
        printf("\"%s\"\n", (*estimator)->name);
        for (const ArrayTable *table = (*estimator)->arrays; table != NULL && table->specs != NULL; table++)
            for (const ArraySpec *spec = table->specs; spec->name[0] != '\0'; spec++)
                printf("\"%s\"\n", spec->name);
    }
    return 0;
}
