# R's ppr on a table of inputs and one of outputs; the folder is the argument.
# Writes the predictions of every setting, and a line of "name seconds numbers megabytes" each.
folder <- commandArgs(TRUE)[1]
r <- as.integer(commandArgs(TRUE)[2])
read <- function(name) as.matrix(read.csv(file.path(folder, name), header = FALSE))
peak <- function() {  # kB; nothing where there is no such table
  line <- try(grep("VmHWM", readLines("/proc/self/status"), value = TRUE), silent = TRUE)
  if (inherits(line, "try-error")) 0 else as.numeric(gsub("[^0-9]", "", line))
}
idle <- peak()
X <- read("points.csv"); Y <- read("values.csv"); fresh <- read("fresh.csv")
dimnames(X) <- dimnames(fresh) <- list(NULL, paste0("x", seq_len(ncol(X))))
middle <- colMeans(Y); spread <- apply(Y, 2, sd)
scaled <- sweep(sweep(Y, 2, middle), 2, spread, "/")  # every output counts alike
back <- function(fit, points) {
  raw <- matrix(predict(fit, points), nrow(points))
  sweep(sweep(raw, 2, spread, "*"), 2, middle, "+")
}
for (method in c("supsmu", "spline", "gcvspline")) {
  began <- proc.time()[["elapsed"]]
  fit <- try(ppr(X, scaled, nterms = r, max.terms = r + 3, optlevel = 3, sm.method = method),
             silent = TRUE)
  if (inherits(fit, "try-error")) next
  seconds <- proc.time()[["elapsed"]] - began
  name <- method
  save <- function(values, kind)
    write.table(values, file.path(folder, paste0(name, "-", kind, ".csv")),
                sep = ",", row.names = FALSE, col.names = FALSE)
  save(back(fit, X), "fitted"); save(back(fit, fresh), "fresh")
  # it keeps a table of every function at every point
  numbers <- r * (ncol(X) + ncol(Y) + 2 * nrow(X)) + 2 * ncol(Y)
  cat(name, seconds, numbers, (peak() - idle) / 1e3, "\n")
}
