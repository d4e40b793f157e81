/*
 * kernel_options.c - kernels from options: a name with its numbers, or an object for a sum or product of kernels.
 */
#include "core/kernel/kernel_internal.h"
#include "core/kernel/string_kernel.h"

#include <math.h>
#include <string.h>

const char *const kernel_choices[] = {"linear", "polynomial", "rbf", "sigmoid", "precomputed", "spectrum", "subsequence", NULL};

/* The options of an object: those of a kernel, and what makes sums and products. */
extern const OptionSpec options_kernel_part[];
const OptionSpec *const kernel_part_tables[] = {options_number_kernel, options_kernel, options_kernel_part, NULL};

static const char *const number_kernels[] = {"linear", "polynomial", "rbf", "sigmoid", NULL};

const OptionSpec options_number_kernel[] = {
    {.name = "coef0",
     .types = OPTION_NUMBER,
     .fallback = "0",
     .help = "For polynomial and sigmoid: the constant added to gamma times the product."},
    {.name = "degree",
     .types = OPTION_INTEGER,
     .fallback = "3",
     .minimum = 1,
     .maximum = KERNEL_MAX_DEGREE,
     .help = "For polynomial: the power."},
    {.name = "gamma",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "rbf: 1 / (features x variance of all values); polynomial, sigmoid: 1",
     .help = "For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product."},
    {.name = "kernel",
     .types = OPTION_STRING,
     .fallback = "\"rbf\"",
     .choices = number_kernels,
     .help = "The kernel that replaces the product of two rows."},
    {.name = "sigma",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "gamma decides",
     .help = "For rbf: the width; gamma is 1 / (2 sigma^2)."},
    {.name = NULL}};

const OptionSpec options_kernel[] = {
    {.name = "decay",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     ABOVE_ZERO_TO_ONE,
     .help = "For subsequence: the factor of each character that an occurrence spans, gaps included."},
    {.name = "kernel",
     KERNEL_OPTION,
     .fallback = "\"rbf\"",
     .help = "The kernel that replaces the product of two rows; an object such as {\"sum\": [{\"kernel\": \"rbf\"}, {\"kernel\": "
             "\"linear\", \"weight\": 0.5}]} or {\"product\": [...]} combines several."},
    {.name = "length",
     .types = OPTION_INTEGER,
     .fallback = "3",
     .minimum = 1,
     .maximum = STRING_KERNEL_MAX_LENGTH,
     .help = "For spectrum and subsequence: how many characters are compared at a time."},
    {.name = "normalized",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "For spectrum and subsequence: divide by the square root of both texts' kernels with themselves, so that long texts do "
             "not count more."},
    {.name = NULL}};

const OptionSpec options_kernel_part[] = {{.name = "product",
                                           .types = OPTION_NESTED_LIST,
                                           .nested = kernel_part_tables,
                                           .unset = "kernel decides",
                                           .help = "Instead of kernel: the kernels that are multiplied."},
                                          {.name = "sum",
                                           .types = OPTION_NESTED_LIST,
                                           .nested = kernel_part_tables,
                                           .unset = "kernel decides",
                                           .help = "Instead of kernel: the kernels that are added."},
                                          {.name = "weight",
                                           .types = OPTION_NUMBER,
                                           .fallback = "1",
                                           ABOVE_ZERO,
                                           .help = "In a sum or product: multiplies the values of this kernel."},
                                          {.name = NULL}};

/* ---- one kernel ---- */

/* Fails if an option is given that the kernel does not use. */
static void require_use(Env *env, const Options *options, const char *option, bool used, KernelKind kind)
{
    static const char *const hints[] = {[KERNEL_LINEAR] = "Kernel linear has no options.",
                                        [KERNEL_POLYNOMIAL] = "Kernel polynomial takes gamma, coef0 and degree.",
                                        [KERNEL_RBF] = "Kernel rbf takes gamma or sigma.",
                                        [KERNEL_SIGMOID] = "Kernel sigmoid takes gamma and coef0.",
                                        [KERNEL_PRECOMPUTED] = "Kernel precomputed has no options.",
                                        [KERNEL_SPECTRUM] = "Kernel spectrum takes length and normalized.",
                                        [KERNEL_SUBSEQUENCE] = "Kernel subsequence takes length, decay and normalized."};

    if (options_given(options, option) && !used)
        env_fail(env, ERROR_PARAMETER, hints[kind], "kernel %s has no option \"%s\"", kernel_name(kind), option);
}

static KernelKind kind_of(Env *env, const char *name)
{
    const char *ours = choice_synonym("kernel", name);
    KernelKind kind = kernel_find(ours != NULL ? ours : name);

    if (kind == 0 || kind_is_sum(kind))
        env_fail(env, ERROR_PARAMETER, "Use one of linear, polynomial, rbf, sigmoid, precomputed, spectrum, subsequence.",
                 "unknown kernel \"%s\"", name);
    return kind;
}

static double gamma_of_sigma(Env *env, double sigma)
{
    double gamma = 0.5 / sigma / sigma;

    if (!(gamma > 0) || isinf(gamma))
        env_fail(env, ERROR_RANGE, "Scale the features, or give gamma.", "sigma %g makes gamma %g", sigma, gamma);
    return gamma;
}

/* Returns the kernel of this name with its options. */
static KernelPart read_kernel(Env *env, const Options *options, const char *name)
{
    KernelKind kind = kind_of(env, name);
    KernelPart part = {.kind = kind, .weight = 1, .gamma = 1, .degree = 1};
    bool product = kind == KERNEL_POLYNOMIAL || kind == KERNEL_SIGMOID, text = kind_is_text(kind);
    bool gamma = options_given(options, "gamma"), sigma = options_given(options, "sigma");

    if (gamma && sigma)
        env_fail(env, ERROR_PARAMETER, "Give one of them; gamma is 1 / (2 sigma^2).", "gamma %g and sigma %g are both given",
                 options_number(options, "gamma"), options_number(options, "sigma"));
    require_use(env, options, "gamma", product || kind == KERNEL_RBF, kind);
    require_use(env, options, "sigma", kind == KERNEL_RBF, kind);
    require_use(env, options, "degree", kind == KERNEL_POLYNOMIAL, kind);
    require_use(env, options, "coef0", product, kind);
    require_use(env, options, "length", text, kind);
    require_use(env, options, "normalized", text, kind);
    require_use(env, options, "decay", kind == KERNEL_SUBSEQUENCE, kind);
    if (gamma)
        part.gamma = options_number(options, "gamma");
    else if (kind == KERNEL_RBF)
        part.gamma = sigma ? gamma_of_sigma(env, options_number(options, "sigma")) : 0;
    if (product)
        part.coef0 = options_number(options, "coef0");
    if (kind == KERNEL_POLYNOMIAL)
        part.degree = (uint32_t)options_integer(options, "degree");
    if (text) {
        part.length = (uint32_t)options_integer(options, "length");
        part.normalized = options_boolean(options, "normalized");
        part.decay = kind == KERNEL_SUBSEQUENCE ? options_number(options, "decay") : 1;
    }
    return part;
}

/* ---- sums and products ---- */

/* Fails if an option of a single kernel stands beside an object, which has its own. */
static void refuse_outside(Env *env, const Options *options)
{
    static const char *const given[] = {"coef0", "decay", "degree", "gamma", "length", "normalized", "sigma"};

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (options_given(options, given[i]))
            env_fail(env, ERROR_PARAMETER, "Give it inside the object, to the kernel that it is meant for.",
                     "option \"%s\" stands beside an object of kernels", given[i]);
}

static KernelPart *add_part(Env *env, Kernel *kernel)
{
    if (kernel->part_count == KERNEL_MAX_PARTS)
        env_fail(env, ERROR_PARAMETER, NULL, "a kernel is made of more than %d sums, products and kernels", KERNEL_MAX_PARTS);
    return &kernel->parts[kernel->part_count++];
}

/* Adds the kernel that an object describes, and all in it. */
static void add_object(Env *env, Kernel *kernel, const Options *object, uint32_t depth)
{
    bool sum = options_given(object, "sum"), product = options_given(object, "product"), named = options_given(object, "kernel");
    double weight = options_number(object, "weight");
    uint32_t self = kernel->part_count, count;
    Options *const *nested;

    if (sum + product + named != 1)
        env_fail(env, ERROR_PARAMETER, "Give one of \"kernel\", \"sum\" and \"product\" in each object.",
                 "an object of option \"kernel\" has %s", sum + product + named == 0 ? "no kernel" : "more than one kernel");
    if (depth > KERNEL_MAX_DEPTH)
        env_fail(env, ERROR_PARAMETER, NULL, "sums and products of kernels are nested more than %d levels deep", KERNEL_MAX_DEPTH);
    if (named && options_type(object, "kernel") == OPTION_STRING) {
        *add_part(env, kernel) = read_kernel(env, object, options_string(object, "kernel"));
        if (kernel->parts[self].kind == KERNEL_PRECOMPUTED)
            env_fail(env, ERROR_PARAMETER, "Add or multiply the matrices in the query.",
                     "kernel precomputed cannot be part of a sum or product");
    } else {
        refuse_outside(env, object);
        nested = options_nested(object, sum ? "sum" : product ? "product" : "kernel", &count);
        if (!named)
            *add_part(env, kernel) =
                (KernelPart){.kind = sum ? KERNEL_SUM : KERNEL_PRODUCT, .weight = 1, .gamma = 1, .degree = 1, .parts = count};
        for (uint32_t i = 0; i < count; i++)
            add_object(env, kernel, nested[i], depth + !named);
    }
    kernel->parts[self].weight *= weight;
}

/* Returns the kernel of an object; a plain kernel with a weight is a sum of one. */
static Kernel read_object(Env *env, const Options *object)
{
    Kernel kernel = {.part_count = 0}, whole;
    const KernelPart *first = kernel.parts;

    add_object(env, &kernel, object, 1);
    if (!kind_is_sum(first->kind) && first->weight != 1) {
        kernel.parts[1] = kernel.parts[0];
        kernel.parts[0] = (KernelPart){.kind = KERNEL_SUM, .weight = 1, .gamma = 1, .degree = 1, .parts = 1};
        kernel.part_count = 2;
    }
    whole = kernel_of_part(first);
    if (!kind_is_sum(first->kind))
        return whole;
    memcpy(whole.parts, kernel.parts, sizeof(whole.parts));
    whole.part_count = kernel.part_count;
    return whole;
}

Kernel kernel_of_options(Env *env, const Options *options, const char *given)
{
    KernelPart part;
    uint32_t count;

    if (given != NULL && given[0] == '{') {
        refuse_outside(env, options);
        return read_object(env, options_parse(env, "kernel", kernel_part_tables, given, strlen(given), NULL, NULL, 0));
    }
    if (given == NULL && options_type(options, "kernel") == OPTION_NESTED) {
        refuse_outside(env, options);
        return read_object(env, options_nested(options, "kernel", &count)[0]);
    }
    part = read_kernel(env, options, given != NULL ? given : options_string(options, "kernel"));
    return kernel_of_part(&part);
}

/* Tells whether an object, or one in it, names a kernel of texts. Wrong objects may say anything: the fit refuses them. */
static bool object_uses_texts(const Options *object)
{
    static const char *const places[] = {"kernel", "sum", "product"};
    const char *name = options_string(object, "kernel");
    bool texts = name != NULL && kind_is_text(kernel_find(name));

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint32_t count = 0;
        Options *const *nested = options_has(object, places[i]) ? options_nested(object, places[i], &count) : NULL;

        for (uint32_t j = 0; j < count; j++)
            texts |= object_uses_texts(nested[j]);
    }
    return texts;
}

bool kernel_options_use_texts(const Options *options)
{
    return options_has(options, "kernel") && object_uses_texts(options);
}
