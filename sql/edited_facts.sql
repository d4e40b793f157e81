-- Facts that someone added to a model under the names of other parts: what reads those parts by name read past their end.
SET search_path = public, test, pgfit;
CREATE TABLE penguin AS SELECT sin(i) + i % 3 AS a, cos(i * 1.7) AS b, sin(i * 2.3) AS c, 'abc'::text AS d, chr(97 + i % 3) AS label FROM generate_series(1, 60) i;
CREATE TABLE model_of AS
    SELECT 'kmeans' AS name, kmeans((a, b, c), 2) AS m FROM penguin
    UNION ALL SELECT 'naive_bayes', naive_bayes(label, (a, b, c)) FROM penguin
    UNION ALL SELECT 'nearest_centroid', nearest_centroid(label, (a, b, c)) FROM penguin
    UNION ALL SELECT 'pca', pca((a, b, c), 2) FROM penguin;
-- the names of a schema
SELECT name, fact, try(format('SELECT %L::model', jsonb_set(m::jsonb, ARRAY['facts', fact], value::jsonb) - 'schema' || jsonb_build_object('flags', '["impute"]'::jsonb))) AS edited
FROM model_of, (VALUES ('impute', '1.5'), ('target_name', '1e300'), ('field_names', '[1.5, 2.5]'), ('class_text', '{"text": ["x", "y"]}')) f (fact, value)
WHERE name IN ('kmeans', 'pca') ORDER BY name COLLATE "C", fact COLLATE "C";
SELECT name, try(format('SELECT summary(%L::model)', (m::jsonb #- '{schema,target_name}') || '{"facts": {"target_name": 1e300}}')) AS edited FROM model_of WHERE name <> 'kmeans' ORDER BY name COLLATE "C";
-- facts that a method does not have, or derives from its arrays: summary read them as what they are not, info raised an internal error
SELECT name, fact, try(format('SELECT info(%L::model), summary(%L::model)', edited, edited)) AS edited
FROM (SELECT name, fact, m::jsonb || jsonb_build_object('facts', coalesce(m::jsonb -> 'facts', '{}') || jsonb_build_object(fact, value::jsonb)) AS edited
      FROM (SELECT name, m FROM model_of
            UNION ALL SELECT 'qda', qda(label, (a, b, c)) FROM penguin
            UNION ALL SELECT 'lda', lda(label, (a, b, c)) FROM penguin
            UNION ALL SELECT 'gaussian_mixture', gaussian_mixture((a, b, c), 2) FROM penguin
            UNION ALL SELECT 'multivariate_normal', multivariate_normal((a, b, c)) FROM penguin) f,
          (VALUES ('log_determinant', '12345'), ('explained_ratio', '{"bool": [true, false, true]}'), ('residual_variance', '12345'), ('aic', '12345')) v (fact, value)) e
ORDER BY name COLLATE "C", fact COLLATE "C";
DROP TABLE penguin, model_of;
