"""Kernel ridge regression, kernel principal components and the kernel perceptron."""
import json
import math

from methods import ModelHandler, Several, Unknown, method
from session import quote

NAMES = {"poly": "polynomial", "c0": "coef0"}


class KernelCase(ModelHandler):
    """A case with a kernel: its parameters as options."""

    def options(self, *others):
        """Returns the kernel's options, and others by their name in the case, as jsonb."""
        given = {}
        kernel = self.param("kernel", "rbf")
        given["kernel"] = NAMES.get(kernel, kernel)
        allowed = {"linear": (), "rbf": ("gamma", "sigma"), "polynomial": ("gamma", "degree", "c0"),
                   "sigmoid": ("gamma", "c0")}[given["kernel"]]
        for name in allowed + others:
            if self.param(name) is not None:
                given[NAMES.get(name, name)] = self.param(name)
        given.update(self.more())
        return f"{quote(json.dumps(given))}::jsonb"

    def more(self):
        return {}

    def by_id(self, expression, where):
        """Returns the value of an expression over the model m for every row, in order of id."""
        rows = self.session.rows(f"SELECT id, {expression} AS v FROM {self.model.table}, {self.source.relation} "
                                 f"WHERE {self.model.where} AND {where} ORDER BY id")
        return {str(r["id"]): r["v"] for r in rows}

    def predictions(self, where="train"):
        return self.by_id(f"pgfit.predict(m, {self.source.whole})", where)


@method("kernel_ridge", needs=["kernel_ridge", "predict", "parameter"])
class KernelRidge(KernelCase):
    def more(self):
        """The mean of the target is subtracted only where the case says so."""
        return {"intercept": "minus its training mean" in str(self.param("target", ""))}

    def fit(self):
        self.model = self.models.fit(
            f"pgfit.kernel_ridge({self.source.target}, {self.source.whole}, {self.options('lambda')} ORDER BY id)",
            self.source.relation)

    def numbers(self):
        return self.model.parameter("multipliers")

    def mse(self, where):
        return self.session.value(
            f"SELECT avg(({self.source.target} - pgfit.predict(m, {self.source.whole}))^2) AS v FROM {self.model.table}, "
            f"{self.source.relation} WHERE {self.model.where} AND {where}")

    def value(self, key):
        want = self.expected[key]
        alpha = self.model.parameter("multipliers")
        if key == "alpha":
            return alpha
        if key == "alpha_norm":
            return math.sqrt(math.fsum(a * a for a in alpha))
        if key == "w":
            columns = zip(*self.input["X"])
            return Several(coefficients=[c["estimate"] for c in self.model.slopes()],
                           dual=[math.fsum(a * x for a, x in zip(alpha, column)) for column in columns])
        if key == "fitted":
            return list(self.predictions().values())
        if key == "prediction":
            return [self.session.value(f"SELECT pgfit.predict(m, ARRAY{list(map(float, x))}) AS v FROM {self.model.table} "
                                       f"WHERE {self.model.where}") for x in self.input["new"]]
        if key == "y_offset":
            return self.model.parameter("intercept")[0] if self.more()["intercept"] else 0.0
        if key == "train_mse":
            return Several(fact=self.model.fact("mse"), predictions=self.mse("train"))
        if key == "test_mse":
            return self.mse("test")
        if key in ("train_pred", "test_pred"):
            found = self.predictions("train" if key == "train_pred" else "test")
            return {k: found[k] for k in want}
        raise Unknown(key)


@method("kernel_pca", needs=["kernel_pca", "transform", "parameter"])
class KernelPca(KernelCase):
    def more(self):
        centre = self.param("centre", self.param("center"))
        return {} if centre is None else {"center": centre}

    def fit(self):
        self.k = self.param("k", 2)
        self.model = self.models.fit(
            f"pgfit.kernel_pca({self.source.whole}, {self.k}, {self.options()} ORDER BY id)", self.source.relation)

    def numbers(self):
        return self.model.parameter("multipliers") + self.model.parameter("variances")

    def scores(self, where):
        rows = self.by_id(f"pgfit.transform(m, {self.source.whole})", where)
        return {k: [abs(v) for v in row] for k, row in rows.items()}

    def value(self, key):
        want = self.expected[key]
        if key in ("eigenvalues", "eigenvalues_centred_gram"):
            return [v * self.model.fact("rows") for v in self.model.parameter("variances")]
        if key == "abs_scores_pc1":
            return [row[0] for row in self.scores("train").values()]
        if key in ("abs_scores_train", "abs_scores_test"):
            found = self.scores("train" if key == "abs_scores_train" else "test")
            return {k: found[k] for k in want}
        raise Unknown(key)


@method("kernel_perceptron", needs=["perceptron", "decision", "parameter", "kernel"])
class KernelPerceptron(KernelCase):
    def more(self):
        return {"mistakes": True}

    def fit(self):
        self.model = self.models.fit(
            f"pgfit.perceptron({self.source.target}, {self.source.whole}, {self.options()} ORDER BY id)", self.source.relation)

    def numbers(self):
        return self.model.parameter("multipliers")

    def value(self, key):
        if key == "alpha":
            counts = self.model.parameter("mistakes")
            signed = [a * y for a, y in zip(counts, self.input["y"]) if a]
            return Several(counts=counts) if signed == self.model.parameter("multipliers") else None
        if key == "epochs":
            return self.model.fact("iterations")
        if key == "updates":
            return self.model.fact("updates")
        if key == "decision":
            return list(self.by_id(f"pgfit.decision(m, {self.source.whole})", "train").values())
        if key == "gram":
            options = json.dumps({"degree": self.param("degree"), "coef0": self.param("c0"), "gamma": self.param("gamma")})
            return [[self.session.value(f"SELECT pgfit.kernel(ARRAY{a}, ARRAY{b}, 'polynomial', {quote(options)}::jsonb) AS v")
                     for b in self.input["X"]] for a in self.input["X"]]
        raise Unknown(key)
