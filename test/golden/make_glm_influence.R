#!/usr/bin/Rscript
# Writes glm_influence.json: residuals, leverages and distances of rows by glm of R, on the tables that make_glm.R writes. Run it in this folder.
suppressMessages(library(MASS))
invisible(Sys.setlocale("LC_COLLATE", "C"))
control <- glm.control(epsilon = 1e-15, maxit = 200)
number <- function(x) paste0("[", paste(ifelse(is.finite(x), sprintf("%.17g", x), "null"), collapse = ", "), "]")
families <- list(gaussian = gaussian, binomial = binomial, poisson = poisson, gamma = Gamma, inverse_gaussian = inverse.gaussian, quasipoisson = quasipoisson, quasibinomial = quasibinomial)
cases <- character()
add <- function(file, formula, family, ...) {
    case <- list(family = family, ...)
    table <- read.csv(file.path("data", paste0("glm_", file, ".csv")), stringsAsFactors = TRUE)
    table$own_weights <- if (is.null(case$weight)) 1 else table[[case$weight]]
    own <- if (family == "negative_binomial") do.call(negative.binomial, list(case$theta)) else if (is.null(case$link)) families[[family]]() else families[[family]](link = case$link)
    fit <- glm(as.formula(formula), own, table, weights = own_weights, control = control)
    for (i in 1:8) fit <- suppressWarnings(glm(as.formula(formula), own, table, weights = own_weights, control = control, start = coef(fit))) # weights lag behind
    if (family == "negative_binomial") fit$family$family <- "Negative Binomial" # of dispersion 1
    dispersion <- if (family %in% c("poisson", "binomial", "negative_binomial")) 1 else sum(residuals(fit, "pearson")^2) / fit$df.residual
    shown <- 1:min(8, nrow(table))
    infl <- influence(fit, do.coef = FALSE)
    numbers <- list(fitted = fitted(fit), residual = residuals(fit, "response"), standardized = infl$dev.res / sqrt(dispersion * (1 - infl$hat)), studentized = rstudent(fit),
                    deviance_residual = residuals(fit, "deviance"), leverage = hatvalues(fit), cooks_distance = cooks.distance(fit, dispersion = dispersion), dffits = dffits(fit))
    texts <- case[intersect(names(case), c("family", "link", "weight"))]
    params <- c(sprintf('"formula": "%s"', sub("^.*~ ", "", gsub("log\\(", "ln(", formula))), sprintf('"target": "%s"', sub(" ~.*$", "", formula)), sprintf('"%s": "%s"', names(texts), texts),
                if (!is.null(case$theta)) sprintf('"theta": %g', case$theta))
    cases <<- c(cases, sprintf('{"id": "glm_influence.%d", "method": "glm", "data": {"file": "data/glm_%s.csv"}, "params": {%s}, "expected": {"influence": {%s}}, "tolerance": {"rtol": 1e-08, "atol": 1e-09}}',
                               length(cases), file, paste(params, collapse = ", "), paste(sprintf('"%s": %s', names(numbers), sapply(numbers, function(x) number(x[shown]))), collapse = ", ")))
}

add("simulated", "count ~ x * g + z + offset(log(exposure))", "poisson")
add("simulated", "count ~ x + z", "poisson", link = "sqrt", weight = "w")
add("simulated", "count ~ x * g", "quasipoisson")
add("simulated", "share ~ x + g", "binomial", weight = "trials")
add("simulated", "yes ~ x + z", "binomial", link = "probit")
add("simulated", "share ~ x + g", "quasibinomial", weight = "trials")
add("simulated", "amount ~ x * g", "gamma", weight = "w")
add("simulated", "amount ~ x + g", "gamma", link = "log")
add("simulated", "amount ~ x + z", "inverse_gaussian", link = "log")
add("simulated", "real ~ x * g - 1", "gaussian", weight = "w")
add("simulated", "many ~ x + g", "negative_binomial", theta = 1.7)
add("budworm", "share ~ sex * ldose", "binomial", weight = "trials")
add("dobson", "counts ~ outcome + treatment", "poisson")
add("quine", "Days ~ Eth + Sex * Age + Lrn", "negative_binomial", theta = 1.3)
add("insurance", "Claims ~ District + Group + Age + offset(log(Holders))", "poisson")
add("esoph", "share ~ agegp + alcgp + tobgp", "binomial", weight = "trials")
add("infert", "case ~ spontaneous + induced", "binomial", link = "probit")
add("clotting", "lot1 ~ log(u)", "gamma")
add("anorexia", "Postwt ~ Prewt + Treat", "gaussian", link = "log")
writeLines(c('{"schema": 1,', '"title": "influence of rows on generalized linear models by glm of R",', sprintf('"count": %d,', length(cases)), '"cases": [', paste(cases, collapse = ",\n"), "]}"), "glm_influence.json")
