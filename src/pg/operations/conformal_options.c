/*
 * conformal_options.c - reads option "conformal" of fit.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/operations/conformal_fit.h"
#include "pg/type/json_options.h"
#include "core/calibration/conformal_scores.h"

/* Returns the object of the option: true stands for {}, a number for {"share": number}; NULL: there is none. */
static Jsonb *option_object(Jsonb *options)
{
    JsonbValue value;

    if (!json_options_value(options, "conformal", &value) || value.type == jbvNull || (value.type == jbvBool && !value.val.boolean))
        return NULL;
    if (value.type == jbvBool)
        return json_options_parse("{}");
    if (value.type == jbvNumeric)
        return json_options_parse(psprintf("{\"share\": %s}", json_options_double(json_options_number(options, "conformal", 0))));
    if (value.type != jbvBinary || !JsonContainerIsObject(value.val.binary.data))
        json_options_fail("conformal", "must be an object, a share of the rows, or true", "Write {\"method\": \"split\", \"share\": 0.2}, or {\"method\": \"cv+\", \"folds\": 5}.");
    return JsonbValueToJsonb(&value);
}

/* Returns the options of conformalize among these, as JSON. */
static char *scores_options(const Options *options)
{
    static const char *const names[] = {"by_class", "group", "score"};
    StringInfoData json;

    initStringInfo(&json);
    for (size_t i = 0; i < lengthof(names); i++)
        if (options_given(options, names[i]))
            appendStringInfo(&json, "%s\"%s\": %s", json.len > 0 ? ", " : "", names[i], options_value_json(options, names[i]));
    return psprintf("{%s}", json.data);
}

/* Fails for options that do not go together. */
static void require_together(const FitQuery *query, const Options *options, bool folds)
{
    bool classifier = query->estimator->task == TASK_CLASSIFICATION;

    if (query->target < 0 || (!classifier && query->estimator->task != TASK_REGRESSION))
        json_options_fail("conformal", psprintf("does not apply to %s", query->estimator->name), "It is for regressions and classifiers.");
    if (query->weight >= 0)
        json_options_fail("conformal", "does not go with \"weight\"", "Leave one out: rows that are held out count once each, in pgfit.conformalize(model, target, features) too.");
    if (folds ? options_given(options, "share") : options_given(options, "folds"))
        json_options_fail("conformal", folds ? "has \"share\", and its method is cv+" : "has \"folds\", and its method is split", folds ? "Give \"folds\"." : "Give \"share\", or \"method\": \"cv+\".");
    if (options_given(options, "normalize") && (folds || classifier))
        json_options_fail("conformal", psprintf("has \"normalize\", and %s", folds ? "its method is cv+" : "the method predicts classes"), folds ? "Give \"method\": \"split\"." : "Leave it out.");
    for (int i = 0; !classifier && i < 2; i++)
        if (options_given(options, i == 0 ? "by_class" : "score"))
            json_options_fail("conformal", psprintf("has \"%s\", and %s predicts numbers", i == 0 ? "by_class" : "score", query->estimator->name), "Leave it out.");
}

/* Reads the regression of the residual, and its options, over those by which the fit reads NULLs and levels. fit_options: of the fit. */
static void take_normalize(ConformalFit *fit, const Options *options, Jsonb *fit_options)
{
    static const char *const names[] = {"max_levels", "nulls", "unseen"};
    Jsonb *given = json_options_parse("{}"), *reads = json_options_parse("{}");
    JsonbValue reading;
    const char *name = options_string(options, "normalize");
    const Estimator *estimator;

    if (name == NULL) {
        Jsonb *object = json_options_parse(options_value_json(options, "normalize"));
        JsonbIterator *iterator = JsonbIteratorInit(&object->root);
        JsonbValue key, value;

        if (JB_ROOT_COUNT(object) != 1)
            json_options_fail("conformal", "has \"normalize\", which names not one regression", "Write \"forest_regression\", or {\"forest_regression\": {\"n_trees\": 50}}.");
        (void)JsonbIteratorNext(&iterator, &key, true); /* the object begins */
        (void)JsonbIteratorNext(&iterator, &key, true);
        (void)JsonbIteratorNext(&iterator, &value, true);
        name = pnstrdup(key.val.string.val, key.val.string.len);
        given = JsonbValueToJsonb(&value);
        json_options_require_object(given);
    }
    estimator = fit_estimator(name);
    if (estimator->task != TASK_REGRESSION || !estimator->supervised || estimator->scoring == NULL || estimator->scoring->predict == NULL)
        json_options_fail("conformal", psprintf("has \"normalize\": \"%s\", which is no regression", estimator->name), "Name one that predicts numbers, such as forest_regression.");
    for (size_t i = 0; i < lengthof(names); i++)
        if (json_options_value(fit_options, names[i], &reading))
            reads = json_options_join(reads, json_options_parse(psprintf("{\"%s\": %s}", names[i], json_options_text(JsonbValueToJsonb(&reading)))));
    fit->normalize = estimator->name;
    fit->normalize_options = json_options_join(reads, given);
}

ConformalFit *conformal_fit_take(const FitQuery *query, Jsonb **options)
{
    Jsonb *object = option_object(*options);
    ConformalFit *fit;
    char *json;
    const Options *read;

    *options = json_options_without(*options, "conformal");
    if (object == NULL)
        return NULL;
    json = json_options_text(object);
    read = options_parse(host_env(), "conformal", OPTION_TABLES(conformal_options, conformal_fit_options), json, strlen(json), NULL, NULL, 0);
    fit = palloc0(sizeof(ConformalFit));
    fit->folds = options_is(read, "method", "cv+");
    require_together(query, read, fit->folds);
    fit->fold_count = options_integer(read, "folds");
    fit->seed = options_integer(read, "seed");
    fit->share = options_number(read, "share");
    fit->key = options_given(read, "key") ? source_column(query->source, "key of the conformal scores", options_string(read, "key")) : -1;
    if (options_given(read, "group"))
        (void)source_column(query->source, "group of the conformal scores", options_string(read, "group"));
    fit->options = scores_options(read);
    if (options_given(read, "normalize"))
        take_normalize(fit, read, *options);
    return fit;
}
