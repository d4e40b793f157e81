-- Several targets from the same neighbors: the query of docs/neighbors.md gives what one model per target would.
SET search_path = public, test, pgfit;
CREATE TEMP TABLE rows AS SELECT i AS id, sin(i) AS a, cos(i * i) AS b, 10 * sin(i) + i % 7 AS y, i % 11 * 1.5 AS z FROM generate_series(1, 200) AS i;
CREATE TEMP TABLE asked AS SELECT id, a, b FROM rows WHERE id <= 20 UNION ALL SELECT 1000 + i, sin(i / 3.0), cos(i / 5.0) FROM generate_series(1, 80) AS i;
CREATE TEMP TABLE found AS SELECT q.id, n.distance, r.y, r.z FROM (SELECT neighbors(id, (a, b)) AS m FROM rows) AS t, asked AS q, nearest(m, (q.a, q.b), 5, NULL::int) AS n JOIN rows AS r ON r.id = n.id;
SELECT weights, count(*), bool_and(abs(predict(of_y, (a, b)) - CASE weights WHEN 'uniform' THEN plain_y ELSE near_y END) < 1e-9) AS y,
       bool_and(abs(predict(of_z, (a, b)) - CASE weights WHEN 'uniform' THEN plain_z ELSE near_z END) < 1e-9) AS z
FROM unnest(ARRAY['uniform', 'distance']) AS weights,
     LATERAL (SELECT knn_regression(y, (a, b), 5, jsonb_build_object('weights', weights)) AS of_y, knn_regression(z, (a, b), 5, jsonb_build_object('weights', weights)) AS of_z FROM rows) AS m,
     asked JOIN (SELECT id, avg(y) AS plain_y, avg(z) AS plain_z,
                        coalesce(avg(y) FILTER (WHERE distance = 0), sum(y / nullif(distance, 0)) / sum(1 / nullif(distance, 0))) AS near_y,
                        coalesce(avg(z) FILTER (WHERE distance = 0), sum(z / nullif(distance, 0)) / sum(1 / nullif(distance, 0))) AS near_z
                 FROM found GROUP BY id) AS g USING (id)
GROUP BY weights ORDER BY weights;
SELECT count(*) FILTER (WHERE distance = 0) AS at_distance_0 FROM found;
