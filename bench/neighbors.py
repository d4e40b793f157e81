"""Nearest neighbors: 100,000 rows, k = 10."""
from measure import Bar, Query, Section

MODEL = "(SELECT m FROM neighbors_models WHERE name = '{}')"


def predict(model, table):
    return f"SELECT sum(pgfit.predict({MODEL.format(model)}, x)) FROM {table}"


def fit(table, options):
    return f"SELECT pgfit.knn_regression(y, x, 10, '{options}') IS NOT NULL FROM {table}"


def sklearn(algorithm, features, share):
    """Finds the neighbors of the rows that are not in the first `share` of the table, in a tree that was built before."""
    name, rows = f"{algorithm}_index", f"round(len(X) * {share})"
    return (f"python neighbors_{features}_all {features} {name} = NearestNeighbors(n_neighbors=10, algorithm='{algorithm}').fit(X[:{rows}]) ;; "
            f"{name}.set_params(n_jobs=threads).kneighbors(X[{rows}:])")


NANOFLANN = ("python neighbors_8_all 8 half = len(X) // 2; queries = np.ascontiguousarray(X[half:]); rows = np.empty((len(queries), 10), 'u8'); "
             "distances = np.empty((len(queries), 10)); size = ctypes.c_size_t; "
             "library = native('nanoflann'); library.index_new.restype = ctypes.c_void_p; "
             "index = ctypes.c_void_p(library.index_new(pointer(X), size(half), size(8))) ;; "
             "library.index_search(index, pointer(queries), size(len(queries)), size(10), pointer(rows), pointer(distances))")
FAISS = ("python neighbors_64_all 64 first = len(X) * 10 // 11; flat = faiss.IndexFlatL2(64); flat.add(X[:first].astype('f4')); "
         "queries = X[first:].astype('f4') ;; flat.search(queries, 10)")


ORDER_BY = ("SELECT count(*) FROM (SELECT x FROM neighbors_8_queries WHERE id <= {}) q, LATERAL (SELECT p.id FROM neighbors_8 p "
            "ORDER BY " + " + ".join(f"(p.x[{i}] - q.x[{i}]) ^ 2" for i in range(1, 9)) + " LIMIT 10) n")

SECTIONS = [
    Section("neighbors by k-d tree, 8 features, 100,000 queries", [
        Query("predict", predict("kd_8", "neighbors_8_queries")),
        Query("scikit-learn kd_tree", sklearn("kd_tree", 8, "1 / 2")),
        Query("nanoflann", NANOFLANN),
    ], [Bar("predict", "nanoflann", None), Bar("predict", "scikit-learn kd_tree", 1.2)]),
    Section("neighbors by ball tree, 8 features, 100,000 queries", [
        Query("predict", predict("ball_8", "neighbors_8_queries")),
        Query("scikit-learn ball_tree", sklearn("ball_tree", 8, "1 / 2")),
    ], [Bar("predict", "scikit-learn ball_tree", 1.2)]),
    Section("neighbors of 10,000 rows in blocks, 64 features", [
        Query("nearest_batch", f"SELECT count(f) FROM (SELECT pgfit.nearest_batch({MODEL.format('brute_64')}, x, 10) OVER () "
              "AS f FROM neighbors_64_queries) q"),
        Query("scikit-learn brute", sklearn("brute", 64, "10 / 11")),
        Query("faiss, flat, single precision", FAISS),
    ], [Bar("nearest_batch", "faiss, flat, single precision", None, aim=1.0), Bar("nearest_batch", "scikit-learn brute", 1.0)]),
    Section("neighbors, fit of 100,000 rows of 8 features", [
        Query("count(x)", "SELECT count(x) FROM neighbors_8"),
        Query("knn_regression", fit("neighbors_8", "{}")),
        Query("scikit-learn fit", "python neighbors_8 8 KNeighborsRegressor(10, algorithm='kd_tree').fit(X, y)"),
    ], [Bar("knn_regression", "scikit-learn fit", 3)], settings=["pgfit.fit_mem = '1GB'"]),
    Section("neighbors against ORDER BY, 8 features, 20 queries", [
        Query("ORDER BY the squared distance", ORDER_BY.format(20)),
        Query("nearest, 2,000 queries", f"SELECT count(*) FROM neighbors_8_queries q, pgfit.nearest({MODEL.format('kd_8')}, q.x, 10) "
              "WHERE q.id <= 2000"),
    ], [Bar("nearest, 2,000 queries", "ORDER BY the squared distance", 1.0)]),
    Section("neighbors, 100,000 queries of 3 features by the size of the model", [
        Query("10,000 rows", predict("kd_3_few", "neighbors_3_some")),
        Query("100,000 rows", predict("kd_3_some", "neighbors_3_some")),
        Query("1,000,000 rows", predict("kd_3_many", "neighbors_3_some")),
        Query("1,000,000 rows, one query", predict("kd_3_many", "neighbors_3_some WHERE id = 1")),
    ], [Bar("1,000,000 rows", ["10,000 rows", "1,000,000 rows, one query"], 2.5), Bar("100,000 rows", "10,000 rows", None)]),
    Section("neighbors, where the model comes from", [
        Query("a table, by a scalar subquery", predict("kd_8", "neighbors_8_queries")),
        Query("a table, by a join", "SELECT sum(pgfit.predict(m, x)) FROM neighbors_models, neighbors_8_queries WHERE name = 'kd_8'"),
        Query("a materialized CTE", "WITH f AS MATERIALIZED (SELECT pgfit.knn_regression(y, x, 10) AS m FROM neighbors_8) "
              "SELECT sum(pgfit.predict(m, x)) FROM f, neighbors_8_queries"),
    ], [Bar("a table, by a join", "a table, by a scalar subquery", 1.2), Bar("a materialized CTE", "a table, by a scalar subquery", 1.3)],
        settings=["pgfit.fit_mem = '1GB'"]),
]
