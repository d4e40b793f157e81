#!/usr/bin/env python3
"""
Compares the held-out loss of boosted trees with that of scikit-learn's HistGradientBoosting, with the same options, over random
splits of real tables, some with categories and NULLs:

    boosting.py DIRECTORY... [--seeds 20]

The directories hold diamonds.csv, titanic.csv, penguins.csv, diabetes.csv, breast_cancer.csv; missing ones are skipped. Connects as
psycopg2 does by default, to a database that has pgfit. Prints the mean losses, the mean difference and its standard error; agreement
means a difference within two standard errors, or below one percent of the loss. Needs numpy, pandas, scikit-learn, psycopg2.
"""
import sys

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss, mean_squared_error

from heldout import arguments, compare, scored, splits


def theirs(frame, target, task, train, test):
    features = frame.drop(columns=[target])
    categories = []
    for place, column in enumerate(features.columns):
        if features[column].dtype == object:
            codes = features[column].astype("category").cat.codes.astype(float)
            features[column] = codes.where(codes >= 0)
            categories.append(place)
    kind = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    model = kind(categorical_features=categories, early_stopping=False)
    model.fit(features.values[train].astype(float), frame[target].values[train])
    x = features.values[test].astype(float)
    return model.predict(x) if task == "regression" else model.predict_proba(x)


def main():
    options = arguments("Held-out losses of boosted trees.").parse_args()

    def losses(cursor, frame, target, task):
        pairs = []
        for _, train, test in splits(frame, options.seeds):
            truth = frame[target].values[test]
            both = [scored(cursor, frame, target, task, test, f'pgfit.boosted_trees_{task}("{{target}}", {{row}})'),
                    theirs(frame, target, task, train, test)]
            pairs.append([mean_squared_error(truth, s) if task == "regression" else
                          log_loss(truth, s, labels=np.unique(frame[target])) for s in both])
        yield "mse" if task == "regression" else "log loss", pairs

    return compare(options, "loss", lambda limit: limit, losses)


if __name__ == "__main__":
    sys.exit(main())
