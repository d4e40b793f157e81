-- Models in and out: formats, names, refusals.
SET search_path = public, test, pgfit;
SET client_min_messages = warning;
CREATE TABLE line AS SELECT linear_regression(y, x) AS m FROM (VALUES (1, 1), (2, 3), (3, 5)) AS t(x, y);

-- formats that there are, and those that there are not
SELECT export_model(m, 'sql') = to_sql(m) AS sql FROM line;
SELECT try($$SELECT export_model(m, 'odd') FROM line$$);
SELECT try($$SELECT import_model('{}'::text)$$);
SELECT try($$SELECT import_model('{}'::jsonb, 'odd')$$);
SELECT import_model(NULL::text) IS NULL AS none;

-- names that the user gives
SELECT try($$SELECT import_model('{}'::text, options => '{"levels": {"a": 1}}')$$);
SELECT try($$SELECT import_model('{}'::text, options => '{"levels": {"a": [1]}}')$$);
SELECT try($$SELECT import_model('{}'::text, options => '{"feature": ["a"]}')$$);
