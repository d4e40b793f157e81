# Writes experiments.json: comparisons of two variants, shares, power and sample sizes by R (t.test, lm, car::deltaMethod, chisq.test;
# power.t.test, power.prop.test and package pwr) over the tables of data/tests.csv. Run it in this folder, after make_tests.R.
suppressPackageStartupMessages({library(car); library(pwr)})
tables <- split(read.csv("data/tests.csv", na.strings = ""), read.csv("data/tests.csv")$name)
edges <- tables[startsWith(names(tables), "edge.")]; tables <- tables[!(names(tables) %in% names(edges))]
cases <- character()
number <- function(v) if (is.character(v)) v else if (length(v) == 0 || is.na(v) || is.infinite(v)) NA else formatC(unname(v), digits = 17, format = "g", width = 1)
add <- function(method, name, id, arguments, options, expected, rtol = 1e-9) {
    expected <- Filter(function(v) !is.na(v), lapply(expected, number))
    stopifnot(length(expected) > 0)
    cases <<- c(cases, sprintf('  {"id": "%s.%s%s", "method": "%s", "input": {"table": "%s"}, "params": {"arguments": "%s", "options": {%s}},\n   "expected": {%s},\n   "tolerance": {"rtol": %g, "atol": 1e-300}}',
        method, name, id, method, name, arguments, options, paste(sprintf('"%s": %s', names(expected), unlist(expected)), collapse = ", "), rtol))
}
r_alternative <- c(two_sided = "two.sided", less = "less", greater = "greater")
variants <- list(c("two_sided", 0.95), c("less", 0.9), c("greater", 0.99))

# ---- two variants: control a, treatment b ----
# The lift b / a - 1 of two means, by the delta method, at as many standard errors as the t test has.
lift <- function(mean_a, mean_b, var_a, var_b, alternative, level, point) {
    if (mean_a <= 0) return(list())
    d <- deltaMethod(c(a = mean_a, b = mean_b), "b / a - 1", vcov. = diag(c(var_a, var_b)))
    list(lift = d$Estimate, lift_low = if (alternative == "less") NA else d$Estimate - point * d$SE, lift_high = if (alternative == "greater") NA else d$Estimate + point * d$SE)
}
compare <- function(a, b, alternative, level) {
    r <- t.test(b, a, alternative = r_alternative[[alternative]], conf.level = level)
    point <- qt(if (alternative == "two_sided") (1 + level) / 2 else level, r$parameter)
    c(list(control_rows = length(a), treatment_rows = length(b), control_mean = mean(a), treatment_mean = mean(b), difference = mean(b) - mean(a), std_error = r$stderr,
           conf_low = r$conf.int[1], conf_high = r$conf.int[2], statistic = r$statistic, df = r$parameter, p_value = r$p.value),
      lift(mean(a), mean(b), var(a) / length(a), var(b) / length(b), alternative, level, point))
}
# The mixture sequential test in closed form: the likelihood of the difference, averaged over normal effects, against no effect.
mixture <- function(a, b, level, tau) {
    v <- var(a) / length(a) + var(b) / length(b); d <- mean(b) - mean(a)
    likelihood <- function(d) dnorm(d, 0, sqrt(v + tau^2)) / dnorm(d, 0, sqrt(v))
    edge <- sqrt(2 * v * (v + tau^2) / tau^2 * log(sqrt((v + tau^2) / v) / (1 - level)))
    stopifnot(abs(log(likelihood(edge)) + log(1 - level)) < 1e-9)
    list(difference = d, statistic = log(likelihood(d)), p_value = min(1, 1 / likelihood(d)), conf_low = d - edge, conf_high = d + edge)
}
for (name in names(tables)) {
    d <- tables[[name]]; d$h_b <- as.numeric(d$h == "b")
    for (v in variants) {
        alternative <- v[1]; level <- as.numeric(v[2])
        options <- sprintf('"alternative": "%s", "level": %s', alternative, level)
        both <- d[!is.na(d$x) & !is.na(d$g), ]
        a <- both$x[both$g == "a"]; b <- both$x[both$g == "b"]
        share <- suppressWarnings(chisq.test(c(length(a), length(b)), p = c(0.6, 0.4))$p.value)
        add("ab_test", name, paste0(".", alternative), "x, g", paste0(options, ', "treatment_share": 0.4'), c(compare(a, b, alternative, level), list(sample_ratio_p_value = share)))
        add("ab_test", name, paste0(".swapped.", alternative), "x, g", paste0(options, ', "control": "b"'), compare(b, a, alternative, level))
        # shares of true
        true <- d[!is.na(d$h_b) & !is.na(d$g), ]
        add("ab_test", name, paste0(".share.", alternative), "h = 'b', g", options, compare(true$h_b[true$g == "a"], true$h_b[true$g == "b"], alternative, level))
        # adjusted for a covariate
        both <- both[!is.na(both$y), ]
        fit <- lm(x ~ g + y, both); theta <- coef(fit)[["y"]]
        adjusted <- both$x - theta * (both$y - mean(both$y))
        plain <- t.test(both$x[both$g == "b"], both$x[both$g == "a"])$stderr
        r <- compare(adjusted[both$g == "a"], adjusted[both$g == "b"], alternative, level)
        stopifnot(isTRUE(all.equal(r$difference, coef(fit)[["gb"]], tolerance = 1e-7)))
        add("ab_test", name, paste0(".covariate.", alternative), "x, g, y", options,
            c(r, list(theta = theta, variance_reduction = 1 - (r$std_error / plain)^2)), rtol = if (name == "offset") 1e-7 else 1e-9)
        # ratios of sums: the linearized outcome has the mean and the variance of the delta method
        line <- function(g) { s <- both[both$g == g, ]; q <- sum(s$x) / sum(s$y); q + (s$x - q * s$y) / mean(s$y) }
        s <- both[both$g == "b", ]
        by_hand <- (var(s$x) - 2 * sum(s$x) / sum(s$y) * cov(s$x, s$y) + (sum(s$x) / sum(s$y))^2 * var(s$y)) / nrow(s) / mean(s$y)^2
        stopifnot(isTRUE(all.equal(var(line("b")) / nrow(s), by_hand, tolerance = 1e-7)))
        by_car <- deltaMethod(c(n = mean(s$x), m = mean(s$y)), "n / m", vcov. = cov(cbind(s$x, s$y)) / nrow(s))
        stopifnot(isTRUE(all.equal(by_car$SE^2, by_hand, tolerance = 1e-7)))
        add("ab_test", name, paste0(".ratio.", alternative), "x, g, y", paste0(options, ', "ratio": true'), compare(line("a"), line("b"), alternative, level))
    }
    tau <- signif(0.3 * sd(a), 3)
    add("ab_test", name, ".always", "x, g", sprintf('"always_valid": true, "mixture": %s', tau), mixture(a, b, 0.95, tau))
    tau <- 0.1 * sqrt((var(a) / length(a) + var(b) / length(b)) * length(a) * length(b) / (length(a) + length(b)))
    add("ab_test", name, ".always.default", "x, g", '"always_valid": true, "level": 0.8', mixture(a, b, 0.8, tau))
    # ---- shares of several variants ----
    counts <- table(d$k)
    w <- function(r) list(statistic = r$statistic, df = r$parameter, p_value = r$p.value, effect_size = sqrt(r$statistic / sum(counts)))
    add("sample_ratio_test", name, "", "k", "", w(suppressWarnings(chisq.test(counts))))
    planned <- seq_along(counts)
    add("sample_ratio_test", name, ".planned", "k", sprintf('"shares": {%s}', paste(sprintf('"%s": %d', names(counts), planned), collapse = ", ")),
        w(suppressWarnings(chisq.test(counts, p = planned, rescale.p = TRUE))))
}

# ---- edges: what R refuses or has no number for, pgfit refuses too ----
for (name in setdiff(names(edges), c("edge.tiny", "edge.huge"))) {
    d <- edges[[name]]; d$h_b <- as.numeric(d$h == "b")
    edge <- function(id, arguments, test) {
        r <- tryCatch(suppressWarnings(test()), error = function(e) NULL)
        add("ab_test", name, id, arguments, "", if (is.null(r)) list(behaviour = '"error"') else Filter(function(v) length(v) > 0 && (is.na(v) || abs(v) > 1e-14), r))
    }
    edge("", "x, g", function() compare(d$x[d$g == "a"], d$x[d$g == "b"], "two_sided", 0.95))
    edge(".share", "h = 'b', g", function() compare(d$h_b[d$g == "a"], d$h_b[d$g == "b"], "two_sided", 0.95))
    edge(".covariate", "x, g, y", function() {
        fit <- lm(x ~ g + y, d); theta <- coef(fit)[["y"]]; stopifnot(!is.na(theta), deviance(fit) > 1e-20)
        adjusted <- d$x - theta * (d$y - mean(d$y))
        c(compare(adjusted[d$g == "a"], adjusted[d$g == "b"], "two_sided", 0.95), list(theta = theta))
    })
}

# ---- power: R's functions, which count both tails with strict = TRUE ----
plan <- function(method, id, arguments, options, value) add(method, "", id, arguments, options, list(value = value))
solve_n <- function(f, power) uniroot(function(n) f(n) - power, c(2, 1e9), tol = 1e-12, maxiter = 10000)$root
for (v in variants) for (effect in c(0.13, 0.5, 1.1)) {
    alternative <- v[1]; level <- as.numeric(v[2]); sig <- 1 - level; side <- r_alternative[[alternative]]; e <- if (alternative == "less") -effect else effect
    id <- paste0(alternative, ".", effect); options <- sprintf('"alternative": "%s", "level": %s', alternative, level)
    one <- function(n) power.t.test(n, effect, sd = 1.3, sig.level = sig, type = "paired", alternative = if (alternative == "two_sided") "two.sided" else "one.sided", strict = TRUE)$power
    two <- function(n) power.t.test(n, effect, sd = 1.3, sig.level = sig, alternative = if (alternative == "two_sided") "two.sided" else "one.sided", strict = TRUE)$power
    plan("power", paste0("two.", id), sprintf("%s, 27", e), paste0(options, ', "sd": 1.3'), two(27))
    plan("power", paste0("pwr.", id), sprintf("%s, 40", e), options, pwr.t.test(n = 40, d = e, sig.level = sig, alternative = side)$power)
    plan("power", paste0("two_sizes.", id), sprintf("%s, 40", e), paste0(options, ', "allocation": 0.25'), pwr.t2n.test(n1 = 40, n2 = 10, d = e, sig.level = sig, alternative = side)$power)
    plan("power", paste0("paired.", id), sprintf("%s, 27", e), paste0(options, ', "sd": 1.3, "test": "paired"'), one(27))
    plan("power", paste0("one_sample.", id), sprintf("%s, 33", e), paste0(options, ', "test": "one_sample"'), pwr.t.test(n = 33, d = e, sig.level = sig, type = "one.sample", alternative = side)$power)
    plan("power", paste0("h.", id), sprintf("%s, 33", e), paste0(options, ', "test": "proportions"'), pwr.2p.test(n = 33, h = e, sig.level = sig, alternative = side)$power)
    plan("power", paste0("h_sizes.", id), sprintf("%s, 33", e), paste0(options, ', "test": "proportions", "allocation": 3'), pwr.2p2n.test(n1 = 33, n2 = 99, h = e, sig.level = sig, alternative = side)$power)
    for (power in c(0.8, 0.95)) {
        wanted <- sprintf('%s, "power": %s', options, power); id_power <- paste0(id, ".", power)
        plan("sample_size", paste0("two.", id_power), e, paste0(wanted, ', "sd": 1.3'), solve_n(two, power))
        plan("sample_size", paste0("paired.", id_power), e, paste0(wanted, ', "sd": 1.3, "test": "paired"'), solve_n(one, power))
        plan("sample_size", paste0("h.", id_power), e, paste0(wanted, ', "test": "proportions"'), solve_n(function(n) pwr.2p.test(n = n, h = e, sig.level = sig, alternative = side)$power, power))
        least <- uniroot(function(d) power.t.test(30, d, sd = 1.3, sig.level = sig, alternative = if (alternative == "two_sided") "two.sided" else "one.sided", strict = TRUE)$power - power, c(1e-6, 10), tol = 1e-15)$root
        plan("detectable_effect", paste0("two.", id_power), "30", paste0(wanted, ', "sd": 1.3'), sign(e) * least)
    }
}
for (p in c(0.02, 0.3, 0.5)) for (d in c(0.005, 0.04)) for (side in c("two_sided", "greater")) {
    f <- function(n, q = p + d) power.prop.test(n, p, q, alternative = if (side == "two_sided") "two.sided" else "one.sided", strict = TRUE)$power
    id <- paste(p, d, side, sep = "."); options <- sprintf('"test": "proportions", "baseline": %s, "alternative": "%s"', p, side)
    plan("power", paste0("shares.", id), sprintf("%s, 2500", d), options, f(2500))
    plan("sample_size", paste0("shares.", id), d, options, solve_n(f, 0.8))
    plan("detectable_effect", paste0("shares.", id), "800", options, uniroot(function(x) f(800, p + x) - 0.8, c(1e-9, 0.999 - p), tol = 1e-15)$root)
}

# ---- plans for the effects and shares that tables have ----
for (name in setdiff(names(tables), c("small", "offset", "big"))) {
    d <- tables[[name]][!is.na(tables[[name]]$x) & !is.na(tables[[name]]$g), ]
    a <- d$x[d$g == "a"]; b <- d$x[d$g == "b"]
    sd <- signif(sqrt((var(a) + var(b)) / 2), 6); effect <- signif(abs(mean(b) - mean(a)), 6)
    base <- signif(mean(d$h == "b"), 3); more <- signif((1 - base) / 3, 3)
    for (side in c("two_sided", "greater")) {
        of <- function(n, e = effect) power.t.test(n, e, sd = sd, alternative = if (side == "two_sided") "two.sided" else "one.sided", strict = TRUE)$power
        shares <- function(n, e = more) power.prop.test(n, base, base + e, alternative = if (side == "two_sided") "two.sided" else "one.sided", strict = TRUE)$power
        options <- sprintf('"alternative": "%s", "sd": %s', side, sd)
        add("power", name, paste0(".", side), sprintf("%s, %d", effect, length(a)), options, list(value = of(length(a))))
        add("sample_size", name, paste0(".", side), effect, paste0(options, ', "power": 0.9'), list(value = solve_n(of, 0.9)))
        add("detectable_effect", name, paste0(".", side), length(a), options, list(value = uniroot(function(e) of(length(a), e) - 0.8, c(1e-6 * sd, 20 * sd), tol = 1e-15)$root))
        options <- sprintf('"test": "proportions", "baseline": %s, "alternative": "%s"', base, side)
        add("power", name, paste0(".shares.", side), sprintf("%s, %d", more, length(a)), options, list(value = shares(length(a))))
        add("sample_size", name, paste0(".shares.", side), more, options, list(value = solve_n(shares, 0.8)))
        least <- uniroot(function(e) shares(400, e) - 0.8, c(1e-9, 0.999 - base), tol = 1e-15)$root
        add("detectable_effect", name, paste0(".shares.", side), "400", options, list(value = least))
    }
}

writeLines(c('{"schema": 1,', ' "title": "Experiments by R",', sprintf(' "count": %d,', length(cases)), ' "cases": [', paste(cases, collapse = ",\n"), ']}'),
           "experiments.json")
