#!/bin/bash
# drift against numpy and scipy: equal up to 1,024 different values; past that ks is too small by at most ks_error.
. "$(dirname "$0")/lib.sh"
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import numpy, scipy.stats, psycopg2' 2>/dev/null || { echo "ok - no numpy, scipy and psycopg2 here # SKIP"; exit 0; }
fresh_database pgfit_drift || exit 1

"$python" - <<'PYTHON'
import numpy as np
import psycopg2
from scipy.stats import ks_2samp


def stability(then, now, bins=10, least=1e-4):
    """The index over the deciles of then, which are values that occur."""
    values, counts = np.unique(then, return_counts=True)
    cuts, next_cut = [], 1
    for value, below in zip(values, np.cumsum(counts)):
        if below * bins >= next_cut * len(then) and below < len(then):
            cuts.append(value)
            while below * bins >= next_cut * len(then):
                next_cut += 1
    shares = [np.maximum(np.bincount(np.searchsorted(cuts, rows), minlength=len(cuts) + 1) / len(rows), least) for rows in (then, now)]
    return ((shares[1] - shares[0]) * np.log(shares[1] / shares[0])).sum()


draw = np.random.default_rng(0)
cases = {
    "normal, 900 rows": (draw.normal(size=900), draw.normal(0.3, 1.2, 700)),
    "repeated values": (draw.integers(0, 30, 5000).astype(float), draw.integers(2, 33, 4000).astype(float)),
    "one value": (np.zeros(10), np.array([0.0, 1.0])),
    "normal, 20000 rows": (draw.normal(size=20000), draw.normal(0.1, 1, 20000)),
    "far from zero": (draw.normal(1e6, 5, 20000), draw.normal(1e6 + 1, 5, 20000)),
    "heavy tail": (draw.pareto(1, 30000), draw.pareto(1.1, 30000)),
    "all magnitudes": (np.exp(draw.uniform(-700, 700, 20000)), -np.exp(draw.uniform(-700, 700, 20000))),
}
cursor = psycopg2.connect("").cursor()
for name, (then, now) in cases.items():
    cursor.execute("""SELECT psi, ks, ks_error FROM pgfit.drift((SELECT pgfit.feature_summary(f) FROM (SELECT unnest(%s::float8[]) AS a) AS f),
                                                                (SELECT pgfit.feature_summary(f) FROM (SELECT unnest(%s::float8[]) AS a) AS f))""",
                   (then.tolist(), now.tolist()))
    psi, ks, error = cursor.fetchone()
    true_psi, true_ks = stability(then, now), ks_2samp(then, now, mode="asymp").statistic
    exact = max(len(np.unique(then)), len(np.unique(now))) <= 1024
    good = abs(psi - true_psi) <= (1e-9 if exact else 0.02 * true_psi + 0.001) and ks - 1e-9 <= true_ks <= ks + error + 1e-9 and (not exact or error == 0)
    print(f"{'ok' if good else 'not ok'} - {name}: psi {psi:.6f} and {true_psi:.6f}, ks {ks:.6f} and {true_ks:.6f}, by at most {error:.6f}")
PYTHON
