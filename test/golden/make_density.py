#!/usr/bin/python3
"""Writes fits_density.json: clusters and outliers by density as scikit-learn finds them, on ten sets. Needs numpy and scikit-learn.

scikit-learn's brute-force search gives wrong neighbors now and then where OpenBLAS and OpenMP both start threads, so it runs on one.
"""
import csv
import json
import os
import pathlib

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy  # noqa: E402
import sklearn  # noqa: E402
from sklearn import cluster, datasets, neighbors  # noqa: E402

HERE = pathlib.Path(__file__).parent
PREPROCESS = "zscore: (x - avg) / stddev_pop, both taken from the training rows"


def table(name, target):
    with open(HERE / "data" / f"{name}.csv", newline="") as file:
        rows = list(csv.reader(file))
    x = numpy.array([[float(v) for v in row[1:-1]] for row in rows[1:]])
    return {"data": {"file": f"data/{name}.csv", "features": "all", "target": target, "train": "true", "n_train": len(x)}}, x


def inline(x):
    x = numpy.round(x, 6)
    return {"input": {"X": x.tolist()}}, x


def sets():
    random = numpy.random.RandomState(0)
    for name, target, radius in (("iris", "species", 0.5), ("wine", "class", 2.5), ("breast_cancer", "diagnosis", 3.0),
                                 ("diabetes", "progression", 2.0), ("digits", "digit", 20.5)):
        source, x = table(name, target)
        if name != "iris" and name != "digits":
            source["data"]["preprocess"] = PREPROCESS
            x = (x - x.mean(0)) / x.std(0)
        yield name, source, x, radius, 5
    yield ("moons",) + inline(datasets.make_moons(300, noise=0.08, random_state=1)[0]) + (0.15, 5)
    yield ("circles",) + inline(datasets.make_circles(300, noise=0.05, factor=0.4, random_state=1)[0]) + (0.2, 5)
    yield ("blobs",) + inline(datasets.make_blobs(300, centers=5, n_features=3, random_state=2)[0]) + (0.9, 6)
    yield ("uniform",) + inline(random.rand(300, 2)) + (0.06, 5)
    yield ("anisotropic",) + inline(datasets.make_blobs(300, random_state=170)[0] @ [[0.6, -0.6], [-0.4, 0.8]]) + (0.4, 5)


def case(kind, name, source, params, expected):
    return dict({"id": f"fit.{kind}.{name}", "method": kind}, **source, params=params, expected=expected,
                tolerance={"rtol": 1e-9, "atol": 1e-12}, verified_by=f"scikit-learn {sklearn.__version__}")


def shifted(name, source, x, options):
    """A case of MeanShift; its estimate_bandwidth where the options give none."""
    bandwidth = options.get("bandwidth", cluster.estimate_bandwidth(x))
    fit = cluster.MeanShift(bandwidth=bandwidth, bin_seeding=options.get("bin_seeding", False), cluster_all=options.get("cluster_all", True),
                            min_bin_freq=options.get("min_bin_weight", 1)).fit(x)
    return case("mean_shift", name, source, options, {"bandwidth": bandwidth, "centroids": fit.cluster_centers_.tolist(),
                                                      "labels": [int(v) + 1 for v in fit.labels_]})


SHIFTS = {"iris": {}, "wine": {"bandwidth": 3.5}, "diabetes": {}, "moons": {"bandwidth": 0.6}, "circles": {},
          "blobs": {"bandwidth": 2.5, "cluster_all": False}, "uniform": {"bandwidth": 0.2, "cluster_all": False},
          "anisotropic": {"bandwidth": 2, "bin_seeding": True}}


def main():
    cases = []
    for name, source, x, radius, samples in sets():
        fit = cluster.DBSCAN(eps=radius, min_samples=samples).fit(x)
        core = set(fit.core_sample_indices_.tolist())
        cases.append(case("dbscan", name, source, {"radius": radius, "min_samples": samples}, {
            "core": {str(i + 1): int(fit.labels_[i]) for i in sorted(core)},
            "noise": [int(i) + 1 for i in numpy.flatnonzero(fit.labels_ == -1)],
            "clusters": int(fit.labels_.max()) + 1}))
        # rows at equal distances have no order, and which of them are among the k nearest is chance
        factors = -neighbors.LocalOutlierFactor(20).fit(x).negative_outlier_factor_
        if name not in ("digits", "iris"):
            cases.append(case("local_outlier_factor", name, source, {"k": 20},
                              {"factors": {str(i + 1): float(v) for i, v in enumerate(factors)}}))
        core_distances = cluster.OPTICS(min_samples=samples).fit(x).core_distances_
        cases.append(case("optics", name, source, {"min_samples": samples},
                          {"core_distances": {str(i + 1): float(v) for i, v in enumerate(core_distances)}}))
        if name in SHIFTS:
            cases.append(shifted(name, source, x, SHIFTS[name]))
        if name == "blobs":
            cases.append(shifted("blobs-bins", source, x, {"bandwidth": 1.5, "bin_seeding": True, "min_bin_weight": 3}))
    document = {"schema": 1, "title": "reference fits: density", "count": len(cases), "cases": cases}
    (HERE / "fits_density.json").write_text(json.dumps(document, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
