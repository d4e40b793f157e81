-- Table of bench/metrics.py: labels with scores, probabilities and predictions.
CREATE TABLE metrics_rows AS
SELECT truth, CASE WHEN truth THEN 'positive' ELSE 'negative' END AS label,
       CASE WHEN score > 0.5 THEN 'positive' ELSE 'negative' END AS label_predicted, score, 0.5 + random() AS weight,
       (random() * 9)::int AS digit, (random() * 9)::int AS digit_predicted
FROM (SELECT u < 0.4 AS truth, greatest(1e-6, least(1 - 1e-6, 0.3 + (u < 0.4)::int * 0.3 + (random() - 0.5) * 0.7)) AS score
      FROM (SELECT random() AS u FROM generate_series(1, :rows) OFFSET 0) r OFFSET 0) s;
