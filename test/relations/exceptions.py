"""What does not hold by design: which relation, of which estimators with which options, in which outputs, and why. All but the reason are regular expressions."""
from collections import namedtuple

E = namedtuple("E", "relation estimator options outputs whole separated why")
ANY = "."
FORESTS = "(forest|extra_trees)_(classifier|regression)"
UNITS = "units of features|one unit for all features"
ORDERS = "the order of rows|ORDER BY inside the call|two workers|a fit alone, and in sorted groups|a moving window|a window"


def e(relation, estimator, why, options="", outputs=".*", whole=False, separated=False):
    return E(relation, estimator, options, outputs, whole, separated, why)


# how near results are that a method computes less exactly than others, relative to the largest, and why
NEAR = [("svm_.*|one_class_svm", 1e-4, "the objective is exact to the tolerance, and flat about its minimum"),
        ("(multiple_)?quantile_regression", 1e-3, "standard errors come from fits of quantiles nearby or from a share of the residuals"),
        (".*", 1e-6, "what a tolerance of 1e-10 leaves")]
EXCEPTIONS = [
    # draws
    e("a weight of 2 is two rows", FORESTS + "|isolation_forest|mm_regression", "draws take rows, and a weighted row is drawn as one"),
    e(UNITS + "|features shifted|units of the target|a constant column|order of columns", "mm_regression",
      "equations are drawn by a hash of the numbers of the rows, and another few may all lead to an S-estimate that is not the least"),
    e("weights of 1 are none", FORESTS + "|isolation_forest", "draws are by a hash of the row, which has the weight if there is one"),
    e(UNITS + "|features shifted|units of the target|a constant column|order of columns|labels in another order", FORESTS, "draws are by a hash of the numbers of the row, and by the place of a column"),
    e(UNITS + "|features shifted|units of the target|a constant column|labels in another order", ".*", "rows are held out by a hash of their numbers", options='early_stopping|"holdout"|reduced_error|cost_complexity|"cv"|folds|path|max_samples'),
    e("features shifted", "kmeans|kernel_kmeans|gaussian_mixture|kmedoids|mean_shift", "starts are drawn by a hash of the numbers of the row, and lead to other optima"),
    e("a weight of 2 is two rows|a constant column|order of columns", "tree_(classifier|regression)", "features are drawn by place and by rows, and limits of leaves count rows",
      options="max_features|min_samples"),
    e("a constant column|order of columns", "boosted_trees_(classifier|regression)", "features are drawn by place", options="max_features"),
    e(UNITS + "|features shifted|order of columns", "hdbscan|dbscan", "clusters of one size are numbered by a hash of the numbers of their rows", outputs="predict|cluster|members"),
    # order
    e(ORDERS + "|a weight of 2 is two rows|a moving window|rows of weight 0", "perceptron(_regression)?", "learns row by row, in the order of the rows"),
    e("a weight of 2 is two rows", "kmeans", "a batch takes rows, and for k-means|| equal rows draw one number", options=r"batch_size|k-means\|\|"),
    e("a weight of 2 is two rows", "kmedoids", "starts and samples take rows", options='clara|lab|"init": "random"'),
    e("a weight of 2 is two rows", "kernel_kmeans", "equal rows draw one number, so that two are no more likely to be a start than one"),
    e("a weight of 2 is two rows", "mean_shift", "a bandwidth is estimated from rows"),
    # weights that are refused
    e("weights of 1 are none|a weight of 2 is two rows", "distance_histogram|theil_sen|local_outlier_factor", "takes no weights", outputs="refused"),
    e("a weight of 2 is two rows", "cox_regression|(multiple_)?quantile_regression", "takes no weights that count rows", outputs="refused"),
    e("a weight of 2 is two rows", "dbscan|hdbscan|optics|hierarchical|neighbors|mds", "a row with its identifier is listed once for each time it comes"),
    e("a weight of 2 is two rows", "boosted_trees_.*", "gradients are rounded to 31 bits, a weighted one and two alike differ in the last, which decides between equally good splits"),
    # scale
    e(UNITS, "(.*_)?(elastic_net|kernel_.*)", "a penalty or a kernel has a unit"),
    e("units of the target", "lasso_regression|elastic_net|svm_regression", "lambda and epsilon have the unit of the target"),
    e("units of the target", "negative_binomial_regression", "counts have no unit"),
    e("units of the target", "total_least_squares", "the target is one more column with an error"),
    e(UNITS, "naive_bayes", "variances are smoothed by a share of the largest one"),
    e(UNITS, "qda|lda", "a regularized covariance is mixed with one of equal variances", options="regularization|shrinkage"),
    e("a constant column", "lda|qda", "a shrunken covariance is mixed with the mean of the variances", options="regularization|shrinkage"),
    e("a constant column", "naive_bayes", "the features share a variance", options='"variance": "(class|shared)"'),
    e("units of the target", "glm|.*_regression", "a link other than the logarithm and the identity has a unit", options='"link": "(?!log"|identity")'),
    e("a constant column", "least_squares_classifier", "with the matrix of the identity, columns do not share what they explain", options="gram_matrix"),
    e("a constant column", "(ridge|lasso)_regression|elastic_net", "the coefficient of the constant has bounds, too, which take of the budget", options='"lower".*penalty_budget|penalty_budget.*"upper"'),
    e("a constant column", "knn_.*|nearest_exemplar", "a distance that is a share of the rows, or an angle between them, changes with each number", options='"metric": "(bray_curtis|correlation|cosine|angular)"'),
    e("features shifted", "knn_.*|nearest_exemplar|local_outlier_factor", "correlations of two numbers are 1 or -1, so that distances tie", options='"metric": "correlation"'),
    e(UNITS, "least_squares_classifier", "the matrix of the identity and a penalty have a unit", options="gram_matrix|lambda"),
    e("units of features|one unit for all features|units of the target", ".*", "an option has the unit of a coefficient, a target or an impurity", options="lower|upper|y_min|y_max|min_impurity_decrease|penalty_budget|prior_|noise_|bandwidth|radius|sigma"),
    e("features shifted|a constant column|units of the target", ".*", "an equation without intercept is not that of shifted columns, and a constant is an intercept", options='"intercept": false|penalize_intercept'),
    e("a constant column", "kernel_ridge|perceptron.*|svm_.*", "the kernel's gamma is 1 / columns, and a bias learns like a column"),
    # what one class has and the other has not
    e("labels in another order", ".*", "the second label is the positive one", options="threshold|direction|positive|tie|class_ratio"),
    e("labels in another order", "isotonic_calibration", "probabilities rise to the second label"),
    e("names of levels", ".*", "folds are dealt by a hash of the row", options="folds|\"cv\"|early_stopping|holdout|reduced_error"),
    e("units of the target", "tweedie_regression|gamma_regression|poisson_regression|glm", "a deviance has the unit of the target, and a penalty has not", options="lambda|penalty"),
    # no single optimum
    e(ORDERS + "|a weight of 2 is two rows", "svm_.*|one_class_svm", "a kernel that is not positive semi-definite has several optima", options="sigmoid"),
    e("a small pgfit.fit_mem", "svm_.*|one_class_svm", "a smaller cache computes more kernel values, which the model counts", outputs="model"),
    e(".*", "logistic_regression|ordinal_regression|glm|cox_regression", "of separated classes no coefficients are the best", separated=True, outputs="decisions?|coefficients|distances?|glance|aic|bic|log_likelihood|transform"),
    e("a fit alone, and in sorted groups", "logistic_regression", "what separated classes leave open shows in rows that the group has not", separated=True, outputs="probabilit(y|ies)"),
    # ties
    e(".*", "svm_classifier", "rows on the margins of two classes have equal scores, of which the last digit decides", outputs="classify"),
    e(ORDERS + "|a weight of 2 is two rows", "svm_classifier", "a row on the border of a pair of classes votes by the last digit", options='"ovo"', outputs="decisions", whole=True),
    e(".*", ".*", "of equal scores the last digit decides", whole=True, outputs="classify|cluster|members"),
    e("a weight of 2 is two rows", "knn_.*|nearest_exemplar", "of neighbors at one distance the first in the order of the model are taken, and that has the weight", whole=True),
    e(ORDERS + "|a weight of 2 is two rows|features shifted", "gaussian_mixture", "components that are made equal part by the last digits", options="regularization"),
    e("labels in another order", "tree_classifier|knn_classifier|nearest_exemplar|boosted_trees_classifier", "of classes with equal scores it is the first"),
    e("features shifted", "knn_.*|local_outlier_factor|nearest_exemplar|.*dbscan|optics|hierarchical", "equal distances differ in the last digit", whole=True),
    e("a constant column", "isotonic_.*|theil_sen|.*_calibration", "takes one feature", outputs="refused"),
    e("a constant column", "lda|qda|multivariate_normal|nearest_centroid", "a feature without variance is refused", outputs="refused"),
    e("a constant column", ".*", "two numbers are a place on the sphere", options="haversine", outputs="refused"),
]
