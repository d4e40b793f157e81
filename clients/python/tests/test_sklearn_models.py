"""Models of scikit-learn in the database: the same scores, or a refusal that says why."""

import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn import datasets, discriminant_analysis, ensemble, linear_model, naive_bayes, neighbors, svm, tree
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

import pgfit
from pgfit._sklearn import NotExactError, double_thresholds

RANDOM = np.random.RandomState(7)
X, Y = datasets.make_regression(150, 5, noise=3, random_state=1)
X3, LABELS = datasets.make_classification(180, 6, n_informative=4, n_redundant=0, n_classes=3, random_state=2)
NEW, NEW3 = RANDOM.normal(size=(200, 5)) * 2, RANDOM.normal(size=(200, 6)) * 2
HOLES = np.where(RANDOM.uniform(size=X3.shape) < 0.2, np.nan, X3)
NEW_HOLES = np.where(RANDOM.uniform(size=NEW3.shape) < 0.2, np.nan, NEW3)
TEXTS = np.array(["rot", "grün", "blau"])[LABELS]
KINDS = {"texts": TEXTS, "numbers": LABELS * 10 - 5, "two": LABELS == 1, "floats": (LABELS > 0).astype(float)}

REGRESSIONS = [
    linear_model.LinearRegression(), linear_model.LinearRegression(fit_intercept=False), linear_model.Ridge(2), linear_model.Lasso(0.5), linear_model.ElasticNet(0.3),
    svm.LinearSVR(max_iter=20000), svm.SVR(), svm.SVR(kernel="linear"), svm.SVR(kernel="poly", degree=2, coef0=1), svm.SVR(kernel="sigmoid", gamma=0.01),
    tree.DecisionTreeRegressor(random_state=0), tree.DecisionTreeRegressor(max_leaf_nodes=9, criterion="absolute_error"), tree.ExtraTreeRegressor(random_state=0),
    ensemble.RandomForestRegressor(13, random_state=0), ensemble.ExtraTreesRegressor(7, max_leaf_nodes=20, random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=20, random_state=0), ensemble.GradientBoostingRegressor(n_estimators=9, loss="huber", init="zero", subsample=0.7, random_state=0),
    ensemble.HistGradientBoostingRegressor(max_iter=20), ensemble.HistGradientBoostingRegressor(max_iter=5, loss="absolute_error", max_leaf_nodes=5),
    neighbors.KNeighborsRegressor(4), neighbors.KNeighborsRegressor(3, weights="distance", algorithm="kd_tree", p=1),
    make_pipeline(StandardScaler(), linear_model.Ridge()), make_pipeline(MinMaxScaler((-1, 2), clip=True), PCA(3, whiten=True, random_state=0), svm.SVR()),
    make_pipeline(StandardScaler(with_mean=False), "passthrough", ensemble.RandomForestRegressor(5, random_state=0)),
]
CLASSIFIERS = [
    linear_model.LogisticRegression(), linear_model.LogisticRegression(multi_class="ovr", C=0.1), linear_model.LogisticRegression(solver="liblinear", fit_intercept=False),
    svm.LinearSVC(max_iter=20000), svm.LinearSVC(multi_class="crammer_singer", max_iter=20000), svm.SVC(break_ties=True), svm.SVC(kernel="linear", break_ties=True),
    svm.SVC(kernel="poly", gamma=0.1, coef0=1, break_ties=True), svm.SVC(kernel="sigmoid", gamma=0.02, break_ties=True),
    tree.DecisionTreeClassifier(random_state=0), tree.DecisionTreeClassifier(max_depth=3, class_weight="balanced"), tree.ExtraTreeClassifier(max_leaf_nodes=10, random_state=0),
    ensemble.RandomForestClassifier(11, random_state=0), ensemble.RandomForestClassifier(7, max_depth=4, class_weight="balanced_subsample", random_state=0),
    ensemble.ExtraTreesClassifier(7, min_samples_leaf=3, random_state=0), ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0),
    ensemble.HistGradientBoostingClassifier(max_iter=10), naive_bayes.GaussianNB(), naive_bayes.GaussianNB(var_smoothing=0.1),
    discriminant_analysis.LinearDiscriminantAnalysis(), discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    discriminant_analysis.QuadraticDiscriminantAnalysis(), discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=0.1),
    neighbors.KNeighborsClassifier(4), neighbors.KNeighborsClassifier(5, weights="distance", algorithm="ball_tree"),
    make_pipeline(StandardScaler(), linear_model.LogisticRegression()), make_pipeline(PCA(3), discriminant_analysis.QuadraticDiscriminantAnalysis()),
]


def close(ours, theirs):
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12 * max(1, np.nanmax(np.abs(theirs))))


@pytest.mark.parametrize("model", REGRESSIONS, ids=repr)
def test_regressions(db, model):
    model.fit(X, Y)
    ours = db.put(model)
    close(ours.predict(NEW), model.predict(NEW))
    assert ours.summary() and ours.info()


@pytest.mark.parametrize("model, kind", [(model, kind) for i, model in enumerate(CLASSIFIERS) for kind in ("texts", "two", "numbers", "floats")[:4 if i % 9 == 0 else 2]], ids=repr)
def test_classifiers(db, model, kind):
    if "crammer" in str(model) and kind == "two":
        pytest.xfail("liblinear itself does not separate these")
    model.fit(X3, KINDS[kind])
    ours = db.put(model)
    assert list(ours.classes_) == list(model.classes_) and ours.summary()
    if hasattr(model, "predict_proba"):
        close(ours.predict_proba(NEW3), model.predict_proba(NEW3))
    if hasattr(model, "decision_function") and hasattr(ours, "decision_function"):
        shift = 0 if "Quadratic" not in str(model) or kind in ("two", "floats") else 0.5 * np.log(2 * np.pi) * ours._last["implementation"]["arrays"]["means"]["shape"][1]
        close(ours.decision_function(NEW3) + shift, model.decision_function(NEW3))
    assert (ours.predict(NEW3) == model.predict(NEW3)).all()


@pytest.mark.parametrize("model", [StandardScaler(), StandardScaler(with_std=False), MinMaxScaler(), MinMaxScaler((2, 5), clip=True), PCA(), PCA(2, whiten=True),
                                   make_pipeline(StandardScaler(), PCA(2))], ids=repr)
def test_transformers(db, model):
    model.fit(X)
    close(db.put(model).transform(NEW), model.transform(NEW))


def test_clusters(db):
    model = KMeans(4, n_init=2, random_state=0).fit(X)
    ours = db.put(model)
    assert (ours.predict(NEW) == model.predict(NEW)).all() and np.allclose(ours.cluster_centers_, model.cluster_centers_, rtol=0, atol=0)
    close(ours.distance(NEW), model.transform(NEW).min(axis=1))


def test_missing_values(db):
    model = ensemble.HistGradientBoostingClassifier(max_iter=15, max_leaf_nodes=8).fit(HOLES, TEXTS)
    ours = db.put(model).set_params(nulls="branch")
    close(ours.predict_proba(NEW_HOLES), model.predict_proba(NEW_HOLES))
    assert (ours.predict(NEW_HOLES) == model.predict(NEW_HOLES)).all()
    model = tree.DecisionTreeRegressor().fit(X, Y)
    assert np.isnan(db.put(model).set_params(nulls="impute").predict(np.full((1, 5), np.nan))).all()  # scikit-learn refuses the row
    with pytest.raises(NotExactError, match="takes missing values"):
        db.put(make_pipeline(StandardScaler(), ensemble.HistGradientBoostingRegressor(max_iter=2)).fit(X, Y))


def test_thresholds_beside_floats(db):
    """Rows between two floats take the side that they take where scikit-learn rounds them."""
    model = tree.DecisionTreeRegressor().fit([[0.1], [np.nextafter(np.float32(0.1), np.float32(1))], [16777217], [-3e-40], [-1e30]], [1, 2, 3, 4, 5])
    grid = np.concatenate([[t, np.nextafter(t, -np.inf), np.nextafter(t, np.inf), np.float32(t), np.nextafter(np.float32(t), np.float32(9e9)), t * (1 + 3e-8), t * (1 - 3e-8)]
                           for t in model.tree_.threshold if t != -2] + [RANDOM.normal(size=100) / 5]).astype(float)
    near = double_thresholds(model.tree_.threshold)
    grid = np.concatenate([grid, near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf)]).reshape(-1, 1)
    assert (db.put(model).predict(grid) == model.predict(grid)).all()
    for value in (0.1, -0.1, 1 + 2.0**-24, 1 + 2.0**-25, -1 - 2.0**-24, 0.0, 1e-46, 3.5e38):
        below = double_thresholds([value])[0]
        assert np.float32(below) <= value and (np.isinf(below) or np.float32(np.nextafter(below, np.inf)) > value)


def test_names_and_the_registry(db):
    frame = pd.DataFrame(X, columns=["a", "b c", 'd"e', "ü", "f"])
    model = linear_model.LinearRegression().fit(frame, Y)
    assert isinstance(db.put(model, "adopted"), pgfit.LinearRegression)
    close(db.get("adopted").predict(frame[["f", "a", "b c", 'd"e', "ü"]]), model.predict(frame))
    assert db.put(make_pipeline(StandardScaler(), linear_model.Ridge()).fit(X, Y), name="adopted", features=["a", "b", "c", "d", "e"])
    assert [(row.version, row.active, row.estimator) for row in db.history("adopted")] == [(1, False, "linear_regression"), (2, True, "pipeline")]
    assert np.isfinite(db.query("SELECT pgfit.predict('adopted', r) FROM (SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, 5 AS e) AS r")[0][0])
    assert db.put(pgfit.RidgeRegression(db).fit("diamonds", "price ~ carat"), "adopted").info()["rows"] == len(db.query("SELECT FROM diamonds"))
    assert db.rollback("adopted") == 2
    db.drop("adopted")
    with pytest.raises(ValueError, match="has 2 names"):
        db.put(model, features=["a", "b"])


@pytest.mark.parametrize("model, why", [
    (linear_model.LinearRegression().fit(X, np.c_[Y, Y]), "2 targets"),
    (tree.DecisionTreeRegressor().fit(X, np.c_[Y, Y]), "2 targets"),
    (neighbors.KNeighborsRegressor().fit(X, np.c_[Y, Y]), "2 targets"),
    (neighbors.KNeighborsRegressor(metric="chebyshev").fit(X, Y), "metric"),
    (neighbors.KNeighborsRegressor(weights="distance", algorithm="brute").fit(X, Y), "brute force"),
    (svm.SVC().fit(X3, LABELS), "break_ties"),
    (svm.SVC(probability=True).fit(X3, LABELS > 0), "probability=False"),
    (svm.SVR(kernel=lambda a, b: a @ b.T).fit(X, Y), "kernel of its own"),
    (ensemble.GradientBoostingClassifier(loss="exponential", n_estimators=2).fit(X3, LABELS > 0), "exponential"),
    (ensemble.GradientBoostingRegressor(init=linear_model.LinearRegression(), n_estimators=2).fit(X, Y), "begins with another"),
    (ensemble.HistGradientBoostingRegressor(categorical_features=[0], max_iter=3, min_samples_leaf=2).fit(np.c_[np.arange(150) % 5, X], np.arange(150) % 5 % 2), "categorical"),
    (linear_model.LogisticRegression(multi_class="multinomial").fit(X3, LABELS > 0), "twice"),
    (make_pipeline(MaxAbsScaler(), linear_model.Ridge()).fit(X, Y), "MaxAbsScaler"),
    (linear_model.HuberRegressor(max_iter=1000).fit(X, Y), "HuberRegressor has no equal"),
    (type("Own", (linear_model.Ridge,), {})().fit(X, Y), "Own has no equal"),
    (linear_model.Ridge(), "not fitted"),
    (linear_model.LogisticRegression().fit(X3, LABELS.astype("datetime64[D]")), "labels of type date"),
    (discriminant_analysis.QuadraticDiscriminantAnalysis().fit(np.c_[X3, X3[:, 0]], LABELS), "singular"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_refusals(db, model, why):
    with pytest.raises((TypeError, ValueError), match=why):
        db.put(model)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_svc_where_the_score_is_zero(db, kernel):
    model = svm.SVC(kernel=kernel, gamma=1).fit([[-1.0], [1.0]], ["a", "b"])
    rows = np.array([[-2.0], [0.0], [2.0]])
    assert model.decision_function(rows)[1] == 0 and (db.put(model).predict(rows) == model.predict(rows)).all()


def test_boosters_of_xgboost(db):
    model = xgboost.XGBClassifier(n_estimators=5).fit(X3, LABELS)
    ours = db.put(model)
    assert (ours.decision_function(NEW3) == model.predict(NEW3, output_margin=True)).all() and (ours.predict(NEW3) == model.predict(NEW3)).all()
    booster = model.get_booster()
    booster.feature_names = list("abcdef")
    assert set(db.put(booster).info()["features"][0].values()) & {"a"}
