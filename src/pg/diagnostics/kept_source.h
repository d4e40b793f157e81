/*
 * kept_source.h - the rows of a source as a model reads them, kept for functions that change columns (core/explain).
 */
#ifndef PGFIT_KEPT_SOURCE_H
#define PGFIT_KEPT_SOURCE_H

#include "pg/host/rows_spill.h"
#include "pg/operations/source.h"
#include "core/explain/model_rows.h"
#include "core/options/options.h"

#include "tcop/dest.h"

typedef struct KeptSource {
    ModelRows *model;
    Rows *rows;
    RowsNode *node;
} KeptSource;

/* Opens the model of a Datum for a SQL function, in the current memory context. Fails for models that predict nothing. */
ModelRows *kept_source_model(Datum model, const char *function);
/*
 * Reads a source once, with the rights of the caller: features as options "features" or the columns of the source say, weights by option "weight", ids by
 * option "id" where the options have one. target: its column; NULL: none is read. Rows without a target or with weight 0 are left out.
 */
KeptSource kept_source_read(ModelRows *model, const char *text, const char *target, const Options *options);
/* Gives back the rows. */
void kept_source_end(KeptSource *kept);

/* Returns the column of the target: that of this name, or NULL: what the formula of the fit calls it. Fails where it does not. */
int source_target(const Source *source, const Model *model, const char *name);
/* Runs a query of a source by SPI; its rows go to the receiver. */
void source_run(const char *sql, DestReceiver *receiver);

#endif
