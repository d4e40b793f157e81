"""The estimators of pgfit; written by make_estimators, so change that instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg

from ._base import Classifier, Clusterer, Decisions, Densities, Distances, Estimator, Inverse, Outliers, Probabilities, Target, Targets, Transformer, Unweighted
from ._client import Client

__all__ = [
    "BayesianRegression", "BoostedTreesClassifier", "BoostedTreesRegression", "Centroid", "CoxRegression", "Dbscan",
    "DistanceHistogram", "ElasticNet", "ExtraTreesClassifier", "ExtraTreesRegression", "ForestClassifier",
    "ForestRegression", "GammaRegression", "GaussianMixture", "GeometricMedian", "Glm", "Hdbscan", "Hierarchical",
    "HuberRegression", "IsolationForest", "IsotonicCalibration", "IsotonicRegression", "KernelKmeans", "KernelPca",
    "KernelRidge", "Kmeans", "Kmedoids", "KnnClassifier", "KnnRegression", "LassoRegression", "Lda",
    "LeastSquaresClassifier", "LinearRegression", "LocalOutlierFactor", "LogisticCalibration", "LogisticRegression",
    "Mds", "MeanShift", "Medoid", "MinmaxScaler", "MixedRegression", "MmRegression", "MultipleQuantileRegression",
    "MultivariateNormal", "MultivariateRegression", "NaiveBayes", "NearestCentroid", "NearestExemplar",
    "NegativeBinomialRegression", "Neighbors", "OneClassSvm", "OneHot", "Optics", "OrdinalRegression", "Pca",
    "Perceptron", "PerceptronRegression", "PlattCalibration", "PoissonRegression", "PolynomialFeatures", "Qda",
    "QuantileBins", "QuantileRegression", "RidgeRegression", "RobustScaler", "StandardScaler", "SvmClassifier",
    "SvmRegression", "TargetEncoder", "TheilSen", "TotalLeastSquares", "TreeClassifier", "TreeRegression",
    "TweedieRegression",
]


class BayesianRegression(Target):
    """Linear regression with a normal prior on the coefficients: their posterior distribution, and that of predictions.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    level: Probability between the limits in coefficients() and predict_interval(). Range: 0 < x < 1.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    noise_rate: With prior_precision: the rate of the prior gamma distribution of 1 / variance of the noise; 0: improper. Range: x >= 0.
    noise_shape: With prior_precision: the shape of that distribution; 0: improper. Range: x >= 0.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    prior_precision: The prior variance of each coefficient is the variance of the noise divided by this number, which is the lambda of
        ridge_regression. Range: x > 0. Default: chosen by the evidence.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    standardize: Whether the prior is that of the coefficients of standardized features, divided by their standard deviation (divisor n).
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'bayesian_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        level: float | None = 0.95,
        max_levels: int | None = 1000,
        missing: str | None = None,
        noise_rate: float | None = 0,
        noise_shape: float | None = 0,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        prior_precision: float | None = None,
        reference: Mapping[str, Any] | None = None,
        standardize: bool | None = False,
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class BoostedTreesClassifier(Classifier, Probabilities, Decisions):
    """Predicts classes and their probabilities by sums of trees, each grown to the errors of those before it (histogram gradient boosting).

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    category_smoothing: Added to the hessian of a level where the levels of a category are ordered for a split, so that rare levels are in the middle.
        Range: x >= 0.
    class_weight: Factors for the weights of the rows of each class: such that all classes have the same total (balanced), or {"label": factor}, 1 for
        classes not named; 0 leaves the rows of a class out. Range: x >= 0; or "none", "balanced".
    early_stopping: Stop after this many iterations without a lower loss on held-out rows, and keep the trees up to the best one. Range: 1 <= x <=
        1000000000. Default: no early stop.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    growth: With max_leaf_nodes: which node is split next, the one that gains most (leaf) or the one nearest to the root (depth). Range: "leaf",
        "depth".
    holdout: With early_stopping: the share of the rows that are held out, by a hash of what they hold. Range: 0 < x < 1.
    lambda_: Penalty on the squared values of the leaves. Range: x >= 0.
    learning_rate: Factor of what each tree adds (shrinkage). Range: 0 < x <= 1.
    max_depth: The most splits between the root and a leaf. Range: 0 <= x <= 1000000. Default: no limit.
    max_features: How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of the features, or all. Range:
        0 < x <= 1000000; or "all", "sqrt", "log2". Default: all.
    max_leaf_nodes: The most leaves of a tree. Range: 2 <= x <= 1000000. Default: 31, or as many as max_depth allows.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    max_samples: The share of the rows that each iteration grows its trees from, drawn without replacement. Range: 0 < x <= 1.
    min_child_weight: The least sum of hessians of a leaf; under squared loss, its least weight. Range: x >= 0.
    min_impurity_decrease: A split must lower the mean loss by at least this much, to second order and before learning_rate. Range: x >= 0.
    min_samples_leaf: The fewest rows of a leaf. Range: 1 <= x <= 1000000000.
    min_samples_split: The fewest rows of a node that is split. Range: 2 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    monotone: Constrains the prediction, or the probability of the last of two classes: {"feature": 1} never to fall as the feature grows, -1 never to
        rise, 0 neither. Range: -1 <= x <= 1. Default: no constraint.
    n_trees: Iterations: trees, or with several classes one tree per class each; those of start count too. Range: 1 <= x <= 100000.
    nulls: What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error. Range: "branch", "skip",
        "error".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    start: Continue from this model of the same method, features and options (model::jsonb) with more trees. Default: a new model.
    threshold: For two classes: the positive class is predicted if its probability is above this. Range: 0 < x < 1.
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    tolerance: With early_stopping: the loss must fall by more than this to count as lower. Range: x >= 0.
    unseen: A level that did not occur in training goes where a NULL goes when scoring, or is an error. Range: "missing", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'boosted_trees_classifier'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'decisions', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        category_smoothing: float | None = 1,
        class_weight: str | Mapping[str, Any] | None = 'none',
        early_stopping: int | None = None,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        growth: str | None = 'leaf',
        holdout: float | None = 0.1,
        lambda_: float | None = 0,
        learning_rate: float | None = 0.1,
        max_depth: int | None = None,
        max_features: int | float | str | None = None,
        max_leaf_nodes: int | None = None,
        max_levels: int | None = 1000,
        max_samples: float | None = 1,
        min_child_weight: float | None = 0.001,
        min_impurity_decrease: float | None = 0,
        min_samples_leaf: int | None = 20,
        min_samples_split: int | None = 2,
        missing: str | None = None,
        monotone: Mapping[str, Any] | None = None,
        n_trees: int | None = 100,
        nulls: str | None = 'branch',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        start: Any | None = None,
        threshold: float | None = 0.5,
        tie: str | None = 'negative',
        tolerance: float | None = 1e-07,
        unseen: str | None = 'missing',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class BoostedTreesRegression(Target):
    """Predicts numbers by a sum of trees, each grown to the errors of those before it (histogram gradient boosting).

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    category_smoothing: Added to the hessian of a level where the levels of a category are ordered for a split, so that rare levels are in the middle.
        Range: x >= 0.
    early_stopping: Stop after this many iterations without a lower loss on held-out rows, and keep the trees up to the best one. Range: 1 <= x <=
        1000000000. Default: no early stop.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    growth: With max_leaf_nodes: which node is split next, the one that gains most (leaf) or the one nearest to the root (depth). Range: "leaf",
        "depth".
    holdout: With early_stopping: the share of the rows that are held out, by a hash of what they hold. Range: 0 < x < 1.
    lambda_: Penalty on the squared values of the leaves. Range: x >= 0.
    learning_rate: Factor of what each tree adds (shrinkage). Range: 0 < x <= 1.
    loss: What the trees make small: the squared or the absolute error, the loss of a quantile, or the Poisson deviance of counts, with predictions
        exp(score). Range: "squared", "absolute", "quantile", "poisson".
    max_depth: The most splits between the root and a leaf. Range: 0 <= x <= 1000000. Default: no limit.
    max_features: How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of the features, or all. Range:
        0 < x <= 1000000; or "all", "sqrt", "log2". Default: all.
    max_leaf_nodes: The most leaves of a tree. Range: 2 <= x <= 1000000. Default: 31, or as many as max_depth allows.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    max_samples: The share of the rows that each iteration grows its trees from, drawn without replacement. Range: 0 < x <= 1.
    min_child_weight: The least sum of hessians of a leaf; under squared loss, its least weight. Range: x >= 0.
    min_impurity_decrease: A split must lower the mean loss by at least this much, to second order and before learning_rate. Range: x >= 0.
    min_samples_leaf: The fewest rows of a leaf. Range: 1 <= x <= 1000000000.
    min_samples_split: The fewest rows of a node that is split. Range: 2 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    monotone: Constrains the prediction, or the probability of the last of two classes: {"feature": 1} never to fall as the feature grows, -1 never to
        rise, 0 neither. Range: -1 <= x <= 1. Default: no constraint.
    n_trees: Iterations: trees, or with several classes one tree per class each; those of start count too. Range: 1 <= x <= 100000.
    nulls: What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error. Range: "branch", "skip",
        "error".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    quantile: With loss quantile: which one is predicted, such as 0.9. Range: 0 < x < 1. Default: 0.5.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    start: Continue from this model of the same method, features and options (model::jsonb) with more trees. Default: a new model.
    tolerance: With early_stopping: the loss must fall by more than this to count as lower. Range: x >= 0.
    unseen: A level that did not occur in training goes where a NULL goes when scoring, or is an error. Range: "missing", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'boosted_trees_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        category_smoothing: float | None = 1,
        early_stopping: int | None = None,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        growth: str | None = 'leaf',
        holdout: float | None = 0.1,
        lambda_: float | None = 0,
        learning_rate: float | None = 0.1,
        loss: str | None = 'squared',
        max_depth: int | None = None,
        max_features: int | float | str | None = None,
        max_leaf_nodes: int | None = None,
        max_levels: int | None = 1000,
        max_samples: float | None = 1,
        min_child_weight: float | None = 0.001,
        min_impurity_decrease: float | None = 0,
        min_samples_leaf: int | None = 20,
        min_samples_split: int | None = 2,
        missing: str | None = None,
        monotone: Mapping[str, Any] | None = None,
        n_trees: int | None = 100,
        nulls: str | None = 'branch',
        on_failure: str | None = 'error',
        quantile: float | None = None,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        start: Any | None = None,
        tolerance: float | None = 1e-07,
        unseen: str | None = 'missing',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Centroid(Distances):
    """The mean of the rows: the point with the least sum of squared distances to them.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'centroid'
    _first = ''
    _functions = ('distance',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class CoxRegression(Target):
    """Proportional hazards: how features multiply the rate of an event, from times of which some are censored; the target is the time.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    cluster: For CR0: a column of the feature row whose values, compared as text, are the clusters, such as the subject of several rows; it is not
        used as a feature. Default: rows are independent.
    entry: A column of the feature row with the time from which a row is observed (left truncation); it is not used as a feature. Default: rows are
        observed from the beginning.
    event: The column of the feature row that is true or 1 where the event happened at the time, false or 0 where the row was last seen without it; it
        is not used as a feature. Required.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    level: Confidence level of the limits. Range: 0 < x < 1.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    strata: A column of the feature row whose values, compared as text, have a baseline hazard each; it is not used as a feature. Default: one
        baseline for all rows.
    survival_limits: Keep what survival_interval needs: for each event time as many numbers as there are terms.
    ties: How events at the same time enter the likelihood: by Efron's approximation, or by Breslow's. Range: "efron", "breslow".
    tolerance: Stop when the next step would raise the log-likelihood by less than this, with weights scaled to a mean of 1. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    vcov: The covariance of the coefficients, from which standard errors come: that of the likelihood; by the scores of the rows (HC0), which holds
        without proportional hazards; by those of clusters of rows (CR0). Range: "classical", "HC0", "CR0". Default: classical.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'cox_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        cluster: str | None = None,
        entry: str | None = None,
        event: str | None = None,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        level: float | None = 0.95,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        strata: str | None = None,
        survival_limits: bool | None = False,
        ties: str | None = 'efron',
        tolerance: float | None = 1e-18,
        unseen: str | None = 'reference',
        vcov: str | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Dbscan(Clusterer, Distances):
    """Clusters of any shape: rows that have enough others within a radius, and the rows near them; the rest is noise.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    min_samples: The weight of the rows that make a place dense, the row itself included: a number of rows where all weigh 1. Range: 1 <= x <=
        1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    radius: How far a row looks for others, by the metric, rows at exactly this distance included. Range: 0 < x <= 1e+300. Required.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'dbscan'
    _first = 'id'
    _functions = ('predict', 'cluster', 'members', 'distance')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        min_samples: float | None = 5,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        radius: float | None = None,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class DistanceHistogram(Unweighted):
    """The distribution of the distances between all pairs of rows: shows whether they vary enough to be informative.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    bins: Number of bins, all of the same width. Range: 1 <= x <= 100000.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    high: Where the bins end. Default: the largest distance.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    low: Where the bins begin. Default: the smallest distance.
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    quantiles: Which quantiles of the distances to return, as shares from 0 to 1; between two distances they are interpolated. Range: 0 <= x <= 1.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sample_size: Compare only this many rows, picked by a hash of their content and the seed. Range: 2 <= x <= 2147483647. Default: all rows.
    seed: Seed of the sample. Range: 0 <= x <= 2147483647.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'distance_histogram'
    _first = ''
    _functions = ()

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        bins: int | None = 10,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        high: float | None = None,
        kernel: str | None = 'rbf',
        low: float | None = None,
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        quantiles: Sequence[Any] | None = (0.05, 0.25, 0.5, 0.75, 0.95),
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sample_size: int | None = None,
        seed: int | None = 0,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class ElasticNet(Target):
    """Least squares with a penalty on absolute and squared coefficients: many are 0, and correlated features share the weight.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    alpha: The share of the penalty on the absolute coefficients: 1 is lasso, 0 ridge. Range: 0 <= x <= 1.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    lambda_: The penalty on the coefficients (0: least squares): a number, an array of numbers, "path" for a path of them; or chosen by
        cross-validation ("cv"). Range: x >= 0; or "path", "cv".
    level: Confidence level of the limits in coefficients(), if there is no penalty. Range: 0 < x < 1.
    lower: The least that coefficients may be: a number for all of them, or {"term": number}; the intercept has no bounds. Default: none.
    max_iter: Maximum number of passes over the coefficients per lambda; reaching it gives a WARNING. Range: 1 <= x <= 1000000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    path: Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path(). Range: 2 <= x <= 10000. Default:
        none; 100 if lambda is a word.
    path_ratio: The smallest lambda of a path divided by the largest. Range: 0 < x < 1.
    penalty_budget: Instead of lambda: the most that the penalty of the coefficients, without its factor lambda, may be; the fit finds the lambda at
        which it is that much, 0 if least squares stays below. Range: x > 0. Default: lambda decides.
    reduction: What the penalty is added to: the sum of squared residuals, or their mean. Range: "sum", "mean".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    select: How to choose one of several lambdas: by the least error of cross-validation, as the largest lambda within one standard error of it, or by
        an information criterion. Range: "min", "1se", "aic", "bic". Default: the smallest lambda; min with cv.
    standardize: Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n).
    tolerance: Stop when the duality gap is at most this share of the target's sum of squares. Range: 0 < x <= 1.
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    upper: The most that they may be, in the same form. Default: none.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'elastic_net'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        alpha: float | None = 0.5,
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        intercept: bool | None = True,
        lambda_: float | str | Sequence[Any] | None = 1,
        level: float | None = 0.95,
        lower: float | Mapping[str, Any] | None = None,
        max_iter: int | None = 10000,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        path: int | None = None,
        path_ratio: float | None = 0.001,
        penalty_budget: float | None = None,
        reduction: str | None = 'sum',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = None,
        standardize: bool | None = False,
        tolerance: float | None = 1e-08,
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        upper: float | Mapping[str, Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class ExtraTreesClassifier(Classifier, Probabilities, Decisions):
    """Extremely randomized classification trees: each split takes the best of random thresholds, one for each feature that it looks at.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    bootstrap: Whether each tree learns from rows drawn with replacement, or from all rows.
    class_weight: Factors for the weights of the rows of each class: such that all classes have the same total (balanced), or {"label": factor}, 1 for
        classes not named; 0 leaves the rows of a class out. Range: x >= 0; or "none", "balanced".
    criterion: The impurity that splits decrease. Range: "gini", "entropy", "sqrt_gini", "minority".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    importance: What importance(model) shows: how much the splits on a feature decrease the impurity, or how much the error of the out-of-bag rows
        grows when its values are permuted (needs bootstrap, and takes longer). Range: "impurity", "permutation", "none".
    max_depth: The most splits between the root and a leaf. Range: 0 <= x <= 1000000. Default: no limit.
    max_features: How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of the features, or all. Range:
        0 < x <= 1000000; or "all", "sqrt", "log2".
    max_leaf_nodes: The most leaves of a tree, of which the node that gains most is split first. Range: 2 <= x <= 1000000000. Default: no limit.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    max_samples: How many rows are drawn for a tree, with bootstrap: a number, or a share up to 1. Range: 0 < x <= 1000000000. Default: as many as
        there are.
    min_impurity_decrease: A split must decrease the impurity of the whole tree by at least this much. Range: x >= 0.
    min_samples_leaf: The fewest rows of a leaf; with weight_kind frequency, a row counts as often as it occurs. Range: 1 <= x <= 1000000000.
    min_samples_split: The fewest rows of a node that is split. Range: 2 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    monotone: Constrains the prediction, or the probability of the last of two classes: {"feature": 1} never to fall as the feature grows, -1 never to
        rise, 0 neither. Range: -1 <= x <= 1. Default: no constraint.
    n_trees: The number of trees; those of start count too. Range: 1 <= x <= 1000000.
    nulls: What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error. Range: "branch", "skip",
        "error".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    oob: Whether to compute the out-of-bag error, with bootstrap: that of the trees whose sample lacks the row.
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    start: Continue from this model of the same method, features and options (model::jsonb) with more trees. Default: a new model.
    threshold: For two classes: the positive class is predicted if its probability is above this. Range: 0 < x < 1.
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    unseen: A level that did not occur in training goes where a NULL goes when scoring, or is an error. Range: "missing", "error".
    voting: Probabilities are the mean of the trees' probabilities (soft), or the shares of the trees that vote for each class (hard). Range: "soft",
        "hard".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'extra_trees_classifier'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'decisions', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        bootstrap: bool | None = False,
        class_weight: str | Mapping[str, Any] | None = 'none',
        criterion: str | None = 'gini',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        importance: str | None = 'impurity',
        max_depth: int | None = None,
        max_features: int | float | str | None = 'sqrt',
        max_leaf_nodes: int | None = None,
        max_levels: int | None = 1000,
        max_samples: int | float | None = None,
        min_impurity_decrease: float | None = 0,
        min_samples_leaf: int | None = 1,
        min_samples_split: int | None = 2,
        missing: str | None = None,
        monotone: Mapping[str, Any] | None = None,
        n_trees: int | None = 100,
        nulls: str | None = 'branch',
        on_failure: str | None = 'error',
        oob: bool | None = True,
        positive: float | bool | str | None = None,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        start: Any | None = None,
        threshold: float | None = 0.5,
        tie: str | None = 'negative',
        unseen: str | None = 'missing',
        voting: str | None = 'soft',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class ExtraTreesRegression(Target):
    """Extremely randomized regression trees: each split takes the best of random thresholds, one for each feature that it looks at.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    bootstrap: Whether each tree learns from rows drawn with replacement, or from all rows.
    criterion: The impurity that splits decrease: about the mean (mse) or the median (mae), or the Poisson deviance. Range: "mse", "mae", "poisson".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    importance: What importance(model) shows: how much the splits on a feature decrease the impurity, or how much the error of the out-of-bag rows
        grows when its values are permuted (needs bootstrap, and takes longer). Range: "impurity", "permutation", "none".
    max_depth: The most splits between the root and a leaf. Range: 0 <= x <= 1000000. Default: no limit.
    max_features: How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of the features, or all. Range:
        0 < x <= 1000000; or "all", "sqrt", "log2".
    max_leaf_nodes: The most leaves of a tree, of which the node that gains most is split first. Range: 2 <= x <= 1000000000. Default: no limit.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    max_samples: How many rows are drawn for a tree, with bootstrap: a number, or a share up to 1. Range: 0 < x <= 1000000000. Default: as many as
        there are.
    min_impurity_decrease: A split must decrease the impurity of the whole tree by at least this much. Range: x >= 0.
    min_samples_leaf: The fewest rows of a leaf; with weight_kind frequency, a row counts as often as it occurs. Range: 1 <= x <= 1000000000.
    min_samples_split: The fewest rows of a node that is split. Range: 2 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    monotone: Constrains the prediction, or the probability of the last of two classes: {"feature": 1} never to fall as the feature grows, -1 never to
        rise, 0 neither. Range: -1 <= x <= 1. Default: no constraint.
    n_trees: The number of trees; those of start count too. Range: 1 <= x <= 1000000.
    nulls: What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error. Range: "branch", "skip",
        "error".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    oob: Whether to compute the out-of-bag error, with bootstrap: that of the trees whose sample lacks the row.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    start: Continue from this model of the same method, features and options (model::jsonb) with more trees. Default: a new model.
    unseen: A level that did not occur in training goes where a NULL goes when scoring, or is an error. Range: "missing", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'extra_trees_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        bootstrap: bool | None = False,
        criterion: str | None = 'mse',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        importance: str | None = 'impurity',
        max_depth: int | None = None,
        max_features: int | float | str | None = 'all',
        max_leaf_nodes: int | None = None,
        max_levels: int | None = 1000,
        max_samples: int | float | None = None,
        min_impurity_decrease: float | None = 0,
        min_samples_leaf: int | None = 1,
        min_samples_split: int | None = 2,
        missing: str | None = None,
        monotone: Mapping[str, Any] | None = None,
        n_trees: int | None = 100,
        nulls: str | None = 'branch',
        on_failure: str | None = 'error',
        oob: bool | None = True,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        start: Any | None = None,
        unseen: str | None = 'missing',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class ForestClassifier(Classifier, Probabilities, Decisions):
    """A random forest of classification trees: each grown from a bootstrap sample, with a few random features to choose from at each split.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    bootstrap: Whether each tree learns from rows drawn with replacement, or from all rows.
    class_weight: Factors for the weights of the rows of each class: such that all classes have the same total (balanced), or {"label": factor}, 1 for
        classes not named; 0 leaves the rows of a class out. Range: x >= 0; or "none", "balanced".
    criterion: The impurity that splits decrease. Range: "gini", "entropy", "sqrt_gini", "minority".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    importance: What importance(model) shows: how much the splits on a feature decrease the impurity, or how much the error of the out-of-bag rows
        grows when its values are permuted (needs bootstrap, and takes longer). Range: "impurity", "permutation", "none".
    max_depth: The most splits between the root and a leaf. Range: 0 <= x <= 1000000. Default: no limit.
    max_features: How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of the features, or all. Range:
        0 < x <= 1000000; or "all", "sqrt", "log2".
    max_leaf_nodes: The most leaves of a tree, of which the node that gains most is split first. Range: 2 <= x <= 1000000000. Default: no limit.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    max_samples: How many rows are drawn for a tree, with bootstrap: a number, or a share up to 1. Range: 0 < x <= 1000000000. Default: as many as
        there are.
    min_impurity_decrease: A split must decrease the impurity of the whole tree by at least this much. Range: x >= 0.
    min_samples_leaf: The fewest rows of a leaf; with weight_kind frequency, a row counts as often as it occurs. Range: 1 <= x <= 1000000000.
    min_samples_split: The fewest rows of a node that is split. Range: 2 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    monotone: Constrains the prediction, or the probability of the last of two classes: {"feature": 1} never to fall as the feature grows, -1 never to
        rise, 0 neither. Range: -1 <= x <= 1. Default: no constraint.
    n_trees: The number of trees; those of start count too. Range: 1 <= x <= 1000000.
    nulls: What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error. Range: "branch", "skip",
        "error".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    oob: Whether to compute the out-of-bag error, with bootstrap: that of the trees whose sample lacks the row.
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    split: Whether splits are looked for between all values (exact), or between at most 255 bins per feature at exact quantiles (binned); auto bins
        above 50,000 rows where it can, which the fact "binned" shows. Range: "auto", "exact", "binned".
    start: Continue from this model of the same method, features and options (model::jsonb) with more trees. Default: a new model.
    threshold: For two classes: the positive class is predicted if its probability is above this. Range: 0 < x < 1.
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    unseen: A level that did not occur in training goes where a NULL goes when scoring, or is an error. Range: "missing", "error".
    voting: Probabilities are the mean of the trees' probabilities (soft), or the shares of the trees that vote for each class (hard). Range: "soft",
        "hard".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'forest_classifier'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'decisions', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        bootstrap: bool | None = True,
        class_weight: str | Mapping[str, Any] | None = 'none',
        criterion: str | None = 'gini',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        importance: str | None = 'impurity',
        max_depth: int | None = None,
        max_features: int | float | str | None = 'sqrt',
        max_leaf_nodes: int | None = None,
        max_levels: int | None = 1000,
        max_samples: int | float | None = None,
        min_impurity_decrease: float | None = 0,
        min_samples_leaf: int | None = 1,
        min_samples_split: int | None = 2,
        missing: str | None = None,
        monotone: Mapping[str, Any] | None = None,
        n_trees: int | None = 100,
        nulls: str | None = 'branch',
        on_failure: str | None = 'error',
        oob: bool | None = True,
        positive: float | bool | str | None = None,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        split: str | None = 'auto',
        start: Any | None = None,
        threshold: float | None = 0.5,
        tie: str | None = 'negative',
        unseen: str | None = 'missing',
        voting: str | None = 'soft',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class ForestRegression(Target):
    """A random forest of regression trees: each grown from a bootstrap sample, with random features to choose from at each split.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    bootstrap: Whether each tree learns from rows drawn with replacement, or from all rows.
    criterion: The impurity that splits decrease: about the mean (mse) or the median (mae), or the Poisson deviance. Range: "mse", "mae", "poisson".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    importance: What importance(model) shows: how much the splits on a feature decrease the impurity, or how much the error of the out-of-bag rows
        grows when its values are permuted (needs bootstrap, and takes longer). Range: "impurity", "permutation", "none".
    max_depth: The most splits between the root and a leaf. Range: 0 <= x <= 1000000. Default: no limit.
    max_features: How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of the features, or all. Range:
        0 < x <= 1000000; or "all", "sqrt", "log2".
    max_leaf_nodes: The most leaves of a tree, of which the node that gains most is split first. Range: 2 <= x <= 1000000000. Default: no limit.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    max_samples: How many rows are drawn for a tree, with bootstrap: a number, or a share up to 1. Range: 0 < x <= 1000000000. Default: as many as
        there are.
    min_impurity_decrease: A split must decrease the impurity of the whole tree by at least this much. Range: x >= 0.
    min_samples_leaf: The fewest rows of a leaf; with weight_kind frequency, a row counts as often as it occurs. Range: 1 <= x <= 1000000000.
    min_samples_split: The fewest rows of a node that is split. Range: 2 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    monotone: Constrains the prediction, or the probability of the last of two classes: {"feature": 1} never to fall as the feature grows, -1 never to
        rise, 0 neither. Range: -1 <= x <= 1. Default: no constraint.
    n_trees: The number of trees; those of start count too. Range: 1 <= x <= 1000000.
    nulls: What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error. Range: "branch", "skip",
        "error".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    oob: Whether to compute the out-of-bag error, with bootstrap: that of the trees whose sample lacks the row.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    split: Whether splits are looked for between all values (exact), or between at most 255 bins per feature at exact quantiles (binned); auto bins
        above 50,000 rows where it can, which the fact "binned" shows. Range: "auto", "exact", "binned".
    start: Continue from this model of the same method, features and options (model::jsonb) with more trees. Default: a new model.
    unseen: A level that did not occur in training goes where a NULL goes when scoring, or is an error. Range: "missing", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'forest_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        bootstrap: bool | None = True,
        criterion: str | None = 'mse',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        importance: str | None = 'impurity',
        max_depth: int | None = None,
        max_features: int | float | str | None = 'all',
        max_leaf_nodes: int | None = None,
        max_levels: int | None = 1000,
        max_samples: int | float | None = None,
        min_impurity_decrease: float | None = 0,
        min_samples_leaf: int | None = 1,
        min_samples_split: int | None = 2,
        missing: str | None = None,
        monotone: Mapping[str, Any] | None = None,
        n_trees: int | None = 100,
        nulls: str | None = 'branch',
        on_failure: str | None = 'error',
        oob: bool | None = True,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        split: str | None = 'auto',
        start: Any | None = None,
        unseen: str | None = 'missing',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class GammaRegression(Target):
    """A linear equation for the logarithm of the mean of amounts above 0, whose standard deviation grows with their mean.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    alpha: For elastic_net: the penalty is lambda (alpha |w| + (1 - alpha) w^2). Range: 0 <= x <= 1.
    cluster: For CR0 to CR2: a column of the feature row, or an array of them, whose values, compared as text, are the clusters; "." of a formula
        leaves it out. Default: rows are independent.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    lag: For NW: how many rows back errors may be correlated. Range: 0 <= x <= 1000000000. Default: chosen from the rows (Newey & West 1994.
    lambda_: The strength of the penalty, which is added to half the deviance: a number, an array of numbers, "path" for a path of them, or "cv" for
        the one that cross-validation chooses. Range: x >= 0; or "path", "cv".
    level: Confidence level of the limits in coefficients(), if there is no penalty. Range: 0 < x < 1.
    link: The function of the mean that is linear in the features. Range: "identity", "log", "logit", "probit", "cloglog", "cauchit", "inverse",
        "inverse_squared", "sqrt", "power".
    link_power: Of link power: the score is this power of the mean, not 0. Default: none.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    order: For NW: a column of the feature row, a number, date or timestamp, that orders the rows; "." of a formula leaves it out. Default: rows have
        no order.
    path: Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path(). Range: 2 <= x <= 10000. Default:
        none; 100 if lambda is a word.
    path_ratio: The smallest lambda of a path divided by the largest; 1e-06 if not given for an l2 penalty. Range: 0 < x < 1.
    penalty: The penalty on the coefficients: lambda times the sum of squares (l2), of absolute values (l1), or of both (elastic_net). Range: "none",
        "l2", "l1", "elastic_net". Default: l2 if lambda is given, otherwise none.
    reduction: What the penalty is added to: the sum of the rows' losses, or their mean. Range: "sum", "mean".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    select: How to choose one of several lambdas: by the least error of cross-validation (min), or as the largest lambda within one standard error of
        it (1se). Range: "min", "1se". Default: the smallest lambda; min with cv.
    standardize: Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n).
    start: Start from this model of the same method, features, family and link (model::jsonb). Default: from the targets.
    tolerance: Stop when the next step would lower the deviance by less than the square of this share of it. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    vcov: The covariance of the coefficients, from which standard errors come: classical; against unequal variances (HC0 to HC3); for clusters of rows
        (CR0, CR1, CR1S, CR2); for series (NW, Newey-West). Range: "classical", "HC0", "HC1", "HC2", "HC3", "CR0", "CR1", "CR1S", "CR2", "NW".
        Default: classical.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'gamma_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        alpha: float | None = 0.5,
        cluster: str | Sequence[Any] | None = None,
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        intercept: bool | None = True,
        lag: int | None = None,
        lambda_: float | str | Sequence[Any] | None = 0,
        level: float | None = 0.95,
        link: str | None = 'log',
        link_power: float | None = None,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        order: str | None = None,
        path: int | None = None,
        path_ratio: float | None = 0.001,
        penalty: str | None = None,
        reduction: str | None = 'sum',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = None,
        standardize: bool | None = False,
        start: Any | None = None,
        tolerance: float | None = 1e-10,
        unseen: str | None = 'reference',
        vcov: str | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class GaussianMixture(Clusterer, Transformer, Probabilities, Distances, Densities):
    """Clusters as normal distributions: each row gets a probability for every cluster.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    covariance_type: full: one matrix per component; tied: one for all; diagonal: variances per component; spherical: one variance per component.
        Range: "full", "tied", "diagonal", "spherical".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    history: Keep the log likelihood of each iteration in the array history.
    init: How to start: from the clusters of k-means, the rows nearest to k-means++ seeds, random rows as means with the covariance of all rows, or
        given means, one array per component. Range: "kmeans", "k-means++", "random".
    init_covariances: Starting covariances instead of those of init: one array per component with the matrix row by row, the variances, or the single
        variance. Default: those of init.
    init_weights: Starting weights instead of those of init. Range: 0 <= x <= 1. Default: those of init.
    k: Number of components, or the smallest and the largest number, from which select chooses; auto: from 1 to max_k. Range: 1 <= x <= 100000; or
        "auto". Default: that of init, init_weights or start; else required.
    max_iter: Maximum number of iterations; 0 returns the start as a model. Range: 0 <= x <= 1000000.
    max_k: With "k": "auto": the largest number of components. Range: 1 <= x <= 100000. Default: 10, or 1 + rows / features if that is less.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    n_init: Number of starts, of which the one with the highest likelihood is kept. Range: 1 <= x <= 10000. Default: 5; random starts: 10.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    regularization: Added to every variance after each iteration, so that no component shrinks to a point. Range: x >= 0.
    seed: Seed of the random choices at the start. Range: 0 <= x <= 9007199254740992.
    select: How to choose k from a range: by the lowest Bayesian or Akaike information criterion. Range: "bic", "aic".
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    start: Continue from this gaussian_mixture of the same features and form of covariance. Default: a new model.
    tolerance: Stop when the log likelihood per row changes by at most this. Range: x >= 0.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'gaussian_mixture'
    _first = ''
    _functions = ('predict', 'probabilities', 'decisions', 'cluster', 'transform', 'distance', 'log_density')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        covariance_type: str | None = 'full',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        history: bool | None = False,
        init: str | Sequence[Any] | None = 'kmeans',
        init_covariances: Sequence[Any] | None = None,
        init_weights: Sequence[Any] | None = None,
        k: int | str | Sequence[Any] | None = None,
        max_iter: int | None = 500,
        max_k: int | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        n_init: int | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        regularization: float | None = 1e-06,
        seed: int | None = 0,
        select: str | None = 'bic',
        standardize: bool | None = False,
        start: Any | None = None,
        tolerance: float | None = 1e-05,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class GeometricMedian(Distances):
    """The point with the least sum of distances to the rows, which outliers hardly move.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    tolerance: Stop when the norm of the mean unit vector toward the rows is at most this; the objective is then within a relative error of twice this
        of its minimum. Range: 0 <= x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'geometric_median'
    _first = ''
    _functions = ('distance',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_iter: int | None = 1000,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        standardize: bool | None = False,
        tolerance: float | None = 1e-10,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Glm(Target):
    """A generalized linear model: a function of the mean is linear in the features, and the target has one of nine distributions around it.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    alpha: For elastic_net: the penalty is lambda (alpha |w| + (1 - alpha) w^2). Range: 0 <= x <= 1.
    cluster: For CR0 to CR2: a column of the feature row, or an array of them, whose values, compared as text, are the clusters; "." of a formula
        leaves it out. Default: rows are independent.
    family: The distribution of the target around its mean. Range: "gaussian", "binomial", "poisson", "gamma", "inverse_gaussian",
        "negative_binomial", "tweedie", "quasipoisson", "quasibinomial".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    lag: For NW: how many rows back errors may be correlated. Range: 0 <= x <= 1000000000. Default: chosen from the rows (Newey & West 1994.
    lambda_: The strength of the penalty, which is added to half the deviance: a number, an array of numbers, "path" for a path of them, or "cv" for
        the one that cross-validation chooses. Range: x >= 0; or "path", "cv".
    level: Confidence level of the limits in coefficients(), if there is no penalty. Range: 0 < x < 1.
    link: The function of the mean that is linear in the features. Range: "identity", "log", "logit", "probit", "cloglog", "cauchit", "inverse",
        "inverse_squared", "sqrt", "power". Default: that of the family.
    link_power: Of link power: the score is this power of the mean, not 0. Default: none.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    order: For NW: a column of the feature row, a number, date or timestamp, that orders the rows; "." of a formula leaves it out. Default: rows have
        no order.
    path: Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path(). Range: 2 <= x <= 10000. Default:
        none; 100 if lambda is a word.
    path_ratio: The smallest lambda of a path divided by the largest; 1e-06 if not given for an l2 penalty. Range: 0 < x < 1.
    penalty: The penalty on the coefficients: lambda times the sum of squares (l2), of absolute values (l1), or of both (elastic_net). Range: "none",
        "l2", "l1", "elastic_net". Default: l2 if lambda is given, otherwise none.
    power: Of family tweedie, whose variance is a power of the mean: near 1 like counts, near 2 like amounts; "profile": the one of greatest
        likelihood. Range: 1 < x < 2; or "profile". Default: 1.5.
    reduction: What the penalty is added to: the sum of the rows' losses, or their mean. Range: "sum", "mean".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    select: How to choose one of several lambdas: by the least error of cross-validation (min), or as the largest lambda within one standard error of
        it (1se). Range: "min", "1se". Default: the smallest lambda; min with cv.
    standardize: Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n).
    start: Start from this model of the same method, features, family and link (model::jsonb). Default: from the targets.
    theta: Of family negative_binomial, whose variance is m + m^2 / theta for a mean m. Range: x > 0. Default: estimated.
    tolerance: Stop when the next step would lower the deviance by less than the square of this share of it. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    vcov: The covariance of the coefficients, from which standard errors come: classical; against unequal variances (HC0 to HC3); for clusters of rows
        (CR0, CR1, CR1S, CR2); for series (NW, Newey-West). Range: "classical", "HC0", "HC1", "HC2", "HC3", "CR0", "CR1", "CR1S", "CR2", "NW".
        Default: classical.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'glm'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        alpha: float | None = 0.5,
        cluster: str | Sequence[Any] | None = None,
        family: str | None = 'gaussian',
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        intercept: bool | None = True,
        lag: int | None = None,
        lambda_: float | str | Sequence[Any] | None = 0,
        level: float | None = 0.95,
        link: str | None = None,
        link_power: float | None = None,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        order: str | None = None,
        path: int | None = None,
        path_ratio: float | None = 0.001,
        penalty: str | None = None,
        power: float | str | None = None,
        reduction: str | None = 'sum',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = None,
        standardize: bool | None = False,
        start: Any | None = None,
        theta: float | None = None,
        tolerance: float | None = 1e-10,
        unseen: str | None = 'reference',
        vcov: str | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Hdbscan(Clusterer):
    """Clusters of any shape and of different densities: those that last longest while the density that is asked for grows; the rest is noise.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    cluster_selection: Which clusters of the tree to report: those that last longest (stable), or the smallest ones (leaf). Range: "stable", "leaf".
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    min_cluster_size: The least weight of the rows of a cluster: a number of rows where all weigh 1. Range: 2 <= x <= 1000000000.
    min_samples: The weight of the rows, the row itself included, whose distance tells how dense a place is; larger values leave more rows as noise.
        Range: 1 <= x <= 1000000000. Default: min_cluster_size.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    radius: Clusters that part at a smaller distance than this stay together. Range: 0 <= x <= 1e+300.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    single_cluster: Whether all rows may be one cluster.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'hdbscan'
    _first = 'id'
    _functions = ('predict', 'cluster', 'members')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        cluster_selection: str | None = 'stable',
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        min_cluster_size: int | None = 5,
        min_samples: float | None = None,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        radius: float | None = 0,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        single_cluster: bool | None = False,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Hierarchical(Estimator):
    """A tree of clusters: starting from single rows, the two nearest clusters are merged until one is left.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    connectivity: For linkages average, complete, single and ward: only clusters that are neighbors merge, where one row is among this many nearest
        rows of the other, or, of given distances, theirs is finite (given). Range: 1 <= x <= 1000000; or "given". Default: all clusters may merge.
    cophenetic: Also compute the correlation of the distances of pairs with the heights at which they are joined: a second pass over all pairs.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    linkage: The distance between two clusters: mean (average), largest (complete) or smallest (single) distance of pairs, mean of the distances of
        their two parts (mcquitty or weighted), distance of the means (centroid) or of the midpoints (median), growth of the sum of squares (ward or
        ward.D2), or the formula of ward on distances that are not squared (ward.D). Range: "average", "centroid", "complete", "mcquitty", "median",
        "single", "ward", "ward.D", "ward.D2", "weighted".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'hierarchical'
    _first = 'id'
    _functions = ()

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        connectivity: int | str | None = None,
        cophenetic: bool | None = False,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        kernel: str | None = 'rbf',
        linkage: str | None = 'average',
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class HuberRegression(Target):
    """A linear equation by Huber's M-estimate: outliers of the target count less.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant.
    level: Confidence level of the limits. Range: 0 < x < 1.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    scale: The scale of the residuals: their median absolute value / 0.6745 (mad), or Huber's proposal 2 (proposal2). Range: "mad", "proposal2".
    tolerance: Stop when a step moves the predictions by at most this times the scale, in the mean square. Range: 0 < x <= 1.
    tuning: Residuals above tuning times the scale lose weight; 1.345 is 95 % efficient for normal errors. Range: x >= 0.1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'huber_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        level: float | None = 0.95,
        max_iter: int | None = 500,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        scale: str | None = 'mad',
        tolerance: float | None = 1e-10,
        tuning: float | None = 1.345,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class IsolationForest(Outliers):
    """Finds anomalies: rows that random splits separate from the others after a few steps.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    contamination: Which rows classify calls out: those with a score above 0.5 (auto), or as many as this share of the training rows. Range: 0 < x <=
        0.5; or "auto".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    max_samples: How many rows each tree is grown from, drawn without replacement; all rows if there are fewer. Range: 2 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    n_trees: The number of trees. Range: 1 <= x <= 1000000.
    nulls: What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error. Range: "branch", "skip",
        "error".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    unseen: A level that did not occur in training goes where a NULL goes when scoring, or is an error. Range: "missing", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'isolation_forest'
    _first = ''
    _functions = ('classify', 'decisions')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        contamination: float | str | None = 'auto',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        max_samples: int | None = 256,
        missing: str | None = None,
        n_trees: int | None = 100,
        nulls: str | None = 'branch',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        unseen: str | None = 'missing',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class IsotonicCalibration(Classifier, Probabilities):
    """Maps scores to probabilities by a monotone step function, whose steps are the segments of the ROC curve's convex hull.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    direction: Whether the probability rises or falls with the score; auto: falls if the area under the ROC curve is below one half. Range:
        "increasing", "decreasing", "auto".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    interpolation: Between two blocks: the probability of the lower one (step), or a straight line to the next (linear). Range: "step", "linear".
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    threshold: For two classes: the positive class is predicted if its probability is above this. Range: 0 < x < 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'isotonic_calibration'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities')
    _one_feature = True

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        direction: str | None = 'increasing',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        interpolation: str | None = 'step',
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        reference: Mapping[str, Any] | None = None,
        threshold: float | None = 0.5,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class IsotonicRegression(Target):
    """The function of one number that only rises or only falls and has the least sum of squared errors.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    direction: Whether the target rises or falls with the feature; auto: falls if their rank correlation is negative. Range: "increasing",
        "decreasing", "auto".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    interpolation: Between two blocks: a straight line from one to the next, or the value of the lower one (step). Range: "linear", "step".
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    out_of_bounds: Below the least and above the largest number of the rows: the value there (clip), or null. Range: "clip", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    y_max: The largest value: larger ones are cut to it. Default: no limit.
    y_min: The least value: smaller ones are cut to it. Default: no limit.
    """

    _estimator = 'isotonic_regression'
    _first = 'target'
    _functions = ('predict',)
    _one_feature = True

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        direction: str | None = 'increasing',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        interpolation: str | None = 'linear',
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        out_of_bounds: str | None = 'clip',
        reference: Mapping[str, Any] | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
        y_max: float | None = None,
        y_min: float | None = None,
    ) -> None:
        self._init(locals())


class KernelKmeans(Clusterer, Distances):
    """k-means in the feature space of a kernel, for clusters of any shape; new rows can be assigned.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    approximation: Replace the kernel by products of explicit features, for more rows than can be compared with each other: kernel values with some
        rows (nystroem, any kernel) or random cosines and sines (fourier, rbf). Range: "none", "nystroem", "fourier".
    assignment: Rows go to the cluster with the nearest mean in the kernel's feature space, or to the one with the smallest mean distance to its rows
        (which may not converge). Range: "centroid", "average_distance".
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    decay: For subsequence: the factor of each character that an occurrence spans, gaps included. Range: 0 < x <= 1.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    frequencies: For approximation fourier: the number of random frequencies, each of which makes two features. Range: 1 <= x <= 20000. Default: 500.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    init: Starting clusters: around rows that are spread out, at random, or given as one cluster (1 to k) per row, in the order in which rows arrive.
        Range: 1 <= x <= 1000000; or "k-means++", "random".
    k: The number of clusters. Range: 1 <= x <= 1000000. Required.
    kernel: The kernel that replaces the product of two rows; an object such as {"sum": [{"kernel": "rbf"}, {"kernel": "linear", "weight": 0.5}]} or
        {"product": [...]} combines several. Range: "linear", "polynomial", "rbf", "sigmoid", "precomputed", "spectrum", "subsequence".
    landmarks: For approximation nystroem: the number of rows to compare all others with. Range: 1 <= x <= 20000. Default: 500, or all distinct rows.
    length: For spectrum and subsequence: how many characters are compared at a time. Range: 1 <= x <= 100.
    max_iter: Maximum number of assignments; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    n_init: Number of restarts, of which the best result is kept. Range: 1 <= x <= 10000. Default: 1; random starts: 10.
    normalized: For spectrum and subsequence: divide by the square root of both texts' kernels with themselves, so that long texts do not count more.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'kernel_kmeans'
    _first = ''
    _functions = ('predict', 'cluster', 'distance')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        approximation: str | None = 'none',
        assignment: str | None = 'centroid',
        coef0: float | None = 0,
        decay: float | None = 0.5,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        frequencies: int | None = None,
        gamma: float | None = None,
        init: str | Sequence[Any] | None = 'k-means++',
        k: int | None = None,
        kernel: str | Mapping[str, Any] | None = 'rbf',
        landmarks: int | None = None,
        length: int | None = 3,
        max_iter: int | None = 300,
        max_levels: int | None = 1000,
        missing: str | None = None,
        n_init: int | None = None,
        normalized: bool | None = True,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        sigma: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class KernelPca(Transformer, Distances):
    """Principal components in the feature space of a kernel, for rows along curves and in rings.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    approximation: Replace the kernel by products of explicit features, for more rows than can be compared with each other: kernel values with some
        rows (nystroem, any kernel) or random cosines and sines (fourier, rbf). Range: "none", "nystroem", "fourier".
    center: Whether to subtract the mean of the rows in feature space first.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    decay: For subsequence: the factor of each character that an occurrence spans, gaps included. Range: 0 < x <= 1.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    explained: Instead of k: the smallest number of components that explain at least this share of the variance, from all eigenvalues, which is slow
        for many rows. Range: 0 < x <= 1. Default: k decides.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    frequencies: For approximation fourier: the number of random frequencies, each of which makes two features. Range: 1 <= x <= 20000. Default: 500.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    k: Number of components. Range: 1 <= x <= 2147483647. Default: as many as the rows span, or explain the share explained.
    kernel: The kernel that replaces the product of two rows; an object such as {"sum": [{"kernel": "rbf"}, {"kernel": "linear", "weight": 0.5}]} or
        {"product": [...]} combines several. Range: "linear", "polynomial", "rbf", "sigmoid", "precomputed", "spectrum", "subsequence".
    landmarks: For approximation nystroem: the number of rows to compare all others with. Range: 1 <= x <= 20000. Default: 500, or all distinct rows.
    length: For spectrum and subsequence: how many characters are compared at a time. Range: 1 <= x <= 100.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    normalized: For spectrum and subsequence: divide by the square root of both texts' kernels with themselves, so that long texts do not count more.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    preimage_lambda: With preimages: the penalty of the regression from scores to rows; a larger one smooths more. Range: x > 0.
    preimages: Whether to learn the way back from scores to features, for inverse_transform().
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'kernel_pca'
    _first = ''
    _functions = ('transform', 'distance')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        approximation: str | None = 'none',
        center: bool | None = True,
        coef0: float | None = 0,
        decay: float | None = 0.5,
        degree: int | None = 3,
        explained: float | None = None,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        frequencies: int | None = None,
        gamma: float | None = None,
        k: int | None = None,
        kernel: str | Mapping[str, Any] | None = 'rbf',
        landmarks: int | None = None,
        length: int | None = 3,
        max_levels: int | None = 1000,
        missing: str | None = None,
        normalized: bool | None = True,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        preimage_lambda: float | None = 0.1,
        preimages: bool | None = False,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        sigma: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class KernelRidge(Target):
    """Ridge regression in the feature space of a kernel: smooth functions of any shape.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    approximation: Replace the kernel by products of explicit features, for more rows than can be compared with each other: kernel values with some
        rows (nystroem, any kernel) or random cosines and sines (fourier, rbf). Range: "none", "nystroem", "fourier".
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    decay: For subsequence: the factor of each character that an occurrence spans, gaps included. Range: 0 < x <= 1.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    expanding: Whether a fold of fold_column is predicted from the folds with smaller numbers alone, as a model of the past would; the first is not
        predicted.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    frequencies: For approximation fourier: the number of random frequencies, each of which makes two features. Range: 1 <= x <= 20000. Default: 500.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product; of an array, or of "cv" or "loo"
        for 10 to 0.01 times the default of rbf, the one with the smallest error on rows left out. Range: x > 0; or "cv", "loo". Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    intercept: Whether to subtract the mean of the target before the fit and to add it to predictions, so that they tend to the mean and not to 0 far
        from all rows.
    kernel: The kernel that replaces the product of two rows; an object such as {"sum": [{"kernel": "rbf"}, {"kernel": "linear", "weight": 0.5}]} or
        {"product": [...]} combines several. Range: "linear", "polynomial", "rbf", "sigmoid", "precomputed", "spectrum", "subsequence".
    lambda_: The penalty on the squared norm of the function; of an array, or of "cv" or "loo" for 100 to 1e-6 times the mean of k(x, x), the one with
        the smallest error on rows left out, by folds or one by one. Range: x > 0; or "cv", "loo".
    landmarks: For approximation nystroem: the number of rows to compare all others with. Range: 1 <= x <= 20000. Default: 500, or all distinct rows.
    length: For spectrum and subsequence: how many characters are compared at a time. Range: 1 <= x <= 100.
    loo: Whether to compute the residual of each row in a fit without it, in closed form, which takes as long as the fit; the model keeps them in row
        order.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    normalized: For spectrum and subsequence: divide by the square root of both texts' kernels with themselves, so that long texts do not count more.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'kernel_ridge'
    _first = 'target'
    _functions = ('predict',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        approximation: str | None = 'none',
        coef0: float | None = 0,
        decay: float | None = 0.5,
        degree: int | None = 3,
        expanding: bool | None = False,
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        frequencies: int | None = None,
        gamma: float | str | Sequence[Any] | None = None,
        intercept: bool | None = False,
        kernel: str | Mapping[str, Any] | None = 'rbf',
        lambda_: float | str | Sequence[Any] | None = 1,
        landmarks: int | None = None,
        length: int | None = 3,
        loo: bool | None = False,
        max_levels: int | None = 1000,
        missing: str | None = None,
        normalized: bool | None = True,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        sigma: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Kmeans(Clusterer, Distances):
    """k clusters around means (centroids), with a small sum of squared distances from rows to their centroid.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    batch_size: Use mini-batches of about this many rows instead of full passes: faster and less exact. Range: 1 <= x <= 1000000000. Default: full
        passes.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gap_reference: Where the data sets that the gap statistic compares with are uniform: in the box of the features, or of the principal components,
        which follows the shape of the rows. Range: "box", "pca".
    gap_references: Number of uniform data sets that the gap statistic compares with. Range: 1 <= x <= 1000.
    history: Keep the inertia of each assignment in the model.
    init: Starting centroids: rows chosen at random, the means of a random partition, or an array of k given centroids. Range: "k-means++",
        "k-means||", "random", "partition".
    k: The number of clusters, or the smallest and the largest number, from which select chooses; auto: from 1 to max_k. Range: 1 <= x <= 1000000; or
        "auto". Required.
    max_iter: Maximum number of passes; reaching it gives a WARNING. Range: 0 <= x <= 1000000.
    max_k: With "k": "auto": the largest number of clusters. Range: 1 <= x <= 1000000. Default: 10, less with at most 10 rows or fewer distinct ones.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    n_init: Number of starts, of which the one with the least inertia is kept. Range: 1 <= x <= 10000. Default: 10; with batch_size from k-means++ and
        k-means||: 1.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    select: How to choose k from a range: by the mean silhouette of squared distances, the Calinski-Harabasz index, or the gap statistic, which also
        decides about one cluster. Range: "silhouette", "calinski_harabasz", "gap".
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    tolerance: Stop when the squared moves of the centroids add up to at most this times the mean variance of a feature; 0: when no row changes its
        cluster. Range: 0 <= x <= 1.
    trials: Candidates for each centroid of k-means++; 1 is the original method. Range: 1 <= x <= 1000. Default: 4 + log k.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'kmeans'
    _first = ''
    _functions = ('predict', 'cluster', 'distance')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        batch_size: int | None = None,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gap_reference: str | None = 'pca',
        gap_references: int | None = 10,
        history: bool | None = False,
        init: str | Sequence[Any] | None = 'k-means++',
        k: int | str | Sequence[Any] | None = None,
        max_iter: int | None = 300,
        max_k: int | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        n_init: int | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = 'silhouette',
        standardize: bool | None = False,
        tolerance: float | None = 0,
        trials: int | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Kmedoids(Clusterer, Distances):
    """k clusters around actual rows (medoids), with a small sum of distances from rows to their medoid, by any metric.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    algorithm: Swap medoids with other rows (pam), alternate between assigning rows and choosing medoids (alternate), or swap within samples and keep
        the result that is best for all rows (clara). Range: "pam", "alternate", "clara".
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    history: Keep the cost after each swap or assignment in the model.
    id_column: A column of the feature row with the ids of the rows, which the model keeps; it is not used as a feature. Default: no ids.
    init: Starting medoids: chosen greedily (build; further starts of n_init are random), greedily among samples (lab), at random, or the rows nearest
        to k given ones. Range: "build", "lab", "random".
    k: The number of clusters. Range: 1 <= x <= 1000000. Required.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_iter: Maximum number of rounds over the rows; reaching it gives a WARNING. Range: 0 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    n_init: Number of restarts, of which the best result is kept. Range: 1 <= x <= 10000. Default: 1; random starts: 10.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sample_size: Number of rows in a sample of clara. Range: 1 <= x <= 1000000000. Default: 40 + 2 k.
    samples: Number of samples of clara. Range: 1 <= x <= 10000.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    swap: For pam and clara: make each swap that lowers the cost as soon as it is found (eager), or the best of all swaps (best). Range: "eager",
        "best".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'kmedoids'
    _first = ''
    _functions = ('predict', 'cluster', 'distance')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        algorithm: str | None = 'pam',
        angle_unit: str | None = None,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        history: bool | None = False,
        id_column: str | None = None,
        init: str | Sequence[Any] | None = 'build',
        k: int | None = None,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_iter: int | None = 300,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        n_init: int | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sample_size: int | None = None,
        samples: int | None = 5,
        seed: int | None = 0,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        swap: str | None = 'eager',
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class KnnClassifier(Classifier, Probabilities, Distances):
    """The class with the most votes of the nearest rows.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For gaussian weights: exp(-gamma distance^2); or for the kernel of metric kernel. Range: x > 0. Default: 1, if sigma is not given either.
    index: How neighbors are searched: by a tree, or by comparing with all rows, with the same result; auto decides by metric, rows and features.
        Range: "auto", "kd_tree", "ball_tree", "brute".
    k: How many of the nearest rows are neighbors: a number, all, or loo for the number with the least leave-one-out error. Range: 1 <= x <=
        1000000000; or "all", "loo". Default: 5, or all rows within radius.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_k: With k = loo: the largest k tried. Range: 1 <= x <= 1000000. Default: 50, or one less than the rows.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    outlier_label: With a radius: the class of rows without neighbors, by its label, or most_frequent. Default: no class, NULL.
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    radius: Makes all rows nearer than this neighbors, instead of the k nearest. Range: x >= 0; or "Infinity". Default: k decides.
    radius_inclusive: Makes rows exactly at the radius neighbors, too.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For gaussian weights: exp(-distance^2 / (2 sigma^2)); or for kernel rbf. Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    tie: Which of the classes with equal votes wins: the first in their order, or that of the nearest neighbor. Range: "first", "nearest".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    weights: The weight of a neighbor: uniform (1), distance (1 / distance; rows at distance 0, if there are any, decide alone), gaussian (exp(-gamma
        distance^2)), or an expression of distance, such as "1 / (1 + distance^2)".
    """

    _estimator = 'knn_classifier'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'distance')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        index: str | None = 'auto',
        k: int | str | None = None,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_k: int | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        outlier_label: float | bool | str | None = None,
        p: float | None = None,
        prefix_weight: float | None = None,
        radius: float | str | None = None,
        radius_inclusive: bool | None = False,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        tie: str | None = 'first',
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
        weights: str | None = 'uniform',
    ) -> None:
        self._init(locals())


class KnnRegression(Target, Distances):
    """Predicts the mean target of the nearest rows.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For gaussian weights: exp(-gamma distance^2); or for the kernel of metric kernel. Range: x > 0. Default: 1, if sigma is not given either.
    index: How neighbors are searched: by a tree, or by comparing with all rows, with the same result; auto decides by metric, rows and features.
        Range: "auto", "kd_tree", "ball_tree", "brute".
    k: How many of the nearest rows are neighbors: a number, all, or loo for the number with the least leave-one-out error. Range: 1 <= x <=
        1000000000; or "all", "loo". Default: 5, or all rows within radius.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_k: With k = loo: the largest k tried. Range: 1 <= x <= 1000000. Default: 50, or one less than the rows.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    radius: Makes all rows nearer than this neighbors, instead of the k nearest. Range: x >= 0; or "Infinity". Default: k decides.
    radius_inclusive: Makes rows exactly at the radius neighbors, too.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For gaussian weights: exp(-distance^2 / (2 sigma^2)); or for kernel rbf. Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    weights: The weight of a neighbor: uniform (1), distance (1 / distance; rows at distance 0, if there are any, decide alone), gaussian (exp(-gamma
        distance^2)), or an expression of distance, such as "1 / (1 + distance^2)".
    """

    _estimator = 'knn_regression'
    _first = 'target'
    _functions = ('predict', 'distance')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        index: str | None = 'auto',
        k: int | str | None = None,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_k: int | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        radius: float | str | None = None,
        radius_inclusive: bool | None = False,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
        weights: str | None = 'uniform',
    ) -> None:
        self._init(locals())


class LassoRegression(Target):
    """Least squares with a penalty on the absolute coefficients, which sets many of them to 0.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    lambda_: The penalty on the coefficients (0: least squares): a number, an array of numbers, "path" for a path of them; or chosen by
        cross-validation ("cv"). Range: x >= 0; or "path", "cv".
    level: Confidence level of the limits in coefficients(), if there is no penalty. Range: 0 < x < 1.
    lower: The least that coefficients may be: a number for all of them, or {"term": number}; the intercept has no bounds. Default: none.
    max_iter: Maximum number of passes over the coefficients per lambda; reaching it gives a WARNING. Range: 1 <= x <= 1000000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    path: Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path(). Range: 2 <= x <= 10000. Default:
        none; 100 if lambda is a word.
    path_ratio: The smallest lambda of a path divided by the largest. Range: 0 < x < 1.
    penalty_budget: Instead of lambda: the most that the penalty of the coefficients, without its factor lambda, may be; the fit finds the lambda at
        which it is that much, 0 if least squares stays below. Range: x > 0. Default: lambda decides.
    reduction: What the penalty is added to: the sum of squared residuals, or their mean. Range: "sum", "mean".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    select: How to choose one of several lambdas: by the least error of cross-validation, as the largest lambda within one standard error of it, or by
        an information criterion. Range: "min", "1se", "aic", "bic". Default: the smallest lambda; min with cv.
    standardize: Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n).
    tolerance: Stop when the duality gap is at most this share of the target's sum of squares. Range: 0 < x <= 1.
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    upper: The most that they may be, in the same form. Default: none.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'lasso_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        intercept: bool | None = True,
        lambda_: float | str | Sequence[Any] | None = 1,
        level: float | None = 0.95,
        lower: float | Mapping[str, Any] | None = None,
        max_iter: int | None = 10000,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        path: int | None = None,
        path_ratio: float | None = 0.001,
        penalty_budget: float | None = None,
        reduction: str | None = 'sum',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = None,
        standardize: bool | None = False,
        tolerance: float | None = 1e-08,
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        upper: float | Mapping[str, Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Lda(Classifier, Transformer, Probabilities, Decisions, Distances, Densities):
    """Linear discriminant analysis: normal classes with one covariance, and the projection that separates them best.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    ddof: The divisor of a covariance is the number of rows minus this for each class: 0 is maximum likelihood, 1 is unbiased. Range: 0 <= x <= 1.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    k: Number of directions that transform returns. Range: 1 <= x <= 10000. Default: all: at most one less than the classes.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    priors: Probabilities of the classes before a row is seen: their shares of the training rows (data), equal ones (uniform), or {"label":
        probability} for every class; 0 rules a class out. Range: 0 <= x <= 1; or "data", "uniform".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    rule: Predict the class with the largest prior times density (map), density (ml), or weight times density: {"label": weight}, 1 if not named.
        Range: x > 0; or "map", "ml".
    shrinkage: How far to shrink a covariance toward the target, 0 to 1, or how to estimate that: oas (oracle approximating shrinkage), ledoit_wolf,
        or auto (ledoit_wolf of standardized features, toward the diagonal). Range: 0 <= x <= 1; or "auto", "ledoit_wolf", "oas".
    shrinkage_target: What a covariance is shrunk toward: the mean variance times the identity, or its own diagonal. Range: "identity", "diagonal".
    singular: What to do with a covariance that has no inverse: raise an error, or use its pseudo-inverse, which ignores directions without variance.
        Range: "error", "pseudo_inverse".
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'lda'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'decisions', 'transform', 'distance', 'log_density', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        ddof: int | None = 0,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        k: int | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        priors: str | Mapping[str, Any] | None = 'data',
        reference: Mapping[str, Any] | None = None,
        rule: str | Mapping[str, Any] | None = 'map',
        shrinkage: float | str | None = 0,
        shrinkage_target: str | None = 'identity',
        singular: str | None = 'error',
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class LeastSquaresClassifier(Classifier, Decisions, Distances):
    """A linear classifier: least squares on classes coded as 1 and -1, from class moments.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    class_weight: Factors for the weights of the rows of each class: such that all classes have the same total (balanced), or {"label": factor}, 1 for
        classes not named; 0 leaves the rows of a class out. Range: x >= 0; or "none", "balanced".
    code_book: For ecoc: one row per class, in their order, and one column per binary problem, with values 1 and -1 (or 1 and 0). Range: -1 <= x <= 1.
        Default: random, by code_length.
    code_length: For ecoc without code_book: the number of columns of the random book. Range: 1 <= x <= 1000. Default: 10 log2(classes), or all
        possible problems if there are fewer.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gram_matrix: The matrix of the equations: the cross-products of the features (least squares), their diagonal (as if features were uncorrelated),
        or the mean of the diagonal (as if they also had equal variances). Range: "products", "diagonal", "identity".
    intercept: Whether the equation has a constant; it is not penalized.
    lambda_: The penalty on the sum of squared coefficients, for correlated or many features. Range: x >= 0.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    multiclass: How several classes are handled: by one equation per class on 1 and 0 (indicator), or by binary problems: each class against the
        others (ovr), pairs of classes (ovo), or output codes (ecoc). Range: "indicator", "ovr", "ovo", "ecoc".
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: For ecoc: seed of the random code book. Range: -9007199254740992 <= x <= 9007199254740992.
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'least_squares_classifier'
    _first = 'label'
    _functions = ('predict', 'classify', 'decisions', 'distance', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        class_weight: str | Mapping[str, Any] | None = 'none',
        code_book: Sequence[Any] | None = None,
        code_length: int | None = None,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gram_matrix: str | None = 'products',
        intercept: bool | None = True,
        lambda_: float | None = 0,
        max_levels: int | None = 1000,
        missing: str | None = None,
        multiclass: str | None = 'indicator',
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        tie: str | None = 'negative',
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class LinearRegression(Target):
    """Least squares: the coefficients with the smallest sum of squared residuals.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    absorb: Fixed effects: a column of the feature row, or an array of up to four, whose levels, compared as text, each have an effect of their own
        that is taken out of the rows and not kept; "." of a formula leaves them out. Default: no fixed effects.
    cluster: For CR0 to CR2: a column of the feature row, or an array of them, whose values, compared as text, are the clusters; "." of a formula
        leaves it out. Default: rows are independent.
    decompose: Fit one slope per term separately, as if the terms were uncorrelated; there are no standard errors.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; without one, r_squared compares with 0 instead of the mean.
    lag: For NW: how many rows back errors may be correlated. Range: 0 <= x <= 1000000000. Default: chosen from the rows (Newey & West 1994.
    level: Confidence level of the limits in coefficients() and predict_interval(). Range: 0 < x < 1.
    lower: The least that coefficients may be: a number for all of them, or {"term": number}; the intercept has no bounds. Default: none.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    order: For NW: a column of the feature row, a number, date or timestamp, that orders the rows; "." of a formula leaves it out. Default: rows have
        no order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    solution: Where terms depend on each other: drop terms until the rest do not (drop), or of all solutions take the coefficients with the least sum
        of squares (minimum_norm), also with fewer rows than coefficients; it has no standard errors. Range: "drop", "minimum_norm".
    standardize: Keep the standard deviations of the features and of the target for standardized_coefficients(model); the equation is the same either
        way.
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    upper: The most that they may be, in the same form. Default: none.
    vcov: The covariance of the coefficients, from which standard errors come: classical; against unequal variances (HC0 to HC3); for clusters of rows
        (CR0, CR1, CR1S, CR2); for series (NW, Newey-West). Range: "classical", "HC0", "HC1", "HC2", "HC3", "CR0", "CR1", "CR1S", "CR2", "NW".
        Default: classical.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'linear_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        absorb: str | Sequence[Any] | None = None,
        cluster: str | Sequence[Any] | None = None,
        decompose: bool | None = False,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        lag: int | None = None,
        level: float | None = 0.95,
        lower: float | Mapping[str, Any] | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        order: str | None = None,
        reference: Mapping[str, Any] | None = None,
        solution: str | None = 'drop',
        standardize: bool | None = False,
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        upper: float | Mapping[str, Any] | None = None,
        vcov: str | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class LocalOutlierFactor(Outliers, Unweighted):
    """Finds outliers: rows whose neighborhood is less dense than those of their neighbors.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    contamination: Which rows classify calls out: those with a factor above 1.5 (auto), or as many as this share of the training rows. Range: 0 < x <=
        0.5; or "auto".
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    k: How many neighbors a row is compared with. Range: 1 <= x <= 1000000000.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'local_outlier_factor'
    _first = 'id'
    _functions = ('classify', 'decisions')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        contamination: float | str | None = 'auto',
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        k: int | None = 20,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class LogisticCalibration(Classifier, Probabilities):
    """Maps scores to probabilities by a logistic curve, from the means and the common variance of the scores of two classes.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    class_ratio: The probability of the positive class divided by that of the negative one in the data to be scored; data: the ratio in the
        calibration rows. Range: 0 < x <= 1e+100; or "data".
    ddof: Subtracted from the number of rows in the divisor of the variance; 2 makes it unbiased. Range: 0 <= x <= 2.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    threshold: For two classes: the positive class is predicted if its probability is above this. Range: 0 < x < 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'logistic_calibration'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities')
    _one_feature = True

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        class_ratio: float | str | None = 1,
        ddof: int | None = 0,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        reference: Mapping[str, Any] | None = None,
        threshold: float | None = 0.5,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class LogisticRegression(Classifier, Probabilities, Decisions, Distances):
    """Probabilities of two or more classes from linear scores, by maximum likelihood with or without a penalty.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    alpha: For elastic_net: the penalty is lambda (alpha |w| + (1 - alpha) w^2). Range: 0 <= x <= 1.
    class_weight: Factors for the weights of the rows of each class: such that all classes have the same total (balanced), or {"label": factor}, 1 for
        classes not named; 0 leaves the rows of a class out. Range: x >= 0; or "none", "balanced".
    cluster: For CR0 to CR2: a column of the feature row, or an array of them, whose values, compared as text, are the clusters; "." of a formula
        leaves it out. Default: rows are independent.
    code_book: For ecoc: one row per class, in their order, and one column per binary problem, with values 1 and -1 (or 1 and 0). Range: -1 <= x <= 1.
        Default: random, by code_length.
    code_length: For ecoc without code_book: the number of columns of the random book. Range: 1 <= x <= 1000. Default: 10 log2(classes), or all
        possible problems if there are fewer.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    lag: For NW: how many rows back errors may be correlated. Range: 0 <= x <= 1000000000. Default: chosen from the rows (Newey & West 1994.
    lambda_: The strength of the penalty, which is added to the sum of the rows' losses: a number, an array of numbers, "path" for a path of them, or
        "cv" for the one that cross-validation chooses. Range: x >= 0; or "path", "cv".
    level: Confidence level of the limits in coefficients(), if there is no penalty. Range: 0 < x < 1.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    multiclass: How several classes are handled: by one model of all classes (multinomial), or by binary problems: each class against the others
        (ovr), pairs of classes (ovo), or output codes (ecoc). Range: "multinomial", "ovr", "ovo", "ecoc".
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    order: For NW: a column of the feature row, a number, date or timestamp, that orders the rows; "." of a formula leaves it out. Default: rows have
        no order.
    path: Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path(). Range: 2 <= x <= 10000. Default:
        none; 100 if lambda is a word.
    path_ratio: The smallest lambda of a path divided by the largest; 1e-06 if not given for an l2 penalty. Range: 0 < x < 1.
    penalty: The penalty on the coefficients: lambda times the sum of squares (l2), of absolute values (l1), or of both (elastic_net). Range: "none",
        "l2", "l1", "elastic_net". Default: l2 if lambda is given, otherwise none.
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reduction: What the penalty is added to: the sum of the rows' losses, or their mean. Range: "sum", "mean".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    select: How to choose one of several lambdas: by the least error of cross-validation (min), or as the largest lambda within one standard error of
        it (1se). Range: "min", "1se". Default: the smallest lambda; min with cv.
    standardize: Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n).
    start: Start from this logistic_regression of the same features and classes. Default: coefficients of 0.
    threshold: For two classes: the positive class is predicted if its probability is above this. Range: 0 < x < 1.
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    tolerance: Stop when the next step would lower the objective by less than this per row of mean weight. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    vcov: The covariance of the coefficients, from which standard errors come: classical; against unequal variances (HC0 to HC3); for clusters of rows
        (CR0, CR1, CR1S, CR2); for series (NW, Newey-West). Range: "classical", "HC0", "HC1", "HC2", "HC3", "CR0", "CR1", "CR1S", "CR2", "NW".
        Default: classical.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'logistic_regression'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'decisions', 'distance', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        alpha: float | None = 0.5,
        class_weight: str | Mapping[str, Any] | None = 'none',
        cluster: str | Sequence[Any] | None = None,
        code_book: Sequence[Any] | None = None,
        code_length: int | None = None,
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        intercept: bool | None = True,
        lag: int | None = None,
        lambda_: float | str | Sequence[Any] | None = 0,
        level: float | None = 0.95,
        max_iter: int | None = 1000,
        max_levels: int | None = 1000,
        missing: str | None = None,
        multiclass: str | None = 'multinomial',
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        order: str | None = None,
        path: int | None = None,
        path_ratio: float | None = 0.001,
        penalty: str | None = None,
        positive: float | bool | str | None = None,
        reduction: str | None = 'sum',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = None,
        standardize: bool | None = False,
        start: Any | None = None,
        threshold: float | None = 0.5,
        tie: str | None = 'negative',
        tolerance: float | None = 1e-10,
        unseen: str | None = 'reference',
        vcov: str | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Mds(Transformer):
    """Classical multidimensional scaling: few coordinates whose distances approximate those of the rows, by any metric.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    k: Number of coordinates. Range: 1 <= x <= 2147483647.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'mds'
    _first = 'id'
    _functions = ('transform',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        k: int | None = 2,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class MeanShift(Clusterer, Distances):
    """Clusters around modes, the places where rows are densest; nobody has to say how many there are.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    bandwidth: How far a place looks for rows, rows at exactly this distance included. Range: 0 < x <= 1e+300. Default: estimated by
        bandwidth_quantile.
    bandwidth_quantile: The share of the rows within the estimated bandwidth of a row, on average, the row itself included. Range: 0 < x <= 1.
    bandwidth_rows: Estimate the bandwidth from this many of the rows, spread over all of them, each compared with all, which takes time by the square
        of their number. Range: 1 <= x <= 1000000000. Default: every row.
    bin_seeding: Start from the cells of a grid as wide as the bandwidth that have rows, instead of from every row: faster.
    cluster_all: Whether rows farther than the bandwidth from all modes belong to the nearest all the same; else they are noise, NULL.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_iter: Maximum number of moves from a seed; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    min_bin_weight: With bin_seeding: the least weight of the rows in a cell to start from. Range: 0 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'mean_shift'
    _first = ''
    _functions = ('predict', 'cluster', 'distance')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        bandwidth: float | None = None,
        bandwidth_quantile: float | None = 0.3,
        bandwidth_rows: int | None = None,
        bin_seeding: bool | None = False,
        cluster_all: bool | None = True,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_iter: int | None = 300,
        max_levels: int | None = 1000,
        min_bin_weight: float | None = 1,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Medoid(Distances):
    """The row with the least sum of distances to the others, by any metric.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'medoid'
    _first = ''
    _functions = ('distance',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class MinmaxScaler(Transformer, Inverse):
    """Brings each feature to the range 0 to 1, or to another.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    clip: Numbers outside those of the training rows become the nearest end of the range.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    range: What the smallest and the largest number of each feature become.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'minmax_scaler'
    _first = ''
    _functions = ('transform', 'inverse_transform')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        clip: bool | None = False,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        range: Sequence[Any] | None = (0, 1),
        reference: Mapping[str, Any] | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class MixedRegression(Target):
    """A linear equation whose intercept and slopes may differ between groups at random, for rows in groups or repeated measurements.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    df: Degrees of freedom of the t tests of fixed effects; asymptotic: infinitely many, tests by the normal distribution. Range: "satterthwaite",
        "asymptotic".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the fixed effects have a constant.
    level: Confidence level of the limits in coefficients() and predict_interval(). Range: 0 < x < 1.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    reml: Restricted maximum likelihood; false: maximum likelihood, whose likelihoods compare models of different fixed effects.
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'mixed_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        df: str | None = 'satterthwaite',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        level: float | None = 0.95,
        max_iter: int | None = 1000,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        reml: bool | None = True,
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class MmRegression(Target):
    """A linear equation by Yohai's MM-estimate: up to half of the rows may be outliers, in target and features.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant.
    level: Confidence level of the limits. Range: 0 < x < 1.
    max_iter: Maximum number of steps of each stage; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    n_init: How many equations through random rows are tried as a start. Range: 1 <= x <= 1000000.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    tolerance: Stop when a step moves the predictions by at most this times the scale, in the mean square. Range: 0 < x <= 1.
    tuning: Residuals above tuning times the scale do not count; 4.685061 is 95 % efficient for normal errors. Range: x >= 1.54764.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'mm_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        level: float | None = 0.95,
        max_iter: int | None = 500,
        max_levels: int | None = 1000,
        missing: str | None = None,
        n_init: int | None = 500,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        tolerance: float | None = 1e-10,
        tuning: float | None = 4.685061,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class MultipleQuantileRegression(Targets):
    """Linear equations for several quantiles of the target, from one reading of the rows; predictions that do not cross by option.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    errors: Standard errors from a kernel density of the residuals (kernel), from two more fits at quantiles nearby for each (nid), or none. Range:
        "kernel", "nid", "none".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant.
    level: Confidence level of the limits in coefficients(). Range: 0 < x < 1.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    quantile: The shares of rows below the equations, in increasing order. Range: 1e-09 <= x <= 0.999999999.
    rearrange: Sort the predictions of each row, so that those of a higher quantile are not lower (Chernozhukov, Fernandez-Val & Galichon 2010).
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    tolerance: Stop when the sum of the check losses is at most this share above the least one, by the duality gap. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'multiple_quantile_regression'
    _first = 'target'
    _functions = ('transform', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        errors: str | None = 'kernel',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        level: float | None = 0.95,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        quantile: Sequence[Any] | None = (0.25, 0.5, 0.75),
        rearrange: bool | None = False,
        reference: Mapping[str, Any] | None = None,
        tolerance: float | None = 1e-14,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class MultivariateNormal(Distances, Densities):
    """The normal distribution of the rows: log densities, Mahalanobis distances, outliers.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    ddof: The covariance divides by the number of rows minus this; 0 is maximum likelihood. Range: 0 <= x <= 1.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    regularization: Added to every variance. Range: x >= 0.
    shrinkage: How far to shrink the covariance toward the mean variance times the identity, 0 to 1, or how to estimate that: oas, ledoit_wolf, or
        auto (ledoit_wolf of standardized features, toward the diagonal). Range: 0 <= x <= 1; or "auto", "ledoit_wolf", "oas".
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'multivariate_normal'
    _first = ''
    _functions = ('decisions', 'distance', 'log_density')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        ddof: int | None = 0,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        regularization: float | None = 0,
        shrinkage: float | str | None = 0,
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class MultivariateRegression(Targets):
    """Least squares for an array of targets: one equation per target, all from one factor of the features.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equations have a constant; without one, r_squared compares with 0 instead of the mean.
    level: Confidence level of the limits. Range: 0 < x < 1.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    targets: The names of the targets, in their order in the array. Default: target[1], target[2], ....
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'multivariate_regression'
    _first = 'target'
    _functions = ('transform', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        level: float | None = 0.95,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        targets: Sequence[Any] | None = None,
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class NaiveBayes(Classifier, Probabilities, Decisions, Distances, Densities):
    """Naive Bayes: assumes that features are independent within a class; numbers are normal, categories have level frequencies.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    level_smoothing: Pseudo-count added to each level of a categorical feature in each class, so that none has probability 0. Range: x > 0.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    priors: Probabilities of the classes before a row is seen: their shares of the training rows (data), equal ones (uniform), or {"label":
        probability} for every class; 0 rules a class out. Range: 0 <= x <= 1; or "data", "uniform".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    rule: Predict the class with the largest prior times density (map), density (ml), or weight times density: {"label": weight}, 1 if not named.
        Range: x > 0; or "map", "ml".
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    var_smoothing: Added to every variance, as a share of the largest variance of a feature over all rows. Range: x >= 0.
    variance: Which variances are estimated: one per feature and class, one per class, one per feature, or a single one. Range: "feature_class",
        "class", "feature_shared", "shared".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'naive_bayes'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'decisions', 'distance', 'log_density', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        level_smoothing: float | None = 1,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        priors: str | Mapping[str, Any] | None = 'data',
        reference: Mapping[str, Any] | None = None,
        rule: str | Mapping[str, Any] | None = 'map',
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        var_smoothing: float | None = 1e-09,
        variance: str | None = 'feature_class',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class NearestCentroid(Classifier, Decisions, Distances):
    """The class whose mean is nearest; with two classes and Euclidean distance, the basic linear classifier.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    exemplar: What stands for a class: its mean; medoids and geometric medians, which need all rows, are those of nearest_exemplar. Range: "mean",
        "medoid", "geometric_median". Default: mean.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance of a row from the mean of a class. Range: "euclidean", "manhattan", "chebyshev", "cosine", "standardized_euclidean",
        "mahalanobis".
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    priors: Probabilities of the classes before a row is seen, of which the logarithms are added to minus half the squared distances: equal (uniform),
        the shares of the training rows (data), or {"label": probability} for all classes, where 0 rules a class out. Range: 0 <= x <= 1; or "data",
        "uniform".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'nearest_centroid'
    _first = 'label'
    _functions = ('predict', 'classify', 'decisions', 'distance', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        exemplar: str | None = None,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        priors: str | Mapping[str, Any] | None = 'uniform',
        reference: Mapping[str, Any] | None = None,
        standardize: bool | None = False,
        tie: str | None = 'negative',
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class NearestExemplar(Classifier, Decisions, Distances):
    """The class whose medoid, mean or geometric median is nearest, by any metric.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    exemplar: What stands for a class: its row with the least sum of distances to the others (medoid), its mean, or the point with the least sum of
        euclidean distances to its rows (geometric_median). Range: "medoid", "mean", "geometric_median".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'nearest_exemplar'
    _first = 'label'
    _functions = ('predict', 'classify', 'decisions', 'distance')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        exemplar: str | None = 'medoid',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        positive: float | bool | str | None = None,
        prefix_weight: float | None = None,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        tie: str | None = 'negative',
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class NegativeBinomialRegression(Target):
    """Poisson regression for counts that vary more than Poisson's.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    alpha: For elastic_net: the penalty is lambda (alpha |w| + (1 - alpha) w^2). Range: 0 <= x <= 1.
    cluster: For CR0 to CR2: a column of the feature row, or an array of them, whose values, compared as text, are the clusters; "." of a formula
        leaves it out. Default: rows are independent.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    lag: For NW: how many rows back errors may be correlated. Range: 0 <= x <= 1000000000. Default: chosen from the rows (Newey & West 1994.
    lambda_: The strength of the penalty, which is added to half the deviance: a number, an array of numbers, "path" for a path of them, or "cv" for
        the one that cross-validation chooses. Range: x >= 0; or "path", "cv".
    level: Confidence level of the limits in coefficients(), if there is no penalty. Range: 0 < x < 1.
    link: The function of the mean that is linear in the features. Range: "identity", "log", "logit", "probit", "cloglog", "cauchit", "inverse",
        "inverse_squared", "sqrt", "power".
    link_power: Of link power: the score is this power of the mean, not 0. Default: none.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    order: For NW: a column of the feature row, a number, date or timestamp, that orders the rows; "." of a formula leaves it out. Default: rows have
        no order.
    path: Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path(). Range: 2 <= x <= 10000. Default:
        none; 100 if lambda is a word.
    path_ratio: The smallest lambda of a path divided by the largest; 1e-06 if not given for an l2 penalty. Range: 0 < x < 1.
    penalty: The penalty on the coefficients: lambda times the sum of squares (l2), of absolute values (l1), or of both (elastic_net). Range: "none",
        "l2", "l1", "elastic_net". Default: l2 if lambda is given, otherwise none.
    reduction: What the penalty is added to: the sum of the rows' losses, or their mean. Range: "sum", "mean".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    select: How to choose one of several lambdas: by the least error of cross-validation (min), or as the largest lambda within one standard error of
        it (1se). Range: "min", "1se". Default: the smallest lambda; min with cv.
    standardize: Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n).
    start: Start from this model of the same method, features, family and link (model::jsonb). Default: from the targets.
    theta: Of family negative_binomial, whose variance is m + m^2 / theta for a mean m. Range: x > 0. Default: estimated.
    tolerance: Stop when the next step would lower the deviance by less than the square of this share of it. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    vcov: The covariance of the coefficients, from which standard errors come: classical; against unequal variances (HC0 to HC3); for clusters of rows
        (CR0, CR1, CR1S, CR2); for series (NW, Newey-West). Range: "classical", "HC0", "HC1", "HC2", "HC3", "CR0", "CR1", "CR1S", "CR2", "NW".
        Default: classical.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'negative_binomial_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        alpha: float | None = 0.5,
        cluster: str | Sequence[Any] | None = None,
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        intercept: bool | None = True,
        lag: int | None = None,
        lambda_: float | str | Sequence[Any] | None = 0,
        level: float | None = 0.95,
        link: str | None = 'log',
        link_power: float | None = None,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        order: str | None = None,
        path: int | None = None,
        path_ratio: float | None = 0.001,
        penalty: str | None = None,
        reduction: str | None = 'sum',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = None,
        standardize: bool | None = False,
        start: Any | None = None,
        theta: float | None = None,
        tolerance: float | None = 1e-10,
        unseen: str | None = 'reference',
        vcov: str | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Neighbors(Distances):
    """Keeps rows with their ids, so that the nearest ones can be found.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    index: How neighbors are searched: by a tree, or by comparing with all rows, with the same result; auto decides by metric, rows and features.
        Range: "auto", "kd_tree", "ball_tree", "brute".
    k: How many rows nearest() returns if its call does not say: a number, or all. Range: 1 <= x <= 1000000000; or "all". Default: 5, or all rows
        within radius.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    radius: Makes all rows nearer than this neighbors, instead of the k nearest. Range: x >= 0; or "Infinity". Default: k decides.
    radius_inclusive: Makes rows exactly at the radius neighbors, too.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'neighbors'
    _first = 'id'
    _functions = ('distance',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        index: str | None = 'auto',
        k: int | str | None = None,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        radius: float | str | None = None,
        radius_inclusive: bool | None = False,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class OneClassSvm(Outliers):
    """The support vector machine of one class: learns a region that holds most of the rows, to detect novel ones.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    approximation: Replace the kernel by products of explicit features, for more rows than can be compared with each other: kernel values with some
        rows (nystroem, any kernel) or random cosines and sines (fourier, rbf). Range: "none", "nystroem", "fourier".
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    decay: For subsequence: the factor of each character that an occurrence spans, gaps included. Range: 0 < x <= 1.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    frequencies: For approximation fourier: the number of random frequencies, each of which makes two features. Range: 1 <= x <= 20000. Default: 500.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    kernel: The kernel that replaces the product of two rows; an object such as {"sum": [{"kernel": "rbf"}, {"kernel": "linear", "weight": 0.5}]} or
        {"product": [...]} combines several. Range: "linear", "polynomial", "rbf", "sigmoid", "precomputed", "spectrum", "subsequence".
    landmarks: For approximation nystroem: the number of rows to compare all others with. Range: 1 <= x <= 20000. Default: 500, or all distinct rows.
    length: For spectrum and subsequence: how many characters are compared at a time. Range: 1 <= x <= 100.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000000000. Default: 10 million, or 100 per row if that is
        more.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    normalized: For spectrum and subsequence: divide by the square root of both texts' kernels with themselves, so that long texts do not count more.
    nu: The largest share of the rows that may be outside the region, and the smallest share that are support vectors. Range: 0 < x <= 1.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    shrinking: Whether the solver sets rows aside whose multipliers are unlikely to change: faster, with the same result, for kernels that are not
        linear, and with nu.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    tolerance: When to stop: when no two multipliers violate the optimality conditions by more. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'one_class_svm'
    _first = ''
    _functions = ('classify', 'decisions')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        approximation: str | None = 'none',
        coef0: float | None = 0,
        decay: float | None = 0.5,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        frequencies: int | None = None,
        gamma: float | None = None,
        kernel: str | Mapping[str, Any] | None = 'rbf',
        landmarks: int | None = None,
        length: int | None = 3,
        max_iter: int | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        normalized: bool | None = True,
        nu: float | None = 0.5,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        shrinking: bool | None = True,
        sigma: float | None = None,
        standardize: bool | None = False,
        tolerance: float | None = 0.001,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class OneHot(Transformer):
    """Turns each category into one column of zeros and ones per level; numbers stay as they are.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    drop: Which levels get no column: none, the first of each feature, or the first of features with two levels. Range: "none", "first", "if_binary".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'one_hot'
    _first = ''
    _functions = ('transform',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        drop: str | None = 'none',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Optics(Estimator):
    """Orders the rows so that clusters of every density are valleys of one curve, the distance at which each row is reached.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    angle_unit: For haversine: the unit of latitude and longitude. Range: "degrees", "radians". Default: degrees.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    covariance: For mahalanobis: the covariance matrix. Default: that of the rows, with divisor n.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid".
    matrix: For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b). Default: required by elliptical.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    metric: The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and hamming
        one text by its positions. Range: "angular", "binary", "bray_curtis", "canberra", "chebyshev", "correlation", "cosine", "damerau", "dice",
        "edit", "elliptical", "euclidean", "gower", "hamming", "haversine", "jaccard", "jaro_winkler", "kernel", "mahalanobis", "manhattan",
        "minkowski", "mixed", "seuclidean", "squared_euclidean", "standardized_euclidean", or the signature of a function.
    min_samples: The weight of the rows that make a place dense, the row itself included: a number of rows where all weigh 1. Range: 1 <= x <=
        1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    p: The order of minkowski and mixed; below 1 the triangle inequality does not hold. Range: x > 0. Default: 2.
    prefix_weight: For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance. Range: 0 <= x <= 0.25.
        Default: 0.1.
    radius: How far a row looks for others, by the metric. Range: 0 < x <= 1e+300. Default: any distance, which compares all pairs.
    ranges: For gower: one range per number or ordered enum. Range: x > 0. Default: those of the rows.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    sphere_radius: For haversine: the radius of the sphere, in the unit that distances shall have. Range: x > 0. Default: 6371.0088, that of the earth
        in kilometers.
    standardize: Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so
        rows to score are given as they come.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    variances: For standardized_euclidean and mixed: one variance per number. Range: x > 0. Default: those of the rows, with divisor n.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'optics'
    _first = 'id'
    _functions = ()

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        angle_unit: str | None = None,
        coef0: float | None = 0,
        covariance: Sequence[Any] | None = None,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        gamma: float | None = None,
        kernel: str | None = 'rbf',
        matrix: Sequence[Any] | None = None,
        max_levels: int | None = 1000,
        metric: str | None = 'euclidean',
        min_samples: float | None = 5,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        p: float | None = None,
        prefix_weight: float | None = None,
        radius: float | None = None,
        ranges: Sequence[Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        sigma: float | None = None,
        sphere_radius: float | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        variances: Sequence[Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class OrdinalRegression(Classifier, Probabilities):
    """Probabilities of ordered classes, such as ratings, from one linear score and cuts between the classes: proportional odds or ordered probit.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    level: Confidence level of the limits. Range: 0 < x < 1.
    levels: The labels from the lowest to the highest class; those that no row has are left out. Default: the order of numbers, booleans and enums.
    link: The distribution behind the classes: logistic, so that odds are proportional (logit), or normal (probit). Range: "logit", "probit".
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    tolerance: A step is the last if it promises at most this share of the deviance. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'ordinal_regression'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        level: float | None = 0.95,
        levels: Sequence[Any] | None = None,
        link: str | None = 'logit',
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        tolerance: float | None = 1e-12,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Pca(Transformer, Inverse, Distances, Densities):
    """Principal components: few new features that keep most of the variance of many.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    algorithm: From rows, "factor" keeps a triangular factor instead of cross-products: components are resolved down to 1e-13 instead of 1e-8 of the
        first one's standard deviation, at one to three times the cost. Range: "covariance", "factor". Default: covariance from rows; the kind of the
        moments.
    ddof: Variances divide by the number of rows minus this. Range: 0 <= x <= 1.
    explained: Instead of k: the smallest number of components that explain at least this share of the variance. Range: 0 < x <= 1. Default: k
        decides.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    k: Number of components. Range: 1 <= x <= 10000. Default: as many as the rows span, or explain the share explained.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    standardize: Divide each feature by its standard deviation first, which gives components of the correlations; a constant feature has loadings of
        0.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    whiten: Divide each score by its standard deviation, so that all have variance 1.
    """

    _estimator = 'pca'
    _first = ''
    _functions = ('transform', 'inverse_transform', 'distance', 'log_density')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        algorithm: str | None = None,
        ddof: int | None = 0,
        explained: float | None = None,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        k: int | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
        whiten: bool | None = False,
    ) -> None:
        self._init(locals())


class Perceptron(Classifier, Decisions, Distances):
    """A classifier learned mistake by mistake, in the order of the rows (ORDER BY inside the call): linear, or with a kernel.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    approximation: Replace the kernel by products of explicit features, for more rows than can be compared with each other: kernel values with some
        rows (nystroem, any kernel) or random cosines and sines (fourier, rbf). Range: "none", "nystroem", "fourier".
    averaged: Whether to return the average of the coefficients after each row instead of the last ones; voted: all are kept and vote with the number
        of rows that they survived. Range: "voted".
    class_weight: Factors for the weights of the rows of each class: such that all classes have the same total (balanced), or {"label": factor}, 1 for
        classes not named; 0 leaves the rows of a class out. Range: x >= 0; or "none", "balanced".
    code_book: For ecoc: one row per class, in their order, and one column per binary problem, with values 1 and -1 (or 1 and 0). Range: -1 <= x <= 1.
        Default: random, by code_length.
    code_length: For ecoc without code_book: the number of columns of the random book. Range: 1 <= x <= 1000. Default: 10 log2(classes), or all
        possible problems if there are fewer.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    decay: For subsequence: the factor of each character that an occurrence spans, gaps included. Range: 0 < x <= 1.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    frequencies: For approximation fourier: the number of random frequencies, each of which makes two features. Range: 1 <= x <= 20000. Default: 500.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    init: Where to start: at 0, or at the basic linear classifier, halfway between the class means. Range: "zero", "basic_linear".
    intercept: Whether the equation has a constant: a feature that is always 1.
    kernel: The kernel that replaces the product of two rows; with another one than linear, the model keeps the rows that were mistakes, and has no
        constant but that of the kernel. Range: "linear", "polynomial", "rbf", "sigmoid", "precomputed", "spectrum", "subsequence".
    landmarks: For approximation nystroem: the number of rows to compare all others with. Range: 1 <= x <= 20000. Default: 500, or all distinct rows.
    learning_rate: Factor of the row that is added after a mistake; if the fit starts at 0, it only scales the coefficients. Range: 0 < x <= 1.
    length: For spectrum and subsequence: how many characters are compared at a time. Range: 1 <= x <= 100.
    max_iter: Maximum number of passes over the rows, fewer if one has no mistakes. Range: 1 <= x <= 1000000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    mistakes: Whether the model keeps how often each row was a mistake, in row order (the dual view).
    multiclass: How several classes are split into binary problems: each class against the others (ovr), pairs of classes (ovo), or output codes
        (ecoc). Range: "ovr", "ovo", "ecoc".
    normalized: For spectrum and subsequence: divide by the square root of both texts' kernels with themselves, so that long texts do not count more.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    standardize: Learn from standardized features, less the mean and divided by the standard deviation (divisor n), not with start; the coefficients
        are in the original units either way.
    start: Continue from this model of the same method, features and options (model::jsonb). Default: a new model.
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'perceptron'
    _first = 'label'
    _functions = ('predict', 'classify', 'decisions', 'distance', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        approximation: str | None = 'none',
        averaged: bool | str | None = False,
        class_weight: str | Mapping[str, Any] | None = 'none',
        code_book: Sequence[Any] | None = None,
        code_length: int | None = None,
        coef0: float | None = 0,
        decay: float | None = 0.5,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        frequencies: int | None = None,
        gamma: float | None = None,
        init: str | None = 'zero',
        intercept: bool | None = True,
        kernel: str | Mapping[str, Any] | None = 'linear',
        landmarks: int | None = None,
        learning_rate: float | None = 1,
        length: int | None = 3,
        max_iter: int | None = 1000,
        max_levels: int | None = 1000,
        missing: str | None = None,
        mistakes: bool | None = False,
        multiclass: str | None = 'ovr',
        normalized: bool | None = True,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        sigma: float | None = None,
        standardize: bool | None = False,
        start: Any | None = None,
        tie: str | None = 'negative',
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class PerceptronRegression(Target):
    """A linear equation learned row by row, in the order of the rows (ORDER BY inside the call).

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant: a feature that is always 1.
    learning_rate: Factor of each step, residual times row; if it is too large, the fit diverges. Range: 0 < x <= 1.
    max_iter: Maximum number of passes over the rows. Range: 1 <= x <= 1000000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    standardize: Learn from standardized features, less the mean and divided by the standard deviation (divisor n), not with start; the coefficients
        are in the original units either way.
    start: Continue from this model of the same method, features and options (model::jsonb). Default: a new model.
    tolerance: Stop after a pass whose squared residuals add up to at most this; 0: after max_iter passes. Range: x >= 0.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    update: Whether a step is proportional to the residual (lms, least mean squares) or to its square, as printed by Flach. Range: "lms", "squared".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'perceptron_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        learning_rate: float | None = 0.01,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        standardize: bool | None = False,
        start: Any | None = None,
        tolerance: float | None = 0,
        unseen: str | None = 'reference',
        update: str | None = 'lms',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class PlattCalibration(Classifier, Probabilities):
    """Maps scores to probabilities by the logistic curve under which the labels are most likely.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    smoothing: Replaces the labels 1 and 0 by (n+ + 1) / (n+ + 2) and 1 / (n- + 2), which keeps the curve finite if the scores separate the classes.
    threshold: For two classes: the positive class is predicted if its probability is above this. Range: 0 < x < 1.
    tolerance: Stop when a step is expected to lower the mean loss by at most this. Range: 0 <= x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'platt_calibration'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities')
    _one_feature = True

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        reference: Mapping[str, Any] | None = None,
        smoothing: bool | None = True,
        threshold: float | None = 0.5,
        tolerance: float | None = 1e-12,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class PoissonRegression(Target):
    """A linear equation for the logarithm of the mean of counts, or of rates with an offset.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    alpha: For elastic_net: the penalty is lambda (alpha |w| + (1 - alpha) w^2). Range: 0 <= x <= 1.
    cluster: For CR0 to CR2: a column of the feature row, or an array of them, whose values, compared as text, are the clusters; "." of a formula
        leaves it out. Default: rows are independent.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    lag: For NW: how many rows back errors may be correlated. Range: 0 <= x <= 1000000000. Default: chosen from the rows (Newey & West 1994.
    lambda_: The strength of the penalty, which is added to half the deviance: a number, an array of numbers, "path" for a path of them, or "cv" for
        the one that cross-validation chooses. Range: x >= 0; or "path", "cv".
    level: Confidence level of the limits in coefficients(), if there is no penalty. Range: 0 < x < 1.
    link: The function of the mean that is linear in the features. Range: "identity", "log", "logit", "probit", "cloglog", "cauchit", "inverse",
        "inverse_squared", "sqrt", "power".
    link_power: Of link power: the score is this power of the mean, not 0. Default: none.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    order: For NW: a column of the feature row, a number, date or timestamp, that orders the rows; "." of a formula leaves it out. Default: rows have
        no order.
    path: Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path(). Range: 2 <= x <= 10000. Default:
        none; 100 if lambda is a word.
    path_ratio: The smallest lambda of a path divided by the largest; 1e-06 if not given for an l2 penalty. Range: 0 < x < 1.
    penalty: The penalty on the coefficients: lambda times the sum of squares (l2), of absolute values (l1), or of both (elastic_net). Range: "none",
        "l2", "l1", "elastic_net". Default: l2 if lambda is given, otherwise none.
    reduction: What the penalty is added to: the sum of the rows' losses, or their mean. Range: "sum", "mean".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    select: How to choose one of several lambdas: by the least error of cross-validation (min), or as the largest lambda within one standard error of
        it (1se). Range: "min", "1se". Default: the smallest lambda; min with cv.
    standardize: Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n).
    start: Start from this model of the same method, features, family and link (model::jsonb). Default: from the targets.
    tolerance: Stop when the next step would lower the deviance by less than the square of this share of it. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    vcov: The covariance of the coefficients, from which standard errors come: classical; against unequal variances (HC0 to HC3); for clusters of rows
        (CR0, CR1, CR1S, CR2); for series (NW, Newey-West). Range: "classical", "HC0", "HC1", "HC2", "HC3", "CR0", "CR1", "CR1S", "CR2", "NW".
        Default: classical.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'poisson_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        alpha: float | None = 0.5,
        cluster: str | Sequence[Any] | None = None,
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        intercept: bool | None = True,
        lag: int | None = None,
        lambda_: float | str | Sequence[Any] | None = 0,
        level: float | None = 0.95,
        link: str | None = 'log',
        link_power: float | None = None,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        order: str | None = None,
        path: int | None = None,
        path_ratio: float | None = 0.001,
        penalty: str | None = None,
        reduction: str | None = 'sum',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = None,
        standardize: bool | None = False,
        start: Any | None = None,
        tolerance: float | None = 1e-10,
        unseen: str | None = 'reference',
        vcov: str | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class PolynomialFeatures(Transformer):
    """Adds powers and products of the features up to a degree.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    degree: The most features that are multiplied. Range: 1 <= x <= 20.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    include_bias: Whether the first output is the constant 1.
    interaction_only: Leave out powers: multiply each feature at most once.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'polynomial_features'
    _first = ''
    _functions = ('transform',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        degree: int | None = 2,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        include_bias: bool | None = True,
        interaction_only: bool | None = False,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class Qda(Classifier, Probabilities, Decisions, Distances, Densities):
    """Quadratic discriminant analysis: normal classes, each with a covariance of its own.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    ddof: The divisor of a covariance is the number of rows minus this for each class: 0 is maximum likelihood, 1 is unbiased. Range: 0 <= x <= 1.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    pooling: How much of the pooled covariance is mixed into that of each class: 0 is qda, 1 is lda. Range: 0 <= x <= 1.
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    priors: Probabilities of the classes before a row is seen: their shares of the training rows (data), equal ones (uniform), or {"label":
        probability} for every class; 0 rules a class out. Range: 0 <= x <= 1; or "data", "uniform".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    regularization: How much of the identity, in squared units of the features, is mixed into every covariance. Range: 0 <= x <= 1.
    rule: Predict the class with the largest prior times density (map), density (ml), or weight times density: {"label": weight}, 1 if not named.
        Range: x > 0; or "map", "ml".
    shrinkage: How far to shrink a covariance toward the target, 0 to 1, or how to estimate that: oas (oracle approximating shrinkage), ledoit_wolf,
        or auto (ledoit_wolf of standardized features, toward the diagonal). Range: 0 <= x <= 1; or "auto", "ledoit_wolf", "oas".
    shrinkage_target: What a covariance is shrunk toward: the mean variance times the identity, or its own diagonal. Range: "identity", "diagonal".
    singular: What to do with a covariance that has no inverse: raise an error, or use its pseudo-inverse, which ignores directions without variance.
        Range: "error", "pseudo_inverse".
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'qda'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'decisions', 'distance', 'log_density', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        ddof: int | None = 0,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        pooling: float | None = 0,
        positive: float | bool | str | None = None,
        priors: str | Mapping[str, Any] | None = 'data',
        reference: Mapping[str, Any] | None = None,
        regularization: float | None = 0,
        rule: str | Mapping[str, Any] | None = 'map',
        shrinkage: float | str | None = 0,
        shrinkage_target: str | None = 'identity',
        singular: str | None = 'error',
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class QuantileBins(Transformer):
    """Turns each number into the bin that it is in; bins hold about as many rows each.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    bins: Bins per feature. Range: 2 <= x <= 10000.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    output: The number of the bin from 0, or one column of zeros and ones per bin. Range: "ordinal", "onehot".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'quantile_bins'
    _first = ''
    _functions = ('transform',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        bins: int | None = 5,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        output: str | None = 'ordinal',
        reference: Mapping[str, Any] | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class QuantileRegression(Target):
    """A linear equation for the median or another quantile of the target, which outliers of the target do not move.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    errors: Standard errors from a kernel density of the residuals (kernel), from two more fits at quantiles nearby (nid), or none; or limits from
        rank-score tests, without standard errors (rank). Range: "kernel", "nid", "none", "rank".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant.
    level: Confidence level of the limits in coefficients(). Range: 0 < x < 1.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    quantile: The share of rows below the equation: 0.5 for the median; a list makes a model of multiple_quantile_regression. Range: 1e-09 <= x <=
        0.999999999.
    rearrange: With a list of quantiles: whether the predictions of each row are sorted. Default: false.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    tolerance: Stop when the sum of the check losses is at most this share above the least one, by the duality gap. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'quantile_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        errors: str | None = 'kernel',
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        level: float | None = 0.95,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        quantile: float | Sequence[Any] | None = 0.5,
        rearrange: bool | None = None,
        reference: Mapping[str, Any] | None = None,
        tolerance: float | None = 1e-14,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class RidgeRegression(Target):
    """Least squares with a penalty on the squared coefficients, for correlated or many features.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    lambda_: The penalty on the sum of squared coefficients (0: least squares): a number, an array of numbers, "path" for a path of them; or chosen by
        cross-validation ("cv"), generalized cross-validation ("gcv") or leave-one-out ("loo", which keeps the rows). Range: x >= 0; or "path", "cv",
        "gcv", "loo".
    level: Confidence level of the limits in coefficients(), if there is no penalty. Range: 0 < x < 1.
    lower: The least that coefficients may be: a number for all of them, or {"term": number}; the intercept has no bounds. Default: none.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    path: Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path(). Range: 2 <= x <= 10000. Default:
        none; 100 if lambda is a word.
    path_ratio: The smallest lambda of a path divided by the largest. Range: 0 < x < 1.
    penalize_intercept: Whether to penalize the constant too, as if it were a feature that is always 1.
    penalty_budget: Instead of lambda: the most that the penalty of the coefficients, without its factor lambda, may be; the fit finds the lambda at
        which it is that much, 0 if least squares stays below. Range: x > 0. Default: lambda decides.
    reduction: What the penalty is added to: the sum of squared residuals, or their mean. Range: "sum", "mean".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    select: How to choose one of several lambdas: by the least error of cross-validation, as the largest lambda within one standard error of it, or by
        an information criterion. Range: "min", "1se", "aic", "bic", "gcv", "loo". Default: the smallest lambda; min with cv.
    standardize: Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n).
    too_few_rows: Like on_failure, for a group with too few rows or classes alone, and without a WARNING. Range: "error", "null".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    upper: The most that they may be, in the same form. Default: none.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'ridge_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        intercept: bool | None = True,
        lambda_: float | str | Sequence[Any] | None = 1,
        level: float | None = 0.95,
        lower: float | Mapping[str, Any] | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        path: int | None = None,
        path_ratio: float | None = 1e-08,
        penalize_intercept: bool | None = False,
        penalty_budget: float | None = None,
        reduction: str | None = 'sum',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = None,
        standardize: bool | None = False,
        too_few_rows: str | None = 'error',
        unseen: str | None = 'reference',
        upper: float | Mapping[str, Any] | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class RobustScaler(Transformer, Inverse):
    """Brings each feature to median 0 and interquartile range 1.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    center: Subtract the median of each feature.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    quantiles: The two quantiles whose difference becomes 1. Range: 0 <= x <= 1.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    scale: Divide by the difference of the quantiles.
    unit_variance: Divide by what makes a normally distributed feature have variance 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'robust_scaler'
    _first = ''
    _functions = ('transform', 'inverse_transform')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        center: bool | None = True,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        quantiles: Sequence[Any] | None = (0.25, 0.75),
        reference: Mapping[str, Any] | None = None,
        scale: bool | None = True,
        unit_variance: bool | None = False,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class StandardScaler(Transformer, Inverse):
    """Brings each feature to mean 0 and standard deviation 1.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    center: Subtract the mean of each feature.
    ddof: Variances divide by the number of rows minus this: 0 as in scikit-learn, 1 as in R. Range: 0 <= x <= 1.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    scale: Divide by the standard deviation of each feature.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'standard_scaler'
    _first = ''
    _functions = ('transform', 'inverse_transform')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        center: bool | None = True,
        ddof: int | None = 0,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        scale: bool | None = True,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class SvmClassifier(Classifier, Decisions, Distances):
    """A support vector machine: the hyperplane with the largest margin between classes, in the space of the features or of a kernel.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    C: The weight of the losses: the fit minimizes |w|^2 / 2 + C times the sum of the losses; hard: no loss is allowed. Range: x > 0; or "hard".
    alpha: For elastic_net: the penalty is alpha |w| + (1 - alpha) w^2 / 2. Range: 0 <= x <= 1.
    approximation: Replace the kernel by products of explicit features, for more rows than can be compared with each other: kernel values with some
        rows (nystroem, any kernel) or random cosines and sines (fourier, rbf). Range: "none", "nystroem", "fourier".
    class_weight: Factors for the weights of the rows of each class: such that all classes have the same total (balanced), or {"label": factor}, 1 for
        classes not named; 0 leaves the rows of a class out. Range: x >= 0; or "none", "balanced".
    code_book: For ecoc: one row per class, in their order, and one column per binary problem, with values 1 and -1 (or 1 and 0). Range: -1 <= x <= 1.
        Default: random, by code_length.
    code_length: For ecoc without code_book: the number of columns of the random book. Range: 1 <= x <= 1000. Default: 10 log2(classes), or all
        possible problems if there are fewer.
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    decay: For subsequence: the factor of each character that an occurrence spans, gaps included. Range: 0 < x <= 1.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    frequencies: For approximation fourier: the number of random frequencies, each of which makes two features. Range: 1 <= x <= 20000. Default: 500.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    intercept: Whether the equation of a linear kernel has a constant, which is not penalized; other kernels always have one.
    keep_support: Whether a linear model keeps its support vectors, for support_vectors(); models of other kernels always do.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid", "precomputed", "spectrum",
        "subsequence".
    landmarks: For approximation nystroem: the number of rows to compare all others with. Range: 1 <= x <= 20000. Default: 500, or all distinct rows.
    length: For spectrum and subsequence: how many characters are compared at a time. Range: 1 <= x <= 100.
    loss: The loss of a row with score f and class y, 1 or -1: max(0, 1 - y f), or its square; only with a linear kernel. Range: "hinge",
        "squared_hinge".
    max_iter: Maximum number of iterations; reaching it gives a WARNING. Range: 1 <= x <= 1000000000. Default: 200 if the kernel is linear and nu is
        not given.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    multiclass: How several classes are split into binary problems: each class against the others (ovr), pairs of classes (ovo), or output codes
        (ecoc). Range: "ovr", "ovo", "ecoc". Default: ovr; other kernels, and nu: ovo.
    normalized: For spectrum and subsequence: divide by the square root of both texts' kernels with themselves, so that long texts do not count more.
    nu: Takes the place of C: the largest share of margin errors, and the smallest share of support vectors. Range: 0 < x <= 1. Default: C decides.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    penalty: The penalty on the coefficients: w^2 / 2 (l2); |w| (l1) or both (elastic_net), with a linear kernel and a squared loss. Range: "l2",
        "l1", "elastic_net".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    shrinking: Whether the solver sets rows aside whose multipliers are unlikely to change: faster, with the same result, for kernels that are not
        linear, and with nu.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    standardize: Whether to fit to standardized features: the mean is subtracted, and the difference is divided by the standard deviation (divisor n).
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    tolerance: When to stop: linear kernels when the duality gap is at most this share of the objective, others, and with nu, when no two multipliers
        violate the optimality conditions by more. Range: 0 < x <= 1. Default: 1e-10; other kernels, and nu: 1e-3.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'svm_classifier'
    _first = 'label'
    _functions = ('predict', 'classify', 'decisions', 'distance', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        C: float | str | None = 1,
        alpha: float | None = 0.5,
        approximation: str | None = 'none',
        class_weight: str | Mapping[str, Any] | None = 'none',
        code_book: Sequence[Any] | None = None,
        code_length: int | None = None,
        coef0: float | None = 0,
        decay: float | None = 0.5,
        degree: int | None = 3,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        frequencies: int | None = None,
        gamma: float | None = None,
        intercept: bool | None = True,
        keep_support: bool | None = False,
        kernel: str | Mapping[str, Any] | None = 'linear',
        landmarks: int | None = None,
        length: int | None = 3,
        loss: str | None = 'hinge',
        max_iter: int | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        multiclass: str | None = None,
        normalized: bool | None = True,
        nu: float | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        penalty: str | None = 'l2',
        positive: float | bool | str | None = None,
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        shrinking: bool | None = True,
        sigma: float | None = None,
        standardize: bool | None = False,
        tie: str | None = 'negative',
        tolerance: float | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class SvmRegression(Target):
    """Support vector regression: errors up to epsilon cost nothing, larger ones count from there; in the space of the features or of a kernel.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    C: The weight of the losses: the fit minimizes |w|^2 / 2 + C times the sum of the losses; hard: no loss is allowed. Range: x > 0; or "hard".
    alpha: For elastic_net: the penalty is alpha |w| + (1 - alpha) w^2 / 2. Range: 0 <= x <= 1.
    approximation: Replace the kernel by products of explicit features, for more rows than can be compared with each other: kernel values with some
        rows (nystroem, any kernel) or random cosines and sines (fourier, rbf). Range: "none", "nystroem", "fourier".
    coef0: For polynomial and sigmoid: the constant added to gamma times the product.
    decay: For subsequence: the factor of each character that an occurrence spans, gaps included. Range: 0 < x <= 1.
    degree: For polynomial: the power. Range: 1 <= x <= 100.
    epsilon: Errors up to this cost nothing, in units of the target. Range: x >= 0.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    frequencies: For approximation fourier: the number of random frequencies, each of which makes two features. Range: 1 <= x <= 20000. Default: 500.
    gamma: For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product. Range: x > 0. Default: rbf: 1 /
        (features x variance of all values); polynomial, sigmoid: 1.
    intercept: Whether the equation of a linear kernel has a constant, which is not penalized; other kernels always have one.
    keep_support: Whether a linear model keeps its support vectors, for support_vectors(); models of other kernels always do.
    kernel: The kernel that replaces the product of two rows. Range: "linear", "polynomial", "rbf", "sigmoid", "precomputed", "spectrum",
        "subsequence".
    landmarks: For approximation nystroem: the number of rows to compare all others with. Range: 1 <= x <= 20000. Default: 500, or all distinct rows.
    length: For spectrum and subsequence: how many characters are compared at a time. Range: 1 <= x <= 100.
    loss: The loss of a row: max(0, |y - f| - epsilon), or its square; only with a linear kernel. Range: "epsilon_insensitive",
        "squared_epsilon_insensitive".
    max_iter: Maximum number of iterations; reaching it gives a WARNING. Range: 1 <= x <= 1000000000. Default: 200 if the kernel is linear and nu is
        not given.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    normalized: For spectrum and subsequence: divide by the square root of both texts' kernels with themselves, so that long texts do not count more.
    nu: Takes the place of epsilon: the largest share of rows with an error above epsilon, which is found by the fit, and the smallest share of
        support vectors. Range: 0 < x <= 1. Default: epsilon decides.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    penalty: The penalty on the coefficients: w^2 / 2 (l2); |w| (l1) or both (elastic_net), with a linear kernel and a squared loss. Range: "l2",
        "l1", "elastic_net".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    shrinking: Whether the solver sets rows aside whose multipliers are unlikely to change: faster, with the same result, for kernels that are not
        linear, and with nu.
    sigma: For rbf: the width; gamma is 1 / (2 sigma^2). Range: x > 0. Default: gamma decides.
    standardize: Whether to fit to standardized features: the mean is subtracted, and the difference is divided by the standard deviation (divisor n).
    tolerance: When to stop: linear kernels when the duality gap is at most this share of the objective, others, and with nu, when no two multipliers
        violate the optimality conditions by more. Range: 0 < x <= 1. Default: 1e-10; other kernels, and nu: 1e-3.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'svm_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        C: float | str | None = 1,
        alpha: float | None = 0.5,
        approximation: str | None = 'none',
        coef0: float | None = 0,
        decay: float | None = 0.5,
        degree: int | None = 3,
        epsilon: float | None = 0.1,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        frequencies: int | None = None,
        gamma: float | None = None,
        intercept: bool | None = True,
        keep_support: bool | None = False,
        kernel: str | Mapping[str, Any] | None = 'linear',
        landmarks: int | None = None,
        length: int | None = 3,
        loss: str | None = 'epsilon_insensitive',
        max_iter: int | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        normalized: bool | None = True,
        nu: float | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        penalty: str | None = 'l2',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        shrinking: bool | None = True,
        sigma: float | None = None,
        standardize: bool | None = False,
        tolerance: float | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class TargetEncoder(Transformer):
    """Turns each category into the smoothed mean target of its rows; numbers stay as they are.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    smoothing: How many rows of the overall mean each level is mixed with; "auto" decides by the variance of the target within the level. Range: x >=
        0; or "auto".
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'target_encoder'
    _first = 'target'
    _functions = ('transform',)

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        smoothing: float | str | None = 'auto',
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class TheilSen(Target, Unweighted):
    """A straight line whose slope is the median of the slopes of all pairs of rows: up to 29 % of the rows may be outliers.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    level: Confidence level of the limits of the slope in coefficients(). Range: 0 < x < 1.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'theil_sen'
    _first = 'target'
    _functions = ('predict', 'explain')
    _one_feature = True

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        level: float | None = 0.95,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class TotalLeastSquares(Target):
    """The plane nearest to the rows by orthogonal distance, for features that are measured with errors, like the target.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; without one, the plane passes through the origin.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    standardize: Measure distances in standard deviations (divisor n) of features and target, also in orthogonal_rss.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'total_least_squares'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        features: Sequence[Any] | None = None,
        formula: str | None = None,
        intercept: bool | None = True,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        reference: Mapping[str, Any] | None = None,
        standardize: bool | None = False,
        unseen: str | None = 'reference',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class TreeClassifier(Classifier, Probabilities, Decisions):
    """Splits the rows by one feature at a time until the leaves have one class, and predicts the shares of the classes in the row's leaf.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    class_weight: Factors for the weights of the rows of each class: such that all classes have the same total (balanced), or {"label": factor}, 1 for
        classes not named; 0 leaves the rows of a class out. Range: x >= 0; or "none", "balanced".
    complexity: With prune = cost_complexity: the impurity that a leaf must be worth (alpha); cv for the one with the least cross-validated error, 1se
        for the largest one within a standard error of that. Range: x >= 0; or "cv", "1se".
    criterion: The impurity that splits make small. Range: "gini", "entropy", "sqrt_gini", "minority".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    holdout: With prune = reduced_error: the share of rows that the tree is not grown from but pruned with, chosen by a hash. Range: 0 < x < 1.
    holdout_column: With prune = reduced_error: a column of the feature row that is true for rows to prune with; it is not used as a feature. Default:
        rows by holdout.
    max_depth: The most splits between the root and a leaf. Range: 0 <= x <= 1000000. Default: no limit.
    max_features: How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of the features, or all. Range:
        0 < x <= 1000000; or "all", "sqrt", "log2". Default: all.
    max_leaf_nodes: The most leaves of a tree, of which the node that gains most is split first. Range: 2 <= x <= 1000000000. Default: no limit.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    min_impurity_decrease: A split must decrease the impurity of the whole tree by at least this much. Range: x >= 0.
    min_samples_leaf: The fewest rows of a leaf; with weight_kind frequency, a row counts as often as it occurs. Range: 1 <= x <= 1000000000.
    min_samples_split: The fewest rows of a node that is split. Range: 2 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    monotone: Constrains the prediction, or the probability of the last of two classes: {"feature": 1} never to fall as the feature grows, -1 never to
        rise, 0 neither. Range: -1 <= x <= 1. Default: no constraint.
    nulls: What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error. Range: "branch", "skip",
        "error".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    positive: Which of two classes is the positive one, by its label. Default: the last of two labels in their order.
    prune: Which subtrees become leaves again: those whose leaves have one majority class (merge), those that make no fewer errors on rows held out
        (reduced_error), or those not worth their leaves (cost_complexity). Range: "none", "merge", "reduced_error", "cost_complexity".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    smoothing: Added to the weight of every class when a leaf's probabilities are computed: 0 gives shares, laplace is 1. Range: x >= 0; or "laplace".
    split: Whether splits are looked for between all values (exact), or between at most 255 bins per feature at exact quantiles (binned); auto bins
        above 50,000 rows where it can, which the fact "binned" shows. Range: "auto", "exact", "binned".
    threshold: For two classes: the positive class is predicted if its probability is above this. Range: 0 < x < 1.
    tie: The class of a row exactly on the boundary of two classes; null: none. Range: "negative", "positive", "null".
    unseen: A level that did not occur in training goes where a NULL goes when scoring, or is an error. Range: "missing", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'tree_classifier'
    _first = 'label'
    _functions = ('predict', 'classify', 'probabilities', 'decisions', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        class_weight: str | Mapping[str, Any] | None = 'none',
        complexity: float | str | None = 'cv',
        criterion: str | None = 'gini',
        features: Sequence[Any] | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        holdout: float | None = 0.25,
        holdout_column: str | None = None,
        max_depth: int | None = None,
        max_features: int | float | str | None = None,
        max_leaf_nodes: int | None = None,
        max_levels: int | None = 1000,
        min_impurity_decrease: float | None = 0,
        min_samples_leaf: int | None = 1,
        min_samples_split: int | None = 2,
        missing: str | None = None,
        monotone: Mapping[str, Any] | None = None,
        nulls: str | None = 'branch',
        on_failure: str | None = 'error',
        positive: float | bool | str | None = None,
        prune: str | None = 'none',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        smoothing: float | str | None = 0,
        split: str | None = 'auto',
        threshold: float | None = 0.5,
        tie: str | None = 'negative',
        unseen: str | None = 'missing',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class TreeRegression(Target):
    """Splits the rows by one feature at a time so that targets within the leaves are close, and predicts the mean or median of the row's leaf.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    complexity: With prune = cost_complexity: the impurity that a leaf must be worth (alpha); cv for the one with the least cross-validated error, 1se
        for the largest one within a standard error of that. Range: x >= 0; or "cv", "1se".
    criterion: What splits make small: squared errors about the mean, absolute errors about the median, or the Poisson deviance (targets of at least
        0). Range: "mse", "mae", "poisson".
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    holdout: With prune = reduced_error: the share of rows that the tree is not grown from but pruned with, chosen by a hash. Range: 0 < x < 1.
    holdout_column: With prune = reduced_error: a column of the feature row that is true for rows to prune with; it is not used as a feature. Default:
        rows by holdout.
    max_depth: The most splits between the root and a leaf. Range: 0 <= x <= 1000000. Default: no limit.
    max_features: How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of the features, or all. Range:
        0 < x <= 1000000; or "all", "sqrt", "log2". Default: all.
    max_leaf_nodes: The most leaves of a tree, of which the node that gains most is split first. Range: 2 <= x <= 1000000000. Default: no limit.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    min_impurity_decrease: A split must decrease the impurity of the whole tree by at least this much. Range: x >= 0.
    min_samples_leaf: The fewest rows of a leaf; with weight_kind frequency, a row counts as often as it occurs. Range: 1 <= x <= 1000000000.
    min_samples_split: The fewest rows of a node that is split. Range: 2 <= x <= 1000000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    monotone: Constrains the prediction, or the probability of the last of two classes: {"feature": 1} never to fall as the feature grows, -1 never to
        rise, 0 neither. Range: -1 <= x <= 1. Default: no constraint.
    nulls: What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error. Range: "branch", "skip",
        "error".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    prune: Which subtrees become leaves again: those whose leaves have one majority class (merge), those that make no fewer errors on rows held out
        (reduced_error), or those not worth their leaves (cost_complexity). Range: "none", "merge", "reduced_error", "cost_complexity".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices. Range: -9007199254740992 <= x <= 9007199254740992.
    split: Whether splits are looked for between all values (exact), or between at most 255 bins per feature at exact quantiles (binned); auto bins
        above 50,000 rows where it can, which the fact "binned" shows. Range: "auto", "exact", "binned".
    unseen: A level that did not occur in training goes where a NULL goes when scoring, or is an error. Range: "missing", "error".
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'tree_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        complexity: float | str | None = 'cv',
        criterion: str | None = 'mse',
        features: Sequence[Any] | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        holdout: float | None = 0.25,
        holdout_column: str | None = None,
        max_depth: int | None = None,
        max_features: int | float | str | None = None,
        max_leaf_nodes: int | None = None,
        max_levels: int | None = 1000,
        min_impurity_decrease: float | None = 0,
        min_samples_leaf: int | None = 1,
        min_samples_split: int | None = 2,
        missing: str | None = None,
        monotone: Mapping[str, Any] | None = None,
        nulls: str | None = 'branch',
        on_failure: str | None = 'error',
        prune: str | None = 'none',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        split: str | None = 'auto',
        unseen: str | None = 'missing',
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())


class TweedieRegression(Target):
    """A linear equation for the logarithm of the mean of amounts of which many are 0, such as claims.

    connection: A Client or a connection of psycopg; without one, the environment decides (PGHOST, ...).
    alpha: For elastic_net: the penalty is lambda (alpha |w| + (1 - alpha) w^2). Range: 0 <= x <= 1.
    cluster: For CR0 to CR2: a column of the feature row, or an array of them, whose values, compared as text, are the clusters; "." of a formula
        leaves it out. Default: rows are independent.
    features: Selects columns from a row with names; names the features of an array or of a row without names. Default: all columns.
    fold_column: A column of the feature row whose integers are the folds of cross-validation; it is not used as a feature. Default: folds by a hash
        of the row.
    folds: Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped. Range: 2 <= x
        <= 1000.
    formula: What the model sees of a row with names, as in R: "log(carat) * cut + poly(depth, 2)"; left of a ~ stands what the target is called:
        "price ~ carat". Default: the features as they are.
    intercept: Whether the equation has a constant; it is not penalized.
    lag: For NW: how many rows back errors may be correlated. Range: 0 <= x <= 1000000000. Default: chosen from the rows (Newey & West 1994.
    lambda_: The strength of the penalty, which is added to half the deviance: a number, an array of numbers, "path" for a path of them, or "cv" for
        the one that cross-validation chooses. Range: x >= 0; or "path", "cv".
    level: Confidence level of the limits in coefficients(), if there is no penalty. Range: 0 < x < 1.
    link: The function of the mean that is linear in the features. Range: "identity", "log", "logit", "probit", "cloglog", "cauchit", "inverse",
        "inverse_squared", "sqrt", "power".
    link_power: Of link power: the score is this power of the mean, not 0. Default: none.
    max_iter: Maximum number of steps; reaching it gives a WARNING. Range: 1 <= x <= 1000000.
    max_levels: A categorical feature with more levels than this is an error. Range: 1 <= x <= 1000000.
    missing: A key that a jsonb object lacks counts as NULL, or is an error ("error"), in training and in scoring. Range: "null", "error". Default:
        null.
    nulls: What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean (for a category: a level of its own).
        Range: "skip", "error", "impute".
    on_failure: What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): raise an error, or return
        NULL and count such groups in one WARNING per query. Range: "error", "null".
    order: For NW: a column of the feature row, a number, date or timestamp, that orders the rows; "." of a formula leaves it out. Default: rows have
        no order.
    path: Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path(). Range: 2 <= x <= 10000. Default:
        none; 100 if lambda is a word.
    path_ratio: The smallest lambda of a path divided by the largest; 1e-06 if not given for an l2 penalty. Range: 0 < x < 1.
    penalty: The penalty on the coefficients: lambda times the sum of squares (l2), of absolute values (l1), or of both (elastic_net). Range: "none",
        "l2", "l1", "elastic_net". Default: l2 if lambda is given, otherwise none.
    power: Of family tweedie, whose variance is a power of the mean: near 1 like counts, near 2 like amounts; "profile": the one of greatest
        likelihood. Range: 1 < x < 2; or "profile". Default: 1.5.
    reduction: What the penalty is added to: the sum of the rows' losses, or their mean. Range: "sum", "mean".
    reference: The level of a category that comes first, so that linear models compare the others with it: {"cut": "Ideal"}. Default: the first level
        of each category.
    seed: Seed of the random choices: another one assigns the rows to different folds.
    select: How to choose one of several lambdas: by the least error of cross-validation (min), or as the largest lambda within one standard error of
        it (1se). Range: "min", "1se". Default: the smallest lambda; min with cv.
    standardize: Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n).
    start: Start from this model of the same method, features, family and link (model::jsonb). Default: from the targets.
    tolerance: Stop when the next step would lower the deviance by less than the square of this share of it. Range: 0 < x <= 1.
    unseen: A level that did not occur in training counts as the reference level when scoring, or is an error. Range: "reference", "error".
    vcov: The covariance of the coefficients, from which standard errors come: classical; against unequal variances (HC0 to HC3); for clusters of rows
        (CR0, CR1, CR1S, CR2); for series (NW, Newey-West). Range: "classical", "HC0", "HC1", "HC2", "HC3", "CR0", "CR1", "CR1S", "CR2", "NW".
        Default: classical.
    weight_kind: Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is the sum of weights). Range: "precision",
        "frequency".
    """

    _estimator = 'tweedie_regression'
    _first = 'target'
    _functions = ('predict', 'explain')

    def __init__(
        self,
        connection: Client | psycopg.Connection[Any] | None = None,
        *,
        alpha: float | None = 0.5,
        cluster: str | Sequence[Any] | None = None,
        features: Sequence[Any] | None = None,
        fold_column: str | None = None,
        folds: int | None = 10,
        formula: str | None = None,
        intercept: bool | None = True,
        lag: int | None = None,
        lambda_: float | str | Sequence[Any] | None = 0,
        level: float | None = 0.95,
        link: str | None = 'log',
        link_power: float | None = None,
        max_iter: int | None = 100,
        max_levels: int | None = 1000,
        missing: str | None = None,
        nulls: str | None = 'skip',
        on_failure: str | None = 'error',
        order: str | None = None,
        path: int | None = None,
        path_ratio: float | None = 0.001,
        penalty: str | None = None,
        power: float | str | None = None,
        reduction: str | None = 'sum',
        reference: Mapping[str, Any] | None = None,
        seed: int | None = 0,
        select: str | None = None,
        standardize: bool | None = False,
        start: Any | None = None,
        tolerance: float | None = 1e-10,
        unseen: str | None = 'reference',
        vcov: str | None = None,
        weight_kind: str | None = 'precision',
    ) -> None:
        self._init(locals())
