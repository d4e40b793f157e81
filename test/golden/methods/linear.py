"""Least squares, ridge and Bayesian regression: ols, ols_loglik, ridge, cross_validation of ridge, bayesian_regression, bounded, minimum_norm."""
import json
import math
import re

from algebra import add, determinant, eigenvalues, outer, scale, symmetric, unpack
from methods import ModelHandler, Several, Unknown, method
from session import quote

# Our name of a fit statistic in info() for each expected key.
FACTS = {
    "df": "df_residual", "rss": "rss", "tss": "tss", "r2": "r_squared", "r_squared": "r_squared",
    "adj_r2": "adjusted_r_squared", "adj_r_squared": "adjusted_r_squared", "sigma": "sigma",
    "sigma2_ml": "sigma2_ml", "residual_std_dev": "sigma", "f": "f_statistic", "f_p": "f_p_value",
    "loglik": "log_likelihood", "aic": "aic", "bic": "bic", "mse": "mse", "rmse": "rmse",
}
# coefficients() column for each expected vector.
COLUMNS = {"se": "std_error", "std_errors": "std_error", "t": "statistic", "p": "p_value",
           "z": "statistic"}
VECTORS = ("coef", "coefs", "coefficients", "w", "w_with_intercept", "coef_by_power", "ols_coef")
DEFAULT_INPUT = {"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 3.0, 2.0, 5.0]}


class Linear(ModelHandler):
    """What ordinary and penalized least squares share."""

    def __init__(self, case, session, loader):
        if "data" not in case and not any(k in (case.get("input") or {}) for k in ("x", "X")):
            case = dict(case, input=dict(DEFAULT_INPUT, **(case.get("input") or {})))
        super().__init__(case, session, loader)

    # ---- fits ----

    def options(self, **given):
        options = {k: self.param(k) for k in ("level", "standardize", "weight_kind") if self.param(k) is not None}
        options.update(given)
        return quote(json.dumps(options)) + "::jsonb"

    def aggregate(self, target, features, options):
        weight = f", {self.source.weight}" if self.source.weight else ""
        return f"pgfit.linear_regression({target}, {features}, {options}{weight})"

    def fit_on(self, features, intercept=True, target=None, **given):
        """Fits other features or options than those of the case; each once."""
        if not intercept:
            given["intercept"] = False
        key = (features, target, tuple(sorted(given.items())))
        if key not in self.kept:
            self.kept[key] = self.models.fit(
                self.aggregate(target or self.source.target, features, self.options(**given)), self.source.relation)
        return self.kept[key]

    def with_intercept(self):
        return self.param("intercept", True) is not False

    def fit(self):
        self.model = self.fit_on(self.source.whole, self.with_intercept())

    def numbers(self):
        names = ("estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high")
        scores = [r["v"] for r in self.rows("pgfit.predict(m, {f})", "train")]
        return [c[n] for c in self.model.coefficients() for n in names if n in c] + scores

    # ---- scores ----

    def rows(self, expression, where, model=None):
        """Returns an expression over the rows and the model m; {f} is the features argument."""
        model = model or self.model
        return self.session.rows(f"SELECT id, {expression.format(f=self.source.whole)} AS v FROM {model.table}, "
                                 f"{self.source.relation} WHERE {model.where} AND {where} ORDER BY id")

    def over(self, expression, where="train", model=None):
        """Returns an aggregate over the rows; {y} is the target, {p} the prediction."""
        model = model or self.model
        text = expression.format(y=self.source.target, p=f"pgfit.predict(m, {self.source.whole})",
                                 w=f", {self.source.weight}" if self.source.weight else "")
        return self.session.value(f"SELECT {text} AS v FROM {model.table}, {self.source.relation} "
                                  f"WHERE {model.where} AND {where}")

    # ---- vectors of coefficients ----

    def slopes(self, model):
        """Returns the coefficients of the features, by name if features have names."""
        lines = model.slopes()
        named = {c["term"]: c for c in lines}
        if self.source.names and set(named) == set(self.source.names):
            return [named[n] for n in self.source.names]
        return lines

    def vector(self, column, want, model=None):
        """Returns a column of coefficients() in the order and length of the case."""
        model = model or self.model
        intercept, slopes = model.intercept(), self.slopes(model)
        order = self.expected.get("coef_order")
        if isinstance(want, dict):
            lines = {c["term"].strip("()"): c[column] for c in model.coefficients()}
            return {k: lines.get(k.strip("()")) for k in want}
        if order and self.source.names and len(order) == len(want):
            lines = {c["term"]: c[column] for c in slopes}
            return [intercept[column] if name.strip("()") == "intercept" and name not in lines
                    else lines.get(name) for name in order]
        values = [c[column] for c in slopes]
        if intercept is not None and len(want) == len(values) + 1:
            values = [intercept[column]] + values
        return values

    def pair(self, model):
        """Returns intercept and slopes of a model in the form of the case."""
        line = model.intercept()
        return {"intercept": line["estimate"] if line else 0.0, "coef": [c["estimate"] for c in self.slopes(model)]}

    # ---- the data ----

    def summary(self, items, key=None):
        """Returns (rows, means, centered cross-products) of expressions over the training rows, from feature_moments."""
        expression = "ARRAY[" + ", ".join(items) + "]::float8[]"
        if expression not in self.kept:
            model = self.models.fit(f"pgfit.feature_moments({expression})", self.source.relation)
            size = len(items)
            means = model.parameter("means")
            self.kept[expression] = (model.fact("rows"), means,
                                     symmetric(unpack(model.parameter("scatter"), size)))
        return self.kept[expression]

    def covariance(self, i, j):
        """Returns the population covariance of features i and j (from 1; "y" is the target)."""
        items = self.source.features + [self.source.target]
        n, _, scatter = self.summary(items)
        at = [len(items) - 1 if k == "y" else int(k) - 1 for k in (i, j)]
        return scatter[at[0]][at[1]] / n

    def raw_products(self, homogeneous):
        """Returns X'X and X'y; X has a column of ones if homogeneous."""
        items = (["1"] if homogeneous else []) + self.source.features + [self.source.target]
        n, means, scatter = self.summary(items)
        full = add(scatter, scale(outer(means, means), n))
        return [row[:-1] for row in full[:-1]], [row[-1] for row in full[:-1]]

    def covariance_matrix(self, model, features, intercept):
        """
        The covariance of the estimates, through public standard errors alone: with term j replaced by
        term j - term i the coefficient of i becomes b_i + b_j, whose variance gives 2 cov(b_i, b_j).
        """
        terms = (["1"] if intercept else []) + list(features)
        error = [c["std_error"] for c in ([model.intercept()] if intercept else []) + self.slopes(model)]
        size = len(terms)
        out = [[0.0] * size for _ in range(size)]
        for i in range(size):
            out[i][i] = error[i] ** 2
            for j in range(i + 1, size):
                changed = list(terms)
                changed[j] = f"({terms[j]} - {terms[i]})"
                other = self.fit_on(self.source.array(changed[1:] if intercept else changed), intercept)
                line = other.intercept() if intercept and i == 0 else other.slopes()[i - (1 if intercept else 0)]
                out[i][j] = out[j][i] = (line["std_error"] ** 2 - error[i] ** 2 - error[j] ** 2) / 2
        return out

    def condition_number(self, zscored):
        n, _, scatter = self.summary(self.source.features)
        size = len(scatter)
        if zscored:
            deviation = [math.sqrt(scatter[i][i]) for i in range(size)]
            scatter = [[scatter[i][j] / (deviation[i] * deviation[j]) for j in range(size)] for i in range(size)]
        values = eigenvalues(scatter)
        return math.sqrt(values[-1] / values[0])

    # ---- keys ----

    def value(self, key):
        want = self.expected[key]
        if key in VECTORS and isinstance(want, (list, dict)):
            return self.vector("estimate", want)
        if key in COLUMNS:
            return self.vector(COLUMNS[key], want)
        if key in ("ci95", "ci"):
            return [list(v) for v in zip(self.vector("conf_low", want), self.vector("conf_high", want))]
        if key == "w_no_intercept" or key == "no_intercept":
            return [c["estimate"] for c in self.slopes(self.fit_on(self.source.whole, False))]
        if key in ("intercept", "alpha"):
            return self.pair(self.model)["intercept"]
        if key in ("slope", "beta"):
            return self.single_slope(self.model)
        for family in (self.statistic, self.about_data, self.about_rows, self.variant):
            try:
                return family(key, want)
            except Unknown:
                pass
        raise Unknown(key)

    @staticmethod
    def single_slope(model):
        slopes = model.slopes()
        if len(slopes) != 1:
            raise Unknown("slope")
        return slopes[0]["estimate"]

    def statistic(self, key, want):
        """Returns a fit statistic: from info(), and from the scores if it follows from them."""
        recomputed = {
            "rss": "sum(({y} - {p})^2)", "mse": "pgfit.mse({y}, {p}{w})", "mae": "pgfit.mae({y}, {p}{w})",
            "rmse": "pgfit.rmse({y}, {p}{w})", "r2": "pgfit.r_squared({y}, {p}{w})",
            "r_squared": "pgfit.r_squared({y}, {p}{w})",
            "tss": "count(*) * var_pop({y})", "n": "count(*)",
        }
        places = {}
        if key in ("rss", "tss") and (self.source.weight or not self.with_intercept()):
            recomputed = {}
        if key in recomputed and not (key in ("r2", "r_squared") and not self.with_intercept()):
            places["rows"] = self.over(recomputed[key])
        if key == "sigma2_ml":
            places["rows"] = self.over("pgfit.mse({y}, {p}{w})")
        if key in FACTS:  # a missing statistic is NULL
            places["info"] = self.model.fact(FACTS[key])
        if not places:
            raise Unknown(key)
        return Several(**places)

    def about_data(self, key, want):
        """Returns arithmetic about the rows, from feature_moments."""
        if key in ("mean_x", "mean_y"):
            _, means, _ = self.summary(self.source.features + [self.source.target])
            return means[-1] if key == "mean_y" else means[0] if len(means) == 2 else means[:-1]
        if key in ("var_x", "D_equals_var_x"):
            return self.covariance(1, 1)
        if key == "var_y":
            return self.covariance("y", "y")
        if key == "cov_xy":
            return self.covariance(1, "y")
        match = re.fullmatch(r"sigma(\d)(\d|y)", key) or re.fullmatch(r"cov_x(\d+)_(y)", key)
        if match:
            return self.covariance(*match.groups())
        size = len(self.source.features)
        if key == "xtx":
            return self.raw_products(len(want) > size)[0]
        if key == "xty":
            return self.raw_products(len(want) > size)[1]
        if key == "D":
            products, _ = self.raw_products(False)
            n = self.summary(self.source.features + [self.source.target])[0]
            return determinant(scale(products, 1.0 / n))
        if key == "xtx_inv":
            return self.inverse_products(len(want) > size)
        if key == "condition_number_centred":
            return self.condition_number(False)
        if key == "condition_number_centred_zscored":
            return Several(moments=self.condition_number(True), info=self.model.fact("condition_number"))
        if key == "cov_of_x_over_variance_with_y":
            return self.covariance(1, "y") / self.covariance(1, 1)
        raise Unknown(key)

    def inverse_products(self, homogeneous):
        """Returns (X'X)^-1: the covariance of the estimates over the residual variance."""
        model = self.fit_on(self.source.array(), homogeneous)
        variance = model.fact(FACTS["sigma"]) ** 2
        return scale(self.covariance_matrix(model, self.source.features, homogeneous), 1 / variance)

    def about_rows(self, key, want):
        """Returns scores of training and test rows."""
        if key == "residual_sum":
            return self.over("sum({y} - {p})")
        if key in ("fitted", "predictions", "yhat", "train_pred"):
            return self.scores(want, "train")
        if key in ("test_pred", "test_predictions", "test_fitted"):
            return self.scores(want, "test")
        if key == "test_intervals":
            return {i: self.intervals(i, w) for i, w in want.items()}
        match = re.fullmatch(r"(test|train)_(mse|rmse|mae|r2)", key)
        if match:
            name = {"r2": "r_squared"}.get(match.group(2), match.group(2))
            return self.over("pgfit." + name + "({y}, {p}{w})", match.group(1))
        raise Unknown(key)

    def scores(self, want, where):
        rows = self.rows("pgfit.predict(m, {f})", where)
        if isinstance(want, dict):
            by_id = {str(r["id"]): r["v"] for r in rows}
            return {i: by_id.get(i) for i in want}
        return [r["v"] for r in rows]

    def intervals(self, row, want):
        """
        Intervals of one row. The mean's: the confidence limits of the intercept when the features are
        counted from that row.
        """
        out = {}
        for key in want:
            if key.startswith("prediction"):
                level = re.sub(r"\D", "", key) or "95"
                got = self.session.rows(
                    f"SELECT i.* FROM {self.model.table}, {self.source.relation}, "
                    f"pgfit.predict_interval(m, {self.source.whole}, 0.{level}) i "
                    f"WHERE {self.model.where} AND id = {int(row)}")[0]
                out[key] = [got["lower"], got["upper"]]
            elif key == "mean_ci95":
                at = self.session.rows(f"SELECT {self.source.array()} AS v FROM {self.source.relation} "
                                       f"WHERE id = {int(row)}")[0]["v"]
                shifted = [f"({f} - ({v!r}))" for f, v in zip(self.source.features, at)]
                line = self.fit_on(self.source.array(shifted)).intercept()
                out[key] = [line["conf_low"], line["conf_high"]]
        return out

    def variant(self, key, want):
        """Returns values of other fits to the same rows."""
        if key in ("w_decomposed", "w_uncorrelated_eq7_2"):
            together = self.fit_on(self.source.whole, decompose=True)
            return Several(one_by_one=[self.single_slope(self.fit_on(f)) for f in self.source.features],
                           option=[c["estimate"] for c in self.slopes(together)])
        if key == "slope_on_unit_variance_x":
            deviation = math.sqrt(self.covariance(1, 1))
            return self.single_slope(self.fit_on(f"({self.source.features[0]} / {deviation!r})"))
        if key == "slope_change":
            raised = re.search(r"raised by (-?[\d.]+\d|\d+)", self.case.get("notes", ""))
            if not raised:
                raise Unknown(key)
            last = f"(SELECT max(id) FROM {self.source.relation.split()[0]})"
            target = f"({self.source.target} - CASE WHEN id = {last} THEN {raised.group(1)} ELSE 0 END)"
            before = self.fit_on(self.source.whole, self.with_intercept(), target)
            return self.single_slope(self.model) - self.single_slope(before)
        if key in ("covariance_of_coef", "covariance_of_coefficients", "covariance"):
            if want is None:  # the case does not list it
                return None
            return self.covariance_matrix(self.model, self.source.features, self.with_intercept())
        raise Unknown(key)


@method("ols", "ols_loglik", needs=["linear_regression", "coefficients", "info", "predict"])
class Ols(Linear):
    pass


@method("ridge", needs=["ridge_regression", "coefficients", "info", "predict"])
class Ridge(Linear):
    """Ridge: penalty lambda on the squared coefficients, also on the intercept if the case says so."""

    def loss(self):
        objective = str(self.param("loss", self.param("objective", "sum"))).lower()
        mean = objective.startswith("mean") or "/ n" in objective or "/n" in objective
        return "mean" if mean else "sum"

    def aggregate(self, target, features, options):
        weight = f", {self.source.weight}" if self.source.weight else ""
        return f"pgfit.ridge_regression({target}, {features}, {self.penalty()!r}, {options}{weight})"

    def penalty(self):
        return float(self.param("lambda", 0.0))

    def options(self, **given):
        if self.loss() == "mean":
            given.setdefault("loss", "mean")
        if self.param("penalise_intercept") is True and given.get("intercept", True):
            given.setdefault("penalize_intercept", True)
        return super().options(**given)

    def column_of_ones(self):
        """Fits the intercept as one more penalized feature."""
        first, *rest = [c["estimate"] for c in self.fit_on(self.source.array(ones=True), False).slopes()]
        return {"intercept": first, "coef": rest}

    def value(self, key):
        if key == "free_intercept":
            return self.pair(self.fit_on(self.source.whole, penalize_intercept=False))
        if key == "penalised_intercept":
            return Several(ones=self.column_of_ones(),
                           option=self.pair(self.fit_on(self.source.whole, penalize_intercept=True)))
        if key == "objective":
            terms = [c["estimate"] for c in self.slopes(self.model)]
            if self.param("penalise_intercept") is True:
                terms.append(self.model.intercept()["estimate"])
            loss = "sum" if self.loss() == "sum" else "avg"
            return self.over(loss + "(({y} - {p})^2)") + self.penalty() * math.fsum(v * v for v in terms)
        return super().value(key)


@method("bayesian_regression", needs=["bayesian_regression", "moments", "coefficients", "info", "predict_interval"])
class Bayesian(Linear):
    """Posteriors: of the rows, and of merged moments."""

    COLUMNS = {"estimates": "estimate", "std_errors": "std_error", "conf_low": "conf_low"}

    def options(self, **given):
        priors = {k: self.param(k) for k in ("prior_precision", "noise_shape", "noise_rate") if self.param(k) is not None}
        return super().options(**priors, **given)

    def aggregate(self, target, features, options):
        weight = f", {self.source.weight}" if self.source.weight else ""
        return f"pgfit.bayesian_regression({target}, {features}, {options}{weight})"

    def value(self, key):
        if key in self.COLUMNS:
            return [c[self.COLUMNS[key]] for c in self.model.coefficients()]
        if key in ("lower", "upper"):
            count = len(self.expected[key])
            return [r["v"] for r in self.rows(f"(pgfit.predict_interval(m, {{f}}, 0.95)).{key}", f"id <= {count}")]
        return self.model.fact(key)


@method("bounded", needs=["linear_regression", "ridge_regression", "lasso_regression", "coefficients", "info", "predict"])
class Bounded(Linear):
    """Bounds for the coefficients: options lower and upper."""

    def options(self, **given):
        return super().options(**{k: self.param(k) for k in ("lower", "upper", "lambda") if self.param(k) is not None}, **given)

    def aggregate(self, target, features, options):
        return f"pgfit.{self.param('estimator')}({target}, {features}, {options})"


@method("minimum_norm", needs=["linear_regression", "coefficients", "info", "predict"])
class MinimumNorm(Linear):
    """Of all solutions that with the least sum of squares: option solution."""

    def options(self, **given):
        return super().options(solution="minimum_norm", **given)
