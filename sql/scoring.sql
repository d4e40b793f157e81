-- scores: a model and a row in, a number out
CREATE TABLE sale AS
SELECT i AS id, i % 10 AS shop, i * 0.5 AS size, sin(i) * 3 AS shift,
       (ARRAY['Ideal', 'Fair "x"', 'O''Neil', 'e\\n', NULL])[1 + i % 5] AS cut, i % 3 = 0 AS sold,
       3 + i * 1.0 - 4.5 * sin(i) + (i % 5) * 10 + cos(i * 3) AS price
FROM generate_series(1, 500) AS i;
ANALYZE sale;
CREATE TABLE fitted AS
SELECT pgfit.linear_regression(price, f) AS linear, pgfit.ridge_regression(price, f, 0.5) AS ridge,
       pgfit.linear_regression(price, x) AS by_position, pgfit.geometric_median(x) AS center,
       pgfit.moments(price, f) AS moments
FROM sale, LATERAL (SELECT size, shift, cut, sold) AS f, LATERAL (SELECT ARRAY[sale.size, sale.shift] AS x) AS a;

-- the equation by hand
SELECT bool_and(test.near(pgfit.predict(by_position, ARRAY[size, shift]),
                          (pgfit.parameter(by_position, 'intercept'))[1]
                          + (pgfit.parameter(by_position, 'coef'))[1] * size
                          + (pgfit.parameter(by_position, 'coef'))[2] * shift, 1e-10)) AS same
FROM sale, fitted;
SELECT round(sqrt(avg((price - pgfit.predict(linear, f)) ^ 2))::numeric, 3) AS rmse, count(pgfit.predict(linear, f))
FROM sale, LATERAL (SELECT sold, cut, shift, size) AS f, fitted;
-- a NULL feature, a NULL model, a NULL row
SELECT pgfit.predict(linear, (1.0, 2.0, NULL, true)) IS NULL AS feature, pgfit.predict(NULL, ARRAY[1.0]) IS NULL AS model,
       pgfit.predict(by_position, NULL::float8[]) IS NULL AS row,
       pgfit.predict(by_position, ARRAY[1, NULL]) IS NULL AS element
FROM fitted;
SELECT test.try('SELECT pgfit.predict(by_position, ARRAY[1e308, -1e308]::float8[]) FROM fitted');
SELECT test.try('SELECT pgfit.predict(pgfit.linear_regression(y, x), 1e308) FROM (VALUES (1.0, 1.0), (1e5, 2.0)) t(y, x)');

-- ---- intervals ----
SELECT bool_and(i.lower < i.fit AND i.fit < i.upper) AS around, bool_and(i.fit = pgfit.predict(linear, f)) AS fit,
       bool_and(i.lower = j.lower AND i.upper = j.upper) AS level_of_the_fit,
       bool_and(k.upper - k.lower > i.upper - i.lower) AS wider
FROM sale, LATERAL (SELECT size, shift, cut, sold) AS f, fitted, pgfit.predict_interval(linear, f) AS i,
     pgfit.predict_interval(linear, f, 0.95) AS j, pgfit.predict_interval(linear, f, 0.99) AS k
WHERE sale.cut IS NOT NULL;
SELECT test.near(i.upper, j.upper) AS option_level
FROM (SELECT pgfit.linear_regression(price, size, '{"level": 0.5}'::jsonb) AS m FROM sale) AS s,
     pgfit.predict_interval(m, 10.0) AS i, pgfit.predict_interval(m, 10.0, 0.5) AS j;
SELECT (pgfit.predict_interval(linear, (1.0, 2.0, NULL, true))).* FROM fitted;
-- textbook: five points, t(0.975, 3) = 3.18245
SELECT round(fit::numeric, 4) AS fit, round(lower::numeric, 4) AS lower, round(upper::numeric, 4) AS upper
FROM (SELECT pgfit.linear_regression(y, x) AS m FROM (VALUES (1, 2.0), (2, 4.1), (3, 5.9), (4, 8.2), (5, 9.8)) AS t(x, y)) AS s,
     pgfit.predict_interval(m, 6, 0.95);
-- no degrees of freedom are left
SELECT round(fit::numeric, 6) AS fit, lower, upper
FROM (SELECT pgfit.linear_regression(y, x) AS m FROM (VALUES (1, 1), (2, 3)) AS t(x, y)) AS s, pgfit.predict_interval(m, 3);
SELECT test.try('SELECT pgfit.predict_interval(linear, (1, 2, ''Ideal'', true), 0) FROM fitted');
SELECT test.try('SELECT pgfit.predict_interval(linear, (1, 2, ''Ideal'', true), 1.5) FROM fitted');
SELECT test.try('SELECT pgfit.predict_interval(linear, (1, 2, ''Ideal'', true), ''NaN'') FROM fitted');

-- ---- distances ----
SELECT pgfit.distance(center, pgfit.parameter(center, 'center')) AS zero,
       test.near(pgfit.distance(center, (pgfit.parameter(center, 'center'))[1] + 3 || ARRAY[(pgfit.parameter(center, 'center'))[2] + 4]), 5, 1e-9) AS five
FROM fitted;

-- ---- functions that a model does not support ----
SELECT f AS function, m AS model,
       regexp_replace(test.try(format('SELECT pgfit.%I(%I, (1.0, 2.0)) FROM fitted', f, m)), 'pgfit\..*', 'pgfit. ...') AS error
FROM unnest(ARRAY['classify', 'probability', 'probabilities', 'decision', 'decisions', 'cluster', 'distance', 'distances',
                  'transform', 'predict', 'predict_interval']) AS f,
     unnest(ARRAY['ridge', 'center', 'moments']) AS m
WHERE (f, m) NOT IN (('predict', 'ridge'), ('predict_interval', 'ridge'), ('distance', 'center'));
SELECT test.try('SELECT pgfit.classify(linear, (1.0, 2.0), NULL::int) FROM fitted');
SELECT test.try('SELECT pgfit.probability(linear, (1.0, 2.0), ''yes'') FROM fitted');
SELECT test.try('SELECT pgfit.classes(linear) FROM fitted');
SELECT test.try('SELECT pgfit.predict(e, (1.0, 2.0)) FROM (SELECT pgfit.class_moments(cut, ARRAY[size, shift]) AS e FROM sale) s')
       LIKE '42809: predict needs a fitted model, not class_moments%HINT: Fit a model%' AS class_moments;
SELECT pgfit.classes(e) FROM (SELECT pgfit.class_moments(cut, ARRAY[size, shift]) AS e FROM sale) AS s;
SELECT pgfit.classify(NULL, (1.0, 2.0), NULL::int) IS NULL AS no_model, pgfit.classify(linear, NULL::float8[], NULL::int) IS NULL AS no_row
FROM fitted;

-- ---- where models live ----
-- one model per group; each row is scored by that of its group
CREATE TABLE by_shop AS SELECT shop, pgfit.linear_regression(price, ARRAY[size, shift]) AS m FROM sale GROUP BY shop;
CREATE TABLE scored AS
SELECT id, shop, pgfit.predict(m, ARRAY[size, shift]) AS p FROM sale JOIN by_shop USING (shop);
SELECT count(*), bool_and(p = pgfit.predict((SELECT m FROM by_shop b WHERE b.shop = s.shop), ARRAY[size, shift])) AS same
FROM scored s JOIN sale USING (id);
SELECT count(DISTINCT p) > 490 AS distinct_scores FROM scored;

-- models of 300 features lie in a TOAST table; memory for the cache: enough, and too little
CREATE TABLE wide AS
SELECT i AS id, (SELECT array_agg(sin(i * j)) FROM generate_series(1, 300) AS j) AS x, cos(i) AS y FROM generate_series(1, 400) AS i;
CREATE TABLE wide_model AS
SELECT k, pgfit.ridge_regression(y * k, x, 1.0) AS m FROM wide, generate_series(1, 20) AS k GROUP BY k;
SELECT min(pg_column_size(m)) > 2000 AS toasted FROM wide_model;
CREATE TABLE wide_score AS
SELECT id, k, pgfit.predict(m, x) AS p FROM wide CROSS JOIN wide_model;
SELECT count(*), bool_and(test.near(s.p, s.k * one.p, 1e-9)) AS scales FROM wide_score s JOIN wide_score one USING (id) WHERE one.k = 1;
SELECT bool_and(p = pgfit.predict((SELECT m::text::pgfit.model FROM wide_model WHERE k = 7), x)) AS in_line_the_same
FROM wide_score JOIN wide USING (id) WHERE k = 7;
SET work_mem = '64kB';
SELECT count(*) FILTER (WHERE pgfit.predict(m, x) IS DISTINCT FROM p) AS different
FROM wide JOIN wide_score USING (id) JOIN wide_model USING (k);
SELECT count(*) FILTER (WHERE pgfit.predict(m, x) IS DISTINCT FROM p) AS different
FROM (SELECT * FROM wide JOIN wide_score USING (id) ORDER BY k, id OFFSET 0) AS s JOIN wide_model USING (k);
RESET work_mem;
-- compressed in line
CREATE TABLE squeezed (m pgfit.model);
ALTER TABLE squeezed ALTER m SET STORAGE MAIN;
INSERT INTO squeezed SELECT pgfit.ridge_regression(y, x || array_fill(0.0::float8, ARRAY[200]), 1.0) FROM wide;
SELECT bool_and(pgfit.predict(m, x || array_fill(0.0::float8, ARRAY[200])) IS NOT NULL) AS scored FROM squeezed, wide;

-- text and back, jsonb and back: the same bits
SELECT bool_and(pgfit.predict(linear, f) IS NOT DISTINCT FROM pgfit.predict(linear::text::pgfit.model, f)) AS text,
       bool_and(pgfit.predict(linear, f) IS NOT DISTINCT FROM pgfit.predict(linear::jsonb::pgfit.model, f)) AS jsonb
FROM sale, LATERAL (SELECT size, shift, cut, sold) AS f, fitted;

-- a literal in a generated column and in an index; a model of the same row
SELECT by_position AS literal FROM fitted \gset
CREATE TABLE offer (id int, size float8, shift float8, m pgfit.model,
    by_row float8 GENERATED ALWAYS AS (pgfit.predict(m, ARRAY[size, shift])) STORED,
    by_literal float8 GENERATED ALWAYS AS (pgfit.predict(:'literal'::pgfit.model, ARRAY[size, shift])) STORED);
INSERT INTO offer SELECT id, size, shift, by_position FROM sale, fitted;
CREATE INDEX offer_score ON offer (pgfit.predict(:'literal'::pgfit.model, ARRAY[size, shift]));
CREATE INDEX offer_row_score ON offer (pgfit.predict(m, ROW(size, shift)));
SELECT count(*), bool_and(by_row = by_literal) AS same, bool_and(by_row = pgfit.predict(m, ARRAY[size, shift])) AS current FROM offer;
UPDATE offer SET size = size + 1 WHERE id = 7;
SELECT by_row = pgfit.predict(m, ARRAY[size, shift]) AS follows FROM offer WHERE id = 7;
ANALYZE offer;
SET enable_seqscan = off;
CREATE FUNCTION pg_temp.plan(statement text) RETURNS SETOF text LANGUAGE plpgsql AS
$$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS off) ' || statement; END $$;
SELECT bool_or(line LIKE '%offer_row_score%') AS by_index
FROM pg_temp.plan('SELECT id FROM offer WHERE pgfit.predict(m, ROW(size, shift)) > 490') AS line;
SELECT count(*) FROM offer WHERE pgfit.predict(m, ROW(size, shift)) > 490;
SET enable_seqscan = on;
SELECT count(*) FROM offer WHERE pgfit.predict(m, ARRAY[size, shift]) > 490;

-- prepared statements and variables: the model changes while the call site stays
PREPARE score (pgfit.model, float8[]) AS SELECT round(pgfit.predict($1, $2)::numeric, 6);
SET plan_cache_mode = force_generic_plan;
SELECT by_position AS one FROM fitted \gset
EXECUTE score (:'one', ARRAY[10, 1]);
SELECT m AS other FROM by_shop WHERE shop = 3 \gset
EXECUTE score (:'other', ARRAY[10, 1]);
EXECUTE score (:'one', ARRAY[20, 1]);
RESET plan_cache_mode;
CREATE FUNCTION pg_temp.walk() RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    model pgfit.model;
    scores float8[] = '{}';
BEGIN
    FOR model IN SELECT m FROM by_shop b ORDER BY b.shop LOOP
        FOR i IN 1..3 LOOP
            scores = scores || pgfit.predict(model, ARRAY[i, 1]);
        END LOOP;
    END LOOP;
    RETURN scores;
END $$;
SELECT pg_temp.walk() = (SELECT array_agg(pgfit.predict(m, ARRAY[i, 1]) ORDER BY shop, i) FROM by_shop, generate_series(1, 3) AS i) AS same;
-- a call site that is used again after an error
CREATE FUNCTION pg_temp.survive() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    model pgfit.model;
    errors int = 0;
    score float8;
BEGIN
    FOR round IN 1..3 LOOP
        FOR model IN SELECT m FROM by_shop UNION ALL SELECT moments FROM fitted LOOP
            BEGIN
                score = pgfit.predict(model, ARRAY[1, 1]);
            EXCEPTION WHEN wrong_object_type THEN
                errors = errors + 1;
            END;
        END LOOP;
    END LOOP;
    RETURN errors;
END $$;
SELECT pg_temp.survive();

-- ---- to_sql: the same number on every row ----
SELECT pgfit.to_sql(linear) AS linear, pgfit.to_sql(ridge) AS ridge, pgfit.to_sql(by_position) AS by_position FROM fitted \gset
SELECT count(*), count(p), count(*) FILTER (WHERE p IS DISTINCT FROM e) AS different
FROM (SELECT pgfit.predict(linear, (SELECT f FROM (SELECT size, shift, cut, sold) AS f)) AS p, (:linear) AS e FROM sale, fitted) AS s;
SELECT count(*), count(p), count(*) FILTER (WHERE p IS DISTINCT FROM e) AS different
FROM (SELECT pgfit.predict(ridge, (SELECT f FROM (SELECT size, shift, cut, sold) AS f)) AS p, (:ridge) AS e
      FROM (SELECT id, size, shift, CASE WHEN id % 7 = 0 THEN 'never seen' ELSE cut END AS cut, NULLIF(sold, id % 11 = 0) AS sold FROM sale) AS s,
           fitted) AS s;
SELECT count(*), count(*) FILTER (WHERE p IS DISTINCT FROM e) AS different
FROM (SELECT pgfit.predict(by_position, x) AS p, (:by_position) AS e
      FROM (SELECT ARRAY[size, CASE WHEN id % 5 > 0 THEN shift END] AS x FROM sale) AS s, fitted) AS s;
SELECT test.try('SELECT pgfit.to_sql(center) FROM fitted');
SELECT test.try('SELECT pgfit.to_sql(moments) FROM fitted');

-- ---- only rows that are returned are scored: the score comes after the sort and the limit ----
SELECT string_agg((regexp_match(line, '(Result|Limit|Sort|Seq Scan)'))[1], ', ') AS plan
FROM pg_temp.plan('SELECT pgfit.predict((SELECT by_position FROM fitted), ARRAY[size, 1]) FROM sale ORDER BY id LIMIT 3') AS line WHERE line ~ '->|^ *(Result|Limit)';

-- ---- parallel ----
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT bool_or(line LIKE '%Gather%') AS parallel
FROM pg_temp.plan('SELECT id, pgfit.predict(m, ARRAY[size, shift]) FROM sale JOIN by_shop USING (shop)') AS line;
SELECT count(*), bool_and(p = q) AS same
FROM (SELECT id, pgfit.predict(m, ARRAY[size, shift]) AS q FROM sale JOIN by_shop USING (shop)) AS s JOIN scored USING (id);
SELECT count(*) AS functions, bool_and(proparallel = 's') AS all_safe, bool_and(provolatile = CASE proargtypes[0] WHEN 'text'::regtype THEN 's' ELSE 'i' END) AS volatility
FROM pg_proc WHERE pronamespace = 'pgfit'::regnamespace
    AND proname IN ('predict', 'predict_interval', 'classify', 'probability', 'probabilities', 'decision', 'decisions', 'cluster',
                    'distance', 'distances', 'transform', 'classes', 'coefficients', 'info', 'summary', 'parameter', 'to_sql');
DROP TABLE sale, fitted, by_shop, scored, wide, wide_model, wide_score, squeezed, offer;
