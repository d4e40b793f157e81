/*
 * link_function.h - the functions that turn the score of a linear equation into a mean (McCullagh & Nelder 1989).
 */
#ifndef PGFIT_LINK_FUNCTION_H
#define PGFIT_LINK_FUNCTION_H

#include "core/model/model.h"

typedef struct LinkFunction {
    const char *name;
    bool bounded;  /* means are between 0 and 1 */
    bool positive; /* scores of a fit are above 0 */
    double (*link)(double mean);   /* returns the score; no finite number where there is none */
    double (*mean)(double score);  /* no finite number where there is none */
    double (*slope)(double score); /* of the mean */
    /* An expression of the mean: what comes before the score and after it; NULL: there is none. bounds: it has least() or greatest(), which hide a NULL. */
    const char *before, *after;
    bool bounds;
} LinkFunction;

/* Models keep the position of their link: new ones go to the end. */
#define LINK_FUNCTIONS 9
extern const LinkFunction link_functions[LINK_FUNCTIONS];
/* Their names, NULL-terminated, for an option. */
extern const char *const link_names[];
/* Returns the link of this name, which is one of link_names. */
const LinkFunction *link_find(const char *name);

/* Returns the link of a checked generalized linear model, array glm_link I64[1]: its position; NULL: it is another model. */
const LinkFunction *link_of_model(const Model *model);

#endif
