# Checks the files of integrations/ against the forms that their programs document, runs the queries of the panels, and runs the dbt project by a stand-in for dbt.
# usage: integrations.py FOLDER
#
# Forms: Grafana's dashboard JSON model (grafana.com/docs, "classic"), Metabase's POST /api/card, Superset's export of a dashboard (a folder of YAML files).
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import jinja2
import jinja2.ext
import psycopg

folder = Path(sys.argv[1])
connection = psycopg.connect("", autocommit=True)


def ok(good, what):
    print(f"{'ok' if good else 'not ok'} - {what}")


def matches(value, form):
    """Tells whether a value has a form: a type, a tuple of values, a set of forms, a list of one form, an object with these keys, or a predicate."""
    if isinstance(form, dict):
        return isinstance(value, dict) and all(key in value and matches(value[key], part) for key, part in form.items())
    if isinstance(form, list):
        return isinstance(value, list) and all(matches(item, form[0]) for item in value)
    if isinstance(form, tuple):
        return value in form
    if isinstance(form, type):
        return isinstance(value, form) and (form is not int or not isinstance(value, bool))
    return form(value)


def rows_of(query):
    cursor = connection.execute(query)
    return [column.name for column in cursor.description], cursor.fetchall()


def is_uuid(value):
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value) is not None


with tempfile.TemporaryDirectory() as written:
    subprocess.run([sys.executable, folder / "make_panels", written], check=True)
    files = [file.relative_to(written) for file in Path(written).rglob("*") if file.is_file()]
    ok(len(files) == 19 and all((folder / file).read_text() == (Path(written) / file).read_text() for file in files), "the panels are those that make_panels writes")

# Grafana
dashboard = json.loads((folder / "grafana/pgfit.json").read_text())
source = {"type": ("grafana-postgresql-datasource",), "uid": ("${DS_POSTGRESQL}",)}
ok(matches(dashboard, {
    "__inputs": [{"name": ("DS_POSTGRESQL",), "type": ("datasource",), "pluginId": ("grafana-postgresql-datasource",)}], "uid": lambda uid: 1 <= len(uid) <= 40, "title": str, "tags": [str],
    "time": {"from": str, "to": str}, "templating": {"list": list}, "annotations": {"list": list}, "schemaVersion": int, "version": int, "panels": [{
        "id": int, "title": str, "type": ("timeseries", "table", "barchart", "xychart"), "datasource": source, "gridPos": {"h": int, "w": lambda w: 1 <= w <= 24, "x": int, "y": int},
        "targets": [{"refId": str, "datasource": source, "rawQuery": (True,), "format": ("time_series", "table"), "rawSql": str}], "fieldConfig": {"defaults": dict, "overrides": list}}]}),
   "grafana: the form of a dashboard")
ok(len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"]) == len({(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in dashboard["panels"]}),
   "grafana: panels have a number and a place of their own")
for panel in dashboard["panels"]:
    query = panel["targets"][0]["rawSql"].replace("$__timeFilter(time)", "time BETWEEN '2025-01-01' AND '2025-01-20'")
    names, rows = rows_of(query)
    ok(len(rows) > 0 and ("time_series" not in panel["targets"][0]["format"] or names == ["time", "series", "value"]), f"grafana: {panel['title']}")

# Metabase
cards = json.loads((folder / "metabase/cards.json").read_text())
ok(matches(cards, [{"name": lambda name: isinstance(name, str) and name.strip() != "", "display": ("line", "scatter", "table", "row"), "visualization_settings": dict,
                    "dataset_query": {"type": ("native",), "database": int, "native": {"query": str, "template-tags": dict}}}]) and len(cards) == 7, "metabase: the form of cards")
for card in cards:
    names, rows = rows_of(card["dataset_query"]["native"]["query"])
    settings = card["visualization_settings"]
    ok(len(rows) > 0 and set(settings.get("graph.dimensions", []) + settings.get("graph.metrics", [])) <= set(names), f"metabase: {card['name']}")

# Superset
there = {str(file.relative_to(folder / "superset")): json.loads(file.read_text()) for file in (folder / "superset").rglob("*.yaml")}
part = {kind: {name: content for name, content in there.items() if name.startswith(kind + "/")} for kind in ("databases", "datasets", "charts", "dashboards")}
ok(matches(there["metadata.yaml"], {"version": ("1.0.0",), "type": ("Dashboard",), "timestamp": str}) and all(map(len, part.values())), "superset: the form of an export")
database, = part["databases"].values()
ok(matches(database, {"database_name": str, "sqlalchemy_uri": lambda uri: uri.startswith("postgresql://"), "uuid": is_uuid, "version": ("1.0.0",)}), "superset: the database")
datasets = {dataset["uuid"]: dataset for dataset in part["datasets"].values()}
ok(all(matches(dataset, {"table_name": str, "sql": str, "uuid": is_uuid, "database_uuid": (database["uuid"],), "version": ("1.0.0",), "metrics": list,
                         "columns": [{"column_name": str, "type": str, "is_dttm": bool}]}) for dataset in datasets.values()), "superset: the form of datasets")
for dataset in datasets.values():
    names, rows = rows_of(dataset["sql"])
    types = {column["column_name"]: column["type"].lower() for column in dataset["columns"]}
    real = {name: kind for name, kind in connection.execute("SELECT a.attname, format_type(a.atttypid, NULL) FROM pg_attribute AS a WHERE a.attrelid = %s::regclass AND a.attnum > 0",
                                                            ("dashboard." + dataset["table_name"].removeprefix("pgfit_"),)).fetchall()}
    ok(rows and names == list(types) and all(types[name] == real[name] for name in names), f"superset: {dataset['table_name']} has the columns of its view")
for chart in part["charts"].values():
    params = chart.get("params", {})
    used = [params.get("x_axis")] + params.get("groupby", []) + params.get("all_columns", [])
    columns = {column["column_name"] for column in datasets[chart["dataset_uuid"]]["columns"]}
    ok(matches(chart, {"slice_name": str, "viz_type": (params["viz_type"],), "uuid": is_uuid, "version": ("1.0.0",)}) and {name for name in used if name} <= columns, f"superset: {chart['slice_name']}")
position = next(iter(part["dashboards"].values()))["position"]
placed = {box["meta"]["uuid"] for box in position.values() if isinstance(box, dict) and box["type"] == "CHART"}
ok(placed == {chart["uuid"] for chart in part["charts"].values()} and all(child in position for box in position.values() if isinstance(box, dict) for child in box.get("children", [])),
   "superset: the dashboard shows each chart once")


# dbt


class Materialization(jinja2.ext.Extension):
    """{% materialization name, adapter='postgres' %}, as a macro of that name."""

    tags = {"materialization"}

    def parse(self, parser):
        node = jinja2.nodes.Macro(lineno=next(parser.stream).lineno)
        node.name = "materialization_" + parser.stream.expect("name").value
        while parser.stream.current.type != "block_end":
            next(parser.stream)
        node.args, node.defaults = [], []
        node.body = parser.parse_statements(("name:endmaterialization",), drop_needle=True)
        return node


class Relation:
    def __init__(self, schema, identifier, kind=None):
        self.schema, self.identifier, self.type = schema, identifier, kind

    def incorporate(self, type):
        return Relation(self.schema, self.identifier, type)

    def __str__(self):
        return f'"{self.schema}"."{self.identifier}"'


class Config(dict):
    def __call__(self, **options):
        self.update(options)
        return ""

    def require(self, name):
        return self[name]


def existing(relation):
    found = connection.execute("SELECT relkind::text FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relname = %s", (relation.schema, relation.identifier)).fetchone()
    return found and Relation(relation.schema, relation.identifier, {"v": "view"}.get(found[0], "table"))


def columns_of(relation):
    return [SimpleNamespace(name=column.name) for column in connection.execute(f"SELECT * FROM {relation} LIMIT 0").description]


def run_model(name, schema):
    """Does what dbt does for a model of the project; returns how it is materialized."""
    config, hooks, result = Config(), [], {}
    environment = jinja2.Environment(extensions=["jinja2.ext.do", Materialization])
    environment.globals.update(config=config, ref=lambda of: Relation(schema, of), source=lambda _, table: Relation("public", table), tojson=json.dumps)
    macros = (folder / "dbt/macros/pgfit_model.sql").read_text()
    compiled = environment.from_string(macros + (folder / f"dbt/models/{name}.sql").read_text()).render().strip()
    this = Relation(schema, name)
    if config["materialized"] == "table":
        connection.execute(f"DROP TABLE IF EXISTS {this}; CREATE TABLE {this} AS {compiled}")
        return "table"
    environment.globals.update(
        this=this, sql=compiled, model={}, pre_hooks=[], post_hooks=[], load_cached_relation=existing, run_hooks=lambda which, inside_transaction: hooks.append(inside_transaction) or "",
        persist_docs=lambda *_: None, apply_grants=lambda relation, grants, should_revoke: connection.execute(f"GRANT SELECT ON {relation} TO PUBLIC") and "", statement=lambda name, caller: connection.execute(caller()) and "", **{"return": lambda value: result.update(value) or ""},
        adapter=type("Adapter", (), {"commit": staticmethod(lambda: ""), "get_columns_in_relation": staticmethod(columns_of),
                                     "drop_relation": staticmethod(lambda old: connection.execute(f"DROP {old.type} {old} CASCADE") and "")}))
    environment.from_string(macros + "{{ materialization_" + config["materialized"] + "() }}").render()
    ok(hooks == [False, True, True, False] and str(result["relations"][0]) == str(this), f"dbt: {name} runs hooks in and around its transaction, and returns its relation")
    return config["materialized"]


connection.execute('CREATE SCHEMA "dev\'s"')
connection.execute('CREATE TABLE "dev\'s".survival_model ()')  # what an earlier run made of the name
ok(run_model("survival_model", "dev's") == "pgfit_model" and run_model("passenger_scores", "dev's") == "table", "dbt: both models run")
run_model("survival_model", "dev's")
ok(connection.execute('SELECT array_agg(version ORDER BY version), count(*) FILTER (WHERE active), bool_and(metrics ? \'accuracy\') FROM "dev\'s".survival_model').fetchone() == ([1, 2], 1, True),
   "dbt: each run adds a version, of which one serves")
connection.execute('CREATE VIEW "dev\'s".served AS SELECT version FROM "dev\'s".survival_model WHERE active')
run_model("survival_model", "dev's")
ok(connection.execute('SELECT count(*) FROM "dev\'s".served').fetchone() == (1,), "dbt: what reads the view stays")
connection.execute('DROP VIEW "dev\'s".survival_model CASCADE; CREATE VIEW "dev\'s".survival_model AS SELECT 1 AS id')
run_model("survival_model", "dev's")
ok(connection.execute('SELECT count(*), has_table_privilege(\'public\', \'"dev\'\'s".survival_model\', \'SELECT\') FROM "dev\'s".survival_model').fetchone() == (4, True),
   "dbt: a view of other columns, which the name had before, is replaced, and the grants of the config are made")
ok(connection.execute('SELECT count(*) = 900, min(probability) >= 0, max(probability) <= 1 FROM "dev\'s".passenger_scores').fetchone() == (True, True, True), "dbt: rows are scored")
ok(connection.execute("SELECT source LIKE '%\"titanic\"' FROM pgfit.registry WHERE name = 'dev''s.survival_model' AND version = 1").fetchone()[0], "dbt: the registry has the query")
