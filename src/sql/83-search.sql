-- choosing: options of an estimator, an estimator, or one of two models

CREATE FUNCTION pgfit_internal.search_candidates(grid jsonb, draws int, seed bigint) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    most CONSTANT int := 1000;
    grids jsonb := CASE WHEN jsonb_typeof(grid) = 'array' THEN grid ELSE jsonb_build_array(grid) END;
    one jsonb;
    entry record;
    total numeric := 0;
    size numeric;
    ranges boolean := false;
    found jsonb[];
    candidates jsonb[] := '{}';
    candidate jsonb;
    share float8;
    low float8;
    high float8;
    number numeric;
BEGIN
    IF jsonb_array_length(grids) = 0 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'the grid is empty', HINT = 'Write lists of values: {"lambda": [0.1, 1, 10]}.';
    END IF;
    FOR one IN SELECT g.value FROM jsonb_array_elements(grids) AS g LOOP
        IF jsonb_typeof(one) <> 'object' OR one = '{}' THEN
            RAISE invalid_parameter_value USING MESSAGE = CASE WHEN one = '{}' THEN 'the grid is empty' ELSE 'the grid must be an object or a list of objects' END,
                HINT = 'Write lists of values: {"lambda": [0.1, 1, 10]}.';
        END IF;
        size := 1;
        FOR entry IN SELECT o.key, o.value FROM jsonb_each(one) AS o LOOP
            IF jsonb_typeof(entry.value) = 'array' THEN
                size := size * jsonb_array_length(entry.value);
                IF size = 0 THEN
                    RAISE invalid_parameter_value USING MESSAGE = format('the grid has no value for "%s"', entry.key), HINT = 'List at least one value, or leave the option out.';
                END IF;
            ELSIF entry.value ?& ARRAY['min', 'max'] AND jsonb_typeof(entry.value) = 'object' THEN
                ranges := true;
                IF jsonb_typeof(entry.value -> 'min') <> 'number' OR jsonb_typeof(entry.value -> 'max') <> 'number'
                   OR (entry.value ->> 'min')::numeric > (entry.value ->> 'max')::numeric
                   OR coalesce(entry.value ->> 'scale', 'linear') NOT IN ('linear', 'log')
                   OR jsonb_typeof(coalesce(entry.value -> 'integer', 'false')) <> 'boolean'
                   OR (entry.value ->> 'scale' = 'log' AND (entry.value ->> 'min')::numeric <= 0)
                   OR entry.value - ARRAY['min', 'max', 'scale', 'integer'] <> '{}' THEN
                    RAISE invalid_parameter_value USING MESSAGE = format('the range of "%s" is not valid: %s', entry.key, entry.value),
                        HINT = 'Write {"min": 0.001, "max": 100, "scale": "log"} or {"min": 2, "max": 20, "integer": true}; a logarithmic range is above 0.';
                END IF;
            END IF;
        END LOOP;
        total := total + size;
    END LOOP;
    IF ranges AND draws = 0 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'the grid has ranges, of which values must be drawn',
            HINT = 'Say how many: {"method": "random", "n": 20}, or {"method": "halving", "n": 27}.';
    ELSIF draws > most OR (draws = 0 AND total > most) THEN
        RAISE invalid_parameter_value USING MESSAGE = format('the search has %s candidates, more than %s', CASE WHEN draws > 0 THEN draws ELSE total END, most),
            HINT = 'Draw some of them: {"method": "random", "n": 60}.';
    END IF;
    IF draws = 0 OR (NOT ranges AND total <= draws) THEN
        FOR one IN SELECT g.value FROM jsonb_array_elements(grids) AS g LOOP
            found := ARRAY['{}'::jsonb];
            FOR entry IN SELECT o.key, o.value FROM jsonb_each(one) AS o ORDER BY o.key COLLATE "C" LOOP
                SELECT array_agg(f.value || jsonb_build_object(entry.key, v.value) ORDER BY f.place, v.place) INTO found
                FROM unnest(found) WITH ORDINALITY AS f (value, place),
                     jsonb_array_elements(CASE WHEN jsonb_typeof(entry.value) = 'array' THEN entry.value ELSE jsonb_build_array(entry.value) END)
                         WITH ORDINALITY AS v (value, place);
            END LOOP;
            candidates := candidates || found;
        END LOOP;
        RETURN to_jsonb(candidates);
    END IF;
    -- a draw is a hash of the seed, its number and the option: the same on every machine
    FOR attempt IN 1 .. 100 * draws LOOP
        share := ('x' || substr(encode(sha256(convert_to(format('%s:%s', seed, attempt), 'UTF8')), 'hex'), 1, 13))::bit(52)::bigint / 4503599627370496.0;
        one := grids -> floor(share * jsonb_array_length(grids))::int;
        candidate := '{}';
        FOR entry IN SELECT o.key, o.value FROM jsonb_each(one) AS o LOOP
            share := ('x' || substr(encode(sha256(convert_to(format('%s:%s:%s', seed, attempt, entry.key), 'UTF8')), 'hex'), 1, 13))::bit(52)::bigint / 4503599627370496.0;
            IF jsonb_typeof(entry.value) = 'array' THEN
                candidate := candidate || jsonb_build_object(entry.key, entry.value -> floor(share * jsonb_array_length(entry.value))::int);
            ELSIF jsonb_typeof(entry.value) = 'object' AND entry.value ?& ARRAY['min', 'max'] THEN
                low := (entry.value ->> 'min')::float8;
                high := (entry.value ->> 'max')::float8;
                IF (entry.value ->> 'integer')::boolean THEN
                    low := low - 0.5;
                    high := high + 0.5;
                END IF;
                IF entry.value ->> 'scale' = 'log' THEN
                    number := exp(ln(low) + share * (ln(high) - ln(low)));
                ELSE
                    number := low + share * (high - low);
                END IF;
                IF (entry.value ->> 'integer')::boolean THEN
                    number := least(greatest(round(number), (entry.value ->> 'min')::numeric), (entry.value ->> 'max')::numeric);
                ELSIF number <> 0 THEN
                    -- four digits, so that the last bits of exp do not matter
                    number := least(greatest(trim_scale(round(number, 3 - floor(log(abs(number)))::int)), (entry.value ->> 'min')::numeric), (entry.value ->> 'max')::numeric);
                END IF;
                candidate := candidate || jsonb_build_object(entry.key, number);
            ELSE
                candidate := candidate || jsonb_build_object(entry.key, entry.value);
            END IF;
        END LOOP;
        IF candidate <> ALL (candidates) THEN
            candidates := candidates || candidate;
            EXIT WHEN cardinality(candidates) = draws;
        END IF;
    END LOOP;
    RETURN to_jsonb(candidates);
END $$;
COMMENT ON FUNCTION pgfit_internal.search_candidates(jsonb, int, bigint) IS
'Returns the candidates of a search as an array: with 0 draws all combinations of the lists of a grid, else so many different draws, by seed. Fails with invalid_parameter_value for a grid without values, and for more than 1000 candidates.';

CREATE FUNCTION pgfit.evaluate(estimator text, source text, formula text DEFAULT NULL, options pgfit.call_options DEFAULT '{}',
    OUT metric text, OUT value float8, OUT std_error float8, OUT fold_values float8[], OUT rows bigint)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_evaluate' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 3;
COMMENT ON FUNCTION pgfit.evaluate(text, text, text, pgfit.call_options) IS
'Returns how well an estimator predicts rows that it was not fitted to, by cross-validation, one row per metric. Columns: the mean over the folds, its standard error, the values of the folds, and how many rows were scored. Takes the arguments of fit. Options: metrics (a name or a list), folds, seed, stratified, group_column, time_column, fold_column, test_folds, positive and min_probability, as cross_validate has them; others, and those under "options", are options of fit, such as "prepare", whose steps are fitted again without each fold. Fails as fit and cross_validate do.';

CREATE FUNCTION pgfit.search(estimator text, source text, formula text, grid jsonb, options pgfit.call_options DEFAULT '{}',
    OUT rank int, OUT estimator text, OUT options jsonb, OUT metric text, OUT value float8, OUT std_error float8, OUT std_dev float8,
    OUT fold_values float8[], OUT rows bigint, OUT scorable bigint, OUT fraction float8, OUT duration interval, OUT message text, OUT sql text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_search' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000 ROWS 20;
COMMENT ON FUNCTION pgfit.search(text, text, text, jsonb, pgfit.call_options) IS
'Evaluates options of an estimator by cross-validation, best first. grid: lists of values, {"lambda": [0.1, 1]}, of which all combinations are candidates, or ranges {"min", "max", "scale", "integer"} to draw from; or a list of grids. Options: method (grid, random, halving), n, eta, nested, metrics, store (the name under which train stores the best), per_scan, seed, folds, stratified, group_column, time_column, fold_column, weight, prepare; under "options" those of all candidates. A candidate that cannot be fitted is a row with its message. Candidates are evaluated on the rows that all of them can score; scorable is how many each can. Fails with invalid_parameter_value for an empty grid, unknown options or metrics, and more than 1000 candidates; with the error of the candidates if all have the same.';

CREATE FUNCTION pgfit.search_sql(estimator text, source text, formula text, grid jsonb, options pgfit.call_options DEFAULT '{}') RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_search_sql' LANGUAGE C STABLE PARALLEL RESTRICTED COST 100000;
COMMENT ON FUNCTION pgfit.search_sql(text, text, text, jsonb, pgfit.call_options) IS
'Returns the query that evaluates the candidates of search in one scan of the source; of halving that of the first round. Fails where search does, except for what the rows bring up.';

CREATE FUNCTION pgfit.automl(source text, target text, options pgfit.call_options DEFAULT '{}',
    OUT rank int, OUT estimator text, OUT options jsonb, OUT metric text, OUT value float8, OUT std_error float8, OUT std_dev float8,
    OUT fold_values float8[], OUT rows bigint, OUT scorable bigint, OUT fraction float8, OUT duration interval, OUT message text, OUT sql text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_automl' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000 ROWS 20;
COMMENT ON FUNCTION pgfit.automl(text, text, pgfit.call_options) IS
'Evaluates the usual estimators for a target by cross-validation, best first, and trains the best if the option "store" has a name for it. target: a column, or a formula such as ''price ~ carat + cut''. The type of the target decides the task: text, boolean, enums and whole numbers of at most 10 values are classes, other numbers a regression. Options: store, time_budget (seconds or an interval: no candidate but the first begins after it), task, features (the right side of a formula), estimators, metrics, folds and other options of search. Each row has the query that reproduces it. Fails with undefined_column for a target that is not there, datatype_mismatch for one that is no target, invalid_parameter_value for unknown options.';

CREATE FUNCTION pgfit.compare(name_a text, name_b text, source text, options pgfit.call_options DEFAULT '{}',
    OUT metric text, OUT rows bigint, OUT rows_a bigint, OUT rows_b bigint, OUT value_a float8, OUT value_b float8, OUT difference float8, OUT std_error float8, OUT conf_low float8, OUT conf_high float8,
    OUT t float8, OUT df float8, OUT p_value float8, OUT only_a_right bigint, OUT only_b_right bigint, OUT mcnemar_p float8, OUT verdict text)
AS 'MODULE_PATHNAME', 'pgfit_compare' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION pgfit.compare(text, text, text, pgfit.call_options) IS
'Compares two models of the registry on the rows of a source by a paired t test of their losses: squared_error or absolute_error of numbers, zero_one or log_loss of classes. rows: those that both can score; rows_a, rows_b: those that each can. difference: value_a - value_b. Classifiers are also compared by the test of McNemar: exact for fewer than 25 rows that one alone gets right. Options: target, or a formula of which it is the left side (by default that of the formulas of both), metrics, min_probability, and folds, seed, group_column: both are fitted again in each fold, and the test is corrected for that (Nadeau and Bengio 2003). Fails with invalid_parameter_value for models that do not predict the same kind of target, data_exception if no row can be scored by both.';

CREATE FUNCTION pgfit.compare(model_a pgfit.model, model_b pgfit.model, source text, options pgfit.call_options DEFAULT '{}',
    OUT metric text, OUT rows bigint, OUT rows_a bigint, OUT rows_b bigint, OUT value_a float8, OUT value_b float8, OUT difference float8, OUT std_error float8, OUT conf_low float8, OUT conf_high float8,
    OUT t float8, OUT df float8, OUT p_value float8, OUT only_a_right bigint, OUT only_b_right bigint, OUT mcnemar_p float8, OUT verdict text)
AS 'MODULE_PATHNAME', 'pgfit_compare_models' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION pgfit.compare(pgfit.model, pgfit.model, text, pgfit.call_options) IS
'Compares two models on the rows of a source; the option "target" names the column that they predict, or "formula" has it on its left side. See compare(text, text, text, pgfit.call_options).';
