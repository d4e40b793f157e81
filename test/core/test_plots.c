/*
 * test_plots.c - Voronoi cells against distances, and what plots read of models that anyone may have made up.
 */
#include "check.h"
#include "fit.h"
#include "core/plot/ellipses.h"
#include "core/plot/voronoi.h"

#include <stdlib.h>

#define POINTS 60

/* Returns how far the nearest of k centers is. */
static double nearest(const double *centers, uint32_t k, double x, double y)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < k; i++)
        least = fmin(least, hypot(centers[2 * i] - x, centers[2 * i + 1] - y));
    return least;
}

/* Cells fill the box, and each of their vertices is as near to its own center as to any. */
static void test_cells(Host *host)
{
    uint64_t seed = 5;

    for (uint32_t k = 1; k <= 40; k += 3) {
        Env *env = &host->env;
        double *x = three_clouds(POINTS, 2, k), range_x[2], range_y[2], area = 0;
        char options[64];
        AxisGiven across = {true, 2, range_x}, up = {true, 2, range_y};
        Cell cells[8], before[8], first[8];
        const double *centers;
        Model *model;
        uint64_t rows;
        uint32_t length;
        void *reader;

        snprintf(options, sizeof options, "{\"k\": %u}", k);
        model = fit_rows(host, "kmeans", x, NULL, POINTS, 2, options, NULL);
        centers = model_f64(model, "centroids", &length);
        range_x[0] = -20 * random_uniform(&seed);
        range_x[1] = range_x[0] + 40 * random_uniform(&seed) + 1e-3;
        range_y[0] = -20 * random_uniform(&seed);
        range_y[1] = range_y[0] + 40 * random_uniform(&seed) + 1e-3;
        reader = voronoi_open(env, model, &across, &up, &rows);
        for (uint64_t i = 0; i < rows; i++) {
            double own;

            CHECK(voronoi_table.row(env, model, reader, i, cells));
            CHECK(cells[0].integer >= 1 && cells[0].integer <= k);
            own = hypot(centers[2 * (cells[0].integer - 1)] - cells[3].number, centers[2 * (cells[0].integer - 1) + 1] - cells[4].number);
            CHECK_NEAR(own, nearest(centers, k, cells[3].number, cells[4].number), 1e-10);
            CHECK(cells[3].number >= range_x[0] && cells[3].number <= range_x[1]);
            if (cells[2].integer == 1) {
                if (i > 0)
                    area += before[3].number * first[4].number - first[3].number * before[4].number;
                memcpy(first, cells, sizeof cells);
            } else {
                area += before[3].number * cells[4].number - cells[3].number * before[4].number;
            }
            memcpy(before, cells, sizeof cells);
        }
        area += before[3].number * first[4].number - first[3].number * before[4].number;
        CHECK_NEAR(area / 2, (range_x[1] - range_x[0]) * (range_y[1] - range_y[0]), 1e-9);
        free(x);
        host_reset(host);
    }
}

/* Reads everything that plots read. Errors are fine, reading beyond arrays is not. */
static void read_all(Env *env, const Model *model)
{
    const double range[] = {-3, 3};
    AxisGiven open = {0}, given = {true, 2, range};
    Cell cells[8];
    uint64_t rows;
    void *reader = feature_ranges_open(env, model, &rows);

    for (uint64_t i = 0; i < rows; i++)
        feature_range_table.row(env, model, reader, i, cells);
    if (strcmp(model->estimator, "kmeans") == 0 || strcmp(model->estimator, "kmedoids") == 0) {
        reader = voronoi_open(env, model, &given, &given, &rows);
        for (uint64_t i = 0; i < rows; i++)
            voronoi_table.row(env, model, reader, i, cells);
        voronoi_open(env, model, &open, &open, &rows);
    } else if (strcmp(model->estimator, "gaussian_mixture") == 0) {
        reader = ellipses_open(env, model, 0.9, NULL, NULL, &rows);
        for (uint64_t i = 0; i < rows; i++)
            ellipse_table.row(env, model, reader, i, cells);
    }
    plot_grid(env, model, "f1", "f2", 3, &open, &given, "", 0);
}

static void test_forged(Host *host)
{
    static const char *const methods[] = {"kmeans", "kmedoids", "gaussian_mixture", "isolation_forest", "local_outlier_factor", "one_class_svm"};
    uint64_t seed = 11;
    uint32_t passed = 0;

    for (uint32_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (uint32_t trial = 0; trial < 60; trial++) {
            double *x = three_clouds(POINTS, 2, m + 1);
            Model *model = fit_rows(host, methods[m], x, NULL, POINTS, 2,
                                    m < 3 ? "{\"k\": 3, \"standardize\": true}" : "{}", NULL);

            free(x);
            if (trial == 0 || forge_array(&seed, model, 1 + (int)(trial % 3))) {
                model_seal(&host->env, model);
                if (TRY(host)) {
                    if (model_check(&host->env, model, model->size) == NULL) {
                        passed++;
                        read_all(&host->env, model);
                    }
                }
                TRY_END(host);
            }
            host_reset(host);
        }
    printf("%u forged models read\n", passed);
    CHECK(passed > 20);
}

int main(void)
{
    Host *host = host_new();

    test_cells(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
