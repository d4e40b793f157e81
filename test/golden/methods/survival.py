"""Censored times: proportional hazards, Kaplan-Meier curves and log-rank tests."""
import json

from methods import ModelHandler, method
from models import flat
from session import identifier, quote
from source import Source

OPTIONS = ("formula", "event", "entry", "strata", "ties", "vcov", "cluster")
CURVE = ("time", "at_risk", "events", "censored", "survival", "std_error", "conf_low", "conf_high")


class Times(ModelHandler):
    """Rows whose features are all columns but the time."""

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        table, header = loader.file_table(case["data"]["file"])
        features = [identifier(h) for h in header if h not in ("id", case["data"]["target"])]
        relation = (f"(SELECT id, {identifier(case['data']['target'])} AS target, true AS train FROM {table}) d JOIN LATERAL "
                    f"(SELECT {', '.join(features)} FROM {table} t WHERE t.id = d.id) f ON true")
        self.source = Source(relation, [f"f.{name}" for name in features], "f", "d.target", None, None)

    def weight(self):
        return f", f.{identifier(self.param('weight'))}" if self.param("weight") else ""


@method("cox", needs=["cox_regression", "baseline_hazard", "coefficients", "info", "survival", "survival_interval", "influence"])
class Cox(Times):
    def fit(self):
        given = {k: self.param(k) for k in OPTIONS if self.param(k) is not None} | {"level": 0.9, "survival_limits": True}
        self.model = self.models.fit(f"pgfit.cox_regression(d.target, f, {quote(json.dumps(given))}::jsonb{self.weight()})", self.source.relation)

    def value(self, key):
        if key in ("estimate", "std_error"):
            return [c[key] for c in self.model.coefficients()]
        if key in ("baseline_time", "baseline_hazard"):
            column = {"baseline_time": '"time"', "baseline_hazard": "cumulative_hazard"}[key]
            return flat(self.model.select(f"(SELECT jsonb_agg(b.{column} ORDER BY stratum COLLATE \"C\", \"time\") FROM pgfit.baseline_hazard(m) AS b WHERE cumulative_hazard > 0)"))
        if key == "predict":
            return flat(self.model.select(f"(SELECT jsonb_agg(pgfit.predict(m, f) ORDER BY d.id) FROM {self.source.relation})"))
        if key in ("martingale", "deviance"):
            column = {"martingale": "residual", "deviance": "deviance_residual"}[key]
            return flat(self.model.select(f"(SELECT jsonb_agg((pgfit.influence(m, d.target, f{self.weight()})).{column} ORDER BY d.id) FROM {self.source.relation} WHERE d.id <= 60)"))
        if key in ("survival", "survival_low", "survival_high"):
            stratum = f"f.{identifier(self.param('strata'))}::text" if self.param("strata") else "NULL"
            call = {"survival": f"pgfit.survival(m, f, t, {stratum})", "survival_low": f"(pgfit.survival_interval(m, f, t, NULL, {stratum})).lower",
                    "survival_high": f"(pgfit.survival_interval(m, f, t, NULL, {stratum})).upper"}[key]
            return flat(self.model.select(f"(SELECT jsonb_agg({call} ORDER BY d.id, t) FROM {self.source.relation}, unnest(array{self.param('times')}::float8[]) AS t "
                                          f"WHERE d.id = ANY (array{self.param('rows')}))"))
        return [self.model.fact(key)]


@method("concordance", needs=["concordance"])
class Concordance(Times):
    def fit(self):
        observed = [f"f.{identifier(self.param('event'))} = 1", f"f.{identifier(self.param('score'))}"]
        if self.param("entry") or self.param("strata"): # no time is below 0
            observed.append(f"f.{identifier(self.param('entry'))}" if self.param("entry") else "-1")
        if self.param("strata"):
            observed.append(f"f.{identifier(self.param('strata'))}::text")
        options = ", '{}'" + self.weight() if self.param("weight") else ""
        self.result = self.session.value(f"SELECT pgfit.concordance(d.target, ROW({', '.join(observed)}){options}) FROM {self.source.relation}")

    def is_null(self):
        return self.result is None

    def value(self, key):
        return [self.result]


class Curve(Times):
    def fit(self):
        call = f"d.target, f.{identifier(self.param('event'))} = 1"
        if self.case["method"] == "log_rank_test":
            call += f", f.{identifier(self.param('groups'))}"
            call += f", '{{}}', f.{identifier(self.param('strata'))}" if self.param("strata") else ""
            call = f"to_jsonb(pgfit.log_rank_test({call}))"
        else:
            if self.param("entry"):
                call = f"d.target, (f.{identifier(self.param('event'))} = 1, f.{identifier(self.param('entry'))})"
            call += f", {quote(json.dumps(self.param('options')))}{self.weight()}"
            call = f"jsonb_build_object('curve', pgfit.kaplan_meier({call}), 'median', pgfit.median_survival({call}))"
        self.result = self.session.value(f"SELECT {call} FROM {self.source.relation}")

    def is_null(self):
        return self.result is None

    def value(self, key):
        if self.case["method"] == "log_rank_test":
            return flat([self.result[key]])
        if key == "median":
            return [self.result["median"][name] for name in ("median", "conf_low", "conf_high")]
        return [point[CURVE[CURVE.index(key)]] for point in self.result["curve"]]


for name in ("kaplan_meier", "log_rank_test"):
    method(name, needs=[name])(type(name, (Curve,), {}))
