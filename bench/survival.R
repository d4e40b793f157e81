# Fits proportional hazards by survival five times: Rscript survival.R DATA; DATA as LIBSVM reads it, a time, the event and ten features.
suppressMessages(library(survival))
values <- scan(text = gsub(" [0-9]+:", " ", readLines(commandArgs(TRUE)[1])), quiet = TRUE)
x <- matrix(values, ncol = 12, byrow = TRUE)
times <- Surv(x[, 1], x[, 2])
x <- x[, -(1:2)]
for (i in 1:5) invisible(coxph(times ~ x))
