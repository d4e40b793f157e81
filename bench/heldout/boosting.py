#!/usr/bin/env python3
"""
Compares the held-out loss of boosted trees with that of scikit-learn's HistGradientBoosting, with the same options, over random
splits of real tables, some with categories and NULLs:

    boosting.py DIRECTORY... [--seeds 20]

The directories hold diamonds.csv, titanic.csv, penguins.csv, diabetes.csv, breast_cancer.csv; missing ones are skipped. Connects as
psycopg2 does by default, to a database that has pgfit. Prints the mean losses, the mean difference and its standard error; agreement
means a difference within two standard errors, or below one percent of the loss. Needs numpy, pandas, scikit-learn, psycopg2.
"""
import argparse
import io
import os
import sys

import numpy as np
import pandas as pd
import psycopg2
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss, mean_squared_error

# name: target, features (None: all others), task, rows used
TABLES = {
    "diamonds": ("price", None, "regression", 10000),
    "diabetes": ("progression", None, "regression", None),
    "titanic": ("survived", ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked", "deck"], "classifier", None),
    "penguins": ("species", ["island", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "sex"], "classifier",
                 None),
    "breast_cancer": ("diagnosis", None, "classifier", None),
}


def read(directories, name):
    for directory in directories:
        path = os.path.join(directory, name + ".csv")
        if os.path.exists(path):
            return pd.read_csv(path)
    return None


def sql_table(cursor, frame):
    """Creates table held with the columns of the frame, f0 .. and y, and its row number."""
    kinds = ["text" if frame[c].dtype == object else "float8" for c in frame.columns]
    cursor.execute("DROP TABLE IF EXISTS held; CREATE TEMP TABLE held (n int, " +
                   ", ".join(f'"{c}" {k}' for c, k in zip(frame.columns, kinds)) + ", train bool)")
    text = io.StringIO()
    out = frame.copy()
    out.insert(0, "n", range(len(out)))
    out["train"] = True
    out.to_csv(text, header=False, index=False, na_rep="")
    text.seek(0)
    cursor.copy_expert("COPY held FROM STDIN CSV", text)


def ours(cursor, frame, target, task, test):
    cursor.execute("UPDATE held SET train = NOT (n = ANY(%s)) WHERE train <> NOT (n = ANY(%s))", (list(map(int, test)),) * 2)
    row = "ROW(" + ", ".join(f'"{c}"' for c in frame.columns if c != target) + ")"
    score = "predict" if task == "regression" else "probabilities"
    cursor.execute(f'CREATE TEMP TABLE model AS SELECT pgfit.boosted_trees_{task}("{target}", {row}) AS m FROM held WHERE train')
    cursor.execute(f"SELECT pgfit.{score}(m, {row}) FROM held, model WHERE NOT train ORDER BY n")
    scores = np.array([r[0] for r in cursor.fetchall()])
    cursor.execute("DROP TABLE model")
    return scores


def theirs(frame, target, task, train, test):
    features = frame.drop(columns=[target])
    categories = []
    for place, column in enumerate(features.columns):
        if features[column].dtype == object:
            codes = features[column].astype("category").cat.codes.astype(float)
            features[column] = codes.where(codes >= 0)
            categories.append(place)
    kind = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    model = kind(categorical_features=categories, early_stopping=False)
    model.fit(features.values[train].astype(float), frame[target].values[train])
    x = features.values[test].astype(float)
    return model.predict(x) if task == "regression" else model.predict_proba(x)


def main():
    parser = argparse.ArgumentParser(description="Held-out losses of boosted trees.")
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("SET client_min_messages = error; SET pgfit.fit_mem = '1GB'")
    missed = 0
    print(f"{'table':14} {'loss':9} {'pgfit':>10} {'sklearn':>10} {'difference':>11} {'std error':>10}")
    for name, (target, chosen, task, most) in TABLES.items():
        frame = read(options.directories, name)
        if frame is None:
            print(f"{name:14} not found")
            continue
        frame = frame[[c for c in frame.columns if (chosen is None and c != "id") or c in (chosen or []) or c == target]]
        if most is not None:
            frame = frame.sample(most, random_state=0).reset_index(drop=True)
        sql_table(cursor, frame)
        losses = []
        for seed in range(options.seeds):
            order = np.random.default_rng(seed).permutation(len(frame))
            test, train = np.sort(order[:len(frame) // 4]), np.sort(order[len(frame) // 4:])
            truth = frame[target].values[test]
            both = [ours(cursor, frame, target, task, test), theirs(frame, target, task, train, test)]
            losses.append([mean_squared_error(truth, s) if task == "regression" else
                           log_loss(truth, s, labels=np.unique(frame[target])) for s in both])
        losses = np.array(losses)
        difference = losses[:, 0] - losses[:, 1]
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        mean = losses.mean(axis=0)
        agrees = abs(difference.mean()) <= max(2 * error, 0.01 * mean[1]) or difference.mean() < 0
        missed += not agrees
        print(f"{name:14} {'mse' if task == 'regression' else 'log loss':9} {mean[0]:10.5g} {mean[1]:10.5g} "
              f"{difference.mean():11.3g} {error:10.3g} {'ok' if agrees else 'DIFFERS'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
