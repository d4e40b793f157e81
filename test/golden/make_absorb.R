#!/usr/bin/Rscript
# Writes absorb.json: fixed effects, as lm of R fits them with one column per level, with errors by the packages sandwich and clubSandwich.
# Needs both. Run it in this folder.
suppressPackageStartupMessages({
    library(sandwich)
    library(clubSandwich)
})

read <- function(name) {
    table <- read.csv(file.path("data", name), stringsAsFactors = TRUE)
    table$block <- (table$id * 7) %% 23
    table$team <- table$id %% 11
    table$pair <- table$id %/% 2
    table$trio <- table$id %/% 3
    table
}

list_of <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
quoted <- function(x) if (length(x) == 1) paste0('"', x, '"') else paste0("[", paste0('"', x, '"', collapse = ", "), "]")

# pair and trio are a chain of levels that share few rows, which is the hard case for sweeps
fits <- list(
    list(file = "diabetes.csv", formula = "progression ~ bmi + bp + s1 + sex", absorb = list("age", c("age", "block"), c("age", "block", "team"), c("pair", "trio"))),
    list(file = "diabetes.csv", formula = "progression ~ bmi + s5", absorb = list("block", c("block", "team")), weight = "bp"),
    list(file = "wine.csv", formula = "alcohol ~ malic_acid + ash + magnesium", absorb = list("class", c("class", "block"), "pair")),
    list(file = "iris.csv", formula = "petal_width ~ sepal_length + sepal_width", absorb = list("species", c("species", "team", "block"))),
    list(file = "formula.csv", formula = "y ~ x + z + g", absorb = list("k", c("k", "team"))),
    list(file = "breast_cancer.csv", formula = "mean_area ~ mean_texture + mean_smoothness + mean_symmetry", absorb = list("block", c("block", "trio"))),
    list(file = "penguins.csv", formula = "body_mass_g ~ flipper_length_mm + sex", absorb = list("species", c("species", "island"))),
    list(file = "titanic.csv", formula = "survived ~ age + fare", absorb = list("sex", c("sex", "pclass")), weight = "pclass"),
    list(file = "sleepstudy.csv", formula = "reaction ~ days", absorb = list("subject", c("pair", "team"))))

cases <- character()
add <- function(fit, options, expected) {
    params <- c(formula = quoted(sub("^.*~ ", "", fit$formula)), target = quoted(sub(" ~.*$", "", fit$formula)), options)
    if (!is.null(fit$weight)) params <- c(params, weight = quoted(fit$weight))
    pairs <- function(x) paste0("{", paste0('"', names(x), '": ', x, collapse = ", "), "}")
    cases <<- c(cases, sprintf('{"id": "absorb.%d", "method": "absorb", "data": {"file": "data/%s"}, "params": %s, "expected": %s, "tolerance": {"rtol": 1e-09, "atol": 1e-200}}',
                               length(cases), fit$file, pairs(params), pairs(expected)))
}

for (fit in fits) {
    table <- read(fit$file)
    table$w <- if (is.null(fit$weight)) rep(1, nrow(table)) else table[[fit$weight]]
    for (absorb in fit$absorb) {
        effects <- paste0("factor(", absorb, ")", collapse = " + ")
        full <- as.formula(paste(fit$formula, "+", effects))
        model <- if (is.null(fit$weight)) lm(full, table) else lm(full, table, weights = w)
        without <- lm(as.formula(paste(sub("~.*$", "~", fit$formula), effects)), table, weights = if (is.null(fit$weight)) NULL else w)
        slopes <- 1 + seq_len(length(coef(lm(as.formula(fit$formula), table))) - 1)
        used <- !is.na(coef(model))
        squares <- function(m) sum((if (is.null(fit$weight)) 1 else table$w) * resid(m)^2)
        for (type in c("classical", "HC0", "HC1", "CR0", "CR1", "CR1S")) {
            clustered <- startsWith(type, "CR")
            v <- if (type == "classical") vcov(model) else if (!clustered) vcovHC(model, type)
                 else vcovCR(model, cluster = table[[absorb[1]]], type = type)
            names <- names(coef(model))[slopes]
            v <- as.matrix(v)
            error <- sqrt(diag(v)[names])
            t <- coef(model)[slopes] / error
            df <- if (clustered) length(unique(table[[absorb[1]]])) - 1 else model$df.residual
            expected <- c(estimate = list_of(coef(model)[slopes]), std_error = list_of(error), p_value = list_of(2 * pt(-abs(t), df)))
            options <- c(absorb = quoted(absorb))
            if (type != "classical") options <- c(options, vcov = quoted(type))
            if (clustered) options <- c(options, cluster = quoted(absorb[1]))
            if (type == "classical") {
                s <- summary(model)
                expected <- c(expected, statistics = list_of(c(s$r.squared, s$adj.r.squared, s$sigma, model$df.residual, AIC(model), BIC(model),
                                                               1 - squares(model) / squares(without), anova(without, model)$F[2])))
            }
            add(fit, options, expected)
        }
    }
}
writeLines(c(sprintf('{"schema": 1, "title": "Fixed effects as lm of R fits them with one column per level; errors by sandwich %s and clubSandwich %s", "count": %d, "cases": [',
                     packageVersion("sandwich"), packageVersion("clubSandwich"), length(cases)), paste(cases, collapse = ",\n"), "]}"), "absorb.json")
