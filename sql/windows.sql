-- Moving frames: what a restart over the frame's rows would give, at a cost per row that does not depend on its length.
SET search_path = public, test, pgfit;
SET client_min_messages = error; -- frames of few rows warn
CREATE TABLE series AS
SELECT i, i % 3 AS g, (i::bigint * i * 7919 % 1009) / 1009.0::float8 AS a, (i::bigint * i * i * 104729 % 997) / 997.0::float8 AS b,
       'level ' || (i / 40) % 4 + i % 2 AS level, i % 3 AS w
FROM generate_series(1, 300) AS i;
ALTER TABLE series ADD y float8;
UPDATE series SET y = 3 + 2 * a - b + i % 2 + (i * 65537::bigint % 211) / 2110.0;

-- each: an aggregate call over a frame, and the same over the rows of the frame by themselves; a frame of
-- too few rows for a fit, an error elsewhere, gives NULL
CREATE FUNCTION test.window_equals_restart(call text, before int, after int, tolerance float8 DEFAULT 1e-10, rows int DEFAULT 300)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE result boolean;
BEGIN
    EXECUTE format($q$
        SELECT count(w.m) > 0.85 * count(*) AND bool_and((w.m IS NULL) = (r.m IS NULL) AND (w.m IS NULL OR same_fit(w.m, r.m, %4$s)))
        FROM (SELECT i, %1$s OVER (ORDER BY i ROWS BETWEEN %2$s PRECEDING AND %3$s FOLLOWING) AS m FROM series WHERE i <= %5$s) w,
             LATERAL (SELECT %1$s AS m FROM series s WHERE s.i BETWEEN w.i - %2$s AND w.i + %3$s AND s.i <= %5$s AND w.m IS NOT NULL) r
        WHERE w.i > 12$q$, call, before, after, tolerance, rows) INTO result;
    RETURN result;
END
$$;
SELECT window_equals_restart('linear_regression(y, a)', 9, 0);
SELECT window_equals_restart('linear_regression(y, a)', 99, 0);
SELECT window_equals_restart('linear_regression(y, a)', 20, 20);
SELECT window_equals_restart('linear_regression(y, ARRAY[a, b])', 30, 0);
SELECT window_equals_restart('ridge_regression(y, (a, b), 0.3)', 17, 0);
SELECT window_equals_restart('ridge_regression(y, (a, b), 0.3, ''{"standardize": true}'')', 17, 5);
SELECT window_equals_restart('linear_regression(y, (a, b), ''{"level": 0.9}'')', 17, 5);
-- weights with zeros, NULL rows, NULL policies, FILTER
SELECT window_equals_restart('linear_regression(y, (a, b), NULL, w)', 25, 0);
SELECT window_equals_restart('linear_regression(y, (nullif(a, (SELECT s.a FROM series s WHERE s.i = 50)), b))', 25, 0);
SELECT window_equals_restart('linear_regression(CASE WHEN i % 5 > 0 AND i > 20 THEN y END, (a, b))', 25, 0);
SELECT window_equals_restart('linear_regression(y, (CASE WHEN i % 5 > 0 THEN a END, b), ''{"nulls": "impute"}'')', 25, 0, 1e-9);
SELECT bool_and((w.m IS NULL) = (r.m IS NULL) AND (w.m IS NULL OR same_fit(w.m, r.m, 1e-10)))
FROM (SELECT i, linear_regression(y, (a, b)) FILTER (WHERE i % 4 > 0) OVER (ORDER BY i ROWS 20 PRECEDING) AS m FROM series) w,
     LATERAL (SELECT linear_regression(y, (a, b)) FILTER (WHERE i % 4 > 0) AS m FROM series s WHERE s.i BETWEEN w.i - 20 AND w.i) r
WHERE w.i > 12;
-- levels that come and go
SELECT window_equals_restart('linear_regression(y, (a, level))', 30, 0, 1e-9);
-- partitions, peers, ranges, groups, exclusion, frames that do not move
SELECT bool_and((w.m IS NULL) = (r.m IS NULL) AND (w.m IS NULL OR same_fit(w.m, r.m, 1e-10)))
FROM (SELECT i, g, linear_regression(y, a) OVER (PARTITION BY g ORDER BY i RANGE BETWEEN 60 PRECEDING AND 10 FOLLOWING) AS m FROM series) w,
     LATERAL (SELECT linear_regression(y, a) AS m FROM series s WHERE s.g = w.g AND s.i BETWEEN w.i - 60 AND w.i + 10) r
WHERE w.i > 12;
SELECT bool_and(same_fit(w.m, r.m, 1e-10))
FROM (SELECT i, linear_regression(y, (a, b)) OVER (ORDER BY i / 10 GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW) AS m FROM series) w,
     LATERAL (SELECT linear_regression(y, (a, b)) AS m FROM series s WHERE s.i / 10 BETWEEN w.i / 10 - 2 AND w.i / 10) r;
SELECT bool_and(same_fit(w.m, r.m, 1e-10))
FROM (SELECT i, linear_regression(y, (a, b)) OVER (ORDER BY i ROWS BETWEEN 20 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS m FROM series) w,
     LATERAL (SELECT linear_regression(y, (a, b)) AS m FROM series s WHERE s.i BETWEEN w.i - 20 AND w.i - 1) r
WHERE w.i > 12;
SELECT bool_and(same_fit(w.m, r.m, 1e-10))
FROM (SELECT i, linear_regression(y, (a, b)) OVER (ORDER BY i) AS m FROM series) w,
     LATERAL (SELECT linear_regression(y, (a, b)) AS m FROM series s WHERE s.i <= w.i) r
WHERE w.i > 12 AND w.i % 10 = 0;
SELECT count(DISTINCT m) FROM (SELECT linear_regression(y, (a, b)) OVER () AS m FROM series) p;
-- frames that are empty at times
SELECT count(m), count(*) FROM (SELECT linear_regression(y, (a, b)) OVER (ORDER BY i ROWS BETWEEN 6 FOLLOWING AND 20 FOLLOWING) AS m FROM series) p;
SELECT count(m), count(*) FROM (SELECT linear_regression(y, a) FILTER (WHERE i BETWEEN 100 AND 120) OVER (ORDER BY i ROWS 5 PRECEDING) AS m FROM series) p;
-- moments of days in a moving month
CREATE TABLE days AS SELECT i / 10 AS day, moments(y, (a, b)) AS e FROM series GROUP BY 1;
SELECT bool_and(same_fit(w.m, r.m, 1e-10))
FROM (SELECT day, fit('linear_regression', merge(e) OVER (ORDER BY day ROWS 6 PRECEDING)) AS m FROM days) w,
     LATERAL (SELECT linear_regression(y, (a, b)) AS m FROM series s WHERE s.i / 10 BETWEEN w.day - 6 AND w.day) r;
SELECT bool_and(same_fit(w.m, r.m, 1e-10))
FROM (SELECT day, fit('ridge_regression', merge(CASE WHEN day % 4 > 0 THEN e END) OVER (ORDER BY day ROWS 6 PRECEDING), '{"lambda": 0.5}') AS m FROM days) w,
     LATERAL (SELECT ridge_regression(y, (a, b), 0.5) AS m FROM series s WHERE s.i / 10 BETWEEN w.day - 6 AND w.day AND s.i / 10 % 4 > 0) r
WHERE w.day > 0;
SELECT bool_and(near_all(feature_facts(w.m, 2), feature_facts(r.m, 2)))
FROM (SELECT i, feature_moments((a, b)) OVER (ORDER BY i ROWS 50 PRECEDING) AS m FROM series) w,
     LATERAL (SELECT feature_moments((a, b)) AS m FROM series s WHERE s.i BETWEEN w.i - 50 AND w.i) r
WHERE w.i > 12;
SELECT bool_and(info(m) -> 'rows' = to_jsonb(least(i, 51))) FROM (SELECT i, class_moments(level, (a, b)) OVER (ORDER BY i ROWS 50 PRECEDING) AS m FROM series) w;

-- no drift: far from the origin and after many rows, the numbers are still those of a restart
CREATE TABLE far AS SELECT i, 1e6 + (i::bigint * i * 7919 % 1009) / 1009.0::float8 AS a, 5e5 + (i::bigint * i * i * 104729 % 997) / 997.0::float8 AS y FROM generate_series(1, 5000) AS i;
SELECT bool_and(near_all(estimates(w.m), estimates(r.m), 1e-7))
FROM (SELECT i, linear_regression(y, a) OVER (ORDER BY i ROWS 99 PRECEDING) AS m FROM far) w,
     LATERAL (SELECT linear_regression(y, a) AS m FROM far s WHERE s.i BETWEEN w.i - 99 AND w.i) r
WHERE w.i > 100 AND w.i % 250 = 0;

-- frames of one class are NULL for every classifier that needs two, also where the rows are kept
SELECT bool_and(none = (logistic IS NULL) AND none = (ordinal IS NULL) AND none = (exemplar IS NULL) AND none = (knn IS NULL) AND none = (perceptron IS NULL) AND
                none = (kernel IS NULL) AND none = (svm IS NULL) AND none = (lda IS NULL) AND none = (platt IS NULL) AND none = (isotonic IS NULL)) AS same, count(*) FILTER (WHERE none) AS none
FROM (SELECT min(label::int) OVER w = max(label::int) OVER w AS none, logistic_regression(label, a, '{"lambda": 1}') OVER w AS logistic, ordinal_regression(label, a) OVER w AS ordinal,
          nearest_exemplar(label, a) OVER w AS exemplar, knn_classifier(label, a, '{"k": 1}') OVER w AS knn, perceptron(label, a) OVER w AS perceptron,
          perceptron(label, a, '{"kernel": "rbf"}') OVER w AS kernel, svm_classifier(label, a, '{"kernel": "linear"}') OVER w AS svm, lda(label, a) OVER w AS lda,
          platt_calibration(label, a) OVER w AS platt, isotonic_calibration(label, a) OVER w AS isotonic
      FROM (SELECT i, a, i % 10 < 4 AS label FROM series WHERE i <= 40) AS s WINDOW w AS (ORDER BY i ROWS 4 PRECEDING)) AS frames;
-- errors in a frame
SELECT try($$SELECT count(m) FROM (SELECT linear_regression(y, (a, CASE WHEN i = 200 THEN 'NaN' ELSE b END)) OVER (ORDER BY i ROWS 9 PRECEDING) AS m FROM series) p$$);
SELECT try($$SELECT count(m) FROM (SELECT ridge_regression(y, (a, b), i::float8) OVER (ORDER BY i ROWS 9 PRECEDING) AS m FROM series) p$$);
SELECT try($$SELECT fit('linear_regression', merge(e)) FROM days GROUP BY day ORDER BY day DESC LIMIT 1$$);
SELECT try($$SELECT count(m) FROM (SELECT fit('linear_regression', merge(e) OVER (ORDER BY day ROWS 2 PRECEDING)) AS m FROM (SELECT day, CASE WHEN day = 9 THEN (SELECT linear_regression(i, i) FROM series) ELSE e END AS e FROM days) d) p$$);
DROP TABLE series, days, far;
