/*
 * binned_pages.c - pages of binned columns, with a clock that says which one makes room (second chance).
 */
#include "core/tree_bins/binned_pages.h"

#include <string.h>

#define NO_FRAME UINT32_MAX

struct BinPages {
    Env *env;
    RowsPlace place;
    uint32_t per_feature, pages; /* pages of a feature, and of all */
    uint32_t *frame_of;          /* [pages] where a page is in memory; NO_FRAME: it is not */
    uint32_t frames, hand;
    uint32_t *page_in;           /* [frames] which page a frame has; NO_FRAME: none */
    uint8_t *used;               /* [frames] since the hand of the clock came by */
    uint8_t *bytes;              /* [frames x BIN_PAGE] */
};

static uint64_t pages_of(uint64_t rows, uint32_t features)
{
    return (rows + BIN_PAGE - 1) / BIN_PAGE * features;
}

uint64_t binned_pages_least(uint64_t rows, uint32_t features)
{
    return pages_of(rows, features) * sizeof(uint32_t) + BIN_PAGES_LEAST * (BIN_PAGE + sizeof(uint32_t) + 1);
}

BinPages *binned_pages(Env *env, Rows *rows, uint32_t features, uint64_t bytes)
{
    BinPages *pages = env_array(env, 1, sizeof(BinPages));
    uint64_t count = pages_of(rows_count(rows), features), room = bytes - count * sizeof(uint32_t);
    uint64_t frames = room / (BIN_PAGE + sizeof(uint32_t) + 1);

    pages->env = env;
    pages->per_feature = (uint32_t)((rows_count(rows) + BIN_PAGE - 1) / BIN_PAGE);
    pages->pages = (uint32_t)count;
    pages->frames = (uint32_t)(frames < count ? frames : count);
    pages->place = rows_place_take(rows, count * BIN_PAGE);
    pages->frame_of = env_array_raw(env, count, sizeof(uint32_t));
    memset(pages->frame_of, 0xff, count * sizeof(uint32_t));
    pages->page_in = env_array_raw(env, pages->frames, sizeof(uint32_t));
    memset(pages->page_in, 0xff, pages->frames * sizeof(uint32_t));
    pages->used = env_array(env, pages->frames, 1);
    pages->bytes = env_array_raw(env, pages->frames, BIN_PAGE);
    return pages;
}

void binned_pages_free(BinPages *pages)
{
    rows_place_give(&pages->place);
}

static uint64_t page_position(const BinPages *pages, uint32_t feature, uint32_t row)
{
    return ((uint64_t)feature * pages->per_feature) * BIN_PAGE + row;
}

void binned_pages_write(BinPages *pages, uint32_t feature, uint32_t row, const uint8_t *bytes, uint32_t count)
{
    static const uint8_t zeros[BIN_PAGE];
    uint32_t end = row + count, rest = (BIN_PAGE - end % BIN_PAGE) % BIN_PAGE;

    rows_place_write(&pages->place, page_position(pages, feature, row), bytes, count);
    if (rest > 0) /* the next write begins there if it is not the last one */
        rows_place_write(&pages->place, page_position(pages, feature, end), zeros, rest);
}

/* Returns a frame whose page is dropped. */
static uint32_t free_frame(BinPages *pages)
{
    uint32_t frame;

    while (pages->used[pages->hand]) {
        pages->used[pages->hand] = 0;
        pages->hand = (pages->hand + 1) % pages->frames;
    }
    frame = pages->hand;
    pages->hand = (pages->hand + 1) % pages->frames;
    if (pages->page_in[frame] != NO_FRAME)
        pages->frame_of[pages->page_in[frame]] = NO_FRAME;
    return frame;
}

const uint8_t *binned_page(BinPages *pages, uint32_t feature, uint32_t row)
{
    uint32_t page = feature * pages->per_feature + row / BIN_PAGE, frame = pages->frame_of[page];

    if (frame == NO_FRAME) {
        pages->env->poll(pages->env);
        frame = free_frame(pages);
        rows_place_read(&pages->place, (uint64_t)page * BIN_PAGE, pages->bytes + (size_t)frame * BIN_PAGE, BIN_PAGE);
        pages->frame_of[page] = frame;
        pages->page_in[frame] = page;
    }
    pages->used[frame] = 1;
    return pages->bytes + (size_t)frame * BIN_PAGE;
}
