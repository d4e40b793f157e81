# Compares fits of tables in a database with lm() and glm(), on the server that PGHOST and PGPORT name; without one, nothing runs.
library(pgfit)
if (Sys.getenv("PGFIT_R_TESTS") == "") quit(status = 0)

con <- if (requireNamespace("RPostgres", quietly = TRUE)) DBI::dbConnect(RPostgres::Postgres()) else
  DBI::dbConnect(RPostgreSQL::PostgreSQL(), host = Sys.getenv("PGHOST"), port = as.integer(Sys.getenv("PGPORT")), user = Sys.getenv("PGUSER"), dbname = Sys.getenv("PGDATABASE"))
passed <- failed <- 0
check <- function(name, expression, tolerance = 1e-8) {
  result <- tryCatch(isTRUE(expression), error = function(e) { message(name, ": ", conditionMessage(e)); FALSE })
  if (result) passed <<- passed + 1 else { failed <<- failed + 1; message("FAILED: ", name) }
}
near <- function(a, b, tolerance = 1e-8) isTRUE(all.equal(unname(a), unname(b), tolerance = tolerance))

# ?lm: Annette Dobson (1990), plant weights
ctl <- c(4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14)
trt <- c(4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69)
plants <- data.frame(group = gl(2, 10, 20, labels = c("Ctl", "Trt")), weight = c(ctl, trt))
ours <- pgfit_lm(weight ~ group, plants, con = con)
theirs <- lm(weight ~ group, plants)
check("lm: coefficients", near(coef(ours), coef(theirs)) && identical(names(coef(ours)), names(coef(theirs))))
check("lm: vcov", near(vcov(ours), vcov(theirs)) && identical(dimnames(vcov(ours)), dimnames(vcov(theirs))))
check("lm: confint", near(confint(ours, level = 0.9), confint(theirs, level = 0.9)))
check("lm: confint of one", near(confint(ours, "groupTrt"), confint(theirs, "groupTrt")))
check("lm: logLik", near(as.numeric(logLik(ours)), as.numeric(logLik(theirs))) && near(AIC(ours), AIC(theirs)) && near(BIC(ours), BIC(theirs)))
check("lm: nobs", nobs(ours) == 20)
check("lm: residuals", near(residuals(ours), residuals(theirs)) && near(fitted(ours), fitted(theirs)))
check("lm: predict", near(predict(ours, plants), predict(theirs)))
check("lm: prediction intervals", near(predict(ours, plants, interval = "prediction", level = 0.8), suppressWarnings(predict(theirs, interval = "prediction", level = 0.8))))
check("lm: without intercept", near(coef(pgfit_lm(weight ~ group - 1, plants, con = con)), coef(lm(weight ~ group - 1, plants))))
check("lm: anova of terms", near(anova(ours)[["Pr(>F)"]][2], anova(theirs)[["Pr(>F)"]][1]))
check("lm: summary says the call", any(grepl("pgfit_lm", capture.output(print(summary(ours))))))
check("lm: print", any(grepl("groupTrt", capture.output(print(ours)))))

# ?glm
counts <- data.frame(counts = c(18, 17, 15, 20, 10, 20, 25, 13, 12), outcome = gl(3, 1, 9), treatment = gl(3, 3))
ours <- pgfit_glm(counts ~ outcome + treatment, counts, family = poisson(), con = con)
theirs <- glm(counts ~ outcome + treatment, family = poisson(), data = counts)
check("glm: poisson", near(coef(ours), coef(theirs)) || all(abs(coef(ours) - coef(theirs)) < 1e-8))
check("glm: vcov", near(vcov(ours), vcov(theirs), 1e-6))
check("glm: anova", near(anova(ours)[["Pr(>Chi)"]][2], anova(theirs, test = "Chisq")[["Pr(>Chi)"]][2]))
clotting <- data.frame(u = c(5, 10, 15, 20, 30, 40, 60, 80, 100), lot1 = c(118, 58, 42, 35, 27, 25, 21, 19, 18), lot2 = c(69, 35, 26, 21, 18, 16, 13, 12, 12))
check("glm: Gamma", near(coef(pgfit_glm(lot1 ~ log(u), clotting, family = Gamma, con = con)), coef(glm(lot1 ~ log(u), data = clotting, family = Gamma)), 1e-6))
check("glm: Gamma of lot2", near(coef(pgfit_glm(lot2 ~ log(u), clotting, family = Gamma, con = con)), coef(glm(lot2 ~ log(u), data = clotting, family = Gamma)), 1e-6))
if (requireNamespace("MASS", quietly = TRUE)) {
  anorexia <- MASS::anorexia
  theirs <- glm(Postwt ~ Prewt + Treat + offset(Prewt), family = gaussian, data = anorexia)
  ours <- pgfit_glm(Postwt ~ Prewt + Treat + offset(Prewt), anorexia, family = gaussian, con = con)
  check("glm: offset, names in capitals", near(coef(ours), coef(theirs)) && identical(names(coef(ours)), names(coef(theirs))))
}
trials <- data.frame(dose = rep(0:5, 2), sex = factor(rep(c("M", "F"), c(6, 6))), dead = c(1, 4, 9, 13, 18, 20, 0, 2, 6, 10, 12, 16))
trials$alive <- 20 - trials$dead
ours <- pgfit_glm(cbind(dead, alive) ~ sex * dose, trials, family = binomial, con = con)
theirs <- glm(cbind(dead, alive) ~ sex * dose, family = binomial, data = trials)
check("glm: cbind(successes, failures)", near(coef(ours), coef(theirs), 1e-6) && identical(names(coef(ours)), names(coef(theirs))))

# a table of the database
DBI::dbExecute(con, "CREATE TEMPORARY TABLE cars_table AS SELECT i AS id, i * 0.5 AS speed, i * 0.3 + i * 7 % 11 AS dist, 'g' || i % 3 AS g FROM generate_series(1, 50) AS i")
cars <- DBI::dbGetQuery(con, "SELECT id, speed::float8, dist::float8, g FROM cars_table ORDER BY id")
table <- pgfit_table(con, "cars_table")
# names that are taken, or too long for PostgreSQL
odd <- data.frame(y = c(2, 3, 5, 8, 13, 9), x = c(1, 2, 3, 5, 6, 6), dead = c(1, 2, 1, 3, 4, 4), alive = c(4, 3, 4, 2, 1, 2), pgfit_trials = 9, check.names = FALSE)
odd[["log(y)"]] <- 1:6
check("a column that is called as the target", near(coef(pgfit_lm(log(y) ~ x, odd, con = con)), coef(lm(log(y) ~ x, odd)), 1e-9))
check("a column pgfit_trials", near(coef(pgfit_glm(cbind(dead, alive) ~ x, odd, family = binomial, con = con)), coef(glm(cbind(dead, alive) ~ x, binomial, odd)), 1e-6))
check("a target of more than 63 bytes", near(coef(pgfit_lm(sqrt(y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y) ~ x, odd, con = con)), coef(lm(sqrt(20 * y) ~ x, odd)), 1e-9))
formulas <- list(dist ~ speed, log(dist) ~ speed * g, dist ~ poly(speed, 2, raw = TRUE), dist ~ I(speed^2) + relevel(factor(g), ref = "g1"), dist ~ . - id, log(dist) ~ . - id, sqrt(dist) ~ log(speed) + (speed + g)^2)
for (f in formulas) {
  check(paste("lm of a table:", deparse(f)), near(coef(pgfit_lm(f, table)), coef(lm(f, cars))))
}
check("weights", near(coef(pgfit_lm(dist ~ speed, table, weights = "id")), coef(lm(dist ~ speed, cars, weights = id))))
check("two models", near(anova(pgfit_lm(dist ~ speed, table), pgfit_lm(dist ~ speed + g, table))[["Pr(>F)"]][1], anova(lm(dist ~ speed, cars), lm(dist ~ speed + g, cars))[["Pr(>F)"]][2]))
check("any estimator", length(unique(predict(pgfit(~ speed + dist, table, "kmeans", k = 3), type = "cluster"))) == 3)
check("classes", all(predict(pgfit(g ~ speed + dist, table, "tree_classifier"), type = "class") %in% c("g0", "g1", "g2")))
check("unknown option", inherits(try(pgfit(~ speed, table, "kmeans", K = 3), silent = TRUE), "try-error"))

if (requireNamespace("generics", quietly = TRUE)) {
  ours <- pgfit_lm(dist ~ speed + g, table)
  theirs <- lm(dist ~ speed + g, cars)
  check("tidy", near(generics::tidy(ours)$std.error, sqrt(diag(vcov(theirs)))) && near(generics::tidy(ours, conf.int = TRUE)$conf.high, confint(theirs)[, 2]))
  check("glance", near(generics::glance(ours)$adj.r.squared, summary(theirs)$adj.r.squared) && generics::glance(ours)$nobs == 50)
  check("augment", near(sort(generics::augment(ours)$.hat), sort(hatvalues(theirs))))
}
if (requireNamespace("dbplyr", quietly = TRUE) && requireNamespace("RPostgres", quietly = TRUE)) {
  check("a tbl of dplyr", near(coef(pgfit_lm(dist ~ speed, dplyr::tbl(con, "cars_table"))), coef(lm(dist ~ speed, cars))))
}

# factors keep their order; hostile names and levels arrive as they are
sizes <- data.frame(size = factor(c("small", "large", "medium", "large", "small", "medium", "small"), levels = c("small", "medium", "large")), y = c(1, 5, 3, 6, 2, 3, 1))
check("a factor keeps its order", identical(names(coef(pgfit_lm(y ~ size, sizes, con = con))), c("(Intercept)", "sizemedium", "sizelarge")))
odd <- data.frame("it's \"q\" \\ %s; --" = c(1, 2, 3, 4.5), y = c(2, 4, 6.5, 8), f = factor(c("a'b", "c\\d", "a'b", "c\\d")), check.names = FALSE)
model <- pgfit_lm(y ~ `it's "q" \\ %s; --`, odd, con = con)
check("odd names", near(coef(model), coef(lm(y ~ ., odd[, 1:2]))))
check("odd levels", near(coef(pgfit_lm(y ~ f, odd, con = con)), coef(lm(y ~ f, odd))))
named <- data.frame(intercept = c(1, 2, 3, 4.5), y = c(2, 4, 6.5, 8))
check("confint of a feature called intercept", near(confint(pgfit_lm(y ~ intercept, named, con = con)), confint(lm(y ~ intercept, named))))
check("two tables in one name", inherits(try(pgfit_table(con, c("a", "b")), silent = TRUE), "try-error"))
check("NA rows are left out", near(coef(pgfit_lm(y ~ x, data.frame(x = c(1, 2, NA, 4), y = c(1, 3, 5, 6)), con = con)), coef(lm(y ~ x, data.frame(x = c(1, 2, NA, 4), y = c(1, 3, 5, 6))))))
letters <- data.frame(m = c(1, 2, 4, 7, 3), r = c(2, 1, 5, 3, 8), f = factor(c("a", "b", "a", "b", "a")), y = c(1, 2, 3, 5, 4))
model <- pgfit_lm(y ~ m + r + f, letters, con = con)
theirs <- lm(y ~ m + r + f, letters)
uploads <- function() DBI::dbGetQuery(con, "SELECT (SELECT count(*) FROM pg_class WHERE relname LIKE 'pgfit%' AND relpersistence = 't') + (SELECT count(*) FROM pg_type WHERE typname LIKE 'pgfit%' AND typtype = 'e') AS n")$n
before <- uploads()
check("features called as names of the query", near(predict(model, letters), fitted(theirs)) &&
      near(predict(model, letters, interval = "prediction"), suppressWarnings(predict(theirs, interval = "prediction"))))
if (requireNamespace("generics", quietly = TRUE)) check("augment of a data frame", near(generics::augment(model, letters)$.fitted, fitted(theirs)))
check("what is uploaded for a score is dropped", uploads() == before)
letters$f <- matrix(1:10, 5)
check("a column that is a matrix is refused", inherits(try(pgfit_lm(y ~ f, letters, con = con), silent = TRUE), "try-error"))
pdf(NULL)
check("plot", inherits(plot(model), "pgfit"))
invisible(dev.off())
cat(passed, " passed, ", failed, " failed\n", sep = "")
if (failed > 0) quit(status = 1)
