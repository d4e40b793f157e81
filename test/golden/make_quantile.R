#!/usr/bin/Rscript
# Writes quantile.json: quantile regressions by the package quantreg of R: exact solutions of method br where they are unique, and standard errors
# by kernel and from quantiles nearby, limits by inverting rank tests, and several quantiles at once. Run it in this folder.
suppressMessages(library(quantreg))
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
fits <- list(
    list(file = "diabetes.csv", formula = "progression ~ age + sex + bmi + bp + s1 + s5"),
    list(file = "diabetes.csv", formula = "progression ~ bmi * bp + s5", weight = "s4"),
    list(file = "wine.csv", formula = "alcohol ~ malic_acid + class + ash + proline"),
    list(file = "iris.csv", formula = "petal_width ~ species * sepal_length"),
    list(file = "iris.csv", formula = "sepal_length ~ petal_length + 0", weight = "sepal_width"),
    list(file = "formula.csv", formula = "y ~ x * z + k"),
    list(file = "breast_cancer.csv", formula = "mean_area ~ mean_texture + mean_smoothness + mean_symmetry + texture_error"))

cases <- character()
estimates <- function(fits, taus) for (fit in fits) {
    table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
    table$w <- if (is.null(fit$weight)) 1 else table[[fit$weight]]
    for (tau in taus) {
        unique <- TRUE
        model <- withCallingHandlers(rq(as.formula(fit$formula), tau, table, weights = w, method = "br"),
                                     warning = function(w) { unique <<- FALSE; invokeRestart("muffleWarning") })
        if (!unique) next
        for (errors in c("kernel", "nid")) {
            clean <- TRUE
            summary <- tryCatch(withCallingHandlers(summary(model, se = c(kernel = "ker", nid = "nid")[[errors]], hs = TRUE)$coefficients,
                                                    warning = function(w) { clean <<- FALSE; invokeRestart("muffleWarning") }),
                                error = function(e) clean <<- FALSE) # too few rows near the quantile
            if (!clean) next
            params <- sprintf('{"formula": "%s", "target": "%s", "quantile": %g, "errors": "%s"%s}', sub("^.*~ ", "", fit$formula), sub(" ~.*$", "", fit$formula), tau, errors,
                              if (is.null(fit$weight)) "" else sprintf(', "weight": "%s"', fit$weight))
            cases <<- c(cases, sprintf('{"id": "quantile.%d", "method": "quantile", "data": {"file": "data/%s"}, "params": %s, "expected": {"estimate": %s, "std_error": %s%s}, "tolerance": {"rtol": %s, "atol": 1e-09}}',
                                      length(cases), fit$file, params, number(coef(model)), number(summary[, 2]),
                                      if (errors == "nid" || !is.null(fit$weight)) "" else sprintf(', "objective": %s, "aic": %s', number(model$rho), number(AIC(model)[1])),
                                      if (errors == "nid") "1e-05" else "1e-08"))
        }
    }
}
estimates(fits, c(0.1, 0.25, 0.5, 0.77, 0.95))
# Limits from ranks. The tolerances of quantreg are absolute: a column far smaller than others hides jumps of the statistic. So each coefficient is that
# of what the other columns leave of its own, of size 1, beside an orthonormal basis of them. Three files are left out (iris, wine, formula):
# there its path meets rows without a jump of the statistic, and it interpolates from one of those.
for (fit in Filter(function(fit) !fit$file %in% c("iris.csv", "wine.csv", "formula.csv"), fits)) {
    table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
    frame <- model.frame(as.formula(fit$formula), table)
    weight <- if (is.null(fit$weight)) rep(1, nrow(frame)) else table[as.integer(rownames(frame)), fit$weight]
    x <- model.matrix(as.formula(fit$formula), frame) * weight
    y <- model.response(frame) * weight
    for (tau in c(0.1, 0.25, 0.5, 0.77, 0.95)) {
        limits <- suppressWarnings(sapply(seq_len(ncol(x)), function(j) {
            others <- qr(x[, -j, drop = FALSE])
            own <- qr.resid(others, x[, j])
            scale <- sqrt(mean(own^2))
            rq.fit.br(cbind(own / scale, qr.Q(others) * sqrt(nrow(x))), y, tau = tau, ci = TRUE, alpha = 0.05)$coefficients[1, 2:3] / scale
        }))
        if (!all(abs(limits) < 1e100)) next # JSON has no infinities
        params <- sprintf('{"formula": "%s", "target": "%s", "quantile": %g, "errors": "rank"%s}', sub("^.*~ ", "", fit$formula), sub(" ~.*$", "", fit$formula), tau,
                          if (is.null(fit$weight)) "" else sprintf(', "weight": "%s"', fit$weight))
        cases <- c(cases, sprintf('{"id": "quantile.%d", "method": "quantile", "data": {"file": "data/%s"}, "params": %s, "expected": {"conf_low": %s, "conf_high": %s}, "tolerance": {"rtol": 1e-08, "atol": 1e-09}}',
                                  length(cases), fit$file, params, number(limits[1, ]), number(limits[2, ])))
    }
}
# Several quantiles in one call, and the predictions of three rows, sorted so that they do not cross.
for (fit in fits[c(1, 2, 7)]) {
    table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
    table$w <- if (is.null(fit$weight)) 1 else table[[fit$weight]]
    model <- rq(as.formula(fit$formula), c(0.1, 0.5, 0.77), table, weights = w, method = "br")
    errors <- sapply(summary(model, se = "ker", hs = TRUE), function(one) one$coefficients[, 2])
    params <- sprintf('{"formula": "%s", "target": "%s", "quantile": [0.1, 0.5, 0.77], "errors": "kernel", "rearrange": true%s}', sub("^.*~ ", "", fit$formula), sub(" ~.*$", "", fit$formula),
                      if (is.null(fit$weight)) "" else sprintf(', "weight": "%s"', fit$weight))
    cases <- c(cases, sprintf('{"id": "quantile.%d", "method": "quantile", "data": {"file": "data/%s"}, "params": %s, "expected": {"estimate": %s, "std_error": %s, "sorted": %s}, "tolerance": {"rtol": 1e-08, "atol": 1e-09}}',
                              length(cases), fit$file, params, number(coef(model)), number(errors), number(apply(predict(model, table[1:3, ]), 1, sort))))
}
# examples of the help of the package
write_table <- function(table, target, name) {
    names(table) <- tolower(gsub(".", "_", names(table), fixed = TRUE))
    write.csv(cbind(id = seq_len(nrow(table)), table[setdiff(names(table), target)], table[target]), file.path("data", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}
data(engel, barro, Mammals)
write_table(engel, "foodexp", "engel")
write_table(barro[c("lgdp2", "fse2", "gedy2", "Iy2", "gcony2", "y.net")], "y_net", "barro")
write_table(transform(Mammals, hoppers = as.integer(hoppers), specials = as.integer(specials)), "speed", "mammals")
estimates(list(list(file = "engel.csv", formula = "foodexp ~ income"), list(file = "engel.csv", formula = "foodexp ~ log(income)"),
               list(file = "stackloss.csv", formula = "loss ~ air + water + acid"), list(file = "mammals.csv", formula = "speed ~ log(weight) + hoppers + specials"),
               list(file = "barro.csv", formula = "y_net ~ lgdp2 + fse2 + gedy2 + iy2 + gcony2")), c(0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95))
writeLines(c(sprintf('{"schema": 1, "title": "quantile regressions by quantreg", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"), "quantile.json")
