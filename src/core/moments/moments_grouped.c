/*
 * moments_grouped.c - keeps the moments of many groups that have the same shape.
 */
#include "core/moments/moments_grouped.h"
#include "core/moments/moments_internal.h"

/* The flags that the state of a group may have; the others need arrays that groups lack. */
#define GROUP_FLAGS (MODEL_NAMED | MODEL_WEIGHTED | MODEL_FREQUENCY | MODEL_NULL_ERROR | MODEL_UNSEEN_ERROR)

/* Tells whether groups can share the parts of this state that do not change. */
static bool shape_possible(const Model *state)
{
    return (state->kind == MODEL_MOMENTS || state->kind == MODEL_FEATURE_MOMENTS) &&
           (state->flags & ~GROUP_FLAGS) == 0 && state->field_count > 0 && state->column_count > 0 &&
           state->column_count < GRAM_COLUMNS;
}

MomentsShape *moments_shape(Env *env, const Model *state)
{
    MomentsShape *shape;
    MomentsView view;
    Model *own;
    size_t later;

    if (!shape_possible(state))
        return NULL;
    own = moments_copy(env, state);
    moments_open(env, own, &view);
    if (view.column_slot != NULL || view.kept != NULL || view.deferred != NULL) /* it may grow */
        return NULL;
    shape = env_array(env, 1, sizeof(*shape));
    own->rows = own->skipped = 0;
    own->weight = 0;
    own->pending_rows = own->flushes = 0;
    own->fingerprint = 0;
    shape->first_rows = moments_wanted_rows(own);
    own->flushes = UINT32_MAX;
    later = moments_wanted_rows(own);
    own->flushes = 0;
    own = moments_reserve(env, NULL, own, "pending", later * view.width * sizeof(double));
    moments_open(env, own, &view);
    view.pending->rows = own->pending_capacity = (uint32_t)later;

    shape->state = own;
    shape->width = view.width;
    shape->weighted = view.weighted;
    shape->ahead = view.pending->offset;
    for (uint32_t i = 0; i < own->entry_count; i++) {
        const ModelEntry *entry = model_entries(own) + i;
        if (entry->section == SECTION_ARRAYS && entry->offset < shape->ahead)
            shape->ahead = entry->offset;
    }
    shape->ahead_size = view.pending->offset - shape->ahead;
    shape->room = view.pending->reserved;
    shape->behind = view.pending->offset + shape->room;
    shape->behind_size = own->size - shape->behind;
    shape->counts = view.counts->offset - shape->ahead;
    memset((char *)own + shape->ahead, 0, own->size - shape->ahead);
    shape->sums = sizeof(MomentsGroup) + (size_t)shape->first_rows * shape->width * sizeof(double);
    shape->size = shape->sums + sizeof(GroupSums) + shape->ahead_size + shape->behind_size;
    return shape;
}

/* Tells whether a field of a state with names has this name. */
static bool same_name(const Model *state, const SchemaView *view, uint32_t field, const char *name)
{
    uint32_t length;
    const char *own = model_text(state, view->field_names, field, &length);

    return bytes_compare(name, strlen(name), own, length) == 0;
}

/* Tells whether an entry of a state is this text; NULL: is not there. */
static bool same_text(const Model *state, const ModelEntry *entry, const char *text)
{
    uint32_t length;
    const char *own = entry != NULL ? model_text(state, entry, 0, &length) : NULL;

    if (own == NULL || text == NULL)
        return own == text;
    return bytes_compare(text, strlen(text), own, length) == 0;
}

bool moments_shape_fits(const MomentsShape *shape, const SchemaSpec *spec)
{
    const Model *state = shape->state;
    bool named = spec->named && spec->names != NULL;
    SchemaView view;

    if (spec->field_count != state->field_count || named != ((state->flags & MODEL_NAMED) != 0) ||
        spec->class_type != NULL || spec->id_type != NULL)
        return false;
    schema_view(state, &view);
    if ((spec->names != NULL) != (view.field_names != NULL) || !same_text(state, view.formula, spec->formula) ||
        !same_text(state, view.target_name, spec->target_name))
        return false;
    for (uint32_t f = 0; f < spec->field_count; f++) {
        FieldKind kind = spec->kinds != NULL ? spec->kinds[f] : FIELD_NUMERIC;
        if (kind != schema_view_kind(state, &view, f) ||
            (spec->widths != NULL ? spec->widths[f] : 1) != schema_view_width(state, &view, f) ||
            (spec->names != NULL && !same_name(state, &view, f, spec->names[f])))
            return false;
    }
    return true;
}

void moments_group_begin(const MomentsShape *shape, MomentsGroup *group)
{
    group->pending = (double *)(group + 1);
    group->pending_capacity = shape->first_rows;
}

/* Returns the number of rows that are not pending. */
static int64_t flushed_rows(const MomentsShape *shape, const GroupSums *sums)
{
    double rows;

    memcpy(&rows, (const char *)sums->arrays + shape->counts, sizeof(rows));
    return (int64_t)rows;
}

/* Writes the header fields of the group's state that differ between groups. */
static void write_header(const MomentsShape *shape, const MomentsGroup *group, Model *state)
{
    const GroupSums *sums = moments_group_sums(shape, group);

    state->rows = flushed_rows(shape, sums) + group->pending_rows;
    state->skipped = sums->skipped;
    state->weight = shape->weighted ? sums->weight : (double)state->rows;
    state->pending_rows = group->pending_rows;
    state->flushes = sums->flushes > UINT32_MAX ? UINT32_MAX : (uint32_t)sums->flushes;
}

void moments_group_flush(Env *env, const MomentsShape *shape, MomentsGroup *group)
{
    GroupSums *sums = moments_group_sums(shape, group);
    Model *state = shape->state;
    char *behind = (char *)sums->arrays + shape->ahead_size;
    uint32_t wanted;

    write_header(shape, group, state);
    memcpy((char *)state + shape->ahead, sums->arrays, shape->ahead_size);
    memcpy((char *)state + state->pending_offset, group->pending,
           (size_t)group->pending_rows * shape->width * sizeof(double));
    memcpy((char *)state + shape->behind, behind, shape->behind_size);
    if (moments_flush_pending(env, state, state) != state)
        env_fail(env, ERROR_INTERNAL, NULL, "the moments of a group have outgrown their shape");
    memcpy(sums->arrays, (char *)state + shape->ahead, shape->ahead_size);
    memcpy(behind, (char *)state + shape->behind, shape->behind_size);
    sums->flushes++;
    group->pending_rows = 0;
    wanted = moments_wanted_rows(state);
    if (group->pending_capacity < wanted) {
        group->pending = env_array_raw(env, (size_t)wanted * shape->width, sizeof(double));
        group->pending_capacity = wanted;
    }
}

/* Returns the bytes of the pending rows in a stored state, where an array is never empty. */
static uint32_t pending_bytes(const MomentsShape *shape, const MomentsGroup *group)
{
    return (uint32_t)((group->pending_rows > 0 ? group->pending_rows * shape->width : 1) * sizeof(double));
}

uint32_t moments_group_bytes(const MomentsShape *shape, const MomentsGroup *group)
{
    return shape->state->size - shape->room + pending_bytes(shape, group);
}

void moments_group_write(const MomentsShape *shape, const MomentsGroup *group, Model *place)
{
    const GroupSums *sums = moments_group_sums(shape, group);
    uint32_t bytes = pending_bytes(shape, group), spared = shape->room - bytes;
    ModelEntry *entry = (ModelEntry *)(place + 1);
    double *pending;

    memcpy(place, shape->state, shape->ahead);
    write_header(shape, group, place);
    place->size -= spared;
    place->pending_capacity = place->pending_rows;
    for (uint32_t i = 0; i < place->entry_count; i++, entry++) {
        if (entry->offset == place->pending_offset) {
            entry->rows = place->pending_rows;
            entry->reserved = bytes;
        } else if (entry->offset > place->pending_offset) {
            entry->offset -= spared;
        }
    }
    memcpy((char *)place + shape->ahead, sums->arrays, shape->ahead_size);
    pending = (double *)((char *)place + place->pending_offset);
    pending[0] = 0;
    memcpy(pending, group->pending, (size_t)group->pending_rows * shape->width * sizeof(double));
    memcpy((char *)place + shape->behind - spared, (const char *)sums->arrays + shape->ahead_size, shape->behind_size);
}
