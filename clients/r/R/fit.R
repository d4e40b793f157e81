# Fits: a model is the text of its value, with the source that it was fitted to.

pgfit <- function(formula, data, estimator, ..., weights = NULL, con = NULL) {
  call <- match.call()
  source <- as_source(data, con)
  bound <- bind_formula(source, formula, weights)
  options <- list(...)
  if (length(options) && (is.null(names(options)) || any(names(options) == ""))) stop("options need names")
  options$weight <- bound$weight
  fit <- paste0("pgfit.fit(", literal(estimator), ", ", literal(bound$source$sql), ", ", literal(bound$text), ", ",
                literal(json(options)), ")")
  new_model(rows_of(source$con, "SELECT ", fit, "::text AS model")$model, bound$source, formula, call, bound$weight)
}

pgfit_lm <- function(formula, data, ..., weights = NULL, con = NULL) {
  model <- pgfit(formula, data, "linear_regression", ..., weights = weights, con = con)
  model$call <- match.call()
  model
}

# Takes families and links as R writes them.
pgfit_glm <- function(formula, data, family = stats::gaussian(), ..., weights = NULL, con = NULL) {
  if (is.function(family)) family <- family()
  if (is.character(family)) {
    options <- list(family = family, ...)
  } else {
    links <- c("1/mu^2" = "inverse_squared")
    families <- c(Gamma = "gamma", inverse.gaussian = "inverse_gaussian")
    known <- function(names, x) if (x %in% names(names)) names[[x]] else x
    options <- list(family = known(families, family$family), link = known(links, family$link), ...)
  }
  model <- do.call(pgfit, c(list(formula, data, "glm", weights = weights, con = con), options))
  model$call <- match.call()
  model
}

# Reads a model by its name in the registry, or from a query that returns one value.
pgfit_model <- function(con, name = NULL, query = NULL) {
  if (is.null(name) == is.null(query)) stop("give either name or query")
  if (is.null(query)) query <- paste0("SELECT pgfit.get_model(", literal(name), ")")
  value <- rows_of(con, "SELECT (", query, ")::text AS model")$model
  if (length(value) != 1 || is.na(value)) stop("the query returned no model")
  new_model(value, pgfit_query(con, NA), NULL, match.call(), NULL)
}

new_model <- function(value, source, formula, call, weight) {
  structure(list(value = value, source = source, formula = formula, call = call, weight = weight), class = "pgfit")
}

json <- function(options) {
  if (length(options) == 0) return("{}")
  as.character(jsonlite::toJSON(options, auto_unbox = TRUE, digits = NA, null = "null"))
}

# The model as an SQL expression.
value_sql <- function(model) paste0(literal(model$value), "::pgfit.model")

# Runs a query over the alias m of a model.
ask <- function(model, select, from = "") {
  rows_of(model$source$con, "SELECT ", select, " FROM (SELECT ", value_sql(model), " AS m) AS model", from)
}

source_of <- function(model, newdata) {
  source <- if (is.null(newdata)) model$source else as_source(newdata, model$source$con)
  if (is.na(source$sql)) stop("this model was not fitted here: pass the rows")
  source
}

coefficient_rows <- function(model) ask(model, "c.*", ", pgfit.coefficients(m) AS c")
