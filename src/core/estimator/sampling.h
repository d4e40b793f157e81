/*
 * sampling.h - how rows are drawn from the distribution that a model describes: a member of the descriptor of such methods.
 *
 * A distribution is one, or consists of parts: the classes of a classifier, the components of a mixture. Whoever draws picks the
 * part by its probability (prepare/row_sampler.h).
 */
#ifndef PGFIT_SAMPLING_H
#define PGFIT_SAMPLING_H

#include "core/base/env.h"
#include "core/model/model.h"

/* What open makes of a checked model. */
typedef struct SampleSource {
    uint32_t parts;              /* 0: the distribution has none */
    const double *probabilities; /* [parts], not negative; they need not add up to 1 */
    void *state;                 /* for draw */
} SampleSource;

struct Sampling {
    /* Prepares to draw. Fails with ERROR_KIND if this model of the method describes no distribution of rows. */
    void (*open)(Env *env, const Model *model, SampleSource *source);
    /* Writes a row of this part to slots, [slots]. bits: the state of random_bits. Allocates nothing. */
    void (*draw)(void *state, uint32_t part, uint64_t *bits, double *slots);
};

#endif
