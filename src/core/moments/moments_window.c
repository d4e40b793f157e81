/*
 * moments_window.c - the queue of moments_window.h: two stacks of partial summaries with checkpoints.
 */
#include "core/moments/moments_window.h"

#include <math.h>
#include <string.h>

#define ITEMS_INITIAL 16
#define FREE_BYTES ((size_t)1 << 20) /* that a queue may hold under any limit */

struct MomentsWindow {
    Env *keep;
    Env *work;
    Model *start;
    uint64_t unstarted; /* items that were pushed before the start was known; they are the oldest */
    bool of_moments;    /* items are moments, so that an item without rows is not a skipped row */

    /* Items are numbered from the start; item i is stored at i & (capacity - 1). */
    uint64_t head, end;
    uint64_t capacity;
    uint32_t width;   /* doubles of an encoded row: weight, target, slots, ends; weight 0: not used */
    uint32_t ends;    /* fold or further targets */
    double *rows;     /* [capacity x width] the items, if they are rows */
    Model **input;    /* [capacity] the items, if they are moments; an item NULL: not used */
    bool *nulls;      /* [slots], scratch; NULL unless the start imputes */

    /* The front has items [head, front_end); when it was made, the head was turned_at. */
    uint64_t turned_at, front_end;
    uint64_t block;        /* items between checkpoints */
    uint64_t block_start;  /* of the block that the head is in */
    uint64_t block_count;  /* its items */
    uint64_t checkpoint_count;
    Model **checkpoints;   /* [k]: of the items from turned_at + k * block to front_end; NULL: used */
    Model **suffixes;      /* [j]: of the items from block_start + j to front_end; NULL: popped */
    Model *back;           /* of the items [front_end, end); NULL: none */

    size_t held;   /* bytes of all summaries */
    bool counted;  /* they grow with the classes or levels of the rows, so pgfit.fit_mem limits them */
};

MomentsWindow *moments_window_new(Env *keep, Env *work)
{
    MomentsWindow *queue = env_array(keep, 1, sizeof *queue);

    queue->keep = keep;
    queue->work = work;
    return queue;
}

uint64_t moments_window_count(const MomentsWindow *queue)
{
    return queue->unstarted + (queue->end - queue->head);
}

Model *moments_window_start(const MomentsWindow *queue)
{
    return queue->start;
}

/* ---- summaries ---- */

static Model *summary_copy(Env *env, const Model *model)
{
    Model *copy = env_array_raw(env, 1, model->size);

    memcpy(copy, model, model->size);
    return copy;
}

/* Returns a copy in the memory of the queue. */
static Model *summary_keep(MomentsWindow *queue, const Model *model)
{
    queue->held += model->size;
    if (queue->counted && queue->held > FREE_BYTES)
        env_require_memory(queue->work, queue->held, "a window over classes or levels");
    return summary_copy(queue->keep, model);
}

/* Releases a summary of the queue and sets it to NULL. */
static void summary_release(MomentsWindow *queue, Model **summary)
{
    if (*summary) {
        queue->held -= (*summary)->size;
        queue->keep->release(queue->keep, *summary);
    }
    *summary = NULL;
}

/* Replaces *summary by the result of adding to it: the same block, or a new one in work memory. */
static void summary_replace(MomentsWindow *queue, Model **summary, Model *result)
{
    Model *kept;

    if (result == *summary)
        return;
    kept = summary_keep(queue, result);
    queue->work->release(queue->work, result);
    summary_release(queue, summary);
    *summary = kept;
}

/* Returns where an item is stored. */
static uint64_t place(const MomentsWindow *queue, uint64_t item)
{
    return item & (queue->capacity - 1);
}

static void summary_add_row(MomentsWindow *queue, Model **summary, const double *row)
{
    const double *slots = row + 2;

    if (row[0] == 0) {
        (*summary)->skipped++;
        return;
    }
    if (queue->nulls)
        for (uint32_t i = 0; i < queue->start->slot_count; i++)
            queue->nulls[i] = isnan(slots[i]);
    summary_replace(queue, summary,
                    moments_add_tagged(queue->work, *summary, slots, queue->nulls, row[1], row[0], row + queue->width - queue->ends, queue->ends));
}

static void summary_add_moments(MomentsWindow *queue, Model **summary, const Model *input)
{
    if (input)
        summary_replace(queue, summary,
                        moments_merge(queue->work, *summary, input, false));
}

static void summary_add(MomentsWindow *queue, Model **summary, uint64_t item)
{
    uint64_t at = place(queue, item);

    if (queue->input)
        summary_add_moments(queue, summary, queue->input[at]);
    else
        summary_add_row(queue, summary, queue->rows + at * queue->width);
}

/* ---- the start ---- */

/* Gives the running summary the new levels of the start, at the same positions. */
static void back_learn_levels(MomentsWindow *queue)
{
    if (queue->back)
        summary_replace(queue, &queue->back,
                        moments_merge(queue->work, queue->start, queue->back, true));
}

void moments_window_set_start(MomentsWindow *queue, const Model *start)
{
    Model *copy = queue->start == start ? queue->start : summary_keep(queue, start);

    if (queue->start == NULL) {
        queue->ends = start->flags & MODEL_FOLDED ? 1 : moments_further_targets(start);
        queue->width = 2 + start->slot_count + queue->ends;
        if (start->flags & MODEL_IMPUTE)
            queue->nulls = env_array(queue->keep, start->slot_count, sizeof(bool));
    } else if (copy != queue->start) {
        summary_release(queue, &queue->start);
    }
    queue->start = copy;
    queue->counted = dictionary_size(copy, DICTIONARY_CLASSES) + dictionary_size(copy, DICTIONARY_LEVELS) > 0;
    back_learn_levels(queue);
}

/* ---- pushing ---- */

/* Makes room for one more item. */
static void items_reserve(MomentsWindow *queue, size_t item_size, void **items)
{
    uint64_t old = queue->capacity;
    uint64_t capacity = old ? old * 2 : ITEMS_INITIAL;
    char *grown;

    if (queue->end - queue->head < old)
        return;
    grown = env_array_raw(queue->keep, capacity, item_size);
    for (uint64_t i = queue->head; i < queue->end; i++)
        memcpy(grown + (i & (capacity - 1)) * item_size,
               (char *)*items + (i & (old - 1)) * item_size, item_size);
    if (*items)
        queue->keep->release(queue->keep, *items);
    *items = grown;
    queue->capacity = capacity;
}

/* Adds the item that was just stored to the running summary. */
static void push_last(MomentsWindow *queue)
{
    if (queue->back == NULL)
        queue->back = summary_keep(queue, queue->start);
    queue->end++;
    summary_add(queue, &queue->back, queue->end - 1);
}

void moments_window_push_row(MomentsWindow *queue, const double *slots, const bool *nulls,
                             double target, double weight, const double *ends)
{
    double *row;

    items_reserve(queue, queue->width * sizeof(double), (void **)&queue->rows);
    row = queue->rows + place(queue, queue->end) * queue->width;
    row[0] = weight;
    row[1] = target;
    for (uint32_t i = 0; i < queue->start->slot_count; i++)
        row[2 + i] = nulls && nulls[i] ? (double)NAN : slots[i];
    for (uint32_t i = 0; i < queue->ends; i++)
        row[2 + queue->start->slot_count + i] = ends[i];
    push_last(queue);
}

void moments_window_push_moments(MomentsWindow *queue, const Model *input)
{
    queue->of_moments = true;
    if (queue->start == NULL) {
        queue->unstarted++;
        return;
    }
    items_reserve(queue, sizeof(Model *), (void **)&queue->input);
    queue->input[place(queue, queue->end)] =
        input ? summary_keep(queue, input) : NULL;
    push_last(queue);
}

void moments_window_push_skipped(MomentsWindow *queue)
{
    if (queue->start == NULL) {
        queue->unstarted++;
    } else {
        items_reserve(queue, queue->width * sizeof(double), (void **)&queue->rows);
        memset(queue->rows + place(queue, queue->end) * queue->width, 0,
               queue->width * sizeof(double));
        push_last(queue);
    }
}

/* ---- popping ---- */

/* Releases all summaries of the front. */
static void front_release(MomentsWindow *queue)
{
    for (uint64_t i = 0; i < queue->block_count && queue->suffixes; i++)
        summary_release(queue, &queue->suffixes[i]);
    for (uint64_t i = 0; i < queue->checkpoint_count && queue->checkpoints; i++)
        summary_release(queue, &queue->checkpoints[i]);
    if (queue->suffixes)
        queue->keep->release(queue->keep, queue->suffixes);
    if (queue->checkpoints)
        queue->keep->release(queue->keep, queue->checkpoints);
    queue->suffixes = queue->checkpoints = NULL;
    queue->block_count = queue->checkpoint_count = 0;
}

/* Makes the summaries of the block that begins at the head, from the last to the second; the first is the checkpoint. */
static void block_enter(MomentsWindow *queue)
{
    uint64_t k = (queue->head - queue->turned_at) / queue->block;
    uint64_t left = queue->front_end - queue->head;
    Model *running;

    queue->block_start = queue->head;
    queue->block_count = left < queue->block ? left : queue->block;
    running = summary_keep(queue, k + 1 < queue->checkpoint_count ? queue->checkpoints[k + 1] : queue->start);
    for (uint64_t j = queue->block_count - 1; j > 0; j--) {
        summary_add(queue, &running, queue->block_start + j);
        queue->suffixes[j] = summary_keep(queue, running);
        queue->work->poll(queue->work);
    }
    summary_release(queue, &running);
    queue->suffixes[0] = queue->checkpoints[k];
    queue->checkpoints[k] = NULL;
}

/* Moves all items to the front, and leaves the back empty. */
static void turn(MomentsWindow *queue)
{
    uint64_t count = queue->end - queue->head;
    Model *running;

    front_release(queue);
    summary_release(queue, &queue->back);
    queue->turned_at = queue->head;
    queue->front_end = queue->end;
    if (count == 0)
        return;
    queue->block = (uint64_t)ceil(sqrt((double)count));
    queue->checkpoint_count = (count + queue->block - 1) / queue->block;
    queue->checkpoints = env_array(queue->keep, queue->checkpoint_count, sizeof(Model *));
    queue->suffixes = env_array(queue->keep, queue->block, sizeof(Model *));
    running = summary_keep(queue, queue->start);
    for (uint64_t i = queue->end; i-- > queue->head;) {
        summary_add(queue, &running, i);
        if ((i - queue->turned_at) % queue->block == 0)
            queue->checkpoints[(i - queue->turned_at) / queue->block] =
                summary_keep(queue, running);
        queue->work->poll(queue->work);
    }
    summary_release(queue, &running);
    block_enter(queue);
}

void moments_window_pop(MomentsWindow *queue)
{
    if (queue->unstarted > 0) {
        queue->unstarted--;
        return;
    }
    if (queue->input) {
        Model **value = &queue->input[place(queue, queue->head)];

        summary_release(queue, value);
    }
    if (queue->head == queue->front_end) {
        queue->head++;
        turn(queue);
        return;
    }
    summary_release(queue, &queue->suffixes[queue->head - queue->block_start]);
    queue->head++;
    if (queue->head < queue->front_end && queue->head == queue->block_start + queue->block_count)
        block_enter(queue);
}

/* ---- results ---- */

Model *moments_window_summary(MomentsWindow *queue)
{
    Model *front = NULL;
    Model *result;

    if (queue->start == NULL)
        return NULL;
    if (queue->head < queue->front_end)
        front = queue->suffixes[queue->head - queue->block_start];
    if (front && queue->back)
        result = moments_merge(queue->work, front, queue->back, true);
    else
        result = summary_copy(queue->work, front          ? front
                                           : queue->back ? queue->back
                                                         : queue->start);
    if (!queue->of_moments)
        result->skipped += (int64_t)queue->unstarted;
    return result;
}
