"""Centers of rows: centroid, medoid and geometric median."""
from measure import Bar, Query, Section

SECTIONS = [
    Section("medoid of 20,000 rows of 3 features", [
        Query("centroid", "SELECT pgfit.centroid(x) IS NOT NULL FROM location_3"),
        Query("medoid", "SELECT pgfit.medoid(x) IS NOT NULL FROM location_3"),
        Query("geometric_median", "SELECT pgfit.geometric_median(x) IS NOT NULL FROM location_3"),
    ], [Bar("medoid", "geometric_median", None)]),
]
