"""Ridge regression that chooses lambda by leave-one-out errors."""
from measure import Bar, Query, Section

ROOM = ["pgfit.fit_mem = '1GB'"]


def fit(options):
    return f"SELECT pgfit.ridge_regression(y, x, '{options}'::jsonb) IS NOT NULL FROM ridge_loo_50"


SECTIONS = [
    Section("ridge regression, leave-one-out, 50 features", [
        Query("one lambda", fit('{"lambda": 1}'), ROOM),
        Query("100 lambdas, gcv", fit('{"lambda": "gcv"}'), ROOM),
        Query("100 lambdas, loo", fit('{"lambda": "loo"}'), ROOM),
    ], [
        Bar("100 lambdas, loo", "one lambda", None),
        Bar("100 lambdas, gcv", "one lambda", 1.1),
    ]),
    Section("ridge regression, leave-one-out, against scikit-learn in memory: 100 lambdas, 50 features", [
        Query("ridge_regression, loo", fit('{"lambda": "loo"}'), ROOM),
        Query("scikit-learn RidgeCV", "python ridge_loo_50 50 RidgeCV(alphas=np.logspace(-3, 5, 100)).fit(X, y)"),
    ], [Bar("ridge_regression, loo", "scikit-learn RidgeCV", 1)]),
]
