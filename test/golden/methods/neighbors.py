"""Nearest neighbors: votes, means, retrieval and radius, by every index and by the batch functions."""
import json

from compare import differences
from methods import Handler, Several, Unknown, method
from models import Models, flat
from session import quote

WEIGHTS = {"uniform": {}, "1/distance": {"weights": "distance"}, "exp(-distance^2)": {"weights": "gaussian"}}
INDEXES = ("kd_tree", "ball_tree", "brute")


def vector(values):
    return "ARRAY[" + ", ".join(f"{float(v)!r}::float8" for v in values) + "]"


def text(value):
    """Returns a label as classify does: digits are numbers in the file, and 3 there is "3"."""
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)


class Neighbours(Handler):
    """Rows of a data file, with one model per index; all must agree."""

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        self.source = loader.source(case) if "data" in case else None
        self.models = Models(session)
        self.kept = {}

    def options(self, **more):
        given = {name: self.param(name) for name in ("k", "metric", "p", "radius") if self.param(name) is not None}
        given.update(WEIGHTS[self.param("weights", "uniform")])
        given.update(more)
        return given

    def model(self, estimator, first, **options):
        """Fits the training rows. first: the label, target or id."""
        key = (estimator, json.dumps(options, sort_keys=True))
        if key not in self.kept:
            self.kept[key] = self.models.fit(f"pgfit.{estimator}({first}, {self.source.whole}, {quote(key[1])}::jsonb)",
                                             self.source.relation)
        return self.kept[key]

    def classifies(self):
        return "classes" in self.expected

    def estimator(self):
        return "knn_classifier" if self.classifies() else "knn_regression"

    def fitted(self, index):
        return self.model(self.estimator(), self.source.target, **self.options(index=index))

    def fit(self):
        for index in INDEXES if self.source else ():
            self.fitted(index)

    def scores(self, function, index, over=""):
        model = self.fitted(index)
        rows = self.session.rows(f"SELECT id, pgfit.{function}(m, {self.source.whole}){over} AS v FROM "
                                 f"{self.source.relation}, {model.table} WHERE test AND {model.where} ORDER BY id")
        return {str(r["id"]): flat(r["v"]) if isinstance(r["v"], list) else r["v"] for r in rows}

    def all_scores(self, function):
        """Returns {index: scores}, also for the batch function."""
        found = {index: self.scores(function, index) for index in INDEXES}
        found["batch"] = self.scores(function + "_batch", "brute", " OVER ()")
        return found

    def near(self, k):
        """Returns {index: {id: [(id, distance), ...]}} for the test rows."""
        found = {}
        for index in INDEXES:
            options = {n: v for n, v in self.options(index=index).items() if n not in ("k", "radius", "weights")}
            model = self.model("neighbors", "id", **options)
            rows = self.session.rows(
                f"SELECT t.id, n.id AS neighbour, n.distance FROM (SELECT id, {self.source.whole} AS x, test FROM "
                f"{self.source.relation}) t, {model.table}, pgfit.nearest(m, x, {k}, NULL::bigint) WITH ORDINALITY AS n "
                f"WHERE test AND {model.where} ORDER BY t.id, n.ordinality")
            found[index] = {}
            for r in rows:
                found[index].setdefault(str(r["id"]), []).append((r["neighbour"], r["distance"]))
        return found

    def labels(self):
        rows = self.session.rows(f"SELECT id, {self.source.target} AS v FROM {self.source.relation} WHERE test")
        return {str(r["id"]): r["v"] for r in rows}


@method("knn", needs=["knn_classifier", "knn_regression", "neighbors", "nearest", "predict_batch"])
class Knn(Neighbours):
    def fit(self):
        super().fit()
        if self.source:
            return
        given = self.input
        points = given.get("X", [[0.0, 0.0]])
        self.rows = "(VALUES " + ", ".join(
            f"({i + 1}, {vector(x)}, {quote(str(given.get('class', ['a', 'b'] * 9)[i]))}, "
            f"{given.get('value', [1.0] * 9)[i]}::float8)" for i, x in enumerate(points)) + ") AS t(id, x, label, value)"
        self.new = given.get("new", [[0.0, 0.0]])
        if not isinstance(self.new[0], list):
            self.new = [self.new]
        if "behaviour" in self.expected:
            self.inline(f"pgfit.knn_regression(value, x, {self.param('k', 1)}::bigint)", "pgfit.predict(m, x)")

    def inline(self, aggregate, expression):
        """Returns the expression over the model m for each new row x."""
        rows = self.session.rows(
            f"SELECT {expression} AS v FROM (SELECT {aggregate} AS m FROM {self.rows}) f, (VALUES "
            + ", ".join(f"({i}, {vector(x)})" for i, x in enumerate(self.new)) + ") AS n(i, x) ORDER BY i")
        return [flat(r["v"]) if isinstance(r["v"], list) else r["v"] for r in rows]

    def by_index(self, aggregate, expression):
        return Several(**{index: self.inline(aggregate.replace("OPTIONS", f'"index": "{index}"'), expression)
                          for index in INDEXES})

    def probabilities(self, k):
        return self.by_index(f"pgfit.knn_classifier(label, x, {k}, '{{OPTIONS}}'::jsonb)", "pgfit.probabilities(m, x)")

    def values(self, k, weights):
        return self.by_index(f"pgfit.knn_regression(value, x, {k}, '{{OPTIONS, \"weights\": \"{weights}\"}}'::jsonb)",
                             "pgfit.predict(m, x)")

    def inline_value(self, key):
        everything = "pgfit.neighbors(id, x, '{\"k\": \"all\", OPTIONS}'::jsonb)"
        if key == "order":
            return self.by_index(everything, "(SELECT array_agg(id::int) FROM pgfit.nearest(m, n.x))")
        if key == "distances":
            return self.by_index(everything,
                                 "(SELECT array_agg(distance ORDER BY id::int) FROM pgfit.nearest(m, n.x))")
        if key == "k1_class":
            return self.by_index("pgfit.knn_classifier(label, x, 1, '{OPTIONS}'::jsonb)", "pgfit.classify(m, x)")
        if key == "suggested":
            return Several(**{i: v[0] for i, v in self.by_index(
                "pgfit.knn_classifier(label, x, 2, '{OPTIONS}'::jsonb)", "pgfit.classify(m, x)").places.items()})
        if key in ("k2_prob", "k2_counts"):
            factor = 2 if key == "k2_counts" else 1
            return Several(**{i: dict(zip("ab", (factor * p for p in v[0])))
                              for i, v in self.probabilities(2).places.items()})
        if key in ("k3_prob_abc", "k6_prob_abc"):
            return self.probabilities(int(key[1]))
        if key in ("k3_value_uniform", "k3_value_inverse", "all_value_gaussian"):
            weights = {"uniform": "uniform", "inverse": "distance", "gaussian": "gaussian"}[key.rsplit("_", 1)[1]]
            return self.values(3 if key[1] == "3" else 6, weights)
        raise Unknown(key)

    def unambiguous(self, rows):
        left_out = {str(i) for i in self.expected.get("ambiguous_ids", [])}
        return {i: v for i, v in rows.items() if str(i) not in left_out}

    def errors(self, found):
        """Returns the wrong rows; of ambiguous ones those that are expected, because either class is right."""
        labels = self.labels()
        wrong = {i for i, v in self.unambiguous(found).items() if v != text(labels[i])}
        either = {str(i) for i in self.expected["ambiguous_ids"]}
        return sorted(int(i) for i in wrong | ({str(i) for i in self.expected["test_errors"]} & either))

    def ambiguous(self, rows, k):
        return [int(i) for i, near in rows.items()
                if abs(near[k][1] - near[k - 1][1]) <= 1e-9 * max(near[k][1], 1e-9)]

    def value(self, key):
        if not self.source:
            return self.inline_value(key)
        k = self.param("k")
        if key == "classes":
            return Several(**{i: self.fitted(i).select("pgfit.classes(m)") for i in INDEXES})
        if key == "ambiguous_ids":
            return Several(**{i: self.ambiguous(rows, k) for i, rows in self.near(k + 1).items()})
        if key == "vote_tie_ids":
            return Several(**{i: [int(row) for row, p in rows.items() if sorted(p)[-1] - sorted(p)[-2] < 1e-12]
                              for i, rows in self.all_scores("probabilities").items()})
        if key in ("test_errors", "test_accuracy"):
            found = {i: self.errors(rows) for i, rows in self.all_scores("classify").items()}
            count = len(self.labels())
            return Several(**(found if key == "test_errors"
                              else {i: 1 - len(wrong) / count for i, wrong in found.items()}))
        if key == "test_mse":
            labels = self.labels()
            return Several(**{i: sum((v - labels[row]) ** 2 for row, v in rows.items()) / len(rows)
                              for i, rows in self.all_scores("predict").items()})
        raise Unknown(key)

    def compare_key(self, key, want, tolerance):
        if key in ("test_prob", "test_pred"):
            every = self.all_scores("probabilities" if key == "test_prob" else "predict")
        elif key == "neighbours":
            every = {i: {row: [n for n, _ in near] for row, near in rows.items()}
                     for i, rows in self.near(self.param("k")).items()}
        else:
            return None
        return [d for i, found in every.items()
                for d in differences(found, self.unambiguous(want), tolerance, f"{key} [{i}]")]


@method("radius_neighbours", needs=["knn_classifier", "knn_regression", "neighbors", "nearest"])
class Radius(Knn):
    def classifies(self):
        return "prob" in self.expected

    def within(self):
        """Returns {index: {id: [id, ...]}} for the test rows."""
        found = {}
        for index in INDEXES:
            model = self.model("neighbors", "id", **self.options(index=index))
            rows = self.session.rows(
                f"SELECT t.id, ARRAY(SELECT n.id FROM pgfit.nearest(m, x) n) AS v FROM (SELECT id, {self.source.whole} "
                f"AS x, test FROM {self.source.relation}) t, {model.table} WHERE test AND {model.where} ORDER BY t.id")
            found[index] = {str(r["id"]): r["v"] for r in rows}
        return found

    def inline_value(self, key):
        radius = f'"radius": {self.param("radius")}, OPTIONS'
        ids = "ARRAY(SELECT id::int FROM pgfit.nearest(m, n.x) ORDER BY 1)"
        if key == "strict_neighbours":
            return self.by_index(f"pgfit.neighbors(id, x, '{{{radius}}}'::jsonb)", ids)
        if key == "inclusive_neighbours":
            return self.by_index(f"pgfit.neighbors(id, x, '{{{radius}, \"radius_inclusive\": true}}'::jsonb)", ids)
        if key == "strict_value":
            found = self.by_index(f"pgfit.knn_regression(value, x, '{{{radius}}}'::jsonb)", "pgfit.predict(m, x)")
            return Several(**{i: ["NULL" if v is None else v for v in values] for i, values in found.places.items()})
        raise Unknown(key)

    def value(self, key):
        if not self.source:
            return self.inline_value(key)
        if key == "counts":
            return Several(**{i: {row: len(v) for row, v in rows.items()} for i, rows in self.within().items()})
        if key == "empty_ids":
            function = "classify" if self.classifies() else "predict"
            return Several(neighbours=[int(row) for row, v in self.within()["kd_tree"].items() if not v],
                           **{i: [int(row) for row, v in rows.items() if v is None]
                              for i, rows in self.all_scores(function).items()})
        if key == "points_exactly_on_radius":
            inclusive = self.model("neighbors", "id", **self.options(radius_inclusive=True))
            strict = self.model("neighbors", "id", **self.options())
            return sum(self.session.rows(
                f"SELECT (SELECT count(*) FROM pgfit.nearest(m, x)) AS v FROM (SELECT id, {self.source.whole} AS x, test "
                f"FROM {self.source.relation}) t, {model.table} WHERE test AND {model.where}"
            )[i]["v"] * sign for model, sign in ((inclusive, 1), (strict, -1)) for i in range(len(self.labels())))
        return super().value(key)

    def compare_key(self, key, want, tolerance):
        if key not in ("prob", "mean"):
            return None
        every = self.all_scores("probabilities" if key == "prob" else "predict")
        return [d for i, found in every.items() for d in differences(found, want, tolerance, f"{key} [{i}]")]


@method("knn_weights", needs=["knn_regression", "predict"])
class KnnWeights(Knn):
    """Finds the weight of a neighbor as the mean of targets that are 1 there and 0 elsewhere."""

    def value(self, key):
        if key != "weights":
            raise Unknown(key)
        distances, found = self.input["distances"], []
        for i in range(len(distances)):
            self.rows = "(VALUES " + ", ".join(f"({vector([d])}, {float(i == j)}::float8)"
                                               for j, d in enumerate(distances)) + ") AS t(x, value)"
            self.new = [[0.0]]
            found += self.inline(f"pgfit.knn_regression(value, x, {len(distances)}, "
                                 "'{\"weights\": \"distance\"}'::jsonb)", "pgfit.predict(m, x)")
        return found
