/*
 * test_sort.c - sorts of any length: the order of qsort, cancels, keys by their bits, counts of exchanges.
 */
#include "check.h"

#include "core/base/random.h"
#include "core/base/radix_sort.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Numbers of few and of many exponents, with both zeros, alone and with what moves with them: as the merge sort has them, ties by the next number. */
static void test_numbers(Host *host)
{
    static const uint32_t counts[] = {0, 1, 2, 256, 257, 1000, 70000};

    for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++)
        for (uint32_t width = 1; width <= 4; width++)
            for (int wide = 0; wide < 2; wide++) {
                size_t count = counts[c], size = width * sizeof(double);
                double *list = calloc(count * width + 1, sizeof(double)), *expected = calloc(count * width + 1, sizeof(double));
                uint64_t seed = width;
                uint32_t wrong = 0;

                for (size_t i = 0; i < count; i++) {
                    double unit = random_unit(&seed) - 0.5, number = wide ? unit * exp(1400 * random_unit(&seed) - 700) : floor(unit * 40);

                    list[i * width] = i % 7 == 0 ? (i % 2 == 0 ? 0.0 : -0.0) : i % 101 == 50 ? copysign(INFINITY, unit) : number;
                    for (uint32_t k = 1; k < width; k++)
                        list[i * width + k] = (double)(random_bits(&seed) >> 12);
                }
                memcpy(expected, list, count * size);
                sort_polled(&host->env, expected, count, size, width > 1 ? compare_pairs : compare_numbers);
                sort_numbers(&host->env, list, count, size);
                for (size_t i = 0; i < count; i++)
                    wrong += list[i * width] != expected[i * width];
                if (width > 1)
                    sort_ties(&host->env, list, count, size, compare_pairs);
                for (size_t i = 0; i < count * width; i++)
                    wrong += list[i] != expected[i];
                CHECK_INT(wrong, 0);
                free(list);
                free(expected);
            }
    CHECK_INT(host->bytes, 0);
}

static void test_cancel_numbers(Host *host)
{
    double *list = calloc(300000, sizeof(double));

    for (uint32_t i = 0; i < 300000; i++)
        list[i] = sin(i);
    CHECK_CANCELS(host, 30, 13, sort_numbers(&host->env, list, 300000, sizeof(double)));
    free(list);
}

/* Keys of every width, alone and with their rows: in order, and equal keys in the order of their rows. */
static void test_radix(Host *host)
{
    static const uint32_t counts[] = {0, 1, 2, 1000, 70000};
    static const unsigned widths[] = {1, 11, 12, 33, 64};

    for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++)
        for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++)
            for (int rows = 0; rows < 2; rows++) {
                uint32_t count = counts[c], wrong = 0;
                RadixRoom room = {{calloc(count + 1, 8), calloc(count + 1, 8)}, {rows ? calloc(count + 1, 4) : NULL, rows ? calloc(count + 1, 4) : NULL}};
                uint64_t seed = w, *keys = calloc(count + 1, 8), sum = 0;
                int at;

                for (uint32_t i = 0; i < count; i++) {
                    keys[i] = room.keys[0][i] = random_bits(&seed) >> (64 - widths[w]);
                    sum += keys[i];
                    if (rows)
                        room.rows[0][i] = i;
                }
                at = radix_sort(&host->env, &room, count);
                for (uint32_t i = 0; i < count; i++) {
                    const uint64_t *key = &room.keys[at][i];
                    const uint32_t *row = rows ? &room.rows[at][i] : NULL;

                    sum -= *key;
                    wrong += i > 0 && key[-1] > key[0];
                    wrong += row != NULL && (keys[*row] != *key || (i > 0 && key[-1] == key[0] && row[-1] >= row[0]));
                }
                CHECK(wrong == 0 && sum == 0);
                for (int side = 0; side < 2; side++) {
                    free(room.keys[side]);
                    free(room.rows[side]);
                }
                free(keys);
            }
    CHECK_INT(host->bytes, 0);
}

/* Exchanges are pairs in the other order, equal numbers none; each length ends in another pass of the merge. */
static void test_exchanges(Host *host)
{
    for (uint64_t count = 0; count < 40; count++) {
        double numbers[40], room[40], before[40];
        uint64_t seed = count, pairs = 0;

        for (uint64_t i = 0; i < count; i++) {
            before[i] = numbers[i] = (double)(random_bits(&seed) % 16);
            for (uint64_t j = 0; j < i; j++)
                pairs += before[j] > before[i];
        }
        CHECK_INT(sort_exchanges(&host->env, numbers, room, count), pairs);
        qsort(before, count, sizeof(double), compare_numbers);
        CHECK(memcmp(numbers, before, count * sizeof(double)) == 0);
    }
}

static void test_falling_and_median(void)
{
    double values[] = {2, 7, 2, -1, 7, 7, 0};
    static const double large[] = {-1, 1.6e308, 1.7e308, INFINITY}, infinite[] = {INFINITY, INFINITY};

    CHECK_INT(sort_falling(values, 7), 4);
    CHECK(values[0] == 7 && values[1] == 2 && values[2] == 0 && values[3] == -1);
    CHECK_INT(sort_falling(values, 0), 0);
    CHECK(median_of_sorted(large, 1) == -1 && median_of_sorted(large, 3) == 1.6e308);
    CHECK_NEAR(median_of_sorted(large, 4) / 1.65e308, 1, 1e-12); /* the sum would not fit */
    CHECK(isinf(median_of_sorted(infinite, 2)));
}

int main(void)
{
    Host *host = host_new();

    test_order(host);
    test_cancel(host);
    test_numbers(host);
    test_cancel_numbers(host);
    test_radix(host);
    test_exchanges(host);
    test_falling_and_median();
    host_free(host);
    return check_report();
}
