"""Fits, scores and attributes, compared with scikit-learn and with SQL."""

import copy
import datetime
import decimal
import inspect
import pickle

import numpy as np
import pandas as pd
import psycopg
import pytest
from sklearn import cluster, covariance, decomposition, discriminant_analysis, linear_model, naive_bayes, neighbors, svm
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import pgfit


def test_table_and_formula(db):
    model = pgfit.LinearRegression(db).fit("diamonds", "price ~ carat + depth")
    other = linear_model.LinearRegression()
    rows = db.query("SELECT carat, depth, price FROM diamonds").frame()
    other.fit(rows[["carat", "depth"]], rows["price"])
    assert np.allclose(model.coef_, other.coef_) and np.isclose(model.intercept_, other.intercept_)
    assert np.isclose(model.score("diamonds"), other.score(rows[["carat", "depth"]], rows["price"]))
    query = "SELECT * FROM diamonds WHERE id <= 5 ORDER BY id"
    assert np.allclose(model.predict(query), other.predict(db.query(query).frame()[["carat", "depth"]]))
    assert [row.term for row in model.coefficients()] == ["(intercept)", "carat", "depth"]
    assert model.summary().startswith("linear_regression: price ~ carat + depth")
    assert model.info()["rows"] == len(rows)
    assert np.allclose(db.query(f"SELECT {model.sql} FROM diamonds WHERE id = 1")[0][0], model.predict(query)[0])


def test_pictures(db):
    model = pgfit.LinearRegression(db).fit("diamonds", "price ~ carat + depth")
    picture = model.plot()
    assert isinstance(picture, pgfit.Picture) and picture._repr_mimebundle_() == {"image/svg+xml": picture}
    assert "<svg" in picture and "carat" in picture
    (kind, specification), = model.plot("coefficients", as_="vega", title="Prices")._repr_mimebundle_().items()
    assert "vegalite" in kind and "Prices" in str(specification["title"])
    assert "carat" in model.plot(as_="text")._repr_mimebundle_()["text/plain"]
    for title in ("<svg onload=alert(1)>", "{carat}"):  # was shown as a picture, or failed as JSON
        assert model.plot(as_="text", title=title)._repr_mimebundle_().keys() == {"text/plain"}
    with pytest.raises(psycopg.Error, match="dendrogram"):
        model.plot("dendrogram")


def test_query_with_options_of_fit(db):
    weighted = pgfit.LinearRegression(db).fit("SELECT price, carat, depth FROM diamonds WHERE id < 500 -- a comment", "price ~ carat", "depth")
    assert weighted.info()["weighted"]
    passes = pgfit.LogisticRegression(db, lambda_=1).fit("titanic", "alive ~ sex + fare", passes=True)
    assert passes.classes_.tolist() == ["no", "yes"]
    piped = pgfit.LogisticRegression(db).fit("titanic", "alive ~ age + fare", prepare=["standard_scaler"])
    assert piped.info()["estimator"] == "pipeline" and piped.classes_.tolist() == ["no", "yes"]
    assert 0.5 < piped.score("titanic", "alive") < 1
    with pytest.raises(ValueError, match="name of the target"):
        piped.score("titanic")


def test_arrays_regression(db, numbers):
    X, y, _ = numbers
    model, other = pgfit.LinearRegression(db).fit(X, y), linear_model.LinearRegression().fit(X, y)
    assert np.allclose(model.coef_, other.coef_) and np.isclose(model.intercept_, other.intercept_)
    assert np.allclose(model.predict(X.tolist()), other.predict(X)) and np.isclose(model.score(X, y), other.score(X, y))
    weights = np.arange(1.0, 41)
    model, other = model.fit(X, y, weights), other.fit(X, y, weights)
    assert np.allclose(model.coef_, other.coef_) and np.isclose(model.score(X, y, weights), other.score(X, y, weights))
    assert model.n_features_in_ == 3 and not hasattr(model, "feature_names_in_")
    with pytest.raises(ValueError, match="X has 2 features, but LinearRegression is expecting 3 features"):
        model.predict(X[:, :2])


@pytest.mark.parametrize("labels", [[0, 1, 2], ["a", "b", "c"], [2.0, 3.0, 5.0], [False, True, True]])
def test_arrays_classification(db, numbers, labels):
    X, _, classes = numbers
    y = np.array(labels)[classes]
    model, other = pgfit.LogisticRegression(db, lambda_=1).fit(X, y), linear_model.LogisticRegression(tol=1e-10, max_iter=500).fit(X, y)
    assert (model.classes_ == other.classes_).all() and model.classes_.dtype.kind == other.classes_.dtype.kind
    assert (model.predict(X) == other.predict(X)).all() and np.isclose(model.score(X, y), other.score(X, y))
    assert model.predict_proba(X).shape == (40, len(other.classes_)) and np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.decision_function(X).shape == other.decision_function(X).shape and model.coef_.ndim == 2
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        model.fit(X, X[:, 0])


def test_a_frame_keeps_names_categories_and_missing_values(db):
    rows = db.query("SELECT sex, age, fare, alone, class, alive FROM titanic").frame()
    X, y = rows.drop(columns="alive"), rows["alive"]
    model = pgfit.LogisticRegression(db, nulls="impute").fit(X, y)
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert "sex=male" in [row.term for row in model.coefficients()] and model.info()["target"] == "alive"
    same = pgfit.LogisticRegression(db, nulls="impute").fit("titanic", "alive ~ sex + age + fare + alone + class")
    assert np.isclose(model.score(X, y), model.score("titanic")) and np.isclose(model.score("titanic"), same.score("titanic"))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        pgfit.LogisticRegression(db).fit(X, y)
    assert (same.predict(rows) == model.predict(X)).all()  # by name, from a frame with other columns in between
    with pytest.warns(UserWarning, match="by position"):
        assert np.isclose(pgfit.LinearRegression(db).fit("titanic", "fare ~ age").predict([[30.0]]),
                          pgfit.LinearRegression(db).fit("titanic", "fare ~ age").predict("SELECT 30.0 AS age"))
    with pytest.raises(pgfit.DataError, match="fare"):
        same.predict(rows.drop(columns="fare"))
    log = pgfit.LinearRegression(db, formula="log(age)").fit(X[["age", "sex"]].dropna(), X["fare"][X["age"].notna()])
    assert [row.term for row in log.coefficients()] == ["(intercept)", "log(age)"]


def test_types_of_frame_columns(db):
    X = pd.DataFrame({"day": pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-05"]), "kind": pd.Categorical(list("abab")),
                      "flag": [True, False, True, True], "count": pd.array([1, 2, 3, 5], dtype="Int64"), "tab": ["a\tb", "\\N", "", "c\nd"]})
    model = pgfit.TreeRegression(db).fit(X, [1.0, 2, 3, 4])
    kinds = {feature["name"]: feature["kind"] for feature in model.info()["features"]}
    assert kinds["kind"] == kinds["tab"] == "categorical" and kinds["count"] == "numeric" and kinds["day"] not in ("numeric", "categorical")
    assert sorted(next(f for f in model.info()["features"] if f["name"] == "tab")["levels"]) == sorted(X["tab"])
    with pytest.raises(ValueError, match="different names"):
        model.fit(pd.concat([X, X], axis=1), [1, 2, 3, 4])


def test_clusters_count_from_0_and_noise_is_minus_1(db):
    X = np.array([[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9], [50, 50]])
    dbscan = pgfit.Dbscan(db, radius=2, min_samples=2).fit(X)
    assert dbscan.labels_[6] == -1 and sorted(set(dbscan.labels_)) == [-1, 0, 1] and (dbscan.labels_[:3] == dbscan.labels_[0]).all()
    kmeans = pgfit.Kmeans(db, k=3)
    assert (kmeans.fit_predict(X) == kmeans.predict(X)).all() and kmeans.cluster_centers_.shape == (3, 2)
    assert (kmeans.distance(X) < 2).all() and kmeans.n_iter_ >= 1
    tree = pgfit.Hierarchical(db).fit(X)
    assert len({row.cluster for row in tree.table("cut", 3)}) == 3 and not hasattr(tree, "labels_")


def test_transformers(db, numbers):
    X, y, _ = numbers
    scaler = pgfit.StandardScaler(db)
    scaled = scaler.fit_transform(X)
    assert np.allclose(scaled, (X - X.mean(axis=0)) / X.std(axis=0)) and np.allclose(scaler.inverse_transform(scaled), X)
    pca = pgfit.Pca(db, k=2).fit(X)
    assert pca.transform(X).shape == (40, 2) and pca.components_.shape == (2, 3) and np.allclose(pca.mean_, X.mean(axis=0))
    assert np.allclose(pca.explained_variance_ratio_, np.linalg.svd(X - X.mean(axis=0))[1][:2] ** 2 / ((X - X.mean(axis=0)) ** 2).sum())
    assert pgfit.MultivariateRegression(db).fit(X, np.c_[y, -y]).predict(X).shape == (40, 2)


def test_names_of_outputs(db):
    frame = pd.DataFrame({"size": list("sml") * 4, "price": np.arange(12.0)})
    columns = ColumnTransformer([("kinds", pgfit.OneHot(db), ["size"]), ("numbers", pgfit.StandardScaler(db), ["price"])]).fit(frame)
    assert list(columns.get_feature_names_out()) == ["kinds__size=l", "kinds__size=m", "kinds__size=s", "numbers__price"]


def test_outliers_are_minus_1(db, numbers):
    X = np.r_[numbers[0], [[30, 30, 30]]]
    for model in (pgfit.IsolationForest(db), pgfit.LocalOutlierFactor(db), pgfit.OneClassSvm(db, nu=0.05, gamma=0.1)):
        side = model.fit(numbers[0]).predict(X)
        assert side[-1] == -1 and side[:-1].mean() > 0 and ((model.decision_function(X) < 0) == (side < 0)).all()
        assert model.score_samples(X).argmin() == 40
    assert set(pgfit.IsolationForest(db).fit_predict(X)) == {-1, 1}


def test_attributes_are_those_of_scikit_learn(db, numbers):
    X, y, classes = numbers
    X = X + classes[:, None]
    for model, other, names in (
        (pgfit.Pca(db, k=2), decomposition.PCA(2), ("components_", "mean_")),
        (pgfit.NaiveBayes(db), naive_bayes.GaussianNB(), ("theta_", "var_", "class_prior_")),
        (pgfit.Lda(db), discriminant_analysis.LinearDiscriminantAnalysis(store_covariance=True), ("means_", "priors_", "covariance_")),
        (pgfit.Qda(db), discriminant_analysis.QuadraticDiscriminantAnalysis(), ("means_", "priors_")),
        (pgfit.NearestCentroid(db), neighbors.NearestCentroid(), ("centroids_",)),
        (pgfit.MultivariateNormal(db), covariance.EmpiricalCovariance(), ("location_", "covariance_")),
        (pgfit.LogisticRegression(db), linear_model.LogisticRegression(penalty=None, tol=1e-12, max_iter=9999), ("classes_",)),
        (pgfit.SvmClassifier(db), svm.LinearSVC(), ("classes_",)),
    ):
        model.fit(X, classes), other.fit(X, classes)
        for name in names:
            assert np.allclose(np.abs(getattr(model, name)), np.abs(getattr(other, name)), atol=1e-6), (model, name)
    mixture = pgfit.GaussianMixture(db, k=2).fit(X)
    assert np.isclose(mixture.weights_.sum(), 1) and np.allclose(mixture.weights_ @ mixture.means_, X.mean(axis=0), atol=1e-3)
    assert np.isclose(pgfit.Kmeans(db, k=2).fit(X).inertia_, cluster.KMeans(2, n_init=9).fit(X).inertia_)
    forest = pgfit.ForestRegression(db, n_trees=20).fit(numbers[0], y)
    assert forest.feature_importances_.argmax() == 1 and np.isclose(forest.feature_importances_.sum(), 1)
    assert not hasattr(forest, "coef_") and not hasattr(pgfit.ForestRegression(db), "feature_importances_") and not hasattr(mixture, "components_")


def test_explain(db, numbers):
    X, y, _ = numbers
    model = pgfit.LinearRegression(db).fit(X, y)
    parts = model.explain(X).frame()
    assert np.allclose(parts.groupby("row")["contribution"].sum(), model.predict(X))
    frame = pd.DataFrame(X, columns=list("abc"))
    assert {row.term for row in pgfit.LinearRegression(db).fit(frame, y).explain(frame)} == {"(base)", "a", "b", "c"}


def test_parameters():
    model = pgfit.RidgeRegression(lambda_=2, intercept=False)
    assert repr(model) == "RidgeRegression(intercept=False, lambda_=2)" and clone(model).get_params() == model.get_params()
    assert model.set_params(lambda_=3)._options() == {"intercept": False, "lambda": 3}
    assert inspect.signature(pgfit.Kmeans).parameters["max_iter"].default == 300 and "centroids" in pgfit.Kmeans.__doc__
    with pytest.raises(ValueError, match="Invalid parameter 'lamda'"):
        model.set_params(lamda=1)
    with pytest.raises(TypeError, match="lamda"):
        pgfit.RidgeRegression(lamda=1)
    with pytest.raises(ValueError, match="not fitted yet"):
        model.predict([[1]])


def test_values_of_numpy_and_models_as_options(db, numbers):
    X, _, _ = numbers
    model = pgfit.Kmeans(db, k=np.int64(2), init=X[:2]).fit(X)
    assert model.info()["options"]["k"] == 2
    classifier = pgfit.LogisticRegression(db, lambda_=1).fit(X, numbers[2])
    assert np.allclose(pgfit.LogisticRegression(db, lambda_=1, start=classifier).fit(X, numbers[2]).coef_, classifier.coef_, atol=1e-5)


def test_a_pickle_holds_the_model_and_no_connection(db, numbers):
    X, y, _ = numbers
    model = pgfit.LinearRegression(db).fit(X, y)
    copied = pickle.loads(pickle.dumps(model))
    assert copied.connection is None and np.array_equal(copied.predict(X), model.predict(X))
    assert copy.deepcopy(model).connection is db is copy.copy(model).connection is clone(model).connection
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(db)


def test_in_tools_of_scikit_learn(db, numbers):
    X, y, _ = numbers
    search = GridSearchCV(pgfit.RidgeRegression(db), {"lambda_": [0.01, 1e5]}, cv=3).fit(X, y)
    assert search.best_params_ == {"lambda_": 0.01}
    assert make_pipeline(pgfit.StandardScaler(db), pgfit.LinearRegression(db)).fit(X, y).score(X, y) > 0.9


def test_errors_and_warnings_of_the_server(db, numbers):
    X, y, classes = numbers
    with pytest.raises(ValueError, match=r"(?s)max_iter.*n_samples = 40, n_features = 3") as caught:
        pgfit.LogisticRegression(db, max_iter=-1).fit(X, classes)
    assert isinstance(caught.value, pgfit.DataError) and caught.value.sqlstate == "22023" and caught.value.diag.message_hint
    with pytest.warns(pgfit.FitWarning, match="converge"):
        pgfit.LogisticRegression(db, max_iter=1).fit(X, classes)
    model = pgfit.LinearRegression(db).fit(X, y)
    with pytest.raises(pgfit.DataError):
        model.fit(X, y, weight_kind="?")
    assert not hasattr(model, "model_")  # a failed fit leaves no model of earlier rows
    for wrong, message in ((np.full((4, 2), np.inf), "infinity"), (np.full((4, 2), np.nan), "NaN"), (np.zeros(4), "Reshape your data")):
        with pytest.raises(ValueError, match=message):
            model.fit(wrong, [1, 2, 3, 4])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])


def test_nan_where_nulls_have_a_use(db, numbers):
    X, y, _ = numbers
    X[::4, 0] = np.nan
    trees = pgfit.BoostedTreesRegression(db).fit(X, y)
    assert np.isfinite(trees.predict(X)).all() and trees._more_tags()["allow_nan"]
    with pytest.raises(ValueError, match="NaN"):
        pgfit.LinearRegression(db).fit(X, y)
    assert pgfit.LinearRegression(db, nulls="impute").fit(X, y).info()["skipped"] == 0


@pytest.mark.parametrize("more", [{"y": [1.0, 2.0]}, {"sample_weight": [1.0, 2.0]}])
def test_a_score_of_fewer_targets_or_weights_than_rows_is_refused(db, numbers, more):
    X, y, _ = numbers
    model = pgfit.LinearRegression(db).fit(X, y)
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[40, 2\]"):
        model.score(X, **{"y": y, **more})


def test_features_called_as_columns_of_scores(db, numbers):
    import pandas as pd

    X, y, _ = numbers
    frame = pd.DataFrame(X, columns=["pgfit_y", "pgfit_w", "n"])
    model = pgfit.LinearRegression(db).fit(frame, y)
    assert model.score(frame, y, sample_weight=abs(y)) == pytest.approx(pgfit.LinearRegression(db).fit(X, y).score(X, y, sample_weight=abs(y)))


def test_columns_of_objects(db):
    """Dates, times and spans of Python are those of the database, of any dtype; a mixture, and categories of numbers, are refused by name."""
    days = [datetime.date(2025, 1, 1) + datetime.timedelta(days=i) for i in range(12)]
    times = [datetime.datetime(2025, 1, 1, i, tzinfo=datetime.timezone.utc) for i in range(12)]
    frame = pd.DataFrame({"day": days, "at": times, "naive": [time.replace(tzinfo=None) for time in times], "span": [time - times[0] for time in times],
                          "wide": pd.Series([decimal.Decimal(i) for i in range(12)]), "clock": [time.time() for time in times]}).astype(object)
    for name, kind, step in (("day", "date", 1), ("at", "timestamp with time zone", 3600), ("naive", "timestamp", 3600), ("span", "interval", 3600), ("wide", "numeric", 1), ("clock", "time", 3600)):
        model = pgfit.LinearRegression(db).fit(frame[[name]], np.arange(12))
        feature, = model.info()["features"]
        assert np.isclose(model.coef_[0] * step, 1) and np.allclose(model.predict(frame[[name]]), np.arange(12), atol=1e-6), (name, feature, kind)
    frame["mixed"] = pd.Series([*days[:6], *times[6:]], dtype=object)
    frame["odd"] = [object()] * 12
    for name in ("mixed", "odd"):
        with pytest.raises(TypeError, match=f"Column '{name}' has values"):
            pgfit.LinearRegression(db).fit(frame[[name]], np.arange(12))
    frame["zip"] = pd.Categorical([1, 2] * 6)
    with pytest.raises(TypeError, match="Column 'zip' has categories of type int64"):
        pgfit.LinearRegression(db).fit(frame[["zip"]], np.arange(12))
    assert len(pgfit.LinearRegression(db).fit(frame[["zip"]].astype(str), np.arange(12) % 2).coefficients()) == 2


def test_a_database_in_latin1(db, numbers):
    X, y, classes = numbers
    name = db.query("SELECT current_database()")[0][0] + "_latin1"
    db.connection.execute(f"CREATE DATABASE {name} ENCODING LATIN1 TEMPLATE template0 LOCALE 'C'")
    try:
        with pgfit.connect(dbname=name) as client:
            client.connection.execute("CREATE EXTENSION pgfit")
            frame = pd.DataFrame(X, columns=["länge", "é" * 40, "b"])
            labels = np.array(["süß", "não", "x"])[classes]
            model = pgfit.LogisticRegression(client, lambda_=1).fit(frame, pd.Series(labels, name="größe"))
            assert set(model.classes_) == set(labels) and set(model.predict(frame)) <= set(labels) and model.score(frame, labels) > 0.3
            with pytest.raises(ValueError, match="at most 63 bytes in PostgreSQL, and this has 64"):
                pgfit.LinearRegression(client).fit(frame.rename(columns={"b": "é" * 64}), y)
            with pytest.raises(ValueError, match="LATIN1"):
                pgfit.LogisticRegression(client, lambda_=1).fit(frame.assign(text="長さ"), labels)
    finally:
        db.connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
