/*
 * input_warnings.h - what is said of the rows of every fit before it begins: features that are most likely there by mistake.
 */
#ifndef PGFIT_INPUT_WARNINGS_H
#define PGFIT_INPUT_WARNINGS_H

#include "core/estimator/estimator.h"

/*
 * Warns of features that tell the target, of identifiers (slot_relations.h; without a target, where rows are compared), of numbers that are kept as text, and of classes that are
 * measurements; notes features of very different scales for methods that depend on them. input: as a fit gets it. Windows' frames
 * are not looked at.
 */
void input_warn(Env *env, const Estimator *estimator, const FitInput *input, const Options *options);

#endif
