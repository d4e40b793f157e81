/*
 * shared_options.c - options of methods that start from random choices, and choices of others.
 */
#include "core/estimator/shared_options.h"

#include <stdio.h>
#include <string.h>

const OptionSpec option_seed[] = {
    {.name = "seed",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = -9007199254740992.0,
     .maximum = 9007199254740992.0,
     .help = "Seed of the random choices."},
    {.name = NULL}};

const OptionSpec option_n_init[] = {
    {.name = "n_init",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 10000,
     .unset = "1; random starts: 10",
     .help = "Number of restarts, of which the best result is kept."},
    {.name = NULL}};

const OptionSpec option_k[] = {
    {.name = "k", .types = OPTION_INTEGER, .minimum = 1, .maximum = 1e6, .unset = "required", .help = "The number of clusters."}, {.name = NULL}};

const OptionSpec option_level[] = {
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     BETWEEN_ZERO_AND_ONE,
     .help = "Confidence level of the limits."},
    {.name = NULL}};

const char *const contamination_choices[] = {"auto", NULL};
const char *const outlier_labels[] = {"out", "in"};

const char *const positional_k[] = {"k", NULL};

static const char *const too_few_rows_choices[] = {"error", "null", NULL};

const OptionSpec option_too_few_rows[] = {
    {.name = "too_few_rows",
     .types = OPTION_STRING,
     .fallback = "\"error\"",
     .choices = too_few_rows_choices,
     .help = "Like on_failure, for a group with too few rows or classes alone, and without a WARNING."},
    {.name = NULL}};

bool too_few_rows_are_null(const FitInput *input, const Options *options)
{
    return input->frame || options_is(options, "too_few_rows", "null");
}

uint32_t options_starts(const Options *options, uint32_t usual)
{
    OptionType init = options_type(options, "init");

    if (init == OPTION_NUMBER_MATRIX || init == OPTION_NUMBER_LIST)
        return 1;
    if (options_type(options, "n_init") != 0)
        return (uint32_t)options_integer(options, "n_init");
    return usual;
}

void require_clusters(Env *env, const char *method, uint32_t k, uint64_t rows)
{
    char hint[160];

    snprintf(hint, sizeof(hint), "Call %s(features, k), or give option \"k\".", method);
    if (k == 0)
        env_fail(env, ERROR_PARAMETER, hint, "%s needs the number of clusters", method);
    if (k > rows)
        env_fail(env, ERROR_DATA, "Ask for fewer clusters.", "%u clusters of %llu row%s", k,
                 (unsigned long long)rows, rows == 1 ? "" : "s");
}

uint32_t cluster_count(const Model *model)
{
    return model_find(model, "sizes")->rows;
}

const Model *start_model(Env *env, const Options *options, const Estimator *estimator)
{
    const char *json = options_value_json(options, "start");
    const Model *model;

    if (json == NULL)
        return NULL;
    model = model_from_text(env, json, strlen(json));
    if (model->kind != MODEL_FITTED || strcmp(model->estimator, estimator->name) != 0)
        env_fail(env, ERROR_KIND, "Cast the model to jsonb: jsonb_build_object('start', model::jsonb).",
                 "option \"start\" of %s must be a model of %s, not of %.31s", estimator->name, estimator->name, model->estimator);
    return model;
}
