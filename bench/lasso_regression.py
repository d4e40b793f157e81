"""Lasso, elastic net, paths of penalties and cross-validation, and total least squares."""
from measure import Bar, Query, Section, TWO

CV = "pgfit.lasso_regression(y, x, '{\"lambda\": \"cv\"}'::jsonb)"

# The same 100 lambdas. With this thresh coefficients are within 5e-7 of the optimum, with the default within 1e-3; without covariances ("naive") a fit
# does not get there in two minutes.
GLMNET = ("R lasso_few 50 glmnet::glmnet.control(fdev = 0, devmax = 1) ;; "
          "glmnet::glmnet(X, y, nlambda = 100, lambda.min.ratio = 1e-3, thresh = 1e-14")


def fit(call, relation):
    return f"SELECT {call} IS NOT NULL FROM {relation}"


SECTIONS = [
    Section("lasso and cross-validation, 50 features", [
        Query("linear_regression", fit("pgfit.linear_regression(y, x)", "lasso_50")),
        Query("lasso_regression, one lambda", fit("pgfit.lasso_regression(y, x, 1000)", "lasso_50")),
        Query("lasso_regression, 100 lambdas",
              fit("pgfit.lasso_regression(y, x, '{\"lambda\": \"path\"}'::jsonb)", "lasso_50")),
        Query("lasso_regression, 100 lambdas, 10 folds", fit(CV, "lasso_50")),
        Query("lasso_regression, 100 lambdas, 10 folds, two processes", fit(CV, "lasso_50"), TWO),
        Query("ridge_regression, 100 lambdas, 10 folds",
              fit("pgfit.ridge_regression(y, x, '{\"lambda\": \"cv\"}'::jsonb)", "lasso_50")),
        Query("total_least_squares", fit("pgfit.total_least_squares(y, x)", "lasso_50")),
    ], [
        Bar("lasso_regression, one lambda", "linear_regression", 1.1),
        Bar("lasso_regression, 100 lambdas", "linear_regression", 1.2),
        Bar("lasso_regression, 100 lambdas, 10 folds", "linear_regression", 2),
        Bar("lasso_regression, 100 lambdas, 10 folds, two processes", "lasso_regression, 100 lambdas, 10 folds", 1 / 1.5),
        Bar("ridge_regression, 100 lambdas, 10 folds", "linear_regression", 2),
        Bar("total_least_squares", "linear_regression", 1.1),
    ]),
    Section("fits from stored moments, 50 and 1,000 features", [
        Query("50: lasso_regression, 100 lambdas, 10 folds",
              fit("pgfit.fit('lasso_regression', folded, '{\"lambda\": \"cv\"}')", "lasso_moments WHERE d = 50")),
        Query("1,000: linear_regression", fit("pgfit.fit('linear_regression', e)", "lasso_moments WHERE d = 1000")),
        Query("1,000: elastic_net", fit("pgfit.fit('elastic_net', e, '{\"lambda\": 1000, \"alpha\": 0.5}')", "lasso_moments WHERE d = 1000")),
        Query("1,000: elastic_net, 100 lambdas",
              fit("pgfit.fit('elastic_net', e, '{\"lambda\": \"path\"}')", "lasso_moments WHERE d = 1000")),
        Query("1,000: ridge_regression, 100 lambdas",
              fit("pgfit.fit('ridge_regression', e, '{\"lambda\": \"gcv\"}')", "lasso_moments WHERE d = 1000")),
        Query("1,000: total_least_squares", fit("pgfit.fit('total_least_squares', e)", "lasso_moments WHERE d = 1000")),
    ], [
        Bar("1,000: elastic_net", "1,000: linear_regression", None),
        Bar("1,000: elastic_net, 100 lambdas", "1,000: linear_regression", None),
        Bar("1,000: ridge_regression, 100 lambdas", "1,000: linear_regression", None),
    ]),
    Section("lasso against scikit-learn in memory: 100 lambdas, 10 folds, 100,000 rows of 50 features", [
        Query("lasso_regression", fit(CV, "lasso_few")),
        Query("scikit-learn LassoCV", "python lasso_few 50 LassoCV(cv=10, n_alphas=100, n_jobs=threads).fit(X, y)"),
    ], [Bar("lasso_regression", "scikit-learn LassoCV", 1 / 20)]),
    Section("elastic net against scikit-learn in memory, 1,000 features", [
        Query("elastic_net, from rows", fit("pgfit.elastic_net(y, x, 1000, 0.5)", "lasso_1000")),
        Query("elastic_net, from stored moments",
              fit("pgfit.fit('elastic_net', e, '{\"lambda\": 1000, \"alpha\": 0.5}')", "lasso_moments WHERE d = 1000")),
        Query("scikit-learn ElasticNet", "python lasso_1000 1000 ElasticNet(alpha=750 / len(y), l1_ratio=1 / 3).fit(X, y)"),
        Query("scikit-learn ElasticNet, cross-products first",
              "python lasso_1000 1000 ElasticNet(alpha=750 / len(y), l1_ratio=1 / 3, precompute=True).fit(X, y)"),
    ], [
        Bar("elastic_net, from stored moments", "scikit-learn ElasticNet, cross-products first", 0.5),
        Bar("elastic_net, from rows", "scikit-learn ElasticNet", 1),
    ]),
    Section("lasso against R's glmnet in memory: a path of 100 lambdas, 100,000 rows of 50 features", [
        Query("lasso_regression", fit("pgfit.lasso_regression(y, x, '{\"lambda\": \"path\"}'::jsonb)", "lasso_few")),
        Query("glmnet", f"{GLMNET}, type.gaussian = 'covariance')"),
    ], [Bar("lasso_regression", "glmnet", None, aim=0.3)]),
]
