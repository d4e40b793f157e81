# Writes linkages.json: trees of ward.D, McQuitty's and median linkage by R's hclust, on data without ties. Run it in this folder.
# Heights of median linkage are roots of those that hclust finds for squared distances, as scipy defines them.
trees <- list(c("wine", "class", "true"), c("diabetes", "progression", "id <= 80"), c("breast_cancer", "diagnosis", "id <= 150"))
cases <- character()
numbers <- function(v) paste0("[", paste(format(v, digits = 15, trim = TRUE), collapse = ", "), "]")

for (data in trees) {
    table <- read.csv(file.path("data", paste0(data[1], ".csv")))
    stopifnot(names(table)[1] == "id", names(table)[ncol(table)] == data[2])
    if (data[3] != "true") table <- table[eval(parse(text = data[3]), table), ]
    x <- as.matrix(table[, 2:(ncol(table) - 1)])
    n <- nrow(x)
    x <- scale(x) * sqrt(n / (n - 1))
    for (linkage in c("ward.D", "mcquitty", "median")) {
        d <- dist(x)
        tree <- if (linkage == "median") hclust(d^2, "median") else hclust(d, linkage)
        height <- if (linkage == "median") sqrt(tree$height) else tree$height
        sizes <- integer(n - 1)
        merges <- character(n - 1)
        for (s in seq_len(n - 1)) { # rows from 0, merge s is n + s - 1, smaller number first
            parts <- tree$merge[s, ]
            size <- sum(ifelse(parts < 0, 1L, sizes[pmax(parts, 1)]))
            sizes[s] <- size
            nodes <- sort(ifelse(parts < 0, -parts - 1, n + parts - 1))
            merges[s] <- sprintf("[%d, %d, %.15g, %d]", nodes[1], nodes[2], height[s], size)
        }
        cases <- c(cases, sprintf(paste0(
            '  {"id": "fit.hac.%s.%s", "method": "hac", "data": {"file": "data/%s.csv", "features": "all", "target": "%s", ',
            '"train": "%s", "n_train": %d, "preprocess": "zscore: (x - avg) / stddev_pop, both taken from the training rows"}, ',
            '"params": {"linkage": "%s", "metric": "euclidean"},\n   "expected": {"heights": %s,\n    "merges_scipy": [%s]},\n',
            '   "tolerance": {"rtol": 1e-9, "atol": 1e-10}}'),
            data[1], linkage, data[1], data[2], data[3], n, linkage, numbers(height), paste(merges, collapse = ", ")))
    }
}
cat('{"schema": 1, "title": "linkages by R 4.2.2: hclust", "count": ', length(cases), ', "cases": [\n',
    paste(cases, collapse = ",\n"), "\n]}\n", sep = "", file = "linkages.json")
