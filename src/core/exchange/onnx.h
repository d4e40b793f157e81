/*
 * onnx.h - ONNX, the open format of model graphs that onnxruntime and others run: as formats in the lists of exchange.c.
 */
#ifndef PGFIT_ONNX_H
#define PGFIT_ONNX_H

#include "core/exchange/exchange.h"

extern const ImportFormat import_onnx;
extern const ExportFormat export_onnx;

#endif
