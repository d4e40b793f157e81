"""Support vector machines with kernels beside LIBSVM's svm-train and svm-predict, which read their rows from a file."""
from measure import Bar, Query, Section

RBF = '"kernel": "rbf", "gamma": 0.1'


def fit(call, table):
    return f"SELECT pgfit.{call} IS NOT NULL FROM {table}"


def classifier(table, options):
    return fit(f"svm_classifier(y, x, '{{{options}}}'::jsonb)", table)


SETTINGS = ["pgfit.fit_mem = '512MB'"]

SECTIONS = [
    Section("rbf machine against svm-train, 20,000 rows of 10 features", [
        Query("svm_classifier", classifier("svm_10", RBF)),
        Query("svm_classifier, 120 MB", classifier("svm_10", RBF), ["pgfit.fit_mem = '120MB'"]),
        Query("svm-train", "peer program svm_10 10 svm-train -q -g 0.1 -m 512 {data} {dir}/model_10"),
    ], [Bar("svm_classifier", "svm-train", 0.8), Bar("svm_classifier, 120 MB", "svm_classifier", None)],
        repeats=3, settings=SETTINGS, peers=True),
    Section("rbf machine against svm-train, 1,797 digits", [
        Query("svm_classifier", classifier("svm_digits", '"kernel": "rbf", "gamma": 0.3, "C": 10')),
        Query("svm-train", "peer program svm_digits 64 svm-train -q -g 0.3 -c 10 {data} {dir}/model_digits"),
    ], [Bar("svm_classifier", "svm-train", 0.8)], repeats=5, settings=SETTINGS, peers=True),
    Section("rbf regression against svm-train, 5,000 rows of 10 features", [
        Query("svm_regression", fit(f"svm_regression(y, x, '{{{RBF}}}'::jsonb)", "svm_numbers")),
        Query("svm-train", "peer program svm_numbers 10 svm-train -q -s 3 -p 0.1 -g 0.1 -m 512 {data} {dir}/model_numbers"),
        Query("svm_regression, nu", fit(f"svm_regression(y, x, '{{{RBF}, \"nu\": 0.5}}'::jsonb)", "svm_numbers")),
        Query("svm-train, nu", "peer program svm_numbers 10 svm-train -q -s 4 -n 0.5 -g 0.1 -m 512 {data} {dir}/model_numbers"),
    ], [Bar("svm_regression", "svm-train", 0.8), Bar("svm_regression, nu", "svm-train, nu", 0.8)],
        repeats=3, settings=SETTINGS, peers=True),
    Section("one class against svm-train, 20,000 rows of 10 features", [
        Query("one_class_svm", fit(f"one_class_svm(x, '{{{RBF}, \"nu\": 0.1}}'::jsonb)", "svm_10")),
        Query("svm-train", "peer program svm_10 10 svm-train -q -s 2 -n 0.1 -g 0.1 -m 512 {data} {dir}/model_one"),
    ], [Bar("one_class_svm", "svm-train", 0.8)], repeats=3, settings=SETTINGS, peers=True),
    Section("scores by 1,000 support vectors against svm-predict", [
        Query("svm-train", "peer program svm_train 10 svm-train -q -g 0.1 -c 100 {data} {dir}/model_train"),
        Query("decision", "SELECT count(pgfit.decision((SELECT m FROM svm_models), x)) FROM svm_10"),
        Query("svm-predict", "peer program svm_10 10 svm-predict -q {data} {dir}/model_train {dir}/out"),
    ], [Bar("decision", "svm-predict", 0.5)], repeats=3, peers=True),
]
