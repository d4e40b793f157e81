-- mixed regression from moments per group: the same as from rows, merged in any parts, and what such moments cannot tell
CREATE TABLE mixed_days AS
SELECT i AS id, 'g' || i % 17 AS g, i % 17 AS number, date '2020-01-01' + i % 17 AS day, i % 2 = 0 AS odd, i % 5 AS h, (ARRAY['x', 'y', 'z'])[1 + i / 17 % 3] AS c, i * 37 % 101 / 10.0::float8 AS a, 1 + i % 3 AS w,
       10 + 2 * (i * 37 % 101 / 10.0::float8) + sin(i % 17 * 7) * 3 + cos(i % 17 * 5) * (i * 37 % 101 / 10.0::float8) + 2 * sin(i % 5 * 3) + sin(i * i) AS y
FROM generate_series(1, 340) AS i;
CREATE FUNCTION test.near_every(text, text) RETURNS boolean LANGUAGE sql AS
$$SELECT bool_and(test.near(a::float8, b::float8, 1e-9)) FROM unnest(string_to_array($1, ' '), string_to_array($2, ' ')) AS t(a, b)$$;
CREATE FUNCTION test.numbers_of(m pgfit.model) RETURNS text LANGUAGE sql AS
$$SELECT concat_ws(' ', (SELECT string_agg(concat_ws(' ', estimate, std_error, statistic, conf_low, conf_high), ' ' ORDER BY term) FROM pgfit.coefficients(m)),
    (SELECT string_agg(concat_ws(' ', variance, std_dev), ' ' ORDER BY term, other_term) FROM pgfit.random_variances(m)),
    (SELECT string_agg(concat_ws(' ', estimate, std_error), ' ' ORDER BY level, term) FROM pgfit.random_effects(m)),
    coalesce(pgfit.info(m) -> 'statistics' ->> 'reml_criterion', pgfit.info(m) -> 'statistics' ->> 'deviance'), pgfit.info(m) -> 'statistics' ->> 'sigma',
    (SELECT string_agg(concat_ws(' ', i.fit, i.lower, i.upper), ' ' ORDER BY id) FROM mixed_days AS r, pgfit.predict_interval(m, r) AS i WHERE id <= 40))$$;
CREATE FUNCTION test.formula_of(m pgfit.model) RETURNS text LANGUAGE sql AS $$SELECT substring(pgfit.summary(m) FROM ': ([^\n]*)')$$;
-- formulas, with the target on the left
SELECT f, test.near_every(test.numbers_of(m), test.numbers_of(s)) AS same
FROM (SELECT f, pgfit.mixed_regression(y, r, f) AS m, pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a + c + h'), jsonb_build_object('formula', 'y ~ ' || f)) AS s
      FROM mixed_days AS r, unnest(ARRAY['a + (1 | g)', 'a + c + (a | g)', 'a + (a || g)', '0 + a + (1 | g)', 'a - 1 + (0 + a | g)', 'c + (0 + c | g)', '(1 | g)', '0 + c + (1 | g)', 'a + (1 | factor(g))', 'A + (1 | G)']) AS f GROUP BY f) AS t ORDER BY f COLLATE "C";
SELECT pgfit.summary(pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'h + c + y + a'), 'y ~ a + c + (a | g)')) FROM mixed_days AS r;
SELECT test.near_every(test.numbers_of(pgfit.mixed_regression(y, r, 'a + c + (a | g)')), test.numbers_of(pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a + c'), 'y ~ . + (a | g)'))) AS dot FROM mixed_days AS r;
SELECT o, test.near_every(test.numbers_of(pgfit.mixed_regression(y, r, (o || '{"formula": "a + (a | g)"}')::jsonb, w)), test.numbers_of(pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a', w), (o || '{"formula": "y ~ a + (a | g)"}')::jsonb))) AS same
FROM mixed_days AS r, unnest(ARRAY['{"reml": false}', '{"df": "asymptotic"}', '{"level": 0.9}']::jsonb[]) AS o GROUP BY o ORDER BY o;
SELECT test.near_every(test.numbers_of(pgfit.mixed_regression(y, r, '{"formula": "a + (a | g)", "weight_kind": "frequency"}', w)),
                       test.numbers_of(pgfit.fit('mixed_regression', pgfit.class_moments(g, r, '{"formula": "y + a", "weight_kind": "frequency"}', w), 'y ~ a + (a | g)'))) AS frequency FROM mixed_days AS r;
-- groups of any type
SELECT test.near_every(test.numbers_of(pgfit.mixed_regression(y, r, 'a + (1 | number)')), test.numbers_of(pgfit.fit('mixed_regression', pgfit.class_moments(number, r, 'y + a'), 'y ~ a + (1 | number)'))) AS numbers,
       test.near_every(test.numbers_of(pgfit.mixed_regression(y, r, 'a + (1 | day)')), test.numbers_of(pgfit.fit('mixed_regression', pgfit.class_moments(day, r, 'y + a'), 'y ~ a + (1 | day)'))) AS dates,
       test.near_every(test.numbers_of(pgfit.mixed_regression(y, r, 'a + (1 | odd)')), test.numbers_of(pgfit.fit('mixed_regression', pgfit.class_moments(odd, r, 'y + a'), 'y ~ a + (1 | odd)'))) AS booleans FROM mixed_days AS r;
SELECT pgfit.predict(m, '{"a": 1, "The \"g\"": "g3"}'::jsonb) = pgfit.predict(o, '{"a": 1, "g": "g3"}'::jsonb) AS quoted, test.formula_of(m) AS formula
FROM (SELECT pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a'), 'y ~ a + (a | "The ""g""")') AS m, pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a'), 'y ~ a + (a | g)') AS o FROM mixed_days AS r) AS t;
CREATE TABLE mixed_parts AS SELECT id / 50 AS part, pgfit.class_moments(g, r, 'y + a + c') AS m FROM mixed_days AS r GROUP BY 1;
-- stored parts, where not every part has every group; they survive as text
SELECT test.near_every(test.numbers_of((SELECT pgfit.mixed_regression(y, r, 'a + c + (a | g)') FROM mixed_days AS r)), test.numbers_of(pgfit.fit('mixed_regression', pgfit.merge(m), 'y ~ a + c + (a | g)'))) AS merged,
       test.near_every(test.numbers_of((SELECT pgfit.mixed_regression(y, r, 'a + c + (a | g)') FROM mixed_days AS r)), test.numbers_of(pgfit.fit('mixed_regression', pgfit.merge(m::text::pgfit.model), 'y ~ a + c + (a | g)'))) AS texts,
       test.near_every(test.numbers_of((SELECT pgfit.mixed_regression(y, r, 'a + c + (a | g)') FROM mixed_days AS r WHERE id >= 100)), test.numbers_of(pgfit.fit('mixed_regression', pgfit.merge(m) FILTER (WHERE part >= 2), 'y ~ a + c + (a | g)'))) AS later FROM mixed_parts;
SELECT m::text::pgfit.model::text = m::text AS text, m::jsonb::pgfit.model::text = m::text AS json, pgfit.predict(m::text::pgfit.model, r) = pgfit.predict(m, r) AS bits, pgfit.predict(m, '{"a": 3, "g": null}'::jsonb) AS none,
       test.near(pgfit.predict(m, '{"a": 0, "g": "new"}'::jsonb), (SELECT estimate FROM pgfit.coefficients(m) WHERE term = '(intercept)')) AS population
FROM (SELECT pgfit.fit('mixed_regression', pgfit.merge(m), 'y ~ a + (a | g)') AS m FROM mixed_parts) AS t, mixed_days AS r WHERE id = 5;
-- numbers far from 0, and of any size
SELECT what, test.near(x.estimate, z.estimate, 1e-8) AS slope, test.near(x.std_error, z.std_error, 1e-8) AS error, test.near((pgfit.info(m) -> 'statistics' ->> 'sigma')::float8, (pgfit.info(o) -> 'statistics' ->> 'sigma')::float8, 1e-8) AS sigma
FROM (SELECT what, pgfit.mixed_regression(y, r, 'a + (a | g)') AS m, pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a'), 'y ~ a + (a | g)') AS o
      FROM (SELECT y * s + t AS y, a * s + t AS a, g, what FROM mixed_days, (VALUES ('far', 1, 1e8::float8), ('large', 1e150, 0), ('small', 1e-140, 0)) AS v(what, s, t)) AS r GROUP BY what) AS k,
     pgfit.coefficients(m) AS x, pgfit.coefficients(o) AS z WHERE x.term = 'a' AND z.term = 'a' ORDER BY what;
-- groups of one row, variances of 0, covariates of groups, and terms that are dropped
SELECT test.near_every(test.numbers_of(pgfit.mixed_regression(y, r, 'a + (1 | g)')), test.numbers_of(pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a'), 'y ~ a + (1 | g)'))) AS few FROM mixed_days AS r WHERE id < 30;
SELECT variance = 0 AS none FROM (SELECT pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a'), 'y ~ 1 + (1 | g)') AS m FROM (SELECT g, a, sin(id * 7) AS y FROM mixed_days) AS r) AS t, pgfit.random_variances(m) WHERE grouping = 'g';
SELECT term, estimate IS NULL AS dropped FROM (SELECT pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a + b + constant'), 'y ~ a + b + constant + (1 | g)') AS m FROM (SELECT g, y, a, 2 * a AS b, 0.1 AS constant FROM mixed_days) AS r) AS t, pgfit.coefficients(m);
SELECT test.near_every(test.numbers_of(pgfit.mixed_regression(y, r, 'number + (1 | g)')), test.numbers_of(pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + number'), 'y ~ number + (1 | g)'))) AS covariate FROM mixed_days AS r;
-- effects that leave nothing but rounding, from rows and from moments
CREATE TABLE mixed_exact AS SELECT 'g' || i % 9 AS g, 2 * (a / 1000.0::float8) AS a, 0.3::float8 AS k, b, 2 * a / 1000.0::float8 + sin(i % 9) * 2 + noise / 1000.0::float8 * 1e-9 AS y FROM generate_series(1, 200) AS i,
    LATERAL (SELECT hashint8(i * 1000 + 461) % 1000 AS a, hashint8(i * 1000 + 462) % 1000 > 0 AS b, hashint8(i * 1000 + 463) % 1000 AS noise) AS h;
SELECT test.try($$SELECT pgfit.mixed_regression(y, r, '0 + k + b + a + (b | g)') FROM mixed_exact AS r$$) AS rows,
       test.try($$SELECT pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + k + a + b'), 'y ~ 0 + k + b + a + (b | g)') FROM mixed_exact AS r$$) AS moments;
-- rows with a NULL anywhere in the moments are left out; no rows are no model
SELECT (pgfit.info(m) -> 'rows')::int AS rows, (pgfit.info(m) -> 'skipped')::int AS skipped FROM (SELECT pgfit.fit('mixed_regression', pgfit.class_moments(nullif(g, 'g1'), r, 'y + a'), 'y ~ a + (1 | g)') AS m
FROM (SELECT g, nullif(a, 3.7) AS a, CASE WHEN id <> 40 THEN y END AS y FROM mixed_days) AS r) AS t;
SELECT pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a'), 'y ~ a + (1 | g)') IS NULL AS no_rows FROM mixed_days AS r WHERE false;
SELECT pgfit.fit('mixed_regression', pgfit.class_moments(g, r, 'y + a'), '{"formula": "y ~ a + (1 | g)", "too_few_rows": "null"}') IS NULL AS too_few FROM mixed_days AS r WHERE id < 3;
-- refusals
CREATE TABLE mixed_sums AS SELECT pgfit.class_moments(g, r, 'y + a + c + h') AS m FROM mixed_days AS r;
SELECT f, test.try(format('SELECT pgfit.fit(''mixed_regression'', m, %L) FROM mixed_sums', f)) FROM unnest(ARRAY['y ~ a', 'y ~ a + g', 'a + (1 | g)', 'log(y) ~ a + (1 | g)', 'z ~ a + (1 | g)', 'c ~ a + (1 | g)', 'y ~ y + (1 | g)', 'y ~ a * h + (1 | g)', 'y ~ a:c + (1 | g)',
    'y ~ log(a) + (1 | g)', 'y ~ poly(a, 2) + (1 | g)', 'y ~ a + offset(h) + (1 | g)', 'y ~ C(c, sum) + (1 | g)', 'y ~ factor(h) + (1 | g)', 'y ~ I(a) + (1 | g)', 'y ~ a + (1 | c)', 'y ~ a + (1 | g) + (1 | c)', 'y ~ a + (1 | g:c)',
    'y ~ g + (1 | g)', 'y ~ factor(g) + (1 | g)', 'y ~ aa + (1 | g)', 'y ~ c:h + (1 | g)', '{"formula": "y ~ a + (1 | g)", "intercept": false, "max_levels": 3}', '{"reml": true}']) AS f;
SELECT what, test.try(format('SELECT pgfit.fit(''mixed_regression'', %s, ''y ~ a + (1 | g)'') FROM mixed_days AS r', what)) FROM unnest(ARRAY['pgfit.class_moments(g, ROW(y, a))', 'pgfit.class_moments(g, r, ''y + log(a + 1)'')',
    'pgfit.class_moments(g, r, ''{"formula": "y + a", "nulls": "impute"}'')', 'pgfit.moments(y, r, ''a'')', 'pgfit.feature_moments(r, ''a + y'')', 'pgfit.linear_regression(y, r, ''a'')', 'pgfit.class_moments(c, r, ''y + a'') FILTER (WHERE c = ''x'')',
    'pgfit.class_moments(g, r, ''y + a'') FILTER (WHERE id < 3)']) AS what;
SELECT y, test.try(format('SELECT pgfit.fit(''mixed_regression'', pgfit.class_moments(g, r, ''y + a''), ''y ~ a + (1 | g)'') FROM (SELECT g, number, a, %s AS y FROM mixed_days) AS r', y)) FROM unnest(ARRAY['7.3', '2 * a + 0.3', 'sin(number)', 'a + sin(number)']) AS y;
SELECT test.try('SELECT pgfit.fit(''mixed_regression'', pgfit.class_moments(g, r, ''y + number''), ''y ~ number + (number | g)'') FROM (SELECT g, y, g AS number FROM mixed_days) AS r');
SELECT test.try('SELECT pgfit.fit(''ridge_regression'', (SELECT pgfit.moments(y, r, ''a'') FROM mixed_days AS r), ''{"formula": "a", "lambda": 1}'')');
-- values from outside: what no rows could have given is refused, or fitted as it is
SELECT change, test.try(format('SELECT pgfit.fit(''mixed_regression'', jsonb_set(m::jsonb, %L, %L)::pgfit.model, ''y ~ a + (1 | g)'') IS NULL FROM (SELECT pgfit.class_moments(g, r, ''y + a'') AS m FROM mixed_days AS r WHERE id <= 60) AS t', path, change))
FROM (VALUES ('{arrays,counts,f64,0}', '-1'), ('{arrays,counts,f64,1}', '-1'), ('{arrays,counts,f64,1}', '0'), ('{arrays,scatter,f64,0}', '-5'), ('{arrays,scatter,f64,1}', '1e300'), ('{arrays,means,f64,0}', '1e308'), ('{rows}', '0'), ('{rows}', '7'),
             ('{arrays,totals}', '[1e308]'), ('{schema,field_names,text,0}', '"z"'), ('{schema,class_text,text,0}', '"g2"'), ('{schema,class_type,text,0}', '"interval"'), ('{flags}', '[]')) AS v(path, change);
DROP TABLE mixed_days, mixed_parts, mixed_sums;
DROP FUNCTION test.near_every, test.numbers_of, test.formula_of;
