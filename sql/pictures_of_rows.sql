-- Pictures of rows: a hash of each kind in each form, so that none changes unnoticed, and marks that are computed from the rows in another way.
-- Numbers count to 6 digits after the point, because the last ones depend on the processor.
SET client_min_messages = error;
SET search_path = public, test, pgfit;
CREATE TABLE woods AS SELECT i AS id, (ARRAY['ash', 'elm', 'fir'])[1 + i % 3] AS kind, i % 2 = 0 AS wet, 2.0 * (i % 3) + i * 7 % 11 / 4.0 AS girth, 10.0 - 3 * (i % 3) + i * 5 % 13 / 2.0 AS height,
    30.0 + i % 3 * 5 + i * 11 % 17 AS age, date '2024-01-01' + 9 * i AS day FROM generate_series(1, 60) AS i;
CREATE TABLE fits AS
SELECT 'line' AS name, linear_regression(age, w, 'girth') AS m FROM woods AS w
UNION ALL SELECT 'plane', linear_regression(age, w, 'girth * height') FROM woods AS w
UNION ALL SELECT 'kinds', linear_regression(age, w, 'girth + kind') FROM woods AS w
UNION ALL SELECT 'lda', lda(kind, w, 'girth + height') FROM woods AS w
UNION ALL SELECT 'logistic', logistic_regression(kind, w, '{"formula": "girth + height", "lambda": 0.1}') FROM woods AS w
UNION ALL SELECT 'errors', logistic_regression(kind, w, 'age + id') FROM woods AS w
UNION ALL SELECT 'two classes', logistic_regression(wet, w, '{"formula": "girth + height + age", "lambda": 0.1}') FROM woods AS w
UNION ALL SELECT 'margin', svm_classifier(kind = 'ash', w, 'girth + height') FROM woods AS w
UNION ALL SELECT 'clusters', kmeans(w, 3, 'girth + height') FROM woods AS w
UNION ALL SELECT 'pca', pca(w, '{"features": ["girth", "height", "age"], "standardize": true}') FROM woods AS w
UNION ALL SELECT 'long names', pca(f, '{"k": 2}') FROM woods, LATERAL (SELECT girth + age AS girth_and_age_of_the_wood, age - girth AS age_less_girth_of_the_wood, -age AS age_of_the_wood_turned_around) AS f
UNION ALL SELECT 'lasso', lasso_regression(age, w, '{"formula": "girth + height + id", "lambda": "cv"}') FROM woods AS w
UNION ALL SELECT 'tree', tree_regression(age, w, '{"formula": "girth + kind", "max_depth": 3}') FROM woods AS w
UNION ALL SELECT 'summary', linear_regression(age, w, 'girth + height') FROM woods AS w;
CREATE FUNCTION test.fit(text) RETURNS model LANGUAGE sql STABLE AS 'SELECT m FROM fits WHERE name = $1';
-- a query has the options at $1
CREATE TABLE asked(name text, query text, options jsonb DEFAULT '{}');
INSERT INTO asked SELECT name, format('SELECT plot(fit(%L), w, $1) FROM (SELECT *, girth + age AS girth_and_age_of_the_wood, age - girth AS age_less_girth_of_the_wood, -age AS age_of_the_wood_turned_around FROM woods) AS w', fit), options::jsonb FROM (VALUES
    ('fit of one column', 'line', '{"y": "age"}'), ('fit by color', 'kinds', '{"y": "age", "x": "girth", "color": "kind", "label": "id"}'), ('fit of two columns', 'plane', '{"y": "age"}'),
    ('regions of classes', 'lda', '{"color": "kind"}'), ('regions of classes, wide', 'logistic', '{"color": "kind", "width": 900, "height": 300}'), ('margins', 'margin', '{}'), ('clusters', 'clusters', '{}'), ('clusters by color', 'clusters', '{"color": "wet"}'),
    ('surface', 'plane', '{"figure": "decision"}'), ('biplot', 'pca', '{}'), ('biplot with long names', 'long names', '{"width": 200}'), ('biplot by color', 'pca', '{"color": "kind", "label": "id"}')) AS v(name, fit, options);
INSERT INTO asked SELECT name, format('SELECT plot(r, $1) FROM (%s) AS r', rows), options::jsonb FROM (VALUES
    ('points', 'SELECT * FROM woods', '{"x": "girth", "y": "height", "color": "kind", "label": "id"}'), ('days', 'SELECT * FROM woods', '{"x": "day", "y": "age"}'), ('bars', 'SELECT kind, avg(age) AS age FROM woods GROUP BY kind ORDER BY kind', '{"x": "kind", "y": "age"}'),
    ('band', 'SELECT id, age, age - girth AS low, age + girth AS high FROM woods', '{"x": "id", "y": "age", "low": "low", "high": "high"}'), ('several', 'SELECT * FROM woods', '{"x": "id", "y": ["age", "girth"], "mark": "line"}'),
    ('ten colors', 'SELECT *, id % 10 AS number FROM woods', '{"x": "girth", "y": "age", "color": "number"}'), ('logarithms', 'SELECT id, 10 ^ (id % 4) AS y FROM woods', '{"x": "id", "y": "y", "log_x": true, "log_y": true}'), ('cells', 'SELECT i % 60 AS x, i / 60 AS y FROM generate_series(0, 3599) AS i', '{"x": "x", "y": "y"}'),
    ('silhouettes', 'SELECT (unnest(silhouettes(kind, ROW(girth, height)))).* FROM woods', '{}'), ('silhouettes of many', 'SELECT (unnest(silhouettes(i % 2, ROW(i % 2 * 9 + i * 7 % 101 / 10.0)))).* FROM generate_series(1, 1000) AS i', '{}'),
    ('residuals', 'SELECT * FROM augment(fit(''plane''), ''woods'', ''{"target": "age"}'')', '{}'), ('confusion', 'SELECT * FROM unnest((SELECT confusion_matrix(kind, classify(fit(''lda''), w)) FROM woods AS w))', '{}'),
    ('roc', 'SELECT * FROM unnest((SELECT roc_curve(wet, probability(fit(''two classes''), w)) FROM woods AS w))', '{}'), ('roc with a cost', 'SELECT * FROM unnest((SELECT roc_curve(wet, probability(fit(''two classes''), w)) FROM woods AS w))', '{"cost": {"false_negative": 3}}'),
    ('precision and recall', 'SELECT * FROM unnest((SELECT precision_recall_curve(wet, probability(fit(''two classes''), w)) FROM woods AS w))', '{}'), ('calibration', 'SELECT * FROM unnest((SELECT calibration_curve(wet, probability(fit(''two classes''), w)) FROM woods AS w))', '{}'),
    ('gain', 'SELECT * FROM unnest((SELECT gain_curve(wet, probability(fit(''two classes''), w)) FROM woods AS w))', '{}'), ('scores', 'SELECT * FROM unnest((SELECT score_histogram(wet, probability(fit(''two classes''), w), ''{"bins": 5}'') FROM woods AS w))', '{}'),
    ('survival', 'SELECT kind, (unnest(kaplan_meier(age, wet))).* FROM woods GROUP BY kind ORDER BY kind', '{"color": "kind"}'),
    ('coefficients', 'SELECT * FROM coefficients(fit(''plane''))', '{}'), ('coefficients of classes', 'SELECT * FROM coefficients(fit(''logistic''))', '{}'), ('coefficients with limits', 'SELECT * FROM coefficients(fit(''errors''))', '{}'), ('path', 'SELECT * FROM coefficient_path(fit(''lasso''))', '{}'),
    ('importance', 'SELECT * FROM importance(fit(''tree''))', '{}'), ('components', 'SELECT * FROM components(fit(''pca''))', '{}'), ('loadings', 'SELECT * FROM components(fit(''pca''))', '{"figure": "loadings"}'),
    ('explain', 'SELECT * FROM explain(fit(''kinds''), (SELECT w FROM woods AS w WHERE id = 7))', '{}'), ('dependence', 'SELECT * FROM partial_dependence(fit(''kinds''), ''woods'', ''girth'', ''{"grid": 5}'')', '{}'),
    ('dependence by level', 'SELECT * FROM partial_dependence(fit(''kinds''), ''woods'', ''kind'')', '{}'), ('dependence on two', 'SELECT * FROM partial_dependence(fit(''plane''), ''woods'', ''girth'', ''{"grid": 4, "by": "height"}'')', '{}'),
    ('effects', 'SELECT * FROM accumulated_effects(fit(''plane''), ''woods'', ''girth'')', '{}'), ('grid', 'SELECT * FROM decision_grid(fit(''lda''), ''girth'', ''height'', 6, ''{0, 7}'', ''{3, 16}'')', '{}'),
    ('ellipses', 'SELECT * FROM ellipses(fit(''lda''))', '{}'), ('cells of Voronoi', 'SELECT * FROM voronoi(fit(''clusters''), ''{0, 7}'', ''{3, 16}'')', '{}'),
    ('drift', 'SELECT * FROM drift((SELECT feature_summary(ROW(girth, height)) FROM woods), (SELECT feature_summary(ROW(girth + 1, height)) FROM woods))', '{}')) AS v(name, rows, options);
CREATE FUNCTION test.drawn(query text, options jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE drawn text;
BEGIN
    EXECUTE query INTO drawn USING options;
    RETURN drawn;
END $$;
CREATE FUNCTION test.rounded(picture text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(CASE WHEN part[1] ~ '\d' THEN round(part[1]::numeric, 6)::text ELSE part[1] END, '' ORDER BY i)
    FROM regexp_matches(picture, '-?\d+(?:\.\d+)?(?:e[-+]\d+)?|[^-\d]+|-', 'g') WITH ORDINALITY AS p(part, i) $$;
CREATE TABLE drawings AS SELECT name, form, drawn(query, options || jsonb_build_object('as', form)) AS picture FROM asked, unnest(ARRAY['svg', 'text', 'vega']) AS form;
SELECT name, string_agg(left(md5(rounded(picture)), 8), ' ' ORDER BY form) AS "svg, text, vega" FROM drawings GROUP BY name ORDER BY name COLLATE "C";
-- the marks of Vega-Lite, by layer
CREATE TABLE marks AS SELECT name, layer, i, l -> 'mark' ->> 'type' AS mark, l -> 'mark' ->> 'color' AS color, l -> 'encoding' -> 'x' ->> 'title' AS x_title, l -> 'encoding' -> 'y' ->> 'title' AS y_title,
    (v ->> 'x')::float8 AS x, (v ->> 'y')::float8 AS y, (v ->> 'x2')::float8 AS x2, (v ->> 'y2')::float8 AS y2, (v ->> 'shade')::float8 AS shade, v ->> 'text' AS text
FROM drawings, jsonb_path_query(picture::jsonb, '$.concat[*].layer[*]') WITH ORDINALITY AS p(l, layer), jsonb_array_elements(l -> 'data' -> 'values') WITH ORDINALITY AS d(v, i) WHERE form = 'vega';
-- silhouettes fall within a cluster, and where there are more than 400 rows a bar is a mean of several; bars stand side by side, with a gap between clusters
SELECT name, count(*) AS bars, bool_and(abs(greatest(x, x2) + least(x, x2) - mean) < 1e-9) AS values, bool_and(abs(y2 - y - 1) < 1e-9) AS thick, bool_and(y - last IN (1, 5)) AS beside, count(*) FILTER (WHERE y - last = 5) AS gaps
FROM (SELECT *, lag(y) OVER (PARTITION BY name ORDER BY layer, i) AS last FROM marks WHERE mark = 'rect') AS b JOIN
    (SELECT name, cluster AS layer, (place - 1) / each + 1 AS i, avg(silhouette) AS mean
     FROM (SELECT *, row_number() OVER (PARTITION BY name, cluster ORDER BY silhouette DESC) AS place, (count(*) OVER (PARTITION BY name) + 399) / 400 AS each
           FROM (SELECT 'silhouettes' AS name, dense_rank() OVER (ORDER BY cluster) AS cluster, silhouette FROM (SELECT (unnest(silhouettes(kind, ROW(girth, height)))).* FROM woods) AS s
                 UNION ALL SELECT 'silhouettes of many', dense_rank() OVER (ORDER BY cluster), silhouette FROM (SELECT (unnest(silhouettes(i % 2, ROW(i % 2 * 9 + i * 7 % 101 / 10.0)))).* FROM generate_series(1, 1000) AS i) AS s) AS r) AS p
     GROUP BY name, cluster, (place - 1) / each) AS s USING (name, layer, i) GROUP BY name ORDER BY name;
-- a cell of a region has the color of the class of the points in the middle of its first and last step, and the regions fill the picture
SELECT c.name, bool_and(classify(m, jsonb_build_object('girth', g, 'height', (y + y2) / 2)) = kind) AS classes, abs(sum((x2 - x) * (y2 - y)) / 2 - max(whole)) < 1e-9 * max(whole) AS whole
FROM (SELECT *, min(x2 - x) OVER (PARTITION BY name) AS step, (max(x2) OVER (PARTITION BY name) - min(x) OVER (PARTITION BY name)) * (max(y2) OVER (PARTITION BY name) - min(y) OVER (PARTITION BY name)) AS whole FROM marks WHERE mark = 'rect') AS c
    JOIN (VALUES ('regions of classes', 'lda'), ('regions of classes, wide', 'logistic')) AS v(name, fit) USING (name) JOIN fits AS f ON f.name = v.fit, unnest(ARRAY[x + step / 2, x2 - step / 2]) AS g,
    (SELECT kind, row_number() OVER (ORDER BY kind) AS number FROM woods GROUP BY kind) AS k WHERE number = layer GROUP BY c.name ORDER BY c.name;
-- the shade of a surface goes from 0.05 at the least prediction of the grid to 0.75 at the greatest, in 24 steps
SELECT min(shade) AS least, max(shade) AS greatest, count(DISTINCT shade) AS shades, bool_and(0.05 + 0.7 * share - shade BETWEEN -0.001 AND 0.7 / 23 + 0.001) AS shaded
FROM (SELECT shade, (p - min(p) OVER ()) / (max(p) OVER () - min(p) OVER ()) AS share
      FROM (SELECT *, min(x2 - x) OVER () AS step FROM marks WHERE name = 'surface' AND mark = 'rect') AS c, generate_series(1, round((x2 - x) / step)::int) AS n, predict(fit('plane'), jsonb_build_object('girth', x + (n - 0.5) * step, 'height', (y + y2) / 2)) AS p) AS s;
-- axes of a biplot are named by what the components explain; its points are the scores
SELECT b.name, bool_and(x_title = format('component 1 (%s%% of the variance)', round((100 * first)::numeric, 1)) AND y_title = format('component 2 (%s%% of the variance)', round((100 * second)::numeric, 1))) AS titles,
    count(*) AS points, bool_and(EXISTS (SELECT FROM woods AS w, transform(fit('pca'), w) AS t WHERE abs(t[1] - x) + abs(t[2] - y) < 1e-9)) AS scores
FROM marks AS b, (SELECT max(share) FILTER (WHERE component = 1) AS first, max(share) FILTER (WHERE component = 2) AS second FROM components(fit('pca'))) AS c
WHERE b.name IN ('biplot', 'biplot by color') AND mark = 'point' AND color <> '#222222' GROUP BY b.name ORDER BY b.name;
-- coefficients of a class stand side by side within the band of their term, on 0.7 of it, and the limits at the height of the point
SELECT name, mark, count(*), bool_and(EXISTS (SELECT FROM marks AS k WHERE k.name = c.name AND k.mark = e.mark AND abs(x - low) + coalesce(abs(x2 - high), 0) + abs(y - (number - 1 + ((class - 0.5) / 3 - 0.5) * 0.7)) < 1e-9)) AS beside
FROM (SELECT name, dense_rank() OVER w AS class, row_number() OVER (PARTITION BY name, class) AS number, estimate, conf_low, conf_high
      FROM (SELECT 'coefficients of classes' AS name, * FROM coefficients(fit('logistic')) UNION ALL SELECT 'coefficients with limits', * FROM coefficients(fit('errors'))) AS t
      WHERE term <> '(intercept)' WINDOW w AS (PARTITION BY name ORDER BY class)) AS c, LATERAL (VALUES ('point', estimate, NULL), ('rule', conf_low, conf_high)) AS e(mark, low, high)
WHERE low IS NOT NULL GROUP BY name, mark ORDER BY name, mark;
DROP TABLE woods, fits, asked, drawings, marks;
DROP FUNCTION test.fit, test.drawn, test.rounded;
