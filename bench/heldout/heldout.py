"""
What comparisons of held-out losses share: the tables, their random splits, and the lines that are printed.
"""
import argparse
import io
import os

import numpy as np
import pandas as pd
import psycopg2

# name of the file, and of the target after a colon where a file has several: target, features (None: all others), task, rows used
TABLES = {
    "diamonds": ("price", None, "regression", 10000),
    "diabetes": ("progression", None, "regression", None),
    "titanic": ("survived", ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked", "deck"], "classifier", None),
    "penguins": ("species", ["island", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "sex"], "classifier",
                 None),
    "breast_cancer": ("diagnosis", None, "classifier", None),
    "diamonds:cut": ("cut", None, "classifier", 10000),
    "titanic:fare": ("fare", ["pclass", "sex", "age", "sibsp", "parch", "survived", "embarked", "deck"], "regression", None),
}


def read(directories, name):
    for directory in directories:
        path = os.path.join(directory, name.split(":")[0] + ".csv")
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


def scored(cursor, frame, target, task, test, call, arguments=()):
    """Fits call, with {target} and {row}, to the rows that are not in test, and returns its scores of those that are."""
    cursor.execute("UPDATE held SET train = NOT (n = ANY(%s)) WHERE train <> NOT (n = ANY(%s))", (list(map(int, test)),) * 2)
    row = "ROW(" + ", ".join(f'"{c}"' for c in frame.columns if c != target) + ")"
    score = "predict" if task == "regression" else "probabilities"
    cursor.execute(f"CREATE TEMP TABLE model AS SELECT {call.format(target=target, row=row)} AS m FROM held WHERE train", arguments)
    cursor.execute(f"SELECT pgfit.{score}(m, {row}) FROM held, model WHERE NOT train ORDER BY n")
    scores = np.array([r[0] for r in cursor.fetchall()])
    cursor.execute("DROP TABLE model")
    return scores


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--seeds", type=int, default=20)
    return parser


def splits(frame, seeds):
    """Yields the seed, and the rows to fit and to test, a quarter of all."""
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(frame))
        yield seed, np.sort(order[len(frame) // 4:]), np.sort(order[:len(frame) // 4])


def compare(options, heading, most, losses):
    """
    Prints a line per table and label: losses(cursor, frame, target, task) yields labels with pairs of losses, pgfit's and the
    other's. most: rows used, from the limit of the table. Returns 1 if some disagree, else 0.
    """
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("SET client_min_messages = error; SET pgfit.fit_mem = '1GB'")
    missed = 0
    print(f"{'table':14} {heading:12} {'pgfit':>10} {'sklearn':>10} {'difference':>11} {'std error':>10}")
    for name, (target, chosen, task, limit) in TABLES.items():
        frame = read(options.directories, name)
        if frame is None:
            print(f"{name:14} not found")
            continue
        frame = frame[[c for c in frame.columns if (chosen is None and c != "id") or c in (chosen or []) or c == target]]
        if most(limit) is not None and len(frame) > most(limit):
            frame = frame.sample(most(limit), random_state=0).reset_index(drop=True)
        sql_table(cursor, frame)
        for label, pairs in losses(cursor, frame, target, task):
            pairs = np.array(pairs)
            difference = pairs[:, 0] - pairs[:, 1]
            error = difference.std(ddof=1) / np.sqrt(len(difference))
            mean = pairs.mean(axis=0)
            agrees = abs(difference.mean()) <= max(2 * error, 0.01 * mean[1]) or difference.mean() < 0
            missed += not agrees
            print(f"{name:14} {label:12} {mean[0]:10.5g} {mean[1]:10.5g} {difference.mean():11.3g} {error:10.3g} "
                  f"{'ok' if agrees else 'DIFFERS'}", flush=True)
    return 1 if missed else 0
