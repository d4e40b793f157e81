-- Every estimator on odd tables: whatever is said, drawn or exported of its model is a number or a refusal, never NaN, an internal error or nothing at all.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE odd AS
SELECT 'one row' AS c, 1 AS i, 1.5::float8 AS x, 2.0::float8 AS z, 'u' AS g, 1 AS y, true AS b
UNION ALL SELECT 'two rows', i, i, 3 - i, chr(116 + i), i, i = 2 FROM generate_series(1, 2) AS i
UNION ALL SELECT 'one class', i, i % 7, i * i % 11, chr(116 + i % 2), 3, true FROM generate_series(1, 12) AS i
UNION ALL SELECT 'constant', i, 2, 3, 'u', 1 + i * i * i % 17, i % 3 = 0 FROM generate_series(1, 12) AS i
UNION ALL SELECT 'duplicates', i, i % 2, i % 2, chr(116 + i % 2), 1 + i % 2, i % 2 = 0 FROM generate_series(1, 12) AS i
UNION ALL SELECT 'one known', i, CASE WHEN i = 3 THEN 1 END, CASE WHEN i = 3 THEN 1 END, CASE WHEN i = 3 THEN 'u' END, CASE WHEN i = 3 THEN 1 END, CASE WHEN i = 3 THEN true END FROM generate_series(1, 12) AS i
UNION ALL SELECT 'separated', i, i, i % 5, chr(116 + i % 2), 1 + i * i % 11 + i, i > 6 FROM generate_series(1, 12) AS i;
ANALYZE odd;

-- calls follow from names of arguments, so that a new estimator is called; options that it cannot do without are added here
CREATE FUNCTION test.odd_call(name text, task text) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT pgfit.%s(%sd, %L::jsonb) FROM odd AS d WHERE c = ', name,
                  CASE p.proargnames[1] WHEN 'features' THEN '' WHEN 'id' THEN 'i, ' ELSE CASE WHEN task IN ('classification', 'calibration') THEN 'b, ' ELSE 'y, ' END END,
                  jsonb_build_object('formula', CASE WHEN p.proargnames[1] = 'label' AND task = 'calibration' OR name IN ('isotonic_regression', 'theil_sen') THEN 'x' WHEN name IN ('one_hot', 'target_encoder') THEN 'g'
                                                     WHEN name = 'mixed_regression' THEN 'x + (1 | g)' ELSE 'x + z' END)
                  || CASE WHEN name IN ('kmeans', 'kmedoids', 'kernel_kmeans', 'gaussian_mixture', 'knn_classifier', 'knn_regression') THEN '{"k": 1}' WHEN name = 'dbscan' THEN '{"radius": 2}'
                          WHEN name = 'cox_regression' THEN '{"event": "b"}' WHEN name = 'hdbscan' THEN '{"min_samples": 2}' ELSE '{}'::jsonb END)
    FROM pg_proc AS p WHERE p.pronamespace = 'pgfit'::regnamespace AND p.proname = name AND 'options' = ANY (p.proargnames) AND NOT p.proargnames && ARRAY['weight', 'k', 'bins', 'distances', 'moments']
$$;
CREATE FUNCTION test.odd_fit(call text) RETURNS model LANGUAGE plpgsql AS $$
DECLARE m model;
BEGIN
    EXECUTE call INTO m;
    RETURN m;
EXCEPTION WHEN data_exception OR invalid_parameter_value OR numeric_value_out_of_range THEN
    RETURN NULL;
END $$;
CREATE TABLE odd_models AS
SELECT name, task, cases.c, odd_fit(odd_call(name, task) || quote_literal(cases.c)) AS m FROM estimators(), (SELECT DISTINCT c FROM odd) AS cases;
SELECT name AS never_fitted FROM odd_models GROUP BY name HAVING count(m) = 0;
SELECT count(DISTINCT name) = (SELECT count(*) FROM estimators()) AS all_of_them, count(m) > 400 AS many FROM odd_models;

-- what there is to ask; a text that holds a number that is none, or an error of the server's own, is a finding
CREATE FUNCTION test.odd_answer(m model, source text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE said text;
BEGIN
    EXECUTE query INTO said USING m, source;
    RETURN (regexp_match(said, '.{0,40}(?<![[:alpha:]_"])-?(?:nan|inf|infinity)(?![[:alpha:]_]).{0,20}|"M-\d+', 'i'))[1]; -- or begins left of the picture
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN SQLSTATE !~ '^(22|42809|42883|54)' THEN SQLSTATE || ' ' || SQLERRM END;
END $$;
CREATE TABLE odd_questions (query text); -- $1: the model, $2: a query of its rows, @: the column of its target
INSERT INTO odd_questions VALUES ('info($1)::text'), ('summary($1)'), ('$1::text::model::jsonb::text'), ('replace(report($1, $2, ''{"target": "@"}''), ''<dt>log_loss</dt><dd>Infinity</dd>'', '''')'), ('export_model($1, ''pmml'')'), ('export_model($1, ''sql'')'),
    ('export_model($1, ''xgboost'')'), ('length(export_model($1, ''python''))'), ('info(import_model(export_model($1, ''pmml'')))::text'), ('info(import_model(export_model($1, ''xgboost'')))::text'),
    ('plot(t) FROM permutation_importance($1, $2, ''@'') AS t'), ('plot(t) FROM partial_dependence($1, $2, ''x'') AS t'), ('plot(t) FROM accumulated_effects($1, $2, ''x'') AS t'), ('plot(t) FROM augment($1, $2, ''{"target": "@"}'') AS t'),
    ('plot($1, d, ''{"y": "@", "x": "x", "as": "vega"}'')::jsonb::text FROM odd AS d WHERE c = #'), ('string_agg(t::text, '' '') FROM odd AS d, explain($1, d) AS t WHERE c = #'),
    ('string_agg(t::text, '' '') FROM decision_grid($1, ''x'', ''z'', 3, ''{0, 1}'', ''{0, 1}'') AS t');
INSERT INTO odd_questions SELECT format('string_agg(t::text, '' '') FROM %s($1) AS t', f) FROM unnest(ARRAY['coefficients', 'importance', 'feature_ranges', 'terms', 'vif', 'glance', 'components', 'centroids', 'distributions']) AS f;
INSERT INTO odd_questions SELECT format('string_agg(%s($1, d)::text, '' '') FROM odd AS d WHERE c = #', f) FROM unnest(ARRAY['predict', 'probability', 'probabilities', 'decision', 'classify', 'cluster', 'transform']) AS f;
SELECT name, query, answer, string_agg(c, ', ' ORDER BY c) AS cases
FROM odd_models, LATERAL (SELECT CASE WHEN task IN ('classification', 'calibration') THEN 'b' ELSE 'y' END, quote_literal(c)) AS t(target, condition), odd_questions,
    odd_answer(m, 'SELECT * FROM odd WHERE c = ' || condition, 'SELECT ' || replace(replace(query, '@', target), '#', condition)) AS answer
WHERE m IS NOT NULL AND answer IS NOT NULL GROUP BY name, query, answer ORDER BY name, query, answer;
SELECT name, figure, form, answer, string_agg(c, ', ' ORDER BY c) AS cases
FROM odd_models, figures_of(m) AS figure, unnest(ARRAY['svg', 'text', 'vega']) AS form, odd_answer(m, '', format('SELECT plot($1, %L, %L)%s', figure, jsonb_build_object('as', form), CASE WHEN form = 'vega' THEN '::jsonb::text' ELSE '' END)) AS answer
WHERE m IS NOT NULL AND answer IS NOT NULL GROUP BY name, figure, form, answer ORDER BY name, figure, form;
DROP TABLE odd, odd_models, odd_questions;
DROP FUNCTION test.odd_call, test.odd_fit, test.odd_answer;
