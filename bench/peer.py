"""
Times opponents written in Python. peer.R does the same for those in R. A line of input is

    THREADS FILE FEATURES CODE

and the answer milliseconds by the clock and of processors, or what is wrong. FILE is a table's y and x as COPY BINARY writes them, read once
and kept until another file is named. CODE is an expression over X, y, threads and np, such as Ridge(alpha=1).fit(X, y), where names of scikit-learn,
XGBoost, faiss, LIBSVM and LIBLINEAR are there without an import. What stands before " ;; " in it runs once per file and is not timed; its names stay.

read() returns X and y from the table itself, which is how one would fetch it. native(NAME) compiles and loads NAME.cpp of this folder. duck(X) puts X
into DuckDB and returns a function that runs SQL on table x, with columns x1, x2 ...; DUCKDB_LIBRARY names its libduckdb.so.
"""
import ctypes
import importlib
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from threadpoolctl import threadpool_limits

from measure import processor_time

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = ["sklearn." + name for name in (
    "calibration", "cluster", "covariance", "decomposition", "discriminant_analysis", "ensemble", "isotonic", "kernel_approximation", "kernel_ridge",
    "linear_model", "metrics", "mixture", "model_selection", "naive_bayes", "neighbors", "svm", "tree")] + ["xgboost", "svmutil", "liblinearutil"]


def load(path, features):
    """Returns x and y of a file that COPY BINARY wrote; every row has the same width."""
    row = np.dtype([("fields", ">i2"), ("y_length", ">i4"), ("y", ">f8"), ("x_length", ">i4"), ("head", ">i4", (5,)),
                    ("x", np.dtype([("length", ">i4"), ("value", ">f8")]), (features,))])
    rows = np.fromfile(path, dtype=row, offset=19, count=(os.path.getsize(path) - 21) // row.itemsize)
    return np.ascontiguousarray(rows["x"]["value"].astype("f8")), rows["y"].astype("f8")


def native(name):
    """Returns the library made of NAME.cpp of this folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".so")
        subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-fopenmp", "-o", path, os.path.join(HERE, name + ".cpp")], check=True, capture_output=True)
        return ctypes.CDLL(path)


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def duck(X):
    """Returns a function that runs SQL in DuckDB, whose table x has the columns of X; a SELECT is run to its end."""
    library = ctypes.CDLL(os.environ.get("DUCKDB_LIBRARY", "libduckdb.so"))
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    library.duckdb_open(None, ctypes.byref(database))
    library.duckdb_connect(database, ctypes.byref(connection))

    def run(sql):
        result = ctypes.create_string_buffer(256)
        failed = library.duckdb_query(connection, sql.encode(), result)
        if failed:
            library.duckdb_result_error.restype = ctypes.c_char_p
            raise RuntimeError(library.duckdb_result_error(result).decode())
        library.duckdb_destroy_result(result)

    with tempfile.NamedTemporaryFile("w", suffix=".csv") as rows:
        np.savetxt(rows, X, "%.17g", ",")
        rows.flush()
        names = ", ".join(f"'x{i + 1}': 'DOUBLE'" for i in range(X.shape[1]))
        run(f"CREATE TABLE x AS SELECT * FROM read_csv('{rows.name}', header = false, columns = {{{names}}})")
    return run


class Names(dict):
    """The names that code may use; those of libraries are imported when they are needed."""

    def __missing__(self, name):
        for module in MODULES:
            try:
                found = importlib.import_module(module)
            except ImportError:
                continue
            if hasattr(found, name):
                break
        else:
            try:
                found = importlib.import_module(name)
            except ImportError:
                raise KeyError(name) from None
        self[name] = getattr(found, name, found)
        return self[name]


class Data:
    """The names of the file that is in memory."""

    def __init__(self, path, features):
        self.path = path
        X, y = load(path, features)
        self.done = set()

        def read():
            table = os.path.splitext(os.path.basename(path))[0]
            with tempfile.NamedTemporaryFile() as copied:
                copy = f"\\copy (SELECT y::float8, x::float8[] FROM {table}) TO '{copied.name}' BINARY"
                subprocess.run(["psql", "-X", "-q", "-c", copy], check=True)
                return load(copied.name, features)

        self.names = Names(X=X, y=y, np=np, read=read, native=native, pointer=pointer, duck=duck, ctypes=ctypes)

    def measure(self, threads, code):
        """Returns milliseconds by the clock and of processors, of all threads and processes."""
        before, _, timed = code.rpartition(" ;; ")
        self.names["threads"] = threads
        if before not in self.done:
            exec(before, {}, self.names)  # pylint: disable=exec-used
            self.done.add(before)
        compiled = compile(timed, "expression", "eval")
        for name in compiled.co_names:  # imports are not timed
            try:
                self.names[name]
            except KeyError:
                pass
        with threadpool_limits(threads):
            wall, processor = time.perf_counter(), used()
            eval(compiled, {}, self.names)  # pylint: disable=eval-used
            return (time.perf_counter() - wall) * 1000, (used() - processor) * 1000


def used():
    """Returns the processor seconds of this process, exactly, and those of its children, to a hundredth."""
    with open("/proc/thread-self/children", encoding="ascii") as stream:
        children = stream.read().split()
    usage = os.times()
    return time.process_time() + usage.children_user + usage.children_system + sum(map(processor_time, children))


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries print
    data = None
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        threads, path, features, code = line.rstrip("\n").split(" ", 3)
        try:
            if data is None or data.path != path:
                data = None
                data = Data(path, int(features))
            print(*data.measure(int(threads), code), file=answers, flush=True)
        except Exception as error:  # pylint: disable=broad-except
            print(" ".join(f"{type(error).__name__}: {error}".split()), file=answers, flush=True)


if __name__ == "__main__":
    main()
