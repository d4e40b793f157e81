-- Distances over enums: by declared order, whatever rows came before, and also for levels that no training row had.
SET search_path = public, pgfit;
CREATE TYPE size AS ENUM ('s', 'm', 'l', 'xl');
CREATE TYPE speed AS ENUM ('xl', 'l', 'm', 's');

-- levels that the first row does not have, in every order of rows
CREATE TEMP TABLE pairs AS
SELECT n, a::size, b::size, d FROM (VALUES (1, 's', 's', 0), (2, 'm', 'xl', 2), (3, 'l', 'xl', 1), (4, NULL, 'm', NULL), (5, 'xl', 's', 3)) AS v (n, a, b, d);
SELECT n, distance(row(a), row(b), 'mixed', '{"variances": [1]}') AS distance, d FROM pairs ORDER BY n;
SELECT count(*) AS pairs, bool_and(distance(row(a), row(b), 'mixed', '{"variances": [1]}') IS NOT DISTINCT FROM d) AS same
FROM (SELECT * FROM pairs ORDER BY n DESC OFFSET 0) AS p;
SELECT bool_and(distance(a, b, 'mixed', '{"variances": [1]}') IS NOT DISTINCT FROM d) AS single_values FROM pairs;
-- a row whose second value is NULL brings a level too
SELECT n, distance(row(a), row(b), 'mixed', '{"variances": [1]}') AS distance
FROM (VALUES (1, 's'::size, 's'::size), (2, 'm', NULL), (3, 'm', 's')) AS v (n, a, b) ORDER BY n;

-- rows of different enums with the same labels at one call: each by its own order
SELECT n, distance(a, b, 'mixed', '{"variances": [1]}') AS distance
FROM (SELECT 1 AS n, row('s'::size) AS a, row('xl'::size) AS b UNION ALL SELECT 2, row('s'::speed), row('l'::speed)
      UNION ALL SELECT 3, row('s'::size), row('l'::size)) AS r ORDER BY n;
-- an enum against text: equal or not, but without an order
SELECT n, distance(row(a), row(b), 'euclidean') AS distance
FROM (VALUES (1, 's'::size, 'm'::text), (2, 'm', 's'), (3, 'm', 'm'), (4, 'xl', 's')) AS v (n, a, b) ORDER BY n;
SELECT test.try($$SELECT distance(row('s'::size), row('m'::text), 'mixed', '{"variances": [1]}')$$);
SELECT test.try($$SELECT distance(row('s'::size), row('s'::speed), 'mixed', '{"variances": [1]}')$$);

-- levels that the model has not seen
CREATE TEMP TABLE shirts (id int, size size, price float8);
INSERT INTO shirts VALUES (1, 's', 1), (2, 's', 1), (3, 'xl', 1), (4, 'xl', 1);
CREATE TEMP TABLE fitted AS
SELECT 'neighbors' AS method, neighbors(id, f, '{"metric": "mixed", "k": 1}') AS m FROM shirts, LATERAL (SELECT size) AS f
UNION ALL SELECT 'kmedoids', kmedoids(f, 2, '{"metric": "mixed"}') FROM shirts, LATERAL (SELECT size) AS f
UNION ALL SELECT 'medoid', medoid(f, '{"metric": "mixed"}') FROM shirts, LATERAL (SELECT size) AS f WHERE id <> 4;
-- in units of the distance from m to the nearest row, which is s
SELECT method, v.size, round((distance(m, f) / distance(m, (SELECT g FROM (SELECT 'm'::size AS size) AS g)))::numeric, 6) AS distance
FROM fitted, unnest(enum_range(NULL::size)) AS v (size), LATERAL (SELECT v.size) AS f ORDER BY method, v.size;
SELECT v.size, array_agg(n.id ORDER BY n.distance, n.id) AS nearest
FROM fitted, unnest(enum_range(NULL::size)) AS v (size), LATERAL (SELECT v.size) AS f, LATERAL nearest(m, f, 2) AS n
WHERE method = 'neighbors' GROUP BY v.size ORDER BY v.size;
-- the same value as text has no order: it counts as the mean
SELECT round((distance(m, a) / distance(m, b))::numeric, 6) AS relative
FROM (SELECT neighbors(id, f, '{"metric": "mixed", "k": 1}') AS m FROM shirts, LATERAL (SELECT size) AS f) AS fitted,
     LATERAL (SELECT 'm'::size AS size) AS a, LATERAL (SELECT 'm' AS size) AS b;

-- a value added before the first has the order 0, and is ordered like the others
ALTER TYPE size ADD VALUE 'xs' BEFORE 's';
SELECT n, distance(row(a), row(b), 'mixed', '{"variances": [1]}') AS distance
FROM (VALUES (1, 'xs'::size, 'xs'::size), (2, 'xs', 's'), (3, 'l', 'xs')) AS v (n, a, b) ORDER BY n;
DROP TABLE pairs, shirts;
DROP TYPE size, speed;

-- the type of labels is the same with its schema on the search path and without, so moments of two sessions merge
CREATE SCHEMA moods;
CREATE TYPE moods.mood AS ENUM ('sad', 'ok', 'happy');
CREATE VIEW moods.felt AS SELECT i % 7 AS x, (ARRAY['sad', 'ok', 'happy']::moods.mood[])[1 + i % 3] AS mood FROM generate_series(1, 30) AS i;
SET search_path = pg_catalog;
CREATE TABLE moods.days AS SELECT pgfit.class_moments(mood, x) AS m FROM moods.felt;
SET search_path = moods, pg_catalog;
INSERT INTO days SELECT pgfit.class_moments(mood, x) FROM felt;
SELECT pgfit.info(pgfit.merge(m)) ->> 'rows' AS rows, pgfit.info(pgfit.merge(m)) ->> 'class_type' AS type FROM days;
RESET search_path;
DROP SCHEMA moods CASCADE;
