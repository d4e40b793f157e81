#!/bin/bash
# Anybody can make a model with the fingerprint of another one. Each of the two scores as it does alone, wherever both are in one statement.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_fingerprints || exit 1
sql "CREATE TABLE points AS SELECT ARRAY[sin(i), i % 7, cos(i * i)] AS x, i % 7 + cos(i) AS y, i % 3 = 0 AS c FROM generate_series(1, 40) AS i" || exit 1
python3 - "$(dirname "$0")/../golden" <<'PY'
import json, struct, sys
sys.path.insert(0, sys.argv[1])
from session import Session, quote
MASK = (1 << 64) - 1
session = Session()

# the hash of src/core/model/model_hash.c, backward
def inverse(factor): return pow(factor, -1, 1 << 64)
def rotate(x, bits): return (x << bits | x >> 64 - bits) & MASK
def mixed(word): return rotate(word * 0x87c37b91114253d5 & MASK, 31) * 0x4cf5ad432745937f & MASK
def unmixed(word): return rotate(word * inverse(0x4cf5ad432745937f) & MASK, 33) * inverse(0x87c37b91114253d5) & MASK
def before(state): return rotate((state - 0x52dce729) * inverse(5) & MASK, 37) # combined with the last word
def state(fingerprint, words):
    x = fingerprint
    for factor in (0xc4ceb9fe1a85ec53, 0xff51afd7ed558ccd):
        x = (x ^ x >> 33) * inverse(factor) & MASK
    return x ^ x >> 33 ^ words
def fingerprint(model):
    return int(session.value(f"SELECT pgfit_internal.model_hash_extended({quote(json.dumps(model))}::pgfit.model, 0)::text AS f")) & MASK
def bits(number): return struct.unpack("<Q", struct.pack("<d", number))[0]
def with_last(model, number):
    """Sets the last number of the last array."""
    array = list(model["arrays"].values())[-1]
    (array["f64"] if isinstance(array, dict) else array)[-1] = number.hex()
    return model

def with_fingerprint(model, wanted, low, high):
    """Changes the count of skipped rows, and the last number within limits, so that a model has this fingerprint."""
    states = [(bits(n), fingerprint(with_last(model, n))) for n in (0.2, 0.3, 0.5, 0.7, 0.11)]
    # one number of words alone explains all of them
    words = next(n for n in range(1, 1000) if len({before(state(f, n)) ^ mixed(word) for word, f in states}) == 1)
    for model["skipped"] in range(1000):
        now = before(state(fingerprint(with_last(model, 0.25)), words)) ^ mixed(bits(0.25))
        number, = struct.unpack("<d", struct.pack("<Q", unmixed(before(state(wanted, words)) ^ now)))
        if low < number < high:
            return with_last(model, number)

fit = "SELECT pgfit.{}::text AS m FROM points"
pairs = {
    "pca": (fit.format("pca(x, 1)"), fit.format("pca(x, 2)"), 0, 0.4),
    "linear": (fit.format("linear_regression(y, x, '{\"intercept\": false}')"), fit.format("linear_regression(2 * y, x, '{\"intercept\": false, \"level\": 0.5}')"), -9, 9),
    "bayes": (fit.format("naive_bayes(c, x, '{\"positive\": true}')"), fit.format("naive_bayes(c, x, '{\"positive\": false}')"), 0.01, 9),
    "near": (fit.format("knn_regression(y, x, 1)"), fit.format("knn_regression(2 * y, x, 1)"), -9, 9),
}
for name, (a, b, low, high) in pairs.items():
    a, b = json.loads(session.value(a)), json.loads(session.value(b))
    b = with_fingerprint(b, fingerprint(a), low, high)
    session.execute(f"CREATE TABLE {name} (id int, m pgfit.model); INSERT INTO {name} VALUES (1, {quote(json.dumps(a))}), (2, {quote(json.dumps(b))})")
    same = session.value(f"SELECT count(DISTINCT pgfit_internal.model_hash_extended(m, 0)) = 1 AND count(DISTINCT m) = 2 AS s FROM {name}")
    print("ok" if same else "not ok", f"- two models of {name} have one fingerprint")
for name, call in [("pca", "transform_row(m, ARRAY[1, 2, 3])"), ("pca", "transform(m, ARRAY[1, 2, 3])"), ("linear", "predict_interval(m, ARRAY[1, 2, 3])"),
                   ("near", "predict_batch(m, ARRAY[1, 2, 3]) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"), ("bayes", "probability(m, ARRAY[1, 2, 3])")]:
    rows = f"SELECT id, (pgfit.{call})::text AS s FROM (SELECT id, m FROM {name}, generate_series(1, 3) {{}} ORDER BY id OFFSET 0) AS p"
    both = f"SELECT array_agg(s ORDER BY id) AS s FROM ({rows}) AS q"
    together, alone = session.value(both.format("")), session.value(both.format("WHERE id = 1")) + session.value(both.format("WHERE id = 2"))
    print("ok" if together == alone and together[0] != together[3] else "not ok", f"- each model has its own {call}")
    if together != alone:
        print("  together:", together, "\n  alone:", alone)
PY
