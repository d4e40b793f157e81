"""Linear support vector machines beside LIBLINEAR's liblinear-train and LIBSVM's svm-train, through their own Python modules."""
from measure import Bar, Query, Section

MEMORY = ["pgfit.fit_mem = '1GB'"]


def fit(method, table, options="{}"):
    return f"SELECT pgfit.{method}(y, x, '{options}'::jsonb) IS NOT NULL FROM {table}"


def linear(table, columns, solver):
    """Fits a problem that is in LIBLINEAR's form already, as liblinear-train does after it has read its file."""
    return f"python {table} {columns} LINEAR = liblinearutil.problem(y.tolist(), X.tolist(), 1) ;; liblinearutil.train(LINEAR, '-q {solver} -B 1')"


def kernel(table, columns, options):
    return f"python {table} {columns} PROBLEM = svm_problem(y.tolist(), X.tolist()) ;; svm_train(PROBLEM, '-q -t 0 {options}')"


SQUARED = '{"loss": "squared_hinge"}'
SQUARED_EPSILON = '{"loss": "squared_epsilon_insensitive"}'

SECTIONS = [
    Section("linear machine against liblinear-train, 200,000 rows of 10 features", [
        Query("squared hinge", fit("svm_classifier", "svm_deep", SQUARED)),
        Query("liblinear-train, squared hinge, primal", linear("svm_deep", 10, "-s 2")),
        Query("hinge", fit("svm_classifier", "svm_deep")),
        Query("liblinear-train, hinge", linear("svm_deep", 10, "-s 3")),
        Query("hinge, rows in a file", fit("svm_classifier", "svm_deep"), ["pgfit.fit_mem = '64MB'"]),
        Query("l1", fit("svm_classifier", "svm_deep", '{"loss": "squared_hinge", "penalty": "l1"}')),
        Query("liblinear-train, l1", linear("svm_deep", 10, "-s 5")),
    ], [
        Bar("squared hinge", "liblinear-train, squared hinge, primal", 1.0),
        Bar("l1", "liblinear-train, l1", 1.0),
        Bar("hinge", "liblinear-train, hinge", 1.0),
        Bar("hinge, rows in a file", "hinge", None),
    ], settings=MEMORY),
    Section("linear machine against liblinear-train, 20,000 rows of 200 features", [
        Query("squared hinge", fit("svm_classifier", "svm_broad", SQUARED)),
        Query("liblinear-train, squared hinge, primal", linear("svm_broad", 200, "-s 2")),
        Query("hinge", fit("svm_classifier", "svm_broad")),
        Query("liblinear-train, hinge", linear("svm_broad", 200, "-s 3")),
    ], [
        Bar("squared hinge", "liblinear-train, squared hinge, primal", 1.0),
        Bar("hinge", "liblinear-train, hinge", 1.0),
    ], settings=MEMORY),
    Section("linear regression with a tube against liblinear-train, 200,000 rows of 10 features", [
        Query("squared tube", fit("svm_regression", "svm_deep_numbers", SQUARED_EPSILON)),
        Query("liblinear-train, squared tube, primal", linear("svm_deep_numbers", 10, "-s 11 -p 0.1")),
        Query("tube", fit("svm_regression", "svm_deep_numbers")),
        Query("liblinear-train, tube", linear("svm_deep_numbers", 10, "-s 13 -p 0.1")),
    ], [
        Bar("squared tube", "liblinear-train, squared tube, primal", 1.0),
        Bar("tube", "liblinear-train, tube", 1.0),
    ], settings=MEMORY),
    Section("linear machines against svm-train, 10,000 rows of 10 features", [
        Query("svm_classifier", fit("svm_classifier", "svm_few")),
        Query("svm-train", kernel("svm_few", 10, "")),
        Query("svm_regression", fit("svm_regression", "svm_few_numbers")),
        Query("svm-train, regression", kernel("svm_few_numbers", 10, "-s 3 -p 0.1")),
    ], [
        Bar("svm_classifier", "svm-train", 0.5),
        Bar("svm_regression", "svm-train, regression", 0.5),
    ], settings=MEMORY),
]
