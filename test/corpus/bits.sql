-- The rows that models of the corpus score, and the bits of their scores. sql/corpus.sql and test/corpus/make read this file.
CREATE FUNCTION test.all_bits(numbers float8[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT string_agg(coalesce(float8send(x), 'NULL'), '' ORDER BY i) FROM unnest(numbers) WITH ORDINALITY AS u(x, i)
$$;
CREATE TABLE probe (i int, a float8, b float8, c text);
INSERT INTO probe VALUES (1, 0.3, 1.25, 'y'), (2, -1.7, 0.001, 'x'), (3, 2.9, -3.3, 'z'), (4, 12.5, 40, 'new');
-- The scores of a model on the probes, one line per function that the model answers to: each number as its 16 hex digits. A model without scores has the hash of a table.
CREATE FUNCTION test.bits(m pgfit.model, features text) RETURNS TABLE (function text, bits text) LANGUAGE plpgsql AS $$
DECLARE
    call text;
    scores boolean := false;
BEGIN
    FOR function, call IN VALUES
        ('predict', 'float8send(predict($1, %1$s))'), ('predict_interval', '(SELECT float8send(fit) || float8send(lower) || float8send(upper) FROM predict_interval($1, %1$s))'),
        ('classify', 'convert_to(classify($1, %1$s), ''UTF8'')'), ('probability', 'float8send(probability($1, %1$s))'), ('probabilities', 'all_bits(probabilities($1, %1$s))'),
        ('decision', 'float8send(decision($1, %1$s))'), ('decisions', 'all_bits(decisions($1, %1$s))'), ('cluster', 'int4send(cluster($1, %1$s))'),
        ('distance', 'float8send(distance($1, %1$s))'), ('distances', 'all_bits(distances($1, %1$s))'), ('tail_probability', 'float8send(tail_probability($1, %1$s))'),
        ('log_density', 'float8send(log_density($1, %1$s))'), ('transform', 'all_bits(transform($1, %1$s))'), ('inverse_transform', 'all_bits(inverse_transform($1, transform($1, %1$s)))'),
        ('nearest', '(SELECT string_agg(convert_to(id, ''UTF8'') || float8send(distance), '''') FROM nearest($1, %1$s, 3))'),
        ('explain', '(SELECT string_agg(float8send(contribution), '''') FROM explain($1, %1$s))')
    LOOP
        BEGIN
            EXECUTE 'SELECT string_agg(encode(' || format(call, features) || ', ''hex''), '' '' ORDER BY i) FROM probe' INTO bits USING m;
            RETURN NEXT;
            scores := scores OR bits IS NOT NULL;
        EXCEPTION WHEN wrong_object_type OR object_not_in_prerequisite_state OR feature_not_supported THEN -- not a function of this kind of model
        END;
    END LOOP;
    FOREACH function IN ARRAY ARRAY['members', 'outlier_factors', 'reachability', 'coordinates', 'dendrogram_merges', 'bucket_counts'] LOOP
        CONTINUE WHEN scores;
        BEGIN
            EXECUTE format('SELECT md5(string_agg(x::text, ''|'' ORDER BY x::text COLLATE "C")) FROM %I($1) AS x', function) INTO bits USING m;
            RETURN NEXT;
        EXCEPTION WHEN wrong_object_type OR undefined_function THEN
        END;
    END LOOP;
END
$$;
