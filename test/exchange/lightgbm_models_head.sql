-- Models that LightGBM trained, as it saves them, and what it makes of some rows. Written by test/exchange/lightgbm_models.py.
\set ECHO none
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE lightgbm_documents (name text, document text, dump jsonb, rows jsonb, shapley jsonb, number int GENERATED ALWAYS AS IDENTITY);
-- Returns the scores of a row before the link.
CREATE FUNCTION lightgbm_sums(m model, r jsonb) RETURNS float8[] LANGUAGE plpgsql AS $$
BEGIN
    IF info(m) ->> 'estimator' = 'boosted_trees_classifier' THEN
        RETURN decisions(m, r);
    END IF;
    RETURN ARRAY[predict(regexp_replace(m::text, '"link":{"i64":.[12].}', '"link":{"i64":[0]}')::model, r)];
END $$;
-- Returns a score of LightGBM before the link as the model has it: divided by the iterations if it is a mean, and stretched.
CREATE FUNCTION lightgbm_stretched(score float8, document text, m model) RETURNS float8 LANGUAGE sql AS $$
    SELECT score / CASE WHEN document ~ '\naverage_output\n' THEN (info(m) ->> 'iterations')::float8 ELSE 1 END
           * coalesce(substring(document FROM 'objective=[^\n]*sigmoid:([0-9.]+)')::float8, 1)
$$;
-- Scores the rows. scores: how many have other bits than LightGBM's; predictions: how many are off by more than exp rounds.
CREATE FUNCTION lightgbm_compared(m model, document text, rows jsonb, OUT count int, OUT scores int, OUT predictions int) LANGUAGE plpgsql AS $$
DECLARE
    one jsonb; wanted float8[]; got float8[];
BEGIN
    count := jsonb_array_length(rows); scores := 0; predictions := 0;
    FOR one IN SELECT jsonb_array_elements(rows) LOOP
        wanted := ARRAY(SELECT lightgbm_stretched(e::float8, document, m) FROM jsonb_array_elements_text(one -> 1) e);
        scores := scores + (lightgbm_sums(m, one -> 0) <> wanted)::int;
        wanted := ARRAY(SELECT e::float8 FROM jsonb_array_elements_text(one -> 2) e);
        got := CASE WHEN info(m) ->> 'estimator' <> 'boosted_trees_classifier' THEN ARRAY[predict(m, one -> 0)] WHEN cardinality(wanted) = 1 THEN ARRAY[probability(m, one -> 0)] ELSE probabilities(m, one -> 0) END;
        predictions := predictions + coalesce((SELECT max((abs(a - b) > 1e-14 * abs(b))::int) FROM unnest(got, wanted) AS u(a, b)), 1);
    END LOOP;
END $$;
-- documents
\set ECHO all
SELECT name, info(m) #>> '{statistics,imported}' AS imported, c.* FROM lightgbm_documents d, import_model(document) m, lightgbm_compared(m, document, rows) c ORDER BY number;
-- the dump has the same trees
SELECT name, c.* FROM lightgbm_documents d, import_model(dump) m, lightgbm_compared(m, document, rows) c WHERE c.scores + c.predictions > 0 OR count = 0 ORDER BY number;
SELECT count(*) AS same FROM lightgbm_documents WHERE regexp_replace(import_model(document)::text, '"importance":.[^]]*.', '') = regexp_replace(import_model(dump::text)::text, '"importance":.[^]]*.', '');
-- gains have six digits in the text
SELECT name FROM lightgbm_documents WHERE (SELECT count(*) FROM importance(import_model(document)) a JOIN importance(import_model(dump)) b USING (feature) WHERE near(a.importance, b.importance, 1e-5)) <> (SELECT count(*) FROM importance(import_model(dump)));
-- the same Shapley values, of the sums
SELECT name, count(*) AS features, count(*) FILTER (WHERE near(lightgbm_stretched((d.shapley ->> f.feature)::float8, document, m), coalesce(e.part, 0), 1e-12)) AS same
FROM lightgbm_documents d, import_model(document) m, jsonb_object_keys(d.shapley) AS f(feature)
    LEFT JOIN LATERAL (SELECT sum(contribution) AS part FROM explain(m, d.rows -> 1 -> 0) WHERE regexp_replace(term, '(=| IS NULL).*', '') = f.feature) e ON true
WHERE jsonb_typeof(d.shapley) = 'object' GROUP BY number, name ORDER BY number;
-- SQL gives the same numbers
CREATE FUNCTION lightgbm_written(m model, rows jsonb, names text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE s float8[];
BEGIN
    EXECUTE format('SELECT array_agg(%s ORDER BY n) FROM jsonb_array_elements($1) WITH ORDINALITY AS j(one, n), LATERAL jsonb_to_record(one -> 0) AS r(%s)', to_sql(m), names) INTO s USING rows;
    RETURN s;
END $$;
SELECT name, bool_and(near(w, predict(m, one -> 0), 1e-14)) AS same
FROM lightgbm_documents d, import_model(document) m, lightgbm_written(m, rows, CASE WHEN name LIKE 'codes%' THEN 'width float8, count float8, code text' ELSE 'width float8, count float8, kind text, rank text' END) AS s(numbers), unnest(numbers) WITH ORDINALITY AS u(w, n),
    jsonb_array_elements(rows) WITH ORDINALITY AS j(one, k)
WHERE n = k AND info(m) ->> 'estimator' = 'boosted_trees_regression' GROUP BY number, name ORDER BY number;
-- levels: those of pandas, or the numbers
SELECT name, levels.* FROM lightgbm_documents, levels(import_model(document)) WHERE name IN ('regression', 'codes without texts') ORDER BY number, feature, level LIMIT 14;
