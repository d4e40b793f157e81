-- Nearest centroids: metrics, priors, categories, linear forms, moments, edges.
SET search_path = public, test, pgfit;
CREATE TABLE points AS
SELECT i, sin(i * 1.7) * 2 + CASE i % 3 WHEN 0 THEN 1 WHEN 1 THEN -1 ELSE 0 END AS a, cos(i * 2.3) + (i % 3) * 0.8 AS b,
    (ARRAY['low', 'mid', 'top'])[i % 3 + 1] AS three, i % 3 = 0 AS two, (ARRAY['u', 'v', 'w', 'x'])[(i * i) % 7 % 4 + 1] AS k, 1 + i % 2 AS w
FROM generate_series(1, 120) AS i;

-- the basic linear classifier: w = mean+ - mean-, t = (|mean+|^2 - |mean-|^2) / 2
SELECT near(e[2], p.a - n.a, 1e-12) AND near(e[3], p.b - n.b, 1e-12) AS w, near(-e[1], (p.a ^ 2 + p.b ^ 2 - n.a ^ 2 - n.b ^ 2) / 2, 1e-12) AS t
FROM (SELECT estimates(nearest_centroid(two, (a, b))) AS e FROM points) f, (SELECT avg(a) AS a, avg(b) AS b FROM points WHERE two) p, (SELECT avg(a) AS a, avg(b) AS b FROM points WHERE NOT two) n;
SELECT c.* FROM (SELECT nearest_centroid(l, f) AS m FROM (VALUES ('x', 1, 2, 'u'), ('x', 3, 4, 'v'), ('y', 10, 20, 'u')) AS t(l, a, b, k), LATERAL (SELECT a, k) AS f) q, centroids(m) c;

-- every metric: the class of the least distance; distances against their definitions
SELECT metric, bool_and(classify(m, (x.a, x.b)) = (classes(m))[place]) AS nearest, bool_and(near(distance(m, (x.a, x.b)), d[place])) AS least,
    bool_and(near_all(d, (SELECT array_agg(CASE metric WHEN 'euclidean' THEN sqrt((x.a - c.a) ^ 2 + (x.b - c.b) ^ 2) WHEN 'manhattan' THEN abs(x.a - c.a) + abs(x.b - c.b)
        WHEN 'chebyshev' THEN greatest(abs(x.a - c.a), abs(x.b - c.b)) WHEN 'cosine' THEN 1 - (x.a * c.a + x.b * c.b) / sqrt((x.a ^ 2 + x.b ^ 2) * (c.a ^ 2 + c.b ^ 2))
        WHEN 'standardized_euclidean' THEN sqrt((x.a - c.a) ^ 2 / s.aa + (x.b - c.b) ^ 2 / s.bb)
        ELSE sqrt(((x.a - c.a) ^ 2 * s.bb - 2 * (x.a - c.a) * (x.b - c.b) * s.ab + (x.b - c.b) ^ 2 * s.aa) / (s.aa * s.bb - s.ab ^ 2)) END ORDER BY c.three)
        FROM (SELECT three, avg(a) AS a, avg(b) AS b FROM points GROUP BY three) c), 1e-10)) AS distances
FROM points x, unnest(ARRAY['euclidean', 'manhattan', 'chebyshev', 'cosine', 'standardized_euclidean', 'mahalanobis']) AS metric,
    LATERAL (SELECT nearest_centroid(three, (p.a, p.b), jsonb_build_object('metric', metric)) AS m FROM points p) f, LATERAL (SELECT distances(m, (x.a, x.b)) AS d) d,
    LATERAL (SELECT n::int AS place FROM unnest(d) WITH ORDINALITY AS u(v, n) ORDER BY v, n LIMIT 1) l,
    (SELECT avg((a - ma) ^ 2) AS aa, avg((a - ma) * (b - mb)) AS ab, avg((b - mb) ^ 2) AS bb FROM (SELECT a, b, avg(a) OVER g AS ma, avg(b) OVER g AS mb FROM points WINDOW g AS (PARTITION BY three)) w) s
GROUP BY metric ORDER BY metric;

-- scores: minus half the squared distance and the log prior; of two classes their difference, which is linear
SELECT metric, bool_and(near(decision(m, (a, b)), d[2] - d[1], 1e-9)) AS difference, bool_and(near(decision(m, (a, b)), e[1] + e[2] * a + e[3] * b, 1e-8)) AS linear,
    bool_and(near(d[1], ln(0.9) - (distances(m, (a, b)))[1] ^ 2 / 2, 1e-11)) AS scores
FROM points, unnest(ARRAY['euclidean', 'standardized_euclidean', 'mahalanobis']) AS metric,
    LATERAL (SELECT nearest_centroid(two, (p.a, p.b), jsonb_build_object('metric', metric, 'priors', '{"true": 0.1, "false": 0.9}'::jsonb)) AS m FROM points p) f,
    LATERAL (SELECT decisions(m, (a, b)) AS d, estimates(m) AS e) d GROUP BY metric ORDER BY metric;
SELECT bool_and(near(c[1] - c[2], d[1] - d[2], 1e-9)) AS of_classes FROM points, (SELECT nearest_centroid(three, (a, b), '{"metric": "mahalanobis", "priors": "data"}') AS m FROM points) f,
    LATERAL (SELECT decisions(m, (a, b)) AS d, ARRAY(SELECT sum(estimate * CASE term WHEN 'f1' THEN a WHEN 'f2' THEN b ELSE 1 END) FROM coefficients(m) GROUP BY class ORDER BY class) AS c) d;
-- with mahalanobis and the shares of the rows it is linear discriminant analysis
SELECT bool_and(classify(m, (a, b)) = classify(l, (a, b))) AS lda FROM points, (SELECT nearest_centroid(three, (a, b), '{"metric": "mahalanobis", "priors": "data"}') AS m, lda(three, (a, b)) AS l FROM points) f;
-- the other class as the positive one
SELECT bool_and(near(decision(n, (a, b)), -decision(p, (a, b)))) AS turned, bool_and(classify(n, (a, b)) = classify(p, (a, b))) AS same
FROM points, (SELECT nearest_centroid(two, (a, b), '{"positive": false}') AS n, nearest_centroid(two, (a, b)) AS p FROM points) f;
-- halfway: the first class, the positive one, or none; of several classes the first
SELECT t, classify(m, 0) FROM unnest(ARRAY['negative', 'positive', 'null']) AS t, LATERAL (SELECT nearest_centroid(y, x, jsonb_build_object('tie', t)) AS m FROM (VALUES (false, -1), (true, 1)) AS v(y, x)) f;
SELECT classify(nearest_centroid(y, x), 0) FROM (VALUES ('b', -1), ('c', 1), ('a', 9)) AS v(y, x);

-- two levels of a category are 1 apart by the metrics that add up or take the largest
SELECT metric, distances(m, (1, 'u'::text)) AS same, distances(m, (1, 'v'::text)) AS other, ARRAY(SELECT round(d::numeric, 6) FROM unnest(distances(m, (4, 'u'::text))) AS d) AS far
FROM unnest(ARRAY['euclidean', 'manhattan', 'chebyshev']) AS metric, LATERAL (SELECT nearest_centroid(l, (a, k), jsonb_build_object('metric', metric)) AS m FROM (VALUES ('p', 1, 'u'), ('q', 1, 'v')) AS t(l, a, k)) f;
-- text works with standardized and decorrelated distances too; an unseen level equals no category
SELECT metric, avg((classify(m, (a, k)) = three)::int) > 0.4 AS fits, classify(m, (0.5, 'new'::text)) IS NOT NULL AS unseen
FROM points, unnest(ARRAY['standardized_euclidean', 'mahalanobis', 'cosine']) AS metric, LATERAL (SELECT nearest_centroid(three, (a, k), jsonb_build_object('metric', metric)) AS m FROM points p) f GROUP BY metric, m ORDER BY metric;
-- a row of zeros has no direction
SELECT classify(m, ARRAY[0, 0]) IS NULL AS class, distance(m, ARRAY[0, 0]) IS NULL AS distance, distances(m, ARRAY[0, 0]) IS NULL AS distances, decisions(m, ARRAY[0, 0]) IS NULL AS decisions FROM (SELECT nearest_centroid(three, ARRAY[a, b], '{"metric": "cosine"}') AS m FROM points) f;

-- the same from merged moments, weights, counts, windows, any order
SELECT near_all(parameter(nearest_centroid(three, (a, k)), 'centroids'), (SELECT parameter(fit('nearest_centroid', merge(e)), 'centroids') FROM (SELECT class_moments(three, (a, k)) AS e FROM points GROUP BY i % 7) p), 1e-12) AS merged,
    near_all(parameter(nearest_centroid(two, (a, b), '{"metric": "mahalanobis"}', w), 'covariance'), (SELECT parameter(nearest_centroid(two, (a, b), '{"metric": "mahalanobis"}'), 'covariance') FROM points, generate_series(1, w)), 1e-12) AS repeated FROM points;
SELECT count(*) FILTER (WHERE m IS NULL) AS too_few, bool_and(CASE WHEN m IS NULL THEN i < 3 ELSE near_all(parameter(m, 'centroids'), (SELECT parameter(nearest_centroid(two, (a, b)), 'centroids') FROM points p WHERE p.i BETWEEN r.i - 15 AND r.i), 1e-11) END) AS rolling
FROM (SELECT i, nearest_centroid(two, (a, b)) OVER (ORDER BY i ROWS 15 PRECEDING) AS m FROM points) r;
SELECT m::text::model = m AS text, m::jsonb::model = m AS json, info(m) -> 'implementation' -> 'arrays' AS arrays FROM (SELECT nearest_centroid(two, (a, k), '{"metric": "mahalanobis", "priors": "data", "tie": "null"}') AS m FROM points) f;
SELECT summary(m) FROM (SELECT nearest_centroid(l, f) AS m FROM (VALUES ('x', 1, 2, 'u'), ('x', 3, 4, 'v'), ('y', 10, 20, 'u')) AS t(l, a, b, k), LATERAL (SELECT a, k) AS f) q;

-- to_sql: the score of two classes, the class of more
SELECT to_sql(nearest_centroid(two, f, '{"metric": "mahalanobis", "priors": "data"}')) AS score, to_sql(nearest_centroid(three, f, '{"metric": "standardized_euclidean"}')) AS class FROM points, LATERAL (SELECT a, k) AS f
\gset
SELECT bool_and(near(score, decision(s, f), 1e-8)) AS score, bool_and(class = classify(c, f)) AS class
FROM (SELECT nearest_centroid(two, f, '{"metric": "mahalanobis", "priors": "data"}') AS s, nearest_centroid(three, f, '{"metric": "standardized_euclidean"}') AS c FROM points, LATERAL (SELECT a, k) AS f) m,
    (SELECT a, k, :score AS score, :class AS class FROM points) p, LATERAL (SELECT a, k) AS f;
SELECT (SELECT :class FROM (SELECT NULL::float8 AS a, 'u' AS k) p) IS NULL AS null_feature;

-- explain: one part per feature, which add up to the score
SELECT metric, bool_and(near((SELECT sum(contribution) FROM explain(t, f)), decision(t, f), 1e-9)) AS of_two,
    bool_and(near_all(ARRAY(SELECT sum(contribution) FROM explain(q, f) GROUP BY class ORDER BY class), decisions(q, f), 1e-9)) AS of_several
FROM points, LATERAL (SELECT a, k) AS f, unnest(ARRAY['euclidean', 'manhattan', 'standardized_euclidean', 'mahalanobis']) AS metric,
    LATERAL (SELECT nearest_centroid(two, g, jsonb_build_object('metric', metric) || CASE metric WHEN 'manhattan' THEN '{}' ELSE '{"priors": "data"}' END::jsonb) AS t, nearest_centroid(three, g, jsonb_build_object('metric', metric)) AS q
             FROM points p, LATERAL (SELECT p.a, p.k) AS g) m
WHERE i < 20 GROUP BY metric ORDER BY metric;
SELECT try($$SELECT explain(nearest_centroid(three, a, '{"metric": "cosine"}'), 1) FROM points$$);

-- bad input
SELECT try($$SELECT nearest_centroid('one', a) FROM points$$);
SELECT nearest_centroid('one', a, '{"too_few_rows": "null"}') IS NULL AS no_model FROM points;
SELECT nearest_centroid(NULL::text, a) IS NULL AS all_null FROM points;
SELECT try($$SELECT nearest_centroid(three, a, '{"metric": "hamming"}') FROM points$$);
SELECT try($$SELECT nearest_centroid(three, a, '{"priors": {"low": 0.5, "mid": 0.5}}') FROM points$$);
SELECT try($$SELECT nearest_centroid(three, a, '{"priors": {"low": 0.5, "mid": 0.5, "top": 0.5}}') FROM points$$);
SELECT try($$SELECT nearest_centroid(three, a, '{"priors": {"low": 0.5, "mid": 0.5, "top": -1}}') FROM points$$);
SELECT try($$SELECT nearest_centroid(three, a, '{"priors": "data", "metric": "manhattan"}') FROM points$$) ~ '^ok' AS equal_shares_are_no_priors;
SELECT try($$SELECT nearest_centroid(two, a, '{"priors": "data", "metric": "manhattan"}') FROM points$$);
SELECT try($$SELECT nearest_centroid(three, (a, 7), '{"metric": "standardized_euclidean"}') FROM points$$);
SELECT try($$SELECT nearest_centroid(three, f, '{"metric": "mahalanobis"}') FROM points, LATERAL (SELECT a, b, a - b AS c) AS f$$);
SELECT try($$SELECT nearest_centroid(three, f, '{"metric": "mahalanobis"}') FROM points, LATERAL (SELECT a, 7 AS seven) AS f$$);
SELECT try($$SELECT nearest_centroid(y, x, '{"metric": "cosine"}') FROM (VALUES ('a', 1), ('b', -1), ('b', 1)) AS t(y, x)$$);
SELECT try($$SELECT coefficients(nearest_centroid(three, a, '{"metric": "manhattan"}')) FROM points$$);
SELECT try($$SELECT to_sql(nearest_centroid(three, a, '{"metric": "cosine"}')) FROM points$$);
SELECT try($$SELECT nearest_centroid(three, 'infinity'::float8) FROM points$$);
SELECT split_part(try($$SELECT centroids(linear_regression(a, b)) FROM points$$), E'\n', 1);
SELECT split_part(try($$SELECT centroids(class_moments(three, b)) FROM points$$), E'\n', 1);
-- far away and huge
SELECT near(decision(m, 1e9 + 2), 1, 1e-6) AS offset_kept FROM (SELECT nearest_centroid(y, x) AS m FROM (VALUES (0, 1e9), (1, 1e9 + 2), (1, 1e9 + 3), (0, 1e9 + 1)) AS t(y, x)) f;
SELECT distance(m, 1.5e308) AS huge, try(format('SELECT decision(%L::model, 1.5e308)', m)) ~ '^22003' AS refused FROM (SELECT nearest_centroid(y, x) AS m FROM (VALUES (0, 1e308), (1, -1e308)) AS t(y, x)) f;

-- decisions and contributions at a centroid were -0
SELECT metric, decisions(m, 2), (SELECT array_agg(contribution::text) FROM explain(m, 2)) AS parts FROM (SELECT metric, nearest_centroid(y, x, jsonb_build_object('metric', metric)) AS m FROM (VALUES ('a', 2), ('b', 4)) AS t(y, x), unnest('{euclidean,manhattan}'::text[]) AS metric GROUP BY metric) AS f ORDER BY metric;

-- typed models: whatever the numbers, an answer or an error
CREATE TABLE forged AS SELECT nearest_centroid(two, (a, b), '{"metric": "mahalanobis", "priors": "data", "tie": "null"}')::text AS t, nearest_centroid(three, (a, k), '{"metric": "standardized_euclidean"}')::text AS s FROM points;
SELECT try(format('SELECT classify(%L::model, (1, 2))', regexp_replace(t, '"covariance_packed":\[[^]]*\]', '"covariance_packed":[1,2,1]'))) FROM forged;
SELECT try(format('SELECT %L::model', regexp_replace(t, '"covariance_packed":\[[^]]*\]', '"covariance_packed":[1,2]'))) FROM forged;
SELECT try(format('SELECT %L::model', regexp_replace(t, '"metric":\{"i64":\[9\]\}', '"metric":{"i64":[6]}'))) FROM forged;
SELECT try(format('SELECT %L::model', regexp_replace(t, '"metric":\{"i64":\[9\]\}', '"metric":{"i64":[1]}'))) FROM forged;
SELECT try(format('SELECT %L::model', regexp_replace(t, '"class_rule":\[[^]]*\]', '"class_rule":[2,0,0.5]'))) FROM forged;
SELECT try(format('SELECT %L::model', regexp_replace(t, '"shape":\[2,2\]', '"shape":[1,4]'))) FROM forged;
SELECT try(format('SELECT %L::model', regexp_replace(s, '"column_level":\{"i64":\[[^]]*\]\}', '"column_level":{"i64":[-1,0,1,2,9]}'))) FROM forged;
SELECT try(format('SELECT %L::model', regexp_replace(s, '"scales":\[[^]]*\]', '"scales":[1,1,1,1,0]'))) FROM forged;
DROP TABLE points, forged;
