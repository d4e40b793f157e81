"""Kernel ridge regression, kernel principal components and the kernel perceptron: rows of 10 features, all of them compared."""
from measure import Bar, Query, Section


def fit(call):
    return f"SELECT {call} IS NOT NULL FROM kernel_10"


SETTINGS = ["pgfit.fit_mem = '1GB'"]

SECTIONS = [
    Section("kernel ridge against scikit-learn in memory, 5,000 rows", [
        Query("kernel_ridge", fit("pgfit.kernel_ridge(y, x, '{\"gamma\": 0.1}'::jsonb)")),
        Query("leave-one-out", fit("pgfit.kernel_ridge(y, x, '{\"gamma\": 0.1, \"loo\": true}'::jsonb)")),
        Query("scikit-learn KernelRidge", "python kernel_10 10 KernelRidge(kernel='rbf', gamma=0.1).fit(X, y)"),
    ], [Bar("kernel_ridge", "scikit-learn KernelRidge", 1.0), Bar("leave-one-out", "kernel_ridge", None)], settings=SETTINGS),
    Section("kernel pca against scikit-learn in memory, 5,000 rows", [
        Query("2 components", fit("pgfit.kernel_pca(x, 2, '{\"gamma\": 0.1}'::jsonb)")),
        Query("10 components", fit("pgfit.kernel_pca(x, 10, '{\"gamma\": 0.1}'::jsonb)")),
        Query("scikit-learn, 2 components", "python kernel_10 10 KernelPCA(2, kernel='rbf', gamma=0.1).fit(X)"),
        Query("scikit-learn, 10 components", "python kernel_10 10 KernelPCA(10, kernel='rbf', gamma=0.1).fit(X)"),
    ], [Bar("2 components", "scikit-learn, 2 components", 1.0), Bar("10 components", "scikit-learn, 10 components", 1.0)], settings=SETTINGS),
    Section("perceptron with a kernel, 5,000 rows", [
        Query("linear", fit("pgfit.perceptron(y > 0, x, '{\"max_iter\": 10}'::jsonb)")),
        Query("rbf", fit("pgfit.perceptron(y > 0, x, '{\"max_iter\": 10, \"kernel\": \"rbf\"}'::jsonb)")),
    ], [Bar("rbf", "linear", None)], settings=SETTINGS),
]
