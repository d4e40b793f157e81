#!/usr/bin/Rscript
# Writes multivariate.json: least squares for several targets, as lm of R fits a matrix of them. Run it in this folder.
list_of <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
quoted <- function(x) paste0("[", paste0('"', x, '"', collapse = ", "), "]")

fits <- list(
    list(file = "iris.csv", targets = c("sepal_length", "sepal_width"), formula = "petal_length + petal_width"),
    list(file = "iris.csv", targets = c("petal_width", "sepal_length", "sepal_width"), formula = "petal_length * species"),
    list(file = "iris.csv", targets = c("sepal_length", "petal_length"), formula = "sepal_width + species", weight = "petal_width"),
    list(file = "iris.csv", targets = c("sepal_length", "petal_length"), formula = "0 + sepal_width + petal_width"),
    list(file = "diabetes.csv", targets = c("progression", "bmi", "bp", "s5"), formula = "age + sex + s1 + s2 + s3"),
    list(file = "diabetes.csv", targets = c("progression", "s6"), formula = "bmi + s1 + poly(bp, 2)", weight = "age"),
    list(file = "diabetes.csv", targets = "progression", formula = "bmi + bp"),
    list(file = "wine.csv", targets = c("alcohol", "ash", "magnesium"), formula = "malic_acid + log(color_intensity)"))

cases <- character()
for (fit in fits) {
    table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
    table$w <- if (is.null(fit$weight)) rep(1, nrow(table)) else table[[fit$weight]]
    model <- lm(as.formula(sprintf("cbind(%s) ~ %s", paste(fit$targets, collapse = ", "), fit$formula)), table, weights = w)
    each <- lapply(fit$targets, function(target) summary(lm(as.formula(paste(target, "~", fit$formula)), table, weights = w)))
    residuals <- sqrt(table$w) * as.matrix(resid(model))
    column <- function(name) unlist(lapply(each, function(s) coef(s)[, name]))
    expected <- c(estimate = list_of(coef(model)), std_error = list_of(column("Std. Error")), p_value = list_of(column("Pr(>|t|)")),
                  sigma = list_of(sapply(each, function(s) s$sigma)), r_squared = list_of(sapply(each, function(s) s$r.squared)),
                  products = list_of(crossprod(residuals)), fitted = list_of(t(as.matrix(fitted(model))[1:3, , drop = FALSE])))
    params <- c(formula = paste0('"', fit$formula, '"'), targets = quoted(fit$targets))
    if (!is.null(fit$weight)) params <- c(params, weight = paste0('"', fit$weight, '"'))
    pairs <- function(x) paste0("{", paste0('"', names(x), '": ', x, collapse = ", "), "}")
    cases <- c(cases, sprintf('{"id": "multivariate.%d", "method": "multivariate", "data": {"file": "data/%s"}, "params": %s, "expected": %s, "tolerance": {"rtol": 1e-09, "atol": 1e-12}}',
                              length(cases), fit$file, pairs(params), pairs(expected)))
}
writeLines(c(sprintf('{"schema": 1, "title": "Least squares for several targets as lm of R %s fits them", "count": %d, "cases": [',
                     getRversion(), length(cases)), paste(cases, collapse = ",\n"), "]}"), "multivariate.json")
