"""Cross-validation over given folds, one group by of fits: of ridge by its penalty, of nearest neighbours by k."""
import math

from methods import Handler, Unknown, method


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
        """The scores, columns of a query over model m and rows (y, x) of its fold, a row a fold."""
        source = self.loader.source(self.case)
        return self.session.rows(
            f"WITH rows AS MATERIALIZED (SELECT {self.param('fold_of_row')} AS fold, {source.target} AS y, "
            f"{source.array()} AS x FROM {source.relation} WHERE train), models AS MATERIALIZED (SELECT k, "
            f"{aggregate} FILTER (WHERE fold <> k) AS m FROM rows, (SELECT DISTINCT fold AS k FROM rows) f GROUP BY k) "
            f"SELECT k, {scores}, count(*) AS n FROM models JOIN rows ON fold = k GROUP BY k ORDER BY k")

    def fit(self):
        if self.of_ridge(self.case):
            self.table = [self.ridge(penalty) for penalty in self.param("lambdas")]
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
            return self.table
        if key == "best_lambda":
            return min(self.table, key=lambda r: r["pooled_mse"])["lambda"]
        if key == "best_k":
            return max(self.table, key=lambda r: r["correct"])["k"]
        if key == "boundary_ties":
            return sum(r["ties"] for r in self.table)
        raise Unknown(key)
