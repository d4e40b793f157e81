-- Stored moments: merge(m) merges a column of them, and fit(estimator, moments, options) fits what comes out.
SET search_path = public, test, pgfit;
SET client_min_messages = warning; -- features without names
CREATE TABLE sales AS SELECT i, i % 4 AS day, i % 3 AS label, sin(i) AS a, cos(i * i) AS b, 2 * sin(i) - cos(i * i) + (i % 5) / 10.0 AS y FROM generate_series(1, 200) AS i;
CREATE TABLE days AS
SELECT day, moments(y, (a, b)) AS m, class_moments(label, (a, b)) AS c, feature_moments((a, b)) AS f,
       forest_regression(y, (a, b), jsonb_build_object('n_trees', 2, 'seed', day)) AS forest, linear_regression(y, (a, b)) AS line
FROM sales GROUP BY day;

-- each estimator that reads moments fits them as it fits the rows; the others say what to call
CREATE FUNCTION pg_temp.of_rows(name text, input text) RETURNS text LANGUAGE sql AS $$
    SELECT format('pgfit.%I(%s(a, b), %L)', name, CASE input WHEN 'moments' THEN 'y, ' WHEN 'class_moments' THEN CASE name WHEN 'logistic_calibration' THEN 'label = 1, ' ELSE 'label, ' END ELSE '' END,
                  CASE WHEN name IN ('lasso_regression', 'elastic_net') THEN '{"lambda": 0.1}' WHEN name = 'pca' THEN '{"k": 2}' ELSE '{}' END)
$$;
CREATE FUNCTION pg_temp.same_as_rows(name text, input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    fits text := replace(pg_temp.of_rows(name, input), CASE WHEN name = 'logistic_calibration' THEN '(a, b)' ELSE '' END, 'a');
    options text := substring(fits FROM '\{.*\}');
    kept text := replace(replace(fits, 'pgfit.' || quote_ident(name), 'pgfit.' || input), options, '{}');
    whole pgfit.model;
    stored pgfit.model;
    merged pgfit.model;
BEGIN
    EXECUTE format('SELECT %s, pgfit.fit(%L, %s, %L) FROM sales', fits, name, kept, options) INTO whole, stored;
    EXECUTE format('SELECT pgfit.fit(%L, pgfit.merge(s), %L) FROM (SELECT %s AS s FROM sales GROUP BY day) AS d', name, options, kept) INTO merged;
    RETURN concat_ws(', ', CASE WHEN stored::text <> whole::text THEN 'other bits' END, CASE WHEN pgfit.info(merged) -> 'rows' <> pgfit.info(whole) -> 'rows' THEN 'other rows' END);
END $$;
SELECT name, input, pg_temp.same_as_rows(name, split_part(input, ' ', 1)) AS differs FROM pgfit.estimators() WHERE input ~ 'moments' ORDER BY name COLLATE "C";
SELECT count(*) > 30 AS many, bool_and(try(format('SELECT pgfit.fit(%L, m) FROM days', name)) LIKE format('42809: %s needs rows, not moments%%Call the aggregate pgfit.%s over the rows%%', name, name)) AS refused
FROM pgfit.estimators() WHERE input = 'rows' AND name <> 'mixed_regression'; -- which takes moments of groups as well
SELECT try($$SELECT pgfit.fit('kmeans', f) FROM days$$);
SELECT try($$SELECT pgfit.fit('ridge', m) FROM days$$) ~ '^22023: there is no estimator "ridge" to fit.*Did you mean "ridge_regression"' AS near;

-- what the options may be, and which moments
SELECT try($$SELECT pgfit.fit('ridge_regression', m, '{"lamda": 1}') FROM days$$) ~ '^22023: ridge_regression has no option "lamda".*Did you mean "lambda"' AS misspelled;
SELECT try($$SELECT pgfit.fit('ridge_regression', m, '{"lambda": "much"}') FROM days$$) ~ '^22023: option "lambda" of ridge_regression must be a number' AS of_another_type;
SELECT try($$SELECT pgfit.fit('ridge_regression', m, 'a + b') FROM days$$);
SELECT try($$SELECT pgfit.fit('ridge_regression', c) FROM days$$);
SELECT try($$SELECT pgfit.fit('pca', c) FROM days$$);
SELECT try($$SELECT pgfit.fit('lda', forest) FROM days$$);

-- which of the two functions a call means: literals are text
SELECT try($$SELECT pgfit.fit('linear_regression', NULL)$$), try($$SELECT pgfit.fit(NULL, m) FROM days$$);
SELECT fit('linear_regression', NULL::pgfit.model) IS NULL AS null, fit('linear_regression', merge(m)) IS NULL AS none FROM days WHERE false;
SELECT fit('linear_regression', 'select y, a, b from sales', 'y ~ a') IS NOT NULL AS literals, fit('pca', 'select a, b from sales') IS NOT NULL AS two,
       fit(estimator => 'pca', source => 'select a, b from sales', options => '{"k": 1}') IS NOT NULL AS named;
SELECT count(fit(moments => m, estimator => 'linear_regression')), count(fit('linear_regression', moments => m, options => '{"intercept": false}')) FROM days;
PREPARE of_literals AS SELECT pgfit.fit($1, $2) IS NOT NULL;
PREPARE of_moments AS SELECT count(pgfit.fit($1, m, $2)) FROM days;
PREPARE typed(text, pgfit.model, jsonb) AS SELECT pgfit.info(pgfit.fit($1, $2, $3)) #>> '{options,lambda}' AS lambda;
SELECT name, parameter_types FROM pg_prepared_statements WHERE name IN ('of_literals', 'of_moments') ORDER BY name;
EXECUTE of_literals('pca', 'select a, b from sales');
EXECUTE of_moments('ridge_regression', '{"lambda": 2}');
SELECT m::text AS stored FROM days WHERE day = 0 \gset
EXECUTE typed('ridge_regression', :'stored', '{"lambda": 2}');
-- one call site, several estimators and options
SELECT e, lambda, count(*), bool_and((info(fit(e, m, jsonb_build_object('lambda', lambda))) #>> '{options,lambda}')::float8 = lambda) AS same
FROM days, (VALUES ('ridge_regression'), ('lasso_regression')) AS v (e), (VALUES (1), (2)) AS w (lambda) GROUP BY e, lambda ORDER BY e, lambda;

-- the calls that stored moments had before
SELECT try('SELECT pgfit.pca(f, 2) FROM days'), try('SELECT pgfit.centroid(f) FROM days');
SELECT try('SELECT pgfit.naive_bayes(c, ''{}'') FROM days'), try('SELECT pgfit.ridge_regression(m, 0.1) FROM days');
SELECT try('SELECT pgfit.feature_moments(f) FROM days');
SELECT try('SELECT pgfit.linear_regression(m) FROM days') ~ '^42883: function pgfit.linear_regression\((pgfit.)?model\) does not exist' AS unknown;

-- merging: no rows, NULLs, other kinds
SELECT merge(m) IS NULL AS none FROM days WHERE false;
SELECT merge(NULL::pgfit.model) IS NULL AS nulls, info(merge(CASE day WHEN 1 THEN m END)) -> 'rows' AS one, info(merge(m) FILTER (WHERE day > 1)) -> 'rows' AS two FROM days;
SELECT info(merge(m)) -> 'rows' AS moments, info(merge(c)) -> 'rows' AS classes, info(merge(f)) -> 'rows' AS features, info(merge(forest)) -> 'statistics' -> 'trees' AS trees FROM days;
SELECT try('SELECT pgfit.merge(x) FROM (SELECT m AS x FROM days UNION ALL SELECT c FROM days WHERE day = 1) AS t') ~ '^42809: .*moments cannot be merged with' AS kinds;
SELECT try('SELECT pgfit.merge(x) FROM (SELECT m AS x FROM days WHERE day = 1 UNION ALL SELECT forest FROM days WHERE day = 1) AS t') ~ '^42809: .*do not merge' AS mixed;
SELECT try('SELECT pgfit.merge(line) FROM days');

-- merging in window frames, which move, start anew, or stay
SELECT day, info(merge(m) OVER w) -> 'rows' AS moving, info(merge(c) OVER (ORDER BY day)) -> 'rows' AS growing, info(merge(f) OVER (ORDER BY day ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)) -> 'rows' AS ahead,
       info(merge(f) OVER (ORDER BY day ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW)) -> 'rows' AS excluded
FROM days WINDOW w AS (ORDER BY day ROWS 1 PRECEDING) ORDER BY day;
SELECT day, info(merge(forest) OVER (ORDER BY day ROWS 1 PRECEDING)) -> 'statistics' -> 'trees' AS moving, info(merge(forest) OVER (ORDER BY day)) -> 'statistics' -> 'trees' AS growing,
       info(merge(CASE WHEN day > 1 THEN forest END) OVER (ORDER BY day ROWS 1 PRECEDING)) -> 'statistics' -> 'trees' AS with_nulls
FROM days ORDER BY day;
SELECT day, merge(forest) OVER (ORDER BY day ROWS 1 PRECEDING) = (SELECT merge(d.forest ORDER BY d.day) FROM days AS d WHERE d.day BETWEEN days.day - 1 AND days.day) AS same FROM days ORDER BY day;
SELECT try('SELECT pgfit.merge(CASE day WHEN 1 THEN forest ELSE f END) OVER (ORDER BY day ROWS 1 PRECEDING) FROM days');
SELECT try('SELECT pgfit.merge(CASE day WHEN 1 THEN f ELSE forest END) OVER (ORDER BY day ROWS 1 PRECEDING) FROM days');
SELECT try('SELECT pgfit.merge(CASE day WHEN 1 THEN c ELSE f END) OVER (ORDER BY day ROWS 1 PRECEDING) FROM days') ~ '^42809: cannot merge (class_moments with feature_moments|feature_moments with class_moments)' AS kinds;
SELECT try('SELECT pgfit.merge(line) OVER (ORDER BY day ROWS 1 PRECEDING) FROM days');
-- a frame of too few rows is an error of the fit, or NULL
SELECT try($$SELECT pgfit.fit('linear_regression', pgfit.merge(m) OVER (ORDER BY i ROWS 4 PRECEDING)) FROM (SELECT i, pgfit.moments(y, (a, b)) AS m FROM sales WHERE i < 9 GROUP BY i) AS t$$);
SET client_min_messages = error; -- as many rows as coefficients: no standard errors
SELECT i, fit('linear_regression', merge(m) OVER (ORDER BY i ROWS 4 PRECEDING), '{"too_few_rows": "null"}') IS NULL AS few
FROM (SELECT i, moments(y, (a, b)) AS m FROM sales WHERE i < 7 GROUP BY i) AS t ORDER BY i;
SET client_min_messages = warning;

-- a formula that leaves the intercept out is that of the fit, too
SELECT name, near_all(estimates(fit(name, (SELECT moments(y, d, '0 + a') FROM sales AS d), options)), estimates(fit(name, 'sales', 'y ~ 0 + a', options)), 1e-9) AS through_0
FROM (VALUES ('linear_regression', '{}'), ('ridge_regression', '{"lambda": 1}')) AS t(name, options);
SELECT try(format('SELECT pgfit.fit(''linear_regression'', pgfit.moments(y, d, %L), %L) FROM sales AS d', formula, options))
FROM (VALUES ('a - 1', '{"intercept": true}'), ('a + 1', '{"intercept": false}')) AS t(formula, options);
SELECT near_all(estimates(pgfit_textbook.glm_start(moments(i, d, 'a - 1'), '{"family": "poisson"}')), estimates(pgfit_textbook.glm_start(moments(i, d, 'a'), '{"family": "poisson", "intercept": false}')), 0) AS starts_through_0 FROM sales AS d;

-- workers merge too; a table of several blocks, so that each may read some
CREATE TABLE parts AS SELECT i / 5 AS part, moments(y, (a, b)) AS m FROM sales, generate_series(1, 20) AS copy GROUP BY 1;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT info(merge(m)) -> 'rows' AS rows, near_all(estimates(fit('linear_regression', merge(m))), (SELECT estimates(linear_regression(y, (a, b))) FROM sales), 1e-9) AS same FROM parts;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
-- components of moments of two targets are those of the features; a column may be called as the function offset is
SELECT near_all(explained_a, explained_b, 1e-12) AS components
FROM (SELECT array_agg(c.loading * c.variance ORDER BY c.component, c.term) AS explained_a FROM (SELECT fit('pca', moments(ARRAY[y, y * y], (a, b))) AS m FROM sales) AS f, components(m) AS c) AS x,
     (SELECT array_agg(c.loading * c.variance ORDER BY c.component, c.term) AS explained_b FROM (SELECT pca((a, b)) AS m FROM sales) AS f, components(m) AS c) AS z;
SELECT near_all(estimates(fit('linear_regression', moments(y, s, 'a + b_offset'))), estimates(linear_regression(y, s, 'a + b_offset')), 1e-12) AS named_offset
FROM (SELECT y, a, b AS b_offset FROM sales) AS s;
SELECT try($$SELECT fit('linear_regression', moments(y, s, 'a + offset(b)')) FROM sales AS s$$);
DROP TABLE sales, days, parts;
-- sums of fourth powers are not negative, of no class; those of products may be
SELECT i, test.try(format('SELECT %L::pgfit.model IS NOT NULL AS taken', jsonb_set(m::jsonb, ARRAY['arrays', 'fourths', 'f64', i::text], '-1'))) AS taken
FROM (SELECT pgfit.class_moments(i % 3, (i % 13, i * 5 % 7), '{"fourth_moments": true}') AS m FROM generate_series(1, 60) AS i) AS f, generate_series(0, 8) AS i ORDER BY i;
