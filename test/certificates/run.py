#!/usr/bin/env python3
"""
Certificates of optimality: random small problems whose objectives are computed here from what a model says, and compared with the
optimum that scipy, libsvm or brute force finds, or with the definition. No number of the model's own report is believed.

The last line counts: "N passed, N failed". Needs numpy, scipy and scikit-learn.
"""
import argparse
import itertools
import math
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is loaded: problems are small

import numpy as np
from scipy import optimize, special
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, pdist

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
from session import Session  # noqa: E402

GAP = 1e-6  # of the objective: how far a fit may be from the optimum
D = 3
BATCH = 40


class Problem:
    """Rows x (with a missing x1 in some), category c, targets y, p > 0, classes k, and weights w."""

    def __init__(self, rng):
        n = int(rng.choice([5, 8, 12, 20, 40]))
        self.n, self.whole = n, rng.random() < 0.4
        x = rng.normal(size=(n, D)) * rng.choice([0.3, 1, 3], size=D)
        self.x = np.round(x) if self.whole else x
        if rng.random() < 0.2:
            self.x[:, 2] = self.x[:, 0] + (0 if rng.random() < 0.5 else self.x[:, 1])  # dependent columns
        noise = rng.normal(size=n) * rng.choice([0.1, 1, 3])
        y = self.x @ rng.normal(size=D) + noise
        self.y = np.round(y) if self.whole else y
        self.p = np.maximum(1, np.round(np.abs(self.y)))
        self.k = (self.y + rng.normal(size=n) > 0).astype(int)
        self.k[:2] = 0, 1
        self.k3 = np.where(rng.random(n) < 0.3, 2, self.k)
        self.k3[:3] = 0, 1, 2
        self.w = rng.integers(1, 4, n).astype(float)
        self.c = rng.integers(0, 3, n)
        self.missing = rng.random(n) < (0.2 if rng.random() < 0.5 else 0)

    def rows(self, number):
        f = lambda v: repr(float(v))
        for i in range(self.n):
            x = ", ".join(f(v) for v in self.x[i])
            yield (f"({number}, {i}, {x}, {'NULL' if self.missing[i] else f(self.x[i, 0])}, 'c{self.c[i]}', {f(self.y[i])}, {f(self.p[i])}, "
                   f"'k{self.k[i]}', 'k{self.k3[i]}', {f(self.w[i])})")


# ---- sums of losses of an equation ----

def log_loss(f, y):
    return np.logaddexp(0, -(2 * y - 1) * f), -(2 * y - 1) * special.expit(-(2 * y - 1) * f)


def probit_loss(f, y):
    s = 2 * y - 1
    return -special.log_ndtr(s * f), -s * np.exp(-f * f / 2 - 0.5 * math.log(2 * math.pi) - special.log_ndtr(s * f))


def cloglog_loss(f, y):
    e = np.exp(np.minimum(f, 30))
    return np.where(y == 1, -np.log(-np.expm1(-np.maximum(e, 1e-300))), e), np.where(y == 1, -e / np.expm1(np.minimum(e, 700)), e)


def huber_loss(f, y, t):
    r = f - y
    return np.where(np.abs(r) <= t, r * r / 2, t * np.abs(r) - t * t / 2), np.clip(r, -t, t)


LOSSES = {
    "squares": lambda f, y: ((y - f) ** 2, 2 * (f - y)),
    "logistic": log_loss, "probit": probit_loss, "cloglog": cloglog_loss,
    "poisson": lambda f, y: (np.exp(f) - y * f, np.exp(f) - y),
    "gamma": lambda f, y: (y * np.exp(-f) + f, 1 - y * np.exp(-f)),
    "tweedie": lambda f, y: (y * np.exp(-f / 2) * 2 + 2 * np.exp(f / 2), -y * np.exp(-f / 2) + np.exp(f / 2)),
    "negative_binomial": lambda f, y: ((y + 2) * np.logaddexp(math.log(2), f) - y * f, (y + 2) * special.expit(f - math.log(2)) - y),
    "half_squares": lambda f, y: ((y - f) ** 2 / 2, f - y),
    "squared_hinge": lambda f, y: (np.maximum(0, 1 - (2 * y - 1) * f) ** 2, -2 * (2 * y - 1) * np.maximum(0, 1 - (2 * y - 1) * f)),
    "squared_epsilon": lambda f, y: (np.maximum(0, np.abs(y - f) - 0.1) ** 2, 2 * np.sign(f - y) * np.maximum(0, np.abs(y - f) - 0.1)),
}


class Convex:
    """loss summed over rows, times C, + l1 * sum |w| + l2 * sum w^2, of an equation of x, perhaps with bounds of w and without intercept."""

    def __init__(self, call, loss, target, l1=0.0, l2=0.0, C=1.0, bounds=(None, None), intercept=True, weighted=False):
        self.call, self.loss, self.target, self.l1, self.l2, self.C, self.bounds, self.intercept, self.weighted = call, loss, target, l1, l2, C, bounds, intercept, weighted
        self.says = "(SELECT json_object_agg(term, estimate) FROM pgfit.coefficients(m))"
        self.name = call

    def check(self, problem, said):
        theta = np.array([said.get("(intercept)") or 0] + [said.get(t) or 0 for t in ("x1", "x2", "x3")])
        y, w = getattr(problem, self.target).astype(float), problem.w if self.weighted else np.ones(problem.n)
        design = np.column_stack([np.full(problem.n, 1.0 if self.intercept else 0.0), problem.x])

        def value(v):  # v: intercept, parts of w above and below 0
            b = np.concatenate([v[:1], v[1:D + 1] - v[D + 1:]])
            with np.errstate(over="ignore"):
                losses, slopes = LOSSES[self.loss](np.clip(design @ b, -500, 500), y)
            g = self.C * design.T @ (w * slopes)
            return (self.C * w @ losses + self.l1 * v[1:].sum() + self.l2 * b[1:] @ b[1:],
                    np.concatenate([g[:1], self.l1 + g[1:] + 2 * self.l2 * b[1:], self.l1 - g[1:] - 2 * self.l2 * b[1:]]))

        low, high = self.bounds
        if (low is not None and min(theta[1:]) < low - 1e-12) or (high is not None and max(theta[1:]) > high + 1e-12):
            return f"a coefficient is out of its bounds: {theta}"
        split = lambda b: np.concatenate([b[:1], np.maximum(b[1:], 0), np.maximum(-b[1:], 0)])
        limits = [(None, None)] + [(max(low, 0) if low is not None else 0, high)] * D + [(0, None if low is None else max(-low, 0))] * D
        here = value(split(theta))[0]
        starts = [split(theta), np.clip(np.zeros(2 * D + 1), [a if a is not None else -1e9 for a, _ in limits], [b if b is not None else 1e9 for _, b in limits])]
        found = [optimize.minimize(value, s, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 3000, "ftol": 1e-15, "gtol": 1e-10}).fun for s in starts]
        return None if here <= min(found) + GAP * (1 + abs(here)) else f"objective {here}, and scipy finds {min(found)}"


class Multinomial(Convex):
    def __init__(self, call, l1, l2):
        super().__init__(call, None, "k3", l1, l2)
        self.says = "(SELECT json_object_agg(class || ' ' || term, estimate) FROM pgfit.coefficients(m))"

    def check(self, problem, said):
        theta = np.array([[said.get(f"k{c} {t}") or 0 for t in ("(intercept)", "x1", "x2", "x3")] for c in range(3)])
        design = np.column_stack([np.ones(problem.n), problem.x])

        def value(v):
            b = np.column_stack([v[:3], (v[3:12] - v[12:]).reshape(3, D)])
            f = design @ b.T
            total = special.logsumexp(f, axis=1)
            share = np.exp(f - total[:, None])
            share[np.arange(problem.n), problem.k3] -= 1
            g = share.T @ design
            smooth = g[:, 1:] + 2 * self.l2 * b[:, 1:]
            return ((total - f[np.arange(problem.n), problem.k3]).sum() + self.l1 * v[3:].sum() + self.l2 * (b[:, 1:] ** 2).sum(),
                    np.concatenate([g[:, 0], (self.l1 + smooth).ravel(), (self.l1 - smooth).ravel()]))

        split = lambda b: np.concatenate([b[:, 0], np.maximum(b[:, 1:], 0).ravel(), np.maximum(-b[:, 1:], 0).ravel()])
        here = value(split(theta))[0]
        limits = [(None, None)] * 3 + [(0, None)] * 18
        found = [optimize.minimize(value, s, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 3000, "ftol": 1e-15, "gtol": 1e-10}).fun for s in (split(theta), np.zeros(21))]
        return None if here <= min(found) + GAP * (1 + abs(here)) else f"objective {here}, and scipy finds {min(found)}"


class Huber(Convex):
    """At the scale that the model reports, its equation minimizes Huber's loss."""

    def __init__(self, call):
        super().__init__(call, None, "y")
        self.says = "(SELECT json_object_agg(term, estimate) FROM pgfit.coefficients(m)), 'scale', pgfit.info(m) #> '{statistics,scale}'"

    def check(self, problem, said):
        scale = said["scale"]
        LOSSES["huber"] = lambda f, y: huber_loss(f, y, 1.345 * scale)
        self.loss = "huber"
        return super().check(problem, said["said"])


class Quantile(Convex):
    """The check losses against a linear program."""

    def __init__(self, call, tau, weighted=False):
        super().__init__(call, None, "y", weighted=weighted)
        self.tau = tau

    def check(self, problem, said):
        theta = np.array([said.get("(intercept)") or 0] + [said.get(t) or 0 for t in ("x1", "x2", "x3")])
        design, n, w = np.column_stack([np.ones(problem.n), problem.x]), problem.n, problem.w if self.weighted else np.ones(problem.n)
        r = problem.y - design @ theta
        here = w @ np.where(r > 0, self.tau * r, (self.tau - 1) * r)
        best = optimize.linprog(np.concatenate([np.zeros(D + 1), self.tau * w, (1 - self.tau) * w]), A_eq=np.hstack([design, np.eye(n), -np.eye(n)]), b_eq=problem.y,
                                bounds=[(None, None)] * (D + 1) + [(0, None)] * (2 * n), method="highs")
        return None if here <= best.fun + GAP * (1 + abs(here)) else f"objective {here}, and a linear program finds {best.fun}"


class Margin(Convex):
    """Hinge and epsilon-insensitive losses against libsvm: its multipliers are feasible, so their dual objective is a lower bound."""

    def __init__(self, call, target, C):
        super().__init__(call, None, target, C=C)

    def check(self, problem, said):
        from sklearn.svm import SVC, SVR
        theta = np.array([said.get("(intercept)") or 0] + [said.get(t) or 0 for t in ("x1", "x2", "x3")])
        f, kernel = problem.x @ theta[1:] + theta[0], problem.x @ problem.x.T
        if self.target == "k":
            s = 2.0 * problem.k - 1
            here = theta[1:] @ theta[1:] / 2 + self.C * np.maximum(0, 1 - s * f).sum()
            machine = SVC(C=self.C, kernel="precomputed", tol=1e-9).fit(kernel, s)
            a = np.zeros(problem.n)
            a[machine.support_] = machine.dual_coef_[0]
            bound = np.abs(a).sum() - a @ kernel @ a / 2
        else:
            here = theta[1:] @ theta[1:] / 2 + self.C * np.maximum(0, np.abs(problem.y - f) - 0.1).sum()
            machine = SVR(C=self.C, kernel="precomputed", epsilon=0.1, tol=1e-9).fit(kernel, problem.y)
            a = np.zeros(problem.n)
            a[machine.support_] = machine.dual_coef_[0]
            bound = a @ problem.y - 0.1 * np.abs(a).sum() - a @ kernel @ a / 2
        return None if here <= bound + 10 * GAP * (1 + abs(here)) else f"objective {here}, and libsvm proves {bound}"


class Cox(Convex):
    """Breslow's partial likelihood, which is convex; every second row is an event. A fit without a maximum, whose scores pass 300, has to say so."""

    def __init__(self, call):
        super().__init__(call, None, "p")
        self.says = "(SELECT json_object_agg(term, estimate) FROM pgfit.coefficients(m)), 'converged', pgfit.info(m) -> 'converged'"

    def check(self, problem, said):
        converged, said = said["converged"], said["said"]
        theta = np.array([said.get(t) or 0 for t in ("x1", "x2", "x3")])
        event = np.arange(problem.n) % 2 == 0
        at_risk = problem.p[None, :] >= problem.p[event][:, None]

        def value(b):
            f = problem.x @ b
            masked = np.where(at_risk, f[None, :], -np.inf)
            total = special.logsumexp(masked, axis=1)
            return (total - f[event]).sum(), (np.exp(masked - total[:, None]) @ problem.x).sum(axis=0) - problem.x[event].sum(axis=0)

        here = value(theta)[0]
        found = [optimize.minimize(value, s, jac=True, method="L-BFGS-B", options={"maxiter": 3000, "ftol": 1e-15, "gtol": 1e-10}).fun for s in (theta, np.zeros(D))]
        if not converged and np.ptp(problem.x @ theta) > 300:
            return None
        return None if here <= min(found) + GAP * (1 + abs(here)) else f"objective {here}, and scipy finds {min(found)}"


# ---- what follows from a definition ----

class Of:
    """A call, what its model says, and a function of a problem and that which returns what is wrong, or None."""

    def __init__(self, call, says, check):
        self.call, self.says, self.check_, self.name = call, says, check, call

    def check(self, problem, said):
        return self.check_(problem, said)


def near(a, b, what):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return None if a.shape == b.shape and np.all(np.abs(a - b) <= 1e-8 * (1 + np.abs(b).max(initial=0))) else f"{what}: {a}, by definition {b}"


def kernel_ridge(problem, said):
    kernel = np.exp(-0.5 * cdist(problem.x, problem.x, "sqeuclidean"))
    return near(said, kernel @ np.linalg.solve(kernel + 0.5 * np.diag(1 / problem.w), problem.y), "predictions")


def isotonic(problem, said):
    order = np.unique(problem.x[:, 0])
    sums = np.array([[problem.w[problem.x[:, 0] == v].sum(), (problem.w * problem.y)[problem.x[:, 0] == v].sum()] for v in order])
    total = np.vstack([np.zeros(2), np.cumsum(sums, axis=0)])
    mean = lambda i, j: (total[j + 1, 1] - total[i, 1]) / (total[j + 1, 0] - total[i, 0])
    best = [max(min(mean(a, b) for b in range(i, len(order))) for a in range(i + 1)) for i in range(len(order))]
    return near(said, [best[np.searchsorted(order, v)] for v in problem.x[:, 0]], "predictions")


def geometric_median(problem, said):
    value = lambda m: np.linalg.norm(problem.x - m, axis=1).sum()
    here = value(np.array(said))
    best = min([value(v) for v in problem.x] + [optimize.minimize(value, s, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000}).fun for s in (said, np.median(problem.x, axis=0))])
    return None if here <= best + GAP * (1 + here) else f"sum of distances {here}, and scipy finds {best}"


def medoid(problem, said):
    distances = cdist(problem.x, problem.x)
    here = cdist(problem.x, [said]).sum()
    return None if min(np.abs(problem.x - said).max(axis=1)) == 0 and here <= distances.sum(axis=0).min() * (1 + 1e-9) else f"sum of distances {here}, the best row has {distances.sum(axis=0).min()}"


def kmeans(problem, said):
    centers, clusters = np.array(said["centers"]).reshape(-1, D), np.array(said["clusters"]) - 1
    squares = cdist(problem.x, centers, "sqeuclidean")
    own = squares[np.arange(problem.n), clusters]
    if np.any(own > squares.min(axis=1) + 1e-9 * (1 + squares.max())):
        return "a row is not in its nearest cluster"
    for c in range(len(centers)):
        wrong = near(centers[c], problem.x[clusters == c].mean(axis=0), f"centroid {c}") if np.any(clusters == c) else None
        if wrong:
            return wrong
    return near(said["inertia"], own.sum(), "inertia")


def kernel_kmeans(problem, said):
    kernel, clusters = np.exp(-0.5 * cdist(problem.x, problem.x, "sqeuclidean")), np.array(said["clusters"]) - 1
    to = np.array([1 - 2 * kernel[:, clusters == c].mean(axis=1) + kernel[np.ix_(clusters == c, clusters == c)].mean() if np.any(clusters == c) else np.full(problem.n, 9.0) for c in range(2)]).T
    own = to[np.arange(problem.n), clusters]
    return "a row is not in its nearest cluster" if np.any(own > to.min(axis=1) + 1e-9) else near(said["inertia"], own.sum(), "inertia")


def kmedoids(problem, said):
    distances, medoids = cdist(problem.x, problem.x), np.array(said["medoids"]).reshape(-1, D)
    places = [int(np.argmin(np.abs(problem.x - m).sum(axis=1))) for m in medoids]
    cost = lambda m: distances[:, m].min(axis=1).sum()
    wrong = near(said["cost"], cost(places), "cost")
    swapped = min(cost(places[:i] + [j] + places[i + 1:]) for i in range(len(places)) for j in range(problem.n))
    return wrong or (None if swapped >= cost(places) - 1e-9 * (1 + cost(places)) else f"cost {cost(places)}, and a swap has {swapped}")


def mixture(problem, said):
    total = np.zeros(problem.n)
    for part in said["parts"]:
        cov, mean = np.array(part["covariance"]).reshape(D, D), np.array(part["mean"])
        away = problem.x - mean
        total += part["weight"] * np.exp(-0.5 * (away @ np.linalg.inv(cov) * away).sum(axis=1)) / math.sqrt(np.linalg.det(2 * math.pi * cov))
    value = np.log(total).sum()
    return None if abs(value - said["log_likelihood"]) <= 1e-5 * (1 + abs(value)) else f"log likelihood {said['log_likelihood']}, by definition {value}"


def hierarchical(method):
    def check(problem, said):
        if len(np.unique(np.round(pdist(problem.x), 9))) < problem.n * (problem.n - 1) / 2:
            return None  # equal distances: another order of merges has other heights
        return near(sorted(said), sorted(linkage(problem.x, method)[:, 2]), "heights")
    return check


def dbscan(problem, said):
    near_ = cdist(problem.x, problem.x) <= 1
    core = near_.sum(axis=1) >= 3
    kinds = ["core" if core[i] else "border" if np.any(near_[i] & core) else "noise" for i in range(problem.n)]
    said = sorted(said, key=lambda m: int(m["id"]))
    if [m["kind"] for m in said] != kinds:
        return f"kinds {[m['kind'] for m in said]}, by definition {kinds}"
    joined = all(said[i]["cluster"] == said[j]["cluster"] for i in range(problem.n) for j in range(problem.n) if core[i] and core[j] and near_[i, j])
    linked = near_ & core[:, None] & core[None, :]
    parts = np.linalg.matrix_rank(np.diag(linked.sum(axis=1)) - linked) if core.any() else 0
    count = len({m["cluster"] for m in said if m["kind"] == "core"})
    return None if joined and count == core.sum() - parts else f"{count} clusters, by definition {core.sum() - parts}"


# ---- the root of a tree ----

def impurity(criterion, t, w):
    if w.sum() == 0:
        return 0.0
    if criterion == "mse":
        return w @ (t - w @ t / w.sum()) ** 2
    if criterion == "mae":
        order = np.argsort(t)
        return min(w @ np.abs(t - v) for v in t[order])
    if criterion == "poisson":
        mean = w @ t / w.sum()
        return w @ (special.xlogy(t, t / mean) - (t - mean)) if mean > 0 else 0.0
    share = np.array([w[t == v].sum() for v in range(3)]) / w.sum()
    return w.sum() * (1 - share @ share if criterion == "gini" else -special.xlogy(share, share).sum() / math.log(2) if criterion == "entropy"
                      else np.sqrt(share[:2].prod()) if criterion == "sqrt_gini" else 1 - share.max())


def root(criterion, target, with_missing, with_category):
    """Returns a check: no split of the rows has a lower impurity than that of the root, found by trying all."""
    def check(problem, said):
        t, w = getattr(problem, target), problem.w
        x = problem.x.copy()
        x[problem.missing & with_missing, 0] = np.nan
        def left_of(feature, threshold, levels, missing):
            if feature == "c":
                return np.isin(problem.c, levels)
            v = x[:, int(feature[-1]) - 1]
            return np.where(np.isnan(v), missing == "left", v <= float(threshold))
        cost = lambda left: impurity(criterion, t[left], w[left]) + impurity(criterion, t[~left], w[~left])
        splits = []
        for j in range(D):
            values = np.unique(x[:, j][~np.isnan(x[:, j])])
            sides = ["left", "right"] if np.isnan(x[:, j]).any() else ["left"]
            splits += [left_of(f"x{j + 1}", v, None, side) for v in values for side in sides]
        if with_category:
            splits += [np.isin(problem.c, levels) for size in (1, 2) for levels in itertools.combinations(range(3), size)]
        splits = [s for s in splits if s.any() and not s.all()]
        best = min((cost(s) for s in splits), default=math.inf)
        whole = impurity(criterion, t, w)
        top = said[0]
        if top["feature"] is None:
            return None if whole <= 1e-9 * (1 + w.sum()) or best >= whole * (1 - 1e-7) - 1e-9 else f"no split, and one has impurity {best} of {whole}"
        here = cost(left_of(top["feature"], top["threshold"], [int(v[1:]) for v in top["levels"] or []], top["missing"]))
        return None if here <= best + 1e-7 * (1 + whole) else f"impurity {here}, and another split has {best} of {whole}: {top['feature']} {top['threshold']} {top['levels']}"
    return check


def altered(said):
    """Returns what a model says with other numbers, clusters, kinds and features."""
    if isinstance(said, dict):
        changed = {k: altered(v) for k, v in said.items()}
        if said.get("feature"):
            changed.update(feature="x1" if said["feature"] == "x3" else "x3", threshold=said["threshold"] or 0.0)
        return changed
    if isinstance(said, list):
        return [altered(v) for v in said]
    return said * 1.3 + 0.1 if isinstance(said, float) else {1: 2, 2: 1}.get(said, said) if isinstance(said, int) else {"core": "noise", "noise": "core"}.get(said, said)


X = "ARRAY[x1, x2, x3]"
F = "ROW(x1, x2, x3)"
NAMES = '"features": ["x1", "x2", "x3"]'


def call(name, target, options="", features=X, weight="", names=True):
    parts = [p for p in (NAMES if names else "", options) if p]
    return f"pgfit.{name}({target + ', ' if target else ''}{features}, '{{{', '.join(parts)}}}'::jsonb{', ' + weight if weight else ''})"


def checks():
    TIGHT = '"tolerance": 1e-10, "max_iter": 100000'
    yield Convex(call("linear_regression", "y"), "squares", "y")
    yield Convex(call("linear_regression", "y", weight="w"), "squares", "y", weighted=True)
    yield Convex(call("linear_regression", "y", '"intercept": false'), "squares", "y", intercept=False)
    yield Convex(call("linear_regression", "y", '"lower": 0'), "squares", "y", bounds=(0, None))
    yield Convex(call("linear_regression", "y", '"lower": 0.1, "upper": 0.5'), "squares", "y", bounds=(0.1, 0.5))
    yield Convex(call("linear_regression", "y", '"solution": "minimum_norm"'), "squares", "y")
    yield Convex(call("multivariate_regression", "ARRAY[y]"), "squares", "y")
    for weighted in (False, True):
        w = "w" if weighted else ""
        yield Convex(call("ridge_regression", "y", '"lambda": 0.7', weight=w), "squares", "y", l2=0.7, weighted=weighted)
        yield Convex(call("lasso_regression", "y", f'"lambda": 2, {TIGHT}', weight=w), "squares", "y", l1=2, weighted=weighted)
        yield Convex(call("elastic_net", "y", f'"lambda": 3, "alpha": 0.4, {TIGHT}', weight=w), "squares", "y", l1=1.2, l2=1.8, weighted=weighted)
        yield Convex(call("logistic_regression", "k", '"penalty": "l2", "lambda": 0.5', weight=w), "logistic", "k", l2=0.5, weighted=weighted)
        yield Convex(call("logistic_regression", "k", '"penalty": "l1", "lambda": 0.7', weight=w), "logistic", "k", l1=0.7, weighted=weighted)
        yield Convex(call("svm_classifier", "k", '"loss": "squared_hinge", "C": 2', weight=w), "squared_hinge", "k", l2=0.5, C=2, weighted=weighted)
        yield Convex(call("svm_regression", "y", '"loss": "squared_epsilon_insensitive", "C": 2', weight=w), "squared_epsilon", "y", l2=0.5, C=2, weighted=weighted)
        yield Quantile(call("quantile_regression", "y", '"quantile": 0.3, "errors": "none"', weight=w), 0.3, weighted=weighted)
    yield Convex(call("lasso_regression", "y", f'"lambda": 1, "lower": 0, {TIGHT}'), "squares", "y", l1=1, bounds=(0, None))
    yield Convex(call("ridge_regression", "y", '"lambda": 1, "lower": -0.2, "upper": 0.3'), "squares", "y", l2=1, bounds=(-0.2, 0.3))
    yield Convex(call("logistic_regression", "k", '"penalty": "elastic_net", "lambda": 1, "alpha": 0.5'), "logistic", "k", l1=0.5, l2=0.5)
    yield Multinomial(call("logistic_regression", "k3", '"penalty": "l2", "lambda": 0.5'), 0, 0.5)
    yield Multinomial(call("logistic_regression", "k3", '"penalty": "l1", "lambda": 0.5'), 0.5, 0)
    for loss, target, options in (("logistic", "(k = 'k1')::int", '"family": "binomial"'), ("probit", "(k = 'k1')::int", '"family": "binomial", "link": "probit"'),
                                  ("cloglog", "(k = 'k1')::int", '"family": "binomial", "link": "cloglog"'), ("poisson", "p", '"family": "poisson"'), ("gamma", "p", '"family": "gamma", "link": "log"'),
                                  ("tweedie", "p", '"family": "tweedie", "power": 1.5'), ("negative_binomial", "p", '"family": "negative_binomial", "theta": 2'), ("half_squares", "y", '"family": "gaussian"')):
        column = "k" if "k1" in target else target
        for l1, l2, more in ((0, 0.3, ', "penalty": "l2", "lambda": 0.3'), (0.4, 0, ', "penalty": "l1", "lambda": 0.4'), (0.3, 0.3, ', "penalty": "elastic_net", "alpha": 0.5, "lambda": 0.6')):
            yield Convex(call("glm", target, options + more + f', {TIGHT}'), loss, column, l1=l1, l2=l2)
        if loss in ("poisson", "gamma", "tweedie", "negative_binomial", "half_squares"):
            yield Convex(call("glm", target, options), loss, column)
    for C in (0.1, 10):
        yield Margin(call("svm_classifier", "k", f'"C": {C}'), "k", C)
        yield Margin(call("svm_regression", "y", f'"C": {C}'), "y", C)
    yield Quantile(call("quantile_regression", "y", '"quantile": 0.5, "errors": "none"'), 0.5)
    yield Huber(call("huber_regression", "y"))
    yield Cox(call("cox_regression", "p", '"event": "e", "ties": "breslow"', "(SELECT f FROM (SELECT x1, x2, x3, id % 2 = 0 AS e) AS f)", names=False))
    predicted = "(SELECT json_agg(pgfit.predict(m, {}) ORDER BY s.id) FROM d AS s WHERE s.problem = q.problem)"
    yield Of(call("kernel_ridge", "y", '"kernel": "rbf", "gamma": 0.5, "lambda": 0.5', weight="w"), predicted.format("ARRAY[s.x1, s.x2, s.x3]"), kernel_ridge)
    yield Of(call("isotonic_regression", "y", '"direction": "increasing"', "x1", "w", names=False), predicted.format("s.x1"), isotonic)
    yield Of(call("geometric_median", "", '"tolerance": 1e-12, "max_iter": 100000'), "pgfit.parameter(m, 'center')", geometric_median)
    yield Of(call("medoid", ""), "(SELECT json_agg(features -> n ORDER BY n) FROM pgfit.exemplars(m), unnest(ARRAY['x1', 'x2', 'x3']) AS n)", medoid)
    clusters = "(SELECT json_agg(pgfit.cluster(m, ARRAY[s.x1, s.x2, s.x3]) ORDER BY s.id) FROM d AS s WHERE s.problem = q.problem)"
    yield Of(call("kmeans", "", '"k": 2'), f"json_build_object('clusters', {clusters}, 'centers', (SELECT json_agg(value) FROM pgfit.centroids(m)), 'inertia', pgfit.info(m) #> '{{statistics,inertia}}')", kmeans)
    yield Of(call("kernel_kmeans", "", '"k": 2, "kernel": "rbf", "gamma": 0.5'), f"json_build_object('clusters', {clusters}, 'inertia', pgfit.info(m) #> '{{statistics,inertia}}')", kernel_kmeans)
    yield Of(call("kmedoids", "", '"k": 2'), "json_build_object('medoids', (SELECT json_agg(value) FROM pgfit.medoids(m)), 'cost', pgfit.info(m) #> '{statistics,cost}')", kmedoids)
    yield Of(call("gaussian_mixture", "", '"k": 2, "regularization": 0.05'), "json_build_object('parts', (SELECT json_agg(x) FROM pgfit.distributions(m) AS x), 'log_likelihood', pgfit.info(m) #> '{statistics,log_likelihood}')", mixture)
    for ours, theirs in (("single", "single"), ("complete", "complete"), ("average", "average"), ("ward.D2", "ward"), ("weighted", "weighted")):
        yield Of(call("hierarchical", "id", f'"linkage": "{ours}"'), "(SELECT json_agg(height) FROM pgfit.dendrogram_merges(m))", hierarchical(theirs))
    yield Of(call("dbscan", "id", '"radius": 1, "min_samples": 3'), "(SELECT json_agg(x) FROM pgfit.members(m) AS x)", dbscan)
    nodes = "(SELECT json_agg(x) FROM pgfit.tree_nodes(m) AS x)"
    for category in (False, True):
        for missing in (False, True):
            f = f"(SELECT f FROM (SELECT {'x1_missing AS x1' if missing else 'x1'}, x2, x3{', c' if category else ''}) AS f)"
            for criterion, target in (("mse", "y"), ("mae", "y"), ("poisson", "p")):
                yield Of(call("tree_regression", target, f'"criterion": "{criterion}", "max_depth": 1, "min_samples_leaf": 1', f, "w", names=False), nodes, root(criterion, target, missing, category))
            for criterion in ("gini", "entropy", "minority"):
                yield Of(call("tree_classifier", "label", f'"criterion": "{criterion}", "max_depth": 1', f, "w", names=False).replace("label", "k3"), nodes, root(criterion, "k3", missing, category))
            yield Of(call("tree_classifier", "k", '"criterion": "sqrt_gini", "max_depth": 1', f, "w", names=False), nodes, root("sqrt_gini", "k", missing, category))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--problems", type=int, default=40, help="the number of problems of each call")
    parser.add_argument("--calls", default="")
    parser.add_argument("--plant", action="store_true", help="alter what each model says, which must be found")
    parser.add_argument("--show", type=int, default=2)
    arguments = parser.parse_args()
    session, began = Session(), time.monotonic()
    session.execute("CREATE EXTENSION IF NOT EXISTS pgfit")
    session.on_connect("SET client_min_messages = error; SET max_parallel_workers_per_gather = 0")
    passed, failed, refused, calls = Counter(), Counter(), Counter(), [c for c in checks() if re.search(arguments.calls, c.name)]
    for first in range(0, arguments.problems, BATCH):
        problems = [Problem(np.random.default_rng([arguments.seed, first + i])) for i in range(min(BATCH, arguments.problems - first))]
        session.execute("DROP TABLE IF EXISTS d")
        session.execute("CREATE TABLE d AS SELECT problem, id, x1::float8, x2::float8, x3::float8, x1_missing::float8, c, y::float8, p::float8, k, k3, w::float8 FROM (VALUES "
                        + ", ".join(row for i, p in enumerate(problems) for row in p.rows(i)) + ") AS v(problem, id, x1, x2, x3, x1_missing, c, y, p, k, k3, w)")
        for c in calls:
            fit = c.call.replace("}'::jsonb", ', "on_failure": "null"}\'::jsonb').replace("'{, ", "'{")
            says = f"json_build_object('said', {c.says})" if isinstance(c, (Cox, Huber)) else c.says
            rows = session.rows(f"SELECT problem, CASE WHEN m IS NOT NULL THEN {says} END AS said FROM (SELECT problem, {fit} AS m FROM d GROUP BY problem OFFSET 0) AS q ORDER BY problem")
            for row in rows:
                if row["said"] is None:
                    refused[c.name] += 1
                    continue
                wrong = c.check(problems[row["problem"]], altered(row["said"]) if arguments.plant else row["said"])
                passed[c.name] += wrong is None
                failed[c.name] += wrong is not None
                if wrong and failed[c.name] <= arguments.show:
                    print(f"FINDING {c.name}: {wrong}\n    --seed {arguments.seed} problem {first + row['problem']}, {problems[row['problem']].n} rows", flush=True)
    for c in calls:
        print(f"{passed[c.name]} passed, {failed[c.name]} failed, {refused[c.name]} refused: {c.name}")
    print(f"{len(calls)} calls, {arguments.problems} problems each, {time.monotonic() - began:.0f} s")
    print(f"{sum(passed.values())} passed, {sum(failed.values())} failed")
    sys.exit(sum(failed.values()) > 0 or not sum(passed.values()))


if __name__ == "__main__":
    main()
