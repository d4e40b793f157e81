"""k-medoids: rows of 8 features in 20 clusters."""
from measure import Bar, Query, Section


def medoids(options):
    return f"SELECT pgfit.kmedoids(x, 20, '{options}') IS NOT NULL FROM kmedoids_8"


SECTIONS = [
    Section("k-medoids, 10,000 rows, k = 20", [
        Query("pam, eager swaps", medoids("{}")),
        Query("pam, the best swap each time", medoids('{"swap": "best"}')),
        Query("pam from a sampled start", medoids('{"init": "lab"}')),
        Query("alternate", medoids('{"algorithm": "alternate"}')),
        Query("clara", medoids('{"algorithm": "clara"}')),
    ], [
        Bar("pam, eager swaps", "pam, the best swap each time", 0.5),
        Bar("pam from a sampled start", "pam, eager swaps", 1.1),
        Bar("clara", "pam, eager swaps", 0.1),
    ]),
]
