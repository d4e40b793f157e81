/*
 * link_function.c - the table of link functions.
 *
 * identity, log, logit, inverse, inverse_squared and sqrt give the same bits on every machine; probit, cloglog, cauchit and power call functions of
 * the C library, whose last bits may differ.
 */
#include "core/linear_equations/link_function.h"

#include "core/math/exp_log1p.h"
#include "core/math/logistic_function.h"
#include "core/math/special_functions.h"
#include "core/model/report_text.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double same(double x)
{
    return x;
}

static double one(double score)
{
    (void)score;
    return 1;
}

static double exponential(double score)
{
    return exponential_core(score);
}

static double logit(double mean)
{
    return log(mean / (1 - mean));
}

static double logistic_slope_at(double score)
{
    double small = exponential_core(-fabs(score));

    return small / ((1 + small) * (1 + small));
}

static double normal_density(double score)
{
    return exp(-0.5 * score * score) / sqrt(2 * M_PI);
}

static double log_minus_log(double mean)
{
    return log(-log1p(-mean));
}

static double gumbel(double score)
{
    return -expm1(-exp(score));
}

static double gumbel_slope(double score)
{
    return exp(score - exp(score));
}

static double cauchy_quantile(double mean)
{
    return -1 / tan(M_PI * mean);
}

static double cauchy(double score)
{
    return atan2(1, -score) / M_PI;
}

static double cauchy_slope(double score)
{
    return 1 / (M_PI * (1 + score * score));
}

static double inverse(double x)
{
    return 1 / x;
}

static double inverse_slope(double score)
{
    return -1 / (score * score);
}

static double inverse_squared(double mean)
{
    return 1 / (mean * mean);
}

static double inverse_root(double score)
{
    return 1 / sqrt(score);
}

static double inverse_root_slope(double score)
{
    return -0.5 / (score * sqrt(score));
}

static double square(double score)
{
    return score * score;
}

static double twice(double score)
{
    return 2 * score;
}

const LinkFunction link_functions[LINK_FUNCTIONS] = {
    {.name = "identity", .link = same, .mean = same, .slope = one, .before = "", .after = ""},
    {.name = "log", .growth = true, .link = log, .mean = exponential, .slope = exponential, .before = "exp(least(708, greatest(-708, ", .after = ")))", .bounds = true},
    {.name = "logit",
     .bounded = true,
     .link = logit,
     .mean = logistic,
     .slope = logistic_slope_at,
     .before = "1 / (1 + exp(least(708, greatest(-708, -(",
     .after = ")))))",
     .bounds = true},
    {.name = "probit", .bounded = true, .link = normal_quantile, .mean = normal_cdf, .slope = normal_density},
    {.name = "cloglog",
     .bounded = true,
     .link = log_minus_log,
     .mean = gumbel,
     .slope = gumbel_slope,
     .before = "2 / (1 + 1 / tanh(exp(least(708, greatest(-708, ", /* 1 - exp(-u) without a difference, which loses digits of a small u */
     .after = "))) / 2))",
     .bounds = true},
    {.name = "cauchit", .bounded = true, .link = cauchy_quantile, .mean = cauchy, .slope = cauchy_slope, .before = "atan2(1, -(", .after = ")) / pi()"},
    {.name = "inverse", .link = inverse, .mean = inverse, .slope = inverse_slope, .before = "1 / nullif(", .after = ", 0)"},
    {.name = "inverse_squared",
     .positive = true,
     .link = inverse_squared,
     .mean = inverse_root,
     .slope = inverse_root_slope,
     .before = "1 / sqrt(nullif(greatest(0, ", /* NULL without a score too */
     .after = "), 0))"},
    {.name = "sqrt",
     .positive = true,
     .link = sqrt,
     .mean = square,
     .slope = twice,
     .before = "power(nullif(nullif(least(1.34e154, greatest(-1.34e154, ", /* NULL where the square is out of range */
     .after = ")), 1.34e154), -1.34e154), 2)"},
    {.name = "power", .positive = true}, /* by link_power_sql */
};

const char *const link_names[] = {"identity", "log", "logit", "probit", "cloglog", "cauchit", "inverse", "inverse_squared", "sqrt", "power", NULL};

/* ---- link power ---- */

/* The powers that are links with a name. */
static const struct {
    double power;
    const char *name;
} named_powers[] = {{-2, "inverse_squared"}, {-1, "inverse"}, {0.5, "sqrt"}, {1, "identity"}};

double link_power_mean(double score, double power)
{
    return score > 0 ? pow(score, 1 / power) : NAN;
}

double link_power_slope(double score, double power)
{
    return score > 0 ? pow(score, 1 / power - 1) / power : NAN;
}

void link_power_sql(const Link *link, TextBuffer *before, TextBuffer *after)
{
    /* means above exp(709.7) exceed the range, those below exp(-744) are 0, and PostgreSQL refuses both */
    double power = fabs(link->power), low = exp(-(link->power > 0 ? 744 : 709.7) * power), high = fmin(exp((link->power > 0 ? 709.7 : 744) * power), DBL_MAX);

    text_print(before, "power(nullif(nullif(least(");
    sql_number(before, high);
    text_print(before, ", greatest(");
    sql_number(before, low);
    text_print(before, ", ");
    text_print(after, ")), ");
    sql_number(after, high);
    text_print(after, "), ");
    sql_number(after, low);
    text_print(after, "), ");
    sql_number(after, 1 / link->power);
    text_print(after, ")");
}

double link_score(const Link *link, double mean)
{
    return link->function->link != NULL ? link->function->link(mean) : pow(mean, link->power);
}

/* ---- links of options and of models ---- */

Link link_find(const char *name, double power)
{
    Link link = {link_functions, 0};

    for (size_t i = 0; strcmp(name, "power") == 0 && i < sizeof(named_powers) / sizeof(named_powers[0]); i++)
        if (power == named_powers[i].power)
            name = named_powers[i].name;
    while (strcmp(link.function->name, name) != 0)
        link.function++;
    if (link.function->mean == NULL)
        link.power = power;
    return link;
}

bool link_same(const Link *a, const Link *b)
{
    return a->function == b->function && a->power == b->power;
}

Link link_of_model(const Model *model)
{
    uint32_t length;
    const int64_t *position = model_i64(model, "glm_link", &length);

    return position != NULL ? (Link){&link_functions[*position], model_fact(model, "link_power", 0)} : (Link){NULL, 0};
}

void link_add(ModelBuilder *builder, const Link *link, int64_t *position)
{
    *position = link->function - link_functions;
    builder_i64(builder, SECTION_ARRAYS, "glm_link", position, 1);
    if (link->function->mean == NULL)
        builder_fact(builder, "link_power", link->power);
}

const char *link_check(Env *env, const Model *model)
{
    uint32_t length;
    int64_t position = *model_i64(model, "glm_link", &length);
    double power = model_fact(model, "link_power", 0);

    if (position < 0 || position >= LINK_FUNCTIONS)
        return env_message(env, "\"glm_link\" of %.31s is %lld, not one of %d links", model->estimator, (long long)position, LINK_FUNCTIONS);
    if ((link_functions[position].mean == NULL) != (isfinite(power) && power != 0))
        return env_message(env, "\"link_power\" of %.31s is %g, which is not that of link %s", model->estimator, power, link_functions[position].name);
    return NULL;
}
