#!/usr/bin/Rscript
# Writes after_fit.json: linear hypotheses by car, linear combinations by multcomp, marginal means by emmeans, with covariances by sandwich and clubSandwich of R,
# and average marginal effects by the delta method, written out; the same of other methods, and tests of nested models by anova of R. Run it in this folder,
# after the scripts of the other tables.
suppressPackageStartupMessages({
    library(car)
    library(clubSandwich)
    library(emmeans)
    library(lmtest)
    library(multcomp)
    library(sandwich)
    library(splines)
})

number <- function(x) {
    out <- sprintf("%.17g", x)
    out[!is.finite(x)] <- "null"
    out
}
list_of <- function(x) paste0("[", paste(number(x), collapse = ", "), "]")
quoted <- function(x) paste0('"', gsub('"', '\\\\"', x), '"')
json_of <- function(x) paste0("{", paste0('"', names(x), '": ', x, collapse = ", "), "}")

# combinations: as pgfit reads them
fits <- list(
    list(file = "cars.csv", formula = "mpg ~ wt * factor(cyl) + poly(hp, 2)", vcov = "HC3",
         combinations = "wt, \"factor(cyl)=6\" - \"factor(cyl)=8\", (wt + 3 * intercept) / 2", numbers = c("wt", "hp"), levels = "cyl"),
    list(file = "cars.csv", formula = "mpg ~ wt + factor(am) * disp + offset(disp / 100)", combinations = "wt - \"factor(am)=1\"", numbers = c("wt", "disp"), levels = "am"),
    list(file = "warpbreaks.csv", formula = "breaks ~ wool * tension", vcov = "HC1", combinations = "\"tension=M\" - \"tension=L\", 2 * intercept + \"wool=B\"", levels = c("wool", "tension")),
    list(file = "warpbreaks.csv", formula = "breaks ~ wool + tension", vcov = "CR1", cluster = "block", combinations = "\"wool=B\" + \"tension=M\" / 3", levels = c("wool", "tension")),
    list(file = "penguins.csv", formula = "body_mass_g ~ flipper_length_mm * species + sex", combinations = "\"species=Chinstrap\" + 200 * \"flipper_length_mm:species=Chinstrap\"",
         numbers = "flipper_length_mm", levels = c("species", "sex")),
    list(file = "penguins.csv", formula = "body_mass_g ~ ns(flipper_length_mm, 3) + log(bill_length_mm) * sex", vcov = "CR2", cluster = "island", combinations = "\"sex=male\"",
         numbers = c("flipper_length_mm", "bill_length_mm"), levels = "sex"),
    list(file = "diabetes.csv", formula = "progression ~ bmi * bp + s5", weight = "age", vcov = "HC0", combinations = "bmi - bp, s5 / 10", numbers = c("bmi", "s5")),
    list(file = "iris.csv", formula = "petal_width ~ sepal_length + sepal_width * species", combinations = "sepal_length - sepal_width", numbers = "sepal_width", levels = "species"),
    list(file = "titanic.csv", formula = "survived ~ sex * factor(pclass) + bs(age, 4)", logistic = TRUE, combinations = "\"sex=male\" - \"factor(pclass)=3\"", numbers = "age",
         levels = c("sex", "pclass")),
    list(file = "titanic.csv", formula = "survived ~ sex + age * fare", logistic = TRUE, vcov = "HC0", combinations = "age + fare, \"sex=male\" * 2", numbers = c("age", "fare"), levels = "sex"),
    list(file = "titanic.csv", formula = "survived ~ sex + age", logistic = TRUE, vcov = "CR1", cluster = "pclass", combinations = "age * 10 - \"sex=male\"", numbers = "age", levels = "sex"),
    list(file = "wine.csv", formula = "heavy ~ ash + factor(class) * hue", logistic = TRUE, combinations = "ash", numbers = c("ash", "hue"), levels = "class"),
    list(file = "glm_infert.csv", formula = "case ~ factor(induced) * age + education", logistic = TRUE, combinations = "\"factor(induced)=1\" - \"factor(induced)=2\"",
         numbers = "age", levels = c("induced", "education")),
    list(file = "lung.csv", formula = "dead ~ factor(sex) * age + wt_loss", logistic = TRUE, vcov = "HC0", combinations = "\"factor(sex)=2\" + 60 * \"factor(sex)=2:age\"",
         numbers = c("age", "wt_loss"), levels = "sex"),
    list(file = "colon.csv", formula = "status ~ rx * factor(sex) + age", logistic = TRUE, vcov = "CR1", cluster = "differ", combinations = "age, \"factor(sex)=1\"", numbers = "age",
         levels = c("rx", "sex")),
    list(file = "warpbreaks.csv", formula = "breaks ~ wool * tension", family = poisson(), combinations = "\"wool=B\" - \"tension=M\"", levels = c("wool", "tension")),
    list(file = "glm_quine.csv", formula = "Days ~ Eth + Sex * Age + Lrn", family = quasipoisson(), combinations = "\"Age=F1\" - \"Age=F2\", \"Lrn=SL\"", levels = c("Eth", "Age")),
    list(file = "glm_insurance.csv", formula = "Claims ~ District + Group + Age + offset(log(Holders))", family = poisson(), vcov = "HC0", combinations = "\"Age=a2\", \"Age=a3\"",
         offset = "Holders", levels = c("District", "Age")),
    list(file = "cars.csv", formula = "mpg ~ wt + factor(cyl)", family = Gamma("log"), combinations = "\"factor(cyl)=6\" + wt", numbers = "wt", levels = "cyl"),
    list(file = "penguins.csv", formula = "body_mass_g ~ flipper_length_mm * species", family = Gamma("log"), vcov = "HC1",
         combinations = "\"species=Chinstrap\" + 200 * \"flipper_length_mm:species=Chinstrap\"", numbers = "flipper_length_mm", levels = "species"),
    list(file = "glm_infert.csv", formula = "case ~ spontaneous + education", family = quasibinomial(), combinations = "spontaneous * 2", numbers = "spontaneous", levels = "education"))

# The names of pgfit for the coefficients of R
names_of <- function(model) {
    own <- names(coef(model))
    for (v in names(model$xlevels)) for (l in model$xlevels[[v]]) own <- gsub(paste0("(^|:)", gsub("([()])", "\\\\\\1", v), l, "($|:)"), paste0("\\1", v, "=", l, "\\2"), own)
    sub("^\\(Intercept\\)$", "intercept", own)
}
# Returns the weights of a combination of coefficients, by its value at each unit vector; the last is its constant.
weights_of <- function(text, names) {
    text <- gsub('"', "`", text)
    turned <- vapply(strsplit(names, ":"), function(x) paste(rev(x), collapse = ":"), "")
    value <- function(b) eval(parse(text = text), as.list(c(setNames(b, names), setNames(b, turned))))
    zero <- value(rep(0, length(names)))
    c(vapply(seq_along(names), function(i) value(replace(rep(0, length(names)), i, 1)) - zero, 0), zero)
}

# The design of changed rows, and their offsets
design <- function(model, table) {
    frame <- model.frame(delete.response(terms(model)), table, xlev = model$xlevels)
    offset <- model.offset(frame)
    list(x = model.matrix(delete.response(terms(model)), frame, contrasts.arg = model$contrasts), offset = if (is.null(offset)) rep(0, nrow(table)) else offset)
}
effect <- function(model, table, variable, w, link) {
    b <- coef(model)
    mu <- switch(link, logit = plogis, log = exp, identity)
    slope <- switch(link, logit = dlogis, log = exp, function(x) rep(1, length(x)))
    curve <- switch(link, logit = function(x) dlogis(x) * (1 - 2 * plogis(x)), log = exp, function(x) rep(0, length(x)))
    at <- function(value) { table[[variable]] <- value; design(model, table) }
    average <- function(x) colSums(as.matrix(x) * w) / sum(w)
    if (is.numeric(table[[variable]]) && !any(grepl(paste0("factor(", variable, ")"), names(model$xlevels), fixed = TRUE))) {
        value <- table[[variable]]
        change <- function(h) { up <- at(value + h); down <- at(value - h); list(x = (up$x - down$x) / (2 * h), offset = (up$offset - down$offset) / (2 * h)) }
        h <- 2e-3 * pmin(sd(value), abs(value))
        h[h == 0] <- 1e-3 * sd(value)
        one <- change(h); two <- change(h / 2); here <- at(value)
        dx <- (4 * two$x - one$x) / 3
        eta <- drop(here$x %*% b) + here$offset
        deta <- drop(dx %*% b) + (4 * two$offset - one$offset) / 3
        return(list(list(estimate = average(slope(eta) * deta), gradient = average(curve(eta) * deta * here$x + slope(eta) * dx))))
    }
    values <- if (is.factor(table[[variable]])) factor(levels(table[[variable]]), levels(table[[variable]])) else sort(unique(table[[variable]]))
    means <- lapply(seq_along(values), function(i) {
        here <- at(values[i])
        eta <- drop(here$x %*% b) + here$offset
        list(estimate = average(mu(eta)), gradient = average(slope(eta) * here$x))
    })
    lapply(means[-1], function(m) list(estimate = m$estimate - means[[1]]$estimate, gradient = m$gradient - means[[1]]$gradient))
}
tested <- function(estimate, gradient, V, df) {
    error <- sqrt(drop(gradient %*% V %*% gradient))
    c(estimate, error, estimate / error, 2 * pt(-abs(estimate / error), df), estimate + c(-1, 1) * qt(0.975, df) * error)
}

cases <- character()
for (fit in fits) {
    table <- read.csv(file.path("data", fit$file), stringsAsFactors = TRUE)
    if (fit$file == "wine.csv") table$heavy <- as.integer(table$alcohol > 13)
    logistic <- isTRUE(fit$logistic)
    family <- if (logistic) binomial() else fit$family
    formula <- as.formula(fit$formula)
    table$w <- if (is.null(fit$weight)) 1 else table[[fit$weight]]
    model <- if (!is.null(family)) glm(formula, family, table, control = list(epsilon = 1e-15, maxit = 100)) else lm(formula, table, weights = w)
    if (!is.null(family)) for (again in 1:(if (logistic) 1 else 8)) model <- suppressWarnings(update(model, start = coef(model)))
    df <- if (!is.null(family) && family$family %in% c("binomial", "poisson")) Inf else df.residual(model)
    V <- vcov(model)
    own_df <- rep(df, length(coef(model)))
    if (!is.null(fit$vcov) && grepl("^HC", fit$vcov)) V <- vcovHC(model, type = fit$vcov)
    if (!is.null(fit$cluster)) {
        group <- table[[fit$cluster]]
        df <- length(unique(group)) - 1
        V <- if (fit$vcov == "CR1" && !is.null(family)) vcovCL(model, cluster = group, type = "HC0", cadjust = TRUE) else as.matrix(vcovCR(model, cluster = group, type = fit$vcov))
        own_df <- if (fit$vcov == "CR2") coef_test(model, vcov = vcovCR(model, cluster = group, type = "CR2"), test = "Satterthwaite")$df_Satt else rep(df, length(coef(model)))
    }
    names <- names_of(model)
    texts <- trimws(strsplit(fit$combinations, ",")[[1]])
    if (grepl("(", fit$combinations, fixed = TRUE)) texts <- Filter(nzchar, trimws(strsplit(gsub(",(?![^()]*\\))", "\n", fit$combinations, perl = TRUE), "\n")[[1]]))
    L <- t(vapply(texts, weights_of, rep(0, length(names) + 1), names = names))
    k <- length(names)
    one_df <- apply(L[, 1:k, drop = FALSE] != 0, 1, function(used) min(own_df[used]))
    rows <- do.call(rbind, lapply(seq_along(texts), function(i) {
        g <- glht(model, linfct = L[i, 1:k, drop = FALSE], vcov. = V, df = if (is.finite(one_df[i])) one_df[i] else 0)
        error <- sqrt(diag(L[i, 1:k, drop = FALSE] %*% V %*% t(L[i, 1:k, drop = FALSE])))
        s <- summary(glht(model, linfct = L[i, 1:k, drop = FALSE], vcov. = V), test = univariate())
        stopifnot(abs(s$test$sigma - error) < 1e-9 * error)
        tested(s$test$coefficients[[1]], L[i, 1:k], V, one_df[i])
    }))
    H <- linearHypothesis(model, L[, 1:k, drop = FALSE], rhs = -L[, k + 1], vcov. = V, test = if (is.finite(df)) "F" else "Chisq", singular.ok = FALSE)
    statistic <- if (is.finite(df)) H$F[2] else H$Chisq[2]
    f_df <- if (length(texts) == 1) one_df[1] else df
    p <- if (is.finite(df)) pf(statistic, length(texts), f_df, lower.tail = FALSE) else pchisq(statistic, length(texts), lower.tail = FALSE)
    params <- c(estimator = quoted(if (logistic) "logistic_regression" else if (!is.null(family)) "glm" else "linear_regression"), formula = quoted(gsub("bs\\(age, 4\\)", "bs(age, 4)", sub("^.*~ ", "", fit$formula))),
                target = quoted(all.vars(formula)[1]), combinations = quoted(fit$combinations))
    if (!is.null(fit$family)) params <- c(params, family = quoted(tolower(family$family)), link = quoted(family$link))
    for (name in c("weight", "vcov", "cluster")) if (!is.null(fit[[name]])) params <- c(params, setNames(quoted(fit[[name]]), name))
    write <- function(kind, expected, tolerance) sprintf('{"id": "%s.%d", "method": "after_fit", "data": {"file": "data/%s"}, "params": %s, "expected": %s, "tolerance": {"rtol": %s, "atol": 1e-11}}',
                                                         kind, which(vapply(fits, identical, TRUE, fit)), fit$file, json_of(params), json_of(expected), tolerance)
    cases <- c(cases, write("hypotheses", c(wald = list_of(c(statistic, length(texts), if (is.finite(df)) f_df, p)), combinations = list_of(t(rows))), "1e-09"))
    expected <- c()
    for (v in c(fit$numbers, fit$levels)) {
        list <- effect(model, table, v, table$w, if (is.null(family)) "identity" else family$link)
        margin_df <- if (all(own_df == own_df[1])) own_df[1] else min(own_df)
        expected[paste0("margins:", v)] <- list_of(unlist(lapply(list, function(m) {
            used <- m$gradient != 0
            tested(m$estimate, m$gradient, V, min(own_df[used]))
        })))
    }
    for (v in fit$levels) {
        for (weights in c("equal", "proportional")) {
            e <- if (is.null(fit$offset)) emmeans(model, v, weights = weights, vcov. = V, df = df, data = table)
                 else emmeans(model, v, weights = weights, vcov. = V, df = df, data = table, offset = log(mean(table[[fit$offset]]))) # that of the mean, not the mean of logs
            s <- as.data.frame(summary(e))
            keep <- if (all(own_df == own_df[1])) c(2, 3, 5, 6) else 2:3
            expected[paste0("means:", weights, ":", v)] <- list_of(t(as.matrix(s[, keep])))
            if (weights == "equal" && all(own_df == own_df[1])) {
                d <- as.data.frame(summary(pairs(e, adjust = "none"), infer = TRUE))
                expected[paste0("differences:equal:", v)] <- list_of(t(as.matrix(d[, c(2, 3, 7, 8, 5, 6)])))
                if (!is.null(family)) {
                    r <- as.data.frame(summary(e, type = "response"))
                    expected[paste0("response:equal:", v)] <- list_of(t(as.matrix(r[, c(2, 3, 5, 6)])))
                }
            }
        }
    }
    cases <- c(cases, write("margins", expected, "1e-08"))
}
# Other methods. L: the combinations, by rows of factors of the coefficients; df: of each coefficient; means: a column whose means emmeans has
suppressPackageStartupMessages({
    library(lme4)
    library(ordinal)
    library(quantreg)
    library(survival)
})
numbered <- 0
other <- function(file, estimator, target, formula, options, expected) {
    numbered <<- numbered + 1
    params <- c(estimator = quoted(estimator), target = quoted(target), formula = quoted(formula), options)
    cases <<- c(cases, sprintf('{"id": "other_methods.%d", "method": "after_fit", "data": {"file": "data/%s"}, "params": %s, "expected": %s, "tolerance": {"rtol": 1e-06, "atol": 1e-09}}',
                               numbered, file, json_of(params), json_of(expected)))
}
hypotheses <- function(b, V, df, L, means = NULL) {
    used <- lapply(seq_len(nrow(L)), function(i) min(df[L[i, ] != 0]))
    rows <- do.call(rbind, lapply(seq_len(nrow(L)), function(i) tested(drop(L[i, ] %*% b), L[i, ], V, used[[i]])))
    statistic <- drop(t(L %*% b) %*% solve(L %*% V %*% t(L), L %*% b))
    fewest <- min(unlist(used))
    wald <- if (is.finite(fewest)) c(statistic / nrow(L), nrow(L), fewest, pf(statistic / nrow(L), nrow(L), fewest, lower.tail = FALSE))
            else c(statistic, nrow(L), pchisq(statistic, nrow(L), lower.tail = FALSE))
    expected <- c(wald = list_of(wald), combinations = list_of(t(rows)))
    for (v in names(means)) expected[[paste0("means:equal:", v)]] <- list_of(t(as.matrix(as.data.frame(summary(means[[v]]))[, c(2, 3, 5, 6)])))
    expected
}
read <- function(name) read.csv(file.path("data", name), stringsAsFactors = TRUE)
combined <- function(text) c(combinations = quoted(text))

table <- read("education.csv")
fit <- suppressWarnings(rlm(y ~ region + x1 + x2 + x3, table, psi = psi.huber, k = 1.345, maxit = 5000, acc = 1e-15))
L <- rbind(c(0, 1, -1, 0, 0, 0, 0), c(0, 0, 0, 0, 2, 1, 0))
V <- vcov(fit)
other("education.csv", "huber_regression", "y", "region + x1 + x2 + x3", c(combined("\"region=r2\" - \"region=r3\", 2 * x1 + x2"), options = '{"tolerance": 1e-13}'),
      hypotheses(coef(fit), V, rep(nrow(table) - 7, 7), L, list(region = emmeans(fit, "region", vcov. = V, df = nrow(table) - 7, data = table))))
table <- read("barro.csv")
fit <- rq(y_net ~ lgdp2 + fse2 + gedy2 + iy2, 0.75, table)
other("barro.csv", "quantile_regression", "y_net", "lgdp2 + fse2 + gedy2 + iy2", c(combined("lgdp2, fse2 + gedy2"), options = '{"quantile": 0.75, "errors": "kernel"}'),
      hypotheses(coef(fit), summary(fit, se = "ker", hs = TRUE, covariance = TRUE)$cov, rep(nrow(table) - 5, 5), rbind(c(0, 1, 0, 0, 0), c(0, 0, 1, 1, 0))))
table <- read("cake.csv")
table$replicate <- factor(table$replicate)
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e5), calc.derivs = FALSE)
fit <- lmer(angle ~ recipe + temp + (1 | recipe:replicate), table, control = tight)
L <- rbind(c(0, 1, -1, 0), c(0, 1, 1, 0))
text <- combined("\"recipe=B\" - \"recipe=C\", \"recipe=B\" + \"recipe=C\"")
df <- coef(summary(lmerTest:::as_lmerModLT(fit, update(fit, devFunOnly = TRUE))))[, "df"]
other("cake.csv", "mixed_regression", "angle", "recipe + temp + (1 | recipe:replicate)", text, hypotheses(fixef(fit), as.matrix(vcov(fit)), df, L))
H <- linearHypothesis(fit, L, test = "Chisq")
expected <- hypotheses(fixef(fit), as.matrix(vcov(fit)), rep(Inf, 4), L, list(recipe = emmeans(fit, "recipe", lmer.df = "asymptotic", data = table)))
stopifnot(abs(H$Chisq[2] / as.numeric(sub("^.([^,]*),.*$", "\\1", expected[["wald"]])) - 1) < 1e-9)
other("cake.csv", "mixed_regression", "angle", "recipe + temp + (1 | recipe:replicate)", c(text, options = '{"df": "asymptotic"}'), expected)
table <- read("lung.csv")
fit <- coxph(Surv(time, dead) ~ age + sex + ph_karno, table, control = coxph.control(eps = 1e-13, iter.max = 60, toler.chol = 1e-14))
other("lung.csv", "cox_regression", "time", "age + sex + ph_karno", c(combined("age + ph_karno, sex / 2"), options = '{"event": "dead"}'), hypotheses(coef(fit), vcov(fit), rep(Inf, 3), rbind(c(1, 0, 1), c(0, 0.5, 0))))
table <- read("glm_epil.csv")
fit <- glm(y ~ lbase * trt + lage, quasipoisson, table, control = list(epsilon = 1e-15, maxit = 100))
other("glm_epil.csv", "glm", "y", "lbase * trt + lage", c(combined("lbase + \"lbase:trt=progabide\", lage"), options = '{"family": "quasipoisson"}'),
      hypotheses(coef(fit), vcov(fit), rep(df.residual(fit), 5), rbind(c(0, 1, 0, 0, 1), c(0, 0, 0, 1, 0))))

nested <- function(smaller, larger) {
    statistic <- 2 * as.numeric(logLik(larger) - logLik(smaller))
    df <- attr(logLik(larger), "df") - attr(logLik(smaller), "df")
    c(anova = list_of(c(statistic, df, pchisq(statistic, df, lower.tail = FALSE))))
}
table <- read("lung.csv")
cox <- function(right) coxph(as.formula(paste("Surv(time, dead) ~", right)), table, control = coxph.control(eps = 1e-13, iter.max = 60, toler.chol = 1e-14))
other("lung.csv", "cox_regression", "time", "age + sex", c(larger = quoted("age * sex + ph_karno"), options = '{"event": "dead"}'), nested(cox("age + sex"), cox("age * sex + ph_karno")))
table <- read("housing.csv")
table$sat <- factor(table$sat, c("Low", "Medium", "High"))
cumulative <- function(right) clm(as.formula(paste("sat ~", right)), data = table, weights = freq, control = clm.control(gradTol = 1e-10))
other("housing.csv", "ordinal_regression", "sat", "infl + type", c(larger = quoted("infl * type + cont"), weight = quoted("freq"), options = '{"levels": ["Low", "Medium", "High"]}'),
      nested(cumulative("infl + type"), cumulative("infl * type + cont")))
table <- read("cake.csv")
table$replicate <- factor(table$replicate)
linear <- function(right) lmer(as.formula(paste("angle ~", right)), table, REML = FALSE, control = tight)
other("cake.csv", "mixed_regression", "angle", "temp + (1 | recipe:replicate)", c(larger = quoted("temp * recipe + (1 | recipe:replicate)"), options = '{"reml": false}'),
      nested(linear("temp + (1 | recipe:replicate)"), linear("temp * recipe + (1 | recipe:replicate)")))

writeLines(c(sprintf('{"schema": 1, "title": "Hypotheses, marginal effects and marginal means by R, car %s, emmeans %s and multcomp %s", "count": %d, "cases": [', packageVersion("car"),
                     packageVersion("emmeans"), packageVersion("multcomp"), length(cases)),
             paste(cases, collapse = ",\n"), "]}"), "after_fit.json")
