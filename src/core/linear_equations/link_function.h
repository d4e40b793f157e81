/*
 * link_function.h - the functions that turn the score of a linear equation into a mean (McCullagh & Nelder 1989).
 */
#ifndef PGFIT_LINK_FUNCTION_H
#define PGFIT_LINK_FUNCTION_H

#include "core/base/text_buffer.h"
#include "core/model/model.h"

typedef struct LinkFunction {
    const char *name;
    bool bounded;  /* means are between 0 and 1 */
    bool positive; /* scores of a fit are above 0 */
    bool growth;   /* the mean is its own slope */
    double (*link)(double mean);   /* returns the score; no finite number where there is none. NULL: it needs the power, as the next two */
    double (*mean)(double score);  /* no finite number where there is none */
    double (*slope)(double score); /* of the mean */
    /* An expression of the mean: what comes before the score and after it; NULL: there is none, or it needs the power. bounds: it hides a NULL. */
    const char *before, *after;
    bool bounds;
} LinkFunction;

/* Models keep the position of their link: new ones go to the end. */
#define LINK_FUNCTIONS 10
extern const LinkFunction link_functions[LINK_FUNCTIONS];
/* Their names, NULL-terminated, for an option. */
extern const char *const link_names[];

/* A link as a model has it. */
typedef struct Link {
    const LinkFunction *function;
    double power; /* the score is this power of the mean, for link power; 0 for the others */
} Link;

/* Returns the link of this name, which is one of link_names. power: of link power, finite and not 0; the powers that have a name of their own give that link. */
Link link_find(const char *name, double power);
/* Tells whether two links are the same. */
bool link_same(const Link *a, const Link *b);

/*
 * Returns the link of a checked generalized linear model: array glm_link I64[1] has its position, and fact link_power the power of link power.
 * function NULL: it is another model.
 */
Link link_of_model(const Model *model);
/* Adds the link of a model. position: [1] for its place in the table, kept until the model is built. */
void link_add(ModelBuilder *builder, const Link *link, int64_t *position);
/* Returns what is wrong with the link of a model that has one; NULL: nothing. */
const char *link_check(Env *env, const Model *model);

/* Link power, whose scores and means are above 0. */
double link_power_mean(double score, double power);
double link_power_slope(double score, double power);
/* Adds what comes before the score and after it in an expression of the mean, which is NULL where the mean is out of range or 0. */
void link_power_sql(const Link *link, TextBuffer *before, TextBuffer *after);

static inline double link_mean(const Link *link, double score)
{
    return link->function->mean != NULL ? link->function->mean(score) : link_power_mean(score, link->power);
}

static inline double link_slope(const Link *link, double score)
{
    return link->function->slope != NULL ? link->function->slope(score) : link_power_slope(score, link->power);
}

double link_score(const Link *link, double mean);

#endif
