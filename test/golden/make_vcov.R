#!/usr/bin/Rscript
# Writes vcov.json: robust standard errors by the packages sandwich, clubSandwich and lmtest of R. Needs them and jsonlite-like printing of numbers
# by sprintf. Run it in this folder.
suppressPackageStartupMessages({
    library(sandwich)
    library(clubSandwich)
    library(lmtest)
})
invisible(Sys.setlocale("LC_COLLATE", "C"))

read <- function(name) {
    table <- read.csv(file.path("data", name), stringsAsFactors = TRUE)
    table$place <- (table$id * 389) %% 1009
    table$block <- (table$id * 7) %% 23
    table$team <- table$id %% 11
    table$pair <- table$id %/% 2
    table$own <- table$id
    table
}

number <- function(x) {
    out <- sprintf("%.17g", x)
    out[!is.finite(x)] <- "null"
    out
}
list_of <- function(x) if (length(x) == 1) paste0("[", number(x), "]") else paste0("[", paste(number(x), collapse = ", "), "]")
quoted <- function(x) if (length(x) == 1) paste0('"', x, '"') else paste0("[", paste0('"', x, '"', collapse = ", "), "]")

fits <- list(
    list(file = "diabetes.csv", formula = "progression ~ bmi + bp + s1 + s2 + sex", clusters = list("age", "block", c("age", "team")), weight = NULL),
    list(file = "diabetes.csv", formula = "progression ~ age + bmi + s5", clusters = list("block", "pair"), weight = "bp"),
    list(file = "diabetes.csv", formula = "progression ~ 0 + bmi + s3", clusters = list("team"), weight = NULL),
    list(file = "wine.csv", formula = "alcohol ~ malic_acid + ash + magnesium + color_intensity + class", clusters = list("block", c("block", "team")), weight = NULL),
    list(file = "wine.csv", formula = "alcohol ~ malic_acid + ash + proline", clusters = list("class", "pair"), weight = "hue"),
    list(file = "iris.csv", formula = "petal_width ~ sepal_length + sepal_width + petal_length", clusters = list("species", "team"), weight = NULL),
    list(file = "formula.csv", formula = "y ~ x + z + g", clusters = list("k", "team", "pair"), weight = NULL),
    list(file = "breast_cancer.csv", formula = "mean_area ~ mean_texture + mean_smoothness + mean_symmetry", clusters = list("block"), weight = NULL),
    list(file = "breast_cancer.csv", formula = "diagnosis ~ mean_radius + mean_texture + mean_smoothness", clusters = list("block", "pair", c("block", "team")),
         weight = NULL, logistic = TRUE),
    list(file = "breast_cancer.csv", formula = "diagnosis ~ mean_texture + mean_symmetry", clusters = list("team"), weight = "texture_error", logistic = TRUE),
    list(file = "iris.csv", formula = "large ~ sepal_length + sepal_width", clusters = list("block"), weight = NULL, logistic = TRUE),
    list(file = "glm_simulated.csv", formula = "count ~ x + g + offset(log(exposure))", clusters = list("block", "g", c("block", "team")), weight = NULL, family = poisson()),
    list(file = "glm_simulated.csv", formula = "amount ~ x + g + z", clusters = list("block"), weight = "w", family = Gamma("log")),
    list(file = "glm_simulated.csv", formula = "amount ~ 0 + x + exposure", clusters = list("team"), weight = NULL, family = Gamma("identity")),
    list(file = "glm_simulated.csv", formula = "amount ~ x + g", clusters = list("pair"), weight = NULL, family = Gamma()),
    list(file = "glm_simulated.csv", formula = "yes ~ x + z", clusters = list("team"), weight = NULL, family = binomial("probit")),
    list(file = "glm_simulated.csv", formula = "share ~ x + g", clusters = list("block"), weight = "trials", family = binomial("cloglog")),
    list(file = "glm_simulated.csv", formula = "many ~ x + g + z", clusters = list("block"), weight = NULL, family = quasipoisson()),
    list(file = "cars.csv", formula = "mpg ~ wt + hp + factor(am)", clusters = list("cyl"), weight = NULL),
    list(file = "penguins.csv", formula = "body_mass_g ~ flipper_length_mm + species + sex", clusters = list("island"), weight = "bill_length_mm"),
    list(file = "sleepstudy.csv", formula = "reaction ~ days", clusters = list("subject", "own"), weight = NULL),
    list(file = "titanic.csv", formula = "survived ~ sex + age + fare", clusters = list("pclass", "own"), weight = NULL, logistic = TRUE),
    list(file = "wine.csv", formula = "heavy ~ ash + hue + factor(class)", clusters = list("team"), weight = "flavanoids", logistic = TRUE),
    list(file = "glm_infert.csv", formula = "case ~ spontaneous + induced + parity", clusters = list("education"), weight = NULL, logistic = TRUE),
    list(file = "glm_quine.csv", formula = "Days ~ Eth + Sex + Lrn", clusters = list("Age"), weight = NULL, family = quasipoisson()),
    list(file = "glm_insurance.csv", formula = "Claims ~ Group + Age + offset(log(Holders))", clusters = list("District"), weight = NULL, family = poisson()),
    list(file = "warpbreaks.csv", formula = "breaks ~ wool * tension", clusters = list("team"), weight = NULL, family = Gamma("log")),
    list(file = "glm_esoph.csv", formula = "share ~ agegp + alcgp", clusters = list("tobgp"), weight = "trials", family = binomial()),
    list(file = "glm_anorexia.csv", formula = "Postwt ~ Prewt + Treat", clusters = list("pair"), weight = NULL, family = Gamma("identity")))
# codings of categories, in classical fits
coded <- list(
    list(file = "iris.csv", formulas = c("petal_width ~ C(species, sum) * sepal_length", "petal_width ~ C(species, helmert)", "petal_width ~ sepal_width + C(species, poly)")),
    list(file = "warpbreaks.csv", formulas = c("breaks ~ C(wool, sum) + C(tension, sum)", "breaks ~ C(wool, helmert) * C(tension, helmert)", "breaks ~ wool * C(tension, poly)")),
    list(file = "penguins.csv", formulas = c("body_mass_g ~ C(species, sum) + C(sex, sum)", "body_mass_g ~ C(species, helmert) + flipper_length_mm", "body_mass_g ~ C(island, poly)")),
    list(file = "glm_quine.csv", formulas = c("Days ~ C(Age, sum) * C(Eth, sum)", "Days ~ C(Age, helmert) + Lrn", "Days ~ C(Age, poly) * C(Sex, helmert)")),
    list(file = "glm_insurance.csv", formulas = c("Claims ~ C(District, sum) + Holders", "Claims ~ C(Group, helmert) * Holders", "Claims ~ C(Age, poly) + C(Group, poly) + Holders")))

cases <- character()
add <- function(fit, options, expected) {
    id <- sprintf("vcov.%d", length(cases))
    params <- c(estimator = quoted(if (isTRUE(fit$logistic)) "logistic_regression" else if (is.null(fit$family)) "linear_regression" else "glm"),
                formula = quoted(sub("log(", "ln(", sub("^.*~ ", "", fit$formula), fixed = TRUE)), target = quoted(sub(" ~.*$", "", fit$formula)), options)
    if (!is.null(fit$family)) params <- c(params, family = quoted(tolower(fit$family$family)), link = quoted(fit$family$link))
    if (!is.null(fit$weight)) params <- c(params, weight = quoted(fit$weight))
    pairs <- function(x) paste0("{", paste0('"', names(x), '": ', x, collapse = ", "), "}")
    cases <<- c(cases, sprintf('{"id": "%s", "method": "vcov", "data": {"file": "data/%s"}, "params": %s, "expected": %s, "tolerance": {"rtol": 1e-09, "atol": 1e-200}}',
                               id, fit$file, pairs(params), pairs(expected)))
}

# tests by t where the dispersion is estimated
tested <- function(model, v) {
    fixed <- inherits(model, "glm") && model$family$family %in% c("binomial", "poisson")
    t <- coeftest(model, vcov. = v, df = if (fixed) Inf else df.residual(model))
    c(std_error = list_of(t[, 2]), statistic = list_of(t[, 3]), p_value = list_of(t[, 4]))
}

for (fit in fits) {
    table <- read(fit$file)
    if (fit$file == "breast_cancer.csv") table$diagnosis <- as.integer(table$diagnosis == levels(table$diagnosis)[2])
    table$large <- if (fit$file == "iris.csv") as.integer(table$petal_width > 1.5) else 0
    table$heavy <- if (fit$file == "wine.csv") as.integer(table$alcohol > 13) else 0
    w <- if (is.null(fit$weight)) rep(1, nrow(table)) else table[[fit$weight]]
    table$w <- w
    formula <- as.formula(fit$formula)
    logistic <- isTRUE(fit$logistic)
    family <- if (logistic) binomial() else fit$family
    model <- if (!is.null(family)) suppressWarnings(glm(formula, family, table, weights = if (is.null(fit$weight)) NULL else w, control = list(epsilon = 1e-15, maxit = 100)))
             else if (is.null(fit$weight)) lm(formula, table) else lm(formula, table, weights = w)
    # glm keeps the working weights of the step before the last, so the fit starts again where it ended; some links gain few digits by a step
    if (!is.null(family)) for (again in 1:10) model <- suppressWarnings(update(model, start = coef(model)))
    for (type in c("HC0", "HC1", "HC2", "HC3")) {
        v <- vcovHC(model, type)
        expected <- tested(model, v)
        if (is.null(family) && attr(terms(formula), "intercept") == 1)
            expected <- c(expected, f = number(waldtest(model, vcov = v, test = "F")$F[2]))
        add(fit, c(vcov = quoted(type)), expected)
    }
    for (lag in list(NULL, 0, 3)) {
        v <- NeweyWest(model, lag = lag, order.by = table$place, prewhite = FALSE)
        options <- c(vcov = quoted("NW"), order = quoted("place"))
        expected <- tested(model, v)
        if (is.null(lag)) expected <- c(expected, lag = number(floor(bwNeweyWest(model, order.by = table$place, prewhite = FALSE))))
        else options <- c(options, lag = number(lag))
        add(fit, options, expected)
    }
    for (cluster in fit$clusters) {
        if (length(cluster) > 1) {
            for (type in c("CR0", "CR1")) {
                v <- vcovCL(model, cluster = table[cluster], type = "HC0", cadjust = type == "CR1")
                add(fit, c(vcov = quoted(type), cluster = quoted(cluster)), c(std_error = list_of(sqrt(diag(v)))))
            }
            next
        }
        for (type in c("CR0", "CR1", "CR1S", "CR2")) {
            v <- vcovCR(model, cluster = table[[cluster]], type = type)
            t <- as.data.frame(coef_test(model, vcov = v, test = if (type == "CR2") "Satterthwaite" else "naive-t"))
            expected <- c(std_error = list_of(t$SE), statistic = list_of(t$tstat), p_value = list_of(t[[grep("^p_", names(t))]]))
            df <- t[[grep("^df", names(t))]]
            add(fit, c(vcov = quoted(type), cluster = quoted(cluster)), c(expected, df = list_of(df)))
        }
    }
}
for (fit in coded) for (formula in fit$formulas) {
    s <- coef(summary(lm(as.formula(formula), read(fit$file))))
    add(list(file = fit$file, formula = formula), character(), c(estimate = list_of(s[, 1]), std_error = list_of(s[, 2]), statistic = list_of(s[, 3]), p_value = list_of(s[, 4])))
}
writeLines(c(sprintf('{"schema": 1, "title": "Robust standard errors by the packages sandwich %s and clubSandwich %s of R", "count": %d, "cases": [',
                     packageVersion("sandwich"), packageVersion("clubSandwich"), length(cases)), paste(cases, collapse = ",\n"), "]}"), "vcov.json")
