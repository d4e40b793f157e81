/*
 * test_sort.c - a sort that polls: the order of qsort, cancels.
 */
#include "check.h"

#include "core/base/random.h"
#include "core/base/sort.h"

#include <stdlib.h>

typedef struct Element {
    uint32_t key, place;
    char more[4];
} Element;

static int compare_elements(const void *left, const void *right)
{
    const Element *a = left, *b = right;

    return a->key < b->key ? -1 : a->key > b->key;
}

static int compare_all(const void *left, const void *right)
{
    const Element *a = left, *b = right;
    int order = compare_elements(left, right);

    return order != 0 ? order : a->place < b->place ? -1 : a->place > b->place;
}

static Element *elements(uint32_t count, uint32_t keys, uint64_t seed)
{
    Element *list = calloc(count + 1, sizeof(Element));

    for (uint32_t i = 0; i < count; i++)
        list[i] = (Element){(uint32_t)(random_bits(&seed) % keys), i, "abc"};
    return list;
}

static void test_order(Host *host)
{
    static const uint32_t counts[] = {0, 1, 2, 4095, 4096, 4097, 8192, 12289, 100000};

    for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++)
        for (uint32_t keys = 3; keys < 1000000; keys *= 1000) {
            Element *list = elements(counts[c], keys, c), *expected = elements(counts[c], keys, c);

            qsort(expected, counts[c], sizeof(Element), compare_all);
            sort_polled(&host->env, list, counts[c], sizeof(Element), compare_all);
            CHECK(memcmp(list, expected, counts[c] * sizeof(Element)) == 0);
            free(list);
            free(expected);
        }
    CHECK_INT(host->bytes, 0);
}

static void test_cancel(Host *host)
{
    Element *list = elements(300000, 1000, 1);

    CHECK_CANCELS(host, 200, 13, sort_polled(&host->env, list, 300000, sizeof(Element), compare_elements));
    host->polls = 0;
    sort_polled(&host->env, list, 300000, sizeof(Element), compare_elements);
    CHECK(host->polls > 80);
    free(list);
}

int main(void)
{
    Host *host = host_new();

    test_order(host);
    test_cancel(host);
    host_free(host);
    return check_report();
}
