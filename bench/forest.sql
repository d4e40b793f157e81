-- Tables of bench/forest.py: ten and twenty normal features, of which four decide between two classes, with noise; a million rows to score.
SELECT setseed(0.5) AS seed \gset
SELECT format('CREATE TABLE forest_%s AS SELECT (x[1] + x[2] * x[3] + sin(3 * x[4]) + 0.5 * bench_normal() > 0)::int::float8 AS y, x FROM (SELECT ARRAY[%s] AS x FROM generate_series(1, %s) AS i OFFSET 0) AS rows',
    dims, (SELECT string_agg('bench_normal()', ', ') FROM generate_series(1, dims)), n)
FROM (VALUES (10, :rows / 10), (20, :rows / 10)) AS t(dims, n) \gexec
CREATE TABLE forest_scored AS SELECT y, x FROM forest_10, generate_series(1, 10);
SET pgfit.fit_mem = '1GB';
CREATE TABLE forest_model AS SELECT pgfit.forest_classifier(y, x, '{"max_depth": 10, "oob": false}') AS m FROM forest_10;
-- The row "halves, two processes" measures what it says: the planner appends the halves in parallel, and the workers come.
DO $$
DECLARE
    line text;
    plan text := '';
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', '2', true), set_config('parallel_setup_cost', '0', true);
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF) SELECT pgfit.merge(m ORDER BY s) FROM (SELECT 1 AS s, pgfit.forest_classifier(y, x, ''{"n_trees": 2, "seed": 1, "oob": false}''::jsonb) AS m FROM forest_10
                         UNION ALL SELECT 2, pgfit.forest_classifier(y, x, ''{"n_trees": 2, "seed": 2, "oob": false}''::jsonb) FROM forest_10) AS parts' LOOP
        plan := plan || line || E'\n';
    END LOOP;
    IF plan !~ 'Parallel Append' OR plan !~ 'Workers Launched: [12]' THEN
        RAISE EXCEPTION 'the halves of a forest do not grow in two processes: %', plan;
    END IF;
END $$;
