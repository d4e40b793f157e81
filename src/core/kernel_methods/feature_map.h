/*
 * feature_map.h - explicit features whose products approximate a kernel, so that linear methods can take the place of kernel
 * methods when there are too many rows to compare each with each.
 *
 *   nystroem  z(x) = L^-1 [k(l_1, x) ... k(l_m, x)] for m rows l of the training rows (landmarks), with L L' their Gram matrix
 *             (Williams & Seeger 2001). z(a).z(b) is k(a, b) between landmarks, and for every other row the kernel of the
 *             projections on the span of the landmarks in feature space. Any kernel.
 *   fourier   z(x) = [cos 2 pi f_j.x ..., sin 2 pi f_j.x ...] / sqrt(m) for m random frequencies f_j (Rahimi & Recht 2007), a
 *             cosine and a sine each, which is better than one cosine with a random phase (Sutherland & Schneider 2015). rbf.
 *
 * A linear function of z is stored without z: as multipliers of the basis, the kernel values of the landmarks or the cosines and
 * sines (feature_map_multipliers), so a fit with landmarks gives an ordinary expansion over kernel values. A map is only for fits.
 */
#ifndef PGFIT_FEATURE_MAP_H
#define PGFIT_FEATURE_MAP_H

#include "core/kernel_methods/kernel_model.h"

typedef enum Approximation { APPROXIMATION_NONE = 0, APPROXIMATION_NYSTROEM, APPROXIMATION_FOURIER } Approximation;

/* The options approximation, landmarks and frequencies, as a table for OPTION_TABLES; seed is option_seed. */
extern const OptionSpec options_approximation[];

#define LANDMARKS_DEFAULT 500
#define FREQUENCIES_DEFAULT 500
#define LANDMARKS_MOST 20000

/*
 * Returns the approximation that the options ask for. Fails with ERROR_PARAMETER if landmarks or frequencies are given to another
 * one, or if it cannot approximate this kernel.
 */
Approximation approximation_of_options(Env *env, const Options *options, const Kernel *kernel);
const char *approximation_name(Approximation approximation);

#define MAP_ROWS 256 /* rows that are mapped together, at most */

typedef struct FeatureMap {
    Env *env;
    Approximation approximation;
    const KernelSample *sample;
    Kernel kernel;
    uint32_t terms;
    uint32_t features;    /* numbers that a row is mapped to */
    uint32_t basis;       /* landmarks, or frequencies */
    double *rows;         /* [basis x terms]: landmarks, standardized; or frequencies in turns per unit */
    double *factor;       /* of landmarks: L [basis x basis], column major */
    double *panels;       /* of landmarks: L'^-1 in panels of columns (map_product), as far down as a panel is not 0 */
    double *values;       /* [MAP_ROWS x basis, in whole panels] kernel values, or turns */
    uint64_t evaluations; /* kernel values of landmarks, and of rows in mapped_rows: how often they are computed again depends on the memory */
} FeatureMap;

/*
 * Makes the map that the options (options_approximation, option_seed) ask for; approximation: not none. Landmarks are distinct
 * rows, chosen by a hash of seed and content, so the order of the rows does not matter; if there are fewer distinct rows than asked
 * for, all of them. Landmarks that the others determine, to CHOLESKY_TOLERANCE of the largest k(l, l), are dropped. sample: of
 * feature_map_sample; must outlive the map. One pass over the rows. Fails with ERROR_LIMIT past the memory budget, ERROR_RANGE if
 * kernel values are not finite, and ERROR_DATA if all are 0.
 */
FeatureMap *feature_map(const KernelSample *sample, Approximation approximation, const Options *options);

/* Returns the mean of k(x, x) over the rows, with their weights or without. A pass over the rows, but for rbf. */
double feature_map_self(const KernelSample *sample, bool weighted);
/* Makes rows of the design [count x terms] points of the kernel, in place: with texts of its table, and standardized by option. */
void feature_map_points(const FeatureMap *map, double *rows, uint32_t count);
/* Writes the features of `count` points, at most MAP_ROWS: out [count x features]. Polls. */
void feature_map_rows(FeatureMap *map, const double *points, uint32_t count, double *out);
/*
 * Returns linear functions of the features, weights [problems x features], as an expansion over the basis: kernel values of the
 * landmarks, or cosines of the frequencies with the phases 0 and, for sines, a quarter of a turn.
 */
KernelExpansion feature_map_expansion(const FeatureMap *map, uint32_t problems, const double *weights, const double *intercept);
/* Adds the facts that say so: approximation, and landmarks or frequencies. */
void feature_map_facts(const FeatureMap *map, ModelBuilder *builder);
/* Adds linear functions of the features, as an expansion over the basis, by kernel_model_add, and these facts. */
void feature_map_add(Env *env, const FeatureMap *map, uint32_t problems, const double *weights, const double *intercept,
                     ModelBuilder *builder);
/* The facts as entries of a FACT_TABLE, in order of their names among others. */
#define FACT_APPROXIMATION FACT("approximation", ARRAY_TEXT)
#define FACT_FREQUENCIES FACT("frequencies", ARRAY_I64)
#define FACT_LANDMARKS FACT("landmarks", ARRAY_I64)

/* ---- shared with sums of mapped rows ---- */

#define MAP_PANEL 32 /* columns that are packed together: a multiple of the width of all vectors */

/*
 * Writes, or adds, the sum over k < depth of a[i x down + k x along] panel[k x MAP_PANEL + j] to out[i x ld + j], for i < rows and
 * j < MAP_PANEL. Only for fits: sums use fused multiply-adds.
 */
void map_product(const double *a, size_t down, size_t along, uint32_t rows, const double *panel, uint32_t depth, double *out, size_t ld,
                 bool add);

#endif
