#!/usr/bin/python3
"""Writes fits_named.json: distances by name, isotonic regressions, neighbors weighed by a function, outliers and graphs of neighbors,
as scipy, scikit-learn and R have them. Needs numpy, scipy, scikit-learn, and R with its package cluster.
"""
import json
import os
import pathlib
import subprocess

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy  # noqa: E402
from scipy.spatial import distance  # noqa: E402
from sklearn import isotonic, metrics, neighbors  # noqa: E402

HERE = pathlib.Path(__file__).parent
TOLERANCE = {"rtol": 1e-11, "atol": 1e-13}


def matrix(x, name, **options):
    return distance.squareform(distance.pdist(x, name, **options))


def in_r(x, expression):
    """Returns a matrix that R computes from x, a matrix there."""
    numbers = ",".join(repr(float(v)) for v in x.T.ravel())
    program = f"library(cluster); x <- matrix(c({numbers}), {len(x)}); write(t(format(as.matrix({expression}), digits=17)), '', {len(x)})"
    lines = subprocess.run(["Rscript", "-e", program], capture_output=True, check=True, text=True).stdout.split("\n")
    return numpy.array([[float(v) for v in line.split()] for line in lines if line.strip()])


def dissimilarities(random):
    amounts = numpy.round(random.exponential(2, (12, 5)) * (random.uniform(size=(12, 5)) < 0.7), 3)
    amounts[3] = amounts[4] = 0
    signed = numpy.round(random.normal(size=(10, 4)), 4)
    sets = (random.uniform(size=(12, 6)) < 0.4).astype(float)
    sets[0] = sets[1] = 0
    places = numpy.column_stack([random.uniform(-90, 90, 10), random.uniform(-180, 180, 10)]).round(4)
    r_amounts = in_r(amounts, 'daisy(as.data.frame(x), metric = "gower")')
    zero = sets.sum(1) == 0
    jaccard, dice = matrix(sets.astype(bool), "jaccard"), matrix(sets.astype(bool), "dice")
    dice[numpy.ix_(zero, zero)] = jaccard[numpy.ix_(zero, zero)] = 0  # 0/0, which differs between versions
    braycurtis = numpy.nan_to_num(matrix(amounts, "braycurtis"))  # 0/0
    yield "canberra", amounts, {}, matrix(amounts, "canberra")
    yield "canberra", signed, {}, matrix(signed, "canberra")
    yield "bray_curtis", amounts, {}, braycurtis
    yield "jaccard", sets, {}, jaccard
    yield "binary", amounts, {}, numpy.nan_to_num(in_r(amounts, 'dist(x, "binary")'))  # 0/0
    yield "dice", sets, {}, dice
    yield "gower", amounts, {}, r_amounts
    yield "haversine", numpy.radians(places), {"angle_unit": "radians", "sphere_radius": 1}, metrics.pairwise.haversine_distances(numpy.radians(places))
    yield "haversine", places, {}, metrics.pairwise.haversine_distances(numpy.radians(places)) * 6371.0088
    yield "correlation", signed, {}, matrix(signed, "correlation")
    yield "seuclidean", signed, {}, matrix(signed, "seuclidean", V=signed.var(0))
    yield "mahalanobis", signed, {}, matrix(signed, "mahalanobis", VI=numpy.linalg.inv(numpy.cov(signed.T, bias=True)))


def isotonic_cases(random):
    for number in range(6):
        n = [12, 40, 60, 80, 40, 5][number]
        x = numpy.round(random.normal(size=n), [1, 4, 1, 0, 2, 3][number])
        y = numpy.round(random.normal(size=n) + (-1 if number in (1, 4) else 1) * x, 3)
        weights = random.randint(1, 5, n).astype(float) if number in (2, 3) else None
        direction = ["increasing", "decreasing", "increasing", "increasing", "auto", "auto"][number]
        limits = {"y_min": -0.5, "y_max": 0.75} if number == 3 else {}
        model = isotonic.IsotonicRegression(increasing={"increasing": True, "decreasing": False, "auto": "auto"}[direction], out_of_bounds="clip", **limits)
        model.fit(x, y, sample_weight=weights)
        test = numpy.round(numpy.concatenate([x[:10], random.normal(size=15) * 2]), 4)
        case = {"input": {"x": x.tolist(), "y": y.tolist(), "test": test.tolist()}, "params": {"direction": direction, **limits},
                "expected": {"predict": model.predict(test).tolist(), "increasing": bool(model.increasing_)}}
        if weights is not None:
            case["input"]["weights"] = weights.tolist()
        yield case


def neighbor_cases(x, y, test):
    label = (y > 0).astype(int)
    weights = {"1 / (1 + distance^2)": lambda d: 1 / (1 + d ** 2), "exp(-distance)": lambda d: numpy.exp(-d)}
    for text, function in weights.items():
        regression = neighbors.KNeighborsRegressor(7, weights=function, algorithm="kd_tree").fit(x, y)
        classifier = neighbors.KNeighborsClassifier(7, weights=function, algorithm="kd_tree").fit(x, label)
        yield {"params": {"k": 7, "weights": text}, "expected": {"predict": regression.predict(test).tolist(), "probabilities": classifier.predict_proba(test).tolist()}}
    classifier = neighbors.RadiusNeighborsClassifier(0.9, outlier_label=1, algorithm="kd_tree").fit(x, label)
    yield {"params": {"radius": 0.9, "outlier_label": 1}, "expected": {"classes": classifier.predict(test).tolist()}}
    graph = neighbors.NearestNeighbors(algorithm="kd_tree").fit(x)
    pairs = graph.kneighbors_graph(n_neighbors=4, mode="distance")
    within = graph.radius_neighbors_graph(radius=0.7, mode="distance")
    yield {"params": {"k": 4}, "expected": {"graph": [[i, int(j), pairs[i, j]] for i in range(60) for j in sorted(pairs[i].indices)]}}
    yield {"params": {"radius": 0.7}, "expected": {"graph": [[i, int(j), within[i, j]] for i in range(60) for j in sorted(within[i].indices)]}}


def main():
    random = numpy.random.RandomState(16)
    cases = []
    for number, (name, x, options, expected) in enumerate(dissimilarities(random)):
        cases.append({"id": f"named.distance.{number}.{name}", "method": "named_distance", "input": {"X": x.tolist()}, "params": {"metric": name, **options},
                      "expected": {"distances": expected.tolist()}, "tolerance": TOLERANCE if name != "haversine" else {"rtol": 1e-9, "atol": 1e-9}})
    for number, case in enumerate(isotonic_cases(random)):
        cases.append({"id": f"named.isotonic.{number}", "method": "isotonic_regression", **case, "tolerance": TOLERANCE})
    x = numpy.round(random.normal(size=(60, 3)), 4)
    y = numpy.round(x[:, 0] + random.normal(size=60) / 4, 4)
    test = numpy.round(random.normal(size=(20, 3)) * 1.5, 4)
    for number, case in enumerate(neighbor_cases(x, y, test)):
        case["input"] = {"X": x.tolist(), "y": y.tolist(), "labels": (y > 0).astype(int).tolist(), "test": test.tolist()}
        cases.append({"id": f"named.neighbors.{number}", "method": "weighed_neighbors", **case, "tolerance": TOLERANCE})
    title = "Distances by name, isotonic regressions and neighbors, by scipy, scikit-learn and R"
    with open(HERE / "fits_named.json", "w") as file:
        file.write('{"schema": 1, "title": ' + json.dumps(title) + f', "count": {len(cases)}, "cases": [\n')
        file.write(",\n".join(json.dumps(case) for case in cases) + "\n]}\n")


main()
