/*
 * xgboost.h - what readers and writers of XGBoost's models share: its objectives.
 */
#ifndef PGFIT_XGBOOST_H
#define PGFIT_XGBOOST_H

#include "core/boosting/boosting_scores.h"
#include "core/exchange/exchange.h"

/* How the base score of a document becomes a score before the trees. */
typedef enum XgboostBase { BASE_SAME, BASE_LOGIT, BASE_LOG } XgboostBase;

typedef struct XgboostObjective {
    const char *name; /* "binary:logistic" */
    bool classes;
    BoostLink link;
    XgboostBase base;
} XgboostObjective;

extern const ImportFormat import_xgboost;
extern const ExportFormat export_xgboost;

#endif
