"""Robust standard errors, fixed effects, chosen terms, quantiles, robust and ordinal regressions: options vcov and absorb, step, and methods from rows."""
import json

from methods import ModelHandler, method
from models import flat
from session import identifier, quote
from source import Source

# Columns beside those of a file, as make_vcov.R and make_absorb.R have them.
EXTRA = ("id * 389 % 1009 AS place", "id * 7 % 23 AS block", "id % 11 AS team", "id / 2 AS pair", "id / 3 AS trio", "id AS own")
TARGETS = {"large": "petal_width > 1.5", "heavy": "alcohol > 13"}
OPTIONS = ("formula", "absorb", "vcov", "cluster", "order", "lag", "tuning", "scale", "tolerance", "weight_kind", "family", "link", "levels")


@method("vcov", needs=["linear_regression", "logistic_regression", "glm", "coefficients", "info"])
class Vcov(ModelHandler):
    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        table, header = loader.file_table(case["data"]["file"])
        target = self.param("target")
        features = [identifier(h) for h in header if h not in ("id", target)]
        relation = (f"(SELECT id, {TARGETS.get(target, identifier(target))} AS target, true AS train FROM {table}) d JOIN LATERAL "
                    f"(SELECT {', '.join(features)}, {', '.join(EXTRA)} FROM {table} t WHERE t.id = d.id) f ON true")
        self.source = Source(relation, [f"f.{name}" for name in features], "f", "d.target", None, None)

    def fit(self):
        given = {k: self.param(k) for k in OPTIONS if self.param(k) is not None}
        if self.param("estimator") == "logistic_regression":
            given["tolerance"] = 1e-15
        options = quote(json.dumps(given)) + "::jsonb"
        weight = f", f.{identifier(self.param('weight'))}" if self.param("weight") else ""
        self.model = self.models.fit(f"pgfit.{self.param('estimator', 'linear_regression')}(d.target, f, {options}{weight})", self.source.relation)

    def numbers(self):
        return [c[n] for c in self.model.coefficients() for n in ("estimate", "std_error", "statistic", "p_value")]

    def value(self, key):
        if key == "f":
            return self.model.fact("f_statistic")
        if key == "lag":
            return self.model.fact("lag")
        if key == "df":
            return self.model.parameter("coefficient_df")
        return [c[key] for c in self.model.coefficients()]


# Of a fit with absorbed levels: the statistics that make_absorb.R lists.
STATISTICS = ("r_squared", "adjusted_r_squared", "sigma", "df_residual", "aic", "bic", "within_r_squared", "f_statistic")


@method("absorb", needs=["linear_regression", "coefficients", "info"])
class Absorb(Vcov):
    def value(self, key):
        if key == "statistics":
            return [self.model.fact(name) for name in STATISTICS]
        return [c[key] for c in self.model.coefficients()][1:]  # the intercept is that of the average level


@method("multivariate", needs=["multivariate_regression", "coefficients", "info", "transform"])
class Multivariate(ModelHandler):
    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        self.table, self.header = loader.file_table(case["data"]["file"])

    def fit(self):
        targets = ", ".join(identifier(t) for t in self.param("targets"))
        weight = f", {identifier(self.param('weight'))}" if self.param("weight") else ""
        name = "linear_regression" if len(self.param("targets")) > 1 else "multivariate_regression"
        self.model = self.models.fit(f"pgfit.{name}(ARRAY[{targets}], f, {quote(self.param('formula'))}{weight})", f"(SELECT *, true AS train FROM {self.table}) AS f")

    def value(self, key):
        if key in ("sigma", "r_squared"):
            found = self.model.info()["statistics"][key]
            return found if isinstance(found, list) else [found]
        if key == "products":
            return self.model.parameter("residual_products")
        if key == "fitted":
            return flat(self.model.select(f"(SELECT jsonb_agg(pgfit.transform(m, f) ORDER BY id) FROM {self.table} AS f WHERE id <= 3)"))
        return [c[key] for c in self.model.coefficients()]


@method("step", needs=["linear_regression", "step"])
class Step(Vcov):
    def value(self, key):
        options = quote(json.dumps({"select": self.param("select"), "direction": self.param("direction")}))
        return flat(self.model.select(f"(SELECT jsonb_agg({key} ORDER BY step) FROM pgfit.step(m, {options}))"))


@method("quantile", needs=["quantile_regression", "coefficients", "info"])
class Quantile(Vcov):
    def fit(self):
        options = quote(json.dumps({k: self.param(k) for k in ("formula", "quantile", "errors", "rearrange") if self.param(k) is not None})) + "::jsonb"
        weight = f", f.{identifier(self.param('weight'))}" if self.param("weight") else ""
        self.model = self.models.fit(f"pgfit.quantile_regression(d.target, f, {options}{weight})", self.source.relation)

    def value(self, key):
        if key in ("objective", "aic"):
            return [self.model.fact(key)]
        if key == "sorted":
            return flat(self.model.select(f"(SELECT jsonb_agg(pgfit.transform(m, f) ORDER BY d.id) FROM {self.source.relation} WHERE d.id <= 3)"))
        return super().value(key)


@method("huber", "mm", needs=["huber_regression", "mm_regression", "coefficients", "info"])
class Robust(Vcov):
    def value(self, key):
        return [self.model.fact(key)] if key == "scale" else super().value(key)


@method("theil_sen", needs=["theil_sen", "coefficients"])
class TheilSen(Vcov):
    def fit(self):
        options = quote(json.dumps({k: self.param(k) for k in ("formula", "level")})) + "::jsonb"
        self.model = self.models.fit(f"pgfit.theil_sen(d.target, f, {options})", self.source.relation)

    def value(self, key):
        return super().value(key) if key == "estimate" else super().value(key)[1:]


@method("ordinal", needs=["ordinal_regression", "coefficients", "info", "influence"])
class Ordinal(Vcov):
    def value(self, key):
        if key in ("log_likelihood", "null_deviance"):
            return self.model.fact(key)
        if key == "wald": # all coefficients 0, by name
            return flat(self.model.select("(SELECT jsonb_build_array(w.statistic, w.df, w.p_value) FROM "
                                          "pgfit.wald_test(m, (SELECT string_agg(quote_ident(term) || ' = 0', ', ') FROM pgfit.coefficients(m) WHERE term NOT LIKE '%|%')) AS w)"))
        if key == "differences":
            return flat(self.model.select("(SELECT jsonb_agg(l.std_error ORDER BY a.n) FROM (SELECT term, lead(term) OVER (ORDER BY n) AS other, n FROM pgfit.coefficients(m) "
                                          "WITH ORDINALITY AS c(class, term, estimate, std_error, statistic, p_value, conf_low, conf_high, n) WHERE term NOT LIKE '%|%') AS a, "
                                          "pgfit.linear_combinations(m, quote_ident(term) || ' - ' || quote_ident(other)) AS l WHERE other IS NOT NULL)"))
        if key == "vif":
            return flat(self.model.select("(SELECT jsonb_agg(vif ORDER BY n) FROM pgfit.vif(m) WITH ORDINALITY AS v(term, vif, df, scaled, n))"))
        if key in ("fitted", "residual", "deviance_residual"):
            weight = f", f.{identifier(self.param('weight'))}" if self.param("weight") else ""
            return flat(self.model.select(f"(SELECT jsonb_agg((pgfit.influence(m, d.target, f{weight})).{key} ORDER BY d.id) FROM {self.source.relation} WHERE d.id <= 60)"))
        return super().value(key)


@method("mixed_regression", needs=["mixed_regression", "random_effects", "random_variances", "info"])
class Mixed(Vcov):
    def fit(self):
        options = {k: self.param(k) for k in ("formula", "reml")}
        weight = f", {self.param('weight')}" if self.param("weight") else ""
        call = f"pgfit.mixed_regression(d.target, f, {{options}}{weight})"
        if self.param("moments"): # the target is one of the features, and the formula names it
            options["formula"] = "y ~ " + options["formula"]
            features = "y" if self.param("moments") == "1" else f"y + {self.param('moments')}"
            row = "(SELECT r FROM (SELECT d.target AS y, (f).*) AS r)"
            call = f"pgfit.fit('mixed_regression', pgfit.class_moments((f).{self.param('grouping')}, {row}, '{features}'{weight}), {{options}})"
        self.model = self.models.fit(call.format(options=quote(json.dumps(options)) + "::jsonb"), self.source.relation)

    def value(self, key):
        if key == "criterion":
            return [self.model.fact("reml_criterion" if self.param("reml") else "deviance")] + [self.model.fact(n) for n in ("aic", "bic", "log_likelihood")]
        if key == "singular":
            return [int(self.model.fact("singular"))]
        if key == "df": # columns of random effects alone come last
            return self.model.parameter("coefficient_df")[:len(self.value("estimate"))]
        if key in ("variance", "std_dev"):
            return flat(self.model.select(f"(SELECT jsonb_agg({key} ORDER BY n) FROM pgfit.random_variances(m) "
                                          f"WITH ORDINALITY AS v(g, t, o, variance, std_dev, c, n) WHERE {key} IS NOT NULL)"))
        if key in ("effects", "errors"):
            column = {"effects": "estimate", "errors": "std_error"}[key]
            name = quote(self.param("grouping"))
            return flat(self.model.select(f"(SELECT jsonb_agg({column} ORDER BY level COLLATE \"C\", n) FROM pgfit.random_effects(m) WITH ORDINALITY "
                                          f"AS e(g, level, t, estimate, std_error, n) WHERE regexp_replace(g, 'factor\\((\\w+)\\)', '\\1', 'g') = {name})"))
        return super().value(key)
