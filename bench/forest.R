# Grows a forest of 100 trees by ranger on one thread: Rscript forest.R DATA MAX_DEPTH SPLITRULE; DATA as LIBSVM reads it.
arguments <- commandArgs(TRUE)
values <- scan(text = gsub(" [0-9]+:", " ", readLines(arguments[1])), quiet = TRUE)
columns <- length(strsplit(readLines(arguments[1], 1), " ")[[1]])
frame <- as.data.frame(matrix(values, ncol = columns, byrow = TRUE))
frame[[1]] <- factor(frame[[1]])
extra <- arguments[3] == "extratrees"
invisible(ranger::ranger(dependent.variable.name = "V1", data = frame, num.trees = 100, max.depth = as.integer(arguments[2]), splitrule = arguments[3],
                         min.node.size = 1, replace = !extra, sample.fraction = 1, num.threads = 1, oob.error = FALSE))
