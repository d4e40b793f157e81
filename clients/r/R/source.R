# Sources of rows: tables, queries and data frames, as SQL text on a connection.

#' Names a table, or a query, of a connection as the rows of a fit.
pgfit_table <- function(con, table) {
  stopifnot(is.character(table) && length(table) == 1 || inherits(table, "Id"))
  pgfit_query(con, paste("SELECT * FROM", DBI::dbQuoteIdentifier(con, table)))
}

pgfit_query <- function(con, query) {
  structure(list(con = con, sql = as.character(query)), class = "pgfit_source")
}

# Returns data as a source. con: where a data frame is uploaded to, as a temporary table.
as_source <- function(data, con = NULL) {
  if (inherits(data, "pgfit_source")) return(data)
  if (inherits(data, "tbl_sql")) {
    return(pgfit_query(dbplyr::remote_con(data), dbplyr::sql_render(data)))
  }
  if (!is.data.frame(data)) stop("data must be a table of the database (tbl(), pgfit_table(), pgfit_query()) or a data frame")
  if (is.null(con)) stop("a data frame needs con, the connection to the database that it is uploaded to")
  upload(data, con)
}

# Uploads a data frame with its row numbers. A factor becomes an enum, which keeps the order of its levels.
upload <- function(data, con) {
  name <- paste0("pgfit_", Sys.getpid(), "_", counter())
  if (row_column %in% names(data)) stop("a column of the data frame cannot be called ", row_column)
  wide <- vapply(data, function(column) length(dim(column)) > 1, NA)
  if (any(wide)) stop("a column that is a matrix or a data frame cannot be uploaded: ", paste(names(data)[wide], collapse = ", "))
  data[[row_column]] <- seq_len(nrow(data))
  types <- vapply(seq_along(data), function(i) column_type(con, data[[i]], paste0(name, "_", i)), "")
  columns <- paste(DBI::dbQuoteIdentifier(con, names(data)), types, collapse = ", ")
  DBI::dbExecute(con, paste0("CREATE TEMPORARY TABLE ", name, " (", columns, ")"))
  for (first in seq(1, by = 1000, length.out = ceiling(nrow(data) / 1000))) {
    part <- data[first:min(first + 999, nrow(data)), , drop = FALSE]
    cells <- lapply(part, function(column) cell_text(con, column))
    rows <- do.call(paste, c(unname(cells), sep = ", "))
    DBI::dbExecute(con, paste0("INSERT INTO pg_temp.", name, " VALUES (", paste(rows, collapse = "), ("), ")"))
  }
  columns <- paste(DBI::dbQuoteIdentifier(con, setdiff(names(data), row_column)), collapse = ", ")
  source <- pgfit_query(con, paste0("SELECT ", columns, " FROM pg_temp.", name))
  source$numbered <- paste0("SELECT * FROM pg_temp.", name)
  source$uploaded <- c(paste0("TABLE pg_temp.", name), sprintf("TYPE %s", grep("^pg_temp", types, value = TRUE)))
  source
}

# Drops what was uploaded for one call. In a transaction that failed the server does it.
forget <- function(source) {
  for (object in source$uploaded) try(DBI::dbExecute(source$con, paste("DROP", object)), silent = TRUE)
}

row_column <- "pgfit_row"
counter <- local({
  count <- 0
  function() count <<- count + 1
})

column_type <- function(con, column, enum) {
  if (is.factor(column)) {
    labels <- vapply(levels(column), function(level) literal(level), "")
    DBI::dbExecute(con, paste0("CREATE TYPE pg_temp.", enum, " AS ENUM (", paste(labels, collapse = ", "), ")"))
    return(paste0("pg_temp.", enum))
  }
  if (inherits(column, "Date")) return("date")
  if (inherits(column, "POSIXct")) return("timestamptz")
  if (is.logical(column)) return("boolean")
  if (is.integer(column)) return("integer")
  if (is.numeric(column)) return("float8")
  if (is.character(column)) return("text")
  stop("a column of class ", class(column)[1], " cannot be uploaded")
}

cell_text <- function(con, column) {
  text <- if (is.numeric(column)) format(column, digits = 17, trim = TRUE, scientific = TRUE)
          else if (inherits(column, "POSIXct")) format(column, "%Y-%m-%d %H:%M:%OS6+00", tz = "UTC")
          else as.character(column)
  ifelse(is.na(column), "NULL", literal(text))
}

# Returns texts as SQL literals, whatever standard_conforming_strings says.
literal <- function(text) {
  text <- enc2utf8(as.character(text))
  quoted <- paste0("'", gsub("'", "''", gsub("\\", "\\\\", text, fixed = TRUE), fixed = TRUE), "'")
  ifelse(grepl("\\", text, fixed = TRUE), paste0("E", quoted), quoted)
}

# Runs a query and returns its rows. RPostgreSQL prints an error of the server and returns NULL.
rows_of <- function(con, ...) {
  rows <- DBI::dbGetQuery(con, paste0(...))
  if (is.null(rows)) stop("the server refused the query: its message is above", call. = FALSE)
  rows
}
