-- pictures: figures of models and of rows as plain text, what SVG and Vega-Lite hold, and what is refused
\pset format unaligned
\pset tuples_only on

CREATE TABLE penguins AS
SELECT i AS id, (ARRAY['Adelie', 'Chinstrap', 'Gentoo'])[1 + i % 3] AS species, CASE WHEN i % 2 = 0 THEN 'MALE' ELSE 'FEMALE' END AS sex, 'island ' || i % 4 AS island,
       38.0 + 4 * (i % 3) + i * 7 % 11 AS bill_length_mm, 18.0 - i % 3 + i * 5 % 13 / 4.0 AS bill_depth_mm, 190.0 + 5 * (i % 3) + i * 11 % 17 AS flipper_length_mm,
       3500.0 + 300 * (i % 2) + 20 * (i * 11 % 17) + i * 13 % 19 * 10 AS body_mass_g
FROM generate_series(1, 150) AS i;
CREATE TABLE picture_bills AS SELECT pgfit.lda(species, p, 'bill_length_mm + bill_depth_mm') AS m FROM penguins AS p;
CREATE TABLE picture_mass AS SELECT pgfit.linear_regression(body_mass_g, p, 'flipper_length_mm + bill_depth_mm + sex') AS m FROM penguins AS p;
-- lines without blanks at the end, which the output of psql would keep
CREATE FUNCTION pg_temp.lines(picture text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT rtrim(line) FROM regexp_split_to_table(picture, '\n') AS line $$;

-- a model without a figure is drawn as what fits it
SELECT pg_temp.lines(pgfit.plot(m, options => '{"as": "text", "width": 480}')) FROM picture_mass;
SELECT pgfit.plot(m) = pgfit.plot(m, 'coefficients') FROM picture_mass;
SELECT pg_temp.lines(pgfit.plot(pgfit.pca(p, '{"features": ["flipper_length_mm", "bill_length_mm", "body_mass_g"], "standardize": true}'), options => '{"as": "text", "width": 400}'))
FROM penguins AS p;

-- rows
SELECT pg_temp.lines(pgfit.plot(pgfit.confusion_matrix(species, pgfit.classify(m, p)), '{"as": "text", "width": 480, "title": "Species by bills"}')) FROM picture_bills, penguins AS p;
-- labels of wide characters stood beside their lines
SELECT pg_temp.lines(pgfit.plot(pgfit.linear_regression(i % 7, d, 'kind'), options => '{"as": "text", "width": 400}'))
FROM (SELECT i, (ARRAY['ab', 'りんご', '사과 x', 'naïve', '𠀀🍎'])[1 + i % 5] AS kind FROM generate_series(1, 40) AS i) AS d;
SELECT pg_temp.lines(pgfit.plot(pgfit.roc_curve(i % 3 = 0, i % 5, '{"points": "hull"}'), '{"as": "text", "width": 320, "height": 160}')) FROM generate_series(1, 60) AS i;
SELECT pg_temp.lines(pgfit.plot(r, '{"as": "text", "x": "day", "y": "visits", "width": 480, "height": 160}'))
FROM (SELECT date '2024-01-01' + 10 * i AS day, i % 7 AS visits FROM generate_series(0, 40) AS i) AS r;
SELECT pg_temp.lines(pgfit.plot(r, '{"as": "text", "x": "fruit", "y": "tons", "mark": "bar", "width": 320, "height": 160}'))
FROM (VALUES ('apples', 3), ('pears', 5.5), ('plums', NULL)) AS r(fruit, tons);

-- one curve per group, by option color; several curves without it are refused, not drawn as one
CREATE TABLE picture_lives AS SELECT i % 2 = 0 AS treated, i AS weeks, i % 3 > 0 AS died FROM generate_series(1, 40) AS i WHERE i % 2 = 0 OR i < 20;
SELECT pg_temp.lines(pgfit.plot(k, '{"as": "text", "color": "treated", "width": 400, "height": 160}'))
FROM (SELECT treated, (unnest(pgfit.kaplan_meier(weeks, died))).* FROM picture_lives GROUP BY treated) AS k;
SELECT pg_temp.lines(pgfit.plot(k, '{"as": "text", "width": 400, "height": 160}'))
FROM (SELECT (unnest(pgfit.kaplan_meier(weeks, died))).* FROM picture_lives WHERE treated) AS k;
SELECT test.try('SELECT pgfit.plot(k) FROM (SELECT treated, (unnest(pgfit.kaplan_meier(weeks, died))).* FROM picture_lives GROUP BY treated ORDER BY treated) AS k');
SELECT pg_temp.lines(pgfit.plot(r, '{"as": "text", "color": "model", "width": 400, "height": 160}'))
FROM (SELECT model, (unnest(pgfit.roc_curve(i % 3 = 0, i % model))).* FROM generate_series(1, 60) AS i, unnest(ARRAY[5, 6]) AS model GROUP BY model) AS r;
SELECT test.try('SELECT pgfit.plot(r) FROM (SELECT model, (unnest(pgfit.roc_curve(i % 3 = 0, i % model))).* FROM generate_series(1, 60) AS i, unnest(ARRAY[5, 6]) AS model GROUP BY model) AS r');

-- all that is drawn as less than it is, is said
SELECT regexp_replace(pgfit.plot(r, '{"x": "x", "y": "y"}'), '.*<desc>(.*)</desc>.*', '\1') FROM (SELECT i % 100 AS x, i / 100 AS y FROM generate_series(0, 9999) AS i) AS r;
SELECT regexp_replace(pgfit.plot(r, '{"x": "x", "y": "y", "mark": "line"}'), '.*<desc>(.*)</desc>.*', '\1') FROM (SELECT i AS x, i % 10 AS y FROM generate_series(0, 9999) AS i) AS r;
SELECT regexp_replace(pgfit.plot(r), '.*<desc>(.*)</desc>.*', '\1') FROM (SELECT 'feature ' || i AS feature, 1.0 / i AS importance FROM generate_series(1, 60) AS i) AS r;
SELECT regexp_replace(pgfit.plot(r, '{"x": "x", "y": "y"}'), '.*<desc>(.*)</desc>.*', '\1')
FROM (VALUES (1.0::float8, 1.0::float8), (2, NULL), (3, 'NaN'), ('Infinity', 4)) AS r(x, y);

-- markup in names is text, and nothing is taken from elsewhere
SELECT svg ~ '&lt;b&gt; &amp; &quot;c&quot; &#65533;' AS escaped, svg !~ '<b>' AS no_markup, replace(svg, 'http://www.w3.org/2000/svg', '') !~* 'http|href|script|url\(|@import' AS alone,
       svg ~ '^<svg [^>]*role="img"' AS image, svg ~ 'prefers-color-scheme:dark' AS dark
FROM (SELECT pgfit.plot(r) AS svg FROM (SELECT '<b> & "c" ' || chr(1) AS feature, 1.5 AS importance) AS r) AS t;
SELECT jsonb_path_query_array(spec, '$.concat[*].layer[*].mark.type') AS marks, spec ->> 'title' AS title
FROM (SELECT pgfit.plot(m, options => '{"as": "vega", "title": "\"Mass\"\n"}')::jsonb AS spec FROM picture_mass) AS t;

-- every figure of a model, and rows of the functions that have one
SELECT figure, left(pgfit.plot(m, figure), 4) AS svg
FROM (SELECT pgfit.tree_classifier(species, p, '{"formula": "bill_length_mm + island", "max_depth": 3}') AS m FROM penguins AS p) AS t, unnest(ARRAY['tree', 'importance']) AS figure;
SELECT left(pgfit.plot(pgfit.hierarchical(id, p, '{"formula": "bill_length_mm + bill_depth_mm"}')), 4) FROM penguins AS p;
SELECT left(pgfit.plot(pgfit.kmeans(p, '{"formula": "bill_length_mm + bill_depth_mm", "k": [1, 5]}')), 4) FROM penguins AS p;
-- elbow: the objective and the criterion that chose, not the gap that only tells one cluster from two; each point is a row of the function
CREATE TABLE picture_elbows AS
SELECT criterion, pgfit.plot(m, options => '{"as": "vega"}')::jsonb AS picture, m
FROM unnest(ARRAY['silhouette', 'gap']) AS criterion, LATERAL (SELECT pgfit.kmeans(p, jsonb_build_object('formula', 'bill_length_mm + bill_depth_mm', 'k', 'auto', 'max_k', 4, 'select', criterion)) AS m FROM penguins AS p) AS fit;
SELECT criterion, jsonb_path_query_array(picture, '$.concat[*].layer[0].encoding.y.title') AS panels,
    jsonb_path_query_array(picture, '$.concat[0].layer[0].data.values[*]') = (SELECT jsonb_agg(jsonb_build_object('x', k, 'y', objective) ORDER BY k) FROM pgfit.elbow(m)) AS objectives,
    jsonb_path_query_array(picture, '$.concat[1].layer[0].data.values[*]') = (SELECT jsonb_agg(jsonb_build_object('x', k, 'y', value) ORDER BY k) FROM pgfit.elbow(m) WHERE value IS NOT NULL) AS criteria
FROM picture_elbows ORDER BY criterion;
SELECT figure, left(pgfit.plot(m, figure), 4) AS svg
FROM (SELECT pgfit.lasso_regression(body_mass_g, p, '{"formula": "bill_length_mm + bill_depth_mm", "lambda": "cv"}') AS m FROM penguins AS p) AS t, unnest(ARRAY['path', 'lambda']) AS figure;
SELECT left(pgfit.plot(e), 4) FROM picture_mass, (SELECT * FROM penguins WHERE id = 1) AS p, pgfit.explain(m, p) AS e;
SELECT left(pgfit.plot(a), 4) FROM picture_mass, pgfit.augment(m, 'penguins', '{"target": "body_mass_g"}') AS a;
SELECT left(pgfit.plot(d), 4) FROM picture_mass, pgfit.partial_dependence(m, 'penguins', 'bill_depth_mm') AS d;
SELECT left(pgfit.plot(d), 4) FROM picture_mass, pgfit.partial_dependence(m, 'penguins', 'sex') AS d;
SELECT left(pgfit.plot(d), 4) FROM picture_mass, pgfit.accumulated_effects(m, 'penguins', 'bill_depth_mm') AS d;
SELECT left(pgfit.plot(g), 4) FROM picture_bills, pgfit.decision_grid(m, 'bill_length_mm', 'bill_depth_mm', 5) AS g;
SELECT left(pgfit.plot(e), 4) FROM picture_bills, pgfit.ellipses(m) AS e;

-- rows beside a model: the line and the limits of its predictions, one per color; each row has its own where more columns matter; predictions as the axis
SELECT pg_temp.lines(pgfit.plot(m, p, '{"y": "body_mass_g", "as": "text", "width": 480, "height": 200}'))
FROM penguins AS p, (SELECT pgfit.linear_regression(body_mass_g, p, 'flipper_length_mm') AS m FROM penguins AS p) AS f;
SELECT regexp_replace(pgfit.plot(m, p, o), '.*<desc>(.*)</desc>.*', '\1') AS said
FROM penguins AS p, picture_mass,
     unnest('{"{\"y\": \"body_mass_g\", \"level\": 0.5}","{\"y\": \"body_mass_g\", \"x\": \"flipper_length_mm\", \"color\": \"sex\", \"label\": \"id\"}"}'::jsonb[]) WITH ORDINALITY AS v(o, i)
GROUP BY i, o ORDER BY i;
-- the limits are those of predict_interval: of the method, or conformal
SELECT count(*) FILTER (WHERE (l).lower <= body_mass_g AND body_mass_g <= (l).upper) AS within, count(*) AS rows
FROM (SELECT body_mass_g, pgfit.predict_interval(m, p, 0.5) AS l FROM picture_mass, penguins AS p) AS s;
SELECT regexp_replace(pgfit.plot(m, p, '{"y": "body_mass_g"}'), '.*<desc>(.*)</desc>.*', '\1') AS conformal
FROM penguins AS p, (SELECT pgfit.fit('tree_regression', 'penguins', 'body_mass_g ~ flipper_length_mm + bill_depth_mm', '{"conformal": {"method": "cv+", "folds": 3}, "max_depth": 2}') AS m) AS f;
SELECT regexp_replace(pgfit.plot(m, p, '{"y": "body_mass_g"}'), '.*<desc>(.*)</desc>.*', '\1') AS without
FROM penguins AS p, (SELECT pgfit.tree_regression(body_mass_g, p, 'flipper_length_mm') AS m FROM penguins AS p) AS f;
-- regions of two features, others at the mean or the most frequent level of the rows; margins; clusters; a surface; components
SELECT regexp_replace(pgfit.plot(m, p, '{"color": "species"}'), '.*<desc>(.*)</desc>.*', '\1') AS classes FROM penguins AS p, picture_bills;
SELECT regexp_replace(pgfit.plot(m, p, '{"x": "bill_length_mm", "y": "body_mass_g", "color": "species"}'), '.*<desc>(.*)</desc>.*', '\1') AS others
FROM penguins AS p, (SELECT pgfit.tree_classifier(species, p, 'bill_length_mm + body_mass_g + island + flipper_length_mm') AS m FROM penguins AS p) AS f;
CREATE TABLE picture_margins AS SELECT i AS id, i % 2 = 0 AS above, i % 10 AS x, i % 10 + (i % 2 * 2 - 1) * (-1 - i % 3) AS y FROM generate_series(1, 60) AS i;
SELECT regexp_replace(pgfit.plot(m, p, '{"color": "above"}'), '.*<desc>(.*)</desc>.*', '\1') AS margins,
       (SELECT count(*) FROM picture_margins AS q WHERE (CASE WHEN above THEN 1 ELSE -1 END) * pgfit.decision((array_agg(m))[1], q) <= 1.001) AS rings,
       pgfit.plot(m, p, '{"color": "above"}') ~ '>false<.*>true<.*>boundary<.*>margin<' AS legend
FROM picture_margins AS p, (SELECT pgfit.svm_classifier(above, p, 'x + y') AS m FROM picture_margins AS p) AS f;
SELECT regexp_replace(pgfit.plot(m, p, o), '.*<desc>(.*)</desc>.*', '\1') AS clusters
FROM penguins AS p, (SELECT pgfit.kmeans(p, 3, 'bill_length_mm + bill_depth_mm') AS m FROM penguins AS p) AS f, unnest('{"{}","{\"color\": \"species\"}"}'::jsonb[]) WITH ORDINALITY AS v(o, i) GROUP BY i, o ORDER BY i;
SELECT regexp_replace(pgfit.plot(m, p, '{"figure": "decision"}'), '.*<desc>(.*)</desc>.*', '\1') AS surface
FROM penguins AS p, (SELECT pgfit.linear_regression(body_mass_g, p, 'flipper_length_mm * bill_depth_mm') AS m FROM penguins AS p) AS f;
-- points go through the formula as rows do
SELECT count(DISTINCT shade) > 3 AS shades FROM (SELECT (regexp_matches(pgfit.plot(m, p, '{"x": "bill_length_mm", "y": "bill_depth_mm", "figure": "decision"}'), 'fill-opacity="(0[.]\d+)"', 'g'))[1] AS shade
    FROM penguins AS p, (SELECT pgfit.linear_regression(body_mass_g, p, 'log(bill_length_mm):bill_depth_mm + sex') AS m FROM penguins AS p) AS f) AS s;
SELECT regexp_replace(pgfit.plot(m, p), '.*<desc>(.*)</desc>.*', '\1') AS biplot
FROM penguins AS p, (SELECT pgfit.pca(p, '{"features": ["flipper_length_mm", "bill_length_mm", "body_mass_g"], "standardize": true}') AS m FROM penguins AS p) AS f;
-- one picture per group; rows with a NULL model or row take no part; one row, and rows without a finite number
SELECT species, left(pgfit.plot(m, p, '{"y": "body_mass_g"}'), 4) AS svg
FROM penguins AS p JOIN (SELECT species, pgfit.linear_regression(body_mass_g, p, 'flipper_length_mm') AS m FROM penguins AS p GROUP BY species) AS f USING (species) GROUP BY species ORDER BY species;
SELECT pgfit.plot(NULL::pgfit.model, p) IS NULL AS no_model, pgfit.plot(m, NULL::penguins) IS NULL AS no_rows FROM penguins AS p, picture_bills;
SELECT left(pgfit.plot(m, p, '{"color": "species"}'), 4) AS one_row FROM (SELECT * FROM penguins WHERE id = 1) AS p, picture_bills;
SELECT regexp_replace(pgfit.plot(m, p), '.*<desc>(.*)</desc>.*', '\1') AS nowhere FROM (SELECT NULL::float8 AS bill_length_mm, 'Infinity'::float8 AS bill_depth_mm FROM generate_series(1, 3)) AS p, picture_bills;
-- columns that the picture does not need take no memory, and values that it cannot read do no harm
SET pgfit.fit_mem = '1MB';
SELECT left(pgfit.plot(r, '{"x": "x", "y": "x"}'), 4) AS narrow FROM (SELECT i AS x, repeat('a', 1000) || i AS wide, i AS c1, i AS c2, i AS c3, i AS c4 FROM generate_series(1, 4000) AS i) AS r;
RESET pgfit.fit_mem;
-- what is refused
SELECT test.try(call) FROM unnest(ARRAY['SELECT pgfit.plot(m, p) FROM penguins AS p, picture_mass', 'SELECT pgfit.plot(m, p, ''{"y": ["body_mass_g", "id"]}'') FROM penguins AS p, picture_mass',
    'SELECT pgfit.plot(m, p, ''{"y": "mass"}'') FROM penguins AS p, picture_mass', 'SELECT pgfit.plot(m, p, ''{"y": "body_mass_g", "x": "sex"}'') FROM penguins AS p, picture_mass',
    'SELECT pgfit.plot(m, p, ''{"figure": "biplot"}'') FROM penguins AS p, picture_bills', 'SELECT pgfit.plot(p, ''{"figure": "biplot"}'') FROM penguins AS p',
    'SELECT pgfit.plot(m, p, ''{"x": "bill_length_mm", "y": "bill_length_mm"}'') FROM penguins AS p, picture_bills', 'SELECT pgfit.plot(m, p, ''{"x": "species"}'') FROM penguins AS p, picture_bills',
    'SELECT pgfit.plot(m, p, ''{"figure": "decision"}'') FROM penguins AS p, picture_mass', 'SELECT pgfit.plot(m, p, ''{"x": "flipper_length_mm", "y": "bill_depth_mm", "figure": "decision"}'') FROM (SELECT flipper_length_mm, bill_depth_mm FROM penguins) AS p, picture_mass',
    'SELECT pgfit.plot(m, p, ''{"y": "body_mass_g", "level": 1}'') FROM penguins AS p, picture_mass', 'SELECT pgfit.plot(m, p) FROM penguins AS p, (SELECT pgfit.moments(body_mass_g, q, ''id'') AS m FROM penguins AS q) AS f',
    'SELECT pgfit.plot(m, p) FROM penguins AS p, (SELECT pgfit.standard_scaler(q, ''id'') AS m FROM penguins AS q) AS f',
    'SELECT pgfit.plot(m, p, ''{"y": "body_mass_g"}'') FROM penguins AS p, (SELECT pgfit.linear_regression(body_mass_g, q, ''id'') AS m FROM penguins AS q GROUP BY sex) AS f']) AS call;
-- models of arrays, of features without names and of one column: the message was about the numbers of a feature, or a column that no option could name
CREATE TABLE picture_arrays AS SELECT i % 2 AS y, ARRAY[i, i % 7] AS a, i % 3 AS g FROM generate_series(1, 20) AS i;
SELECT test.try(format('SELECT pgfit.plot(m, r) FROM picture_arrays AS r, (SELECT pgfit.kmeans(%s) AS m FROM picture_arrays AS q) AS f', call))
FROM unnest(ARRAY['q, 2, ''{"features": ["a", "g"]}''', 'a, 2', 'q, 2, ''{"features": ["g"]}''']) AS call;
DROP TABLE picture_margins, picture_arrays;

-- a model by its name
SELECT active FROM pgfit.train('mass', 'linear_regression', 'penguins', 'body_mass_g ~ flipper_length_mm');
SELECT pgfit.plot('mass') = pgfit.plot(pgfit.get_model('mass'), 'coefficients');
SELECT pgfit.drop_model('mass') IS NOT NULL;

-- what curves say of themselves: the least cost, the share of positive rows, gains, scores outside of the range; two columns at once, rows around their mean
CREATE TABLE picture_scored AS SELECT i % 3 = 0 AS hit, (i * 7 % 20) / 20.0 + (i % 3 = 0)::int * 0.3 AS score FROM generate_series(1, 60) AS i;
SELECT substring(pgfit.plot(pgfit.roc_curve(hit, score), '{"as": "text", "cost": {"false_negative": 3}}') FROM 'The least cost[^.]*\.[^.]*\.[^.]*\.[0-9]*') AS says FROM picture_scored;
SELECT round(threshold::numeric, 4) AS threshold, round(tpr::numeric, 3) AS tpr, round(fpr::numeric, 3) AS fpr
FROM (SELECT (unnest(pgfit.roc_curve(hit, score))).* FROM picture_scored) AS r ORDER BY false_positives - 3 * true_positives, threshold DESC LIMIT 1;
SELECT pg_temp.lines(pgfit.plot(pgfit.precision_recall_curve(hit, score), '{"as": "text", "width": 320, "height": 160}')) FROM picture_scored;
SELECT pg_temp.lines(pgfit.plot(pgfit.gain_curve(hit, score, '{"bins": 4}'), '{"as": "text", "width": 320, "height": 160}')) FROM picture_scored;
SELECT pg_temp.lines(pgfit.plot(pgfit.score_histogram(hit, score, '{"bins": 4, "low": 0, "high": 1}'), '{"as": "text", "width": 320, "height": 160}')) FROM picture_scored;
SELECT pg_temp.lines(pgfit.plot(d, '{"as": "text", "width": 400, "height": 200}')) FROM picture_mass, pgfit.partial_dependence(m, 'penguins', 'bill_depth_mm', '{"values": [15, 17], "by": "sex"}') AS d;
SELECT pg_temp.lines(pgfit.plot(d, '{"as": "text", "width": 400, "height": 200}')) FROM picture_mass, pgfit.partial_dependence(m, 'SELECT * FROM penguins WHERE id <= 4', 'bill_depth_mm', '{"values": [15, 17, 19], "kind": "ice", "id": "id"}') AS d;
SELECT pg_temp.lines(pgfit.plot(d, '{"as": "text", "width": 400, "height": 200}')) FROM picture_mass, pgfit.accumulated_effects(m, 'penguins', 'bill_depth_mm', '{"intervals": 3}') AS d;
SELECT test.try($$SELECT pgfit.plot(d) FROM picture_bills, pgfit.partial_dependence(m, 'penguins', 'bill_depth_mm', '{"values": [15, 17], "by": "bill_length_mm", "by_values": [40]}') AS d$$);
SELECT pg_temp.lines(pgfit.plot(i, '{"as": "text", "width": 400}')) FROM picture_mass, pgfit.permutation_importance(m, 'penguins', 'body_mass_g', '{"repeats": 3}') AS i;
SELECT pg_temp.lines(pgfit.plot(e, '{"as": "text", "width": 480}')) FROM picture_bills, LATERAL (SELECT * FROM penguins WHERE id = 3) AS p,
    LATERAL pgfit.explain(m, p) AS e WHERE e.class <> 'Gentoo';
SELECT pg_temp.lines(pgfit.plot(v, '{"as": "text", "width": 400, "height": 200}')) FROM (SELECT pgfit.kmeans(p, '{"features": ["bill_length_mm", "bill_depth_mm"], "k": 2}') AS m FROM penguins AS p) AS f, pgfit.voronoi(m) AS v;
SELECT pg_temp.lines(pgfit.plot(d, '{"as": "text", "width": 400}')) FROM picture_mass,
    (SELECT pgfit.feature_summary(f) AS training FROM penguins, LATERAL (SELECT flipper_length_mm, bill_depth_mm, sex) AS f) AS f,
    pgfit.drift(pgfit.with_summary(m, training), 'SELECT bill_depth_mm, flipper_length_mm + 20 AS flipper_length_mm, CASE WHEN id % 3 > 0 THEN ''MALE'' ELSE sex END AS sex FROM penguins') AS d;
-- the same rows in the other formats: each is whole
SELECT kind, count(*), bool_and(svg LIKE '<svg%</svg>_' AND svg::xml IS NOT NULL) AS svg, bool_and(vega::jsonb ? '$schema') AS vega
FROM (SELECT 'gain' AS kind, pgfit.plot(g) AS svg, pgfit.plot(g, '{"as": "vega"}') AS vega FROM (SELECT pgfit.gain_curve(hit, score) AS g FROM picture_scored) AS f UNION ALL
      SELECT 'scores', pgfit.plot(g), pgfit.plot(g, '{"as": "vega"}') FROM (SELECT pgfit.score_histogram(hit, score, '{"bins": 4}') AS g FROM picture_scored) AS f UNION ALL
      SELECT 'cost', pgfit.plot(g, '{"cost": {"false_positive": 2}}'), pgfit.plot(g, '{"as": "vega", "cost": {"false_positive": 2}}') FROM (SELECT pgfit.roc_curve(hit, score) AS g FROM picture_scored) AS f UNION ALL
      SELECT 'surface', pgfit.plot(d), pgfit.plot(d, '{"as": "vega"}') FROM picture_mass, pgfit.partial_dependence(m, 'penguins', 'bill_depth_mm', '{"grid": 4, "by": "flipper_length_mm"}') AS d) AS p
GROUP BY kind ORDER BY kind;
DROP TABLE picture_scored;

-- no rows, one row, constants
SELECT pgfit.plot(r, '{"x": "i", "y": "i"}') IS NULL FROM (SELECT 1 AS i WHERE false) AS r;
SELECT pgfit.plot('{}'::pgfit.roc_point[]) IS NULL;
SELECT left(pgfit.plot(r, '{"x": "x", "y": "y"}'), 4) FROM (VALUES (1e308, -1e308)) AS r(x, y);
SELECT left(pgfit.plot(r, '{"x": "x", "y": "y", "log_x": true}'), 4) FROM (VALUES (5, 0), (5, 0), (-5, 0)) AS r(x, y);

-- what is refused
SELECT test.try('SELECT pgfit.plot(m, ''tree'') FROM picture_mass');
SELECT test.try('SELECT pgfit.plot(m, ''{"title": "Weight"}'') FROM picture_mass');
SELECT test.try('SELECT pgfit.plot(pgfit.tree_classifier(species, p, ''island''), options => ''{"as": "text"}'') FROM penguins AS p');
SELECT test.try('SELECT pgfit.plot(p) FROM penguins AS p');
SELECT test.try('SELECT pgfit.plot(p, ''{"x": "bill", "y": "id"}'') FROM penguins AS p');
SELECT test.try('SELECT pgfit.plot(p, ''{"figure": "pie"}'') FROM penguins AS p');
SELECT test.try('SELECT pgfit.plot(p, ''{"figure": "roc"}'') FROM penguins AS p');
SELECT test.try('SELECT pgfit.plot(ARRAY[1, 2])');
SELECT test.try('SELECT pgfit.plot(pgfit.moments(1, ARRAY[2]))');
SELECT test.try('SELECT pgfit.plot(p, format(''{"x": "id", "y": "id", "width": %s}'', 200 + id)::jsonb) FROM penguins AS p');
SELECT test.try('SELECT pgfit.plot(m, options => ''{"width": 10}'') FROM picture_mass');
-- rows with the columns of a function that no function returned
SELECT test.try('SELECT pgfit.plot(r, ''{"figure": "partial_dependence"}'') FROM (SELECT ''a'' AS class) AS r');
SELECT test.try('SELECT pgfit.plot(r, ''{"figure": "accumulated_effects"}'') FROM (SELECT ''a'' AS class) AS r');
SELECT pgfit.plot(r) LIKE '%<title>3: 1 (0 to 2)</title>%' AS numbered_terms
FROM (SELECT 'a' AS class, i AS term, 1.0 AS estimate, 1 AS std_error, 2 AS statistic, 0.1 AS p_value, 0 AS conf_low, 2 AS conf_high FROM generate_series(1, 5) AS i) AS r;
SELECT pgfit.plot(r) LIKE '%The coefficients of 65536 terms%' AS many_pairs FROM (SELECT i AS lambda, i::text AS term, 1.0 AS estimate, i::text AS class FROM generate_series(1, 65536) AS i) AS r;
SELECT pgfit.plot(r) LIKE '%One line for each of 65536 rows%' AS many_lines
FROM (SELECT i::text AS id, i AS value, NULL::text AS level, NULL::float8 AS by_value, NULL::text AS by_level, i::text AS class, 1.0 AS estimate FROM generate_series(1, 65536) AS i) AS r;
SELECT test.try('SELECT pgfit.plot(r) FROM (SELECT i AS merge, i - 1 AS a, i - 1 AS b, ''x'' AS id_a, ''y'' AS id_b, i AS height, 2 AS size FROM generate_series(1, 39) AS i) AS r');

SELECT pgfit.plot(r) LIKE '%The silhouettes of 2 rows in 1 cluster,%The dashed line is the mean, 0.500.%' AS mean_of_known
FROM (VALUES (1, 1, 0.1, 0.2, 0.4, 'a'), (2, 1, 0.1, 0.2, 0.6, 'b'), (3, 1, NULL, NULL, NULL, 'c')) AS r(number, cluster, own, other, silhouette, id);
SELECT pgfit.plot(r, '{"as": "vega"}')::jsonb IS NOT NULL AS json FROM (VALUES (1, 1, 1, 'Infinity'::float8), (2, 1, 1, 1), (1, 2, 1, 2), (2, 2, 1, 3)) AS r(x, y, label, score);
SELECT pgfit.plot(r, '{"x": "x", "y": "y"}') LIKE '%3000 points drawn as 2 cells%' AS far FROM (SELECT (i % 2 * 2 - 1) * 1e308 AS x, 0 AS y FROM generate_series(1, 3000) AS i) AS r;

-- texts: control characters reach no terminal, times and numbers are written out
SELECT pgfit.plot(r, jsonb_build_object('x', 'x', 'y', 'x', 'color', 'c', 'as', 'text', 'title', E'a\nb\u007f')) ~ '[\x01-\x09\x0b-\x1f\x7f]' AS controls FROM (VALUES (1, E'\u001b[2J\r'), (2, 'b')) AS r(x, c);
-- a line separator ended a literal of Vega, and the picture with it
SELECT strpos(pgfit.plot(r, '{"as": "vega", "x": "x", "y": "y"}'), $$"labelExpr":"[\"a\\u2028b\\\\\"]$$) > 0 AS separator FROM (VALUES (E'a\u2028b\\', 1)) AS r(x, y);
-- labels that are numbers were all one label
SELECT unnest(regexp_matches(pgfit.plot(r, '{"as": "text"}'), '\d+ of \d+ rows[^\n]*')) AS numbered FROM (VALUES (1, 1, 5, 5), (1, 2, 1, 1), (2, 2, 7, 7), (2, 1, 0, 0)) AS r(label, predicted, rows, weight);
SELECT unnest(regexp_matches(pgfit.plot(r, '{"x": "x", "y": "x", "color": "day", "label": "x"}'), '<title>\d</title>|\d{4}-\d\d-\d\d[ :\d]*', 'g'))
FROM (VALUES (1, timestamp '2024-02-29'), (2, '1999-12-31 23:59:58.5')) AS r(x, day);

SET pgfit.fit_mem = '1MB';
SELECT test.try('SELECT pgfit.plot(r, ''{"x": "i", "y": "i"}'') FROM (SELECT i FROM generate_series(1, 200000) AS i) AS r');
SELECT test.try('SELECT pgfit.plot(r, ''{"figure": "ellipses"}'') FROM (SELECT ''a'' AS class, i AS cluster, i AS x, i AS y, 1 AS semi_major, 1 AS semi_minor, 0 AS angle FROM generate_series(1, 1000) AS i) AS r');
SET pgfit.fit_mem = '64MB';
SELECT test.try('SELECT pgfit.plot(r, ''{"width": 20000, "as": "text"}'') FROM (SELECT NULL::text AS id, NULL::float8 AS value, i::text AS level, NULL::float8 AS by_value, NULL::text AS by_level, NULL::text AS class, i AS estimate FROM generate_series(1, 30000) AS i) AS r');
RESET pgfit.fit_mem;
-- a picture of the rows so far for each row, which once came from memory that was freed; the last is that of all rows
CREATE TABLE picture_framed AS SELECT 'lda' AS name, m, '{"color": "species"}'::jsonb AS o FROM picture_bills UNION ALL SELECT 'linear_regression', m, '{"y": "body_mass_g"}' FROM picture_mass
UNION ALL SELECT 'pca', pgfit.pca(p, '{"k": 2, "formula": "bill_length_mm + bill_depth_mm + flipper_length_mm"}'), '{}' FROM penguins AS p
UNION ALL SELECT 'svm_classifier', pgfit.svm_classifier(sex, p, '{"kernel": "rbf", "formula": "bill_length_mm + bill_depth_mm"}'), '{}' FROM penguins AS p;
SELECT name, count(*) AS pictures, (array_agg(drawn ORDER BY id DESC))[1] = (SELECT pgfit.plot(f.m, p, f.o) FROM picture_framed AS f, penguins AS p WHERE f.name = t.name AND p.id <= 20) AS last_of_all
FROM (SELECT name, p.id, pgfit.plot(m, p, o) OVER (PARTITION BY name ORDER BY p.id) AS drawn FROM picture_framed, penguins AS p WHERE p.id <= 20) AS t
GROUP BY name ORDER BY name;
DROP TABLE picture_framed;
-- a column of texts that begins with NULL is one of texts in later pictures, too
SELECT count(*) AS pictures, bool_and(left(drawn, 4) = '<svg') AS drawn
FROM (SELECT pgfit.plot(m, p, '{"x": "bill_length_mm", "y": "bill_depth_mm"}') OVER (ORDER BY p.id) AS drawn
      FROM (SELECT pgfit.tree_classifier(species, p, 'bill_length_mm + bill_depth_mm + island') AS m FROM penguins AS p) AS f,
           (SELECT id, bill_length_mm, bill_depth_mm, CASE WHEN id > 3 THEN island END AS island FROM penguins WHERE id <= 8) AS p) AS t;
-- coefficients without errors were told with limits from nan to nan, and dropped ones were not counted
SELECT array_agg(told[1]) AS told FROM (SELECT pgfit.linear_regression(x, ROW(x) , '{"features": ["x"]}') AS m FROM (VALUES (1.0), (2.0)) AS t(x)) AS f, regexp_matches(pgfit.plot(m), '<title>(x:[^<]*)', 'g') AS told;
SELECT regexp_replace(pgfit.plot(m), '.*<desc>(.*)</desc>.*', '\1') AS said FROM (SELECT pgfit.linear_regression(body_mass_g, ROW(2, bill_depth_mm), '{"features": ["two", "depth"]}') AS m FROM penguins) AS f;
-- lambdas of a criterion were drawn as an empty picture of cross-validated errors; those of a path have neither; an axis that falls to the right had one label
SELECT pg_temp.lines(pgfit.plot(m, 'lambda', '{"as": "text", "width": 400, "height": 160}') || (pgfit.report(m) ~ 'Choice of lambda')::text)
FROM (SELECT pgfit.ridge_regression(body_mass_g, p, '{"formula": "bill_length_mm + bill_depth_mm", "lambda": "gcv"}') AS m FROM penguins AS p) AS f;
SELECT test.try('SELECT pgfit.plot(pgfit.lasso_regression(body_mass_g, p, ''{"formula": "bill_length_mm + bill_depth_mm", "lambda": "path"}''), ''lambda'') FROM penguins AS p');
-- where all bars are 0, as of a constant target or of rows that did not drift, they were left of the picture, and its axis had no numbers
SELECT svg !~ 'M-' AS within, (regexp_match(svg, '<text [^>]*class="s">(0\.\d)</text>'))[1] AS first_number
FROM (SELECT pgfit.plot(r) AS svg FROM (VALUES ('a', 0.0::float8), ('b', 0)) AS r(feature, importance)
      UNION ALL SELECT pgfit.plot(d) FROM (SELECT pgfit.feature_summary(ROW(body_mass_g)) AS s FROM penguins) AS f, pgfit.drift(s, s) AS d) AS t;
-- features of which one side has no values are counted in a picture of drift
SELECT regexp_replace(pgfit.plot(d), '.*<desc>(.*)</desc>.*', '\1') AS said
FROM (SELECT pgfit.feature_summary(r) AS then FROM (SELECT body_mass_g AS a, bill_depth_mm AS b FROM penguins) AS r) AS f, (SELECT pgfit.feature_summary(r) AS now FROM (SELECT body_mass_g AS a, NULL::float8 AS b FROM penguins) AS r) AS g, pgfit.drift(f.then, g.now) AS d;
-- terms of one class were counted with those of the others, so that terms were left out by the note alone; so was the intercept
SELECT classes, top, regexp_replace(pgfit.plot(e, jsonb_build_object('top', top)), '.*<desc>(.*)</desc>.*', '\1') AS said
FROM (VALUES (1, 2), (1, 4), (3, 4), (3, 2), (7, 4)) AS v(classes, top),
    LATERAL (SELECT CASE WHEN classes > 1 THEN 'class ' || c END AS class, t AS term, length(t) + c::float8 AS contribution FROM generate_series(1, classes) AS c, unnest(ARRAY['(base)', 'a', 'bb', 'ccc', 'dddd']) AS t) AS e
GROUP BY classes, top ORDER BY classes, top DESC;
SELECT top, pgfit.plot(m, options => jsonb_build_object('top', top)) ~ 'greatest of 3 terms' AS left_out
FROM (SELECT pgfit.linear_regression(body_mass_g, p, 'bill_length_mm + bill_depth_mm + flipper_length_mm') AS m FROM penguins AS p) AS f, unnest(ARRAY[2, 3]) AS top;
SELECT pg_temp.lines(pgfit.plot(e, '{"as": "text", "top": 2, "width": 360, "height": 140}')) FROM (VALUES (NULL::text, '(base)', 10.0::float8), (NULL, 'a', 5), (NULL, 'b', -3), (NULL, 'c', 1), (NULL, 'd', 1)) AS e(class, term, contribution);
-- bands, several columns, and a logarithmic axis
CREATE TABLE picture_weeks AS SELECT i AS week, 10 + i % 4 AS visits, 8 + i % 3 AS low, 14 + i % 5 AS high, 10 ^ (i % 4) AS cost, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS shop FROM generate_series(1, 12) AS i;
SELECT pg_temp.lines(pgfit.plot(r, o || '{"x": "week", "as": "text", "width": 360, "height": 140}'))
FROM picture_weeks AS r, (VALUES (1, '{"y": "visits", "low": "low", "high": "high"}'::jsonb), (2, '{"y": ["visits", "low"], "color": "shop"}'), (3, '{"y": "cost", "log_y": true}')) AS v(n, o) GROUP BY n ORDER BY n;
SELECT test.try('SELECT pgfit.plot(r, ''{"x": "week", "y": "visits", "low": "low"}'') FROM picture_weeks AS r');
DROP TABLE picture_weeks;
-- regions of models that read dates, times or booleans failed: the rows of the grid had numbers instead; here the classes change after January
CREATE TABLE picture_days AS SELECT date '2024-01-01' + i AS day, timestamptz '2024-01-01 00:00+00' + i * interval '6 hours' AS at, time '00:00' + i * interval '23 minutes' AS clock, i * interval '1 day' AS ago, i::float8 AS n, i > 30 AS late, i % 3 > 0 AS odd FROM generate_series(1, 60) AS i;
SELECT pg_temp.lines(pgfit.plot(m, d, '{"x": "day", "y": "n", "as": "text", "width": 400, "height": 130}')) FROM (SELECT pgfit.tree_classifier(late, d, 'day + n + odd') AS m FROM picture_days AS d) AS f, picture_days AS d;
SELECT v, regexp_replace(pgfit.plot(m, d, jsonb_build_object('x', v, 'y', 'n')), '.*<desc>(.*)</desc>.*', '\1') AS said
FROM picture_days AS d, unnest(ARRAY['at', 'clock', 'ago', 'odd']) AS v, LATERAL (SELECT pgfit.tree_classifier(late, d, v || ' + n + odd + day') AS m FROM picture_days AS d) AS f GROUP BY v ORDER BY v;
-- regions of a model of a boolean failed over a column of 0 and 1, which predict takes
CREATE FUNCTION pg_temp.regions(odd text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    picture text;
BEGIN
    EXECUTE format('SELECT pgfit.plot(m, d) FROM (SELECT pgfit.tree_classifier(late, d, ''n + odd'') AS m FROM picture_days AS d) AS f, (SELECT n, %s AS odd FROM picture_days) AS d', odd) INTO picture;
    RETURN picture;
END $$;
SELECT pg_temp.regions('odd') = pg_temp.regions('odd::int') AS same;
SELECT test.try($$SELECT pg_temp.regions('odd::int * 2')$$);
DROP TABLE picture_days;
DROP TABLE penguins, picture_bills, picture_mass;
