#!/usr/bin/Rscript
# Writes ordinal.json, and data/housing.csv and data/ratings.csv: cumulative models by the package ordinal of R. Run it in this folder.
suppressMessages({library(MASS); library(ordinal)})
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
write.csv(data.frame(id = seq_len(nrow(housing)), freq = housing$Freq, infl = housing$Infl, type = housing$Type, cont = housing$Cont, sat = housing$Sat),
          "data/housing.csv", row.names = FALSE, quote = FALSE)
write.csv(data.frame(id = seq_len(nrow(wine)), response = wine$response, temp = wine$temp, contact = wine$contact, judge = paste0("j", wine$judge), rating = wine$rating),
          "data/ratings.csv", row.names = FALSE, quote = FALSE)
sat <- c("Low", "Medium", "High")
fits <- list(
    list(file = "housing.csv", formula = "sat ~ infl + type + cont", weight = "freq", levels = sat),
    list(file = "housing.csv", formula = "sat ~ infl * cont + type", weight = "freq", levels = sat),
    list(file = "housing.csv", formula = "sat ~ cont", weight = "freq", levels = sat),
    list(file = "ratings.csv", formula = "rating ~ temp + contact"),
    list(file = "ratings.csv", formula = "rating ~ temp * contact + judge"),
    list(file = "ratings.csv", formula = "temp ~ response + contact", levels = c("cold", "warm")),
    list(file = "iris.csv", formula = "species ~ sepal_length + sepal_width", levels = c("setosa", "versicolor", "virginica")),
    list(file = "iris.csv", formula = "species ~ sepal_width", weight = "petal_width", levels = c("virginica", "setosa", "versicolor")),
    list(file = "wine.csv", formula = "class ~ alcohol + ash + malic_acid", levels = c("class_0", "class_1", "class_2")),
    list(file = "ratings.csv", formula = "rating ~ temp + contact + offset(response / 20)"),
    list(file = "housing.csv", formula = "sat ~ type + cont + offset(log(freq) / 3)", weight = "freq", levels = sat),
    list(file = "iris.csv", formula = "species ~ sepal_length + sepal_width + offset(petal_length - 4)", levels = c("setosa", "versicolor", "virginica")))

# statistic, degrees of freedom and p of the test that all coefficients are 0
wald <- function(beta, V) c(beta %*% solve(V, beta), length(beta), pchisq(beta %*% solve(V, beta), length(beta), lower.tail = FALSE))
differences <- function(V) sapply(seq_len(nrow(V) - 1), function(i) sqrt(V[i, i] + V[i + 1, i + 1] - 2 * V[i, i + 1]))
# of the terms of a formula (Fox & Monette 1992), without an intercept
inflation <- function(V, assign) { R <- cov2cor(V); sapply(unique(assign), function(t) det(R[assign == t, assign == t, drop = FALSE]) * det(R[assign != t, assign != t, drop = FALSE]) / det(R)) }

cases <- character()
for (fit in fits)
    for (link in c("logit", "probit")) {
        table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
        target <- sub(" ~.*$", "", fit$formula)
        table[[target]] <- factor(table[[target]], levels = if (is.null(fit$levels)) sort(unique(table[[target]])) else fit$levels, ordered = TRUE)
        table$w <- if (is.null(fit$weight)) 1 else table[[fit$weight]]
        model <- clm(as.formula(fit$formula), data = table, weights = w, link = link, control = clm.control(gradTol = 1e-12, maxIter = 500, maxLineIter = 100))
        null <- clm(as.formula(sprintf("%s ~ 1%s", target, if (is.null(model$offset) && !grepl("offset", fit$formula)) "" else paste0(" + ", regmatches(fit$formula, regexpr("offset.*$", fit$formula))))),
                    data = table, weights = w, link = link, control = clm.control(gradTol = 1e-12, maxIter = 500, maxLineIter = 100))
        # the signs of an offset, and all else, are those of polr, which stops earlier and takes no two classes
        if (nlevels(table[[target]]) > 2) other <- suppressWarnings(polr(as.formula(fit$formula), data = table, weights = w, method = if (link == "logit") "logistic" else link, start = c(model$beta, model$alpha) * 0.99, control = list(reltol = 1e-15, maxit = 1000)))
        if (nlevels(table[[target]]) > 2) stopifnot(all.equal(unname(c(other$coefficients, other$zeta)), unname(c(model$beta, model$alpha)), tolerance = 1e-3))
        V <- vcov(model)[-seq_along(model$alpha), -seq_along(model$alpha), drop = FALSE]
        assign <- attr(model.matrix(as.formula(fit$formula), table), "assign")[-1]
        lines <- coef(summary(model))
        X <- model.matrix(as.formula(fit$formula), table)[, -1, drop = FALSE]
        score <- as.numeric(X[, names(model$beta), drop = FALSE] %*% model$beta)
        if (grepl("offset", fit$formula)) score <- score + with(table, eval(parse(text = regmatches(fit$formula, regexpr("offset.*$", fit$formula)))))
        F <- if (link == "logit") plogis else pnorm
        own <- as.integer(table[[target]])
        at <- c(-Inf, model$alpha, Inf)
        below <- F(at[own] - score)
        above <- F(score - at[own + 1])
        stopifnot(all.equal(as.numeric(fitted(model)), as.numeric(1 - below - above), tolerance = 1e-12))
        rows <- sprintf(', "fitted": %s, "residual": %s, "deviance_residual": %s', number(head(fitted(model), 60)), number(head(below - above, 60)),
                        number(head(sign(below - above) * sqrt(-2 * table$w * log(fitted(model))), 60)))
        cuts <- seq_along(model$alpha)
        order <- c(seq_len(nrow(lines))[-cuts], cuts)
        options <- sprintf('"formula": "%s", "target": "%s", "estimator": "ordinal_regression", "link": "%s"%s%s', sub("^.*~ ", "", fit$formula), target, link,
                           if (is.null(fit$levels)) "" else sprintf(', "levels": ["%s"]', paste(fit$levels, collapse = '", "')),
                           if (is.null(fit$weight)) "" else sprintf(', "weight": "%s"', fit$weight))
        cases <- c(cases, sprintf('{"id": "ordinal.%d", "method": "ordinal", "data": {"file": "data/%s"}, "params": {%s}, "expected": {"estimate": %s, "std_error": %s, "log_likelihood": %.17g, "null_deviance": %.17g, "wald": %s%s%s}, "tolerance": {"rtol": 1e-08, "atol": 1e-09}}',
                                  length(cases), fit$file, options, number(lines[order, 1]), number(lines[order, 2]), model$logLik, -2 * null$logLik, number(wald(model$beta, V)),
                                  if (nrow(V) < 2) "" else sprintf(', "differences": %s, "vif": %s', number(differences(V)), number(inflation(V, assign))), rows))
    }
writeLines(c(sprintf('{"schema": 1, "title": "cumulative models by ordinal", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"), "ordinal.json")
