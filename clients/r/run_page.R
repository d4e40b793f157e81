# Runs the examples of docs/r.md and compares what they print. usage: Rscript page.R PAGE [--write]
arguments <- commandArgs(trailingOnly = TRUE)
lines <- readLines(arguments[1])
fences <- grep("^```", lines)
blocks <- matrix(fences, ncol = 2, byrow = TRUE)
kinds <- sub("^```", "", lines[blocks[, 1]])
passed <- failed <- 0
shown <- character()
last <- 0
for (i in which(kinds == "r")) {
  code <- lines[seq(blocks[i, 1] + 1, blocks[i, 2] - 1)]
  printed <- capture.output(for (e in parse(text = code)) { r <- withVisible(eval(e, globalenv())); if (r$visible) print(r$value) })
  printed <- sub(" +$", "", printed[seq_len(max(c(0, which(nzchar(printed)))))])
  output <- if (i < nrow(blocks) && kinds[i + 1] == "text" && blocks[i + 1, 1] <= blocks[i, 2] + 2) blocks[i + 1, ] else NULL
  expected <- if (is.null(output)) character() else lines[seq_len(output[2] - output[1] - 1) + output[1]]
  if (identical(printed, expected)) passed <- passed + 1 else {
    failed <- failed + 1
    message("line ", blocks[i, 1], " prints\n", paste(printed, collapse = "\n"))
  }
  if (!is.null(output)) {
    shown <- c(shown, lines[seq(last + 1, output[1])], printed)
    last <- output[2] - 1
  }
}
if ("--write" %in% arguments) writeLines(c(shown, lines[seq(last + 1, length(lines))]), arguments[1])
cat(passed, " passed, ", failed, " failed\n", sep = "")
if (failed > 0) quit(status = 1)
