-- Silhouettes and indices of clusterings: known answers, metrics, weights, edges, refusals.
CREATE TABLE marked (id int, a float8, b float8, cluster int);
INSERT INTO marked VALUES (1, 0, 0, 1), (2, 0, 1, 1), (3, 1, 0, 1), (4, 5, 5, 2), (5, 6, 5, 2), (6, 5, 6, 2), (7, 2.4, 2.4, 2), (8, 10, 0, 3);
SELECT metric, round(pgfit.silhouette(cluster, (a, b), jsonb_build_object('metric', metric))::numeric, 6) AS mean,
    round(pgfit.silhouette(cluster, (a, b), jsonb_build_object('metric', metric, 'own', 'all'))::numeric, 6) AS with_itself
FROM marked, unnest('{euclidean,squared_euclidean,manhattan,chebyshev}'::text[]) AS metric GROUP BY metric ORDER BY metric;
SELECT number, cluster, round(own::numeric, 4) AS own, round(other::numeric, 4) AS other, round(silhouette::numeric, 4) AS silhouette
FROM unnest((SELECT pgfit.silhouettes(cluster, (a, b) ORDER BY id) FROM marked)) AS s;
SELECT cluster, round(avg(silhouette)::numeric, 4) AS mean, count(*) FROM unnest((SELECT pgfit.silhouettes(cluster, (a, b)) FROM marked)) AS s GROUP BY cluster ORDER BY cluster;
SELECT round(pgfit.calinski_harabasz(cluster, (a, b))::numeric, 6) AS calinski_harabasz, round(pgfit.davies_bouldin(cluster, (a, b))::numeric, 6) AS davies_bouldin FROM marked;
-- squared distances by centroids and by pairs are the same
SELECT test.near(pgfit.silhouette(cluster, (a, b), '{"metric": "squared_euclidean"}'::jsonb), pgfit.silhouette(cluster, (a, b, 'x'), '{"metric": "squared_euclidean"}'::jsonb), 1e-12) AS same FROM marked;
-- moved, turned, shuffled; text clusters; what a model says
SELECT test.near(pgfit.silhouette(cluster, (a, b)), pgfit.silhouette('c' || cluster, (b + 100, -a)), 1e-12) AS same FROM marked;
SELECT test.near(pgfit.davies_bouldin(cluster, (a, b)), pgfit.davies_bouldin(-cluster, (3 * b, 3 * a)), 1e-12) AND
    test.near(pgfit.calinski_harabasz(cluster, (a, b)), pgfit.calinski_harabasz(-cluster, (3 * b, 3 * a)), 1e-12) AS same FROM marked;
SELECT pgfit.silhouette(pgfit.cluster(m, (a, b)), (a, b)) > 0.5 AS clear FROM marked, (SELECT pgfit.kmeans((a, b), 3) AS m FROM marked) AS fit;
-- rows counted by weight are rows repeated
SELECT test.near(w, r, 1e-12) AS silhouette, test.near(cw, cr, 1e-12) AS calinski_harabasz, test.near(dw, dr, 1e-12) AS davies_bouldin
FROM (SELECT pgfit.silhouette(cluster, (a, b), '{"weight_kind": "frequency"}'::jsonb, id % 3 + 1) AS w, pgfit.calinski_harabasz(cluster, (a, b), '{"weight_kind": "frequency"}'::jsonb, id % 3 + 1) AS cw,
        pgfit.davies_bouldin(cluster, (a, b), '{}'::jsonb, id % 3 + 1) AS dw FROM marked) AS weighted,
    (SELECT pgfit.silhouette(cluster, (a, b)) AS r, pgfit.calinski_harabasz(cluster, (a, b)) AS cr, pgfit.davies_bouldin(cluster, (a, b)) AS dr FROM marked, generate_series(0, id % 3)) AS repeated;
-- edges
SELECT pgfit.silhouette(1, a) AS one_cluster, pgfit.calinski_harabasz(1, a) AS ch, pgfit.davies_bouldin(1, a) AS db, pgfit.silhouettes(1, a) IS NULL AS none FROM marked;
SELECT pgfit.silhouette(cluster, a) AS no_rows FROM marked WHERE false;
SELECT pgfit.silhouette(id, a) AS all_alone, pgfit.calinski_harabasz(id, a) AS ch FROM marked;
SELECT pgfit.silhouette(cluster, 7) AS all_equal, pgfit.davies_bouldin(cluster, 7) AS db FROM marked;
SELECT pgfit.silhouette(cluster, (nullif(a, 10), b)) IS NOT NULL AS skipped FROM marked;
SELECT cluster % 2 AS g, round(pgfit.silhouette(cluster, (a, b))::numeric, 4) AS silhouette FROM marked GROUP BY 1 ORDER BY 1;
-- refused
SELECT test.try($$SELECT pgfit.silhouette(cluster, (a, b), '{"metric": "euclid"}'::jsonb) FROM marked$$);
SELECT test.try($$SELECT pgfit.silhouette(cluster, (a, b), '{"own": "self"}'::jsonb) FROM marked$$);
SELECT test.try($$SELECT pgfit.davies_bouldin(cluster, (a, 'x')) FROM marked$$);
SELECT test.try($$SELECT pgfit.silhouette(cluster, a * 1e200, '{"metric": "squared_euclidean"}'::jsonb) FROM marked$$);
SELECT test.try($$SELECT pgfit.silhouette(cluster, cluster * 1e200, '{"metric": "squared_euclidean"}'::jsonb) FROM marked$$);
SELECT test.try($$SELECT pgfit.silhouette(cluster, a / (b - b)) FROM marked$$);
SET pgfit.fit_mem = '64kB';
SELECT test.try($$SELECT pgfit.silhouette(i % 2, i) FROM generate_series(1, 5000) AS i$$);
RESET pgfit.fit_mem;
DROP TABLE marked;
