"""Linear and ridge regression: fits, forms of the features argument, groups, scoring."""
from measure import Bar, Query, Section, TWO

COLUMNS = ", ".join(f"x{i}" for i in range(1, 11))
NAMED = f"LATERAL (SELECT {COLUMNS}) f"


def fit(features, table, target="y", extra=""):
    return f"SELECT pgfit.linear_regression({target}, {features}{extra}) IS NOT NULL FROM {table}"


QUANTILE_ROWS = "(SELECT y, x FROM form_float8 LIMIT 100000) AS s"
DUCK = "python lin1m 10 SQL = duck(np.column_stack((X, y))) ;; SQL('SELECT "
SQL_SCORE = "0.5 + " + " + ".join(f"x{i} * {i / 10}" for i in range(1, 11))

SECTIONS = [
    Section("fit, 10 features", [
        Query("regr_slope(y, x[1])", "SELECT regr_slope(y, x[1]) FROM lin1m"),
        Query("count(x)", "SELECT count(x) FROM lin1m"),
        Query("count(row of ten columns)", f"SELECT count(({COLUMNS})) FROM lin1m_cols"),
        Query("linear_regression, float8[]", fit("x", "lin1m")),
        Query("linear_regression, row of ten columns", fit(f"({COLUMNS})", "lin1m_cols")),
        Query("ridge_regression, float8[]",
              "SELECT pgfit.ridge_regression(y, x, 0.1) IS NOT NULL FROM lin1m"),
    ], [
        Bar("linear_regression, float8[]", "regr_slope(y, x[1])", 1.25),
        Bar("ridge_regression, float8[]", "regr_slope(y, x[1])", 1.25),
        Bar("linear_regression, row of ten columns", "linear_regression, float8[]", 1.5),
        Bar("linear_regression, row of ten columns", "regr_slope(y, x[1])", 1.25 * 1.5),
        Bar("linear_regression, row of ten columns", "count(row of ten columns)", None),
        Bar("count(row of ten columns)", "linear_regression, float8[]", None),
        Bar("linear_regression, float8[]", "count(x)", None),
    ]),
    Section("input forms, 10 features", [
        Query("float8[]", fit("x", "form_float8")),
        Query("real[]", fit("x", "form_real")),
        Query("integer[]", fit("x", "form_integer")),
        Query("bigint[]", fit("x", "form_bigint")),
        Query("numeric[]", fit("x", "form_numeric")),
        Query("anonymous row", fit(f"({COLUMNS})", "form_columns")),
        Query("named row", fit("f", f"form_columns, {NAMED}")),
        Query("composite", fit("p", "form_composite")),
        Query("row with two categories", fit("(x1, x2, x3, x4, x5, x6, x7, x8, c1, c2)", "form_categorical")),
        Query("jsonb", fit("j", "form_jsonb")),
        Query("count(row of ten columns)", f"SELECT count(({COLUMNS})) FROM form_columns"),
        Query("count(jsonb)", "SELECT count(j) FROM form_jsonb"),
    ], [Bar(label, "float8[]", 2.5) for label in (
        "real[]", "integer[]", "bigint[]", "numeric[]", "anonymous row", "named row", "composite",
        "row with two categories", "jsonb")] + [
        Bar(label, "float8[]", None) for label in ("count(row of ten columns)", "count(jsonb)")]),
    Section("fit, 50 features", [
        Query("count(x), sum(y)", "SELECT count(x), sum(y) FROM lin1m_50"),
        Query("linear_regression", fit("x", "lin1m_50")),
        Query("linear_regression, two processes", fit("x", "lin1m_50"), TWO),
    ], [
        Bar("linear_regression", "count(x), sum(y)", 4),
        Bar("linear_regression, two processes", "linear_regression", 1 / 1.6),
    ]),
    Section("fit, 100,000 groups of 3 features", [
        Query("regr_slope(y, x[1])", "SELECT count(s) FROM (SELECT regr_slope(y, x[1]) AS s FROM grp10m GROUP BY g) q"),
        Query("linear_regression", "SELECT count(m) FROM (SELECT pgfit.linear_regression(y, x) AS m FROM grp10m "
              "GROUP BY g) q"),
    ], [Bar("linear_regression", "regr_slope(y, x[1])", 1.35)], settings=["work_mem = '2GB'"]),
    Section("quantile regression, 100,000 rows of 10 features", [
        Query("linear_regression", fit("x", QUANTILE_ROWS)),
        Query("quantile_regression", f"SELECT pgfit.quantile_regression(y, x, '{{\"errors\": \"none\"}}'::jsonb) IS NOT NULL FROM {QUANTILE_ROWS}"),
    ], [Bar("quantile_regression", "linear_regression", 5)]),
    Section("scoring, 10 features", [
        Query("SQL expression over ten columns", f"SELECT sum({SQL_SCORE}) FROM lin1m_cols"),
        Query("predict, float8[]", "SELECT sum(pgfit.predict((SELECT m FROM one_model), x)) FROM lin1m"),
        Query("predict, row of ten columns",
              f"SELECT sum(pgfit.predict((SELECT m FROM one_model), ({COLUMNS}))) FROM lin1m_cols"),
        Query("count(row of ten columns)", f"SELECT count(({COLUMNS})) FROM lin1m_cols"),
        Query("predict, named row",
              f"SELECT sum(pgfit.predict((SELECT m FROM one_named_model), f)) FROM lin1m_cols, {NAMED}"),
    ], [
        Bar("predict, float8[]", "SQL expression over ten columns", 1.0),
        Bar("predict, row of ten columns", "SQL expression over ten columns", 1.0),
        Bar("predict, named row", "SQL expression over ten columns", 1.0),
    ]),
    Section("scoring, a join with 1,000 models", [
        Query("join reading the size of m", "SELECT sum(pg_column_size(m) + cardinality(x)) "
              "FROM lin1m_groups JOIN group_models USING (g)"),
        Query("predict, one model", "SELECT sum(pgfit.predict((SELECT m FROM one_model), x)) FROM lin1m_groups"),
        Query("predict, one model per group",
              "SELECT sum(pgfit.predict(m, x)) FROM lin1m_groups JOIN group_models USING (g)"),
    ], [Bar("predict, one model per group", ["join reading the size of m", "predict, one model"], 1.25)]),
    Section("linear_regression, 1,000,000 rows of 10 features", [
        Query("linear_regression", fit("x", "lin1m")),
        Query("COPY BINARY + scikit-learn", "python lin1m 10 LinearRegression().fit(*read())"),
        Query("scikit-learn", "python lin1m 10 LinearRegression().fit(X, y)"),
        Query("R's lm", "R lin1m 10 lm(y ~ X)"),
        Query("R's lm.fit", "R lin1m 10 design <- cbind(1, X) ;; lm.fit(design, y)"),
        Query("DuckDB, ten regr_slope", DUCK + ", ".join(f"regr_slope(x1, x{i})" for i in range(1, 11)) + " FROM x')"),
        Query("DuckDB, 66 sums", DUCK + ", ".join(f"sum(x{i} * x{j})" for i in range(1, 12) for j in range(i, 12)) + " FROM x')"),
    ], [
        Bar("linear_regression", "COPY BINARY + scikit-learn", 0.2),
    ] + [Bar("linear_regression", other, None) for other in ("scikit-learn", "R's lm", "R's lm.fit", "DuckDB, ten regr_slope", "DuckDB, 66 sums")]),
    Section("linear_regression, 200,000 rows of 50 features", [
        Query("linear_regression", fit("x", "lin200k_50")),
        Query("COPY BINARY + scikit-learn", "python lin200k_50 50 LinearRegression().fit(*read())"),
        Query("scikit-learn", "python lin200k_50 50 LinearRegression().fit(X, y)"),
    ], [
        Bar("linear_regression", "COPY BINARY + scikit-learn", 0.2),
        Bar("linear_regression", "scikit-learn", None),
    ]),
] + [
    Section(f"ridge_regression, {rows:,} rows of {features:,} features", [
        Query("ridge_regression", f"SELECT pgfit.ridge_regression(y, x, 1) IS NOT NULL FROM lin_{features}"),
        Query("scikit-learn", f"python lin_{features} {features} Ridge(alpha=1).fit(X, y)"),
    ], [Bar("ridge_regression", "scikit-learn", 1)]) for rows, features in ((50000, 200), (10000, 1000))
]

# (title, query, settings, most MB): the peak memory of a fresh backend after one query, without the shared buffers it touched.
MEMORY = [
    ("fit, 100,000 groups of 3 features", "SELECT count(m) FROM (SELECT pgfit.linear_regression(y, x) AS m "
     "FROM grp10m GROUP BY g) q", ["work_mem = '2GB'"], 1024),
]
