"""Principal components."""
from methods import ModelHandler, Unknown, method


def signed(vectors, like):
    """Gives vectors the sign of those that they are compared with, because signs are arbitrary."""
    out = []
    for vector, other in zip(vectors, like):
        same = sum(a * b for a, b in zip(vector, other)) >= 0
        out.append(vector if same else [-v for v in vector])
    return out


def transposed(matrix):
    return [list(row) for row in zip(*matrix)]


@method("pca", needs=["pca", "components", "transform", "inverse_transform", "distance", "parameter", "info"])
class Pca(ModelHandler):
    def __init__(self, case, session, loader):
        if "X" not in (case.get("input") or {}) and "data" not in case: # any rows of as many features
            width = case["input"]["p"]
            rows = [[float((i * i + 3 * i * j) % 7) for j in range(width)] for i in range(8)]
            case = dict(case, input=dict(case["input"], X=rows))
        super().__init__(case, session, loader)
        self.all = None

    def fit(self):
        """Fits k components, and all of them."""
        call = f"pgfit.pca({self.source.whole}, {{}})"
        self.all = self.models.fit(call.format("'{}'::jsonb"), self.source.relation)
        self.k = self.param("k")
        self.model = self.all
        if self.k is not None:
            self.model = self.models.fit(call.format(self.k), self.source.relation)

    def numbers(self):
        return self.all.parameter("components") + self.all.parameter("variances") + self.all.parameter("means")

    def rows(self, expression, model=None):
        model = model or self.model
        rows = self.session.rows(f"SELECT id, {expression.format(f=self.source.whole)} AS v FROM {model.table}, "
                                 f"{self.source.relation} WHERE {model.where} AND train ORDER BY id")
        return {str(r["id"]): r["v"] for r in rows}

    def components(self, model):
        flat, width = model.parameter("components"), len(model.parameter("means"))
        return [flat[i:i + width] for i in range(0, len(flat), width)]

    def statistic(self, name):
        return self.all.info()["statistics"][name]

    def value(self, key):
        n = self.all.fact("rows")
        variances = self.all.parameter("variances")
        want = self.expected[key]
        if key == "mean":
            return self.model.parameter("means")
        if key == "eigenvalues_xtx":
            return [v * n for v in variances][:len(want)]
        if key == "variance_n_minus_1":
            sample = self.models.fit(f"pgfit.pca({self.source.whole}, '{{\"ddof\": 1}}'::jsonb)", self.source.relation)
            return sample.parameter("variances")[:len(want)]
        if key == "variance_n":
            return variances[:len(want)]
        if key == "singular_values":
            return [(v * n) ** 0.5 for v in variances][:len(want)]
        if key == "explained_ratio":
            return self.statistic("explained_ratio")[:len(want)]
        if key == "cumulative_ratio_k":
            return self.statistic("cumulative_ratio")[self.k - 1]
        if key == "total_variance_n_minus_1":
            return self.all.fact("total_variance") * n / (n - 1)
        if key == "components":
            return self.as_signed(self.components(self.model), want)
        if key == "components_columns":
            return transposed(self.as_signed(self.components(self.all), transposed(want)))
        if key == "scores":
            return self.scores(want)
        if key == "reconstruction_error_1":
            one = self.models.fit(f"pgfit.pca({self.source.whole}, 1)", self.source.relation)
            return sum(d * d for d in self.rows("pgfit.distance(m, {f})", one).values())
        if key == "reconstruction_sse_k":
            return sum(d * d for d in self.rows("pgfit.distance(m, {f})").values())
        raise Unknown(key)

    def as_signed(self, vectors, like):
        """Returns components as they are: both sides make the largest entry positive, but ties leave the sign open."""
        tied = [sorted(abs(v) for v in vector)[-1] - sorted(abs(v) for v in vector)[-2] < 1e-6 for vector in like]
        return [s if t else v for v, s, t in zip(vectors, signed(vectors, like), tied)]

    def scores(self, want):
        got = self.rows("pgfit.transform(m, {f})")
        if isinstance(want, dict):
            return {k: got[k] for k in want}
        return [got[str(i + 1)] for i in range(len(want))]
