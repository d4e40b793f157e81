/*
 * option_synonyms.c - what options and their choices are called elsewhere: scikit-learn, R (glmnet, ranger, rpart, e1071, kmeans, hclust), XGBoost, LightGBM.
 */
#include "core/options/options.h"

#include <string.h>

#define NAME_SIZE 40
#define MEANINGS 3
#define SOLVER_NOTE "pgfit chooses how to compute from the method and the data: leave it out."
#define WEIGHT_NOTE "The weight of a row is an argument after the options; fit and train name its column in option \"weight\"."
#define OFFSET_NOTE "An offset is a term: a generalized linear model of counts per exposure has the formula 'a + b + offset(ln(exposure))'."
#define COST_NOTE "Costs stand together: {\"cost\": {\"false_positive\": 1, \"false_negative\": 5}}."

typedef struct Synonym {
    const char *name;              /* lower case, with _ for . and - */
    const char *meanings[MEANINGS]; /* our names; the first that an estimator has is meant. None: the note tells all */
    const char *note;
} Synonym;

/* In order of meaning. A name that an estimator has itself is never looked up here. */
static const Synonym synonyms[] = {
    {"n_estimators", {"n_trees"}},
    {"num_trees", {"n_trees"}},
    {"ntree", {"n_trees"}},
    {"ntrees", {"n_trees"}},
    {"num_boost_round", {"n_trees"}},
    {"nrounds", {"n_trees"}},
    {"num_iterations", {"n_trees", "max_iter"}},
    {"n_iter", {"max_iter", "n_trees"}},
    {"iter_max", {"max_iter"}},
    {"maxit", {"max_iter"}},
    {"epochs", {"max_iter"}},
    {"max_iter", {"n_trees"}},
    {"eta", {"learning_rate"}},
    {"eta0", {"learning_rate"}},
    {"shrinkage", {"learning_rate"}},
    {"learning_rate_init", {"learning_rate"}},
    {"l2_regularization", {"lambda", "regularization"}},
    {"reg_lambda", {"lambda"}},
    {"lambda_l2", {"lambda"}},
    {"alpha", {"lambda", "level_smoothing", "quantile"}},
    {"c", {"lambda"}, "In logistic_regression with an l2 penalty, lambda is 0.5 / C."},
    {"l1_ratio", {"alpha"}},
    {"cost", {"C"}},
    {"min_child_samples", {"min_samples_leaf"}},
    {"min_data_in_leaf", {"min_samples_leaf"}},
    {"min_node_size", {"min_samples_leaf"}},
    {"nodesize", {"min_samples_leaf"}},
    {"minbucket", {"min_samples_leaf"}},
    {"minsplit", {"min_samples_split"}},
    {"min_sum_hessian_in_leaf", {"min_child_weight"}},
    {"min_gain_to_split", {"min_impurity_decrease"}},
    {"min_split_loss", {"min_impurity_decrease"}},
    {"gamma", {"min_impurity_decrease"}},
    {"cp", {"complexity"}},
    {"ccp_alpha", {"complexity"}},
    {"maxdepth", {"max_depth"}},
    {"num_leaves", {"max_leaf_nodes"}},
    {"max_leaves", {"max_leaf_nodes"}},
    {"maxnodes", {"max_leaf_nodes"}},
    {"mtry", {"max_features"}},
    {"colsample_bytree", {"max_features"}},
    {"colsample_bynode", {"max_features"}},
    {"feature_fraction", {"max_features"}},
    {"bagging_fraction", {"max_samples"}},
    {"sample_fraction", {"max_samples"}},
    {"sampsize", {"max_samples"}},
    {"oob_score", {"oob"}},
    {"early_stopping_rounds", {"early_stopping"}},
    {"n_iter_no_change", {"early_stopping"}},
    {"validation_fraction", {"holdout"}},
    {"objective", {"loss", "criterion"}},
    {"loss", {"criterion"}},
    {"splitrule", {"criterion"}},
    {"n_neighbors", {"k"}},
    {"n_clusters", {"k"}},
    {"centers", {"k"}},
    {"n_components", {"k"}},
    {"ncomp", {"k"}},
    {"rank", {"k"}},
    {"nstart", {"n_init"}},
    {"k_max", {"max_k"}},
    {"means_init", {"init"}},
    {"weights_init", {"init_weights"}},
    {"precisions_init", {"init_covariances"}, "Give covariances, the inverses of the precisions."},
    {"covariance", {"covariance_type"}},
    {"reg_covar", {"regularization"}},
    {"reg_param", {"regularization"}},
    {"laplace", {"level_smoothing", "smoothing"}},
    {"prior", {"priors"}},
    {"class_prior", {"priors"}},
    {"class_weights", {"class_weight"}},
    {"scale_pos_weight", {"class_weight"}},
    {"affinity", {"metric"}},
    {"distance", {"metric"}},
    {"method", {"linkage", "algorithm"}},
    {"random_state", {"seed"}},
    {"random_seed", {"seed"}},
    {"tol", {"tolerance"}},
    {"eps", {"tolerance", "radius"}},
    {"thresh", {"tolerance"}},
    {"fit_intercept", {"intercept"}},
    {"normalize", {"standardize"}},
    {"scale", {"standardize"}},
    {"scaled", {"standardize"}},
    {"cv", {"folds"}},
    {"n_folds", {"folds"}},
    {"nfolds", {"folds"}},
    {"multi_class", {"multiclass"}},
    {"na_action", {"nulls"}},
    {"handle_unknown", {"unseen"}},
    {"scoring", {"metrics"}},
    {"eval_metric", {"metrics"}},
    {"algorithm", {"index"}},
    {"algorithm", {NULL}, SOLVER_NOTE},
    {"solver", {NULL}, SOLVER_NOTE},
    {"n_jobs", {NULL}, SOLVER_NOTE},
    {"cache_size", {NULL}, SOLVER_NOTE},
    {"leaf_size", {NULL}, SOLVER_NOTE},
    {"tree_method", {"split"}},
    {"weight", {NULL}, WEIGHT_NOTE},
    {"weights", {NULL}, WEIGHT_NOTE},
    {"sample_weight", {NULL}, WEIGHT_NOTE},
    {"case_weights", {NULL}, WEIGHT_NOTE},
    {"offset", {NULL}, OFFSET_NOTE},
    {"exposure", {NULL}, OFFSET_NOTE},
    {"false_positive", {"cost"}, COST_NOTE},
    {"false_negative", {"cost"}, COST_NOTE},
    {"costs", {"cost"}},
    {"error_score", {"on_failure"}},
    {"on_error", {"on_failure"}},
};

/* Writes a name as the table has it. Returns false if it is too long for that. */
static bool write_name(char out[NAME_SIZE], const char *name, size_t length)
{
    if (length >= NAME_SIZE)
        return false;
    for (size_t i = 0; i < length; i++)
        out[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 'a' - 'A') : name[i] == '.' || name[i] == '-' ? '_' : name[i];
    out[length] = '\0';
    return true;
}

static const char *option_synonym(const char *name, size_t length, const char *const *candidates, uint32_t count, const char **note)
{
    char written[NAME_SIZE];

    *note = NULL;
    if (!write_name(written, name, length))
        return NULL;
    for (size_t s = 0; s < sizeof(synonyms) / sizeof(synonyms[0]); s++) {
        if (strcmp(synonyms[s].name, written) != 0)
            continue;
        if (synonyms[s].meanings[0] == NULL)
            *note = synonyms[s].note;
        for (uint32_t m = 0; m < MEANINGS && synonyms[s].meanings[m] != NULL; m++)
            for (uint32_t i = 0; i < count; i++)
                if (strcmp(candidates[i], synonyms[s].meanings[m]) == 0) {
                    *note = synonyms[s].note;
                    return candidates[i];
                }
    }
    return NULL;
}

typedef struct ChoiceSynonym {
    const char *option, *theirs, *ours;
} ChoiceSynonym;

static const ChoiceSynonym choice_synonyms[] = {
    {"class_weight", "None", "none"},
    {"covariance_type", "diag", "diagonal"},
    {"criterion", "absolute_error", "mae"},
    {"criterion", "friedman_mse", "mse"},
    {"criterion", "information", "entropy"},
    {"criterion", "log_loss", "entropy"},
    {"criterion", "squared_error", "mse"},
    {"init", "kmeans++", "k-means++"},
    {"init", "random_from_data", "random"},
    {"kernel", "gaussian", "rbf"},
    {"kernel", "poly", "polynomial"},
    {"kernel", "radial", "rbf"},
    {"loss", "absolute_error", "absolute"},
    {"loss", "squared_error", "squared"},
    {"metric", "braycurtis", "bray_curtis"},
    {"metric", "cityblock", "manhattan"},
    {"metric", "infinity", "chebyshev"},
    {"metric", "l1", "manhattan"},
    {"metric", "l2", "euclidean"},
    {"metric", "levenshtein", "edit"},
    {"metric", "sqeuclidean", "squared_euclidean"},
    {"output", "onehot-dense", "onehot"},
    {"penalty", "None", "none"},
    {"penalty", "elasticnet", "elastic_net"},
    {"voting", "average", "soft"},
    {"voting", "vote", "hard"},
};

const char *choice_synonym(const char *option, const char *value)
{
    for (size_t s = 0; s < sizeof(choice_synonyms) / sizeof(choice_synonyms[0]); s++)
        if (strcmp(choice_synonyms[s].option, option) == 0 && strcmp(choice_synonyms[s].theirs, value) == 0)
            return choice_synonyms[s].ours;
    return NULL;
}

const char *choice_meant(const char *option, const char *value, const char *const *choices)
{
    const char *ours = choice_synonym(option, value);

    for (; ours != NULL && *choices != NULL; choices++)
        if (strcmp(*choices, ours) == 0)
            return *choices;
    return NULL;
}

const char *option_meant(const char *name, size_t length, const char *const *candidates, uint32_t count, const char **note)
{
    const char *meant = option_synonym(name, length, candidates, count, note);

    return meant != NULL || *note != NULL ? meant : nearest_name(name, length, candidates, count);
}
