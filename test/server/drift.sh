#!/bin/bash
# drift against numpy and scipy: equal up to 1,024 different values; past that ks is too small by at most ks_error. PGFIT_SEED: other random rows.
. "$(dirname "$0")/lib.sh"
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import numpy, scipy.stats, psycopg2' 2>/dev/null || { echo "ok - no numpy, scipy and psycopg2 here # SKIP"; exit 0; }
fresh_database pgfit_drift || exit 1

"$python" - <<'PYTHON'
import os

import numpy as np
import psycopg2
from scipy.stats import ks_2samp

LEAST = 1e-4


def term(then, now):
    then, now = np.maximum(then, LEAST), np.maximum(now, LEAST)
    return ((now - then) * np.log(now / then)).sum()


def stability(then, now, bins=10):
    """The index of numbers, over the deciles of then, which are values that occur; a value that is a tenth of then has a bin of its own."""
    values, counts = np.unique(then, return_counts=True)
    cuts, next_cut = [], 1  # (value, whether it is in the bin below)
    for value, count, below in zip(values, counts, np.cumsum(counts)):
        heavy = count * bins >= len(then)
        if heavy:
            cuts.append((value, 0))
        if heavy or (below * bins >= next_cut * len(then) and below < len(then)):
            cuts.append((value, 1))
            while below * bins >= next_cut * len(then):
                next_cut += 1

    def shares(rows):
        below = [0] + [np.count_nonzero(rows <= value if included else rows < value) for value, included in cuts] + [len(rows)]
        return np.diff(below) / len(rows)
    return term(shares(then), shares(now))


def check(name, good, told):
    print(f"{'ok' if good else 'not ok'} - {name}" + ("" if good else f": {told}"))


connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("SET client_min_messages = error")
seed = int(os.environ.get("PGFIT_SEED", "0"))
draw = np.random.default_rng(seed)
cases = {
    "normal, 900 rows": (draw.normal(size=900), draw.normal(0.3, 1.2, 700)),
    "repeated values": (draw.integers(0, 30, 5000).astype(float), draw.integers(2, 33, 4000).astype(float)),
    "mostly zeros": (np.where(draw.random(3000) < 0.8, 0, draw.exponential(size=3000).round(1)), np.where(draw.random(2000) < 0.5, 0, draw.exponential(size=2000).round(1))),
    "a flag that is mostly 1": ((draw.random(4000) < 0.95).astype(float), (draw.random(4000) < 0.5).astype(float)),
    "one value": (np.zeros(10), np.array([0.0, 1.0])),
    "another value": (np.full(50, 3.5), np.full(20, -2.0)),
    "a row each": (np.array([1.0]), np.array([2.0])),
    "three rows": (np.array([1.0, 2.0, 3.0]), draw.normal(2, 1, 5).round(2)),
    "denormal and huge": (np.array([5e-324, 1e308, -1e308, 0.0, -0.0] * 4), np.array([1e-320, 1.7e308, 0.0])),
    "normal, 20000 rows": (draw.normal(size=20000), draw.normal(0.1, 1, 20000)),
    "far from zero": (draw.normal(1e6, 5, 20000), draw.normal(1e6 + 1, 5, 20000)),
    "heavy tail": (draw.pareto(1, 30000), draw.pareto(1.1, 30000)),
    "Cauchy": (draw.standard_cauchy(20000), draw.standard_cauchy(20000) * 1.5),
    "all magnitudes": (np.exp(draw.uniform(-700, 700, 20000)), -np.exp(draw.uniform(-700, 700, 20000))),
    "rounded, with many ties": (draw.normal(0, 100, 30000).round(), draw.normal(10, 100, 20000).round()),
}
for name, (then, now) in cases.items():
    cursor.execute("""SELECT psi, ks, ks_error, mean_then, mean_now FROM pgfit.drift((SELECT pgfit.feature_summary(f) FROM (SELECT unnest(%s::float8[]) AS a) AS f),
                                                                (SELECT pgfit.feature_summary(f) FROM (SELECT unnest(%s::float8[]) AS a) AS f))""",
                   (then.tolist(), now.tolist()))
    psi, ks, error, *means = cursor.fetchone()
    true_psi, true_ks = stability(then, now), ks_2samp(then, now, mode="asymp").statistic
    exact = max(len(np.unique(then)), len(np.unique(now))) <= 1024
    good = abs(psi - true_psi) <= (1e-9 if exact else 0.02 * true_psi + 0.001) and ks - 1e-9 <= true_ks <= ks + error + 1e-9 and (not exact or error == 0)
    if np.abs(then).max() < 1e300:
        good = good and np.allclose(means, [then.mean(), now.mean()], rtol=1e-9, atol=1e-9 * np.abs(then).max())
    check(f"{name}: psi {psi:.6f} and {true_psi:.6f}, ks {ks:.6f} and {true_ks:.6f}, by at most {error:.6f}", good, means)

# ---- columns of all types, through train and the name of the model ----

names = ["n", "i", "flag", "k", "e", "day", "gaps"]
cursor.execute("CREATE TYPE mood AS ENUM ('low', 'mid', 'high')")
columns = "y float8, n numeric, i int, flag boolean, k text, e mood, day date, gaps float8, unused text"


def rows(count, shift, levels):
    """Returns rows of those columns. Some values are missing; some of gaps are NaN or infinite after training, which refuses such rows."""
    made, strange = [], [float("nan"), float("inf"), float("-inf"), 0.5]
    for _ in range(count):
        made.append([draw.normal(), None if draw.random() < 0.05 + shift / 5 else round(draw.normal(shift), 2), int(draw.poisson(3 + shift)),
                     bool(draw.random() < 0.9 - shift / 3), None if draw.random() < 0.1 else str(draw.choice(levels)), str(draw.choice(["low", "mid", "high"], p=[0.2, 0.5 - shift / 9, 0.3 + shift / 9])),
                     f"2026-01-{1 + int(draw.integers(0, 20 + 8 * shift)):02d}", None if draw.random() < 0.2 else strange[min(3, int(draw.integers(0, 12)))] if shift and draw.random() < 0.5 else float(draw.normal(shift)),
                     "x"])
    return made


tables = {"past": rows(1200, 0, ["a", "b", "c", "d"]), "today": rows(800, 1, ["b", "c", "d", "e", "f", ""])}
for table, made in tables.items():
    cursor.execute(f"CREATE TABLE {table} ({columns})")
    cursor.executemany(f"INSERT INTO {table} VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)", made)
cursor.execute(
    """SELECT version FROM pgfit.train('watched', 'linear_regression', 'past', 'y ~ log(i + 1) + ns(n, 3) + flag + k + e + day + gaps', '{"nulls": "impute", "holdout": false}')""")
cursor.execute("SELECT feature, psi, ks, unseen, unseen_share, unseen_examples, null_share_then, null_share_now FROM pgfit.drift('watched', 'today')")
drifts = {row[0]: row[1:] for row in cursor.fetchall()}
check("drift by name is about the columns that the formula reads", sorted(drifts) == sorted(names), sorted(drifts))


def usable(table, name):
    """Returns the values of a column that are not missing, as numbers or texts."""
    kept = []
    for row in tables[table]:
        value = row[1 + names.index(name)]
        if value is None or (isinstance(value, float) and not np.isfinite(value)):
            continue
        kept.append(value)
    return kept


def number_of_day(text):
    return float(np.datetime64(text).astype(int))


for name in names:
    psi, ks, unseen, unseen_share, examples, null_then, null_now = drifts[name]
    then, now = usable("past", name), usable("today", name)
    good = np.isclose(null_then, 1 - len(then) / 1200) and np.isclose(null_now, 1 - len(now) / 800)
    if name in ("n", "i", "flag", "gaps", "day"):
        then, now = (np.array([number_of_day(v) if name == "day" else float(v) for v in values]) for values in (then, now))
    if isinstance(then, np.ndarray):
        good = good and np.isclose(psi, stability(then, now)) and np.isclose(ks, ks_2samp(then, now, mode="asymp").statistic)
    else:
        levels = sorted(set(then))
        strange = [v for v in now if v not in levels]
        shares = [[values.count(v) / len(values) for v in levels] + [len([v for v in values if v not in levels]) / len(values)] for values in (then, now)]
        common = sorted(set(strange), key=lambda v: (-strange.count(v), v.encode()))[:5]
        good = good and np.isclose(psi, term(*map(np.array, shares))) and unseen == len(strange) and np.isclose(unseen_share, len(strange) / len(now)) and (examples or []) == common
    check(f"{name}: psi, ks or unseen levels, missing values", good, drifts[name])

cursor.execute("""CREATE TABLE stages AS SELECT pgfit.pipeline(s, pgfit.linear_regression(y, pgfit.transform(s, f))) AS m
    FROM (SELECT pgfit.standard_scaler(f) AS s FROM (SELECT i, gaps FROM past) AS f WHERE gaps IS NOT NULL) AS s,
         past, LATERAL (SELECT past.i, past.gaps) AS f WHERE past.gaps IS NOT NULL GROUP BY s""")
cursor.execute("""SELECT array_agg(d.feature::text ORDER BY d.feature), bool_and(d.psi >= 0)
    FROM (SELECT pgfit.with_summary(m, (SELECT pgfit.feature_summary(f) FROM (SELECT i, gaps FROM past) AS f)) AS m FROM stages) AS s, pgfit.drift(m, 'today') AS d""")
check("a pipeline is compared in the columns of its first stage", cursor.fetchone() == (["gaps", "i"], True), "")
PYTHON
