"""
The registry of method handlers: one module per family, one class per method.

    @method("ols", needs=["linear_regression"])
    class Ols(Handler): ...

A handler fits in fit() and returns what an expected key asks for in value(key). needs: functions of
schema pgfit; a method whose functions are missing is skipped, and named. To add a family, add a file
to this folder.
"""
import importlib
import os
import pkgutil

from models import Models

REGISTRY = {}

# The estimators that methods need. A method without a handler fails, instead of being skipped, if its estimator exists.
ESTIMATORS = {
    "lasso": "lasso_regression", "elastic_net": "elastic_net", "total_least_squares": "total_least_squares",
    "logistic": "logistic_regression", "multinomial_logistic": "logistic_regression",
    "perceptron": "perceptron", "perceptron_regression": "perceptron_regression",
    "least_squares_classifier": "least_squares_classifier",
    "least_squares_classifier_multiclass": "least_squares_classifier",
    "basic_linear_classifier": "nearest_centroid", "nearest_exemplar": "nearest_centroid",
    "svm": "svm_classifier", "svc": "svm_classifier", "svc_ovo": "svm_classifier", "svr": "svm_regression",
    "kernel_perceptron": "perceptron", "dual_perceptron": "perceptron",
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
    """A key that the handler does not know: the case fails."""


class Several:
    """Values of one key from several places; each must agree with the expected one."""

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
        """Returns the functions of schema pgfit that a case needs."""
        return cls.needs

    def param(self, name, default=None):
        return self.params.get(name, self.input.get(name, default))

    def fit(self):
        """Fits; raises SqlError if the server refuses."""

    def is_null(self):
        """Tells whether the fit returned NULL."""
        return False

    def numbers(self):
        """Returns the numbers that must be finite, or the case counts as silently broken."""
        return []

    def value(self, key):
        raise Unknown(key)

    def compare_key(self, key, want, tolerance):
        """Compares a key that is not compared entry by entry: a list of differences, or None for other keys."""
        return None

    def report(self):
        """Returns lines for the end of the run."""
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
