-- Hints for those who come with names of other tools, and names that R's tables bring along.
SET search_path = public, pgfit;
CREATE TEMP TABLE air AS SELECT i, 5.0 + i % 7 AS "Wind.Speed", i % 3 AS "Month", 1.5 * (i % 7) + i % 3 + i * i % 5 AS "Ozone", chr(97 + i % 2) AS "my type"
FROM generate_series(1, 40) AS i;

-- terms of columns with capitals and dots had quotes in products alone
SELECT term FROM coefficients((SELECT linear_regression("Ozone", a, 'wind.speed + Wind.Speed * factor(Month) + log(Wind.Speed) + "my type":I(Month > 1)') FROM (SELECT *, 1.0 * i * i AS "wind.speed" FROM air) AS a));
SELECT abs(predict(m, a) - predict(m::text::model, a)) AS difference FROM air AS a, (SELECT linear_regression("Ozone", a, 'Wind.Speed:factor(Month)') AS m FROM air AS a) AS f LIMIT 1;

-- functions and names of R and patsy
SELECT test.try(format('SELECT pgfit.linear_regression("Ozone", a, %L) FROM air AS a', formula))
FROM unnest(ARRAY['relevel(Month, ref = "2")', 's(Wind.Speed)', 'np.log(Wind.Speed)', 'standardize(Wind.Speed)', 'ifelse(Month > 1, 1, 0)', 'Wind.Speed + (Month > 1)', 'Month == 1', 'C(factor(Month))', 'my type', '2nd + Month', '', ' ~ ']) AS formula;
SELECT test.try('SELECT pgfit.linear_regression("Ozone", ''Month'') FROM air');

-- estimators, metrics and options by their names elsewhere
SELECT name, substring(test.try(format('SELECT pgfit.fit(%L, ''air'', ''Ozone ~ Month'')', name)) FROM 'Did you mean [^?]*') AS hint
FROM unnest(ARRAY['RandomForestRegressor', 'lm', 'KMeans', 'xgboost', 'GaussianMixture', 'HistGradientBoostingClassifier', 'Ridge', 'hclust']) AS name;
SELECT substring(test.try('SELECT * FROM pgfit.options(''SVC'')') FROM 'Did you mean [^?]*') AS options,
       substring(test.try('SELECT pgfit.cross_validate("Ozone", a, ''DecisionTreeRegressor'', ''Month'') FROM air AS a') FROM 'Did you mean [^?]*') AS estimator,
       substring(test.try('SELECT pgfit.cross_validate("Month" = 1, a, ''lda'', ''{"metrics": "AUC"}'') FROM air AS a') FROM 'Did you mean [^?]*') AS metric,
       substring(test.try('SELECT pgfit.train(''air'', ''linear_regression'', ''air'', ''Ozone ~ Month'', ''{"metrics": "neg_mean_squared_error"}'')') FROM 'Did you mean [^?]*') AS decides,
       substring(test.try('SELECT pgfit.search(''forest_regression'', ''air'', ''Ozone ~ Month'', ''{"n_estimators": [5, 10]}'')') FROM 'Did you mean [^?]*') AS grid;
SELECT test.try('SELECT pgfit.fit(''linear_regression'', ''air'', ''my type ~ Month'')');

-- a classifier took measurements as classes in silence
CREATE TEMP TABLE measured AS SELECT i * 1.7 AS y, (i % 5)::float8 / 2 AS grade, i AS whole, i % 7 AS x FROM generate_series(1, 60) AS i;
SELECT array_length(classes(tree_classifier(y, m, 'x')), 1) AS measurements FROM measured AS m;
SELECT array_length(classes(tree_classifier(grade, m, 'x')), 1) AS grades, array_length(classes(tree_classifier(whole, m, 'x')), 1) AS whole_numbers,
       array_length(classes(tree_classifier(y::text, m, 'x')), 1) AS texts FROM measured AS m;
DROP TABLE air, measured;
