/*
 * series_tests.h - tests of normality and of series, and p-values adjusted for many tests.
 */
#ifndef PGFIT_SERIES_TESTS_H
#define PGFIT_SERIES_TESTS_H

#include "core/hypothesis/hypothesis_tests.h"

extern const OptionSpec lag_options[];

void jarque_bera_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);
void shapiro_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);
void ljung_box_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);
void durbin_watson_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);

#endif
