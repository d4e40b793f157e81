#!/usr/bin/env python3
"""
Compares the held-out loss of forests with that of scikit-learn's, with the same options, over random splits of real tables, some
with categories and NULLs:

    forests.py DIRECTORY... [--seeds 20] [--trees 50]

The directories hold diamonds.csv, titanic.csv, penguins.csv, diabetes.csv, breast_cancer.csv; missing ones are skipped. Connects as
psycopg2 does by default, to a database that has pgfit. scikit-learn gets the numbers of levels and medians for NULLs, so
that both draw from as many features. The loss of
classes is the Brier score: the sum of squared errors of the probabilities. Agreement means a mean difference within two standard
errors, below one percent of the loss, or in favor of pgfit. Needs numpy, pandas, scikit-learn, psycopg2.
"""
import argparse
import json
import sys

import numpy as np
import pandas as pd
import psycopg2
from sklearn import ensemble

from boosting import TABLES, read, sql_table

# pgfit's aggregates and scikit-learn's classes without their endings
METHODS = {"forest": "RandomForest", "extra_trees": "ExtraTrees"}
MOST = 5000  # rows used


def ours(cursor, method, frame, target, task, test, seed, trees):
    cursor.execute("UPDATE held SET train = NOT (n = ANY(%s)) WHERE train <> NOT (n = ANY(%s))", (list(map(int, test)),) * 2)
    row = "ROW(" + ", ".join(f'"{c}"' for c in frame.columns if c != target) + ")"
    options = {"n_trees": trees, "seed": seed, "oob": False, "importance": "none"}
    score = "predict" if task == "regression" else "probabilities"
    cursor.execute(f'CREATE TEMP TABLE model AS SELECT pgfit.{method}_{task}("{target}", {row}, %s::jsonb) AS m FROM held WHERE train',
                   (json.dumps(options),))
    cursor.execute(f"SELECT pgfit.{score}(m, {row}) FROM held, model WHERE NOT train ORDER BY n")
    scores = np.array([r[0] for r in cursor.fetchall()])
    cursor.execute("DROP TABLE model")
    return scores


def theirs(name, frame, target, task, train, test, seed, trees):
    features = frame.drop(columns=[target])
    for column in features.columns[features.dtypes == object]:
        features[column] = features[column].astype("category").cat.codes
    features = features.astype(float)
    features = features.fillna(features.iloc[train].median())
    model = getattr(ensemble, name + ("Regressor" if task == "regression" else "Classifier"))(trees, random_state=seed)
    model.fit(features.values[train], frame[target].values[train])
    x = features.values[test]
    return model.predict(x) if task == "regression" else model.predict_proba(x)


def loss(truth, scores, classes):
    if classes is None:
        return np.mean((truth - scores) ** 2)
    return np.mean(np.sum(((np.asarray(truth)[:, None] == classes) - scores) ** 2, axis=1))


def compare(cursor, method, frame, target, task, options):
    classes = None if task == "regression" else np.unique(frame[target])
    losses = []
    for seed in range(options.seeds):
        order = np.random.default_rng(seed).permutation(len(frame))
        test, train = np.sort(order[:len(frame) // 4]), np.sort(order[len(frame) // 4:])
        truth = frame[target].values[test]
        losses.append([loss(truth, ours(cursor, method, frame, target, task, test, seed, options.trees), classes),
                       loss(truth, theirs(METHODS[method], frame, target, task, train, test, seed, options.trees), classes)])
    return np.array(losses)


def main():
    parser = argparse.ArgumentParser(description="Held-out losses of forests.")
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--trees", type=int, default=50)
    options = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("SET client_min_messages = error; SET pgfit.fit_mem = '1GB'")
    missed = 0
    print(f"{'table':14} {'method':12} {'pgfit':>10} {'sklearn':>10} {'difference':>11} {'std error':>10}")
    for name, (target, chosen, task, _) in TABLES.items():
        frame = read(options.directories, name)
        if frame is None:
            print(f"{name:14} not found")
            continue
        frame = frame[[c for c in frame.columns if (chosen is None and c != "id") or c in (chosen or []) or c == target]]
        if len(frame) > MOST:
            frame = frame.sample(MOST, random_state=0).reset_index(drop=True)
        sql_table(cursor, frame)
        for method in METHODS:
            losses = compare(cursor, method, frame, target, task, options)
            difference = losses[:, 0] - losses[:, 1]
            error = difference.std(ddof=1) / np.sqrt(len(difference))
            mean = losses.mean(axis=0)
            agrees = abs(difference.mean()) <= max(2 * error, 0.01 * mean[1]) or difference.mean() < 0
            missed += not agrees
            print(f"{name:14} {method:12} {mean[0]:10.5g} {mean[1]:10.5g} {difference.mean():11.3g} {error:10.3g} "
                  f"{'ok' if agrees else 'DIFFERS'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
