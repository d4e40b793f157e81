-- Properties of centers: centroid, geometric_median, medoid, distance_histogram.
BEGIN;
SELECT plan(24);
\ir tap/properties.sql

SELECT pg_temp.moments_properties('centroid', '', '{}', 'distance');
SELECT pg_temp.rows_properties('geometric_median', '', '{}', 'distance');
SELECT pg_temp.rows_properties('medoid', '', '{"metric": "manhattan"}', 'distance');

-- no other point has a smaller sum of distances, or of squared ones
SELECT ok(bool_and(s.median <= s.other * (1 + 1e-12)), 'geometric_median: no other point has a smaller sum of distances'), ok(bool_and(s.mean <= s.other_squares * (1 + 1e-12)), 'centroid: no other point has a smaller sum of squares')
FROM pg_temp.fit('geometric_median(f)') AS g, pg_temp.fit('centroid(f)') AS k, rows AS q,
     LATERAL (SELECT sum(distance(g, f)) AS median, sum(distance(k, f) ^ 2) AS mean, sum(euclidean_distance(ARRAY[rows.a, rows.b], ARRAY[q.a, q.b])) AS other,
                     sum(euclidean_distance(ARRAY[rows.a, rows.b], ARRAY[q.a, q.b]) ^ 2) AS other_squares FROM rows, LATERAL (SELECT a, b) AS f) AS s WHERE q.id < 40;
SELECT ok(pg_temp.near(sum(distance(m, f)), (SELECT min(d) FROM (SELECT sum(euclidean_distance(ARRAY[p.a, p.b], ARRAY[q.a, q.b])) AS d FROM rows AS p, rows AS q GROUP BY q.id) AS t), 1e-9), 'medoid: the row with the least sum of distances')
FROM pg_temp.fit('medoid(f)') AS m, rows, LATERAL (SELECT a, b) AS f;
-- in one dimension the geometric median is the median
SELECT ok(pg_temp.near(distance(geometric_median(a), 0::float8), abs(percentile_cont(0.5) WITHIN GROUP (ORDER BY a)), 1e-9), 'geometric_median: the median of one feature')
FROM rows WHERE id < 300;
-- moved and turned rows have a moved and turned center
SELECT ok(bool_and(pg_temp.near(distance(x, ARRAY[a, b]), distance(z, ARRAY[0.6 * a - 0.8 * b + 9, 0.8 * a + 0.6 * b - 4]), 1e-6)), name || ': moves and turns with the rows')
FROM (SELECT 'geometric_median' AS name, geometric_median(ARRAY[a, b]) AS x, geometric_median(ARRAY[0.6 * a - 0.8 * b + 9, 0.8 * a + 0.6 * b - 4]) AS z FROM rows
      UNION ALL SELECT 'centroid', centroid(ARRAY[a, b]), centroid(ARRAY[0.6 * a - 0.8 * b + 9, 0.8 * a + 0.6 * b - 4]) FROM rows) AS m, rows GROUP BY name ORDER BY name;
-- every pair is in a bucket
SELECT ok(sum(count) = 300 * 299 / 2, 'distance_histogram: counts every pair') FROM pg_temp.fit('distance_histogram(f, 8)') AS m, histogram(m);
SELECT ok(m::text::model = m AND m::jsonb::model = m, 'distance_histogram: text and jsonb keep it') FROM pg_temp.fit('distance_histogram(f, 8)') AS m;

SELECT * FROM finish();
ROLLBACK;
