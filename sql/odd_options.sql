-- Every estimator with options at the edges of what pgfit.options() allows, added one after another, on odd tables: a fit is refused, or all that is said, drawn, written or exported of its model is
-- a number or a refusal, and reads back. test/server/odd_options.sh takes more of them.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE odd AS
SELECT 'two rows' AS c, i, i::float8 AS x, (3 - i)::float8 AS z, chr(116 + i) AS g, i AS y, i = 2 AS b, i::float8 AS w FROM generate_series(1, 2) AS i
UNION ALL SELECT 'one class', i, i % 7, i * i % 11, chr(116 + i % 2), 3, true, i % 2 FROM generate_series(1, 12) AS i
UNION ALL SELECT 'constant', i, 2, 3, 'u', 1 + i * i * i % 17, i % 3 = 0, i % 3 FROM generate_series(1, 12) AS i
UNION ALL SELECT 'duplicates', i, i % 2, i % 2, chr(116 + i % 2), 1 + i % 2, i % 2 = 0, 0.5 FROM generate_series(1, 12) AS i
UNION ALL SELECT 'one known', i, CASE WHEN i = 3 THEN 1 END, CASE WHEN i = 3 THEN 1 END, CASE WHEN i = 3 THEN 'u' END, CASE WHEN i = 3 THEN 1 END, CASE WHEN i = 3 THEN true END, 1 FROM generate_series(1, 12) AS i
UNION ALL SELECT 'separated', i, i, i % 5, chr(116 + i % 2), 1 + i * i % 11 + i, i > 6, i FROM generate_series(1, 12) AS i
UNION ALL SELECT 'huge', i, (i - 5) * 1e150, (i % 4) * 1e-150, chr(116 + i % 3), i * 7 % 13, i % 3 = 0, 1e-5 * i FROM generate_series(1, 12) AS i
UNION ALL SELECT 'usual', i, i * 37 % 101 / 16.0, CASE WHEN i % 9 > 0 THEN cos(i * 7.3) END, CASE WHEN i % 11 > 0 THEN chr(116 + i % 4) END, 1 + i * 7919 % 12 + i / 10, i * 7919 % 12 + 3 * sin(i * 12.9) > 5, 1 + i % 3 FROM generate_series(1, 45) AS i;
ANALYZE odd;

CREATE TABLE odd_estimators AS
SELECT name, task, p.proargnames[1] AS first, 'weight' = ANY (p.proargnames) AS weighted FROM estimators() AS e,
    LATERAL (SELECT * FROM pg_proc AS p WHERE p.pronamespace = 'pgfit'::regnamespace AND p.proname = e.name AND 'options' = ANY (p.proargnames) AND NOT p.proargnames && ARRAY['k', 'bins', 'distances', 'moments']
             ORDER BY 'weight' = ANY (p.proargnames) DESC LIMIT 1) AS p;
CREATE TABLE odd_choices AS
SELECT e.name, row_number() OVER (PARTITION BY e.name ORDER BY o.name) AS number, count(*) OVER (PARTITION BY e.name) AS all_of_them, o.name AS option, v.choices
FROM odd_estimators AS e, options(e.name) AS o, LATERAL (SELECT test.edges(o.name, o.type, o.range) AS choices) AS v WHERE o.name NOT IN ('formula', 'features', 'on_failure') AND choices IS NOT NULL;
CREATE INDEX ON odd_choices (name, number);
CREATE TABLE odd_models (name text, c text, target text, call text, m model);
CREATE FUNCTION test.odd_fit(call text) RETURNS model LANGUAGE plpgsql AS $$
DECLARE m model;
BEGIN
    EXECUTE call INTO m;
    RETURN m;
EXCEPTION WHEN OTHERS THEN
    IF SQLSTATE !~ '^(22|42|54)' THEN RAISE EXCEPTION '% % of %', SQLSTATE, SQLERRM, call; END IF;
    RETURN NULL;
END $$;
-- options are added one at a time, and kept where the fit succeeds
CREATE FUNCTION test.odd_walk(e odd_estimators, key text, c text, plain boolean, steps int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    kept jsonb; tried jsonb; choice odd_choices; call text; m model; fitted int := 0;
    weight text := CASE WHEN e.weighted AND NOT plain THEN test.pick('{"", "", "", ", w"}', key || 'weight') ELSE '' END;
    target text := CASE e.first WHEN 'features' THEN '' WHEN 'id' THEN 'i' ELSE CASE e.task WHEN 'classification' THEN test.pick('{b, b, g, y}', key || 'target') WHEN 'calibration' THEN 'b' ELSE 'y' END END;
BEGIN
    kept := jsonb_build_object('formula', CASE WHEN e.first = 'label' AND e.task = 'calibration' OR e.name IN ('isotonic_regression', 'theil_sen') THEN 'x' WHEN e.name IN ('one_hot', 'target_encoder') THEN 'g'
                                               WHEN e.name = 'mixed_regression' THEN test.pick('{x + (1 | g), 1 + (x | g), x + (1 | g) + (1 | b), x * z + (x || g)}', key)
                                               ELSE CASE WHEN plain THEN 'x + z' ELSE test.pick('{x + z, x, x + g, x * g, z + x^2, 0 + x + z, 1, ., x + log(i), x + b + z, g}', key) END END)
            || CASE WHEN e.name IN ('kmeans', 'kmedoids', 'kernel_kmeans', 'gaussian_mixture', 'knn_classifier', 'knn_regression') THEN '{"k": 2}' WHEN e.name = 'dbscan' THEN '{"radius": 2}'
                    WHEN e.name = 'cox_regression' THEN '{"event": "b"}' WHEN e.name = 'hdbscan' THEN '{"min_samples": 2}'
                    WHEN e.name = 'ordinal_regression' THEN CASE target WHEN 'b' THEN '{"levels": ["false", "true"]}' WHEN 'g' THEN '{"levels": ["t", "u", "v", "w"]}' ELSE '{}' END ELSE '{}' END::jsonb;
    FOR step IN 0..steps LOOP
        tried := kept;
        IF step > 0 THEN
            SELECT * INTO choice FROM odd_choices AS o WHERE o.name = e.name AND number = 1 + abs(hashtextextended(key || step, 0)) % all_of_them;
            tried := kept || jsonb_build_object(choice.option, test.pick(choice.choices, key || step)::jsonb);
        END IF;
        call := format('SELECT pgfit.%s(%sd, %L::jsonb%s) FROM odd AS d WHERE c = %L', e.name, CASE WHEN target <> '' THEN target || ', ' ELSE '' END, tried, weight, c);
        m := test.odd_fit(call);
        EXIT WHEN m IS NULL AND step = 0;
        CONTINUE WHEN m IS NULL;
        kept := tried;
        fitted := fitted + 1;
        INSERT INTO odd_models VALUES (e.name, c, CASE target WHEN '' THEN 'y' WHEN 'i' THEN 'y' ELSE target END, call, m);
    END LOOP;
    RETURN fitted;
END $$;
SELECT sum(fits) > 400 AS many, string_agg(name, ', ' ORDER BY name) FILTER (WHERE fits = 0) AS never
FROM (SELECT e.name, sum(test.odd_walk(e, format('%s %s %s', e.name, number, c), c, number = 1, 5)) AS fits
      FROM odd_estimators AS e, generate_series(1, coalesce(current_setting('odd.walks', true), '2')::int) AS number,
           LATERAL (SELECT CASE WHEN number = 1 THEN 'usual' ELSE test.pick((SELECT array_agg(DISTINCT odd.c ORDER BY odd.c) FROM odd), e.name || number) END) AS t(c) GROUP BY 1) AS t;

-- a value reads back from its text and jsonb
SELECT call AS changed FROM odd_models WHERE m::text::model <> m OR m::jsonb::model <> m;
-- one or more of what there is to ask, and a figure; a number that is none, or an error of the server's own, is a finding
CREATE FUNCTION test.odd_answer(m model, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE said text;
BEGIN
    EXECUTE query INTO said USING m;
    RETURN (regexp_match(said, '.{0,40}(?<![[:alnum:]_"/+])-?(?:nan|inf|infinity)(?![[:alnum:]_/+]).{0,20}|"M-\d+', 'i'))[1];
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN SQLSTATE !~ '^(22|42809|42883|54)' THEN SQLSTATE || ' ' || SQLERRM END;
END $$;
-- other forms of a model, and the same score by both
CREATE FUNCTION test.odd_form(m model, form text, score text, c text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE one text[]; other text[]; expression text; written model;
BEGIN
    EXECUTE format('SELECT array_agg(%s($1, d)::text ORDER BY i) FROM odd AS d WHERE c = %L', score, c) INTO one USING m;
    IF form = 'sql' THEN
        EXECUTE format('SELECT array_agg((%s)::text ORDER BY i) FROM odd AS d WHERE c = %L', export_model(m, form), c) INTO other;
    ELSE
        written := import_model(export_model(m, form));
        EXECUTE format('SELECT array_agg(%s($1, d)::text ORDER BY i) FROM odd AS d WHERE c = %L', score, c) INTO other USING written;
    END IF;
    RETURN (SELECT format('%s says %s, not %s', form, b, a) FROM unnest(one, other) AS u(a, b)
            WHERE CASE WHEN a ~ '^-?[0-9.]+(e[0-9+-]+)?$' AND b ~ '^-?[0-9.]+(e[0-9+-]+)?$' THEN abs(a::float8 - b::float8) > 1e-8 * abs(a::float8) + 1e-12 ELSE a IS DISTINCT FROM b END LIMIT 1);
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN SQLSTATE !~ '^(22|42809|42883|54|0A)' THEN SQLSTATE || ' ' || SQLERRM END;
END $$;
-- $1: the model, @: the column of its target, %: the query of its rows, #: its rows
CREATE TABLE odd_questions AS SELECT row_number() OVER () AS number, query FROM (
    SELECT unnest(ARRAY['info($1)::text', 'summary($1)', 'replace(report($1, %, ''{"target": "@"}''), ''<dt>log_loss</dt><dd>Infinity</dd>'', '''')', 'export_model($1, ''pmml'')', 'export_model($1, ''sql'')',
        'length(export_model($1, ''python''))', 'plot(t) FROM permutation_importance($1, %, ''@'') AS t', 'plot(t) FROM partial_dependence($1, %, ''x'') AS t',
        'plot(t) FROM accumulated_effects($1, %, ''x'') AS t', 'plot(t) FROM augment($1, %, ''{"target": "@"}'') AS t',
        'plot($1, d, ''{"y": "@", "x": "x", "as": "vega"}'')::jsonb::text FROM odd AS d WHERE c = #', 'string_agg(t::text, '' '') FROM odd AS d, explain($1, d) AS t WHERE c = #',
        'string_agg(t::text, '' '') FROM decision_grid($1, ''x'', ''z'', 3, ''{0, 1}'', ''{0, 1}'') AS t'])
    UNION ALL SELECT format('string_agg(t::text, '' '') FROM %s($1) AS t', f) FROM unnest(ARRAY['coefficients', 'importance', 'feature_ranges', 'terms', 'vif', 'glance', 'components', 'centroids', 'distributions', 'lambda_path', 'random_variances']) AS f
    UNION ALL SELECT format('string_agg(%s($1, d)::text, '' '') FROM odd AS d WHERE c = #', f) FROM unnest(ARRAY['predict', 'probability', 'probabilities', 'decision', 'classify', 'cluster', 'transform']) AS f
    UNION ALL SELECT format('test.odd_form($1, %L, %L, #)', form, score) FROM unnest(ARRAY['sql', 'pmml']) AS form, unnest(ARRAY['predict', 'classify', 'cluster', 'transform']) AS score) AS q(query);
CREATE FUNCTION test.odd_hash(key text, chances int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT abs(hashtextextended(key, 1)) % chances = 0 $$;
SELECT query, answer, count(*), min(call) AS call FROM odd_models, odd_questions, LATERAL (SELECT replace(replace(replace(query, '@', target), '%', quote_literal('SELECT * FROM odd WHERE c = ' || quote_literal(c))), '#', quote_literal(c))) AS q(asked),
    LATERAL (SELECT odd_answer(m, 'SELECT ' || asked) AS answer) AS a
WHERE odd_hash(call || number, 40) AND answer IS NOT NULL GROUP BY query, answer ORDER BY query, answer;
SELECT figure, form, answer, count(*), min(call) AS call FROM odd_models, figures_of(m) AS figure, unnest(ARRAY['svg', 'text', 'vega']) AS form,
    LATERAL (SELECT odd_answer(m, format('SELECT plot($1, %L, %L)%s', figure, jsonb_build_object('as', form), CASE form WHEN 'vega' THEN '::jsonb::text' ELSE '' END)) AS answer) AS a
WHERE odd_hash(call || figure || form, 20) AND answer IS NOT NULL GROUP BY figure, form, answer ORDER BY figure, form, answer;
DROP TABLE odd, odd_models, odd_questions, odd_choices, odd_estimators CASCADE;
DROP FUNCTION test.odd_fit, test.odd_answer, test.odd_form, test.odd_hash;
