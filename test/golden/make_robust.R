#!/usr/bin/Rscript
# Writes robust.json: M-estimates of regressions by the package MASS of R and MM-estimates by robustbase, iterated until nothing moves. Run it in
# this folder.
suppressMessages({library(MASS); library(robustbase)})
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
fits <- list(
    list(file = "stackloss.csv", formula = "loss ~ air + water + acid"),
    list(file = "phones.csv", formula = "calls ~ year"),
    list(file = "animals.csv", formula = "log_brain ~ log(body)"),
    list(file = "stars.csv", formula = "log_light ~ log_te"),
    list(file = "coleman.csv", formula = "score ~ salary + father + status + teacher + mother"),
    list(file = "hbk.csv", formula = "y ~ x1 + x2 + x3"),
    list(file = "diabetes.csv", formula = "progression ~ age + sex + bmi + bp + s1 + s5"),
    list(file = "diabetes.csv", formula = "progression ~ bmi * bp + s5", weight = "s4"),
    list(file = "diabetes.csv", formula = "progression ~ bmi + bp + s5", weight = "team", kind = "frequency"),
    list(file = "stackloss.csv", formula = "loss ~ air + water", weight = "acid"),
    list(file = "stackloss.csv", formula = "loss ~ air + water", weight = "team", kind = "frequency"),
    list(file = "wine.csv", formula = "alcohol ~ malic_acid + class + ash + proline"),
    list(file = "iris.csv", formula = "petal_width ~ species * sepal_length"),
    list(file = "iris.csv", formula = "sepal_length ~ petal_length + 0", weight = "sepal_width"),
    list(file = "breast_cancer.csv", formula = "mean_area ~ mean_texture + mean_smoothness + mean_symmetry + texture_error"),
    list(file = "salinity.csv", formula = "y ~ x1 + x2 + x3"),
    list(file = "delivery.csv", formula = "deltime ~ n_prod + distance"),
    list(file = "wood.csv", formula = "y ~ x1 + x2 + x3 + x4 + x5"),
    list(file = "aircraft.csv", formula = "y ~ x1 + x2 + x3 + x4"),
    list(file = "education.csv", formula = "y ~ region + x1 + x2 + x3"),
    list(file = "hills.csv", formula = "time ~ dist + climb"))
# examples of robustbase and MASS
write_table <- function(table, name) {
    names(table) <- tolower(gsub(".", "_", names(table), fixed = TRUE))
    write.csv(cbind(id = seq_len(nrow(table)), table), file.path("data", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}
for (name in c("salinity", "delivery", "wood", "aircraft", "education")) data(list = name)
write_table(salinity, "salinity")
write_table(delivery, "delivery")
write_table(wood, "wood")
write_table(aircraft, "aircraft")
write_table(transform(education, Region = paste0("r", Region))[-1], "education")
write_table(hills[c("dist", "climb", "time")], "hills")

cases <- character()
add <- function(fit, method, options, model, scale, errors)
    cases[length(cases) + 1] <<- sprintf(paste('{"id": "robust.%d", "method": "%s", "data": {"file": "data/%s"}, "params": {"formula": "%s", "target": "%s", "estimator": "%s_regression", "tolerance": 1e-13, %s%s%s},',
                                               '"expected": {"estimate": %s, "std_error": %s, "scale": [%.17g]}, "tolerance": {"rtol": 1e-08, "atol": 1e-10}}'),
                                         length(cases), method, fit$file, sub("^.*~ ", "", fit$formula), sub(" ~.*$", "", fit$formula), method, options,
                                         if (is.null(fit$weight)) "" else sprintf(', "weight": "%s"', fit$weight), if (is.null(fit$kind)) "" else sprintf(', "weight_kind": "%s"', fit$kind),
                                         number(coef(model)), number(errors), scale)
# What summary.rlm computes with method XtWX, of a fit by lmrob.
errors <- function(model, k) {
    w <- model.weights(model.frame(model))
    root <- sqrt(if (is.null(w)) 1 else w)
    x <- model.matrix(terms(model), model.frame(model)) * root # that of the model itself has the weights in it already
    r <- residuals(model) * root
    u <- r / model$scale; n <- length(r); p <- ncol(x)
    slope <- psi.bisquare(u, c = k, deriv = 1)
    weight <- psi.bisquare(u, c = k)
    sqrt(diag(solve(crossprod(x * sqrt(weight / mean(weight)))))) * sqrt(sum((r * weight)^2) / (n - p)) * (1 + p * var(slope) / (n * mean(slope)^2)) / mean(slope)
}
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
            add(fit, "huber", sprintf('"tuning": %g, "scale": "%s"', k, scale), model, model$s, summary(model)$coefficients[, 2])
        }
    if (!is.null(fit$kind)) next
    for (k in c(4.685061, 3.443689)) {
        set.seed(1)
        control <- lmrob.control(nResample = 5000, best.r.s = 50, tuning.psi = k, refine.tol = 1e-14, rel.tol = 1e-14, k.max = 5000, max.it = 5000, scale.tol = 1e-15, maxit.scale = 5000)
        model <- suppressWarnings(if (is.null(fit$weight)) lmrob(as.formula(fit$formula), table, control = control)
                                  else lmrob(as.formula(fit$formula), table, weights = w, control = control))
        add(fit, "mm", sprintf('"tuning": %.7g', k), model, model$scale, errors(model, k))
    }
}
writeLines(c(sprintf('{"schema": 1, "title": "robust regressions by MASS and robustbase", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"), "robust.json")
