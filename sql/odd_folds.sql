-- Every regression and classifier with options at the edges of what pgfit.options() allows: cross_validate says what fits and metrics by hand say, or refuses what they refuse.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE folded AS
SELECT i, i * 37 % 101 / 16.0 AS x, cos(i * 7.3) AS z, chr(116 + i % 4) AS g, 1.0 + i * 7919 % 12 + i / 10 AS y, i * 7919 % 12 + 3 * sin(i * 12.9) > 5 AS b, 1 + i % 3 AS w, 1 + i * 31 % 3 AS fold, chr(97 + (i * 7919 % 12 + i % 5) / 6) AS l
FROM generate_series(1, 60) AS i;
CREATE FUNCTION test.by_hand(name text, target text, options jsonb, weight text, metric text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE m model; value float8; result float8[]; score text;
BEGIN
    FOR k IN 1..3 LOOP
        EXECUTE format('SELECT pgfit.%s(%s, f, %L::jsonb%s) FROM folded, LATERAL (SELECT x, z, g) AS f WHERE fold <> %s', name, target, options, weight, k) INTO m;
        score := CASE metric WHEN 'accuracy' THEN format('accuracy(%s::text, classify($1, f)%s)', target, weight) WHEN 'log_loss' THEN format('log_loss(%s::text, probabilities($1, f), classes($1), ''{}''%s)', target, weight)
                             WHEN 'roc_auc' THEN format('roc_auc(%s, decision($1, f), ''{}''%s)', target, weight) ELSE format('%s(%s, predict($1, f)%s)', metric, target, weight) END;
        EXECUTE format('SELECT %s FROM folded, LATERAL (SELECT x, z, g) AS f WHERE fold = %s', score, k) INTO value USING m;
        result := result || value;
    END LOOP;
    RETURN result;
END $$;
CREATE FUNCTION test.by_folds(name text, target text, options jsonb, weight text, metric text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE result float8[];
BEGIN
    EXECUTE format('SELECT array_agg(value ORDER BY fold) FROM (SELECT (unnest(cross_validate(%s, f, %L, %L::jsonb%s))).* FROM folded, LATERAL (SELECT x, z, g, fold) AS f) AS s WHERE fold IS NOT NULL',
                   target, name, jsonb_build_object('fold_column', 'fold', 'metrics', metric, 'options', options), weight) INTO result;
    RETURN result;
END $$;
CREATE FUNCTION test.folds_case(name text, target text, options jsonb, weight text, metric text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE a float8[]; b float8[]; refusal text; other text;
BEGIN
    BEGIN a := by_hand(name, target, options, weight, metric); EXCEPTION WHEN OTHERS THEN refusal := SQLSTATE || ' ' || SQLERRM; END;
    BEGIN b := by_folds(name, target, options, weight, metric); EXCEPTION WHEN OTHERS THEN other := SQLSTATE || ' ' || SQLERRM; END;
    RETURN CASE WHEN refusal IS NOT NULL AND other IS NOT NULL THEN 'refused' WHEN refusal IS NOT NULL THEN 'by hand: ' || refusal WHEN other IS NOT NULL THEN 'by folds: ' || other
                WHEN near_all(a, b, 1e-7) OR a IS NOT DISTINCT FROM b THEN 'the same' ELSE format('by hand %s, by folds %s', a, b) END;
END $$;
-- no case: options of standard errors and targets, which change no score, of effects without predictions, of several scores of two classes, of nulls for failures and of the class that is positive, and scores that only folds have
CREATE TABLE odd_folds AS
SELECT e.name, target, o.options, CASE WHEN weighted THEN weight ELSE '' END AS weight, metric FROM estimators() AS e, generate_series(1, coalesce(current_setting('odd.walks', true), '3')::int) AS number, LATERAL (SELECT e.name || number) AS k(key),
    LATERAL (SELECT pick(CASE e.task WHEN 'classification' THEN '{b, l, g}' ELSE '{y}' END::text[], key || 'target'), pick('{"", "", ", w"}', key || 'weight'), pick(CASE e.task WHEN 'classification' THEN '{accuracy, log_loss, roc_auc}' ELSE '{rmse, mae, r_squared}' END::text[], key || 'metric')) AS c(target, weight, metric),
    LATERAL (SELECT coalesce(jsonb_object_agg(option, value), '{}') || CASE WHEN e.name ~ '^knn' THEN '{"k": 2}' ELSE '{}' END::jsonb
             FROM (SELECT o.name, pick(edges(o.name, o.type, o.range), key || o.name)::jsonb FROM options(e.name) AS o
                   WHERE o.name NOT IN ('formula', 'features', 'on_failure', 'too_few_rows', 'vcov', 'cluster', 'order', 'lag', 'targets', 'positive', 'absorb', 'multiclass') AND edges(o.name, o.type, o.range) IS NOT NULL ORDER BY hashtextextended(key || o.name, 3) LIMIT 1 + number % 2) AS o(option, value)) AS o(options),
    LATERAL (SELECT bool_or('weight' = ANY (proargnames)) FROM pg_proc WHERE proname = e.name AND pronamespace = 'pgfit'::regnamespace) AS a(weighted)
WHERE e.task IN ('classification', 'regression') AND e.name NOT IN ('multivariate_regression', 'multiple_quantile_regression', 'isotonic_regression') AND NOT (metric = 'roc_auc' AND (target <> 'b' OR e.name IN ('ordinal_regression', 'knn_classifier')));
CREATE TABLE odd_outcomes AS SELECT *, test.folds_case(name, target, options, weight, metric) AS outcome FROM odd_folds;
SELECT count(*) FILTER (WHERE outcome = 'the same') > 40 AS many, string_agg(DISTINCT name, ', ') FILTER (WHERE outcome NOT IN ('the same', 'refused')) AS findings FROM odd_outcomes;
SELECT outcome, format('%s %s %s%s %s', name, target, options, weight, metric) AS call FROM odd_outcomes WHERE outcome NOT IN ('the same', 'refused') ORDER BY 2;
DROP TABLE folded, odd_folds, odd_outcomes;
DROP FUNCTION test.by_hand, test.by_folds, test.folds_case;
