#!/usr/bin/Rscript
# Writes survival.json: proportional hazards, Kaplan-Meier curves and log-rank tests by the package survival of R, and the tables of data/ that they
# read. Run it in this folder.
suppressMessages(library(survival))
number <- function(x) paste0("[", paste(ifelse(is.na(x), "null", sprintf("%.12g", x)), collapse = ", "), "]")
keep <- function(name, table, columns, time) {
    names(table) <- gsub(".", "_", names(table), fixed = TRUE)
    table <- na.omit(table[, c(setdiff(columns, time), time)])
    for (column in names(table)) if (is.factor(table[[column]])) table[[column]] <- as.character(table[[column]])
    table <- cbind(id = seq_len(nrow(table)), table)
    write.csv(table, file.path("data", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
    for (column in names(table)) if (is.character(table[[column]])) table[[column]] <- factor(table[[column]], sort(unique(table[[column]]), method = "radix"))
    table
}
tables <- list(
    lung = keep("lung", transform(lung, dead = status - 1, ph_ecog1 = 1 + ph.ecog), c("dead", "inst", "age", "sex", "ph_ecog", "ph_ecog1", "ph_karno", "wt_loss", "time"), "time"),
    veteran = keep("veteran", veteran, c("trt", "celltype", "status", "karno", "diagtime", "age", "prior", "time"), "time"),
    ovarian = keep("ovarian", ovarian, c("fustat", "age", "resid_ds", "rx", "ecog_ps", "futime"), "futime"),
    kidney = keep("kidney", kidney, c("status", "age", "sex", "disease", "frail", "time"), "time"),
    colon = keep("colon", subset(colon, etype == 2)[1:300, ], c("rx", "sex", "age", "obstruct", "nodes", "status", "differ", "extent", "surg", "time"), "time"),
    heart = keep("heart", transform(heart, weight = 1 + id %% 4 / 2, patient = id, transplant = as.integer(transplant) - 1), c("weight", "start", "event", "age", "year", "surgery", "transplant", "patient", "stop"), "stop"),
    bladder = keep("bladder", transform(subset(bladder2, start < stop), patient = id, visit = enum), c("patient", "rx", "number", "size", "start", "event", "visit", "stop"), "stop"))
columns <- list(lung = c("time", "dead"), veteran = c("time", "status"), ovarian = c("futime", "fustat"), kidney = c("time", "status"),
                colon = c("time", "status"), heart = c("stop", "event"), bladder = c("stop", "event"))
control <- coxph.control(eps = 1e-13, iter.max = 60, toler.chol = 1e-14)

cases <- character()
add <- function(method, name, params, expected, rtol = "1e-08") {
    text <- paste(sprintf('"%s": %s', names(params), unlist(params)), collapse = ", ")
    cases <<- c(cases, sprintf('{"id": "survival.%d", "method": "%s", "data": {"file": "data/%s.csv", "target": "%s"}, "params": {"event": "%s", %s}, "expected": {%s}, "tolerance": {"rtol": %s, "atol": 1e-10}}',
        length(cases), method, name, columns[[name]][1], columns[[name]][2], text, paste(sprintf('"%s": %s', names(expected), sapply(expected, number)), collapse = ", "), rtol))
}
quoted <- function(x) paste0('"', x, '"')

# offset: added to the score as it is, where R subtracts its mean
cox <- function(name, formula, ties = "efron", strata = NULL, entry = NULL, weight = NULL, vcov = NULL, cluster = NULL, offset = NULL) {
    table <- tables[[name]]
    table$w_ <- if (is.null(weight)) 1 else table[[weight]]
    table$c_ <- if (is.null(cluster)) seq_len(nrow(table)) else table[[cluster]]
    if (!is.null(offset)) formula <- sprintf("%s + offset(%s)", formula, offset)
    times <- if (is.null(entry)) columns[[name]] else c(entry, columns[[name]])
    right <- if (is.null(strata)) formula else paste0(formula, " + strata(", strata, ")")
    fit <- suppressWarnings(coxph(as.formula(sprintf("Surv(%s) ~ %s", paste(times, collapse = ", "), right)), table, weights = w_, ties = ties, control = control, robust = !is.null(vcov), x = TRUE,
        cluster = c_))
    numeric <- !grepl(paste(c("^$", names(which(sapply(table, is.factor)))), collapse = "|^"), names(coef(fit))) & TRUE
    center <- ifelse(numeric, colSums(fit$x * table$w_) / sum(table$w_), 0)
    added <- if (is.null(offset)) 0 else with(table, eval(parse(text = offset)))
    mean_offset <- if (is.null(offset)) 0 else weighted.mean(added, table$w_) # which basehaz has added
    test <- summary(fit)
    base <- basehaz(fit, centered = FALSE)
    base$stratum <- if (is.null(strata)) "" else sub("^.*=", "", as.character(base$strata))
    base <- base[order(base$stratum, base$time, method = "radix"), ]
    rises <- c(TRUE, diff(base$hazard) != 0) & base$hazard > 0
    starts <- !duplicated(base$stratum)
    rises <- ifelse(starts, base$hazard > 0, rises)
    expected <- list(estimate = coef(fit), std_error = sqrt(diag(fit$var)), log_likelihood = fit$loglik[2], null_log_likelihood = fit$loglik[1], likelihood_ratio = test$logtest[[1]],
        wald_statistic = as.numeric(coef(fit) %*% solve(fit$var, coef(fit))), score_statistic = fit$score, concordance = fit$concordance[["concordance"]], aic = AIC(fit), bic = BIC(fit),
        baseline_time = base$time[rises], baseline_hazard = base$hazard[rises] * exp(sum(center * coef(fit)) - mean_offset), predict = as.numeric(sweep(fit$x, 2, center) %*% coef(fit)) + added)
    if (!is.null(weight)) expected$bic <- NULL
    expected <- c(expected, list(martingale = head(residuals(fit, "martingale"), 60), deviance = head(residuals(fit, "deviance"), 60)))
    params <- list(formula = quoted(formula), ties = quoted(ties))
    if (!is.null(strata)) params$strata <- quoted(strata)
    if (!is.null(entry)) params$entry <- quoted(entry)
    if (!is.null(weight)) params$weight <- quoted(weight)
    if (!is.null(vcov)) params$vcov <- quoted(vcov)
    if (!is.null(cluster)) params$cluster <- quoted(cluster)
    # curves of the first rows, at times between which no event is
    picked <- round(seq(1, nrow(table), length.out = 3))
    at <- unname(quantile(table[[columns[[name]][1]]], c(0.1, 0.35, 0.6, 0.85))) + 1e-3
    curves <- lapply(picked, function(i) summary(survfit(fit, table[i, ], conf.int = 0.9), at, extend = TRUE))
    params$rows <- sprintf("[%s]", paste(picked, collapse = ", "))
    params$times <- sprintf("[%s]", paste(sprintf("%.12g", at), collapse = ", "))
    for (column in c("surv", "lower", "upper")) expected[[c(surv = "survival", lower = "survival_low", upper = "survival_high")[[column]]]] <- unlist(lapply(curves, `[[`, column))
    add("cox", name, params, expected)
}
for (ties in c("efron", "breslow")) {
    cox("lung", "age + sex + ph_karno + wt_loss", ties)
    cox("lung", "age + ph_ecog", ties, strata = "inst")
    cox("lung", "sex * age", ties, weight = "ph_ecog1")
    cox("veteran", "trt + celltype + karno + age + prior", ties)
    cox("veteran", "karno + age", ties, strata = "celltype")
    cox("ovarian", "age + rx + ecog_ps", ties)
    cox("kidney", "age + sex + disease", ties)
    cox("kidney", "age + sex", ties, weight = "frail")
    cox("colon", "rx + sex + age + obstruct + nodes + extent", ties)
    cox("colon", "rx + nodes", ties, strata = "differ")
    cox("heart", "age + year + surgery + transplant", ties, entry = "start")
    cox("heart", "age + year", ties, entry = "start", strata = "transplant")
    cox("heart", "age * surgery", ties, entry = "start", weight = "weight")
    cox("lung", "age + sex + ph_karno", ties, vcov = "HC0")
    cox("lung", "age + ph_ecog", ties, strata = "sex", vcov = "CR0", cluster = "inst")
    cox("kidney", "age + sex", ties, weight = "frail", vcov = "HC0")
    cox("bladder", "rx + number + size", ties, strata = "visit", entry = "start", vcov = "CR0", cluster = "patient")
    cox("heart", "age + year + surgery + transplant", ties, entry = "start", weight = "weight", vcov = "CR0", cluster = "patient")
}

curve <- function(name, conf_type, level = 0.95, weight = NULL, entry = NULL) {
    table <- tables[[name]]
    table$w_ <- if (is.null(weight)) 1 else table[[weight]]
    fit <- survfit(as.formula(sprintf("Surv(%s) ~ 1", paste(c(entry, columns[[name]]), collapse = ", "))), table, weights = w_, conf.type = conf_type, conf.int = level, robust = FALSE)
    error <- ifelse(fit$surv > 0, fit$std.err * fit$surv, NA)
    median <- summary(fit)$table # of the first time at which a limit is below a half; quantile() takes a later one where limits rise again
    params <- list(options = sprintf('{"conf_type": "%s", "level": %g}', conf_type, level))
    if (!is.null(weight)) params$weight <- quoted(weight)
    if (!is.null(entry)) params$entry <- quoted(entry)
    add("kaplan_meier", name, params, list(time = fit$time, at_risk = fit$n.risk, events = fit$n.event, censored = fit$n.censor, survival = fit$surv, std_error = error,
        conf_low = ifelse(fit$surv > 0, fit$lower, NA), conf_high = ifelse(fit$surv > 0, fit$upper, NA), median = c(median[["median"]], median[[grep("LCL", names(median))]], median[[grep("UCL", names(median))]])))
}
for (name in setdiff(names(tables), c("heart", "bladder"))) {
    curve(name, "log")
    curve(name, "log-log", 0.9)
}
curve("veteran", "log", weight = "diagtime")
curve("colon", "log-log", weight = "extent")
curve("heart", "log", entry = "start")
curve("heart", "log-log", weight = "weight", entry = "start")
curve("bladder", "log", entry = "start")

rank_test <- function(test) {
    table <- tables[[test[1]]]
    strata <- if (length(test) > 2) paste0(" + strata(", test[3], ")") else ""
    fit <- survdiff(as.formula(sprintf("Surv(%s) ~ %s%s", paste(columns[[test[1]]], collapse = ", "), test[2], strata)), table)
    observed <- rowSums(as.matrix(fit$obs))
    expected <- rowSums(as.matrix(fit$exp))
    params <- list(groups = quoted(test[2]))
    if (length(test) > 2) params$strata <- quoted(test[3])
    df <- sum(expected > 0) - 1
    add("log_rank_test", test[1], params, list(statistic = fit$chisq, df = df, p_value = pchisq(fit$chisq, df, lower.tail = FALSE), observed = observed, expected = expected))
}
for (test in list(c("lung", "sex"), c("lung", "ph_ecog"), c("lung", "inst"), c("veteran", "celltype"), c("veteran", "trt"), c("ovarian", "rx"), c("kidney", "disease"), c("kidney", "sex"), c("colon", "rx"), c("colon", "differ"),
                  c("lung", "sex", "inst"), c("lung", "ph_ecog", "sex"), c("veteran", "trt", "celltype"), c("ovarian", "rx", "resid_ds"), c("kidney", "disease", "sex"), c("colon", "rx", "differ"))) rank_test(test)

# more examples of the help of the package
tables <- list(
    aml = keep("aml", aml, c("status", "x", "time"), "time"),
    heads = keep("heads", data.frame(time = c(4, 3, 1, 1, 2, 2, 3), status = c(1, 1, 1, 0, 1, 1, 0), x = c(0, 2, 1, 1, 1, 0, 0), sex = c(0, 0, 0, 0, 1, 1, 1)), c("status", "x", "sex"), "time"),
    counting = keep("counting", data.frame(start = c(1, 2, 5, 2, 1, 7, 3, 4, 8, 8), stop = c(2, 3, 6, 7, 8, 9, 9, 9, 14, 17), event = c(1, 1, 1, 1, 1, 1, 1, 0, 0, 0), x = c(1, 0, 0, 1, 0, 1, 1, 1, 0, 0)), c("start", "event", "x"), "stop"),
    pbc = keep("pbc", transform(pbc, status = as.integer(status == 2)), c("status", "age", "edema", "bili", "albumin", "protime"), "time"),
    rats = keep("rats", transform(rats, family = litter), c("status", "rx", "sex", "family"), "time"),
    stanford2 = keep("stanford2", stanford2, c("status", "age", "t5"), "time"),
    diabetic = keep("diabetic", transform(diabetic, patient = id), c("status", "laser", "age", "trt", "risk", "patient"), "time"),
    cgd = keep("cgd", transform(cgd, patient = id, treat = ifelse(treat == "placebo", "placebo", "interferon"), visit = enum), c("tstart", "status", "treat", "sex", "age", "inherit", "steroids", "patient", "visit"), "tstop"))
columns <- lapply(list(aml = "time", heads = "time", counting = "stop", pbc = "time", rats = "time", stanford2 = "time", diabetic = "time", cgd = "tstop"), function(time) c(time, if (time == "stop") "event" else "status"))
for (ties in c("efron", "breslow")) {
    cox("aml", "x", ties)
    cox("heads", "x", ties, strata = "sex")
    cox("counting", "x", ties, entry = "start")
    cox("pbc", "age + edema + log(bili) + log(albumin) + log(protime)", ties)
    cox("rats", "rx + sex", ties, vcov = "CR0", cluster = "family")
    cox("rats", "rx", ties, strata = "sex")
    cox("stanford2", "age + t5", ties)
    cox("diabetic", "trt * laser + age + risk", ties, vcov = "CR0", cluster = "patient")
    cox("cgd", "treat + steroids + age * sex + inherit", ties, entry = "tstart", vcov = "CR0", cluster = "patient")
    cox("cgd", "treat", ties, entry = "tstart", strata = "visit")
}
for (name in c("aml", "heads", "pbc", "rats", "stanford2")) curve(name, "log")
curve("counting", "log-log", entry = "start")
curve("cgd", "log", entry = "tstart")
for (test in list(c("aml", "x"), c("rats", "rx", "sex"), c("diabetic", "trt"), c("diabetic", "trt", "laser"), c("pbc", "edema"))) rank_test(test)
# offsets
tables <- list(
    lung = read.csv("data/lung.csv"), veteran = read.csv("data/veteran.csv", stringsAsFactors = TRUE), heart = read.csv("data/heart.csv"), kidney = read.csv("data/kidney.csv", stringsAsFactors = TRUE),
    bladder = read.csv("data/bladder.csv"))
columns <- list(lung = c("time", "dead"), veteran = c("time", "status"), kidney = c("time", "status"), heart = c("stop", "event"), bladder = c("stop", "event"))
for (ties in c("efron", "breslow")) {
    cox("lung", "age + sex", ties, offset = "log(ph_karno) / 2")
    cox("lung", "age + ph_ecog", ties, strata = "inst", offset = "0.01 * wt_loss")
    cox("veteran", "trt + celltype + age", ties, offset = "-0.03 * karno")
    cox("heart", "age + year + surgery", ties, entry = "start", offset = "0.3 * transplant")
    cox("heart", "age + year", ties, entry = "start", strata = "transplant", weight = "weight", offset = "surgery / 2")
    cox("kidney", "age + sex", ties, weight = "frail", vcov = "HC0", offset = "log(age)")
    cox("bladder", "rx + number", ties, strata = "visit", entry = "start", vcov = "CR0", cluster = "patient", offset = "size / 10")
}

# how well scores order the times of rows: strata and entries are those of the rows
judge <- function(name, score, entry = NULL, strata = NULL, weight = NULL) {
    table <- tables[[name]]
    table$w_ <- if (is.null(weight)) 1 else table[[weight]]
    right <- if (is.null(strata)) score else sprintf("%s + strata(%s)", score, strata)
    fit <- concordance(as.formula(sprintf("Surv(%s) ~ %s", paste(c(entry, columns[[name]]), collapse = ", "), right)), table, weights = w_, reverse = TRUE)
    params <- list(score = quoted(score))
    if (!is.null(entry)) params$entry <- quoted(entry)
    if (!is.null(strata)) params$strata <- quoted(strata)
    if (!is.null(weight)) params$weight <- quoted(weight)
    add("concordance", name, params, list(concordance = fit$concordance))
}
judge("lung", "ph_ecog")
judge("lung", "age", strata = "inst")
judge("lung", "age", weight = "ph_ecog1")
judge("veteran", "karno", strata = "celltype")
judge("kidney", "age", weight = "frail")
judge("kidney", "sex", strata = "disease")
judge("heart", "age", entry = "start")
judge("heart", "year", entry = "start", strata = "transplant", weight = "weight")
judge("bladder", "number", entry = "start", strata = "visit")
judge("bladder", "size", entry = "start")
writeLines(c(sprintf('{"schema": 1, "title": "censored times by the package survival", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"), "survival.json")
