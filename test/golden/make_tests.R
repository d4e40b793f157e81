# Writes data/tests.csv and hypothesis_tests.json: statistical tests by R (stats; tseries, lmtest and effectsize) over tables of
# R and a few that are computed. Run it in this folder. Columns: x, y numbers; g, h two groups with the same labels; k several groups.
suppressPackageStartupMessages({library(tseries); library(lmtest); library(effectsize)})
two <- function(v) ifelse(is.na(v), NA, ifelse(v, "a", "b"))
i <- 1:3000
noise <- (i * 7919) %% 3001 / 3001 # without ties
tables <- list(
    sleep = with(sleep, data.frame(x = extra, y = as.numeric(ID), g = two(group == 1), k = paste0("p", as.numeric(ID) %% 3), h = two(extra > 1))),
    tooth = with(ToothGrowth, data.frame(x = len, y = dose, g = two(supp == "OJ"), k = paste0("d", dose), h = two(len > 20))),
    mtcars = with(mtcars, data.frame(x = mpg, y = wt, g = two(am == 0), k = paste0("c", cyl), h = two(vs == 0))),
    air = with(airquality, data.frame(x = Ozone, y = Temp, g = two(ifelse(Month %in% c(5, 8), Month == 5, NA)), k = paste0("m", Month), h = two(Ozone > 30))),
    iris = with(iris, data.frame(x = Sepal.Length, y = Petal.Length, g = two(ifelse(Species == "setosa", NA, Species == "versicolor")),
                                 k = as.character(Species), h = two(Petal.Width > 1.4))),
    chick = with(chickwts, data.frame(x = weight, y = seq_along(weight) / 7, g = two(ifelse(feed %in% c("casein", "linseed"), feed == "casein", NA)),
                                      k = as.character(feed), h = two(weight > 250))),
    small = data.frame(x = c(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55), y = c(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06),
                       g = c("a", "a", "b", "b", "a", "b", "b"), k = c("u", "u", "v", "v", "w", "w", "w"), h = c("a", "b", "b", "b", "a", "a", "b")),
    offset = data.frame(x = 1e5 + round(qnorm(noise[1:40]), 6), y = 1e6 + i[1:40], g = two(i[1:40] %% 3 == 0), k = paste0("r", i[1:40] %% 4), h = two(noise[1:40] > 0.4)),
    big = data.frame(x = round(qnorm(noise) + (i %% 5 == 0) * 0.2, 9), y = round(noise * 3 + (i * 104729 %% 3011) / 3011, 9), g = two(i %% 5 == 0), k = paste0("q", i %% 7),
                     h = two(noise + (i %% 5) / 40 > 0.55)))
# Edges: what R refuses or has no number for, pgfit refuses too.
edge <- function(x, y, g, k, h) data.frame(x = x, y = y, g = strsplit(g, "")[[1]], k = strsplit(k, "")[[1]], h = strsplit(h, "")[[1]])
edges <- list(
    edge.one_row = edge(2, 3, "a", "u", "a"),
    edge.two_rows = edge(c(2, 3.5), c(1, 7), "ab", "uv", "ab"),
    edge.two_each = edge(c(2, 3.5, 4, 7), c(1, 7, 2, 3), "abab", "uvuv", "abba"),
    edge.single = edge(c(2, 3.5, 4, 7, 5, 6.5), c(1, 7, 2, 3, 9, 4), "abbbbb", "uvvwww", "aababb"),
    edge.constant_group = edge(c(5, 5, 5, 5, 1, 2, 4, 9), c(1, 7, 2, 3, 9, 4, 6, 8), "aaaabbbb", "uuvvuvvu", "ababbbab"),
    edge.constant_groups = edge(c(5, 5, 5, 2, 2, 2), c(1, 7, 2, 3, 9, 4), "aaabbb", "uuuvvv", "aababb"),
    edge.constant = edge(rep(3, 6), c(1, 7, 2, 3, 9, 4), "aaabbb", "uuvvww", "bbbbbb"),
    edge.ties = edge(c(1, 2, 1, 2, 2, 1, 1, 2, 2, 2), c(1, 1, 2, 2, 1, 2, 1, 2, 2, 1), "abababbaab", "uuvvwwuvwu", "aabbabbbab"),
    edge.separate = edge(c(1, 2, 3, 10, 11, 12), c(1, 2, 4, 5, 7, 9), "aaabbb", "uuuvvv", "aaabbb"),
    edge.zeros = edge(c(0, 0, 1, -1, 2, 0, -3, 4), c(0, 0, 0, 0, 1, 0, 0, 0), "abababab", "uvwuvwuv", "aaaaaaab"),
    edge.tiny = edge(c(2, 3.5, 4, 7, 5, 6.5) * 1e-140, c(1, 7, 2, 3, 9, 4), "abbaba", "uvvuvu", "aababb"),
    edge.huge = edge(c(2, 3.5, 4, 7, 5, 6.5) * 1e140, c(1, 7, 2, 3, 9, 4) * 1e-140, "abbaba", "uvvuvu", "aababb"))
long <- do.call(rbind, lapply(names(c(tables, edges)), function(n) { d <- c(tables, edges)[[n]]; cbind(data.frame(name = n, id = seq_len(nrow(d))), d) }))
exact <- function(v) ifelse(is.na(v), "", formatC(v, digits = 17, format = "g", width = 1))
long$x <- exact(long$x); long$y <- exact(long$y)
write.csv(long, "data/tests.csv", row.names = FALSE, quote = FALSE, na = "")
tables <- split(read.csv("data/tests.csv", na.strings = ""), long$name) # what the server reads
edges <- tables[names(edges)]; tables <- tables[setdiff(names(tables), names(edges))]

cases <- character()
number <- function(v) if (is.character(v)) v else if (length(v) == 0 || is.na(v) || is.infinite(v)) NA else formatC(unname(v), digits = 17, format = "g", width = 1)
add <- function(method, name, id, arguments, options, expected, rtol = 1e-10, order = "") {
    expected <- Filter(function(v) !is.na(v), lapply(expected, number))
    stopifnot(length(expected) > 0)
    cases <<- c(cases, sprintf('  {"id": "%s.%s%s", "method": "%s", "input": {"table": "%s"}, "params": {"arguments": "%s", "options": {%s}%s},\n   "expected": {%s},\n   "tolerance": {"rtol": %g, "atol": 1e-300}}',
        method, name, id, method, name, arguments, options, order, paste(sprintf('"%s": %s', names(expected), unlist(expected)), collapse = ", "), rtol))
}
r_alternative <- c(two_sided = "two.sided", less = "less", greater = "greater")
zap <- function(v) if (abs(v) < 1e-12) 0 else v # what root finding leaves of 0
variants <- list(c("two_sided", 0.95), c("less", 0.9), c("greater", 0.99))

# ---- means, variances, linear correlation ----
for (name in names(tables)) {
    d <- tables[[name]]
    for (v in variants) {
        alternative <- r_alternative[[v[1]]]; level <- as.numeric(v[2])
        options <- sprintf('"alternative": "%s", "level": %s', v[1], v[2])
        id <- paste0(".", v[1])
        both <- function(r) list(statistic = r$statistic, df = r$parameter, p_value = r$p.value, conf_low = r$conf.int[1], conf_high = r$conf.int[2])
        mu <- round(mean(d$x, na.rm = TRUE) + 0.1 * sd(d$x, na.rm = TRUE), 3)
        r <- t.test(d$x, mu = mu, alternative = alternative, conf.level = level)
        add("one_sample_t_test", name, id, "x", sprintf('%s, "mu": %s', options, mu), c(both(r), list(estimate = r$estimate, std_error = r$stderr)))
        for (equal in c(FALSE, TRUE)) {
            r <- t.test(x ~ g, d, alternative = alternative, conf.level = level, var.equal = equal)
            add("t_test", name, paste0(id, if (equal) ".equal"), "x, g", paste0(options, if (equal) ', "equal_variance": true'),
                c(both(r), list(estimate = r$estimate[1] - r$estimate[2], std_error = r$stderr)))
        }
        r <- var.test(x ~ g, d, alternative = alternative, conf.level = level)
        add("variance_test", name, id, "x, g", options, list(statistic = r$statistic, df = r$parameter[1], df_2 = r$parameter[2], p_value = r$p.value,
            conf_low = r$conf.int[1], conf_high = r$conf.int[2], estimate = r$estimate))
        r <- cor.test(d$x, d$y, alternative = alternative, conf.level = level)
        add("correlation_test", name, id, "x, y", options, c(both(r), list(estimate = r$estimate)))
    }
    for (equal in c(FALSE, TRUE)) {
        r <- oneway.test(x ~ k, d, var.equal = equal)
        add("oneway_test", name, if (equal) ".equal" else "", "x, k", if (equal) '"equal_variance": true' else "",
            list(statistic = r$statistic, df = r$parameter[1], df_2 = r$parameter[2], p_value = r$p.value))
    }
}

# ---- contingency tables ----
# R's fisher.test solves for the odds ratio to four digits only: the same equations, to the last digit
fisher_odds <- function(x, alternative, level) {
    m <- sum(x[, 1]); n <- sum(x[, 2]); k <- sum(x[1, ]); first <- x[1, 1]; lo <- max(0, k - n); hi <- min(k, m)
    support <- lo:hi; logdc <- dhyper(support, m, n, k, log = TRUE)
    density <- function(w) { d <- logdc + w * support; d <- exp(d - max(d)); d / sum(d) }
    root <- function(f) exp(uniroot(f, c(-60, 60), tol = 1e-15, maxiter = 10000)$root)
    tail <- if (alternative == "two.sided") (1 - level) / 2 else 1 - level
    list(estimate = if (first == lo) 0 else if (first == hi) Inf else root(function(w) sum(support * density(w)) - first),
         conf_low = if (alternative == "less" || first == lo) 0 else root(function(w) sum(density(w)[support >= first]) - tail),
         conf_high = if (alternative == "greater" || first == hi) Inf else root(function(w) sum(density(w)[support <= first]) - tail))
}
for (name in names(tables)) {
    d <- tables[[name]]
    for (correct in c(TRUE, FALSE)) {
        options <- if (correct) "" else '"correct": false'
        id <- if (correct) "" else ".plain"
        r <- suppressWarnings(chisq.test(table(d$g, d$h), correct = correct))
        add("chi_square_test", name, paste0(id, ".gh"), "g, h", options, list(statistic = r$statistic, df = r$parameter, p_value = r$p.value))
        r <- mcnemar.test(table(d$g, d$h), correct = correct)
        add("mcnemar_test", name, id, "g, h", options, list(statistic = r$statistic, df = r$parameter, p_value = r$p.value))
        keep <- !is.na(d$g) & !is.na(d$h)
        for (v in variants) {
            r <- suppressWarnings(prop.test(table(d$h[keep], d$g[keep])[2:1, ] |> t(), alternative = r_alternative[[v[1]]], conf.level = as.numeric(v[2]), correct = correct))
            add("proportion_test", name, paste0(id, ".", v[1]), "h = 'b', g", paste0(sprintf('"alternative": "%s", "level": %s', v[1], v[2]), if (!correct) ', "correct": false'),
                list(statistic = r$statistic, df = r$parameter, p_value = r$p.value, conf_low = r$conf.int[1], conf_high = r$conf.int[2], estimate = r$estimate[1] - r$estimate[2]))
        }
    }
    r <- suppressWarnings(chisq.test(table(d$k, d$h)))
    add("chi_square_test", name, ".kh", "k, h", "", list(statistic = r$statistic, df = r$parameter, p_value = r$p.value))
    r <- suppressWarnings(prop.test(t(table(d$h, d$k)[2:1, ])))
    add("proportion_test", name, ".k", "h = 'b', k", "", list(statistic = r$statistic, df = r$parameter, p_value = r$p.value))
    discordant <- table(d$g, d$h)[cbind(1:2, 2:1)]
    add("mcnemar_test", name, ".exact", "g, h", '"exact": true', list(p_value = binom.test(discordant[1], sum(discordant))$p.value))
    for (v in variants) {
        x <- table(d$g, d$h)
        r <- fisher.test(x, alternative = r_alternative[[v[1]]], conf.level = as.numeric(v[2]))
        add("fisher_test", name, paste0(".", v[1]), "g, h", sprintf('"alternative": "%s", "level": %s', v[1], v[2]),
            c(list(p_value = r$p.value), fisher_odds(x, r_alternative[[v[1]]], as.numeric(v[2]))))
    }
    if (name != "big") add("fisher_test", name, ".kh", "k, h", "", list(p_value = fisher.test(table(d$k, d$h), workspace = 2e7)$p.value), rtol = 1e-7)
    wide <- table(d$k, floor(d$y + 0.5) %% 4)
    if (!(name %in% c("big", "air", "chick"))) add("fisher_test", name, ".wide", "k, (round(y::numeric) % 4)::int", "", list(p_value = fisher.test(wide, workspace = 2e8)$p.value), rtol = 1e-7)
    r <- suppressWarnings(chisq.test(wide))
    add("chi_square_test", name, ".wide", "k, (round(y::numeric) % 4)::int", "", list(statistic = r$statistic, df = r$parameter, p_value = r$p.value))
}

# ---- ranks ----
for (name in names(tables)) {
    d <- tables[[name]]
    both <- d[!is.na(d$x) & !is.na(d$g), ]
    r <- kruskal.test(x ~ k, d)
    add("kruskal_test", name, "", "x, k", "", list(statistic = r$statistic, df = r$parameter, p_value = r$p.value), rtol = 1e-9)
    for (v in variants) {
        alternative <- r_alternative[[v[1]]]; level <- as.numeric(v[2])
        options <- sprintf('"alternative": "%s", "level": %s', v[1], v[2])
        # R's estimate for many numbers is any point between the two middle differences, so the median itself
        limits <- function(r, median) { warned <- attr(r$conf.int, "conf.level") < level
            c(list(estimate = median), if (!warned) list(conf_low = zap(r$conf.int[1]), conf_high = zap(r$conf.int[2]))) }
        first <- both$x[both$g == min(both$g)]; second <- both$x[both$g != min(both$g)]
        r <- suppressWarnings(wilcox.test(x ~ g, both, alternative = alternative, conf.level = level, conf.int = TRUE, tol.root = 1e-13))
        add("mann_whitney_test", name, paste0(".", v[1]), "x, g", options, c(list(statistic = r$statistic, p_value = r$p.value), limits(r, median(outer(first, second, "-")))), rtol = 1e-9)
        r <- suppressWarnings(wilcox.test(x ~ g, both, alternative = alternative, conf.level = level, conf.int = TRUE, tol.root = 1e-13, exact = FALSE, correct = FALSE))
        add("mann_whitney_test", name, paste0(".", v[1], ".plain"), "x, g", paste0(options, ', "exact": false, "correct": false'), c(list(statistic = r$statistic, p_value = r$p.value), limits(r, median(outer(first, second, "-")))), rtol = 1e-9)
        first <- both$x[both$g == min(both$g)]; second <- both$x[both$g != min(both$g)]
        r <- suppressWarnings(ks.test(first, second, alternative = alternative, exact = name != "big"))
        if (r$statistic < 1e-12) r$statistic <- 0 # differences of shares that R adds up
        if (name != "big") add("ks_test", name, paste0(".", v[1]), "x, g", sprintf('"alternative": "%s", "exact": true', v[1]), list(statistic = r$statistic, p_value = r$p.value), rtol = 1e-9)
        scaled <- sqrt(length(first) * length(second) / nrow(both)) * r$statistic
        limit <- if (alternative == "two.sided") min(1, 2 * sum((-1)^(0:200) * exp(-2 * (1:201)^2 * scaled^2))) else exp(-2 * scaled^2)
        add("ks_test", name, paste0(".", v[1], ".limit"), "x, g", sprintf('"alternative": "%s", "exact": false', v[1]), list(statistic = r$statistic, p_value = limit), rtol = 1e-9)
        mu <- round(mean(d$x, na.rm = TRUE) + 0.13 * sd(d$x, na.rm = TRUE), 4)
        x <- d$x[!is.na(d$x)]
        kept <- x[x != mu]; means <- outer(kept, kept, "+") / 2; center <- median(means[!lower.tri(means)])
        r <- suppressWarnings(wilcox.test(x, mu = mu, alternative = alternative, conf.level = level, conf.int = TRUE, tol.root = 1e-13))
        add("signed_rank_test", name, paste0(".", v[1]), "x", sprintf('%s, "mu": %s', options, mu), c(list(statistic = r$statistic, p_value = r$p.value), limits(r, center)), rtol = 1e-9)
        r <- suppressWarnings(cor.test(d$x, d$y, method = "spearman", alternative = alternative, exact = FALSE))
        add("correlation_test", name, paste0(".spearman.", v[1]), "x, y", paste0(options, ', "method": "spearman", "exact": false'), list(estimate = r$estimate, p_value = r$p.value), rtol = 1e-9)
        r <- suppressWarnings(cor.test(d$x, d$y, method = "spearman", alternative = alternative))
        if (r$p.value > 0 && r$p.value < 1) # else R cuts its series; ties: as above
            add("correlation_test", name, paste0(".spearman_orders.", v[1]), "x, y", paste0(options, ', "method": "spearman"'), list(estimate = r$estimate, p_value = r$p.value), rtol = 1e-9)
        r <- suppressWarnings(cor.test(d$x, d$y, method = "kendall", alternative = alternative))
        add("correlation_test", name, paste0(".kendall.", v[1]), "x, y", paste0(options, ', "method": "kendall"'), list(statistic = r$statistic, estimate = r$estimate, p_value = r$p.value), rtol = 1e-9)
        r <- suppressWarnings(cor.test(d$x, d$y, method = "kendall", alternative = alternative, exact = FALSE))
        add("correlation_test", name, paste0(".kendall_limit.", v[1]), "x, y", paste0(options, ', "method": "kendall", "exact": false'), list(statistic = r$statistic, estimate = r$estimate, p_value = r$p.value), rtol = 1e-9)
        few <- subset(d[!duplicated(d$x) & !duplicated(d$y) & !is.na(d$x) & !is.na(d$y), ], TRUE)
        for (m in c(6, 9, 10, 23)) if (nrow(few) >= m && name != "chick") for (kind in c("spearman", "kendall")) { # the first rows without ties
            part <- few[seq_len(m), ]
            r <- cor.test(part$x, part$y, method = kind, alternative = alternative)
            if (r$p.value > 0 && r$p.value < 1) add("correlation_test", name, sprintf(".%s.%s.first_%d", kind, v[1], m),
                sprintf("CASE WHEN id IN (%s) THEN x END, y", paste(part$id, collapse = ", ")), paste0(options, sprintf(', "method": "%s"', kind)),
                list(statistic = r$statistic, p_value = r$p.value), rtol = 1e-9)
        }
    }
    x <- d$x[!is.na(d$x)]
    r <- shapiro.test(x)
    add("shapiro_test", name, "", "x", "", list(statistic = r$statistic, p_value = r$p.value), rtol = 1e-9)
    tail <- function(r) pchisq(r$statistic, r$parameter, lower.tail = FALSE) # these tests subtract from 1
    r <- jarque.bera.test(x)
    add("jarque_bera_test", name, "", "x", "", list(statistic = r$statistic, df = r$parameter, p_value = tail(r)), rtol = 1e-9)
    for (lags in c(1, 4)) {
        r <- Box.test(x, lag = lags, type = "Ljung-Box", fitdf = (lags > 1) * 2)
        add("ljung_box_test", name, paste0(".", lags), "x", sprintf('"lags": %d, "model_parameters": %d', lags, (lags > 1) * 2),
            list(statistic = r$statistic, df = r$parameter, p_value = tail(r)), rtol = 1e-9, order = ', "order": " ORDER BY id"')
    }
    add("durbin_watson_test", name, "", "x - (SELECT avg(x) FROM golden_tests AS t WHERE t.name = golden_tests.name)", "",
        list(statistic = dwtest(x ~ 1)$statistic), rtol = 1e-9, order = ', "order": " ORDER BY id"')
}

# ---- effect sizes ----
for (name in names(tables)) {
    d <- tables[[name]]
    mu <- round(mean(d$x, na.rm = TRUE) + 0.1 * sd(d$x, na.rm = TRUE), 3)
    d$k <- factor(d$k)
    effect <- function(method, arguments, options, r) add(method, name, paste0(".effect", if (startsWith(arguments, "k")) ".kh"), arguments, options, list(effect_size = r[[1]]), rtol = 1e-9)
    effect("one_sample_t_test", "x", sprintf('"mu": %s', mu), cohens_d(d$x, mu = mu, ci = NULL))
    effect("t_test", "x, g", "", cohens_d(x ~ g, data = d, ci = NULL))
    effect("oneway_test", "x, k", "", list(eta_squared(aov(x ~ k, d), ci = NULL, verbose = FALSE)$Eta2))
    effect("kruskal_test", "x, k", "", rank_epsilon_squared(x ~ k, data = d, ci = NULL))
    effect("mann_whitney_test", "x, g", "", rank_biserial(x ~ g, data = d, ci = NULL))
    effect("signed_rank_test", "x", sprintf('"mu": %s', mu), rank_biserial(d$x[!is.na(d$x)], mu = mu, ci = NULL))
    two <- table(d$g, d$h)
    effect("chi_square_test", "g, h", "", cramers_v(two, adjust = FALSE, ci = NULL))
    effect("chi_square_test", "k, h", "", cramers_v(table(d$k, d$h), adjust = FALSE, ci = NULL))
    effect("fisher_test", "g, h", "", cramers_v(two, adjust = FALSE, ci = NULL))
    effect("proportion_test", "h = 'b', g", "", cohens_h(t(two[, 2:1]), ci = NULL))
    effect("mcnemar_test", "g, h", "", list(sign(two[1, 2] - two[2, 1]) * cohens_g(two, ci = NULL)[[1]])) # without a sign in R
}

# ---- edges ----
# pgfit refuses these, of which R makes 0, 1 or another test
refused <- c("proportion_test.edge.one_row", "correlation_test.edge.two_rows.spearman", "jarque_bera_test.edge.two_rows", "variance_test.edge.constant_group", "chi_square_test.edge.constant")
for (name in names(edges)) {
    d <- edges[[name]]
    d$x <- d$x / c(edge.tiny = 1e-140, edge.huge = 1e140, other = 1)[if (name %in% c("edge.tiny", "edge.huge")) name else "other"] # squares of squares leave R's range
    add_edge <- function(method, id, arguments, options, test) {
        r <- suppressWarnings(tryCatch(test(), error = function(e) list(statistic = NaN, p.value = NaN)))
        defined <- all(is.finite(c(r$statistic, r$p.value))) && !(paste0(method, ".", name, id) %in% refused)
        statistic <- if (defined && id != ".spearman" && abs(r$statistic) > 1e-14) r$statistic else NA # with ties, that of Spearman is t
        add(method, name, id, arguments, options, if (defined) list(statistic = statistic, p_value = r$p.value) else list(behaviour = '"error"'), rtol = 1e-9)
    }
    add_edge("one_sample_t_test", "", "x", "", function() t.test(d$x))
    add_edge("t_test", "", "x, g", "", function() t.test(x ~ g, d))
    add_edge("t_test", ".equal", "x, g", '"equal_variance": true', function() t.test(x ~ g, d, var.equal = TRUE))
    add_edge("variance_test", "", "x, g", "", function() var.test(x ~ g, d))
    add_edge("oneway_test", "", "x, k", "", function() oneway.test(x ~ k, d))
    add_edge("oneway_test", ".equal", "x, k", '"equal_variance": true', function() { fit <- lm(x ~ k, d); stopifnot(deviance(fit) > 1e-20); r <- anova(fit); list(statistic = r$`F value`[1], p.value = r$`Pr(>F)`[1]) })
    for (kind in c("pearson", "spearman", "kendall")) add_edge("correlation_test", paste0(".", kind), "x, y", sprintf('"method": "%s"', kind), function() cor.test(d$x, d$y, method = kind))
    add_edge("mann_whitney_test", "", "x, g", "", function() wilcox.test(x ~ g, d))
    add_edge("ks_test", "", "x, g", "", function() ks.test(d$x[d$g == "a"], d$x[d$g == "b"], exact = TRUE))
    add_edge("kruskal_test", "", "x, k", "", function() kruskal.test(x ~ k, d))
    add_edge("signed_rank_test", "", "x", "", function() wilcox.test(d$x))
    add_edge("chi_square_test", "", "g, h", "", function() if (length(unique(d$g)) > 1) chisq.test(table(d$g, d$h)) else stop())
    add_edge("mcnemar_test", "", "g, h", "", function() mcnemar.test(table(factor(d$g, c("a", "b")), factor(d$h, c("a", "b")))))
    add_edge("proportion_test", "", "h = 'b', g", "", function() prop.test(tapply(d$h == "b", d$g, sum), table(d$g)))
    add_edge("shapiro_test", "", "x", "", function() shapiro.test(d$x))
    add_edge("jarque_bera_test", "", "x", "", function() jarque.bera.test(edges[[name]]$x)) # fourth powers leave the range of either
    add_edge("fisher_test", "", "g, h", "", function() list(statistic = 0, p.value = fisher.test(table(d$g, d$h))$p.value))
}

# ---- many tests: t tests of all pairs of groups, also with a test that was not defined and with ties ----
for (name in names(tables)) {
    p <- with(tables[[name]], pairwise.t.test(x, k, p.adjust.method = "none"))$p.value
    p <- p[!is.na(p)]
    listed <- function(v, open, close) paste0(open, paste(ifelse(is.na(v), "null", sapply(v, number)), collapse = ", "), close)
    for (kind in c("holm", "hochberg", "bonferroni", "BH", "BY")) for (more in c(FALSE, TRUE)) {
        given <- if (more) c(p[1], NA, p, 0.5) else p
        cases <- c(cases, sprintf('  {"id": "adjust_p.%s.%s%s", "method": "adjust_p", "input": {"table": "%s"}, "params": {"arguments": "\'%s\'::float8[], \'%s\'"},\n   "expected": {"value": %s},\n   "tolerance": {"rtol": 1e-10, "atol": 1e-300}}',
            name, kind, if (more) ".more" else "", name, listed(given, "{", "}"), kind, listed(p.adjust(given, kind), "[", "]")))
    }
}

writeLines(c('{"schema": 1,', ' "title": "Statistical tests by R",', sprintf(' "count": %d,', length(cases)), ' "cases": [', paste(cases, collapse = ",\n"), ']}'),
           "hypothesis_tests.json")
