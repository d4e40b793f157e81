"""Generalized linear models: glm, and its families that are methods of their own."""
import json

from methods import method
from methods.vcov import Vcov
from models import flat
from session import identifier, quote

OPTIONS = ("formula", "family", "link", "link_power", "theta", "power", "vcov", "weight_kind", "penalty", "lambda", "alpha", "reduction", "standardize")
FACTS = ("deviance", "null_deviance", "dispersion", "df_residual", "aic", "bic", "power", "power_dispersion", "log_likelihood")


@method("glm", needs=["glm", "coefficients", "info"])
class Glm(Vcov):
    def fit(self):
        estimator = self.param("estimator", "glm")
        given = {k: self.param(k) for k in OPTIONS if self.param(k) is not None}
        if estimator != "glm":
            del given["family"]
        weight = f", f.{identifier(self.param('weight'))}" if self.param("weight") else ""
        self.model = self.models.fit(f"pgfit.{estimator}(d.target, f, {quote(json.dumps(given))}::jsonb{weight})", self.source.relation)

    def value(self, key):
        if key == "coefficients":
            return self.numbers()
        if key == "theta":
            return [self.model.fact("theta"), self.model.fact("theta_std_error")]
        if key == "zeros":
            return [self.model.fact(fact) for fact in ("zeros", "expected_zeros", "zeros_z")]
        if key == "predicted":
            return flat(self.model.select(f"(SELECT jsonb_agg(pgfit.predict(m, f) ORDER BY d.id) FROM {self.source.relation} WHERE d.id <= 5)"))
        if key == "influence":
            weight = f", f.{identifier(self.param('weight'))}" if self.param("weight") else ""
            return self.model.select(
                f"(SELECT jsonb_object_agg(c, numbers) FROM (SELECT key AS c, jsonb_agg(value ORDER BY d.id) AS numbers FROM {self.source.relation},"
                f" pgfit.influence(m, d.target, f{weight}) AS i, jsonb_each(to_jsonb(i)) WHERE d.id <= 8 GROUP BY key) AS n)")
        if key in FACTS:
            return [self.model.fact(key)]
        return super().value(key)
