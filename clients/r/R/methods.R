# The generics of stats, base and broom.

print.pgfit <- function(x, ...) {
  cat("\nCall:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  values <- tryCatch(coef(x), error = function(e) NULL)
  if (is.null(values)) cat(ask(x, "pgfit.summary(m) AS s")$s, "\n")
  else { cat("Coefficients:\n"); print(values, ...) }
  invisible(x)
}

summary.pgfit <- function(object, ...) {
  structure(list(text = ask(object, "pgfit.summary(m) AS s")$s, call = object$call), class = "summary.pgfit")
}

print.summary.pgfit <- function(x, ...) {
  cat("\nCall:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", x$text, "\n", sep = "")
  invisible(x)
}

# Names by term; by class and term where there are several classes.
coef.pgfit <- function(object, ...) {
  rows <- coefficient_rows(object)
  stats::setNames(rows$estimate, term_names(rows))
}

term_names <- function(rows) {
  terms <- r_terms(rows$term)
  if (length(unique(rows$class)) > 1) paste(rows$class, terms, sep = ":") else terms
}

vcov.pgfit <- function(object, ...) {
  rows <- ask(object, "c.value", ", unnest(pgfit.parameter(m, 'covariance')) WITH ORDINALITY AS c (value, place) ORDER BY place")
  size <- sqrt(nrow(rows))
  coefficients <- coefficient_rows(object)
  names <- term_names(coefficients[!is.na(coefficients$std_error), ])
  if (length(names) != size) names <- NULL
  matrix(rows$value, size, size, byrow = TRUE, dimnames = list(names, names))
}

# Wald intervals: estimate and standard error, with the t or normal distribution of the model's tests.
confint.pgfit <- function(object, parm, level = 0.95, ...) {
  rows <- coefficient_rows(object)
  terms <- paste0("\"", gsub("\"", "\"\"", rows$term, fixed = TRUE), "\"")
  limits <- ask(object, "l.conf_low, l.conf_high", paste0(", pgfit.linear_combinations(m, ", literal(paste(terms, collapse = ", ")),
                ", ", literal(json(list(level = level))), ") AS l"))
  tails <- (1 + c(-1, 1) * level) / 2
  result <- matrix(c(limits$conf_low, limits$conf_high), ncol = 2,
                   dimnames = list(term_names(rows), paste(format(100 * tails, trim = TRUE, digits = 3), "%")))
  if (missing(parm)) result else result[parm, , drop = FALSE]
}

formula.pgfit <- function(x, ...) x$formula

facts <- function(model) ask(model, "g.*", ", pgfit.glance(m) AS g")

nobs.pgfit <- function(object, ...) as.integer(facts(object)$rows)

logLik.pgfit <- function(object, ...) {
  rows <- facts(object)
  # AIC is -2 log-likelihood + 2 parameters, which counts a dispersion where it is estimated
  structure(rows$log_lik, df = round((rows$aic + 2 * rows$log_lik) / 2), nobs = as.integer(rows$rows), class = "logLik")
}

scores <- c(response = "predict", class = "classify", probability = "probability", decision = "decision", cluster = "cluster", distance = "distance")

predict.pgfit <- function(object, newdata = NULL, type = names(scores), interval = c("none", "prediction"), level = 0.95, ...) {
  type <- match.arg(type)
  interval <- match.arg(interval)
  source <- source_of(object, newdata)
  if (is.data.frame(newdata)) on.exit(forget(source))
  order <- if (is.null(source$numbered)) "" else paste(" ORDER BY r.", row_column, sep = "")
  rows <- if (is.null(source$numbered)) source$sql else source$numbered
  from <- paste0(" FROM (SELECT ", value_sql(object), " AS m) AS model, (", rows, ") AS r")
  if (interval == "none") return(rows_of(source$con, "SELECT pgfit.", scores[[type]], "(model.m, r.*) AS score", from, order)$score)
  result <- rows_of(source$con, "SELECT i.fit, i.lower AS lwr, i.upper AS upr", from, ", pgfit.predict_interval(model.m, r.*, ", format(level, digits = 17), ") AS i", order)
  as.matrix(result)
}

augment_rows <- function(model, data, columns) {
  source <- source_of(model, data)
  if (is.data.frame(data)) on.exit(forget(source))
  options <- if (is.null(model$weight)) "{}" else json(list(weight = model$weight))
  rows_of(source$con, "SELECT ", columns, " FROM pgfit.augment(", value_sql(model), ", ", literal(source$sql), ", ", literal(options), ") AS a")
}

fitted.pgfit <- function(object, ...) augment_rows(object, NULL, "a.fitted")$fitted

residuals.pgfit <- function(object, ...) augment_rows(object, NULL, "a.residual")$residual

# Of one model: its terms in turn, as stats::anova; of two or more: each against the one before.
anova.pgfit <- function(object, ...) {
  models <- list(object, ...)
  if (length(models) == 1) return(anova_terms(object))
  rows <- lapply(seq_along(models)[-1], function(i) {
    rows_of(object$source$con, "SELECT * FROM pgfit.anova(", value_sql(models[[i - 1]]), ", ", value_sql(models[[i]]), ")")
  })
  rows <- do.call(rbind, rows)
  statistic <- if (all(rows$test == "F")) "F" else "Chi"
  table <- stats::setNames(data.frame(rows$df_residual, rows$df, rows$statistic, rows$p_value),
                           c("Res.Df", "Df", if (statistic == "F") "F" else "Chisq", paste0("Pr(>", statistic, ")")))
  rownames(table) <- vapply(models[-1], function(m) paste(deparse(m$formula), collapse = " "), "")
  structure(table, heading = "Analysis of nested models\n", class = c("anova", "data.frame"))
}

anova_terms <- function(object) {
  if (is.null(object$formula)) stop("this model was not fitted here: pass two models")
  labels <- attr(stats::terms(object$formula), "term.labels")
  fits <- lapply(0:length(labels), function(count) {
    call <- object$call
    call$formula <- stats::reformulate(if (count == 0) "1" else labels[seq_len(count)], object$formula[[2]], env = environment(object$formula))
    call$data <- object$source
    facts(eval(call, environment(object$formula)))
  })
  deviance <- vapply(fits, function(f) f$deviance, 0)
  df <- vapply(fits, function(f) f$df_residual, 0)
  result <- data.frame(Df = c(NA, -diff(df)), Deviance = c(NA, -diff(deviance)), "Resid. Df" = df, "Resid. Dev" = deviance,
                       row.names = c("NULL", labels), check.names = FALSE)
  last <- length(fits)
  sigma <- fits[[last]]$sigma
  if (!is.na(sigma)) {
    result$F <- result$Deviance / result$Df / sigma^2
    result[["Pr(>F)"]] <- stats::pf(result$F, result$Df, df[last], lower.tail = FALSE)
  } else {
    result[["Pr(>Chi)"]] <- stats::pchisq(result$Deviance, result$Df, lower.tail = FALSE)
  }
  structure(result, heading = "Analysis of deviance, terms added in turn\n", class = c("anova", "data.frame"))
}

# Draws residuals against fitted values, and the quantiles of standardized residuals.
plot.pgfit <- function(x, ...) {
  rows <- augment_rows(x, NULL, "a.fitted, a.residual, a.standardized")
  old <- graphics::par(mfrow = c(1, 2))
  on.exit(graphics::par(old))
  graphics::plot(rows$fitted, rows$residual, xlab = "Fitted values", ylab = "Residuals", ...)
  graphics::abline(h = 0, lty = 3)
  stats::qqnorm(rows$standardized, ylab = "Standardized residuals", ...)
  stats::qqline(rows$standardized, lty = 3)
  invisible(x)
}

tidy.pgfit <- function(x, conf.int = FALSE, conf.level = 0.95, ...) {
  rows <- coefficient_rows(x)
  result <- data.frame(term = r_terms(rows$term), estimate = rows$estimate, std.error = rows$std_error,
                       statistic = rows$statistic, p.value = rows$p_value)
  if (length(unique(rows$class)) > 1) result <- cbind(y.level = rows$class, result)
  if (conf.int) {
    limits <- confint.pgfit(x, level = conf.level)
    result$conf.low <- limits[, 1]
    result$conf.high <- limits[, 2]
  }
  result
}

glance.pgfit <- function(x, ...) {
  rows <- facts(x)
  data.frame(r.squared = rows$r_squared, adj.r.squared = rows$adj_r_squared, sigma = rows$sigma, statistic = rows$statistic,
             p.value = rows$p_value, df = rows$df, logLik = rows$log_lik, AIC = rows$aic, BIC = rows$bic,
             deviance = rows$deviance, df.residual = rows$df_residual, nobs = as.integer(rows$rows))
}

augment.pgfit <- function(x, data = NULL, ...) {
  rows <- augment_rows(x, data, "a.data::text AS data, a.fitted, a.residual, a.standardized, a.leverage, a.cooks_distance")
  own <- jsonlite::fromJSON(paste0("[", paste(rows$data, collapse = ","), "]"))
  cbind(own, .fitted = rows$fitted, .resid = rows$residual, .std.resid = rows$standardized, .hat = rows$leverage, .cooksd = rows$cooks_distance)
}
