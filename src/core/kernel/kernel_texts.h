/*
 * kernel_texts.h - the texts that a kernel compares, ready for comparison.
 *
 * A point has a text as a number: its position in a table, or -1 - i for text i of the row that is scored (Env.row_texts). The
 * table has what the string kernels need of each text: its characters, its n-grams, its kernel with itself.
 */
#ifndef PGFIT_KERNEL_TEXTS_H
#define PGFIT_KERNEL_TEXTS_H

#include "core/kernel/kernel.h"

/*
 * Makes the table of texts of a kernel, and numbers the kernel's parts that compare them. texts: may have none. Compares its size with
 * the budget; method: for that message, NULL: no comparison. Polls.
 */
void kernel_set_texts(Env *env, Kernel *kernel, const TextList *texts, const char *method);
/* Returns how many texts the table has. */
uint32_t kernel_text_count(const KernelTexts *texts);
/* Returns a text as it was given; valid as long as the list that the table was made from. */
const char *kernel_text(const KernelTexts *texts, uint32_t i, uint32_t *length);

/* Returns the kernel of two texts, of a kernel of texts without parts. */
double kernel_value_of_texts(Env *env, const Kernel *kernel, const TextList *two);

/*
 * Writes out[i] = k(query, text i) for a part that compares texts. query and numbers: as points have them; numbers are `stride`
 * apart, or with stride 0 eight in a row in panels `panel` apart. Allocates for a text that is not in the table.
 */
void kernel_texts_rows(const KernelTexts *texts, const KernelPart *part, double query, const double *numbers, size_t stride,
                       size_t panel, uint32_t count, double *out);

#endif
