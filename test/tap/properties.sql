-- Shared by the property tests: a table of rows in three overlapping clouds, and the properties that all methods of a kind
-- have. \ir this file after BEGIN and plan(); ROLLBACK removes everything.
\ir near.sql
-- true if two arrays agree, relative to the largest number
CREATE FUNCTION pg_temp.near_all(a float8[], b float8[], tolerance float8) RETURNS boolean LANGUAGE sql AS $$
    SELECT cardinality(a) > 0 AND cardinality(a) = cardinality(b)
       AND bool_and(coalesce(abs(x - y) <= tolerance * greatest(1, most), x IS NOT DISTINCT FROM y))
    FROM unnest(a, b) AS t(x, y), (SELECT max(abs(v)) AS most FROM unnest(a) AS v) AS m
$$;
-- a random number in [0, 1), the same on every machine
CREATE FUNCTION pg_temp.uniform(i bigint, stream bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT (('x' || substr(md5(i || '/' || stream), 1, 13))::bit(52)::bigint) / 4503599627370496.0::float8
$$;
CREATE TABLE rows AS
SELECT id, 3 * (id % 3) + 2 * noise AS a, 2 * noise2 - (id % 3) AS b, (ARRAY['x', 'y', 'z'])[1 + floor(noise3 * 3)::int] AS c,
       (ARRAY['low', 'mid', 'high'])[1 + id % 3] AS label, id % 3 + noise4 > 1.2 AS yes, 1 + id % 3 AS w,
       3 * (id % 3) + noise - noise2 + noise4 AS y
FROM generate_series(1, 300) AS id,
     LATERAL (SELECT pg_temp.uniform(id, 1) + pg_temp.uniform(id, 2) - 1 AS noise, pg_temp.uniform(id, 3) + pg_temp.uniform(id, 4) - 1 AS noise2,
                     pg_temp.uniform(id, 5) AS noise3, pg_temp.uniform(id, 6) * 2 - 1 AS noise4) AS n;
ALTER TABLE rows SET (parallel_workers = 2);
ANALYZE rows;

-- the FROM clause of the fits below, with the features f: (a, b), or the columns that SET LOCAL property.features names
CREATE FUNCTION pg_temp.source() RETURNS text LANGUAGE sql AS $$
    SELECT format('rows, LATERAL (SELECT %s) AS f', coalesce(nullif(current_setting('property.features', true), ''), 'a, b'))
$$;
-- all numbers that a scoring function returns for the first rows
CREATE FUNCTION pg_temp.scores(m model, scorer text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    result float8[];
BEGIN
    EXECUTE format('SELECT array_agg(v ORDER BY id, o) FROM (SELECT id, v, o FROM %s,
        LATERAL unnest(ARRAY[]::float8[] || %I($1, f)) WITH ORDINALITY AS u(v, o) WHERE id <= 40) AS t', pg_temp.source(), scorer) INTO result USING m;
    RETURN result;
END
$$;
-- the model of a call over the rows, such as lda(label, f)
CREATE FUNCTION pg_temp.fit(call text, condition text DEFAULT 'true') RETURNS model LANGUAGE plpgsql AS $$
DECLARE
    m model;
BEGIN
    EXECUTE format('SELECT %s FROM %s WHERE %s', call, pg_temp.source(), condition) INTO m;
    RETURN m;
END
$$;

-- text, jsonb and a stored value keep the model and the bits of its scores
CREATE FUNCTION pg_temp.keeps_bits(m model, scorer text, name text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT unnest(ARRAY[ok(m::text::model = m AND pg_temp.scores(m::text::model, scorer) = pg_temp.scores(m, scorer), name || ': text keeps the bits'),
                        ok(m::jsonb::model = m AND pg_temp.scores(m::jsonb::model, scorer) = pg_temp.scores(m, scorer), name || ': jsonb keeps the bits')])
$$;

-- compares frames of 60 and 90 rows, as a window slides over blocks of 30 rows, with fits from the start
CREATE FUNCTION pg_temp.window_property(call text, scorer text, name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    same boolean;
BEGIN
    EXECUTE format('SELECT count(*) = 4 AND bool_and(pg_temp.near_all(pg_temp.scores(slid, %L), pg_temp.scores(pg_temp.fit(%L, format(''greatest((id - 1) / 30, 1) BETWEEN %%s AND %%s'', block - 1, block)), %L), 1e-6))
        FROM (SELECT block, (array_agg(slid))[1] AS slid FROM (SELECT greatest((id - 1) / 30, 1) AS block, %s OVER (ORDER BY greatest((id - 1) / 30, 1) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS slid
              FROM %s WHERE id <= 150) AS t GROUP BY block) AS u',
        scorer, call, scorer, call, pg_temp.source()) INTO same;
    RETURN ok(same, name || ': a window is a fit from the start');
END
$$;
-- tests 8 properties of a method that is fitted from moments; target: '' if it has none
CREATE FUNCTION pg_temp.moments_properties(estimator text, target text, options jsonb, scorer text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    kind text := (SELECT input FROM estimators() WHERE estimators.name = estimator);
    of_rows text := format('%s(%s f, %L::jsonb)', estimator, target || CASE WHEN target = '' THEN '' ELSE ', ' END, options);
    of_moments text := format('fit(%L, merge(e), %L::jsonb)', estimator, options);
    moments_of text := format('%s(%s f, %L::jsonb)', kind, target || CASE WHEN target = '' THEN '' ELSE ', ' END, options - (SELECT coalesce(array_agg(o), '{}') FROM jsonb_object_keys(options) AS o WHERE o NOT IN (SELECT options.name FROM options(kind))));
    name text := estimator || ' ' || options;
    whole model := pg_temp.fit(of_rows);
    repeated model;
    other model;
    line text;
    partial boolean := false;
    parts int;
BEGIN
    FOREACH parts IN ARRAY ARRAY[2, 40] LOOP
        EXECUTE format('SELECT %s FROM (SELECT %s AS e FROM %s GROUP BY id %% %s) AS t', of_moments, moments_of, pg_temp.source(), parts) INTO other;
        RETURN NEXT ok(pg_temp.near_all(pg_temp.scores(whole, scorer), pg_temp.scores(other, scorer), 1e-8), format('%s: merged from %s parts', name, parts));
    END LOOP;
    other := pg_temp.fit(replace(of_rows, '::jsonb)', '::jsonb ORDER BY md5(id::text))'));
    RETURN NEXT ok(pg_temp.near_all(pg_temp.scores(whole, scorer), pg_temp.scores(other, scorer), 1e-8), name || ': the order of rows does not matter');
    EXECUTE format('SELECT %s FROM %s', replace(of_rows, options::text, (options || '{"weight_kind": "frequency"}')::text), pg_temp.source() || ', generate_series(1, w)') INTO repeated;
    other := pg_temp.fit(replace(replace(of_rows, options::text, (options || '{"weight_kind": "frequency"}')::text), '::jsonb)', '::jsonb, w::float8)'));
    RETURN NEXT ok(pg_temp.near_all(pg_temp.scores(repeated, scorer), pg_temp.scores(other, scorer), 1e-8), name || ': frequency weights are repeated rows');
    -- two workers
    SET LOCAL max_parallel_workers_per_gather = 2; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0; SET LOCAL min_parallel_table_scan_size = 0;
    FOR line IN EXECUTE format('EXPLAIN SELECT %s FROM %s', of_rows, pg_temp.source()) LOOP
        partial := partial OR line LIKE '%Partial Aggregate%';
    END LOOP;
    other := pg_temp.fit(of_rows);
    RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
    RETURN NEXT ok(partial AND pg_temp.near_all(pg_temp.scores(whole, scorer), pg_temp.scores(other, scorer), 1e-8), name || ': parallel is serial');
    RETURN NEXT pg_temp.window_property(of_rows, scorer, name);
    RETURN QUERY SELECT pg_temp.keeps_bits(whole, scorer, name);
END
$$;
-- 4 properties of a method that is fitted from rows, in whatever order
CREATE FUNCTION pg_temp.rows_properties(estimator text, target text, options jsonb, scorer text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    of_rows text := format('%s(%s f, %L::jsonb)', estimator, target || CASE WHEN target = '' THEN '' ELSE ', ' END, options);
    name text := estimator || ' ' || options;
    whole model := pg_temp.fit(of_rows);
    other model;
BEGIN
    other := pg_temp.fit(replace(of_rows, '::jsonb)', '::jsonb ORDER BY md5(id::text))'));
    RETURN NEXT ok(pg_temp.near_all(pg_temp.scores(whole, scorer), pg_temp.scores(other, scorer), 1e-6), name || ': the order of rows does not matter');
    RETURN NEXT pg_temp.window_property(of_rows, scorer, name);
    RETURN QUERY SELECT pg_temp.keeps_bits(whole, scorer, name);
END
$$;
