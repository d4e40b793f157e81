-- Distances and kernels between two rows.
SET search_path = public, test, pgfit, pgfit_textbook;
-- every form of argument, and values known in closed form
SELECT euclidean_distance(ARRAY[0, 0], ARRAY[3, 4]), euclidean_distance('{0,0}'::real[], '{3,4}'::numeric[]),
       euclidean_distance('{0,0}'::float8[], '{3,4}'::smallint[]), euclidean_distance((0, 0), (3, 4)), euclidean_distance(ARRAY[0, 0], (3, 4.0)),
       euclidean_distance('{"a":0,"b":0}'::jsonb, '{"b":4,"a":3}'::jsonb), euclidean_distance(2, 7.5), euclidean_distance(ARRAY[true, false], ARRAY[false, false]);
SELECT near(euclidean_distance(x, y), sqrt(5)), manhattan_distance(x, y), chebyshev_distance(x, y), squared_euclidean_distance(x, y), hamming_distance(x, y)
FROM (VALUES ((1, 'red'::text, 2.5), (3, 'blue'::text, 2.5))) AS t(x, y);
SELECT round(euclidean_distance(x, y)::numeric, 10) FROM (SELECT 1 AS a, 2 AS b) x, (SELECT 5 AS b, 7 AS a) y; -- by name
SELECT minkowski_distance(ARRAY[1, 2], ARRAY[4, 6], 1), minkowski_distance(ARRAY[1, 2], ARRAY[4, 6], 2), minkowski_distance(ARRAY[1, 2], ARRAY[4, 6], 'Infinity'),
       near(minkowski_distance(ARRAY[0, 0], ARRAY[1, 1], 0.5), 4), near(minkowski_distance(ARRAY[0, 0], ARRAY[1, 1], 0.8), 2.37841423000544);
SELECT p, near(minkowski_distance(ARRAY[0, 0], ARRAY[1, 1], p), 2 ^ (1 / p)) FROM unnest(ARRAY[0.5, 1, 1.5, 2, 3, 7, 64, 65, 1000]) p;
SELECT hamming_distance('101100', '011101'), hamming_distance(B'101100', B'011101'), hamming_distance('näive'::text, 'naive'), hamming_distance(ARRAY[1, 2, 3], ARRAY[1, 5, 4]),
       hamming_distance(repeat('a', 100000), repeat('b', 100000));
SELECT edit_distance('kitten', 'sitting'), edit_distance('', 'abc'), edit_distance('abc', ''), edit_distance('', ''), edit_distance('flaw', 'lawn'),
       edit_distance('intention', 'execution'), edit_distance('näive', 'naive'), edit_distance('日本語', '日本'), edit_distance('a😀c', 'a😃c');
-- against the plain recurrence, around the widths of a block
CREATE FUNCTION test.plain_edits(a text, b text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE last int[]; now int[];
BEGIN
    FOR j IN 0..length(b) LOOP last[j] := j; END LOOP;
    FOR i IN 1..length(a) LOOP
        now[0] := i;
        FOR j IN 1..length(b) LOOP
            now[j] := least(last[j] + 1, now[j - 1] + 1, last[j - 1] + CASE WHEN substr(a, i, 1) = substr(b, j, 1) THEN 0 ELSE 1 END);
        END LOOP;
        last := now;
    END LOOP;
    RETURN last[length(b)];
END $$;
CREATE FUNCTION test.letters(n int, seed int, alphabet text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(string_agg(substr(alphabet, 1 + (hashint4extended(i, seed) & 1023)::int % length(alphabet), 1), '' ORDER BY i), '') FROM generate_series(1, n) i
$$;
SELECT count(*), bool_and(edit_distance(a, b) = test.plain_edits(a, b)), bool_and(edit_distance(a, b) = edit_distance(b, a))
FROM (SELECT test.letters(n, n, alphabet) AS a, test.letters(m, m + 7, alphabet) AS b
      FROM unnest(ARRAY[1, 2, 31, 63, 64, 65, 127, 130]) n, unnest(ARRAY[1, 5, 62, 64, 66, 129]) m, unnest(ARRAY['ab', 'abcdefgh', 'aöβ日😀']) alphabet) t;
-- standard deviations, matrices, moments
SELECT near(standardized_euclidean_distance(ARRAY[5, 0], ARRAY[1, 7], '{2.66666666666667,8.66666666666667}'), 3.41377300854145),
       near(elliptical_distance(ARRAY[3, 2], ARRAY[0, 0], '{{0.625,-0.375},{-0.375,0.625}}'), sqrt(3.625)),
       near(mahalanobis_distance(ARRAY[3, 2], ARRAY[0, 0], '{{2.5,1.5},{1.5,2.5}}'::float8[]), sqrt(3.625)),
       mahalanobis_distance(ARRAY[3, 4], ARRAY[0, 0], '{{1,0},{0,1}}'::float8[]);
-- an offset costs no digits: the difference is taken first
SELECT near(mahalanobis_distance(ARRAY[1e9 + 3, 1e9 + 2], ARRAY[1e9, 1e9], '{{2.5,1.5},{1.5,2.5}}'::float8[]), sqrt(3.625)),
       near(standardized_euclidean_distance(ARRAY[1e9 + 3], ARRAY[1e9], '{4}'), 1.5);
CREATE TEMP TABLE points AS SELECT i, sin(i) AS a, cos(i * i) + sin(i) AS b FROM generate_series(1, 50) i;
SELECT near(sum(mahalanobis_distance(ARRAY[a, b], ARRAY[ma, mb], e) ^ 2), 100, 1e-11)
FROM points, (SELECT avg(a) AS ma, avg(b) AS mb, feature_moments(ARRAY[a, b]) AS e FROM points) s;
SELECT near(mahalanobis_distance(x, y, e1), mahalanobis_distance(x, y, e2)) -- features of moments by name
FROM (SELECT 1.0 AS a, 2.0 AS b) x, (SELECT 0.5 AS a, 0.25 AS b) y,
     (SELECT feature_moments(f) AS e1 FROM points, LATERAL (SELECT a, b) f) s1, (SELECT feature_moments(f) AS e2 FROM points, LATERAL (SELECT b, a) f) s2;
-- directions
SELECT near(cosine_similarity(ARRAY[1, 0], ARRAY[1, 1]), sqrt(0.5)), cosine_distance(ARRAY[1, 2], ARRAY[-2, 1]), cosine_distance(ARRAY[1, 2, 3], ARRAY[-2, -4, -6]),
       near(angular_distance(ARRAY[1, 0], ARRAY[1, 1]), pi() / 4), near(angular_distance(ARRAY[1, 1e-9], ARRAY[-1, 0]), pi() - 1e-9, 1e-15),
       near(angular_distance(ARRAY[1, 0], ARRAY[1, 1e-12]), 1e-12), near(cosine_distance(ARRAY[1e-310, 0], ARRAY[1e300, 1e300]), 1 - sqrt(0.5));
-- by name
CREATE TYPE test.size AS ENUM ('S', 'M', 'L');
SELECT distance(ARRAY[0, 0], ARRAY[3, 4], 'euclidean'), distance('101', '011', 'hamming'), distance('kitten'::text, 'sitting', 'edit'),
       near(distance(ARRAY[0, 0], ARRAY[3, 4], 'minkowski', '{"p":3}'), 91 ^ (1 / 3.0)),
       near(distance(ARRAY[3, 2], ARRAY[0, 0], 'elliptical', '{"matrix":[[0.625,-0.375],[-0.375,0.625]]}'), sqrt(3.625)),
       near(distance(ARRAY[3, 2], ARRAY[0, 0], 'mahalanobis', '{"covariance":[[2.5,1.5],[1.5,2.5]]}'), sqrt(3.625)),
       near(distance(ARRAY[1, 2], ARRAY[-3, 0.5], 'kernel', '{"kernel":"polynomial","degree":2}'), 10.1273145502645, 1e-11);
SELECT near(distance(x, y, 'mixed', '{"variances":[4,1]}'), sqrt(6)), distance(x, y, 'mixed', '{"variances":[4,1],"p":1}'), distance(x, y, 'hamming'), distance(x, x, 'mixed', '{"variances":[4,1]}')
FROM (VALUES ((3.0, 'red'::text, 'S'::test.size), (5.0, 'blue'::text, 'L'::test.size))) AS t(x, y);
SELECT norm(ARRAY[3, -4], 2), norm(ARRAY[3, -4], 1), norm(ARRAY[3, -4], 'Infinity'), norm(ARRAY[3, 0, -4], 0), norm((3, 4), 2);
-- one call site, shapes and parameters that change from row to row
SELECT round(minkowski_distance(x, y, p)::numeric, 8) FROM (VALUES (1, ARRAY[1], ARRAY[3], 1.0), (2, ARRAY[1, 2], ARRAY[4, 6], 2), (3, ARRAY[1, 2], ARRAY[4, 6], 1), (4, ARRAY[1, 2], ARRAY[4, 6], 3)) AS t(i, x, y, p) ORDER BY i;
SELECT distance(x, y, m, o) FROM (VALUES (1, '{"a":1}'::jsonb, '{"a":4}'::jsonb, 'euclidean', '{}'::jsonb), (2, '{"a":1,"b":"x"}', '{"a":1,"b":"y"}', 'manhattan', '{}'),
     (3, '{"b":"x","c":1}', '{"b":"z","c":3}', 'minkowski', '{"p":1}'), (4, '{"b":"x","c":1}', '{"b":"z","c":3}', 'chebyshev', '{}')) AS t(i, x, y, m, o) ORDER BY i;
SELECT count(*), sum(hamming_distance((i, 'l' || i), (i, 'l' || i / 2))) FROM generate_series(1, 3000) i; -- as many levels as rows
-- any size of number, and never a silent NaN
SELECT near(euclidean_distance(ARRAY[0, 0], ARRAY[3 * x, 4 * x]), 5 * x, 1e-12), near(minkowski_distance(ARRAY[0, 0], ARRAY[x, x], 3), 2 ^ (1 / 3.0) * x, 1e-12),
       near(norm(ARRAY[3 * x, 4 * x], 2), 5 * x, 1e-12), near(cosine_similarity(ARRAY[x, 0], ARRAY[x, x]), sqrt(0.5)), manhattan_distance(ARRAY[x], ARRAY[-x]) = 2 * x
FROM unnest(ARRAY[1e300, 1e160, 1e-160, 1e-300]::float8[]) x;
SELECT euclidean_distance(ARRAY[5e-324], ARRAY[0::float8]) = 5e-324, squared_euclidean_distance(ARRAY[1e-200], ARRAY[0::float8]);
-- NULL in, NULL out
SELECT euclidean_distance(NULL::float8[], ARRAY[1]), euclidean_distance(ARRAY[1, NULL], ARRAY[1, 2]), euclidean_distance((1, NULL::int), (1, 2)), minkowski_distance(ARRAY[1], ARRAY[2], NULL),
       kernel(ARRAY[1], ARRAY[NULL::int], 'linear'), edit_distance(NULL, 'a'), hamming_distance('a', NULL::text), euclidean_distance('{"a":null}'::jsonb, '{"a":1}'::jsonb);
-- what breaks the triangle inequality, and what does not
SELECT name, p, (is_metric(name, p)).* FROM (VALUES ('euclidean', 2), ('squared_euclidean', 2), ('minkowski', 0.8), ('minkowski', 1), ('mixed', 0.5), ('cosine', 2), ('angular', 2), ('edit', 2), ('kernel', 2)) AS t(name, p);
SELECT cosine_distance(a, c) > cosine_distance(a, b) + cosine_distance(b, c), angular_distance(a, c) <= angular_distance(a, b) + angular_distance(b, c) + 1e-15
FROM (VALUES (ARRAY[1, 0], ARRAY[1, 1], ARRAY[0, 1])) AS t(a, b, c);
-- axioms and invariances on random and awkward points
CREATE TEMP TABLE awkward AS
SELECT i, CASE WHEN i <= 12 THEN ARRAY[sin(i * 7), cos(i * 3) * 5, sin(i * i)] WHEN i = 13 THEN ARRAY[sin(7), cos(3) * 5, sin(1)] WHEN i = 14 THEN ARRAY[0, 1e-8, 0]
    WHEN i = 15 THEN ARRAY[1e300, -1e300, 1e300] WHEN i = 16 THEN ARRAY[1e300, 1e300, 1e300] WHEN i = 17 THEN ARRAY[1e-310, 2e-310, 0] ELSE ARRAY[-sin(7), -cos(3) * 5, -sin(1)] END AS x
FROM generate_series(1, 18) i;
SELECT m, bool_and(ab = ba) AS symmetric, bool_and(aa = 0) AS zero, bool_and(same OR ab > 0) AS positive, bool_and(ac <= (ab + bc) * (1 + 1e-14)) AS triangle
FROM (SELECT m, a.x = b.x AS same, distance(a.x, b.x, m) AS ab, distance(b.x, a.x, m) AS ba, distance(a.x, a.x, m) AS aa, distance(a.x, c.x, m) AS ac, distance(b.x, c.x, m) AS bc
      FROM awkward a, awkward b, awkward c, (VALUES ('euclidean'), ('manhattan'), ('chebyshev'), ('hamming')) AS metrics(m)) v GROUP BY m ORDER BY m;
SELECT bool_and(near(euclidean_distance(rx, ry), euclidean_distance(x, y), 1e-12)) AS rotation, bool_and(near(euclidean_distance(sx, sy), euclidean_distance(x, y), 1e-9)) AS translation,
       bool_and(near(euclidean_distance(kx, ky), 8 * euclidean_distance(x, y), 1e-15)) AS scaling, bool_and(near(angular_distance(kx, y), angular_distance(x, y), 1e-13)) AS length,
       NOT bool_and(near(manhattan_distance(rx, ry), manhattan_distance(x, y), 1e-6)) AS manhattan_turns
FROM (SELECT ARRAY[a.a, a.b] AS x, ARRAY[b.a, b.b] AS y, ARRAY[0.6 * a.a - 0.8 * a.b, 0.8 * a.a + 0.6 * a.b] AS rx, ARRAY[0.6 * b.a - 0.8 * b.b, 0.8 * b.a + 0.6 * b.b] AS ry,
             ARRAY[a.a + 1000, a.b - 70] AS sx, ARRAY[b.a + 1000, b.b - 70] AS sy, ARRAY[8 * a.a, 8 * a.b] AS kx, ARRAY[8 * b.a, 8 * b.b] AS ky FROM points a, points b WHERE a.i < b.i) t;
-- kernels
SELECT kernel(ARRAY[1, 2], ARRAY[-3, 0.5], 'linear'), kernel(ARRAY[1, 2], ARRAY[-3, 0.5], 'polynomial', '{"degree":2}'), kernel(ARRAY[1, 2], ARRAY[-3, 0.5], 'polynomial', '{"degree":2,"coef0":1}'),
       near(kernel(ARRAY[1, 2], ARRAY[-3, 0.5], 'rbf', '{"sigma":0.5}'), kernel(ARRAY[1, 2], ARRAY[-3, 0.5], 'rbf', '{"gamma":2}')),
       near(kernel(ARRAY[1, 2], ARRAY[-3, 0.5], 'sigmoid', '{"gamma":0.25,"coef0":1}'), 0.46211715726001), kernel((1, 2), (1, 2), 'rbf', '{"gamma":0.3}');
SELECT near(kernel_distance(x, y, 'linear'), euclidean_distance(x, y)), kernel_distance(ARRAY[1, 2], ARRAY[-1, -2], 'polynomial', '{"degree":2}'),
       near(kernel_distance(x, y, 'rbf', '{"sigma":1}'), 1.41413655014652), near(kernel_cosine(x, y, 'polynomial', '{"degree":2}'), cosine_similarity(x, y) ^ 2),
       near(kernel_cosine(x, y, 'linear'), cosine_similarity(x, y)), kernel_distance(x, x, 'sigmoid')
FROM (VALUES (ARRAY[1, 2], ARRAY[-3, 0.5])) AS t(x, y);
-- refusals
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.euclidean_distance(ARRAY[1, 2], ARRAY[1, 2, 3])$$,
    $$SELECT pgfit.euclidean_distance((1, 2), (1, 2, 3))$$,
    $$SELECT pgfit.euclidean_distance(x, y) FROM (SELECT 1 AS a, 2 AS b) x, (SELECT 1 AS a, 2 AS c) y$$,
    $$SELECT pgfit.euclidean_distance((1, 'a'::text), (1, 2))$$,
    $$SELECT pgfit.euclidean_distance('{}'::float8[], '{}'::float8[])$$,
    $$SELECT pgfit.euclidean_distance(ARRAY[1, 'NaN'::float8], ARRAY[1, 2])$$,
    $$SELECT pgfit.euclidean_distance(ARRAY[1, 2], ARRAY['-Infinity'::float8, 2])$$,
    $$SELECT pgfit.euclidean_distance(ARRAY[[1, 2]], ARRAY[[1, 2]])$$,
    $$SELECT pgfit.euclidean_distance('{1,2}', '{1,2}')$$,
    $$SELECT pgfit.euclidean_distance(ARRAY['a'], ARRAY['b'])$$,
    $$SELECT pgfit.euclidean_distance(ARRAY[1.7e308], ARRAY[-1.7e308])$$,
    $$SELECT pgfit.squared_euclidean_distance(ARRAY[1e200], ARRAY[0])$$,
    $$SELECT pgfit.minkowski_distance(ARRAY[1], ARRAY[2], 0)$$,
    $$SELECT pgfit.minkowski_distance(ARRAY[1], ARRAY[2], -1)$$,
    $$SELECT pgfit.minkowski_distance(ARRAY[1], ARRAY[2], 'NaN')$$,
    $$SELECT pgfit_textbook.norm(ARRAY[1], -1)$$,
    $$SELECT pgfit_textbook.norm(('a'::text, 1), 1)$$,
    $$SELECT pgfit.hamming_distance('101', '10')$$,
    $$SELECT pgfit.hamming_distance(B'101', B'10')$$,
    $$SELECT pgfit.standardized_euclidean_distance(ARRAY[1, 2], ARRAY[1, 2], '{1}')$$,
    $$SELECT pgfit.standardized_euclidean_distance(ARRAY[1, 2], ARRAY[1, 2], '{1,0}')$$,
    $$SELECT pgfit.standardized_euclidean_distance(ARRAY[1, 2], ARRAY[1, 2], '{1,NULL}')$$,
    $$SELECT pgfit.elliptical_distance(ARRAY[1, 2], ARRAY[1, 2], '{{1,2},{3,4}}')$$,
    $$SELECT pgfit.elliptical_distance(ARRAY[1, 2], ARRAY[1, 2], '{{1,2},{2,1}}')$$,
    $$SELECT pgfit.elliptical_distance(ARRAY[1, 2], ARRAY[1, 2], '{{1,NaN},{NaN,1}}')$$,
    $$SELECT pgfit.elliptical_distance(ARRAY[1, 2], ARRAY[1, 2], '{1,2}')$$,
    $$SELECT pgfit.mahalanobis_distance(ARRAY[1, 2], ARRAY[1, 2], '{{1,2},{2,4}}'::float8[])$$,
    $$SELECT pgfit.mahalanobis_distance(ARRAY[1, 2], ARRAY[1, 2], '{{{1,2},{2,4}}}'::float8[])$$,
    $$SELECT pgfit.mahalanobis_distance((1, 'a'::text), (1, 'b'::text), '{{1,0},{0,1}}'::float8[])$$,
    $$SELECT pgfit.mahalanobis_distance(ARRAY[1, 2], ARRAY[1, 2], pgfit.feature_moments(ARRAY[i, 2 * i])) FROM generate_series(1, 9) i$$,
    $$SELECT pgfit.mahalanobis_distance(ARRAY[1, 2, 3], ARRAY[1, 2, 3], pgfit.feature_moments(ARRAY[i, 2 * i])) FROM generate_series(1, 9) i$$,
    $$SELECT pgfit.mahalanobis_distance(ARRAY[1, 2], ARRAY[1, 2], pgfit.moments(i, ARRAY[i, 2 * i])) FROM generate_series(1, 9) i$$,
    $$SELECT pgfit.cosine_distance(ARRAY[0, 0], ARRAY[1, 1])$$,
    $$SELECT pgfit.cosine_similarity(ARRAY[1, 1], ARRAY[0, 0])$$,
    $$SELECT pgfit.angular_distance(ARRAY[0, 0], ARRAY[0, 0])$$,
    $$SELECT pgfit.cosine_distance((1, 'a'::text), (2, 'a'::text))$$,
    $$SELECT pgfit.distance(ARRAY[1], ARRAY[2], 'euclid')$$,
    $$SELECT pgfit.distance(ARRAY[1], ARRAY[2], 'edit')$$,
    $$SELECT pgfit.distance(ARRAY[1], ARRAY[2], 'elliptical')$$,
    $$SELECT pgfit.distance(ARRAY[1], ARRAY[2], 'mahalanobis')$$,
    $$SELECT pgfit.distance(ARRAY[1], ARRAY[2], 'standardized_euclidean')$$,
    $$SELECT pgfit.distance(ARRAY[1], ARRAY[2], 'euclidean', '{"p":3}')$$,
    $$SELECT pgfit.distance(ARRAY[1], ARRAY[2], 'euclidean', '{"metric":"manhattan"}')$$,
    $$SELECT pgfit.distance(ARRAY[1], ARRAY[2], 'minkowski', '{"order":3}')$$,
    $$SELECT pgfit.distance(ARRAY[1], ARRAY[2], 'kernel')$$,
    $$SELECT pgfit_textbook.is_metric('euclid')$$,
    $$SELECT pgfit_textbook.is_metric('minkowski', 0)$$,
    $$SELECT pgfit.kernel(ARRAY[1], ARRAY[2], 'gauss')$$,
    $$SELECT pgfit.kernel(ARRAY[1], ARRAY[2], 'rbf')$$,
    $$SELECT pgfit.kernel(ARRAY[1], ARRAY[2], 'rbf', '{"gamma":1,"sigma":1}')$$,
    $$SELECT pgfit.kernel(ARRAY[1], ARRAY[2], 'rbf', '{"gamma":-1}')$$,
    $$SELECT pgfit.kernel(ARRAY[1], ARRAY[2], 'rbf', '{"sigma":1e-200}')$$,
    $$SELECT pgfit.kernel(ARRAY[1], ARRAY[2], 'linear', '{"gamma":1}')$$,
    $$SELECT pgfit.kernel(ARRAY[1], ARRAY[2], 'polynomial', '{"degree":1.5}')$$,
    $$SELECT pgfit.kernel(ARRAY[1e200], ARRAY[1e200], 'linear')$$,
    $$SELECT pgfit.kernel((1, 'a'::text), (1, 'b'::text), 'linear')$$,
    $$SELECT pgfit.kernel_cosine(ARRAY[0, 0], ARRAY[1, 1], 'linear')$$]) AS s;
-- pgvector's type goes through its cast, if the extension is available
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS vector;
    IF pgfit.euclidean_distance('[1,2]'::vector, '[4,6]'::vector) <> 5 OR pgfit.cosine_similarity('[1,0]'::vector, ARRAY[2, 0]) <> 1 THEN
        RAISE EXCEPTION 'distances of pgvector''s type';
    END IF;
    DROP EXTENSION vector;
EXCEPTION WHEN undefined_file OR feature_not_supported THEN
    RAISE DEBUG 'pgvector is not installed: its type is not tried';
END $$;
-- a call site frees the buffer of narrow rows when wider ones come
SELECT CASE WHEN s = 0 THEN (SELECT sum(total_bytes) < 60e6 FROM pg_backend_memory_contexts) END AS memory_is_kept_small
FROM (SELECT sum(pgfit.euclidean_distance(a, a)) AS s FROM generate_series(1, 4000) AS i, LATERAL (SELECT array_fill(1.0::float8, ARRAY[i]) AS a) AS r) AS t;
