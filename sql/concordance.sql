-- concordance: of scores and censored times, and as the metric of Cox models on rows that were held out
CREATE TABLE judged_times AS
SELECT i AS id, 'p' || i / 3 AS patient, x, z, 1 + i % 3 AS w, (ARRAY['a', 'b'])[1 + i % 2] AS c, i % 4 AS part, i * 13 % 11 > 2 AS died, 1 + floor(20 * exp(-x) * (1 + i * 7 % 13)) AS t, floor(3 * exp(-x) * (i * 5 % 7)) AS entered, floor(4 * (x + i * 11 % 5 / 10.0)) AS score
FROM (SELECT i, (i * 37 % 101) / 100.0::float8 AS x, (i * 53 % 89) / 30.0::float8 AS z FROM generate_series(1, 150) AS i) AS q;
DELETE FROM judged_times WHERE entered >= t;
-- the share of the pairs, counted one by one
CREATE FUNCTION pg_temp.pairs(late boolean, stratified boolean, weighted boolean) RETURNS float8 LANGUAGE sql AS $$
SELECT sum(p * (CASE WHEN a.score > b.score THEN 1 WHEN a.score = b.score THEN 0.5 ELSE 0 END)) / sum(p)
FROM judged_times AS a JOIN judged_times AS b ON a.died AND (b.t > a.t OR (b.t = a.t AND NOT b.died)) AND a.id <> b.id AND (NOT late OR b.entered < a.t) AND (NOT stratified OR a.c = b.c), LATERAL (SELECT CASE WHEN weighted THEN a.w * b.w ELSE 1 END AS p) AS w
$$;
SELECT test.near(pgfit.concordance(t, (died, score)), pg_temp.pairs(false, false, false)) AS plain, test.near(pgfit.concordance(t, (died, score), '{}', w), pg_temp.pairs(false, false, true)) AS weighted,
       test.near(pgfit.concordance(t, (died, score, entered)), pg_temp.pairs(true, false, false)) AS late, test.near(pgfit.concordance(t, (died, score, -1, c)), pg_temp.pairs(false, true, false)) AS strata,
       test.near(pgfit.concordance(t, (died, score, entered, c), '{}', w), pg_temp.pairs(true, true, true)) AS all, test.near(pgfit.concordance(t, (died, score, -1, c)), pgfit.concordance(t, (died, score, -1, ascii(c)))) AS strata_of_numbers
FROM judged_times;
SELECT pgfit.concordance(t, (died, score) ORDER BY t) = pgfit.concordance(t, (died, score) ORDER BY id DESC) AS any_order, test.near(pgfit.concordance(t, (died, score)) + pgfit.concordance(t, (died, -score)), 1) AS reversed, pgfit.concordance(t, (died, 7)) AS no_score FROM judged_times;
-- that of a fit, and of groups; rows with a NULL are left out; edges
SELECT test.near(pgfit.concordance(t, (died, pgfit.predict(m, r), entered, c)), (pgfit.info(m) -> 'statistics' ->> 'concordance')::float8) AS of_the_fit
FROM (SELECT pgfit.cox_regression(t, r, '{"formula": "x + z", "event": "died", "entry": "entered", "strata": "c"}') AS m FROM judged_times AS r) AS f, judged_times AS r GROUP BY m;
SELECT c, test.near(pgfit.concordance(t, (died, nullif(score, 2))), pgfit.concordance(t, (died, score)) FILTER (WHERE score <> 2)) AS without_nulls FROM judged_times GROUP BY c ORDER BY c;
SELECT pgfit.concordance(t, (died, score)) AS no_rows FROM judged_times WHERE false;
SELECT pgfit.concordance(t, (died, score)) AS no_events, pgfit.concordance(t, (true, score)) AS ties FROM (VALUES (3, false, 1), (3, false, 2)) AS v(t, died, score);
SELECT test.try('SELECT pgfit.concordance(t, (score, died)) FROM judged_times');
SELECT test.try('SELECT pgfit.concordance(t, ROW(died)) FROM judged_times');
SELECT test.try('SELECT pgfit.concordance(-t, (died, score)) FROM judged_times');
SELECT test.try('SELECT pgfit.concordance(t, (died, score, t)) FROM judged_times');
SELECT test.try('SELECT pgfit.concordance(t, (died, score), ''{"level": 0.9}'') FROM judged_times');

-- folds: the scores of the rows of one by a fit to the others; by a hash, a column, groups, in order of time; with strata, late entries, clusters and weights
CREATE FUNCTION pg_temp.held_out(options jsonb, observed text, fold int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    result float8;
BEGIN
    EXECUTE format('SELECT pgfit.concordance(t, (died, pgfit.predict(m, r), %s)) FROM (SELECT pgfit.cox_regression(t, r, %L::jsonb) AS m FROM judged_times AS r WHERE part <> %s) AS f, judged_times AS r WHERE part = %3$s', observed, options, fold) INTO result;
    RETURN result;
END $$;
SELECT name, count(*) AS folds, bool_and(test.near(value, pg_temp.held_out(options, observed, fold::int))) AS same, sum(rows) = (SELECT count(*) FROM judged_times) AS rows
FROM (SELECT name, options, observed, (unnest(pgfit.cross_validate(t, r, 'cox_regression', jsonb_build_object('fold_column', 'part', 'options', options)))).* FROM judged_times AS r,
      (VALUES ('plain', '{"event": "died", "formula": "x + z"}'::jsonb, '-1'), ('strata', '{"event": "died", "formula": "x + z", "strata": "c"}', '-1, c'), ('late', '{"event": "died", "formula": "x + z", "entry": "entered"}', 'entered'),
              ('late strata', '{"event": "died", "formula": "x + z", "strata": "c", "entry": "entered"}', 'entered, c'), ('clusters', '{"event": "died", "formula": "x + z", "vcov": "CR0", "cluster": "patient"}', '-1'),
              ('offset', '{"event": "died", "formula": "x + offset(z / 3)", "ties": "breslow"}', '-1'), ('category', '{"event": "died", "formula": "c + x"}', '-1')) AS v(name, options, observed) GROUP BY name, options, observed) AS s
WHERE fold IS NOT NULL GROUP BY name ORDER BY name;
SELECT name, count(*) AS folds, bool_and(value BETWEEN 0.3 AND 1) AS values, max(rows) < 150 AS apart
FROM (SELECT name, (unnest(pgfit.cross_validate(t, r, 'cox_regression', options || '{"options": {"event": "died", "formula": "x + z", "entry": "entered"}}'))).* FROM judged_times AS r,
      (VALUES ('hash', '{"folds": 3}'::jsonb), ('group', '{"folds": 3, "group_column": "patient"}'), ('time', '{"folds": 3, "time_column": "id"}'), ('test folds', '{"fold_column": "part", "test_folds": [1, 2]}')) AS v(name, options) GROUP BY name, options) AS s
WHERE fold IS NOT NULL GROUP BY name ORDER BY name;
-- the columns of events and folds are no features of a row without a formula; candidates share the rows
SELECT a.value = b.value AS whole_rows FROM (SELECT (unnest(pgfit.cross_validate(t, f, 'cox_regression', '{"fold_column": "part", "options": {"event": "died", "strata": "c"}}'))).* FROM judged_times AS r, LATERAL (SELECT r.x, r.died, r.part, r.c) AS f) AS a
JOIN (SELECT (unnest(pgfit.cross_validate(t, r, 'cox_regression', '{"fold_column": "part", "options": {"event": "died", "strata": "c", "formula": "x"}}'))).* FROM judged_times AS r) AS b USING (fold) WHERE fold = 1;
SELECT array_length(pgfit.cross_validate(t, r, 'cox_regression', '{"folds": 3, "metrics": "concordance", "options": {"event": "died", "formula": "x"}, "candidates": [{"tolerance": 1e-9}, {"tolerance": 1e-18}]}'), 1) AS candidates FROM judged_times AS r;
SELECT test.try('SELECT pgfit.cross_validate(t, r, ''cox_regression'', ''{"metrics": "rmse", "options": {"event": "died", "formula": "x"}}'') FROM judged_times AS r');
SELECT test.try('SELECT pgfit.cross_validate(t, r, ''ridge_regression'', ''{"metrics": "concordance", "options": {"formula": "x"}}'') FROM judged_times AS r');
SELECT test.try('SELECT pgfit.cross_validate(t, r, ''cox_regression'', ''{"options": {"formula": "x"}}'') FROM judged_times AS r');
SELECT test.try('SELECT pgfit.cross_validate(t, r, ''cox_regression'', ''{"fold_column": "x", "options": {"event": "died", "formula": "z"}}'') FROM judged_times AS r');
-- folds without pairs have no concordance, which "stratified" would not change
SELECT count(*) FILTER (WHERE value IS NULL) > 1 AS without FROM (SELECT (unnest(pgfit.cross_validate(t, r, 'cox_regression', '{"fold_column": "id", "options": {"event": "died", "formula": "x"}}'))).* FROM judged_times AS r WHERE id % 5 = 0) AS s;
-- evaluate, search, and rows that train holds out: the same numbers
SELECT metric, test.near_all(fold_values, (SELECT array_agg(pg_temp.held_out('{"event": "died", "formula": "x + z"}', '-1', part) ORDER BY part) FROM generate_series(0, 3) AS part)) AS same, rows = (SELECT count(*) FROM judged_times) AS all
FROM pgfit.evaluate('cox_regression', 'judged_times', 't ~ x + z', '{"event": "died", "fold_column": "part"}');
SELECT count(*) AS candidates, count(DISTINCT s) AS scores FROM pgfit.search('cox_regression', 'judged_times', 't ~ x + z', '{"ties": ["efron", "breslow"], "entry": ["entered", null]}', '{"folds": 3, "options": {"event": "died", "strata": "c"}}') AS s;
SELECT metrics ? 'concordance' AS judged, test.near((metrics ->> 'concordance')::float8, (SELECT pgfit.concordance(t, (died, pgfit.predict(m, r), entered, c)) FROM (SELECT pgfit.cox_regression(t, r, '{"formula": "x + z", "event": "died", "entry": "entered", "strata": "c"}') AS m FROM judged_times AS r
           WHERE id <= 100) AS f, judged_times AS r WHERE id > 100), 1e-12) AS same
FROM pgfit.train('judged times', 'cox_regression', 'judged_times', 't ~ x + z', '{"event": "died", "entry": "entered", "strata": "c", "holdout": {"time": "id", "after": "100"}}');
SELECT version, active FROM pgfit.train('judged times', 'cox_regression', 'judged_times', 't ~ z', '{"event": "died", "entry": "entered", "strata": "c", "holdout": {"time": "id", "after": "100"}, "promote": "if_better"}');
SELECT metrics ? 'concordance' AS by_folds FROM pgfit.train('judged times', 'cox_regression', 'judged_times', 't ~ x', '{"event": "died", "holdout": {"folds": 3}}');
SELECT pgfit.drop_model('judged times') AS dropped;
SELECT test.try('SELECT * FROM pgfit.train(''judged times'', ''cox_regression'', ''judged_times'', ''t ~ x'', ''{"event": "died", "metrics": "rmse"}'')');
DROP TABLE judged_times;
