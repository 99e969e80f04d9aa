# Writes tables of R packages as CSV files, the class last: Rscript bench/mixed.R LIBRARY FOLDER
# LIBRARY holds the packages (bench/README.md tells how to get them without installing them).
arguments <- commandArgs(trailingOnly = TRUE)
library_path <- arguments[1]
folder <- arguments[2]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

find <- function(package, name) {
  items <- utils::data(package = package, lib.loc = library_path)$results[, "Item"]
  hit <- items[grepl(paste0("^", name, "( |$)"), items)]
  # "table (file)": the file has another name than the table.
  file <- if (length(hit) && grepl("\\(", hit[1])) sub(".*\\((.*)\\)", "\\1", hit[1]) else name
  into <- new.env()
  suppressWarnings(utils::data(list = file, package = package, lib.loc = library_path, envir = into))
  into
}

put <- function(name, table, class) {
  table <- as.data.frame(table)
  known <- !is.na(class)
  names(table) <- gsub("[^A-Za-z0-9_]", "_", names(table))
  # As a word: a number would do for the program, but not tell the columns from one another.
  table$class <- paste0("c", class)
  write.csv(table[known, ], file.path(folder, paste0(name, ".csv")), row.names = FALSE, na = "")
}

targets <- read.table(text = "
AER BankWages job
AER CPS1985 occupation
AER CreditCard card
AER DoctorVisits health
AER HMDA deny
AER HealthInsurance insurance
AER NMES1988 insurance
AER PSID1976 participation
AER PSID1982 occupation
AER RecreationDemand ski
AER ResumeNames call
AER SmokeBan smoker
AER SwissLabor participation
AER GSOEP9402 school
AER Fertility2 morekids
AER GSS7402 ethnicity
AER CollegeDistance income
AER TravelMode choice
HSAUR3 CHFLS R_happy
TH.data GlaucomaM Class
TH.data mammoexp ME
TH.data wpbc status
ade4 banque csp
caret dhfr Y
caret scat Species
caret Sacramento type
dslabs olive area
earth etitanic survived
ipred dystrophy Class
kernlab musk Class
kernlab promotergene Class
kernlab ticdata CARAVAN
kernlab income INCOME
mclust diabetes class
mclust thyroid Diagnosis
mlbench DNA Class
mlbench Zoo type
mlbench Soybean Class
modeldata ad_data Class
modeldata attrition Attrition
modeldata cells class
modeldata credit_data Status
modeldata hpc_data class
modeldata lending_club Class
modeldata mlc_churn churn
modeldata pd_speech class
modeldata stackoverflow Remote
modeldata two_class_dat Class
modeldata wa_churn churn
randomForest imports85 bodyStyle
vcd Hitters Positions
vcd Baseball posit86
", stringsAsFactors = FALSE)
for (i in seq_len(nrow(targets))) {
  name <- targets[i, 2]
  table <- as.data.frame(get(name, find(targets[i, 1], name)))
  class <- table[[targets[i, 3]]]
  table[[targets[i, 3]]] <- NULL
  put(name, table, class)
}
golub <- find("multtest", "golub")
put("golub", t(golub$golub), golub$golub.cl)
cox2 <- find("caret", "cox2")
put("cox2", cox2$cox2Descr, cox2$cox2Class)
mdrr <- find("caret", "mdrr")
put("mdrr", mdrr$mdrrDescr, mdrr$mdrrClass)
