-- Data and models for pictures_rendered.sh: the examples of the manual, 100,000 points, long labels with markup, more features than a picture shows.
CREATE TABLE m AS SELECT
 pgfit.linear_regression(body_mass_g, p, 'flipper_length_mm + bill_depth_mm + sex + species') AS lin,
 pgfit.logistic_regression(species, p, '{"formula": "bill_length_mm + bill_depth_mm + flipper_length_mm", "lambda": 1}') AS multi,
 pgfit.lasso_regression(body_mass_g, p, '{"formula": "flipper_length_mm + bill_depth_mm + bill_length_mm + sex + species + island", "lambda": "cv"}') AS lasso,
 pgfit.tree_classifier(species, p, '{"formula": "bill_length_mm + bill_depth_mm + flipper_length_mm + island", "max_depth": 4}') AS tree,
 pgfit.tree_classifier(sex, p, '{"formula": "bill_length_mm + bill_depth_mm + flipper_length_mm + island", "min_samples_leaf": 2}') AS bigtree,
 pgfit.forest_classifier(species, p, '{"formula": "bill_length_mm + bill_depth_mm + flipper_length_mm + island + sex", "n_trees": 20}') AS forest,
 pgfit.pca(p, '{"features": ["flipper_length_mm", "bill_length_mm", "bill_depth_mm", "body_mass_g"], "standardize": true}') AS pca,
 pgfit.kmeans(p, '{"features": ["bill_length_mm", "bill_depth_mm"], "k": [1, 8], "standardize": true}') AS kmeans,
 pgfit.kmeans(p, '{"features": ["bill_length_mm", "bill_depth_mm"], "k": 3}') AS km3,
 pgfit.qda(species, p, 'bill_length_mm + bill_depth_mm') AS qda,
 pgfit.logistic_regression(sex, p, 'bill_length_mm + bill_depth_mm') AS sex
FROM penguins AS p;
CREATE TABLE h AS SELECT pgfit.hierarchical(island || ' ' || body_mass_g, p, '{"features": ["bill_length_mm", "bill_depth_mm"]}') AS m FROM (SELECT * FROM penguins WHERE sex IS NOT NULL LIMIT 30) AS p;
CREATE TABLE h300 AS SELECT pgfit.hierarchical(row_number, p, '{"features": ["bill_length_mm", "bill_depth_mm"]}') AS m FROM (SELECT row_number() OVER () , * FROM penguins) AS p;
CREATE TABLE big AS SELECT i, sin(i * 0.7) * 3 + i % 17 AS x, cos(i * 1.3) + (i % 100) / 20.0 AS y, i % 3 AS c FROM generate_series(1, 100000) AS i;
CREATE TABLE labels AS SELECT i, 'a rather long label with <b>markup</b> & "quotes" number ' || i AS label, 100 * sin(i) AS v, i % 2 AS y FROM generate_series(1, 40) AS i;
CREATE TABLE wide AS SELECT jsonb_object_agg('feature with a very long name number ' || j, sin(i * j)) AS f, sum(sin(i * j) * j) + sin(i) AS y, CASE i % 3 WHEN 0 THEN '<i>one</i>' WHEN 1 THEN 'two & a half of something that is long' ELSE 'c' END AS kind FROM generate_series(1, 300) AS i, generate_series(1, 45) AS j GROUP BY i;
CREATE TABLE wm AS SELECT pgfit.linear_regression(y, f) AS lin, pgfit.logistic_regression(kind, f, '{"lambda": 1}') AS multi, pgfit.lasso_regression(y, f, '{"lambda": "cv"}') AS lasso, pgfit.pca(f) AS pca, pgfit.forest_regression(y, f, '{"n_trees": 5}') AS forest, pgfit.tree_classifier(kind, f, '{"min_samples_leaf": 1}') AS tree FROM wide;
SELECT count(*) FROM pgfit.train('mass & <b>height</b>', 'lasso_regression', 'penguins', 'body_mass_g ~ flipper_length_mm + bill_depth_mm + sex + species + island', '{"lambda": "cv"}');
