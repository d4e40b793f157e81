"""
A process that times scikit-learn on request. It reads one command per line and answers with milliseconds, or with a line that
says what is wrong:

    copy TABLE FEATURES EXPRESSION COPY BINARY of y and x into numpy, then the expression: elapsed time of both
    program TABLE FEATURES WORDS   a program, such as svm-train {data} {dir}/model; {data} is a file with y and x of the table as
                                   LIBSVM and LIBLINEAR read them, written once beforehand, {dir} a folder for results
    fit TABLE FEATURES EXPRESSION  the expression alone, such as Ridge(alpha=1).fit(X, y); the columns y and x of the
                                   table are read once beforehand and stay in memory

An expression may use the names of scikit-learn's public modules (linear_model, cluster ...), numpy as np, and what an earlier
expression on the same table assigned by NAME := ... PEER_CLOCK=processor measures an expression's processor time. Needs numpy,
scikit-learn and psycopg2; the caller limits the threads.
"""
import importlib
import io
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time

import numpy as np
import psycopg2

# of scikit-learn; a name that none of them has is looked for in xgboost
MODULES = ["calibration", "cluster", "covariance", "decomposition", "discriminant_analysis", "ensemble", "isotonic", "kernel_approximation",
           "kernel_ridge", "linear_model", "metrics", "mixture", "model_selection", "naive_bayes", "neighbors", "svm", "tree"]


def pull(cursor, query, features):
    """Returns x and y, read by COPY BINARY; every row has the same width."""
    buffer = io.BytesIO()
    cursor.copy_expert(f"COPY ({query}) TO STDOUT BINARY", buffer)
    row = np.dtype([("fields", ">i2"), ("y_length", ">i4"), ("y", ">f8"), ("x_length", ">i4"), ("head", ">i4", (5,)),
                    ("x", np.dtype([("length", ">i4"), ("value", ">f8")]), (features,))])
    rows = np.frombuffer(buffer.getbuffer(), dtype=row, offset=19, count=(buffer.tell() - 21) // row.itemsize)
    return np.ascontiguousarray(rows["x"]["value"].astype("f8")), rows["y"].astype("f8")


class Names(dict):
    """The names that an expression may use; those of scikit-learn are imported when they are needed."""

    def __missing__(self, name):
        for module in MODULES:
            found = importlib.import_module("sklearn." + module)
            if hasattr(found, name):
                return getattr(found, name)
        if name.startswith("XGB"):
            return getattr(importlib.import_module("xgboost"), name)
        raise KeyError(name)


def timed(code, names):
    clock = time.process_time if os.environ.get("PEER_CLOCK") == "processor" else time.perf_counter
    start = clock()
    eval(code, {}, names)  # pylint: disable=eval-used
    return (clock() - start) * 1000


def write_rows(cursor, table, features, path):
    """Writes y and x of a table as LIBSVM reads them."""
    X, y = pull(cursor, f"SELECT y::float8, x::float8[] FROM {table}", features)
    with open(path, "w", encoding="ascii") as out:
        for target, row in zip(y, X):
            out.write(f"{target:.17g} " + " ".join(f"{i}:{v:.17g}" for i, v in enumerate(row, 1)) + "\n")


def program(words, path, folder):
    """Returns the milliseconds that a program takes, reading its file included."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    clock = used if os.environ.get("PEER_CLOCK") == "processor" else time.perf_counter
    start = clock()
    subprocess.run(shlex.split(words.format(data=path, dir=folder)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (clock() - start) * 1000


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    tables = {}
    folder = tempfile.TemporaryDirectory(prefix="pgfit.bench.")  # pylint: disable=consider-using-with
    print("ready", flush=True)
    for line in sys.stdin:
        command, table, features, *rest = line.strip().split(" ", 3)
        try:
            if command == "copy":
                start = time.perf_counter()
                X, y = pull(cursor, f"SELECT y, x FROM {table}", int(features))
                eval(compile(rest[0], "expression", "eval"), {}, Names(X=X, y=y, np=np))  # pylint: disable=eval-used
                print((time.perf_counter() - start) * 1000, flush=True)
                continue
            if command == "program":
                path = os.path.join(folder.name, table)
                if not os.path.exists(path):
                    write_rows(cursor, table, int(features), path)
                print(program(rest[0], path, folder.name), flush=True)
                continue
            if table not in tables:
                tables.clear()
                X, y = pull(cursor, f"SELECT y::float8, x::float8[] FROM {table}", int(features))
                tables[table] = Names(X=X, y=y, np=np)
            print(timed(compile(rest[0], "expression", "eval"), tables[table]), flush=True)
        except Exception as error:  # pylint: disable=broad-except
            print(" ".join(f"{type(error).__name__}: {error}".split()), flush=True)
    folder.cleanup()


if __name__ == "__main__":
    main()
