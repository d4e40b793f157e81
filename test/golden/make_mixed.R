#!/usr/bin/Rscript
# Writes mixed.json, and its tables, of lme4 and nlme and one of random numbers: linear mixed models by lme4 with a tight optimizer, degrees of freedom by lmerTest. Run it in this folder.
suppressMessages(library(lme4))
number <- function(x) paste0("[", paste(sprintf("%.10g", x), collapse = ", "), "]")
data(Machines, Orthodont, Oats, ergoStool, Pixel, package = "nlme")
write_table <- function(table, target, name) {
    names(table) <- tolower(names(table))
    table <- cbind(id = seq_len(nrow(table)), table[setdiff(names(table), target)], table[target])
    write.csv(table, file.path("data", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}
write_table(sleepstudy, "reaction", "sleepstudy")
write_table(Dyestuff, "yield", "dyestuff")
write_table(Dyestuff2, "yield", "dyestuff2")
write_table(Pastes[c("batch", "cask", "strength")], "strength", "pastes")
write_table(Penicillin, "diameter", "penicillin")
write_table(cake[c("recipe", "replicate", "temp", "angle")], "angle", "cake")
write_table(as.data.frame(Machines), "score", "machines")
write_table(as.data.frame(Orthodont), "distance", "orthodont")
write_table(transform(as.data.frame(Oats), Variety = gsub(" ", "", Variety), field = Block)[c("field", "Variety", "nitro", "yield")], "yield", "oats")
write_table(as.data.frame(ergoStool), "effort", "ergostool")
write_table(transform(as.data.frame(Pixel), Dog = paste0("d", Dog)), "pixel", "pixel")
set.seed(20)
ratings <- data.frame(s = sample(70, 900, TRUE), d = sample(45, 900, TRUE), service = sample(0:1, 900, TRUE))
ratings$dept <- c("law", "arts", "math", "music", "trade")[1 + ratings$d %% 5]
ratings$y <- round(3 + rnorm(70)[ratings$s] * 0.4 + rnorm(45)[ratings$d] * 0.5 + rnorm(45)[ratings$d] * 0.3 * ratings$service + rnorm(5)[1 + ratings$d %% 5] * 0.3 - 0.2 * ratings$service + rnorm(900), 2)
write_table(ratings, "y", "lectures")

# Makes Newton steps by exact enough derivatives, because bobyqa stops where the deviance no longer changes; variances of 0 stay.
polish <- function(model) {
    deviance <- update(model, devFunOnly = TRUE)
    theta <- getME(model, "theta")
    inner <- which(!(getME(model, "lower") == 0 & theta < 1e-5))
    for (step in seq_len(if (length(inner) > 0) 4 else 0)) {
        part <- function(x) { all <- theta; all[inner] <- x; deviance(all) }
        theta[inner] <- theta[inner] - solve(numDeriv::hessian(part, theta[inner]), numDeriv::grad(part, theta[inner]))
    }
    theta[setdiff(seq_along(theta), inner)] <- 0
    stay <- function(fn, par, lower, upper, control) list(par = par, fval = fn(par), convergence = 0, message = "", feval = 1)
    update(model, start = theta, control = lmerControl(optimizer = stay, calc.derivs = FALSE, check.conv.singular = "ignore"))
}

# groups: the grouping factors in the order of the formula, which lme4 sorts by size; effects: the one whose effects are compared; moments: the features of
# moments per group, which are to give the same
fits <- list(
    list(file = "sleepstudy", formula = "reaction ~ days + (days | subject)", groups = "subject", moments = "days"),
    list(file = "sleepstudy", formula = "reaction ~ days + (days | subject)", groups = "subject", weight = "days + 1", moments = "days"),
    list(file = "sleepstudy", formula = "reaction ~ days + (1 | subject) + (0 + days | subject)", groups = c("subject", "subject.1")),
    list(file = "sleepstudy", formula = "reaction ~ days + (days || subject)", groups = c("subject", "subject.1"), moments = "days"),
    list(file = "sleepstudy", formula = "reaction ~ days + I(days^2) + (days + I(days^2) | subject)", groups = "subject"),
    list(file = "sleepstudy", formula = "reaction ~ 0 + days + (1 | subject)", groups = "subject", moments = "days"),
    list(file = "sleepstudy", formula = "reaction ~ (days | subject)", groups = "subject"),
    list(file = "dyestuff", formula = "yield ~ 1 + (1 | batch)", groups = "batch"),
    list(file = "dyestuff2", formula = "yield ~ 1 + (1 | batch)", groups = "batch", moments = "1"),
    list(file = "pastes", formula = "strength ~ 1 + (1 | batch) + (1 | batch:cask)", groups = c("batch", "batch:cask"), effects = 2),
    list(file = "pastes", formula = "strength ~ 1 + (1 | batch/cask)", groups = c("batch", "cask:batch")),
    list(file = "penicillin", formula = "diameter ~ 1 + (1 | plate) + (1 | sample)", groups = c("plate", "sample")),
    list(file = "penicillin", formula = "diameter ~ 1 + (1 | sample) + (1 | plate)", groups = c("sample", "plate")),
    list(file = "cake", formula = "angle ~ recipe * temp + (1 | recipe:replicate)", groups = "recipe:replicate"),
    list(file = "cake", formula = "angle ~ recipe + temp + (temp | recipe:replicate)", groups = "recipe:replicate"),
    list(file = "machines", formula = "score ~ machine + (machine | worker)", groups = "worker", moments = "machine"),
    list(file = "machines", formula = "score ~ machine + (0 + machine | worker)", groups = "worker", moments = "machine"),
    list(file = "machines", formula = "score ~ machine + (1 | worker) + (1 | machine:worker)", groups = c("worker", "machine:worker"), effects = 2),
    list(file = "lectures", formula = "y ~ service + (1 | s) + (1 | d) + (1 | dept)", groups = c("s", "d", "dept"), effects = 2),
    list(file = "lectures", formula = "y ~ service + (service | d) + (1 | s)", groups = c("d", "s")),
    list(file = "orthodont", formula = "distance ~ age * sex + (age | subject)", groups = "subject"),
    list(file = "orthodont", formula = "distance ~ age + sex + (1 | subject)", groups = "subject"),
    list(file = "oats", formula = "yield ~ nitro + variety + (1 | field) + (1 | variety:field)", groups = c("field", "variety:field"), effects = 2),
    list(file = "ergostool", formula = "effort ~ type + (1 | subject)", groups = "subject"),
    list(file = "pixel", formula = "pixel ~ day + I(day^2) + (day | dog) + (1 | dog:side)", groups = c("dog", "dog:side")))

cases <- summed <- character()
for (fit in fits) {
    table <- read.csv(file.path("data", paste0(fit$file, ".csv")))
    for (name in intersect(names(table), c("subject", "batch", "cask", "plate", "sample", "recipe", "replicate", "worker", "machine", "s", "d", "dept", "dog", "side", "sex", "field", "variety", "type")))
        table[[name]] <- factor(as.character(table[[name]]), levels = sort(unique(as.character(table[[name]])), method = "radix"))
    table$w <- if (is.null(fit$weight)) 1 else eval(parse(text = fit$weight), table)
    for (reml in c(TRUE, FALSE)) {
        control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5), calc.derivs = FALSE, check.conv.singular = "ignore")
        model <- lmer(as.formula(fit$formula), table, weights = w, REML = reml, control = control)
        deviance_function <- update(model, devFunOnly = TRUE)
        model <- polish(model)
        df <- coef(summary(lmerTest:::as_lmerModLT(model, deviance_function)))[, "df"]
        variances <- as.data.frame(VarCorr(model), order = "lower.tri")
        rows <- unlist(lapply(c(fit$groups, "Residual"), function(group) which(variances$grp == group)))
        stopifnot(length(rows) == nrow(variances))
        factor_name <- sub("[.]1$", "", fit$groups[if (is.null(fit$effects)) 1 else fit$effects])
        effects <- as.data.frame(ranef(model, condVar = TRUE))
        effects <- effects[effects$grpvar == factor_name, ]
        effects <- effects[order(xtfrm(factor(as.character(effects$grp), levels = sort(unique(as.character(effects$grp)), method = "radix"))), as.integer(effects$term)), ]
        criterion <- if (reml) REMLcrit(model) else deviance(model, REML = FALSE)
        params <- sprintf('{"formula": "%s", "target": "%s", "reml": %s, "grouping": "%s"%s}', sub("^.*~ ", "", fit$formula), sub(" ~.*$", "", fit$formula), tolower(reml), factor_name,
                          if (is.null(fit$weight)) "" else sprintf(', "weight": "%s"', fit$weight))
        of_case <- function(id, params) sprintf('{"id": "mixed.%s", "method": "mixed_regression", "data": {"file": "data/%s.csv"}, "params": %s, "expected": {"estimate": %s, "std_error": %s, "df": %s, "criterion": %s, "variance": %s, "std_dev": %s, "effects": %s, "errors": %s, "singular": [%d]}, "tolerance": {"rtol": 1e-06, "atol": 1e-06}}',
                                                id, fit$file, params, number(fixef(model)), number(sqrt(diag(as.matrix(vcov(model))))), number(df), number(c(criterion, AIC(model), BIC(model), logLik(model))),
                                                number(variances$vcov[rows]), number(variances$sdcor[rows][is.na(variances$var2[rows])]), number(effects$condval), number(effects$condsd), isSingular(model))
        cases <- c(cases, of_case(length(cases), params))
        if (!is.null(fit$moments))
            summed <- c(summed, of_case(paste0("moments.", length(summed)), sub("}", sprintf(', "moments": "%s"}', fit$moments), params)))
    }
}
cases <- c(cases, summed)
writeLines(c(sprintf('{"schema": 1, "title": "linear mixed models by lme4", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"), "mixed.json")
