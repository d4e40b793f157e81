/*
 * mixture_sample.c - draws rows of a gaussian_mixture.
 */
#include "core/mixture/mixture_model.h"
#include "core/estimator/sampling.h"
#include "core/math/normal_deviate.h"
#include "core/normal/normal_draw.h"

#include <math.h>

typedef struct MixtureDraw {
    Mixture mixture;
    NormalDraw *draw;   /* of the forms with covariances; else NULL */
    double *deviations; /* of the others: [k x numbers] standard deviations */
} MixtureDraw;

static void mixture_open(Env *env, const Model *model, SampleSource *source)
{
    MixtureDraw *draw = env_array(env, 1, sizeof(MixtureDraw));
    Mixture *mixture = &draw->mixture;

    *mixture = mixture_view(model);
    if (mixture->form <= MIXTURE_TIED) {
        draw->draw = normal_draw_open(env, mixture->k, mixture->dims, mixture->means, mixture->covariances,
                                      mixture->form == MIXTURE_TIED);
    } else {
        size_t count = (size_t)mixture->k * mixture_numbers(mixture->form, mixture->dims);

        draw->deviations = env_array(env, count, sizeof(double));
        for (size_t i = 0; i < count; i++)
            draw->deviations[i] = sqrt(mixture->covariances[i]);
    }
    *source = (SampleSource){mixture->k, mixture->weights, draw};
}

static void mixture_draw(void *state, uint32_t part, uint64_t *bits, double *slots)
{
    const MixtureDraw *draw = state;
    uint32_t dims = draw->mixture.dims, numbers = mixture_numbers(draw->mixture.form, dims);
    const double *mean = draw->mixture.means + (size_t)part * dims;

    if (draw->draw != NULL) {
        normal_draw(draw->draw, part, bits, slots);
        return;
    }
    normal_deviates(bits, slots, dims);
    for (uint32_t a = 0; a < dims; a++)
        slots[a] = mean[a] + draw->deviations[(size_t)part * numbers + (numbers > 1 ? a : 0)] * slots[a];
}

const Sampling mixture_sampling = {mixture_open, mixture_draw};
