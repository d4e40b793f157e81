"""The rows of a case, from inline input or a data file, as pieces of SQL that every method uses."""
import csv
import os

from session import identifier, is_number, number_text


class Source:
    """
    relation   what to read FROM; has columns id, and train, test (boolean)
    features   one SQL expression per feature
    whole      the features argument as a user would write it: an array, or a row with names
    target     SQL expression, or None
    weight     SQL expression, or None
    names      feature names, or None
    """

    def __init__(self, relation, features, whole, target, weight, names):
        self.relation = relation
        self.features = features
        self.whole = whole
        self.target = target
        self.weight = weight
        self.names = names

    def array(self, features=None, ones=False):
        """Returns the features as an array expression, with a first column of ones if asked."""
        items = (["1"] if ones else []) + (features if features is not None else self.features)
        return "ARRAY[" + ", ".join(items) + "]::float8[]"


def matrix_rows(values):
    """Returns x or X as a list of rows."""
    return [row if isinstance(row, list) else [row] for row in values]


def powers(column, degree):
    return [column if k == 1 else f"power({column}, {k})" for k in range(1, degree + 1)]


class Loader:
    """Loads inputs into temporary tables; a data file once per session and preparation."""

    def __init__(self, session, folder):
        self.session = session
        self.folder = folder
        self.tables = {}
        session.on_connect("CREATE TEMP TABLE IF NOT EXISTS golden_input (id int, x float8[], y float8, "
                           "label text, w float8, train boolean DEFAULT true, test boolean DEFAULT false)")

    def forget(self):
        """Forgets the temporary tables, which are gone after a lost connection."""
        self.tables = {}

    def source(self, case):
        if "data" in case:
            return self.from_file(case["data"])
        return self.inline(case)

    # ---- inline ----

    def inline(self, case):
        given = case.get("input") or {}
        params = case.get("params") or {}
        x = matrix_rows(given.get("X", given.get("x", [])))
        y = given.get("y", given.get("target"))
        labels = given.get("labels", given.get("label"))
        weights = given.get("weights", given.get("w", params.get("weights")))
        if not isinstance(weights, list):
            weights = None
        count = max(len(x), len(y or []))
        rows = []
        for i in range(count):
            xi = None
            if i < len(x):
                xi = "{" + ",".join("NULL" if v is None else number_text(v) for v in x[i]) + "}"
            rows.append((i + 1, xi, y[i] if y else None,
                         None if not labels else str(labels[i]), weights[i] if weights else None))
        self.session.execute("TRUNCATE golden_input")
        if rows:
            self.session.copy("golden_input", ["id", "x", "y", "label", "w"], rows)
        width = max((len(r) for r in x), default=1)
        features = [f"x[{j + 1}]" for j in range(width)]
        degree = params.get("degree")
        whole = "x"
        if is_number(degree) and degree > 1 and width == 1:
            features = powers("x[1]", int(degree))
            whole = "ARRAY[" + ", ".join(features) + "]"
        return Source("golden_input", features, whole, "y" if y is not None else "label",
                      "w" if weights else None, None)

    # ---- data files ----

    def file_table(self, name):
        """Loads a file into a temporary table. Columns are float8 if every value is a number."""
        if name in self.tables:
            return self.tables[name]
        with open(os.path.join(self.folder, name), newline="", encoding="utf-8") as stream:
            header, *rows = list(csv.reader(stream))
        numeric = [all(is_decimal(r[j]) for r in rows) for j in range(len(header))]
        table = f"golden_file_{len(self.tables)}"
        types = ["bigint" if h == "id" else "float8" if n else "text" for h, n in zip(header, numeric)]
        self.session.execute(f"CREATE TEMP TABLE {table} (" + ", ".join(
            f"{identifier(h)} {t}" for h, t in zip(header, types)) + ")")
        self.session.copy(table, [identifier(h) for h in header],
                          [[None if v == "" else v for v in r] for r in rows])
        self.tables[name] = (table, header)
        return self.tables[name]

    def from_file(self, data):
        table, header = self.file_table(data["file"])
        target = data.get("target", header[-1])
        features = data.get("features", "all")
        if features == "all":
            features = [h for h in header if h not in ("id", target)]
        train = data.get("train") or "true"
        test = data.get("test") or "false"
        preprocess = data.get("preprocess")
        preprocess = str(preprocess.get("name", preprocess) if isinstance(preprocess, dict) else preprocess or "")
        if preprocess and not preprocess.lower().startswith("zscore"):
            raise NotImplementedError(f"preprocess {preprocess}")
        key = (data["file"], tuple(features), target, train, test, preprocess)
        if key not in self.tables:
            columns = ", ".join(self.scaled(f, bool(preprocess)) for f in features)
            view = f"golden_data_{len(self.tables)}"
            self.session.execute(
                f"CREATE TEMP TABLE {view} AS WITH s AS (SELECT *, ({train}) AS golden_train, ({test}) AS "
                f"golden_test FROM {table}) SELECT id, {columns}, {identifier(target)} AS golden_target, "
                "golden_train AS train, golden_test AS test FROM s WHERE golden_train OR golden_test ORDER BY id")
            self.tables[key] = view
        view = self.tables[key]
        columns = [f"d.{identifier(f)}" for f in features]
        relation = f"{view} d, LATERAL (SELECT {', '.join(columns)}) f"
        return Source(relation, columns, "f", "d.golden_target", None, features)

    @staticmethod
    def scaled(feature, zscore):
        name = identifier(feature)
        if not zscore:
            return name
        return (f"({name} - avg({name}) FILTER (WHERE golden_train) OVER ()) / "
                f"nullif(stddev_pop({name}) FILTER (WHERE golden_train) OVER (), 0) AS {name}")


def is_decimal(text):
    if text == "":
        return True
    try:
        float(text)
        return True
    except ValueError:
        return False


