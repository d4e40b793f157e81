"""Rows without a target: geometric median, scatter, and its decomposition by class."""
import math
import re

from algebra import add, outer, scale, symmetric, trace, unpack
from methods import ModelHandler, Unknown, method
from session import quote


class Description(ModelHandler):
    aggregate = None

    def points(self):
        rows = self.session.rows(f"SELECT {self.source.array()} AS v FROM {self.source.relation} "
                                 "WHERE train ORDER BY id")
        return [r["v"] for r in rows]


@method("geometric_median", needs=["geometric_median", "predict", "parameter"])
class GeometricMedian(Description):
    def fit(self):
        weight = f", '{{}}'::jsonb, {self.source.weight}" if self.source.weight else ""
        self.model = self.models.fit(f"pgfit.geometric_median({self.source.whole}{weight})", self.source.relation)

    def center(self):
        for name in ("median", "center", "centre", "location", "geometric_median", "point"):
            try:
                values = self.model.parameter(name)
            except Exception as error:  # another name: the next one
                if not getattr(error, "is_user_error", False):
                    raise
                continue
            if values is not None:
                return values
        raise Unknown("geometric_median")

    def numbers(self):
        return self.center()

    def cost(self, at, metric):
        """Returns the sum of the distances of all rows to a point."""
        place = "ARRAY[" + ", ".join(repr(v) for v in at) + "]::float8[]"
        inner = {"euclidean": "sqrt(sum((a - b)^2))", "sqeuclidean": "sum((a - b)^2)",
                 "manhattan": "sum(abs(a - b))", "chebyshev": "max(abs(a - b))"}[metric]
        return self.session.value(
            f"SELECT sum(d) AS v FROM (SELECT (SELECT {inner} FROM unnest({self.source.array()}, {place}) u(a, b)) "
            f"AS d FROM {self.source.relation} WHERE train) q")

    def value(self, key):
        if key == "geometric_median":
            return self.center()
        if key == "mean":
            model = self.models.fit(f"pgfit.feature_moments({self.source.array()})", self.source.relation)
            return model.parameter("means")
        if key in ("objective", "sum_dist_to_geometric_median", "geometric_median_cost", "cost"):
            return self.cost(self.center(), "euclidean")
        if key == "medoid_row":
            points = self.points()
            costs = [self.cost(p, "euclidean") for p in points]
            return costs.index(min(costs)) + 1
        raise Unknown(key)


class Scatter(Description):
    """Means and centered cross-products from moments."""

    def summary(self, where="train"):
        model = self.models.fit(f"pgfit.feature_moments({self.source.array()})", self.source.relation, where)
        size = len(self.source.features)
        return model, model.fact("rows"), model.parameter("means"), symmetric(unpack(model.parameter("scatter"), size))


@method("scatter", needs=["feature_moments", "parameter", "info"])
class TotalScatter(Scatter):
    def fit(self):
        self.model, self.n, self.mean, self.scatter = self.summary()

    def numbers(self):
        return self.mean + [v for row in self.scatter for v in row]

    def value(self, key):
        points = self.points()
        centered = [[v - m for v, m in zip(p, self.mean)] for p in points]
        if key == "mean":
            return self.mean
        if key == "scatter":
            return self.scatter
        if key == "scatter_trace":
            return trace(self.scatter)
        if key == "covariance":
            return scale(self.scatter, 1 / self.n)
        if key == "covariance_sample":
            return scale(self.scatter, 1 / (self.n - 1))
        if key == "M":
            return outer(self.mean, self.mean)
        if key == "xtx":
            return add(self.scatter, scale(outer(self.mean, self.mean), self.n))
        if key == "centred":
            return centered
        if key == "outer_products":
            return [outer(c, c) for c in centered]
        if key == "gram":
            return [[math.fsum(a * b for a, b in zip(p, q)) for q in points] for p in points]
        raise Unknown(key)


@method("scatter_decomposition", needs=["class_moments", "feature_moments", "parameter", "info"])
class ScatterDecomposition(Scatter):
    """Total = within + between, from class_moments and feature_moments."""

    def fit(self):
        _, self.n, self.mean, self.scatter = self.summary()
        labels = self.source.target
        self.model = self.models.fit(f"pgfit.class_moments({labels}, {self.source.array()})", self.source.relation)
        self.classes = [r["v"] for r in self.session.rows(
            f"SELECT DISTINCT {labels} AS v FROM {self.source.relation} WHERE train")]
        self.order()

    def order(self):
        """Returns means, counts and scatter per class in order of the labels, fitted one class at a time and together."""
        size = len(self.source.features)
        length = size * (size + 1) // 2
        means, packed = self.model.parameter("means"), self.model.parameter("scatter")
        counts = self.model.parameter("counts")
        together = [(means[g * size:(g + 1) * size], counts[2 * g], packed[g * length:(g + 1) * length])
                    for g in range(len(counts) // 2)]
        self.parts = []
        for label in sorted(self.classes, key=lambda v: (isinstance(v, str), str(v).encode())):
            where = f"train AND {self.source.target} = {quote(label)}"
            _, n, mean, scatter = self.summary(where)
            near = min(together, key=lambda t: sum((a - b) ** 2 for a, b in zip(t[0], mean)) + (t[1] - n) ** 2)
            self.parts.append((int(n), near[0], symmetric(unpack(near[2], size)), mean, scatter))

    def numbers(self):
        return self.mean + [v for p in self.parts for v in p[1]]

    def value(self, key):
        between = [[0.0] * len(self.mean) for _ in self.mean]
        for n, mean, _, _, _ in self.parts:
            d = [a - b for a, b in zip(mean, self.mean)]
            between = add(between, scale(outer(d, d), n))
        within = [p[2] for p in self.parts]
        match = re.fullmatch(r"(scatter|within|between)_(trace|total)", key)
        if key == "scatter":
            return self.scatter
        if key == "means":
            return [p[1] for p in self.parts]
        if key == "counts":
            return [p[0] for p in self.parts]
        if key == "within":
            return within
        if key == "between":
            return between
        if match and match.group(1) == "scatter":
            return trace(self.scatter)
        if match and match.group(1) == "between":
            return trace(between)
        if key == "within_trace":
            return [trace(w) for w in within]
        if key == "within_total":
            return math.fsum(trace(w) for w in within)
        raise Unknown(key)
