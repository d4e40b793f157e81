/*
 * shared_kinds.c - the list of all kinds of work that processes share.
 */
#include "core/base/shared_work.h"
#include "core/base/team.h"
#include "core/boosting/boosting_phases.h"
#include "core/density/density_points.h"
#include "core/explain/dependence.h"
#include "core/explain/importance.h"
#include "core/forest/forest_trees.h"
#include "core/kmeans/kmeans_pass.h"
#include "core/kmeans/kmeans_starts.h"
#include "core/metrics/cluster_metrics.h"
#include "core/mixture/mixture_blocks.h"
#include "core/mixture/mixture_fit.h"
#include "core/neighbors/neighbor_blocks.h"
#include "core/svm/svm_kernel.h"
#include "core/validation/cross_validation.h"

const SharedKind *const shared_kinds[] = {
    &dbscan_kind,           &dependence_blocks_kind, &forest_trees_kind, &importance_passes_kind, &isolation_trees_kind, &kernel_svm_kind,
    &kmeans_starts_kind,    &mean_shift_kind,        &mixture_starts_kind, &neighbor_blocks_kind,   &silhouette_blocks_kind,
    &validation_steps_kind, NULL};

const TeamKind *const team_kinds[] = {&boosting_kind, &kmeans_pass_kind, &mixture_blocks_kind, NULL};
