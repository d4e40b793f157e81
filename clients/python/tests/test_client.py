"""Names that attack, transactions, the registry, progress, the generated classes, the examples, the wheel."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import zipfile

import numpy as np
import pandas as pd
import psycopg
import pytest
from conftest import HERE, REPOSITORY
from psycopg import sql

import pgfit
from pgfit._progress import bar_text, progress_bar

PACKAGE = HERE.parent
# Each ends one kind of quoting, or is a placeholder of psycopg or of format.
NAMES = ["a'b", 'a"b', "100%", "%s", "%(x)s", "{}", "{x}", "a\\b", "$1", "a;--b", "'); DROP TABLE victim; --", '"; DROP TABLE victim; --', "é\n\tü", "n", "r", "x", "_"]


@pytest.fixture
def victim(db):
    """A table that attacks try to drop."""
    db.connection.execute("CREATE TABLE IF NOT EXISTS victim (a int)")
    yield
    assert db.query("SELECT to_regclass('victim') IS NOT NULL")[0][0]
    assert uploads(db.connection) == 0


def uploads(connection):
    """Returns how many temporary tables of uploads this session has."""
    return connection.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'pgfit_upload%' AND relnamespace = pg_my_temp_schema()").fetchone()[0]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_columns_and_targets(db, victim, numbers, name):
    X, y, classes = numbers
    frame = pd.DataFrame(X, columns=[name, "other", "third"])
    model = pgfit.LinearRegression(db).fit(frame, pd.Series(y, name=name + "y"))
    assert np.isclose(model.score(frame, y), 1, atol=0.01) and name in [row.term for row in model.coefficients()]
    one_row = model.score("SELECT * FROM (VALUES (1, 1, 1, 1)) AS v ({})".format(
        ", ".join(sql.Identifier(c).as_string(db.connection) for c in (*frame.columns, name + "y"))))
    assert np.isnan(one_row)
    assert np.allclose(model.predict(frame), y, atol=1)
    same = pgfit.LinearRegression(db).fit(frame, pd.Series(y, name=name))  # a target that is called as a feature is
    assert np.allclose(same.coef_, model.coef_)
    labels = pgfit.LogisticRegression(db, lambda_=1).fit(frame, np.array([name, "other", name + "2"])[classes])
    assert set(labels.classes_) == {name, "other", name + "2"} and set(labels.predict(frame)) <= set(labels.classes_)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_tables_in_a_source(db, victim, numbers, name):
    X, y, _ = numbers
    table = sql.Identifier(name + " t")
    db.connection.execute(sql.SQL("CREATE TABLE {} AS SELECT i AS {}, i * 2 + 1 AS {} FROM generate_series(1, 20) AS i").format(
        table, sql.Identifier(name), sql.Identifier(name + "y")))
    quoted = table.as_string(db.connection)
    target = '"' + (name + "y").replace('"', '""') + '"'
    for source in (quoted, f"SELECT * FROM {quoted}", f"  with s as (table {quoted}) SELECT * FROM s WHERE 5 % 2 = 1 -- it's {{100}}%"):
        model = pgfit.LinearRegression(db).fit(source, target + " ~ .")
        assert np.allclose(model.predict(source), np.arange(1, 21) * 2 + 1) and np.isclose(model.score(source), 1)
    db.connection.execute(sql.SQL("DROP TABLE {}").format(table))


@pytest.mark.parametrize("name", NAMES)
def test_names_of_models_and_options(db, victim, name):
    if name.startswith("{"):
        with pytest.raises(pgfit.DataError, match="cannot have the name"):
            db.train(name, pgfit.RidgeRegression(), "diamonds", "price ~ carat")
        name = "_" + name
    assert db.train(name, pgfit.RidgeRegression(), "diamonds", "price ~ carat", holdout=False).version == 1
    assert isinstance(db.get(name), pgfit.RidgeRegression) and [row.name for row in db.history(name)] == [name]
    db.drop(name)
    assert db.history(name) == []
    for attempt in (lambda: pgfit.RidgeRegression(db, nulls=name).fit("diamonds", "price ~ carat"),
                    lambda: pgfit.RidgeRegression(db).fit("diamonds", "price ~ carat", **{name: 1}),
                    lambda: pgfit.RidgeRegression(db).fit("diamonds", "price ~ carat").table(name)):
        with pytest.raises(psycopg.Error):
            attempt()


def test_a_source_is_one_query(db, victim):
    for source in ("SELECT 1 AS a) AS r; DROP TABLE victim; SELECT * FROM (SELECT 1", "victim; DROP TABLE victim", "victim AS r, victim"):
        with pytest.raises(psycopg.Error):
            pgfit.LinearRegression(db).fit("diamonds", "price ~ carat").predict(source)
        with pytest.raises(psycopg.Error):
            pgfit.LinearRegression(db).fit(source, "a ~ .")


@pytest.mark.parametrize("source", ["diamonds", ' public."diamonds" ', "(SELECT * FROM diamonds)", "-- stones\nSELECT * FROM diamonds -- all", "TABLE diamonds;"])
def test_scores_and_fits_take_the_same_sources(db, source):
    model = pgfit.LinearRegression(db).fit(source, "price ~ carat")
    assert len(model.predict(source)) == model.info()["rows"]


def test_the_types_of_a_forged_model_are_not_sql(db, victim, numbers):
    X, _, classes = numbers
    model = pgfit.LogisticRegression(db, lambda_=1).fit(X, classes)
    model._info.update(class_type="int) ; DROP TABLE victim; --", target='c"; DROP TABLE victim; --')
    assert model.score(X, classes) > 0.2 and set(model.predict(X)) <= {"0", "1", "2"}
    with pytest.raises(psycopg.errors.UndefinedColumn):
        model.score("diamonds")


@pytest.mark.parametrize("autocommit", [True, False])
def test_transactions_stay_those_of_the_user(db, numbers, autocommit):
    X, y, _ = numbers
    with psycopg.connect("", autocommit=autocommit) as connection:
        client = pgfit.Client(connection)
        connection.execute("CREATE TEMPORARY TABLE mine AS SELECT i AS a, i AS b FROM generate_series(1, 9) AS i")
        model = pgfit.LinearRegression(client).fit(X, y)
        model.predict(X), model.coef_, model.explain(X[:1]), pgfit.LinearRegression(connection).fit("mine", "a ~ b").score("mine")
        with pytest.raises(pgfit.DataError):
            pgfit.LinearRegression(client, level=7).fit(X, y)
        with pytest.raises(psycopg.errors.UndefinedTable):
            model.predict("no_such_table")
        status = psycopg.pq.TransactionStatus
        assert connection.info.transaction_status == (status.IDLE if autocommit else status.INTRANS)
        assert connection.execute("SELECT count(*) FROM mine").fetchone() == (9,)  # neither aborted nor gone
        assert uploads(connection) == 0
        client.train("kept", pgfit.RidgeRegression(), "mine", "a ~ b", holdout=False)
        connection.rollback()
        kept = len(pgfit.Client(connection).history("kept"))
        assert kept == (1 if autocommit else 0)
        assert connection.execute("SELECT to_regclass('mine') IS NOT NULL").fetchone() == (autocommit,)
    if autocommit:
        db.drop("kept")


def test_a_fit_begins_a_transaction_that_the_user_ends(numbers):
    """Of a connection without autocommit, a fit is as any first statement: it stays open."""
    with psycopg.connect("") as connection:
        pgfit.LinearRegression(connection).fit("SELECT 1.0 * i AS a, i AS b, set_config('pgfit_test.seen', 'yes', true) FROM generate_series(1, 9) AS i", "a ~ b")
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        assert connection.execute("SELECT current_setting('pgfit_test.seen', true)").fetchone() == ("yes",)


def test_an_aborted_transaction_stays_aborted(numbers):
    with psycopg.connect("") as connection:
        with pytest.raises(psycopg.Error):
            connection.execute("SELECT 1 / 0")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            pgfit.LinearRegression(connection).fit(*numbers[:2])


@pytest.mark.parametrize("autocommit", [True, False])
def test_an_interrupt_cancels_the_fit_and_leaves_the_connection(numbers, autocommit, request):
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for jobs in the background
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, earlier))
    with psycopg.connect("", autocommit=autocommit) as connection:
        connection.execute("CREATE TEMPORARY TABLE mine ()")
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            pgfit.LinearRegression(connection).fit("SELECT i AS a, i AS b, pg_sleep(5) FROM generate_series(1, 9) AS i OFFSET 0", "a ~ b")
        assert time.monotonic() - began < 30 and connection.execute("SELECT count(*) FROM mine").fetchone() == (0,)
        assert pgfit.LinearRegression(connection).fit(*numbers[:2]).score(*numbers[:2]) > 0.9 and uploads(connection) == 0


def test_row_factories_and_search_paths_of_the_user(numbers):
    with psycopg.connect("", row_factory=psycopg.rows.dict_row, autocommit=True) as connection:
        connection.execute("SET search_path = ''")
        assert pgfit.LinearRegression(connection).fit(*numbers[:2]).score(*numbers[:2]) > 0.9


def test_registry(db):
    model = pgfit.RidgeRegression(db, lambda_=0.5, intercept=False)
    first = db.train("prices", model, "diamonds", "price ~ carat", holdout={"key": "id"}, refit=False)
    db.train("prices", pgfit.LogisticRegression(db), "titanic", "alive ~ age + fare", prepare=["standard_scaler"], promote="always")
    assert first.version == 1 and first.active and first.metrics["rmse"] > 0
    got = db.get("prices", 1)
    assert repr(got) == "RidgeRegression(intercept=False, lambda_=0.5)" and np.isfinite(got.score("diamonds"))
    assert isinstance(db.get("prices"), pgfit.LogisticRegression) and set(db.get("prices").predict("titanic")) >= {"no", "yes"}
    assert db.rollback("prices") == 1 and db.get("prices").info()["estimator"] == "ridge_regression"
    db.promote("prices", 2)
    assert [row.active for row in db.history("prices")] == [False, True]
    db.drop("prices")
    with pytest.raises(psycopg.errors.UndefinedObject):
        db.get("prices")


def test_import_of_a_model_of_xgboost(db):
    """One stump, which predicts 3 below 0.5 and 1 from there, as XGBoost writes it."""
    tree = {"left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_indices": [0, 0, 0], "split_conditions": [0.5, 1, -1],
            "default_left": [1, 0, 0], "sum_hessian": [4, 1, 3], "loss_changes": [2, 0, 0]}
    model = {"gbtree_model_param": {"num_parallel_tree": "1"}, "trees": [tree], "tree_info": [0]}
    document = json.dumps({"version": [1, 7, 4], "learner": {
        "attributes": {}, "feature_names": ["a", "b"], "feature_types": ["float", "float"], "objective": {"name": "reg:squarederror"},
        "learner_model_param": {"base_score": "2", "num_class": "0", "num_feature": "2", "num_target": "1"},
        "gradient_booster": {"name": "gbtree", "model": model}}})
    for form in (document, document.encode()):
        imported = db.import_model(form)
        assert isinstance(imported, pgfit.BoostedTreesRegression)
        assert imported.predict(pd.DataFrame({"b": [0, 0], "a": [0.1, 0.9]})).tolist() == [3, 1]
    assert db.import_model(document, features=["c", "d"]).predict("SELECT 0.1 AS c, 0 AS d").tolist() == [3]
    with pytest.raises(pgfit.DataError):
        db.import_model("{}", "'; DROP TABLE victim")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar(db, monkeypatch):
    row = ("kmeans", "iterations", 30, 120, 1000, 0, 12.5, "search", 2, 5)
    assert bar_text(row) == "search 2/5 kmeans: iterations [######                  ]  25%, loss 12.5"
    assert bar_text(("pca", "rows", 0, None, 12345, 0, None, None, None, None)) == "pca: rows, 12,345 rows"
    slow = "SELECT i AS a, sin(i) AS b, pg_sleep(0.002) FROM generate_series(1, 400) AS i"
    for errors, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", errors)
        threads = threading.active_count()
        with progress_bar(db.connection, True, 0.05), contextlib.suppress(pgfit.FitWarning):
            db.connection.execute("SELECT pgfit.linear_regression(b, a) FROM (" + slow + " OFFSET 0) AS s")
        assert threading.active_count() == threads and ("linear_regression: " in errors.getvalue()) == (shown and preloaded(db))
        assert errors.getvalue().endswith("\r") == shown
    assert not pgfit.connect().progress


def preloaded(db):
    """Whether the server keeps reports of running fits."""
    return db.connection.info.server_version >= 170000 or "pgfit" in db.query("SHOW shared_preload_libraries")[0][0]


def test_classes_are_those_of_the_server(db):
    """What make_estimators would write now is what is checked in."""
    now = subprocess.run([sys.executable, PACKAGE / "make_estimators", "--print"], capture_output=True, text=True, check=True).stdout
    assert now == (PACKAGE / "pgfit" / "_estimators.py").read_text(), "run make reference"
    names = [row[0] for row in db.query("SELECT name FROM pgfit.estimators()")]
    assert sorted(getattr(pgfit, name)._estimator for name in pgfit._estimators.__all__) == sorted(names)


def test_ten_steps():
    """examples/python_ten_steps.py prints what is expected."""
    printed = subprocess.run([sys.executable, REPOSITORY / "examples" / "python_ten_steps.py"], capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert printed.returncode == 0, printed.stderr
    expected = HERE / "python_ten_steps.out"
    if os.environ.get("DOCS_WRITE"):
        expected.write_text(printed.stdout)
    assert printed.stdout == expected.read_text()


@pytest.mark.parametrize("page", [REPOSITORY / "docs" / "python.md", PACKAGE / "README.md"], ids=lambda page: page.name)
def test_examples_of_the_manual(page):
    """Each block of Python runs, one after the other, and prints the block of text below it."""
    text, names = page.read_text(), {}
    pattern = re.compile(r"```python\n(.*?)```\n(\n```text\n.*?```\n)?", re.DOTALL)

    def run(match):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(match[1], page.name, "exec"), names)
        return f"```python\n{match[1]}```\n" + (f"\n```text\n{printed.getvalue()}```\n" if match[2] or printed.getvalue() else "")

    written = pattern.sub(run, text)
    if os.environ.get("DOCS_WRITE"):
        page.write_text(written)
    assert written == page.read_text() and names


def test_wheel(tmp_path):
    """The wheel holds the package and imports without the sources, numpy and pandas."""
    subprocess.run(["make", "-s", "-C", PACKAGE, "wheel", f"OUT={tmp_path}", f"PYTHON={sys.executable}"], check=True, capture_output=True)
    wheel, = tmp_path.glob("pgfit-*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    assert (tmp_path / "site" / "pgfit" / "py.typed").exists()
    code = ("import sys; sys.modules.update(numpy=None, pandas=None, sklearn=None); import pgfit; "
            "m = pgfit.LinearRegression().fit('diamonds', 'price ~ carat'); print(pgfit.__file__, m.predict('diamonds')[:1], type(m.coef_))")
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path / "site")})
    assert printed.returncode == 0, printed.stderr
    assert str(tmp_path) in printed.stdout and printed.stdout.endswith("<class 'list'>\n")
