/*
 * xgboost_categories.h - the categories of a training frame, which XGBoost 3.1 and later keep in the model as "cats".
 */
#ifndef PGFIT_XGBOOST_CATEGORIES_H
#define PGFIT_XGBOOST_CATEGORIES_H

#include "core/exchange/document.h"

typedef struct XgboostCategories {
    uint32_t features;         /* that the document lists; 0: none, as the rows were no frame */
    uint32_t *counts;          /* [features] categories of a feature; 0: it is a number, or its categories are no texts or whole numbers */
    const char *const **texts; /* [features][counts] of the codes 0, 1, ... */
} XgboostCategories;

/* Reads the object at this place. Fails with ERROR_DATA if it is damaged, and with ERROR_LIMIT if a feature has too many categories. */
void xgboost_categories(Document *document, XgboostCategories *categories);

#endif
