/*
 * ellipses.c - for each class or component of a model made of normal distributions, the ellipse over two features that holds a given
 * share of its mass.
 *
 * Two features of a normal distribution have a normal distribution, whose covariance is the part of the whole one that belongs to them.
 * The squared Mahalanobis distance has the chi-square distribution with 2 degrees of freedom, so the share within radius r is
 * 1 - exp(-r^2 / 2).
 */
#include "core/plot/ellipses.h"

#include "core/plot/class_normals.h"

#include <math.h>
#include <string.h>

#define DEGREES (180 / 3.14159265358979323846)

typedef struct EllipseReader {
    ClassNormals normals;
    uint32_t x, y; /* terms */
    double square; /* of the radius in standard deviations */
} EllipseReader;

/* Returns the term of a feature. */
static uint32_t find_term(Env *env, const Model *model, const Terms *terms, const char *feature)
{
    TextBuffer names = {.env = env};

    for (uint32_t t = 0; t < terms->count; t++) {
        char name[2 * SCHEMA_NAME_SIZE];

        if (terms->level != NULL && terms->level[t] >= 0) /* a category is no axis */
            continue;
        terms_name(model, terms, t, name, sizeof name);
        if (strcmp(name, feature) == 0)
            return t;
        text_add(&names, names.length > 0 ? ", " : "");
        text_add(&names, name);
    }
    env_fail(env, ERROR_PARAMETER, env_message(env, "Its numeric features are %s.", text_finish(&names, NULL)),
             "the model of %s has no numeric feature \"%.100s\"", model->estimator, feature);
}

void *ellipses_open(Env *env, const Model *model, double level, const char *x, const char *y, uint64_t *rows)
{
    EllipseReader *reader = env_array(env, 1, sizeof *reader);
    Terms *terms = &reader->normals.terms;

    if (!class_normals(env, model, &reader->normals))
        env_fail(env, ERROR_KIND,
                 "Models of lda, qda, naive_bayes with numbers, multivariate_normal and gaussian_mixture have normal distributions.",
                 "ellipses does not apply to a model of %s", model->estimator);
    if (!(level > 0 && level < 1))
        env_fail(env, ERROR_PARAMETER, "0.95 asks for the ellipse that holds 95 % of the distribution.",
                 "level must be between 0 and 1, not %g", level);
    if ((x == NULL) != (y == NULL))
        env_fail(env, ERROR_PARAMETER, "Name two features.", "one feature is no plane");
    if (x == NULL && (terms->count != 2 || terms->level != NULL))
        env_fail(env, ERROR_PARAMETER, "Name the two to plot: ellipses(model, 0.95, 'x', 'y').",
                 "the model of %s has %u terms, not two numbers", model->estimator, terms->count);
    reader->y = 1;
    if (x != NULL) {
        reader->x = find_term(env, model, terms, x);
        reader->y = find_term(env, model, terms, y);
        if (reader->x == reader->y)
            env_fail(env, ERROR_PARAMETER, "Name two features.", "feature \"%.100s\" is named twice", x);
    }
    reader->square = -2 * log1p(-level);
    *rows = reader->normals.count;
    return reader;
}

static bool ellipse_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const EllipseReader *reader = data;
    const ClassNormals *normals = &reader->normals;
    const double *mean = normals->means + i * normals->terms.count;
    double xx = class_normals_covariance(normals, (uint32_t)i, reader->x, reader->x);
    double yy = class_normals_covariance(normals, (uint32_t)i, reader->y, reader->y);
    double xy = class_normals_covariance(normals, (uint32_t)i, reader->x, reader->y), both = sqrt(xx) * sqrt(yy);
    double great = (xx + yy) / 2 + hypot((xx - yy) / 2, xy);
    /* the determinant over the greater eigenvalue: their difference would cancel */
    double small = great > 0 ? fmax(0, both - fabs(xy)) * ((both + fabs(xy)) / great) : 0;

    if (normals->classes)
        cell_of_dictionary(&cells[0], model, DICTIONARY_CLASSES, (uint32_t)i);
    else
        cell_integer(&cells[1], (int64_t)i + 1);
    cell_number(&cells[2], mean[reader->x]);
    cell_number(&cells[3], mean[reader->y]);
    cell_number(&cells[4], sqrt(great * reader->square));
    cell_number(&cells[5], sqrt(small * reader->square));
    cell_number(&cells[6], xy == 0 && xx >= yy ? 0 : atan2(2 * xy, xx - yy) / 2 * DEGREES);
    return true;
}

const Table ellipse_table = {.name = "ellipses", .row = ellipse_row};
