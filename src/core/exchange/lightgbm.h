/*
 * lightgbm.h - the format of LightGBM: the text of save_model and the JSON of dump_model, in.
 */
#ifndef PGFIT_LIGHTGBM_H
#define PGFIT_LIGHTGBM_H

#include "core/exchange/exchange.h"

extern const ImportFormat import_lightgbm;

#endif
