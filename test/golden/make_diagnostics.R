#!/usr/bin/Rscript
# Writes diagnostics.json: influence of rows, one-row summaries and variance inflation by R's stats, broom and car. Run it in this folder.
suppressPackageStartupMessages({
    library(broom)
    library(car)
})
invisible(Sys.setlocale("LC_COLLATE", "C"))

number <- function(x) {
    out <- sprintf("%.17g", x)
    out[!is.finite(x)] <- "null"
    out
}
list_of <- function(x) paste0("[", paste(number(x), collapse = ", "), "]")
quoted <- function(x) paste0('"', x, '"')
pairs <- function(x) paste0("{", paste0('"', names(x), '": ', x, collapse = ", "), "}")

fits <- list(
    list(file = "diabetes.csv", formula = "progression ~ bmi + bp + s1 + s2 + sex"),
    list(file = "diabetes.csv", formula = "progression ~ age + poly(bmi, 2) + s5", weight = "bp"),
    list(file = "diabetes.csv", formula = "progression ~ 0 + bmi + s3"),
    list(file = "wine.csv", formula = "alcohol ~ malic_acid + ash * factor(class) + magnesium"),
    list(file = "wine.csv", formula = "alcohol ~ malic_acid + ash + proline", weight = "hue"),
    list(file = "iris.csv", formula = "petal_width ~ sepal_length + sepal_width * species + petal_length"),
    list(file = "formula.csv", formula = "y ~ x + z + g"),
    list(file = "breast_cancer.csv", formula = "mean_area ~ mean_texture + mean_smoothness + mean_symmetry + mean_radius"),
    list(file = "breast_cancer.csv", formula = "diagnosis ~ mean_radius + mean_texture + mean_smoothness", logistic = TRUE),
    list(file = "breast_cancer.csv", formula = "diagnosis ~ mean_texture + mean_symmetry", weight = "texture_error", logistic = TRUE),
    list(file = "iris.csv", formula = "large ~ sepal_length + sepal_width", logistic = TRUE),
    list(file = "wine.csv", formula = "heavy ~ ash + factor(class) + hue", logistic = TRUE),
    list(file = "cars.csv", formula = "mpg ~ wt * hp + factor(cyl)"),
    list(file = "longley.csv", formula = "employed ~ gnp_deflator + gnp + unemployed + armed_forces + population + year"),
    list(file = "swiss.csv", formula = "fertility ~ agriculture + examination + log(education) + catholic", weight = "infant_mortality"),
    list(file = "titanic.csv", formula = "survived ~ sex + age + factor(pclass)", logistic = TRUE),
    list(file = "glm_infert.csv", formula = "case ~ spontaneous * induced + education", weight = "age", logistic = TRUE),
    list(file = "glm_quine.csv", formula = "Days ~ Eth * Sex + Age + Lrn", family = poisson()),
    list(file = "warpbreaks.csv", formula = "breaks ~ wool + tension", family = poisson()),
    list(file = "glm_insurance.csv", formula = "Claims ~ District + Group + Age + offset(log(Holders))", family = poisson()),
    list(file = "cars.csv", formula = "mpg ~ wt + factor(cyl) + hp", family = Gamma("log")),
    list(file = "glm_esoph.csv", formula = "share ~ agegp + alcgp", family = binomial(), weight = "trials"),
    list(file = "penguins.csv", formula = "body_mass_g ~ flipper_length_mm + species + sex", family = gaussian("log")))

cases <- character()
for (fit in fits) {
    table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
    logistic <- isTRUE(fit$logistic)
    family <- if (logistic) binomial() else fit$family
    if (fit$file == "breast_cancer.csv") table$diagnosis <- as.integer(table$diagnosis == levels(factor(table$diagnosis))[2])
    if (fit$file == "iris.csv") table$large <- as.integer(table$petal_width > 1.5)
    if (fit$file == "wine.csv") table$heavy <- as.integer(table$alcohol > 13)
    table$w <- if (is.null(fit$weight)) 1 else table[[fit$weight]]
    formula <- as.formula(fit$formula)
    target <- all.vars(formula)[1]
    model <- if (!is.null(family)) suppressWarnings(glm(formula, family, table, weights = w, control = list(epsilon = 1e-15, maxit = 100)))
             else lm(formula, table, weights = w)
    if (!is.null(family)) for (again in 1:(if (logistic) 1 else 8)) model <- suppressWarnings(update(model, start = coef(model))) # working weights lag by a step
    shown <- sort(unique(c(seq(1, nrow(table), by = 9), which.max(hatvalues(model)), which.max(cooks.distance(model)))))
    numbers <- list(fitted = fitted(model), residual = residuals(model, "response"), standardized = rstandard(model), studentized = rstudent(model),
                    deviance_residual = residuals(model, "deviance"), leverage = hatvalues(model), cooks_distance = cooks.distance(model), dffits = dffits(model))
    expected <- c(ids = list_of(table$id[shown]), sapply(numbers, function(x) list_of(x[shown])))
    one <- as.data.frame(glance(model))
    names(one) <- sub("^logLik$", "log_lik", gsub("\\.", "_", names(one)))
    names(one) <- sub("^nobs$", "rows", sub("^AIC$", "aic", sub("^BIC$", "bic", names(one))))
    kept <- intersect(c("r_squared", "adj_r_squared", "sigma", "statistic", "df", "p_value", "log_lik", "aic", "bic", "deviance", "df_residual", "rows"), names(one))
    if (logistic && !is.null(fit$weight)) kept <- setdiff(kept, c("log_lik", "aic", "bic")) # dbinom rounds weights
    expected <- c(expected, sapply(one[kept], number))
    if (attr(terms(formula), "intercept") == 1) {
        inflation <- suppressMessages(vif(model))
        if (is.null(dim(inflation))) inflation <- cbind(inflation, 1, sqrt(inflation))
        expected <- c(expected, vif = list_of(inflation[, 1]), vif_df = list_of(inflation[, 2]), vif_scaled = list_of(inflation[, 3]))
    }
    x <- model.matrix(model) * sqrt(table$w)
    if (is.null(family)) {
        if (attr(terms(formula), "intercept") == 1) x <- qr.resid(qr(sqrt(table$w)), x[, -1, drop = FALSE])
        expected <- c(expected, condition_number = number(kappa(apply(x, 2, function(c) c / sqrt(sum(c^2))), exact = TRUE)))
    }
    params <- c(estimator = quoted(if (logistic) "logistic_regression" else if (!is.null(family)) "glm" else "linear_regression"), formula = quoted(sub("^.*~ ", "", fit$formula)), target = quoted(target))
    if (!is.null(fit$family)) params <- c(params, family = quoted(tolower(family$family)), link = quoted(family$link))
    if (!is.null(fit$weight)) params <- c(params, weight = quoted(fit$weight))
    cases <- c(cases, sprintf('{"id": "diagnostics.%d", "method": "diagnostics", "data": {"file": "data/%s"}, "params": %s, "expected": %s, "tolerance": {"rtol": 1e-09, "atol": 1e-11}}',
                              length(cases), fit$file, pairs(params), pairs(expected)))
}
writeLines(c(sprintf('{"schema": 1, "title": "Diagnostics by R, broom %s and car %s", "count": %d, "cases": [', packageVersion("broom"), packageVersion("car"), length(cases)),
             paste(cases, collapse = ",\n"), "]}"), "diagnostics.json")
