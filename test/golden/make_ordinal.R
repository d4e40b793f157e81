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
    list(file = "wine.csv", formula = "class ~ alcohol + ash + malic_acid", levels = c("class_0", "class_1", "class_2")))

cases <- character()
for (fit in fits)
    for (link in c("logit", "probit")) {
        table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
        target <- sub(" ~.*$", "", fit$formula)
        table[[target]] <- factor(table[[target]], levels = if (is.null(fit$levels)) sort(unique(table[[target]])) else fit$levels, ordered = TRUE)
        table$w <- if (is.null(fit$weight)) 1 else table[[fit$weight]]
        model <- clm(as.formula(fit$formula), data = table, weights = w, link = link, control = clm.control(gradTol = 1e-12, maxIter = 500, maxLineIter = 100))
        lines <- coef(summary(model))
        cuts <- seq_along(model$alpha)
        order <- c(seq_len(nrow(lines))[-cuts], cuts)
        options <- sprintf('"formula": "%s", "target": "%s", "estimator": "ordinal_regression", "link": "%s"%s%s', sub("^.*~ ", "", fit$formula), target, link,
                           if (is.null(fit$levels)) "" else sprintf(', "levels": ["%s"]', paste(fit$levels, collapse = '", "')),
                           if (is.null(fit$weight)) "" else sprintf(', "weight": "%s"', fit$weight))
        cases <- c(cases, sprintf('{"id": "ordinal.%d", "method": "ordinal", "data": {"file": "data/%s"}, "params": {%s}, "expected": {"estimate": %s, "std_error": %s, "log_likelihood": %.17g}, "tolerance": {"rtol": 1e-08, "atol": 1e-09}}',
                                  length(cases), fit$file, options, number(lines[order, 1]), number(lines[order, 2]), model$logLik))
    }
writeLines(c(sprintf('{"schema": 1, "title": "cumulative models by ordinal", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"), "ordinal.json")
