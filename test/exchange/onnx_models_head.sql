-- Documents of scikit-learn models, and what onnxruntime made of some rows. Written by test/exchange/onnx_models.py.
\set ECHO none
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE onnx_documents (name text, document bytea, rows jsonb, number int GENERATED ALWAYS AS IDENTITY);
-- Imports a document and scores the rows, each with a label, or null, and numbers. differ: rows with another label, or a number that is off by
-- more than floats round. onnxruntime works in single precision.
CREATE FUNCTION onnx_compared(document bytea, rows jsonb, OUT model text, OUT count int, OUT differ int, OUT largest float8) LANGUAGE plpgsql AS $$
DECLARE
    m pgfit.model := import_model(document);
    kind text := info(m) ->> 'estimator';
    one jsonb; wanted float8[]; got float8[]; own text; off float8; label_differs boolean;
    v float8[]; named boolean;
BEGIN
    model := kind || CASE WHEN kind = 'pipeline' THEN ' to ' || (info(m) #>> '{stages,-1,estimator}') ELSE '' END;
    count := jsonb_array_length(rows); differ := 0; largest := 0;
    FOR one IN SELECT jsonb_array_elements(rows) LOOP
        wanted := ARRAY(SELECT e::float8 FROM jsonb_array_elements_text(one -> 2) e);
        named := jsonb_typeof(one -> 0) = 'object';
        v := CASE WHEN NOT named THEN ARRAY(SELECT e::float8 FROM jsonb_array_elements_text(one -> 0) e) END;
        label_differs := false;
        IF one -> 1 <> 'null' THEN
            own := CASE WHEN named THEN classify(m, one -> 0) ELSE classify(m, v) END;
            label_differs := own IS DISTINCT FROM one ->> 1;
            BEGIN
                got := CASE WHEN named THEN probabilities(m, one -> 0) ELSE probabilities(m, v) END;
            EXCEPTION WHEN OTHERS THEN
                got := NULL; -- scores of classes are compared by their label alone
            END;
        ELSE
            BEGIN
                got := ARRAY[CASE WHEN named THEN predict(m, one -> 0) ELSE predict(m, v) END];
            EXCEPTION WHEN wrong_object_type THEN
                BEGIN
                    got := CASE WHEN named THEN transform(m, one -> 0) ELSE transform(m, v) END;
                EXCEPTION WHEN wrong_object_type THEN
                    got := ARRAY[CASE WHEN classify(m, v) = 'in' THEN 1 ELSE -1 END];
                END;
            END;
        END IF;
        off := coalesce((SELECT max(abs(a - b) / greatest(1, abs(a))) FROM unnest(wanted, got) AS u(a, b) WHERE got IS NOT NULL), CASE WHEN got IS NULL THEN 0 ELSE 1 END);
        largest := greatest(largest, off);
        differ := differ + (label_differs OR off > 1e-4)::int;
    END LOOP;
END $$;
