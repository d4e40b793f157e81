/*
 * xgboost.h - the formats of XGBoost: JSON and UBJSON in, JSON out.
 */
#ifndef PGFIT_XGBOOST_H
#define PGFIT_XGBOOST_H

#include "core/exchange/exchange.h"

extern const ImportFormat import_xgboost;
extern const ExportFormat export_xgboost;

#endif
