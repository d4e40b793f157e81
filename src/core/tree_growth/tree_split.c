/*
 * tree_split.c - finds the best split of a node on numbers, for criteria of classes, mse and poisson.
 *
 * A scan moves the rows one by one from right to left, in order of the feature, and keeps sums from which the decrease of
 * impurity follows in constant time. With w_k the class weights of a side and W their sum, W x impurity is
 *     gini      W - sum w_k^2 / W           sqrt_gini  sqrt(W^2 - sum w_k^2)
 *     entropy   W log W - sum w_k log w_k   minority   W - max w_k
 * and sums of targets are of deviations from the node's mean, so that nothing cancels.
 */
#include "core/tree_growth/tree_split.h"
#include "core/base/random.h"

#include <math.h>
#include <string.h>

#define POLL_WORK 2000000 /* rows scanned between two polls */
#define MANY_CLASSES 16   /* under minority, poll within a feature */
#define SLACK 1e-11       /* decreases of impurity are equal within this share */
#define BAR_SLACK 1e-12   /* what a bar may be off by, as a share */
#define LEAST_WEIGHT 1e-60 /* of a node that has a bar */
#define LEAST_DECREASE 1e-150
#define BLOCK 64          /* places of a list that are compared with a bar at once */
#define LEAST_BLOCK 16    /* fewer are compared one by one */

/* ---- the node ---- */

/* Returns x log2 x. */
static double table_x_log_x(const TreeSearch *search, double x)
{
    if (search->log_table != NULL)
        return search->log_table[(uint32_t)x];
    return x_log_x(x);
}

void tree_search_begin(TreeSearch *search, uint32_t rows)
{
    Env *env = search->env;

    search->total = env_array(env, (size_t)search->class_count * 4 + 4, sizeof(double));
    search->left = search->total + search->class_count;
    search->right = search->left + search->class_count;
    search->missing = search->right + search->class_count;
    search->best_set = env_array(env, tree_most_levels(search->columns) / 8 + 1, 1);
    if (search->growth->random_thresholds) {
        tree_draw_reserve(search, rows);
    } else if (search->growth->criterion == TREE_ENTROPY && search->weights == NULL) {
        double *table = env_array_raw(env, (size_t)rows + 1, sizeof(double));

        table[0] = 0;
        for (uint32_t i = 1; i <= rows; i++)
            table[i] = i * log2(i);
        search->log_table = table;
    }
    search->random = search->growth->seed;
    search->features = env_array_raw(env, (size_t)search->columns->slots + 1, sizeof(uint32_t));
    for (uint32_t s = 0; s < search->columns->slots; s++)
        search->features[s] = s;
    search->least_left = search->least_right = search->growth->min_samples_leaf;
}

/* Sums classes, unless they are known; impurity and value of the node. */
static void class_node(TreeSearch *search, const double *known)
{
    if (search->growth->random_thresholds)
        tree_draw_classes(search);
    else if (known != NULL)
        memcpy(search->total, known, search->class_count * sizeof(double));
    else
        tree_count_classes(search, search->begin, search->end, search->total);
    search->work += known != NULL ? 1 : search->end - search->begin;
    search->weight = 0;
    search->total_squares = search->total_logs = 0;
    for (uint32_t k = 0; k < search->class_count; k++) {
        search->weight += search->total[k];
        search->total_squares += search->total[k] * search->total[k];
        if (search->growth->criterion == TREE_ENTROPY)
            search->total_logs += table_x_log_x(search, search->total[k]);
    }
    search->impurity = tree_class_impurity(search->growth->criterion, search->total, search->class_count, search->weight);
    search->slack = SLACK * search->weight;
    search->value = search->class_count > 0 ? search->total[search->class_count - 1] / search->weight : 0;
}

/* Returns the mean of y log(y / mean) - y + mean. */
static double poisson_impurity(const TreeSearch *search)
{
    const TreeRecord *list = search->lists[0];
    double sum = 0;

    for (uint32_t i = search->begin; i < search->end; i++) {
        double y = search->targets[list[i].row];

        if (y > 0)
            sum += tree_row_weight(search, list[i].row) * y * log(y / search->mean);
    }
    return fmax(0, sum / search->weight);
}

static void number_node(TreeSearch *search)
{
    const TreeRecord *list = search->lists[0];
    double sum = 0, squares = 0, first = search->targets[list[search->begin].row];
    bool equal = true;

    search->weight = 0;
    for (uint32_t i = search->begin; i < search->end; i++) {
        double w = tree_row_weight(search, list[i].row), y = search->targets[list[i].row];

        search->weight += w;
        sum += w * (y - first);
        equal = equal && y == first;
    }
    search->mean = first + sum / search->weight;
    search->value = search->mean;
    if (equal) {
        search->mean = search->value = first;
        search->impurity = 0;
    } else if (search->growth->criterion == TREE_MAE) {
        search->impurity = tree_mae_node(search, &search->value);
    } else if (search->growth->criterion == TREE_POISSON) {
        search->impurity = poisson_impurity(search);
    } else {
        for (uint32_t i = search->begin; i < search->end; i++) {
            double d = search->targets[list[i].row] - search->mean;

            squares += tree_row_weight(search, list[i].row) * d * d;
        }
        search->impurity = squares / search->weight;
    }
    search->slack = SLACK * search->weight * search->impurity;
}

void tree_search_node(TreeSearch *search, const double *known)
{
    if (search->classes != NULL) {
        class_node(search, known);
        return;
    }
    number_node(search);
    search->work += search->end - search->begin;
}

/* ---- scans for classes ---- */

/* The state of a scan: sums of both sides, from which the badness follows. */
typedef struct ClassScan {
    double *left, *right; /* [classes] */
    double left_weight, right_weight;
    double left_squares, right_squares;
    double left_logs, right_logs;
} ClassScan;

static inline __attribute__((always_inline)) void move_class(const TreeSearch *search, ClassScan *scan,
                                                             TreeCriterion criterion, uint32_t k, double w)
{
    double l = scan->left[k], r = scan->right[k];

    if (criterion == TREE_GINI || criterion == TREE_SQRT_GINI) {
        scan->left_squares += w * (2 * l + w);
        scan->right_squares -= w * (2 * r - w);
    } else if (criterion == TREE_ENTROPY) {
        scan->left_logs += table_x_log_x(search, l + w) - table_x_log_x(search, l);
        scan->right_logs += table_x_log_x(search, fmax(r - w, 0)) - table_x_log_x(search, r);
    }
    scan->left[k] = l + w;
    scan->right[k] = r - w > 0 ? r - w : 0;
    scan->left_weight += w;
    scan->right_weight -= w;
}

static double largest(const double *weights, uint32_t count)
{
    double most = 0;

    for (uint32_t k = 0; k < count; k++)
        most = weights[k] > most ? weights[k] : most;
    return most;
}

static inline __attribute__((always_inline)) double scan_badness(const TreeSearch *search, const ClassScan *scan,
                                                                 TreeCriterion criterion)
{
    double l = scan->left_weight, r = scan->right_weight;

    switch (criterion) {
    case TREE_GINI:
        return l + r - (scan->left_squares * r + scan->right_squares * l) / (l * r);
    case TREE_SQRT_GINI:
        return sqrt(fmax(0, l * l - scan->left_squares)) + sqrt(fmax(0, r * r - scan->right_squares));
    case TREE_ENTROPY:
        return table_x_log_x(search, l) - scan->left_logs + table_x_log_x(search, r) - scan->right_logs;
    default:
        return l - largest(scan->left, search->class_count) + r - largest(scan->right, search->class_count);
    }
}

/* Sums for the start of a scan: everything on the right, rows without a value on the left if they go there. */
static ClassScan scan_begin(TreeSearch *search, const TreeRecord *lacking, uint32_t count, bool missing_left)
{
    ClassScan scan = {.left = search->left,
                      .right = search->right,
                      .right_weight = search->weight,
                      .right_squares = search->total_squares,
                      .right_logs = search->total_logs};
    TreeCriterion criterion = search->growth->criterion;

    memset(scan.left, 0, search->class_count * sizeof(double));
    memcpy(scan.right, search->total, search->class_count * sizeof(double));
    for (uint32_t i = 0; missing_left && i < count; i++)
        move_class(search, &scan, criterion, search->classes[lacking[i].row], tree_row_weight(search, lacking[i].row));
    return scan;
}

/* Considers the split of a scan after position i of the list. */
static void consider_classes(TreeSearch *search, const ClassScan *scan, uint32_t slot, double decrease, uint32_t last,
                             uint32_t next, bool missing_left, bool any_missing)
{
    double left = 0, right = 0;

    if (search->growth->monotone != NULL) {
        left = scan->left[search->class_count - 1] / scan->left_weight; /* shares of the last class */
        right = scan->right[search->class_count - 1] / scan->right_weight;
        if (!tree_monotone_allowed(search, slot, &left, &right))
            return;
    }
    tree_take_number(search, slot, decrease, last, next, missing_left, any_missing, left, right);
}

/* Where a scan is: what it needs beside the sums. */
typedef struct ScanPlace {
    const TreeRecord *list;
    uint32_t slot, count, lacking;
    bool missing_left;
} ScanPlace;

static inline __attribute__((always_inline)) void scan_rows(TreeSearch *search, ClassScan *scan, const ScanPlace *place,
                                                            TreeCriterion criterion, bool weighted, double node)
{
    const TreeRecord *list = place->list;
    uint32_t count = place->count, extra = place->missing_left ? place->lacking : 0, rows = count + place->lacking;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = list[i].rank, next = i + 1 < count ? list[i + 1].rank : TREE_MISSING;
        double decrease;

        if (criterion == TREE_MINORITY && i % 1024 == 0 && search->class_count > MANY_CLASSES)
            search->env->poll(search->env); /* looks at every class after each row */
        move_class(search, scan, criterion, search->classes[list[i].row], weighted ? search->weights[list[i].row] : 1);
        if (next == rank)
            continue;
        if (!tree_sizes_allowed(search, i + 1 + extra, rows - (i + 1 + extra)))
            continue;
        decrease = node - scan_badness(search, scan, criterion);
        if (tree_better(search, decrease, place->slot) && decrease > -INFINITY && scan->right_weight > 0)
            consider_classes(search, scan, place->slot, decrease, rank, next, place->missing_left, place->lacking > 0);
    }
}

/* ---- a bar ---- */

/*
 * What a place must reach to be better than the best split: sum^2 scale / (weight (all - weight)) >= least, with sums of deviations from the mean.
 * Nearly no place does; the others are passed over without a division, a vector of them at a time. Forests of two classes take 1.18 times as long
 * without.
 */
typedef struct ScanBar {
    double all, share, scale, least; /* share: the mean, if sums are not of deviations */
} ScanBar;

/* Weights and sums of the rows up to each place. */
typedef struct ScanBlock {
    double weight[BLOCK], sum[BLOCK];
} ScanBlock;

static inline bool scan_reaches(const ScanBar *bar, double weight, double sum)
{
    sum -= weight * bar->share;
    return !(sum * sum * bar->scale < bar->least * (weight * (bar->all - weight))); /* what is no number passes */
}

#define SIMD_FILE "core/tree_growth/tree_split_simd.h"
#include "core/base/cpu_dispatch.h"

/* Raises a bar to the best split so far, less what rounding may change: slack. There is none where products may leave the range of whole digits. */
static void raise_bar(ScanBar *bar, const TreeSearch *search, uint32_t slot, double slack)
{
    const TreeSplit *best = &search->best;
    bool whole = search->weight > LEAST_WEIGHT && search->weight < 1 / LEAST_WEIGHT && best->decrease > LEAST_DECREASE;

    bar->least = !best->found || !whole ? -INFINITY : (slot < best->slot ? best->decrease - search->slack : best->decrease + search->slack) - slack;
}

/* Tells whether a block has to be looked at place by place. */
static bool scan_block(const ScanBlock *block, uint32_t count, const ScanBar *bar)
{
    return count < LEAST_BLOCK || SIMD_CALL(any_reaches, block, count, bar);
}

/*
 * The same for gini of two classes: W x gini = 2 w_1 (W - w_1) / W, of both sides with one division; it decreases by twice what the variance of
 * the second class does.
 */
static inline __attribute__((always_inline)) void scan_two(TreeSearch *search, ClassScan *scan, const ScanPlace *place,
                                                           bool weighted, double node)
{
    const TreeRecord *list = place->list;
    const uint16_t *classes = search->classes;
    const double *weights = search->weights;
    uint32_t count = place->count, extra = place->missing_left ? place->lacking : 0, rows = count + place->lacking;
    double l = scan->left_weight, l1 = scan->left[1], all = search->weight, all1 = search->total[1], slack = BAR_SLACK * all;
    ScanBar bar = {.all = all, .share = all1 / all, .scale = 2 * all};
    ScanBlock block;

    raise_bar(&bar, search, place->slot, slack);
    for (uint32_t from = 0; from < count; from += BLOCK) {
        uint32_t some = count - from < BLOCK ? count - from : BLOCK;

        for (uint32_t i = 0; i < some; i++) {
            uint32_t row = list[from + i].row;
            double w = weighted ? weights[row] : 1;

            block.weight[i] = l += w;
            block.sum[i] = l1 += classes[row] * w;
        }
        if (!scan_block(&block, some, &bar))
            continue;
        for (uint32_t i = from; i < from + some; i++) {
            uint32_t rank = list[i].rank, next = i + 1 < count ? list[i + 1].rank : TREE_MISSING;
            double a = block.weight[i - from], a1 = block.sum[i - from], r = all - a, r1 = all1 - a1, decrease;

            if (next == rank || !scan_reaches(&bar, a, a1) || !tree_sizes_allowed(search, i + 1 + extra, rows - (i + 1 + extra)))
                continue;
            decrease = node - 2 * (a1 * (a - a1) * r + r1 * (r - r1) * a) / (a * r);
            if (!tree_better(search, decrease, place->slot) || !(decrease > -INFINITY && r > 0))
                continue;
            scan->left[1] = a1;
            scan->right[1] = r1;
            scan->left_weight = a;
            scan->right_weight = r;
            consider_classes(search, scan, place->slot, decrease, rank, next, place->missing_left, place->lacking > 0);
            raise_bar(&bar, search, place->slot, slack);
        }
    }
}

/*
 * The same for gini of classes that are counted: with T_k all rows of a class and l_k those on the left,
 * sum r_k^2 = sum T_k^2 - 2 sum T_k l_k + sum l_k^2, so that a row changes one count.
 */
static void scan_counts(TreeSearch *search, ClassScan *scan, const ScanPlace *place, double node)
{
    const TreeRecord *list = place->list;
    const uint16_t *classes = search->classes;
    const double *total = search->total;
    uint32_t count = place->count, extra = place->missing_left ? place->lacking : 0, rows = count + place->lacking;
    double *left = scan->left, l = scan->left_weight, all = search->weight, squares = scan->left_squares, both = 0;
    double total_squares = search->total_squares, slack = BAR_SLACK * all;
    ScanBar bar;

    raise_bar(&bar, search, place->slot, slack);
    for (uint32_t k = 0; k < search->class_count; k++)
        both += total[k] * left[k];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = list[i].rank, next = i + 1 < count ? list[i + 1].rank : TREE_MISSING, k = classes[list[i].row];
        double before = left[k], r, sum, decrease;

        left[k] = before + 1;
        squares += 2 * before + 1;
        both += total[k];
        l += 1;
        if (next == rank)
            continue;
        if (!tree_sizes_allowed(search, i + 1 + extra, rows - (i + 1 + extra)))
            continue;
        r = all - l;
        sum = squares * r + (total_squares - 2 * both + squares) * l;
        if (sum < (all - node + bar.least) * (l * r))
            continue;
        decrease = node - (l + r - sum / (l * r));
        if (!tree_better(search, decrease, place->slot) || !(decrease > -INFINITY && r > 0))
            continue;
        tree_take_number(search, place->slot, decrease, rank, next, place->missing_left, place->lacking > 0, 0, 0);
        raise_bar(&bar, search, place->slot, slack);
    }
}

/* Chooses the loop that is compiled for the criterion. */
static void scan_side(TreeSearch *search, const ScanPlace *place, double node)
{
    ClassScan scan = scan_begin(search, place->list + place->count, place->lacking, place->missing_left);
    bool weighted = search->weights != NULL;

    tree_bound_sizes(search, place->list, place->count, place->lacking, place->missing_left);
    switch (search->growth->criterion) {
    case TREE_GINI:
        if (search->class_count == 2 && weighted)
            scan_two(search, &scan, place, true, node);
        else if (search->class_count == 2)
            scan_two(search, &scan, place, false, node);
        else if (weighted)
            scan_rows(search, &scan, place, TREE_GINI, true, node);
        else /* more than two classes: there are no monotone constraints */
            scan_counts(search, &scan, place, node);
        break;
    case TREE_ENTROPY:
        scan_rows(search, &scan, place, TREE_ENTROPY, weighted, node);
        break;
    case TREE_SQRT_GINI:
        scan_rows(search, &scan, place, TREE_SQRT_GINI, weighted, node);
        break;
    default:
        scan_rows(search, &scan, place, TREE_MINORITY, weighted, node);
    }
}

static void scan_class_list(TreeSearch *search, uint32_t slot, uint32_t count, uint32_t lacking)
{
    ScanPlace place = {search->lists[slot] + search->begin, slot, count, lacking, false};
    double node = search->weight * search->impurity;

    scan_side(search, &place, node);
    place.missing_left = true;
    if (lacking > 0)
        scan_side(search, &place, node);
}

/* ---- scans for numbers ---- */

static void consider_number(TreeSearch *search, uint32_t slot, double decrease, const TreeSide *left, const TreeSide *right,
                            uint32_t last, uint32_t next, bool missing_left, bool any_missing)
{
    double l = 0, r = 0;

    if (search->growth->monotone != NULL) {
        l = search->mean + left->sum / left->weight;
        r = search->mean + right->sum / right->weight;
        if (!tree_monotone_allowed(search, slot, &l, &r))
            return;
    }
    tree_take_number(search, slot, decrease, last, next, missing_left, any_missing, l, r);
}

static inline __attribute__((always_inline)) void scan_sums(TreeSearch *search, const ScanPlace *place, TreeSide left,
                                                            bool poisson, bool weighted, double node)
{
    const TreeRecord *list = place->list;
    const double *targets = search->targets, *weights = search->weights;
    uint32_t count = place->count, extra = place->missing_left ? place->lacking : 0, rows = count + place->lacking;
    double mean = search->mean, all = search->weight;
    ScanBar bar = {.all = all, .scale = all, .least = -INFINITY};
    ScanBlock block;

    if (!poisson)
        raise_bar(&bar, search, place->slot, BAR_SLACK * search->best.decrease);
    for (uint32_t from = 0; from < count; from += BLOCK) {
        uint32_t some = count - from < BLOCK ? count - from : BLOCK;

        for (uint32_t i = 0; i < some; i++) {
            uint32_t row = list[from + i].row;
            double w = weighted ? weights[row] : 1;

            block.weight[i] = left.weight += w;
            block.sum[i] = left.sum += w * (targets[row] - mean);
        }
        if (!scan_block(&block, some, &bar))
            continue;
        for (uint32_t i = from; i < from + some; i++) {
            uint32_t rank = list[i].rank, next = i + 1 < count ? list[i + 1].rank : TREE_MISSING;
            TreeSide before = {.weight = block.weight[i - from], .sum = block.sum[i - from]};
            TreeSide after = {.weight = all - before.weight, .sum = -before.sum};
            double decrease;

            if (next == rank || !scan_reaches(&bar, before.weight, before.sum) || !tree_sizes_allowed(search, i + 1 + extra, rows - (i + 1 + extra)))
                continue;
            decrease = poisson ? node - tree_number_badness(search, before.weight, before.sum, after.weight, after.sum)
                               : before.sum * before.sum * all / (before.weight * after.weight);
            if (!tree_better(search, decrease, place->slot) || !(decrease > -INFINITY && after.weight > 0))
                continue;
            consider_number(search, place->slot, decrease, &before, &after, rank, next, place->missing_left, place->lacking > 0);
            if (!poisson)
                raise_bar(&bar, search, place->slot, BAR_SLACK * search->best.decrease);
        }
    }
}

static void scan_number_side(TreeSearch *search, const ScanPlace *place)
{
    const TreeRecord *lacking = place->list + place->count;
    bool poisson = search->growth->criterion == TREE_POISSON, weighted = search->weights != NULL;
    double node = poisson ? -search->mean * search->weight * log(search->mean) : 0;
    TreeSide left = {0};

    tree_bound_sizes(search, place->list, place->count, place->lacking, place->missing_left);
    for (uint32_t i = 0; place->missing_left && i < place->lacking; i++) {
        double w = tree_row_weight(search, lacking[i].row);

        left.weight += w;
        left.sum += w * (search->targets[lacking[i].row] - search->mean);
    }
    if (poisson)
        scan_sums(search, place, left, true, weighted, node);
    else if (weighted)
        scan_sums(search, place, left, false, true, node);
    else
        scan_sums(search, place, left, false, false, node);
}

static void scan_number_list(TreeSearch *search, uint32_t slot, uint32_t count, uint32_t lacking)
{
    ScanPlace place = {search->lists[slot] + search->begin, slot, count, lacking, false};

    scan_number_side(search, &place);
    place.missing_left = true;
    if (lacking > 0)
        scan_number_side(search, &place);
}

/* ---- a slot ---- */

/* Returns how many of the node's rows have a value: those without are last. */
static uint32_t rows_with_value(const TreeSearch *search, uint32_t slot)
{
    const TreeRecord *list = search->lists[slot];
    uint32_t low = search->begin, high = search->end;

    if (search->columns->columns[slot].missing == 0 || list[high - 1].rank != TREE_MISSING)
        return high - low;
    while (low < high) {
        uint32_t half = low + (high - low) / 2;

        if (list[half].rank == TREE_MISSING)
            high = half;
        else
            low = half + 1;
    }
    return low - search->begin;
}

/* Searches one slot for the best split. */
static void search_slot(TreeSearch *search, uint32_t slot)
{
    const TreeRecord *list = search->lists[slot] + search->begin;
    uint32_t rows = search->end - search->begin, count = rows_with_value(search, slot), lacking = rows - count;

    if (count == 0 || (lacking == 0 && list[0].rank == list[count - 1].rank))
        return;
    if (search->columns->columns[slot].category)
        tree_scan_category(search, slot, list, count, lacking);
    else if (search->classes != NULL)
        scan_class_list(search, slot, count, lacking);
    else if (search->growth->criterion == TREE_MAE)
        tree_scan_mae(search, slot, count, lacking);
    else
        scan_number_list(search, slot, count, lacking);
}

/*
 * Searches the slots, or some that are drawn. Those without two values count, but more are drawn until there is a split. With random thresholds all are drawn:
 * tree_better needs their order.
 */
static void search_slots(TreeSearch *search)
{
    uint32_t slots = search->columns->slots, wanted = search->growth->max_features;
    bool all = wanted == 0 || wanted >= slots, in_order = all && !search->growth->random_thresholds;

    search->best = (TreeSplit){.found = false};
    for (uint32_t i = 0; i < slots && (all || i < wanted || !search->best.found); i++) {
        uint32_t j = in_order ? i : i + random_below(&search->random, slots - i), slot = search->features[j];

        search->features[j] = search->features[i];
        search->features[i] = slot;
        search->work += search->end - search->begin;
        if (search->work > POLL_WORK) {
            search->env->poll(search->env);
            search->work = 0;
        }
        if (search->growth->random_thresholds)
            tree_draw_slot(search, slot);
        else
            search_slot(search, slot);
    }
}

/* Sets the threshold of a split on a number, once it is known to be the best. */
static void finish_number(TreeSearch *search)
{
    TreeSplit *best = &search->best;
    const double *values = search->columns->columns[best->slot].values;

    if (search->growth->random_thresholds) {
        best->low = best->threshold;
        best->high = nextafter(best->threshold, INFINITY);
        return;
    }
    best->low = values[best->last];
    best->high = best->next == TREE_MISSING ? INFINITY : values[best->next];
    best->threshold = best->next == TREE_MISSING ? INFINITY : bin_midpoint(best->low, best->high);
    if (best->next == TREE_MISSING)
        best->last = TREE_MISSING - 1;
}

void tree_search_split(TreeSearch *search)
{
    bool drawn = search->growth->random_thresholds;

    if (drawn && search->classes == NULL)
        tree_draw_numbers(search);
    search_slots(search);
    if (search->best.found && !search->best.category)
        finish_number(search);
}
