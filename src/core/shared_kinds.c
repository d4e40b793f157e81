/*
 * shared_kinds.c - the list of all kinds of work that processes share.
 */
#include "core/base/shared_work.h"
#include "core/forest/forest_trees.h"

const SharedKind *const shared_kinds[] = {&forest_trees_kind, NULL};
