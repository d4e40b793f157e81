"""Gaussian mixtures."""
import json

from methods import ModelHandler, Unknown, method
from session import quote

FORMS = {"diag": "diagonal"}


@method("gmm", needs=["gaussian_mixture", "cluster", "probabilities", "distributions", "parameter", "info"])
class Mixture(ModelHandler):
    def options(self, **given):
        """Returns the start of the case as options."""
        options = {"tolerance": 0, "max_iter": 5000, "history": True}
        floor = self.param("diagonal_floor_added_each_M_step", self.param("reg"))
        if floor is not None:
            options["regularization"] = floor
        form = self.param("covariance")
        if form is not None:
            options["covariance"] = FORMS.get(form, form)
        init = self.param("init")
        if init is None:
            options["k"] = self.param("k")
        elif "ids" in init:
            rows = {r["id"]: r["v"] for r in self.session.rows(
                f"SELECT id, {self.source.array()} AS v FROM {self.source.relation} WHERE train")}
            options["init"] = [rows[i] for i in init["ids"]]
        else:
            options["init"] = init["means"]
            options["init_weights"] = init["weights"]
            options["init_covariances"] = [[v for row in c for v in row] for c in init["covariances"]]
        options.update(given)
        return options

    def fit_with(self, **given):
        key = json.dumps(given, sort_keys=True)
        if key not in self.kept:
            options = quote(json.dumps(self.options(**given)))
            self.kept[key] = self.models.fit(f"pgfit.gaussian_mixture({self.source.whole}, {options}::jsonb)",
                                             self.source.relation)
        return self.kept[key]

    def fit(self):
        self.model = self.fit_with()

    def numbers(self):
        return sum((self.model.parameter(n) for n in ("weights", "means", "covariances", "history")), [])

    def distributions(self, model):
        return self.session.rows(f"SELECT d.* FROM {model.table}, pgfit.distributions(m) AS d WHERE {model.where} "
                                 "ORDER BY d.cluster")

    def parameters(self, model):
        lines = self.distributions(model)
        return {"weights": [r["weight"] for r in lines], "means": [r["mean"] for r in lines],
                "covariances": [r["covariance"] for r in lines], "loglik": model.fact("log_likelihood")}

    def memberships(self):
        rows = self.session.rows(f"SELECT id, pgfit.probabilities(m, {self.source.whole}) AS v FROM {self.model.table}, "
                                 f"{self.source.relation} WHERE {self.model.where} AND train")
        return {str(r["id"]): r["v"] for r in rows}

    def value(self, key):
        want = self.expected[key]
        if key == "loglik_trace":
            history = self.model.parameter("history")
            return {i: history[min(int(i), len(history) - 1)] for i in want}
        if key == "loglik_before_each_update":
            return self.model.parameter("history")[:len(want)]
        if key == "after_3_iterations":
            return self.parameters(self.fit_with(max_iter=3, tolerance=0))
        if key == "converged":
            return self.parameters(self.model)
        if key in ("weights", "means", "covariances"):
            values = self.parameters(self.model)[key]
            return values[:len(want)]  # the case lists a tied covariance once
        if key in ("loglik", "bic", "aic", "parameters"):
            return self.model.fact({"loglik": "log_likelihood"}.get(key, key))
        if key == "hard_sizes":
            rows = self.session.rows(
                f"SELECT pgfit.cluster(m, {self.source.whole}) AS c, count(*) AS v FROM {self.model.table}, "
                f"{self.source.relation} WHERE {self.model.where} AND train GROUP BY 1 ORDER BY 1")
            return [r["v"] for r in rows]
        if key == "responsibility":
            shares = self.memberships()
            return {i: shares[i] for i in want}
        raise Unknown(key)
