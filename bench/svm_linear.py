"""Linear support vector machines beside LIBLINEAR's liblinear-train, which reads its rows from a file, and LIBSVM's svm-train."""
from measure import Bar, Query, Section

MEMORY = ["pgfit.fit_mem = '1GB'"]


def fit(method, table, options="{}"):
    return f"SELECT pgfit.{method}(y, x, '{options}'::jsonb) IS NOT NULL FROM {table}"


def train(table, columns, solver, program="liblinear-train"):
    bias = " -B 1" if program == "liblinear-train" else ""
    return f"peer program {table} {columns} {program} -q {solver}{bias} {{data}} {{dir}}/model_{table}"


SQUARED = '{"loss": "squared_hinge"}'
SQUARED_EPSILON = '{"loss": "squared_epsilon_insensitive"}'

SECTIONS = [
    Section("linear machine against liblinear-train, 1,000,000 rows of 10 features", [
        Query("count(x)", "SELECT count(x) FROM svm_deep"),
        Query("squared hinge", fit("svm_classifier", "svm_deep", SQUARED)),
        Query("liblinear-train, squared hinge, primal", train("svm_deep", 10, "-s 2")),
        Query("hinge", fit("svm_classifier", "svm_deep")),
        Query("hinge, rows in a file", fit("svm_classifier", "svm_deep"), ["pgfit.fit_mem = '64MB'"]),
        Query("l1", fit("svm_classifier", "svm_deep", '{"loss": "squared_hinge", "penalty": "l1"}')),
        Query("liblinear-train, l1", train("svm_deep", 10, "-s 5")),
    ], [
        Bar("squared hinge", "liblinear-train, squared hinge, primal", 1.0),
        Bar("l1", "liblinear-train, l1", 1.0),
        Bar("hinge, rows in a file", "hinge", None),
    ], repeats=3, settings=MEMORY, peers=True),
    Section("linear machine against liblinear-train, hinge loss, 1,000,000 rows of 10 features", [
        Query("hinge", fit("svm_classifier", "svm_deep")),
        Query("liblinear-train, hinge", train("svm_deep", 10, "-s 3")),
    ], [Bar("hinge", "liblinear-train, hinge", 1.0)], repeats=1, settings=MEMORY, peers=True),
    Section("linear machine against liblinear-train, 100,000 rows of 200 features", [
        Query("squared hinge", fit("svm_classifier", "svm_broad", SQUARED)),
        Query("liblinear-train, squared hinge, primal", train("svm_broad", 200, "-s 2")),
        Query("hinge", fit("svm_classifier", "svm_broad")),
        Query("liblinear-train, hinge", train("svm_broad", 200, "-s 3")),
    ], [
        Bar("squared hinge", "liblinear-train, squared hinge, primal", 1.0),
        Bar("hinge", "liblinear-train, hinge", 1.0),
    ], repeats=1, settings=MEMORY, peers=True),
    Section("linear regression with a tube against liblinear-train, 1,000,000 rows of 10 features", [
        Query("squared tube", fit("svm_regression", "svm_deep_numbers", SQUARED_EPSILON)),
        Query("liblinear-train, squared tube, primal", train("svm_deep_numbers", 10, "-s 11 -p 0.1")),
        Query("tube", fit("svm_regression", "svm_deep_numbers")),
        Query("liblinear-train, tube", train("svm_deep_numbers", 10, "-s 13 -p 0.1")),
    ], [
        Bar("squared tube", "liblinear-train, squared tube, primal", 1.0),
        Bar("tube", "liblinear-train, tube", 1.0),
    ], repeats=1, settings=MEMORY, peers=True),
    Section("linear machines against svm-train, 10,000 rows of 10 features", [
        Query("svm_classifier", fit("svm_classifier", "svm_few")),
        Query("svm-train", train("svm_few", 10, "-t 0", "svm-train")),
        Query("svm_regression", fit("svm_regression", "svm_few_numbers")),
        Query("svm-train, regression", train("svm_few_numbers", 10, "-s 3 -t 0 -p 0.1", "svm-train")),
    ], [
        Bar("svm_classifier", "svm-train", 0.5),
        Bar("svm_regression", "svm-train, regression", 0.5),
    ], repeats=3, settings=MEMORY, peers=True),
]
