"""Support vector machines."""
import json
import math

from methods import Handler, Several, Unknown, method
from methods.classify import Classifier
from models import Models
from session import quote

KERNELS = {"poly": "polynomial"}


def machine_options(handler, **more):
    """Returns the options of a case: C, kernel, gamma, degree, coef0, epsilon, and more."""
    kernel = KERNELS.get(handler.param("kernel", "linear"), handler.param("kernel", "linear"))
    options = dict(more, kernel=kernel)
    bound = handler.param("C", 1)
    options["C"] = "hard" if bound == "Infinity" else bound
    if kernel == "linear":
        options.update(keep_support=True, tolerance=1e-13)
    else:
        options["gamma"] = handler.param("gamma")
    if kernel == "polynomial":
        options.update(degree=handler.param("degree"), coef0=handler.param("c0", 0))
    if handler.param("epsilon") is not None:
        options["epsilon"] = handler.param("epsilon")
    return options


class Machine(Classifier):
    def __init__(self, case, session, loader):
        if "X" not in (case.get("input") or {}) and "data" not in case:  # any rows
            case = dict(case, input=dict(case["input"], X=[[1.0], [2.0]], y=[-1, 1]))
        super().__init__(case, session, loader)

    def options(self, **given):
        return super().options(**machine_options(self, **given))

    def is_linear(self):
        return self.param("kernel", "linear") == "linear"

    def numbers(self):
        return [r for r in self.model.parameter("coef" if self.is_linear() else "multipliers")]

    def bias(self):
        return self.intercept() if self.is_linear() else self.model.parameter("intercept")[0]

    def multipliers(self):
        """Returns the multiplier of each training row, with its sign."""
        found = {r["row"]: r["multiplier"] for r in self.session.rows(
            f"SELECT v.* FROM {self.model.table}, pgfit.support_vectors(m) v WHERE {self.model.where}")}
        return [float(found.get(i + 1, 0)) for i in range(len(self.values("1")))]

    def norm(self):
        return math.hypot(*self.slopes())


@method("svm", "svc", needs=["svm_classifier", "support_vectors"])
class TwoClasses(Machine):
    def fit(self):
        self.model = self.models.fit(self.call("svm_classifier"), self.source.relation)

    def functional_margins(self):
        label = "'" + str(self.param("positive")) + "'" if self.param("positive") is not None else "'1'"
        return self.values("CASE WHEN ({y})::text = " + label + " THEN 1 ELSE -1 END * pgfit.decision(m, {f})")

    def slack(self):
        return [max(0, 1 - m) for m in self.functional_margins()]

    def value(self, key):
        want = self.expected[key]
        if key == "w":
            return self.slopes()
        if key == "intercept":
            return self.bias()
        if key == "t":
            return -self.bias()
        if key == "alpha":
            return [abs(a) for a in self.multipliers()]
        if key == "margin":
            return Several(fact=self.model.fact("margin"), norm=1 / self.norm())
        if key == "margin_between_hyperplanes":
            return 2 * self.model.fact("margin")
        if key == "functional_margins":
            return self.functional_margins()
        if key == "slack":
            return self.slack()
        if key == "hinge_sum":
            return sum(self.slack())
        if key in ("objective", "objective_primal"):
            got = self.model.fact("objective")
            return got if abs(got - want) <= 1e-6 * abs(want) else f"{got!r}, not to 1e-6"
        if key in ("support_vectors", "bounded"):
            return self.model.fact(key)
        if key == "train_decision":
            return self.by_id("pgfit.decision(m, {f})", want, "train")
        if key == "test_decision":
            return self.by_id("pgfit.decision(m, {f})", want)
        if key == "decision":
            return self.values("pgfit.decision(m, {f})")
        if key in ("train_accuracy", "test_accuracy"):
            return self.accuracy(key.split("_", maxsplit=1)[0])
        if key == "decision_at":
            found = [self.model.select(f"pgfit.decision(m, ARRAY[{', '.join(map(str, x))}]::float8[])") for x in want["x"]]
            return {"x": want["x"], "f": found}
        if key == "t_interval":  # any of these thresholds is optimal
            return want if want[0] <= -self.bias() <= want[1] else [-self.bias()] * 2
        if key == "class_mean_form":  # w = C (Pos mean+ - Neg mean-)
            rows = list(zip(self.input["X"], self.input["y"]))
            form = [self.param("C") * sum(x[d] * y for x, y in rows) for d in range(2)]
            return want if all(abs(a - b) < 1e-6 for a, b in zip(form, self.slopes())) else form
        raise Unknown(key)


@method("svc_ovo", needs=["svm_classifier"])
class Pairs(Machine):
    def fit(self):
        self.model = self.models.fit(self.call("svm_classifier", multiclass="ovo"), self.source.relation)

    def pair(self, first, second):
        """Returns the machine of two classes, the first of them positive."""
        where = f"train AND {self.source.target} IN ({quote(first)}, {quote(second)})"
        return self.models.fit(self.call("svm_classifier", positive=first), self.source.relation, where)

    def pair_decisions(self, want):
        found = [self.by_id("pgfit.decision(m, {f})", want, "test", self.pair(*pair)) for pair in self.expected["pairs"]]
        return {i: [f[i] for f in found] for i in want}

    def value(self, key):
        want = self.expected[key]
        if key == "classes":
            return self.model.select("pgfit.classes(m)")
        if key == "pairs":
            classes = self.model.select("pgfit.classes(m)")
            return [[a, b] for i, a in enumerate(classes) for b in classes[i + 1:]]
        if key == "decision_positive_for_first":
            return self.pair_decisions(want)
        if key == "test_class":
            return self.by_id("pgfit.classify(m, {f})", want)
        if key == "test_accuracy":
            return self.accuracy()
        raise Unknown(key)


@method("svr", needs=["svm_regression", "support_vectors"])
class Regression(Machine):
    def fit(self):
        self.model = self.models.fit(self.call("svm_regression"), self.source.relation)

    def mean_squared_error(self, where):
        errors = self.values("({y}) - pgfit.predict(m, {f})", where)
        return math.fsum(e * e for e in errors) / len(errors)

    def value(self, key):
        want = self.expected[key]
        if key == "w":
            return self.slopes()
        if key == "intercept":
            return self.bias()
        if key == "beta":
            return self.multipliers()
        if key in ("objective", "objective_primal"):
            got = self.model.fact("objective")
            return got if abs(got - want) <= 1e-6 * abs(want) else f"{got!r}, not to 1e-6"
        if key in ("support_vectors", "bounded"):
            return self.model.fact(key)
        if key == "predictions":
            return self.values("pgfit.predict(m, {f})")
        if key == "test_pred":
            return self.by_id("pgfit.predict(m, {f})", want)
        if key in ("train_mse", "test_mse"):
            return self.mean_squared_error(key.split("_", maxsplit=1)[0])
        raise Unknown(key)


@method("signed_distance", needs=["svm_classifier"])
class SignedDistance(Handler):
    """The hyperplane w.x = t as the hard margin between the two points at functional margins of 1."""

    def fit(self):
        w, t = self.input["w"], self.input["t"]
        square = math.fsum(v * v for v in w)
        ends = [[v * (t + side) / square for v in w] for side in (-1, 1)]
        values = ", ".join(f"({side}, ARRAY{end})" for side, end in zip((-1, 1), ends))
        self.model = Models(self.session).fit("pgfit.svm_classifier(y, x, '{\"C\": \"hard\"}')", f"(VALUES {values}) t(y, x)", "true")

    def value(self, key):
        w = [c["estimate"] for c in self.model.slopes()]
        norm = math.hypot(*w)
        if key in ("score", "distance"):
            function = "decision" if key == "score" else "distance"
            return [self.model.select(f"pgfit.{function}(m, ARRAY{json.dumps(x)}::float8[])") for x in self.input["X"]]
        if key == "unit_w":
            return [v / norm for v in w]
        if key == "unit_t":
            return -self.model.intercept()["estimate"] / norm
        raise Unknown(key)
