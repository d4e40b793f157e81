"""
COPY BINARY into numpy and scikit-learn's LinearRegression, as a process that measures on request:
a line "copy TABLE FEATURES" in, milliseconds out. Needs numpy, scikit-learn and psycopg2.
"""
import io
import sys
import time

import numpy as np
import psycopg2
from sklearn.linear_model import LinearRegression


def pull(cursor, table, features):
    """y and x by COPY BINARY; every row has the same width."""
    buffer = io.BytesIO()
    cursor.copy_expert(f"COPY (SELECT y, x FROM {table}) TO STDOUT BINARY", buffer)
    row = np.dtype([("fields", ">i2"), ("y_length", ">i4"), ("y", ">f8"), ("x_length", ">i4"), ("head", ">i4", (5,)),
                    ("x", np.dtype([("length", ">i4"), ("value", ">f8")]), (features,))])
    rows = np.frombuffer(buffer.getbuffer(), dtype=row, offset=19, count=(buffer.tell() - 21) // row.itemsize)
    return np.ascontiguousarray(rows["x"]["value"].astype("f8")), rows["y"].astype("f8")


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    print("ready", flush=True)
    for line in sys.stdin:
        _, table, features = line.split()
        start = time.perf_counter()
        LinearRegression().fit(*pull(cursor, table, int(features)))
        print((time.perf_counter() - start) * 1000, flush=True)


if __name__ == "__main__":
    main()
