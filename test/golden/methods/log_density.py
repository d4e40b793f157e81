"""Log densities of rows, and the criteria of a fit."""
import json

from methods import Handler, Unknown, method
from models import Models
from session import quote

SUPERVISED = ("naive_bayes", "lda", "qda")


@method("log_density", needs=["log_density", "aic", "bic"])
class LogDensity(Handler):
    def fit(self):
        self.source = self.loader.source(self.case)
        name = self.params["aggregate"]
        target = f"{self.source.target}, " if name in SUPERVISED else ""
        options = quote(json.dumps(self.params["options"])) + "::jsonb"
        self.model = Models(self.session).fit(f"pgfit.{name}({target}{self.source.array()}, {options})", self.source.relation)

    def value(self, key):
        if key in ("aic", "bic"):
            return self.session.rows(f"SELECT pgfit.{key}(m) AS v FROM {self.model.table} WHERE {self.model.where}")[0]["v"]
        rows = self.session.rows(f"SELECT id, pgfit.log_density(m, {self.source.array()}) AS v FROM {self.model.table}, {self.source.relation} "
                                 f"WHERE {self.model.where} AND train ORDER BY id")
        if key == "log_density":
            return {str(r["id"]): r["v"] for r in rows}
        if key == "mean":
            return sum(r["v"] for r in rows) / len(rows)
        raise Unknown(key)
