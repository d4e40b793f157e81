"""Logistic regression and the functions behind it: logistic, multinomial_logistic, softmax, cross_entropy."""
import json
import math

from methods import Handler, ModelHandler, Several, Unknown, method
from models import flat
from session import number, quote


class Logistic(ModelHandler):
    """What fits of two and of several classes share."""

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        if self.params.get("target"):
            self.source.target = f"(SELECT {self.params['target']} FROM (SELECT {self.source.target} AS progression) t)"

    def fit_options(self):
        options = {k: self.param(k) for k in ("penalty", "lambda", "alpha", "positive") if self.param(k) is not None}
        options["tolerance"] = 1e-12
        return options

    def fit(self):
        weight = f", {self.source.weight}" if self.source.weight else ""
        options = quote(json.dumps(self.fit_options())) + "::jsonb"
        self.model = self.models.fit(
            f"pgfit.logistic_regression({self.source.target}, {self.source.whole}, {options}{weight})",
            self.source.relation)

    def rows(self, expression, where):
        """Returns an expression over the rows and the model m; {f} is the features argument."""
        return self.session.rows(f"SELECT id, {expression.format(f=self.source.whole)} AS v FROM {self.model.table}, "
                                 f"{self.source.relation} WHERE {self.model.where} AND {where} ORDER BY id")

    def numbers(self):
        return [c["estimate"] for c in self.model.coefficients()] + [
            p for r in self.rows("pgfit.probabilities(m, {f})", "train") for p in flat(r["v"])]

    def accuracy(self, where):
        rows = self.rows(f"(pgfit.classify(m, {{f}}) = {self.source.target}::text)::int", where)
        return sum(number(r["v"]) for r in rows) / len(rows)

    def value(self, key):
        m = self.model
        if key == "loglik":
            losses = self.rows(f"ln(pgfit.probability(m, {{f}}, {self.source.target}))", "train")
            return Several(fact=m.fact("log_likelihood"), scores=sum(number(r["v"]) for r in losses))
        if key == "objective":
            return m.fact("objective") if m.fact("objective") is not None else -m.fact("log_likelihood")
        if key in ("deviance", "null_deviance", "aic", "nonzero"):
            return m.fact(key)
        if key == "train_accuracy":
            return self.accuracy("train")
        if key == "test_accuracy":
            return self.accuracy("test")
        if key == "classes":
            return m.select("pgfit.classes(m)")
        raise Unknown(key)


@method("logistic", needs=["logistic_regression"])
class Binary(Logistic):
    def positive_scores(self, where):
        return self.rows("pgfit.probability(m, {f})", where)

    def value(self, key):
        m = self.model
        if key == "intercept":
            return Several(coefficients=m.intercept()["estimate"], parameter=m.parameter("intercept")[0])
        if key == "coef":
            return Several(coefficients=[c["estimate"] for c in m.slopes()], parameter=m.parameter("coef"))
        if key in ("se", "z", "p"):
            column = {"se": "std_error", "z": "statistic", "p": "p_value"}[key]
            return [c[column] for c in [m.intercept()] + m.slopes()]
        if key == "train_logloss_mean":
            rows = self.rows(f"-ln(pgfit.probability(m, {{f}}, {self.source.target}))", "train")
            return sum(number(r["v"]) for r in rows) / len(rows)
        if key == "train_auc":
            scores = [(number(r["v"]), number(o["v"])) for r, o in zip(
                self.rows("pgfit.decision(m, {f})", "train"),
                self.rows(f"({self.source.target} = {quote(self.param('positive'))})::int", "train"))]
            above = [s for s, y in scores if y == 1]
            below = [s for s, y in scores if y == 0]
            return sum((a > b) + (a == b) / 2 for a in above for b in below) / len(above) / len(below)
        if key == "test_prob":
            return {str(r["id"]): number(r["v"]) for r in self.positive_scores("test")}
        return super().value(key)


@method("multinomial_logistic", needs=["logistic_regression"])
class Multinomial(Logistic):
    def fit_options(self):
        return dict(super().fit_options(), multiclass="multinomial")

    def by_class(self):
        """Returns coefficients() per class, in the order of classes()."""
        lines = self.model.coefficients()
        return [[c["estimate"] for c in lines if c["class"] == name] for name in self.model.select("pgfit.classes(m)")]

    def value(self, key):
        if key == "intercepts":
            return Several(coefficients=[c[0] for c in self.by_class()], parameter=self.model.parameter("intercept"))
        if key == "coef":
            return Several(coefficients=[c[1:] for c in self.by_class()],
                           parameter=chunks(self.model.parameter("coef"), len(self.by_class()[0]) - 1))
        if key in ("mean_probability", "test_prob"):
            rows = self.rows("pgfit.probabilities(m, {f})", "train" if key == "mean_probability" else "test")
            found = {str(r["id"]): flat(r["v"]) for r in rows}
            if key == "test_prob":
                return found
            return [math.fsum(column) / len(found) for column in zip(*found.values())]
        return super().value(key)


def chunks(values, size):
    return [values[i:i + size] for i in range(0, len(values), size)]


def array(values):
    return "ARRAY[" + ", ".join(repr(float(v)) for v in values) + "]::float8[]"


@method("logistic_function", needs=["logistic"])
class LogisticFunction(Handler):
    def value(self, key):
        if key != "p":
            raise Unknown(key)
        return number(self.session.rows(f"SELECT pgfit_textbook.logistic({float(self.input['d'])!r}::float8) AS v")[0]["v"])


@method("softmax", needs=["softmax"])
class Softmax(Handler):
    def value(self, key):
        if key != "p":
            raise Unknown(key)
        return [flat(self.session.rows(f"SELECT pgfit_textbook.softmax({array(z)}) AS v")[0]["v"]) for z in self.input["z"]]


@method("cross_entropy", needs=["cross_entropy"])
class CrossEntropy(Handler):
    def value(self, key):
        losses = [number(self.session.rows(f"SELECT pgfit_textbook.cross_entropy({array(p)}, {c}) AS v")[0]["v"])
                  for p, c in zip(self.input["p"], self.input["class"])]
        if key == "losses":
            return losses
        if key == "sum":
            return math.fsum(losses)
        raise Unknown(key)
