"""
The registry of method handlers: a module a family, a class a method.

    @method("ols", needs=["linear_regression"])
    class Ols(Handler): ...

A handler fits in fit() and gives what an expected key asks for in value(key). needs: functions of
schema pgfit; a method whose functions are missing is skipped by name. Adding a family is adding a
file to this folder.
"""
import importlib
import os
import pkgutil

from models import Models

REGISTRY = {}

# The estimators that a method without a handler would need: where all exist, skipping is a failure.
ESTIMATORS = {
    "lasso": "lasso_regression", "elastic_net": "elastic_net", "total_least_squares": "total_least_squares",
    "logistic": "logistic_regression", "multinomial_logistic": "logistic_regression",
    "perceptron": "perceptron", "perceptron_regression": "perceptron_regression",
    "least_squares_classifier": "least_squares_classifier",
    "least_squares_classifier_multiclass": "least_squares_classifier",
    "basic_linear_classifier": "nearest_centroid", "nearest_exemplar": "nearest_centroid",
    "svm": "svm_classifier", "svc": "svm_classifier", "svc_ovo": "svm_classifier", "svr": "svm_regression",
    "kernel_perceptron": "kernel_perceptron", "dual_perceptron": "kernel_perceptron",
    "kernel_ridge": "kernel_ridge", "gaussian_naive_bayes": "naive_bayes", "lda": "lda", "qda": "qda",
    "lda_projection": "lda", "gmm": "gaussian_mixture", "decision_tree": "tree_classifier",
    "regression_tree": "tree_regression", "random_forest": "forest_classifier",
    "extra_trees": "extra_trees_classifier", "knn": "knn_classifier", "radius_neighbours": "knn_classifier",
    "kmeans": "kmeans", "kmedoids": "kmedoids", "pam": "kmedoids", "kernel_kmeans": "kernel_kmeans",
    "hac": "hierarchical", "pca": "pca", "kernel_pca": "kernel_pca",
    "logistic_calibration": "logistic_calibration", "isotonic_calibration": "isotonic_calibration",
    "calibration": "logistic_calibration", "exemplars": "medoid", "ecoc": "ecoc",
}


class Unknown(Exception):
    """A key that the handler cannot get: the case fails."""


class Several:
    """One key from several places, all of which must agree with the expected value."""

    def __init__(self, **places):
        self.places = places


class Handler:
    """One case of one method."""

    def __init__(self, case, session, loader):
        self.case = case
        self.session = session
        self.loader = loader
        self.params = case.get("params") or {}
        self.input = case.get("input") or {}
        self.expected = case["expected"]

    @classmethod
    def needed(cls, case):
        """Functions of schema pgfit that this case needs."""
        return cls.needs

    def param(self, name, default=None):
        return self.params.get(name, self.input.get(name, default))

    def fit(self):
        """Fits; raises SqlError where the server refuses."""

    def is_null(self):
        """Did the fit give NULL, no model?"""
        return False

    def numbers(self):
        """What must be finite for the case not to count as silently broken."""
        return []

    def value(self, key):
        raise Unknown(key)

    def judge(self, key, want, tolerance):
        """For keys that are not compared entry by entry: None (not such a key) or a list of differences."""
        return None

    def report(self):
        """Lines for the end of the run."""
        return []


class ModelHandler(Handler):
    """A case whose rows are fitted: the rows, and the model."""

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        self.source = loader.source(case)
        self.models = Models(session)
        self.model = None
        self.kept = {}

    def is_null(self):
        return self.model.is_null()


def method(*names, needs=()):
    def register(handler):
        for name in names:
            if name in REGISTRY:
                raise ValueError(f"method {name} is registered twice")
            REGISTRY[name] = handler
        handler.needs = list(needs)
        return handler
    return register


def load_all():
    for module in pkgutil.iter_modules([os.path.dirname(__file__)]):
        importlib.import_module(f"methods.{module.name}")
    return REGISTRY
