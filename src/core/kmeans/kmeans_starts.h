/*
 * kmeans_starts.h - the starts of k-means for one k: work that processes share.
 */
#ifndef PGFIT_KMEANS_STARTS_H
#define PGFIT_KMEANS_STARTS_H

#include "core/base/shared_work.h"

extern const SharedKind kmeans_starts_kind;

#endif
