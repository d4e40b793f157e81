"""Naive Bayes and discriminants, beside scikit-learn's fits of rows that are in memory already."""
from measure import Bar, Query, Section, TWO, built_in, built_in_bar

CLASSES = (2, 10)
PEERS = {
    "naive_bayes": "GaussianNB().fit(X, y)",
    "lda": "LinearDiscriminantAnalysis().fit(X, y)",
    "qda": "QuadraticDiscriminantAnalysis().fit(X, y)",
}


def fit(method, table):
    return f"SELECT pgfit.{method}(y, x) IS NOT NULL FROM {table}"


def section(count):
    table = f"normal_{count}"
    queries = [Query("count(x)", f"SELECT count(x) FROM {table}"),
               *built_in(table),
               Query("class_moments", fit("class_moments", table))]
    bars = [built_in_bar(), Bar("class_moments", "count(x)", None)]
    for method in PEERS:
        queries += [Query(method, fit(method, table)), Query(f"{method}, two processes", fit(method, table), TWO)]
        bars.append(Bar(f"{method}, two processes", method, 1 / 1.6))
    return Section(f"normal classifiers, 10 features, {count} classes", queries, bars)


def against(count):
    table = f"normal_{count}"
    queries, bars = [], []
    for method, call in PEERS.items():
        queries += [Query(method, fit(method, table)), Query(f"scikit-learn {method}", f"python {table} 10 {call}")]
        bars.append(Bar(method, f"scikit-learn {method}", 1.0))
    return Section(f"against scikit-learn in memory, 10 features, {count} classes", queries, bars)


SECTIONS = [section(count) for count in CLASSES] + [
    Section("normal classifiers, labels as text", [
        Query("integers", fit("naive_bayes", "normal_10")),
        Query("text", fit("naive_bayes", "normal_text")),
    ], [Bar("text", "integers", 1.25)]),
    Section("normal classifiers, 50 features, 2 classes", [
        Query("count(x)", "SELECT count(x) FROM normal_50"),
        Query("lda", fit("lda", "normal_50")),
        Query("lda, two processes", fit("lda", "normal_50"), TWO),
    ], [Bar("lda, two processes", "lda", 1 / 1.6), Bar("lda", "count(x)", None)]),
    Section("normal classifiers, scores", [
        Query("count(x)", "SELECT count(x) FROM normal_10"),
    ] + [Query(f"classify, {method}", f"SELECT count(pgfit.classify((SELECT {method} FROM normal_models), x)) FROM normal_10")
         for method in PEERS], [Bar(f"classify, {method}", "count(x)", None) for method in PEERS]),
] + [against(count) for count in CLASSES]
