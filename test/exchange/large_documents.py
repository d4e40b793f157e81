#!/usr/bin/env python3
"""
Imports documents of about 100 MB in every form, and prints seconds and the most memory of the server process beyond what it had before:
scripts/exchange-check-large. Reads /proc, so on Linux, as the user of the server or root.

usage: large_documents.py [MB]
"""
import json
import sys
import time

import numpy as np

import psycopg2
from onnx import TensorProto

from onnx_models import document, matrix, ml

DEPTH = 12


def tree(rng):
    """A full tree: children, features, thresholds or leaves, by number."""
    inner, nodes = 2 ** DEPTH - 1, 2 ** (DEPTH + 1) - 1
    number = np.arange(nodes)
    left = np.where(number < inner, 2 * number + 1, -1)
    return left, np.where(left < 0, -1, left + 1), np.where(left < 0, 0, rng.integers(0, 8, nodes)), rng.normal(size=nodes).astype(np.float32)


def xgboost_tree(rng, number):
    left, right, feature, value = tree(rng)
    parents = np.full(len(left), 2147483647)
    parents[left[left > 0]], parents[right[right > 0]] = np.flatnonzero(left > 0), np.flatnonzero(left > 0)
    ones = np.ones(len(left))
    return {"base_weights": value.tolist(), "categories": [], "categories_nodes": [], "categories_segments": [], "categories_sizes": [], "default_left": (feature % 2).tolist(),
            "id": number, "left_children": left.tolist(), "right_children": right.tolist(), "parents": parents.tolist(), "loss_changes": ones.tolist(), "sum_hessian": ones.tolist(),
            "split_conditions": [float(x) for x in value], "split_indices": feature.tolist(), "split_type": [0] * len(left),
            "tree_param": {"num_deleted": "0", "num_feature": "8", "num_nodes": str(len(left)), "size_leaf_vector": "0"}}


def xgboost_document(rng, size):
    trees, bytes_of_tree = [], len(json.dumps(xgboost_tree(rng, 0)))
    for number in range(max(1, size // bytes_of_tree)):
        trees.append(xgboost_tree(rng, number))
    return {"version": [1, 7, 4], "learner": {"attributes": {}, "feature_names": [f"x{j}" for j in range(8)], "feature_types": ["float"] * 8,
            "learner_model_param": {"base_score": "5E-1", "num_class": "0", "num_feature": "8", "num_target": "1"}, "objective": {"name": "reg:squarederror"},
            "gradient_booster": {"name": "gbtree", "model": {"gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))}, "tree_info": [0] * len(trees), "trees": trees}}}}


def ubjson(value):
    """Writes a value as XGBoost does: typed arrays of numbers."""
    if isinstance(value, dict):
        return b"{" + b"".join(b"L" + len(k).to_bytes(8, "big") + k.encode() + ubjson(v) for k, v in value.items()) + b"}"
    if isinstance(value, str):
        return b"SL" + len(value).to_bytes(8, "big") + value.encode()
    if isinstance(value, list) and value and all(isinstance(x, (int, float)) for x in value):
        kind, dtype = (b"d", ">f4") if any(isinstance(x, float) for x in value) else (b"l", ">i4")
        return b"[$" + kind + b"#L" + len(value).to_bytes(8, "big") + np.array(value, dtype=dtype).tobytes()
    if isinstance(value, list):
        return b"[" + b"".join(ubjson(x) for x in value) + b"]"
    return b"l" + int(value).to_bytes(4, "big", signed=True)


def onnx_document(rng, size):
    lists = {name: [] for name in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")}
    leaves = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}
    bytes_of_node = 25
    for number in range(max(1, size // (bytes_of_node * 2 ** (DEPTH + 1)))):
        left, right, feature, value = tree(rng)
        inner = left >= 0
        for name, x in zip(lists, (np.full(len(left), number), np.arange(len(left)), feature, np.where(inner, "BRANCH_LEQ", "LEAF"), np.where(inner, value, 0),
                                   np.maximum(left, 0), np.maximum(right, 0))):
            lists[name] += x.tolist()
        for name, x in zip(leaves, (np.full((~inner).sum(), number), np.flatnonzero(~inner), np.zeros((~inner).sum(), dtype=int), value[~inner])):
            leaves[name] += x.tolist()
    attributes = {f"nodes_{k}": v for k, v in lists.items()} | {f"target_{k}": v for k, v in leaves.items()}
    return document([ml("TreeEnsembleRegressor", ["X"], ["variable"], n_targets=1, **attributes)], matrix(8), [("variable", TensorProto.FLOAT)])


def connect():
    connection = psycopg2.connect(dbname="postgres")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("SET search_path = public, pgfit; SET client_min_messages = error; SET pgfit.fit_mem = '1GB'; SELECT pg_backend_pid()")
    return connection, cursor, cursor.fetchone()[0]


def peak(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def measure(what, column, bytes_):
    connection, cursor, pid = connect()
    cursor.execute("SELECT kmeans(i, 1) FROM generate_series(1, 3) i")
    before = peak(pid)
    began = time.time()
    try:
        cursor.execute(f"SELECT pg_column_size(import_model({column})) FROM large WHERE what = %s", (what,))
        size = f"a model of {cursor.fetchone()[0] / 2 ** 20:.0f} MB"
    except psycopg2.Error as error:
        size = str(error).strip()
    print(f"{what:14} as {column:6} {bytes_ / 2 ** 20:4.0f} MB: {time.time() - began:5.1f} s, {peak(pid) - before:5.0f} MB, {size}", flush=True)
    connection.close()


def main():
    size = int(sys.argv[1]) << 20 if len(sys.argv) > 1 else 100 << 20
    rng = np.random.default_rng(1)
    connection, cursor, _ = connect()
    cursor.execute("CREATE TABLE large (what text, jsonb jsonb, text text, bytea bytea); ALTER TABLE large ALTER bytea SET STORAGE external")
    value = xgboost_document(rng, size)
    text = json.dumps(value)
    cursor.execute("INSERT INTO large VALUES ('XGBoost JSON', %s, %s, convert_to(%s, 'UTF8'))", (text, text, text))
    measure("XGBoost JSON", "jsonb", len(text))
    measure("XGBoost JSON", "text", len(text))
    measure("XGBoost JSON", "bytea", len(text))
    del text
    content = ubjson(value)
    del value
    cursor.execute("INSERT INTO large VALUES ('XGBoost UBJSON', NULL, NULL, %s)", (psycopg2.Binary(content),))
    measure("XGBoost UBJSON", "bytea", len(content))
    content = onnx_document(rng, size)
    cursor.execute("INSERT INTO large VALUES ('ONNX', NULL, NULL, %s)", (psycopg2.Binary(content),))
    measure("ONNX", "bytea", len(content))


if __name__ == "__main__":
    main()
