"""Nearest neighbors: 100,000 rows, k = 10."""
from measure import Bar, Query, Section

MODEL = "(SELECT m FROM neighbors_models WHERE name = '{}')"


def predict(model, table):
    return f"SELECT sum(pgfit.predict({MODEL.format(model)}, x)) FROM {table}"


def fit(table, options):
    return f"SELECT pgfit.knn_regression(y, x, 10, '{options}') IS NOT NULL FROM {table}"


def peer(algorithm, features, share):
    """Finds the neighbors of the rows that are not in the first `share` of the table, in a tree that was built before."""
    name, rows = f"neighbors_{algorithm}", f"round(len(X) * {share})"
    return (f"peer fit neighbors_{features}_all {features} (globals().get('{name}') or globals().setdefault('{name}', "
            f"NearestNeighbors(n_neighbors=10, algorithm='{algorithm}', n_jobs=1).fit(X[:{rows}])))"
            f".kneighbors(X[{rows}:])")


ORDER_BY = ("SELECT count(*) FROM (SELECT x FROM neighbors_8_queries WHERE id <= {}) q, LATERAL (SELECT p.id FROM neighbors_8 p "
            "ORDER BY " + " + ".join(f"(p.x[{i}] - q.x[{i}]) ^ 2" for i in range(1, 9)) + " LIMIT 10) n")

SECTIONS = [
    Section("neighbors by k-d tree, 8 features, 100,000 queries", [
        Query("predict", predict("kd_8", "neighbors_8_queries")),
        Query("scikit-learn kd_tree", peer("kd_tree", 8, "1 / 2")),
    ], [Bar("predict", "scikit-learn kd_tree", 1.2, 1.0)], repeats=3, peers=True),
    Section("neighbors by ball tree, 8 features, 100,000 queries", [
        Query("predict", predict("ball_8", "neighbors_8_queries")),
        Query("scikit-learn ball_tree", peer("ball_tree", 8, "1 / 2")),
    ], [Bar("predict", "scikit-learn ball_tree", 1.2, 1.0)], repeats=3, peers=True),
    Section("neighbors of 10,000 rows in blocks, 64 features", [
        Query("nearest_batch", f"SELECT count(f) FROM (SELECT pgfit.nearest_batch({MODEL.format('brute_64')}, x, 10) OVER () "
              "AS f FROM neighbors_64_queries) q"),
        Query("scikit-learn brute", peer("brute", 64, "10 / 11")),
    ], [Bar("nearest_batch", "scikit-learn brute", 1.0)], repeats=3, peers=True),
    Section("neighbors, fit of 100,000 rows of 8 features", [
        Query("count(x)", "SELECT count(x) FROM neighbors_8"),
        Query("knn_regression", fit("neighbors_8", "{}")),
        Query("scikit-learn fit", "peer fit neighbors_8 8 KNeighborsRegressor(10, algorithm='kd_tree').fit(X, y)"),
    ], [Bar("knn_regression", "scikit-learn fit", 3)], repeats=5, settings=["pgfit.fit_mem = '1GB'"], peers=True),
    Section("neighbors against ORDER BY, 8 features, 20 queries", [
        Query("ORDER BY the squared distance", ORDER_BY.format(20)),
        Query("nearest, 2,000 queries", f"SELECT count(*) FROM neighbors_8_queries q, pgfit.nearest({MODEL.format('kd_8')}, q.x, 10) "
              "WHERE q.id <= 2000"),
    ], [Bar("nearest, 2,000 queries", "ORDER BY the squared distance", 1.0)], repeats=3),
    Section("neighbors, 100,000 queries of 3 features by the size of the model", [
        Query("10,000 rows", predict("kd_3_few", "neighbors_3_some")),
        Query("100,000 rows", predict("kd_3_some", "neighbors_3_some")),
        Query("1,000,000 rows", predict("kd_3_many", "neighbors_3_some")),
        Query("1,000,000 rows, one query", predict("kd_3_many", "neighbors_3_some WHERE id = 1")),
    ], [Bar("1,000,000 rows", ["10,000 rows", "1,000,000 rows, one query"], 2.5), Bar("100,000 rows", "10,000 rows", None)], repeats=3),
    Section("neighbors, where the model comes from", [
        Query("a table, by a scalar subquery", predict("kd_8", "neighbors_8_queries")),
        Query("a table, by a join", "SELECT sum(pgfit.predict(m, x)) FROM neighbors_models, neighbors_8_queries WHERE name = 'kd_8'"),
        Query("a materialized CTE", "WITH f AS MATERIALIZED (SELECT pgfit.knn_regression(y, x, 10) AS m FROM neighbors_8) "
              "SELECT sum(pgfit.predict(m, x)) FROM f, neighbors_8_queries"),
    ], [Bar("a table, by a join", "a table, by a scalar subquery", 1.2), Bar("a materialized CTE", "a table, by a scalar subquery", 1.3)],
        repeats=3, settings=["pgfit.fit_mem = '1GB'"]),
]
