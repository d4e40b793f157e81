"""Classical multidimensional scaling, of rows and of given distances."""
import json

from methods import Handler, Unknown, method
from models import Models
from session import quote


def signed(columns):
    """Returns rows whose columns have the sign that makes their largest entry positive."""
    rows = [list(r) for r in columns]
    for c in range(len(rows[0])):
        largest = max((r[c] for r in rows), key=abs)
        for r in rows:
            r[c] *= -1 if largest < 0 else 1
    return rows


@method("cmdscale", needs=["mds", "coordinates", "distance_matrix"])
class ClassicalScaling(Handler):
    def fit(self):
        self.models = Models(self.session)
        options = {"k": self.param("k")}
        if "distances" in self.input:
            pairs = ", ".join(f"({quote(a)}, {quote(b)}, {d})" for a, b, d in self.input["distances"])
            call = f"pgfit.mds(pgfit.distance_matrix(a, b, d), {quote(json.dumps(options))}::jsonb)"
            self.model = self.models.fit(call, f"(VALUES {pairs}) AS t(a, b, d)", "true")
            return
        self.source = self.loader.source(self.case)
        options["metric"] = self.param("metric", "euclidean")
        self.model = self.models.fit(f"pgfit.mds(id, {self.source.array()}, {quote(json.dumps(options))}::jsonb)", self.source.relation)

    def value(self, key):
        if key == "coordinates":
            order = 'id COLLATE "C"' if "distances" in self.input else "id::int"
            rows = self.session.rows(f"SELECT c.coordinates FROM {self.model.table}, pgfit.coordinates(m) AS c "
                                     f"WHERE {self.model.where} ORDER BY {order}")
            return signed(r["coordinates"] for r in rows)
        if key == "eigenvalues":
            return self.model.parameter("eigenvalues")
        if key == "goodness_of_fit":
            return [self.model.fact("goodness_of_fit"), self.model.fact("goodness_of_fit_positive")]
        if key == "negative_eigenvalues":
            return self.model.fact("negative_eigenvalues")
        raise Unknown(key)
