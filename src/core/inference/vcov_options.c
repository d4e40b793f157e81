/*
 * vcov_options.c - reads the options about standard errors.
 */
#include "core/inference/vcov_options.h"

#include "core/rows/special_columns.h"

static const char *const kinds[] = {"classical", "HC0", "HC1", "HC2", "HC3", "CR0", "CR1", "CR1S", "CR2", "NW", NULL};

const OptionSpec options_vcov[] = {
    {.name = "cluster",
     .types = OPTION_STRING | OPTION_STRING_LIST,
     .unset = "rows are independent",
     .help = "For CR0 to CR2: a column of the feature row, or an array of them, whose values, compared as text, are the clusters; \".\" of a formula "
             "leaves it out."},
    {.name = "lag",
     .types = OPTION_INTEGER,
     .minimum = 0,
     .maximum = 1000000000,
     .unset = "chosen from the rows (Newey & West 1994)",
     .help = "For NW: how many rows back errors may be correlated."},
    {.name = "order",
     .types = OPTION_STRING,
     .unset = "rows have no order",
     .help = "For NW: a column of the feature row, a number, date or timestamp, that orders the rows; \".\" of a formula leaves it out."},
    {.name = "vcov",
     .types = OPTION_STRING,
     .choices = kinds,
     .unset = "classical",
     .help = "The covariance of the coefficients, from which standard errors come: classical; against unequal variances (HC0 to HC3); for clusters of rows "
             "(CR0, CR1, CR1S, CR2); for series (NW, Newey-West)."},
    {.name = NULL}};

bool options_robust(const Options *options)
{
    return options_has(options, "vcov") && options_given(options, "vcov") && !options_is(options, "vcov", "classical");
}

const char *vcov_name(VcovKind kind)
{
    return kinds[kind];
}

/* Fails if an option is given that only other kinds have. */
static void refuse(Env *env, const Options *options, const char *option, const char *wanted, VcovKind kind)
{
    if (!options_given(options, option))
        return;
    if (!options_given(options, "vcov"))
        env_fail(env, ERROR_PARAMETER, "Give both, or leave it out.", "option \"%s\" needs \"vcov\": %s", option, wanted);
    env_fail(env, ERROR_PARAMETER, env_message(env, "Leave it out, or give \"vcov\": %s.", wanted), "option \"%s\" does not go with \"vcov\": \"%s\"", option,
             kinds[kind]);
}

VcovPlan vcov_plan(Env *env, const Options *options)
{
    VcovPlan plan = {.lag = VCOV_AUTOMATIC};

    for (int i = 0; kinds[i] != NULL; i++)
        if (options_is(options, "vcov", kinds[i]))
            plan.kind = (VcovKind)i;
    if (!vcov_clustered(plan.kind))
        refuse(env, options, "cluster", "\"CR1\" or \"CR2\"", plan.kind);
    if (plan.kind != VCOV_NW) {
        refuse(env, options, "order", "\"NW\"", plan.kind);
        refuse(env, options, "lag", "\"NW\"", plan.kind);
    }
    if (vcov_clustered(plan.kind) && !options_given(options, "cluster"))
        env_fail(env, ERROR_PARAMETER, "Name the column of the clusters, such as \"cluster\": \"firm\".", "\"vcov\": \"%s\" needs option \"cluster\"",
                 kinds[plan.kind]);
    if (plan.kind == VCOV_NW && !options_given(options, "order"))
        env_fail(env, ERROR_PARAMETER, "Name the column of the time, such as \"order\": \"month\".", "\"vcov\": \"NW\" needs option \"order\"");
    if (vcov_clustered(plan.kind)) {
        plan.clusters = 1;
        if (options_type(options, "cluster") == OPTION_STRING_LIST)
            (void)options_strings(options, "cluster", &plan.clusters);
    }
    if (vcov_clustered(plan.kind) && (plan.clusters == 0 || plan.clusters > CLUSTER_COLUMNS_MAX))
        env_fail(env, ERROR_PARAMETER, "Combine columns, such as firm || ' ' || year.", "option \"cluster\" names %u columns, and 1 to %d are possible", plan.clusters,
                 CLUSTER_COLUMNS_MAX);
    if (plan.kind == VCOV_CR2 && plan.clusters > 1)
        env_fail(env, ERROR_PARAMETER, "Use \"CR1\", or name one column.", "\"vcov\": \"CR2\" takes clusters of one column, and %u are named",
                 plan.clusters);
    if (options_given(options, "lag"))
        plan.lag = options_integer(options, "lag");
    return plan;
}
