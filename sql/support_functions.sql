-- Support functions: out of the users' schema, and told apart by name where they share a C function.
SET search_path = public, test, pgfit;
-- what is in the users' schema is what users call
SELECT p.oid::regprocedure AS internal FROM pg_proc p
WHERE pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace) AND ('internal'::regtype = ANY (proargtypes::oid[]) OR 'internal'::regtype = prorettype OR 'cstring'::regtype = ANY (proargtypes::oid[]));
SELECT p.oid::regprocedure AS support_function_of_users
FROM pg_proc p JOIN pg_aggregate a ON p.oid IN (aggtransfn, aggfinalfn, aggmtransfn, aggminvtransfn, aggmfinalfn, aggserialfn, aggdeserialfn, aggcombinefn)
WHERE pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace) GROUP BY p.oid;
-- nobody but superusers and whoever installed the extension can look into the other schema: see permissions
SELECT nspname, has_schema_privilege('public', oid, 'USAGE') AS of_all FROM pg_namespace WHERE nspname = 'pgfit_internal';
SELECT count(*) > 100 AS many, bool_and(proparallel = 's' AND provolatile = CASE proargtypes[0] WHEN 'text'::regtype THEN 's' ELSE 'i' END) AS labels FROM pg_proc WHERE pronamespace = 'pgfit_internal'::regnamespace AND proname NOT IN ('running_fits', 'sample_row', 'row_columns', 'options_from_text', 'has_options'); -- shared memory, random rows, columns of a row, a cast, names of methods
-- every support function of our aggregates is there, by the name of its aggregate or of what several share
SELECT a.aggfnoid::regprocedure, s.proname FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
    JOIN pg_proc s ON s.oid IN (aggtransfn, aggfinalfn, aggmtransfn, aggmfinalfn)
WHERE p.pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace) AND (s.pronamespace <> 'pgfit_internal'::regnamespace OR NOT starts_with(s.proname, p.proname))
    AND s.proname NOT IN ('merge', 'rows_final', 'step_final', 'hypothesis_final', 'contingency_step', 'class_score_step', 'mutual_information_step', 'accuracy_step', 'mean_final', 'gram_step', 'gram_final', 'feature_summary_final')
    AND p.proname NOT IN ('mse', 'rmse', 'mae', 'r_squared') ORDER BY 1, 2;
-- each estimator has its aggregates, of the input that its descriptor names and no other, with its description as their comment
CREATE VIEW test.estimator_forms AS
SELECT e.name, e.input, e.task, e.help, p.oid, a.aggtranstype, pg_get_function_arguments(p.oid) AS arguments, obj_description(p.oid, 'pg_proc') AS comment
FROM pgfit.estimators() e LEFT JOIN pg_proc p ON p.proname = e.name AND p.pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace) AND p.prokind = 'a' LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid;
SELECT name FROM estimator_forms WHERE oid IS NULL OR NOT starts_with(comment, help) OR (aggtranstype = 'internal'::regtype) <> (input = 'rows');
-- the first argument: labels of classifiers and calibrations, targets of regressions, ids of what keeps them
SELECT name, task, first FROM (SELECT name, task, substring(arguments FROM '^(target|label|id|features)') AS first FROM estimator_forms) f
WHERE first IS DISTINCT FROM CASE task WHEN 'classification' THEN 'label' WHEN 'calibration' THEN 'label' WHEN 'regression' THEN 'target' WHEN 'survival' THEN 'target'
    ELSE CASE WHEN name = 'target_encoder' THEN 'target' WHEN name IN ('dbscan', 'hdbscan', 'hierarchical', 'local_outlier_factor', 'mds', 'neighbors', 'optics') THEN 'id' ELSE 'features' END END GROUP BY 1, 2, 3;
-- numbers given as arguments: options of the same name, bigint where those are whole numbers
SELECT f.name, n.name AS argument, o.type FROM estimator_forms f, LATERAL regexp_matches(f.arguments, '(\w+) (bigint|double precision)', 'g') AS m,
    LATERAL (SELECT m[1] AS name, m[2] AS type) n LEFT JOIN LATERAL (SELECT * FROM pgfit.options(f.name) o WHERE o.name = n.name) o ON true
WHERE n.name <> 'weight' AND (n.type = 'bigint') IS DISTINCT FROM (o.type ~ '^integer' AND o.type !~ '\mnumber\M') GROUP BY 1, 2, 3;
-- and no aggregate makes models of an estimator that is not in the list
SELECT DISTINCT proname FROM pg_proc p JOIN pg_aggregate a ON a.aggfnoid = p.oid WHERE pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace) AND prorettype = 'pgfit.model'::regtype
    AND proname NOT IN (SELECT name FROM pgfit.estimators()) ORDER BY 1;
-- functions of other names and arguments over our C functions, as only superusers can declare them: errors, no crash
CREATE SCHEMA declared;
CREATE FUNCTION declared.declare(name text, arguments text, result text, symbol text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE FUNCTION declared.%I(%s) RETURNS %s AS ''$libdir/pgfit'', %L LANGUAGE C', name, arguments, result, symbol);
END
$$;
SET client_min_messages = warning; -- features without names
CREATE TABLE rows AS SELECT i, 2.0 * i AS y, sin(i) AS a FROM generate_series(1, 20) i;
SELECT declared.declare('odd', 'pgfit.model, "any", "any"', 'pgfit.model', 'pgfit_moments_step');
CREATE AGGREGATE declared.odd("any", "any") (SFUNC = declared.odd, STYPE = pgfit.model);
SELECT try('SELECT declared.odd(y, a) FROM rows');
SELECT declared.declare('unknown_step', 'pgfit.model, "any", "any"', 'pgfit.model', 'pgfit_moments_step');
CREATE AGGREGATE declared.unknown("any", "any") (SFUNC = declared.unknown_step, STYPE = pgfit.model);
SELECT try('SELECT declared.unknown(y, a) FROM rows');
SELECT declared.declare('kmeans_step', 'pgfit.model, "any", "any"', 'pgfit.model', 'pgfit_moments_step');
CREATE AGGREGATE declared.not_rows("any", "any") (SFUNC = declared.kmeans_step, STYPE = pgfit.model);
SELECT try('SELECT declared.not_rows(y, a) FROM rows');
SELECT declared.declare('ridge_regression_step', 'pgfit.model, "any", "any", bigint', 'pgfit.model', 'pgfit_moments_step');
CREATE AGGREGATE declared.not_bigint("any", "any", bigint) (SFUNC = declared.ridge_regression_step, STYPE = pgfit.model);
SELECT try('SELECT declared.not_bigint(y, a, 1) FROM rows');
SELECT declared.declare('elastic_net_step', 'pgfit.model, "any", "any", float8', 'pgfit.model', 'pgfit_moments_step');
CREATE AGGREGATE declared.one_of_two("any", "any", float8) (SFUNC = declared.elastic_net_step, STYPE = pgfit.model);
SELECT try('SELECT declared.one_of_two(y, a, 1) FROM rows');
SELECT declared.declare('linear_regression_step', 'pgfit.model, "any"', 'pgfit.model', 'pgfit_moments_step');
CREATE AGGREGATE declared.no_features("any") (SFUNC = declared.linear_regression_step, STYPE = pgfit.model);
SELECT try('SELECT declared.no_features(y) FROM rows');
SELECT declared.declare('odd_final', 'pgfit.model', 'pgfit.model', 'pgfit_moments_final');
SELECT try('SELECT declared.odd_final(pgfit.moments(y, a)) FROM rows');
-- states of moving frames: other values in their place, no row that could leave, a final function of another kind; without one, the moments
SELECT moments(y, a)::text AS stored FROM rows \gset
CREATE AGGREGATE declared.begun("any", "any") (SFUNC = pgfit_internal.linear_regression_step, STYPE = pgfit.model, MSFUNC = pgfit_internal.linear_regression_step,
    MINVFUNC = pgfit_internal.window_drop, MSTYPE = pgfit.model, MINITCOND = :'stored');
SELECT try('SELECT declared.begun(y, a) OVER (ORDER BY i ROWS 2 PRECEDING) FROM rows');
CREATE AGGREGATE declared.drops("any", "any") (SFUNC = pgfit_internal.window_drop, STYPE = pgfit.model);
SELECT try('SELECT declared.drops(y, a) FROM rows');
CREATE AGGREGATE declared.drops_begun("any", "any") (SFUNC = pgfit_internal.window_drop, STYPE = pgfit.model, INITCOND = :'stored');
SELECT try('SELECT declared.drops_begun(y, a) OVER () FROM rows');
SELECT try($$SELECT pgfit_internal.window_drop(NULL::pgfit.model, 1)$$);
CREATE AGGREGATE declared.other_final("any", "any") (SFUNC = pgfit_internal.linear_regression_step, STYPE = pgfit.model, FINALFUNC = pgfit_internal.lda_final);
SELECT try('SELECT declared.other_final(y, a) OVER (ORDER BY i ROWS 2 PRECEDING) FROM rows');
CREATE AGGREGATE declared.no_final("any", "any") (SFUNC = pgfit_internal.moments_step, STYPE = pgfit.model);
SELECT i, info(declared.no_final(y, a) OVER (ORDER BY i ROWS 2 PRECEDING)) -> 'rows' AS rows FROM rows ORDER BY i LIMIT 4;
SELECT try('SELECT declared.no_final(y, a) OVER (ORDER BY i ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) IS NULL FROM rows');
SELECT try('SELECT declared.no_final(NULL::float8, a) OVER (ORDER BY i ROWS 2 PRECEDING) IS NULL FROM rows LIMIT 1');
SELECT declared.declare('mean_rank_step', 'internal, "any", "any"', 'internal', 'pgfit_rows_metric_step');
CREATE AGGREGATE declared.mean_rank("any", "any") (SFUNC = declared.mean_rank_step, STYPE = internal, SSPACE = 64, FINALFUNC = pgfit_internal.roc_auc_final);
SELECT try('SELECT declared.mean_rank(y > 4, a) FROM rows');
CREATE AGGREGATE declared.mixed_up("any", float8) (SFUNC = pgfit_internal.roc_auc_step, STYPE = internal, SSPACE = 64, FINALFUNC = pgfit_internal.average_precision_final);
SELECT try('SELECT declared.mixed_up(y > 4, a) FROM rows');
CREATE AGGREGATE declared.no_model("any", float8) (SFUNC = pgfit_internal.roc_auc_step, STYPE = internal, SSPACE = 64, FINALFUNC = pgfit_internal.rows_final);
SELECT try('SELECT declared.no_model(y > 4, a) FROM rows');
SELECT declared.declare('gini_final', 'internal', 'float8', 'pgfit_contingency_final');
CREATE AGGREGATE declared.gini("any", "any") (SFUNC = pgfit_internal.contingency_step, STYPE = internal, SSPACE = 64, FINALFUNC = declared.gini_final);
SELECT try('SELECT declared.gini(i % 2, i % 3) FROM rows');
SELECT declared.declare('squared_step', 'internal, "any", float8', 'internal', 'pgfit_loss_step');
CREATE AGGREGATE declared.squared("any", float8) (SFUNC = declared.squared_step, STYPE = internal, SSPACE = 64, FINALFUNC = pgfit_internal.log_loss_final);
SELECT try('SELECT declared.squared(i % 2, 0.5) FROM rows');
SELECT declared.declare('odd_step_step', 'pgfit.model, "any", pgfit.model', 'pgfit.model', 'pgfit_pass_step');
CREATE AGGREGATE declared.odd_step("any", pgfit.model) (SFUNC = declared.odd_step_step, STYPE = pgfit.model);
SELECT try('SELECT declared.odd_step(a, NULL::pgfit.model) FROM rows');
-- a function of the right name works like ours, and finds its estimator in every group
SELECT declared.declare('lasso_regression_step', 'pgfit.model, "any", "any", float8', 'pgfit.model', 'pgfit_moments_step');
CREATE AGGREGATE declared.own_lasso("any", "any", float8) (SFUNC = declared.lasso_regression_step, STYPE = pgfit.model, FINALFUNC = pgfit_internal.lasso_regression_final, COMBINEFUNC = pgfit.merge);
SELECT bool_and(own = ours) AS same, count(*) FROM (SELECT declared.own_lasso(y, a, 0.1) AS own, lasso_regression(y, a, 0.1::float8) AS ours FROM rows GROUP BY i % 3) o;
SET client_min_messages = warning;
DROP SCHEMA declared CASCADE;
DROP VIEW test.estimator_forms;
DROP TABLE rows;
