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
            for (uint32_t i = 0; i < table->count; i++)
                printf("\"%s\"\n", table->specs[i].name);
    }
    printf("\"formula\"\n\"formula_inputs\"\n\"formula_parameters\"\n\"deferred\"\n");
    return 0;
}
