/*
 * binned_pages.h - the bytes of binned columns in the temporary file of the rows, read back page by page.
 *
 * Each feature has pages of BIN_PAGE rows. A fixed number of pages is in memory; the one that was not used for about the longest
 * time makes room for the next. The bytes, and so the trees, are the same as in memory. So boosted trees over 200,000 rows of 50
 * numbers fit into 10 MB, where without pages the fit is refused below 27. In medians of 5 runs they take 6.3 s of processor time instead of 1.7, and
 * 53 MB of memory at most instead of 108 (SET pgfit.fit_mem = '10MB' and '64MB' before boosted_trees_regression(y, f, '{"n_trees": 20}'), VmHWM of the backend).
 */
#ifndef PGFIT_BINNED_PAGES_H
#define PGFIT_BINNED_PAGES_H

#include "core/rows/rows.h"

#define BIN_PAGE 8192u /* rows, and bytes */
#define BIN_PAGES_LEAST 16u

typedef struct BinPages BinPages;

/* Returns the bytes that pages of so many rows and features take in memory at least. */
uint64_t binned_pages_least(uint64_t rows, uint32_t features);
/* Takes a place in the file. bytes: what the pages may take in memory, at least binned_pages_least. */
BinPages *binned_pages(Env *env, Rows *rows, uint32_t features, uint64_t bytes);
/* Gives the place back. */
void binned_pages_free(BinPages *pages);
/* Writes bytes of consecutive rows of a feature from a row on. */
void binned_pages_write(BinPages *pages, uint32_t feature, uint32_t row, const uint8_t *bytes, uint32_t count);
/* Returns the page of a feature with this row, valid until the next call: its first row is row / BIN_PAGE x BIN_PAGE. */
const uint8_t *binned_page(BinPages *pages, uint32_t feature, uint32_t row);

#endif
