"""Distances by name, isotonic regressions, and neighbors with weights of their own."""
import json

from methods import Handler, Unknown, method
from models import Models
from session import array_literal, number_text, quote


class Inline(Handler):
    """Rows in the case itself: a table of their arrays, numbered from 0, with targets, labels and weights."""

    table = "golden_named"

    def load(self, rows):
        self.session.execute(f"CREATE TEMP TABLE IF NOT EXISTS {self.table} (id int, f float8[], y float8, label int, w float8)")
        self.session.execute(f"TRUNCATE {self.table}")
        count = len(rows)
        columns = [self.input.get("y", [0] * count), self.input.get("labels", [0] * count), self.input.get("weights", [1] * count)]
        values = ", ".join(f"({i}, {array_literal(row)}, {number_text(y)}::float8, {label}, {number_text(w)}::float8)"
                           for i, (row, y, label, w) in enumerate(zip(rows, *columns)))
        self.session.execute(f"INSERT INTO {self.table} VALUES {values}")

    def fitted(self, call, options=None):
        options = quote(json.dumps(self.params if options is None else options)) + "::jsonb"
        return Models(self.session).fit(call.format(options=options), f"{self.table} AS t", "true")


@method("named_distance", needs=["distance", "radius_graph"])
class NamedDistance(Inline):
    """All pairs of rows, by a model that learned from them, and by the function where the metric learns nothing."""

    def fit(self):
        self.load(self.input["X"])
        self.model = self.fitted("pgfit.neighbors(id, f, {options})")

    def value(self, key):
        if key != "distances":
            raise Unknown(key)
        count = len(self.input["X"])
        found = [[0.0] * count for _ in range(count)]
        for row in self.session.rows(f"SELECT g.* FROM {self.model.table}, pgfit.radius_graph(m, 'Infinity', NULL::int) AS g WHERE {self.model.where}"):
            found[row["id"]][row["neighbor_id"]] = row["distance"]
        if self.params["metric"] not in ("gower", "seuclidean", "mahalanobis"):
            options = quote(json.dumps({k: v for k, v in self.params.items() if k != "metric"}))
            for row in self.session.rows(f"SELECT a.id AS a, b.id AS b, pgfit.distance(a.f, b.f, {quote(self.params['metric'])}, {options}) AS d "
                                         f"FROM {self.table} AS a, {self.table} AS b WHERE a.id <> b.id"):
                if abs(row["d"] - found[row["a"]][row["b"]]) > 1e-9 * max(1, abs(row["d"])):
                    raise AssertionError(f"distance() of rows {row['a']} and {row['b']} is {row['d']}, not {found[row['a']][row['b']]}")
        return found


@method("isotonic_regression", needs=["isotonic_regression"])
class Isotonic(Inline):
    def fit(self):
        self.load([[x] for x in self.input["x"]])
        self.model = self.fitted("pgfit.isotonic_regression(y, f[1], {options}, w)")

    def value(self, key):
        if key == "predict":
            return self.model.select(f"(SELECT json_agg(pgfit.predict(m, v) ORDER BY i) FROM unnest({array_literal(self.input['test'])}) WITH ORDINALITY AS u(v, i))")
        if key == "increasing":
            return self.model.info()["statistics"]["increasing"]
        raise Unknown(key)


@method("weighed_neighbors", needs=["knn_regression", "knn_classifier", "neighbor_graph", "radius_graph"])
class WeighedNeighbors(Inline):
    def fit(self):
        self.load(self.input["X"])

    def scores(self, model, function):
        rows = ", ".join(f"({i}, {array_literal(row)})" for i, row in enumerate(self.input["test"]))
        return model.select(f"(SELECT json_agg({function}(m, v) ORDER BY i) FROM (VALUES {rows}) AS u(i, v))")

    def value(self, key):
        if key == "predict":
            return self.scores(self.fitted("pgfit.knn_regression(y, f, {options})"), "pgfit.predict")
        if key == "probabilities":
            return self.scores(self.fitted("pgfit.knn_classifier(label, f, {options})"), "pgfit.probabilities")
        if key == "classes":
            options = {**self.params, "radius_inclusive": True}
            return [int(c) for c in self.scores(self.fitted("pgfit.knn_classifier(label, f, {options})", options), "pgfit.classify")]
        if key == "graph":
            by = f"pgfit.neighbor_graph(m, {self.params['k']}, NULL::int)" if "k" in self.params else f"pgfit.radius_graph(m, {self.params['radius']}, NULL::int)"
            model = self.fitted("pgfit.neighbors(id, f, {options})", {})
            rows = self.session.rows(f"SELECT g.* FROM {model.table}, {by} AS g WHERE {model.where} ORDER BY g.id, g.neighbor_id")
            return [[row["id"], row["neighbor_id"], row["distance"]] for row in rows]
        raise Unknown(key)
