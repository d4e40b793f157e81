"""Adds values and the bits of their scores to a folder of the corpus: see test/corpus/make."""
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "relations"))
from tables import ALL, NUMBERS, Methods, Table, quote  # noqa: E402  a call of each estimator, from the registry
from session import Session, SqlError  # noqa: E402

ROW, ARRAY, NUMBER = "(SELECT f FROM (SELECT a, b, c) f)", "(SELECT f FROM (SELECT a, b) f)", "(SELECT f FROM (SELECT a) f)"
MOMENTS = {"moments": "t.y, f", "class_moments": "t.k, f", "feature_moments": "f"}
# values that are not what one estimator made of rows: name, features, statement
OTHERS = [
    ("a formula with terms that were learned", ROW, "SELECT pgfit.linear_regression(y, f, 'exp(a / 9) * c + poly(b, 2) + ns(a, 2) + offset(b)' ORDER BY id) FROM r AS f"),
    ("scale and lines", ARRAY, "WITH s AS (SELECT pgfit.standard_scaler(f ORDER BY id) AS m FROM r AS t, LATERAL (SELECT t.a, t.b) AS f) "
                               "SELECT pgfit.pipeline(s.m, pgfit.linear_regression(t.y, pgfit.transform_row(s.m, f) ORDER BY id)) FROM s, r AS t, LATERAL (SELECT t.a, t.b) AS f GROUP BY s.m"),
    ("ensemble of two", ROW, "SELECT pgfit.ensemble(b.m::pgfit.model, t.m::pgfit.model) FROM stored AS b, stored AS t WHERE b.name = 'boosted_trees_regression' AND t.name = 'tree_regression'"),
    ("conformal", ARRAY, "SELECT pgfit.fit('ridge_regression', 'SELECT a, b, y FROM r ORDER BY id', 'y ~ a + b', '{\"conformal\": {\"method\": \"cv+\", \"folds\": 2}}')"),
    ("distances of pairs", "", "SELECT pgfit.distance_matrix(i, j, i * j % 7 + 1 ORDER BY i, j) FROM generate_series(1, 8) AS i, generate_series(1, 8) AS j WHERE i < j"),
    ("moments that keep rows", "", "SELECT pgfit.moments(y, f, '{\"formula\": \"poly(a, 2) * c\", \"keep_rows\": true}' ORDER BY id) FROM r AS f"),
]
SERVED = [("corpus_line", "predict", "(SELECT f FROM (SELECT a, b, c) f)"), ("corpus_class", "probability", "(SELECT f FROM (SELECT a, b, c) f)")]


def table_of_few_rows():
    """Returns the first table of relations with 18 rows, numbers that are not whole, and two classes."""
    return next(t for t in (Table(1, n) for n in range(1000)) if len(t.rows) == 18 and not t.whole and "2 classes" in t.name)


def small(case):
    """Returns the case with options for a small model that is not the same for all rows."""
    wanted = {"n_trees": 2, "max_depth": 2, "min_samples_leaf": 2, "min_cluster_size": 3, "n_components": 3}
    options = {n: v for n, v in case.options.items() if n not in ("tolerance", "max_iter")}
    return case.but(options={**options, **{n: v for n, v in wanted.items() if n in case.known}})


def fit(session, methods, name):
    """Returns the features that the model of an estimator scores, and the model as text: of the columns and the target that it takes."""
    case = small(methods.base(name))
    failure = None
    for columns, features in ((ALL, ROW), (NUMBERS, ARRAY), (["a"], NUMBER)):
        for first in [case.first, "t.p"] if case.kind == "target" else [case.first, "t.k = 'u'"] if case.kind == "label" else [case.first]:
            event = {"ev": "t.ev"} if name == "cox_regression" else {}
            call = case.but(first=first, columns={**event, **{n: f"t.{n}" for n in columns}}, order=" ORDER BY t.id")
            try:
                return features.replace("SELECT a", "SELECT true AS ev, a") if event else features, session.text(call.query())
            except SqlError as error:
                if not error.is_user_error:
                    raise
                failure = failure or error
    raise failure


def lines(path):
    return [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []


def copy(what):
    subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", "\\copy " + what], check=True)


def copied(text):
    """Returns a text, or None, as COPY writes it."""
    return "\\N" if text is None else text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def main(folder):
    folder.mkdir(exist_ok=True)
    session = Session()
    session.execute("CREATE EXTENSION IF NOT EXISTS pgfit; CREATE SCHEMA test")
    session.on_connect("SET client_min_messages = error; SET max_parallel_workers_per_gather = 0; SET synchronize_seqscans = off; SET search_path = public, test, pgfit")
    here = Path(__file__).resolve().parent
    subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", "SET search_path = public, test, pgfit", "-f", here / "bits.sql"], check=True)
    table_of_few_rows().load(session)
    session.execute("CREATE TABLE stored (name text, features text, m text)")
    for file in sorted(here.glob("*/values.tsv")):
        copy(f"stored FROM '{file}'")
    methods = Methods(session)
    have = set(session.text("SELECT string_agg(DISTINCT m::jsonb ->> 'estimator', ' ') FROM stored").split())
    with open(folder / "values.tsv", "a") as values:
        def add(name, features, text):
            session.execute(f"INSERT INTO stored VALUES ({quote(name)}, {quote(features)}, {quote(text)})")
            values.write("\t".join(map(copied, (name, features, text))) + "\n")

        for name in methods.all:
            if name not in have and name not in MOMENTS:
                add(name, *fit(session, methods, name))
        for name, arguments in MOMENTS.items():
            if name not in have:
                add(name, "", session.text(f"SELECT pgfit.{name}({arguments} ORDER BY t.id) FROM r AS t, LATERAL (SELECT t.a, t.b, t.c) AS f"))
        names = set(session.text("SELECT string_agg(name, '|') FROM stored").split("|"))
        for name, features, statement in OTHERS:
            if name not in names:
                add(name, features, session.text(statement))
    session.execute("CREATE TABLE value AS SELECT name, features, m::pgfit.model FROM stored")
    bits = {tuple(line[:2]) for file in here.glob("*/bits.tsv") for line in lines(file)}
    with open(folder / "bits.tsv", "a") as file:
        for row in session.rows("SELECT name, b.* FROM value, test.bits(m, features) AS b WHERE features <> '' ORDER BY name COLLATE \"C\", function COLLATE \"C\""):
            if (row["name"], row["function"]) not in bits:
                file.write("\t".join(copied(row[n]) for n in ("name", "function", "bits")) + "\n")
    session.execute("CREATE TABLE others (name text, m pgfit.model); CREATE TABLE own (name text, m pgfit.model)")
    for file in here.glob("*/values.bin"):
        copy(f"{'own' if file.parent.name == folder.name else 'others'} FROM '{file}' WITH (FORMAT binary)")
    kind = "m::jsonb ->> 'kind', m::jsonb ->> 'estimator'"
    added = session.text(f"WITH missing AS (SELECT DISTINCT ON ({kind}) name, m FROM value WHERE ({kind}) NOT IN (SELECT {kind} FROM own UNION ALL SELECT {kind} FROM others) "
                         f"ORDER BY {kind}, name COLLATE \"C\"), added AS (INSERT INTO own SELECT * FROM missing RETURNING name) SELECT count(*) FROM added")
    if added != "0":
        copy(f"own TO '{folder / 'values.bin'}' WITH (FORMAT binary)")
    if not (folder / "registry.tsv").exists():  # as a dump has them
        session.execute("SET search_path = public; CREATE TABLE corpus AS SELECT id, a, b, c, y, k FROM r;"
                        "SELECT FROM pgfit.train('corpus_line', 'ridge_regression', 'public.corpus', 'y ~ a + b + c', '{\"lambda\": 0.5}');"
                        "SELECT FROM pgfit.train('corpus_line', 'boosted_trees_regression', 'public.corpus', 'y ~ a + b', '{\"n_trees\": 2, \"min_samples_leaf\": 2, \"promote\": \"always\"}');"
                        "SELECT FROM pgfit.train('corpus_class', 'logistic_regression', 'public.corpus', 'k ~ a + b', '{\"lambda\": 1}');"
                        "SELECT pgfit.grant_model('corpus_line', 'public')")
        for table in ("model_names", "registry"):
            copy(f"(SELECT * FROM pgfit_internal.{table} ORDER BY name) TO '{folder / (table + '.tsv')}'")
        with open(folder / "bits.tsv", "a") as file:
            for name, function, features in SERVED:
                bits = session.text(f"SELECT string_agg(encode(float8send(pgfit.{function}('{name}', {features})), 'hex'), ' ' ORDER BY i) FROM public.probe")
                file.write(f"served {name}\t{function}\t{bits}\n")


main(Path(sys.argv[1]))
