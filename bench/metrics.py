"""Evaluation metrics, beside the server's own sort, counts and averages."""
from measure import Bar, Query, Section

SECTIONS = [
    Section("ranking metrics, 1,000,000 scores", [
        Query("ORDER BY score", "SELECT count(*) FROM (SELECT score FROM metrics_rows ORDER BY score OFFSET 0) s"),
        Query("roc_auc", "SELECT pgfit.roc_auc(truth, score) FROM metrics_rows"),
        Query("roc_auc, text labels", "SELECT pgfit.roc_auc(label, score) FROM metrics_rows"),
        Query("roc_auc, weights", "SELECT pgfit.roc_auc(truth, score, NULL, weight) FROM metrics_rows"),
        Query("average_precision", "SELECT pgfit.average_precision(truth, score) FROM metrics_rows"),
        Query("isotonic_calibration", "SELECT pgfit.isotonic_calibration(truth, score) IS NOT NULL FROM metrics_rows"),
        Query("roc_auc, 4 MB", "SELECT pgfit.roc_auc(truth, score) FROM metrics_rows", ["pgfit.fit_mem = '4MB'"]),
        Query("ORDER BY score, 4 MB", "SELECT count(*) FROM (SELECT score FROM metrics_rows ORDER BY score OFFSET 0) s",
              ["work_mem = '4MB'"]),
    ], [
        Bar("roc_auc", "ORDER BY score", 1.5),
        Bar("roc_auc, text labels", "ORDER BY score", 1.5),
        Bar("roc_auc, weights", "ORDER BY score", 1.5),
        Bar("average_precision", "ORDER BY score", 1.5),
        Bar("isotonic_calibration", "ORDER BY score", 1.5),
        Bar("roc_auc, 4 MB", "ORDER BY score, 4 MB", 1.5),
    ], settings=["work_mem = '256MB'", "max_parallel_workers_per_gather = 0"]),
    Section("metrics of classes, 1,000,000 rows", [
        Query("count(*) FILTER, integers", "SELECT count(*) FILTER (WHERE digit = digit_predicted)::float8 / count(*) FROM metrics_rows"),
        Query("accuracy, integers", "SELECT pgfit.accuracy(digit, digit_predicted) FROM metrics_rows"),
        Query("count(*) FILTER, text", "SELECT count(*) FILTER (WHERE label = label_predicted)::float8 / count(*) FROM metrics_rows"),
        Query("accuracy, text", "SELECT pgfit.accuracy(label, label_predicted) FROM metrics_rows"),
        Query("f1_score, text", "SELECT pgfit.f1_score(label, label_predicted) FROM metrics_rows"),
        Query("three metrics of one table", "SELECT pgfit.precision_score(label, label_predicted), pgfit.recall_score(label, label_predicted), "
              "pgfit.f1_score(label, label_predicted) FROM metrics_rows"),
        Query("confusion_matrix, integers", "SELECT pgfit.confusion_matrix(digit, digit_predicted) FROM metrics_rows"),
        Query("GROUP BY both, integers", "SELECT digit, digit_predicted, count(*) FROM metrics_rows GROUP BY 1, 2"),
        Query("avg(ln)", "SELECT -avg(CASE WHEN truth THEN ln(score) ELSE ln(1 - score) END) FROM metrics_rows"),
        Query("log_loss", "SELECT pgfit.log_loss(truth, score) FROM metrics_rows"),
        Query("brier_score", "SELECT pgfit.brier_score(truth, score) FROM metrics_rows"),
    ], [
        Bar("accuracy, integers", "count(*) FILTER, integers", 1.5),
        Bar("accuracy, text", "count(*) FILTER, text", 1.5),
        Bar("f1_score, text", "accuracy, text", 2.5),
        Bar("three metrics of one table", "f1_score, text", 1.3),
        Bar("confusion_matrix, integers", "GROUP BY both, integers", 3),
        Bar("log_loss", "avg(ln)", 2.5),
        Bar("brier_score", "avg(ln)", None),
    ], settings=["max_parallel_workers_per_gather = 0"]),
]
