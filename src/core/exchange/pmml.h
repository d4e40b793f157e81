/*
 * pmml.h - PMML, the XML of the Data Mining Group: as formats in the lists of exchange.c.
 */
#ifndef PGFIT_PMML_H
#define PGFIT_PMML_H

#include "core/exchange/exchange.h"

extern const ImportFormat import_pmml;
extern const ExportFormat export_pmml;

#endif
