# Writes mds.json: classical multidimensional scaling by R's cmdscale, of its road distances between European cities and of rows. Run
# it in this folder. In each column of the coordinates the entry with the largest absolute value is positive.
numbers <- function(v) paste0("[", paste(format(v, digits = 15, trim = TRUE), collapse = ", "), "]")
expected <- function(d, k) {
    r <- suppressWarnings(cmdscale(d, k = k, eig = TRUE))
    x <- apply(r$points, 2, function(v) v * sign(v[which.max(abs(v))]))
    sprintf('{"goodness_of_fit": %s, "eigenvalues": %s,\n    "negative_eigenvalues": %d,\n    "coordinates": [%s]}', numbers(r$GOF), numbers(r$eig),
            sum(r$eig < -1e-9 * r$eig[1]), paste(apply(x, 1, numbers), collapse = ", "))
}
case <- function(id, source, params, expected)
    sprintf('  {"id": "%s", "method": "cmdscale",\n   %s,\n   "params": %s,\n   "expected": %s,\n   "tolerance": {"rtol": 1e-9, "atol": 1e-7}}', id, source, params,
            expected)
cases <- character()

cities <- as.matrix(eurodist)
pairs <- which(lower.tri(cities), arr.ind = TRUE)
given <- paste(sprintf('["%s", "%s", %g]', rownames(cities)[pairs[, 1]], rownames(cities)[pairs[, 2]], cities[pairs]), collapse = ", ")
ids <- sort(rownames(cities), method = "radix")
for (k in 2:3)
    cases <- c(cases, case(sprintf("cmdscale.eurodist.%d", k), sprintf('"input": {"distances": [%s]}', given), sprintf('{"k": %d}', k),
                           expected(as.dist(cities[ids, ids]), k)))
sets <- list(c("wine", "class", "true", "euclidean", 3), c("diabetes", "progression", "id <= 80", "euclidean", 10),
             c("diabetes", "progression", "id <= 80", "manhattan", 2), c("breast_cancer", "diagnosis", "id <= 100", "chebyshev", 4))
for (set in sets) {
    table <- read.csv(file.path("data", paste0(set[1], ".csv")))
    if (set[3] != "true") table <- table[eval(parse(text = set[3]), table), ]
    x <- as.matrix(table[, 2:(ncol(table) - 1)])
    n <- nrow(x)
    x <- scale(x) * sqrt(n / (n - 1))
    source <- sprintf(paste0('"data": {"file": "data/%s.csv", "features": "all", "target": "%s", "train": "%s", "n_train": %d, ',
                             '"preprocess": "zscore: (x - avg) / stddev_pop, both taken from the training rows"}'), set[1], set[2], set[3], n)
    cases <- c(cases, case(sprintf("cmdscale.%s.%s", set[1], set[4]), source, sprintf('{"k": %s, "metric": "%s"}', set[5], set[4]),
                           expected(dist(x, if (set[4] == "chebyshev") "maximum" else set[4]), as.integer(set[5]))))
}
cat('{"schema": 1, "title": "classical multidimensional scaling by R 4.2.2: cmdscale", "count": ', length(cases), ', "cases": [\n',
    paste(cases, collapse = ",\n"), "\n]}\n", sep = "", file = "mds.json")
