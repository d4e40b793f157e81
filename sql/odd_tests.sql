-- Hypothesis tests of odd samples with options at the edges of what pgfit.options() allows: a refusal, or p-values from 0 to 1, limits around their estimate, one-sided p-values that fit each other, and the same for any order of the rows.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE samples AS
SELECT 'none' AS c, NULL::int AS i, NULL::float8 AS v, NULL::float8 AS u, NULL::text AS g, NULL::text AS h, NULL::bool AS b WHERE false
UNION ALL SELECT 'one', 1, 1.5, 2, 'p', 'x', true
UNION ALL SELECT 'two', i, i, 3 - i, chr(111 + i), 'x', i = 1 FROM generate_series(1, 2) AS i
UNION ALL SELECT 'constant', i, 2, i, chr(112 + i % 2), chr(112 + i % 2), true FROM generate_series(1, 12) AS i
UNION ALL SELECT 'constant in groups', i, i % 2, i % 2, chr(112 + i % 2), chr(112 + i % 3), i % 2 = 0 FROM generate_series(1, 12) AS i
UNION ALL SELECT 'ties', i, i % 3, i % 4, chr(112 + i % 2), chr(112 + i % 3), i % 5 < 2 FROM generate_series(1, 40) AS i
UNION ALL SELECT 'three groups', i, sin(i * 7), cos(i * 3), chr(112 + i % 3), chr(112 + i / 7 % 3), i % 3 = 0 FROM generate_series(1, 31) AS i
UNION ALL SELECT 'few', i, i * i, -i, chr(112 + i / 3), chr(112 + i % 2), i > 2 FROM generate_series(1, 4) AS i
UNION ALL SELECT 'huge', i, (i % 7 - 3) * 1e150, i * 1e-150, chr(112 + i % 2), chr(112 + i / 5 % 2), i % 3 = 0 FROM generate_series(1, 20) AS i
UNION ALL SELECT 'tiny', i, (i % 7) * 1e-300, i * 1e-310, chr(112 + i % 2), chr(112 + i / 5 % 2), i % 3 = 0 FROM generate_series(1, 20) AS i
UNION ALL SELECT 'shifted', i, 1e12 + i % 5, 1e9 + i * i % 7, chr(112 + i % 2), chr(112 + i / 5 % 2), i % 3 = 0 FROM generate_series(1, 30) AS i
UNION ALL SELECT 'unknown', i, CASE WHEN i % 3 > 0 THEN i END, CASE WHEN i % 4 > 0 THEN i * i % 13 END, CASE WHEN i % 5 > 0 THEN chr(112 + i % 2) END, CASE WHEN i % 2 > 0 THEN chr(112 + i % 3) END, CASE WHEN i % 7 > 0 THEN i % 2 = 0 END FROM generate_series(1, 60) AS i
UNION ALL SELECT 'apart', i, i + 100 * (i % 2), i, chr(112 + i % 2), chr(112 + i % 2), i % 2 = 0 FROM generate_series(1, 70) AS i;
CREATE FUNCTION test.run_test(call text, options jsonb, c text, sorted text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE said jsonb;
BEGIN
    EXECUTE format('SELECT to_jsonb(%s%L::jsonb)) FROM (SELECT * FROM samples WHERE c = %L ORDER BY %s) AS s', call, options, c, sorted) INTO said;
    RETURN coalesce(said, '{"refused": "NULL"}');
EXCEPTION WHEN OTHERS THEN
    RETURN jsonb_build_object(CASE WHEN SQLSTATE ~ '^(22|42|54)' THEN 'refused' ELSE 'failed' END, SQLSTATE || ' ' || SQLERRM);
END $$;
CREATE FUNCTION test.number_of(said jsonb, name text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT (said ->> name)::float8 $$;
CREATE TABLE tested AS
SELECT t.name, options, cases.c, said, run_test(call, options, cases.c, 'hashint4(i)') AS shuffled, CASE WHEN has_sides THEN run_test(call, options || '{"alternative": "less"}', cases.c, 'i') END AS less,
       CASE WHEN has_sides THEN run_test(call, options || '{"alternative": "greater"}', cases.c, 'i') END AS greater
FROM (VALUES ('one_sample_t_test', 'v'), ('t_test', 'v, g'), ('variance_test', 'v, g'), ('oneway_test', 'v, g'), ('correlation_test', 'v, u'), ('ab_test', 'v, g'), ('ab_test', 'b, g'), ('sample_ratio_test', 'g'), ('chi_square_test', 'g, h'), ('fisher_test', 'g, h'), ('fisher_test', 'g, b'),
             ('mcnemar_test', 'b, h'), ('mcnemar_test', 'g, h'), ('proportion_test', 'b, g'), ('kruskal_test', 'v, g'), ('mann_whitney_test', 'v, g'), ('signed_rank_test', 'v'), ('ks_test', 'v, g'), ('jarque_bera_test', 'v'), ('shapiro_test', 'v'), ('ljung_box_test', 'v'),
             ('durbin_watson_test', 'v'), ('log_rank_test', 'u, b, g')) AS t(name, arguments),
     (SELECT DISTINCT c FROM samples) AS cases, generate_series(1, coalesce(current_setting('odd.walks', true), '2')::int) AS number, LATERAL (SELECT format('%s%s%s%s', name, arguments, cases.c, number)) AS k(key),
     LATERAL (SELECT coalesce(jsonb_object_agg(option, value), '{}') FROM (SELECT o.name, pick(edges(o.name, o.type, o.range), key || o.name)::jsonb FROM options(t.name) AS o
              WHERE o.name NOT IN ('alternative', 'on_failure') AND edges(o.name, o.type, o.range) IS NOT NULL ORDER BY hashtextextended(key || o.name, 3) LIMIT number - 1) AS o(option, value)) AS o(options),
     LATERAL (SELECT bool_or(o.name = 'alternative') FROM options(t.name) AS o) AS s(has_sides), LATERAL (SELECT format('%s(%s, ', t.name, arguments)) AS f(call), LATERAL (SELECT run_test(call, options, cases.c, 'i')) AS r(said);
SELECT count(*) FILTER (WHERE NOT said ? 'refused') > 150 AS many, count(*) FILTER (WHERE said ? 'refused') > 50 AS refused FROM tested;
SELECT finding, name, options, c, said FROM tested, LATERAL (SELECT CASE
    WHEN said ? 'failed' THEN 'failed'
    WHEN said ? 'refused' AND NOT shuffled ? 'refused' THEN 'only refused in this order'
    WHEN said ? 'refused' THEN NULL
    WHEN said::text ~ 'NaN' THEN 'NaN'
    WHEN NOT number_of(said, 'p_value') BETWEEN 0 AND 1 THEN 'p-value'
    WHEN number_of(said, 'conf_low') > number_of(said, 'conf_high') + 1e-9 * abs(number_of(said, 'conf_high')) THEN 'limits'
    WHEN coalesce((options ->> 'level')::float8, 1) > 0.01 AND NOT number_of(said, 'estimate') BETWEEN number_of(said, 'conf_low') - 1e-9 * abs(number_of(said, 'estimate')) AND number_of(said, 'conf_high') + 1e-9 * abs(number_of(said, 'estimate')) THEN 'estimate beyond its limits' -- those of ranks at a level near 0 may be next to it
    WHEN name NOT IN ('ljung_box_test', 'durbin_watson_test') AND abs(number_of(said, 'p_value') - number_of(shuffled, 'p_value')) > 1e-7 THEN 'the order of rows matters'
    WHEN less ->> 'alternative' IS NULL THEN NULL
    WHEN number_of(less, 'p_value') + number_of(greater, 'p_value') < 1 - 1e-9 THEN 'one-sided p-values'
    WHEN number_of(said, 'p_value') > 2 * least(number_of(less, 'p_value'), number_of(greater, 'p_value')) + 1e-7 AND name NOT IN ('fisher_test') THEN 'two-sided p-value beyond twice the one-sided one' END) AS f(finding)
WHERE finding IS NOT NULL ORDER BY 1, 2, 3, 4;
DROP TABLE samples, tested;
DROP FUNCTION test.run_test, test.number_of;
