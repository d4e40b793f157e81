/*
 * pmml.c - PMML as a format that comes in and goes out.
 */
#include "core/exchange/pmml.h"
#include "core/pmml/pmml_export.h"
#include "core/pmml/pmml_read.h"

const ImportFormat import_pmml = {.name = "pmml", .recognize = pmml_recognize, .read = pmml_read};
const ExportFormat export_pmml = {.name = "pmml", .write = pmml_export};
