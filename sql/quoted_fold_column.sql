-- A fold column whose name has quotes: a row without it, or with one key too many, gets an error with the unchanged name.
SET search_path = public, test, pgfit;
CREATE TABLE quoted AS SELECT i, 2 * i + sin(i) AS y, jsonb_build_object('a', i, 'b', cos(i), 'the "fold" of\x', i % 3) AS j FROM generate_series(1, 40) AS i;
SELECT ridge_regression(y, j, '{"lambda": "cv", "fold_column": "the \"fold\" of\\x"}'::jsonb ORDER BY i) IS NOT NULL AS fits FROM quoted;
SELECT try($$SELECT ridge_regression(y, CASE WHEN i = 5 THEN j - 'the "fold" of\x' ELSE j END, '{"lambda": "cv", "fold_column": "the \"fold\" of\\x"}'::jsonb ORDER BY i) FROM quoted$$);
SELECT try($$SELECT ridge_regression(y, CASE WHEN i = 5 THEN j || '{"some other key, longer": 1}' ELSE j END, '{"lambda": "cv", "fold_column": "the \"fold\" of\\x"}'::jsonb ORDER BY i) FROM quoted$$);
DROP TABLE quoted;
