"""What models make of columns: permutation_importance, partial_dependence and accumulated_effects."""
import json

from methods import ModelHandler, Unknown, method
from session import identifier, number, quote
from source import Source


@method("column_effects", needs=["permutation_importance", "partial_dependence", "accumulated_effects"])
class ColumnEffects(ModelHandler):
    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        table, _ = loader.file_table(case["data"]["file"])
        columns = [identifier(c) for c in self.param("columns")]
        self.query = f"SELECT id, {identifier(self.param('target'))} AS target, {', '.join(columns)} FROM {table} WHERE {' AND '.join(c + ' IS NOT NULL' for c in columns)}"
        self.source = Source(f"({self.query}) AS d", columns, "d", "d.target", None, None)

    def fit(self):
        self.model = self.models.fit(f"pgfit.{self.param('estimator')}(d.target, d, {quote(json.dumps(self.param('fit')))}::jsonb)", self.source.relation, "true")

    def rows(self):
        if "rows" not in self.kept:
            query = self.query + (f" AND id <= {int(self.param('rows'))}" if self.param("rows") else "")
            column = self.param("feature") or "target"
            self.kept["rows"] = self.session.rows(
                f"SELECT e.* FROM {self.model.table}, pgfit.{self.param('function')}(m, {quote(query)}, {quote(column)}, {quote(json.dumps(self.param('options')))}) "
                f"WITH ORDINALITY AS e WHERE {self.model.where} ORDER BY ordinality")
        return self.kept["rows"]

    def numbers(self):
        return [number(row[c]) for row in self.rows() for c in ("estimate", "effect", "importance", "std_error") if c in row]

    def value(self, key):
        rows = self.rows()
        if key not in ("value", "level", "by_value", "estimate", "effect", "feature", "importance", "std_error"):
            raise Unknown(key)
        if key in ("level", "feature"):
            return [row[key] for row in rows]
        if key in ("value", "by_value"):
            rows = rows[:len(self.expected[key])]  # they repeat from class to class
        return [number(row[key]) for row in rows]
