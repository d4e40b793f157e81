-- fast paths of reading rows, and what they leave to the general ones
SET max_parallel_workers_per_gather = 0;

-- one row's numbers come back as the center of that row alone: to the last bit what the cast to float8 gives
SELECT setseed(0.37) IS NOT NULL AS seeded;
CREATE TABLE test.numerics AS
SELECT id, array_agg(n ORDER BY i) AS a, array_agg(n::float8 ORDER BY i) AS d, jsonb_object_agg('k' || i, n) AS j
FROM (SELECT id, i, (CASE WHEN random() < 0.5 THEN -1 ELSE 1 END) * CASE i
             -- few digits; many; ties between doubles, whole and in binary fractions; trailing zeros; far exponents; zeros
             WHEN 1 THEN round((random() * power(10::numeric, (random() * 20)::int - 6))::numeric, (random() * 16)::int)
             WHEN 2 THEN random()::numeric * 1e6 + random()::numeric / 1e10
             WHEN 3 THEN ((random() * 9007199254740992)::bigint)::numeric * 2 + 1
             WHEN 4 THEN (((random() * 9007199254740992)::bigint)::numeric + 9007199254740992 + 0.5) / power(2::numeric, (random() * 30)::int)
             WHEN 5 THEN (random() * 1e18)::bigint::numeric * power(10::numeric, (random() * 20)::int - 10)
             WHEN 6 THEN round((random() - 0.5)::numeric * 100000, 4)
             WHEN 7 THEN (floor(random() * 1e9)::numeric * 1e12 + floor(random() * 1e12)::numeric) * power(10::numeric, (random() * 60)::int - 40)
             WHEN 8 THEN (random() * 1e18)::bigint::numeric * 1e20 + (random() * 1e18)::bigint::numeric
             WHEN 9 THEN round((random() * 400)::int::numeric, -2)
             ELSE (random() * 40 - 20)::int::numeric * power(10::numeric, (random() * 30)::int - 15) END AS n
      FROM generate_series(1, 10000) AS id, generate_series(1, 10) AS i) AS numbers
GROUP BY id;
SELECT sum(cardinality(a)) AS numbers, count(*) FILTER (WHERE of_array IS DISTINCT FROM d) AS arrays, count(*) FILTER (WHERE of_row IS DISTINCT FROM d) AS rows,
       count(*) FILTER (WHERE of_object IS DISTINCT FROM d) AS objects, count(*) FILTER (WHERE alone IS DISTINCT FROM d[1:1]) AS alone
FROM (SELECT a, d, pgfit.parameter(pgfit.geometric_median(a), 'center') AS of_array, pgfit.parameter(pgfit.geometric_median(j), 'center') AS of_object,
             pgfit.parameter(pgfit.geometric_median((a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10])), 'center') AS of_row,
             pgfit.parameter(pgfit.geometric_median(a[1]), 'center') AS alone
      FROM test.numerics GROUP BY id, a, d) AS read;
SELECT count(*) AS numbers, count(*) FILTER (WHERE pgfit.parameter(m, 'center') IS DISTINCT FROM ARRAY[n::float8, -n::float8, 1]) AS wrong
FROM (SELECT n, pgfit.geometric_median(ARRAY[n, -n, 1]) AS m
      FROM unnest(ARRAY[0, 0.0, 0.0000, 1, 10000, 99999999, 100000000, 0.0001, 0.00000001, 9999999999999999, 9007199254740992, 9007199254740993, 9007199254740994,
                        9007199254740995, 0.9007199254740993, 900719925474.0993, 18446744073709551615, 18446744073709551616, 18439999999999999999, 18440000000000000000,
                        0.18446744073709551615, 1844.6744073709551615, 1e20, 1e24, 1e-20, 1e-24, 12e19, 5e-324, 1e308, 123456789012345678901234567890.12345678901234567890,
                        1000000000000000000000.5, 4503599627370496.5, 4503599627370497.5, 4503599627370497.50000000000001, 0.5, 0.1, 0.3333333333333333333333]::numeric[]) AS n GROUP BY n) AS q;
-- NULL elements do not move the others
SELECT test.same_fit(pgfit.linear_regression(y, x), pgfit.linear_regression(y, x::float8[]))
FROM (SELECT i % 7 AS y, ARRAY[i * i % 11, CASE WHEN i % 5 > 0 THEN i / 4.0 END, i % 3 * 123456.789] AS x FROM generate_series(1, 60) AS i) AS t;
SELECT test.try(format('SELECT pgfit.linear_regression(y, x) FROM (VALUES (1, %s), (2, %s)) AS t(y, x)', one, two))
FROM (VALUES ('ARRAY[1, 2]::numeric[]', 'ARRAY[3, ''NaN'']::numeric[]'), ('ARRAY[1, 2]::numeric[]', 'ARRAY[''-Infinity'', 2]::numeric[]'),
             ('ARRAY[1, 2]::numeric[]', 'ARRAY[1, 1e400]::numeric[]'), ('ROW(1, 2.5)', 'ROW(3, -1e400)'), ('''{"a": 1}''::jsonb', '''{"a": 1e400}''::jsonb'),
             ('ROW(1::float8, 2::float8)', 'ROW(3::float8, ''NaN''::float8)'), ('ROW(1::float8, ''a''::text)', 'ROW(''Infinity''::float8, ''a''::text)')) AS f(one, two);

-- objects: the same keys in any order of writing, another number of keys, other keys of the same length
SELECT count(*) AS objects, bool_and(test.near(pgfit.predict(m, j) + 100, 3 * a - 2 * b + 101)) AS same
FROM (SELECT pgfit.linear_regression(3 * i - 2 * (i * i % 17) + 1, jsonb_build_object('b', i * i % 17, 'a', i)) AS m FROM generate_series(1, 40) AS i) AS fit,
     (SELECT a, b, j FROM generate_series(1, 9) AS a, generate_series(-3, 3) AS b,
             LATERAL (VALUES (jsonb_build_object('a', a, 'b', b)), (jsonb_build_object('b', b, 'a', a)), (jsonb_build_object('a', a, 'b', b, 'c', 9)), (jsonb_build_object('A', 5, 'a', a, 'aa', 'x', 'b', b)),
                             (jsonb_build_object('a', a::numeric(20, 10), 'b', b + 0.0)), (jsonb_build_object('', 0, 'a', a, 'b', b))) AS o(j)) AS rows;
SELECT test.try(format('SELECT pgfit.linear_regression(y, x::jsonb) FROM (VALUES (1, %L), (2, %L)) AS t(y, x)', '{"a": 1, "b": 2}', other))
FROM unnest(ARRAY['{"a": 1, "c": 2}', '{"a": 1}', '{"a": 1, "b": 2, "c": 3}', '{"a": 1, "b": "x"}', '{"a": 1, "b": [2]}', '[1, 2]', '3']) AS other;
SELECT rows, skipped FROM (SELECT pgfit.linear_regression(i * i, jsonb_build_object('a', CASE WHEN i % 4 > 0 THEN i END, 'b', i % 3 = 1, 'c', 'w' || i % 2)) AS m FROM generate_series(1, 40) AS i) AS t, pgfit.info(m) AS f(info),
     LATERAL (SELECT info->'rows' AS rows, info->'skipped' AS skipped) AS r;

-- levels that agree in length, in their last or in their first bytes: each has its own coefficient
CREATE TABLE test.alike AS
SELECT level, k * k % 4 AS n, number * 10 + k * k % 4 * 3 AS y
FROM unnest(ARRAY['', 'a', 'b', 'ab', 'bb', 'abc', 'abcd', 'bbcd', 'abcdefg', 'abcdefgh', 'bbcdefgh', 'xabcdefgh', 'yabcdefgh', 'abcdefghi', 'abcdefghx', repeat('x', 17), repeat('x', 16) || 'y',
                  'y' || repeat('x', 16), repeat('x', 8) || 'y' || repeat('x', 8), repeat('x', 200), repeat('x', 199) || 'y', repeat('x', 3000), repeat('x', 2999) || 'y', 'ä', 'ö']) WITH ORDINALITY AS l(level, number),
     generate_series(1, 3) AS k;
SELECT count(DISTINCT level) AS levels, bool_and(test.near(pgfit.predict(of_row, (n::float8, level)), y, 1e-9)) AS rows,
       bool_and(test.near(pgfit.predict(of_object, jsonb_build_object('level', level, 'n', n)), y, 1e-9)) AS objects,
       bool_and(test.near(pgfit.predict(alone, level), y - 3 * n, 1e-9)) AS alone, bool_and(test.near(pgfit.predict(padded, (n::float8, level::char(3000))), y, 1e-9)) AS padded
FROM (SELECT pgfit.linear_regression(y, (n::float8, level)) AS of_row, pgfit.linear_regression(y, jsonb_build_object('level', level, 'n', n)) AS of_object,
             pgfit.linear_regression(y - 3 * n, level) AS alone, pgfit.linear_regression(y, (n::float8, level::char(3000))) AS padded FROM test.alike) AS fits,
     test.alike;

-- leading doubles and then other types, with a NULL or the end of the row in either part
CREATE TABLE test.fronts AS
SELECT i AS id, i % 7 + i / 9.0 AS y, (i * 3 % 11)::float8 AS a, CASE WHEN i % 6 > 0 THEN (i * 5 % 13)::float8 END AS b, 'w' || i % 3 AS w, i % 4 AS k, CASE WHEN i % 8 > 0 THEN i * i % 17 / 4.0 END AS n
FROM generate_series(1, 120) AS i;
SELECT bool_and(test.same_fit(straight, turned)) AS same, count(*)
FROM (SELECT pgfit.linear_regression(y, (a, b)) AS straight, pgfit.linear_regression(y, ARRAY[a, b]) AS turned FROM test.fronts
      UNION ALL SELECT pgfit.linear_regression(y, (a, b), '{"nulls": "impute"}'), pgfit.linear_regression(y, ARRAY[a, b], '{"nulls": "impute"}') FROM test.fronts
      UNION ALL SELECT pgfit.linear_regression(y, (a, b, k, n)), pgfit.linear_regression(y, ARRAY[a, b, k, n]) FROM test.fronts
      UNION ALL SELECT pgfit.linear_regression(y, (a, b, k, n), '{"nulls": "impute"}'), pgfit.linear_regression(y, ARRAY[a, b, k, n], '{"nulls": "impute"}') FROM test.fronts
      UNION ALL SELECT pgfit.linear_regression(y, f, '{"features": ["a"]}'), pgfit.linear_regression(y, t.a) FROM test.fronts AS t, LATERAL (SELECT t.a, t.b, w) AS f
      UNION ALL SELECT pgfit.linear_regression(y, f, '{"features": ["b"]}'), pgfit.linear_regression(y, t.b) FROM test.fronts AS t, LATERAL (SELECT t.a, t.b, w) AS f) AS fits;
SELECT count(*) AS rows, bool_and(test.near(pgfit.predict(front, (a, b, w, k, n)), pgfit.predict(behind, (w, a, b, k, n)))) AS scores
FROM (SELECT pgfit.linear_regression(y, (a, b, w, k, n)) AS front, pgfit.linear_regression(y, (w, a, b, k, n)) AS behind FROM test.fronts) AS fits, test.fronts WHERE b IS NOT NULL AND n IS NOT NULL;

-- states that take turns: groups with their own levels, names and order of levels give what each gives alone
SELECT count(*) AS groups, bool_and(test.same_fit(together, alone)) AS same
FROM (SELECT k, pgfit.linear_regression(y, (a, w || k % 2, (id % 5)::text)) AS together FROM test.fronts GROUP BY k) AS t
JOIN LATERAL (SELECT pgfit.linear_regression(y, (a, w || f.k % 2, (id % 5)::text)) AS alone FROM test.fronts AS f WHERE f.k = t.k) AS s ON true;
SELECT count(*) AS groups, bool_and(test.near_all(test.estimates(together), test.estimates(alone), 1e-10)) AS same
FROM (SELECT k, pgfit.linear_regression(y, jsonb_build_object('a' || k, a, 'w', w || id % (k + 2))) AS together FROM test.fronts GROUP BY k) AS t
JOIN LATERAL (SELECT pgfit.linear_regression(y, jsonb_build_object('a' || f.k, a, 'w', w || id % (f.k + 2))) AS alone FROM test.fronts AS f WHERE f.k = t.k) AS s ON true;
