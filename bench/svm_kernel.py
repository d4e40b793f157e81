"""Support vector machines with kernels beside LIBSVM in memory, through its own Python module."""
from measure import Bar, Query, Section

RBF = '"kernel": "rbf", "gamma": 0.1'


def fit(call, table):
    return f"SELECT pgfit.{call} IS NOT NULL FROM {table}"


def classifier(table, options):
    return fit(f"svm_classifier(y, x, '{{{options}}}'::jsonb)", table)


def train(table, features, options):
    """Fits a problem that is in LIBSVM's form already, as svm-train does after it has read its file."""
    return f"python {table} {features} PROBLEM = svm_problem(y.tolist(), X.tolist()) ;; svm_train(PROBLEM, '-q {options}')"


SETTINGS = ["pgfit.fit_mem = '512MB'"]

SECTIONS = [
    Section("rbf machine against svm-train, 20,000 rows of 10 features", [
        Query("svm_classifier", classifier("svm_10", RBF)),
        Query("svm_classifier, 120 MB", classifier("svm_10", RBF), ["pgfit.fit_mem = '120MB'"]),
        Query("svm-train", train("svm_10", 10, "-g 0.1 -m 512")),
    ], [Bar("svm_classifier", "svm-train", 0.8, aim=0.3), Bar("svm_classifier, 120 MB", "svm_classifier", None)], settings=SETTINGS),
    Section("rbf machine against svm-train, 1,797 digits", [
        Query("svm_classifier", classifier("svm_digits", '"kernel": "rbf", "gamma": 0.3, "C": 10')),
        Query("svm-train", train("svm_digits", 64, "-g 0.3 -c 10")),
    ], [Bar("svm_classifier", "svm-train", 0.8, aim=0.3)], settings=SETTINGS),
    Section("rbf regression against svm-train, 5,000 rows of 10 features", [
        Query("svm_regression", fit(f"svm_regression(y, x, '{{{RBF}}}'::jsonb)", "svm_numbers")),
        Query("svm-train", train("svm_numbers", 10, "-s 3 -p 0.1 -g 0.1 -m 512")),
        Query("svm_regression, nu", fit(f"svm_regression(y, x, '{{{RBF}, \"nu\": 0.5}}'::jsonb)", "svm_numbers")),
        Query("svm-train, nu", train("svm_numbers", 10, "-s 4 -n 0.5 -g 0.1 -m 512")),
    ], [Bar("svm_regression", "svm-train", 0.8, aim=0.3), Bar("svm_regression, nu", "svm-train, nu", 0.8)], settings=SETTINGS),
    Section("one class against svm-train, 20,000 rows of 10 features", [
        Query("one_class_svm", fit(f"one_class_svm(x, '{{{RBF}, \"nu\": 0.1}}'::jsonb)", "svm_10")),
        Query("svm-train", train("svm_10", 10, "-s 2 -n 0.1 -g 0.1 -m 512")),
    ], [Bar("one_class_svm", "svm-train", 0.8, aim=0.3)], settings=SETTINGS),
    Section("scores by 1,000 support vectors against svm-predict", [
        Query("decision", "SELECT count(pgfit.decision((SELECT m FROM svm_models), x)) FROM svm_10"),
        Query("svm-predict", "python svm_10 10 import svm; MODEL = svm_train(y[:2600].tolist(), X[:2600].tolist(), '-q -g 0.1 -c 100'); "
              "ROWS = [pair[0] for pair in map(svm.gen_svm_nodearray, X.tolist())] ;; list(map(svm.libsvm.svm_predict, [MODEL] * len(ROWS), ROWS))"),
    ], [Bar("decision", "svm-predict", 0.5)]),
]
