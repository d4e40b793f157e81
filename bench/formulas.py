"""Formulas: plain columns of a whole row, expressions, and terms that are learned, against columns that SQL computes."""
from measure import Bar, Query, Section

FIVE = "x1 + x2 + x3 + x4 + x5"
COLUMNS = "x1, x2, x3, x4, x5"
FEATURES = '{"features": ["x1", "x2", "x3", "x4", "x5"]}'
COMPUTED = ("LATERAL (SELECT ln(x1) AS l, x2, (level = 'low')::int::float8 AS low, (level = 'middle')::int::float8 AS middle, "
            "x2 * (level = 'low')::int AS x2_low, x2 * (level = 'middle')::int AS x2_middle, x3, x3 * x3 AS x3_2) AS f")


def fit(features, options="", table="formula_wide AS d"):
    return f"SELECT pgfit.linear_regression(y, {features}{options}) IS NOT NULL FROM {table}"


def score(model, features, table="formula_wide AS d"):
    return f"SELECT sum(pgfit.predict({model}, {features})) FROM {table}, formula_model"


SECTIONS = [
    Section("formulas, fits", [
        Query("array of five columns", fit(f"ARRAY[{COLUMNS}]", table="formula_five")),
        Query("row of five columns", fit(f"({COLUMNS})", table="formula_five")),
        Query("option features, row of six", fit("d", f", '{FEATURES}'", "formula_five AS d")),
        Query("formula of five columns, row of six", fit("d", f", '{FIVE}'", "formula_five AS d")),
        Query("array of five columns of 20", fit(f"ARRAY[{COLUMNS}]")),
        Query("row of five columns of 20", fit(f"({COLUMNS})")),
        Query("option features, row of 20", fit("d", f", '{FEATURES}'")),
        Query("formula of five columns, row of 20", fit("d", f", '{FIVE}'")),
        Query("expressions by SQL", fit("f", table="formula_wide, LATERAL (SELECT ln(x1), sqrt(x2), x3 * x4) AS f")),
        Query("expressions by a formula", fit("d", ", 'log(x1) + sqrt(x2) + x3:x4'")),
        Query("terms computed by SQL", fit("f", table=f"formula_wide, {COMPUTED}")),
        Query("terms that are learned", fit("d", ", 'log(x1) + x2 * level + poly(x3, 2)'")),
    ], [
        Bar("formula of five columns, row of six", "array of five columns", 1.05),
        Bar("formula of five columns, row of 20", "array of five columns of 20", 1.05),
        Bar("formula of five columns, row of six", "option features, row of six", 1.05),
        Bar("formula of five columns, row of six", "row of five columns", 1.05),
        Bar("formula of five columns, row of 20", "row of five columns of 20", 1.05),
        Bar("expressions by a formula", "expressions by SQL", None),
        Bar("terms that are learned", "terms computed by SQL", None),
    ]),
    Section("formulas, scores", [
        Query("predict, row of five columns", score("plain", "f", f"formula_wide, LATERAL (SELECT {COLUMNS}) AS f")),
        Query("predict, whole row of 20", score("plain", "d")),
        Query("predict, terms computed by SQL", score("computed", "f", f"formula_wide, {COMPUTED}")),
        Query("predict, terms that are learned", score("learned", "d")),
    ], [
        Bar("predict, whole row of 20", "predict, row of five columns", 1.3),
        Bar("predict, terms that are learned", "predict, terms computed by SQL", None),
    ]),
]
