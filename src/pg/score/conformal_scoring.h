/*
 * conformal_scoring.h - limits and sets by conformal scores.
 */
#ifndef PGFIT_CONFORMAL_SCORING_H
#define PGFIT_CONFORMAL_SCORING_H

#include "pg/score/scoring.h"

/* Reads the row in argument 1. Returns false if it has no prediction. Limits are NaN where a model or the row's group has no answer. */
bool conformal_interval(FunctionCallInfo fcinfo, ScoringCall *call, double level, PredictionInterval *interval);

#endif
