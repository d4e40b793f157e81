#!/usr/bin/Rscript
# Writes step.json: terms chosen by step() of R, by AIC and BIC, and the best subsets of each size by trying them all. Run it in this folder.
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
fits <- list(
    list(file = "diabetes.csv", formula = "progression ~ age + sex + bmi + bp + s1 + s2 + s3 + s4 + s5 + s6"),
    list(file = "diabetes.csv", formula = "progression ~ bmi * bp * sex + s5 * s6 + age", weight = "s4"),
    list(file = "wine.csv", formula = "alcohol ~ malic_acid * class + ash + magnesium + hue + proline"),
    list(file = "iris.csv", formula = "petal_width ~ species * sepal_length + species * sepal_width + petal_length"),
    list(file = "formula.csv", formula = "y ~ x * z + g * x + k"),
    list(file = "breast_cancer.csv", formula = "mean_area ~ mean_texture + mean_smoothness + mean_symmetry + mean_compactness + texture_error + 0"),
    list(file = "cars.csv", formula = "mpg ~ wt + cyl + hp + am + disp"),
    list(file = "longley.csv", formula = "employed ~ gnp_deflator + gnp + unemployed + armed_forces + population + year"),
    list(file = "swiss.csv", formula = "fertility ~ agriculture + examination + education + catholic", weight = "infant_mortality"),
    list(file = "stackloss.csv", formula = "loss ~ air + water + acid"))

cases <- character()
add <- function(fit, select, direction, rss, df, criterion) {
    params <- sprintf('{"formula": "%s", "target": "%s", "select": "%s", "direction": "%s"%s}', sub("^.*~ ", "", fit$formula), sub(" ~.*$", "", fit$formula), select,
                      direction, if (is.null(fit$weight)) "" else sprintf(', "weight": "%s"', fit$weight))
    cases <<- c(cases, sprintf('{"id": "step.%d", "method": "step", "data": {"file": "data/%s"}, "params": %s, "expected": {"rss": %s, "df": %s, "criterion": %s}, "tolerance": {"rtol": 1e-09, "atol": 1e-200}}',
                               length(cases), fit$file, params, number(rss), number(df), number(criterion)))
}

for (fit in fits) {
    table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
    table$w <- if (is.null(fit$weight)) 1 else table[[fit$weight]]
    n <- nrow(table)
    full <- lm(as.formula(fit$formula), table, weights = w)
    one <- attr(terms(full), "intercept")
    empty <- lm(as.formula(sub("~.*$", if (one) "~ 1" else "~ 0", fit$formula)), table, weights = w)
    for (select in c("aic", "bic")) {
        k <- if (select == "aic") 2 else log(n)
        # what AIC() adds to the criterion of step()
        more <- AIC(full, k = k) - extractAIC(full, k = k)[2]
        for (direction in c("both", "backward", "forward")) {
            if (direction == "forward" && !one) next
            path <- step(if (direction == "forward") empty else full, scope = list(lower = empty, upper = full), direction = direction, k = k, trace = 0)$anova
            add(fit, select, direction, path[["Resid. Dev"]], n - path[["Resid. Df"]] - one, path$AIC + more)
        }
    }
    if (grepl("\\*", fit$formula)) next
    labels <- attr(terms(full), "term.labels")
    best <- sapply(seq_along(labels), function(size) min(combn(labels, size, function(some)
        deviance(lm(reformulate(some, full$terms[[2]], intercept = one == 1), table, weights = w)))))
    rss <- c(deviance(empty), best)
    size <- seq_along(rss) - 1
    add(fit, "aic", "all", rss, size, AIC(full) + n * log(rss / deviance(full)) - 2 * (length(labels) - size))
}
writeLines(c(sprintf('{"schema": 1, "title": "terms chosen by step() of R, and the best of all subsets", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"),
           "step.json")
