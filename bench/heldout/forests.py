#!/usr/bin/env python3
"""
Compares the held-out loss of forests with that of scikit-learn's, with the same options, over random splits of real tables, some
with categories and NULLs:

    forests.py DIRECTORY... [--seeds 20] [--trees 50]

The directories hold diamonds.csv, titanic.csv, penguins.csv, diabetes.csv, breast_cancer.csv; missing ones are skipped. Connects as
psycopg2 does by default, to a database that has pgfit. scikit-learn gets the numbers of levels and medians for NULLs, so
that both draw from as many features. The loss of
classes is the Brier score: the sum of squared errors of the probabilities. Agreement means a mean difference within two standard
errors, below one percent of the loss, or in favor of pgfit. Needs numpy, pandas, scikit-learn, psycopg2.
"""
import json
import sys

import numpy as np
from sklearn import ensemble

from heldout import arguments, compare, scored, splits

# pgfit's aggregates and scikit-learn's classes without their endings
METHODS = {"forest": "RandomForest", "extra_trees": "ExtraTrees"}
MOST = 5000  # rows used


def theirs(name, frame, target, task, train, test, seed, trees):
    features = frame.drop(columns=[target])
    for column in features.columns[features.dtypes == object]:
        features[column] = features[column].astype("category").cat.codes
    features = features.astype(float)
    features = features.fillna(features.iloc[train].median())
    model = getattr(ensemble, name + ("Regressor" if task == "regression" else "Classifier"))(trees, random_state=seed)
    model.fit(features.values[train], frame[target].values[train])
    x = features.values[test]
    return model.predict(x) if task == "regression" else model.predict_proba(x)


def loss(truth, scores, classes):
    if classes is None:
        return np.mean((truth - scores) ** 2)
    return np.mean(np.sum(((np.asarray(truth)[:, None] == classes) - scores) ** 2, axis=1))


def main():
    parser = arguments("Held-out losses of forests.")
    parser.add_argument("--trees", type=int, default=50)
    options = parser.parse_args()

    def losses(cursor, frame, target, task):
        classes = None if task == "regression" else np.unique(frame[target])
        for method, name in METHODS.items():
            pairs = []
            for seed, train, test in splits(frame, options.seeds):
                truth = frame[target].values[test]
                own = json.dumps({"n_trees": options.trees, "seed": seed, "oob": False, "importance": "none"})
                ours = scored(cursor, frame, target, task, test, f'pgfit.{method}_{task}("{{target}}", {{row}}, %s::jsonb)', (own,))
                pairs.append([loss(truth, ours, classes),
                              loss(truth, theirs(name, frame, target, task, train, test, seed, options.trees), classes)])
            yield method, pairs

    return compare(options, "method", lambda limit: MOST, losses)


if __name__ == "__main__":
    sys.exit(main())
