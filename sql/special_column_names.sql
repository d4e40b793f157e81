-- errors about a row name its special column as it is, also one whose name JSON has to escape
CREATE TEMP TABLE special AS
SELECT i, i <> 20 AS early, jsonb_build_object('a', i % 7, 'b', i * i % 11, 'my "fold"', i % 3) AS f FROM generate_series(1, 30) AS i;
CREATE FUNCTION pg_temp.fit(features text, options text) RETURNS text LANGUAGE sql AS $$
    SELECT test.try(format('SELECT pgfit.info(pgfit.lasso_regression(i, %s, %L::jsonb ORDER BY i))->>''rows'' FROM special', features, options))
$$;
SELECT pg_temp.fit('f', '{"fold_column": "my \"fold\""}') AS fits;
-- a row with one column more: the message names that column, not the one with the folds
SELECT pg_temp.fit($$CASE WHEN early THEN f ELSE f || '{"another column": 1}' END$$, '{"fold_column": "my \"fold\""}');
SELECT pg_temp.fit($$CASE WHEN early THEN f ELSE f - 'my "fold"' || '{"another column": 1}' END$$, '{"fold_column": "my \"fold\""}');
-- a row without the special column
SELECT pg_temp.fit($$CASE WHEN early THEN f ELSE f - 'my "fold"' END$$, '{"fold_column": "my \"fold\""}');
-- where the option names the features, other columns may come and go
SELECT pg_temp.fit($$CASE WHEN early THEN f ELSE f || '{"another column": 1}' END$$, '{"fold_column": "my \"fold\"", "features": ["a", "b"]}') AS fits;
