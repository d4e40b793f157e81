#!/usr/bin/Rscript
# Writes glm_penalties.json: generalized linear models under penalties by glmnet of R, on the tables that make_glm.R writes. glmnet finds which
# coefficients are 0; Fisher scoring of the others, repeated until nothing changes, gives their digits. Run it in this folder.
suppressMessages({library(MASS); library(glmnet)})
invisible(glmnet.control(epsnr = 1e-14, mxitnr = 1000))
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
tweedie <- function(p) {
    stats <- make.link("log")
    structure(c(list(family = "tweedie", link = "log", variance = function(mu) mu^p,
                     dev.resids = function(y, mu, wt) 2 * wt * (y^(2 - p) / ((1 - p) * (2 - p)) - y * mu^(1 - p) / (1 - p) + mu^(2 - p) / (2 - p)),
                     aic = function(y, n, mu, wt, dev) NA, initialize = expression({n <- rep.int(1, nobs); mustart <- y + 0.1}), validmu = function(mu) all(mu > 0)),
                stats[c("linkfun", "linkinv", "mu.eta", "valideta")]), class = "family")
}
families <- list(gaussian = gaussian, binomial = binomial, poisson = poisson, gamma = Gamma, inverse_gaussian = inverse.gaussian)
family_of <- function(case) {
    if (case$family == "tweedie") return(tweedie(case$power))
    if (case$family == "negative_binomial") return(do.call(negative.binomial, list(case$theta)))
    if (is.null(case$link)) families[[case$family]]() else families[[case$family]](link = case$link)
}

# Minimizes half the deviance per weight + l1 |b| + l2 b^2 from a solution that is close, whose zeros stay; stops if one should not be 0.
polish <- function(x, y, w, offset, family, b, l1, l2) {
    w <- w / sum(w)
    free <- c(TRUE, b[-1] != 0)
    sign <- c(0, sign(b[-1]))
    for (i in 1:500) {
        eta <- drop(x %*% b) + offset
        mu <- family$linkinv(eta)
        slope <- family$mu.eta(eta)
        gradient <- drop(-crossprod(x, w * (y - mu) * slope / family$variance(mu))) + 2 * l2 * b
        curvature <- crossprod(x, w * slope^2 / family$variance(mu) * x) + diag(2 * l2, length(b))
        b[free] <- b[free] - solve(curvature[free, free], (gradient + l1 * sign)[free])
    }
    stopifnot(max(abs((gradient + l1 * sign)[free])) < 1e-13 * max(1, abs(gradient)), all(sign(b[-1]) == sign[-1]), all(abs(gradient[!free]) <= l1[!free] * (1 + 1e-9)))
    b
}

cases <- character()
add <- function(formula, family, penalty, lambda, alpha = c(l1 = 1, l2 = 0, elastic_net = 0.5)[[penalty]], standardize = FALSE, ...) {
    case <- list(family = family, penalty = penalty, ...)
    table <- read.csv(file.path("data", "glm_simulated.csv"), stringsAsFactors = TRUE)
    parts <- model.frame(as.formula(formula), table)
    x <- model.matrix(as.formula(formula), table)
    y <- model.response(parts)
    offset <- if (is.null(model.offset(parts))) rep(0, nrow(x)) else model.offset(parts)
    w <- if (is.null(case$weight)) rep(1, nrow(x)) else table[[case$weight]]
    fit <- glmnet(x[, -1], y, family_of(case), weights = w, offset = offset, lambda = lambda * c(20, 5, 2, 1), alpha = alpha, standardize = standardize, thresh = 1e-20, maxit = 1e6)
    means <- colSums(w * x[, -1]) / sum(w)
    scale <- if (standardize) sqrt(colSums(w * (x[, -1] - rep(means, each = nrow(x)))^2) / sum(w)) else 1
    l1 <- c(0, rep(alpha * lambda, ncol(x) - 1) * scale)
    l2 <- c(0, rep((1 - alpha) * lambda / 2, ncol(x) - 1) * scale^2)
    b <- polish(x, y, w, offset, family_of(case), c(fit$a0[4], fit$beta[, 4]), l1, l2)
    if (max(abs(b - c(fit$a0[4], fit$beta[, 4]))) > 1e-5) message(formula, " ", family, " ", penalty, ": glmnet is off by ", max(abs(b - c(fit$a0[4], fit$beta[, 4]))))
    # its penalty is lambda (alpha |b| + (1 - alpha) b^2 / 2), here lambda (alpha |b| + (1 - alpha) b^2)
    own <- lambda * c(l1 = 1, l2 = 0.5, elastic_net = alpha + (1 - alpha) / 2)[[penalty]]
    share <- alpha / (alpha + (1 - alpha) / 2)
    expected <- list(estimate = b, deviance = sum(family_of(case)$dev.resids(y, family_of(case)$linkinv(drop(x %*% b) + offset), w)))
    texts <- case[intersect(names(case), c("family", "link", "penalty", "weight"))]
    numbers <- c(case[intersect(names(case), c("theta", "power"))], lambda = own, if (penalty == "elastic_net") c(alpha = share))
    params <- c(sprintf('"formula": "%s"', sub("^.*~ ", "", gsub("log\\(", "ln(", formula))), sprintf('"target": "%s"', sub(" ~.*$", "", formula)),
                sprintf('"%s": "%s"', names(texts), texts), sprintf('"%s": %.17g', names(numbers), unlist(numbers)), '"reduction": "mean"', if (standardize) '"standardize": true')
    cases <<- c(cases, sprintf('{"id": "glm_penalties.%d", "method": "glm", "data": {"file": "data/glm_simulated.csv"}, "params": {%s}, "expected": {%s}, "tolerance": {"rtol": 1e-08, "atol": 1e-09}}',
                               length(cases), paste(params, collapse = ", "), paste(sprintf('"%s": %s', names(expected), sapply(expected, number)), collapse = ", ")))
}

for (penalty in c("l1", "l2", "elastic_net")) for (standardize in c(FALSE, TRUE)) {
    add("count ~ x + z + g", "poisson", penalty, 0.1, standardize = standardize)
    add("count ~ x * g + z + offset(log(exposure))", "poisson", penalty, 0.03, standardize = standardize, weight = "w")
    add("real ~ x * g + z", "gaussian", penalty, 0.05, standardize = standardize)
    add("share ~ x * g + z", "binomial", penalty, 0.02, standardize = standardize, weight = "trials")
    add("yes ~ x + g + z", "binomial", penalty, 0.02, standardize = standardize, link = "probit")
    add("amount ~ x * g + z", "gamma", penalty, 0.03, standardize = standardize, link = "log")
    add("amount ~ x + g + z", "gamma", penalty, 0.002, standardize = standardize, link = "inverse", weight = "w")
    add("many ~ x * g + z", "negative_binomial", penalty, 0.03, standardize = standardize, theta = 1.7)
    add("claim ~ x * g + z", "tweedie", penalty, 0.05, standardize = standardize, power = 1.5)
    add("count ~ x + g + z", "poisson", penalty, 0.05, standardize = standardize, link = "sqrt")
}
add("amount ~ x * g + z", "gamma", "elastic_net", 0.04, alpha = 0.9, link = "log")
writeLines(c('{"schema": 1,', '"title": "generalized linear models under penalties by glmnet of R",', sprintf('"count": %d,', length(cases)), '"cases": [', paste(cases, collapse = ",\n"), "]}"), "glm_penalties.json")
