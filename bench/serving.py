"""One row by its key, scored by the name of a model: milliseconds of 1,000 transactions of one client."""
from measure import Bar, Query, Section

ONE_ROW = "FROM serving AS d WHERE id = :row"

SECTIONS = [
    Section(f"1,000 transactions that score one row by name, {protocol} statements", [
        Query("the row, no score", f"pgbench {protocol} SELECT a {ONE_ROW}"),
        Query("an SQL expression", f"pgbench {protocol} SELECT 2 + 3 * a - b + 0.5 * c + 0.1 * (k = 'x')::int + 0.2 * (k = 'y')::int {ONE_ROW}"),
        Query("linear_regression", f"pgbench {protocol} SELECT pgfit.predict('line', d) {ONE_ROW}"),
        Query("boosted_trees_regression, 100 trees", f"pgbench {protocol} SELECT pgfit.predict('trees', d) {ONE_ROW}"),
        Query("the model from its table", f"pgbench {protocol} SELECT pgfit.predict(model, d) FROM serving AS d, serving_model WHERE id = :row"),
    ], [
        Bar("linear_regression", "the row, no score", 1 / 0.9 if protocol == "prepared" else None),
        Bar("an SQL expression", "the row, no score", None),
        Bar("boosted_trees_regression, 100 trees", "the row, no score", None),
        Bar("the model from its table", "the row, no score", None),
    ])
    for protocol in ("prepared", "simple")
]
