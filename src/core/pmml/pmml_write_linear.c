/*
 * pmml_write_linear.c - linear regressions, generalized linear models and logistic regression as RegressionModel.
 */
#include "core/estimator/multiclass.h"
#include "core/linear_equations/link_function.h"
#include "core/linear_equations/linear_equations.h"
#include "core/pmml/pmml_write.h"

/* Adds an equation. category: the class that it is of; NULL: of a regression. */
static void put_table(PmmlWriter *writer, const LinearView *view, uint32_t equation, const char *category)
{
    TextBuffer *out = writer->out;
    const double *coef = view->coef + (size_t)equation * view->columns;

    text_add(out, "<RegressionTable");
    pmml_put_number(out, "intercept", view->intercept != NULL ? view->intercept[equation] : 0);
    if (category != NULL)
        pmml_put_text(out, "targetCategory", category);
    text_add(out, ">\n");
    for (uint32_t s = 0, c = 0; s < view->slots; s++) {
        env_poll_every(writer->env, s + 1, 1024);
        if (c < view->categorical && view->level_slots[c] == s) {
            c++;
            continue;
        }
        text_add(out, "<NumericPredictor");
        pmml_put_text(out, "name", writer->slot[s].name);
        pmml_put_number(out, "coefficient", coef[s]);
        text_add(out, "/>\n");
    }
    for (uint32_t c = 0; c < view->categorical; c++) {
        uint32_t slot = (uint32_t)view->level_slots[c], field = schema_slot_field(writer->model, slot);

        for (uint32_t l = 0; l < view->levels; l++) {
            env_poll_every(writer->env, l + 1, 1024);
            if (dictionary_field(writer->model, l) != field || coef[view->slots + l] == 0)
                continue;
            text_add(out, "<CategoricalPredictor");
            pmml_put_text(out, "name", writer->slot[slot].name);
            pmml_put_text(out, "value", pmml_dictionary_text(writer, DICTIONARY_LEVELS, l));
            pmml_put_number(out, "coefficient", coef[view->slots + l]);
            text_add(out, "/>\n");
        }
    }
    text_add(out, "</RegressionTable>\n");
}

static void put_regression(PmmlWriter *writer, const char *normalization)
{
    LinearView view;

    linear_view(writer->model, &view);
    pmml_begin_model(writer, "RegressionModel", "regression", env_message(writer->env, " normalizationMethod=\"%s\"", normalization));
    put_table(writer, &view, 0, NULL);
    text_add(writer->out, "  </RegressionModel>\n");
}

static void linear_regression(PmmlWriter *writer)
{
    if (model_find(writer->model, "coef") == NULL)
        pmml_refuse(writer->env, writer->model, "it is no linear equation");
    put_regression(writer, "none");
}

static void generalized_model(PmmlWriter *writer)
{
    static const struct {
        const char *link, *normalization;
    } links[] = {{"identity", "none"}, {"log", "exp"}, {"logit", "logit"}, {"probit", "probit"}, {"cloglog", "cloglog"}, {"cauchit", "cauchit"}};
    Link link = link_of_model(writer->model);

    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
        if (strcmp(links[i].link, link.function->name) == 0) {
            put_regression(writer, links[i].normalization);
            return;
        }
    pmml_refuse(writer->env, writer->model, env_message(writer->env, "a RegressionModel has no link %s", link.function->name));
}

static void logistic_regression(PmmlWriter *writer)
{
    Env *env = writer->env;
    const Model *model = writer->model;
    LinearView view;
    ClassRule rule = class_rule_of(model);

    linear_view(model, &view);
    if (view.link != (view.equations == 1 ? LINK_LOGISTIC : LINK_SOFTMAX))
        pmml_refuse(env, model, "its probabilities are those of several binary models, not a softmax");
    if (view.equations <= 2)
        pmml_require_rule(writer);
    pmml_begin_model(writer, "RegressionModel", "classification", view.equations == 1 ? " normalizationMethod=\"logit\"" : " normalizationMethod=\"softmax\"");
    if (view.equations == 1) {
        put_table(writer, &view, 0, pmml_dictionary_text(writer, DICTIONARY_CLASSES, rule.positive));
        text_add(writer->out, "<RegressionTable intercept=\"0\"");
        pmml_put_text(writer->out, "targetCategory", pmml_dictionary_text(writer, DICTIONARY_CLASSES, 1 - rule.positive));
        text_add(writer->out, "/>\n");
    }
    for (uint32_t e = 0; view.equations > 1 && e < view.equations; e++)
        put_table(writer, &view, e, pmml_dictionary_text(writer, DICTIONARY_CLASSES, e));
    text_add(writer->out, "  </RegressionModel>\n");
}

const PmmlMethod pmml_linear_methods[] = {{"bayesian_regression", linear_regression},
                                          {"elastic_net", linear_regression},
                                          {"huber_regression", linear_regression},
                                          {"lasso_regression", linear_regression},
                                          {"linear_regression", linear_regression},
                                          {"mm_regression", linear_regression},
                                          {"perceptron_regression", linear_regression},
                                          {"quantile_regression", linear_regression},
                                          {"ridge_regression", linear_regression},
                                          {"theil_sen", linear_regression},
                                          {"total_least_squares", linear_regression},
                                          {"gamma_regression", generalized_model},
                                          {"glm", generalized_model},
                                          {"negative_binomial_regression", generalized_model},
                                          {"poisson_regression", generalized_model},
                                          {"tweedie_regression", generalized_model},
                                          {"logistic_regression", logistic_regression},
                                          {NULL, NULL}};
