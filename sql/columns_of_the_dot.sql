-- "the target was a feature": which columns the . of a formula leaves out, where a view renames, computes or reorders the columns behind it.
-- The planner replaces the columns of such views by the expressions behind them before a fit sees its arguments.
SET search_path = public, test, pgfit;
SET max_parallel_workers_per_gather = 0;
SET enable_partitionwise_aggregate = off;
SET plan_cache_mode = auto;
CREATE TABLE cars (id int, gone int, mpg float8, weight float8, horsepower float8, origin text, w int);
INSERT INTO cars SELECT i, 0, 10 + i % 23 + sin(i), 100 + i * 37 % 401, 50 + i * 91 % 203, 'o' || i % 3, 1 + i % 2 FROM generate_series(1, 90) AS i;
ALTER TABLE cars DROP COLUMN gone;
CREATE VIEW cars_ln AS SELECT ln(mpg) AS y, weight, horsepower FROM cars;
-- the base table's names of the target, the id and the weight are those of other columns
CREATE VIEW cars_swapped AS SELECT id AS key, horsepower AS id, mpg AS y, weight AS mpg, w AS wt, origin AS w FROM cars;
CREATE VIEW cars_again AS SELECT wt AS mpg, y * 2 AS id, mpg AS w, key AS y, id AS key FROM cars_swapped;
CREATE VIEW cars_cast AS SELECT mpg::numeric AS y, mpg::int AS mpg, weight::text::float8 AS weight FROM cars;
CREATE VIEW cars_limit AS SELECT mpg AS y, weight AS mpg, horsepower FROM cars LIMIT 1000;
CREATE VIEW cars_both AS SELECT mpg AS y, weight AS mpg, horsepower FROM cars UNION ALL SELECT weight, mpg, horsepower FROM cars;
CREATE VIEW cars_max AS SELECT max(mpg) AS y, max(weight) AS mpg, id FROM cars GROUP BY id;
CREATE VIEW cars_subselect AS SELECT (SELECT max(e.mpg) FROM cars AS e WHERE e.id <= d.id) AS y, weight AS mpg, horsepower FROM cars AS d;
CREATE VIEW cars_twice AS SELECT mpg AS y, mpg AS mpg, mpg AS z, weight FROM cars;
CREATE MATERIALIZED VIEW cars_kept AS SELECT * FROM cars_swapped;
CREATE FUNCTION cars_of(first int) RETURNS SETOF cars_swapped LANGUAGE sql STABLE AS 'SELECT * FROM cars_swapped WHERE key >= $1';
CREATE TABLE cars_parts (id int, mpg float8, weight float8, part int) PARTITION BY LIST (part);
CREATE TABLE cars_part_0 PARTITION OF cars_parts FOR VALUES IN (0);
CREATE TABLE cars_part_1 (part int, weight float8, mpg float8, id int);
ALTER TABLE cars_parts ATTACH PARTITION cars_part_1 FOR VALUES IN (1);
INSERT INTO cars_parts SELECT id, mpg, weight, id % 2 FROM cars;
CREATE VIEW cars_parts_view AS SELECT id AS key, mpg AS id, weight AS mpg, part AS weight FROM cars_parts;
CREATE TABLE cars_base (mpg float8, weight float8);
CREATE TABLE cars_child (more float8) INHERITS (cars_base);
INSERT INTO cars_child SELECT mpg, weight, horsepower FROM cars;
CREATE TYPE car AS (y numeric, mpg float8);
CREATE TABLE documents AS SELECT y, jsonb_build_object('y', y, 'mpg', mpg) AS j, ROW(y, mpg)::car AS r FROM cars_swapped;

CREATE FUNCTION named(m model) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(f ->> 'name', ',' ORDER BY i) FROM jsonb_array_elements(info(m) -> 'features') WITH ORDINALITY AS t(f, i) $$;
CREATE TABLE dots (i int, query text);
INSERT INTO dots VALUES
    (1, $$moments(mpg, d, '.') FROM cars AS d$$),
    (2, $$moments(y, d, '.') FROM cars_ln AS d$$),
    (3, $$moments(y, d, '.', wt) FROM cars_swapped AS d$$),
    (4, $$hierarchical(key, d, '.') FROM cars_swapped AS d$$),
    (5, $$moments(y, d, '.', mpg) FROM cars_again AS d$$),
    (6, $$moments(y, d, '.') FROM cars_cast AS d$$),
    (7, $$moments(mpg::numeric, d, '.') FROM cars_cast AS d$$),
    (8, $$moments(ln(d.mpg) + 1, d, '.', d.w * 2) FROM cars AS d$$),
    (9, $$moments(y, d, '.') FROM cars_limit AS d$$),
    (10, $$moments(y, d, '.') FROM cars_both AS d$$),
    (11, $$moments(y, d, '.') FROM cars_max AS d$$),
    (12, $$moments(y, d, '.', wt) FROM cars_kept AS d$$),
    (13, $$moments(y, d, '.', wt) FROM cars_of(1) AS d$$),
    (14, $$moments(y, d, '.', wt) FROM (SELECT * FROM cars_swapped OFFSET 0) AS d$$),
    (15, $$moments(y, d, '.', wt) FROM (SELECT * FROM (SELECT * FROM cars_swapped) AS e) AS d$$),
    (16, $$moments(e.y, d, '.', e.wt) FROM cars_swapped AS e, LATERAL (SELECT e.*) AS d$$),
    (17, $$moments(e.y, d, '.', e.wt) FROM cars_swapped AS e, LATERAL (SELECT e.id, e.wt AS y, e.y AS wt) AS d$$),
    -- columns of other tables are not left out, whatever their names
    (18, $$moments(e.y, d, '.') FROM cars_swapped AS e JOIN cars_ln AS d ON e.mpg = d.weight$$),
    (19, $$moments(e.mpg, d, '.') FROM cars AS e JOIN cars_ln AS d ON e.weight = d.weight$$),
    (20, $$moments(e.mpg, d, '.') FROM cars AS e JOIN cars AS d ON e.id = d.id$$),
    -- but those that a join merges are
    (21, $$moments(mpg, d, '.') FROM cars AS e JOIN cars AS d USING (mpg)$$),
    (22, $$moments(e.mpg, c, '.') FROM cars AS e JOIN cars_child AS c USING (mpg), cars AS d WHERE d.id = 1$$),
    (23, $$moments(e.mpg, d, '.') FROM cars AS e JOIN cars_child AS c USING (mpg), cars AS d WHERE d.id = 1$$),
    (24, $$moments(mpg, d, '.') FROM cars AS e FULL JOIN cars AS d USING (mpg)$$),
    (25, $$moments(j.mpg, j, '.') FROM (cars AS e JOIN cars_child AS d USING (mpg, weight)) AS j$$),
    (26, $$moments(d.y, d, '.') FROM cars AS e LEFT JOIN cars_swapped AS d ON d.key = e.id$$),
    (27, $$moments(d.y, d, '.') FROM cars AS e LEFT JOIN cars_ln AS d ON d.weight = e.weight$$),
    -- names that the query gives to the columns of a table are not those of its rows
    (28, $$moments(d.y, d, '.') FROM cars AS d(key, y, mpg)$$),
    (29, $$moments(d.mpg, d, '.') FROM cars_parts AS d$$),
    (30, $$moments(d.mpg, d, '.') FROM cars_parts_view AS d$$),
    (31, $$moments(d.mpg, d, '.') FROM cars_parts AS d WHERE part = 1$$),
    (32, $$moments(d.mpg, d, '.') FROM cars_base AS d$$),
    (33, $$moments(d.mpg, d::cars_base, '.') FROM cars_child AS d$$),
    (34, $$moments(d.y, ROW(d.y, d.mpg)::car, '.') FROM cars_swapped AS d$$),
    (35, $$moments(d.y, to_jsonb(d), '.') FROM cars_swapped AS d$$),
    (36, $$moments(d.y, to_jsonb(d) - 'wt', '.') FROM cars_swapped AS d$$),
    (37, $$moments(d.y, row_to_json(d)::jsonb, '.') FROM cars_swapped AS d$$),
    (38, $$moments(d.y, d, '.') FROM cars_swapped AS d, generate_series(1, 3) AS g WHERE key % 3 = g GROUP BY g LIMIT 1$$),
    (39, $$moments(d.y, d, '.') FROM cars_swapped AS d GROUP BY d.y LIMIT 1$$),
    -- columns of a view that are the same expression count as one
    (40, $$moments(d.y, d, '.') FROM cars_twice AS d$$),
    -- parts of a value that is stored
    (41, $$moments((d.j ->> 'y')::float8, d.j, '.') FROM documents AS d$$),
    (42, $$moments((d.r).y, d.r, '.') FROM documents AS d$$),
    (43, $$moments(d.y, d.r, '.') FROM documents AS d$$),
    -- it cannot be known
    (44, $$moments(d.y, d, '.') FROM cars_subselect AS d$$),
    (45, $$moments((d.j #>> '{y}')::float8, d.j, '.') FROM documents AS d$$),
    (46, $$moments(d.y, d.r, '.') FROM (SELECT y, r FROM documents OFFSET 0) AS d$$),
    (47, $$moments(d.y, jsonb_build_object('y', d.y, 'mpg', d.mpg), '.') FROM cars_swapped AS d$$),
    (48, $$moments(d.y, d, '.') OVER () FROM cars_swapped AS d LIMIT 1$$);
SELECT i, try('SELECT named(' || regexp_replace(query, '\)( OVER \(\))? FROM', ')\1) FROM')) AS features, query FROM dots ORDER BY i;
SET enable_partitionwise_aggregate = on;
SELECT i, try('SELECT named(' || regexp_replace(query, '\) FROM', ')) FROM') || ' GROUP BY part LIMIT 1') AS features FROM dots WHERE i IN (29, 31) ORDER BY i;
SELECT try($$SELECT named(moments(d.mpg, d, '.')) FROM cars_parts_view AS d GROUP BY weight LIMIT 1$$) AS features;
RESET enable_partitionwise_aggregate;
-- joined by loops, through an index, in workers
CREATE INDEX ON cars (id, mpg, weight);
ANALYZE cars;
SET enable_seqscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT try($$SELECT named(moments(d.weight, d, '.')) FROM (SELECT id AS mpg, mpg AS weight, weight AS id FROM cars) AS d JOIN generate_series(1, 9) AS g ON d.mpg = g$$) AS features;
RESET enable_seqscan;
RESET enable_hashjoin;
RESET enable_mergejoin;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT i, try('SELECT named(' || regexp_replace(query, '\) FROM', ')) FROM')) AS features FROM dots WHERE i IN (1, 2, 3) ORDER BY i;
SET max_parallel_workers_per_gather = 0;
-- prepared statements, functions, common table expressions
SET plan_cache_mode = force_generic_plan;
PREPARE generic (int) AS SELECT named(moments(y, d, '.', wt)) FROM cars_swapped AS d WHERE key > $1;
EXECUTE generic (3);
SET plan_cache_mode = force_custom_plan;
EXECUTE generic (3);
RESET plan_cache_mode;
DEALLOCATE generic;
CREATE FUNCTION fitted_plpgsql(first int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT named(moments(y, d, '.', wt)) FROM cars_swapped AS d WHERE key > first); END $$;
CREATE FUNCTION fitted_sql(first int) RETURNS text LANGUAGE sql AS $$ SELECT named(moments(y, d, '.', wt)) FROM cars_swapped AS d WHERE key > first $$;
SELECT fitted_plpgsql(i), fitted_sql(i) FROM generate_series(1, 2) AS i;
WITH s AS (SELECT * FROM cars_swapped), m AS MATERIALIZED (SELECT * FROM cars_swapped)
SELECT (SELECT named(moments(y, s, '.', wt)) FROM s) AS inlined, (SELECT named(moments(y, m, '.', wt)) FROM m) AS materialized;
-- by name
SELECT rows FROM train('cars', 'linear_regression', 'cars_ln', 'y ~ .');
SELECT named(get_model('cars'));
SELECT named(fit('linear_regression', 'cars_swapped', 'y ~ . - w', '{"weight": "wt"}'));
SELECT named(fit('hierarchical', 'cars_swapped', '~ .', '{"id": "key"}'));

-- "the hint listed only the columns that the planner had left": all columns of the row are listed
SELECT try($$SELECT linear_regression(mpg, d, '{"formula": "weight + origin", "reference": {"horsepwer": "x"}}') FROM cars AS d$$);
SELECT try($$SELECT linear_regression(mpg, d, 'weight + "MPG"') FROM cars AS d$$);
SELECT try($$SELECT linear_regression(mpg, d, 'weight + wait') FROM cars AS d$$);
-- "a column that cannot be a feature could not be left out": the formula takes it away, and the hint names all of them
CREATE VIEW cars_noted AS SELECT *, mpg::numeric::money AS cost, '{}'::json AS "my note", point(1, 2) AS place FROM cars;
SELECT try($$SELECT linear_regression(mpg, d, '. - place') FROM cars_noted AS d$$);
SELECT try($$SELECT linear_regression(mpg, d) FROM cars_noted AS d$$);
SELECT try($$SELECT linear_regression(mpg, d, 'weight + cost') FROM cars_noted AS d$$);
SELECT try($$SELECT search('linear_regression', 'cars_noted', 'mpg ~ .', '{"level": [0.5, 0.9]}')$$);
SELECT named(linear_regression(mpg, d, '. - cost - "my note" - place')) AS whole, (SELECT named(linear_regression(mpg, d, '.')) FROM cars AS d) AS fewer FROM cars_noted AS d;
SELECT named(fit('linear_regression', 'cars_noted', 'mpg ~ . - place - cost - "my note" - origin'));
SELECT drop_model('cars');
DROP TABLE cars, cars_parts, cars_base, documents, dots CASCADE;
DROP TYPE car;
DROP FUNCTION named(model), fitted_plpgsql(int), fitted_sql(int);
