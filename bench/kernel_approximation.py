"""Kernels approximated by landmarks and random frequencies: rows of 10 features, too many to compare with each other."""
from measure import Bar, Query, Section


def fit(call):
    return f"SELECT {call} IS NOT NULL FROM kernel_many"


LANDMARKS = '"gamma": 0.1, "approximation": "nystroem", "landmarks": 500'
FREQUENCIES = '"gamma": 0.1, "approximation": "fourier", "frequencies": 250'
NYSTROEM = "Nystroem(gamma=0.1, n_components=500, random_state=0).fit_transform(X)"
FOURIER = "RBFSampler(gamma=0.1, n_components=500, random_state=0).fit_transform(X)"

SECTIONS = [
    Section("kernel ridge with 500 landmarks against scikit-learn in memory, 200,000 rows", [
        Query("nystroem", fit(f"pgfit.kernel_ridge(y, x, '{{{LANDMARKS}}}'::jsonb)")),
        Query("fourier", fit(f"pgfit.kernel_ridge(y, x, '{{{FREQUENCIES}}}'::jsonb)")),
        Query("scikit-learn Nystroem and Ridge", f"python kernel_many 10 Ridge(alpha=1).fit({NYSTROEM}, y)"),
        Query("scikit-learn RBFSampler and Ridge", f"python kernel_many 10 Ridge(alpha=1).fit({FOURIER}, y)"),
    ], [Bar("nystroem", "scikit-learn Nystroem and Ridge", 0.8), Bar("fourier", "scikit-learn RBFSampler and Ridge", 0.8)]),
    Section("svm with 500 landmarks against scikit-learn in memory, 200,000 rows", [
        Query("nystroem", fit(f"pgfit.svm_classifier(y > 0, x, '{{\"kernel\": \"rbf\", {LANDMARKS}}}'::jsonb)")),
        Query("scikit-learn Nystroem and LinearSVC",
              f"python kernel_many 10 LinearSVC(dual=False).fit({NYSTROEM}, y > 0)"),
    ], [Bar("nystroem", "scikit-learn Nystroem and LinearSVC", 0.8)], settings=["pgfit.fit_mem = '3GB'"]),
    Section("kernel pca and kernel k-means with 500 landmarks, 200,000 rows", [
        Query("kernel_pca", fit(f"pgfit.kernel_pca(x, 2, '{{{LANDMARKS}}}'::jsonb)")),
        Query("kernel_ridge", fit(f"pgfit.kernel_ridge(y, x, '{{{LANDMARKS}}}'::jsonb)")),
    ], [Bar("kernel_pca", "kernel_ridge", None)]),
]
