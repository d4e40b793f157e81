"""Logistic regression of rows in memory and in a temporary file, and by repeated passes, beside scikit-learn."""
from measure import Bar, Query, Section, TWO

L2 = '\'{"lambda": 0.5}\''
PEER = "LogisticRegression(C=1.0).fit(X, y)"


def fit(table, target="y", options="'{}'"):
    return f"SELECT pgfit.logistic_regression({target}, x, {options}) IS NOT NULL FROM {table}"


def score(model, call):
    return f"SELECT count(pgfit.{call}((SELECT {model} FROM logistic_models), x)) FROM logistic_10"


SECTIONS = [
    Section("logistic regression, 10 features", [
        Query("count(x)", "SELECT count(x) FROM logistic_10"),
        Query("no penalty", fit("logistic_10")),
        Query("l2", fit("logistic_10", options=L2)),
        Query("l1", fit("logistic_10", options='\'{"lambda": 100, "penalty": "l1"}\'')),
        Query("four classes", fit("logistic_10", "k")),
        Query("four classes, one-vs-rest", fit("logistic_10", "k", '\'{"multiclass": "ovr"}\'')),
        Query("l2, spilled", fit("logistic_10", options=L2), ["pgfit.fit_mem = '1MB'"]),
    ], [
        Bar("l2", "count(x)", None),
        Bar("l1", "l2", 1.5),
        Bar("no penalty", "l2", 1.3),
        Bar("l2, spilled", "l2", 1.6),
        Bar("four classes", "l2", 4),
    ], settings=["pgfit.fit_mem = '1GB'"]),
    Section("logistic regression, 10,000 groups of 3 features", [
        Query("regr_slope(y, x[1])", "SELECT count(s) FROM (SELECT regr_slope(y, x[1]) AS s FROM logistic_groups GROUP BY g) q"),
        Query("logistic_regression", "SELECT count(m) FROM (SELECT pgfit.logistic_regression(y, x, '{\"lambda\": 1}') AS m "
              "FROM logistic_groups GROUP BY g) q"),
    ], [Bar("logistic_regression", "regr_slope(y, x[1])", None)], settings=["work_mem = '1GB'"]),
    Section("logistic regression by passes, 10 features", [
        Query("class_moments", "SELECT pgfit.class_moments(y, x) IS NOT NULL FROM logistic_10"),
        Query("logistic_step", "SELECT pgfit_textbook.logistic_step(y, x, (SELECT started FROM logistic_models)) IS NOT NULL FROM logistic_10"),
        Query("logistic_step, two processes",
              "SELECT pgfit_textbook.logistic_step(y, x, (SELECT started FROM logistic_models)) IS NOT NULL FROM logistic_10", TWO),
    ], [
        Bar("logistic_step", "class_moments", 2),
        Bar("logistic_step, two processes", "logistic_step", 1 / 1.6),
    ]),
    Section("scores of logistic models, 10 features", [
        Query("count(x)", "SELECT count(x) FROM logistic_10"),
        Query("decision", score("two", "decision")),
        Query("probability", score("two", "probability")),
        Query("classify, four classes", score("four", "classify")),
    ], [
        Bar("probability", "decision", 1.3),
        Bar("probability", "count(x)", None),
        Bar("classify, four classes", "probability", 2),
    ]),
    Section("logistic regression against scikit-learn in memory", [
        Query("l2, 10 features", fit("logistic_10", options=L2)),
        Query("scikit-learn, 10 features", f"python logistic_10 10 {PEER}"),
    ], [
        Bar("l2, 10 features", "scikit-learn, 10 features", 1.0),
    ]),
    *(Section(f"logistic regression against scikit-learn in memory, {d} features", [
        Query("count(x)", f"SELECT count(x) FROM logistic_{d}"),
        Query("l2", fit(f"logistic_{d}", options=L2)),
        Query("scikit-learn", f"python logistic_{d} {d} {PEER}"),
        Query("no penalty", fit(f"logistic_{d}")),
        Query("l1", fit(f"logistic_{d}", options='\'{"lambda": 100, "penalty": "l1"}\'')),
        Query("scikit-learn, l1", f"python logistic_{d} {d} LogisticRegression(C=0.01, penalty='l1', solver='liblinear').fit(X, y)"),
        Query("three classes", fit(f"logistic_{d}_3", options=L2)),
        Query("scikit-learn, three classes", f"python logistic_{d}_3 {d} {PEER}"),
    ], [
        Bar("l2", "scikit-learn", 1.1 if d == 50 else None),
        Bar("no penalty", "l2", None),
        Bar("l1", "scikit-learn, l1", 1.0),
        Bar("three classes", "scikit-learn, three classes", 1.0),
    ], settings=["pgfit.fit_mem = '1GB'"]) for d in (50, 200)),
]
