-- Names, levels and lists that are too long for a message: it is cut, and says so.
SET client_min_messages = error;
CREATE TABLE longs AS SELECT i AS id, i * 0.5 AS x, 'level ' || i AS g, repeat('long ', 30) || i AS h, i % 2 = 0 AS b FROM generate_series(1, 45) AS i;
CREATE VIEW wide AS SELECT l.*, x * 2 AS c06, x AS c07, x AS c08, x AS c09, x AS c10, x AS c11, x AS c12, x AS c13, x AS c14, x AS c15, x AS c16, x AS c17, x AS c18, x AS c19, x AS c20, x AS c21, x AS c22, x AS c23 FROM longs AS l;
CREATE TABLE long_models AS SELECT 'levels' AS name, pgfit.ridge_regression(id, l, 'x + g') AS m FROM longs AS l
UNION ALL SELECT 'columns', pgfit.tree_regression(id, w, '. - h') FROM wide AS w
UNION ALL SELECT 'grid', pgfit.tree_regression(id, l, 'x + c') FROM (SELECT id, x, x * x AS c FROM longs) AS l;
SELECT what, test.try(format(statement, m)) AS said FROM (VALUES
    ('levels', 'a level that is none of many', 'SELECT pgfit.partial_dependence(%L::pgfit.model, ''longs'', ''g'', ''{"values": ["no such level"]}'')'),
    ('columns', 'a column that is none of many', 'SELECT pgfit.permutation_importance(%L::pgfit.model, ''wide'', ''id'', ''{"features": ["nosuch"]}'')'),
    ('columns', 'a feature that is none of many', 'SELECT pgfit.partial_dependence(%L::pgfit.model, ''wide'', ''nosuch'')'),
    ('grid', 'a fixed column with a long name', 'SELECT pgfit.decision_grid(%L::pgfit.model, ''x'', ''c'', 3, ''{0, 1}'', ''{0, 1}'', ''{"' || repeat('long ', 30) || '": 1}'')')) AS v(name, what, statement) JOIN long_models USING (name) ORDER BY what;
SELECT what, regexp_replace(test.try(statement), 'Estimators are .*', 'Estimators are ...') AS said FROM (VALUES
    ('a column that a formula does not find', 'SELECT pgfit.linear_regression(id, w, ''nosuch'') FROM wide AS w'),
    ('a reference that is none of many levels', 'SELECT pgfit.linear_regression(id, l, ''C(g, ref = "no")'') FROM longs AS l'),
    ('a level that no other fold has', 'SELECT pgfit.cross_validate(id, f, ''ridge_regression'', ''{"folds": 3, "options": {"unseen": "error"}}'') FROM longs, LATERAL (SELECT x, h) AS f'),
    ('a long name of an estimator', 'SELECT pgfit.cross_validate(id, f, ''' || repeat('regression', 10) || ''') FROM longs, LATERAL (SELECT x) AS f'),
    ('a long name of an option', 'SELECT pgfit.linear_regression(id, l, ''{"' || repeat('option', 20) || '": 1}'') FROM longs AS l'),
    ('a long value of an option, which lost its closing quote', 'SELECT pgfit.kmeans(l, ''{"formula": "x", "k": 2, "init": "' || repeat('value', 20) || '"}'') FROM longs AS l'),
    ('a long name of a figure', 'SELECT pgfit.plot(m, ''' || repeat('figure', 20) || ''') FROM long_models'),
    ('a long name of a format', 'SELECT pgfit.export_model(m, ''' || repeat('format', 20) || ''') FROM long_models'),
    ('a long estimator of a text', 'SELECT replace(m::text, ''"tree_regression"'', ''"' || repeat('tree', 12) || '"'')::pgfit.model FROM long_models WHERE name = ''grid''')) AS v(what, statement) ORDER BY what;
DROP TABLE longs, long_models CASCADE;
