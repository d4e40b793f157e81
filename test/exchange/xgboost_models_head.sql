-- Boosters that XGBoost saved, and the margins that it gave some rows. Written by test/exchange/compare_xgboost.py write.
\set ECHO none
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE xgboost_documents (name text, document bytea, options jsonb, rows jsonb, number int GENERATED ALWAYS AS IDENTITY);
-- Imports a document and scores the rows before the link. differ: rows of which a score has other bits as a float.
CREATE FUNCTION xgboost_compared(document bytea, options jsonb, rows jsonb, OUT model text, OUT count int, OUT differ int) LANGUAGE plpgsql AS $$
DECLARE
    m pgfit.model := import_model(document, options => options::text::call_options);
    one jsonb; wanted real[]; got real[];
BEGIN
    model := info(m) ->> 'estimator';
    count := jsonb_array_length(rows); differ := 0;
    IF model = 'boosted_trees_regression' THEN
        m := regexp_replace(m::text, '"link":{"i64":.[12].}', '"link":{"i64":[0]}')::pgfit.model;
    END IF;
    FOR one IN SELECT jsonb_array_elements(rows) LOOP
        wanted := ARRAY(SELECT e::real FROM jsonb_array_elements_text(one -> 1) e);
        got := CASE WHEN model = 'boosted_trees_regression' THEN ARRAY[predict(m, one -> 0)] ELSE decisions(m, one -> 0) END;
        differ := differ + (got <> wanted)::int;
    END LOOP;
END $$;
