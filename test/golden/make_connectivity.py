#!/usr/bin/env python3
"""Writes connectivity.json: trees that merge neighbors only, by scikit-learn 1.2.1. Run it in this folder, with OMP_NUM_THREADS=1."""
import csv
import json
import warnings

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.neighbors import kneighbors_graph

SETS = [("wine", "class", "true", 178, 5), ("diabetes", "progression", "id <= 80", 80, 2), ("breast_cancer", "diagnosis", "id <= 120", 120, 10)]
warnings.simplefilter("ignore")  # about graphs of several parts


def rounded(values):
    return [float(f"{v:.15g}") for v in values]


cases = []
for name, target, train, n, k in SETS:
    with open(f"data/{name}.csv", encoding="ascii") as file:
        x = np.array([[float(v) for v in row[1:-1]] for row in list(csv.reader(file))[1:n + 1]])
    x = (x - x.mean(0)) / x.std(0)
    graph = kneighbors_graph(x, k, include_self=False)
    for linkage in ("average", "complete", "single", "ward"):
        fit = AgglomerativeClustering(n_clusters=1, linkage=linkage, connectivity=graph, compute_distances=True, compute_full_tree=True).fit(x)
        sizes = [1] * n
        merges = []
        for (a, b), height in zip(fit.children_, fit.distances_):
            sizes.append(sizes[a] + sizes[b])
            merges.append([int(min(a, b)), int(max(a, b)), float(f"{height:.15g}"), sizes[-1]])
        cases.append({"id": f"fit.hac.{name}.{linkage}.connectivity", "method": "hac",
                      "data": {"file": f"data/{name}.csv", "features": "all", "target": target, "train": train, "n_train": n,
                               "preprocess": "zscore: (x - avg) / stddev_pop, both taken from the training rows"},
                      "params": {"linkage": linkage, "metric": "euclidean", "connectivity": k},
                      "expected": {"heights": rounded(fit.distances_), "merges_scipy": merges}, "tolerance": {"rtol": 1e-9, "atol": 1e-10}})
with open("connectivity.json", "w", encoding="ascii") as file:
    text = ",\n".join("  " + json.dumps(case) for case in cases)
    file.write('{"schema": 1, "title": "connectivity constraints by scikit-learn 1.2.1", "count": ' + f'{len(cases)}, "cases": [\n{text}\n]}}\n')
