-- Tables of bench/linear.py. A feature is a sum of four uniform numbers, centered, with variance 1: full mantissas, generated
-- quickly. psql variables: rows, scale.
\set feature '(random() + random() + random() + random() - 2) * 1.7320508'
SELECT setseed(0.25) AS seed, (400000 * :scale)::int AS forms_rows, (10000000 * :scale)::int AS group_rows,
       greatest(1, 100000 * :scale)::int AS groups \gset

CREATE TABLE lin1m_cols AS
SELECT 0.5 + 0.1 * x1 + 0.2 * x2 + 0.3 * x3 - 0.4 * x4 + 0.5 * x5 + random() AS y, f.*
FROM (SELECT :feature AS x1, :feature AS x2, :feature AS x3, :feature AS x4, :feature AS x5,
             :feature AS x6, :feature AS x7, :feature AS x8, :feature AS x9, :feature AS x10
      FROM generate_series(1, :rows) OFFSET 0) f;

CREATE TABLE lin1m AS
SELECT y, ARRAY[x1, x2, x3, x4, x5, x6, x7, x8, x9, x10] AS x FROM lin1m_cols;

SELECT 'CREATE TABLE lin1m_50 AS SELECT 0.5 + 0.1 * x[1] + 0.2 * x[2] - 0.3 * x[50] + random() AS y, x FROM (SELECT ARRAY['
    || string_agg('(random() + random() + random() + random() - 2) * 1.7320508', ', ') || '] AS x FROM generate_series(1, '
    || :rows || ') OFFSET 0) f' FROM generate_series(1, 50) \gexec

CREATE TABLE lin200k_50 AS SELECT y, x FROM lin1m_50 LIMIT :rows / 5;

SELECT format('CREATE TABLE lin_%s AS SELECT x[1] - x[2] + random() AS y, x FROM (SELECT ARRAY(SELECT random() FROM generate_series(1, %s) WHERE i > 0) AS x '
    'FROM generate_series(1, %s) AS i OFFSET 0) f', features, features, (:rows / divisor)::int) FROM (VALUES (200, 20), (1000, 100)) AS t(features, divisor) \gexec

CREATE TABLE grp10m AS
SELECT g, sin(g) + sin(2 * g) * x1 + sin(3 * g) * x2 + sin(4 * g) * x3 + random() AS y, ARRAY[x1, x2, x3] AS x
FROM (SELECT (random() * :groups)::int % :groups AS g, :feature AS x1, :feature AS x2, :feature AS x3
      FROM generate_series(1, :group_rows) OFFSET 0) f;

-- The same rows in every form that the features argument accepts.
CREATE TYPE bench_point AS (x1 float8, x2 float8, x3 float8, x4 float8, x5 float8, x6 float8, x7 float8, x8 float8,
                            x9 float8, x10 float8);
CREATE TABLE form_float8 AS SELECT y, x FROM lin1m LIMIT :forms_rows;
CREATE TABLE form_columns AS SELECT * FROM lin1m_cols LIMIT :forms_rows;
CREATE TABLE form_real AS SELECT y, x::real[] FROM form_float8;
CREATE TABLE form_integer AS
SELECT y, ARRAY(SELECT (v * 1000)::int FROM unnest(x) v) AS x FROM form_float8;
CREATE TABLE form_bigint AS SELECT y, x::bigint[] FROM form_integer;
CREATE TABLE form_numeric AS
SELECT y, ARRAY(SELECT round(v::numeric, 4) FROM unnest(x) v) AS x FROM form_float8;
CREATE TABLE form_composite AS
SELECT y, ROW(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10)::bench_point AS p FROM form_columns;
CREATE TABLE form_categorical AS
SELECT y, x1, x2, x3, x4, x5, x6, x7, x8, CASE WHEN x9 < 0 THEN 'low' ELSE 'high' END AS c1,
       CASE WHEN x10 < 0 THEN 'closed' ELSE 'open' END AS c2 FROM form_columns;
CREATE TABLE form_jsonb AS
SELECT y, to_jsonb(f) - 'y' AS j FROM (SELECT y, round(x1::numeric, 4) AS x1, round(x2::numeric, 4) AS x2,
    round(x3::numeric, 4) AS x3, round(x4::numeric, 4) AS x4, round(x5::numeric, 4) AS x5, round(x6::numeric, 4) AS x6,
    round(x7::numeric, 4) AS x7, round(x8::numeric, 4) AS x8, round(x9::numeric, 4) AS x9,
    round(x10::numeric, 4) AS x10 FROM form_columns) f;

-- For scoring: rows with a group, and models.
CREATE TABLE lin1m_groups AS SELECT (row_number() OVER ())::int % greatest(1, least(1000, :rows / 100)) AS g, y, x FROM lin1m;
CREATE TABLE one_model AS SELECT pgfit.linear_regression(y, x) AS m FROM lin1m;
CREATE TABLE one_named_model AS
SELECT pgfit.linear_regression(y, f) AS m
FROM lin1m_cols, LATERAL (SELECT x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) f;
CREATE TABLE group_models AS SELECT g, pgfit.linear_regression(y, x) AS m FROM lin1m_groups GROUP BY g;
