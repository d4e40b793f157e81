#!/usr/bin/Rscript
# Writes glm.json, and the tables data/glm_*.csv: generalized linear models by glm of R, with a stricter tolerance, and by glm.nb of MASS, whose two
# alternating steps are repeated here until neither changes. Examples are those of ?glm, ?family, ?glm.nb and of the help of their data,
# and of the data of Python's statsmodels, which must be installed for python3. Run it in this folder.
suppressMessages({library(MASS); library(sandwich)})
invisible(Sys.setlocale("LC_COLLATE", "C"))
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
save <- function(table, name, target) {
    for (n in names(table)) if (is.factor(table[[n]])) table[[n]] <- gsub("[^A-Za-z0-9]", "", as.character(table[[n]]))
    table <- cbind(id = seq_len(nrow(table)), table[c(setdiff(names(table), target), target)])
    write.csv(table, file.path("data", paste0("glm_", name, ".csv")), row.names = FALSE, quote = FALSE)
}

save(quine, "quine", "Days")
save(anorexia, "anorexia", "Postwt")
save(transform(esoph, share = round(ncases / (ncases + ncontrols), 15), trials = ncases + ncontrols)[c("agegp", "alcgp", "tobgp", "trials", "share")], "esoph", "share")
save(infert[c("education", "age", "parity", "induced", "spontaneous", "case")], "infert", "case")
save(data.frame(ldose = rep(0:5, 2), dead = c(1, 4, 9, 13, 18, 20, 0, 2, 6, 10, 12, 16), sex = factor(rep(c("M", "F"), c(6, 6))), trials = 20, share = c(1, 4, 9, 13, 18, 20, 0, 2, 6, 10, 12, 16) / 20), "budworm", "share")
save(data.frame(u = c(5, 10, 15, 20, 30, 40, 60, 80, 100), lot1 = c(118, 58, 42, 35, 27, 25, 21, 19, 18), lot2 = c(69, 35, 26, 21, 18, 16, 13, 12, 12)), "clotting", "lot2")
save(data.frame(outcome = factor(gl(3, 1, 9)), treatment = factor(gl(3, 3)), counts = c(18, 17, 15, 20, 10, 20, 25, 13, 12)), "dobson", "counts")
save(transform(Insurance, District = paste0("d", District), Group = paste0("g", as.integer(Group)), Age = paste0("a", as.integer(Age))), "insurance", "Claims")
save(transform(birthwt, race = c("white", "black", "other")[race])[c("age", "lwt", "race", "smoke", "ptl", "ht", "ui", "ftv", "low")], "birthwt", "low")
save(transform(menarche, share = Menarche / Total)[c("Age", "Total", "share")], "menarche", "share")
save(subset(transform(ships, year = paste0("y", year), period = paste0("p", period)), service > 0), "ships", "incidents")
save(epil[c("trt", "base", "age", "V4", "lbase", "lage", "y")], "epil", "y")
save(transform(snails, share = Deaths / N)[c("Species", "Exposure", "Rel.Hum", "Temp", "N", "share")], "snails", "share")
save(warpbreaks, "warpbreaks", "breaks")
statsmodels <- system("/usr/bin/python3 -c 'import statsmodels.datasets as d; print(d.__path__[0])'", intern = TRUE)
save(read.csv(file.path(statsmodels, "scotland/scotvote.csv"))[-1], "scotland", "YES")
save(read.table(file.path(statsmodels, "spector/spector.csv"), header = TRUE, quote = "'")[-1], "spector", "GRADE")
save(read.csv(file.path(statsmodels, "cpunish/cpunish.csv"))[-1], "cpunish", "EXECUTIONS")
save(read.csv(file.path(statsmodels, "committee/committee.csv"))[-1], "committee", "BILLS104")
star98 <- read.csv(file.path(statsmodels, "star98/star98.csv"))
save(transform(star98, share = PR50M / MATHTOT)[c("MATHTOT", "LOWINC", "PERASIAN", "PERBLACK", "PERHISP", "PCTCHRT", "PCTYRRND", "PERMINTE", "AVYRSEXP", "AVSALK", "share")], "star98", "share")
set.seed(7)
n <- 240
x <- round(runif(n), 4)
g <- factor(sample(c("a", "b", "c"), n, TRUE))
effect <- c(a = 0, b = 0.6, c = 1.1)[as.character(g)]
mean <- 1.5 + 2 * x + effect
simulated <- data.frame(x, g, z = round(rnorm(n), 4), exposure = round(runif(n, 0.5, 4), 3), w = round(runif(n, 0.2, 3), 3), trials = sample(1:9, n, TRUE), copies = sample(1:4, n, TRUE),
                        real = round(mean + rnorm(n) / 3, 4), count = rpois(n, mean), many = rnbinom(n, size = 1.7, mu = 2 * mean), amount = round(rgamma(n, 4, 4 / mean), 4) + 0.001,
                        claim = round(sapply(rpois(n, mean / 3), function(k) sum(rgamma(k, 2, 1))), 4), yes = rbinom(n, 1, 0.1 + 0.12 * mean), share = 0)
simulated$share <- rbinom(n, simulated$trials, 0.1 + 0.12 * mean) / simulated$trials
save(simulated, "simulated", "share")

control <- glm.control(epsilon = 1e-15, maxit = 200)
tweedie <- function(p, link) {
    stats <- make.link(link)
    structure(c(list(family = "tweedie", link = link, variance = function(mu) mu^p,
                     dev.resids = function(y, mu, wt) 2 * wt * (y^(2 - p) / ((1 - p) * (2 - p)) - y * mu^(1 - p) / (1 - p) + mu^(2 - p) / (2 - p)),
                     aic = function(y, n, mu, wt, dev) NA, initialize = expression({n <- rep.int(1, nobs); mustart <- y + 0.1}), validmu = function(mu) all(mu > 0)),
                stats[c("linkfun", "linkinv", "mu.eta", "valideta")]), class = "family")
}
functions <- list(gaussian = gaussian, binomial = binomial, poisson = poisson, gamma = Gamma, inverse_gaussian = inverse.gaussian, quasipoisson = quasipoisson, quasibinomial = quasibinomial)
power_link <- function(p) if (p > 0) power(p) else # R has the log link for powers below 0
    structure(list(linkfun = function(mu) mu^p, linkinv = function(eta) eta^(1 / p), mu.eta = function(eta) eta^(1 / p - 1) / p, valideta = function(eta) all(eta > 0), name = "power"), class = "link-glm")
family_of <- function(case) {
    link <- if (is.null(case$link)) c(gaussian = "identity", binomial = "logit", poisson = "log", gamma = "inverse", inverse_gaussian = "1/mu^2", quasipoisson = "log", quasibinomial = "logit", negative_binomial = "log", tweedie = "log")[[case$family]]
            else if (case$link == "inverse_squared") "1/mu^2" else case$link
    if (link == "power") return(functions[[case$family]](link = power_link(case$link_power)))
    if (case$family == "tweedie") return(tweedie(case$power, link))
    if (case$family == "negative_binomial") return(do.call(negative.binomial, list(case$theta, link)))
    functions[[case$family]](link = make.link(link))
}
fit_of <- function(case, table) {
    run <- function(family, start = NULL) {
        fit <- suppressWarnings(glm(as.formula(case$formula), family, table, weights = own_weights, control = control, start = start))
        for (i in 1:8) fit <- suppressWarnings(glm(as.formula(case$formula), family, table, weights = own_weights, control = control, start = coef(fit))) # weights lag behind
        fit
    }
    if (case$family == "negative_binomial" && is.null(case$theta)) {
        link <- if (is.null(case$link)) "log" else case$link
        fit <- run(functions$poisson(link = make.link(link)))
        th <- 0
        for (i in 1:200) {
            before <- th
            th <- theta.ml(fit$y, fitted(fit), sum(table$own_weights), table$own_weights, limit = 200, eps = 1e-14)
            fit <- run(do.call(negative.binomial, list(as.vector(th), link)), coef(fit))
            if (abs(th - before) < 1e-13 * th) break
        }
        fit$theta <- c(th, attr(th, "SE"))
        return(fit)
    }
    family <- family_of(case)
    tryCatch(run(family), error = function(e) { # where the usual start is not in the domain: that of the intercept alone
        matrix <- model.matrix(as.formula(case$formula), table)
        y <- model.response(model.frame(as.formula(case$formula), table))
        run(family, c(family$linkfun(weighted.mean(y, table$own_weights)), rep(0, ncol(matrix) - 1)))
    })
}

# zeros, those expected, and their z: the variance of the difference is that of known parameters less what their estimates take
zeros_of <- function(fit, theta = NULL) {
    mu <- fitted(fit)
    p <- if (is.null(theta)) exp(-mu) else (theta[1] / (theta[1] + mu))^theta[1]
    slope <- colSums(model.matrix(fit) * (-p * (if (is.null(theta)) 1 else theta[1] / (theta[1] + mu)) * fit$family$mu.eta(fit$linear.predictors)))
    by_theta <- if (length(theta) < 2) 0 else sum(p * (log(theta[1] / (theta[1] + mu)) + mu / (theta[1] + mu))) * theta[2]
    variance <- sum(p * (1 - p)) - drop(slope %*% summary(fit, dispersion = 1)$cov.scaled %*% slope) - by_theta^2
    c(sum(fit$y == 0), sum(p), (sum(fit$y == 0) - sum(p)) / sqrt(variance))
}
count <- 0
cases <- character()
add <- function(file, formula, family, ...) {
    case <- list(file = file, formula = formula, family = family, ...)
    table <- read.csv(file.path("data", paste0("glm_", file, ".csv")), stringsAsFactors = TRUE)
    table$own_weights <- if (is.null(case$weight)) 1 else table[[case$weight]]
    copies <- !is.null(case$frequency)
    rows <- if (copies) table[rep(seq_len(nrow(table)), table[[case$weight]]), ] else table
    if (copies) rows$own_weights <- 1
    fit <- tryCatch(fit_of(case, rows), error = function(e) NULL)
    if (is.null(fit) || !fit$converged) {
        message("no solution by R: ", paste(unlist(case), collapse = " "))
        return(invisible())
    }
    fixed <- family %in% c("poisson", "binomial", "negative_binomial")
    summary <- summary(fit, dispersion = if (fixed) 1 else NULL)
    tests <- if (is.null(case$vcov)) summary$coefficients else {
        error <- sqrt(diag(vcovHC(fit, type = case$vcov)))
        z <- coef(fit) / error
        cbind(coef(fit), error, z, if (fixed) 2 * pnorm(-abs(z)) else 2 * pt(-abs(z), fit$df.residual))
    }
    expected <- list(coefficients = t(tests), deviance = fit$deviance, null_deviance = fit$null.deviance, dispersion = summary$dispersion, df_residual = fit$df.residual,
                     predicted = head(predict(fit, table, type = "response"), 5))
    if (family == "negative_binomial" && is.null(case$theta)) {
        expected$theta <- fit$theta
        likelihood <- sum(rows$own_weights * dnbinom(fit$y, size = fit$theta[1], mu = fitted(fit), log = TRUE))
        k <- fit$rank + 1
        expected$aic <- 2 * k - 2 * likelihood
        expected$bic <- log(nrow(rows)) * k - 2 * likelihood
    } else if (is.finite(AIC(fit))) {
        expected$aic <- AIC(fit)
        expected$bic <- BIC(fit)
        if (family == "negative_binomial") { # R counts no parameter, as here
            expected$aic <- fit$aic
            expected$bic <- fit$aic - 2 * fit$rank + log(nrow(rows)) * fit$rank
        }
    }
    if (family %in% c("poisson", "negative_binomial") && all(rows$own_weights == 1)) expected$zeros <- zeros_of(fit, if (is.null(case$theta)) fit$theta else case$theta)
    texts <- case[intersect(names(case), c("family", "link", "vcov", "weight", "estimator"))]
    numbers <- case[intersect(names(case), c("theta", "power", "link_power"))]
    params <- c(sprintf('"formula": "%s"', sub("^.*~ ", "", gsub("log\\(", "ln(", formula))), sprintf('"target": "%s"', sub(" ~.*$", "", formula)),
                sprintf('"%s": "%s"', names(texts), texts), sprintf('"%s": %g', names(numbers), numbers), if (copies) '"weight_kind": "frequency"')
    cases <<- c(cases, sprintf('{"id": "glm.%d", "method": "glm", "data": {"file": "data/glm_%s.csv"}, "params": {%s}, "expected": {%s}, "tolerance": {"rtol": 1e-08, "atol": 1e-09}}', length(cases), file,
                               paste(params, collapse = ", "), paste(sprintf('"%s": %s', names(expected), sapply(expected, number)), collapse = ", ")))
}

# examples
add("dobson", "counts ~ outcome + treatment", "poisson")
add("anorexia", "Postwt ~ Prewt + Treat + offset(Prewt)", "gaussian")
add("clotting", "lot1 ~ log(u)", "gamma")
add("clotting", "lot2 ~ log(u)", "gamma")
add("esoph", "share ~ agegp + tobgp + alcgp", "binomial", weight = "trials")
add("infert", "case ~ age + parity + education + spontaneous + induced", "binomial")
add("infert", "case ~ spontaneous + induced", "binomial")
add("budworm", "share ~ sex * ldose", "binomial", weight = "trials")
add("budworm", "share ~ sex + ldose - 1", "binomial", link = "probit", weight = "trials")
add("budworm", "share ~ sex + ldose", "quasibinomial", weight = "trials")
add("budworm", "share ~ sex + ldose", "binomial", link = "cloglog", weight = "trials")
add("budworm", "share ~ sex + ldose", "binomial", link = "cauchit", weight = "trials")
add("quine", "Days ~ Sex * (Age + Eth * Lrn)", "poisson")
add("quine", "Days ~ Sex * (Age + Eth * Lrn)", "quasipoisson")
add("quine", "Days ~ Sex / (Age + Eth * Lrn)" |> sub(pattern = "Sex / \\((.*)\\)", replacement = "Sex + Sex:Age + Sex:Eth + Sex:Lrn"), "negative_binomial")
add("quine", "Days ~ Eth + Sex + Age + Lrn", "negative_binomial")
add("quine", "Days ~ Eth * Sex * Age", "negative_binomial")
add("quine", "Days ~ Eth + Sex", "negative_binomial", theta = 2)
add("quine", "Days ~ Eth + Sex", "negative_binomial", theta = 1.5, link = "sqrt")
add("insurance", "Claims ~ District + Group + Age + offset(log(Holders))", "poisson")
add("insurance", "Claims ~ District + Group + offset(log(Holders))", "negative_binomial")
add("insurance", "Claims ~ Group + offset(log(Holders)) - 1", "quasipoisson")

# each family and link
right <- "x + g + z"
for (link in c("identity", "log", "inverse", "sqrt", "inverse_squared")) {
    for (family in c("gaussian", "gamma", "inverse_gaussian", "poisson", "quasipoisson", "negative_binomial", "tweedie")) {
        target <- c(gaussian = "real", gamma = "amount", inverse_gaussian = "amount", poisson = "count", quasipoisson = "count", negative_binomial = "many", tweedie = "claim")[[family]]
        for (weight in c("", "w")) {
            if (family == "negative_binomial" && !(link %in% c("identity", "log", "sqrt"))) next # MASS has no others
            extra <- c(if (weight != "") list(weight = weight), if (family == "tweedie") list(power = 1.4), list(link = link))
            do.call(add, c(list("simulated", paste(target, "~", right), family), extra))
        }
    }
}
for (link in c("identity", "log", "logit", "probit", "cloglog", "cauchit"))
    for (family in c("binomial", "quasibinomial")) {
        add("simulated", paste("yes ~", right), family, link = link)
        add("simulated", paste("share ~", right), family, link = link, weight = "trials")
    }
for (link in c("logit", "probit", "cloglog", "cauchit")) add("simulated", paste("share ~", right), "gaussian", link = link)

# offsets, weights, copies, without an intercept
for (family in c("poisson", "negative_binomial", "gamma", "tweedie", "inverse_gaussian", "quasipoisson")) {
    target <- c(gamma = "amount", inverse_gaussian = "amount", poisson = "count", quasipoisson = "count", negative_binomial = "many", tweedie = "claim")[[family]]
    extra <- c(if (family == "tweedie") list(power = 1.6), list(link = "log"))
    do.call(add, c(list("simulated", paste(target, "~ x * g + offset(log(exposure))"), family), extra))
    do.call(add, c(list("simulated", paste(target, "~ x + g + offset(log(exposure)) - 1"), family, weight = "w"), extra))
    do.call(add, c(list("simulated", paste(target, "~ x + z"), family, weight = "copies", frequency = TRUE), extra))
}
add("simulated", "yes ~ x + g + offset(z)", "binomial")
add("simulated", "yes ~ x", "binomial", weight = "copies", frequency = TRUE)
add("simulated", "real ~ x + g", "gaussian", weight = "copies", frequency = TRUE)
add("simulated", "count ~ 1", "poisson")
add("simulated", "amount ~ 1", "gamma")
for (estimator in c("poisson", "gamma", "tweedie", "negative_binomial")) {
    target <- c(gamma = "amount", poisson = "count", negative_binomial = "many", tweedie = "claim")[[estimator]]
    extra <- if (estimator == "tweedie") list(power = 1.5) else list()
    do.call(add, c(list("simulated", paste(target, "~ x + g"), estimator, link = "log", estimator = paste0(estimator, "_regression")), extra))
}

# powers of the mean, and those that are links with a name
for (p in c(0.3, 2, -0.5)) for (family in c("gaussian", "gamma", "inverse_gaussian", "poisson", "quasipoisson")) {
    target <- c(gaussian = "amount", gamma = "amount", inverse_gaussian = "amount", poisson = "count", quasipoisson = "count")[[family]]
    add("simulated", paste(target, "~", right), family, link = "power", link_power = p)
    add("simulated", paste(target, "~ x + g"), family, link = "power", link_power = p, weight = "w")
}
for (p in c(1, 0.5)) add("simulated", "amount ~ x + g", "gamma", link = "power", link_power = p)
add("simulated", "count ~ x + z", "quasipoisson", link = "power", link_power = 0.7, weight = "copies", frequency = TRUE)

# more examples of the help of MASS and of statsmodels
add("birthwt", "low ~ age + lwt + race + smoke + ptl + ht + ui + ftv", "binomial")
add("birthwt", "low ~ age * ftv + lwt + race * smoke + ht", "binomial", link = "probit")
add("menarche", "share ~ Age", "binomial", weight = "Total")
add("ships", "incidents ~ type + year + period + offset(log(service))", "poisson")
add("ships", "incidents ~ type + year + period + offset(log(service))", "quasipoisson")
add("epil", "y ~ lbase * trt + lage + V4", "poisson")
add("epil", "y ~ lbase * trt + lage + V4", "quasipoisson")
add("epil", "y ~ lbase * trt + lage + V4", "negative_binomial")
add("snails", "share ~ Species + Exposure + Rel.Hum + Temp", "binomial", weight = "N")
add("snails", "share ~ Species * Exposure + Temp", "binomial", link = "cloglog", weight = "N")
add("warpbreaks", "breaks ~ wool * tension", "poisson")
add("warpbreaks", "breaks ~ wool + tension", "quasipoisson")
add("warpbreaks", "breaks ~ wool * tension", "negative_binomial")
add("scotland", "YES ~ COUTAX * UNEMPF + MOR + ACT + GDP + AGE", "gamma")
add("scotland", "YES ~ COUTAX * UNEMPF + MOR + ACT + GDP + AGE", "gamma", link = "log")
add("spector", "GRADE ~ GPA + TUCE + PSI", "binomial")
add("spector", "GRADE ~ GPA + TUCE + PSI", "binomial", link = "probit")
add("spector", "GRADE ~ GPA + TUCE + PSI", "binomial", vcov = "HC0")
add("cpunish", "EXECUTIONS ~ INCOME + PERPOVERTY + PERBLACK + log(VC100k96) + SOUTH + DEGREE", "poisson")
add("committee", "BILLS104 ~ SIZE + SUBS * log(STAFF) + PRESTIGE + BILLS103", "negative_binomial", theta = 1)
add("committee", "BILLS104 ~ SIZE + log(STAFF) + PRESTIGE", "negative_binomial")
add("star98", "share ~ LOWINC + PERASIAN + PERBLACK + PERHISP + PCTCHRT + PCTYRRND + PERMINTE * AVYRSEXP * AVSALK", "binomial", weight = "MATHTOT")
writeLines(c(sprintf('{"schema": 1, "title": "generalized linear models by R and MASS", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"), "glm.json")
