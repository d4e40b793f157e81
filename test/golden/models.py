"""Keeps the fitted models of a case in a temporary table, and queries them."""
from session import number


class Model:
    def __init__(self, session, table, where):
        self.session = session
        self.table = table
        self.where = where
        self.cache = {}

    def select(self, expression):
        """Returns the value of an SQL expression over the model m."""
        if expression not in self.cache:
            rows = self.session.rows(f"SELECT {expression} AS v FROM {self.table} WHERE {self.where}")
            self.cache[expression] = rows[0]["v"] if rows else None
        return self.cache[expression]

    def is_null(self):
        return self.select("m IS NULL")

    def info(self):
        return self.select("pgfit.info(m)")

    def fact(self, name):
        """Returns a fit statistic or a count of info(), or None."""
        info = self.info()
        return number(info.get("statistics", {}).get(name, info.get(name)))

    def parameter(self, name):
        values = self.select(f"pgfit.parameter(m, '{name}')")
        return None if values is None else flat(values)

    def coefficients(self):
        """Returns the rows of coefficients() as dictionaries, in order."""
        if "coefficients" not in self.cache:
            rows = self.session.rows(f"SELECT c.* FROM {self.table}, pgfit.coefficients(m) WITH ORDINALITY AS c "
                                     f"WHERE {self.where} ORDER BY c.ordinality")
            self.cache["coefficients"] = [{k: number(v) if k not in ("term", "class") else v
                                           for k, v in row.items()} for row in rows]
        return self.cache["coefficients"]

    def intercept(self):
        """Returns the row of the intercept, or None."""
        return next((c for c in self.coefficients() if c["term"] == "(intercept)"), None)

    def slopes(self):
        return [c for c in self.coefficients() if c["term"] != "(intercept)"]


def flat(values):
    out = []
    for v in values:
        if isinstance(v, list):
            out += flat(v)
        else:
            out.append(number(v))
    return out


class Models:
    """The models of a case: fit() runs an aggregate over a source and keeps the result."""

    TABLE = "golden_model"

    def __init__(self, session):
        self.session = session
        self.count = 0
        session.execute(f"CREATE TEMP TABLE IF NOT EXISTS {self.TABLE} (model_id int, m pgfit.model)")
        session.execute(f"TRUNCATE {self.TABLE}")

    def fit(self, aggregate, relation, where="train"):
        self.count += 1
        self.session.execute(f"INSERT INTO {self.TABLE} SELECT {self.count}, {aggregate} FROM {relation} "
                             f"WHERE {where}")
        return Model(self.session, self.TABLE, f"model_id = {self.count}")
