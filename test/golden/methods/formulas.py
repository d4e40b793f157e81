"""Design matrices of formulas, as R's model.matrix and patsy have them."""
from compare import show
from methods import ModelHandler, method
from session import quote


def near(got, want, tolerance):
    return len(got) == len(want) and all(
        abs(a - b) <= tolerance.atol + tolerance.rtol * max(abs(b), max(map(abs, want))) for a, b in zip(got, want))


@method("formula_design", needs=["linear_regression", "design", "terms"])
class FormulaDesign(ModelHandler):
    """A regression with the formula; design(model, row) of all rows by columns."""

    def fit(self):
        relation, target, row = self.source.relation, self.source.target, self.source.whole
        rows = self.session.rows(
            f"SELECT array_to_json(pgfit.design(m, {row})) AS design FROM {relation}, (SELECT pgfit.ridge_regression({target}, {row}, 1, "
            f"{quote(self.params['formula'])}) AS m FROM {relation}) AS fitted ORDER BY id")
        self.columns = [list(column) for column in zip(*(r["design"] for r in rows))]

    def is_null(self):
        return False

    def compare_key(self, key, want, tolerance):
        if key not in ("columns", "any_order"):
            return None
        if len(self.columns) != len(want):
            return [(key, f"{len(self.columns)} columns", f"{len(want)} columns")]
        left = list(range(len(want)))
        problems = []
        for i, column in enumerate(self.columns):
            places = left if key == "any_order" else [i]
            found = next((j for j in places if near(column, want[j], tolerance)), None)
            if found is None:
                problems.append((f"{key}[{i}]", show(column[:6]), "none of them" if key == "any_order" else show(want[i][:6])))
            elif key == "any_order":
                left.remove(found)
        return problems
