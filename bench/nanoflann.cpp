// The k nearest of n rows, by nanoflann's k-d tree: what peer.py's native("nanoflann") loads.
#include <nanoflann.hpp>

struct Rows {
    const double *x;
    size_t n, d;
    size_t kdtree_get_point_count() const { return n; }
    double kdtree_get_pt(size_t row, size_t column) const { return x[row * d + column]; }
    template <class Box> bool kdtree_get_bbox(Box &) const { return false; }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Rows>, Rows, -1, size_t>;

struct Index {
    Rows rows;
    Tree tree;
    Index(const double *x, size_t n, size_t d) : rows{x, n, d}, tree(d, rows, {10}) { tree.buildIndex(); }
};

extern "C" void *index_new(const double *x, size_t n, size_t d)
{
    return new Index(x, n, d);
}

// Writes the rows and squared distances of the k nearest to each of m rows.
extern "C" void index_search(void *index, const double *queries, size_t m, size_t k, size_t *rows, double *distances)
{
    Index *in = static_cast<Index *>(index);
#pragma omp parallel for
    for (size_t i = 0; i < m; i++)
        in->tree.knnSearch(queries + i * in->rows.d, k, rows + i * k, distances + i * k);
}
