# Formulas of R as formulas of pgfit.

operators <- c("+", "-", "*", "/", "^", ":", "%in%", "|", "==", "!=", "<", "<=", ">", ">=", "&")

# Writes the right side of a formula. Strings get single quotes; names with other characters than a-z, 0-9 and _ double quotes.
formula_text <- function(x) {
  if (is.name(x)) return(name_text(as.character(x)))
  if (is.character(x)) return(paste0("'", gsub("'", "''", x, fixed = TRUE), "'"))
  if (is.logical(x)) return(if (x) "true" else "false")
  if (is.numeric(x)) return(format(x, digits = 17))
  stopifnot(is.call(x))
  head <- if (is.name(x[[1]])) as.character(x[[1]])
          else if (is.call(x[[1]]) && as.character(x[[1]][[1]]) %in% c("::", ":::")) as.character(x[[1]][[3]])
          else stop("a formula cannot call ", deparse(x[[1]]))
  if (head == "relevel") head <- "C"
  if (head == "C" && is.call(x[[2]]) && as.character(x[[2]][[1]])[1] %in% c("factor", "as.factor")) x[[2]] <- x[[2]][[2]]
  parts <- vapply(as.list(x)[-1], formula_text, "")
  if (head == "(") return(paste0("(", parts, ")"))
  if (head %in% operators && length(parts) == 2) return(paste(parts[1], head, parts[2]))
  if (head %in% c("+", "-", "!") && length(parts) == 1) return(paste0(head, parts))
  if (head %in% c("as.factor", "ordered")) head <- "factor"
  given <- names(as.list(x))[-1]
  if (!is.null(given)) parts <- ifelse(given == "", parts, paste(given, "=", parts))
  paste0(head, "(", paste(parts, collapse = ", "), ")")
}

name_text <- function(name) {
  if (name == "." || grepl("^[a-z_][a-z0-9_]*$", name)) return(name)
  paste0("\"", gsub("\"", "\"\"", name, fixed = TRUE), "\"")
}

functions_of_sql <- c(log = "ln", exp = "exp", sqrt = "sqrt", abs = "abs", log10 = "log", I = "", `(` = "")

# Writes a target as an SQL expression over the columns of r: a column, or arithmetic.
target_sql <- function(con, x) {
  if (is.name(x)) return(paste0("r.", DBI::dbQuoteIdentifier(con, as.character(x))))
  if (is.numeric(x)) return(paste0("(", format(x, digits = 17), ")::float8"))
  head <- if (is.call(x)) as.character(x[[1]])[1] else ""
  parts <- lapply(as.list(x)[-1], target_sql, con = con)
  if (head %in% c("+", "-", "*", "/", "^") && length(parts) == 2) {
    return(paste0("((", parts[[1]], ")::float8 ", head, " (", parts[[2]], ")::float8)"))
  }
  if (head == "-") return(paste0("(-", parts[[1]], ")"))
  if (!head %in% names(functions_of_sql) || length(parts) != 1) {
    stop("the target cannot be ", paste(deparse(x), collapse = " "), ": compute it in the query")
  }
  paste0(functions_of_sql[[head]], "((", parts[[1]], ")::float8)")
}

# Returns source and formula of a fit: a computed target and weights become columns of the source.
bind_formula <- function(source, formula, weights = NULL) {
  con <- source$con
  right <- formula_text(formula[[length(formula)]])
  if (length(formula) == 2) return(list(source = source, text = paste("~", right), weight = column_of(weights)))
  target <- formula[[2]]
  weight <- column_of(weights)
  added <- character()
  if (is.call(target) && identical(target[[1]], as.name("cbind"))) { # successes and failures
    if (!is.null(weights)) stop("cbind(successes, failures) has the trials as weights: leave weights out")
    sums <- paste0("(", target_sql(con, target[[2]]), ")::float8 + (", target_sql(con, target[[3]]), ")::float8")
    added <- c(paste0("(", target_sql(con, target[[2]]), ")::float8 / nullif(", sums, ", 0)"), sums)
    names(added) <- unused_names(source, c(paste(deparse(target), collapse = " "), "pgfit_trials"))
    weight <- names(added)[2]
  } else if (!is.name(target)) {
    added <- target_sql(con, target)
    names(added) <- unused_names(source, paste(deparse(target), collapse = " "))
  }
  name <- if (length(added)) names(added)[1] else as.character(target)
  if (length(added)) {
    list <- paste0(", ", added, " AS ", DBI::dbQuoteIdentifier(con, names(added)), collapse = "")
    source$sql <- paste0("SELECT r.*", list, " FROM (", source$sql, ") AS r")
    if ("." %in% all.names(formula[[3]])) {
      right <- paste0(right, paste0(" - ", vapply(all.vars(target), name_text, ""), collapse = ""))
    }
  }
  list(source = source, text = paste(name_text(name), "~", right), weight = weight)
}

# Returns names that no column of a source has, in at most 63 bytes, more of which PostgreSQL cuts off.
unused_names <- function(source, names) {
  taken <- rows_of(source$con, "SELECT k FROM (SELECT r FROM (", source$sql, ") AS r LIMIT 1) AS s, json_object_keys(row_to_json(s.r)) AS k")[["k"]]
  for (i in seq_along(names)) {
    number <- 1
    name <- names[i]
    while (name %in% c(taken, names[-i]) || nchar(name, "bytes") > 63) {
      name <- paste0("target_", number)
      number <- number + 1
    }
    names[i] <- name
  }
  names
}

# Returns the name of a column given as text, name or one-sided formula.
column_of <- function(weights) {
  if (is.null(weights)) return(NULL)
  if (inherits(weights, "formula")) weights <- weights[[2]]
  as.character(weights)
}

# Returns terms as R names them: cutGood for cut=Good.
r_terms <- function(terms) {
  terms <- sub("^\\(intercept\\)$", "(Intercept)", terms)
  gsub("(?<![=!<>])=(?!=)", "", terms, perl = TRUE)
}
