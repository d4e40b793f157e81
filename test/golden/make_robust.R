#!/usr/bin/Rscript
# Writes robust.json: M-estimates of regressions by the package MASS of R, iterated until nothing moves. Run it in this folder.
suppressMessages(library(MASS))
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
fits <- list(
    list(file = "stackloss.csv", formula = "loss ~ air + water + acid"),
    list(file = "phones.csv", formula = "calls ~ year"),
    list(file = "animals.csv", formula = "log_brain ~ log(body)"),
    list(file = "diabetes.csv", formula = "progression ~ age + sex + bmi + bp + s1 + s5"),
    list(file = "diabetes.csv", formula = "progression ~ bmi * bp + s5", weight = "s4"),
    list(file = "diabetes.csv", formula = "progression ~ bmi + bp + s5", weight = "team", kind = "frequency"),
    list(file = "stackloss.csv", formula = "loss ~ air + water", weight = "acid"),
    list(file = "stackloss.csv", formula = "loss ~ air + water", weight = "team", kind = "frequency"),
    list(file = "wine.csv", formula = "alcohol ~ malic_acid + class + ash + proline"),
    list(file = "iris.csv", formula = "petal_width ~ species * sepal_length"),
    list(file = "iris.csv", formula = "sepal_length ~ petal_length + 0", weight = "sepal_width"),
    list(file = "breast_cancer.csv", formula = "mean_area ~ mean_texture + mean_smoothness + mean_symmetry + texture_error"))

cases <- character()
for (fit in fits) {
    table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
    table$team <- table$id %% 11
    table$w <- if (is.null(fit$weight)) 1 else table[[fit$weight]]
    table <- table[table$w > 0, ]
    for (scale in c("mad", "proposal2"))
        for (k in c(1.345, 2)) {
            call <- list(quote(rlm), as.formula(fit$formula), quote(table), psi = quote(psi.huber), k = k, k2 = k, maxit = 5000, acc = 1e-15,
                         scale.est = c(mad = "MAD", proposal2 = "proposal 2")[[scale]])
            if (!is.null(fit$weight)) call <- c(call, weights = quote(w), wt.method = if (is.null(fit$kind)) "inv.var" else "case")
            model <- suppressWarnings(eval(as.call(call))) # that the last digits still move
            stopifnot(min(model$conv) < 1e-13)
            options <- sprintf('"formula": "%s", "target": "%s", "estimator": "huber_regression", "k": %g, "scale": "%s", "tolerance": 1e-13%s%s', sub("^.*~ ", "", fit$formula),
                               sub(" ~.*$", "", fit$formula), k, scale, if (is.null(fit$weight)) "" else sprintf(', "weight": "%s"', fit$weight),
                               if (is.null(fit$kind)) "" else sprintf(', "weight_kind": "%s"', fit$kind))
            cases <- c(cases, sprintf('{"id": "huber.%d", "method": "huber", "data": {"file": "data/%s"}, "params": {%s}, "expected": {"estimate": %s, "std_error": %s, "scale": [%.17g]}, "tolerance": {"rtol": 1e-08, "atol": 1e-10}}',
                                      length(cases), fit$file, options, number(coef(model)), number(summary(model)$coefficients[, 2]), model$s))
        }
}
writeLines(c(sprintf('{"schema": 1, "title": "robust regressions by MASS", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"), "robust.json")
