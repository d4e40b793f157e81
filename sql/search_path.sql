-- Statements that functions write and run find the names of PostgreSQL under any search_path of the caller.
CREATE TABLE public.stone AS
SELECT i AS id, 1 + i % 40 / 10.0 AS carat, (ARRAY['fair', 'good', 'ideal'])[1 + i % 3] AS cut, i % 5 > 1 AS sold, DATE '2026-01-01' + i / 10 AS day,
       1 + i % 2 AS w, 100 * (1 + i % 40 / 10.0) + 20 * (i % 3) + i % 7 AS price
FROM generate_series(1, 400) AS i;
CREATE SCHEMA hostile;
-- types of the same names, functions and operators that fit better or as well, each of which gives itself away
CREATE FUNCTION hostile.trap() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''a trap of the search_path was called''; END';
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT t.typname AS name FROM pg_type AS t
               WHERE t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype = 'b' AND t.typcategory IN ('N', 'S', 'B', 'D', 'T', 'U') AND t.typname !~ '^(reg|pg_|_)' LOOP
        EXECUTE format('CREATE DOMAIN hostile.%I AS pg_catalog.text CHECK (hostile.trap())', one.name);
    END LOOP;
    -- functions and aggregates
    FOR one IN SELECT DISTINCT p.proname AS name, pg_get_function_identity_arguments(p.oid) AS arguments
               FROM pg_proc AS p
               WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN ('abs', 'array_append', 'array_position', 'array_remove', 'avg', 'bool_and', 'cardinality',
                   'clock_timestamp', 'coalesce', 'count', 'floor', 'ln', 'random', 'round', 'sum', 'trim_array', 'unnest', 'var_samp', 'jsonb_build_object')
                 AND pg_get_function_identity_arguments(p.oid) !~ '(any"|ORDER BY|VARIADIC|internal|OUT )' LOOP
        EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS pg_catalog.bool LANGUAGE sql AS ''SELECT hostile.trap()''', one.name, one.arguments);
    END LOOP;
    EXECUTE 'CREATE FUNCTION hostile.count(anyelement) RETURNS pg_catalog.bool LANGUAGE sql AS ''SELECT hostile.trap()''';
    -- operators between types that statements have
    FOR one IN SELECT o.oprname AS name, o.oprleft::regtype AS l, o.oprright::regtype AS r, row_number() OVER () AS n
               FROM pg_operator AS o
               WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND o.oprname IN ('=', '<>', '<', '<=', '>', '>=', '+', '-', '*', '/', '||', '->>', '->') AND o.oprleft <> 0
                 AND (o.oprleft IN ('int4'::regtype, 'int8'::regtype, 'float8'::regtype, 'numeric'::regtype, 'text'::regtype, 'bool'::regtype, 'name'::regtype, 'oid'::regtype,
                                    'date'::regtype, 'jsonb'::regtype, 'timestamptz'::regtype, 'anyarray'::regtype, 'anycompatiblearray'::regtype)) LOOP
        EXECUTE format('CREATE FUNCTION hostile.operator_%s(%s, %s) RETURNS pg_catalog.bool LANGUAGE sql AS ''SELECT hostile.trap()''', one.n, one.l, one.r);
        EXECUTE format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = hostile.operator_%s)', one.name, one.l, one.r, one.n);
    END LOOP;
    EXECUTE 'CREATE FUNCTION hostile.minus(pg_catalog.float8) RETURNS pg_catalog.bool LANGUAGE sql AS ''SELECT hostile.trap()''';
    EXECUTE 'CREATE OPERATOR hostile.- (RIGHTARG = pg_catalog.float8, FUNCTION = hostile.minus)';
END $$;

SET search_path = hostile, pg_catalog;
-- the traps are open
SELECT 1 + 1;
SELECT 'x'::text;
SELECT count(*) FROM public.stone;
SELECT cardinality('{1}'::pg_catalog.int4[]);

\t on
-- fit and its query, with weights, ids, a summary, passes
SELECT pgfit.fit_sql('ridge_regression', 'public.stone', 'price ~ carat + cut', '{"lambda": 1, "weight": "w"}');
SELECT pgfit.fit('ridge_regression', 'public.stone', 'price ~ carat + cut', '{"lambda": 1, "weight": "w", "summary": true}') IS NOT NULL;
SELECT pgfit.fit('ridge_regression', 'SELECT * FROM public.stone', 'price ~ carat + cut', '{"lambda": 1}') IS NOT NULL;
SELECT pgfit.fit('linear_regression', 'SELECT * FROM public.stone LIMIT 0', 'price ~ carat');
SELECT pgfit.fit('linear_regression', 'SELECT NULL::pg_catalog.float8 AS carat, price FROM public.stone', 'price ~ carat');
SELECT pgfit.fit('dbscan', 'public.stone', '~ carat', '{"id": "id", "radius": 0.2}') IS NOT NULL;
SELECT pgfit.fit('logistic_regression', 'public.stone', 'sold ~ carat', '{"passes": true, "lambda": 1, "weight": "w"}') IS NOT NULL;
SELECT pgfit.fit('kmeans', 'public.stone', '~ carat + price', '{"passes": {"sample": 100}, "k": 2, "standardize": true}') IS NOT NULL;
SELECT pgfit.fit('gaussian_mixture', 'public.stone', '~ carat + price', '{"passes": true, "k": 2}') IS NOT NULL;
-- steps of preparation, and judgments of them
SELECT pgfit.fit('ridge_regression', 'public.stone', 'price ~ carat + cut', '{"weight": "w", "prepare": ["target_encoder", {"pca": {"k": 1}}]}') IS NOT NULL;
SELECT metric, cardinality OPERATOR(pg_catalog.=) 3 FROM pgfit.evaluate('linear_regression', 'public.stone', 'price ~ carat + cut', '{"folds": 3, "metrics": ["rmse", "mae"], "weight": "w"}'), pg_catalog.cardinality(fold_values);
SELECT metric, rows FROM pgfit.evaluate('logistic_regression', 'public.stone', 'sold ~ carat + cut', '{"folds": 3, "prepare": ["one_hot"], "metrics": ["accuracy", "roc_auc", "log_loss"], "positive": "true", "group_column": "day", "seed": 4}');
SELECT metric, rows FROM pgfit.evaluate('naive_bayes', 'public.stone', 'cut ~ carat + price', '{"folds": 3, "prepare": ["standard_scaler"], "metrics": ["accuracy"], "stratified": true}');
SELECT metric, rows FROM pgfit.evaluate('ridge_regression', 'public.stone', 'price ~ carat', '{"folds": 3, "prepare": ["standard_scaler"], "metrics": ["rmse"], "time_column": "day"}');
SELECT metric, rows FROM pgfit.evaluate('ridge_regression', 'public.stone', 'price ~ carat', '{"prepare": ["standard_scaler"], "metrics": ["rmse"], "fold_column": "w", "test_folds": [2]}');
SELECT metric FROM pgfit.evaluate('kmeans', 'public.stone', '~ carat + price', '{"k": 2, "folds": 3, "prepare": ["standard_scaler"]}');
SELECT rank FROM pgfit.search('ridge_regression', 'public.stone', 'price ~ carat + cut', '{"lambda": [0, 1], "prepare": [["one_hot"], ["target_encoder"]]}', '{"folds": 3, "store": "prepared", "method": "random", "n": 2, "weight": "w"}');
SELECT name, target, metric FROM pgfit.models();
SELECT pgfit.summary('prepared') IS NOT NULL, pgfit.info('prepared') IS NOT NULL, (SELECT pg_catalog.count(term) FROM pgfit.coefficients('prepared') AS c(x, term)) IS NOT NULL;
SELECT metric, rows FROM pgfit.compare('prepared', 'prepared', 'public.stone', 'price ~');
SELECT pgfit.drop_model('prepared');
-- train, by each kind of hold-out, and with each basis of a metric
SELECT version, active FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat + cut', '{"holdout": {"key": "id", "seed": 3}, "summary": true, "weight": "w"}');
SELECT version, active, pg_catalog.left(message, 8) FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat * cut', '{"holdout": {"key": "id"}, "promote": "if_better"}');
SELECT version FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat', '{"holdout": {"time": "day", "fraction": 0.3}, "promote": "never"}');
SELECT version FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat', '{"holdout": {"time": "day", "after": "2026-02-01"}, "promote": "never"}');
SELECT version FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat', '{"holdout": {"folds": 3}, "promote": "if_better", "weight": "w"}');
SELECT version, active FROM pgfit.train('sold', 'logistic_regression', 'public.stone', 'sold ~ carat + cut', '{"metrics": "roc_auc", "holdout": {"key": "id"}, "weight": "w"}');
SELECT version FROM pgfit.train('sold', 'nearest_exemplar', 'public.stone', 'sold ~ price', '{"metrics": "average_precision", "holdout": {"key": "id"}, "promote": "if_better"}');
SELECT version FROM pgfit.train('sold', 'nearest_exemplar', 'public.stone', 'sold ~ price', '{"metrics": "f1_macro", "holdout": {"key": "id"}, "promote": "if_better", "positive": "false"}');
SELECT version FROM pgfit.train('cut', 'naive_bayes', 'public.stone', 'cut ~ carat + price', '{"metrics": "brier_score"}');
SELECT version FROM pgfit.train('group', 'kmeans', 'public.stone', '~ carat + price', '{"k": 2}');
-- which version serves, and for whom
SELECT pgfit.promote('price', 4), pgfit.promote('price', 3);
SELECT pgfit.rollback('price');
SELECT pgfit.promote('price', 1);
SELECT pgfit.drop_model('price', 5);
SELECT pgfit.grant_model('price', 'public'), pgfit.revoke_model('price', 'public');
SELECT version, active, status FROM pgfit.history('price');
-- scores by name
SELECT pgfit.predict('price', d) IS NOT NULL, pgfit.classify('sold', d) IS NOT NULL, pgfit.cluster('group', d) IS NOT NULL
FROM (SELECT * FROM public.stone ORDER BY id LIMIT 1) AS d;
-- drift
SELECT feature, verdict FROM pgfit.drift('price', 'public.stone');
SELECT feature, verdict FROM pgfit.drift(pgfit.get_model('price'), 'SELECT * FROM public.stone');
-- compare, on rows and by folds
SELECT metric, rows FROM pgfit.compare('price', 'price', 'public.stone');
SELECT metric, rows FROM pgfit.compare('price', 'price', 'public.stone', '{"metrics": "absolute_error"}');
SELECT metric, rows FROM pgfit.compare('sold', 'sold', 'public.stone');
SELECT metric, rows FROM pgfit.compare('sold', 'sold', 'public.stone', '{"folds": 3}');
SELECT metric FROM pgfit.compare('cut', 'cut', 'public.stone', '{"metrics": "log_loss"}');
-- search and automl
SELECT rank, options FROM pgfit.search('ridge_regression', 'public.stone', 'price ~ carat + cut', '{"lambda": [0.1, 1000]}', '{"weight": "w", "store": "best"}');
SELECT rank, options FROM pgfit.search('kmeans', 'public.stone', '~ carat', '{"k": [2, 3]}', '{"folds": 3}');
SELECT rank FROM pgfit.search('tree_classifier', 'public.stone', 'cut ~ carat + price', '{"max_depth": [1, 4]}', '{"method": "halving", "n": 2, "nested": 2, "metrics": "accuracy"}');
SELECT rank FROM pgfit.search('ridge_regression', 'public.stone', 'price ~ carat', '{"lambda": {"min": 0.1, "max": 10, "scale": "log"}}', '{"method": "random", "n": 3, "group_column": "cut", "folds": 3}');
SELECT rank FROM pgfit.automl('public.stone', 'w', '{"features": "carat + price", "estimators": ["naive_bayes", "lda"], "store": "auto"}');
SELECT pgfit.drop_model(name) FROM pgfit.model_names;
-- after the fit, and what a model makes of the columns of a source
CREATE TABLE public.fitted AS SELECT pgfit.fit('linear_regression', 'public.stone', 'price ~ carat * cut + sold', '{"weight": "w"}') AS m;
SELECT variable, level FROM public.fitted, pgfit.margins(m, 'public.stone', 'carat', '{"weight": "w"}');
SELECT variable, level FROM public.fitted, pgfit.margins(m, 'SELECT * FROM public.stone', 'cut', '{"at": {"carat": 2}}');
SELECT level, reference FROM public.fitted, pgfit.marginal_means(m, 'public.stone', 'cut', '{"weights": "proportional", "weight": "w", "differences": true}');
SELECT level FROM public.fitted, pgfit.marginal_means(m, 'public.stone', 'sold');
SELECT leverage IS NOT NULL FROM public.fitted, pgfit.augment(m, 'public.stone', '{"weight": "w"}') WHERE data OPERATOR(pg_catalog.@>) '{"id": 7}';
SELECT feature FROM public.fitted, pgfit.permutation_importance(m, 'public.stone', 'price', '{"weight": "w", "repeats": 2}');
SELECT level FROM public.fitted, pgfit.partial_dependence(m, 'public.stone', 'cut');
SELECT level FROM public.fitted, pgfit.accumulated_effects(m, 'public.stone', 'cut');
SELECT pgfit.fit('ridge_regression', 'public.stone', 'price ~ carat', '{"conformal": {"group": "cut"}}') IS NOT NULL, pgfit.fit('ridge_regression', 'public.stone', 'price ~ carat', '{"conformal": {"method": "cv+", "folds": 3}}') IS NOT NULL,
       pgfit.fit('ridge_regression', 'public.stone', 'price ~ carat', '{"conformal": {"normalize": {"ridge_regression": {}}}}') IS NOT NULL;
DROP TABLE public.fitted;
\t off
RESET search_path;
DROP SCHEMA hostile CASCADE;
DROP TABLE public.stone;
