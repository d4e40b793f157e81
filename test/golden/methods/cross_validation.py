"""
Cross-validation over given folds, as one GROUP BY of fits: of ridge by penalty, which must agree with one fit over
rows in folds, and of nearest neighbors by k.
"""
import json
import math

from methods import Handler, Several, Unknown, method
from session import quote


@method("cross_validation")
class CrossValidation(Handler):
    @classmethod
    def needed(cls, case):
        if cls.of_ridge(case):
            return ["ridge_regression", "predict", "mse"]
        return ["knn_classifier", "classify"]

    @staticmethod
    def of_ridge(case):
        return str((case.get("params") or {}).get("model", "")).startswith("ridge")

    def folds(self, aggregate, scores):
        """Returns scores per fold: the columns of a query over its model m and its rows (y, x)."""
        source = self.loader.source(self.case)
        return self.session.rows(
            f"WITH rows AS MATERIALIZED (SELECT {self.param('fold_of_row')} AS fold, {source.target} AS y, "
            f"{source.array()} AS x FROM {source.relation} WHERE train), models AS MATERIALIZED (SELECT k, "
            f"{aggregate} FILTER (WHERE fold <> k) AS m FROM rows, (SELECT DISTINCT fold AS k FROM rows) f GROUP BY k) "
            f"SELECT k, {scores}, count(*) AS n FROM models JOIN rows ON fold = k GROUP BY k ORDER BY k")

    def fit(self):
        if self.of_ridge(self.case):
            self.table = [self.ridge(penalty) for penalty in self.param("lambdas")]
            self.scan = self.one_scan()
        elif "neighbour" in str(self.param("model", "")):
            self.table = [self.neighbours(k) for k in self.param("ks")]
        else:
            raise NotImplementedError(f"cross-validation of {self.param('model')}")

    def ridge(self, penalty):
        rows = self.folds(f"pgfit.ridge_regression(y, x, {float(penalty)!r})", "pgfit.mse(y, pgfit.predict(m, x)) AS mse")
        count = sum(r["n"] for r in rows)
        return {"lambda": penalty, "fold_mse": [r["mse"] for r in rows],
                "mean_of_folds": math.fsum(r["mse"] for r in rows) / len(rows),
                "pooled_mse": math.fsum(r["mse"] * r["n"] for r in rows) / count}

    def one_scan(self):
        """Returns the table of one ridge fit over rows in folds, and the lambda that it chose."""
        source = self.loader.source(self.case)
        options = quote(json.dumps({"lambda": self.param("lambdas"), "fold_column": "fold"})) + "::jsonb"
        rows = self.session.rows(
            f"SELECT l.* FROM (SELECT pgfit.ridge_regression(y, f, {options}) AS m FROM (SELECT {source.target} AS y, "
            f"{source.array()} AS x, {self.param('fold_of_row')} AS fold FROM {source.relation} WHERE train) r, "
            "LATERAL (SELECT x, fold) f) s, pgfit.lambda_path(m) l ORDER BY lambda")
        self.chosen = next(r["lambda"] for r in rows if r["chosen"])
        return [{"lambda": r["lambda"], "fold_mse": r["fold_errors"], "mean_of_folds": r["mean_error"],
                 "pooled_mse": r["pooled_error"]} for r in rows]

    def neighbours(self, k):
        rows = self.folds(f"pgfit.knn_classifier(y, x, {k})",
                          "count(*) FILTER (WHERE pgfit.classify(m, x) = y) AS correct, count(*) FILTER (WHERE (SELECT "
                          f"max(distance) = min(distance) FROM (SELECT distance FROM pgfit.nearest(m, x, {k} + 1) OFFSET "
                          f"{k} - 1) t)) AS ties")
        correct = sum(r["correct"] for r in rows)
        return {"k": k, "correct": correct, "accuracy": correct / sum(r["n"] for r in rows),
                "ties": sum(r["ties"] for r in rows)}

    def value(self, key):
        if key == "table":
            return Several(fits=self.table, scan=self.scan) if self.of_ridge(self.case) else self.table
        if key == "best_lambda":
            return Several(fits=min(self.table, key=lambda r: r["pooled_mse"])["lambda"], scan=self.chosen)
        if key == "best_k":
            return max(self.table, key=lambda r: r["correct"])["k"]
        if key == "boundary_ties":
            return sum(r["ties"] for r in self.table)
        raise Unknown(key)
