/*
 * normal_sample.c - draws rows of a class of naive_bayes, lda and qda.
 *
 * To lda and qda a category is a row of zeros and ones, which have a mean and a covariance like other numbers. Normal numbers are
 * no levels, so only naive_bayes, which has a probability per level, draws categories.
 */
#include "core/normal/normal_model.h"
#include "core/estimator/sampling.h"
#include "core/math/normal_deviate.h"
#include "core/normal/normal_draw.h"

#include <math.h>
#include <string.h>

/* ---- naive_bayes ---- */

/* The levels of a categorical slot, with their probabilities in each class. */
typedef struct LevelDraw {
    uint32_t slot, count;
    double *levels;     /* [count] what the slot holds */
    double *cumulative; /* [classes x count] sums of probabilities */
} LevelDraw;

typedef struct BayesDraw {
    uint32_t terms, categories;
    Terms map;
    const double *means; /* [classes x terms] */
    double *deviations;  /* [classes x terms] */
    LevelDraw *category; /* [categories] */
    double *z;           /* [terms] */
} BayesDraw;

static void open_deviations(Env *env, const NormalArrays *arrays, BayesDraw *draw)
{
    uint32_t terms = draw->terms, rows = arrays->variance_rows, columns = arrays->variance_columns;

    draw->deviations = env_array(env, (size_t)arrays->classes * terms + 1, sizeof(double));
    for (uint32_t c = 0; c < arrays->classes; c++)
        for (uint32_t t = 0; t < terms; t++)
            draw->deviations[(size_t)c * terms + t] =
                sqrt(arrays->variances[(rows > 1 ? (size_t)c * columns : 0) + (columns > 1 ? t : 0)]);
}

/* Sets the levels of a field, for one of its slots. */
static void open_levels(Env *env, const Model *model, const NormalArrays *arrays, uint32_t field, LevelDraw *draw)
{
    draw->levels = env_array(env, (size_t)schema_field_levels(model, field) + 1, sizeof(double));
    for (uint32_t l = 0; l < arrays->levels; l++)
        if (dictionary_field(model, l) == field)
            draw->levels[draw->count++] = l;
    draw->cumulative = env_array(env, (size_t)arrays->classes * draw->count + 1, sizeof(double));
    for (uint32_t c = 0; c < arrays->classes; c++) {
        double sum = 0;

        for (uint32_t i = 0; i < draw->count; i++)
            draw->cumulative[(size_t)c * draw->count + i] = sum +=
                arrays->level_probabilities[(size_t)c * arrays->levels + (uint32_t)draw->levels[i]];
    }
}

static void bayes_open(Env *env, const Model *model, SampleSource *source)
{
    NormalArrays arrays = normal_arrays(model);
    BayesDraw *draw = env_array(env, 1, sizeof(BayesDraw));
    uint32_t slot = 0;

    draw->terms = arrays.terms.count;
    draw->map = arrays.terms;
    draw->means = arrays.means;
    draw->z = env_array(env, (size_t)draw->terms + 1, sizeof(double));
    open_deviations(env, &arrays, draw);
    draw->category = env_array(env, (size_t)model->slot_count + 1, sizeof(LevelDraw));
    for (uint32_t f = 0; f < model->field_count; f++)
        for (uint32_t i = 0; i < schema_field_width(model, f); i++, slot++)
            if (schema_field_kind(model, f) == FIELD_CATEGORICAL) {
                LevelDraw *own = &draw->category[draw->categories++];

                own->slot = slot;
                open_levels(env, model, &arrays, f, own);
            }
    *source = (SampleSource){arrays.classes, arrays.priors, draw};
}

static void bayes_draw(void *state, uint32_t part, uint64_t *bits, double *slots)
{
    const BayesDraw *draw = state;
    const double *mean = draw->means + (size_t)part * draw->terms, *deviation = draw->deviations + (size_t)part * draw->terms;

    normal_deviates(bits, draw->z, draw->terms);
    for (uint32_t t = 0; t < draw->terms; t++)
        slots[draw->map.slot != NULL ? (uint32_t)draw->map.slot[t] : t] = mean[t] + deviation[t] * draw->z[t];
    for (uint32_t i = 0; i < draw->categories; i++) {
        const LevelDraw *own = &draw->category[i];
        const double *cumulative = own->cumulative + (size_t)part * own->count;
        double u = random_unit(bits) * (own->count > 0 ? cumulative[own->count - 1] : 0);
        uint32_t level = 0;

        while (level + 1 < own->count && u >= cumulative[level])
            level++;
        slots[own->slot] = own->count > 0 ? own->levels[level] : SLOT_UNSEEN;
    }
}

const Sampling naive_bayes_sampling = {bayes_open, bayes_draw};

/* ---- lda, qda ---- */

static void covariance_open(Env *env, const Model *model, SampleSource *source)
{
    NormalArrays arrays = normal_arrays(model);

    if (!schema_all_numeric(model) || arrays.terms.slot != NULL || arrays.terms.count != model->slot_count)
        env_fail(env, ERROR_KIND, "Leave categorical features out, or fit naive_bayes, which has a probability per level.",
                 "sample cannot draw levels from a model of %.31s, to which categories are numbers", model->estimator);
    *source = (SampleSource){arrays.classes, arrays.priors,
                             normal_draw_open(env, arrays.classes, arrays.terms.count, arrays.means, arrays.covariances,
                                              normal_kind(model) == NORMAL_POOLED)};
}

const Sampling normal_sampling = {covariance_open, normal_draw};
