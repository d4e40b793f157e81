"""What is measured of nearest neighbors, at the full scale: 100,000 rows, k = 10."""
from measure import Bar, Query, Section

MODEL = "(SELECT m FROM near_models WHERE name = '{}')"


def predict(model, table):
    return f"SELECT sum(pgfit.predict({MODEL.format(model)}, x)) FROM {table}"


def fit(table, options):
    return f"SELECT pgfit.knn_regression(y, x, 10, '{options}') IS NOT NULL FROM {table} WHERE id <= 100000"


def peer(algorithm, features):
    """Finds the neighbors of the rows after the first 100,000, in a tree that was made before."""
    name = f"near_{algorithm}"
    return (f"peer fit near_{features} {features} (globals().get('{name}') or globals().setdefault('{name}', "
            f"NearestNeighbors(n_neighbors=10, algorithm='{algorithm}', n_jobs=1).fit(X[:100000])))"
            ".kneighbors(X[100000:])")


ORDER_BY = ("SELECT count(*) FROM (SELECT x FROM near_asked_8 WHERE id <= 100000 + {}) q, LATERAL (SELECT p.id FROM near_8 p "
            "WHERE p.id <= 100000 ORDER BY " + " + ".join(f"(p.x[{i}] - q.x[{i}]) ^ 2" for i in range(1, 9)) + " LIMIT 10) n")

SECTIONS = [
    Section("neighbors by k-d tree, 8 features, 100,000 queries", [
        Query("predict", predict("kd_8", "near_asked_8")),
        Query("scikit-learn kd_tree", peer("kd_tree", 8)),
    ], [Bar("predict", "scikit-learn kd_tree", 1.2, 1.0)], repeats=3, peers=True),
    Section("neighbors by ball tree, 8 features, 100,000 queries", [
        Query("predict", predict("ball_8", "near_asked_8")),
        Query("scikit-learn ball_tree", peer("ball_tree", 8)),
    ], [Bar("predict", "scikit-learn ball_tree", 1.2, 1.0)], repeats=3, peers=True),
    Section("neighbors of 10,000 rows in blocks, 64 features", [
        Query("nearest_batch", f"SELECT count(f) FROM (SELECT pgfit.nearest_batch({MODEL.format('brute_64')}, x, 10) OVER () "
              "AS f FROM near_asked_64) q"),
        Query("scikit-learn brute", peer("brute", 64)),
    ], [Bar("nearest_batch", "scikit-learn brute", 1.0)], repeats=3, peers=True),
    Section("neighbors, fit of 100,000 rows of 8 features", [
        Query("count(x)", "SELECT count(x) FROM near_8 WHERE id <= 100000"),
        Query("knn_regression", fit("near_8", "{}")),
        Query("scikit-learn fit", "peer fit near_8 8 KNeighborsRegressor(10, algorithm='kd_tree').fit(X[:100000], y[:100000])"),
    ], [Bar("knn_regression", "scikit-learn fit", 3)], repeats=5, settings=["pgfit.fit_mem = '1GB'"], peers=True),
    Section("neighbors against ORDER BY, 8 features, 20 queries", [
        Query("ORDER BY the squared distance", ORDER_BY.format(20)),
        Query("nearest, 2,000 queries", f"SELECT count(*) FROM near_asked_8 q, pgfit.nearest({MODEL.format('kd_8')}, q.x, 10) "
              "WHERE q.id <= 102000"),
    ], [Bar("nearest, 2,000 queries", "ORDER BY the squared distance", 1.0)], repeats=3),
    Section("neighbors, 100,000 queries of 3 features by the size of the model", [
        Query("10,000 rows", predict("kd_3_10000", "near_3_100000")),
        Query("100,000 rows", predict("kd_3_100000", "near_3_100000")),
        Query("1,000,000 rows", predict("kd_3_1000000", "near_3_100000")),
        Query("1,000,000 rows, one query", predict("kd_3_1000000", "near_3_100000 WHERE id = 1")),
    ], [Bar("1,000,000 rows", ["10,000 rows", "1,000,000 rows, one query"], 2.5), Bar("100,000 rows", "10,000 rows", None)], repeats=3),
    Section("neighbors, where the model comes from", [
        Query("a table, by a scalar subquery", predict("kd_8", "near_asked_8")),
        Query("a table, by a join", "SELECT sum(pgfit.predict(m, x)) FROM near_models, near_asked_8 WHERE name = 'kd_8'"),
        Query("a materialized CTE", "WITH f AS MATERIALIZED (SELECT pgfit.knn_regression(y, x, 10) AS m FROM near_8 WHERE "
              "id <= 100000) SELECT sum(pgfit.predict(m, x)) FROM f, near_asked_8"),
    ], [Bar("a table, by a join", "a table, by a scalar subquery", 1.2), Bar("a materialized CTE", "a table, by a scalar subquery", 1.3)],
        repeats=3, settings=["pgfit.fit_mem = '1GB'"]),
]
