"""Single trees: 200,000 rows of 10 features, grown until the leaves are pure. scikit-learn has its rows in memory."""
from measure import Bar, Query, Section

MEMORY = ["pgfit.fit_mem = '4GB'"]
MODEL = "(SELECT m FROM trees_model)"

SECTIONS = [
    Section("trees, two classes, 200,000 x 10", [
        Query("sum(x[1])", "SELECT sum(x[1]) FROM trees_10"),
        Query("tree_classifier", "SELECT pgfit.tree_classifier(y::int, x, '{\"split\": \"exact\"}') IS NOT NULL FROM trees_10", MEMORY),
        Query("tree_classifier, bins", "SELECT pgfit.tree_classifier(y::int, x, '{\"split\": \"binned\"}') IS NOT NULL FROM trees_10", MEMORY),
        Query("tree_classifier, entropy", "SELECT pgfit.tree_classifier(y::int, x, '{\"split\": \"exact\", \"criterion\": \"entropy\"}') IS NOT NULL FROM trees_10", MEMORY),
        Query("scikit-learn", "python trees_10 10 DecisionTreeClassifier(random_state=0).fit(X, y)"),
    ], [Bar("tree_classifier", "scikit-learn", 0.5), Bar("tree_classifier, bins", "scikit-learn", 0.1),
        Bar("tree_classifier, entropy", "scikit-learn", 0.5)]),
    Section("trees, a number, 200,000 x 10", [
        Query("tree_regression", "SELECT pgfit.tree_regression(y, x, '{\"split\": \"exact\"}') IS NOT NULL FROM trees_numbers", MEMORY),
        Query("tree_regression, bins", "SELECT pgfit.tree_regression(y, x, '{\"split\": \"binned\"}') IS NOT NULL FROM trees_numbers", MEMORY),
        Query("tree_regression, depth 10", "SELECT pgfit.tree_regression(y, x, '{\"split\": \"exact\", \"max_depth\": 10}') IS NOT NULL FROM trees_numbers", MEMORY),
        Query("scikit-learn", "python trees_numbers 10 DecisionTreeRegressor(random_state=0).fit(X, y)"),
        Query("scikit-learn, depth 10", "python trees_numbers 10 DecisionTreeRegressor(max_depth=10, random_state=0).fit(X, y)"),
    ], [Bar("tree_regression", "scikit-learn", 0.5), Bar("tree_regression, bins", "scikit-learn", 0.1),
        Bar("tree_regression, depth 10", "scikit-learn, depth 10", 0.5)]),
    Section("trees, scores of 200,000 rows", [
        Query("sum(x[1])", "SELECT sum(x[1]) FROM trees_10"),
        Query("probability", f"SELECT sum(pgfit.probability({MODEL}, x)) FROM trees_10"),
        Query("scikit-learn", "python trees_10 10 TREE = DecisionTreeClassifier(min_samples_leaf=20, random_state=0).fit(X, y) ;; "
              "TREE.predict_proba(X)"),
    ], [Bar("probability", ["scikit-learn", "sum(x[1])"], 2)]),
]
