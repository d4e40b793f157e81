-- Properties of clusterings: kmeans, kmedoids, kernel_kmeans, gaussian_mixture, hierarchical.
BEGIN;
SELECT plan(41);
\ir tap/properties.sql

SELECT pg_temp.rows_properties('kmeans', '', '{"k": 3}', 'distances');
SELECT pg_temp.rows_properties('kmedoids', '', '{"k": 3, "metric": "manhattan"}', 'distances');
SELECT pg_temp.rows_properties('kernel_kmeans', '', '{"k": 3, "gamma": 0.1}', 'distances');
SELECT pg_temp.rows_properties('mean_shift', '', '{"bandwidth": 2}', 'distances');
SELECT pg_temp.rows_properties('gaussian_mixture', '', '{"k": 3, "covariance_type": "tied"}', 'probabilities');

-- each row is in its nearest cluster, and a centroid is the mean of its rows
SELECT ok(bool_and((distances(m, f))[cluster(m, f)] = (SELECT min(d) FROM unnest(distances(m, f)) AS d)), name || ': a row is in its nearest cluster')
FROM (VALUES ('kmeans', pg_temp.fit('kmeans(f, 3)')), ('kmedoids', pg_temp.fit('kmedoids(f, 3)'))) AS t(name, m), rows, LATERAL (SELECT a, b) AS f GROUP BY name ORDER BY name;
SELECT ok(bool_and(pg_temp.near_all(parameter[(c - 1) * 2 + 1 : c * 2], ARRAY[mean_a, mean_b], 1e-9)), 'kmeans: a centroid is the mean of its rows')
FROM (SELECT cluster(m, f) AS c, avg(rows.a) AS mean_a, avg(rows.b) AS mean_b, (SELECT array_agg(v) FROM unnest(parameter(m, 'centroids')) AS v) AS parameter
      FROM pg_temp.fit('kmeans(f, 3)') AS m, rows, LATERAL (SELECT a, b) AS f GROUP BY m, 1) AS t;
SELECT ok(pg_temp.near((info(m) -> 'statistics' ->> 'inertia')::float8, sum(distance(m, f) ^ 2), 1e-9), 'kmeans: inertia is the sum of the squared distances')
FROM pg_temp.fit('kmeans(f, 3)') AS m, rows, LATERAL (SELECT a, b) AS f GROUP BY m;
-- a step from a converged model changes nothing; steps merge however the rows are cut and run in parallel
SELECT ok(pg_temp.near_all(pg_temp.scores(m, 'distances'), pg_temp.scores(kmeans_step(f, m), 'distances'), 1e-9), 'kmeans: a step from a converged model leaves it')
FROM pg_temp.fit('kmeans(f, 3)') AS m, rows, LATERAL (SELECT a, b) AS f GROUP BY m;
-- moved, turned and scaled rows are clustered alike
SELECT ok(count(DISTINCT x) = count(DISTINCT (x, z)) AND count(DISTINCT z) = count(DISTINCT (x, z)), 'kmeans: moved and turned rows are clustered alike')
FROM (SELECT cluster(p, ARRAY[a, b]) AS x, cluster(q, ARRAY[4 * (0.6 * a - 0.8 * b) - 50, 4 * (0.8 * a + 0.6 * b) + 3]) AS z
      FROM (SELECT kmeans(ARRAY[a, b], '{"k": 3, "n_init": 10}'::jsonb) AS p, kmeans(ARRAY[4 * (0.6 * a - 0.8 * b) - 50, 4 * (0.8 * a + 0.6 * b) + 3], '{"k": 3, "n_init": 10}'::jsonb) AS q FROM rows) AS m, rows) AS t;
-- with more starts the result is no worse
SELECT ok((info(m10) -> 'statistics' ->> 'inertia')::float8 <= (info(m1) -> 'statistics' ->> 'inertia')::float8 * (1 + 1e-12), 'kmeans: more starts, no more inertia')
FROM pg_temp.fit('kmeans(f, ''{"k": 5, "n_init": 1, "init": "random"}''::jsonb)') AS m1, pg_temp.fit('kmeans(f, ''{"k": 5, "n_init": 10, "init": "random"}''::jsonb)') AS m10;
-- medoids are rows; the history of the costs falls, with several starts too
SELECT ok(bool_and(EXISTS (SELECT FROM rows WHERE a = x[1] AND b = x[2])), 'kmedoids: medoids are rows')
FROM (SELECT array_agg(value ORDER BY term) AS x FROM pg_temp.fit('kmedoids(f, 3)') AS m, medoids(m) GROUP BY cluster) AS t;
SELECT ok(count(*) > 1 AND bool_and(h <= before OR before IS NULL) AND pg_temp.near(min(h), (SELECT sum(distance(m, f)) FROM rows, LATERAL (SELECT a, b) AS f), 1e-9), 'kmedoids: the history falls to the cost, n_init ' || starts)
FROM (SELECT starts, m, h, lag(h) OVER (PARTITION BY starts ORDER BY o) AS before
      FROM unnest(ARRAY[1, 4]) AS starts, LATERAL pg_temp.fit(format('kmedoids(f, ''{"k": 5, "init": "random", "history": true, "n_init": %s}''::jsonb)', starts)) AS m,
           LATERAL unnest(parameter(m, 'history')) WITH ORDINALITY AS u(h, o)) AS t GROUP BY starts, m ORDER BY starts;
-- mixtures: shares add up to 1, weights too
SELECT ok(bool_and(abs((SELECT sum(p) FROM unnest(probabilities(m, f)) p) - 1) < 1e-12) AND abs((SELECT sum(weight) FROM distributions(m)) - 1) < 1e-12, 'gaussian_mixture: shares and weights add up to 1')
FROM pg_temp.fit('gaussian_mixture(f, 3)') AS m, rows, LATERAL (SELECT a, b) AS f GROUP BY m;
-- one component is the normal distribution of the rows
SELECT ok(pg_temp.near_all(d.mean, ARRAY[avg(a), avg(b)], 1e-9), 'gaussian_mixture: one component has the mean of the rows')
FROM pg_temp.fit('gaussian_mixture(f, 1)') AS m, distributions(m) AS d, rows GROUP BY d.mean;
-- a linear kernel is plain k-means
SELECT ok(count(DISTINCT x) = count(DISTINCT (x, z)) AND count(DISTINCT z) = count(DISTINCT (x, z)), 'kernel_kmeans: a linear kernel is k-means')
FROM (SELECT cluster(p, f) AS x, cluster(q, f) AS z FROM pg_temp.fit('kmeans(f, ''{"k": 3, "n_init": 10}''::jsonb)') AS p, pg_temp.fit('kernel_kmeans(f, ''{"k": 3, "kernel": "linear", "n_init": 10}''::jsonb)') AS q, rows, LATERAL (SELECT a, b) AS f) AS t;

-- trees: rows in any order make the same heights, text keeps the tree, cuts have as many clusters as asked
SELECT ok(bool_and(pg_temp.near_all(x, z, 1e-9)), 'hierarchical: the order of rows does not matter'), ok(bool_and(same), 'hierarchical: text and jsonb keep the tree'), ok(bool_and(clusters = 4), 'hierarchical: as many clusters as asked'),
       ok(bool_and(ward OR linkage = 'centroid' OR x = sorted), 'hierarchical: heights rise')
FROM (SELECT linkage, linkage = 'ward' AS ward, (SELECT array_agg(height ORDER BY merge) FROM dendrogram_merges(p)) AS x, (SELECT array_agg(height ORDER BY height) FROM dendrogram_merges(p)) AS sorted,
             (SELECT array_agg(height ORDER BY merge) FROM dendrogram_merges(q)) AS z, p::text::model = p AND p::jsonb::model = p AS same, (SELECT count(DISTINCT cluster) FROM cut(p, 4)) AS clusters
      FROM unnest(ARRAY['average', 'single', 'complete', 'mcquitty', 'ward', 'ward.D']) AS linkage,
           LATERAL pg_temp.fit(format('hierarchical(id, f, ''{"linkage": "%s"}''::jsonb)', linkage), 'id <= 60') AS p,
           LATERAL pg_temp.fit(format('hierarchical(id, f, ''{"linkage": "%s"}''::jsonb ORDER BY md5(id::text))', linkage), 'id <= 60') AS q) AS t;

-- distances of rows, given, lead to the same trees, medoids and clusters as the rows
CREATE TEMP TABLE given AS SELECT metric, distance_matrix(s.id, t.id, distance((s.a, s.b), (t.a, t.b), metric)) AS d
FROM unnest(ARRAY['euclidean', 'manhattan', 'chebyshev']) AS metric, rows AS s, rows AS t WHERE s.id < t.id AND t.id <= 50 GROUP BY metric;
SELECT ok(bool_and(pg_temp.near_all((SELECT array_agg(height ORDER BY merge) FROM dendrogram_merges(r)), (SELECT array_agg(height ORDER BY merge) FROM dendrogram_merges(hierarchical(d, o))), 1e-9)), 'hierarchical: given distances make the same tree')
FROM given, unnest(ARRAY['average', 'single', 'complete', 'mcquitty', 'ward.D']) AS linkage, LATERAL (SELECT jsonb_build_object('linkage', linkage) AS o) AS p,
     LATERAL (SELECT hierarchical(id, (a, b), o || jsonb_build_object('metric', metric)) AS r FROM rows WHERE id <= 50) AS x;
SELECT ok(bool_and(pg_temp.near((info(r) #>> '{statistics,cost}')::float8, (info(kmedoids(d, k, o)) #>> '{statistics,cost}')::float8, 1e-9)), 'kmedoids: given distances lead to the same cost')
FROM given, unnest(ARRAY[1, 3, 7]) AS k, LATERAL (SELECT '{"n_init": 20, "swap": "best"}'::jsonb AS o) AS p, LATERAL (SELECT kmedoids((a, b), k, o || jsonb_build_object('metric', metric)) AS r FROM rows WHERE id <= 50) AS x;
SELECT ok(bool_and((SELECT array_agg((id, cluster) ORDER BY id) FROM members(r)) = (SELECT array_agg((id, cluster) ORDER BY id) FROM members(hdbscan(d, '{"min_cluster_size": 4}'))) OR (SELECT count(DISTINCT cluster) FROM members(r)) = (SELECT count(DISTINCT cluster) FROM members(hdbscan(d, '{"min_cluster_size": 4}')))), 'hdbscan: given distances make the same clusters')
FROM given, LATERAL (SELECT hdbscan(id, (a, b), jsonb_build_object('metric', metric, 'min_cluster_size', 4)) AS r FROM rows WHERE id <= 50) AS x;
-- only neighbors merge: with all rows as neighbors it is the tree without
SELECT ok(bool_and(pg_temp.near_all((SELECT array_agg(height ORDER BY merge) FROM dendrogram_merges(r)), (SELECT array_agg(height ORDER BY merge) FROM dendrogram_merges(c)), 1e-9)), 'hierarchical: connectivity of all rows changes nothing')
FROM unnest(ARRAY['average', 'single', 'complete', 'ward']) AS linkage, LATERAL (SELECT hierarchical(id, (a, b), jsonb_build_object('linkage', linkage)) AS r, hierarchical(id, (a, b), jsonb_build_object('linkage', linkage, 'connectivity', 49)) AS c FROM rows WHERE id <= 50) AS x;

SELECT * FROM finish();
ROLLBACK;
