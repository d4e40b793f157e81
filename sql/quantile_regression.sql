-- quantile regression: equations of a quantile, their errors, edges and refusals
CREATE TABLE quantile_rows AS
SELECT i AS id, 1 + i % 3 AS w, i % 4 AS g, (i * 7919 % 1009) / 100.0::float8 AS a, (ARRAY['x', 'y', 'z'])[1 + i * 31 % 3] AS c,
       2 + 3 * (i * 7919 % 1009) / 100.0::float8 + (1 + (i * 7919 % 1009) / 500.0::float8) * ((i * 3571 % 2003) / 1000.0::float8 - 1) + (i * 31 % 3) AS y
FROM generate_series(1, 400) AS i;

SELECT pgfit.summary(pgfit.quantile_regression(y, q, 'a + c')) FROM quantile_rows AS q;
-- the shares of rows below are those asked for, up to the rows that the equations pass through
SELECT quantile, abs(avg((y < pgfit.predict(m, q) - 1e-9)::int) - quantile) < 0.01 AS share_below, round((pgfit.info(m) -> 'statistics' ->> 'r1')::numeric, 4) AS r1
FROM (SELECT quantile, pgfit.quantile_regression(y, q, quantile, 'a + c') AS m FROM quantile_rows AS q, unnest(ARRAY[0.05, 0.5, 0.9]) AS quantile GROUP BY quantile) AS f, quantile_rows AS q
GROUP BY quantile, m ORDER BY quantile;
-- the certificate: no other equation has a smaller check loss than objective - duality_gap, which is the sum of the losses
SELECT test.near(sum((y - pgfit.predict(m, q)) * (0.7 - (y < pgfit.predict(m, q))::int)), (s ->> 'objective')::float8, 1e-12) AS objective,
       (s ->> 'duality_gap')::float8 < 1e-9 * (s ->> 'objective')::float8 AS gap
FROM (SELECT m, pgfit.info(m) -> 'statistics' AS s FROM (SELECT pgfit.quantile_regression(y, q, 0.7, 'a + c') AS m FROM quantile_rows AS q) AS t) AS f, quantile_rows AS q GROUP BY s;
-- the target enters as it comes: quantiles move with increasing transformations of one constant, and scale with it
SELECT test.near_all(test.estimates(pgfit.quantile_regression(1000 * y + 5, ROW(a), 0.3)), (SELECT array_agg(1000 * e + CASE n WHEN 1 THEN 5 ELSE 0 END ORDER BY n)
       FROM unnest(test.estimates(pgfit.quantile_regression(y, ROW(a), 0.3))) WITH ORDINALITY AS u(e, n)), 1e-8) AS equivariant,
       test.near_all(test.estimates(pgfit.quantile_regression(-y, ROW(a), 0.3)), (SELECT array_agg(-e ORDER BY n)
       FROM unnest(test.estimates(pgfit.quantile_regression(y, ROW(a), 0.7))) WITH ORDINALITY AS u(e, n)), 1e-7) AS mirrored
FROM quantile_rows;
-- weights are copies; rows far above do not move the median
SELECT test.near_all(test.estimates(pgfit.quantile_regression(y, ROW(a), 0.4, '{}', w)), (SELECT test.estimates(pgfit.quantile_regression(y, ROW(a), 0.4)) FROM quantile_rows, generate_series(1, w)), 1e-7) AS weights,
       test.near_all(test.estimates(pgfit.quantile_regression(y, ROW(a))), (SELECT test.estimates(pgfit.quantile_regression(CASE WHEN y > pgfit.predict(m, ROW(a)) + 1 THEN 1000 * y ELSE y END, ROW(a)))
       FROM quantile_rows, (SELECT pgfit.quantile_regression(y, ROW(a)) AS m FROM quantile_rows) AS f), 1e-7) AS outliers
FROM quantile_rows;
-- a median that is not unique is the middle
SELECT round(estimate::numeric, 6) FROM (SELECT pgfit.quantile_regression(v, t, '1') AS m FROM (VALUES (1.0), (2.0), (3.0), (4.0)) AS t(v)) AS f, pgfit.coefficients(m);
-- ways to give rows, options and errors
SELECT count(DISTINCT (SELECT array_agg(round(e::numeric, 6)) FROM unnest(test.estimates(m)) AS e)) AS models FROM (
    SELECT pgfit.quantile_regression(y, ARRAY[a]) AS m FROM quantile_rows UNION ALL SELECT pgfit.quantile_regression(y, q, 'a') FROM quantile_rows AS q
    UNION ALL SELECT pgfit.quantile_regression(y, to_jsonb(q), '{"formula": "a"}') FROM quantile_rows AS q UNION ALL SELECT pgfit.quantile_regression(y, f, 0.5, '{"features": ["a"]}') FROM (SELECT * FROM quantile_rows) AS f
    UNION ALL SELECT pgfit.quantile_regression(y, q, '{"formula": "a", "errors": "none"}') FROM quantile_rows AS q UNION ALL SELECT pgfit.quantile_regression(y, a, 0.5, '{"errors": "nid"}') FROM quantile_rows) AS ways;
SELECT bool_and(std_error IS NULL) AS without_errors FROM (SELECT pgfit.quantile_regression(y, q, '{"formula": "a", "errors": "none"}') AS m FROM quantile_rows AS q) AS f, pgfit.coefficients(m);
SELECT test.near(pgfit.predict(m, q), a.estimate + b.estimate * q.a + q.g, 1e-9) AS with_offset FROM (SELECT pgfit.quantile_regression(y, q, 'a + offset(g)') AS m FROM quantile_rows AS q) AS f, quantile_rows AS q,
     pgfit.coefficients(m) AS a, pgfit.coefficients(m) AS b WHERE q.id = 7 AND a.term = '(intercept)' AND b.term = 'a';
SELECT pgfit.to_sql(pgfit.quantile_regression(y, q, 'a - 1')) ~ '"a"' AS sql FROM quantile_rows AS q WHERE g = 0;
SELECT g, count(*) = 3 AS terms FROM (SELECT g, pgfit.quantile_regression(y, q, 0.5, 'a + w') AS m FROM quantile_rows AS q GROUP BY g) AS f, pgfit.coefficients(m) GROUP BY g ORDER BY g;
-- half of the rows lie on the equation, up to rounding: standard errors were the width of the rounding errors, 1e-15, and p-values 1e-180
SELECT bool_and(std_error IS NULL AND p_value IS NULL AND conf_low IS NULL) AS no_errors
FROM (SELECT pgfit.quantile_regression(0.1 * i + 0.7 * (i * i % 7) + CASE WHEN i % 3 = 0 THEN i % 5 - 2.3 ELSE 0 END, ROW(i, i * i % 7)) AS m FROM generate_series(1, 60) AS i) AS f, pgfit.coefficients(m);
-- a loose tolerance took residuals for rounding where targets are far from 0, and there were no errors
SELECT count(*) AS terms, bool_and(abs(c.std_error / d.std_error - 1) < 0.02) AS as_strict FROM (SELECT pgfit.quantile_regression(1e9 + 3 * (i % 10) + i * 7919 % 997 / 1000.0, ROW(i % 10), '{"tolerance": 1e-4}') AS loose, pgfit.quantile_regression(1e9 + 3 * (i % 10) + i * 7919 % 997 / 1000.0, ROW(i % 10)) AS strict FROM generate_series(1, 400) AS i) AS f, pgfit.coefficients(loose) AS c JOIN LATERAL pgfit.coefficients(strict) AS d USING (term);
-- limits from ranks: no standard errors, the same in any order of rows and unit, and infinite where no value is rejected
SELECT pgfit.summary(pgfit.quantile_regression(y, q, '{"formula": "a + c", "errors": "rank"}')) FROM quantile_rows AS q;
CREATE TEMP TABLE by_rank AS SELECT pgfit.quantile_regression(y, q, 0.3, '{"formula": "a + c", "errors": "rank"}') AS m, pgfit.quantile_regression(y, q, 0.3, '{"formula": "a + c", "errors": "rank"}' ORDER BY -id) AS reversed,
       pgfit.quantile_regression(1e100 * y, q, 0.3, '{"formula": "a + c", "errors": "rank"}') AS large, pgfit.quantile_regression(y, q, 0.3, '{"formula": "a + c", "errors": "rank", "level": 0.5}') AS near FROM quantile_rows AS q;
SELECT bool_and(a.std_error IS NULL AND a.p_value IS NULL) AS no_errors, bool_and(a.conf_low < b.conf_low AND b.conf_low < a.estimate AND a.estimate < b.conf_high AND b.conf_high < a.conf_high) AS nested,
       bool_and(test.near(a.conf_low, c.conf_low, 1e-9) AND test.near(a.conf_high, c.conf_high, 1e-9)) AS any_order, bool_and(test.near(1e100 * a.conf_low, d.conf_low, 1e-9) AND test.near(1e100 * a.conf_high, d.conf_high, 1e-9)) AS any_unit
FROM by_rank, pgfit.coefficients(m) AS a JOIN LATERAL pgfit.coefficients(near) AS b USING (term) JOIN LATERAL pgfit.coefficients(reversed) AS c USING (term) JOIN LATERAL pgfit.coefficients(large) AS d USING (term);
SELECT m::text::pgfit.model::text = m::text AS text, m::jsonb::pgfit.model::text = m::text AS jsonb FROM (SELECT m FROM by_rank UNION ALL SELECT pgfit.quantile_regression(y, a, '{"errors": "rank"}') FROM quantile_rows WHERE id < 5) AS f;
DROP TABLE by_rank;
SELECT term, conf_low, conf_high FROM (SELECT pgfit.quantile_regression(y, a, '{"errors": "rank"}') AS m FROM quantile_rows WHERE id < 5) AS f, pgfit.coefficients(m);
SELECT term, estimate IS NULL AS dropped, conf_low IS NULL AS no_limit FROM (SELECT pgfit.quantile_regression(y, ROW(a, 2 * a, 7), '{"errors": "rank"}') AS m FROM quantile_rows) AS f, pgfit.coefficients(m);
SELECT term, round(conf_low::numeric, 9) AS conf_low, round(conf_high::numeric, 9) AS conf_high FROM (SELECT pgfit.quantile_regression(5, ROW(a), '{"errors": "rank"}') AS m FROM quantile_rows) AS f, pgfit.coefficients(m);
SELECT conf_low IS NULL AS none FROM (SELECT pgfit.quantile_regression(y, ROW(a), '{"errors": "rank"}') AS m FROM quantile_rows WHERE id < 3) AS f, pgfit.coefficients(m);
SELECT test.try('SELECT pgfit.predict_interval(m, ROW(1.0)) FROM (SELECT pgfit.quantile_regression(y, ROW(a), ''{"errors": "rank"}'') AS m FROM quantile_rows) AS f');
-- several quantiles make one model: the equations, errors and losses that a fit of each gives
CREATE TEMP TABLE several AS SELECT pgfit.quantile_regression(y, q, '{"formula": "a + c", "quantile": [0.1, 0.5, 0.9]}') AS m, pgfit.quantile_regression(y, q, '{"formula": "a + c", "quantile": [0.1, 0.5, 0.9], "rearrange": true}') AS sorted
FROM quantile_rows AS q;
SELECT pgfit.summary(sorted) FROM several;
SELECT errors, bool_and(test.near(a.estimate, b.estimate, 1e-9) AND (a.std_error IS NOT DISTINCT FROM b.std_error OR test.near(a.std_error, b.std_error, 1e-9) AND test.near(a.p_value, b.p_value, 1e-7) AND test.near(a.conf_low, b.conf_low, 1e-9))) AS as_one,
       count(a.std_error) AS with_errors, count(*) AS rows
FROM unnest(ARRAY['kernel', 'nid', 'none']) AS errors, LATERAL (SELECT pgfit.quantile_regression(y, q, jsonb_build_object('formula', 'a + c', 'quantile', ARRAY[0.1, 0.5, 0.9], 'errors', errors), w) AS m FROM quantile_rows AS q) AS f,
     LATERAL (SELECT quantile, pgfit.quantile_regression(y, q, jsonb_build_object('formula', 'a + c', 'quantile', quantile, 'errors', errors), w) AS one FROM quantile_rows AS q, unnest(ARRAY[0.1, 0.5, 0.9]) AS quantile GROUP BY quantile) AS o,
     pgfit.coefficients(m) AS a, pgfit.coefficients(one) AS b WHERE a.term = b.term AND a.class = quantile::text GROUP BY errors ORDER BY errors;
SELECT pgfit.output_names(m), pgfit.info(m) -> 'statistics' -> 'quantile' AS quantile, test.near((pgfit.info(m) -> 'statistics' -> 'r1' ->> 1)::float8, (pgfit.info(one) -> 'statistics' ->> 'r1')::float8, 1e-9) AS r1,
       test.near((pgfit.info(m) -> 'statistics' -> 'objective' ->> 1)::float8, (pgfit.info(one) -> 'statistics' ->> 'objective')::float8, 1e-9) AS objective
FROM several, (SELECT pgfit.quantile_regression(y, q, 'a + c') AS one FROM quantile_rows AS q) AS o;
-- far from the rows the equations cross; sorted predictions do not, and explanations and SQL follow them
SELECT a, c, p[1] <= p[2] AND p[2] <= p[3] AS in_order, s = (SELECT array_agg(v ORDER BY v) FROM unnest(p) AS v) AS sorted, test.near_all(s, x, 1e-9) AS explained, test.near_all(s, k, 1e-9) AS to_sql
FROM several, (VALUES (5.0, 'x'), (-40, 'x'), (-40, 'z')) AS far (a, c), LATERAL (SELECT ROW(a, c)::record AS r) AS r, LATERAL (SELECT pgfit.transform(m, r) AS p, pgfit.transform(sorted, r) AS s) AS t,
     LATERAL (SELECT array_agg(total ORDER BY class::float8) AS x FROM (SELECT class, sum(contribution) AS total FROM pgfit.explain(sorted, r) GROUP BY class) AS e) AS e,
     LATERAL (SELECT replace(test.try(format('SELECT %s FROM (SELECT %s AS a, %L AS c) AS far', pgfit.to_sql(sorted), a, c)), 'ok: ', '')::float8[] AS k) AS v;
SELECT test.near(replace(test.try(format('SELECT %s FROM (SELECT -40 AS a, ''x'' AS c) AS far', pgfit.to_sql(p))), 'ok: ', '')::float8, pgfit.predict(p, ROW(-40, 'x')::record), 1e-9) AS next_stage
FROM (SELECT pgfit.pipeline(sorted, pgfit.linear_regression(id, pgfit.transform_row(sorted, q))) AS p FROM several, quantile_rows AS q GROUP BY sorted) AS f;
SELECT m::text::pgfit.model::text = m::text AND m::jsonb::pgfit.model::text = m::text AS round_trip, (pgfit.info(sorted) -> 'options' ->> 'rearrange')::boolean AS option FROM several;
SELECT g, count(*) AS coefficients, count(DISTINCT class) AS quantiles FROM (SELECT g, pgfit.multiple_quantile_regression(y, q, '{"formula": "a + w"}') AS m FROM quantile_rows AS q GROUP BY g) AS f, pgfit.coefficients(m) GROUP BY g ORDER BY g;
SELECT class, term, round(estimate::numeric, 9) AS estimate, std_error FROM (SELECT pgfit.quantile_regression(5, ROW(a, 7), '{"quantile": [0.5]}') AS m FROM quantile_rows) AS f, pgfit.coefficients(m);
SELECT pgfit.multiple_quantile_regression(y, ROW(a)) IS NULL AS no_rows FROM quantile_rows WHERE false;
SELECT test.try(format('SELECT pgfit.quantile_regression(y, q, %L) FROM quantile_rows AS q', options)) FROM unnest(ARRAY['{"formula": "a", "quantile": [0.5, 0.1]}', '{"formula": "a", "quantile": [0.5, 0.5]}', '{"formula": "a", "quantile": []}',
    '{"formula": "a", "quantile": [0.1, 1]}', '{"formula": "a", "quantile": [0.1, 0.9], "errors": "rank"}', '{"formula": "a + offset(g)", "quantile": [0.1, 0.9]}', '{"formula": "a", "rearrange": true}', '{"formula": "1", "quantile": [0.1, 0.9]}']) AS options;
SELECT test.try(format('SELECT pgfit.quantile_regression(y, a, %L) FROM quantile_rows', jsonb_build_object('quantile', array_agg(i / 2000.0)))) FROM generate_series(1, 1001) AS i;
SELECT test.try(format('SELECT pgfit.%s FROM several, quantile_rows AS q', call)) FROM unnest(ARRAY['predict(m, q)', 'predict_interval(m, q)', 'decisions(m, q)', 'ensemble(m, m)']) AS call;
SELECT test.try($$SELECT pgfit.evaluate('quantile_regression', 'SELECT * FROM quantile_rows', 'y ~ a', '{"quantile": [0.1, 0.9]}')$$) ~ 'models of multiple_quantile_regression are not evaluated' AS not_evaluated;
SELECT edit, test.try(format('SELECT pgfit.transform(%L::pgfit.model, ROW(1.0, ''x''))', jsonb_set(m::jsonb, place::text[], value::jsonb)))
FROM several, (VALUES ('falling', '{arrays,quantile,1}', '0.05'), ('share', '{arrays,quantile,0}', '-1'), ('fewer', '{arrays,quantile}', '[0.1]'), ('loss', '{arrays,objective,0}', '-1'), ('coef', '{arrays,coef,f64,0}', '7')) AS e (edit, place, value);
DROP TABLE several;
-- edges
SELECT round(estimate::numeric, 9) AS estimate, std_error FROM (SELECT pgfit.quantile_regression(5, ROW(a)) AS m FROM quantile_rows) AS f, pgfit.coefficients(m);
SELECT round(estimate::numeric, 9) AS estimate FROM (SELECT pgfit.quantile_regression(y, ROW(x)) AS m FROM (VALUES (1.0, 1), (3.0, 2)) AS t(y, x)) AS f, pgfit.coefficients(m);
SELECT test.near_all(test.estimates(pgfit.quantile_regression(y * s, ROW(a))), (SELECT array_agg(e * s ORDER BY n) FROM unnest(test.estimates(pgfit.quantile_regression(y, ROW(a)))) WITH ORDINALITY AS u(e, n)), 1e-8) AS scaled
FROM quantile_rows, unnest('{1e-290,1e290}'::float8[]) AS s GROUP BY s;
SELECT pgfit.quantile_regression(y, ROW(a)) IS NULL AS no_rows FROM quantile_rows WHERE false;
SELECT term, estimate IS NULL AS dropped FROM (SELECT pgfit.quantile_regression(y, ROW(a, 2 * a, 7)) AS m FROM quantile_rows) AS f, pgfit.coefficients(m);
SELECT test.try('SELECT pgfit.quantile_regression(y, ROW(a, id * id % 7, w)) FROM quantile_rows WHERE id < 4') ~ 'dropped|ok' AS few_rows;
SELECT test.try('SELECT pgfit.quantile_regression(y, ROW(a), 0) FROM quantile_rows');
-- the line below all rows is the same at any small quantile; at one too small to compute with there is none
SELECT test.near(c.estimate, d.estimate, 1e-9) AS same FROM (SELECT pgfit.quantile_regression(y, ROW(a), 1e-9) AS low, pgfit.quantile_regression(y, ROW(a), 1e-4) AS small FROM quantile_rows) AS f, pgfit.coefficients(low) AS c JOIN LATERAL pgfit.coefficients(small) AS d USING (term);
SELECT test.try(format('SELECT pgfit.quantile_regression(y, ROW(a), %s) FROM quantile_rows', q)) FROM unnest(ARRAY['1e-16', '0.9999999999']) AS q;
SELECT test.try('SELECT pgfit.quantile_regression(y, ROW(a), 0.5, ''{"quantile": 0.5}'') FROM quantile_rows');
SELECT test.try('SELECT pgfit.quantile_regression(y, ROW(a), ''{"weight_kind": "frequency"}'', w) FROM quantile_rows');
SELECT test.try('SELECT pgfit.quantile_regression(y, ROW(a), ''{"errors": "ranks"}'') FROM quantile_rows');
SELECT pgfit.quantile_regression(y, ROW(a), '{"max_iter": 2}') IS NOT NULL AS stopped FROM quantile_rows;
SELECT test.try('SELECT pgfit.predict_interval(pgfit.quantile_regression(y, ROW(a)), ROW(1.0)) FROM quantile_rows');
-- the summary of a line through all rows had "AIC: nan"
SELECT pgfit.summary(pgfit.quantile_regression(i % 2, ROW(i % 2))) !~ 'AIC|nan' AS exact FROM generate_series(1, 20) AS i;
DROP TABLE quantile_rows;
