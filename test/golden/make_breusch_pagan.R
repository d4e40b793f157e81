#!/usr/bin/Rscript
# Writes breusch_pagan.json: the studentized Breusch-Pagan test by bptest of the package lmtest of R. Run it in this folder.
suppressMessages(library(lmtest))
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
fits <- list(
    list("diabetes.csv", "progression", "age + bmi + bp + s5", "age + bmi + bp + s5"),
    list("diabetes.csv", "progression", "bmi + bp", "bmi * bp + I(bmi^2) + I(bp^2)"),
    list("wine.csv", "alcohol", "malic_acid + class + ash + proline", "malic_acid + class + ash + proline"),
    list("iris.csv", "petal_width", "species * sepal_length", "species"),
    list("breast_cancer.csv", "mean_area", "mean_texture + mean_smoothness + 0", "mean_texture"),
    list("formula.csv", "y", "x * z + k", "x + z + k"),
    list("cars.csv", "mpg", "wt + hp", "wt + hp"),
    list("longley.csv", "employed", "gnp + unemployed + year", "unemployed"),
    list("penguins.csv", "body_mass_g", "flipper_length_mm * species + sex", "species + sex"))
cases <- character()
for (fit in fits) {
    table <- read.csv(file.path("data", fit[[1]]), stringsAsFactors = TRUE)
    test <- bptest(lm(reformulate(fit[[3]], fit[[2]]), table), as.formula(paste("~", fit[[4]])), data = table)
    cases <- c(cases, sprintf('{"id": "breusch_pagan.%d", "method": "breusch_pagan", "data": {"file": "data/%s"}, "params": {"target": "%s", "formula": "%s", "squares": "%s"}, "expected": {"test": %s}, "tolerance": {"rtol": 1e-09, "atol": 1e-300}}',
                              length(cases), fit[[1]], fit[[2]], fit[[3]], fit[[4]], number(c(test$statistic, test$parameter, test$p.value))))
}
writeLines(c(sprintf('{"schema": 1, "title": "studentized Breusch-Pagan tests by lmtest", "count": %d, "cases": [', length(cases)), paste(cases, collapse = ",\n"), "]}"), "breusch_pagan.json")
