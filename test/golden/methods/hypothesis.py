"""Statistical tests and experiments: aggregates over the tables of data/tests.csv, with what R says of them."""
import csv
import json
import os

from methods import Handler, Unknown, method
from session import quote

TESTS = ["ab_test", "sample_ratio_test", "one_sample_t_test", "t_test", "variance_test", "oneway_test", "correlation_test",
         "chi_square_test", "fisher_test", "mcnemar_test", "proportion_test", "kruskal_test", "mann_whitney_test", "signed_rank_test", "ks_test",
         "shapiro_test", "jarque_bera_test", "ljung_box_test", "durbin_watson_test"]
COLUMNS = ["statistic", "df", "df_2", "p_value", "estimate", "std_error", "conf_low", "conf_high", "effect_size",
           "control_rows", "treatment_rows", "control_mean", "treatment_mean", "difference", "lift", "lift_low", "lift_high", "theta",
           "variance_reduction", "sample_ratio_p_value"]


class Test(Handler):
    def load(self):
        if self.session.value("SELECT to_regclass('pg_temp.golden_tests') IS NOT NULL"):
            return
        with open(os.path.join(self.loader.folder, "data", "tests.csv"), encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream))[1:]
        values = ", ".join("(" + ", ".join(quote(value) if value else "NULL" for value in row) + ")" for row in rows)
        self.session.execute("CREATE TEMP TABLE golden_tests (name text, id int, x float8, y float8, g text, k text, h text)")
        self.session.execute(f"INSERT INTO golden_tests SELECT name, id::int, x::float8, y::float8, g, k, h FROM (VALUES {values}) AS v(name, id, x, y, g, k, h)")

    def fit(self):
        self.load()
        options = f", {quote(json.dumps(self.params['options']))}" if self.params["options"] else ""
        call = f"pgfit.{self.case['method']}({self.params['arguments']}{options}{self.params.get('order', '')})"
        self.result = self.session.value(f"SELECT to_jsonb({call}) AS t FROM golden_tests WHERE name = {quote(self.input['table'])}")

    def is_null(self):
        return self.result is None

    def value(self, key):
        if key not in COLUMNS:
            raise Unknown(key)
        return self.result[key]


class Plan(Handler):
    def fit(self):
        options = f", {quote(json.dumps(self.params['options']))}" if "options" in self.params else ""
        call = f"pgfit.{self.case['method']}({self.params['arguments']}{options})"
        self.result = self.session.value(f"SELECT {call}")

    def value(self, key):
        if key != "value":
            raise Unknown(key)
        return self.result


for name in ["power", "sample_size", "detectable_effect", "adjust_p"]:
    method(name, needs=[name])(type(name, (Plan,), {}))
for name in TESTS:
    method(name, needs=[name])(type(name, (Test,), {}))
