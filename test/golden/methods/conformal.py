"""Limits and sets by conformal scores."""
import json

from methods import Handler, Unknown, method
from session import identifier, quote


@method("conformal", needs=["conformalize", "prediction_set"])
class Conformal(Handler):
    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        self.data = case.get("data")
        self.table = loader.file_table(self.data["file"])[0] if self.data else None

    def fit(self):
        if self.data:
            step, parts = int(self.data["step"]), self.data["parts"]
            a, b, y, group, label = map(identifier, self.data["columns"])
            self.rows_sql = (f"(SELECT (id - 1) / {step} + 1 AS id, {a} AS a, {b} AS b, {y} AS y, {group}::text AS g, {label}::text AS t, "
                             f"substr({quote(parts)}, ((id - 1) / {step} + 1)::int, 1) AS part FROM {self.table} WHERE (id - 1) % {step} = 0 AND id <= {len(parts) * step}) AS d")
            return
        rows = ", ".join(f"({i}, {a!r}::float8, {b!r}::float8, {y!r}::float8, {quote(g)}, {quote(t)}, {quote(part)})"
                         for i, a, b, y, g, t, part in self.input["rows"])
        self.rows_sql = f"(SELECT * FROM (VALUES {rows}) AS v(id, a, b, y, g, t, part)) AS d"

    def model(self):
        """Returns a scalar subquery of the conformal model."""
        kind, options = self.params["kind"], self.params.get("options")
        classifier = "pgfit.naive_bayes(t, d, 'a + b')" if self.data else "pgfit.knn_classifier(t, d, 5, 'a + b')"
        fitted = "pgfit.linear_regression(y, d, 'a + b')" if options is None else classifier
        target = "y" if options is None else "t"
        if kind == "group":
            options = {"group": "g"}
        extra = f", {quote(json.dumps(options))}" if options else ""
        if kind == "normalized":
            source = f"SELECT * FROM {self.rows_sql}"
            given = {"conformal": {"share": 0.4, "seed": 7, "key": "id", "normalize": "linear_regression"}}
            return f"pgfit.fit('linear_regression', {quote(source)}, 'y ~ a + b', {quote(json.dumps(given))})"
        if kind == "cv+":
            folds = (f"SELECT pgfit.conformalize(m, {target}, d{extra}) AS m FROM (SELECT f, (SELECT {fitted} FROM {self.rows_sql} WHERE part <> f) AS m "
                     f"FROM unnest('{{1,2,3,4}}'::text[]) AS f OFFSET 0) AS fold, {self.rows_sql} WHERE part = f GROUP BY f")
            return f"pgfit.conformalize((SELECT {fitted} FROM {self.rows_sql}), (SELECT array_agg(m) FROM ({folds}) AS folds))"
        return (f"(SELECT pgfit.conformalize(m, {target}, d{extra}) FROM (SELECT {fitted} AS m FROM {self.rows_sql} WHERE part = 'f') AS fitted, "
                f"{self.rows_sql} WHERE part = 'c')")

    def value(self, key):
        asked = ", ".join(f"({n}, {level!r}::float8, {p[0]!r}::float8, {p[1]!r}::float8, {quote(g)})"
                          for n, (level, p, g) in enumerate(self.params["asked"]))
        points = f"(VALUES {asked}) AS p(n, level, a, b, g)"
        model = f"(SELECT {self.model()} AS m OFFSET 0) AS model"
        if key == "limits":
            got = self.session.rows(f"SELECT n, nullif(lower, '-inf') AS lower, nullif(upper, 'inf') AS upper FROM {model}, {points}, "
                                    f"LATERAL (SELECT a, b, g) AS f, pgfit.predict_interval(m, f, level) ORDER BY n")
            return [[r["lower"], r["upper"]] for r in got]
        if key == "sets":
            got = self.session.rows(f"SELECT n, pgfit.prediction_set(m, f, level) AS s FROM {model}, {points}, LATERAL (SELECT a, b) AS f ORDER BY n")
            return [r["s"] for r in got]
        raise Unknown(key)
