/*
 * method_synonyms.c - what estimators and metrics are called elsewhere: scikit-learn, R, MADlib, XGBoost.
 */
#include "core/options/options.h"

#include <string.h>

#define NAME_SIZE 40

typedef struct Synonym {
    const char *name;    /* lower case, letters and digits alone */
    const char *meaning; /* our name */
} Synonym;

static const Synonym synonyms[] = {
    {"lm", "linear_regression"},
    {"ols", "linear_regression"},
    {"linregr", "linear_regression"},
    {"logit", "logistic_regression"},
    {"logregr", "logistic_regression"},
    {"multinom", "logistic_regression"},
    {"ridge", "ridge_regression"},
    {"ridgecv", "ridge_regression"},
    {"bayesianridge", "bayesian_regression"},
    {"lasso", "lasso_regression"},
    {"lassocv", "lasso_regression"},
    {"elasticnetcv", "elastic_net"},
    {"glmnet", "elastic_net"},
    {"polr", "ordinal_regression"},
    {"clm", "ordinal_regression"},
    {"proportionalodds", "ordinal_regression"},
    {"glmnb", "negative_binomial_regression"},
    {"poissonregressor", "poisson_regression"},
    {"gammaregressor", "gamma_regression"},
    {"tweedieregressor", "tweedie_regression"},
    {"nnls", "linear_regression"},
    {"coxph", "cox_regression"},
    {"coxphfitter", "cox_regression"},
    {"phreg", "cox_regression"},
    {"lmer", "mixed_regression"},
    {"lme", "mixed_regression"},
    {"mixedlm", "mixed_regression"},
    {"rlm", "huber_regression"},
    {"huber", "huber_regression"},
    {"huberregressor", "huber_regression"},
    {"lmrob", "mm_regression"},
    {"theilsenregressor", "theil_sen"},
    {"theilslopes", "theil_sen"},
    {"mblm", "theil_sen"},
    {"rq", "quantile_regression"},
    {"sqreg", "multiple_quantile_regression"},
    {"quantileregressor", "quantile_regression"},
    {"lad", "quantile_regression"},
    {"leastabsolutedeviations", "quantile_regression"},
    {"medianregression", "quantile_regression"},
    {"ridgeclassifier", "least_squares_classifier"},
    {"sgdclassifier", "logistic_regression"},
    {"gaussiannb", "naive_bayes"},
    {"categoricalnb", "naive_bayes"},
    {"lineardiscriminantanalysis", "lda"},
    {"quadraticdiscriminantanalysis", "qda"},
    {"svc", "svm_classifier"},
    {"linearsvc", "svm_classifier"},
    {"svm", "svm_classifier"},
    {"ksvm", "svm_classifier"},
    {"svr", "svm_regression"},
    {"linearsvr", "svm_regression"},
    {"oneclasssvm", "one_class_svm"},
    {"kneighborsclassifier", "knn_classifier"},
    {"kneighborsregressor", "knn_regression"},
    {"knn", "knn_classifier"},
    {"nearestneighbors", "neighbors"},
    {"decisiontree", "tree_classifier"},
    {"decisiontreeclassifier", "tree_classifier"},
    {"decisiontreeregressor", "tree_regression"},
    {"rpart", "tree_classifier"},
    {"randomforest", "forest_classifier"},
    {"randomforestclassifier", "forest_classifier"},
    {"randomforestregressor", "forest_regression"},
    {"randomforestregression", "forest_regression"},
    {"ranger", "forest_classifier"},
    {"forest", "forest_classifier"},
    {"extratreesregressor", "extra_trees_regression"},
    {"gradientboosting", "boosted_trees_classifier"},
    {"gradientboostingclassifier", "boosted_trees_classifier"},
    {"gradientboostingregressor", "boosted_trees_regression"},
    {"histgradientboostingclassifier", "boosted_trees_classifier"},
    {"histgradientboostingregressor", "boosted_trees_regression"},
    {"xgboost", "boosted_trees_classifier"},
    {"xgb", "boosted_trees_classifier"},
    {"xgbclassifier", "boosted_trees_classifier"},
    {"xgbregressor", "boosted_trees_regression"},
    {"lightgbm", "boosted_trees_classifier"},
    {"lgbmclassifier", "boosted_trees_classifier"},
    {"lgbmregressor", "boosted_trees_regression"},
    {"boosting", "boosted_trees_classifier"},
    {"minibatchkmeans", "kmeans"},
    {"spectralclustering", "kernel_kmeans"},
    {"gmm", "gaussian_mixture"},
    {"mclust", "gaussian_mixture"},
    {"hclust", "hierarchical"},
    {"agglomerativeclustering", "hierarchical"},
    {"pam", "kmedoids"},
    {"prcomp", "pca"},
    {"princomp", "pca"},
    {"kpca", "kernel_pca"},
    {"cmdscale", "mds"},
    {"lof", "local_outlier_factor"},
    {"ellipticenvelope", "multivariate_normal"},
    {"onehotencoder", "one_hot"},
    {"kbinsdiscretizer", "quantile_bins"},
    {"auc", "roc_auc"},
    {"rocaucscore", "roc_auc"},
    {"r2", "r_squared"},
    {"r2score", "r_squared"},
    {"rsquared", "r_squared"},
    {"neglogloss", "log_loss"},
    {"logloss", "log_loss"},
    {"crossentropy", "log_loss"},
    {"negbrierscore", "brier_score"},
    {"meansquarederror", "mse"},
    {"negmeansquarederror", "mse"},
    {"rootmeansquarederror", "rmse"},
    {"negrootmeansquarederror", "rmse"},
    {"meanabsoluteerror", "mae"},
    {"negmeanabsoluteerror", "mae"},
    {"f1", "f1_score"},
    {"precision", "precision_score"},
    {"recall", "recall_score"},
    {"sensitivity", "recall_score"},
    {"mcc", "matthews_correlation"},
    {"matthewscorrcoef", "matthews_correlation"},
    {"kappa", "cohen_kappa"},
};

/* Writes a name as the table has it. Returns false if it is too long for that. */
static bool write_name(char out[NAME_SIZE], const char *name, size_t length)
{
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        char c = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 'a' - 'A') : name[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')))
            continue;
        if (used + 1 >= NAME_SIZE)
            return false;
        out[used++] = c;
    }
    out[used] = '\0';
    return used > 0;
}

const char *nearest_method(const char *name, size_t length, const char *const *candidates, uint32_t count)
{
    char written[NAME_SIZE], other[NAME_SIZE];

    if (!write_name(written, name, length))
        return nearest_name(name, length, candidates, count);
    for (uint32_t i = 0; i < count; i++)
        if (write_name(other, candidates[i], strlen(candidates[i])) && strcmp(other, written) == 0)
            return candidates[i];
    for (size_t s = 0; s < sizeof(synonyms) / sizeof(synonyms[0]); s++)
        for (uint32_t i = 0; i < count && strcmp(synonyms[s].name, written) == 0; i++)
            if (strcmp(candidates[i], synonyms[s].meaning) == 0)
                return candidates[i];
    return nearest_name(name, length, candidates, count);
}
